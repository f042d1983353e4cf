// Operators by the names that torch.ops gives them.
#pragma once

#include <string_view>

#include "ops/record.h"

namespace monograph {

// The set that holds only this overload, as torch.ops.aten.add.Tensor calls it.
const OverloadSet& single_overload(const Operator& op);
// The overloads that a name of torch.ops means: "aten.add" means all overloads, "aten.add.Tensor" and "aten.relu.default" mean one. Null for an unknown name.
const OverloadSet* find_in_torch_ops(std::string_view name);

}  // namespace monograph
