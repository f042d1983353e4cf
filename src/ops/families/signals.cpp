// Signals: window functions, stft and istft. All decompose into other operators. stft cuts the signal into frames with index_select and transforms each one;
// istft transforms the frames back and adds them up with index_add.
#include <algorithm>
#include <numbers>
#include <optional>
#include <sstream>
#include <string>

#include "ops/dispatch.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/registry.h"

namespace monograph {
namespace {

constexpr const char* kNoOnnx = "decomposes to Fourier transforms, which ONNX writes otherwise";

// --- Window functions. The arguments are (window_length, periodic, ..., dtype, layout, device, pin_memory).

struct WindowFunction {
  int64_t length, points;
  Tensor places;  // 0, 1, ... in the window's dtype

  // `options` are the last four arguments.
  WindowFunction(const char* name, int64_t length, bool periodic, const IValue* options)
      : length(length), points(periodic ? length + 1 : length) {
    const DType t = options[0].is_none() ? default_dtype() : options[0].to_dtype();
    MONOGRAPH_CHECK(is_floating(t), Runtime, name, " expects floating point dtypes, got: ", monograph::name(t));
    MONOGRAPH_CHECK(length >= 0, Runtime, name, " requires non-negative window_length, got window_length=", length);
    places = "arange"_op(length <= 1 ? length : points, t, options[1], options[2], options[3]);
  }
  // The window from its values at all points. A window of one point is 1.
  IValue of(const Tensor& values) const {
    if (length <= 1) return "ones_like"_op(places);
    return points == length ? IValue(values) : "narrow"_op(values, 0, 0, length);
  }
  double steps() const { return static_cast<double>(std::max<int64_t>(1, points - 1)); }
};

// alpha - beta cos(2 pi k / steps).
IValue cosine_window(const char* name, int64_t length, bool periodic, double alpha, double beta, const IValue* options) {
  const WindowFunction w(name, length, periodic, options);
  return w.of("add"_op("mul"_op("cos"_op("mul"_op(w.places, std::numbers::pi * 2 / w.steps())), -beta), alpha));
}

IValue blackman_window(int64_t length, bool periodic, const IValue* options) {
  const WindowFunction w("blackman_window", length, periodic, options);
  const Tensor angle = "mul"_op(w.places, std::numbers::pi / w.steps());
  const Tensor slow = "mul"_op("cos"_op("mul"_op(angle, 2)), 0.5), fast = "mul"_op("cos"_op("mul"_op(angle, 4)), 0.08);
  return w.of("add"_op("sub"_op(fast, slow), 0.42));
}

IValue bartlett_window(int64_t length, bool periodic, const IValue* options) {
  const WindowFunction w("bartlett_window", length, periodic, options);
  const Tensor up = "mul"_op(w.places, 2 / w.steps());
  const int64_t middle = (w.points - 1) / 2;
  return w.of("where"_op("gt"_op(w.places, middle), "add"_op("mul"_op(up, -1), 2), up));
}

constexpr double kHammingAlpha = 0.54, kHammingBeta = 0.46;

void windows(Registry& r) {
  struct Row {
    const char* schema;
    DecomposeFn decompose;
    const char *doc, *samples;
  };
  constexpr const char* kLengths = "[[n] for n in (0, 1, 2, 5, 8, -1)] + [[6, f64], [6, i64], [3, f16]]";
  constexpr const char* kPeriodic = "[[n, p] for n in (0, 1, 2, 5, 8) for p in (True, False)] + [[6, False, f64]]";
#define MONOGRAPH_OPTIONS ", *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"
  for (const Row& row : {
           Row{"hann_window(int window_length" MONOGRAPH_OPTIONS,
               [](const IValue* a) { return cosine_window("hann_window", a[0].to_int(), true, 0.5, 0.5, a + 1); },
               "Hann's window, half a cosine up and half a cosine down, for a period of `window_length` points.", kLengths},
           Row{"hann_window.periodic(int window_length, bool periodic" MONOGRAPH_OPTIONS,
               [](const IValue* a) { return cosine_window("hann_window", a[0].to_int(), a[1].to_bool(), 0.5, 0.5, a + 2); },
               "Hann's window of a period, or symmetric.", kPeriodic},
           Row{"hamming_window(int window_length" MONOGRAPH_OPTIONS,
               [](const IValue* a) { return cosine_window("hamming_window", a[0].to_int(), true, kHammingAlpha, kHammingBeta, a + 1); },
               "Hamming's window, 0.54 - 0.46 times a cosine, for a period of `window_length` points.", kLengths},
           Row{"hamming_window.periodic(int window_length, bool periodic" MONOGRAPH_OPTIONS,
               [](const IValue* a) {
                 return cosine_window("hamming_window", a[0].to_int(), a[1].to_bool(), kHammingAlpha, kHammingBeta, a + 2);
               },
               "Hamming's window of a period, or symmetric.", kPeriodic},
           Row{"hamming_window.periodic_alpha(int window_length, bool periodic, float alpha" MONOGRAPH_OPTIONS,
               [](const IValue* a) {
                 return cosine_window("hamming_window", a[0].to_int(), a[1].to_bool(), a[2].to_double(), kHammingBeta, a + 3);
               },
               "`alpha` minus 0.46 times a cosine.", "[[5, True, 0.3], [5, False, 0.7], [1, False, 0.7]]"},
           Row{"hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float beta" MONOGRAPH_OPTIONS,
               [](const IValue* a) {
                 return cosine_window("hamming_window", a[0].to_int(), a[1].to_bool(), a[2].to_double(), a[3].to_double(), a + 4);
               },
               "`alpha` minus `beta` times a cosine.", "[[5, True, 0.3, 0.2], [5, False, 0.7, -1.0], [0, True, 0.1, 0.2]]"},
           Row{"blackman_window(int window_length" MONOGRAPH_OPTIONS,
               [](const IValue* a) { return blackman_window(a[0].to_int(), true, a + 1); },
               "Blackman's window, of two cosines, for a period of `window_length` points.", kLengths},
           Row{"blackman_window.periodic(int window_length, bool periodic" MONOGRAPH_OPTIONS,
               [](const IValue* a) { return blackman_window(a[0].to_int(), a[1].to_bool(), a + 2); },
               "Blackman's window of a period, or symmetric.", kPeriodic},
           Row{"bartlett_window(int window_length" MONOGRAPH_OPTIONS,
               [](const IValue* a) { return bartlett_window(a[0].to_int(), true, a + 1); },
               "Bartlett's window, a triangle, for a period of `window_length` points.", kLengths},
           Row{"bartlett_window.periodic(int window_length, bool periodic" MONOGRAPH_OPTIONS,
               [](const IValue* a) { return bartlett_window(a[0].to_int(), a[1].to_bool(), a + 2); },
               "Bartlett's window of a period, or symmetric.", kPeriodic},
       })
    r.op(row.schema)
        .decompose(row.decompose, Reads::Nothing)
        .out()
        .gradient(constant("its result does not depend on a tensor"))
        .onnx(none("decomposes to a range and a cosine"))
        .doc(row.doc)
        .samples(row.samples);
#undef MONOGRAPH_OPTIONS
}

// --- The short-time transform.

// The text of a call with its arguments. PyTorch's errors of stft and istft begin with it.
class CallText {
 public:
  template <class T>
  CallText& add(const char* name, const T& value) {
    text_ << (first_ ? "" : ", ") << name << (*name ? "=" : "") << value;
    first_ = false;
    return *this;
  }
  CallText& add(const char* name, const IValue& v) {
    if (v.is_none()) return add(name, "None");
    return add(name, v.is_bool() ? static_cast<int64_t>(v.to_bool()) : v.to_int());
  }
  CallText& add_window(const IValue& w) {
    return w.is_none() ? add("window", "None") : add("window", concat(kind_of(w.as_tensor()), "{", listed(w.as_tensor()), "}"));
  }
  static std::string kind_of(const Tensor& t) {
    const std::string_view element = info(t.dtype()).scalar_type;
    return is_complex(t.dtype()) ? concat("CPU", element, "Type") : concat("torch.", element, "Tensor");
  }
  static std::string listed(const Tensor& t) { return concat(words(sizes_of(t))); }
  template <class... Parts>
  [[noreturn]] void fail(const char* function, const Parts&... parts) const {
    monograph::fail(Runtime, function, "(", text_.str(), ") ", parts...);
  }

