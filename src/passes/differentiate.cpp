// Appends the backward pass to a graph. It walks the nodes from the last to the first and keeps the gradient of each value reached so far. For each node it
// runs the gradient rule of the operator on nodes, and records the calls that the rule makes. The backward pass of an If or Loop is itself an If or Loop. If
// it reads a value of the forward pass (`read`), the value is computed again where that is cheap; else the forward If or Loop returns it in a list (`saved`).
#include "passes/differentiate.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "autograd/engine.h"
#include "ir/builder.h"
#include "ops/infer.h"
#include "passes/decompose.h"
#include "passes/node_calls.h"

namespace monograph::passes {
namespace {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Block;
using ir::Graph;
using ir::Node;
using ir::TypeKind;

// How deep Ifs and Loops may be nested: each level is a recursive call of `walk`.
constexpr int kMaxDepth = 200;

[[noreturn]] void fail_at(const Node* n, std::string_view why) {
  Error e(ErrorKind::NotImplemented,
          concat("[", n->target().name(), "] the gradient of %", n->name(), " cannot be put into the graph: ", why));
  e.locate(n->span());
  throw e;
}

const Operator* record_of(const Node* n) { return dynamic_cast<const Operator*>(n->info()); }

template <class F>
bool any_argument(const Node* n, const F& holds) {
  for (auto it = n->args_begin(); it != n->args_end(); ++it)
    if (holds(*it)) return true;
  return false;
}

bool may_be_floating(ir::Type t) {
  if (!t) return true;
  if (t.is(TypeKind::List)) return may_be_floating(t.element());
  if (!t.is(TypeKind::Tensor)) return t.is(TypeKind::Any) || t.is(TypeKind::Tuple) || t.is(TypeKind::Optional);
  return !t.tensor().dtype || is_floating(*t.tensor().dtype) || is_complex(*t.tensor().dtype);
}

// Whether the operator works on lists of any type, so that its results are elements of its arguments, such as an index or an append.
bool passes_elements(const Operator& op) {
  if (op.schema().returns().size() != 1) return false;
  const ir::Type t = op.schema().returns()[0].type;
  return t.is(TypeKind::Variable) || (t.is(TypeKind::List) && t.element().is(TypeKind::Variable));
}

// Whether the result has the elements of argument 0, as a view or a copy that depends on its strides: reshape, contiguous.
bool keeps_elements(const Operator& op) {
  return !op.gradient && !op.derived_gradient && op.decompose && op.decompose_reads == Reads::Strides;
}

std::vector<Node*> nodes_of(const Block* b) {
  std::vector<Node*> nodes;
  for (Node* n : *b) nodes.push_back(n);
  return nodes;
}

// Which values depend on the inputs, so that a gradient flows through them.
class Activity {
 public:
  Activity(std::span<Node* const> nodes, std::span<Node* const> inputs, bool in_every_run = false) : in_every_run_(in_every_run) {
    for (Node* n : inputs) {
      set(n);
      if (n->op() == ir::Op::GetAttr) attributes_.emplace(n->target().name(), n);
    }
    do {
      changed_ = false;
      for (Node* n : nodes) mark_all(n);
    } while (changed_);
  }

  bool operator()(const Node* n) const { return n->id() < active_.size() && active_[n->id()]; }
  bool operator()(ArgRef a) const {
    if (Node* n = a.node()) return (*this)(n);
    for (ArgRef part : a)
      if ((*this)(part)) return true;
    return false;
  }
  // The node that holds the gradient of n: all get_attr nodes of one name share it.
  Node* key(Node* n) const {
    if (n->op() != ir::Op::GetAttr) return n;
    auto found = attributes_.find(n->target().name());
    return found == attributes_.end() ? n : found->second;
  }
  // Whether result k of an If or Loop is active.
  bool result(const Node* n, size_t k) const {
    const bool first = (*this)(n->is_if() ? n->block(0)->output()->arg(k) : n->arg(k + 2));
    const bool second = (*this)(n->is_if() ? n->block(1)->output()->arg(k) : n->block(0)->output()->arg(k + 1));
    return in_every_run_ ? first && second : first || second;
  }
  void set(const Node* n) {
    if (n->id() >= active_.size()) active_.resize(n->id() + 1);
    if (active_[n->id()] || !may_be_floating(n->type())) return;
    active_[n->id()] = changed_ = true;
  }

