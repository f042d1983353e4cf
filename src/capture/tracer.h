// Trace: runs a function once on example values and records every operator call.
#pragma once

#include "capture/writer.h"

namespace monograph::capture {

// The value with the examples in place of symbolic parts, as the operator below takes it.
IValue example(const Operator& op, const IValue& value);

// Error where the call, which changes the sizes of argument 0 (`self` is its node) in place, cannot be recorded as a view of it.
void check_reshaped(const Operator& op, const Writer& writer, const ir::Node* self);

// Error where the call writes to a tensor that is neither the graph's nor the function's modules'.
void check_writes(const Writer& writer, const Operator& op, const IValue* args);

// A dispatch mode that runs each one below and appends it to the graph. Tensors are nodes by identity. Numbers and lists
// that operators give stay symbolic with the example's value as a hint; demand() turns them into guards. Calls in place are recorded as
// they are: the tensor written keeps its node, and the order of nodes says what is read when.
class Tracer : public DispatchMode {
 public:
  explicit Tracer(Writer& writer) : writer_(writer) {}
  void call(const Operator& op, const IValue* args, IValue* results) override;
  // The same without regard to no_grad: what is computed while gradients are off is not detached.
  void record(const Operator& op, const IValue* args, IValue* results);
  // A new handle on the tensor that is this node: where an operator returns its argument as it is, the result is a value of its own.
  Tensor alias(const Tensor& tensor, ir::Node* node);
  // What the function gets for a result: `node` is its value in the graph.
  IValue value_of(const IValue& result, ir::Node* node);

 private:
  void bind(const Operator& op, const IValue* args, ir::Node* node, IValue* results);
  void detach(const Operator& op, const IValue* args, IValue* results);
  Tensor renamed(const Operator& view, const Tensor& tensor, ir::Node* node);  // view(tensor), which is this node
  void reshape(const Operator& op, const IValue* args, IValue* results);
  void guard_length(ir::Node* list, int64_t n);
  Writer& writer_;
};

}  // namespace monograph::capture
