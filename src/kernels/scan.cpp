// A tensor is [outer, n, inner] around the dim. If inner is 1, a few rows are computed together, so that one row's addition need not wait for another's.
// Else the rows of a block of columns are added, in vectors.
#include "kernels/scan.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "core/threads/pool.h"
#include "kernels/grain.h"
#include "kernels/variants.h"

namespace monograph {
namespace {

constexpr int64_t kScanCost = 2;  // instructions for each element that is added
constexpr int kChains =
    4;  // rows of floats computed together: with more, the lines read and written may not all fit in one set of the first-level cache
constexpr int64_t kColumns = 256;  // columns of a block

// The type in which a row is accumulated.
template <class T> struct AccumulateTypeOf {
  using type = T;
};
template <> struct AccumulateTypeOf<half> {
  using type = float;
};
template <> struct AccumulateTypeOf<bfloat16> {
  using type = float;
};
template <> struct AccumulateTypeOf<float> {
  using type = double;
};
template <> struct AccumulateTypeOf<std::complex<float>> {
  using type = std::complex<double>;
};
template <class T> using AccumulateType = typename AccumulateTypeOf<T>::type;
template <class T> constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <bool kProduct, class W>
[[gnu::always_inline]] inline W link(W a, W b) {
  if constexpr (std::is_integral_v<W>) {  // integers wrap
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    return static_cast<W>(kProduct ? x * y : x + y);
  } else if constexpr (!kProduct) {
    return a + b;
  } else if constexpr (kIsComplex<W>) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  } else {
    return a * b;
  }
}
template <class T>
[[gnu::always_inline]] inline T narrow(AccumulateType<T> x) {
  if constexpr (std::is_same_v<AccumulateType<T>, float>) return T(x);
  else return static_cast<T>(x);
}

// Scans kRows rows, `stride` elements apart.
template <class T, bool kProduct, int kRows>
void scan_rows(T* __restrict out, const T* __restrict x, int64_t n, int64_t stride) {
  AccumulateType<T> chain[kRows];
  for (AccumulateType<T>& c : chain) c = static_cast<AccumulateType<T>>(kProduct ? 1 : 0);
  for (int64_t i = 0; i < n; ++i)
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      chain[r] = link<kProduct>(chain[r], static_cast<AccumulateType<T>>(x[r * stride + i]));
      out[r * stride + i] = narrow<T>(chain[r]);
    }
}

// Scans `columns` columns (at most kColumns) whose rows are `inner` elements apart.
template <class T, bool kProduct>
[[gnu::always_inline]] inline void columns_loop(T* __restrict out, const T* __restrict x, int64_t n, int64_t inner, int64_t columns) {
  AccumulateType<T> chain[kColumns];
  for (int64_t j = 0; j < columns; ++j) chain[j] = static_cast<AccumulateType<T>>(kProduct ? 1 : 0);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      chain[j] = link<kProduct>(chain[j], static_cast<AccumulateType<T>>(x[i * inner + j]));
      out[i * inner + j] = narrow<T>(chain[j]);
    }
}
template <class T>
[[gnu::always_inline]] inline void either_columns(bool product, T* out, const T* x, int64_t n, int64_t inner, int64_t columns) {
  product ? columns_loop<T, true>(out, x, n, inner, columns) : columns_loop<T, false>(out, x, n, inner, columns);
}
MONOGRAPH_TEMPLATE_VARIANTS((template <class T>), scan_columns, either_columns,
                            (bool product, T* out, const T* x, int64_t n, int64_t inner, int64_t columns),
                            (product, out, x, n, inner, columns))

// The sizes before, of and after a dim; all are 1 for a tensor without dims.
struct ScanSizes {
  int64_t outer = 1, n = 1, inner = 1;
  ScanSizes(const KernelTensor& t, int64_t dim) {
    for (int32_t d = 0; d < t.dim; ++d) (d < dim ? outer : d > dim ? inner : n) *= t.sizes[d];
  }
};

template <class T, bool kProduct>
void scan(T* out, const T* x, const ScanSizes& s) {
  if (s.inner == 1) {
    constexpr int kTogether = std::is_integral_v<T> ? 1 : kChains;
    const int64_t groups = (s.outer + kTogether - 1) / kTogether;
    parallel_for(0, groups, grain(kScanCost, s.n * kTogether), [&](int64_t begin, int64_t end) {
      int64_t row = begin * kTogether;
      const int64_t stop = std::min(end * kTogether, s.outer);
      for (; row + kTogether <= stop; row += kTogether) scan_rows<T, kProduct, kTogether>(out + row * s.n, x + row * s.n, s.n, s.n);
      for (; row < stop; ++row) scan_rows<T, kProduct, 1>(out + row * s.n, x + row * s.n, s.n, s.n);
    });
    return;
  }
  const int64_t blocks = (s.inner + kColumns - 1) / kColumns, each = s.n * std::min(s.inner, kColumns);
  parallel_for(0, s.outer * blocks, grain(kScanCost, each), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const int64_t column = b % blocks * kColumns, first = b / blocks * s.n * s.inner + column;
      scan_columns(kProduct, out + first, x + first, s.n, s.inner, std::min(kColumns, s.inner - column));
    }
  });
}

