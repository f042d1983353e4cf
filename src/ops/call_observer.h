// The hook for profilers. An observer is told of each operator call and of each step of a backward pass in its thread. It does not change the calls. Without an
// observer, a call costs one more comparison.
#pragma once

#include <string>
#include <utility>

#include "ops/record.h"

namespace monograph {

class CallObserver {
 public:
  virtual ~CallObserver() = default;
  virtual void begin(const Operator& op, const IValue* args) = 0;
  virtual void begin(std::string step) = 0;  // "MulBackward0"
  virtual void read(const Tensor&) {}  // Python reads the elements of a tensor as numbers
  virtual void end() noexcept = 0;  // the call or step that began last has ended, or raised an error

  // The observer of this thread, or null.
  static CallObserver* current() { return current_; }
  static CallObserver* set_current(CallObserver* observer) { return std::exchange(current_, observer); }

 private:
  [[gnu::tls_model("initial-exec")]] static thread_local constinit CallObserver* current_;
};

// Tells the observer at the end of a scope that the call or step has ended. `observer` may be null.
class ObservedScope {
 public:
  explicit ObservedScope(CallObserver* observer) : observer_(observer) {}
  ~ObservedScope() {
    if (observer_) observer_->end();
  }
  ObservedScope(const ObservedScope&) = delete;

 private:
  CallObserver* observer_;
};

}  // namespace monograph
