// Walks over the lines of each dim: a block of them is read into two arrays of parts, transformed, and written.
//
// A real line of even length is half as many complex numbers, whose transform is taken apart afterwards (or put together before, the other way).
#include "kernels/fourier.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "core/threads/pool.h"
#include "kernels/fourier_plan.h"
#include "kernels/grain.h"

namespace monograph {
namespace {

constexpr int64_t kCost = 16;  // instructions for an element of a line
constexpr int64_t kMostLines = 16;  // side by side
constexpr int64_t kBlockBytes = 256 << 10;  // of a block's arrays: the second cache holds them
constexpr int32_t kMostDims = 64;

enum class LineKind : uint8_t {
  Complex,
  Copied,  // complex, and not transformed
  ToHalf,  // real ones, to n / 2 + 1 results
  ToWhole,  // real ones, to all results
  ToReal,  // n / 2 + 1 complex ones, to n real results
};

// How the lines of n numbers are computed: by a transform of n complex numbers, or of half as many where the numbers are real.
template <class T>
class LinePlan {
 public:
  LinePlan(LineKind kind, int64_t n, PlanMemory& room)
      : kind(kind),
        n(n),
        half(kind != LineKind::Complex && kind != LineKind::Copied && n % 2 == 0 ? n / 2 : 0),
        plan_(half                       ? half
              : kind == LineKind::Copied ? 1
                                         : n,
              room),
        roots_(half ? n : 1, room) {
    if (half) turns_ = room.take_split<T>(half + 1);
  }
  // Elements of a line in each of its arrays.
  int64_t room() const { return std::max(plan_.room(), half ? half + 1 : n); }
  void fill(SplitComplex<T> a, SplitComplex<T> b) {
    if (kind == LineKind::Copied) return;
    plan_.fill(a, b);
    if (!half) return;
    roots_.fill();
    for (int64_t k = 0; k <= half; ++k) {
      const UnitRoots::Root r = roots_.at(k);
      turns_.re[k] = static_cast<T>(r.re), turns_.im[k] = static_cast<T>(r.im);
    }
  }
  SplitComplex<T> transform(SplitComplex<T> x, SplitComplex<T> spare, int64_t lines, bool forward) const {
    if (kind == LineKind::Copied) return x;
    if (forward) return plan_.transform(x, spare, lines);
    return plan_.transform(x.swapped(), spare.swapped(), lines).swapped();
  }
  // From the transform z of pairs (even element, odd element) to result k of n / 2 + 1: the halves of z that are even and odd in the sense of
  // conjugation are the transforms of the even and of the odd elements.
  std::complex<T> taken_apart(SplitComplex<T> z, int64_t k, int64_t lines, int64_t line) const {
    const int64_t a = (k == half ? 0 : k) * lines + line, b = (k == 0 ? 0 : half - k) * lines + line;
    const T er = (z.re[a] + z.re[b]) / 2, ei = (z.im[a] - z.im[b]) / 2;
    const T pr = (z.im[a] + z.im[b]) / 2, pi = (z.re[b] - z.re[a]) / 2;  // (z[a] - conj z[b]) / 2i
    const T wr = turns_.re[k], wi = turns_.im[k];
    return {er + (wr * pr - wi * pi), ei + (wr * pi + wi * pr)};
  }
  // The other way, times 2: what element k of the half is, from elements k and n / 2 - k of the line.
  std::complex<T> put_together(std::complex<T> a, std::complex<T> b, int64_t k) const {
    const T er = a.real() + b.real(), ei = a.imag() - b.imag();
    const T dr = a.real() - b.real(), di = a.imag() + b.imag();
    const T wr = turns_.re[k], wi = -turns_.im[k];
    const T pr = wr * dr - wi * di, pi = wr * di + wi * dr;
    return {er - pi, ei + pr};  // + i times it
  }

  const LineKind kind;
  const int64_t n, half;  // half: of a real line of even length

