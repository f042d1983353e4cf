// Decomposition: operators that are not core become those that they are made of (ops/record.h, `decomposition`).
#pragma once

#include <functional>

#include "ir/graph.h"

namespace monograph::passes {

// Replaces, in all blocks, each call of an operator that is not core and for which `choose` (all, where absent) answers true, until none is
// left; names, types and places of the results stay. Exact: results are equal bit for bit. A call whose decomposition asks for what the graph
// does not know (sizes, a dtype) stays as it is. Needs types (ir::infer_types). Returns the number of nodes replaced.
// ByExample: a size that is not known is taken from the example of the capture, where there was one, and the graph gets a guard that it stays so.
enum class UnknownSizes : uint8_t { Leave, ByExample };
size_t decompose(ir::Graph& graph, const std::function<bool(const ir::Node&)>& choose = {}, UnknownSizes unknown = UnknownSizes::Leave);
// The same of one block and those inside of it.
size_t decompose(ir::Graph& graph, ir::Block* block, const std::function<bool(const ir::Node&)>& choose,
                 UnknownSizes unknown = UnknownSizes::Leave);

}  // namespace monograph::passes
