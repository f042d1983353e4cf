// Operators that count or compare neighbours, computed directly on elements outside of graphs, where a decomposition makes several passes.
#pragma once

#include "ops/record.h"

namespace monograph {

// A vector of zeros, to count in.
Tensor zero_bins(int64_t count, DType t);
// The results of unique for elements of which equal ones stand side by side. `row`: the elements, contiguous. `order`: the index of each in x, or null where
// they stand as in x.
IValue distinct_elements(const Tensor& x, const Tensor& row, const Tensor* order, bool inverse, bool counts);
// repeat_interleave.Tensor for a contiguous vector. `total`: the length of the result, or None.
IValue repeated_numbers(const Tensor& repeats, const IValue& total);
// bincount of a contiguous int64 vector without negative elements. `weights` is None, or contiguous and float32 or float64.
Tensor counts_of(const Tensor& x, const IValue& weights, int64_t bins);

}  // namespace monograph
