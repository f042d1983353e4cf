// The types of an operator that is made of others and states no rule: those that its decomposition gives.
#pragma once

#include <vector>

#include "ops/infer.h"

namespace monograph {

// Runs the decomposition on tensors that are types alone: each operator in it says its results by its own rule. Empty where that cannot be told: the
// rank or dtype of a tensor in it is not known, or it reads elements. Errors of the operators in it are those of the call.
std::vector<ir::Type> composite_types(const Operator& op, const std::vector<AbstractValue>& args);

// The elements of the list that such an operator gives; absent where they cannot be told, or where it gives none.
std::optional<std::vector<AbstractValue>> composite_items(const Operator& op, const std::vector<AbstractValue>& args);
// How many these are, which may be known where they are not.
Dim composite_length(const Operator& op, const std::vector<AbstractValue>& args);

// While a node of this graph is inferred, its guards say which sizes are equal.
class GuardsOf {
 public:
  explicit GuardsOf(const ir::Graph* graph);
  ~GuardsOf();
  GuardsOf(const GuardsOf&) = delete;

 private:
  const ir::Graph* saved_;
};

}  // namespace monograph
