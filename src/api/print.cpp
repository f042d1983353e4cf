// Implements `std::cout << tensor` in libtorch's form: matrix by matrix, with one number format for each matrix, then the dtype and sizes.
#include <array>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "api/access.h"
#include "ops/pointwise.h"

MONOGRAPH_API_BEGIN

namespace {

constexpr int64_t kLineWidth = 80;

struct ElementFormat {
  double scale = 1;  // the elements are divided by it
  int64_t width = 0;
};

// Chooses the format for these elements as libtorch does, and sets the stream to it.
ElementFormat choose_format(std::ostream& out, std::span<const double> elements) {
  ElementFormat format;
  bool whole = true, any = false;
  double least = 0, largest = 0;
  for (const double v : elements) {
    if (!std::isfinite(v)) continue;
    const double size = std::fabs(v);
    whole = whole && v == std::ceil(v);
    least = any ? std::min(least, size) : size;
    largest = any ? std::max(largest, size) : size;
    any = true;
  }
  const auto digits = [](double v) { return v != 0 ? std::floor(std::log10(v)) + 1 : 1; };
  const double fewest = any ? digits(least) : 1, most = any ? digits(largest) : 1;
  out << std::setprecision(6);
  const auto scientific = [&] { out << std::scientific << std::setprecision(4); };
  const auto fixed = [&] { out << std::fixed << std::setprecision(4); };
  if (whole && most > 9) format.width = 11, scientific();
  else if (whole) format.width = static_cast<int64_t>(most) + 1, out << std::defaultfloat;
  else if (most - fewest > 4) format.width = std::fabs(most) > 99 || std::fabs(fewest) > 99 ? 12 : 11, scientific();
  else if (most > 5 || most < 0) format.width = 7, format.scale = std::pow(10, most - 1), fixed();
  else format.width = most == 0 ? 7 : static_cast<int64_t>(most) + 6, fixed();
  return format;
}

// The shortest text that reads back to the number.
std::string shortest(double v) {
  std::array<char, 400> text;
  const double size = std::fabs(v);
  const bool plain = v == 0 || (size >= 1e-4 && size < 1e16) || !std::isfinite(v);
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), v, plain ? std::chars_format::fixed : std::chars_format::scientific);
  return {text.data(), end.ptr};
}

void write_scale(std::ostream& out, double scale) { out << shortest(scale) << " *\n"; }

void write_matrix(std::ostream& out, const double* elements, int64_t rows, int64_t columns, int64_t indent) {
  const ElementFormat format = choose_format(out, {elements, static_cast<size_t>(rows * columns)});
  const std::string margin(static_cast<size_t>(indent), ' ');
  const int64_t at_once = std::max<int64_t>(1, (kLineWidth - indent) / (format.width + 1));
  for (int64_t first = 0; first < columns; first += at_once) {
    const int64_t last = std::min(first + at_once, columns) - 1;
    if (at_once < columns) {
      if (first) out << "\n";
      out << "Columns " << first + 1 << " to " << last + 1 << margin;
    }
    if (format.scale != 1) write_scale(out, format.scale), out << margin;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = first; c <= last; ++c) {
        out << std::setw(static_cast<int>(format.width)) << elements[r * columns + c] / format.scale << (c < last ? " " : "\n");
        if (c == last && r + 1 < rows) out << margin << (format.scale != 1 ? " " : "");
      }
  }
}

// Writes the matrices of a tensor of three or more dims. The index of the first dim changes fastest.
void write_matrices(std::ostream& out, const double* elements, const Dims& sizes) {
  const size_t outer = sizes.size() - 2;
  const int64_t rows = sizes[outer], columns = sizes[outer + 1];
  int64_t count = 1;
  for (size_t d = 0; d < outer; ++d) count *= sizes[d];
  for (int64_t k = 0; k < count; ++k) {
    std::vector<int64_t> index(outer);
    int64_t left = k, offset = 0;
    for (size_t d = 0; d < outer; ++d) index[d] = left % sizes[d], left /= sizes[d];
    for (size_t d = 0; d < outer; ++d) offset = offset * sizes[d] + index[d];
    out << (k ? "\n(" : "(");
    for (const int64_t i : index) out << i + 1 << ",";
    out << ".,.) = \n";
    write_matrix(out, elements + offset * rows * columns, rows, columns, 1);
  }
}

// Writes complex numbers one after another. libtorch does not align them.
void write_complex(std::ostream& out, const monograph::Tensor& t) {
  const monograph::Tensor wide = monograph::contiguous(t.dtype() == DType::c128 ? t : convert_tensor(t, DType::c128));
  const int64_t columns = t.dim() ? t.sizes()[static_cast<size_t>(t.dim()) - 1] : 1;
  for (int64_t k = 0; k < t.numel(); ++k) out << " " << wide.data_as<std::complex<double>>()[k] << ((k + 1) % columns ? "" : "\n");
}

std::string type_text(const monograph::Tensor& t) {
  return monograph::concat(t.is_meta() ? "Meta" : "CPU", toString(static_cast<Dtype>(t.dtype())), "Type");
}

}  // namespace

const char* toString(Dtype dtype) {
  constexpr const char* kNames[] = {"Byte",  "Char",   "Short",        "Int",           "Long", "Half",
                                    "Float", "Double", "ComplexFloat", "ComplexDouble", "Bool", "BFloat16"};
  return kNames[static_cast<size_t>(dtype)];
}
std::string Tensor::toString() const { return type_text(Access::dense(*this, "type")); }
void Tensor::print() const {
  if (defined()) std::cerr << "[" << toString() << " " << sizes() << "]\n";
  else std::cerr << "[UndefinedTensor]\n";
}

std::ostream& operator<<(std::ostream& out, const Tensor& t) {
  if (!t.defined()) return out << "[ Tensor (undefined) ]";
  if (t.is_symbolic()) return out << "[ a value of the graph that is being captured ]";
  const monograph::Tensor& given = Tensor::Access::dense(t, "data");
  translated([&] {
    const std::ios::fmtflags flags = out.flags();
    const std::streamsize precision = out.precision();
    const Dims& sizes = given.sizes();
    GradModeScope no_grad(false);
    if (is_complex(given.dtype()) && !given.is_meta()) {
      write_complex(out, given);
    } else if (!given.is_meta() && given.numel() > 0) {
      const monograph::Tensor wide = monograph::contiguous(given.dtype() == DType::f64 ? given : convert_tensor(given, DType::f64));
      const auto* elements = wide.data_as<double>();
      if (sizes.empty()) {
        out << shortest(elements[0]) << "\n";
      } else if (sizes.size() == 1) {
        const ElementFormat format = choose_format(out, {elements, static_cast<size_t>(given.numel())});
        if (format.scale != 1) write_scale(out, format.scale);
        for (int64_t k = 0; k < given.numel(); ++k) out << std::setw(static_cast<int>(format.width)) << elements[k] / format.scale << "\n";
      } else if (sizes.size() == 2) {
        write_matrix(out, elements, sizes[0], sizes[1], 0);
      } else {
        write_matrices(out, elements, sizes);
      }
    }
    out.flags(flags), out.precision(precision);
    out << "[ " << type_text(given) << "{";
    for (size_t d = 0; d < sizes.size(); ++d) out << (d ? "," : "") << sizes[d];
    out << "} ]";
  });
  return out;
}

MONOGRAPH_API_END
