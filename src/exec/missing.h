// Calls of operators that Monograph lacks. A graph may have them, so that people can read it; where one would run is an error.
#pragma once

#include <string>

#include "ir/graph.h"
#include "ops/registry.h"

namespace monograph::exec {

// Whether the operator, which may be null, takes the call as it is.
bool takes(const Operator* op, const ir::Node& call);
// Whether a node is a call that no operator takes, so that it cannot run; and why.
bool is_missing(const ir::Node& node);
std::string why_missing(const ir::Node& call);

}  // namespace monograph::exec
