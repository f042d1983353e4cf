// The part of the canonical form (canonical.h) that makes values of dicts. A script writes to a dict, and a trace knows what is in it at the end:
//
//   %d = prim::DictConstruct("a", %x)                      %r = If(%c) { -> %y } { -> %x }
//   If(%c) { aten::_set_item.str(%d, "a", %y) } { }        return ({"a": %r})
//   return (%d)
#pragma once

#include "ir/graph.h"

namespace monograph::passes {

// Replaces each dict that the graph makes, whose keys are literal texts, and that is read and written by these keys alone until something else gets it. After
// that, it must not be written by its own name. Both blocks of an If must leave the same keys in the same order; a Loop must not write to it. Returns whether
// a dict was replaced.
bool functionalize_dicts(ir::Graph& g);

}  // namespace monograph::passes
