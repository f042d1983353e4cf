// The result types of an operator that has a decomposition and states no shape rule. The decomposition runs on types instead of tensors.
#pragma once

#include <vector>

#include "ops/infer.h"

namespace monograph {

// Whether the list that an operator returns is known from its decomposition.
inline bool lists_by_decomposition(const Operator& op) { return op.decompose && !op.rule; }

// Runs the decomposition on tensors that have a type and no elements. Each operator in it states the types of its results by its own rule. Empty if the types
// cannot be told: the rank or dtype of a tensor is not known, or the decomposition reads elements. Errors of the operators in it pass through.
std::vector<ir::Type> composite_types(const Operator& op, const std::vector<AbstractValue>& args);

// What is known of the elements of the list that such an operator returns. Absent if nothing is known, or if it returns no list.
std::optional<std::vector<AbstractValue>> composite_items(const Operator& op, const std::vector<AbstractValue>& args);
// The length of that list. It may be known even if the elements are not.
Dim composite_length(const Operator& op, const std::vector<AbstractValue>& args);

// While it lives, decompositions read the guards of this graph, which say which sizes are equal.
class GuardScope {
 public:
  explicit GuardScope(const ir::Graph* graph);
  ~GuardScope();
  GuardScope(const GuardScope&) = delete;

 private:
  const ir::Graph* saved_;
};

}  // namespace monograph
