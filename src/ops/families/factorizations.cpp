// torch.linalg's factorizations (Cholesky, LU, QR, ...), inverses and solvers. LAPACK computes them (kernels/factorizations.h). Gradients are made of public
// operators, so they can be differentiated again. In the comments X.H is the adjoint of X, and gX the gradient of X.
#include "kernels/factorizations.h"

#include <string>

#include "ops/families/error_kinds.h"
#include "ops/families/matrices.h"

namespace monograph {
namespace {

constexpr const char* kOnnx = "ONNX has no operator for it";
constexpr const char* kBound = "an error is relative to the largest element";
constexpr const char* kComposite = "decomposes to a factorization, which ONNX lacks";

// --- Cholesky.

void cholesky_rule(RuleCall& c) {
  check_square(c, 0, "linalg.cholesky");
  check_lapack_dtype(c, 0, "linalg.cholesky");
  columns_result(c, c.sizes(0), c.dtype(0));
  info_result(c);
  if (known(c, 0)) c.scratch(square_scratch(*c.dtype(0), columns_of(c.sizes(0)).as_int()));
}

// The Hermitian matrix whose lower triangle is that of t.
Tensor mirrored(const Tensor& t) { return "add"_op(lower(t), adjoint_of(lower(t, -1))); }

// gA = L.H^-1 (M / 2) L^-1, where M is the Hermitian matrix with the lower triangle of L.H gL (Iain Murray, Differentiation of the Cholesky decomposition, 2016).
void cholesky_gradient(GradCall& c) {
  const bool is_upper = c.plain(1).to_bool();
  const Tensor l = is_upper ? adjoint_of(c.plain_result()) : c.plain_result(), g = is_upper ? adjoint_of(c.grad()) : c.grad();
  Tensor a = "mul"_op(mirrored(matrix_product(adjoint_of(l), g)), 0.5);
  a = triangular_solution(adjoint_of(l), a, true, true);
  c.set(0, triangular_solution(l, a, false, false));
}

void check_pair(const RuleCall& c, size_t a, size_t b, const char* name) {
  const auto s = c.dtype(a), t = c.dtype(b);
  const auto &one = c.op.schema().arguments()[a].name, &other = c.op.schema().arguments()[b].name;
  c.check(!s || !t || *s == *t, Runtime, name, ": Expected ", one, " and ", other, " to have the same dtype, but found ", one, " of type ",
          scalar_type(s), " and ", other, " of type ", scalar_type(t), " instead");
}

void cholesky_solve_rule(RuleCall& c) {
  check_matrices(c, 0, "cholesky_solve", "self");
  check_square(c, 1, "cholesky_solve", "input2");
  check_lapack_dtype(c, 0, "cholesky_solve");
  check_pair(c, 0, 1, "cholesky_solve");
  SizesRef b = c.sizes(0), a = c.sizes(1);
  c.check(rows_of(b) == rows_of(a), Runtime, "Incompatible matrix sizes for cholesky_solve: each A matrix is ", rows_of(a), " by ",
          rows_of(a), " but each b matrix is ", rows_of(b), " by ", columns_of(b));
  if (!a.ranked() || !b.ranked()) return c.unranked(0);
  const Sizes batch = broadcast(a.first(a.size() - 2), b.first(b.size() - 2), c.op.name());
  columns_result(c, appended(batch, {rows_of(b), columns_of(b)}), c.dtype(0));
}
IValue cholesky_solve(const IValue* a) {
  const Tensor b = a[0].to_tensor(), l = a[1].to_tensor();
  const bool is_upper = a[2].to_bool();
  const Tensor first = triangular_solution(is_upper ? adjoint_of(l) : l, b, false, true);
  return triangular_solution(is_upper ? l : adjoint_of(l), first, true, true);
}
// The gradient by L. As in PyTorch, it is that of a full matrix L, although only one triangle of L is read.
Tensor whole_factor_gradient(const Tensor& l, const Tensor& product, bool is_upper) {
  const Tensor both = "add"_op(product, adjoint_of(product));
  return "neg"_op(is_upper ? matrix_product(l, both) : matrix_product(both, l));
}
void cholesky_solve_gradient(GradCall& c) {
  const Tensor l = c.plain(1).to_tensor();
  const bool is_upper = c.plain(2).to_bool();
  const Tensor g = "cholesky_solve"_op(c.grad(), l, is_upper);
  if (c.needs(0)) c.set(0, reduced_to(g, c.sizes(0)));
  if (c.needs(1)) c.set(1, reduced_to(whole_factor_gradient(l, matrix_product(g, adjoint_of(c.plain_result())), is_upper), c.sizes(1)));
}
void cholesky_inverse_rule(RuleCall& c) {
  check_square(c, 0, "cholesky_inverse");
  check_lapack_dtype(c, 0, "cholesky_inverse");
  columns_result(c, c.sizes(0), c.dtype(0));
}

void cholesky_family(Registry& r) {
  r.op("linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)")
      .namespaced("_linalg")
      .out_named("L", {"L", "info"})
      .rule(cholesky_rule)
      .kernel(cholesky_kernel)
      .bad_data(
          LinearAlgebra,
          "linalg.cholesky: The factorization could not be completed because the input is not positive-definite (the leading minor of "
          "order {value} is not positive-definite).",
          "linalg.cholesky: (Batch element {place}): The factorization could not be completed because the input is not "
          "positive-definite (the leading minor of order {value} is not positive-definite).")
      .gradient(cholesky_gradient)
      .onnx(none(kOnnx))
      .autocast(Autocast::Float32)
      .doc("The Cholesky factors of positive-definite matrices, and for each 0, or the order of the minor that is not.")
      .special(Special::Factorization, kBound)
      .samples(
          "[[definite(d, *s), u, False] for d in (f32, f64, c64, c128) for s in ((3, 3), (2, 4, 4)) for u in (False, True)] + [[t(f32, "
          "0, 0)], [t(f32, 2, 0, 0)], [t(f32, 0, 2, 2)], [t(f32, 2, 3)], [t(f32, 2)], [t(i64, 2, 2)], [t(f16, 2, 2)], [-definite(f32, "
          "2, 2), False, True], [definite(f32, 3, 3).t(), True]]");
  r.op("linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor")
      .namespaced("_linalg")
      .out()
      .decompose([](const IValue* a) -> IValue { return "linalg_cholesky_ex"_op(a[0], a[1], true)[0]; }, Reads::Nothing)
      .onnx(none(kComposite))
      .autocast(Autocast::Float32)
      .doc(R"(The Cholesky factor of positive-definite matrices.

>>> x = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
>>> torch.linalg.cholesky(x))")
      .special(Special::Factorization, kBound)
      .samples("[[definite(d, *s), u] for d in (f32, f64) for s in ((3, 3), (2, 4, 4)) for u in (False, True)] + [[-definite(f32, 2, 2)]]");
  r.op("cholesky(Tensor self, bool upper=False) -> Tensor")
      .out()
      .out_dtype(OutDType::Safe)
      .decompose([](const IValue* a) -> IValue { return "linalg_cholesky"_op(a[0], a[1]); }, Reads::Nothing)
      .onnx(none(kComposite))
      .autocast(Autocast::Float32)
      .doc(R"(linalg.cholesky, in its old spelling.

>>> x = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
>>> torch.cholesky(x))")
      .special(Special::Factorization, kBound)
      .samples("[[definite(d, 3, 3), u] for d in (f32, f64) for u in (False, True)] + [[-definite(f32, 2, 2)]]");
  r.op("cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor")
      .out()
      .out_dtype(OutDType::Safe)
      .rule(cholesky_solve_rule)
      .decompose(cholesky_solve, Reads::Nothing)
      .gradient(cholesky_solve_gradient)
      .onnx(none(kComposite))
      .autocast(Autocast::Float32)
      .doc("The solution of systems of equations whose matrix has the Cholesky factor `input2`.")
      .special(Special::Factorization, kBound)
      .samples(
          "[[t(d, *s, 3, 2), regular(d, *s, 3, 3).tril(), False] for d in (f32, f64) for s in ((), (2,))] + [[t(f64, 3, 2), "
          "regular(f64, 3, 3).triu(), True], [t(f64, 2, 3, 2), regular(f64, 3, 3).tril()], [t(f32, 3), t(f32, 3, 3)], [t(f32, 2, 2), "
          "t(f32, 3, 3)], [t(f64, 3, 2), regular(f32, 3, 3)]]");
  r.op("cholesky_inverse(Tensor self, bool upper=False) -> Tensor")
      .out()
      .out_dtype(OutDType::Safe)
      .rule(cholesky_inverse_rule)
      .decompose(
          [](const IValue* a) -> IValue {
            const Tensor l = a[0].to_tensor();
            return "cholesky_solve"_op("expand"_op(identity(l, size_of(l, -1)), sizes_of(l)), l, a[1]);
          },
          Reads::Symbols)
      .gradient([](GradCall& c) {
        const Tensor inverse = c.plain_result(), both = "add"_op(c.grad(), adjoint_of(c.grad()));
        const Tensor g = matrix_product(matrix_product(inverse, both), inverse), l = c.plain(0).to_tensor();
        c.set(0, "neg"_op(c.plain(1).to_bool() ? matrix_product(l, g) : matrix_product(g, l)));
      })
      .onnx(none(kComposite))
      .autocast(Autocast::Float32)
      .doc("The inverse of matrices whose Cholesky factor is given.")
      .special(Special::Factorization, kBound)
      .samples(
          "[[regular(d, *s, 3, 3).tril(), False] for d in (f32, f64) for s in ((), (2,))] + [[regular(f64, 3, 3).triu(), True], [t(f32, "
          "2, 3)]]");
}

// --- LU.

void lu_factor_rule(RuleCall& c) {
  const char* name = "linalg.lu_factor";
  check_matrices(c, 0, name);
  check_lapack_dtype(c, 0, name);
  c.check(c.truth(1).value_or(true), Runtime, name, ": LU without pivoting is not implemented on the CPU");
  SizesRef s = c.sizes(0);
  columns_result(c, s, c.dtype(0));
  c.result(batch_and(s, {min(rows_of(s), columns_of(s))}), DType::i32);
  info_result(c);
  if (known(c, 0)) c.scratch(lu_scratch(*c.dtype(0), rows_of(s).as_int(), columns_of(s).as_int()));
}

void lu_unpack_rule(RuleCall& c) {
  check_matrices(c, 0, "torch.lu_unpack", "LU_data");
  check_lapack_dtype(c, 0, "torch.lu_unpack");
  c.check(
      !c.dtype(1) || *c.dtype(1) == DType::i32, Runtime,
      "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype. Note: this function is intended to be used "
      "with the output produced by torch.linalg.lu_factor");
  SizesRef s = c.sizes(0), pivots = c.sizes(1);
  const Size m = rows_of(s), n = columns_of(s), k = min(m, n);
  const bool data = c.truth(2).value_or(true), order = c.truth(3).value_or(true);
  bool fits = !s.ranked() || !pivots.ranked() || pivots.size() == s.size() - 1;
  for (size_t d = 0; fits && s.ranked() && pivots.ranked() && d < pivots.size(); ++d)
    fits = !never(pivots[d] == (d + 1 == pivots.size() ? k : s[d]));
  c.check(fits || !order, Runtime, "torch.lu_unpack: LU_pivots of size ", pivots, " does not belong to LU_data of size ", s);
  c.result(order ? batch_and(s, {m, m}) : Sizes{0}, c.dtype(0));
  c.result(data ? batch_and(s, {m, k}) : Sizes{0}, c.dtype(0));
  c.result(data ? batch_and(s, {k, n}) : Sizes{0}, c.dtype(0));
  if (known(c, 0)) c.scratch(lu_scratch(DType::f32, m.as_int(), 1));
}

// Whether the matrices are square (0), wide (1) or tall (-1). If their sizes are symbols, a capture fixes them to the example's by guards.
int shape_of(const Tensor& t) {
  const Size m = size_of(t, -2), n = size_of(t, -1);
  if (certainly(m == n)) return 0;
  const int64_t rows = fixed_size(t, -2), columns = fixed_size(t, -1);
  return rows == columns ? 0 : rows < columns ? 1 : -1;
}
Tensor first_columns(const Tensor& t, const Size& n) { return "narrow"_op(t, -1, 0, n); }
Tensor first_rows(const Tensor& t, const Size& n) { return "narrow"_op(t, -2, 0, n); }
Tensor last_columns(const Tensor& t, const Size& first) { return "narrow"_op(t, -1, first, size_of(t, -1) - first); }
Tensor last_rows(const Tensor& t, const Size& first) { return "narrow"_op(t, -2, first, size_of(t, -2) - first); }
Tensor beside(const Tensor& a, const Tensor& b, int64_t dim) { return "cat"_op(tensors_of({a, b}), dim); }

// The gradient by A of A = P L U, from the gradients of L below its diagonal and of U on and above its diagonal. For a square A it is
// P L.H^-1 (below(L.H gL) + above(gU U.H)) U.H^-1, with the two triangles. The further columns of a wide A need L alone, the further rows of a tall A need U.
Tensor lu_gradient(const Tensor& gl, const Tensor& gu, const Tensor& p, const Tensor& l, const Tensor& u, int shape) {
  const Size k = size_of(l, -1);
  const Tensor first_l = shape < 0 ? first_rows(l, k) : l, first_u = shape > 0 ? first_columns(u, size_of(u, -2)) : u;
  const Tensor gl1 = shape < 0 ? first_rows(gl, k) : gl, gu1 = shape > 0 ? first_columns(gu, size_of(u, -2)) : gu;
  Tensor below = matrix_product(adjoint_of(first_l), gl1), above = matrix_product(gu1, adjoint_of(first_u));
  if (shape > 0) {
    const Size n = size_of(u, -2);
    below = "sub"_op(below, matrix_product(last_columns(gu, n), adjoint_of(last_columns(u, n))));
  }
  if (shape < 0) above = "sub"_op(above, matrix_product(adjoint_of(last_rows(l, k)), last_rows(gl, k)));
  Tensor g = "add"_op(lower(below, -1), upper(above));
  if (shape > 0) {
    g = beside(triangular_solution(adjoint_of(first_u), g, false, false), last_columns(gu, size_of(u, -2)), -1);
    g = triangular_solution(adjoint_of(l), g, true, true, true);
  } else {
    g = triangular_solution(adjoint_of(first_l), g, true, true, true);
    if (shape < 0) g = beside(g, last_rows(gl, k), -2);
    g = triangular_solution(adjoint_of(u), g, false, false);
  }
  return matrix_product(p, g);
}
// The same, from one matrix that holds the gradients of both L and U.
Tensor packed_lu_gradient(const Tensor& g, const Tensor& lu, const Tensor& pivots) {
  const auto unpacked = "lu_unpack"_op(lu, pivots, true, true);
  const Tensor l = unpacked[1], u = unpacked[2];
  const int shape = shape_of(lu);
  const Tensor gl = shape > 0 ? first_columns(g, size_of(l, -1)) : g, gu = shape < 0 ? first_rows(g, size_of(u, -2)) : g;
  return lu_gradient(lower(gl, -1), upper(gu), unpacked[0], l, u, shape);
}

void lu_unpack_gradient(GradCall& c) {
  const Tensor lu = c.plain(0).to_tensor();
  const int shape = shape_of(lu);
  Tensor gl = c.grad(1), gu = c.grad(2), g;
  const Size more = shape == 0 ? Size(0) : shape > 0 ? size_of(lu, -1) - size_of(lu, -2) : size_of(lu, -2) - size_of(lu, -1);
  if (gl.defined()) {
    gl = lower(gl, -1);
    if (shape > 0) gl = "constant_pad_nd"_op(gl, Sizes{0, more});
    g = gl;
  }
  if (gu.defined()) {
    gu = upper(gu);
    if (shape < 0) gu = "constant_pad_nd"_op(gu, Sizes{0, 0, 0, more});
    g = sum_of(g, gu);
  }
  if (g.defined()) c.set(0, g);
}

// The sign of the permutation: 1 for an even number of row exchanges, -1 for an odd one.
Tensor sign_of_exchanges(const Tensor& pivots, const Tensor& like) {
  const Tensor own = "add"_op(counted(size_of(pivots, -1), pivots), 1), exchanges = "sum"_op("ne"_op(pivots, own), Dims{-1});
  return "to"_op("rsub"_op("mul"_op("remainder"_op(exchanges, 2), 2), 1), like.dtype());
}
// The product over the last dim. Complex numbers go by cumprod, because prod() along a dim does not take them.
Tensor product_of_row(const Tensor& t) {
  if (!is_complex(t.dtype())) return "prod"_op(t, -1, false);
  const Sizes sizes = sizes_of(t);
  const Tensor one = "new_ones"_op(t, appended(Sizes(SizesRef(sizes).first(sizes.size() - 1)), {1}));
  return "select"_op("cumprod"_op(beside(one, t, -1), -1), -1, -1);
}
Tensor determinant(const Tensor& lu, const Tensor& pivots) {
  return "mul"_op(product_of_row(diagonal_of(lu)), sign_of_exchanges(pivots, lu));
}
template <bool kLogarithm>
void determinant_rule(RuleCall& c) {
  const char* name = kLogarithm ? "linalg.slogdet" : "linalg.det";
  check_square(c, 0, name);
  check_lapack_dtype(c, 0, name);
  SizesRef s = c.sizes(0);
  c.result(batch_and(s, {}), c.dtype(0));
  if (kLogarithm) c.result(batch_and(s, {}), real_dtype(c.dtype(0)));
  columns_result(c, s, c.dtype(0));
  c.result(batch_and(s, {rows_of(s)}), DType::i32);
}
// factors * (A^-1).H, from the LU factors of A.
Tensor scaled_inverse(const Tensor& factors, const Tensor& lu, const Tensor& pivots) {
  const Tensor diagonal = diagonal_matrix("expand"_op("unsqueeze"_op(factors, -1), sizes_of(pivots)));
  return "linalg_lu_solve"_op(lu, pivots, diagonal, true, true);
}
// gA = g det(A) (A^-1).H. A pivot of 0 is replaced by a tiny one. The product is then the matrix of cofactors up to rounding, which is its limit.
void det_gradient(GradCall& c) {
  const Tensor lu = c.plain_result(1), pivots = c.plain_result(2), diagonal = diagonal_of(lu);
  Tensor total;
  if (c.grad(0).defined()) {
    const double tiny = lu.dtype() == DType::f32 || lu.dtype() == DType::c64 ? 0x1p-23 : 0x1p-52;
    const Tensor near = "add"_op(lu, diagonal_matrix("where"_op("eq"_op(diagonal, 0), tiny, "zeros_like"_op(diagonal))));
    total = scaled_inverse("mul"_op(c.grad(0), conjugate_of(determinant(near, pivots))), near, pivots);
  }
  if (c.grad(1).defined()) total = sum_of(total, packed_lu_gradient(c.grad(1), lu, pivots));
  if (total.defined()) c.set(0, total);
}
// d log det(A) = tr(A^-1 dA). Its real part belongs to the second result, its imaginary part to the angle of the sign. The sign of a real matrix is constant.
void slogdet_gradient(GradCall& c) {
  const Tensor lu = c.plain_result(2), pivots = c.plain_result(3);
  Tensor total, factors = c.grad(1);
  if (c.grad(0).defined() && is_complex(lu.dtype())) {
    const Tensor turn = "imag"_op("mul"_op(c.grad(0), conjugate_of(c.plain_result(0))));
    factors = "complex"_op(factors.defined() ? factors : Tensor("zeros_like"_op(turn)), turn);
  }
  if (factors.defined()) total = scaled_inverse("to"_op(factors, lu.dtype()), lu, pivots);
  if (c.grad(2).defined()) total = sum_of(total, packed_lu_gradient(c.grad(2), lu, pivots));
  c.set(0, total.defined() ? total : Tensor("zeros_like"_op(lu)));
}

void lu_solve_rule(RuleCall& c) {
  const char* name = "linalg.lu_solve";
  check_square(c, 0, name, "LU");
  check_lapack_dtype(c, 0, name);
  check_matrices(c, 2, name, "B");
  c.check(!c.dtype(1) || *c.dtype(1) == DType::i32, Runtime, name, ": pivots should be a Tensor of scalar type torch.int32");
  check_pair(c, 0, 2, name);
  SizesRef lu = c.sizes(0), pivots = c.sizes(1), b = c.sizes(2);
  if (!lu.ranked() || !b.ranked()) return c.unranked(2);
  const bool left = c.truth(3).value_or(true);
  c.check((left ? rows_of(b) : columns_of(b)) == columns_of(lu), Runtime, name, ": Incompatible shapes of A and B for the equation ",
          left ? "AX = B" : "XA = B", " (", rows_of(lu), "x", columns_of(lu), " and ", rows_of(b), "x", columns_of(b), ")");
  Truth fits = !pivots.ranked() || pivots.size() == lu.size() - 1;
  for (size_t d = 0; pivots.ranked() && certainly(fits) && d < pivots.size(); ++d) fits = fits && pivots[d] == lu[d];
  c.check(fits, Runtime, name, ": Number of pivots per batch should be same as the dimension of the matrix");
  const Sizes batch = broadcast(lu.first(lu.size() - 2), b.first(b.size() - 2), c.op.name()),
              sizes = appended(batch, {rows_of(b), columns_of(b)});
  c.result(sizes, c.dtype(2));
  if (left) by_columns(c);
  if (known(c, 0) && known(c, 2))
    c.scratch(solve_scratch(*c.dtype(0), columns_of(lu).as_int(), (left ? columns_of(b) : rows_of(b)).as_int()));
}

void lu_solve_gradient(GradCall& c) {
  const Tensor lu = c.plain(0).to_tensor(), x = c.plain_result();
  const bool left = c.plain(3).to_bool(), adjoint = c.plain(4).to_bool();
  const Tensor gb = "linalg_lu_solve"_op(lu, c.plain(1), c.grad(), left, !adjoint);
  if (c.needs(2)) c.set(2, reduced_to(gb, c.sizes(2)));
  if (!c.needs(0)) return;
  // The gradient by A: for A X = B it is -gB X.H, for A.H X = B the adjoint of that, and likewise for X A = B. From it follow those of the LU factors.
  Tensor ga;
  if (left) ga = adjoint ? matrix_product(x, adjoint_of(gb)) : matrix_product(gb, adjoint_of(x));
  else ga = adjoint ? matrix_product(adjoint_of(gb), x) : matrix_product(adjoint_of(x), gb);
  const auto unpacked = "lu_unpack"_op(lu, c.plain(1), true, true);
  const Tensor g = "neg"_op(matrix_product(transposed(unpacked[0]), ga));
  const Tensor by_factors =
      "add"_op(lower(matrix_product(g, adjoint_of(unpacked[2])), -1), upper(matrix_product(adjoint_of(unpacked[1]), g)));
  c.set(0, reduced_to(by_factors, c.sizes(0)));
}

void lu_family(Registry& r) {
  r.op("linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)")
      .namespaced("_linalg")
      .out_named("out", {"LU", "pivots", "info"})
      .rule(lu_factor_rule)
      .kernel(lu_factor_kernel)
      .bad_data(
          Runtime,
          "torch.linalg.lu_factor_ex: U[{value},{value}] is zero and using it on lu_solve would result in a division by zero. If you still "
          "want to perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)",
          "torch.linalg.lu_factor_ex: (Batch element {place}): U[{value},{value}] is zero and using it on lu_solve would result in a "
          "division "
          "by zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, "
          "pivot)")
      .gradient([](GradCall& c) { c.set(0, packed_lu_gradient(c.grad(), c.plain_result(0), c.plain_result(1))); })
      .onnx(none(kOnnx))
      .doc("The factors of matrices, L below the diagonal and U on and above it, with the exchanges of rows, counted from 1.")
      .special(Special::Factorization, kBound)
      .samples(
          "[[regular(d, *s)] for d in (f32, f64, c64, c128) for s in ((3, 3), (2, 4, 4), (2, 4), (4, 2))] + [[t(f32, 0, 0)], [t(f32, 2, "
          "0, 3)], [t(f32, 3, 3), False], [torch.zeros(2, 2), True, True], [torch.zeros(2, 2)], [t(f32, 2)], [t(i64, 2, 2)]]");
  auto factors = [](const IValue* a) -> IValue {
    const auto f = "linalg_lu_factor_ex"_op(a[0], a[1], true);
    return results_of({f[0], f[1]});
  };
  r.op("linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)")
      .namespaced("_linalg")
      .out_named("out", {"LU", "pivots"})
      .decompose(factors, Reads::Nothing)
      .onnx(none(kComposite))
      .doc("linalg.lu_factor_ex, with an error for a matrix that has a pivot of 0.")
      .special(Special::Factorization, kBound)
      .samples("[[regular(d, *s)] for d in (f32, f64) for s in ((3, 3), (2, 4), (4, 2))] + [[torch.zeros(2, 2)]]");
  r.op("_lu_with_info(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor pivots, Tensor info)")
      .function_only()
      .decompose([](const IValue* a) -> IValue { return "linalg_lu_factor_ex"_op(a[0], a[1], a[2]); }, Reads::Nothing)
      .onnx(none(kComposite))
      .autocast(Autocast::Float32)
      .doc("linalg.lu_factor_ex, in its old spelling.")
      .special(Special::Factorization, kBound)
      .samples("[[regular(f64, 3, 3)]]");
  r.op("lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor P, Tensor L, Tensor U)")
      .out_named("out", {"P", "L", "U"})
      .rule(lu_unpack_rule)
      .kernel(lu_unpack_kernel)
      .bad_data(
          Runtime,
          "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive, {limit}, but one is {value}. Did you properly pass "
          "the result of lu_factor?")
      .gradient(lu_unpack_gradient)
      .onnx(none(kOnnx))
      .doc(R"(The matrices P, L and U of what linalg.lu_factor gives.

>>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[2.0, 0.0], [1.0, 4.0]]))
>>> torch.lu_unpack(LU, pivots).L)")
      .samples(
          "[[t(d, *s), at(p, dtype=torch.int32)] for d in (f32, f64, c64) for s, p in (((3, 3), [2, 3, 3]), ((2, 4), [2, 2]), ((4, 2), "
          "[4, 3]))] + [[t(f32, 3, 3), at([1, 2, 3], dtype=torch.int32), a, b] for a, b in ((False, True), (True, False), (False, "
          "False))] + [[t(f32, 3, 3), at([1, 2, 3])], [t(f32, 2, 2, 2), at([[1, 2], [2, 2]], dtype=torch.int32)]]");
  r.op("linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)")
      .namespaced("_linalg")
      .out_named("out", {"P", "L", "U"})
      .decompose(
          [](const IValue* a) -> IValue {
            const auto f = "linalg_lu_factor_ex"_op(a[0], a[1], false);
            return "lu_unpack"_op(f[0], f[1], true, true);
          },
          Reads::Nothing)
      .onnx(none(kComposite))
      .doc("The permutations, lower and upper triangles whose product is `A`.")
      .special(Special::Factorization, kBound)
      .samples("[[regular(d, *s)] for d in (f32, f64, c64) for s in ((3, 3), (2, 4, 4), (2, 4), (4, 2))] + [[t(f32, 3, 3), False]]");
  r.op("linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor")
      .namespaced("_linalg")
      .out()
      .rule(lu_solve_rule)
      .kernel(lu_solve_kernel)
      .bad_data(
          Runtime,
          "Pivots given to lu_solve must all be greater or equal to 1, but one is {value}. Did you properly pass the result of lu_factor?",
          "Pivots given to lu_solve must all be smaller or equal to LU.size(-2), {limit}, but one is {value}. Did you properly pass the "
          "result of lu_factor?")
      .gradient(lu_solve_gradient)
      .onnx(none(kOnnx))
      .doc(R"(The solution of systems of equations whose matrix has the factors `LU`.

>>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[2.0, 0.0], [1.0, 4.0]]))
>>> torch.linalg.lu_solve(LU, pivots, torch.tensor([[2.0], [9.0]])))")
      .special(Special::Factorization, kBound)
      .samples(
          "[[regular(d, 3, 3), at([2, 3, 3], dtype=torch.int32), t(d, 3, 3), l, a] for d in (f32, f64, c64) for l in (True, False) for a "
          "in (False, True)] + [[regular(f64, 3, 3), at([2, 3, 3], dtype=torch.int32), t(f64, 2, 3, 4)], [regular(f64, 3, 3), at([2, 3, "
          "3]), t(f64, 3, 1)], [regular(f64, 3, 3), at([2, 3, 3], dtype=torch.int32), t(f64, 2, 1)]]");
  r.op("lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor")
      .out()
      .decompose([](const IValue* a) -> IValue { return "linalg_lu_solve"_op(a[1], a[2], a[0], true, false); }, Reads::Nothing)
      .onnx(none(kComposite))
      .autocast(Autocast::Float32)
      .doc(R"(linalg.lu_solve, in its old spelling.

self: The right side: a matrix, or a batch of matrices.

>>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[2.0, 0.0], [1.0, 4.0]]))
>>> x = torch.tensor([[2.0], [9.0]])
>>> torch.lu_solve(x, LU, pivots))")
      .special(Special::Factorization, kBound)
      .samples("[[t(d, 3, 2), regular(d, 3, 3), at([2, 3, 3], dtype=torch.int32)] for d in (f32, f64)]");
}

