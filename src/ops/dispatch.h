// Calling operators: bind() chooses an overload, call() dispatches it. A call goes first to the innermost active dispatch mode of this thread (tracing,
// observing, ...), then to autograd if an argument requires grad, then to the operator's own evaluation.
//
//   Tensor y = "mul"_op(x, 2.0);
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "core/size.h"
#include "ops/record.h"

namespace monograph::ir {
struct ArgumentSources;
}

namespace monograph {

// Handles operator calls, as PyTorch's TorchDispatchMode does. While it handles a call, the next outer mode is the active one: a mode that passes the call on
// uses `call` again.
class DispatchMode {
 public:
  virtual ~DispatchMode() = default;
  virtual void call(const Operator& op, const IValue* args, IValue* results) = 0;
  // The value that a guard of the graph fixes for this size. A mode overrides it if its tensors are nodes of a graph.
  virtual std::optional<int64_t> guarded(const Size&) { return {}; }
  // The length that a guard of the graph fixes for the list of tensors that the current decomposition returns.
  virtual std::optional<int64_t> guarded_length() { return {}; }

 private:
  friend class DispatchModeScope;
  friend void call(const Operator& op, const IValue* args, IValue* results);
  DispatchMode* outer_ = nullptr;
};

// The state of this thread that a call depends on besides its arguments.
struct DispatchState {
  DispatchMode* top = nullptr;
  bool grad_enabled = true;
  bool grad_mode_set_by_library = false;  // a GradModeScope of the library is active; the program's own no_grad does not set it
  bool autocast = false;  // a region of torch.autocast is on (autograd/autocast.h)
};
DispatchState& dispatch_state();

// Makes a mode the innermost one for a scope.
class DispatchModeScope {
 public:
  explicit DispatchModeScope(DispatchMode& mode);
  ~DispatchModeScope();
  DispatchModeScope(const DispatchModeScope&) = delete;

 private:
  DispatchMode* saved_;
};

// Sets the grad mode for what the library computes itself, for a scope.
class GradModeScope {
 public:
  explicit GradModeScope(bool enabled)
      : saved_(std::exchange(dispatch_state().grad_enabled, enabled)),
        saved_by_library_(std::exchange(dispatch_state().grad_mode_set_by_library, true)) {}
  ~GradModeScope() { dispatch_state().grad_enabled = saved_, dispatch_state().grad_mode_set_by_library = saved_by_library_; }
  GradModeScope(const GradModeScope&) = delete;

 private:
  bool saved_, saved_by_library_;
};

// Turns autocast on or off for a scope.
class AutocastScope {
 public:
  explicit AutocastScope(bool enabled) : saved_(std::exchange(dispatch_state().autocast, enabled)) {}
  ~AutocastScope() { dispatch_state().autocast = saved_; }
  AutocastScope(const AutocastScope&) = delete;

