// Fourier transforms. Three operators have kernels (kernels/fourier.h): _fft_c2c from complex to complex, _fft_r2c from real to complex, _fft_c2r from complex
// to real. torch.fft's functions are decompositions into these.
#include "kernels/fourier.h"

#include <algorithm>
#include <span>
#include <string>

#include "ops/dispatch.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

constexpr const char* kNoOnnx = "ONNX keeps the parts of complex numbers in a dim of their own";
constexpr const char* kMadeOfOthers = "decomposes to a transform, which ONNX writes otherwise";

// --- The shape rules of _fft_c2c, _fft_r2c and _fft_c2r.

// The dims of a transform, wrapped; nullopt if they are unknown. Error if there are fewer than `least`.
std::optional<Dims> dims_of(const RuleCall& c, size_t rank, size_t least) {
  const Sizes given = c.ints(1);
  if (!given.ranked() || !SizesRef(given).all_ints()) return std::nullopt;
  c.check(given.size() >= least, Runtime, c.op.base_name(), " must transform at least one axis");
  Dims dims;
  for (size_t i = 0; i < given.size(); ++i) {
    c.check(rank > 0, ErrorKind::Index, "Dimension specified as ", given[i], " but tensor has no dimensions");
    dims.push_back(wrap_dim(given[i].as_int(), static_cast<int64_t>(rank)));
    c.check(std::find(dims.begin(), dims.end() - 1, dims.back()) == dims.end() - 1, Runtime, "FFT dims must be unique");
  }
  return dims;
}

// The strides of a result, as in PyTorch, without gaps. The dims that are not transformed come first, ordered by `strides`; then the transformed dims in order.
Dims transformed_strides(const Dims& strides, const Dims& dims, const Sizes& out) {
  Dims order;
  for (size_t d = 0; d < out.size(); ++d)
    if (std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) == dims.end()) order.push_back(static_cast<int64_t>(d));
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return strides[static_cast<size_t>(a)] > strides[static_cast<size_t>(b)]; });
  for (const int64_t d : dims) order.push_back(d);
  Dims result(out.size(), 1);
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(order[i]);
    result[d] = step, step *= std::max<int64_t>(1, out[d].as_int());
  }
  return result;
}

// The dims, of which the first `count` are sorted by descending strides.
Dims sorted_dims(const Dims& strides, Dims dims, size_t count) {
  std::stable_sort(dims.begin(), dims.begin() + static_cast<ptrdiff_t>(count),
                   [&](int64_t a, int64_t b) { return strides[static_cast<size_t>(a)] > strides[static_cast<size_t>(b)]; });
  return dims;
}

void ask_scratch(RuleCall& c, FourierKind kind, const Dims& dims, SizesRef longer) {
  if (c.meta()) return;
  const Dims sizes = Sizes(longer).ints();
  c.scratch(
      fft_scratch(kind, real_type(*c.dtype(0)), sizes.data(), static_cast<int32_t>(sizes.size()), dims.data(), dims.size(), c.threads()));
}

void check_numbers(const RuleCall& c, bool complex) {
  const auto t = c.dtype(0);
  c.check(!t || is_complex(*t) == complex, Runtime, "Only supports ", complex ? "complex" : "floating-point",
          " dtypes, but found: ", scalar_type(t));
  c.check(!t || real_type(*t) == DType::f32 || real_type(*t) == DType::f64, Runtime, "Unsupported dtype ", scalar_type(t));
  const auto normalization = c.integer(2);
  c.check(!normalization || (*normalization >= 0 && *normalization <= 2), Runtime, "normalization is 0, 1 or 2, but got ",
          normalization.value_or(0));
}

void check_points(const RuleCall& c, SizesRef x, const Dims& dims) {
  c.check_max_dims(x);
  for (const int64_t d : dims) {
    const Size n = x[static_cast<size_t>(d)];
    c.check(n >= 1, Runtime, "Invalid number of data points (", n, ") specified");
  }
}

std::optional<DType> complex_of(std::optional<DType> t) { return t ? std::optional(complex_type(*t)) : t; }