void determinants(Registry& r) {
  const char* samples =
      "[[regular(d, *s)] for d in (f32, f64, c64) for s in ((3, 3), (2, 4, 4), (1, 1))] + [[t(f64, 0, 0)], [t(f64, 2, 0, 0)], [t(f32, 2, "
      "3)], [t(f32, 2)], [t(i64, 2, 2)]]";
  r.op("_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)")
      .namespaced("_linalg")
      .rule(determinant_rule<false>)
      .decompose(
          [](const IValue* a) -> IValue {
            const auto f = "linalg_lu_factor_ex"_op(a[0], true, false);
            return results_of({determinant(f[0], f[1]), f[0], f[1]});
          },
          Reads::Symbols)
      .gradient(det_gradient)
      .onnx(none("Det gives no factors"))
      .doc("The determinants of matrices, and the factors that gave them.")
      .samples(none("PyTorch factors the transpose of some matrices; those of det run it"));
  auto det = [&](const char* schema, bool out) {
    auto b = r.op(schema);
    if (out) b.namespaced("_linalg").out().onnx(none("a form cannot name the argument `A`, which reads as an operator; det has one"));
    else b.onnx("out: Det(self)");
    b.one_step()
        .decompose([](const IValue* a) -> IValue { return "_linalg_det"_op(a[0])[0]; }, Reads::Nothing)
        .doc("The determinants of matrices.")
        .special(Special::Factorization, kBound)
        .samples(samples);
  };
  det("linalg_det(Tensor A) -> Tensor", true);
  det("det(Tensor self) -> Tensor", false);
  r.op("_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)")
      .namespaced("_linalg")
      .rule(determinant_rule<true>)
      .decompose(
          [](const IValue* a) -> IValue {
            const auto f = "linalg_lu_factor_ex"_op(a[0], true, false);
            const Tensor lu = f[0], pivots = f[1], diagonal = diagonal_of(lu);
            return results_of({"mul"_op(product_of_row("sgn"_op(diagonal)), sign_of_exchanges(pivots, lu)),
                               "sum"_op("log"_op("abs"_op(diagonal)), Dims{-1}), lu, pivots});
          },
          Reads::Symbols)
      .gradient(slogdet_gradient)
      .onnx(none(kOnnx))
      .doc("The signs of determinants and the logarithms of their absolute values, and the factors that gave them.")
      .samples(none("PyTorch factors the transpose of some matrices; those of slogdet run it"));
  auto slogdet = [&](const char* schema, bool namespaced) {
    auto b = r.op(schema);
    if (namespaced) b.namespaced("_linalg");
    b.one_step()
        .out_named("out", {"sign", "logabsdet"})
        .decompose(
            [](const IValue* a) -> IValue {
              const auto f = "_linalg_slogdet"_op(a[0]);
              return results_of({f[0], f[1]});
            },
            Reads::Nothing)
        .onnx(none(kComposite))
        .doc("The signs of determinants and the logarithms of their absolute values.")
        .special(Special::Factorization, kBound)
        .samples(samples);
  };
  slogdet("linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)", true);
  slogdet("slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)", false);
  r.op("logdet(Tensor self) -> Tensor")
      .decompose(
          [](const IValue* a) -> IValue {
            const auto f = "_linalg_slogdet"_op(a[0]);
            const Tensor sign = f[0], size = f[1];
            if (is_complex(sign.dtype())) return "add"_op("log"_op(sign), size);
            return "where"_op("eq"_op(sign, -1), std::numeric_limits<double>::quiet_NaN(), size);
          },
          Reads::Nothing)
      .onnx(none(kComposite))
      .doc("The logarithms of determinants: NaN of a negative one.")
      .special(Special::Factorization, kBound)
      .samples(samples);
}

