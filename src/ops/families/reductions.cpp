// Reductions such as sum, mean and amax: row programs (ops/rows.h) with one result for each row.
#include <cmath>
#include <deque>
#include <string>

#include "ops/dispatch.h"
#include "ops/families/composite.h"
#include "ops/families/reduction_gradients.h"
#include "ops/registry.h"
#include "ops/rows.h"

namespace monograph {
namespace {

using Result = RowRule::Result;
using Rows = RowRule::Rows;

// Expands a tensor with the sizes of the result to the sizes of the argument.
Tensor expand_over_rows(GradCall& c, Tensor g) {
  const RowRule& rule = *c.op.rows;
  Dims dims = row_dims(c.op, c.dim(0), c.values());
  bool keep = rule.keepdim_arg >= 0 && c.value(static_cast<size_t>(rule.keepdim_arg)).to_bool();
  return "expand"_op(restore_dims(std::move(g), dims, keep), c.sizes(0));
}

// The first index of the extreme value in the row. If the value is NaN, the index of the first NaN.
Num index_of(RowContext& c, Num best) { return row_min(where((c.x() == best) | is_nan(c.x()), row_index(), row_count())); }

void value_and_index(RowContext& c, Num best) {
  c.out(best);
  c.out_index(index_of(c, best));
}

// The sum of complex numbers: real and imaginary parts are summed apart.
Complex complex_sum(RowContext& c) { return {row_sum(c.z().re), row_sum(c.z().im)}; }

Num nonzero(RowContext& c) {
  Num flag = convert(c.x(), DType::b1);
  return is_complex(c.dtype()) ? flag | convert(c.z().im, DType::b1) : flag;
}

VarianceCall variance_call(GradCall& c) {
  const IValue& correction = c.value(2);
  return {row_dims(c.op, c.dim(0), c.values()), correction.is_none() ? 1.0 : correction.to_double(), c.value(3).to_bool(),
          c.value(1).is_none()};
}

// The gradient is shared in equal parts by all elements that equal the result. As in PyTorch, a NaN counts as equal to a NaN in max and min, but not in amax
// and amin.
void extremum_gradient(GradCall& c) {
  Tensor self = c.arg(0), y = expand_over_rows(c, c.result()), g = expand_over_rows(c, c.grad());
  Tensor mask = "eq"_op(self, y);
  const bool all = c.op.rows->rows == Rows::All;
  if (all) mask = "logical_or"_op(mask, "logical_and"_op("isnan"_op(self), "isnan"_op(y)));
  Dims dims = row_dims(c.op, c.dim(0), c.values());
  Tensor count = "sum"_op(mask, dims, true);
  c.set(0, all ? "where"_op(mask, "div"_op(g, count), 0.0) : "div"_op("mul"_op(g, mask), count));
}

// The gradient of max.dim and min.dim goes to the element whose index is the second result.
void chosen_gradient(GradCall& c) {
  Dims dims = row_dims(c.op, c.dim(0), c.values());
  bool keep = c.value(static_cast<size_t>(c.op.rows->keepdim_arg)).to_bool();
  Tensor g = restore_dims(c.grad(), dims, keep), index = restore_dims(c.result(1), dims, keep);
  c.set(0, "gather_backward"_op(g, c.sizes(0), c.value(1), index));
}

}  // namespace

KernelStatus complex_products(KernelCall& call) {
  const KernelTensor &x = call.args[0].tensor, &out = call.results[0];
  const auto rows = static_cast<size_t>(out.numel()), length = rows ? static_cast<size_t>(x.numel()) / rows : 0;
  dispatch(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
      for (size_t k = 0; k < rows; ++k) {
        T y = 1;
        for (const T& z : std::span(x.as<T>() + k * length, length))
          y = {y.real() * z.real() - y.imag() * z.imag(), y.real() * z.imag() + y.imag() * z.real()};
        out.as<T>()[k] = y;
      }
  });
  return KernelStatus::Ok;
}

