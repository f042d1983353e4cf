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
void share_rows(T* to, const T* self, const T* x, int64_t m, const T* y, int64_t n) {
  constexpr int64_t kCost = 2;  // instructions for an element
  share_steps(kCost, m, n, [&](int64_t begin, int64_t end) {
    run_clone<Rows>(to + begin * n, self ? self + begin * n : nullptr, x + begin, end - begin, y, n);
  });
}

}  // namespace

void outer_products(float* to, const float* self, const float* x, int64_t m, const float* y, int64_t n) {
  share_rows(to, self, x, m, y, n);
}
void outer_products(double* to, const double* self, const double* x, int64_t m, const double* y, int64_t n) {
  share_rows(to, self, x, m, y, n);
}

}  // namespace monograph
