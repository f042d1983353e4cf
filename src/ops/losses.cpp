// Losses, and attention: composites of other operators, so that gradients and captures follow.
#include <cmath>

#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/pointwise.h"
#include "ops/registry.h"

namespace monograph {
namespace {

enum Reduction : int64_t { kNone, kMean, kSum };

Tensor reduced(const Tensor& loss, int64_t reduction) {
  if (reduction == kMean) return "mean"_op(loss);
  return reduction == kSum ? Tensor("sum"_op(loss)) : loss;
}

// The weights of the targets' classes, zero where a target is ignored; targets that are ignored read class 0.
struct Targets {
  Tensor index, weight;
  Targets(const Tensor& input, const Tensor& target, const IValue& class_weight, int64_t ignored) {
    Tensor keep = "ne"_op(target, ignored);
    index = "where"_op(keep, target, 0);
    Tensor weights = class_weight.is_none()
                         ? Tensor("ones"_op(target.sizes(), input.dtype()))
                         : Tensor("reshape"_op("index_select"_op(class_weight, 0, "reshape"_op(index, Dims{-1})), target.sizes()));
    weight = "mul"_op(weights, "to"_op(keep, input.dtype()));
  }
};

int64_t class_dim(const Tensor& input) { return input.dim() == 1 ? 0 : 1; }

// Of (self, target, weight, reduction, ignore_index): one class of self's for every element of target.
void check_class_targets(const Operator& op, const IValue* a) {
  Tensor x = a[0].to_tensor(), target = a[1].to_tensor();
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
  if (!is_floating(a[1].to_tensor().dtype())) return check_class_targets(op, a);
  MONOGRAPH_CHECK(a[0].to_tensor().sizes() == a[1].to_tensor().sizes(), Runtime, "[", op.name(),
                  "] expected the probabilities of the classes to have the input's size ", to_string(a[0].to_tensor().sizes()),
                  ", but got ", to_string(a[1].to_tensor().sizes()));
}

IValue decompose_nll_loss(const IValue* a) {
  Tensor x = a[0].to_tensor(), target = a[1].to_tensor();
  if (target.dtype() != DType::i64) target = "to"_op(target, DType::i64);
  int64_t dim = class_dim(x), reduction = a[3].to_int();
  Targets t(x, target, a[2], a[4].to_int());
  Tensor picked = "squeeze"_op("gather"_op(x, dim, "unsqueeze"_op(t.index, dim)), dim);
  Tensor loss = "neg"_op("mul"_op(picked, t.weight));
  if (reduction == kMean) return "div"_op("sum"_op(loss), "sum"_op(t.weight));
  return reduced(loss, reduction);
}

IValue decompose_cross_entropy(const IValue* a) {
  Tensor x = a[0].to_tensor(), target = a[1].to_tensor();
  int64_t dim = class_dim(x), reduction = a[3].to_int(), classes = x.size(dim);
  double smoothing = a[5].to_double();
  Tensor logs = "log_softmax"_op(x, dim);
  Tensor weighted = logs;
  if (!a[2].is_none()) {
    Dims shape(x.sizes().size(), 1);
    shape[static_cast<size_t>(dim)] = classes;
    weighted = "mul"_op(logs, "reshape"_op(a[2], shape));
  }
  if (is_floating(target.dtype())) {  // probabilities of the classes
    if (smoothing > 0) target = "add"_op("mul"_op(target, 1 - smoothing), smoothing / static_cast<double>(classes));
    Tensor loss = "neg"_op("sum"_op("mul"_op(weighted, target), Dims{dim}, false));
    const int64_t samples = x.numel() / std::max<int64_t>(classes, 1);
    return reduction == kMean ? Tensor("div"_op("sum"_op(loss), static_cast<double>(samples))) : reduced(loss, reduction);
  }
  Tensor loss = "nll_loss"_op(logs, target, a[2], a[3], a[4]);
  if (smoothing == 0) return loss;
  Targets t(x, target, a[2], a[4].to_int());
  Tensor keep = "to"_op("ne"_op(target, a[4].to_int()), x.dtype());
  Tensor smooth = "mul"_op("neg"_op("sum"_op(weighted, Dims{dim}, false)), keep);
  smooth = reduction == kMean ? Tensor("div"_op("sum"_op(smooth), "sum"_op(t.weight))) : reduced(smooth, reduction);
  return "add"_op("mul"_op(loss, 1 - smoothing), "mul"_op(smooth, smoothing / static_cast<double>(classes)));
}

IValue decompose_attention(const IValue* a) {
  Tensor q = a[0].to_tensor(), k = a[1].to_tensor(), v = a[2].to_tensor();
  MONOGRAPH_CHECK(!a[7].to_bool(), NotImplemented,
                  "[aten::scaled_dot_product_attention] enable_gqa=True is not implemented; repeat the heads of key and value");
  MONOGRAPH_CHECK(a[3].is_none() || !a[5].to_bool(), Runtime,
                  "[aten::scaled_dot_product_attention] Explicit attn_mask should not be set when is_causal=True");
  double scale = a[6].is_none() ? 1 / std::sqrt(static_cast<double>(q.size(-1))) : a[6].to_double();
  Tensor scores = "mul"_op("matmul"_op(q, "transpose"_op(k, -2, -1)), scale);
  auto keep_only = [&](const Tensor& mask) { scores = "where"_op(mask, scores, -HUGE_VAL); };
  if (a[5].to_bool()) keep_only("le"_op("arange"_op(k.size(-2)), "unsqueeze"_op("arange"_op(q.size(-2)), 1)));
  if (!a[3].is_none()) {
    Tensor mask = a[3].to_tensor();
    if (mask.dtype() == DType::b1) keep_only(mask);
    else scores = "add"_op(scores, mask);
  }
  Tensor weights = "softmax"_op(scores, -1);
  if (a[4].to_double() > 0) weights = "dropout"_op(weights, a[4], true);
  return "matmul"_op(weights, v);
}

// --- What is known of their results.

void infer_mse(InferCall& c) {
  auto r = c.integer(2);
  auto dtype = c.dtype(0) && c.dtype(1) ? std::optional(promote_types(*c.dtype(0), *c.dtype(1))) : std::nullopt;
  c.tensor(r == kNone ? broadcast(c.sizes(0), c.sizes(1), c.op.name()) : r ? Shape(std::vector<Dim>{}) : Shape(), dtype);
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
      .doc("The mean (1) or sum (2) of the squared differences, or all of them (0).");
  r.op("nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor")
      .namespaced("_nn")
      .infer(infer_class_loss)
      .check(check_class_targets)
      .decompose(decompose_nll_loss)
      .onnx(
          "NegativeLogLikelihoodLoss(self, target, weight, ignore_index=ignore_index, reduction=\"mean\") | "
          "NegativeLogLikelihoodLoss(self, target, weight, ignore_index=ignore_index, reduction=\"sum\") if reduction = 2 | "
          "NegativeLogLikelihoodLoss(self, target, weight, ignore_index=ignore_index, reduction=\"none\") if reduction = 0")
      .doc("Minus the log-probability of each target class, weighted, and reduced as in mse_loss.");
  r.op("cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100, float "
       "label_smoothing=0.0) -> Tensor")
      .namespaced("_nn")
      .infer(infer_class_loss)
      .check(check_cross_entropy)
      .decompose(decompose_cross_entropy)
      .onnx(
          "SoftmaxCrossEntropyLoss(self, target, weight, ignore_index=ignore_index, reduction=\"mean\") | SoftmaxCrossEntropyLoss(self, "
          "target, weight, ignore_index=ignore_index, reduction=\"sum\") if reduction = 2 | SoftmaxCrossEntropyLoss(self, target, weight, "
          "ignore_index=ignore_index, reduction=\"none\") if reduction = 0")
      .doc("nll_loss of the log-softmax; targets may be probabilities.");
  r.op("scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool "
       "is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor")
      .namespaced("_nn")
      .infer(infer_attention)
      .decompose(decompose_attention)
      .onnx("Attention(query, key, value, attn_mask, scale=scale, is_causal=is_causal) if opset >= 23, rank(query) = 4")
      .doc("softmax(query @ key.T * scale + mask) @ value.");
}

}  // namespace monograph
