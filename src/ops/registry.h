// The registry of operators: filled once by the families, open to operators of users for as long as the process lives.
//
// Any thread may register an operator while others run graphs. Those who look one up take no lock: a record is complete when it is published, at
// the end of the statement that makes it.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <type_traits>

#include "ops/name_map.h"
#include "ops/record.h"

namespace monograph {

class Registry;

// Every operator of Monograph, family by family (ops/families/families.cpp).
void register_families(Registry& r);
// The same again under other names, in a build that is a trial of growth (cmake/Copies.cmake); else nothing.
void register_copies(Registry& r);
// "aten::add.Tensor" as copy 2 of the families has it: "aten::add_copy2.Tensor"; "aten::relu_" becomes "aten::relu_copy2_".
std::string copied_name(std::string_view full_name, uint32_t copy);

// The fluent end of a record. Every statement applies to all overloads of the record. The last copy publishes them when it dies.
class OpBuilder {
 public:
  // The first overload.
  const Operator& record() const { return *statement_->ops[0]; }
  OpBuilder& promote(Promote p);
  OpBuilder& dtypes(DTypeSet s);  // of the computation
  OpBuilder& fixed(size_t value, DType t);  // this value of the body does not follow promotion
  OpBuilder& one_dtype();  // tensors of several dtypes raise
  OpBuilder& refuses_bool();  // of an operand, whatever the others
  OpBuilder& counts_bool();  // bools are computed with as int64
  OpBuilder& crosses_devices();  // its tensors may lie on different ones
  OpBuilder& storage_only(StorageOnly how);  // of an operator that takes tensors of storage-only dtypes; after its forms
  OpBuilder& contiguous_result();  // whatever the operands' layout
  OpBuilder& scalars_promote();  // numbers count as Python numbers in promotion
  OpBuilder& number_check(size_t value, NumberCheck check);  // where it is another than Computed, or None for `other` and `self`
  OpBuilder& takes_byte_mask();  // where a bool is asked for (where's condition)
  OpBuilder& keeps_numbers();  // beside 16 bits
  OpBuilder& wide_numbers();  // and are int64 beside integers of any width
  OpBuilder& raises(const char* message);
  OpBuilder& refuses(const char* message);  // the same where a number among the arguments decides, not elements: no effect
  OpBuilder& inplace(const char* overload = "");  // adds name_, of this overload where the record has none
  // Adds the out= overload; PyTorch calls that of a .Tensor overload "out" in arithmetic and "Tensor_out" elsewhere.
  OpBuilder& out(const char* tensor_overload = "out");
  OpBuilder& out_named(const char* overload);  // of a statement of one overload: where PyTorch calls its out= form otherwise
  // Of an operator with several results: its out= form, of this overload and with these names for what it writes.
  OpBuilder& out_named(const char* overload, std::initializer_list<const char*> names);
  // After out(): which dtypes an out= tensor may have, where that is another than OutDType::ByKind.
  OpBuilder& out_dtype(OutDType how, DTypeSet among = kAllDTypes);
  OpBuilder& out_dtype(const char* overload, OutDType how);  // of one overload of several in the statement, as "Tensor_out"
  OpBuilder& inplace_view();  // of a view: adds NAME_, which gives the tensor the sizes and strides of the view
  OpBuilder& copies();  // of a view whose samples and gradient are stated: adds NAME_copy, which shares no memory, and its out= form
  // Other names of the operator, after its in-place and out= forms: "multiply" for all overloads and forms, "true_divide.Tensor" for one overload and its
  // in-place form, or the schema of one overload whose arguments have other names. A call by such a name is a call of this record.
  OpBuilder& alias(std::initializer_list<const char*> names);
  OpBuilder& functional(const char* full_name);  // of a writing record: its form without effects, which stands before it
  OpBuilder& inverse(const char* call);  // of a view that shows every element once: "transpose.int(src, dim0, dim1)"
  // Of any other view that can be written through: adds NAME_scatter, with its samples. Without them it is none of PyTorch's, nor of Python's.
  OpBuilder& scatter(const char* samples);
  OpBuilder& scatter(None reason);
  OpBuilder& gradient(GradFn rule);
  OpBuilder& gradient(Derived);  // from the body
  OpBuilder& gradient(None reason);
  OpBuilder& piecewise_linear();  // its second derivatives are zeros, not missing, as PyTorch has those of relu
  OpBuilder& slope(size_t value, SlopeFn f);  // a stated slope of the body by one of its values; implies a gradient from slopes
  // Another body, with its slope, where the str argument has this value.
  OpBuilder& variant(const char* argument, const char* value, Body1 body, SlopeFn slope);
  OpBuilder& decompose(DecomposeFn f, Reads reads = Reads::Sizes);
  OpBuilder& check(StructuredKernel f);  // looks at elements before the decomposition runs; what it says is bad_data
  OpBuilder& decompose(None reason);  // a core operator, though its body has several instructions
  OpBuilder& eval(EvalFn f);
  OpBuilder& rule(RuleFn f);  // ops/rule.h
  OpBuilder& kernel(StructuredKernel f);  // kernels/call.h
  OpBuilder& contiguous_args();  // its kernel reads tensors without gaps
  OpBuilder& prepare(PrepareFn f);  // what its kernel reads beside its arguments
  // Sizes of its result depend on elements, where the rule says wait_for_elements(): how many there are, or the call in other operators.
  OpBuilder& sized_by_elements(MeasureFn f);
  OpBuilder& sized_by_elements(DecomposeFn f);
  OpBuilder& writes_again();  // it may write an element several times, so that self may show one several times
  // What it says of elements that cannot be, by KernelStatus; {value}, {limit}, {place} and names of arguments are filled in.
  OpBuilder& bad_data(ErrorKind kind, const char* first, const char* second = nullptr, const char* third = nullptr);
  OpBuilder& size_value(SizeValueFn f);  // what its result is worth as sizes (ops/size_values.h)
  OpBuilder& attribute(const char* name);  // x.NAME is a call of it
  OpBuilder& takes_element();  // of a list, at a place
  OpBuilder& assigns();  // the second argument's elements to all of the first
  OpBuilder& canonical(CanonicalFn f);  // a step of the canonical form
  OpBuilder& may_return(const char* argument);  // itself, where there is nothing to do: of which the schema, as PyTorch's, says nothing
  OpBuilder& changes_geometry();  // argument 0 gets other sizes, strides or memory
  OpBuilder& effects(ir::Effects e);  // beyond what the schema's alias marks say
  OpBuilder& onnx(const char* rule);  // ops/onnx_rule.h
  OpBuilder& onnx(None reason);
  OpBuilder& contracts(int argument, Contraction::Terms terms = Contraction::Terms::LastDim);
  OpBuilder& commutative();
  OpBuilder& numbers_as_tensors();  // a number may stand for any tensor argument: torch.mul(2, x)
  OpBuilder& number_first();  // a number may stand before a tensor: torch.remainder(2, x)
  OpBuilder& method_only();
  OpBuilder& function_only();
  OpBuilder& namespaced(const char* python_module);  // "_nn", where torch.nn.functional finds it: instead of in torch
  OpBuilder& autocast(
      Autocast how);  // what torch.autocast casts its arguments to; its forms in place and with out= are left alone, as in PyTorch
  OpBuilder& doc(const char* text);
  // What the generic tests call it with; `overload` for one of several in the statement. Read by tests alone.
  OpBuilder& samples(const char* text);
  OpBuilder& samples(const char* overload, const char* text);
  OpBuilder& samples(None reason);
  OpBuilder& special(Special s, const char* reason);  // a reason for readers of the record
  OpBuilder& special(const char* overload, Special s, const char* reason);

