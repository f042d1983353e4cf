// The code in an archive of torch.jit.save: which classes and functions its texts define, and where. Nothing of it is parsed further here: each
// function is compiled when it is asked for.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace monograph::torchscript {

// A line `name : type` or `name : type = value` of a class.
struct Field {
  std::string name, type, value;
};

struct SourceFunction {
  std::string name;  // "__torch__.torch.nn.functional.relu", or of a method "forward"
  std::string file;  // the entry that it stands in, below the archive's folder: "code/__torch__.py"
  uint32_t line = 1;  // of its first line in that text
  size_t begin = 0;  // where it stands in that text
  std::string text;
};

struct SourceClass {
  enum class Kind : uint8_t { Module, NamedTuple, Enum, Interface, Object };
  std::string name;  // "__torch__.torch.nn.modules.conv.Conv2d"
  Kind kind = Kind::Object;
  std::string file;
  uint32_t line = 1;
  std::vector<std::string> parameters, buffers;
  std::vector<Field> fields;
  std::vector<SourceFunction> methods;
  std::string text;  // of a class that is no module
  const SourceFunction* find(std::string_view method) const;
};

class SourceIndex {
 public:
  // Adds the definitions of one text. `file` is "code/__torch__/torch/nn/functional.py", which says the prefix of their names. Error (File) names the
  // line that is none of this dialect.
  void add(const std::string& file, std::string_view text);
  const SourceClass* find_class(std::string_view name) const;
  const SourceFunction* find_function(std::string_view name) const;
  // Whether a class or function begins with this name and a dot.
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