// --- Systems of equations.

void solve_rule(RuleCall& c) {
  const char* name = "linalg.solve";
  check_square(c, 0, name);
  check_lapack_dtype(c, 0, name);
  check_pair(c, 0, 1, name);
  SizesRef a = c.sizes(0), b = c.sizes(1);
  if (!a.ranked() || !b.ranked()) {
    c.unranked(1), c.like(0, a), c.result(Sizes::unranked(), DType::i32);
    return c.result(Sizes::unranked(), DType::i32);
  }
  c.check(!b.empty(), Runtime, name, ": The input tensor B must have at least 1 dimension.");
  if (may_be_vectors(a, b)) {  // symbolic sizes do not decide whether B holds vectors or matrices
    c.unranked(1);
    columns_result(c, a, c.dtype(0));
    c.result(batch_and(a, {columns_of(a)}), DType::i32);
    return c.result(a.first(a.size() - 2), DType::i32);
  }
  const bool vector = beside_vectors(a, b), left = c.truth(2).value_or(true);
  c.check(!vector || left, Runtime, name,
          ": Vector broadcasting of the left hand side is not supported for left=False. In this case "
          "linalg.solve is equivalent to B / A.squeeze(-1)");
  const Size n = columns_of(a), rows = vector ? b.back() : rows_of(b), columns = vector ? Size(1) : columns_of(b);
  c.check((left ? rows : columns) == n, Runtime, name, ": Incompatible shapes of A and B for the equation ", left ? "AX = B" : "XA = B",
          " (", n, "x", n, " and ", rows, "x", columns, ")");
  const SizesRef batch_a = a.first(a.size() - 2), batch_b = b.first(b.size() - (vector ? 1 : 2));
  const Sizes batch = broadcast(batch_a, batch_b, c.op.name());
  c.result(vector ? appended(batch, {rows}) : appended(batch, {rows, columns}), c.dtype(1));
  if (left) by_columns(c);
  columns_result(c, a, c.dtype(0));
  c.result(batch_and(a, {n}), DType::i32);
  info_result(c);
  if (known(c, 0) && known(c, 1)) c.scratch(solve_scratch(*c.dtype(0), n.as_int(), (left ? columns : rows).as_int()));
}