// _fft_c2c(self, dim, normalization, forward).
void c2c_rule(RuleCall& c) {
  check_numbers(c, true);
  const SizesRef x = c.sizes(0);
  const auto dims = x.ranked() ? dims_of(c, x.size(), 0) : std::nullopt;
  if (!x.ranked()) return c.unranked(0);
  if (dims) check_points(c, x, *dims);
  c.like(0, x);
  if (!c.eager()) return;
  const Dims& strides = c.value(0).as_tensor().strides();
  c.lay_out(SizesRef(transformed_strides(strides, sorted_dims(strides, *dims, dims->size()), Sizes(x))));
  ask_scratch(c, FourierKind::Complex, *dims, x);
}

// _fft_r2c(self, dim, normalization, onesided).
void r2c_rule(RuleCall& c) {
  check_numbers(c, false);
  const SizesRef x = c.sizes(0);
  const auto dims = x.ranked() ? dims_of(c, x.size(), 1) : std::nullopt;
  const auto onesided = c.truth(3);
  if (!x.ranked()) return c.result({}, complex_of(c.dtype(0)));
  if (!dims) return c.result(Sizes(x.size(), Size::unknown()), complex_of(c.dtype(0)));
  check_points(c, x, *dims);
  Sizes out = x;
  const auto last = static_cast<size_t>(dims->back());
  if (!onesided.value_or(false)) out.set(last, onesided ? x[last] : Size());
  else out.set(last, floordiv(x[last], 2) + 1);
  c.result(out, complex_of(c.dtype(0)));
  if (!c.eager()) return;
  const Dims& strides = c.value(0).as_tensor().strides();
  c.lay_out(SizesRef(transformed_strides(strides, sorted_dims(strides, *dims, dims->size() - 1), out)));
  ask_scratch(c, FourierKind::FromReal, *dims, x);
}

// _fft_c2r(self, dim, normalization, last_dim_size).
void c2r_rule(RuleCall& c) {
  check_numbers(c, true);
  const SizesRef x = c.sizes(0);
  const auto dims = x.ranked() ? dims_of(c, x.size(), 1) : std::nullopt;
  const auto t = c.dtype(0);
  const auto real = t ? std::optional(real_type(*t)) : t;
  if (!x.ranked()) return c.result({}, real);
  if (!dims) return c.result(Sizes(x.size(), Size::unknown()), real);
  const Size n = c.size(3);
  const auto last = static_cast<size_t>(dims->back());
  check_points(c, x, *dims);
  c.check(n >= 1, Runtime, "Invalid number of data points (", n, ") specified");
  c.check(x[last] == floordiv(n, 2) + 1, Runtime, "a real result of ", n, " elements is made of ", floordiv(n, 2) + 1,
          " complex ones along its last transformed dim, but there are ", x[last]);
  Sizes out = x;
  out.set(last, n);
  c.result(out, real);
  if (!c.eager()) return;
  Dims strides = c.value(0).as_tensor().strides();
  if (dims->size() > 1) {  // the other dims are transformed first, from complex to complex
    const Dims others(std::span<const int64_t>(*dims).first(dims->size() - 1));
    strides = transformed_strides(strides, sorted_dims(strides, others, others.size()), Sizes(x));
  }
  c.lay_out(SizesRef(transformed_strides(strides, Dims{dims->back()}, out)));
  ask_scratch(c, FourierKind::ToReal, *dims, out);
}

// --- Gradients. A transform is linear, so its gradient is the transform of the incoming gradient in the other direction.

int64_t last_dim(GradCall& c) { return wrap_dim(sizes_in(c.value(1)).back().as_int(), static_cast<int64_t>(c.dim(0))); }

// x with the size n along a dim: padded with zeros at the end, or cut.
Tensor resized(const Tensor& x, int64_t dim, const Size& n) {
  const Size have = size_of(x, dim);
  if (have.same(n)) return x;
  if (have.is_int() && n.is_int() && n.as_int() < have.as_int()) return "narrow"_op(x, dim, 0, n);
  Sizes pads;
  for (int64_t d = x.dim(); --d > dim;) pads.push_back(0), pads.push_back(0);
  pads.push_back(0), pads.push_back(n - have);
  return "constant_pad_nd"_op(x, pads, 0);
}

void c2c_gradient(GradCall& c) { c.set(0, "_fft_c2c"_op(c.grad(), c.value(1), c.value(2), !c.value(3).to_bool())); }

