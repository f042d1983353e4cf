// Walks over every block without recursion: uses and dominance, results and projections, the signatures of If and Loop, schemas, inferred types,
// guards, calls in a circle.
#include "ir/verify.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "ir/bind.h"
#include "ir/builder.h"
#include "ir/text.h"

namespace monograph::ir {
namespace {

class Verifier {
 public:
  Verifier(const Graph& graph, size_t limit) : graph_(graph), limit_(limit) {}

  std::vector<Problem> run() {
    block(graph_.root());
    size_t count = 0;
    for (Node* n : NestedNodes(graph_)) {
      if (problems_.size() >= limit_) return problems_;
      if (count++ && n->graph() == &graph_ && !(previous_->is_before(n))) wrong(n, "its label does not ascend");
      previous_ = n;
      node(n);
      for (size_t k = 0; k < n->block_count(); ++k) block(n->block(k));
    }
    if (count != graph_.node_count()) wrong(nullptr, concat("it holds ", count, " nodes and counts ", graph_.node_count()));
    guards();
    return std::move(problems_);
  }

 private:
  template <class... Parts>
  void wrong(const Node* n, const Parts&... parts) {
    if (problems_.size() < limit_) problems_.push_back({&graph_, n, concat(parts...)});
  }

  void block(const Block* b) {
    if (b->owner() && !b->output()) wrong(b->owner(), "block", b->index(), " has no end");
    if (!b->owner() && !b->output()) wrong(nullptr, "the graph has no output");
    size_t placeholders = 0;
    bool head = true;
    const Node* before = nullptr;
    for (Node* n : *b) {
      if (n->block() != b || n->previous() != before || n->graph() != &graph_) wrong(n, "it is linked wrongly");
      before = n;
      if (n->op() == Op::Placeholder) {
        ++placeholders;
        if (!head) wrong(n, "a placeholder comes after other nodes");
      } else {
        head = false;
      }
      if (n->op() == Op::Output && n != b->last()) wrong(n, "an output comes before the end of its block");
    }
    if (placeholders != b->placeholder_count()) wrong(b->owner(), "its block counts its placeholders wrongly");
  }

  void node(const Node* n) {
    uses(n);
    results(n);
    if (n->is_if()) check_if(n);
    else if (n->is_loop()) check_loop(n);
    else if (n->block_count()) wrong(n, "only prim::If and prim::Loop have blocks");
    if (n->op() == Op::CallFunction && n->info()) schema(n);
    else if (n->op() == Op::CallFunction || n->op() == Op::CallMethod) name(n);
    if (graph_.level() != Level::Module && (n->op() == Op::CallModule || n->op() == Op::CallMethod))
      wrong(n, "a ", to_string(n->op()), " in a graph of level ", to_string(graph_.level()));
    if (n->op() == Op::Placeholder && n->arg_count() > 1) wrong(n, "a placeholder has one default at most");
    auto note = [&](const Symbol& s) {
      auto [at, fresh] = symbols_.emplace(s.name, s);
      if (!fresh && !(at->second == s))
        wrong(n, "it names the symbol ", s.name, ", and another node one of the same name with another range or hint");
    };
    n->type().visit_symbols(note);
    for (uint32_t i = 0; i < n->skeleton().items; ++i)
      if (n->skeleton().item[i].kind == ArgKind::SymInt) SymInt::from_bits(n->skeleton().item[i].i).visit_symbols(note);
  }

  void uses(const Node* n) {
    if (n->skeleton().holes != n->input_count())
      wrong(n, "its arguments have ", n->skeleton().holes, " places for ", n->input_count(), " inputs");
    for (size_t k = 0; k < n->input_count(); ++k) {
      const Use& u = n->use(k);
      if (u.user != n || u.index != k || (u.previous ? u.previous->next : u.value->first_use()) != &u)
        wrong(n, "its use ", k, " is linked wrongly");
      if (u.value->graph() != &graph_) {
        wrong(n, "its input ", k, ", %", u.value->name(), ", belongs to another graph");
      } else if (u.value->erased()) {
        wrong(n, "its input ", k, ", %", u.value->name(), ", was erased");
      } else if (!u.value->dominates(n)) {
        bool order = n->is_before(u.value) || n == u.value;
        wrong(n, "it uses %", u.value->name(), order ? ", which comes later" : ", which is made in a block that does not hold it");
      }
      if (u.value->op() == Op::Output) wrong(n, "it uses an output");
      if (u.value->multi() && !(n->is_projection() && k == 0))
        wrong(n, "it uses %", u.value->name(), ", which has several results, instead of one of them");
    }
  }

