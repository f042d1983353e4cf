// Helpers that the shape rules, decompositions and gradients of torch.linalg share.
#pragma once

#include <limits>

#include "ops/families/composite.h"
#include "ops/rule.h"

namespace monograph {

// --- For rules. `name` is the operator's name in PyTorch's messages, such as "linalg.qr".

inline void check_matrices(const RuleCall& c, size_t i, const char* name, const char* argument = "A") {
  SizesRef s = c.sizes(i);
  c.check(!s.ranked() || s.size() >= 2, ErrorKind::Runtime, name, ": The input tensor ", argument, " must have at least 2 dimensions.");
  for (size_t d = 0; s.ranked() && d < s.size(); ++d)
    c.check(s[d] <= std::numeric_limits<int>::max(), ErrorKind::Runtime, name, ": LAPACK takes sizes of 31 bits, but the input has sizes ",
            s);
}
inline void check_square(const RuleCall& c, size_t i, const char* name, const char* argument = "A") {
  check_matrices(c, i, name, argument);
  SizesRef s = c.sizes(i);
  if (!s.ranked()) return;
  c.check(s[s.size() - 1] == s[s.size() - 2], ErrorKind::Runtime, name, ": ", argument,
          " must be batches of square matrices, but they are ", s[s.size() - 2], " by ", s[s.size() - 1], " matrices");
}
// LAPACK computes in float32, float64, complex64 and complex128.
inline void check_lapack_dtype(const RuleCall& c, size_t i, const char* name) {
  const auto t = c.dtype(i);
  c.check(!t || is_floating(*t) || is_complex(*t), ErrorKind::Runtime, name, ": Expected a floating point or complex tensor as input. Got ",
          scalar_type(t));
  c.check_dtype(t, [](DType given) { return element_size(given) > 2; }, name);
}
inline std::optional<DType> real_dtype(std::optional<DType> t) { return t && is_complex(*t) ? real_type(*t) : t; }
inline std::optional<DType> complex_dtype(std::optional<DType> t) {
  if (!t || is_complex(*t)) return t;
  return *t == DType::f32 ? DType::c64 : DType::c128;
}

inline Size rows_of(SizesRef s) { return s.ranked() && s.size() >= 2 ? s[s.size() - 2] : Size(); }
inline Size columns_of(SizesRef s) { return s.ranked() && s.size() >= 2 ? s[s.size() - 1] : Size(); }
// The batch dims of a matrix of sizes `s`, then `more`.
inline Sizes batch_and(SizesRef s, std::initializer_list<Size> more) {
  if (!s.ranked()) return Sizes::unranked();
  return appended(Sizes(s.first(s.size() - 2)), more);
}
// Lays out the last result column by column, as Fortran does.
inline void by_columns(RuleCall& c) {
  if (!c.eager()) return;
  const Sizes sizes = c.results().back().sizes;
  const size_t rank = sizes.size();
  Sizes strides(rank, 1);
  for (size_t d = rank; d-- > 1;) strides.set(d - 1, strides[d] * max(sizes[d], 1));
  if (rank >= 2) strides.set(rank - 2, 1), strides.set(rank - 1, max(sizes[rank - 2], 1));
  c.lay_out(strides);
}
inline void columns_result(RuleCall& c, const Sizes& sizes, std::optional<DType> dtype) {
  c.result(sizes, dtype);
  by_columns(c);
}
inline void info_result(RuleCall& c, size_t i = 0) { c.result(batch_and(c.sizes(i), {}), DType::i32); }
// Whether a kernel runs and the sizes of argument i are numbers. The size of its scratch memory depends on them.
inline bool known(const RuleCall& c, size_t i) {
  if (!c.eager() || !c.sizes(i).all_ints() || c.meta()) return false;
  for (size_t d = 0; d < c.sizes(i).size(); ++d)
    c.check(c.sizes(i)[d] <= INT32_MAX, ErrorKind::Runtime, "a matrix of sizes ", c.sizes(i), " is larger than LAPACK counts");
  return true;
}

// Whether right-hand sides of sizes `b` are vectors, one for each matrix of sizes `a`. Otherwise they are matrices.
inline bool beside_vectors(SizesRef a, SizesRef b) {
  if (b.size() == 1) return true;
  if (b.size() != a.size() - 1) return false;
  for (size_t d = 0; d < b.size(); ++d)
    if (!certainly(b[d] == a[d])) return false;
  return true;
}

// Whether symbolic sizes do not tell if the right-hand sides are vectors.
inline bool may_be_vectors(SizesRef a, SizesRef b) {
  if (b.size() == 1 || b.size() != a.size() - 1 || beside_vectors(a, b)) return false;
  for (size_t d = 0; d < b.size(); ++d)
    if (certainly(b[d] != a[d])) return false;
  return true;
}

// --- For decompositions and gradients.

inline Tensor transposed(const Tensor& t) { return "transpose"_op(t, -2, -1); }
inline Tensor conjugate_of(const Tensor& t) { return is_complex(t.dtype()) ? Tensor("conj"_op(t)) : t; }
inline Tensor adjoint_of(const Tensor& t) { return is_complex(t.dtype()) ? Tensor("conj"_op(transposed(t))) : transposed(t); }
inline Tensor matrix_product(const Tensor& a, const Tensor& b) { return "matmul"_op(a, b); }
inline Tensor sum_of(const Tensor& a, const Tensor& b) {
  if (!a.defined()) return b;
  return b.defined() ? Tensor("add"_op(a, b)) : a;
}
inline Tensor diagonal_of(const Tensor& t) { return "diagonal"_op(t, 0, -2, -1); }
inline Tensor diagonal_matrix(const Tensor& t) { return "diag_embed"_op(t, 0, -2, -1); }
inline Tensor lower(const Tensor& t, int64_t diagonal = 0) { return "tril"_op(t, diagonal); }
inline Tensor upper(const Tensor& t, int64_t diagonal = 0) { return "triu"_op(t, diagonal); }
// t with each row, or each column, multiplied by its own factor.
inline Tensor scale_rows(const Tensor& t, const Tensor& factors) { return "mul"_op(t, "unsqueeze"_op(factors, -1)); }
inline Tensor scale_columns(const Tensor& t, const Tensor& factors) { return "mul"_op(t, "unsqueeze"_op(factors, -2)); }
inline Tensor triangular_solution(const Tensor& a, const Tensor& b, bool upper, bool left, bool unit = false) {
  return "linalg_solve_triangular"_op(a, b, upper, left, unit);
}
// The identity matrix of n rows, with the dtype and device of `like`.
inline Tensor identity(const Tensor& like, const Size& n) { return diagonal_matrix("new_ones"_op(like, Sizes{n})); }
// The gradient of a tensor of these sizes that was broadcast: it is summed over the broadcast dims.
inline Tensor reduced_to(const Tensor& g, const Sizes& sizes) { return "sum_to_size"_op(g, sizes); }
inline IValue results_of(std::initializer_list<Tensor> tensors) {
  return IValue::tuple(std::vector<IValue>(tensors.begin(), tensors.end()));
}

}  // namespace monograph
