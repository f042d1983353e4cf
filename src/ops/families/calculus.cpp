// Numerical calculus on samples of a function (trapezoid, cumulative_trapezoid, gradient), logcumsumexp, combinations and pdist, gcd, lcm and frexp. Most are
// decompositions into slices, sums and products; the others have kernels.
#include <algorithm>
#include <array>
#include <string>

#include "kernels/distances.h"
#include "kernels/divisors.h"
#include "kernels/scan.h"
#include "ops/contiguous.h"
#include "ops/families/composite.h"
#include "ops/families/distances.h"
#include "ops/families/error_kinds.h"
#include "ops/rule.h"

namespace monograph {
namespace {

// --- Integrals.

Tensor from(const Tensor& x, int64_t dim, const Size& start, const Size& length) { return "narrow"_op(x, dim, start, length); }

// y[k + 1] + y[k] along a dim, which is not empty.
Tensor sums_of_neighbours(const Tensor& y, int64_t dim) { return "add"_op("slice"_op(y, dim, 1, IValue()), "slice"_op(y, dim, 0, -1)); }
// x[k + 1] - x[k] along a dim, which is not empty.
Tensor differences_of_neighbours(const Tensor& x, int64_t dim) {
  return "sub"_op("slice"_op(x, dim, 1, IValue()), "slice"_op(x, dim, 0, -1));
}

// The distances between neighbouring sample points x, in a shape that broadcasts with the samples y.
Tensor widths_of(const Tensor& x, const Tensor& y, int64_t dim, const char* name) {
  MONOGRAPH_CHECK(x.dtype() != DType::b1 && y.dtype() != DType::b1, Runtime, name,
                  ": received a bool input for `x` or `y`, but bool is not supported");
  if (x.dim() == 1) {
    MONOGRAPH_CHECK(!never(size_of(x, 0) == size_of(y, dim)), Runtime, name,
                    ": There must be one `x` value for each sample point, but got ", to_string(x.sizes()), " beside ",
                    to_string(y.sizes()));
    return along(differences_of_neighbours(x, 0), dim, y.dim());
  }
  Tensor wide = x;
  while (wide.dim() < y.dim()) wide = "unsqueeze"_op(wide, 0);
  return differences_of_neighbours(wide, dim);
}

// Zeros with the sizes of y without `dim`: the integral over no samples.
Tensor zeros_without_dim(const Tensor& y, int64_t dim) {
  Sizes sizes = sizes_of(y);
  sizes.erase(static_cast<size_t>(dim));
  return "new_zeros"_op(y, sizes);
}

IValue trapezoid_of_samples(const IValue* a) {
  const Tensor y = a[0].to_tensor(), x = a[1].to_tensor();
  const int64_t dim = wrap_dim(a[2].to_int(), y.dim());
  if (size_of(y, dim).is(0)) return zeros_without_dim(y, dim);
  const Tensor areas = "mul"_op(widths_of(x, y, dim, "trapezoid"), sums_of_neighbours(y, dim));
  return "div"_op("sum"_op(areas, Dims{dim}, false), 2.0);
}

double even_width(const IValue& dx, const char* name) {
  MONOGRAPH_CHECK(!dx.is_complex() && !dx.is_bool(), Runtime, name, ": Currently, we only support dx as a real number.");
  return dx.to_double();
}

IValue trapezoid_of_even(const IValue* a) {
  const Tensor y = a[0].to_tensor();
  const int64_t dim = wrap_dim(a[2].to_int(), y.dim());
  if (size_of(y, dim).is(0)) return zeros_without_dim(y, dim);
  MONOGRAPH_CHECK(y.dtype() != DType::b1, Runtime, "trapezoid: received a bool input for `y`, but bool is not supported");
  const double dx = even_width(a[1], "trapezoid");
  const Tensor ends = "mul"_op("add"_op("select"_op(y, dim, 0), "select"_op(y, dim, -1)), 0.5);
  return "mul"_op("sub"_op("sum"_op(y, Dims{dim}, false), ends), dx);
}

IValue cumulative_of_samples(const IValue* a) {
  const Tensor y = a[0].to_tensor(), x = a[1].to_tensor();
  const int64_t dim = wrap_dim(a[2].to_int(), y.dim());
  const Tensor areas = "mul"_op(widths_of(x, y, dim, "cumulative_trapezoid"), sums_of_neighbours(y, dim));
  return "div"_op("cumsum"_op(areas, dim), 2.0);
}

IValue cumulative_of_even(const IValue* a) {
  const Tensor y = a[0].to_tensor();
  const int64_t dim = wrap_dim(a[2].to_int(), y.dim());
  MONOGRAPH_CHECK(y.dtype() != DType::b1, Runtime, "cumulative_trapezoid: received a bool input for `y`, but bool is not supported");
  const double dx = even_width(a[1], "cumulative_trapezoid");
  return "cumsum"_op("mul"_op(sums_of_neighbours(y, dim), dx / 2), dim);
}

constexpr const char* kArea =
    R"(The integral along `dim` of a function with the values `y` at the places `x`, or at places `dx` apart: the sum of the trapezoids between neighbours.

>>> y = torch.tensor([1.0, 2.0, 3.0])
>>> torch.trapezoid(y, dx=2)
>>> torch.trapezoid(y, torch.tensor([0.0, 1.0, 3.0])))";
constexpr const char* kOldArea = R"(trapezoid, in its old spelling.

>>> torch.trapz(torch.tensor([1.0, 2.0, 3.0])))";
constexpr const char* kAreas =
    R"(The integrals along `dim` from the first place to each of the others, by trapezoids. `dim` has one element less in the result.

