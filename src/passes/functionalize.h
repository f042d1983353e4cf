// Functionalization: writes in place become values.
//
//   %y = aten::relu(%x)                       %y   = aten::relu(%x)
//   %w = aten::add_.Tensor(%y, %z)            %y_1 = aten::type_as(aten::add.Tensor(%y, %z), %y)
//   %u = aten::mul.Tensor(%y, %w)             %u   = aten::mul.Tensor(%y_1, %y_1)
//
// Inside If and Loop what is written becomes a result or a carried value; an input or attribute that was written gets its last value by one copy_ at
// the end.
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

// Takes and gives every level. Memory is followed by the alias marks of the schemas (passes/memory.h); inputs and attributes count as different
// tensors. A write becomes a value where its operator is the in-place form of another (Operator::functional). Memory stays as it is where a view
// shares it, where it goes through lists, Ifs or Loops under another name, where a call that is not known is given it, and where another kind of
// write touches it. A write that fails because its result does not fit the memory may not fail afterwards: such a program does not work.
Functionalized functionalize(const ir::Graph& graph);

}  // namespace monograph::passes
