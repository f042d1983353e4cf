// A table of the dtypes, and exact conversions of the 16-bit and 8-bit floats in integers.
#include "core/dtype.h"

#include <array>
#include <cmath>
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
    {"uint16", "UInt16", 2, 27, false, false, true, false},
    {"uint32", "UInt32", 4, 28, false, false, true, false},
    {"uint64", "UInt64", 8, 29, false, false, true, false},
    {"complex32", "ComplexHalf", 4, 8, false, true, false, true},
    {"float8_e4m3fn", "Float8_e4m3fn", 1, 24, true, false, false, true},
    {"float8_e5m2", "Float8_e5m2", 1, 23, true, false, false, true},
    {"float8_e4m3fnuz", "Float8_e4m3fnuz", 1, 26, true, false, false, true},
    {"float8_e5m2fnuz", "Float8_e5m2fnuz", 1, 25, true, false, false, true},
    {"quint8", "QUInt8", 1, 13, false, false, false, false},
    {"qint8", "QInt8", 1, 12, false, false, false, true},
    {"qint32", "QInt32", 4, 14, false, false, false, true},
}};

struct Alias {
  std::string_view name;
  DType dtype;
};
constexpr Alias kAliases[] = {{"float", DType::f32},  {"double", DType::f64},   {"half", DType::f16},
                              {"short", DType::i16},  {"int", DType::i32},      {"long", DType::i64},
                              {"cfloat", DType::c64}, {"cdouble", DType::c128}, {"chalf", DType::c32}};

// An 8-bit float: a sign, an exponent with this bias, and a mantissa of so many bits.
struct Float8Format {
  int mantissa_bits, bias;
  uint8_t largest;   // the bits of the largest finite number
  uint8_t overflow;  // those of what is larger
  bool unsigned_zero;  // there is no -0: its bits are NaN
};

Float8Format format_of(DType t) {
  switch (t) {
    case DType::f8e4m3fn: return {3, 7, 0x7e, 0x7e, false};
    case DType::f8e5m2: return {2, 15, 0x7b, 0x7c, false};
    case DType::f8e4m3fnuz: return {3, 8, 0x7f, 0x80, true};
    default: return {2, 16, 0x7f, 0x80, true};  // f8e5m2fnuz
  }
}

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

DType underlying_type(DType t) { return t == DType::qu8 ? DType::u8 : t == DType::qi8 ? DType::i8 : t == DType::qi32 ? DType::i32 : t; }

std::optional<DType> quantized_type(DType t) {
  for (DType q : {DType::qu8, DType::qi8, DType::qi32})
    if (underlying_type(q) == t) return q;
  return std::nullopt;
}

DType real_type(DType t) { return t == DType::c64 ? DType::f32 : t == DType::c128 ? DType::f64 : t == DType::c32 ? DType::f16 : t; }

DType complex_type(DType t) { return t == DType::f64 || t == DType::c128 ? DType::c128 : DType::c64; }

double largest_finite(DType t) {
  if (is_float8(t)) return float_from_float8(t, format_of(t).largest);
  switch (t) {
    case DType::f16:
    case DType::c32: return 65504;
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

uint8_t float8_from_float(DType t, float v) {
  const Float8Format format = format_of(t);
  const uint32_t u = std::bit_cast<uint32_t>(v), magnitude = u & 0x7fffffff;
  const auto sign = static_cast<uint8_t>(u >> 24 & 0x80);
  if (magnitude > 0x7f800000) return format.unsigned_zero ? 0x80 : static_cast<uint8_t>(sign | 0x7f);
  uint32_t bits = 0;
  if (magnitude < static_cast<uint32_t>(128 - format.bias) << 23) {  // subnormal
    bits = static_cast<uint32_t>(std::rint(std::ldexp(std::bit_cast<float>(magnitude), format.bias - 1 + format.mantissa_bits)));
  } else {
    const int shift = 23 - format.mantissa_bits;
    const uint32_t rebased = magnitude - (static_cast<uint32_t>(127 - format.bias) << 23), half = 1u << (shift - 1);
    bits = (rebased + half - 1 + (rebased >> shift & 1)) >> shift;
    if (bits > format.largest) bits = format.overflow;
  }
  const bool signless = format.unsigned_zero && (bits == 0 || bits == format.overflow);
  return static_cast<uint8_t>(bits | (signless ? 0 : sign));
}

float float_from_float8(DType t, uint8_t bits) {
  const Float8Format format = format_of(t);
  const int magnitude = bits & 0x7f, exponent = magnitude >> format.mantissa_bits, mantissa = magnitude & ((1 << format.mantissa_bits) - 1);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  if (format.unsigned_zero ? bits == 0x80 : magnitude > format.largest) {
    const bool infinite = t == DType::f8e5m2 && magnitude == format.overflow;
    return infinite ? std::copysign(std::numeric_limits<float>::infinity(), bits & 0x80 ? -1.0f : 1.0f) : nan;
  }
  const float value =
      exponent ? std::ldexp(static_cast<float>(mantissa | 1 << format.mantissa_bits), exponent - format.bias - format.mantissa_bits)
               : std::ldexp(static_cast<float>(mantissa), 1 - format.bias - format.mantissa_bits);
  return bits & 0x80 ? -value : value;
}

float float_from_half(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16, exponent = (bits >> 10) & 0x1f, mantissa = bits & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | (mantissa << 13));
  if (exponent) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
}

}  // namespace monograph