>>> torch.cumulative_trapezoid(torch.tensor([1.0, 2.0, 3.0])))";

void integrals(Registry& r) {
  auto add = [&](const char* schema, DecomposeFn make, const char* doc, const char* samples) {
    r.op(schema).decompose(make, Reads::Symbols).function_only().onnx(none("decomposes to sums and products")).doc(doc).samples(samples);
  };
  const char* sampled =
      "[[t(d, 3, 5), t(d, 5)] for d in (f32, f64, c64)] + [[t(f32, 3, 5), t(f32, 3), 0], [t(f32, 3, 5), t(f32, 3, 5), -1], [t(f32, 2, 3, "
      "5), t(f32, "
      "3, 1), 1], [t(f32, 2, 3, 5), t(f32, 3, 5), 2], [t(i64, 3, 5), t(i64, 5)], [t(f32, 3, 5), t(f32, 4)], [t(f32, 3, 0), t(f32, 0)], "
      "[t(b1, 3), "
      "t(f32, 3)], [t(f32, 3, 1), t(f32, 1)]]";
  const char* even =
      "[[t(d, 3, 5), n, k] for d in (f32, f64, i64) for n, k in ((1, -1), (0.5, 0))] + [[t(f32, 3, 0), 1, 1], [t(f32, 3, 1), 2], [t(b1, "
      "3)], [t(f32, "
      "3), 1, 1]]";
  add("trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", trapezoid_of_samples, kArea, sampled);
  add("trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", trapezoid_of_even, "trapezoid of places `dx` apart.", even);
  add("trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", trapezoid_of_samples, kOldArea, sampled);
  add("trapz.dx(Tensor y, *, float dx=1., int dim=-1) -> Tensor", trapezoid_of_even, "trapz of places `dx` apart.", even);
  add("cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", cumulative_of_samples, kAreas, sampled);
  add("cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", cumulative_of_even,
      "cumulative_trapezoid of places `dx` apart.", even);
}

// --- Derivatives.

// The weights of three neighbouring elements: each is a number, or a tensor along the dim.
struct Weights {
  IValue before, at, after;
};
Tensor weighted(const Tensor& x, int64_t dim, const Size& start, const Size& length, const Weights& w) {
  auto part = [&](const Size& shift, const IValue& weight) { return Tensor("mul"_op(from(x, dim, start + shift, length), weight)); };
  return "add"_op("add"_op(part(0, w.before), part(1, w.at)), part(2, w.after));
}

