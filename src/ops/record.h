// The operator record: everything that Monograph knows about an operator, stated once.
//
// A family file (src/ops/families/elementwise.cpp, reductions.cpp, ...) adds each operator to a Registry by one statement:
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
  LowerPrecision,  // to the dtype of the region
  Float32,
  Widest,  // to float32 if one of them is float32, else to the dtype of the region
  AsGiven,  // no cast, also not inside the operator's decomposition, because PyTorch has one kernel for it
};

// How a pointwise operator chooses its compute dtype and its result's dtype from the dtypes of its arguments.
enum class Promote : uint8_t {
  Same,     // both are the promoted dtype (add, mul)
  Float,    // as Same, but integers and bool become the default dtype (exp, div)
  Compare,  // it computes in the promoted dtype and returns bool (lt)
  Logical,  // arguments become bool by x != 0, and it returns bool (logical_and)
};

// Whether an operator with an implementation of its own takes tensors of storage-only dtypes (core/dtype.h).
enum class StorageOnly : uint8_t {
  Refused,
  AsBits,  // its kernel only moves elements, and is told a dtype of the same size
  Taken,  // as they are: it converts them, or asks nothing of their elements
};

// What an operator does with tensors of quantized dtypes (core/quantizer.h). A view keeps their quantizer, and a decomposition leaves it to the operators that
// it calls, so both need not say it.
enum class Quantized : uint8_t {
  Refused,
  Kept,  // it moves their elements: its result has the quantizer of argument 0, which has one scale for the whole tensor
  Copied,  // the same, with elements at the same places: scales may be those of channels
  Taken,  // it reads the quantizer, or asks nothing of the elements
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

// The effects of an operator that draws random numbers: it reads and writes the state of a Generator.
inline constexpr ir::Effects kDraws{ir::Effects::Random, ir::Effects::Random, false, false, false};

// The range check of a number among the arguments of a pointwise call. A number that does not fit the dtype raises an error.
enum class NumberCheck : uint8_t {
  Computed,  // it fits the dtype of the computation, which is float32 for 16-bit floats
  Stored,  // it fits the dtype of the tensors, 16-bit floats too, because PyTorch stores the number in it first
  Unsigned,  // as Computed; also it is not negative if the tensors are unsigned
  BesideIntegers,  // as Computed for integer tensors; no check for floating ones
  Weight,  // a factor of an operand (add's alpha): it must be of the result's category, for example no float for integer tensors
  None,  // no check: the number stands for a tensor and is converted like one
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

// The body of a pointwise operator: a function of one to four values. Each is an element of a tensor, or a Scalar that is the same for every element.
struct AnyBody {
  int arity = 0;
  void* real = nullptr;  // Body1..4 by arity
  void* complex = nullptr;  // Complex1..4, ComplexReal1 or ComplexPredicate, or null: complex dtypes are refused
  bool complex_gives_real = false;
  Num operator()(const Num* x) const;
  Complex operator()(const Complex* x) const;
  Num real_of(const Complex* x) const;  // where complex_gives_real
};

// The argument of a gradient rule. It gives the operator's arguments and results and the gradients of the results, and takes the gradients of the arguments.
// A saved tensor that was written in place after the call raises an error when a rule asks for its value, and only then.
class GradCall {
 public:
  struct Saved {
    std::vector<IValue> args, results;
    std::vector<uint32_t> arg_versions, result_versions;  // the versions of tensors at the call; lists of tensors are not checked
    bool released = false;  // a backward pass without retain_graph freed the elements; sizes and dtypes remain
  };
  // `recorded`: the arguments as the recording capture knows them, with numbers that its graph computes; null without a capture.
  GradCall(const Operator& op, const Saved& saved, const std::vector<Tensor>& grads, const IValue* recorded = nullptr);
  // The values of arguments and results. If the first result is complex, they are conjugated: a complex gradient is the incoming one times the conjugate of
  // the derivative, so a rule written for real numbers is then also right for complex ones. This holds for operators with a complex derivative. A rule for
  // an operator with a real result (abs, a norm) or without a complex derivative (sgn) handles complex numbers itself, by plain() and plain_result(), which
  // are not conjugated.
  const IValue& value(size_t i) const;
  Tensor arg(size_t i) const { return value(i).to_tensor(); }
  Tensor result(size_t i = 0) const;
  const IValue& plain(size_t i) const;
  Tensor plain_result(size_t i = 0) const;
  // Sizes, rank and dtype of a tensor argument. They may be read also after a write in place. While a capture records, sizes may be symbols.
  Sizes sizes(size_t i) const;
  size_t dim(size_t i) const { return saved_.args[i].as_tensor().sizes().size(); }
  DType dtype(size_t i) const { return saved_.args[i].as_tensor().dtype(); }
  // All arguments, without the check for writes. Read only the sizes and dtypes of tensors in them.
  const IValue* values() const { return saved_.args.data(); }
  Tensor grad(size_t i = 0) const { return grads_[i]; }  // the gradient of result i; undefined if it has none
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
  mutable std::vector<IValue> conjugated_;  // the conjugated arguments that were asked for so far
  std::vector<std::vector<Tensor>> arg_grads_;
};

using EvalFn = void (*)(const Operator& op, const IValue* args, IValue* results);
using GradFn = void (*)(GradCall& call);
using DecomposeFn = IValue (*)(const IValue* args);
// Computes the one size of a result that depends on elements.
using MeasureFn = int64_t (*)(const KernelCall& call);
// Prepares data that a kernel reads besides its arguments and that is kept between calls, such as a packed weight. Null if there is none.
using PrepareFn = std::shared_ptr<const void> (*)(const IValue* args);
// What a decomposition reads from its tensors besides dtypes and ranks. It can be used on a graph only if the graph knows this.
enum class Reads : uint8_t {
  Nothing,
  Symbols,  // sizes, by sizes_of() and size_of(): they may be symbols
  Sizes,  // sizes as numbers
  // Sizes as numbers, and whether tensors are contiguous, which a graph never knows. Strides decide only between a view and a copy: the result has the
  // elements of argument 0 in the same order.
  Strides,
};

// A rule that is missing on purpose states the reason. A missing rule without a reason fails the build (tools/support_matrix).
struct Derived {};
// The gradient is derived from the body by the chain rule. The tests at edge values decide whether that is good enough.
inline constexpr Derived derived;
struct None {
  const char* reason;
  bool constant = false;
};
inline None none(const char* reason) { return {reason}; }
// For a gradient: the result does not depend on the elements of the argument, so the argument gets no gradient. With none(), a gradient through a
// floating result is an error.
inline None constant(const char* reason) { return {reason, true}; }

// The slope of a pointwise operator, its derivative by one argument, from the arguments x and the result y.
using SlopeFn = Num (*)(const Num* x, Num y);

// How a pointwise operator computes: its body, its promotion of dtypes, and its slopes.
struct PointwiseRule {
  AnyBody body;
  Promote promote = Promote::Same;
  std::array<bool, 4> promoting{};  // value i is a Scalar that takes part in promotion, as a Python number does
  std::array<NumberCheck, 4> number_check{};
  bool takes_byte_mask = false;  // a tensor that must be bool may also be uint8
  DTypeSet dtypes = kAllDTypes;  // compute dtypes; complex ones count only if the body has a complex form
  std::array<int8_t, 4> fixed{-1, -1, -1, -1};  // the DType of value i if it does not follow promotion (where's condition is bool); else -1
  std::array<SlopeFn, 4> slopes{};  // the slope by value i, if the record states it
  bool derive = false;  // slopes that are not stated are derived from the body
  bool one_dtype = false;  // its tensors must have the same dtype; they are not promoted (lerp)
  bool refuses_bool = false;  // a bool operand is an error, even if the promoted dtype is another (sub)
  bool counts_bool = false;  // bool operands become int64 (square)
  bool contiguous = false;  // the result is contiguous, whatever the operands' strides (masked_fill)
  bool keeps_numbers = false;  // a number is not rounded to the dtype of 16-bit tensors (mul, div); for other operators it is
  bool wide_numbers = false;  // a number beside integer tensors of any width is an int64, so that its sign is known (pow)
  uint32_t copy = 0;  // Operator::copy
  const char* raises = "";  // the error of a RaiseIf in the body, in PyTorch's words
  std::array<uint8_t, 4> position{};  // value i of the body is argument position[i] of the schema
  std::array<bool, 4> is_scalar{};  // that argument is a Scalar, one value for all elements

