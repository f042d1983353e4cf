// Random edits of graphs, those that keep the program and those that change it, and a slow, independent idea of what a graph computes.
#pragma once

#include <algorithm>
#include <map>
#include <random>

#include "ir/builder.h"
#include "ir_ops.h"
#include "passes/dce.h"

namespace monograph::ir::test {

using Random = std::mt19937_64;
inline size_t below(Random& random, size_t n) { return random() % n; }

inline std::vector<Node*> nested_nodes(const Graph& g) {
  std::vector<Node*> nodes;
  for (Node* n : NestedNodes(g)) nodes.push_back(n);
  return nodes;
}
inline bool is_call(const Node* n) { return n->op() != Op::Placeholder && n->op() != Op::Output && !n->is_projection(); }
inline bool is_plain(const Node* n) { return is_call(n) && n->structure() == Structure::None && !n->multi(); }
inline bool writes_memory(const Graph& g) {
  for (Node* n : NestedNodes(g))
    if (own_effects(*n).writes & Effects::Memory) return true;
  return false;
}

// --- Edits that keep the program.

// docs/ir.md, "Effects and aliasing", pair by pair; where memory is written, whoever is given a value may read it.
inline bool commute(const Effects& a, const Effects& b) {
  return a.commutes_with(b) && !(a.raises && b.raises) && !(a.user_code && b.user_code);
}
// Every block in another of its orders.
inline void reorder(Graph& g, Random& random) {
  std::vector<Effects> effects = all_effects(g);
  if (writes_memory(g))
    for (Node* n : NestedNodes(g))
      if (is_call(n) && (n->input_count() || n->op() == Op::GetAttr))
        for (Node* m = n; m; m = m->block()->owner()) effects[m->id()].reads |= Effects::Memory;
  std::vector<Block*> blocks{g.root()};
  for (Node* n : NestedNodes(g))
    for (size_t k = 0; k < n->block_count(); ++k) blocks.push_back(n->block(k));
  for (Block* b : blocks) {
    std::vector<Node*> nodes;
    for (Node* n : *b)
      if (is_call(n)) nodes.push_back(n);
    auto uses = [&](Node* later, Node* earlier) {
      auto is_of = [&](Node* v) { return v == earlier || (v->is_projection() && v->projected() == earlier); };
      for (size_t k = 0; k < later->input_count(); ++k)
        if (is_of(later->input(k))) return true;
      for (size_t i = 0; i < later->block_count(); ++i)
        for (Node* m : NestedNodes(later->block(i)))
          for (size_t k = 0; k < m->input_count(); ++k)
            if (is_of(m->input(k))) return true;
      return false;
    };
    std::vector<std::vector<size_t>> after(nodes.size());
    std::vector<size_t> waits(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i)
      for (size_t j = i + 1; j < nodes.size(); ++j)
        if (!commute(effects[nodes[i]->id()], effects[nodes[j]->id()]) || uses(nodes[j], nodes[i])) after[i].push_back(j), ++waits[j];
    std::vector<size_t> ready;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (!waits[i]) ready.push_back(i);
    while (!ready.empty()) {
      std::swap(ready[below(random, ready.size())], ready.back());
      size_t i = ready.back();
      ready.pop_back();
      g.move_to_end(nodes[i], b);
      for (size_t j : after[i])
        if (!--waits[j]) ready.push_back(j);
    }
  }
}

inline void rename(Graph& g, Random& random) {
  for (Node* n : nested_nodes(g)) {
    if (n->op() != Op::Output) g.set_name(n, concat("n", random() % 1000));
    if (!n->is_projection()) g.set_scope(n, concat("s", random() % 9));
  }
}

inline void swap_uses(Graph& g, Node* a, Node* b) {
  std::vector<const Use*> of_a, of_b;
  for (const Use* u = a->first_use(); u; u = u->next) of_a.push_back(u);
  for (const Use* u = b->first_use(); u; u = u->next) of_b.push_back(u);
  for (const Use* u : of_a) g.replace_input(u->user, u->index, b);
  for (const Use* u : of_b) g.replace_input(u->user, u->index, a);
}
// Arguments x and y of a node change places.
inline void swap_arguments(Graph& g, Node* n, size_t x, size_t y) {
  Args args;
  for (size_t k = 0; k < n->arg_count(); ++k) args.add(n->arg(k == x ? y : k == y ? x : k));
  g.set_args(n, args);
}
// Other orders of results and carried values.
inline void permute_results(Graph& g, Random& random) {
  for (Node* n : nested_nodes(g)) {
    if (n->structure() == Structure::None || !n->multi()) continue;
    size_t x = below(random, n->result_count()), y = below(random, n->result_count());
    if (x == y) continue;
    swap_uses(g, g.project(n, x), g.project(n, y));
    size_t head = n->is_loop();
    for (size_t k = 0; k < n->block_count(); ++k) swap_arguments(g, n->block(k)->output(), x + head, y + head);
    if (!n->is_loop()) continue;
    swap_arguments(g, n, x + 2, y + 2);
    std::vector<Node*> slots = n->block(0)->placeholders();
    swap_uses(g, slots[x + 1], slots[y + 1]);
  }
}

// A value that may be used at `user`; null where none was found.
inline Node* visible(const std::vector<Node*>& nodes, Node* user, Random& random, bool tensor = true) {
  for (int tries = 0; tries < 20; ++tries) {
    Node* v = nodes[below(random, nodes.size())];
    if (v->erased() || v->op() == Op::Output || v->multi() || v->type().is(TypeKind::None) || !v->dominates(user)) continue;
    if (tensor == (v->type().is(TypeKind::Int) || v->type().is(TypeKind::Bool))) continue;
    return v;
  }
  return nullptr;
}
inline void insert_dead(Graph& g, Random& random) {
  std::vector<Node*> nodes = nested_nodes(g);
  for (size_t count = 1 + below(random, 6); count > 0; --count) {
    Node* at = nodes[below(random, nodes.size())];
    if (at->op() == Op::Placeholder || at->is_projection()) continue;
    Node* v = visible(nodes, at, random);
    if (!v) continue;
    g.insert_before(at);
    switch (below(random, 5)) {
      case 0: v = g.call("aten::item", Args(v)); break;
      case 1: v = g.call("aten::max.dim", Args(v, 0)); break;
      case 2: v = g.call("aten::add.Tensor", Args(v, v)); break;
      case 3: {  // an If whose result nobody uses
        Node* branch = g.create_if(g.call("aten::Bool.Tensor", Args(v)));
        for (size_t k = 0; k < 2; ++k) {
          g.insert_at_end(branch->block(k));
          g.set_output(branch->block(k), Args(k ? v : g.call("aten::tanh", Args(v))));
        }
        g.set_results(branch, std::vector<Type>{TypeKind::Any});
        v = branch;
        break;
      }
      default: v = g.call("aten::relu", Args(v));
    }
    if (!v->multi()) nodes.push_back(v);
  }
}
// Computes values once more for some of their uses, where others remain: the last one would take the node along, perhaps into a block or past a
// write. Fresh memory that is written is not the same twice, so not where memory is written.
inline void insert_duplicates(Graph& g, Random& random) {
  if (writes_memory(g)) return;
  passes::eliminate_dead_code(g);
  for (Node* n : nested_nodes(g)) {
    if (!is_plain(n) || below(random, 2) || !n->has_uses() || n->has_one_use()) continue;
    Effects e = own_effects(*n);
    if (!e.droppable() || (e.reads & ~Effects::Memory)) continue;
    std::vector<const Use*> uses;
    for (const Use* u = n->first_use(); u; u = u->next) uses.push_back(u);
    const Use* use = uses[below(random, uses.size())];
    if (use->user->is_projection()) continue;
    g.insert_before(use->user);
    Graph::NodeMap map;
    Node* copy = g.copy(n, map);
    g.replace_input(use->user, use->index, copy);
  }
}

// --- Edits that change the program, mostly. False where this one could not be made.

inline bool edit_literal(Graph& g, Node* n) {
  Args args;
  bool done = false;
  for (size_t k = 0; k < n->arg_count(); ++k) {
    if (k >= n->positional_count()) args.name(n->keyword(k - n->positional_count()));
    ArgRef a = n->arg(k);
    if (!done && a.is(ArgKind::Int)) args.add(a.as_int() + 1), done = true;
    else if (!done && a.is(ArgKind::Float) && a.as_float() == 2.5) args.add(-2.5), done = true;
    else if (!done && a.is(ArgKind::Str)) args.add(a.as_str() + "x"), done = true;
    else args.add(a);
  }
  if (done) g.set_args(n, args);
  return done;
}
inline bool edit_operator(Graph& g, Node* n, Random& random) {
  const std::vector<std::vector<const char*>> alike = {{"aten::relu", "aten::tanh", "aten::neg"}, {"aten::add.Tensor", "aten::sub.Tensor"}};
  for (const auto& names : alike)
    for (const char* name : names)
      if (n->target().name() == name || (n->target().overload && *n->target().overload == name)) {
        const char* other = names[below(random, names.size())];
        if (std::string_view(other) == name) return false;
        g.set_target(n, g.target(other));
        return true;
      }
  return false;
}
inline bool edit_operand(Graph& g, Node* n, const std::vector<Node*>& nodes, Random& random) {
  if (!n->input_count() || n->is_projection()) return false;
  size_t k = below(random, n->input_count());
  Type t = n->input(k)->type();
  Node* v = visible(nodes, n, random, !t.is(TypeKind::Int) && !t.is(TypeKind::Bool));
  if (!v || v == n->input(k) || v->type().is(TypeKind::Bool) != t.is(TypeKind::Bool)) return false;
  g.replace_input(n, k, v);
  return true;
}
inline bool edit_order(Graph& g, Node* n) {
  if (n->target().name() != "aten::sub.Tensor" && n->target().name() != "aten::gather") return false;
  size_t last = n->input_count() - 1;
  Node *a = n->input(0), *b = n->input(last);
  if (a == b) return false;
  g.replace_input(n, 0, b);
  g.replace_input(n, last, a);
  return true;
}
// One edit of a random kind at a random node; what it was, or "" where none was possible.
inline std::string edit(Graph& g, Random& random) {
  std::vector<Node*> nodes = nested_nodes(g);
  Node* n = nodes[below(random, nodes.size())];
  if (n->op() == Op::Placeholder || n->is_projection()) return "";
  std::string at = concat(" of %", n->name());
  if (n->op() == Op::Output) return edit_operand(g, n, nodes, random) ? "result" + at : "";
  switch (below(random, 4)) {
    case 0: return n->structure() == Structure::None && edit_literal(g, n) ? "literal" + at : "";
    case 1: return edit_operator(g, n, random) ? "operator" + at : "";
    case 2: return edit_operand(g, n, nodes, random) ? "operand" + at : "";
    default: return edit_order(g, n) ? "order" + at : "";
  }
}

// --- What a graph computes: a hash of its outputs and its effects as terms over its inputs, by running it on terms in several worlds. In each world every
// truth is true or false, and one way of an If runs; a count that is no number is one of a few. It knows nothing of orders, duplicates or dead code; where it
// tells two programs apart, they are not the same.
class Meaning {
 public:
  static uint64_t of(const Graph& g) {
    uint64_t h = 0;
    for (uint64_t world = 0; world < 16; ++world) {
      Meaning m(g, world);
      m.block(g.root());
      h = mix(h, m.argument(g.output()->arg(0)));
      for (uint64_t s : m.state_) h = mix(h, s);
    }
    return h;
  }

