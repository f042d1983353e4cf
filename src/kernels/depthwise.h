// Convolutions in which every output channel sees one input channel: a vector holds one place of several channels, so that small images waste no
// lanes. Each output is the same chain as everywhere (kernels/convolution.h).
//
// How. A task takes as many channels of an image as a vector has lanes and copies them side by side, zeros around the image, into a slab: (row,
// column, channel). A generated kernel runs down the taps for a few outputs of a row at once; for the gradient by the weight it runs down the
// outputs for a few taps. The results go back to their planes.
#pragma once

#include "kernels/convolution.h"

namespace monograph {

class DepthwisePlan {
 public:
  enum class Result : uint8_t { Image, Weight };  // what is computed: a convolution, or its gradient by the weight

  DepthwisePlan(const Convolution& c, Result result);
  // Whether this is the faster way, and there are kernels for it.
  bool applies() const { return applies_; }
  int64_t scratch_bytes() const { return shared_bytes() + workers_ * worker_bytes(); }
  void run(char* scratch) const;

 private:
  // Of one axis, the places that some tap of some output reads: `places` from `begin` on.
  struct Extent {
    explicit Extent(const ConvolutionAxis& a);
    int64_t begin, places;
  };
  // A worker's own memory.
  struct Room {
    char *slab, *plane, *weights;
  };
  // The channels of one task.
  struct Channels {
    int64_t first, count;
  };
  void work(int64_t begin, int64_t end, const int32_t* offsets, char* own) const;
  void convolve_block(Channels channels, int64_t image, const int32_t* offsets, const Room& room) const;
  void add_gradients(Channels channels, int64_t image, const int32_t* offsets, const Room& room) const;
  void fill(const Room& room, int64_t image, Channels channels) const;
  void take_weights(char* to, Channels channels) const;
  void put_weights(const char* from, Channels channels) const;
  void note_offsets(int32_t* offsets) const;

  int64_t taps() const { return c_.rows.taps * c_.columns.taps; }
  int64_t places() const { return c_.rows.out * c_.columns.out; }  // of the outputs
  int64_t slab_bytes() const { return rows_.places * columns_.places * vector_; }
  int64_t plane_bytes() const;  // of the outputs; the image passes through before
  int64_t weights_bytes() const { return (taps() + 1) * vector_; }  // and the bias
  int64_t worker_bytes() const { return slab_bytes() + plane_bytes() + weights_bytes(); }
  int64_t shared_bytes() const { return ((result_ == Result::Image ? taps() : places()) * 4 + 63) / 64 * 64; }

  const Convolution& c_;
  const ConvolutionKernels& kernels_;
  Result result_;
  int64_t real_, vector_;  // bytes of an element, and of a vector
  Extent rows_, columns_;
  int64_t blocks_ = 0, workers_ = 1;  // blocks of channels of one image
  bool applies_ = false;
};

}  // namespace monograph
