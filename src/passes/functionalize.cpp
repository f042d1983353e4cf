// One walk over the graph copies it into a new one and keeps the current value of each memory; blocks of If and Loop get those values as results and
// carried values.
#include "passes/functionalize.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/error.h"
#include "core/interrupt.h"
#include "ops/infer.h"
#include "passes/trackable_memory.h"

namespace monograph::passes {

using namespace ir;

namespace {

// The arguments with defaults in the places that are left.
Args filled(const OpInfo& op, Args args) {
  const auto& places = op.schema().arguments();
  for (size_t k = args.size(); k < places.size() && places[k].default_value; ++k) args.add(*places[k].default_value);
  return args;
}

// The inverse of a permutation of dims.
Args inverse_of(ArgRef dims) {
  std::vector<int64_t> order(dims.size());
  int64_t at = 0, rank = static_cast<int64_t>(order.size());
  for (ArgRef d : dims) order[static_cast<size_t>(d.as_int() < 0 ? d.as_int() + rank : d.as_int())] = at++;
  Args out;
  out.open(ArgKind::List);
  for (int64_t d : order) out.add(d);
  return out.close();
}

// The value of some memory, and the write that it is of.
struct Latest {
  Node* value = nullptr;
  uint64_t version = 0;
};

// Writes the graph anew. Tracked memory is read as its current value.
class Functionalizer {
 public:
  Functionalizer(const Graph& graph, Memory of) : from_(graph), memory_(graph, of), map_(graph.id_limit()), views_(graph.id_limit()) {
    result_.graph = std::make_unique<Graph>(graph.name(), graph.unit());
    to_ = result_.graph.get();
  }

  Functionalized run() {
    to_->set_level(from_.level());
    to_->set_dialect(from_.dialect());
    for (const auto& [group, base] : memory_.bases())
      if (base.reason) result_.left.push_back({base.value->name(), base.reason});
    find_written();
    stack_.push_back({from_.root(), from_.root()->first(), to_->root(), nullptr});
    while (!stack_.empty()) {
      interrupt_point();
      const Node* n = stack_.back().next;
      stack_.back().next = n->next();
      to_->insert_at_end(stack_.back().to);
      to_->set_location_of(at_ = n);
      visit(n);
    }
    for (const Guard& g : from_.guards()) {
      Guard copy = g;
      if (g.value) copy.value = map_[g.value->id()] ? map_[g.value->id()] : value(g.value);
      to_->add_guard(std::move(copy));
    }
    return std::move(result_);
  }

 private:
  struct Frame {
    const Block* from;
    const Node* next;
    Block* to;
    Node* owner;  // in the new graph
    std::vector<Latest> before = {};  // of an If: what is written inside, where it begins
  };

  // Per If and Loop, the groups that are written inside and were made outside.
  void find_written() {
    written_.resize(from_.id_limit());
    for (const Node* n : NestedNodes(from_)) {
      if (!is_call(n) || !(own_effects(*n).writes & Effects::Memory) || !functional_form(n) || !memory_.follows(n)) continue;
      uint32_t group = memory_.group(n);
      const Block* home = memory_.base(n)->block();
      for (const Block* b = n->block(); b != home; b = b->parent()) written_[b->owner()->id()].push_back(group);
    }
    for (auto& list : written_) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }

