// Compiled once for each instruction set; MONOGRAPH_BLAS_LEVEL names its table. A vector has 64 bytes in all of them. A processor with shorter vectors takes
// several steps for it, so that lanes, and with them the order of sums, are the same. Nothing here is an inline function of a header: the linker could take
// such a function from the object of another instruction set.
#include "kernels/lapack/blas_loops.h"

#include "kernels/vector_types.h"

namespace monograph::blas {
namespace {

// An unaligned vector of this many bytes; of one element, the element.
template <class T, size_t kBytes> struct VectorOrNumber {
  using type = UnalignedVector<T, kBytes>;
};
template <> struct VectorOrNumber<float, 4> {
  using type = float;
};
template <> struct VectorOrNumber<double, 8> {
  using type = double;
};
template <class T, size_t kBytes = 64> using V = typename VectorOrNumber<T, kBytes>::type;
template <class T> constexpr ptrdiff_t kLanes = 64 / sizeof(T);

template <size_t kBytes = 64, class T> V<T, kBytes> load(const T* p) { return *reinterpret_cast<const V<T, kBytes>*>(p); }
template <size_t kBytes = 64, class T> void store(T* p, V<T, kBytes> v) { *reinterpret_cast<V<T, kBytes>*>(p) = v; }

// Adds the second half of the lanes to the first.
template <class T, size_t kBytes> V<T, kBytes / 2> folded(V<T, kBytes> v) {
  T lanes[kBytes / sizeof(T)];
  store<kBytes>(lanes, v);
  return load<kBytes / 2>(lanes) + load<kBytes / 2>(lanes + kBytes / 2 / sizeof(T));
}

// Calls f<bytes>(position) for parts of n elements: full vectors, then shorter ones for the rest, then single elements. It is inlined, and its callers
// capture by value: a store through a vector may write to any object, so that captured references would be loaded again at each step.
template <class T, class F> [[gnu::always_inline]] inline void each_part(ptrdiff_t n, F f) {
  ptrdiff_t i = 0;
  for (; i + kLanes<T> <= n; i += kLanes<T>) f.template operator()<64>(i);
  if ((n - i) & (kLanes<T> / 2)) f.template operator()<32>(i), i += kLanes<T> / 2;
  if ((n - i) & (kLanes<T> / 4)) f.template operator()<16>(i), i += kLanes<T> / 4;
  for (; i < n; ++i) f.template operator()<sizeof(T)>(i);
}

// The sum of the lanes, folded in halves, and of the last n products x * y (n < kLanes). Products of half a vector are added when half the lanes are left.
template <class T> T sum(V<T> whole, const T* x, const T* y, ptrdiff_t n) {
  V<T, 32> half = folded<T, 64>(whole);
  if (n & (kLanes<T> / 2)) half += load<32>(x) * load<32>(y), x += kLanes<T> / 2, y += kLanes<T> / 2;
  V<T, 16> quarter = folded<T, 32>(half);
  if (n & (kLanes<T> / 4)) quarter += load<16>(x) * load<16>(y), x += kLanes<T> / 4, y += kLanes<T> / 4;
  T s;
  if constexpr (sizeof(T) == 4) s = (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
  else s = quarter[0] + quarter[1];
  for (ptrdiff_t i = 0; i < n % (kLanes<T> / 4); ++i) s += x[i] * y[i];
  return s;
}

// --- Products: blocks of A and panels of B are copied, so that the innermost loop reads both in order.

constexpr ptrdiff_t kDepth = 128, kRows = 64, kColumns = 4, kWide = 128;  // kWide columns of B are packed for all rows of A

// to[p * step + q] = from[p + q * ld] for p < k, and for as many q as a vector of 16 bytes has elements: transposes small squares in registers.
template <class T> void turn(ptrdiff_t k, const T* from, ptrdiff_t ld, T* to, ptrdiff_t step) {
  ptrdiff_t p = 0;
  if constexpr (sizeof(T) == 4) {
    for (; p + 4 <= k; p += 4) {
      const V<T, 16> a = load<16>(from + p), b = load<16>(from + p + ld), c = load<16>(from + p + 2 * ld), d = load<16>(from + p + 3 * ld);
      const V<T, 16> ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
      const V<T, 16> ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
      store<16>(to + p * step, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
      store<16>(to + (p + 1) * step, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
      store<16>(to + (p + 2) * step, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
      store<16>(to + (p + 3) * step, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
    }
  } else {
    for (; p + 2 <= k; p += 2) {
      const V<T, 16> a = load<16>(from + p), b = load<16>(from + p + ld);
      store<16>(to + p * step, __builtin_shufflevector(a, b, 0, 2));
      store<16>(to + (p + 1) * step, __builtin_shufflevector(a, b, 1, 3));
    }
  }
  for (; p < k; ++p)
    for (ptrdiff_t q = 0; q < kLanes<T> / 4; ++q) to[p * step + q] = from[p + q * ld];
}

// Packs strips of kLanes rows of op(A), one after another; rows beyond m are zeros.
template <class T> void pack_rows(bool across, ptrdiff_t m, ptrdiff_t k, const T* a, ptrdiff_t lda, T* out) {
  for (ptrdiff_t i = 0; i < m; i += kLanes<T>, out += k * kLanes<T>) {
    const ptrdiff_t count = m - i < kLanes<T> ? m - i : kLanes<T>;
    if (count < kLanes<T>) {
      for (ptrdiff_t p = 0; p < k; ++p)
        for (ptrdiff_t r = 0; r < kLanes<T>; ++r)
          out[p * kLanes<T> + r] = r >= count ? T(0) : across ? a[p + (i + r) * lda] : a[i + r + p * lda];
    } else if (across) {
      for (ptrdiff_t r = 0; r < kLanes<T>; r += kLanes<T> / 4) turn(k, a + (i + r) * lda, lda, out + r, kLanes<T>);
    } else {
      for (ptrdiff_t p = 0; p < k; ++p) store(out + p * kLanes<T>, load(a + i + p * lda));
    }
  }
}

// Packs kColumns columns of op(B), row by row; columns beyond n are zeros.
template <class T> void pack_columns(bool across, ptrdiff_t k, ptrdiff_t n, const T* b, ptrdiff_t ldb, T* out) {
  if (n < kColumns) {
    for (ptrdiff_t p = 0; p < k; ++p)
      for (ptrdiff_t j = 0; j < kColumns; ++j) out[p * kColumns + j] = j >= n ? T(0) : across ? b[j + p * ldb] : b[p + j * ldb];
  } else if (across) {
    for (ptrdiff_t p = 0; p < k; ++p) store<kColumns * sizeof(T)>(out + p * kColumns, load<kColumns * sizeof(T)>(b + p * ldb));
  } else {
    for (ptrdiff_t j = 0; j < kColumns; j += kLanes<T> / 4) turn(k, b + j * ldb, ldb, out + j, kColumns);
  }
}

template <class T> void strip(ptrdiff_t k, const T* a, const T* b, T alpha, ptrdiff_t m, ptrdiff_t n, T* c, ptrdiff_t ldc) {
  V<T> c0 = {}, c1 = {}, c2 = {}, c3 = {};
  for (ptrdiff_t p = 0; p < k; ++p, a += kLanes<T>, b += kColumns) {
    const V<T> row = load(a);
    c0 += row * b[0], c1 += row * b[1], c2 += row * b[2], c3 += row * b[3];
  }
  const V<T> sums[kColumns] = {c0 * alpha, c1 * alpha, c2 * alpha, c3 * alpha};
  for (ptrdiff_t j = 0; j < n; ++j, c += ldc) {
    if (m >= kLanes<T>) {
      store(c, load(c) + sums[j]);
      continue;
    }
    T lanes[kLanes<T>];
    store(lanes, sums[j]);
    for (ptrdiff_t i = 0; i < m; ++i) c[i] += lanes[i];
  }
}

template <class T>
void gemm(bool across_a, bool across_b, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, T alpha, const T* a, ptrdiff_t lda, const T* b,
          ptrdiff_t ldb, T* c, ptrdiff_t ldc) {
  alignas(64) T rows[kRows * kDepth], panels[kWide * kDepth];
  for (ptrdiff_t p = 0; p < k; p += kDepth) {
    const ptrdiff_t depth = k - p < kDepth ? k - p : kDepth;
    for (ptrdiff_t from = 0; from < n; from += kWide) {
      const ptrdiff_t wide = n - from < kWide ? n - from : kWide;
      for (ptrdiff_t j = 0; j < wide; j += kColumns) {
        const ptrdiff_t column = from + j;
        pack_columns(across_b, depth, wide - j, across_b ? b + column + p * ldb : b + p + column * ldb, ldb, panels + j * depth);
      }
      for (ptrdiff_t i = 0; i < m; i += kRows) {
        const ptrdiff_t height = m - i < kRows ? m - i : kRows;
        pack_rows(across_a, height, depth, across_a ? a + p + i * lda : a + i + p * lda, lda, rows);
        for (ptrdiff_t r = 0; r < height; r += kLanes<T>)
          for (ptrdiff_t j = 0; j < wide; j += kColumns) {
            const ptrdiff_t width = wide - j < kColumns ? wide - j : kColumns;
            strip(depth, rows + r * depth, panels + j * depth, alpha, height - r, width, c + i + r + (from + j) * ldc, ldc);
          }
      }
    }
  }
}

// --- Vectors.

template <class T> void axpy(ptrdiff_t n, T alpha, const T* x, T* y) {
  each_part<T>(n, [=]<size_t kPart>(ptrdiff_t i) { store<kPart>(y + i, load<kPart>(y + i) + load<kPart>(x + i) * alpha); });
}
template <class T> void scal(ptrdiff_t n, T alpha, T* x) {
  each_part<T>(n, [=]<size_t kPart>(ptrdiff_t i) { store<kPart>(x + i, load<kPart>(x + i) * alpha); });
}
template <class T> T dot(ptrdiff_t n, const T* x, const T* y) {
  V<T> s = {};
  const ptrdiff_t whole = n - n % kLanes<T>;
  for (ptrdiff_t i = 0; i < whole; i += kLanes<T>) s += load(x + i) * load(y + i);
  return sum<T>(s, x + whole, y + whole, n - whole);
}

// A vector with a step is copied to contiguous memory in pieces.
constexpr ptrdiff_t kPiece = 512;
template <class T> const T* gathered(const T* x, ptrdiff_t inc, ptrdiff_t n, T* room) {
  if (inc == 1) return x;
  for (ptrdiff_t i = 0; i < n; ++i) room[i] = x[i * inc];
  return room;
}

// Adds columns of A times numbers, four columns at a time.
template <class T> void add_columns(ptrdiff_t m, ptrdiff_t n, T alpha, const T* a, ptrdiff_t lda, const T* x, ptrdiff_t incx, T* y) {
  ptrdiff_t j = 0;
  for (; j + 4 <= n; j += 4, a += 4 * lda) {
    const T x0 = alpha * x[j * incx], x1 = alpha * x[(j + 1) * incx], x2 = alpha * x[(j + 2) * incx], x3 = alpha * x[(j + 3) * incx];
    each_part<T>(m, [=]<size_t kPart>(ptrdiff_t i) {
      const T* c = a + i;
      V<T, kPart> v = load<kPart>(y + i) + load<kPart>(c) * x0 + load<kPart>(c + lda) * x1;
      v = v + load<kPart>(c + 2 * lda) * x2 + load<kPart>(c + 3 * lda) * x3;
      store<kPart>(y + i, v);
    });
  }
  for (; j < n; ++j, a += lda) axpy(m, alpha * x[j * incx], a, y);
}
template <class T> void gemv(ptrdiff_t m, ptrdiff_t n, T alpha, const T* a, ptrdiff_t lda, const T* x, ptrdiff_t incx, T* y,
                             ptrdiff_t incy) {
  if (incy == 1) return add_columns(m, n, alpha, a, lda, x, incx, y);
  T room[kPiece];
  for (ptrdiff_t i = 0; i < m; i += kPiece) {
    const ptrdiff_t count = m - i < kPiece ? m - i : kPiece;
    gathered(y + i * incy, incy, count, room);
    add_columns(count, n, alpha, a + i, lda, x, incx, room);
    for (ptrdiff_t k = 0; k < count; ++k) y[(i + k) * incy] = room[k];
  }
}

template <class T> void gemv_across(ptrdiff_t m, ptrdiff_t n, T alpha, const T* a, ptrdiff_t lda, const T* x, ptrdiff_t incx, T* y,
                                    ptrdiff_t incy) {
  T room[kPiece];
  for (ptrdiff_t i = 0; i < m; i += kPiece, a += kPiece) {
    const ptrdiff_t count = m - i < kPiece ? m - i : kPiece, whole = count - count % kLanes<T>;
    const T* piece = gathered(x + i * incx, incx, count, room);
    const T* column = a;
    ptrdiff_t j = 0;
    for (; j + 4 <= n; j += 4, column += 4 * lda) {
      V<T> s[4] = {};
      for (ptrdiff_t r = 0; r < whole; r += kLanes<T>) {
        const V<T> v = load(piece + r);
        for (ptrdiff_t q = 0; q < 4; ++q) s[q] += load(column + r + q * lda) * v;
      }
      for (ptrdiff_t q = 0; q < 4; ++q) y[(j + q) * incy] += alpha * sum<T>(s[q], column + whole + q * lda, piece + whole, count - whole);
    }
    for (; j < n; ++j, column += lda) y[j * incy] += alpha * dot(count, column, piece);
  }
}

template <class T> void ger(ptrdiff_t m, ptrdiff_t n, T alpha, const T* x, ptrdiff_t incx, const T* y, ptrdiff_t incy, T* a,
                            ptrdiff_t lda) {
  T room[kPiece];
  for (ptrdiff_t i = 0; i < m; i += kPiece) {
    const ptrdiff_t count = m - i < kPiece ? m - i : kPiece;
    const T* piece = gathered(x + i * incx, incx, count, room);
    for (ptrdiff_t j = 0; j < n; ++j) axpy(count, alpha * y[j * incy], piece, a + i + j * lda);
  }
}

// Column j of the triangle is added to y below (or above) the diagonal, and its product with x is added to y[j].
template <class T> void symv(bool lower, ptrdiff_t n, T alpha, const T* a, ptrdiff_t lda, const T* x, T* y) {
  for (ptrdiff_t j = 0; j < n; ++j, a += lda) {
    const ptrdiff_t from = lower ? j + 1 : 0, to = lower ? n : j;
    const T t = alpha * x[j];
    V<T> s = {};
    each_part<T>(to - from, [=, &s]<size_t kPart>(ptrdiff_t i) {
      const V<T, kPart> column = load<kPart>(a + from + i);
      store<kPart>(y + from + i, load<kPart>(y + from + i) + column * t);
      if constexpr (kPart == 64) s += column * load(x + from + i);
    });
    const ptrdiff_t rest = (to - from) % kLanes<T>;
    y[j] += t * a[j] + alpha * sum<T>(s, a + to - rest, x + to - rest, rest);
  }
}

template <class T> void syr2(bool lower, ptrdiff_t n, T alpha, const T* x, const T* y, T* a, ptrdiff_t lda) {
  for (ptrdiff_t j = 0; j < n; ++j, a += lda) {
    const ptrdiff_t from = lower ? j : 0, to = lower ? n : j + 1;
    const T ty = alpha * y[j], tx = alpha * x[j];
    each_part<T>(to - from, [=]<size_t kPart>(ptrdiff_t i) {
      i += from;
      store<kPart>(a + i, load<kPart>(a + i) + load<kPart>(x + i) * ty + load<kPart>(y + i) * tx);
    });
  }
}

// --- Triangles of at most kTriangle rows. From the left, kLanes columns of B are transposed, so that a vector holds one row of them.

template <class T> T element(const T* a, ptrdiff_t lda, bool across, ptrdiff_t i, ptrdiff_t j) {
  return across ? a[j + i * lda] : a[i + j * lda];
}

template <class T, class F> void each_columns(ptrdiff_t m, ptrdiff_t n, T* b, ptrdiff_t ldb, const F& f) {
  for (ptrdiff_t j = 0; j < n; j += kLanes<T>, b += kLanes<T> * ldb) {
    const ptrdiff_t count = n - j < kLanes<T> ? n - j : kLanes<T>;
    T turned[kTriangle * kLanes<T>] = {};
    for (ptrdiff_t c = 0; c < count; ++c)
      for (ptrdiff_t i = 0; i < m; ++i) turned[i * kLanes<T> + c] = b[i + c * ldb];
    V<T> rows[kTriangle];
    for (ptrdiff_t i = 0; i < m; ++i) rows[i] = load(turned + i * kLanes<T>);
    f(rows);
    for (ptrdiff_t i = 0; i < m; ++i) store(turned + i * kLanes<T>, rows[i]);
    for (ptrdiff_t c = 0; c < count; ++c)
      for (ptrdiff_t i = 0; i < m; ++i) b[i + c * ldb] = turned[i * kLanes<T> + c];
  }
}

template <class T>
void solve(bool left, bool lower, bool across, bool unit, ptrdiff_t m, ptrdiff_t n, const T* a, ptrdiff_t lda, T* b, ptrdiff_t ldb) {
  const bool down = lower != across;  // whether op(A) is a lower triangle
  if (left) {
    each_columns(m, n, b, ldb, [&](V<T>* rows) {
      for (ptrdiff_t step = 0; step < m; ++step) {
        const ptrdiff_t i = down ? step : m - 1 - step;
        V<T> row = rows[i];
        for (ptrdiff_t k = down ? 0 : i + 1; k < (down ? i : m); ++k) row -= rows[k] * element(a, lda, across, i, k);
        rows[i] = unit ? row : row / element(a, lda, across, i, i);
      }
    });
    return;
  }
  for (ptrdiff_t step = 0; step < n; ++step) {
    const ptrdiff_t j = down ? n - 1 - step : step;
    for (ptrdiff_t k = down ? j + 1 : 0; k < (down ? n : j); ++k) axpy(m, -element(a, lda, across, k, j), b + k * ldb, b + j * ldb);
    if (unit) continue;
    const T by = element(a, lda, across, j, j);
    T* column = b + j * ldb;
    each_part<T>(m, [=]<size_t kPart>(ptrdiff_t i) { store<kPart>(column + i, load<kPart>(column + i) / by); });
  }
}

template <class T>
void multiply(bool left, bool lower, bool across, bool unit, ptrdiff_t m, ptrdiff_t n, const T* a, ptrdiff_t lda, T* b, ptrdiff_t ldb) {
  const bool down = lower != across;
  if (left) {
    each_columns(m, n, b, ldb, [&](V<T>* rows) {
      for (ptrdiff_t step = 0; step < m; ++step) {
        const ptrdiff_t i = down ? m - 1 - step : step;
        V<T> row = unit ? rows[i] : rows[i] * element(a, lda, across, i, i);
        for (ptrdiff_t k = down ? 0 : i + 1; k < (down ? i : m); ++k) row += rows[k] * element(a, lda, across, i, k);
        rows[i] = row;
      }
    });
    return;
  }
  for (ptrdiff_t step = 0; step < n; ++step) {
    const ptrdiff_t j = down ? step : n - 1 - step;
    if (!unit) scal(m, element(a, lda, across, j, j), b + j * ldb);
    for (ptrdiff_t k = down ? j + 1 : 0; k < (down ? n : j); ++k) axpy(m, element(a, lda, across, k, j), b + k * ldb, b + j * ldb);
  }
}

template <class T> constexpr BlasLoops<T> kLoops = {gemm<T>, gemv<T>, gemv_across<T>, ger<T>,   symv<T>,    syr2<T>,
                                                    axpy<T>, scal<T>, dot<T>,         solve<T>, multiply<T>};

}  // namespace

template <> const BlasLoops<float> LoopTables<float>::MONOGRAPH_BLAS_LEVEL = kLoops<float>;
template <> const BlasLoops<double> LoopTables<double>::MONOGRAPH_BLAS_LEVEL = kLoops<double>;

}  // namespace monograph::blas
