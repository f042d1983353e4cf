// The dispatch mode of a trace. Each operator call runs on the example's values; then the writer appends a node for it, and its results are bound to that node.
#include "capture/tracer.h"

#include <algorithm>
#include <span>

#include "capture/lists.h"
#include "capture/regions.h"
#include "capture/types_only.h"
#include "ops/infer.h"

namespace monograph::capture {
namespace {

bool holds_symbolic(const IValue& v) {
  if (symbolic_value(v) || symbolic_size(v)) return true;
  if (v.is_list() || v.is_tuple())
    for (const IValue& item : v.items())
      if (holds_symbolic(item)) return true;
  return false;
}

}  // namespace

IValue example(const Operator& op, const IValue& v) {
  if (auto size = symbolic_size(v)) return size->symint()->hint().value();
  if (auto* s = symbolic_value(v)) {
    MONOGRAPH_CHECK(!s->hint.is_none(), Runtime, "[", op.name(), "] %", s->node->name(),
                    " was made inside an arm of cond or the body of while_loop, but it is used outside; return it from there");
    return s->hint;
  }
  if (!v.is_list() && !v.is_tuple()) return v;
  std::vector<IValue> items;
  bool ints = v.is_list() && !v.items().empty();
  for (const IValue& item : v.items()) items.push_back(example(op, item)), ints &= items.back().is_int();
  if (!ints) return v.is_list() ? IValue::list(std::move(items)) : IValue::tuple(std::move(items));
  Dims dims;
  for (const IValue& item : items) dims.push_back(item.to_int());
  return dims;
}

// Error where the in-place form of a view (t_, squeeze_) cannot be recorded as that view.
void check_reshaped(const Operator& op, const Writer& writer, const ir::Node* self) {
  MONOGRAPH_CHECK(
      op.reshapes && self && self->op() == ir::Op::CallFunction && !writer.region_uses, NotImplemented, "[", op.name(),
      "] changes the sizes of a tensor in place. A graph can record this only for a tensor that the captured function made, and outside of "
      "cond and while_loop; use the form that returns a new tensor");
}

void check_writes(const Writer& writer, const Operator& op, const IValue* args) {
  for (size_t i = 0; i < op.schema().arguments().size(); ++i)
    MONOGRAPH_CHECK(!op.schema().arguments()[i].writes() || !args[i].is_tensor() || writer.find(args[i].as_tensor()) ||
                        writer.is_attribute(args[i].as_tensor()),
                    Runtime, "[", op.name(),
                    "] writes to a tensor from outside of the captured function; pass it as an input, or make it a buffer of a module");
}

// Reports the tensors that the call may write, as its schema or its effects say.
static void report_writes(const Writer& writer, const Operator& op, const IValue* args) {
  if (!writer.before_write || !(op.effects().writes & ir::Effects::Memory)) return;
  const auto& arguments = op.schema().arguments();
  const bool marked = std::ranges::any_of(arguments, [](const ir::Argument& a) { return a.writes(); });
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (marked && !arguments[i].writes()) continue;
    if (args[i].is_tensor() && args[i].as_tensor().defined()) writer.before_write(args[i].as_tensor(), marked);
    else if (args[i].is_list())
      for (const IValue& item : args[i].items())
        if (item.is_tensor() && item.as_tensor().defined()) writer.before_write(item.as_tensor(), marked);
  }
}

void Tracer::reshape(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& self = args[0].as_tensor();
  check_reshaped(op, writer_, writer_.find(self));
  std::vector<IValue> values(args, args + op.schema().arguments().size());
  IValue view;
  record(*op.reshapes, values.data(), &view);
  MONOGRAPH_CHECK(!writer_.types_only, NotImplemented, "[", op.name(),
                  "] changes the sizes of a tensor in place inside of a branch or loop; use the form that returns a new tensor");
  for (IValue& v : values) v = example(op, v);
  monograph::call(op, values.data(), results);
  writer_.keep_copies(self);
  writer_.name(self, writer_.find(view.as_tensor()));
}

// Whether the call only reads dtypes (promote_types, can_cast) or returns one (result_type). Its result is a constant of the capture, since a capture holds for
// one set of dtypes.
static bool concerns_dtypes(const Operator& op, const IValue* args, const IValue* results) {
  auto is_kind = [](const IValue& v) {
    return v.tag() == IValue::Tag::Dtype || v.tag() == IValue::Tag::Device || v.tag() == IValue::Tag::Layout ||
           v.tag() == IValue::Tag::MemoryFormat;
  };
  const std::span inputs(args, op.schema().arguments().size()), outputs(results, op.schema().returns().size());
  if (outputs.empty() || std::ranges::any_of(outputs, [](const IValue& v) { return v.is_tensor() || v.is_list(); })) return false;
  return std::ranges::all_of(outputs, is_kind) || (!inputs.empty() && std::ranges::all_of(inputs, is_kind));
}