// A onesided call leaves out half of the results. Their gradients are 0.
void r2c_gradient(GradCall& c) {
  const int64_t last = last_dim(c);
  Tensor g = c.grad();
  if (c.value(3).to_bool()) g = resized(g, last, c.sizes(0)[static_cast<size_t>(last)]);
  c.set(0, "real"_op("_fft_c2c"_op(g, c.value(1), c.value(2), false)));
}

// Each element of the half spectrum also stands for its conjugate, so it counts twice, except the first one and, for even n, the last one.
void c2r_gradient(GradCall& c) {
  const int64_t last = last_dim(c);
  const Tensor g = "_fft_r2c"_op(c.grad(), c.value(1), c.value(2), true);
  const Size n = size_of(c.grad(), last), half = size_of(g, last), doubled = n - half;
  const Tensor place = counted(half, g);
  const Tensor twice = "logical_and"_op("ge"_op(place, 1), "le"_op(place, IValue(doubled)));
  c.set(0, "mul"_op(g, along("add"_op("to"_op(twice, c.grad().dtype()), 1), last, g.dim())));
}

// --- torch.fft.

enum class Scale : int64_t { None = 0, ByRoot = 1, ByCount = 2 };

int64_t scale_of(const IValue& norm, bool forward) {
  const std::string mode = norm.is_none() ? "backward" : norm.to_string();
  if (mode == "ortho") return static_cast<int64_t>(Scale::ByRoot);
  MONOGRAPH_CHECK(mode == "backward" || mode == "forward", Runtime, "Invalid normalization mode: \"", mode, "\"");
  return static_cast<int64_t>((mode == "forward") == forward ? Scale::ByCount : Scale::None);
}

// Converts x to the dtype that a transform takes: integers become the default dtype, and `complex` asks for the complex dtype of the result.
Tensor promoted(const Tensor& x, bool complex) {
  DType t = x.dtype();
  if (!is_floating(t) && !is_complex(t)) t = default_dtype();
  MONOGRAPH_CHECK(real_type(t) == DType::f32 || real_type(t) == DType::f64, Runtime, "Unsupported dtype ", scalar_type(t));
  if (complex) t = complex_type(t);
  return t == x.dtype() ? x : Tensor("to"_op(x, t));
}

void check_real(const char* name, const Tensor& x, const char* what) {
  MONOGRAPH_CHECK(!is_complex(x.dtype()), Runtime, name, " expects a ", what, " input tensor, but got ", scalar_type(x.dtype()));
}

int64_t dim_in(const Tensor& x, int64_t dim) {
  MONOGRAPH_CHECK(x.dim() > 0, Index, "Dimension specified as ", dim, " but tensor has no dimensions");
  return wrap_dim(dim, x.dim());
}

Size checked_points(const Size& n) {
  MONOGRAPH_CHECK(!never(n >= 1), Runtime, "Invalid number of data points (", to_string(n), ") specified");
  return n;
}

// The arguments of a transform along one dim: (self, n, dim, norm).
struct Line {
  Tensor x;
  int64_t dim;
  std::optional<Size> given_size;  // the argument n
  Line(const Tensor& x, const IValue* a) : x(x), dim(dim_in(x, a[2].to_int())) {
    if (!a[1].is_none()) given_size = as_size(a[1]);
  }
  Tensor fitted(const Size& n) const { return given_size ? resized(x, dim, n) : x; }
};

IValue complex_line(const IValue* a, bool forward) {
  const Line line(promoted(a[0].to_tensor(), true), a);
  const Size n = checked_points(line.given_size.value_or(size_of(line.x, line.dim)));
  return "_fft_c2c"_op(line.fitted(n), Dims{line.dim}, scale_of(a[3], forward), forward);
}

IValue real_line(const char* name, const IValue* a, bool forward, bool onesided) {
  check_real(name, a[0].as_tensor(), "real");
  const Line line(promoted(a[0].to_tensor(), false), a);
  const Size n = checked_points(line.given_size.value_or(size_of(line.x, line.dim)));
  const Tensor y = "_fft_r2c"_op(line.fitted(n), Dims{line.dim}, scale_of(a[3], forward), onesided);
  return forward ? IValue(y) : "conj"_op(y);
}

IValue any_line(const IValue* a, bool forward) {
  return is_complex(a[0].as_tensor().dtype()) ? complex_line(a, forward) : real_line(forward ? "fft" : "ifft", a, forward, false);
}

