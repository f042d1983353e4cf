// torch.linalg without factorizations: matrix norms, multi_dot and other products, the matrix exponential, tensorinv and tensorsolve; also cov and corrcoef.
// Most are decompositions into matrix products; the matrix exponential has a kernel.
#include <algorithm>
#include <limits>

#include "kernels/spectra.h"
#include "ops/families/error_kinds.h"
#include "ops/families/matrices.h"

namespace monograph {
namespace {

constexpr const char* kComposite = "decomposes to matrix products";
constexpr const char* kBound = "an error is relative to the largest element";

// --- Matrix norms. They call linalg.norm with two dims.

IValue matrix_norm(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const Dims dims = a[2].to_ints();
  MONOGRAPH_CHECK(x.dim() >= 2, Runtime, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.");
  MONOGRAPH_CHECK(is_floating(x.dtype()) || is_complex(x.dtype()), Runtime,
                  "linalg.matrix_norm: Expected a floating point or complex tensor as input. Got ", scalar_type(x.dtype()));
  MONOGRAPH_CHECK(dims.size() == 2, Runtime, "linalg.matrix_norm: dim must be a 2-tuple. Got ", to_string(dims));
  MONOGRAPH_CHECK(wrapped(dims[0], x) != wrapped(dims[1], x), Runtime, "linalg.matrix_norm: dims must be different. Got (", dims[0], ", ",
                  dims[1], ")");
  return "linalg_norm"_op(x, a[1], dims, a[3], a[4]);
}
IValue nuclear_norm(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  MONOGRAPH_CHECK(x.dim() == 2, Runtime, "Expected a tensor with 2 dimensions, but got a tensor with ", x.dim(), " dimensions instead.");
  return "linalg_matrix_norm"_op(x, "nuc", Dims{0, 1}, a[1]);
}

void norms_of_matrices(Registry& r) {
  auto norm = [&](const char* schema, const char* out, const char* samples) {
    r.op(schema)
        .namespaced("_linalg")
        .out_named(out)
        .decompose(matrix_norm, Reads::Nothing)
        .onnx(none("decomposes to reductions, or to singular values"))
        .doc("The norms of matrices in two dims.")
        .special(Special::Factorization, kBound)
        .samples(samples);
  };
  norm("linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", "out",
       "[[t(d, 2, 3, 4), p, n, k] for d in (f32, f64) for p in (1, -1, 2, -2, inf, -inf) for n, k in (([-2, -1], False), ([0, 2], True))] "
       "+ [[t(f32, "
       "2, 3), 3], [t(f32, 3), 1], [t(f32, 2, 3), 1, [0]], [t(i64, 2, 3), 1], [t(f32, 2, 3), 1, [0, 0]]]");
  norm(
      "linalg_matrix_norm.str_ord(Tensor self, str ord=\"fro\", int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> "
      "Tensor",
      "str_ord_out",
      "[[t(d, 2, 3, 4), p, n, k] for d in (f32, f64) for p in (\"fro\", \"nuc\") for n, k in (([-2, -1], False), ([0, 2], True))] + "
      "[[t(f32, 2, 3), "
      "\"max\"], [t(f32, 3), \"fro\"], [t(f32, 2, 3), \"fro\", [-2, -1], False, f64]]");
  r.op("nuclear_norm(Tensor self, bool keepdim=False) -> Tensor")
      .function_only()
      .out()
      .decompose(nuclear_norm, Reads::Nothing)
      .onnx(none("decomposes to singular values"))
      .doc("The sum of the singular values of a matrix.")
      .special(Special::Factorization, kBound)
      .samples("[[t(d, 3, 4), k] for d in (f32, f64) for k in (False, True)] + [[t(f32, 3)]]");
  r.op("nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor")
      .function_only()
      .out_named("dim_out")
      .decompose([](const IValue* a) -> IValue { return "linalg_matrix_norm"_op(a[0], "nuc", a[1], a[2]); }, Reads::Nothing)
      .onnx(none("decomposes to singular values"))
      .doc("The sums of the singular values of matrices in two dims.")
      .special(Special::Factorization, kBound)
      .samples("[[t(d, 2, 3, 4), [0, 2], k] for d in (f32, f64) for k in (False, True)]");
}

// --- Products.

// A product of several matrices, multiplied in the order with the fewest operations (Cormen and others, Introduction to Algorithms, section 15.2).
// cost[i][j] is the cost of the product of matrices i to j; it is split after matrix split[i][j].
struct Chain {
  std::vector<Tensor> matrices;
  std::vector<std::vector<double>> cost;
  std::vector<std::vector<size_t>> split;
  explicit Chain(std::vector<Tensor> m) : matrices(std::move(m)) {
    const size_t n = matrices.size();
    cost.assign(n, std::vector<double>(n, 0)), split.assign(n, std::vector<size_t>(n, 0));
    auto rows = [&](size_t i) { return static_cast<double>(matrices[i].sizes()[0]); };
    auto columns = [&](size_t i) { return static_cast<double>(matrices[i].sizes()[1]); };
    for (size_t length = 1; length < n; ++length)
      for (size_t i = 0, j = length; j < n; ++i, ++j) {
        cost[i][j] = std::numeric_limits<double>::infinity();
        for (size_t k = i; k < j; ++k) {
          const double total = cost[i][k] + cost[k + 1][j] + rows(i) * columns(k) * columns(j);
          if (total < cost[i][j]) cost[i][j] = total, split[i][j] = k;
        }
      }
  }
  Tensor product(size_t i, size_t j) const {
    if (i == j) return matrices[i];
    return "mm"_op(product(i, split[i][j]), product(split[i][j] + 1, j));
  }
};

IValue multi_dot(const IValue* a) {
  std::vector<Tensor> m = a[0].to_tensors();
  const size_t n = m.size();
  MONOGRAPH_CHECK(n >= 2, Runtime, "multi_dot(): expected at least 2 tensors but got ", n);
  const bool row = m[0].dim() == 1, column = m[n - 1].dim() == 1;
  for (size_t k = 0; k < n; ++k) {
    const bool end = k == 0 || k == n - 1;
    MONOGRAPH_CHECK(m[k].dim() == 2 || (end && m[k].dim() == 1), Runtime, "multi_dot(): ",
                    k == 0 ? "the first"
                    : end  ? "the last"
                           : "each inner",
                    " tensor must be ", end ? "1D or 2D" : "2D", " but got ", m[k].dim(), "D");
    MONOGRAPH_CHECK(m[k].dtype() == m[0].dtype(), Runtime, "multi_dot(): all tensors must have be the same dtype");
  }
  if (row) m[0] = "unsqueeze"_op(m[0], 0);
  if (column) m[n - 1] = "unsqueeze"_op(m[n - 1], 1);
  for (size_t k = 1; k < n; ++k)
    MONOGRAPH_CHECK(m[k - 1].sizes()[1] == m[k].sizes()[0], Runtime, "multi_dot(): tensors ", k - 1, " and ", k, " with shapes ",
                    words(sizes_of(m[k - 1])), " and ", words(sizes_of(m[k])), " cannot be multiplied");
  Tensor product = Chain(m).product(0, n - 1);
  if (row) product = "squeeze"_op(product, 0);
  if (column) product = "squeeze"_op(product, -1);
  return product;
}

IValue vecdot(const IValue* a) {
  const Tensor x = a[0].to_tensor(), y = a[1].to_tensor();
  MONOGRAPH_CHECK(is_floating(x.dtype()) || is_complex(x.dtype()), Runtime,
                  "linalg.vecdot: Expected a floating point or complex tensor as input. Got ", scalar_type(x.dtype()));
  MONOGRAPH_CHECK(x.dtype() == y.dtype(), Runtime, "linalg.vecdot: Expected x and y to have the same dtype, but found x of type ",
                  scalar_type(x.dtype()), " and y of type ", scalar_type(y.dtype()), " instead");
  return "sum"_op("mul"_op(is_complex(x.dtype()) ? Tensor("conj"_op(x)) : x, y), Dims{a[2].to_int()});
}

IValue powers(const IValue* a) {
  Tensor x = a[0].to_tensor();
  MONOGRAPH_CHECK(x.dtype() != DType::b1, Runtime, "linalg.vander: Expected a floating point, complex, or integer tensor. Got Bool");
  if (x.dim() == 0) x = "unsqueeze"_op(x, 0);
  const Size n = a[1].is_none() ? size_of(x, -1) : as_size(a[1]);
  MONOGRAPH_CHECK(!never(n > 1), Runtime, "N must be greater than 1.");
  const Sizes sizes = sizes_of(x);
  const DType t = is_integral(x.dtype(), false) ? DType::i64 : x.dtype();
  const Tensor ones = "new_ones"_op(x, appended(sizes, {1}), t);
  return "cat"_op(tensors_of({ones, "cumprod"_op("expand"_op("unsqueeze"_op(x, -1), appended(sizes, {n - 1})), -1)}), -1);
}
IValue vander(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  MONOGRAPH_CHECK(x.dim() == 1, Runtime, "x must be a one-dimensional tensor.");
  const int64_t n = a[1].is_none() ? fixed_size(x, 0) : a[1].to_int();
  MONOGRAPH_CHECK(n >= 0, Runtime, "N must be non-negative.");
  const DType t = is_integral(x.dtype(), true) ? DType::i64 : x.dtype();
  if (n <= 1) return "new_ones"_op(x, Sizes{size_of(x, 0), n}, t);
  const Tensor all = "linalg_vander"_op("to"_op(x, t), n);
  return a[2].to_bool() ? all : Tensor("flip"_op(all, Dims{-1}));
}

void several_products(Registry& r) {
  r.op("linalg_multi_dot(Tensor[] tensors) -> Tensor")
      .namespaced("_linalg")
      .out()
      .decompose(multi_dot)
      .onnx(none(kComposite))
      .doc("The product of several matrices, in the order that costs least.")
      .special(Special::Factorization, kBound)
      .samples(
          "[[[t(d, 2, 3), t(d, 3, 4), t(d, 4, 2)]] for d in (f32, f64)] + [[[t(f64, 2), t(f64, 2, 3), t(f64, 3)]], [[t(f64, 9, 2), t(f64, "
          "2, "
          "9), t(f64, 9, 1), t(f64, 1, 4)]], [[t(f32, 2, 3)]], [[t(f32, 2, 3), t(f32, 2, 3)]], [[t(f32, 2, 2), t(f32, 2), t(f32, 2, 2)]], "
          "[[t(f32, 2, 2), t(f64, 2, 2)]]]");
  r.op("linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor")
      .namespaced("_linalg")
      .out()
      .decompose(vecdot, Reads::Nothing)
      .onnx(none("decomposes to mul and sum"))
      .autocast(Autocast::LowerPrecision)
      .doc(R"(The sums of products of vectors along `dim`. If they are complex, the first is conjugated.

x: The first vectors.
y: The second vectors. They broadcast with the first.

>>> torch.linalg.vecdot(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, -1.0])))")
      .special(Special::Factorization, kBound)
      .samples(
          "[[t(d, 2, 3), t(d, 2, 3), n] for d in (f32, f64, c64) for n in (-1, 0)] + [[t(f64, 2, 3), t(f64, 3)], [t(i64, 3), t(i64, 3)], "
          "[t(f32, "
          "3), t(f64, 3)], [t(f32, 3), t(f32, 2)]]");
  r.op("linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor")
      .namespaced("_linalg")
      .decompose(powers, Reads::Symbols)
      .onnx(none("decomposes to cumprod"))
      .doc(R"(The powers of elements from 0 to N - 1, as a last dim.

x: The numbers whose powers are taken.
N: How many powers. None: as many as the last dim has elements.

>>> torch.linalg.vander(torch.tensor([1.0, 2.0, 3.0])))")
      .samples(
          "[[t(d, *s), n] for d in (f32, f64, i64) for s in ((3,), (2, 3)) for n in (None, 2, 4)] + [[t(u8, 3)], [t(b1, 3)], [t(f32)], "
          "[t(f32, "
          "3), 1]]");
  r.op("vander(Tensor x, int? N=None, bool increasing=False) -> Tensor")
      .function_only()
      .decompose(vander, Reads::Symbols)
      .onnx(none("decomposes to cumprod"))
      .doc(R"(The powers of elements from N - 1 to 0, one element a row.

x: The numbers whose powers are taken, in one dim.
N: How many powers. None: as many as there are elements.

>>> torch.vander(torch.tensor([1.0, 2.0, 3.0])))")
      .samples(
          "[[t(d, 3), n, i] for d in (f32, f64, i64) for n in (None, 0, 1, 4) for i in (False, True)] + [[t(f32, 2, 3)], [t(f32, 3), -1]]");
}

// --- The exponential.

void matrix_exp_rule(RuleCall& c) {
  check_square(c, 0, "linalg.matrix_exp");
  check_lapack_dtype(c, 0, "linalg.matrix_exp");
  c.result(c.sizes(0), c.dtype(0));
  if (known(c, 0)) c.scratch(matrix_exp_scratch(*c.dtype(0), columns_of(c.sizes(0)).as_int()));
}
// The gradient by A is the upper right block of the exponential of [[A.H, G], [0, A.H]], where G is the incoming gradient (Higham, Functions of Matrices,
// theorem 3.6).
void matrix_exp_gradient(GradCall& c) {
  const Tensor a = adjoint_of(c.plain(0).to_tensor()), g = c.grad();
  const Size n = size_of(a, -1);
  const Tensor above = "cat"_op(tensors_of({a, g}), -1), below = "cat"_op(tensors_of({"zeros_like"_op(a), a}), -1);
  const Tensor both = "linalg_matrix_exp"_op("cat"_op(tensors_of({above, below}), -2));
  c.set(0, "narrow"_op("narrow"_op(both, -2, 0, n), -1, n, n));
}
void exponentials(Registry& r) {
  const char* samples =
      "[[t(d, *s, low=-1, high=1)] for d in (f32, f64, c64, c128) for s in ((3, 3), (2, 4, 4), (1, 1))] + [[t(f64, 3, 3, low=-9, high=9)], "
      "[torch.zeros(2, 2)], [t(f32, 0, 0)], [t(f32, 2, 3)], [t(i64, 2, 2)], [t(f32, 2)]]";
  r.op("linalg_matrix_exp(Tensor self) -> Tensor")
      .namespaced("_linalg")
      .out()
      .rule(matrix_exp_rule)
      .kernel(matrix_exp_kernel)
      .gradient(matrix_exp_gradient)
      .onnx(none("ONNX has no operator for it"))
      .doc("The exponentials of square matrices.")
      .special(Special::Factorization, kBound)
      .samples(samples);
  r.op("matrix_exp(Tensor self) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return "linalg_matrix_exp"_op(a[0]); }, Reads::Nothing)
      .onnx(none(kComposite))
      .doc("The exponentials of square matrices.")
      .special(Special::Factorization, kBound)
      .samples(samples);
}

// --- tensorinv and tensorsolve.

Size product_of(SizesRef sizes) { return element_count(sizes); }

IValue tensor_inverse(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const int64_t ind = a[1].to_int();
  MONOGRAPH_CHECK(ind > 0, Runtime, "Expected a strictly positive integer for 'ind', but got ", ind);
  const Sizes sizes = sizes_of(x);
  const size_t first = std::min(static_cast<size_t>(ind), sizes.size());
  const SizesRef left = SizesRef(sizes).first(first), right = SizesRef(sizes).from(first);
  const Size rows = product_of(left), columns = product_of(right);
  MONOGRAPH_CHECK(!never(rows == columns), Runtime,
                  "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got ", to_string(columns),
                  " != ", to_string(rows));
  Sizes result(right);
  for (size_t d = 0; d < left.size(); ++d) result.push_back(left[d]);
  return "reshape"_op("linalg_inv"_op("reshape"_op(x, Sizes{columns, columns})), result);
}
IValue tensor_solution(const IValue* a) {
  Tensor x = a[0].to_tensor();
  const Tensor b = a[1].to_tensor();
  if (!a[2].is_none()) {
    const Dims dims = a[2].to_ints();
    Dims last;
    for (size_t k = 0; k < dims.size(); ++k) last.push_back(x.dim() - static_cast<int64_t>(dims.size() - k));
    x = "movedim"_op(x, dims, last);
  }
  const Sizes sizes = sizes_of(x), other = sizes_of(b);
  const Sizes result(SizesRef(sizes).from(std::min(other.size(), sizes.size())));
  const Size unknowns = product_of(result), equations = product_of(other);
  MONOGRAPH_CHECK(!never(unknowns == equations) && !never(element_count(sizes) == unknowns * equations), Runtime,
                  "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), but got ",
                  to_string(unknowns), " != ", to_string(equations));
  return "reshape"_op("linalg_solve"_op("reshape"_op(x, Sizes{unknowns, unknowns}), "reshape"_op(b, Sizes{unknowns})), result);
}
void tensor_equations(Registry& r) {
  r.op("linalg_tensorinv(Tensor self, int ind=2) -> Tensor")
      .namespaced("_linalg")
      .out()
      .out_dtype(OutDType::Safe)
      .decompose(tensor_inverse, Reads::Symbols)
      .onnx(none("decomposes to a factorization, which ONNX lacks"))
      .autocast(Autocast::Float32)
      .doc("The inverse of a tensor whose first `ind` dims are rows and whose others are columns of a square matrix.")
      .special(Special::Factorization, kBound)
      .samples(
          "[[regular(d, 4, 4).reshape(2, 2, 4), 2] for d in (f32, f64)] + [[regular(f64, 6, 6).reshape(6, 2, 3), 1], [t(f32, 2, 3), 1], "
          "[t(f32, 2, "
          "2), 0]]");
  r.op("linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor")
      .namespaced("_linalg")
      .out()
      .out_dtype(OutDType::Safe)
      .decompose(tensor_solution, Reads::Symbols)
      .onnx(none("decomposes to a factorization, which ONNX lacks"))
      .autocast(Autocast::Float32)
      .doc("The X for which the sum of products of `self` with it over its last dims is `other`.")
      .special(Special::Factorization, kBound)
      .samples(
          "[[regular(d, 6, 6).reshape(2, 3, 6), t(d, 2, 3)] for d in (f32, f64)] + [[regular(f64, 6, 6).reshape(6, 2, 3), t(f64, 2, 3), "
          "[0]], "
          "[t(f32, 2, 3), t(f32, 2)]]");
}

// --- Covariances.

// The sum of the weights of cov(), and whether one is negative. Neither a negative weight nor a sum of 0 is allowed.
template <class T>
double total_weight(const KernelTensor& t, bool& negative) {
  double sum = 0;
  const int64_t step = t.dim ? t.strides[0] : 0;
  for (int64_t i = 0, n = t.numel(); i < n; ++i) {
    const auto w = static_cast<double>(t.as<T>()[i * step]);
    negative |= w < 0, sum += w;
  }
  return sum;
}
KernelStatus cov_check(KernelCall& call) {
  bool negative = false;
  if (!call.args[2].none()) {
    const double sum = total_weight<int64_t>(call.args[2].tensor, negative);
    if (negative) return call.fail(0, 0, -1, KernelStatus::BadValue);
    if (sum == 0) return call.fail(0, 0, -1, KernelStatus::BadThird);
  }
  if (!call.args[3].none()) {
    const double sum = total_weight<double>(call.args[3].tensor, negative);
    if (negative) return call.fail(0, 0, -1, KernelStatus::BadSecond);
    if (sum == 0) return call.fail(0, 0, -1, KernelStatus::BadThird);
  }
  return KernelStatus::Ok;
}

void cov_rule(RuleCall& c) {
  SizesRef s = c.sizes(0);
  c.check(!s.ranked() || s.size() <= 2, Runtime, "cov(): expected input to have two or fewer dimensions but got an input with ", s.size(),
          " dimensions");
  c.check(c.dtype(0) != DType::b1, Runtime, "cov(): bool dtype is not supported for input");
  const Size count = !s.ranked() ? Size() : s.empty() ? Size(1) : s.back();
  for (size_t k : {2, 3}) {
    if (c.none(k)) continue;
    const char* name = k == 2 ? "fweights" : "aweights";
    SizesRef w = c.sizes(k);
    const auto t = c.dtype(k);
    c.check(!w.ranked() || w.size() <= 1, Runtime, "cov(): expected ", name, " to have one or fewer dimensions but got ", name, " with ",
            w.size(), " dimensions");
    if (k == 2)
      c.check(!t || is_integral(*t, false), Runtime, "cov(): expected fweights to have integral dtype but got fweights with ",
              scalar_type(t), " dtype");
    else
      c.check(!t || is_floating(*t), Runtime, "cov(): expected aweights to have floating point dtype but got aweights with ",
              scalar_type(t), " dtype");
    c.check(element_count(w) == count, Runtime, "cov(): expected ", name,
            " to have the same numel as there are observations in the input but got ", element_count(w), " != ", count);
    c.convert(k, k == 2 ? DType::i64 : DType::f64);
  }
  const auto t = c.dtype(0);
  const std::optional<DType> result = t && is_integral(*t, false) ? std::optional(default_dtype()) : t;
  Sizes sizes = !s.ranked()                  ? Sizes::unranked()
                : s.size() < 2 || s[0].is(1) ? Sizes{}
                : s[0].is_int()              ? Sizes{s[0], s[0]}
                                             : Sizes::unranked();
  c.result(sizes, result);
}

IValue cov(const IValue* a) {
  Tensor x = a[0].to_tensor();
  const int64_t correction = a[1].to_int();
  if (x.dim() < 2) x = "reshape"_op(x, Dims{1, -1});
  const Size count = size_of(x, 1);
  Tensor w, aweights;
  if (!a[2].is_none()) w = a[2].to_tensor();
  if (!a[3].is_none()) aweights = a[3].to_tensor(), w = w.defined() ? Tensor("mul"_op(w, aweights)) : aweights;
  auto weighted = [&](const Tensor& t) { return w.defined() ? Tensor("mul"_op(t, w)) : t; };
  Tensor norm;  // the divisor of the sums, if there are weights
  const IValue number(count);
  if (w.defined()) {
    const Tensor sum = "sum"_op(w);
    norm = sum;
    if (correction != 0 && aweights.defined()) norm = "sub"_op(sum, "div"_op("mul"_op("sum"_op("mul"_op(w, aweights)), correction), sum));
    else if (correction != 0) norm = "sub"_op(sum, correction);
    norm = "clamp"_op(norm, 0, IValue());
    x = "sub"_op(x, "unsqueeze"_op("div"_op("sum"_op(weighted(x), Dims{1}), sum), 1));
  } else {
    x = "sub"_op(x, "unsqueeze"_op("div"_op("sum"_op(x, Dims{1}), number), 1));
  }
  const Tensor product = "mm"_op(x, adjoint_of(weighted(x)));
  const Tensor mean = w.defined() ? Tensor("div"_op(product, norm)) : Tensor("div"_op(product, IValue(max(count - correction, 0))));
  return "squeeze"_op(mean);
}

IValue corrcoef(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  MONOGRAPH_CHECK(x.dim() <= 2, Runtime, "corrcoef(): expected input to have two or fewer dimensions but got an input with ", x.dim(),
                  " dimensions");
  const Tensor c = "cov"_op(x, 1, IValue(), IValue());
  if (c.dim() == 0) return "div"_op(c, c);
  const Tensor d = "diagonal"_op(c, 0, 0, 1), deviation = "sqrt"_op(is_complex(d.dtype()) ? Tensor("real"_op(d)) : d);
  const Tensor scaled = "div"_op("div"_op(c, "unsqueeze"_op(deviation, 1)), "unsqueeze"_op(deviation, 0));
  if (!is_complex(scaled.dtype())) return "clamp"_op(scaled, -1, 1);
  return "complex"_op("clamp"_op("real"_op(scaled), -1, 1), "clamp"_op("imag"_op(scaled), -1, 1));
}

void covariances(Registry& r) {
  r.op("cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor")
      .rule(cov_rule)
      .check(cov_check)
      .bad_data(Runtime, "cov(): fweights cannot be negative", "cov(): aweights cannot be negative",
                "cov(): weights sum to zero, can't be normalized")
      .decompose(cov, Reads::Symbols)
      .onnx(none(kComposite))
      .doc("The covariances of variables, one a row, over observations, which `fweights` count and `aweights` weigh.")
      .special(Special::Factorization, kBound)
      .samples(
          "[[t(d, *s), k] for d in (f32, f64, c64, i64) for s in ((3, 4), (4,), (1, 4)) for k in (1, 0)] + [[t(f64, 3, 4), 1, at([1, 2, 3, "
          "4]), w] "
          "for w in (None, at([0.5, 0.25, 1.0, 2.0], dtype=f64))] + [[t(f64, 3, 4), 1, None, at([0.5, 0.25, 1.0, 2.0], dtype=f64)], "
          "[t(f32)], [t(f32, "
          "2, 2, 2)], [t(b1, 3, 4)], [t(f64, 3, 4), 1, at([1, 2, -3, 4])], [t(f64, 3, 4), 1, at([1, 2])], [t(f64, 3, 4), 1, at([0, 0, 0, "
          "0])]]");
  r.op("corrcoef(Tensor self) -> Tensor")
      .decompose(corrcoef, Reads::Nothing)
      .onnx(none(kComposite))
      .doc("The correlations of variables, one a row.")
      .special(Special::Factorization, kBound)
      .samples("[[t(d, *s)] for d in (f32, f64, i64) for s in ((3, 4), (4,))] + [[t(f32, 2, 2, 2)]]");
}

}  // namespace

void linear_algebra(Registry& r) {
  norms_of_matrices(r);
  several_products(r);
  exponentials(r);
  tensor_equations(r);
  covariances(r);
}

}  // namespace monograph