  void results(const Node* n) {
    if (n->multi() && !n->type().is(TypeKind::Tuple))
      wrong(n, "it has several results, and its type is ", n->type() ? to_string(n->type()) : "unknown");
    if (!n->is_projection()) return;
    if (n->input_count() != 1 || n->arg_count() != 2 || !n->arg(1).is(ArgKind::Int)) return wrong(n, "a result is a node and a number");
    const Node* producer = n->projected();
    if (!producer->multi()) return wrong(n, "it is a result of %", producer->name(), ", which has only one");
    size_t k = n->projected_index();
    if (n->arg(1).as_int() < 0 || k >= producer->result_count())
      return wrong(n, "there is no result ", n->arg(1).as_int(), " of %", producer->name());
    const Node* before = n->previous();
    bool ascending =
        before && (before == producer || (before->is_projection() && before->projected() == producer && before->projected_index() < k));
    if (!ascending) wrong(n, "it does not follow %", producer->name(), " and its earlier results");
    if (n->type() && n->type() != producer->result_type(k))
      wrong(n, "its type is ", to_string(n->type()), ", and its producer says ", to_string(producer->result_type(k)));
  }

  // `from` arrives where `to` is expected.
  // A size is an int when the graph runs: a loop may carry it as one.
  bool fits(Type from, Type to) const {
    return !from || !to || to.is(TypeKind::Any) || is_subtype(from, to) || (from.is(TypeKind::SymInt) && to.is(TypeKind::Int));
  }
  void check_condition(const Node* n, ArgRef c, std::string_view what) {
    Type t = type_of(c);
    if (t && !t.is(TypeKind::Bool) && !t.is(TypeKind::SymBool) && !t.is(TypeKind::Any)) wrong(n, what, " is ", to_string(t), ", not bool");
  }

  // What a block ends with against the node's results.
  void block_results(const Node* n, const Block* b, size_t head) {
    const Node* out = b->output();
    if (!out) return;
    if (out->skeleton().names) wrong(out, "the end of a block has no keywords");
    size_t count = n->result_count();
    if (out->arg_count() != count + head)
      return wrong(n, "block", b->index(), " ends with ", out->arg_count(), " values, and ", count + head, " are expected");
    size_t k = 0;
    for (auto it = out->args_begin(); it != out->args_end(); ++it, ++k)
      if (k >= head && !fits(type_of(*it), n->result_type(k - head)))
        wrong(n, "result ", k - head, " is ", to_string(n->result_type(k - head)), ", and block", b->index(), " gives ",
              to_string(type_of(*it)));
  }

  void check_if(const Node* n) {
    if (n->block_count() != 2) return wrong(n, "prim::If has two blocks, not ", n->block_count());
    if (n->arg_count() != 1) return wrong(n, "prim::If has one argument, its condition");
    check_condition(n, n->arg(0), "its condition");
    for (size_t k = 0; k < 2; ++k) {
      if (n->block(k)->placeholder_count()) wrong(n, "block", k, " of an If has no placeholders");
      block_results(n, n->block(k), 0);
    }
    several(n);
  }

  void check_loop(const Node* n) {
    if (n->block_count() != 1) return wrong(n, "prim::Loop has one block, not ", n->block_count());
    if (n->arg_count() < 2 || n->skeleton().names) return wrong(n, "prim::Loop has a count, a condition and the carried values");
    Type count = type_of(n->arg(0));
    if (count && !count.is(TypeKind::Int) && !count.is(TypeKind::SymInt) && !count.is(TypeKind::Any))
      wrong(n, "its count is ", to_string(count), ", not int");
    check_condition(n, n->arg(1), "its condition");
    size_t carried = n->arg_count() - 2;
    const Block* b = n->block(0);
    if (b->placeholder_count() != carried + 1)
      return wrong(n, "its block has ", b->placeholder_count(), " placeholders, and ", carried + 1,
                   " are expected: the counter and the carried values");
    if (n->result_count() != carried) return wrong(n, "it carries ", carried, " values and has ", n->result_count(), " results");
    auto slots = b->placeholders();
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k)
      if (k >= 2 && !fits(type_of(*it), slots[k - 1]->type()))
        wrong(n, "carried value ", k - 2, " is ", to_string(slots[k - 1]->type()), " inside and begins as ", to_string(type_of(*it)));
    block_results(n, b, 1);
    if (const Node* out = b->output(); out && out->arg_count()) check_condition(n, out->arg(0), "the condition at the end of its block");
    several(n);
  }
  void several(const Node* n) {
    if ((n->result_count() > 1) != n->multi()) wrong(n, "it has ", n->result_count(), " results, and is marked otherwise");
  }

  // The program's own name for an operator, whose overload is chosen when the graph is lowered.
  void name(const Node* n) {
    if (!operator_lookup().misfit || n->structure() != Structure::None || n->is_projection()) return;
    if (std::string why = operator_lookup().misfit(*n); !why.empty()) wrong(n, why);
  }

