// The tape, from the inside: the nodes that calls leave (OperatorBackward, AccumulateGrad), how they are linked to their inputs, and the loop of
// backward(), which keeps a queue of nodes by the number of their call and runs the latest first. Writes in place replace a tensor's node.
#include "autograd/engine.h"

#include <atomic>
#include <limits>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "autograd/autocast.h"
#include "autograd/body.h"
#include "autograd/views.h"
#include "ops/call_observer.h"
#include "ops/dispatch.h"
#include "ops/pointwise.h"

namespace monograph {
namespace {

std::atomic<uint64_t> g_sequence{0}, g_passes{0};

// Adds gradients without recording unless the caller records.
Tensor accumulate(const Tensor& a, const Tensor& b) { return a.defined() ? Tensor("add"_op(a, b)) : b; }

// Gradients flow through numbers of these dtypes.
bool differentiable(DType t) { return is_floating(t) || is_complex(t); }

// Sums the gradient over what was broadcast.
Tensor summed_to(const Tensor& g, const Dims& sizes) {
  const Dims& own = g.sizes();
  if (sizes == own) return g;
  const size_t lead = own.size() - sizes.size();
  Dims summed;
  for (size_t i = 0; i < own.size(); ++i)
    if (i < lead || (sizes[i - lead] == 1 && own[i] != 1)) summed.push_back(static_cast<int64_t>(i));
  return "reshape"_op(summed.empty() ? g : Tensor("sum"_op(g, summed, true)), sizes);
}

// The same while somebody above records. Two sizes that are equal here may be 1 and 7 when the graph runs, so symbols decide, and where they do not, the run does.
Tensor summed_to_symbols(const Tensor& g, const Tensor& argument) {
  if (auto* ranked = dispatch_hooks().ranked; ranked && !(ranked(g) && ranked(argument))) return "sum_to_size"_op(g, "size"_op(argument));
  const Sizes own = sizes_of(g), sizes = sizes_of(argument);
  const size_t lead = own.size() - sizes.size();
  Dims summed;
  for (size_t i = 0; i < own.size(); ++i) {
    if (i >= lead && own[i].same(sizes[i - lead])) continue;
    if (i >= lead && !sizes[i - lead].is(1)) return "sum_to_size"_op(g, sizes);
    summed.push_back(static_cast<int64_t>(i));
  }
  return summed.empty() ? g : Tensor("reshape"_op("sum"_op(g, summed, true), sizes));
}

// Whether somebody above records the calls of the backward pass too: then all of it is made of operators.
bool observed() { return dispatch_state().top != nullptr; }

// A gradient as the argument's size and dtype want it. `alone`: the argument's size is the result's, whatever it is.
Tensor fit(Tensor g, const Tensor& argument, bool alone = false) {
  if (!g.defined()) return g;
  const DType dtype = argument.dtype();
  if (!observed()) g = summed_to(g, argument.sizes());
  else if (!alone) g = summed_to_symbols(g, argument);
  if (is_complex(g.dtype()) && !is_complex(dtype)) g = "real"_op(g);  // a real argument of a complex result
  return g.dtype() == dtype ? g : Tensor("to"_op(g, dtype));
}

// The same storage without history: what a node keeps of a tensor whose own history would lead back to the node.
Tensor without_history(const Tensor& t) {
  Tensor copy = t.as_strided(t.sizes(), t.strides(), t->offset);
  copy->wrapped_number = t->wrapped_number;
  if (auto* note_saved = dispatch_hooks().saved_for_backward) note_saved(t, copy, false);
  return copy;
}

thread_local const GradNode* evaluated = nullptr;  // whose step runs, while anomalies are looked for
thread_local int running = 0;  // backward passes, one in the other

// Adds to .grad: in place, so that whoever holds it sees it, but where the addition is recorded. The first one is the tensor's own, a copy in
// its layout.
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
  static constexpr uint64_t kFirst = std::numeric_limits<uint64_t>::max();  // a leaf has its gradient as soon as it is complete
  explicit AccumulateGrad(Tensor leaf) : GradNode(kFirst), leaf_(std::move(leaf)) {}
  ~AccumulateGrad() override { grad_meta(leaf_).accumulator = nullptr; }
  // What the leaf's hooks make of its gradient, wherever that goes.
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

// The gradient of a gradient that counts as a function of an argument without depending on its elements: zeros.
class ZeroSlope final : public GradNode {
 public:
  explicit ZeroSlope(const Tensor& argument) : argument_(without_history(argument)) {}
  std::vector<Tensor> apply(std::vector<Tensor> grads) override {
    if (!grads[0].defined()) return std::vector<Tensor>(next.size());
    return {Tensor("zeros"_op(sizes_of(argument_), argument_.dtype())), grads[0]};
  }
  std::string name() const override { return "ZeroSlopeBackward0"; }

