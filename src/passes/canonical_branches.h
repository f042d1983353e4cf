// The part of the canonical form (canonical.h) that concerns Ifs, Loops and numbers. Python's bytecode knows jumps alone, and a script knows `and`, `or`,
// `not` and flags of what has returned. Both come to the same form here:
//
//   %c = If(%a) { -> %b } { -> False }         %r = If(%a) { If(%b) { A } { B } } { B }
//   %r = If(%c) { A } { B }
#pragma once

#include "ir/graph.h"

namespace monograph::passes {

// One sweep over the graph, whose constants are inlined. True if it changed something. In each sweep:
// - A node whose arguments are numbers and texts becomes its value. So does an item of a list that is known, its length, and two such lists that are joined.
// - An If of a known condition becomes its block, and a Loop that never runs its initial values.
// - A result of an If is the condition (or its negation) where the blocks answer True and False, and the value itself where both answer one.
// - An If of a negation has its blocks swapped. Inside of an If, its condition is known.
// - An If of what the If before it has decided moves into that one's blocks, if no block is larger than kMaxUnrolledNodes.
// - A carried value of a Loop is the initial one in the body, if it is left alone wherever the Loop goes on.
// - A value that is not set is one value everywhere.
bool simplify_branches(ir::Graph& g);

// The rounds of a while loop that run whatever the inputs are stand before it, as a capture of Python has them: `while i < 3`, and the first one of `while
// True`. True if there were some; not if they are more than kMaxUnrolledNodes.
bool peel(ir::Graph& g, ir::Node* loop);

}  // namespace monograph::passes