 private:
  void mark_all(Node* n) {
    mark(n);
    for (size_t k = 0; k < n->block_count(); ++k)
      for (Node* inner : ir::NestedNodes(n->block(k))) mark(inner);
    if (n->block_count()) mark(n);
  }
  void mark(Node* n) {
    if (n->op() == ir::Op::GetAttr && attributes_.contains(n->target().name())) set(n);
    if (n->op() != ir::Op::CallFunction || n->is_projection()) return;
    if (n->block_count()) return mark_structure(n);
    const Operator* op = record_of(n);
    if ((op && op->constant && !passes_elements(*op)) || !any_argument(n, *this)) return;
    if (op) mark_written(n, *op);
    if (!n->multi()) return set(n);
    for (size_t k = 0; k < n->result_count(); ++k)
      if (Node* r = n->result(k)) set(r);
  }
  // Marks the arguments that a call writes, and the values of which they are views.
  void mark_written(Node* n, const Operator& op) {
    const auto& arguments = op.schema().arguments();
    const bool any = std::ranges::any_of(arguments, [](const ir::Argument& a) { return a.writes(); });
    const auto bound = any ? bound_args(op, *n) : std::nullopt;
    for (size_t i = 0; bound && i < arguments.size(); ++i) {
      Node* v = arguments[i].writes() ? (*bound)[i].node() : nullptr;
      while (v) {
        set(v);
        const Operator* maker = record_of(v);
        const bool shares = maker && (maker->is_view || passes_elements(*maker) || keeps_elements(*maker) || v->type().is(TypeKind::List));
        v = shares && v->input_count() ? v->input(0) : nullptr;
      }
    }
  }
  void mark_structure(Node* n) {
    std::vector<Node*> slots = n->is_loop() ? n->block(0)->placeholders() : std::vector<Node*>();
    for (size_t k = 0; k < n->result_count(); ++k) {
      // What depends on the inputs in every run does so if an iteration that begins with it ends with it.
      if (n->is_loop() && in_every_run_ && (*this)(n->arg(k + 2))) set(slots[k + 1]);
      if (!result(n, k)) continue;
      if (n->is_loop()) set(slots[k + 1]);
      if (Node* r = n->result(k)) set(r);
    }
  }

  std::vector<bool> active_;
  std::unordered_map<std::string, Node*> attributes_;
  bool changed_ = false;
  const bool in_every_run_;
};

// A block of the forward pass, and the block in which its gradients are computed.
struct BackwardRegion {
  BackwardRegion* enclosing = nullptr;
  Block* forward = nullptr;
  Block* backward = nullptr;  // null at the top: gradients go to the caller's insertion point
  Node* owner = nullptr;  // the If or Loop that owns `forward`
  Node* index = nullptr;  // in a Loop: the number of the iteration whose gradient is computed
  Node* last_read = nullptr;  // the last of the nodes at the beginning of `backward` that read values of the forward pass
  std::unordered_map<Node*, Node*> reads;  // from a value of `forward` to the node of `backward` that has it
  std::unordered_map<Node*, Node*> gradients;  // of the values of `forward` and of the blocks that enclose it
};

class Differentiation : public NodeCalls {
 public:
  Differentiation(Graph& graph, const GradientRequest& request)
      : NodeCalls(graph), request_(request), active_(request.nodes, request.inputs), point_(graph.insert_point()) {}

  std::vector<Node*> run() {
    DispatchModeScope scope(*this);
    GradModeScope off(false);  // rules read it to choose how they compute
    BackwardRegion top;
    top.forward = request_.nodes.empty() ? graph_.root() : request_.nodes[0]->block();
    enter(top);
    for (auto [value, gradient] : request_.gradients) add(top, value, gradient);  // the incoming gradients
    walk(top, request_.nodes);
    std::vector<Node*> out;
    for (Node* input : request_.inputs) {
      auto found = top.gradients.find(active_.key(input));
      out.push_back(found == top.gradients.end() ? nullptr : found->second);
    }
    write_to(top);
    erase_unused(out);
    return out;
  }

 private:
  // --- Values.