// The derivative from samples at points `h` apart. `order` is the order of the one-sided differences at both ends.
Tensor derivative_of_even(const Tensor& x, int64_t dim, double h, int64_t order) {
  const Size n = size_of(x, dim);
  const Tensor inner = "div"_op("sub"_op(from(x, dim, 2, n - 2), from(x, dim, 0, n - 2)), 2 * h);
  auto step = [&](const Size& at) { return Tensor("div"_op("sub"_op(from(x, dim, at + 1, 1), from(x, dim, at, 1)), h)); };
  const Tensor first = order == 1 ? step(0) : weighted(x, dim, 0, 1, {-1.5 / h, 2 / h, -0.5 / h});
  const Tensor last = order == 1 ? step(n - 2) : weighted(x, dim, n - 3, 1, {0.5 / h, -2 / h, 1.5 / h});
  return "cat"_op(tensors_of({first, inner, last}), dim);
}

// The derivative from samples at the points of a vector.
Tensor derivative_at(const Tensor& x, int64_t dim, const Tensor& places, int64_t order) {
  MONOGRAPH_CHECK(places.dim() == 1 && !never(size_of(places, 0) == size_of(x, dim)), Runtime,
                  "torch.gradient expected each element of spacing to have one dimension and a place for each element, but got ",
                  to_string(places.sizes()));
  const Size n = size_of(x, dim);
  const Tensor widths = "sub"_op(from(places, 0, 1, n - 1), from(places, 0, 0, n - 1));
  auto beside = [&](const Tensor& t) { return along(t, dim, x.dim()); };
  auto product = [](const Tensor& a, const Tensor& b) { return Tensor("mul"_op(a, b)); };
  auto ratio = [](const Tensor& a, const Tensor& b) { return Tensor("div"_op(a, b)); };
  auto sum = [](const Tensor& a, const Tensor& b) { return Tensor("add"_op(a, b)); };
  auto minus = [](const Tensor& a) { return Tensor("neg"_op(a)); };
  auto near = [&](const Size& at) { return beside(from(widths, 0, at, 1)); };
  const Tensor left = beside(from(widths, 0, 0, n - 2)), right = beside(from(widths, 0, 1, n - 2)), both = sum(left, right);
  const Tensor inner = weighted(
      x, dim, 0, n - 2,
      {minus(ratio(right, product(left, both))), ratio("sub"_op(right, left), product(left, right)), ratio(left, product(right, both))});
  auto step = [&](const Size& at) { return ratio("sub"_op(from(x, dim, at + 1, 1), from(x, dim, at, 1)), near(at)); };
  Tensor first, last;
  if (order == 1) {
    first = step(0), last = step(n - 2);
  } else {
    const Tensor a = near(0), b = near(1), c = near(n - 3), d = near(n - 2);
    first = weighted(
        x, dim, 0, 1,
        {minus(ratio(sum(sum(a, a), b), product(a, sum(a, b)))), ratio(sum(a, b), product(a, b)), minus(ratio(a, product(b, sum(a, b))))});
    last = weighted(
        x, dim, n - 3, 1,
        {ratio(d, product(c, sum(c, d))), minus(ratio(sum(c, d), product(c, d))), ratio(sum(sum(d, d), c), product(d, sum(c, d)))});
  }
  return "cat"_op(tensors_of({first, inner, last}), dim);
}

