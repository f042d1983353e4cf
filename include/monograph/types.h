// What calls of the public API are made of: errors, dtypes, and the types of arguments. They are strict where C++ converts in silence: an
// argument that PyTorch calls int takes no floating number and no bool, and a bool takes nothing else.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

// Your code says monograph::Tensor. The library's own sources, which have another one, say monograph::api::Tensor.
#ifdef MONOGRAPH_API_SOURCE
#define MONOGRAPH_API_NAMESPACE namespace
#else
#define MONOGRAPH_API_NAMESPACE inline namespace
#endif
// What stands between these is all that the shared library exports for C++.
#define MONOGRAPH_API_BEGIN \
  namespace monograph { \
  MONOGRAPH_API_NAMESPACE api __attribute__((visibility("default"))) {
#define MONOGRAPH_API_END \
  } \
  }

MONOGRAPH_API_BEGIN

// Every error of the library. what() is the sentence that Python shows; the class is the Python exception of the same name.
struct Exception : std::runtime_error {
  using std::runtime_error::runtime_error;
  // libtorch's names of what(): errors here carry no list of C++ frames.
  std::string msg() const { return what(); }
  const char* what_without_backtrace() const noexcept { return what(); }
};
struct RuntimeError : Exception {
  using Exception::Exception;
};
struct ValueError : Exception {
  using Exception::Exception;
};
struct TypeError : Exception {
  using Exception::Exception;
};
struct IndexError : Exception {
  using Exception::Exception;
};
struct KeyError : Exception {
  using Exception::Exception;
};
struct NotImplementedError : RuntimeError {  // as in Python
  using RuntimeError::RuntimeError;
};
struct LinAlgError : RuntimeError {  // a singular matrix, or one that is not positive-definite
  using RuntimeError::RuntimeError;
};
struct AttributeError : Exception {
  using Exception::Exception;
};
struct OSError : Exception {  // a file that cannot be read or written
  using Exception::Exception;
};
// A bug in the library itself, never in your code.
struct InternalError : Exception {
  using Exception::Exception;
};

enum class Dtype : uint8_t { UInt8, Int8, Int16, Int32, Int64, Float16, Float32, Float64, Complex64, Complex128, Bool, BFloat16 };
inline constexpr Dtype kUInt8 = Dtype::UInt8, kInt8 = Dtype::Int8, kInt16 = Dtype::Int16, kInt32 = Dtype::Int32, kInt64 = Dtype::Int64,
                       kFloat16 = Dtype::Float16, kFloat32 = Dtype::Float32, kFloat64 = Dtype::Float64, kComplex64 = Dtype::Complex64,
                       kComplex128 = Dtype::Complex128, kBool = Dtype::Bool, kBFloat16 = Dtype::BFloat16;
std::string_view to_string(Dtype dtype);  // "float32"
inline std::ostream& operator<<(std::ostream& out, Dtype dtype) { return out << to_string(dtype); }

enum class DeviceType : uint8_t { CPU, Meta, CUDA };
// Where a tensor lies. CUDA can be named, so that programs compile; nothing runs there, and a call that is given it raises an error.
class Device {
 public:
  constexpr Device(DeviceType type, int index = -1) : type_(type), index_(static_cast<int8_t>(index)) {}
  explicit Device(const std::string& text);  // "cpu", "cuda:0"; RuntimeError for another text
  constexpr DeviceType type() const { return type_; }
  constexpr int index() const { return index_; }  // -1 where none is given
  constexpr bool is_cpu() const { return type_ == DeviceType::CPU; }
  constexpr bool is_cuda() const { return type_ == DeviceType::CUDA; }
  constexpr bool is_meta() const { return type_ == DeviceType::Meta; }
  std::string str() const;
  constexpr bool operator==(const Device&) const = default;

 private:
  DeviceType type_;
  int8_t index_;
};
inline constexpr Device kCPU = DeviceType::CPU, kMeta = DeviceType::Meta, kCUDA = DeviceType::CUDA;
inline std::ostream& operator<<(std::ostream& out, Device device) { return out << device.str(); }

enum class MemoryFormat : uint8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
enum class Layout : uint8_t { Strided };  // the only one
inline constexpr Layout kStrided = Layout::Strided;

// The sizes of a tensor: a vector that prints as [2, 3].
struct Sizes : std::vector<int64_t> {
  using std::vector<int64_t>::vector;
  Sizes(std::vector<int64_t> v) : std::vector<int64_t>(std::move(v)) {}
  const std::vector<int64_t>& vec() const { return *this; }
};
inline std::ostream& operator<<(std::ostream& out, const Sizes& sizes) {
  out << "[";
  for (size_t k = 0; k < sizes.size(); ++k) out << (k ? ", " : "") << sizes[k];
  return out << "]";
}

template <class T>
concept Integral = std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool>;
template <class T>
concept Real = Integral<T> || std::floating_point<T>;

// The C++ type of a dtype's elements; float16 and bfloat16 have none.
template <class T>
consteval Dtype dtype_of() {
  if constexpr (std::same_as<T, bool>) return kBool;
  else if constexpr (std::same_as<T, float>) return kFloat32;
  else if constexpr (std::same_as<T, double>) return kFloat64;
  else if constexpr (std::same_as<T, std::complex<float>>) return kComplex64;
  else if constexpr (std::same_as<T, std::complex<double>>) return kComplex128;
  else {
    static_assert(Integral<T> && sizeof(T) <= 8 && (std::is_signed_v<T> || sizeof(T) == 1), "no dtype has elements of this type");
    return sizeof(T) == 8 ? kInt64 : sizeof(T) == 4 ? kInt32 : sizeof(T) == 2 ? kInt16 : std::is_signed_v<T> ? kInt8 : kUInt8;
  }
}

