// The implementation of the tape: the nodes that recorded calls make (AccumulateGrad, and those of call_node.h), the edges from a node to those of its
// arguments, and the loop of backward(), which runs the nodes of later calls first. An in-place write gives its tensor a new node.
#include "autograd/engine.h"

#include <atomic>
#include <limits>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "autograd/autocast.h"
#include "autograd/call_node.h"
#include "autograd/node_names.h"
#include "autograd/views.h"
#include "ops/call_observer.h"
#include "ops/dispatch.h"
#include "ops/evaluation_mode.h"
#include "ops/function_text.h"
#include "ops/layouts.h"
#include "ops/pointwise.h"
#include "ops/tensor_facts.h"

namespace monograph {
namespace {

std::atomic<uint64_t> g_sequence{0}, g_passes{0};

// The sum of two gradients, where the first may be undefined.
Tensor accumulate(const Tensor& a, const Tensor& b) { return a.defined() ? Tensor("add"_op(a, b)) : b; }

// The gradient of an argument with these sizes that was broadcast to the sizes of g: g summed over the broadcast dims.
Tensor summed_to(const Tensor& g, const Dims& sizes) {
  const Dims& grad_sizes = g.sizes();
  if (sizes == grad_sizes) return g;
  const size_t lead = grad_sizes.size() - sizes.size();
  Dims broadcast_dims;
  for (size_t i = 0; i < grad_sizes.size(); ++i)
    if (i < lead || (sizes[i - lead] == 1 && grad_sizes[i] != 1)) broadcast_dims.push_back(static_cast<int64_t>(i));
  return "reshape"_op(broadcast_dims.empty() ? g : Tensor("sum"_op(g, broadcast_dims, true)), sizes);
}

// The same while a capture records the backward pass. Two sizes that are equal in the example may be 1 and 7 when the graph runs, so the symbols decide;
// where they do not tell which dims are broadcast, sum_to_size decides when the graph runs.
Tensor summed_to_symbols(const Tensor& g, const Tensor& argument) {
  if (auto* ranked = dispatch_hooks().ranked; ranked && !(ranked(g) && ranked(argument))) return "sum_to_size"_op(g, "size"_op(argument));
  const Sizes grad_sizes = sizes_of(g), sizes = sizes_of(argument);
  const size_t lead = grad_sizes.size() - sizes.size();
  Dims broadcast_dims;
  for (size_t i = 0; i < grad_sizes.size(); ++i) {
    if (i >= lead && grad_sizes[i].same(sizes[i - lead])) continue;
    if (i >= lead && !sizes[i - lead].is(1)) return "sum_to_size"_op(g, sizes);
    broadcast_dims.push_back(static_cast<int64_t>(i));
  }
  return broadcast_dims.empty() ? g : Tensor("reshape"_op("sum"_op(g, broadcast_dims, true), sizes));
}

Tensor fit(Tensor g, const Tensor& argument, bool same_sizes = false) {
  if (!g.defined()) return g;
  const DType dtype = argument.dtype();
  if (!observed()) g = summed_to(g, argument.sizes());
  else if (!same_sizes) g = summed_to_symbols(g, argument);
  if (is_complex(g.dtype()) && !is_complex(dtype)) g = "real"_op(g);  // a real argument of a complex result
  return g.dtype() == dtype ? g : Tensor("to"_op(g, dtype));
}

// The same tensor without history, in the same storage. A node saves its results in this form, since their history is the node itself.
Tensor without_history(const Tensor& t) {
  Tensor copy = t.as_strided(t.sizes(), t.strides(), t->offset);
  copy->wrapped_number = t->wrapped_number;
  if (auto* note_saved = dispatch_hooks().saved_for_backward) note_saved(t, copy, false);
  return copy;
}

thread_local const GradNode* anomaly_node = nullptr;  // in anomaly mode, the node whose step runs
thread_local int running_passes = 0;  // of backward on this thread; a hook may start one inside another

// Adds g to .grad of t. The addition is in place, so that whoever holds .grad sees it, unless it is recorded. The first gradient is copied, in the layout
// of t.
void accumulate_grad(const Tensor& t, const Tensor& g) {
  Tensor& grad = grad_meta(t).grad;
  const bool recorded = dispatch_state().grad_enabled || observed();
  if (grad.defined()) {
    if (recorded) grad = "add"_op(grad, g);
    else "add_"_op(grad, g);
    return;
  }
  if (recorded) return void(grad = "clone"_op(g));
  grad = empty_like(t, g.dtype());
  copy_into(grad, g);
}

class AccumulateGrad final : public GradNode {
 public:
  static constexpr uint64_t kFirst =
      std::numeric_limits<uint64_t>::max();  // runs before the nodes of calls, as soon as its gradient is complete
  explicit AccumulateGrad(Tensor leaf) : GradNode(kFirst), leaf_(std::move(leaf)) {}
  ~AccumulateGrad() override { grad_meta(leaf_).accumulator = nullptr; }
  // Lets the leaf's hooks replace its gradient.
  void run_leaf_hooks(Tensor& g) const {
    g = fit(g, leaf_);
    if (const GradMeta& meta = grad_meta(leaf_); meta.hooks) meta.hooks->run(g);
  }
  std::vector<Tensor> apply(std::vector<Tensor> grads) override {
    if (!grads[0].defined()) return {};
    accumulate_grad(leaf_, grads[0]);
    if (const auto hooks = grad_meta(leaf_).after_accumulation)
      for (const auto& hook : hooks->all()) (*hook)(leaf_);
    return {};
  }
  std::string name() const override { return "torch::autograd::AccumulateGrad"; }
  const Tensor& leaf() const { return leaf_; }

