// Losses (mse_loss, l1_loss, cross_entropy, nll_loss, binary_cross_entropy) and scaled_dot_product_attention. Each has a shape rule and a decomposition into
// other operators. An operator that states no gradient gets it through its decomposition. Some also have kernels for eager calls.
#include <array>
#include <cmath>

#include "kernels/class_losses.h"
#include "ops/dispatch.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/families/losses.h"
#include "ops/registry.h"
#include "ops/rows.h"
#include "ops/rule.h"

namespace monograph {
namespace {

// Target classes with their weights. `keep` is False for targets equal to ignore_index; their `index` is class 0 and their `weight` 0.
struct Targets {
  Tensor keep, index, weight;
  Targets(const Tensor& input, const Tensor& target, const IValue& class_weight, int64_t ignored) : keep("ne"_op(target, ignored)) {
    index = "where"_op(keep, target, 0);
    Tensor weights = class_weight.is_none()
                         ? Tensor("ones_like"_op(target, input.dtype()))
                         : Tensor("reshape"_op("index_select"_op(class_weight, 0, "reshape"_op(index, Dims{-1})), sizes_of(target)));
    weight = "mul"_op(weights, "to"_op(keep, input.dtype()));
  }
  // The loss with 0 for the ignored targets. It uses where(), not a product, because NaN or infinity times 0 is NaN.
  Tensor kept(const Tensor& loss) const { return "where"_op(keep, loss, 0.0); }
};

int64_t class_dim(const Tensor& input) { return input.dim() == 1 ? 0 : 1; }

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

// The sum of the weights of the targets that count.
IValue total_weight(const IValue* a) {
  const Tensor &x = a[0].as_tensor(), &target = a[1].as_tensor();
  if (a[3].to_int() == 0) return "zeros"_op(Dims{}, x.dtype());
  const Tensor counts = "ne"_op(target, a[4]);
  if (!a[2].is_tensor()) return "to"_op("sum"_op(counts), x.dtype());
  const Tensor index = "reshape"_op("masked_fill"_op(target, "logical_not"_op(counts), 0), Dims{-1});
  return "sum"_op("mul"_op("index_select"_op(a[2], 0, index), "reshape"_op(counts, Dims{-1})));
}

// The gradient goes to the score of each target's class, times minus its weight.
void nll_loss_gradient(GradCall& c) {
  MONOGRAPH_CHECK(!c.needs(2), NotImplemented, "[", c.op.name(), "] derivative for weight is not implemented; detach() it");
  const Tensor x = c.arg(0);
  Tensor target = c.value(1).to_tensor(), g = c.grad();
  if (target.dtype() != DType::i64) target = "to"_op(target, DType::i64);
  const Targets t(x, target, c.value(2), c.value(4).to_int());
  if (c.value(3).to_int() == kMean) g = "div"_op(g, "sum"_op(t.weight));
  const int64_t dim = class_dim(x);
  const Tensor each = t.kept("neg"_op("mul"_op(g, t.weight)));
  c.set(0, "gather_backward"_op("unsqueeze"_op(each, dim), c.sizes(0), dim, "unsqueeze"_op(t.index, dim)));
}

// smoothing / classes: a number, or, if the number of classes is a symbol, a 0-d tensor in the compute dtype of `like`.
IValue smoothing_share(double smoothing, const Size& classes, const Tensor& like) {
  if (classes.is_int()) return smoothing / static_cast<double>(classes.as_int());
  const Tensor share = "div"_op("scalar_tensor"_op(smoothing, DType::f64, IValue(), like.device()), classes);
  return "to"_op(share, compute_type(like.dtype()));
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
  auto share = [&](const Tensor& of) -> IValue { return smoothing_share(smoothing, size_of(x, dim), of); };
  if (is_floating(target.dtype())) {  // probabilities of the classes
    if (smoothing > 0) target = "add"_op("mul"_op(target, 1 - smoothing), share(target));
    Tensor loss = "neg"_op("sum"_op("mul"_op(weighted, target), Dims{dim}, false));
    const Size samples = floordiv(element_count(sizes_of(x)), max(size_of(x, dim), 1));
    return reduction == kMean ? Tensor("div"_op("sum"_op(loss), samples)) : reduced(loss, reduction);
  }
  Tensor loss = "nll_loss"_op(logs, target, a[2], a[3], a[4]);
  if (!(smoothing > 0)) return loss;
  Targets t(x, target, a[2], a[4].to_int());
  Tensor smooth = t.kept("neg"_op("sum"_op(weighted, Dims{dim}, false)));
  smooth = reduction == kMean ? Tensor("div"_op("sum"_op(smooth), "sum"_op(t.weight))) : reduced(smooth, reduction);
  return "add"_op("mul"_op(loss, 1 - smoothing), "mul"_op(smooth, share(smooth)));
}

// The logarithms are clamped at -100, as in PyTorch, so that the loss of a wrong probability of 0 or 1 is finite.
IValue decompose_binary_cross_entropy(const IValue* a) {
  auto bounded = [](const Tensor& logarithm) { return "clamp_min"_op(logarithm, -100); };
  Tensor miss = "mul"_op("sub"_op(a[1], 1), bounded("log1p"_op("neg"_op(a[0]))));
  Tensor loss = "sub"_op(miss, "mul"_op(a[1], bounded("log"_op(a[0]))));
  return reduced(a[2].is_none() ? loss : Tensor("mul"_op(loss, a[2])), a[3].to_int());
}

// As in PyTorch, the gradient by the input is a quotient whose divisor is at least 1e-12, and the gradient by the target uses the unclamped logarithms.
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

// The sizes of a loss that has the sizes `each` before the reduction; `reduction` is the position of that argument.
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

// binary_cross_entropy_with_logits(self, target, weight, pos_weight, reduction). The loss has the target's sizes and dtype, because PyTorch computes it in
// place in the tensor 1 - target.
void with_logits_rule(RuleCall& c) {
  auto x = c.dtype(0), target = c.dtype(1);
  for (size_t i : {0, 1})
    c.check(!c.dtype(i) || is_floating(*c.dtype(i)), ErrorKind::Runtime, "expected a floating-point input and target, but got ",
            info(x.value_or(DType::f32)).scalar_type, " and ", info(target.value_or(DType::f32)).scalar_type);
  Sizes sizes = c.sizes(1);
  auto widen = [&](SizesRef other) {
    const Sizes both = broadcast(sizes, other, c.op.name());
    Truth same = !both.ranked() || !sizes.ranked() ? Truth::unknown() : Truth(both.size() == sizes.size());
    for (size_t d = 0; certainly(same) && d < both.size(); ++d) same = same && both[d] == sizes[d];
    c.check(same, ErrorKind::Runtime, "output with shape ", sizes, " doesn't match the broadcast shape ", both);
  };
  widen(c.sizes(0));
  for (size_t i : {2, 3})
    if (!c.none(i)) widen(c.sizes(i));
  c.result(loss_sizes(c, 4, sizes), target);
}

// -log(sigmoid(input)) where the target is 1, -log(1 - sigmoid(input)) where it is 0.
IValue decompose_with_logits(const IValue* a) {
  const Tensor x = a[0].to_tensor(), target = a[1].to_tensor();
  auto in = [](const Tensor& t, DType dtype) { return t.dtype() == dtype ? t : Tensor("to"_op(t, dtype)); };
  const DType own = x.dtype();
  // log(1 + exp(-x)), written by where() so that exp never overflows. abs and clamp would give wrong second derivatives at 0. 16-bit floats are rounded once.
  const Tensor wide = in(x, element_size(own) == 2 ? DType::f32 : own);
  const Tensor below = "lt"_op(wide, 0), negative = "neg"_op(wide);
  const Tensor exponential = "exp"_op("where"_op(below, wide, negative));
  Tensor logarithm = in("add"_op("log1p"_op(exponential), "where"_op(below, negative, 0.0)), own);
  if (!a[3].is_none()) logarithm = in("mul"_op("add"_op("mul"_op("sub"_op(a[3], 1), target), 1), logarithm), own);
  const Tensor kept = in("mul"_op("rsub"_op(target, 1), x), target.dtype());
  Tensor loss = in("add"_op(kept, logarithm), target.dtype());
  if (!a[2].is_none()) loss = in("mul"_op(loss, a[2]), target.dtype());
  return reduced(loss, a[4].to_int());
}

// softmax(scores) @ values. The rows of queries that `masked_out` marks get weights of 0.
IValue attend(const Tensor& scores, const Tensor& values, const IValue& drop, const Tensor& masked_out = {}) {
  Tensor weights = "softmax"_op(scores, -1);
  if (masked_out.defined()) weights = "where"_op(masked_out, 0.0, weights);
  if (drop.to_double() > 0) weights = "dropout"_op(weights, drop, true);
  return "matmul"_op(weights, values);
}

// Grouped-query attention: repeats the heads of a key or value tensor so that it has as many heads as the query.
Tensor with_heads_of(const Tensor& query, const Tensor& t) {
  const Size count = floordiv(size_of(query, -3), size_of(t, -3));
  return count.is(1) ? t : Tensor("repeat_interleave"_op(t, count, -3));
}

constexpr std::string_view kAttention = "aten::scaled_dot_product_attention";

// Expands queries, keys and values to the same batch sizes, if their sizes are symbols of which it is not known that they are equal.
void share_batch(Tensor& q, Tensor& k, Tensor& v) {
  auto batch_of = [](const Tensor& t) { return Sizes(SizesRef(sizes_of(t)).first(static_cast<size_t>(t.dim()) - 2)); };
  const Sizes batch = broadcast_in_example(broadcast_in_example(batch_of(q), batch_of(k), kAttention), batch_of(v), kAttention);
  if (SizesRef(batch).all_ints()) return;
  for (Tensor* t : {&q, &k, &v}) *t = "expand"_op(*t, appended(batch, {size_of(*t, -2), size_of(*t, -1)}));
}

// 1 / sqrt(size of a head): a number, or a 0-d tensor if the size is a symbol.
IValue scale_of_heads(const Tensor& q) {
  const Size size = size_of(q, -1);
  if (size.is_int()) return 1 / std::sqrt(static_cast<double>(size.as_int()));
  const Tensor root = "sqrt"_op("scalar_tensor"_op(IValue(size), DType::f64, IValue(), q.device()));
  return "to"_op("reciprocal"_op(root), compute_type(q.dtype()));
}

IValue decompose_attention(const IValue* a) {
  Tensor q = a[0].to_tensor(), k = a[1].to_tensor(), v = a[2].to_tensor();
  if (a[7].to_bool()) k = with_heads_of(q, k), v = with_heads_of(q, v);
  share_batch(q, k, v);
  const IValue scale = a[6].is_none() ? scale_of_heads(q) : a[6];
  Tensor scores = "mul"_op("matmul"_op(q, "transpose"_op(k, -2, -1)), scale);
  auto keep_only = [&](const Tensor& mask) { scores = "where"_op(mask, scores, -HUGE_VAL); };
  auto places = [&](const Tensor& t) -> Tensor {
    if (t.is_meta()) return "arange"_op(size_of(t, -2), nullptr, nullptr, t.device());
    return "arange"_op(size_of(t, -2));
  };
  if (a[5].to_bool()) keep_only("le"_op(places(k), "unsqueeze"_op(places(q), 1)));
  if (!a[3].is_none()) {
    Tensor mask = a[3].to_tensor();
    if (mask.dtype() == DType::b1) keep_only(mask);
    else scores = "add"_op(scores, mask);
  }
  if (a[3].is_none() || k.size(-2) == 0) return attend(scores, v, a[4]);
  // The softmax of a query whose keys are all masked out would be NaN. Its result is 0.
  Tensor masked_out = "eq"_op("amax"_op(scores, Dims{-1}, true), -HUGE_VAL);
  return attend("where"_op(masked_out, 0.0, scores), v, a[4], masked_out);
}

// --- Rules.

Truth equal(SizesRef a, SizesRef b) {
  if (!a.ranked() || !b.ranked()) return Truth::unknown();
  Truth same = a.size() == b.size();
  for (size_t d = 0; d < a.size() && d < b.size(); ++d) same = same && a[d] == b[d];
  return same;
}

void mse_loss_rule(RuleCall& c) {
  constexpr std::array<size_t, 2> both{0, 1};
  const Sizes each = broadcast(c.sizes(0), c.sizes(1), c.op.name());
  const auto dtype = c.promoted(both);
  c.check_dtype(dtype, is_floating, "mse_cpu");
  reduced_result(c, 2, each, dtype);
}

// In PyTorch's order, so that equal losses have equal gradients.
void with_logits_gradient(GradCall& c) {
  for (const size_t k : {size_t{2}, size_t{3}})
    MONOGRAPH_CHECK(!c.needs(k), NotImplemented, "[", c.op.name(), "] derivative for ", k == 2 ? "weight" : "pos_weight",
                    " is not implemented; detach() it");
  const Tensor x = c.arg(0), target = c.arg(1);
  auto scaled = [&](Tensor g) {
    g = "mul"_op(g, c.grad());
    if (!c.value(2).is_none()) g = "mul"_op(g, c.value(2));
    return c.value(4).to_int() == kMean ? Tensor("div"_op(g, element_count(c.sizes(1)))) : g;
  };
  if (c.needs(0)) {
    Tensor g = "sigmoid"_op(x);
    if (c.value(3).is_none()) {
      g = "sub"_op(g, target);
    } else {
      const Tensor hits = "mul"_op(c.value(3), target);
      g = "sub"_op("mul"_op("sub"_op("add"_op(hits, 1), target), g), hits);
    }
    c.set(0, scaled(g));
  }
  if (!c.needs(1)) return;
  Tensor g = "neg"_op(x);
  if (!c.value(3).is_none()) g = "sub"_op(g, "mul"_op("sub"_op(c.value(3), 1), "log_sigmoid"_op(x)));
  c.set(1, scaled(g));
}

// Whether one pass over the elements computes a difference and what is made of it, with the bits of the single operators: those of 16-bit dtypes round
// between them.
bool one_pass(const Tensor& x, const Tensor& target) { return x.dtype() == target.dtype() && is_wide_float(x.dtype()); }

IValue mse_loss_in_one_pass(const IValue* a) {
  const Tensor &x = a[0].as_tensor(), &target = a[1].as_tensor();
  if (!one_pass(x, target)) return {};
  const int64_t reduction = a[2].to_int();
  const bool one_row = x.sizes() == target.sizes() && x.is_contiguous() && target.is_contiguous();
  if (!one_row || reduction == kNone) return reduced("monograph::squared_difference"_op(x, target), reduction);
  const Tensor sum = "monograph::sum_of_squared_differences"_op(x, target);
  return reduction == kMean ? Tensor("div"_op(sum, x.numel())) : sum;
}

void mse_loss_gradient(GradCall& c) {
  const Tensor x = c.arg(0), target = c.arg(1);
  const bool recorded = dispatch_state().top || dispatch_state().grad_enabled;
  const bool once = !recorded && one_pass(x, target) && x.sizes() == target.sizes() && c.grad().dtype() == x.dtype();
  const Tensor difference = once ? Tensor() : "sub"_op(x, target);
  Tensor g = c.grad();
  if (c.value(2).to_int() == kMean) g = "div"_op(g, once ? Size(x.numel()) : element_count(sizes_of(difference)));
  g = "mul"_op(g, 2);
  g = once ? "monograph::scaled_difference"_op(x, target, g) : "mul"_op(difference, g);
  if (c.needs(0)) c.set(0, g);
  if (c.needs(1)) c.set(1, "neg"_op(g));
}

// binary_cross_entropy(self, target, weight, reduction).
void binary_cross_entropy_rule(RuleCall& c) {
  SizesRef x = c.sizes(0), target = c.sizes(1);
  auto t = c.dtype(0), wanted = c.dtype(1);
  c.check(equal(x, target), Runtime, "expected a target of the input's size ", x, ", but got ", target);
  c.check(!t || !wanted || (is_floating(*t) && *t == *wanted), Runtime, "expected an input and a target of one floating dtype, but got ",
          scalar_type(t), " and ", scalar_type(wanted));
  if (!c.none(2)) c.check(equal(broadcast(x, c.sizes(2), c.op.name()), x), Runtime, "expected a weight that expands to ", x);
  c.contiguous(0), c.contiguous(1);
  reduced_result(c, 3, x, t);
}

// Losses of classes: (self, target, weight, reduction, ignore_index). `target` has one class for each row of `self`. `one_row`: the kind of an error about
// the sizes of an input without rows.
void class_loss_rule(RuleCall& c, ErrorKind one_row) {
  SizesRef x = c.sizes(0), target = c.sizes(1);
  auto t = c.dtype(0), index = c.dtype(1);
  c.check_dtype(t, is_floating);
  c.contiguous(1);
  if (!x.ranked()) return reduced_result(c, 3, SizesRef(), t);
  c.check(!x.empty(), one_row,
          "expected an input of size [classes], [batch, classes] or [batch, classes, ...], but got a tensor without dims");
  Sizes expected = x;
  const size_t dim = x.size() == 1 ? 0 : 1;
  const Size classes = x[dim];
  expected.erase(dim);
  const bool one_hot = target.ranked() && target.size() == x.size() && certainly(target[dim] == x[dim]);
  c.check(expected.empty() || target.empty() || expected[0] == target[0], ErrorKind::Value, "Expected input batch_size (", expected[0],
          ") to match target batch_size (", target[0], ").");
  const ErrorKind kind = x.size() == 1 ? one_row : target.empty() ? ErrorKind::Value : Runtime;
  c.check(!target.ranked() || target.size() == expected.size(), kind, "expected a target of size ", expected,
          ", one class for each row of an input of size ", x, ", but got a target of size ", target,
          one_hot ? "; target.argmax(1) gives the classes of one-hot rows" : "; squeeze(1) removes a dimension of size 1");
  c.check(equal(expected, target), Runtime, "expected targets of size ", expected, ", but got ", target);
  if (!c.none(2)) {
    SizesRef weight = c.sizes(2);
    c.check(!weight.ranked() || (weight.size() == 1 && weight[0] == classes), Runtime, "weight tensor should be defined either for all ",
            classes, " classes or no classes, but got ", weight);
    c.check(!t || !c.dtype(2) || *t == *c.dtype(2), Runtime, "expected a weight of scalar type ", scalar_type(t), ", but got ",
            scalar_type(c.dtype(2)));
  }
  c.check(!index || *index == DType::i64 || *index == DType::u8, Runtime, "expected target dtype to be Long or Byte, but got ",
          scalar_type(index), "; convert it, for example target.to(torch.int64)");
  reduced_result(c, 3, expected, t);
}

void nll_loss_rule(RuleCall& c) {
  class_loss_rule(c, ErrorKind::Value);
  if (c.eager() && c.sizes(1).all_ints() && c.dtype(0)) c.scratch(class_loss_scratch(*c.dtype(0), element_count(c.sizes(1)).as_int(), 0));
}

void cross_entropy_rule(RuleCall& c) {
  auto smoothing = c.real(5);
  c.check(!smoothing || !(*smoothing > 1), Runtime, "label_smoothing must be between 0.0 and 1.0. Got: ", smoothing.value_or(0));
  auto target = c.dtype(1);
  if (!target || !is_floating(*target)) return class_loss_rule(c, Runtime);
  SizesRef x = c.sizes(0);
  if (const SizesRef y = c.sizes(1); x.size() > 1 && y.ranked())
    c.check(!y.empty() && x[0] == y[0], ErrorKind::Value, "Expected input batch_size (", x[0], ") to match target batch_size (",
            y.empty() ? Size(0) : y[0], ").");
  c.check(equal(x, c.sizes(1)), Runtime, "expected the probabilities of the classes to have the input's size ", x, ", but got ",
          c.sizes(1));
  c.check(c.size(4) < 0, Runtime, "ignore_index is not supported for floating point target, but got ", c.size(4));
  Sizes each = x;
  if (x.ranked() && !x.empty()) each.erase(x.size() == 1 ? 0 : 1);
  reduced_result(c, 3, each, c.dtype(0));
}

void attention_rule(RuleCall& c) {
  c.check(c.none(3) || !Truth::of(c.truth(5)), Runtime, "Explicit attn_mask should not be set when is_causal=True");
  SizesRef query = c.sizes(0), key = c.sizes(1), value = c.sizes(2);
  for (const SizesRef& sizes : {query, key, value})
    c.check(!sizes.ranked() || sizes.size() >= 2, Runtime,
            "Expected query, key, and value to all be at least 2 dimensional, but got query ", query, ", key ", key, " and value ", value);
  for (size_t i = 1; i < 3 && c.truth(7).value_or(false); ++i) {
    const SizesRef grouped = c.sizes(i);
    if (!query.ranked() || !grouped.ranked()) continue;
    c.check(query.size() >= 3 && grouped.size() >= 3, ErrorKind::Index, "enable_gqa=True expects the heads in dim -3, but got sizes ",
            query, " and ", grouped);
    const Size heads = query[query.size() - 3], groups = grouped[grouped.size() - 3];
    c.check(!groups.is(0) && mod(heads, groups) == 0, Runtime,
            "Number of heads in key and value must divide the number of heads in query, but got ", groups, " and ", heads);
  }
  if (query.ranked() && key.ranked() && !query.empty() && !key.empty())
    c.check(query.back() == key.back(), Runtime, "the last sizes of query and key must be equal, but got ", query, " and ", key);
  if (key.ranked() && value.ranked() && key.size() >= 2 && value.size() >= 2)
    c.check(key[key.size() - 2] == value[value.size() - 2], Runtime, "the second-to-last sizes of key and value must be equal, but got ",
            key, " and ", value);
  if (!c.none(3) && c.sizes(3).ranked() && query.ranked() && key.ranked() && query.size() >= 2 && key.size() >= 2) {
    const SizesRef mask = c.sizes(3);
    Sizes scores = query;
    scores.set(query.size() - 1, key[key.size() - 2]);
    for (size_t k = 1; k <= std::min<size_t>(mask.size(), 2); ++k)
      c.check(mask[mask.size() - k] == 1 || mask[mask.size() - k] == scores[scores.size() - k], Runtime,
              "expected an attn_mask that expands to ", scores, ", the size of query @ key.transpose(-2, -1), but got size ", mask);
  }
  if (!query.ranked()) return c.unranked(0);
  Sizes out = query;
  if (!query.empty()) out.set(query.size() - 1, value.ranked() && !value.empty() ? value.back() : Size());
  c.like(0, out);
}

// --- Checks of elements.

// Checks that each target is a class or ignore_index.
KernelStatus check_classes(KernelCall& call) {
  const KernelTensor &x = call.args[0].tensor, &target = call.args[1].tensor;
  const int64_t classes = x.sizes[x.dim == 1 ? 0 : 1], ignored = call.args[4].integer, n = target.numel();
  auto see = [&](const auto* index) {
    for (int64_t i = 0; i < n; ++i)
      if (const auto at = static_cast<int64_t>(index[i]); at != ignored && (at < 0 || at >= classes)) return call.fail(at, classes, i);
    return KernelStatus::Ok;
  };
  if (target.dtype == DType::i64) return see(target.as<int64_t>());
  return target.dtype == DType::u8 ? see(target.as<uint8_t>()) : KernelStatus::Ok;  // targets of other dtypes are probabilities
}

// The place of the first element that is not between 0 and 1; -1 if there is none.
template <class T>
int64_t first_non_probability(const KernelTensor& t) {
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const int64_t n = t.numel();
  for (int64_t i = 0; i < n; ++i) {
    const auto v = static_cast<Wide>(t.as<T>()[i]);
    if (!(v >= 0 && v <= 1)) return i;
  }
  return -1;
}

KernelStatus check_probabilities(KernelCall& call) {
  for (size_t k = 0; k < 2; ++k) {
    const KernelTensor& t = call.args[k].tensor;
    const int64_t bad = t.dtype == DType::f64    ? first_non_probability<double>(t)
                        : t.dtype == DType::f16  ? first_non_probability<half>(t)
                        : t.dtype == DType::bf16 ? first_non_probability<bfloat16>(t)
                                                 : first_non_probability<float>(t);
    if (bad >= 0) return call.fail(0, 0, bad, k == 0 ? KernelStatus::BadValue : KernelStatus::BadSecond);
  }
  return KernelStatus::Ok;
}

constexpr const char* kOutOfClasses = "Target {value} is out of bounds: with {limit} classes, a target is at least 0 and less than {limit}";

}  // namespace

// What mse_loss and its gradient call outside of captures.
void differences(Registry& r) {
  constexpr DTypeSet kWide = set_of({DType::f32, DType::f64});
  constexpr const char* kSingly = "decomposes to sub and mul";
  r.pointwise("monograph::squared_difference(Tensor self, Tensor other) -> Tensor", [](Num x, Num y) { return (x - y) * (x - y); })
      .dtypes(kWide)
      .namespaced("_nn")
      .gradient(derived)
      .decompose([](const IValue* a) -> IValue { return "square"_op("sub"_op(a[0], a[1])); }, Reads::Nothing)
      .onnx(none(kSingly))
      .doc("The squared differences.")
      .samples(none("PyTorch has no such operator; mse_loss's samples run it"));
  r.pointwise("monograph::scaled_difference(Tensor self, Tensor other, Tensor scale) -> Tensor",
              [](Num x, Num y, Num scale) { return (x - y) * scale; })
      .dtypes(kWide)
      .namespaced("_nn")
      .gradient(derived)
      .decompose([](const IValue* a) -> IValue { return "mul"_op("sub"_op(a[0], a[1]), a[2]); }, Reads::Nothing)
      .onnx(none(kSingly))
      .doc("The differences times `scale`.")
      .samples(none("PyTorch has no such operator; the gradients of mse_loss's samples run it"));
  r.rows({"monograph::sum_of_squared_differences(Tensor self, Tensor other) -> Tensor"}, {.body =
                                                                                              [](RowContext& c) {
                                                                                                const Num difference =
                                                                                                    c.has(1) ? c.x() - c.tensor(1) : c.x();
                                                                                                c.out(row_sum(difference * difference));
                                                                                              },
                                                                                          .rows = RowRule::Rows::All,
                                                                                          .reduces = true,
                                                                                          .result = RowRule::Result::Float,
                                                                                          .tensors = {0, 1, -1},
                                                                                          .dtypes = kWide})
      .namespaced("_nn")
      .gradient([](GradCall& c) {
        const Tensor g = "mul"_op("sub"_op(c.value(0), c.value(1)), "mul"_op(c.grad(), 2));
        if (c.needs(0)) c.set(0, g);
        if (c.needs(1)) c.set(1, "neg"_op(g));
      })
      .decompose([](const IValue* a) -> IValue { return "sum"_op("square"_op("sub"_op(a[0], a[1]))); }, Reads::Nothing)
      .onnx(none("decomposes to sub, square and sum"))
      .doc("The sum of the squared differences.")
      .samples(none("PyTorch has no such operator; mse_loss's samples run it"));
}

void losses(Registry& r) {
  differences(r);
  r.op("mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor")
      .namespaced("_nn")
      .rule(mse_loss_rule)
      .decompose([](const IValue* a) -> IValue { return reduced("square"_op("sub"_op(a[0], a[1])), a[2].to_int()); }, Reads::Nothing)
      .decompose_eagerly(mse_loss_in_one_pass)
      .gradient(mse_loss_gradient)
      .onnx(
          "out: ReduceMean(Pow(Sub(self, target), 2.0), keepdims=0) | ReduceSum(Pow(Sub(self, target), 2.0), keepdims=0) if reduction = 2 "
          "| Pow(Sub(self, target), 2.0) if reduction = 0")
      .autocast(Autocast::Float32)
      .doc("The mean (1) or sum (2) of the squared differences, or all of them (0).")
      .samples("[[t(f32, 2, 3), t(f32, 2, 3), r] for r in (0, 1, 2)] + [[t(d, 2), t(d, 2), 1] for d in (c64, i64)]");
  r.op("l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor")
      .namespaced("_nn")
      .rule(l1_loss_rule)
      .decompose([](const IValue* a) -> IValue { return reduced("abs"_op("sub"_op(a[0], a[1])), a[2].to_int()); }, Reads::Nothing)
      .onnx(none("decomposes to a difference and its absolute value"))
      .autocast(Autocast::Float32)
      .doc("The mean (1) or sum (2) of the absolute differences, or all of them (0).")
      .samples(
          R"([[t(d, 2, 3), t(d, 2, 3), r] for d in (f32, f64, f16) for r in (0, 1, 2)] + [[t(f32, 2, 3), t(f64, 3), r] for r in (0, 1, 2)]
                + [[t(i64, 2), t(i64, 2), r] for r in (0, 1, 2)]
                + [[t(c64, 2), t(c64, 2), 0], [t(f32, 2), t(f32, 3), 1], [t(f32, 0), t(f32, 0), 1], [at([1.0, nan]), at([1.0, 2.0]), 2]])");
  r.op("binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=Mean) -> "
       "Tensor")
      .function_only()
      .rule(with_logits_rule)
      .decompose(decompose_with_logits, Reads::Nothing)
      .gradient(with_logits_gradient)
      .onnx(none("decomposes to logarithm and exponential"))
      .autocast(Autocast::Float32)
      .doc(
          "binary_cross_entropy of sigmoid(`self`), which overflows nowhere; `pos_weight` multiplies the part of target 1.\n\nweight: The "
          "factor of each element. None: 1.")
      .samples(R"([[t(d, 3, 4), t(d, 3, 4, low=0.0, high=1.0), w and t(d, 4, low=0.0), p and t(d, 4, low=0.1), r]
                   for d in (f32, f64) for w in (None, True) for p in (None, True) for r in (0, 1, 2)]
                + [[at([0.0, -0.0, 100.0, -100.0, 1e30, -1e30, inf, -inf, nan]), at([1.0, 0.0, 0.0, 1.0, 0.5, 0.5, 1.0, 0.0, 0.5]), None, p, r]
                   for p in (None, at([2.0])) for r in (0, 2)]
                + [[t(d, 4), t(e, 4, low=0.0, high=1.0), w and t(f64, 4, low=0.0), p and t(f64, 4, low=0.1), 0]
                   for d, e in ((f32, f16), (f64, f32), (f64, f16), (f16, f16), (f16, f32)) for w in (None, True) for p in (None, True)]
                + [[t(f32, 4), t(i64, 4)], [t(i64, 4), t(f32, 4)], [t(f32, 4), t(f32, 3)], [t(f32, 3, 4), t(f32, 3, 4), t(f32, 3), None, 0],
                   [t(f32, 3, 4), t(f32, 4), None, None, 0], [t(f32, 4), t(f32, 3, 4), None, None, 0],
                   [t(f32, 0), t(f32, 0)]])");
  r.op("binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean) -> Tensor")
      .namespaced("_nn")
      .rule(binary_cross_entropy_rule)
      .check(check_probabilities)
      .bad_data(Runtime,
                "all elements of input should be between 0 and 1, but element {place} is not; use sigmoid before, or "
                "binary_cross_entropy_with_logits",
                "all elements of target should be between 0 and 1, but element {place} is not")
      .decompose(decompose_binary_cross_entropy, Reads::Nothing)
      .gradient(binary_cross_entropy_gradient)
      .onnx(none("decomposes to logarithms"))
      .autocast(Autocast::Float32)
      .doc(
          "Minus the logarithm of the probability that `self` gives each `target`, weighted, and reduced as in mse_loss.\n\nweight: The "
          "factor of each element. None: 1.")
      .samples(R"([[p, y, w_, r] for p, y in ((at([0.0, 1.0, 0.0, 1.0, 0.5, 0.0, 0.25]), at([1.0, 0.0, 0.0, 1.0, 0.5, 0.5, 0.75])),)
                  for w_ in (None, t(f32, 7), t(f32, 1)) for r in (0, 1, 2)]
               + [[t(d, 3, 4, low=0.1, high=0.9), t(d, 3, 4, low=0.0, high=1.0), w_ and t(d, 4), r] for d in (f32, f64)
                  for w_ in (None, True) for r in (0, 1, 2)]
               + [[at([v]), at([1.0]), None, 1] for v in (1.5, -0.1, nan)] + [[at([0.5, 0.2]), v, None, 1]
                  for v in (at([1, 0]), t(f64, 2), t(f32, 3))]
               + [[at([0.5, 0.2]), at([1.0, 0.0]), t(f32, 2, 1), 1], [t(f32, 0), t(f32, 0), None, 1], [t(f32, 0), t(f32, 0), None, 2]])");
  r.op("nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100) -> Tensor")
      .namespaced("_nn")
      .alias({"nll_loss_nd"})
      .rule(nll_loss_rule)
      .kernel(nll_loss_kernel)
      .check(check_classes)
      .bad_data(ErrorKind::Index, kOutOfClasses)
      .decompose(decompose_nll_loss, Reads::Symbols)
      .gradient(nll_loss_gradient)
      .keeps("total_weight", total_weight)
      .onnx(
          "NegativeLogLikelihoodLoss(self, target, weight, ignore_index=ignore_index, reduction=\"mean\") | "
          "NegativeLogLikelihoodLoss(self, target, weight, ignore_index=ignore_index, reduction=\"sum\") if reduction = 2 | "
          "NegativeLogLikelihoodLoss(self, target, weight, ignore_index=ignore_index, reduction=\"none\") if reduction = 0")
      .autocast(Autocast::Float32)
      .doc(
          "Minus the log-probability of each target class, weighted, and reduced as in mse_loss.\n\nweight: The factor of each class. "
          "None: 1.")
      .samples(R"([[t(f32, 4, 3), index(3, 4), w_, r, -100] for w_ in (None, t(f32, 3, low=0.1)) for r in (0, 1, 2)]
               + [[t(f32, 4, 3), at([0, 1, 1, 2]), None, 1, 1]]
               + [[t(f32, 2, 3), at([-100, c]), w_, r, -100] for c in (-100, 1) for w_ in (None, at([1.0, 0.0, 1.0])) for r in (0, 1, 2)]
               + [[at([[nan, inf], [1.0, 2.0]]), at([-100, 1]), None, 1, -100], [t(i64, 2, 3), at([0, 1]), None, 1, -100],
                [t(f32, 2, 3), at([0, 1]), t(f64, 3), 1, -100]]
               + [[t(f32, 4, 3), c, None, 1, -100] for c in [at([0, 1, c, 1])
                  for c in (3, -3, -100)] + [at([0, 1, 2, 1]).int(), at([0, 1, 2, 1]).to(u8), at([0, 1, 2, 1]).float(), at([0, 1])]]
               + [[t(f32, 3), at(1), None, 1, -100], [t(f32, 4, 3), at([0, 1, 2, 1]), t(f32, 2), 1, -100]])");
  r.op("cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100, float "
       "label_smoothing=0.0) -> Tensor")
      .namespaced("_nn")
      .rule(cross_entropy_rule)
      .check(check_classes)
      .bad_data(ErrorKind::Index, kOutOfClasses)
      .decompose(decompose_cross_entropy, Reads::Symbols)
      .onnx(
          "SoftmaxCrossEntropyLoss(self, target, weight, ignore_index=ignore_index, reduction=\"mean\") | SoftmaxCrossEntropyLoss(self, "
          "target, weight, ignore_index=ignore_index, reduction=\"sum\") if reduction = 2 | SoftmaxCrossEntropyLoss(self, target, weight, "
          "ignore_index=ignore_index, reduction=\"none\") if reduction = 0")
      .autocast(Autocast::Float32)
      .doc("nll_loss of the log-softmax; targets may be probabilities.\n\nweight: The factor of each class. None: 1.")
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
      .rule(attention_rule)
      .decompose(decompose_attention, Reads::Symbols)
      .one_step()
      .onnx("Attention(query, key, value, attn_mask, scale=scale, is_causal=is_causal) if opset >= 23, rank(query) = 4")
      .autocast(Autocast::LowerPrecision)
      .doc("softmax(query @ key.T * scale + mask) @ value. With enable_gqa each head of key and value serves as many heads of the query.")
      .samples(R"([[t(f32, 2, 3, 4), t(f32, 2, 5, 4), t(f32, 2, 5, 4), m, 0.0, c, sc, False]
                  for m, c, sc in ((None, False, None), (None, True, 0.3), (t(f32, 3, 5), False, None),
                  (t(b1, 3, 5) | torch.eye(3, 5).bool(), False, None))]
               + [[t(f32, 1, 2, 4), t(f32, 1, 2, 4), t(f32, 1, 2, 4), m, 0.0, False, None, False]
                  for m in [at([[True, False], [False, False]]), at([[0.0, -inf], [-inf, -inf]])]]
               + [[t(f32, 2, 4, 3, 2), t(f32, 2, k, 5, 2), t(f32, 2, v, 5, 2), None, 0.0, c, None, True]
                  for k, v, c in ((2, 2, False), (2, 2, True), (1, 4, False), (4, 2, False), (3, 3, False), (2, 3, False))]
               + [[t(f32, 4, 3, 2), t(f32, 2, 5, 2), t(f32, 1, 5, 2), t(f32, 3, 5), 0.0, False, 0.5, True],
                  [t(f32, 3, 2), t(f32, 3, 2), t(f32, 3, 2), None, 0.0, False, None, True]])");
}

}  // namespace monograph