 private:
  Tensor argument_;
};

// g, as a function of the argument too.
Tensor tied(const Tensor& g, const Tensor& argument) {
  auto node = make_ref<ZeroSlope>(argument);
  node->next.push_back(gradient_edge(argument));
  node->next.push_back(g.requires_grad() ? gradient_edge(g) : GradEdge{});
  Tensor result = without_history(g);
  set_history(result, node, 0);
  return result;
}

IValue without_elements(const IValue& v) {
  if (v.is_tensor()) {
    Tensor t = empty_strided(v.as_tensor().sizes(), v.as_tensor().strides(), v.as_tensor().dtype(), {DeviceType::Meta});
    t->requires_grad = v.as_tensor()->requires_grad;
    if (auto* note_saved = dispatch_hooks().saved_for_backward) note_saved(v.as_tensor(), t, false);
    return t;
  }
  if (!v.is_list() || std::ranges::none_of(v.items(), [](const IValue& item) { return item.is_tensor(); })) return v;
  std::vector<IValue> items;
  for (const IValue& item : v.items()) items.push_back(without_elements(item));
  return IValue::list(std::move(items));
}

std::vector<IValue> body_values(GradCall& call, const PointwiseRule& rule, const Body& body) {
  std::vector<bool> used(body.args.size());
  for (const Ins& n : body.ins)
    if (n.fn == Fn::Arg) used[n.imm] = true;
  std::vector<IValue> values{call.grad()};
  for (int i = 0; i < rule.body.arity; ++i) {
    size_t at = values.size(), position = rule.position[static_cast<size_t>(i)];
    values.push_back(used[at] || !call.values()[position].is_tensor() ? call.plain(position) : IValue(call.grad()));
  }
  values.push_back(used.back() ? IValue(call.plain_result()) : IValue(call.grad()));
  return values;
}

// The product in public operators: something that can be recorded.
Tensor recorded_slope(GradCall& call, const PointwiseRule& rule, int k, DType result_dtype) {
  MONOGRAPH_CHECK(
      is_complex(result_dtype) || !rule.body.complex_gives_real || !is_complex(call.dtype(rule.position[static_cast<size_t>(k)])),
      NotImplemented, "[", call.op.name(), "] the gradient of a real result by a complex number cannot be derived; state it");
  Body body = rule.record_backward(k, result_dtype);
  std::vector<IValue> values = body_values(call, rule, body);
  const bool conjugates = is_complex(result_dtype);
  // Conjugates around the product, not of the values in it, which may lie on a branch cut: conj(conj(grad) slope).
  if (conjugates) values[0] = "conj"_op(values[0]);
  IValue product = interpret_body(body, values, nullptr, conjugates)[0];
  if (!product.is_tensor()) product = "full_like"_op(call.grad(), product);  // the same everywhere
  return conjugates ? Tensor("conj"_op(product)) : product.to_tensor();
}

// "mul_": "MulBackward0"; "max_pool2d": "MaxPool2DBackward0".
std::string node_name(const Operator& op) {
  std::string camel;
  bool upper = true;
  for (char c : op.base_name()) {
    if (c != '_') camel += upper ? static_cast<char>(std::toupper(c)) : c;
    upper = c == '_' || (c >= '0' && c <= '9');
  }
  return camel + "Backward0";
}

// The step of a recorded operator call.
class OperatorBackward final : public GradNode {
 public:
  OperatorBackward(const Operator& op, GradCall::Saved saved) : op_(op), saved_(std::move(saved)) {}

  // One gradient a `slots` entry, beside `next`: argument, and element of it for lists.
  struct Slot {
    size_t argument, element;
  };
  std::vector<Slot> slots;
  DType result_dtype = DType::f32;  // of the first
  bool wanted = false;  // some argument requires grad, if only as a view of what does

  // A program keeps the tensors that the rule reads (SavedTensorHooks). Their sizes and dtypes stay here.
  void pack(std::shared_ptr<const SavedTensorHooks> hooks) {
    packed_by_ = std::move(hooks);
    const GradCall::Saved whole = saved_;
    for (auto* values : {&saved_.args, &saved_.results})
      for (IValue& v : *values) v = without_elements(v);
    for (bool result : {false, true}) {
      const std::vector<IValue>& values = result ? whole.results : whole.args;
      std::vector<uint32_t>& versions = result ? saved_.result_versions : saved_.arg_versions;
      for (size_t i = 0; i < values.size(); ++i) {
        if (!values[i].is_tensor() && !values[i].is_list()) continue;
        if (reads(result, i)) pack_elements(values[i], result, i);
        else if (values[i].is_tensor()) versions[i] = kUnread;
      }
    }
  }

