// The types of results on a graph. An AbstractValue is made of each argument; then the record's shape rule, its pointwise or row rule, its decomposition
// or its schema states the types.
#include "ops/infer.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/graph.h"
#include "ops/composite_types.h"
#include "ops/dispatch.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "ops/rows.h"
#include "ops/rule.h"
#include "ops/size_values.h"

namespace monograph {

Dim as_dim(int64_t value) try { return SymInt(value); } catch (const Error&) {
  return {};
}

using ir::TensorType;
using ir::Type;
using ir::TypeKind;

namespace {

// --- What is known of a node or value.

void set_type(AbstractValue& value, Type t) {
  value.type = t;
  if (t.is(TypeKind::Tensor)) value.tensor = t.tensor();
  value.is_none = t.is(TypeKind::None);
}

// The arguments of a node in the order of the schema. Absent if they do not fit the schema; verify() then reports why.
std::optional<std::vector<AbstractValue>> known_arguments(const Operator& op, const ir::Node& node) {
  std::vector<AbstractValue> known;
  known.reserve(op.schema().arguments().size());
  // Python's 2 * x is mul(x, 2): bound_args exchanges them.
  const bool in_order =
      node.arg_count() != 2 || ir::type_of(node.arg(0)).is(TypeKind::Tensor) || !ir::type_of(node.arg(1)).is(TypeKind::Tensor);
  if (in_order && node.skeleton().names == 0 && node.arg_count() == op.schema().arguments().size()) {
    for (auto it = node.args_begin(); it != node.args_end(); ++it) known.push_back(AbstractValue::of(*it));
  } else {
    auto args = bound_args(op, node);
    if (!args) return {};
    for (size_t i = 0; i < args->size(); ++i) known.push_back(AbstractValue::of((*args)[i]));
  }
  return known;
}

// What is known of the elements of the list that this call returns, for an operator that has only a decomposition.
std::optional<std::vector<AbstractValue>> items_of_call(const ir::Node& node) {
  const auto* op = node.op() == ir::Op::CallFunction ? dynamic_cast<const Operator*>(node.info()) : nullptr;
  auto known = op && lists_by_decomposition(*op) ? known_arguments(*op, node) : std::nullopt;
  return known ? composite_items(*op, *known) : std::nullopt;
}

}  // namespace

AbstractValue AbstractValue::of(ir::ArgRef arg) {
  AbstractValue known;
  set_type(known, type_of(arg));
  SizeValue size = size_value(arg);
  known.integer = size.integer;
  switch (arg.kind()) {
    case ir::ArgKind::None: known.is_none = true; break;
    case ir::ArgKind::Int: known.number = static_cast<double>(arg.as_int()); break;
    case ir::ArgKind::Float: known.number = arg.as_float(); break;
    case ir::ArgKind::DType: known.dtype = arg.as_dtype(); break;
    case ir::ArgKind::Device: known.device = arg.as_device(); break;
    case ir::ArgKind::Str: known.text = arg.as_str(); break;
    case ir::ArgKind::List:
    case ir::ArgKind::Tuple:
      known.items.emplace();
      for (ir::ArgRef part : arg) known.items->push_back(of(part));
      break;
    case ir::ArgKind::Node:
      known.items = std::move(size.items);
      if (!known.items && known.type.is(TypeKind::List)) known.items = items_of_call(*arg.as_node());
      break;
    default: break;
  }
  return known;
}

AbstractValue AbstractValue::of(const IValue& v) {
  AbstractValue known;
  using Tag = IValue::Tag;
  switch (v.tag()) {
    case Tag::None: set_type(known, TypeKind::None); break;
    case Tag::Bool: known.type = TypeKind::Bool, known.integer = SymInt(v.to_bool()), known.number = v.to_bool(); break;
    case Tag::Int: known.type = TypeKind::Int, known.integer = as_dim(v.to_int()), known.number = static_cast<double>(v.to_int()); break;
    case Tag::Float: known.type = TypeKind::Float, known.number = v.to_double(); break;
    case Tag::Complex: known.type = TypeKind::Complex; break;
    case Tag::Dtype: known.type = TypeKind::DType, known.dtype = v.to_dtype(); break;
    case Tag::Device: known.type = TypeKind::Device, known.device = v.to_device(); break;
    case Tag::Str: known.type = TypeKind::Str, known.text = v.to_string(); break;
    case Tag::Layout: known.type = TypeKind::Layout; break;
    case Tag::MemoryFormat: known.type = TypeKind::MemoryFormat; break;
    case Tag::Tensor: {
      const Tensor& t = v.as_tensor();
      TensorType type;
      type.dtype = t.dtype(), type.device = t.device();
      type.sizes.emplace(t.sizes().begin(), t.sizes().end());
      known.wrapped = t->wrapped_number;
      set_type(known, type);
      break;
    }
    case Tag::Ints:
      known.type = Type::list(TypeKind::Int), known.items.emplace();
      for (int64_t i : v.to_ints()) known.items->push_back(of(IValue(i)));
      break;
    case Tag::List:
    case Tag::Tuple:
      known.items.emplace();
      for (const IValue& item : v.items()) known.items->push_back(of(item));
      break;
    default: break;
  }
  return known;
}

std::vector<int64_t> slice_places(int64_t n, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
  // As in Python: a bound outside of the list is clamped. A negative step counts down to -1, which is before the first element.
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
  auto bound = [&](std::optional<int64_t> i, int64_t otherwise) {
    return i ? std::clamp(*i < 0 ? std::max(*i, -n - 1) + n : *i, low, high) : otherwise;
  };
  std::vector<int64_t> indices;
  int64_t first = bound(start, step > 0 ? low : high), last = bound(end, step > 0 ? high : low);
  // A step longer than the list leaves it at once; clamped, it cannot overflow.
  step = std::clamp(step, -n - 1, n + 1);
  for (int64_t k = first; step > 0 ? k < last : k > last; k += step) indices.push_back(k);
  return indices;
}

std::optional<DType> dtype_of_number(const AbstractValue& number) {
  if (number.type.is(TypeKind::Bool)) return DType::b1;
  if (number.type.is(TypeKind::Int) || number.type.is(TypeKind::SymInt)) return DType::i64;
  if (number.type.is(TypeKind::Float)) return default_dtype();
  if (number.type.is(TypeKind::Complex)) return default_complex_dtype();
  return {};
}

Dim product(std::span<const Dim> sizes) {
  SymInt n = 1;
  for (const Dim& d : sizes) {
    if (d && d->is_int() && d->as_int() == 0) return SymInt(0);
    if (!d) return {};
  }
  for (const Dim& d : sizes) n = n * *d;
  return n;
}

// --- The types of a call's results.

// The types of an out= form's results: the dtypes of its destinations with the sizes of the functional form's results.
static std::vector<Type> out_types(const Operator& op, std::vector<AbstractValue> args) {
  const size_t count = op.schema().returns().size();
  const std::vector<AbstractValue> outs(args.end() - static_cast<ptrdiff_t>(count), args.end());
  const auto& schema = op.functional->schema();
  const AbstractValue none = AbstractValue::of(IValue());
  args.resize(args.size() - count, none);
  args.resize(schema.arguments().size(), none);
  const std::optional<DType> out_dtype = outs[0].tensor.dtype;
  const int dtype_index = schema.index_of("dtype");
  const bool factory = schema.index_of("device") >= 0;
  if (factory && !out_dtype) return {outs[0].type};
  const bool by_out = factory || (out_dtype && computes_in_out_dtype(op, args[0].tensor.dtype, *out_dtype));
  if (by_out && dtype_index >= 0 && args[static_cast<size_t>(dtype_index)].is_none) {
    AbstractValue& dtype = args[static_cast<size_t>(dtype_index)];
    dtype.is_none = false, dtype.type = TypeKind::DType, dtype.dtype = out_dtype;
  }
  std::vector<Type> types = infer_results(*op.functional, std::move(args));
  for (size_t k = 0; k < types.size(); ++k) {
    if (!types[k].is(TypeKind::Tensor)) continue;
    TensorType out = types[k].tensor();
    const std::optional<DType> destination = outs[k].tensor.dtype;
    if (out.dtype && destination && !(by_out && dtype_index < 0)) check_out_dtype(op, *out.dtype, *destination);
    out.dtype = destination, out.device = outs[k].tensor.device;
    types[k] = out;
  }
  return types;
}

std::vector<Type> infer_results(const Operator& op, std::vector<AbstractValue> args) {
  const auto& returns = op.schema().returns();
  MONOGRAPH_CHECK(!op.changes_geometry, NotImplemented, "[", op.name(),
                  "] changes the sizes of a tensor in place, and a value of a graph has one size; use the form that returns a new tensor");
  // An in-place form returns the argument that it writes.
  for (size_t i = 0; i < args.size() && returns.size() == 1; ++i)
    if (op.schema().returns_argument(0, i) && !op.schema().arguments()[i].out)
      return {args[i].type ? args[i].type : Type(TypeKind::Tensor)};
  if (op.functional && op.schema().arguments().back().out) return out_types(op, std::move(args));
  const RuleFn rule = op.rule ? op.rule : op.pointwise ? pointwise_rule : op.rows ? rows_rule : nullptr;
  std::vector<Type> types;
  if (rule) types = rule_types(op, rule, args);
  else if (op.decompose && !returns.empty()) types = composite_types(op, args);
  for (size_t k = types.size(); k < returns.size(); ++k) types.push_back(returns[k].type);
  return types;
}

Dim infer_length(const Operator& op, const ir::Node& node) {
  auto known = known_arguments(op, node);
  if (!known) return {};
  if (!op.rule || lists_by_decomposition(op)) return composite_length(op, *known);
  Size length;
  rule_types(op, op.rule, *known, &length);
  return length.known() ? length.symint() : composite_length(op, *known);  // a rule that does not know the elements may not know this
}

Type Operator::infer(const ir::Node& node) const {
  auto known = known_arguments(*this, node);
  if (!known) return OpInfo::infer(node);
  GuardScope guards(node.graph());
  std::vector<Type> types = infer_results(*this, std::move(*known));
  if (types.empty()) return TypeKind::None;
  return types.size() == 1 ? types[0] : Type::tuple(types);
}

}  // namespace monograph
