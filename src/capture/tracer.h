// Tracing: runs a function once on example values and records every operator call.
#pragma once

#include "capture/writer.h"

namespace monograph::capture {

// The value with the example's values in place of symbolic parts, so that the operator can run on it.
IValue example(const Operator& op, const IValue& value);

// For a call that changes the sizes of argument 0 in place (t_, squeeze_); `self` is its node. Error if it cannot be recorded as a view.
void check_reshaped(const Operator& op, const Writer& writer, const ir::Node* self);

// Error if the call writes to a tensor that belongs neither to the graph nor to a module of the function.
void check_writes(const Writer& writer, const Operator& op, const IValue* args);

// A dispatch mode that runs each call on the example and appends it to the graph. A tensor's node is found by the identity of the tensor. Numbers and lists
// that operators return are symbolic, with the example's value as a hint; demand() turns them into guards. In-place calls are recorded as they are: the
// written tensor keeps its node, and the order of nodes says which reads see the write.
class Tracer : public DispatchMode {
 public:
  explicit Tracer(Writer& writer) : writer_(writer) {}
  void call(const Operator& op, const IValue* args, IValue* results) override;
  // The same, but results computed under no_grad are not detached.
  void record(const Operator& op, const IValue* args, IValue* results);
  // A new Tensor object for this node with the same memory. It is needed where an operator returns its argument: the result is another node.
  Tensor alias(const Tensor& tensor, ir::Node* node);
  // The value that the function gets for a result whose value in the graph is `node`.
  IValue value_of(const IValue& result, ir::Node* node);

 private:
  void bind(const Operator& op, const IValue* args, ir::Node* node, IValue* results);
  void detach(const Operator& op, const IValue* args, IValue* results);
  void record_write(const Operator& op, const IValue* args, IValue* results);
  Tensor renamed(const Operator& view, const Tensor& tensor, ir::Node* node);  // view(tensor), bound to this node
  void reshape(const Operator& op, const IValue* args, IValue* results);
  void guard_length(ir::Node* list, int64_t n);
  Writer& writer_;
};

}  // namespace monograph::capture
