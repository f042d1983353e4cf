// Operators by the names that torch.ops gives them.
#pragma once

#include <string_view>

#include "ops/record.h"

namespace monograph {

// The set that holds this overload alone: what torch.ops.aten.add.Tensor calls.
const OverloadSet& alone(const Operator& op);
// What "aten.add", "aten.add.Tensor" and "aten.relu.default" name: an operator, or one overload of it; null where there is none.
const OverloadSet* find_in_torch_ops(std::string_view name);

}  // namespace monograph
