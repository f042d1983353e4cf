// The step of a recorded call: its operator's gradient rule, or the slopes of a pointwise body.
#include "autograd/call_node.h"

#include <algorithm>
#include <functional>

#include "autograd/body.h"
#include "autograd/node_names.h"
#include "ops/dispatch.h"
#include "ops/layouts.h"
#include "ops/pointwise.h"

namespace monograph {
namespace {

// The node of a gradient that is a function of an argument, but has the derivative zero everywhere: the gradient of a piecewise linear operator.
class ZeroSlope final : public GradNode {
 public:
  explicit ZeroSlope(const Tensor& argument) : argument_(alias_without_history(argument)) {}
  std::vector<Tensor> apply(std::vector<Tensor> grads) override {
    if (!grads[0].defined()) return std::vector<Tensor>(next.size());
    return {Tensor("zeros"_op(sizes_of(argument_), argument_.dtype())), grads[0]};
  }
  std::string name() const override { return "ZeroSlopeBackward0"; }

 private:
  Tensor argument_;
};

// g, with a history that leads to the argument too (with zeros).
Tensor as_function_of(const Tensor& g, const Tensor& argument) {
  auto node = make_ref<ZeroSlope>(argument);
  node->next.push_back(gradient_edge(argument));
  node->next.push_back(g.requires_grad() ? gradient_edge(g) : GradEdge{});
  Tensor result = alias_without_history(g);
  set_history(result, node, 0);
  return result;
}
// The inputs of a backward body: the gradient, the arguments and the result. Where the body does not read one, the gradient stands in its place, so that a
// value that is not needed is not asked for (it may have been written since).
std::vector<IValue> body_values(GradCall& call, const PointwiseRule& rule, const Body& body) {
  std::vector<bool> used(body.args.size());
  for (const Ins& n : body.ins)
    if (n.fn == Fn::Arg) used[n.imm] = true;
  std::vector<IValue> values{call.grad()};
  for (int i = 0; i < rule.body.arity; ++i) {
    size_t input = values.size(), position = rule.position[static_cast<size_t>(i)];
    values.push_back(used[input] || !call.values()[position].is_tensor() ? call.plain(position) : IValue(call.grad()));
  }
  values.push_back(used.back() ? IValue(call.plain_result()) : IValue(call.grad()));
  return values;
}

// The gradient of argument k, computed by public operators so that it can be recorded.
Tensor recorded_slope(GradCall& call, const PointwiseRule& rule, int k, DType result_dtype) {
  MONOGRAPH_CHECK(
      is_complex(result_dtype) || !rule.body.complex_gives_real || !is_complex(call.dtype(rule.position[static_cast<size_t>(k)])),
      NotImplemented, "[", call.op.name(), "] the gradient of a real result by a complex number cannot be derived; state it");
  Body body = rule.record_backward(k, result_dtype);
  std::vector<IValue> values = body_values(call, rule, body);
  const bool conjugates = is_complex(result_dtype);
  // The product is conj(conj(grad) * slope). The values in the slope are not conjugated: they may lie on a branch cut.
  if (conjugates) values[0] = "conj"_op(values[0]);
  IValue product = interpret_body(body, values, nullptr, conjugates)[0];
  if (!product.is_tensor()) product = "full_like"_op(call.grad(), product);  // a constant
  return conjugates ? Tensor("conj"_op(product)) : product.to_tensor();
}
}  // namespace

bool differentiable(DType t) { return is_floating(t) || is_complex(t); }

// A saved value with each tensor replaced by a meta tensor of its sizes and dtype.
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
void recorded_slopes(GradCall& call, DType result_dtype) {
  const PointwiseRule& rule = call.op.pointwise->chosen(call.values());
  for (int k = 0; k < rule.body.arity; ++k) {
    const size_t position = rule.position[static_cast<size_t>(k)];
    if (call.needs(position) && rule.has_slope(k)) call.set(position, recorded_slope(call, rule, k, result_dtype));
  }
}

void OperatorBackward::save_results(std::span<const IValue> values) {
  // What the call itself wrote, as the statistics of a batch norm, counts as it is now.
  if (op_.effects().writes && !op_.functional)
    for (size_t i = 0; i < saved_.args.size(); ++i)
      if (saved_.args[i].is_tensor()) saved_.arg_versions[i] = saved_.args[i].as_tensor().version();
  for (const IValue& v : values) {
    saved_.result_versions.push_back(v.is_tensor() ? v.as_tensor().version() : 0);
    saved_.results.push_back(v.is_tensor() ? IValue(alias_without_history(v.as_tensor())) : v);
  }
  bool made_in_inference_mode = false;
  for (const IValue& v : saved_.args) made_in_inference_mode |= v.is_tensor() && v.as_tensor().is_inference();
  if (made_in_inference_mode) [[unlikely]]
    refuse_inference_tensors();
}

void OperatorBackward::refuse_inference_tensors() const {
  if (inference_mode()) return;
  for (size_t i = 0; i < saved_.args.size(); ++i)
    MONOGRAPH_CHECK(!saved_.args[i].is_tensor() || !saved_.args[i].as_tensor().is_inference() || !reads(false, i), Runtime, "[", op_.name(),
                    "] Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation "
                    "tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd.");
}

std::string OperatorBackward::name() const { return name_ ? name_ : shown_ ? shown_->name() : node_name(op_, saved_.args); }

std::vector<Tensor> OperatorBackward::apply(std::vector<Tensor> grads) {
  MONOGRAPH_CHECK(op_.gradient || op_.derived_gradient || by_parts, NotImplemented, "[", op_.name(), "] derivative for ", op_.name(),
                  " is not implemented", op_.no_gradient ? concat(": ", op_.no_gradient) : std::string(),
                  op_.name().starts_with("aten::") || op_.name().starts_with("prim::") ? "" : "; define it with register_autograd",
                  "; detach() the argument if it needs none");
  bool any = false;
  for (const Tensor& g : grads) any |= g.defined();
  std::vector<Tensor> out(slots.size());
  if (!any) return out;
  // A rule of a list reads a gradient for each element, up to an undefined one that marks the end. The gradients of a tuple may be undefined.
  const bool list = gives_list(op_);
  for (size_t i = 0; list && i < saved_.results.size(); ++i)
    if (!grads[i].defined()) grads[i] = "zeros"_op(sizes_of(saved_.results[i].as_tensor()), saved_.results[i].as_tensor().dtype());
  if (list) grads.emplace_back();
  GradCall::Saved unpacked;
  if (!packed_.empty()) unpacked = unpack();
  const GradCall::Saved& saved = packed_.empty() ? saved_ : unpacked;
  link_results(saved);
  const bool in_capture = observed() && dispatch_hooks().arguments && saved_.results[0].is_tensor();
  GradCall call(op_, saved, grads, in_capture ? dispatch_hooks().arguments(saved_.results[0].as_tensor()) : nullptr);
  if (by_parts) gradient_of_parts(call, saved);
  else if (op_.gradient) op_.gradient(call);
  else slopes(call);
  unlink_results(saved);
  auto computed = call.take();
  // A pointwise call of one tensor and numbers broadcasts nothing.
  const bool one_tensor = op_.pointwise && std::ranges::count_if(saved_.args, [](const IValue& v) { return v.is_tensor(); }) == 1;
  for (size_t i = 0; i < slots.size(); ++i) {
    const Slot& s = slots[i];
    if (!next[i].node) continue;
    const IValue& value = saved_.args[s.argument];
    const Tensor argument = value.is_list() ? value.items()[s.element].to_tensor() : value.to_tensor();
    if (s.element < computed[s.argument].size()) out[i] = fit_gradient(computed[s.argument][s.element], argument, one_tensor);
    if (op_.piecewise_linear && dispatch_state().grad_enabled && out[i].defined())
      out[i] = as_function_of(out[i], saved.args[s.argument].as_tensor());
  }
  return out;
}

void OperatorBackward::release_saved() {
  saved_.released = true;
  packed_.clear();
  for (IValue& v : saved_.args) v = without_elements(v);
  for (IValue& v : saved_.results) v = without_elements(v);
  // One of `next` has a step of its own to run.
  if (shown_ && std::ranges::find(next, shown_, &GradEdge::node) == next.end()) shown_->release_saved();
}

void OperatorBackward::references(const std::function<void(const GradNode&)>& f) const {
  GradNode::references(f);
  const std::function<void(const IValue&)> visit = [&](const IValue& v) {
    if (v.is_list())
      for (const IValue& item : v.items()) visit(item);
    if (!v.is_tensor() || v.as_tensor()->use_count() != 1) return;  // the tensor does not live through this node alone
    if (const GradMeta* meta = find_grad_meta(v.as_tensor()); meta && meta->grad_fn) f(*meta->grad_fn);
  };
  for (const IValue& v : saved_.args) visit(v);
  if (shown_) f(*shown_);
}

// While a rule runs with recording on, the saved results have this node as their history.
void OperatorBackward::link_results(const GradCall::Saved& saved) {
  if (!dispatch_state().grad_enabled) return;
  for (size_t i = 0; i < saved.results.size(); ++i)
    if (saved.results[i].is_tensor() && differentiable(saved.results[i].as_tensor().dtype()))
      set_history(saved.results[i].as_tensor(), history_of_results_.node ? history_of_results_.node : Ref<GradNode>(this),
                  history_of_results_.node ? history_of_results_.slot : static_cast<uint32_t>(i));
}

void OperatorBackward::unlink_results(const GradCall::Saved& saved) {
  for (const IValue& r : saved.results)
    if (r.is_tensor() && find_grad_meta(r.as_tensor())) detach_in_place(r.as_tensor());
}

// The incoming gradient times the slopes of the pointwise body: one fused kernel, or public operators where autograd or a capture records them. Both give
// the same bits.
void OperatorBackward::slopes(GradCall& call) {
  const PointwiseRule& rule = op_.pointwise->chosen(call.values());
  for (int k = 0; k < rule.body.arity; ++k) {
    size_t position = rule.position[static_cast<size_t>(k)];
    if (!call.needs(position) || !rule.has_slope(k)) continue;
    bool recorded = dispatch_state().grad_enabled || observed() || !is_floating(result_dtype);
    call.set(position, recorded ? recorded_slope(call, rule, k, result_dtype) : fused_slope(call, rule, k));
  }
}

Tensor OperatorBackward::fused_slope(GradCall& call, const PointwiseRule& rule, int k) {
  DType compute = result_dtype;
  const Kernel& kernel = rule.backward_kernel(k, compute);
  std::vector<IValue> values = body_values(call, rule, *kernel.body);
  // As in PyTorch, where the slope only selects by the result (relu), the result decides on the memory format, else the incoming gradient.
  const Tensor grad = call.grad(), result = values.back().as_tensor();
  if (op_.piecewise_linear && !result.is_same(grad))
    std::ranges::replace_if(
        values, [&](const IValue& v) { return v.is_tensor() && v.as_tensor().is_same(grad); }, in_format(grad, suggested_format(result)));
  return launch_body(kernel, values, saved_.results[0].as_tensor().sizes(), compute);
}

// The decomposition runs again on tensors whose history begins here, or is that of the arguments where the gradient is recorded.
void OperatorBackward::gradient_of_parts(GradCall& call, const GradCall::Saved& saved) {
  const bool recorded = dispatch_state().grad_enabled;
  const GradModeScope on(true);
  std::vector<IValue> args = saved.args;
  std::vector<Tensor> starts;
  std::vector<size_t> positions;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!next[i].node) continue;
    Tensor start = call.plain(slots[i].argument).to_tensor();
    if (recorded) start = "view_as"_op(start, start);
    else start = alias_without_history(start), set_requires_grad(start, true);
    starts.push_back(start), positions.push_back(slots[i].argument);
    args[slots[i].argument] = start;
  }
  // A batch norm in training counts its statistics once, in the call itself.
  if (op_.base_name() == "batch_norm" && args[5].to_bool()) args[3] = args[4] = IValue();
  std::vector<IValue> results(std::max<size_t>(op_.schema().returns().size(), 1));
  run_decomposition(op_, args.data(), results.data());
  std::vector<Tensor> roots, grads;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!call.grad(i).defined() || !results[i].as_tensor().requires_grad()) continue;
    roots.push_back(results[i].to_tensor()), grads.push_back(call.grad(i));
  }
  const std::vector<Tensor> made = gradients(roots, grads, starts, {.create_graph = recorded}, true);
  for (size_t i = 0; i < made.size(); ++i) call.set(positions[i], made[i]);
}

}  // namespace monograph
