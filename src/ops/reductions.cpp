// Reductions: row programs whose results have one value a row.
#include "ops/dispatch.h"
#include "ops/registry.h"
#include "ops/rows.h"

namespace monograph {
namespace {

using Result = RowRule::Result;
using Rows = RowRule::Rows;

// Gives a reduced gradient its row dims back, so that it broadcasts over the argument.
Tensor restore_dims(Tensor g, const Dims& dims, bool keep) {
  if (keep) return g;
  for (int64_t d : dims) g = "unsqueeze"_op(g, d);
  return g;
}

Tensor spread(GradCall& c, Tensor g) {
  const RowRule& rule = *c.op.rows;
  Dims dims = row_dims(c.op, c.sizes(0), c.values());
  bool keep = rule.keepdim_arg >= 0 && c.value(static_cast<size_t>(rule.keepdim_arg)).to_bool();
  return "expand"_op(restore_dims(std::move(g), dims, keep), c.sizes(0));
}

Num as_compute(RowContext& c, Num x) { return convert(x, compute_type(c.dtype())); }

// The sum of the chosen elements' gradients goes to every element equal to the result, in equal parts.
void extremum_gradient(GradCall& c) {
  Tensor self = c.arg(0), y = spread(c, c.result()), g = spread(c, c.grad());
  Tensor mask = "eq"_op(self, y);
  Dims dims = row_dims(c.op, self.sizes(), c.values());
  Tensor count = "sum"_op(mask, dims, true);
  c.set(0, "div"_op("mul"_op(g, mask), count));
}

}  // namespace

void reductions(Registry& r) {
  auto sum = [](RowContext& c) { c.out(row_sum(c.x())); };
  GradFn sum_gradient = [](GradCall& c) { c.set(0, spread(c, c.grad())); };
  r.rows({"sum(Tensor self, *, ScalarType? dtype=None) -> Tensor"},
         {.body = sum, .rows = Rows::All, .reduces = true, .dtype_arg = 1, .result = Result::Sum})
      .gradient(sum_gradient)
      .onnx("ReduceSum(self, keepdims=0)")
      .doc("The sum of all elements; integers are summed as int64.");
  r.rows({"sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"},
         {.body = sum, .rows = Rows::Dims, .reduces = true, .keepdim_arg = 2, .dtype_arg = 3, .result = Result::Sum})
      .out()
      .gradient(sum_gradient)
      .onnx("ReduceSum(self, dim, keepdims=keepdim)")
      .doc("The sum over `dim`.");

  auto mean = [](RowContext& c) { c.out(row_sum(c.x()) / c.count()); };
  GradFn mean_gradient = [](GradCall& c) {
    double n = static_cast<double>(product(c.sizes(0))) / static_cast<double>(std::max<int64_t>(c.grad().numel(), 1));
    c.set(0, "div"_op(spread(c, c.grad()), n));
  };
  r.rows({"mean(Tensor self, *, ScalarType? dtype=None) -> Tensor"},
         {.body = mean, .rows = Rows::All, .reduces = true, .dtype_arg = 1, .result = Result::Float, .dtypes = kFloating})
      .gradient(mean_gradient)
      .onnx("ReduceMean(self, keepdims=0)")
      .doc("The mean of all elements.");
  r.rows(
       {"mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"},
       {.body = mean, .rows = Rows::Dims, .reduces = true, .keepdim_arg = 2, .dtype_arg = 3, .result = Result::Float, .dtypes = kFloating})
      .out()
      .gradient(mean_gradient)
      .onnx("ReduceMean(self, dim, keepdims=keepdim)")
      .doc("The mean over `dim`.");

  constexpr DTypeSet kOrdered = kFloating | kIntegral | kBool;
  auto row_greatest = [](RowContext& c) { c.out(row_max(c.x())); };
  auto row_least = [](RowContext& c) { c.out(row_min(c.x())); };
  r.rows({"amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor"},
         {.body = row_greatest, .rows = Rows::Dims, .reduces = true, .keepdim_arg = 2, .dtypes = kOrdered, .refuses_empty = true})
      .out()
      .gradient(extremum_gradient)
      .onnx("ReduceMax(self, dim, keepdims=keepdim)")
      .doc("The largest element over `dim`; a NaN wins.");
  r.rows({"amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor"},
         {.body = row_least, .rows = Rows::Dims, .reduces = true, .keepdim_arg = 2, .dtypes = kOrdered, .refuses_empty = true})
      .out()
      .gradient(extremum_gradient)
      .onnx("ReduceMin(self, dim, keepdims=keepdim)")
      .doc("The smallest element over `dim`; a NaN wins.");
  r.rows({"max(Tensor self) -> Tensor"},
         {.body = row_greatest, .rows = Rows::All, .reduces = true, .dim_arg = 0, .dtypes = kOrdered, .refuses_empty = true})
      .gradient(extremum_gradient)
      .onnx("ReduceMax(self, keepdims=0)")
      .doc("The largest element; a NaN wins.");
  r.rows({"min(Tensor self) -> Tensor"},
         {.body = row_least, .rows = Rows::All, .reduces = true, .dim_arg = 0, .dtypes = kOrdered, .refuses_empty = true})
      .gradient(extremum_gradient)
      .onnx("ReduceMin(self, keepdims=0)")
      .doc("The smallest element; a NaN wins.");

  // The first index of the extreme value: the least index among the elements that equal it, or are NaN where it is.
  auto arg_greatest = [](RowContext& c) {
    Num x = c.x(), best = row_max(x);
    c.out(row_min(where((x == best) | is_nan(x), row_index(), row_count())));
  };
  auto arg_least = [](RowContext& c) {
    Num x = c.x(), best = row_min(x);
    c.out(row_min(where((x == best) | is_nan(x), row_index(), row_count())));
  };
  auto indices = none("its result is an index");
  r.rows({"argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor"}, {.body = arg_greatest,
                                                                                .rows = Rows::Dim,
                                                                                .reduces = true,
                                                                                .keepdim_arg = 2,
                                                                                .result = Result::Index,
                                                                                .dtypes = kFloating | kIntegral,
                                                                                .refuses_empty = true})
      .gradient(indices)
      .decompose(none("it reads the index in the row"))
      .onnx("ArgMax(self, axis=dim, keepdims=keepdim) if given(dim)")
      .doc("The first index of the largest element.");
  r.rows({"argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor"}, {.body = arg_least,
                                                                                .rows = Rows::Dim,
                                                                                .reduces = true,
                                                                                .keepdim_arg = 2,
                                                                                .result = Result::Index,
                                                                                .dtypes = kFloating | kIntegral,
                                                                                .refuses_empty = true})
      .gradient(indices)
      .decompose(none("it reads the index in the row"))
      .onnx("ArgMin(self, axis=dim, keepdims=keepdim) if given(dim)")
      .doc("The first index of the smallest element.");

  auto any = [](RowContext& c) { c.out(row_max(convert(c.x(), DType::b1))); };
  auto all = [](RowContext& c) { c.out(row_min(convert(c.x(), DType::b1))); };
  auto flags = none("its result is a bool");
  r.rows({"any(Tensor self) -> Tensor"}, {.body = any, .rows = Rows::All, .reduces = true, .dim_arg = 0, .result = Result::Bool})
      .gradient(flags)
      .onnx("Cast(ReduceMax(Cast(Cast(self, to=torch.bool), to=torch.uint8), keepdims=0), to=torch.bool)")
      .doc("Whether some element is nonzero.");
  r.rows({"any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"},
         {.body = any, .reduces = true, .keepdim_arg = 2, .result = Result::Bool})
      .gradient(flags)
      .onnx("Cast(ReduceMax(Cast(Cast(self, to=torch.bool), to=torch.uint8), [dim], keepdims=keepdim), to=torch.bool)")
      .doc("Whether some element along `dim` is nonzero.");
  r.rows({"all(Tensor self) -> Tensor"}, {.body = all, .rows = Rows::All, .reduces = true, .dim_arg = 0, .result = Result::Bool})
      .gradient(flags)
      .onnx("Cast(ReduceMin(Cast(Cast(self, to=torch.bool), to=torch.uint8), keepdims=0), to=torch.bool)")
      .doc("Whether every element is nonzero.");
  r.rows({"all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"},
         {.body = all, .reduces = true, .keepdim_arg = 2, .result = Result::Bool})
      .gradient(flags)
      .onnx("Cast(ReduceMin(Cast(Cast(self, to=torch.bool), to=torch.uint8), [dim], keepdims=keepdim), to=torch.bool)")
      .doc("Whether every element along `dim` is nonzero.");

  auto prod = [](RowContext& c) { c.out(reduce(Combine::Prod, c.x())); };
  r.rows({"prod(Tensor self, *, ScalarType? dtype=None) -> Tensor"},
         {.body = prod, .rows = Rows::All, .reduces = true, .dtype_arg = 1, .result = Result::Sum})
      .gradient([](GradCall& c) {
        // Exact only without zeros; with one, the product of the others is needed.
        Tensor self = c.arg(0);
        MONOGRAPH_CHECK(
            !static_cast<Tensor>("any"_op("eq"_op(self, 0))).data_as<bool>()[0], NotImplemented,
            "[aten::prod] the gradient of a product with a zero factor is not implemented; use exp(log(x).sum()) or cumprod by hand");
        c.set(0, "div"_op("mul"_op(spread(c, c.grad()), c.result()), self));
      })
      .onnx("ReduceProd(self, keepdims=0)")
      .doc("The product of all elements.");
  r.rows({"logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor"}, {.body =
                                                                                    [](RowContext& c) {
                                                                                      Num x = c.x(), m = row_max(x);
                                                                                      // An infinite maximum is subtracted as 0: exp then gives the infinity itself, not a NaN.
                                                                                      Num shift = where(abs(m) == lit(m.t, HUGE_VAL),
                                                                                                        lit(m.t, 0.0), m);
                                                                                      c.out(log(row_sum(exp(x - shift))) + shift);
                                                                                    },
                                                                                .rows = Rows::Dims,
                                                                                .reduces = true,
                                                                                .keepdim_arg = 2,
                                                                                .dtypes = kFloating})
      .gradient([](GradCall& c) { c.set(0, "mul"_op(spread(c, c.grad()), "exp"_op("sub"_op(c.arg(0), spread(c, c.result()))))); })
      .onnx("ReduceLogSumExp(self, dim, keepdims=keepdim)")
      .doc("log(sum(exp(self))) over `dim`, without overflow.");

  // Two passes: the mean, then the tree over the squared distances (docs/numerics.md).
  auto variance = [](RowContext& c) {
    Num x = c.x(), mean = row_sum(x) / c.count(), d = x - mean;
    return row_sum(d * d) / maximum(c.count() - c.scalar(0), lit(d.t, 0.0));
  };
  static auto kVariance = variance;
  GradFn var_gradient = [](GradCall& c) {
    Tensor self = c.arg(0);
    Dims dims = row_dims(c.op, self.sizes(), c.values());
    double n = static_cast<double>(self.numel()) / static_cast<double>(std::max<int64_t>(c.result().numel(), 1));
    double correction = c.value(2).is_none() ? 1.0 : c.value(2).to_double();
    Tensor centred = "sub"_op(self, "mean"_op(self, dims, true));
    c.set(0, "mul"_op("mul"_op(spread(c, c.grad()), centred), 2.0 / (n - correction)));
  };
  r.rows({"var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor"},
         {.body = [](RowContext& c) { c.out(kVariance(c)); },
          .rows = Rows::Dims,
          .reduces = true,
          .keepdim_arg = 3,
          .scalars = {2, -1},
          .scalar_defaults = {1.0, 0.0},
          .dtypes = kFloating})
      .gradient(var_gradient)
      .onnx(none("its divisor, n - correction, is made of sizes"))
      .doc("The variance over `dim`, divided by n - correction (1 where none is given).");
  r.rows({"std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor"},
         {.body = [](RowContext& c) { c.out(sqrt(kVariance(c))); },
          .rows = Rows::Dims,
          .reduces = true,
          .keepdim_arg = 3,
          .scalars = {2, -1},
          .scalar_defaults = {1.0, 0.0},
          .dtypes = kFloating})
      .gradient([](GradCall& c) {
        Tensor self = c.arg(0);
        Dims dims = row_dims(c.op, self.sizes(), c.values());
        double n = static_cast<double>(self.numel()) / static_cast<double>(std::max<int64_t>(c.result().numel(), 1));
        double correction = c.value(2).is_none() ? 1.0 : c.value(2).to_double();
        Tensor centred = "sub"_op(self, "mean"_op(self, dims, true));
        c.set(0, "mul"_op("mul"_op(spread(c, "div"_op(c.grad(), c.result())), centred), 1.0 / (n - correction)));
      })
      .onnx(none("its divisor, n - correction, is made of sizes"))
      .doc("The square root of the variance over `dim`.");
}

}  // namespace monograph
