// ConvolutionPlan chooses the sizes of blocks and tasks. ConvolutionWorker runs a task: it copies a part of the image into a slab, calls the generated
// kernels for blocks of output channels and pixels, and adds the bias. The transposed convolution is made of convolutions of stride 1.
#include "kernels/convolution.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

#include "core/threads/pool.h"
#include "kernels/channel_blocks.h"
#include "kernels/clones.h"
#include "kernels/depthwise.h"
#include "kernels/element_types.h"
#include "kernels/round.h"

namespace monograph {

namespace {

// Block sizes, in elements of 4 bytes.
constexpr int64_t kLinks =
    384;  // links of one kernel call: their weights and pixels stay in the first-level cache while the calls of a block use them
constexpr int64_t kSlab = 96 << 10;  // the largest slab: it fits in the second-level cache
constexpr int64_t kOutputs = 1024;  // neighbouring outputs of a task
constexpr int64_t kOutputsOfOnePixel = 512;  // the same for windows of one pixel, whose links are far apart in memory
constexpr int64_t kOutputsOfOneChannel = 2048;  // the same for windows over one channel
constexpr int64_t kOutputsInPlace = 8192;  // the same for an image that is not copied
constexpr int64_t kLinksInPlace = 8, kLinksOfRow = 4;  // links of a call that reads an image in place: few channels, each from end to end
constexpr int64_t kSmallImage = 8,
                  kUnfoldedOutputs = 96;  // an image with sides up to kSmallImage and at least kUnfoldedOutputs output channels is unfolded
constexpr int64_t kTasks = 16;  // the least number of tasks, if the convolution is large enough

int64_t floor_mod(int64_t a, int64_t b) { return (a % b + b) % b; }

// ---- plain C++ kernels: without an fma instruction, libm's exact fma gives the same bits ----

template <class T, int kHeight, int kWidth>
void portable_kernel(int64_t links, const void* weight, int64_t weight_row, const void* image, const int32_t* offsets, void* out,
                     int64_t out_row, int64_t n, const void* bias, int64_t accumulate) {
  n = std::min<int64_t>(n, kWidth);
  for (int r = 0; r < kHeight; ++r) {
    const T* row = reinterpret_cast<const T*>(static_cast<const char*>(weight) + r * weight_row);
    T* to = reinterpret_cast<T*>(static_cast<char*>(out) + r * out_row);
    T acc[kWidth] = {};
    if (accumulate) std::copy_n(to, n, acc);
    for (int64_t p = 0; p < links; ++p) {
      const T* from = reinterpret_cast<const T*>(static_cast<const char*>(image) + offsets[p]);
      for (int64_t q = 0; q < n; ++q) acc[q] = std::fma(row[p], from[q], acc[q]);
    }
    for (int64_t q = 0; q < n; ++q) to[q] = acc[q] + static_cast<const T*>(bias)[r];
  }
}

template <class T, DType type>
constexpr ConvolutionKernels kPortable = {
    static_cast<int32_t>(type),
    static_cast<int32_t>(Isa::none),
    4,
    16,
    {16, 16, 16, 16},
    0,
    0,
    0,
    {portable_kernel<T, 1, 16>, portable_kernel<T, 2, 16>, portable_kernel<T, 3, 16>, portable_kernel<T, 4, 16>},
    {portable_kernel<T, 1, 16>, portable_kernel<T, 2, 16>, portable_kernel<T, 3, 16>, portable_kernel<T, 4, 16>},
    {},
    {}};

// ---- copies ----

// Copies `n` elements, `step` apart, to contiguous memory.
struct Gather {
  template <class To, class From>
  [[gnu::always_inline]] static void run(To* __restrict to, const From* __restrict from, int64_t n, int64_t step) {
    if (step == 1)
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
    else if (step == 2)
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<To>(from[2 * i]);
    else
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<To>(from[i * step]);
  }
};

// Copies a row without calling memcpy where the call would cost more than a short row.
template <class T>
void copy_row(T* to, const T* from, int64_t n) {
  constexpr int64_t kStep = 16 / sizeof(T);
  if (n < kStep) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
    return;
  }
  if (n > 16 * kStep) {
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i + kStep <= n; i += kStep) std::memcpy(to + i, from + i, 16);
  std::memcpy(to + n - kStep, from + n - kStep, 16);
}

// ---- the plan: sizes in elements of the chain's type ----

// One axis of a slab. An image of stride s is split into s images of stride 1 (slots); only those that a tap reads are kept. If the image is unfolded,
// each tap has its own slot.
struct Slots {
  Slots(const ConvolutionAxis& a, bool unfolds) : axis(a) {
    if (unfolds) {
      count = a.taps, begin = a.first, step = a.step;
      return;
    }
    begin = std::min(a.first, a.first + (a.taps - 1) * a.step);  // the first pixel that output 0 reads
    for (int64_t t = 0; t < a.taps; ++t) reach = std::max(reach, place(t) / a.stride);
    // Taps whose positions are equal modulo the stride share a slot. Find how many different residues the taps have.
    const int64_t turn = floor_mod(a.step, a.stride);
    int64_t period = 1;
    for (int64_t r = turn; r != 0; r = (r + turn) % a.stride) ++period;
    count = std::min(period, a.taps);
    folded = true;
  }
  int64_t place(int64_t tap) const { return axis.first + tap * axis.step - begin; }
  // Tap t reads the image in slot(t), from pixel `shift(t)` on.
  int64_t slot(int64_t tap) const { return tap % count; }
  int64_t shift(int64_t tap) const { return folded ? place(tap) / axis.stride : 0; }
  // The pixel of the whole image that is the first one of this slot; the others follow `stride` apart.
  int64_t at(int64_t slot) const { return begin + (folded ? place(slot) % axis.stride : slot * step); }

