// The operator record: everything that Monograph knows of an operator, stated once.
//
// A family file (src/ops/pointwise.cpp, reductions.cpp, ...) fills a Registry with one statement an operator:
//
//   r.pointwise("silu(Tensor self) -> Tensor", [](Num x) { return x / (1.0 + exp(-x)); })
//       .promote(Promote::Float)
//       .inplace()
//       .gradient(derived);
//
// From the record come eager dispatch (with the in-place and out= forms), type and symbolic shape inference, effects, gradients, the
// Python function and method, the decomposition, code generation, files, documentation, and the parameters of the generic tests.
// docs/adding_an_operator.md shows the change that adds one.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/ivalue.h"
#include "ir/op.h"
#include "kernels/call.h"
#include "kernels/launch.h"
#include "ops/complex.h"
#include "ops/elementary/elementary.h"
#include "ops/num.h"

namespace monograph {

class Operator;

// What torch.autocast casts the floating tensors among the arguments of a call to (autograd/autocast.h).
enum class Autocast : uint8_t {
  None,
  LowerPrecision,  // they become the dtype of the region
  Float32,
  Widest,  // float32 if one of them is, else the dtype of the region
  AsGiven,  // nothing, nor those of the operators that it is made of, since PyTorch has a kernel for it
};

// How the dtypes of a pointwise operator's arguments become the one it computes in, and the one it returns.
enum class Promote : uint8_t {
  Same,     // the promoted dtype (add, mul)
  Float,    // integers and bool become the default dtype (exp, div)
  Compare,  // computes in the promoted dtype, returns bool
  Logical,  // arguments become bool by x != 0, returns bool
};

// Whether an operator with an implementation of its own takes tensors of storage-only dtypes (core/dtype.h).
enum class StorageOnly : uint8_t {
  Refused,
  AsBits,  // its kernel only moves elements, and is told a dtype of the same size
  Taken,  // as they are: it converts them, or asks nothing of their elements
};

// A set of dtypes, one bit each.
using DTypeSet = uint32_t;
constexpr DTypeSet set_of(std::initializer_list<DType> types) {
  DTypeSet s = 0;
  for (DType t : types) s |= DTypeSet{1} << static_cast<int>(t);
  return s;
}
inline constexpr DTypeSet kAllDTypes = (DTypeSet{1} << kComputedDTypeCount) - 1;  // that operators compute in
inline constexpr DTypeSet kFloating = set_of({DType::f16, DType::bf16, DType::f32, DType::f64});
inline constexpr DTypeSet kComplex = set_of({DType::c64, DType::c128});
inline constexpr DTypeSet kIntegral = set_of({DType::u8, DType::i8, DType::i16, DType::i32, DType::i64});
inline constexpr DTypeSet kBool = set_of({DType::b1});
inline bool contains(DTypeSet s, DType t) { return s >> static_cast<int>(t) & 1; }

// What is asked of a number among the arguments of a pointwise call: the dtype that its elements are computed in must hold it.
enum class NumberCheck : uint8_t {
  Computed,  // beside 16 bits that is float32
  Stored,  // 16 bits themselves: PyTorch stores it first
  Unsigned,  // Computed, and beside an unsigned dtype it is not negative
  BesideIntegers,  // nothing is asked beside floats
  Weight,  // it weighs an operand, and is of the result's kind (add's alpha)
  None,  // it stands for a tensor, and is converted as that would be
};

using Body1 = Num (*)(Num);
using Body2 = Num (*)(Num, Num);
using Body3 = Num (*)(Num, Num, Num);
using Body4 = Num (*)(Num, Num, Num, Num);
using Complex1 = Complex (*)(Complex);
using ComplexReal1 = Num (*)(Complex);
using Complex2 = Complex (*)(Complex, Complex);
using ComplexPredicate = Num (*)(Complex, Complex);
using Complex3 = Complex (*)(Complex, Complex, Complex);
using Complex4 = Complex (*)(Complex, Complex, Complex, Complex);

// A pointwise body of one to four values: tensors, or Scalars that are the same for every element.
struct AnyBody {
  int arity = 0;
  void* real = nullptr;     // Body1..4 by arity
  void* complex = nullptr;  // Complex1..4, ComplexReal1 or ComplexPredicate, or null: complex dtypes are refused
  bool complex_gives_real = false;
  Num operator()(const Num* x) const;
  Complex operator()(const Complex* x) const;
  Num real_of(const Complex* x) const;  // where complex_gives_real
};

// What a gradient rule sees: the operator's arguments and results, the gradients of its results, and where to put those of its arguments.
// Values that a write has changed since the call raise an error when a rule asks for them, and only then.
class GradCall {
 public:
  struct Saved {
    std::vector<IValue> args, results;
    std::vector<uint32_t> arg_versions, result_versions;  // of tensors; lists of tensors are not checked
    bool released = false;  // by a backward pass that kept nothing: tensors have sizes and no elements
  };
  // `recorded` are the arguments as the capture around has them, where there is one: numbers that its graph computes among them.
  GradCall(const Operator& op, const Saved& saved, const std::vector<Tensor>& grads, const IValue* recorded = nullptr);
  // Where the first result is complex, values and results are conjugates: the gradient is the incoming one times the conjugate of the slope, so that a
  // rule that is right for real numbers is right for every operator that has a complex derivative. Where it is real (abs, a norm) or has no such
  // derivative (sgn), the rule is stated for complex numbers too; plain() and plain_result() are what the call had.
  const IValue& value(size_t i) const;
  Tensor arg(size_t i) const { return value(i).to_tensor(); }
  Tensor result(size_t i = 0) const;
  const IValue& plain(size_t i) const;
  Tensor plain_result(size_t i = 0) const;
  // Of a tensor argument; free of the check. While a capture records they are symbols where the argument's are, and hold for every size.
  Sizes sizes(size_t i) const;
  size_t dim(size_t i) const { return saved_.args[i].as_tensor().sizes().size(); }
  DType dtype(size_t i) const { return saved_.args[i].as_tensor().dtype(); }  // likewise
  // Unchecked: of tensors in them only sizes and dtypes may be asked.
  const IValue* values() const { return saved_.args.data(); }
  Tensor grad(size_t i = 0) const { return grads_[i]; }  // undefined where nothing flows back
  bool needs(size_t i) const;  // whether argument i (or an element of it, if a list) wants a gradient
  void set(size_t i, Tensor g) { arg_grads_[i] = {std::move(g)}; }
  void set_list(size_t i, std::vector<Tensor> g) { arg_grads_[i] = std::move(g); }
  std::vector<std::vector<Tensor>> take() { return std::move(arg_grads_); }
  const Operator& op;

