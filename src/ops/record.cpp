#include "ops/record.h"

namespace monograph {

void GradCall::check(const Tensor& t, uint32_t version) const {
  MONOGRAPH_CHECK(t.version() == version, Runtime, "[", op.name(),
                  "] one of the variables needed for gradient computation has been modified by an inplace operation: a tensor of size ",
                  to_string(t.sizes()), " is at version ", t.version(), "; expected version ", version,
                  " instead. Use the form without the underscore, or write into a clone()");
}

const IValue& GradCall::value(size_t i) const {
  const IValue& v = saved_.args[i];
  if (v.is_tensor()) check(v.as_tensor(), saved_.arg_versions[i]);
  return v;
}

Tensor GradCall::result(size_t i) const {
  Tensor t = saved_.results[i].to_tensor();
  check(t, saved_.result_versions[i]);
  return t;
}

bool GradCall::needs(size_t i) const {
  const IValue& v = saved_.args[i];
  if (v.is_tensor()) return v.as_tensor()->requires_grad;
  if (!v.is_list()) return false;
  for (const IValue& item : v.items())
    if (item.is_tensor() && item.as_tensor()->requires_grad) return true;
  return false;
}

}  // namespace monograph
