// Convolutions with many output channels, and their gradients by the weight. A vector holds one pixel of several output channels, so that no lane is
// wasted at the end of a row. The bits and the terms are those of kernels/convolution.h.
//
// How it works. A panel is the number of output channels that a kernel computes at once. First, the weights are ordered by panel, link, channel. A task
// copies a part of the image, with zeros around it, into a slab. For each panel, a generated kernel computes all links for up to 14 pixels of a row. It
// writes (pixel, channel) to a strip, which is then transposed into the result.
//
// The windows of output rows at the border of the image contain rows of zeros. If the weight was ordered before and is finite, the links of these rows
// are left out, since a zero times a finite weight adds nothing, with one exception: it turns a sum of -0 (after a product that underflows) into +0. So a
// row with a result of -0 is computed again with all links.
//
// The gradient by the weight has other links: the outputs of all images, in order. The gradient by the outputs is ordered by panel, output, channel. A task
// has some input channels, and these take the role of the kernel's pixels: for each panel and tap, a kernel computes the links of a few rows of outputs.
#pragma once

#include "kernels/convolution.h"
#include "kernels/round.h"

namespace monograph {

class ChannelPlan {
 public:
  enum class Result : uint8_t { Image, Weight };  // what is computed: a convolution, or its gradient by the weight

  // `ordered`: run() will find the weight in c.ordered. Only for Result::Image. `c` must outlive the plan.
  ChannelPlan(const Convolution& c, Result result, bool ordered = false);
  // Whether there are kernels for this convolution, and they are expected to be faster than the others.
  bool applies() const { return applies_; }
  int64_t scratch_bytes() const { return shared_bytes() + workers_ * worker_bytes(); }
  void run(char* scratch) const;
  // Writes the weight in the kernels' order: ordered_bytes() bytes at an address divisible by 64.
  int64_t ordered_bytes() const { return c_.groups * panels_ * (result_ == Result::Image ? 1 : c_.batch) * block_bytes_; }
  void order_weight(char* to) const;

 private:
  // Memory that all workers read.
  struct Shared {
    const ChannelLink* links;  // those of one kernel call; for Result::Image the lists of all cuts, one after another
    const char* no_bias;  // a panel of -0, which adds nothing
    const char* ordered;  // the ordered weights, or the ordered gradient by the outputs
    bool cuts;  // whether to leave out the links that read only padding
  };
  // Memory of one worker. `filled` is the number of the part of the image that the slab holds, `top` its first row.
  struct WorkerMemory {
    char *slab, *strip, *bias;
    int64_t filled, top;
  };
  // The part of the image that a task reads: `images` images from `image` on, and so on. `row` and `height` count rows of outputs.
  struct Part {
    int64_t group, channel, channels, image, images, row, height;
  };
  // The rows of taps [first, last): those that, for some row of outputs, read rows inside the image. `begin` is the index of its first link.
  struct Cut {
    int64_t first, last, begin;
  };
  // `count` rows of the strip from `row` on, which are contiguous in the slab, and the input channels whose links are computed.
  struct Rows {
    int64_t row, count, channel, channels;
  };

  void plan_image();
  void plan_weight();
  void order(char* to, int64_t begin, int64_t end) const;
  void write_links(ChannelLink* links) const;
  Cut cut_of(int64_t output_row) const;
  void plan_cuts();
  const Cut& cut_for(const Part& part, int64_t row, const Shared& shared) const;
  void fill(WorkerMemory& memory, const Part& part) const;
  void convolve_task(int64_t task, const Shared& shared, WorkerMemory& memory) const;
  void convolve_panel(const Part& part, int64_t panel, const Shared& shared, const WorkerMemory& memory) const;
  void convolve_rows(const Part& part, const Rows& rows, const Cut& cut, const char* weights, const char* bias, const Shared& shared,
                     const WorkerMemory& memory, char* to) const;
  void store_rows(const Part& part, int64_t panel, int64_t row, int64_t rows, const WorkerMemory& memory) const;
  void gradient_task(int64_t task, const Shared& shared, WorkerMemory& memory) const;
  void store_gradient(const Part& part, int64_t first, int64_t panels, const WorkerMemory& memory) const;

  int64_t taps() const { return c_.rows.taps * c_.columns.taps; }
  int64_t channels_of(int64_t panel) const;
  int64_t row_bytes() const { return columns_.places * real_; }  // one row of a slab
  int64_t image_bytes() const { return rows_.of(part_rows_) * row_bytes(); }  // one channel of one image in a slab
  int64_t links_bytes() const { return round_up(listed_ * static_cast<int64_t>(sizeof(ChannelLink)), 64); }
  int64_t shared_bytes() const { return links_bytes() + panel_ + (ordered_ ? 0 : ordered_bytes()); }
  int64_t worker_bytes() const { return slab_bytes_ + strip_bytes_ + panel_; }

  const Convolution& c_;
  const ConvolutionKernels& kernels_;
  Result result_;
  bool ordered_;  // whether c_.ordered holds the ordered weight
  int64_t real_, panel_;  // the bytes of an element, and of one pixel of a panel
  ConvolutionExtent rows_, columns_;
  int64_t panels_;  // the panels of a group
  int64_t links_ = 0, listed_ = 0;  // the links of a chain; the entries of Shared::links
  static constexpr size_t kMostCuts = 5;
  Cut cuts_[kMostCuts] = {};  // the first one has all taps
  size_t cut_count_ = 1;
  int64_t block_bytes_ = 0;  // one panel of Shared::ordered
  int64_t part_rows_ = 1, part_images_ = 1, part_channels_ = 1;  // the size of a task's slab: rows of outputs, images, input channels
  int64_t row_parts_ = 1, image_parts_ = 1, channel_parts_ = 1, panel_parts_ = 1;  // the number of tasks in each direction
  int64_t strip_rows_ = 1;  // the rows of outputs in a strip
  bool merges_rows_ = false;  // whether one kernel call may go on into the next row: the outputs of an image are contiguous in the slab
  int64_t plane_bytes_ = 0, slab_bytes_ = 0, strip_bytes_ = 0;
  int64_t tasks_ = 0, workers_ = 1;
  bool applies_ = false;
};

}  // namespace monograph