 private:
  std::ostringstream text_;
  bool first_ = true;
};

// How the signal is cut into frames, for stft and istft. The first five arguments of both are (self, n_fft, hop_length, win_length, window).
struct Frames {
  int64_t n, hop, length;
  IValue window;
  explicit Frames(const IValue* a)
      : n(a[1].to_int()),
        hop(a[2].is_none() ? a[1].to_int() >> 2 : a[2].to_int()),
        length(a[3].is_none() ? n : a[3].to_int()),
        window(a[4]) {}
  CallText call_text(const Tensor& self) const {
    CallText w;
    w.add("", concat(CallText::kind_of(self), CallText::listed(self)))
        .add("n_fft", n)
        .add("hop_length", hop)
        .add("win_length", length)
        .add_window(window);
    return w;
  }
  // How many zeros come before the window, if it is shorter than the transform.
  int64_t left() const { return (n - length) / 2; }
  bool window_fits() const {
    return window.is_none() || (window.as_tensor().dim() == 1 && !never(size_of(window.as_tensor(), 0) == Size(length)));
  }
  // The window, padded with zeros to n points; without a given one, `length` ones. Absent if all points have the weight 1.
  std::optional<Tensor> padded_window(const Tensor& like) const {
    if (window.is_none() && length == n) return std::nullopt;
    const Tensor w = window.is_none() ? Tensor("new_ones"_op(like, Dims{length})) : window.to_tensor();
    return length == n ? w : Tensor("constant_pad_nd"_op(w, Dims{left(), n - length - left()}, 0));
  }
  // The index in the signal of each point of each frame, one frame after another.
  Tensor places(const Size& frames, const Tensor& beside) const {
    const Tensor starts = "unsqueeze"_op("mul"_op(counted(frames, beside), hop), 1);
    return "reshape"_op("add"_op(starts, counted(n, beside)), Dims{-1});
  }
};

struct SpectrumOptions {
  IValue normalized, onesided, return_complex, align;
};

// The transform of x, which is the signal `self` as a batch, padded where it is centered. Errors show `self`.
IValue short_time(const Tensor& self, Tensor x, const Frames& f, const SpectrumOptions& s, bool centered) {
  auto refuse = [&](const auto&... parts) {
    CallText w = f.call_text(self);
    w.add("normalized", s.normalized).add("onesided", s.onesided).add("return_complex", s.return_complex).add("align_to_window", s.align);
    w.fail("stft", ": ", parts...);
  };
  if (!is_floating(self.dtype()) && !is_complex(self.dtype())) refuse("expected a tensor of floating point or complex values");
  if (self.dim() != 1 && self.dim() != 2) refuse("expected a 1D or 2D tensor");
  const Size length = size_of(x, 1);
  if (f.n <= 0 || never(Size(f.n) <= length)) refuse("expected 0 < n_fft < ", to_string(length), ", but got n_fft=", f.length);
  if (f.hop <= 0) refuse("expected hop_length > 0, but got hop_length=", f.hop);
  if (f.length <= 0 || f.length > f.n) refuse("expected 0 < win_length <= n_fft, but got win_length=", f.length);
  if (!f.window_fits())
    refuse("expected a 1D window tensor of size equal to win_length=", f.length, ", but got window with size ",
           CallText::listed(f.window.as_tensor()));
  if (!centered && !s.align.is_none() && s.align.to_bool()) x = "constant_pad_nd"_op(x, Dims{f.left(), f.n - f.length - f.left()}, 0);
  const Size frames = floordiv(size_of(x, 1) - f.n, f.hop) + 1;
  Tensor pieces = "index_select"_op(x, 1, f.places(frames, x));
  pieces = "reshape"_op(pieces, Sizes{size_of(x, 0), frames, f.n});
  if (const auto window = f.padded_window(self)) pieces = "mul"_op(pieces, *window);
  const bool complex = is_complex(pieces.dtype()), onesided = s.onesided.is_none() ? !complex : s.onesided.to_bool();
  const int64_t scale = s.normalized.to_bool() ? 1 : 0;
  MONOGRAPH_CHECK(!complex || !onesided, Runtime, "Cannot have onesided output if window or input is complex");
  Tensor out = complex ? "_fft_c2c"_op(pieces, Dims{2}, scale, true) : "_fft_r2c"_op(pieces, Dims{2}, scale, onesided);
  out = "transpose"_op(out, 1, 2);
  if (self.dim() == 1) out = "squeeze"_op(out, 0);
  const bool as_complex = s.return_complex.is_none() || s.return_complex.to_bool();
  return as_complex ? IValue(out) : "view_as_real"_op(out);
}

// Without return_complex, the signal or the window must be complex.
void check_return(const Tensor& self, const IValue& window, const IValue& return_complex) {
  const bool complex = is_complex(self.dtype()) || (!window.is_none() && is_complex(window.as_tensor().dtype()));
  MONOGRAPH_CHECK(
      complex || !return_complex.is_none(), Runtime,
      "stft requires the return_complex parameter be given for real inputs, and will further require that return_complex=True in a "
      "future PyTorch release.");
}

// One signal as a batch of one.
Tensor batched(const Tensor& self) { return self.dim() == 1 ? Tensor("unsqueeze"_op(self, 0)) : self; }

// The arguments are (self, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window).
IValue decompose_stft(const IValue* a) {
  const Tensor self = a[0].to_tensor();
  check_return(self, a[4], a[7]);
  return short_time(self, batched(self), Frames(a), {a[5], a[6], a[7], a[8]}, false);
}

// The arguments `center` and `pad_mode` stand before `normalized`.
IValue decompose_centered_stft(const IValue* a) {
  const Tensor self = a[0].to_tensor();
  const bool center = a[5].to_bool();
  MONOGRAPH_CHECK(!center || a[10].is_none(), Runtime, "stft align_to_window should only be set when center = false.");
  check_return(self, a[4], a[9]);
  Tensor x = batched(self);
  if (center && (self.dim() == 1 || self.dim() == 2)) {
    const int64_t half = a[1].to_int() / 2;
    x = "squeeze"_op("pad"_op("unsqueeze"_op(x, 0), Dims{half, half}, a[6]), 0);
  }
  return short_time(self, x, Frames(a), {a[7], a[8], a[9], a[10]}, center);
}

// A signal of this length: the sum of the frames, each added at its place.
Tensor overlapped(const Tensor& frames, const Tensor& places, const Size& length) {
  const Size batch = size_of(frames, 0);
  return "index_add"_op("new_zeros"_op(frames, Sizes{batch, length}), 1, places, "reshape"_op(frames, Sizes{batch, Size(-1)}));
}

// istft. The arguments are (self, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex).
struct InverseTransform {
  Tensor self;
  Frames f;
  bool center, normalized, onesided, complex;
  IValue given_onesided, length;

