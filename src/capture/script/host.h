// What names mean that a script does not define itself: the globals and closures of Python, or the library's own names for a text from C++.
#pragma once

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

class Host {
 public:
  virtual ~Host() = default;
  virtual HostValue name(int64_t scope, const std::string& name) = 0;
  virtual HostValue attribute(int64_t id, const std::string& name) = 0;
  virtual HostFunction function(int64_t id) = 0;
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

 private:
  std::shared_ptr<const SourceText> source_;
  std::shared_ptr<const Tree> tree_;
};

// Whether Python has a function of this name that a script may call.
bool is_builtin(std::string_view name);

}  // namespace monograph::capture::script