 private:
  Tensor leaf_;
};

// An argument as a node saves it: a leaf itself; another tensor as a copy with the history that it has now, since a later write may change that.
Tensor saved_tensor(const Tensor& t) {
  if (!t.requires_grad() || is_leaf(t)) return t;
  GradEdge edge = gradient_edge(t);
  Tensor copy = without_history(t);
  set_history(copy, edge.node, edge.slot);
  return copy;
}

IValue saved_value(const IValue& v, uint32_t& version) {
  if (v.is_tensor()) {
    version = v.as_tensor().version();
    return saved_tensor(v.as_tensor());
  }
  if (!v.is_list()) return v;
  std::vector<IValue> items;
  version = list_version(v);
  for (const IValue& item : v.items()) items.push_back(item.is_tensor() ? IValue(saved_tensor(item.as_tensor())) : item);
  return IValue::list(std::move(items));
}

// A copy of the tensor that an in-place operator is about to overwrite, with its history.
Tensor before_write(const Tensor& self) {
  Tensor old = copy_tensor(self);
  if (auto* note_saved = dispatch_hooks().saved_for_backward) note_saved(self, old, true);
  if (self.requires_grad()) {
    GradEdge edge = gradient_edge(self);
    set_history(old, edge.node, edge.slot);
  }
  return old;
}

// Whether argument i takes a tensor but got a number or None. PyTorch's next_functions has an entry for it.
bool is_absent_tensor(const Operator& op, size_t i, const IValue& v) {
  const ir::Argument& argument = op.schema().arguments()[i];
  if (v.is_number()) return argument.type.is(ir::TypeKind::Tensor) || (op.schema().takes_number_at(i) && !argument.default_value);
  return v.is_none() && argument.type.is(ir::TypeKind::Optional) && argument.type.elements()[0].is(ir::TypeKind::Tensor);
}

// The node of a call, with an edge for every tensor argument that requires grad.
Ref<OperatorBackward> make_node(const Operator& op, const IValue* args, bool writes_self) {
  size_t n = op.schema().arguments().size();
  GradCall::Saved saved;
  saved.arg_versions.resize(n);
  std::vector<OperatorBackward::Slot> slots;
  std::vector<GradEdge> edges;
  bool requires_grad = false;
  auto add = [&](const Tensor& t, size_t i, size_t element) {
    if (!differentiable(t.dtype()) && !t->wrapped_number) return;
    slots.push_back({i, element});
    edges.push_back(t.requires_grad() ? gradient_edge(t) : GradEdge{});
    requires_grad |= t.requires_grad();
  };
  for (size_t i = 0; i < n; ++i) {
    if (args[i].is_tensor()) add(args[i].as_tensor(), i, 0);
    else if (is_absent_tensor(op, i, args[i])) slots.push_back({i, 0}), edges.emplace_back();
    else if (args[i].is_list())
      for (size_t k = 0; k < args[i].items().size(); ++k)
        if (args[i].items()[k].is_tensor()) add(args[i].items()[k].as_tensor(), i, k);
    if (i == 0 && writes_self) saved.args.push_back(before_write(args[0].as_tensor()));
    else saved.args.push_back(saved_value(args[i], saved.arg_versions[i]));
  }
  auto node = make_ref<OperatorBackward>(op, std::move(saved));
  node->slots = std::move(slots);
  node->next = std::move(edges);
  node->requires_grad = requires_grad;
  return node;
}

// Gives the results of a call their history: the node.
void set_history_of(const Operator& op, const IValue* args, std::span<const IValue> outputs, const Ref<OperatorBackward>& node,
                    bool writes_self) {
  if (writes_self) {
    size_t self_slot = node->slots.size();
    for (size_t i = 0; i < node->slots.size(); ++i)
      if (node->slots[i].argument == 0) self_slot = i;
    return set_written_history(args[0].as_tensor(), node, 0, self_slot);
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].is_tensor() && differentiable(outputs[i].as_tensor().dtype()))
      set_history(outputs[i].as_tensor(), node, static_cast<uint32_t>(i));
  if (!op.is_view) return;
  const GradMeta* viewed_meta = find_grad_meta(args[0].as_tensor());
  const bool one_of_several = gives_list(op) || (viewed_meta && viewed_meta->one_of_several);
  for (const IValue& v : outputs) {
    track_view(args[0], v);
    const Tensor& view = v.as_tensor();
    if (!view->base) continue;
    const GradMeta* base_meta = find_grad_meta(Tensor(view->base));
    GradMeta& meta = grad_meta(view);
    meta.seen_rebases = base_meta ? base_meta->rebases : 0;
    meta.one_of_several = one_of_several, meta.made_by_function = viewed_meta && viewed_meta->made_by_function;
    meta.seen_version = view.version();
  }
}

void attach(const Operator& op, const IValue* args, IValue* results, const Ref<OperatorBackward>& node, bool writes_self) {
  size_t count = std::max<size_t>(op.schema().returns().size(), 1);
  const std::span outputs = gives_list(op) ? std::span<const IValue>(results[0].items()) : std::span<const IValue>(results, count);
  node->inputs = static_cast<uint32_t>(outputs.size());
  if (results[0].is_tensor()) node->result_dtype = results[0].as_tensor().dtype();
  node->save_results(outputs);
  if (!node->requires_grad) return;
  set_history_of(op, args, outputs, node, writes_self);
  if (const auto& hooks = saved_tensor_hooks(); !hooks.empty()) node->pack(hooks.back(), args, outputs, writes_self);
}

// The in-place form of a view (t_, squeeze_): the tensor's history becomes that of the view of its old self.
void reshape_in_place(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& self = args[0].as_tensor();
  MONOGRAPH_CHECK(op.reshapes, Runtime, "[", op.name(),
                  "] cannot resize variables that require grad; detach() them, or copy what is needed");
  check_in_place(op, self);
  MONOGRAPH_CHECK(op.reshapes->inverse, NotImplemented, "[", op.name(),
                  "] a gradient through it is not implemented; use the form without the underscore");
  refresh_view(self);
  const GradEdge old_edge = gradient_edge(self);
  const Tensor old = without_history(self);
  set_history(old, old_edge.node, old_edge.slot);
  std::vector<IValue> view_args(args, args + op.schema().arguments().size());
  view_args[0] = old;
  IValue view;
  call(*op.reshapes, view_args.data(), &view);
  run(op, args, results);
  const GradMeta* meta = find_grad_meta(self);
  const uint64_t rebases = meta ? meta->rebases : 0, seen = meta ? meta->seen_rebases : 0;
  const GradEdge view_edge = gradient_edge(view.as_tensor());
  set_history(self, view_edge.node, view_edge.slot);
  // If self is a base, the histories of its views must be built again, for its new sizes.
  grad_meta(self).rebases = self->base ? rebases : rebases + 1;
  grad_meta(self).seen_rebases = seen, grad_meta(self).seen_version = self.version();
}

// Whether a node is the step of a call that was recorded since `begin`, of an operator with this name.
OperatorBackward* step_since(uint64_t begin, GradNode* node, std::string_view base_name) {
  if (!node || node->sequence < begin) return nullptr;
  auto* step = dynamic_cast<OperatorBackward*>(node);
  return step && step->op().base_name() == base_name ? step : nullptr;
}

// PyTorch shapes what it has just made by _unsafe_view.
void name_unsafe_view(const Operator& op, const IValue& result, uint64_t begin) {
  const bool reshape = op.base_name() == "reshape";
  if (!reshape && op.base_name() != "matmul") return;
  const GradMeta* meta = find_grad_meta(result.as_tensor());
  OperatorBackward* view = step_since(begin, meta ? meta->grad_fn.get() : nullptr, "view");
  GradNode* made = view && !view->next.empty() ? view->next[0].node.get() : nullptr;
  if (made && made->sequence >= begin && (!reshape || step_since(begin, made, "clone"))) view->rename("UnsafeViewBackward0", nullptr);
}

// Gives the gradient of an argument the memory format that PyTorch's has.
class FormatStep final : public GradNode {
 public:
  explicit FormatStep(MemoryFormat format) : format_(format) {}
  std::vector<Tensor> apply(std::vector<Tensor> grads) override { return {grads[0].defined() ? in_format(grads[0], format_) : Tensor()}; }
  std::string name() const override { return "MemoryFormatBackward0"; }