void Tracer::call(const Operator& op, const IValue* args, IValue* results) {
  if (op.changes_geometry) return reshape(op, args, results);
  const std::span inputs(args, op.schema().arguments().size());
  const bool enabled = dispatch_state().grad_enabled;
  if (!writer_.grad_enabled && enabled && !op.constant && std::ranges::any_of(inputs, needs_gradient)) {
    const IValue before = writer_.switch_gradients(true);
    record(op, args, results);
    return void(writer_.switch_gradients(before));
  }
  if (enabled || op.constant || !writer_.detaches()) return record(op, args, results);
  const bool writes = std::ranges::any_of(op.schema().arguments(), [](const ir::Argument& a) { return a.writes(); });
  if (writes) return record_write(op, args, results);
  record(op, args, results);
  detach(op, args, results);
}

// A write while the program has switched gradients off. In the graph they may be on: then what is written must get no gradient of what it is made from, and what has
// a gradient already must keep that.
void Tracer::record_write(const Operator& op, const IValue* args, IValue* results) {
  static const Operator& detach = find_operator("aten::detach");
  const auto& arguments = op.schema().arguments();
  std::vector<IValue> values(args, args + arguments.size());
  const auto detached = [&](const IValue& v) -> IValue {
    if (!v.is_tensor() || !v.as_tensor().defined() || !is_floating(v.as_tensor().dtype()) || !writer_.may_change(v.as_tensor())) return v;
    const ir::Node* node = writer_.find(v.as_tensor());
    if (node && node->info() == &detach) return v;
    return renamed(detach, v.as_tensor(), writer_.append(detach, &v));
  };
  bool keeps = false;
  for (size_t i = 0; i < values.size(); ++i) {
    if (arguments[i].writes()) {
      keeps |= needs_gradient(values[i]);
    } else if (values[i].is_list()) {
      std::vector<IValue> items(values[i].items().begin(), values[i].items().end());
      for (IValue& item : items) item = detached(item);
      if (!items.empty() && items[0].is_tensor()) values[i] = IValue::list(std::move(items));
    } else {
      values[i] = detached(values[i]);
    }
  }
  if (!keeps) return record(op, values.data(), results);
  const IValue before = writer_.switch_gradients(false);
  record(op, args, results);
  writer_.switch_gradients(before);
}

void Tracer::record(const Operator& op, const IValue* args, IValue* results) {
  if (writer_.types_only) return record_types(writer_, op, args, results);
  size_t n = op.schema().arguments().size();
  std::vector<IValue> plain;
  for (size_t i = 0; i < n && plain.empty(); ++i)
    if (holds_symbolic(args[i])) plain.assign(args, args + n);
  for (size_t i = 0; i < plain.size(); ++i) {
    plain[i] = example(op, plain[i]);
    const ir::Type type = op.schema().arguments()[i].type;
    if (type.is(ir::TypeKind::Tensor) && plain[i].is_number()) plain[i] = wrapped_number(plain[i]);
  }
  check_writes(writer_, op, args);
  report_writes(writer_, op, args);
  InnerCall* inner = nullptr;
  try {
    const IValue* example_args = plain.empty() ? args : plain.data();
    if (written_by_copy(op, example_args)) {
      inner = &run_noting_write(writer_, op, args, example_args, results);
    } else if (autograd_decomposes(op, example_args)) {
      inner = &run_noting(writer_, op, args, results);
    } else {
      Writer::CallScope call(writer_, {plain.empty() ? nullptr : args, n});
      monograph::call(op, example_args, results);
    }
  } catch (Error& e) {
    if (writer_.location) e.locate(writer_.location());
    if (writer_.raised.empty()) writer_.raised = concat(op.name(), ": ", e.what());
    throw;
  }
  if (concerns_dtypes(op, args, results)) return;
  ir::Node* node = writer_.append(op, args);
  if (inner) inner->node = node;
  bind(op, args, node, results);
}

