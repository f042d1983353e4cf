// The element types of tensors, in PyTorch's order of ScalarType where it matters for archives, and the rules of promotion.
#pragma once

#include <bit>
#include <complex>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace monograph {

// The names are PyTorch's short ones; `name` answers the long ones ("float32"), `info(t).scalar_type` those of schemas ("Float"). Operators compute in
// the first kComputedDTypeCount of them. The others are for storage only: tensors have them, files hold them, and operators that move or convert
// elements take them. Every other operator refuses them by name. The last three are integers that stand for real numbers: a tensor of them has a Quantizer
// (core/quantizer.h), which says for which. Only operators that say so take those tensors.
enum class DType : uint8_t {
  u8,
  i8,
  i16,
  i32,
  i64,
  f16,
  f32,
  f64,
  c64,
  c128,
  b1,
  bf16,
  u16,
  u32,
  u64,
  c32,
  f8e4m3fn,
  f8e5m2,
  f8e4m3fnuz,
  f8e5m2fnuz,
  qu8,
  qi8,
  qi32,
};
inline constexpr int kDTypeCount = 23, kPlainDTypeCount = 20,
                     kComputedDTypeCount = 12;  // all; the quantized ones not; those of computations
inline bool is_storage_only(DType t) { return static_cast<int>(t) >= kComputedDTypeCount; }
inline bool is_quantized(DType t) { return static_cast<int>(t) >= kPlainDTypeCount; }

struct DTypeInfo {
  std::string_view name;  // "float32"
  std::string_view scalar_type;  // "Float", as PyTorch's ScalarType prints in TorchScript's text
  uint8_t size;  // bytes
  uint8_t code;  // PyTorch's ScalarType number, the one that archives and graphs carry
  bool floating, complex, integral, is_signed;  // bool is neither integral nor signed
};

const DTypeInfo& info(DType t);
inline std::string_view name(DType t) { return info(t).name; }
inline int64_t element_size(DType t) { return info(t).size; }
inline bool is_floating(DType t) { return info(t).floating; }
inline bool is_float8(DType t) { return is_floating(t) && is_storage_only(t); }
inline bool is_complex(DType t) { return info(t).complex; }
inline bool is_integral(DType t, bool include_bool = false) { return info(t).integral || (include_bool && t == DType::b1); }

// The dtype with this name ("float32", "float", "half", "torch.float32"); false where there is none.
bool parse_dtype(std::string_view text, DType& out);

// bool < integers < floating < complex: a higher category decides alone, within one the wider dtype wins.
inline int promotion_category(DType t) { return is_complex(t) ? 3 : is_floating(t) ? 2 : t == DType::b1 ? 0 : 1; }
// torch.promote_types: the smallest dtype that both convert to by PyTorch's lattice (not NumPy's: i64 with f16 gives f16).
DType promote_types(DType a, DType b);
// The dtype of a quantized dtype's integers (quint8 -> uint8), else itself.
DType underlying_type(DType t);
// The quantized dtype of these integers; nullopt where there is none.
std::optional<DType> quantized_type(DType t);
// The real dtype of a complex one (c64 -> f32), else itself.
DType real_type(DType t);
// The complex dtype whose parts hold a real dtype: c128 for f64, c64 for the others. A complex dtype gives itself.
DType complex_type(DType t);
// The largest finite number of a floating dtype, or of the parts of a complex one.
double largest_finite(DType t);
// torch.can_cast.
bool can_cast(DType from, DType to);

// Half precision as storage only: arithmetic happens in float32 and rounds to nearest even at an operator's edge (docs/numerics.md).
uint16_t half_from_float(float v);
float float_from_half(uint16_t bits);
inline float float_from_bfloat(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
inline uint16_t bfloat_from_float(float v) {
  uint32_t u = std::bit_cast<uint32_t>(v);
  if (v != v) return static_cast<uint16_t>((u >> 16) | 0x40);  // keeps a NaN a NaN
  return static_cast<uint16_t>((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}

// The 8-bit floats of "FP8 Formats for Deep Learning" (arXiv 2209.05433, e4m3fn and e5m2) and of "8-bit Numerical Formats for Deep Neural
// Networks" (arXiv 2206.02915, the two with unsigned zero). From float32 they round to nearest even. As in PyTorch, what is too large becomes
// an infinity in e5m2, the largest number in e4m3fn, and NaN in the two others. `t` is one of those four dtypes.
uint8_t float8_from_float(DType t, float v);
float float_from_float8(DType t, uint8_t bits);

struct half {
  uint16_t bits;
  half() = default;
  explicit half(float v) : bits(half_from_float(v)) {}
  operator float() const { return float_from_half(bits); }
};
struct bfloat16 {
  uint16_t bits;
  bfloat16() = default;
  explicit bfloat16(float v) : bits(bfloat_from_float(v)) {}
  operator float() const { return float_from_bfloat(bits); }
};

template <DType kType>
struct float8 {
  uint8_t bits;
  float8() = default;
  explicit float8(float v) : bits(float8_from_float(kType, v)) {}
  operator float() const { return float_from_float8(kType, bits); }
};
struct complex_half {
  half real, imaginary;
  complex_half() = default;
  explicit complex_half(std::complex<float> v) : real(v.real()), imaginary(v.imag()) {}
  operator std::complex<float>() const { return {real, imaginary}; }
};

// Calls f with a value of the C++ type of t, one that operators compute in: dispatch(t, [&](auto zero) { using T = decltype(zero); ... }).
template <class F>
decltype(auto) dispatch(DType t, F&& f) {
  switch (t) {
    case DType::u8: return f(uint8_t{});
    case DType::i8: return f(int8_t{});
    case DType::i16: return f(int16_t{});
    case DType::i32: return f(int32_t{});
    case DType::i64: return f(int64_t{});
    case DType::f16: return f(half{});
    case DType::f32: return f(float{});
    case DType::f64: return f(double{});
    case DType::c64: return f(std::complex<float>{});
    case DType::c128: return f(std::complex<double>{});
    case DType::b1: return f(bool{});
    case DType::bf16: return f(bfloat16{});
    default: break;
  }
  __builtin_unreachable();
}

// The same for every dtype.
template <class F>
decltype(auto) dispatch_any(DType t, F&& f) {
  switch (t) {
    case DType::u16: return f(uint16_t{});
    case DType::u32: return f(uint32_t{});
    case DType::u64: return f(uint64_t{});
    case DType::c32: return f(complex_half{});
    case DType::f8e4m3fn: return f(float8<DType::f8e4m3fn>{});
    case DType::f8e5m2: return f(float8<DType::f8e5m2>{});
    case DType::f8e4m3fnuz: return f(float8<DType::f8e4m3fnuz>{});
    case DType::f8e5m2fnuz: return f(float8<DType::f8e5m2fnuz>{});
    default: return dispatch(underlying_type(t), std::forward<F>(f));  // a quantized one: its integers
  }
}

}  // namespace monograph
