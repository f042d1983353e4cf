// What the benchmarks of generated kernels share: the time of this thread, and new operands for each call.
#pragma once

#include <cstdint>
#include <ctime>
#include <vector>

namespace monograph {

// Seconds of processor time that this thread has used.
inline double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Fills v with numbers in [-1, 1), others at each call.
inline void refill(std::vector<float>& v) {
  static uint64_t state = 88172645463325252u;
  for (float& x : v) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    x = static_cast<float>(static_cast<int64_t>(state) >> 40) * 0x1p-23f;
  }
}

}  // namespace monograph
