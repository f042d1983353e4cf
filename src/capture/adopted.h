// Tensors that require grad and that no module of a captured function holds. A capture makes them parameters of its program: a backward pass reaches them, and
// later runs see their new values.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/tensor.h"
#include "ir/unit.h"

namespace monograph::capture {

class AdoptedParameters {
 public:
  // The name of a tensor's attribute: "_param_constant0", and so on, as in torch.fx. The same tensor has one name. `root` is the module that gets the attributes;
  // null if there is none yet.
  const std::string& path_of(const Tensor& t, const ir::Module* root);
  // Adds the attributes to the root of a Unit. Makes a root if there is none.
  void install(ir::Unit& unit) const;

 private:
  std::unordered_map<const TensorImpl*, std::pair<Tensor, std::string>> tensors_;
  std::vector<const TensorImpl*> order_;
};

}  // namespace monograph::capture
