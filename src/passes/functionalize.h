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
// A write through a view is put into the base, view by view, as the view's record says (Operator::inverse, ::scatter). Other views of the base are
// made again where they are used. A write inside an If or Loop becomes a result or a carried value. An input or attribute gets its last value by one
// copy_ at the end.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace monograph::passes {

struct Functionalized {
  std::unique_ptr<ir::Graph> graph;
  size_t writes = 0;  // that became values
  // What stays as it was, all writes to it included: the value that the memory belongs to, as it is named in the given graph, and why.
  struct Left {
    std::string value, reason;
  };
  std::vector<Left> left;
};

// Takes and gives every level. Memory is tracked by the alias marks of the schemas (passes/trackable_memory.h); inputs and attributes count as different
// tensors. A write becomes a value where its operator is the in-place form of another (Operator::functional). Memory stays as it is where it goes
// through Ifs or Loops under another name, where what may be a copy of it (reshape, contiguous, a list of pieces) is written, or used after a write,
// where a call that is not known is given it, and where another kind of write touches it. A result that showed the memory of an input or of another
// result is a value of its own afterwards. A write that fails because its result does not fit the memory may not fail afterwards: such a program
// does not work. Functionalized again, the result is itself.
Functionalized functionalize(const ir::Graph& graph);

// The same of lists that grow: append, extend and += become lists of their own. A list is followed that the graph makes, that no other value holds while it
// grows, and that goes through Ifs and Loops under its own name alone. What tensors it holds does not matter.
Functionalized functionalize_lists(const ir::Graph& graph);

// The same in the blocks of one If or Loop, in the graph that is given. A block stays as it is where it writes to memory from outside of it, where a write
// cannot become a value, and where a guard checks what it computes; the result is then false.
bool functionalize_blocks(ir::Graph& graph, ir::Node* region);

}  // namespace monograph::passes