void solve_gradient(GradCall& c) {
  MONOGRAPH_CHECK(!c.grad(1).defined(), NotImplemented, "[", c.op.name(), "] its factors have no gradient; use linalg.lu_factor");
  const Tensor a = c.plain(0).to_tensor();
  const bool left = c.plain(2).to_bool(), vector = beside_vectors(c.sizes(0), c.sizes(1));
  Tensor g = c.grad(), x = c.plain_result();
  if (vector) g = "unsqueeze"_op(g, -1), x = "unsqueeze"_op(x, -1);
  const Tensor gb = "linalg_solve_ex"_op(adjoint_of(a), g, left, false)[0];
  if (c.needs(0)) {
    const Tensor ga = left ? matrix_product(gb, adjoint_of(x)) : matrix_product(adjoint_of(x), gb);
    c.set(0, reduced_to("neg"_op(ga), c.sizes(0)));
  }
  if (c.needs(1)) c.set(1, reduced_to(vector ? Tensor("squeeze"_op(gb, -1)) : gb, c.sizes(1)));
}

void inverse_rule(RuleCall& c) {
  check_square(c, 0, "linalg.inv");
  check_lapack_dtype(c, 0, "linalg.inv");
  columns_result(c, c.sizes(0), c.dtype(0));
  info_result(c);
  if (known(c, 0)) c.scratch(solve_scratch(*c.dtype(0), columns_of(c.sizes(0)).as_int(), columns_of(c.sizes(0)).as_int()));
}

