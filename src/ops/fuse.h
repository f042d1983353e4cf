// Fusion: bodies one after another are a body. What a kernel of several operators is made from.
#pragma once

#include <span>
#include <vector>

#include "ops/num.h"

namespace monograph {

// Records the instructions of an unexpanded body into the current Recorder with these values, of the dtypes that its arguments have in memory,
// in the place of its arguments; answers its results as they would lie in memory. Rounding to float16 and bfloat16 between operators stays, so the
// fused kernel has the bits of the operators one by one.
//
//   Recorder r;
//   Num x = convert(r.arg(t), t);
//   Num h = replay(silu.pointwise->record(t), {{x}})[0];
//   r.out(replay(record_rows(*softmax.rows, t, t, 1), {{h}})[0], t);
std::vector<Num> replay(const Body& body, std::span<const Num> args);

}  // namespace monograph