IValue line_to_real(const IValue* a, bool forward) {
  const Line line(promoted(a[0].to_tensor(), true), a);
  const Size n = checked_points(line.given_size.value_or((size_of(line.x, line.dim) - 1) * 2));
  const Tensor half = line.fitted(floordiv(n, 2) + 1);
  return "_fft_c2r"_op(forward ? Tensor("conj"_op(half)) : half, Dims{line.dim}, scale_of(a[3], forward), n);
}

// The arguments of a transform along several dims: (self, s, dim, norm).
struct Space {
  Dims dims;
  Sizes sizes;  // the size that each of the dims is padded or cut to
  bool last_given = false;  // `s` gives the size of the last dim

  Space(const Tensor& x, const IValue& s, const IValue& dim) {
    const auto rank = static_cast<size_t>(x.dim());
    if (!dim.is_none())
      for (const int64_t d : dim.to_ints()) add(dim_in(x, d));
    std::optional<Sizes> given;
    if (!s.is_none()) given = sizes_in(s);
    if (given) {
      MONOGRAPH_CHECK(dim.is_none() || given->size() == dims.size(), Runtime,
                      "When given, dim and shape arguments must have the same length");
      MONOGRAPH_CHECK(given->size() <= rank, Runtime, "Got shape with ", given->size(), " values but input tensor only has ", rank,
                      " dimensions.");
    }
    if (dim.is_none())
      for (size_t d = given ? rank - given->size() : 0; d < rank; ++d) dims.push_back(static_cast<int64_t>(d));
    for (size_t i = 0; i < dims.size(); ++i) {
      const bool own = !given || (*given)[i].is(-1);
      sizes.push_back(checked_points(own ? size_of(x, dims[i]) : (*given)[i]));
      last_given = !own;
    }
  }
  Tensor fitted(Tensor x) const {
    for (size_t i = 0; i < dims.size(); ++i) x = resized(x, dims[i], sizes[i]);
    return x;
  }
  void need_one(const char* name) const { MONOGRAPH_CHECK(!dims.empty(), Runtime, name, " must transform at least one axis"); }
  // For a complex to real transform: returns the result's size of the last dim, and sets the input's size of it to n / 2 + 1.
  Size to_real(const Tensor& x) {
    const Size n = checked_points(last_given ? sizes[sizes.size() - 1] : (size_of(x, dims.back()) - 1) * 2);
    sizes.set(sizes.size() - 1, floordiv(n, 2) + 1);
    return n;
  }
  Dims others() const { return Dims(std::span<const int64_t>(dims).first(dims.size() - 1)); }
  Dims last() const { return Dims{dims.back()}; }

 private:
  void add(int64_t d) {
    MONOGRAPH_CHECK(std::find(dims.begin(), dims.end(), d) == dims.end(), Runtime, "FFT dims must be unique");
    dims.push_back(d);
  }
};

IValue complex_space(const IValue* a, bool forward) {
  const Tensor x = promoted(a[0].to_tensor(), true);
  const Space space(x, a[1], a[2]);
  return "_fft_c2c"_op(space.fitted(x), space.dims, scale_of(a[3], forward), forward);
}

IValue real_space(const char* name, const IValue* a) {
  check_real(name, a[0].as_tensor(), "real-valued");
  const Tensor x = promoted(a[0].to_tensor(), false);
  const Space space(x, a[1], a[2]);
  space.need_one(name);
  return "_fft_r2c"_op(space.fitted(x), space.dims, scale_of(a[3], true), true);
}

IValue space_to_real(const char* name, const IValue* a) {
  const Tensor x = promoted(a[0].to_tensor(), true);
  Space space(x, a[1], a[2]);
  space.need_one(name);
  const Size n = space.to_real(x);
  return "_fft_c2r"_op(space.fitted(x), space.dims, scale_of(a[3], false), n);
}

// hfft2 and hfftn: the forward transform of a Hermitian signal (x[-k] is the conjugate of x[k]), of which half is given, to real numbers.
IValue hermitian_space(const char* name, const IValue* a) {
  Tensor x = promoted(a[0].to_tensor(), true);
  Space space(x, a[1], a[2]);
  space.need_one(name);
  const Size n = space.to_real(x);
  const int64_t scale = scale_of(a[3], true);
  x = space.fitted(x);
  if (space.dims.size() > 1) x = "_fft_c2c"_op(x, space.others(), scale, true);
  return "_fft_c2r"_op("conj"_op(x), space.last(), scale, n);
}

