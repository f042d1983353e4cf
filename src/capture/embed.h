// Handles a call of a graph with branches or loops while a function is traced.
#pragma once

#include <vector>

#include "core/ivalue.h"
#include "ir/graph.h"

namespace monograph::capture {

// Whether a trace runs on this thread and must embed this graph as a whole. A graph without branches and loops runs operator by operator instead, and each
// operator is recorded.
bool is_embedded(const ir::Graph& callee);
// Appends the graph's nodes to the graph that is traced. Returns the results for the traced function.
std::vector<IValue> embed(const ir::Graph& callee, const std::vector<IValue>& inputs);

}  // namespace monograph::capture
