// Operations on a program's values that Python defines for every value (==, str, repr), and the program's outputs: print, warnings and logging.
#pragma once

#include <string>

#include "ops/record.h"

namespace monograph {

// Whether two values of a program are equal. Error (NotImplemented) in the operator's name if they hold tensors.
bool equal_values(const Operator& op, const IValue& a, const IValue& b);
// Python's str of a value, or its repr.
std::string text_of_value(const Operator& op, const IValue& v, bool repr);
// The text of a tensor as Python shows it; null if no Python runs.
extern std::string (*tensor_text)(const Tensor& t);
// Writes a line as print does: to Python's sys.stdout if Python runs, else to standard output.
extern void (*print_line)(const std::string& line);
// Does what warnings.warn does.
extern void (*warn_user)(const std::string& message);

// Warnings and log messages of a captured program, with their place in it. If Python runs, monograph/_effects.py repeats what the program did.
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
// Writes a text, without a line break, to standard output or standard error.
extern void (*write_text)(const std::string& text, bool errors);
extern void (*warn_captured)(const CapturedWarning& warning);
extern void (*log_captured)(const CapturedLog& log);

}  // namespace monograph
