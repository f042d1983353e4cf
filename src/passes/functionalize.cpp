#include "passes/functionalize.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "ops/record.h"
#include "passes/dependences.h"
#include "passes/memory.h"

namespace monograph::passes {

using namespace ir;

namespace {

// The operator without effects whose in-place form the node calls: it writes its first argument and answers it. Null for all else.
const Operator* functional_form(const Node* n) {
  auto* op = dynamic_cast<const Operator*>(n->info());
  if (!op || !op->functional || op->results() != 1 || n->input_count() == 0 || !op->schema().returns_argument(0, 0)) return nullptr;
  const auto& arguments = op->schema().arguments();
  bool only_first = std::none_of(arguments.begin() + 1, arguments.end(), [](const Argument& a) { return a.writes(); });
  return only_first && n->arg_count() && n->arg(0).node() ? op->functional : nullptr;
}

bool is_call(const Node* n) {
  return n->op() != Op::Placeholder && n->op() != Op::Output && n->structure() == Structure::None && !n->is_projection();
}

// Which memory can be followed by value, and what belongs to it.
class Plan {
 public:
  struct Base {
    const Node* value = nullptr;  // what the memory was made as, or came in as
    const char* reason = nullptr;  // why it stays
  };

  explicit Plan(const Graph& graph) : groups_(graph) {
    const OpInfo* cast = registry().lookup ? registry().lookup("aten::type_as") : nullptr;
    for (const Node* n : NestedNodes(graph)) {
      if (n->op() == Op::Output || (n->multi() && !n->is_projection())) {
        if (n->op() != Op::Output && n->structure() == Structure::None) check_writes(n);
        continue;
      }
      if (is_call(n)) check_writes(n);
      if (groups_.written(n)) add_member(n);
      if (groups_.written(n) && !cast) leave(n, "there is no operator to convert to its dtype");
    }
  }

  // Whether a value is followed, and by which number.
  bool follows(const Node* v) const {
    auto found = bases_.find(groups_.group(v));
    return found != bases_.end() && !found->second.reason && found->second.value;
  }
  const Node* base(const Node* v) const { return bases_.at(groups_.group(v)).value; }
  uint32_t group(const Node* v) const { return groups_.group(v); }
  const std::map<uint32_t, Base>& bases() const { return bases_; }

 private:
  void leave(const Node* v, const char* reason) {
    Base& b = bases_[groups_.group(v)];
    if (!b.reason) b.reason = reason;
    if (!b.value) b.value = v;
  }
  void check_writes(const Node* n) {
    if (!(own_effects(*n).writes & Effects::Memory)) return;
    const Operator* form = functional_form(n);
    for (size_t k = 0; k < n->input_count(); ++k)
      if (groups_.unknown(n->input(k))) leave(n->input(k), "a call that is not known is given it");
    if (form) return;
    for (size_t k = 0; k < n->input_count(); ++k)
      if (groups_.written(n->input(k))) leave(n->input(k), "a write to it has no form without effects");
  }
  void add_member(const Node* v) {
    if (is_call(v) && functional_form(v)) return;  // it is its first argument
    Base& b = bases_[groups_.group(v)];
    if (v->op() == Op::GetAttr && b.value && b.value->op() == Op::GetAttr && b.value->target().name() == v->target().name()) return;
    bool fresh = is_fresh(v);
    if (!fresh) leave(v, "it is shared by a view, a list, an If or a Loop");
    else if (b.value && b.value != v) leave(v, "it belongs to several values");
    else b.value = v;
    if (v->op() == Op::GetAttr && v->block()->owner()) leave(v, "it is an attribute read inside an If or Loop");
  }
  static bool is_fresh(const Node* v) {
    if (v->op() == Op::Placeholder) return !v->block()->owner();
    if (v->op() == Op::GetAttr) return true;
    const Node* maker = producer(const_cast<Node*>(v));
    if (maker->structure() != Structure::None || !maker->info() || maker->info()->schema().is_vararg()) return false;
    size_t result = v->is_projection() ? v->projected_index() : 0;
    return result < maker->info()->results() && !maker->info()->schema().result_aliases(result);
  }

  MemoryGroups groups_;
  std::map<uint32_t, Base> bases_;
};

// Writes the graph anew; what is followed is read as its last value.
class Functionalizer {
 public:
  explicit Functionalizer(const Graph& graph) : from_(graph), plan_(graph), map_(graph.id_limit()) {
    result_.graph = std::make_unique<Graph>(graph.name(), graph.unit());
    to_ = result_.graph.get();
  }

