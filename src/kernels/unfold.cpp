// Both directions iterate over the same pairs of a pixel and an element of a column.
#include "kernels/unfold.h"

#include <complex>
#include <type_traits>

#include "core/threads/pool.h"

namespace monograph {

namespace {

// An image or columns: `dims` dims after the batch dim; without a batch dim, the batch has one item.
struct ImagesOrColumns {
  int64_t count, stride;
  const int64_t *sizes, *strides;  // those of the dims after the batch
  ImagesOrColumns(const KernelTensor& t, int32_t dims) {
    const bool batched = t.dim == dims;
    count = batched ? t.sizes[0] : 1, stride = batched ? t.strides[0] : 0;
    sizes = t.sizes + batched, strides = t.strides + batched;
  }
};

// The image, the windows and their arguments for both axes.
struct Windows {
  int64_t size[2], out[2], kernel[2], dilation[2], padding[2], stride[2];
  Windows(const KernelTensor& image, const KernelArg* at) {
    auto entry = [](const KernelArg& list, size_t k) { return list.ints.values[list.ints.count == 1 ? 0 : k]; };
    for (size_t k = 0; k < 2; ++k) {
      size[k] = image.sizes[image.dim - 2 + k];
      kernel[k] = entry(at[0], k), dilation[k] = entry(at[1], k), padding[k] = entry(at[2], k), stride[k] = entry(at[3], k);
      out[k] = (size[k] + 2 * padding[k] - dilation[k] * (kernel[k] - 1) - 1) / stride[k] + 1;
    }
  }
  int64_t cells() const { return kernel[0] * kernel[1]; }
};

// Calls f(pixel, element) for the rows of columns of one channel of one image, in their order; pixel is null in the padding.
template <class T, class F>
void for_elements(const KernelTensor& image, const KernelTensor& columns, const Windows& w, int64_t n, int64_t channel, F&& f) {
  const ImagesOrColumns images(image, 4), rows(columns, 3);
  T* plane = image.as<T>() + n * images.stride + channel * images.strides[0];
  for (int64_t cell = 0; cell < w.cells(); ++cell) {
    T* element = columns.as<T>() + n * rows.stride + (channel * w.cells() + cell) * rows.strides[0];
    for (int64_t y = 0; y < w.out[0]; ++y)
      for (int64_t x = 0; x < w.out[1]; ++x, element += rows.strides[1]) {
        const int64_t row = y * w.stride[0] - w.padding[0] + cell / w.kernel[1] * w.dilation[0];
        const int64_t column = x * w.stride[1] - w.padding[1] + cell % w.kernel[1] * w.dilation[1];
        const bool inside = row >= 0 && row < w.size[0] && column >= 0 && column < w.size[1];
        f(inside ? plane + row * images.strides[1] + column * images.strides[2] : nullptr, element);
      }
  }
}

template <class F>
void for_channels(const KernelTensor& image, F&& f) {
  const ImagesOrColumns images(image, 4);
  const int64_t channels = images.sizes[0];
  parallel_for(0, images.count * channels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) f(at / channels, at % channels);
  });
}

template <class T>
T sum_of(T a, T b) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) return T(static_cast<float>(a) + static_cast<float>(b));
  else return static_cast<T>(a + b);
}

}  // namespace

KernelStatus unfold_kernel(KernelCall& call) {
  const KernelTensor &image = call.args[0].tensor, &columns = call.results[0];
  const Windows w(image, call.args + 1);
  dispatch(image.dtype, [&](auto zero) {
    using T = decltype(zero);
    for_channels(image, [&](int64_t n, int64_t channel) {
      for_elements<T>(image, columns, w, n, channel, [](const T* pixel, T* element) { *element = pixel ? *pixel : T{}; });
    });
  });
  return KernelStatus::Ok;
}

KernelStatus fold_kernel(KernelCall& call) {
  const KernelTensor &columns = call.args[0].tensor, &image = call.results[0];
  const Windows w(image, call.args + 2);
  const ImagesOrColumns images(image, 4);
  dispatch(image.dtype, [&](auto zero) {
    using T = decltype(zero);
    for_channels(image, [&](int64_t n, int64_t channel) {
      T* plane = image.as<T>() + n * images.stride + channel * images.strides[0];
      for (int64_t y = 0; y < w.size[0]; ++y)
        for (int64_t x = 0; x < w.size[1]; ++x) plane[y * images.strides[1] + x * images.strides[2]] = T{};
      for_elements<T>(image, columns, w, n, channel, [](T* pixel, const T* element) {
        if (pixel) *pixel = sum_of(*pixel, *element);
      });
    });
  });
  return KernelStatus::Ok;
}

}  // namespace monograph
