// Integer division that rounds up, and splitting into nearly equal parts.
#pragma once

#include <algorithm>
#include <cstdint>

namespace monograph {

constexpr int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t round_up(int64_t a, int64_t b) { return divide_up(a, b) * b; }

// Divides n into the fewest nearly equal parts of at most `most`, and returns the size of the largest, rounded up to a multiple of `unit`. `unit` if n <= 0.
constexpr int64_t even_part(int64_t n, int64_t most, int64_t unit = 1) {
  return n <= 0 ? unit : round_up(divide_up(n, divide_up(n, std::max<int64_t>(most, 1))), unit);
}

// n elements in `parts` parts whose sizes differ by at most one, the larger ones first: 7 in 3 parts are [0, 3), [3, 5), [5, 7).
struct EqualParts {
  constexpr EqualParts(int64_t n, int64_t parts) : least(n / parts), larger(n % parts) {}
  // Part k is [begin(k), begin(k + 1)).
  constexpr int64_t begin(int64_t k) const { return k * least + std::min(k, larger); }
  constexpr int64_t size(int64_t k) const { return least + (k < larger); }

  int64_t least, larger;  // the size of the smaller parts, and the number of parts with one element more
};

}  // namespace monograph
