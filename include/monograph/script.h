// torch.jit in C++: loads and runs archives of torch.jit.save, PyTorch's and Monograph's, and compiles programs from text. Nothing here needs Python.
//
//   jit::Module module = jit::load("model.pt");
//   Tensor y = module.forward({ones({1, 3, 224, 224})}).toTensor();
//
//   auto unit = jit::compile("def scale(x, factor: float):\n  return x * factor\n");
//   Tensor z = unit->run_method("scale", y, 0.5).toTensor();
//
// Any number of threads may call the methods of one module. Call train, to, setattr and define before, because they do not wait for running methods.
//
// A method is compiled to a graph at its first call. If an archive's code uses something that Monograph lacks, that call raises an error, which shows the
// line. Every error is a monograph::Exception with the same message as in Python (docs/how_to/cpp.md).
#pragma once

#include <istream>

#include "monograph/graph.h"
#include "monograph/indexing.h"
#include "monograph/ivalue.h"
#include "monograph/script_graph.h"
#include "monograph/script_schema.h"
#include "monograph/script_types.h"

MONOGRAPH_API_BEGIN

namespace jit {

using api::IValue;
using Stack = std::vector<IValue>;
using Kwargs = std::unordered_map<std::string, IValue>;
using ExtraFilesMap = std::unordered_map<std::string, std::string>;

class CompilationUnit;
class Module;

// A function or method that can be called. Copies are the same function.
class Function {
 public:
  // Calls it with arguments by position and by name. Arguments with defaults may be left out. RuntimeError for arguments that do not fit.
  IValue operator()(std::vector<IValue> inputs, const Kwargs& kwargs = {}) const;
  const std::string& name() const;
  // The graph that a call runs. All calls of other functions are inlined. An edit of the graph takes effect at the next call, and is saved with the module.
  Graph graph() const;
  FunctionSchema getSchema() const;
  size_t num_inputs() const;  // of a method with self

  struct Access;  // used inside of the library
 private:
  std::shared_ptr<void> impl_;
};

class Method : public Function {
 public:
  Module owner() const;
  const Function& function() const { return *this; }

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
using NameTensor = Named<Tensor>;
using NameValue = Named<IValue>;
using NameModule = Named<Module>;

// A module of a program. Copies are the same module; clone() makes another one.
class Module {
 public:
  Module() = default;  // no module: every call raises ValueError
  // Makes an empty module whose class has this name:
  //
  //   jit::Module m("Adder");
  //   m.register_parameter("weight", ones({3}), false);
  //   m.define("def forward(self, x, n: int = 4):\n  return self.weight + x + n\n");
  explicit Module(const std::string& class_name);
  void register_parameter(const std::string& name, const Tensor& value, bool is_buffer) const;
  void register_buffer(const std::string& name, const Tensor& value) const { register_parameter(name, value, true); }
  // Adds an attribute that is a tensor or a plain value. `type` is written as in Python, "Optional[int]" or "List[str]"; "" takes the type of the value.
  void register_attribute(const std::string& name, const IValue& value, const std::string& type = "") const;
  // The same as libtorch spells it: m.register_attribute("calls", c10::IntType::get(), 0). A tensor may become a parameter or buffer.
  void register_attribute(const std::string& name, const TypePtr& type, const IValue& value, bool is_parameter = false,
                          bool is_buffer = false) const {
    if ((is_parameter || is_buffer) && value.isTensor()) register_parameter(name, value.toTensor(), !is_parameter);
    else register_attribute(name, value, type ? type->str() : std::string());
  }
  // Adds a module that was made here, a layer or a loaded module, as a submodule: methods of this module may call self.name.forward(x). Tensors are shared;
  // plain values are copied. NotImplementedError for a loaded module that assigns plain values when it runs.
  void register_module(const std::string& name, const Module& module) const;
  // Adds the methods that the text defines. The module may also be a loaded one. The methods may use all attributes, methods and submodules. In a loaded
  // module they may assign only attributes that its own code assigns. RuntimeError, which shows the line, for a text that does not compile.
  void define(const std::string& source) const;

  IValue forward(std::vector<IValue> inputs, const Kwargs& kwargs = {}) const;
  IValue operator()(std::vector<IValue> inputs) const;  // as forward(), and with the hooks that an archive of PyTorch has
  // AttributeError, which lists the methods, if there is none of this name.
  Method get_method(const std::string& name) const;
  std::optional<Method> find_method(const std::string& name) const;
  std::vector<Method> get_methods() const;
  template <class... T>
  IValue run_method(const std::string& name, T&&... arguments) const {
    return get_method(name)({IValue(std::forward<T>(arguments))...});
  }

