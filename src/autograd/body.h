// Runs a body with public operators, so that it can be differentiated, captured, decomposed and exported: the body of a pointwise operator, its slope,
// or a row program. Results have the bits of the generated kernel: each instruction is one operator that rounds in the same way.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/ivalue.h"
#include "kernels/body.h"

namespace monograph {

// What a row program's reductions run over, and the number of elements there, where some instruction asks for it.
struct RowSpan {
  Dims dims;
  std::optional<int64_t> count;
  bool keepdim = true;  // of results with one value a row
};

// The results of a body, unexpanded, over these arguments: tensors of any dtype, numbers, and what a capture has in their place. Conversions
// to the dtype that the body was recorded for are part of it. A result that depends on no tensor is a number. With `complex`, floats of the body stand for
// complex numbers of such parts: sums, products and elementary functions mean the complex ones.
std::vector<IValue> interpret_body(const Body& body, std::span<const IValue> args, const RowSpan* rows = nullptr, bool complex = false);

}  // namespace monograph
