// Ending long work from outside: Ctrl-C while a graph's loop runs, while a function is captured, or while a pass works on a large graph.
#pragma once

#include <cstdint>

namespace monograph {

// What the work may do while it asks.
enum class AtInterrupt : uint8_t {
  LetOthersRun,  // other threads may run: nothing that they could change is half read
  OnlyLook,  // no waiting: the work may hold a lock
};

// `check` is called several times a second; it throws where the work is to end. Set once, before any of it.
void set_interrupt_check(void (*check)(AtInterrupt));

// Of one piece of work. tick() is called after each step, and asks for interrupts every 50 ms.
class InterruptClock {
 public:
  static constexpr int kTicks = 64;  // steps, of which most take a microsecond at most
  explicit InterruptClock(AtInterrupt what = AtInterrupt::LetOthersRun) : what_(what) {}
  int ticks = 0;
  void tick() {
    if (++ticks >= kTicks) ask();
  }
  void soon() { ticks = kTicks; }  // the next tick looks at the clock: the step may have been a long one

 private:
  void ask();
  AtInterrupt what_;
  int64_t asked_ = 0;  // when the check was called last
};

// Stands in the loops over all nodes of a graph. What has begun there is dropped when it throws, so it stands where nothing is half changed.
void interrupt_point();

}  // namespace monograph
