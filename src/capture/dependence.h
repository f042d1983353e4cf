// What a value of a capture depends on. A program that keeps a value for its next call (`if self.cache is None: self.cache = x * 2`) finds that of its first
// call there, but a file computes it at each call.
#pragma once

#include <cstdint>

#include "ir/graph.h"

namespace monograph::capture {

enum class Dependence : uint8_t {
  Nothing,  // on constants, and on parameters and buffers that the graph does not write to
  Sizes,  // on sizes of the inputs too
  Values,  // on elements of the inputs, random numbers, or tensors that the graph writes to
};

// Writes into memory that the value may share count for it.
Dependence dependence_of(const ir::Node* value);

}  // namespace monograph::capture