  ConvolutionAxis axis;
  int64_t begin = 0, step = 0;
  int64_t reach = 0;  // the largest shift
  int64_t count = 1;  // the number of slots
  bool folded = false;
};

struct ConvolutionPlan {
  explicit ConvolutionPlan(const Convolution& c)
      : c(c),
        real(c.type == DType::f64 ? 8 : 4),
        kernels(c.kernels ? *c.kernels : convolution_kernels(c.type == DType::f64 ? DType::f64 : DType::f32)),
        unfolds(unfolding(c)),
        rows(c.rows, unfolds),
        columns(c.columns, unfolds),
        width(c.columns.out + columns.reach),
        links(c.inputs * c.rows.taps * c.columns.taps) {
    const int64_t most = c.inputs == 1 ? kOutputsOfOneChannel : c.rows.taps == 1 && c.columns.taps == 1 ? kOutputsOfOnePixel : kOutputs;
    const int64_t output_pieces = c.outputs / (2 * kernels.rows);  // that are nearly equal
    const bool once = reads_once() && c.rows.out * width >= most;
    in_place = once && c.image_strides[3] == 1 && c.image_strides[2] == width && c.image_strides[1] >= 0 &&
               c.image_strides[1] < (int64_t{1} << 31) / (real * c.inputs) && c.result_strides[3] == 1 && c.result_strides[2] == width;
    const int64_t planes = std::max<int64_t>(1, c.inputs * rows.count * columns.count);
    const int64_t fit = std::max<int64_t>(1, kSlab / planes / width - rows.reach);
    task_rows =
        unfolds ? c.rows.out : shared_rows(c, even_part(c.rows.out, std::min(fit, std::max<int64_t>(1, most / width))), output_pieces);
    const int64_t image = (task_rows + rows.reach) * width;
    if (in_place) task_rows = shared_rows(c, even_part(c.rows.out, std::max<int64_t>(1, kOutputsInPlace / width)), output_pieces);
    else if (task_rows == c.rows.out)
      task_images = most_useful_images(image, unfolds ? kOutputsOfOnePixel : std::min(most, kSlab / planes));
    plane = task_images * image;
    if (planes > 1) {  // an odd number of cache lines, so that planes do not evict each other from the cache
      const int64_t line = 64 / real;
      plane = round_up(plane, line) + (plane / line % 2 == 0 ? line : 0);
      if (plane / line % 2 == 0) plane += line;
    }
    split();
    tables = once ? 2 : 1;
    strip_row = round_up(plane, kSlack) + 64 / real;
    strip = kernels.rows * strip_row;
    slab = planes * plane + kSlack;
    // The scratch memory is computed without knowing the strides, so an image in place must not need more than one that is copied.
    const int64_t last = once ? links * kernels.narrow_width : 0;
    if (in_place) strip = 0, slab = last;
    slab = round_up(std::max(slab, last), kSlack);
    packs_weight = !(c.type == DType::f32 || c.type == DType::f64) || c.weight_strides[4] != 1 || c.weight_strides[3] != c.columns.taps ||
                   c.weight_strides[2] != c.rows.taps * c.columns.taps;
    direct = (c.type == DType::f32 || c.type == DType::f64) && c.result_strides[3] == 1 && width == c.columns.out &&
             (c.result_strides[2] == width || task_rows == 1) && task_images == 1;
  }

