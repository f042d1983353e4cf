// The effects of one call, where its arguments tell more than the record of its operator.
#pragma once

#include "ir/graph.h"

namespace monograph::passes {

// own_effects(n), but for an operator with an argument `training` that is False: in evaluation, layers write no running statistics.
ir::Effects call_effects(const ir::Node& n);

}  // namespace monograph::passes
