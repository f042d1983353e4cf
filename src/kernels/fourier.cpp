// For each dim: reads blocks of lines into arrays of real and imaginary parts, transforms them, and writes them back.
//
// A real line of even length is transformed as half as many complex numbers, whose transform is then split. The backward transform does the reverse.
#include "kernels/fourier.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "core/threads/pool.h"
#include "kernels/fourier_lines.h"
#include "kernels/fourier_plan.h"
#include "kernels/grain.h"
#include "kernels/round.h"
#include "kernels/variants.h"

namespace monograph {
namespace {

constexpr int64_t kFourierCost = 16;  // instructions for an element of a line
constexpr int64_t kFewLines = 16, kMostLines = 64;  // lines that are transformed together; more than kFewLines only if they are short
constexpr int64_t kShortBlock = 1024;  // elements of a block of short lines: its arrays fit in the first-level cache
constexpr int64_t kBlockBytes = 256 << 10;  // the largest arrays of a block: they fit in the second-level cache

enum class LineKind : uint8_t {
  Complex,
  Copied,  // complex; copied, not transformed
  ToHalf,  // real to the first n / 2 + 1 results
  ToWhole,  // real to all n results
  ToReal,  // n / 2 + 1 complex numbers to n real results
};

// Computes lines of n numbers by a transform of n complex numbers; lines of an even number of real ones by a transform of half as many.
template <class T>
class LinePlan {
 public:
  LinePlan(LineKind kind, int64_t n, Workspace& workspace)
      : kind(kind),
        n(n),
        half(kind != LineKind::Complex && kind != LineKind::Copied && n % 2 == 0 ? n / 2 : 0),
        plan_(half                       ? half
              : kind == LineKind::Copied ? 1
                                         : n,
              workspace),
        roots_(half ? n : 1, workspace) {
    if (half) turns_ = take_split<T>(workspace, half + 1);
  }
  // The elements that each array of transform() must hold for a line.
  int64_t line_elements() const { return std::max(plan_.line_elements(), half ? half + 1 : n); }
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
  SplitComplex<const T> turns() const { return {turns_.re, turns_.im}; }

  const LineKind kind;
  const int64_t n, half;  // half: n / 2 for real lines of even length, else 0

