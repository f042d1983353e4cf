// What the families of operators on values of programs share: numbers, strs, lists and dicts.
#pragma once

#include <string>

#include "ops/program_values.h"
#include "ops/registry.h"

namespace monograph {

// Makes records of operators that only graphs call: neither functions nor methods of the Python package.
class ProgramOp {
 public:
  explicit ProgramOp(Registry& registry) : registry_(registry) {}
  OpBuilder operator()(std::initializer_list<const char*> schemas, EvalFn eval) const;

 private:
  Registry& registry_;
};

// What a program raises: the name of its class, and the words that the program gave it. The message of a class that is none of the usual kinds of errors begins
// with its name.
struct RaisedException : Error {
  RaisedException(ErrorKind kind, bool usual, const std::string& class_name, const std::string& words)
      : Error(kind, usual ? words : concat(class_name, words.empty() ? "" : ": ", words)), exception(class_name), text(words) {}
  std::string exception, text;
};

// The same effects, and the operator may raise because of its data.
ir::Effects raising(ir::Effects effects);

// Which of two values of a program is less; an error of the operator where that cannot be told.
bool less_values(const Operator& op, const IValue& a, const IValue& b);
bool same_key(const IValue& a, const IValue& b);

// Python's format(v, spec).
std::string formatted_value(const Operator& op, const IValue& v, const std::string& spec);
}  // namespace monograph
