// The element types of tensors, in PyTorch's order of ScalarType where it matters for archives, and the rules of promotion.
#pragma once

#include <bit>
#include <complex>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace monograph {

// The names are PyTorch's short ones; `name` answers the long ones ("float32"), `scalar_type_name` those of schemas ("Float").
enum class DType : uint8_t { u8, i8, i16, i32, i64, f16, f32, f64, c64, c128, b1, bf16 };
inline constexpr int kDTypeCount = 12;

struct DTypeInfo {
  std::string_view name;         // "float32"
  std::string_view scalar_type;  // "Float", as PyTorch's ScalarType prints in TorchScript's text
  uint8_t size;                  // bytes
  uint8_t code;                  // PyTorch's ScalarType number, the one that archives and graphs carry
  bool floating, complex, integral, is_signed;  // bool is neither integral nor signed
};

const DTypeInfo& info(DType t);
inline std::string_view name(DType t) { return info(t).name; }
inline int64_t element_size(DType t) { return info(t).size; }
inline bool is_floating(DType t) { return info(t).floating; }
inline bool is_complex(DType t) { return info(t).complex; }
inline bool is_integral(DType t, bool include_bool = false) { return info(t).integral || (include_bool && t == DType::b1); }

// The dtype with this name ("float32", "float", "half", "torch.float32"); false where there is none.
bool parse_dtype(std::string_view text, DType& out);

// bool < integers < floating < complex: a higher category decides alone, within one the wider dtype wins.
inline int promotion_category(DType t) { return is_complex(t) ? 3 : is_floating(t) ? 2 : t == DType::b1 ? 0 : 1; }
// torch.promote_types: the smallest dtype that both convert to by PyTorch's lattice (not NumPy's: i64 with f16 gives f16).
DType promote_types(DType a, DType b);
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

// Calls f with a value of the C++ type of t: dispatch(t, [&](auto zero) { using T = decltype(zero); ... }).
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
  }
  __builtin_unreachable();
}

}  // namespace monograph
