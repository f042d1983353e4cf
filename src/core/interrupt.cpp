// Asks for interrupts by the clock, which is cheaper to read than the lock of Python is to take.
#include "core/interrupt.h"

#include <ctime>

namespace monograph {
namespace {
void (*g_interrupt_check)(AtInterrupt) = nullptr;
}

void set_interrupt_check(void (*check)(AtInterrupt)) { g_interrupt_check = check; }

void InterruptClock::ask() {
  ticks = 0;
  if (!g_interrupt_check) return;
  constexpr int64_t kEvery = 50'000'000;  // ns
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);  // a few ns
  const int64_t ns = now.tv_sec * 1'000'000'000 + now.tv_nsec;
  if (asked_ == 0) asked_ = ns;
  if (ns - asked_ < kEvery) return;
  asked_ = ns;
  g_interrupt_check(what_);
}

void interrupt_point() {
  static thread_local InterruptClock clock(AtInterrupt::OnlyLook);
  clock.tick();
}

}  // namespace monograph
