// Errors, dtypes, devices, and the types of arguments. C++ would convert some numbers silently; these types do not: an argument that PyTorch calls int
// takes no floating number and no bool, and an argument that it calls bool takes only a bool. Such a call does not compile.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
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
// The shared library exports the declarations between these two, and nothing else for C++.
#define MONOGRAPH_API_BEGIN \
  namespace monograph { \
  MONOGRAPH_API_NAMESPACE api __attribute__((visibility("default"))) {
#define MONOGRAPH_API_END \
  } \
  }

MONOGRAPH_API_BEGIN

// The base of all errors. what() is the message that Python shows too. The subclasses are named after Python's exceptions.
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

// The second line has libtorch's names: torch::ScalarType::Float.
// clang-format off
enum class Dtype : uint8_t {
  UInt8, Int8, Int16, Int32, Int64, Float16, Float32, Float64, Complex64, Complex128, Bool, BFloat16,
  Byte = UInt8, Char = Int8, Short = Int16, Int = Int32, Long = Int64, Half = Float16, Float = Float32, Double = Float64, ComplexFloat = Complex64, ComplexDouble = Complex128
};
// clang-format on
inline constexpr Dtype kUInt8 = Dtype::UInt8, kInt8 = Dtype::Int8, kInt16 = Dtype::Int16, kInt32 = Dtype::Int32, kInt64 = Dtype::Int64,
                       kFloat16 = Dtype::Float16, kFloat32 = Dtype::Float32, kFloat64 = Dtype::Float64, kComplex64 = Dtype::Complex64,
                       kComplex128 = Dtype::Complex128, kBool = Dtype::Bool, kBFloat16 = Dtype::BFloat16;
std::string_view to_string(Dtype dtype);  // "float32"
inline std::ostream& operator<<(std::ostream& out, Dtype dtype) { return out << to_string(dtype); }
const char* toString(Dtype dtype);  // libtorch's name: "Float"
size_t elementSize(Dtype dtype);  // in bytes

enum class DeviceType : uint8_t { CPU, Meta, CUDA };
// Where the memory of a tensor is. You can name CUDA, so that programs compile; there is no GPU, and a call with this device raises NotImplementedError.
class Device {
 public:
  constexpr Device(DeviceType type, int index = -1) : type_(type), index_(static_cast<int8_t>(index)) {}
  constexpr Device(Device device, int index) : Device(device.type_, index) {}  // Device(kCUDA, 1)
  Device(const std::string& text);  // "cpu", "cuda:0"; RuntimeError for another text
  Device(const char* text) : Device(std::string(text)) {}
  constexpr DeviceType type() const { return type_; }
  constexpr int index() const { return index_; }  // -1 where none is given
  constexpr bool is_cpu() const { return type_ == DeviceType::CPU; }
  constexpr bool is_cuda() const { return type_ == DeviceType::CUDA; }
  constexpr bool is_meta() const { return type_ == DeviceType::Meta; }
  std::string str() const;
  constexpr operator DeviceType() const { return type_; }  // DeviceType type = kCUDA
  constexpr bool operator==(const Device&) const = default;
  friend constexpr bool operator==(Device a, DeviceType b) { return a == Device(b); }

 private:
  DeviceType type_;
  int8_t index_;
};
inline constexpr Device kCPU = DeviceType::CPU, kMeta = DeviceType::Meta, kCUDA = DeviceType::CUDA;
inline std::ostream& operator<<(std::ostream& out, Device device) { return out << device.str(); }

enum class MemoryFormat : uint8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
enum class Layout : uint8_t { Strided };  // the only one
inline constexpr Layout kStrided = Layout::Strided;

