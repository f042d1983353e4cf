// The shape rules of operators that split a tensor along a dim: of views (split, chunk, unbind), and of copies (unsafe_split, split_copy).
#pragma once

#include "ops/rule.h"

namespace monograph {

void split_rule(RuleCall& c);  // (self, split_size, dim)
void split_with_sizes_rule(RuleCall& c);  // (self, split_sizes, dim)
void chunk_rule(RuleCall& c);  // (self, chunks, dim)
void unbind_rule(RuleCall& c);  // (self, dim)

}  // namespace monograph
