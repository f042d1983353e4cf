// The least work for which a thread is worth waking. Every kernel that shares its elements among threads uses it.
//
//   constexpr int64_t kCost = 4;  // instructions for an element
//   if (shares(kCost, rows * n)) parallel_for(0, rows, grain(kCost, n), ...);  // steps of n elements
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/threads/pool.h"

namespace monograph {

// The smallest number of elements for one thread, if each takes about `cost` instructions. Elements that take many instructions count by them alone.
constexpr int64_t least_elements(int64_t cost) {
  constexpr int64_t kTaskCost = 32768, kLeast = 4096, kMost = 32768;
  constexpr int64_t kHighCost = 32, kHighTaskCost = kHighCost * kLeast, kLeastOfHigh = 128;
  if (cost > kHighCost) return std::max(kHighTaskCost / cost, kLeastOfHigh);
  return std::clamp(kTaskCost / std::max<int64_t>(1, cost), kLeast, kMost);
}

// The same number counted in steps of `each` elements: the grain of a parallel_for over the steps.
constexpr int64_t grain(int64_t cost, int64_t each = 1) { return std::max<int64_t>(1, least_elements(cost) / std::max<int64_t>(1, each)); }

// Whether the pool has a second thread and this many elements are worth waking it.
inline bool shares(int64_t cost, int64_t elements) { return elements >= 2 * least_elements(cost) && num_threads() > 1; }

// Calls part(begin, end) for ranges of `count` steps of `each` elements: on several threads if shares(), else once for all steps.
template <class F>
void share_steps(int64_t cost, int64_t count, int64_t each, F&& part) {
  if (shares(cost, count * each)) parallel_for(0, count, grain(cost, each), part);
  else part(0, count);
}

// Copies n bytes, or sets them to zero, on several threads where it is worth waking them. The two regions do not overlap.
inline void share_copy(void* to, const void* from, int64_t n) {
  share_steps(1, n / 4 + 1, 1, [=](int64_t begin, int64_t end) {
    begin *= 4, end = std::min(4 * end, n);
    if (end > begin) std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, static_cast<size_t>(end - begin));
  });
}
inline void share_zeros(void* to, int64_t n) {
  share_steps(1, n / 4 + 1, 1, [=](int64_t begin, int64_t end) {
    begin *= 4, end = std::min(4 * end, n);
    if (end > begin) std::memset(static_cast<char*>(to) + begin, 0, static_cast<size_t>(end - begin));
  });
}

}  // namespace monograph
