// The names follow the order in which the capture meets the tensors. The attributes hold the tensors themselves.
#include "capture/adopted.h"

#include <algorithm>

#include "core/error.h"
#include "exec/interpreter.h"

namespace monograph::capture {

const std::string& AdoptedParameters::path_of(const Tensor& t, const ir::Module* root) {
  auto& [tensor, path] = tensors_[t.impl()];
  for (size_t k = order_.size(); path.empty(); ++k)
    if (std::string name = concat("_param_constant", k); !root || root->type().index_of(name) < 0)
      path = name, tensor = t, order_.push_back(t.impl());
  return path;
}

void AdoptedParameters::install(ir::Unit& unit) const {
  if (order_.empty()) return;
  if (!unit.root()) {
    ir::Class* module = unit.add_class("__torch__.torch.nn.modules.module.Module");
    module->is_module = true;  // an archive has its code
    unit.set_root(unit.add_module(module));
  }
  ir::Class& type = **std::ranges::find_if(unit.classes(), [&](const auto& c) { return c.get() == &unit.root()->type(); });
  for (const TensorImpl* impl : order_) {
    const auto& [t, path] = tensors_.at(impl);
    const std::vector<SymInt> sizes(t.sizes().begin(), t.sizes().end());
    type.attributes.push_back({path, ir::Attribute::Kind::Parameter, ir::TensorType::of(t.dtype(), sizes), true});
    unit.root()->values.emplace_back().value.add(ir::TensorRef(std::make_shared<exec::LiveTensor>(t)));
  }
}

}  // namespace monograph::capture
