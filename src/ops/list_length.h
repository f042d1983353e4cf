// How many elements a list has that an operator gives, where that is not known from the types of its arguments.
#pragma once

#include <optional>

#include "ops/infer.h"

namespace monograph {

// What the call asks for, whatever the sizes are: 3 of chunk(x, 3), though a small x has fewer pieces. Absent where sizes alone decide it: split(x, 3).
std::optional<int64_t> asked_length(const Operator& op, const ir::Node& node);

}  // namespace monograph