 private:
  void check(const Tensor& t, uint32_t version) const;
  const Saved& saved_;
  const std::vector<Tensor>& grads_;
  const IValue* recorded_;
  const bool conjugates_;
  mutable std::vector<IValue> conjugated_;  // the arguments that were asked for
  std::vector<std::vector<Tensor>> arg_grads_;
};

using EvalFn = void (*)(const Operator& op, const IValue* args, IValue* results);
using GradFn = void (*)(GradCall& call);
using DecomposeFn = IValue (*)(const IValue* args);
// The one size of a result that depends on elements.
using MeasureFn = int64_t (*)(const KernelCall& call);
// What a kernel reads beside its arguments, kept between calls: a weight in its own order. Null where there is nothing.
using PrepareFn = std::shared_ptr<const void> (*)(const IValue* args);
// What a stated decomposition asks its tensors for besides their dtypes and ranks: on a graph it applies where that is known.
enum class Reads : uint8_t {
  Nothing,
  Symbols,  // sizes by sizes_of() and size_of(): symbols of a graph will do
  Sizes,  // sizes as numbers
  // Or whether they are contiguous, which is never known of a graph. It chooses between a view and a copy alone: the result has the elements of
  // argument 0 in their order.
  Strides,
};

// Rules that are missing on purpose carry the reason; a blank fails the build (tools/support_matrix).
struct Derived {};
inline constexpr Derived derived;  // from the body, through the elementary functions' slopes; the edge tests decide whether it may stand
struct None {
  const char* reason;
  bool constant = false;
};
inline None none(const char* reason) { return {reason}; }
// For a gradient: the result does not depend on the elements of the argument, so the argument gets no gradient. With none(), a gradient through a
// floating result is an error.
inline None constant(const char* reason) { return {reason, true}; }

// Slope of argument k of a pointwise operator: from the arguments x and the result y.
using SlopeFn = Num (*)(const Num* x, Num y);

struct PointwiseRule {
  AnyBody body;
  Promote promote = Promote::Same;
  std::array<bool, 4> promoting{};  // a Scalar that takes part in promotion as a Python number does
  std::array<NumberCheck, 4> number_check{};
  bool takes_byte_mask = false;  // a tensor that must be bool may be uint8
  DTypeSet dtypes = kAllDTypes;  // compute dtypes; complex ones count only where the body is generic
  std::array<int8_t, 4> fixed{-1, -1, -1, -1};  // a DType where value i does not follow promotion (where's condition is bool)
  std::array<SlopeFn, 4> slopes{};  // stated; null with derive: from the body
  bool derive = false;
  bool one_dtype = false;  // its tensors are of one dtype: none is promoted (lerp)
  bool refuses_bool = false;  // an operand of dtype bool, though the promoted dtype be another (sub)
  bool counts_bool = false;  // bools are int64 (square)
  bool contiguous = false;  // the result is, whatever the operands' layout (masked_fill)
  bool keeps_numbers = false;  // beside 16 bits, a number is not rounded to them (mul, div), as others are
  bool wide_numbers = false;  // beside integers, a number is an int64 whatever their width: its sign is seen (pow)
  uint32_t copy = 0;  // Operator::copy
  const char* raises = "";  // what a RaiseIf of the body means, in PyTorch's words
  std::array<uint8_t, 4> position{};  // value i of the body is argument position[i] of the schema
  std::array<bool, 4> is_scalar{};  // ... which is a Scalar: one value for all elements

