// What the sources of the layers are made of while a constructor runs: modules, functions, classes and instances, as objects in IValues. Numbers, texts,
// tensors, tuples, lists and dicts are IValues as in a program.
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

// The names of a call, or of a whole file. A file's names are evaluated when they are first asked for: `pending` has the statements that give them.
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
  std::shared_ptr<NameTable> around;
  ClassValue* owner = nullptr;  // whose method it is
  std::map<std::string, IValue, std::less<>> defaults;
  enum class Kind : uint8_t { Plain, Static, Class, Property } kind = Kind::Plain;
};

struct ClassValue : ObjectBox {
  std::string kind_name() const override { return "type"; }
  std::string name;
  const ClassSyntax* syntax = nullptr;  // null of Module itself
  SourceFile* file = nullptr;
  std::vector<Ref<ClassValue>> bases;
  bool named_tuple = false;
  std::vector<std::pair<std::string, IValue>> members;
  std::string full_name() const;  // "torch.nn.modules.linear.Linear"
};

// A module. The tables are dicts with the names in the order of their making.
struct LayerValue : ObjectBox {
  std::string kind_name() const override { return type->name; }
  Ref<ClassValue> type;
  bool training = true;
  IValue parameters = IValue::dict({}), buffers = IValue::dict({}), modules = IValue::dict({}), attributes = IValue::dict({});
};

// What the sources name and do not define: "torch.relu", "math.sqrt", "builtins.len", "typing.Any".
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

// super() in a method of `behind`.
struct SuperValue : ObjectBox {
  Ref<LayerValue> self;
  ClassValue* behind = nullptr;
};

template <class T>
T* as(const IValue& v) {
  return v.is_object() ? dynamic_cast<T*>(v.object()) : nullptr;
}
inline IValue boxed(ObjectBox* p) { return IValue(Ref<ObjectBox>(p)); }
inline IValue native(std::string name) { return boxed(new NativeValue(std::move(name))); }

// The value of a key of a dict; null where there is none.
IValue* find_key(const IValue& dict, std::string_view key);
void set_key(const IValue& dict, const std::string& key, IValue value);
bool erase_key(const IValue& dict, std::string_view key);

// The classes in which a name is looked up, in Python's order.
std::vector<ClassValue*> resolution_order(ClassValue& type);
// What a class or those before it have under a name, and which one; null where none has it.
const IValue* find_member(const std::vector<ClassValue*>& order, std::string_view name);
bool is_subclass(ClassValue& type, std::string_view name);

}  // namespace monograph::capture::layers
