// One walk over each block notes the accesses of every node to the six states; the edges follow from them.
#include "passes/dependences.h"

#include "core/interrupt.h"

#include <algorithm>
#include <array>
#include <utility>

namespace monograph::passes {

using namespace ir;

namespace {

constexpr uint8_t kEveryEffect = 15;  // the states of ir::Effects

bool holds_memory(Type t) {
  switch (t.kind()) {
    case TypeKind::Int:
    case TypeKind::Float:
    case TypeKind::Bool:
    case TypeKind::Complex:
    case TypeKind::Str:
    case TypeKind::None:
    case TypeKind::Number:
    case TypeKind::SymInt:
    case TypeKind::SymFloat:
    case TypeKind::SymBool: return false;
    default: return true;
  }
}

// Whether the node is a call that is given more than numbers, by its schema. It could read memory, and its result could require grad, whatever its effects are.
bool takes_more_than_numbers(const Node* n) {
  if (n->op() == Op::GetAttr) return true;
  if (n->op() == Op::Placeholder || n->op() == Op::Output || n->is_projection() || n->structure() != Structure::None) return false;
  if (n->input_count() == 0) return false;
  if (!n->info() || n->info()->schema().is_vararg()) return true;
  const auto& arguments = n->info()->schema().arguments();
  return std::any_of(arguments.begin(), arguments.end(), [](const Argument& a) { return !a.type || holds_memory(a.type); });
}

}  // namespace

Dependences::Dependences(const Graph& graph, const std::function<Effects(const Node&)>& effects)
    : access_(graph.id_limit()), range_(graph.id_limit()) {
  find_access(graph, effects);
  edges_.reserve(graph.node_count() / 4);
  find_order(graph.root());
  for (Node* n : NestedNodes(graph))
    for (size_t k = 0; k < n->block_count(); ++k) find_order(n->block(k));
  find_captures(graph);
}

void Dependences::find_access(const Graph& graph, const std::function<Effects(const Node&)>& effects) {
  uint8_t changed = 0;  // Memory, Mode: what some node writes
  std::vector<Node*> nodes;
  nodes.reserve(graph.node_count());
  for (Node* n : NestedNodes(graph)) {
    interrupt_point();
    Effects e = effects(*n);
    Access& a = access_[n->id()];
    a.reads = e.reads;
    a.stands_at = e.reads | (e.may_raise ? kEveryEffect : 0);
    a.writes = static_cast<uint8_t>(e.writes | (e.raises ? Failure : 0) | (e.user_code ? Foreign : 0));
    changed |= e.writes & (Memory | Mode);
    nodes.push_back(n);
  }
  // Backwards: what is inside a node comes after it.
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    Node* n = *it;
    Access& a = access_[n->id()];
    if (changed && takes_more_than_numbers(n)) a.reads |= changed, a.stands_at |= changed;
    if (Node* owner = n->block()->owner()) {
      Access& enclosing = access_[owner->id()];
      enclosing.reads |= a.reads, enclosing.stands_at |= a.stands_at, enclosing.writes |= a.writes;
    }
  }
}

void Dependences::find_order(const Block* block) {
  std::array<Node*, kStates> writer{};
  std::array<std::vector<Node*>, kStates> readers;
  for (Node* n : *block) {
    interrupt_point();
    Access a = access_[n->id()];
    if (n->op() == Op::Output) a.stands_at = (1 << kStates) - 1;
    Range& r = range_[n->id()];
    r.first = static_cast<uint32_t>(edges_.size());
    if (!(a.stands_at | a.writes)) continue;
    auto is_new = [&](Node* m) { return m && std::find(edges_.begin() + r.first, edges_.end(), m) == edges_.end(); };
    for (int s = 0; s < kStates; ++s)
      if ((a.stands_at | a.writes) >> s & 1 && is_new(writer[s])) edges_.push_back(writer[s]);
    r.writers = static_cast<uint32_t>(edges_.size()) - r.first;
    for (int s = 0; s < kStates; ++s) {
      if (a.writes >> s & 1) {
        edges_.insert(edges_.end(), readers[s].begin(), readers[s].end());
        readers[s].clear();
        writer[s] = n;
      } else if (a.stands_at >> s & 1) {
        readers[s].push_back(n);
      }
    }
    r.readers = static_cast<uint32_t>(edges_.size()) - r.first - r.writers;
  }
}

void Dependences::find_captures(const Graph& graph) {
  std::vector<uint32_t> depth(graph.id_limit());
  std::vector<Node*> owners;  // around the node at hand, from the outside
  std::vector<std::pair<Node*, Node*>> found;
  for (Node* n : NestedNodes(graph)) {
    interrupt_point();
    Node* owner = n->block()->owner();
    uint32_t d = owner ? depth[owner->id()] + 1 : 0;
    depth[n->id()] = d;
    if (owner) owners.resize(d), owners[d - 1] = owner;
    for (size_t k = 0; k < n->input_count(); ++k)
      if (Node* v = n->input(k); depth[v->id()] < d) found.emplace_back(owners[depth[v->id()]], producer(v));
  }
  for (auto [owner, value] : found) ++range_[owner->id()].captured;
  uint32_t total = 0;
  for (Range& r : range_) r.captures = total, total += std::exchange(r.captured, 0);
  captures_.resize(total);
  for (auto [owner, value] : found) {
    Range& r = range_[owner->id()];
    captures_[r.captures + r.captured++] = value;
  }
}

std::vector<uint32_t> inputs_by_argument(const Node* n) {
  std::vector<uint32_t> first{0};
  first.reserve(n->arg_count() + 1);
  for (auto it = n->args_begin(); it != n->args_end(); ++it) {
    uint32_t count = 0;
    const ArgItem* item = (*it).item();
    for (uint32_t i = 0; i < item->extent; ++i) count += item[i].kind == ArgKind::Node;
    first.push_back(first.back() + count);
  }
  return first;
}

void hoist_over_blocks(Graph& graph, const Dependences& dependences) {
  std::vector<const Block*> blocks;
  for (Node* n : NestedNodes(graph))
    if (n->block_count() && (blocks.empty() || blocks.back() != n->block())) blocks.push_back(n->block());
  std::vector<bool> done(graph.id_limit());
  std::vector<int> after(graph.id_limit(), -1);  // which If or Loop of its block a node depends on last, itself included
  for (const Block* b : blocks) {
    if (done[b->output()->id()]) continue;
    done[b->output()->id()] = true;
    std::vector<Node*> nodes(b->begin(), b->end()), owners;
    for (Node* n : nodes) {
      interrupt_point();
      if (n->op() == Op::Placeholder || n->op() == Op::Output || n->is_projection()) continue;
      int& last = after[n->id()];
      if (n->block_count()) {
        last = static_cast<int>(owners.size());
        owners.push_back(n);
        continue;
      }
      auto depends = [&](Node* p) {
        if (p->block() == b) last = std::max(last, after[p->id()]);
      };
      for (size_t k = 0; k < n->input_count(); ++k) depends(producer(n->input(k)));
      for (Node* p : dependences.writers(n)) depends(p);
      for (Node* p : dependences.readers(n)) depends(p);
      const size_t next = static_cast<size_t>(last) + 1;
      if (next < owners.size()) graph.move_before(n, owners[next]);
    }
  }
}

}  // namespace monograph::passes
