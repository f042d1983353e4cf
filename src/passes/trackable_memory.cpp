// Finds the memory of a graph whose writes can become values. It starts with every base, and adds the views and writes that the records of operators describe. At
// the first use that no record describes, the whole memory stays as it is (`leave`), with a reason.
#include "passes/trackable_memory.h"

#include <algorithm>
#include <string_view>

#include "core/interrupt.h"
#include "ops/infer.h"
#include "passes/dependences.h"

namespace monograph::passes {

using namespace ir;

bool is_call(const Node* n) {
  return n->op() != Op::Placeholder && n->op() != Op::Output && n->op() != Op::GetAttr && n->structure() == Structure::None &&
         !n->is_projection();
}

namespace {

// Whether the node calls an operator whose schema describes all that it does.
bool is_known(const Node* n) { return n->info() && !n->info()->schema().is_vararg() && !own_effects(*n).user_code; }

// Whether the value's memory is new: of an input, an attribute, or a result that aliases no argument.
bool is_fresh(const Node* v) {
  if (v->op() == Op::Placeholder) return !v->block()->owner();
  if (v->op() == Op::GetAttr) return true;
  const Node* maker = producer(const_cast<Node*>(v));
  if (maker->structure() != Structure::None || !is_known(maker)) return false;
  size_t result = v->is_projection() ? v->projected_index() : 0;
  return result < maker->info()->results() && !maker->info()->schema().result_aliases(result);
}

// The value that a view is a view of, if a write to the view can be put back into it: the record says how, and the arguments allow it. Else null.
const Node* put_back_to(const Node* n) {
  auto* op = dynamic_cast<const Operator*>(n->info());
  if (!op || n->is_projection() || (!op->scatter && !op->inverse)) return nullptr;
  std::optional<Args> args = bound_args(*op, *n);
  if (!args || op->scatter) return args ? (*args)[0].node() : nullptr;
  // A permutation is inverted when the graph is rewritten, so it must be known.
  bool permutes = std::string_view(op->inverse).find("inverse(") != std::string_view::npos;
  for (size_t k = 1; permutes && k < args->size(); ++k)
    for (ArgRef part : (*args)[k])
      if (!part.is(ArgKind::Int)) return nullptr;
  return (*args)[0].node();
}

}  // namespace

const Operator* functional_form(const Node* n) {
  auto* op = dynamic_cast<const Operator*>(n->info());
  if (!op || !op->functional || op->results() != 1 || n->input_count() == 0 || !op->schema().returns_argument(0, 0)) return nullptr;
  const auto& arguments = op->schema().arguments();
  bool only_first = std::none_of(arguments.begin() + 1, arguments.end(), [](const Argument& a) { return a.writes(); });
  return only_first && n->arg_count() && n->arg(0).node() ? op->functional : nullptr;
}

TrackableMemory::TrackableMemory(const Graph& graph, Memory of)
    : groups_(of == Memory::Tensors ? MemoryGroups(graph) : MemoryGroups::of_lists(graph)),
      members_(graph.id_limit()),
      place_(graph.id_limit()),
      end_(graph.id_limit()) {
  std::vector<const Node*> nodes;
  for (const Node* n : NestedNodes(graph)) {
    nodes.push_back(n);
    end_[n->id()] = place_[n->id()] = static_cast<uint32_t>(nodes.size());
  }
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it)
    if (const Node* owner = (*it)->block()->owner()) end_[owner->id()] = std::max(end_[owner->id()], end_[(*it)->id()]);
  if (of == Memory::Tensors) find_tensors(nodes);
  else find_lists(nodes);
}

void TrackableMemory::find_tensors(std::span<const Node* const> nodes) {
  const OpInfo* cast = operator_lookup().lookup ? operator_lookup().lookup("aten::type_as") : nullptr;
  for (const Node* n : nodes) {
    interrupt_point();
    if (n->op() == Op::Output) continue;
    if (is_call(n)) check_writes(n);
    if ((n->multi() && !n->is_projection()) || !groups_.written(n)) continue;
    add(n);
    if (!cast) leave(n, "there is no operator to convert to its dtype");
  }
  check_fixed(nodes);
  find_write_backs(nodes);
}