  IValue node_value(Node* n) override {
    ir::Type t = n->type();
    if (!t.is(TypeKind::Tensor)) return Ref<ObjectBox>(new SymbolicValue(n, {}));
    if (!t.tensor().dtype) fail_at(n, "its dtype is not known");
    if (!t.tensor().sizes) fail_at(n, "its number of dimensions is not known");
    Tensor value(Ref<TensorImpl>(new SizedNodeTensor(n, size_sources_)));
    value->requires_grad = active_(n) && (is_floating(value.dtype()) || is_complex(value.dtype()));
    return value;
  }
  Tensor tensor(Node* n) { return node_value(n).to_tensor(); }
  static Node* node(const Tensor& t) { return static_cast<NodeTensor*>(t.impl())->node; }

  const SizeSources* sources(SymInt size) override {
    size.visit_symbols([&](const Symbol& s) {
      if (auto found = size_sources_.find(s.name); found != size_sources_.end())
        local_sources_[s.name] = {placed(found->second.first), found->second.second};
    });
    return &local_sources_;
  }

  Node* placed(Node* n) override { return read(region_, n); }

  // The node that has a value of the forward pass in the block where the gradients of region `r` are computed.
  Node* read(BackwardRegion* r, Node* v) {
    while (r && v->block() != r->forward) r = r->enclosing;
    if (!r || !r->backward) return v;
    if (auto found = r->reads.find(v); found != r->reads.end()) return found->second;
    const Graph::InsertPoint point = graph_.insert_point();
    Node* local = recomputed(*r, v);
    if (!local) local = saved(*r, v);
    graph_.set_insert_point(point);
    r->reads[v] = local;
    return local;
  }

  // A copy of the node in the backward block, for an attribute, a constant or a view; null for others.
  Node* recomputed(BackwardRegion& r, Node* v) {
    const Operator* op = record_of(v);
    const bool constant = v->op() == ir::Op::GetAttr || v->target().name() == "prim::Constant";
    auto is_own_view = [&](Node* x) { return x->block() == r.forward && record_of(x) && record_of(x)->is_view; };
    bool view = op && op->is_view && !v->is_projection() && !v->multi();
    for (size_t k = 0; view && k < v->input_count(); ++k) view = !is_own_view(v->input(k));
    if (!constant && !view) return nullptr;
    Graph::NodeMap map;
    for (size_t k = 0; k < v->input_count(); ++k) map[v->input(k)] = read(&r, v->input(k));
    return at_reads(r, [&] { return graph_.copy(v, map); });
  }

  // Lets the forward If or Loop return the value in a list, with one element for each iteration, and reads the element of this iteration.
  Node* saved(BackwardRegion& r, Node* v) {
    if (!v->type()) fail_at(v, "its type is not known");
    const ir::Type type = v->type(), list = ir::Type::list(type);
    Node* values = r.owner->is_loop() ? carry_list(r.owner, v, list) : return_list(r.owner, r.forward, v, list);
    Node* local_values = read(r.enclosing, values);
    return at_reads(r, [&] {
      Args args(local_values);
      r.index ? args.add(r.index) : args.add(int64_t{0});
      return typed(graph_.call(find_operator("aten::__getitem__.t"), args), type);
    });
  }

  // A list to which each iteration of the Loop appends v. Returns the Loop's result.
  Node* carry_list(Node* loop, Node* v, ir::Type list) {
    Block* body = loop->block(0);
    graph_.insert_before(loop);
    Node* empty = typed(graph_.call("prim::ListConstruct"), list);
    Node* earlier = graph_.placeholder(body, "kept", list);
    graph_.insert_at_end(body);
    Args element;
    element.open(ArgKind::List).add(v).close();
    Args args(earlier);
    args.add(element);
    Node* longer = typed(graph_.call(find_operator("aten::add.t"), args), list);
    return carry(loop, Args(empty), longer, list);
  }

  // Adds a carried value, whose placeholder exists already. Returns the Loop's result.
  Node* carry(Node* loop, const Args& initial, Node* next, ir::Type type) {
    graph_.set_args(loop, loop->copy_args().add(initial));
    graph_.set_output(loop->block(0), loop->block(0)->output()->copy_args().add(next));
    return add_result(loop, type);
  }

