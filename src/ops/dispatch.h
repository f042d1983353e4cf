// Calling operators. Each call goes to the innermost active dispatch mode of this thread (tracing, observing, ...), then to autograd where a
// gradient is wanted, then to the operator's own evaluation.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "core/size.h"
#include "ops/record.h"

namespace monograph {

// Takes operator calls, as a TorchDispatchMode of PyTorch does. While it handles one, the next outer mode is the active one, so that calling on
// means `call` again.
class DispatchMode {
 public:
  virtual ~DispatchMode() = default;
  virtual void call(const Operator& op, const IValue* args, IValue* results) = 0;
  // Of a mode whose tensors are nodes of a graph: what a size is at every run, because a guard of the graph says so.
  virtual std::optional<int64_t> guarded(const Size&) { return {}; }
  // And how many tensors the list has that the operator gives whose decomposition runs.
  virtual std::optional<int64_t> guarded_length() { return {}; }

 private:
  friend class DispatchModeScope;
  friend void call(const Operator& op, const IValue* args, IValue* results);
  DispatchMode* outer_ = nullptr;
};

// What a call depends on besides its arguments; per thread.
struct DispatchState {
  DispatchMode* top = nullptr;
  bool grad_enabled = true;
  bool inside = false;  // gradients are off for what the library computes for itself, not by the program's no_grad
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

class GradModeScope {
 public:
  explicit GradModeScope(bool enabled)
      : saved_(std::exchange(dispatch_state().grad_enabled, enabled)), inside_(std::exchange(dispatch_state().inside, true)) {}
  ~GradModeScope() { dispatch_state().grad_enabled = saved_, dispatch_state().inside = inside_; }
  GradModeScope(const GradModeScope&) = delete;

 private:
  bool saved_, inside_;
};

class AutocastScope {
 public:
  explicit AutocastScope(bool enabled) : saved_(std::exchange(dispatch_state().autocast, enabled)) {}
  ~AutocastScope() { dispatch_state().autocast = saved_; }
  AutocastScope(const AutocastScope&) = delete;

