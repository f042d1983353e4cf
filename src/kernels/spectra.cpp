// LAPACK's eigenvalues, singular values and least squares over batches; the matrix exponential by scaling and squaring.
#include "kernels/spectra.h"

#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "kernels/grain.h"
#include "kernels/lapack.h"
#include "kernels/matrices.h"

namespace monograph {
namespace {

using lapack::RealOfType;

template <class T>
bool all_finite(const T* x, int64_t n) {
  return std::all_of(x, x + n, [](T e) { return std::isfinite(std::real(e)) && std::isfinite(std::imag(e)); });
}

// --- Hermitian matrices.

template <class T>
struct EighWork {
  T *a, *work;
  RealOfType<T>*values, *real_work;
  int *int_work, size, real_size, int_size;
  EighWork(Workspace& w, int n, bool vectors) {
    T answer{}, nothing{};
    RealOfType<T> value{}, real_answer{};
    int info = 0;
    lapack::heevd(vectors ? 'V' : 'N', 'L', n, &nothing, at_least_one(n), &value, &answer, -1, &real_answer, -1, &int_size, -1, info);
    size = work_size(answer), real_size = work_size(real_answer);
    a = w.take<T>(int64_t{n} * n), work = w.take<T>(size);
    values = w.take<RealOfType<T>>(n), real_work = w.take<RealOfType<T>>(real_size), int_work = w.take<int>(int_size);
  }
};

template <class T>
KernelStatus eigh(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &values = call.results[0], &vectors = call.results[1];
  const char uplo = static_cast<char>(call.args[1].text.characters[0] & ~0x20);
  const bool wants_vectors = call.args[2].boolean;
  const Batch batch(self, 2);
  const int n = static_cast<int>(self.sizes[self.dim - 1]);
  Workspace w(call.scratch);
  const EighWork<T> s(w, n, wants_vectors);
  for (int64_t k = 0; k < batch.count; ++k) {
    load(batch.matrix<T>(self, k), s.a, n);
    if (!all_finite(s.a, int64_t{n} * n)) {  // as in PyTorch
      constexpr auto kNaN = std::numeric_limits<RealOfType<T>>::quiet_NaN();
      std::fill_n(s.values, n, kNaN), std::fill_n(s.a, int64_t{n} * n, T(kNaN));
      store(s.values, n, batch.column<RealOfType<T>>(values, k));
      if (wants_vectors) store(s.a, n, batch.matrix<T>(vectors, k));
      continue;
    }
    int info = 0;
    lapack::heevd(wants_vectors ? 'V' : 'N', uplo, n, s.a, at_least_one(n), s.values, s.work, s.size, s.real_work, s.real_size, s.int_work,
                  s.int_size, info);
    if (info) return refuse(call, batch, k, info);
    store(s.values, n, batch.column<RealOfType<T>>(values, k));
    if (wants_vectors) store(s.a, n, batch.matrix<T>(vectors, k));
  }
  return KernelStatus::Ok;
}

// --- General square matrices.

template <class T>
struct EigWork {
  T *a, *values, *vectors, *work;
  RealOfType<T>* real_work;
  int size;
  EigWork(Workspace& w, int n, bool wants_vectors) {
    T answer{}, nothing[2]{};
    RealOfType<T> real{};
    int info = 0;
    lapack::geev(wants_vectors ? 'V' : 'N', n, nothing, at_least_one(n), nothing, nothing, at_least_one(n), &answer, -1, &real, info);
    size = work_size(answer);
    a = w.take<T>(int64_t{n} * n), values = w.take<T>(2 * int64_t{n}), vectors = w.take<T>(wants_vectors ? int64_t{n} * n : 1);
    work = w.take<T>(size), real_work = w.take<RealOfType<T>>(2 * int64_t{n});
  }
};

// Complex eigenvalues of a real matrix come in pairs. Two columns hold the real and the imaginary part of the first one's eigenvector.
template <class R>
void store_eigen(const EigWork<R>& s, int n, const MatrixAt<std::complex<R>>& values, const MatrixAt<std::complex<R>>* vectors) {
  for (int64_t j = 0; j < n; ++j) values.data[j * values.row] = {s.values[j], s.values[n + j]};
  for (int64_t j = 0; vectors && j < n; ++j) {
    const R imaginary = s.values[n + j];
    const R* real_part = s.vectors + (imaginary < 0 ? j - 1 : j) * n;
    for (int64_t i = 0; i < n; ++i) {
      const R other = imaginary == 0 ? R(0) : real_part[n + i];
      vectors->data[i * vectors->row + j * vectors->column] = {real_part[i], imaginary < 0 ? -other : other};
    }
  }
}
template <class R>
void store_eigen(const EigWork<std::complex<R>>& s, int n, const MatrixAt<std::complex<R>>& values,
                 const MatrixAt<std::complex<R>>* vectors) {
  store(s.values, n, values);
  if (vectors) store(s.vectors, n, *vectors);
}

template <class T>
KernelStatus eig(KernelCall& call, bool wants_vectors) {
  using C = std::complex<RealOfType<T>>;
  const KernelTensor &self = call.args[0].tensor, &values = call.results[0];
  const Batch batch(self, 2);
  const int n = static_cast<int>(self.sizes[self.dim - 1]);
  Workspace w(call.scratch);
  const EigWork<T> s(w, n, wants_vectors);
  for (int64_t k = 0; k < batch.count; ++k) {
    load(batch.matrix<T>(self, k), s.a, n);
    if (!all_finite(s.a, int64_t{n} * n)) return call.fail(0, 0, k, KernelStatus::BadThird);
    int info = 0;
    lapack::geev(wants_vectors ? 'V' : 'N', n, s.a, at_least_one(n), s.values, s.vectors, at_least_one(n), s.work, s.size, s.real_work,
                 info);
    if (info) return refuse(call, batch, k, info);
    if (!wants_vectors) {
      store_eigen(s, n, batch.column<C>(values, k), static_cast<const MatrixAt<C>*>(nullptr));
      continue;
    }
    const MatrixAt<C> vectors = batch.matrix<C>(call.results[1], k);
    store_eigen(s, n, batch.column<C>(values, k), &vectors);
  }
  return KernelStatus::Ok;
}

// --- Singular values.

template <class T>
struct SvdWork {
  T *a, *u, *vh, *work;
  RealOfType<T>*values, *real_work;
  int *int_work, size, u_columns, vh_rows;
  char job;
  SvdWork(Workspace& w, int m, int n, bool full, bool vectors) {
    const int k = std::min(m, n), most = std::max(m, n);
    job = !vectors ? 'N' : full ? 'A' : 'S', u_columns = full ? m : k, vh_rows = full ? n : k;
    T answer{}, nothing{};
    RealOfType<T> real{};
    int info = 0, integer = 0;
    lapack::gesdd(job, m, n, &nothing, at_least_one(m), &real, &nothing, at_least_one(m), &nothing, at_least_one(vh_rows), &answer, -1,
                  &real, &integer, info);
    size = work_size(answer);
    a = w.take<T>(int64_t{m} * n), values = w.take<RealOfType<T>>(k), work = w.take<T>(size), int_work = w.take<int>(8 * int64_t{k});
    u = w.take<T>(vectors ? int64_t{m} * u_columns : 1), vh = w.take<T>(vectors ? int64_t{vh_rows} * n : 1);
    const int64_t wide = k;
    real_work = w.take<RealOfType<T>>(std::is_same_v<T, RealOfType<T>> ? 1
                                      : vectors ? std::max(5 * wide * wide + 5 * wide, 2 * wide * most + 2 * wide * wide + wide)
                                                : 7 * wide);
  }
};

template <class T>
KernelStatus svd(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &u = call.results[0], &values = call.results[1], &vh = call.results[2];
  const bool full = call.args[1].boolean, vectors = call.args[2].boolean;
  const Batch batch(self, 2);
  const int m = static_cast<int>(self.sizes[self.dim - 2]), n = static_cast<int>(self.sizes[self.dim - 1]);
  Workspace w(call.scratch);
  const SvdWork<T> s(w, m, n, full, vectors);
  for (int64_t k = 0; k < batch.count; ++k) {
    if (m == 0 || n == 0) {  // the rest of U and Vh is the identity matrix
      if (!vectors || !full) continue;
      fill_identity(s.u, m), fill_identity(s.vh, n);
    } else {
      load(batch.matrix<T>(self, k), s.a, m);
      if (!all_finite(s.a, int64_t{m} * n)) return call.fail(0, 0, k, KernelStatus::BadThird);
      int info = 0;
      lapack::gesdd(s.job, m, n, s.a, at_least_one(m), s.values, s.u, at_least_one(m), s.vh, at_least_one(s.vh_rows), s.work, s.size,
                    s.real_work, s.int_work, info);
      if (info) return refuse(call, batch, k, info);
      store(s.values, std::min(m, n), batch.column<RealOfType<T>>(values, k));
    }
    if (!vectors) continue;
    store(s.u, m, batch.matrix<T>(u, k));
    store(s.vh, s.vh_rows, batch.matrix<T>(vh, k));
  }
  return KernelStatus::Ok;
}

// --- Least squares.

template <class T>
struct LstsqWork {
  T *a, *b, *work;
  RealOfType<T>*values, *real_work;
  int *order, *int_work, size, height;
  LstsqWork(Workspace& w, int m, int n, int columns) {
    const int k = std::max(1, std::min(m, n));
    height = std::max({1, m, n});
    T answer{}, nothing{};
    RealOfType<T> real{}, real_size{};
    int info = 0, rank = 0, integer = 1;
    size = 1;
    auto see = [&] { size = std::max(size, work_size(answer)); };
    lapack::gels(m, n, columns, &nothing, at_least_one(m), &nothing, height, &answer, -1, info), see();
    lapack::gelsy(m, n, columns, &nothing, at_least_one(m), &nothing, height, &integer, real, rank, &answer, -1, &real, info), see();
    lapack::gelss(m, n, columns, &nothing, at_least_one(m), &nothing, height, &real, real, rank, &answer, -1, &real, info), see();
    lapack::gelsd(m, n, columns, &nothing, at_least_one(m), &nothing, height, &real, real, rank, &answer, -1, &real_size, &integer, info),
        see();
    a = w.take<T>(int64_t{m} * n), b = w.take<T>(int64_t{height} * std::max(1, columns)), work = w.take<T>(size);
    order = w.take<int>(n), int_work = w.take<int>(std::max(1, integer)), values = w.take<RealOfType<T>>(k);
    real_work = w.take<RealOfType<T>>(std::max({work_size(real_size), 5 * k, 2 * n, 1}));
  }
};

template <class T>
int least_squares(std::string_view driver, const LstsqWork<T>& s, int m, int n, int columns, RealOfType<T> rcond, int& rank) {
  int info = 0;
  if (driver == "gels") {
    lapack::gels(m, n, columns, s.a, at_least_one(m), s.b, s.height, s.work, s.size, info);
    rank = std::min(m, n);
  } else if (driver == "gelsd") {
    lapack::gelsd(m, n, columns, s.a, at_least_one(m), s.b, s.height, s.values, rcond, rank, s.work, s.size, s.real_work, s.int_work, info);
  } else if (driver == "gelss") {
    lapack::gelss(m, n, columns, s.a, at_least_one(m), s.b, s.height, s.values, rcond, rank, s.work, s.size, s.real_work, info);
  } else {
    std::fill_n(s.order, n, 0);
    lapack::gelsy(m, n, columns, s.a, at_least_one(m), s.b, s.height, s.order, rcond, rank, s.work, s.size, s.real_work, info);
  }
  return info;
}

template <class T>
KernelStatus lstsq(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &b = call.args[1].tensor;
  const KernelTensor &solution = call.results[0], &residuals = call.results[1], &ranks = call.results[2], &values = call.results[3];
  const std::string_view driver = call.args[3].none() ? "gelsy" : std::string_view(call.args[3].text.characters, call.args[3].text.count);
  const int m = static_cast<int>(self.sizes[self.dim - 2]), n = static_cast<int>(self.sizes[self.dim - 1]);
  const bool vector = vectors_beside(self, b);
  const Batch batch(solution, vector ? 1 : 2);
  const int columns = vector ? 1 : static_cast<int>(b.sizes[b.dim - 1]);
  const RealOfType<T> rcond = call.args[2].none()
                                  ? std::numeric_limits<RealOfType<T>>::epsilon() * static_cast<RealOfType<T>>(std::max(m, n))
                                  : static_cast<RealOfType<T>>(call.args[2].number);
  Workspace w(call.scratch);
  const LstsqWork<T> s(w, m, n, columns);
  for (int64_t k = 0; k < batch.count; ++k) {
    auto side = [&](const KernelTensor& t) { return vector ? batch.column<T>(t, k) : batch.matrix<T>(t, k); };
    load(batch.matrix<T>(self, k), s.a, m);
    std::fill_n(s.b, int64_t{s.height} * columns, T(0));
    load(side(b), s.b, s.height);
    int rank = 0;
    if (const int info = m && n && columns ? least_squares(driver, s, m, n, columns, rcond, rank) : 0) return refuse(call, batch, k, info);
    store(s.b, s.height, side(solution));
    if (ranks.numel() > 0) ranks.as<int64_t>()[batch.offset(ranks, 0, k)] = rank;
    if (values.numel() > 0) store(s.values, std::min(m, n), batch.column<RealOfType<T>>(values, k));
    for (int64_t j = 0; residuals.numel() > 0 && j < columns; ++j) {
      RealOfType<T> sum = 0;
      for (int64_t i = n; i < m; ++i) sum += std::norm(s.b[j * s.height + i]);
      residuals.as<RealOfType<T>>()[k * columns + j] = sum;
    }
  }
  return KernelStatus::Ok;
}

// --- The exponential: the Padé approximant of order 13 of the matrix divided by 2^s, squared s times (Higham, The Scaling and Squaring Method for the Matrix
// Exponential Revisited, 2005).

constexpr double kPade[] = {64764752532480000.,
                            32382376266240000.,
                            7771770303897600.,
                            1187353796428800.,
                            129060195264000.,
                            10559470521600.,
                            670442572800.,
                            33522128640.,
                            1323241920.,
                            40840800.,
                            960960.,
                            16380.,
                            182.,
                            1.};
constexpr double kPadeRadius = 5.371920351148152;  // the largest 1-norm for which the approximant is exact to float64

template <class T>
struct ExpWork {
  T *a, *a2, *a4, *a6, *u, *v, *sum;
  int* pivots;
  ExpWork(Workspace& w, int64_t n) {
    for (T** p : {&a, &a2, &a4, &a6, &u, &v, &sum}) *p = w.take<T>(n * n);
    pivots = w.take<int>(n);
  }
};

constexpr int64_t kTermsCost = 4;  // instructions for an element of a sum of matrices

// out = the sum of coefficients times matrices, and of a multiple of the identity matrix.
template <class T>
void combine(T* __restrict out, int64_t n, double identity, const std::array<std::pair<double, const T*>, 3>& terms) {
  using R = RealOfType<T>;
  const R a = static_cast<R>(terms[0].first), b = static_cast<R>(terms[1].first), c = static_cast<R>(terms[2].first);
  const T *x = terms[0].second, *y = terms[1].second, *z = terms[2].second;
  share_steps(kTermsCost, n * n, 1, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = T(0) + a * x[i] + b * y[i] + c * z[i];
  });
  for (int64_t i = 0; i < n; ++i) out[i * n + i] += static_cast<RealOfType<T>>(identity);
}

template <class T>
void exponential(const ExpWork<T>& s, int n) {
  const int64_t size = int64_t{n} * n;
  auto product = [&](const T* x, const T* y, T* out) { lapack::gemm(n, n, n, T(1), x, n, y, n, T(0), out, n); };
  if (n == 1) {
    s.a[0] = std::exp(s.a[0]);
    return;
  }
  if (!all_finite(s.a, size)) {  // as in PyTorch
    std::fill_n(s.a, size, T(std::numeric_limits<RealOfType<T>>::quiet_NaN()));
    return;
  }
  RealOfType<T> norm = 0;
  for (int j = 0; j < n; ++j) {
    RealOfType<T> sum = 0;
    for (int i = 0; i < n; ++i) sum += std::abs(s.a[int64_t{j} * n + i]);
    norm = std::max(norm, sum);
  }
  int squarings = 0;
  if (norm > kPadeRadius) {
    std::frexp(static_cast<double>(norm) / kPadeRadius, &squarings);
    const auto factor = static_cast<RealOfType<T>>(std::ldexp(1.0, -squarings));
    for (int64_t i = 0; i < size; ++i) s.a[i] *= factor;
  }
  product(s.a, s.a, s.a2), product(s.a2, s.a2, s.a4), product(s.a2, s.a4, s.a6);
  // U = A (A6 (b13 A6 + b11 A4 + b9 A2) + b7 A6 + b5 A4 + b3 A2 + b1 I), V likewise with the even coefficients.
  combine<T>(s.sum, n, 0, {{{kPade[13], s.a6}, {kPade[11], s.a4}, {kPade[9], s.a2}}});
  combine<T>(s.v, n, kPade[1], {{{kPade[7], s.a6}, {kPade[5], s.a4}, {kPade[3], s.a2}}});
  lapack::gemm(n, n, n, T(1), s.a6, n, s.sum, n, T(1), s.v, n);
  product(s.a, s.v, s.u);
  combine<T>(s.sum, n, 0, {{{kPade[12], s.a6}, {kPade[10], s.a4}, {kPade[8], s.a2}}});
  combine<T>(s.v, n, kPade[0], {{{kPade[6], s.a6}, {kPade[4], s.a4}, {kPade[2], s.a2}}});
  lapack::gemm(n, n, n, T(1), s.a6, n, s.sum, n, T(1), s.v, n);
  share_steps(kTermsCost, size, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T u = s.u[i], v = s.v[i];
      s.a2[i] = v - u, s.a[i] = v + u;
    }
  });
  int info = 0;
  lapack::getrf(n, n, s.a2, n, s.pivots, info);
  lapack::getrs('N', n, n, s.a2, n, s.pivots, s.a, n, info);
  T *power = s.a, *square = s.a2;
  for (int k = 0; k < squarings; ++k, std::swap(power, square)) product(power, power, square);
  if (power != s.a) std::copy_n(power, size, s.a);
}

