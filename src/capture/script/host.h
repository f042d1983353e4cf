// What names mean that a script does not define itself: the globals and closures of Python, or the library's own names for a text from C++.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "capture/script/syntax.h"
#include "ir/arg.h"
#include "ir/type.h"

namespace monograph::capture::script {

struct HostValue {
  enum class Kind : uint8_t {
    Missing,
    Constant,  // a number, str, None, dtype, device, tensor, or a tuple or list of such
    Operator,  // text: its surface name: "torch.add"
    Function,  // id: a user's function, whose source the host has
    Namespace,  // id: a module, whose attributes the host knows
    Type,  // type
    Builtin,  // text: Python's own function: "len"
    Exception,  // text: a class of exceptions
    Class,  // id: a user's class, which Host::class_info describes
    Member,  // text: of the Enum with this id
    Context,  // text: what a with switches: "no_grad"
    Refused,  // text: why it cannot be used
  };
  Kind kind = Kind::Missing;
  ir::Args constant;
  std::string text;
  int64_t id = 0;
  ir::Type type;
};

// A function of the user's.
struct HostFunction {
  std::shared_ptr<const SourceText> source;
  std::shared_ptr<const Tree> tree;
  const FunctionSyntax* function = nullptr;
  int64_t scope = 0;  // in which its names are looked up
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

class Host {
 public:
  virtual ~Host() = default;
  virtual HostValue name(int64_t scope, const std::string& name) = 0;
  virtual HostValue attribute(int64_t id, const std::string& name) = 0;
  virtual HostFunction function(int64_t id) = 0;
  virtual HostClass class_info(int64_t /*id*/) { return {}; }
  // The class of this mangled name, which a type named; -1 where there is none.
  virtual int64_t find_class(const std::string& /*name*/) { return -1; }
  // What the compiler knows of the classes that it met, by mangled name.
  std::map<std::string, std::shared_ptr<ScriptClass>, std::less<>> classes;
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
  HostClass class_info(int64_t id) override;
  int64_t find_class(const std::string& name) override;

 private:
  std::shared_ptr<const SourceText> source_;
  std::shared_ptr<const Tree> tree_;
};

// Whether a with of a script takes torch's context manager of this name.
bool is_context(std::string_view name);
// Whether Python has a function of this name that a script may call.
bool is_builtin(std::string_view name);

}  // namespace monograph::capture::script
