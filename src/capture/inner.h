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

// One call: what it was given, and the values inside in the order in which they were made.
struct InnerCall {
  const Operator* op = nullptr;
  std::vector<IValue> args;
  std::vector<uint32_t> versions;  // of tensor arguments, behind the call
  std::vector<Tensor> values;
  std::vector<std::vector<IValue>> inner_args;  // once recorded: of each operator called inside that was not taken apart
  struct Step {
    const Operator* op;
    bool apart;  // taken apart too
  };
  std::vector<Step> steps;  // the operators called inside, in order
  Tensor written;  // of an in-place form: where its result is copied to
  InnerCall* outer = nullptr;  // of a view or copy, as strides have it, inside of another call: a step of that call, recorded whole there
  size_t index = 0;  // of its arguments among outer->inner_args
  bool recorded = false;
  ir::Node* node = nullptr;  // of the call
};

// Whether autograd takes this call apart: the operator has no gradient of its own, and one is wanted.
bool taken_apart(const Operator& op, const IValue* args);
// Runs such a call on the example, and notes what it computes inside. `args` are those of the graph.
InnerCall& run_noting(Writer& writer, const Operator& op, const IValue* args, IValue* results);
// Whether autograd runs this in-place form as its functional form and a copy.
bool written_by_copy(const Operator& op, const IValue* args);
// Runs such a call as run_noting does.
InnerCall& run_noting_write(Writer& writer, const Operator& op, const IValue* args, const IValue* plain, IValue* results);
// Makes the nodes of a call's decomposition and names its values after them. A call that drew random numbers gives way to these nodes, so that forward
// and backward pass have the same draw; so does an in-place form. Error where the arguments were written since.
void record_inner(Writer& writer, InnerCall& call);

}  // namespace monograph::capture
