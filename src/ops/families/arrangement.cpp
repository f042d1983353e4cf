// Operators that repeat, rotate, roll, stack and split tensors: repeat, tile, roll, rot90, movedim, meshgrid, hstack, block_diag, tensor_split, ... Each
// has a decomposition into views, copies and cat.
#include <algorithm>
#include <string>

#include "kernels/block_diag.h"
#include "kernels/repeats.h"
#include "ops/contiguous.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/rule.h"

namespace monograph {
namespace {

// x.repeat(repeats): a copy of x whose dim d is repeated repeats[d] times. Leading dims that x lacks count as 1.
Tensor repeated(const Tensor& x, const Sizes& repeats) {
  MONOGRAPH_CHECK(repeats.size() >= static_cast<size_t>(x.dim()), Runtime,
                  "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
  const size_t lead = repeats.size() - static_cast<size_t>(x.dim());
  const Sizes own = sizes_of(x);
  // x as (1, n0, 1, n1, ..), expanded to (r0, n0, r1, n1, ..), then seen as (r0 n0, r1 n1, ..).
  Sizes separated, expanded, result;
  for (size_t d = 0; d < repeats.size(); ++d) {
    MONOGRAPH_CHECK(!never(repeats[d] >= 0), Runtime, "Trying to create tensor with negative dimension: repeats are ", words(repeats));
    const Size n = d < lead ? Size(1) : own[d - lead];
    separated.push_back(1), separated.push_back(n);
    expanded.push_back(repeats[d]), expanded.push_back(n);
    result.push_back(repeats[d] * n);
  }
  const Tensor all = "expand"_op("reshape"_op(x, separated), expanded);
  return "view"_op("clone"_op(all, MemoryFormat::Contiguous), result);
}

IValue tile(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const Sizes given = sizes_in(a[1]);
  Sizes repeats;
  for (size_t d = given.size(); d < static_cast<size_t>(x.dim()); ++d) repeats.push_back(1);
  for (size_t d = 0; d < given.size(); ++d) repeats.push_back(given[d]);
  return repeated(x, repeats);
}

// repeat_interleave by a number: each slice along dim is repeated. If dim is None, the tensor is flattened first.
IValue interleave(const IValue* a) {
  Tensor x = a[0].to_tensor();
  if (a[2].is_none()) x = "reshape"_op(x, Dims{-1});
  const int64_t dim = a[2].is_none() ? 0 : wrapped(a[2], x);
  if (x.dim() == 0) x = "reshape"_op(x, Dims{1});
  const Size count = as_size(a[1]);
  Sizes expanded = sizes_of(x), result = expanded;
  const auto d = static_cast<size_t>(dim);
  result.set(d, expanded[d] * count);
  expanded.insert(d + 1, count);
  return "view"_op("clone"_op("expand"_op("unsqueeze"_op(x, dim + 1), expanded), MemoryFormat::Contiguous), result);
}

// repeat_interleave(repeats): a vector with 0 repeats[0] times, 1 repeats[1] times, ... For [2, 0, 1] it is [0, 0, 2].
void repeat_numbers_rule(RuleCall& c) {
  auto t = c.dtype(0);
  c.check(!t || *t == DType::i64 || *t == DType::i32, Runtime, "repeats has to be Long or Int tensor");
  c.check(!c.sizes(0).ranked() || c.sizes(0).size() == 1, Runtime, "repeat_interleave only accept 1D vector as repeat");
  c.contiguous(0);
  const Size stated = c.none(1) || (c.eager() && !c.meta()) ? Size() : c.size(1);  // the kernel checks the size that an eager call states
  c.like(0, Sizes{c.sizes(0)[0].is(0) ? Size(0) : stated});
  c.wait_for_elements();
}
IValue repeat_numbers(const IValue* a) {
  const Tensor repeats = a[0].to_tensor(), ends = "cumsum"_op(repeats, 0);
  if (repeats.numel() == 0) return "new_empty"_op(repeats, Dims{0});
  MONOGRAPH_CHECK("item"_op("amin"_op(repeats, Dims{0})).to_int() >= 0, Runtime, "repeats can not be negative");
  const int64_t total = "item"_op("select"_op(ends, 0, -1)).to_int();
  MONOGRAPH_CHECK(a[1].is_none() || a[1].to_int() == total, Runtime, "allocated size does not match required size");
  // `ends` are the places where the next number begins. Put 1 at each of them (several may coincide); the running sum is the number of ends passed so far.
  Tensor steps = "new_zeros"_op(ends, Dims{total + 1});
  const Tensor before = "narrow"_op(ends, 0, 0, repeats.numel() - 1);
  steps = "index_add"_op(steps, 0, before, "ones_like"_op(before));
  return "to"_op("narrow"_op("cumsum"_op(steps, 0), 0, 0, total), repeats.dtype());
}

// The kernel writes each slice of a contiguous tensor as often as it is repeated. The decomposition copies an expanded view.
void interleave_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  const Size count = c.size(1);
  c.check(count >= 0, Runtime, "Repeats must be non-negative");
  Sizes out = Sizes::unranked();
  auto state_size = [&](size_t d, Size n) {
    c.check(c.none(3) || c.size(3) == n, Runtime, "repeat_interleave: Invalid output_size, expected ", n, " but got ", c.size(3));
    out.set(d, n);
  };
  if (c.none(2) || (x.ranked() && x.empty())) {
    out = Sizes{Size()};
    state_size(0, (x.ranked() ? element_count(x) : Size()) * count);
    if (!c.none(2)) c.dim(2, 0);
  } else if (x.ranked()) {
    const auto d = c.dim(2, x.size());
    out = d ? Sizes(x) : Sizes(x.size(), Size());
    if (d) state_size(*d, x[*d] * count);
  }
  c.like(0, out);
  if (!all_contiguous(c, {0}) || x.empty() || !c.value(1).is_int()) c.leave_to_decomposition();
}

void repeat_by_tensor_rule(RuleCall& c) {
  auto t = c.dtype(1);
  c.check(!t || *t == DType::i64 || *t == DType::i32, Runtime, "repeats has to be Long or Int tensor");
  SizesRef self = c.sizes(0), repeats = c.sizes(1);
  const Size size = c.none(3) ? Size() : c.size(3);
  Size n;  // how many slices there are
  size_t along = 0;
  if (c.none(2)) {
    n = self.ranked() ? element_count(self) : Size();
    c.like(0, Sizes{size});
  } else if (!self.ranked()) {
    c.unranked(0);
  } else {
    Sizes out = self.empty() ? Sizes{1} : Sizes(self);
    if (const auto d = c.dim(2, self.size())) along = *d, n = out[*d], out.set(*d, size);
    else out = Sizes(out.size(), Size());
    c.like(0, out);
  }
  c.check(repeats.size() <= 1, Runtime, "repeats must be 0-dim or 1-dim tensor");
  c.check(repeats.empty() || repeats[0] == n || repeats[0] == 1, Runtime,
          "repeats must have the same size as input along dim, but got repeats.size(0) = ", repeats[0], " and input.size(", along,
          ") = ", n);
  c.wait_for_elements();
}
IValue repeat_by_tensor(const IValue* a) {
  Tensor x = a[0].to_tensor(), repeats = a[1].to_tensor();
  if (a[2].is_none()) x = "reshape"_op(x, Dims{-1});
  if (x.dim() == 0) x = "reshape"_op(x, Dims{1});
  const int64_t dim = a[2].is_none() ? 0 : wrapped(a[2], x);
  const Size n = size_of(x, dim);
  if (repeats.dim() == 0 || !size_of(repeats, 0).same(n)) repeats = "expand"_op("reshape"_op(repeats, Dims{-1}), Sizes{n});
  // A call by the short name would take output_size for a number of repeats.
  static const Operator& numbers = find_operator("aten::repeat_interleave.Tensor");
  const IValue args[] = {repeats, a[3]};
  IValue places;
  call(numbers, args, &places);
  return "index_select"_op(x, dim, places);
}

Tensor rolled(const Tensor& x, const Size& shift, int64_t dim) {
  const Size n = size_of(x, dim);
  if (n.is(0)) return "clone"_op(x);
  const Size start = mod(n - shift, max(n, 1));  // a symbolic n may be 0 in a later run
  const Tensor tail = "slice"_op(x, dim, start, n, 1), head = "slice"_op(x, dim, 0, start, 1);
  return "cat"_op(tensors_of({tail, head}), dim);
}

IValue roll(const IValue* a) {
  Tensor x = a[0].to_tensor();
  const Sizes shifts = sizes_in(a[1]);
  const Dims dims = a[2].to_ints();
  MONOGRAPH_CHECK(!shifts.empty(), Runtime, "`shifts` required");
  if (dims.empty() && shifts.size() == 1) {
    const Sizes sizes = sizes_of(x);
    return "reshape"_op(rolled("reshape"_op(x, Dims{-1}), shifts[0], 0), sizes);
  }
  MONOGRAPH_CHECK(shifts.size() == dims.size(), Runtime, "shifts and dimensions must align. shifts: ", shifts.size(),
                  ", dims:", dims.size());
  MONOGRAPH_CHECK(x.dim() > 0, Index, "Dimension specified as ", dims[0], " but tensor has no dimensions");
  for (size_t k = 0; k < dims.size(); ++k) x = rolled(x, shifts[k], wrapped(dims[k], x));
  return x;
}

IValue rotate(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const Dims dims = a[2].to_ints();
  MONOGRAPH_CHECK(dims.size() == 2, Runtime, "expected total rotation dims == 2, but got dims = ", dims.size());
  MONOGRAPH_CHECK(x.dim() >= 2, Runtime, "expected total dims >= 2, but got total dims = ", x.dim());
  const int64_t from = wrap_dim(dims[0], x.dim()), to = wrap_dim(dims[1], x.dim());
  MONOGRAPH_CHECK(from != to, Runtime, "expected rotation dims to be different, but got dim0 = ", dims[0], " and dim1 = ", dims[1]);
  const int64_t quarter = ((a[1].to_int() % 4) + 4) % 4;
  if (quarter == 0) return "clone"_op(x, MemoryFormat::Contiguous);
  if (quarter == 2) return "flip"_op(x, Dims{from, to});
  return quarter == 1 ? "transpose"_op("flip"_op(x, Dims{to}), from, to) : "transpose"_op("flip"_op(x, Dims{from}), from, to);
}

IValue move_dims(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const Dims from = a[1].is_int() ? Dims{a[1].to_int()} : Dims(a[1].to_ints()),
             to = a[2].is_int() ? Dims{a[2].to_int()} : Dims(a[2].to_ints());
  MONOGRAPH_CHECK(from.size() == to.size(), Runtime, "movedim: Invalid source or destination dims: source (", to_string(from),
                  " dims) should contain the same number of dims as destination (", to_string(to), " dims)");
  const auto rank = static_cast<size_t>(x.dim());
  std::vector<int64_t> order(rank, -1);
  std::vector<bool> moved(rank, false);
  for (size_t k = 0; k < from.size(); ++k) {
    const auto f = static_cast<size_t>(wrapped(from[k], x)), t = static_cast<size_t>(wrapped(to[k], x));
    if (rank == 0) return "alias"_op(x);
    MONOGRAPH_CHECK(!moved[f] && order[t] < 0, Runtime, "movedim: repeated dim in `", moved[f] ? "source" : "destination", "` (",
                    to_string(moved[f] ? from : to), ")");
    moved[f] = true, order[t] = static_cast<int64_t>(f);
  }
  size_t next = 0;
  Dims dims;
  for (size_t d = 0; d < rank; ++d) {
    if (order[d] < 0) {
      while (moved[next]) ++next;
      order[d] = static_cast<int64_t>(next++);
    }
    dims.push_back(order[d]);
  }
  return "permute"_op(x, dims);
}

// --- Lists of tensors.

std::vector<Tensor> each(const IValue& list) { return list.to_tensors(); }

std::vector<Tensor> broadcast_all(const IValue& list) {
  std::vector<Tensor> tensors = each(list);
  if (tensors.empty()) return tensors;
  Sizes sizes = sizes_of(tensors[0]);
  for (const Tensor& t : tensors) sizes = broadcast_in_example(sizes, sizes_of(t), "aten::broadcast_tensors");
  for (Tensor& t : tensors) t = "expand"_op(t, sizes);
  return tensors;
}

std::vector<Tensor> mesh(const IValue& list, bool columns_first) {
  std::vector<Tensor> tensors = each(list);
  MONOGRAPH_CHECK(!tensors.empty(), Runtime, "meshgrid expects a non-empty TensorList");
  const bool swaps = columns_first && tensors.size() >= 2;
  if (swaps) std::swap(tensors[0], tensors[1]);
  const auto rank = static_cast<int64_t>(tensors.size());
  Sizes sizes;
  for (const Tensor& t : tensors) {
    MONOGRAPH_CHECK(t.dim() <= 1, Runtime, "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got a tensor of ", t.dim(),
                    " dims");
    MONOGRAPH_CHECK(t.dtype() == tensors[0].dtype(), Runtime, "torch.meshgrid expects all tensors to have the same dtype");
    sizes.push_back(t.dim() ? sizes_of(t)[0] : Size(1));
  }
  for (int64_t d = 0; d < rank; ++d) {
    Tensor& t = tensors[static_cast<size_t>(d)];
    t = "expand"_op(along(t, d, rank), sizes);
  }
  if (swaps) std::swap(tensors[0], tensors[1]);
  return tensors;
}

template <int kRank>
Tensor at_least(const Tensor& x) {
  if (x.dim() >= kRank) return x;
  if (x.dim() == 0) return "reshape"_op(x, Dims(kRank, 1));
  if constexpr (kRank == 2) return "unsqueeze"_op(x, 0);
  if constexpr (kRank == 3) return x.dim() == 1 ? "unsqueeze"_op("unsqueeze"_op(x, 0), -1) : "unsqueeze"_op(x, -1);
  return x;
}
template <int kRank>
std::vector<Tensor> all_at_least(const IValue& list, const char* name) {
  std::vector<Tensor> tensors = each(list);
  MONOGRAPH_CHECK(!tensors.empty() || *name == 0, Runtime, name, " expects a non-empty TensorList");
  for (Tensor& t : tensors) t = at_least<kRank>(t);
  return tensors;
}

IValue side_by_side(const IValue* a) {
  const std::vector<Tensor> parts = all_at_least<1>(a[0], "hstack");
  return "cat"_op(tensors_of(parts), parts[0].dim() == 1 ? 0 : 1);
}
IValue columns(const IValue* a) {
  std::vector<Tensor> parts = each(a[0]);
  MONOGRAPH_CHECK(!parts.empty(), Runtime, "column_stack expects a non-empty TensorList");
  for (Tensor& t : parts)
    if (t.dim() <= 1) t = "reshape"_op(t, Dims{-1, 1});
  return "cat"_op(tensors_of(parts), 1);
}

IValue blocks(const IValue* a) {
  std::vector<Tensor> rows;
  Size width = 0, before = 0;
  DType dtype = DType::b1;
  std::vector<Tensor> parts = each(a[0]);
  bool first = true;
  for (Tensor& t : parts) {
    t = at_least<2>(t);
    width = width + size_of(t, 1);
    dtype = first ? t.dtype() : promote_types(dtype, t.dtype());
    first = false;
  }
  if (parts.empty()) return "empty"_op(Dims{1, 0});
  for (const Tensor& t : parts) {
    const Size height = size_of(t, 0), own = size_of(t, 1);
    const Tensor left = zeros_beside(t, Sizes{height, before}), right = zeros_beside(t, Sizes{height, width - before - own});
    rows.push_back("to"_op("cat"_op(tensors_of({left, t, right}), 1), dtype));
    before = before + own;
  }
  return "cat"_op(tensors_of(rows), 0);
}

// The kernel takes contiguous matrices of one dtype, and writes each row of the result once.
void blocks_rule(RuleCall& c) {
  const auto count = c.count(0);
  if (!count) return c.result(Sizes{Size(), Size()}, std::nullopt);
  Size height = 0, width = 0;
  std::optional<DType> dtype = *count ? c.item_dtype(0, 0) : default_dtype();
  bool fits = c.eager() && *count > 0;
  for (size_t k = 0; k < *count; ++k) {
    SizesRef part = c.item_sizes(0, k);
    c.check(!part.ranked() || part.size() <= 2, Runtime, "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input has ",
            part.size(), " dimensions");
    height = height + (!part.ranked() ? Size() : part.size() == 2 ? part[0] : Size(1));
    width = width + (!part.ranked() ? Size() : part.empty() ? Size(1) : part.back());
    const auto t = c.item_dtype(0, k);
    fits =
        fits && part.size() == 2 && t == dtype && is_in_memory(c.value(0).items()[k]) && c.value(0).items()[k].as_tensor().is_contiguous();
    dtype = dtype && t ? std::optional(promote_types(*dtype, *t)) : std::nullopt;
  }
  if (*count == 0) height = 1;
  c.result(Sizes{height, width}, dtype);
  if (*count == 0) c.on(Device{});
  if (!fits) c.leave_to_decomposition();
}

IValue product_of_sets(const IValue* a) {
  const std::vector<Tensor> parts = each(a[0]);
  for (const Tensor& t : parts) MONOGRAPH_CHECK(t.dim() == 1, Runtime, "Expect a 1D vector, but got a tensor of ", t.dim(), " dims");
  if (parts.size() == 1) return parts[0];
  std::vector<Tensor> grid = mesh(a[0], false);
  for (Tensor& t : grid) t = "reshape"_op(t, Dims{-1});
  return "stack"_op(tensors_of(grid), 1);
}

// --- Splitting.

int64_t split_dim(const IValue& dim, const Tensor& x) {
  MONOGRAPH_CHECK(x.dim() > 0, Runtime, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  return wrapped(dim, x);
}
// `sections` views along dim. The first ones are larger by one if the size is not divisible.
std::vector<Tensor> split_into(const Tensor& x, int64_t sections, int64_t dim) {
  MONOGRAPH_CHECK(sections > 0, Runtime, "number of sections must be larger than 0, got ", sections);
  MONOGRAPH_CHECK(sections <= INT32_MAX, Runtime, "there is no list of ", sections, " tensors");
  const Size n = size_of(x, dim), each = floordiv(n, sections), larger = mod(n, sections);
  std::vector<Tensor> parts;
  for (int64_t k = 0; k < sections; ++k)
    parts.push_back("slice"_op(x, dim, each * k + min(larger, k), each * (k + 1) + min(larger, k + 1), 1));
  return parts;
}
// Views along dim between these indices.
std::vector<Tensor> split_at_indices(const Tensor& x, const Sizes& places, int64_t dim) {
  std::vector<Tensor> parts;
  Size at = 0;
  for (size_t k = 0; k < places.size(); ++k) parts.push_back("slice"_op(x, dim, at, places[k], 1)), at = places[k];
  parts.push_back("slice"_op(x, dim, at, IValue(), 1));
  return parts;
}
IValue tensor_split_sections(const IValue* a) {
  return tensors_of(split_into(a[0].to_tensor(), a[1].to_int(), split_dim(a[2], a[0].to_tensor())));
}
IValue tensor_split_indices(const IValue* a) {
  return tensors_of(split_at_indices(a[0].to_tensor(), sizes_in(a[1]), split_dim(a[2], a[0].to_tensor())));
}

IValue split_by_tensor(const IValue* a) {
  const Tensor places = a[1].to_tensor();
  MONOGRAPH_CHECK(places.dtype() == DType::i64, Runtime, "tensor_split expected tensor_indices_or_sections to have dtype of long, but got ",
                  info(places.dtype()).scalar_type);
  MONOGRAPH_CHECK(
      places.dim() <= 1, Runtime,
      "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got a tensor with ",
      places.dim(), " dims");
  MONOGRAPH_CHECK(!places.is_meta(), Runtime,
                  "where tensor_split splits depends on elements of a tensor, but a meta tensor has no elements; pass a list of ints");
  if (places.dim() == 0) return "tensor_split"_op(a[0], "item"_op(places).to_int(), a[2]);
  Dims at;
  const int64_t count = fixed_size(places, 0);
  for (int64_t k = 0; k < count; ++k) at.push_back("item"_op("select"_op(places, 0, k)).to_int());
  return "tensor_split"_op(a[0], at, a[2]);
}

// hsplit, vsplit and dsplit split along dim kDim: into equal parts (kEven), or at indices. hsplit of a vector splits along dim 0.
template <int kDim, bool kEven>
IValue split_named(const IValue* a) {
  constexpr const char* kName = kDim == 0 ? "vsplit" : kDim == 1 ? "hsplit" : "dsplit";
  const Tensor x = a[0].to_tensor();
  constexpr int kLeast = kDim == 1 ? 1 : kDim == 0 ? 2 : 3;
  MONOGRAPH_CHECK(x.dim() >= kLeast, Runtime, "torch.", kName, " requires a tensor with at least ", kLeast,
                  " dimensions, but got a tensor with ", x.dim(), " dimensions!");
  const int64_t dim = kDim == 1 && x.dim() == 1 ? 0 : kDim;
  if constexpr (!kEven) return tensors_of(split_at_indices(x, sizes_in(a[1]), dim));
  const Size n = size_of(x, dim);
  const int64_t sections = a[1].to_int();
  MONOGRAPH_CHECK(sections != 0 && !never(mod(n, sections) == 0), Runtime, "torch.", kName, " attempted to split along dimension ", dim,
                  ", but the size of the dimension ", to_string(n), " is not divisible by the split_size ", sections, "!");
  return tensors_of(split_into(x, sections, dim));
}

constexpr const char* kMade = "decomposes to views, copies and Concat";

void repeating(Registry& r) {
  r.op("repeat(Tensor self, SymInt[] repeats) -> Tensor")
      .operator_out()
      .decompose([](const IValue* a) -> IValue { return repeated(a[0].to_tensor(), sizes_in(a[1])); }, Reads::Symbols)
      .method_only()
      .onnx(none("Tile takes as many repeats as dims"))
      .doc("A copy in which each dim is gone through `repeats` times; dims are added in front.")
      .samples(
          R"([[x, n] for x in layouts(2, 3) for n in ([1, 1], [2, 1], [2, 3], [2, 1, 3], [0, 2])] + [[t(f32), [2]], [t(f32), []], [t(f32, 2, 3), [2]],
                  [t(f32, 2), [-1]], [t(f32, 0, 2), [2, 2]]])");
  r.op("tile(Tensor self, SymInt[] dims) -> Tensor")
      .decompose(tile, Reads::Symbols)
      .onnx(none("Tile takes as many repeats as dims"))
      .doc("A copy in which the last dims are gone through `dims` times.")
      .samples("[[x, n] for x in layouts(2, 3) for n in ([2], [2, 3], [2, 1, 3], [])] + [[t(f32), [2]], [t(f32, 2), [-1]]]");
  r.op("repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor")
      .decompose(interleave, Reads::Symbols)
      .rule(interleave_rule)
      .kernel(repeat_interleave_kernel)
      .storage_only(StorageOnly::Taken)
      .onnx(none(kMade))
      .doc("Each slice along `dim` `repeats` times in a row; without a dim, each element.")
      .samples(
          R"([[x, n, d] for x in layouts(2, 3) for n, d in ((2, None), (3, 0), (2, -1), (0, 1))] + [[t(f32), 2], [t(f32, 2), -1], [t(f32, 2), 2, 1],
                  [t(f32, 2), 2, 0, 4], [t(f32, 2), 2, 0, 5]])");
  r.op("repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor")
      .rule(repeat_by_tensor_rule)
      .sized_by_elements(repeat_by_tensor)
      .decompose(repeat_by_tensor, Reads::Symbols)
      .onnx(none("its size depends on elements"))
      .doc("Each slice along `dim` as many times as `repeats` says.")
      .samples(
          R"([[x, at([1, 2, 0]), 1] for x in layouts(2, 3)] + [[t(f32, 2, 2), at([1, 2, 0, 1])], [t(f32, 3), at([2])], [t(f32, 3), at(2), 0],
                  [t(f32, 3), at([1, 2])], [t(f32, 2), at([1, -1])], [t(f32, 2), at([1.0, 2.0])]])");
  r.op("repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor")
      .operator_out()
      .rule(repeat_numbers_rule)
      .sized_by_elements(repeat_numbers_size)
      .kernel(repeat_numbers_kernel)
      .bad_data(Runtime, "repeats can not be negative", "allocated size does not match required size")
      .decompose(repeat_numbers)
      .function_only()
      .gradient(none("its result is an index"))
      .onnx(none("its size depends on elements"))
      .doc("0 as many times as `repeats` says first, then 1, and so on.")
      .samples(
          "[[at(v)] for v in ([1, 2, 3], [0, 0, 2], [3], [0])] + [[at([1, 2]).int()], [at([-1, 2])], [at([[1]])], [at([1, 2]), 3], "
          "[torch.zeros(0, dtype=i64)]]");
  r.op("roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor")
      .decompose(roll, Reads::Symbols)
      .out()
      .onnx(none(kMade))
      .doc("The elements moved by `shifts` along `dims`; what leaves at the end comes in at the start.")
      .samples(
          R"([[x, s, d] for x in layouts(2, 3) for s, d in (([1], [0]), ([-1, 2], [0, 1]), ([4], []), ([0], [1]))] + [[t(f32), [1], []], [t(f32, 0, 2), [1], [0]],
                  [t(f32, 3), [1, 2], [0]], [t(f32, 3), [1], [1]], [t(f32, 3), [], []]])");
  r.op("rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor")
      .decompose(rotate, Reads::Symbols)
      .out()
      .onnx(none(kMade))
      .doc("The elements turned `k` times by a quarter, from the first of two dims to the second.")
      .samples(
          "[[x, k, [0, 1]] for x in layouts(2, 3) for k in (0, 1, 2, 3, -1, 5)] + [[t(f32, 2, 3, 2), 1, [2, 0]], [t(f32, 2), 1, [0, 1]], "
          "[t(f32, 2, 2), 1, [0, 0]]]")
      .special(Special::OtherSchemaText, "the default list");
  r.op("fliplr(Tensor self) -> Tensor")
      .decompose(
          [](const IValue* a) -> IValue {
            MONOGRAPH_CHECK(a[0].as_tensor().dim() >= 2, Runtime, "Input must be >= 2-d.");
            return "flip"_op(a[0], Dims{1});
          },
          Reads::Nothing)
      .onnx(none("decomposes to flip"))
      .doc("The columns in reverse order.")
      .samples("[[x] for x in layouts(2, 3)] + [[t(f32, 3)]]");
  r.op("flipud(Tensor self) -> Tensor")
      .decompose(
          [](const IValue* a) -> IValue {
            MONOGRAPH_CHECK(a[0].as_tensor().dim() >= 1, Runtime, "Input must be >= 1-d.");
            return "flip"_op(a[0], Dims{0});
          },
          Reads::Nothing)
      .onnx(none("decomposes to flip"))
      .doc("The rows in reverse order.")
      .samples("[[x] for x in layouts(2, 3)] + [[t(f32, 3)], [t(f32)]]");
}