void TrackableMemory::find_lists(std::span<const Node* const> nodes) {
  std::map<uint32_t, uint32_t> last_write;  // by group: the place of the last write, or the end of the outermost If or Loop with it
  for (const Node* n : nodes) {
    if (n->op() == Op::Output) continue;
    if (const Node* list = written_list(n)) {
      if (!functional_form(n)) leave(list, "a write to it has no form without effects");
      const Node* outermost = n;
      while (outermost->block()->owner()) outermost = outermost->block()->owner();
      last_write[group(list)] = end_[outermost->id()];
    }
    if ((!n->multi() || n->is_projection()) && groups_.written(n)) add_list(n);
  }
  for (const Node* n : nodes) {
    if (n->op() == Op::Output || (n->multi() && !n->is_projection()) || !groups_.written(n)) continue;
    for (const Use* u = n->first_use(); u; u = u->next) {
      const bool after_writes = !u->user->block()->owner() && place_[u->user->id()] > last_write[group(n)];
      if (!after_writes && !holds_still(u->user, n)) leave(n, "another value holds it");
    }
  }
}

void TrackableMemory::add_list(const Node* v) {
  Base& b = bases_[group(v)];
  Member& m = members_[v->id()];
  if (const Node* written = written_list(v); written && is_call(v)) {
    m.shown = members_[written->id()].shown;
    if (!m.shown) leave(v, "it goes through an If or a Loop");
  } else if (is_call(v) && (v->target().name() == "prim::ListConstruct" || is_fresh(v))) {
    m.shown = b.value = v;
  } else {
    leave(v, "it was not made here");
  }
}

// Whether a call reads or writes the list, and no value holds it afterwards.
bool TrackableMemory::holds_still(const Node* user, const Node* list) const {
  if (!is_call(user) || !is_known(user)) return false;
  size_t as_argument = 0, uses = 0;  // it must be used once, as an argument itself and not inside of another list
  for (auto it = user->args_begin(); it != user->args_end(); ++it) as_argument += (*it).node() == list;
  for (size_t k = 0; k < user->input_count(); ++k) uses += user->input(k) == list;
  if (as_argument != 1 || uses != 1) return false;
  if (written_list(user) == list) return true;
  const FunctionSchema& schema = user->info()->schema();
  if (!schema.is_pure()) return false;
  for (size_t r = 0; r < schema.returns().size(); ++r) {
    const Argument& result = schema.returns()[r];
    const bool element = result.alias && result.alias->before == std::vector<std::string>{"*"} && result.type.is(TypeKind::Variable);
    if (schema.result_aliases(r) && !element) return false;
  }
  return true;
}

void TrackableMemory::leave(const Node* v, const char* reason) {
  Base& b = bases_[group(v)];
  if (!b.reason) b.reason = reason;
  if (!b.value) b.value = v;
}

void TrackableMemory::check_writes(const Node* n) {
  if (!(own_effects(*n).writes & Effects::Memory)) return;
  for (size_t k = 0; k < n->input_count(); ++k)
    if (groups_.unknown(n->input(k))) leave(n->input(k), "a call that is not known is given it");
  if (functional_form(n)) return;
  for (size_t k = 0; k < n->input_count(); ++k)
    if (groups_.written(n->input(k))) leave(n->input(k), "a write to it has no form without effects");
}

void TrackableMemory::add(const Node* v) {
  Base& b = bases_[group(v)];
  Member& m = members_[v->id()];
  if (is_call(v) && functional_form(v)) {
    const Node* written = v->arg(0).node();
    m.shown = members_[written->id()].shown;
    if (m.shown && members_[m.shown->id()].fixed) leave(v, "what may be a copy of it is written");
    if (!m.shown) leave(v, "it goes through an If or a Loop");
    return;
  }
  if (v->op() == Op::GetAttr && b.value && b.value->op() == Op::GetAttr && b.value->target().name() == v->target().name()) {
    m.shown = b.value;  // another read of the same attribute
  } else if (is_fresh(v)) {
    m.shown = v;
    if (b.value && b.value != v) leave(v, "it belongs to several values");
    else b.value = v;
  } else if (!add_view(v)) {
    leave(v, "it goes through an If or a Loop");
  }
  if (v->op() == Op::GetAttr && v->block()->owner()) leave(v, "it is an attribute read inside an If or Loop");
}

