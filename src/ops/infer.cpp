// What is known of nodes and values is read first; below are the rules that many records share: pointwise, rows, broadcasting, promotion.
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

void set_type(AbstractValue& f, Type t) {
  f.type = t;
  if (t.is(TypeKind::Tensor)) f.tensor = t.tensor();
  f.is_none = t.is(TypeKind::None);
}

// The arguments of a node in the places of the schema; none where they do not fit, of which verify() says why.
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

// The elements of a list that an operator made of others gives.
std::optional<std::vector<AbstractValue>> items_of_call(const ir::Node& node) {
  const auto* op = node.op() == ir::Op::CallFunction ? dynamic_cast<const Operator*>(node.info()) : nullptr;
  auto known = op && op->decompose && !op->rule ? known_arguments(*op, node) : std::nullopt;
  return known ? composite_items(*op, *known) : std::nullopt;
}

}  // namespace

AbstractValue AbstractValue::of(ir::ArgRef arg) {
  AbstractValue f;
  set_type(f, type_of(arg));
  SizeValue size = size_value(arg);
  f.integer = size.integer;
  switch (arg.kind()) {
    case ir::ArgKind::None: f.is_none = true; break;
    case ir::ArgKind::Int: f.number = static_cast<double>(arg.as_int()); break;
    case ir::ArgKind::Float: f.number = arg.as_float(); break;
    case ir::ArgKind::DType: f.dtype = arg.as_dtype(); break;
    case ir::ArgKind::Device: f.device = arg.as_device(); break;
    case ir::ArgKind::Str: f.text = arg.as_str(); break;
    case ir::ArgKind::List:
    case ir::ArgKind::Tuple:
      f.items.emplace();
      for (ir::ArgRef part : arg) f.items->push_back(of(part));
      break;
    case ir::ArgKind::Node:
      f.items = std::move(size.items);
      if (!f.items && f.type.is(TypeKind::List)) f.items = items_of_call(*arg.as_node());
      break;
    default: break;
  }
  return f;
}

AbstractValue AbstractValue::of(const IValue& v) {
  AbstractValue f;
  using Tag = IValue::Tag;
  switch (v.tag()) {
    case Tag::None: set_type(f, TypeKind::None); break;
    case Tag::Bool: f.type = TypeKind::Bool, f.integer = SymInt(v.to_bool()), f.number = v.to_bool(); break;
    case Tag::Int: f.type = TypeKind::Int, f.integer = as_dim(v.to_int()), f.number = static_cast<double>(v.to_int()); break;
    case Tag::Float: f.type = TypeKind::Float, f.number = v.to_double(); break;
    case Tag::Complex: f.type = TypeKind::Complex; break;
    case Tag::Dtype: f.type = TypeKind::DType, f.dtype = v.to_dtype(); break;
    case Tag::Device: f.type = TypeKind::Device, f.device = v.to_device(); break;
    case Tag::Str: f.type = TypeKind::Str, f.text = v.to_string(); break;
    case Tag::Layout: f.type = TypeKind::Layout; break;
    case Tag::MemoryFormat: f.type = TypeKind::MemoryFormat; break;
    case Tag::Tensor: {
      const Tensor& t = v.as_tensor();
      TensorType type;
      type.dtype = t.dtype(), type.device = t.device();
      type.sizes.emplace(t.sizes().begin(), t.sizes().end());
      f.wrapped = t->wrapped_number;
      set_type(f, type);
      break;
    }
    case Tag::Ints:
      f.type = Type::list(TypeKind::Int), f.items.emplace();
      for (int64_t i : v.to_ints()) f.items->push_back(of(IValue(i)));
      break;
    case Tag::List:
    case Tag::Tuple:
      f.items.emplace();
      for (const IValue& item : v.items()) f.items->push_back(of(item));
      break;
    default: break;
  }
  return f;
}

std::vector<int64_t> slice_places(int64_t n, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
  // Python's: what lies outside is cut, at the far end one place beyond the list.
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
  auto place = [&](std::optional<int64_t> i, int64_t otherwise) {
    return i ? std::clamp(*i < 0 ? std::max(*i, -n - 1) + n : *i, low, high) : otherwise;
  };
  std::vector<int64_t> places;
  int64_t from = place(start, step > 0 ? low : high), to = place(end, step > 0 ? high : low);
  // Steps longer than the list end it, and are cut before they overflow.
  step = std::clamp(step, -n - 1, n + 1);
  for (int64_t k = from; step > 0 ? k < to : k > to; k += step) places.push_back(k);
  return places;
}