void turning(Registry& r) {
  r.op("movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)")
      .alias({"moveaxis"})
      .decompose(move_dims, Reads::Nothing)
      .onnx(none("decomposes to permute"))
      .doc("A view with dims moved to other places; the rest keeps its order.")
      .samples(
          R"([[x, s, d] for x in layouts(2, 3, 4) for s, d in (([0], [2]), ([0, 1], [-1, 0]), ([], []))] + [[t(f32, 2, 3), [0, 0], [0, 1]],
                    [t(f32, 2, 3), [0, 1], [1, 1]], [t(f32, 2, 3), [0], [0, 1]], [t(f32, 2), [1], [0]]])");
  r.op("movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)")
      .alias({"moveaxis"})
      .decompose(move_dims, Reads::Nothing)
      .onnx(none("decomposes to permute"))
      .doc("A view with one dim moved to another place; the rest keeps its order.")
      .samples("[[x, s, d] for x in layouts(2, 3, 4) for s, d in ((0, 2), (-1, 0), (1, 1))] + [[t(f32, 2), 0, 1], [t(f32), 0, 0]]");
  r.op("broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)")
      .decompose([](const IValue* a) -> IValue { return "expand"_op(a[0], a[1]); }, Reads::Nothing)
      .onnx(none("decomposes to expand"))
      .doc("A view in which dims of size 1 are repeated.")
      .samples("[[t(f32, 3, 1), [2, 3, 4]], [t(f32), [2]], [t(f32, 2), [3]], [t(f32, 1, 3), [-1, 3]]]");
  r.op("ravel(Tensor(a) self) -> Tensor(a)")
      .may_return("self")
      .rule([](RuleCall& c) { c.sizes(0).ranked() ? c.like(0, Sizes{element_count(c.sizes(0))}) : c.like(0, Sizes{Size()}); })
      .decompose(
          [](const IValue* a) -> IValue {
            const Tensor x = a[0].to_tensor();
            const bool in_order = x->kind == TensorImpl::Kind::Dense && x.is_contiguous();
            return "reshape"_op(in_order ? x : Tensor("contiguous"_op(x)), Dims{-1});
          },
          Reads::Strides)
      .onnx("out: Reshape(self, [-1])")
      .doc("All elements in one dim.")
      .samples("[[x] for x in layouts(2, 3)] + [[t(f32)], [t(f32, 0, 2)]]");
  r.op("unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)")
      .decompose(
          [](const IValue* a) -> IValue {
            const Tensor x = a[0].to_tensor();
            const Sizes parts = sizes_in(a[2]), own = sizes_of(x);
            MONOGRAPH_CHECK(!parts.empty(), Runtime, "unflatten: sizes must be non-empty");
            const auto d = static_cast<size_t>(wrapped(a[1], x));
            MONOGRAPH_CHECK(x.dim() > 0, Index, "unflatten: Dimension specified as ", a[1].to_int(), " but tensor has no dimensions");
            Sizes sizes;
            Size known = 1;
            int open = 0;
            for (size_t k = 0; k < parts.size(); ++k) {
              if (parts[k].is(-1)) ++open;
              else known = known * parts[k];
            }
            MONOGRAPH_CHECK(open <= 1, Runtime, "only one dimension can be inferred");
            MONOGRAPH_CHECK(open ? known.is(0) || !never(mod(own[d], known) == 0) : !never(known == own[d]), Runtime,
                            "unflatten: Provided sizes ", words(parts), " don't multiply up to the size of dim ", a[1].to_int(), " (",
                            to_string(own[d]), ") in the input tensor");
            for (size_t k = 0; k < own.size(); ++k) {
              if (k != d) sizes.push_back(own[k]);
              else
                for (size_t j = 0; j < parts.size(); ++j) sizes.push_back(parts[j].is(-1) ? floordiv(own[d], known) : parts[j]);
            }
            return "view"_op(x, sizes);
          },
          Reads::Symbols)
      .onnx(none("decomposes to view"))
      .doc("A view with one dim cut into several, of which one may be -1.")
      .samples(
          "[[x, 1, s] for x in layouts(2, 6) for s in ([2, 3], [-1, 2], [6], [3, 1, -1])] + [[t(f32, 6), -1, [2, 3]], [t(f32, 6), 0, [4, "
          "2]], [t(f32, 6), 0, [-1, -1]], [t(f32, 6), 0, []]]");
}

