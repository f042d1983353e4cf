// From a C++ program to a graph.
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
  std::function<std::string(const Tensor&)> attribute, adopt;  // see Writer
  std::function<void(const Tensor&, bool)> before_write;
  std::function<void(const Tensor&)> frozen;
  bool takes_numbers = false;  // an int among the inputs is one that differs between runs
  ir::Unit* unit = nullptr;
};

struct Captured {
  std::unique_ptr<ir::Graph> graph;  // its guards say what the capture relied on, and where
  How how = How::Trace;  // the way taken
  std::vector<ModuleCall> module_calls;  // for outline_modules (capture/hierarchy.h)
  IValue result;  // of the example; None under symbolic capture
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

// Code that runs as it is, seen by no capture, as long as this lives.
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
// The element of a list that an operator gave: of a list of tensors, or of a symbolic one.
IValue element(const IValue& list, int64_t index);

// The elements of a list that the graph computes. How many there are is what the types say, else `length`, else what the call asks for (3 of chunk(x, 3));
// what is not from the types every run checks. Raises an error where nothing tells it.
std::vector<IValue> unpacked(const IValue& list, std::optional<size_t> length);

// An If, in a capture: both functions run once, the one not taken on symbolic tensors. Outside of a capture the one taken. They return as
// many tensors, and leave everything outside as it is.
using Branch = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
std::vector<Tensor> cond(const Tensor& predicate, const Branch& then, const Branch& otherwise, const std::vector<Tensor>& operands);

// A Loop: while condition(values) holds, values = body(values). In a capture both run on symbolic tensors; under trace also as often as
// the example asks for, unrecorded.
using Condition = std::function<Tensor(const std::vector<Tensor>&)>;
std::vector<Tensor> while_loop(const Condition& condition, const Branch& body, const std::vector<Tensor>& initial);

}  // namespace monograph::capture