void triangular_rule(RuleCall& c) {
  const char* name = "linalg.solve_triangular";
  check_square(c, 0, name);
  check_matrices(c, 1, name, "B");
  check_lapack_dtype(c, 0, name);
  check_pair(c, 0, 1, name);
  SizesRef a = c.sizes(0), b = c.sizes(1);
  if (!a.ranked() || !b.ranked()) return c.unranked(1);
  const bool left = c.truth(3).value_or(true);
  c.check((left ? rows_of(b) : columns_of(b)) == columns_of(a), Runtime, name, ": Incompatible shapes of A and B for the equation ",
          left ? "AX = B" : "XA = B", " (", rows_of(a), "x", columns_of(a), " and ", rows_of(b), "x", columns_of(b), ")");
  const Sizes batch = broadcast(a.first(a.size() - 2), b.first(b.size() - 2), c.op.name());
  columns_result(c, appended(batch, {rows_of(b), columns_of(b)}), c.dtype(1));
  if (known(c, 0) && known(c, 1))
    c.scratch(solve_scratch(*c.dtype(0), columns_of(a).as_int(), (left ? columns_of(b) : rows_of(b)).as_int()));
}
void triangular_gradient(GradCall& c) {
  const Tensor a = c.plain(0).to_tensor(), x = c.plain_result();
  const bool is_upper = c.plain(2).to_bool(), left = c.plain(3).to_bool(), unit = c.plain(4).to_bool();
  const Tensor gb = triangular_solution(adjoint_of(a), c.grad(), !is_upper, left, unit);
  if (c.needs(0)) {
    const Tensor ga = "neg"_op(left ? matrix_product(gb, adjoint_of(x)) : matrix_product(adjoint_of(x), gb));
    c.set(0, reduced_to(is_upper ? upper(ga, unit ? 1 : 0) : lower(ga, unit ? -1 : 0), c.sizes(0)));
  }
  if (c.needs(1)) c.set(1, reduced_to(gb, c.sizes(1)));
}

constexpr const char* kSolveSamples =
    "[[regular(d, 3, 3), t(d, 3, 2)] for d in (f32, f64, c64, c128)] + [[regular(f64, 2, 3, 3), t(f64, 2, 3, 2)], [regular(f64, 3, 3), "
    "t(f64, "
    "3)], [regular(f64, 2, 3, 3), t(f64, 3)], [regular(f64, 2, 3, 3), t(f64, 2, 3)], [regular(f64, 3, 3), t(f64, 2, 3, 2)], [regular(f64, "
    "2, 1, "
    "3, 3), t(f64, 4, 3, 2)], [torch.zeros(2, 2), t(f32, 2), True, True], [t(f32, 2, 3), t(f32, 2, 2)], [t(f32, 3, 3), t(f32, 2, 2)], "
    "[t(f32, "
    "3, 3), t(f64, 3)], [t(i64, 2, 2), t(i64, 2)], [t(f32, 0, 0), t(f32, 0, 2)], [regular(f64, 3, 3).t(), t(f64, 2, 3).t()]]";

