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
  std::vector<const ir::Node*> copied;  // the node of the replacement that each is a copy of
  std::vector<ir::Node*> results;  // what stands for each result of the pattern now; null for a literal
  size_t number = 0;  // of the place among those that were given
};

struct ReplaceOptions {
  MatchOptions matching;
  // A place counts where it answers true; absent: everywhere.
  std::function<bool(const SubgraphMatch&)> filter;
  // The effects of a node, for a graph with calls that no record describes; absent: ir::own_effects, which takes such a call to do everything.
  std::function<ir::Effects(const ir::Node&)> effects;
  // Whether the types of the new nodes, and of what uses their results, are inferred here; else the caller does so.
  bool infer_types = true;
};

// A place, and the graph to put there.
struct PlannedReplacement {
  SubgraphMatch match;
  const ir::Graph* replacement = nullptr;
};

// The places, first to last. Types of the new nodes are inferred; they have the line and scope of what they stand for. Both graphs take the same
// inputs and give as many results. Error (Value), with the graph unchanged, where they do not, where no place could run, and for what SubgraphMatcher
// refuses.
std::vector<Replacement> replace_pattern(ir::Graph& graph, const ir::Graph& pattern, const ir::Graph& replacement,
                                         const ReplaceOptions& options = {});
// The same for places that are found already, each with a graph of its own. What the graphs read of a module is not checked. Error (Value) too for a place
// whose nodes were erased meanwhile.
std::vector<Replacement> replace_matches(ir::Graph& graph, const ir::Graph& pattern, std::vector<PlannedReplacement> places,
                                         const ReplaceOptions& options = {});
// Error (Value) where a replacement does not take as many inputs as the pattern, or does not give as many results.
void check_signature(const ir::Graph& pattern, const ir::Graph& replacement);

}  // namespace monograph::passes