  // The value of old node `v` at this place.
  Node* value(const Node* v) {
    if (!memory_.follows(v)) return map_[v->id()];
    v = memory_.shown(v);
    if (memory_.fixed(v)) return map_[v->id()];
    const Latest& base = current_.at(memory_.group(v));
    if (!memory_.parent(v)) return base.value;
    // Views that were taken before the last write are taken again, from the base on.
    std::vector<const Node*> stale;
    const Node* from = v;
    for (; memory_.parent(from) && !is_current(from, base.version); from = memory_.parent(from)) stale.push_back(from);
    Node* last = memory_.parent(from) ? views_[from->id()].value : base.value;
    for (; !stale.empty(); stale.pop_back()) last = view_again(stale.back(), last, base.version);
    return last;
  }
  // Whether the value of a view is that of this version, and stands where it can be used here.
  bool is_current(const Node* view, uint64_t version) const {
    const Latest& known = views_[view->id()];
    return known.value && known.version == version && known.value->block()->contains(to_->insert_point().block);
  }
  Node* view_again(const Node* view, Node* of, uint64_t version) {
    Args args(of), rest = bound_view(view);
    for (size_t k = 1; k < rest.size(); ++k) args.add(rest[k]);
    to_->set_location_of(view);
    Node* c = to_->create(view->op(), target(view->target()), args, view->name());
    keep(c, view);
    to_->set_location_of(at_);
    views_[view->id()] = {c, version};
    return c;
  }
  // The arguments of a view in the places of its schema, but for what it shows.
  Args bound_view(const Node* view) {
    Args bound = *bound_args(*dynamic_cast<const Operator*>(view->info()), *view), args;
    for (size_t k = 0; k < bound.size(); ++k) k ? args.add_mapped(bound[k], [&](Node* v) { return value(v); }) : args.none();
    return args;
  }

  void define(const Node* v, Node* by) {
    map_[v->id()] = by;
    if (!memory_.follows(v) || memory_.fixed(memory_.shown(v))) return;
    uint32_t group = memory_.group(v);
    if (memory_.base(v) == v) current_[group] = {by, ++versions_};
    else if (memory_.parent(v)) views_[v->id()] = {by, current_.at(group).version};
  }
  void add_arguments(Args& args, const Node* n) {
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
      if (k >= n->positional_count()) args.name(n->keyword(k - n->positional_count()));
      args.add_mapped(*it, [&](Node* v) { return value(v); });
    }
  }
  Target target(const Target& t) {
    if (t.overload) return to_->resolved(t.name(), *t.overload, t.surface->callable);
    return to_->target(t.name(), t.surface->callable);
  }

  void visit(const Node* n) {
    if (n->op() == Op::Output) return finish(n);
    if (n->is_projection()) {
      if (n->projected()->structure() == Structure::None) project(n, map_[n->projected()->id()], n->projected_index());
      return;
    }
    if (n->op() == Op::GetAttr && memory_.follows(n) && memory_.base(n) != n) return define(n, value(n));  // read once more
    if (const Operator* form = functional_form(n); form && is_call(n) && memory_.follows(n)) return write(n, *form);
    if (std::find(memory_.write_backs().begin(), memory_.write_backs().end(), n) != memory_.write_backs().end())
      return define(n, value(n->arg(0).node()));  // at the end
    Args args;
    add_arguments(args, n);
    if (n->op() == Op::Placeholder) {
      Node* p = to_->placeholder(stack_.back().to, n->name(), n->type(), args);
      to_->set_target(p, target(n->target()));
      keep(p, n);
      return define(n, p);
    }
    if (n->structure() != Structure::None) return begin(n, args);
    Node* c = to_->create(n->op(), target(n->target()), args, n->name());
    keep(c, n);
    define(n, c);
  }
  void keep(Node* to, const Node* from) {
    if (from->multi() && !to->multi()) {  // no operator says how many results there are: a list or tuple is taken apart
      std::vector<Type> types;
      for (size_t k = 0; k < from->result_count(); ++k) types.push_back(from->result_type(k));
      to_->set_results(to, types);
    }
    if (!from->multi() || to->multi()) to_->set_type(to, from->type(), from->type_declared());
    to_->set_span(to, from->span());
  }
  void project(const Node* from, Node* maker, size_t k) {
    Node* p = to_->project(maker, k);
    if (p != maker) to_->set_name(p, from->name());
    define(from, p);
  }

