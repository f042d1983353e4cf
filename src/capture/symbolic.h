// Symbolic capture: a function runs on tensors that are only nodes. Nothing is computed.
#pragma once

#include "capture/writer.h"

namespace monograph::capture {

// Appends a call to the graph of the active capture; its results are symbolic tensors and values.
void append_symbolic(Writer& writer, const Operator& op, const IValue* args, IValue* results);

// A dispatch mode that records every call, so that tensors without tensor arguments (zeros, rand) are nodes too.
class SymbolicTracer : public DispatchMode {
 public:
  explicit SymbolicTracer(Writer& writer) : writer_(writer) {}
  void call(const Operator& op, const IValue* args, IValue* results) override;

 private:
  Writer& writer_;
};

// Sets the hook by which dispatch hands over calls with symbolic tensors that no dispatch mode has handled.
void install_symbolic_hook();

}  // namespace monograph::capture
