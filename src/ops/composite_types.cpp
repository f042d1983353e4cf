// Runs an operator's decomposition over types: each tensor is a TypedTensor, which has a type and no elements, and each operator call inside returns the
// types that the operator's own rule states.
#include "ops/composite_types.h"

#include <algorithm>
#include <utility>

#include "core/plain_number.h"
#include "ops/dispatch.h"
#include "ops/size_values.h"

namespace monograph {
namespace {

using ir::TensorType;
using ir::Type;
using ir::TypeKind;

// Thrown if the decomposition reads something that the types do not tell, such as a number or a stride.
struct UnknownFromTypes {};

// Set while only the length of a list is computed. Each unknown size is then a new symbol, so a length that depends on one is not known either.
thread_local bool sizes_may_be_unknown = false;
Size any_size() {
  if (!sizes_may_be_unknown) throw UnknownFromTypes();
  Symbol s;
  s.name = "unknown";
  return SymInt::symbol(s);
}

class TypedTensor : public TensorImpl {
 public:
  explicit TypedTensor(const TensorType& type) : type(type) {
    kind = Kind::Symbolic;
    if (!type.dtype || !type.sizes) throw UnknownFromTypes();
    dtype = *type.dtype;
    if (type.device) device = *type.device;
    for (const Dim& d : *type.sizes) sizes.push_back(has_numbers() ? d->as_int() : -1);  // -1 keeps the rank, and is never read as a size
    strides = contiguous_strides(sizes);
    if (has_numbers()) refresh();
  }
  Sizes graph_sizes() const override {
    Sizes out;
    for (const Dim& d : *type.sizes) out.push_back(d ? Size(d) : any_size());
    return out;
  }
  bool has_numbers() const {
    return std::ranges::all_of(*type.sizes, [](const Dim& d) { return d && d->is_int(); });
  }
  TensorType type;
};

// Describes a value that the decomposition computed. Its symbolic tensors are TypedTensors.
AbstractValue abstract_value_of(const IValue& v) {
  return abstract_value(v, [](const Tensor& t) {
    if (t->kind != TensorImpl::Kind::Symbolic) return AbstractValue::of(IValue(t));
    AbstractValue out;
    out.tensor = static_cast<const TypedTensor*>(t.impl())->type;
    out.type = out.tensor, out.wrapped = t->wrapped_number;
    return out;
  });
}

IValue list_of(const std::vector<AbstractValue>& items);

// The value that stands for an argument while the decomposition runs.
IValue value_of(const AbstractValue& known) {
  if (known.is_none) return {};
  if (known.is_tensor()) {
    Tensor t(Ref<TensorImpl>(new TypedTensor(known.tensor)));
    t->wrapped_number = known.wrapped;
    return t;
  }
  if (known.items) return list_of(*known.items);
  if (known.type.is(TypeKind::Bool) && known.integer && known.integer->is_int()) return known.integer->as_int() != 0;
  if (known.integer) return Size(*known.integer);
  if (known.type.is(TypeKind::Float) && known.number) return *known.number;
  if (known.dtype) return *known.dtype;
  if (known.device) return *known.device;
  if (known.type.is(TypeKind::Str)) return known.text;
  if (known.type.is(TypeKind::Int)) return any_size();
  throw UnknownFromTypes();
}

IValue list_of(const std::vector<AbstractValue>& items) {
  Dims ints;
  std::vector<IValue> values;
  for (const AbstractValue& item : items) {
    values.push_back(value_of(item));
    if (values.back().is_int()) ints.push_back(values.back().to_int());
  }
  return ints.size() == values.size() ? IValue(ints) : IValue::list(std::move(values));
}

Type type_of(const IValue& v) {
  if (v.is_list() && !v.items().empty() && v.items()[0].is_tensor()) return Type::list(TypeKind::Tensor);
  return abstract_value_of(v).type;
}

// Gives up where the record says that the decomposition reads strides, or sizes as numbers, and the types do not have them.
void check_reads(const Operator& op, const IValue& v) {
  if (op.decompose_reads == Reads::Strides) throw UnknownFromTypes();
  if (v.is_tensor() && op.decompose_reads == Reads::Sizes && !static_cast<const TypedTensor*>(v.as_tensor().impl())->has_numbers())
    throw UnknownFromTypes();
  if (v.is_list())
    for (const IValue& item : v.items()) check_reads(op, item);
}

thread_local const ir::Graph* inferred_graph = nullptr;

class TypeMode : public DispatchMode {
 public:
  std::optional<int64_t> guarded(const Size& size) override { return inferred_graph ? guarded_size(*inferred_graph, size) : std::nullopt; }
  void call(const Operator& op, const IValue* args, IValue* results) override {
    const auto& returns = op.schema().returns();
    if (returns.size() == 1 && returns[0].type.is(TypeKind::List)) {  // the tensors in a list are known from its decomposition only
      if (!op.decompose) throw UnknownFromTypes();
      for (size_t k = 0; k < op.schema().arguments().size(); ++k) check_reads(op, args[k]);
      DispatchModeScope again(*this);
      results[0] = op.decompose(args);
      return;
    }
    std::vector<AbstractValue> known;
    for (size_t k = 0; k < op.schema().arguments().size(); ++k) known.push_back(abstract_value_of(args[k]));
    const std::vector<Type> types = infer_results(op, std::move(known));
    for (size_t k = 0; k < returns.size(); ++k) {
      if (!types[k].is(TypeKind::Tensor)) throw UnknownFromTypes();
      results[k] = Tensor(Ref<TensorImpl>(new TypedTensor(types[k].tensor())));
    }
  }
};

}  // namespace

GuardScope::GuardScope(const ir::Graph* graph) : saved_(std::exchange(inferred_graph, graph)) {}
GuardScope::~GuardScope() { inferred_graph = saved_; }

namespace {

// The result of the decomposition, or of what makes results whose sizes depend on elements, over types. Absent if the types do not tell it.
std::optional<IValue> composite_result(const Operator& op, const std::vector<AbstractValue>& args) try {
  std::vector<IValue> values;
  for (const AbstractValue& arg : args) {
    values.push_back(value_of(arg));
    if (op.decompose) check_reads(op, values.back());
  }
  TypeMode types;
  DispatchModeScope scope(types);
  PlainNumberScope no_numbers([](const IValue&) -> IValue { throw UnknownFromTypes(); });
  return (op.decompose ? op.decompose : op.by_elements)(values.data());
} catch (const UnknownFromTypes&) {
  return {};
} catch (const Error& e) {
  if (e.kind() != ErrorKind::NotImplemented) throw;
  return {};
}

}  // namespace

std::vector<Type> composite_types(const Operator& op, const std::vector<AbstractValue>& args) {
  const std::optional<IValue> result = composite_result(op, args);
  if (!result) return {};
  if (op.schema().returns().size() == 1) return {type_of(*result)};
  std::vector<Type> out;
  for (const IValue& v : result->items()) out.push_back(type_of(v));
  return out;
}

namespace {

// The list that an operator with only a decomposition returns. Absent if it returns something else, or if the types do not tell it.
std::optional<IValue> composite_list(const Operator& op, const std::vector<AbstractValue>& args) {
  const auto& returns = op.schema().returns();
  const bool lists = lists_by_decomposition(op) || (!op.decompose && op.by_elements);
  if (!lists || returns.size() != 1 || !returns[0].type.is(TypeKind::List)) return {};
  return composite_result(op, args);
}

}  // namespace

std::optional<std::vector<AbstractValue>> composite_items(const Operator& op, const std::vector<AbstractValue>& args) {
  const std::optional<IValue> list = composite_list(op, args);
  return list ? abstract_value_of(*list).items : std::nullopt;
}

Dim composite_length(const Operator& op, const std::vector<AbstractValue>& args) {
  struct Scope {
    bool saved = std::exchange(sizes_may_be_unknown, true);
    ~Scope() { sizes_may_be_unknown = saved; }
  } scope;
  const std::optional<IValue> list = composite_list(op, args);
  return list && !list->is_ints() ? Dim(static_cast<int64_t>(list->items().size())) : Dim();
}

}  // namespace monograph
