// Inference: the types and symbolic sizes of an operator's results from what is known of its arguments. One rule a record, over SymInt sizes; graphs
// ask it with nodes, the meta device with values.
//
//   void infer_unsqueeze(InferCall& c) {                      stated beside the record as .infer(infer_unsqueeze)
//     Shape s = c.sizes(0);
//     auto d = c.integer(1);
//     if (s && d) s->insert(s->begin() + wrap_dim(*d, s->size() + 1), SymInt(1));
//     c.result(c.like(0, s));
//   }
//
// Nothing that is unknown is guessed: an absent size, dtype or rank stays absent in the result. What cannot be right raises Error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/symint.h"
#include "ir/type.h"
#include "ops/record.h"

namespace monograph {

using Dim = ir::TensorType::Dim;  // absent: unknown
using Shape = std::optional<std::vector<Dim>>;  // absent: unknown rank

// What is known of one argument.
struct Fact {
  ir::Type type;  // null: nothing; of a list of unknown length its type only
  ir::TensorType tensor;  // of a tensor
  std::optional<SymInt> integer;  // the value of an int or bool
  std::optional<double> number;  // the value of a real number
  std::optional<DType> dtype;  // of a dtype
  std::optional<Device> device;  // of a device
  std::optional<std::vector<Fact>> items;  // of a list or tuple
  std::string text;  // of a str
  bool is_none = false;
  bool wrapped = false;  // a tensor made of a Python number, which weighs less in promotion
  bool is_tensor() const { return type.is(ir::TypeKind::Tensor); }
  bool unknown() const { return !type && !is_none; }
  static Fact of(const IValue& value);
  static Fact of(ir::ArgRef arg);
};

class InferCall {
 public:
  // Arguments in the places of the schema.
  InferCall(const Operator& op, std::vector<Fact> args) : op(op), args_(std::move(args)) {}

  const Operator& op;
  const Fact& arg(size_t i) const { return args_[i]; }
  size_t count() const { return args_.size(); }
  bool none(size_t i) const { return args_[i].is_none; }
  // Of a tensor argument.
  const Shape& sizes(size_t i) const { return args_[i].tensor.sizes; }
  std::optional<DType> dtype(size_t i) const { return args_[i].tensor.dtype; }
  // Of a number, a dtype, a list of ints or of tensors: absent where it is not known.
  std::optional<int64_t> integer(size_t i) const;
  Dim size(size_t i) const { return args_[i].integer; }
  std::optional<bool> truth(size_t i) const;
  Shape size_list(size_t i) const;  // int[]; one number is a list of one
  std::optional<std::vector<int64_t>> int_list(size_t i) const;
  // A dim argument, wrapped, where it and the rank are known.
  std::optional<size_t> dim(size_t i, const Shape& of) const;

  // The next result.
  void result(ir::Type t) { results_.push_back(t); }
  void tensor(const Shape& sizes, std::optional<DType> dtype);
  void like(size_t i, const Shape& sizes) { tensor(sizes, dtype(i)); }  // argument i in other sizes
  // A tensor as a factory makes it: of the dtype= and device= that the call names, else of these; without a device, on the CPU.
  void made(const Shape& sizes, std::optional<DType> otherwise);
  // The dtype that a number brings where it decides alone.
  std::optional<DType> number_dtype(size_t i) const;
  // The dtype that these operands promote to, tensors and numbers; those that are None do not count.
  std::optional<DType> promoted(std::span<const size_t> which) const;
  // Of a result that is a list: how many elements it has, where that is known.
  void length(const Dim& n) { length_ = n; }
  const Dim& length() const { return length_; }
  // Results so far; where the rule gave none, what the schema says.
  std::vector<ir::Type> take() { return std::move(results_); }

 private:
  std::optional<Device> device() const;
  std::vector<Fact> args_;
  std::vector<ir::Type> results_;
  Dim length_;
};

// PyTorch's broadcast as far as it is known; Error where it cannot be.
Shape broadcast(const Shape& a, const Shape& b, std::string_view op);
// The product of sizes; absent where one is.
Dim product(std::span<const Dim> sizes);
// The dim of equal content where both are known and equal, else whichever is known; Error (the message) where they cannot be equal.
Dim same_dim(const Dim& a, const Dim& b, std::string_view message);

// The rules of pointwise and row records.
void infer_pointwise(InferCall& call);
void infer_rows(InferCall& call);
// The results of a call: by the stated rule, the record's own, or the schema.
std::vector<ir::Type> infer_results(const Operator& op, std::vector<Fact> args);
// The dtype that a number brings where it decides alone.
std::optional<DType> dtype_of_number(const Fact& number);
// How many elements the list has that this call of `op` gives; absent where no rule says it.
Dim infer_length(const Operator& op, const ir::Node& node);

// Whether a call with a meta tensor runs by inference, and its results where it does: the operator's evaluation would read elements.
bool run_meta(const Operator& op, const IValue* args, IValue* results);

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
