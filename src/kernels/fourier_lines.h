// Copies lines of complex numbers between a tensor, in which real and imaginary parts alternate, and a block: two arrays, one of real and one of
// imaginary parts, in which element k of line l is at k * lines + l.
//
// Lines with contiguous elements are transposed in registers. Lines that begin at neighbouring elements need no transposing, since the elements k of
// all lines are contiguous. Other lines are copied one element at a time.
#pragma once

#include <complex>
#include <cstdint>
#include <cstring>

#include "kernels/fourier_plan.h"
#include "kernels/vector_types.h"

namespace monograph {

// The positions in a tensor of the lines of a block, in elements.
struct LineStarts {
  const int64_t* at;  // the first element of each line
  int64_t lines, step;  // the number of lines; from one element of a line to the next
  bool adjacent() const {
    for (int64_t l = 1; l < lines; ++l)
      if (at[l] != at[0] + l) return false;
    return true;
  }
};

namespace fourier_lines {

// A vector of 16 bytes of T.
template <class T> using Piece = Vector<T, 16>;
template <class T> inline constexpr int64_t kPiece = 16 / static_cast<int64_t>(sizeof(T));

template <class T>
[[gnu::always_inline]] inline Piece<T> load(const T* from) {
  Piece<T> x;
  std::memcpy(&x, from, 16);
  return x;
}
template <class T>
[[gnu::always_inline]] inline void store(T* to, Piece<T> x) {
  std::memcpy(to, &x, 16);
}

// Transposes a square of elements.
[[gnu::always_inline]] inline void turn(Piece<float> (&x)[4]) {
  const Piece<float> a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5), b = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7),
                     c = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5), d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
  x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), x[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  x[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5), x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
[[gnu::always_inline]] inline void turn(Piece<double> (&x)[2]) {
  const Piece<double> a = x[0];
  x[0] = __builtin_shufflevector(a, x[1], 0, 2), x[1] = __builtin_shufflevector(a, x[1], 1, 3);
}

// split: two vectors of complex numbers become one of real and one of imaginary parts. join is its inverse.
[[gnu::always_inline]] inline void split(Piece<float>& a, Piece<float>& b) {
  const Piece<float> x = a;
  a = __builtin_shufflevector(x, b, 0, 2, 4, 6), b = __builtin_shufflevector(x, b, 1, 3, 5, 7);
}
[[gnu::always_inline]] inline void join(Piece<float>& a, Piece<float>& b) {
  const Piece<float> x = a;
  a = __builtin_shufflevector(x, b, 0, 4, 1, 5), b = __builtin_shufflevector(x, b, 2, 6, 3, 7);
}
[[gnu::always_inline]] inline void split(Piece<double>& a, Piece<double>& b) {
  const Piece<double> x = a;
  a = __builtin_shufflevector(x, b, 0, 2), b = __builtin_shufflevector(x, b, 1, 3);
}
[[gnu::always_inline]] inline void join(Piece<double>& a, Piece<double>& b) { split(a, b); }

// Array k of re[0], im[0], re[1], im[1], ..., the rows of a block.
template <class T>
[[gnu::always_inline]] inline T* part(SplitComplex<T> x, int64_t row, int64_t k) {
  return (k % 2 ? x.im : x.re) + k / 2 * row;
}

}  // namespace fourier_lines

// Reads `n` pairs of contiguous real numbers from each line. `from` counts real numbers.
template <class T>
void read_pairs(SplitComplex<T> x, const T* data, const LineStarts& from, int64_t n) {
  using namespace fourier_lines;
  constexpr int64_t kWide = kPiece<T>, kPairs = kWide / 2;
  const int64_t lines = from.lines;
  auto one = [&](int64_t k, int64_t l) {
    const T* z = data + from.at[l] + 2 * k;
    x.re[k * lines + l] = z[0], x.im[k * lines + l] = z[1];
  };
  int64_t l = 0;
  for (; l + kWide <= lines; l += kWide) {
    int64_t k = 0;
    for (; k + kPairs <= n; k += kPairs) {
      Piece<T> square[kWide];
      for (int64_t i = 0; i < kWide; ++i) square[i] = load(data + from.at[l + i] + 2 * k);
      turn(square);
      for (int64_t i = 0; i < kWide; ++i) store(part(x.from(k * lines + l), lines, i), square[i]);
    }
    for (; k < n; ++k)
      for (int64_t i = 0; i < kWide; ++i) one(k, l + i);
  }
  for (; l < lines; ++l)
    for (int64_t k = 0; k < n; ++k) one(k, l);
}

