// Saves and restores which attributes of a Unit share memory, as a `.mgraph` file stores it (docs/formats.md).
//
// The Unit's text gives each attribute its own value. That is enough for memory that no function writes. If a function writes or returns one of several
// attributes that share memory, the others must change too, also after the program is saved and loaded.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "ir/unit.h"

namespace monograph {

using AttributePlaces = std::set<std::pair<const ir::Module*, size_t>>;  // a module and the index of one of its attributes

// Describes as JSON the groups of attributes that share memory, and where in it each one lies. Only groups with an attribute in `written` are
// described; "" if there are none. Error (Value) names the file and the attributes if the dtypes in a group differ, or if its attributes hold less
// than a sixteenth of its memory.
std::string sharing_to_json(const ir::Unit& unit, const AttributePlaces& written, std::string_view path);

// Gives each group of attributes in the JSON one memory, filled with their contents. Error (File) says what does not fit. A memory may have at most
// 16 times as many elements as its attributes, so a short text cannot ask for much memory.
void share_from_json(ir::Unit& unit, std::string_view json);

}  // namespace monograph
