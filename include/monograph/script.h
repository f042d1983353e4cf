// torch.jit in C++: archives of torch.jit.save, PyTorch's and Monograph's, and programs from text. Nothing here needs Python.
//
//   jit::Module module = jit::load("model.pt");
//   Tensor y = module.forward({ones({1, 3, 224, 224})}).toTensor();
//
//   auto unit = jit::compile("def scale(x, factor: float):\n  return x * factor\n");
//   Tensor z = unit->run_method("scale", y, 0.5).toTensor();
//
// Any number of threads may call the methods of one module. What changes a module (train, to, setattr) waits for none of them: do it before.
//
// A method becomes a graph at its first call. What an archive's code asks for and Monograph lacks is an error then, with the line of that code. Every error
// is a monograph::Exception with the words of Python's (docs/how_to/cpp.md).
#pragma once

#include <istream>

#include "monograph/graph.h"
#include "monograph/indexing.h"
#include "monograph/ivalue.h"
#include "monograph/script_graph.h"

MONOGRAPH_API_BEGIN

namespace jit {

using api::IValue;
using Stack = std::vector<IValue>;
using Kwargs = std::unordered_map<std::string, IValue>;
using ExtraFilesMap = std::unordered_map<std::string, std::string>;

class CompilationUnit;
class Module;

// A function or method as a value that can be called.
class Function {
 public:
  // Arguments by position and by name. Those with defaults may be left out.
  IValue operator()(std::vector<IValue> inputs, const Kwargs& kwargs = {}) const;
  const std::string& name() const;
  // The graph that runs, with everything that it calls in place. An edit of it holds for the next call, and is saved with the module.
  Graph graph() const;
  size_t num_inputs() const;  // without self

  struct Access;  // used inside of the library
 private:
  std::shared_ptr<void> impl_;
};

class Method : public Function {
 public:
  Module owner() const;

 private:
  friend class Module;
  explicit Method(const Function& f) : Function(f) {}
};

// A parameter, buffer, attribute or module with its path: "encoder.0.weight".
template <class T>
struct Named {
  std::string name;
  T value;
};

// A module of a program. Copies are the same module; clone() makes another one.
class Module {
 public:
  Module() = default;  // no module: every call raises ValueError
  // An empty module, of a class of this name:
  //
  //   jit::Module m("Adder");
  //   m.register_parameter("weight", ones({3}), false);
  //   m.define("def forward(self, x, n: int = 4):\n  return self.weight + x + n\n");
  explicit Module(const std::string& class_name);
  void register_parameter(const std::string& name, const Tensor& value, bool is_buffer) const;
  void register_buffer(const std::string& name, const Tensor& value) const { register_parameter(name, value, true); }
  // A plain value or tensor. The type is that of the value, or one written as "Optional[int]", "List[str]".
  void register_attribute(const std::string& name, const IValue& value, const std::string& type = "") const;
  // A module made here, a layer or a loaded module, whole, as a part: methods of this one may call its methods as self.name.forward(x). The tensors are shared;
  // plain values are copied. NotImplementedError for a loaded module that assigns plain values when it runs.
  void register_module(const std::string& name, const Module& module) const;
  // Methods from their text, of this module or a loaded one. They may read and call what the module has; what a loaded module's own code does not assign, they
  // cannot assign. RuntimeError, which shows the line, for what is no method.
  void define(const std::string& source) const;

  IValue forward(std::vector<IValue> inputs, const Kwargs& kwargs = {}) const;
  IValue operator()(std::vector<IValue> inputs) const { return forward(std::move(inputs)); }
  // AttributeError, which lists the methods, where there is none of this name.
  Method get_method(const std::string& name) const;
  std::optional<Method> find_method(const std::string& name) const;
  std::vector<Method> get_methods() const;
  template <class... T>
  IValue run_method(const std::string& name, T&&... arguments) const {
    return get_method(name)({IValue(std::forward<T>(arguments))...});
  }

