// The objects of the evaluator: layers, functions, classes and native names, each boxed in an IValue. Numbers, strings, tensors, tuples, lists and dicts are
// plain IValues.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/script/source.h"
#include "capture/script/syntax.h"
#include "core/ivalue.h"
#include "core/tensor.h"

namespace monograph::capture::layers {

using script::ClassSyntax;
using script::Expr;
using script::FunctionSyntax;
using script::Stmt;

// The names of a call or of a file. Names of a file are evaluated at their first use; until then `pending` has the statement that defines each.
struct NameTable {
  std::map<std::string, IValue, std::less<>> values;
  std::map<std::string, const Stmt*, std::less<>> pending;
  std::shared_ptr<NameTable> outer;
};

// One file: "monograph.nn.modules.linear".
struct SourceFile : ObjectBox {
  std::string name;
  std::shared_ptr<const script::SourceText> text;
  std::shared_ptr<const script::Tree> tree;
  std::shared_ptr<NameTable> names;
};

struct ClassValue;

struct FunctionValue : ObjectBox {
  const FunctionSyntax* syntax = nullptr;
  SourceFile* file = nullptr;
  std::shared_ptr<NameTable> enclosing;
  ClassValue* owner = nullptr;  // the class of a method
  std::map<std::string, IValue, std::less<>> defaults;
  enum class Kind : uint8_t { Plain, Static, Class, Property } kind = Kind::Plain;
};

struct ClassValue : ObjectBox {
  std::string kind_name() const override { return "type"; }
  std::string name;
  const ClassSyntax* syntax = nullptr;  // null for Module, which is implemented natively
  SourceFile* file = nullptr;
  std::vector<Ref<ClassValue>> bases;
  bool named_tuple = false;
  std::vector<std::pair<std::string, IValue>> members;
  std::string full_name() const;  // "torch.nn.modules.linear.Linear"
};

// An instance of a layer's class. The tables are dicts by name, in the order of definition.
struct LayerValue : ObjectBox {
  std::string kind_name() const override { return type->name; }
  Ref<ClassValue> type;
  bool training = true;
  IValue parameters = IValue::dict({}), buffers = IValue::dict({}), modules = IValue::dict({}), attributes = IValue::dict({});
};

// A name that the sources use but do not define: "torch.relu", "math.sqrt", "builtins.len", "typing.Any".
struct NativeValue : ObjectBox {
  explicit NativeValue(std::string n) : name(std::move(n)) {}
  std::string kind_name() const override { return name; }
  std::string name;
};

// A method with its instance.
struct BoundValue : ObjectBox {
  BoundValue(IValue f, IValue s) : function(std::move(f)), self(std::move(s)) {}
  IValue function, self;
};

// super() in a method of `method_class`.
struct SuperValue : ObjectBox {
  Ref<LayerValue> self;
  ClassValue* method_class = nullptr;
};

template <class T>
T* as(const IValue& v) {
  return v.is_object() ? dynamic_cast<T*>(v.object()) : nullptr;
}
inline IValue boxed(ObjectBox* p) { return IValue(Ref<ObjectBox>(p)); }
inline IValue native(std::string name) { return boxed(new NativeValue(std::move(name))); }

// The value of a key of a dict; null if there is none.
IValue* find_key(const IValue& dict, std::string_view key);
void set_key(const IValue& dict, const std::string& key, IValue value);
bool erase_key(const IValue& dict, std::string_view key);

// Python's method resolution order: the classes in which a name is looked up.
std::vector<ClassValue*> resolution_order(ClassValue& type);
// The first member with this name in a resolution order; null if there is none.
const IValue* find_member(const std::vector<ClassValue*>& order, std::string_view name);
bool is_subclass(ClassValue& type, std::string_view name);

}  // namespace monograph::capture::layers