// Appends a detach for what the function computes under no_grad, so that it carries no gradient in the graph either.
void Tracer::detach(const Operator& op, const IValue* args, IValue* results) {
  const ir::FunctionSchema& schema = op.schema();
  const std::span inputs(args, schema.arguments().size());
  static const Operator& detach = find_operator("aten::detach");
  if (&op == &detach || std::ranges::none_of(inputs, [](const IValue& v) { return v.is_tensor() || v.is_list(); })) return;
  for (size_t k = 0; k < schema.returns().size(); ++k) {
    const bool written = std::ranges::any_of(inputs, [&](const IValue& v) { return v.is_tensor() && results[k].is(v); });
    if (written || !results[k].is_tensor() || !is_floating(results[k].as_tensor().dtype())) continue;
    results[k] = renamed(detach, results[k].as_tensor(), writer_.append(detach, &results[k]));
  }
}

Tensor Tracer::alias(const Tensor& t, ir::Node* node) { return renamed(find_operator("aten::alias"), t, node); }

Tensor Tracer::renamed(const Operator& view, const Tensor& t, ir::Node* node) {
  IValue arg = t, out;
  DispatchMode* top = std::exchange(dispatch_state().top, nullptr);
  try {
    monograph::call(view, &arg, &out);
  } catch (...) {
    dispatch_state().top = top;
    throw;
  }
  dispatch_state().top = top;
  writer_.name(out.as_tensor(), node);
  return out.to_tensor();
}

// Guards the length of a list of tensors: the function has seen it, and may do something else for another length.
void Tracer::guard_length(ir::Node* list, int64_t n) {
  if (current_session()->control_flow == ControlFlow::Freeze) return;
  auto* op = static_cast<const Operator*>(list->info());
  Dim known = op ? infer_length(*op, *list) : Dim();
  if (known && known->is_int()) return;
  static const Operator& length = find_operator("aten::len.t");
  IValue arg = Ref<ObjectBox>(new SymbolicValue(list, {}));
  writer_.guard(writer_.append(length, &arg), n, concat("len(", list->target().name(), "(...))"));
}

IValue Tracer::value_of(const IValue& result, ir::Node* node) {
  if (result.is_none()) return result;
  if (result.is_tensor()) {
    if (writer_.find(result.as_tensor())) {
      Tensor same = alias(result.as_tensor(), node);
      writer_.note_given_by_example(same, result.as_tensor());
      return same;
    }
    writer_.name(result.as_tensor(), node);
    return result;
  }
  if (!result.is_list() && !result.is_tuple()) return writer_.number(node, result);
  if (result.is_list()) guard_length(node, static_cast<int64_t>(result.items().size()));
  // A list of tensors: each is an element of the node.
  static const Operator& getitem = find_operator("aten::__getitem__.t");
  std::vector<IValue> items;
  for (size_t k = 0; k < result.items().size(); ++k) {
    IValue args[] = {Ref<ObjectBox>(new SymbolicValue(node, {})), static_cast<int64_t>(k)};
    ir::Node* element = writer_.append(getitem, args);
    const bool known = element->type().is(ir::TypeKind::Tensor) && element->type().tensor().sizes;
    if (!known && node->type().is(ir::TypeKind::List)) writer_.graph.set_type(element, node->type().element());
    items.push_back(value_of(result.items()[k], element));
  }
  return result.is_list() ? IValue::list(std::move(items)) : IValue::tuple(std::move(items));
}

void Tracer::bind(const Operator& op, const IValue* args, ir::Node* node, IValue* results) {
  const ir::FunctionSchema& schema = op.schema();
  for (size_t k = 0; k < schema.returns().size(); ++k) {
    bool is_argument = false;
    for (size_t i = 0; i < schema.arguments().size() && !is_argument; ++i)
      is_argument = schema.returns_argument(k, i) && results[k].is(args[i]);
    if (is_argument) continue;
    ir::Node* value = node->multi() ? writer_.graph.project(node, k) : node;
    if (!takes_list_value(op, args)) results[k] = value_of(results[k], value);
    else if (results[k].is_list() || results[k].is_ints()) results[k] = writer_.number(value, results[k]);
    else if (results[k].is_tensor() && schema.returns()[k].type.is(ir::TypeKind::Variable)) {
      const Tensor item =
          alias(results[k].as_tensor(), value);  // each read of an item is a node of its own, so it gets a handle of its own
      writer_.note_given_by_example(item, results[k].as_tensor());
      results[k] = item;
    } else results[k] = value_of(results[k], value);
  }
}

}  // namespace monograph::capture
