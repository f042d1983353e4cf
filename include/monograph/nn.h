// The layers of torch.nn in C++. They are compiled from the sources of the Python package, which the library contains. Nothing here needs Python.
//
//   jit::Module net = nn::Sequential(nn::Conv2d(3, 8, 3, nn::named("padding", 1)), nn::ReLU(), nn::Flatten(), nn::Linear(8 * 32 * 32, 10));
//   Tensor y = net.forward({ones({1, 3, 32, 32})}).toTensor();
//   net.save("net.pt");                                              torch.jit.load reads it, PyTorch's and Monograph's
//
//   jit::Module same = nn::layer("Sequential(Conv2d(3, 8, 3, padding=1), ReLU(), Flatten(), Linear(8192, 10))");
//
// Arguments have the same order, names and defaults as in Python, and errors the same messages. After the same manual_seed, weights are equal to Python's. A
// module that is passed to another one shares its parameters with it. Call train() and eval() on the outer module, which sets the mode of the whole.
#pragma once

#include <algorithm>

#include "monograph/nn_module.h"
#include "monograph/script.h"

MONOGRAPH_API_BEGIN

namespace nn {

// An argument of a layer: a value or a module. named() gives it the name of a parameter.
class Argument {
 public:
  template <class T>
    requires std::is_constructible_v<IValue, T&&>
  Argument(T&& value) : value_(std::forward<T>(value)) {}
  Argument(const jit::Module& module) : module_(module) {}
  // {2, 2} and {0.5, 0.5}
  template <class T>
    requires std::is_arithmetic_v<T>
  Argument(std::initializer_list<T> numbers)
      : value_(std::vector<std::conditional_t<std::is_floating_point_v<T>, double, int64_t>>(numbers.begin(), numbers.end())) {}
  Argument(std::initializer_list<int64_t> numbers) : value_(std::vector<int64_t>(numbers)) {}  // {height, 2}, of several types
  const std::string& name() const { return name_; }
  const IValue& value() const { return value_; }
  const std::optional<jit::Module>& module() const { return module_; }

 private:
  friend Argument named(const std::string& name, Argument value);
  std::string name_;
  IValue value_;
  std::optional<jit::Module> module_;
};
inline Argument named(const std::string& name, Argument value) {
  value.name_ = name;
  return value;
}

// Makes a layer by the name of its class, such as "Linear". AttributeError if there is no such class. Wrong arguments raise the same error as in Python.
jit::Module make(const std::string& name, const std::vector<Argument>& arguments);
// Makes a layer, with the layers in it, from an expression as Python writes it: "Sequential(Linear(3, 4), ReLU())".
jit::Module layer(const std::string& expression);
// The names that make() accepts.
std::vector<std::string> layers();

// A layer with its own C++ type: fc1->forward(x) and fc1(x) return the tensor, and fc1->weight is the parameter.
class Layer : public jit::Module {
 public:
  Layer(std::nullptr_t) {}  // no layer yet
  Layer(const jit::Module& module) : jit::Module(module), made_(true) {
    for (auto [held, name] :
         {std::pair{&weight, "weight"}, {&bias, "bias"}, {&running_mean, "running_mean"}, {&running_var, "running_var"}})
      if (hasattr(name) && attr(name).isTensor()) *held = attr(name).toTensor();
  }
  using jit::Module::forward;
  using jit::Module::operator();
  // RuntimeError for a layer whose forward returns several values, such as LSTM; run_method("forward", x) returns all of them.
  template <class... T>
  Tensor forward(const Tensor& input, const T&... more) const {
    return jit::Module::forward(std::vector<IValue>{IValue(input), IValue(more)...}).toTensor();
  }
  template <class... T>
  Tensor operator()(const Tensor& input, const T&... more) const {
    return forward(input, more...);
  }
  size_t size() const { return named_children().size(); }  // of a Sequential or ModuleList
  Layer* operator->() { return this; }
  const Layer* operator->() const { return this; }
  explicit operator bool() const { return made_; }
  bool is_empty() const { return !made_; }
  // Undefined if the layer has no tensor of this name.
  Tensor weight, bias, running_mean, running_var;

