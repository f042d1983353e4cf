// Infers the call twice, for made-up tensors of different sizes and ranks. All their sizes are multiples of the numbers in the call. If both lists have the
// same length, the call itself determines it.
#include "ops/list_length.h"

#include <numeric>

#include "ops/composite_types.h"
#include "ops/rule.h"

namespace monograph {

std::optional<int64_t> requested_length(const Operator& op, const ir::Node& node) try {
  const auto args = bound_args(op, node);
  if (!args) return {};
  constexpr int64_t kLargest = 5000;  // so that a tensor of four dims has no more elements than 64 bits can count
  int64_t divisible = 12;
  for (size_t i = 0; i < args->size(); ++i)
    if (const ir::ArgRef a = (*args)[i]; a.is(ir::ArgKind::Int) && a.as_int() > 0 && a.as_int() <= kLargest)
      if (const int64_t both = std::lcm(divisible, a.as_int()); both <= kLargest) divisible = both;
  std::optional<int64_t> found;
  for (const int64_t round : {1, 2}) {
    std::vector<AbstractValue> known;
    for (size_t i = 0; i < args->size(); ++i) {
      AbstractValue& v = known.emplace_back(AbstractValue::of((*args)[i]));
      if (!v.is_tensor()) continue;
      if (!v.tensor.dtype) v.tensor.dtype = DType::f32;
      if (!v.tensor.sizes) v.tensor.sizes.emplace(static_cast<size_t>(5 - round));
      for (Dim& d : *v.tensor.sizes)
        if (!d || !d->is_int()) d = SymInt(round * divisible);
      v.type = v.tensor;
    }
    Dim length;
    if (op.rule && !lists_by_decomposition(op)) {
      Size size;
      (void)rule_types(op, op.rule, known, &size);
      length = size.symint();
    } else {
      length = composite_length(op, known);
    }
    if (!length || !length->is_int() || (found && *found != length->as_int())) return {};
    found = length->as_int();
  }
  return found;
} catch (const Error&) {  // the call may be right for other sizes
  return {};
}

}  // namespace monograph
