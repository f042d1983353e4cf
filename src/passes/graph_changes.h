// Compares a graph before a pass and after it, node by node, to show the changes to a reader.
//
// Nodes are paired so that a pair is the same step of the program. First come nodes that call the same target with the same literals on paired inputs.
// Then come nodes with the same name that differ only in their target or only in their arguments. Then, from the results up, inputs of a pair that call
// the same target. All other nodes were removed or added. This is a comparison for readers; canonical.h decides whether two graphs compute the same.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace monograph::passes {

// A step of the program. `before` or `after` is null where the step is missing. The flags say what differs between the two nodes. A change of names does
// not count.
struct ChangedNode {
  const ir::Node* before = nullptr;
  const ir::Node* after = nullptr;
  bool target = false, arguments = false, type = false, values = false;
  bool moved = false;  // its order relative to a step that did not move has changed
};

// All nodes except projections, in the order of `after`; a removed node stands where it was. A node comes before the nodes of its blocks.
std::vector<ChangedNode> graph_changes(const ir::Graph& before, const ir::Graph& after);

}  // namespace monograph::passes
