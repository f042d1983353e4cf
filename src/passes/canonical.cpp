// One function for each step, in the order of canonical.h. canonical() at the end calls them. The rewrites of Ifs, Loops and numbers are in
// canonical_branches.cpp.
#include "passes/canonical.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>

#include "core/interrupt.h"
#include "core/sha256.h"
#include "ir/bind.h"
#include "ir/builder.h"
#include "ir/text.h"
#include "ir/walk.h"
#include "passes/canonical_branches.h"
#include "passes/canonical_calls.h"
#include "passes/canonical_dicts.h"
#include "passes/canonical_order.h"
#include "passes/dce.h"
#include "passes/dependences.h"
#include "passes/functionalize.h"
#include "passes/memory.h"
#include "passes/trackable_memory.h"

namespace monograph::passes {

using namespace ir;

namespace {

std::vector<Node*> all_nodes(const Graph& g) {
  std::vector<Node*> nodes;
  nodes.reserve(g.node_count());
  for (Node* n : NestedNodes(g)) {
    interrupt_point();
    nodes.push_back(n);
  }
  return nodes;
}

using Replacements = std::unordered_map<const Node*, Args>;

// Adds a copy of the argument. For the argument and each of its parts, leaf(args, part) may add something else instead; it returns whether it did.
template <class Leaf>
void add_rebuilt(Args& args, ArgRef arg, const Leaf& leaf) {
  if (leaf(args, arg)) return;
  if (!has_parts(arg.kind())) return void(args.add(arg));
  args.open(arg.kind());
  for (ArgRef part : arg) add_rebuilt(args, part, leaf);
  args.close();
}
template <class Leaf>
void rebuild_args(Graph& g, Node* n, const Leaf& leaf) {
  Args args;
  size_t k = 0;
  for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
    if (k >= n->positional_count()) args.name(n->keyword(k - n->positional_count()));
    add_rebuilt(args, *it, leaf);
  }
  g.set_args(n, args);
}

// Replaces each input of `user` that `by` lists.
void replace_inputs(Graph& g, Node* user, const Replacements& by) {
  if (by.empty()) return;
  bool any = false;
  for (size_t k = 0; k < user->input_count(); ++k) any |= by.contains(user->input(k));
  if (!any) return;
  rebuild_args(g, user, [&](Args& args, ArgRef arg) {
    auto found = arg.node() ? by.find(arg.node()) : by.end();
    if (found != by.end()) args.add(found->second);
    return found != by.end();
  });
}

// Constant tensors of equal contents become one object. Only a tensor that has the dtype and sizes of another one is hashed.
void unify_tensors(Graph& g) {
  if (g.tensors().size() < 2) return;
  std::map<std::pair<DType, std::vector<int64_t>>, std::vector<const TensorConstant*>> alike;
  for (const TensorRef& t : g.tensors()) alike[{t->dtype(), {t->sizes().begin(), t->sizes().end()}}].push_back(t.get());
  std::unordered_map<const TensorConstant*, TensorRef> first;
  for (const auto& [key, tensors] : alike) {
    if (tensors.size() < 2) continue;
    std::map<std::string_view, const TensorConstant*> by_contents;
    for (const TensorConstant* t : tensors)
      if (auto [at, fresh] = by_contents.try_emplace(t->content_hash(), t); !fresh) first[t] = g.tensor_ref(*at->second);
  }
  if (first.empty()) return;
  for (Node* n : all_nodes(g)) {
    interrupt_point();
    const Skeleton& s = n->skeleton();
    if (std::none_of(s.item, s.item + s.items, [&](const ArgItem& i) { return i.kind == ArgKind::Tensor && first.contains(i.tensor); }))
      continue;
    rebuild_args(g, n, [&](Args& args, ArgRef arg) {
      auto found = arg.is(ArgKind::Tensor) ? first.find(&arg.as_tensor()) : first.end();
      if (found != first.end()) args.add(found->second);
      return found != first.end();
    });
  }
}

// --- 1. Calls.

// Replaces the call by the body of the function that it calls. Returns false if the arguments do not bind.
bool inline_call(Graph& g, Node* call, const Graph& callee) {
  Node* out = callee.output();
  if (!out || out->arg_count() != 1 || out->arg(0).is_none()) return false;
  std::string why;
  const auto bound = bound_to_graph(callee, *call, why);
  if (!bound) return false;
  const std::vector<Node*> parameters = callee.placeholders();
  Graph::NodeMap map;
  g.insert_before(call);
  for (size_t i = 0; i < parameters.size(); ++i) map[parameters[i]] = as_node(g, (*bound)[i]);
  Args result = g.copy_body(callee.root(), map);
  if (Node* n = result[0].node()) {
    g.replace_all_uses(call, n);
  } else {
    Replacements by{{call, result}};
    for (Node* user : call->users()) replace_inputs(g, user, by);
  }
  g.erase(call);
  return true;
}

void inline_calls(Graph& g, const CanonicalOptions& options) {
  if (options.inline_modules) options.inline_modules(g);
  const Unit* unit = g.unit();
  if (!unit) return;
  // The calls that a node was inlined through, to find recursion. `origin` has the innermost one, as an index into `chain`; each Link has the next.
  struct Link {
    const Graph* callee;
    int enclosing;
  };
  std::vector<Link> chain;
  std::unordered_map<const Node*, int> origin;
  std::vector<Node*> work = all_nodes(g);
  std::reverse(work.begin(), work.end());
  while (!work.empty()) {
    Node* n = work.back();
    work.pop_back();
    if (n->erased() || n->op() != Op::CallFunction || n->multi()) continue;
    const Graph* callee = unit->find_function(n->target().name());
    if (!callee || callee->name() == g.name()) continue;
    auto at = origin.find(n);
    int enclosing = at == origin.end() ? -1 : at->second;
    bool recursive = false;
    for (int i = enclosing; i >= 0 && !recursive; i = chain[static_cast<size_t>(i)].enclosing)
      recursive = chain[static_cast<size_t>(i)].callee == callee;
    if (recursive) continue;
    uint32_t first = g.id_limit();
    if (!inline_call(g, n, *callee)) continue;
    chain.push_back({callee, enclosing});
    for (Node* m : NestedNodes(g))
      if (m->id() >= first) {
        origin[m] = static_cast<int>(chain.size()) - 1;
        if (m->op() == Op::CallFunction && unit->find_function(m->target().name())) work.push_back(m);
      }
  }
}

// --- 2, 3, 4. Operators.

void resolve(Graph& g, Node* n) {
  if (n->op() == Op::Placeholder || n->op() == Op::Output || n->op() == Op::GetAttr || n->info() || n->is_projection() ||
      n->structure() != Structure::None)
    return;
  const OpInfo* op = operator_lookup().resolve ? operator_lookup().resolve(*n) : nullptr;
  if (!op) return;
  // Bound before the target changes, since the program's own name tells the order of the arguments: 10 - x is rsub(x, 10).
  const Args args = bound_args(op->schema(), *n).value_or(n->copy_args());
  bool several = op->results() > 1;
  if (several != n->multi() && n->has_uses()) {
    // The program reads the results by getitem. Each getitem becomes a result.
    for (const Use* u = n->first_use(); u; u = u->next)
      if (u->user->op() != Op::CallFunction || u->user->target().name() != "operator.getitem" || u->user->arg_count() != 2 ||
          !u->user->arg(1).is(ArgKind::Int))
        return;
    g.insert_before(n);
    Node* typed = g.create(Op::CallFunction, g.resolved(*op), args);
    for (Node* user : n->users()) {
      int64_t k = user->arg(1).as_int();
      if (k < 0) k += static_cast<int64_t>(op->results());
      g.replace_all_uses(user, g.project(typed, static_cast<size_t>(k)));
      g.erase(user);
    }
    return g.erase(n);
  }
  g.set_args(n, args);
  g.set_target(n, Op::CallFunction, g.resolved(*op));
}

// Puts every argument in its position of the schema. If the arguments do not fit, the node stays as it is; verify() gives the error.
void bind(Graph& g, Node* n) {
  if (!n->info() || n->is_projection()) return;
  if (std::optional<Args> args = bound_args(n->info()->schema(), *n)) g.set_args(n, *args);
}

// Replaces prim::ListUnpack by one __getitem__ for each item. Its check of the length goes, as the guards of a trace do.
void unpack_lists(Graph& g) {
  for (Node* n : all_nodes(g)) {
    interrupt_point();
    if (n->erased() || n->target().name() != "prim::ListUnpack" || !n->multi() || n->arg_count() != 1) continue;
    g.insert_before(n);
    for (size_t k = 0; k < n->result_count(); ++k)
      if (Node* r = n->result(k)) g.replace_all_uses(r, g.call("aten::__getitem__.t", Args(n->arg(0), static_cast<int64_t>(k))));
    g.erase(n);
  }
}

// A call in place returns the tensor or list that it writes. Users of the result then use that value itself.
void use_written_values(Graph& g) {
  for (Node* n : all_nodes(g))
    if (is_call(n) && n->has_uses() && functional_form(n)) g.replace_all_uses(n, n->arg(0).as_node());
}

void operators(Graph& g) {
  unpack_lists(g);
  for (Node* n : all_nodes(g))
    if (!n->erased()) resolve(g, n);
  std::vector<Node*> work = all_nodes(g);
  for (size_t i = 0; i < work.size(); ++i) {
    if (work[i]->erased()) continue;
    bind(g, work[i]);
    uint32_t first = g.id_limit();
    if (!work[i]->info() || !work[i]->info()->canonicalize(work[i])) continue;
    // A rewrite puts new nodes before the node, or in its place. They are found by going back from there, and are visited too.
    if (!work[i]->erased()) bind(g, work[i]);
    Node* from = work[i]->erased() ? work[i]->next() : work[i]->previous();
    for (Node* m = from; m && m->id() >= first; m = m->previous()) work.push_back(m);
    if (work[i]->erased())
      for (Node* m = from ? from->previous() : work[i]->block()->last(); m && m->id() >= first; m = m->previous()) work.push_back(m);
  }
}

// --- 6. Loops of literal count.

bool literal_true(const Node* n, size_t k) { return k < n->arg_count() && n->arg(k).is(ArgKind::Bool) && n->arg(k).as_bool(); }

bool unroll(Graph& g, Node* loop) {
  if (!loop->arg(0).is(ArgKind::Int) || !literal_true(loop, 1) || !literal_true(loop->block(0)->output(), 0)) return false;
  int64_t count = std::max<int64_t>(loop->arg(0).as_int(), 0);
  if (count > static_cast<int64_t>(kMaxUnrolledNodes) || nodes_inside(loop) * static_cast<size_t>(count) > kMaxUnrolledNodes) return false;
  g.insert_before(loop);
  Args state = loop->copy_args();
  for (int64_t i = 0; i < count; ++i) state = copy_iteration(g, loop, i, state);
  for (size_t k = 2; k < state.size(); ++k)
    if (Node* r = loop->result(k - 2); r && r->has_uses()) g.replace_all_uses(r, as_node(g, state[k]));
  g.erase(loop);
  return true;
}

// The graph has no dead or repeated nodes, which would count against kMaxUnrolledNodes. Returns whether a Loop was unrolled or peeled.
bool unroll_loops(Graph& g) {
  if (g.node_count() > kMaxUnrolledGraph) return false;
  std::vector<Node*> nodes = all_nodes(g);
  bool any = false;
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it)  // inner loops first
    if (!(*it)->erased() && (*it)->is_loop()) any |= unroll(g, *it) || unroll_bounded(g, *it) || peel(g, *it);
  return any;
}

