// quantile, nanquantile, histc, histogram and nonzero_static. Each decomposes into other operators: quantiles into sort, gather and lerp, histograms into
// index_add. Histograms have kernels too, which count directly.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "kernels/histograms.h"
#include "ops/contiguous.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/pointwise.h"
#include "ops/rule.h"

namespace monograph {
namespace {

// --- Quantiles.

// The arguments are (self, q, dim, keepdim, interpolation); q is a tensor or a number.
void quantile_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  const auto t = c.dtype(0);
  const bool tensor = c.is_tensor(1);
  c.check(!x.ranked() || element_count(x) > 0, Runtime, "quantile() input tensor must be non-empty");
  c.check(!t || *t == DType::f32 || *t == DType::f64, Runtime, "quantile() input tensor must be either float or double dtype, but got ",
          scalar_type(t));
  if (tensor) {
    c.check(!c.sizes(1).ranked() || c.sizes(1).size() <= 1, Runtime, "quantile() q must be a scalar or 1D tensor, but got ", c.sizes(1));
    c.check(!t || !c.dtype(1) || *t == *c.dtype(1), Runtime, "quantile() q tensor must be same dtype as the input tensor, ", scalar_type(t),
            ", but got ", scalar_type(c.dtype(1)));
  } else if (const auto q = c.real(1)) {
    c.check(*q >= 0 && *q <= 1, Runtime, "quantile() q must be in the range [0, 1] but got ", *q);
  }
  const auto mode = c.text(4);
  c.check(!mode || *mode == "linear" || *mode == "lower" || *mode == "higher" || *mode == "midpoint" || *mode == "nearest", Runtime,
          "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got ", mode.value_or(""));
  const auto keep = c.truth(3);
  if (!x.ranked() || !keep || (tensor && !c.sizes(1).ranked())) return c.unranked(0);
  Sizes out;
  if (tensor && c.sizes(1).size() == 1) out.push_back(c.sizes(1)[0]);
  if (c.none(2)) {
    for (size_t d = 0; *keep && d < x.size(); ++d) out.push_back(1);
    return c.like(0, out);
  }
  const auto dim = c.dim(2, x.size());
  if (!dim) return c.unranked(0);
  for (size_t d = 0; d < x.size(); ++d)
    if (d != *dim) out.push_back(x[d]);
    else if (*keep) out.push_back(1);
  c.like(0, out);
}

KernelStatus check_quantiles(KernelCall& call) {
  if (call.args[1].kind == KernelArg::Kind::Float || call.args[1].kind == KernelArg::Kind::Int) return KernelStatus::Ok;
  const KernelTensor& q = call.args[1].tensor;
  const int64_t n = q.numel(), step = q.dim == 0 ? 0 : q.strides[0];
  for (int64_t i = 0; i < n; ++i) {
    const double value = q.dtype == DType::f64 ? q.as<double>()[i * step] : static_cast<double>(q.as<float>()[i * step]);
    if (!(value >= 0 && value <= 1)) return call.fail(0, 0, i);
  }
  return KernelStatus::Ok;
}

// The rank of each q among the sorted elements of each row, which may lie between two elements. NaNs are sorted last. With kSkipsNaN they do not count;
// without it, a row that holds one gives the rank of the last element, which is NaN.
template <bool kSkipsNaN>
Tensor ranks_of(const Tensor& q, const Tensor& ordered) {
  const Tensor missing = "isnan"_op(ordered);
  if (kSkipsNaN) {
    const Tensor count = "sum"_op("logical_not"_op(missing), Dims{-1}, true);
    return "clamp_min"_op("mul"_op(q, "sub"_op(count, 1)), 0);
  }
  const Tensor last = "to"_op("scalar_tensor"_op(size_of(ordered, -1) - 1, DType::i64), ordered.dtype());
  return "where"_op("any"_op(missing, -1, true), last, "mul"_op(q, last));
}

template <bool kSkipsNaN>
IValue decompose_quantile(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const Tensor q = a[1].is_tensor() ? a[1].to_tensor() : Tensor("scalar_tensor"_op(a[1], x.dtype(), IValue(), x.device()));
  const std::string mode(a[4].to_string());
  const bool all = a[2].is_none(), keep = a[3].to_bool();
  const int64_t dim = all ? 0 : wrapped(a[2], x);
  Tensor rows = all || x.dim() == 0 ? Tensor("reshape"_op(x, Dims{-1})) : Tensor("movedim"_op(x, dim, -1));
  const Tensor ordered = "sort"_op(rows, -1, false)[0];
  const Tensor flat = q.dim() == 0 ? Tensor("unsqueeze"_op(q, 0)) : q;
  Tensor ranks = ranks_of<kSkipsNaN>(flat, "detach"_op(ordered));
  if (mode == "lower") ranks = "floor"_op(ranks);
  if (mode == "higher") ranks = "ceil"_op(ranks);
  if (mode == "nearest") ranks = "round"_op(ranks);
  Sizes wanted = sizes_of(ordered);
  wanted.set(wanted.size() - 1, size_of(flat, 0));
  ranks = "expand"_op(ranks, wanted);
  const Tensor below = "to"_op(ranks, DType::i64);
  Tensor value = "gather"_op(ordered, -1, below);
  if (mode == "linear" || mode == "midpoint") {
    const Tensor above = "gather"_op(ordered, -1, "to"_op("ceil"_op(ranks), DType::i64));
    const Tensor weight = mode == "midpoint" ? Tensor("full_like"_op(ranks, 0.5)) : Tensor("sub"_op(ranks, below));
    value = "lerp"_op(value, above, weight);
  }
  // `value` has sizes [rows.., q]; the result has sizes [q, rows..].
  value = q.dim() == 0 ? Tensor("squeeze"_op(value, -1)) : Tensor("movedim"_op(value, -1, 0));
  if (!keep) return "clone"_op(value);
  if (x.dim() == 0) return "clone"_op(value);
  if (!all) return "unsqueeze"_op(value, dim + q.dim());
  for (int64_t d = 0; d < x.dim(); ++d) value = "unsqueeze"_op(value, -1);
  return value;
}

void register_quantiles(Registry& r) {
  auto add = [&](const char* schema, const char* out, DecomposeFn decompose, const char* doc, const char* samples) {
    r.op(schema)
        .rule(quantile_rule)
        .check(check_quantiles)
        .bad_data(Runtime, "quantile() q values must be in the range [0, 1], but element {place} is not")
        .decompose(decompose, Reads::Symbols)
        .out_named(out)
        .onnx(none("decomposes to sort"))
        .autocast(Autocast::Float32)
        .doc(doc)
        .samples(samples);
  };
  const char* of_tensor =
      R"([[t(d, 3, 5), q, n, k] for d in (f32, f64) for q in (at([0.0, 0.3, 1.0]).to(d), at(0.5).to(d)) for n, k in ((None, False), (0, True), (-1, False), (None, True))]
         + [[at([[1.0, nan, 3.0], [2.0, 4.0, 8.0]]), at([0.25, 0.75]), n] for n in (None, 0, 1)]
         + [[t(f32, 3), at([1.5])], [t(f32, 3), at([[0.5]])], [t(f32, 3), at([0.5]).double()], [t(i64, 3), at([0.5])], [t(f32, 0), at([0.5])], [t(f32), at([0.5, 1.0])],
            [t(f32, 5, 2).t(), at([0.2, 0.9]), 1]])";
  const char* of_number =
      "[[t(d, 3, 5), q, n, k] for d in (f32, f64) for q in (0.0, 0.3, 1.0) for n, k in ((None, False), (0, True), (-1, False))] + [[t(f32, "
      "3), "
      "1.5], [at([nan, nan]), 0.5], [at([1.0, nan, 2.0]), 0.5]]";
  add("quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor", "out",
      decompose_quantile<false>,
      R"(The values below which shares `q` of the elements lie, along `dim`. The result is NaN where an element is NaN. A tensor `q` gives a first dim, of its size.

q: The shares, from 0 to 1: a number, or a tensor with at most one dim and the dtype of the elements.
interpolation: What is taken between two elements: "linear", "lower", "higher", "midpoint" or "nearest".

>>> x = torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 10.0]])
>>> torch.quantile(x, 0.5)
>>> torch.quantile(x, torch.tensor([0.25, 0.75]), dim=1))",
      of_tensor);
  add("quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor", "scalar_out",
      decompose_quantile<false>, "The element below which a share `q` of them lies.", of_number);
  add("nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor", "out",
      decompose_quantile<true>,
      R"(quantile of the elements that are not NaN. The result is NaN where all are.

q: The shares, from 0 to 1: a number, or a tensor with at most one dim and the dtype of the elements.
interpolation: What is taken between two elements: "linear", "lower", "higher", "midpoint" or "nearest".

>>> x = torch.tensor([1.0, float("nan"), 3.0])
>>> torch.nanquantile(x, 0.5))",
      of_tensor);
  add("nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor",
      "scalar_out", decompose_quantile<true>, "quantile of the elements that are numbers.", of_number);
}

