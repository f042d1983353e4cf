// Types on graphs: what is known of an operator's arguments, and of its results by its shape rule (ops/rule.h). Nothing that is unknown is guessed: an
// absent size, dtype or rank stays absent in the result. What cannot be right raises Error.
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

using Dim = ir::TensorType::Dim;  // absent: unknown

// Absent where no size can be so large.
Dim as_dim(int64_t value);

// What is known of one value without computing it: its type, and where it is a number or a list of numbers, its value.
struct AbstractValue {
  ir::Type type;  // null: nothing; of a list of unknown length its type only
  ir::TensorType tensor;  // of a tensor
  std::optional<SymInt> integer;  // the value of an int or bool
  std::optional<double> number;  // the value of a real number
  std::optional<DType> dtype;  // of a dtype
  std::optional<Device> device;  // of a device
  std::optional<std::vector<AbstractValue>> items;  // of a list or tuple
  std::string text;  // of a str
  bool is_none = false;
  bool wrapped = false;  // a tensor made of a Python number, which weighs less in promotion
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

// The product of sizes; absent where one is.
Dim product(std::span<const Dim> sizes);

// The types of a call's results: by the record's rule, by what pointwise and row records say for themselves, or by the schema.
std::vector<ir::Type> infer_results(const Operator& op, std::vector<AbstractValue> args);
// The dtype that a number brings where it decides alone.
std::optional<DType> dtype_of_number(const AbstractValue& number);
// How many elements the list has that this call of `op` gives; absent where no rule says it.
Dim infer_length(const Operator& op, const ir::Node& node);

// Makes graphs use the registry of operators. Graphs that were made before keep the operators that they resolved.
void install_operators();
// The overload that a node means, from its surface target ("torch.add", "operator.add", a method's name) and the types of its arguments, tried in
// the order of the records as eager binding does; null where it cannot be told.
const ir::OpInfo* resolve(const ir::Node& node);
// Why no overload of the operator that the node names takes its arguments; "" where one does, and where the name may mean something else.
std::string misfit(const ir::Node& node);
// Whether a call does more than compute its result, as far as its name alone tells: x.add_(...), operator.iadd, operator.setitem.
bool impure_by_name(const ir::Node& node);
// The operator of numbers and lists that a function of Python's module `operator` means ("floordiv", "getitem"); null where there is none.
const OverloadSet* number_operator(std::string_view function);
// Which places of a list of n Python's slice start:end:step takes, in its order; step is not 0.
std::vector<int64_t> slice_places(int64_t n, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step);
// The node's arguments in the places of this operator's schema, spelled as it says, defaults filled in; absent where they have none.
std::optional<ir::Args> bound_args(const Operator& op, const ir::Node& node);

}  // namespace monograph