  // Whether each pixel is read by one tap and by one kernel call, so that copying it would not pay.
  bool reads_once() const {
    auto whole = [](const ConvolutionAxis& a) { return a.taps == 1 && a.stride == 1 && a.first == 0 && a.out == a.size; };
    return (c.type == DType::f32 || c.type == DType::f64) && c.inputs > 0 && c.outputs <= kernels.rows && whole(c.rows) && whole(c.columns);
  }

  // Whether to unfold the image: it is so small that most of a vector would be padding, and has so many output channels that unfolding pays.
  static bool unfolding(const Convolution& c) {
    return c.batch > 1 && c.columns.out <= kSmallImage && c.rows.out <= kSmallImage && c.rows.taps * c.columns.taps > 1 &&
           c.outputs >= kUnfoldedOutputs;
  }

  // The number of images for a task (each of `image` elements) for which the outputs fill the kernels' vectors best.
  int64_t most_useful_images(int64_t image, int64_t most) const {
    int64_t best = 1;
    double share = 0;
    for (int64_t n = 1; n <= c.batch && (n == 1 || n * image <= most); ++n) {
      const int64_t outputs = (n - 1) * image + (c.rows.out - 1) * width + c.columns.out;
      const double useful =
          static_cast<double>(n * c.rows.out * c.columns.out) / static_cast<double>(round_up(outputs, kernels.narrow_width));
      if (useful > share) best = n, share = useful;
    }
    return best;
  }

  // If there are few parts of the image, several tasks share the output channels of each part.
  void split() {
    row_tasks = divide_up(c.rows.out, task_rows), image_tasks = divide_up(c.batch, task_images);
    const int64_t useful = useful_tasks(c), wanted = std::min(kTasks, useful), parts = c.groups * row_tasks * image_tasks;
    task_outputs = c.outputs;
    if (parts < wanted) {
      const int64_t blocks = std::min(divide_up(wanted, parts), divide_up(c.outputs, 2 * kernels.rows));
      task_outputs = round_up(divide_up(c.outputs, blocks), kernels.rows);
    }
    output_tasks = divide_up(c.outputs, task_outputs);
    tasks = parts * output_tasks;
    workers = std::clamp<int64_t>(c.workers, 1, std::min(tasks, useful));
  }

  // The bytes of the parts of the scratch memory, in their order.
  int64_t offsets_bytes() const { return round_up(bias_offset() + kBias * real, 64); }
  int64_t bias_offset() const { return round_up(tables * links * 4, 8); }
  int64_t weight_bytes() const { return packs_weight ? round_up(c.groups * c.outputs * links * real, 64) : 0; }
  int64_t worker_bytes() const { return (slab + strip) * real; }

  static constexpr int64_t kSlack = 256;  // more than the number of elements that a kernel may read beyond a plane
  static constexpr int64_t kBias = kMaxConvolutionRows;  // the number of -0 biases

  const Convolution& c;
  int64_t real;
  const ConvolutionKernels& kernels;
  bool unfolds;
  Slots rows, columns;
  int64_t width;  // elements of a slab's row: the outputs, and the pixels beyond them that the last window reads
  int64_t links;
  int64_t task_rows, task_images = 1, task_outputs;
  int64_t row_tasks, image_tasks, output_tasks, tasks, workers;
  int64_t plane;  // elements from one image of a channel to the next
  int64_t slab, strip, strip_row;
  bool packs_weight;
  bool direct;  // whether the kernels write directly into the result
  bool in_place =
      false;  // whether the kernels read the image itself; then the slab holds only the last outputs, which are too few for a kernel's width
  int64_t tables;  // tables of offsets: one for the slab or the image, and one for the last outputs if in_place
};

// ---- one worker ----

template <class S>
class ConvolutionWorker {
  using Real = ChainType<S>;