// --- Histograms.

void check_range(double low, double high) {
  MONOGRAPH_CHECK(std::isfinite(low) && std::isfinite(high), Runtime, "range of [", low, ", ", high, "] is not finite");
  MONOGRAPH_CHECK(low <= high, Runtime, "max must be larger than min, but got a range of [", low, ", ", high, "]");
}

// The smallest and the largest element.
std::array<double, 2> extremes(const Tensor& x) {
  return {"item"_op("to"_op("min"_op(x), DType::f64)).to_double(), "item"_op("to"_op("max"_op(x), DType::f64)).to_double()};
}

// The range of histc: the given one, or from the smallest to the largest element if `low` equals `high`. If that is empty too, it is widened by 1 on each side.
std::array<double, 2> histc_range(const Tensor& x, double low, double high) {
  if (low != high) check_range(low, high);
  if (low == high && !element_count(sizes_of(x)).is(0)) {
    const auto [least, most] = extremes(x);
    low = least, high = most;
  }
  check_range(low, high);
  if (low == high) low -= 1, high += 1;
  return {low, high};
}

void check_floats(const RuleCall& c, std::string_view name) {
  const auto t = c.dtype(0);
  c.check(!t || is_wide_float(*t), ErrorKind::NotImplemented, name, " is not implemented for '", scalar_type(t),
          "'; convert the tensor first, for example x.to(torch.float32)");
}
// The checks of both forms of histogram. The weight, argument `weight`, may be None.
void check_histogram(const RuleCall& c, size_t weight) {
  check_floats(c, "histogram");
  if (c.none(weight)) return;
  const auto t = c.dtype(0), given = c.dtype(weight);
  c.check(!t || !given || *t == *given, Runtime,
          "torch.histogram: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but got input ",
          name(t.value_or(DType::f32)), ", and weight ", name(given.value_or(DType::f32)));
  SizesRef x = c.sizes(0), w = c.sizes(weight);
  bool same = !x.ranked() || !w.ranked() || x.size() == w.size();
  for (size_t d = 0; same && d < std::min(x.size(), w.size()); ++d) same = !never(x[d] == w[d]);
  c.check(same, Runtime, "torch.histogram: if weight tensor is provided it should have the same shape as the input tensor, but got input ",
          x, " and weight ", w);
}

