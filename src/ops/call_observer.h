// Hears of each call of an operator, and of each step of a backward pass, in the thread that it is set for: for profilers. It changes nothing about the
// calls. Where none is set, a call costs one comparison more.
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
  virtual void end() noexcept = 0;  // of the call or step that began last, also where it raised

  // The one of this thread, or null.
  static CallObserver* current() { return current_; }
  static CallObserver* set_current(CallObserver* observer) { return std::exchange(current_, observer); }

 private:
  [[gnu::tls_model("initial-exec")]] static thread_local constinit CallObserver* current_;
};

// Ends the call or step where its scope ends. Null: nobody hears of it.
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