  explicit InverseTransform(const IValue* a)
      : self(a[0].to_tensor()),
        f(a),
        center(a[5].to_bool()),
        normalized(a[6].to_bool()),
        onesided(false),
        complex(a[9].to_bool()),
        given_onesided(a[7]),
        length(a[8]) {}

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    CallText w = f.call_text(self);
    w.add("center", IValue(center)).add("normalized", IValue(normalized)).add("onesided", given_onesided).add("length", length);
    w.add("return_complex", IValue(complex)).fail("istft", parts...);
  }

  void check() {
    MONOGRAPH_CHECK(is_complex(self.dtype()), Runtime,
                    "istft requires a complex-valued input tensor matching the output from stft with return_complex=True.");
    if (self.dim() != 2 && self.dim() != 3) refuse(": expected a tensor with 3 or 4 dimensions, but got ", self.dim() + 1);
    if (element_count(sizes_of(self)).is(0)) refuse(": input tensor cannot be empty.");
    const Size points = size_of(self, -2);
    onesided = given_onesided.is_none() ? !certainly(points == Size(f.n)) : given_onesided.to_bool();
    if (onesided && never(points == Size(f.n / 2 + 1)))
      refuse(": expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 when onesided=True, but got ",
             to_string(points));
    if (!onesided && never(points == Size(f.n)))
      refuse(": expected the frequency dimension (3rd to the last) of the input tensor to match n_fft when onesided=False, but got ",
             to_string(points));
    if (f.hop <= 0 || f.hop > f.length) refuse(": expected 0 < hop_length <= win_length");
    if (f.length <= 0 || f.length > f.n) refuse(": expected 0 < win_length <= n_fft");
    if (!f.window_fits()) refuse(": Invalid window shape. window has to be 1D and length of `win_length`");
    MONOGRAPH_CHECK(!complex || !onesided, Runtime, "Cannot have onesided output if window or input is complex");
    MONOGRAPH_CHECK(complex || f.window.is_none() || !is_complex(f.window.as_tensor().dtype()), Runtime,
                    "Complex windows are incompatible with return_complex=False");
  }

