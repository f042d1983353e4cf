// The last steps of the canonical form: the order of nodes and results, and their numbers.
#pragma once

#include <memory>

#include "ir/graph.h"

namespace monograph::passes {

// A new graph with the nodes of this one, which holds no dead ones, in canonical order, numbered by it, without names, spans, scopes, inferred
// types, surface targets and hints.
//
// The results of an If or Loop and the values that it uses from outside are ordered by a hash of their contents: their order by first visit, the
// order of what is visited inside, and the former again would each wait for the other.
std::unique_ptr<ir::Graph> in_canonical_order(const ir::Graph& graph);

}  // namespace monograph::passes
