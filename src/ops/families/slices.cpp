// Tensor.unfold (a view of sliding windows), the operators that split a tensor into copies (unsafe_split, split_copy, ..), as_strided_scatter,
// fill_diagonal_ and put.
#include <algorithm>

#include "kernels/index_fill.h"
#include "kernels/split_copy.h"
#include "kernels/windows.h"
#include "ops/contiguous.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/families/splits.h"
#include "ops/layouts.h"
#include "ops/pointwise.h"
#include "ops/rule.h"
#include "ops/torchscript_names.h"

namespace monograph {
namespace {

// --- Tensor.unfold.

void unfold_rule(RuleCall& c) {
  View v = c.view_of(0);
  if (!v.ranked()) return c.unranked(0);
  const auto d = c.dim(1, v.dim());
  if (!d) return c.like(0, Sizes(v.dim() + 1, Size::unknown()));
  const bool scalar = v.dim() == 0;
  const Size size = c.size(2), step = c.size(3), n = scalar ? Size(1) : v.sizes[*d], stride = scalar ? Size(1) : v.strides[*d];
  c.check(size >= 0, Runtime, "size is ", size, " but must be >= 0");
  c.check(size <= n, Runtime, "maximum size for tensor at dimension ", *d, " is ", n, " but size is ", size);
  c.check(step > 0, Runtime, "step is ", step, " but must be > 0");
  if (!scalar) v.sizes.set(*d, floordiv(n - size, step) + 1), v.strides.set(*d, stride * step);
  v.push_back(size, stride);
  c.view(std::move(v));
}

void unfold_backward_rule(RuleCall& c) {
  const Sizes to = c.ints(1);
  const auto t = c.dtype(0);
  c.check(!t || is_floating(*t) || is_complex(*t), ErrorKind::NotImplemented, "gradients are not implemented for '", scalar_type(t), "'");
  c.check(c.size(3) >= 0 && c.size(4) > 0, Runtime, "expected a size of at least 0 and a step above 0, but got ", c.size(3), " and ",
          c.size(4));
  SizesRef grad = c.sizes(0);
  if (to.ranked()) {
    const auto d = c.dim(2, to.size());
    c.check(!grad.ranked() || grad.size() == to.size() + 1, Runtime, "expected a gradient of ", to.size() + 1, " dims, but got ", grad);
    for (size_t k = 0; d && grad.ranked() && k < to.size(); ++k)
      c.check(k == *d ? grad[k] == floordiv(to[k] - c.size(3), c.size(4)) + 1 : grad[k] == to[k], Runtime,
              "expected a gradient of the windows of size ", to, ", but got ", grad);
    if (grad.ranked() && !grad.empty()) c.check(grad.back() == c.size(3), Runtime, "expected windows of ", c.size(3), ", but got ", grad);
  }
  c.like(0, to);
}

// --- Splitting into copies.

IValue copies_of(const IValue& views) {
  std::vector<Tensor> parts;
  for (const Tensor& t : views.to_tensors()) parts.push_back("clone"_op(t));
  return tensors_of(parts);
}

enum class Pieces : uint8_t { OfSize, OfSizes, Count };
// The sizes along the dim of the pieces that a call with these numbers makes of n places.
template <Pieces kPieces>
Dims piece_lengths(const IValue& wanted, int64_t n) {
  if (kPieces == Pieces::OfSizes) return wanted.to_ints();
  Dims lengths;
  const int64_t given = wanted.to_int(), each = kPieces == Pieces::Count ? (n + given - 1) / given : given;
  for (int64_t rest = n; rest > 0; rest -= lengths.back()) lengths.push_back(std::min(each, rest));
  return lengths;
}
// Pieces in the memory of the tensor that autograd does not know as views of it, as in PyTorch: a write to one does not count as a write to the others.
template <Pieces kPieces>
void untracked_pieces(const Operator&, const IValue* a, IValue* results) {
  const Tensor& base = a[0].as_tensor();
  const auto d = static_cast<size_t>(wrap_dim(a[2].to_int(), base.dim()));
  Dims sizes = base.sizes();
  Dims lengths = piece_lengths<kPieces>(a[1], sizes[d]);
  if (kPieces != Pieces::OfSizes && sizes[d] == 0) lengths = Dims(static_cast<size_t>(kPieces == Pieces::Count ? a[1].to_int() : 1), 0);
  int64_t at = base->offset;
  std::vector<IValue> pieces;
  for (const int64_t length : lengths) {
    sizes[d] = length;
    const Tensor piece = base.as_strided(sizes, base.strides(), at);
    piece->own_version = make_ref<VersionCounter>();
    pieces.emplace_back(piece);
    at += length * base.strides()[d];
  }
  results[0] = IValue::list(std::move(pieces));
}
// As of the views. The kernel copies the pieces of a contiguous tensor without views of them. Calls with empty pieces are left to the decomposition.
template <Pieces kPieces>
void pieces_rule(RuleCall& c) {
  (kPieces == Pieces::OfSizes ? split_with_sizes_rule : split_rule)(c);
  const bool numbers = c.eager() && (kPieces == Pieces::OfSizes ? c.value(1).is_ints() : c.value(1).is_int()) && c.value(2).is_int();
  if (!numbers || !all_contiguous(c, {0}) || element_count(c.sizes(0)).is(0)) return c.leave_to_decomposition();
  const auto d = static_cast<size_t>(*c.wrapped(2));
  const Dims lengths = piece_lengths<kPieces>(c.value(1), c.sizes(0)[d].as_int());
  if (std::ranges::find(lengths, 0) != lengths.end()) return c.leave_to_decomposition();
  c.pieces(d, lengths);
}

// --- as_strided_scatter.

void strided_scatter_rule(RuleCall& c) {
  const Sizes sizes = c.ints(2), strides = c.ints(3);
  SizesRef src = c.sizes(1);
  c.check(!sizes.ranked() || !strides.ranked() || sizes.size() == strides.size(), Runtime, "mismatch in length of strides and shape");
  bool same = !sizes.ranked() || !src.ranked() || sizes.size() == src.size();
  for (size_t d = 0; same && sizes.ranked() && src.ranked() && d < sizes.size(); ++d) same = !never(sizes[d] == src[d]);
  c.check(same, Runtime, "expected src to have a size equal to the slice of self. src size = ", src, ", slice size = ", sizes);
  c.like_layout(0, c.dtype(0));
  if (c.eager() && !overlaps_itself(c.value(0).as_tensor())) c.lay_out(SizesRef(c.value(0).as_tensor().strides()));
}

// Copies the whole storage, so that every place that as_strided may show exists, and writes src into the copy.
IValue decompose_as_strided_scatter(const IValue* a) {
  const Tensor self = a[0].to_tensor();
  MONOGRAPH_CHECK(
      self->kind == TensorImpl::Kind::Dense, NotImplemented,
      "[aten::as_strided_scatter] it depends on how the tensor lies in memory, which no capture knows; write a view or an index instead");
  if (self.is_meta()) return "clone"_op(self);
  Tensor whole = self;
  int64_t offset = self->offset;
  if (overlaps_itself(self)) {
    whole = "contiguous"_op(self), offset = 0;
  } else {
    const auto places = static_cast<int64_t>(self->storage->bytes()) / element_size(self.dtype());
    whole = "clone"_op("as_strided"_op(self, Dims{places}, Dims{1}, 0));
  }
  const IValue place = a[4].is_none() ? IValue(offset) : a[4];
  "copy_"_op("as_strided"_op(whole, a[2], a[3], place), a[1]);
  return overlaps_itself(self) ? whole : Tensor("as_strided"_op(whole, self.sizes(), self.strides(), offset));
}

// --- fill_diagonal_ and put.

// The indices of the diagonal's elements in the flattened tensor.
Dims diagonal_places(const Tensor& x, bool wrap) {
  MONOGRAPH_CHECK(x.dim() >= 2, Runtime, "fill_diagonal_: dimensions must larger than 1, but got a tensor of ", x.dim(), " dims");
  for (int64_t d = 1; d < x.dim(); ++d)
    MONOGRAPH_CHECK(x.dim() == 2 || fixed_size(x, d) == fixed_size(x, 0), Runtime,
                    "fill_diagonal_: all dimensions of input must be of equal length, but got sizes ", to_string(x.sizes()));
  const int64_t rows = fixed_size(x, 0), columns = fixed_size(x, x.dim() - 1);
  int64_t step = 0, places = 1;
  for (int64_t d = x.dim(); d-- > 0; places *= fixed_size(x, d)) step += places;
  const int64_t count = std::min(rows, columns);
  Dims out;
  for (int64_t i = 0; i < count; ++i) out.push_back(i * step);
  // With `wrap`, the diagonal of a tall matrix starts again, one row below the square.
  if (wrap && x.dim() == 2 && rows > columns + 1)
    for (int64_t at = (columns + 1) * columns; at < places; at += columns + 1) out.push_back(at);
  return out;
}

IValue decompose_fill_diagonal(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const Dims places = diagonal_places(x, a[2].to_bool());
  std::vector<Tensor> numbers;
  for (const int64_t at : places) numbers.push_back("scalar_tensor"_op(at, DType::i64));
  if (numbers.empty()) return "clone"_op(x);
  const Tensor flat = "reshape"_op(x, Dims{-1});
  return "reshape"_op("index_fill"_op(flat, 0, "stack"_op(tensors_of(numbers), 0), a[1]), sizes_of(x));
}

void put_rule(RuleCall& c) {
  const auto t = c.dtype(0), index = c.dtype(1), source = c.dtype(2);
  c.check(!index || *index == DType::i64, Runtime, "put_(): Expected a long tensor for index, but got ", scalar_type(index));
  c.check(!t || !source || *t == *source, Runtime,
          "put_(): self and source expected to have the same dtype, but got self.dtype = ", scalar_type(t),
          " and source.dtype = ", scalar_type(source));
  const Size places = element_count(c.sizes(1)), elements = element_count(c.sizes(2));
  c.check(!c.sizes(1).ranked() || !c.sizes(2).ranked() || places == elements, ErrorKind::Index,
          "put_(): Expected source and index to have the same number of elements, but got source.numel() = ", elements,
          ", index.numel() = ", places);
  c.check(!c.sizes(0).ranked() || !c.sizes(1).ranked() || !never(element_count(c.sizes(0)) != 0) || !never(places == 0), ErrorKind::Index,
          "put_(): Tried to put elements into an empty tensor");
  c.like(0, c.sizes(0));
  keep_channels_last(c, {0});
  // The kernel takes few places. index_put, of which the decomposition is made, is faster for many.
  constexpr int64_t kFew = 4096;
  if (!all_contiguous(c, {0, 1, 2}) || c.truth(3) != false || !certainly(places <= kFew)) c.leave_to_decomposition();
}

IValue decompose_put(const IValue* a) {
  const Tensor x = a[0].to_tensor(), flat = "reshape"_op(x, Dims{-1});
  const Tensor index = "reshape"_op(a[1], Dims{-1});
  const IValue places = tensors_of({index});
  return "reshape"_op("index_put"_op(flat, places, "reshape"_op(a[2], Dims{-1}), a[3]), sizes_of(x));
}

void views(Registry& r) {
  r.op("unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)")
      .rule(unfold_rule)
      .method_only()
      .gradient([](GradCall& c) { c.set(0, "unfold_backward"_op(c.grad(), c.sizes(0), c.value(1), c.value(2), c.value(3))); })
      .onnx(none("ONNX has no windows of a dim"))
      .doc(
          R"(The windows of `size` elements along a dim, `step` elements apart. The dim counts the windows, and the elements of a window are a new last dim.

step: The distance from the start of one window to the start of the next.

>>> x = torch.arange(6)
>>> x.unfold(0, 3, 2))")
      .samples(
          "[[x, d, n, s] for x in layouts(5, 6) for d, n, s in ((0, 2, 1), (1, 3, 2), (-1, 6, 1), (0, 1, 3), (1, 2, 4))] + [[t(f32), 0, 1, "
          "1], [t(f32), 0, 0, 1], [t(f32, 3), 0, 0, 1], [t(f32, 3), 0, 4, 1], [t(f32, 3), 0, 2, 0], [t(f32, 3), 1, 1, 1], [t(f32, 3), 0, "
          "-1, 1]]")
      .copies();
  r.op("unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor")
      .rule(unfold_backward_rule)
      .kernel(unfold_backward_kernel)
      .contiguous_args()
      .function_only()
      .gradient([](GradCall& c) { c.set(0, "unfold"_op(c.grad(), c.value(2), c.value(3), c.value(4))); })
      .onnx(none("training only"))
      .doc(R"(The gradient of unfold: each element sums the windows that show it.

grad_in: The gradient of the windows.
input_sizes: The sizes of the tensor that was unfolded.
dim: The dim along which the windows lie.
step: The distance from the start of one window to the start of the next.

>>> windows = torch.tensor([[1.0, 1.0], [1.0, 1.0]])
>>> torch.unfold_backward(windows, [3], 0, 2, 1))")
      .samples(
          "[[t(d, 4, 6, 2), [5, 6], 0, 2, 1] for d in (f32, f64, f16, c64)] + [[t(f32, 5, 2, 3), [5, 6], 1, 3, 2], [t(f32, 5, 1, 6), [5, "
          "6], -1, 6, 1], [t(f32, 2, 3, 2, 2), [2, 9, 2], 1, 2, 3]]");
}

void pieces(Registry& r) {
  constexpr const char* kPieces = "its number of pieces depends on the size";
  auto split = [&](const char* schema, DecomposeFn decompose, RuleFn rule, const char* doc, const char* samples) {
    return r.op(schema)
        .decompose(decompose, Reads::Symbols)
        .rule(rule)
        .storage_only(StorageOnly::Taken)
        .onnx(none(kPieces))
        .doc(doc)
        .samples(samples);
  };
  auto gradient = [](GradCall& c) { c.set(0, "cat"_op(gradients_of_list(c), c.value(2))); };
  DecomposeFn by_size = [](const IValue* a) -> IValue { return copies_of("split"_op(a[0], a[1], a[2])); };
  DecomposeFn by_sizes = [](const IValue* a) -> IValue { return copies_of("split_with_sizes"_op(a[0], a[1], a[2])); };
  const char* sized = "[[t(f32, 5, 2), 2, 0], [t(f32, 2, 6), 3, -1], [t(i64, 4), 10, 0], [t(f32, 3), 0, 0]]";
  const char* listed = "[[t(f32, 5, 2), [2, 3], 0], [t(f32, 2, 4), [1, 0, 3], 1], [t(f32, 3), [1, 1], 0]]";
  // As views of the tensor, in a graph too: a program may write to a piece and read the tensor.
  split(
      "unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]",
      [](const IValue* a) -> IValue { return "split"_op(a[0], a[1], a[2]); }, split_rule,
      "split, into pieces that share the tensor's memory, but that autograd does not track as views. Write only to the tensor or only to "
      "the pieces.",
      sized)
      .eval(untracked_pieces<Pieces::OfSize>)
      .shares_memory("self")
      .gradient(gradient);
  split(
      "unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]",
      [](const IValue* a) -> IValue { return "split_with_sizes"_op(a[0], a[1], a[2]); }, split_with_sizes_rule,
      "split_with_sizes, into pieces that share the tensor's memory, but that autograd does not track as views. Write only to the tensor "
      "or only to "
      "the pieces.",
      listed)
      .eval(untracked_pieces<Pieces::OfSizes>)
      .shares_memory("self")
      .gradient(gradient);
  split(
      "unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",
      [](const IValue* a) -> IValue { return "chunk"_op(a[0], a[1], a[2]); }, chunk_rule,
      "chunk, into pieces that share the tensor's memory, but that autograd does not track as views. Write only to the tensor or only to "
      "the pieces.",
      "[[t(f32, 6), 3, 0], [t(f32, 5), 3, 0], [t(f32, 2, 4), 3, -1], [t(f32, 2), 0, 0]]")
      .eval(untracked_pieces<Pieces::Count>)
      .shares_memory("self")
      .gradient(gradient);
  split("split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", by_size, pieces_rule<Pieces::OfSize>,
        "split, into copies.", sized)
      .kernel(split_copy_kernel)
      .function_only();
  split("split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]", by_sizes, pieces_rule<Pieces::OfSizes>,
        "split_with_sizes, into copies.", listed)
      .kernel(split_copy_kernel)
      .function_only();
  r.op("as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor")
      .rule(strided_scatter_rule)
      .decompose(decompose_as_strided_scatter)
      .gradient(none("it depends on how the tensor lies in memory; its parts have one outside of graphs"))
      .onnx(none("ONNX has no strides"))
      .doc(R"(A copy of `self` in which the places that as_strided shows hold the elements of `src`.

size: The size of the part.
stride: The step between elements of the part along each dim, in memory.

>>> x = torch.zeros(2, 2)
>>> torch.as_strided_scatter(x, torch.tensor([1.0, 2.0]), [2], [3]))")
      .samples(
          "[[t(d, 3, 4), t(d, 2, 2), [2, 2], [4, 1], k] for d in (f32, i64) for k in (None, 0, 5)] + [[t(f32, 4, 3).t(), t(f32, 2), [2], "
          "[3], "
          "1], [t(f32, 3, 4), t(f32, 3), [2], [1], 0], [t(f32, 3), t(f32, 4), [4], [1], 0]]")
      .special(Special::LayoutMatters, "it asks for places of the storage");
}

}  // namespace

void slices(Registry& r) {
  views(r);
  pieces(r);
  r.op("prim::fill_diagonal(Tensor self, Scalar fill_value, bool wrap=False) -> Tensor")
      .rule([](RuleCall& c) { c.like(0, c.sizes(0)); })
      .function_only()
      .decompose(decompose_fill_diagonal)
      .onnx(none("decomposes to index_fill"))
      .doc("A copy of `self` with `fill_value` on the diagonal.")
      .samples(none("PyTorch has it in place alone; test_nn_rows.py"));
  no_torchscript("prim::fill_diagonal", "PyTorch has no operator of this name");
  r.op("fill_diagonal_(Tensor(a!) self, Scalar fill_value, bool wrap=False) -> Tensor(a!)")
      .functional("prim::fill_diagonal")
      .rule([](RuleCall& c) { c.argument(0); })
      .method_only()
      .decompose([](const IValue* a) -> IValue { return "copy_"_op(a[0], "prim::fill_diagonal"_op(a[0], a[1], a[2])); }, Reads::Nothing)
      .doc(R"(Writes `fill_value` on the diagonal.

wrap: Whether the diagonal starts again below the square of a matrix with more rows than columns.

>>> x = torch.zeros(4, 2)
>>> x.fill_diagonal_(1, wrap=True))");
  r.op("put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor")
      .rule(put_rule)
      .decompose(decompose_put, Reads::Symbols)
      .kernel(put_kernel)
      .bad_data(ErrorKind::Index, "index {value} is out of bounds for dimension 0 with size {limit}")
      .storage_only(StorageOnly::Taken)
      .inplace()
      .onnx(none("decomposes to index_put"))
      .doc(R"(A copy of `self` with the elements of `source` at the places `index`, which count all elements as one row.

source: As many elements as there are places.

>>> x = torch.zeros(2, 2)
>>> torch.put(x, torch.tensor([0, 3]), torch.tensor([5.0, 6.0])))")
      .samples(
          "[[x, at([[0, 5], [-1, 2]]), y, k] for x, y in ((t(f32, 2, 3), t(f32, 4)), (t(i64, 2, 3), t(i64, 2, 2)), (t(f32, 3, 2).t(), "
          "t(f32, 4))) for k in "
          "(False, True)] + [[t(f32, 3), at([1, 1, 1]), t(f32, 3), True], [t(f32, 3), at([3]), t(f32, 1)], [t(f32, 3), at([0]), t(f64, "
          "1)], "
          "[t(f32, 3), at([0]), t(f32, 2)], [t(f32, 3), at([0]).int(), t(f32, 1)]]");
}

}  // namespace monograph
