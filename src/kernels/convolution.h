// Convolutions of images, and what is computed from them: the gradients by the input and by the weight.
//
// The bits. Every output is one chain of fused multiply-adds in the order of the unfolded image, beginning at zero; a pixel outside of the
// image is a zero that takes part; the bias is added after:
//
//   acc = 0; for c in channels: for i in kernel rows: for j in kernel columns: acc = fma(weight[o, c, i, j], image[c, ...], acc)
//   out = acc + bias[o]
//
// That is what a product over the unfolded image gives (kernels/matmul.h), so blocking, batch, layout, thread count and instruction set
// never change a result (docs/numerics.md). f16 and bf16 run the chain in float32 and round once, before the bias.
//
// How. A task copies the part of the image that it reads, padding included, into scratch memory in which the window's elements lie at fixed
// distances for a whole run of outputs: an image of stride s becomes s x s images of stride 1. A generated kernel then runs down the links
// of the chain, each at its offset, for a block of output channels and of outputs that lie side by side. Nothing is unfolded. An image that few
// outputs read once, of windows of one pixel, is not copied.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "kernels/call.h"
#include "kernels/isa.h"

namespace monograph {

// ---- the generated kernel ----

// out[r, q] = (accumulate ? out[r, q] : 0) + sum over p of weight[r, p] * image[offsets[p] + q], one chain; then + bias[r], of which -0 adds
// nothing. q is below n, at most the kernel's width; the image is read in full width. The number of rows is the function's own.
// Offsets and row strides are in bytes.
using ConvolutionKernelFn = void (*)(int64_t links, const void* weight, int64_t weight_row, const void* image, const int32_t* offsets,
                                     void* out, int64_t out_row, int64_t n, const void* bias, int64_t accumulate);

inline constexpr int kMaxConvolutionRows = 12;

// Of windows over one channel: a vector has one place of as many channels as it has lanes. Outputs side by side, whose number is the function's own,
// read places `step` apart: out[x] = (accumulate ? out[x] : 0) + sum over p of weight[p] * image[offsets[p] + x * step], one chain; then + bias.
// Distances are in bytes; there is at least one link.
using DepthwiseKernelFn = void (*)(int64_t links, const void* weight, const void* image, const int32_t* offsets, int64_t step, void* out,
                                   const void* bias, int64_t accumulate);

inline constexpr int kMaxDepthwiseOutputs = 8;

// Of output channels side by side, as many as a panel has, at a few places, whose number is the function's own:
// out[r, q] = (accumulate ? out[r, q] : 0) + sum over p of image[r * step + at[p].image] * weights[at[p].weight + q], one chain; then + bias[q].
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
  int32_t rows;  // the largest number of rows
  int32_t narrow_width, wide_width[kMaxConvolutionRows];  // outputs of a row
  int32_t lanes;  // of a depthwise kernel's vectors; 0: there are no such kernels
  int32_t places, panel;  // of a channel kernel: the largest number of places, and the channels; 0: there are no such kernels
  ConvolutionKernelFn narrow[kMaxConvolutionRows], wide[kMaxConvolutionRows];  // [r - 1]: r rows; the fewer rows, the wider
  DepthwiseKernelFn depthwise[kMaxDepthwiseOutputs];  // [x - 1]: x outputs
  ChannelKernelFn channels[kMaxPlaces];  // [r - 1]: r places
};

struct ConvolutionTables {
  uint64_t count;
  const ConvolutionKernels* const* tables;
};

// The best kernels for type (f32 or f64) that this program has for `isa`.
const ConvolutionKernels& convolution_kernels(DType type, Isa isa = host_isa());
// The best of those that kernelgen made, or null (tables.cpp).
const ConvolutionKernels* generated_convolution_kernels(DType type, Isa isa);

// ---- the driver ----

// One axis of the window: tap t of output o reads place o * stride + first + t * step of the image's `size`; outside of it lie zeros.
// Of a convolution, first is -padding and step the dilation.
struct ConvolutionAxis {
  int64_t size, out, taps, stride, first, step;
};

