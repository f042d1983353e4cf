// The last steps of the canonical form: the order of nodes and results, and their numbers.
#pragma once

#include <memory>

#include "ir/graph.h"

namespace monograph::passes {

// A new graph with the nodes of this one, which holds no dead ones, in canonical order, numbered by it, without names, spans, scopes, inferred
// types, surface targets and hints.
//
// Results of an If or Loop and carried values are ordered by a walk from the effects and then the outputs that reaches them one by one (in
// pre-order, operands in argument order), nodes by depth-first post-order from the effects and then the outputs. Where a node must come after
// others whose order nothing tells, these follow the order of the walk. docs/ir.md says why that depends on the program alone.
std::unique_ptr<ir::Graph> in_canonical_order(const ir::Graph& graph);

}  // namespace monograph::passes
