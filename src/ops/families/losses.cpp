// Losses, and attention: composites of other operators, so that gradients and captures follow.
#include <cmath>

#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/pointwise.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

enum Reduction : int64_t { kNone, kMean, kSum };

Tensor reduced(const Tensor& loss, int64_t reduction) {
  if (reduction == kMean) return "mean"_op(loss);
  return reduction == kSum ? Tensor("sum"_op(loss)) : loss;
}

// The weights of the targets' classes, zero where a target is ignored; targets that are ignored read class 0.
struct Targets {
  Tensor keep, index, weight;
  Targets(const Tensor& input, const Tensor& target, const IValue& class_weight, int64_t ignored) : keep("ne"_op(target, ignored)) {
    index = "where"_op(keep, target, 0);
    Tensor weights = class_weight.is_none()
                         ? Tensor("ones"_op(sizes_of(target), input.dtype()))
                         : Tensor("reshape"_op("index_select"_op(class_weight, 0, "reshape"_op(index, Dims{-1})), sizes_of(target)));
    weight = "mul"_op(weights, "to"_op(keep, input.dtype()));
  }
  // A loss without the ignored targets: chosen, not multiplied, so that neither a NaN nor an infinite gradient comes through a zero.
  Tensor kept(const Tensor& loss) const { return "where"_op(keep, loss, 0.0); }
};

int64_t class_dim(const Tensor& input) { return input.dim() == 1 ? 0 : 1; }

// Of (self, target, weight, reduction, ignore_index): one class of self's for every element of target.
void check_class_targets(const Operator& op, const IValue* a) {
  Tensor x = a[0].to_tensor(), target = a[1].to_tensor();
  MONOGRAPH_CHECK(is_floating(x.dtype()), NotImplemented, "[", op.name(), "] not implemented for '", info(x.dtype()).scalar_type,
                  "'; convert the input first, for example x.to(torch.float32)");
  MONOGRAPH_CHECK(x.dim() >= 1 && target.dim() == x.dim() - 1, Runtime, "[", op.name(), "] expected targets of ", x.dim() - 1,
                  " dims for an input of ", x.dim(), ", but got ", target.dim());
  Dims expected = x.sizes();
  const int64_t dim = class_dim(x), classes = expected[static_cast<size_t>(dim)];
  expected.erase(static_cast<size_t>(dim));
  MONOGRAPH_CHECK(expected.empty() || expected[0] == target.sizes()[0], Value, "[", op.name(), "] Expected input batch_size (", expected[0],
                  ") to match target batch_size (", target.sizes()[0], ").");
  MONOGRAPH_CHECK(expected == target.sizes(), Runtime, "[", op.name(), "] expected targets of size ", to_string(expected), ", but got ",
                  to_string(target.sizes()));
  if (!a[2].is_none()) {
    const Tensor weight = a[2].to_tensor();
    MONOGRAPH_CHECK(weight.dim() == 1 && weight.numel() == classes, Runtime, "[", op.name(),
                    "] weight tensor should be defined either for all ", classes, " classes or no classes, but got ",
                    to_string(weight.sizes()));
    MONOGRAPH_CHECK(weight.dtype() == x.dtype(), Runtime, "[", op.name(), "] expected a weight of scalar type ",
                    info(x.dtype()).scalar_type, ", but got ", info(weight.dtype()).scalar_type);
  }
  MONOGRAPH_CHECK(target.dtype() == DType::i64 || target.dtype() == DType::u8, Runtime, "[", op.name(),
                  "] expected target dtype to be Long or Byte, but got ", info(target.dtype()).scalar_type);
  if (target.is_meta()) return;
  const int64_t ignored = a[4].to_int();
  const Tensor index = convert_tensor(contiguous(target), DType::i64);
  for (int64_t at : std::span(index.data_as<int64_t>(), static_cast<size_t>(index.numel())))
    MONOGRAPH_CHECK(at == ignored || (at >= 0 && at < classes), Index, "[", op.name(), "] Target ", at, " is out of bounds for ", classes,
                    " classes.");
}

