// Fusion: the bodies of several operators are recorded one after another into one body, from which a single kernel is made.
#pragma once

#include <span>
#include <vector>

#include "ops/num.h"

namespace monograph {

// Records the instructions of an unexpanded body into the current Recorder. `args` replace the body's arguments; they have the dtypes that these have in
// memory. Returns the results, in the dtypes that they have in memory. Rounding to float16 and bfloat16 between operators is kept, so the fused kernel gives
// the same bits as the single operators.
//
//   Recorder r;
//   Num x = convert(r.arg(t), t);
//   Num h = replay(silu.pointwise->record(t), {{x}})[0];
//   r.out(replay(record_rows(*softmax.rows, t, t, 1), {{h}})[0], t);
std::vector<Num> replay(const Body& body, std::span<const Num> args);

}  // namespace monograph
