// Whole numbers of pieces.
#pragma once

#include <cstdint>

namespace monograph {

inline int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t round_up(int64_t a, int64_t b) { return divide_up(a, b) * b; }
// The size of each of ceil(n / most) nearly equal parts of n; 1 where there is nothing.
inline int64_t even_part(int64_t n, int64_t most) { return n <= 0 ? 1 : divide_up(n, divide_up(n, most < 1 ? 1 : most)); }

}  // namespace monograph
