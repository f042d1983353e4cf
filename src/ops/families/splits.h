// The shape rules of operators that split a tensor along a dim (split, chunk, unbind, unsafe_split, split_copy), and their gradients.
#pragma once

#include "ops/rule.h"

namespace monograph {

void split_rule(RuleCall& c);  // (self, split_size, dim)
void split_with_sizes_rule(RuleCall& c);  // (self, split_sizes, dim)
void chunk_rule(RuleCall& c);  // (self, chunks, dim)
void unbind_rule(RuleCall& c);  // (self, dim)

// The gradients of the tensors of a result that is a list.
IValue gradients_of_list(const GradCall& c);

}  // namespace monograph