// ihfft2 and ihfftn: the backward transform of real numbers to half of a Hermitian signal.
IValue hermitian_half(const char* name, const IValue* a) {
  MONOGRAPH_CHECK(!is_complex(a[0].as_tensor().dtype()), Runtime,
                  "Only supports floating-point dtypes, but found: ", scalar_type(a[0].as_tensor().dtype()));
  const Tensor x = promoted(a[0].to_tensor(), false);
  const Space space(x, a[1], a[2]);
  space.need_one(name);
  const int64_t scale = scale_of(a[3], false);
  const Tensor y = "conj"_op("_fft_r2c"_op(space.fitted(x), space.last(), scale, true));
  return space.dims.size() > 1 ? "_fft_c2c"_op(y, space.others(), scale, false) : IValue(y);
}

// fftfreq and rfftfreq(n, d, dtype, layout, device, pin_memory).
IValue frequencies(const char* name, const IValue* a, bool half) {
  const int64_t n = a[0].to_int();
  const DType t = a[2].is_none() ? default_dtype() : a[2].to_dtype();
  MONOGRAPH_CHECK(is_floating(t) || is_complex(t), Runtime, name, " requires a floating point or complex dtype");
  auto count = [&](int64_t from, int64_t to) { return Tensor("arange"_op(from, to, t, a[3], a[4], a[5])); };
  MONOGRAPH_CHECK(n >= 0 || (half && n / 2 + 1 >= 0), Runtime, "Trying to create tensor with negative dimension ", n, ": [", n, "]");
  const Tensor steps = half ? count(0, n / 2 + 1) : Tensor("cat"_op(IValue::list({count(0, (n + 1) / 2), count(-(n / 2), 0)}), 0));
  return "mul"_op(steps, 1.0 / (static_cast<double>(n) * a[1].to_double()));
}

// fftshift and ifftshift: roll each dim by half its size, so that frequency 0 comes to the middle, or back to the start.
IValue shifted(const IValue* a, int64_t up) {
  const Tensor x = a[0].to_tensor();
  Dims dims;
  if (a[1].is_none())
    for (int64_t d = 0; d < x.dim(); ++d) dims.push_back(d);
  else
    for (const int64_t d : a[1].to_ints()) {
      MONOGRAPH_CHECK(x.dim() > 0, Index, "Dimension specified as ", d, " but tensor has no dimensions");
      dims.push_back(wrap_dim(d, x.dim()));
    }
  Sizes shifts;
  for (const int64_t d : dims) shifts.push_back(floordiv(size_of(x, d) + up, 2));
  return "roll"_op(x, shifts, dims);
}