void check_cross_entropy(const Operator& op, const IValue* a) {
  MONOGRAPH_CHECK(!(a[5].to_double() > 1), Runtime, "[", op.name(),
                  "] label_smoothing must be between 0.0 and 1.0. Got: ", a[5].to_double());
  if (!is_floating(a[1].to_tensor().dtype())) return check_class_targets(op, a);
  MONOGRAPH_CHECK(a[0].to_tensor().sizes() == a[1].to_tensor().sizes(), Runtime, "[", op.name(),
                  "] expected the probabilities of the classes to have the input's size ", to_string(a[0].to_tensor().sizes()),
                  ", but got ", to_string(a[1].to_tensor().sizes()));
  MONOGRAPH_CHECK(a[4].to_int() < 0, Runtime, "[", op.name(), "] ignore_index is not supported for floating point target, but got ",
                  a[4].to_int());
}

IValue decompose_nll_loss(const IValue* a) {
  Tensor x = a[0].to_tensor(), target = a[1].to_tensor();
  if (target.dtype() != DType::i64) target = "to"_op(target, DType::i64);
  int64_t dim = class_dim(x), reduction = a[3].to_int();
  Targets t(x, target, a[2], a[4].to_int());
  Tensor picked = "squeeze"_op("gather"_op(x, dim, "unsqueeze"_op(t.index, dim)), dim);
  Tensor loss = t.kept("neg"_op("mul"_op(picked, t.weight)));
  if (reduction == kMean) return "div"_op("sum"_op(loss), "sum"_op(t.weight));
  return reduced(loss, reduction);
}

IValue decompose_cross_entropy(const IValue* a) {
  Tensor x = a[0].to_tensor(), target = a[1].to_tensor();
  const int64_t dim = class_dim(x), reduction = a[3].to_int();
  double smoothing = a[5].to_double();
  Tensor logs = "log_softmax"_op(x, dim);
  Tensor weighted = logs;
  if (!a[2].is_none()) {
    Sizes shape(x.sizes().size(), 1);
    shape.set(static_cast<size_t>(dim), size_of(x, dim));
    weighted = "mul"_op(logs, "reshape"_op(a[2], shape));
  }
  const double classes = smoothing > 0 ? static_cast<double>(fixed_size(x, dim)) : 0;
  if (is_floating(target.dtype())) {  // probabilities of the classes
    if (smoothing > 0) target = "add"_op("mul"_op(target, 1 - smoothing), smoothing / classes);
    Tensor loss = "neg"_op("sum"_op("mul"_op(weighted, target), Dims{dim}, false));
    const Size samples = floordiv(element_count(sizes_of(x)), max(size_of(x, dim), 1));
    return reduction == kMean ? Tensor("div"_op("sum"_op(loss), samples)) : reduced(loss, reduction);
  }
  Tensor loss = "nll_loss"_op(logs, target, a[2], a[3], a[4]);
  if (!(smoothing > 0)) return loss;
  Targets t(x, target, a[2], a[4].to_int());
  Tensor smooth = t.kept("neg"_op("sum"_op(weighted, Dims{dim}, false)));
  smooth = reduction == kMean ? Tensor("div"_op("sum"_op(smooth), "sum"_op(t.weight))) : reduced(smooth, reduction);
  return "add"_op("mul"_op(loss, 1 - smoothing), "mul"_op(smooth, smoothing / classes));
}

void check_probabilities(const Operator& op, const Tensor& t, const char* what) {
  const Tensor flat = contiguous(t);
  dispatch(t.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    if constexpr (std::is_convertible_v<T, float>)
      for (T v : std::span(flat.data_as<T>(), static_cast<size_t>(flat.numel())))
        MONOGRAPH_CHECK(static_cast<Wide>(v) >= 0 && static_cast<Wide>(v) <= 1, Runtime, "[", op.name(), "] all elements of ", what,
                        " should be between 0 and 1, but one is ", static_cast<Wide>(v));
  });
}

// Of (self, target, weight, reduction).
void check_binary_cross_entropy(const Operator& op, const IValue* a) {
  const Tensor &x = a[0].as_tensor(), &target = a[1].as_tensor();
  MONOGRAPH_CHECK(x.sizes() == target.sizes(), Runtime, "[", op.name(), "] expected a target of the input's size ", to_string(x.sizes()),
                  ", but got ", to_string(target.sizes()));
  MONOGRAPH_CHECK(is_floating(x.dtype()) && x.dtype() == target.dtype(), Runtime, "[", op.name(),
                  "] expected an input and a target of one floating dtype, but got ", info(x.dtype()).scalar_type, " and ",
                  info(target.dtype()).scalar_type);
  MONOGRAPH_CHECK(a[2].is_none() || broadcast_sizes(x.sizes(), a[2].as_tensor().sizes(), op.name()) == x.sizes(), Runtime, "[", op.name(),
                  "] expected a weight that expands to ", to_string(x.sizes()));
  if (x.is_meta()) return;
  check_probabilities(op, x, "input");
  check_probabilities(op, target, "target");
}