// A list as libtorch's functions take it: of braces, of a vector, of an array, or of one item. It holds copies, and prints as [2, 3].
template <class T>
class ArrayRef : public std::vector<T> {
 public:
  ArrayRef() = default;
  ArrayRef(std::initializer_list<T> v) : std::vector<T>(v) {}
  ArrayRef(std::vector<T> v) : std::vector<T>(std::move(v)) {}
  ArrayRef(std::span<const T> v) : std::vector<T>(v.begin(), v.end()) {}
  template <size_t N>
  ArrayRef(const std::array<T, N>& v) : std::vector<T>(v.begin(), v.end()) {}
  template <size_t N>
  ArrayRef(const T (&v)[N]) : std::vector<T>(v, v + N) {}
  template <class U>
    requires(std::same_as<U, T> || (std::integral<U> && std::integral<T> && !std::same_as<U, bool>))
  ArrayRef(const U& one) : std::vector<T>{static_cast<T>(one)} {}
  ArrayRef(const T* data, size_t count) : std::vector<T>(data, data + count) {}
  template <std::input_iterator It>
    requires(!std::same_as<It, const T*> && !std::same_as<It, T*>)
  ArrayRef(It begin, It end) : std::vector<T>(begin, end) {}
  ArrayRef(const T* begin, const T* end) : std::vector<T>(begin, end) {}
  const std::vector<T>& vec() const { return *this; }
  bool equals(const ArrayRef& other) const { return *this == other; }
  // The items from `start` on, or `count` of them. IndexError if there are fewer.
  ArrayRef slice(size_t start, size_t count) const {
    if (start + count > this->size()) throw IndexError("ArrayRef: invalid slice");
    return ArrayRef(this->begin() + static_cast<ptrdiff_t>(start), this->begin() + static_cast<ptrdiff_t>(start + count));
  }
  ArrayRef slice(size_t start) const {
    if (start > this->size()) throw IndexError("ArrayRef: invalid slice");
    return slice(start, this->size() - start);
  }
};
template <class T>
std::ostream& operator<<(std::ostream& out, const ArrayRef<T>& list) {
  out << "[";
  for (size_t k = 0; k < list.size(); ++k) out << (k ? ", " : "") << list[k];
  return out << "]";
}
using Sizes = ArrayRef<int64_t>;  // the sizes of a tensor

template <class T>
concept Integral = std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool>;
template <class T>
concept Real = Integral<T> || std::floating_point<T>;
// What C++ converts to an int by itself: an int, or a plain enum.
template <class T>
concept IntLike = Integral<T> || (std::is_enum_v<T> && std::is_convertible_v<T, int64_t>);

// The dtype whose elements have the C++ type T: dtype_of<float>() is kFloat32. No T stands for float16 or bfloat16. Another T does not compile.
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

// An argument that the operator's schema calls int, float or bool. An int is also a Float. Nothing else is converted.
struct Int {
  template <IntLike T>
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

// A number: bool, int, float or complex.
class Scalar {
 public:
  template <std::same_as<bool> T>
  Scalar(T v) : value_(v) {}
  template <Integral T>
  Scalar(T v) : value_(static_cast<int64_t>(v)) {}
  template <std::floating_point T>
  Scalar(T v) : value_(static_cast<double>(v)) {}
  Scalar(std::complex<double> v) : value_(v) {}
  // The number converted to T, as static_cast does. If it is complex and T is not: its real part.
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

// Lists of ints: {2, -1}, a vector, an array, or 3 for {3}. IntOrInts takes one number for all entries (int[2] in a schema). OptionalInts may also be absent.
class Ints {
 public:
  Ints(std::initializer_list<int64_t> v) : values_(v) {}
  Ints(std::vector<int64_t> v) : values_(std::move(v)) {}
  Ints(std::span<const int64_t> v) : values_(v.begin(), v.end()) {}
  template <size_t N>
  Ints(const std::array<int64_t, N>& v) : values_(v.begin(), v.end()) {}
  template <Integral T>
  Ints(T v) : values_{static_cast<int64_t>(v)} {}
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
  template <size_t N>
  OptionalInts(const std::array<int64_t, N>& v) : ints_(v) {}
  template <Integral T>
  OptionalInts(T v) : ints_(IntOrInts(v)) {}
  const std::optional<IntOrInts>& ints() const { return ints_; }

 private:
  std::optional<IntOrInts> ints_;
};

// Dtype, device and requires_grad for functions that make a tensor: zeros({2, 3}, kInt64), or zeros({2, 3}, Options().dtype(kFloat64).requires_grad(true)).
// What you leave out has the default: float32 (set_default_dtype changes it), the CPU, false.
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
  Options pinned_memory(bool on) const {  // RuntimeError if it is on: memory is pinned for transfers to a GPU, and there is none
    if (on) throw RuntimeError("pinned_memory(true): memory is pinned for transfers to a GPU, and Monograph runs on the CPU. Leave it out");
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
  Generator& manual_seed(uint64_t seed);  // starts the stream again, at this seed

  struct Access;  // the library's
 private:
  std::shared_ptr<void> impl_;
};
// Seeds the default generator, which functions use if you pass none.
void manual_seed(uint64_t seed);

MONOGRAPH_API_END
