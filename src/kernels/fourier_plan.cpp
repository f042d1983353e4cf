// The stages of a transform (each is a loop over butterflies of one radix), and the convolution with a chirp for sizes with large prime factors.
#include "kernels/fourier_plan.h"

#include <algorithm>
#include <cstring>
#include <numbers>
#include <utility>

#include "kernels/variants.h"
#include "kernels/vector_types.h"

namespace monograph {
namespace {

constexpr int64_t kLargestRadix = 64;

// ---- roots of unity ----

// cos and sin of the angle x, from 0 to pi/4, by their series: the first term that is left out is below 2^-66.
double small_sine(double x) {
  const double u = x * x;
  double sum = 0;
  for (int k = 19; k > 1; k -= 2) sum = (1 - sum) * u / (k * (k - 1));
  return x - x * sum;
}
double small_cosine(double x) {
  const double u = x * x;
  double sum = 0;
  for (int k = 20; k > 2; k -= 2) sum = (1 - sum) * u / (k * (k - 1));
  return 1 - u * (1 - sum) / 2;
}

// exp(-2 pi i k / n), with the angle brought into an eighth of the circle.
UnitRoots::Root root_of_unity(int64_t k, int64_t n) {
  const int64_t octant = 8 * k / n, rest = 8 * k % n;
  const double x = static_cast<double>(octant % 2 ? n - rest : rest) / static_cast<double>(n) * (std::numbers::pi / 4);
  const double c = small_cosine(x), s = small_sine(x);
  switch (octant) {
    case 0: return {c, -s};
    case 1: return {s, -c};
    case 2: return {-s, -c};
    case 3: return {-c, -s};
    case 4: return {-c, s};
    case 5: return {-s, c};
    case 6: return {s, c};
    default: return {c, s};
  }
}

}  // namespace

UnitRoots::UnitRoots(int64_t n, Workspace& workspace) : n_(n) {
  while ((int64_t{1} << 2 * shift_) < n) ++shift_;
  low_ = take_split<double>(workspace, std::min(n, int64_t{1} << shift_));
  high_ = take_split<double>(workspace, ((n - 1) >> shift_) + 1);
}

void UnitRoots::fill() {
  for (int64_t k = 0; k < std::min(n_, int64_t{1} << shift_); ++k) {
    const Root r = root_of_unity(k, n_);
    low_.re[k] = r.re, low_.im[k] = r.im;
  }
  for (int64_t k = 0; k << shift_ < n_; ++k) {
    const Root r = root_of_unity(k << shift_, n_);
    high_.re[k] = r.re, high_.im[k] = r.im;
  }
}

UnitRoots::Root UnitRoots::at(int64_t k) const {
  const int64_t low = k & ((int64_t{1} << shift_) - 1), high = k >> shift_;
  const double ar = low_.re[low], ai = low_.im[low], br = high_.re[high], bi = high_.im[high];
  return {ar * br - ai * bi, ar * bi + ai * br};
}

namespace {

// ---- factors and sizes ----

int64_t next_factor(int64_t n) {
  if (n % 4 == 0) return 4;
  for (int64_t f = 2; f * f <= n; ++f)
    if (n % f == 0) return f;
  return n;
}

// An estimate of the cost of the stages of a transform of n numbers.
double cost_of_stages(int64_t n) {
  double sum = 0;
  for (int64_t rest = n; rest > 1;) {
    const int64_t f = next_factor(rest);
    sum += f <= 5 ? static_cast<double>(f) : 1.5 * static_cast<double>(f);
    rest /= f;
  }
  return sum * static_cast<double>(n);
}

int64_t largest_factor(int64_t n) {
  int64_t largest = 1;
  for (int64_t rest = n; rest > 1;) {
    const int64_t f = next_factor(rest);
    largest = std::max(largest, f), rest /= f;
  }
  return largest;
}

// The smallest size, at least n, whose prime factors are 2, 3 and 5.
int64_t good_size(int64_t n) {
  int64_t best = 1;
  while (best < n) best *= 2;
  for (int64_t fives = 1; fives < best; fives *= 5)
    for (int64_t odd = fives; odd < best; odd *= 3) {
      int64_t size = odd;
      while (size < n) size *= 2;
      best = std::min(best, size);
    }
  return best;
}

// The size that the stages transform: n, or the size of the chirp's convolution if that is cheaper.
int64_t size_of_stages(int64_t n) {
  if (largest_factor(n) <= 7) return n;
  const int64_t size = good_size(2 * n - 1);
  const bool direct = largest_factor(n) <= kLargestRadix && cost_of_stages(n) <= 2.5 * cost_of_stages(size);
  return direct ? n : size;
}

// ---- butterflies ----
//
// The elements that a butterfly writes are `step` apart, which the compiler cannot know. ivdep says that no iteration reads what another one writes.

// A stage reads element p + rest * k and writes element radix * p + j, for p < rest; each element is `step` contiguous numbers.
template <class T>
struct StageCall {
  SplitComplex<T> x, y;
  int64_t radix, rest, step;
  SplitComplex<const T> twiddles, circle;
};

template <class T>
[[gnu::always_inline]] inline void turn(T* re, T* im, int64_t q, T r, T i, T cosine, T sine) {
  re[q] = r * cosine - i * sine, im[q] = r * sine + i * cosine;
}

template <class T>
[[gnu::always_inline]] inline void radix2(const StageCall<T>& c) {
  const int64_t s = c.step, apart = s * c.rest;
  for (int64_t p = 0; p < c.rest; ++p) {
    const T* __restrict xr = c.x.re + s * p;
    const T* __restrict xi = c.x.im + s * p;
    T* __restrict yr = c.y.re + s * 2 * p;
    T* __restrict yi = c.y.im + s * 2 * p;
    const T wr = c.twiddles.re[p], wi = c.twiddles.im[p];
#pragma GCC ivdep
    for (int64_t q = 0; q < s; ++q) {
      const T ar = xr[q], ai = xi[q], br = xr[q + apart], bi = xi[q + apart];
      yr[q] = ar + br, yi[q] = ai + bi;
      turn(yr + s, yi + s, q, ar - br, ai - bi, wr, wi);
    }
  }
}

template <class T>
[[gnu::always_inline]] inline void radix3(const StageCall<T>& c) {
  const int64_t s = c.step, apart = s * c.rest;
  const T half = T(0.5), root = static_cast<T>(0.86602540378443864676);  // sin 60
  for (int64_t p = 0; p < c.rest; ++p) {
    const T* __restrict xr = c.x.re + s * p;
    const T* __restrict xi = c.x.im + s * p;
    T* __restrict yr = c.y.re + s * 3 * p;
    T* __restrict yi = c.y.im + s * 3 * p;
    const T *wr = c.twiddles.re + 2 * p, *wi = c.twiddles.im + 2 * p;
#pragma GCC ivdep
    for (int64_t q = 0; q < s; ++q) {
      const T ar = xr[q], ai = xi[q];
      const T tr = xr[q + apart] + xr[q + 2 * apart], ti = xi[q + apart] + xi[q + 2 * apart];
      const T ur = root * (xi[q + apart] - xi[q + 2 * apart]), ui = root * (xr[q + 2 * apart] - xr[q + apart]);
      const T mr = ar - half * tr, mi = ai - half * ti;
      yr[q] = ar + tr, yi[q] = ai + ti;
      turn(yr + s, yi + s, q, mr + ur, mi + ui, wr[0], wi[0]);
      turn(yr + 2 * s, yi + 2 * s, q, mr - ur, mi - ui, wr[1], wi[1]);
    }
  }
}

template <class T>
[[gnu::always_inline]] inline void radix4(const StageCall<T>& c) {
  const int64_t s = c.step, apart = s * c.rest;
  for (int64_t p = 0; p < c.rest; ++p) {
    const T* __restrict xr = c.x.re + s * p;
    const T* __restrict xi = c.x.im + s * p;
    T* __restrict yr = c.y.re + s * 4 * p;
    T* __restrict yi = c.y.im + s * 4 * p;
    const T *wr = c.twiddles.re + 3 * p, *wi = c.twiddles.im + 3 * p;
#pragma GCC ivdep
    for (int64_t q = 0; q < s; ++q) {
      const T ar = xr[q], ai = xi[q], br = xr[q + apart], bi = xi[q + apart];
      const T cr = xr[q + 2 * apart], ci = xi[q + 2 * apart], dr = xr[q + 3 * apart], di = xi[q + 3 * apart];
      const T er = ar + cr, ei = ai + ci, fr = ar - cr, fi = ai - ci;
      const T gr = br + dr, gi = bi + di, hr = bi - di, hi = dr - br;  // h = -i (b - d)
      yr[q] = er + gr, yi[q] = ei + gi;
      turn(yr + s, yi + s, q, fr + hr, fi + hi, wr[0], wi[0]);
      turn(yr + 2 * s, yi + 2 * s, q, er - gr, ei - gi, wr[1], wi[1]);
      turn(yr + 3 * s, yi + 3 * s, q, fr - hr, fi - hi, wr[2], wi[2]);
    }
  }
}

template <class T>
[[gnu::always_inline]] inline void radix5(const StageCall<T>& c) {
  const int64_t s = c.step, apart = s * c.rest;
  const T c1 = static_cast<T>(0.30901699437494742410), c2 = static_cast<T>(-0.80901699437494742410);  // cos 72, cos 144
  const T s1 = static_cast<T>(0.95105651629515357212), s2 = static_cast<T>(0.58778525229247312917);  // sin 72, sin 144
  for (int64_t p = 0; p < c.rest; ++p) {
    const T* __restrict xr = c.x.re + s * p;
    const T* __restrict xi = c.x.im + s * p;
    T* __restrict yr = c.y.re + s * 5 * p;
    T* __restrict yi = c.y.im + s * 5 * p;
    const T *wr = c.twiddles.re + 4 * p, *wi = c.twiddles.im + 4 * p;
#pragma GCC ivdep
    for (int64_t q = 0; q < s; ++q) {
      const T ar = xr[q], ai = xi[q];
      const T tr = xr[q + apart] + xr[q + 4 * apart], ti = xi[q + apart] + xi[q + 4 * apart];
      const T ur = xr[q + 2 * apart] + xr[q + 3 * apart], ui = xi[q + 2 * apart] + xi[q + 3 * apart];
      const T vr = xr[q + apart] - xr[q + 4 * apart], vi = xi[q + apart] - xi[q + 4 * apart];
      const T zr = xr[q + 2 * apart] - xr[q + 3 * apart], zi = xi[q + 2 * apart] - xi[q + 3 * apart];
      const T mr = ar + c1 * tr + c2 * ur, mi = ai + c1 * ti + c2 * ui;
      const T nr = ar + c2 * tr + c1 * ur, ni = ai + c2 * ti + c1 * ui;
      const T fr = s1 * vi + s2 * zi, fi = -(s1 * vr + s2 * zr);  // -i times the sines
      const T gr = s2 * vi - s1 * zi, gi = s1 * zr - s2 * vr;
      yr[q] = ar + tr + ur, yi[q] = ai + ti + ui;
      turn(yr + s, yi + s, q, mr + fr, mi + fi, wr[0], wi[0]);
      turn(yr + 2 * s, yi + 2 * s, q, nr + gr, ni + gi, wr[1], wi[1]);
      turn(yr + 3 * s, yi + 3 * s, q, nr - gr, ni - gi, wr[2], wi[2]);
      turn(yr + 4 * s, yi + 4 * s, q, mr - fr, mi - fi, wr[3], wi[3]);
    }
  }
}

// A vector of neighbouring numbers, for which the sums of an odd radix are kept in registers.
template <class T> using Neighbours = Vector<T, 64>;
template <class T> constexpr int64_t kTogether = 64 / static_cast<int64_t>(sizeof(T));

// The first `count` numbers of a vector in memory; the others are zeros.
template <class T>
struct SomeNeighbours {
  using V = Neighbours<T>;
  int64_t count;
  [[gnu::always_inline]] V load(const T* from) const {
    V x = {};
    if (count == kTogether<T>) std::memcpy(&x, from, sizeof x);
    else std::memcpy(&x, from, static_cast<size_t>(count) * sizeof(T));
    return x;
  }
  [[gnu::always_inline]] void store(T* to, V x) const {
    if (count == kTogether<T>) std::memcpy(to, &x, sizeof x);
    else std::memcpy(to, &x, static_cast<size_t>(count) * sizeof(T));
  }
  [[gnu::always_inline]] void store_turned(T* re, T* im, V r, V i, T cosine, T sine) const {
    store(re, r * cosine - i * sine), store(im, r * sine + i * cosine);
  }
};

// An odd prime radix: sums and differences of pairs of inputs, then their products with cosines and sines. The results of `count` neighbours at p.
template <class T>
[[gnu::always_inline]] inline void odd_neighbours(const StageCall<T>& c, int64_t p, int64_t first, int64_t count) {
  using V = Neighbours<T>;
  constexpr int64_t kPairs = kLargestRadix / 2;
  V tr[kPairs], ti[kPairs], ur[kPairs], ui[kPairs];
  const SomeNeighbours<T> some{count};
  const int64_t s = c.step, apart = s * c.rest, pairs = (c.radix - 1) / 2;
  const T *xr = c.x.re + s * p + first, *xi = c.x.im + s * p + first;
  T *yr = c.y.re + s * c.radix * p + first, *yi = c.y.im + s * c.radix * p + first;
  const T *wr = c.twiddles.re + (c.radix - 1) * p - 1, *wi = c.twiddles.im + (c.radix - 1) * p - 1;
  const V ar = some.load(xr), ai = some.load(xi);
  V sr = ar, si = ai;
  for (int64_t k = 1; k <= pairs; ++k) {
    const int64_t a = k * apart, b = (c.radix - k) * apart;
    const V br = some.load(xr + a), bi = some.load(xi + a), dr = some.load(xr + b), di = some.load(xi + b);
    tr[k - 1] = br + dr, ti[k - 1] = bi + di, ur[k - 1] = br - dr, ui[k - 1] = bi - di;
    sr += tr[k - 1], si += ti[k - 1];
  }
  some.store(yr, sr), some.store(yi, si);
  for (int64_t j = 1; j <= pairs; ++j) {
    V mr = ar, mi = ai, nr = {}, ni = {};
    for (int64_t k = 0, at = 0; k < pairs; ++k) {
      at += j;
      if (at >= c.radix) at -= c.radix;
      const T cosine = c.circle.re[at], sine = c.circle.im[at];
      mr += tr[k] * cosine, mi += ti[k] * cosine, nr -= ui[k] * sine, ni += ur[k] * sine;
    }
    const int64_t other = c.radix - j;
    some.store_turned(yr + j * s, yi + j * s, mr + nr, mi + ni, wr[j], wi[j]);
    some.store_turned(yr + other * s, yi + other * s, mr - nr, mi - ni, wr[other], wi[other]);
  }
}

template <class T>
[[gnu::always_inline]] inline void odd_radix(const StageCall<T>& c) {
  constexpr int64_t kWide = kTogether<T>;
  const int64_t whole = c.step / kWide * kWide;
  for (int64_t p = 0; p < c.rest; ++p) {
    for (int64_t q = 0; q < whole; q += kWide) odd_neighbours(c, p, q, kWide);
    if (whole < c.step) odd_neighbours(c, p, whole, c.step - whole);
  }
}

template <class T>
[[gnu::always_inline]] inline void any_radix(const StageCall<T>& c) {
  switch (c.radix) {
    case 2: return radix2(c);
    case 3: return radix3(c);
    case 4: return radix4(c);
    case 5: return radix5(c);
    default: return odd_radix(c);
  }
}
MONOGRAPH_TEMPLATE_VARIANTS((template <class T>), run_stage, any_radix, (const StageCall<T>& c), (c))

// x times w, element by element; each element has `lines` contiguous numbers.
template <class T>
[[gnu::always_inline]] inline void multiply_loop(SplitComplex<T> x, SplitComplex<const T> w, int64_t n, int64_t lines) {
  for (int64_t k = 0; k < n; ++k) {
    const T wr = w.re[k], wi = w.im[k];
    T* __restrict re = x.re + k * lines;
    T* __restrict im = x.im + k * lines;
    for (int64_t l = 0; l < lines; ++l) {
      const T r = re[l], i = im[l];
      re[l] = r * wr - i * wi, im[l] = r * wi + i * wr;
    }
  }
}
MONOGRAPH_TEMPLATE_VARIANTS((template <class T>), multiply_lines, multiply_loop,
                            (SplitComplex<T> x, SplitComplex<const T> w, int64_t n, int64_t lines), (x, w, n, lines))

template <class T>
SplitComplex<const T> read_only(SplitComplex<T> x) {
  return {x.re, x.im};
}

}  // namespace

template <class T>
FourierPlan<T>::FourierPlan(int64_t n, Workspace& workspace)
    : n_(n), work_(size_of_stages(n)), roots_(work_, workspace), chirp_roots_(work_ == n ? 1 : 2 * n, workspace) {
  for (int64_t length = work_; length > 1;) {
    const int64_t radix = next_factor(length);
    length /= radix;
    Stage& stage = stages_[stage_count_++];
    stage = {radix, length, take_split<T>(workspace, (radix - 1) * length), {}};
    if (radix > 5) stage.circle = take_split<T>(workspace, radix);
  }
  if (work_ != n_) chirp_ = take_split<T>(workspace, n_), spectrum_ = take_split<T>(workspace, work_);
}

template <class T>
void FourierPlan<T>::fill_stages() {
  roots_.fill();
  auto store = [&](SplitComplex<T> to, int64_t at, int64_t root) {
    const UnitRoots::Root r = roots_.at(root);
    to.re[at] = static_cast<T>(r.re), to.im[at] = static_cast<T>(r.im);
  };
  for (int i = 0; i < stage_count_; ++i) {
    const Stage& stage = stages_[i];
    const int64_t scale = work_ / (stage.radix * stage.rest);
    for (int64_t p = 0; p < stage.rest; ++p)
      for (int64_t j = 1; j < stage.radix; ++j) store(stage.twiddles, p * (stage.radix - 1) + j - 1, j * p * scale);
    for (int64_t k = 0; stage.circle.re && k < stage.radix; ++k) store(stage.circle, k, k * (work_ / stage.radix));
  }
}

// The chirp is exp(-pi i k^2 / n); its exponents are roots of unity of order 2 n. The signal is convolved with its conjugate, on both sides of 0.
template <class T>
void FourierPlan<T>::fill(SplitComplex<T> a, SplitComplex<T> b) {
  fill_stages();
  if (work_ == n_) return;
  chirp_roots_.fill();
  for (int64_t k = 0; k < work_; ++k) a.re[k] = 0, a.im[k] = 0;
  const double scale = 1 / static_cast<double>(work_);
  for (int64_t k = 0, square = 0; k < n_; ++k) {
    const UnitRoots::Root r = chirp_roots_.at(square);
    chirp_.re[k] = static_cast<T>(r.re), chirp_.im[k] = static_cast<T>(r.im);
    for (const int64_t at : {k, k ? work_ - k : k}) a.re[at] = static_cast<T>(r.re * scale), a.im[at] = static_cast<T>(-r.im * scale);
    square += 2 * k + 1;
    square %= 2 * n_;
  }
  const SplitComplex<T> spectrum = run_stages(a, b, 1);
  for (int64_t k = 0; k < work_; ++k) spectrum_.re[k] = spectrum.re[k], spectrum_.im[k] = spectrum.im[k];
}

template <class T>
SplitComplex<T> FourierPlan<T>::run_stages(SplitComplex<T> x, SplitComplex<T> spare, int64_t lines) const {
  int64_t step = lines;
  for (int i = 0; i < stage_count_; ++i) {
    const Stage& stage = stages_[i];
    run_stage<T>({x, spare, stage.radix, stage.rest, step, read_only(stage.twiddles), read_only(stage.circle)});
    std::swap(x, spare);
    step *= stage.radix;
  }
  return x;
}

template <class T>
SplitComplex<T> FourierPlan<T>::transform(SplitComplex<T> x, SplitComplex<T> spare, int64_t lines) const {
  if (work_ == n_) return run_stages(x, spare, lines);
  multiply_lines<T>(x, read_only(chirp_), n_, lines);
  std::fill(x.re + n_ * lines, x.re + work_ * lines, T(0));
  std::fill(x.im + n_ * lines, x.im + work_ * lines, T(0));
  const SplitComplex<T> y = run_stages(x, spare, lines);
  if (y.re != x.re) std::swap(x, spare);  // y is x from here on
  multiply_lines<T>(y, read_only(spectrum_), work_, lines);
  const SplitComplex<T> z = run_stages(y.swapped(), spare.swapped(), lines).swapped();
  multiply_lines<T>(z, read_only(chirp_), n_, lines);
  return z;
}

template class FourierPlan<float>;
template class FourierPlan<double>;

}  // namespace monograph
