// Writes a symbolic size into a graph as nodes. A size that a gradient or decomposition reads as s0 * 64 becomes `mul.int(sym_size.int(x, 0), 64)`.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/size.h"
#include "ir/graph.h"

namespace monograph {

// Makes the node that computes `size`, at the graph's insertion point. `size` is not a number. Each of its symbols must be a size of a tensor that the graph
// computes before that point; else Error (Runtime). Every node that was made is added to `appended`, if it is given. `more_sources` gives the node and dim of
// symbols that no type has: sizes that depend on elements.
using SizeSources = std::unordered_map<std::string, std::pair<ir::Node*, int64_t>>;
ir::Node* append_size(ir::Graph& graph, Size size, std::vector<ir::Node*>* appended = nullptr, const SizeSources* more_sources = nullptr);

}  // namespace monograph