 public:
  ConvolutionWorker(const ConvolutionPlan& plan, char* shared, char* own)
      : plan_(plan),
        c_(plan.c),
        offsets_(reinterpret_cast<const int32_t*>(shared)),
        no_bias_(reinterpret_cast<const Real*>(shared + plan.bias_offset())),
        weight_(reinterpret_cast<const Real*>(shared + plan.offsets_bytes())),
        slab_(reinterpret_cast<Real*>(own)),
        strip_(slab_ + plan.slab) {}

  void run(int64_t task) {
    const int64_t block = task % plan_.output_tasks;
    task /= plan_.output_tasks;
    const int64_t part = task;
    row_ = task % plan_.row_tasks * plan_.task_rows, task /= plan_.row_tasks;
    image_ = task % plan_.image_tasks * plan_.task_images, group_ = task / plan_.image_tasks;
    height_ = std::min(plan_.task_rows, c_.rows.out - row_), images_ = std::min(plan_.task_images, c_.batch - image_);
    if (height_ <= 0 || images_ <= 0) return;
    if (part != filled_) fill(), filled_ = part;
    const int64_t begin = block * plan_.task_outputs, end = std::min(c_.outputs, begin + plan_.task_outputs);
    // Groups of nearly equal size: a last group of few rows would not keep the multipliers busy.
    const int64_t groups = divide_up(end - begin, plan_.kernels.rows);
    const EqualParts heights(end - begin, groups);
    for (int64_t g = 0; g < groups; ++g) compute(begin + heights.begin(g), heights.size(g));
  }

 private:
  // The elements of a slab from one of the task's images to the next.
  int64_t image_size() const { return (height_ + plan_.rows.reach) * plan_.width; }

  const S* group_image() const {
    return static_cast<const S*>(c_.image) + image_ * c_.image_strides[0] + group_ * c_.inputs * c_.image_strides[1];
  }

  // If the image is read in place, copies its last pixels, which are fewer than a kernel reads, and pads them with zeros.
  void fill_last() {
    const int64_t narrow = plan_.kernels.narrow_width, outputs = height_ * plan_.width, left = outputs % narrow;
    const S* from = group_image() + row_ * c_.image_strides[2] + outputs - left;
    Real* to = slab_;
    for (int64_t channel = 0; left > 0 && channel < c_.inputs; ++channel, from += c_.image_strides[1], to += narrow) {
      for (int64_t x = 0; x < left; ++x) to[x] = static_cast<Real>(from[x]);
      std::fill(to + left, to + narrow, Real(0));
    }
  }

  // Copies the part of the image that the task reads, with zeros around it.
  void fill() {
    if (plan_.in_place) return fill_last();
    const Slots &h = plan_.rows, &w = plan_.columns;
    const int64_t height = height_ + h.reach, width = plan_.width, stride = w.axis.stride, step = stride * c_.image_strides[3];
    Real* plane = slab_;
    const S* group = group_image();
    for (int64_t i = 0; i < h.count; ++i)
      for (int64_t j = 0; j < w.count; ++j) {
        const int64_t left = w.at(j), size = w.axis.size;
        // [begin, end) of a row are the elements inside the image.
        const int64_t begin = std::clamp<int64_t>(left < 0 ? divide_up(-left, stride) : 0, 0, width);
        const int64_t end = std::clamp<int64_t>(left < size ? divide_up(size - left, stride) : 0, begin, width);
        const int64_t top = row_ * h.axis.stride + h.at(i);
        for (int64_t channel = 0; channel < c_.inputs; ++channel) {
          Real* to = plane + ((channel * h.count + i) * w.count + j) * plan_.plane;
          for (int64_t n = 0; n < images_; ++n) {
            const S* from = group + n * c_.image_strides[0] + channel * c_.image_strides[1] + (left + begin * stride) * c_.image_strides[3];
            for (int64_t y = 0, row = top; y < height; ++y, row += h.axis.stride, to += width) {
              const bool inside = row >= 0 && row < c_.rows.size;
              fill_row(to, from + row * c_.image_strides[2], inside ? begin : 0, inside ? end : 0, width, step);
            }
          }
        }
      }
    std::fill_n(plane + c_.inputs * h.count * w.count * plan_.plane, ConvolutionPlan::kSlack, Real(0));
  }