  void schema(const Node* n) {
    const FunctionSchema& s = n->info()->schema();
    if (n->multi() != (s.returns().size() > 1)) wrong(n, s.full_name(), " has ", s.returns().size(), " results");
    if (std::string why = misfit(s, *n); !why.empty()) return wrong(n, why);
    infer(n);
  }

  // A type of the schema language that stands for any.
  static bool generic(Type t) {
    if (t.is(TypeKind::Variable)) return true;
    return std::any_of(t.elements().begin(), t.elements().end(), generic);
  }
  void infer(const Node* n) {
    if (!n->type()) return;
    try {
      Type t = n->info()->infer(*n);
      if (!t || generic(t) || t == n->type() || is_subtype(t, n->type()) || is_subtype(n->type(), t)) return;
      wrong(n, "its type is ", to_string(n->type()), ", and ", n->info()->name(), " gives ", to_string(t));
    } catch (const Error& e) {
      wrong(n, e.what());
    }
  }

  void guards() {
    for (const Guard& g : graph_.guards())
      if (g.value && (g.value->graph() != &graph_ || g.value->erased())) wrong(g.value, "a guard checks it, and it is not in the graph");
  }

  const Graph& graph_;
  size_t limit_;
  const Node* previous_ = nullptr;
  std::vector<Problem> problems_;
  std::map<std::string, Symbol> symbols_;
};

// Who calls whom among the functions and methods of a Unit. No function may come back to itself, behind a condition or not: a program says
// repetition as a Loop, whose memory does not grow with its rounds.
class CallGraph {
 public:
  explicit CallGraph(const Unit& unit) : unit_(unit) {}

  // The first circle, at the call that closes it; nothing where there is none. A walk in depth, with a stack of its own.
  std::vector<Problem> circle() {
    for (const auto& start : unit_.functions()) {
      if (!state_.try_emplace(start.get(), State::Open).second) continue;
      path_.push_back({start.get(), calls_of(*start), 0});
      while (!path_.empty()) {
        Step& step = path_.back();
        if (step.next == step.calls.size()) {
          state_[step.graph] = State::Done;
          path_.pop_back();
          continue;
        }
        const auto [node, callee] = step.calls[step.next++];
        const auto [at, is_new] = state_.try_emplace(callee, State::Open);
        if (is_new) path_.push_back({callee, calls_of(*callee), 0});
        else if (at->second == State::Open) return {{step.graph, node, message(*callee)}};
      }
    }
    return {};
  }

 private:
  enum class State : uint8_t { Open, Done };
  using CallSite = std::pair<const Node*, const Graph*>;
  struct Step {
    const Graph* graph;
    std::vector<CallSite> calls;
    size_t next;
  };

  const Graph* callee(const Node* n) const {
    const std::string& name = n->target().name();
    if (n->op() == Op::CallFunction) return unit_.find_function(name);
    if (n->op() != Op::CallMethod || n->arg_count() == 0) return nullptr;
    const Type self = type_of(n->arg(0));
    return self.is(TypeKind::Class) ? unit_.find_function(concat(self.name(), ".", name)) : nullptr;
  }
  std::vector<CallSite> calls_of(const Graph& graph) const {
    std::vector<CallSite> calls;
    for (const Node* n : NestedNodes(graph))
      if (const Graph* to = callee(n)) calls.emplace_back(n, to);
    return calls;
  }
  std::string message(const Graph& again) const {
    constexpr size_t kShown = 8;
    size_t first = 0;
    while (path_[first].graph != &again) ++first;
    std::string chain;
    for (size_t k = first; k < path_.size() && k - first < kShown; ++k) chain += concat(path_[k].graph->name(), " -> ");
    if (path_.size() - first > kShown) chain += "... -> ";
    return concat("a function calls itself: ", chain, again.name(), "; write the repetition as a prim::Loop");
  }

  const Unit& unit_;
  std::unordered_map<const Graph*, State> state_;
  std::vector<Step> path_;
};

void raise(const std::vector<Problem>& problems) {
  if (problems.empty()) return;
  std::string message = concat("the graph ", problems[0].graph->name(), " is not valid:");
  for (const Problem& p : problems) {
    message += "\n  ";
    if (p.node) message += concat("%", p.node->name(), " (", p.node->target().name(), "): ");
    message += p.message;
    if (p.node && p.node->span().known()) message += " (" + to_string(p.node->span()) + ")";
  }
  throw Error(ErrorKind::Value, std::move(message));
}

}  // namespace

std::vector<Problem> problems(const Graph& graph, size_t limit) { return Verifier(graph, limit).run(); }
void verify(const Graph& graph) { raise(problems(graph)); }
void verify(const Unit& unit) {
  for (const auto& f : unit.functions()) verify(*f);
  raise(CallGraph(unit).circle());
}

std::unique_ptr<Unit> verified(std::unique_ptr<Unit> unit) {
  verify(*unit);
  return unit;
}

}  // namespace monograph::ir
