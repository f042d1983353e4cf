// LAPACK's factorizations over batches: load a matrix, call the routine, store the result.
#include "kernels/factorizations.h"

#include "kernels/grain.h"
#include "kernels/lapack.h"
#include "kernels/matrices.h"
#include "kernels/round.h"

namespace monograph {
namespace {

// --- LU and Cholesky.

template <class T>
KernelStatus cholesky(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const bool upper = call.args[1].boolean, checks = call.args[2].boolean;
  const Batch batch(self, 2);
  const int n = static_cast<int>(self.sizes[self.dim - 1]);
  T* a = Workspace(call.scratch).take<T>(int64_t{n} * n);
  for (int64_t k = 0; k < batch.count; ++k) {
    load(batch.matrix<T>(self, k), a, n);
    int info = 0;
    lapack::potrf(upper ? 'U' : 'L', n, a, at_least_one(n), info);
    clear_triangle(a, n, n, !upper);
    store(a, n, batch.matrix<T>(out, k));
    call.results[1].as<int>()[k] = info;
    if (checks && info) return refuse(call, batch, k, info);
  }
  return KernelStatus::Ok;
}

template <class T>
KernelStatus lu_factor(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const bool checks = call.args[2].boolean;
  const Batch batch(self, 2);
  const int m = static_cast<int>(self.sizes[self.dim - 2]), n = static_cast<int>(self.sizes[self.dim - 1]);
  T* a = Workspace(call.scratch).take<T>(int64_t{m} * n);
  for (int64_t k = 0; k < batch.count; ++k) {
    load(batch.matrix<T>(self, k), a, m);
    int info = 0;
    lapack::getrf(m, n, a, at_least_one(m), call.results[1].as<int>() + k * std::min(m, n), info);
    store(a, m, batch.matrix<T>(out, k));
    call.results[2].as<int>()[k] = info;
    if (checks && info) return refuse(call, batch, k, info);
  }
  return KernelStatus::Ok;
}

// The first row exchange that is not in 1 .. n; 1 (which is valid) if there is none.
int wrong_exchange(const MatrixAt<int>& pivots, int64_t n) {
  for (int64_t i = 0; i < pivots.rows; ++i)
    if (const int row = pivots.data[i * pivots.row]; row < 1 || row > n) return row;
  return 1;
}

// The row that each row of the factors comes from. Exchanges are counted from 1.
void permutation(const MatrixAt<int>& pivots, int64_t m, int* rows) {
  for (int64_t i = 0; i < m; ++i) rows[i] = static_cast<int>(i);
  for (int64_t i = 0; i < pivots.rows; ++i) {
    const int64_t other = int64_t{pivots.data[i * pivots.row]} - 1;
    std::swap(rows[i], rows[other]);
  }
}

// The lower or upper triangle of `from`, with zeros beside it, for rows [begin, end). `unit`: its diagonal is 1.
template <class T>
void triangle_rows(const MatrixAt<T>& to, const MatrixAt<T>& from, bool lower, bool unit, int64_t begin, int64_t end) {
  const bool runs = to.column == 1 && from.column == 1;
  for (int64_t i = begin; i < end; ++i) {
    T* row = to.data + i * to.row;
    const T* source = from.data + i * from.row;
    const int64_t border = std::min(lower ? i + 1 : i, to.columns);  // of the columns that the lower triangle has, or the upper one lacks
    const int64_t first = lower ? 0 : border, last = lower ? border : to.columns;
    if (runs) std::copy(source + first, source + last, row + first);
    else
      for (int64_t j = first; j < last; ++j) row[j * to.column] = source[j * from.column];
    for (int64_t j = lower ? border : 0, stop = lower ? to.columns : border; j < stop; ++j) row[j * to.column] = T(0);
    if (unit && i < to.columns) row[i * to.column] = T(1);
  }
}

constexpr int64_t kMoveCost = 2;  // instructions for an element that is copied

template <class T>
void unpack_triangle(MatrixAt<T> to, MatrixAt<T> from, bool lower, bool unit) {
  if (to.row < to.column) to = to.transposed(), from = from.transposed(), lower = !lower;
  share_steps(kMoveCost, to.rows, to.columns, [&](int64_t begin, int64_t end) { triangle_rows(to, from, lower, unit, begin, end); });
}

// P has a 1 in column j of row rows[j].
template <class T>
void unpack_permutation(const MatrixAt<T>& p, const int* rows) {
  const MatrixAt<T> zeros = p.row < p.column ? p.transposed() : p;
  share_steps(kMoveCost, zeros.rows, zeros.columns, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      for (int64_t j = 0; j < zeros.columns; ++j) zeros.data[i * zeros.row + j * zeros.column] = T(0);
  });
  for (int64_t j = 0; j < p.columns; ++j) p.data[rows[j] * p.row + j * p.column] = T(1);
}

template <class T>
KernelStatus lu_unpack(KernelCall& call) {
  const KernelTensor &lu = call.args[0].tensor, &pivots = call.args[1].tensor;
  const KernelTensor &p = call.results[0], &l = call.results[1], &u = call.results[2];
  const Batch batch(lu, 2);
  const int64_t m = lu.sizes[lu.dim - 2];
  int* rows = Workspace(call.scratch).take<int>(m);
  for (int64_t k = 0; k < batch.count; ++k) {
    const auto from = batch.matrix<T>(lu, k);
    if (call.args[2].boolean) {
      unpack_triangle(batch.matrix<T>(l, k), from, true, true);
      unpack_triangle(batch.matrix<T>(u, k), from, false, false);
    }
    if (!call.args[3].boolean) continue;
    const auto exchanges = batch.column<int>(pivots, k);
    if (const int wrong = wrong_exchange(exchanges, m); wrong != 1) return call.fail(wrong, m);
    permutation(exchanges, m, rows);
    unpack_permutation(batch.matrix<T>(p, k), rows);
  }
  return KernelStatus::Ok;
}

template <class T>
struct LdlWork {
  T *a, *work;
  int size;
  LdlWork(Workspace& w, int n) {
    T nothing{}, hermitian{}, symmetric{};
    int info = 0, pivot = 0;
    lapack::hetrf('L', n, &nothing, at_least_one(n), &pivot, &hermitian, -1, info);
    lapack::sytrf('L', n, &nothing, at_least_one(n), &pivot, &symmetric, -1, info);
    size = std::max(work_size(hermitian), work_size(symmetric));
    a = w.take<T>(int64_t{n} * n), work = w.take<T>(size);
  }
};

template <class T>
KernelStatus ldl_factor(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const bool hermitian = call.args[1].boolean, checks = call.args[2].boolean;
  const Batch batch(self, 2);
  const int n = static_cast<int>(self.sizes[self.dim - 1]);
  Workspace w(call.scratch);
  const LdlWork<T> work(w, n);
  for (int64_t k = 0; k < batch.count; ++k) {
    load(batch.matrix<T>(self, k), work.a, n);
    int info = 0, *pivots = call.results[1].as<int>() + k * n;
    if (hermitian) lapack::hetrf('L', n, work.a, at_least_one(n), pivots, work.work, work.size, info);
    else lapack::sytrf('L', n, work.a, at_least_one(n), pivots, work.work, work.size, info);
    clear_triangle(work.a, n, n, true);
    store(work.a, n, batch.matrix<T>(out, k));
    call.results[2].as<int>()[k] = info;
    if (checks && info) return refuse(call, batch, k, info);
  }
  return KernelStatus::Ok;
}

// --- Systems of equations.

// The scratch memory: a square matrix, right-hand sides and pivots.
template <class T>
struct System {
  T *a, *b;
  int* pivots;
  System(Workspace& w, int64_t n, int64_t columns) : a(w.take<T>(n * n)), b(w.take<T>(n * columns)), pivots(w.take<int>(n)) {}
};

// Solves A X = B, or X A = B as A.T X.T = B.T. B may be a batch of vectors. A matrix with several right-hand sides is factored once.
template <class T>
KernelStatus solve(KernelCall& call) {
  const KernelTensor &a = call.args[0].tensor, &b = call.args[1].tensor, &x = call.results[0], &lu = call.results[1];
  const KernelTensor &pivots = call.results[2], &infos = call.results[3];
  const bool left = call.args[2].boolean, checks = call.args[3].boolean, vector = vectors_beside(a, b);
  const Batch batch(x, vector ? 1 : 2);
  const int n = static_cast<int>(lu.sizes[lu.dim - 1]);
  const auto columns = static_cast<int>(vector ? 1 : x.sizes[x.dim - (left ? 1 : 2)]);
  Workspace w(call.scratch);
  const System<T> s(w, n, columns);
  std::fill_n(infos.as<int>(), infos.numel(), 0);
  auto factor = [&](const Batch& by, int64_t k) {
    int info = 0;
    load(by.matrix<T>(a, k), s.a, n);
    lapack::getrf(n, n, s.a, at_least_one(n), s.pivots, info);
    store(s.a, n, by.matrix<T>(lu, k));
    store(s.pivots, n, by.column<int>(pivots, k));
    return infos.as<int>()[by.offset(infos, 0, k)] = info;
  };
  if (batch.count == 0) {  // nothing to solve, but the factors of each matrix are results, too
    const Batch matrices(lu, 2);
    for (int64_t k = 0; k < matrices.count; ++k) factor(matrices, k);
  }
  int64_t factored = -1;
  for (int64_t k = 0; k < batch.count; ++k) {
    auto side = [&](const KernelTensor& t) {
      if (vector) return batch.column<T>(t, k);
      return left ? batch.matrix<T>(t, k) : batch.matrix<T>(t, k).transposed();
    };
    if (const int64_t at = batch.offset(infos, 0, k); at != factored) {
      const int info = factor(batch, k);
      factored = at;
      if (checks && info) return call.fail(info, 0, at, infos.dim ? KernelStatus::BadSecond : KernelStatus::BadValue);
    }
    load(side(b), s.b, n);
    int solved = 0;
    lapack::getrs(left ? 'N' : 'T', n, columns, s.a, at_least_one(n), s.pivots, s.b, at_least_one(n), solved);
    store(s.b, n, side(x));
  }
  return KernelStatus::Ok;
}

template <class T>
KernelStatus inverse(KernelCall& call) {
  const KernelTensor &a = call.args[0].tensor, &out = call.results[0];
  const bool checks = call.args[1].boolean;
  const Batch batch(a, 2);
  const int n = static_cast<int>(a.sizes[a.dim - 1]);
  Workspace w(call.scratch);
  const System<T> s(w, n, n);
  for (int64_t k = 0; k < batch.count; ++k) {
    load(batch.matrix<T>(a, k), s.a, n);
    fill_identity(s.b, n);
    int info = 0, solved = 0;
    lapack::getrf(n, n, s.a, at_least_one(n), s.pivots, info);
    call.results[1].as<int>()[k] = info;
    if (checks && info) return refuse(call, batch, k, info);
    lapack::getrs('N', n, n, s.a, at_least_one(n), s.pivots, s.b, at_least_one(n), solved);
    store(s.b, n, batch.matrix<T>(out, k));
  }
  return KernelStatus::Ok;
}

// X A = B is solved as its adjoint, A.H X.H = B.H.
template <class T>
KernelStatus lu_solve(KernelCall& call) {
  const KernelTensor &lu = call.args[0].tensor, &pivots = call.args[1].tensor, &b = call.args[2].tensor, &x = call.results[0];
  const bool left = call.args[3].boolean, adjoint = call.args[4].boolean;
  const Batch batch(x, 2);
  const int n = static_cast<int>(lu.sizes[lu.dim - 1]), columns = static_cast<int>(x.sizes[x.dim - (left ? 1 : 2)]);
  Workspace w(call.scratch);
  const System<T> s(w, n, columns);
  for (int64_t k = 0; k < batch.count; ++k) {
    load(batch.matrix<T>(lu, k), s.a, n);
    const auto own = batch.column<int>(pivots, k);
    if (const int wrong = wrong_exchange(own, n); wrong != 1)
      return call.fail(wrong, n, -1, wrong < 1 ? KernelStatus::BadValue : KernelStatus::BadSecond);
    for (int i = 0; i < n; ++i) s.pivots[i] = own.data[i * own.row];
    const auto from = batch.matrix<T>(b, k), to = batch.matrix<T>(x, k);
    if (left) load(from, s.b, n);
    else load<true>(from.transposed(), s.b, n);
    int info = 0;
    lapack::getrs(left == adjoint ? 'C' : 'N', n, columns, s.a, at_least_one(n), s.pivots, s.b, at_least_one(n), info);
    if (left) store(s.b, n, to);
    else store<true>(s.b, n, to.transposed());
  }
  return KernelStatus::Ok;
}

template <class T>
KernelStatus triangular(KernelCall& call) {
  const KernelTensor &a = call.args[0].tensor, &b = call.args[1].tensor, &x = call.results[0];
  const bool upper = call.args[2].boolean, left = call.args[3].boolean, unit = call.args[4].boolean;
  const Batch batch(x, 2);
  const int n = static_cast<int>(a.sizes[a.dim - 1]), rows = static_cast<int>(x.sizes[x.dim - 2]),
            columns = static_cast<int>(x.sizes[x.dim - 1]);
  Workspace w(call.scratch);
  const System<T> s(w, n, left ? columns : rows);
  for (int64_t k = 0; k < batch.count; ++k) {
    load(batch.matrix<T>(a, k), s.a, n);
    load(batch.matrix<T>(b, k), s.b, rows);
    lapack::trsm(left ? 'L' : 'R', upper ? 'U' : 'L', 'N', unit ? 'U' : 'N', rows, columns, s.a, at_least_one(n), s.b, at_least_one(rows));
    store(s.b, rows, batch.matrix<T>(x, k));
  }
  return KernelStatus::Ok;
}

template <class T>
KernelStatus ldl_solve(KernelCall& call) {
  const KernelTensor &ld = call.args[0].tensor, &pivots = call.args[1].tensor, &b = call.args[2].tensor, &x = call.results[0];
  const Batch batch(x, 2);
  const int n = static_cast<int>(ld.sizes[ld.dim - 1]), columns = static_cast<int>(x.sizes[x.dim - 1]);
  Workspace w(call.scratch);
  const System<T> s(w, n, columns);
  for (int64_t k = 0; k < batch.count; ++k) {
    load(batch.matrix<T>(ld, k), s.a, n);
    load(batch.matrix<T>(b, k), s.b, n);
    const auto own = batch.column<int>(pivots, k);
    for (int i = 0; i < n; ++i) {  // LAPACK marks blocks of two rows by negative pivots
      const int p = own.data[i * own.row];
      s.pivots[i] = p < 0 ? std::clamp(p, -n, -1) : std::clamp(p, 1, n);
    }
    // A part of the columns stays in the cache while the routine goes through the factors.
    constexpr int kColumns = 32;
    share_steps(int64_t{n} * n, divide_up(columns, kColumns), kColumns, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        const int first = static_cast<int>(part) * kColumns, count = std::min(kColumns, columns - first);
        T* own = s.b + int64_t{first} * n;
        int info = 0;
        if (call.args[3].boolean) lapack::hetrs('L', n, count, s.a, at_least_one(n), s.pivots, own, at_least_one(n), info);
        else lapack::sytrs('L', n, count, s.a, at_least_one(n), s.pivots, own, at_least_one(n), info);
      }
    });
    store(s.b, n, batch.matrix<T>(x, k));
  }
  return KernelStatus::Ok;
}

