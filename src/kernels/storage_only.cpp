// One loop for each storage-only dtype and passing dtype. These conversions happen when a file or an array of another program is read or written, so
// they are plain loops.
#include "kernels/storage_only.h"

#include <complex>
#include <cstring>

#include "kernels/number.h"

namespace monograph {
namespace {

template <class To, class From>
To as(From v) {
  if constexpr (std::is_same_v<To, uint64_t> && std::is_floating_point_v<From>)
    return v < 0 ? static_cast<uint64_t>(static_cast<int64_t>(v)) : static_cast<uint64_t>(v);
  else return static_cast<To>(v);
}

// Calls f with a value of the storage-only type and one of the passing type, for the pairs that passing_dtype gives.
template <class F>
void dispatch_pair(DType t, DType passing, F&& f) {
  switch (t) {
    case DType::u16: return f(uint16_t{}, int32_t{});
    case DType::u32: return f(uint32_t{}, int64_t{});
    case DType::u64:
      if (passing == DType::f64) return f(uint64_t{}, double{});
      if (passing == DType::f32) return f(uint64_t{}, float{});
      return f(uint64_t{}, int64_t{});
    case DType::c32: return f(complex_half{}, std::complex<float>{});
    case DType::f8e4m3fn: return f(float8<DType::f8e4m3fn>{}, float{});
    case DType::f8e5m2: return f(float8<DType::f8e5m2>{}, float{});
    case DType::f8e4m3fnuz: return f(float8<DType::f8e4m3fnuz>{}, float{});
    case DType::f8e5m2fnuz: return f(float8<DType::f8e5m2fnuz>{}, float{});
    default: __builtin_unreachable();
  }
}

// The dtype through which elements of the storage-only dtype `t` come from, or go to, `other`, a dtype that operators compute in.
DType passing_dtype(DType t, DType other) {
  switch (t) {
    case DType::u16: return DType::i32;
    case DType::u32: return DType::i64;
    case DType::u64:
      if (!is_floating(other) && !is_complex(other)) return DType::i64;
      return other == DType::f64 || other == DType::c128 ? DType::f64 : DType::f32;
    case DType::c32: return DType::c64;
    default: return DType::f32;
  }
}

}  // namespace

PassingDTypes passing_dtypes(DType from, DType to) {
  const bool widens = is_storage_only(from), narrows = is_storage_only(to);
  const DType source = widens ? passing_dtype(from, narrows ? passing_dtype(to, DType::f64) : to) : from;
  const DType written = narrows ? passing_dtype(to, source) : to;
  return {widens ? passing_dtype(from, written) : from, written};
}

void widen_elements(DType t, DType passing, const char* from, int64_t step, int64_t n, char* to) {
  dispatch_pair(t, passing, [&](auto narrow, auto wide) {
    for (int64_t i = 0; i < n; ++i) {
      std::memcpy(&narrow, from + i * step, sizeof narrow);
      wide = as<decltype(wide)>(narrow);
      std::memcpy(to + i * static_cast<int64_t>(sizeof wide), &wide, sizeof wide);
    }
  });
}

void narrow_elements(DType t, DType passing, const char* from, char* to, int64_t step, int64_t n) {
  dispatch_pair(t, passing, [&](auto narrow, auto wide) {
    for (int64_t i = 0; i < n; ++i) {
      std::memcpy(&wide, from + i * static_cast<int64_t>(sizeof wide), sizeof wide);
      narrow = as<decltype(narrow)>(wide);
      std::memcpy(to + i * step, &narrow, sizeof narrow);
    }
  });
}

DType dtype_of_bits(DType t) {
  switch (element_size(t)) {
    case 1: return DType::u8;
    case 2: return DType::i16;
    case 4: return DType::i32;
    default: return DType::i64;
  }
}

void write_element(DType t, const KernelArg& number, char* to) {
  const bool is_real = !is_complex(t);
  if (is_real && is_integral(t)) {
    // A float of 2^63 or more is held by uint64 alone.
    const uint64_t value = number.kind == KernelArg::Kind::Float ? as<uint64_t>(number.number) : static_cast<uint64_t>(integer_of(number));
    std::memcpy(to, &value, static_cast<size_t>(element_size(t)));
  } else if (is_real) {
    const auto value = number_as<float>(number);
    narrow_elements(t, DType::f32, reinterpret_cast<const char*>(&value), to, 0, 1);
  } else {
    const auto value = number_as<std::complex<float>>(number);
    narrow_elements(t, DType::c64, reinterpret_cast<const char*>(&value), to, 0, 1);
  }
}

}  // namespace monograph
