// Attributes of one memory: which buffers of a Unit are views of each other, as a `.mgraph` file tells it (docs/formats.md).
//
// The Unit's text gives each attribute a value of its own, which is all there is to say of memory that nobody writes. Where a function writes one
// of several attributes that share memory, or hands it out, the others must see it, in a loaded program too.
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
