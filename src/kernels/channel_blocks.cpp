// Plans the sizes of panels, parts of the image and strips; orders the weights; copies parts of the image into slabs; calls the generated kernels.
#include "kernels/channel_blocks.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/threads/pool.h"
#include "kernels/round.h"
#include "kernels/slab.h"

namespace monograph {

namespace {

constexpr int64_t kSlabBytes = 512 << 10;  // the largest slab: with the weights of a panel it fits in the second-level cache
constexpr int64_t kLinks = 1152;  // links of one kernel call
constexpr int64_t kOutputs = 512;  // links of one kernel call for the gradient by the weight
constexpr int64_t kStripPlaces = 1024;  // pixels of a strip
constexpr int64_t kTransposedChannels = 8;  // channels that are transposed at a time, so that each row is written from end to end
constexpr int64_t kTaskPlaces = 256;  // pixels of a task that has several small images
constexpr int64_t kGradientBytes = 4 << 20;  // the largest memory of a worker for the gradient by the weight
constexpr int64_t kLeastPlaces = 4;  // the least pixels of a kernel call, with two vectors each
constexpr int64_t kLeastLinks = 128;  // the fewest links of a chain for which this algorithm is faster
constexpr int64_t kLeastOutputs = 32,
                  kLeastOfNew = 128;  // the same for the pixels of a channel; kLeastOfNew if the weight is ordered in the call
constexpr int64_t kCutRows = 64;  // with more rows of outputs, the border is too small a part to use cuts
constexpr int64_t kTasks = 16;  // the least number of tasks, if the convolution is large enough

// Rounds up to an odd number of cache lines, so that planes do not evict each other from the cache.
int64_t odd_lines(int64_t bytes) { return (divide_up(bytes, 64) | 1) * 64; }

// Whether any of the elements is -0.
template <class Bits>
bool has_negative_zero(const char* data, int64_t elements) {
  constexpr Bits kNegativeZero = Bits{1} << (8 * sizeof(Bits) - 1);
  bool found = false;
  for (int64_t i = 0; i < elements; ++i) {
    Bits bits;
    std::memcpy(&bits, data + i * static_cast<int64_t>(sizeof bits), sizeof bits);
    found |= bits == kNegativeZero;
  }
  return found;
}

}  // namespace

ChannelPlan::ChannelPlan(const Convolution& c, Result result, bool ordered)
    : c_(c),
      kernels_(c.kernels ? *c.kernels : convolution_kernels(c.type == DType::f64 ? DType::f64 : DType::f32)),
      result_(result),
      ordered_(ordered),
      real_(c.type == DType::f64 ? 8 : 4),
      panel_(kernels_.panel * real_),
      rows_(c.rows),
      columns_(c.columns),
      panels_(kernels_.panel ? divide_up(c.outputs, kernels_.panel) : 0) {
  if (kernels_.places == 0 || (c.type != DType::f32 && c.type != DType::f64)) return;
  if (c.batch * c.inputs * c.outputs * taps() * c.rows.out * c.columns.out == 0) return;
  if (c.outputs * 8 < panels_ * kernels_.panel * 7) return;  // more than an eighth of the lanes would have no channel
  if (result == Result::Image) plan_image();
  else plan_weight();
  const int64_t useful = useful_tasks(c);
  // If there are few parts of the image, several tasks share the panels of each part.
  const int64_t parts = c.groups * row_parts_ * image_parts_ * channel_parts_;
  panel_parts_ = std::clamp<int64_t>(std::min(kTasks, useful) / parts, 1, panels_);
  if (c.workers <= 1) panel_parts_ = 1;
  tasks_ = parts * panel_parts_;
  workers_ = std::clamp<int64_t>(c.workers, 1, std::min(tasks_, useful));
}

void ChannelPlan::plan_image() {
  // Ordering the weights and transposing the results must take little time compared with the products.
  if (c_.inputs * taps() < kLeastLinks || c_.batch * c_.rows.out * c_.columns.out < (ordered_ ? kLeastOutputs : kLeastOfNew)) return;
  links_ = c_.inputs * taps();
  block_bytes_ = links_ * panel_;
  if (c_.inputs * rows_.of(1) * row_bytes() > kSlabBytes) return;
  part_rows_ = even_part(c_.rows.out, (kSlabBytes / (c_.inputs * row_bytes()) - rows_.reach - 1) / rows_.stride + 1);
  part_rows_ = shared_rows(c_, part_rows_, panels_);
  merges_rows_ = rows_.stride == 1 && columns_.stride == 1 && columns_.reach == 0;
  // With few pixels there are too few independent chains to keep the multipliers busy.
  const int64_t calls = divide_up(c_.columns.out, kernels_.places);
  if (!merges_rows_ && c_.columns.out * 10 < calls * kLeastPlaces * 9) return;
  if (part_rows_ == c_.rows.out) {
    const int64_t places = c_.rows.out * c_.columns.out;
    part_images_ = even_part(c_.batch, std::max<int64_t>(1, std::min(kTaskPlaces / places, kSlabBytes / (c_.inputs * image_bytes()))));
  }
  plan_cuts();
  part_channels_ = c_.inputs;
  row_parts_ = divide_up(c_.rows.out, part_rows_), image_parts_ = divide_up(c_.batch, part_images_);
  plane_bytes_ = odd_lines(part_images_ * image_bytes());
  slab_bytes_ = part_channels_ * plane_bytes_;
  strip_rows_ = even_part(part_images_ * part_rows_, std::max<int64_t>(1, kStripPlaces / c_.columns.out));
  strip_bytes_ = strip_rows_ * c_.columns.out * panel_;
  applies_ = std::max(slab_bytes_, block_bytes_) < (int64_t{1} << 31);
}

void ChannelPlan::plan_weight() {
  if (c_.inputs < kernels_.places / 2) return;
  const int64_t places = c_.rows.out * c_.columns.out;
  block_bytes_ = places * panel_;
  part_rows_ = even_part(c_.rows.out, std::max<int64_t>(1, kOutputs / c_.columns.out));
  row_parts_ = 1;  // tasks cannot share rows or images, since these are the links of one chain
  links_ = listed_ = part_rows_ * c_.columns.out;
  part_channels_ = even_part(c_.inputs, kernels_.places);
  channel_parts_ = divide_up(c_.inputs, part_channels_);
  plane_bytes_ = odd_lines(image_bytes());
  slab_bytes_ = part_channels_ * plane_bytes_;
  strip_bytes_ = panels_ * part_channels_ * taps() * panel_;
  applies_ = slab_bytes_ + strip_bytes_ <= kGradientBytes;
}

int64_t ChannelPlan::channels_of(int64_t panel) const { return std::min<int64_t>(kernels_.panel, c_.outputs - panel * kernels_.panel); }

// Writes blocks [begin, end) in order. A block is the weights of a panel, or the gradient by the outputs of a panel for one image.
void ChannelPlan::order(char* to, int64_t begin, int64_t end) const {
  const int64_t images = result_ == Result::Image ? 1 : c_.batch, *s = c_.weight_strides;
  for (int64_t block = begin; block < end; ++block) {
    const int64_t panel = block % panels_, image = block / panels_ % images, group = block / panels_ / images, count = channels_of(panel);
    char* at = to + block * block_bytes_;
    if (count < kernels_.panel) std::memset(at, 0, static_cast<size_t>(block_bytes_));
    const int64_t first = group * s[0] + panel * kernels_.panel * s[1], width = kernels_.panel;
    BlockDims sizes{count, c_.inputs, c_.rows.taps, c_.columns.taps}, strides{1, taps() * width, c_.columns.taps * width, width};
    if (result_ == Result::Weight) sizes = {count, 1, c_.rows.out, c_.columns.out}, strides = {1, 0, c_.columns.out * width, width};
    const char* from = static_cast<const char*>(c_.weight) + (first + image * s[2] * (result_ == Result::Weight)) * real_;
    copy_block(c_.type, sizes, at, strides, from, {s[1], s[2], s[3], s[4]});
  }
}

// The rows of taps that read inside the image for this row of outputs.
ChannelPlan::Cut ChannelPlan::cut_of(int64_t output_row) const {
  const ConvolutionAxis& a = c_.rows;
  const int64_t top = output_row * a.stride + a.first;
  return {std::min(a.taps, top < 0 ? divide_up(-top, a.step) : 0), std::min(a.taps, top < a.size ? divide_up(a.size - top, a.step) : 0), 0};
}

// Lists the cuts that differ, at most kMostCuts, and where the links of each begin.
void ChannelPlan::plan_cuts() {
  cuts_[0] = {0, c_.rows.taps, 0}, listed_ = links_;
  if (!ordered_ || merges_rows_ || c_.rows.step <= 0 || c_.rows.out > kCutRows) return;
  for (int64_t y = 0; y < c_.rows.out && cut_count_ < kMostCuts; ++y) {
    Cut cut = cut_of(y);
    const bool known =
        std::any_of(cuts_, cuts_ + cut_count_, [&](const Cut& other) { return cut.first == other.first && cut.last == other.last; });
    if (known || cut.first >= cut.last) continue;
    cut.begin = listed_, listed_ += c_.inputs * (cut.last - cut.first) * c_.columns.taps;
    cuts_[cut_count_++] = cut;
  }
}

// The cut for a row of the strip.
const ChannelPlan::Cut& ChannelPlan::cut_for(const Part& part, int64_t row, const Shared& shared) const {
  if (!shared.cuts || cut_count_ == 1) return cuts_[0];
  const Cut cut = cut_of(part.row + row % part.height);
  for (size_t k = 1; k < cut_count_; ++k)
    if (cuts_[k].first == cut.first && cuts_[k].last == cut.last) return cuts_[k];
  return cuts_[0];
}

// Writes the offsets that the links of a kernel call read at: from the first pixel of an output's window (or of a tap's outputs), and from the first
// weight of the panel.
void ChannelPlan::write_links(ChannelLink* links) const {
  auto note = [&](int64_t image, int64_t weight) { *links++ = {static_cast<int32_t>(image), static_cast<int32_t>(weight * panel_)}; };
  if (result_ == Result::Weight) {
    for (int64_t y = 0; y < part_rows_; ++y)
      for (int64_t x = 0; x < c_.columns.out; ++x)
        note(y * rows_.stride * row_bytes() + x * columns_.stride * real_, y * c_.columns.out + x);
    return;
  }
  const int64_t row = c_.rows.first - rows_.begin, column = c_.columns.first - columns_.begin;
  for (size_t k = 0; k < cut_count_; ++k)
    for (int64_t channel = 0; channel < c_.inputs; ++channel)
      for (int64_t i = cuts_[k].first; i < cuts_[k].last; ++i)
        for (int64_t j = 0; j < c_.columns.taps; ++j)
          note(channel * plane_bytes_ + (row + i * c_.rows.step) * row_bytes() + (column + j * c_.columns.step) * real_,
               channel * taps() + i * c_.columns.taps + j);
}

// Copies the part of the image into the slab, and writes zeros above and below it. The zeros left and right of it are written once, by run().
void ChannelPlan::fill(WorkerMemory& memory, const Part& part) const {
  const int64_t top = part.row * rows_.stride + rows_.begin, places = rows_.of(part.height);
  const int64_t begin = std::clamp<int64_t>(-top, 0, places), end = std::clamp<int64_t>(c_.rows.size - top, begin, places);
  if (top != memory.top && (begin > 0 || end < places))
    for (int64_t channel = 0; channel < part.channels; ++channel)
      for (int64_t n = 0; n < part.images; ++n) {
        char* plane = memory.slab + channel * plane_bytes_ + n * image_bytes();
        std::memset(plane, 0, static_cast<size_t>(begin * row_bytes()));
        std::memset(plane + end * row_bytes(), 0, static_cast<size_t>((places - end) * row_bytes()));
      }
  memory.top = top;
  const int64_t left = columns_.first_inside, width = columns_.inside;
  if (begin == end || width <= 0) return;
  const int64_t* s = c_.image_strides;
  const int64_t first = part.image * s[0] + (part.group * c_.inputs + part.channel) * s[1] + (top + begin) * s[2] + left * s[3];
  copy_block(c_.type, {part.channels, part.images, end - begin, width}, memory.slab + begin * row_bytes() + (left - columns_.begin) * real_,
             {plane_bytes_ / real_, image_bytes() / real_, columns_.places, 1}, static_cast<const char*>(c_.image) + first * real_,
             {s[1], s[0], s[2], s[3]});
}

// ---- a convolution ----

void ChannelPlan::convolve_task(int64_t task, const Shared& shared, WorkerMemory& memory) const {
  const int64_t share = task % panel_parts_, place = task / panel_parts_, row = place % row_parts_ * part_rows_;
  const int64_t image = place / row_parts_ % image_parts_ * part_images_, group = place / row_parts_ / image_parts_;
  const Part part{group, 0, c_.inputs, image, std::min(part_images_, c_.batch - image), row, std::min(part_rows_, c_.rows.out - row)};
  if (part.images <= 0 || part.height <= 0) return;
  if (memory.filled != place) fill(memory, part), memory.filled = place;
  const EqualParts panels(panels_, panel_parts_);
  for (int64_t panel = panels.begin(share); panel < panels.begin(share + 1); ++panel) convolve_panel(part, panel, shared, memory);
}

void ChannelPlan::convolve_panel(const Part& part, int64_t panel, const Shared& shared, const WorkerMemory& memory) const {
  const char* weights = shared.ordered + (part.group * panels_ + panel) * block_bytes_;
  const char* bias = shared.no_bias;
  if (c_.bias) {
    bias = memory.bias;
    for (int64_t k = 0; k < channels_of(panel); ++k) {
      const int64_t output = part.group * c_.outputs + panel * kernels_.panel + k;
      std::memcpy(memory.bias + k * real_, static_cast<const char*>(c_.bias) + output * c_.bias_stride * real_, static_cast<size_t>(real_));
    }
  }
  const int64_t rows = part.images * part.height, block = even_part(c_.inputs, std::max<int64_t>(1, kLinks / taps()));
  for (int64_t begin = 0; begin < rows; begin += strip_rows_) {
    const int64_t end = std::min(rows, begin + strip_rows_);
    // Compute all rows for some input channels, then for the next ones, so that the weights of these channels stay in the cache.
    auto each_row = [&](auto&& f) {
      for (int64_t r = begin, some = 1; r < end; r += some) {
        if (merges_rows_) some = std::min(end - r, part.height - r % part.height);
        f(r, some, memory.strip + (r - begin) * c_.columns.out * panel_);
      }
    };
    for (int64_t channel = 0; channel < c_.inputs; channel += block)
      each_row([&](int64_t r, int64_t some, char* to) {
        const Rows range{r, some, channel, std::min(block, c_.inputs - channel)};
        convolve_rows(part, range, cut_for(part, r, shared), weights, bias, shared, memory, to);
      });
    if (shared.cuts)
      each_row([&](int64_t r, int64_t some, char* to) {
        const int64_t results = some * c_.columns.out * kernels_.panel;
        if (&cut_for(part, r, shared) == cuts_ || !(real_ == 8 ? has_negative_zero<uint64_t> : has_negative_zero<uint32_t>)(to, results))
          return;
        convolve_rows(part, {r, some, 0, c_.inputs}, cuts_[0], weights, bias, shared, memory, to);
      });
    store_rows(part, panel, begin, end - begin, memory);
  }
}

// Computes rows of outputs with the links of some input channels. The first channels begin the chains; the bias is added after the last ones.
void ChannelPlan::convolve_rows(const Part& part, const Rows& rows, const Cut& cut, const char* weights, const char* bias,
                                const Shared& shared, const WorkerMemory& memory, char* to) const {
  const int64_t step = columns_.stride * real_, taps = (cut.last - cut.first) * c_.columns.taps;
  const char* row = memory.slab + rows.row / part.height * image_bytes() + rows.row % part.height * rows_.stride * row_bytes();
  const int64_t places = rows.count * c_.columns.out, groups = divide_up(places, kernels_.places);
  const EqualParts counts(places, groups);
  const bool last = rows.channel + rows.channels == c_.inputs;
  for (int64_t g = 0, x = 0; g < groups; ++g) {
    const int64_t count = counts.size(g);
    kernels_.channels[count - 1](rows.channels * taps, weights, row + x * step, shared.links + cut.begin + rows.channel * taps, step, to,
                                 panel_, last ? bias : shared.no_bias, rows.channel != 0);
    x += count, to += count * panel_;
  }
}

// Transposes rows of the strip into the result.
void ChannelPlan::store_rows(const Part& part, int64_t panel, int64_t row, int64_t rows, const WorkerMemory& memory) const {
  const int64_t *s = c_.result_strides, columns = c_.columns.out, count = channels_of(panel), width = kernels_.panel;
  const char* from = memory.strip;
  for (int64_t end = row + rows; row < end;) {  // one image after the other
    const int64_t image = row / part.height, y = row % part.height, height = std::min(end - row, part.height - y);
    for (int64_t k = 0; k < count; k += kTransposedChannels) {
      const int64_t some = std::min(kTransposedChannels, count - k);
      const int64_t first = (part.image + image) * s[0] + (part.group * c_.outputs + panel * width + k) * s[1] + (part.row + y) * s[2];
      copy_block(c_.type, {some, 1, height, columns}, writable(c_.result) + first * real_, {s[1], 0, s[2], s[3]}, from + k * real_,
                 {1, 0, columns * width, width});
    }
    row += height, from += height * columns * panel_;
  }
}

// ---- the gradient by the weight ----

void ChannelPlan::gradient_task(int64_t task, const Shared& shared, WorkerMemory& memory) const {
  const int64_t share = task % panel_parts_, index = task / panel_parts_ % channel_parts_, group = task / panel_parts_ / channel_parts_;
  const EqualParts channels(c_.inputs, channel_parts_), panels(panels_, panel_parts_);
  Part part{group, channels.begin(index), channels.size(index), 0, 1, 0, 0};
  const int64_t first = panels.begin(share), end = panels.begin(share + 1);
  const int64_t column = c_.columns.first - columns_.begin, tile = part.channels * taps() * panel_;
  for (; part.image < c_.batch; ++part.image)
    for (part.row = 0; part.row < c_.rows.out; part.row += part_rows_) {
      part.height = std::min(part_rows_, c_.rows.out - part.row);
      fill(memory, part);
      for (int64_t panel = first; panel < end; ++panel) {
        const char* grads =
            shared.ordered + ((group * c_.batch + part.image) * panels_ + panel) * block_bytes_ + part.row * c_.columns.out * panel_;
        char* to = memory.strip + (panel - first) * tile;
        for (int64_t i = 0; i < c_.rows.taps; ++i)
          for (int64_t j = 0; j < c_.columns.taps; ++j, to += panel_) {
            const int64_t place = (c_.rows.first - rows_.begin + i * c_.rows.step) * columns_.places + column + j * c_.columns.step;
            const char* pixels = memory.slab + place * real_;
            kernels_.channels[part.channels - 1](part.height * c_.columns.out, grads, pixels, shared.links, plane_bytes_, to,
                                                 taps() * panel_, shared.no_bias, part.image + part.row != 0);
          }
      }
    }
  store_gradient(part, first, end - first, memory);
}

void ChannelPlan::store_gradient(const Part& part, int64_t first, int64_t panels, const WorkerMemory& memory) const {
  const int64_t *s = c_.result_strides, width = kernels_.panel;
  for (int64_t k = 0; k < panels; ++k) {
    const int64_t at = (part.group * c_.outputs + (first + k) * width) * s[0] + part.channel * s[1];
    copy_block(c_.type, {channels_of(first + k), part.channels, c_.rows.taps, c_.columns.taps}, writable(c_.result) + at * real_,
               {s[0], s[1], s[2], s[3]}, memory.strip + k * part.channels * taps() * panel_,
               {1, taps() * width, c_.columns.taps * width, width});
  }
}

void ChannelPlan::order_weight(char* to) const {
  const int64_t blocks = ordered_bytes() / block_bytes_;
  parallel_for(0, blocks, std::max<int64_t>(divide_up(blocks, workers_), (1 << 16) / block_bytes_ + 1),
               [&](int64_t begin, int64_t end) { order(to, begin, end); });
}

void ChannelPlan::run(char* scratch) const {
  auto* links = reinterpret_cast<ChannelLink*>(scratch);
  write_links(links);
  char *no_bias = scratch + links_bytes(), *rest = no_bias + panel_;
  fill_no_bias(no_bias, kernels_.panel, c_.type);
  if (!ordered_) order_weight(rest);
  const Shared shared{links, no_bias, ordered_ ? c_.ordered->data : rest, ordered_ && cut_count_ > 1 && c_.ordered->finite};
  char* workers_memory = scratch + shared_bytes();
  const EqualParts tasks(tasks_, workers_);
  parallel_for(0, workers_, 1, [&](int64_t begin, int64_t end) {
    for (int64_t w = begin; w < end; ++w) {
      char* own = workers_memory + w * worker_bytes();
      WorkerMemory memory{own, own + slab_bytes_, own + slab_bytes_ + strip_bytes_, -1, INT64_MIN};
      std::memset(memory.slab, 0, static_cast<size_t>(slab_bytes_));
      std::memset(memory.bias, 0, static_cast<size_t>(panel_));
      for (int64_t task = tasks.begin(w); task < tasks.begin(w + 1); ++task)
        if (result_ == Result::Image) convolve_task(task, shared, memory);
        else gradient_task(task, shared, memory);
    }
  });
}

}  // namespace monograph
