// Complex numbers put together from their parts: one pass, which writes both parts of each element.
#include "kernels/complex_parts.h"

#include "kernels/clones.h"
#include "kernels/walk.h"

namespace monograph {
namespace {

constexpr int64_t kComplexPartCost = 2;  // instructions for an element

// `out` is counted in complex numbers, whose parts lie side by side.
struct JoinParts {
  template <class T>
  [[gnu::always_inline]] static void run(T* out, int64_t out_step, const T* real, int64_t real_step, const T* imaginary,
                                         int64_t imaginary_step, int64_t n) {
    if (out_step == 1 && real_step == 1 && imaginary_step == 1)
      for (int64_t i = 0; i < n; ++i) out[2 * i] = real[i], out[2 * i + 1] = imaginary[i];
    else
      for (int64_t i = 0; i < n; ++i)
        out[2 * i * out_step] = real[i * real_step], out[2 * i * out_step + 1] = imaginary[i * imaginary_step];
  }
};

}  // namespace

KernelStatus complex_kernel(KernelCall& call) {
  auto join = [&](auto zero) {
    using T = decltype(zero);
    for_rows<3>({&call.results[0], &call.args[0].tensor, &call.args[1].tensor}, kComplexPartCost, [](const BroadcastRow<3>& r) {
      run_clone<JoinParts>(reinterpret_cast<T*>(r.first[0]), r.step[0], reinterpret_cast<const T*>(r.first[1]), r.step[1],
                           reinterpret_cast<const T*>(r.first[2]), r.step[2], r.n);
    });
  };
  if (call.args[0].tensor.dtype == DType::f32) join(float{});
  else join(double{});
  return KernelStatus::Ok;
}

}  // namespace monograph
