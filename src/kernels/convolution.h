// Convolutions of images, and their gradients by the input and by the weight.
//
// The bits. Every output is one chain of fused multiply-adds in the order of the unfolded image, beginning at zero. A pixel outside of the image is a
// zero that takes part. The bias is added after the chain:
//
//   acc = 0; for c in channels: for i in kernel rows: for j in kernel columns: acc = fma(weight[o, c, i, j], image[c, ...], acc)
//   out = acc + bias[o]
//
// A matrix product with the unfolded image has the same bits (kernels/matmul.h). Blocking, batch, layout, thread count and instruction set never change
// a result (docs/numerics.md). f16 and bf16 run the chain in float32 and round once, before the bias.
//
// Terms. A tap is an element of the window. A link is one multiply-add of a chain. A slab is a task's copy of a part of the image.
//
// How it works. A task copies the part of the image that it reads, padding included, into a slab. There, each tap is at a fixed distance from the window's
// first element, for many neighbouring outputs: an image of stride s becomes s x s images of stride 1. A generated kernel then computes the links of a
// chain, each at its offset, for a block of output channels and neighbouring outputs. The image is unfolded only where it is small. It is not
// copied if its windows have one pixel and it has few output channels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "core/dtype.h"
#include "kernels/call.h"
#include "kernels/isa.h"