// torch.gradient: one derivative for each dim. `spacing` is one number for all dims, or a list with a number or a vector of points for each dim.
IValue derivatives(const Tensor& x, const IValue& spacing, const IValue& dim, int64_t order) {
  MONOGRAPH_CHECK(x.dtype() != DType::u8, Runtime, "torch.gradient does not support uint8 input; convert it to int64");
  MONOGRAPH_CHECK(order == 1 || order == 2, Runtime, "torch.gradient only supports edge_order=1 and edge_order=2.");
  Dims dims;
  if (dim.is_none())
    for (int64_t d = 0; d < x.dim(); ++d) dims.push_back(d);
  else if (dim.is_int()) dims.push_back(wrap_dim(dim.to_int(), x.dim()));
  else
    for (const int64_t d : dim.to_ints()) dims.push_back(wrap_dim(d, x.dim()));
  for (size_t k = 0; k < dims.size(); ++k)
    MONOGRAPH_CHECK(std::count(dims.begin(), dims.end(), dims[k]) == 1, Runtime, "dim ", dims[k],
                    " appears multiple times in the list of dims");
  const bool list = spacing.is_list() || spacing.is_ints();
  const size_t count = !list ? 1 : spacing.is_ints() ? spacing.to_ints().size() : spacing.items().size();
  MONOGRAPH_CHECK(!list || count == dims.size(), Runtime, "torch.gradient expected spacing to be unspecified, a scalar or a list of ",
                  dims.size(), " elements, one for each dim, but got ", count);
  std::vector<Tensor> out;
  for (size_t k = 0; k < dims.size(); ++k) {
    MONOGRAPH_CHECK(!never(size_of(x, dims[k]) >= order + 1), Runtime,
                    "torch.gradient expected each dimension size to be at least edge_order+1, but got sizes ", to_string(x.sizes()));
    const IValue width = spacing.is_ints() ? IValue(spacing.to_ints()[k]) : list ? spacing.items()[k] : spacing;
    if (width.is_tensor()) out.push_back(derivative_at(x, dims[k], width.as_tensor(), order));
    else out.push_back(derivative_of_even(x, dims[k], width.is_none() ? 1.0 : width.to_double(), order));
  }
  return tensors_of(out);
}

void gradients_of_samples(Registry& r) {
  auto add = [&](const char* schema, DecomposeFn make, const char* samples) {
    r.op(schema)
        .decompose(make, Reads::Symbols)
        .function_only()
        .onnx(none("decomposes to differences"))
        .doc(
            R"(The derivatives of a function with these values, one tensor for each dim: central differences, and one-sided ones at the ends.

spacing: The distance between neighbouring values: one number, one for each dim, or a tensor of places for each dim. None: 1.
edge_order: The order of the differences at the ends, 1 or 2. A dim needs at least edge_order + 1 elements.

>>> torch.gradient(torch.tensor([1.0, 4.0, 9.0, 16.0]))
>>> torch.gradient(torch.tensor([1.0, 4.0, 9.0, 16.0]), spacing=2.0))")
        .samples(samples);
  };
  add(
      "gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]",
      [](const IValue* a) -> IValue { return derivatives(a[0].to_tensor(), a[1], a[2], a[3].to_int()); },
      "[[t(d, 4, 5), h, n, k] for d in (f32, f64, c64) for h in (None, 2, 0.5) for n in (None, 0, -1) for k in (1, 2)] + [[t(f32, 2)], "
      "[t(f32, 1)], "
      "[t(f32, 2), None, None, 2], [t(f32, 4), 1, 0, 3], [t(f32, 4), 1, 1]]");
  add(
      "gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]",
      [](const IValue* a) -> IValue { return derivatives(a[0].to_tensor(), a[1], a[2], a[3].to_int()); },
      "[[t(f32, 4, 5), 0.5, n, k] for n in ([0], [1, 0]) for k in (1, 2)]");
  add(
      "gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]",
      [](const IValue* a) -> IValue { return derivatives(a[0].to_tensor(), IValue(), a[1], a[2].to_int()); },
      "[[t(f32, 4, 5), n, k] for n in ([0], [1, 0]) for k in (1, 2)]");
  add(
      "gradient.scalarrayint(Tensor self, *, Scalar[] spacing, int? dim=None, int edge_order=1) -> Tensor[]",
      [](const IValue* a) -> IValue { return derivatives(a[0].to_tensor(), a[1], a[2], a[3].to_int()); },
      "[[t(f32, 4, 5), [0.5, 2.0], None, k] for k in (1, 2)] + [[t(f32, 4, 5), [2], 1, 1], [t(f32, 4, 5), [2], None, 1]]");
  add(
      "gradient.scalarrayarray(Tensor self, *, Scalar[] spacing, int[] dim, int edge_order=1) -> Tensor[]",
      [](const IValue* a) -> IValue { return derivatives(a[0].to_tensor(), a[1], a[2], a[3].to_int()); },
      "[[t(f32, 4, 5), [0.5, 2.0], [1, 0], k] for k in (1, 2)]");
  add(
      "gradient.tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor[]",
      [](const IValue* a) -> IValue { return derivatives(a[0].to_tensor(), a[1], a[2], a[3].to_int()); },
      "[[t(d, 4, 5), [at([0.0, 1.0, 3.0, 4.5]).to(d), at([0.0, 0.5, 2.0, 2.5, 4.0]).to(d)], None, k] for d in (f32, f64) for k in (1, 2)] "
      "+ [[t(f32, 4), "
      "[at([0.0, 1.0])], 0, 1]]");
  add(
      "gradient.tensorarray(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[]",
      [](const IValue* a) -> IValue { return derivatives(a[0].to_tensor(), a[1], a[2], a[3].to_int()); },
      "[[t(f32, 4, 5), [at([0.0, 0.5, 2.0, 2.5, 4.0]), at([0.0, 1.0, 3.0, 4.5])], [1, 0], k] for k in (1, 2)]");
}