 private:
  MemoryFormat format_;
};

// The arguments of a decomposition. Where its results keep the channels innermost, so do the gradients of arguments with as many dims: the parts of the
// decomposition do not see to that.
std::vector<IValue> in_gradient_format(const Operator& op, const IValue* args, MemoryFormat format) {
  std::vector<IValue> out(args, args + op.schema().arguments().size());
  for (IValue& v : out) {
    if (!v.is_tensor() || !v.as_tensor().requires_grad() || v.as_tensor().dim() != (format == MemoryFormat::ChannelsLast ? 4 : 5)) continue;
    auto node = make_ref<FormatStep>(format);
    node->next.push_back(gradient_edge(v.as_tensor()));
    const Tensor same = without_history(v.as_tensor());
    set_history(same, node, 0);
    v = same;
  }
  return out;
}

// Runs an operator as the operators that it is made of. The steps that give its results get its name, where PyTorch has one for it.
void record_decomposition(const Operator& op, const IValue* args, IValue* results) {
  const char* name = pytorchs_node_name(op, {args, op.schema().arguments().size()});
  Ref<OperatorBackward> shown;
  const NodeFacts* known = name ? one_step_in_pytorch(op, args) : nullptr;
  if (known) shown = make_node(op, args, false), shown->keep_what_is_shown(*known);
  const uint64_t begin = node_count();
  if (const MemoryFormat format = kept_format(op, args); format == MemoryFormat::Contiguous) run_decomposition(op, args, results);
  else run_decomposition(op, in_gradient_format(op, args, format).data(), results);
  if (!name) return name_unsafe_view(op, results[0], begin);
  const size_t count = std::max<size_t>(op.schema().returns().size(), 1);
  const auto is_result = [](const SavedFact& fact) { return fact.kind == SavedFact::Kind::Result; };
  if (shown && std::ranges::any_of(known->saved, is_result)) shown->save_results({results, count});
  const std::function<void(const IValue&)> visit = [&](const IValue& v) {
    if (v.is_list())
      for (const IValue& item : v.items()) visit(item);
    const GradMeta* meta = v.is_tensor() ? find_grad_meta(v.as_tensor()) : nullptr;
    if (!meta || !meta->grad_fn || meta->grad_fn->sequence < begin) return;  // no step of this call
    const auto* step = dynamic_cast<const OperatorBackward*>(meta->grad_fn.get());
    const bool itself = known && step && one_step_in_pytorch(step->op(), step->args().data()) == known;
    meta->grad_fn->rename(name, itself ? Ref<GradNode>() : Ref<GradNode>(shown));
  };
  for (size_t i = 0; i < count; ++i) visit(results[i]);
}

// The same as one step, which keeps what a program's hooks give for the arguments and runs the decomposition again.
void record_as_one(const Operator& op, const IValue* args, IValue* results) {
  Ref<OperatorBackward> node = make_node(op, args, false);
  node->by_parts = true;
  {
    GradModeScope off(false);
    run(op, args, results);
  }
  attach(op, args, results, node, false);
}

// A call with an argument that requires grad (the hook of dispatch).
void autograd_call(const Operator& op, const IValue* args, IValue* results) {
  if (op.changes_geometry) return reshape_in_place(op, args, results);
  if (op.eval == change_requires_grad) return run(op, args, results);
  // Without a gradient rule, the operators of its decomposition are recorded. That of the functional form writes nothing, so a form in place or with out=
  // that shares it is not among these.
  const bool writes_by_parts = !op.functional || op.decompose != op.functional->decompose;
  if (writes_by_parts && !op.gradient && !op.derived_gradient && op.decompose) {
    const auto& hooks = saved_tensor_hooks();
    const bool as_one = !hooks.empty() && !hooks.back()->neutral && !observed() && can_run_again(op) && one_step_in_pytorch(op, args);
    return as_one ? record_as_one(op, args, results) : record_decomposition(op, args, results);
  }
  bool writes_self = !op.schema().arguments().empty() && op.schema().arguments()[0].writes();
  // A list or dict is written: the tensors that are put into it or taken out of it keep their own history.
  if (writes_self && !args[0].is_tensor()) return run(op, args, results);
  // It writes what the tensor says of its gradient, and no elements: detach_().
  if (writes_self && op.constant && !op.functional) return run(op, args, results);
  bool into_out = op.schema().arguments().back().out;
  MONOGRAPH_CHECK(!into_out, Runtime, op.base_name(),
                  "(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad. "
                  "Call it under torch.no_grad(), or leave out= away");
  const std::span values(args, op.schema().arguments().size());
  if (op.no_gradient && !writes_self) {
    {
      GradModeScope off(false);
      run(op, args, results);
    }
    // Bools and indices have no gradient. A float result that depends on an argument gets a node, whose backward step raises an error.
    const std::span outputs(results, op.schema().returns().size());
    if (op.constant ||
        std::ranges::none_of(outputs, [](const IValue& v) { return v.is_tensor() && differentiable(v.as_tensor().dtype()); }))
      return;
    return attach(op, args, results, make_node(op, args, false), false);
  }
  if (writes_self) check_in_place(op, args[0].as_tensor());
  if (op.eval == eval_composite_form) {  // its functional form is recorded, on a copy of the old self, and then the copy into self
    std::vector<IValue> functional_args(values.begin(), values.end());
    functional_args[0] = before_write(args[0].as_tensor());
    const uint64_t begin = node_count();
    write_composite(op, args, functional_args.data(), results);
    const GradMeta* meta = find_grad_meta(args[0].as_tensor());
    const Ref<GradNode> copy = meta ? meta->grad_fn : Ref<GradNode>();
    // PyTorch has one step for both.
    OperatorBackward* written = step_since(begin, copy.get(), "copy_");
    if (written && written->next.size() == 2)
      if (auto* step = step_since(begin, written->next[1].node.get(), op.functional->base_name())) written->show(Ref<GradNode>(step));
    return;
  }
  Ref<OperatorBackward> node = make_node(op, args, writes_self);
  {
    GradModeScope off(false);
    run(op, args, results);
  }
  attach(op, args, results, node, writes_self);
}

}  // namespace