bool TrackableMemory::add_view(const Node* v) {
  const Node* maker = producer(const_cast<Node*>(v));
  if (!is_call(maker) || !is_known(maker) || !maker->info()->schema().is_pure()) return false;
  Member& m = members_[v->id()];
  m.shown = v, m.fixed = true;
  const Node* viewed = put_back_to(v);
  if (!viewed) return true;
  m.parent = members_[viewed->id()].shown;
  m.fixed = !m.parent || members_[m.parent->id()].fixed;
  return true;
}

void TrackableMemory::find_write_backs(std::span<const Node* const> nodes) {
  struct Write {
    const Node* node = nullptr;
    size_t count = 0;
    uint32_t last_use = 0;  // the place of the last node that uses the memory
  };
  std::map<uint32_t, Write> writes;
  for (const Node* n : nodes) {
    interrupt_point();
    bool is_write = is_call(n) && own_effects(*n).writes & Effects::Memory;
    for (size_t k = 0; k < n->input_count(); ++k) {
      if (!groups_.written(n->input(k)) || (n->op() == Op::Output && !n->block()->owner())) continue;
      Write& w = writes[group(n->input(k))];
      w.last_use = place_[n->id()];
      if (is_write && (!functional_form(n) || n->input(k) == n->arg(0).node())) w.count += w.node != n, w.node = n;
    }
  }
  for (auto& [g, w] : writes) {
    const auto* op = w.node ? dynamic_cast<const Operator*>(w.node->info()) : nullptr;
    if (!op || !op->assigns || w.node->block()->owner() || w.last_use != place_[w.node->id()]) continue;
    const Node* target = w.node->arg(0).node();
    bool is_input = target && group(target) == g && (target->op() == Op::Placeholder || target->op() == Op::GetAttr);
    if (!is_input || w.node->positional_count() < 2 || groups_.unknown(target)) continue;
    const Node* source = w.node->arg(1).node();
    if (w.count > 1 || (source && groups_.written(source) && group(source) != g)) continue;
    bases_.erase(g);
    write_backs_.push_back(w.node);
  }
}

// The place of the last use of v. A use inside of a loop that begins after v lasts until the loop ends, since each iteration uses v.
uint32_t TrackableMemory::last_use(const Node* v) const {
  uint32_t last = 0;
  for (const Use* u = v->first_use(); u; u = u->next) {
    last = std::max(last, place_[u->user->id()]);
    for (const Block* b = u->user->block(); b != v->block(); b = b->parent())
      if (b->owner()->is_loop()) last = std::max(last, end_[b->owner()->id()]);
  }
  return last;
}

// Leaves the memory of which a value may be a copy or a view (reshape), if that value is used after a later write: only the run decides whether it has the
// written elements.
void TrackableMemory::check_fixed(std::span<const Node* const> nodes) {
  std::map<uint32_t, std::vector<uint32_t>> writes;  // places, by group
  std::vector<const Node*> fixed;
  for (const Node* n : nodes) {
    interrupt_point();
    if (is_call(n) && functional_form(n) && groups_.written(n)) writes[group(n)].push_back(place_[n->id()]);
    if (members_[n->id()].shown == n && members_[n->id()].fixed) fixed.push_back(n);
  }
  for (auto it = fixed.rbegin(); it != fixed.rend(); ++it) {
    const Node* v = *it;
    uint32_t last = std::max(members_[v->id()].end, last_use(v));
    const Node* maker = producer(const_cast<Node*>(v));
    for (size_t k = 0; k < maker->input_count(); ++k)
      if (maker->input(k) && group(maker->input(k)) == group(v) && members_[maker->input(k)->id()].shown) {
        Member& from = members_[members_[maker->input(k)->id()].shown->id()];
        from.end = std::max(from.end, last);
      }
    const std::vector<uint32_t>& places = writes[group(v)];
    auto next = std::upper_bound(places.begin(), places.end(), place_[v->id()]);
    if (next != places.end() && *next < last) leave(v, "what may be a copy of it is used after a write");
  }
}

}  // namespace monograph::passes
