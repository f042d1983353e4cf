// Type inference over a whole graph.
#include "ir/builder.h"
#include "ir/graph.h"
#include "ir/walk.h"

namespace monograph::ir {
namespace {

constexpr int kMaxRounds = 16;

// What a type is without what may still change from round to round.
Type widest(Type t) { return t.is(TypeKind::Tensor) ? Type(TypeKind::Tensor) : Type(TypeKind::Any); }

class Inference {
 public:
  explicit Inference(Graph& graph) : graph_(graph) {}

  // Rounds over the whole graph until no carried type changes: each is linear, and loops in loops do not multiply.
  void run() {
    for (int round = 0; round < kMaxRounds; ++round) {
      first_ = round == 0, widen_ = round > kMaxRounds / 2, changed_ = false;
      pass();
      if (!changed_) return;
    }
  }

 private:
  // What cannot be right says which node it is, as it would where it runs.
  static Type inferred(const Node& n) try { return n.info()->infer(n); } catch (Error& e) {
    e.note(concat("in ", n.info()->name()));
    e.note(concat("of %", n.name()));
    e.locate(n.span());
    throw;
  }

  void set(Node* n, Type t) {
    if (n->type_declared() || n->type() == t) return;
    if (n->multi() && !t.is(TypeKind::Tuple)) return;
    graph_.set_type(n, t);
  }

  void pass() {
    walk(
        graph_.root(),
        [&](Node* n) {
          if (n->block_count()) enter(n);
          else if (n->op() == Op::CallFunction && n->info() && !n->is_projection()) set(n, inferred(*n));
        },
        [&](Block* b) {
          if (Node* owner = b->owner(); owner && b->index() + 1 == owner->block_count()) leave(owner);
        });
  }

  void enter(Node* n) {
    if (!n->is_loop() || !first_) return;
    auto slots = n->block(0)->placeholders();
    if (!slots.empty()) set(slots[0], TypeKind::Int);
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k)
      if (k >= 2 && k - 1 < slots.size()) set(slots[k - 1], type_of(*it));
  }

  void leave(Node* n) {
    std::vector<Type> types;
    if (n->is_if()) {
      const Node *yes = n->block(0)->output(), *no = n->block_count() > 1 ? n->block(1)->output() : nullptr;
      if (!yes || !no || yes->arg_count() != no->arg_count()) return;
      auto b = no->args_begin();
      for (auto a = yes->args_begin(); a != yes->args_end(); ++a, ++b) types.push_back(join(type_of(*a), type_of(*b)));
    } else if (n->is_loop()) {
      const Node* end = n->block(0)->output();
      auto slots = n->block(0)->placeholders();
      if (!end || end->arg_count() != slots.size() || n->arg_count() != slots.size() + 1) return;
      auto first = n->args_begin();
      ++first, ++first;
      auto last = end->args_begin();
      ++last;
      for (size_t k = 1; k < slots.size(); ++k, ++first, ++last) {
        Type t = join(type_of(*first), type_of(*last));
        if (t && widen_ && t != slots[k]->type()) t = widest(t);
        if (t != slots[k]->type() && !slots[k]->type_declared()) set(slots[k], t), changed_ = true;
        types.push_back(slots[k]->type());
      }
    }
    if (types.empty()) set(n, TypeKind::None);
    else if (types.size() == 1) set(n, types[0]);
    else if (n->multi() && !n->type_declared()) graph_.set_results(n, types);
  }

  Graph& graph_;
  bool first_ = true, widen_ = false, changed_ = false;
};

}  // namespace

void infer_types(Graph& graph) { Inference(graph).run(); }

}  // namespace monograph::ir