// --- 7, 8. Constants and aggregates.

void fold_training(Graph& g, bool training) {
  Replacements by;
  for (Node* n : all_nodes(g)) {
    interrupt_point();
    replace_inputs(g, n, by);
    std::string_view path = n->target().name();
    if (n->op() == Op::GetAttr && (path == "training" || path.ends_with(".training"))) by.emplace(n, Args(training));
  }
}

// Whether the call that uses the value may write to it, or return a value that shares memory with it.
bool may_write_or_alias(const Use* u) {
  const Node* user = u->user;
  if (user->op() == Op::Output || user->structure() != Structure::None) return false;
  if (!user->info() || user->info()->schema().is_vararg()) return true;
  if (user->info()->schema().is_pure()) return false;
  // Of the arguments, only those that the schema marks are written: out=, but not the list of dims before it.
  std::vector<uint32_t> first = inputs_by_argument(user);
  const auto argument = static_cast<size_t>(std::upper_bound(first.begin(), first.end(), u->index) - first.begin()) - 1;
  const int at = position_in_schema(user->info()->schema(), *user, argument);
  if (at < 0) return true;
  const Argument& a = user->info()->schema().arguments()[static_cast<size_t>(at)];
  return a.alias || a.element_alias;
}

// Replaces each node for which `value_of` returns an argument by that argument.
template <class ValueOf>
void inline_values(Graph& g, ValueOf&& value_of) {
  Replacements by;
  std::vector<Node*> gone;
  for (Node* n : all_nodes(g)) {
    interrupt_point();
    replace_inputs(g, n, by);
    if (n->op() != Op::CallFunction || n->multi()) continue;
    if (std::optional<Args> value = value_of(n)) {
      by.emplace(n, std::move(*value));
      gone.push_back(n);
    }
  }
  for (auto it = gone.rbegin(); it != gone.rend(); ++it) g.erase(*it);
}

