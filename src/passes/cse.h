// Common subexpression elimination: calls that compute the same value are replaced by the first of them.
#pragma once

#include <functional>

#include "ir/graph.h"

namespace monograph::passes {

// Keeps the first of several calls of one operator with the same arguments, and of several get_attr nodes with one path. Users of the others use the
// first. A node inside a block may be replaced by one outside of it. Guards move with the values.
//
// A call stays if it writes, draws random numbers, runs foreign code or has the purpose of raising; if its result shares memory that is written; and if
// there is a write between it and the first one. `stays` answers true for other calls to keep. Linear time. Returns the number of nodes removed.
size_t eliminate_common_subexpressions(ir::Graph& graph, const std::function<bool(const ir::Node&)>& stays = {});

}  // namespace monograph::passes
