// How a gradient rule reads the forward call: its saved arguments and results (conjugated if the result is complex), sizes, and which arguments need a
// gradient. Reading a value that was freed, or written in place since the call, is an error.
#include "ops/record.h"

#include "ops/dispatch.h"
#include "ops/function_text.h"

namespace monograph {
namespace {

bool gives_complex(const GradCall::Saved& saved) {
  return !saved.results.empty() && saved.results[0].is_tensor() && is_complex(saved.results[0].as_tensor().dtype());
}

Tensor conjugate(const Tensor& t) {
  if (!is_complex(t.dtype())) return t;
  Tensor z = "conj"_op(t);
  if (t->wrapped_number) z->wrapped_number = true;  // so that it promotes as a number
  return z;
}

// Whether v, or an element of it, is complex.
bool has_complex(const IValue& v) {
  if (v.is_list()) return std::ranges::any_of(v.items(), has_complex);
  return v.is_complex() || (v.is_tensor() && is_complex(v.as_tensor().dtype()));
}

IValue conjugate(const IValue& v) {
  if (v.is_complex()) return std::conj(v.to_complex());
  if (v.is_tensor()) return conjugate(v.as_tensor());
  if (!v.is_list()) return v;
  std::vector<IValue> items;
  for (const IValue& item : v.items()) items.push_back(conjugate(item));
  return IValue::list(std::move(items));
}

}  // namespace

GradCall::GradCall(const Operator& op, const Saved& saved, const std::vector<Tensor>& grads, const IValue* recorded)
    : op(op), saved_(saved), grads_(grads), recorded_(recorded), conjugates_(gives_complex(saved)), arg_grads_(saved.args.size()) {}

uint32_t list_version(const IValue& list) {
  uint32_t sum = 0;
  for (const IValue& item : list.items())
    if (item.is_tensor() && item.as_tensor().defined()) sum += item.as_tensor().version();
  return sum;
}

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
  const IValue& v = plain(i);
  if (!conjugates_ || !has_complex(v)) return v;
  conjugated_.resize(saved_.args.size());
  if (conjugated_[i].is_none()) conjugated_[i] = conjugate(v);
  return conjugated_[i];
}

Tensor GradCall::result(size_t i) const { return conjugates_ ? conjugate(plain_result(i)) : plain_result(i); }

const IValue& GradCall::plain(size_t i) const {
  const IValue& v = saved_.args[i];
  const bool no_tensor = !v.is_tensor() || v.as_tensor()->wrapped_number;
  if (recorded_ && no_tensor && !(v.is_list() && !v.items().empty() && v.items()[0].is_tensor())) return recorded_[i];
  if (v.is_tensor()) check(v.as_tensor(), saved_.arg_versions[i]);
  if (!v.is_list()) return v;
  // The rules of the library's own operators read no elements of a list that a write may have changed. Those of others are checked by the sum of the versions.
  const uint32_t writes = op.name().starts_with("aten::") ? 0 : list_version(v) - saved_.arg_versions[i];
  for (const IValue& item : v.items())
    if (item.is_tensor()) check(item.as_tensor(), item.as_tensor().version() - writes);
  return v;
}

Tensor GradCall::plain_result(size_t i) const {
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
