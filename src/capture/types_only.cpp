// A stand-in for a value is a tensor of zeros, so that kernels can run on it where inference does not know a shape. Such runs do not write to the program's
// tensors, and do not advance its random generator.
#include "capture/types_only.h"

#include <algorithm>

#include "capture/lists.h"
#include "capture/tracer.h"
#include "core/generator.h"
#include "ops/size_values.h"

namespace monograph::capture {
namespace {

using ir::Node;

bool holds_tensor(const IValue& v) {
  return v.is_tensor() || ((v.is_list() || v.is_tuple()) && std::ranges::any_of(v.items(), holds_tensor));
}

bool has_hint(const IValue& v) {
  const SymbolicValue* s = symbolic_value(v);
  return !s || !s->hint.is_none();
}

// Numbers that follow from sizes and from other known numbers have their value; all others have none.
IValue number_hint(const Operator& op, const Node* node, const IValue* args) {
  const ir::Type type = node->type();
  if (const Dim known = size_value(ir::Args(const_cast<Node*>(node))[0]).integer)
    if (const auto value = known->hint()) return type.is(ir::TypeKind::Bool) ? IValue(*value != 0) : IValue(*value);
  const std::span given(args, op.schema().arguments().size());
  if (!std::ranges::all_of(given, has_hint) || std::ranges::any_of(given, holds_tensor)) return {};
  std::vector<IValue> plain;
  for (const IValue& v : given) plain.push_back(example(op, v));
  IValue out;
  try {
    monograph::call(op, plain.data(), &out);
  } catch (const Error&) {  // the call will raise when the graph runs
    return {};
  }
  return out;
}

// A number of the same kind for one that has no value. The kind of item()'s result is that of the tensor's dtype.
IValue any_number(const SymbolicValue& number) {
  ir::Type type = number.node->type();
  std::optional<DType> dtype;
  if (number.node->input_count() > 0 && number.node->input(0)->type().is(ir::TypeKind::Tensor))
    dtype = number.node->input(0)->type().tensor().dtype;
  if (type.is(ir::TypeKind::Bool) || dtype == DType::b1) return true;
  if (type.is(ir::TypeKind::Int) || type.is(ir::TypeKind::SymInt)) return 1;
  if (type.is(ir::TypeKind::Float) || (dtype && is_floating(*dtype))) return 1.0;
  MONOGRAPH_CHECK(dtype && !is_complex(*dtype), NotImplemented, "%", number.node->name(), " has no value here, and its kind is not known");
  return 1;
}

// The type with 1 in place of unknown sizes.
ir::Type with_sizes(ir::Type type) {
  if (!type.is(ir::TypeKind::Tensor) || !type.tensor().sizes) return type;
  ir::TensorType known = type.tensor();
  for (auto& size : *known.sizes)
    if (!size || size->hint().value_or(-1) < 0) size = SymInt(1);
  return known;
}

// A list of one element for a list that has no value.
IValue any_list(const SymbolicValue& list) {
  const std::optional<Tensor> item = stand_in(with_sizes(list.node->type().element()));
  MONOGRAPH_CHECK(item, NotImplemented, "%", list.node->name(), " is a list that has no value here");
  return IValue::list({*item});
}

IValue on_zeros(const Operator& op, const IValue& v) {
  const SymbolicValue* number = symbolic_value(v);
  const bool empty = number && number->hint.is_list() && number->hint.items().empty();
  if (number && (number->hint.is_none() || empty) && number->node->type().is(ir::TypeKind::List)) return any_list(*number);
  if (number && number->hint.is_none() && !number->node->type().is(ir::TypeKind::List)) return any_number(*number);
  if (!v.is_list() && !v.is_tuple()) return example(op, v);
  std::vector<IValue> items;
  for (const IValue& item : v.items()) items.push_back(has_hint(item) ? item : on_zeros(op, item));
  return example(op, v.is_list() ? IValue::list(std::move(items)) : IValue::tuple(std::move(items)));
}

// Runs the operator on stand-ins.
std::vector<IValue> run_on_zeros(const Operator& op, const IValue* args) {
  const auto& arguments = op.schema().arguments();
  const bool unmarked = (op.effects().writes & ir::Effects::Memory) != 0;
  std::vector<IValue> plain;
  for (size_t i = 0; i < arguments.size(); ++i) {
    MONOGRAPH_CHECK(!arguments[i].writes(), NotImplemented, "[", op.name(), "] the sizes of its results are not known from types alone");
    plain.push_back(on_zeros(op, args[i]));
    // An operator such as batch_norm writes to its running statistics, which its schema does not mark. They belong to the program, so they get stand-ins.
    if (unmarked && plain[i].is_tensor() && plain[i].as_tensor().defined()) plain[i] = stand_in(plain[i].as_tensor());
    if (arguments[i].type.is(ir::TypeKind::Tensor) && plain[i].is_number()) plain[i] = wrapped_number(plain[i]);
  }
  const Generator random = default_generator();
  std::vector<IValue> out(op.schema().returns().size());
  monograph::call(op, plain.data(), out.data());
  default_generator() = random;
  return out;
}

}  // namespace

std::optional<Tensor> stand_in(ir::Type type) {
  if (!type.is(ir::TypeKind::Tensor) || !type.tensor().dtype || !type.tensor().sizes) return {};
  Dims sizes;
  for (const auto& size : *type.tensor().sizes) {
    const auto hint = size ? size->hint() : std::nullopt;
    if (!hint || *hint < 0) return {};
    sizes.push_back(*hint);
  }
  Tensor out = empty(sizes, *type.tensor().dtype);
  std::fill_n(out->storage->data(), out->storage->bytes(), 0);
  return out;
}

Tensor stand_in(const Tensor& like) {
  Tensor out = empty(like.sizes(), like.dtype());
  std::fill_n(out->storage->data(), out->storage->bytes(), 0);
  out->requires_grad = like.requires_grad();
  return out;
}

void record_types(Writer& writer, const Operator& op, const IValue* args, IValue* results) {
  check_writes(writer, op, args);
  Node* node = nullptr;
  try {
    node = writer.append(op, args);
  } catch (Error& e) {
    if (writer.location) e.locate(writer.location());
    throw;
  }
  const ir::FunctionSchema& schema = op.schema();
  const bool trained =
      dispatch_state().grad_enabled && !op.constant && std::ranges::any_of(std::span(args, schema.arguments().size()), needs_gradient);
  std::vector<IValue> ran;
  Tracer tracer(writer);
  for (size_t k = 0; k < schema.returns().size(); ++k) {
    size_t argument = 0;
    while (argument < schema.arguments().size() && !schema.returns_argument(k, argument)) ++argument;
    if (argument < schema.arguments().size()) {
      results[k] = args[argument];
      continue;
    }
    Node* value = node->multi() ? writer.graph.project(node, k) : node;
    ir::Type type = schema.returns()[k].type;
    if (type.is(ir::TypeKind::Variable)) type = value->type();
    if (type.is(ir::TypeKind::Tensor)) {
      std::optional<Tensor> made = stand_in(value->type());
      if (!made && schema.returns()[k].type.is(ir::TypeKind::Variable) && takes_list_value(op, args))
        made = stand_in(with_sizes(value->type()));  // an element of a list without a value: a run would not know its sizes either
      if (made) {
        (*made)->requires_grad = trained && is_floating(made->dtype());
        writer.name(*made, value);
        results[k] = *made;
        continue;
      }
    } else if (!type.is(ir::TypeKind::List) && !type.is(ir::TypeKind::Tuple) && !type.is(ir::TypeKind::Optional)) {
      results[k] = writer.number(value, number_hint(op, value, args));
      continue;
    }
    if (type.is(ir::TypeKind::List) && takes_list_value(op, args)) {
      results[k] = writer.number(value, {});
      continue;
    }
    if (ran.empty()) ran = run_on_zeros(op, args);
    results[k] = tracer.value_of(ran[k], value);
  }
}

}  // namespace monograph::capture
