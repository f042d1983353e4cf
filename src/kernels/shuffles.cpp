// Source and result are seen with the same dims, in which each element has the same place: a channel dim is split into the channels of the other side and the
// places in a square, and a row into squares and places in them. What remains is a copy between two orders in memory.
#include "kernels/shuffles.h"

#include "kernels/elements.h"

namespace monograph {
namespace {

// A tensor seen with other dims.
struct Seen {
  explicit Seen(const KernelTensor& t) : tensor(t) {}
  void add(int64_t size, int64_t stride) { sizes[dim] = size, strides[dim++] = stride; }
  void add_dims(int32_t begin, int32_t end) {
    for (int32_t d = begin; d < end; ++d) add(tensor.sizes[d], tensor.strides[d]);
  }
  KernelTensor as_tensor() const { return {tensor.data, sizes, strides, dim, tensor.dtype}; }
  const KernelTensor& tensor;
  int64_t sizes[kMaxDims], strides[kMaxDims];
  int32_t dim = 0;
};

// The dims (..., channels, rows, place in the square, columns, place in the square), of the side where squares are spread over channels (`deep`), or of the
// side where they are pixels.
Seen in_squares(const KernelTensor& t, int64_t factor, bool deep) {
  Seen seen(t);
  const int32_t lead = t.dim - 3;
  const int64_t channels = t.sizes[lead], rows = t.sizes[lead + 1], columns = t.sizes[lead + 2];
  const int64_t channel = t.strides[lead], row = t.strides[lead + 1], column = t.strides[lead + 2];
  seen.add_dims(0, lead);
  if (deep) {
    seen.add(channels / (factor * factor), channel * factor * factor);
    seen.add(rows, row), seen.add(factor, channel * factor);
    seen.add(columns, column), seen.add(factor, channel);
  } else {
    seen.add(channels, channel);
    seen.add(rows / factor, row * factor), seen.add(factor, row);
    seen.add(columns / factor, column * factor), seen.add(factor, column);
  }
  return seen;
}

KernelStatus shuffle_pixels(const KernelCall& call, bool from_deep) {
  const int64_t factor = call.args[1].integer;
  const Seen from = in_squares(call.args[0].tensor, factor, from_deep), to = in_squares(call.results[0], factor, !from_deep);
  copy_elements(to.as_tensor(), from.as_tensor());
  return KernelStatus::Ok;
}

}  // namespace

KernelStatus pixel_shuffle_kernel(KernelCall& call) { return shuffle_pixels(call, true); }
KernelStatus pixel_unshuffle_kernel(KernelCall& call) { return shuffle_pixels(call, false); }

KernelStatus channel_shuffle_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const int64_t groups = call.args[1].integer, each = self.sizes[1] / groups;
  Seen from(self), to(out);
  from.add(self.sizes[0], self.strides[0]), to.add(self.sizes[0], out.strides[0]);
  from.add(each, self.strides[1]), to.add(each, out.strides[1] * groups);
  from.add(groups, self.strides[1] * each), to.add(groups, out.strides[1]);
  from.add_dims(2, self.dim), to.add_dims(2, self.dim);
  copy_elements(to.as_tensor(), from.as_tensor());
  return KernelStatus::Ok;
}

}  // namespace monograph