  // Copies elements [begin, end) from the image, and writes zeros left and right of them.
  static void fill_row(Real* to, const S* from, int64_t begin, int64_t end, int64_t width, int64_t step) {
    for (int64_t x = 0; x < begin; ++x) to[x] = 0;
    for (int64_t x = end; x < width; ++x) to[x] = 0;
    if (begin >= end) return;
    if constexpr (std::is_same_v<S, Real>)
      if (step == 1) return copy_row(to + begin, from, end - begin);
    run_clone<Gather>(to + begin, from, end - begin, step);
  }

  // Computes `count` output channels from `output` on, for all pixels of the task's slab.
  void compute(int64_t output, int64_t count) {
    const ConvolutionPlan& p = plan_;
    const ConvolutionKernels& kernels = p.kernels;
    const int64_t outputs = (images_ - 1) * image_size() + (height_ - 1) * p.width + c_.columns.out;
    char* out = reinterpret_cast<char*>(strip_);
    int64_t out_row = p.strip_row * p.real, weight_row = p.links * p.real;
    const S* weight = static_cast<const S*>(c_.weight) + group_ * c_.weight_strides[0] + output * c_.weight_strides[1];
    const char* weights = reinterpret_cast<const char*>(weight);
    if (p.packs_weight) weights = reinterpret_cast<const char*>(weight_ + (group_ * c_.outputs + output) * p.links);
    else weight_row = c_.weight_strides[1] * p.real;
    if (p.direct) {
      out = reinterpret_cast<char*>(result(image_, output, row_));
      out_row = c_.result_strides[1] * p.real;
    }
    const char* slab = reinterpret_cast<const char*>(slab_);
    const char* image = p.in_place ? reinterpret_cast<const char*>(group_image() + row_ * c_.image_strides[2]) : slab;
    const int64_t most_links = p.in_place ? std::max(kLinksInPlace, kLinksOfRow * count) : kLinks;
    const int64_t wide = kernels.wide_width[count - 1], narrow = kernels.narrow_width;
    Real bias[kMaxConvolutionRows];
    take_bias(bias, output, count);
    int64_t link = 0;
    do {  // at least once: a chain without links is zero
      const int64_t block = even_part(p.links - link, most_links), links = p.links ? block : 0;
      const bool last = link + links >= p.links;
      for (int64_t q = 0; q < outputs;) {
        const bool is_wide = p.in_place ? outputs - q >= wide : (outputs - q) * 2 > wide, is_last = p.in_place && outputs - q < narrow;
        const int64_t width = is_wide ? wide : narrow;
        (is_wide ? kernels.wide : kernels.narrow)[count - 1](
            links, weights + link * p.real, weight_row, is_last ? slab : image + q * p.real, offsets_ + link + (is_last ? p.links : 0),
            out + q * p.real, out_row, p.direct ? std::min(width, outputs - q) : width, last ? bias : no_bias_, link != 0);
        q += width;
      }
      link += links;
    } while (link < p.links);
    if (!p.direct)
      for (int64_t r = 0; r < count; ++r) put(output + r, strip_ + r * p.strip_row);
  }

  S* result(int64_t image, int64_t output, int64_t row) const {
    return static_cast<S*>(c_.result) + image * c_.result_strides[0] + (group_ * c_.outputs + output) * c_.result_strides[1] +
           row * c_.result_strides[2];
  }

  // The bias that the kernels add. With 16-bit dtypes it is -0: the sum is rounded before the bias is added.
  void take_bias(Real* to, int64_t output, int64_t count) const {
    for (int64_t r = 0; r < count; ++r)
      if constexpr (std::is_same_v<S, Real>) to[r] = c_.bias ? bias_of(output + r) : Real(-0.0);
      else to[r] = Real(-0.0);
  }
  S bias_of(int64_t output) const { return static_cast<const S*>(c_.bias)[(group_ * c_.outputs + output) * c_.bias_stride]; }

