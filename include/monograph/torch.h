// libtorch's names. Include this file instead of torch/torch.h and torch/script.h: most code that uses tensors, operators, autograd and torch.jit then compiles
// unchanged. torch::nn is monograph::nn (monograph/nn.h, monograph/nn_module.h). There is no torch::optim; docs/how_to/cpp.md says what to write instead.
#pragma once

#include "monograph/monograph.h"
#include "monograph/nn.h"
#include "monograph/script.h"
#include "monograph/script_switches.h"
#include "monograph/torch_checks.h"

namespace torch {

using namespace monograph;

using ScalarType = Dtype;
using TensorOptions = Options;
using IntArrayRef = ArrayRef<int64_t>;
using IntList = IntArrayRef;
using TensorList = ArrayRef<Tensor>;
template <class T>
ArrayRef<T> makeArrayRef(const std::vector<T>& v) {
  return v;
}
inline constexpr Dtype kByte = kUInt8, kChar = kInt8, kShort = kInt16, kInt = kInt32, kLong = kInt64, kHalf = kFloat16, kFloat = kFloat32,
                       kDouble = kFloat64, kComplexFloat = kComplex64, kComplexDouble = kComplex128, kU8 = kUInt8, kI8 = kInt8,
                       kI16 = kInt16, kI32 = kInt32, kI64 = kInt64, kF16 = kFloat16, kBF16 = kBFloat16, kF32 = kFloat32, kF64 = kFloat64;
inline Options dtype(Dtype d) { return Options().dtype(d); }
inline Options device(Device d) { return Options().device(d); }
inline Options layout(Layout l) { return Options().layout(l); }
inline Options requires_grad(bool on = true) { return Options().requires_grad(on); }
// libtorch has another class for what dtype() gives. Here both are the dtype.
inline Dtype typeMetaToScalarType(Dtype d) { return d; }
inline Dtype scalarTypeToTypeMeta(Dtype d) { return d; }
// Of a vector, libtorch's tensor() makes int64 of ints, and the default dtype of floating numbers, as if they were written in braces. (monograph::tensor keeps the
// dtype of the elements.)
using monograph::tensor;
template <class T>
  requires(std::same_as<T, int32_t> || std::same_as<T, int64_t> || std::floating_point<T>)
Tensor tensor(const std::vector<T>& values, const Options& options = {}) {
  return monograph::tensor(values, Ints{static_cast<int64_t>(values.size())}, monograph::options_of_numbers<T>(options));
}
inline bool isComplexType(Dtype d) { return d == kComplex64 || d == kComplex128; }
inline bool isFloatingType(Dtype d) { return d == kFloat16 || d == kBFloat16 || d == kFloat32 || d == kFloat64; }
inline bool isIntegralType(Dtype d, bool bool_too) { return d == kBool ? bool_too : !isFloatingType(d) && !isComplexType(d); }

// The words that modes and reductions have in Python: F::MSELossFuncOptions().reduction(torch::kNone).
inline constexpr const char *kNone = "none", *kMean = "mean", *kSum = "sum", *kMax = "max", *kBatchMean = "batchmean", *kZeros = "zeros",
                            *kBorder = "border", *kReflection = "reflection", *kConstant = "constant", *kReflect = "reflect",
                            *kReplicate = "replicate", *kCircular = "circular", *kNearest = "nearest", *kNearestExact = "nearest-exact",
                            *kLinear = "linear", *kBilinear = "bilinear", *kBicubic = "bicubic", *kTrilinear = "trilinear", *kArea = "area",
                            *kValid = "valid", *kSame = "same", *kTanh = "tanh", *kReLU = "relu", *kGELU = "gelu", *kFanIn = "fan_in",
                            *kLeakyReLU = "leaky_relu", *kSigmoid = "sigmoid", *kConv1D = "conv1d", *kConv2D = "conv2d",
                            *kConv3D = "conv3d", *kFanOut = "fan_out";

template <class T>
using intrusive_ptr = std::shared_ptr<T>;
template <class T, class... A>
std::shared_ptr<T> make_intrusive(A&&... arguments) {
  return std::make_shared<T>(std::forward<A>(arguments)...);
}

// The types of attributes: m.register_attribute("calls", c10::IntType::get(), 0).
using jit::FunctionSchema, jit::pickle_load, jit::pickle_save;
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
inline void init_num_threads() {}

template <class T>
using optional = std::optional<T>;
using std::nullopt;

}  // namespace torch

// The version of PyTorch whose names these headers have.
#define TORCH_VERSION_MAJOR 2
#define TORCH_VERSION_MINOR 13
#define TORCH_VERSION_PATCH 0
#define TORCH_VERSION "2.13.0"

// TORCH_MODULE(Net) defines the class Net, which holds a NetImpl. Copies of a Net are the same module.
#define TORCH_MODULE(Name) \
  class Name : public ::monograph::nn::ModuleHolder<Name##Impl> { \
   public: \
    using ModuleHolder::ModuleHolder; \
  }

namespace at = torch;
namespace c10 {
using namespace torch;
namespace impl {
using GenericDict = Dict<IValue, IValue>;
using GenericList = List<IValue>;
template <class K, class V>
Dict<K, V> toTypedDict(const GenericDict& dict) {
  return dict.value().to<Dict<K, V>>();
}
template <class T>
List<T> toTypedList(const GenericList& list) {
  return list.value().to<List<T>>();
}
template <class K, class V>
GenericDict toGenericDict(const Dict<K, V>& dict) {
  return GenericDict(dict.value());
}
template <class T>
GenericList toList(const List<T>& list) {
  return GenericList(list.value());
}
}  // namespace impl
}  // namespace c10
namespace caffe2 {
struct TypeMeta {
  static torch::Dtype fromScalarType(torch::Dtype d) { return d; }
  template <class T>
  static torch::Dtype Make() {
    return torch::dtype_of<T>();
  }
};
}  // namespace caffe2
