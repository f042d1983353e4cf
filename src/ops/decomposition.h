// How an operator is decomposed into core operators.
#pragma once

#include "ops/record.h"

namespace monograph {

enum class Decomposition : uint8_t {
  Core,    // nothing: its body is one instruction, or it has an evaluation and says no more
  Stated,  // the record's own rule
  Body,    // its pointwise body, one operator an instruction (autograd/body.h)
  Rows,    // its row program likewise
  Blank,   // none of these: the body has an instruction that is no public operator, and the record does not say none(…)
};
Decomposition decomposition(const Operator& op);

}  // namespace monograph
