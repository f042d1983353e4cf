// Turns the flat graph of a trace into methods, one for each call of a submodule. `traced.graph` shows them.
#pragma once

#include "capture/writer.h"
#include "ir/unit.h"

namespace monograph::capture {

// Adds to the unit one method a module call ("<class>.forward"; "<class>.forward1" for the next call of the same module) and the root's own, which is
// returned: in it the nodes of each call stand as one call_method of the submodule that get_attr gives. The flat graph stays as it is. Calls inside
// arms and loop bodies stay inlined. The unit has a root, whose paths the calls name. `shares`: calls that compute the same have one method, as scripts have; a
// trace has one for each call, as PyTorch's has.
ir::Graph* outline_modules(const ir::Graph& flat, const std::vector<ModuleCall>& calls, ir::Unit& unit, bool shares = false);

}  // namespace monograph::capture
