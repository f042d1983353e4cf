// Tries each node of the graph as a result of the pattern, and walks both graphs backward from there. If a node does not match, the bindings of the trial
// are undone.
#include "passes/subgraph_matcher.h"

#include <algorithm>
#include <unordered_set>

#include "ir/bind.h"
#include "ir/unit.h"

namespace monograph::passes {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Graph;
using ir::Node;
using ir::Op;

std::vector<ArgRef> returned_values(const Graph& graph) {
  const Node* output = graph.output();
  MONOGRAPH_CHECK(output, Value, "the graph ", graph.name(), " has no output yet");
  std::vector<ArgRef> values;
  for (auto it = output->args_begin(); it != output->args_end(); ++it) values.push_back(*it);
  if (values.size() != 1 || !(values[0].is(ArgKind::Tuple) || values[0].is(ArgKind::List))) return values;
  const ArgRef all = values[0];
  values.clear();
  for (ArgRef part : all) values.push_back(part);
  return values;
}

namespace {

template <class... Parts>
[[noreturn]] void refuse(const Node* node, const Parts&... parts) {
  Error e(ErrorKind::Value, concat(parts...));
  e.locate(node->span());
  throw e;
}

const ir::OpInfo* operator_info(const Node& node) {
  if (node.info() || node.op() != Op::CallFunction || !ir::operator_lookup().resolve) return node.info();
  return ir::operator_lookup().resolve(node);
}

// The attribute that a get_attr reads; null if no module of its Unit has it.
const ir::Module::Value* attribute(const Node& node) {
  const ir::Module* root = node.graph()->unit() ? node.graph()->unit()->root() : nullptr;
  int at = -1;
  const ir::Module* holder = root ? root->find(node.target().name(), at) : nullptr;
  return holder && at >= 0 ? &holder->values[static_cast<size_t>(at)] : nullptr;
}

bool same_callable(const ir::CallableRef& a, const ir::CallableRef& b) { return a && b ? a->equal(*b) : a == b; }

// Any tensor matches any tensor; a module matches one of its class.
bool same_attribute(const Node& pattern, const Node& node) {
  const ir::Module::Value *a = attribute(pattern), *b = attribute(node);
  if (!a || !b) return pattern.target().name() == node.target().name();
  if (a->module || b->module) return a->module && b->module && a->module->type().name == b->module->type().name;
  return a->value[0].kind() == b->value[0].kind();
}

// Two targets are the same if they are written alike, or if one of them names an overload and the other calls it. torch.add and + are different targets, as
// in torch.fx.
bool same_target(const Node& pattern, const Node& node) {
  const ir::Global &a = *pattern.target().surface, &b = *node.target().surface;
  // Graphs from a script or a file have the name of a function, but not its object.
  const bool alike = a.name == b.name && (same_callable(a.callable, b.callable) || !a.callable || !b.callable);
  if (alike && ((a.callable && b.callable) || pattern.op() != Op::CallFunction)) return true;
  if (pattern.op() != Op::CallFunction) return false;
  const auto names_overload = [](const ir::Global& g) {
    return g.name.find("::") != std::string::npos || g.name.starts_with("torch.ops.");
  };
  if (!alike && !names_overload(a) && !names_overload(b)) return false;
  const ir::OpInfo *x = operator_info(pattern), *y = operator_info(node);
  return x && y ? x == y : alike;
}

bool same_literal(ArgRef a, ArgRef b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case ArgKind::None:
    case ArgKind::Ellipsis: return true;
    case ArgKind::Float: return a.as_float() == b.as_float();
    case ArgKind::Str: return a.as_str() == b.as_str();
    case ArgKind::Global:
      return a.as_global().name == b.as_global().name &&
             (!a.as_global().callable || !b.as_global().callable || same_callable(a.as_global().callable, b.as_global().callable));
    case ArgKind::Tensor: return ir::same_contents(a.as_tensor(), b.as_tensor());
    default: return !ir::has_parts(a.kind()) && a.item()->i == b.item()->i;
  }
}

bool stands_for(const Node& pattern, const Node& node, const MatchOptions& options) {
  if (node.block_count()) return pattern.op() == Op::Placeholder && !options.match_placeholder;
  return options.same_node ? options.same_node(pattern, node) : nodes_are_equal(pattern, node, options);
}

// One attempt to match the pattern: the bindings made so far, and how to undo them.
class Trial {
 public:
  explicit Trial(const MatchOptions& options) : options_(options) {}

