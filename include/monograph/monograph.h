// Monograph in C++: tensors, PyTorch's operators by name, captures into graphs, and graphs that print, save, load and run.
//
//   #include <monograph/monograph.h>
//   using namespace monograph;
//
//   Graph g = capture([](Tensor x) { return "silu"_op(x) * 2; }, {full({2, 3}, 1.0)});
//   std::cout << g.str() << g.hash();
//   Tensor y = g({x});
//
// Errors are monograph::Exception with a sentence. Nothing here needs Python. Link the CMake target monograph_api.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

namespace monograph {
// The library's own sources see these names in monograph::api, beside those that they stand for.
#ifndef MONOGRAPH_API_SOURCE
inline
#endif
    namespace api {

struct Exception : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A handle; copies share the tensor. In a symbolic capture it is a node of the graph: it has no sizes and no data, and asking for them is
// an Exception. In a trace the sizes that are asked for are guards of the graph, which every run checks, and asking for data is an Exception.
class Tensor {
 public:
  Tensor() = default;
  bool defined() const { return impl_ != nullptr; }
  bool is_symbolic() const;
  std::vector<int64_t> sizes() const;
  int64_t numel() const;
  std::string dtype() const;  // "float32"
  // The elements in row-major order, as doubles; real dtypes.
  std::vector<double> values() const;
  // The memory, of a contiguous tensor. T must be its dtype: float, double, int64_t, int32_t, uint8_t or bool.
  template <class T>
  const T* data() const;

  struct Access;  // the library's
 private:
  std::shared_ptr<void> impl_;
};

// What an operator takes.
using Value =
    std::variant<std::monostate, bool, int, int64_t, double, const char*, std::string, Tensor, std::vector<int64_t>, std::vector<Tensor>>;
// What it gives: nearly always one tensor, which it turns into.
struct Results {
  std::vector<Tensor> all;
  operator Tensor() const { return all.at(0); }
  const Tensor& operator[](size_t k) const { return all.at(k); }
};

// PyTorch's operator of this name; the arguments choose the overload. Arguments stand in the schema's order, those too that Python takes by
// keyword only.
Results call(std::string_view op, std::vector<Value> args);
// "softmax"_op(x, 1)
struct NamedOp {
  std::string_view name;
  template <class... A>
  Results operator()(A&&... args) const {
    return call(name, {Value(std::forward<A>(args))...});
  }
};
inline NamedOp operator""_op(const char* name, size_t length) { return {std::string_view(name, length)}; }

inline Tensor operator+(const Tensor& a, const Value& b) { return call("add", {a, b}); }
inline Tensor operator-(const Tensor& a, const Value& b) { return call("sub", {a, b}); }
inline Tensor operator*(const Tensor& a, const Value& b) { return call("mul", {a, b}); }
inline Tensor operator/(const Tensor& a, const Value& b) { return call("div", {a, b}); }
inline Tensor operator-(const Tensor& a) { return call("neg", {a}); }

// float32 tensors.
Tensor full(const std::vector<int64_t>& sizes, double value);
Tensor tensor(const std::vector<float>& values, const std::vector<int64_t>& sizes);

// The body of one program.
class Graph {
 public:
  std::vector<Tensor> run(const std::vector<Tensor>& inputs) const;
  Tensor operator()(const std::vector<Tensor>& inputs) const { return run(inputs).at(0); }
  std::string str() const;  // text that parses back
  std::string tabular() const;  // torch.fx's table
  std::string code() const;  // Python
  // SHA-256 of the canonical form: equal for equal programs, whichever language and capture they came from.
  std::string hash() const;
  // A .mgraph file, which Python's monograph.load_graph and the monograph program read too. It appears whole or not at all.
  void save(const std::string& path) const;

  struct Access;  // the library's
 private:
  std::shared_ptr<void> impl_;
};
Graph load_graph(const std::string& path);

enum class How : uint8_t {
  Trace,  // run on the inputs, record
  Symbolic,  // run on symbolic tensors; the inputs say how many there are
};
using Program = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
Graph capture_program(const Program& program, const std::vector<Tensor>& inputs, How how);

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
}  // namespace detail

// A function over Tensors, which returns a Tensor or a vector of them, as a graph.
template <class F>
Graph capture(F f, const std::vector<Tensor>& inputs, How how = How::Trace) {
  constexpr size_t n = detail::arity<F>();
  if (inputs.size() != n)
    throw Exception("capture: the function takes " + std::to_string(n) + " tensors, but got " + std::to_string(inputs.size()));
  return capture_program([&](const std::vector<Tensor>& x) { return detail::listed(detail::apply(f, x, std::make_index_sequence<n>())); },
                         inputs, how);
}

// Branches and loops on values, kept by both captures; outside of one they simply run.
using Branch = Program;
std::vector<Tensor> cond(const Tensor& predicate, const Branch& then, const Branch& otherwise, const std::vector<Tensor>& operands);
std::vector<Tensor> while_loop(const std::function<Tensor(const std::vector<Tensor>&)>& condition, const Branch& body,
                               const std::vector<Tensor>& initial);

}  // namespace api
}  // namespace monograph