 private:
  FourierPlan<T> plan_;
  UnitRoots roots_;
  SplitComplex<T> turns_{};
};

// The number of lines that are transformed together, of `count` lines with arrays of `line_elements` elements.
template <class T>
int64_t lines_together(int64_t line_elements, int64_t count) {
  const int64_t largest = kBlockBytes / (4 * line_elements * static_cast<int64_t>(sizeof(T)));
  return std::max<int64_t>(1, std::min({largest, std::clamp(kShortBlock / line_elements, kFewLines, kMostLines), count}));
}

// The dims of a pass that are not transformed, outermost first; computes where a line begins in memory.
struct LineWalk {
  int32_t dims = 0;
  int64_t sizes[kMaxDims], from[kMaxDims], to[kMaxDims];
  int64_t count = 1;
  LineWalk(const KernelTensor& source, const KernelTensor& target, int32_t along) {
    for (int32_t d = 0; d < target.dim; ++d) {
      if (d == along) continue;
      sizes[dims] = target.sizes[d], from[dims] = source.strides[d], to[dims] = target.strides[d], count *= target.sizes[d];
      ++dims;
    }
    // Lines that begin at neighbouring elements follow one another.
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
  // The same for `lines` lines from `line` on.
  void begin(int64_t line, int64_t lines, int64_t* sources, int64_t* targets) const {
    const int64_t row = dims ? sizes[dims - 1] : 1, source_step = dims ? from[dims - 1] : 0, target_step = dims ? to[dims - 1] : 0;
    int64_t left = 0;  // lines left in the innermost dim
    for (int64_t l = 0; l < lines; ++l) {
      if (left-- > 0) {
        sources[l] = sources[l - 1] + source_step, targets[l] = targets[l - 1] + target_step;
        continue;
      }
      begin(line + l, sources[l], targets[l]);
      left = row - 1 - (line + l) % row;
    }
  }
};

// Computes the first half + 1 results of a real line from z, the transform of the pairs (even element, odd element) as complex numbers. The conjugate-even
// and the conjugate-odd half of z are the transforms of the even and of the odd elements. The first and the last result have an imaginary part of 0.
template <class T>
[[gnu::always_inline]] inline void take_apart_loop(SplitComplex<T> to, SplitComplex<T> z, SplitComplex<const T> turns, int64_t half,
                                                   int64_t lines) {
  for (int64_t k = 0; k <= half; ++k) {
    const int64_t a = (k == half ? 0 : k) * lines, b = (k == 0 ? 0 : half - k) * lines;
    const T wr = turns.re[k], wi = turns.im[k];
    const T *ar = z.re + a, *ai = z.im + a, *br = z.re + b, *bi = z.im + b;
    T* __restrict re = to.re + k * lines;
    T* __restrict im = to.im + k * lines;
    for (int64_t l = 0; l < lines; ++l) {
      const T er = (ar[l] + br[l]) / 2, ei = (ai[l] - bi[l]) / 2;
      const T pr = (ai[l] + bi[l]) / 2, pi = (br[l] - ar[l]) / 2;  // (z[a] - conj z[b]) / 2i
      re[l] = er + (wr * pr - wi * pi), im[l] = ei + (wr * pi + wi * pr);
    }
    if (k == 0 || k == half)
      for (int64_t l = 0; l < lines; ++l) im[l] = 0;
  }
}
MONOGRAPH_TEMPLATE_VARIANTS((template <class T>), take_apart, take_apart_loop,
                            (SplitComplex<T> to, SplitComplex<T> z, SplitComplex<const T> turns, int64_t half, int64_t lines),
                            (to, z, turns, half, lines))

// The reverse, times 2: computes the elements of half the length from half + 1 elements of a line, whose first and last one count as real.
template <class T>
[[gnu::always_inline]] inline void put_together_loop(SplitComplex<T> to, SplitComplex<T> line, SplitComplex<const T> turns, int64_t half,
                                                     int64_t lines) {
  for (int64_t l = 0; l < lines; ++l) line.im[l] = 0, line.im[half * lines + l] = 0;
  for (int64_t k = 0; k < half; ++k) {
    const int64_t a = k * lines, b = (half - k) * lines;
    const T wr = turns.re[k], wi = -turns.im[k];
    const T *ar = line.re + a, *ai = line.im + a, *br = line.re + b, *bi = line.im + b;
    T* __restrict re = to.re + k * lines;
    T* __restrict im = to.im + k * lines;
    for (int64_t l = 0; l < lines; ++l) {
      const T er = ar[l] + br[l], ei = ai[l] - bi[l];
      const T dr = ar[l] - br[l], di = ai[l] + bi[l];
      const T pr = wr * dr - wi * di, pi = wr * di + wi * dr;
      re[l] = er - pi, im[l] = ei + pr;  // + i times it
    }
  }
}
MONOGRAPH_TEMPLATE_VARIANTS((template <class T>), put_together, put_together_loop,
                            (SplitComplex<T> to, SplitComplex<T> line, SplitComplex<const T> turns, int64_t half, int64_t lines),
                            (to, line, turns, half, lines))

// Reads real lines into x; those of an even length as pairs (even element, odd element).
template <class T>
void read_real(const LinePlan<T>& plan, SplitComplex<T> x, const T* data, const LineStarts& from) {
  if (!plan.half) {
    read_lines(x.re, data, from, plan.n);
    std::fill_n(x.im, plan.n * from.lines, T(0));
    return;
  }
  const LineStarts pairs{from.at, from.lines, 2 * from.step};
  if (from.step == 1 && !from.adjacent()) return read_pairs(x, data, pairs, plan.half);
  read_lines(x.re, data, pairs, plan.half), read_lines(x.im, data + from.step, pairs, plan.half);
}

// Reads the first n / 2 + 1 elements of lines with a real transform into x. `spare` is scratch memory.
template <class T>
void read_half(const LinePlan<T>& plan, SplitComplex<T> x, SplitComplex<T> spare, const std::complex<T>* data, const LineStarts& from) {
  const int64_t lines = from.lines, most = plan.n / 2;
  if (plan.half) {
    read_lines(spare, data, from, plan.half + 1);
    return put_together<T>(x, spare, plan.turns(), plan.half, lines);
  }
  read_lines(x, data, from, most + 1);
  std::fill_n(x.im, lines, T(0));
  for (int64_t k = 1; k <= most; ++k)
    for (int64_t l = 0; l < lines; ++l)
      x.re[(plan.n - k) * lines + l] = x.re[k * lines + l], x.im[(plan.n - k) * lines + l] = -x.im[k * lines + l];
}

// Writes the results of real lines whose transform is y: the first n / 2 + 1, or all, of which the rest are conjugates. `spare` is scratch memory.
template <class T>
void write_transform(const LinePlan<T>& plan, SplitComplex<T> y, SplitComplex<T> spare, std::complex<T>* data, const LineStarts& to,
                     T scale) {
  const int64_t lines = to.lines, most = plan.n / 2;
  SplitComplex<T> z = y;
  if (plan.half) take_apart<T>(z = spare, y, plan.turns(), plan.half, lines);
  else std::fill_n(z.im, lines, T(0));
  write_lines(z, data, to, most + 1, scale);
  const int64_t mirrored = plan.kind == LineKind::ToWhole ? (plan.n - 1) / 2 : 0;
  for (int64_t i = lines; i < (mirrored + 1) * lines; ++i) z.im[i] = -z.im[i];
  if (mirrored) write_lines(z.from(lines), data + (plan.n - 1) * to.step, {to.at, lines, -to.step}, mirrored, scale);
}

// Writes real lines from y.
template <class T>
void write_real(const LinePlan<T>& plan, SplitComplex<T> y, T* data, const LineStarts& to, T scale) {
  if (!plan.half) return write_lines(y.re, data, to, plan.n, scale);
  const LineStarts pairs{to.at, to.lines, 2 * to.step};
  if (to.step == 1 && !to.adjacent()) return write_pairs(y, data, pairs, plan.half, scale);
  write_lines(y.re, data, pairs, plan.half, scale), write_lines(y.im, data + to.step, pairs, plan.half, scale);
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
    Workspace workspace(scratch);
    LinePlan<T> plan(kind, n, workspace);
    const LineWalk walk(from, to, along);
    const int64_t together = lines_together<T>(plan.line_elements(), walk.count), blocks = divide_up(walk.count, together);
    const int64_t parts = std::clamp<int64_t>(walk.count * n / grain(kFourierCost), 1, std::min<int64_t>(blocks, std::max(1, threads)));
    const int64_t first = workspace.bytes();
    auto arrays = [&](int64_t part) {
      Workspace own(scratch + first);
      const int64_t elements = plan.line_elements() * together;
      const SplitComplex<T> a = take_split<T>(own, elements), b = take_split<T>(own, elements);
      const int64_t ahead = part * (own.bytes() / static_cast<int64_t>(sizeof(T)));
      return std::pair(a.from(ahead), b.from(ahead));
    };
    plan.fill(arrays(0).first, arrays(0).second);
    const EqualParts ranges(blocks, parts);
    parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        const auto [a, b] = arrays(part);
        for (int64_t block = ranges.begin(part); block < ranges.begin(part + 1); ++block)
          run_block(plan, walk, a, b, block * together, std::min(together, walk.count - block * together));
      }
    });
  }

  void run_block(const LinePlan<T>& plan, const LineWalk& walk, SplitComplex<T> a, SplitComplex<T> b, int64_t first, int64_t lines) const {
    int64_t sources[kMostLines], targets[kMostLines];
    walk.begin(first, lines, sources, targets);
    const LineStarts source{sources, lines, from.strides[along]}, target{targets, lines, to.strides[along]};
    if (kind == LineKind::ToHalf || kind == LineKind::ToWhole) read_real(plan, a, from.as<const T>(), source);
    else if (kind == LineKind::ToReal) read_half(plan, a, b, from.as<const std::complex<T>>(), source);
    else read_lines(a, from.as<const std::complex<T>>(), source, n);
    const SplitComplex<T> y = plan.transform(a, b, lines, forward), spare = y.re == a.re || y.im == a.re ? b : a;
    const T factor = static_cast<T>(scale);
    if (kind == LineKind::ToReal) write_real(plan, y, to.as<T>(), target, factor);
    else if (kind == LineKind::Complex || kind == LineKind::Copied) write_lines(y, to.as<std::complex<T>>(), target, n, factor);
    else write_transform(plan, y, spare, to.as<std::complex<T>>(), target, factor);
  }
};