 private:
  FourierPlan<T> plan_;
  UnitRoots roots_;
  SplitComplex<T> turns_{};
};

// LineKind that are transformed together, of those that there are.
template <class T>
int64_t lines_together(int64_t room, int64_t count) {
  const int64_t fit = kBlockBytes / (4 * room * static_cast<int64_t>(sizeof(T)));
  return std::max<int64_t>(1, std::min({fit, kMostLines, count}));
}

// The other dims of a pass, outermost first, and where a line begins in memory.
struct LineWalk {
  int32_t dims = 0;
  int64_t sizes[kMostDims], from[kMostDims], to[kMostDims];
  int64_t count = 1;
  LineWalk(const KernelTensor& source, const KernelTensor& target, int32_t along) {
    for (int32_t d = 0; d < target.dim; ++d) {
      if (d == along) continue;
      sizes[dims] = target.sizes[d], from[dims] = source.strides[d], to[dims] = target.strides[d], count *= target.sizes[d];
      ++dims;
    }
    // LineKind that begin side by side come one after another.
    for (int32_t i = 1; i < dims; ++i)
      for (int32_t k = i; k > 0 && to[k - 1] < to[k]; --k)
        std::swap(sizes[k - 1], sizes[k]), std::swap(from[k - 1], from[k]), std::swap(to[k - 1], to[k]);
  }
  void begin(int64_t line, int64_t& source, int64_t& target) const {
    source = target = 0;
    for (int32_t d = dims; d-- > 0;) {
      const int64_t place = line % sizes[d];
      line /= sizes[d], source += place * from[d], target += place * to[d];
    }
  }
};

template <class T>
void read_complex(SplitComplex<T> x, const std::complex<T>* line, int64_t step, int64_t n, int64_t lines) {
  for (int64_t k = 0; k < n; ++k) x.re[k * lines] = line[k * step].real(), x.im[k * lines] = line[k * step].imag();
}

template <class T>
void read_real(const LinePlan<T>& plan, SplitComplex<T> x, const T* line, int64_t step, int64_t lines) {
  if (plan.half) {
    for (int64_t k = 0; k < plan.half; ++k) x.re[k * lines] = line[2 * k * step], x.im[k * lines] = line[(2 * k + 1) * step];
    return;
  }
  for (int64_t k = 0; k < plan.n; ++k) x.re[k * lines] = line[k * step], x.im[k * lines] = 0;
}

// The imaginary parts of the first element, and of the middle one of an even length, count as 0.
template <class T>
void read_half(const LinePlan<T>& plan, SplitComplex<T> x, const std::complex<T>* line, int64_t step, int64_t lines) {
  if (plan.half) {
    for (int64_t k = 0; k < plan.half; ++k) {
      std::complex<T> a = line[k * step], b = line[(plan.half - k) * step];
      if (k == 0) a.imag(0), b.imag(0);
      const std::complex<T> z = plan.put_together(a, b, k);
      x.re[k * lines] = z.real(), x.im[k * lines] = z.imag();
    }
    return;
  }
  x.re[0] = line[0].real(), x.im[0] = 0;
  for (int64_t k = 1; 2 * k < plan.n; ++k) {
    const T re = line[k * step].real(), im = line[k * step].imag();
    x.re[k * lines] = re, x.im[k * lines] = im;
    x.re[(plan.n - k) * lines] = re, x.im[(plan.n - k) * lines] = -im;
  }
}

template <class T>
void write_complex(SplitComplex<T> y, std::complex<T>* line, int64_t step, int64_t n, int64_t lines, T scale) {
  for (int64_t k = 0; k < n; ++k) line[k * step] = {y.re[k * lines] * scale, y.im[k * lines] * scale};
}

// Of a real line: the first half, or all, of which the others are conjugates.
template <class T>
void write_transform(const LinePlan<T>& plan, SplitComplex<T> y, std::complex<T>* line, int64_t step, int64_t lines, T scale) {
  const int64_t most = plan.n / 2;
  for (int64_t k = 0; k <= most; ++k) {
    std::complex<T> z = plan.half ? plan.taken_apart(y, k, lines, 0) : std::complex<T>{y.re[k * lines], y.im[k * lines]};
    if (k == 0 || 2 * k == plan.n) z.imag(0);
    z = {z.real() * scale, z.imag() * scale};
    line[k * step] = z;
    if (plan.kind == LineKind::ToWhole && k > 0 && 2 * k != plan.n) line[(plan.n - k) * step] = {z.real(), -z.imag()};
  }
}

template <class T>
void write_real(const LinePlan<T>& plan, SplitComplex<T> y, T* line, int64_t step, int64_t lines, T scale) {
  if (plan.half) {
    for (int64_t k = 0; k < plan.half; ++k)
      line[2 * k * step] = y.re[k * lines] * scale, line[(2 * k + 1) * step] = y.im[k * lines] * scale;
    return;
  }
  for (int64_t k = 0; k < plan.n; ++k) line[k * step] = y.re[k * lines] * scale;
}

// One pass over the lines of a dim.
template <class T>
struct Pass {
  LineKind kind;
  KernelTensor from, to;
  int32_t along;
  int64_t n;
  bool forward;
  double scale;

