// Values inside decomposed operators, for a captured program that computes gradients itself.
//
// A trace records layer_norm(x) as one node. Its backward pass needs the mean and deviation that were computed inside; no node has them. So the trace
// notes such calls. When a backward pass needs an inner value, the trace adds the nodes of that call's decomposition, once.
//
// x.clamp_(0, 1) is one node too. Autograd runs clamp on a copy of x, and copies the result to x. A backward pass that needs a value of these calls makes
// nodes of them: they take the place of the one node.
#pragma once

#include <vector>

#include "ops/dispatch.h"

namespace monograph::capture {

class Writer;

// One noted call: its arguments, and the values that its decomposition computes, in order.
struct InnerCall {
  const Operator* op = nullptr;
  std::vector<IValue> args;
  std::vector<uint32_t> versions;  // the versions of the tensor arguments after the call
  std::vector<Tensor> values;
  std::vector<std::vector<IValue>> inner_args;  // set when recorded: the arguments of each step that was not decomposed
  struct Step {
    const Operator* op;
    bool decomposed;  // its own steps follow
  };
  std::vector<Step> steps;  // the operators that the decomposition calls, in order
  Tensor written;  // for an in-place form: the tensor to which the result is copied
  InnerCall* outer = nullptr;  // the noted call that this one is a step of, as for a reshape inside of another noted call
  size_t index = 0;  // the index of its arguments in outer->inner_args
  bool recorded = false;
  ir::Node* node = nullptr;  // the node of the call
};

// Whether autograd runs the decomposition of this call: the operator has no gradient rule, and an argument requires grad.
bool autograd_decomposes(const Operator& op, const IValue* args);
// Runs such a call on the example, and notes the inner values. `args` are values of the graph.
InnerCall& run_noting(Writer& writer, const Operator& op, const IValue* args, IValue* results);
// Whether autograd runs this in-place form as its functional form and a copy.
bool written_by_copy(const Operator& op, const IValue* args);
// Runs such a call as run_noting does. `args` are values of the graph, `plain` those of the example.
InnerCall& run_noting_write(Writer& writer, const Operator& op, const IValue* args, const IValue* plain, IValue* results);
// Records the decomposition of a noted call and gives its values their nodes. If the call drew random numbers, or is an in-place form, the new nodes replace its
// node, so that forward and backward pass use the same numbers. Error if an argument was written since the call.
void record_inner(Writer& writer, InnerCall& call);

}  // namespace monograph::capture
