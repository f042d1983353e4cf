// The type of a value, by the rules that match calls with schemas (ir/bind.h).
#pragma once

#include <string>

#include "core/ivalue.h"
#include "ir/type.h"

namespace monograph {

// Whether a value has this type, as the result of an operator must.
bool is_of_type(const IValue& value, ir::Type type);
// The kind of a value in words, for messages: "Tensor", "list of ints".
std::string kind_in_words(const IValue& value);

}  // namespace monograph
