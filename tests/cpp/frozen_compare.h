// Comparing tensors with what PyTorch computed, and the files that hold it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "ops/dispatch.h"
#include "ops/pointwise.h"
#include "ops/registry.h"

namespace monograph::frozen {

inline double element(const Tensor& t, int64_t i, bool imaginary) {
  return dispatch(t.dtype(), [&](auto zero) -> double {
    using T = decltype(zero);
    T x = t.data_as<T>()[i];
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) return imaginary ? x.imag() : x.real();
    else if constexpr (std::is_convertible_v<T, double>) return static_cast<double>(x);
    else return static_cast<double>(static_cast<float>(x));
  });
}

inline std::string exactly(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", x);
  return text;
}

inline double largest(const IValue& v) {
  double m = 0;
  if (v.is_list() || v.is_tuple())
    for (const IValue& item : v.items()) m = std::max(m, largest(item));
  if (!v.is_tensor()) return m;
  Tensor t = contiguous(v.as_tensor());
  for (int64_t i = 0; i < t.numel(); ++i)
    for (bool imaginary : {false, true})
      if (double x = std::abs(element(t, i, imaginary)); std::isfinite(x)) m = std::max(m, x);
  return m;
}

// "" where both are equal within `relative` of the value and `absolute`.
inline std::string compare(const Tensor& got, const Tensor& want, double relative, double absolute) {
  if (got.dtype() != want.dtype()) return concat("dtype ", name(got.dtype()), ", PyTorch gives ", name(want.dtype()));
  if (got.sizes() != want.sizes()) return concat("sizes ", to_string(got.sizes()), ", PyTorch gives ", to_string(want.sizes()));
  Tensor a = contiguous(got), b = contiguous(want);
  // Subnormal results may lose their last bits to an intermediate rounding.
  double least = want.dtype() == DType::f16                                  ? 0x1p-24
                 : want.dtype() == DType::f64 || want.dtype() == DType::c128 ? 0x1p-1072
                 : want.dtype() == DType::bf16                               ? 0x1p-132
                                                                             : 0x1p-146;
  for (int64_t i = 0; i < a.numel(); ++i)
    for (bool imaginary : {false, true}) {
      if (imaginary && !is_complex(got.dtype())) continue;
      double x = element(a, i, imaginary), y = element(b, i, imaginary);
      bool floating = !is_integral(got.dtype(), true);
      if ((std::isnan(x) && std::isnan(y)) || x == y) {
        // The sign of a zero counts in pointwise results, where nothing is summed.
        if (x == 0 && y == 0 && floating && absolute == 0 && !is_complex(got.dtype()) && std::signbit(x) != std::signbit(y))
          return concat("element ", i, " is ", x, ", PyTorch gives ", y);
        continue;
      }
      // A part of a complex number is as exact as the number: relative to its modulus.
      double size = is_complex(got.dtype()) ? std::hypot(y, element(b, i, !imaginary)) : std::abs(y);
      double allowed = floating ? relative * size + absolute + least : 0;
      if (!(std::abs(x - y) <= allowed))
        return concat("element ", i, imaginary ? " (imaginary)" : "", " is ", exactly(x), ", PyTorch gives ", exactly(y));
    }
  return "";
}

inline std::string compare(const IValue& got, const IValue& want, double relative, double absolute) {
  if (want.is_tensor()) return got.is_tensor() ? compare(got.as_tensor(), want.as_tensor(), relative, absolute) : "no tensor";
  if (want.is_list() || want.is_tuple()) {
    if ((!got.is_list() && !got.is_tuple()) || got.items().size() != want.items().size()) return "another number of results";
    for (size_t i = 0; i < want.items().size(); ++i)
      if (std::string s = compare(got.items()[i], want.items()[i], relative, absolute); !s.empty()) return concat("result ", i, ": ", s);
    return "";
  }
  return got.is(want) ? "" : "another value";
}

// The same in double precision.
inline IValue in_double(const IValue& v) {
  if (v.is_list()) {
    std::vector<IValue> items;
    for (const IValue& item : v.items()) items.push_back(in_double(item));
    return IValue::list(std::move(items));
  }
  if (!v.is_tensor() || !v.as_tensor().defined()) return v;
  const DType t = v.as_tensor().dtype();
  if (t != DType::f32 && t != DType::c64) return v;
  return "detach"_op("to"_op(v, t == DType::f32 ? DType::f64 : DType::c128));
}

// Whether `got` is about as near to `exact`, which is in double precision, as `want` is: of two ways to round, one is luckier on few elements.
inline bool as_near(const Tensor& got, const Tensor& want, const Tensor& exact) {
  auto error = [&](const Tensor& t) { return largest("sub"_op("to"_op(t, exact.dtype()), exact)); };
  return error(got) <= 16 * error(want);
}
// Of a difference that may be rounding: no more than this many times the bound.
constexpr double kFar = 64;

// The committed samples, or fresh ones (tests/python/test_oracle_ops.py).
inline std::string data_folder() {
  const char* other = std::getenv("MONOGRAPH_OPS_DATA");
  return other ? std::string(other) + "/" : "tests/data/ops/";
}

// A family that has cases. Its copies, where the build has some (cmake/Copies.cmake), have the same.
struct Family {
  std::string name, file;
  uint32_t copy;
};
inline void PrintTo(const Family& family, std::ostream* out) { *out << family.name; }
inline std::string name_of(const testing::TestParamInfo<Family>& info) { return info.param.name; }

inline std::vector<Family> families() {
  std::vector<Family> found;
  std::set<std::string> seen;
  for (const auto& op : Registry::global().all()) {
    const std::string file = data_folder() + op->family.substr(0, op->copy == 0 ? std::string::npos : op->family.rfind("_copy")) + ".jsonl";
    if (seen.insert(op->family).second && std::filesystem::exists(file)) found.push_back({op->family, file, op->copy});
  }
  return found;
}

}  // namespace monograph::frozen