// --- logcumsumexp.

void log_sums_rule(RuleCall& c) {
  const auto t = c.dtype(0);
  c.check_dtype(t, is_floating);
  if (c.sizes(0).ranked()) c.dim(1, c.sizes(0).size());
  c.like(0, c.sizes(0));
}

// The gradient is exp(x) times the reversed running sum of g exp(-y). It is computed in logarithms, separately for positive and negative g.
void log_sums_gradient(GradCall& c) {
  const Tensor g = c.grad(), x = c.arg(0), y = c.result();
  if (x.dim() == 0) return c.set(0, g);
  const Dims dims{wrapped(c.value(1), x)};
  const double least = -largest_finite(g.dtype());
  auto part = [&](const Tensor& sign) {
    const Tensor logs = "where"_op("gt"_op(sign, 0), "log"_op(sign), least);
    const Tensor sums = "flip"_op("logcumsumexp"_op("flip"_op("sub"_op(logs, y), dims), dims[0]), dims);
    return Tensor("exp"_op("add"_op(sums, x)));
  };
  c.set(0, "sub"_op(part(g), part("neg"_op(g))));
}

// --- Pairs.

// The number of combinations of r out of n elements, with or without repeats.
Size choices(const Size& n, int64_t r, bool repeats) {
  if (!n.is_int()) return {};
  int64_t count = 1, pool = n.as_int() + (repeats ? r - 1 : 0);
  for (int64_t k = 1; k <= r; ++k) {
    MONOGRAPH_CHECK(!__builtin_mul_overflow(count, std::max<int64_t>(pool - r + k, 0), &count), Runtime,
                    "there are too many combinations of ", r, " elements out of ", to_string(n));
    count /= k;
  }
  return count;
}
void combinations_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  const auto r = c.integer(1);
  const auto repeats = c.truth(2);
  c.check(!x.ranked() || x.size() == 1, Runtime, "Expect a 1D vector, but got shape ", x);
  c.check(!r || *r >= 0, Runtime, "Expect a non-negative number, but got ", r.value_or(0));
  c.check(!r || *r <= static_cast<int64_t>(kMaxDims), Runtime, "Expect at most ", kMaxDims, " elements in a combination, but got ",
          r.value_or(0));
  if (!r || !repeats || !x.ranked()) return c.unranked(0);
  c.like(0, *r == 0 ? Sizes{0} : Sizes{choices(x[0], *r, *repeats), *r});
}

// All combinations of r elements of a vector, in lexicographic order of their indices: those index tuples of an r-dimensional grid that increase.
IValue combinations(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const int64_t r = a[1].to_int();
  if (r == 0) return "new_zeros"_op(x, Dims{0});
  const Size n = size_of(x, 0);
  if (x.is_meta()) return "new_empty"_op(x, Sizes{choices(n, r, a[2].to_bool()), r});
  const Tensor place = counted(n, x);
  std::vector<Tensor> axes;
  for (int64_t d = 0; d < r; ++d) axes.push_back("expand"_op(along(place, d, r), Sizes(static_cast<size_t>(r), n)));
  Tensor mask = "ones_like"_op(axes[0], DType::b1);
  for (size_t d = 0; d + 1 < axes.size(); ++d)
    mask = "logical_and"_op(mask, a[2].to_bool() ? "le"_op(axes[d], axes[d + 1]) : "lt"_op(axes[d], axes[d + 1]));
  std::vector<Tensor> columns;
  for (const Tensor& axis : axes) columns.push_back("index_select"_op(x, 0, "masked_select"_op(axis, mask)));
  return "stack"_op(tensors_of(columns), 1);
}