void inline_constants(Graph& g) {
  inline_values(g, [](const Node* n) -> std::optional<Args> {
    if (n->target().name() != "prim::Constant" || n->arg_count() > 1) return std::nullopt;
    Args value;
    return n->arg_count() == 0 ? value.none() : value.add(n->arg(0));  // PyTorch writes None as one without a value
  });
}

// Whether a list or tuple can stand in the arguments of its users: with two that keep it, the program would have two lists where it had one.
bool is_read_alone(const Node* n) {
  if (n->has_one_use()) return !may_write_or_alias(n->first_use());
  for (const Use* u = n->first_use(); u; u = u->next)
    if (!is_call(u->user) || may_write_or_alias(u) || is_call_of(u->user, "aten::__is__") || is_call_of(u->user, "aten::__isnot__"))
      return false;
  return n->has_uses();
}

void inline_aggregates(Graph& g) {
  inline_values(g, [](const Node* n) -> std::optional<Args> {
    const bool list = is_call_of(n, "prim::ListConstruct"), dict = is_call_of(n, "prim::DictConstruct");
    if (dict && !(n->has_one_use() && n->first_use()->user->op() == Op::Output && !n->block()->owner())) return std::nullopt;
    if ((!list && !dict && !is_call_of(n, "prim::TupleConstruct")) || !is_read_alone(n)) return std::nullopt;
    Args value;
    value.open(list ? ArgKind::List : dict ? ArgKind::Dict : ArgKind::Tuple);
    for (auto it = n->args_begin(); it != n->args_end(); ++it) value.add(*it);
    return value.close();
  });
}

