// Dead code elimination.
#pragma once

#include "ir/graph.h"

namespace monograph::passes {

// Removes every node that nothing observable depends on. Observable are the graph's output, guards, and nodes whose effects may not be dropped
// (ir::Effects::droppable; a call that is not resolved has every effect). Unused results of an If or Loop are removed, together with the nodes in the
// blocks that only they need, and with carried values that only compute themselves. Linear; works at every level, blocks included.
// Returns the number of nodes removed.
size_t eliminate_dead_code(ir::Graph& graph);

}  // namespace monograph::passes
