// Finds a pattern, which is a small graph, in a graph.
//
//   graph(%x : Tensor, %y : Tensor):        a placeholder stands for any value: a node, or a literal
//     %a : Tensor = aten::add.Tensor(%x, %y)    another node of the pattern stands for one that calls the same operator,
//     %b : Tensor = aten::relu(%a)              with arguments that match in their turn
//     return (%b)                           what is found may be used from outside only through the results
//
// The rules are those of torch.fx.passes.utils.matcher_utils. In addition, two spellings of one call match: an argument that equals its default may be
// written or left out, and stand by position or by name. The name of an overload stands for each way to write its call: aten::add.Tensor for x + y.
#pragma once

#include <functional>
#include <string>
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
  std::vector<const ir::Node*> order;  // the keys of nodes_map, as they were found
  std::vector<Value> placeholders;  // what the placeholders stand for, in their order
  std::vector<ir::Node*> results;  // what stands for the results of the pattern, in their order; null for one that no node computes

  // Whether this node stands for one that the pattern computes. Attributes do not count: many places may read one.
  static bool computed(const ir::Node* pattern) {
    return pattern->op() != ir::Op::Placeholder && pattern->op() != ir::Op::Output && pattern->op() != ir::Op::GetAttr;
  }
};

struct MatchOptions {
  bool ignore_literals = false;  // a literal of the pattern, but a tensor, stands for any other and for a node
  bool remove_overlapping_matches = true;  // of two places that share a node only the first counts
  bool match_output = false;  // the results of the pattern must be those of the whole graph
  bool match_placeholder = false;  // a placeholder stands only for a placeholder
  std::string node_name_match;  // where not empty: a node whose name holds this matches whatever it calls
  // Whether two get_attr nodes read what stands for each other; absent: as the modules of their programs tell.
  std::function<bool(const ir::Node& pattern, const ir::Node& node)> same_attribute;
  // Decides, beside the arguments, whether one node of the pattern stands for one of the graph; absent: nodes_are_equal().
  std::function<bool(const ir::Node& pattern, const ir::Node& node)> same_node;
};

// Whether two nodes call the same, their arguments apart.
bool nodes_are_equal(const ir::Node& pattern, const ir::Node& node, const MatchOptions& options);

class SubgraphMatcher {
 public:
  // Error (Value) for a pattern that cannot be searched: an input that nothing uses, a call whose value is not used, an If or Loop.
  explicit SubgraphMatcher(const ir::Graph& pattern, MatchOptions options = {});
  // All places, first to last, in blocks of If and Loop too; each stands in one block.
  std::vector<SubgraphMatch> match(const ir::Graph& graph) const;

 private:
  const ir::Graph& pattern_;
  MatchOptions options_;
  std::vector<ir::Node*> anchors_;
};

// Notes down what the placeholders and the results of the pattern stand for, from nodes_map.
void fill(SubgraphMatch& match, const ir::Graph& pattern);

// What a graph returns, one by one: the parts of a tuple or list, or the only value.
std::vector<ir::ArgRef> returned_values(const ir::Graph& graph);

}  // namespace monograph::passes