  // The contents of the module, in the order of the program: the tensors of a submodule stand where it was registered. As in libtorch, a tensor with two paths
  // is listed for each path. recurse=false: without those of submodules.
  std::vector<Named<Tensor>> named_parameters(bool recurse = true) const;
  std::vector<Tensor> parameters(bool recurse = true) const;
  std::vector<Named<Tensor>> named_buffers(bool recurse = true) const;
  std::vector<Tensor> buffers(bool recurse = true) const;
  std::vector<Named<Module>> named_modules() const;  // this module too, with the name ""
  std::vector<Module> modules() const;
  std::vector<Named<Module>> named_children() const;
  std::vector<Module> children() const;
  std::vector<Named<IValue>> named_attributes(bool recurse = true) const;  // parameters, buffers, plain values and modules

  bool hasattr(const std::string& name) const;
  // The attribute of this name, which may be a module. AttributeError if there is none.
  IValue attr(const std::string& name) const;
  IValue attr(const std::string& name, IValue or_else) const { return hasattr(name) ? attr(name) : std::move(or_else); }
  Module submodule(const std::string& name) const;  // the same as attr(name).toModule()
  // Sets an attribute that exists. TypeError if the value has another type than the attribute, AttributeError if there is none of this name.
  void setattr(const std::string& name, const IValue& value) const;

  bool is_training() const;
  void train(bool on = true) const;
  void eval() const { train(false); }
  // Converts the parameters and buffers in place. As in Python, only floating and complex tensors change their dtype.
  void to(Dtype dtype, bool non_blocking = false) const;
  void to(Device device, bool non_blocking = false) const;
  void to(Device device, Dtype dtype, bool non_blocking = false) const;
  // A copy of the module and of all its tensors. Tensors that share memory share it in the copy too.
  Module clone() const;
  Module deepcopy() const { return clone(); }
  Module copy() const { return *this; }

  // Writes an archive that jit::load and torch.jit.load read, with the present values of all attributes. The module must be the root of its program. The
  // file is written whole or not at all. OSError if it cannot be written.
  void save(const std::string& path, const ExtraFilesMap& extra_files = {}) const;
  void save(std::ostream& out, const ExtraFilesMap& extra_files = {}) const;

  std::string type_name() const;  // the name of its class: "__torch__.Net"
  TypePtr type() const { return std::make_shared<const Type>(type_name()); }
  bool operator==(const Module& other) const;  // the same module

  struct Access;  // used inside of the library
 private:
  void add_attribute(const std::string& name, int kind, const std::string& type, const IValue& value) const;
  std::shared_ptr<void> program_;
  void* module_ = nullptr;
};

// Loads an archive of torch.jit.save, or a .mgraph file. All tensors are on the CPU, even if the file places them on a GPU; with kMeta they have no memory.
// Loading executes nothing in the file. OSError if the file is missing, damaged or of another format.
Module load(const std::string& path, std::optional<Device> device = {});
Module load(std::istream& in, std::optional<Device> device = {});
// The same. Each key of `extra_files` that the archive has a file for gets the content of that file.
Module load(const std::string& path, std::optional<Device> device, ExtraFilesMap& extra_files);
Module load(std::istream& in, std::optional<Device> device, ExtraFilesMap& extra_files);

inline void save(const Module& module, const std::string& path) { module.save(path); }
// Saves a captured graph as an archive. The graph becomes the forward of a module that has the parameters which the graph reads.
void save(const api::Graph& graph, const std::string& path);

// Returns a copy of the module in which parameters and attributes are constants of the methods. It has the method forward and the methods that `preserved`
// names. Attributes that `preserved` names stay attributes. RuntimeError for a module in training mode.
Module freeze(const Module& module, const std::vector<std::string>& preserved = {}, bool optimize_numerics = true);
// Returns the frozen module. Graphs are compiled at their first run, so there is nothing else to optimize.
Module optimize_for_inference(Module& module, const std::vector<std::string>& other_methods = {});

// The functions that a text defines. The text may use its own names, and torch and math.
class CompilationUnit {
 public:
  // RuntimeError, which shows the line, for a text that is not in TorchScript's language.
  explicit CompilationUnit(const std::string& source);
  Function& get_function(const std::string& name) const;  // AttributeError if there is none of this name
  Function* find_function(const std::string& name) const;  // null if there is none
  std::vector<Function*> get_functions() const;
  template <class... T>
  IValue run_method(const std::string& name, T&&... arguments) const {
    return get_function(name)({IValue(std::forward<T>(arguments))...});
  }

 private:
  mutable std::vector<Function> functions_;
};
inline std::shared_ptr<CompilationUnit> compile(const std::string& source) { return std::make_shared<CompilationUnit>(source); }

// libtorch also calls this namespace torch::jit::script.
namespace script {
using jit::CompilationUnit, jit::compile, jit::ExtraFilesMap, jit::Function, jit::load, jit::Method, jit::Module;
}  // namespace script

// A value as the bytes of a file of torch.save, which torch.load reads. NotImplementedError for an object that such a file cannot hold.
std::vector<char> pickle_save(const IValue& value);
// The value in the bytes of such a file. An OrderedDict becomes a dict. RuntimeError for other bytes, and for a file with objects of other classes: load_tensors
// reads the tensors of those. Loading executes nothing in the file.
IValue pickle_load(const std::vector<char>& bytes);

}  // namespace jit

MONOGRAPH_API_END