// --- QR.

template <class T>
struct QrWork {
  T *a, *tau, *work;
  int size;
  // Space for the m × n matrix, reused for the m × columns matrix Q.
  QrWork(Workspace& w, int m, int n, int columns) {
    const int k = std::min(m, n), wide = std::max(n, columns);
    T answer{}, nothing{};
    int info = 0;
    lapack::geqrf(m, n, &nothing, at_least_one(m), &nothing, &answer, -1, info);
    size = work_size(answer);
    lapack::ungqr(m, columns, std::min(k, columns), &nothing, at_least_one(m), &nothing, &answer, -1, info);
    size = std::max({size, work_size(answer), 1});
    a = w.take<T>(int64_t{m} * wide), tau = w.take<T>(k), work = w.take<T>(size);
  }
};

template <class T>
KernelStatus qr(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &q = call.results[0], &r = call.results[1];
  const Batch batch(self, 2);
  const int m = static_cast<int>(self.sizes[self.dim - 2]), n = static_cast<int>(self.sizes[self.dim - 1]), k = std::min(m, n);
  const bool wants_q = q.dim >= 2;
  const int columns = wants_q ? static_cast<int>(q.sizes[q.dim - 1]) : 0;
  Workspace w(call.scratch);
  const QrWork<T> s(w, m, n, columns);
  for (int64_t b = 0; b < batch.count; ++b) {
    load(batch.matrix<T>(self, b), s.a, m);
    int info = 0;
    lapack::geqrf(m, n, s.a, at_least_one(m), s.tau, s.work, s.size, info);
    const auto to = batch.matrix<T>(r, b);
    for (int64_t j = 0; j < to.columns; ++j)
      for (int64_t i = 0; i < to.rows; ++i) to.data[i * to.row + j * to.column] = i <= j ? s.a[j * m + i] : T(0);
    if (!wants_q) continue;
    lapack::ungqr(m, columns, std::min(k, columns), s.a, at_least_one(m), s.tau, s.work, s.size, info);
    store(s.a, m, batch.matrix<T>(q, b));
  }
  return KernelStatus::Ok;
}