// --- 9. Common subexpressions.

// Two nodes have one value if their operator, literals and operands are equal, and no state that they read was written between them. `version_` counts the
// writes of each state (passes/dependences.h). Nodes whose result is written later stay separate, since each has memory that the write changes.
class CommonSubexpressions {
 public:
  CommonSubexpressions(Graph& g, const Dependences& dependences) : g_(g), dependences_(dependences) {}

  void run() {
    std::vector<size_t> marks{0};
    std::vector<Versions> outside;
    walk(
        g_.root(),
        [&](Node* n) {
          interrupt_point();
          if (!n->block_count()) {
            visit(n);
            return write(n);
          }
          marks.push_back(undo_.size());
          outside.push_back(version_);
          if (n->is_loop()) write(n);  // earlier iterations have written already
        },
        [&](Block* b) {
          for (; undo_.size() > marks.back(); undo_.pop_back()) table_.erase(undo_.back());
          marks.pop_back();
          Node* owner = b->owner();
          if (!owner) return;
          version_ = outside.back();
          if (b->index() + 1 < owner->block_count()) return marks.push_back(undo_.size());
          outside.pop_back();
          write(owner);
        });
  }

 private:
  using Key = std::vector<uint64_t>;
  struct KeyHash {
    size_t operator()(const Key& k) const {
      uint64_t h = 0;
      for (uint64_t v : k) h = (h ^ v) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
      return h;
    }
  };
  using Versions = std::array<uint64_t, Dependences::kStates>;

