// Puts a program's step on the tape: edges from its tensors, history for its results, and checks of what it gives back.
#include "autograd/custom.h"

#include "ops/dispatch.h"

namespace monograph {

CustomBackward::CustomBackward(std::span<const Tensor> tensors) {
  inputs = 0;
  for (const Tensor& t : tensors) {
    next.push_back(t.requires_grad() ? gradient_edge(t) : GradEdge{});
    tensors_.push_back(without_data(t));
  }
}

void CustomBackward::check_size(const Tensor& g, size_t i) const {
  const Dims &got = g.sizes(), &expected = tensors_[i].sizes();
  bool fits = got.size() >= expected.size();
  const size_t lead = fits ? got.size() - expected.size() : 0;
  for (size_t d = 0; fits && d < expected.size(); ++d) fits = expected[d] == got[d + lead] || expected[d] == 1;
  MONOGRAPH_CHECK(fits, Runtime, "Function ", name(), " returned an invalid gradient at index ", i, " - got ", to_string(got),
                  " but expected shape compatible with ", to_string(expected));
}

std::vector<Tensor> CustomBackward::apply(std::vector<Tensor> grads) {
  grads.resize(results_.size());
  for (size_t i = 0; materialize && i < grads.size(); ++i)
    if (!grads[i].defined() && results_[i].defined()) grads[i] = "zeros"_op(sizes_of(results_[i]), results_[i].dtype());
  std::vector<Tensor> made = backward(std::move(grads));
  made.resize(next.size());
  for (size_t i = 0; i < made.size(); ++i) {
    if (!made[i].defined()) continue;
    if (!dispatch_state().top) check_size(made[i], i);
    made[i] = next[i].node ? fit_gradient(made[i], tensors_[i]) : Tensor();
  }
  return made;
}

void CustomBackward::add_result(const Tensor& t) {
  results_.push_back(without_data(t));
  ++inputs;
}

void CustomBackward::skip_result() {
  results_.emplace_back();
  ++inputs;
}

void CustomBackward::set_result(const Tensor& t) {
  const uint32_t slot = inputs;
  add_result(t);
  set_history(t, Ref<GradNode>(this), slot);
  if (!t->base) return;
  t->viewed_without_grad = false;
  GradMeta& meta = grad_meta(t);
  const GradMeta* of_base = find_grad_meta(Tensor(t->base));
  meta.seen_rebases = of_base ? of_base->rebases : 0;
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