  // A list that holds v if this arm of the If has run, and nothing otherwise. Returns the If's result.
  Node* return_list(Node* owner, Block* arm, Node* v, ir::Type list) {
    for (size_t k = 0; k < owner->block_count(); ++k) {
      Block* b = owner->block(k);
      graph_.insert_at_end(b);
      Node* values = typed(graph_.call("prim::ListConstruct", b == arm ? Args(v) : Args()), list);
      graph_.set_output(b, b->output()->copy_args().add(values));
    }
    return add_result(owner, list);
  }

  // Adds a result to an If or Loop whose blocks return it already.
  Node* add_result(Node* owner, ir::Type type) {
    const size_t count =
        owner->result_count() - (owner->multi() ? 0 : 1);  // unless it has several, its results are counted from its blocks
    std::vector<ir::Type> types;
    for (size_t k = 0; k < count; ++k) types.push_back(owner->result_type(k));
    types.push_back(type);
    if (count != 1) {
      graph_.set_results(owner, types);
      return graph_.project(owner, count);
    }
    // Until now the owner itself was its only result; its users must read the new projection 0. A stand-in holds them while the results change.
    graph_.insert_before(owner);
    Node* stand_in = graph_.call("prim::Uninitialized");
    graph_.replace_all_uses(owner, stand_in);
    graph_.set_results(owner, types);
    Node* first = graph_.project(owner, 0);
    graph_.replace_all_uses(stand_in, first);
    graph_.erase(stand_in);
    replace_value(owner, first);
    return graph_.project(owner, 1);
  }

  // Everything noted about one node is noted about another from here on.
  void replace_value(Node* old_node, Node* new_node) {
    if (active_(old_node)) active_.set(new_node);
    for (BackwardRegion* r = region_; r; r = r->enclosing)
      for (auto* map : {&r->reads, &r->gradients})
        if (auto entry = map->extract(old_node)) entry.key() = new_node, map->insert(std::move(entry));
    if (request_.renamed) request_.renamed(old_node, new_node);
  }

  // Makes a node behind the region's other reads of the forward pass.
  template <class F>
  Node* at_reads(BackwardRegion& r, F make) {
    const Graph::InsertPoint point = graph_.insert_point();
    if (r.last_read) graph_.insert_after(r.last_read);
    else graph_.set_insert_point({r.backward, r.backward->first()});
    Node* n = make();
    graph_.set_insert_point(point);
    r.last_read = n;
    return n;
  }

  Node* typed(Node* n, ir::Type t) {
    graph_.set_type(n, t);
    appended_.push_back(n);
    return n;
  }

  // --- Gradients.

  void enter(BackwardRegion& r) {
    if (r.enclosing && ++depth_ > kMaxDepth) fail_at(r.owner, concat("Ifs and Loops are nested more than ", kMaxDepth, " deep"));
    write_to(r);
  }
  void leave(BackwardRegion& r) {
    --depth_;
    write_to(*r.enclosing);
  }
  // From here on, calls are recorded in this region.
  void write_to(BackwardRegion& r) {
    region_ = &r;
    if (r.backward) graph_.insert_at_end(r.backward);
    else graph_.set_insert_point(point_);
  }

  void add(BackwardRegion& r, Node* value, Node* gradient) {
    Node*& sum = r.gradients[active_.key(value)];
    sum = sum ? node("add"_op(tensor(sum), tensor(gradient))) : gradient;
    // The gradient has the value's sizes, even where inference cannot tell.
    if (const ir::Type t = gradient_type(value); !sum->is_projection() && !sum->block_count() && is_subtype(t, sum->type()))
      graph_.set_type(sum, t);
  }
  void add(BackwardRegion& r, ArgRef value, Node* gradient) {
    if (Node* n = value.node(); n && active_(n)) add(r, n, gradient);
  }

  Node* zeros(Node* value) {
    const Sizes sizes = tensor(value)->graph_sizes();
    bool are_numbers = true;
    for (size_t d = 0; d < sizes.size(); ++d) are_numbers &= sizes[d].is_int();
    return node(are_numbers ? Tensor("zeros"_op(sizes, tensor(value).dtype())) : Tensor("zeros_like"_op(tensor(value))));
  }
  Node* gradient_or_zeros(BackwardRegion& r, Node* value) {
    auto found = r.gradients.find(active_.key(value));
    return found == r.gradients.end() ? zeros(value) : found->second;
  }
  // The type of the value's gradient.
  static ir::Type gradient_type(const Node* value) {
    if (!value->type().is(TypeKind::Tensor))
      fail_at(value, concat("it is a ", ir::to_string(value->type()), ", but only tensors have gradients"));
    ir::TensorType t;
    t.dtype = value->type().tensor().dtype, t.sizes = value->type().tensor().sizes;
    return t;
  }

