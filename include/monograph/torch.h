// libtorch's names for what Monograph has: include this instead of torch/torch.h, and code over tensors, operators and autograd mostly
// compile as they are. torch::nn, torch::optim and torch::jit are not here: docs/how_to/cpp.md says what to write instead.
#pragma once

#include "monograph/monograph.h"

namespace torch {

using namespace monograph;

using ScalarType = Dtype;
using TensorOptions = Options;
using IntArrayRef = Ints;
inline constexpr Dtype kByte = kUInt8, kChar = kInt8, kShort = kInt16, kInt = kInt32, kLong = kInt64, kHalf = kFloat16, kFloat = kFloat32,
                       kDouble = kFloat64;
inline Options dtype(Dtype d) { return Options().dtype(d); }
inline Options device(Device d) { return Options().device(d); }
inline Options requires_grad(bool on = true) { return Options().requires_grad(on); }

}  // namespace torch

namespace at = torch;
namespace c10 {
using namespace torch;
using Error = monograph::Exception;
}  // namespace c10
