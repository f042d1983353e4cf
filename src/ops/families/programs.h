// Helpers that the families of operators on a program's values share. Such values are numbers, strs, lists, dicts and objects.
#pragma once

#include <complex>
#include <string>

#include "ops/program_values.h"
#include "ops/registry.h"

namespace monograph {

// Makes records of operators that only graphs call. The Python package has no function or method for them.
class ProgramOp {
 public:
  explicit ProgramOp(Registry& registry) : registry_(registry) {}
  OpBuilder operator()(std::initializer_list<const char*> schemas, EvalFn eval) const;

 private:
  Registry& registry_;
};

// The exception that a `raise` in a program throws: `exception` is the name of its class, `text` the message that the program gave. If the class is not one
// of the kinds of errors that Monograph has, the C++ message begins with the name of the class.
struct RaisedException : Error {
  RaisedException(ErrorKind kind, bool usual, const std::string& class_name, const std::string& words)
      : Error(kind, usual ? words : concat(class_name, words.empty() ? "" : ": ", words)), exception(class_name), text(words) {}
  std::string exception, text;
};

// `effects`, with the mark that the operator may raise an error because of its data.
ir::Effects raising(ir::Effects effects);

// Whether a < b, for two strs or two numbers. Error (Type) in the operator's name for other values.
bool less_values(const Operator& op, const IValue& a, const IValue& b);
// Whether two keys of a dict are equal.
bool same_key(const IValue& a, const IValue& b);

std::complex<double> complex_quotient(std::complex<double> a, std::complex<double> b);
// x as an int, rounded toward zero. Error (Value) in the operator's name if 64 bits cannot hold it.
int64_t int_of_float(const Operator& op, double x);

// Python's format(v, spec).
std::string formatted_value(const Operator& op, const IValue& v, const std::string& spec);
}  // namespace monograph
