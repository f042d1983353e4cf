// Guards of a captured call that sizes of its inputs decide.
#pragma once

#include "ir/graph.h"

namespace monograph::python::compiled {

// Copies what computes a number from sizes of inputs alone, in a way of a branch too. False where it reads anything else. `map` has the inputs.
bool copy_sizes(ir::Graph& to, ir::Graph::NodeMap& map, const ir::Node* node, int depth = 0);
// Whether elements of a tensor may decide the number: through a value that is read from them, or through a size that they decide.
bool decided_by_elements(const ir::Node* node);
// Whether the number is computed from the size of a tensor.
bool reads_size(const ir::Node* node, int depth = 0);

}  // namespace monograph::python::compiled
