// How much work a thread takes at least: below that, waking another thread costs more than it saves. Every kernel that shares elements asks here.
//
//   constexpr int64_t kCost = 4;  // instructions for an element
//   if (shares(kCost, rows * n)) parallel_for(0, rows, grain(kCost, n), ...);  // steps of n elements
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/threads/pool.h"

namespace monograph {

// Elements that one thread takes at least, where each costs about `cost` instructions.
constexpr int64_t least_elements(int64_t cost) {
  constexpr int64_t kTaskCost = 65536, kLeast = 8192, kMost = 32768;
  return std::clamp(kTaskCost / std::max<int64_t>(1, cost), kLeast, kMost);
}

// The same in steps of `each` elements: the grain of a parallel_for over the steps.
constexpr int64_t grain(int64_t cost, int64_t each = 1) { return std::max<int64_t>(1, least_elements(cost) / std::max<int64_t>(1, each)); }

// Whether so many elements are worth a second thread, and there is one.
inline bool shares(int64_t cost, int64_t elements) { return elements >= 2 * least_elements(cost) && num_threads() > 1; }

// Calls part(begin, end) for pieces of `count` steps of `each` elements: one piece, unless they are worth a second thread.
template <class F>
void share_steps(int64_t cost, int64_t count, int64_t each, F&& part) {
  if (shares(cost, count * each)) parallel_for(0, count, grain(cost, each), part);
  else part(0, count);
}

}  // namespace monograph