bool observed() { return dispatch_state().top != nullptr; }

// ---- nodes, and the autograd state of tensors ----

void TensorHooks::run(Tensor& gradient) const {
  for (const auto& hook : all()) {
    Tensor replaced = (*hook)(gradient);
    if (!replaced.defined()) continue;
    MONOGRAPH_CHECK(gradient.defined(), Runtime, "can't replace a None gradient with a non-None value");
    gradient = replaced;
  }
}

uint64_t node_count() { return g_sequence.load(std::memory_order_relaxed); }

NodeHooks& GradNode::hooks() {
  if (!hooks_) hooks_ = std::make_unique<NodeHooks>();
  return *hooks_;
}

std::vector<std::shared_ptr<const SavedTensorHooks>>& saved_tensor_hooks() {
  thread_local std::vector<std::shared_ptr<const SavedTensorHooks>> hooks;
  return hooks;
}

AnomalyMode& anomaly_mode() {
  static AnomalyMode mode;
  return mode;
}

GradNode::GradNode() : sequence(g_sequence.fetch_add(1, std::memory_order_relaxed)) {
  if (anomaly_mode().enabled) anomaly_mode().created(*this, anomaly_node);
}

GradNode::~GradNode() {
  // The outermost destructor releases a whole chain of nodes in a loop, so that a long chain does not overflow the stack.
  static thread_local std::vector<Ref<GradNode>>* to_release = nullptr;
  std::vector<Ref<GradNode>> nodes;
  const bool outermost = to_release == nullptr;
  if (outermost) to_release = &nodes;
  for (GradEdge& e : next)
    if (e.node) to_release->push_back(std::move(e.node));
  if (!outermost) return;
  while (!nodes.empty()) {
    Ref<GradNode> last = std::move(nodes.back());
    nodes.pop_back();
  }
  to_release = nullptr;
}

void GradNode::references(const std::function<void(const GradNode&)>& f) const {
  for (const GradEdge& e : next)
    if (e.node) f(*e.node);
}

GradMeta& grad_meta(const Tensor& t) {
  if (!t->autograd) t->autograd = std::make_unique<GradMeta>();
  return static_cast<GradMeta&>(*t->autograd);
}

const GradMeta* find_grad_meta(const Tensor& t) { return static_cast<const GradMeta*>(t->autograd.get()); }

bool gives_list(const Operator& op) {
  const auto& returns = op.schema().returns();
  return returns.size() == 1 && returns[0].type.is(ir::TypeKind::List);
}

