// The part of the canonical form (canonical.h) that rewrites Ifs, Loops and numbers. A capture of Python's bytecode sees only jumps; a script has `and`,
// `or`, `not`, and flags that say whether a function has returned. Both get the same form here:
//
//   %c = If(%a) { -> %b } { -> False }         %r = If(%a) { If(%b) { A } { B } } { B }
//   %r = If(%c) { A } { B }
#pragma once

#include "ir/graph.h"

namespace monograph::passes {

// One sweep over the graph, whose constants are inlined. Returns whether it changed something. In each sweep:
// - A node whose arguments are literal numbers and strings becomes its value. So do an item of a known list, its length, and the sum of two known lists.
// - An If with a literal condition is replaced by the block that runs. A Loop that never runs is replaced by its initial values.
// - A result of an If becomes the condition (or its negation) if the blocks return True and False, and the value itself if both return the same one.
// - An If of a negation becomes an If of the value, with its blocks swapped. In the blocks of an If, the condition becomes True or False.
// - An If whose condition is a result of the If before it moves into that one's blocks, if it has at most kMaxUnrolledNodes nodes.
// - `x is None` of an If that returns None on one side alone becomes the condition, or its negation.
// - A carried value of a Loop becomes the initial value, if every iteration after which the Loop goes on leaves it unchanged.
// - All prim::Uninitialized become one node.
bool simplify_branches(ir::Graph& g);

// Makes one If of two in a block that have the same condition, unless a node must stay between them. The graph has no dead or repeated nodes; they are put in
// canonical order first, since which Ifs can become one depends on those that have. Returns whether there were any.
bool join_equal_conditions(ir::Graph& g);

// Copies the first iterations of a while loop to the place before it, as long as they run for all inputs: those of `while i < 3`, and the first one of
// `while True`. A capture of Python has them there too. Returns whether there were any. Copies nothing if there are more than kMaxFollowedNodes nodes.
bool peel(ir::Graph& g, ir::Node* loop);

// Replaces a Loop that ends after a known number of iterations by Ifs inside of each other, as in `for i in range(3): ... break` and `while p and i < 3`. Does
// nothing if they have more than kMaxFollowedNodes nodes, or more than 64 iterations.
bool unroll_bounded(ir::Graph& g, ir::Node* loop);

// The node of an argument. For a literal, a new prim::Constant at the insertion point, which step 8 inlines again.
ir::Node* as_node(ir::Graph& g, ir::ArgRef a);

// Copies the body of a Loop to the insertion point, as iteration `i`. `arguments` are those of the Loop: the count, the condition, the carried values. Returns
// the arguments for the iterations after it.
ir::Args copy_iteration(ir::Graph& g, const ir::Node* loop, int64_t i, const ir::Args& arguments);

// The number of nodes in the blocks of an If or Loop, and in the blocks of these.
size_t nodes_inside(const ir::Node* n);

}  // namespace monograph::passes
