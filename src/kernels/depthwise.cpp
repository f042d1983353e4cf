// Copies a block of channels into a slab, calls the generated kernels for a few outputs or taps at once, and copies the results back.
#include "kernels/depthwise.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/threads/pool.h"
#include "kernels/round.h"
#include "kernels/slab.h"

namespace monograph {

namespace {

constexpr int64_t kDepthwiseColumns = 64;  // the widest outputs: wider rows fill the vectors of the other kernels
constexpr int64_t kShortRow = 16;  // shorter rows are copied as one plane
constexpr int64_t kWorkerBytes = 2 << 20;  // the largest memory of a worker: about the size of the second-level cache
constexpr int64_t kDepthwiseWork = 1 << 18;  // the least work of a worker, in links

}  // namespace

DepthwisePlan::DepthwisePlan(const Convolution& c, Result result)
    : c_(c),
      kernels_(c.kernels ? *c.kernels : convolution_kernels(c.type == DType::f64 ? DType::f64 : DType::f32)),
      result_(result),
      real_(c.type == DType::f64 ? 8 : 4),
      vector_(kernels_.lanes * real_),
      rows_(c.rows),
      columns_(c.columns) {
  if (kernels_.lanes == 0 || (c.type != DType::f32 && c.type != DType::f64)) return;
  if (c.inputs != 1 || c.outputs != 1 || c.groups < kernels_.lanes || c.columns.out > kDepthwiseColumns) return;
  if (c.batch * places() * taps() == 0) return;
  if (worker_bytes() > kWorkerBytes) return;
  blocks_ = divide_up(c.groups, kernels_.lanes);
  const int64_t tasks = result == Result::Image ? c.batch * blocks_ : blocks_;  // the images of a gradient by the weight are one chain
  const int64_t work = places() * taps() * kernels_.lanes * blocks_ * c.batch;
  workers_ = std::clamp<int64_t>(c.workers, 1, std::max<int64_t>(1, std::min(tasks, work / kDepthwiseWork)));
  applies_ = true;
}

int64_t DepthwisePlan::plane_bytes() const { return std::max(places(), c_.rows.size * c_.columns.size) * vector_; }

// Copies the pixels of the channels into the slab. The zeros around them were written by work().
void DepthwisePlan::fill(const WorkerMemory& memory, int64_t image, Channels channels) const {
  const int64_t row = rows_.first_inside, column = columns_.first_inside, height = rows_.inside, width = columns_.inside;
  if (height <= 0 || width <= 0) return;
  const int64_t *s = c_.image_strides, count = channels.count;
  const char* from = static_cast<const char*>(c_.image) + (image * s[0] + channels.first * s[1] + row * s[2] + column * s[3]) * real_;
  char* to = memory.slab + ((row - rows_.begin) * columns_.places + column - columns_.begin) * vector_;
  if (s[3] == 1 && s[2] == width &&
      width < kShortRow) {  // transposing row by row would be slow: transpose the whole plane, then copy its rows
    copy_block(c_.type, {count, 1, 1, height * width}, memory.plane, {1, 0, 0, kernels_.lanes}, from, {s[1], 0, 0, 1});
    for (int64_t y = 0; y < height; ++y)
      std::memcpy(to + y * columns_.places * vector_, memory.plane + y * width * vector_, static_cast<size_t>(width * vector_));
    return;
  }
  copy_block(c_.type, {count, 1, height, width}, to, {1, 0, columns_.places * kernels_.lanes, kernels_.lanes}, from, {s[1], 0, s[2], s[3]});
}

// Writes a vector for each tap, then one of biases.
void DepthwisePlan::load_weights(char* to, Channels channels) const {
  const int64_t* s = c_.weight_strides;
  for (int64_t i = 0; i < c_.rows.taps; ++i)
    for (int64_t j = 0; j < c_.columns.taps; ++j, to += vector_)
      for (int64_t k = 0; k < channels.count; ++k) {
        const int64_t at = (channels.first + k) * s[0] + i * s[3] + j * s[4];
        std::memcpy(to + k * real_, static_cast<const char*>(c_.weight) + at * real_, static_cast<size_t>(real_));
      }
  for (int64_t k = 0; c_.bias && k < channels.count; ++k)
    std::memcpy(to + k * real_, static_cast<const char*>(c_.bias) + (channels.first + k) * c_.bias_stride * real_,
                static_cast<size_t>(real_));
}

void DepthwisePlan::convolve_block(Channels channels, int64_t image, const int32_t* offsets, const WorkerMemory& memory) const {
  const int64_t columns = c_.columns.out, groups = divide_up(columns, kMaxDepthwiseOutputs);
  const EqualParts counts(columns, groups);
  const int64_t step = c_.columns.stride * vector_;
  char* to = memory.plane;
  for (int64_t y = 0; y < c_.rows.out; ++y) {
    const char* row = memory.slab + y * c_.rows.stride * columns_.places * vector_;
    for (int64_t g = 0, x = 0; g < groups; ++g) {
      const int64_t count = counts.size(g);
      kernels_.depthwise[count - 1](taps(), memory.weights, row + x * step, offsets, step, to, memory.weights + taps() * vector_, 0);
      x += count, to += count * vector_;
    }
  }
  const int64_t* s = c_.result_strides;
  char* result = writable(c_.result) + (image * s[0] + channels.first * s[1]) * real_;
  copy_block(c_.type, {channels.count, 1, c_.rows.out, columns}, result, {s[1], 0, s[2], s[3]}, memory.plane,
             {1, 0, columns * kernels_.lanes, kernels_.lanes});
}

// Here c_.weight is the gradient by the outputs; the result is accumulated in memory.weights.
void DepthwisePlan::add_gradients(Channels channels, int64_t image, const int32_t* offsets, const WorkerMemory& memory) const {
  const int64_t *s = c_.weight_strides, taps = c_.columns.taps, step = c_.columns.step * vector_;
  const char* grad = static_cast<const char*>(c_.weight) + (image * s[2] + channels.first * s[0]) * real_;
  copy_block(c_.type, {channels.count, 1, c_.rows.out, c_.columns.out}, memory.plane,
             {1, 0, c_.columns.out * kernels_.lanes, kernels_.lanes}, grad, {s[0], 0, s[3], s[4]});
  const char* no_bias = memory.weights + this->taps() * vector_;  // -0
  for (int64_t i = 0; i < c_.rows.taps; ++i)
    for (int64_t j = 0; j < taps; j += kMaxDepthwiseOutputs) {
      const int64_t row = c_.rows.first + i * c_.rows.step - rows_.begin, column = c_.columns.first + j * c_.columns.step - columns_.begin;
      kernels_.depthwise[std::min<int64_t>(taps - j, kMaxDepthwiseOutputs) - 1](
          places(), memory.plane, memory.slab + (row * columns_.places + column) * vector_, offsets, step,
          memory.weights + (i * taps + j) * vector_, no_bias, image != 0);
    }
}

void DepthwisePlan::store_weights(const char* from, Channels channels) const {
  const int64_t* s = c_.result_strides;
  copy_block(c_.type, {channels.count, 1, c_.rows.taps, c_.columns.taps}, writable(c_.result) + channels.first * s[0] * real_,
             {s[0], 0, s[2], s[3]}, from, {1, 0, c_.columns.taps * kernels_.lanes, kernels_.lanes});
}

void DepthwisePlan::work(int64_t begin, int64_t end, const int32_t* offsets, char* own) const {
  const WorkerMemory memory{own, own + slab_bytes(), own + slab_bytes() + plane_bytes()};
  std::memset(memory.slab, 0, static_cast<size_t>(slab_bytes()));
  std::memset(memory.plane, 0, static_cast<size_t>(plane_bytes()));
  std::memset(memory.weights, 0, static_cast<size_t>(weights_bytes()));
  fill_no_bias(memory.weights + taps() * vector_, kernels_.lanes, c_.type);
  int64_t held = -1;  // the block whose weights are loaded
  for (int64_t task = begin; task < end; ++task) {
    const int64_t block = task / c_.batch, image = task % c_.batch, first = block * kernels_.lanes;
    const Channels channels{first, std::min<int64_t>(kernels_.lanes, c_.groups - first)};
    if (block != held && result_ == Result::Image) load_weights(memory.weights, channels);
    held = block;
    fill(memory, image, channels);
    if (result_ == Result::Image) {
      convolve_block(channels, image, offsets, memory);
    } else {
      add_gradients(channels, image, offsets, memory);
      if (image + 1 == c_.batch) store_weights(memory.weights, channels);
    }
  }
}

// Writes the offsets that the links of a chain read at: from the first pixel of an output's window, or of a tap's outputs.
void DepthwisePlan::write_offsets(int32_t* offsets) const {
  const bool taps = result_ == Result::Image;
  const int64_t height = taps ? c_.rows.taps : c_.rows.out, width = taps ? c_.columns.taps : c_.columns.out;
  const int64_t row = taps ? c_.rows.first - rows_.begin : 0, column = taps ? c_.columns.first - columns_.begin : 0;
  const int64_t down = taps ? c_.rows.step : c_.rows.stride, right = taps ? c_.columns.step : c_.columns.stride;
  for (int64_t i = 0; i < height; ++i)
    for (int64_t j = 0; j < width; ++j)
      offsets[i * width + j] = static_cast<int32_t>(((row + i * down) * columns_.places + column + j * right) * vector_);
}

void DepthwisePlan::run(char* scratch) const {
  auto* offsets = reinterpret_cast<int32_t*>(scratch);
  write_offsets(offsets);
  const bool whole = result_ == Result::Weight;  // a worker has all images of its channels
  const int64_t images = whole ? c_.batch : 1;  // of a part
  const EqualParts parts(whole ? blocks_ : blocks_ * c_.batch, workers_);
  parallel_for(0, workers_, 1, [&](int64_t begin, int64_t end) {
    for (int64_t w = begin; w < end; ++w)
      work(parts.begin(w) * images, parts.begin(w + 1) * images, offsets, scratch + shared_bytes() + w * worker_bytes());
  });
}

}  // namespace monograph
