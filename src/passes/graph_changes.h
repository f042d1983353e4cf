// What differs between a graph before a pass and after it, node by node, for a reader.
//
// Nodes are paired so that a pair means one and the same step of the program: those that call the same with the same literals on paired inputs;
// then those of one name that differ only in what they call or only in what they call it with; then, from the results up, the inputs of a pair that
// call the same. What is left was removed or added. The pairing is for reading: whether two graphs compute the same is the question of canonical.h.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace monograph::passes {

// A step of the program; null on the side where it is missing. What differs between the two, where both are there. Changes of names are none.
struct ChangedNode {
  const ir::Node* before = nullptr;
  const ir::Node* after = nullptr;
  bool target = false, arguments = false, type = false, values = false;
  bool moved = false;  // behind or before a step that stayed
};

// Every node but projections, in the order of `after`; what was removed stands where it was. A node comes before those of its blocks.
std::vector<ChangedNode> graph_changes(const ir::Graph& before, const ir::Graph& after);

}  // namespace monograph::passes
