// What the benchmarks of generated kernels share: the time of this thread, new operands for each call, and the ways that are compared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
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

// One way to compute the same, and its times.
struct Contender {
  std::string name;
  bool library;
  std::function<void()> run;
  std::vector<double> seconds;
  double median() {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  }
};

}  // namespace monograph