 private:
  friend class Registry;
  struct Statement {
    explicit Statement(Registry& r) : registry(r) {}
    Statement(const Statement&) = delete;
    ~Statement();
    Registry& registry;
    std::vector<Operator*> ops;  // the functional overloads
    std::vector<Operator*> forms;  // in-place and out= forms made from them
    std::vector<Operator*> in_place_views;
    std::vector<std::unique_ptr<Operator>> operators;  // all of them, in order, until they are published
    std::vector<std::unique_ptr<Operator>> aliases;  // the other names of `operators`
    const int exceptions = std::uncaught_exceptions();
  };
  explicit OpBuilder(Registry& r) : statement_(std::make_shared<Statement>(r)) {}
  std::shared_ptr<Statement> statement_;
  Operator& add_scatter(Operator& view);
  void add_alias(const Operator& of, std::string_view schema);
  Operator& add_form(const Operator& of, std::string_view schema);
  void add_out(const Operator& op, std::string_view overload);
  template <class F>
  OpBuilder& each(F&& f);
};

class Registry {
 public:
  static Registry& global();

  void begin_family(std::string_view name);  // while the registry is filled
  void begin_copy(uint32_t copy) { copy_ = copy; }  // of all families: what follows is registered under other names
  OpBuilder op(std::initializer_list<const char*> schemas);
  OpBuilder op(const char* schema) { return op({schema}); }
  // A pointwise operator. The body is a captureless function of one to four Nums, one a Tensor or Scalar argument of the schema, in order;
  // where it also takes Complex values, complex dtypes are in.
  template <class F>
  OpBuilder pointwise(std::initializer_list<const char*> schemas, F body) {
    return add_pointwise(schemas, any_body(body));
  }
  template <class F>
  OpBuilder pointwise(const char* schema, F body) {
    return add_pointwise({schema}, any_body(body));
  }
  OpBuilder rows(std::initializer_list<const char*> schemas, RowRule rule);