template <class T>
KernelStatus matrix_exp(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const Batch batch(self, 2);
  const int n = static_cast<int>(self.sizes[self.dim - 1]);
  Workspace w(call.scratch);
  const ExpWork<T> s(w, n);
  for (int64_t k = 0; k < batch.count; ++k) {
    load(batch.matrix<T>(self, k), s.a, n);
    exponential(s, n);
    store(s.a, n, batch.matrix<T>(out, k));
  }
  return KernelStatus::Ok;
}

}  // namespace

int64_t eigh_scratch(DType t, int64_t n, bool vectors) {
  return scratch_of(t, [&](Workspace& w, auto zero) { EighWork<decltype(zero)>(w, static_cast<int>(n), vectors); });
}
int64_t eig_scratch(DType t, int64_t n, bool vectors) {
  return scratch_of(t, [&](Workspace& w, auto zero) { EigWork<decltype(zero)>(w, static_cast<int>(n), vectors); });
}
int64_t svd_scratch(DType t, int64_t m, int64_t n, bool full, bool vectors) {
  return scratch_of(t,
                    [&](Workspace& w, auto zero) { SvdWork<decltype(zero)>(w, static_cast<int>(m), static_cast<int>(n), full, vectors); });
}
int64_t lstsq_scratch(DType t, int64_t m, int64_t n, int64_t columns) {
  return scratch_of(t, [&](Workspace& w, auto zero) {
    LstsqWork<decltype(zero)>(w, static_cast<int>(m), static_cast<int>(n), static_cast<int>(columns));
  });
}
int64_t matrix_exp_scratch(DType t, int64_t n) {
  return scratch_of(t, [&](Workspace& w, auto zero) { ExpWork<decltype(zero)>(w, n); });
}

#define MONOGRAPH_LAPACK_KERNEL(name, call_of_type) \
  KernelStatus name(KernelCall& call) { \
    KernelStatus status = KernelStatus::Ok; \
    with_lapack_type(call.args[0].tensor.dtype, [&](auto zero) { \
      using T = decltype(zero); \
      status = call_of_type; \
    }); \
    return status; \
  }
MONOGRAPH_LAPACK_KERNEL(eigh_kernel, eigh<T>(call))
MONOGRAPH_LAPACK_KERNEL(eig_kernel, eig<T>(call, true))
MONOGRAPH_LAPACK_KERNEL(eigvals_kernel, eig<T>(call, false))
MONOGRAPH_LAPACK_KERNEL(svd_kernel, svd<T>(call))
MONOGRAPH_LAPACK_KERNEL(lstsq_kernel, lstsq<T>(call))
MONOGRAPH_LAPACK_KERNEL(matrix_exp_kernel, matrix_exp<T>(call))
#undef MONOGRAPH_LAPACK_KERNEL

}  // namespace monograph
