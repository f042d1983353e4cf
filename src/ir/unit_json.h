// JSON of a whole program: its functions as to_json writes them, its classes and modules. Large constants stand in it by hash, as in the text form.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ir/unit.h"

namespace monograph::ir {

std::string to_json(const Unit& unit);
// Of a program, or of one graph.
std::unique_ptr<Unit> unit_from_json(std::string_view text);

}  // namespace monograph::ir
