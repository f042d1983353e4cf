// The gradient of a convolution by its weight, and how the operators call the kernels of convolutions.
//
// The gradient is a product: of the output's gradient with the unfolded image, summed over the outputs of all images of the batch. A task makes a few rows of the
// unfolded image at a time. The generated kernel (kernels/convolution.h) reads them as its weights. Its vectors run along the output channels, so
// the output's gradient is transposed first: the channels of a pixel are then next to each other.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <type_traits>

#include "core/threads/pool.h"
#include "kernels/channel_blocks.h"
#include "kernels/clones.h"
#include "kernels/convolution.h"
#include "kernels/depthwise.h"
#include "kernels/element_types.h"
#include "kernels/number.h"
#include "kernels/round.h"

namespace monograph {

namespace {

constexpr int64_t kLinks = 384;  // links of one kernel call
constexpr int64_t kTaskWork = 1 << 20;  // the least work of a worker, in links
constexpr int64_t kSlack = 256;  // elements that a kernel may read beyond its last one
constexpr int64_t kTile = 16;  // a tile of pixels and channels that is transposed at once

struct GatherPixels {
  template <class To, class From>
  [[gnu::always_inline]] static void run(To* __restrict to, const From* __restrict from, int64_t n, int64_t step) {
    if (step == 1)
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
    else
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<To>(from[i * step]);
  }
};

struct WeightPlan {
  explicit WeightPlan(const Convolution& c)
      : c(c),
        real(c.type == DType::f64 ? 8 : 4),
        kernels(c.kernels ? *c.kernels : convolution_kernels(c.type == DType::f64 ? DType::f64 : DType::f32)),
        rows(c.inputs * c.rows.taps * c.columns.taps),
        pixels(c.rows.out * c.columns.out),
        block(std::max<int64_t>(1, divide_up(pixels, divide_up(std::max<int64_t>(pixels, 1), kLinks)))),
        unfolded_row(round_up(block, 64 / real) + 64 / real),
        tile_row(round_up(c.outputs, kSlack) + 64 / real),
        row_tasks(divide_up(rows, kernels.rows)),
        tasks(c.groups * row_tasks) {
    const double work = static_cast<double>(c.groups * c.outputs * rows) * static_cast<double>(c.batch * pixels);
    workers =
        std::clamp<int64_t>(c.workers, 1, std::max<int64_t>(1, std::min(tasks, static_cast<int64_t>(std::min(work / kTaskWork, 1e6)))));
  }
  int64_t offsets_bytes() const { return round_up(block * 4, 64) + round_up(kMaxConvolutionRows * real, 64); }
  int64_t turned_bytes() const { return round_up((c.groups * c.batch * pixels * c.outputs + kSlack) * real, 64); }
  int64_t worker_bytes() const { return kernels.rows * (unfolded_row + tile_row) * real; }
  int64_t bytes() const { return offsets_bytes() + turned_bytes() + workers * round_up(worker_bytes(), 64); }

  const Convolution& c;
  int64_t real;
  const ConvolutionKernels& kernels;
  int64_t rows, pixels;  // the size of the unfolded image of one group
  int64_t block;  // pixels of one kernel call
  int64_t unfolded_row, tile_row, row_tasks, tasks, workers;
};

// Transposes [group, output, image, row, column] to [group, image, pixel, output].
template <class S>
void turn(const WeightPlan& p, ChainType<S>* to) {
  const Convolution& c = p.c;
  const int64_t *s = c.weight_strides, height = c.rows.out, width = c.columns.out, outputs = c.outputs;
  parallel_for(0, c.groups * c.batch * height, std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, width * outputs)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t at = begin; at < end; ++at) {
                   const int64_t y = at % height, n = at / height % c.batch, g = at / height / c.batch;
                   const S* from = static_cast<const S*>(c.weight) + g * s[0] + n * s[2] + y * s[3];
                   auto* row = to + at * width * outputs;
                   for (int64_t o0 = 0; o0 < outputs; o0 += kTile)
                     for (int64_t x0 = 0; x0 < width; x0 += kTile)
                       for (int64_t o = o0; o < std::min(outputs, o0 + kTile); ++o)
                         for (int64_t x = x0; x < std::min(width, x0 + kTile); ++x)
                           row[x * outputs + o] = static_cast<ChainType<S>>(from[o * s[1] + x * s[4]]);
                 }
               });
}