template <class T>
KernelStatus geqrf(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0], &tau = call.results[1];
  const Batch batch(self, 2);
  const int m = static_cast<int>(self.sizes[self.dim - 2]), n = static_cast<int>(self.sizes[self.dim - 1]);
  Workspace w(call.scratch);
  const QrWork<T> s(w, m, n, std::min(m, n));
  for (int64_t b = 0; b < batch.count; ++b) {
    load(batch.matrix<T>(self, b), s.a, m);
    int info = 0;
    lapack::geqrf(m, n, s.a, at_least_one(m), s.tau, s.work, s.size, info);
    store(s.a, m, batch.matrix<T>(out, b));
    store(s.tau, std::min(m, n), batch.column<T>(tau, b));
  }
  return KernelStatus::Ok;
}

template <class T>
KernelStatus householder_product(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &tau = call.args[1].tensor, &out = call.results[0];
  const Batch batch(out, 2);
  const int m = static_cast<int>(out.sizes[out.dim - 2]), n = static_cast<int>(out.sizes[out.dim - 1]),
            k = static_cast<int>(tau.sizes[tau.dim - 1]);
  Workspace w(call.scratch);
  const QrWork<T> s(w, m, n, n);
  for (int64_t b = 0; b < batch.count; ++b) {
    load(batch.matrix<T>(self, b), s.a, m);
    load(batch.column<T>(tau, b), s.tau, k);
    int info = 0;
    lapack::ungqr(m, n, k, s.a, at_least_one(m), s.tau, s.work, s.size, info);
    store(s.a, m, batch.matrix<T>(out, b));
  }
  return KernelStatus::Ok;
}