bool parts_have_gradients(const Operator& op) {
  return op.decompose && !op.constant && ((!op.gradient && !op.derived_gradient) || gives_list(op));
}

bool is_leaf(const Tensor& t) {
  const GradMeta* meta = find_grad_meta(t);
  return !meta || !meta->grad_fn;
}

Ref<GradNode> grad_fn(const Tensor& t) {
  refresh_view(t);
  const GradMeta* meta = find_grad_meta(t);
  return meta ? meta->grad_fn : Ref<GradNode>();
}

void (*requires_grad_hook)(const Tensor& t, bool requires_grad) = nullptr;

void set_requires_grad(const Tensor& t, bool requires_grad) {
  MONOGRAPH_CHECK(!requires_grad || differentiable(t.dtype()), Runtime,
                  "only Tensors of floating point dtype can require gradients, but this one is ", name(t.dtype()));
  MONOGRAPH_CHECK(!requires_grad || !t.is_inference() || inference_mode(), Runtime,
                  "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed; make a clone()");
  MONOGRAPH_CHECK(requires_grad || is_leaf(t), Runtime,
                  "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph "
                  "that doesn't require differentiation use var_no_grad = var.detach().");
  if (requires_grad_hook) requires_grad_hook(t, requires_grad);
  t->requires_grad = requires_grad;
}

void set_history(const Tensor& t, Ref<GradNode> node, uint32_t slot) {
  GradMeta& meta = grad_meta(t);
  t->requires_grad = true;
  if (node && dynamic_cast<AccumulateGrad*>(node.get())) return;
  if (meta.grad_fn != node) {  // a new version: hooks stay with the old one, and retain_grad() keeps the gradient of the last
    meta.hooks = nullptr;
    if (meta.retained) {
      if (meta.grad_fn) std::erase_if(meta.grad_fn->retained, [&](const auto& r) { return r.gradient == meta.retained; });
      if (node) node->retained.push_back({slot, meta.retained});
    }
  }
  meta.grad_fn = std::move(node), meta.slot = slot;
}

void set_edge(const Tensor& t, const GradEdge& edge) {
  if (dynamic_cast<AccumulateGrad*>(edge.node.get())) grad_meta(t).accumulator = edge.node.get();
  set_history(t, edge.node, edge.slot);
}

GradEdge gradient_edge(const Tensor& t) {
  refresh_view(t);
  GradMeta& meta = grad_meta(t);
  if (meta.grad_fn) return {meta.grad_fn, meta.slot};
  if (!t->requires_grad) return {};  // a view made under no_grad has no gradient of its own
  if (meta.accumulator) return {Ref<GradNode>(meta.accumulator), 0};
  auto node = make_ref<AccumulateGrad>(t);
  meta.accumulator = node.get();
  return {node, 0};
}

void detach_in_place(const Tensor& t) {
  if (t->autograd) grad_meta(t).grad_fn = {};
  t->requires_grad = false;
  t->base = {};
}

HookHandle add_hook(const Tensor& t, TensorHooks::Hook hook) {
  MONOGRAPH_CHECK(t.requires_grad(), Runtime, "cannot register a hook on a tensor that doesn't require gradient");
  Ref<GradNode> node = grad_fn(t);
  GradMeta& meta = grad_meta(t);
  if (!meta.hooks) {
    meta.hooks = std::make_shared<TensorHooks>();
    // The hooks of a leaf are run by its AccumulateGrad node, those of another tensor by the node that computed it.
    if (node) node->tensor_hooks.push_back({meta.slot, meta.hooks});
  }
  return {meta.hooks, meta.hooks->add(std::move(hook))};
}

HookHandle add_accumulation_hook(const Tensor& t, AccumulationHooks::Hook hook) {
  MONOGRAPH_CHECK(t.requires_grad(), Runtime, "cannot register a hook on a tensor that doesn't require gradient");
  MONOGRAPH_CHECK(!grad_fn(t), Runtime, "post accumulate grad hooks cannot be registered on non-leaf tensors");
  auto& hooks = grad_meta(t).after_accumulation;
  if (!hooks) hooks = std::make_shared<AccumulationHooks>();
  return {hooks, hooks->add(std::move(hook))};
}

const Tensor* leaf_of(const GradNode& node) {
  const auto* accumulation = dynamic_cast<const AccumulateGrad*>(&node);
  return accumulation ? &accumulation->leaf() : nullptr;
}

namespace {

// Collects the hooks of the nodes that only the start of the search keeps alive: those to which it has found every reference.
class OwnedNodes {
 public:
  explicit OwnedNodes(OwnedHooks& owned) : owned_(owned) {}

  // Adds the hooks to `out` if no more than these references to the list exist.
  template <class Hooks, class Out>
  static void collect(const std::shared_ptr<Hooks>& hooks, long references, Out& out) {
    if (hooks && hooks.use_count() == references) std::ranges::copy(hooks->all(), std::back_inserter(out));
  }

  // `shared`: the hooks of the tensor at which the search starts; its node refers to them too.
  void run(const GradNode& first, const std::shared_ptr<TensorHooks>& shared) {
    const std::function<void(const GradNode&)> reach = [&](const GradNode& node) {
      if (++found_[&node] == node.use_count()) owned_nodes_.push_back(&node);
    };
    reach(first);
    while (!owned_nodes_.empty()) {
      const GradNode* node = owned_nodes_.back();
      owned_nodes_.pop_back();
      for (const auto& [slot, hooks] : node->tensor_hooks) collect(hooks, hooks == shared ? 2 : 1, owned_.tensors);
      if (const NodeHooks* hooks = node->find_hooks()) collect(hooks->before, 1, owned_.before), collect(hooks->after, 1, owned_.after);
      if (void* context = node->context()) owned_.contexts.push_back(context);
      node->packed_objects(owned_.contexts);
      node->references(reach);
    }
  }

