// A symbolic size as nodes: what a gradient or decomposition reads as s0 * 64 becomes `mul.int(sym_size.int(x, 0), 64)` in the graph.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/size.h"
#include "ir/graph.h"

namespace monograph {

// The node that computes `size`, made at the graph's insertion point. Its symbols are sizes of tensors that are there before that point; Error where one is
// not. `size` is no number. Every node that was made is added to `appended`, where that is given. `more_sources` names symbols that no type has: sizes of a node
// that depend on elements.
using SizeSources = std::unordered_map<std::string, std::pair<ir::Node*, int64_t>>;
ir::Node* append_size(ir::Graph& graph, Size size, std::vector<ir::Node*>* appended = nullptr, const SizeSources* more_sources = nullptr);

}  // namespace monograph