void solvers(Registry& r) {
  static const std::string with_right_sides =
      std::string(kSolveSamples) + " + [[regular(f64, 2, 3, 3), t(f64, 2, 2, 3), False], [regular(f64, 3, 3), t(f64, 3), False]]";
  r.op("_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor LU, Tensor pivots, "
       "Tensor "
       "info)")
      .namespaced("_linalg")
      .rule(solve_rule)
      .kernel(solve_kernel)
      .bad_data(LinearAlgebra, "torch.linalg.solve: The solver failed because the input matrix is singular.",
                "torch.linalg.solve: (Batch element {place}): The solver failed because the input matrix is singular.")
      .gradient(solve_gradient)
      .onnx(none(kOnnx))
      .doc("The solution of systems of equations, and the factors that gave it.")
      .special(Special::Factorization, kBound)
      .special(Special::FirstResultAlone, "its factors")
      .samples(with_right_sides.c_str());
  r.op("linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info)")
      .namespaced("_linalg")
      .out_named("out", {"result", "info"})
      .decompose(
          [](const IValue* a) -> IValue {
            const auto s = "_linalg_solve_ex"_op(a[0], a[1], a[2], a[3]);
            return results_of({s[0], s[3]});
          },
          Reads::Nothing)
      .onnx(none(kComposite))
      .doc("The solution of systems of equations, and for each matrix 0, or the number of a pivot that is 0.")
      .special(Special::Factorization, kBound)
      .samples(kSolveSamples);
  r.op("linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor")
      .namespaced("_linalg")
      .out()
      .decompose([](const IValue* a) -> IValue { return "linalg_solve_ex"_op(a[0], a[1], a[2], true)[0]; }, Reads::Nothing)
      .onnx(none(kComposite))
      .autocast(Autocast::Float32)
      .doc("The solution X of A X = B, or of X A = B with left=False.")
      .special(Special::Factorization, kBound)
      .samples(
          "[[regular(d, 3, 3), t(d, 3, 3), l] for d in (f32, f64) for l in (True, False)] + [[regular(f64, 2, 3, 3), t(f64, 3)], "
          "[torch.zeros(2, 2), t(f32, 2)]]");
  r.op("linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)")
      .namespaced("_linalg")
      .out_named("inverse", {"inverse", "info"})
      .rule(inverse_rule)
      .kernel(inverse_kernel)
      .bad_data(
          LinearAlgebra,
          "linalg.inv: The diagonal element {value} is zero, the inversion could not be completed because the input matrix is singular.",
          "linalg.inv: (Batch element {place}): The diagonal element {value} is zero, the inversion could not be completed because the "
          "input matrix is singular.")
      .gradient([](GradCall& c) {
        const Tensor y = adjoint_of(c.plain_result());
        c.set(0, "neg"_op(matrix_product(matrix_product(y, c.grad()), y)));
      })
      .onnx(none(kOnnx))
      .autocast(Autocast::Float32)
      .doc("The inverses of matrices, and for each 0, or the number of a pivot that is 0.")
      .special(Special::Factorization, kBound)
      .samples(
          "[[regular(d, *s)] for d in (f32, f64, c64, c128) for s in ((3, 3), (2, 4, 4))] + [[t(f32, 0, 0)], [t(f32, 2, 3)], [t(f32, 2)], "
          "[t(i64, 2, 2)], [torch.zeros(2, 2), True], [torch.zeros(2, 2, 2), True], [regular(f64, 3, 3).t()]]");
  auto inverse = [&](const char* schema, bool namespaced) {
    auto b = r.op(schema);
    if (namespaced) b.namespaced("_linalg");
    b.one_step()
        .out()
        .decompose([](const IValue* a) -> IValue { return "linalg_inv_ex"_op(a[0], true)[0]; }, Reads::Nothing)
        .onnx(none(kComposite))
        .autocast(Autocast::Float32)
        .doc("The inverses of matrices.")
        .special(Special::Factorization, kBound)
        .samples("[[regular(d, *s)] for d in (f32, f64) for s in ((3, 3), (2, 4, 4))] + [[torch.zeros(2, 2)]]");
  };
  inverse("linalg_inv(Tensor A) -> Tensor", true);
  inverse("inverse(Tensor self) -> Tensor", false);
  r.op("linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor")
      .namespaced("_linalg")
      .out()
      .rule(triangular_rule)
      .kernel(triangular_kernel)
      .gradient(triangular_gradient)
      .onnx(none(kOnnx))
      .doc("The solution of systems of equations whose matrix is triangular; the other triangle is not read.")
      .special(Special::Factorization, kBound)
      .samples(
          "[[regular(d, 3, 3), t(d, 3, 3), u, l, n] for d in (f32, f64, c64) for u in (True, False) for l in (True, False) for n in "
          "(False, "
          "True)] + [[regular(f64, 2, 3, 3), t(f64, 3, 2), True], [regular(f64, 3, 3), t(f64, 2, 3, 2), True], [t(f32, 3, 3), t(f32, 2, "
          "2), True], [t(f32, 2, 3), t(f32, 2, 2), True], [t(f32, 3, 3), t(f32, 3), True], [regular(f64, 3, 3).t(), t(f64, 2, 3).t(), "
          "False]]");
  r.op("triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, "
       "Tensor "
       "cloned_coefficient)")
      .out_named("X", {"X", "M"})
      .decompose(
          [](const IValue* a) -> IValue {
            const Tensor matrix = a[1].to_tensor();
            const bool is_upper = a[2].to_bool(), turned = a[3].to_bool();
            const Tensor x =
                triangular_solution(turned ? transposed(matrix) : matrix, a[0].to_tensor(), is_upper != turned, true, a[4].to_bool());
            Sizes sizes = sizes_of(x);
            sizes.set(sizes.size() - 2, size_of(matrix, -2)), sizes.set(sizes.size() - 1, size_of(matrix, -1));
            return results_of({x, transposed("clone"_op(transposed("expand"_op(matrix, sizes)), MemoryFormat::Contiguous))});
          },
          Reads::Symbols)
      .onnx(none(kComposite))
      .autocast(Autocast::Float32)
      .doc("linalg.solve_triangular, in its old spelling, and a copy of the matrix.")
      .special(Special::Factorization, kBound)
      .samples(
          "[[t(d, 3, 2), regular(d, 3, 3), u, n] for d in (f32, f64) for u in (True, False) for n in (False, True)] + [[t(f64, 2, 3, 2), "
          "regular(f64, 3, 3)]]");
}

// --- Symmetric matrices that are not definite.

void ldl_factor_rule(RuleCall& c) {
  const char* name = "torch.linalg.ldl_factor_ex";
  check_square(c, 0, name, "self");
  check_lapack_dtype(c, 0, name);
  SizesRef s = c.sizes(0);
  columns_result(c, s, c.dtype(0));
  c.result(batch_and(s, {columns_of(s)}), DType::i32);
  info_result(c);
  if (known(c, 0)) c.scratch(ldl_scratch(*c.dtype(0), columns_of(s).as_int()));
}
void ldl_solve_rule(RuleCall& c) {
  const char* name = "torch.linalg.ldl_solve";
  check_square(c, 0, name, "LD");
  check_lapack_dtype(c, 0, name);
  check_matrices(c, 2, name, "B");
  check_pair(c, 0, 2, name);
  SizesRef ld = c.sizes(0), pivots = c.sizes(1), b = c.sizes(2);
  if (!ld.ranked() || !b.ranked()) return c.unranked(2);
  c.check(rows_of(b) == columns_of(ld), Runtime, name, ": Incompatible shapes of LD and B (", rows_of(ld), "x", columns_of(ld), " and ",
          rows_of(b), "x", columns_of(b), ")");
  Truth fits = !pivots.ranked() || pivots.size() == ld.size() - 1;
  for (size_t d = 0; pivots.ranked() && certainly(fits) && d < pivots.size(); ++d) fits = fits && pivots[d] == ld[d];
  c.check(fits, Runtime, name, ": Expected LD.shape[:-1] and pivots.shape to be the same");
  c.check(!c.dtype(1) || is_integral(*c.dtype(1), false), Runtime, name, ": Expected pivots to be integers. Got ", scalar_type(c.dtype(1)));
  c.convert(1, DType::i32);
  const Sizes batch = broadcast(ld.first(ld.size() - 2), b.first(b.size() - 2), c.op.name());
  columns_result(c, appended(batch, {rows_of(b), columns_of(b)}), c.dtype(2));
  if (known(c, 0) && known(c, 2)) c.scratch(solve_scratch(*c.dtype(0), columns_of(ld).as_int(), columns_of(b).as_int()));
}

void ldl_family(Registry& r) {
  auto no_gradient = none("PyTorch has none; use linalg.solve");
  r.op("linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)")
      .namespaced("_linalg")
      .out_named("out", {"LD", "pivots", "info"})
      .rule(ldl_factor_rule)
      .kernel(ldl_factor_kernel)
      .bad_data(Runtime, "torch.linalg.ldl_factor: the block {value} of D is singular",
                "torch.linalg.ldl_factor: (Batch element {place}): the block {value} of D is singular")
      .gradient(no_gradient)
      .onnx(none(kOnnx))
      .doc("The factors of symmetric or Hermitian matrices: L, and D with blocks of one or two rows.")
      .special(Special::Factorization, kBound)
      .samples("[[definite(d, 3, 3), h] for d in (f32, f64, c64) for h in (False, True)] + [[definite(f64, 2, 3, 3)], [t(f32, 2, 3)]]");
  r.op("linalg_ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)")
      .namespaced("_linalg")
      .out_named("out", {"LD", "pivots"})
      .decompose(
          [](const IValue* a) -> IValue {
            const auto f = "linalg_ldl_factor_ex"_op(a[0], a[1], true);
            return results_of({f[0], f[1]});
          },
          Reads::Nothing)
      .gradient(no_gradient)
      .onnx(none(kComposite))
      .doc("linalg.ldl_factor_ex, with an error for a singular matrix.")
      .special(Special::Factorization, kBound)
      .samples("[[definite(d, 3, 3), h] for d in (f32, f64) for h in (False, True)]");
  r.op("linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor")
      .namespaced("_linalg")
      .out()
      .rule(ldl_solve_rule)
      .kernel(ldl_solve_kernel)
      .gradient(no_gradient)
      .onnx(none(kOnnx))
      .doc("The solution of systems of equations whose matrix has the factors `LD`.")
      .special(Special::Factorization, kBound)
      .samples(
          "[[regular(d, 3, 3), at(p, dtype=torch.int32), t(d, 3, 2), h] for d in (f32, f64, c64) for p in ([1, 2, 3], [2, 2, 3], [1, -3, "
          "-3]) for h in (False, True)] + [[regular(f64, 3, 3), at([1, 2, 3], dtype=torch.int32), t(f64, 2, 2)]]");
}

