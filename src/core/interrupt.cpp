// Calls the interrupt check (Ctrl-C in Python) at most every 50 ms. Reading the clock is cheaper than taking Python's lock, which the check needs.
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
  constexpr int64_t kInterval = 50'000'000;  // ns
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);  // a few ns
  const int64_t ns = now.tv_sec * 1'000'000'000 + now.tv_nsec;
  if (asked_ == 0) asked_ = ns;
  if (ns - asked_ < kInterval) return;
  asked_ = ns;
  g_interrupt_check(what_);
}

void interrupt_point() {
  static thread_local InterruptClock clock(AtInterrupt::OnlyLook);
  clock.tick();
}

}  // namespace monograph