template <class S>
class WeightWorker {
  using Real = ChainType<S>;

 public:
  WeightWorker(const WeightPlan& plan, const int32_t* offsets, const Real* no_bias, const Real* turned, char* own)
      : p_(plan),
        c_(plan.c),
        offsets_(offsets),
        no_bias_(no_bias),
        turned_(turned),
        unfolded_(reinterpret_cast<Real*>(own)),
        tile_(unfolded_ + plan.kernels.rows * plan.unfolded_row) {}

  void run(int64_t task) {
    const int64_t group = task / p_.row_tasks, index = task % p_.row_tasks;
    const int64_t least = p_.rows / p_.row_tasks, larger = p_.rows % p_.row_tasks;  // nearly equal groups of rows
    const int64_t first = index * least + std::min(index, larger), count = least + (index < larger);
    for (int64_t r = 0; r < count; ++r) std::fill_n(tile_ + r * p_.tile_row, c_.outputs, Real(0));
    for (int64_t n = 0; n < c_.batch; ++n)
      for (int64_t pixel = 0; pixel < p_.pixels; pixel += p_.block) {
        const int64_t links = std::min(p_.block, p_.pixels - pixel);
        for (int64_t r = 0; r < count; ++r) unfold(unfolded_ + r * p_.unfolded_row, n, group, first + r, pixel, links);
        add(count, turned_ + ((group * c_.batch + n) * p_.pixels + pixel) * c_.outputs, links);
      }
    const int64_t taps = c_.rows.taps * c_.columns.taps;
    for (int64_t r = 0; r < count; ++r) {
      const int64_t k = first + r, *s = c_.result_strides;
      S* to = static_cast<S*>(c_.result) + group * c_.outputs * s[0] + k / taps * s[1] + k % taps / c_.columns.taps * s[2] +
              k % c_.columns.taps * s[3];
      for (int64_t o = 0; o < c_.outputs; ++o) to[o * s[0]] = static_cast<S>(tile_[r * p_.tile_row + o]);
    }
  }

 private:
  void add(int64_t count, const Real* turned, int64_t links) {
    const ConvolutionKernels& kernels = p_.kernels;
    const int64_t wide = kernels.wide_width[count - 1], narrow = kernels.narrow_width;
    for (int64_t o = 0; o < c_.outputs;) {
      const bool is_wide = (c_.outputs - o) * 2 > wide;
      const int64_t width = is_wide ? wide : narrow;
      (is_wide ? kernels.wide : kernels.narrow)[count - 1](links, unfolded_, p_.unfolded_row * p_.real, turned + o, offsets_, tile_ + o,
                                                           p_.tile_row * p_.real, std::min(width, c_.outputs - o), no_bias_, 1);
      o += width;
    }
  }

  // Writes `n` elements of row k of the unfolded image, from `pixel` on.
  void unfold(Real* to, int64_t image, int64_t group, int64_t k, int64_t pixel, int64_t n) {
    const ConvolutionAxis &h = c_.rows, &w = c_.columns;
    const int64_t taps = h.taps * w.taps, i = k % taps / w.taps, j = k % w.taps;
    const S* plane = static_cast<const S*>(c_.image) + image * c_.image_strides[0] + (group * c_.inputs + k / taps) * c_.image_strides[1];
    const int64_t left = w.first + j * w.step;  // the column that output 0 reads
    for (int64_t end = pixel + n; pixel < end;) {
      const int64_t y = pixel / w.out, x = pixel % w.out, count = std::min(end - pixel, w.out - x),
                    row = y * h.stride + h.first + i * h.step;
      int64_t begin = 0, stop = 0;  // the range of these elements that is inside the image
      if (row >= 0 && row < h.size) {
        const int64_t place = x * w.stride + left;
        begin = std::clamp<int64_t>(place < 0 ? divide_up(-place, w.stride) : 0, 0, count);
        stop = std::clamp<int64_t>(place < w.size ? divide_up(w.size - place, w.stride) : 0, begin, count);
      }
      std::fill_n(to, begin, Real(0)), std::fill_n(to + stop, count - stop, Real(0));
      if (begin < stop) {
        const S* from = plane + row * c_.image_strides[2] + ((x + begin) * w.stride + left) * c_.image_strides[3];
        run_clone<GatherPixels>(to + begin, from, stop - begin, w.stride * c_.image_strides[3]);
      }
      to += count, pixel += count;
    }
  }

