// Estimates the cost of a graph's call from the types of its nodes.
//
// Products and convolutions count two operations for each multiply-add. Any other operator counts one for each element that it writes or reduces. `bytes` is
// what all operators read and write, without fusion; views count nothing. Both branches of an If and the body of a Loop count once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace monograph::cli {

struct Cost {
  double operations = 0, products = 0;  // `products`: the operations of products and convolutions, which are part of `operations`
  double bytes = 0;
  size_t unknown = 0;  // how many nodes have unknown sizes; they are not counted
  bool loops = false;  // whether the graph has a Loop
};

// `size` returns the value of a symbolic size, or nullopt if it is unknown.
Cost estimate(const ir::Graph& graph, const std::function<std::optional<int64_t>(const Symbol&)>& size);

}  // namespace monograph::cli