  // Everything that the module holds, in the order of the program. Tensors that two paths lead to are listed for each path, as by libtorch.
  std::vector<Named<Tensor>> named_parameters(bool recurse = true) const;
  std::vector<Tensor> parameters(bool recurse = true) const;
  std::vector<Named<Tensor>> named_buffers(bool recurse = true) const;
  std::vector<Tensor> buffers(bool recurse = true) const;
  std::vector<Named<Module>> named_modules() const;  // with this one, whose name is ""
  std::vector<Module> modules() const;
  std::vector<Named<Module>> named_children() const;
  std::vector<Module> children() const;
  std::vector<Named<IValue>> named_attributes(bool recurse = true) const;  // parameters, buffers and plain values

  bool hasattr(const std::string& name) const;
  // A value or tensor of this module; AttributeError where there is none of this name.
  IValue attr(const std::string& name) const;
  IValue attr(const std::string& name, IValue or_else) const { return hasattr(name) ? attr(name) : std::move(or_else); }
  Module submodule(const std::string& name) const;  // libtorch: attr(name).toModule()
  // Another value for an attribute that there is. TypeError where it is of another kind than the attribute.
  void setattr(const std::string& name, const IValue& value) const;

  bool is_training() const;
  void train(bool on = true) const;
  void eval() const { train(false); }
  // Converts the parameters and buffers in place. As in Python only floating and complex numbers change their dtype.
  void to(Dtype dtype, bool non_blocking = false) const;
  void to(Device device, bool non_blocking = false) const;
  void to(Device device, Dtype dtype, bool non_blocking = false) const;
  // A module with copies of everything that this one holds. Tensors that share memory share it there too.
  Module clone() const;
  Module deepcopy() const { return clone(); }
  Module copy() const { return *this; }

  // Writes what jit::load and torch.jit.load read: the root of a program with all that it holds now. The file appears whole or not at all.
  void save(const std::string& path, const ExtraFilesMap& extra_files = {}) const;
  void save(std::ostream& out, const ExtraFilesMap& extra_files = {}) const;

  std::string type_name() const;  // of its class: "__torch__.Net"
  bool operator==(const Module& other) const;  // the same module

  struct Access;  // used inside of the library
 private:
  void add_attribute(const std::string& name, int kind, const std::string& type, const IValue& value) const;
  std::shared_ptr<void> program_;
  void* module_ = nullptr;
};

// An archive of torch.jit.save, or a .mgraph file. The tensors are on the CPU, wherever they were, or have no memory on the meta device.
// OSError for a file that is damaged or is none. Nothing in it is executed.
Module load(const std::string& path, std::optional<Device> device = {});
Module load(std::istream& in, std::optional<Device> device = {});
// The keys of `extra_files` that the archive has get their contents.
Module load(const std::string& path, std::optional<Device> device, ExtraFilesMap& extra_files);
Module load(std::istream& in, std::optional<Device> device, ExtraFilesMap& extra_files);

inline void save(const Module& module, const std::string& path) { module.save(path); }
// A captured graph as an archive: it becomes the forward of a module, which has the parameters that the graph reads.
void save(const api::Graph& graph, const std::string& path);

// The module with its parameters and attributes as constants of its methods: forward, and those that `preserved` names. Attributes that it names stay.
// RuntimeError for a module in training mode.
Module freeze(const Module& module, const std::vector<std::string>& preserved = {}, bool optimize_numerics = true);
// The module, frozen: graphs are compiled when they run first, so that nothing else is left to do.
Module optimize_for_inference(Module& module, const std::vector<std::string>& other_methods = {});

// Functions of a text. torch and math are the names that it may use beside its own.
class CompilationUnit {
 public:
  // RuntimeError, which shows the line, for a text that is no program of TorchScript's language.
  explicit CompilationUnit(const std::string& source);
  Function get_function(const std::string& name) const;  // AttributeError where there is none
  std::optional<Function> find_function(const std::string& name) const;
  std::vector<Function> get_functions() const;
  template <class... T>
  IValue run_method(const std::string& name, T&&... arguments) const {
    return get_function(name)({IValue(std::forward<T>(arguments))...});
  }

 private:
  std::vector<Function> functions_;
};
inline std::shared_ptr<CompilationUnit> compile(const std::string& source) { return std::make_shared<CompilationUnit>(source); }

// libtorch's other name of this namespace.
namespace script {
using jit::CompilationUnit;
using jit::Method;
using jit::Module;
}  // namespace script

}  // namespace jit

MONOGRAPH_API_END
