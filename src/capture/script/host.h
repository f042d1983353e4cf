// What names mean that a script does not define itself: the globals and closures of Python, the library's own names for a text from C++, and what a
// module holds: for `self.conv.weight` the compiler asks for the attribute "conv" of self, a Module, and for "weight" of that one, a Tensor with the
// path "conv.weight" from the root, which becomes a get_attr.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/script/syntax.h"
#include "core/error.h"
#include "core/ivalue.h"
#include "ir/arg.h"
#include "ir/graph.h"
#include "ir/type.h"

namespace monograph::capture::script {

struct HostValue {
  enum class Kind : uint8_t {
    Missing,
    Constant,  // a number, str, None, dtype, device, tensor, or a tuple or list of such
    Operator,  // text: its surface name: "torch.add"
    Function,  // id: a user's function, whose source the host has
    Namespace,  // id: a module or class, whose attributes the host knows; text: why the class itself is no value or type of a script
    Type,  // type
    Builtin,  // text: Python's own function: "len"
    Exception,  // text: a class of exceptions
    Module,  // id: an instance, which Host::module describes
    Tensor,  // text: the path of a parameter or buffer from the root module
    Method,  // id: a function; self: the module that is its first argument, or, where text is "object", the namespace
    Property,  // the same, called where it is read
    Sequence,  // parts: a tuple of values that are not all constants
    Interface,  // text: its name; parts: its methods, whose names are their texts. As a type it is Any: a module is known by itself
    Class,  // id: a user's class, which Host::class_info describes
    Member,  // text: of the Enum with this id
    Context,  // text: what a with switches: "no_grad"
    Container,  // parts: a list, or a dict as keys and values in turn; type, unknown of a dict whose items tell it
    State,  // text: the path of a module; type: of its attribute, which the program assigns or writes; constant: its name there, where a namespace has it
    Graph,  // id: of a traced function or method; text: the path of the module that it reads, from the root
    Record,  // text: the mangled name of a dataclass that is a dict; parts: its fields with their defaults, whose names are their texts
    Refused,  // text: why it cannot be used
  };
  Kind kind = Kind::Missing;
  ir::Args constant;
  std::string text;
  int64_t id = 0, self = 0;
  ir::Type type;
  std::vector<HostValue> parts;
};

// The value as a constant of a graph, with a dtype as PyTorch's number for it; nullopt for tensors, containers and objects.
std::optional<ir::Args> plain_constant(const IValue& v);

// The compiler found that an attribute, whose value it has used as a constant, is assigned: it begins anew.
struct AttributeAssigned {};

// An instance of a module.
struct HostModule {
  std::string path;  // from the root: "encoder.layers.0"; "" is the root
  std::string type;  // its class, for messages
  enum class Items : uint8_t { None, List, Dict };
  Items kind = Items::None;
  std::vector<std::pair<std::string, HostValue>> items;  // of a container: what iterating and indexing give, with their keys
  std::vector<int64_t> pre_hooks, hooks;  // functions: hook(module, inputs) and hook(module, inputs, output)
};

// A function of the user's.
struct HostFunction {
  std::shared_ptr<const SourceText> source;
  std::shared_ptr<const Tree> tree;
  const FunctionSyntax* function = nullptr;
  int64_t scope = 0;  // in which its names are looked up
  bool unused = false;  // it is not compiled: a call raises when it runs
  bool library = false;  // one of the library's own, which takes a number for a list of numbers as its Python does
  bool overloaded = false;  // it has other signatures, marked with torch.jit._overload, so that its parameters take other types too
};

// A method that was compiled by itself: it is called, and does not stand in place.
struct MethodSignature {
  struct Input {
    std::string name;
    ir::Type type;
    ir::Args default_value;  // empty where there is none
  };
  std::vector<Input> parameters;  // without self
  ir::Type returns;
};

// A class of the user's.
struct HostClass {
  enum class Kind : uint8_t { Object, NamedTuple, Enum };
  Kind kind = Kind::Object;
  std::string name;  // mangled: "__torch__.model.Point"; unique in the program
  // Of an Object; of the others where the host does not say their fields.
  std::shared_ptr<const SourceText> source;
  std::shared_ptr<const Tree> tree;
  const ClassSyntax* syntax = nullptr;
  int64_t scope = 0;  // in which its names are looked up
  ir::Type type;  // of a NamedTuple, where the host knows its fields
  std::vector<std::pair<std::string, HostValue>> values;  // the members of an Enum, the defaults of a NamedTuple
  bool dataclass = false;
};
struct ScriptClass;

// What PyTorch 2.13 writes, and Monograph.
inline constexpr int kOperatorVersion = 10;

class Host {
 public:
  virtual ~Host() = default;
  virtual HostValue name(int64_t scope, const std::string& name) = 0;
  // Of a namespace or of a module. Ids are the host's own: no namespace has the id of a module.
  virtual HostValue attribute(int64_t id, const std::string& name) = 0;
  // What a class of this name has under another one, as it is now; missing where the host knows the class's text alone.
  virtual HostValue class_constant(const std::string& /*cls*/, const std::string& /*name*/) { return {}; }
  // What Python says of an object that is a constant, while the function is compiled: "item" and "in" of a key, "len", "truth", and "keys", "values" and
  // "items" of a mapping. Missing: it cannot say that.
  virtual HostValue ask(int64_t /*id*/, const std::string& /*question*/, const IValue& /*key*/) { return {}; }
  // What `import name`, or with a module `from module import name`, gives in this scope.
  virtual HostValue imported(int64_t /*scope*/, const std::string& /*module*/, const std::string& /*name*/) { return {}; }
  virtual HostFunction function(int64_t id) = 0;
  virtual HostModule module(int64_t /*id*/) { return {}; }
  // Whether graphs without a path read the root module, rather than no module at all.
  virtual bool graphs_of_root() const { return false; }
  // A Graph, which lives as long as the host.
  virtual const ir::Graph* graph(int64_t /*id*/) { return nullptr; }
  // Of the forward of a module; nothing where it is compiled in place.
  virtual std::optional<MethodSignature> signature(int64_t /*id*/) { return {}; }
  // The program assigns this attribute of the module, or writes to the list or dict that it is: from now on `attribute` answers State. Returns why
  // that cannot be; "" where it can.
  virtual std::string assigned(int64_t /*id*/, const std::string& name) {
    return concat("the attribute '", name, "' cannot be assigned here");
  }
  // What a method of the module that lists its parts gives, a Sequence: "items", "named_children", "parameters"; Missing: it is no such method.
  virtual HostValue listing(int64_t /*id*/, const std::string& /*method*/) { return {}; }
  // What super() is in a method of the module, in whose scope the class of the method is known: a Module.
  virtual HostValue super_of(int64_t /*id*/, int64_t /*scope*/) { return {}; }
  // Whether a module is an instance of a class, named as the scope names it: "nn.Linear".
  virtual bool is_instance(int64_t /*id*/, int64_t /*scope*/, const std::string& /*type*/) { return false; }
  virtual HostClass class_info(int64_t /*id*/) { return {}; }
  // The class of this mangled name, which a type named; -1 where there is none.
  virtual int64_t find_class(const std::string& /*name*/) { return -1; }
  // What the compiler knows of the classes that it met, by mangled name.
  std::map<std::string, std::shared_ptr<ScriptClass>, std::less<>> classes;
  // Whether calls, and reads of what modules hold, stay calls and reads. Such a graph is for people to read, and nothing runs it.
  virtual bool keeps_calls() const { return false; }
  // The name of a function in such a graph: "__torch__.torch.nn.functional.relu"; "" where it has none.
  virtual std::string qualified_name(int64_t /*function*/) { return {}; }
  // What functions return that do not declare it, found while calls were kept; with the module of a method.
  std::map<std::pair<const FunctionSyntax*, int64_t>, ir::Type> returns;
  // Whether the code is that of an archive, in which operators have their own names and dtypes are numbers (serialized.cpp).
  virtual bool serialized() const { return false; }
  // Whether code in this scope may also have the words of printed code: uninitialized(T), ops.prim.max(a, b), dtypes as numbers. What the program itself
  // calls so goes first.
  virtual bool may_be_printed(int64_t /*scope*/) const { return serialized(); }
  // The version of such code's operators; what older ones meant is in upgraders.cpp.
  virtual int operator_version() const { return kOperatorVersion; }
  // Whether PyTorch has an operator aten::NAME, which Monograph may lack.
  virtual bool is_pytorchs(const std::string& /*name*/) { return false; }
  // The device that stands for one that such code names.
  virtual std::string device_of(const std::string& text) { return text; }
  // The value of a parameter's default, where the host has it; Missing: the source says it.
  virtual HostValue default_of(int64_t /*scope*/, const std::string& /*parameter*/) { return {}; }
};

// Names of a text without Python: torch, math, the functions of the text itself.
class TextHost : public Host {
 public:
  TextHost(std::shared_ptr<const SourceText> source, std::shared_ptr<const Tree> tree)
      : source_(std::move(source)), tree_(std::move(tree)) {}
  HostValue name(int64_t scope, const std::string& name) override;
  HostValue attribute(int64_t id, const std::string& name) override;
  HostFunction function(int64_t id) override;
  HostValue imported(int64_t scope, const std::string& module, const std::string& name) override;
  HostClass class_info(int64_t id) override;
  int64_t find_class(const std::string& name) override;
  bool may_be_printed(int64_t scope) const override { return scope == 0; }

 private:
  std::shared_ptr<const SourceText> source_;
  std::shared_ptr<const Tree> tree_;
};

// Whether a with of a script takes torch's context manager of this name.
bool is_context(std::string_view name);
// Whether Python has a function of this name that a script may call.
bool is_builtin(std::string_view name);

}  // namespace monograph::capture::script
