// Threads share the rows.
#include "kernels/outer_products.h"

#include "kernels/clones.h"
#include "kernels/grain.h"

namespace monograph {
namespace {

struct Rows {
  template <class T>
  [[gnu::always_inline]] static void run(T* __restrict to, const T* __restrict self, const T* __restrict x, int64_t m,
                                         const T* __restrict y, int64_t n) {
    for (int64_t i = 0; i < m; ++i, to += n) {
      const T factor = x[i];
      if (!self)
        for (int64_t j = 0; j < n; ++j) to[j] = factor * y[j];
      else
        for (int64_t j = 0; j < n; ++j) to[j] = factor * y[j] + self[i * n + j];
    }
  }
};

template <class T>
void share_rows(T* to, const KernelTensor* added, const KernelTensor& vector, const KernelTensor& other) {
  const T *self = added ? added->as<const T>() : nullptr, *x = vector.as<const T>(), *y = other.as<const T>();
  const int64_t m = vector.sizes[0], n = other.sizes[0];
  constexpr int64_t kCost = 2;  // instructions for an element
  share_steps(kCost, m, n, [&](int64_t begin, int64_t end) {
    run_clone<Rows>(to + begin * n, self ? self + begin * n : nullptr, x + begin, end - begin, y, n);
  });
}

// The outer product of arguments first and first + 1, plus `added` if it is not null.
KernelStatus outer_products(KernelCall& call, size_t first, const KernelTensor* added) {
  const KernelTensor &x = call.args[first].tensor, &y = call.args[first + 1].tensor, &out = call.results[0];
  if (out.dtype == DType::f32) share_rows(out.as<float>(), added, x, y);
  else share_rows(out.as<double>(), added, x, y);
  return KernelStatus::Ok;
}

}  // namespace

KernelStatus outer_kernel(KernelCall& call) { return outer_products(call, 0, nullptr); }
KernelStatus addr_kernel(KernelCall& call) { return outer_products(call, 1, &call.args[0].tensor); }

}  // namespace monograph