 private:
  bool saved_;
};

// Given a base's counterpart `whole` and a view's counterpart `part`, records that `part` is made from `whole` by the same calls that made the view.
using RepeatViews = std::function<void(const Tensor& whole, const Tensor& part)>;

// Functions that higher layers install: src/autograd for calls with an argument that requires grad, src/capture for symbolic tensors. Null: not installed.
struct DispatchHooks {
  void (*autograd)(const Operator& op, const IValue* args, IValue* results) = nullptr;
  void (*symbolic)(const Operator& op, const IValue* args, IValue* results) = nullptr;
  // Called for a view that was made under no_grad and whose base requires grad. The view then counts as made after all writes to its base so far.
  void (*viewed)(const Tensor& view) = nullptr;
  // The traced number that a 0-d tensor stands for, if a capture knows the tensor; else None.
  IValue (*number)(const Tensor& t) = nullptr;
  // Tells a capture that autograd saved the value of `value` as `saved`. before_write: `value` is about to be written, so only `saved` keeps this value.
  void (*saved_for_backward)(const Tensor& value, const Tensor& saved, bool before_write) = nullptr;
  // The arguments of the call that gave `saved_result`, as the recording capture knows them (symbolic numbers stay symbolic). Null: they are plain values.
  const IValue* (*arguments)(const Tensor& saved_result) = nullptr;
  // The sizes of a tensor in the recording capture. A size that depends on the inputs is a symbol.
  Sizes (*sizes)(const Tensor& t) = nullptr;
  // Whether a tensor has the same number of dims in every run of the capture. If not, `sizes` is right for the example's number of dims only.
  bool (*ranked)(const Tensor& t) = nullptr;
  // Fixes a size to its value in the example, with a guard, because it is read as a number.
  void (*specialize)(const Size& size) = nullptr;
  // The size that two sizes broadcast to in the example. A guard then checks that later inputs broadcast in the same way.
  Size (*broadcast)(const Size& a, const Size& b) = nullptr;
  // A function that repeats the calls that made `view` from `base`. Empty where no capture recorded them.
  RepeatViews (*repeat_views)(const Tensor& base, const Tensor& view) = nullptr;
  // Called in a region of torch.autocast, for an operator whose arguments autocast casts.
  void (*autocast)(const Operator& op, const IValue* args, IValue* results) = nullptr;
  // A value with its tensors in the dtype of the region of torch.autocast, for an operator that PyTorch casts in some of its calls only (lstm).
  IValue (*lower_precision)(std::string_view operator_name, const IValue& value) = nullptr;
};
DispatchHooks& dispatch_hooks();
// The sizes of a tensor, for gradients and decompositions: numbers, or symbols while a capture records.
inline Sizes sizes_of(const Tensor& t) {
  if (t->kind == TensorImpl::Kind::Symbolic) return t->graph_sizes();
  return dispatch_state().top && dispatch_hooks().sizes ? dispatch_hooks().sizes(t) : Sizes(SizesRef(t.sizes()));
}
inline Size size_of(const Tensor& t, int64_t dim) { return sizes_of(t)[static_cast<size_t>(wrap_dim(dim, t.dim()))]; }
// A size as a number. If it is a symbol, the capture is fixed to the example's size by a guard.
int64_t fixed_size(const Tensor& t, int64_t dim);
// `count`, the length of a list of tensors that an operator returns, as a number. If it is a symbolic expression in the sizes of `t`, the capture is fixed to
// the example's length by a guard.
int64_t fixed_length(const Tensor& t, const Size& count);
// The size that two sizes broadcast to, if it is not known which of them is 1: a capture takes the example's. Error (NotImplemented) outside of a capture.
Size broadcast_size(const Size& a, const Size& b);
// An int argument of a decomposition as a size: a number, or a symbol while a capture records.
Size as_size(const IValue& v);
// The first element as one of Python's numbers: bool, int, float or complex.
IValue first_number(const Tensor& t);
// A 0-d tensor that holds a Python number. As in PyTorch, it counts in promotion as a number, which is less than a tensor.
Tensor wrapped_number(const IValue& number);
// The value of a literal without parts: None, a number, a string, a dtype, a device, a layout, a memory format. Nothing for any other argument.
std::optional<IValue> scalar_literal(ir::ArgRef a);

// Calls an operator. `args` holds one IValue for each argument of its schema. `results` has room for each result of the schema, and for at least one.
void call(const Operator& op, const IValue* args, IValue* results);
// Evaluates an operator, below every mode and autograd. An operator without an evaluation runs its decomposition, which calls public operators.
void run(const Operator& op, const IValue* args, IValue* results);
// Checks the arguments by the operator's shape rule, then runs its decomposition. An error of an operator inside also names this one.
void run_decomposition(const Operator& op, const IValue* args, IValue* results);
// Runs the decomposition of a call whose arguments the rule has already checked.
void expand(const Operator& op, const IValue* args, IValue* results);

// Records in a view which base it shows, so that a write through the view or the base reaches the gradients of both.
void track_view(const IValue& source, const IValue& result);

// Binding finds the overload for a caller's positional and keyword arguments, and lists all its arguments with defaults filled in.
struct Keyword {
  std::string_view name;
  IValue value;
};
using Bound = std::vector<IValue>;
// The value of an argument that has a default.
IValue default_of(const ir::Argument& argument);
struct BindOptions {
  bool in_order = false;  // keyword-only arguments may also be given by position, since C++ has no keywords
  bool python = false;  // only the overloads that the Python function or method of this name has
  bool by_schema = false;  // as torch.ops: by the schema alone (ir::fit_by_schema); an error is of kind Runtime then
  ir::ArgumentSources* sources = nullptr;  // receives which value stands for each argument
};
// The overload that fits these arguments best (ir/bind.h); among equals the first in the order of the records. Error (Type; Runtime with by_schema) if none
// fits. It lists the accepted signatures, as in PyTorch.
const Operator& bind(const OverloadSet& overloads, std::span<const IValue> args, std::span<const Keyword> kwargs, Bound& bound,
                     BindOptions options = {});
// Whether a value may be passed for an argument. `converted` receives the value as the operator will see it.
bool convertible(const IValue& value, const ir::Argument& argument, IValue& converted);
// Converts `value` to what the operator will see. Error (Type), with the text of bind()'s error, if it may not be passed for this argument.
void check_argument(const Operator& op, size_t argument, IValue& value);

// "mul"_op(a, b) calls an operator by name. The name is looked up once; each call resolves the overload by its arguments.
namespace detail {
template <size_t N>
struct FixedString {
  char text[N];
  constexpr FixedString(const char (&s)[N]) { std::copy_n(s, N, text); }
};
IValue invoke(const OverloadSet& overloads, std::initializer_list<IValue> args);
}  // namespace detail

// The result of a call. It converts to a Tensor, or, for several results, gives tensor i by [i].
struct CallResult : IValue {
  CallResult(IValue v) : IValue(std::move(v)) {}
  operator Tensor() const { return to_tensor(); }
  Tensor operator[](size_t i) const { return items()[i].to_tensor(); }
};

template <detail::FixedString Name>
struct NamedOp {
  template <class... A>
  CallResult operator()(A&&... args) const {
    static const OverloadSet& overloads = find_overloads(std::string_view(Name.text));
    return detail::invoke(overloads, {IValue(std::forward<A>(args))...});
  }
};
template <detail::FixedString Name>
constexpr NamedOp<Name> operator""_op() {
  return {};
}

}  // namespace monograph