template <class T>
struct OrmqrWork {
  T *a, *tau, *c, *work;
  int size;
  OrmqrWork(Workspace& w, int rows, int count, int m, int n) {
    T answer{}, nothing{};
    int info = 0;
    size = 1;
    for (char side : {'L', 'R'}) {
      if ((side == 'L' ? m : n) != rows) continue;
      lapack::unmqr(side, false, m, n, count, &nothing, at_least_one(rows), &nothing, &nothing, at_least_one(m), &answer, -1, info);
      size = std::max(size, work_size(answer));
    }
    a = w.take<T>(int64_t{rows} * count), tau = w.take<T>(count), c = w.take<T>(int64_t{m} * n), work = w.take<T>(size);
  }
};

template <class T>
KernelStatus ormqr(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &tau = call.args[1].tensor, &other = call.args[2].tensor, &out = call.results[0];
  const bool left = call.args[3].boolean, adjoint = call.args[4].boolean;
  const Batch batch(out, 2);
  const int rows = static_cast<int>(self.sizes[self.dim - 2]), count = static_cast<int>(tau.sizes[tau.dim - 1]);
  const int m = static_cast<int>(out.sizes[out.dim - 2]), n = static_cast<int>(out.sizes[out.dim - 1]);
  Workspace w(call.scratch);
  const OrmqrWork<T> s(w, rows, count, m, n);
  for (int64_t b = 0; b < batch.count; ++b) {
    auto reflections = batch.matrix<T>(self, b);
    reflections.columns = count;
    load(reflections, s.a, rows);
    load(batch.column<T>(tau, b), s.tau, count);
    load(batch.matrix<T>(other, b), s.c, m);
    int info = 0;
    lapack::unmqr(left ? 'L' : 'R', adjoint, m, n, count, s.a, at_least_one(rows), s.tau, s.c, at_least_one(m), s.work, s.size, info);
    store(s.c, m, batch.matrix<T>(out, b));
  }
  return KernelStatus::Ok;
}

}  // namespace

