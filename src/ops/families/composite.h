// Small functions that decompositions share: new tensors on the device of an argument, wrapped dims, sizes that may be symbols.
#pragma once

#include <string_view>
#include <vector>

#include "ops/dispatch.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {

// The int64 vector 0, 1, ... n - 1, on the device of `like`.
inline Tensor counted(const Size& n, const Tensor& like) {
  const Device device = like.device();
  return device.type == DeviceType::Cpu ? Tensor("arange"_op(n)) : Tensor("arange"_op(n, DType::i64, IValue(), device));
}
// Zeros of these sizes, with the dtype and device of `like`.
inline Tensor zeros_beside(const Tensor& like, const Sizes& sizes) { return "new_zeros"_op(like, sizes); }
// A dim wrapped to 0 .. rank - 1. A 0-d tensor counts as one with one dim.
inline int64_t wrapped(const IValue& dim, const Tensor& x) { return wrap_dim(dim.to_int(), std::max<int64_t>(x.dim(), 1)); }
inline int64_t wrapped(int64_t dim, const Tensor& x) { return wrap_dim(dim, std::max<int64_t>(x.dim(), 1)); }
// A vector reshaped to `rank` dims, with its elements along `dim` and size 1 in the others, so that it broadcasts along those.
inline Tensor along(const Tensor& vector, int64_t dim, int64_t rank) {
  Sizes sizes;
  for (int64_t d = 0; d < rank; ++d) sizes.push_back(d == dim ? Size(-1) : Size(1));
  return "reshape"_op(vector, sizes);
}
// The sizes that two tensors broadcast to, with every size known. A capture gets a guard that later inputs broadcast as its example does.
inline Sizes broadcast_in_example(const Sizes& a, const Sizes& b, std::string_view op) {
  Sizes out = broadcast(a, b, op);
  for (size_t d = 0; d < out.size(); ++d) {
    const size_t from_end = out.size() - d;
    if (!out[d].known() && from_end <= a.size() && from_end <= b.size())
      out.set(d, broadcast_size(a[a.size() - from_end], b[b.size() - from_end]));
  }
  return out;
}
// A list of ints as sizes. While a capture records, some may be symbols.
inline Sizes sizes_in(const IValue& list) {
  if (list.is_ints()) return Sizes::of_numbers(list.to_ints());
  Sizes out;
  for (const IValue& item : list.items()) out.push_back(as_size(item));
  return out;
}
// `sizes` with more dims appended.
inline Sizes appended(Sizes sizes, std::initializer_list<Size> more) {
  for (const Size n : more) sizes.push_back(n);
  return sizes;
}
// The mean over the last dim, or one divided by the root of the variance: what a normalization reads.
inline Tensor statistic_of_rows(const Tensor& rows, const IValue& eps, bool mean) {
  if (mean) return "mean"_op(rows, Dims{-1}, false);
  return "rsqrt"_op("add"_op("var"_op(rows, Dims{-1}, false, false), eps));
}
// A list of tensors as a value.
inline IValue tensors_of(const std::vector<Tensor>& tensors) {
  std::vector<IValue> items(tensors.begin(), tensors.end());
  return IValue::list(std::move(items));
}
// The exclusive cumulative product: for each element the product of those before it along `dim`, which is 1 for the first. The dim may be empty.
inline Tensor products_before(const Tensor& x, int64_t dim) {
  Sizes first = sizes_of(x);
  const Size n = first[static_cast<size_t>(dim)];
  first.set(static_cast<size_t>(dim), 1);
  return "cumprod"_op("narrow"_op("cat"_op(tensors_of({"new_ones"_op(x, first), x}), dim), dim, 0, n), dim);
}
// Whether a dtype is bool or an integer dtype.
inline bool exact(DType t) { return is_integral(t, true); }
// Whether v is a real number with this value.
inline bool is_number(const IValue& v, int64_t value) {
  return v.is_number() && !v.is_complex() && v.to_double() == static_cast<double>(value);
}

}  // namespace monograph
