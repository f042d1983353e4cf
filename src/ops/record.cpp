// What gradient rules ask of a call: its values, results, sizes, and whether a gradient is wanted.
#include "ops/record.h"

#include "ops/dispatch.h"

namespace monograph {

void GradCall::check(const Tensor& t, uint32_t version) const {
  MONOGRAPH_CHECK(
      !saved_.released, Runtime,
      "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). "
      "Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you "
      "need to backward through the graph a second time or if you need to access saved tensors after calling backward.");
  MONOGRAPH_CHECK(
      !t.is_inference(), Runtime, "[", op.name(),
      "] Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation tracked "
      "by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use torch.no_grad() "
      "instead of torch.inference_mode()");
  MONOGRAPH_CHECK(t.version() == version, Runtime, "[", op.name(),
                  "] one of the variables needed for gradient computation has been modified by an inplace operation: a tensor of size ",
                  to_string(t.sizes()), " is at version ", t.version(), "; expected version ", version,
                  " instead. Use the form without the underscore, or write into a clone()");
}

const IValue& GradCall::value(size_t i) const {
  const IValue& v = saved_.args[i];
  const bool number = !v.is_tensor() || v.as_tensor()->wrapped_number;  // or something else that is no tensor
  if (recorded_ && number && !(v.is_list() && !v.items().empty() && v.items()[0].is_tensor())) return recorded_[i];
  if (v.is_tensor()) check(v.as_tensor(), saved_.arg_versions[i]);
  if (v.is_list())
    for (const IValue& item : v.items())
      if (item.is_tensor()) check(item.as_tensor(), item.as_tensor().version());
  return v;
}

Tensor GradCall::result(size_t i) const {
  Tensor t = saved_.results[i].to_tensor();
  check(t, saved_.result_versions[i]);
  return t;
}

Sizes GradCall::sizes(size_t i) const { return sizes_of(saved_.args[i].as_tensor()); }

bool GradCall::needs(size_t i) const {
  const IValue& v = saved_.args[i];
  if (v.is_tensor()) return v.as_tensor()->requires_grad;
  if (!v.is_list()) return false;
  for (const IValue& item : v.items())
    if (item.is_tensor() && item.as_tensor()->requires_grad) return true;
  return false;
}

}  // namespace monograph