int64_t square_scratch(DType t, int64_t n) {
  return scratch_of(t, [&](Workspace& w, auto zero) { w.take<decltype(zero)>(n * n); });
}
int64_t lu_scratch(DType t, int64_t m, int64_t n) {
  return scratch_of(t, [&](Workspace& w, auto zero) { w.take<decltype(zero)>(m * n); });
}
int64_t ldl_scratch(DType t, int64_t n) {
  return scratch_of(t, [&](Workspace& w, auto zero) { LdlWork<decltype(zero)>(w, static_cast<int>(n)); });
}
int64_t solve_scratch(DType t, int64_t n, int64_t columns) {
  return scratch_of(t, [&](Workspace& w, auto zero) { System<decltype(zero)>(w, n, columns); });
}
int64_t qr_scratch(DType t, int64_t m, int64_t n, int64_t columns) {
  return scratch_of(
      t, [&](Workspace& w, auto zero) { QrWork<decltype(zero)>(w, static_cast<int>(m), static_cast<int>(n), static_cast<int>(columns)); });
}
int64_t ormqr_scratch(DType t, int64_t rows, int64_t count, int64_t m, int64_t n) {
  return scratch_of(t, [&](Workspace& w, auto zero) {
    OrmqrWork<decltype(zero)>(w, static_cast<int>(rows), static_cast<int>(count), static_cast<int>(m), static_cast<int>(n));
  });
}

