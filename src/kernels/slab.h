// What depthwise.cpp and channel_blocks.cpp share: copies between tensors and slabs, which hold the pixels in another order, and a bias that adds nothing.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/elements.h"

namespace monograph {

inline char* writable(const void* data) { return const_cast<char*>(static_cast<const char*>(data)); }

// A number for each dim: channels, images, rows, columns.
using BlockDims = std::array<int64_t, 4>;

// Copies a block of this many elements in each dim. The strides count elements.
inline void copy_block(DType type, const BlockDims& sizes, char* to, const BlockDims& to_strides, const void* from,
                       const BlockDims& from_strides) {
  constexpr auto kDims = static_cast<int32_t>(std::tuple_size_v<BlockDims>);
  copy_elements({to, sizes.data(), to_strides.data(), kDims, type}, {writable(from), sizes.data(), from_strides.data(), kDims, type});
}

// Fills a bias with -0: x + -0 is x for every x, but -0 + +0 is +0.
inline void fill_no_bias(char* to, int64_t lanes, DType type) {
  for (int64_t k = 0; k < lanes; ++k)
    if (type == DType::f64) reinterpret_cast<double*>(to)[k] = -0.0;
    else reinterpret_cast<float*>(to)[k] = -0.0F;
}

}  // namespace monograph