 private:
  using State = std::array<uint64_t, 6>;
  Meaning(const Graph& g, uint64_t world) : world_(world) {
    size_t k = 0;
    for (Node* p : g.placeholders()) value_[p] = {mix(mix(0x5eed, world_), ++k)};  // no number
  }
  static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
  }
  static uint64_t text(std::string_view t) { return std::hash<std::string_view>()(t); }
  uint64_t value(const Node* n) {
    if (!n->is_projection()) return value_.at(n)[0];
    return value_.at(n->projected())[n->projected_index()];
  }
  uint64_t argument(ArgRef a) {
    uint64_t h = mix(static_cast<uint64_t>(a.kind()), a.size());
    switch (a.kind()) {
      case ArgKind::Node: return value(a.as_node());
      case ArgKind::Str: return mix(h, text(a.as_str()));
      case ArgKind::Global: return mix(h, text(a.as_global().name));
      case ArgKind::Tensor: return mix(h, text(a.as_tensor().content_hash()));
      case ArgKind::SymInt: return h;
      default: break;
    }
    if (!has_parts(a.kind())) {
      h = mix(h, static_cast<uint64_t>(a.item()->i));
      if (a.is(ArgKind::Int)) ints_[h] = a.as_int();
      return h;
    }
    for (ArgRef part : a) h = mix(h, argument(part));
    return h;
  }
  void block(const Block* b) {
    for (const Node* n : *b)
      if (is_call(n)) node(n);
  }
  void node(const Node* n) {
    if (n->is_if()) return branch(n);
    if (n->is_loop()) return loop(n);
    Effects e = own_effects(*n);
    if (n->input_count() || n->op() == Op::GetAttr) e.reads |= Effects::Memory;
    const std::string& called = n->target().name();
    if (called == "aten::add.int" || called == "aten::lt.int" || called == "aten::_assert" || called == "aten::__not__") e.reads = 0;
    uint64_t h = text(n->target().overload ? *n->target().overload : n->target().name());
    for (uint64_t v : arguments(n)) h = mix(h, v);
    for (int s = 0; s < 4; ++s)
      if (e.reads >> s & 1) h = mix(h, state_[s]);
    for (int s = 0; s < 4; ++s)
      if (e.writes >> s & 1) state_[s] = mix(mix(state_[s], h), s);
    if (e.raises) state_[4] = mix(state_[4], h);
    if (e.user_code) state_[5] = mix(state_[5], h);
    size_t results = n->multi() ? n->result_count() : 1;
    value_[n].clear();
    for (size_t k = 0; k < results; ++k) value_[n].push_back(mix(h, k));
    if (!n->multi()) value_[n][0] = result(n, value_[n][0]);
  }
  // In the places of the schema, where there is one.
  std::vector<uint64_t> arguments(const Node* n) {
    std::vector<uint64_t> result;
    const FunctionSchema* s = n->info() && !n->info()->schema().is_vararg() ? &n->info()->schema() : nullptr;
    if (s)
      for (const Argument& a : s->arguments()) result.push_back(a.default_value ? argument((*a.default_value)[0]) : 0);
    for (size_t k = 0; k < n->arg_count(); ++k) {
      uint64_t h = argument(n->arg(k));
      const std::string* name = k < n->positional_count() ? nullptr : &n->keyword(k - n->positional_count());
      if (s) result.at(name ? static_cast<size_t>(s->index_of(*name)) : k) = h;
      else result.push_back(name ? mix(h, text(*name)) : h);
    }
    return result;
  }
  void branch(const Node* n) {
    const Block* taken = n->block(truth(argument(n->arg(0))) ? 0 : 1);
    block(taken);
    std::vector<uint64_t> ends;
    for (ArgRef a : refs(taken->output())) ends.push_back(argument(a));
    value_[n] = ends;
  }
  static std::vector<ArgRef> refs(const Node* n) {
    std::vector<ArgRef> result;
    for (auto it = n->args_begin(); it != n->args_end(); ++it) result.push_back(*it);
    return result;
  }
  void loop(const Node* n) {
    std::vector<ArgRef> args = refs(n);
    std::vector<Node*> slots = n->block(0)->placeholders();
    const uint64_t given = argument(args[0]);
    const auto known = ints_.find(given);
    const int64_t count = std::min<int64_t>(known == ints_.end() ? static_cast<int64_t>(given % 3) : known->second, 20);
    bool goes_on = truth(argument(args[1]));
    std::vector<uint64_t> carried;
    for (size_t k = 2; k < args.size(); ++k) carried.push_back(argument(args[k]));
    for (int64_t i = 0; i < count && goes_on; ++i) {
      Args index(i);
      value_[slots[0]] = {argument(index[0])};
      for (size_t k = 0; k < carried.size(); ++k) value_[slots[k + 1]] = {carried[k]};
      block(n->block(0));
      std::vector<ArgRef> ends = refs(n->block(0)->output());
      goes_on = truth(argument(ends[0]));
      for (size_t k = 0; k < carried.size(); ++k) carried[k] = argument(ends[k + 1]);
    }
    value_[n] = carried;
  }
  uint64_t of_bool(bool b) { return argument(Args(b)[0]); }
  bool truth(uint64_t v) {
    if (v == of_bool(true) || v == of_bool(false)) return v == of_bool(true);
    return v >> 17 & 1;
  }
  // What is computed of numbers and truths is known, as it is to the canonical form.
  uint64_t result(const Node* n, uint64_t h) {
    const std::string& name = n->target().overload ? *n->target().overload : n->target().name();
    if (name == "aten::__not__") return of_bool(!truth(argument(n->arg(0))));
    if (name == "aten::add.int" && n->arg_count() == 2) {
      const auto a = ints_.find(argument(n->arg(0))), b = ints_.find(argument(n->arg(1)));
      if (a != ints_.end() && b != ints_.end()) return argument(Args(a->second + b->second)[0]);
    }
    const bool is_truth = n->info() && n->info()->results() == 1 && n->info()->schema().returns()[0].type.is(TypeKind::Bool);
    return is_truth ? of_bool(truth(h)) : h;
  }

  uint64_t world_;
  std::map<uint64_t, int64_t> ints_;  // the numbers, by their values here
  State state_{};
  std::map<const Node*, std::vector<uint64_t>> value_;
};

}  // namespace monograph::ir::test
