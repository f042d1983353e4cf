// What operators that are made of others share: words for tensors beside an argument.
#pragma once

#include <string_view>
#include <vector>

#include "ops/dispatch.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {

// 0, 1, ... n - 1 beside `like`.
inline Tensor counted(const Size& n, const Tensor& like) {
  const Device device = like.device();
  return device.type == DeviceType::Cpu ? Tensor("arange"_op(n)) : Tensor("arange"_op(n, DType::i64, IValue(), device));
}
// Zeros of this size, of the dtype and device of `like`.
inline Tensor zeros_beside(const Tensor& like, const Sizes& sizes) { return "new_zeros"_op(like, sizes); }
// A dim as a place in 0 .. rank - 1, counting a tensor without dims as one of one dim.
inline int64_t wrapped(const IValue& dim, const Tensor& x) { return wrap_dim(dim.to_int(), std::max<int64_t>(x.dim(), 1)); }
inline int64_t wrapped(int64_t dim, const Tensor& x) { return wrap_dim(dim, std::max<int64_t>(x.dim(), 1)); }
// A vector along `dim` of a tensor of this rank: it broadcasts along the others.
inline Tensor along(const Tensor& vector, int64_t dim, int64_t rank) {
  Sizes sizes;
  for (int64_t d = 0; d < rank; ++d) sizes.push_back(d == dim ? Size(-1) : Size(1));
  return "reshape"_op(vector, sizes);
}
// What two tensors' sizes broadcast to, where each size is needed: a capture holds where they broadcast as in its example.
inline Sizes broadcast_in_example(const Sizes& a, const Sizes& b, std::string_view op) {
  Sizes out = broadcast(a, b, op);
  for (size_t d = 0; d < out.size(); ++d) {
    const size_t behind = out.size() - d;  // dims from here to the end
    if (!out[d].known() && behind <= a.size() && behind <= b.size()) out.set(d, broadcast_size(a[a.size() - behind], b[b.size() - behind]));
  }
  return out;
}
// A list of ints, of which a capture may know some as symbols.
inline Sizes sizes_in(const IValue& list) {
  if (list.is_ints()) return Sizes::of_numbers(list.to_ints());
  Sizes out;
  for (const IValue& item : list.items()) out.push_back(as_size(item));
  return out;
}
// The sizes, and more dims behind them.
inline Sizes appended(Sizes sizes, std::initializer_list<Size> more) {
  for (const Size n : more) sizes.push_back(n);
  return sizes;
}
inline IValue tensors_of(const std::vector<Tensor>& tensors) {
  std::vector<IValue> items(tensors.begin(), tensors.end());
  return IValue::list(std::move(items));
}
// The product of the elements before each one along `dim`; of no elements too.
inline Tensor products_before(const Tensor& x, int64_t dim) {
  Sizes first = sizes_of(x);
  const Size n = first[static_cast<size_t>(dim)];
  first.set(static_cast<size_t>(dim), 1);
  return "cumprod"_op("narrow"_op("cat"_op(tensors_of({"new_ones"_op(x, first), x}), dim), dim, 0, n), dim);
}
inline bool exact(DType t) { return is_integral(t, true); }
inline bool is_number(const IValue& v, int64_t value) {
  return v.is_number() && !v.is_complex() && v.to_double() == static_cast<double>(value);
}

}  // namespace monograph
