// Attributes that share memory: which buffers of a Unit are views of each other, as a `.mgraph` file stores it (docs/formats.md).
//
// The Unit's text gives each attribute its own value. That is enough for memory that no function writes. If a function writes one of several attributes
// that share memory, or returns it, the others must change too, in a loaded program as well.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "ir/unit.h"

namespace monograph {

using AttributePlaces = std::set<std::pair<const ir::Module*, size_t>>;  // a module and the index of one of its attributes

// The JSON that says which attributes of the Unit share memory and where in it they lie, for those groups of which one is in `written`; ""
// where there is none. Error (Value) names the file and the attributes where it cannot be said: dtypes differ, or little of the memory is theirs.
std::string sharing_to_json(const ir::Unit& unit, const AttributePlaces& written, std::string_view path);

// Gives the attributes that the JSON names memory in common, with the contents that they have. Error (File) says what does not fit: memory is
// made for no more than what the attributes themselves hold, up to a factor.
void share_from_json(ir::Unit& unit, std::string_view json);

}  // namespace monograph