IValue decompose_histc(const IValue* a) {
  const Tensor x = "reshape"_op(a[0], Dims{-1});
  const int64_t bins = a[1].to_int();
  if (x.is_meta()) return "new_empty"_op(x, Dims{bins});
  const auto [low, high] = histc_range(x, a[2].to_double(), a[3].to_double());
  const Tensor inside = "logical_and"_op("ge"_op(x, low), "le"_op(x, high));
  const Tensor first = "scalar_tensor"_op(low, x.dtype()), last = "scalar_tensor"_op(high, x.dtype());
  Tensor place = "mul"_op("div"_op("sub"_op(x, first), "sub"_op(last, first)), bins);
  place = "clamp_max"_op("to"_op("where"_op(inside, place, 0.0), DType::i64), bins - 1);
  return "index_add"_op("new_zeros"_op(x, Dims{bins}), 0, place, "to"_op(inside, x.dtype()));
}

// A histogram whose integral is 1.
Tensor density_of(const Tensor& hist, const Tensor& edges) { return "div"_op("div"_op(hist, "sum"_op(hist)), "diff"_op(edges)); }

// The histogram between these edges. An edge belongs to the bin above it, and the last edge to the last bin. `weights` may be None.
IValue histogram_of(const Tensor& self, const Tensor& edges, const IValue& weights, bool density) {
  const Tensor x = "reshape"_op(self, Dims{-1}), weight = weights.is_none() ? "ones_like"_op(x) : "reshape"_op(weights, Dims{-1});
  const int64_t bins = fixed_size(edges, 0) - 1;
  Tensor hist = "new_zeros"_op(x, Dims{bins});
  if (bins > 0) {
    const Tensor inside = "logical_and"_op("ge"_op(x, "select"_op(edges, 0, 0)), "le"_op(x, "select"_op(edges, 0, -1)));
    const Tensor place = "clamp"_op("sub"_op("searchsorted"_op(edges, x, false, true, IValue(), IValue()), 1), 0, bins - 1);
    hist = "index_add"_op(hist, 0, place, "where"_op(inside, weight, 0.0));
  }
  return IValue::tuple({density ? density_of(hist, edges) : hist, edges});
}