  // Results are kept without their history, which would lead back to this node.
  void save_results(std::span<const IValue> values) {
    for (const IValue& v : values) {
      saved_.result_versions.push_back(v.is_tensor() ? v.as_tensor().version() : 0);
      saved_.results.push_back(v.is_tensor() ? IValue(without_history(v.as_tensor())) : v);
    }
  }

  std::vector<Tensor> apply(std::vector<Tensor> grads) override {
    MONOGRAPH_CHECK(op_.gradient || op_.derived_gradient, NotImplemented, "[", op_.name(), "] derivative for ", op_.name(),
                    " is not implemented", op_.no_gradient ? concat(": ", op_.no_gradient) : std::string(),
                    op_.name().starts_with("aten::") || op_.name().starts_with("prim::") ? "" : "; define it with register_autograd",
                    "; detach() the argument if it needs none");
    bool any = false;
    for (const Tensor& g : grads) any |= g.defined();
    std::vector<Tensor> out(slots.size());
    if (!any) return out;
    // A rule has all gradients of a list; an undefined one behind them ends the list. Those of a tuple are undefined where nothing flows back.
    const bool list = gives_list(op_);
    for (size_t i = 0; list && i < saved_.results.size(); ++i)
      if (!grads[i].defined()) grads[i] = "zeros"_op(sizes_of(saved_.results[i].as_tensor()), saved_.results[i].as_tensor().dtype());
    if (list) grads.emplace_back();
    GradCall::Saved unpacked;
    if (packed_by_) unpacked = unpack();
    const GradCall::Saved& saved = packed_by_ ? unpacked : saved_;
    link_results(saved);
    const bool asks = observed() && dispatch_hooks().arguments && saved_.results[0].is_tensor();
    GradCall call(op_, saved, grads, asks ? dispatch_hooks().arguments(saved_.results[0].as_tensor()) : nullptr);
    if (op_.gradient) op_.gradient(call);
    else slopes(call);
    unlink_results(saved);
    auto made = call.take();
    // Of one tensor and numbers, elementwise: nothing broadcasts.
    const bool alone = op_.pointwise && std::ranges::count_if(saved_.args, [](const IValue& v) { return v.is_tensor(); }) == 1;
    for (size_t i = 0; i < slots.size(); ++i) {
      const Slot& s = slots[i];
      if (!next[i].node) continue;
      const IValue& given = saved_.args[s.argument];
      const Tensor argument = given.is_list() ? given.items()[s.element].to_tensor() : given.to_tensor();
      if (s.element < made[s.argument].size()) out[i] = fit(made[s.argument][s.element], argument, alone);
      if (op_.piecewise_linear && dispatch_state().grad_enabled && out[i].defined())
        out[i] = tied(out[i], saved.args[s.argument].as_tensor());
    }
    return out;
  }

  std::string name() const override { return node_name(op_); }

  // What is left are sizes and dtypes: rules that read no element run again.
  void release_saved() override {
    saved_.released = true;
    packed_.clear();
    for (IValue& v : saved_.args) v = without_elements(v);
    for (IValue& v : saved_.results) v = without_elements(v);
  }

  void set_history_of_results(GradEdge edge) override { history_of_results_ = std::move(edge); }
  void references(const std::function<void(const GradNode&)>& f) const override {
    GradNode::references(f);
    const std::function<void(const IValue&)> saved = [&](const IValue& v) {
      if (v.is_list())
        for (const IValue& item : v.items()) saved(item);
      if (!v.is_tensor() || v.as_tensor()->use_count() != 1) return;  // somebody else keeps it
      if (const GradMeta* meta = find_grad_meta(v.as_tensor()); meta && meta->grad_fn) f(*meta->grad_fn);
    };
    for (const IValue& v : saved_.args) saved(v);
  }

 private:
  // While rules run with recording on, saved results are results of this node.
  void link_results(const GradCall::Saved& saved) {
    if (!dispatch_state().grad_enabled) return;
    for (size_t i = 0; i < saved.results.size(); ++i)
      if (saved.results[i].is_tensor() && differentiable(saved.results[i].as_tensor().dtype()))
        set_history(saved.results[i].as_tensor(), history_of_results_.node ? history_of_results_.node : Ref<GradNode>(this),
                    history_of_results_.node ? history_of_results_.slot : static_cast<uint32_t>(i));
  }
  static void unlink_results(const GradCall::Saved& saved) {
    for (const IValue& r : saved.results)
      if (r.is_tensor() && find_grad_meta(r.as_tensor())) detach_in_place(r.as_tensor());
  }

