// Puts one graph in the place of another one, wherever it is found: the core of torch.fx.replace_pattern.
//
// The replacement goes before the first user of a result, where all inputs are there by then, or else behind the last node that it takes the place of.
// A place is left as it is where the replacement would come between a write of memory and a read that the pattern saw in another order, or would need
// a value that is computed from one of its own results.
#pragma once

#include <functional>

#include "passes/subgraph_matcher.h"

namespace monograph::passes {

struct Replacement {
  SubgraphMatch match;  // its nodes may be erased now
  std::vector<ir::Node*> made;  // the nodes that were made
};

struct ReplaceOptions {
  MatchOptions matching;
  // A place counts where it answers true; absent: everywhere.
  std::function<bool(const SubgraphMatch&)> filter;
};

// The places, first to last. Types of the new nodes are inferred; they have the line and scope of what they stand for. Both graphs take the same
// inputs and give as many results. Error (Value), with the graph unchanged, where they do not, where no place could run, and for what SubgraphMatcher
// refuses.
std::vector<Replacement> replace_pattern(ir::Graph& graph, const ir::Graph& pattern, const ir::Graph& replacement,
                                         const ReplaceOptions& options = {});

}  // namespace monograph::passes