  void run(char* scratch, int threads) const {
    PlanMemory room(scratch);
    LinePlan<T> plan(kind, n, room);
    const LineWalk walk(from, to, along);
    const int64_t together = lines_together<T>(plan.room(), walk.count), blocks = (walk.count + together - 1) / together;
    const int64_t parts = std::clamp<int64_t>(walk.count * n / grain(kCost), 1, std::min<int64_t>(blocks, std::max(1, threads)));
    const int64_t first = room.used();
    auto arrays = [&](int64_t part) {
      PlanMemory own(scratch + first);
      const SplitComplex<T> a = own.take_split<T>(plan.room() * together), b = own.take_split<T>(plan.room() * together);
      const int64_t ahead = part * (own.used() / static_cast<int64_t>(sizeof(T)));
      return std::pair(a.from(ahead), b.from(ahead));
    };
    plan.fill(arrays(0).first, arrays(0).second);
    parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        const auto [a, b] = arrays(part);
        for (int64_t block = blocks * part / parts; block < blocks * (part + 1) / parts; ++block)
          run_block(plan, walk, a, b, block * together, std::min(together, walk.count - block * together));
      }
    });
  }

  void run_block(const LinePlan<T>& plan, const LineWalk& walk, SplitComplex<T> a, SplitComplex<T> b, int64_t first, int64_t lines) const {
    int64_t sources[kMostLines], targets[kMostLines];
    const int64_t step = from.strides[along], to_step = to.strides[along];
    for (int64_t l = 0; l < lines; ++l) {
      walk.begin(first + l, sources[l], targets[l]);
      const SplitComplex<T> x = a.from(l);
      if (kind == LineKind::ToHalf || kind == LineKind::ToWhole) read_real(plan, x, from.as<T>() + sources[l], step, lines);
      else if (kind == LineKind::ToReal) read_half(plan, x, from.as<std::complex<T>>() + sources[l], step, lines);
      else read_complex(x, from.as<std::complex<T>>() + sources[l], step, n, lines);
    }
    const SplitComplex<T> y = plan.transform(a, b, lines, forward);
    const T factor = static_cast<T>(scale);
    for (int64_t l = 0; l < lines; ++l) {
      const SplitComplex<T> z = y.from(l);
      if (kind == LineKind::ToReal) write_real(plan, z, to.as<T>() + targets[l], to_step, lines, factor);
      else if (kind == LineKind::Complex || kind == LineKind::Copied)
        write_complex(z, to.as<std::complex<T>>() + targets[l], to_step, n, lines, factor);
      else write_transform(plan, z, to.as<std::complex<T>>() + targets[l], to_step, lines, factor);
    }
  }
};

template <class T>
int64_t pass_bytes(LineKind kind, int64_t n, int64_t lines, int threads) {
  PlanMemory room;
  const LinePlan<T> plan(kind, n, room);
  const int64_t together = lines_together<T>(plan.room(), lines), blocks = (lines + together - 1) / together;
  PlanMemory own;
  own.take_split<T>(plan.room() * together), own.take_split<T>(plan.room() * together);
  return room.used() + std::min<int64_t>(blocks, std::max(1, threads)) * own.used();
}

double factor_of(int64_t normalization, double count) {
  return normalization == 0 ? 1 : normalization == 1 ? 1 / std::sqrt(count) : 1 / count;
}

int32_t wrapped_dim(const KernelArg& dims, size_t i, int32_t dim) {
  const int64_t d = dims.ints.values[i];
  return static_cast<int32_t>(d < 0 ? d + dim : d);
}

// Complex numbers of `from` to `to`, over the first `count` of the dims; the last pass scales.
template <class T>
void complex_passes(const KernelTensor& from, const KernelTensor& to, const KernelArg& dims, size_t count, bool forward, double scale,
                    char* scratch, int threads) {
  for (size_t i = count; i-- > 0;) {
    const int32_t d = wrapped_dim(dims, i, to.dim);
    Pass<T>{LineKind::Complex, i + 1 == count ? from : to, to, d, to.sizes[d], forward, i == 0 ? scale : 1.0}.run(scratch, threads);
  }
}

template <class T>
void transform_complex(KernelCall& call, int threads) {
  const KernelTensor &x = call.args[0].tensor, &out = call.results[0];
  const KernelArg& dims = call.args[1];
  if (out.dim == 0) {
    *out.as<std::complex<T>>() = *x.as<std::complex<T>>();
    return;
  }
  if (dims.ints.count == 0)
    return Pass<T>{LineKind::Copied, x, out, out.dim - 1, out.sizes[out.dim - 1], true, 1.0}.run(call.scratch, threads);
  double count = 1;
  for (size_t i = 0; i < dims.ints.count; ++i) count *= static_cast<double>(x.sizes[wrapped_dim(dims, i, x.dim)]);
  complex_passes<T>(x, out, dims, dims.ints.count, call.args[3].boolean, factor_of(call.args[2].integer, count), call.scratch, threads);
}

