// A backward step that a program writes (autograd.Function): its edges to the inputs, the history of its results, and checks of the gradients that it
// returns.
#include "autograd/custom.h"

#include "ops/dispatch.h"

namespace monograph {

std::string (*function_result_hook)(const FunctionResult& result) = nullptr;

CustomBackward::CustomBackward(std::span<const Tensor> tensors) {
  inputs = 0;
  for (const Tensor& t : tensors) {
    next.push_back(t.requires_grad() ? gradient_edge(t) : GradEdge{});
    inputs_like_.push_back(without_data(t));
  }
}

void CustomBackward::check_size(const Tensor& g, size_t i) const {
  const Dims &got = g.sizes(), &expected = inputs_like_[i].sizes();
  bool fits = got.size() >= expected.size();
  const size_t lead = fits ? got.size() - expected.size() : 0;
  for (size_t d = 0; fits && d < expected.size(); ++d) fits = expected[d] == got[d + lead] || expected[d] == 1;
  MONOGRAPH_CHECK(fits, Runtime, "Function ", name(), " returned an invalid gradient at index ", i, " - got ", to_string(got),
                  " but expected shape compatible with ", to_string(expected));
}

void CustomBackward::check_parts(const Tensor& g, size_t i) const {
  MONOGRAPH_CHECK(!next[i].node || !is_complex(g.dtype()) || is_complex(inputs_like_[i].dtype()), Runtime, "Function ", name(),
                  " returned an invalid gradient at index ", i, " - got a complex one, but the input is real (torch.",
                  monograph::name(inputs_like_[i].dtype()), "); return its real part");
}

std::vector<Tensor> CustomBackward::apply(std::vector<Tensor> grads) {
  grads.resize(results_like_.size());
  for (size_t i = 0; materialize && i < grads.size(); ++i)
    if (!grads[i].defined() && results_like_[i].defined()) grads[i] = "zeros"_op(sizes_of(results_like_[i]), results_like_[i].dtype());
  std::vector<Tensor> input_grads = backward(std::move(grads));
  input_grads.resize(next.size());
  for (size_t i = 0; i < input_grads.size(); ++i) {
    if (!input_grads[i].defined()) continue;
    if (!observed()) check_size(input_grads[i], i);
    check_parts(input_grads[i], i);
    if (next[i].node) input_grads[i] = fit_gradient(input_grads[i], inputs_like_[i]);  // others are for the hooks of this node alone
  }
  return input_grads;
}

void CustomBackward::add_result(const Tensor& t) {
  results_like_.push_back(without_data(t));
  ++inputs;
}

void CustomBackward::skip_result() {
  results_like_.emplace_back();
  ++inputs;
}

void CustomBackward::set_result(const Tensor& t) {
  const uint32_t slot = inputs;
  add_result(t);
  set_history(t, Ref<GradNode>(this), slot);
  if (!t->base) return;
  t->viewed_without_grad = false;
  GradMeta& meta = grad_meta(t);
  const GradMeta* base_meta = find_grad_meta(Tensor(t->base));
  meta.seen_rebases = base_meta ? base_meta->rebases : 0;
  meta.made_by_function = true, meta.seen_version = t.version();
}

void CustomBackward::set_written(const Tensor& t, size_t k) {
  const uint32_t slot = inputs;
  add_result(t);
  set_written_history(t, Ref<GradNode>(this), slot, k);
}

Tensor CustomBackward::linked(const Tensor& saved, uint32_t slot) {
  Tensor t = alias_without_history(saved);
  set_history(t, Ref<GradNode>(this), slot);
  return t;
}

}  // namespace monograph
