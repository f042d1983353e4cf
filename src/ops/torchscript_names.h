// The operators that TorchScript lacks. A family states them after their record. All other operators have PyTorch's names and arguments.
#pragma once

#include <string>
#include <string_view>

namespace monograph {

// States that PyTorch has no operator of this name with these arguments, so TorchScript archives cannot call it.
void no_torchscript(std::string_view name, const char* reason);
// Why PyTorch lacks the operator; null for an operator that PyTorch has.
const char* why_no_torchscript(const std::string& name);

}  // namespace monograph