  // Writes the rows of an output channel to the result.
  void put(int64_t output, const Real* from) {
    for (int64_t n = 0; n < images_; ++n)
      for (int64_t y = 0; y < height_; ++y) {
        const Real* row = from + n * image_size() + y * plan_.width;
        S* to = result(image_ + n, output, row_ + y);
        if constexpr (std::is_same_v<S, Real>) {
          if (c_.result_strides[3] == 1) copy_row(to, row, c_.columns.out);
          else
            for (int64_t x = 0; x < c_.columns.out; ++x) to[x * c_.result_strides[3]] = row[x];
        } else {
          for (int64_t x = 0; x < c_.columns.out; ++x) {
            const S sum(row[x]);
            to[x * c_.result_strides[3]] = c_.bias ? S(static_cast<Real>(sum) + static_cast<Real>(bias_of(output))) : sum;
          }
        }
      }
  }

  const ConvolutionPlan& plan_;
  const Convolution& c_;
  const int32_t* offsets_;
  const Real *no_bias_, *weight_;
  Real *slab_, *strip_;
  int64_t filled_ = -1;  // the number of the part of the image that the slab holds
  int64_t group_ = 0, image_ = 0, images_ = 0, row_ = 0, height_ = 0;
};

// Writes the offsets that the links read at, from the first pixel of an output's window.
void write_offsets(const ConvolutionPlan& p, int32_t* offset) {
  const Convolution& c = p.c;
  if (p.in_place) {
    for (int64_t channel = 0; channel < c.inputs; ++channel) {
      offset[channel] = static_cast<int32_t>(channel * c.image_strides[1] * p.real);
      offset[p.links + channel] = static_cast<int32_t>(channel * p.kernels.narrow_width * p.real);
    }
    return;
  }
  for (int64_t channel = 0; channel < c.inputs; ++channel)
    for (int64_t i = 0; i < c.rows.taps; ++i)
      for (int64_t j = 0; j < c.columns.taps; ++j) {
        const int64_t plane = (channel * p.rows.count + p.rows.slot(i)) * p.columns.count + p.columns.slot(j);
        *offset++ = static_cast<int32_t>((plane * p.plane + p.rows.shift(i) * p.width + p.columns.shift(j)) * p.real);
      }
}

template <class S>
void run_blocks(const ConvolutionPlan& p, char* scratch) {
  using Real = ChainType<S>;
  const Convolution& c = p.c;
  write_offsets(p, reinterpret_cast<int32_t*>(scratch));
  std::fill_n(reinterpret_cast<Real*>(scratch + p.bias_offset()), ConvolutionPlan::kBias, Real(-0.0));
  if (p.packs_weight) {
    auto* to = reinterpret_cast<Real*>(scratch + p.offsets_bytes());
    const int64_t* s = c.weight_strides;
    for (int64_t o = 0; o < c.groups * c.outputs; ++o)
      for (int64_t channel = 0; channel < c.inputs; ++channel)
        for (int64_t i = 0; i < c.rows.taps; ++i)
          for (int64_t j = 0; j < c.columns.taps; ++j)
            *to++ = static_cast<Real>(
                static_cast<const S*>(c.weight)[o / c.outputs * s[0] + o % c.outputs * s[1] + channel * s[2] + i * s[3] + j * s[4]]);
  }
  parallel_for(0, p.workers, 1, [&](int64_t begin, int64_t end) {
    for (int64_t w = begin; w < end; ++w) {
      ConvolutionWorker<S> worker(p, scratch, scratch + p.offsets_bytes() + p.weight_bytes() + w * p.worker_bytes());
      for (int64_t task = w * p.tasks / p.workers; task < (w + 1) * p.tasks / p.workers; ++task) worker.run(task);
    }
  });
}

// ---- integers and complex numbers: one output at a time ----

template <class T>
T link(T a, T b, T acc) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(acc) + static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return {std::fma(-a.imag(), b.imag(), std::fma(a.real(), b.real(), acc.real())),
            std::fma(a.imag(), b.real(), std::fma(a.real(), b.imag(), acc.imag()))};
}

