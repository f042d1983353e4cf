// A call inside a torch.autocast region: its floating tensors on the CPU, except float64, are cast as the operator's record says, and the call goes on with
// autocast off.
#include "autograd/autocast.h"

#include <unordered_map>

#include "autograd/engine.h"

namespace monograph {
namespace {

// The cast of a weight, cached until the outermost region ends. As in PyTorch, a weight that is used several times is cast once, and its gradients are summed
// in the lower precision.
struct CachedCast {
  Tensor weight, cast;
  uint32_t version;  // of the weight, when it was cast
};
using CastCache = std::unordered_map<const TensorImpl*, CachedCast>;

CastCache& cast_cache() {
  static thread_local auto* cache = new CastCache;  // never freed: tensors with Python objects may not die after Python
  return *cache;
}

bool is_castable(const Tensor& t) {
  return t.defined() && t.device().type == DeviceType::Cpu && is_floating(t.dtype()) && t.dtype() != DType::f64;
}

Tensor cast(std::string_view operator_name, const Tensor& t, DType to) {
  if (!is_castable(t)) return t;
  MONOGRAPH_CHECK(
      t->kind == TensorImpl::Kind::Dense, NotImplemented, "[", operator_name,
      "] autocast needs the dtype of its arguments, which a symbolic capture may not know. Use a trace, which records the casts");
  if (t.dtype() == to) return t;
  const AutocastState& state = autocast_state();
  const bool cacheable = state.cache_enabled && to == state.dtype && t.dtype() == DType::f32 && t->requires_grad && !t->base &&
                         is_leaf(t) && dispatch_state().grad_enabled && !dispatch_state().top;
  if (!cacheable) return "to"_op(t, to);
  auto found = cast_cache().find(t.impl());
  if (found != cast_cache().end() && found->second.version == t.version()) return found->second.cast;
  Tensor result = "to"_op(t, to);
  cast_cache().insert_or_assign(t.impl(), CachedCast{t, result, t.version()});
  return result;
}

template <class F>
IValue each_tensor(const IValue& v, F&& f) {
  if (v.is_tensor()) return f(v.as_tensor());
  if (!v.is_list()) return v;
  std::vector<IValue> items;
  for (const IValue& item : v.items()) items.push_back(each_tensor(item, f));
  return IValue::list(std::move(items));
}

// float32 if one of the tensors is of that dtype, else the dtype of the region.
DType widest(const Operator& op, std::span<const IValue> args) {
  const DType lower = autocast_state().dtype;
  DType to = lower;
  for (const IValue& v : args)
    each_tensor(v, [&](const Tensor& t) -> IValue {
      if (!is_castable(t)) return t;
      if (to == DType::f32 || t.dtype() == DType::f32) return to = DType::f32, t;
      MONOGRAPH_CHECK(t.dtype() == lower, Runtime, "[", op.name(),
                      "] Unexpected floating ScalarType in at::autocast::prioritize: a tensor is ", name(t.dtype()),
                      ", and autocast computes in ", name(lower), ". Convert the tensor with .to()");
      return t;
    });
  return to;
}

void call_with_casts(const Operator& op, const IValue* args, IValue* results) {
  AutocastScope off(false);
  if (op.autocast == Autocast::AsGiven) return call(op, args, results);
  const size_t n = op.schema().arguments().size();
  DType to = DType::f32;
  if (op.autocast == Autocast::LowerPrecision) to = autocast_state().dtype;
  if (op.autocast == Autocast::Widest) to = widest(op, {args, n});
  std::vector<IValue> cast_args(args, args + n);
  for (IValue& v : cast_args) v = each_tensor(v, [&](const Tensor& t) -> IValue { return cast(op.name(), t, to); });
  call(op, cast_args.data(), results);
}

IValue in_lower_precision(std::string_view operator_name, const IValue& value) {
  const DType to = autocast_state().dtype;
  return each_tensor(value, [&](const Tensor& t) -> IValue { return cast(operator_name, t, to); });
}

}  // namespace

AutocastState& autocast_state() {
  static thread_local AutocastState state;
  return state;
}

void clear_autocast_cache() { cast_cache().clear(); }

void install_autocast() { dispatch_hooks().autocast = call_with_casts, dispatch_hooks().lower_precision = in_lower_precision; }

}  // namespace monograph