  // The kernel in this compute dtype, made at its first use.
  const Kernel& kernel(DType compute) const;
  // The body in this compute dtype, with elementary functions as calls (`record`) or expanded away.
  Body record(DType compute) const;
  // The dtype that value k of the body lies in memory as.
  DType storage(size_t k, DType compute) const {
    if (fixed[k] >= 0) return static_cast<DType>(fixed[k]);
    if (!is_scalar[k] || promote == Promote::Compare) return compute;  // a number is rounded before it is compared
    if (wide_numbers && is_integral(compute)) return DType::i64;
    const bool operand = promoting[k] || number_check[k] == NumberCheck::Weight;
    return operand && !keeps_numbers ? compute : compute_type(compute);
  }
  // Whether the gradient by value k is the incoming one times a slope, stated or derived, and the body of that product over
  // (incoming gradient, values of the body, result). Of complex numbers it is written for their parts' dtype: the same formula.
  bool has_slope(int k) const { return !is_scalar[static_cast<size_t>(k)] && (derive || slopes[static_cast<size_t>(k)]); }
  Body record_backward(int k, DType compute) const;
  const Kernel& backward_kernel(int k, DType compute) const;
  DType result_dtype(DType compute) const {
    if (promote == Promote::Compare || promote == Promote::Logical) return DType::b1;
    return body.complex_gives_real ? real_type(compute) : compute;
  }
  // Whether it computes in this dtype: complex ones where the body is generic, or sees whether elements are 0.
  bool takes(DType compute) const {
    return contains(dtypes, compute) && (!is_complex(compute) || body.complex || promote == Promote::Logical);
  }

