// Operators that write elements at the places of an index: scatter, scatter_add, scatter_reduce, and index_copy, index_fill, index_reduce, take,
// take_along_dim, masked_scatter and masked_select, which decompose into others.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "kernels/gather_scatter.h"
#include "kernels/index_fill.h"
#include "ops/contiguous.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/layouts.h"
#include "ops/pointwise.h"
#include "ops/rule.h"

namespace monograph {
namespace {

constexpr const char* kOutOfDim = "index {value} is out of bounds for dimension {dim} with size {limit}";

// No kernel runs where the result has no elements, and there every index is wrong.
void check_any_place(const RuleCall& c, SizesRef self, std::optional<size_t> d, SizesRef index) {
  c.check(!d || self.empty() || !index.ranked() || !certainly(element_count(index) != 0) || self[*d] != 0, Runtime,
          "index out of bounds for dimension ", d.value_or(0), " with size 0");
}

// Checks the arguments (self, dim, index, src). The index has as many dims as self. It is at most as large as src, and as self in every dim but `dim`.
void scatter_sizes(RuleCall& c, bool with_source) {
  SizesRef self = c.sizes(0), index = c.sizes(2);
  auto t = c.dtype(2);
  c.check(!t || *t == DType::i64 || *t == DType::i32, Runtime, "Expected dtype int32/int64 for index, but got ", scalar_type(t),
          "; convert it, for example index.to(torch.int64)");
  if (!self.ranked()) return c.unranked(0);
  auto d = c.dim(1, self.size());
  const bool empty = index.ranked() && element_count(index).is(0);
  auto rank = [](SizesRef s) { return std::max<size_t>(s.size(), 1); };
  c.check(empty || !index.ranked() || rank(index) == rank(self), Runtime,
          "Index tensor must have the same number of dimensions as self tensor, but they have ", index.size(), " and ", self.size());
  for (size_t k = 0; !empty && d && k < index.size() && k < self.size(); ++k)
    c.check(k == *d || index[k] <= self[k], Runtime, "Expected index ", index, " to be no larger than self ", self,
            " apart from dimension ", *d);
  check_any_place(c, self, d, index);
  if (with_source) {
    SizesRef src = c.sizes(3);
    auto own = c.dtype(0), given = c.dtype(3);
    c.check(!own || !given || *own == *given, Runtime, "scatter(): Expected self.dtype to be equal to src.dtype, but got ",
            scalar_type(own), " and ", scalar_type(given));
    c.check(empty || !index.ranked() || !src.ranked() || rank(index) == rank(src), Runtime,
            "Index tensor must have the same number of dimensions as src tensor, but they have ", index.size(), " and ", src.size());
    for (size_t k = 0; !empty && k < index.size() && k < src.size(); ++k)
      c.check(index[k] <= src[k], Runtime, "Expected index ", index, " to be no larger than src ", src);
  }
  c.like(0, self);
}

void scatter_rule(RuleCall& c) { scatter_sizes(c, true); }

template <size_t kReduce>
void scatter_reduce_rule(RuleCall& c) {
  auto word = c.text(kReduce);
  auto is = [&](const char* w) { return *word == w; };
  c.check(!word || is("sum") || is("prod") || is("mean") || is("amax") || is("amin") || is("max") || is("min"), Runtime,
          "reduce argument must be either sum, prod, mean, amax or amin, got ", word.value_or(""));
  auto t = c.dtype(0);
  c.check(!t || !is_complex(*t) || (word && !is("amax") && !is("amin") && !is("max") && !is("min")), Runtime,
          "complex numbers have no order");
  c.check_max_dims(c.sizes(2));
  scatter_sizes(c, true);
  if (!c.eager() || word != "mean") return;
  c.scratch(scatter_mean_scratch(element_count(c.sizes(0)).as_int(), static_cast<int64_t>(c.sizes(0).size())));
}

// `value` as a tensor of the sizes of the index.
Tensor number_like(const Tensor& self, const IValue& value, const Tensor& index) {
  return "expand"_op("new_full"_op(self, Dims{}, value), sizes_of(index));
}

void check_offsets(const Size& count) {
  MONOGRAPH_CHECK(!count.is(0), Runtime,
                  "segment_reduce: offsets have one number more than there are segments, but got none; pass [0] for no segment");
}
void segment_reduce_rule(RuleCall& c) {
  const SizesRef data = c.sizes(0);
  const size_t given = c.none(2) ? 4 : 2;
  const auto axis = c.none(given) ? std::nullopt : c.dim(5, data.ranked() ? data.size() : 0);
  if (!data.ranked() || !axis || !c.sizes(given).ranked() || c.sizes(given).empty()) return c.unranked(0);
  if (given == 4) check_offsets(c.sizes(given).back());
  Sizes out = data;
  out.set(*axis, c.sizes(given).back() - (given == 4 ? 1 : 0));
  c.like(0, out);
}

// segment_reduce: the reduction of scatter_reduce over the number of each element's segment. The segment of an element is the first one whose end lies behind it,
// so segments without elements are passed over. Elements behind the last segment go to one more, which is cut off.
IValue decompose_segment_reduce(const IValue* a) {
  const Tensor data = a[0].to_tensor();
  const std::string& how = a[1].to_string();
  const bool largest = how == "max", smallest = how == "min", product = how == "prod", mean = how == "mean";
  MONOGRAPH_CHECK(largest || smallest || product || mean || how == "sum", Runtime,
                  "segment_reduce: reduce must be one of max, mean, min, sum and prod, but got ", how);
  MONOGRAPH_CHECK(is_floating(data.dtype()), NotImplemented, "\"segment_reduce_cpu\" not implemented for '", info(data.dtype()).scalar_type,
                  "'; convert the data first, for example data.to(torch.float32)");
  MONOGRAPH_CHECK(a[3].is_none(), Runtime, "segment_reduce: indices are not supported, in PyTorch too; pass lengths or offsets");
  MONOGRAPH_CHECK(!a[2].is_none() || !a[4].is_none(), Runtime, "segment_reduce: either lengths or offsets must be given");
  const bool by_offsets = a[2].is_none(), unsafe = a[6].to_bool();
  const Tensor given = by_offsets ? a[4].to_tensor() : a[2].to_tensor();
  MONOGRAPH_CHECK(given.dtype() == DType::i64 || given.dtype() == DType::i32, Runtime,
                  "segment_reduce: ", by_offsets ? "offsets" : "lengths", " must be a tensor of int32 or int64, but got ",
                  name(given.dtype()));
  const int64_t axis = wrapped(a[5], data), rank = data.dim();
  MONOGRAPH_CHECK(given.dim() > 0 && axis == given.dim() - 1, Runtime, "segment_reduce: ", by_offsets ? "offsets" : "lengths", " of ",
                  given.dim(), " dims fit axis ", given.dim() - 1, " only, but got axis ", axis);
  if (by_offsets) check_offsets(size_of(given, -1));
  const Tensor lengths = by_offsets ? Tensor("diff"_op(given)) : given, ends = "cumsum"_op(lengths, -1);
  const Size count = size_of(data, axis), segments = size_of(lengths, -1);
  if (!unsafe && !data.is_meta() && lengths.numel() > 0) {
    const bool starts = !by_offsets || "item"_op("all"_op("eq"_op("select"_op(given, -1, 0), 0))).to_bool();
    MONOGRAPH_CHECK(starts && "item"_op("min"_op(lengths)).to_int() >= 0, Runtime,
                    "segment_reduce: expected lengths of 0 or more, or offsets from 0 on in ascending order");
    MONOGRAPH_CHECK("item"_op("all"_op("eq"_op("select"_op(ends, -1, -1), count))).to_bool(), Runtime,
                    "segment_reduce: expected segments that end at the size of axis ", axis, ", ", to_string(count));
  }
  Sizes places = sizes_of(ends), sizes = sizes_of(data), trailing;
  places.set(static_cast<size_t>(axis), count), sizes.set(static_cast<size_t>(axis), segments + 1);
  trailing = places;
  for (int64_t d = axis + 1; d < rank; ++d) trailing.push_back(1);
  Tensor index = "searchsorted"_op(ends, "contiguous"_op("expand"_op(counted(count, data), places)), false, true, IValue(), IValue());
  index = "expand"_op("reshape"_op("clamp_max"_op(index, segments), trailing), sizes_of(data));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const IValue initial = !a[7].is_none() ? a[7] : largest ? -kInfinity : smallest ? kInfinity : product ? 1.0 : 0.0;
  const char* reduction = largest ? "amax" : smallest ? "amin" : product ? "prod" : "sum";
  const Tensor whole = "scatter_reduce"_op("new_full"_op(data, sizes, initial), axis, index, data, reduction, true);
  Tensor reduced = "narrow"_op(whole, axis, 0, segments);
  if (!mean) return reduced;
  // A mean of no elements is NaN, or the initial value.
  const Tensor divisor = a[7].is_none() ? lengths : Tensor("clamp_min"_op(lengths, 1));
  Sizes beside = sizes_of(lengths);
  for (int64_t d = axis + 1; d < rank; ++d) beside.push_back(1);
  return "div"_op(reduced, "to"_op("reshape"_op(divisor, beside), data.dtype()));
}

// The reduction of scatter_reduce that means the same as reduce="add" or "multiply" of the older overloads.
const char* new_reduction(const IValue& reduce) {
  const std::string& word = reduce.to_string();
  if (word == "add") return "sum";
  MONOGRAPH_CHECK(word == "multiply", Runtime, "reduce argument must be either add or multiply.");
  return "prod";
}

// The arguments are (self, dim, index, src, reduce, include_self). The formulas are PyTorch's. For a product, the gradient of an element is the product of the
// other elements, also where one of them is zero.
void scatter_reduce_gradient(GradCall& c) {
  const std::string reduce = c.value(4).to_string();
  const bool include_self = c.value(5).to_bool();
  const IValue &dim = c.value(1), &index = c.value(2);
  Tensor g = c.grad();
  auto gathered = [&](const Tensor& t) { return Tensor("gather"_op(t, dim, index)); };
  auto without_self = [&](const Tensor& t) { return include_self ? t : Tensor("scatter"_op(t, dim, index, 0)); };
  if (reduce == "sum") {
    if (c.needs(0)) c.set(0, without_self(g));
    if (c.needs(3)) c.set(3, gathered(g));
    return;
  }
  if (reduce == "mean") {
    Tensor ones = "ones_like"_op(g), count = include_self ? ones : Tensor("zeros_like"_op(g));
    count = "scatter_add"_op(count, dim, index, "gather"_op(ones, dim, index));
    count = "masked_fill"_op(count, "eq"_op(count, 0), 1);
    Tensor each = "div"_op(g, count);
    if (c.needs(0)) c.set(0, without_self(each));
    if (c.needs(3)) c.set(3, gathered(each));
    return;
  }
  const Tensor self = c.arg(0), src = c.arg(3), result = c.result();
  if (reduce == "prod") {
    Tensor masked = "masked_fill"_op(self, "eq"_op(self, 0), 1);
    Tensor others = "scatter_reduce"_op(masked, dim, index, src, "prod", include_self);
    if (c.needs(0)) c.set(0, without_self("div"_op("mul"_op(g, others), masked)));
    if (!c.needs(3)) return;
    Tensor zero = "eq"_op(src, 0), zeros = "to"_op(zero, g.dtype());
    Tensor count = "gather"_op("scatter_add"_op("zeros_like"_op(self), dim, index, zeros), dim, index);
    Tensor single = "logical_and"_op(zero, "eq"_op(count, 1)), filled = "masked_fill"_op(src, single, 1);
    Tensor product = "scatter_reduce"_op(self, dim, index, filled, "prod", include_self);
    Tensor beside = "div"_op(gathered("mul"_op(g, result)), "masked_fill"_op(src, zero, 1));
    c.set(3, "where"_op(single, gathered("mul"_op(g, product)), beside));
    return;
  }
  Tensor value = gathered(result);
  Tensor self_has = "to"_op("eq"_op(self, result), g.dtype()), src_has = "to"_op("eq"_op(src, value), g.dtype());
  Tensor count = "scatter_add"_op(without_self(self_has), dim, index, src_has);
  Tensor each = "div"_op(g, count);  // a NaN equals no element, so it gives 0 / 0, as in PyTorch
  if (c.needs(0)) c.set(0, without_self("mul"_op(self_has, each)));
  if (c.needs(3)) c.set(3, "mul"_op(gathered(each), src_has));
}

// A vector of indices along `dim`, expanded to the sizes of `source`.
Tensor expanded_index(const Tensor& index, int64_t dim, const Tensor& source) {
  const int64_t rank = std::max<int64_t>(source.dim(), 1);
  return "expand"_op(along(index, dim, rank), source.dim() ? sizes_of(source) : Sizes{1});
}

// Checks the arguments (self, dim, index, source): the index is a vector, and each slice of source has the sizes of a slice of self.
void check_slices(const IValue* a, const char* name) {
  const Tensor &self = a[0].as_tensor(), &index = a[2].as_tensor(), &source = a[3].as_tensor();
  MONOGRAPH_CHECK(index.dim() <= 1, Index, name, "(): Index should have dimension 1 or 0 (got ", index.dim(), ")");
  const bool reduces = name == std::string_view("index_reduce");
  MONOGRAPH_CHECK(index.dtype() == DType::i64 || (index.dtype() == DType::i32 && reduces), Runtime, name,
                  "(): Expected a long tensor for index, but got ", info(index.dtype()).scalar_type);
  MONOGRAPH_CHECK(self.dtype() == source.dtype(), Runtime, name, "(): self and source expected to have the same dtype, but got (self) ",
                  info(self.dtype()).scalar_type, " and (source) ", info(source.dtype()).scalar_type);
  const int64_t dim = wrapped(a[1], self);
  const Sizes own = sizes_of(self), given = sizes_of(source);
  const Size count = index.dim() ? sizes_of(index)[0] : Size(1);
  const ErrorKind kind = reduces ? Runtime : Index;
  if (source.dim() == 0 && never(count == 1))
    fail(kind, name, "(): a source without dims is for one index, but there are ", to_string(count));
  if (own.size() != given.size() && source.dim() != 0) fail(kind, name, "(): source has ", given.size(), " dims and self ", own.size());
  for (size_t d = 0; d < given.size(); ++d)
    if (never(given[d] == (static_cast<int64_t>(d) == dim ? count : own[d])))
      fail(kind, name, "(): Source/destination tensor must have same slice shapes, but got ", to_string(given[d]), " along dim ", d);
}

// Calls `write` with an index of the sizes of `source`. A tensor of no dims counts as a vector of one element.
template <class Write>
IValue write_slices(const IValue* a, const char* name, Write&& write) {
  check_slices(a, name);
  Tensor self = a[0].to_tensor(), source = a[3].to_tensor();
  const int64_t dim = wrapped(a[1], self);
  const bool single = self.dim() == 0;
  if (single) self = "reshape"_op(self, Dims{1});
  if (source.dim() == 0) source = "reshape"_op(source, Dims(static_cast<size_t>(self.dim()), 1));
  if (source.dim() == self.dim() && source.dim() == 0) source = "reshape"_op(source, Dims{1});
  const Tensor out = write(self, dim, expanded_index(a[2].to_tensor(), dim, source), source);
  return single ? Tensor("reshape"_op(out, Dims{})) : out;
}

// Negative indices count from the end. An index below -n stays as it is, so that the error names the index that was given.
Tensor wrapped_indices(const Tensor& indices, const Size& n) {
  const Tensor from_end = "logical_and"_op("lt"_op(indices, 0), "ge"_op("add"_op(indices, n), 0));
  return "where"_op(from_end, "add"_op(indices, n), indices);
}

IValue decompose_index_fill(const IValue* a) {
  Tensor self = a[0].to_tensor(), index = a[2].to_tensor();
  const bool single = self.dim() == 0;
  if (single) self = "reshape"_op(self, Dims{1});
  const int64_t dim = wrapped(a[1], self);
  Sizes slices = sizes_of(self);
  const Size n = slices[static_cast<size_t>(dim)];
  Tensor counted = wrapped_indices(index, n);
  slices.set(static_cast<size_t>(dim), index.dim() ? sizes_of(index)[0] : Size(1));
  Tensor places = "expand"_op(along(counted, dim, self.dim()), slices);
  const Tensor out = "scatter"_op(self, dim, places, a[3]);
  return single ? Tensor("reshape"_op(out, Dims{})) : out;
}

// The kernel writes the value into a copy of self; no index of all places is made.
void index_fill_rule(RuleCall& c) {
  SizesRef self = c.sizes(0), index = c.sizes(2);
  const bool of_tensor = c.is_tensor(3);
  c.check(!index.ranked() || index.size() <= 1, Runtime, "index_fill_(): Index has to be a vector or a scalar, but it has ", index.size(),
          " dims");
  c.check(is_index(c.dtype(2)), Index, "index_fill_(): Expected dtype int64 for index.");
  if (self.ranked()) check_any_place(c, self, c.dim(1, self.size()), index);
  if (of_tensor && c.sizes(3).ranked())
    c.check(c.sizes(3).empty(), Runtime, "index_fill_ only supports a 0-dimensional value tensor, but got tensor with ", c.sizes(3).size(),
            " dimension(s).");
  if (c.eager() && c.value(3).is_number()) {
    number_in(c.op.name(), c.value(3), *c.dtype(0));  // raises if the number does not fit
    c.check(!c.value(3).is_complex() || is_complex(*c.dtype(0)), Runtime,
            "index_fill_(): Converting complex Scalar to non-complex type is not supported");
  }
  c.like(0, self);
  keep_channels_last(c, {0});
  const bool fits = all_contiguous(c, {0}) && all_in_memory(c, {2}) && !self.empty() && !element_count(index).is(0) &&
                    c.value(1).is_int() && (of_tensor || c.value(3).is_number());
  if (!fits) return c.leave_to_decomposition();
  if (of_tensor) c.convert(3, *c.dtype(0));
  c.convert(2, DType::i64), c.contiguous(2);
}

IValue decompose_take(const IValue* a) {
  Tensor index = a[1].to_tensor(), flat = "reshape"_op(a[0], Dims{-1});
  const Tensor places = wrapped_indices(index, size_of(flat, 0));
  return "reshape"_op("index_select"_op(flat, 0, "reshape"_op(places, Dims{-1})), sizes_of(index));
}

// The kernel reads each element of contiguous tensors directly.
void take_rule(RuleCall& c) {
  const auto t = c.dtype(1);
  c.check(!t || *t == DType::i64, Runtime, "take(): Expected a long tensor for index, but got ", scalar_type(t));
  c.like(0, c.sizes(1));
  if (!all_contiguous(c, {0, 1})) c.leave_to_decomposition();
}

IValue decompose_take_along_dim(const IValue* a) {
  const Tensor self = a[0].to_tensor(), indices = a[1].to_tensor();
  MONOGRAPH_CHECK(indices.dtype() == DType::i64, Runtime, "torch.take_along_dim(): dtype of indices should be Long but got ",
                  info(indices.dtype()).scalar_type);
  if (a[2].is_none())
    return "gather"_op("reshape"_op(self, Dims{-1}), 0, wrapped_indices("reshape"_op(indices, Dims{-1}), element_count(sizes_of(self))));
  MONOGRAPH_CHECK(self.dim() == indices.dim(), Runtime,
                  "torch.take_along_dim(): input and indices should have the same number of dimensions, but got ", self.dim(), " and ",
                  indices.dim());
  const int64_t dim = wrapped(a[2], self);
  Sizes own = sizes_of(self), given = sizes_of(indices);
  const auto d = static_cast<size_t>(dim);
  const Size n = own[d], count = given[d];
  own.set(d, 1), given.set(d, 1);
  Sizes both = broadcast_in_example(own, given, "aten::take_along_dim"), of_self = both, of_indices = both;
  of_self.set(d, n), of_indices.set(d, count);
  return "gather"_op("expand"_op(self, of_self), dim, "expand"_op(wrapped_indices(indices, n), of_indices));
}

// The k-th true element of the mask is replaced by the k-th element of source. Too few elements are an index out of range.
void masked_scatter_rule(RuleCall& c) {
  const auto own = c.dtype(0), mask = c.dtype(1), source = c.dtype(2);
  c.check(!own || !source || *own == *source, Runtime, "masked_scatter: expected self and source to have same dtypes but got ",
          scalar_type(own), " and ", scalar_type(source));
  c.check(!mask || *mask == DType::b1, Runtime, "masked_scatter_ only supports boolean masks, but got mask with dtype ", scalar_type(mask));
  c.contiguous(2);
  const Sizes sizes = broadcast(c.sizes(0), c.sizes(1), c.op.name());
  c.check_max_dims(sizes);
  c.result(sizes, own);
}

IValue decompose_masked_scatter(const IValue* a) {
  Tensor self = a[0].to_tensor(), mask = a[1].to_tensor(), source = a[2].to_tensor();
  const Sizes sizes = broadcast_in_example(sizes_of(self), sizes_of(mask), "aten::masked_scatter");
  mask = "expand"_op(mask, sizes), self = "expand"_op(self, sizes);
  const Tensor flat = "reshape"_op(mask, Dims{-1});
  const Tensor elements = "cat"_op(tensors_of({zeros_beside(source, Sizes{1}), "reshape"_op(source, Dims{-1})}), 0);
  const Tensor places = "mul"_op("cumsum"_op(flat, 0), flat);
  const Tensor picked = "reshape"_op("index_select"_op(elements, 0, places), sizes);
  return "where"_op(mask, picked, in_format(self, MemoryFormat::Contiguous));
}

void masked_select_rule(RuleCall& c) {
  auto t = c.dtype(1);
  c.check(!t || *t == DType::b1 || *t == DType::u8, Runtime, "expected BoolTensor for mask, but got a tensor of torch.",
          name(t.value_or(DType::b1)), "; convert it, for example mask.to(torch.bool)");
  broadcast(c.sizes(0), c.sizes(1), c.op.name());
  c.like(0, Sizes{Size()});
  c.wait_for_elements();
}

IValue decompose_masked_select(const IValue* a) {
  const Tensor self = a[0].to_tensor(), mask = a[1].to_tensor();
  const Sizes sizes = broadcast_in_example(sizes_of(self), sizes_of(mask), "aten::masked_select");
  Tensor whole = "expand"_op(self, sizes), chosen = "expand"_op(mask, sizes);
  if (sizes.empty()) whole = "reshape"_op(whole, Dims{1}), chosen = "reshape"_op(chosen, Dims{1});
  return "index"_op(whole, tensors_of({chosen}));
}

}  // namespace

void scatters(Registry& r) {
  constexpr const char* kIndex = "ScatterElements reads back as no scatter";
  r.op("scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor")
      .rule(scatter_rule)
      .kernel(scatter_kernel)
      .bad_data(Runtime, kOutOfDim)
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "scatter"_op(c.grad(), c.value(1), c.value(2), 0));
        if (c.needs(3)) c.set(3, "gather"_op(c.grad(), c.value(1), c.value(2)));
      })
      .inplace()
      .out_named("src_out")
      .onnx(none(kIndex))
      .doc("`self` with elements of `src` written along `dim` at `index`.")
      .samples(R"([[x, d, at([[0, 1], [1, 0]]), t(x.dtype, 2, 3)] for x in layouts(2, 3) for d in (0, 1)]
               + [[t(f32, 3, 4), 1, at([[3, 0]]), t(f32, 2, 2)], [t(f32, 3), 0, at([2, 1]), t(f32, 2)], [t(f32), 0, at(0), t(f32)]]
               + [[t(f32, 3), 0, at([c]), t(f32, 1)] for c in (-1, 3)]
               + [[t(f32, 3), 0, torch.zeros(0, dtype=i64), t(f32, 0)], [t(f32, 3), 0, at([[0]]), t(f32, 1)], [t(f32, 3), 0, at([0]), t(f64, 1)],
                  [t(f32, 2, 2), 0, at([[0, 1, 0]]), t(f32, 1, 3)], [t(f32, 3), 0, at([0, 1]), t(f32, 1)], [t(c64, 3), 0, at([1]), t(c64, 1)]])");
  r.op("scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor")
      .decompose(
          [](const IValue* a) -> IValue { return "scatter"_op(a[0], a[1], a[2], number_like(a[0].as_tensor(), a[3], a[2].as_tensor())); },
          Reads::Symbols)
      .inplace()
      .out_named("value_out")
      .onnx(none(kIndex))
      .doc("`self` with a number written along `dim` at `index`.")
      .samples(R"([[x, d, at([[0, 1], [1, 0]]), 1] for x in layouts(2, 3) for d in (0, 1)] + [[t(f32, 3), 0, at([3]), 1.0],
                  [t(f32, 3), 0, at([0, 2]), 2.5], [t(i64, 3), 0, at([1]), 2]])");
  r.op("scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return "scatter_reduce"_op(a[0], a[1], a[2], a[3], new_reduction(a[4])); }, Reads::Nothing)
      .gradient(none("write scatter_reduce, which has one"))
      .inplace()
      .out_named("reduce_out")
      .onnx(none(kIndex))
      .doc("`self` with elements of `src` added or multiplied along `dim` at `index`: reduce=\"add\" or \"multiply\".")
      .samples(R"([[t(d, 2, 3), 1, at([[0, 1, 0], [1, 1, 0]]), t(d, 2, 3), w] for d in (f32, f64, i64) for w in ("add", "multiply")]
                  + [[t(f32, 3), 0, at([0]), t(f32, 1), "sum"]])");
  r.op("scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor")
      .decompose(
          [](const IValue* a) -> IValue {
            return "scatter_reduce"_op(a[0], a[1], a[2], number_like(a[0].as_tensor(), a[3], a[2].as_tensor()), new_reduction(a[4]));
          },
          Reads::Symbols)
      .gradient(none("write scatter_reduce, which has one"))
      .inplace()
      .out_named("value_reduce_out")
      .onnx(none(kIndex))
      .doc("`self` with a number added or multiplied along `dim` at `index`.")
      .samples(R"([[t(d, 2, 3), 1, at([[0, 1, 0], [1, 1, 0]]), 2, w] for d in (f32, f64, i64) for w in ("add", "multiply")])");
  r.op("segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, bool "
       "unsafe=False, Scalar? initial=None) -> Tensor")
      .rule(segment_reduce_rule)
      .decompose(decompose_segment_reduce)
      .out()
      .onnx(none(kIndex))
      .doc(R"(Cuts `data` along `axis` into segments, and reduces each to one element.

data: What is reduced, in a floating dtype.
reduce: "sum", "mean", "max", "min" or "prod".
lengths: How many elements each segment has. Its last dim is `axis`; the dims before it are those of `data`.
indices: Not supported, in PyTorch too.
offsets: Where each segment begins, and the end of the last. It stands for `lengths`.
axis: The dim that is cut.
unsafe: Whether the sum of the lengths is left unchecked.
initial: What each segment begins with, and the result of a segment without elements.

>>> torch.segment_reduce(torch.tensor([1.0, 2.0, 3.0, 4.0]), "sum", lengths=torch.tensor([1, 3])))")
      .samples(
          R"([[t(d, 6, 2), w, at([2, 0, 3, 1]), None, None, 0, False, i] for d in (f32, f64) for w in ("sum", "mean", "max", "min", "prod") for i in (None, 0.5)]
                  + [[t(f32, 6), w, None, None, at([0, 2, 2, 6]), 0, False] for w in ("sum", "mean", "max", "min", "prod")]
                  + [[t(f32, 2, 4, 3), w, at([[1, 3], [4, 0]]), None, None, 1, False] for w in ("sum", "mean", "max")]
                  + [[t(f32, 3), "sum", at([1, 1])], [t(f32, 3), "sum", at([4, -1])], [t(f32, 3), "sum"], [t(i64, 3), "sum", at([1, 2])], [t(f32, 3), "median", at([3])]])");
  r.op("scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor")
      .rule(scatter_rule)
      .kernel(scatter_add_kernel)
      .bad_data(Runtime, kOutOfDim)
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, c.grad());
        if (c.needs(3)) c.set(3, "gather"_op(c.grad(), c.value(1), c.value(2)));
      })
      .inplace()
      .out()
      .onnx(none(kIndex))
      .doc("`self` with elements of `src` added along `dim` at `index`.")
      .samples(R"([[x, d, at([[0, 1], [0, 0]]), t(x.dtype, 2, 3)] for x in layouts(2, 3) for d in (0, 1)]
               + [[t(f32, 3), 0, index(3, 40), t(f32, 40)], [t(f32, 3), 0, at([3]), t(f32, 1)], [t(f32), 0, at(0), t(f32)],
                  [t(f32, 3), 0, at([0]), t(f64, 1)]])");
  r.op("scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor")
      .rule(scatter_reduce_rule<4>)
      .kernel(scatter_reduce_kernel)
      .bad_data(Runtime, kOutOfDim)
      .gradient(scatter_reduce_gradient)
      .inplace()
      .out_named("two_out")
      .onnx(none(kIndex))
      .doc(
          "`self` joined with elements of `src` along `dim` at `index`: by sum, product, mean, largest or smallest. Without `include_self` "
          "what "
          "stands there does not count.")
      .samples(R"([[t(d, 2, 3), 1, at([[0, 1, 0], [1, 1, 1]]), t(d, 2, 3), w, s] for d in (f32, f64, i64, i32, u8)
                  for w in ("sum", "prod", "mean", "amax", "amin") for s in (True, False)]
               + [[at([1.0, 2.0, 0.0]), 0, at([0, 0, 2, 1]), at([0.0, 3.0, 0.0, nan]), w, True] for w in ("prod", "amax", "amin")]
               + [[t(f32, 3), 0, at([3]), t(f32, 1), "sum", True], [t(f32, 3), 0, at([0]), t(f32, 1), "max", True], [t(f32, 3), 0, at([0]), t(f32, 1), "add", True]])");
  r.op("index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor")
      .bad_data(Index, kOutOfDim)
      .decompose(
          [](const IValue* a) -> IValue {
            return write_slices(a, "index_copy", [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
              return Tensor("scatter"_op(self, dim, index, source));
            });
          },
          Reads::Symbols)
      .inplace()
      .out()
      .onnx(none(kIndex))
      .autocast(Autocast::Widest)
      .doc("`self` with slices of `source` written at `index` along `dim`.")
      .samples(R"([[x, 0, at([1, 0]), t(x.dtype, 2, 3)] for x in layouts(4, 3)] + [[t(f32, 2, 3), -1, at([2]), t(f32, 2, 1)],
                  [t(f32, 3), 0, at(1), t(f32)], [t(f32, 3), 0, at([3]), t(f32, 1)], [t(f32, 3), 0, at([-1]), t(f32, 1)],
                  [t(f32, 3, 2), 0, at([0]), t(f32, 1, 3)], [t(f32, 3), 0, at([0]), t(f64, 1)]])");
  r.op("index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor")
      .bad_data(Index, kOutOfDim)
      .decompose(decompose_index_fill, Reads::Symbols)
      .rule(index_fill_rule)
      .kernel(index_fill_kernel)
      .inplace()
      .out()
      .onnx(none(kIndex))
      .doc("`self` with a number in its slices at `index` along `dim`.")
      .samples(R"([[x, 0, at([1, 0]), 1] for x in layouts(4, 3)] + [[t(f32, 2, 3), -1, at([-1]), 2.5], [t(f32, 3), 0, at(1), 1],
                  [t(f32, 3), 0, at([3]), 1], [t(f32), 0, at([0]), 4]])");
  r.op("index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor")
      .bad_data(Index, kOutOfDim)
      .decompose(
          [](const IValue* a) -> IValue {
            const Tensor value = a[3].to_tensor(), self = a[0].to_tensor();
            const Tensor filled = "index_fill"_op("zeros_like"_op(self, DType::b1), a[1], a[2], true);
            return "where"_op(filled, "to"_op(value, self.dtype()), self);
          },
          Reads::Symbols)
      .rule(index_fill_rule)
      .kernel(index_fill_kernel)
      .inplace()
      .out()
      .onnx(none(kIndex))
      .doc("`self` with one element in its slices at `index` along `dim`.")
      .samples(R"([[x, 0, at([1, 0]), t(x.dtype)] for x in layouts(4, 3)] + [[t(f32, 3), 0, at([0]), t(f32, 1)]])");
  r.op("index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor")
      .bad_data(Index, kOutOfDim)
      .decompose(
          [](const IValue* a) -> IValue {
            const std::string reduce = a[4].to_string();
            MONOGRAPH_CHECK(reduce != "sum", Runtime, "reduce argument must be either prod, mean, amax or amin, got sum.");
            const bool include_self = a[5].to_bool();
            return write_slices(a, "index_reduce", [&](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
              return Tensor("scatter_reduce"_op(self, dim, index, source, reduce, include_self));
            });
          },
          Reads::Symbols)
      .inplace()
      .out()
      .onnx(none(kIndex))
      .doc(R"(`self` joined with slices of `source` at `index` along `dim`: by product, mean, largest or smallest.

reduce: "prod", "mean", "amax" or "amin".

>>> x = torch.tensor([1.0, 2.0, 3.0])
>>> torch.index_reduce(x, 0, torch.tensor([0, 2, 0]), torch.tensor([5.0, 1.0, 4.0]), "amax"))")
      .samples(
          R"([[t(d, 3, 2), 0, at([0, 2, 0]), t(d, 3, 2), w, s] for d in (f32, f64, i64) for w in ("prod", "mean", "amax", "amin") for s in (True, False)]
                  + [[t(f32, 3), 0, at([0]), t(f32, 1), "sum"]])");
  r.op("take(Tensor self, Tensor index) -> Tensor")
      .bad_data(Index, "out of range: tried to access index {value} on a tensor of {limit} elements")
      .decompose(decompose_take, Reads::Symbols)
      .rule(take_rule)
      .kernel(take_kernel)
      .out()
      .onnx(none("decomposes to reshape and index_select"))
      .doc("The elements at the positions in `index`, which count all elements in row-major order.")
      .samples(R"([[x, at([[0, 5], [3, -1]])] for x in layouts(2, 3)] + [[t(f32, 3), at(1)], [t(f32, 3), at([3])], [t(f32, 3), at([-4])],
                  [t(f32, 3), torch.zeros(0, dtype=i64)], [t(f32, 3), at([1]).int()]])");
  r.op("take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor")
      .decompose(decompose_take_along_dim, Reads::Symbols)
      .out()
      .onnx(none("decomposes to gather"))
      .doc(
          "The elements at `indices` along `dim`; `self` and `indices` broadcast in the other dims. Without `dim`, `self` is flattened "
          "first.")
      .samples(R"([[x, at([[2], [0]]), 1] for x in layouts(2, 3)] + [[t(f32, 2, 3), at([5, 0]), None], [t(f32, 1, 3), at([[0], [1]]), 1],
                  [t(f32, 2, 3), at([0]), 1], [t(f32, 2, 3), at([[0]]).int(), 1], [t(f32, 2, 3), at([[0, 1, 1]]), 0]])");
  r.op("masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor")
      .bad_data(Runtime, "Number of elements of source < number of ones in mask")
      .rule(masked_scatter_rule)
      .kernel(masked_scatter_kernel)
      .decompose(decompose_masked_scatter, Reads::Symbols)
      .inplace()
      .out()
      .onnx(none("decomposes to index_select and where"))
      .doc("`self`, with the elements at which `mask` is true replaced by the elements of `source`, in order.")
      .samples(
          R"([[x, t(b1, 2, 3), t(x.dtype, 7)] for x in layouts(2, 3)] + [[t(f32, 2, 3), t(b1, 3), t(f32, 2, 3)], [t(f32, 3), at([True] * 3), t(f32, 2)],
                  [t(f32, 3), at([False] * 3), t(f32, 0)], [t(f32, 3), at([1, 0, 1]), t(f32, 3)], [t(f32, 3), t(b1, 3), t(f64, 3)]])");
  r.op("masked_select(Tensor self, Tensor mask) -> Tensor")
      .rule(masked_select_rule)
      .sized_by_elements(decompose_masked_select)
      .decompose(decompose_masked_select, Reads::Symbols)
      .out()
      .onnx(none("decomposes to index"))
      .doc("The elements where `mask` is true, in one dim.")
      .samples(
          R"([[x, t(b1, 2, 3)] for x in layouts(2, 3)] + [[t(f32, 3), t(b1, 2, 1)], [t(f32), at(True)], [t(f32, 3), t(f32, 3)], [t(f32, 3), t(b1, 2)]])");
}

}  // namespace monograph