  // The kernel in this compute dtype. It is compiled at its first use.
  const Kernel& kernel(DType compute) const;
  // The body in this compute dtype. Elementary functions stay calls.
  Body record(DType compute) const;
  // The dtype of value k of the body in memory.
  DType storage(size_t k, DType compute) const {
    if (fixed[k] >= 0) return static_cast<DType>(fixed[k]);
    if (!is_scalar[k] || promote == Promote::Compare) return compute;  // a number is rounded before it is compared
    if (wide_numbers && is_integral(compute)) return DType::i64;
    const bool operand = promoting[k] || number_check[k] == NumberCheck::Weight;
    return operand && !keeps_numbers ? compute : compute_type(compute);
  }
  // Whether the gradient by value k is the incoming gradient times a slope, stated or derived.
  bool has_slope(int k) const { return !is_scalar[static_cast<size_t>(k)] && (derive || slopes[static_cast<size_t>(k)]); }
  // The body of that product over (incoming gradient, values of the body, result). For complex numbers it is recorded in the dtype of their parts, because
  // the formula is the same.
  Body record_backward(int k, DType compute) const;
  const Kernel& backward_kernel(int k, DType compute) const;
  DType result_dtype(DType compute) const {
    if (promote == Promote::Compare || promote == Promote::Logical) return DType::b1;
    return body.complex_gives_real ? real_type(compute) : compute;
  }
  // Whether it computes in this dtype. A complex dtype needs a complex form of the body, except for Logical, which only tests whether elements are 0.
  bool takes(DType compute) const {
    return contains(dtypes, compute) && (!is_complex(compute) || body.complex || promote == Promote::Logical);
  }

