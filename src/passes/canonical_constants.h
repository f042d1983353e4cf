// Values of a canonical form that follow from what the graph holds: what operators make of constant tensors, and the sizes of parameters and buffers.
#pragma once

#include "ir/graph.h"

namespace monograph::passes {

// Puts the result of a call in its place, if all arguments are literals and constant tensors, and what is computed is small. A symbolic trace computes such a call
// when it captures, a trace leaves it to each run. Nothing in the graph may write to memory. Whether it did so.
bool fold_tensors(ir::Graph& g, ir::Node* n);
// The same for a size of a parameter or buffer whose sizes its class declares. A script asks for it when it runs, a trace when it captures.
bool fold_size(ir::Graph& g, ir::Node* n);

}  // namespace monograph::passes