  const WeightPlan& p_;
  const Convolution& c_;
  const int32_t* offsets_;
  const Real *no_bias_, *turned_;
  Real *unfolded_, *tile_;
};

template <class S>
void run_blocks(const WeightPlan& p, char* scratch) {
  using Real = ChainType<S>;
  auto* offsets = reinterpret_cast<int32_t*>(scratch);
  for (int64_t l = 0; l < p.block; ++l) offsets[l] = static_cast<int32_t>(l * p.c.outputs * p.real);
  auto* no_bias = reinterpret_cast<Real*>(scratch + round_up(p.block * 4, 64));
  std::fill_n(no_bias, kMaxConvolutionRows, Real(-0.0));
  auto* turned = reinterpret_cast<Real*>(scratch + p.offsets_bytes());
  turn<S>(p, turned);
  std::fill_n(turned + p.c.groups * p.c.batch * p.pixels * p.c.outputs, kSlack, Real(0));
  parallel_for(0, p.workers, 1, [&](int64_t begin, int64_t end) {
    for (int64_t w = begin; w < end; ++w) {
      char* own = scratch + p.offsets_bytes() + p.turned_bytes() + w * round_up(p.worker_bytes(), 64);
      WeightWorker<S> worker(p, offsets, no_bias, turned, own);
      for (int64_t task = w * p.tasks / p.workers; task < (w + 1) * p.tasks / p.workers; ++task) worker.run(task);
    }
  });
}

bool is_empty(const Convolution& c) { return c.groups * c.outputs * c.inputs * c.rows.taps * c.columns.taps == 0; }

// ---- the kernels of the operators ----

// The strides of a tensor of 4 dims; an image without a batch dim is a batch of one.
struct Image {
  char* data;
  int64_t sizes[4] = {1, 0, 0, 0}, strides[4] = {};
  explicit Image(const KernelTensor& t) : data(t.data) {
    const int32_t lead = 4 - t.dim;
    for (int32_t d = lead; d < 4; ++d) sizes[d] = t.sizes[d - lead], strides[d] = t.strides[d - lead];
  }
};

WindowNumbers numbers(const KernelArg& stride, const KernelArg& padding, const KernelArg& dilation, const KernelArg& groups) {
  WindowNumbers w{};
  for (size_t k = 0; k < 2; ++k) w.stride[k] = entry(stride, k), w.padding[k] = entry(padding, k), w.dilation[k] = entry(dilation, k);
  w.groups = groups.integer;
  return w;
}

void take_bias(Convolution& c, const KernelArg& bias) {
  if (!bias.none()) c.bias = bias.tensor.data, c.bias_stride = bias.tensor.strides[0];
}

// Sets the pointers and strides of a Convolution. weight_strides: group, output, input, row, column.
void point_at(const KernelCall& call, Convolution& c, const Image& image, const Image& weight, std::array<int64_t, 5> weight_strides,
              const Image& out) {
  c.image = image.data, c.weight = weight.data, c.result = out.data;
  std::copy_n(image.strides, 4, c.image_strides), std::copy_n(out.strides, 4, c.result_strides);
  std::copy_n(weight_strides.begin(), 5, c.weight_strides);
  c.workers = call.threads > 0 ? call.threads : num_threads();
}

}  // namespace

int64_t weight_gradient_scratch(const Convolution& c) {
  if (is_empty(c)) return 0;
  const DepthwisePlan depthwise(c, DepthwisePlan::Result::Weight);
  if (depthwise.applies()) return depthwise.scratch_bytes();
  const ChannelPlan channels(c, ChannelPlan::Result::Weight);
  return channels.applies() ? channels.scratch_bytes() : WeightPlan(c).bytes();
}