// The logarithms end at -100, so that the loss of a wrong certainty is a number.
IValue decompose_binary_cross_entropy(const IValue* a) {
  auto bounded = [](const Tensor& logarithm) { return "clamp_min"_op(logarithm, -100); };
  Tensor miss = "mul"_op("sub"_op(a[1], 1), bounded("log1p"_op("neg"_op(a[0]))));
  Tensor loss = "sub"_op(miss, "mul"_op(a[1], bounded("log"_op(a[0]))));
  return reduced(a[2].is_none() ? loss : Tensor("mul"_op(loss, a[2])), a[3].to_int());
}

// As PyTorch has it: by the input a quotient whose divisor does not vanish, by the target the logarithms without their bound.
void binary_cross_entropy_gradient(GradCall& c) {
  Tensor x = c.arg(0), g = c.grad();
  if (c.value(3).to_int() == kMean) g = "div"_op(g, element_count(c.sizes(0)));
  if (!c.value(2).is_none()) g = "mul"_op(g, c.value(2));
  MONOGRAPH_CHECK(!c.needs(2), NotImplemented, "[", c.op.name(), "] derivative for weight is not implemented; detach() it");
  if (c.needs(0)) {
    Tensor divisor = "clamp_min"_op("mul"_op("rsub"_op(x, 1), x), 1e-12);
    c.set(0, "mul"_op(g, "div"_op("sub"_op(x, c.value(1)), divisor)));
  }
  if (c.needs(1)) c.set(1, "mul"_op(g, "sub"_op("log1p"_op("neg"_op(x)), "log"_op(x))));
}

// The sizes of a loss of every element, reduced by argument `reduction`.
Sizes loss_sizes(const RuleCall& c, size_t reduction, const Sizes& each) {
  auto r = c.integer(reduction);
  return r == kNone ? each : r ? Sizes{} : Sizes::unranked();
}

void l1_loss_rule(RuleCall& c) {
  auto from = c.dtype(0), to = c.dtype(1);
  std::optional<DType> dtype;
  if (from && to) dtype = real_type(promote_types(*from, *to));
  c.result(loss_sizes(c, 2, broadcast(c.sizes(0), c.sizes(1), c.op.name())), dtype);
}

// Of (self, target, weight, pos_weight, reduction). The losses take the target's size.
void with_logits_rule(RuleCall& c) {
  auto x = c.dtype(0), target = c.dtype(1);
  for (size_t i : {0, 1})
    c.check(!c.dtype(i) || is_floating(*c.dtype(i)), ErrorKind::Runtime, "expected a floating-point input and target, but got ",
            info(x.value_or(DType::f32)).scalar_type, " and ", info(target.value_or(DType::f32)).scalar_type);
  Sizes sizes = broadcast(c.sizes(0), c.sizes(1), c.op.name());
  std::optional<DType> dtype;
  if (x && target) dtype = promote_types(*x, *target);
  for (size_t i : {2, 3}) {
    if (c.none(i)) continue;
    sizes = broadcast(sizes, c.sizes(i), c.op.name());
    if (dtype && c.dtype(i)) dtype = promote_types(*dtype, *c.dtype(i));
    else dtype.reset();
  }
  c.result(loss_sizes(c, 4, sizes), dtype);
}

// -log(sigmoid(input)) where the target is 1, -log(1 - sigmoid(input)) where it is 0.
IValue decompose_with_logits(const IValue* a) {
  const Tensor x = a[0].to_tensor(), target = a[1].to_tensor();
  // Of one smooth expression on either side of 0: abs and clamp have kinks there, which the sum does not.
  const Tensor below = "lt"_op(x, 0), negative = "neg"_op(x);
  const Tensor exponential = "exp"_op("where"_op(below, x, negative));
  Tensor logarithm = "add"_op("log1p"_op(exponential), "where"_op(below, negative, 0.0));
  if (!a[3].is_none()) logarithm = "mul"_op("add"_op("mul"_op("sub"_op(a[3], 1), target), 1), logarithm);
  const Tensor loss = "add"_op("mul"_op("rsub"_op(target, 1), x), logarithm);
  return reduced(a[2].is_none() ? loss : Tensor("mul"_op(loss, a[2])), a[4].to_int());
}

