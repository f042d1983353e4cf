#include "capture/dependence.h"

#include <algorithm>
#include <span>
#include <unordered_set>
#include <vector>

#include "ir/op.h"
#include "ops/record.h"

namespace monograph::capture {
namespace {

using ir::Effects;
using ir::Node;

bool writes_memory(const Node* n) { return n->info() && (n->info()->effects().writes & Effects::Memory); }
bool draws(const Node* n) { return n->info() && (n->info()->effects().reads & Effects::Random); }

bool reads_sizes_alone(const Node* n) {
  const auto* op = dynamic_cast<const Operator*>(n->info());
  return op && op->reads_sizes_alone;
}

class DependenceSearch {
 public:
  explicit DependenceSearch(const Node* value) : graph_(*value->graph()) {
    add(value);
    follow();
    // A write into what the value is made of is a part of it, with all that it depends on.
    for (bool more = true; more && found_ != Dependence::Values;) {
      more = false;
      for (const Node* n : ir::NestedNodes(graph_)) {
        if (!writes_memory(n) || seen_.contains(n) || !touches(n)) continue;
        writes_ = more = true;
        add(n), follow();
      }
    }
    if (writes_ && attributes_) found_ = Dependence::Values;
  }
  Dependence found() const { return found_; }

 private:
  void raise_to(Dependence d) { found_ = std::max(found_, d); }
  void add(const Node* n) {
    if (seen_.insert(n).second) open_.push_back(n);
  }
  bool touches(const Node* n) const {
    for (size_t k = 0; k < n->input_count(); ++k)
      if (n->input(k)->op() != ir::Op::Placeholder && seen_.contains(n->input(k))) return true;
    return false;
  }
  void follow() {
    while (!open_.empty()) {
      const Node* n = open_.back();
      open_.pop_back();
      look_at(n);
    }
  }
  void look_at(const Node* n) {
    if (n->op() == ir::Op::Placeholder) {
      if (n->block() == graph_.root()) return raise_to(Dependence::Values);
      return add(n->block()->owner());
    }
    if (n->op() == ir::Op::GetAttr) attributes_ = true;
    if (draws(n)) raise_to(Dependence::Values);
    if (writes_memory(n)) writes_ = true;
    const ir::Skeleton& arguments = n->skeleton();
    for (const ir::ArgItem& item : std::span(arguments.item, arguments.items))
      if (item.kind == ir::ArgKind::SymInt) raise_to(Dependence::Sizes);
    for (size_t k = 0; k < n->input_count(); ++k) {
      if (k == 0 && reads_sizes_alone(n) && n->input(0)->op() == ir::Op::Placeholder) raise_to(Dependence::Sizes);
      else add(n->input(k));
    }
    for (size_t k = 0; k < n->block_count(); ++k)
      for (const Node* inner : ir::NestedNodes(n->block(k))) add(inner);
  }

  const ir::Graph& graph_;
  Dependence found_ = Dependence::Nothing;
  bool attributes_ = false, writes_ = false;
  std::unordered_set<const Node*> seen_;
  std::vector<const Node*> open_;
};

}  // namespace

Dependence dependence_of(const Node* value) { return DependenceSearch(value).found(); }

}  // namespace monograph::capture
