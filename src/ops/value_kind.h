// What a value is, by the rules that match calls with schemas (ir/bind.h).
#pragma once

#include <string>

#include "core/ivalue.h"
#include "ir/type.h"

namespace monograph {

// Whether a value is of this type, as a result of an operator must be.
bool is_of_type(const IValue& value, ir::Type type);
// Its kind, as messages name it: "Tensor", "list of ints".
std::string kind_in_words(const IValue& value);

}  // namespace monograph