// An int, a float and a bool of a schema.
struct Int {
  template <Integral T>
  Int(T v) : value(static_cast<int64_t>(v)) {}
  int64_t value;
};
struct Float {
  template <Real T>
  Float(T v) : value(static_cast<double>(v)) {}
  double value;
};
struct Flag {
  template <std::same_as<bool> T>
  Flag(T v) : value(v) {}
  bool value;
};

// A number of any kind.
class Scalar {
 public:
  template <std::same_as<bool> T>
  Scalar(T v) : value_(v) {}
  template <Integral T>
  Scalar(T v) : value_(static_cast<int64_t>(v)) {}
  template <std::floating_point T>
  Scalar(T v) : value_(static_cast<double>(v)) {}
  Scalar(std::complex<double> v) : value_(v) {}
  // The number as a T; of a complex one its real part.
  template <class T>
  T to() const {
    return std::visit(
        [](const auto& v) -> T {
          if constexpr (!std::is_same_v<std::decay_t<decltype(v)>, std::complex<double>>) return static_cast<T>(v);
          else if constexpr (std::is_constructible_v<T, std::complex<double>>) return static_cast<T>(v);
          else return static_cast<T>(v.real());
        },
        value_);
  }
  bool isBoolean() const { return value_.index() == 0; }
  bool isIntegral(bool or_bool) const { return value_.index() == 1 || (or_bool && isBoolean()); }
  bool isFloatingPoint() const { return value_.index() == 2; }
  bool isComplex() const { return value_.index() == 3; }
  bool toBool() const { return to<bool>(); }
  int toInt() const { return to<int>(); }
  int64_t toLong() const { return to<int64_t>(); }
  float toFloat() const { return to<float>(); }
  double toDouble() const { return to<double>(); }
  const std::variant<bool, int64_t, double, std::complex<double>>& variant() const { return value_; }

 private:
  std::variant<bool, int64_t, double, std::complex<double>> value_;
};

// A list of ints: {2, -1}, a vector, an array. Of the second kind one number may stand for all (int[2] in a schema); the third may be absent.
class Ints {
 public:
  Ints(std::initializer_list<int64_t> v) : values_(v) {}
  Ints(std::vector<int64_t> v) : values_(std::move(v)) {}
  Ints(std::span<const int64_t> v) : values_(v.begin(), v.end()) {}
  const std::vector<int64_t>& values() const { return values_; }

 private:
  std::vector<int64_t> values_;
};
class IntOrInts : public Ints {
 public:
  using Ints::Ints;
  template <Integral T>
  IntOrInts(T v) : Ints({static_cast<int64_t>(v)}), one_(true) {}
  bool is_one() const { return one_; }

 private:
  bool one_ = false;
};
class OptionalInts {
 public:
  OptionalInts() = default;
  OptionalInts(std::nullopt_t) {}
  OptionalInts(std::initializer_list<int64_t> v) : ints_(v) {}
  OptionalInts(std::vector<int64_t> v) : ints_(std::move(v)) {}
  OptionalInts(std::span<const int64_t> v) : ints_(v) {}
  template <Integral T>
  OptionalInts(T v) : ints_(IntOrInts(v)) {}
  const std::optional<IntOrInts>& ints() const { return ints_; }

 private:
  std::optional<IntOrInts> ints_;
};

// What a function that makes a tensor is told besides sizes and values: zeros({2, 3}, kInt64), or
// zeros({2, 3}, Options().dtype(kFloat64).requires_grad(true)).
class Options {
 public:
  Options() = default;
  Options(Dtype d) : dtype_(d) {}
  Options(Device d) : device_(d) {}
  Options dtype(Dtype d) const {
    Options o = *this;
    o.dtype_ = d;
    return o;
  }
  Options device(Device d) const {
    Options o = *this;
    o.device_ = d;
    return o;
  }
  Options requires_grad(bool on) const {
    Options o = *this;
    o.requires_grad_ = on;
    return o;
  }
  Options layout(Layout) const { return *this; }
  Options pinned_memory(bool on) const {  // RuntimeError where it is on: memory is pinned for the transport to a GPU
    if (on) throw RuntimeError("pinned_memory(true): there is no GPU to transport from pinned memory to");
    return *this;
  }
  std::optional<Dtype> dtype() const { return dtype_; }
  std::optional<Device> device() const { return device_; }
  bool requires_grad() const { return requires_grad_; }

 private:
  std::optional<Dtype> dtype_;
  std::optional<Device> device_;
  bool requires_grad_ = false;
};

// A stream of random numbers, PyTorch's CPU generator. Copies share the stream.
class Generator {
 public:
  explicit Generator(uint64_t seed);
  Generator& manual_seed(uint64_t seed);

  struct Access;  // the library's
 private:
  std::shared_ptr<void> impl_;
};
// Of the generator that functions use where they are given none.
void manual_seed(uint64_t seed);

MONOGRAPH_API_END