  void walk(BackwardRegion& r, std::span<Node* const> nodes) {
    for (size_t k = nodes.size(); k-- > 0;) {
      Node* n = nodes[k];
      if (n->op() != ir::Op::CallFunction || n->is_projection()) continue;
      std::vector<Node*> gradients(std::max<size_t>(n->result_count(), 1));
      bool any = false;
      for (size_t i = 0; i < gradients.size(); ++i) {
        Node* result = n->multi() ? n->result(i) : n;
        auto found = result ? r.gradients.find(result) : r.gradients.end();
        if (found != r.gradients.end()) gradients[i] = found->second, any = true;
      }
      if (!any) continue;
      graph_.set_location(n->span());
      if (n->is_if()) back_if(r, n, gradients);
      else if (n->is_loop()) back_loop(r, n, gradients);
      else if (any_argument(n, active_)) back_call(r, n, gradients);
    }
  }

  void back_call(BackwardRegion& r, Node* n, const std::vector<Node*>& gradients) {
    const Operator* op = record_of(n);
    if (op && op->constant && passes_elements(*op))
      fail_at(n, "the gradient would go through a list of tensors whose length the graph does not know");
    if (op && op->constant) return;
    check_differentiable(n, op);
    auto bound = bound_args(*op, *n);
    if (!bound) fail_at(n, "its arguments do not fit the operator");
    write_to(r);
    try {
      back_call(r, n, *op, *bound, gradients);
    } catch (const UnknownInGraph&) {
      fail_at(n, "the gradient rule reads a number or size of an argument that the graph does not know");
    } catch (Error& e) {
      e.note(concat("in the gradient of ", op->name(), ", %", n->name()));
      e.locate(n->span());
      throw;
    }
  }

  void check_differentiable(const Node* n, const Operator* op) const {
    if (!op) fail_at(n, "it is not an operator");
    for (size_t i = 0; i < op->schema().arguments().size(); ++i)
      if (op->schema().arguments()[i].writes())
        fail_at(n, concat("it writes to its argument '", op->schema().arguments()[i].name, "'; use the form that returns a new tensor"));
    if (((op->gradient || op->derived_gradient) && !gives_list(*op)) || keeps_elements(*op)) return;
    if (op->decompose) fail_at(n, "its decomposition depends on sizes that the graph does not know");
    Error e(ErrorKind::NotImplemented,
            concat("[", op->name(), "] derivative for ", op->name(), " is not implemented",
                   op->no_gradient ? concat(": ", op->no_gradient) : std::string(), "; detach() the argument if it needs none"));
    e.locate(n->span());
    throw e;
  }

  // Runs the gradient rule on nodes, and adds what it computes to the gradients of the arguments.
  void back_call(BackwardRegion& r, Node* n, const Operator& op, const Args& bound, const std::vector<Node*>& gradients) {
    GradCall::Saved saved;
    for (size_t i = 0; i < bound.size(); ++i) saved.args.push_back(value(bound[i]));
    saved.arg_versions.resize(bound.size());
    for (size_t k = 0; k < op.results(); ++k) saved.results.push_back(node_value(n->multi() ? graph_.project(n, k) : n));
    saved.result_versions.resize(saved.results.size());
    std::vector<Tensor> grads;
    for (Node* g : gradients) grads.push_back(g ? tensor(g) : Tensor());
    if (!grads[0].defined()) grads[0] = "zeros"_op(sizes_of(saved.results[0].as_tensor()), saved.results[0].as_tensor().dtype());
    GradCall call(op, saved, grads);
    if (op.gradient) op.gradient(call);
    else if (keeps_elements(op)) call.set(0, "reshape"_op(call.grad(), call.sizes(0)));
    else recorded_slopes(call, saved.results[0].as_tensor().dtype());
    auto computed = call.take();  // for each argument: one gradient, or one for each element of a list
    for (size_t i = 0; i < computed.size(); ++i) {
      if (Node* x = bound[i].node()) {
        if (!computed[i].empty()) add_fitted(r, x, computed[i][0]);
        continue;
      }
      size_t element = 0;
      for (ArgRef part : bound[i]) {
        if (Node* x = part.node(); x && element < computed[i].size()) add_fitted(r, x, computed[i][element]);
        ++element;
      }
    }
  }
  void add_fitted(BackwardRegion& r, Node* value, const Tensor& gradient) {
    if (gradient.defined() && active_(value)) add(r, value, node(fit(gradient, tensor(value))));
  }