  void write(const Node* n) {
    for (int s = 0; s < Dependences::kStates; ++s)
      if (dependences_.writes(n) >> s & 1) version_[static_cast<size_t>(s)] = ++last_version_;
  }
  bool written(const Node* n) {
    if (!memory_written_) {
      memory_written_ = false;
      for (Node* m : *g_.root()) *memory_written_ |= (dependences_.writes(m) & Dependences::Memory) != 0;
      if (*memory_written_) groups_.emplace(g_);
    }
    if (!*memory_written_) return false;
    if (!n->multi()) return groups_->written(n);
    for (const Node* p = n->next(); p && p->is_projection() && p->projected() == n; p = p->next())
      if (groups_->written(p)) return true;
    return false;
  }
  void visit(Node* n) {
    if (n->op() == Op::Placeholder || n->op() == Op::Output || n->is_projection() || dependences_.writes(n) || makes_value(n)) return;
    // A declared type is part of the program.
    Key key{static_cast<uint64_t>(n->op()), reinterpret_cast<uintptr_t>(n->target().overload ? n->target().overload : &n->target().name()),
            reinterpret_cast<uintptr_t>(&n->skeleton()), n->type_declared() ? std::bit_cast<uintptr_t>(n->type()) : 0};
    for (size_t k = 0; k < n->input_count(); ++k) key.push_back(n->input(k)->id());
    for (int s = 0; s < Dependences::kStates; ++s)
      if (dependences_.reads(n) >> s & 1) key.push_back(version_[static_cast<size_t>(s)]);
    if (written(n)) return;  // not put into the table either: a later equal node, which is not written, must not become this one
    auto [at, fresh] = table_.try_emplace(key, n);
    if (fresh) return undo_.push_back(std::move(key));
    Node* first = at->second;
    if (!n->multi()) return g_.replace_all_uses(n, first);
    for (size_t k = 0; k < n->result_count(); ++k)
      if (Node* r = n->result(k)) g_.replace_all_uses(r, g_.project(first, k));
  }

  Graph& g_;
  const Dependences& dependences_;
  std::optional<MemoryGroups> groups_;
  std::optional<bool> memory_written_;
  Versions version_{};
  uint64_t last_version_ = 0;
  std::unordered_map<Key, Node*, KeyHash> table_;
  std::vector<Key> undo_;
};

// --- 10. Carried values that never change.

void replace_value(Graph& g, Node* node, const Args& by) {
  if (Node* n = by[0].node()) return g.replace_all_uses(node, n);
  Replacements one{{node, by}};
  for (Node* user : node->users()) replace_inputs(g, user, one);
}

// Goes through inner loops first, so that one sweep drops a value that several nested loops carry unchanged. The carried values become dead code.
void drop_invariant_carries(Graph& g) {
  std::vector<Node*> nodes = all_nodes(g);
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    Node* loop = *it;
    if (!loop->is_loop()) continue;
    std::vector<Node*> slots = loop->block(0)->placeholders();
    std::vector<std::pair<size_t, Args>> invariant;
    auto initial = loop->args_begin();
    ++initial, ++initial;
    auto last = loop->block(0)->output()->args_begin();
    ++last;
    for (size_t k = 1; k < slots.size(); ++k, ++initial, ++last)
      if (Node* end = (*last).node(); end && (end == slots[k] || end == (*initial).node())) invariant.emplace_back(k, Args(*initial));
    for (const auto& [k, value] : invariant) {
      replace_value(g, slots[k], value);
      if (Node* result = loop->result(k - 1); result && result->has_uses()) replace_value(g, result, value);
    }
  }
}

