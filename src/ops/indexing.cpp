// Takes the items of x[...] from left to right: ints, slices, None and ... become views at once; tensors and masks are collected, and become one `index` or
// `index_put_` at the end.
#include "ops/indexing.h"

#include <utility>

#include "ops/dispatch.h"
#include "ops/pointwise.h"

namespace monograph {

bool is_bool_index(const Tensor& t) { return t.dtype() == DType::b1 || t.dtype() == DType::u8; }

namespace {

// How many dims of the tensor an item takes up.
int64_t consumed(const IndexItem& p) {
  switch (p.kind) {
    case IndexItem::Kind::Tensor: return is_bool_index(p.tensor) && p.tensor->kind == TensorImpl::Kind::Dense ? p.tensor.dim() : 1;
    case IndexItem::Kind::Int:
    case IndexItem::Kind::Slice: return 1;
    default: return 0;
  }
}

class Indexing {
 public:
  Indexing(const Tensor& self, const std::vector<IndexItem>& parts, const RankHooks& ranks)
      : self_(self), ranks_(ranks), result_{self, {}, false} {
    const bool dense = self->kind == TensorImpl::Kind::Dense;
    const std::optional<int64_t> rank = ranks.known ? ranks.known(self) : dense ? std::optional(self.dim()) : std::nullopt;
    ranked_ = rank.has_value();
    for (const IndexItem& p : parts) {
      // A mask takes up as many dims as it has, so its rank must be known.
      ranked_ &= p.kind != IndexItem::Kind::Tensor || p.tensor->kind == TensorImpl::Kind::Dense || dense;
      if (p.kind == IndexItem::Kind::Tensor && is_bool_index(p.tensor) && p.tensor->kind == TensorImpl::Kind::Dense) check_rank(p.tensor);
      left_ += consumed(p);
    }
    if (ranked_ && *rank == 0 && parts.size() == 1 && parts[0].kind == IndexItem::Kind::Int)
      fail(ErrorKind::Index,
           "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a "
           "number");
    MONOGRAPH_CHECK(!ranked_ || left_ <= *rank, Index, "too many indices for tensor of dimension ", rank.value_or(0), ": got ", left_);
    skipped_ = rank.value_or(0) - left_;
    for (const IndexItem& p : parts) take(p);
  }
  Indexed result() { return std::move(result_); }

 private:
  // The index of the next dim: counted from the front, or from the end behind an Ellipsis.
  IValue here() { return from_end_ ? IValue(-left_) : behind_masks(); }
  IValue here_new() { return from_end_ ? IValue(-left_ - 1) : behind_masks(); }
  // dim_, in which each index tensor of unknown type counts as one dim.
  IValue behind_masks() {
    for (const Tensor& t : std::exchange(open_, {})) {
      const IValue dims = ranks_.taken ? ranks_.taken(t) : IValue(1);
      if (dims.is_int()) dim_ += dims.to_int() - 1, under_masks_ += dims.to_int() - 1;
      else masks_.push_back(dims);
    }
    IValue sum = dim_ - static_cast<int64_t>(masks_.size());
    static const Operator& add = find_operator("aten::add.int");
    for (const IValue& dims : masks_) {
      const IValue both[] = {dims, sum};
      if (sum.is_int() && sum.to_int() == 0) sum = dims;
      else call(add, both, &sum);
    }
    return sum;
  }

