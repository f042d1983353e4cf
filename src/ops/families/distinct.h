// unique, computed directly on elements outside of graphs, where its decomposition makes several passes.
#pragma once

#include "ops/record.h"

namespace monograph {

// The results of unique for elements of which equal ones stand side by side. `row`: the elements, contiguous. `order`: the index of each in x, or null where
// they stand as in x.
IValue distinct_elements(const Tensor& x, const Tensor& row, const Tensor* order, bool inverse, bool counts);

}  // namespace monograph
