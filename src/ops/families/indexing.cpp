// Reading and writing by index tensors: embedding, index_select, index_add, gather, index and index_put (Python's x[...]), masked_fill, one_hot, nonzero. The
// kernels are in kernels/gather_scatter.h. If the sizes of a result depend on a mask, the mask is read first and the call is made with the indices of its places.
#include <algorithm>
#include <array>

#include "kernels/gather_scatter.h"
#include "ops/dispatch.h"
#include "ops/families/error_kinds.h"
#include "ops/pointwise.h"
#include "ops/registry.h"
#include "ops/rule.h"
#include "ops/torchscript_names.h"

namespace monograph {
namespace {

constexpr ir::Effects kMayRaise{0, 0, true, false, false};
constexpr const char* kOutOfDim = "index {value} is out of bounds for dimension {dim} with size {limit}";
constexpr const char* kOutOfPlace = "index {value} is out of bounds for dimension {place} with size {limit}";
constexpr const char* kOutOfTable =
    "index out of range in self: index {value} and a table of {limit} rows; an index is at least 0 and less than {limit}";

// --- Rules.

std::string_view dtype_name(std::optional<DType> t) { return name(t.value_or(DType::i64)); }
// Checks the dtype of the index of gather, index_select and index_add. An empty index may have any dtype.
void check_index(const RuleCall& c, size_t i) {
  if (c.sizes(i).ranked() && element_count(c.sizes(i)).is(0)) return;
  c.check(is_index(c.dtype(i)), Runtime, "Expected dtype int32/int64 for index, but got torch.", dtype_name(c.dtype(i)),
          "; convert it, for example index.to(torch.int64)");
}

void embedding_rule(RuleCall& c) {
  SizesRef weight = c.sizes(0), indices = c.sizes(1);
  c.check(!weight.ranked() || weight.size() == 2, Runtime, "'weight' must be 2-D, but it has ", weight.size(), " dims");
  c.check(is_index(c.dtype(1)), Runtime,
          "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got ",
          scalar_type(c.dtype(1)), " instead; convert them, for example indices.to(torch.int64)");
  if (!indices.ranked()) return c.unranked(0);
  Sizes out = indices;
  out.push_back(weight.ranked() ? weight[1] : Size());
  c.like(0, out);
}

void embedding_backward_rule(RuleCall& c) {
  c.check(!Truth::of(c.truth(4)), ErrorKind::NotImplemented,
          "scale_grad_by_freq=True is not implemented here; embedding's gradient divides by the counts of the indices");
  SizesRef grad = c.sizes(0), indices = c.sizes(1);
  if (grad.ranked() && indices.ranked()) {
    c.check(grad.size() == indices.size() + 1, Runtime, "expected a gradient with one dim more than the indices, but got size ", grad,
            " for indices of size ", indices);
    for (size_t d = 0; d < indices.size(); ++d)
      c.check(grad[d] == indices[d], Runtime, "expected a gradient with one row for each index, but got size ", grad,
              " for indices of size ", indices);
  }
  c.like(0, Sizes{c.size(2), grad.ranked() && !grad.empty() ? grad.back() : Size()});
}

void index_select_rule(RuleCall& c) {
  SizesRef self = c.sizes(0), index = c.sizes(2);
  c.check(!index.ranked() || index.size() <= 1, Index, "index_select(): Index is supposed to be a vector, but it has ", index.size(),
          " dims");
  check_index(c, 2);
  if (!self.ranked()) return c.unranked(0);
  const Size count = !index.ranked() ? Size() : index.empty() ? Size(1) : index[0];
  c.check(!self.empty() || count == 1, Index, "index_select(): Index to scalar can have only 1 value, got ", count, " value(s)");
  Sizes out = self;
  if (auto d = c.dim(1, self.size()); !d) out = Sizes(self.size(), Size());
  else if (!self.empty()) out.set(*d, count);
  c.like(0, out);
}

// index_add(self, dim, index, source, alpha): `source` has one slice for each index, with the other sizes and the dtype of self.
void index_add_rule(RuleCall& c) {
  SizesRef self = c.sizes(0), index = c.sizes(2), source = c.sizes(3);
  c.check(!index.ranked() || index.size() <= 1, Index, "Index is supposed to be a vector, but got size ", index);
  check_index(c, 2);
  auto own = c.dtype(0), added = c.dtype(3);
  c.check(!own || !added || *own == *added, Runtime, "self (", scalar_type(own), ") and source (", scalar_type(added),
          ") must have the same scalar type");
  if (!self.ranked()) return c.unranked(0);
  auto d = c.dim(1, self.size());
  const Size count = !index.ranked() ? Size() : element_count(index);
  if (d && source.ranked()) {
    Sizes expected = self;
    if (!self.empty()) expected.set(*d, count);
    Truth fits = expected.size() == source.size() && (!self.empty() || count == 1);
    for (size_t k = 0; certainly(fits) && k < source.size(); ++k) fits = fits && expected[k] == source[k];
    c.check(fits, Runtime, "source tensor shape must match self tensor shape, with the number of indices (", count, ") at dim ", *d,
            ". Got self.shape = ", self, " source.shape = ", source);
  }
  c.like(0, self);
  if (!c.eager()) return;
  number_in(c.op.name(), c.value(4), *own);
  if (!(c.value(4).is_int() && c.value(4).to_int() == 1))
    c.scratch(element_count(source) * element_size(*own) + index_add_strides(static_cast<int64_t>(source.size())));
}

void gather_rule(RuleCall& c) {
  SizesRef self = c.sizes(0), index = c.sizes(2);
  check_index(c, 2);
  const auto d = self.ranked() ? c.dim(1, self.size()) : std::nullopt;
  if (self.ranked() && !(index.ranked() && element_count(index).is(0))) {
    // A 0-d index or self counts as having one dim.
    c.check(!index.ranked() || std::max<size_t>(index.size(), 1) == std::max<size_t>(self.size(), 1), Runtime,
            "Index tensor must have the same number of dimensions as input tensor, but they have ", index.size(), " and ", self.size());
    for (size_t k = 0; d && k < index.size() && k < self.size(); ++k)
      c.check(k == *d || index[k] <= self[k], Runtime, "Size does not match at dimension ", k, " expected index ", index,
              " to be no larger than self ", self, " apart from dimension ", *d);
  }
  c.like(0, index);
}

void gather_backward_rule(RuleCall& c) {
  check_index(c, 3);
  Sizes sizes = c.ints(1);
  if (sizes.ranked()) c.dim(2, sizes.size());
  c.like(0, sizes);
}

void one_hot_rule(RuleCall& c) {
  auto t = c.dtype(0);
  c.check(!t || *t == DType::i64, Runtime, "one_hot is only applicable to index tensor of type LongTensor, but got ", scalar_type(t));
  const Size classes = c.size(1);
  if (classes.is(-1)) c.wait_for_elements();
  c.check(classes > 0 || (classes == -1 && element_count(c.sizes(0)) != 0), Runtime,
          "num_classes must be positive, or -1 if the input is not empty, but got ", classes);
  if (!c.sizes(0).ranked()) return c.result({}, DType::i64);
  Sizes out = c.sizes(0);
  out.push_back(certainly(classes >= 0) ? classes : Size());  // a size of another tensor is not -1
  c.result(out, DType::i64);
}

// The result has one row for each place that is not zero. As in PyTorch, its strides are (1, rows).
void nonzero_rule(RuleCall& c) {
  SizesRef self = c.sizes(0);
  c.check_max_dims(self);
  c.convert(0, DType::b1);
  c.result(Sizes{Size(), self.ranked() ? Size(static_cast<int64_t>(self.size())) : Size()}, DType::i64);
  c.lay_out(Sizes{1, Size()});
  c.wait_for_elements();
}

bool is_mask(std::optional<DType> t) { return t == DType::b1 || t == DType::u8; }

// The elements that self[indices] selects. Index tensors broadcast together. Their dims replace the indexed dims if those are adjacent; else they come first.
// A mask counts as one index of unknown length for each of its dims. A 0-d mask counts as an index in a new dim of size 1 of `self`.
struct Chosen {
  Sizes sizes;  // the sizes of self[indices]
  Size count;  // the number of positions that the indices broadcast to
  bool masks = false;  // some index is a mask
  size_t place = 0, front = 0;  // the first of the result's dims that come from the indices, and their number
  std::array<bool, kMaxDims> indexed{};  // which dims of self have an index
};

Chosen chosen_by(const RuleCall& c) {
  Sizes self = c.sizes(0);
  if (!self.ranked() || !c.count(1)) return {Sizes::unranked(), Size()};
  Chosen chosen;
  Sizes front;
  size_t at = 0, first = 0, last = 0, used = 0;
  auto& indexed = chosen.indexed;
  for (size_t k = 0; k < *c.count(1); ++k) {
    c.check(at <= kMaxDims, Runtime, "expected at most ", kMaxDims, " indices");
    if (c.item_none(1, k)) {
      ++at;
      continue;
    }
    auto t = c.item_dtype(1, k);
    SizesRef sizes = c.item_sizes(1, k);
    const bool mask = is_mask(t);
    c.check(mask || is_index(t), Index, "tensors used as indices must be long, int, byte or bool tensors, but got torch.", dtype_name(t),
            "; convert it, for example index.to(torch.int64)");
    chosen.masks |= mask;
    if (!t || !sizes.ranked()) return {Sizes::unranked(), Size(), chosen.masks};  // the dims of the further indices are unknown
    if (mask && sizes.empty()) self.insert(std::min(at, self.size()), 1);
    for (size_t d = 0; mask && d < sizes.size(); ++d)
      c.check(at + d < self.size() && sizes[d] == self[at + d], Index, "The shape of the mask ", sizes, " at index ", d,
              " does not match the shape of the indexed tensor ", self, " at index ", at + d);
    for (size_t d = 1; !mask && d <= std::min(front.size(), sizes.size()); ++d) {
      const Size a = front[front.size() - d], b = sizes[sizes.size() - d];
      c.check(a == b || a == 1 || b == 1, Index, "shape mismatch: indexing tensors could not be broadcast together with shapes ", front,
              ", ", sizes);
    }
    front = broadcast(front, mask ? SizesRef(Sizes{Size()}) : sizes, c.op.name());
    for (size_t spans = mask ? std::max<size_t>(1, sizes.size()) : 1; spans > 0; --spans, ++at) {
      if (at < kMaxDims) indexed[at] = true;
      if (used++ == 0) first = at;
      last = at;
    }
  }
  c.check(at <= self.size(), Index, "too many indices for tensor of dimension ", self.size(), " (got ", at, ")");
  c.check_max_dims(self), c.check_max_dims(front);
  chosen.count = element_count(front);
  const size_t place = used == 0 || last - first + 1 != used ? 0 : first;
  chosen.place = place, chosen.front = front.size();
  auto rest = [&](size_t begin, size_t end) {
    for (size_t d = begin; d < end; ++d)
      if (!indexed[d]) chosen.sizes.push_back(self[d]);
  };
  rest(0, place);
  for (size_t k = 0; k < front.size(); ++k) chosen.sizes.push_back(front[k]);
  rest(place, self.size());
  return chosen;
}

void ask_scratch(RuleCall& c, const Chosen& chosen) {
  if (chosen.masks) c.wait_for_elements();
  else c.scratch(chosen.count * index_scratch(1));
}

// Gives the result PyTorch's strides: its dims are ordered as those of self and of the indices.
void lay_out_chosen(RuleCall& c, const Chosen& chosen) {
  const Tensor& self = c.value(0).as_tensor();
  auto not_contiguous = [](const IValue& v) { return v.is_tensor() && !v.as_tensor().is_contiguous(); };
  if (self.is_contiguous() && std::ranges::none_of(c.value(1).items(), not_contiguous)) return;
  const size_t n = chosen.sizes.size();
  std::vector<Dims> strides{Dims(n, 0)};
  for (size_t d = 0, to = 0; d < self.sizes().size(); ++d) {
    if (chosen.indexed[d]) continue;
    if (to == chosen.place) to += chosen.front;
    strides[0][to++] = self.strides()[d];
  }
  for (const IValue& v : c.value(1).items()) {
    if (!v.is_tensor()) continue;
    const Tensor& index = v.as_tensor();
    const Dims own = broadcast_strides(index, std::span<const int64_t>(chosen.sizes.ints()).subspan(chosen.place, chosen.front));
    std::copy(own.begin(), own.end(), strides.emplace_back(n, 0).begin() + static_cast<ptrdiff_t>(chosen.place));
  }
  c.lay_out(SizesRef(result_strides(chosen.sizes.ints(), strides)));
}

void index_rule(RuleCall& c) {
  const Chosen chosen = chosen_by(c);
  c.like(0, chosen.sizes);
  ask_scratch(c, chosen);
  if (c.eager() && !chosen.masks && !c.meta()) lay_out_chosen(c, chosen);
}

// Checks that the values of an assignment broadcast to the chosen elements. Values may have extra leading dims of size 1, which are dropped.
void check_values(const RuleCall& c, SizesRef values, SizesRef chosen) {
  if (!values.ranked() || !chosen.ranked()) return;
  const size_t own = values.size(), extra = own > chosen.size() ? own - chosen.size() : 0;
  Truth fits = true;
  for (size_t d = 0; d < own; ++d) {
    const Truth one = values[d] == 1;
    fits = fits && (d < extra ? one : one || values[d] == chosen[chosen.size() + d - own]);
  }
  c.check(fits, Runtime, "shape mismatch: value tensor of shape ", values, " cannot be broadcast to indexing result of shape ", chosen);
}

// Whether the call writes one number through one mask, like masked_fill.
Truth fills_mask(RuleCall& c) {
  size_t indices = 0, masks = 0;
  for (size_t k = 0; k < *c.count(1); ++k) {
    if (c.item_none(1, k)) continue;
    ++indices, masks += c.item_dtype(1, k).value_or(DType::b1) == DType::b1;
  }
  return Truth(indices == 1 && masks == 1) && element_count(c.sizes(2)) == 1 && !Truth::of(c.truth(3));
}

// Values must have the dtype of self. Only one number that is written through one mask may have any dtype, as in masked_fill.
void check_values_dtype(RuleCall& c) {
  auto own = c.dtype(0), given = c.dtype(2);
  if (!own || !given || *own == *given || !c.count(1)) return;
  c.check(fills_mask(c), Runtime, "Index put requires the source and destination dtypes match, got ", scalar_type(own),
          " for the destination and ", scalar_type(given), " for the source; convert it first, for example v.to(x.dtype)");
}

Chosen check_put(RuleCall& c) {
  Chosen chosen = chosen_by(c);
  check_values_dtype(c);
  check_values(c, c.sizes(2), chosen.sizes);
  return chosen;
}

void index_put_rule(RuleCall& c) {
  check_put(c);
  c.like(0, c.sizes(0));
}
void index_put_into_rule(RuleCall& c) {
  const Chosen chosen = check_put(c);
  if (c.eager()) {
    const Tensor& self = c.value(0).as_tensor();
    if (!certainly(fills_mask(c))) check_no_overlap(c.op.name(), self, c.value(2).as_tensor());
    for (const IValue& index : c.value(1).items())  // a mask may overlap with self, because it is read before the write
      if (index.is_tensor() && !is_mask(index.as_tensor().dtype())) check_no_overlap(c.op.name(), self, index.as_tensor());
  }
  c.argument(0);
  ask_scratch(c, chosen);
}

// --- Calls whose sizes depend on elements. These functions read the elements, then make the call.

// one_hot with num_classes=-1: the number of classes is the largest one plus 1.
IValue one_hot_of_all(const IValue* a) {
  const Tensor largest = "max"_op(a[0]);
  return "one_hot"_op(a[0], std::max<int64_t>(first_number(largest).to_int() + 1, 1));
}

// Replaces each mask in `indices` by the index tensors of its True places, one for each of its dims. For a 0-d mask `self` gets a dim of size 1.
IValue places_of_masks(Tensor& self, const IValue& indices) {
  std::vector<IValue> out;
  for (const IValue& v : indices.items()) {
    if (v.is_none() || !is_mask(v.as_tensor().dtype())) {
      out.push_back(v);
      continue;
    }
    Tensor mask = v.as_tensor();
    if (mask.dim() == 0) self = "unsqueeze"_op(self, static_cast<int64_t>(out.size())), mask = "unsqueeze"_op(mask, 0);
    static const Operator& nonzero = find_operator("aten::nonzero");
    IValue found;
    const IValue of_mask = mask;
    run(nonzero, &of_mask, &found);
    const Tensor& places = found.as_tensor();
    const int64_t count = places.sizes()[0];
    for (int64_t k = 0; k < mask.dim(); ++k) out.push_back(places.as_strided(Dims{count}, Dims{1}, k * count));
  }
  return IValue::list(std::move(out));
}

IValue index_by_places(const IValue* a) {
  Tensor self = a[0].to_tensor();
  static const Operator& index = find_operator("aten::index.Tensor");
  IValue indices = places_of_masks(self, a[1]), result;
  const IValue args[] = {std::move(self), std::move(indices)};
  run(index, args, &result);
  return result;
}

IValue put_at_places(const IValue* a) {
  Tensor self = a[0].to_tensor();
  const IValue indices = places_of_masks(self, a[1]);
  Tensor value = "to"_op(a[2], self.dtype());
  if (may_overlap(value, self)) value = "clone"_op(value);  // the value is read before the write
  "index_put_"_op(self, indices, value, a[3]);
  return a[0];
}

void index_put_gradient(GradCall& c) {
  if (c.needs(0))
    c.set(0, c.value(3).to_bool() ? c.grad() : Tensor("index_put"_op(c.grad(), c.value(1), "zeros"_op(c.sizes(2), c.dtype(2)), false)));
  if (!c.needs(2)) return;
  Tensor g = "index"_op(c.grad(), c.value(1));
  while (g.sizes().size() < c.sizes(2).size()) g = "unsqueeze"_op(g, 0);  // the leading dims of size 1 that the write dropped
  c.set(2, g);
}

}  // namespace

void indexing(Registry& r) {
  r.op("embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor")
      .operator_out()
      .rule(embedding_rule)
      .kernel(embedding_kernel)
      .bad_data(Index, kOutOfTable)
      .function_only()
      .gradient([](GradCall& c) {
        const Size rows = c.sizes(0)[0];
        Tensor g = c.grad();
        if (c.value(3).to_bool()) {  // each row's gradient is divided by how often the row was looked up
          const Tensor flat = "reshape"_op("to"_op(c.value(1), DType::i64), Dims{-1}), ones = "ones_like"_op(flat);
          const Tensor counts = "scatter_add"_op("zeros"_op(Sizes{rows}, DType::i64), 0, flat, ones);
          const Tensor counted = "reshape"_op("index_select"_op(counts, 0, flat), c.sizes(1));
          g = "div"_op(g, "unsqueeze"_op("to"_op(counted, g.dtype()), -1));
        }
        c.set(0, "embedding_dense_backward"_op(g, c.value(1), rows, c.value(2), false));
      })
      .onnx("Gather(weight, indices, axis=0) if rank(weight) = 2, padding_idx ~ -1, scale_grad_by_freq ~ False, sparse ~ False")
      .doc(
          "Rows of `weight` by index.\n\nweight: The rows, of shape (rows, features).\n\n>>> rows = torch.tensor([[1.0, 2.0], [3.0, "
          "4.0]])\n>>> torch.embedding(rows, torch.tensor([1, 0, 1]))")
      .samples(R"([[t(f32, 5, 3), index(5, 2, 2), -1, False, False], [t(f64, 5, 3), index(5, 4).int(), 0, False, False],
                [t(f32, 5, 3), at([5]), -1, False, False], [t(f32, 5, 3), index(5), -1, False, False],
                [t(f32, 5, 3), at([[1, 1, 2], [1, 4, 2]]), -1, True, False], [t(f64, 5, 3), at([1, 2, 2]).int(), 2, True, False]]
               + [[t(f32, 3, 4), at([c]), -1, False, False] for c in (-1, 3)])")
      .special(Special::ReadsBackOtherwise, "padding_idx matters to gradients alone");
  r.op("embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq) -> "
       "Tensor")
      .rule(embedding_backward_rule)
      .kernel(embedding_dense_backward_kernel)
      .bad_data(Index, kOutOfTable)
      .function_only()
      .gradient([](GradCall& c) {
        Tensor rows = "embedding"_op(c.grad(), c.value(1), c.value(3));
        const int64_t padding = c.value(3).to_int();
        if (padding >= 0) rows = "masked_fill"_op(rows, "unsqueeze"_op("eq"_op(c.value(1), padding), -1), 0.0);
        c.set(0, rows);
      })
      .onnx(none("training only"))
      .doc("The gradient of an embedding by its weight.")
      .samples(
          "[[t(f32, 4, 3), index(3, 4), 5, -1, False], [t(f32, 4, 3), index(3, 4), 5, 1, False], [t(f32, 3), index(3, 4), 5, -1, False]]");
  r.op("index_select(Tensor self, int dim, Tensor index) -> Tensor")
      .out()
      .rule(index_select_rule)
      .kernel(index_select_kernel)
      .storage_only(StorageOnly::AsBits)
      .quantized(Quantized::Kept)
      .bad_data(Index, kOutOfDim)
      .gradient([](GradCall& c) { c.set(0, "index_add"_op("zeros"_op(c.sizes(0), c.dtype(0)), c.value(1), c.value(2), c.grad())); })
      .onnx("Gather(self, index, axis=dim) if rank(index) = 1")
      .doc("The slices at `index` along `dim`.")
      .samples(R"([[x, 1, at([2, 0, 2])] for x in layouts(2, 3)] + [[t(f32, 3), 0, at(1)], [t(f32, 3), 0, at([3])],
                  [t(f32, 3, 2), -2, index(3, 2).int()],
                [t(f32), 0, at([0])]] + [[t(f32, 3, 4), 1, at(c)] for c in ([-1], [4], [True], 3)] + [[t(f32, 3, 4), 1, at([1], dtype=u8)]])")
      .special(Special::ReadsBackOtherwise, "rows of a matrix are an embedding");
  r.op("index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor")
      .inplace()
      .out()
      .rule(index_add_rule)
      .kernel(index_add_kernel)
      .bad_data(Index, kOutOfDim)
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, c.grad());
        if (c.needs(3)) c.set(3, "mul"_op("index_select"_op(c.grad(), c.value(1), c.value(2)), c.value(4)));
      })
      .onnx(none("ScatterElements takes an index for every element"))
      .doc("`self` with slices of `source` added at `index` along `dim`.")
      .samples(R"([[t(f32, 3, 2), 0, at([0, 2, 0]), t(f32, 3, 2), 1], [t(f32, 2, 3), 1, at([1]), t(f32, 2, 1), 2],
                  [t(i64, 4), 0, at([3, 3]), t(i64, 2), 1]]
               + [[t(f32, 3, 2), 0, at([c]), t(f32, 1, 2), 1] for c in (-1, 3)] + [[t(f32, 3, 2), 0, at([1]), t(f32, 1, 2), 1.5]]
               + [[t(i64, 2, 3), 0, at([0, 1]), t(i64, 2, 3), a] for a in (2.5, 2, 1j)]
               + [[t(f32, 2, 3), 0, at([0, 1]), v, 1] for v in (t(i64, 2, 3), t(f64, 2, 3), t(f32, 2, 4), t(f32, 3, 3), t(f32, 2),
                  t(f32, 1, 2, 3))]
               + [[t(f32, *a), 0, ix, t(f32, *b), 1] for a, ix,
                  b in (((2, 3), at([[0]]), (1, 3)), ((2, 3), at(1), (1, 3)), ((3,), at(0), ()), ((), at([0]), ()), ((), at([0]), (1,)),
                  ((), at([0, 0]), (2,)), ((2, 3), at([0]), (1, 1)))]
               + [[t(b1, 3), 0, at([0]), t(b1, 1), a] for a in (1, 2)])");
  r.op("gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor")
      .out()
      .rule(gather_rule)
      .kernel(gather_kernel)
      .storage_only(StorageOnly::AsBits)
      .bad_data(Runtime, kOutOfDim)
      .gradient([](GradCall& c) { c.set(0, "gather_backward"_op(c.grad(), c.sizes(0), c.value(1), c.value(2))); })
      .onnx("GatherElements(self, index, axis=dim) if sparse_grad ~ False")
      .doc("The elements of `self` at `index` along `dim`.")
      .samples(R"([[t(f32, 3, 4), d, index(3, 2, 3), False]
                  for d in (0, 1, -1)] + [[t(f32, 3), 0, at([3]), False], [t(f32, 3), 0, at([[0]]), False],
                [t(f32), 0, at(0), False], [t(f32), 0, at([0, 0]), False], [t(f32, 3), 0, at(2), False], [t(f32), 0, at([1]), False]]
               + [[t(f32, 3, 4), 1, at([[c]]), False] for c in (-1, 4, True)]
               + [[t(f32, 3, 4), 1, index(3, 2, 3).int(), False], [t(f32, 3, 4), 1, torch.zeros(0, 5, dtype=i64), False]])")
      .special(Special::ReferenceDiffers, "the reference wants an index of the tensor's own sizes");
  r.op("one_hot(Tensor self, int num_classes=-1) -> Tensor")
      .namespaced("_nn")
      .rule(one_hot_rule)
      .kernel(one_hot_kernel)
      .contiguous_args()
      .sized_by_elements(one_hot_of_all)
      .bad_data(Runtime, "Class values must be non-negative, but got {value}",
                "Class values must be smaller than num_classes {limit}, but got {value}")
      .gradient(none("class numbers are integers"))
      .onnx(none("OneHot takes its number of classes, and the two values, as tensors"))
      .doc("1 at the class of each element along a last dim of `num_classes`, 0 elsewhere; -1 counts up to the largest class.")
      .samples(
          R"([[index(3, 4), 3], [index(3, 2, 2), 5], [at([2, 0]), -1], [at(1), 2]] + [[at([c]), 3] for c in (3, -1)] + [[at([1]).int(), 3],
                [at([1]), 0], [index(3, 0), -1], [index(3, 0), 3]])");
  r.op("gather_backward(Tensor grad, SymInt[] sizes, int dim, Tensor index) -> Tensor")
      .rule(gather_backward_rule)
      .kernel(gather_backward_kernel)
      .bad_data(Runtime, kOutOfDim)
      .function_only()
      .gradient([](GradCall& c) { c.set(0, "gather"_op(c.grad(), c.value(2), c.value(3))); })
      .onnx(none("training only"))
      .doc("The gradient of a gather.")
      .samples(none("PyTorch's operator of this name is another; gradients_test has gather's gradient"))
      .special(Special::OtherSchemaText, "PyTorch's operator of this name is another");
  no_torchscript("aten::gather_backward", "PyTorch's takes the tensor, where this takes its sizes");
  r.op("index.Tensor(Tensor self, Tensor?[] indices) -> Tensor")
      .operator_out()
      .spelled({"index.Tensor_hacked_twin(Tensor self, Tensor[] indices) -> Tensor"})
      .rule(index_rule)
      .kernel(index_kernel)
      .storage_only(StorageOnly::AsBits)
      .quantized(Quantized::Kept)
      .sized_by_elements(index_by_places)
      .bad_data(Index, kOutOfPlace)
      .method_only()
      .gradient([](GradCall& c) { c.set(0, "index_put"_op("zeros"_op(c.sizes(0), c.dtype(0)), c.value(1), c.grad(), true)); })
      .onnx(none("indices that broadcast and None have no operator"))
      .doc(R"(`self` indexed by tensors, which broadcast together; None leaves a dim alone.

>>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
>>> x.index([torch.tensor([1, 0]), torch.tensor([0, 0])]))")
      .samples(R"([[t(f32, 3, 4, 2), ix] for ix in ([index(3, 2)], [None, index(4, 3)], [index(3, 2), index(4, 2)],
                  [index(3, 2), None, index(2, 2)], [None, index(4, 2, 1), index(2, 3)], [at([True, False, True])], [at([-1, 0])], [at([3])],
                  [t(b1, 3, 4)], [None, at([True, False, False, True]), index(2, 2)])])");
  r.op("index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor")
      .operator_out()
      .spelled({"index_put.hacked_twin(Tensor self, Tensor[] indices, Tensor values, bool accumulate=False) -> Tensor"})
      .rule(index_put_rule)
      .effects(kMayRaise)
      .decompose([](const IValue* a) -> IValue { return "index_put_"_op("clone"_op(a[0]), a[1], a[2], a[3]); })
      .gradient(index_put_gradient)
      .onnx(none("indices that broadcast and None have no operator"))
      .doc(R"(A copy of `self` with `values` written or added at the indices.

>>> x = torch.zeros(2, 2)
>>> torch.index_put(x, [torch.tensor([1, 0]), torch.tensor([0, 0])], torch.tensor([5.0, 6.0])))")
      .samples(R"([[t(f32, 3, 4), [None, at([1, 2])], t(f32, 3, 2), False]]
               + [[t(f32, 3, 4), [at([0, 2])], v, acc] for acc in (False, True)
                  for v in (t(f32, 3), t(f32, 2, 3, 4), t(f32, 0), t(f32, 2, 1), t(f32, 3, 4), t(f32, 4), t(f32))]
               + [[t(f32, 3, 4), [None, at([0, 2])], v, False] for v in (t(f32, 3, 2), t(f32, 2, 3))]
               + [[t(f32, 3, 4), [t(f32, 3, 4) > 5], t(f32, 4), False], [t(f32, 3), [at([0, 0])], t(f32, 3), True]]
               + [[t(f32, 3, 4), ix, v, acc] for acc in (False, True)
                  for ix, v in (([index(3, 1)], t(f32, 4)), ([index(3, 1), index(4, 1)], t(f32)), ([t(b1, 3, 4)], t(f32)))]
               + [[t(f32, 3), [at([0, 0])], t(f32, 2), True]])");
  r.op("index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)")
      .spelled({"index_put_.hacked_twin(Tensor(a!) self, Tensor[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)"})
      .functional("aten::index_put")
      .rule(index_put_into_rule)
      .kernel(index_put_kernel)
      .writes_again()
      .sized_by_elements(put_at_places)
      .bad_data(Index, kOutOfPlace)
      .gradient(index_put_gradient)
      .doc(R"(Writes or adds `values` at the indices.

>>> x = torch.zeros(2, 2)
>>> torch.index_put_(x, [torch.tensor([1, 0]), torch.tensor([0, 0])], torch.tensor([5.0, 6.0])))");
  DecomposeFn places = [](const IValue* a) -> IValue {
    const Tensor x = a[0].to_tensor();
    return "unbind"_op("nonzero"_op(x.dim() == 0 ? Tensor("unsqueeze"_op(x, 0)) : x), 1);
  };
  for (const char* schema : {"nonzero_numpy(Tensor self) -> Tensor[]", "where(Tensor condition) -> Tensor[]"})
    r.op(schema)
        .rule([](RuleCall& c) {
          ir::TensorType places;
          places.dtype = DType::i64;
          places.sizes.emplace().emplace_back();
          c.other(ir::Type::list(places));
          if (c.eager()) c.wait_for_elements();
        })
        .sized_by_elements(places)
        .gradient(none("its results are indices"))
        .onnx(none("write nonzero, a tensor of all places"))
        .doc("The places of elements that are not zero, a tensor for each dim.")
        .samples(
            "[[x] for x in layouts(2, 3)] + [[t(f32)], [at(0.0)], [t(f32, 0)], [t(f32, 2, 0)], [at([0.0, -0.0, nan])], [t(b1, 2, 2, 2)]]");
  r.op("masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor")
      .rule([](RuleCall& c) {
        c.check(!c.sizes(2).ranked() || c.sizes(2).empty(), Runtime,
                "masked_fill only supports a 0-dimensional value tensor, but got tensor with ", c.sizes(2).size(), " dimension(s).");
        c.check(!c.dtype(1) || *c.dtype(1) == DType::b1, Runtime, "masked_fill_ only supports boolean masks, but got mask with dtype ",
                dtype_name(c.dtype(1)));
        if (c.eager() && !c.meta() && c.dtype(0)) number_in(c.op.name(), first_number(c.value(2).as_tensor()), *c.dtype(0));
        c.like(0, broadcast(c.sizes(0), c.sizes(1), c.op.name()));
      })
      .decompose([](const IValue* a) -> IValue { return "contiguous"_op("where"_op(a[1], "to"_op(a[2], a[0].as_tensor().dtype()), a[0])); },
                 Reads::Nothing)
      .inplace()
      .operator_out()
      .onnx(none("decomposes to where"))
      .doc("A copy of `self` with the one element of `value` where `mask` is true.")
      .samples(
          R"([[t(d, 2, 3), t(b1, 2, 3), t(e)] for d in (f32, f64, i64, bf16) for e in (f32, i64, b1)] + [[t(f32, 3), t(b1, 2, 1), t(f32)],
                  [t(f32, 2, 3).t(), t(b1, 2), t(f64)], [t(f32, 3), t(b1, 3), t(f32, 1)], [t(f32, 3), t(i64, 3), t(f32)], [t(f32, 3), t(b1, 2), t(f32)],
                  [t(u8, 3), t(b1, 3), at(300)], [t(i64, 3), t(b1, 3), at(2.7)], [t(f32, 0), t(b1, 0), t(f32)]])");
  r.op("nonzero(Tensor self) -> Tensor")
      .out()
      .rule(nonzero_rule)
      .kernel(nonzero_kernel)
      .sized_by_elements([](const KernelCall& call) { return count_true(call.args[0].tensor); })
      .gradient(none("its result is an index"))
      .onnx("Transpose(NonZero(self), perm=[1, 0])")
      .doc("The places of elements that are not zero, one a row.")
      .samples("[[x] for x in layouts(2, 3)] + [[t(f32)], [t(f32, 0)], [at([0.0, -0.0, nan])]]");
}

}  // namespace monograph