void lists(Registry& r) {
  r.op("meshgrid(Tensor[] tensors) -> Tensor[]")
      .decompose([](const IValue* a) -> IValue { return tensors_of(mesh(a[0], false)); }, Reads::Symbols)
      .function_only()
      .onnx(none("decomposes to reshape and expand"))
      .doc("For each vector, a tensor of one dim a vector that goes through its elements along its dim.")
      .samples("[[[t(f32, 2), t(f32, 3)]], [[t(f32, 2), t(f32), t(f32, 3)]], [[t(i64, 2)]], [[t(f32, 2), t(f64, 2)]], [[t(f32, 2, 2)]]]");
  r.op("meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]")
      .decompose(
          [](const IValue* a) -> IValue {
            const std::string indexing = a[1].to_string();
            MONOGRAPH_CHECK(indexing == "ij" || indexing == "xy", Runtime,
                            "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: ", indexing);
            return tensors_of(mesh(a[0], indexing == "xy"));
          },
          Reads::Symbols)
      .function_only()
      .onnx(none("decomposes to reshape and expand"))
      .doc("meshgrid with the first two dims exchanged where indexing is \"xy\".")
      .samples(R"([[[t(f32, 2), t(f32, 3), t(f32, 4)], w] for w in ("ij", "xy", "yx")] + [[[t(f32, 2)], "xy"]])");
  r.op("broadcast_tensors(Tensor[] tensors) -> Tensor[]")
      .decompose([](const IValue* a) -> IValue { return tensors_of(broadcast_all(a[0])); }, Reads::Symbols)
      .function_only()
      .may_return("tensors")
      .onnx(none("decomposes to expand"))
      .doc("Views of the tensors in the sizes that all of them broadcast to.")
      .samples("[[[t(f32, 2, 1), t(f32, 3)]], [[t(f32), t(i64, 2)]], [[t(f32, 2), t(f32, 3)]]]");
  auto least = [&](const char* one, const char* many, DecomposeFn single, DecomposeFn list, const char* doc) {
    r.op(one)
        .decompose(single, Reads::Symbols)
        .may_return("self")
        .function_only()
        .onnx(none("decomposes to views"))
        .doc(doc)
        .samples("[[x] for x in layouts(2, 3)] + [[t(f32)], [t(f32, 2)], [t(f32, 2, 3, 4)]]");
    r.op(many)
        .decompose(list, Reads::Symbols)
        .may_return("tensors")
        .function_only()
        .onnx(none("decomposes to views"))
        .doc(doc)
        .samples("[[[t(f32), t(f32, 2), t(f32, 2, 3)]]]");
  };
  least(
      "atleast_1d(Tensor self) -> Tensor", "atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]",
      [](const IValue* a) -> IValue { return at_least<1>(a[0].to_tensor()); },
      [](const IValue* a) -> IValue { return tensors_of(all_at_least<1>(a[0], "")); }, "A view with dims of size 1 where there is none.");
  least(
      "atleast_2d(Tensor self) -> Tensor", "atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]",
      [](const IValue* a) -> IValue { return at_least<2>(a[0].to_tensor()); },
      [](const IValue* a) -> IValue { return tensors_of(all_at_least<2>(a[0], "")); }, "A view with dims of size 1 in front up to two.");
  least(
      "atleast_3d(Tensor self) -> Tensor", "atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]",
      [](const IValue* a) -> IValue { return at_least<3>(a[0].to_tensor()); },
      [](const IValue* a) -> IValue { return tensors_of(all_at_least<3>(a[0], "")); }, "A view with dims of size 1 around up to three.");
  auto stack_of = [&](const char* schema, DecomposeFn make, const char* doc) {
    return r.op(schema)
        .decompose(make, Reads::Symbols)
        .out()
        .out_dtype(OutDType::Safe)
        .onnx(none(kMade))
        .doc(doc)
        .samples(R"([[[t(f32, 2, 3), t(f32, 2, 3)]], [[t(f32, 3), t(f32, 3)]], [[t(f32), t(f32)]],
        [[t(f32, 2, 3, 4), t(f32, 2, 3, 4)]], [[t(f32, 2), t(i64, 2)]], [[t(f32, 2), t(f32, 3)]], [[t(f32, 2, 2), t(f32, 2)]], [[t(f32, 2)]]])");
  };
  stack_of("hstack(Tensor[] tensors) -> Tensor", side_by_side, "The tensors side by side: along dim 1, vectors along dim 0.");
  stack_of(
      "vstack(Tensor[] tensors) -> Tensor",
      [](const IValue* a) -> IValue { return "cat"_op(tensors_of(all_at_least<2>(a[0], "vstack")), 0); },
      "The tensors one below the other: along dim 0, vectors as rows.")
      .alias({"row_stack"});
  stack_of(
      "dstack(Tensor[] tensors) -> Tensor",
      [](const IValue* a) -> IValue { return "cat"_op(tensors_of(all_at_least<3>(a[0], "dstack")), 2); }, "The tensors along dim 2.");
  stack_of("column_stack(Tensor[] tensors) -> Tensor", columns, "The tensors along dim 1, vectors as columns.");
  r.op("block_diag(Tensor[] tensors) -> Tensor")
      .decompose(blocks, Reads::Symbols)
      .rule(blocks_rule)
      .kernel(block_diag_kernel)
      .function_only()
      .out()
      .onnx(none(kMade))
      .doc("Zeros with the matrices along the diagonal.")
      .samples(
          "[[[t(f32, 2, 3), t(f32, 1, 2)]], [[t(f32, 2), t(f32), t(i64, 2, 2)]], [[t(i64, 2, 2)]], [[t(f32, 2, 2, 2)]], [[t(f32, 0, 2), "
          "t(f32, 1, 1)]]]");
  r.op("cartesian_prod(Tensor[] tensors) -> Tensor")
      .decompose(product_of_sets, Reads::Symbols)
      .function_only()
      .may_return("tensors")
      .onnx(none(kMade))
      .doc("All rows that take one element of each vector, the last one changing fastest.")
      .samples("[[[t(f32, 2), t(f32, 3)]], [[t(i64, 2), t(i64, 1), t(i64, 2)]], [[t(f32, 2)]], [[t(f32, 2, 2)]]]");
}