  // The incoming gradient times the body's slopes: by one fused kernel, or in public operators where that is recorded by autograd or a
  // capture; the bits are the same.
  void slopes(GradCall& call) {
    const PointwiseRule& rule = op_.pointwise->chosen(call.values());
    for (int k = 0; k < rule.body.arity; ++k) {
      size_t position = rule.position[static_cast<size_t>(k)];
      if (!call.needs(position) || !rule.has_slope(k)) continue;
      bool recorded = dispatch_state().grad_enabled || observed() || !is_floating(result_dtype);
      call.set(position, recorded ? recorded_slope(call, rule, k, result_dtype) : fused_slope(call, rule, k));
    }
  }

  Tensor fused_slope(GradCall& call, const PointwiseRule& rule, int k) {
    DType compute = result_dtype;
    const Kernel& kernel = rule.backward_kernel(k, compute);
    return launch_body(kernel, body_values(call, rule, *kernel.body), saved_.results[0].as_tensor().sizes(), compute);
  }

  // Whether the rule reads the elements of a tensor among its arguments or results: it runs on tensors without elements, of which this one seems to have
  // been written since. Of a list: whether it reads any elements.
  bool reads(bool result, size_t i) const {
    if (observed() || !op_.name().starts_with("aten::")) return true;  // a rule in Python runs once only
    GradCall::Saved probe = saved_;
    for (size_t k = 0; k < probe.args.size(); ++k)
      if (probe.args[k].is_tensor()) probe.arg_versions[k] = probe.args[k].as_tensor().version();
    std::vector<Tensor> grads;
    for (size_t k = 0; k < probe.results.size(); ++k) {
      if (!probe.results[k].is_tensor()) continue;
      probe.result_versions[k] = probe.results[k].as_tensor().version();
      grads.push_back(without_elements(probe.results[k]).to_tensor());
    }
    if (gives_list(op_)) grads.emplace_back();
    if ((result ? probe.results : probe.args)[i].is_list()) probe.released = true;
    else ++(result ? probe.result_versions : probe.arg_versions)[i];
    GradModeScope off(false);
    try {
      GradCall call(op_, probe, grads);
      if (op_.gradient) op_.gradient(call);
      else recorded_slopes(call, result_dtype);
      return false;
    } catch (const Error&) {
      return true;
    }
  }

  void pack_elements(const IValue& v, bool result, size_t index) {
    const size_t count = v.is_list() ? v.items().size() : 1;
    for (size_t k = 0; k < count; ++k) {
      const IValue& item = v.is_list() ? v.items()[k] : v;
      if (!item.is_tensor() || item.as_tensor()->wrapped_number) continue;
      packed_.push_back({result, index, k, packed_by_->pack(without_history(item.as_tensor()))});
    }
  }

  GradCall::Saved unpack() const {
    GradCall::Saved out = saved_;
    for (const Packed& p : packed_) {
      IValue& place = (p.result ? out.results : out.args)[p.index];
      const Tensor t = without_history(packed_by_->unpack(p.kept));
      if (!p.result) link_argument(t, p.index, p.element);
      if (!place.is_list()) {
        (p.result ? out.result_versions : out.arg_versions)[p.index] = t.version();
        place = t;
        continue;
      }
      std::vector<IValue> items(place.items().begin(), place.items().end());
      items[p.element] = t;
      place = IValue::list(std::move(items));
    }
    return out;
  }
  // Gives what a program unpacked the history of the argument that it was.
  void link_argument(const Tensor& t, size_t argument, size_t element) const {
    for (size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].argument != argument || slots[i].element != element || !next[i].node) continue;
      set_edge(t, next[i]);
    }
  }

  struct Packed {
    bool result;  // else an argument
    size_t index, element;
    std::shared_ptr<void> kept;
  };
  static constexpr uint32_t kUnread = std::numeric_limits<uint32_t>::max();
  GradEdge history_of_results_;
  std::shared_ptr<const SavedTensorHooks> packed_by_;
  std::vector<Packed> packed_;
  const Operator& op_;
  GradCall::Saved saved_;
};

// What a node keeps of an argument: leaves themselves, others without the history that may lead back to the node.
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
  for (const IValue& item : v.items()) items.push_back(item.is_tensor() ? IValue(saved_tensor(item.as_tensor())) : item);
  return IValue::list(std::move(items));
}

// What an in-place operator is about to overwrite, as it was.
Tensor before_write(const Tensor& self) {
  Tensor old = copy_tensor(self);
  if (auto* note_saved = dispatch_hooks().saved_for_backward) note_saved(self, old, true);
  if (self.requires_grad()) {
    GradEdge edge = gradient_edge(self);
    set_history(old, edge.node, edge.slot);
  }
  return old;
}

// A number in place of a tensor, or none where one may be: PyTorch's next_functions count it.
bool is_absent_tensor(const Operator& op, size_t i, const IValue& v) {
  const ir::Argument& argument = op.schema().arguments()[i];
  if (v.is_number()) return argument.type.is(ir::TypeKind::Tensor) || (op.schema().takes_number_at(i) && !argument.default_value);
  return v.is_none() && argument.type.is(ir::TypeKind::Optional) && argument.type.elements()[0].is(ir::TypeKind::Tensor);
}

