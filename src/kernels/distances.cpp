// The kInnerLanes partial results of a distance are kept in vectors of eight. The zeros after a row change no result.
#include "kernels/distances.h"

#include <cmath>
#include <cstring>

#include "kernels/body.h"
#include "kernels/clones.h"

namespace monograph {
namespace {

constexpr int64_t kWidth = kDistancePadding, kVectors = kInnerLanes / kWidth;
template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  using Type = float __attribute__((vector_size(4 * kWidth)));
};
template <>
struct VectorOf<double> {
  using Type = double __attribute__((vector_size(8 * kWidth)));
};

// One row beside several others.
template <DistanceNorm kNorm, class T>
struct Distances {
  using V = typename VectorOf<T>::Type;
  [[gnu::always_inline]] static void load(V& v, const T* from) { std::memcpy(&v, from, sizeof v); }
  // The larger of both; NaN if one is NaN.
  [[gnu::always_inline]] static void join(V& sum, const V& x) {
    if constexpr (kNorm == DistanceNorm::Largest) sum = (x > sum) | (x != x) ? x : sum;
    else sum += x;
  }
  [[gnu::always_inline]] static T joined(T a, T b) {
    if constexpr (kNorm == DistanceNorm::Largest) return (b > a) | (b != b) ? b : a;
    else return a + b;
  }
  [[gnu::always_inline]] static void term(V& d, const T* a, const T* b) {
    V y;
    load(d, a), load(y, b);
    d -= y;
    if constexpr (kNorm == DistanceNorm::Root) d *= d;
    else if constexpr (kNorm == DistanceNorm::CountNonzero) d = d != V{} ? V{} + T(1) : V{};
    else d = d > V{} ? d : V{} - d;  // the absolute value, which is never -0
  }
  [[gnu::always_inline]] static T finish(const V& v) {
    const T a = joined(v[0], v[4]), b = joined(v[1], v[5]), c = joined(v[2], v[6]), d = joined(v[3], v[7]);
    const T all = joined(joined(a, c), joined(b, d));
    if constexpr (kNorm == DistanceNorm::Root) return std::sqrt(all);
    else return all;
  }
  // The distance of two rows of `vectors` vectors.
  [[gnu::always_inline]] static T distance(const T* a, const T* b, int64_t vectors) {
    V d;
    if (vectors == 1) return term(d, a, b), finish(d);
    V sums[kVectors] = {};
    int64_t v = 0;
    for (; v + kVectors <= vectors; v += kVectors) {
#pragma GCC unroll 8
      for (int64_t u = 0; u < kVectors; ++u) term(d, a + (v + u) * kWidth, b + (v + u) * kWidth), join(sums[u], d);
    }
#pragma GCC unroll 8
    for (int64_t u = 0; u < kVectors; ++u) {
      if (v + u >= vectors) break;
      term(d, a + (v + u) * kWidth, b + (v + u) * kWidth), join(sums[u], d);
    }
#pragma GCC unroll 4
    for (int64_t half = kVectors / 2; half > 0; half /= 2)
      for (int64_t u = 0; u < half; ++u) join(sums[u], sums[u + half]);
    return finish(sums[0]);
  }
  [[gnu::always_inline]] static void run(const T* row, const T* others, int64_t step, int64_t count, T* to) {
    for (int64_t k = 0; k < count; ++k) to[k] = distance(row, others + k * step, step / kWidth);
  }
};

}  // namespace

template <class T>
void row_distances(DistanceNorm norm, const T* row, const PaddedRows<T>& rows, int64_t begin, int64_t count, T* to) {
  const T* others = rows.row(begin);
  switch (norm) {
    case DistanceNorm::CountNonzero: return run_clone<Distances<DistanceNorm::CountNonzero, T>>(row, others, rows.step, count, to);
    case DistanceNorm::Sum: return run_clone<Distances<DistanceNorm::Sum, T>>(row, others, rows.step, count, to);
    case DistanceNorm::Root: return run_clone<Distances<DistanceNorm::Root, T>>(row, others, rows.step, count, to);
    case DistanceNorm::Largest: return run_clone<Distances<DistanceNorm::Largest, T>>(row, others, rows.step, count, to);
  }
}

template void row_distances(DistanceNorm, const float*, const PaddedRows<float>&, int64_t, int64_t, float*);
template void row_distances(DistanceNorm, const double*, const PaddedRows<double>&, int64_t, int64_t, double*);

}  // namespace monograph