  // Whether the result's dtype comes from several operands, or differs from that of its one operand.
  bool promotes() const;

  // Rules with another body, by the value of a str argument (gelu's approximate="tanh").
  int variant_argument = -1;
  std::vector<std::pair<std::string, std::shared_ptr<PointwiseRule>>> variants;
  // The rule, this one or a variant, that these arguments choose.
  const PointwiseRule& chosen(const IValue* args) const;

 private:
  std::array<LazyKernel, 5 * kComputedDTypeCount> kernels_;  // the body, then its products with slopes
};

// How an operator on rows computes: reductions, softmax, norms. The body is recorded through a RowContext, which tells it the dtype and which arguments are
// present.
class RowContext;
struct RowRule {
  void (*body)(RowContext& c) = nullptr;
  enum class Rows : uint8_t {
    Dim,  // argument dim_arg: one dim
    Dims,  // argument dim_arg: a list of dims; empty or None means all
    All,  // every dim
    NormalizedShape,  // argument dim_arg: the sizes of the last dims
  } rows = Rows::Dim;
  bool reduces = false;  // the results have one value for each row
  int dim_arg = 1, keepdim_arg = -1;  // positions in the schema; -1: none
  int dtype_arg = -1;  // position of dtype=, to which the input is converted first
  // The result's dtype. Sum: int64 for integers and bool. Promoted: the default dtype for them. Float: integers and bool are an error.
  // Real: the real dtype of complex numbers.
  enum class Result : uint8_t { Same, Sum, Promoted, Float, Bool, Index, Real } result = Result::Same;
  std::array<int8_t, 3> tensors{0, -1,
                                -1};  // positions of the tensors: the first one has the rows, the others broadcast to it and may be None
  std::array<int8_t, 2> scalars{-1, -1};  // positions of the numbers that the body reads
  std::array<double, 2> scalar_defaults{};  // the value of such a number if None is passed
  DTypeSet dtypes = kAllDTypes & ~kComplex;
  bool refuses_empty = false;  // a row without elements is an error (max); otherwise it gives the identity (sum)
  // A kernel for complex dtypes, for operators that no body can express for them: a product mixes real and imaginary parts. These dtypes are then not in
  // `dtypes`. The kernel gets argument 0 contiguous.
  StructuredKernel complex = nullptr;
  uint32_t copy = 0;  // Operator::copy
  bool takes(DType t) const { return contains(dtypes, t) || (complex && is_complex(t)); }
  // Whether rows are computed in the dtype of an out= tensor if the call has no dtype=.
  bool follows_out() const { return result == Result::Sum; }
  std::array<LazyKernel, kComputedDTypeCount * 8> kernels{};  // by dtype, by which optional tensors are present, and by form
};

// Exceptions of a record from the generic tests. `./dev lint` counts the exceptions that only one record has.
enum class Special : uint8_t {
  // When results are compared with PyTorch's:
  EitherZero,  // a zero result may have either sign, because either of two equal operands may be chosen
  MixedDtypes,  // operands of several dtypes are promoted here; in PyTorch they are an error
  OverflowIsNaN,  // a part of PyTorch's result overflows to NaN where the result is tiny
  TinyIsZero,  // PyTorch's bfloat16 result is 0 below 1e-29
  RoundsEachFactor,  // the tolerance allows one rounding for each element of a row, relative to the product
  BranchPoints,  // complex results are less exact near branch points
  Factorization,  // the tolerance is relative to the largest element, and allows the roundings of a factorization
  TurnedVectors,  // its vectors are determined only up to a sign or a phase, and PyTorch's LAPACK chooses another one; the gradient depends on the choice
  OtherSchemaText,  // PyTorch prints its schema differently
  // When gradients are compared with PyTorch's:
  GradientOverflowIsNaN,  // a part of PyTorch's gradient overflows to NaN where the gradient is tiny
  RoughGradient,  // the series in PyTorch's gradient has an error of 1e-11
  FirstResultAlone,  // PyTorch ignores the gradients of the other results
  // In tests without PyTorch:
  LayoutMatters,  // the result, or an error, depends on the strides of the arguments by definition
  BeginsAtOne,  // its domain starts at 1
  // In ONNX:
  ReadsBackOtherwise,  // its nodes are imported as another record or another overload, which exports as the same nodes
  ReferenceDiffers,  // ONNX's reference implementation computes something else on its samples
};

// Which dtypes an out= tensor may have.
enum class OutDType : uint8_t {
  ByKind,  // Safe for a pointwise operator that promotes its operands, Computes for a sum of rows, Exact for all others
  Exact,  // the result's dtype
  Safe,  // a dtype that the result can be cast to (torch.can_cast); the result is converted
  Any,  // any dtype; the result is converted, even if values are lost
  Computes,  // the input is converted to this dtype first, by dtype= if the operator has it; if the call has dtype= too, the two must be equal
};

// The number of products that each element of a result sums, for an estimate of the operator's cost.
struct Contraction {
  enum class Terms : uint8_t {
    LastDim,  // the size of the argument's last dim (a matrix product)
    AllButFirst,  // the product of the sizes of all its dims but the first (a convolution's weight)
  } terms = Terms::LastDim;
  int argument = -1;  // position in the schema; -1: no contraction, each element costs one operation
};

// The shape rule of a structured operator, which is one that is neither pointwise nor a row program (ops/rule.h).
class RuleCall;
using RuleFn = void (*)(RuleCall& call);
// Rewrites a node into operators of the canonical set; false if it did not.
using CanonicalFn = bool (*)(ir::Node* node);
// Computes the value of a node's int, or list of ints, in symbolic sizes (ops/size_values.h).
class SizeCall;
struct SizeValue;
using SizeValueFn = SizeValue (*)(SizeCall& call);
// Computes, from the arguments of a call, a value that PyTorch's node of the call keeps and that is no argument and no result here.
struct KeptValue {
  const char* name;  // "result1" of layer_norm: its node's _saved_result1
  IValue (*compute)(const IValue* args);
};

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

