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

}  // namespace monograph
