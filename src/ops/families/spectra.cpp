// torch.linalg's eigenvalues, singular values and least squares, whose kernels call LAPACK (kernels/spectra.h), and ranks, pseudo-inverses and condition
// numbers, which decompose into them.
#include "kernels/spectra.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "ops/families/error_kinds.h"
#include "ops/families/matrices.h"

namespace monograph {
namespace {

constexpr const char* kOnnx = "ONNX has no operator for it";
constexpr const char* kComposite = "decomposes to a factorization, which ONNX lacks";
constexpr const char* kBound = "an error is relative to the largest element";

// --- Eigenvalues.

void eigh_rule(RuleCall& c) {
  check_square(c, 0, "linalg.eigh");
  check_lapack_dtype(c, 0, "linalg.eigh");
  if (const auto uplo = c.text(1))
    c.check(!uplo->empty() && (std::toupper((*uplo)[0]) == 'L' || std::toupper((*uplo)[0]) == 'U'), Runtime,
            "Expected UPLO argument to be 'L' or 'U', but got ", *uplo);
  const bool vectors = c.truth(2).value_or(true);
  SizesRef s = c.sizes(0);
  c.result(batch_and(s, {columns_of(s)}), real_dtype(c.dtype(0)));
  columns_result(c, vectors ? Sizes(s) : Sizes{0}, c.dtype(0));
  if (known(c, 0)) c.scratch(eigh_scratch(*c.dtype(0), columns_of(s).as_int(), vectors));
}

// The matrix of x[j] - x[i] at row i, column j, with 1 on the diagonal, so that it can be a divisor.
Tensor differences(const Tensor& x) {
  return "add"_op("sub"_op("unsqueeze"_op(x, -2), "unsqueeze"_op(x, -1)), identity(x, size_of(x, -1)));
}

// Each vector of a complex matrix is determined only up to a phase. Error if the loss depends on the phases: `turns`, its derivative with respect to them, must
// be 0.
void check_phases(const Tensor& turns, const char* what) {
  if (turns.is_meta() || dispatch_state().top || turns.numel() == 0) return;
  MONOGRAPH_CHECK(!("item"_op("amax"_op("abs"_op(turns))).to_double() > 1e-2), Runtime, what,
                  "_backward: The vectors in the complex case are specified up to multiplication by e^{i phi}. The specified loss function "
                  "depends on this quantity, so it is ill-defined.");
}

// A = V diag(L) V.H, so gA = V (diag(gL) + (V.H gV) / (L[j] - L[i])) V.H; the quotient has zeros on its diagonal.
void eigh_gradient(GradCall& c) {
  const Tensor values = c.plain_result(0), gl = c.grad(0), gv = c.grad(1);
  Tensor v = c.plain_result(1);
  if (!c.plain(2).to_bool()) v = "linalg_eigh"_op(c.plain(0), c.plain(1))[1];
  if (!gv.defined()) {
    if (gl.defined()) c.set(0, matrix_product(scale_columns(v, gl), adjoint_of(v)));
    return;
  }
  const Tensor inside = matrix_product(adjoint_of(v), gv);
  if (is_complex(v.dtype())) check_phases("imag"_op(diagonal_of(inside)), "linalg_eigh");
  // A step of an orthogonal matrix is V times a skew one, so only that part of V.H gV counts: the gradient is symmetric.
  const Tensor skew = "mul"_op("sub"_op(inside, adjoint_of(inside)), 0.5);
  const Tensor between = "div"_op(skew, differences(values));
  Tensor inner = "mul"_op(between, "rsub"_op(identity(v, size_of(v, -1)), 1));
  if (gl.defined()) inner = "add"_op(inner, diagonal_matrix(gl));
  c.set(0, matrix_product(matrix_product(v, inner), adjoint_of(v)));
}

// A = V diag(L) V^-1, and the columns of V have length 1: gA = V.H^-1 (diag(gL) + (V.H gV - V.H V re(diag(V.H gV))) / conj(L[j] - L[i])) V.H.
void eig_of_gradients(GradCall& c, const Tensor& values, const Tensor& v, const Tensor& gl, const Tensor& gv) {
  Tensor inner;
  if (gv.defined()) {
    const Tensor inside = matrix_product(adjoint_of(v), gv), along = diagonal_of(inside);
    if (is_complex(c.dtype(0))) check_phases("imag"_op(along), "linalg_eig");
    const Tensor lengths = scale_columns(matrix_product(adjoint_of(v), v), "to"_op("real"_op(along), v.dtype()));
    const Tensor between = "div"_op("sub"_op(inside, lengths), conjugate_of(differences(values)));
    inner = "mul"_op(between, "rsub"_op(identity(v, size_of(v, -1)), 1));
  }
  if (gl.defined()) inner = sum_of(inner, diagonal_matrix(gl));
  if (inner.defined()) c.set(0, "linalg_solve"_op(adjoint_of(v), matrix_product(inner, adjoint_of(v))));
}
void eig_gradient(GradCall& c) { eig_of_gradients(c, c.plain_result(0), c.plain_result(1), c.grad(0), c.grad(1)); }
void eigvals_gradient(GradCall& c) {
  const auto parts = "linalg_eig"_op(c.plain(0));
  eig_of_gradients(c, parts[0], parts[1], c.grad(), Tensor());
}

template <bool kVectors>
void eig_rule(RuleCall& c) {
  const char* name = kVectors ? "linalg.eig" : "linalg.eigvals";
  check_square(c, 0, name);
  check_lapack_dtype(c, 0, name);
  SizesRef s = c.sizes(0);
  c.result(batch_and(s, {columns_of(s)}), complex_dtype(c.dtype(0)));
  if (kVectors) columns_result(c, s, complex_dtype(c.dtype(0)));
  if (known(c, 0)) c.scratch(eig_scratch(*c.dtype(0), columns_of(s).as_int(), kVectors));
}

void eigenvalues(Registry& r) {
  const char* samples =
      "[[definite(d, *s) * torch.arange(1, s[-1] + 1).sqrt().outer(torch.arange(1, s[-1] + 1).sqrt()).to(d), u] for d in (f32, f64) for s "
      "in ((3, "
      "3), (2, 3, 3)) for u in (\"L\", \"U\")] + [[t(f32, 0, 0)], [t(f32, 2, 3)], [t(f32, 2)], [t(i64, 2, 2)], [t(f32, 2, 2), \"X\"], "
      "[at([[1.0, "
      "nan], [nan, 1.0]])]]";
  r.op("_linalg_eigh(Tensor A, str UPLO=\"L\", bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)")
      .namespaced("_linalg")
      .rule(eigh_rule)
      .kernel(eigh_kernel)
      .bad_data(
          LinearAlgebra,
          "linalg.eigh: The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated eigenvalues "
          "(error code: {value}).",
          "linalg.eigh: (Batch element {place}): The algorithm failed to converge because the input matrix is ill-conditioned or has too "
          "many repeated eigenvalues (error code: {value}).")
      .gradient(eigh_gradient)
      .onnx(none(kOnnx))
      .doc("The eigenvalues of symmetric or Hermitian matrices in ascending order, and their vectors as columns.")
      .special(Special::TurnedVectors, "LAPACKs differ in the signs")
      .special(Special::Factorization, kBound)
      .samples(samples);
  r.op("linalg_eigh(Tensor self, str UPLO=\"L\") -> (Tensor eigenvalues, Tensor eigenvectors)")
      .namespaced("_linalg")
      .out_named("eigvals", {"eigvals", "eigvecs"})
      .decompose([](const IValue* a) -> IValue { return "_linalg_eigh"_op(a[0], a[1], true); }, Reads::Nothing)
      .onnx(none(kComposite))
      .autocast(Autocast::Float32)
      .doc(
          "The eigenvalues of symmetric or Hermitian matrices in ascending order, and their vectors as columns. One triangle of the matrix "
          "is read.")
      .special(Special::TurnedVectors, "LAPACKs differ in the signs")
      .special(Special::Factorization, kBound)
      .samples(samples);
  r.op("linalg_eigvalsh(Tensor self, str UPLO=\"L\") -> Tensor")
      .namespaced("_linalg")
      .out()
      .decompose([](const IValue* a) -> IValue { return "_linalg_eigh"_op(a[0], a[1], false)[0]; }, Reads::Nothing)
      .onnx(none(kComposite))
      .autocast(Autocast::Float32)
      .doc("The eigenvalues of symmetric or Hermitian matrices in ascending order.")
      .special(Special::Factorization, kBound)
      .samples(samples);
  const char* failed =
      "torch.linalg.eig: The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated eigenvalues "
      "(error "
      "code: {value}).";
  const char* failed_in_batch =
      "torch.linalg.eig: (Batch element {place}): The algorithm failed to converge because the input matrix is ill-conditioned or has too "
      "many "
      "repeated eigenvalues (error code: {value}).";
  const char* not_finite = "torch.linalg.eig: input tensor should not contain infs or NaNs.";
  const char* any_samples =
      "[[regular(d, *s) * torch.arange(1, s[-1] + 1).to(d)] for d in (f32, f64, c64) for s in ((3, 3), (2, 3, 3))] + [[at([[0.0, -1.0], "
      "[1.0, "
      "0.0]])], [t(f32, 0, 0)], [t(f32, 2, 3)], [t(i64, 2, 2)]]";
  r.op("linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)")
      .namespaced("_linalg")
      .out_named("out", {"eigenvalues", "eigenvectors"})
      .out_dtype(OutDType::Safe)
      .rule(eig_rule<true>)
      .kernel(eig_kernel)
      .bad_data(LinearAlgebra, failed, failed_in_batch, not_finite)
      .gradient(eig_gradient)
      .onnx(none(kOnnx))
      .autocast(Autocast::Float32)
      .doc("The eigenvalues of matrices and their vectors as columns, both complex.")
      .special(Special::TurnedVectors, "LAPACKs differ in the signs")
      .special(Special::Factorization, kBound)
      .samples(any_samples);
  r.op("linalg_eigvals(Tensor self) -> Tensor")
      .namespaced("_linalg")
      .out()
      .out_dtype(OutDType::Safe)
      .rule(eig_rule<false>)
      .kernel(eigvals_kernel)
      .bad_data(LinearAlgebra, failed, failed_in_batch, not_finite)
      .gradient(eigvals_gradient)
      .onnx(none(kOnnx))
      .autocast(Autocast::Float32)
      .doc("The eigenvalues of matrices, which are complex.")
      .special(Special::Factorization, kBound)
      .samples(any_samples);
}

// --- Singular values.

void svd_rule(RuleCall& c) {
  check_matrices(c, 0, "linalg.svd");
  check_lapack_dtype(c, 0, "linalg.svd");
  c.check(c.none(3), Runtime, "linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend.");
  const auto full = c.truth(1), vectors = c.truth(2);
  SizesRef s = c.sizes(0);
  const Size m = rows_of(s), n = columns_of(s), k = min(m, n);
  const bool wants = vectors.value_or(true);
  columns_result(c, wants ? batch_and(s, {m, full ? *full ? m : k : Size()}) : Sizes{0}, c.dtype(0));
  c.result(batch_and(s, {k}), real_dtype(c.dtype(0)));
  columns_result(c, wants ? batch_and(s, {full ? *full ? n : k : Size(), n}) : Sizes{0}, c.dtype(0));
  if (known(c, 0)) c.scratch(svd_scratch(*c.dtype(0), m.as_int(), n.as_int(), *full, wants));
}

Tensor skew(const Tensor& t) { return "sub"_op(t, adjoint_of(t)); }

// A = U diag(S) V.H, with the first k columns of U and rows of V.H. The gradients of U and V.H inside of the spaces that these span are divided by the
// differences of the squares of S; their parts outside of these spaces are divided by S.
void svd_gradient(GradCall& c) {
  const Tensor s = c.plain_result(1), gs = c.grad(1);
  const bool has_vectors = c.plain(2).to_bool(), full = c.plain(1).to_bool();
  Tensor u, vh, gu = c.grad(0), gvh = c.grad(2);
  if (!gu.defined() && !gs.defined() && !gvh.defined()) return;
  if (has_vectors) {
    u = c.plain_result(0), vh = c.plain_result(2);
  } else {
    const auto parts = "linalg_svd"_op(c.plain(0), false);
    u = parts[0], vh = parts[2], gu = gvh = Tensor();
  }
  const Size k = size_of(s, -1);
  auto columns = [&](const Tensor& t) { return full && t.defined() ? Tensor("narrow"_op(t, -1, 0, k)) : t; };
  auto rows = [&](const Tensor& t) { return full && t.defined() ? Tensor("narrow"_op(t, -2, 0, k)) : t; };
  u = columns(u), gu = columns(gu), vh = rows(vh), gvh = rows(gvh);
  if (!gu.defined() && !gvh.defined()) return c.set(0, matrix_product(scale_columns(u, gs), vh));
  const Tensor gaps = differences("mul"_op(s, s));
  Tensor inner;
  if (gu.defined()) inner = scale_columns("div"_op(skew(matrix_product(adjoint_of(u), gu)), gaps), s);
  if (gvh.defined()) inner = sum_of(inner, scale_rows("div"_op(skew(matrix_product(vh, adjoint_of(gvh))), gaps), s));
  if (gs.defined()) inner = sum_of(inner, diagonal_matrix(gs));
  if (is_complex(u.dtype())) {  // a column of U and its row of V.H have the phase in common
    Tensor turns = gu.defined() ? diagonal_of(skew(matrix_product(adjoint_of(u), gu))) : Tensor();
    const Tensor joint = gu.defined() && gvh.defined() ? turns : Tensor();
    if (gvh.defined()) turns = sum_of(turns, diagonal_of(skew(matrix_product(vh, adjoint_of(gvh)))));
    check_phases("imag"_op(turns), "svd");
    if (joint.defined()) inner = sum_of(inner, diagonal_matrix("div"_op(joint, "mul"_op(s, 2))));
  }
  const Size m = size_of(u, -2), n = size_of(vh, -1);
  Tensor g = matrix_product(matrix_product(u, inner), vh);
  if (gu.defined() && !certainly(m == k)) {
    const Tensor outside = scale_columns(gu, "reciprocal"_op(s));
    g = "add"_op(g, matrix_product("sub"_op(outside, matrix_product(u, matrix_product(adjoint_of(u), outside))), vh));
  }
  if (gvh.defined() && !certainly(n == k)) {
    const Tensor outside = scale_rows(gvh, "reciprocal"_op(s));
    g = "add"_op(g, matrix_product(u, "sub"_op(outside, matrix_product(matrix_product(outside, adjoint_of(vh)), vh))));
  }
  c.set(0, g);
}

IValue decompose_svd(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  MONOGRAPH_CHECK(x.dim() >= 2, Runtime, "linalg.svd: input should have at least 2 dimensions, but has ", x.dim(), " dimensions instead");
  if (!a[2].to_bool()) {
    const Sizes sizes = sizes_of(x), batch(SizesRef(sizes).first(sizes.size() - 2));
    auto zeros = [&](const Size& n) { return zeros_beside(x, appended(batch, {n, n})); };
    return results_of({zeros(size_of(x, -2)), "linalg_svdvals"_op(x), transposed(zeros(size_of(x, -1)))});
  }
  const auto parts = "linalg_svd"_op(x, !a[1].to_bool());
  return results_of({parts[0], parts[1], adjoint_of(parts[2])});
}

void singular_values(Registry& r) {
  const char* samples =
      "[[regular(d, *s) * torch.arange(1, s[-1] + 1).to(d), f] for d in (f32, f64) for s in ((3, 3), (2, 4, 3), (3, 4)) for f in (False, "
      "True)] + "
      "[[t(f32, 0, 0)], [t(f32, 3, 0), True], [t(f32, 0, 3), True], [t(f32, 3, 0), False], [t(f32, 2)], [t(i64, 2, 2)], [t(f16, 2, 2)], "
      "[at([[nan, "
      "1.0], [1.0, 1.0]])]]";
  r.op("_linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)")
      .namespaced("_linalg")
      .rule(svd_rule)
      .kernel(svd_kernel)
      .bad_data(LinearAlgebra,
                "linalg.svd: The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated "
                "singular values "
                "(error code: {value}).",
                "linalg.svd: (Batch element {place}): The algorithm failed to converge because the input matrix is ill-conditioned or has "
                "too many "
                "repeated singular values (error code: {value}).",
                "linalg.svd: The algorithm failed to converge because the input matrix contained non-finite values.")
      .gradient(svd_gradient)
      .onnx(none(kOnnx))
      .doc("The singular values of matrices in descending order, and their vectors.")
      .special(Special::TurnedVectors, "LAPACKs differ in the signs")
      .special(Special::Factorization, kBound)
      .samples(samples);
  r.op("linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)")
      .namespaced("_linalg")
      .out_named("U", {"U", "S", "Vh"})
      .decompose([](const IValue* a) -> IValue { return "_linalg_svd"_op(a[0], a[1], true, a[2]); }, Reads::Nothing)
      .onnx(none(kComposite))
      .autocast(Autocast::Float32)
      .doc("U, S and Vh whose product is `A`: orthogonal columns, singular values in descending order, orthogonal rows.")
      .special(Special::TurnedVectors, "LAPACKs differ in the signs")
      .special(Special::Factorization, kBound)
      .samples(samples);
  r.op("linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor")
      .namespaced("_linalg")
      .out()
      .decompose([](const IValue* a) -> IValue { return "_linalg_svd"_op(a[0], false, false, a[1])[1]; }, Reads::Nothing)
      .onnx(none(kComposite))
      .autocast(Autocast::Float32)
      .doc("The singular values of matrices in descending order.")
      .special(Special::Factorization, kBound)
      .samples(
          "[[regular(d, *s)] for d in (f32, f64, c64) for s in ((3, 3), (2, 4, 3), (3, 4))] + [[t(f32, 0, 3)], [t(f32, 2)], [t(i64, 2, "
          "2)]]");
  r.op("svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)")
      .out_named("U", {"U", "S", "V"})
      .decompose(decompose_svd, Reads::Symbols)
      .onnx(none(kComposite))
      .autocast(Autocast::Float32)
      .doc("linalg.svd in its old spelling, with V in place of its adjoint.")
      .special(Special::TurnedVectors, "LAPACKs differ in the signs")
      .special(Special::Factorization, kBound)
      .samples("[[regular(d, 4, 3) * torch.arange(1, 4).to(d), s, v] for d in (f32, f64) for s in (True, False) for v in (True, False)]");
}

// --- Pseudo-inverses, ranks and condition numbers.

double epsilon_of(DType t) { return t == DType::f32 || t == DType::c64 ? 0x1p-23 : 0x1p-52; }

// An absolute tolerance, and one relative to the largest value. Numbers become tensors, as in PyTorch.
struct Tolerances {
  Tensor absolute, relative;
};
Tensor number_beside(const Tensor& x, double number) { return "new_full"_op(x, Dims{}, number, DType::f64); }
Tolerances tolerances(const Tensor& x, const IValue& absolute, const IValue& relative, const char* name) {
  MONOGRAPH_CHECK(x.dim() >= 2, Runtime, name, ": The input tensor input must have at least 2 dimensions.");
  for (const IValue* v : {&absolute, &relative})
    if (v->is_tensor())
      MONOGRAPH_CHECK(!is_complex(v->as_tensor().dtype()), Runtime, name, ": atol and rtol tensors of complex type are not supported. Got ",
                      scalar_type(v->as_tensor().dtype()));
  auto tensor = [&](const IValue& v) { return v.is_tensor() ? v.to_tensor() : number_beside(x, v.to_double()); };
  Tolerances t;
  t.absolute = absolute.is_none() ? number_beside(x, 0) : tensor(absolute);
  if (!relative.is_none()) {
    t.relative = tensor(relative);
    return t;
  }
  const double usual = epsilon_of(x.dtype()) * static_cast<double>(std::max(fixed_size(x, -1), fixed_size(x, -2)));
  if (absolute.is_none()) t.relative = number_beside(x, usual);
  else t.relative = "where"_op("gt"_op(t.absolute, 0), 0.0, number_beside(x, usual));
  return t;
}
// Values up to this threshold count as 0. `largest` are the largest values of the matrices.
Tensor threshold(const Tolerances& t, const Tensor& largest) {
  return "maximum"_op("unsqueeze"_op(t.absolute, -1), "mul"_op("unsqueeze"_op(t.relative, -1), largest));
}

bool empty_matrices(const Tensor& x) { return element_count(sizes_of(x)).is(0); }

Tensor pseudo_inverse(const Tensor& x, const Tolerances& tolerance, bool hermitian) {
  if (empty_matrices(x)) {  // a product as in PyTorch, so that autocast gives its dtype
    const Tensor t = transposed(x);
    return matrix_product("narrow"_op(t, -1, 0, 0), "narrow"_op(t, -2, 0, 0));
  }
  auto inverted = [&](const Tensor& values, const Tensor& sizes, const Tensor& largest) -> Tensor {
    return "to"_op("where"_op("gt"_op(sizes, threshold(tolerance, largest)), "reciprocal"_op(values), "zeros_like"_op(values)), x.dtype());
  };
  if (hermitian) {
    const auto parts = "linalg_eigh"_op(x, "L");
    const Tensor values = parts[0], sizes = "abs"_op(values), v = parts[1];
    return matrix_product(scale_columns(v, inverted(values, sizes, "amax"_op(sizes, Dims{-1}, true))), adjoint_of(v));
  }
  const auto parts = "linalg_svd"_op(x, false);
  const Tensor s = parts[1];
  return matrix_product(scale_columns(adjoint_of(parts[2]), inverted(s, s, "narrow"_op(s, -1, 0, 1))), adjoint_of(parts[0]));
}

// Golub and Pereyra, The Differentiation of Pseudo-Inverses, 1973. It holds where the rank is constant.
Tensor pseudo_inverse_gradient(const Tensor& g, const Tensor& inverse, const Tensor& a) {
  const Tensor ih = adjoint_of(inverse), gh = adjoint_of(g);
  const Tensor through = "neg"_op(adjoint_of(matrix_product(matrix_product(inverse, gh), inverse)));
  // (I - A A+) G.H A+ A+.H, and A+.H A+ G.H (I - A+ A)
  const Tensor left = matrix_product(matrix_product(gh, inverse), ih), right = matrix_product(ih, matrix_product(inverse, gh));
  const Tensor outside = "sub"_op(left, matrix_product(a, matrix_product(inverse, left)));
  const Tensor across = "sub"_op(right, matrix_product(matrix_product(right, inverse), a));
  return "add"_op("add"_op(through, outside), across);
}

void pseudo_inverses(Registry& r) {
  constexpr const char* name = "linalg.pinv";
  auto gradient = [](GradCall& c) { c.set(0, pseudo_inverse_gradient(c.grad(), c.plain_result(), c.plain(0).to_tensor())); };
  auto pinv = [&](const char* schema, const char* out, DecomposeFn decompose, const char* samples) {
    r.op(schema)
        .namespaced("_linalg")
        .out_named(out)
        .out_dtype(OutDType::Safe)
        .decompose(decompose)
        .gradient(gradient)
        .onnx(none(kComposite))
        .doc("The pseudo-inverses of matrices; singular values up to the tolerance count as 0.")
        .special(Special::Factorization, kBound)
        .samples(samples);
  };
  pinv(
      "linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor",
      "atol_rtol_tensor_out",
      [](const IValue* a) -> IValue {
        return pseudo_inverse(a[0].to_tensor(), tolerances(a[0].to_tensor(), a[1], a[2], name), a[3].to_bool());
      },
      "[[regular(d, *s), None, None] for d in (f32, f64) for s in ((3, 3), (2, 4, 3), (3, 4))] + [[definite(f64, 3, 3), None, None, True], "
      "[t(f32, 0, 3)], [t(f32, 2)], [regular(f64, 2, 3, 3), at([0.1, 0.2]), None]]");
  pinv(
      "linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor",
      "atol_rtol_float_out",
      [](const IValue* a) -> IValue {
        return pseudo_inverse(a[0].to_tensor(), tolerances(a[0].to_tensor(), a[1], a[2], name), a[3].to_bool());
      },
      "[[regular(d, 4, 3), a, b] for d in (f32, f64) for a, b in ((0.1, None), (None, 0.1), (0.5, 0.5))]");
  pinv(
      "linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor", "out",
      [](const IValue* a) -> IValue {
        return pseudo_inverse(a[0].to_tensor(), tolerances(a[0].to_tensor(), 0.0, a[1], name), a[2].to_bool());
      },
      "[[regular(d, 4, 3), 0.01] for d in (f32, f64)] + [[definite(f64, 3, 3), 0.01, True]]");
  pinv(
      "linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor", "out_rcond_tensor",
      [](const IValue* a) -> IValue {
        return pseudo_inverse(a[0].to_tensor(), tolerances(a[0].to_tensor(), 0.0, a[1], name), a[2].to_bool());
      },
      "[[regular(d, 4, 3), at(0.01)] for d in (f32, f64)]");
  r.op("pinverse(Tensor self, float rcond=1.0000000000000001e-15) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return "linalg_pinv"_op(a[0], a[1], false); }, Reads::Nothing)
      .onnx(none(kComposite))
      .autocast(Autocast::Float32)
      .doc("linalg.pinv, in its old spelling.")
      .special(Special::Factorization, kBound)
      .special(Special::OtherSchemaText, "the shortest text of rcond")
      .samples("[[regular(d, 4, 3)] for d in (f32, f64)]");
}

Tensor rank_of(const Tensor& x, const Tolerances& tolerance, bool hermitian) {
  const Sizes sizes = sizes_of(x);
  if (empty_matrices(x)) return "new_zeros"_op(x, Sizes(SizesRef(sizes).first(sizes.size() - 2)), DType::i64);
  const Tensor s = hermitian ? Tensor("abs"_op("linalg_eigvalsh"_op(x, "L"))) : Tensor("linalg_svdvals"_op(x));
  return "sum"_op("gt"_op(s, threshold(tolerance, "amax"_op(s, Dims{-1}, true))), Dims{-1});
}
void ranks(Registry& r) {
  constexpr const char* name = "linalg.matrix_rank";
  auto rank = [&](const char* schema, const char* out, DecomposeFn decompose, const char* samples) {
    r.op(schema)
        .namespaced("_linalg")
        .out_named(out)
        .out_dtype(OutDType::Safe)
        .decompose(decompose)
        .gradient(none("it is a count"))
        .onnx(none(kComposite))
        .autocast(Autocast::Float32)
        .doc("The numbers of singular values above the tolerance.")
        .samples(samples);
  };
  rank(
      "linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor",
      "atol_rtol_tensor_out",
      [](const IValue* a) -> IValue { return rank_of(a[0].to_tensor(), tolerances(a[0].to_tensor(), a[1], a[2], name), a[3].to_bool()); },
      "[[regular(d, *s), None, None] for d in (f32, f64) for s in ((3, 3), (2, 4, 3))] + [[torch.ones(2, 3, 3)], [torch.ones(3, 3), None, "
      "None, "
      "True], [t(f32, 0, 3)], [t(f32, 2)]]");
  rank(
      "linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor",
      "atol_rtol_float_out",
      [](const IValue* a) -> IValue { return rank_of(a[0].to_tensor(), tolerances(a[0].to_tensor(), a[1], a[2], name), a[3].to_bool()); },
      "[[regular(d, 4, 3), a, b] for d in (f32, f64) for a, b in ((0.1, None), (9.0, None), (None, 0.9))]");
  rank(
      "linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor", "out",
      [](const IValue* a) -> IValue { return rank_of(a[0].to_tensor(), tolerances(a[0].to_tensor(), a[1], 0.0, name), a[2].to_bool()); },
      "[[regular(d, 4, 3), 0.01] for d in (f32, f64)] + [[torch.ones(3, 3), 0.01, True]]");
  rank(
      "linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor", "out_tol_tensor",
      [](const IValue* a) -> IValue { return rank_of(a[0].to_tensor(), tolerances(a[0].to_tensor(), a[1], 0.0, name), a[2].to_bool()); },
      "[[regular(d, 4, 3), at(0.01)] for d in (f32, f64)]");
}

Tensor condition_of_order(const Tensor& x, const IValue& order) {
  const Sizes sizes = sizes_of(x);
  if (empty_matrices(x)) return "new_zeros"_op(x, Sizes(SizesRef(sizes).first(sizes.size() - 2)), *real_dtype(x.dtype()));
  const auto inverted = "linalg_inv_ex"_op(x, false);
  const Tensor singular = "unsqueeze"_op("unsqueeze"_op("gt"_op(inverted[1], 0), -1), -1);
  const Tensor inverse = "masked_fill"_op(inverted[0], singular, HUGE_VAL);
  return "mul"_op("linalg_matrix_norm"_op(x, order), "linalg_matrix_norm"_op(inverse, order));
}
void check_matrix(const Tensor& x) {
  MONOGRAPH_CHECK(x.dim() >= 2, Runtime, "linalg.cond: The input tensor A must have at least 2 dimensions.");
}
// Checks an order of the norm other than 2 and -2. `known` says whether there is such a norm.
template <class Order>
void check_order(const Tensor& x, const Order& order, bool known) {
  MONOGRAPH_CHECK(known, Runtime, "linalg.cond got an invalid norm type: ", order);
  MONOGRAPH_CHECK(!never(size_of(x, -1) == size_of(x, -2)), Runtime, "linalg.cond(ord=", order,
                  "): A must be batches of square matrices, but they are ", to_string(size_of(x, -2)), " by ", to_string(size_of(x, -1)),
                  " matrices");
}
IValue decompose_cond(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  check_matrix(x);
  const double p = a[1].is_none() ? 2 : a[1].to_double();
  if (std::abs(p) == 2) {
    if (empty_matrices(x)) return condition_of_order(x, a[1]);
    const Tensor s = "linalg_svdvals"_op(x), first = "select"_op(s, -1, 0), last = "select"_op(s, -1, -1);
    return p > 0 ? "div"_op(first, last) : "div"_op(last, first);
  }
  check_order(x, p, std::abs(p) == 1 || std::isinf(p));
  return condition_of_order(x, a[1]);
}
IValue decompose_named_cond(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const std::string name = a[1].to_string();
  check_matrix(x);
  if (name.empty() && x->kind != TensorImpl::Kind::Dense)
    return condition_of_order(x, "fro");  // the graph computes the str; only the sizes of the result matter
  check_order(x, name, name == "fro" || name == "nuc");
  if (name == "fro" || empty_matrices(x)) return condition_of_order(x, a[1]);
  const Tensor s = "linalg_svdvals"_op(x);
  return "mul"_op("sum"_op(s, Dims{-1}), "sum"_op("reciprocal"_op(s), Dims{-1}));
}
void conditions(Registry& r) {
  auto cond = [&](const char* schema, const char* out, DecomposeFn decompose, const char* samples) {
    r.op(schema)
        .namespaced("_linalg")
        .out_named(out)
        .out_dtype(OutDType::Safe)
        .decompose(decompose, Reads::Symbols)
        .onnx(none(kComposite))
        .autocast(Autocast::Float32)
        .doc("The condition numbers of matrices in the norm `p`.")
        .special(Special::Factorization, kBound)
        .samples(samples);
  };
  cond("linalg_cond(Tensor self, Scalar? p=None) -> Tensor", "out", decompose_cond,
       "[[regular(d, *s), p] for d in (f32, f64) for s in ((3, 3), (2, 3, 3)) for p in (None, 2, -2, 1, -1, inf, -inf)] + [[regular(f64, "
       "4, 3), "
       "2], [t(f32, 2, 3), 1], [t(f32, 2, 2), 3], [t(f32, 2)], [t(f32, 0, 0)]]");
  cond("linalg_cond.p_str(Tensor self, str p) -> Tensor", "p_str_out", decompose_named_cond,
       "[[regular(d, 3, 3), p] for d in (f32, f64) for p in (\"fro\", \"nuc\")] + [[t(f32, 2, 2), \"max\"], [t(f32, 2, 3), \"fro\"]]");
}

// --- Least squares.

void lstsq_rule(RuleCall& c) {
  const char* name = "torch.linalg.lstsq";
  check_matrices(c, 0, name, "input");
  check_lapack_dtype(c, 0, name);
  SizesRef a = c.sizes(0), b = c.sizes(1);
  const auto t = c.dtype(0), other = c.dtype(1);
  c.check(!t || !other || *t == *other, Runtime, name, ": Expected input and other to have the same dtype, but got input's dtype ",
          scalar_type(t), " and other's dtype ", scalar_type(other));
  const std::string_view driver = c.none(3) ? "gelsy" : c.text(3).value_or("gelsy");
  c.check(driver == "gels" || driver == "gelsy" || driver == "gelsd" || driver == "gelss", Runtime, name,
          ": parameter `driver` should be one of (gels, gelsy, gelsd, gelss)");
  const bool values = driver == "gelsd" || driver == "gelss", sums = driver != "gelsy";
  if (!a.ranked() || !b.ranked()) {
    c.unranked(1), c.result(Sizes::unranked(), real_dtype(t)), c.result(Sizes::unranked(), DType::i64);
    return c.result(Sizes::unranked(), real_dtype(t));
  }
  c.check(!b.empty() && (b.size() == a.size() || b.size() == a.size() - 1), Runtime, name,
          ": input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1");
  const bool vector = beside_vectors(a, b);
  c.check(vector || b.size() == a.size(), Runtime, name,
          ": input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1");
  const Size m = rows_of(a), n = columns_of(a), rows = vector ? b.back() : rows_of(b), columns = vector ? Size(1) : columns_of(b);
  c.check(rows == m, Runtime, name, ": input.size(-2) should match other.size(-", vector ? 1 : 2, ")");
  const SizesRef batch_a = a.first(a.size() - 2), batch_b = b.first(b.size() - (vector ? 1 : 2));
  const Sizes batch = broadcast(batch_a, batch_b, c.op.name());
  c.result(vector ? appended(batch, {n}) : appended(batch, {n, columns}), t);
  if (c.eager()) {  // the solution is the first n rows of the matrix that LAPACK writes
    const Size height = max(m, n);
    Sizes strides(batch.size() + (vector ? 1 : 2), 1);
    if (!vector) strides.set(strides.size() - 1, max(height, 1));
    Size step = height * columns;
    for (size_t d = batch.size(); d-- > 0; step = step * max(batch[d], 1)) strides.set(d, max(step, 1));
    c.lay_out(strides);
  }
  const Sizes residuals = appended(batch, {columns});
  c.result(!sums || never(m > n) ? Sizes{0} : certainly(m > n) ? residuals : Sizes::unranked(), real_dtype(t));
  c.result(driver == "gels" ? Sizes{0} : Sizes(batch_a), DType::i64);  // facts of the matrices, which the right sides do not repeat
  c.result(values ? appended(batch_a, {min(m, n)}) : Sizes{0}, real_dtype(t));
  if (known(c, 0) && known(c, 1)) c.scratch(lstsq_scratch(*t, m.as_int(), n.as_int(), columns.as_int()));
}

// X = A+ B. The residuals are minimal in X, so their gradient goes to A and B directly, not through X.
void lstsq_gradient(GradCall& c) {
  MONOGRAPH_CHECK(!c.grad(3).defined() || c.grad(3).numel() == 0, NotImplemented, "[", c.op.name(),
                  "] its singular values have no gradient; use linalg.svdvals");
  const bool vector = beside_vectors(c.sizes(0), c.sizes(1));
  auto columns = [&](const Tensor& t) { return vector && t.defined() ? Tensor("unsqueeze"_op(t, -1)) : t; };
  const Tensor a = c.plain(0).to_tensor(), b = columns(c.plain(1).to_tensor()), g = columns(c.grad(0)), gr = c.grad(1);
  Tensor ga, gb;
  if (g.defined()) {
    const Tensor inverse = "linalg_pinv"_op(a);
    ga = pseudo_inverse_gradient(matrix_product(g, adjoint_of(b)), inverse, a), gb = matrix_product(adjoint_of(inverse), g);
  }
  // There are residuals only if the matrix has more rows than columns. A capture takes that from its example, with a guard.
  const Size more = gr.defined() ? rows_of(c.sizes(0)) - columns_of(c.sizes(0)) : Size(0);
  if (!more.is_int() && dispatch_hooks().specialize) dispatch_hooks().specialize(min(max(more, 0), 1));
  if (gr.defined() && gr.numel() > 0) {
    const Tensor x = columns(c.plain_result(0));
    const Tensor slope = scale_columns("sub"_op(matrix_product(a, x), b), "mul"_op(gr, 2));
    ga = sum_of(ga, matrix_product(slope, adjoint_of(x))), gb = sum_of(gb, "neg"_op(slope));
  }
  if (!ga.defined()) return;
  if (c.needs(0)) c.set(0, reduced_to(ga, c.sizes(0)));
  if (c.needs(1)) c.set(1, reduced_to(vector ? Tensor("squeeze"_op(gb, -1)) : gb, c.sizes(1)));
}

void least_squares(Registry& r) {
  r.op("linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor residuals, Tensor rank, "
       "Tensor "
       "singular_values)")
      .namespaced("_linalg")
      .out_named("out", {"solution", "residuals", "rank", "singular_values"})
      .out_dtype(OutDType::Safe)
      .rule(lstsq_rule)
      .kernel(lstsq_kernel)
      .bad_data(
          LinearAlgebra,
          "torch.linalg.lstsq: The least squares solution could not be computed because the input matrix does not have full rank (error "
          "code: {value}).",
          "torch.linalg.lstsq: (Batch element {place}): The least squares solution could not be computed because the input matrix does not "
          "have full rank (error code: {value}).")
      .gradient(lstsq_gradient)
      .onnx(none(kOnnx))
      .autocast(Autocast::Float32)
      .doc(R"(The solution X for which A X is nearest to B, by one of LAPACK's drivers gelsy, gels, gelsd and gelss.

self: The matrix A, or a batch of matrices.
b: The right side B, with as many rows as A.)")
      .special(Special::FirstResultAlone, "the singular values")
      .special(Special::Factorization, kBound)
      .samples(
          "[[regular(d, *s), t(d, *s[:-1], 2), None, w] for d in (f32, f64) for s in ((3, 3), (2, 4, 3), (3, 4)) for w in (None, "
          "\"gelsy\", "
          "\"gels\", \"gelsd\", \"gelss\")] + [[regular(f64, 4, 3), t(f64, 4)], [regular(f64, 2, 4, 3), t(f64, 2, 4)], [t(f32, 2, 2), "
          "t(f32, "
          "2, 2), None, \"x\"], [t(f32, 2, 2), t(f64, 2, 2)], [t(f32, 2, 2), t(f32, 3, 2)]]");
}

}  // namespace

void spectra(Registry& r) {
  eigenvalues(r);
  singular_values(r);
  pseudo_inverses(r);
  ranks(r);
  conditions(r);
  least_squares(r);
}

}  // namespace monograph
