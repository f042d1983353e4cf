// Integer division that rounds up.
#pragma once

#include <cstdint>

namespace monograph {

inline int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t round_up(int64_t a, int64_t b) { return divide_up(a, b) * b; }
// Divides n into the fewest parts of at most `most`, all nearly equal, and returns the size of the largest. 1 if n <= 0.
inline int64_t even_part(int64_t n, int64_t most) { return n <= 0 ? 1 : divide_up(n, divide_up(n, most < 1 ? 1 : most)); }

}  // namespace monograph