#define MONOGRAPH_LAPACK_KERNEL(name, function) \
  KernelStatus name(KernelCall& call) { \
    KernelStatus status = KernelStatus::Ok; \
    with_lapack_type(call.args[0].tensor.dtype, [&](auto zero) { status = function<decltype(zero)>(call); }); \
    return status; \
  }
MONOGRAPH_LAPACK_KERNEL(cholesky_kernel, cholesky)
MONOGRAPH_LAPACK_KERNEL(lu_factor_kernel, lu_factor)
MONOGRAPH_LAPACK_KERNEL(lu_unpack_kernel, lu_unpack)
MONOGRAPH_LAPACK_KERNEL(ldl_factor_kernel, ldl_factor)
MONOGRAPH_LAPACK_KERNEL(solve_kernel, solve)
MONOGRAPH_LAPACK_KERNEL(inverse_kernel, inverse)
MONOGRAPH_LAPACK_KERNEL(lu_solve_kernel, lu_solve)
MONOGRAPH_LAPACK_KERNEL(triangular_kernel, triangular)
MONOGRAPH_LAPACK_KERNEL(ldl_solve_kernel, ldl_solve)
MONOGRAPH_LAPACK_KERNEL(qr_kernel, qr)
MONOGRAPH_LAPACK_KERNEL(geqrf_kernel, geqrf)
MONOGRAPH_LAPACK_KERNEL(householder_product_kernel, householder_product)
MONOGRAPH_LAPACK_KERNEL(ormqr_kernel, ormqr)
#undef MONOGRAPH_LAPACK_KERNEL

}  // namespace monograph
