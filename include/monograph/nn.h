// The layers of torch.nn in C++, made and compiled from the sources of the Python package, which the library has in it. Nothing here needs Python.
//
//   jit::Module net = nn::Sequential(nn::Conv2d(3, 8, 3, nn::named("padding", 1)), nn::ReLU(), nn::Flatten(), nn::Linear(8 * 32 * 32, 10));
//   Tensor y = net.forward({ones({1, 3, 32, 32})}).toTensor();
//   net.save("net.pt");                                              torch.jit.load reads it, PyTorch's and Monograph's
//
//   jit::Module same = nn::layer("Sequential(Conv2d(3, 8, 3, padding=1), ReLU(), Flatten(), Linear(8192, 10))");
//
// Arguments, their order, names and defaults, are those of Python, and so are errors. After the same manual_seed, weights are those of Python. A module that
// was given to another one shares its parameters with it; the mode of the whole is set at the whole.
#pragma once

#include "monograph/script.h"

MONOGRAPH_API_BEGIN

namespace nn {

// A value, a module, or a value with the name of its parameter.
class Argument {
 public:
  template <class T>
    requires std::is_constructible_v<IValue, T&&>
  Argument(T&& value) : value_(std::forward<T>(value)) {}
  Argument(const jit::Module& module) : module_(module) {}
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

// A layer by the name of its class. AttributeError where there is none; what its constructor refuses is the error of Python.
jit::Module make(const std::string& name, const std::vector<Argument>& arguments);
// A layer as Python writes it, with those in it.
jit::Module layer(const std::string& expression);
// The names that make() takes.
std::vector<std::string> layers();

struct Layer {
  const char* name;
  template <class... T>
  jit::Module operator()(T&&... arguments) const {
    return make(name, {Argument(std::forward<T>(arguments))...});
  }
};
#include "monograph/generated/layers.inc"  // inline constexpr Layer Linear{"Linear"}; and so on

}  // namespace nn

MONOGRAPH_API_END