void reductions(Registry& r) {
  auto sum = [](RowContext& c) { is_complex(c.dtype()) ? c.out(complex_sum(c)) : c.out(row_sum(c.x())); };
  GradFn sum_gradient = [](GradCall& c) { c.set(0, expand_over_rows(c, c.grad())); };
  r.rows({"sum(Tensor self, *, ScalarType? dtype=None) -> Tensor"},
         {.body = sum, .rows = Rows::All, .reduces = true, .dtype_arg = 1, .result = Result::Sum, .dtypes = kAllDTypes})
      .operator_out()
      .gradient(sum_gradient)
      .onnx("ReduceSum(self, keepdims=0)")
      .doc("The sum of all elements; integers are summed as int64.");
  r.rows({"sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"},
         {.body = sum, .rows = Rows::Dims, .reduces = true, .keepdim_arg = 2, .dtype_arg = 3, .result = Result::Sum, .dtypes = kAllDTypes})
      .out_named("IntList_out")
      .gradient(sum_gradient)
      .onnx("ReduceSum(self, dim, keepdims=keepdim)")
      .doc("The sum over `dim`.");

  auto mean = [](RowContext& c) {
    if (!is_complex(c.dtype())) return c.out(row_sum(c.x()) / c.count());
    Complex s = complex_sum(c);
    c.out(Complex{s.re / c.count(), s.im / c.count()});
  };
  GradFn mean_gradient = [](GradCall& c) {
    c.set(0, "div"_op(expand_over_rows(c, c.grad()), row_length(c.sizes(0), row_dims(c.op, c.dim(0), c.values()))));
  };
  r.rows({"mean(Tensor self, *, ScalarType? dtype=None) -> Tensor"},
         {.body = mean, .rows = Rows::All, .reduces = true, .dtype_arg = 1, .result = Result::Float, .dtypes = kFloating | kComplex})
      .out_named("dtype_out")
      .out_dtype(OutDType::Computes)
      .gradient(mean_gradient)
      .onnx("ReduceMean(self, keepdims=0)")
      .doc("The mean of all elements.");
  r.rows({"mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"}, {.body = mean,
                                                                                                           .rows = Rows::Dims,
                                                                                                           .reduces = true,
                                                                                                           .keepdim_arg = 2,
                                                                                                           .dtype_arg = 3,
                                                                                                           .result = Result::Float,
                                                                                                           .dtypes = kFloating | kComplex})
      .out_named("out")
      .out_dtype(OutDType::Computes)
      .gradient(mean_gradient)
      .onnx("ReduceMean(self, dim, keepdims=keepdim)")
      .doc("The mean over `dim`.");

  constexpr DTypeSet kOrdered = kFloating | kIntegral | kBool;
  // One row of the table for the operators of the largest element, one for those of the smallest.
  using RowBody = void (*)(RowContext&);
  struct Extremum {
    const char *amax, *max, *argmax, *max_dim, *word, *onnx, *onnx_all, *onnx_index, *onnx_both;
    const char *out, *out_values, *out_indices;
    RowBody value, index, both;
  };
  auto indices = none("its result is an index");
  for (const Extremum& e :
       {Extremum{"amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", "max(Tensor self) -> Tensor",
                 "argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
                 "max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", "largest",
                 "ReduceMax(self, dim, keepdims=keepdim)", "ReduceMax(self, keepdims=0)",
                 "ArgMax(self, axis=dim, keepdims=keepdim) if given(dim)",
                 "out: ReduceMax(self, [dim], keepdims=keepdim); ArgMax(self, axis=dim, keepdims=keepdim)", "dim_max", "max", "max_values",
                 [](RowContext& c) { c.out(row_max(c.x())); }, [](RowContext& c) { c.out(index_of(c, row_max(c.x()))); },
                 [](RowContext& c) { value_and_index(c, row_max(c.x())); }},
        Extremum{"amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", "min(Tensor self) -> Tensor",
                 "argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
                 "min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", "smallest",
                 "ReduceMin(self, dim, keepdims=keepdim)", "ReduceMin(self, keepdims=0)",
                 "ArgMin(self, axis=dim, keepdims=keepdim) if given(dim)",
                 "out: ReduceMin(self, [dim], keepdims=keepdim); ArgMin(self, axis=dim, keepdims=keepdim)", "dim_min", "min", "min_indices",
                 [](RowContext& c) { c.out(row_min(c.x())); }, [](RowContext& c) { c.out(index_of(c, row_min(c.x()))); },
                 [](RowContext& c) { value_and_index(c, row_min(c.x())); }}}) {
    static std::deque<std::string> texts;  // static, because the records keep the pointers
    auto text = [&](const char* before, const char* after) { return texts.emplace_back(concat(before, e.word, after)).c_str(); };
    r.rows({e.amax}, {.body = e.value, .rows = Rows::Dims, .reduces = true, .keepdim_arg = 2, .dtypes = kOrdered, .refuses_empty = true})
        .out()
        .gradient(extremum_gradient)
        .onnx(e.onnx)
        .doc(text("The ", " element over `dim`; a NaN wins."));
    r.rows({e.max}, {.body = e.value, .rows = Rows::All, .reduces = true, .dim_arg = 0, .dtypes = kOrdered, .refuses_empty = true})
        .out_named("unary_out")
        .gradient(extremum_gradient)
        .onnx(e.onnx_all)
        .doc(text("The ", " element; a NaN wins."))
        .special(Special::EitherZero, "which of two equal elements wins is a matter of the instruction set in PyTorch");
    r.rows({e.argmax}, {.body = e.index,
                        .rows = Rows::Dim,
                        .reduces = true,
                        .keepdim_arg = 2,
                        .result = Result::Index,
                        .dtypes = kFloating | kIntegral,
                        .refuses_empty = true})
        .out()
        .gradient(indices)
        .decompose(none("it reads the index in the row"))
        .onnx(e.onnx_index)
        .doc(text("The first index of the ", " element."));
    r.rows({e.max_dim}, {.body = e.both, .reduces = true, .keepdim_arg = 2, .dtypes = kOrdered, .refuses_empty = true})
        .out_named(e.out, {e.out_values, e.out_indices})
        .gradient(chosen_gradient)
        .decompose(none("it reads the index in the row"))
        .onnx(e.onnx_both)
        .doc(text("The ", " elements along `dim`, and their first indices; a NaN wins."))
        .special(Special::EitherZero, "which of two equal elements wins is a matter of the instruction set in PyTorch");
  }

  auto any = [](RowContext& c) { c.out(row_max(nonzero(c))); };
  auto all = [](RowContext& c) { c.out(row_min(nonzero(c))); };
  auto flags = none("its result is a bool");
  r.rows({"any(Tensor self) -> Tensor"},
         {.body = any, .rows = Rows::All, .reduces = true, .dim_arg = 0, .result = Result::Bool, .dtypes = kAllDTypes})
      .out_named("all_out")
      .out_dtype(OutDType::Any, kBool | set_of({DType::u8}))
      .gradient(flags)
      .onnx("Cast(ReduceMax(Cast(Cast(self, to=torch.bool), to=torch.uint8), keepdims=0), to=torch.bool)")
      .doc("Whether some element is nonzero.");
  r.rows({"any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"},
         {.body = any, .reduces = true, .keepdim_arg = 2, .result = Result::Bool, .dtypes = kAllDTypes})
      .out_named("out")
      .out_dtype(OutDType::Any, kBool | set_of({DType::u8}))
      .gradient(flags)
      .onnx("Cast(ReduceMax(Cast(Cast(self, to=torch.bool), to=torch.uint8), [dim], keepdims=keepdim), to=torch.bool)")
      .doc("Whether some element along `dim` is nonzero.");
  r.rows({"all(Tensor self) -> Tensor"},
         {.body = all, .rows = Rows::All, .reduces = true, .dim_arg = 0, .result = Result::Bool, .dtypes = kAllDTypes})
      .out_named("all_out")
      .out_dtype(OutDType::Any, kBool | set_of({DType::u8}))
      .gradient(flags)
      .onnx("Cast(ReduceMin(Cast(Cast(self, to=torch.bool), to=torch.uint8), keepdims=0), to=torch.bool)")
      .doc("Whether every element is nonzero.");
  r.rows({"all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"},
         {.body = all, .reduces = true, .keepdim_arg = 2, .result = Result::Bool, .dtypes = kAllDTypes})
      .out_named("out")
      .out_dtype(OutDType::Any, kBool | set_of({DType::u8}))
      .gradient(flags)
      .onnx("Cast(ReduceMin(Cast(Cast(self, to=torch.bool), to=torch.uint8), [dim], keepdims=keepdim), to=torch.bool)")
      .doc("Whether every element along `dim` is nonzero.");

  auto prod = [](RowContext& c) { c.out(reduce(Combine::Prod, c.x())); };
  r.rows({"prod(Tensor self, *, ScalarType? dtype=None) -> Tensor"},
         {.body = prod, .rows = Rows::All, .reduces = true, .dtype_arg = 1, .result = Result::Sum, .complex = complex_products})
      .out_named("out")
      .out_dtype(OutDType::Exact)
      .gradient([](GradCall& c) {
        // The gradient of an element is the product of all other elements: the result divided by the element, unless an element is zero.
        Tensor self = c.arg(0);
        if (self.dtype() != c.grad().dtype()) self = "to"_op(self, c.grad().dtype());
        const bool captured = dispatch_state().top, differentiable = dispatch_state().grad_enabled;
        const Tensor zero = "eq"_op(self, 0), zeros = "sum"_op(zero);
        const int64_t count = captured ? -1 : "item"_op(zeros).to_int();
        const Tensor product = "mul"_op(expand_over_rows(c, c.grad()), c.result());
        if (count == 0) return c.set(0, "div"_op(product, self));
        if (count > 1 && !differentiable) return c.set(0, "zeros"_op(c.sizes(0), c.dtype(0)));
        // With zeros: the product of the elements before it times the product of those after it.
        Tensor row = "to"_op("reshape"_op(self, Sizes{element_count(c.sizes(0))}), c.grad().dtype());
        Tensor slope = "reshape"_op("mul"_op(products_of_others(row, 0), c.grad()), c.sizes(0));
        if (captured) {  // whether there are zeros differs from run to run
          slope = "where"_op("eq"_op(zeros, 0), "div"_op(product, "masked_fill"_op(self, zero, 1)), slope);
          if (!differentiable) slope = "masked_fill"_op(slope, "gt"_op(zeros, 1), 0);
        }
        c.set(0, slope);
      })
      .onnx("ReduceProd(self, keepdims=0)")
      .autocast(Autocast::Float32)
      .doc("The product of all elements.")
      .samples("rows() + [[t(c64, 3), f32], [t(c64, 3), c128], [t(c64, 3), i64]]")
      .special(Special::RoundsEachFactor, "n factors are n - 1 roundings in any order, in PyTorch also of 16 bits");
  auto log_of_sum = [](RowContext& c) {
    Num x = c.x(), m = row_max(x);
    // If the maximum is infinite, 0 is subtracted in its place: inf - inf would be NaN.
    Num shift = where(abs(m) == lit(m.t, HUGE_VAL), lit(m.t, 0.0), m);
    if (!is_complex(c.dtype())) return c.out(log(row_sum(exp(x - shift))) + shift);
    Complex e = exp(Complex{x - shift, c.z().im}), sum = log(Complex{row_sum(e.re), row_sum(e.im)});
    c.out(Complex{sum.re + shift, sum.im});
  };
  r.rows({"logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor"}, {.body = log_of_sum,
                                                                                .rows = Rows::Dims,
                                                                                .reduces = true,
                                                                                .keepdim_arg = 2,
                                                                                .result = Result::Promoted,
                                                                                .dtypes = kFloating | kComplex})
      .alias({"special_logsumexp"})
      .gradient([](GradCall& c) {
        c.set(0, "mul"_op(expand_over_rows(c, c.grad()), "exp"_op("sub"_op(c.arg(0), expand_over_rows(c, c.result())))));
      })
      .onnx("ReduceLogSumExp(self, dim, keepdims=keepdim)")
      .doc("log(sum(exp(self))) over `dim`, without overflow.");

  // Two passes: first the mean, then the sum of the squared distances from it (docs/numerics.md).
  auto variance = [](RowContext& c) {
    auto squares = [&](Num part) {
      Num d = part - row_sum(part) / c.count();
      return d * d;
    };
    Num sum = row_sum(is_complex(c.dtype()) ? squares(c.z().re) + squares(c.z().im) : squares(c.x()));
    // The divisor is n - correction, but never negative: where it would be, or where the correction is NaN, it is 0.
    Num n = c.count(), zero = lit(sum.t, 0.0);
    return sum / where(maximum(c.scalar(0), zero) < n, n - c.scalar(0), zero);
  };
  constexpr const char* kVarianceSamples = R"(rows()
               + [[v, d, c, k] for v in (t(f32, 3), torch.ones(4), t(f32, 1)) for d, k in ((None, False), ([0], True))
                  for c in (-1, 0.5, 1, 3, 5, nan)]
               + [[t(f32, 0), None, -1, False], [t(f32, 3), None, 1j, False], [t(f32, 3, 4), [1], 5, False]])";
  static auto kVariance = variance;
  r.rows({"var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor"},
         {.body = [](RowContext& c) { c.out(kVariance(c)); },
          .rows = Rows::Dims,
          .reduces = true,
          .keepdim_arg = 3,
          .result = Result::Real,
          .scalars = {2, -1},
          .scalar_defaults = {1.0, 0.0},
          .dtypes = kFloating | kComplex})
      .out_named("correction_out")
      .out_dtype(OutDType::Computes, kFloating)
      .gradient([](GradCall& c) { c.set(0, variance_gradient(c, variance_call(c), c.grad())); })
      .onnx(none("its divisor, n - correction, is made of sizes"))
      .doc(
          "The variance over `dim`: the sum of the squared distances from the mean, divided by n - correction. The default correction is "
          "1.")
      .samples(kVarianceSamples);
  r.rows({"std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor"},
         {.body = [](RowContext& c) { c.out(sqrt(kVariance(c))); },
          .rows = Rows::Dims,
          .reduces = true,
          .keepdim_arg = 3,
          .result = Result::Real,
          .scalars = {2, -1},
          .scalar_defaults = {1.0, 0.0},
          .dtypes = kFloating | kComplex})
      .out_named("correction_out")
      .out_dtype(OutDType::Computes, kFloating)
      .gradient([](GradCall& c) { c.set(0, variance_gradient(c, variance_call(c), gradient_through_root(c.grad(), c.result()))); })
      .onnx(none("its divisor, n - correction, is made of sizes"))
      .doc("The square root of the variance over `dim`.")
      .samples(kVarianceSamples);
}

}  // namespace monograph
