#include "ops/infer.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/graph.h"
#include "ops/dispatch.h"
#include "ops/promotion.h"
#include "ops/rows.h"
#include "ops/rule.h"

namespace monograph {

using ir::TensorType;
using ir::Type;
using ir::TypeKind;

namespace {

// --- What is known of a node or value.

// How many nodes of integer arithmetic are read to find the value of one size; deeper ones are unknown sizes.
constexpr int kMaxIntegerNodes = 64;

std::optional<SymInt> integer_of(ir::ArgRef arg, int& budget);
std::optional<std::vector<AbstractValue>> sizes_of(ir::ArgRef arg, int& budget);

// A size where there is one: SymInt raises for what no size can be, which is right as a number of the program, and no size is known from it.
template <class F>
std::optional<SymInt> if_size(F size) try {
  return std::optional<SymInt>(size());
} catch (const Error&) {
  return {};
}
std::optional<SymInt> number_of(int64_t value) {
  return if_size([&] { return SymInt(value); });
}

std::optional<SymInt> arithmetic_of(std::string_view name, SymInt a, SymInt b) {
  if (name == "add") return a + b;
  if (name == "sub") return a - b;
  if (name == "mul") return a * b;
  if (name == "min") return min(a, b);
  if (name == "max") return max(a, b);
  if (b.is_int() && b.as_int() == 0) return {};
  if (name == "floordiv") return floordiv(a, b);
  if (name == "remainder") return mod(a, b);
  const bool shifts = b.is_int() && b.as_int() >= 0 && b.as_int() < 62;
  if (shifts && name == "__lshift__") return a * SymInt(int64_t{1} << b.as_int());
  if (shifts && name == "__rshift__") return floordiv(a, int64_t{1} << b.as_int());
  return {};
}

// The value of a node that computes an int from sizes.
std::optional<SymInt> integer_of(const ir::Node& node, int& budget) {
  if (node.op() != ir::Op::CallFunction || node.arg_count() == 0 || --budget < 0) return {};
  const auto* op = dynamic_cast<const Operator*>(node.info());
  if (!op) return {};
  std::string_view name = op->base_name();
  if (const ir::Node* x = node.arg(0).node(); x && x->type().is(TypeKind::Tensor) && x->type().tensor().sizes) {
    const auto& sizes = *x->type().tensor().sizes;
    auto rank = static_cast<int64_t>(sizes.size());
    if (name == "dim") return SymInt(rank);
    if (name == "sym_numel" || name == "numel") return product(sizes);
    if ((name == "sym_size" || name == "size") && node.arg_count() == 2 && node.arg(1).is(ir::ArgKind::Int)) {
      int64_t d = node.arg(1).as_int();
      return d >= -rank && d < rank ? sizes[static_cast<size_t>(d < 0 ? d + rank : d)] : Dim();
    }
  }
  if (name == "__getitem__" && node.arg(0).node() && node.arg_count() == 2 && node.arg(1).is(ir::ArgKind::Int)) {
    auto items = sizes_of(node.arg(0), budget);
    int64_t n = items ? static_cast<int64_t>(items->size()) : 0, k = node.arg(1).as_int();
    return k >= -n && k < n ? (*items)[static_cast<size_t>(k < 0 ? k + n : k)].integer : Dim();
  }
  auto a = integer_of(node.arg(0), budget);
  if (!a) return {};
  if (node.arg_count() == 1) return name == "neg" ? if_size([&] { return -*a; }) : std::nullopt;
  auto b = integer_of(node.arg(1), budget);
  return b ? if_size([&] { return arithmetic_of(name, *a, *b); }) : std::nullopt;
}

std::optional<SymInt> integer_of(ir::ArgRef arg, int& budget) {
  switch (arg.kind()) {
    case ir::ArgKind::Int: return number_of(arg.as_int());
    case ir::ArgKind::SymInt: return arg.as_symint();
    case ir::ArgKind::Bool: return SymInt(arg.as_bool());
    case ir::ArgKind::Node: {
      const ir::Node& n = *arg.as_node();
      if (n.type().is(TypeKind::Int) || n.type().is(TypeKind::SymInt) || !n.type()) return integer_of(n, budget);
      return {};
    }
    default: return {};
  }
}

// What is known of the elements of a list of sizes: x.shape, and what is sliced and put together from such.
std::optional<std::vector<AbstractValue>> sizes_of(ir::ArgRef arg, int& budget) {
  const ir::Node* n = arg.node();
  if (!n) return AbstractValue::of(arg).items;
  if (!n->info() || n->arg_count() == 0 || --budget < 0) return {};
  const auto* op = dynamic_cast<const Operator*>(n->info());
  std::optional<std::vector<AbstractValue>> items;
  if (n->info()->name() == "aten::size") {
    Type t = type_of(n->arg(0));
    if (!t.is(TypeKind::Tensor) || !t.tensor().sizes) return {};
    items.emplace();
    for (const Dim& d : *t.tensor().sizes) {
      AbstractValue& f = items->emplace_back();
      f.type = TypeKind::Int, f.integer = d;
    }
  } else if (n->info()->name() == "aten::add.t") {
    items = sizes_of(n->arg(0), budget);
    auto more = sizes_of(n->arg(1), budget);
    if (!items || !more) return {};
    items->insert(items->end(), more->begin(), more->end());
  } else if (n->info()->name() == "aten::slice.t") {
    auto cut = bound_args(*op, *n);
    auto all = cut ? sizes_of((*cut)[0], budget) : std::nullopt;
    for (size_t k = 1; all && k < 4; ++k)
      if (!(*cut)[k].is_none() && !(*cut)[k].is(ir::ArgKind::Int)) return {};
    if (!all || (*cut)[3].as_int() == 0) return {};
    auto bound = [&](size_t k) { return (*cut)[k].is_none() ? std::nullopt : std::optional((*cut)[k].as_int()); };
    items.emplace();
    for (int64_t k : slice_places(static_cast<int64_t>(all->size()), bound(1), bound(2), (*cut)[3].as_int()))
      items->push_back((*all)[static_cast<size_t>(k)]);
  }
  return items;
}

void set_type(AbstractValue& f, Type t) {
  f.type = t;
  if (t.is(TypeKind::Tensor)) f.tensor = t.tensor();
  f.is_none = t.is(TypeKind::None);
}

}  // namespace

AbstractValue AbstractValue::of(ir::ArgRef arg) {
  AbstractValue f;
  set_type(f, type_of(arg));
  int budget = kMaxIntegerNodes;
  f.integer = integer_of(arg, budget);
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
      if (f.type.is(TypeKind::List)) f.items = sizes_of(arg, budget);
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
    case Tag::Int: f.type = TypeKind::Int, f.integer = number_of(v.to_int()), f.number = static_cast<double>(v.to_int()); break;
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

std::vector<Type> infer_results(const Operator& op, std::vector<AbstractValue> args) {
  const auto& returns = op.schema().returns();
  // An in-place form returns what it wrote; an out= form its destination, in the result's size.
  for (size_t i = 0; i < args.size() && returns.size() == 1; ++i)
    if (op.schema().returns_argument(0, i) && !op.schema().arguments()[i].out)
      return {args[i].type ? args[i].type : Type(TypeKind::Tensor)};
  if (op.functional && op.functional->results() == 1 && op.schema().arguments().back().out) {
    std::optional<DType> dtype = args.back().tensor.dtype;
    std::optional<Device> device = args.back().tensor.device;
    args.resize(op.functional->schema().arguments().size());
    Type t = infer_results(*op.functional, std::move(args))[0];
    if (!t.is(TypeKind::Tensor)) return {t};
    TensorType out = t.tensor();
    out.dtype = dtype, out.device = device;
    return {out};
  }
  const RuleFn rule = op.rule ? op.rule : op.pointwise ? pointwise_rule : op.rows ? rows_rule : nullptr;
  std::vector<Type> types = rule ? rule_types(op, rule, args) : std::vector<Type>();
  for (size_t k = types.size(); k < returns.size(); ++k) types.push_back(returns[k].type);
  return types;
}

namespace {

// The arguments of a node in the places of the schema; none where they do not fit, of which verify() says why.
std::optional<std::vector<AbstractValue>> known_arguments(const Operator& op, const ir::Node& node) {
  std::vector<AbstractValue> known;
  known.reserve(op.schema().arguments().size());
  if (node.skeleton().names == 0 && node.arg_count() == op.schema().arguments().size()) {
    for (auto it = node.args_begin(); it != node.args_end(); ++it) known.push_back(AbstractValue::of(*it));
  } else {
    auto args = bound_args(op, node);
    if (!args) return {};
    for (size_t i = 0; i < args->size(); ++i) known.push_back(AbstractValue::of((*args)[i]));
  }
  return known;
}

}  // namespace

Dim infer_length(const Operator& op, const ir::Node& node) {
  auto known = op.rule ? known_arguments(op, node) : std::nullopt;
  if (!known) return {};
  Size length;
  rule_types(op, op.rule, *known, &length);
  return length.symint();
}

Type Operator::infer(const ir::Node& node) const {
  auto known = known_arguments(*this, node);
  if (!known) return OpInfo::infer(node);
  std::vector<Type> types = infer_results(*this, std::move(*known));
  if (types.empty()) return TypeKind::None;
  return types.size() == 1 ? types[0] : Type::tuple(types);
}

}  // namespace monograph
