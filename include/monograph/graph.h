// Captures of C++ functions, and graphs that print, save, load and run.
#pragma once

#include <array>
#include <functional>
#include <utility>

#include "monograph/tensor.h"

MONOGRAPH_API_BEGIN

struct Differentiated;

// The graph of one function. Copies of this object are the same graph. Any number of threads may run one graph.
class Graph {
 public:
  // All results. The inputs have the dtypes and numbers of dims of the capture's inputs, and any sizes that the graph allows. TypeError, which names the input,
  // for another number, dtype or number of dims; RuntimeError for a guard that does not hold. The first run prepares the graph and takes longer.
  std::vector<Tensor> run(const std::vector<Tensor>& inputs) const;
  Tensor operator()(const std::vector<Tensor>& inputs) const { return run(inputs).at(0); }  // the first result
  std::string str() const;  // the text form (docs/ir.md), which can be read again
  std::string tabular() const;  // a table of the nodes, as torch.fx prints it
  std::string code() const;  // Python code
  // SHA-256 of the canonical form: equal for graphs that make the same calls, whichever language and capture they came from.
  std::string hash() const;
  // Writes a .mgraph file, which Python's monograph.load_graph and the command `monograph` read too. OSError if that fails; an older file then stays as it was.
  void save(const std::string& path) const;
  // Sets the mode of all modules of a graph from a file: training (with false: evaluation), or evaluation. RuntimeError if the graph reads no module's mode: then the
  // file holds the graph of one mode. Not while the graph runs in another thread.
  void train(bool on = true) const;
  void eval() const { train(false); }
  // The forward and backward pass of this graph as graphs, with its branches and loops. They run with the same sizes as this graph. NotImplementedError for an
  // operator without a gradient.
  Differentiated differentiate() const;

  struct Access;  // used inside of the library
 private:
  std::shared_ptr<void> impl_;
};
// Reads a .mgraph file. OSError if it is missing, damaged or has another format. The weights are mapped: do not truncate the file while a weight is in use.
Graph load_graph(const std::string& path);

// The values that a forward pass saves for the backward pass: tensors, sizes, and lists of loops.
class Saved {
 public:
  struct Access;  // used inside of the library
 private:
  std::shared_ptr<void> impl_;
};

//   Differentiated d = graph.differentiate();
//   Saved saved;
//   Tensor y = d.run({x}, saved).at(0);
//   std::vector<Tensor> gradients = d.gradients({ones_like(y)}, saved);   // one for each of d.names
struct Differentiated {
  Graph forward, backward;
  size_t results = 0;  // forward returns this many results of the original graph, and after them the values that it saves
  std::vector<std::string> names;  // the floating-point inputs and attributes that `gradients` returns gradients of, in order
  std::vector<Tensor> run(const std::vector<Tensor>& inputs, Saved& saved) const;
  // Takes the gradients of the floating-point results. A gradient is an undefined tensor where none flows.
  std::vector<Tensor> gradients(const std::vector<Tensor>& gradients, const Saved& saved) const;
};

enum class How : uint8_t {
  Trace,  // runs the function on the inputs and records its operators
  Symbolic,  // runs it on symbolic tensors, as many as there are inputs; their sizes and elements do not matter
};
using TensorFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
Graph capture_function(const TensorFunction& f, const std::vector<Tensor>& inputs, How how);

namespace detail {
template <class F, size_t... K>
auto apply(F& f, const std::vector<Tensor>& x, std::index_sequence<K...>) {
  return f(x[K]...);
}
template <class F, size_t N = 0>
consteval size_t arity() {
  // The number of tensors that f takes, at most eight.
  auto takes = []<size_t... K>(std::index_sequence<K...>) {
    return std::is_invocable_v<F&, std::tuple_element_t<0 * K, std::tuple<const Tensor&>>...>;
  };
  if constexpr (takes(std::make_index_sequence<N>())) return N;
  else if constexpr (N < 8) return arity<F, N + 1>();
  else {
    static_assert(N < 8, "capture() takes a function of up to eight Tensors");
    return 0;
  }
}
inline std::vector<Tensor> listed(Tensor t) { return {std::move(t)}; }
inline std::vector<Tensor> listed(std::vector<Tensor> t) { return t; }
std::vector<Tensor> unpacked(const std::function<std::vector<Tensor>()>& f, size_t count);
}  // namespace detail

// The graph of a function that takes up to eight Tensors and returns a Tensor or a vector of Tensors. TypeError for another number of inputs. Errors of the
// function pass through. RuntimeError if the function asks for a tensor's elements, or in a symbolic capture for sizes or numbers. In a trace, a size or an item()
// becomes a guard. A tensor from outside that requires grad becomes a parameter of the graph: the graph sees its later values, and save() writes its value of then.
// Any other tensor from outside becomes a constant.
template <class F>
Graph capture(F f, const std::vector<Tensor>& inputs, How how = How::Trace) {
  constexpr size_t n = detail::arity<F>();
  if (inputs.size() != n)
    throw TypeError("capture: the function takes " + std::to_string(n) + " tensors, but got " + std::to_string(inputs.size()));
  return capture_function([&](const std::vector<Tensor>& x) { return detail::listed(detail::apply(f, x, std::make_index_sequence<n>())); },
                          inputs, how);
}

// The tensors of a list, where the program knows how many there are. ValueError for another number.
//
//   auto [q, k, v] = unpack<3>([&] { return split(x, 64, -1); });
//
// How::Symbolic and fx::symbolic_trace know no sizes, so they do not know how many tensors split(x, 64, -1) or unbind(x) gives. With unpack they take N, and the
// graph checks it at every run. chunk(x, 3) is taken for 3 tensors without it, and checked as well.
template <size_t N, class F>
std::array<Tensor, N> unpack(F f) {
  std::vector<Tensor> list = detail::unpacked(f, N);
  return
      [&]<size_t... K>(std::index_sequence<K...>) { return std::array<Tensor, N>{std::move(list[K])...}; }(std::make_index_sequence<N>());
}

using Branch = TensorFunction;
// Branches and loops on values. Both captures keep them as nodes; outside of a capture they just run.
//
// cond calls `then` or `otherwise` with the operands. `predicate` has one element. Both functions return the same number of tensors (ValueError), of the same dtypes
// and numbers of dims.
// while_loop calls `body` with the values while `condition` of them is true, starting with `initial`. `body` returns as many tensors as it takes (ValueError).
std::vector<Tensor> cond(const Tensor& predicate, const Branch& then, const Branch& otherwise, const std::vector<Tensor>& operands);
std::vector<Tensor> while_loop(const std::function<Tensor(const std::vector<Tensor>&)>& condition, const Branch& body,
                               const std::vector<Tensor>& initial);

MONOGRAPH_API_END
