// The text form with other names for source files, so that a saved file does not show its author's folders.
#pragma once

#include <functional>
#include <string>

#include "ir/unit.h"

namespace monograph::ir {

// What stands for a source file; null: its own name.
using SourceNames = std::function<std::string(const std::string& file)>;

std::string to_text(const Graph& graph, const SourceNames& names);
std::string to_text(const Unit& unit, const SourceNames& names);

}  // namespace monograph::ir