// --- QR.

enum class QrMode : uint8_t { Reduced, Complete, R };
QrMode qr_mode(std::string_view text) {
  if (text == "reduced") return QrMode::Reduced;
  if (text == "complete") return QrMode::Complete;
  MONOGRAPH_CHECK(text == "r", Runtime, "qr received unrecognized mode '", text,
                  "' but expected one of 'reduced' (default), 'r', or 'complete'");
  return QrMode::R;
}

void qr_rule(RuleCall& c) {
  check_matrices(c, 0, "linalg.qr");
  check_lapack_dtype(c, 0, "linalg.qr");
  const auto text = c.text(1);
  const QrMode mode = qr_mode(text.value_or("reduced"));
  SizesRef s = c.sizes(0);
  const Size m = rows_of(s), n = columns_of(s), k = !text ? Size() : min(m, n), columns = mode == QrMode::Complete ? m : k;
  columns_result(c, mode == QrMode::R ? Sizes{0} : batch_and(s, {m, columns}), c.dtype(0));
  columns_result(c, batch_and(s, {columns, n}), c.dtype(0));
  if (known(c, 0)) c.scratch(qr_scratch(*c.dtype(0), m.as_int(), n.as_int(), mode == QrMode::R ? 0 : columns.as_int()));
}

// The gradient by A of A = Q R with a square R: gA = (gQ + Q M) R.H^-1, where M is the Hermitian matrix with the upper triangle of gR R.H - Q.H gQ. Its
// diagonal is real, as that of R is.
Tensor square_qr_gradient(const Tensor& gq, const Tensor& gr, const Tensor& q, const Tensor& r) {
  Tensor inner;
  if (gr.defined()) inner = matrix_product(gr, adjoint_of(r));
  if (gq.defined()) inner = sum_of(inner, "neg"_op(matrix_product(adjoint_of(q), gq)));
  Tensor triangle = upper(inner);
  if (is_complex(inner.dtype()))
    triangle = "add"_op(upper(inner, 1), diagonal_matrix("to"_op("real"_op(diagonal_of(inner)), inner.dtype())));
  const Tensor mirrored = "add"_op(triangle, adjoint_of(upper(inner, 1)));
  return triangular_solution(adjoint_of(r), sum_of(matrix_product(q, mirrored), gq), false, false);
}
void qr_gradient(GradCall& c) {
  const QrMode mode = qr_mode(c.plain(1).to_string());
  MONOGRAPH_CHECK(
      mode != QrMode::R, Runtime,
      "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, mode='reduced') if you "
      "are going to require gradients with linalg.qr.");
  const Tensor gq = c.grad(0), gr = c.grad(1), q = c.plain_result(0), r = c.plain_result(1);
  if (!gq.defined() && !gr.defined()) return;
  const int shape = shape_of(c.plain(0).to_tensor());
  MONOGRAPH_CHECK(mode != QrMode::Complete || shape >= 0, Runtime,
                  "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.");
  if (shape <= 0) return c.set(0, square_qr_gradient(gq, gr, q, r));
  // A wide A = [A1 A2] has R = [R1 R2] with A1 = Q R1 and R2 = Q.H A2.
  const Size k = size_of(r, -2);
  const Tensor r1 = first_columns(r, k), r2 = last_columns(r, k);
  if (!gr.defined()) {
    const Tensor g = square_qr_gradient(gq, gr, q, r1);
    return c.set(0, "constant_pad_nd"_op(g, Sizes{0, size_of(r, -1) - k}));
  }
  const Tensor gr2 = last_columns(gr, k), through = matrix_product(q, matrix_product(r2, adjoint_of(gr2)));
  c.set(0, beside(square_qr_gradient(sum_of(gq, through), first_columns(gr, k), q, r1), matrix_product(q, gr2), -1));
}

void geqrf_rule(RuleCall& c) {
  check_matrices(c, 0, "torch.geqrf", "input");
  check_lapack_dtype(c, 0, "torch.geqrf");
  SizesRef s = c.sizes(0);
  columns_result(c, s, c.dtype(0));
  c.result(batch_and(s, {min(rows_of(s), columns_of(s))}), c.dtype(0));
  if (known(c, 0)) {
    const int64_t m = rows_of(s).as_int(), n = columns_of(s).as_int();
    c.scratch(qr_scratch(*c.dtype(0), m, n, std::min(m, n)));
  }
}

// tau has the batch dims and a last dim with one number for each reflection.
void check_tau(const RuleCall& c, const char* name) {
  SizesRef s = c.sizes(0), tau = c.sizes(1);
  check_pair(c, 0, 1, name);
  if (!s.ranked() || !tau.ranked()) return;
  c.check(tau.size() == s.size() - 1, Runtime, name, ": Expected tau to have one dimension less than input, but got tau.ndim equal to ",
          tau.size(), " and input.ndim is equal to ", s.size());
  for (size_t d = 0; d + 1 < tau.size(); ++d)
    c.check(tau[d] == s[d], Runtime, name, ": Expected batch dimensions of tau to be equal to input.shape[:-2], but got ", tau);
  c.check(tau.back() <= columns_of(s), Runtime, name, ": input.shape[-1] must be greater than or equal to tau.shape[-1]");
}
void householder_rule(RuleCall& c) {
  const char* name = "torch.linalg.householder_product";
  check_matrices(c, 0, name, "input");
  check_lapack_dtype(c, 0, name);
  SizesRef s = c.sizes(0);
  c.check(rows_of(s) >= columns_of(s), Runtime, name, ": input.shape[-2] must be greater than or equal to input.shape[-1]");
  check_tau(c, name);
  columns_result(c, s, c.dtype(0));
  if (known(c, 0)) c.scratch(qr_scratch(*c.dtype(0), rows_of(s).as_int(), columns_of(s).as_int(), columns_of(s).as_int()));
}

