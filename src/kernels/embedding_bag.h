// Rows of an embedding: torch.nn.functional.embedding_bag, the sum, mean or maximum of each bag (group) of rows; and rows of a limited norm.
#pragma once

#include "kernels/call.h"

namespace monograph {

enum BagMode : int64_t { kBagSum, kBagMean, kBagMax };

// (weight [rows, n], indices, offsets, scale_grad_by_freq, mode (a BagMode), sparse, per_sample_weights or None, include_last_offset,
// padding_idx or None) -> (output, offset2bag, bag_size, max_indices). A negative padding_idx counts from the end.
//   output      [bags, n]: rows are added in the order of the indices; float16 and bfloat16 are added in float32
//   offset2bag  the bag of each index
//   bag_size    the number of indices that each bag counts
//   max_indices mode max: the row that each element comes from, -1 in an empty bag. Other modes do not fill it
// BadValue: an index is out of range. BadSecond: the first offset is not 0. BadThird: an offset is larger than the number of indices.
MONOGRAPH_KERNEL(embedding_bag);

// embedding_renorm(self, indices, max_norm, norm_type): a copy of the contiguous matrix self, of float32 or float64, whose rows at `indices` are scaled down to a
// norm of at most max_norm, each once. indices are contiguous and of int64; norm_type is 1 or 2. Scratch memory: one byte for each row. BadValue: an index is
// out of range.
MONOGRAPH_KERNEL(embedding_renorm);

}  // namespace monograph
