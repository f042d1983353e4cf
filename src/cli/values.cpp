// Values are printed row by row, long ones with `...` in the middle, or written as JSON, where numbers that JSON lacks are strings.
#include "cli/values.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/inputs.h"
#include "ops/dispatch.h"

namespace monograph::cli {
namespace {

// A tensor of more than kShownElements elements is shortened to kEdge elements at each end of a dim. A line has at most kLine numbers.
constexpr int64_t kEdge = 3, kShownElements = 200, kLine = 8;

struct ArrayPrinter {
  const Tensor& tensor;  // f64, i64, b1 or c128, dense
  bool shorten;
  int digits;
  size_t width = 0;

  std::string element(int64_t at) const {
    std::array<char, 64> text;
    auto print = [&](double v, const char* format) {
      std::snprintf(text.data(), text.size(), format, digits, v);
      return std::string(text.data());
    };
    const char* real = digits < 0 ? "%.*e" : "%.*f";
    auto number = [&](double v) {
      if (!std::isfinite(v)) return std::string(v != v ? "nan" : v < 0 ? "-inf" : "inf");
      return digits < 0 ? (std::snprintf(text.data(), text.size(), "%.4e", v), std::string(text.data())) : print(v, real);
    };
    switch (tensor.dtype()) {
      case DType::b1: return tensor.data_as<bool>()[at] ? "True" : "False";
      case DType::i64: return std::to_string(tensor.data_as<int64_t>()[at]);
      case DType::u64: return std::to_string(tensor.data_as<uint64_t>()[at]);
      case DType::c128: {
        const auto c = tensor.data_as<std::complex<double>>()[at];
        return concat(number(c.real()), std::signbit(c.imag()) ? "-" : "+", number(std::fabs(c.imag())), "j");
      }
      default: return number(tensor.data_as<double>()[at]);
    }
  }
  // Calls f with each index of a dim that is shown, and with -1 in place of those that are left out.
  template <class F>
  void shown(int64_t n, F&& f) const {
    for (int64_t k = 0; k < n; ++k) {
      if (shorten && n > 2 * kEdge && k == kEdge) f(int64_t{-1}), k = n - kEdge;
      f(k);
    }
  }
  void measure(size_t dim, int64_t at) {
    if (dim == tensor.sizes().size()) width = std::max(width, element(at).size());
    else
      shown(tensor.sizes()[dim], [&](int64_t k) {
        if (k >= 0) measure(dim + 1, at + k * tensor.strides()[dim]);
      });
  }
  void print(std::string& out, size_t dim, int64_t at, size_t indent) const {
    const size_t dims = tensor.sizes().size();
    if (dim == dims) {
      std::string e = element(at);
      out += dims ? std::string(width - std::min(width, e.size()), ' ') + e : e;
      return;
    }
    const bool last = dim + 1 == dims;
    int64_t count = 0;
    out += "[";
    shown(tensor.sizes()[dim], [&](int64_t k) {
      if (count) out += last ? (count % kLine ? ", " : ",\n" + std::string(indent + 1, ' ')) : ",\n" + std::string(indent + 1, ' ');
      ++count;
      if (k < 0) out += "…";
      else print(out, dim + 1, at + k * tensor.strides()[dim], indent + 1);
    });
    out += "]";
  }
};

Tensor widened(const Tensor& t) {
  const bool widest = t.dtype() == DType::b1 || t.dtype() == DType::u64;
  const DType wide = widest ? t.dtype() : is_integral(t.dtype()) ? DType::i64 : is_complex(t.dtype()) ? DType::c128 : DType::f64;
  return "contiguous"_op(wide == t.dtype() ? t : Tensor("to"_op(t, wide)));
}

Json number_json(double v) {
  if (std::isfinite(v)) return v;
  return v != v ? "nan" : v < 0 ? "-inf" : "inf";
}
Json float_json(double v, DType t) {  // a float32 becomes the shortest number that rounds to it
  if (t != DType::f32 || !std::isfinite(v)) return number_json(v);
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.9g", v);
  for (int digits = 6; digits < 9; ++digits) {
    std::array<char, 32> shorter;
    std::snprintf(shorter.data(), shorter.size(), "%.*g", digits, v);
    if (std::strtof(shorter.data(), nullptr) == static_cast<float>(v)) {
      text = shorter;
      break;
    }
  }
  return std::strtod(text.data(), nullptr);
}

Json data_json(const Tensor& t, DType dtype, size_t dim, int64_t at) {
  if (dim < t.sizes().size()) {
    Json rows = Json::array();
    for (int64_t k = 0; k < t.sizes()[dim]; ++k) rows.push_back(data_json(t, dtype, dim + 1, at + k * t.strides()[dim]));
    return rows;
  }
  switch (t.dtype()) {
    case DType::b1: return t.data_as<bool>()[at];
    case DType::i64: return t.data_as<int64_t>()[at];
    case DType::u64: return t.data_as<uint64_t>()[at];
    case DType::c128: {
      const auto c = t.data_as<std::complex<double>>()[at];
      return Json::array({number_json(c.real()), number_json(c.imag())});
    }
    default: return float_json(t.data_as<double>()[at], dtype);
  }
}

}  // namespace

std::string tensor_text(const Tensor& tensor, size_t indent) {
  if (tensor.numel() == 0) return "[]";
  const Tensor t = widened(tensor);
  double largest = 0, smallest = INFINITY;
  bool whole = true;
  if (t.dtype() == DType::f64 || t.dtype() == DType::c128)
    for (int64_t k = 0; k < t.numel() * (t.dtype() == DType::c128 ? 2 : 1); ++k) {
      const double v = std::fabs(t.data_as<double>()[k]);
      if (!std::isfinite(v)) continue;
      largest = std::max(largest, v);
      if (v > 0) smallest = std::min(smallest, v);
      whole = whole && v == std::trunc(v);
    }
  const int digits = largest >= 1e6 || (smallest < 1e-4 && largest < 1e-2) ? -1 : whole ? 1 : 4;
  ArrayPrinter rows{t, t.numel() > kShownElements, digits};
  rows.measure(0, 0);
  std::string out;
  rows.print(out, 0, 0, indent);
  return out;
}

std::string value_text(const IValue& v, size_t indent) {
  if (v.is_tensor()) return v.as_tensor().is_meta() ? "(meta: no elements)" : tensor_text(v.as_tensor(), indent);
  if (v.is_string()) return concat("'", v.to_string(), "'");
  if (v.is_none()) return "None";
  if (v.is_number()) return tensor_text(as_tensor(v), indent);
  return monograph::describe(v);
}

std::string json_text(const Json& value, int indent) { return value.dump(indent, ' ', false, Json::error_handler_t::replace); }

Json value_json(const IValue& v) {
  if (v.is_none()) return nullptr;
  if (v.is_string()) return v.to_string();
  if (v.is_number()) return data_json(widened(as_tensor(v)), DType::f64, 0, 0);
  if (!v.is_tensor()) return monograph::describe(v);
  const Tensor& t = v.as_tensor();
  Json out{{"dtype", name(t.dtype())}, {"shape", std::vector<int64_t>(t.sizes().begin(), t.sizes().end())}};
  if (t.numel() <= kMostJsonElements) out["data"] = data_json(widened(t), t.dtype(), 0, 0);
  else out["data_left_out"] = concat("more than ", kMostJsonElements, " elements: --output FILE.npy writes them");
  return out;
}

}  // namespace monograph::cli