// The decomposition of pdist: the distance between each two rows, in the order of triu_indices.
IValue distances_of(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const double p = a[1].to_double();
  const Size n = size_of(x, 0);
  if (certainly(n <= 1)) return "reshape"_op("slice"_op(x, 0, 0, 0), Dims{0});
  const Tensor places = "triu_indices"_op(n, n, 1, DType::i64, IValue(), x.device());
  const Tensor first = "index_select"_op(x, 0, "select"_op(places, 0, 0)), second = "index_select"_op(x, 0, "select"_op(places, 0, 1));
  const Tensor difference = "sub"_op(first, second);
  if (p == 0) return "linalg_vector_norm"_op(difference, p, Dims{1}, false);
  return vector_norm(difference, p, 1, false);
}

// The kernel takes each distance once. The decomposition makes the differences of all pairs.
void pdist_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  const auto t = c.dtype(0);
  const auto p = c.real(1);
  c.check(!x.ranked() || x.size() == 2, Runtime, "pdist only supports 2D tensors, got: ", x.size(), "D");
  c.check(!t || is_floating(*t), Runtime, "pdist only supports floating-point dtypes");
  c.check(!p || *p >= 0, Runtime, "pdist only supports non-negative p values");
  const Size n = x[0], columns = x[1];
  c.like(0, Sizes{floordiv(n * (n - 1), 2)});
  const bool fits = all_in_memory(c, {0}) && n.as_int() >= 2 && p && distance_norm(*t, columns.as_int(), *p);
  if (!fits) return c.leave_to_decomposition();
  c.contiguous(0);
  c.scratch(distance_scratch(*t, n.as_int(), columns.as_int()));
}

// Other norms: the matrix of all distances by cdist, of which what lies above the diagonal is taken.
IValue pdist_by_cdist(const IValue* a) {
  const Tensor& x = a[0].as_tensor();
  if (x.dim() != 2 || x.sizes()[0] < 2 || x.sizes()[1] == 0 || !is_wide_float(x.dtype()) || !(a[1].to_double() >= 0)) return {};
  constexpr int64_t kNoMatrixProduct = 2;  // the compute_mode of cdist that takes differences of rows, not a matrix product
  const int64_t n = x.sizes()[0];
  const Tensor all = "cdist"_op(x, x, a[1], kNoMatrixProduct), above = "triu_indices"_op(n, n, 1);
  const Tensor places = "add"_op("mul"_op("select"_op(above, 0, 0), n), "select"_op(above, 0, 1));
  return "index_select"_op("reshape"_op(all, Dims{-1}), 0, places);
}

// --- gcd, lcm and frexp.

void common_rule(RuleCall& c) {
  const auto t = c.promoted(std::array<size_t, 2>{0, 1});
  c.check(!t || is_integral(*t, false), ErrorKind::NotImplemented, "not implemented for '", scalar_type(t), "'; it takes integers");
  if (t) c.convert(0, *t), c.convert(1, *t);
  c.result(broadcast(c.sizes(0), c.sizes(1), c.op.name()), t);
}

void frexp_rule(RuleCall& c) {
  const auto t = c.dtype(0);
  c.check(!t || is_floating(*t), Runtime, "torch.frexp() only supports floating-point dtypes, but got ", scalar_type(t));
  c.like_layout(0, t);
  c.like_layout(0, DType::i32);
}

}  // namespace

