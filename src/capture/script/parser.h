// One function in Python's syntax as a graph. Tests use it to show that text, trace and symbolic capture give the same graph.
// It reads assignments, if and else on values, returns in both arms or at the end, calls of torch.NAME and methods, + - * / and unary -, comparisons,
// numbers, strings, names, tuples in return.
#pragma once

#include <memory>
#include <string_view>

#include "ir/graph.h"

namespace monograph::capture {

// Error (Value) with line and column where the text is something else.
std::unique_ptr<ir::Graph> parse_function(std::string_view text, std::string_view file = "<string>");

}  // namespace monograph::capture