  bool nodes_match(const Node* pattern, Node* node) {
    if (auto known = map_.find(pattern); known != map_.end()) return known->second.node == node;
    if (taken_.contains(node)) return false;  // two nodes of the pattern never match one node of the graph
    if (!stands_for(*pattern, *node, options_)) return false;
    const size_t before = trail_.size();
    bind(pattern, {node, {}});
    if (pattern->op() == Op::Placeholder || pattern->op() == Op::GetAttr || arguments_match(*pattern, *node)) return true;
    undo(before);
    return false;
  }
  size_t mark() const { return trail_.size(); }
  void undo(size_t mark) {
    for (; trail_.size() > mark; trail_.pop_back()) {
      auto at = map_.find(trail_.back());
      if (at->second.node) taken_.erase(at->second.node);
      map_.erase(at);
    }
  }
  const std::unordered_map<const Node*, SubgraphMatch::Value>& map() const { return map_; }
  const std::vector<const Node*>& order() const { return trail_; }

 private:
  void bind(const Node* pattern, SubgraphMatch::Value value) {
    if (value.node) taken_.insert(value.node);
    map_.emplace(pattern, std::move(value));
    trail_.push_back(pattern);
  }

  // Compares the arguments as written; if they differ, compares them after binding both calls to the operator's schema.
  bool arguments_match(const Node& pattern, const Node& node) {
    const size_t before = trail_.size();
    if (written_match(pattern, node)) return true;
    undo(before);
    const ir::OpInfo* info = operator_info(pattern);
    if (!info || info != operator_info(node)) return false;
    const std::optional<Args> a = ir::bound_args(info->schema(), pattern), b = ir::bound_args(info->schema(), node);
    if (!a || !b || a->size() != b->size()) return false;
    for (size_t k = 0; k < a->size(); ++k)
      if (!argument_matches((*a)[k], (*b)[k])) return undo(before), false;
    return true;
  }
  bool written_match(const Node& pattern, const Node& node) {
    if (pattern.positional_count() != node.positional_count() || pattern.arg_count() != node.arg_count()) return false;
    size_t k = 0;
    auto b = node.args_begin();
    for (auto a = pattern.args_begin(); k < pattern.positional_count(); ++a, ++b, ++k)
      if (!argument_matches(*a, *b)) return false;
    for (; k < pattern.arg_count(); ++k) {
      const std::string& keyword = pattern.keyword(k - pattern.positional_count());
      const std::optional<ArgRef> given = node.kwarg(keyword);
      if (!given || !argument_matches(*pattern.kwarg(keyword), *given)) return false;
    }
    return true;
  }

  bool argument_matches(ArgRef pattern, ArgRef given) {
    const Node* p = pattern.node();
    if (p && given.node()) return nodes_match(p, given.node());
    if (p) return placeholder_matches(p, given);
    if (given.node()) return options_.ignore_literals && !ir::has_parts(pattern.kind()) && !pattern.is(ArgKind::Tensor);
    const auto sequence = [](ArgRef a) { return a.is(ArgKind::List) || a.is(ArgKind::Tuple); };
    if (ir::has_parts(pattern.kind()) && (pattern.kind() == given.kind() || (sequence(pattern) && sequence(given)))) {
      if (pattern.size() != given.size()) return false;
      auto b = given.begin();
      for (ArgRef part : pattern) {
        if (!argument_matches(part, *b)) return false;
        ++b;
      }
      return true;
    }
    return (options_.ignore_literals && !pattern.is(ArgKind::Tensor) && !given.is(ArgKind::Tensor)) || same_literal(pattern, given);
  }
  bool placeholder_matches(const Node* p, ArgRef given) {  // `given` is a literal
    if (p->op() != Op::Placeholder) return false;
    if (auto known = map_.find(p); known != map_.end()) return !known->second.node && literal_trees_equal(known->second.literal[0], given);
    bind(p, {nullptr, Args().add(given)});
    return true;
  }
  static bool literal_trees_equal(ArgRef a, ArgRef b) {
    if (a.node() || b.node()) return a.node() == b.node();
    if (!ir::has_parts(a.kind())) return same_literal(a, b);
    if (a.kind() != b.kind() || a.size() != b.size()) return false;
    auto at = b.begin();
    for (ArgRef part : a) {
      if (!literal_trees_equal(part, *at)) return false;
      ++at;
    }
    return true;
  }

