// max_unpool, which decomposes into scatter, and fractional_max_pool, which has a kernel; each over two and three dims.
#include "kernels/windows.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/layouts.h"
#include "ops/rule.h"

namespace monograph {
namespace {

// The arguments are (self, indices, output_size, ..).
template <size_t kDims>
void unpool_rule(RuleCall& c) {
  SizesRef x = c.sizes(0), places = c.sizes(1);
  const Sizes to = c.ints(2);
  const auto index = c.dtype(1);
  c.check(!index || *index == DType::i64, Runtime, "elements in indices should be type int64 but got: ", scalar_type(index));
  c.check(!to.ranked() || to.size() == kDims, Runtime, "There should be exactly ", kDims, " elements in output_size, but got ", to.size(),
          " elements.");
  c.check(!x.ranked() || x.size() == kDims + 1 || x.size() == kDims + 2, Runtime, "Input to max_unpooling", kDims, "d should be a ",
          kDims + 1, "d or ", kDims + 2, "d Tensor, but got a tensor with dim: ", x.size());
  bool same = !x.ranked() || !places.ranked() || x.size() == places.size();
  for (size_t d = 0; same && x.ranked() && places.ranked() && d < x.size(); ++d) same = !never(x[d] == places[d]);
  c.check(same, Runtime, "Expected shape of indices to be same as that of the input tensor (", x,
          ") but got indices tensor with shape: ", places);
  if (!x.ranked()) return c.unranked(0);
  Sizes out = x;
  for (size_t d = 0; d < kDims; ++d) {
    const size_t at = x.size() - kDims + d;
    c.check(x[at] > 0, Runtime, "Expected input to have non-zero size for non-batch dimensions, but got ", x, " with dimension ", at,
            " being empty.");
    out.set(at, to.ranked() ? to[d] : Size());
  }
  if (kDims == 3)
    for (size_t i : {size_t{3}, size_t{4}})
      c.check(!c.length(i) || *c.length(i) == 3, Runtime, "There should be exactly 3 elements in ", i == 3 ? "stride" : "padding",
              ", but got: ", c.length(i).value_or(0), " elements.");
  if (kDims == 3 && c.ints(3).ranked())
    for (const size_t k : {size_t{0}, size_t{1}, size_t{2}})
      c.check(c.entry(3, k) > 0, Runtime, "strides should be greater than zero, but got stride: ", c.ints(3));
  c.like(0, out);
}

// Writes each element at its place in a channel of zeros.
template <int64_t kDims>
IValue decompose_unpool(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const Sizes own = sizes_of(x), to = sizes_in(a[2]);
  Sizes flat, out;
  for (size_t d = 0; d + static_cast<size_t>(kDims) < own.size(); ++d) flat.push_back(own[d]), out.push_back(own[d]);
  Size plane = 1;
  for (size_t d = 0; d < static_cast<size_t>(kDims); ++d) out.push_back(to[d]), plane = plane * to[d];
  const Tensor zeros = "new_zeros"_op(x, appended(flat, {plane}));
  auto row = [&](const IValue& t) { return "flatten"_op(t, -kDims, -1); };
  const Tensor y = "reshape"_op("scatter"_op(zeros, -1, row(a[1]), row(a[0])), out);
  return kDims == 2 ? in_format(y, format_of_any({&a[0]})) : y;  // as in PyTorch, unlike its gradient
}

// The arguments are (self, kernel_size, output_size, random_samples).
template <size_t kDims>
void fractional_rule(RuleCall& c) {
  SizesRef x = c.sizes(0), samples = c.sizes(3);
  const auto t = c.dtype(0);
  c.check_dtype(t, is_floating);
  c.check(!t || !c.dtype(3) || *t == *c.dtype(3), Runtime, "Expect _random_samples to have the same dtype as input");
  for (size_t i : {size_t{1}, size_t{2}})
    c.check(!c.length(i) || *c.length(i) == kDims, Runtime, "fractional_max_pool", kDims, "d: ", i == 1 ? "kernel_size" : "output_size",
            " must either be a single Int or tuple of Ints of length ", kDims);
  c.check(!x.ranked() || x.size() == kDims + 1 || x.size() == kDims + 2, Runtime, "fractional_max_pool", kDims, "d: Expected ", kDims + 1,
          "D or ", kDims + 2, "D tensor, but got: ", x);
  if (!x.ranked()) return c.unranked(0);
  const size_t lead = x.size() - kDims;
  const Size batch = lead == 2 ? x[0] : Size(1);
  c.check(!samples.ranked() || samples.size() == 3, Runtime, "Expect _random_samples to have 3 dimensions, got ", samples.size());
  if (samples.ranked()) {
    c.check(samples[0] >= batch, Runtime, "Expect _random_samples.size(0) no less then input batch size.");
    c.check(samples[1] == x[lead - 1], Runtime, "Expect _random_samples.size(1) equals to input channel size.");
    c.check(samples[2] == static_cast<int64_t>(kDims), Runtime, "Expect _random_samples.size(2) equals to ", kDims, " got ", samples[2],
            ".");
  }
  Sizes out = x;
  for (size_t d = 0; d < kDims; ++d) {
    const Size kernel = c.entry(1, d), to = c.entry(2, d);
    c.check(x[lead + d] > 0, Runtime, "Expected input to have non-zero size for non-batch dimensions, but got ", x);
    c.check(kernel > 0 && to > 0, Runtime, "kernel_size and output_size must be greater than zero, but got ", c.ints(1), " and ",
            c.ints(2));
    c.check(kDims == 3 ? to + kernel - 1 < x[lead + d] : to + kernel - 1 <= x[lead + d], Runtime, "fractional_max_pool", kDims,
            "d: pool size ", kernel, " too large relative to input size ", x[lead + d]);
    out.set(lead + d, to);
  }
  c.contiguous(0), c.contiguous(3);
  c.like(0, out);
  c.result(out, DType::i64);
}

// The gradient of each window goes to the element whose index is in the second result.
template <int64_t kDims>
void fractional_gradient(GradCall& c) {
  auto row = [](const Tensor& t) { return Tensor("flatten"_op(t, -kDims, -1)); };
  const Sizes own = c.sizes(0);
  Sizes flat;
  Size plane = 1;
  for (size_t d = 0; d < own.size(); ++d)
    if (d + static_cast<size_t>(kDims) < own.size()) flat.push_back(own[d]);
    else plane = plane * own[d];
  const Tensor zeros = "zeros"_op(appended(flat, {plane}), c.grad().dtype());
  c.set(0, "reshape"_op("scatter_add"_op(zeros, -1, row(c.result(1)), row(c.grad())), own));
}

}  // namespace

void unpooling(Registry& r) {
  constexpr const char* kPlaces = "MaxUnpool counts places over all channels";
  r.op("max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor")
      .namespaced("_nn")
      .rule(unpool_rule<2>)
      .decompose(decompose_unpool<2>, Reads::Symbols)
      .out()
      .onnx(none(kPlaces))
      .autocast(Autocast::Float32)
      .doc(
          R"(Zeros, with each element of `self` at its place in `indices`: what undoes max_pool2d, except for the elements that were not the largest.

self: The elements, of shape (batch, channels, rows, columns) or without the batch.
indices: The place of each element in its channel of the result, as max_pool2d returns it.
output_size: The rows and columns of the result.

>>> x = torch.tensor([[[5.0, 7.0]]])
>>> torch._C._nn.max_unpool2d(x, torch.tensor([[[0, 3]]]), [2, 2]))")
      .samples(
          "[[t(d, 2, 3, 2, 3), index(30, 2, 3, 2, 3), [5, 6]] for d in (f32, f64)] + [[t(f32, 3, 2, 2), at([[[0, 3], [9, 11]]] * 3), [3, "
          "4]], "
          "[t(f32, 1, 2, 2), at([[[0, 3], [9, 12]]]), [3, 4]], [t(f32, 1, 2, 2), at([[[0, 3], [9, -1]]]), [3, 4]], [t(f32, 1, 2, 2), "
          "index(4, 1, 2, 2).int(), [3, 4]], [t(f32, 1, 2, 2), index(4, 1, 2, 2), [3]], [t(f32, 1, 2, 2), index(4, 1, 2, 3), [3, 4]], "
          "[t(f32, 2, 2), index(4, 2, 2), [3, 4]]]");
  r.op("max_unpool3d(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding) -> Tensor")
      .namespaced("_nn")
      .rule(unpool_rule<3>)
      .decompose(decompose_unpool<3>, Reads::Symbols)
      .out()
      .onnx(none(kPlaces))
      .autocast(Autocast::Float32)
      .doc(R"(max_unpool2d of volumes.

self: The elements, of shape (batch, channels, depth, rows, columns) or without the batch.
indices: The place of each element in its channel of the result, as max_pool3d returns it.
output_size: The depth, rows and columns of the result.
stride: Checked to be above 0. It changes no result.
padding: It changes no result.

>>> x = torch.tensor([[[[5.0, 7.0]]]])
>>> torch._C._nn.max_unpool3d(x, torch.tensor([[[[0, 3]]]]), [1, 2, 2], [1, 1, 1], [0, 0, 0]))")
      .samples(
          "[[t(d, 2, 1, 2, 2, 3), index(60, 2, 1, 2, 2, 3), [2, 5, 6], [1, 2, 2], [0, 0, 0]] for d in (f32, f64)] + [[t(f32, 1, 1, 2, 2), "
          "at([[[[0, 3], [9, 12]]]]), [1, 3, 4], [1, 1, 1], [0, 0, 0]], [t(f32, 1, 1, 2, 2), index(4, 1, 1, 2, 2), [1, 3, 4], [0, 1, 1], "
          "[0, 0, 0]]]");
  auto pool = [&](const char* schema, RuleFn rule, GradFn gradient, const char* doc, const char* samples) {
    r.op(schema)
        .namespaced("_nn")
        .rule(rule)
        .kernel(fractional_max_pool_kernel)
        .gradient(gradient)
        .onnx(none("ONNX has no windows at random places"))
        .autocast(Autocast::Float32)
        .doc(doc)
        .samples(samples);
  };
  pool(
      "fractional_max_pool2d(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples) -> (Tensor, Tensor)",
      fractional_rule<2>, fractional_gradient<2>,
      R"(The largest element of each window, and its place. The windows begin at random, about evenly, so that there are as many as `output_size` says.

output_size: How many windows there are along the rows and the columns.
random_samples: Numbers from 0 to below 1 that decide where the windows begin, of shape (batch, channels, 2).

>>> x = torch.arange(16.0).reshape(1, 1, 4, 4)
>>> torch._C._nn.fractional_max_pool2d(x, [2, 2], [2, 2], torch.tensor([[[0.2, 0.7]]])))",
      "[[t(d, 2, 3, 7, 8), [2, 3], [3, 4], t(d, 2, 3, 2, low=0.0, high=1.0)] for d in (f32, f64)] + [[t(f32, 3, 5, 5), [2, 2], [1, 3], "
      "t(f32, 1, "
      "3, 2, low=0.0, high=1.0)], [t(f32, 3, 5, 5), [4, 2], [3, 3], t(f32, 1, 3, 2, low=0.0, high=1.0)], [t(f32, 3, 5, 5), [2, 2], [3, "
      "3], t(f32, "
      "1, 2, 2, low=0.0, high=1.0)]]");
  pool("fractional_max_pool3d(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples) -> (Tensor, Tensor)",
       fractional_rule<3>, fractional_gradient<3>, R"(fractional_max_pool2d of volumes.

output_size: How many windows there are along the depth, the rows and the columns.
random_samples: Numbers from 0 to below 1 that decide where the windows begin, of shape (batch, channels, 3).

>>> x = torch.arange(27.0).reshape(1, 1, 3, 3, 3)
>>> torch._C._nn.fractional_max_pool3d(x, [2, 2, 2], [1, 1, 1], torch.tensor([[[0.2, 0.7, 0.5]]])))",
       "[[t(d, 2, 2, 4, 5, 6), [2, 2, 3], [2, 3, 3], t(d, 2, 2, 3, low=0.0, high=1.0)] for d in (f32, f64)] + [[t(f32, 1, 4, 4, 4), [2, 2, "
       "2], [1, "
       "2, 2], t(f32, 1, 1, 3, low=0.0, high=1.0)]]");
}

}  // namespace monograph
