// Distances between the rows of matrices (cdist, pdist), with the bits of a generated reduction of the differences (docs/numerics.md).
#pragma once

#include <cstdint>

namespace monograph {

// Rows of float or double elements. Row r begins at data + r * step. A row is padded with zeros up to `step` elements, which is a multiple of kDistancePadding.
constexpr int64_t kDistancePadding = 8;
template <class T>
struct PaddedRows {
  const T* data;
  int64_t step;
  const T* row(int64_t r) const { return data + r * step; }
};

// The order of the norm of a difference.
enum class DistanceNorm : uint8_t { CountNonzero, Sum, Root, Largest };  // 0, 1, 2 and infinity

// to[k] = the distance of `row` from row begin + k of `rows`, for k = 0 .. count - 1. A row has at most kInnerBlock elements.
template <class T>
void row_distances(DistanceNorm norm, const T* row, const PaddedRows<T>& rows, int64_t begin, int64_t count, T* to);

extern template void row_distances(DistanceNorm, const float*, const PaddedRows<float>&, int64_t, int64_t, float*);
extern template void row_distances(DistanceNorm, const double*, const PaddedRows<double>&, int64_t, int64_t, double*);

}  // namespace monograph
