// jit.freeze: a graph that holds what it read in its modules.
#pragma once

#include <memory>

#include "ir/unit.h"

namespace monograph::exec {

// A copy of the graph in which each get_attr is a constant. Tensors are copied. Error (Runtime or NotImplemented) where the graph assigns attributes or
// reads what is no constant.
std::unique_ptr<ir::Graph> frozen(const ir::Graph& graph, const ir::Unit& unit);

}  // namespace monograph::exec
