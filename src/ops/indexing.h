// x[...] and x[...] = v, for Python's subscripts and C++'s index(). Every step calls an operator (select, slice, unsqueeze, index), so gradients and captures
// need nothing else.
#pragma once

#include <optional>
#include <vector>

#include "core/ivalue.h"

namespace monograph {

// One item of an index such as x[0, 1:, None, ..., True, mask]. Dims behind an Ellipsis are counted from the end, so the graph is the same whether the rank is
// known or not.
struct IndexItem {
  enum class Kind : uint8_t { Int, Slice, None, Ellipsis, Bool, Tensor } kind = Kind::None;
  IValue start, stop, step;  // of a Slice; an Int or Bool is in `start`
  Tensor tensor;
};

// Whether an index tensor is a mask.
bool is_bool_index(const Tensor& t);

// x[...] after the items that are views.
struct Indexed {
  Tensor view;
  std::vector<IValue>
      indices;  // from the first dim of `view` on, one for each dim, or one mask for as many as it has; None: the dim has none
  bool advanced = false;  // whether there are index tensors
};

// How a capture takes part: `known` gives the number of dims of a tensor, if the capture knows it; `needed` is called for each tensor whose number of dims the
// result depends on, so that the capture can guard it. `whole` is called for a `:`, which takes the whole dim and is no operator. `taken` says how many dims an index
// tensor takes up that has no value: an int, or a number of the graph.
struct RankHooks {
  std::optional<int64_t> (*known)(const Tensor& t) = nullptr;
  void (*needed)(const Tensor& t) = nullptr;
  void (*whole)(const Tensor& t, int64_t dim) = nullptr;
  IValue (*taken)(const Tensor& t) = nullptr;
};
// Applies the items that are views, and collects the index tensors. Error (Index) in PyTorch's words.
Indexed index_views(const Tensor& self, const std::vector<IndexItem>& items, const RankHooks& ranks = {});
// x[...]: a view, which is never x itself, or with index tensors a new tensor.
Tensor elements_at(const Tensor& self, Indexed at);
// x[...] = value. The value is a tensor or a number; with index tensors it must be a tensor.
void write_elements(const Indexed& at, const IValue& value);

}  // namespace monograph