void calculus(Registry& r) {
  integrals(r);
  gradients_of_samples(r);
  r.op("logcumsumexp(Tensor self, int dim) -> Tensor")
      .rule(log_sums_rule)
      .kernel(logcumsumexp_kernel)
      .contiguous_args()
      .out()
      .gradient(log_sums_gradient)
      .onnx(none("ONNX has no operator for it"))
      .doc(R"(The logarithm of the sum of the exponentials along `dim` up to each element, without overflow: log(cumsum(exp(x))).

>>> x = torch.tensor([0.0, 1.0, 2.0])
>>> torch.logcumsumexp(x, 0))")
      .samples(
          "[[x, d] for x in layouts(3, 4) for d in (0, -1)] + [[at([1.0, -inf, 2.0, inf, nan, 0.0]).to(d), 0] for d in (f32, f64)] + "
          "[[t(d, 9), 0] "
          "for d in FLOATS] + [[t(f32), 0], [t(f32, 0, 2), 0], [t(f32, 3), 1]]");
  r.op("combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor")
      .rule(combinations_rule)
      .decompose(combinations, Reads::Symbols)
      .function_only()
      .onnx(none("decomposes to masks"))
      .doc(R"(All choices of `r` elements of a vector, one a row.

r: How many elements a choice has.
with_replacement: Whether a choice may have an element several times.

>>> x = torch.tensor([1, 2, 3])
>>> torch.combinations(x))")
      .samples(
          "[[t(d, 4), n, k] for d in (f32, i64) for n in (1, 2, 3) for k in (False, True)] + [[t(f32, 4), 0], [t(f32, 2), 3], [t(f32, 2, "
          "2)], [t(f32, 2), -1]]");
  r.op("pdist(Tensor self, float p=2.) -> Tensor")
      .decompose(distances_of, Reads::Symbols)
      .decompose_eagerly(pdist_by_cdist)
      .rule(pdist_rule)
      .kernel(pdist_kernel)
      .function_only()
      .onnx(none("decomposes to a norm"))
      .doc(R"(The distances of each two rows of a matrix: (0, 1), (0, 2), ..., (1, 2), and so on.

p: The order of the norm of the difference: 0 or more, or inf.

>>> torch.pdist(torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])))")
      .samples(
          "[[t(d, 4, 3), p] for d in (f32, f64) for p in (0.0, 1.0, 2.0, 3.0, inf)] + [[t(f32, 1, 3)], [t(f32, 3)], [t(f32, 2, 3), -1.0]]");
  auto common = [&](const char* schema, StructuredKernel kernel, const char* doc) {
    r.op(schema)
        .rule(common_rule)
        .kernel(kernel)
        .commutative()
        .inplace()
        .out()
        .out_dtype(OutDType::Safe)
        .gradient(none("integers have no gradient"))
        .onnx(none("ONNX has no operator for it"))
        .doc(doc)
        .samples(
            "[[t(d, 9, low=-30, high=30), t(d, 9, low=-30, high=30)] for d in INTS] + [[special(d), special(d).flip(0)] for d in (u8, i32, "
            "i64)] + "
            "[[t(i64, 3, 1), t(i32, 4)], [t(i64, 4, 3).t(), t(i64, 3, 4)], [at(12), at([18, 0, -4])], [t(f32, 2), t(f32, 2)], [t(b1, 2), "
            "t(b1, 2)], "
            "[t(i64, 2), t(i64, 3)], [t(i64, 0), t(i64, 1)]]");
  };
  common("gcd(Tensor self, Tensor other) -> Tensor", gcd_kernel,
         R"(The largest integer that divides both, element by element. It is not negative, and 0 for two zeros.

>>> x = torch.tensor([12, -8, 0])
>>> torch.gcd(x, torch.tensor([18, 20, 5])))");
  common("lcm(Tensor self, Tensor other) -> Tensor", lcm_kernel,
         R"(The least integer that both divide, element by element. It is not negative, and 0 where one is 0.

>>> x = torch.tensor([4, -6, 0])
>>> torch.lcm(x, torch.tensor([6, 4, 5])))");
  r.op("frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)")
      .rule(frexp_rule)
      .kernel(frexp_kernel)
      .out_named("Tensor_out", {"mantissa", "exponent"})
      .gradient([](GradCall& c) { c.set(0, "div"_op(c.grad(), "exp2"_op(c.result(1)))); })
      .onnx(none("ONNX has no operator for it"))
      .doc("Each element as a mantissa, from 0.5 to below 1, times 2 to the power of an int32 exponent.")
      .samples("[[x] for x in layouts(2, 3)] + [[special(d)] for d in FLOATS] + [[t(f32, 4, 3).t()], [t(f32, 0)], [t(i64, 2)]]");
}

}  // namespace monograph
