// Whole numbers of pieces.
#pragma once

#include <cstdint>

namespace monograph {

inline int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t round_up(int64_t a, int64_t b) { return divide_up(a, b) * b; }

}  // namespace monograph
