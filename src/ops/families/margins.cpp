// Losses that compare numbers, distances and ranks: smooth_l1_loss, kl_div, triplet_margin_loss, multi_margin_loss and others. Each one decomposes into
// other operators, which give its gradient and which captures record. The losses over classes also have kernels. The shape rules come first.
#include <cmath>
#include <numbers>

#include "kernels/class_losses.h"
#include "ops/dispatch.h"
#include "ops/families/distances.h"
#include "ops/families/error_kinds.h"
#include "ops/families/losses.h"
#include "ops/registry.h"
#include "ops/rule.h"
#include "ops/torchscript_names.h"

namespace monograph {
namespace {

std::optional<DType> common_dtype(const RuleCall& c, size_t count) {
  std::optional<DType> t = c.dtype(0);
  for (size_t i = 1; i < count; ++i) t = t && c.dtype(i) ? std::optional(promote_types(*t, *c.dtype(i))) : std::nullopt;
  return t;
}

// The rule of a loss with one term for each element. The first `kCount` tensors broadcast; argument kReduction is the reduction.
template <size_t kCount, size_t kReduction>
void elementwise_rule(RuleCall& c) {
  Sizes each = c.sizes(0);
  for (size_t i = 1; i < kCount; ++i) each = broadcast(each, c.sizes(i), c.op.name());
  const auto t = common_dtype(c, kCount);
  c.check_dtype(t, is_floating);
  reduced_result(c, kReduction, each, t);
}

// As in PyTorch, the loss has the sizes and the dtype of the input.
void soft_margin_rule(RuleCall& c) {
  elementwise_rule<2, 2>(c);
  SizesRef x = c.sizes(0), target = c.sizes(1);
  const Sizes each = broadcast(x, target, c.op.name());
  for (size_t d = 0; x.ranked() && d < each.size(); ++d)
    c.check(each.size() == x.size() && each[d] == x[d], Runtime, "expected a target that expands to the input's size ", x, ", but got ",
            target);
  c.check(!c.dtype(0) || is_floating(*c.dtype(0)), Runtime, "result type Float can't be cast to the desired output type ",
          scalar_type(c.dtype(0)), "; convert the input, for example with to(torch.float32)");
}

void smooth_l1_rule(RuleCall& c) {
  const auto beta = c.real(3);
  c.check(!beta || *beta >= 0, Runtime, "smooth_l1_loss does not support negative values for beta.");
  elementwise_rule<2, 2>(c);
}

void huber_rule(RuleCall& c) {
  const auto delta = c.real(3);
  c.check(!delta || *delta > 0, Runtime, "huber_loss does not support non-positive values for delta.");
  elementwise_rule<2, 2>(c);
}

// Distances are measured along the last dim, so the unreduced loss does not have that dim.
void triplet_rule(RuleCall& c) {
  Sizes each = broadcast(broadcast(c.sizes(0), c.sizes(1), c.op.name()), c.sizes(2), c.op.name());
  const size_t rank = c.sizes(0).size();
  c.check(!c.sizes(0).ranked() || !c.sizes(1).ranked() || !c.sizes(2).ranked() || (rank == c.sizes(1).size() && rank == c.sizes(2).size()),
          Runtime, "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor ", rank,
          "D, positive ", c.sizes(1).size(), "D, and negative ", c.sizes(2).size(), "D inputs");
  if (each.ranked() && !each.empty()) each.erase(each.size() - 1);
  auto t = common_dtype(c, 3);
  if (t && is_complex(*t)) t = real_type(*t);
  c.check_dtype(t, is_floating);
  reduced_result(c, 7, each, t);
}

void cosine_embedding_rule(RuleCall& c) {
  SizesRef target = c.sizes(2);
  c.check(!target.ranked() || target.size() <= 1, Runtime, "0D or 1D target tensor expected, multi-target not supported");
  if (target.ranked())
    for (size_t i : {size_t{0}, size_t{1}})
      c.check(!c.sizes(i).ranked() || c.sizes(i).size() == target.size() + 1, Runtime, target.size(), "D target tensor expects ",
              target.size() + 1, "D input tensors, but found inputs with sizes ", c.sizes(0), " and ", c.sizes(1), ".");
  Sizes each = broadcast(c.sizes(0), c.sizes(1), c.op.name());
  if (each.ranked() && !each.empty()) each.erase(each.size() - 1);
  each = broadcast(each, target, c.op.name());
  const auto t = common_dtype(c, 2);
  c.check_dtype(t, is_floating);
  reduced_result(c, 4, each, t);
}

// Asks for the scratch memory of the kernels of kernels/class_losses.h.
void request_class_scratch(RuleCall& c) {
  SizesRef x = c.sizes(0);
  if (!c.eager() || !x.all_ints() || !c.dtype(0)) return;
  c.scratch(class_loss_scratch(*c.dtype(0), x.size() == 2 ? x[0].as_int() : 1, x.empty() ? 1 : x.back().as_int()));
}

// The checks that both losses over classes share. Returns false if the rank of the input is not known.
bool check_class_input(const RuleCall& c, SizesRef x) {
  c.check(!c.dtype(1) || *c.dtype(1) == DType::i64, Runtime, "expected scalar type Long for target but got ", scalar_type(c.dtype(1)));
  if (!x.ranked()) return false;
  c.check(x.size() <= 2 && (x.empty() || x.back() != 0), Runtime,
          "Expected non-empty vector or matrix with optional 0-dim batch size, but got: ", x);
  return true;
}

// The target holds one class for each row.
void multi_margin_rule(RuleCall& c) {
  SizesRef x = c.sizes(0), target = c.sizes(1);
  c.check_dtype(c.dtype(0), is_floating);
  const auto p = c.real(2);
  c.check(!p || *p == 1 || *p == 2, Runtime, "multi_margin_loss: Invalid p, expected 1 or 2 but got ", p.value_or(0));
  if (!check_class_input(c, x)) return reduced_result(c, 5, SizesRef(), c.dtype(0));
  const Size rows = x.size() == 2 ? x[0] : Size(1);
  c.check(!target.ranked() || (target.size() <= 1 && element_count(target) == rows), Runtime, "inconsistent target size, expected ", rows,
          " but got ", target);
  c.contiguous(1);
  if (!c.none(4)) {
    SizesRef w = c.sizes(4);
    const Size classes = x.empty() ? Size(1) : x.back();
    c.check(!w.ranked() || (w.size() <= 1 && element_count(w) == classes), Runtime, "inconsistent weight size, expected ", classes,
            " but got ", w);
  }
  request_class_scratch(c);
  reduced_result(c, 5, target, c.dtype(0));
}

// The target holds a row of classes for each row. A -1 ends the list of classes.
void multilabel_margin_rule(RuleCall& c) {
  SizesRef x = c.sizes(0), target = c.sizes(1);
  c.check_dtype(c.dtype(0), is_floating);
  if (!check_class_input(c, x)) return reduced_result(c, 2, SizesRef(), c.dtype(0));
  bool fits = !target.ranked() || target.size() == x.size();
  for (size_t d = 0; fits && target.ranked() && d < x.size(); ++d) fits = !never(x[d] == target[d]);
  c.check(fits, Runtime, "inconsistent target size: ", target, " for input of size: ", x);
  Sizes each = x;
  if (!each.empty()) each.erase(each.size() - 1);
  c.contiguous(1);
  request_class_scratch(c);
  reduced_result(c, 2, each, c.dtype(0));
}

// --- Checks of the targets' elements.

// Each target is a class, from kLowest on: 0, or -1 where that ends a list of classes.
template <int64_t kLowest>
KernelStatus check_targets(KernelCall& call) {
  const KernelTensor &x = call.args[0].tensor, &target = call.args[1].tensor;
  const int64_t classes = x.dim == 0 ? 1 : x.sizes[x.dim - 1];
  for (int64_t i = 0; i < target.numel(); ++i)
    if (const int64_t at = target.as<int64_t>()[i]; at < kLowest || at >= classes) return call.fail(at, classes, i);
  return KernelStatus::Ok;
}

// --- Decompositions.

// The loss is quadratic below `beta` and linear above it. `beta` must not be 0, because the quadratic part divides by it.
Num smooth_l1_terms(Num x, Num y, Num beta) {
  const Num distance = abs(x - y);
  return where(distance < beta, distance * 0.5 * distance / beta, distance - 0.5 * beta);
}
Num huber_terms(Num x, Num y, Num delta) {
  const Num distance = abs(x - y);
  return where(distance <= delta, distance * distance * 0.5, (distance - 0.5 * delta) * delta);
}
// Whether one operator may compute the terms. In 16-bit dtypes it may not, because PyTorch rounds between the steps.
bool has_fused_terms(const IValue* a) {
  const DType t = a[0].as_tensor().dtype();
  return t == a[1].as_tensor().dtype() && (t == DType::f32 || t == DType::f64);
}

IValue decompose_smooth_l1(const IValue* a) {
  if (has_fused_terms(a) && a[3].to_double() != 0) return reduced("prim::smooth_l1_terms"_op(a[0], a[1], a[3]), a[2].to_int());
  const DType dtype = promote_types(a[0].as_tensor().dtype(), a[1].as_tensor().dtype());
  const bool wide = dtype == DType::bf16;  // in bfloat16 PyTorch rounds once, at the end; in float16 it rounds `beta` and each step
  const double given = a[3].to_double(), beta = dtype == DType::f16 ? static_cast<double>(half(static_cast<float>(given))) : given;
  const Tensor x = a[0].to_tensor();
  const Tensor distance = "abs"_op("sub"_op(wide ? Tensor("to"_op(x, DType::f32)) : x, a[1]));
  if (given == 0) return reduced(wide ? Tensor("to"_op(distance, dtype)) : distance, a[2].to_int());
  const Tensor square = "div"_op("mul"_op("mul"_op(distance, 0.5), distance), beta);
  const Tensor loss = "where"_op("lt"_op(distance, beta), square, "sub"_op(distance, 0.5 * beta));
  return reduced(wide ? Tensor("to"_op(loss, dtype)) : loss, a[2].to_int());
}

IValue decompose_huber(const IValue* a) {
  if (has_fused_terms(a)) return reduced("prim::huber_terms"_op(a[0], a[1], a[3]), a[2].to_int());
  const double delta = a[3].to_double();
  const Tensor distance = "abs"_op("sub"_op(a[0], a[1]));
  const Tensor square = "mul"_op("mul"_op(distance, distance), 0.5), line = "mul"_op("sub"_op(distance, 0.5 * delta), delta);
  return reduced("where"_op("le"_op(distance, delta), square, line), a[2].to_int());
}

IValue decompose_soft_margin(const IValue* a) { return reduced("log1p"_op("exp"_op("mul"_op("neg"_op(a[1]), a[0]))), a[2].to_int()); }

// t * log(t); at 0 it is 0.
Tensor t_log_t(const Tensor& t) {
  const Tensor zero = "eq"_op(t, 0);
  return "where"_op(zero, 0.0, "mul"_op(t, "log"_op("where"_op(zero, 1.0, t))));
}

IValue decompose_kl_div(const IValue* a) {
  const Tensor loss = a[3].to_bool() ? Tensor("mul"_op("exp"_op(a[1]), "sub"_op(a[1], a[0])))
                                     : Tensor("sub"_op(t_log_t(a[1].to_tensor()), "mul"_op(a[1], a[0])));
  return reduced(loss, a[2].to_int());
}

IValue decompose_poisson(const IValue* a) {
  const IValue &x = a[0], &target = a[1];
  Tensor loss = a[2].to_bool() ? Tensor("sub"_op("exp"_op(x), "mul"_op(target, x)))
                               : Tensor("sub"_op(x, "mul"_op(target, "log"_op("add"_op(x, a[4])))));
  if (a[3].to_bool()) {  // Stirling's approximation of log(target!), for targets above 1
    const Tensor at_most_1 = "le"_op(target, 1), n = "where"_op(at_most_1, 2.0, target);
    const Tensor log_factorial =
        "add"_op("sub"_op("mul"_op(n, "log"_op(n)), n), "mul"_op("log"_op("mul"_op(n, 2 * std::numbers::pi)), 0.5));
    loss = "add"_op(loss, "where"_op(at_most_1, 0.0, log_factorial));
  }
  return reduced(loss, a[5].to_int());
}

IValue decompose_hinge_embedding(const IValue* a) {
  const Tensor apart = "clamp_min"_op("rsub"_op(a[0], a[2]), 0);
  const Tensor loss = "add"_op("where"_op("ne"_op(a[1], 1), apart, 0.0), "where"_op("ne"_op(a[1], -1), a[0], 0.0));
  return reduced(loss, a[3].to_int());
}

IValue decompose_margin_ranking(const IValue* a) {
  return reduced("clamp_min"_op("add"_op("mul"_op("neg"_op(a[2]), "sub"_op(a[0], a[1])), a[3]), 0), a[4].to_int());
}

IValue decompose_cosine_embedding(const IValue* a) {
  constexpr double kEpsilon = 1e-12;
  auto dot = [&](const IValue& x, const IValue& y) { return Tensor("sum"_op("mul"_op(x, y), Dims{-1}, false)); };
  const Tensor squares = "mul"_op("add"_op(dot(a[0], a[0]), kEpsilon), "add"_op(dot(a[1], a[1]), kEpsilon));
  const Tensor cosine = "div"_op(dot(a[0], a[1]), "sqrt"_op(squares));
  const Tensor alike = "rsub"_op(cosine, 1), apart = "clamp_min"_op("sub"_op(cosine, a[3]), 0);
  return reduced("add"_op("where"_op("eq"_op(a[2], 1), alike, 0.0), "where"_op("eq"_op(a[2], -1), apart, 0.0)), a[4].to_int());
}

IValue decompose_triplet(const IValue* a) {
  auto distance = [&](const IValue& x, const IValue& y) { return Tensor("pairwise_distance"_op(x, y, a[4], a[5])); };
  const Tensor positive = distance(a[0], a[1]);
  Tensor negative = distance(a[0], a[2]);
  if (a[6].to_bool()) negative = "minimum"_op(negative, distance(a[1], a[2]));
  return reduced("clamp_min"_op("add"_op("sub"_op(positive, negative), a[3]), 0), a[7].to_int());
}

// 0, 1, ..: the classes that the last dim of x stands for.
Tensor class_indices(const Tensor& x) {
  const Size n = size_of(x, -1);
  return x.is_meta() ? "arange"_op(n, nullptr, nullptr, x.device()) : "arange"_op(n);
}

IValue decompose_multi_margin(const IValue* a) {
  Tensor x = a[0].to_tensor();
  if (x.dim() < 2) x = "reshape"_op(x, Dims{1, -1});
  const Tensor target = "reshape"_op(a[1], Dims{-1, 1});
  Tensor apart = "clamp_min"_op("add"_op("rsub"_op("gather"_op(x, 1, target), a[3]), x), 0);
  if (a[2].to_double() == 2) apart = "mul"_op(apart, apart);
  if (!a[4].is_none())
    apart = "mul"_op(apart, "reshape"_op("index_select"_op("reshape"_op(a[4], Dims{-1}), 0, "reshape"_op(target, Dims{-1})), Dims{-1, 1}));
  apart = "where"_op("eq"_op(class_indices(x), target), 0.0, apart);
  const Tensor loss = "div"_op("sum"_op(apart, Dims{1}, false), size_of(x, 1));
  return a[5].to_int() == kNone ? Tensor("reshape"_op(loss, sizes_of(a[1].as_tensor()))) : reduced(loss, a[5].to_int());
}

IValue decompose_multilabel_margin(const IValue* a) {
  Tensor x = a[0].to_tensor(), target = a[1].to_tensor();
  const bool single = x.dim() < 2;
  if (single) x = "reshape"_op(x, Dims{1, -1}), target = "reshape"_op(target, Dims{1, -1});
  const Tensor listed = "eq"_op("cumsum"_op("lt"_op(target, 0), 1), 0);  // the targets before the first -1
  const Tensor places = "where"_op(listed, target, 0);
  const Tensor hits = "logical_and"_op("eq"_op("unsqueeze"_op(places, 2), class_indices(x)), "unsqueeze"_op(listed, 2));
  const Tensor is_target = "any"_op(hits, 1, true);
  const Tensor apart = "clamp_min"_op("add"_op("rsub"_op("unsqueeze"_op("gather"_op(x, 1, places), 2), 1), "unsqueeze"_op(x, 1)), 0);
  const Tensor wanted = "logical_and"_op("unsqueeze"_op(listed, 2), "logical_not"_op(is_target));
  Tensor loss = "div"_op("sum"_op("where"_op(wanted, apart, 0.0), Dims{1, 2}, false), size_of(x, 1));
  if (single) loss = "squeeze"_op(loss, 0);
  return reduced(loss, a[2].to_int());
}

}  // namespace

void margins(Registry& r) {
  auto terms = [&](const char* schema, auto body, const char* name) {
    r.pointwise(schema, body)
        .dtypes(set_of({DType::f32, DType::f64}))
        .function_only()
        .gradient(derived)
        .onnx(none("decomposes to its parts"))
        .doc("The loss of each element, before the reduction.")
        .samples(none("the loss has its results"));
    no_torchscript(name, "PyTorch has no operator of this name");
  };
  terms("prim::smooth_l1_terms(Tensor self, Tensor target, Scalar beta) -> Tensor", smooth_l1_terms, "prim::smooth_l1_terms");
  terms("prim::huber_terms(Tensor self, Tensor target, Scalar delta) -> Tensor", huber_terms, "prim::huber_terms");
  auto loss = [&](const char* schema, RuleFn rule, DecomposeFn decompose, const char* doc, const char* samples) {
    return r.op(schema)
        .rule(rule)
        .decompose(decompose, Reads::Symbols)
        .onnx(none("decomposes to its terms"))
        .autocast(Autocast::Float32)
        .doc(doc)
        .samples(samples);
  };
  loss("smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor", smooth_l1_rule, decompose_smooth_l1,
       "Half of the squared difference divided by `beta` if the absolute difference is below `beta`, else the absolute difference minus "
       "half of `beta`.",
       R"([[t(d, 2, 3), t(d, 2, 3), r, b] for d in (f32, f64, f16) for r in (0, 1, 2) for b in (1.0, 0.5, 0.0)]
          + [[t(f16, 2, 3), t(f16, 3)], [t(f32, 2), t(f32, 3)], [t(f32, 2), t(f32, 2), 1, -1.0], [t(f32, 0), t(f32, 0)], [at([1.0, 2.0, nan]), at([1.0, 1.0, 0.0]), 0]])")
      .namespaced("_nn");
  loss("huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor", huber_rule, decompose_huber,
       "Half of the squared difference if the absolute difference is at most `delta`, else `delta` times (the absolute difference minus "
       "half of `delta`).",
       R"([[t(d, 2, 3), t(d, 2, 3), r, b] for d in (f32, f64, f16) for r in (0, 1, 2) for b in (1.0, 0.5)]
          + [[t(f16, 2, 3), t(f16, 3)], [t(f32, 2), t(f32, 3)], [t(f32, 2), t(f32, 2), 1, 0.0], [at([1.0, 2.0, nan]), at([1.0, 1.0, 0.0]), 0]])")
      .namespaced("_nn");
  loss(
      "soft_margin_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", soft_margin_rule, decompose_soft_margin,
      "log(1 + exp(-target * self)).",
      "[[t(d, 2, 3), at([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]]).to(d), r] for d in (f32, f64) for r in (0, 1, 2)] + [[t(f32, 2), t(f32, 3)]]")
      .namespaced("_nn");
  loss("kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor", elementwise_rule<2, 2>,
       decompose_kl_div, "target * (log(target) - self), where `self` is a logarithm, and `target` too with `log_target`.",
       R"([[t(d, 2, 3), t(d, 2, 3, low=0.1, high=1.0), r, l] for d in (f32, f64) for r in (0, 1, 2) for l in (False, True)]
          + [[t(f16, 3), at([0.0, 0.5, 1.0]).to(f16), 0, False], [t(f32, 2, 3), t(f32, 3, low=0.1), 0], [t(f32, 2), t(f32, 3)]])")
      .function_only();
  loss(
      "poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor",
      elementwise_rule<2, 5>, decompose_poisson,
      "The negative logarithm of the probability that a Poisson distribution of this rate (or its logarithm) gives `target`.",
      R"([[t(d, 2, 3, low=0.1), at([[4.0, 1.5, 2.0], [5.0, 3.0, 1.25]]).to(d), l, f, 1e-8, r] for d in (f32, f64) for l in (False, True) for f in (False, True)
           for r in (0, 1, 2)] + [[t(f32, 2), t(f32, 3), True, False, 1e-8, 1], [t(f16, 3, low=0.1), at([0.0, 1.0, 2.0]).to(f16), True, True, 1e-8, 0]])")
      .function_only();
  loss(
      "hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int reduction=Mean) -> Tensor", elementwise_rule<2, 3>,
      decompose_hinge_embedding, "`self` if `target` is 1, and max(0, margin - self) if it is -1.",
      R"([[t(d, 2, 3), at([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]]).to(d), m, r] for d in (f32, f64) for m in (1.0, 0.5) for r in (0, 1, 2)] + [[t(f32, 2), t(f32, 3)]])")
      .function_only();
  loss(
      "margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=Mean) -> Tensor",
      elementwise_rule<3, 4>, decompose_margin_ranking,
      "max(0, -target * (input1 - input2) + margin). With `target` 1, `input1` should be larger; with -1, `input2`.",
      R"([[t(d, 3), t(d, 3), at([1.0, -1.0, 1.0]).to(d), m, r] for d in (f32, f64) for m in (0.0, 0.5) for r in (0, 1, 2)] + [[t(f32, 2), t(f32, 3), t(f32, 2)]])")
      .function_only();
  loss(
      "cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=Mean) -> Tensor",
      cosine_embedding_rule, decompose_cosine_embedding,
      R"(1 - cos(input1, input2) if `target` is 1, and max(0, cos(input1, input2) - margin) if it is -1. The cosine is taken along the last dim.

>>> torch.cosine_embedding_loss(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]), torch.tensor([1]), reduction=1))",
      R"([[t(d, 3, 4), t(d, 3, 4), at([1, -1, 1]), m, r] for d in (f32, f64) for m in (0.0, 0.3) for r in (0, 1, 2)]
          + [[t(f32, 4), t(f32, 4), at(1)], [t(f32, 3, 4), t(f32, 3, 4), at([[1, 1, 1]])], [t(f32, 4), t(f32, 4), at([1])], [t(f32, 3, 4), t(f32, 2, 4), at([1, 1, 1])]])")
      .function_only();
  loss(
      "triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float eps=1e-06, bool swap=False, "
      "int "
      "reduction=Mean) -> Tensor",
      triplet_rule, decompose_triplet,
      "max(0, d(anchor, positive) - d(anchor, negative) + margin), for distances d of order `p`.\n\np: The order of the norm.\neps: "
      "What is added to each difference, so that no distance is 0.",
      R"([[t(d, 3, 4), t(d, 3, 4), t(d, 3, 4), m, p, 1e-6, s, r] for d in (f32, f64) for m, p in ((1.0, 2.0), (0.5, 1.0)) for s in (False, True) for r in (0, 1, 2)]
          + [[t(f32, 4), t(f32, 4), t(f32, 4)], [t(f32, 3, 4), t(f32, 4), t(f32, 3, 4)]])")
      .function_only()
      .special(Special::OtherSchemaText, "the shortest text of eps");
  loss(
      "multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=Mean) -> Tensor",
      multi_margin_rule, decompose_multi_margin,
      "The mean over the other classes of max(0, margin - score of the target class + score of the other class) ** p.\n\np: The power of "
      "each difference, 1 or 2.\nweight: The factor of each class. None: 1.",
      R"([[t(d, 3, 4), at([0, 3, 1]), p, m, w and t(d, 4, low=0.1), r] for d in (f32, f64) for p, m in ((1, 1), (2, 0.5)) for w in (None, True) for r in (0, 1, 2)]
          + [[t(f32, 4), at(2)], [t(f32, 4), at([2]), 1, 1, None, 0], [t(f32, 3, 4), at([0, 4, 1])], [t(f32, 3, 4), at([0, -1, 1])], [t(f32, 3, 4), at([0, 1])],
             [t(f32, 3, 4), at([0, 3, 1]), 3], [t(f32, 3, 4), at([0, 3, 1]), 1, 1, t(f32, 3)]])")
      .namespaced("_nn")
      .kernel(multi_margin_loss_kernel)
      .check(check_targets<0>)
      .bad_data(Runtime, "target {value} is out of bounds for {limit} classes");
  loss(
      "multilabel_margin_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", multilabel_margin_rule,
      decompose_multilabel_margin,
      "The sum over target classes t and other classes o of max(0, 1 - score of t + score of o), divided by the number of classes. In each "
      "row of "
      "`target`, a -1 ends the list of classes.",
      R"([[t(d, 3, 4), at([[3, 0, -1, 1], [1, -1, 0, 0], [0, 1, 2, 3]]), r] for d in (f32, f64) for r in (0, 1, 2)] + [[t(f32, 4), at([2, -1, 0, 0]), r] for r in (0, 1)]
          + [[t(f32, 3, 4), at([[0, 1]])], [t(f32, 2, 2), at([[0, 2], [0, -1]])], [t(f32, 2, 2), at([[0, -2], [0, -1]])]])")
      .namespaced("_nn")
      .kernel(multilabel_margin_loss_kernel)
      .check(check_targets<-1>)
      .bad_data(Runtime, "target {value} is out of range for {limit} classes; it is a class, or -1 after the last one");
}

}  // namespace monograph
