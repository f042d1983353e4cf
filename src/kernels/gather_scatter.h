// Reading and writing by index: gather, index_select, embedding, x[i, j], and what adds to chosen places.
//
// All of them walk over the sizes of one side (a result, or the values that are written) and find the other side's element, the table's, by an
// index. Reading moves bits: only the size of an element counts. Adding follows the ascending order of the walk: each element of the table has
// one chain of additions, whatever the threads, which share elements of the table among them (docs/numerics.md).
//
// Indices are int32 or int64, with any strides. One that is out of range is a bad value: `value` is the index, `limit` the size of the dim,
// `place` which of the indices it is. What is written in place is not touched then.
#pragma once

#include "kernels/call.h"

namespace monograph {

// gather(self, dim, index): result[.., i, ..] = self[.., index[.., i, ..], ..]. `dim` is not negative, here and below.
MONOGRAPH_KERNEL(gather);
// gather_backward(grad, sizes, dim, index): zeros with grad[.., i, ..] added at [.., index[.., i, ..], ..].
MONOGRAPH_KERNEL(gather_backward);

// scatter(self, dim, index, src): self with the elements of src written at [.., index[.., i, ..], ..]; the last of those that meet stays.
MONOGRAPH_KERNEL(scatter);
// scatter_add(self, dim, index, src): they are added.
MONOGRAPH_KERNEL(scatter_add);
// scatter_reduce(self, dim, index, src, reduce, include_self): they are joined by "sum", "prod", "mean", "amax" or "amin"; without include_self what
// stands in self at these places does not count. Means of integers are rounded down. The result does not share memory with the arguments.
MONOGRAPH_KERNEL(scatter_reduce);
// The bytes of scratch that a mean needs for a result of so many elements and dims.
constexpr int64_t scatter_mean_scratch(int64_t elements, int64_t dims) { return elements * 8 + (dims * 8 + 63) / 64 * 64; }

// index_select(self, dim, index): the slices at a vector of indices, or at one index.
MONOGRAPH_KERNEL(index_select);
// index_add(self, dim, index, source, alpha): self with the slices of source added, times alpha, which is 1 where it is left out. The result does not
// share self's memory.
MONOGRAPH_KERNEL(index_add);
// The bytes of scratch that it needs where alpha is not 1, besides those of source's elements.
constexpr int64_t index_add_strides(int64_t dim) { return (dim * 8 + 63) / 64 * 64; }

// embedding(weight, indices): rows of a matrix.
MONOGRAPH_KERNEL(embedding);
// embedding_dense_backward(grad_output, indices, num_weights, padding_idx): zeros with the rows of grad_output added, but for row padding_idx.
MONOGRAPH_KERNEL(embedding_dense_backward);

// index(self, indices): a list of index tensors, one a dim, without data where a dim is not indexed; none is a mask. Negative indices count
// from the end. They broadcast together; their dims stand where the first of them does, in front of all others if a dim lies between two of
// them. Of an index that is out of range, `place` is the dim that it indexes.
MONOGRAPH_KERNEL(index);
// index_put(self, indices, values, accumulate): writes into the result, which is self. `values` broadcast; they share no memory with self.
// Where several values go to one place, the last one stays.
MONOGRAPH_KERNEL(index_put);
// The bytes of scratch that the two need: for `count` positions that the indices broadcast to.
constexpr int64_t index_scratch(int64_t count) { return count * static_cast<int64_t>(sizeof(int64_t)); }

// one_hot(self, num_classes) of int64 without gaps: a class below 0 is a bad value, one that is num_classes or more a bad second.
MONOGRAPH_KERNEL(one_hot);

// masked_scatter(self, mask, source): self and mask broadcast to the sizes of the result; where the mask is true stand the elements of source, which has no
// gaps, in their order. Too few of them are a bad value. The result may be self.
MONOGRAPH_KERNEL(masked_scatter);

// The number of true elements of a mask, and their places: nonzero(self) of a bool tensor, one column a dim.
int64_t count_true(const KernelTensor& mask);
MONOGRAPH_KERNEL(nonzero);

}  // namespace monograph