// The softmax of the scores, but nothing where a query is blind, times the values.
IValue attend(const Tensor& scores, const Tensor& values, const IValue& drop, const Tensor& blind = {}) {
  Tensor weights = "softmax"_op(scores, -1);
  if (blind.defined()) weights = "where"_op(blind, 0.0, weights);
  if (drop.to_double() > 0) weights = "dropout"_op(weights, drop, true);
  return "matmul"_op(weights, values);
}

IValue decompose_attention(const IValue* a) {
  Tensor q = a[0].to_tensor(), k = a[1].to_tensor(), v = a[2].to_tensor();
  MONOGRAPH_CHECK(!a[7].to_bool(), NotImplemented,
                  "[aten::scaled_dot_product_attention] enable_gqa=True is not implemented; repeat the heads of key and value");
  MONOGRAPH_CHECK(a[3].is_none() || !a[5].to_bool(), Runtime,
                  "[aten::scaled_dot_product_attention] Explicit attn_mask should not be set when is_causal=True");
  double scale = a[6].is_none() ? 1 / std::sqrt(static_cast<double>(fixed_size(q, -1))) : a[6].to_double();
  Tensor scores = "mul"_op("matmul"_op(q, "transpose"_op(k, -2, -1)), scale);
  auto keep_only = [&](const Tensor& mask) { scores = "where"_op(mask, scores, -HUGE_VAL); };
  if (a[5].to_bool()) keep_only("le"_op("arange"_op(size_of(k, -2)), "unsqueeze"_op("arange"_op(size_of(q, -2)), 1)));
  if (!a[3].is_none()) {
    Tensor mask = a[3].to_tensor();
    if (mask.dtype() == DType::b1) keep_only(mask);
    else scores = "add"_op(scores, mask);
  }
  if (a[3].is_none() || k.size(-2) == 0) return attend(scores, v, a[4]);
  // A query that may see no key attends to nothing: its softmax would be NaN.
  Tensor blind = "eq"_op("amax"_op(scores, Dims{-1}, true), -HUGE_VAL);
  return attend("where"_op(blind, 0.0, scores), v, a[4], blind);
}

// --- What is known of their results.

void infer_mse(InferCall& c) {
  auto r = c.integer(2);
  auto dtype = c.dtype(0) && c.dtype(1) ? std::optional(promote_types(*c.dtype(0), *c.dtype(1))) : std::nullopt;
  c.tensor(r == kNone ? broadcast(c.sizes(0), c.sizes(1), c.op.name()) : r ? Shape(std::vector<Dim>{}) : Shape(), dtype);
}

void infer_binary_cross_entropy(InferCall& c) {
  auto r = c.integer(3);
  c.like(0, r == kNone ? c.sizes(0) : r ? Shape(std::vector<Dim>{}) : Shape());
}

void infer_class_loss(InferCall& c) {
  auto r = c.integer(3);
  if (r != kNone) return c.like(0, r ? Shape(std::vector<Dim>{}) : Shape());
  Shape s = c.sizes(0);
  if (s && !s->empty()) s->erase(s->begin() + (s->size() == 1 ? 0 : 1));
  c.like(0, s);
}

void infer_attention(InferCall& c) {
  Shape s = c.sizes(0);
  const Shape& v = c.sizes(2);
  if (s && !s->empty()) s->back() = v && !v->empty() ? v->back() : Dim();
  c.like(0, s);
}

}  // namespace