  // A gradient in the sizes and dtype of its argument: summed over the dims that were broadcast.
  static Tensor fit(Tensor g, const Tensor& argument) {
    const Sizes grad_sizes = sizes_of(g), sizes = sizes_of(argument);
    bool same = grad_sizes.size() == sizes.size();
    for (size_t d = 0; same && d < sizes.size(); ++d) same = grad_sizes[d].same(sizes[d]);
    if (!same) g = "sum_to_size"_op(g, sizes);
    if (is_complex(g.dtype()) && !is_complex(argument.dtype())) g = "real"_op(g);
    return g.dtype() == argument.dtype() ? g : Tensor("to"_op(g, argument.dtype()));
  }

  // --- If and Loop.

  // The values from outside that the blocks of an If or Loop use and to which gradients flow, in the order of their uses.
  std::vector<Node*> used_from_outside(Node* owner) const {
    std::vector<Node*> used;
    std::unordered_set<Node*> seen;
    auto use = [&](Node* v) {
      if (active_(v) && seen.insert(active_.key(v)).second) used.push_back(active_.key(v));
    };
    for (size_t k = 0; k < owner->block_count(); ++k)
      for (Node* n : ir::NestedNodes(owner->block(k))) {
        if (n->op() == ir::Op::GetAttr && active_.key(n) != n) use(n);
        for (size_t i = 0; i < n->input_count(); ++i)
          if (Node* v = n->input(i); v->is_before(owner)) use(v);
      }
    return used;
  }

  void back_if(BackwardRegion& r, Node* n, const std::vector<Node*>& gradients) {
    const std::vector<Node*> used = used_from_outside(n);
    if (used.empty()) return;
    write_to(r);
    Node* condition = read(&r, n->arg(0).as_node());
    Node* back = graph_.create_if(condition);
    appended_.push_back(back);
    BackwardRegion arms[2];
    for (size_t k = 0; k < 2; ++k) {
      BackwardRegion& arm = arms[k];
      arm.enclosing = &r, arm.forward = n->block(k), arm.backward = back->block(k), arm.owner = n;
      enter(arm);
      for (Node* v : used)
        if (auto found = r.gradients.find(v); found != r.gradients.end()) arm.gradients[v] = found->second;
      const std::vector<Node*> nodes = nodes_of(arm.forward);
      const Args ends = arm.forward->output()->copy_args();
      for (size_t i = 0; i < gradients.size(); ++i)
        if (gradients[i]) add(arm, ends[i], gradients[i]);
      walk(arm, nodes);
      leave(arm);
    }
    end_if(r, back, arms, used);
  }

  // Gives the backward If its results: the new gradients of the values from outside that one of the arms has changed.
  void end_if(BackwardRegion& r, Node* back, std::span<BackwardRegion, 2> arms, const std::vector<Node*>& used) {
    std::vector<Node*> reached;
    for (Node* v : used) {
      auto outer = r.gradients.find(v);
      auto changes = [&](BackwardRegion& arm) {
        auto found = arm.gradients.find(v);
        return found != arm.gradients.end() && (outer == r.gradients.end() || found->second != outer->second);
      };
      if (changes(arms[0]) || changes(arms[1])) reached.push_back(v);
    }
    for (BackwardRegion& arm : arms) {
      enter(arm);
      Args out;
      for (Node* v : reached) out.add(gradient_or_zeros(arm, v));
      graph_.set_output(arm.backward, out);
      leave(arm);
    }
    std::vector<ir::Type> types;
    for (size_t k = 0; k < reached.size(); ++k)
      types.push_back(ir::join(type_of(back->block(0)->output()->arg(k)), type_of(back->block(1)->output()->arg(k))));
    graph_.set_results(back, types);
    for (size_t k = 0; k < reached.size(); ++k) r.gradients[reached[k]] = graph_.project(back, k);
  }

