// What a call of a graph costs, estimated from types alone.
//
// Products and convolutions count two operations a multiply-add, everything else one for each element that it writes or reduces. Bytes are
// what each operator reads and writes, views nothing: the traffic without fusion. Both arms of an If and the body of a Loop count once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace monograph::cli {

struct Cost {
  double operations = 0, products = 0;  // products: the part of products and convolutions
  double bytes = 0;
  size_t unknown = 0;  // nodes whose sizes are not known
  bool loops = false;
};

// `size` answers a symbol, or nothing.
Cost estimate(const ir::Graph& graph, const std::function<std::optional<int64_t>(const Symbol&)>& size);

}  // namespace monograph::cli