void losses(Registry& r) {
  r.op("mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor")
      .namespaced("_nn")
      .infer(infer_mse)
      .decompose([](const IValue* a) -> IValue { return reduced("square"_op("sub"_op(a[0], a[1])), a[2].to_int()); }, Reads::Nothing)
      .onnx(
          "out: ReduceMean(Pow(Sub(self, target), 2.0), keepdims=0) | ReduceSum(Pow(Sub(self, target), 2.0), keepdims=0) if reduction = 2 "
          "| Pow(Sub(self, target), 2.0) if reduction = 0")
      .doc("The mean (1) or sum (2) of the squared differences, or all of them (0).")
      .samples("[[t(f32, 2, 3), t(f32, 2, 3), r] for r in (0, 1, 2)]");
  r.op("l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor")
      .namespaced("_nn")
      .rule(l1_loss_rule)
      .decompose([](const IValue* a) -> IValue { return reduced("abs"_op("sub"_op(a[0], a[1])), a[2].to_int()); }, Reads::Nothing)
      .onnx(none("decomposes to a difference and its absolute value"))
      .doc("The mean (1) or sum (2) of the absolute differences, or all of them (0).")
      .samples(
          R"([[t(d, 2, 3), t(d, 2, 3), r] for d in (f32, f64, f16) for r in (0, 1, 2)] + [[t(f32, 2, 3), t(f64, 3), r] for r in (0, 1, 2)]
                + [[t(i64, 2), t(i64, 2), r] for r in (0, 1, 2)]
                + [[t(c64, 2), t(c64, 2), 0], [t(f32, 2), t(f32, 3), 1], [t(f32, 0), t(f32, 0), 1], [at([1.0, nan]), at([1.0, 2.0]), 2]])");
  r.op("binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=1) -> "
       "Tensor")
      .function_only()
      .rule(with_logits_rule)
      .decompose(decompose_with_logits, Reads::Nothing)
      .onnx(none("decomposes to logarithm and exponential"))
      .doc("binary_cross_entropy of sigmoid(`self`), which overflows nowhere; `pos_weight` multiplies the part of target 1.")
      .samples(R"([[t(d, 3, 4), t(d, 3, 4, low=0.0, high=1.0), w and t(d, 4, low=0.0), p and t(d, 4, low=0.1), r]
                   for d in (f32, f64) for w in (None, True) for p in (None, True) for r in (0, 1, 2)]
                + [[at([0.0, -0.0, 100.0, -100.0, 1e30, -1e30, inf, -inf, nan]), at([1.0, 0.0, 0.0, 1.0, 0.5, 0.5, 1.0, 0.0, 0.5]), None, p, r]
                   for p in (None, at([2.0])) for r in (0, 2)]
                + [[t(f32, 4), t(i64, 4)], [t(i64, 4), t(f32, 4)], [t(f32, 4), t(f32, 3)], [t(f32, 3, 4), t(f32, 3, 4), t(f32, 3), None, 0],
                   [t(f32, 0), t(f32, 0)]])");
  r.op("binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor")
      .namespaced("_nn")
      .infer(infer_binary_cross_entropy)
      .check(check_binary_cross_entropy)
      .decompose(decompose_binary_cross_entropy, Reads::Nothing)
      .gradient(binary_cross_entropy_gradient)
      .onnx(none("decomposes to logarithms"))
      .doc("Minus the logarithm of the probability that `self` gives each `target`, weighted, and reduced as in mse_loss.")
      .samples(R"([[p, y, w_, r] for p, y in ((at([0.0, 1.0, 0.0, 1.0, 0.5, 0.0, 0.25]), at([1.0, 0.0, 0.0, 1.0, 0.5, 0.5, 0.75])),)
                  for w_ in (None, t(f32, 7), t(f32, 1)) for r in (0, 1, 2)]
               + [[t(d, 3, 4, low=0.1, high=0.9), t(d, 3, 4, low=0.0, high=1.0), w_ and t(d, 4), r] for d in (f32, f64)
                  for w_ in (None, True) for r in (0, 1, 2)]
               + [[at([v]), at([1.0]), None, 1] for v in (1.5, -0.1, nan)] + [[at([0.5, 0.2]), v, None, 1]
                  for v in (at([1, 0]), t(f64, 2), t(f32, 3))]
               + [[at([0.5, 0.2]), at([1.0, 0.0]), t(f32, 2, 1), 1], [t(f32, 0), t(f32, 0), None, 1], [t(f32, 0), t(f32, 0), None, 2]])");
  r.op("nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor")
      .namespaced("_nn")
      .infer(infer_class_loss)
      .check(check_class_targets)
      .decompose(decompose_nll_loss, Reads::Symbols)
      .onnx(
          "NegativeLogLikelihoodLoss(self, target, weight, ignore_index=ignore_index, reduction=\"mean\") | "
          "NegativeLogLikelihoodLoss(self, target, weight, ignore_index=ignore_index, reduction=\"sum\") if reduction = 2 | "
          "NegativeLogLikelihoodLoss(self, target, weight, ignore_index=ignore_index, reduction=\"none\") if reduction = 0")
      .doc("Minus the log-probability of each target class, weighted, and reduced as in mse_loss.")
      .samples(R"([[t(f32, 4, 3), index(3, 4), w_, r, -100] for w_ in (None, t(f32, 3, low=0.1)) for r in (0, 1, 2)]
               + [[t(f32, 4, 3), at([0, 1, 1, 2]), None, 1, 1]]
               + [[t(f32, 2, 3), at([-100, c]), w_, r, -100] for c in (-100, 1) for w_ in (None, at([1.0, 0.0, 1.0])) for r in (0, 1, 2)]
               + [[at([[nan, inf], [1.0, 2.0]]), at([-100, 1]), None, 1, -100], [t(i64, 2, 3), at([0, 1]), None, 1, -100],
                [t(f32, 2, 3), at([0, 1]), t(f64, 3), 1, -100]]
               + [[t(f32, 4, 3), c, None, 1, -100] for c in [at([0, 1, c, 1])
                  for c in (3, -3, -100)] + [at([0, 1, 2, 1]).int(), at([0, 1, 2, 1]).to(u8), at([0, 1, 2, 1]).float(), at([0, 1])]]
               + [[t(f32, 3), at(1), None, 1, -100], [t(f32, 4, 3), at([0, 1, 2, 1]), t(f32, 2), 1, -100]])");
  r.op("cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100, float "
       "label_smoothing=0.0) -> Tensor")
      .namespaced("_nn")
      .infer(infer_class_loss)
      .check(check_cross_entropy)
      .decompose(decompose_cross_entropy, Reads::Symbols)
      .onnx(
          "SoftmaxCrossEntropyLoss(self, target, weight, ignore_index=ignore_index, reduction=\"mean\") | SoftmaxCrossEntropyLoss(self, "
          "target, weight, ignore_index=ignore_index, reduction=\"sum\") if reduction = 2 | SoftmaxCrossEntropyLoss(self, target, weight, "
          "ignore_index=ignore_index, reduction=\"none\") if reduction = 0")
      .doc("nll_loss of the log-softmax; targets may be probabilities.")
      .samples(R"([[t(f32, 4, 3), index(3, 4), None, r, -100, sm] for r in (0, 1, 2) for sm in (0.0, 0.1)]
               + [[t(f32, 4, 3), at([0, 1, 1, 2]), t(f32, 3, low=0.1), 1, 1, 0.0]]
               + [[t(f32, 2, 3), at([-100, -100]), None, r, -100, sm] for r in (0, 1, 2) for sm in (0.0, 0.1)]
               + [[t(f32, 2, 3), v, None, 1, -100, sm] for v in (at([0, 1]), t(f32, 2, 3)) for sm in (1.5, 1.0, -0.1)]
               + [[t(f32, 2, 3), t(f32, 2, 3), None, 1, 1, 0.0], [t(f32, 2, 3), at([0, 1]), t(f64, 3), 1, -100, 0.0]]
               + [[t(f32, 4, 3), c, None, 1, -100, 0.0] for c in [at([0, 1, c, 1])
                  for c in (3, -3, -100)] + [at([0, 1, 2, 1]).int(), at([0, 1, 2, 1]).to(u8), at([0, 1, 2, 1]).float(), at([0, 1])]]
               + [[t(f32, 4, 3), t(f32, 4, 3, low=0.1), t(f32, 3, low=0.1), r, -100, 0.1] for r in (0, 1, 2)]
               + [[t(f32, 4, 3), at([0, 1, 2, 1]), t(f32, 3, low=0.1), r, 1, 0.1] for r in (0, 1, 2)])");
  r.op("scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool "
       "is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor")
      .namespaced("_nn")
      .infer(infer_attention)
      .decompose(decompose_attention, Reads::Symbols)
      .onnx("Attention(query, key, value, attn_mask, scale=scale, is_causal=is_causal) if opset >= 23, rank(query) = 4")
      .doc("softmax(query @ key.T * scale + mask) @ value.")
      .samples(R"([[t(f32, 2, 3, 4), t(f32, 2, 5, 4), t(f32, 2, 5, 4), m, 0.0, c, sc, False]
                  for m, c, sc in ((None, False, None), (None, True, 0.3), (t(f32, 3, 5), False, None),
                  (t(b1, 3, 5) | torch.eye(3, 5).bool(), False, None))]
               + [[t(f32, 1, 2, 4), t(f32, 1, 2, 4), t(f32, 1, 2, 4), m, 0.0, False, None, False]
                  for m in [at([[True, False], [False, False]]), at([[0.0, -inf], [-inf, -inf]])]])");
}

}  // namespace monograph
