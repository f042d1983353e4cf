// A table of the dtypes, promotion by category and then by width, and exact conversions of the 16-bit floats in integers.
#include "core/dtype.h"

#include <array>
#include <limits>

namespace monograph {
namespace {

// Indexed by DType.
constexpr std::array<DTypeInfo, kDTypeCount> kInfo = {{
    {"uint8", "Byte", 1, 0, false, false, true, false},
    {"int8", "Char", 1, 1, false, false, true, true},
    {"int16", "Short", 2, 2, false, false, true, true},
    {"int32", "Int", 4, 3, false, false, true, true},
    {"int64", "Long", 8, 4, false, false, true, true},
    {"float16", "Half", 2, 5, true, false, false, true},
    {"float32", "Float", 4, 6, true, false, false, true},
    {"float64", "Double", 8, 7, true, false, false, true},
    {"complex64", "ComplexFloat", 8, 9, false, true, false, true},
    {"complex128", "ComplexDouble", 16, 10, false, true, false, true},
    {"bool", "Bool", 1, 11, false, false, false, false},
    {"bfloat16", "BFloat16", 2, 15, true, false, false, true},
}};

struct Alias {
  std::string_view name;
  DType dtype;
};
constexpr Alias kAliases[] = {{"float", DType::f32}, {"double", DType::f64}, {"half", DType::f16},   {"short", DType::i16},
                              {"int", DType::i32},   {"long", DType::i64},   {"cfloat", DType::c64}, {"cdouble", DType::c128}};

}  // namespace

const DTypeInfo& info(DType t) { return kInfo[static_cast<size_t>(t)]; }

bool parse_dtype(std::string_view text, DType& out) {
  if (text.starts_with("torch.")) text.remove_prefix(6);
  for (int i = 0; i < kDTypeCount; ++i)
    if (kInfo[i].name == text) return out = static_cast<DType>(i), true;
  for (const Alias& a : kAliases)
    if (a.name == text) return out = a.dtype, true;
  return false;
}

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  int ca = promotion_category(a), cb = promotion_category(b);
  if (ca < cb) std::swap(a, b), std::swap(ca, cb);  // a has the higher category
  if (ca == 3) {                                    // complex: its precision must hold the other's
    bool wide = a == DType::c128 || b == DType::c128 || b == DType::f64;
    return wide ? DType::c128 : DType::c64;
  }
  if (ca != cb) return a;
  if (ca == 2) {
    if (a == DType::f64 || b == DType::f64) return DType::f64;
    return DType::f32;  // two different ones of f16, bf16, f32
  }
  if (info(a).size == info(b).size) return DType::i16;  // u8 with i8
  if (info(a).size < info(b).size) std::swap(a, b);
  return a;
}

DType real_type(DType t) { return t == DType::c64 ? DType::f32 : t == DType::c128 ? DType::f64 : t; }

DType complex_type(DType t) { return t == DType::f64 || t == DType::c128 ? DType::c128 : DType::c64; }

double largest_finite(DType t) {
  switch (t) {
    case DType::f16: return 65504;
    case DType::bf16: return 0x1.fep127;
    case DType::f32:
    case DType::c64: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

bool can_cast(DType from, DType to) {
  return promotion_category(from) <= promotion_category(to) && !(promotion_category(from) == 1 && promotion_category(to) == 0);
}

uint16_t half_from_float(float v) {
  uint32_t u = std::bit_cast<uint32_t>(v), sign = (u >> 16) & 0x8000, magnitude = u & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00 | ((magnitude >> 13) & 0x3ff));
  if (magnitude >= 0x47800000) return static_cast<uint16_t>(sign | 0x7c00);  // 65536 and beyond
  if (magnitude < 0x38800000) {                                              // subnormal in half precision
    if (magnitude < 0x33000000) return static_cast<uint16_t>(sign);         // below half of the smallest
    uint32_t exponent = magnitude >> 23, mantissa = (magnitude & 0x7fffff) | 0x800000, shift = 126 - exponent;
    uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), halfway = 1u << (shift - 1);
    kept += rest > halfway || (rest == halfway && (kept & 1));
    return static_cast<uint16_t>(sign | kept);
  }
  uint32_t rebased = magnitude - 0x38000000;
  return static_cast<uint16_t>(sign | ((rebased + 0xfff + ((rebased >> 13) & 1)) >> 13));
}

float float_from_half(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16, exponent = (bits >> 10) & 0x1f, mantissa = bits & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | (mantissa << 13));
  if (exponent) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
}

}  // namespace monograph