  std::string family;  // the name of its family, which is also the name of the file that states it
  std::string text;  // the schema as written, with its namespace
  // 0 in an ordinary build. A build that registers the families again under other names (cmake/Copies.cmake) numbers the copies 2, 3, ...
  uint32_t copy = 0;
  std::string original_name() const;  // the name without the copy's suffix
  EvalFn eval = nullptr;
  RuleFn rule = nullptr;
  StructuredKernel kernel =
      nullptr;  // fills the results that the rule describes; null if they are views, or if the operator has a decomposition
  bool contiguous_args = false;  // its kernel gets all tensors contiguous
  PrepareFn prepare = nullptr;
  // One of these two is set if a result's sizes depend on elements (RuleCall::wait_for_elements). `measure` computes the size; `by_elements` reads the
  // elements and then makes the call by other operators.
  MeasureFn measure = nullptr;
  DecomposeFn by_elements = nullptr;
  bool writes_again = false;  // it may write one element several times (fill_, index_put_)
  std::array<const char*, 3> bad_data{};  // the messages for elements that its kernel rejects, by KernelStatus
  ErrorKind bad_data_kind = ErrorKind::Runtime;
  SizeValueFn size_value = nullptr;  // for an operator whose result is computed from sizes
  std::vector<KeptValue> kept;  // what PyTorch's node of a call keeps besides arguments and results
  const KeptValue* kept_value(std::string_view name) const;  // null if it keeps none of this name
  bool one_step = false;  // it is one step of backward in PyTorch too, whose name is not the operator's
  const char* attribute = nullptr;  // the attribute name: Python's x.NAME calls this operator
  bool takes_element = false;  // its result is the item of a list (argument 0) at an index (argument 1)
  bool assigns = false;  // it copies argument 1 to every element of argument 0
  CanonicalFn canonical_rule = nullptr;
  GradFn gradient = nullptr;
  bool derived_gradient = false;  // the gradient comes from the body's slopes
  const char* no_gradient = nullptr;  // the reason why there is no gradient
  bool constant = false;  // there is no gradient because the result does not depend on the arguments' elements
  bool piecewise_linear = false;  // the gradient depends on the arguments, but its derivative with respect to them is zero (relu)
  DecomposeFn decompose = nullptr;  // makes the call by other public operators; an eager call uses it if there is no kernel or eval
  // Makes an eager call that the kernel does not take by other operators, faster than `decompose` and with the same bits. None: `decompose` makes it.
  DecomposeFn eager_decompose = nullptr;
  StructuredKernel check =
      nullptr;  // checks elements before the decomposition runs, whose own error would be less clear or missing; it has no results
  Reads decompose_reads = Reads::Sizes;
  const char* no_decomposition = nullptr;  // the reason why it has no decomposition, though its body has several instructions
  std::shared_ptr<PointwiseRule> pointwise;
  std::shared_ptr<RowRule> rows;
  // For an in-place or out= form: the form without side effects. Its first arguments are those of the in-place form; further ones are optional.
  const Operator* functional = nullptr;
  // For an alias: the record that it is another name of. Everything but the schema is taken from that record, and calls go to it.
  const Operator* alias_of = nullptr;
  void become_alias(const Operator& of);
  // How functionalization (passes/functionalize.h) turns a write through a view into a value. One of these two is set on a view:
  // - `inverse`, if the view shows every element of argument 0 once: the call that undoes the view, over `src` (the view's new value), `self` (argument 0)
  //   and the view's other arguments.
  // - `scatter`, if it shows only some elements: NAME_scatter, which gives argument 0 with these elements replaced by src.
  const char* inverse = nullptr;
  const Operator* scatter = nullptr;
  const Operator* view = nullptr;  // for a NAME_scatter or NAME_copy: the view
  OutDType out_dtype = OutDType::ByKind;  // for an out= form
  DTypeSet out_dtypes = kAllDTypes;  // for an out= form that is not Exact: the dtypes that it takes
  OutDType out_kind() const;
  // The operator changes the sizes, strides or storage of argument 0. Graphs have no such call, because a value's type never changes there.
  bool changes_geometry = false;
  const Operator* reshapes = nullptr;  // for the in-place form of a view: the view, whose sizes and strides argument 0 gets
  const char* onnx = nullptr;  // the export rule (ops/onnx_rule.h)
  const char* no_onnx = nullptr;  // the reason why it cannot be exported
  const char* doc = "";
  // The samples for tools/oracle/freeze_ops.py, which calls PyTorch's operator of this name with each: a list of argument lists in Python, over the names of
  // tools/oracle/samples.py. Null for pointwise records and row programs: the samples of their kind.
  const char* samples = nullptr;
  const char* no_samples = nullptr;  // the reason why PyTorch cannot be called
  std::vector<Special> specials;
  bool is_special(Special s) const { return std::ranges::find(specials, s) != specials.end(); }
  const char* python_module = nullptr;  // where Python finds the function instead of in torch; null: in torch
  Contraction contraction;
  bool commutative = false;
  bool returns_argument = false;  // its result may be an argument itself: contiguous() of a contiguous tensor
  bool reads_sizes_alone = false;  // of its first argument it reads sizes, dtype and device, no elements
  bool crosses_devices = false;  // its tensors may lie on different ones (copy_)
  StorageOnly storage_only = StorageOnly::Refused;
  bool takes_quantized() const { return quantized != Quantized::Refused || is_view || (!eval && !kernel); }
  // Whether it takes tensors of storage-only dtypes: it says so, it is a view, or it leaves that to the operators that it is made of.
  bool takes_storage_only() const { return storage_only != StorageOnly::Refused || (!eval && !kernel); }
  bool is_view = false;  // by the schema's alias marks: the result shows argument 0's storage, and nothing is written
  bool python_function = true, python_method = false;
  // Whether it has an evaluation besides its decomposition.
  bool evaluates() const { return eval || kernel || (rule && !decompose); }
  bool sized_by_elements() const { return measure || by_elements; }
  // The result may be this argument itself, the same object. Where the schema has no mark that they share memory, it gets one.
  void may_return(size_t argument) {
    returns_argument = true;
    if (!schema_.result_aliases(0)) schema_.add_unmarked_alias(0, argument);
  }
  void share_memory(size_t argument) { schema_.add_unmarked_alias(0, argument); }
  void take_numbers(ir::NumbersAsTensors numbers) { schema_.take_numbers(numbers); }
  void add_effects(ir::Effects e) { effects_ = effects_ | e; }
  Autocast autocast = Autocast::None;
  Quantized quantized = Quantized::Refused;
};

// All overloads of one name, in the order of the records. A call's arguments are matched in this order.
struct OverloadSet {
  std::string name;  // "aten::add"
  std::vector<const Operator*> overloads;
  // Whether the Python function or method of this name has this overload. It leaves out overloads on plain numbers, which are for TorchScript, unless all
  // overloads are of this kind.
  bool in_python(const Operator& op) const;
};
// Finds an operator by name. Error (Attribute), with the nearest name, if there is none.
const OverloadSet& find_overloads(std::string_view name);  // "aten::add" or "add"
const Operator& find_operator(std::string_view full_name);

}  // namespace monograph