template <bool kProduct>
KernelStatus scan_kernel(KernelCall& call) {
  const KernelTensor &x = call.args[0].tensor, &out = call.results[0];
  const ScanSizes s(x, call.args[1].integer);
  if (s.outer * s.n * s.inner == 0) return KernelStatus::Ok;
  dispatch(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    scan<T, kProduct>(out.as<T>(), x.as<T>(), s);
  });
  return KernelStatus::Ok;
}

// Goes backwards along the row; the gradient by the product so far is accumulated, then multiplied by the factor. It does not divide by the factor, so it is
// right for zeros, too: a product with another zero factor adds nothing to a gradient.
template <class T>
void product_gradient(T* out, const T* grad, const T* x, const T* y, int64_t n, int64_t step) {
  using W = AccumulateType<T>;
  int64_t zero = 0;
  while (zero < n && static_cast<W>(x[zero * step]) != 0) ++zero;
  W reaching = 0;
  for (int64_t i = n; i-- > 0;) {
    const W factor = static_cast<W>(x[i * step]), before = i ? static_cast<W>(y[(i - 1) * step]) : W(1);
    reaching += static_cast<W>(grad[i * step]);
    out[i * step] = T(i > zero ? W(0) : reaching * before);
    reaching = factor == 0 ? W(0) : reaching * factor;
  }
}

template <class T>
void product_gradients(KernelCall& call) {
  const KernelTensor &grad = call.args[0].tensor, &x = call.args[1].tensor, &y = call.args[3].tensor, &out = call.results[0];
  const ScanSizes s(x, call.args[2].integer);
  if (s.n == 0) return;
  parallel_for(0, s.outer * s.inner, grain(kScanCost, s.n), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t first = row / s.inner * s.n * s.inner + row % s.inner;
      product_gradient(out.as<T>() + first, grad.as<T>() + first, x.as<T>() + first, y.as<T>() + first, s.n, s.inner);
    }
  });
}

// log(exp(x) + exp(sum)); NaN if one is NaN, as in PyTorch.
template <class W>
W joined(W x, W sum) {
  const W least = std::isnan(sum) ? sum : std::min(x, sum), most = std::isnan(sum) ? sum : std::max(x, sum);
  if (least == most && !std::isfinite(least)) return x;
  return std::log1p(std::exp(least - most)) + most;
}

template <class T>
void log_sums(const KernelCall& call) {
  using W = AccumulateType<T>;
  constexpr int64_t kExponentials = 60;  // instructions for an element
  const KernelTensor &x = call.args[0].tensor, &out = call.results[0];
  const ScanSizes s(x, call.args[1].integer);
  if (s.n == 0) return;
  parallel_for(0, s.outer * s.inner, grain(kExponentials, s.n), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t first = row / s.inner * s.n * s.inner + row % s.inner;
      W sum = -std::numeric_limits<W>::infinity();
      for (int64_t i = 0; i < s.n; ++i) {
        sum = joined(static_cast<W>(x.as<T>()[first + i * s.inner]), sum);
        out.as<T>()[first + i * s.inner] = narrow<T>(sum);
      }
    }
  });
}

}  // namespace

KernelStatus logcumsumexp_kernel(KernelCall& call) {
  switch (call.args[0].tensor.dtype) {
    case DType::f16: log_sums<half>(call); break;
    case DType::bf16: log_sums<bfloat16>(call); break;
    case DType::f32: log_sums<float>(call); break;
    default: log_sums<double>(call);
  }
  return KernelStatus::Ok;
}

KernelStatus cumsum_kernel(KernelCall& call) { return scan_kernel<false>(call); }
KernelStatus cumprod_kernel(KernelCall& call) { return scan_kernel<true>(call); }

KernelStatus cumprod_backward_kernel(KernelCall& call) {
  switch (call.args[0].tensor.dtype) {
    case DType::f16: product_gradients<half>(call); break;
    case DType::bf16: product_gradients<bfloat16>(call); break;
    case DType::f32: product_gradients<float>(call); break;
    default: product_gradients<double>(call);
  }
  return KernelStatus::Ok;
}

}  // namespace monograph
