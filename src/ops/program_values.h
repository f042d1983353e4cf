// What Python does with any value: its text, whether two are equal, a warning.
#pragma once

#include <string>

#include "ops/record.h"

namespace monograph {

// Whether two values of a program are equal; an error of the operator where that cannot be told.
bool equal_values(const Operator& op, const IValue& a, const IValue& b);
// Python's str of a value, or its repr.
std::string text_of_value(const Operator& op, const IValue& v, bool repr);
// The text of a tensor as Python shows it; null where no Python runs.
extern std::string (*tensor_text)(const Tensor& t);
// Where print writes a line. Python's sys.stdout where Python runs.
extern void (*print_line)(const std::string& line);
// What warnings.warn does.
extern void (*warn_user)(const std::string& message);

// The effects of a captured program, with the place in the program. Where Python runs, monograph/_effects.py does what the program did.
struct CapturedWarning {
  std::string message, category, module, file;
  int64_t line = 0;  // without a file: how many callers above the graph's call the place is
};
struct CapturedLog {
  std::string logger;  // its name; "" for the functions of the module `logging`
  int64_t level = 0;
  std::string message, file;
  int64_t line = 0;
  std::string function;
};
// Writes to standard output, or to standard error, and adds nothing.
extern void (*write_text)(const std::string& text, bool errors);
extern void (*warn_captured)(const CapturedWarning& warning);
extern void (*log_captured)(const CapturedLog& log);

}  // namespace monograph