 private:
  bool made_ = false;
};

// Arguments by name, as in libtorch's options: Conv2dOptions(1, 10, 5).stride(2).padding(1). TypeError from a layer or function that has no
// parameter of a name.
class LayerOptions {
  template <class T, size_t N>
  static Argument numbers(const T (&list)[N]) {
    return std::vector<std::conditional_t<std::is_floating_point_v<T>, double, int64_t>>(list, list + N);
  }

 public:
  template <class... T>
    requires(!(sizeof...(T) == 1 && (std::derived_from<std::remove_cvref_t<T>, LayerOptions> && ...)))
  LayerOptions(T&&... arguments) : arguments_{Argument(std::forward<T>(arguments))...} {}
  // FoldFuncOptions({8, 8}, {3, 3}), PadFuncOptions({1, 2}), LPPool2dFuncOptions(2, {3, 2})
  template <class... More>
  LayerOptions(std::initializer_list<int64_t> list, More&&... more)
      : arguments_{Argument(std::vector<int64_t>(list)), Argument(std::forward<More>(more))...} {}
  template <class T, size_t N, class... More>
    requires std::is_arithmetic_v<T>
  LayerOptions(const T (&list)[N], More&&... more) : arguments_{numbers(list), Argument(std::forward<More>(more))...} {}
  template <class T, size_t N, class U, size_t M>
    requires(std::is_arithmetic_v<T> && std::is_arithmetic_v<U>)
  LayerOptions(const T (&first)[N], const U (&second)[M]) : arguments_{numbers(first), numbers(second)} {}
  template <class First, class T, size_t N>
    requires std::is_arithmetic_v<T>
  LayerOptions(First&& first, const T (&list)[N]) : arguments_{Argument(std::forward<First>(first)), numbers(list)} {}
  LayerOptions& set(const std::string& name, Argument value) { return arguments_.push_back(named(name, std::move(value))), *this; }
  const std::vector<Argument>& arguments() const { return arguments_; }
#define MONOGRAPH_LAYER_OPTION(name) \
  LayerOptions& name(Argument value) { return set(#name, std::move(value)); }
#include "monograph/generated/layer_options.inc"
#undef MONOGRAPH_LAYER_OPTION
  LayerOptions& lambda(Argument value) { return set("lambd", std::move(value)); }  // a word of Python's

 private:
  std::vector<Argument> arguments_;
};

// The name of a class as a template argument.
template <size_t N>
struct LayerName {
  constexpr LayerName(const char (&name)[N]) { std::copy_n(name, N, text); }
  constexpr bool is(std::string_view name) const { return name == std::string_view(text, N - 1); }
  char text[N];
};

// What forward of a layer returns: a tensor, or a tuple of a recurrent or attention layer.
template <LayerName kName>
using LayerResult =
    std::conditional_t<kName.is("LSTM"), std::tuple<Tensor, std::tuple<Tensor, Tensor>>,
                       std::conditional_t<kName.is("GRU") || kName.is("RNN") || kName.is("LSTMCell") || kName.is("MultiheadAttention"),
                                          std::tuple<Tensor, Tensor>, Tensor>>;

template <LayerName kName>
class LayerOf : public Layer {
 public:
  using jit::Module::forward;
  using jit::Module::operator();
  template <class... T>
  LayerResult<kName> forward(const Tensor& input, const T&... more) const {
    return jit::Module::forward(std::vector<IValue>{IValue(input), IValue(more)...}).template to<LayerResult<kName>>();
  }
  template <class... T>
  LayerResult<kName> operator()(const Tensor& input, const T&... more) const {
    return forward(input, more...);
  }
  LayerOf* operator->() { return this; }
  const LayerOf* operator->() const { return this; }
  LayerOf(std::nullptr_t) : Layer(nullptr) {}
  explicit LayerOf(const LayerOptions& options) : Layer(make(kName.text, options.arguments())) {}
  template <class... T>
    requires(!(sizeof...(T) == 1 && ((std::same_as<std::remove_cvref_t<T>, LayerOf> || std::same_as<std::remove_cvref_t<T>, LayerOptions> ||
                                      std::same_as<std::remove_cvref_t<T>, std::nullptr_t>) &&
                                     ...)))
  explicit LayerOf(T&&... arguments) : Layer(make(kName.text, {Argument(std::forward<T>(arguments))...})) {}
};
#include "monograph/generated/layers.inc"  // using Linear = LayerOf<"Linear">; using LinearOptions = LayerOptions; and so on

// torch.nn.functional. A call takes what Python's function takes, in its order, or libtorch's options behind the tensors:
//
//   F::max_pool2d(x, 2)                                     F::max_pool2d(x, F::MaxPool2dFuncOptions(3).stride(2))
//   F::cross_entropy(scores, target)                        F::interpolate(x, F::InterpolateFuncOptions().scale_factor({2.0, 2.0}).mode("bilinear"))
//
// Where an operator takes the arguments as they are, it is called. The rest runs the function's source, with Python's checks and errors.
namespace functional {

using namespace api;

// A function by its name in Python. AttributeError where there is none.
IValue call(const std::string& name, const std::vector<Argument>& arguments);

template <class... T>
inline constexpr bool kHasOptions = (std::same_as<std::remove_cvref_t<T>, LayerOptions> || ...);
using Tensors2 = std::tuple<Tensor, Tensor>;

template <class Result, class... T>
Result called(const char* name, const T&... given) {
  std::vector<Argument> arguments;
  const auto add = [&](const auto& v) {
    if constexpr (std::same_as<std::remove_cvref_t<decltype(v)>, LayerOptions>) {
      // The word that stands first in libtorch's options of a loss is its reduction.
      for (const Argument& a : v.arguments()) arguments.push_back(a.name().empty() && a.value().isString() ? named("reduction", a) : a);
    } else {
      arguments.push_back(Argument(v));
    }
  };
  (add(given), ...);
  const IValue result = call(name, arguments);
  if constexpr (std::same_as<Result, Tensor>) return result.toTensor();
  else return {result.toTupleRef().elements()[0].toTensor(), result.toTupleRef().elements()[1].toTensor()};
}

#define MONOGRAPH_PYTHON_FUNCTION(Result, name) \
  template <class... T> \
  Result name(const T&... given) { \
    return called<Result>(#name, given...); \
  }
// A call that fits no overload of the operator alone.
#define MONOGRAPH_OPERATOR_FUNCTION(Result, name) \
  using api::name; \
  template <class... T> \
    requires(kHasOptions<T...> || !requires(const T&... given) { api::name(given...); }) \
  Result name(const T&... given) { \
    return called<Result>(#name, given...); \
  }
#include "monograph/generated/functional.inc"
#undef MONOGRAPH_PYTHON_FUNCTION
#undef MONOGRAPH_OPERATOR_FUNCTION

}  // namespace functional

// torch.nn.init: init::xavier_uniform_(layer->weight). Each function writes into the tensor without a gradient and returns it.
namespace init {

IValue call(const std::string& name, const std::vector<Argument>& arguments);

#define MONOGRAPH_INIT_FUNCTION(name) \
  template <class... T> \
  Tensor name(const Tensor& tensor, const T&... given) { \
    return call(#name, {Argument(tensor), Argument(given)...}).toTensor(); \
  }
#include "monograph/generated/init.inc"
#undef MONOGRAPH_INIT_FUNCTION
template <class... T>
double calculate_gain(const T&... given) {
  const IValue gain = call("calculate_gain", {Argument(given)...});
  return gain.toScalar().toDouble();
}

}  // namespace init

}  // namespace nn

MONOGRAPH_API_END