template <class T>
int64_t pass_bytes(LineKind kind, int64_t n, int64_t lines, int threads) {
  Workspace workspace;
  const LinePlan<T> plan(kind, n, workspace);
  const int64_t together = lines_together<T>(plan.line_elements(), lines), blocks = divide_up(lines, together);
  Workspace own;
  take_split<T>(own, plan.line_elements() * together), take_split<T>(own, plan.line_elements() * together);
  return workspace.bytes() + std::min<int64_t>(blocks, std::max(1, threads)) * own.bytes();
}

double factor_of(int64_t normalization, double count) {
  return normalization == 0 ? 1 : normalization == 1 ? 1 / std::sqrt(count) : 1 / count;
}

int32_t wrapped_dim(const KernelArg& dims, size_t i, int32_t dim) {
  const int64_t d = dims.ints.values[i];
  return static_cast<int32_t>(d < 0 ? d + dim : d);
}

// Transforms complex numbers of `from` over the first `count` dims into `to`; the last pass scales.
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

// With several dims: transform all but the last as complex numbers into contiguous scratch memory, then the last.
template <class T>
void transform_to_real(KernelCall& call, int threads) {
  const KernelTensor& out = call.results[0];
  KernelTensor x = call.args[0].tensor;
  const KernelArg& dims = call.args[1];
  const size_t rest = dims.ints.count - 1;
  const int32_t last = wrapped_dim(dims, rest, out.dim);
  double count = 1;
  for (size_t i = 0; i < dims.ints.count; ++i) count *= static_cast<double>(out.sizes[wrapped_dim(dims, i, out.dim)]);
  Workspace workspace(call.scratch);
  int64_t strides[kMaxDims];
  if (rest > 0) {
    KernelTensor whole{reinterpret_cast<char*>(workspace.take<std::complex<T>>(x.numel())), x.sizes, strides, x.dim, x.dtype};
    for (int64_t step = 1, d = x.dim; d-- > 0; step *= x.sizes[d]) strides[d] = step;
    complex_passes<T>(x, whole, dims, rest, false, 1.0, call.scratch + workspace.bytes(), threads);
    x = whole;
  }
  const Pass<T> pass{LineKind::ToReal, x, out, last, out.sizes[last], false, factor_of(call.args[2].integer, count)};
  pass.run(call.scratch + workspace.bytes(), threads);
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
  Workspace workspace;
  if (kind == FourierKind::ToReal && count > 1) workspace.take<std::complex<T>>(elements);
  return workspace.bytes() + most;
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