void convolve_weight_gradient(const Convolution& c, char* scratch) {
  if (is_empty(c)) return;
  if (const DepthwisePlan depthwise(c, DepthwisePlan::Result::Weight); depthwise.applies()) return depthwise.run(scratch);
  if (const ChannelPlan channels(c, ChannelPlan::Result::Weight); channels.applies()) return channels.run(scratch);
  const WeightPlan plan(c);
  switch (c.type) {
    case DType::f16: return run_blocks<half>(plan, scratch);
    case DType::bf16: return run_blocks<bfloat16>(plan, scratch);
    case DType::f64: return run_blocks<double>(plan, scratch);
    default: return run_blocks<float>(plan, scratch);
  }
}

Convolution convolution_of(DType type, const int64_t* image, const int64_t* weight, const int64_t* out, const WindowNumbers& w) {
  Convolution c;
  c.type = type, c.batch = image[0], c.groups = w.groups, c.inputs = weight[1], c.outputs = weight[0] / w.groups;
  c.rows = {image[2], out[2], weight[2], w.stride[0], -w.padding[0], w.dilation[0]};
  c.columns = {image[3], out[3], weight[3], w.stride[1], -w.padding[1], w.dilation[1]};
  return c;
}

Convolution transposed_of(DType type, const int64_t* image, const int64_t* weight, const int64_t* out, const WindowNumbers& w) {
  Convolution c = convolution_of(type, image, weight, out, w);
  c.inputs = weight[0] / w.groups, c.outputs = weight[1];
  return c;
}

namespace {

Convolution convolution_in(const KernelCall& call) {
  const Image image(call.args[0].tensor), weight(call.args[1].tensor), out(call.results[0]);
  Convolution c = convolution_of(call.results[0].dtype, image.sizes, weight.sizes, out.sizes,
                                 numbers(call.args[3], call.args[4], call.args[5], call.args[6]));
  const int64_t* w = weight.strides;
  point_at(call, c, image, weight, {c.outputs * w[0], w[0], w[1], w[2], w[3]}, out);
  take_bias(c, call.args[2]);
  return c;
}

Convolution transposed_in(const KernelCall& call) {
  const Image image(call.args[0].tensor), weight(call.args[1].tensor), out(call.results[0]);
  Convolution c = transposed_of(call.results[0].dtype, image.sizes, weight.sizes, out.sizes,
                                numbers(call.args[3], call.args[4], call.args[7], call.args[6]));
  const int64_t* w = weight.strides;
  point_at(call, c, image, weight, {c.inputs * w[0], w[1], w[0], w[2], w[3]}, out);
  take_bias(c, call.args[2]);
  return c;
}

Convolution weight_gradient_in(const KernelCall& call) {
  const Image grad(call.args[0].tensor), image(call.args[1].tensor), out(call.results[0]);
  Convolution c = convolution_of(call.results[0].dtype, image.sizes, out.sizes, grad.sizes,
                                 numbers(call.args[3], call.args[4], call.args[5], call.args[6]));
  const int64_t* g = grad.strides;
  point_at(call, c, image, grad, {c.outputs * g[1], g[1], g[0], g[2], g[3]}, out);
  return c;
}

}  // namespace

KernelStatus convolution_kernel(KernelCall& call) {
  Convolution c = convolution_in(call);
  c.ordered = static_cast<const OrderedWeight*>(call.prepared);
  convolve(c, call.scratch);
  return KernelStatus::Ok;
}
KernelStatus transposed_convolution_kernel(KernelCall& call) {
  convolve_transposed(transposed_in(call), call.scratch);
  return KernelStatus::Ok;
}
KernelStatus weight_gradient_kernel(KernelCall& call) {
  convolve_weight_gradient(weight_gradient_in(call), call.scratch);
  return KernelStatus::Ok;
}

int64_t convolution_call_scratch(const KernelCall& call) { return convolution_scratch(convolution_in(call)); }
int64_t transposed_call_scratch(const KernelCall& call) { return transposed_scratch(transposed_in(call)); }
int64_t weight_gradient_call_scratch(const KernelCall& call) { return weight_gradient_scratch(weight_gradient_in(call)); }

}  // namespace monograph