void transforms(Registry& r) {
  r.op("_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor")
      .rule(c2c_rule)
      .kernel(fft_c2c_kernel)
      .gradient(c2c_gradient)
      .function_only()
      .out()
      .onnx(none(kNoOnnx))
      .doc("The discrete Fourier transform of complex numbers over `dim`, forward or backward.")
      .samples(R"([[t(d, 2, n), [1], k, f] for d in (c64, c128) for n in (1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 15, 16, 17, 30, 31, 49, 67)
                    for k, f in ((0, True), (2, False))]
                 + [[t(c128, 2, 3, 4), d, 1, True] for d in ([0], [1], [2], [0, 1], [1, 0], [0, 1, 2], [])]
                 + [[t(c64, 4, 6).t(), [0], 0, True], [t(c64, 8, 6)[::2, 1:], [0, 1], 0, False], [t(c128, 210, 2), [0], 2, True],
                    [t(c128, 131), [0], 0, True], [t(c64, 256), [0], 0, True], [t(c128, 20, 8), [1], 0, True]]
                 + [[t(f32, 4), [0], 0, True], [t(c64, 4, 4), [2], 0, True], [t(c64, 4, 0), [1], 0, True]])");
  r.op("_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor")
      .rule(r2c_rule)
      .kernel(fft_r2c_kernel)
      .gradient(r2c_gradient)
      .function_only()
      .out()
      .onnx(none(kNoOnnx))
      .doc("The discrete Fourier transform of real numbers over `dim`: all of it, or its first half, of which the other is the conjugate.")
      .samples(
          R"([[t(d, 2, n), [1], 0, o] for d in (f32, f64) for n in (1, 2, 3, 4, 5, 6, 9, 10, 13, 16, 34, 37, 94) for o in (True, False)]
                 + [[t(f64, 2, 3, 4), d, 1, o] for d in ([0], [1], [2], [0, 1], [1, 0], [0, 1, 2]) for o in (True, False)]
                 + [[t(f32, 4, 6).t(), [0], 0, True], [t(f32, 8, 6)[::2, 1:], [0, 1], 2, True], [t(f64, 20, 7), [1], 0, True]]
                 + [[t(c64, 4), [0], 0, True], [t(f32, 4, 4), [2], 0, True], [t(f32, 4, 0), [1], 0, True], [t(f32, 4), [], 0, True]])");
  r.op("_fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor")
      .rule(c2r_rule)
      .kernel(fft_c2r_kernel)
      .gradient(c2r_gradient)
      .function_only()
      .out()
      .onnx(none(kNoOnnx))
      .doc("The discrete Fourier transform backward over `dim`, from half of a signal, whose other half is the conjugate, to real numbers.")
      .samples(R"([[t(d, 2, n // 2 + 1), [1], 2, n] for d in (c64, c128) for n in (1, 2, 3, 4, 5, 6, 9, 10, 13, 16, 34, 37, 94)]
                 + [[t(c128, 2, 3, 4), d, 1, n] for d, n in (([0], 2), ([0], 3), ([1], 5), ([2], 7), ([2], 6), ([0, 1], 4), ([1, 0], 3), ([0, 1, 2], 6))]
                 + [[t(c64, 4, 6).t(), [0], 0, 10], [t(c64, 8, 6)[::2, 1:], [0, 1], 2, 8]]
                 + [[t(f32, 4), [0], 0, 6], [t(c64, 4), [0], 0, 0], [t(c64, 4), [], 0, 6]])");
}

constexpr const char* kLineSamples =
    R"([[t(d, 2, 5), n, m, w] for d in (c64, f64, i64) for n, m in ((None, -1), (4, 0), (7, 1)) for w in (None, "ortho", "forward", "backward")]
       + [[t(b1, 6)], [t(f32, 4, 3).t(), 4, 0], [t(f32, 1)], [t(f32, 4), 0], [t(f32, 4), None, 1], [t(f32, 4), None, -1, "half"], [t(f16, 4)], [t(f32)], [t(f32, 0)]])";
constexpr const char* kSpaceSamples =
    R"([[t(d, 2, 5, 4), s, m, w] for d in (c64, f64) for s, m in ((None, [-2, -1]), ([3, 6], [0, 2]), ([4, -1], [1, 0])) for w in (None, "ortho", "forward")]
       + [[t(i64, 3, 4), [2, 4]], [t(f32, 3, 4), [2, 3], [0, 0]], [t(f32, 3, 4), [2], [0, 1]], [t(f32, 3, 4), [0, 3]], [t(f32, 3, 4), None, [0, 2]],
          [t(f32, 3, 4), [3, 4, 5]], [t(f16, 3, 4)], [t(f32, 3, 4), None, [0, 1], "half"]])";

struct Transform {
  const char* schema;
  DecomposeFn decompose;
  const char *doc, *samples;
  DTypeSet out = kAllDTypes;  // what an out= tensor may be
};
constexpr DTypeSet kSameDType = 0;

void lines(Registry& r) {
  for (const Transform& t : {
           Transform{"fft_fft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
                     [](const IValue* a) { return any_line(a, true); },
                     "The discrete Fourier transform along `dim`, of `n` elements: the sums of "
                     "self[k] exp(-2 pi i j k / n).",
                     kLineSamples},
           Transform{"fft_ifft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
                     [](const IValue* a) { return any_line(a, false); }, "The inverse of fft.", kLineSamples},
           Transform{"fft_rfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
                     [](const IValue* a) { return real_line("rfft", a, true, true); },
                     "The first n / 2 + 1 elements of the fft of real numbers. The others are their conjugates.", kLineSamples},
           Transform{"fft_irfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
                     [](const IValue* a) { return line_to_real(a, false); },
                     "The inverse of rfft. `n` is the size of the result: 2 (size - 1) where it is not given.", kLineSamples, kFloating},
           Transform{"fft_hfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
                     [](const IValue* a) { return line_to_real(a, true); },
                     "The fft of a signal that is its own conjugate backwards, of which `self` has the first half. The result is real.",
                     kLineSamples, kFloating},
           Transform{"fft_ihfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
                     [](const IValue* a) { return real_line("ihfft", a, false, true); }, "The inverse of hfft.", kLineSamples, kSameDType},
       })
    r.op(t.schema)
        .namespaced("_fft")
        .decompose(t.decompose, Reads::Symbols)
        .out()
        .out_dtype(OutDType::Safe, t.out)
        .onnx(none(kMadeOfOthers))
        .autocast(Autocast::Float32)
        .doc(t.doc)
        .samples(t.samples);
}

