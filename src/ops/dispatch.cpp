// How an operator call finds its implementation: observers, autocast, the innermost dispatch mode, symbolic tensors, autograd, and last the operator's own
// kernel, evaluation or decomposition. An error that passes through gets the operator's name.
#include "ops/dispatch.h"

#include "core/quantizer.h"
#include "core/shrunk.h"
#include "ops/call_observer.h"
#include "ops/evaluation_mode.h"
#include "ops/expansion.h"
#include "ops/layouts.h"
#include "ops/registry.h"
#include "ops/rule.h"
#include "ops/size_values.h"
#include "ops/symbolic_value.h"

namespace monograph {

DispatchState& dispatch_state() {
  [[gnu::tls_model("initial-exec")]] static thread_local DispatchState state;
  return state;
}

constinit thread_local CallObserver* CallObserver::current_ = nullptr;
constinit thread_local EvaluationMode* EvaluationMode::current_ = nullptr;

DispatchHooks& dispatch_hooks() {
  static DispatchHooks hooks;
  return hooks;
}

// The number that a size is at every run, because a guard of the capture says so; absent where none does.
static std::optional<int64_t> guarded(const Size& size) {
  DispatchMode* top = dispatch_state().top;
  return top ? top->guarded(size) : std::nullopt;
}

int64_t fixed_size(const Tensor& t, int64_t dim) {
  const Size size = size_of(t, dim);
  if (size.is_int()) return size.as_int();
  if (const auto value = guarded(size)) return *value;
  MONOGRAPH_CHECK(t->kind == TensorImpl::Kind::Dense && dispatch_hooks().specialize, NotImplemented,
                  "this operator needs a size as a number, but the size is not known before the graph runs");
  dispatch_hooks().specialize(size);
  return t.size(dim);
}

int64_t fixed_length(const Tensor& t, const Size& count) {
  if (count.is_int()) {
    MONOGRAPH_CHECK(count.as_int() <= INT32_MAX, Runtime, "there is no list of ", count.as_int(), " tensors");
    return count.as_int();
  }
  if (const auto value = guarded(count)) return *value;
  if (DispatchMode* top = dispatch_state().top)
    if (const auto value = top->guarded_length()) return *value;
  MONOGRAPH_CHECK(t->kind == TensorImpl::Kind::Dense && dispatch_hooks().specialize && count.symint()->hint(), NotImplemented,
                  "this operator returns a list of tensors, and how many there are is not known before the graph runs");
  dispatch_hooks().specialize(count);
  return *count.symint()->hint();
}

Size broadcast_size(const Size& a, const Size& b) {
  auto in_example = [](const Size& s) { return s.known() ? s.symint()->hint() : std::nullopt; };
  const std::optional<int64_t> left = in_example(a), right = in_example(b);
  // Guards are read only for the case that the example takes; without example values each case is tried.
  const bool has_example = left && right, equal = has_example && *left == *right;
  if ((!has_example || equal) && guarded(a - b) == 0) return a;
  if ((!has_example || (!equal && *right == 1)) && guarded(b) == 1) return a;
  if ((!has_example || (!equal && *left == 1)) && guarded(a) == 1) return b;
  MONOGRAPH_CHECK(dispatch_hooks().broadcast, NotImplemented, "the sizes ", to_string(a), " and ", to_string(b),
                  " broadcast, but which of them is 1 is not known before the graph runs");
  return dispatch_hooks().broadcast(a, b);
}

Size as_size(const IValue& v) {
  if (auto size = symbolic_size(v)) return *size;
  if (const SymbolicValue* number = symbolic_value(v); number && number->node)
    if (const Size size = size_value(ir::Args(number->node)[0]).integer; size.known()) return size;
  MONOGRAPH_CHECK(
      !v.is_object(), NotImplemented,
      "this argument must be a size that follows from the sizes of the graph's inputs, but the graph computes it in another way");
  return v.to_int();
}

DispatchModeScope::DispatchModeScope(DispatchMode& mode) : saved_(dispatch_state().top) {
  mode.outer_ = saved_;
  dispatch_state().top = &mode;
}

DispatchModeScope::~DispatchModeScope() { dispatch_state().top = saved_; }

namespace {

// What the arguments of a call hold: a tensor that requires grad, a symbolic one, one of the meta device, one with elements (`data`; a tensor of no dims
// may stand beside meta tensors), a dtype for storage only.
struct ArgumentKinds {
  bool grad = false, symbolic = false, meta = false, data = false;
  DType storage_only = DType::f32;  // one of that kind, where an argument is or has one
  void add(const Tensor& t) {
    if (is_storage_only(t.dtype())) [[unlikely]]
      storage_only = t.dtype();
    if (t.is_meta()) [[unlikely]]
      meta = true;
    else data |= t.dim() != 0;
    grad |= t.requires_grad();
    symbolic |= t->kind == TensorImpl::Kind::Symbolic;
  }
  void add(const IValue& v) {
    if (v.is_tensor()) add(v.as_tensor());
    else if (v.is_list())
      for (const IValue& item : v.items()) add(item);
    else if (v.is_object()) symbolic |= symbolic_value(v) != nullptr;
    else if (v.tag() == IValue::Tag::Dtype && is_storage_only(v.to_dtype())) [[unlikely]] storage_only = v.to_dtype();
  }
};

// The type of a list that an operator indexes or appends to. It may be long, and its items do not decide how the call runs.
bool is_list_of_any(const ir::Type& type) { return type.is(ir::TypeKind::List) && type.element().is(ir::TypeKind::Variable); }

bool is_symbol(const IValue& v) {
  if (v.is_list() || v.is_tuple()) return std::ranges::any_of(v.items(), is_symbol);
  return symbolic_value(v) || symbolic_size(v);
}
bool holds_symbol(const Operator& op, const IValue* args) { return std::any_of(args, args + op.schema().arguments().size(), is_symbol); }

// Every error of an operator names the operator that was called; notes name those that it is decomposed into, the innermost first. `always` adds such a
// note even where the text names another operator.
void name_operator(Error& error, const Operator& op, bool always) {
  const std::string_view text = error.what();
  if (error.name_caller(op.name())) return;
  const bool named =
      text.find(concat("[", op.name(), "]")) != std::string_view::npos || (!always && text.find("::") != std::string_view::npos);
  if (!named) error.note(concat("in ", op.name()));
}

// Whether the operator computes with tensors. One that compares dtypes does not.
bool has_tensors(const Operator& op) {
  const auto has = [](const ir::Argument& a) {
    ir::Type type = a.type;
    while (type.is(ir::TypeKind::Optional) || type.is(ir::TypeKind::List)) type = type.element();
    return type.is(ir::TypeKind::Tensor);
  };
  return std::ranges::any_of(op.schema().arguments(), has) || std::ranges::any_of(op.schema().returns(), has);
}

// After a program made a storage smaller: error where the elements of an argument are not there. Views of it are made, and its sizes may be read.
void check_memory(const IValue& v, const ir::Argument& formal) {
  if (v.is_list())
    for (const IValue& item : v.items()) check_memory(item, formal);
  if (!v.is_tensor() || holds_elements(v.as_tensor())) return;
  const Tensor& t = v.as_tensor();
  fail(ErrorKind::Runtime, "argument '", formal.name, "' has sizes ", to_string(t.sizes()), ", but its storage was resized to ",
       t->storage->bytes(), " bytes; give it its size again before the tensor is used: x.untyped_storage().resize_(bytes)");
}
void check_memory(const Operator& op, const IValue* args) {
  if (op.is_view || op.changes_geometry) return;
  const auto& formals = op.schema().arguments();
  for (size_t i = op.reads_sizes_alone ? 1 : 0; i < formals.size(); ++i) check_memory(args[i], formals[i]);
}

[[noreturn]] void refuse_storage_only(const Operator& op, DType t) {
  const std::string_view computes = is_complex(t) ? "complex64" : is_floating(t) ? "float32" : t == DType::u16 ? "int32" : "int64";
  if (is_quantized(t))
    fail(ErrorKind::NotImplemented, "[", op.name(), "] not implemented for '", info(t).scalar_type,
         "': this operator takes no quantized tensors, and makes none; x.dequantize() is a tensor of torch.float32, and "
         "torch.quantize_per_tensor(x, scale, zero_point, torch.",
         name(t), ") makes a quantized one");
  fail(ErrorKind::NotImplemented, "[", op.name(), "] not implemented for '", info(t).scalar_type, "': tensors of dtype ", name(t),
       " can be stored, moved and converted, but this operator does not compute in it; convert first: x.to(torch.", computes, ")");
}

}  // namespace

// A call by another name of a record. The name may lack the record's last arguments.
static void call_other_name(const Operator& op, const IValue* args, IValue* results) {
  const size_t given = op.schema().arguments().size();
  const auto& wanted = op.alias_of->schema().arguments();
  if (given == wanted.size()) return call(*op.alias_of, args, results);
  std::vector<IValue> all(args, args + given);
  for (size_t i = given; i < wanted.size(); ++i) all.push_back(default_of(wanted[i]));
  call(*op.alias_of, all.data(), results);
}

void call(const Operator& op, const IValue* args, IValue* results) try {
  if (op.alias_of) [[unlikely]]
    return call_other_name(op, args, results);
  CallObserver* observer = CallObserver::current();
  if (observer) [[unlikely]]
    observer->begin(op, args);
  const ObservedScope scope(observer);
  DispatchState& state = dispatch_state();
  if (state.autocast) [[unlikely]] {
    if (op.autocast != Autocast::None && dispatch_hooks().autocast) return dispatch_hooks().autocast(op, args, results);
    // A capture would record this call as one node, and its parts would be cast here but not when the graph runs. So its decomposition is recorded. A call
    // with a symbolic number only moves elements; it stays one node.
    if (state.top && op.decompose && !op.evaluates() && !holds_symbol(op, args)) return run_decomposition(op, args, results);
  }
  if (DispatchMode* top = state.top) [[unlikely]] {
    struct Restore {
      DispatchState& state;
      DispatchMode* top;
      ~Restore() { state.top = top; }
    } restore{state, top};
    state.top = top->outer_;
    return top->call(op, args, results);
  }
  ArgumentKinds kinds;
  const std::vector<ir::Argument>& formals = op.schema().arguments();
  for (size_t i = 0; i < formals.size(); ++i)
    if (!args[i].is_list() || !is_list_of_any(formals[i].type)) kinds.add(args[i]);
  if (is_storage_only(kinds.storage_only) && !(is_quantized(kinds.storage_only) ? op.takes_quantized() : op.takes_storage_only()) &&
      has_tensors(op)) [[unlikely]]
    refuse_storage_only(op, kinds.storage_only);
  if (kinds.symbolic) [[unlikely]]
    return dispatch_hooks().symbolic(op, args, results);
  if (any_shrunk.load(std::memory_order_relaxed)) [[unlikely]]
    check_memory(op, args);
  MONOGRAPH_CHECK(!(kinds.meta && kinds.data) || op.crosses_devices, Runtime, "[", op.name(),
                  "] Expected all tensors to be on the same device, but found at least two devices, meta and cpu; a meta tensor has sizes, "
                  "but no elements; torch.empty_like(t, device=\"cpu\") makes a tensor of these sizes on the CPU");
  if (kinds.grad && state.grad_enabled && dispatch_hooks().autograd) return dispatch_hooks().autograd(op, args, results);
  run(op, args, results);
  if (op.is_view && (state.grad_enabled || !state.grad_mode_set_by_library)) track_view(args[0], results[0]);
} catch (Error& error) {
  name_operator(error, op, false);
  throw;
}

void track_view(const IValue& source, const IValue& result) {
  if (!source.is_tensor() || !result.is_tensor()) return;
  const Tensor &viewed = source.as_tensor(), &view = result.as_tensor();
  if (view.is_same(viewed) || view->storage != viewed->storage) return;
  view->base = viewed->base ? viewed->base : viewed.ref();
  view->viewed_without_grad = viewed->viewed_without_grad || !dispatch_state().grad_enabled;
  if (view->viewed_without_grad && view->base->requires_grad && dispatch_hooks().viewed) dispatch_hooks().viewed(view);
}

namespace {

// Gives the tensor that an operator made of a quantized one its quantizer.
void keep_quantizer(const Operator& op, const IValue& from, const IValue& result) {
  if (!from.is_tensor() || !is_quantized(from.as_tensor().dtype()) || !result.is_tensor()) return;
  const Quantizer& quantizer = quantizer_of(from.as_tensor());
  MONOGRAPH_CHECK(op.quantized == Quantized::Copied || quantizer.per_tensor(), NotImplemented, "[", op.name(),
                  "] this operator moves elements, and each index along dim ", quantizer.axis,
                  " of this quantized tensor has a scale of its own; take that of x.dequantize()");
  result.as_tensor()->quantizer = from.as_tensor()->quantizer;
}

void evaluate(const Operator& op, const IValue* args, IValue* results) {
  EvaluationMode* mode = EvaluationMode::current();
  if (mode && (op.evaluates() || op.is_view) && !op.name().starts_with("prim::")) [[unlikely]]
    return mode->run(op, args, results);
  if (op.rule) return run_structured(op, args, results);
  if (op.eval) return op.eval(op, args, results);
  MONOGRAPH_CHECK(op.decompose, NotImplemented, "[", op.name(),
                  "] this operator has no implementation: its record states no kernel, evaluation or decomposition; register one of them");
  run_decomposition(op, args, results);
}

}  // namespace

void run(const Operator& op, const IValue* args, IValue* results) {
  evaluate(op, args, results);
  if (op.quantized == Quantized::Kept || op.quantized == Quantized::Copied) keep_quantizer(op, args[0], results[0]);
}

void run_decomposition(const Operator& op, const IValue* args, IValue* results) {
  if (op.rule) check_call(op, args);
  expand(op, args, results);
}

void expand(const Operator& op, const IValue* args, IValue* results) {
  expand_by(op, op.decompose, args, results);
  keep_layouts(op, args, results);
}

bool expand_by(const Operator& op, DecomposeFn rule, const IValue* args, IValue* results) {
  IValue result;
  try {
    const DataErrorScope messages(op);
    result = rule(args);
  } catch (Error& error) {
    name_operator(error, op, true);
    throw;
  }
  const size_t count = op.schema().returns().size();
  const bool made = !result.is_none();
  if (count <= 1) results[0] = std::move(result);
  else
    for (size_t k = 0; made && k < count; ++k) results[k] = result.items()[k];
  return made;
}

namespace detail {

IValue invoke(const OverloadSet& overloads, std::initializer_list<IValue> args) {
  Bound bound;
  const Operator& op = bind(overloads, std::span(args.begin(), args.size()), {}, bound, {.in_order = true});
  IValue results[8];
  call(op, bound.data(), results);
  if (op.schema().returns().size() <= 1) return std::move(results[0]);
  std::vector<IValue> items;
  items.reserve(op.schema().returns().size());
  for (size_t i = 0; i < op.schema().returns().size(); ++i) items.push_back(std::move(results[i]));
  return IValue::tuple(std::move(items));
}

}  // namespace detail
}  // namespace monograph