template <class T>
void run_plain(const Convolution& c) {
  const ConvolutionAxis &h = c.rows, &w = c.columns;
  const int64_t *xs = c.image_strides, *ws = c.weight_strides, *rs = c.result_strides;
  parallel_for(0, c.batch * c.groups * c.outputs, 1, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      const int64_t o = at % c.outputs, g = at / c.outputs % c.groups, n = at / c.outputs / c.groups, channel = g * c.outputs + o;
      for (int64_t y = 0; y < h.out; ++y)
        for (int64_t x = 0; x < w.out; ++x) {
          T acc{};
          for (int64_t k = 0; k < c.inputs; ++k)
            for (int64_t i = 0; i < h.taps; ++i)
              for (int64_t j = 0; j < w.taps; ++j) {
                const int64_t row = y * h.stride + h.first + i * h.step, column = x * w.stride + w.first + j * w.step;
                const bool inside = row >= 0 && row < h.size && column >= 0 && column < w.size;
                const T* image = static_cast<const T*>(c.image) + n * xs[0] + (g * c.inputs + k) * xs[1];
                const T pixel = inside ? image[row * xs[2] + column * xs[3]] : T{};
                acc = link(static_cast<const T*>(c.weight)[g * ws[0] + o * ws[1] + k * ws[2] + i * ws[3] + j * ws[4]], pixel, acc);
              }
          if (c.bias) {
            const T bias = static_cast<const T*>(c.bias)[channel * c.bias_stride];
            if constexpr (std::is_integral_v<T>) acc = static_cast<T>(static_cast<uint64_t>(acc) + static_cast<uint64_t>(bias));
            else acc += bias;
          }
          static_cast<T*>(c.result)[n * rs[0] + channel * rs[1] + y * rs[2] + x * rs[3]] = acc;
        }
    }
  });
}

// ---- transposed: for each residue of the result's pixels modulo the stride, a convolution of stride 1 ----

// The axis of the convolution that computes pixels residue, residue + stride, ... of the result.
struct Residue {
  Residue(const ConvolutionAxis& a, int64_t residue) : residue(residue) {
    const int64_t turn = floor_mod(a.step, a.stride);
    for (int64_t r = turn; r != 0; r = (r + turn) % a.stride) ++period;
    while (tap < a.taps && floor_mod(residue - a.first - tap * a.step, a.stride) != 0 && tap < period) ++tap;
    const bool reached = tap < a.taps && tap < period;
    axis.size = a.size, axis.out = a.out > residue ? divide_up(a.out - residue, a.stride) : 0;
    axis.taps = reached ? divide_up(a.taps - tap, period) : 0;
    axis.stride = 1, axis.first = reached ? (residue - a.first - tap * a.step) / a.stride : 0, axis.step = -(period * a.step / a.stride);
  }
  int64_t residue;
  int64_t tap = 0, period = 1;  // the first tap that reaches these pixels, and the distance to the next such tap
  ConvolutionAxis axis{};
};

// Calls f with each of the convolutions of stride 1.
template <class F>
void for_residues(const Convolution& c, F&& f) {
  const int64_t real = element_size(c.type);
  for (int64_t i = 0; i < c.rows.stride; ++i)
    for (int64_t j = 0; j < c.columns.stride; ++j) {
      const Residue h(c.rows, i), w(c.columns, j);
      Convolution part = c;
      part.rows = h.axis, part.columns = w.axis;
      part.weight = static_cast<const char*>(c.weight) + (h.tap * c.weight_strides[3] + w.tap * c.weight_strides[4]) * real;
      part.weight_strides[3] *= h.period, part.weight_strides[4] *= w.period;
      part.result = static_cast<char*>(c.result) + (i * c.result_strides[2] + j * c.result_strides[3]) * real;
      part.result_strides[2] *= c.rows.stride, part.result_strides[3] *= c.columns.stride;
      f(part);
    }
}

bool is_empty(const Convolution& c) { return c.batch * c.groups * c.outputs * c.rows.out * c.columns.out == 0; }

}  // namespace

