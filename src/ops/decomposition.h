// How an operator is decomposed into core operators.
#pragma once

#include "ops/record.h"

namespace monograph {

enum class Decomposition : uint8_t {
  Core,    // it is not decomposed: its body is one instruction, or it computes by itself and its record states no decomposition
  Stated,  // by the rule that its record states
  Body,    // by its pointwise body: one operator for each instruction (autograd/body.h)
  Rows,    // by its row program, in the same way
  Blank,   // the record lacks a rule: an instruction of the body is no public operator, and the record does not say none("…")
};
Decomposition decomposition(const Operator& op);

}  // namespace monograph
