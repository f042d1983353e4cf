// Depthwise convolutions, in which every output channel reads one input channel. A vector holds one pixel of several channels, so that small images
// waste no lanes. The bits and the terms are those of kernels/convolution.h.
//
// How it works. A task takes as many channels of an image as a vector has lanes. It copies them into a slab (row, column, channel), with zeros around the
// image. A generated kernel computes all taps for a few outputs of a row at once; for the gradient by the weight, all outputs for a few taps. The results
// are transposed back to (channel, row, column).
#pragma once

#include "kernels/convolution.h"
#include "kernels/round.h"

namespace monograph {

class DepthwisePlan {
 public:
  enum class Result : uint8_t { Image, Weight };  // what is computed: a convolution, or its gradient by the weight

  DepthwisePlan(const Convolution& c, Result result);
  // Whether there are kernels for this convolution, and they are expected to be faster than the others.
  bool applies() const { return applies_; }
  int64_t scratch_bytes() const { return shared_bytes() + workers_ * worker_bytes(); }
  void run(char* scratch) const;

 private:
  // Memory of one worker.
  struct WorkerMemory {
    char *slab, *plane, *weights;
  };
  // The channels of one task.
  struct Channels {
    int64_t first, count;
  };
  void work(int64_t begin, int64_t end, const int32_t* offsets, char* own) const;
  void convolve_block(Channels channels, int64_t image, const int32_t* offsets, const WorkerMemory& memory) const;
  void add_gradients(Channels channels, int64_t image, const int32_t* offsets, const WorkerMemory& memory) const;
  void fill(const WorkerMemory& memory, int64_t image, Channels channels) const;
  void load_weights(char* to, Channels channels) const;
  void store_weights(const char* from, Channels channels) const;
  void write_offsets(int32_t* offsets) const;

  int64_t taps() const { return c_.rows.taps * c_.columns.taps; }
  int64_t places() const { return c_.rows.out * c_.columns.out; }  // pixels of an output channel
  int64_t slab_bytes() const { return rows_.places * columns_.places * vector_; }
  int64_t plane_bytes() const;  // holds the outputs; before that, fill() uses it for the image
  int64_t weights_bytes() const { return (taps() + 1) * vector_; }  // the weights and the bias
  int64_t worker_bytes() const { return slab_bytes() + plane_bytes() + weights_bytes(); }
  int64_t shared_bytes() const { return round_up((result_ == Result::Image ? taps() : places()) * 4, 64); }

  const Convolution& c_;
  const ConvolutionKernels& kernels_;
  Result result_;
  int64_t real_, vector_;  // the bytes of an element, and of a vector
  ConvolutionExtent rows_, columns_;
  int64_t blocks_ = 0, workers_ = 1;  // blocks_: the blocks of channels of one image
  bool applies_ = false;
};

}  // namespace monograph
