// libtorch's names. Include this file instead of torch/torch.h and torch/script.h: most code that uses tensors, operators, autograd and torch.jit then compiles
// unchanged. torch::nn is monograph::nn (monograph/nn.h, monograph/nn_module.h). There is no torch::optim; docs/how_to/cpp.md says what to write instead.
#pragma once

#include <sstream>

#include "monograph/monograph.h"
#include "monograph/nn.h"
#include "monograph/script.h"

namespace torch {

using namespace monograph;

using ScalarType = Dtype;
using TensorOptions = Options;
using IntArrayRef = Ints;
inline constexpr Dtype kByte = kUInt8, kChar = kInt8, kShort = kInt16, kInt = kInt32, kLong = kInt64, kHalf = kFloat16, kFloat = kFloat32,
                       kDouble = kFloat64, kComplexFloat = kComplex64, kComplexDouble = kComplex128, kU8 = kUInt8, kI8 = kInt8,
                       kI16 = kInt16, kI32 = kInt32, kI64 = kInt64, kF16 = kFloat16, kBF16 = kBFloat16, kF32 = kFloat32, kF64 = kFloat64;
inline Options dtype(Dtype d) { return Options().dtype(d); }
inline Options device(Device d) { return Options().device(d); }
inline Options layout(Layout l) { return Options().layout(l); }
inline Options requires_grad(bool on = true) { return Options().requires_grad(on); }

// The words that modes and reductions have in Python: F::MSELossFuncOptions().reduction(torch::kNone).
inline constexpr const char *kNone = "none", *kMean = "mean", *kSum = "sum", *kMax = "max", *kBatchMean = "batchmean", *kZeros = "zeros",
                            *kBorder = "border", *kReflection = "reflection", *kConstant = "constant", *kReflect = "reflect",
                            *kReplicate = "replicate", *kCircular = "circular", *kNearest = "nearest", *kNearestExact = "nearest-exact",
                            *kLinear = "linear", *kBilinear = "bilinear", *kBicubic = "bicubic", *kTrilinear = "trilinear", *kArea = "area",
                            *kValid = "valid", *kSame = "same", *kTanh = "tanh", *kReLU = "relu", *kGELU = "gelu", *kFanIn = "fan_in",
                            *kFanOut = "fan_out";

template <class T>
using intrusive_ptr = std::shared_ptr<T>;

// The types of attributes: m.register_attribute("calls", c10::IntType::get(), 0).
using jit::TypePtr, jit::TensorType, jit::IntType, jit::FloatType, jit::ComplexType, jit::BoolType, jit::StringType, jit::NoneType,
    jit::ListType, jit::OptionalType, jit::DictType, jit::TupleType;

namespace cuda {  // Monograph runs on the CPU only (docs/scope.md)
inline bool is_available() { return false; }
inline bool cudnn_is_available() { return false; }
inline size_t device_count() { return 0; }
}  // namespace cuda

// fork in a program runs its function at once, so it needs no threads beside those of operators.
inline void set_num_interop_threads(int) {}
inline int get_num_interop_threads() { return 1; }

template <class T>
using optional = std::optional<T>;
using std::nullopt;

namespace detail {
// The text of TORCH_CHECK's arguments, one after the other.
template <class... T>
std::string text_of(const T&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}
}  // namespace detail

}  // namespace torch

// The version of PyTorch whose names these headers have.
#define TORCH_VERSION_MAJOR 2
#define TORCH_VERSION_MINOR 13
#define TORCH_VERSION_PATCH 0
#define TORCH_VERSION "2.13.0"

// Raises c10::Error with this text if the condition does not hold: TORCH_CHECK(x.dim() == 2, "x has ", x.dim(), " dims")
#define TORCH_CHECK(condition, ...) \
  do { \
    if (!(condition)) { \
      const std::string text = ::torch::detail::text_of(__VA_ARGS__); \
      throw ::monograph::RuntimeError(text.empty() ? "Expected " #condition " to be true, but got false." : text); \
    } \
  } while (false)

// TORCH_MODULE(Net) defines the class Net, which holds a NetImpl. Copies of a Net are the same module.
#define TORCH_MODULE(Name) \
  class Name : public ::monograph::nn::ModuleHolder<Name##Impl> { \
   public: \
    using ModuleHolder::ModuleHolder; \
  }

namespace at = torch;
namespace c10 {
using namespace torch;
using Error = monograph::Exception;
using IndexError = monograph::IndexError;
using TypeError = monograph::TypeError;
using ValueError = monograph::ValueError;
}  // namespace c10