template <class T>
void transform_real(KernelCall& call, int threads) {
  const KernelTensor &x = call.args[0].tensor, &out = call.results[0];
  const KernelArg& dims = call.args[1];
  const size_t rest = dims.ints.count - 1;
  double count = 1;
  for (size_t i = 0; i < dims.ints.count; ++i) count *= static_cast<double>(x.sizes[wrapped_dim(dims, i, x.dim)]);
  const double scale = factor_of(call.args[2].integer, count);
  const int32_t last = wrapped_dim(dims, rest, x.dim);
  const LineKind kind = call.args[3].boolean ? LineKind::ToHalf : LineKind::ToWhole;
  Pass<T>{kind, x, out, last, x.sizes[last], true, rest == 0 ? scale : 1.0}.run(call.scratch, threads);
  complex_passes<T>(out, out, dims, rest, true, scale, call.scratch, threads);
}

// Over several dims: the complex ones into scratch memory, without gaps, then the last.
template <class T>
void transform_to_real(KernelCall& call, int threads) {
  const KernelTensor& out = call.results[0];
  KernelTensor x = call.args[0].tensor;
  const KernelArg& dims = call.args[1];
  const size_t rest = dims.ints.count - 1;
  const int32_t last = wrapped_dim(dims, rest, out.dim);
  double count = 1;
  for (size_t i = 0; i < dims.ints.count; ++i) count *= static_cast<double>(out.sizes[wrapped_dim(dims, i, out.dim)]);
  PlanMemory room(call.scratch);
  int64_t strides[kMostDims];
  if (rest > 0) {
    KernelTensor whole{reinterpret_cast<char*>(room.take<std::complex<T>>(x.numel())), x.sizes, strides, x.dim, x.dtype};
    for (int64_t step = 1, d = x.dim; d-- > 0; step *= x.sizes[d]) strides[d] = step;
    complex_passes<T>(x, whole, dims, rest, false, 1.0, call.scratch + room.used(), threads);
    x = whole;
  }
  Pass<T>{LineKind::ToReal, x, out, last, out.sizes[last], false, factor_of(call.args[2].integer, count)}.run(call.scratch + room.used(),
                                                                                                              threads);
}

template <class T>
int64_t scratch_of(FourierKind kind, const int64_t* sizes, int32_t dim, const int64_t* dims, size_t count, int threads) {
  int64_t elements = 1, most = 0;
  for (int32_t d = 0; d < dim; ++d) elements *= sizes[d];
  if (elements == 0 || dim == 0) return 0;
  if (count == 0) return pass_bytes<T>(LineKind::Copied, sizes[dim - 1], elements / sizes[dim - 1], threads);
  for (size_t i = 0; i < count; ++i) {
    const int64_t n = sizes[dims[i] < 0 ? dims[i] + dim : dims[i]];
    const LineKind lines = kind != FourierKind::Complex && i + 1 == count ? LineKind::ToReal : LineKind::Complex;
    most = std::max(most, pass_bytes<T>(lines, n, elements / n, threads));
  }
  PlanMemory room;
  if (kind == FourierKind::ToReal && count > 1) room.take<std::complex<T>>(elements);
  return room.used() + most;
}

KernelStatus run(KernelCall& call, void (*of_float)(KernelCall&, int), void (*of_double)(KernelCall&, int)) {
  if (call.results[0].numel() == 0) return KernelStatus::Ok;
  const int threads = call.threads > 0 ? call.threads : num_threads();
  (real_type(call.results[0].dtype) == DType::f32 ? of_float : of_double)(call, threads);
  return KernelStatus::Ok;
}

}  // namespace

KernelStatus fft_c2c_kernel(KernelCall& call) { return run(call, transform_complex<float>, transform_complex<double>); }
KernelStatus fft_r2c_kernel(KernelCall& call) { return run(call, transform_real<float>, transform_real<double>); }
KernelStatus fft_c2r_kernel(KernelCall& call) { return run(call, transform_to_real<float>, transform_to_real<double>); }

int64_t fft_scratch(FourierKind kind, DType dtype, const int64_t* sizes, int32_t dim, const int64_t* dims, size_t count, int threads) {
  return dtype == DType::f32 ? scratch_of<float>(kind, sizes, dim, dims, count, threads)
                             : scratch_of<double>(kind, sizes, dim, dims, count, threads);
}

}  // namespace monograph
