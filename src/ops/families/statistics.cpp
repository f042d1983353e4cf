// Statistics: var and std beside the mean, median, kthvalue, mode, unique, bincount, searchsorted, isin and others. Most decompose into reductions and sort;
// kthvalue, median, cummax, unique_consecutive, bincount and searchsorted have kernels. unique and bincount read elements first, because the size of their
// results depends on them.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "kernels/histograms.h"
#include "kernels/runs.h"
#include "kernels/search.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/families/ordered_rows.h"
#include "ops/families/reduction_gradients.h"
#include "ops/promotion.h"
#include "ops/rows.h"
#include "ops/rule.h"

namespace monograph {
namespace {

constexpr const char* kReductions = "decomposes to reductions";

IValue dims_of(const IValue& dims) { return dims.is_none() ? IValue(Dims{}) : dims; }
IValue pair(const Tensor& a, const Tensor& b) { return IValue::tuple({a, b}); }

// all.dims and any.dims. dim=[] reduces no dim, so the result is the flags themselves.
template <bool kAll>
IValue decompose_flags(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const bool keep = a[2].to_bool();
  const DType result = x.dtype() == DType::u8 ? DType::u8 : DType::b1;
  Tensor flags = "to"_op("ne"_op(x, 0), result);
  Dims dims;
  if (a[1].is_none())
    for (int64_t d = 0; d < x.dim(); ++d) dims.push_back(d);
  else
    for (int64_t d : a[1].to_ints()) dims.push_back(wrapped(d, x));
  std::sort(dims.begin(), dims.end());
  MONOGRAPH_CHECK(std::adjacent_find(dims.begin(), dims.end()) == dims.end(), Runtime, "dim appears multiple times in the list of dims");
  if (x.dim() == 0) return flags;
  for (size_t k = dims.size(); k-- > 0;) flags = kAll ? "all"_op(flags, dims[k], keep) : "any"_op(flags, dims[k], keep);
  return flags;
}

// The gradient of an element is the product of the other elements of its row: the result divided by the element if none is 0, else the product of the elements
// before it times that of the elements after it.
void product_gradient(GradCall& c) {
  Tensor x = c.arg(0), g = c.grad(), y = c.result();
  if (x.dim() == 0) return c.set(0, g);
  const int64_t dim = wrapped(c.value(1), x);
  x = "to"_op(x, g.dtype());
  if (!c.value(2).to_bool()) g = "unsqueeze"_op(g, dim), y = "unsqueeze"_op(y, dim);
  if (element_count(c.sizes(0)).is(0)) return c.set(0, "zeros_like"_op(x));
  const bool captured = dispatch_state().top;
  const Tensor zero = "eq"_op(x, 0), any = "any"_op(zero), product = "mul"_op(g, y);
  if (!captured && !"item"_op(any).to_bool()) return c.set(0, "div"_op(product, x));
  const Tensor slope = "mul"_op(g, products_of_others(x, dim));
  // Whether there are zeros differs from run to run of a graph, so the graph computes both.
  c.set(0, captured ? Tensor("where"_op(any, slope, "div"_op(product, "masked_fill"_op(x, zero, 1)))) : slope);
}

// States the results of an operator that selects one element of each row: the elements and their indices. Argument kDim is dim, the next one keepdim. The rows
// must not be empty.
template <size_t kDim>
std::optional<size_t> one_of_each_row(RuleCall& c) {
  check_ordered(c);
  const auto d = sorted_dim(c, kDim);
  const auto keep = c.truth(kDim + 1);
  Sizes sizes = c.sizes(0);
  if (!sizes.ranked() || sizes.empty()) {
    c.result(sizes, c.dtype(0)), c.result(sizes, DType::i64);
    return d;
  }
  if (d) c.check(!certainly(sizes[*d] == 0), Index, c.op.base_name(), "(): Expected reduction dim ", *d, " to have non-zero size.");
  if (!d || !keep) sizes = keep ? Sizes(*keep ? sizes.size() : sizes.size() - 1, Size()) : Sizes::unranked();
  else if (*keep) sizes.set(*d, 1);
  else sizes.erase(*d);
  c.result(sizes, c.dtype(0)), c.result(sizes, DType::i64);
  return d;
}
void kthvalue_rule(RuleCall& c) {
  const auto d = one_of_each_row<2>(c);
  const Size k = c.size(1), n = c.sizes(0).ranked() && c.sizes(0).empty() ? Size(1) : d && c.sizes(0).ranked() ? c.sizes(0)[*d] : Size();
  c.check(k >= 1 && k <= n, Runtime, "kthvalue(): selected number k out of range for dimension ", d.value_or(0));
}

// The elements in ascending order along dim, and their indices in `places`.
Tensor sorted_along(const Tensor& x, int64_t dim, Tensor& places) {
  const CallResult sorted = "sort"_op(x, true, dim, false);
  places = sorted[1];
  return sorted[0];
}
IValue decompose_kthvalue(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const int64_t dim = wrapped(a[2], x);
  const Size k = as_size(a[1]);
  if (x.dim() == 0) return pair("clone"_op(x), "zeros_like"_op(x, DType::i64));
  Tensor places, values = sorted_along(x, dim, places);
  if (a[3].to_bool()) values = "narrow"_op(values, dim, k - 1, 1), places = "narrow"_op(places, dim, k - 1, 1);
  else values = "select"_op(values, dim, k - 1), places = "select"_op(places, dim, k - 1);
  return pair("clone"_op(values), "clone"_op(places));
}
// The median; of two middle elements the lower one. If a row holds NaNs, its median is the first of them; nanmedian ignores them.
template <bool kSkipsNaN>
IValue decompose_median_dim(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const int64_t dim = wrapped(a[1], x);
  const Size n = x.dim() ? size_of(x, dim) : Size(1);
  if (x.dim() == 0) return pair("clone"_op(x), "zeros_like"_op(x, DType::i64));
  Tensor places;
  const Tensor values = sorted_along(x, dim, places), count = "sum"_op("isnan"_op(x), Dims{dim}, true);
  Tensor at = kSkipsNaN ? Tensor("clamp"_op("floor_divide"_op("rsub"_op(count, n - 1), 2), 0, IValue()))
                        : Tensor("where"_op("gt"_op(count, 0), "rsub"_op(count, n), "full_like"_op(count, floordiv(n - 1, 2))));
  Tensor value = "gather"_op(values, dim, at), place = "gather"_op(places, dim, at);
  if (!a[2].to_bool()) value = "select"_op(value, dim, 0), place = "select"_op(place, dim, 0);
  return pair(value, place);
}
template <bool kSkipsNaN>
IValue decompose_median(const IValue* a) {
  const Tensor flat = "reshape"_op(a[0], Dims{-1});
  if (size_of(flat, 0).is(0)) return "full_like"_op("sum"_op(flat), std::nan(""));
  return (kSkipsNaN ? "nanmedian"_op(flat, 0, false) : "median"_op(flat, 0, false))[0];
}

// The most frequent element, the least of several. Among the sorted elements it is the one whose run is longest; the index is that of the last in the run.
IValue decompose_mode(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  MONOGRAPH_CHECK(!is_complex(x.dtype()), NotImplemented, "mode is not implemented for '", scalar_type(x.dtype()), "'");
  const int64_t dim = wrapped(a[1], x);
  const Size n = x.dim() ? size_of(x, dim) : Size(1);
  if (x.dim() == 0) return pair("clone"_op(x), "zeros_like"_op(x, DType::i64));
  MONOGRAPH_CHECK(!n.is(0), Index, "mode(): Expected reduction dim ", dim, " to have non-zero size.");
  const CallResult sorted = "sort"_op(x, dim, false);
  const Tensor values = sorted[0], places = along(counted(n, x), dim, x.dim());
  const Tensor starts = "ones_like"_op("narrow"_op(values, dim, 0, 1), DType::b1);
  const Tensor changes = "ne"_op("narrow"_op(values, dim, 1, n - 1), "narrow"_op(values, dim, 0, n - 1));
  const Tensor first = "cummax"_op("mul"_op("cat"_op(tensors_of({starts, changes}), dim), places), dim)[0];
  const Tensor at = "argmax"_op("sub"_op(places, first), dim, true);
  Tensor value = "gather"_op(values, dim, at), place = "gather"_op(sorted[1], dim, at);
  if (!a[2].to_bool()) value = "select"_op(value, dim, 0), place = "select"_op(place, dim, 0);
  return pair(value, place);
}

// --- diff.

IValue decompose_diff(const IValue* a) {
  Tensor x = a[0].to_tensor();
  MONOGRAPH_CHECK(x.dim() >= 1, Runtime, "diff expects input to be at least one-dimensional");
  const int64_t n = a[1].to_int(), dim = wrapped(a[2], x);
  MONOGRAPH_CHECK(n >= 0, Runtime, "order must be non-negative but got ", n);
  if (n == 0) return "clone"_op(x);  // as in PyTorch, prepend and append are ignored
  if (!a[3].is_none() || !a[4].is_none()) {
    std::vector<Tensor> parts;
    for (int k : {3, 0, 4})
      if (!a[k].is_none()) parts.push_back(a[k].to_tensor());
    for (const Tensor& t : parts)
      MONOGRAPH_CHECK(t.dim() == x.dim(), Runtime, "diff expects prepend or append to be the same dimension as input, but got ", t.dim(),
                      " and ", x.dim());
    x = "cat"_op(tensors_of(parts), dim);
  }
  // Without values the steps after the first one are taken as one: a dim of 2^60 would need as many.
  const bool at_once = n > 1000 && (x.is_meta() || x.numel() == 0);
  const int64_t rounds = at_once ? 2 : n;
  for (int64_t k = 0; k < rounds; ++k) {
    const Size size = size_of(x, dim), steps = k && at_once ? n - 1 : 1;
    if (size.is(0)) break;
    const Size first = k ? min(size, steps) : Size(1),
               count = k ? max(size - steps, 0) : size - 1;  // the row may have fewer than n elements
    const Tensor after = "narrow"_op(x, dim, first, count), before = "narrow"_op(x, dim, 0, count);
    x = x.dtype() == DType::b1 ? "logical_xor"_op(after, before) : "sub"_op(after, before);
  }
  return x;
}

// --- unique and bincount.

// Runs of equal neighbours among n elements. `changes` says for each element but the first whether it differs from the one before it. `first` are the indices
// where runs begin, `number` is the number of each element's run, `counts` are the lengths of the runs.
struct Runs {
  Tensor first, number, counts;
  Runs(int64_t n, const Tensor& changes) {
    const Tensor lead = "ones"_op(Dims{std::min<int64_t>(n, 1)}, DType::b1);
    const Tensor starts = n > 1 ? Tensor("cat"_op(tensors_of({lead, changes}), 0)) : lead;
    number = "sub"_op("cumsum"_op(starts, 0), 1);
    first = "reshape"_op("nonzero"_op(starts), Dims{-1});
    const Tensor end = "full"_op(Dims{1}, n, DType::i64),
                 ends = n ? Tensor("cat"_op(tensors_of({"narrow"_op(first, 0, 1, first.size(0) - 1), end}), 0)) : first;
    counts = "sub"_op(ends, first);
  }
};
// Whether each element but the first differs from the one before it.
Tensor changes_of(const Tensor& row) {
  const int64_t n = row.size(0);
  return n > 1 ? Tensor("ne"_op("narrow"_op(row, 0, 1, n - 1), "narrow"_op(row, 0, 0, n - 1))) : Tensor("ne"_op(row, row));
}

template <size_t kInverse>
void unique_rule(RuleCall& c) {
  c.like(0, Sizes{Size()});
  auto requested = [&](size_t i) { return c.truth(i).value_or(false); };
  const bool inverse = requested(kInverse);
  c.result(inverse ? Sizes(c.sizes(0)) : Sizes{0}, DType::i64);
  c.result(requested(kInverse + 1) ? Sizes{Size()} : Sizes{0}, DType::i64);
  c.wait_for_elements();
}
// The runs of the sorted elements. `order` are their indices in x.
IValue decompose_unique(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  Tensor order;
  const Tensor row = sorted_along("reshape"_op(x, Dims{-1}), 0, order);
  const auto runs = "unique_consecutive"_op(row, a[2], a[3]);
  Tensor places = runs[1];
  if (a[2].to_bool()) places = "reshape"_op("scatter"_op("zeros_like"_op(order), 0, order, places), x.sizes());
  return IValue::tuple({runs[0], places, runs[2]});
}

// The slices along a dim, as the rows of a matrix.
Tensor slices_of(const Tensor& x, int64_t dim) {
  const int64_t n = x.size(dim), each = n ? x.numel() / n : 0;
  return "reshape"_op("movedim"_op(x, dim, 0), Dims{n, each});
}
// The lexicographic order of the rows: stable sorts by each column, from the last one to the first.
Tensor order_of(const Tensor& rows) {
  Tensor order = "arange"_op(rows.size(0), DType::i64);
  for (int64_t column = rows.size(1); column-- > 0;) {
    const Tensor keys = "index_select"_op("select"_op(rows, 1, column), 0, order);
    order = "index_select"_op(order, 0, "sort"_op(keys, true, 0, false)[1]);
  }
  return order;
}
// The distinct slices of x along dim, in order; without `sorts`, only equal neighbours are merged. As in PyTorch, inverse indices and counts are always
// computed.
IValue unique_slices(const Tensor& x, int64_t dim, bool sorts) {
  const Tensor rows = slices_of(x, dim);
  const int64_t n = rows.size(0);
  if (n == 0) return IValue::tuple({x, Tensor("empty"_op(Dims{0}, DType::i64)), Tensor("empty"_op(Dims{0}, DType::i64))});
  const Tensor order = sorts ? order_of(rows) : Tensor("arange"_op(n, DType::i64)), row = "index_select"_op(rows, 0, order);
  const Tensor changes = n > 1 ? Tensor("any"_op("ne"_op("narrow"_op(row, 0, 1, n - 1), "narrow"_op(row, 0, 0, n - 1)), 1))
                               : Tensor("empty"_op(Dims{0}, DType::b1));
  const Runs runs(n, changes);
  const Tensor places = "scatter"_op("zeros_like"_op(order), 0, order, runs.number);
  const Tensor kept = "index_select"_op("movedim"_op(x, dim, 0), 0, "index_select"_op(order, 0, runs.first));
  return IValue::tuple({Tensor("movedim"_op(kept, 0, dim)), places, runs.counts});
}
void unique_slices_rule(RuleCall& c, std::optional<int64_t> dim) {
  Sizes sizes = c.sizes(0);
  Sizes places{Size()};
  if (dim && sizes.ranked()) {
    const Truth empty = sizes[static_cast<size_t>(*dim)] == 0;
    size_t zeros = 0;
    for (size_t d = 0; d < sizes.size(); ++d) zeros += sizes[d].is(0);
    c.check(!certainly(empty) || zeros == 1, Runtime, "Number of zero sized dimensions is more than one, so unique cannot be applied");
    c.check(!never(empty) || zeros == 0, Runtime, "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  }
  if (dim && sizes.ranked()) places = {sizes[static_cast<size_t>(*dim)]}, sizes.set(static_cast<size_t>(*dim), Size());
  else
    for (size_t k = 0; sizes.ranked() && k < sizes.size(); ++k) sizes.set(k, Size());
  if (sizes.ranked()) c.like(0, sizes);
  else c.unranked(0);
  c.result(places, DType::i64);
  c.result(Sizes{Size()}, DType::i64);
  c.wait_for_elements();
}
void unique_dim_rule(RuleCall& c) { unique_slices_rule(c, c.sizes(0).ranked() ? c.dim(1, c.sizes(0).size()) : std::nullopt); }
IValue decompose_unique_dim(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  return unique_slices(x, wrapped(a[1], x), true);
}
// The kernel compares elements. If the call names one of several dims, slices are compared, and the decomposition does that.
void unique_consecutive_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  const auto dim = c.none(3) || !x.ranked() ? std::nullopt : c.dim(3, x.size());
  if (c.none(3) || (x.ranked() && x.size() <= 1)) return unique_rule<1>(c);
  unique_slices_rule(c, dim);
  c.leave_to_decomposition();
}
IValue decompose_unique_consecutive(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  if (!a[3].is_none() && x.dim() > 1) return unique_slices(x, wrapped(a[3], x), false);
  const Tensor row = "reshape"_op(x, Dims{-1}), none = "empty"_op(Dims{0}, DType::i64);
  const Runs runs(row.size(0), changes_of(row));
  return IValue::tuple({Tensor("index_select"_op(row, 0, runs.first)), a[1].to_bool() ? Tensor("reshape"_op(runs.number, x.sizes())) : none,
                        a[2].to_bool() ? runs.counts : none});
}

void bincount_rule(RuleCall& c) {
  c.check_dtype(c.dtype(0), [](DType given) { return is_integral(given, false); }, "bincount_cpu");
  c.check(!c.sizes(0).ranked() || c.sizes(0).size() == 1, Runtime, "bincount only supports 1-d non-negative integral inputs.");
  c.check(c.size(2) >= 0, Runtime, "minlength should be >= 0");
  // As in PyTorch, weights count only where there is something to weigh.
  const Truth empty = c.sizes(0)[0] == 0, weighted = c.none(1) ? Truth(false) : !empty;
  if (certainly(weighted))
    c.check(!c.sizes(0).ranked() || !c.sizes(1).ranked() || (c.sizes(1).size() == 1 && !never(c.sizes(0)[0] == c.sizes(1)[0])), Runtime,
            "weights should be 1-d and have the same length as input");
  std::optional<DType> dtype = DType::i64;
  if (!never(weighted))
    dtype = !certainly(weighted) || !c.dtype(1) ? std::nullopt : std::optional(c.dtype(1) == DType::f32 ? DType::f32 : DType::f64);
  c.convert(0, DType::i64), c.contiguous(0);
  if (dtype && certainly(weighted)) c.convert(1, *dtype), c.contiguous(1);
  c.result(Sizes{Size()}, dtype);
  c.wait_for_elements();
}
IValue decompose_bincount(const IValue* a) {
  const Tensor x = "to"_op(a[0], DType::i64);
  int64_t n = a[2].to_int();
  if (x.numel()) {
    MONOGRAPH_CHECK("item"_op("min"_op(x)).to_int() >= 0, Runtime, "bincount only supports 1-d non-negative integral inputs.");
    n = std::max(n, "item"_op("max"_op(x)).to_int() + 1);
  }
  if (a[1].is_none() || x.numel() == 0) return "index_add"_op("zeros"_op(Dims{n}, DType::i64), 0, x, "ones_like"_op(x));
  Tensor weights = a[1].to_tensor();
  if (weights.dtype() != DType::f32) weights = "to"_op(weights, DType::f64);
  return "index_add"_op("zeros"_op(Dims{n}, weights.dtype()), 0, x, weights);
}

// --- searchsorted, isin, cummax and cummin.

// A number as a tensor of the dtype in which it is compared with the elements of x.
Tensor number_beside(const Tensor& x, const IValue& number) {
  ResultType both;
  both.add(x), both.add(number);
  return "new_full"_op(x, Dims{}, number, both.get());
}

void searchsorted_rule(RuleCall& c) {
  SizesRef sequence = c.sizes(0), values = c.sizes(1);
  constexpr std::array<size_t, 2> both{0, 1};
  const auto t = c.promoted(both);
  if (t && (c.dtype(0) != t || c.dtype(1) != t)) c.convert(0, *t), c.convert(1, *t);
  c.check_dtype(t, [](DType given) { return !is_complex(given) && given != DType::b1; }, "searchsorted_out_cpu");
  c.check(!sequence.ranked() || !sequence.empty(), Runtime,
          "torch.searchsorted(): input value can be a scalar only when boundary tensor dimension is 1, but we got boundary tensor dim(0)");
  if (sequence.ranked() && values.ranked() && sequence.size() > 1) {
    bool same = sequence.size() == values.size();
    for (size_t d = 0; same && d + 1 < sequence.size(); ++d) same = !never(sequence[d] == values[d]);
    c.check(same, Runtime,
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input "
            "value tensor must match, but we got boundaries tensor ",
            sequence, " and input value tensor ", values);
  }
  if (!c.none(4)) {
    auto side = c.text(4);
    c.check(!side || *side == "left" || *side == "right", Runtime, "torch.searchsorted(): side can only be 'left' or 'right' but got ",
            side.value_or(""));
    c.check(!side || *side == "right" || !c.truth(3).value_or(false), Runtime,
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True");
  }
  if (!c.none(5)) {
    auto order = c.dtype(5);
    c.check(!order || *order == DType::i64, Runtime, "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype ",
            info(order.value_or(DType::i64)).scalar_type);
    SizesRef sorter = c.sizes(5);
    bool same = !sorter.ranked() || !sequence.ranked() || sorter.size() == sequence.size();
    for (size_t d = 0; same && sorter.ranked() && d < sorter.size(); ++d) same = !never(sorter[d] == sequence[d]);
    c.check(same, Runtime, "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor ", sequence,
            " and got sorter tensor ", sorter);
  }
  auto narrow = c.truth(2);
  c.result(values, narrow ? std::optional(*narrow ? DType::i32 : DType::i64) : std::nullopt);
}
void cummax_rule(RuleCall& c) {
  auto t = c.dtype(0);
  c.check(!t || !is_complex(*t), ErrorKind::NotImplemented, "complex numbers have no order");
  if (c.sizes(0).ranked()) c.dim(1, c.sizes(0).size());
  c.like(0, c.sizes(0));
  c.result(c.sizes(0), DType::i64);
}

void check_isin(const IValue& x) {
  const DType t = x.is_tensor() ? x.as_tensor().dtype() : x.is_bool() ? DType::b1 : x.is_complex() ? DType::c128 : DType::f64;
  MONOGRAPH_CHECK(t != DType::b1 && !is_complex(t), Runtime, "Unsupported input type encountered for isin(): ", info(t).scalar_type,
                  "; convert it first, for example x.to(torch.int64)");
}
IValue decompose_isin(const IValue* a) {
  const Tensor x = a[0].to_tensor(), set = a[1].to_tensor();
  check_isin(a[0]), check_isin(a[1]);
  const DType common = promote_types(x.dtype(), set.dtype());
  const bool inverted = a[3].to_bool();
  if (element_count(sizes_of(set)).is(0)) return "full_like"_op(x, inverted, DType::b1);
  const DType held = common == DType::b1 ? DType::u8 : common;
  Tensor places;
  const Tensor ordered = sorted_along("reshape"_op("to"_op(set, held), Dims{-1}), 0, places), wanted = "to"_op(x, held);
  const Tensor at = "clamp"_op("searchsorted"_op(ordered, wanted), IValue(), size_of(ordered, 0) - 1);
  const Tensor there = "reshape"_op("index_select"_op(ordered, 0, "reshape"_op(at, Dims{-1})), sizes_of(wanted));
  return inverted ? "ne"_op(there, wanted) : "eq"_op(there, wanted);
}

// --- Gradients and records.

// The standard deviation with kRoot, else the variance.
template <bool kRoot>
Tensor var_or_std(const IValue& x, const IValue& dims, const IValue& correction, const IValue& keep) {
  return kRoot ? "std"_op(x, dims, correction, keep) : "var"_op(x, dims, correction, keep);
}
IValue correction_of(const IValue& unbiased) { return unbiased.to_bool() ? 1 : 0; }
Tensor mean_over(const IValue& x, const IValue& dims, const IValue& keep) { return "mean"_op(x, dims_of(dims), keep); }

// The gradient of var_mean and std_mean: the sum of both results' gradients.
template <bool kRoot>
void var_mean_gradient(GradCall& c, const VarianceCall& call) {
  Tensor g;
  if (const Tensor of_first = c.grad(0); of_first.defined())
    g = variance_gradient(c, call, kRoot ? gradient_through_root(of_first, c.result(0)) : of_first);
  if (const Tensor of_mean = c.grad(1); of_mean.defined()) {
    const Tensor whole = "expand"_op(restore_dims(of_mean, call.dims, call.keep), c.sizes(0));
    const Tensor part = "div"_op(whole, row_length(c.sizes(0), call.dims));
    g = g.defined() ? Tensor("add"_op(g, part)) : part;
  }
  c.set(0, g);
}
int64_t rank_of(const GradCall& c) { return static_cast<int64_t>(c.dim(0)); }

// The gradient of the smallest (or largest) element is shared in equal parts by all elements that equal it.
void aminmax_gradient(GradCall& c) {
  const Tensor x = c.arg(0);
  const Dims dims = c.value(1).is_none() ? all_dims(x.dim()) : dims_in_order(Dims{c.value(1).to_int()}, x.dim());
  const bool keep = c.value(2).to_bool();
  auto part = [&](size_t k) {
    const Tensor mask = "eq"_op(x, restore_dims(c.result(k), dims, keep)), g = restore_dims(c.grad(k), dims, keep);
    return Tensor("div"_op("mul"_op(g, mask), "sum"_op(mask, dims, true)));
  };
  const bool smallest = c.grad(0).defined(), largest = c.grad(1).defined();
  if (smallest && largest) c.set(0, "add"_op(part(0), part(1)));
  else c.set(0, part(smallest ? 0 : 1));
}

// The gradient of each value goes to the element whose index is in the second result.
template <size_t kDim, size_t kKeep>
void selected_gradient(GradCall& c) {
  if (c.dim(0) == 0) return c.set(0, c.grad());
  const int64_t dim = wrap_dim(c.value(kDim).to_int(), rank_of(c));
  const Dims dims{dim};
  const bool keep = c.value(kKeep).to_bool();
  c.set(0, "gather_backward"_op(restore_dims(c.grad(), dims, keep), c.sizes(0), dim, restore_dims(c.result(1), dims, keep)));
}

// var and var_mean, or std and std_mean with kRoot.
template <bool kRoot>
void variances(Registry& r, const char* alone, const char* beside_mean) {
  static std::vector<std::string> texts;
  texts.reserve(64);
  auto state = [&](const char* rest, DecomposeFn make, const char* out, const char* samples, GradFn gradient = nullptr) {
    const bool both = std::string_view(rest).ends_with("(Tensor, Tensor)");
    auto b = r.op(texts.emplace_back(concat(both ? beside_mean : alone, rest)).c_str());
    b.decompose(make, Reads::Nothing)
        .onnx(none(kReductions))
        .doc(texts.emplace_back(concat(kRoot ? "The root of the variance" : "The variance", both ? ", and the mean." : ".")).c_str());
    b.samples(samples);
    if (gradient) b.gradient(gradient);
    if (std::string_view(rest).starts_with('(')) b.keeps("correction", [](const IValue* a) -> IValue { return correction_of(a[1]); });
    else if (std::string_view(rest).starts_with(".dim"))
      b.keeps("correction", [](const IValue* a) -> IValue { return correction_of(a[2]); });
    if (out && both) b.operator_out(out, {"out0", "out1"});
    else if (out) b.out_named(out).out_dtype(OutDType::Computes, kFloating);
  };
  constexpr const char* kAll =
      "[[t(d, 3, 4), b] for d in (*FLOATS, c64) for b in (True, False)] + [[t(f32, 1), True], [t(i64, 3)], [t(f32)]]";
  constexpr const char* kOver =
      R"([[t(f32, 3, 4), n, b, k] for n in ([0], [1], [0, 1], None, [-1]) for b in (True, False) for k in (True, False)] + [[t(f64, 2, 3), [2]], [t(i64, 3), [0]]])";
  state(
      "(Tensor self, bool unbiased=True) -> Tensor",
      [](const IValue* a) -> IValue { return var_or_std<kRoot>(a[0], IValue(), correction_of(a[1]), false); }, nullptr, kAll);
  state(
      ".dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
      [](const IValue* a) -> IValue { return var_or_std<kRoot>(a[0], a[1], correction_of(a[2]), a[3]); }, "out", kOver);
  state(
      "(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
      [](const IValue* a) -> IValue { return pair(var_or_std<kRoot>(a[0], IValue(), correction_of(a[1]), false), "mean"_op(a[0])); },
      nullptr, kAll,
      [](GradCall& c) { var_mean_gradient<kRoot>(c, {all_dims(rank_of(c)), correction_of(c.value(1)).to_double(), false, true}); });
  state(
      ".dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)",
      [](const IValue* a) -> IValue { return pair(var_or_std<kRoot>(a[0], a[1], correction_of(a[2]), a[3]), mean_over(a[0], a[1], a[3])); },
      nullptr, kOver,
      [](GradCall& c) {
        const double correction = correction_of(c.value(2)).to_double();
        const VarianceCall call{dims_in_order(c.value(1), rank_of(c)), correction, c.value(3).to_bool(), c.value(1).is_none()};
        var_mean_gradient<kRoot>(c, call);
      });
  state(
      ".correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
      [](const IValue* a) -> IValue { return pair(var_or_std<kRoot>(a[0], a[1], a[2], a[3]), mean_over(a[0], a[1], a[3])); },
      "correction_out", R"([[t(f32, 3, 4), n, c, k] for n in ([0], [0, 1], None) for c in (None, 0, 1, 2) for k in (True, False)])",
      [](GradCall& c) {
        const double correction = c.value(2).is_none() ? 1.0 : c.value(2).to_double();
        const VarianceCall call{dims_in_order(c.value(1), rank_of(c)), correction, c.value(3).to_bool(), c.value(1).is_none()};
        var_mean_gradient<kRoot>(c, call);
      });
}

void composite_reductions(Registry& r) {
  auto flags = none("its result is a bool");
  auto flag = [&](const char* schema, DecomposeFn make, const char* doc) {
    r.op(schema)
        .decompose(make, Reads::Nothing)
        .out()
        .out_dtype(OutDType::Any, kBool | set_of({DType::u8}))
        .gradient(flags)
        .onnx(none(kReductions))
        .doc(doc)
        .samples(
            R"([[t(d, 2, 3), n, k] for d in ALL for n, k in (([0], False), ([0, 1], True), (None, False), ([], False))] + [[t(f32, 2, 3, 4), [0, -1], False], [t(f32, 2), [1], False], [t(f32, 2, 2), [0, 0], False],
            [t(f32), None, True], [t(f32, 0, 2), [0], False]])");
  };
  flag("all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", decompose_flags<true>,
       "Whether every element over `dim` is nonzero.");
  flag("any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", decompose_flags<false>,
       "Whether some element over `dim` is nonzero.");
  r.rows({"prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"},
         {.body = [](RowContext& c) { c.out(reduce(Combine::Prod, c.x())); },
          .reduces = true,
          .keepdim_arg = 2,
          .dtype_arg = 3,
          .result = RowRule::Result::Sum,
          .complex = complex_products})
      .out_named("int_out")
      .gradient(product_gradient)
      .onnx("out: ReduceProd(self, [dim], keepdims=keepdim)")
      .autocast(Autocast::Float32)
      .doc("The product along `dim`.")
      .samples("rows() + [[at([[2.0, 0.0, 3.0], [0.0, 0.0, 1.0], [1.0, 2.0, 4.0]]), 1]]")
      .special(Special::RoundsEachFactor, "n factors are n - 1 roundings in any order, in PyTorch also of 16 bits");
  auto counts = none("its result is a count");
  r.op("count_nonzero(Tensor self, int? dim=None) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return "sum"_op("ne"_op(a[0], 0), a[1].is_none() ? Dims{} : Dims{a[1].to_int()}); },
                 Reads::Nothing)
      .operator_out()
      .gradient(counts)
      .onnx(none(kReductions))
      .doc("How many elements are not 0.")
      .samples("[[t(d, 3, 4), n] for d in ALL for n in (None, 0, -1)] + [[t(f32), None], [t(f32, 3), 1], [at([nan, 0.0, -0.0]), 0]]");
  r.op("count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return "sum"_op("ne"_op(a[0], 0), a[1]); }, Reads::Nothing)
      .operator_out()
      .gradient(counts)
      .onnx(none(kReductions))
      .doc("How many elements over `dim` are not 0.")
      .samples("[[t(d, 3, 4), n] for d in (f32, i64, b1) for n in ([0], [0, 1], [-1])]");
  r.op("aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)")
      .out_named("out", {"min", "max"})
      .decompose(
          [](const IValue* a) -> IValue {
            const Dims dims = a[1].is_none() ? Dims{} : Dims{a[1].to_int()};
            return pair("amin"_op(a[0], dims, a[2]), "amax"_op(a[0], dims, a[2]));
          },
          Reads::Nothing)
      .gradient(aminmax_gradient)
      .onnx(none(kReductions))
      .doc("The smallest and the largest element, along `dim` if it is given.")
      .samples(
          "[[t(d, 3, 4), n, k] for d in (f32, f64, i64, b1) for n in (None, 0, -1) for k in (False, True)] + [[t(f32, 0), None], [t(f32), "
          "0], [at([1.0, nan])]]");
  r.rows({"nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"},
         {.body =
              [](RowContext& c) {
                const Num x = c.x();
                c.out(row_sum(is_floating(c.dtype()) ? where(x == x, x, lit(x.t, 0.0)) : x));
              },
          .rows = RowRule::Rows::Dims,
          .reduces = true,
          .keepdim_arg = 2,
          .dtype_arg = 3,
          .result = RowRule::Result::Sum})
      .decompose([](const IValue* a) -> IValue { return "sum"_op("masked_fill"_op(a[0], "isnan"_op(a[0]), 0), dims_of(a[1]), a[2], a[3]); },
                 Reads::Nothing)
      .gradient([](GradCall& c) {
        const Tensor g = restore_dims(c.grad(), dims_in_order(c.value(1), rank_of(c)), c.value(2).to_bool());
        c.set(0, "mul"_op("expand"_op(g, c.sizes(0)), "logical_not"_op("isnan"_op(c.arg(0)))));
      })
      .out()
      .onnx(none(kReductions))
      .doc("The sum of the elements that are not NaN.")
      .samples(
          "[[x, n, k] for x in (at([[1.0, nan, 2.0], [nan, 3.0, 4.0]]), t(i64, 2, 3), t(f16, 2, 3)) for n, k in ((None, False), ([0], "
          "True), ([0, 1], False))] + [[t(f32, 3), None, False, f64]]");
  r.op("nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor")
      .decompose(
          [](const IValue* a) -> IValue {
            MONOGRAPH_CHECK(is_floating(a[0].as_tensor().dtype()), Runtime,
                            "nanmean(): expected input to have floating point or complex dtype but got ",
                            scalar_type(a[0].as_tensor().dtype()));
            const Tensor count = "sum"_op("logical_not"_op("isnan"_op(a[0])), dims_of(a[1]), a[2]);
            return "div"_op("nansum"_op(a[0], a[1], a[2], a[3]), count);
          },
          Reads::Nothing)
      .out()
      .out_dtype(OutDType::Computes, kFloating)
      .onnx(none(kReductions))
      .doc("The mean of the elements that are not NaN.")
      .samples(
          "[[x, n, k] for x in (at([[1.0, nan, 2.0], [nan, 3.0, 4.0]]), t(f64, 2, 3)) for n, k in ((None, False), ([0], True), ([0, 1], "
          "False))] + [[t(i64, 3)], [at([nan, nan])]]");
}

void orders(Registry& r) {
  constexpr const char* kSorted = "decomposes to sort";
  r.op("kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)")
      .out_named("values", {"values", "indices"})
      .rule(kthvalue_rule)
      .kernel(kthvalue_kernel)
      .decompose(decompose_kthvalue, Reads::Symbols)
      .gradient(selected_gradient<2, 3>)
      .onnx(none(kSorted))
      .doc("The `k`-th smallest element along `dim`, and its index. Equal elements count in their order.")
      .samples(
          "[[t(d, 3, 5), k, n, b] for d in (f32, f64) for k, n, b in ((1, -1, False), (3, 0, True), (2, 1, False))] + [[at([3, 1, 2]), 2], "
          "[t(f32, 3), 4], [t(f32, 3), 0], [t(f32), 1], [t(f32, 5, 3).t(), 2]]");
  r.op("mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)")
      .out_named("values", {"values", "indices"})
      .decompose(decompose_mode, Reads::Symbols)
      .gradient(selected_gradient<1, 2>)
      .onnx(none(kSorted))
      .doc("The most frequent element along `dim`, and an index of it. If several are as frequent, the smallest of them.")
      .samples(
          "[[index(4, 3, 9).to(d), n, b] for d in (f32, i64, u8) for n, b in ((0, False), (1, True), (-1, False))] + [[t(f32), 0], [t(f32, "
          "0), 0], [t(f32, 3), 1], [t(b1, 9)], [index(3, 9, 4).t(), 0]]");
  auto median = [&](const char* schema, StructuredKernel kernel, DecomposeFn make, const char* doc, const char* samples) {
    auto b = r.op(schema);
    if (kernel) b.rule([](RuleCall& c) { one_of_each_row<1>(c); }).kernel(kernel);
    else b.rule([](RuleCall& c) { check_ordered(c), c.result(Sizes{}, c.dtype(0)); });
    b.decompose(make, Reads::Symbols).onnx(none(kSorted)).doc(doc).samples(samples);
    if (b.record().results() > 1) return void(b.out_named("dim_values", {"values", "indices"}).gradient(selected_gradient<1, 2>));
    b.out().gradient([](GradCall& c) {  // shared in equal parts by all elements that equal the result
      const Tensor x = c.arg(0), y = c.result();
      const Tensor mask = "logical_or"_op("eq"_op(x, y), "logical_and"_op("isnan"_op(x), "isnan"_op(y)));
      c.set(0, "where"_op(mask, "div"_op(c.grad(), "sum"_op(mask)), 0.0));
    });
  };
  const char* along_dim =
      "[[t(d, 3, n), k, b] for d in (f32, f64) for n in (4, 5) for k, b in ((1, False), (0, True), (-1, True))] + [[at([3, 1, 2]), 0], "
      "[t(f32), 0], [at([[1.0, nan, 0.0, 5.0], [4.0, 3.0, 2.0, 1.0]]), 1], [t(f32, 0), 0], [t(f32, 3), 1]]";
  const char* of_all =
      "[[t(d, 3, n)] for d in (*FLOATS, i64) for n in (3, 4)] + [[t(f32)], [at([1.0, nan, 2.0])], [at([nan, nan])], [at([1.0, nan, 2.0, "
      "nan, 0.0])]]";
  median("median(Tensor self) -> Tensor", nullptr, decompose_median<false>, "The median; of two middle elements the lower one. A NaN wins.",
         of_all);
  median("median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", median_kernel,
         decompose_median_dim<false>, "The median along `dim`, and its index; of two middle elements the lower one.", along_dim);
  median("nanmedian(Tensor self) -> Tensor", nullptr, decompose_median<true>, "The median of the elements that are not NaN.", of_all);
  median("nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", nanmedian_kernel,
         decompose_median_dim<true>, "The median along `dim` of the elements that are not NaN, and its index.", along_dim);
  r.op("msort(Tensor self) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return "sort"_op(a[0], 0, false)[0]; }, Reads::Nothing)
      .out()
      .onnx(none(kSorted))
      .doc("The elements in order along dim 0.")
      .samples("[[x] for x in layouts(3, 4)] + [[t(f32)]]");
  r.op("argwhere(Tensor self) -> Tensor")
      .rule([](RuleCall& c) {
        c.result(Sizes{Size(), c.sizes(0).ranked() ? Size(static_cast<int64_t>(c.sizes(0).size())) : Size()}, DType::i64);
        c.wait_for_elements();
      })
      .sized_by_elements([](const IValue* a) -> IValue { return "nonzero"_op(a[0]); })
      .decompose([](const IValue* a) -> IValue { return "nonzero"_op(a[0]); }, Reads::Nothing)
      .gradient(none("its result is an index"))
      .onnx("out: Transpose(NonZero(self), perm=[1, 0])")
      .doc("The indices of the elements that are not zero, one row for each.")
      .samples("[[x] for x in layouts(2, 3)] + [[t(f32, 0)], [at([0.0, -0.0, nan])]]");
  r.op("diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor")
      .decompose(decompose_diff, Reads::Symbols)
      .out()
      .out_dtype(OutDType::Safe)
      .onnx(none("decomposes to slices and sub"))
      .doc("The differences of neighbours along `dim`, `n` times, after `prepend` and before `append`.")
      .samples(
          "[[x, n, d] for x in layouts(3, 4) for n, d in ((1, -1), (2, 0), (0, 1), (5, 0))] + [[t(f32, 2, 3), 1, 1, t(f32, 2, 1), t(f32, "
          "2, 2)], [t(f32, 2, 3), 0, 1, t(f32, 2, 1)], [t(f32), 1], [t(f32, 3), -1], [t(f32, 3), 1, 0, t(f32, 1, 1)]]");
  for (bool largest : {true, false})
    r.op(largest ? "cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)"
                 : "cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)")
        .out_named("out", {"values", "indices"})
        .rule(cummax_rule)
        .kernel(largest ? cummax_kernel : cummin_kernel)
        .contiguous_args()
        .gradient([](GradCall& c) {
          if (c.dim(0) == 0) return c.set(0, c.grad());
          c.set(0, "scatter_add"_op("zeros_like"_op(c.grad()), c.value(1), c.result(1), c.grad()));
        })
        .onnx(none("ONNX has no operator for it"))
        .doc(largest ? "The largest element so far along `dim`, and its index." : "The smallest element so far along `dim`, and its index.")
        .samples(
            "[[x, d] for x in layouts(3, 4) for d in (0, -1)] + [[special(d), 0] for d in (*FLOATS, *INTS)] + [[t(f32), 0], [t(f32, 0, 2), "
            "0], [t(f32, 3), 1], [index(3, 40), 0]]");
}

void counts(Registry& r) {
  constexpr const char* kSized = "its size depends on elements";
  auto no_gradient = none("PyTorch has none: which elements are chosen is no smooth function");
  r.op("_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)")
      .rule(unique_rule<2>)
      .sized_by_elements(decompose_unique)
      .decompose(decompose_unique)
      .gradient(no_gradient)
      .onnx(none(kSized))
      .doc("The distinct elements in ascending order; for each element of `self` its index among them; how often each one occurs.")
      .samples(
          "[[x, True, True, True] for x in layouts(2, 3)] + [[index(4, 30), True, i, c] for i in (True, False) for c in (True, False)] + "
          "[[t(f32, 0), True, True, True], [t(f32), True, True, True], [at([nan, 1.0, nan]), True, True, True]]");
  r.op("unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)")
      .rule(unique_consecutive_rule)
      .sized_by_elements(count_runs)
      .kernel(unique_consecutive_kernel)
      .contiguous_args()
      .decompose(decompose_unique_consecutive)
      .gradient(no_gradient)
      .onnx(none(kSized))
      .doc("The elements without those that equal the one before; for each element of `self` its index among them; the length of each run.")
      .samples(
          "[[index(2, 30), i, c] for i in (True, False) for c in (True, False)] + [[index(2, 3, 4), True, True], [t(f32, 0), True, True], "
          "[t(f32), True, True]] + [[index(2, 9, 2, 1), True, True, n] for n in (0, 1, -1)] + [[index(2, 9), True, True, 0], [t(f32, 2, "
          "3), False, False, 2]]");
  r.op("unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, "
       "Tensor)")
      .rule(unique_dim_rule)
      .sized_by_elements(decompose_unique_dim)
      .decompose(decompose_unique_dim)
      .gradient(no_gradient)
      .onnx(none(kSized))
      .doc("The distinct slices along `dim` in ascending order; for each slice of `self` its index among them; how often each one occurs.")
      .samples(
          "[[index(2, 9, 3), n, True, True, True] for n in (0, 1, -1)] + [[index(2, 3, 2, 5), 2, True, True, True], [index(2, 9), 0, True, "
          "True, "
          "True], [t(f32, 0, 3), 0, True, True, True], [t(f32, 3, 0), 0], [index(2, 9, 1).t(), 1], [t(f32, 2, 3), 2]]");
  r.op("bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor")
      .rule(bincount_rule)
      .sized_by_elements(bincount_size)
      .kernel(bincount_kernel)
      .bad_data(Runtime, "bincount only supports 1-d non-negative integral inputs.")
      .decompose(decompose_bincount)
      .gradient(none("its arguments are counts"))
      .onnx(none(kSized))
      .doc("How often each number from 0 on occurs, or the sum of its weights.")
      .samples(
          "[[index(5, 30), None, n] for n in (0, 3, 9)] + [[index(5, 9).to(d)] for d in (u8, i32)] + [[index(5, 9), t(d, 9)] for d in "
          "(f32, f64, i64, f16)] + [[torch.zeros(0, dtype=i64), None, 3], [at([-1])], [t(f32, 3)], [index(3, 2, 2)], [index(3, 3), t(f32, "
          "2)]]");
  auto places = none("its result is an index");
  r.op("searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? "
       "sorter=None) -> Tensor")
      .rule(searchsorted_rule)
      .kernel(searchsorted_kernel)
      .contiguous_args()
      .bad_data(Index, "sorter index {value} is out of bounds for a row of {limit} elements")
      .function_only()
      .gradient(places)
      .onnx(none("ONNX has no operator for it"))
      .doc("The index at which each element would be inserted into a sorted row: before equal elements, or after them with right=True.")
      .samples(
          R"([[t(d, 9).sort()[0], t(d, 2, 3), n, r] for d in (*FLOATS, *INTS) for n in (False, True) for r in (False, True)] + [[at([[1, 3, 5], [2, 4, 6]]), at([[3, 6], [2, 7]]), False, r] for r in (False, True)]
               + [[at([1.0, 2.0, 2.0, nan]), at([2.0, nan, 3.0, -inf]), False, r] for r in (False, True)] + [[at([3, 1, 2]), at([2, 0]), False, False, w, at([1, 2, 0])] for w in ("left", "right")]
               + [[at([1, 2]), at([1.0, 1.5, 2.5])], [at([1.0, 2.5]), at([1, 2, 3])], [at([[1, 2]]), at([1, 2])], [at([1, 2]), at([1]), False, True, "left"], [at([1, 2]), at([1]), False, False, "up"], [torch.zeros(0), t(f32, 2)], [at([1, 2]), at(1)]])");
  r.op("searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? "
       "sorter=None) -> Tensor")
      .decompose(
          [](const IValue* a) -> IValue { return "searchsorted"_op(a[0], number_beside(a[0].to_tensor(), a[1]), a[2], a[3], a[4], a[5]); },
          Reads::Nothing)
      .function_only()
      .gradient(places)
      .onnx(none("ONNX has no operator for it"))
      .doc("The index at which a number would be inserted into a sorted row.")
      .samples("[[t(d, 9).sort()[0], 1, False, r] for d in (f32, i64) for r in (False, True)]");
  r.op("bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor")
      .decompose(
          [](const IValue* a) -> IValue {
            MONOGRAPH_CHECK(a[1].as_tensor().dim() == 1, Runtime, "boundaries tensor must be 1 dimension, but got dim(",
                            a[1].as_tensor().dim(), ")");
            return "searchsorted"_op(a[1], a[0], a[2], a[3], IValue(), IValue());
          },
          Reads::Nothing)
      .out("Tensor_out")
      .gradient(places)
      .onnx(none("ONNX has no operator for it"))
      .doc("The index of the interval between `boundaries` in which each element lies.")
      .samples(
          "[[t(d, 2, 3), t(d, 5).sort()[0], n, r] for d in (f32, f64, i64) for n in (False, True) for r in (False, True)] + [[t(f32, 3), "
          "t(f32, 2, 2)], [t(f32, 3, 2).t(), at([0.0, 1.0])]]");
  r.op("bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor")
      .decompose(
          [](const IValue* a) -> IValue {
            return "searchsorted"_op(a[1], number_beside(a[1].to_tensor(), a[0]), a[2], a[3], IValue(), IValue());
          },
          Reads::Nothing)
      .function_only()
      .gradient(places)
      .onnx(none("ONNX has no operator for it"))
      .doc("The index of the interval between `boundaries` in which a number lies.")
      .samples("[[1, t(d, 5).sort()[0], False, r] for d in (f32, i64) for r in (False, True)]");
  auto is_in = [&](const char* schema, DecomposeFn make, const char* samples) {
    r.op(schema)
        .decompose(make, Reads::Symbols)
        .function_only()
        .gradient(none("its result is a bool"))
        .onnx(none("ONNX has no operator for it"))
        .doc(R"(Whether each element is one of `test_elements`. One of the two is a number.

element: The number to look for.
test_element: The number that the elements are compared with.)")
        .samples(samples);
  };
  is_in(
      "isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor",
      [](const IValue* a) -> IValue {
        check_isin(a[0]), check_isin(a[1]);
        return a[3].to_bool() ? "ne"_op(a[0], a[1]) : "eq"_op(a[0], a[1]);
      },
      "[[t(d, 2, 3), 1, False, i] for d in (f32, i64) for i in (False, True)]");
  is_in(
      "isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
      [](const IValue* a) -> IValue {
        check_isin(a[0]), check_isin(a[1]);
        const Tensor found = "any"_op("eq"_op(a[1], a[0]));
        return a[3].to_bool() ? Tensor("logical_not"_op(found)) : found;
      },
      "[[1, t(d, 4), False, i] for d in (f32, i64) for i in (False, True)] + [[1, t(f32, 0)]]");
  r.op("isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor")
      .decompose(decompose_isin, Reads::Symbols)
      .function_only()
      .gradient(none("its result is a bool"))
      .onnx(none("ONNX has no operator for it"))
      .doc("Whether each element is one of `test_elements`.")
      .samples(
          "[[t(d, 2, 3), t(d, 4), False, i] for d in (f32, f64, i64, u8) for i in (False, True)] + [[t(i64, 3), at([1.0, 2.0])], [t(f32, "
          "3), t(f32, 0)], [t(f32, 0), t(f32, 3)], [index(9, 3, 4), index(9, 2, 2)]]");
}

}  // namespace

void statistics(Registry& r) {
  variances<false>(r, "var", "var_mean");
  variances<true>(r, "std", "std_mean");
  composite_reductions(r);
  orders(r);
  counts(r);
}

}  // namespace monograph
