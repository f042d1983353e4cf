// Finds the classes and functions that the code of an archive of torch.jit.save defines. The bodies of functions are not parsed here; a function is
// compiled when it is first called.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace monograph::torchscript {

// A line `name : type` or `name : type = value` of a class. `value` is "" if there is none.
struct Field {
  std::string name, type, value;
};

struct SourceFunction {
  std::string name;  // "__torch__.torch.nn.functional.relu"; for a method only "forward"
  std::string file;  // the entry with its text, below the archive's folder: "code/__torch__.py"
  uint32_t line = 1;  // the number of its first line in that entry
  size_t begin = 0;  // the byte of that entry where it begins
  std::string text;
};

struct SourceClass {
  enum class Kind : uint8_t { Module, NamedTuple, Enum, Interface, Object };
  std::string name;  // "__torch__.torch.nn.modules.conv.Conv2d"
  Kind kind = Kind::Object;
  std::string file;
  uint32_t line = 1;
  std::vector<std::string> parameters, buffers;
  std::vector<std::string> pre_hooks, hooks;  // of a module: the methods that a call runs before and after forward
  std::vector<Field> fields;
  std::vector<SourceFunction> methods;
  std::string text;  // empty for a module
  // Null if there is no method of this name.
  const SourceFunction* find(std::string_view method) const;
  // The method that a call of the module runs: kCall if it has hooks, else "forward".
  std::string_view called() const { return find(kCall) ? kCall : "forward"; }
  // Of a module with hooks: a method that runs them and forward. It is no part of the archive's code.
  static constexpr std::string_view kCall = "__call__";
};

class SourceIndex {
 public:
  // Adds the definitions in one text. The prefix of their names comes from `file`: "__torch__.torch.nn.functional." for
  // "code/__torch__/torch/nn/functional.py". Error (File) names a line that defines neither a class nor a function.
  void add(const std::string& file, std::string_view text);
  // Null if there is none of this name.
  const SourceClass* find_class(std::string_view name) const;
  const SourceFunction* find_function(std::string_view name) const;
  // Whether the name of some class or function begins with this name and a dot.
  bool is_prefix(std::string_view name) const;
  const std::map<std::string, SourceClass, std::less<>>& classes() const { return classes_; }
  const std::map<std::string, SourceFunction, std::less<>>& functions() const { return functions_; }

 private:
  std::map<std::string, SourceClass, std::less<>> classes_;
  std::map<std::string, SourceFunction, std::less<>> functions_;
};

// The names of operators that a text calls ("aten::add", "quantized::linear"), each once, in the order of their first call.
std::vector<std::string> operators_in(std::string_view text);

}  // namespace monograph::torchscript
