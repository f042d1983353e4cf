// Captures a C++ function as a graph.
//
//   Captured c = capture([](Tensor x) { return "relu"_op(x) ; }, How::Trace, x);
//   exec::plan(*c.graph)({y});
//
// Both captures give the same graph for programs whose control flow they keep: cond and while_loop, below. A Tensor that is turned into a
// bool or number otherwise (demand, truth) is guarded under trace and an error under symbolic capture.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "capture/symbolic.h"
#include "capture/tracer.h"

namespace monograph::capture {

enum class How : uint8_t {
  Auto,  // Trace, since there are example inputs
  Trace,
  Symbolic,
};

struct CaptureOptions {
  How how = How::Auto;
  ControlFlow control_flow = ControlFlow::Guard;
  std::string name = "forward";
  std::vector<std::string> input_names;  // else x, or x0, x1, …
  std::function<Span()> location;
  std::function<std::string_view()> scope;  // see Writer
  std::function<std::string(const Tensor&)> attribute, adopt, variable;  // see Writer
  std::function<std::string(const ir::Node*)> number_variable;  // see Writer
  std::function<bool()> is_symbol;  // see Writer
  std::function<void(const Tensor&, bool)> before_write;
  std::function<void(const Tensor&)> frozen;
  bool any_grad_mode = true;  // the graph may run while gradients are on and while they are off; else only as at the capture
  bool compares_inputs = false;  // see Writer
  bool takes_numbers = false;  // an int or float among the inputs becomes an input of the graph, and may differ between runs
  ir::Unit* unit = nullptr;
};

struct Captured {
  std::unique_ptr<ir::Graph> graph;  // its guards state what the capture assumed, and where
  How how = How::Trace;  // Trace or Symbolic: the one that was used
  TraceNotes notes;  // its calls are for outline_modules (capture/hierarchy.h)
  IValue result;  // the result for the example inputs; None under symbolic capture
};

// The inputs are tensors, or tuples, lists and dicts of them; f gets them in the same form. The sizes of tensors are symbols, with the example's as
// hints. An undefined input is a tensor of which nothing is known: for symbolic capture only.
using EagerFunction = std::function<IValue(std::vector<IValue>)>;
Captured capture(const EagerFunction& f, std::vector<IValue> inputs, const CaptureOptions& options = {});

// A lambda over as many tensors as there are inputs, which returns a Tensor, or an IValue (a tuple of tensors).
template <class F, class... Inputs>
  requires std::is_invocable_v<F&, const Inputs&...>
Captured capture(F&& f, const CaptureOptions& options, const Inputs&... inputs) {
  auto call = [&]<size_t... K>(std::vector<IValue>& x, std::index_sequence<K...>) {
    return IValue(static_cast<Tensor>(f(x[K].to_tensor()...)));
  };
  auto tree = [&]<size_t... K>(std::vector<IValue>& x, std::index_sequence<K...>) { return IValue(f(x[K].to_tensor()...)); };
  return capture(
      [&](std::vector<IValue> x) -> IValue {
        using Result = std::invoke_result_t<F&, const Inputs&...>;
        if constexpr (std::is_same_v<Result, IValue>) return tree(x, std::index_sequence_for<Inputs...>());
        else return call(x, std::index_sequence_for<Inputs...>());
      },
      std::vector<IValue>{inputs...}, options);
}

// While a Pause lives, no capture records what its thread runs.
class Pause {
 public:
  Pause() : session_(nullptr), top_(std::exchange(dispatch_state().top, nullptr)) {}
  ~Pause() { dispatch_state().top = top_; }
  Pause(const Pause&) = delete;

 private:
  SessionScope session_;
  DispatchMode* top_;
};

// Whether the only element of `t` is not zero; see demand().
bool truth(const Tensor& t, std::string_view expression = {});
// The element of a list that an operator has returned: a list of tensors, or a symbolic one.
IValue element(const IValue& list, int64_t index);

// The elements of a list that the graph computes. Their number is taken from the types, else from `length`, else from the call (3 for chunk(x, 3)). If it is
// not from the types, a guard checks it in every run. Error if the number is not known.
std::vector<IValue> unpacked(const IValue& list, std::optional<size_t> length);

// torch.cond. In a capture it makes an If: both functions run once, the one that is not taken on symbolic tensors. Outside of a capture only the one that is
// taken runs. Both must return the same number of tensors, and must not change anything outside of them.
using Branch = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
std::vector<Tensor> cond(const Tensor& predicate, const Branch& then, const Branch& otherwise, const std::vector<Tensor>& operands);

// while_loop: while condition(values) holds, values = body(values). In a capture it makes a Loop: both functions run once on symbolic tensors. Under trace
// they also run on the example as often as it takes, without being recorded.
using Condition = std::function<Tensor(const std::vector<Tensor>&)>;
std::vector<Tensor> while_loop(const Condition& condition, const Branch& body, const std::vector<Tensor>& initial);

}  // namespace monograph::capture
