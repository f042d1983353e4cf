// Rows are first copied, with zeros behind them up to a multiple of kWidth elements, unless they have such a length. The kInnerLanes partial results of a
// distance are kept in vectors of eight. The zeros after a row change no result.
#include "kernels/distances.h"

#include <cmath>
#include <cstring>

#include "kernels/clones.h"
#include "kernels/grain.h"
#include "kernels/number.h"
#include "kernels/round.h"
#include "kernels/row_sum.h"
#include "kernels/vector_types.h"
#include "kernels/workspace.h"

namespace monograph {
namespace {

constexpr int64_t kWidth = 8, kVectors = kInnerLanes / kWidth;

// One row beside several others.
template <DistanceNorm kNorm, class T>
struct Distances {
  using V = Vector<T, kWidth * sizeof(T)>;
  [[gnu::always_inline]] static void load(V& v, const T* from) { std::memcpy(&v, from, sizeof v); }
  // The larger of both; NaN if one is NaN.
  [[gnu::always_inline]] static void join(V& sum, const V& x) {
    if constexpr (kNorm == DistanceNorm::Largest) sum = ((x > sum) | (x != x)) ? x : sum;
    else sum += x;
  }
  [[gnu::always_inline]] static T joined(T a, T b) {
    if constexpr (kNorm == DistanceNorm::Largest) return ((b > a) | (b != b)) ? b : a;
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

// Rows of float or double elements. Row r begins at data + r * step. Behind a row are zeros up to `step` elements, a multiple of kWidth.
template <class T>
struct PaddedRows {
  const T* data;
  int64_t step;
  const T* row(int64_t r) const { return data + r * step; }
};

// The rows of a contiguous matrix, copied into the workspace if they need zeros behind them.
template <class T>
PaddedRows<T> padded_rows(const KernelTensor& x, Workspace& workspace) {
  const int64_t rows = x.sizes[0], n = x.sizes[1], step = round_up(n, kWidth);
  if (step == n) return {x.as<const T>(), step};
  T* to = workspace.take<T>(rows * step);
  const T* from = x.as<const T>();
  for (int64_t r = 0; r < rows; ++r) {
    std::memcpy(to + r * step, from + r * n, static_cast<size_t>(n) * sizeof(T));
    std::memset(to + r * step + n, 0, static_cast<size_t>(step - n) * sizeof(T));
  }
  return {to, step};
}

// to[k] = the distance of `row` from row begin + k of `rows`, for k = 0 .. count - 1. A row has at most kInnerBlock elements.
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

template <class T>
void distances_of_two(KernelCall& call, DistanceNorm norm) {
  const KernelTensor &x = call.args[0].tensor, &y = call.args[1].tensor;
  Workspace workspace(call.scratch);
  const PaddedRows<T> rows = padded_rows<T>(x, workspace), others = padded_rows<T>(y, workspace);
  const int64_t count = y.sizes[0];
  T* to = call.results[0].as<T>();
  share_steps(1, x.sizes[0], count * rows.step, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) row_distances(norm, rows.row(i), others, 0, count, to + i * count);
  });
}

template <class T>
void distances_of_pairs(KernelCall& call, DistanceNorm norm) {
  const KernelTensor& x = call.args[0].tensor;
  Workspace workspace(call.scratch);
  const PaddedRows<T> rows = padded_rows<T>(x, workspace);
  const int64_t n = x.sizes[0];
  T* to = call.results[0].as<T>();
  // Row i has n - 1 - i distances, which stand behind those of the rows before it.
  share_steps(1, n - 1, n * rows.step / 2, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) row_distances(norm, rows.row(i), rows, i + 1, n - 1 - i, to + i * (2 * n - i - 1) / 2);
  });
}

}  // namespace

std::optional<DistanceNorm> distance_norm(DType type, int64_t n, double p) {
  if ((type != DType::f32 && type != DType::f64) || n == 0 || n > kInnerBlock) return {};
  if (p == 0) return DistanceNorm::CountNonzero;
  if (p == 1) return DistanceNorm::Sum;
  if (p == 2) return DistanceNorm::Root;
  return p == HUGE_VAL ? std::optional(DistanceNorm::Largest) : std::nullopt;
}

int64_t distance_scratch(DType type, int64_t rows, int64_t n) {
  constexpr int64_t kMatrices = 2, kAlignment = 64;
  return rows * round_up(n, kWidth) * element_size(type) + kMatrices * kAlignment;
}

KernelStatus cdist_kernel(KernelCall& call) {
  const KernelTensor& x = call.args[0].tensor;
  const DistanceNorm norm = *distance_norm(x.dtype, x.sizes[1], real_of(call.args[2]));
  if (x.dtype == DType::f32) distances_of_two<float>(call, norm);
  else distances_of_two<double>(call, norm);
  return KernelStatus::Ok;
}

KernelStatus pdist_kernel(KernelCall& call) {
  const KernelTensor& x = call.args[0].tensor;
  const DistanceNorm norm = *distance_norm(x.dtype, x.sizes[1], real_of(call.args[1]));
  if (x.dtype == DType::f32) distances_of_pairs<float>(call, norm);
  else distances_of_pairs<double>(call, norm);
  return KernelStatus::Ok;
}

}  // namespace monograph