  // The indices of the carried values that a gradient reaches, from the Loop's results or within an iteration.
  std::vector<size_t> reached_slots(Node* loop, const std::vector<Node*>& gradients, const std::vector<Node*>& slots) const {
    std::vector<size_t> reached;
    std::unordered_map<Node*, size_t> slot;
    for (size_t k = 1; k < slots.size(); ++k) slot[slots[k]] = k - 1;
    std::unordered_set<Node*> seen;
    std::vector<Node*> stack;
    const Block* body = loop->block(0);
    auto visit = [&](Node* v) {
      if (active_(v) && body->contains(v) && seen.insert(v).second) stack.push_back(v);
    };
    auto reach = [&](size_t k) {
      if (!active_(slots[k + 1]) || std::ranges::count(reached, k)) return;
      reached.push_back(k);
      if (Node* end = body->output()->arg(k + 1).node()) visit(end);
    };
    for (size_t k = 0; k < gradients.size(); ++k)
      if (gradients[k]) reach(k);
    while (!stack.empty()) {
      Node* n = stack.back();
      stack.pop_back();
      if (auto found = slot.find(n); found != slot.end()) reach(found->second);
      if (n->is_projection()) n = n->projected();
      for (size_t i = 0; i < n->input_count(); ++i) visit(n->input(i));
      for (size_t k = 0; k < n->block_count(); ++k)
        for (Node* inner : ir::NestedNodes(n->block(k)))
          for (size_t i = 0; i < inner->input_count(); ++i) visit(inner->input(i));
    }
    std::ranges::sort(reached);
    return reached;
  }

  // Lets the Loop return how many iterations it has run.
  Node* count_iterations(Node* loop) {
    Block* body = loop->block(0);
    Node* counter = body->first();
    graph_.placeholder(body, "iterations", TypeKind::Int);
    graph_.insert_at_end(body);
    Args args(counter, int64_t{1});
    Node* next = typed(graph_.call(find_operator("aten::add.int"), args), TypeKind::Int);
    return carry(loop, Args(int64_t{0}), next, TypeKind::Int);
  }

  // The backward Loop runs as many iterations as the forward one, in reverse. It carries the gradients of the forward Loop's carried values (`carried`) and of
  // the values from outside that the body uses (`used`).
  void back_loop(BackwardRegion& r, Node* n, const std::vector<Node*>& gradients) {
    Block* body = n->block(0);
    const std::vector<Node*> nodes = nodes_of(body), slots = body->placeholders(), used = used_from_outside(n);
    const std::vector<size_t> carried = reached_slots(n, gradients, slots);
    if (carried.empty() && used.empty()) return;
    Node* iterations = read(&r, count_iterations(n));
    write_to(r);
    Node* last = typed(graph_.call(find_operator("aten::sub.int"), Args(iterations, int64_t{1})), TypeKind::Int);
    Args initial;
    for (size_t k : carried) initial.add(gradients[k] ? gradients[k] : zeros(graph_.project(n, k)));
    for (Node* v : used) initial.add(gradient_or_zeros(r, v));
    Node* back = graph_.create_loop(Args(iterations), Args(true), initial);
    appended_.push_back(back);

    BackwardRegion region;
    region.enclosing = &r, region.forward = body, region.backward = back->block(0), region.owner = n;
    std::vector<ir::Type> types;
    for (size_t k : carried) types.push_back(gradient_type(slots[k + 1]));
    for (Node* v : used) types.push_back(gradient_type(v));
    for (size_t k = 0; k < types.size(); ++k) types[k] = ir::join(types[k], type_of(initial[k]));
    const std::vector<Node*> incoming = begin_backward_body(region, slots[0], last, types);
    for (size_t k = 0; k < used.size(); ++k) region.gradients[used[k]] = incoming[carried.size() + k];
    const Args ends = body->output()->copy_args();
    for (size_t k = 0; k < carried.size(); ++k) add(region, ends[carried[k] + 1], incoming[k]);
    walk(region, nodes);
    write_to(region);
    Args out(true);
    for (size_t k : carried) out.add(gradient_or_zeros(region, slots[k + 1]));
    for (Node* v : used) out.add(region.gradients.at(v));
    graph_.set_output(region.backward, out);
    for (size_t k = 0; k < types.size(); ++k) {
      types[k] = ir::join(types[k], type_of(out[k + 1]));
      graph_.set_type(incoming[k], types[k]);
    }
    graph_.set_results(back, types);
    leave(region);
    for (size_t k = 0; k < used.size(); ++k) r.gradients[used[k]] = graph_.project(back, carried.size() + k);
    const Args begins = n->copy_args();
    for (size_t k = 0; k < carried.size(); ++k) add(r, begins[carried[k] + 2], graph_.project(back, k));
  }

