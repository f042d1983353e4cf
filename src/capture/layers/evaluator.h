// Runs the constructors of the library's layers without Python: the part of the language that the sources of torch.nn use, over values whose types are found
// while it runs. What is computed with tensors are the operators themselves, so that first weights are drawn as in Python.
#pragma once

#include <mutex>
#include <span>

#include "capture/layers/values.h"

namespace monograph::capture::layers {

struct CallArguments {
  std::vector<IValue> positional;
  std::vector<std::pair<std::string, IValue>> named;
};

class Evaluator {
 public:
  // The only one: files that were read stay. Its lock is held while a constructor runs.
  static Evaluator& global();
  std::unique_lock<std::recursive_mutex> lock() { return std::unique_lock(mutex_); }

  // A layer's class by its name in torch.nn; Error (Attribute) where there is none.
  Ref<ClassValue> layer_class(std::string_view name);
  // A function of torch.nn.functional; Error (Attribute) where there is none.
  IValue function(const std::string& name);
  IValue call(const IValue& callee, CallArguments arguments);
  // The value of an expression whose names are those of torch.nn: "Conv2d(3, 8, 3, padding=1)".
  IValue evaluate(const std::string& expression);

  // A name of a function's surroundings: of functions around it, of its file, of Python.
  IValue look_up(const std::shared_ptr<NameTable>& names, SourceFile& file, const std::string& name);
  // An attribute, or nothing of a native module's. Error (Attribute) where there is none.
  IValue attribute(const IValue& of, const std::string& name);
  bool is_instance(const IValue& v, const IValue& type);
  std::string text_of(const IValue& v, bool repr = false);
  // copy.deepcopy: one copy of each module and tensor, which `made` has by the original.
  IValue copied(const IValue& v, std::map<const void*, IValue>& made);

 private:
  struct Frame;
  enum class Leaving : uint8_t { Next, Return, Break, Continue };

  SourceFile* file(const std::string& name);
  IValue imported(const SourceFile& from, const std::string& module, const std::string& name);
  void define(NameTable& names, const std::shared_ptr<NameTable>& around, SourceFile& file, const Stmt& s);
  IValue function_value(const FunctionSyntax& f, const std::shared_ptr<NameTable>& around, SourceFile& file, ClassValue* owner);
  IValue class_value(const ClassSyntax& c, const std::shared_ptr<NameTable>& around, SourceFile& file);

  Leaving run(Frame& frame, const std::vector<Stmt*>& body);
  Leaving run(Frame& frame, const Stmt& s);
  Leaving run_for(Frame& frame, const Stmt& s);
  [[noreturn]] void raise(Frame& frame, const Stmt& s);
  void assign(Frame& frame, const Expr& target, const IValue& value);
  IValue evaluate(Frame& frame, const Expr& e);
  IValue compare(Frame& frame, const Expr& e);
  IValue comprehension(Frame& frame, const Expr& e);
  void clauses(Frame& frame, const Expr& e, size_t clause, size_t part, const std::function<void()>& each);
  IValue format_string(Frame& frame, const Expr& e);
  IValue subscript(Frame& frame, const Expr& e);
  IValue call(Frame& frame, const Expr& e);
  CallArguments arguments(Frame& frame, const Expr& e);
  bool truth(const IValue& v);
  bool contains(const IValue& container, const IValue& v);
  IValue binary(std::string_view symbol, const IValue& a, const IValue& b);
  [[noreturn]] void unsupported(const Frame& frame, const Expr& e, std::string_view what);

  // --- Calls (evaluator_calls.cpp).
  IValue call_function(FunctionValue& f, const IValue* self, CallArguments given);
  IValue construct(ClassValue& type, CallArguments given);
  IValue call_native(const std::string& name, CallArguments given);
  IValue builtin(const std::string& name, CallArguments& given);
  IValue call_method(const IValue& self, const std::string& name, CallArguments given);
  std::optional<IValue> layer_method(LayerValue& layer, const std::string& name, CallArguments& given);
  std::optional<IValue> container_method(const IValue& self, const std::string& name, CallArguments& given);
  IValue call_operator(std::string_view name, const CallArguments& given);
  void set_attribute(const IValue& of, const std::string& name, const IValue& value);

  std::recursive_mutex mutex_;
  std::map<std::string, IValue, std::less<>> files_;
  Ref<ClassValue> module_class_;
};

// The items that a for goes over.
std::vector<IValue> items_of(const IValue& v);

// The sources that the library has in it, by the names of their modules, and the modules of the layers' classes. Written by cmake/Monograph.cmake.
struct EmbeddedSource {
  std::string_view name, text;
};
struct EmbeddedLayer {
  std::string_view name, module;
};
std::span<const EmbeddedSource> embedded_sources();
std::span<const EmbeddedLayer> embedded_layers();

}  // namespace monograph::capture::layers
