// Joins two captures of a program, one with its modules in training and one in evaluation, to one graph.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "ir/unit.h"

namespace monograph::capture {

// Returns a graph that reads the modes of the modules at `paths` when it runs. If each module has the mode that it has in now's Unit, the graph does what `now`
// does. If each has the other mode, it does what `other` does. Any other mix raises an error that names a module. `paths` are the modules whose mode the
// program reads: at least one; "" is the root.
//
// The result refers to now's Unit, but is none of its functions. It is null if the two cannot be joined: their inputs or results have different types, one of
// them has guards, or one reads a module or tensor that now's Unit does not hold.
std::unique_ptr<ir::Graph> joined_modes(const ir::Graph& now, const ir::Graph& other, std::span<const std::string> paths);

}  // namespace monograph::capture
