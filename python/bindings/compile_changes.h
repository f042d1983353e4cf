// What the calls of a graph write, and what a run has changed of a tensor beside its elements. A part of compile_capture.cpp.
#pragma once

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "autograd/engine.h"
#include "ops/dispatch.h"
#include "tensor.h"

#ifdef MONOGRAPH_MACHINE
namespace monograph::python::compiled {

// Whether the memory of a value was made by the graph itself: through views, branches and loops, from an operator whose result is new.
class LocalMemory {
 public:
  bool holds(ir::ArgRef a) { return a.node() && holds(a.node()); }
  bool holds(const ir::Node* n) {
    if (!seen_.insert(n).second) return true;  // a loop hands it round: it is as local as what the loop begins with
    if (seen_.size() > kNodes) return false;  // each is a call deeper
    if (n->is_projection()) return n->projected()->block_count() && is_result_local(n->projected(), n->projected_index());
    if (n->block_count()) return is_result_local(n, 0);
    if (n->op() == ir::Op::Placeholder) {
      const ir::Node* loop = n->block()->owner();
      if (!loop || !loop->is_loop()) return false;
      const std::vector<ir::Node*> inside = n->block()->placeholders();
      const auto k = static_cast<size_t>(std::ranges::find(inside, n) - inside.begin());
      return k > 0 && is_result_local(loop, k - 1);  // the first one counts the rounds
    }
    if (n->op() != ir::Op::CallFunction || !n->info()) return false;
    const ir::FunctionSchema& schema = n->info()->schema();
    if (schema.returns().size() != 1) return false;
    if (!schema.result_aliases(0)) return true;
    const ir::Node* shown = nullptr;
    for (size_t k = 0; k < schema.arguments().size() && k < n->positional_count(); ++k)
      if (schema.may_alias(0, k)) {
        if (shown || !n->arg(k).node()) return false;
        shown = n->arg(k).node();
      }
    return shown && holds(shown);
  }

 private:
  // Of an If: what both ways end with. Of a Loop: what it begins with, and what its body ends with.
  bool is_result_local(const ir::Node* n, size_t k) {
    if (n->is_if()) return holds(n->block(0)->output()->arg(k)) && holds(n->block(1)->output()->arg(k));
    return n->is_loop() && holds(n->arg(k + 2)) && holds(n->block(0)->output()->arg(k + 1));
  }

  static constexpr size_t kNodes = 1000;
  std::unordered_set<const ir::Node*> seen_;
};

// Whether all that a call writes is the graph's own.
inline bool writes_locally(const ir::Node* n) {
  const ir::FunctionSchema& schema = n->info()->schema();
  bool marked = false;
  for (size_t k = 0; k < schema.arguments().size(); ++k) {
    if (!schema.arguments()[k].writes()) continue;
    marked = true;
    if (k >= n->positional_count() || !LocalMemory().holds(n->arg(k))) return false;
  }
  return marked;
}

// A call in evaluation mode by its own argument: dropout and batch_norm change nothing then.
inline bool is_for_evaluation(const ir::Node* n) {
  const auto& arguments = n->info()->schema().arguments();
  for (size_t k = 0; k < arguments.size() && k < n->positional_count(); ++k)
    if ((arguments[k].name == "train" || arguments[k].name == "training") && n->arg(k).is(ir::ArgKind::Bool)) return !n->arg(k).as_bool();
  return false;
}

// Whether a user's own code runs in it: what that does beside its result happens each time.
inline bool runs_user_code(const ir::Graph& graph) {
  for (const ir::Node* n : ir::NestedNodes(graph))
    if (n->info() && (n->info()->effects().user_code || is_written_in_python(n->info()))) return true;
  return false;
}

// Tensors as they are beside their elements: a run that changes this cannot be done again.
class TensorStates {
 public:
  void add(const Tensor& t) { states_.push_back({t, t->storage, t.sizes(), t.strides(), t->offset, t.requires_grad(), grad_fn(t)}); }
  bool are_same() const {
    return std::ranges::all_of(states_, [](const State& s) {
      return s.tensor->storage.get() == s.storage.get() && s.tensor.sizes() == s.sizes && s.tensor.strides() == s.strides &&
             s.tensor->offset == s.offset && s.tensor.requires_grad() == s.requires_grad && grad_fn(s.tensor).get() == s.grad_fn.get();
    });
  }

 private:
  struct State {
    Tensor tensor;
    Ref<Storage> storage;
    Dims sizes, strides;
    int64_t offset;
    bool requires_grad;
    Ref<GradNode> grad_fn;
  };
  std::vector<State> states_;
};

}  // namespace monograph::python::compiled
#endif
