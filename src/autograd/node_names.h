// The names of the steps of backward: what grad_fn.name() says.
#pragma once

#include <string>

#include "ops/record.h"

namespace monograph {

// The name that PyTorch gives the node of this operator's result, as "SumBackward1" of sum.dim_IntList; null where it depends on the arguments, and of
// operators that PyTorch lacks.
const char* pytorchs_node_name(const Operator& op);
// The same, and elsewhere the operator's own name: "max_pool2d" gives "MaxPool2DBackward0".
std::string node_name(const Operator& op);

}  // namespace monograph