  Functionalized run() {
    to_->set_level(from_.level());
    to_->set_dialect(from_.dialect());
    for (const auto& [group, base] : plan_.bases())
      if (base.reason) result_.left.push_back({base.value->name(), base.reason});
    find_written();
    stack_.push_back({from_.root(), from_.root()->first(), to_->root(), nullptr});
    while (!stack_.empty()) {
      const Node* n = stack_.back().next;
      stack_.back().next = n->next();
      to_->insert_at_end(stack_.back().to);
      to_->set_location_of(n);
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
    std::vector<Node*> before = {};  // of an If: the values of what is written inside, where it begins
  };

  // Per If and Loop, the groups that are written inside and were made outside.
  void find_written() {
    written_.resize(from_.id_limit());
    for (const Node* n : NestedNodes(from_)) {
      if (!is_call(n) || !(own_effects(*n).writes & Effects::Memory) || !functional_form(n) || !plan_.follows(n)) continue;
      uint32_t group = plan_.group(n);
      const Block* home = plan_.base(n)->block();
      for (const Block* b = n->block(); b != home; b = b->parent()) written_[b->owner()->id()].push_back(group);
    }
    for (auto& list : written_) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }

  Node* value(const Node* v) {
    if (!plan_.follows(v)) return map_[v->id()];
    return current_.at(plan_.group(v));
  }
  void define(const Node* v, Node* by) {
    map_[v->id()] = by;
    if (plan_.follows(v)) current_[plan_.group(v)] = by;
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
    if (n->op() == Op::GetAttr && plan_.follows(n) && plan_.base(n) != n) return define(n, value(n));  // read once more
    Args args;
    add_arguments(args, n);
    if (n->op() == Op::Placeholder) {
      Node* p = to_->placeholder(stack_.back().to, n->name(), n->type(), args);
      to_->set_target(p, target(n->target()));
      keep(p, n);
      return define(n, p);
    }
    if (n->structure() != Structure::None) return begin(n, args);
    if (const Operator* form = functional_form(n); form && plan_.follows(n)) return write(n, *form, args);
    Node* c = to_->create(n->op(), target(n->target()), args, n->name());
    keep(c, n);
    define(n, c);
  }
  void keep(Node* to, const Node* from) {
    if (!from->multi() || to->multi()) to_->set_type(to, from->type(), from->type_declared());
    to_->set_span(to, from->span());
  }
  void project(const Node* from, Node* maker, size_t k) {
    Node* p = to_->project(maker, k);
    if (p != maker) to_->set_name(p, from->name());
    define(from, p);
  }

  void write(const Node* n, const Operator& form, const Args& args) {
    Node* old = args[0].as_node();
    Node* c = to_->call(form, args, n->name());
    c = to_->call("aten::type_as", Args(c, old), n->name());
    to_->set_type(c, old->type());
    define(n, c);
    ++result_.writes;
  }

  void begin(const Node* n, Args& args) {
    const std::vector<uint32_t>& written = written_[n->id()];
    if (n->is_loop())
      for (uint32_t g : written) args.add(current_.at(g));
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
      for (uint32_t g : written) current_[g] = to_->placeholder(body, current_.at(g)->name(), current_.at(g)->type());
    }
    stack_.push_back(std::move(f));
  }

  void finish(const Node* output) {
    Frame& f = stack_.back();
    const Node* owner = f.from->owner();
    Args args;
    if (!owner) write_back();
    add_arguments(args, output);
    if (!owner) {
      to_->set_output(args);
      to_->set_name(to_->output(), output->name());
      return stack_.pop_back();
    }
    const std::vector<uint32_t>& written = written_[owner->id()];
    for (uint32_t g : written) args.add(current_.at(g));
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
    for (uint32_t g : written) types.push_back(plan_.bases().at(g).value->type());
    to_->set_results(c, types);
    to_->set_location_of(n);
    if (n->type_declared() && written.empty()) to_->set_type(c, n->type(), true);
    for (size_t k = 0; k < count; ++k)
      if (const Node* r = n->result(k)) project(r, c, k);
    for (size_t k = 0; k < written.size(); ++k) current_[written[k]] = to_->project(c, count + k);
  }

  // Inputs and attributes that were written get their last value: inputs in their order, then attributes by name.
  void write_back() {
    to_->insert_at_end(to_->root());
    std::vector<std::pair<const Node*, uint32_t>> written;
    for (const auto& [group, base] : plan_.bases())
      if (!base.reason && (base.value->op() == Op::Placeholder || base.value->op() == Op::GetAttr)) written.emplace_back(base.value, group);
    std::sort(written.begin(), written.end(), [](const auto& a, const auto& b) {
      if (a.first->op() != b.first->op()) return a.first->op() == Op::Placeholder;
      return a.first->op() == Op::Placeholder ? a.first->is_before(b.first) : a.first->target().name() < b.first->target().name();
    });
    for (auto [value, group] : written) {
      Node *first = map_[value->id()], *last = current_.at(group);
      if (first != last) to_->call("aten::copy_", Args(first, last));
    }
  }

  const Graph& from_;
  Plan plan_;
  Functionalized result_;
  Graph* to_;
  std::vector<Node*> map_;  // by id
  std::unordered_map<uint32_t, Node*> current_;  // by group
  std::vector<std::vector<uint32_t>> written_;  // by id of the If or Loop
  std::vector<Frame> stack_;
};

}  // namespace

Functionalized functionalize(const Graph& graph) { return Functionalizer(graph).run(); }

}  // namespace monograph::passes
