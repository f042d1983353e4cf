// Implements index() and index_put_() of the public Tensor: converts the items and calls ops/indexing.h.
#include "api/access.h"
#include "monograph/indexing.h"
#include "ops/indexing.h"
#include "ops/pointwise.h"

MONOGRAPH_API_BEGIN

indexing::TensorIndex::TensorIndex(const char* text) : value_(EllipsisType()) {
  if (std::string_view(text) != "...")
    throw ValueError(monograph::concat("an index of a tensor is an int, a bool, a Slice, None, Ellipsis or a tensor, but got the text '",
                                       text, "'; \"...\" is the only text that is one"));
}

namespace {

using Kind = IndexItem::Kind;

IValue bound(const std::optional<Int>& v, IValue missing = {}) { return v ? IValue(v->value) : missing; }

IndexItem item_of(const indexing::TensorIndex& index) {
  return std::visit(
      [](const auto& v) -> IndexItem {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate>) return {Kind::None, {}, {}, {}, {}};
        else if constexpr (std::is_same_v<T, indexing::EllipsisType>) return {Kind::Ellipsis, {}, {}, {}, {}};
        else if constexpr (std::is_same_v<T, bool>) return {Kind::Bool, v, {}, {}, {}};
        else if constexpr (std::is_same_v<T, int64_t>) return {Kind::Int, v, {}, {}, {}};
        else if constexpr (std::is_same_v<T, indexing::Slice>) {
          MONOGRAPH_CHECK(!v.step() || v.step()->value > 0, Value, "step must be greater than zero, but got ", v.step()->value,
                          "; x.flip({dim}) reverses a dimension");
          return {Kind::Slice, bound(v.start()), bound(v.stop()), bound(v.step(), int64_t{1}), {}};
        } else {
          if (!v.defined()) return {Kind::Slice, {}, {}, int64_t{1}, {}};
          const monograph::Tensor& t = unwrap(v);
          const bool number = t->kind == TensorImpl::Kind::Dense && t.dim() == 0 && is_integral(t.dtype()) && !is_bool_index(t);
          if (number && !dispatch_state().top) return {Kind::Int, first_number(t), {}, {}, {}};  // as the int that it holds
          return {Kind::Tensor, {}, {}, {}, t};
        }
      },
      index.value());
}

template <class List>
Indexed views(const Tensor& self, const List& items) {
  std::vector<IndexItem> parts;
  for (const indexing::TensorIndex& index : items) parts.push_back(item_of(index));
  return index_views(unwrap(self), parts);
}

template <class List>
Tensor elements(const Tensor& self, const List& items) {
  return translated([&] { return Tensor::Access::wrap(elements_at(unwrap(self), views(self, items))); });
}

template <class List>
Tensor write(const Tensor& self, const List& items, const IValue& given) {
  translated([&] {
    const Indexed at = views(self, items);
    IValue v = given;
    if (at.advanced && !v.is_tensor()) v = convert_tensor(wrapped_number(v), at.view.dtype());
    write_elements(at, v);
  });
  return self;
}

}  // namespace

using Items = std::initializer_list<indexing::TensorIndex>;
using ItemVector = std::vector<indexing::TensorIndex>;
Tensor Tensor::index(Items items) const { return elements(*this, items); }
Tensor Tensor::index(const ItemVector& items) const { return elements(*this, items); }
Tensor Tensor::index_put_(Items items, const Tensor& v) const { return write(*this, items, value(v)); }
Tensor Tensor::index_put_(Items items, const Scalar& v) const { return write(*this, items, value(v)); }
Tensor Tensor::index_put_(const ItemVector& items, const Tensor& v) const { return write(*this, items, value(v)); }
Tensor Tensor::index_put_(const ItemVector& items, const Scalar& v) const { return write(*this, items, value(v)); }

MONOGRAPH_API_END