void splitting(Registry& r) {
  constexpr const char* kPieces = "decomposes to slices";
  r.op("tensor_split.sections(Tensor(a -> *) self, SymInt sections, int dim=0) -> Tensor(a)[]")
      .decompose(tensor_split_sections, Reads::Symbols)
      .onnx(none(kPieces))
      .doc("As many views along `dim`, the first ones larger by one where they cannot be equal.")
      .samples("[[t(f32, 7, 2), 3, 0], [t(f32, 2, 4), 2, -1], [t(f32, 2), 4, 0], [t(f32, 2), 0, 0], [t(f32), 1, 0]]");
  r.op("tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int dim=0) -> Tensor(a)[]")
      .decompose(tensor_split_indices, Reads::Symbols)
      .onnx(none(kPieces))
      .doc("Views along `dim`, cut at `indices`.")
      .samples("[[t(f32, 7, 2), [2, 5], 0], [t(f32, 2, 4), [1], -1], [t(f32, 4), [3, 1, 9], 0], [t(f32, 4), [-1], 0], [t(f32, 4), [], 0]]");
  r.op("tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor(a)[]")
      .decompose(split_by_tensor, Reads::Symbols)
      .sized_by_elements(split_by_tensor)
      .onnx(none(kPieces))
      .doc("tensor_split by numbers in a tensor.")
      .samples("[[t(f32, 7, 2), at([2, 5]), 0], [t(f32, 2, 4), at(2), -1], [t(f32, 4), at([1.0]), 0], [t(f32, 4), at([[1]]), 0]]");
  auto named = [&](const char* even, const char* places, DecomposeFn evenly, DecomposeFn at, const char* doc) {
    const char* samples = R"([[t(f32, 4, 2, 6), n] for n in (1, 2, 3)] + [[t(f32, 4), 2], [t(f32, 2, 4), 2], [t(f32), 1]])";
    r.op(even).decompose(evenly, Reads::Symbols).onnx(none(kPieces)).doc(doc).samples(samples);
    r.op(places)
        .decompose(at, Reads::Symbols)
        .onnx(none(kPieces))
        .doc(doc)
        .samples("[[t(f32, 4, 2, 6), n] for n in ([1], [1, 3])] + [[t(f32, 4), [2]], [t(f32, 2, 4), [2]], [t(f32), [1]]]");
  };
  named("hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", "hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]",
        split_named<1, true>, split_named<1, false>, "Views along dim 1, of vectors along dim 0.");
  named("vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", "vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]",
        split_named<0, true>, split_named<0, false>, "Views along dim 0.");
  named("dsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", "dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]",
        split_named<2, true>, split_named<2, false>, "Views along dim 2.");
}

}  // namespace

void arrangement(Registry& r) {
  repeating(r);
  turning(r);
  lists(r);
  splitting(r);
}

}  // namespace monograph