// The gradients of a product of reflections H1 H2 .. Hk, where Hi P = P - tau v (v.H P). `g` is the gradient of the first columns of the product. The loop goes
// from H1 to Hk: each step takes the gradients of v and tau, then multiplies g by the adjoint of the reflection. Returns the gradients of the vectors, as a
// matrix with the sizes of `self`, and of tau.
std::pair<Tensor, Tensor> reflections_gradient(const Tensor& self, const Tensor& tau, Tensor g) {
  const int64_t count = fixed_size(tau, -1);
  const Sizes sizes = sizes_of(self);
  if (count == 0) return {"zeros_like"_op(self), "zeros_like"_op(tau)};
  auto unit = [&](const Sizes& of) -> Tensor {
    return "expand"_op("eye"_op(of[of.size() - 2], of.back(), self.dtype(), IValue(), self.device()), of);
  };
  const Tensor vectors = "add"_op(lower(self, -1), unit(sizes));
  auto vector = [&](int64_t k) { return Tensor("narrow"_op(vectors, -1, k, 1)); };
  auto factor = [&](int64_t k) { return Tensor("unsqueeze"_op("narrow"_op(tau, -1, k, 1), -1)); };
  auto reflected = [&](const Tensor& by, int64_t k, const Tensor& p) -> Tensor {
    return "sub"_op(p, "mul"_op(by, matrix_product(vector(k), matrix_product(adjoint_of(vector(k)), p))));
  };
  std::vector<Tensor> partial(static_cast<size_t>(count) + 1);  // partial[k]: the product of the reflections from k on
  partial.back() = unit(sizes_of(g));
  for (int64_t k = count; k-- > 0;) partial[static_cast<size_t>(k)] = reflected(factor(k), k, partial[static_cast<size_t>(k) + 1]);
  std::vector<Tensor> by_vector, by_tau;
  for (int64_t k = 0; k < count; ++k) {
    const Tensor v = vector(k), &rest = partial[static_cast<size_t>(k) + 1];
    const Tensor row = matrix_product(adjoint_of(v), rest), flow = matrix_product(adjoint_of(v), g), back = conjugate_of(factor(k));
    by_tau.push_back("squeeze"_op("neg"_op(matrix_product(flow, adjoint_of(row))), -1));
    const Tensor left = "mul"_op(back, matrix_product(g, adjoint_of(row))),
                 right = "mul"_op(factor(k), matrix_product(rest, adjoint_of(flow)));
    by_vector.push_back("neg"_op("add"_op(left, right)));
    g = reflected(back, k, g);
  }
  Tensor all = "cat"_op(tensors_of(by_vector), -1);
  if (const Size more = sizes.back() - count; !more.is(0)) all = "constant_pad_nd"_op(all, Sizes{0, more});
  return {lower(all, -1), "cat"_op(tensors_of(by_tau), -1)};
}
void householder_gradient(GradCall& c) {
  const auto [by_vectors, by_tau] = reflections_gradient(c.plain(0).to_tensor(), c.plain(1).to_tensor(), c.grad());
  if (c.needs(0)) c.set(0, by_vectors);
  if (c.needs(1)) c.set(1, by_tau);
}
// ormqr gives Q C, C Q, Q.H C or C Q.H.
void ormqr_gradient(GradCall& c) {
  const bool left = c.plain(3).to_bool(), adjoint = c.plain(4).to_bool();
  const Tensor g = c.grad();
  if (c.needs(2)) c.set(2, "ormqr"_op(c.plain(0), c.plain(1), g, left, !adjoint));
  if (!c.needs(0) && !c.needs(1)) return;
  const Tensor other = c.plain(2).to_tensor();
  Tensor by_q;
  if (left) by_q = adjoint ? matrix_product(other, adjoint_of(g)) : matrix_product(g, adjoint_of(other));
  else by_q = adjoint ? matrix_product(adjoint_of(g), other) : matrix_product(adjoint_of(other), g);
  const auto [by_vectors, by_tau] = reflections_gradient(c.plain(0).to_tensor(), c.plain(1).to_tensor(), by_q);
  if (c.needs(0)) c.set(0, by_vectors);
  if (c.needs(1)) c.set(1, by_tau);
}

void ormqr_rule(RuleCall& c) {
  const char* name = "torch.ormqr";
  check_matrices(c, 0, name, "input");
  check_matrices(c, 2, name, "other");
  check_lapack_dtype(c, 0, name);
  check_tau(c, name);
  check_pair(c, 0, 2, name);
  SizesRef s = c.sizes(0), tau = c.sizes(1), other = c.sizes(2);
  if (!s.ranked() || !other.ranked() || !tau.ranked()) return c.unranked(2);
  const bool left = c.truth(3).value_or(true);
  c.check(tau.back() <= rows_of(s), Runtime, name, ": input.shape[-2] must be greater than or equal to tau.shape[-1]");
  c.check((left ? rows_of(other) : columns_of(other)) == rows_of(s), Runtime, name, ": other.shape[", left ? -2 : -1,
          "] must be equal to input.shape[-2]");
  c.check(s.size() == other.size(), Runtime, name, ": Expected other to have the same number of dims as input");
  for (size_t d = 0; d + 2 < s.size(); ++d)
    c.check(other[d] == s[d], Runtime, name, ": Expected batch dimensions of other to be equal to input.shape[:-2], but got ", other);
  columns_result(c, other, c.dtype(2));
  if (known(c, 0) && known(c, 1) && known(c, 2))
    c.scratch(ormqr_scratch(*c.dtype(0), rows_of(s).as_int(), tau.back().as_int(), rows_of(other).as_int(), columns_of(other).as_int()));
}

void qr_family(Registry& r) {
  r.op("linalg_qr(Tensor A, str mode=\"reduced\") -> (Tensor Q, Tensor R)")
      .namespaced("_linalg")
      .out_named("out", {"Q", "R"})
      .rule(qr_rule)
      .kernel(qr_kernel)
      .gradient(qr_gradient)
      .onnx(none(kOnnx))
      .autocast(Autocast::Float32)
      .doc("Q with orthogonal columns and R upper triangular whose product is `A`. `mode` is reduced, complete or r (R alone).")
      .special(Special::Factorization, kBound)
      .samples(
          "[[regular(d, *s), m] for d in (f32, f64, c64, c128) for s in ((3, 3), (2, 4, 3), (3, 4)) for m in (\"reduced\", \"complete\", "
          "\"r\")] + [[t(f32, 0, 0)], [t(f32, 3, 0), \"complete\"], [t(f32, 3, 0)], [t(f32, 0, 3)], [t(f32, 2)], [t(i64, 2, 2)], [t(f16, "
          "2, "
          "2)], [t(f32, 2, 2), \"x\"], [regular(f64, 3, 4).t()]]");
  r.op("qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R)")
      .out_named("Q", {"Q", "R"})
      .decompose([](const IValue* a) -> IValue { return "linalg_qr"_op(a[0], a[1].to_bool() ? "reduced" : "complete"); }, Reads::Nothing)
      .onnx(none(kComposite))
      .autocast(Autocast::Float32)
      .doc("linalg.qr, in its old spelling.")
      .special(Special::Factorization, kBound)
      .samples("[[regular(d, 4, 3), s] for d in (f32, f64) for s in (True, False)]");
  r.op("geqrf(Tensor self) -> (Tensor a, Tensor tau)")
      .out_named("a", {"a", "tau"})
      .out_dtype(OutDType::Safe)
      .rule(geqrf_rule)
      .kernel(geqrf_kernel)
      .gradient(none("PyTorch has none; use linalg.qr"))
      .onnx(none(kOnnx))
      .autocast(Autocast::Float32)
      .doc("R on and above the diagonal, below it the vectors of the reflections whose product is Q, and their factors.")
      .special(Special::Factorization, kBound)
      .samples("[[regular(d, *s)] for d in (f32, f64, c64) for s in ((3, 3), (2, 4, 3), (3, 4))] + [[t(f32, 2)]]");
  auto product = [&](const char* schema, bool namespaced) {
    auto b = r.op(schema);
    if (namespaced) b.namespaced("_linalg").rule(householder_rule).kernel(householder_product_kernel).gradient(householder_gradient);
    else b.decompose([](const IValue* a) -> IValue { return "linalg_householder_product"_op(a[0], a[1]); }, Reads::Nothing);
    b.out()
        .out_dtype(OutDType::Safe)
        .onnx(none(namespaced ? kOnnx : kComposite))
        .autocast(Autocast::Float32)
        .doc("The first columns of the product of the reflections that geqrf gives.")
        .special(Special::Factorization, kBound)
        .samples(
            "[[t(d, *s, low=-1, high=1), t(d, *s[:-2], k, low=0, high=1)] for d in (f32, f64) for s, k in (((3, 3), 3), ((2, 4, 3), 3), "
            "((4, 3), 2))] + [[t(f32, 2, 3), t(f32, 2)], [t(f32, 3, 2), t(f32, 3)], [t(f32, 3, 2), t(f64, 2)], [t(f32, 3, 2), t(f32, 2, "
            "2)]]");
  };
  product("linalg_householder_product(Tensor input, Tensor tau) -> Tensor", true);
  product("orgqr(Tensor self, Tensor input2) -> Tensor", false);
  r.op("ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor")
      .out()
      .rule(ormqr_rule)
      .kernel(ormqr_kernel)
      .gradient(ormqr_gradient)
      .onnx(none(kOnnx))
      .autocast(Autocast::Float32)
      .doc("The product of the reflections that geqrf gives with `input3`, from the left or the right.")
      .special(Special::Factorization, kBound)
      .samples(
          "[[t(d, 4, 3, low=-1, high=1).detach(), t(d, 3, low=0, high=1), t(d, 4, 4), l, a] for d in (f32, c64) for l in (True, False) for "
          "a in (False, True)] + [[t(f32, 4, 3), t(f32, 3), t(f32, 3, 3)], [t(f32, 2, 4, 3, low=-1, high=1), t(f32, 2, 3, low=0, high=1), "
          "t(f32, 2, 4, 1)]]");
}

}  // namespace

void factorizations(Registry& r) {
  cholesky_family(r);
  lu_family(r);
  determinants(r);
  solvers(r);
  ldl_family(r);
  qr_family(r);
}

}  // namespace monograph