// The node of a call, with an edge for every tensor argument that wants a gradient.
Ref<OperatorBackward> make_node(const Operator& op, const IValue* args, bool writes_self) {
  size_t n = op.schema().arguments().size();
  GradCall::Saved saved;
  saved.arg_versions.resize(n);
  std::vector<OperatorBackward::Slot> slots;
  std::vector<GradEdge> edges;
  bool wanted = false;
  auto add = [&](const Tensor& t, size_t i, size_t element) {
    if (!differentiable(t.dtype()) && !t->wrapped_number) return;
    slots.push_back({i, element});
    edges.push_back(t.requires_grad() ? gradient_edge(t) : GradEdge{});
    wanted |= t.requires_grad();
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
  node->wanted = wanted;
  return node;
}

// Makes the results of a call those of its node.
void attach(const Operator& op, const IValue* args, IValue* results, const Ref<OperatorBackward>& node, bool writes_self) {
  size_t count = std::max<size_t>(op.schema().returns().size(), 1);
  const std::span made = gives_list(op) ? std::span<const IValue>(results[0].items()) : std::span<const IValue>(results, count);
  node->inputs = static_cast<uint32_t>(made.size());
  if (results[0].is_tensor()) node->result_dtype = results[0].as_tensor().dtype();
  node->save_results(made);
  if (!node->wanted) return;
  if (const auto& hooks = saved_tensor_hooks(); !hooks.empty()) node->pack(hooks.back());
  if (writes_self) {
    size_t self_slot = node->slots.size();
    for (size_t i = 0; i < node->slots.size(); ++i)
      if (node->slots[i].argument == 0) self_slot = i;
    return set_written_history(args[0].as_tensor(), node, 0, self_slot);
  }
  for (size_t i = 0; i < made.size(); ++i)
    if (made[i].is_tensor() && differentiable(made[i].as_tensor().dtype()))
      set_history(made[i].as_tensor(), node, static_cast<uint32_t>(i));
  if (!op.is_view) return;
  const GradMeta* of_source = find_grad_meta(args[0].as_tensor());
  const bool one_of_several = gives_list(op) || (of_source && of_source->one_of_several);
  for (const IValue& v : made) {
    track_view(args[0], v);
    const Tensor& view = v.as_tensor();
    if (!view->base) continue;
    const GradMeta* of_base = find_grad_meta(Tensor(view->base));
    GradMeta& meta = grad_meta(view);
    meta.seen_rebases = of_base ? of_base->rebases : 0;
    meta.one_of_several = one_of_several, meta.seen_version = view.version();
  }
}

// The in-place form of a view: the tensor goes on as the view of what it was.
void reshape_in_place(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& self = args[0].as_tensor();
  MONOGRAPH_CHECK(op.reshapes, Runtime, "[", op.name(),
                  "] cannot resize variables that require grad; detach() them, or copy what is needed");
  check_in_place(op, self);
  MONOGRAPH_CHECK(op.reshapes->inverse, NotImplemented, "[", op.name(),
                  "] a gradient through it is not implemented; use the form without the underscore");
  refresh_view(self);
  const GradEdge before = gradient_edge(self);
  const Tensor old = without_history(self);
  set_history(old, before.node, before.slot);
  std::vector<IValue> given(args, args + op.schema().arguments().size());
  given[0] = old;
  IValue view;
  call(*op.reshapes, given.data(), &view);
  run(op, args, results);
  const GradMeta* meta = find_grad_meta(self);
  const uint64_t rebases = meta ? meta->rebases : 0, seen = meta ? meta->seen_rebases : 0;
  const GradEdge after = gradient_edge(view.as_tensor());
  set_history(self, after.node, after.slot);
  // Its own views, if it has some, are views of other sizes from now on.
  grad_meta(self).rebases = self->base ? rebases : rebases + 1;
  grad_meta(self).seen_rebases = seen, grad_meta(self).seen_version = self.version();
}

void autograd_call(const Operator& op, const IValue* args, IValue* results) {
  if (op.changes_geometry) return reshape_in_place(op, args, results);
  // The operators it is made of record themselves.
  if (!op.gradient && !op.derived_gradient && op.decompose) return run_decomposition(op, args, results);
  bool writes_self = !op.schema().arguments().empty() && op.schema().arguments()[0].writes();
  // A list or dict is no tensor: what is put into it, or taken out of it, keeps its own history.
  if (writes_self && !args[0].is_tensor()) return run(op, args, results);
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
    // Nothing flows back through bools and indices; through floats that depend on an argument nothing would be wrong, so that it raises.
    const std::span made(results, op.schema().returns().size());
    if (op.constant || std::ranges::none_of(made, [](const IValue& v) { return v.is_tensor() && differentiable(v.as_tensor().dtype()); }))
      return;
    return attach(op, args, results, make_node(op, args, false), false);
  }
  if (writes_self) check_in_place(op, args[0].as_tensor());
  if (op.eval == eval_composite_form) {  // whose functional form records itself, of what was there before, and so does the copy
    std::vector<IValue> before(values.begin(), values.end());
    before[0] = before_write(args[0].as_tensor());
    return write_composite(op, args, before.data(), results);
  }
  Ref<OperatorBackward> node = make_node(op, args, writes_self);
  {
    GradModeScope off(false);
    run(op, args, results);
  }
  attach(op, args, results, node, writes_self);
}

}  // namespace

