// The signature of a function or method of a program: module.get_method("forward").function().getSchema().
#pragma once

#include "monograph/ivalue.h"

MONOGRAPH_API_BEGIN

namespace jit {

class Argument {
 public:
  Argument(std::string name, TypePtr type, std::optional<IValue> default_value = {})
      : name_(std::move(name)), type_(std::move(type)), default_(std::move(default_value)) {}
  const std::string& name() const { return name_; }  // "" of a result
  const TypePtr& type() const { return type_; }
  const std::optional<IValue>& default_value() const { return default_; }

 private:
  std::string name_;
  TypePtr type_;
  std::optional<IValue> default_;
};

class FunctionSchema {
 public:
  FunctionSchema(std::string name, std::vector<Argument> arguments, std::vector<Argument> returns, std::string text)
      : name_(std::move(name)), text_(std::move(text)), arguments_(std::move(arguments)), returns_(std::move(returns)) {}
  const std::string& name() const { return name_; }
  std::vector<Argument> arguments() const { return arguments_; }  // of a method `self` is the first one
  std::vector<Argument> returns() const { return returns_; }
  std::optional<int> argumentIndexWithName(std::string_view name) const {
    for (size_t k = 0; k < arguments_.size(); ++k)
      if (arguments_[k].name() == name) return static_cast<int>(k);
    return {};
  }
  const std::string& str() const { return text_; }  // "scale(Tensor x, float factor=2.) -> Tensor"

 private:
  std::string name_, text_;
  std::vector<Argument> arguments_, returns_;
};
inline std::ostream& operator<<(std::ostream& out, const FunctionSchema& schema) { return out << schema.str(); }

}  // namespace jit

MONOGRAPH_API_END