 private:
  OwnedHooks& owned_;
  std::unordered_map<const GradNode*, uint32_t> found_;  // references found so far
  std::vector<const GradNode*> owned_nodes_;  // still to be visited
};

}  // namespace

OwnedHooks owned_hooks(const Tensor& t) {
  OwnedHooks owned;
  const GradMeta* meta = find_grad_meta(t);
  if (!meta) return owned;
  OwnedNodes::collect(meta->after_accumulation, 1, owned.accumulation);
  if (meta->grad_fn) OwnedNodes(owned).run(*meta->grad_fn, meta->hooks);
  else OwnedNodes::collect(meta->hooks, 1, owned.tensors);
  return owned;
}

OwnedHooks owned_hooks(const GradNode& node) {
  OwnedHooks owned;
  OwnedNodes(owned).run(node, nullptr);
  return owned;
}

void drop_history(const Tensor& t) {
  if (!t->autograd) return;
  GradMeta& meta = grad_meta(t);
  // Moved out first: what dies here may run a program that looks at t.
  Ref<GradNode> node = std::move(meta.grad_fn);
  std::shared_ptr<TensorHooks> hooks = std::move(meta.hooks);
  std::shared_ptr<AccumulationHooks> after = std::move(meta.after_accumulation);
}

void retain_grad(const Tensor& t) {
  MONOGRAPH_CHECK(t.requires_grad(), Runtime, "can't retain_grad on Tensor that has requires_grad=False");
  Ref<GradNode> node = grad_fn(t);
  GradMeta& meta = grad_meta(t);
  if (!node || meta.retained) return;
  meta.retained = std::make_shared<Tensor>();
  node->retained.push_back({meta.slot, meta.retained});
}

bool retains_grad(const Tensor& t) {
  const GradMeta* meta = find_grad_meta(t);
  return meta && meta->retained;
}

Tensor fit_gradient(Tensor g, const Tensor& argument, bool same_sizes) { return fit(std::move(g), argument, same_sizes); }
Tensor without_data(const Tensor& t) { return without_elements(t).to_tensor(); }
Tensor alias_without_history(const Tensor& t) { return without_history(t); }

Tensor value_before_write(const Operator& op, const Tensor& self) {
  check_in_place(op, self);
  return before_write(self);
}

void install_autograd() {
  install_autocast();
  dispatch_hooks().autograd = autograd_call;
  const auto grad = [](const Tensor& t) -> Tensor {
    const GradMeta* meta = find_grad_meta(t);
    return !meta ? Tensor() : meta->retained && meta->retained->defined() ? *meta->retained : meta->grad;
  };
  const auto add_gradients = [](std::span<const Tensor> roots, std::span<const Tensor> grads, bool retain_graph, bool create_graph) {
    backward(roots, grads, {.retain_graph = retain_graph, .create_graph = create_graph});
  };
  const auto give_gradients = [](std::span<const Tensor> roots, std::span<const Tensor> grads, std::span<const Tensor> inputs,
                                 bool retain_graph, bool create_graph, bool allow_unused) {
    return gradients(roots, grads, inputs, {.retain_graph = retain_graph, .create_graph = create_graph}, allow_unused);
  };
  gradient_facts() = {.is_leaf = is_leaf,
                      .retains_grad = retains_grad,
                      .grad = grad,
                      .set_requires_grad = set_requires_grad,
                      .retain_grad = retain_grad,
                      .detach = detach_in_place,
                      .backward = add_gradients,
                      .gradients = give_gradients};
  dispatch_hooks().viewed = [](const Tensor& view) {
    if (const GradMeta* base_meta = find_grad_meta(Tensor(view->base)); base_meta && base_meta->rebases)
      grad_meta(view).seen_rebases = base_meta->rebases;
  };
}

// ---- backward ----