  // Whether the result's dtype is more than that of one operand: of several, or another by kind.
  bool promotes() const;

  // Another body for one value of a str argument (gelu's approximate="tanh").
  int variant_argument = -1;
  std::vector<std::pair<std::string, std::shared_ptr<PointwiseRule>>> variants;
  // The rule that these arguments choose.
  const PointwiseRule& chosen(const IValue* args) const;

 private:
  std::array<LazyKernel, 5 * kComputedDTypeCount> kernels_;  // the body, then its products with slopes
};

// A row program: reductions, softmax, norms. The body is recorded through RowContext, which tells it the dtype and which arguments are there.
class RowContext;
struct RowRule {
  void (*body)(RowContext& c) = nullptr;
  enum class Rows : uint8_t {
    Dim,  // argument dim_arg: one dim
    Dims,  // argument dim_arg: a list of dims; empty or None means all
    All,  // every dim
    NormalizedShape,  // argument dim_arg: the sizes of the last dims
  } rows = Rows::Dim;
  bool reduces = false;  // the results have one value a row
  int dim_arg = 1, keepdim_arg = -1;  // positions in the schema; -1: none
  int dtype_arg = -1;  // dtype=: the argument is converted first
  // Sum: integers and bool become int64; Promoted: they become the default dtype; Float: they are refused.
  // Real: of complex numbers their real dtype.
  enum class Result : uint8_t { Same, Sum, Promoted, Float, Bool, Index, Real } result = Result::Same;
  std::array<int8_t, 3> tensors{
      0, -1, -1};  // positions of the tensors: the first spans the rows, the others broadcast to it; absent ones may be None
  std::array<int8_t, 2> scalars{-1, -1};  // positions of the numbers that the body reads
  std::array<double, 2> scalar_defaults{};  // ... where None is given
  DTypeSet dtypes = kAllDTypes & ~kComplex;
  bool refuses_empty = false;  // a row without elements has no result (max), not an identity (sum)
  // What makes one of all complex numbers where no body can say it: their product mixes the parts. Those dtypes are not in `dtypes`. It reads
  // argument 0 without gaps.
  StructuredKernel complex = nullptr;
  uint32_t copy = 0;  // Operator::copy
  bool takes(DType t) const { return contains(dtypes, t) || (complex && is_complex(t)); }
  // Whether rows are computed in the dtype of an out= tensor, where the call states none.
  bool follows_out() const { return result == Result::Sum; }
  std::array<LazyKernel, kComputedDTypeCount * 8> kernels{};  // by dtype, the optional tensors that are there, and form
};

// Where the generic tests ask otherwise of a record than of the others of its kind. `./dev lint` counts those that one record alone has.
enum class Special : uint8_t {
  // Beside PyTorch's results:
  EitherZero,  // of two equal operands either may win: a zero of either sign is right
  MixedDtypes,  // operands of several dtypes are promoted here, and an error there
  OverflowIsNaN,  // a part of PyTorch's result overflows to NaN where the result is tiny
  TinyIsZero,  // PyTorch's bfloat16 result is 0 below 1e-29
  RoundsEachFactor,  // each element of a row may round once more, relative to what the product is
  BranchPoints,  // complex results lose bits near branch points
  Factorization,  // the error is relative to the largest element, and counts the roundings of a factorization
  TurnedVectors,  // its vectors are determined up to a sign or a phase, and PyTorch's LAPACK chooses another; its gradient depends on them
  OtherSchemaText,  // PyTorch prints its schema in other words
  // Beside PyTorch's gradients:
  GradientOverflowIsNaN,  // as above
  RoughGradient,  // PyTorch's series for it has an error of 1e-11
  FirstResultAlone,  // PyTorch drops what flows back into the other results
  // Of itself:
  LayoutMatters,  // the result, or an error, depends on the layout of the arguments by its meaning
  BeginsAtOne,  // its domain
  // In ONNX:
  ReadsBackOtherwise,  // its nodes are read as another record or another spelling, which is exported as the same nodes
  ReferenceDiffers,  // ONNX's reference implementation computes something else on its samples
};

// Which dtypes an out= tensor may have.
enum class OutDType : uint8_t {
  ByKind,  // Exact; Safe of a pointwise operator that promotes its operands; Computes of a sum of rows
  Exact,  // that of the result
  Safe,  // one that the result can be cast to: it is converted
  Any,  // it is converted, whatever is lost
  Computes,  // the elements are converted to it first, by dtype= if the operator has it. If a call states dtype= too, the two are equal
};

// How many products each element of a result sums: what an estimate of costs counts.
struct Contraction {
  enum class Terms : uint8_t {
    LastDim,  // of the argument: the rows of a product
    AllButFirst,  // of its dims: a convolution's weight
  } terms = Terms::LastDim;
  int argument = -1;  // -1: none, an element is an operation
};

// Of a structured operator, one that is neither pointwise nor a row program: what its results are, and every error about them (ops/rule.h).
class RuleCall;
using RuleFn = void (*)(RuleCall& call);
using CanonicalFn = bool (*)(ir::Node* node);
// What a node's int, or list of ints, is worth as sizes (ops/size_values.h).
class SizeCall;
struct SizeValue;
using SizeValueFn = SizeValue (*)(SizeCall& call);

// A resolved overload. The registry owns all of them; their addresses are stable.
class Operator : public ir::OpInfo {
 public:
  explicit Operator(ir::FunctionSchema schema) : OpInfo(std::move(schema), ir::Effects::none()) {}
  std::string_view base_name() const {  // "add"
    std::string_view n = schema().name();
    return n.substr(n.find("::") + 2);
  }
  ir::Type infer(const ir::Node& node) const override;
  bool canonicalize(ir::Node* node) const override;