IValue histogram_by_edges(const IValue* a) {
  const Tensor edges = "clone"_op("contiguous"_op(a[1]));
  return histogram_of(a[0].to_tensor(), edges, a[2], a[3].to_bool());
}

// The kernel reads the elements once, without the places of all of them in memory.
void histogram_rule(RuleCall& c) {
  SizesRef edges = c.sizes(1);
  const auto t = c.dtype(0), u = c.dtype(1);
  check_histogram(c, 2);
  c.check(!t || !u || *t == *u, Runtime, "torch.histogram: input tensor and bins tensors should have the same dtype, but got input ",
          name(t.value_or(DType::f32)), " and bins ", name(u.value_or(DType::f32)));
  c.check(!edges.ranked() || (edges.size() == 1 && edges[0] > 0), Runtime,
          "torch.histogram: bins tensor should have one dimension and at least one element, but got ", edges);
  c.like(0, Sizes{edges[0] - 1});
  c.like(1, Sizes{edges[0]});
  if (!all_in_memory(c, {0, 1, 2}) || c.truth(3) != false || certainly(edges[0] < 2)) return c.leave_to_decomposition();
  for (const size_t i : {0, 1, 2}) c.contiguous(i);
}
// A density is made of the counts.
IValue density_by_edges(const IValue* a) {
  if (!a[3].to_bool()) return {};
  const auto counted = "histogram"_op(a[0], a[1], a[2], false);
  const Tensor hist = counted[0], edges = counted[1];
  return IValue::tuple({density_of(hist, edges), edges});
}

// The ends of the bins: the given range, or the smallest and the largest element.
std::array<double, 2> histogram_range(const Tensor& x, const IValue& range) {
  double low = 0, high = 0;
  if (!range.is_none()) {
    const std::vector<double> ends = [&] {
      std::vector<double> out;
      if (range.is_ints())
        for (const int64_t n : range.to_ints()) out.push_back(static_cast<double>(n));
      else
        for (const IValue& v : range.items()) out.push_back(v.to_double());
      return out;
    }();
    MONOGRAPH_CHECK(ends.size() == 2, Runtime, "torch.histogram: for a 1-dimensional histogram range should have 2 elements, but got ",
                    ends.size());
    low = ends[0], high = ends[1];
  } else if (element_count(sizes_of(x)).is(0)) {
    return {0, 1};
  } else {
    const auto [least, most] = extremes(x);
    low = least, high = most;
  }
  check_range(low, high);
  if (low == high) low -= 0.5, high += 0.5;
  return {low, high};
}

