// A call of a graph with branches or loops while a function is traced.
#pragma once

#include <vector>

#include "core/ivalue.h"
#include "ir/graph.h"

namespace monograph::capture {

// Whether a trace runs on this thread, and takes the graph in as a whole. One without branches and loops runs operator by operator, each of which is recorded.
bool is_embedded(const ir::Graph& callee);
// Appends the graph to the one that is traced; its results, as the traced function gets them.
std::vector<IValue> embed(const ir::Graph& callee, const std::vector<IValue>& inputs);

}  // namespace monograph::capture
