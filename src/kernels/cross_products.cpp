// Threads share the vectors. The three coordinates of a vector are written at once.
#include "kernels/cross_products.h"

#include <type_traits>

#include "kernels/clones.h"
#include "kernels/element_types.h"
#include "kernels/grain.h"

namespace monograph {
namespace {

struct CrossRows {
  template <class T>
  [[gnu::always_inline]] static void run(T* __restrict to, const T* __restrict a, const T* __restrict b, int64_t count, int64_t inner) {
    for (int64_t v = 0; v < count; ++v, to += 3 * inner, a += 3 * inner, b += 3 * inner) {
      const T *x = a, *y = a + inner, *z = a + 2 * inner, *u = b, *w = b + inner, *t = b + 2 * inner;
      for (int64_t i = 0; i < inner; ++i) {
        to[i] = y[i] * t[i] - z[i] * w[i];
        to[inner + i] = z[i] * u[i] - x[i] * t[i];
        to[2 * inner + i] = x[i] * w[i] - y[i] * u[i];
      }
    }
  }
};

template <class T>
void share_vectors(void* to, const void* a, const void* b, int64_t outer, int64_t inner) {
  using W = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;  // integers wrap
  constexpr int64_t kCost = 4;  // instructions for an element
  share_steps(kCost, outer, 3 * inner, [&](int64_t begin, int64_t end) {
    const int64_t at = 3 * inner * begin;
    run_clone<CrossRows>(static_cast<W*>(to) + at, static_cast<const W*>(a) + at, static_cast<const W*>(b) + at, end - begin, inner);
  });
}

}  // namespace

KernelStatus linalg_cross_kernel(KernelCall& call) {
  const KernelTensor &a = call.args[0].tensor, &b = call.args[1].tensor, &out = call.results[0];
  const int64_t dim = call.args[2].integer;
  int64_t outer = 1, inner = 1;
  for (int32_t d = 0; d < out.dim; ++d)
    if (d != dim) (d < dim ? outer : inner) *= out.sizes[d];
  switch (out.dtype) {
    case DType::f32: share_vectors<float>(out.data, a.data, b.data, outer, inner); break;
    case DType::f64: share_vectors<double>(out.data, a.data, b.data, outer, inner); break;
    case DType::i64: share_vectors<int64_t>(out.data, a.data, b.data, outer, inner); break;
    default: share_vectors<int32_t>(out.data, a.data, b.data, outer, inner); break;
  }
  return KernelStatus::Ok;
}

}  // namespace monograph
