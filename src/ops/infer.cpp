// What is known of nodes and values is read first; below are the rules that many records share: pointwise, rows, broadcasting, promotion.
#include "ops/infer.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/graph.h"
#include "ops/dispatch.h"
#include "ops/promotion.h"
#include "ops/rows.h"
#include "ops/rule.h"
#include "ops/size_values.h"

namespace monograph {

using ir::TensorType;
using ir::Type;
using ir::TypeKind;

namespace {

// --- What is known of a node or value.

std::optional<SymInt> number_of(int64_t value) try { return SymInt(value); } catch (const Error&) {  // no size can be so large
  return {};
}

void set_type(Fact& f, Type t) {
  f.type = t;
  if (t.is(TypeKind::Tensor)) f.tensor = t.tensor();
  f.is_none = t.is(TypeKind::None);
}

}  // namespace

Fact Fact::of(ir::ArgRef arg) {
  Fact f;
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
    case ir::ArgKind::Node: f.items = std::move(size.items); break;
    default: break;
  }
  return f;
}

Fact Fact::of(const IValue& v) {
  Fact f;
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

std::optional<DType> dtype_of_number(const Fact& f) {
  if (f.type.is(TypeKind::Bool)) return DType::b1;
  if (f.type.is(TypeKind::Int) || f.type.is(TypeKind::SymInt)) return DType::i64;
  if (f.type.is(TypeKind::Float)) return default_dtype();
  if (f.type.is(TypeKind::Complex)) return default_dtype() == DType::f64 ? DType::c128 : DType::c64;
  return {};
}

std::optional<int64_t> InferCall::integer(size_t i) const {
  const auto& v = args_[i].integer;
  return v && v->is_int() ? std::optional(v->as_int()) : std::nullopt;
}

std::optional<bool> InferCall::truth(size_t i) const {
  auto v = integer(i);
  return v ? std::optional(*v != 0) : std::nullopt;
}

Shape InferCall::size_list(size_t i) const {
  if (args_[i].integer) {
    auto n = static_cast<size_t>(std::max(1, op.schema().arguments()[i].list_size));
    return std::vector<Dim>(n, args_[i].integer);
  }
  if (!args_[i].items) return {};
  std::vector<Dim> out;
  for (const Fact& f : *args_[i].items) out.push_back(f.integer);
  return out;
}

std::optional<std::vector<int64_t>> InferCall::int_list(size_t i) const {
  Shape dims = size_list(i);
  if (!dims) return {};
  std::vector<int64_t> out;
  for (const Dim& d : *dims) {
    if (!d || !d->is_int()) return {};
    out.push_back(d->as_int());
  }
  return out;
}

std::optional<size_t> InferCall::dim(size_t i, const Shape& of) const {
  auto d = integer(i);
  if (!d || !of) return {};
  return static_cast<size_t>(wrap_dim(*d, static_cast<int64_t>(of->size())));
}

// The device of the tensors, where all that are known have one; a 0-d tensor of the CPU goes with any.
std::optional<Device> InferCall::device() const {
  std::optional<Device> found;
  bool unknown = false;
  auto see = [&](const Fact& f) {
    if (!f.is_tensor()) return;
    if (!f.tensor.device) unknown = true;
    else if (!found || found->type == DeviceType::Cpu) found = f.tensor.device;
  };
  for (size_t i = 0; i < args_.size(); ++i) {
    if (args_[i].device) return args_[i].device;  // the call names one
    see(args_[i]);
    if (args_[i].items)
      for (const Fact& f : *args_[i].items) see(f);
  }
  return unknown ? std::nullopt : found;
}

void InferCall::tensor(const Shape& sizes, std::optional<DType> dtype) {
  TensorType t;
  t.sizes = sizes, t.dtype = dtype, t.device = device();
  result(t);
}

void InferCall::made(const Shape& sizes, std::optional<DType> otherwise) {
  TensorType t;
  t.sizes = sizes, t.dtype = otherwise, t.device = device();
  if (int at = op.schema().index_of("dtype"); at >= 0) {
    const Fact& f = args_[static_cast<size_t>(at)];
    if (f.dtype || f.unknown()) t.dtype = f.dtype;
  }
  bool from_tensor = !args_.empty() && (args_[0].is_tensor() || args_[0].unknown());
  if (!t.device && !from_tensor) t.device = Device{};
  result(t);
}

std::optional<DType> InferCall::number_dtype(size_t i) const { return dtype_of_number(args_[i]); }

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

Dim same_dim(const Dim& a, const Dim& b, std::string_view message) {
  if (!a || !b) return a ? a : b;
  if (*a == *b) return a;
  auto equal = known_equal(*a, *b);
  MONOGRAPH_CHECK(!equal || *equal, Runtime, message);
  return a->is_int() ? a : b;  // the program checks the other when it runs
}

namespace {

Dim broadcast_dim(const Dim& a, const Dim& b, std::string_view op, size_t at) {
  auto one = [](const Dim& d) { return d && d->is_int() && d->as_int() == 1; };
  auto never_one = [](const Dim& d) { return d && (d->is_int() ? d->as_int() != 1 : d->bounds().lower > 1); };
  if (one(a)) return b;
  if (one(b)) return a;
  if (a && b && *a == *b) return a;
  if (a && b && a->is_int() && b->is_int())
    fail(ErrorKind::Runtime, "[", op, "] The size of tensor a (", a->as_int(), ") must match the size of tensor b (", b->as_int(),
         ") at non-singleton dimension ", at);
  if (never_one(a)) return a;
  if (never_one(b)) return b;
  return {};
}

}  // namespace

Shape broadcast(const Shape& a, const Shape& b, std::string_view op) {
  if (!a || !b) return {};
  if (a->size() < b->size()) return broadcast(b, a, op);
  std::vector<Dim> out = *a;
  size_t lead = a->size() - b->size();
  for (size_t i = 0; i < b->size(); ++i) out[lead + i] = broadcast_dim((*a)[lead + i], (*b)[i], op, lead + i);
  return out;
}

// A tensor of unknown rank is tried with and without dims: the answer must not depend on it.
std::optional<DType> InferCall::promoted(std::span<const size_t> which) const {
  std::vector<const Fact*> operands;
  for (size_t i : which)
    if (!args_[i].is_none) operands.push_back(&args_[i]);
  size_t open = 0;
  for (const Fact* f : operands)
    if (f->is_tensor() && !f->tensor.sizes && !f->wrapped) ++open;
  std::optional<DType> found;
  for (size_t choice = 0; choice < size_t{1} << open; ++choice) {
    ResultType type;
    size_t k = 0;
    for (const Fact* f : operands) {
      auto dtype = f->is_tensor() ? f->tensor.dtype : dtype_of_number(*f);
      if (!dtype) return {};
      bool has_dims = f->is_tensor() && (f->tensor.sizes ? !f->tensor.sizes->empty() : (choice >> k++ & 1) != 0);
      type.add(*dtype, !f->is_tensor() || f->wrapped ? ResultType::Weight::Number
                       : has_dims                    ? ResultType::Weight::Tensor
                                                     : ResultType::Weight::Scalar);
    }
    if (found && *found != type.get()) return {};
    found = type.get();
  }
  return found;
}

// --- Pointwise records.

void infer_pointwise(InferCall& c) {
  const PointwiseRule& rule = *c.op.pointwise;
  Shape sizes = std::vector<Dim>{};
  std::vector<size_t> operands;
  for (int i = 0; i < rule.body.arity; ++i) {
    auto k = static_cast<size_t>(i);
    const Fact& f = c.arg(rule.position[k]);
    if (!rule.is_scalar[k] && (f.is_tensor() || f.unknown()) && !f.wrapped) sizes = broadcast(sizes, f.tensor.sizes, c.op.name());
    if (rule.fixed[k] < 0 && (!rule.is_scalar[k] || rule.promoting[k])) operands.push_back(rule.position[k]);
  }
  std::optional<DType> dtype = c.promoted(operands);
  if (dtype) dtype = rule.result_dtype(pointwise_compute_dtype(c.op, *dtype));
  else if (rule.result_dtype(DType::f32) == DType::b1) dtype = DType::b1;
  c.tensor(sizes, dtype);
}

// --- Row records.

namespace {

// The dims of the rows as a mask by position; absent where they are not known.
std::optional<std::vector<bool>> row_mask(const InferCall& c, const std::vector<Dim>& sizes) {
  const RowRule& rule = *c.op.rows;
  using Rows = RowRule::Rows;
  auto at = static_cast<size_t>(std::max(rule.dim_arg, 0));
  std::vector<bool> mask(sizes.size(), false);
  bool all =
      rule.rows == Rows::All || (rule.rows != Rows::NormalizedShape && (c.none(at) || (c.arg(at).items && c.arg(at).items->empty())));
  if (all) return std::vector<bool>(sizes.size(), true);
  if (rule.rows == Rows::NormalizedShape) {
    Shape shape = c.size_list(at);
    if (!shape) return {};
    MONOGRAPH_CHECK(!shape->empty() && shape->size() <= sizes.size(), Runtime, "[", c.op.name(), "] normalized_shape has ", shape->size(),
                    " dims, and the input has ", sizes.size());
    for (size_t k = 0; k < shape->size(); ++k) {
      size_t d = sizes.size() - shape->size() + k;
      same_dim((*shape)[k], sizes[d], "Given normalized_shape does not match the last dims of the input");
      mask[d] = true;
    }
    return mask;
  }
  auto dims = c.int_list(at);
  if (!dims) return {};
  for (int64_t d : *dims) {
    auto k = static_cast<size_t>(wrap_dim(d, static_cast<int64_t>(sizes.size())));
    if (k < mask.size()) mask[k] = true;
  }
  return mask;
}

Shape reduced(const Shape& sizes, const std::optional<std::vector<bool>>& mask, std::optional<bool> keep) {
  if (!sizes || !mask || !keep) return {};
  std::vector<Dim> out;
  for (size_t d = 0; d < sizes->size(); ++d)
    if (!(*mask)[d]) out.push_back((*sizes)[d]);
    else if (*keep) out.push_back(SymInt(1));
  return out;
}

}  // namespace

void infer_rows(InferCall& c) {
  const RowRule& rule = *c.op.rows;
  auto input = static_cast<size_t>(rule.tensors[0]);
  const Shape& sizes = c.sizes(input);
  std::optional<RowTypes> types;
  std::optional<DType> stated = rule.dtype_arg >= 0 ? c.arg(static_cast<size_t>(rule.dtype_arg)).dtype : std::nullopt;
  bool open = rule.dtype_arg >= 0 && c.arg(static_cast<size_t>(rule.dtype_arg)).unknown();
  if (!open && (stated || c.dtype(input))) types = row_types(c.op, c.dtype(input).value_or(DType::f32), stated);
  std::optional<std::vector<bool>> mask;
  if (sizes) mask = row_mask(c, *sizes);
  std::optional<bool> keep = rule.keepdim_arg < 0 ? std::optional(false) : c.truth(static_cast<size_t>(rule.keepdim_arg));
  std::optional<DType> dtype;
  if (types) dtype = types->result;
  else if (rule.result == RowRule::Result::Bool) dtype = DType::b1;
  else if (rule.result == RowRule::Result::Index) dtype = DType::i64;
  if (rule.reduces) {
    Shape rows = reduced(sizes, mask, keep);
    c.tensor(rows, dtype);
    if (c.op.results() > 1) c.tensor(rows, DType::i64);  // where in its row the value stands
    return;
  }
  c.tensor(sizes, dtype);
  for (size_t k = 1; k < c.op.results(); ++k) c.tensor(reduced(sizes, mask, true), dtype);  // one value a row, beside full results
}

// --- Whole calls.

std::vector<Type> infer_results(const Operator& op, std::vector<Fact> args) {
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
  std::vector<Type> types;
  if (op.rule) {
    types = rule_types(op, args);
  } else {
    InferCall c(op, std::move(args));
    if (op.infer_rule) op.infer_rule(c);
    else if (op.pointwise) infer_pointwise(c);
    else if (op.rows) infer_rows(c);
    types = c.take();
  }
  for (size_t k = types.size(); k < returns.size(); ++k) types.push_back(returns[k].type);
  return types;
}

namespace {

// The arguments of a node in the places of the schema; none where they do not fit, of which verify() says why.
std::optional<std::vector<Fact>> facts_of(const Operator& op, const ir::Node& node) {
  std::vector<Fact> facts;
  facts.reserve(op.schema().arguments().size());
  if (node.skeleton().names == 0 && node.arg_count() == op.schema().arguments().size()) {
    for (auto it = node.args_begin(); it != node.args_end(); ++it) facts.push_back(Fact::of(*it));
  } else {
    auto args = bound_args(op, node);
    if (!args) return {};
    for (size_t i = 0; i < args->size(); ++i) facts.push_back(Fact::of((*args)[i]));
  }
  return facts;
}

}  // namespace

Dim infer_length(const Operator& op, const ir::Node& node) {
  auto facts = facts_of(op, node);
  if (facts && op.rule) {
    Size length;
    rule_types(op, *facts, &length);
    return length.symint();
  }
  if (!facts || !op.infer_rule) return {};
  InferCall c(op, std::move(*facts));
  op.infer_rule(c);
  return c.length();
}

Type Operator::infer(const ir::Node& node) const {
  auto facts = facts_of(*this, node);
  if (!facts) return OpInfo::infer(node);
  std::vector<Type> types = infer_results(*this, std::move(*facts));
  if (types.empty()) return TypeKind::None;
  return types.size() == 1 ? types[0] : Type::tuple(types);
}

bool run_meta(const Operator& op, const IValue* args, IValue* results) {
  if (!op.infer_rule || op.is_view || op.crosses_devices) return false;
  size_t count = op.schema().arguments().size();
  bool meta = false;
  auto see = [&](const IValue& v) { meta |= v.is_tensor() && v.as_tensor().is_meta(); };
  for (size_t i = 0; i < count; ++i) {
    if (args[i].tag() == IValue::Tag::Device && args[i].to_device().type != DeviceType::Meta) return false;  // its result is no meta tensor
    see(args[i]);
    if (args[i].is_list())
      for (const IValue& v : args[i].items()) see(v);
  }
  if (!meta) return false;
  std::vector<Fact> facts;
  facts.reserve(count);
  for (size_t i = 0; i < count; ++i) facts.push_back(Fact::of(args[i]));
  std::vector<Type> types = infer_results(op, std::move(facts));
  for (size_t k = 0; k < types.size(); ++k) {
    const TensorType* t = types[k].is(TypeKind::Tensor) ? &types[k].tensor() : nullptr;
    if (!t || !t->sizes || !t->dtype) return false;
    Dims sizes;
    for (const Dim& d : *t->sizes) {
      MONOGRAPH_CHECK(d && d->is_int(), Runtime, "[", op.name(),
                      "] the size of its result depends on elements, and a meta tensor has none");
      sizes.push_back(d->as_int());
    }
    results[k] = empty(sizes, *t->dtype, Device{DeviceType::Meta});
  }
  return true;
}

}  // namespace monograph
