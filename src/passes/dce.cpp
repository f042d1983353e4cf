// LiveNodes marks backwards from outputs and effects, with an explicit stack. Nodes without a mark are erased.
#include "passes/dce.h"

#include <algorithm>

#include "core/interrupt.h"
#include "passes/call_effects.h"
#include "passes/canonical_calls.h"
#include "passes/dependences.h"

namespace monograph::passes {

using namespace ir;

namespace {

// Marks backwards from what is observable. A result of an If or Loop is marked by itself, apart from the node being run.
class LiveNodes {
 public:
  explicit LiveNodes(const Graph& graph) : graph_(graph), live_(graph.id_limit()) {}

  void run() {
    for (Node* n : NestedNodes(graph_)) {
      interrupt_point();
      if (n->structure() != Structure::None) add_region(n);
      if (!n->block()->owner() && (n->op() == Op::Placeholder || n->op() == Op::Output)) mark(n);
      if (n->op() != Op::Output && n->structure() == Structure::None && !call_effects(*n).droppable() && !makes_value(n)) mark(n);
    }
    for (const Guard& g : graph_.guards())
      if (g.value) demand(g.value);
    while (!work_.empty()) {
      interrupt_point();
      Node* n = work_.back();
      work_.pop_back();
      visit(n);
    }
  }

  const std::vector<bool>& live() const { return live_; }
  // Per If and Loop, which results are unused.
  Graph::DeadResults dead_results() const {
    Graph::DeadResults result;
    for (const Region& r : regions_)
      if (live_[r.node->id()] && std::find(r.demanded.begin(), r.demanded.end(), false) != r.demanded.end()) {
        std::vector<bool> remove = r.demanded;
        remove.flip();
        result.emplace_back(r.node, std::move(remove));
      }
    return result;
  }

 private:
  struct Region {
    Node* node;
    std::vector<bool> demanded;
    std::vector<uint32_t> inputs;
    std::vector<std::vector<uint32_t>> ends;  // of each block
  };

  void add_region(Node* n) {
    if (regions_.empty()) slot_.resize(graph_.id_limit(), -1), region_.resize(graph_.id_limit(), -1);
    region_[n->id()] = static_cast<int>(regions_.size());
    Region r{n, std::vector<bool>(n->result_count()), inputs_by_argument(n), {}};
    for (size_t k = 0; k < n->block_count(); ++k) {
      r.ends.push_back(inputs_by_argument(n->block(k)->output()));
      if (!n->is_loop()) continue;
      int slot = -1;  // the counter is no carried value
      for (Node* p : n->block(k)->placeholders()) slot_[p->id()] = slot++;
    }
    regions_.push_back(std::move(r));
  }

  // Tables by id exist only where a graph has branches or loops: ids grow with every node that was ever made.
  int region(const Node* n) const { return regions_.empty() ? -1 : region_[n->id()]; }

  void mark(Node* n) {
    if (live_[n->id()]) return;
    live_[n->id()] = true;
    work_.push_back(n);
  }
  void demand(Node* value) {
    if (value->is_projection() && region(value->projected()) >= 0) {
      mark(value);
      demand_result(value->projected(), value->projected_index());
    } else if (value->structure() != Structure::None && !value->multi()) {
      demand_result(value, 0);
    } else {
      if (!regions_.empty() && slot_[value->id()] >= 0) demand_result(value->block()->owner(), static_cast<size_t>(slot_[value->id()]));
      mark(value);
    }
  }
  void demand_range(Node* n, const std::vector<uint32_t>& first, size_t k) {
    if (k + 1 >= first.size()) return;
    for (uint32_t i = first[k]; i < first[k + 1]; ++i) demand(n->input(i));
  }
  // Iterative: nodes to mark come from the work list, except slots, whose chains end at one that is marked already.
  void demand_result(Node* n, size_t k) {
    Region& r = regions_[static_cast<size_t>(region_[n->id()])];
    if (k >= r.demanded.size() || r.demanded[k]) return;
    r.demanded[k] = true;
    mark(n);
    results_.emplace_back(n, k);
    if (draining_) return;
    draining_ = true;
    while (!results_.empty()) {
      auto [m, j] = results_.back();
      results_.pop_back();
      Region& q = regions_[static_cast<size_t>(region_[m->id()])];
      size_t head = m->is_loop() ? 1 : 0;
      for (size_t b = 0; b < m->block_count(); ++b) demand_range(m->block(b)->output(), q.ends[b], j + head);
      if (m->is_loop()) demand_range(m, q.inputs, j + 2);
    }
    draining_ = false;
  }

  void visit(Node* n) {
    if (Node* owner = n->block()->owner(); owner && n->op() != Op::Placeholder) mark(owner);
    if (region(n) < 0) {
      for (size_t k = 0; k < n->input_count(); ++k) demand(n->input(k));
      return;
    }
    // It runs: its condition and count are needed, and its blocks' ends.
    const Region& r = regions_[static_cast<size_t>(region_[n->id()])];
    demand_range(n, r.inputs, 0);
    if (n->is_loop()) demand_range(n, r.inputs, 1), demand_range(n->block(0)->output(), r.ends[0], 0);
    for (size_t k = 0; k < n->block_count(); ++k) live_[n->block(k)->output()->id()] = true;
  }

  const Graph& graph_;
  std::vector<bool> live_;
  std::vector<int> slot_, region_;
  std::vector<Region> regions_;
  std::vector<Node*> work_;
  std::vector<std::pair<Node*, size_t>> results_;
  bool draining_ = false;
};

}  // namespace

size_t eliminate_dead_code(Graph& graph) {
  LiveNodes liveness(graph);
  liveness.run();
  size_t removed = graph.remove_dead(liveness.live(), liveness.dead_results());
  // A result that only the loop itself needs stays, but nobody projects it.
  std::vector<Node*> unused;
  for (Node* n : NestedNodes(graph))
    if (n->is_projection() && !n->has_uses() && !liveness.live()[n->id()]) unused.push_back(n);
  for (Node* n : unused) graph.erase(n);
  return removed + unused.size();
}

}  // namespace monograph::passes
