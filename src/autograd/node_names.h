// The names of the steps of backward: what grad_fn.name() says.
#pragma once

#include <span>
#include <string>

#include "ops/record.h"

namespace monograph {

// The name that PyTorch gives the node of this call's result, as "SumBackward1" of sum.dim_IntList. It may depend on the arguments: linear of a matrix is
// "AddmmBackward0". Null where no line of node_names.inc has these arguments, and of operators that PyTorch lacks.
const char* pytorchs_node_name(const Operator& op, std::span<const IValue> args);
// The same, and elsewhere the operator's own name: "max_pool2d" gives "MaxPool2DBackward0".
std::string node_name(const Operator& op, std::span<const IValue> args);

}  // namespace monograph