struct OrderedWeight;

// Strides are in elements; any stride is right, the result's must not overlap. The dtype is the result's, too.
struct Convolution {
  DType type = DType::f32;
  int64_t batch = 0, groups = 1, inputs = 0, outputs = 0;  // channels of one group
  ConvolutionAxis rows{}, columns{};
  const void* image = nullptr;
  int64_t image_strides[4] = {};  // batch, channel (of all groups), row, column
  const void* weight = nullptr;
  int64_t weight_strides[5] = {};  // group, output, input, tap row, tap column
  const void* bias = nullptr;  // or null; one element an output of every group
  int64_t bias_stride = 0;
  void* result = nullptr;
  int64_t result_strides[4] = {};
  const OrderedWeight* ordered = nullptr;  // the weight once more; or null
  const ConvolutionKernels* kernels = nullptr;  // none: the best
  int workers = 1;  // threads that it may use
};

// Memory that `convolve` needs, in bytes, at an address divisible by 64; it is enough with an ordered weight and without.
int64_t convolution_scratch(const Convolution& c);
void convolve(const Convolution& c, char* scratch);

// A convolution's weight in the order in which kernels of many channels read it (kernels/channel_blocks.h), for `ordered` of a Convolution. It
// depends on the weight, its groups and the kernels, so that it serves images of all sizes.
struct OrderedWeight {
  const char* data = nullptr;  // null: there is none yet
  bool finite = false;  // no infinity and no NaN: then a zero of the padding adds nothing
};
// Bytes of c's ordered weight, at an address divisible by 64; 0 where `convolve` would not read one.
int64_t ordered_weight_bytes(const Convolution& c);
// Puts c's weight in order, in memory that outlives what is returned.
OrderedWeight order_weight(const Convolution& c, char* memory);

// The transpose, which is the gradient by the image: window o's tap t adds to place o * stride + first + t * step of the result. Here an axis'
// `size` counts the windows, which are the image's pixels, and `out` the result's places. Each output is one chain over (input channel, tap row,
// tap column) in ascending order, of the taps that reach it by their residues; pixels outside of the image are zeros that take part.
int64_t transposed_scratch(const Convolution& c);
void convolve_transposed(const Convolution& c, char* scratch);

// The gradient by the weight: result[o, c, i, j] is one chain over (batch, row, column) of the outputs in ascending order, of the output's gradient
// times the pixel that tap (i, j) sees. Here `weight` is that gradient, and its strides are those of group, output, batch, row and column; the
// result's are output, input, tap row and tap column.
int64_t weight_gradient_scratch(const Convolution& c);
void convolve_weight_gradient(const Convolution& c, char* scratch);

// ---- the kernels of the operators ----

// What a convolution's arguments say besides its tensors, a number for both axes each.
struct WindowNumbers {
  int64_t stride[2], padding[2], dilation[2], groups;
};
// Of sizes alone, for the scratch memory: 4 of the image, the weight and the result. A weight may have any strides.
Convolution convolution_of(DType type, const int64_t* image, const int64_t* weight, const int64_t* out, const WindowNumbers& w);
Convolution transposed_of(DType type, const int64_t* image, const int64_t* weight, const int64_t* out, const WindowNumbers& w);

// conv2d: args input, weight, bias, stride, padding, dilation, groups.
MONOGRAPH_KERNEL(convolution);
// conv_transpose2d: args input, weight, bias, stride, padding, output_padding, groups, dilation.
MONOGRAPH_KERNEL(transposed_convolution);
// conv2d_weight_backward: args grad_output, input, kernel_size, stride, padding, dilation, groups.
MONOGRAPH_KERNEL(weight_gradient);
// The scratch memory of such a call, on as many threads as there are now.
int64_t convolution_call_scratch(const KernelCall& call);
int64_t transposed_call_scratch(const KernelCall& call);
int64_t weight_gradient_call_scratch(const KernelCall& call);

}  // namespace monograph
