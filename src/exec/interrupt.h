// Ending a run from outside: Ctrl-C while a graph's loop runs, or while a function is captured.
#pragma once

#include <cstdint>

namespace monograph::exec {

// `check` is called several times a second; it throws where the run is to end. Set once, before any run.
void set_interrupt_check(void (*check)());

// Of one run. tick() is called after each step, and asks for interrupts every 50 ms.
class InterruptClock {
 public:
  static constexpr int kTicks = 64;  // steps, of which most take a microsecond at most
  int ticks = 0;
  void tick() {
    if (++ticks >= kTicks) ask();
  }
  void soon() { ticks = kTicks; }  // the next tick looks at the clock: the step may have been a long one

 private:
  void ask();
  int64_t asked_ = 0;  // when the check was called last
};

}  // namespace monograph::exec
