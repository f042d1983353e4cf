// Sums, means and largest elements of bags of rows: torch.nn.functional.embedding_bag.
#pragma once

#include "kernels/call.h"

namespace monograph {

enum BagMode : int64_t { kBagSum, kBagMean, kBagMax };

// Args weight [rows, n], indices, offsets, scale_grad_by_freq, mode (a BagMode), sparse, per_sample_weights or None, include_last_offset,
// padding_idx or None, which counts from the end below 0. Results: a row for each bag; the bag of each index; how many indices each bag counts; for the mode max which row gave each
// element, -1 in an empty bag, else nothing. Rows are added in the order of the indices, in float32 for 16 bits. An index out of range is a bad value;
// offsets that do not begin at 0 are a bad second, offsets beyond the indices a bad third.
MONOGRAPH_KERNEL(embedding_bag);

}  // namespace monograph