const ConvolutionKernels& convolution_kernels(DType type, Isa isa) {
  if (const ConvolutionKernels* generated = generated_convolution_kernels(type, isa)) return *generated;
  return type == DType::f64 ? kPortable<double, DType::f64> : kPortable<float, DType::f32>;
}

int64_t useful_tasks(const Convolution& c) {
  constexpr double kTaskWork = 1 << 20;  // the least work of a task, in links
  const double work = static_cast<double>(c.batch * c.groups * c.outputs) * static_cast<double>(c.rows.out * c.columns.out) *
                      static_cast<double>(c.inputs * c.rows.taps * c.columns.taps);
  return std::max<int64_t>(1, static_cast<int64_t>(std::min(work / kTaskWork, 1e6)));
}

int64_t shared_rows(const Convolution& c, int64_t rows, int64_t output_pieces) {
  if (rows < c.rows.out || c.batch * c.groups * output_pieces >= c.workers) return rows;
  return even_part(c.rows.out, divide_up(c.rows.out, std::min<int64_t>(c.workers, useful_tasks(c))));
}

int64_t convolution_scratch(const Convolution& c) {
  if (is_empty(c) || !is_floating(c.type)) return 0;
  if (const DepthwisePlan plan(c, DepthwisePlan::Result::Image); plan.applies()) return plan.scratch_bytes();
  // The scratch memory must be enough with and without an ordered weight.
  const ChannelPlan ordered(c, ChannelPlan::Result::Image, true);
  const int64_t least = ordered.applies() ? ordered.scratch_bytes() : 0;
  if (const ChannelPlan plan(c, ChannelPlan::Result::Image); plan.applies()) return std::max(least, plan.scratch_bytes());
  const ConvolutionPlan plan(c);
  return std::max(least, plan.offsets_bytes() + plan.weight_bytes() + plan.workers * plan.worker_bytes());
}

void convolve(const Convolution& c, char* scratch) {
  if (is_empty(c)) return;
  if (is_floating(c.type)) {
    if (const DepthwisePlan plan(c, DepthwisePlan::Result::Image); plan.applies()) return plan.run(scratch);
    if (const ChannelPlan plan(c, ChannelPlan::Result::Image, c.ordered != nullptr); plan.applies()) return plan.run(scratch);
    const ConvolutionPlan plan(c);
    switch (c.type) {
      case DType::f16: return run_blocks<half>(plan, scratch);
      case DType::bf16: return run_blocks<bfloat16>(plan, scratch);
      case DType::f64: return run_blocks<double>(plan, scratch);
      default: return run_blocks<float>(plan, scratch);
    }
  }
  dispatch(c.type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_floating_point_v<T> && !std::is_same_v<T, half> && !std::is_same_v<T, bfloat16> && !std::is_same_v<T, bool>)
      run_plain<T>(c);
  });
}

// Whether all elements are finite.
template <class T>
static bool all_finite(const char* data, int64_t bytes) {
  const T* elements = reinterpret_cast<const T*>(data);
  return std::all_of(elements, elements + bytes / static_cast<int64_t>(sizeof(T)), [](T x) { return std::isfinite(x); });
}

int64_t ordered_weight_bytes(const Convolution& c) {
  if (is_empty(c) || !is_floating(c.type) || DepthwisePlan(c, DepthwisePlan::Result::Image).applies()) return 0;
  const ChannelPlan plan(c, ChannelPlan::Result::Image, true);
  return plan.applies() ? plan.ordered_bytes() : 0;
}

OrderedWeight order_weight(const Convolution& c, char* memory) {
  const ChannelPlan plan(c, ChannelPlan::Result::Image, true);
  plan.order_weight(memory);
  const int64_t bytes = plan.ordered_bytes();
  return {memory, c.type == DType::f64 ? all_finite<double>(memory, bytes) : all_finite<float>(memory, bytes)};
}

int64_t transposed_scratch(const Convolution& c) {
  int64_t most = 0;
  for_residues(c, [&](const Convolution& part) { most = std::max(most, convolution_scratch(part)); });
  return most;
}

void convolve_transposed(const Convolution& c, char* scratch) {
  for_residues(c, [&](const Convolution& part) { convolve(part, scratch); });
}

}  // namespace monograph
