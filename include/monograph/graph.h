// Captures of C++ functions, and graphs that print, save, load and run.
#pragma once

#include <array>
#include <functional>
#include <utility>

#include "monograph/tensor.h"

MONOGRAPH_API_BEGIN

struct Differentiated;

// The graph of one function. Copies share it. Any number of threads may run one graph.
class Graph {
 public:
  std::vector<Tensor> run(const std::vector<Tensor>& inputs) const;
  Tensor operator()(const std::vector<Tensor>& inputs) const { return run(inputs).at(0); }
  std::string str() const;  // the text form, which can be read again
  std::string tabular() const;  // torch.fx's table
  std::string code() const;  // Python
  // SHA-256 of the canonical form: equal for graphs that compute the same, whichever language and capture they came from.
  std::string hash() const;
  // Writes a .mgraph file, which Python's monograph.load_graph and the command `monograph` read too. It appears whole or not at all.
  void save(const std::string& path) const;
  // The forward and backward pass of this graph as graphs, with its branches and loops. They run with the same sizes as this graph.
  Differentiated differentiate() const;

  struct Access;  // used inside of the library
 private:
  std::shared_ptr<void> impl_;
};
Graph load_graph(const std::string& path);

// What a forward pass saves for the backward pass: tensors, sizes, and the lists of loops.
class Saved {
 public:
  struct Access;  // used inside of the library
 private:
  std::shared_ptr<void> impl_;
};

//   Differentiated d = graph.differentiate();
//   Saved saved;
//   Tensor y = d.run({x}, saved).at(0);
//   std::vector<Tensor> gradients = d.gradients({ones_like(y)}, saved);   // of what d.names lists
struct Differentiated {
  Graph forward, backward;
  size_t results = 0;  // the number of the graph's own results; the rest of forward's results is what it saves
  std::vector<std::string> names;  // the floating-point inputs and attributes that `gradients` returns gradients of, in order
  std::vector<Tensor> run(const std::vector<Tensor>& inputs, Saved& saved) const;
  // Takes the gradients of the floating-point results. A gradient is an undefined tensor where none flows.
  std::vector<Tensor> gradients(const std::vector<Tensor>& gradients, const Saved& saved) const;
};

enum class How : uint8_t {
  Trace,  // runs the function on the inputs and records its operators
  Symbolic,  // runs it on symbolic tensors; the inputs say how many
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
  else {
    static_assert(N < 8, "capture() takes a function of up to eight Tensors");
    return arity<F, N + 1>();
  }
}
inline std::vector<Tensor> listed(Tensor t) { return {std::move(t)}; }
inline std::vector<Tensor> listed(std::vector<Tensor> t) { return t; }
std::vector<Tensor> unpacked(const std::function<std::vector<Tensor>()>& f, size_t count);
}  // namespace detail

// Captures a function over Tensors, which returns a Tensor or a vector of them, as a graph.
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

// Branches and loops on values. Both captures keep them; outside of a capture they simply run.
using Branch = TensorFunction;
std::vector<Tensor> cond(const Tensor& predicate, const Branch& then, const Branch& otherwise, const std::vector<Tensor>& operands);
std::vector<Tensor> while_loop(const std::function<Tensor(const std::vector<Tensor>&)>& condition, const Branch& body,
                               const std::vector<Tensor>& initial);

MONOGRAPH_API_END
