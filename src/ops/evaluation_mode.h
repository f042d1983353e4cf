// The hook of torch.utils._python_dispatch.TorchDispatchMode. Without a mode, the evaluation of an operator costs one more comparison.
#pragma once

#include <utility>

#include "ops/record.h"

namespace monograph {

// Evaluates the operator calls of its thread in the place of their kernels, below autograd. An operator that is made of others is not among them: its parts are.
// The mode takes itself away while it evaluates a call by others.
class EvaluationMode {
 public:
  virtual ~EvaluationMode() = default;
  virtual void run(const Operator& op, const IValue* args, IValue* results) = 0;

  // The mode of this thread, or null.
  static EvaluationMode* current() { return current_; }
  static EvaluationMode* set_current(EvaluationMode* mode) { return std::exchange(current_, mode); }

 private:
  [[gnu::tls_model("initial-exec")]] static thread_local constinit EvaluationMode* current_;
};

// Whether a value, as bind() gives it, is the default of the argument.
bool is_default(const ir::Argument& argument, const IValue& value);

}  // namespace monograph
