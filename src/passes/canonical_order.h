// The last steps of the canonical form: the order of nodes and results, and their numbers.
#pragma once

#include <memory>

#include "ir/graph.h"

namespace monograph::passes {

// A copy of the graph with its nodes in canonical order and named v0, v1, ... in that order. The copy has no names, spans, scopes, inferred types, surface
// targets or hints. The graph must have no dead nodes.
//
// The results of an If or Loop, and carried values, are ordered by a walk that starts at the effects, then at the outputs, and visits each of them (in
// pre-order, operands in argument order). Nodes are ordered depth-first, in post-order, from the effects and then the outputs. If a node must come after
// several others that have no order among themselves, these come in the order of the walk. docs/ir.md says why the order depends on the program alone.
std::unique_ptr<ir::Graph> in_canonical_order(const ir::Graph& graph);

// Puts the nodes of the graph itself into that order, with their names and types. Results and carried values stay as they are.
void put_in_canonical_order(ir::Graph& graph);

}  // namespace monograph::passes
