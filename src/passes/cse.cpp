// One walk in order with a table of the calls seen. Skeletons are interned, so two calls are equal if their targets, skeletons and inputs are the same
// pointers. Where the graph writes to memory, the calls between two writes have a table of their own.
#include "passes/cse.h"

#include <optional>
#include <unordered_map>

#include "core/interrupt.h"
#include "passes/call_effects.h"
#include "passes/memory.h"

namespace monograph::passes {

using namespace ir;

namespace {

const void* meaning(const Node* n) { return n->info() ? static_cast<const void*>(n->info()) : n->target().surface; }

struct SameCall {
  static void mix(size_t& hash, const void* p) { hash = (hash ^ (reinterpret_cast<size_t>(p) >> 4)) * 0x9e3779b97f4a7c15u; }
  size_t operator()(const Node* n) const {
    size_t hash = static_cast<size_t>(n->op());
    mix(hash, meaning(n));
    mix(hash, &n->skeleton());
    for (size_t k = 0; k < n->input_count(); ++k) mix(hash, n->input(k));
    return hash ^ (hash >> 32);
  }
  bool operator()(const Node* a, const Node* b) const {
    if (a->op() != b->op() || meaning(a) != meaning(b) || &a->skeleton() != &b->skeleton() || a->input_count() != b->input_count())
      return false;
    if ((a->type_declared() || b->type_declared()) && a->type() != b->type()) return false;
    for (size_t k = 0; k < a->input_count(); ++k)
      if (a->input(k) != b->input(k)) return false;
    return true;
  }
};

class EqualCalls {
 public:
  EqualCalls(Graph& graph, const std::function<bool(const Node&)>& stays) : graph_(graph), stays_(stays) {
    known_.reserve(graph.node_count());
    for (const Node* n : NestedNodes(graph)) {
      interrupt_point();
      writes_ |= changes_memory(call_effects(*n));
    }
    if (writes_) memory_.emplace(graph);
  }

  size_t run() {
    std::vector<Node*> order;  // a copy, since the loop erases nodes and adds projections
    order.reserve(graph_.node_count());
    for (Node* n : NestedNodes(graph_)) order.push_back(n);
    const Block* block = graph_.root();
    for (Node* n : order) {
      interrupt_point();
      // In a loop, a write behind a read comes before the read of the next iteration.
      if (writes_ && (n->block() != block || changes_memory(call_effects(*n)))) known_.clear();
      block = n->block();
      if (n->erased() || !may_go(n)) continue;
      auto [found, fresh] = known_.try_emplace(n, n);
      if (fresh) continue;
      if (!found->second->dominates(n)) {  // the first call stands in another block
        found->second = n;
        continue;
      }
      replace(n, found->second);
      ++removed_;
    }
    return removed_;
  }

 private:
  static bool changes_memory(const Effects& e) { return e.user_code || (e.writes & (Effects::Memory | Effects::Mode)); }

  bool may_go(const Node* n) const {
    if (n->is_projection() || n->structure() != Structure::None) return false;
    if (n->op() != Op::GetAttr && (n->op() != Op::CallFunction || !call_effects(*n).droppable())) return false;
    if (writes_ && is_written(n)) return false;
    return !stays_ || !stays_(*n);
  }
  bool is_written(const Node* n) const {
    if (!n->multi()) return n->op() != Op::GetAttr && memory_->written(n);
    for (const Node* p = n->next(); p && p->is_projection() && p->projected() == n; p = p->next())
      if (memory_->written(p)) return true;
    return false;
  }

  void replace(Node* n, Node* first) {
    while (Node* p = n->multi() ? n->next() : nullptr) {
      if (!p->is_projection() || p->projected() != n) break;
      graph_.replace_all_uses(p, graph_.project(first, p->projected_index()));
      graph_.erase(p);
    }
    if (!n->multi()) graph_.replace_all_uses(n, first);
    graph_.erase(n);
  }

  Graph& graph_;
  const std::function<bool(const Node&)>& stays_;
  bool writes_ = false;
  std::optional<MemoryGroups> memory_;  // set if the graph writes
  std::unordered_map<const Node*, Node*, SameCall, SameCall> known_;  // from a call to the last equal call that stays
  size_t removed_ = 0;
};

}  // namespace

size_t eliminate_common_subexpressions(Graph& graph, const std::function<bool(const Node&)>& stays) {
  return EqualCalls(graph, stays).run();
}

}  // namespace monograph::passes
