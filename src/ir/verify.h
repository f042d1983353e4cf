// The verifier: checks what must be true of every graph.
#pragma once

#include <string>
#include <vector>

#include "ir/unit.h"

namespace monograph::ir {

struct Problem {
  const Graph* graph;
  const Node* node;  // null: of the graph as a whole
  std::string message;
};

// Everything that is wrong, in order, at most `limit` of it. Linear. Checked are
//   blocks       placeholders first, one output, at the end
//   order        a value is used after it was made, in its block or one inside; links, uses and labels agree
//   results      only projections use a multi node; they follow it, ascending, at most one a result
//   If, Loop     blocks, their placeholders, results and types fit (ir/graph.h)
//   operators    arguments bind to the schema; their types, where known, are allowed there
//   level        no call_module or call_method at operator level and below
//   types        the type that the operator infers, where it is known, is that of the node, and a declared type allows it
//   symbols      no two symbols of one name
//   guards       check a value of the graph
std::vector<Problem> problems(const Graph& graph, size_t limit = 20);

// Raises Error (Value) with all of them, each with the node as it prints and its place in the program.
void verify(const Graph& graph);
void verify(const Unit& unit);
// The unit that a file gave, where nothing is wrong with it.
std::unique_ptr<Unit> verified(std::unique_ptr<Unit> unit);

}  // namespace monograph::ir
