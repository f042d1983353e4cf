// Common subexpressions: what a graph computes several times is computed once.
#pragma once

#include <functional>

#include "ir/graph.h"

namespace monograph::passes {

// Of calls of the same operator with the same arguments only the first stays, and of get_attr nodes with one path; users of the others use it. A node
// inside of a block may give way to one outside of it. Guards move with the values.
//
// A call stays if it writes, draws random numbers, runs foreign code or is there to raise; if its result shares memory that is written; and if there is a
// write between it and the first one. `stays` names other calls to keep. Linear. Returns the number of calls and attributes removed.
size_t eliminate_common_subexpressions(ir::Graph& graph, const std::function<bool(const ir::Node&)>& stays = {});

}  // namespace monograph::passes
