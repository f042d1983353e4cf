// Each kernel passes the call's generator and arguments to a function of kernels/random.h.
#include "kernels/draws.h"

#include "core/generator.h"
#include "kernels/number.h"
#include "kernels/random.h"

namespace monograph {
namespace {

StridedView view_of(const KernelTensor& t) { return {t.dtype, t.data, t.dim, t.sizes, t.strides}; }

Generator& generator_of(const KernelCall& call) {
  for (size_t i = 0; i < call.arg_count; ++i)
    if (call.args[i].kind == KernelArg::Kind::Other && call.args[i].other) return *static_cast<Generator*>(call.args[i].other);
  return default_generator();
}

KernelStatus integers(const KernelCall& call, int64_t low, const KernelArg& high) {
  random_(view_of(call.results[0]), low, high.none() ? std::nullopt : std::optional(high.integer), generator_of(call));
  return KernelStatus::Ok;
}

}  // namespace

KernelStatus unit_uniform_kernel(KernelCall& call) {
  uniform_(view_of(call.results[0]), 0, 1, generator_of(call));
  return KernelStatus::Ok;
}
KernelStatus unit_normal_kernel(KernelCall& call) {
  normal_(view_of(call.results[0]), 0, 1, generator_of(call));
  return KernelStatus::Ok;
}
KernelStatus integers_below_kernel(KernelCall& call) { return integers(call, 0, call.args[0]); }
KernelStatus integers_between_kernel(KernelCall& call) { return integers(call, call.args[0].integer, call.args[1]); }
KernelStatus integers_below_like_kernel(KernelCall& call) { return integers(call, 0, call.args[1]); }
KernelStatus integers_like_kernel(KernelCall& call) { return integers(call, call.args[1].integer, call.args[2]); }
KernelStatus permutation_kernel(KernelCall& call) {
  randperm(view_of(call.results[0]), generator_of(call));
  return KernelStatus::Ok;
}
KernelStatus uniform_kernel(KernelCall& call) {
  uniform_(view_of(call.results[0]), real_of(call.args[1]), real_of(call.args[2]), generator_of(call));
  return KernelStatus::Ok;
}
KernelStatus normal_kernel(KernelCall& call) {
  normal_(view_of(call.results[0]), real_of(call.args[1]), real_of(call.args[2]), generator_of(call));
  return KernelStatus::Ok;
}
KernelStatus made_normal_kernel(KernelCall& call) {
  normal_(view_of(call.results[0]), real_of(call.args[0]), real_of(call.args[1]), generator_of(call));
  return KernelStatus::Ok;
}
KernelStatus exponential_kernel(KernelCall& call) {
  exponential_(view_of(call.results[0]), real_of(call.args[1]), generator_of(call));
  return KernelStatus::Ok;
}
KernelStatus any_integers_kernel(KernelCall& call) {
  random_(view_of(call.results[0]), generator_of(call));
  return KernelStatus::Ok;
}
KernelStatus bernoulli_kernel(KernelCall& call) {
  bernoulli_(view_of(call.results[0]), real_of(call.args[1]), generator_of(call));
  return KernelStatus::Ok;
}
KernelStatus bernoulli_by_element_kernel(KernelCall& call) {
  const StridedView p = view_of(call.args[0].tensor);
  if (const int64_t bad = first_outside_0_to_1(p); bad >= 0) return call.fail(0, 0, bad);
  bernoulli_(view_of(call.results[0]), p, generator_of(call));
  return KernelStatus::Ok;
}
KernelStatus geometric_kernel(KernelCall& call) {
  geometric_(view_of(call.results[0]), real_of(call.args[1]), generator_of(call));
  return KernelStatus::Ok;
}
KernelStatus cauchy_kernel(KernelCall& call) {
  cauchy_(view_of(call.results[0]), real_of(call.args[1]), real_of(call.args[2]), generator_of(call));
  return KernelStatus::Ok;
}
KernelStatus log_normal_kernel(KernelCall& call) {
  log_normal_(view_of(call.results[0]), real_of(call.args[1]), real_of(call.args[2]), generator_of(call));
  return KernelStatus::Ok;
}
KernelStatus poisson_kernel(KernelCall& call) {
  const StridedView rate = view_of(call.args[0].tensor);
  if (const int64_t bad = negative_rate(rate); bad >= 0) return call.fail(0, 0, bad);
  poisson(view_of(call.results[0]), rate, generator_of(call));
  return KernelStatus::Ok;
}
KernelStatus standard_gamma_kernel(KernelCall& call) {
  standard_gamma(view_of(call.results[0]), view_of(call.args[0].tensor), generator_of(call));
  return KernelStatus::Ok;
}
KernelStatus binomial_kernel(KernelCall& call) {
  const StridedView out = view_of(call.results[0]);
  int64_t strides[2][kMaxRandomDims];  // 0 if an argument broadcasts
  for (int k = 0; k < 2; ++k) {
    const KernelTensor& t = call.args[k].tensor;
    for (int32_t d = 0; d < out.ndim; ++d) {
      const int32_t own = d - (out.ndim - t.dim);
      strides[k][d] = own < 0 || t.sizes[own] == 1 ? 0 : t.strides[own];
    }
  }
  binomial(out, {out.dtype, call.args[0].tensor.data, out.ndim, out.sizes, strides[0]},
           {out.dtype, call.args[1].tensor.data, out.ndim, out.sizes, strides[1]}, generator_of(call));
  return KernelStatus::Ok;
}
KernelStatus multinomial_kernel(KernelCall& call) {
  const StridedView p = view_of(call.args[0].tensor);
  const WeightCheck verdict = check_multinomial_weights(p);
  if (verdict != WeightCheck::Good)
    return call.fail(0, 0, -1, verdict == WeightCheck::Bad ? KernelStatus::BadValue : KernelStatus::BadSecond);
  multinomial(view_of(call.results[0]), p, call.args[1].integer, call.args[2].boolean, generator_of(call), call.scratch);
  return KernelStatus::Ok;
}

}  // namespace monograph
