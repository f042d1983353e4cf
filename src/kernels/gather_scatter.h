// Reads, writes and adds elements by index: gather, scatter_add, index_select, embedding, x[i, j].
//
// Each kernel iterates over one tensor (the result, or the values that are written) and finds the element of the other tensor, called the table, by
// an index. Reads move bits; only the element's size matters. Additions to one element of the table happen in the order of the iteration. Threads
// share the elements of the table among them, so the number of threads does not change that order (docs/numerics.md).
//
// Indices are int32 or int64, with any strides. An index out of range is a BadValue: `value` is the index, `limit` the size of the dim, `place` the
// position of the index. A kernel that writes in place checks all indices first.
#pragma once

#include "kernels/call.h"
#include "kernels/round.h"

namespace monograph {

// `dim` is not negative in any of these.
// gather(self, dim, index): result[.., i, ..] = self[.., index[.., i, ..], ..].
MONOGRAPH_KERNEL(gather);
// gather_backward(grad, sizes, dim, index): zeros of `sizes`; grad[.., i, ..] is added at [.., index[.., i, ..], ..].
MONOGRAPH_KERNEL(gather_backward);

// scatter(self, dim, index, src): a copy of self; src[.., i, ..] is written at [.., index[.., i, ..], ..]. For equal indices the last value stays.
MONOGRAPH_KERNEL(scatter);
// scatter_add(self, dim, index, src): as scatter, but the elements of src are added.
MONOGRAPH_KERNEL(scatter_add);
// scatter_reduce(self, dim, index, src, reduce, include_self): as scatter, but the elements of src are reduced by "sum", "prod", "mean", "amax" or
// "amin". Without include_self, the elements of self at these indices are ignored. Means of integers are rounded down. The result does not share
// memory with the arguments.
MONOGRAPH_KERNEL(scatter_reduce);
// The bytes of scratch memory that "mean" needs. `elements`, `dims`: those of the result.
constexpr int64_t scatter_mean_scratch(int64_t elements, int64_t dims) { return elements * 8 + round_up(dims * 8, 64); }

// index_select(self, dim, index): the slices at a vector of indices, or at one index.
MONOGRAPH_KERNEL(index_select);
// index_add(self, dim, index, source, alpha = 1): a copy of self, to which alpha times the slices of source are added. The result does not share
// self's memory.
MONOGRAPH_KERNEL(index_add);
// The bytes of scratch memory that index_add needs if alpha is not 1, besides a copy of source.
constexpr int64_t index_add_strides(int64_t dim) { return round_up(dim * 8, 64); }

// embedding(weight, indices): rows of a matrix.
MONOGRAPH_KERNEL(embedding);
// embedding_dense_backward(grad_output, indices, num_weights, padding_idx): zeros, to which the rows of grad_output are added, except those of
// padding_idx.
MONOGRAPH_KERNEL(embedding_dense_backward);

// index(self, indices): one index tensor for each dim; the tensor of a dim that is not indexed has no data. No index tensor is a mask. Negative
// indices count from the end. Index tensors broadcast together. Their dims replace the first indexed dim, or come first if a dim that is not indexed
// lies between two indexed ones. If an index is out of range, `place` is the dim that it indexes.
MONOGRAPH_KERNEL(index);
// index_put(self, indices, values, accumulate): writes into the result, which is self. `values` broadcast and share no memory with self. Without
// accumulate, the last of several values for one element stays.
MONOGRAPH_KERNEL(index_put);
// The bytes of scratch memory that index and index_put need. `count`: the number of elements of the broadcast index tensors.
constexpr int64_t index_scratch(int64_t count) { return count * static_cast<int64_t>(sizeof(int64_t)); }

// one_hot(self, num_classes): self is int64 and contiguous. BadValue: a class is below 0. BadSecond: a class is num_classes or more.
MONOGRAPH_KERNEL(one_hot);

// masked_scatter(self, mask, source): self and mask broadcast to the sizes of the result. The elements for which the mask is true are taken from
// source, which is contiguous, in order. BadValue: source has too few elements. The result may be self.
MONOGRAPH_KERNEL(masked_scatter);

// The number of true elements of a mask.
int64_t count_true(const KernelTensor& mask);
// nonzero(self) of a bool tensor: the indices of its true elements, one row for each element and one column for each dim.
MONOGRAPH_KERNEL(nonzero);

}  // namespace monograph