void recorded_slopes(GradCall& call, DType result_dtype) {
  const PointwiseRule& rule = call.op.pointwise->chosen(call.values());
  for (int k = 0; k < rule.body.arity; ++k) {
    const size_t position = rule.position[static_cast<size_t>(k)];
    if (call.needs(position) && rule.has_slope(k)) call.set(position, recorded_slope(call, rule, k, result_dtype));
  }
}

// ---- nodes and what tensors know of them ----

void TensorHooks::run(Tensor& gradient) const {
  for (const auto& hook : all()) {
    Tensor replaced = (*hook)(gradient);
    if (!replaced.defined()) continue;
    MONOGRAPH_CHECK(gradient.defined(), Runtime, "can't replace a None gradient with a non-None value");
    gradient = replaced;
  }
}

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
  if (anomaly_mode().enabled) anomaly_mode().created(*this, evaluated);
}

GradNode::~GradNode() {
  // A long chain of nodes dies one by one rather than in each other's destructors.
  static thread_local std::vector<Ref<GradNode>>* dying = nullptr;
  std::vector<Ref<GradNode>> mine;
  bool first = dying == nullptr;
  if (first) dying = &mine;
  for (GradEdge& e : next)
    if (e.node) dying->push_back(std::move(e.node));
  if (!first) return;
  while (!mine.empty()) {
    Ref<GradNode> last = std::move(mine.back());
    mine.pop_back();
  }
  dying = nullptr;
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
void (*function_result_hook)(const Tensor& t, std::span<const Tensor> inputs) = nullptr;

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
  if (meta.grad_fn != node) {  // another version: hooks stay with the old one, the kept gradient is that of the last
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
    // A leaf's accumulator runs them; otherwise the step that takes the gradient does, for as long as it lives.
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

// Collects the hooks of nodes to which all references have been found.
class OwnedNodes {
 public:
  explicit OwnedNodes(OwnedHooks& owned) : owned_(owned) {}

  template <class Hooks, class Taken>
  static void take(const std::shared_ptr<Hooks>& hooks, long references, Taken& taken) {
    if (hooks && hooks.use_count() == references) std::ranges::copy(hooks->all(), std::back_inserter(taken));
  }

  // `shared` are hooks that the start of the search has too.
  void run(const GradNode& first, const std::shared_ptr<TensorHooks>& shared) {
    const std::function<void(const GradNode&)> reach = [&](const GradNode& node) {
      if (++found_[&node] == node.use_count()) mine_.push_back(&node);
    };
    reach(first);
    while (!mine_.empty()) {
      const GradNode* node = mine_.back();
      mine_.pop_back();
      for (const auto& [slot, hooks] : node->tensor_hooks) take(hooks, hooks == shared ? 2 : 1, owned_.tensors);
      if (const NodeHooks* hooks = node->find_hooks()) take(hooks->before, 1, owned_.before), take(hooks->after, 1, owned_.after);
      if (void* context = node->context()) owned_.contexts.push_back(context);
      node->references(reach);
    }
  }

 private:
  OwnedHooks& owned_;
  std::unordered_map<const GradNode*, uint32_t> found_;
  std::vector<const GradNode*> mine_;
};

}  // namespace

OwnedHooks owned_hooks(const Tensor& t) {
  OwnedHooks owned;
  const GradMeta* meta = find_grad_meta(t);
  if (!meta) return owned;
  OwnedNodes::take(meta->after_accumulation, 1, owned.accumulation);
  if (meta->grad_fn) OwnedNodes(owned).run(*meta->grad_fn, meta->hooks);
  else OwnedNodes::take(meta->hooks, 1, owned.tensors);
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

Tensor fit_gradient(Tensor g, const Tensor& argument) { return fit(std::move(g), argument); }
Tensor without_data(const Tensor& t) { return without_elements(t).to_tensor(); }
Tensor alias_without_history(const Tensor& t) { return without_history(t); }

Tensor value_before_write(const Operator& op, const Tensor& self) {
  check_in_place(op, self);
  return before_write(self);
}

void install_autograd() {
  install_autocast();
  dispatch_hooks().autograd = autograd_call;
  dispatch_hooks().viewed = [](const Tensor& view) {
    if (const GradMeta* of_base = find_grad_meta(Tensor(view->base)); of_base && of_base->rebases)
      grad_meta(view).seen_rebases = of_base->rebases;
  };
}

// ---- backward ----

namespace {

struct Later {
  bool operator()(const Ref<GradNode>& a, const Ref<GradNode>& b) const { return a->sequence < b->sequence; }
};

class Backward {
 public:
  Backward(BackwardOptions options, std::span<const Tensor> inputs, bool capture)
      : options_(options), capture_(capture), inputs_(inputs), captured_(inputs.size()) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      MONOGRAPH_CHECK(inputs[i].requires_grad(), Runtime, "One of the differentiated Tensors does not require grad: number ", i + 1,
                      " of the inputs");
      GradEdge edge = gradient_edge(inputs[i]);
      wanted_.push_back(edge);
      targets_.emplace(edge.node.get(), i);
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
    put(edge, grad);
    roots_.push_back(edge.node);
  }

  void run() {
    struct Running {
      explicit Running(const Backward* pass) : outer(std::exchange(current_, pass)) { ++running; }
      ~Running() { --running, current_ = outer; }
      const Backward* outer;
    } scope(this);
    count_dependencies();
    if (!wanted_.empty()) find_needed();
    GradModeScope mode(options_.create_graph);
    for (const auto& root : roots_)
      if (dependencies_[root.get()] == 0 && queued_.insert(root.get()).second) ready_.push(root);
    while (!ready_.empty()) {
      Ref<GradNode> node = ready_.top();
      ready_.pop();
      step(node);
    }
  }

  std::vector<Tensor> take() { return std::move(captured_); }

  // The pass that runs on this thread, the innermost one.
  static const Backward* current() { return current_; }
  const uint64_t number = g_passes.fetch_add(1, std::memory_order_relaxed);
  bool will_run(const GradNode* node) const {
    const bool in_graph =
        dependencies_.contains(const_cast<GradNode*>(node)) || std::ranges::find(roots_, node, &Ref<GradNode>::get) != roots_.end();
    return in_graph && (wanted_.empty() || needed_.contains(const_cast<GradNode*>(node)));
  }

 private:
  static thread_local const Backward* current_;

  void put(const GradEdge& edge, const Tensor& g) {
    auto& buffer = buffers_[edge.node.get()];
    if (buffer.size() <= edge.slot) buffer.resize(std::max<size_t>(edge.slot + 1, edge.node->inputs));
    if (g.defined()) buffer[edge.slot] = accumulate(buffer[edge.slot], g);
  }

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

  // With `inputs`, only what leads to one of them runs.
  void find_needed() {
    struct Visit {
      GradNode* node;
      size_t next = 0;
    };
    if (!capture_)
      for (const auto& [node, i] : targets_) needed_.insert(node);
    std::unordered_set<GradNode*> seen;
    std::vector<Visit> path;
    for (const auto& root : roots_) {
      if (seen.insert(root.get()).second) path.push_back({root.get()});
      while (!path.empty()) {
        auto& [node, next] = path.back();
        if (next == node->next.size()) {
          for (const GradEdge& e : node->next)
            if (e.node && (needed_.contains(e.node.get()) || targets_.contains(e.node.get()))) needed_.insert(node);
          path.pop_back();
          continue;
        }
        GradNode* child = node->next[next++].node.get();
        if (child && seen.insert(child).second) path.push_back({child});
      }
    }
  }

  // What the caller asked for of the gradients that flow into a node.
  void take_wanted(GradNode* node, const std::vector<Tensor>& grads) {
    for (auto [begin, end] = targets_.equal_range(node); begin != end; ++begin) {
      const size_t i = begin->second;
      captured_[i] = grads[wanted_[i].slot];
      auto is_input = [&](const Tensor& t) { return t.is_same(inputs_[i]); };
      const bool named_before = std::any_of(inputs_.begin(), inputs_.begin() + static_cast<ptrdiff_t>(i), is_input);
      if (!capture_ && !is_leaf(inputs_[i]) && captured_[i].defined() && !named_before && !grad_meta(inputs_[i]).retained)
        accumulate_grad(inputs_[i], captured_[i]);
    }
  }

  void step(const Ref<GradNode>& node) {
    std::vector<Tensor> grads = std::move(buffers_[node.get()]);
    buffers_.erase(node.get());
    grads.resize(std::max<size_t>(grads.size(), node->inputs));
    const bool runs = wanted_.empty() || needed_.contains(node.get());
    const bool leaves_first = capture_ && runs;  // as in PyTorch, whose hooks come after what autograd.grad takes here, else before it
    if (leaves_first) take_wanted(node.get(), grads);
    if (options_.stop_at_inputs)
      for (auto [begin, end] = targets_.equal_range(node.get()); leaves_first && begin != end; ++begin)
        grads[wanted_[begin->second].slot] = {};
    for (const auto& [slot, hooks] : node->tensor_hooks) hooks->run(grads[slot]);
    for (const auto& [slot, kept] : node->retained)
      if (grads[slot].defined()) *kept = accumulate(*kept, grads[slot]);
    if (const auto* leaf = dynamic_cast<AccumulateGrad*>(node.get())) leaf->run_leaf_hooks(grads[0]);
    if (!leaves_first) take_wanted(node.get(), grads);
    if (!runs) return;
    std::vector<Tensor> made = apply(*node, std::move(grads));
    if (!options_.retain_graph && !options_.create_graph) node->release_saved();
    for (size_t i = 0; i < node->next.size(); ++i) {
      const GradEdge& e = node->next[i];
      if (!e.node) continue;
      const bool wanted = wanted_.empty() || needed_.contains(e.node.get()) || targets_.contains(e.node.get());
      if (wanted) put(e, i < made.size() ? made[i] : Tensor());
      if (--dependencies_[e.node.get()] == 0 && wanted && queued_.insert(e.node.get()).second) ready_.push(e.node);
    }
  }

  // The node's step while anomalies are looked for.
  static std::vector<Tensor> watched(GradNode& node, std::vector<Tensor> grads) {
    const GradNode* outer = std::exchange(evaluated, &node);
    try {
      std::vector<Tensor> made = hooked(node, std::move(grads));
      for (size_t i = 0; i < made.size() && anomaly_mode().check_nan; ++i)
        MONOGRAPH_CHECK(!has_nan(made[i]), Runtime, "Function '", node.name(), "' returned nan values in its ", i, "th output.");
      evaluated = outer;
      return made;
    } catch (...) {
      evaluated = outer;
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
    return anomaly_mode().enabled ? watched(node, std::move(grads)) : hooked(node, std::move(grads));
  }
  // The node's step, with its hooks around it.
  static std::vector<Tensor> hooked(GradNode& node, std::vector<Tensor> grads) {
    if (!node.find_hooks()) return node.apply(std::move(grads));
    const NodeHooks& hooks = *node.find_hooks();
    for (const auto& hook : hooks.before->all()) (*hook)(grads);
    const auto after = hooks.after->all();
    if (after.empty()) return node.apply(std::move(grads));
    std::vector<Tensor> made = node.apply(grads);
    made.resize(node.next.size());
    for (const auto& hook : after) (*hook)(made, grads);
    return made;
  }

  BackwardOptions options_;
  bool capture_;
  std::span<const Tensor> inputs_;
  std::vector<Tensor> captured_;
  std::vector<GradEdge> wanted_;
  std::unordered_multimap<GradNode*, size_t> targets_;
  std::unordered_set<GradNode*> needed_;
  std::vector<Ref<GradNode>> roots_;
  std::unordered_map<GradNode*, std::vector<Tensor>> buffers_;
  std::unordered_map<GradNode*, size_t> dependencies_;
  std::unordered_set<GradNode*> queued_;
  std::priority_queue<Ref<GradNode>, std::vector<Ref<GradNode>>, Later> ready_;
};

thread_local const Backward* Backward::current_ = nullptr;

}  // namespace

bool backward_is_running() { return running != 0; }
int64_t backward_pass() { return Backward::current() ? static_cast<int64_t>(Backward::current()->number) : -1; }
bool backward_will_run(const GradNode& node) { return Backward::current() && Backward::current()->will_run(&node); }

void backward(std::span<const Tensor> roots, std::span<const Tensor> grads, BackwardOptions options, std::span<const Tensor> inputs) {
  Backward run(options, inputs, false);
  for (size_t i = 0; i < roots.size(); ++i) run.add_root(roots[i], i < grads.size() ? grads[i] : Tensor());
  run.run();
}

std::vector<Tensor> gradients(std::span<const Tensor> roots, std::span<const Tensor> grads, std::span<const Tensor> inputs,
                              BackwardOptions options, bool allow_unused) {
  Backward run(options, inputs, true);
  for (size_t i = 0; i < roots.size(); ++i) run.add_root(roots[i], i < grads.size() ? grads[i] : Tensor());
  run.run();
  std::vector<Tensor> out = run.take();
  for (size_t i = 0; i < out.size(); ++i)
    MONOGRAPH_CHECK(out[i].defined() || allow_unused, Runtime,
                    "One of the differentiated Tensors appears to not have been used in the graph: number ", i + 1,
                    " of the inputs. Set allow_unused=True if this is the desired behavior.");
  return out;
}

}  // namespace monograph
