// Monograph in C++: tensors, PyTorch's operators, captures into graphs, and graphs that print, save, load and run.
//
//   #include <monograph/monograph.h>
//   using namespace monograph;
//
//   Graph g = capture([](Tensor x) { return softmax(silu(x) * 2, 1); }, {randn({2, 3})});
//   std::cout << g.str() << g.hash();
//   Tensor y = g({ones({2, 3})});
//
// Errors are subclasses of monograph::Exception with the same messages as in Python. Nothing here needs Python. docs/how_to/cpp.md says how to build with it.
#pragma once

#include "monograph/checkpoint.h"
#include "monograph/graph.h"
