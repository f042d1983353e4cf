// Decomposition: replaces operators that are not core by the operators of their decompositions (ops/record.h, `decomposition`).
#pragma once

#include <functional>

#include "ir/graph.h"

namespace monograph::passes {

// Replaces, in all blocks, each call of an operator that is not core and for which `choose` returns true (if absent: all), until none is left. Names, types and
// locations of the results are kept, and results are equal bit for bit. A call stays as it is if its decomposition needs a size or dtype that the graph does
// not know. Needs types (ir::infer_types). Returns the number of nodes replaced.
// ByExample: an unknown size is taken from the example of the capture, if there was one, and the graph gets a guard for it.
enum class UnknownSizes : uint8_t { Leave, ByExample };
size_t decompose(ir::Graph& graph, const std::function<bool(const ir::Node&)>& choose = {}, UnknownSizes unknown = UnknownSizes::Leave);
// The same for one block and the blocks inside of it.
size_t decompose(ir::Graph& graph, ir::Block* block, const std::function<bool(const ir::Node&)>& choose,
                 UnknownSizes unknown = UnknownSizes::Leave);

}  // namespace monograph::passes
