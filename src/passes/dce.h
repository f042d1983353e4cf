// Removal of dead code.
#pragma once

#include "ir/graph.h"

namespace monograph::passes {

// Removes every node that nothing observable depends on: observable are the graph's output, guards, and nodes whose effects may not be dropped
// (ir::Effects::droppable; a call that is not resolved has every effect). Results of an If or Loop that nobody uses go, and with them what the
// blocks computed for them alone, values that a loop carries only for themselves included. Linear; takes and gives every level, blocks included.
// Returns the number of nodes removed.
size_t eliminate_dead_code(ir::Graph& graph);

}  // namespace monograph::passes
