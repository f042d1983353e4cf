// Finds a pattern, which is a small graph, in a graph.
//
//   graph(%x : Tensor, %y : Tensor):        a placeholder stands for any value: a node, or a literal
//     %a : Tensor = aten::add.Tensor(%x, %y)    another node of the pattern stands for one that calls the same operator,
//     %b : Tensor = aten::relu(%a)              with arguments that match in their turn
//     return (%b)                           what is found may be used from outside only through the results
//
// The rules are those of monograph.fx.passes.utils.matcher_utils. In addition, two spellings of one call match: an argument that equals its default may
// be written or left out, and stand by position or by name.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace monograph::passes {

struct SubgraphMatch {
  // What a node of the pattern stands for. A placeholder may stand for a literal: then `node` is null, and `literal` is one argument.
  struct Value {
    ir::Node* node = nullptr;
    ir::Args literal;
  };
  const ir::Node* anchor = nullptr;  // the node of the pattern that the search began with
  std::unordered_map<const ir::Node*, Value> nodes_map;
  std::vector<Value> placeholders;  // what the placeholders stand for, in their order
  std::vector<ir::Node*> results;  // what stands for the results of the pattern, in their order

  // Whether this node stands for one that the pattern computes. Attributes do not count: many places may read one.
  static bool computed(const ir::Node* pattern) {
    return pattern->op() != ir::Op::Placeholder && pattern->op() != ir::Op::Output && pattern->op() != ir::Op::GetAttr;
  }
};

struct MatchOptions {
  bool ignore_literals = false;  // a literal of the pattern, but a tensor, stands for any other
  bool remove_overlapping_matches = true;  // of two places that share a node only the first counts
};

class SubgraphMatcher {
 public:
  // Error (Value) for a pattern that cannot be searched: an input that nothing uses, a result that no node computes, an If or Loop.
  explicit SubgraphMatcher(const ir::Graph& pattern, MatchOptions options = {});
  // All places, first to last, in blocks of If and Loop too; each stands in one block.
  std::vector<SubgraphMatch> match(const ir::Graph& graph) const;

 private:
  const ir::Graph& pattern_;
  MatchOptions options_;
  std::vector<ir::Node*> anchors_;
};

// What a graph returns, one by one: the parts of a tuple or list, or the only value.
std::vector<ir::ArgRef> returned_values(const ir::Graph& graph);

}  // namespace monograph::passes
