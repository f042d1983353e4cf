// Splits the flat graph of a trace into methods, one for each call of a submodule. `traced.graph` shows them.
#pragma once

#include "capture/writer.h"
#include "ir/unit.h"

namespace monograph::capture {

// Adds to the unit one method for each module call ("<class>.forward"; "<class>.forward1" for the next call of the same module), and one for the root, which is
// returned. In it a get_attr and a call_method replace the nodes of each call. The flat graph is not changed. Calls inside of arms and loop bodies stay inlined.
// The unit must have a root, to which the paths of the calls refer. `shares`: calls that compute the same share one method, as in a script; a trace has one
// method for each call, as in PyTorch. `keeps_empty`: a call that computes nothing is a call too. `copies` gets what stands in the root's method for the nodes of
// the flat graph. `path`, `method`: of a module below the root, the method that is returned in place of the root's, and of which `copies` are; null where the
// trace has no such method. `call` gets the call that it was made of.
struct OutlineOptions {
  bool shares = false, keeps_empty = false;
  ir::Graph::NodeMap* copies = nullptr;
  std::string path, method;
  const ModuleCall** call = nullptr;
  const std::unordered_map<const ir::Node*, uint32_t>* times = nullptr;  // of nodes that were put in later: the ids that they count as
};
ir::Graph* outline_modules(const ir::Graph& flat, const std::vector<ModuleCall>& calls, ir::Unit& unit, const OutlineOptions& options = {});

}  // namespace monograph::capture