namespace {

// The order of the queue: the node of the latest call is on top.
struct BySequence {
  bool operator()(const Ref<GradNode>& a, const Ref<GradNode>& b) const { return a->sequence < b->sequence; }
};

// One backward pass. With `inputs`, only nodes that lead to one of them run; `return_gradients` returns their gradients (autograd.grad) instead of adding
// them to .grad (backward(inputs=...)).
class Backward {
 public:
  Backward(BackwardOptions options, std::span<const Tensor> inputs, bool return_gradients)
      : options_(options), return_gradients_(return_gradients), inputs_(inputs), input_grads_(inputs.size()) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      MONOGRAPH_CHECK(inputs[i].requires_grad(), Runtime, "One of the differentiated Tensors does not require grad: number ", i + 1,
                      " of the inputs");
      GradEdge edge = gradient_edge(inputs[i]);
      input_edges_.push_back(edge);
      inputs_of_.emplace(edge.node.get(), i);
    }
  }

  void add_root(const Tensor& root, Tensor grad) {
    MONOGRAPH_CHECK(
        root.requires_grad(), Runtime,
        "element 0 of tensors does not require grad and does not have a grad_fn: no tensor that it was computed from requires grad, or "
        "it was computed under torch.no_grad(), or it is a gradient that was computed without create_graph=True");
    if (!grad.defined()) {
      MONOGRAPH_CHECK(root.numel() == 1, Runtime, "grad can be implicitly created only for scalar outputs, but this one has size ",
                      to_string(root.sizes()), ". Reduce it first, for example with sum(), or pass its gradient");
      MONOGRAPH_CHECK(!is_complex(root.dtype()), Runtime, "grad can be implicitly created only for real scalar outputs but got torch.",
                      monograph::name(root.dtype()), ". Take its real part or its abs() first, or pass its gradient");
      grad = "ones_like"_op(root);
    }
    MONOGRAPH_CHECK(
        is_complex(grad.dtype()) == is_complex(root.dtype()), Runtime,
        "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: grad_output has "
        "a dtype of torch.",
        monograph::name(grad.dtype()), " and output has a dtype of torch.", monograph::name(root.dtype()), ".");
    MONOGRAPH_CHECK(grad.sizes() == root.sizes(), Runtime, "Mismatch in shape: grad_output has a shape of ", to_string(grad.sizes()),
                    " and output has a shape of ", to_string(root.sizes()), ".");
    GradEdge edge = gradient_edge(root);
    add_gradient(edge, grad);
    roots_.push_back(edge.node);
  }

  void run() {
    struct Running {
      explicit Running(const Backward* pass) : outer(std::exchange(current_, pass)) { ++running_passes; }
      ~Running() { --running_passes, current_ = outer; }
      const Backward* outer;
    } scope(this);
    count_dependencies();
    if (!input_edges_.empty()) find_needed();
    GradModeScope mode(options_.create_graph);
    for (const auto& root : roots_)
      if (dependencies_[root.get()] == 0 && queued_.insert(root.get()).second) ready_.push(root);
    while (!ready_.empty()) {
      Ref<GradNode> node = ready_.top();
      ready_.pop();
      step(node);
    }
  }

  std::vector<Tensor> take() { return std::move(input_grads_); }

  // The innermost pass that runs on this thread.
  static const Backward* current() { return current_; }
  const uint64_t number = g_passes.fetch_add(1, std::memory_order_relaxed);
  bool will_run(const GradNode* node) const {
    const bool in_graph =
        dependencies_.contains(const_cast<GradNode*>(node)) || std::ranges::find(roots_, node, &Ref<GradNode>::get) != roots_.end();
    return in_graph && (input_edges_.empty() || needed_.contains(const_cast<GradNode*>(node)));
  }

 private:
  static thread_local const Backward* current_;

  void add_gradient(const GradEdge& edge, const Tensor& g) {
    auto& buffer = buffers_[edge.node.get()];
    if (buffer.size() <= edge.slot) buffer.resize(std::max<size_t>(edge.slot + 1, edge.node->inputs));
    if (g.defined()) buffer[edge.slot] = accumulate(buffer[edge.slot], g);
  }

  // Counts for each node the edges that lead to it: it runs when all of them have brought their gradient.
  void count_dependencies() {
    std::vector<GradNode*> stack;
    std::unordered_set<GradNode*> seen;
    for (const auto& root : roots_)
      if (seen.insert(root.get()).second) stack.push_back(root.get());
    while (!stack.empty()) {
      GradNode* node = stack.back();
      stack.pop_back();
      for (const GradEdge& e : node->next) {
        if (!e.node) continue;
        ++dependencies_[e.node.get()];
        if (seen.insert(e.node.get()).second) stack.push_back(e.node.get());
      }
    }
  }

  // The nodes that lead to one of `inputs`: a search in depth, which marks a node after all that it leads to.
  void find_needed() {
    struct Visit {
      GradNode* node;
      size_t next = 0;
    };
    if (!return_gradients_)
      for (const auto& [node, i] : inputs_of_) needed_.insert(node);
    std::unordered_set<GradNode*> seen;
    std::vector<Visit> path;
    for (const auto& root : roots_) {
      if (seen.insert(root.get()).second) path.push_back({root.get()});
      while (!path.empty()) {
        auto& [node, next] = path.back();
        if (next == node->next.size()) {
          for (const GradEdge& e : node->next)
            if (e.node && (needed_.contains(e.node.get()) || inputs_of_.contains(e.node.get()))) needed_.insert(node);
          path.pop_back();
          continue;
        }
        GradNode* child = node->next[next++].node.get();
        if (child && seen.insert(child).second) path.push_back({child});
      }
    }
  }

  // Takes the gradients of `inputs` from those that flow into a node.
  void take_input_grads(GradNode* node, const std::vector<Tensor>& grads) {
    for (auto [begin, end] = inputs_of_.equal_range(node); begin != end; ++begin) {
      const size_t i = begin->second;
      input_grads_[i] = grads[input_edges_[i].slot];
      auto is_input = [&](const Tensor& t) { return t.is_same(inputs_[i]); };
      const bool repeated = std::any_of(inputs_.begin(), inputs_.begin() + static_cast<ptrdiff_t>(i), is_input);
      if (!return_gradients_ && !is_leaf(inputs_[i]) && input_grads_[i].defined() && !repeated && !grad_meta(inputs_[i]).retained)
        accumulate_grad(inputs_[i], input_grads_[i]);
    }
  }

  // Runs a node whose gradients are complete, and adds what it computes to the gradients of the next nodes.
  void step(const Ref<GradNode>& node) {
    std::vector<Tensor> grads = std::move(buffers_[node.get()]);
    buffers_.erase(node.get());
    grads.resize(std::max<size_t>(grads.size(), node->inputs));
    const bool runs = input_edges_.empty() || needed_.contains(node.get());
    // As in PyTorch: autograd.grad takes the gradient of an input before the hooks of a node that runs, else after them.
    const bool take_before_hooks = return_gradients_ && runs;
    if (take_before_hooks) take_input_grads(node.get(), grads);
    if (options_.stop_at_inputs)
      for (auto [begin, end] = inputs_of_.equal_range(node.get()); take_before_hooks && begin != end; ++begin)
        grads[input_edges_[begin->second].slot] = {};
    for (const auto& [slot, hooks] : node->tensor_hooks) hooks->run(grads[slot]);
    for (const auto& [slot, gradient] : node->retained)
      if (grads[slot].defined())  // a copy: a write to the kept gradient changes no other
        *gradient = gradient->defined() ? accumulate(*gradient, grads[slot]) : Tensor("clone"_op(grads[slot]));
    if (const auto* leaf = dynamic_cast<AccumulateGrad*>(node.get())) leaf->run_leaf_hooks(grads[0]);
    if (!take_before_hooks) take_input_grads(node.get(), grads);
    if (!runs) return;
    std::vector<Tensor> next_grads = apply(*node, std::move(grads));
    if (!options_.retain_graph && !options_.create_graph) node->release_saved();
    for (size_t i = 0; i < node->next.size(); ++i) {
      const GradEdge& e = node->next[i];
      if (!e.node) continue;
      const bool needed = input_edges_.empty() || needed_.contains(e.node.get()) || inputs_of_.contains(e.node.get());
      if (needed) add_gradient(e, i < next_grads.size() ? next_grads[i] : Tensor());
      if (--dependencies_[e.node.get()] == 0 && needed && queued_.insert(e.node.get()).second) ready_.push(e.node);
    }
  }

  // The node's step in anomaly mode: a NaN among its gradients is an error.
  static std::vector<Tensor> apply_checked(GradNode& node, std::vector<Tensor> grads) {
    const GradNode* outer = std::exchange(anomaly_node, &node);
    try {
      std::vector<Tensor> next_grads = apply_with_hooks(node, std::move(grads));
      for (size_t i = 0; i < next_grads.size() && anomaly_mode().check_nan; ++i)
        MONOGRAPH_CHECK(!has_nan(next_grads[i]), Runtime, "Function '", node.name(), "' returned nan values in its ", i, "th output.");
      anomaly_node = outer;
      return next_grads;
    } catch (...) {
      anomaly_node = outer;
      anomaly_mode().failed(node);
      throw;
    }
  }
  static bool has_nan(const Tensor& t) {
    if (!t.defined() || !differentiable(t.dtype()) || t.is_meta() || observed()) return false;
    GradModeScope off(false);
    return "item"_op("any"_op("isnan"_op(t))).to_bool();
  }
  static std::vector<Tensor> apply(GradNode& node, std::vector<Tensor> grads) {
    CallObserver* observer = CallObserver::current();
    if (observer) [[unlikely]]
      observer->begin(node.name());
    const ObservedScope scope(observer);
    return anomaly_mode().enabled ? apply_checked(node, std::move(grads)) : apply_with_hooks(node, std::move(grads));
  }
  // The node's step, between its hooks.
  static std::vector<Tensor> apply_with_hooks(GradNode& node, std::vector<Tensor> grads) {
    if (!node.find_hooks()) return node.apply(std::move(grads));
    const NodeHooks& hooks = *node.find_hooks();
    for (const auto& hook : hooks.before->all()) (*hook)(grads);
    const auto after = hooks.after->all();
    if (after.empty()) return node.apply(std::move(grads));
    std::vector<Tensor> next_grads = node.apply(grads);
    next_grads.resize(node.next.size());
    std::vector<Tensor> shown = node.as_shown(std::move(next_grads));
    for (const auto& hook : after) (*hook)(shown, grads);
    return node.from_shown(std::move(shown));
  }

  BackwardOptions options_;
  bool return_gradients_;
  std::span<const Tensor> inputs_;
  std::vector<Tensor> input_grads_;
  std::vector<GradEdge> input_edges_;  // where the gradients of inputs_ flow
  std::unordered_multimap<GradNode*, size_t> inputs_of_;  // from the node of such an edge to the index of the input
  std::unordered_set<GradNode*> needed_;
  std::vector<Ref<GradNode>> roots_;
  std::unordered_map<GradNode*, std::vector<Tensor>> buffers_;  // the gradients that have reached a node so far, by slot
  std::unordered_map<GradNode*, size_t> dependencies_;
  std::unordered_set<GradNode*> queued_;
  std::priority_queue<Ref<GradNode>, std::vector<Ref<GradNode>>, BySequence> ready_;
};

