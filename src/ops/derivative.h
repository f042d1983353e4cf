// Derivatives of recorded bodies by the chain rule, forward from one value. Elementary functions bring their own slopes.
#pragma once

#include "ops/elementary/elementary.h"

namespace monograph {

// d result / d x, where `value` stands for the result's value: what a backward pass has saved. Recorded into the current Recorder, where both were recorded. Selects take the chosen side's derivative; comparisons and
// integers have none. Whether the outcome may stand at the edges (overflow, ties) is decided by tests, not here.
Num derivative(Num result, Num x, Num value);

}  // namespace monograph