  void write(const Node* n, const Operator& form) {
    // The names of the arguments may differ, their places do not.
    const auto& op = *dynamic_cast<const Operator*>(n->info());
    Args bound = n->skeleton().names ? bound_args(op, *n).value_or(n->copy_args()) : n->copy_args(), args;
    for (size_t k = 0; k < bound.size(); ++k) args.add_mapped(bound[k], [&](Node* v) { return value(v); });
    Node* old = args[0].as_node();
    Node* c = to_->call(form, filled(form, args), n->name());
    if (form.pointwise) c = to_->call("aten::type_as", Args(c, old), n->name());  // promotion may have made another dtype
    to_->set_type(c, old->type());
    const Node* shown = memory_.shown(n);
    if (op.assigns && !memory_.parent(shown) && is_lasting(bound[1].node())) assigned_.insert_or_assign(c, Args(args[1]));
    Latest next{c, ++versions_};
    for (; const Node* parent = memory_.parent(shown); shown = parent) {
      views_[shown->id()] = next;
      next.value = put_back(shown, next.value);
    }
    current_[memory_.group(n)] = next;
    map_[n->id()] = c;
    ++result_.writes;
  }

  // Whether what an old value gives here is the same at the end.
  bool is_lasting(const Node* v) const {
    if (!v || !memory_.written(v)) return true;
    return memory_.follows(v) && memory_.base(v)->op() != Op::Placeholder && memory_.base(v)->op() != Op::GetAttr;
  }

  // What a view shows, once the view is `src`: by its record.
  Node* put_back(const Node* view, Node* src) {
    const auto& op = *dynamic_cast<const Operator*>(view->info());
    const Node* of = memory_.parent(view);
    Args own = bound_view(view), args;
    Node* c = src;
    if (op.scatter) {
      args.add(value(of)), args.add(src);
      for (size_t k = 1; k < own.size(); ++k) args.add(own[k]);
      c = to_->call(*op.scatter, args);
    } else if (std::string_view rule = op.inverse; rule != "src") {
      size_t open = rule.find('('), end = open;
      while (end + 1 < rule.size()) {
        size_t begin = rule.find_first_not_of(' ', end + 1);
        end = std::min(rule.find(", ", begin), rule.size() - 1);
        add_part(args, rule.substr(begin, end - begin), op, own, src, of);
      }
      const OpInfo* inverse = operator_lookup().lookup(concat("aten::", rule.substr(0, open)));
      MONOGRAPH_ASSERT(inverse);
      c = to_->call(*inverse, filled(*inverse, args));
    }
    to_->set_type(c, of->type());
    return c;
  }
  void add_part(Args& args, std::string_view part, const Operator& op, const Args& own, Node* src, const Node* of) {
    constexpr std::string_view kInverse = "inverse(";
    if (part == "src") return void(args.add(src));
    if (part == "self") return void(args.add(value(of)));
    bool inverse = part.starts_with(kInverse);
    if (inverse) part = part.substr(kInverse.size(), part.size() - kInverse.size() - 1);
    int place = op.schema().index_of(std::string(part));
    MONOGRAPH_ASSERT(place > 0);
    ArgRef a = own[static_cast<size_t>(place)];
    inverse ? args.add(inverse_of(a)) : args.add(a);
  }

  void begin(const Node* n, Args& args) {
    const std::vector<uint32_t>& written = written_[n->id()];
    if (n->is_loop())
      for (uint32_t g : written) args.add(current_.at(g).value);
    Node* c = to_->create(n->op(), target(n->target()), args, n->name());
    for (size_t k = 0; k < n->block_count(); ++k) to_->add_block(c);
    map_[n->id()] = c;
    Frame f{n->block(0), n->block(0)->first(), c->block(0), c};
    for (uint32_t g : written) f.before.push_back(current_.at(g));
    if (n->is_loop()) {
      // The placeholders that are there come first.
      Block* body = c->block(0);
      for (; f.next->op() == Op::Placeholder; f.next = f.next->next()) {
        Node* p = to_->placeholder(body, f.next->name(), f.next->type());
        keep(p, f.next);
        define(f.next, p);
      }
      for (uint32_t g : written) {
        const Node* outside = current_.at(g).value;
        current_[g] = {to_->placeholder(body, outside->name(), outside->type()), ++versions_};
      }
    }
    stack_.push_back(std::move(f));
  }