thread_local const Backward* Backward::current_ = nullptr;

}  // namespace

bool backward_is_running() { return running_passes != 0; }
int64_t backward_pass() { return Backward::current() ? static_cast<int64_t>(Backward::current()->number) : -1; }
bool backward_will_run(const GradNode& node) { return Backward::current() && Backward::current()->will_run(&node); }

void backward(std::span<const Tensor> roots, std::span<const Tensor> grads, BackwardOptions options, std::span<const Tensor> inputs) {
  Backward pass(options, inputs, false);
  for (size_t i = 0; i < roots.size(); ++i) pass.add_root(roots[i], i < grads.size() ? grads[i] : Tensor());
  pass.run();
}

std::vector<Tensor> gradients(std::span<const Tensor> roots, std::span<const Tensor> grads, std::span<const Tensor> inputs,
                              BackwardOptions options, bool allow_unused) {
  Backward pass(options, inputs, true);
  for (size_t i = 0; i < roots.size(); ++i) pass.add_root(roots[i], i < grads.size() ? grads[i] : Tensor());
  pass.run();
  std::vector<Tensor> out = pass.take();
  for (size_t i = 0; i < out.size(); ++i)
    MONOGRAPH_CHECK(out[i].defined() || allow_unused, Runtime,
                    "One of the differentiated Tensors appears to not have been used in the graph: number ", i + 1,
                    " of the inputs. Set allow_unused=True if this is the desired behavior.");
  return out;
}

}  // namespace monograph
