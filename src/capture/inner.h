// Values inside decomposed operators, for a captured program that computes gradients itself.
//
// A trace records layer_norm(x) as one node. Its backward pass needs the mean and deviation that were computed inside; no node has them. So the trace
// notes such calls. When a backward pass needs an inner value, the trace adds the nodes of that call's decomposition, once.
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
  bool recorded = false;
};

// Whether autograd takes this call apart: the operator has no gradient of its own, and one is wanted.
bool taken_apart(const Operator& op, const IValue* args);
// Runs such a call on plain numbers, and notes what it computes inside. `args` are those of the graph.
void run_noting(Writer& writer, const Operator& op, const IValue* args, const IValue* plain, IValue* results);
// Makes the nodes of a call's decomposition and names its values after them. Error where the arguments were written since, or the call drew
// random numbers.
void record_inner(Writer& writer, InnerCall& call);

}  // namespace monograph::capture
