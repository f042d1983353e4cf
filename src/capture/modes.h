// One graph for a program that was captured twice: with its modules in training and in evaluation.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "ir/unit.h"

namespace monograph::capture {

// A graph that reads the modes of the modules at `paths` when it runs. Where each has the mode that it has in now's Unit, the graph does what `now` does. Where each has
// its other mode, it does what `other` does. Any other mix raises an error that names the module. `paths` are those whose mode the program reads: at least one, "" for
// the root.
//
// The result belongs to now's Unit without being one of its functions. It is null where the two have no common form: they take inputs of other types or give results
// of other types, one of them has guards, or one reads a module or tensor that now's Unit does not hold.
std::unique_ptr<ir::Graph> joined_modes(const ir::Graph& now, const ir::Graph& other, std::span<const std::string> paths);

}  // namespace monograph::capture