  // The frames of the signal, before they are added up.
  Tensor frames() const {
    const Tensor x = "transpose"_op(self.dim() == 2 ? Tensor("unsqueeze"_op(self, 0)) : self, 1, 2);
    const int64_t scale = normalized ? 1 : 2;
    if (complex) return "_fft_c2c"_op(x, Dims{2}, scale, false);
    const Tensor half = onesided ? x : Tensor("narrow"_op(x, 2, 0, f.n / 2 + 1));
    return "_fft_c2r"_op(half, Dims{2}, scale, f.n);
  }

  IValue run() {
    check();
    const Tensor pieces = frames();
    const Size count = size_of(pieces, 1), whole = (count - 1) * f.hop + f.n;
    const Tensor window = f.padded_window(pieces).value_or("new_ones"_op(pieces, Dims{f.n})), places = f.places(count, pieces);
    Tensor y = overlapped("mul"_op(pieces, window), places, whole);
    Tensor envelope = overlapped("expand"_op("mul"_op(window, window), Sizes{1, count, f.n}), places, whole);
    // The padding of centered frames is cut off.
    const Size start = center ? f.n / 2 : 0;
    const Size end = !length.is_none() ? start + as_size(length) : center ? whole - f.n / 2 : whole, kept = min(end, whole) - start;
    y = "slice"_op(y, 1, start, start + kept, 1), envelope = "slice"_op(envelope, 1, start, start + kept, 1);
    if (!dispatch_state().top && !y.is_meta() && "item"_op("any"_op("lt"_op("abs"_op(envelope), 1e-11))).to_bool())
      refuse("window overlap add min: 1");
    y = "div"_op(y, envelope);
    if (!never(whole < end)) y = "constant_pad_nd"_op(y, Sizes{0, max(end - whole, 0)}, 0);
    return self.dim() == 2 ? "squeeze"_op(y, 0) : IValue(y);
  }
};

}  // namespace