  void take(const IndexItem& p) {
    Tensor& view = result_.view;
    switch (p.kind) {
      case IndexItem::Kind::None:
        view = "unsqueeze"_op(view, here_new());
        ++dim_;
        return;
      case IndexItem::Kind::Ellipsis:
        MONOGRAPH_CHECK(!from_end_ || left_ == 0 || (ranked_ && skipped_ == 0), Index,
                        "an index can only have a single ellipsis ('...'); after the second one no dims are left");
        from_end_ = true;
        dim_ += skipped_;
        return;
      case IndexItem::Kind::Int:
        view = "select"_op(view, here(), p.start);
        --left_;
        return;
      case IndexItem::Kind::Slice:
        if (!p.start.is_none() || !p.stop.is_none() || !p.step.is_int() || p.step.to_int() != 1)
          view = "slice"_op(view, here(), p.start, p.stop, p.step);
        else if (ranks_.whole && open_.empty() && masks_.empty()) ranks_.whole(view, from_end_ ? -left_ : dim_);
        ++dim_, --left_;
        return;
      case IndexItem::Kind::Bool: {
        Tensor flag = empty({1}, DType::b1);
        *flag.data_as<bool>() = p.start.to_bool();
        view = "unsqueeze"_op(view, here_new());
        return set_index(flag, 1);
      }
      case IndexItem::Kind::Tensor: {
        int64_t dims = consumed(p);
        left_ -= dims;
        if (p.tensor->kind == TensorImpl::Kind::Symbolic) open_.push_back(p.tensor);
        if (dims) return set_index(p.tensor, dims);
        view = "unsqueeze"_op(view, here_new());  // a mask without dims: it keeps or empties a new dim of size 1
        return set_index("unsqueeze"_op(p.tensor, 0), 1);
      }
    }
  }
  void check_rank(const Tensor& t) const {
    if (ranks_.needed) ranks_.needed(t);
  }
  void set_index(const Tensor& index, int64_t dims) {
    MONOGRAPH_CHECK(ranked_ || !from_end_, NotImplemented, "an index tensor after an Ellipsis needs the number of dims, which symbolic ",
                    "capture does not know; write the dims out, or trace with an example");
    if (from_end_) check_rank(self_);
    // A mask is one index, however many dims it takes up.
    while (static_cast<int64_t>(result_.indices.size()) < dim_ - under_masks_) result_.indices.emplace_back();
    const int64_t before = static_cast<int64_t>(result_.indices.size());
    if (self_.is_meta() && !index.is_meta() && index->kind == TensorImpl::Kind::Dense) add_to_meta(index);
    else result_.indices.emplace_back(index);
    result_.advanced = true;
    dim_ += dims;
    under_masks_ += dims - (static_cast<int64_t>(result_.indices.size()) - before);
  }
  // A meta tensor needs only the sizes of an index. How many elements a mask selects is read from the mask, before it goes to the meta device.
  void add_to_meta(const Tensor& index) {
    const Device meta{DeviceType::Meta};
    if (!is_bool_index(index)) return void(result_.indices.emplace_back("to"_op(index, meta)));
    const Tensor places = "nonzero"_op(index);
    for (int64_t d = 0; d < index.dim(); ++d) result_.indices.emplace_back("to"_op("select"_op(places, 1, d), meta));
  }

  const Tensor& self_;
  const RankHooks& ranks_;
  Indexed result_;
  bool ranked_ = false, from_end_ = false;
  int64_t left_ = 0;  // how many dims the remaining items take up
  int64_t dim_ = 0, skipped_ = 0;
  int64_t under_masks_ = 0;  // how many dims more than indices the items so far take up
  std::vector<Tensor> open_;  // index tensors of which nobody has asked yet how many dims they take up
  std::vector<IValue> masks_;  // how many dims masks take up of which a symbolic capture does not know that
};

// The value without leading dims of size 1, if it has more dims than the place that it is written to.
Tensor fitted(Tensor value, int64_t dim) {
  while (value->kind == TensorImpl::Kind::Dense && value.dim() > dim && value.sizes()[0] == 1) value = "squeeze"_op(value, 0);
  return value;
}

}  // namespace

Indexed index_views(const Tensor& self, const std::vector<IndexItem>& items, const RankHooks& ranks) {
  return Indexing(self, items, ranks).result();
}

Tensor elements_at(const Tensor& self, Indexed at) {
  if (at.advanced) return "index"_op(at.view, IValue::list(std::move(at.indices)));
  return at.view.is_same(self) ? Tensor("alias"_op(self)) : at.view;
}

void write_elements(const Indexed& at, const IValue& value) {
  if (at.advanced) {
    "index_put_"_op(at.view, IValue::list(at.indices), value);
    return;
  }
  const bool ranked = at.view->kind == TensorImpl::Kind::Dense;
  if (value.is_tensor()) "copy_"_op(at.view, ranked ? fitted(value.as_tensor(), at.view.dim()) : value.as_tensor());
  else "fill_"_op(at.view, value);
}

}  // namespace monograph
