// cosine_similarity, pairwise_distance and bilinear: decompositions into norms, sums and products.
#include <cmath>

#include "ops/dispatch.h"
#include "ops/families/composite.h"
#include "ops/families/distances.h"
#include "ops/families/error_kinds.h"
#include "ops/registry.h"
#include "ops/rows.h"
#include "ops/rule.h"

namespace monograph {
namespace {

std::optional<DType> common_dtype(const RuleCall& c) {
  const auto a = c.dtype(0), b = c.dtype(1);
  return a && b ? std::optional(promote_types(*a, *b)) : std::nullopt;
}

void cosine_rule(RuleCall& c) {
  const Sizes both = broadcast(c.sizes(0), c.sizes(1), c.op.name());
  const auto t = common_dtype(c);
  c.check(!t || is_floating(*t), Runtime, "expected common dtype to be floating point, yet common dtype is ", scalar_type(t));
  if (!both.ranked()) return c.result({}, t);
  const auto d = c.dim(2, both.size());
  if (!d) return c.result(Sizes(both.empty() ? 0 : both.size() - 1, Size()), t);
  Sizes out = both;
  if (!both.empty()) out.erase(*d);
  c.result(out, t);
}

// The length of vectors along dim, clamped to at least `eps`. Its gradient is that of the unclamped length, as in PyTorch.
Tensor divisor(const Tensor& x, int64_t dim, const IValue& eps) {
  const Tensor length = vector_norm(x, 2, dim, true);
  const Tensor known = "detach"_op(length);
  return "add"_op(length, "sub"_op("clamp_min"_op(known, eps), known));
}

IValue decompose_cosine(const IValue* a) {
  const Sizes both = broadcast_in_example(sizes_of(a[0].as_tensor()), sizes_of(a[1].as_tensor()), "cosine_similarity");
  const Tensor x = "expand"_op(a[0], both), y = "expand"_op(a[1], both);
  const int64_t dim = a[2].to_int();
  return "sum"_op("mul"_op("div"_op(x, divisor(x, dim, a[3])), "div"_op(y, divisor(y, dim, a[3]))), Dims{dim}, false);
}

void pairwise_rule(RuleCall& c) {
  const Sizes both = broadcast(c.sizes(0), c.sizes(1), c.op.name());
  auto t = common_dtype(c);
  if (t && is_complex(*t)) t = real_type(*t);
  c.check(!t || is_floating(*t), Runtime, "linalg.vector_norm: Expected a floating point or complex tensor as input. Got ", scalar_type(t));
  if (!both.ranked()) return c.result({}, t);
  Sizes out = both;
  const auto keep = c.truth(4);
  if (!keep) return c.result({}, t);
  if (!out.empty()) {
    if (*keep) out.set(out.size() - 1, 1);
    else out.erase(out.size() - 1);
  }
  c.result(out, t);
}

void bilinear_rule(RuleCall& c) {
  SizesRef x = c.sizes(0), y = c.sizes(1), w = c.sizes(2);
  c.check(!x.ranked() || !y.ranked() || x.size() == y.size(), Runtime, "bilinear(): input dimensions do not match: got ", x.size(), " and ",
          y.size());
  c.check(!w.ranked() || w.size() == 3, Runtime, "bilinear(): expected a weight of 3 dims, but got size ", w);
  if (!x.ranked() || !y.ranked() || !w.ranked()) return c.unranked(0);
  for (size_t d = 0; d + 1 < x.size(); ++d)
    c.check(x[d] == y[d], Runtime, "bilinear(): input batch dimensions do not match at dim ", d, ": got ", x[d], " and ", y[d]);
  c.check(x.size() > 0 && x.back() == w[1] && y.back() == w[2], Runtime, "bilinear(): input sizes do not match weight size: got ", x,
          " and ", y, " but expected ", w);
  if (!c.none(3)) {
    SizesRef b = c.sizes(3);
    c.check(!b.ranked() || (b.size() == 1 && b[0] == w[0]), Runtime, "bilinear(): bias size does not match weight size: got ", b,
            " but expected ", w[0]);
  }
  for (size_t i : {size_t{1}, size_t{2}})
    c.check(!c.dtype(0) || !c.dtype(i) || *c.dtype(0) == *c.dtype(i), Runtime,
            "bilinear(): expected inputs and weight of one dtype, but got ", scalar_type(c.dtype(0)), " and ", scalar_type(c.dtype(i)));
  Sizes out = x;
  out.set(x.size() - 1, w[0]);
  c.like(0, out);
}

IValue decompose_bilinear(const IValue* a) {
  const Sizes w = sizes_of(a[2].as_tensor());
  Sizes parts = sizes_of(a[0].as_tensor());
  parts.erase(parts.size() - 1);
  Sizes out = parts;
  parts.push_back(w[0]), parts.push_back(w[2]), out.push_back(w[0]);
  const Tensor flat = "reshape"_op("transpose"_op(a[2], 0, 1), Sizes{w[1], w[0] * w[2]});
  const Tensor left = "reshape"_op("matmul"_op(a[0], flat), parts);
  const Tensor y = "sum"_op("mul"_op(left, "unsqueeze"_op(a[1], -2)), Dims{-1}, false);
  return a[3].is_none() ? y : Tensor("add"_op(y, a[3]));
}

}  // namespace

Tensor vector_norm(const Tensor& x, double p, int64_t dim, bool keepdim) {
  const Tensor size = "abs"_op(x);
  const Dims dims{dim};
  if (p == 0) return "to"_op("sum"_op("ne"_op(x, 0), dims, keepdim), x.dtype());
  if (p == 1) return "sum"_op(size, dims, keepdim);
  if (p == HUGE_VAL) return "amax"_op(size, dims, keepdim);
  if (p == -HUGE_VAL) return "amin"_op(size, dims, keepdim);
  // where() keeps the gradient away from the root of 0, whose slope is infinite.
  const Tensor sum = p == 2 ? "sum"_op("mul"_op(x, x), dims, keepdim) : "sum"_op("pow"_op(size, p), dims, keepdim);
  const Tensor zero = "eq"_op(sum, 0), inside = "where"_op(zero, 1.0, sum);
  return "where"_op(zero, 0.0, p == 2 ? Tensor("sqrt"_op(inside)) : Tensor("pow"_op(inside, 1 / p)));
}

void distances(Registry& r) {
  r.op("cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor")
      .rule(cosine_rule)
      .decompose(decompose_cosine, Reads::Nothing)
      .function_only()
      .onnx(none("decomposes to products and roots"))
      .doc("The cosine of the angle between vectors along `dim`; lengths count as at least `eps`.")
      // As in PyTorch, each operand is divided in its own dtype. The sample with two dtypes has float32 lengths without rounding, which float64 would show.
      .samples(
          R"([[t(d, 3, 4), t(d, 3, 4), k] for d in (f32, f64) for k in (0, 1, -1)] + [[t(f32, 2, 3, 4), t(f32, 3, 4), k] for k in (0, 1, 2)]
                 + [[t(f32, 4), t(f32, 3, 4)], [at([[3.0, 4, 0, 0], [1, -1, 1, 1], [-2, 4, 4, 0]]), t(f64, 3, 4)], [torch.zeros(2, 3), t(f32, 2, 3)], [t(f32, 2, 3) * 1e-9, t(f32, 2, 3), 1, 1e-3]]
                 + [[t(f32, 3, 4), t(f32, 3, 5)], [t(i64, 3, 4), t(i64, 3, 4)], [t(f32, 3, 4), t(f32, 3, 4), 2], [t(f32, 0, 4), t(f32, 0, 4)]])");
  // pairwise_distance calls it outside of captures: one pass, with the same bits as sub, add and the norm.
  r.rows({"monograph::root_of_squared_differences(Tensor self, Tensor other, float eps, int dim, bool keepdim=False) -> Tensor"},
         {.body =
              [](RowContext& c) {
                const Num difference = c.has(1) ? c.x() - c.tensor(1) + c.scalar(0) : c.x() + c.scalar(0);
                c.out(sqrt(row_sum(difference * difference)));
              },
          .reduces = true,
          .dim_arg = 3,
          .keepdim_arg = 4,
          .result = RowRule::Result::Float,
          .tensors = {0, 1, -1},
          .scalars = {2, -1},
          .dtypes = set_of({DType::f32, DType::f64})})
      .gradient(none("its parts have one"))
      .decompose(
          [](const IValue* a) -> IValue { return vector_norm("add"_op("sub"_op(a[0], a[1]), a[2]), 2, a[3].to_int(), a[4].to_bool()); },
          Reads::Nothing)
      .onnx(none("decomposes to powers and a sum"))
      .doc("The lengths of `self` - `other` + `eps` along `dim`.")
      .samples(none("PyTorch has no such operator; pairwise_distance's samples run it"));
  r.op("pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor")
      .rule(pairwise_rule)
      .decompose(
          [](const IValue* a) -> IValue {
            const Tensor difference = "add"_op("sub"_op(a[0], a[1]), a[3]);
            if (is_complex(difference.dtype())) return "linalg_vector_norm"_op(difference, a[2], Dims{-1}, a[4]);
            return vector_norm(difference, a[2].to_double(), -1, a[4].to_bool());
          },
          Reads::Nothing)
      .decompose_eagerly([](const IValue* a) -> IValue {
        const Tensor &x = a[0].as_tensor(), &y = a[1].as_tensor();
        if (a[2].to_double() != 2 || x.dtype() != y.dtype() || !is_wide_float(x.dtype()) || x.sizes() != y.sizes() || x.dim() == 0)
          return {};
        return "monograph::root_of_squared_differences"_op(x, y, a[3], -1, a[4]);
      })
      .function_only()
      .onnx(none("decomposes to powers and a sum"))
      .doc(
          "The length of `x1` - `x2` + `eps` along the last dim, by the p-norm.\n\np: The order of the norm.\neps: What is added to each "
          "difference, so that no distance is 0.")
      .samples(R"([[t(d, 3, 4), t(d, 3, 4), p, 1e-6, k] for d in (f32, f64) for p in (2.0, 1.0, 3.0, inf) for k in (False, True)]
                 + [[t(f32, 2, 3, 4), t(f32, 4)], [t(f32, 4), t(f32, 4)], [t(f32, 3, 4), t(f32, 3, 5)], [t(f32, 3, 4), t(f64, 3, 4)]]
                 + [[t(c64, 3, 4), t(d, 3, 4), p] for d in (c64, f32) for p in (2.0, 3.0)])")
      .special(Special::OtherSchemaText, "the shortest text of eps");
  r.op("bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor")
      .rule(bilinear_rule)
      .decompose(decompose_bilinear, Reads::Symbols)
      .function_only()
      .contracts(2, Contraction::Terms::AllButFirst)
      .onnx(none("decomposes to a product and a sum"))
      .doc(
          "input1 @ weight[k] @ input2 for each k, plus bias.\n\nweight: The matrices, of shape (output features, features of input1, "
          "features of input2).\nbias: What is added to each output feature. None: nothing.\n\n>>> a, b = torch.tensor([[1.0, 2.0]]), "
          "torch.tensor([[3.0, 4.0]])\n>>> torch.bilinear(a, b, torch.ones(1, 2, 2), None)")
      .samples(R"([[t(d, 3, 4), t(d, 3, 5), t(d, 2, 4, 5), b and t(d, 2)] for d in (f32, f64) for b in (None, True)]
                 + [[t(f32, 2, 3, 4), t(f32, 2, 3, 2), t(f32, 2, 4, 2)], [t(f32, 4), t(f32, 5), t(f32, 2, 4, 5)]]
                 + [[t(f32, 3, 4), t(f32, 3, 5), *n] for n in ((t(f32, 2, 5, 5),), (t(f32, 2, 4, 5), t(f32, 3)), (t(f64, 2, 4, 5),))] + [[t(f32, 2, 4), t(f32, 3, 5), t(f32, 2, 4, 5)]])");
}

}  // namespace monograph