void signals(Registry& r) {
  windows(r);
  constexpr const char* kStft =
      R"([[t(d, *s, 40), 8, h, w, win, n, o, True] for d in (f32, f64) for s in ((), (2,)) for h, w, win in ((None, None, None), (3, 6, None), (2, 8, t(f64, 8)))
           for n, o in ((False, None), (True, False))]
         + [[t(c128, 40), 8, 3, 5, t(f64, 5), False, None, None], [t(f32, 40), 7, 3, 5, t(c64, 5), False, False, None], [t(f64, 40), 8, 3, 5, None, False, None, True, True],
            [t(f32, 40), 8, 2, 8, None, False, None, False], [t(f32, 40), 8], [t(f32, 4), 8, 2, 8, None, False, None, True], [t(f32, 40), 8, 0, 8, None, False, None, True],
            [t(f32, 40), 8, 2, 9, None, False, None, True], [t(f32, 40), 8, 2, 8, t(f32, 7), False, None, True], [t(i64, 40), 8, 2, 8, None, False, None, True],
            [t(f32, 2, 2, 40), 8, 2, 8, None, False, None, True], [t(c64, 40), 8, 2, 8, None, False, True, True]])";
  r.op("stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool normalized=False, bool? "
       "onesided=None, bool? "
       "return_complex=None, bool? align_to_window=None) -> Tensor")
      .decompose(decompose_stft, Reads::Symbols)
      .onnx(none(kNoOnnx))
      .autocast(Autocast::Float32)
      .doc("The Fourier transforms of pieces of a signal, `hop_length` apart: a row for each frequency, a column for each piece.")
      .samples(kStft);
  r.op("stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, str "
       "pad_mode=\"reflect\", bool "
       "normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor")
      .decompose(decompose_centered_stft, Reads::Symbols)
      .onnx(none(kNoOnnx))
      .autocast(Autocast::Float32)
      .doc(
          "The short-time Fourier transform. With `center`, the signal is padded, so that the pieces are centered at multiples of "
          "`hop_length`.")
      .samples(
          R"([[t(d, *s, 40), 8, 3, 6, None, c, p, False, None, True] for d in (f32, f64) for s in ((), (2,)) for c, p in ((True, "reflect"), (True, "constant"), (False, "reflect"))]
             + [[t(f32, 3), 8, 2, 8, None, True, "reflect", False, None, True], [t(f32, 40), 8, 2, 8, None, True, "reflect", False, None, True, True],
                [t(f32, 40), 8, 2, 8, None, False, "reflect", False, None, True, True]])");
  r.op("istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, bool "
       "normalized=False, bool? "
       "onesided=None, int? length=None, bool return_complex=False) -> Tensor")
      .decompose([](const IValue* a) { return InverseTransform(a).run(); }, Reads::Symbols)
      .onnx(none(kNoOnnx))
      .doc("The signal whose short-time transform is nearest to `self`.")
      .samples(
          R"([[t(d, *s, 5, 9), 8, 2, w, win, c, n, None, l] for d in (c64, c128) for s in ((), (2,)) for w, win in ((None, None), (6, None), (8, t({c64: f32, c128: f64}[d], 8, low=0.5)))
               for c, n, l in ((True, False, None), (True, True, 12), (True, False, 30))]
             + [[t(c128, 8, 9), 8, 2, 8, None, True, False, False, None, True], [t(c64, 8, 9), 8], [t(c64, 5, 9), 8, 4, 8, None, False],
                [t(c64, 5, 9), 8, 2, 8, torch.hann_window(8), False], [t(f32, 5, 9), 8], [t(c64, 5, 9), 10], [t(c64, 5, 9), 8, 9], [t(c64, 5, 9), 8, 2, 8, t(f32, 7)],
                [t(c64, 5, 9), 8, 2, 8, None, True, False, True, None, True], [t(c64, 2, 2, 5, 9), 8], [t(c64, 5, 0), 8], [t(c64, 5, 9), 8, 2, 8, t(c64, 8)]])");
}

}  // namespace monograph