// --- The call.

std::optional<DType> dtype_of_number(const AbstractValue& f) {
  if (f.type.is(TypeKind::Bool)) return DType::b1;
  if (f.type.is(TypeKind::Int) || f.type.is(TypeKind::SymInt)) return DType::i64;
  if (f.type.is(TypeKind::Float)) return default_dtype();
  if (f.type.is(TypeKind::Complex)) return default_dtype() == DType::f64 ? DType::c128 : DType::c64;
  return {};
}

// --- Sizes.

Dim product(std::span<const Dim> sizes) {
  SymInt n = 1;
  for (const Dim& d : sizes) {
    if (d && d->is_int() && d->as_int() == 0) return SymInt(0);
    if (!d) return {};
  }
  for (const Dim& d : sizes) n = n * *d;
  return n;
}

// --- Whole calls.

// Of an out= form: its destinations, in the sizes of the results.
static std::vector<Type> out_types(const Operator& op, std::vector<AbstractValue> args) {
  const size_t count = op.schema().returns().size();
  const std::vector<AbstractValue> outs(args.end() - static_cast<ptrdiff_t>(count), args.end());
  const auto& wanted = op.functional->schema();
  const AbstractValue none = AbstractValue::of(IValue());
  args.resize(args.size() - count, none);
  args.resize(wanted.arguments().size(), none);
  const std::optional<DType> into = outs[0].tensor.dtype;
  const int dtype = wanted.index_of("dtype");
  const bool factory = wanted.index_of("device") >= 0;
  if (factory && !into) return {outs[0].type};
  const bool by_out = factory || (into && dtype_is_outs(op, args[0].tensor.dtype, *into));
  if (by_out && dtype >= 0 && args[static_cast<size_t>(dtype)].is_none) {
    AbstractValue& stated = args[static_cast<size_t>(dtype)];
    stated.is_none = false, stated.type = TypeKind::DType, stated.dtype = into;
  }
  std::vector<Type> types = infer_results(*op.functional, std::move(args));
  for (size_t k = 0; k < types.size(); ++k) {
    if (!types[k].is(TypeKind::Tensor)) continue;
    TensorType out = types[k].tensor();
    const std::optional<DType> has = outs[k].tensor.dtype;
    if (out.dtype && has && !(by_out && dtype < 0)) check_out_dtype(op, *out.dtype, *has);
    out.dtype = has, out.device = outs[k].tensor.device;
    types[k] = out;
  }
  return types;
}

std::vector<Type> infer_results(const Operator& op, std::vector<AbstractValue> args) {
  const auto& returns = op.schema().returns();
  MONOGRAPH_CHECK(!op.changes_geometry, NotImplemented, "[", op.name(),
                  "] changes the sizes of a tensor in place, and a value of a graph has one size; use the form that returns a new tensor");
  // An in-place form returns what it wrote; an out= form its destination, in the result's size.
  for (size_t i = 0; i < args.size() && returns.size() == 1; ++i)
    if (op.schema().returns_argument(0, i) && !op.schema().arguments()[i].out)
      return {args[i].type ? args[i].type : Type(TypeKind::Tensor)};
  if (op.functional && op.schema().arguments().back().out) return out_types(op, std::move(args));
  const RuleFn rule = op.rule ? op.rule : op.pointwise ? pointwise_rule : op.rows ? rows_rule : nullptr;
  std::vector<Type> types = rule ? rule_types(op, rule, args) : op.decompose ? composite_types(op, args) : std::vector<Type>();
  for (size_t k = types.size(); k < returns.size(); ++k) types.push_back(returns[k].type);
  return types;
}

Dim infer_length(const Operator& op, const ir::Node& node) {
  auto known = known_arguments(op, node);
  if (!known) return {};
  if (!op.rule) return composite_length(op, *known);
  Size length;
  rule_types(op, op.rule, *known, &length);
  return length.symint();
}

Type Operator::infer(const ir::Node& node) const {
  auto known = known_arguments(*this, node);
  if (!known) return OpInfo::infer(node);
  GuardsOf guards(node.graph());
  std::vector<Type> types = infer_results(*this, std::move(*known));
  if (types.empty()) return TypeKind::None;
  return types.size() == 1 ? types[0] : Type::tuple(types);
}

}  // namespace monograph
