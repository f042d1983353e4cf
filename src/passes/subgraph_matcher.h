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
  // What a node of the pattern matched. A placeholder may match a literal: then `node` is null, and `literal` has one argument.
  struct Value {
    ir::Node* node = nullptr;
    ir::Args literal;
  };
  const ir::Node* anchor = nullptr;  // the node of the pattern at which the search began
  std::unordered_map<const ir::Node*, Value> nodes_map;
  std::vector<const ir::Node*> order;  // the keys of nodes_map, as they were found
  std::vector<Value> placeholders;  // what the placeholders matched, in their order
  std::vector<ir::Node*>
      results;  // the nodes that the results of the pattern matched, in their order; null for a result that no node computes

  // Whether a replacement takes the place of what this node of the pattern matched.
  static bool replaced(const ir::Node* pattern) { return pattern->op() != ir::Op::Placeholder && pattern->op() != ir::Op::Output; }
  // Whether the pattern computes this node: it is no placeholder, output or attribute.
  static bool computed(const ir::Node* pattern) {
    return pattern->op() != ir::Op::Placeholder && pattern->op() != ir::Op::Output && pattern->op() != ir::Op::GetAttr;
  }
};

struct MatchOptions {
  bool ignore_literals = false;  // a literal of the pattern, except a tensor, matches any other, and a node
  // Of two matches that share a node, only the first is returned, and none that another node needs and is needed by. (torch.fx drops both with one option.)
  bool remove_overlapping_matches = true;
  bool match_output = false;  // the results of the pattern must be those of the whole graph
  bool match_placeholder = false;  // a placeholder matches only a placeholder
  std::string node_name_match;  // if not empty: a node whose name contains this matches any target
  // Whether two get_attr nodes match; if absent, the attributes in the modules of their Units are compared.
  std::function<bool(const ir::Node& pattern, const ir::Node& node)> same_attribute;
  // Whether a node of the pattern matches one of the graph, apart from their arguments; if absent, nodes_are_equal().
  std::function<bool(const ir::Node& pattern, const ir::Node& node)> same_node;
};

// Whether two nodes have the same op and target. Arguments are not compared.
bool nodes_are_equal(const ir::Node& pattern, const ir::Node& node, const MatchOptions& options);

class SubgraphMatcher {
 public:
  // Error (Value) if the pattern has an input that nothing uses, a call whose value is not used, or an If or Loop.
  explicit SubgraphMatcher(const ir::Graph& pattern, MatchOptions options = {});
  // All matches, first to last, also those in blocks of If and Loop. All nodes of a match stand in one block.
  std::vector<SubgraphMatch> match(const ir::Graph& graph) const;

 private:
  const ir::Graph& pattern_;
  MatchOptions options_;
  std::vector<ir::Node*> anchors_;
};

// The node of `block` that is `node` or contains it in its blocks; null if there is none.
ir::Node* in_block(ir::Node* node, const ir::Block* block);

// Sets `placeholders` and `results` from nodes_map.
void fill(SubgraphMatch& match, const ir::Graph& pattern);

// The values that a graph returns: the parts of a tuple or list, or the only value.
std::vector<ir::ArgRef> returned_values(const ir::Graph& graph);

}  // namespace monograph::passes
