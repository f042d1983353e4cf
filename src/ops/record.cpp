#include "ops/record.h"

namespace monograph {

GradCall::GradCall(const Operator& op, const std::vector<IValue>& args, const std::vector<IValue>& results, const std::vector<Tensor>& grads)
    : op(op), args_(args), results_(results), grads_(grads), out_(args.size()) {}

bool GradCall::needs(size_t i) const {
  const IValue& v = args_[i];
  if (v.is_tensor()) return v.as_tensor()->requires_grad;
  if (!v.is_list()) return false;
  for (const IValue& item : v.items())
    if (item.is_tensor() && item.as_tensor()->requires_grad) return true;
  return false;
}

ir::Type Operator::infer(const ir::Node& node) const { return OpInfo::infer(node); }

}  // namespace monograph
