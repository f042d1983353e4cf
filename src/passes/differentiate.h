// Gradients of a part of a graph, as nodes: reverse mode by the rules of the operators' records, through If and Loop.
//
//   %y : Tensor = prim::Loop(%n, %go, %x)              forward: the Loop also keeps, in lists, what its backward pass reads
//     block0(%i : int, %h : Tensor):
//       %t = aten::tanh(%h)
//       -> (%go, %t)
//
//   %g : Tensor = prim::Loop(%iterations, True, %dy)   backward: from the last iteration to the first
//     block0(%i : int, %dt : Tensor):
//       %t = aten::__getitem__(%list, %last - %i)
//       %dh = aten::tanh_backward(%dt, %t)
//       -> (True, %dh)
//
// A list is an ordinary carried value: it begins empty, and each iteration adds one element. An If keeps a value of one of its blocks in a list of one
// element, which is empty if the other block ran. A value from outside that the body of a Loop uses has one gradient, to which all iterations add.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace monograph::passes {

// Appends nodes at the graph's insertion point that compute the gradients of `inputs`, and returns these: null for an input that no gradient reaches.
// `gradients` has pairs of a value and its gradient. `nodes` are the nodes through which gradients flow, in order; they are in one block, before the
// insertion point. An input is a value that is computed before `nodes`, or a get_attr, which counts as every get_attr of its name.
//
// Operators without a gradient rule are decomposed first. Ifs and Loops get further results. If one had a single result, a new node takes the place of that
// result, and `renamed` is called with both. Raises an error if an operator has no gradient, writes to its arguments, or has unknown dtypes or sizes.
struct GradientRequest {
  std::vector<ir::Node*> nodes;
  std::vector<std::pair<ir::Node*, ir::Node*>> gradients;
  std::vector<ir::Node*> inputs;
  std::function<void(ir::Node* was, ir::Node* is)> renamed;
};
std::vector<ir::Node*> append_gradients(ir::Graph& graph, const GradientRequest& request);

// For each result of an If or Loop, whether it depends on one of `inputs`. With `in_every_run`, both ways of an If must, and a Loop also without iterations.
std::vector<bool> depends_on(ir::Node* node, std::span<ir::Node* const> inputs, bool in_every_run = false);

// A graph's forward and backward pass as graphs:
//   forward(inputs…)                  returns the results, then the saved values, which backward reads
//   backward(gradients…, saved…)      takes the gradients of the floating-point results, and returns those of the floating-point inputs and attributes
struct Differentiated {
  std::unique_ptr<ir::Graph> forward, backward;
  size_t results = 0;  // the number of results of the graph; in those of forward, the saved values follow
  std::vector<std::string> gradients;  // the names of the inputs and attributes, in the order of backward's results
};
// Writes in place become values first (functionalize.h). Raises an error if one cannot, and the errors of append_gradients.
Differentiated differentiate(const ir::Graph& graph);

}  // namespace monograph::passes
