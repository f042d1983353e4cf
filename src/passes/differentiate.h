// Gradients of a part of a graph, as nodes: reverse mode by the rules of the operators' records, through If and Loop.
//
//   %y : Tensor = prim::Loop(%n, %go, %x)              forward: the Loop also keeps, in lists, what its backward pass reads
//     block0(%i : int, %h : Tensor):
//       %t = aten::tanh(%h)
//       -> (%go, %t)
//
//   %g : Tensor = prim::Loop(%rounds, True, %dy)       backward: from the last round to the first
//     block0(%i : int, %dt : Tensor):
//       %t = aten::__getitem__(%list, %last - %i)
//       %dh = aten::tanh_backward(%dt, %t)
//       -> (True, %dh)
//
// A list is an ordinary carried value: it begins empty, and each round adds one element. An If keeps what an arm computed in a list of one element,
// which is empty where the other arm ran. What a block uses from outside of it has one gradient, which the rounds add to.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace monograph::passes {

// Appends at the graph's insertion point what computes the gradients of `inputs`, from those of the results of `nodes`: nodes of one block that
// come before the insertion point, in order, one behind the other as far as gradients flow. `gradients` has pairs of a value and its gradient. An
// input is a value from before, or a get_attr, which stands for every get_attr of its name. The result is null where no gradient reaches an input.
//
// Operators without a gradient of their own are decomposed first; Ifs and Loops get further results, and where one had a single result, another
// node stands for that afterwards: `renamed` is told. Error where an operator has no gradient, writes to its arguments, or is not known well enough.
struct GradientRequest {
  std::vector<ir::Node*> nodes;
  std::vector<std::pair<ir::Node*, ir::Node*>> gradients;
  std::vector<ir::Node*> inputs;
  std::function<void(ir::Node* was, ir::Node* is)> renamed;
};
std::vector<ir::Node*> append_gradients(ir::Graph& graph, const GradientRequest& request);

// What the gradients of a node's results may flow to: for each result, whether one of `inputs` has a part in it.
std::vector<bool> depends_on(ir::Node* node, std::span<ir::Node* const> inputs);

// A graph's forward and backward pass as graphs:
//   forward(inputs…)                       gives the results, then what backward reads
//   backward(gradients…, what it reads…)   takes the gradients of the floating results, gives those of the floating inputs and attributes
struct Differentiated {
  std::unique_ptr<ir::Graph> forward, backward;
  size_t results = 0;  // of the graph; what follows them in forward's is saved
  std::vector<std::string> gradients;  // the names of the inputs and attributes, in the order of backward's results
};
// Writes become values first. Error where a write cannot, and as above.
Differentiated differentiate(const ir::Graph& graph);

}  // namespace monograph::passes