  void finish(const Node* output) {
    Frame& f = stack_.back();
    const Node* owner = f.from->owner();
    Args args;
    add_arguments(args, output);
    if (!owner) {
      write_back();
      to_->set_output(args);
      to_->set_name(to_->output(), output->name());
      return stack_.pop_back();
    }
    const std::vector<uint32_t>& written = written_[owner->id()];
    for (uint32_t g : written) args.add(current_.at(g).value);
    to_->set_output(f.to, args);
    if (f.from->index() + 1 < owner->block_count()) {
      for (size_t k = 0; k < written.size(); ++k) current_[written[k]] = f.before[k];
      const Block* next = owner->block(f.from->index() + 1);
      f.from = next, f.next = next->first(), f.to = f.owner->block(next->index());
      return;
    }
    Node* c = f.owner;
    stack_.pop_back();
    results(owner, c, written);
  }
  void results(const Node* n, Node* c, const std::vector<uint32_t>& written) {
    std::vector<Type> types;
    size_t count = n->result_count();
    for (size_t k = 0; k < count; ++k) types.push_back(n->result_type(k));
    for (uint32_t g : written) types.push_back(memory_.bases().at(g).value->type());
    to_->set_results(c, types);
    to_->set_location_of(n);
    if (n->type_declared() && written.empty()) to_->set_type(c, n->type(), true);
    for (size_t k = 0; k < count; ++k)
      if (const Node* r = n->result(k)) project(r, c, k);
    for (size_t k = 0; k < written.size(); ++k) current_[written[k]] = {to_->project(c, count + k), ++versions_};
  }

  // Inputs and attributes that were written get their last value: inputs in their order, then attributes by name.
  void write_back() {
    struct Write {
      const Node* to;
      Args from;
    };
    std::vector<Write> writes;
    for (const auto& [group, base] : memory_.bases()) {
      if (base.reason || (base.value->op() != Op::Placeholder && base.value->op() != Op::GetAttr)) continue;
      Node* last = current_.at(group).value;
      // What was written whole is written once, so that the result functionalized again is itself.
      auto assigned = assigned_.find(last);
      if (last != map_[base.value->id()]) writes.push_back({base.value, assigned == assigned_.end() ? Args(last) : assigned->second});
    }
    for (const Node* n : memory_.write_backs()) {
      Args from;
      from.add_mapped(n->arg(1), [&](Node* v) { return value(v); });
      writes.push_back({n->arg(0).node(), std::move(from)});
    }
    std::sort(writes.begin(), writes.end(), [](const Write& a, const Write& b) {
      if (a.to->op() != b.to->op()) return a.to->op() == Op::Placeholder;
      return a.to->op() == Op::Placeholder ? a.to->is_before(b.to) : a.to->target().name() < b.to->target().name();
    });
    for (const Write& w : writes) {
      Args args(map_[w.to->id()]);
      args.add(w.from);
      to_->call(*write_back_, filled(*write_back_, args));
    }
  }

  const Graph& from_;
  TrackableMemory memory_;
  Functionalized result_;
  Graph* to_;
  const OpInfo* write_back_ = operator_lookup().lookup ? operator_lookup().lookup("aten::copy_") : nullptr;
  std::vector<Node*> map_;  // by id
  std::unordered_map<uint32_t, Latest> current_;  // by group
  std::vector<Latest> views_;  // by id of the view: when it was last taken
  std::unordered_map<const Node*, Args> assigned_;  // what values of copy_ were written with, where nobody changes that later
  uint64_t versions_ = 0;
  const Node* at_ = nullptr;
  std::vector<std::vector<uint32_t>> written_;  // by id of the If or Loop
  std::vector<Frame> stack_;
};

}  // namespace

Functionalized functionalize(const Graph& graph) { return Functionalizer(graph, Memory::Tensors).run(); }
Functionalized functionalize_lists(const Graph& graph) { return Functionalizer(graph, Memory::Lists).run(); }

}  // namespace monograph::passes
