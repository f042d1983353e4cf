// The text of a trace in TorchScript's words, in the form in which PyTorch traces the same program: names are those of the program's variables, modules and
// attributes are read at the head, a write gives a new value, lists and tuples are unpacked, and numbers beside tensors are constants.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "capture/writer.h"
#include "ir/graph.h"

namespace monograph::capture {

// `code` and the tensors that it calls CONSTANTS.c0, c1, … The graph is the one that the capture gave, unchanged; it stays as it is. `name` is that of the
// function, and `module` says whether the graph is a module's forward, in which calls of submodules are calls. `path`: of a submodule, whose method of this
// name is meant then. Error (Attribute) where the trace does not call it.
std::string code_of_trace(const ir::Graph& flat, const TraceNotes& notes, const std::string& name, bool module,
                          std::vector<ir::TensorRef>& constants, const std::string& path = {});

}  // namespace monograph::capture
