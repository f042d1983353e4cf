// Pairs the nodes of the two graphs in three rounds (see the header), then merges both lists into one, in which a pair whose order changed counts as moved.
#include "passes/graph_changes.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "ir/unit.h"

namespace monograph::passes {
namespace {

using ir::ArgKind;
using ir::ArgRef;
using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Op;

bool same_target(const Node* a, const Node* b) {
  if (a->op() != b->op()) return false;
  if (a->target().overload && b->target().overload) return *a->target().overload == *b->target().overload;
  return a->target().name() == b->target().name();
}

// The tensor that a get_attr reads; null for any other node, and if the graph has no modules.
const ir::TensorConstant* attribute(const Node* n) {
  const ir::Unit* unit = n->graph()->unit();
  if (n->op() != Op::GetAttr || !unit || !unit->root()) return nullptr;
  const ir::Module::Value* found = unit->root()->value_at(n->target().name());
  if (!found) return nullptr;
  const ir::Args& value = found->value;
  return value.size() == 1 && value[0].is(ArgKind::Tensor) ? &value[0].as_tensor() : nullptr;
}

class NodePairs {
 public:
  NodePairs(const Graph& before, const Graph& after) : before_(before), after_(after) {
    to_after_.resize(before.id_limit()), to_before_.resize(after.id_limit());
    for (Node* n : ir::NestedNodes(before)) names_.emplace(n->name(), n);
    blocks_[after.root()] = before.root();
    pair_ends(before.root(), after.root());
    pair_equal();
    pair_named();
    pair_upwards();
    pair_equal();
  }

  const Node* after(const Node* before) const { return to_after_[before->id()]; }
  const Node* before(const Node* after) const { return to_before_[after->id()]; }

  ChangedNode change(const Node* b, const Node* a) const {
    ChangedNode c;
    c.before = b, c.after = a;
    c.target = a->op() != Op::Placeholder && !same_target(b, a);  // an input that was renamed is the same input
    c.arguments = arguments(b, true) != arguments(a, false);
    c.type = b->type() && a->type() && !(b->type() == a->type()) && to_string(b->type()) != to_string(a->type());
    const ir::TensorConstant *x = attribute(b), *y = attribute(a);
    c.values = x && y && x != y && !ir::same_contents(*x, *y);
    return c;
  }

 private:
  void pair(const Node* b, const Node* a) {
    to_after_[b->id()] = a, to_before_[a->id()] = b;
    if (b->block_count() != a->block_count()) return;
    for (size_t k = 0; k < a->block_count(); ++k) {
      blocks_[a->block(k)] = b->block(k);
      pair_ends(b->block(k), a->block(k));
    }
  }

  // Pairs the placeholders of two blocks by name, or by position if both have the same number; and the outputs.
  void pair_ends(const Block* b, const Block* a) {
    const std::vector<Node*> x = b->placeholders(), y = a->placeholders();
    std::unordered_map<std::string_view, Node*> by_name;
    for (Node* p : x) by_name.emplace(p->target().name(), p);
    for (Node* p : y)
      if (auto at = by_name.find(p->target().name()); at != by_name.end() && !after(at->second)) pair(at->second, p);
    for (size_t k = 0; x.size() == y.size() && k < x.size(); ++k)
      if (!after(x[k]) && !before(y[k])) pair(x[k], y[k]);
    if (b->output() && a->output()) pair(b->output(), a->output());
  }

  // The arguments as text. A node of either graph is written as the id of its partner in `before`; an added node as its own id.
  std::string arguments(const Node* n, bool is_before) const {
    std::string text;
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
      if (k >= n->positional_count()) text += n->keyword(k - n->positional_count()) + "=";
      argument(text, *it, is_before);
      text += ';';
    }
    return text;
  }

  void argument(std::string& out, ArgRef a, bool is_before) const {
    if (const Node* n = a.node()) {
      const Node* known = is_before ? n : before(n);
      out += known ? concat("%", known->id()) : concat("%new ", n->id());
    } else if (ir::has_parts(a.kind())) {
      out += concat(static_cast<int>(a.kind()), "(");
      for (ArgRef part : a) argument(out, part, is_before), out += ',';
      out += ')';
    } else {
      ir::print_arg(out, a);
    }
  }

  // A text that is equal for equal steps; "" if an input or the block has no partner yet.
  std::string key(const Node* n, bool is_before) const {
    const Block* block = n->block();
    if (!is_before) {
      const auto at = blocks_.find(block);
      if (at == blocks_.end()) return {};
      block = at->second;
      for (size_t k = 0; k < n->input_count(); ++k)
        if (!before(n->input(k))) return {};
    }
    const ir::Target& t = n->target();
    return concat(reinterpret_cast<uintptr_t>(block), " ", static_cast<int>(n->op()), t.overload ? *t.overload : t.name(), ":",
                  arguments(n, is_before));
  }

  bool may_pair(const Node* b, const Node* a) const {
    if (after(b) || before(a)) return false;
    const auto at = blocks_.find(a->block());
    return at != blocks_.end() && at->second == b->block();
  }

  // Pairs equal steps, inputs first. Among several equal candidates it takes the one with the same name, else the first.
  void pair_equal() {
    std::unordered_map<std::string, std::vector<Node*>> equal;  // by key(), in reverse order
    for (Node* n : ir::NestedNodes(before_))
      if (!after(n)) equal[key(n, true)].push_back(n);
    for (auto& [text, nodes] : equal) std::reverse(nodes.begin(), nodes.end());
    for (Node* n : ir::NestedNodes(after_)) {
      if (before(n)) continue;
      const std::string text = key(n, false);
      const auto found = text.empty() ? equal.end() : equal.find(text);
      if (found == equal.end()) continue;
      auto named = names_.find(n->name());
      if (named != names_.end() && !after(named->second) && key(named->second, true) == text) {
        pair(named->second, n);
        continue;
      }
      std::vector<Node*>& list = found->second;
      while (!list.empty() && after(list.back())) list.pop_back();
      if (!list.empty()) pair(list.back(), n);
    }
  }