void spaces(Registry& r) {
  struct Both {
    const char *two, *many;
    DecomposeFn decompose;
    const char* doc;
    Autocast autocast = Autocast::Float32;
    DTypeSet out = kAllDTypes;
  };
  for (const Both& b : {
           Both{"fft_fft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor",
                "fft_fftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
                [](const IValue* a) { return complex_space(a, true); }, "The discrete Fourier transform over `dim`, of `s` elements."},
           Both{"fft_ifft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor",
                "fft_ifftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
                [](const IValue* a) { return complex_space(a, false); }, "The inverse of the transform over `dim`."},
           Both{"fft_rfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor",
                "fft_rfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
                [](const IValue* a) { return real_space("rfftn", a); },
                "The transform of real numbers over `dim`, of whose last one it has the first half."},
           Both{"fft_irfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor",
                "fft_irfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
                [](const IValue* a) { return space_to_real("irfftn", a); },
                "The inverse of the transform of real numbers. `s` are the sizes of the result.", Autocast::Float32, kFloating},
           Both{"fft_hfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor",
                "fft_hfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
                [](const IValue* a) { return hermitian_space("hfftn", a); },
                "The transform over `dim` of a signal that is its own conjugate backwards. The result is real.", Autocast::None, kFloating},
           Both{"fft_ihfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor",
                "fft_ihfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
                [](const IValue* a) { return hermitian_half("ihfftn", a); }, "The inverse of that transform.", Autocast::None},
       }) {
    for (const char* schema : {b.two, b.many})
      r.op(schema)
          .namespaced("_fft")
          .decompose(b.decompose, Reads::Symbols)
          .out()
          .out_dtype(OutDType::Safe, b.out)
          .onnx(none(kMadeOfOthers))
          .autocast(b.autocast)
          .doc(b.doc)
          .samples(kSpaceSamples);
  }
}

}  // namespace

void fourier(Registry& r) {
  transforms(r);
  lines(r);
  spaces(r);
  auto factory = [&](const char* schema, DecomposeFn decompose, const char* doc) {
    r.op(schema)
        .namespaced("_fft")
        .decompose(decompose, Reads::Nothing)
        .out()
        .gradient(constant("its result does not depend on a tensor"))
        .onnx(none("decomposes to a range"))
        .doc(doc)
        .samples("[[n] for n in (0, 1, 2, 5, 6)] + [[6, 0.5], [5, 2.0, f64], [4, 1.0, i64], [-1]]");
  };
  factory(
      "fft_fftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
      "Tensor",
      [](const IValue* a) { return frequencies("fftfreq", a, false); }, "The frequencies of fft's elements: 0 up, then the negative ones.");
  factory(
      "fft_rfftfreq(int n, float d=1., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
      "Tensor",
      [](const IValue* a) { return frequencies("rfftfreq", a, true); }, "The frequencies of rfft's elements.");
  auto shift = [&](const char* schema, DecomposeFn decompose, const char* doc) {
    r.op(schema)
        .namespaced("_fft")
        .decompose(decompose, Reads::Symbols)
        .onnx(none("decomposes to roll"))
        .doc(doc)
        .samples("[[x, d] for x in layouts(4, 3) for d in (None, [0], [1, 0])] + [[t(c64, 5)], [t(f32, 3), [1]], [t(f32)]]");
  };
  shift(
      "fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor", [](const IValue* a) { return shifted(a, 0); },
      "The elements with frequency 0 in the middle of each dim.");
  shift(
      "fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor", [](const IValue* a) { return shifted(a, 1); }, "The inverse of fftshift.");
}

}  // namespace monograph
