// Convolutions of many output channels, and their gradients by the weight: a vector holds one place of several output channels, so that no lane
// works for the border of a row. Each output is the same chain as everywhere (kernels/convolution.h).
//
// How. A panel is as many output channels as a kernel takes. Of a convolution, the weights are put in order first: by panel, link, channel. A task
// copies a part of the image, zeros around it, into a slab. For each panel, a generated kernel runs down the links for up to 14 places of a row; what it
// leaves, (place, channel), is transposed into the result.
//
// A row of outputs at the border of the image sees rows of zeros. With weights that are in order, and all finite, the links of these rows are left
// out: a zero times a finite weight adds nothing. It does make +0 of a sum that is -0, which a product too small for the dtype leaves; so a row
// in which a result is -0 is computed again with all links.
//
// The gradient by the weight is the same with other links: the outputs of all images in their order. The gradient by the outputs is put in order, by
// panel, output, channel. A task has some input channels, and a kernel's places are these: for each panel and tap it runs down the outputs of a few rows.
#pragma once

#include "kernels/convolution.h"

namespace monograph {

class ChannelPlan {
 public:
  enum class Result : uint8_t { Image, Weight };  // what is computed: a convolution, or its gradient by the weight

  // `ordered`: the weight is in the kernels' order already (Convolution::ordered), or will be; of a convolution alone.
  ChannelPlan(const Convolution& c, Result result, bool ordered = false);
  // Whether this is the faster way, and there are kernels for it.
  bool applies() const { return applies_; }
  int64_t scratch_bytes() const { return shared_bytes() + workers_ * worker_bytes(); }
  void run(char* scratch) const;
  // The weight in the kernels' order, at an address divisible by 64.
  int64_t ordered_bytes() const { return c_.groups * panels_ * (result_ == Result::Image ? 1 : c_.batch) * block_bytes_; }
  void order_weight(char* to) const;

 private:
  // Of one axis, the places that some tap of some output reads: `places` from `begin` on.
  struct Extent {
    explicit Extent(const ConvolutionAxis& a);
    int64_t of(int64_t outputs) const { return (outputs - 1) * stride + reach + 1; }  // that outputs side by side read
    int64_t begin, reach, stride, places;
  };
  // What all workers read.
  struct Shared {
    const ChannelLink* links;  // of a call; of a convolution, the lists of all cuts
    const char* none;  // a panel of -0, which adds nothing
    const char* ordered;  // the weights, or the gradient by the outputs
    bool cuts;  // whether links of the padding may be left out
  };
  // A worker's own memory. `filled` is the part of the image that the slab holds; `top` the first row of it.
  struct Room {
    char *slab, *strip, *bias;
    int64_t filled, top;
  };
  // A part of the image: rows of the outputs of some images and input channels of a group.
  struct Part {
    int64_t group, channel, channels, image, images, row, height;
  };
  // Rows of taps [first, last), which are those of a row of outputs that see the image. `begin` is the first of its links in the list.
  struct Cut {
    int64_t first, last, begin;
  };
  // Rows of the strip that are computed alike: `count` of them, side by side in the slab, with the links of some input channels.
  struct Rows {
    int64_t row, count, channel, channels;
  };

  void plan_image();
  void plan_weight();
  void order(char* to, int64_t begin, int64_t end) const;
  void note_links(ChannelLink* links) const;
  Cut cut_of(int64_t output_row) const;
  void plan_cuts();
  const Cut& cut_for(const Part& part, int64_t row, const Shared& shared) const;
  void fill(Room& room, const Part& part) const;
  void convolve_task(int64_t task, const Shared& shared, Room& room) const;
  void convolve_panel(const Part& part, int64_t panel, const Shared& shared, const Room& room) const;
  void convolve_rows(const Part& part, const Rows& rows, const Cut& cut, const char* weights, const char* bias, const Shared& shared,
                     const Room& room, char* to) const;
  void put(const Part& part, int64_t panel, int64_t row, int64_t rows, const Room& room) const;
  void gradient_task(int64_t task, const Shared& shared, Room& room) const;
  void put_gradient(const Part& part, int64_t first, int64_t panels, const Room& room) const;

  int64_t taps() const { return c_.rows.taps * c_.columns.taps; }
  int64_t channels_of(int64_t panel) const;
  int64_t row_bytes() const { return columns_.places * real_; }  // of a slab
  int64_t image_bytes() const { return rows_.of(part_rows_) * row_bytes(); }  // of a slab: one channel of one image
  int64_t links_bytes() const { return (listed_ * static_cast<int64_t>(sizeof(ChannelLink)) + 63) / 64 * 64; }
  int64_t shared_bytes() const { return links_bytes() + panel_ + (ordered_ ? 0 : ordered_bytes()); }
  int64_t worker_bytes() const { return slab_bytes_ + strip_bytes_ + panel_; }

  const Convolution& c_;
  const ConvolutionKernels& kernels_;
  Result result_;
  bool ordered_;  // whether somebody else keeps the weights in order
  int64_t real_, panel_;  // bytes of an element, and of one place of a panel
  Extent rows_, columns_;
  int64_t panels_;  // of a group
  int64_t links_ = 0, listed_ = 0;  // of a chain; of the lists
  static constexpr size_t kMostCuts = 5;
  Cut cuts_[kMostCuts] = {};  // the first one has all taps
  size_t cut_count_ = 1;
  int64_t block_bytes_ = 0;  // of what is ordered, for one panel
  int64_t part_rows_ = 1, part_images_ = 1, part_channels_ = 1;  // of a task's slab
  int64_t row_parts_ = 1, image_parts_ = 1, channel_parts_ = 1, panel_parts_ = 1;  // what tasks share
  int64_t strip_rows_ = 1;  // rows of outputs that are computed before they are put
  bool merges_rows_ = false;  // whether the slab has all outputs of an image side by side
  int64_t plane_bytes_ = 0, slab_bytes_ = 0, strip_bytes_ = 0;
  int64_t tasks_ = 0, workers_ = 1;
  bool applies_ = false;
};

}  // namespace monograph
