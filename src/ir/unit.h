// A Unit is a whole program: functions, classes, and one tree of module instances that may share parts. Graphs refer to it by name: a call of
// another graph is a call_function of its name, a call of a method a call_method or call_module. A file holds no function
// that calls itself.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ivalue.h"
#include "ir/graph.h"

namespace monograph::ir {

class Module;

// An attribute's place in a class: its name, kind and type.
struct Attribute {
  enum class Kind : uint8_t { Parameter, Buffer, Value, Module };
  std::string name;
  Kind kind = Kind::Value;
  Type type;
  bool persistent = true;  // of a buffer: saved in the state dict
};
std::string_view to_string(Attribute::Kind kind);

struct Class {
  std::string name;  // mangled: "__torch__.torch.nn.modules.linear.___torch_mangle_3.Linear"
  bool is_module = false;
  std::vector<Attribute> attributes;
  std::vector<std::string> methods;  // method m is the function "<name>.m"; its first placeholder is self

  // The index of an attribute; -1 where there is none.
  int index_of(std::string_view attribute) const;
};

// The name under which a get_attr reads a module itself, as the object whose attributes prim::GetAttr and prim::SetAttr read and write: "encoder.__dict__",
// of the root "__dict__".
inline constexpr std::string_view kModuleObject = "__dict__";
// Reads the mode that a module is in, where the class has no attribute of this name.
inline constexpr std::string_view kTraining = "training";

// An instance. Instances are shared where the program shares them.
class Module {
 public:
  const Class& type() const { return *class_; }
  bool training = true;
  // A value for each attribute of the class: a module, or one argument (a tensor constant for parameters and buffers).
  struct Value {
    Module* module = nullptr;
    Args value;
  };
  std::vector<Value> values;
  // The object that graphs read and write while they run; made of the values when a graph first needs it (exec::object_of). Null until then.
  IValue object;
  // Finds the attribute at a path from this module, such as "encoder.0.weight". Returns the module that holds the last name, and sets `attribute` to its
  // index there; null if there is no such attribute.
  const Module* find(std::string_view path, int& attribute) const;
  // The value of the attribute at a path; null if there is no such attribute.
  const Value* value_at(std::string_view path) const;
  // For the paths "encoder.__dict__" and "encoder.training", whose last part is `name`, the module "encoder". Null for any other path, and if the module has
  // an attribute of this name.
  const Module* holder(std::string_view path, std::string_view name) const;

 private:
  friend class Unit;
  explicit Module(const Class* type) : values(type->attributes.size()), class_(type) {}
  const Class* class_;
};

class Unit {
 public:
  // Functions and methods, in the order of their making. Error where the name is taken.
  Graph* add_function(std::string_view name);
  Graph* add_function(std::unique_ptr<Graph> graph);
  Graph* find_function(std::string_view name) const;
  const std::vector<std::unique_ptr<Graph>>& functions() const { return functions_; }

  Class* add_class(std::string_view name);
  Class* try_add_class(std::string name);  // null where the name is taken
  Class* find_class(std::string_view name) const;
  const std::vector<std::unique_ptr<Class>>& classes() const { return classes_; }

  // Instances in the order of their making; the root is the first that was made root.
  Module* add_module(const Class* type);
  const std::vector<std::unique_ptr<Module>>& modules() const { return modules_; }
  Module* root() const { return root_; }
  void set_root(Module* module) { root_ = module; }

 private:
  std::vector<std::unique_ptr<Graph>> functions_;
  std::unordered_map<std::string, Graph*> function_index_;
  std::vector<std::unique_ptr<Class>> classes_;
  std::unordered_map<std::string, Class*> class_index_;
  std::vector<std::unique_ptr<Module>> modules_;
  Module* root_ = nullptr;
};

bool identical(const Unit& a, const Unit& b, std::string* difference = nullptr);
// Copies the classes and modules of `from` into `to`, which has none. Both share the tensors; the objects of modules are not copied. Returns the copy of
// each module.
std::unordered_map<const Module*, Module*> copy_modules(const Unit& from, Unit& to);

}  // namespace monograph::ir
