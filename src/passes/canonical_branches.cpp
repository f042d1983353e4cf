// One function for each rewrite; simplify_branches() at the end calls them for every node.
#include "passes/canonical_branches.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/error.h"
#include "core/interrupt.h"
#include "ops/dispatch.h"
#include "ops/record.h"
#include "ops/registry.h"
#include "passes/canonical.h"
#include "passes/canonical_calls.h"
#include "passes/canonical_constants.h"
#include "passes/canonical_order.h"
#include "passes/dependences.h"
#include "passes/memory.h"
#include "passes/trackable_memory.h"

namespace monograph::passes {

using namespace ir;

namespace {

// Replaces result k by an argument. Nodes are made at the insertion point. Returns false if nothing uses the result.
bool replace_result(Graph& g, Node* n, size_t k, ArgRef by) {
  Node* r = n->result(k);
  if (!r || !r->has_uses()) return false;
  g.replace_all_uses(r, as_node(g, by));
  return true;
}

std::vector<Type> result_types(const Node* n) {
  std::vector<Type> types;
  for (size_t k = 0; k < n->result_count(); ++k) types.push_back(n->result_type(k));
  return types;
}

// Whether two arguments are the same node or equal literals. Two lists with the same items are not the same value: each can be changed alone.
bool is_same(ArgRef a, ArgRef b) {
  if (a.kind() != b.kind() || has_parts(a.kind())) return false;
  switch (a.kind()) {
    case ArgKind::None: return true;
    case ArgKind::Node: return a.node() == b.node();
    case ArgKind::Bool: return a.as_bool() == b.as_bool();
    case ArgKind::Int: return a.as_int() == b.as_int();
    case ArgKind::Str: return a.as_str() == b.as_str();
    default: return false;
  }
}

// --- Numbers.

bool is_equal_number(const IValue& a, const IValue& b) {
  if (a.is_bool() && b.is_bool()) return a.to_bool() == b.to_bool();
  return a.is_int() && b.is_int() && a.to_int() == b.to_int();
}

using KnownNumbers = std::unordered_map<const Node*, IValue>;

std::optional<IValue> literal(ArgRef a, const KnownNumbers& known = {}) {
  switch (a.kind()) {
    case ArgKind::Node: {
      const auto at = known.find(a.as_node());
      return at == known.end() ? std::nullopt : std::optional(at->second);
    }
    case ArgKind::Int: return IValue(a.as_int());
    case ArgKind::Float: return IValue(a.as_float());
    case ArgKind::Bool: return IValue(a.as_bool());
    case ArgKind::Str: return IValue(a.as_str());
    default: return std::nullopt;
  }
}

// The result of an operator whose arguments are literal numbers and strings. A call that raises an error stays in the graph, and raises when the graph runs.
std::optional<IValue> number(const Node* n, const KnownNumbers& known = {}) {
  const auto* op = dynamic_cast<const Operator*>(n->info());
  if (!op || n->multi() || n->is_projection() || op->results() != 1 || op->schema().is_vararg()) return std::nullopt;
  if (!op->effects().deterministic() || n->arg_count() == 0 || n->arg_count() != op->schema().arguments().size()) return std::nullopt;
  const Type result = op->schema().returns()[0].type;
  if (!result.is(TypeKind::Int) && !result.is(TypeKind::Float) && !result.is(TypeKind::Bool) && !result.is(TypeKind::Str))
    return std::nullopt;
  std::vector<IValue> values;
  for (auto it = n->args_begin(); it != n->args_end(); ++it) {
    std::optional<IValue> v = literal(*it, known);
    if (!v) return std::nullopt;
    values.push_back(std::move(*v));
  }
  IValue out;
  try {
    call(*op, values.data(), &out);
  } catch (const Error&) {
    return std::nullopt;
  }
  return out;
}

bool fold(Graph& g, Node* n) {
  if (!n->has_uses()) return false;
  const std::optional<IValue> out = number(n);
  if (!out) return false;
  const Args value = out->is_bool()     ? Args(out->to_bool())
                     : out->is_int()    ? Args(out->to_int())
                     : out->is_string() ? Args(out->to_string())
                                        : Args(out->to_double());
  g.insert_before(n);
  g.replace_all_uses(n, as_node(g, value[0]));
  g.erase(n);
  return true;
}

// --- Lists.

// Whether a list may change after it was made.
bool lists_change(const Graph& g) {
  for (const Node* n : NestedNodes(g)) {
    interrupt_point();
    if (written_list(n)) return true;
    if (is_call(n) && !makes_value(n) && own_effects(*n).user_code) return true;
  }
  return false;
}

// The items of a list that the graph makes, if nothing changes it.
std::optional<Args> known_items(ArgRef a) {
  Args items;
  if (a.is(ArgKind::List)) {
    for (ArgRef part : a) items.add(part);
    return items;
  }
  if (!is_call_of(a.node(), "prim::ListConstruct")) return std::nullopt;
  return a.node()->copy_args();
}

// Computes an item of a known list, its length, or the sum of two known lists.
bool fold_list(Graph& g, Node* n) {
  const bool joined = is_call_of(n, "aten::add.t"), item = is_call_of(n, "aten::__getitem__.t"), length = is_call_of(n, "aten::len.t");
  if ((!joined && !item && !length) || n->arg_count() != (length ? 1 : 2)) return false;
  std::optional<Args> items = known_items(n->arg(0));
  if (!items) return false;
  g.insert_before(n);
  if (joined) {
    const std::optional<Args> more = known_items(n->arg(1));
    if (!more) return false;
    for (size_t k = 0; k < more->size(); ++k) items->add((*more)[k]);
    Node* list = g.call("prim::ListConstruct", *items);
    g.set_type(list, n->type());
    g.replace_all_uses(n, list);
  } else if (length) {
    g.replace_all_uses(n, as_node(g, Args(static_cast<int64_t>(items->size()))[0]));
  } else {
    const auto count = static_cast<int64_t>(items->size());
    const int64_t k = n->arg(1).is(ArgKind::Int) ? n->arg(1).as_int() : count;
    if (k >= count || k < -count) return false;
    g.replace_all_uses(n, as_node(g, (*items)[static_cast<size_t>(k < 0 ? k + count : k)]));
  }
  g.erase(n);
  return true;
}

// --- Ifs.

// The nodes of an If's block without the output and the projections, which move together with their nodes.
std::vector<Node*> own_nodes(const Block* b) {
  std::vector<Node*> nodes;
  for (Node* x : *b)
    if (!x->is_projection() && x != b->output()) nodes.push_back(x);
  return nodes;
}

// Replaces an If by the nodes of one of its blocks.
void inline_block(Graph& g, Node* n, size_t which) {
  const Args end = n->block(which)->output()->copy_args();
  for (Node* x : own_nodes(n->block(which))) g.move_before(x, n);
  g.insert_before(n);
  for (size_t k = 0; k < end.size(); ++k) replace_result(g, n, k, end[k]);
  g.erase(n);
}

// Copies an If's block to the end of `to`. Returns the copies of the block's results.
Args copied(Graph& g, const Block* from, Block* to, const Graph::NodeMap& known = {}) {
  g.insert_at_end(to);
  Graph::NodeMap map = known;
  return g.copy_body(from, map);
}

bool swap_negated(Graph& g, Node* n) {
  Node* c = n->arg(0).node();
  if (!is_call_of(c, "aten::__not__") || !is_bool(c->arg(0))) return false;
  g.insert_before(n);
  Node* swapped = g.create(n->op(), n->target(), Args(c->arg(0)), n->name());
  g.set_span(swapped, n->span());
  for (size_t k : {1, 0}) {
    Block* to = g.add_block(swapped);
    const Args end = n->block(k)->output()->copy_args();
    for (Node* x : own_nodes(n->block(k))) g.move_to_end(x, to);
    g.set_output(to, end);
  }
  g.set_results(swapped, result_types(n));
  for (size_t k = 0; k < n->result_count(); ++k)
    if (Node* r = n->result(k)) g.replace_all_uses(r, g.project(swapped, k));
  g.erase(n);
  return true;
}

// Replaces uses of the condition by True in the first block and by False in the second.
bool know_condition(Graph& g, Node* n) {
  Node* c = n->arg(0).node();
  if (!c || !is_bool(n->arg(0))) return false;
  bool any = false;
  for (size_t k = 0; k < 2; ++k) {
    Node* known = nullptr;
    for (Node* user : c->users()) {
      if (!n->block(k)->contains(user)) continue;
      if (!known) {
        g.set_insert_point({n->block(k), n->block(k)->first()});
        known = as_node(g, Args(k == 0)[0]);
      }
      for (size_t i = 0; i < user->input_count(); ++i)
        if (user->input(i) == c) g.replace_input(user, i, known);
      any = true;
    }
  }
  return any;
}

bool simplify_results(Graph& g, Node* n) {
  bool any = false;
  const Args first = n->block(0)->output()->copy_args(), second = n->block(1)->output()->copy_args();
  g.insert_before(n);
  for (size_t k = 0; k < n->result_count(); ++k) {
    if (is_same(first[k], second[k])) {
      any |= replace_result(g, n, k, first[k]);
    } else if (first[k].is(ArgKind::Bool) && second[k].is(ArgKind::Bool) && is_bool(n->arg(0)) && n->result(k) &&
               n->result(k)->has_uses()) {
      Node* c = n->arg(0).as_node();
      any |= replace_result(g, n, k, Args(first[k].as_bool() ? c : g.call(find_operator("aten::__not__"), Args(c)))[0]);
    }
  }
  return any;
}

// Whether result k of a block is True or False on some path through the block.
bool decides(const Block* b, size_t k) {
  const ArgRef end = b->output()->arg(k);
  if (end.is(ArgKind::Bool)) return true;
  const Node* owner = end.node() ? producer(end.node()) : nullptr;
  if (!owner || !owner->is_if() || owner->block() != b) return false;
  const size_t inner = end.node()->is_projection() ? end.node()->projected_index() : 0;
  return decides(owner->block(0), inner) || decides(owner->block(1), inner);
}

// The node of block `b` that is x or has x in its blocks; null if x is not inside of `b`.
Node* ancestor_in(Node* x, const Block* b) {
  while (x && x->block() != b) x = x->block()->owner();
  return x;
}

// The nodes of n's block that must stay before n: those whose values n or its blocks use, and those whose effects must come first.
std::vector<Node*> needs(const Dependences& order, Node* n) {
  std::vector<Node*> found;
  auto add = [&](Node* x) {
    if (Node* at = ancestor_in(x, n->block())) found.push_back(producer(at));
  };
  for (size_t k = 0; k < n->input_count(); ++k) add(n->input(k));
  for (Node* x : order.captures(n)) add(x);
  for (Node* x : order.writers(n)) add(x);
  for (Node* x : order.readers(n)) add(x);
  return found;
}

// Moves the nodes between two Ifs before the first one, m, or behind the second one, n. Returns false if n needs a node that needs m: such a node must stay
// between them, in whatever order the program is written.
bool bring_together(Graph& g, Node* m, Node* n) {
  const Dependences order(g, &effects_of);
  std::vector<Node*> before, behind;
  std::unordered_set<const Node*> dependent;
  for (Node* x = m->next(); x != n; x = x->next()) {
    if (x->erased() || x->is_projection()) continue;
    const std::vector<Node*> needed = needs(order, x);
    const bool on_m = std::ranges::any_of(needed, [&](const Node* y) { return y == m || dependent.contains(y); });
    if (on_m) dependent.insert(x);
    (on_m ? behind : before).push_back(x);
  }
  if (std::ranges::any_of(needs(order, n), [&](const Node* y) { return dependent.contains(y); })) return false;
  for (Node* x : before) g.move_before(x, m);
  for (auto it = behind.rbegin(); it != behind.rend(); ++it) g.move_after(*it, n);
  return true;
}

// Makes one If of m and of n behind it. condition(block, end) is n's condition in a block of m, which ends with `end`: where it is True or False, only that
// block of n follows.
template <class Condition>
void join(Graph& g, Node* m, Node* n, const Condition& condition) {
  g.insert_before(m);
  Node* both = g.create(m->op(), m->target(), Args(m->arg(0)), m->name());
  g.set_span(both, m->span());
  const std::vector<Type> own = result_types(n);
  std::vector<Type> types = result_types(m);
  const size_t before = types.size();
  types.insert(types.end(), own.begin(), own.end());
  for (size_t b = 0; b < 2; ++b) {
    Block* to = g.add_block(both);
    Args end = copied(g, m->block(b), to);
    Graph::NodeMap decided;  // m's results in this block
    for (size_t j = 0; j < before; ++j)
      if (Node* r = m->result(j)) decided[r] = as_node(g, end[j]);
    const Args asked = condition(b, end);
    if (asked[0].is(ArgKind::Bool)) {
      const Args rest = copied(g, n->block(asked[0].as_bool() ? 0 : 1), to, decided);
      for (size_t j = 0; j < rest.size(); ++j) end.add(rest[j]);
    } else {
      Node* inner = g.create(n->op(), n->target(), asked, n->name());
      g.set_span(inner, n->span());
      for (size_t j = 0; j < 2; ++j) {
        Block* arm = g.add_block(inner);
        g.set_output(arm, copied(g, n->block(j), arm, decided));
      }
      g.set_results(inner, own);
      g.insert_at_end(to);
      for (size_t j = 0; j < own.size(); ++j) end.add(g.project(inner, j));
    }
    g.set_output(to, end);
  }
  g.set_results(both, types);
  for (size_t j = 0; j < own.size(); ++j)
    if (Node* r = n->result(j)) g.replace_all_uses(r, g.project(both, before + j));
  g.erase(n);
  for (size_t j = 0; j < before; ++j)
    if (Node* r = m->result(j)) g.replace_all_uses(r, g.project(both, j));
  g.erase(m);
}

// If the condition of If n is a result of If m before it: moves n into the blocks of m. Where a block of m returns True or False, only that block of n follows.
bool thread(Graph& g, Node* n) {
  Node* flag = n->arg(0).node();
  if (!flag) return false;
  Node* m = producer(flag);
  if (!m->is_if() || m->block() != n->block()) return false;
  const size_t k = flag->is_projection() ? flag->projected_index() : 0;
  if (!decides(m->block(0), k) && !decides(m->block(1), k)) return false;
  if (nodes_inside(n) > kMaxUnrolledNodes || g.node_count() > kMaxUnrolledGraph || !bring_together(g, m, n)) return false;
  join(g, m, n, [&](size_t, const Args& end) { return Args(end[k]); });
  return true;
}

// The last If before n in its block that has the same condition; null if there is none.
Node* with_equal_condition(const Node* n) {
  Node *c = n->arg(0).node(), *m = nullptr;
  for (Node* user : c ? c->users() : std::vector<Node*>{})
    if (user->is_if() && user->block() == n->block() && user->is_before(n) && (!m || m->is_before(user))) m = user;
  return m;
}

// If `x is None` asks for a result of an If that returns None on one side, and a tensor on the other: the condition, or its negation, says it.
bool none_of_branch(Graph& g, Node* n) {
  const bool negated = is_call_of(n, "aten::__isnot__");
  if ((!negated && !is_call_of(n, "aten::__is__")) || n->arg_count() != 2 || !n->arg(1).is_none()) return false;
  Node* r = n->arg(0).node();
  const Node* m = r ? producer(r) : nullptr;
  if (!m || !m->is_if() || !is_bool(m->arg(0)) || !m->arg(0).node()) return false;
  const size_t k = r->is_projection() ? r->projected_index() : 0;
  std::optional<bool> none[2];
  for (size_t b = 0; b < 2; ++b) {
    const ArgRef end = m->block(b)->output()->arg(k);
    const Node* v = end.node();
    if (end.is_none()) none[b] = true;
    else if (v && v->info() && !v->is_projection() && v->info()->results() == 1 &&
             v->info()->schema().returns()[0].type.is(TypeKind::Tensor))
      none[b] = false;
  }
  if (!none[0] || !none[1] || *none[0] == *none[1]) return false;
  Node* c = m->arg(0).as_node();
  g.insert_before(n);
  g.replace_all_uses(n, *none[0] != negated ? c : g.call(find_operator("aten::__not__"), Args(c)));
  g.erase(n);
  return true;
}

// Moves a `not` into an If whose result it negates, if nothing else uses the result: the blocks then return the negation.
bool push_negation(Graph& g, Node* n) {
  if (!is_call_of(n, "aten::__not__") || !n->has_uses()) return false;
  Node* r = n->arg(0).node();
  if (is_call_of(r, "aten::__not__") && is_bool(r->arg(0))) {
    g.insert_before(n);
    g.replace_all_uses(n, as_node(g, r->arg(0)));
    return true;
  }
  Node* m = r ? producer(r) : nullptr;
  if (!m || !m->is_if() || !r->has_one_use()) return false;
  const size_t k = r->is_projection() ? r->projected_index() : 0;
  for (size_t b = 0; b < 2; ++b) {
    const Args end = m->block(b)->output()->copy_args();
    Args negated;
    g.set_insert_point({m->block(b), m->block(b)->output()});
    for (size_t j = 0; j < end.size(); ++j) {
      if (j != k) negated.add(end[j]);
      else if (end[j].is(ArgKind::Bool)) negated.add(!end[j].as_bool());
      else negated.add(g.call(find_operator("aten::__not__"), Args(end[j])));
    }
    g.set_output(m->block(b), negated);
  }
  g.replace_all_uses(n, r);
  g.erase(n);
  return true;
}

// If both blocks of an If return a tuple of the same length, its items become results of their own.
bool split_tuples(Graph& g, Node* n) {
  const Args first = n->block(0)->output()->copy_args(), second = n->block(1)->output()->copy_args();
  auto is_tuple = [&](size_t k) {
    return first[k].is(ArgKind::Tuple) && second[k].is(ArgKind::Tuple) && first[k].size() == second[k].size();
  };
  bool any = false;
  for (size_t k = 0; k < first.size(); ++k) any |= is_tuple(k);
  if (!any) return false;
  g.insert_before(n);
  Node* split = g.create(n->op(), n->target(), Args(n->arg(0)), n->name());
  g.set_span(split, n->span());
  for (size_t b = 0; b < 2; ++b) {
    Block* to = g.add_block(split);
    const Args end = copied(g, n->block(b), to);
    Args flat;
    for (size_t k = 0; k < end.size(); ++k)
      if (!is_tuple(k)) flat.add(end[k]);
      else
        for (ArgRef part : end[k]) flat.add(part);
    g.set_output(to, flat);
  }
  std::vector<Type> types;
  for (size_t k = 0; k < first.size(); ++k)
    if (is_tuple(k)) types.resize(types.size() + first[k].size());
    else types.push_back(n->result_type(k));
  g.set_results(split, types);
  size_t at = 0;
  for (size_t k = 0; k < first.size(); ++k) {
    const size_t count = is_tuple(k) ? first[k].size() : 1;
    Node* r = n->result(k);
    Args parts;
    for (size_t j = 0; r && j < count; ++j) parts.add(g.project(split, at + j));
    if (r) {
      g.insert_before(n);
      g.replace_all_uses(r, is_tuple(k) ? g.call("prim::TupleConstruct", parts) : parts[0].as_node());
    }
    at += count;
  }
  g.erase(n);
  return true;
}

// Whether a value says what a tensor is, whatever its sizes and elements: its number of dims, its dtype, and what is computed of these alone.
bool tells_type_alone(ArgRef a) {
  const Node* n = a.node();
  if (!n) return !has_parts(a.kind());
  if (is_call_of(n, "aten::dim") || is_call_of(n, "prim::dtype") || is_call_of(n, "aten::is_floating_point")) return true;
  if (is_call_of(n, "aten::len.t") && n->arg(0).node() && is_call_of(n->arg(0).node(), "aten::size")) return true;
  if (!is_call(n) || n->is_projection() || !n->info() || n->arg_count() == 0 || n->arg_count() > 2) return false;
  if (!effects_of(*n).deterministic() || !n->info()->schema().is_pure() || n->input_count() == 0) return false;
  for (auto it = n->args_begin(); it != n->args_end(); ++it)
    if (!tells_type_alone(*it)) return false;
  return true;
}

// Whether a block makes a message and raises it, and does nothing else.
bool raises_alone(const Block* b) {
  bool raises = false;
  for (const Node* x = b->first(); x && x != b->output(); x = x->next()) {
    if (is_call_of(x, "prim::RaiseException")) raises = true;
    else if (!is_call(x) || !x->info() || !x->info()->schema().is_pure() || !effects_of(*x).deterministic()) return false;
  }
  return raises;
}

// `if x.dim() != 4: raise ValueError(...)`: a check of what the inputs are is a guard, and the canonical form has none. A trace knows its example, a symbolic
// trace of a layer has a guard, and a script asks when it runs.
bool drop_check_of_types(Graph& g, Node* n) {
  for (size_t k = 0; k < n->result_count(); ++k)
    if (Node* r = n->result(k); r && r->has_uses()) return false;
  if (n->has_uses()) return false;
  const Block *first = n->block(0), *second = n->block(1);
  const bool first_raises = raises_alone(first);
  const Block* other = first_raises ? second : first;
  if ((!first_raises && !raises_alone(second)) || other->first() != other->output() || !tells_type_alone(n->arg(0))) return false;
  g.erase(n);
  return true;
}

bool simplify_if(Graph& g, Node* n) {
  if (n->arg(0).is(ArgKind::Bool)) return inline_block(g, n, n->arg(0).as_bool() ? 0 : 1), true;
  if (drop_check_of_types(g, n) || swap_negated(g, n) || split_tuples(g, n)) return true;
  bool any = know_condition(g, n);
  any |= simplify_results(g, n);
  return thread(g, n) || any;
}

// --- Loops.

bool never_runs(const Node* loop) {
  const ArgRef count = loop->arg(0), condition = loop->arg(1);
  return (count.is(ArgKind::Int) && count.as_int() <= 0) || (condition.is(ArgKind::Bool) && !condition.as_bool());
}

// Whether a carried value is unchanged by every iteration after which the Loop goes on. `end` is its value at the end of the body, `slot` at the beginning,
// and `initial` before the Loop; `goes_on` is the condition at the end of the body.
bool stays_while_it_goes_on(ArgRef end, ArgRef goes_on, const Node* slot, ArgRef initial) {
  if (end.node() == slot || is_same(end, initial)) return true;
  if (goes_on.is(ArgKind::Bool) && !goes_on.as_bool()) return true;
  Node *n = end.node(), *condition = goes_on.node();
  const Node* owner = n ? producer(n) : nullptr;
  if (!owner || !owner->is_if()) return false;
  const size_t k = n->is_projection() ? n->projected_index() : 0;
  const bool negated = is_call_of(condition, "aten::__not__");
  const Node* asked = negated ? condition->arg(0).node() : condition;
  if (asked && owner->arg(0).node() == asked)
    return stays_while_it_goes_on(owner->block(negated ? 1 : 0)->output()->arg(k), Args(true)[0], slot, initial);
  const bool together = condition && producer(condition) == owner;
  const size_t j = together && condition->is_projection() ? condition->projected_index() : 0;
  for (size_t b = 0; b < 2; ++b) {
    const Node* out = owner->block(b)->output();
    if (!stays_while_it_goes_on(out->arg(k), together ? out->arg(j) : goes_on, slot, initial)) return false;
  }
  return true;
}

bool simplify_loop(Graph& g, Node* loop) {
  const Args initial = loop->copy_args();
  g.insert_before(loop);
  if (never_runs(loop)) {
    for (size_t k = 2; k < initial.size(); ++k) replace_result(g, loop, k - 2, initial[k]);
    return g.erase(loop), true;
  }
  const Node* end = loop->block(0)->output();
  const std::vector<Node*> slots = loop->block(0)->placeholders();
  bool any = false;
  for (size_t k = 1; k < slots.size(); ++k) {
    if (!slots[k]->has_uses() || end->arg(k).node() == slots[k]) continue;  // drop_invariant_carries() does the rest
    if (!stays_while_it_goes_on(end->arg(k), end->arg(0), slots[k], initial[k + 1])) continue;
    g.replace_all_uses(slots[k], as_node(g, initial[k + 1]));
    any = true;
  }
  return any;
}

// Adds to `known` the values of the nodes whose arguments are known numbers.
void compute(const Block* b, KnownNumbers& known) {
  for (const Node* n : *b) {
    if (std::optional<IValue> v = n->structure() == Structure::None ? number(n, known) : std::nullopt) {
      known.insert_or_assign(n, std::move(*v));
    } else if (n->is_if()) {
      const std::optional<IValue> condition = literal(n->arg(0), known);
      const bool decided = condition && condition->is_bool();
      const size_t taken = decided && !condition->to_bool() ? 1 : 0, other = decided ? taken : 1;
      for (size_t k : {taken, other}) compute(n->block(k), known);
      for (size_t k = 0; k < n->result_count(); ++k) {
        const Node* r = n->result(k);
        if (!r) continue;
        std::optional<IValue> end = literal(n->block(taken)->output()->arg(k), known);
        const std::optional<IValue> same = literal(n->block(other)->output()->arg(k), known);
        if (end && same && is_equal_number(*end, *same)) known.insert_or_assign(r, std::move(*end));
      }
    }
  }
}

// A carried number, if the Loop goes on: that of the blocks of an If in which the condition is not False.
std::optional<IValue> literal_if_going(ArgRef goes_on, ArgRef value, const KnownNumbers& known) {
  if (std::optional<IValue> v = literal(value, known)) return v;
  Node *n = value.node(), *c = goes_on.node();
  const Node* m = n ? producer(n) : nullptr;
  if (!m || !c || !m->is_if()) return std::nullopt;
  const bool negated = is_call_of(c, "aten::__not__"), same = producer(c) == m;
  const Node* asked = negated ? c->arg(0).node() : c;
  const bool is_condition = m->arg(0).node() == asked;
  if (!same && !is_condition) return std::nullopt;
  std::optional<IValue> found;
  for (size_t b = 0; b < 2; ++b) {
    const Node* end = m->block(b)->output();
    const std::optional<IValue> going =
        is_condition ? IValue((b == 0) != negated) : literal(end->arg(c->is_projection() ? c->projected_index() : 0), known);
    if (going && going->is_bool() && !going->to_bool()) continue;
    std::optional<IValue> v = literal(end->arg(n->is_projection() ? n->projected_index() : 0), known);
    if (!v || (found && !is_equal_number(*v, *found))) return std::nullopt;
    found = std::move(v);
  }
  return found;
}

// What the carried numbers of a while loop say about its iterations.
struct Iterations {
  int64_t certain = 0;  // so many run for all inputs, because the condition can be computed
  std::optional<int64_t> most;  // no more than these run
};

// Follows the numbers that are known from the initial values. Stops once the iterations have more than kMaxFollowedNodes nodes.
Iterations iterations_of(const Node* loop) {
  Iterations result;
  if (!loop->arg(0).is(ArgKind::Int)) return result;
  const int64_t count = loop->arg(0).as_int();
  const std::vector<Node*> slots = loop->block(0)->placeholders();
  const Args initial = loop->copy_args();
  const size_t size = nodes_inside(loop);
  KnownNumbers known;
  for (size_t k = 1; k < slots.size(); ++k)
    if (std::optional<IValue> v = literal_if_going(initial[1], initial[k + 1], known)) known.insert_or_assign(slots[k], std::move(*v));
  std::optional<IValue> goes_on = literal(initial[1]);
  bool certain = count == INT64_MAX;
  for (int64_t done = 0;; ++done) {
    const bool decided = goes_on && goes_on->is_bool();
    if (done == count || (decided && !goes_on->to_bool())) {
      result.most = done;
      return result;
    }
    certain = certain && decided;
    if (certain) result.certain = done + 1;
    if (static_cast<size_t>(done + 1) * size > kMaxFollowedNodes) {
      if (certain) result.certain = 0;
      return result;
    }
    known.insert_or_assign(slots[0], IValue(done));
    compute(loop->block(0), known);
    const Args end = loop->block(0)->output()->copy_args();
    goes_on = literal(end[0], known);
    KnownNumbers next;
    for (size_t k = 1; k < slots.size(); ++k)
      if (std::optional<IValue> v = literal_if_going(end[0], end[k], known)) next.insert_or_assign(slots[k], std::move(*v));
    known = std::move(next);
  }
}

// The iterations of a Loop from `i` to `most`, as an If inside of the other wherever the condition is not known. Returns the arguments for those after them.
Args unrolled_from(Graph& g, const Node* loop, int64_t i, int64_t most, const Args& state) {
  if (i == most || (state[1].is(ArgKind::Bool) && !state[1].as_bool())) return state;
  if (state[1].is(ArgKind::Bool)) return unrolled_from(g, loop, i + 1, most, copy_iteration(g, loop, i, state));
  const Graph::InsertPoint here = g.insert_point();
  Node* branch = g.create(Op::CallFunction, g.target("prim::If"), Args(state[1]));
  for (size_t b = 0; b < 2; ++b) {
    Block* to = g.add_block(branch);
    g.insert_at_end(to);
    const Args end = b ? state : unrolled_from(g, loop, i + 1, most, copy_iteration(g, loop, i, state));
    Args carried;
    for (size_t k = 2; k < end.size(); ++k) carried.add(end[k]);
    g.set_output(to, carried);
  }
  g.set_results(branch, result_types(loop));
  g.set_insert_point(here);
  Args after(state[0], false);
  for (size_t k = 0; k < loop->result_count(); ++k) after.add(g.project(branch, k));
  return after;
}

// Moving a node takes time for every node in its blocks, so the rewrites are quadratic in the depth. A graph that is nested deeper keeps its branches.
constexpr int kMostNested = 256;
// The most iterations of a Loop that become Ifs inside of each other.
constexpr int64_t kMostBranches = 64;

bool nested_deeper_than(const Graph& g, int most) {
  std::unordered_map<const Block*, int> depths{{g.root(), 0}};
  for (const Node* n : NestedNodes(g)) {
    if (n->block_count() == 0) continue;
    const int inside = depths.at(n->block()) + 1;
    if (inside > most) return true;
    for (size_t k = 0; k < n->block_count(); ++k) depths.emplace(n->block(k), inside);
  }
  return false;
}

bool one_unset_value(Graph& g) {
  std::vector<Node*> unset;
  for (Node* n : NestedNodes(g))
    if (is_call_of(n, "prim::Uninitialized")) unset.push_back(n);
  if (unset.empty()) return false;
  Node* before = g.root()->first();
  while (before->op() == Op::Placeholder) before = before->next();
  if (unset.size() == 1 && unset.front() == before && before->has_uses() && !before->type_declared()) return false;
  if (std::ranges::none_of(unset, [](const Node* n) { return n->has_uses(); })) {
    for (Node* n : unset) g.erase(n);
    return true;
  }
  g.insert_before(before);
  Node* one = g.call("prim::Uninitialized");
  for (Node* n : unset) g.replace_all_uses(n, one), g.erase(n);
  return true;
}

}  // namespace

Node* as_node(Graph& g, ArgRef a) {
  if (Node* n = a.node()) return n;
  Args value;
  value.name("value");
  value.add(a);
  return g.call("prim::Constant", value);
}

size_t nodes_inside(const Node* n) {
  size_t count = 0;
  for (size_t k = 0; k < n->block_count(); ++k)
    for (const Node* inside : NestedNodes(n->block(k))) (void)inside, ++count;
  return count;
}

Args copy_iteration(Graph& g, const Node* loop, int64_t i, const Args& arguments) {
  const std::vector<Node*> slots = loop->block(0)->placeholders();
  Graph::NodeMap map;
  map[slots[0]] = as_node(g, Args(i)[0]);
  for (size_t k = 1; k < slots.size(); ++k) map[slots[k]] = as_node(g, arguments[k + 1]);
  const Args end = g.copy_body(loop->block(0), map);
  Args next(arguments[0]);
  for (size_t k = 0; k < end.size(); ++k) next.add(end[k]);
  return next;
}

bool peel(Graph& g, Node* loop) {
  const int64_t iterations = loop->arg(0).is(ArgKind::Int) && loop->arg(0).as_int() == INT64_MAX ? iterations_of(loop).certain : 0;
  if (iterations == 0) return false;
  Args state = loop->copy_args();
  g.insert_before(loop);
  for (int64_t i = 0; i < iterations; ++i) state = copy_iteration(g, loop, i, state);
  g.set_args(loop, state);
  return true;
}

bool unroll_bounded(Graph& g, Node* loop) {
  const std::optional<int64_t> most = iterations_of(loop).most;
  if (!most || *most > kMostBranches) return false;
  g.insert_before(loop);
  const Args state = unrolled_from(g, loop, 0, *most, loop->copy_args());
  for (size_t k = 2; k < state.size(); ++k) replace_result(g, loop, k - 2, state[k]);
  g.erase(loop);
  return true;
}

bool join_equal_conditions(Graph& g) {
  if (nested_deeper_than(g, kMostNested) || g.node_count() > kMaxUnrolledGraph) return false;
  auto ifs = [&] {
    std::vector<Node*> nodes;
    for (Node* n : NestedNodes(g))
      if (n->is_if()) nodes.push_back(n);
    return nodes;
  };
  if (std::ranges::none_of(ifs(), [](const Node* n) { return with_equal_condition(n) != nullptr; })) return false;
  put_in_canonical_order(g);
  bool any = false;
  for (Node* n : ifs()) {
    interrupt_point();
    Node* m = n->erased() ? nullptr : with_equal_condition(n);
    if (!m || !bring_together(g, m, n)) continue;
    join(g, m, n, [](size_t b, const Args&) { return Args(b == 0); });
    any = true;
  }
  return any;
}

bool simplify_branches(Graph& g) {
  bool any = one_unset_value(g);
  if (nested_deeper_than(g, kMostNested)) return any;
  const bool lists_stay = !lists_change(g);
  std::vector<Node*> nodes;
  bool writes = false;
  for (Node* n : NestedNodes(g)) nodes.push_back(n), writes |= (own_effects(*n).writes & ir::Effects::Memory) != 0;
  for (Node* n : nodes) {
    interrupt_point();
    if (n->erased()) continue;
    if (n->is_if()) any |= simplify_if(g, n);
    else if (n->is_loop()) any |= simplify_loop(g, n);
    else
      any |= fold(g, n) || fold_size(g, n) || (!writes && fold_tensors(g, n)) || push_negation(g, n) || none_of_branch(g, n) ||
             (lists_stay && fold_list(g, n));
  }
  return any;
}

}  // namespace monograph::passes