namespace monograph {

// ---- the generated kernel ----

// out[r, q] = (accumulate ? out[r, q] : 0) + sum over p of weight[r, p] * image[offsets[p] + q] as one chain; then bias[r] is added. A bias of -0 changes
// nothing. q is below n, which is at most the kernel's width; the image is read in full width. Each function has a fixed number of rows. Offsets and row
// strides are in bytes.
using ConvolutionKernelFn = void (*)(int64_t links, const void* weight, int64_t weight_row, const void* image, const int32_t* offsets,
                                     void* out, int64_t out_row, int64_t n, const void* bias, int64_t accumulate);

inline constexpr int kMaxConvolutionRows = 12;

// For depthwise convolutions: a vector holds one pixel of as many channels as it has lanes. Each function computes a fixed number of neighbouring outputs:
// out[x] = (accumulate ? out[x] : 0) + sum over p of weight[p] * image[offsets[p] + x * step] as one chain; then the bias is added. Distances are in
// bytes; there is at least one link.
using DepthwiseKernelFn = void (*)(int64_t links, const void* weight, const void* image, const int32_t* offsets, int64_t step, void* out,
                                   const void* bias, int64_t accumulate);

inline constexpr int kMaxDepthwiseOutputs = 8;

// For many output channels (kernels/channel_blocks.h): computes a panel of output channels q at a fixed number of pixels r:
// out[r, q] = (accumulate ? out[r, q] : 0) + sum over p of image[r * step + at[p].image] * weights[at[p].weight + q] as one chain; then bias[q] is added.
// Distances are in bytes; there is at least one link.
struct ChannelLink {
  int32_t image, weight;
};
using ChannelKernelFn = void (*)(int64_t links, const void* weights, const void* image, const ChannelLink* at, int64_t step, void* out,
                                 int64_t out_row, const void* bias, int64_t accumulate);

inline constexpr int kMaxPlaces = 14;

// The kernels of one element type and instruction set: plain data, emitted as a constant (codegen/convolution.h).
struct ConvolutionKernels {
  int32_t type;  // DType: f32 or f64
  int32_t isa;  // Isa; none: plain C++
  int32_t rows;  // the largest number of rows of `narrow` and `wide`
  int32_t narrow_width, wide_width[kMaxConvolutionRows];  // the outputs of one row
  int32_t lanes;  // the vector width of the depthwise kernels, in elements; 0: there are no such kernels
  int32_t places, panel;  // the largest number of pixels of a channel kernel, and its output channels; 0: there are no such kernels
  ConvolutionKernelFn narrow[kMaxConvolutionRows], wide[kMaxConvolutionRows];  // [r - 1]: r rows; kernels of fewer rows are wider
  DepthwiseKernelFn depthwise[kMaxDepthwiseOutputs];  // [x - 1]: x outputs
  ChannelKernelFn channels[kMaxPlaces];  // [r - 1]: r pixels
};

struct ConvolutionTables {
  uint64_t count;
  const ConvolutionKernels* const* tables;
};

// The fastest kernels for type (f32 or f64) in this program that run on `isa`.
const ConvolutionKernels& convolution_kernels(DType type, Isa isa = host_isa());
// The same among the kernels that kernelgen made, or null (tables.cpp).
const ConvolutionKernels* generated_convolution_kernels(DType type, Isa isa);

// ---- the driver ----

// One axis: tap t of output o reads pixel o * stride + first + t * step. Pixels outside of [0, size) are zero. In a forward convolution, `first` is
// -padding and `step` the dilation.
struct ConvolutionAxis {
  int64_t size, out, taps, stride, first, step;  // size: pixels of the image; out: outputs; taps: elements of the window
};

// The pixels along one axis that some tap of some output reads: `places` pixels from `begin` on. They may lie outside of the image.
struct ConvolutionExtent {
  explicit ConvolutionExtent(const ConvolutionAxis& a)
      : begin(a.first + std::min<int64_t>(0, (a.taps - 1) * a.step)),
        reach(std::abs((a.taps - 1) * a.step)),
        stride(a.stride),
        places(of(a.out)),
        first_inside(std::max<int64_t>(0, begin)),
        inside(std::min(a.size, begin + places) - first_inside) {}
  // The number of pixels that this many neighbouring outputs read.
  int64_t of(int64_t outputs) const { return (outputs - 1) * stride + reach + 1; }
  int64_t begin, reach, stride, places;  // reach: from the first tap of a window to its last
  int64_t first_inside, inside;  // `inside` pixels from `first_inside` on lie in the image; none where it is not positive
};

struct OrderedWeight;

// Strides are in elements; all are allowed, but elements of the result must not overlap. All tensors have the dtype `type`.
struct Convolution {
  DType type = DType::f32;
  int64_t batch = 0, groups = 1, inputs = 0, outputs = 0;  // inputs, outputs: the channels of one group
  ConvolutionAxis rows{}, columns{};
  const void* image = nullptr;
  int64_t image_strides[4] = {};  // batch, channel, row, column; a channel of any group
  const void* weight = nullptr;
  int64_t weight_strides[5] = {};  // group, output, input, tap row, tap column
  const void* bias = nullptr;  // one element for each output channel of each group, or null
  int64_t bias_stride = 0;
  void* result = nullptr;
  int64_t result_strides[4] = {};  // batch, channel, row, column
  const OrderedWeight* ordered = nullptr;  // the same weight in the kernels' order, or null
  const ConvolutionKernels* kernels = nullptr;  // null: the fastest for this machine
  int workers = 1;  // the number of threads that it may use
};

// How many tasks of c have enough work for a thread: at least 1.
int64_t useful_tasks(const Convolution& c);
// The rows of the result for a task that could take `rows` of them. It gets fewer if each worker shall have rows of one image: where c's images, and the
// pieces that its output channels can be divided into, are too few for all workers.
int64_t shared_rows(const Convolution& c, int64_t rows, int64_t output_pieces);

// The bytes of scratch memory that `convolve` needs, with or without an ordered weight. The memory is at an address divisible by 64.
int64_t convolution_scratch(const Convolution& c);
void convolve(const Convolution& c, char* scratch);

// A weight in the order in which the kernels for many channels read it (kernels/channel_blocks.h). The order depends on the weight, its groups and the
// kernels, not on the image, so an ordered weight can be kept for images of all sizes.
struct OrderedWeight {
  const char* data = nullptr;  // null: not made yet
  bool finite = false;  // the weight has no infinity and no NaN, so the zeros of the padding add nothing
};
// The bytes of c's ordered weight; 0 if `convolve` would not read one. The memory is at an address divisible by 64.
int64_t ordered_weight_bytes(const Convolution& c);
// Writes c's weight in order to `memory`, which must outlive the result.
OrderedWeight order_weight(const Convolution& c, char* memory);

// The transposed convolution, which is also the gradient by the image: tap t of window o adds to pixel o * stride + first + t * step of the result. Here
// `size` of an axis is the number of windows (pixels of `image`), and `out` the number of pixels of the result. Each output is one chain over (input
// channel, tap row, tap column) in ascending order. It has the taps whose position modulo the stride lets them reach the output. Pixels outside of the
// image are zeros that take part.
int64_t transposed_scratch(const Convolution& c);
void convolve_transposed(const Convolution& c, char* scratch);

// The gradient by the weight: result[o, c, i, j] is one chain over the outputs, in ascending (batch, row, column) order, of the gradient by that output
// times the pixel that tap (i, j) reads. Here `weight` is the gradient by the outputs; its strides are group, output, batch, row, column. The strides of
// the result are output, input, tap row, tap column.
int64_t weight_gradient_scratch(const Convolution& c);
void convolve_weight_gradient(const Convolution& c, char* scratch);

// ---- the kernels of the operators ----

// The arguments of a convolution that are not tensors. Arrays hold the value for rows, then that for columns.
struct WindowNumbers {
  int64_t stride[2], padding[2], dilation[2], groups;
};
// A Convolution without data, to compute the scratch memory. `image`, `weight`, `out`: the 4 sizes of each tensor.
Convolution convolution_of(DType type, const int64_t* image, const int64_t* weight, const int64_t* out, const WindowNumbers& w);
Convolution transposed_of(DType type, const int64_t* image, const int64_t* weight, const int64_t* out, const WindowNumbers& w);

// conv2d(input, weight, bias or None, stride, padding, dilation, groups)
MONOGRAPH_KERNEL(convolution);
// conv_transpose2d(input, weight, bias or None, stride, padding, output_padding, groups, dilation)
MONOGRAPH_KERNEL(transposed_convolution);
// conv2d_weight_backward(grad_output, input, kernel_size, stride, padding, dilation, groups)
MONOGRAPH_KERNEL(weight_gradient);
// The bytes of scratch memory for a call with the pool's current number of threads.
int64_t convolution_call_scratch(const KernelCall& call);
int64_t transposed_call_scratch(const KernelCall& call);
int64_t weight_gradient_call_scratch(const KernelCall& call);

}  // namespace monograph