  std::string family;  // the family's name: the file it is stated in
  std::string text;  // the schema as written, with its namespace
  // 0, and in a build that registers the families again under other names (cmake/Copies.cmake), which copy this is of them: 2, 3, ...
  uint32_t copy = 0;
  std::string original_name() const;  // of a copy: the name without its mark
  EvalFn eval = nullptr;
  RuleFn rule = nullptr;
  StructuredKernel kernel = nullptr;  // what fills the results that the rule says; none: they are views, or the operator is made of others
  bool contiguous_args = false;  // its kernel reads tensors without gaps
  PrepareFn prepare = nullptr;
  // Where a result's sizes depend on elements (RuleCall::wait_for_elements), one of two: how many there are, or the call in other operators once the
  // elements were read.
  MeasureFn measure = nullptr;
  DecomposeFn by_elements = nullptr;
  bool writes_again = false;  // it may write one element several times (fill_, index_put_)
  std::array<const char*, 3> bad_data{};  // what its kernel says of elements that cannot be, by KernelStatus
  ErrorKind bad_data_kind = ErrorKind::Runtime;
  SizeValueFn size_value = nullptr;  // of a result that is computed from sizes
  const char* attribute = nullptr;  // x.NAME, where that is a call of it
  bool takes_element = false;  // of a list (argument 0), at a place (argument 1)
  bool assigns = false;  // every element of argument 0 becomes that of argument 1
  CanonicalFn canonical_rule = nullptr;  // rewrites a node into operators of the canonical set
  GradFn gradient = nullptr;
  bool derived_gradient = false;  // from the body's slopes
  const char* no_gradient = nullptr;  // the reason, where there is none
  bool constant = false;  // ... since the result does not depend on the arguments' elements
  bool piecewise_linear = false;  // the gradient depends on the arguments, but its derivative with respect to them is zero (relu)
  DecomposeFn decompose = nullptr;  // in other public operators; eager too, where eval is missing
  StructuredKernel check = nullptr;  // looks at elements whose decomposition would fail with less to say, or not at all; without results
  Reads decompose_reads = Reads::Sizes;
  const char* no_decomposition = nullptr;  // the reason why it stays, though its body has several instructions
  std::shared_ptr<PointwiseRule> pointwise;
  std::shared_ptr<RowRule> rows;
  // Of an in-place or out= form: the form without effects. Its arguments begin with those of an in-place form; what it has beyond is optional.
  const Operator* functional = nullptr;
  // The record that this is another name of: everything but the schema is that record's, and calls go there.
  const Operator* alias_of = nullptr;
  void become_alias(const Operator& of);
  // A write through a view, as a value (passes/functionalize.h). Of a view that shows every element of argument 0 once: the call that gives it
  // back, over `src` (what the view is to show), `self` (argument 0) and the view's other arguments. Of one that shows some of them: NAME_scatter,
  // argument 0 with these replaced by src. With either, the result shows argument 0's memory, whatever its layout.
  const char* inverse = nullptr;
  const Operator* scatter = nullptr;
  const Operator* view = nullptr;  // of a NAME_scatter or NAME_copy: the view
  OutDType out_dtype = OutDType::ByKind;  // of an out= form
  DTypeSet out_dtypes = kAllDTypes;  // of an out= form that is not Exact: what else is asked of the dtype
  OutDType out_kind() const;
  // Argument 0 gets other sizes, strides or memory. Graphs hold no such call: a value's type is what it was made with.
  bool changes_geometry = false;
  const Operator* reshapes = nullptr;  // ... those of this view of it: of the in-place form of a view
  const char* onnx = nullptr;  // the rule of ops/onnx_rule.h
  const char* no_onnx = nullptr;
  const char* doc = "";
  // What tools/oracle/freeze_ops.py calls PyTorch's operator of this name with: a list of argument lists in Python, over the names of
  // tools/oracle/samples.py. Null: those of its kind, for a pointwise record and a row program.
  const char* samples = nullptr;
  const char* no_samples = nullptr;  // the reason, where PyTorch cannot be asked
  std::vector<Special> specials;
  bool is_special(Special s) const { return std::ranges::find(specials, s) != specials.end(); }
  const char* python_module = nullptr;  // where Python finds the function instead of in torch; null: in torch
  Contraction contraction;
  bool commutative = false;
  bool crosses_devices = false;  // its tensors may lie on different ones (copy_)
  StorageOnly storage_only = StorageOnly::Refused;
  // Whether it takes tensors of storage-only dtypes: it says so, shows a part of them, or leaves that to the operators that it is made of.
  bool takes_storage_only() const { return storage_only != StorageOnly::Refused || is_view || !evaluates(); }
  bool is_view = false;  // by the schema's alias marks: the result shows argument 0's storage, and nothing is written
  bool python_function = true, python_method = false;
  // Whether it computes by itself, not only through the operators that it is made of.
  bool evaluates() const { return eval || kernel || (rule && !decompose); }
  bool sized_by_elements() const { return measure || by_elements; }
  void may_return(size_t argument) { schema_.add_unmarked_alias(0, argument); }
  void take_numbers(ir::NumbersAsTensors numbers) { schema_.take_numbers(numbers); }
  void add_effects(ir::Effects e) { effects_ = effects_ | e; }
  Autocast autocast = Autocast::None;
};

// All overloads of one name, in the order of the records: the order in which a call's arguments are matched.
struct OverloadSet {
  std::string name;  // "aten::add"
  std::vector<const Operator*> overloads;
  // Whether Python's function or method of this name has this overload. Overloads of plain numbers are for TorchScript and are left out, unless all are
  // of that kind.
  bool in_python(const Operator& op) const;
};
// Error (Attribute) with the nearest name where there is none.
const OverloadSet& find_overloads(std::string_view name);  // "aten::add" or "add"
const Operator& find_operator(std::string_view full_name);

}  // namespace monograph