 private:
  bool saved_;
};

// Records that `part`, which has the place in `whole` that a view has in its base, is made from `whole` by the calls that made the view.
using RepeatViews = std::function<void(const Tensor& whole, const Tensor& part)>;

// Layers above hang themselves in here: src/autograd for calls with an argument that requires grad, src/capture for symbolic tensors.
struct DispatchHooks {
  void (*autograd)(const Operator& op, const IValue* args, IValue* results) = nullptr;
  void (*symbolic)(const Operator& op, const IValue* args, IValue* results) = nullptr;
  // Of a view made under no_grad whose base requires grad: it knows the writes to its base so far.
  void (*viewed)(const Tensor& view) = nullptr;
  // The number that a tensor of no dim passes for, where a capture knows the tensor; None where none does.
  IValue (*number)(const Tensor& t) = nullptr;
  // For captures, of what autograd saves: `saved` is the value that `value` is, or has now and will not have (`before_write`).
  void (*saved_for_backward)(const Tensor& value, const Tensor& saved, bool before_write) = nullptr;
  // The arguments, as the capture that records has them, of the call that gave this result, which autograd saved; null where they are plain.
  const IValue* (*arguments)(const Tensor& saved_result) = nullptr;
  // The sizes of a tensor in the capture that records: symbols where the inputs decide.
  Sizes (*sizes)(const Tensor& t) = nullptr;
  // Whether the capture knows how many dims a tensor has at every run. Where it does not, `sizes` holds for the example's number of dims only.
  bool (*ranked)(const Tensor& t) = nullptr;
  // Makes the capture hold for the example's value of a size only: it is read as a number.
  void (*specialize)(const Size& size) = nullptr;
  // Of two sizes that broadcast in the example, the one that both become; the capture then holds where they do so in the same way.
  Size (*broadcast)(const Size& a, const Size& b) = nullptr;
  // Where a capture records how `view` was made from `base`; empty elsewhere.
  RepeatViews (*repeat_views)(const Tensor& base, const Tensor& view) = nullptr;
  // A call of an operator that torch.autocast casts the arguments of, in a region.
  void (*autocast)(const Operator& op, const IValue* args, IValue* results) = nullptr;
};
DispatchHooks& dispatch_hooks();
// The sizes of a tensor as gradients and decompositions read them: numbers, but symbols while a capture records.
inline Sizes sizes_of(const Tensor& t) {
  if (t->kind == TensorImpl::Kind::Symbolic) return t->graph_sizes();
  return dispatch_state().top && dispatch_hooks().sizes ? dispatch_hooks().sizes(t) : Sizes(SizesRef(t.sizes()));
}
inline Size size_of(const Tensor& t, int64_t dim) { return sizes_of(t)[static_cast<size_t>(wrap_dim(dim, t.dim()))]; }
// One that has to be a number: where it is a symbol, the capture holds for the example's sizes of this tensor.
int64_t fixed_size(const Tensor& t, int64_t dim);
// How many tensors a list has that an operator gives, which is `count` in sizes of `t`. It has to be a number: where it is none, the capture holds for the
// example's.
int64_t fixed_length(const Tensor& t, const Size& count);
// What two sizes become that broadcast in the example, where it is not known which of them is 1. Error (NotImplemented) outside of a capture.
Size broadcast_size(const Size& a, const Size& b);
// A size among the arguments of a decomposition.
Size as_size(const IValue& v);
// The first element as one of Python's numbers: bool, int, float or complex.
IValue first_number(const Tensor& t);
// The tensor that a number passes for: it weighs less than others in promotion.
Tensor wrapped_number(const IValue& number);
// The value of a literal without parts: None, a number, a string, a dtype, a device, a layout, a memory format. Nothing for any other argument.
std::optional<IValue> scalar_literal(ir::ArgRef a);

// Calls an operator with arguments bound to its schema, one IValue each; `results` has room for as many as the schema returns (at least one).
void call(const Operator& op, const IValue* args, IValue* results);
// The operator's own evaluation: below every mode. Its decomposition, where it has no evaluation, calls public operators.
void run(const Operator& op, const IValue* args, IValue* results);
// Its decomposition alone, after its rule has looked at the arguments. Errors of the operators in it name it as well.
void run_decomposition(const Operator& op, const IValue* args, IValue* results);
// The same of arguments that the rule has seen.
void expand(const Operator& op, const IValue* args, IValue* results);

// Notes in a view what it shows, so that a write through either reaches the gradients of both.
void track_view(const IValue& source, const IValue& result);

// Binding: from a caller's positional and keyword arguments to one overload and its full list of arguments.
struct Keyword {
  std::string_view name;
  IValue value;
};
using Bound = std::vector<IValue>;
struct BindOptions {
  bool in_order = false;  // keyword-only arguments are taken by position too: C++ has no keywords
  bool python = false;  // only the overloads that Python's function or method of this name has
};
// The first overload, in the order of the records, that these arguments fit best (ir/bind.h); Error (Type) in PyTorch's manner, listing what is
// accepted.
const Operator& bind(const OverloadSet& overloads, std::span<const IValue> args, std::span<const Keyword> kwargs, Bound& bound,
                     BindOptions options = {});
// Whether a value may stand for an argument, and the value as the operator will see it.
bool convertible(const IValue& value, const ir::Argument& argument, IValue& converted);
// The value as the operator will see it; Error (Type) with the text of bind() where it may not stand there.
void check_argument(const Operator& op, size_t argument, IValue& value);

// "mul"_op(a, b): the operator by name, looked up once; overloads are resolved by the arguments.
namespace detail {
template <size_t N>
struct FixedString {
  char text[N];
  constexpr FixedString(const char (&s)[N]) { std::copy_n(s, N, text); }
};
IValue invoke(const OverloadSet& overloads, std::initializer_list<IValue> args);
}  // namespace detail

struct CallResult : IValue {  // a result that turns into what the caller expects
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