  const Operator* find(std::string_view full_name) const;  // "aten::add.Tensor", "aten::relu"
  // "aten::add", as it is at this time: another overload makes another set.
  const OverloadSet* find_overloads(std::string_view name) const;
  // Those that x.NAME means.
  const OverloadSet* find_attribute(std::string_view name) const;
  // Those that are there at this time, in order; without aliases.
  GrowingList<const Operator>::Snapshot all() const { return operators_.view(); }
  // The other names of records, as operators whose `alias_of` is set.
  GrowingList<const Operator>::Snapshot aliases() const { return aliases_.view(); }

 private:
  friend class OpBuilder;
  template <class F>
  static AnyBody any_body(F f);
  OpBuilder add_pointwise(std::initializer_list<const char*> schemas, AnyBody body);
  std::unique_ptr<Operator> make(std::string_view schema);
  Operator& add(OpBuilder::Statement& statement, std::string_view schema);
  void publish_one(std::unique_ptr<Operator> op, GrowingList<const Operator>& list);
  void publish(OpBuilder::Statement& statement);
  void give_up(const OpBuilder::Statement& statement);
  std::mutex mutex_;  // of writers
  std::string family_ = "user";
  uint32_t copy_ = 0;
  std::set<std::string, std::less<>> names_;  // of published operators, and of those that are being made
  std::vector<std::unique_ptr<Operator>> owned_;
  std::vector<std::unique_ptr<const OverloadSet>> owned_sets_;
  GrowingList<const Operator> operators_;
  GrowingList<const Operator> aliases_;
  GrowingList<const Operator> attributes_;
  NameMap<const Operator> by_name_;
  NameMap<const OverloadSet> by_base_;
};

template <class F>
AnyBody Registry::any_body(F f) {
  AnyBody body;
  if constexpr (std::is_invocable_v<F, Num>) body.arity = 1, body.real = reinterpret_cast<void*>(static_cast<Body1>(f));
  else if constexpr (std::is_invocable_v<F, Num, Num>) body.arity = 2, body.real = reinterpret_cast<void*>(static_cast<Body2>(f));
  else if constexpr (std::is_invocable_v<F, Num, Num, Num>) body.arity = 3, body.real = reinterpret_cast<void*>(static_cast<Body3>(f));
  else body.arity = 4, body.real = reinterpret_cast<void*>(static_cast<Body4>(f));
  if constexpr (std::is_invocable_v<F, Complex>) {
    body.complex_gives_real = std::is_same_v<std::invoke_result_t<F, Complex>, Num>;
    if constexpr (std::is_same_v<std::invoke_result_t<F, Complex>, Num>)
      body.complex = reinterpret_cast<void*>(static_cast<ComplexReal1>(f));
    else body.complex = reinterpret_cast<void*>(static_cast<Complex1>(f));
  } else if constexpr (std::is_invocable_v<F, Complex, Complex>) {
    body.complex_gives_real = std::is_same_v<std::invoke_result_t<F, Complex, Complex>, Num>;
    if constexpr (std::is_same_v<std::invoke_result_t<F, Complex, Complex>, Num>)
      body.complex = reinterpret_cast<void*>(static_cast<ComplexPredicate>(f));
    else body.complex = reinterpret_cast<void*>(static_cast<Complex2>(f));
  } else if constexpr (std::is_invocable_v<F, Complex, Complex, Complex>) {
    body.complex = reinterpret_cast<void*>(static_cast<Complex3>(f));
  } else if constexpr (std::is_invocable_v<F, Complex, Complex, Complex, Complex>) {
    body.complex = reinterpret_cast<void*>(static_cast<Complex4>(f));
  }
  return body;
}

}  // namespace monograph
