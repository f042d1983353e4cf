// Type inference on graphs: from the types of a node's arguments to the types of its results, by the operator's shape rule (ops/rule.h). Nothing is guessed:
// an unknown size, dtype or rank stays unknown in the result. A call that must fail raises Error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ivalue.h"
#include "core/symint.h"
#include "core/tensor.h"
#include "ir/type.h"
#include "ops/record.h"

namespace monograph {

using Dim = ir::TensorType::Dim;  // nullopt: unknown

// A number as a size; nullopt if no size can be so large.
Dim as_dim(int64_t value);

// A value as inference knows it, without computing it: its type, and for a number, list, dtype, device or str also the value itself, if it is known.
struct AbstractValue {
  ir::Type type;  // null: nothing is known
  ir::TensorType tensor;  // the type of a tensor
  std::optional<SymInt> integer;  // the value of an int or bool
  std::optional<double> number;  // the value of a real number
  std::optional<DType> dtype;  // the value of a dtype
  std::optional<Device> device;  // the value of a device
  std::optional<std::vector<AbstractValue>> items;  // the items of a list or tuple; nullopt if its length is unknown
  std::string text;  // the value of a str
  bool is_none = false;
  bool wrapped = false;  // a tensor made of a Python number; it counts in promotion as a number
  bool is_tensor() const { return type.is(ir::TypeKind::Tensor); }
  bool unknown() const { return !type && !is_none; }
  static AbstractValue of(const IValue& value);
  static AbstractValue of(ir::ArgRef arg);
};

// Describes a value. Lists and tuples are described item by item, also nested ones. `of_tensor` describes a defined tensor; a symbolic size keeps its
// expression.
template <class OfTensor>
AbstractValue abstract_value(const IValue& v, const OfTensor& of_tensor) {
  if (v.is_tensor() && v.as_tensor().defined()) return of_tensor(v.as_tensor());
  AbstractValue out;
  if (const auto size = symbolic_size(v)) {
    out.type = ir::TypeKind::Int, out.integer = size->symint();
    return out;
  }
  if (!v.is_list() && !v.is_tuple()) return AbstractValue::of(v);
  out.items.emplace();
  for (const IValue& item : v.items()) out.items->push_back(abstract_value(item, of_tensor));
  return out;
}

// The product of sizes; unknown if one of them is.
Dim product(std::span<const Dim> sizes);

// The types of a call's results: by the record's shape rule, by the pointwise or row program, else by the schema.
std::vector<ir::Type> infer_results(const Operator& op, std::vector<AbstractValue> args);
// The dtype that a Python number has in promotion: bool, int64, the default dtype or its complex dtype; nullopt if its type is not known.
std::optional<DType> dtype_of_number(const AbstractValue& number);
// The length of the list that this call of `op` returns; unknown if no rule says it.
Dim infer_length(const Operator& op, const ir::Node& node);

// Makes graphs use the registry of operators. Graphs that exist already keep the operators that they have resolved.
void install_operators();
// The overload that a node calls, from its surface target ("torch.add", "operator.add", a method's name) and the types of its arguments. Overloads are tried
// in the order of the records, as in eager binding. Null if the types do not decide it.
const ir::OpInfo* resolve(const ir::Node& node);
// The reason why no overload of the operator that the node names takes its arguments. "" if one does, or if the name may mean something else.
std::string misfit(const ir::Node& node);
// Whether a call has side effects, judged by its name alone: x.add_(...), operator.iadd, operator.setitem.
bool impure_by_name(const ir::Node& node);
// The operators on numbers and lists for a function of Python's module `operator` ("floordiv", "getitem"); null if there are none.
const OverloadSet* number_operator(std::string_view function);
// The indices that Python's slice start:end:step takes from a list of n items, in the slice's order. step must not be 0.
std::vector<int64_t> slice_places(int64_t n, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step);
// The node's arguments in the order of this operator's schema, converted as it says, with defaults filled in; nullopt if they do not fit the schema.
std::optional<ir::Args> bound_args(const Operator& op, const ir::Node& node);

}  // namespace monograph