// Writes `n` pairs of real numbers, multiplied by `scale`, to each line. `to` counts real numbers.
template <class T>
void write_pairs(SplitComplex<T> y, T* data, const LineStarts& to, int64_t n, T scale) {
  using namespace fourier_lines;
  constexpr int64_t kWide = kPiece<T>, kPairs = kWide / 2;
  const int64_t lines = to.lines;
  auto one = [&](int64_t k, int64_t l) {
    T* z = data + to.at[l] + 2 * k;
    z[0] = y.re[k * lines + l] * scale, z[1] = y.im[k * lines + l] * scale;
  };
  int64_t l = 0;
  for (; l + kWide <= lines; l += kWide) {
    int64_t k = 0;
    for (; k + kPairs <= n; k += kPairs) {
      Piece<T> square[kWide];
      for (int64_t i = 0; i < kWide; ++i) square[i] = load<T>(part(y.from(k * lines + l), lines, i)) * scale;
      turn(square);
      for (int64_t i = 0; i < kWide; ++i) store(data + to.at[l + i] + 2 * k, square[i]);
    }
    for (; k < n; ++k)
      for (int64_t i = 0; i < kWide; ++i) one(k, l + i);
  }
  for (; l < lines; ++l)
    for (int64_t k = 0; k < n; ++k) one(k, l);
}

// The positions of lines of complex numbers, counted in real numbers.
struct RealStarts {
  static constexpr int64_t kMost = 64;
  int64_t at[kMost];
  LineStarts starts;
  explicit RealStarts(const LineStarts& complex) : starts{at, complex.lines, 2 * complex.step} {
    for (int64_t l = 0; l < complex.lines; ++l) at[l] = 2 * complex.at[l];
  }
};

// Reads `n` complex numbers of each line.
template <class T>
void read_lines(SplitComplex<T> x, const std::complex<T>* data, const LineStarts& from, int64_t n) {
  using namespace fourier_lines;
  constexpr int64_t kWide = kPiece<T>;
  const int64_t lines = from.lines;
  if (from.step == 1) return read_pairs(x, reinterpret_cast<const T*>(data), RealStarts(from).starts, n);
  int64_t l = 0;
  if (from.adjacent()) {
    const int64_t whole = lines / kWide * kWide;
    for (int64_t k = 0; k < n; ++k)
      for (l = 0; l < whole; l += kWide) {
        const T* at = reinterpret_cast<const T*>(data + from.at[l] + k * from.step);
        Piece<T> a = load(at), b = load(at + kWide);
        split(a, b);
        store(x.re + k * lines + l, a), store(x.im + k * lines + l, b);
      }
    l = whole;
  }
  for (; l < lines; ++l)
    for (int64_t k = 0; k < n; ++k) {
      const std::complex<T> z = data[from.at[l] + k * from.step];
      x.re[k * lines + l] = z.real(), x.im[k * lines + l] = z.imag();
    }
}

// Writes `n` complex numbers of each line, times `scale`.
template <class T>
void write_lines(SplitComplex<T> y, std::complex<T>* data, const LineStarts& to, int64_t n, T scale) {
  using namespace fourier_lines;
  constexpr int64_t kWide = kPiece<T>;
  const int64_t lines = to.lines;
  if (to.step == 1) return write_pairs(y, reinterpret_cast<T*>(data), RealStarts(to).starts, n, scale);
  int64_t l = 0;
  if (to.adjacent()) {
    const int64_t whole = lines / kWide * kWide;
    for (int64_t k = 0; k < n; ++k)
      for (l = 0; l < whole; l += kWide) {
        Piece<T> a = load<T>(y.re + k * lines + l) * scale, b = load<T>(y.im + k * lines + l) * scale;
        join(a, b);
        T* at = reinterpret_cast<T*>(data + to.at[l] + k * to.step);
        store(at, a), store(at + kWide, b);
      }
    l = whole;
  }
  for (; l < lines; ++l)
    for (int64_t k = 0; k < n; ++k) data[to.at[l] + k * to.step] = {y.re[k * lines + l] * scale, y.im[k * lines + l] * scale};
}

// Reads `n` real numbers of each line into one array.
template <class T>
void read_lines(T* x, const T* data, const LineStarts& from, int64_t n) {
  if (from.adjacent()) {
    for (int64_t k = 0; k < n; ++k)
      std::memcpy(x + k * from.lines, data + from.at[0] + k * from.step, static_cast<size_t>(from.lines) * sizeof(T));
    return;
  }
  for (int64_t l = 0; l < from.lines; ++l)
    for (int64_t k = 0; k < n; ++k) x[k * from.lines + l] = data[from.at[l] + k * from.step];
}

// Writes `n` real numbers of each line, times `scale`.
template <class T>
void write_lines(const T* y, T* data, const LineStarts& to, int64_t n, T scale) {
  if (to.adjacent()) {
    for (int64_t k = 0; k < n; ++k)
      for (int64_t l = 0; l < to.lines; ++l) data[to.at[0] + k * to.step + l] = y[k * to.lines + l] * scale;
    return;
  }
  for (int64_t l = 0; l < to.lines; ++l)
    for (int64_t k = 0; k < n; ++k) data[to.at[l] + k * to.step] = y[k * to.lines + l] * scale;
}

}  // namespace monograph