IValue histogram_by_count(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const int64_t bins = a[1].to_int();
  if (x.is_meta()) return IValue::tuple({Tensor("new_empty"_op(x, Dims{bins})), Tensor("new_empty"_op(x, Dims{bins + 1}))});
  const auto [low, high] = histogram_range(x, a[2]);
  return histogram_of(x, "linspace"_op(low, high, bins + 1, x.dtype()), a[3], a[4].to_bool());
}

// By the kernel that takes edges.
IValue histogram_by_count_eagerly(const IValue* a) {
  const Tensor& x = a[0].as_tensor();
  if (!is_wide_float(x.dtype())) return {};
  const auto [low, high] = histogram_range(x, a[2]);
  return "histogram"_op(x, "linspace"_op(low, high, a[1].to_int() + 1, x.dtype()), a[3], a[4]);
}

// The kernel takes a range that the call states, with the arithmetic of the decomposition for each element.
void histc_rule(RuleCall& c) {
  c.check(c.size(1) > 0, Runtime, "bins must be > 0, but got ", c.size(1));
  check_floats(c, "histc");
  c.like(0, Sizes{c.size(1)});
  const auto t = c.dtype(0);
  if (c.eager())
    for (size_t i : {2, 3}) number_in(c.op.name(), c.value(i), DType::f64);
  const auto low = c.real(2), high = c.real(3);
  const bool stated = low && high && std::isfinite(*low) && std::isfinite(*high) && *low < *high;
  if (!t || !stated) return c.leave_to_decomposition();
  c.contiguous(0);
}

// With the range of the elements, as a call that states it.
IValue histc_of_range(const IValue* a) {
  const Tensor& x = a[0].as_tensor();
  if (!is_wide_float(x.dtype())) return {};
  const auto [low, high] = histc_range(x, a[2].to_double(), a[3].to_double());
  return low < high ? IValue("histc"_op(x, a[1], low, high)) : IValue();
}

}  // namespace

