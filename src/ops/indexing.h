// x[...] and x[...] = v, for Python's subscripts and C++'s index(). Every step is an operator (select, slice, unsqueeze, index), so that gradients and captures
// see them.
#pragma once

#include <optional>
#include <vector>

#include "core/ivalue.h"

namespace monograph {

// One item of an index: of x[0, 1:, None, ..., True, mask]. Dims behind an Ellipsis are counted from the end, so that a program is one graph whatever is known
// of the rank.
struct IndexItem {
  enum class Kind : uint8_t { Int, Slice, None, Ellipsis, Bool, Tensor } kind = Kind::None;
  IValue start, stop, step;  // start: the Int or the Bool
  Tensor tensor;
};

// Whether a tensor among the items chooses elements by truth values.
bool is_bool_index(const Tensor& t);

// What the items that are views leave.
struct Indexed {
  Tensor view;  // after the steps that are views
  std::vector<IValue> indices;  // of what is left, by dim; None leaves a dim alone
  bool advanced = false;
};

// What a capture knows of the number of dims, and hears of tensors whose number of dims the result depends on, so that it can hold for that number.
struct RankHooks {
  std::optional<int64_t> (*known)(const Tensor& t) = nullptr;
  void (*needed)(const Tensor& t) = nullptr;
};
// The views that the items ask for, and the indices of what is left. Error (Index) in PyTorch's words.
Indexed index_views(const Tensor& self, const std::vector<IndexItem>& items, const RankHooks& ranks = {});
// x[...]: a view, never x itself, or the elements that tensors among the items choose.
Tensor elements_at(const Tensor& self, Indexed at);
// x[...] = value, a tensor or a number. Where tensors choose the elements, the value is a tensor.
void write_elements(const Indexed& at, const IValue& value);

}  // namespace monograph