  const MatchOptions& options_;
  std::unordered_map<const Node*, SubgraphMatch::Value> map_;
  std::unordered_set<const Node*> taken_;
  std::vector<const Node*> trail_;
};

// Whether only the results are used from outside, by nodes and by guards, and all of it stands in one block.
bool is_contained(const SubgraphMatch& match, const Node* output, const std::unordered_set<const Node*>& guarded) {
  std::unordered_set<const Node*> inside, results;
  for (size_t k = 0; k < output->input_count(); ++k) results.insert(match.nodes_map.at(output->input(k)).node);
  for (const auto& [p, value] : match.nodes_map)
    if (value.node && p->op() != Op::Placeholder) inside.insert(value.node);
  const ir::Block* block = nullptr;
  for (const auto& [p, value] : match.nodes_map) {
    if (!SubgraphMatch::replaced(p)) continue;
    if (SubgraphMatch::computed(p)) {
      if (block && value.node->block() != block) return false;
      block = value.node->block();
    }
    if (results.contains(value.node)) continue;
    if (guarded.contains(value.node)) return false;
    for (const ir::Use* u = value.node->first_use(); u; u = u->next)
      if (!inside.contains(u->user) && !(u->user->is_projection() && !u->user->has_uses())) return false;
  }
  return block != nullptr;
}

// Whether a node outside of the match needs one of its nodes and is needed by another: no single node could take the place of such a match.
//
//   %r = relu(%x); %n = neg(%r); %t = tanh(%n)      tanh and relu match the pattern (tanh(a), relu(b)), and %n lies between them
//
// Only nodes before the last node of the match can be needed by it.
bool in_cycle(const SubgraphMatch& match) {
  std::unordered_set<const Node*> inside;
  const Node* last = nullptr;
  for (const auto& [p, value] : match.nodes_map) {
    if (!SubgraphMatch::computed(p)) continue;
    inside.insert(value.node);
    if (!last || last->is_before(value.node)) last = value.node;
  }
  std::vector<const Node*> todo(inside.begin(), inside.end());
  std::unordered_set<const Node*> seen;
  while (!todo.empty()) {
    const Node* node = todo.back();
    todo.pop_back();
    for (const ir::Use* u = node->first_use(); u; u = u->next) {
      const Node* user = in_block(u->user, last->block());
      if (!user || last->is_before(user)) continue;
      if (!inside.contains(user)) {
        if (seen.insert(user).second) todo.push_back(user);
      } else if (!inside.contains(node)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

Node* in_block(Node* node, const ir::Block* block) {
  while (node && node->block() != block) node = node->block()->owner();
  return node;
}

void fill(SubgraphMatch& match, const Graph& pattern) {
  for (Node* p : pattern.placeholders())
    if (auto at = match.nodes_map.find(p); at != match.nodes_map.end()) match.placeholders.push_back(at->second);
  for (ArgRef value : returned_values(pattern)) match.results.push_back(value.node() ? match.nodes_map.at(value.node()).node : nullptr);
}

bool nodes_are_equal(const Node& pattern, const Node& node, const MatchOptions& options) {
  if (pattern.op() == Op::Placeholder && !options.match_placeholder) return true;
  if (!options.node_name_match.empty() && node.name().find(options.node_name_match) != std::string::npos) return true;
  if (pattern.op() != node.op()) return false;
  if (pattern.op() == Op::Placeholder || pattern.op() == Op::Output) return true;
  if (pattern.op() == Op::GetAttr) return options.same_attribute ? options.same_attribute(pattern, node) : same_attribute(pattern, node);
  return same_target(pattern, node);
}

SubgraphMatcher::SubgraphMatcher(const Graph& pattern, MatchOptions options) : pattern_(pattern), options_(std::move(options)) {
  bool computes = false;
  for (Node* n : *pattern.root()) {
    computes |= SubgraphMatch::computed(n);
    if (n->op() == Op::Placeholder && !n->has_uses() && !options_.match_placeholder)
      refuse(n, "the pattern's input %", n->name(),
             " is not used, so it could stand for anything. Leave it out of the pattern and of its replacement");
    if (SubgraphMatch::computed(n) && !n->has_uses())
      refuse(
          n, "the pattern calls ", n->target().name(), " for %", n->name(),
          ", whose value it neither uses nor returns. A pattern is found by the values that it returns: return it, or leave the call out");
    if (n->block_count())
      refuse(n, "the pattern holds %", n->name(), " = ", n->target().name(),
             "(…), and a pattern cannot hold a branch or loop. Search for the nodes inside of it: blocks are searched too");
  }
  const Node* output = pattern.output();
  MONOGRAPH_CHECK(output, Value, "the graph has no output node yet");
  if (options_.match_output) {
    anchors_.push_back(pattern.output());
    return;
  }
  MONOGRAPH_CHECK(computes, Value, "the pattern only returns its inputs, so every value of the graph would match. Let it call an operator");
  for (size_t k = 0; k < output->input_count(); ++k)
    if (Node* n = output->input(k); n->has_one_use() && std::ranges::find(anchors_, n) == anchors_.end()) anchors_.push_back(n);
  if (anchors_.empty())
    refuse(output,
           "each result of the pattern is used inside of the pattern, or returned twice, so there is no last node to search for. "
           "Return a value that nothing else in the pattern uses");
}

std::vector<SubgraphMatch> SubgraphMatcher::match(const Graph& graph) const {
  std::vector<std::vector<Node*>> candidates(anchors_.size());
  for (Node* n : ir::NestedNodes(graph)) {
    if (n->op() == Op::Output && n->block()->owner()) continue;
    for (size_t k = 0; k < anchors_.size(); ++k)
      if (stands_for(*anchors_[k], *n, options_)) candidates[k].push_back(n);
  }
  std::vector<SubgraphMatch> found;
  std::unordered_set<const Node*> taken, guarded;
  for (const ir::Guard& g : graph.guards()) guarded.insert(g.value);
  Trial trial(options_);
  const auto accept = [&] {
    SubgraphMatch match;
    match.anchor = anchors_[0], match.nodes_map = trial.map(), match.order = trial.order();
    fill(match, pattern_);
    if (!is_contained(match, pattern_.output(), guarded)) return;
    if (options_.remove_overlapping_matches) {
      if (in_cycle(match)) return;
      for (const auto& [p, value] : match.nodes_map)
        if (SubgraphMatch::replaced(p) && taken.contains(value.node)) return;
      for (const auto& [p, value] : match.nodes_map)
        if (SubgraphMatch::replaced(p)) taken.insert(value.node);
    }
    found.push_back(std::move(match));
  };
  // Every choice of one candidate for each anchor, the last anchor's changing fastest.
  std::vector<size_t> at(anchors_.size(), 0), marks(anchors_.size(), 0);
  for (size_t k = 0;;) {
    if (at[k] == candidates[k].size()) {
      at[k] = 0;
      if (k-- == 0) return found;
      trial.undo(marks[k]);
      continue;
    }
    marks[k] = trial.mark();
    if (!trial.nodes_match(anchors_[k], candidates[k][at[k]++])) continue;
    if (k + 1 < anchors_.size()) {
      ++k;
      continue;
    }
    accept();
    trial.undo(marks[k]);
  }
}

}  // namespace monograph::passes