void quantiles(Registry& r) {
  register_quantiles(r);
  constexpr const char* kCounts = "ONNX has no operator that counts elements";
  r.op("histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor")
      .rule(histc_rule)
      .kernel(histc_kernel)
      .decompose(decompose_histc, Reads::Sizes)
      .decompose_eagerly(histc_of_range)
      .out()
      .gradient(none("it counts"))
      .onnx(none(kCounts))
      .doc(
          R"(How many elements lie in each of `bins` equal parts of the range from `min` to `max`. Elements outside and NaN are not counted.

bins: How many parts there are.
min: The lower end of the range.
max: The upper end of the range, which belongs to it. If `min` and `max` are both 0, the range is that of the elements.

>>> x = torch.tensor([1.0, 2.0, 1.0, 5.0])
>>> torch.histc(x, bins=4, min=0, max=4))")
      .samples(
          "[[t(d, 4, 5), n, *m] for d in (f32, f64) for n, m in ((4, ()), (5, (-1, 1)), (3, (0.5, 2)))] + [[at([1.0, 1.0, 1.0]), 4], "
          "[at([0.0, 1.0, "
          "2.0, 3.0, 4.0]), 4, 0, 4], [at([0.5, nan, 3.0]), 2, 0, 1], [t(f32, 0), 3], [t(f32, 3), 0], [t(f32, 3), 2, 1, 0], [at([1.0, "
          "nan]), 2], "
          "[t(i64, 3), 2]]");
  auto counts = none("its first result counts, its second one are edges");
  r.op("histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)")
      .decompose(histogram_by_edges, Reads::Sizes)
      .decompose_eagerly(density_by_edges)
      .rule(histogram_rule)
      .kernel(histogram_kernel)
      .out_named("bins_tensor_out", {"hist", "bin_edges"})
      .gradient(counts)
      .onnx(none(kCounts))
      .doc(
          R"(How many elements lie in each bin, and the edges of the bins. An edge belongs to the bin above it, and the last one to the last bin.

bins: How many bins of one width there are, or a tensor with the edges, in order.
range: The two ends of the bins, if `bins` is a number. None: the smallest and the largest element.
weight: How much each element counts, in a tensor of the same size. None: 1.
density: Whether the result is a density: each bin divided by its width and by the sum of all, so that the integral is 1.

>>> x = torch.tensor([1.0, 2.0, 1.0, 5.0])
>>> torch.histogram(x, 4, range=(0.0, 4.0)))")
      .samples(
          "[[t(d, 4, 5), at([-2.0, -0.5, 1.0, 2.5]).to(d), w and t(d, 4, 5, low=0.0), k] for d in (f32, f64) for w in (None, True) for k "
          "in (False, "
          "True)] + [[at([0.0, 1.0, 2.0, nan]), at([0.0, 1.0, 2.0])], [t(f32, 3), at([0.0, 1.0]).double()], [t(f32, 3), at([[0.0, 1.0]])], "
          "[t(f32, "
          "3), at([0.0, 1.0]), t(f32, 2)]]");
  r.op("histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, "
       "Tensor "
       "bin_edges)")
      .rule([](RuleCall& c) {
        c.check(c.size(1) > 0, Runtime, "torch.histogram(): bins must be > 0, but got ", c.size(1));
        check_histogram(c, 3);
        c.like(0, Sizes{c.size(1)});
        c.like(0, Sizes{c.size(1) + 1});
      })
      .decompose(histogram_by_count, Reads::Sizes)
      .decompose_eagerly(histogram_by_count_eagerly)
      .out_named("bin_ct_out", {"hist", "bin_edges"})
      .gradient(counts)
      .onnx(none(kCounts))
      .doc("histogram of `bins` bins of one width.")
      .samples(
          "[[t(d, 4, 5), 4, m, w and t(d, 4, 5, low=0.0), k] for d in (f32, f64) for m in (None, [-1.0, 2.0]) for w in (None, True) for k "
          "in (False, "
          "True)] + [[at([1.0, 1.0]), 3], [t(f32, 0), 3], [t(f32, 3), 0], [t(f32, 3), 2, [1.0]], [t(f32, 3), 2, [1.0, 0.0]]]");
  r.op("nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor")
      .rule([](RuleCall& c) {
        c.check(c.size(1) >= 0, Runtime, "nonzero_static: 'size' must be an non-negative integer, but got ", c.size(1));
        c.result(Sizes{c.size(1), c.sizes(0).ranked() ? Size(static_cast<int64_t>(c.sizes(0).size())) : Size()}, DType::i64);
      })
      .decompose(
          [](const IValue* a) -> IValue {
            const Size size = as_size(a[1]);
            if (a[0].as_tensor().is_meta()) return "new_empty"_op(a[0], Sizes{size, a[0].as_tensor().dim()}, DType::i64);
            const Tensor places = "nonzero"_op(a[0]);
            const Tensor rest = "full"_op(Sizes{size, a[0].as_tensor().dim()}, a[2], DType::i64);
            return "clone"_op("narrow"_op("cat"_op(tensors_of({places, rest}), 0), 0, 0, size));
          },
          Reads::Nothing)
      .out()
      .gradient(none("its result is an index"))
      .onnx(none("decomposes to nonzero"))
      .doc(
          R"(The places of the first `size` elements that are not zero, one a row. The size of the result does not depend on the elements, so a graph knows it.

size: How many rows the result has.
fill_value: What the last rows hold, if fewer elements are not zero.

>>> x = torch.tensor([0, 3, 4])
>>> torch.nonzero_static(x, size=3))")
      .samples(
          "[[at([[0.0, 1.0], [2.0, nan]]), n] for n in (0, 2, 5)] + [[at([True, False, True]), 4, 7], [t(f32, 0), 2], [at(3.0), 2], "
          "[t(f32, 2), -1]]");
}

}  // namespace monograph
