// Derivatives of recorded bodies, in forward mode: from the input value on, by the chain rule. The table of elementary functions states their slopes.
#pragma once

#include "ops/elementary/elementary.h"

namespace monograph {

// Records d result / d x into the current Recorder, in which `result` and `x` were recorded. `value` stands for the result in the formulas: it is what the
// forward pass saved. The derivative of a select is that of the chosen side; comparisons and integers have none. Tests decide whether the outcome is right at
// the edges (overflow, ties); this function does not.
Num derivative(Num result, Num x, Num value);

}  // namespace monograph
