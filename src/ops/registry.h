// The registry of operators: filled once by the families, open to operators of users for as long as the process lives.
//
// Any thread may register an operator while others run graphs. Looking one up takes no lock, because a record is complete when it is published: at the end of
// the statement that makes it.
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
// Registers all families again under other names, in a build that tests how the project grows (cmake/Copies.cmake). In other builds it does nothing.
void register_copies(Registry& r);
// The name of an operator in such a copy of the families. In copy 2, "aten::add.Tensor" is "aten::add_copy2.Tensor", and "aten::relu_" is "aten::relu_copy2_".
std::string copied_name(std::string_view full_name, uint32_t copy);

// The fluent end of a record. Every statement applies to all overloads of the record. The last copy publishes them when it dies.
class OpBuilder {
 public:
  // The first overload.
  const Operator& record() const { return *statement_->ops[0]; }
  OpBuilder& promote(Promote p);
  OpBuilder& dtypes(DTypeSet s);  // in which it computes
  OpBuilder& fixed(size_t value, DType t);  // this value of the body does not follow promotion
  OpBuilder& one_dtype();  // tensors of different dtypes are an error
  OpBuilder& refuses_bool();  // a bool operand is an error, whatever the others are
  OpBuilder& counts_bool();  // bools are computed in int64
  OpBuilder& crosses_devices();  // its tensors may be on different devices
  OpBuilder& quantized(Quantized how);  // it takes tensors of quantized dtypes; stated after its forms
  OpBuilder& storage_only(StorageOnly how);  // it takes tensors of storage-only dtypes; stated after its forms
  OpBuilder& contiguous_result();  // the result is contiguous, whatever the layout of the operands
  OpBuilder& scalars_promote();  // numbers count as Python numbers in promotion
  OpBuilder& number_check(size_t value, NumberCheck check);  // the default is Computed, and None for arguments named `other` and `self`
  OpBuilder& takes_byte_mask();  // a condition or mask may be uint8 in place of bool
  OpBuilder& keeps_numbers();  // a number beside a 16-bit tensor is not rounded to 16 bits
  OpBuilder& wide_numbers();  // a number beside integers of any width is an int64
  OpBuilder& raises(const char* message);  // the error of a RaiseIf of the body; adds the effect may_raise
  OpBuilder& refuses(const char* message);  // the same if only numbers among the arguments, no elements, cause the error; adds no effect
  OpBuilder& inplace(const char* overload = "");  // adds NAME_; `overload` is its overload name if the record has none
  // Adds the out= overload; PyTorch calls that of a .Tensor overload "out" in arithmetic and "Tensor_out" elsewhere.
  OpBuilder& out(const char* tensor_overload = "out");
  OpBuilder& out_named(const char* overload);  // for a statement of one overload: PyTorch's overload name of its out= form
  // For an operator with several results: the overload name of its out= form, and the names of the arguments that it writes.
  OpBuilder& out_named(const char* overload, std::initializer_list<const char*> names);
  // After out(): which dtypes an out= tensor may have, if that is not OutDType::ByKind.
  OpBuilder& out_dtype(OutDType how, DTypeSet among = kAllDTypes);
  OpBuilder& out_dtype(const char* overload, OutDType how);  // for one overload of several in the statement, such as "Tensor_out"
  // The same for out= forms that torch.ops alone has. PyTorch generates them, and its functions take no out=. The tensor must have the result's dtype.
  OpBuilder& operator_out();
  OpBuilder& operator_out(const char* overload, std::initializer_list<const char*> names = {"out"});
  OpBuilder& inplace_view();  // for a view: adds NAME_, which gives the tensor the sizes and strides of the view
  OpBuilder& copies();  // for a view, after its samples and gradient: adds NAME_copy, which shares no memory, and its out= form
  // Other names of the operator, after its in-place and out= forms: "multiply" for all overloads and forms, "true_divide.Tensor" for one overload and its
  // in-place form, or the schema of one overload whose arguments have other names. A call by such a name is a call of this record.
  OpBuilder& alias(std::initializer_list<const char*> names);
  // Other overloads of PyTorch that the same call computes, which torch.ops and TorchScript alone have: whole schemas. They may lack the last arguments, which
  // then have their defaults, and their types may be narrower.
  OpBuilder& spelled(std::initializer_list<const char*> schemas);
  OpBuilder& functional(const char* full_name);  // for a record that writes an argument: its form without effects, stated before it
  OpBuilder& inverse(const char* call);  // for a view that shows every element once: "transpose.int(src, dim0, dim1)"
  // For any other view that can be written through: adds NAME_scatter, with its samples. With a reason in place of samples, PyTorch has no such operator, and
  // Python's package has no function or method for it.
  OpBuilder& scatter(const char* samples);
  OpBuilder& scatter(None reason);
  OpBuilder& gradient(GradFn rule);
  OpBuilder& gradient(Derived);  // from the body
  OpBuilder& gradient(None reason);
  OpBuilder& piecewise_linear();  // its second derivatives are zeros and not missing, like relu's in PyTorch
  OpBuilder& slope(size_t value, SlopeFn f);  // a stated slope of the body by one of its values; implies a gradient from slopes
  // Another body, with its slope, for calls in which the str argument has this value.
  OpBuilder& variant(const char* argument, const char* value, Body1 body, SlopeFn slope);
  OpBuilder& decompose(DecomposeFn f, Reads reads = Reads::Sizes);
  // For eager calls alone, which record nothing and have no gradient: the call by other operators, faster than decompose() and with the same bits; None leaves it
  // to decompose().
  OpBuilder& decompose_eagerly(DecomposeFn f);
  OpBuilder& check(StructuredKernel f);  // checks elements before the decomposition runs; its errors are those of bad_data()
  OpBuilder& decompose(None reason);  // a core operator, though its body has several instructions
  OpBuilder& eval(EvalFn f);
  OpBuilder& rule(RuleFn f);  // ops/rule.h
  OpBuilder& kernel(StructuredKernel f);  // kernels/call.h
  OpBuilder& contiguous_args();  // its kernel needs contiguous tensors
  OpBuilder& prepare(PrepareFn f);  // makes what its kernel reads beside its arguments
  // For results whose sizes depend on elements (the rule calls wait_for_elements()): how many elements there are, or a decomposition.
  OpBuilder& sized_by_elements(MeasureFn f);
  OpBuilder& sized_by_elements(DecomposeFn f);
  OpBuilder& writes_again();  // it may write an element several times, so `self` may show one element at several places
  // The errors for bad elements, in the order of KernelStatus. {value}, {limit}, {place} and names of arguments are filled in.
  OpBuilder& bad_data(ErrorKind kind, const char* first, const char* second = nullptr, const char* third = nullptr);
  OpBuilder& size_value(SizeValueFn f);  // the value of its result in terms of symbolic sizes (ops/size_values.h)
  // What PyTorch's node of a call keeps besides its arguments and results: `grad_fn._saved_NAME`.
  OpBuilder& keeps(const char* name, IValue (*compute)(const IValue* args));
  OpBuilder& one_step();  // its node in PyTorch has another operator's name and the same arguments: that of det is LinalgDetBackward0
  OpBuilder& attribute(const char* name);  // x.NAME calls it
  OpBuilder& takes_element();  // it returns an element of a list
  OpBuilder& assigns();  // it writes the elements of the second argument over all of the first
  OpBuilder& canonical(CanonicalFn f);  // rewrites a call of it in a graph's canonical form
  OpBuilder& shares_memory(
      const char* argument);  // its result shows this argument's memory, of which the schema, as PyTorch's, says nothing
  OpBuilder& may_return(const char* argument);  // it returns this argument itself if there is nothing to do
  OpBuilder& reads_sizes_alone();  // of its first argument it reads no elements: sizes, dtype and device decide the result
  OpBuilder& changes_geometry();  // argument 0 gets other sizes, strides or memory
  OpBuilder& effects(ir::Effects e);  // beside those that the schema's alias marks state
  OpBuilder& onnx(const char* rule);  // ops/onnx_rule.h
  OpBuilder& onnx(None reason);
  OpBuilder& contracts(int argument, Contraction::Terms terms = Contraction::Terms::LastDim);
  OpBuilder& commutative();
  OpBuilder& numbers_as_tensors();  // a number may stand for any tensor argument: torch.mul(2, x)
  OpBuilder& number_first();  // a number may stand before a tensor: torch.remainder(2, x)
  OpBuilder& method_only();
  OpBuilder& function_only();
  OpBuilder& namespaced(const char* python_module);  // it is in this module and not in torch: "_nn", where torch.nn.functional finds it
  // What torch.autocast casts its arguments to. As in PyTorch, its in-place and out= forms are not cast.
  OpBuilder& autocast(Autocast how);
  OpBuilder& doc(const char* text);
  // The calls that the generic tests make; `overload` is one of several in the statement. Only tests read them.
  OpBuilder& samples(const char* text);
  OpBuilder& samples(const char* overload, const char* text);
  OpBuilder& samples(None reason);
  OpBuilder& special(Special s, const char* reason);  // the reason is for readers of the record
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
  Operator& add_alias(const Operator& of, std::string_view schema);
  Operator& add_form(const Operator& of, std::string_view schema);
  void add_out(const Operator& op, std::string_view overload);
  OpBuilder& hide_forms(size_t first);
  template <class F>
  OpBuilder& each(F&& f);
};

class Registry {
 public:
  static Registry& global();

  void begin_family(std::string_view name);  // while the registry is filled
  void begin_copy(uint32_t copy) { copy_ = copy; }  // the following families are registered under the names of this copy
  OpBuilder op(std::initializer_list<const char*> schemas);
  OpBuilder op(const char* schema) { return op({schema}); }
  // A pointwise operator. The body is a captureless function of one to four Nums: one for each Tensor or Scalar argument of the schema, in order. If it also
  // takes Complex values, the operator supports complex dtypes.
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
  // The overloads of "aten::add" that are registered now. A set never changes; registering another overload makes a new set.
  const OverloadSet* find_overloads(std::string_view name) const;
  // The overloads that x.NAME calls.
  const OverloadSet* find_attribute(std::string_view name) const;
  // The operators that are registered now, in order, without aliases.
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
  std::mutex mutex_;  // held by writers
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