  // Makes the placeholders of a backward Loop's body and enters it. The forward iteration `counter` is read as `last` minus the backward one. Returns the
  // placeholders of the gradients.
  std::vector<Node*> begin_backward_body(BackwardRegion& region, Node* counter, Node* last, const std::vector<ir::Type>& types) {
    Node* i = graph_.placeholder(region.backward, "i", TypeKind::Int);
    std::vector<Node*> incoming;
    for (ir::Type t : types) incoming.push_back(graph_.placeholder(region.backward, "grad", t));
    enter(region);
    region.index = region.last_read = typed(graph_.call(find_operator("aten::sub.int"), Args(last, i)), TypeKind::Int);
    region.reads[counter] = region.index;
    return incoming;
  }

  // Erases the nodes that rules have appended and that nothing uses.
  void erase_unused(const std::vector<Node*>& results) {
    std::unordered_set<const Node*> result_set(results.begin(), results.end());
    for (size_t k = appended_.size(); k-- > 0;)
      if (Node* n = appended_[k];
          !result_set.contains(n) && !n->erased() && !n->has_uses() && !n->block_count() && own_effects(*n).droppable())
        graph_.erase(n);
  }

  const GradientRequest& request_;
  Activity active_;
  Graph::InsertPoint point_;
  BackwardRegion* region_ = nullptr;
  SizeSources size_sources_;  // for sizes that no type tells: which value of the forward pass has them
  SizeSources local_sources_;  // the same, for the block in which gradients are recorded
  int depth_ = 0;
};

// Error where a node writes memory: the backward pass would read the written values instead of the old ones.
void check_writes(const Node* n) {
  for (size_t i = 0; n->info() && i < n->info()->schema().arguments().size(); ++i)
    if (n->info()->schema().arguments()[i].writes())
      fail_at(n, concat("it writes to its argument '", n->info()->schema().arguments()[i].name,
                        "' in what cond or while_loop run; use the form that returns a new tensor"));
}

// Decomposes the operators without a gradient rule inside of Ifs and Loops.
void prepare(Graph& graph, std::span<Node* const> nodes, const std::vector<Node*>& inputs) {
  const uint32_t limit = graph.id_limit();
  Activity active(nodes, inputs);
  for (Node* owner : nodes)
    for (size_t k = 0; k < owner->block_count(); ++k)
      decompose(graph, owner->block(k), [&](const Node& n) {
        const Operator* op = record_of(&n);
        if (!op || !parts_have_gradients(*op)) return false;
        return n.id() >= limit || any_argument(&n, active);
      });
  for (Node* owner : nodes)
    for (size_t k = 0; k < owner->block_count(); ++k)
      for (Node* n : ir::NestedNodes(owner->block(k))) check_writes(n);
}

}  // namespace

std::vector<Node*> append_gradients(Graph& graph, const GradientRequest& request) {
  const Graph::InsertPoint point = graph.insert_point();
  prepare(graph, request.nodes, request.inputs);
  graph.set_insert_point(point);
  std::vector<Node*> gradients = Differentiation(graph, request).run();
  graph.set_insert_point(point);
  return gradients;
}

std::vector<bool> depends_on(Node* node, std::span<Node* const> inputs, bool in_every_run) {
  Activity active(std::span(&node, 1), inputs, in_every_run);
  std::vector<bool> out;
  for (size_t k = 0; k < node->result_count(); ++k) out.push_back(active.result(node, k));
  return out;
}

}  // namespace monograph::passes