  // Pairs steps with the same name that differ in their target or in their arguments, but not in both.
  void pair_named() {
    for (Node* n : ir::NestedNodes(after_)) {
      const auto found = names_.find(n->name());
      if (found == names_.end() || !may_pair(found->second, n)) continue;
      const Node* b = found->second;
      if (same_target(b, n) || (b->block_count() == n->block_count() && arguments(b, true) == arguments(n, false))) pair(b, n);
    }
  }

  // From the results up, pairs inputs of a pair that call the same target.
  void pair_upwards() {
    std::vector<const Node*> order;
    for (Node* n : ir::NestedNodes(after_)) order.push_back(n);
    for (size_t k = order.size(); k-- > 0;) {
      const Node *a = order[k], *b = before(a);
      if (!b || b->input_count() != a->input_count()) continue;
      for (size_t i = 0; i < a->input_count(); ++i) {
        const Node *x = b->input(i), *y = a->input(i);
        if (may_pair(x, y) && same_target(x, y) && x->input_count() == y->input_count()) pair(x, y);
      }
    }
  }

  const Graph &before_, &after_;
  std::vector<const Node*> to_after_, to_before_;  // by id
  std::unordered_map<std::string_view, Node*> names_;
  std::unordered_map<const Block*, const Block*> blocks_;  // from a block of `after` to its partner
};

std::vector<const Node*> steps(const Block* block) {
  std::vector<const Node*> all;
  if (block)
    for (const Node* n : *block)
      if (!n->is_projection()) all.push_back(n);
  return all;
}

// Marks the elements of a longest increasing subsequence. A step without a mark was moved.
std::vector<bool> longest_increasing(const std::vector<size_t>& values) {
  std::vector<size_t> ends;  // of the best run of each length, the position where it ends
  std::vector<size_t> previous(values.size(), SIZE_MAX);
  for (size_t k = 0; k < values.size(); ++k) {
    const auto at = std::lower_bound(ends.begin(), ends.end(), values[k], [&](size_t e, size_t v) { return values[e] < v; });
    if (at != ends.begin()) previous[k] = *std::prev(at);
    if (at == ends.end()) ends.push_back(k);
    else *at = k;
  }
  std::vector<bool> marks(values.size());
  for (size_t k = ends.empty() ? SIZE_MAX : ends.back(); k != SIZE_MAX; k = previous[k]) marks[k] = true;
  return marks;
}

// The rows of one block and its partner. Either may be null.
std::vector<ChangedNode> rows_of(const Block* before, const Block* after, const NodePairs& pairs) {
  const std::vector<const Node*> b = steps(before), a = steps(after);
  std::unordered_map<const Node*, size_t> position;
  for (size_t k = 0; k < b.size(); ++k) position[b[k]] = k;
  std::vector<size_t> partners;  // positions of the partners, without get_attr nodes, whose order does not matter
  for (const Node* n : a)
    if (const Node* partner = before ? pairs.before(n) : nullptr; partner && n->op() != Op::GetAttr)
      partners.push_back(position.at(partner));
  const std::vector<bool> stays = longest_increasing(partners);
  std::vector<ChangedNode> rows;
  size_t next = 0, seen = 0;
  auto removed = [&](size_t k) { return !after || !pairs.after(b[k]); };
  auto removed_until = [&](size_t end) {
    for (; next < end; ++next)
      if (removed(next)) rows.emplace_back().before = b[next];
  };
  // Removed nodes come before the nodes that were added in their place.
  auto removed_here = [&] {
    for (; next < b.size() && (removed(next) || b[next]->op() == Op::GetAttr); ++next)
      if (removed(next)) rows.emplace_back().before = b[next];
  };
  removed_here();
  for (const Node* n : a) {
    const Node* partner = before ? pairs.before(n) : nullptr;
    if (!partner) {
      rows.emplace_back().after = n;
      continue;
    }
    ChangedNode row = pairs.change(partner, n);
    if (n->op() != Op::GetAttr) {
      row.moved = !stays[seen++];
      if (!row.moved) removed_until(position.at(partner));
    }
    rows.push_back(row);
    if (n->op() != Op::GetAttr && !row.moved) ++next, removed_here();
  }
  removed_until(b.size());
  return rows;
}

}  // namespace

std::vector<ChangedNode> graph_changes(const Graph& before, const Graph& after) {
  const NodePairs pairs(before, after);
  std::vector<ChangedNode> all;
  struct Frame {
    std::vector<ChangedNode> rows;
    size_t next = 0;
  };
  std::vector<Frame> stack;
  stack.push_back({rows_of(before.root(), after.root(), pairs)});
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == frame.rows.size()) {
      stack.pop_back();
      continue;
    }
    const ChangedNode row = frame.rows[frame.next++];
    all.push_back(row);
    const size_t x = row.before ? row.before->block_count() : 0, y = row.after ? row.after->block_count() : 0;
    for (size_t k = std::max(x, y); k-- > 0;) {
      const Block *b = k < x ? row.before->block(k) : nullptr, *a = k < y ? row.after->block(k) : nullptr;
      stack.push_back({rows_of(b, a, pairs)});
    }
  }
  return all;
}

}  // namespace monograph::passes