bool writes_memory(const Graph& g) {
  for (Node* n : NestedNodes(g)) {
    interrupt_point();
    if (own_effects(*n).writes & Effects::Memory) return true;
  }
  return false;
}

// Steps 8, 9 and 10, until nothing changes: once one round has dropped something, more nodes may be equal. Dead code goes first; otherwise an equal live node
// would be replaced by the dead one, which would then stay.
void simplify(Graph& g) {
  bool again = true;
  for (size_t before = 0; again || before != g.node_count();) {
    before = g.node_count();
    inline_constants(g);
    eliminate_dead_code(g);
    again = simplify_branches(g);
    inline_constants(g);
    again |= simplify_calls(g);
    inline_constants(g);
    eliminate_dead_code(g);
    Dependences dependences(g, &effects_of);
    hoist_over_blocks(g, dependences);
    CommonSubexpressions(g, dependences).run();
    drop_invariant_carries(g);
    eliminate_dead_code(g);
    inline_aggregates(g);
  }
}

}  // namespace

namespace {

std::unique_ptr<Graph> canonical_once(const Graph& graph, const CanonicalOptions& options) {
  MONOGRAPH_CHECK(graph.output(), Value, "the graph ", graph.name(), " has no output yet");
  std::unique_ptr<Graph> g = graph.clone();
  g->clear_guards();
  g->set_relied_on({});
  inline_calls(*g, options);
  operators(*g);
  use_written_values(*g);
  unify_attributes(*g);
  drop_copies_to_self(*g);
  if (options.training) fold_training(*g, *options.training);
  unify_tensors(*g);
  for (bool again = true; again;) {
    again = false;
    if (options.functionalize && writes_memory(*g)) {
      simplify(*g);  // a dead view could keep its memory from becoming a value
      if (functionalize_dicts(*g)) simplify(*g);
      if (Functionalized lists = functionalize_lists(*g); lists.writes) {
        g = std::move(lists.graph);
        simplify(*g);
      }
      Functionalized f = functionalize(*g);
      g = std::move(f.graph);
      // Memory that could not be tracked before may be tracked now.
      again = f.writes && !f.left.empty();
    }
    size_t before = g->node_count();
    do simplify(*g);
    while (join_equal_conditions(*g) || unroll_loops(*g));
    again |= options.functionalize && g->node_count() != before && writes_memory(*g);
    again |= drop_copies_to_self(*g);  // of views that are alike only now
  }
  return in_canonical_order(*g);
}

}  // namespace

std::unique_ptr<Graph> canonical(const Graph& graph, const CanonicalOptions& options) {
  constexpr int kMostTimes = 4;
  std::unique_ptr<Graph> g = canonical_once(graph, options);
  // A write may be seen to be dead only in the order that the first time gave: once more, until nothing changes.
  for (int k = 1; k < kMostTimes && options.functionalize && writes_memory(*g); ++k) {
    std::unique_ptr<Graph> next = canonical_once(*g, options);
    if (identical(*next, *g)) break;
    g = std::move(next);
  }
  return g;
}

std::string hash(const Graph& graph, const CanonicalOptions& options) {
  Sha256 sha;
  sha.update(to_text(*canonical(graph, options)));
  return sha.hex();
}

std::string hash(const Unit& unit, const CanonicalOptions& options) {
  Sha256 sha;
  std::map<std::string, const Graph*> functions;
  for (const auto& f : unit.functions()) functions[f->name()] = f.get();
  for (const auto& [name, f] : functions) {
    sha.update(name + "\n");
    sha.update(hash(*f, options));
  }
  // Classes and modules as they print, without the functions.
  Unit rest;
  copy_modules(unit, rest);
  sha.update(to_text(rest));
  return sha.hex();
}

bool equal(const Graph& a, const Graph& b, std::string* difference, const CanonicalOptions& options) {
  return identical(*canonical(a, options), *canonical(b, options), difference);
}

}  // namespace monograph::passes
