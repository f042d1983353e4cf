// Functionalization: turns in-place writes into values.
//
//   %y = aten::relu(%x)                       %y   = aten::relu(%x)
//   %w = aten::add_.Tensor(%y, %z)            %y_1 = aten::type_as(aten::add.Tensor(%y, %z), %y)
//   %u = aten::mul.Tensor(%y, %w)             %u   = aten::mul.Tensor(%y_1, %y_1)
//
//   %v = aten::select.int(%y, 0, 1)           %v_1 = aten::select.int(%y_1, 0, 1)
//   %f = aten::fill_.Scalar(%v, 7)            %f   = aten::full_like(%v_1, 7)
//   %r = aten::relu(%y)                       %y_2 = aten::select_scatter(%y_1, %f, 0, 1)
//                                             %r   = aten::relu(%y_2)
//
// A write through a view becomes a new value of the base: each view's record says how (Operator::inverse, ::scatter). Other views of the base are computed
// again where they are used. A write inside an If or Loop becomes a result or a carried value. A copy_ at the end of the graph gives an input or attribute
// its last value.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace monograph::passes {

struct Functionalized {
  std::unique_ptr<ir::Graph> graph;
  size_t writes = 0;  // the number of writes that became values
  // Memory whose writes stay writes: the name, in the given graph, of the value that it belongs to, and the reason.
  struct Left {
    std::string value, reason;
  };
  std::vector<Left> left;
};

// Works on graphs of every level. Memory is tracked by the alias marks of the schemas (passes/trackable_memory.h); inputs and attributes count as different
// tensors. A write becomes a value if its operator is the in-place form of another one (Operator::functional). All writes of some memory stay if
// - a result of an If or Loop is another name for it,
// - a possible copy of it (by reshape or contiguous, or in a list of pieces) is written, or used after a write,
// - an unresolved call gets it, or
// - it is written by an operator that is no in-place form.
// A result of the graph that shared memory with an input or another result no longer does. A write that would raise an error, because its result does not
// fit into the memory, may raise none afterwards. Functionalizing the result again changes nothing.
Functionalized functionalize(const ir::Graph& graph);

// The same for lists that grow: append, extend and += become new lists. This is done for a list that the graph makes, that no other value holds while it
// grows, and that no result of an If or Loop is another name for. The tensors in the list do not matter.
Functionalized functionalize_lists(const ir::Graph& graph);

// The same for the blocks of one If or Loop, which are changed in `graph` itself. A block stays as it is if it writes to memory from outside of it, if a write
// cannot become a value, or if a guard checks a value that it computes. Returns false if a block of `region` itself stays so.
bool functionalize_blocks(ir::Graph& graph, ir::Node* region);

}  // namespace monograph::passes
