// The part of the canonical form (canonical.h) that rewrites single calls. Python, a script and a trace spell one computation in several ways:
//
//   aten::tensor.int(%i)                                     aten::scalar_tensor(%i, int64)
//   aten::gt.int(aten::len.t(%list), 0)                      aten::ne.int(aten::len.t(%list), 0)
//   aten::add.str(aten::add.str("large", " "), %text)        aten::add.str("large ", %text)
#pragma once

#include <string_view>

#include "ir/graph.h"

namespace monograph::passes {

// Whether the node calls this operator, whatever name the program gave it.
bool is_call_of(const ir::Node* n, std::string_view name);

// Whether the node only makes a value, by a name that has no operator: a list, a tuple, a dict, a constant.
bool makes_value(const ir::Node* n);
// The effects of a node: none of those that only make a value.
ir::Effects effects_of(const ir::Node& n);

// Whether the argument is known to be a bool, or an int.
bool is_bool(ir::ArgRef a);
bool is_int(ir::ArgRef a);

// One sweep over the graph, whose constants are inlined. Returns whether it changed something.
bool simplify_calls(ir::Graph& g);

// All reads of an attribute become one, at the beginning of the graph, since each gives the same tensor. Not in a graph that may assign attributes.
void unify_attributes(ir::Graph& g);

// Python writes `x[i] += 1` as a view, a write to it, and a copy of the view to itself, which changes nothing. Drops such copies. Returns whether there were
// any.
bool drop_copies_to_self(ir::Graph& g);

}  // namespace monograph::passes
