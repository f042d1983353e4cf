// The length of a list that an operator returns, if the types of the arguments do not tell it.
#pragma once

#include <optional>

#include "ops/infer.h"

namespace monograph {

// The length that the call asks for, whatever the sizes are: 3 for chunk(x, 3), though a small x has fewer pieces. Absent if the sizes decide it, as in
// split(x, 3).
std::optional<int64_t> requested_length(const Operator& op, const ir::Node& node);

}  // namespace monograph
