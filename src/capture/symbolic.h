// Symbolic capture: a function runs on tensors that are nodes; nothing is computed.
#pragma once

#include "capture/writer.h"

namespace monograph::capture {

// Appends a call to the graph of the active capture; its results are symbolic tensors and values.
void append_symbolic(Writer& writer, const Operator& op, const IValue* args, IValue* results);

// Takes every call of a scope, so that tensors made from nothing are nodes too.
class SymbolicTracer : public DispatchMode {
 public:
  explicit SymbolicTracer(Writer& writer) : writer_(writer) {}
  void call(const Operator& op, const IValue* args, IValue* results) override;

 private:
  Writer& writer_;
};

// Sets the hook of dispatch that receives symbolic tensors where no dispatch mode took the call before.
void install_symbolic_hook();

}  // namespace monograph::capture
