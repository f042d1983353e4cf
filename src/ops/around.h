// A tensor around one dim, for loops that walk along it.
#pragma once

#include "core/tensor.h"

namespace monograph {

// The sizes of a contiguous tensor as [outer, n, inner]; of one without dims all are 1.
struct Around {
  int64_t outer = 1, n = 1, inner = 1;
  Around(const Dims& sizes, size_t d) {
    for (size_t i = 0; i < sizes.size(); ++i) (i < d ? outer : i > d ? inner : n) *= sizes[i];
  }
  // Calls f(place of the row's first element) for every row; its elements lie `inner` apart.
  template <class F>
  void rows(F&& f) const {
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i) f(o * n * inner + i);
  }
};

}  // namespace monograph
