// The effects of one call. Its arguments may tell more than the record of its operator.
#pragma once

#include "ir/graph.h"

namespace monograph::passes {

// own_effects(n). An operator with `training=False` writes no memory: in evaluation, layers do not update their running statistics.
ir::Effects call_effects(const ir::Node& n);

}  // namespace monograph::passes
