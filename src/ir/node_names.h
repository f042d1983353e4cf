// What the names of nodes say: whether a variable of the user's gave a node its name.
#pragma once

#include <string>
#include <string_view>

#include "ir/graph.h"

namespace monograph::ir {

// What a node is called when nobody says: the last word of its target. A number is put behind it where the name is taken.
std::string default_name(Op op, std::string_view target);
// Whether a node has that name: no variable of the user's gave it another.
bool has_default_name(const Node& n);
// "relu" of "relu_2".
std::string name_without_number(std::string_view name);
// The first placeholder in the body of a Loop, unless the user's program names it.
inline constexpr std::string_view kCounterName = "index";

}  // namespace monograph::ir
