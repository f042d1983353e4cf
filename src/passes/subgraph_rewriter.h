// Replaces each match of a pattern by another graph: the core of torch.fx.replace_pattern.
//
// The replacement is inserted before the first user of a result, if all inputs are computed by then; else behind the last node that it replaces.
// A match is left as it is if the replacement would change the order of a write and a read of memory, or would need a value that is computed from one of
// its own results.
#pragma once

#include <functional>

#include "passes/subgraph_matcher.h"

namespace monograph::passes {

struct Replacement {
  SubgraphMatch match;  // its nodes may be erased now
  std::vector<ir::Node*> made;  // the new nodes
  std::vector<const ir::Node*> copied;  // for each new node, the node of the replacement that it is a copy of
  std::vector<ir::Node*> results;  // for each result of the pattern, the node that has its value now; null for a literal
  size_t number = 0;  // the position of the match among all that were given
};

struct ReplaceOptions {
  MatchOptions matching;
  // Only matches for which this returns true are replaced; if absent, all are.
  std::function<bool(const SubgraphMatch&)> filter;
  // The effects of a node, for a graph with calls that no record describes; if absent, ir::own_effects, which gives such a call every effect.
  std::function<ir::Effects(const ir::Node&)> effects;
  // Whether the types of the new nodes, and of what uses their results, are inferred here; else the caller does so.
  bool infer_types = true;
};

// A match, and the graph to put there.
struct PlannedReplacement {
  SubgraphMatch match;
  const ir::Graph* replacement = nullptr;
};

// Replaces every match, and returns the replacements first to last. Types of the new nodes are inferred; they have the line and scope of the nodes that they
// replace. Pattern and replacement must have the same inputs and the same number of results. Error (Value), with the graph unchanged, if they do not, if the
// result could not run, and for a pattern that SubgraphMatcher rejects.
std::vector<Replacement> replace_pattern(ir::Graph& graph, const ir::Graph& pattern, const ir::Graph& replacement,
                                         const ReplaceOptions& options = {});
// The same for given matches, each with its own replacement. Attributes that the graphs read are not checked. Error (Value) also if nodes of a match
// were erased meanwhile.
std::vector<Replacement> replace_matches(ir::Graph& graph, const ir::Graph& pattern, std::vector<PlannedReplacement> places,
                                         const ReplaceOptions& options = {});
// Error (Value) if the replacement has another number of inputs or results than the pattern.
void check_signature(const ir::Graph& pattern, const ir::Graph& replacement);

}  // namespace monograph::passes
