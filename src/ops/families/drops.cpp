// feature_dropout drops whole channels; alpha_dropout keeps mean and variance, for SELU networks; feature_alpha_dropout does both. Each is a
// decomposition into a Bernoulli mask and products.
#include <cmath>

#include "ops/dispatch.h"
#include "ops/families/creation.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

void drop_rule(RuleCall& c) {
  const auto p = c.real(1);
  c.check(!p || (*p >= 0 && *p <= 1), ErrorKind::Runtime, "dropout probability has to be between 0 and 1, but got ", p.value_or(0));
  c.like(0, c.sizes(0));
}

void channels_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  const auto p = c.real(1);
  const auto train = c.truth(2);  // outside of training nothing is drawn, and any rank is valid
  c.check(!x.ranked() || !train.value_or(false) || p.value_or(0) == 0 || x.size() >= 2, ErrorKind::Runtime,
          "Feature dropout requires at least 2 dimensions in the input, but got size ", x);
  drop_rule(c);
}

// A mask that is 1 with probability 1 - p, else 0: one number for each element, or for each channel of each sample.
Tensor drawn(const Tensor& x, double p, bool channels) {
  if (!channels) return "prim::bernoulli_like"_op(x, 1 - p);
  check_dropped(x.dtype());
  Tensor like = x;
  for (size_t d = 2; d < x.sizes().size(); ++d) like = "narrow"_op(like, static_cast<int64_t>(d), 0, 1);
  return "bernoulli"_op(like, 1 - p);
}

IValue drop(const IValue* a, bool channels, bool alpha) {
  Tensor x = a[0].to_tensor();
  const double p = a[1].to_double();
  if (!a[2].to_bool() || p == 0 || x.numel() == 0) return x;
  if (p == 1) return "mul"_op(x, "zeros_like"_op(x));
  const Tensor kept = drawn(x, p, channels);
  if (!alpha) return "mul"_op(x, "div"_op(kept, 1 - p));
  constexpr double kAlpha = 1.7580993408473766;  // dropped elements become -kAlpha before scaling: the limit of SELU at minus infinity
  const double scale = 1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
  const Tensor shift = "add"_op("mul"_op("sub"_op(kept, 1), kAlpha * scale), kAlpha * scale * p);
  return "add"_op("mul"_op(x, "mul"_op(kept, scale)), shift);
}

template <bool kChannels, bool kAlpha>
IValue decompose_drop(const IValue* a) {
  return drop(a, kChannels, kAlpha);
}

template <bool kChannels, bool kAlpha>
IValue written_drop(const IValue* a) {
  return "copy_"_op(a[0], drop(a, kChannels, kAlpha));
}

}  // namespace

void drops(Registry& r) {
  auto add = [&](const char* schema, const char* in_place, const char* functional, RuleFn rule, DecomposeFn decompose, DecomposeFn written,
                 const char* doc) {
    r.op(schema)
        .may_return("input")
        .rule(rule)
        .function_only()
        .effects(kDraws)
        .onnx(none("Dropout draws for each element, and scales by other numbers"))
        .decompose(decompose, Reads::Nothing)
        .doc(doc)
        .samples(none("a draw: tests/python/test_nn_layers.py compares it with PyTorch's of the same seed"));
    r.op(in_place)
        .functional(functional)
        .function_only()
        .effects(kDraws)
        .decompose(written, Reads::Nothing)
        .doc("The same, written into `self`.")
        .samples(none("a draw: tests/python/test_nn_layers.py compares its functional form"));
  };
  add("feature_dropout(Tensor input, float p, bool train) -> Tensor",
      "feature_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", "aten::feature_dropout", channels_rule,
      decompose_drop<true, false>, written_drop<true, false>,
      "In training, whole channels become zero with probability p and are scaled by 1 / (1 - p) otherwise; else the input.");
  add("alpha_dropout(Tensor input, float p, bool train) -> Tensor", "alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)",
      "aten::alpha_dropout", drop_rule, decompose_drop<false, true>, written_drop<false, true>,
      "dropout that keeps the mean and the variance: elements become a number far below 0, then all are scaled and shifted.");
  add("feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor",
      "feature_alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", "aten::feature_alpha_dropout", channels_rule,
      decompose_drop<true, true>, written_drop<true, true>, "alpha_dropout of whole channels.");
}

}  // namespace monograph
