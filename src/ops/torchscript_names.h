// Which operators TorchScript lacks. A family says so behind the record; everything else has PyTorch's name and arguments.
#pragma once

#include <string>
#include <string_view>

namespace monograph {

// PyTorch has no operator of this name that takes these arguments, so that archives for it cannot call this one.
void no_torchscript(std::string_view name, const char* reason);
// The reason; null for an operator that PyTorch has.
const char* why_no_torchscript(const std::string& name);

}  // namespace monograph
