// Products that decompose into matrix products (outer, addmv, baddbmm, kron, cross, tensordot, matrix_power, ..), and norms, which decompose into reductions.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "kernels/cross_products.h"
#include "kernels/distances.h"
#include "kernels/kron.h"
#include "kernels/outer_products.h"
#include "ops/contiguous.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/families/products.h"
#include "ops/families/reduction_gradients.h"
#include "ops/pointwise.h"
#include "ops/rows.h"
#include "ops/rule.h"

namespace monograph {
namespace {

constexpr const char* kProducts = "decomposes to matrix products";

Tensor outer_of(const IValue& a, const IValue& b) { return "mul"_op("unsqueeze"_op(a, 1), b); }

// The sizes of the outer product of two vectors, arguments `a` and `b`.
Sizes outer_sizes(const RuleCall& c, size_t a, size_t b) {
  auto length = [&](size_t i) {
    SizesRef vector = c.sizes(i);
    if (vector.ranked() && vector.size() != 1) [[unlikely]]
      c.fail(Runtime, "outer: Expected 1-D argument ", c.op.schema().arguments()[i].name, ", but got ", vector.size(), "-D");
    return vector[0];
  };
  return {length(a), length(b)};
}

void outer_rule(RuleCall& c) {
  c.result(outer_sizes(c, 0, 1), c.promoted(std::array<size_t, 2>{0, 1}));
  if (!all_contiguous_floats(c, {0, 1})) c.leave_to_decomposition();
}

IValue dot(const IValue* a) {
  const Tensor x = a[0].to_tensor(), y = a[1].to_tensor();
  MONOGRAPH_CHECK(x.dim() == 1 && y.dim() == 1, Runtime, "1D tensors expected, but got ", x.dim(), "D and ", y.dim(), "D tensors");
  MONOGRAPH_CHECK(x.dtype() == y.dtype(), Runtime, "dot : expected both vectors to have same dtype, but found ", scalar_type(x.dtype()),
                  " and ", scalar_type(y.dtype()));
  return "matmul"_op(x, y);
}

// beta or alpha as a factor of `product`: for integers, its integer part, which the dtype must hold.
IValue factor_for(const IValue& factor, const Tensor& product) {
  return exact(product.dtype()) || (factor.is_complex() && !is_complex(product.dtype()))
             ? number_in("beta and alpha", factor, product.dtype())
             : factor;
}

// beta * self + alpha * product. With beta 0, `self` is not read, so its NaNs do not count.
Tensor weighted_sum(const Tensor& self, const Tensor& product, const IValue& beta, const IValue& alpha) {
  MONOGRAPH_CHECK(self.dtype() == product.dtype(), Runtime, "expected what is added to the product to have its dtype, but got ",
                  scalar_type(self.dtype()), " and ", scalar_type(product.dtype()));
  const Sizes sizes = sizes_of(product);
  const Tensor addend = "expand"_op(self, sizes);
  // bools stay bools: a factor counts as true unless it is 0.
  auto times = [&](const Tensor& t, const IValue& number) -> Tensor {
    if (is_number(number, 1)) return t;
    return t.dtype() == DType::b1 ? "mul"_op(t, IValue(!is_number(number, 0))) : "mul"_op(t, factor_for(number, product));
  };
  if (is_number(beta, 0)) return times(product, alpha);
  return "add"_op(times(product, alpha), times(addend, beta));
}

// The kernels of addr and addmv take calls in which nothing is scaled. They add in the order of weighted_sum.
bool adds_unscaled(const RuleCall& c, SizesRef product) {
  return all_contiguous_floats(c, {0, 1, 2}) && c.value(0).as_tensor().sizes() == Sizes(product).ints() && is_number(c.value(3), 1) &&
         is_number(c.value(4), 1);
}
// The dtype of beta or alpha, argument i. Unknown if the program computes the number while it is captured.
std::optional<DType> factor_dtype(const RuleCall& c, size_t i) {
  return c.eager() && !c.value(i).is_number() ? std::nullopt : c.number_dtype(i);
}
// States the sum of a product, which has these sizes and this dtype, and argument 0.
void state_weighted_sum(RuleCall& c, const Sizes& product, std::optional<DType> dtype) {
  check_addend(c, 0, dtype);
  check_expands(c, product);
  const auto t = dtype ? dtype : c.dtype(0);
  if (t && !is_complex(*t))
    for (const size_t i : {size_t{3}, size_t{4}})
      if (const auto factor = factor_dtype(c, i); factor && is_complex(*factor))
        c.fail(Runtime, "value cannot be converted to type ", name(*t), " without overflow: ", c.op.schema().arguments()[i].name,
               " is a complex number");
  c.result(product, t);
  if (!adds_unscaled(c, product)) c.leave_to_decomposition();
}
void addr_rule(RuleCall& c) {
  if (const auto t = c.dtype(0); t && exact(*t))
    for (const size_t i : {size_t{3}, size_t{4}}) {
      const auto factor = factor_dtype(c, i);
      c.check(!factor || exact(*factor), Runtime,
              "For integral input tensors, argument beta and alpha must not be a floating point number.");
    }
  for (const size_t i : {size_t{3}, size_t{4}})
    c.check(factor_dtype(c, i) != DType::b1 || c.dtype(0).value_or(DType::b1) == DType::b1, Runtime, "Boolean ",
            c.op.schema().arguments()[i].name, " only supported for Boolean results.");
  const Sizes product = outer_sizes(c, 1, 2);
  state_weighted_sum(c, product, c.promoted(std::array<size_t, 2>{1, 2}));
}
void addmv_rule(RuleCall& c) {
  const Sizes product = vector_product_sizes(c, 1, 2);
  state_weighted_sum(c, product, product_dtype(c, 1, 2));
}

// Dim d of a tensor that is seen with `rank` dims: those that it lacks have size 1 and come first.
Size size_among(SizesRef sizes, size_t d, size_t rank) { return d + sizes.size() < rank ? Size(1) : sizes[d + sizes.size() - rank]; }

Sizes kron_sizes(SizesRef x, SizesRef y) {
  const size_t rank = std::max(x.size(), y.size());
  Sizes out;
  for (size_t d = 0; d < rank; ++d) out.push_back(size_among(x, d, rank) * size_among(y, d, rank));
  return out;
}

IValue decompose_kron(const IValue* a) {
  const Tensor x = a[0].to_tensor(), y = a[1].to_tensor();
  const Sizes own = sizes_of(x), other = sizes_of(y);
  const size_t rank = std::max(own.size(), other.size());
  Sizes outer, inner;
  for (size_t d = 0; d < rank; ++d) {
    outer.push_back(size_among(own, d, rank)), outer.push_back(1);
    inner.push_back(1), inner.push_back(size_among(other, d, rank));
  }
  return "reshape"_op("mul"_op("reshape"_op(x, outer), "reshape"_op(y, inner)), kron_sizes(own, other));
}

// The kernel takes a result of few elements, for which the calls of several operators take longer than the products.
void kron_rule(RuleCall& c) {
  constexpr int64_t kFew = 2048;
  SizesRef x = c.sizes(0), y = c.sizes(1);
  const Sizes out = x.ranked() && y.ranked() ? kron_sizes(x, y) : Sizes::unranked();
  const auto t = c.dtype(0), u = c.dtype(1);
  c.result(out, t && u ? std::optional(promote_types(*t, *u)) : std::nullopt);
  const bool few = certainly(element_count(out) <= kFew);
  if (!few || !all_contiguous_floats(c, {0, 1}) || x.size() != 2 || y.size() != 2) c.leave_to_decomposition();
}

// If the last dim of y is short, both sides are first repeated to the length of the result's rows, so that the product runs over long rows.
IValue kron_by_long_rows(const IValue* a) {
  constexpr int64_t kShort = 32;  // a last dim of fewer elements
  const Tensor &x = a[0].as_tensor(), &y = a[1].as_tensor();
  if (x.dim() != 2 || y.dim() != 2 || y.sizes()[1] >= kShort) return {};
  const int64_t rows = x.sizes()[0], columns = x.sizes()[1], inner_rows = y.sizes()[0], inner = y.sizes()[1];
  const Tensor left = "reshape"_op("expand"_op("unsqueeze"_op(x, 2), Dims{rows, columns, inner}), Dims{rows, 1, columns * inner});
  const Tensor right =
      "reshape"_op("expand"_op("unsqueeze"_op(y, 1), Dims{inner_rows, columns, inner}), Dims{1, inner_rows, columns * inner});
  return "reshape"_op("mul"_op(left, right), Dims{rows * inner_rows, columns * inner});
}

Tensor cross_along(const Tensor& x, const Tensor& y, int64_t dim) {
  auto turned = [&](const Tensor& t, int64_t by) { return Tensor("roll"_op(t, Dims{by}, Dims{dim})); };
  return "sub"_op("mul"_op(turned(x, -1), turned(y, -2)), "mul"_op(turned(x, -2), turned(y, -1)));
}
IValue linalg_cross(const IValue* a) {
  const Tensor x = a[0].to_tensor(), y = a[1].to_tensor();
  return cross_along(x, y, wrapped(a[2], x));
}
// The kernel does the same arithmetic for each element, without the four rolled copies.
void linalg_cross_rule(RuleCall& c) {
  SizesRef x = c.sizes(0), y = c.sizes(1);
  c.check(!x.ranked() || !y.ranked() || x.size() == y.size(), Runtime, "linalg.cross: inputs must have the same number of dimensions.");
  for (SizesRef sizes : {x, y}) {
    if (!sizes.ranked()) continue;
    const auto dim = c.dim(2, sizes.size());
    c.check(!sizes.empty() && (!dim || sizes[*dim] == 3), Runtime, "linalg.cross: inputs dimension ", c.size(2), " must have length 3.");
  }
  const auto t = c.dtype(0);
  c.check(!t || !c.dtype(1) || *t == *c.dtype(1), Runtime, "linalg.cross: expected inputs of one dtype, but got ", scalar_type(t), " and ",
          scalar_type(c.dtype(1)));
  c.check_dtype(t, [](DType given) { return given != DType::b1; }, "cross");
  c.result(broadcast(x, y, c.op.name()), t);
  const bool computes = t == DType::f32 || t == DType::f64 || t == DType::i64 || t == DType::i32;
  const bool fits = computes && all_contiguous(c, {0, 1}) && c.dtype(0) == c.dtype(1) && std::ranges::equal(x.words(), y.words());
  if (!fits) c.leave_to_decomposition();
}
IValue cross(const IValue* a) {
  if (!a[2].is_none()) return "linalg_cross"_op(a[0], a[1], a[2]);
  const Tensor x = a[0].to_tensor();
  for (int64_t d = 0; d < x.dim(); ++d) {
    const Size n = size_of(x, d);
    if (n.is(3)) return "linalg_cross"_op(a[0], a[1], d);
    if (!n.is_int() && x->kind == TensorImpl::Kind::Dense &&
        dispatch_hooks().specialize) {  // as in the example: this dim has size 3, or it has not
      const bool chosen = x.sizes()[static_cast<size_t>(d)] == 3;
      dispatch_hooks().specialize(chosen ? n : min(max(n - 3, Size(3) - n), 1));
      if (chosen) return "linalg_cross"_op(a[0], a[1], d);
      continue;
    }
    MONOGRAPH_CHECK(never(n == 3), NotImplemented, "[aten::cross] which dim has size 3 is not known while sizes are symbols; give dim=");
  }
  fail(Runtime, "no dimension of size 3 in input");
}

IValue decompose_tensordot(const IValue* a) {
  Tensor x = a[0].to_tensor(), y = a[1].to_tensor();
  const Dims of_x = a[2].to_ints(), of_y = a[3].to_ints();
  MONOGRAPH_CHECK(of_x.size() == of_y.size(), Runtime, "both dimension lists should have same length");
  MONOGRAPH_CHECK(x.dtype() == y.dtype(), Runtime, "both inputs should have same dtype");
  std::vector<bool> sum_x(static_cast<size_t>(x.dim()), false), sum_y(static_cast<size_t>(y.dim()), false);
  Sizes own = sizes_of(x), other = sizes_of(y);
  Dims order_x, order_y, last_x, first_y;
  Size terms = 1;
  for (size_t k = 0; k < of_x.size(); ++k) {
    MONOGRAPH_CHECK(x.dim() > 0 && y.dim() > 0, Index, "Dimension specified as ", x.dim() > 0 ? of_y[k] : of_x[k],
                    " but tensor has no dimensions");
    const int64_t dx = wrapped(of_x[k], x), dy = wrapped(of_y[k], y);
    const Size n = own[static_cast<size_t>(dx)], m = other[static_cast<size_t>(dy)];
    if (m.is(1) && !n.is(1)) x = "sum"_op(x, Dims{dx}, true, x.dtype()), own.set(static_cast<size_t>(dx), 1);
    else if (n.is(1) && !m.is(1)) y = "sum"_op(y, Dims{dy}, true, y.dtype()), other.set(static_cast<size_t>(dy), 1);
    else
      MONOGRAPH_CHECK(!never(n == m), Runtime, "contracted dimensions need to match, but first has size ", to_string(n), " in dim ",
                      of_x[k], " and second has size ", to_string(m), " in dim ", of_y[k]);
    MONOGRAPH_CHECK(!sum_x[static_cast<size_t>(dx)] && !sum_y[static_cast<size_t>(dy)], Runtime, "dim ", of_x[k],
                    " appears multiple times in the list of dims");
    sum_x[static_cast<size_t>(dx)] = sum_y[static_cast<size_t>(dy)] = true;
    last_x.push_back(dx), first_y.push_back(dy);
    terms = terms * own[static_cast<size_t>(dx)];
  }
  Sizes result;
  Size rows = 1, columns = 1;
  for (int64_t d = 0; d < x.dim(); ++d)
    if (!sum_x[static_cast<size_t>(d)])
      order_x.push_back(d), result.push_back(own[static_cast<size_t>(d)]), rows = rows * own[static_cast<size_t>(d)];
  for (int64_t d : last_x) order_x.push_back(d);
  for (int64_t d : first_y) order_y.push_back(d);
  for (int64_t d = 0; d < y.dim(); ++d)
    if (!sum_y[static_cast<size_t>(d)])
      order_y.push_back(d), result.push_back(other[static_cast<size_t>(d)]), columns = columns * other[static_cast<size_t>(d)];
  const Tensor left = "reshape"_op("permute"_op(x, order_x), Sizes{rows, terms}),
               right = "reshape"_op("permute"_op(y, order_y), Sizes{terms, columns});
  return "reshape"_op("mm"_op(left, right), result);
}

IValue inner(const IValue* a) {
  const Tensor x = a[0].to_tensor(), y = a[1].to_tensor();
  if (x.dim() == 0 || y.dim() == 0) return "mul"_op(x, y);
  MONOGRAPH_CHECK(!never(size_of(x, -1) == size_of(y, -1)), Runtime,
                  "inner() the last dimension must match on both input tensors but got shapes ", words(sizes_of(x)), " and ",
                  words(sizes_of(y)));
  return "tensordot"_op(x, y, Dims{x.dim() - 1}, Dims{y.dim() - 1});
}

IValue decompose_matrix_power(const IValue* a) {
  Tensor x = a[0].to_tensor();
  int64_t n = a[1].to_int();
  MONOGRAPH_CHECK(x.dim() >= 2 && !never(size_of(x, -1) == size_of(x, -2)), Runtime,
                  "linalg.matrix_power: A must be batches of square matrices, but they are ", words(sizes_of(x)));
  if (n == 0) {
    const Tensor ones = "new_ones"_op(x, Sizes{size_of(x, -1)});
    return "clone"_op("expand"_op("diag_embed"_op(ones, 0, -2, -1), sizes_of(x)), MemoryFormat::Contiguous);
  }
  if (n < 0) x = "linalg_inv"_op(x), n = -n;
  if (n == 1) return "clone"_op(x);
  Tensor power = x, result;
  for (int64_t rest = n; rest; rest /= 2) {
    if (rest % 2) result = result.defined() ? Tensor("matmul"_op(result, power)) : power;
    if (rest > 1) power = "matmul"_op(power, power);
  }
  return result;
}

IValue decompose_chain_matmul(const IValue* a) {
  std::vector<Tensor> parts = a[0].to_tensors();
  MONOGRAPH_CHECK(!parts.empty(), Runtime, "chain_matmul: Expected one or more matrices");
  for (const Tensor& t : parts)
    MONOGRAPH_CHECK(t.dim() == 2, Runtime, "chain_matmul: expected matrices, but got a tensor of ", t.dim(), " dims");
  Tensor product = parts[0];
  for (size_t k = 1; k < parts.size(); ++k) product = "mm"_op(product, parts[k]);
  return product;
}

// --- Norms.

IValue decompose_vector_norm(const IValue* a) {
  Tensor x = a[0].to_tensor();
  MONOGRAPH_CHECK(!a[1].is_complex(), Runtime, "linalg.vector_norm: Expected a non-complex ord");
  const double p = a[1].to_double();
  MONOGRAPH_CHECK(is_floating(x.dtype()) || is_complex(x.dtype()), Runtime,
                  "linalg.vector_norm: Expected a floating point or complex tensor as input. Got ", scalar_type(x.dtype()));
  if (!a[4].is_none()) {
    const DType given = x.dtype(), wanted = a[4].to_dtype();
    const bool complex = is_complex(given);
    MONOGRAPH_CHECK(is_floating(wanted) || is_complex(wanted), Runtime,
                    "linalg.vector_norm: dtype should be floating point or complex. Got ", scalar_type(wanted));
    MONOGRAPH_CHECK(is_complex(wanted) == complex, Runtime, "linalg.vector_norm: dtype should be ", complex ? "complex" : "real", " for ",
                    complex ? "complex" : "real", " inputs, but got ", scalar_type(wanted));
    MONOGRAPH_CHECK(promote_types(given, wanted) == wanted, Runtime, "linalg.vector_norm: the dtype of the input (", scalar_type(given),
                    ") should be convertible without narrowing to the specified dtype (", scalar_type(wanted), ")");
    x = "to"_op(x, wanted);
  }
  const bool parts = is_complex(x.dtype());
  DType result = parts ? real_type(x.dtype()) : x.dtype();
  if (parts) x = "abs"_op(x);
  const IValue dims = a[2].is_none() ? IValue(Dims{}) : a[2], keep = a[3];
  if (p == 2) return "monograph::root_of_squares"_op(x, dims, keep);
  // 16-bit dtypes are computed in float32, because each step would round to 16 bits.
  const bool narrow = result == DType::f16 || result == DType::bf16;
  if (narrow) x = "to"_op(x, DType::f32);
  Tensor y;
  if (std::isinf(p)) y = p > 0 ? "amax"_op("abs"_op(x), dims, keep) : "amin"_op("abs"_op(x), dims, keep);
  else if (p == 0) y = "to"_op("sum"_op("ne"_op(x, 0), dims, keep), x.dtype());
  else if (p == 1) y = "sum"_op("abs"_op(x), dims, keep);
  else y = "pow"_op("sum"_op("pow"_op("abs"_op(x), p), dims, keep), 1.0 / p);
  return narrow ? Tensor("to"_op(y, result)) : y;
}

// As in PyTorch, the gradient is 0 where the norm is 0.
void norm_gradient(GradCall& c, const Tensor& x, double p, const IValue& dims, bool keep) {
  const Dims reduced = dims_in_order(dims, x.dim());
  const Tensor g = restore_dims(c.grad(), reduced, keep), y = restore_dims(c.result(), reduced, keep);
  auto masked = [&](const Tensor& t) { return Tensor("masked_fill"_op(t, "eq"_op(y, 0), 0)); };
  if (p == 0) return c.set(0, "zeros_like"_op(x));
  if (p == 1) return c.set(0, "mul"_op("sgn"_op(x), g));
  if (p == 2) return c.set(0, "mul"_op(g, masked("div"_op(x, y))));
  if (std::isinf(p)) {
    const Tensor size = "abs"_op(x), chosen = "logical_or"_op("eq"_op(size, y), "isnan"_op(size));
    const IValue all = dims.is_none() ? IValue(Dims{}) : dims;
    return c.set(0, "mul"_op("mul"_op("sgn"_op(x), chosen), "div"_op(g, "sum"_op(chosen, all, true))));
  }
  Tensor scaled;
  if (p < 1) scaled = "masked_fill"_op("mul"_op("sgn"_op(x), "pow"_op("abs"_op(x), p - 1)), "eq"_op(x, 0), 0);
  else if (p < 2) scaled = "mul"_op("sgn"_op(x), "pow"_op("abs"_op(x), p - 1));
  else scaled = "mul"_op(x, "pow"_op("abs"_op(x), p - 2));
  c.set(0, "mul"_op(scaled, masked("div"_op(g, "pow"_op(y, p - 1)))));
}

// The singular values of the matrices in the dims `dims`, in a new last dim.
Tensor singular_values(Tensor x, const Dims& dims, const IValue& dtype) {
  if (!dtype.is_none()) x = "to"_op(x, dtype);
  return "linalg_svdvals"_op("movedim"_op(x, dims, Dims{-2, -1}));
}
// With `keep`, the norm y of the matrices in the dims `dims` of x gets these dims back, with size 1.
Tensor with_dims(const Tensor& y, const Tensor& x, const Dims& dims, bool keep) {
  if (!keep) return y;
  return "movedim"_op("unsqueeze"_op("unsqueeze"_op(y, -1), -1), Dims{-2, -1}, Dims{wrapped(dims[0], x), wrapped(dims[1], x)});
}

// The norm of the matrices in the dims `dims`. Orders 1 and inf are the largest sum of absolute values of a column or row; order 2 is the largest singular
// value. Negative orders are the smallest of these.
IValue matrix_norm(const Tensor& x, double p, const Dims& dims, bool keep, const IValue& dtype) {
  MONOGRAPH_CHECK(std::abs(p) == 1 || std::abs(p) == 2 || std::isinf(p), Runtime, "linalg.matrix_norm: Order ", p, " not supported.");
  if (std::abs(p) == 2) {
    const Tensor s = singular_values(x, dims, dtype);
    return with_dims(p > 0 ? "amax"_op(s, Dims{-1}) : "amin"_op(s, Dims{-1}), x, dims, keep);
  }
  int64_t sums = wrapped(dims[0], x), rest = wrapped(dims[1], x);
  if (std::isinf(p)) std::swap(sums, rest);
  const Tensor lengths = "linalg_vector_norm"_op(x, 1, Dims{sums}, true, dtype);
  Tensor y = p > 0 ? "amax"_op(lengths, Dims{rest}, true) : "amin"_op(lengths, Dims{rest}, true);
  if (keep) return y;
  for (int64_t d : {std::max(sums, rest), std::min(sums, rest)}) y = "squeeze"_op(y, d);
  return y;
}
IValue decompose_norm(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  if (a[1].is_none()) return "linalg_vector_norm"_op(x, 2, a[2], a[3], a[4]);
  const double p = a[1].to_double();
  Dims dims;
  if (!a[2].is_none()) dims = a[2].to_ints();
  else
    for (int64_t d = 0; d < x.dim(); ++d) dims.push_back(d);
  MONOGRAPH_CHECK(a[2].is_none() ? x.dim() == 1 || x.dim() == 2 : dims.size() == 1 || dims.size() == 2, Runtime, "linalg.norm: If ",
                  a[2].is_none() ? "dim is not specified but ord is, the input must be 1D or 2D. Got "
                                 : "dim is specified, it must be of length 1 or 2. Got ",
                  words(sizes_of(x)));
  if (dims.size() == 1) return "linalg_vector_norm"_op(x, a[1], dims, a[3], a[4]);
  return matrix_norm(x, p, dims, a[3].to_bool(), a[4]);
}
IValue decompose_named_norm(const IValue* a) {
  const std::string name = a[1].to_string();
  MONOGRAPH_CHECK(name == "fro" || name == "nuc", Runtime, "linalg.norm: Order ", name, " not supported.");
  const Tensor x = a[0].to_tensor();
  const size_t count = a[2].is_none() ? static_cast<size_t>(x.dim()) : a[2].to_ints().size();
  MONOGRAPH_CHECK(count == 2, Runtime, "linalg.matrix_norm: dim must be a 2-tuple, or the input a matrix, but there are ", count, " dims");
  if (name == "fro") return "linalg_vector_norm"_op(x, 2, a[2], a[3], a[4]);
  const Dims dims = a[2].is_none() ? Dims{0, 1} : a[2].to_ints();
  return with_dims("sum"_op(singular_values(x, dims, a[4]), Dims{-1}), x, dims, a[3].to_bool());
}

constexpr const char* kNormSamples =
    R"([[t(d, 3, 4), p, n, k] for d in (f32, f64) for p in (2, 1, 0, inf, -inf, 3, 1.5, 0.5) for n, k in ((None, False), ([0], True), ([-1], False), ([0, 1], False))]
     + [[t(d, 9), 2] for d in (f16, bf16, c64, c128)] + [[t(f16, 9), 3], [at([300.0, 400.0]).half(), 2], [torch.zeros(3), 2], [torch.zeros(3), 3], [t(f32), 2], [t(f32, 0), 2],
        [t(i64, 3), 2], [t(f32, 3, 5).t(), 2, [0]], [at([1.0, nan]), inf], [t(f32, 300), 2]])";

IValue decompose_cdist(const IValue* a) {
  return "linalg_vector_norm"_op("sub"_op("unsqueeze"_op(a[0], -2), "unsqueeze"_op(a[1], -3)), a[2], Dims{-1});
}

// The distances of two matrices. The rows of the longer side are halved until the differences fit into the cache. Each distance is computed by itself, so this
// does not change its bits.
Tensor distances_in_pieces(const Tensor& x, const Tensor& y, const IValue& p) {
  constexpr int64_t kMostElements = int64_t{1} << 17;  // of the differences
  const int64_t rows = x.sizes()[0], columns = y.sizes()[0];
  if (rows * columns * std::max<int64_t>(1, x.sizes()[1]) <= kMostElements || std::max(rows, columns) < 2) {
    const std::array<IValue, 3> call{x, y, p};
    return decompose_cdist(call.data()).to_tensor();
  }
  const bool by_rows = rows >= columns;
  const int64_t count = by_rows ? rows : columns, half = count / 2;
  auto part = [&](const Tensor& whole, int64_t from, int64_t length) { return Tensor("narrow"_op(whole, 0, from, length)); };
  auto piece = [&](int64_t from, int64_t length) {
    return by_rows ? distances_in_pieces(part(x, from, length), y, p) : distances_in_pieces(x, part(y, from, length), p);
  };
  return "cat"_op(IValue::list({piece(0, half), piece(half, count - half)}), by_rows ? 0 : 1);
}

// The kernel takes each distance by itself, without the differences of all rows in memory.
void cdist_rule(RuleCall& c) {
  SizesRef x = c.sizes(0), y = c.sizes(1);
  const auto t = c.dtype(0), u = c.dtype(1);
  const auto p = c.real(2);
  c.check((!x.ranked() || x.size() >= 2) && (!y.ranked() || y.size() >= 2), Runtime,
          "cdist only supports at least 2D tensors, got: ", x.size(), "D and ", y.size(), "D");
  const Size columns = x.ranked() ? x.back() : Size(), others = y.ranked() ? y.back() : Size();
  c.check(columns == others, Runtime, "X1 and X2 must have the same number of columns. X1: ", columns, " X2: ", others);
  c.check(!p || *p >= 0, Runtime, "cdist only supports non-negative p values");
  c.check(!t || is_floating(*t), Runtime, "cdist only supports floating-point dtypes, X1 got: ", scalar_type(t));
  c.check(!u || is_floating(*u), Runtime, "cdist only supports floating-point dtypes, X2 got: ", scalar_type(u));
  Sizes out = Sizes::unranked();
  if (x.ranked() && y.ranked()) {
    out = broadcast(x.first(x.size() - 2), y.first(y.size() - 2), c.op.name());
    out.push_back(x[x.size() - 2]), out.push_back(y[y.size() - 2]);
  }
  c.result(out, t && u ? std::optional(promote_types(*t, *u)) : std::nullopt);
  const bool fits = all_in_memory(c, {0, 1}) && x.size() == 2 && y.size() == 2 && t == u && p && distance_norm(*t, columns.as_int(), *p);
  if (!fits) return c.leave_to_decomposition();
  c.contiguous(0), c.contiguous(1);
  c.scratch(distance_scratch(*t, x[0].as_int() + y[0].as_int(), columns.as_int()));
}
IValue cdist_in_pieces(const IValue* a) {
  const Tensor &x = a[0].as_tensor(), &y = a[1].as_tensor();
  return x.dim() == 2 && y.dim() == 2 && x.sizes()[1] == y.sizes()[1] ? IValue(distances_in_pieces(x, y, a[2])) : IValue();
}

void norms_of_vectors(Registry& r) {
  constexpr const char* kNorm = "decomposes to reductions";
  r.rows({"monograph::root_of_squares(Tensor self, int[1]? dim=None, bool keepdim=False) -> Tensor"},
         {.body = [](RowContext& c) { c.out(sqrt(row_sum(c.x() * c.x()))); },
          .rows = RowRule::Rows::Dims,
          .reduces = true,
          .keepdim_arg = 2,
          .result = RowRule::Result::Float,
          .dtypes = kFloating})
      .gradient([](GradCall& c) { norm_gradient(c, c.arg(0), 2, c.value(1), c.value(2).to_bool()); })
      .decompose(
          [](const IValue* a) -> IValue {
            Tensor x = a[0].to_tensor();
            const DType given = x.dtype();
            if (element_size(given) == 2) x = "to"_op(x, DType::f32);
            return "to"_op("sqrt"_op("sum"_op("mul"_op(x, x), a[1].is_none() ? IValue(Dims{}) : a[1], a[2])), given);
          },
          Reads::Nothing)
      .onnx(none(kNorm))
      .doc("The root of the sum of squares over `dim`.")
      .samples(none("PyTorch has no such operator; linalg_vector_norm's samples run it"));
  r.op("linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor")
      .namespaced("_linalg")
      .decompose(decompose_vector_norm, Reads::Nothing)
      .gradient([](GradCall& c) {
        const Tensor x = c.arg(0);
        const DType real = c.result().dtype();
        norm_gradient(c, "to"_op(x, is_complex(x.dtype()) ? promote_types(x.dtype(), real) : real), c.value(1).to_double(), c.value(2),
                      c.value(3).to_bool());
      })
      .out()
      .onnx(none(kNorm))
      .doc("The vector norm of order `ord` over `dim`. The order is any number, or inf or -inf.")
      .samples(kNormSamples);
  r.op("linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor")
      .namespaced("_linalg")
      .decompose(decompose_norm, Reads::Nothing)
      .out()
      .onnx(none(kNorm))
      .doc("The norm of vectors. With two dims and an `ord`, the norm of matrices.")
      .samples(
          R"([[t(f32, 3, 4), p, n, k] for p in (1, -1, inf, -inf, None) for n, k in ((None, False), ([0], True), ([1, 0], False), ([0, 1], True))] + [[t(f32, 3), 3], [t(f32, 2, 3, 4)],
                  [t(f32, 2, 3, 4), 1], [t(f64, 2, 3, 4), 1, [-1, 0]], [t(f32, 2, 3, 4), 1, [0, 1, 2]]])");
  r.op("linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor")
      .namespaced("_linalg")
      .decompose(decompose_named_norm, Reads::Nothing)
      .out_named("ord_str_out")
      .onnx(none(kNorm))
      .doc("The Frobenius norm of matrices.")
      .samples(
          R"([[t(f32, 3, 4), "fro", n, k] for n, k in ((None, False), ([0, 1], True))] + [[t(f32, 2, 3, 4), "fro"], [t(f32, 3, 4), "max"]])");
  auto norm = [&](const char* schema, const char* out, DecomposeFn decompose, const char* samples) {
    r.op(schema)
        .one_step()
        .decompose(decompose, Reads::Nothing)
        .out_named(out)
        .onnx(none(kNorm))
        .doc("The norm of order `p`: linalg.vector_norm.")
        .samples(samples);
  };
  static auto order = [](const IValue& p) { return p.is_none() ? IValue(2) : p; };
  norm(
      "norm.Scalar(Tensor self, Scalar p=2) -> Tensor", "Scalar_out",
      [](const IValue* a) -> IValue { return "linalg_vector_norm"_op(a[0], a[1]); },
      "[[t(d, 3, 4), p] for d in (f32, f64) for p in (2, 1, inf, 3)] + [[t(i64, 3), 2]]");
  norm(
      "norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor", "out",
      [](const IValue* a) -> IValue { return "linalg_vector_norm"_op(a[0], order(a[1]), a[2], a[3]); },
      "[[t(f32, 3, 4), p, n, k] for p in (None, 2, 1, inf) for n, k in (([0], True), ([1], False), ([0, 1], False), ([], False))]");
  norm(
      "norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor", "dtype_out",
      [](const IValue* a) -> IValue { return "linalg_vector_norm"_op(a[0], order(a[1]), a[2], a[3], a[4]); },
      "[[t(f32, 3, 4), p, [0], False, f64] for p in (None, 1)] + [[t(f16, 3, 4), 2, [1], True, f32]]");
  norm(
      "norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor", "ScalarOpt_dtype_out",
      [](const IValue* a) -> IValue { return "linalg_vector_norm"_op(a[0], order(a[1]), IValue(), false, a[2]); },
      "[[t(f32, 3, 4), p, f64] for p in (None, 1, 3)]");
  norm(
      "frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", "out",
      [](const IValue* a) -> IValue { return "linalg_vector_norm"_op(a[0], 2, a[1], a[2]); },
      "[[t(d, 3, 4), n, k] for d in (f32, f64) for n, k in (([0], True), ([1], False), ([0, 1], False), ([], False))]");
  r.op("dist(Tensor self, Tensor other, Scalar p=2) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return "linalg_vector_norm"_op("sub"_op(a[0], a[1]), a[2]); }, Reads::Nothing)
      .operator_out()
      .onnx(none(kNorm))
      .doc("The norm of order `p` of the difference.")
      .samples("[[t(d, 3, 4), t(d, 3, 4), p] for d in (f32, f64) for p in (2, 1, inf, 3)] + [[t(f32, 2, 1), t(f32, 3), 2]]");
  r.op("cdist(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> Tensor")
      .decompose(decompose_cdist, Reads::Symbols)
      .decompose_eagerly(cdist_in_pieces)
      .rule(cdist_rule)
      .kernel(cdist_kernel)
      .function_only()
      .onnx(none(kNorm))
      .autocast(Autocast::Float32)
      .doc("The distances of order `p` between each row of `x1` and each row of `x2`.")
      .samples(
          "[[t(d, 3, 4), t(d, 2, 4), p] for d in (f32, f64) for p in (2.0, 1.0, inf, 3.0)] + [[t(f32, 2, 3, 4), t(f32, 2, 2, 4)], [t(f32, "
          "3), t(f32, 3)], [t(f32, 2, 3), t(f32, 2, 4)], [t(f32, 2, 3), t(f32, 2, 3), -1.0]]")
      .special(Special::OtherSchemaText, "the shortest text of p");
}

void vector_products(Registry& r) {
  r.op("outer(Tensor self, Tensor vec2) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return outer_of(a[0], a[1]); }, Reads::Nothing)
      .rule(outer_rule)
      .kernel(outer_kernel)
      .out()
      .out_dtype(OutDType::Safe)
      .alias({"ger"})
      .onnx(none("decomposes to unsqueeze and mul"))
      .doc("The outer product of two vectors: all products of an element of `self` and an element of `vec2`.")
      .samples(
          "[[t(d, 3), t(d, 2)] for d in (f32, f64, bf16, i64, c64)] + [[t(f32, 2), t(i64, 3)], [t(f32, 2, 2), t(f32, 2)], [t(f32, 2), "
          "t(f32)], [t(f32, 0), t(f32, 2)]]");
  r.op("dot(Tensor self, Tensor tensor) -> Tensor")
      .decompose(dot, Reads::Nothing)
      .out()
      .onnx(none(kProducts))
      .autocast(Autocast::AsGiven)
      .doc("The dot product of two vectors.")
      .samples(
          "[[t(d, 9), t(d, 9)] for d in (f32, f64, i64, u8)] + [[t(f32, 2), t(f32, 3)], [t(f32, 2, 2), t(f32, 2)], [t(f32, 2), t(f64, 2)], "
          "[t(f32, 0), t(f32, 0)], [t(f32, 9)[::2], t(f32, 5)], [t(b1, 3), t(b1, 3)]]");
  r.op("vdot(Tensor self, Tensor other) -> Tensor")
      .decompose(
          [](const IValue* a) -> IValue { return "dot"_op(is_complex(a[0].as_tensor().dtype()) ? IValue("conj"_op(a[0])) : a[0], a[1]); },
          Reads::Nothing)
      .out()
      .onnx(none(kProducts))
      .autocast(Autocast::AsGiven)
      .doc("The dot product of two vectors, with the first one conjugated.")
      .samples(
          "[[t(d, 9), t(d, 9)] for d in (f32, f64, i64, c64, c128)] + [[t(f32, 2), t(f32, 3)], [t(f32, 2, 2), t(f32, 2)], [t(f32, 2), "
          "t(f64, 2)]]");
  r.op("addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor")
      .decompose(
          [](const IValue* a) {
            return rounded_once(a,
                                [](const IValue* b) -> IValue { return weighted_sum(b[0].to_tensor(), "mv"_op(b[1], b[2]), b[3], b[4]); });
          },
          Reads::Symbols)
      .rule(addmv_rule)
      .kernel(addmv_kernel)
      .inplace()
      .out()
      .onnx(none(kProducts))
      .autocast(Autocast::AsGiven)
      .doc(R"(beta * self + alpha * (mat @ vec).

self: What is added: a vector, or a tensor that expands to one.

>>> x = torch.tensor([10.0, 20.0])
>>> torch.addmv(x, torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, -1.0])))")
      .samples(
          "[[t(d, 2), t(d, 2, 3), t(d, 3), b, a] for d in (f32, f64, i64) for b, a in ((1, 1), (0, 1), (2, 3))] + [[t(f32, 1), t(f32, 2, "
          "3), t(f32, 3), 0.5, 1], [t(f32, 3), t(f32, 2, 3), t(f32, 3), 1, 1], [at([nan, 1.0]), t(f32, 2, 3), t(f32, 3), 0, 1], [t(i64, "
          "2), t(i64, 2, 3), t(i64, 3), 0.5, 1]]");
  r.op("addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return weighted_sum(a[0].to_tensor(), outer_of(a[1], a[2]), a[3], a[4]); }, Reads::Symbols)
      .rule(addr_rule)
      .kernel(addr_kernel)
      .inplace()
      .out()
      .out_dtype(OutDType::Safe)
      .onnx(none("decomposes to mul and add"))
      .doc(R"(beta * self + alpha * outer(vec1, vec2).

>>> x = torch.ones(2, 3)
>>> torch.addr(x, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0, -1.0])))")
      .samples(
          "[[t(d, 2, 3), t(d, 2), t(d, 3), b, a] for d in (f32, f64, i64) for b, a in ((1, 1), (0, 1), (2, 3))] + [[t(f32, 3), t(f32, 2), "
          "t(f32, 3), 0.5, 1], [t(f32, 2), t(f32, 2), t(f32, 3), 1, 1], [t(i64, 2, 3), t(i64, 2), t(i64, 3), 0.5, 1]]");
  r.op("baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor")
      .decompose(
          [](const IValue* a) {
            return rounded_once(a,
                                [](const IValue* b) -> IValue { return weighted_sum(b[0].to_tensor(), "bmm"_op(b[1], b[2]), b[3], b[4]); });
          },
          Reads::Symbols)
      .inplace()
      .out()
      .onnx(none(kProducts))
      .autocast(Autocast::LowerPrecision)
      .doc(R"(beta * self + alpha * (batch1 @ batch2), for each matrix of the batch.

>>> x = torch.ones(1, 2, 2)
>>> torch.baddbmm(x, torch.tensor([[[1.0], [2.0]]]), torch.tensor([[[3.0, 4.0]]])))")
      .samples(
          "[[t(d, 2, 3, 2), t(d, 2, 3, 4), t(d, 2, 4, 2), b, a] for d in (f32, f64, i64) for b, a in ((1, 1), (0, 1), (2, 3))] + [[t(f32, "
          "2), t(f32, 2, 3, 4), t(f32, 2, 4, 2), 0.5, 1], [t(f32, 3), t(f32, 2, 3, 4), t(f32, 2, 4, 2)], [t(f64, 2), t(f32, 2, 3, 4), "
          "t(f32, 2, 4, 2)], [t(i64, 2, 3, 2), t(i64, 2, 3, 4), t(i64, 2, 4, 2), 2, 1.5]]");
  r.op("addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor")
      .decompose(
          [](const IValue* a) {
            return rounded_once(a, [](const IValue* b) -> IValue {
              const Tensor products = "bmm"_op(b[1], b[2]);
              return weighted_sum(b[0].to_tensor(), "sum"_op(products, Dims{0}, false, products.dtype()), b[3], b[4]);
            });
          },
          Reads::Symbols)
      .inplace()
      .out()
      .onnx(none(kProducts))
      .autocast(Autocast::LowerPrecision)
      .doc(R"(beta * self + alpha * (the sum of batch1 @ batch2 over the batch).

>>> x = torch.ones(2, 2)
>>> torch.addbmm(x, torch.tensor([[[1.0], [2.0]], [[1.0], [1.0]]]), torch.tensor([[[3.0, 4.0]], [[1.0, 1.0]]])))")
      .samples(
          "[[t(d, 3, 2), t(d, 2, 3, 4), t(d, 2, 4, 2), b, a] for d in (f32, f64, i64) for b, a in ((1, 1), (0, 1), (2, 3))] + [[t(f32, 2), "
          "t(f32, 2, 3, 4), t(f32, 2, 4, 2), 0.5, 1]]");
  r.op("kron(Tensor self, Tensor other) -> Tensor")
      .decompose(decompose_kron, Reads::Symbols)
      .decompose_eagerly(kron_by_long_rows)
      .rule(kron_rule)
      .kernel(kron_kernel)
      .out()
      .out_dtype(OutDType::Safe)
      .onnx(none("decomposes to reshape and mul"))
      .doc("The Kronecker product: each element of `self` becomes a block, the element times `other`.")
      .samples(
          "[[t(d, 2, 3), t(d, 3, 2)] for d in (f32, f64, i64)] + [[t(f32, 2), t(f32, 2, 2)], [t(f32), t(f32, 2)], [t(f32, 2, 3), t(f32, 1, "
          "2, 2)], [t(f32, 2), t(i64, 2)], [t(f32, 0, 2), t(f32, 2, 2)]]");
  r.op("linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor")
      .namespaced("_linalg")
      .decompose(linalg_cross, Reads::Symbols)
      .rule(linalg_cross_rule)
      .kernel(linalg_cross_kernel)
      .out()
      .onnx(none("decomposes to cat, mul and sub"))
      .doc("The cross products of vectors of three elements along `dim`.")
      .samples(
          "[[t(d, 2, 3), t(d, 2, 3), -1] for d in (f32, f64, i64)] + [[t(f32, 3, 2), t(f32, 3, 1), 0], [t(f32, 2, 3), t(f32, 3), -1], "
          "[t(f32, 2), t(f32, 2), 0]]");
  r.op("cross(Tensor self, Tensor other, int? dim=None) -> Tensor")
      .one_step()
      .decompose(cross, Reads::Symbols)
      .out()
      .onnx(none("decomposes to cat, mul and sub"))
      .doc("The cross products of vectors of three elements along `dim`. Without `dim`, along the first dim of size 3.")
      .samples(
          "[[t(d, 2, 3), t(d, 2, 3)] for d in (f32, i64)] + [[t(f32, 3, 3), t(f32, 3, 3)], [t(f32, 3, 2), t(f32, 3, 2), 0], [t(f32, 2, 2), "
          "t(f32, 2, 2)], [t(f32, 3, 2), t(f32, 3, 2), 1]]");
  r.op("tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor")
      .decompose(decompose_tensordot, Reads::Symbols)
      .function_only()
      .out()
      .onnx(none(kProducts))
      .doc("The sums of products over the dims that both lists name.")
      .samples(
          "[[t(d, 2, 3, 4), t(d, 4, 3, 5), [1, 2], [1, 0]] for d in (f32, f64, i64)] + [[t(f32, 2, 3), t(f32, 4), [], []], [t(f32, 3), "
          "t(f32, 3), [0], [0]], [t(f32, 2, 3), t(f32, 2, 3), [0], [1]], [t(f32, 2, 1), t(f32, 3, 2), [1], [0]], [t(f32, 2), t(f32, 2), "
          "[0], []]]");
  r.op("inner(Tensor self, Tensor other) -> Tensor")
      .decompose(inner, Reads::Symbols)
      .out()
      .onnx(none(kProducts))
      .doc("The sums of products over the last dims.")
      .samples(
          "[[t(d, 2, 3), t(d, 4, 3)] for d in (f32, f64, i64)] + [[t(f32, 3), t(f32, 3)], [t(f32), t(f32, 2)], [t(f32, 2), t(f32, 3)], "
          "[t(f32, 2, 3), t(i64)], [t(f64), t(f32, 2)]]");
  r.op("matrix_power(Tensor self, int n) -> Tensor")
      .decompose(decompose_matrix_power, Reads::Symbols)
      .out()
      .alias({"linalg_matrix_power"})
      .onnx(none(kProducts))
      .doc("The `n`-th power of a square matrix. A negative `n` means a power of the inverse.")
      .samples(
          "[[t(d, 3, 3, low=-1, high=1), n] for d in (f32, f64) for n in (0, 1, 2, 3, 5)] + [[t(f32, 2, 2, 2), 3], [t(f32, 2, 3), 2], "
          "[t(i64, 2, 2), 2], "
          "[t(f32, 2, 2, 2), 0]]");
  r.op("chain_matmul(Tensor[] matrices) -> Tensor")
      .decompose(decompose_chain_matmul, Reads::Nothing)
      .function_only()
      .may_return("matrices")
      .out()
      .onnx(none(kProducts))
      .doc("The product of the matrices.")
      .samples("[[[t(f32, 2, 3), t(f32, 3, 4), t(f32, 4, 2)]], [[t(f32, 2, 3)]], [[t(f32, 2, 3), t(f32, 2, 3)]]]");
}

}  // namespace

void vectors(Registry& r) {
  norms_of_vectors(r);
  vector_products(r);
}

}  // namespace monograph
