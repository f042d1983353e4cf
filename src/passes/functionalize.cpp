// Copies a graph into a new one without in-place writes. One walk keeps, for each tracked memory, the node that holds its current value: a write makes a new
// value. Memory that an If or Loop writes becomes one of its results or carried values.
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

// The arguments, with the defaults of the schema for those that are missing at the end.
Args with_defaults(const OpInfo& op, Args args) {
  const auto& formals = op.schema().arguments();
  for (size_t k = args.size(); k < formals.size() && formals[k].default_value; ++k) args.add(*formals[k].default_value);
  return args;
}

// The inverse of a permutation of dims.
Args inverse_of(ArgRef dims) {
  std::vector<int64_t> order(dims.size());
  int64_t position = 0, rank = static_cast<int64_t>(order.size());
  for (ArgRef d : dims) order[static_cast<size_t>(d.as_int() < 0 ? d.as_int() + rank : d.as_int())] = position++;
  Args out;
  out.open(ArgKind::List);
  for (int64_t d : order) out.add(d);
  return out.close();
}

// The value of some memory, and the number of the write that made it.
struct Latest {
  Node* value = nullptr;
  uint64_t version = 0;
};

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
    std::vector<Latest> initial = {};  // of an If: the values, at its beginning, of the memory that its arms write
  };

  // Finds, for each If and Loop, the memory groups that its blocks write and that come from outside.
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

  // The node of the new graph that has the current value of old node `v`.
  Node* value(const Node* v) {
    if (!memory_.follows(v)) return map_[v->id()];
    v = memory_.shown(v);
    if (memory_.fixed(v)) return map_[v->id()];
    const Latest& base = current_.at(memory_.group(v));
    if (!memory_.parent(v)) return base.value;
    // Views that were made before the last write are made again, from the base on.
    std::vector<const Node*> stale;
    const Node* from = v;
    for (; memory_.parent(from) && !is_current(from, base.version); from = memory_.parent(from)) stale.push_back(from);
    Node* last = memory_.parent(from) ? views_[from->id()].value : base.value;
    for (; !stale.empty(); stale.pop_back()) last = repeat_view(stale.back(), last, base.version);
    return last;
  }
  // Whether the node of a view has the value of this version, in a block from which it can be used here.
  bool is_current(const Node* view, uint64_t version) const {
    const Latest& known = views_[view->id()];
    return known.value && known.version == version && known.value->block()->contains(to_->insert_point().block);
  }
  Node* repeat_view(const Node* view, Node* viewed, uint64_t version) {
    Args args(viewed), bound = bound_view(view);
    for (size_t k = 1; k < bound.size(); ++k) args.add(bound[k]);
    to_->set_location_of(view);
    Node* c = to_->create(view->op(), target(view->target()), args, view->name());
    copy_type_and_span(c, view);
    to_->set_location_of(at_);
    views_[view->id()] = {c, version};
    return c;
  }
  // The arguments of a view in the order of its schema. The first one, which is viewed, is left empty.
  Args bound_view(const Node* view) {
    Args bound = *bound_args(*dynamic_cast<const Operator*>(view->info()), *view), args;
    for (size_t k = 0; k < bound.size(); ++k) k ? args.add_mapped(bound[k], [&](Node* v) { return value(v); }) : args.none();
    return args;
  }

  // Notes that a node of the new graph has the value of old node `v`.
  void define(const Node* v, Node* new_node) {
    map_[v->id()] = new_node;
    if (!memory_.follows(v) || memory_.fixed(memory_.shown(v))) return;
    uint32_t group = memory_.group(v);
    if (memory_.base(v) == v) current_[group] = {new_node, ++versions_};
    else if (memory_.parent(v)) views_[v->id()] = {new_node, current_.at(group).version};
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
    if (n->op() == Op::GetAttr && memory_.follows(n) && memory_.base(n) != n) return define(n, value(n));  // another read of the attribute
    if (const Operator* form = functional_form(n); form && is_call(n) && memory_.follows(n)) return write(n, *form);
    if (std::find(memory_.write_backs().begin(), memory_.write_backs().end(), n) != memory_.write_backs().end())
      return define(n, value(n->arg(0).node()));  // write_back() writes it at the end
    Args args;
    add_arguments(args, n);
    if (n->op() == Op::Placeholder) {
      Node* p = to_->placeholder(stack_.back().to, n->name(), n->type(), args);
      to_->set_target(p, target(n->target()));
      copy_type_and_span(p, n);
      return define(n, p);
    }
    if (n->structure() != Structure::None) return begin(n, args);
    Node* c = to_->create(n->op(), target(n->target()), args, n->name());
    copy_type_and_span(c, n);
    define(n, c);
  }
  void copy_type_and_span(Node* to, const Node* from) {
    if (from->multi() && !to->multi()) {  // such as prim::ListUnpack: no schema says how many results there are
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

  // Replaces an in-place call by its functional form. The result is the new value of what was written: of a view, and then of all that it is a view of.
  void write(const Node* n, const Operator& form) {
    // The two forms have the same arguments in the same order, but perhaps under other names.
    const auto& op = *dynamic_cast<const Operator*>(n->info());
    Args bound = n->skeleton().names ? bound_args(op, *n).value_or(n->copy_args()) : n->copy_args(), args;
    for (size_t k = 0; k < bound.size(); ++k) args.add_mapped(bound[k], [&](Node* v) { return value(v); });
    Node* old = args[0].as_node();
    Node* c = to_->call(form, with_defaults(form, args), n->name());
    if (form.pointwise) c = to_->call("aten::type_as", Args(c, old), n->name());  // promotion may have changed the dtype
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

  // Whether the current value of `v` is still its value at the end of the graph.
  bool is_lasting(const Node* v) const {
    if (!v || !memory_.written(v)) return true;
    return memory_.follows(v) && memory_.base(v)->op() != Op::Placeholder && memory_.base(v)->op() != Op::GetAttr;
  }

  // The new value of what a view is a view of, once the view has the value `src`. The view's record says how it is made: by its _scatter form, or by the call
  // in `inverse`, such as "permute(src, inverse(dims))".
  Node* put_back(const Node* view, Node* src) {
    const auto& op = *dynamic_cast<const Operator*>(view->info());
    const Node* parent = memory_.parent(view);
    Args bound = bound_view(view), args;
    Node* c = src;
    if (op.scatter) {
      args.add(value(parent)), args.add(src);
      for (size_t k = 1; k < bound.size(); ++k) args.add(bound[k]);
      c = to_->call(*op.scatter, args);
    } else if (std::string_view rule = op.inverse; rule != "src") {
      size_t open = rule.find('('), end = open;
      while (end + 1 < rule.size()) {
        size_t begin = rule.find_first_not_of(' ', end + 1);
        end = std::min(rule.find(", ", begin), rule.size() - 1);
        add_inverse_argument(args, rule.substr(begin, end - begin), op, bound, src, parent);
      }
      const OpInfo* inverse = operator_lookup().lookup(concat("aten::", rule.substr(0, open)));
      MONOGRAPH_ASSERT(inverse);
      c = to_->call(*inverse, with_defaults(*inverse, args));
    }
    to_->set_type(c, parent->type());
    return c;
  }
  // One argument of an `inverse` call: "src", "self", an argument of the view, or "inverse(NAME)" of a permutation.
  void add_inverse_argument(Args& args, std::string_view text, const Operator& op, const Args& bound, Node* src, const Node* parent) {
    constexpr std::string_view kInverse = "inverse(";
    if (text == "src") return void(args.add(src));
    if (text == "self") return void(args.add(value(parent)));
    bool inverse = text.starts_with(kInverse);
    if (inverse) text = text.substr(kInverse.size(), text.size() - kInverse.size() - 1);
    int index = op.schema().index_of(std::string(text));
    MONOGRAPH_ASSERT(index > 0);
    ArgRef a = bound[static_cast<size_t>(index)];
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
    for (uint32_t g : written) f.initial.push_back(current_.at(g));
    if (n->is_loop()) {
      // The old placeholders come before those of the written memory.
      Block* body = c->block(0);
      for (; f.next->op() == Op::Placeholder; f.next = f.next->next()) {
        Node* p = to_->placeholder(body, f.next->name(), f.next->type());
        copy_type_and_span(p, f.next);
        define(f.next, p);
      }
      for (uint32_t g : written) {
        const Node* outer_value = current_.at(g).value;
        current_[g] = {to_->placeholder(body, outer_value->name(), outer_value->type()), ++versions_};
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
      for (size_t k = 0; k < written.size(); ++k) current_[written[k]] = f.initial[k];
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

  // Writes the last value of each written input and attribute back, at the end of the graph: inputs in their order, then attributes by name.
  void write_back() {
    struct Write {
      const Node* to;
      Args from;
    };
    std::vector<Write> writes;
    for (const auto& [group, base] : memory_.bases()) {
      if (base.reason || (base.value->op() != Op::Placeholder && base.value->op() != Op::GetAttr)) continue;
      Node* last = current_.at(group).value;
      // Where a copy_ wrote all of it, its source is written back, so that functionalizing the result again changes nothing.
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
      to_->call(*write_back_, with_defaults(*write_back_, args));
    }
  }

  const Graph& from_;
  TrackableMemory memory_;
  Functionalized result_;
  Graph* to_;
  const OpInfo* write_back_ = operator_lookup().lookup ? operator_lookup().lookup("aten::copy_") : nullptr;
  std::vector<Node*> map_;  // by id of the old node: the new one
  std::unordered_map<uint32_t, Latest> current_;  // by memory group
  std::vector<Latest> views_;  // by id of the view: when it was last made
  std::unordered_map<const Node*, Args> assigned_;  // by the new value of a copy_: its source, if that has the same value at the end
  uint64_t versions_ = 0;
  const Node* at_ = nullptr;  // the old node that is being copied
  std::vector<std::vector<uint32_t>> written_;  // by id of the If or Loop: the groups that it writes
  std::vector<Frame> stack_;
};

}  // namespace

Functionalized functionalize(const Graph& graph) { return Functionalizer(graph, Memory::Tensors).run(); }
Functionalized functionalize_lists(const Graph& graph) { return Functionalizer(graph, Memory::Lists).run(); }

}  // namespace monograph::passes
