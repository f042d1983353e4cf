// A fill iterates over strided memory in memory order and takes its words from the generator while holding the generator's lock.
#include "kernels/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <type_traits>
#include <utility>

#include "kernels/element_types.h"
#include "kernels/random_math.h"
#include "kernels/round.h"

namespace monograph {
namespace {

// --- iteration in memory order ---

struct FillLoop {
  int64_t size;
  std::array<int64_t, 2> strides;  // in bytes: of the operand that is written, and of the one that is read
};

int64_t element_count(const StridedView& v) {
  int64_t n = 1;
  for (int d = 0; d < v.ndim; ++d) n *= v.sizes[d];
  return n;
}

bool is_contiguous(const StridedView& v) {
  int64_t expected = 1;
  for (int d = v.ndim - 1; d >= 0; --d) {
    if (v.sizes[d] != 1 && v.strides[d] != expected) return false;
    expected *= v.sizes[d];
  }
  return true;
}

// The view's dims as loops, innermost first, sorted by rising stride. A stride of 0 (a dim of one element) has no order and is skipped in comparisons,
// which is why this is an insertion and not a sort.
int make_loops(const StridedView& out, const StridedView* in, std::array<FillLoop, kMaxDims>& loops) {
  int n = out.ndim;
  for (int d = 0; d < n; ++d) {
    int from = n - 1 - d;
    loops[d] = {out.sizes[from], {out.strides[from] * element_size(out.dtype), in ? in->strides[from] * element_size(in->dtype) : 0}};
  }
  for (int i = 1; i < n; ++i) {
    int moving = i;
    for (int j = i - 1; j >= 0; --j) {
      int64_t other = loops[j].strides[0], own = loops[moving].strides[0];
      if (other == 0 || own == 0) continue;
      if (other <= own) break;
      std::swap(loops[j], loops[moving]), moving = j;
    }
  }
  if (n == 0) loops[n++] = {1, {0, 0}};
  int kept = 0;  // loops that continue the loop inside them are merged with it
  for (int d = 1; d < n; ++d) {
    FillLoop& inner = loops[kept];
    bool joins = inner.size == 1 || loops[d].size == 1 ||
                 (loops[d].strides[0] == inner.strides[0] * inner.size && loops[d].strides[1] == inner.strides[1] * inner.size);
    if (!joins) {
      loops[++kept] = loops[d];
    } else {
      if (inner.size == 1) inner.strides = loops[d].strides;
      inner.size *= loops[d].size;
    }
  }
  return kept + 1;
}

// Calls visit(written element, read element) for each element, in memory order of the written view.
template <class F>
void for_each_pair(const StridedView& out, const StridedView* in, F visit) {
  if (element_count(out) == 0) return;
  std::array<FillLoop, kMaxDims> loops;
  int n = make_loops(out, in, loops);
  std::array<int64_t, kMaxDims> index{};
  char* a = out.data;
  const char* b = in ? in->data : nullptr;
  for (;;) {
    for (int64_t i = 0; i < loops[0].size; ++i) visit(a + i * loops[0].strides[0], b + i * loops[0].strides[1]);
    int d = 1;
    for (; d < n; ++d) {
      a += loops[d].strides[0], b += loops[d].strides[1];
      if (++index[d] < loops[d].size) break;
      a -= loops[d].size * loops[d].strides[0], b -= loops[d].size * loops[d].strides[1], index[d] = 0;
    }
    if (d == n) return;
  }
}

// Stores draw() into every element, in memory order.
template <class T, class F>
void fill(const StridedView& out, F draw) {
  for_each_pair(out, nullptr, [&](char* p, const char*) { *reinterpret_cast<T*>(p) = draw(); });
}

// --- conversions ---

float u24(Generator& g) { return static_cast<float>(g.random() & 0xffffff) * 0x1p-24f; }
double u53(Generator& g) { return static_cast<double>(g.random64() & ((uint64_t{1} << 53) - 1)) * 0x1p-53; }

template <class T>
constexpr bool kIsFloating = is_half<T> || std::is_floating_point_v<T>;
template <class T>
constexpr bool kIsReal = kIsFloating<T> || std::is_integral_v<T>;

template <class T>
struct Digits : std::integral_constant<int, std::numeric_limits<T>::digits> {};
template <>
struct Digits<half> : std::integral_constant<int, 11> {};
template <>
struct Digits<bfloat16> : std::integral_constant<int, 8> {};

// Converts as C++ does; float16 and bfloat16 are converted through float32.
template <class T, class V>
T convert(V v) {
  if constexpr (is_half<T>) return T(static_cast<float>(v));
  else return static_cast<T>(v);
}

// Calls f(zero of T) for a dtype that `Accept`, a predicate on the type, allows. random_checks.h has rejected other dtypes before.
template <template <class> class Accept, class F>
void dispatch_if(DType t, F&& f) {
  dispatch(t, [&](auto zero) {
    if constexpr (Accept<decltype(zero)>::value) f(zero);
  });
}
template <class T>
struct AcceptFloating : std::bool_constant<kIsFloating<T>> {};
template <class T>
struct AcceptReal : std::bool_constant<kIsReal<T>> {};

// A complex view as a view of real numbers, with an additional innermost dim of two.
struct RealView {
  std::array<int64_t, kMaxDims> sizes, strides;
  StridedView view;

  explicit RealView(const StridedView& v) : view{real_type(v.dtype), v.data, v.ndim + 1, sizes.data(), strides.data()} {
    for (int d = 0; d < v.ndim; ++d) sizes[d] = v.sizes[d], strides[d] = 2 * v.strides[d];
    sizes[v.ndim] = 2, strides[v.ndim] = 1;
  }
  RealView(const RealView&) = delete;
};

}  // namespace

// --- uniform_ ---

void uniform_(const StridedView& out, double from, double to, Generator& generator) {
  if (is_complex(out.dtype)) return uniform_(RealView(out).view, from, to, generator);
  dispatch_if<AcceptFloating>(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
    C low = static_cast<C>(from), width = static_cast<C>(to) - low;
    T first = convert<T>(low), end = convert<T>(static_cast<C>(to));
    std::lock_guard lock(generator.mutex());
    fill<T>(out, [&] {
      C x;
      if constexpr (std::is_same_v<T, double>) x = u53(generator);
      else x = u24(generator);
      T v = convert<T>(random_math::fused(x, width, low));
      return v == end ? first : v;
    });
  });
}

// --- normal_ ---

namespace {

// Returns one value of a pair of doubles; the generator keeps the other one.
double draw_normal(Generator& g, double mean, double std) {
  double value;
  if (g.next_double_normal) {
    value = *g.next_double_normal;
    g.next_double_normal.reset();
  } else {
    double u1 = u53(g), u2 = u53(g);
    random_math::CosineSine pair = random_math::normal_pair(u1, u2);
    g.next_double_normal = pair.sine;
    value = pair.cosine;
  }
  return random_math::fused(value, std, mean);
}

template <class C>
void fill_uniform(C* data, int64_t n, Generator& g) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<C, double>) data[i] = u53(g);
    else data[i] = u24(g);
  }
}

// float and double: fill everything with uniform values first, then transform in place.
template <class C>
void fill_normal_whole(C* data, int64_t n, C mean, C std, Generator& g) {
  fill_uniform(data, n, g);
  for (int64_t i = 0; i + 16 <= n; i += 16) random_math::normal_block(data + i, mean, std);
  if (n % 16 == 0) return;
  fill_uniform(data + n - 16, 16, g);
  random_math::normal_block(data + n - 16, mean, std);
}

// float16 and bfloat16: block by block, computed in float.
template <class T>
void fill_normal_blocks(T* data, int64_t n, float mean, float std, Generator& g) {
  for (int64_t i = 0; i < n; i += 16) {
    float block[16];
    fill_uniform(block, 16, g);
    random_math::normal_block(block, mean, std);
    T* to = data + std::min(i, n - 16);  // the last 16 elements, if fewer are left
    for (int j = 0; j < 16; ++j) to[j] = T(block[j]);
  }
}

}  // namespace

void normal_(const StridedView& out, double mean, double std, Generator& generator) {
  if (is_complex(out.dtype)) return normal_(RealView(out).view, mean, std / std::sqrt(2.0), generator);
  dispatch_if<AcceptFloating>(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    int64_t n = element_count(out);
    std::lock_guard lock(generator.mutex());
    if (n < 16 || !is_contiguous(out)) return fill<T>(out, [&] { return convert<T>(draw_normal(generator, mean, std)); });
    T* data = reinterpret_cast<T*>(out.data);
    if constexpr (is_half<T>) fill_normal_blocks(data, n, static_cast<float>(mean), static_cast<float>(std), generator);
    else fill_normal_whole(data, n, static_cast<T>(mean), static_cast<T>(std), generator);
  });
}

// --- random_, randint ---

void random_(const StridedView& out, Generator& generator) {
  dispatch_if<AcceptReal>(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::lock_guard lock(generator.mutex());
    fill<T>(out, [&] {
      if constexpr (std::is_same_v<T, bool>) return (generator.random() & 1) != 0;
      else if constexpr (std::is_same_v<T, int64_t>) return static_cast<T>(generator.random64() & (~uint64_t{0} >> 1));
      else if constexpr (std::is_same_v<T, double>) return static_cast<T>(generator.random64() % ((uint64_t{1} << 53) + 1));
      else if constexpr (kIsFloating<T>) return convert<T>(generator.random() % ((uint64_t{1} << Digits<T>::value) + 1));
      else return static_cast<T>(generator.random() % (static_cast<uint64_t>(std::numeric_limits<T>::max()) + 1));
    });
  });
}

namespace {

// The nearest number above `from`, or below `to`, in a floating dtype that cannot hold all integers.
template <class T>
int64_t to_integer(int64_t v) {  // through the dtype and back; 2^63 wraps, as PyTorch's conversion does on x86
  double rounded = static_cast<double>(convert<T>(v));
  return rounded >= 0x1p63 ? std::numeric_limits<int64_t>::lowest() : static_cast<int64_t>(rounded);
}
int exponent(int64_t v) { return 63 - std::countl_zero(static_cast<uint64_t>(v) | 1); }
template <class T>
int64_t least_at_or_above(int64_t from) {
  if (from == std::numeric_limits<int64_t>::max()) return from;
  int64_t next = to_integer<T>(from + 1);
  return next < from ? next + (int64_t{1} << (exponent(std::abs(from + 1)) - Digits<T>::value + 1)) : from;
}
template <class T>
int64_t bound_at_or_below(int64_t to) {
  int64_t last = to_integer<T>(to - 1);
  return last >= to ? last - (int64_t{1} << (exponent(std::abs(to - 1)) - Digits<T>::value + 1)) : to;
}

template <class T>
bool holds(int64_t v, DType t) {
  if constexpr (kIsFloating<T>) return std::fabs(static_cast<double>(v)) <= largest_finite(t);
  else return v >= static_cast<int64_t>(std::numeric_limits<T>::lowest()) && v <= static_cast<int64_t>(std::numeric_limits<T>::max());
}

// `width` values from `from` on; a width of 0 means all 2^64.
template <class T>
void fill_range(const StridedView& out, int64_t from, uint64_t width, Generator& g) {
  std::lock_guard lock(g.mutex());
  auto store = [from](uint64_t offset) { return convert<T>(static_cast<int64_t>(offset + static_cast<uint64_t>(from))); };
  if (width == 0) fill<T>(out, [&] { return convert<T>(static_cast<int64_t>(g.random64())); });
  else if (width >= uint64_t{1} << 28) fill<T>(out, [&] { return store(g.random64() % width); });
  else fill<T>(out, [&, narrow = static_cast<uint32_t>(width)] { return store(g.random() % narrow); });
}

}  // namespace

IntegerRange integer_range(DType dtype, int64_t from, std::optional<int64_t> to) {
  IntegerRange r{from, 0};
  using Reason = IntegerRange::Reason;
  dispatch_if<AcceptReal>(dtype, [&](auto zero) {
    using T = decltype(zero);
    if (to) {
      if (from >= *to) return void(r.reason = Reason::Empty);
      int64_t high = *to;
      if constexpr (kIsFloating<T>) {
        r.low = least_at_or_above<T>(from), high = bound_at_or_below<T>(*to);
        if (r.low >= high) return void(r.reason = Reason::NoneBetween);
      }
      if (!holds<T>(r.low, dtype)) return void(r.reason = Reason::From);
      if (!holds<T>(high - 1, dtype)) return void(r.reason = Reason::To);
      r.width = static_cast<uint64_t>(high) - static_cast<uint64_t>(r.low);
    } else if (from != std::numeric_limits<int64_t>::lowest()) {
      int64_t last;
      if constexpr (kIsFloating<T>) {
        r.low = least_at_or_above<T>(from), last = int64_t{1} << Digits<T>::value;
        if (r.low >= last) return void(r.reason = Reason::From);
      } else {
        last = static_cast<int64_t>(std::numeric_limits<T>::max());
      }
      if (!holds<T>(r.low, dtype)) return void(r.reason = Reason::From);
      r.width = static_cast<uint64_t>(last) - static_cast<uint64_t>(r.low) + 1;
    } else {
      r.low = 0;
      if (!(std::is_same_v<T, int64_t> || (kIsFloating<T> && !std::is_same_v<T, half>))) r.reason = Reason::Narrow;
    }
  });
  return r;
}

void random_(const StridedView& out, int64_t from, std::optional<int64_t> to, Generator& generator) {
  const IntegerRange range = integer_range(out.dtype, from, to);
  dispatch_if<AcceptReal>(out.dtype, [&](auto zero) { fill_range<decltype(zero)>(out, range.low, range.width, generator); });
}

// --- bernoulli_, exponential_, dropout ---

void bernoulli_(const StridedView& out, double p, Generator& generator) {
  dispatch_if<AcceptReal>(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::lock_guard lock(generator.mutex());
    fill<T>(out, [&] { return convert<T>(u53(generator) < p); });
  });
}

void bernoulli_(const StridedView& out, const StridedView& p, Generator& generator) {
  dispatch_if<AcceptReal>(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    dispatch_if<AcceptFloating>(p.dtype, [&](auto p_zero) {
      using P = decltype(p_zero);
      std::lock_guard lock(generator.mutex());
      for_each_pair(out, &p, [&](char* to, const char* from) {
        auto probability = static_cast<std::conditional_t<std::is_same_v<P, double>, double, float>>(*reinterpret_cast<const P*>(from));
        bool one;
        if constexpr (std::is_same_v<P, double>) one = u53(generator) < probability;
        else one = u24(generator) < probability;
        *reinterpret_cast<T*>(to) = convert<T>(one);
      });
    });
  });
}

namespace {

// The position of the first element that is above `most`, below 0 or NaN; -1 if there is none.
int64_t first_outside(const StridedView& p, double most) {
  int64_t bad = -1;
  dispatch_if<AcceptFloating>(p.dtype, [&](auto zero) {
    using P = decltype(zero);
    const int64_t n = element_count(p);
    for (int64_t place = 0; place < n && bad < 0; ++place) {
      int64_t rest = place, at = 0;
      for (int d = p.ndim; d-- > 0; rest /= p.sizes[d]) at += rest % p.sizes[d] * p.strides[d];
      const auto v = static_cast<double>(reinterpret_cast<const P*>(p.data)[at]);
      if (!(v >= 0 && v <= most)) bad = place;
    }
  });
  return bad;
}

}  // namespace

int64_t first_outside_0_to_1(const StridedView& p) { return first_outside(p, 1); }
int64_t negative_rate(const StridedView& rate) { return first_outside(rate, std::numeric_limits<double>::infinity()); }

void exponential_(const StridedView& out, double lambda, Generator& generator) {
  dispatch_if<AcceptFloating>(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::lock_guard lock(generator.mutex());
    double scale = -1.0 / lambda;
    fill<T>(out, [&] { return convert<T>(scale * random_math::log1p(-u53(generator))); });
  });
}

// --- geometric_, cauchy_, log_normal_, poisson ---

void geometric_(const StridedView& out, double p, Generator& generator) {
  dispatch_if<AcceptReal>(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, bool>) {
      std::lock_guard lock(generator.mutex());
      const double scale = random_math::log1p(-p);
      fill<T>(out, [&] { return convert<T>(std::ceil(std::log(u53(generator)) / scale)); });
    }
  });
}

void cauchy_(const StridedView& out, double median, double sigma, Generator& generator) {
  dispatch_if<AcceptFloating>(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::lock_guard lock(generator.mutex());
    fill<T>(out, [&] { return convert<T>(median + sigma * std::tan(std::numbers::pi * (u53(generator) - 0.5))); });
  });
}

void log_normal_(const StridedView& out, double mean, double std, Generator& generator) {
  dispatch_if<AcceptFloating>(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::lock_guard lock(generator.mutex());
    fill<T>(out, [&] { return convert<T>(std::exp(draw_normal(generator, mean, std))); });
  });
}

namespace {

// Hoermann's transformed rejection, for rates of 10 and more.
int64_t draw_large_poisson(double rate, Generator& g) {
  const double root = std::sqrt(rate), log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b, inverse = 1.1239 + 1.1328 / (b - 3.4), bound = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = u53(g) - 0.5, v = u53(g), distance = 0.5 - std::fabs(u);
    const auto k = static_cast<int64_t>(std::floor((2 * a / distance + b) * u + rate + 0.43));
    if (distance >= 0.07 && v <= bound) return k;
    if (k < 0 || (distance < 0.013 && v > distance)) continue;
    const double height = std::log(v) + std::log(inverse) - std::log(a / (distance * distance) + b);
    int sign = 0;
    if (height <= -rate + static_cast<double>(k) * log_rate - lgamma_r(static_cast<double>(k) + 1, &sign)) return k;
  }
}

int64_t draw_poisson(double rate, Generator& g) {
  if (rate >= 10) return draw_large_poisson(rate, g);
  if (rate == 0) return 0;
  const double least = std::exp(-rate);
  int64_t count = 0;
  for (double product = u53(g); product > least; product *= u53(g)) ++count;
  return count;
}

}  // namespace

void poisson(const StridedView& out, const StridedView& rate, Generator& generator) {
  dispatch_if<AcceptFloating>(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::lock_guard lock(generator.mutex());
    for_each_pair(out, &rate, [&](char* to, const char* from) {
      const auto of = static_cast<double>(*reinterpret_cast<const T*>(from));
      *reinterpret_cast<T*>(to) = convert<T>(draw_poisson(of, generator));
    });
  });
}

// --- standard_gamma, binomial ---

namespace {

// Marsaglia and Tsang's rejection. A shape below 1 is increased by one, and the result scaled. The constants are floats, as in PyTorch.
template <class T>
double draw_gamma(T shape, Generator& g) {
  double scale = 1;
  if (shape == 0) return 0;
  if (shape < 1) {
    scale = std::pow(1 - u53(g), static_cast<double>(1 / shape));
    shape += 1;
  }
  const double d = shape - 1.0f / 3.0f, c = 1 / std::sqrt(9 * d);
  if (!(d > 0)) return std::numeric_limits<double>::quiet_NaN();  // no sample would ever be accepted for such a shape
  for (;;) {
    double x, root;
    do {
      x = draw_normal(g, 0, 1);
      root = 1 + c * x;
    } while (root <= 0);
    const double v = root * root * root, u = 1 - u53(g), square = x * x;
    if (u < 1 - static_cast<double>(0.0331f) * square * square || std::log(u) < 0.5 * square + d * (1 - v + std::log(v)))
      return scale * d * v;
  }
}

// log(k!) minus Stirling's formula for it.
double stirling_error(double k) {
  static constexpr double kFirst[] = {0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
                                      0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287};
  if (k <= 9) return kFirst[static_cast<size_t>(k)];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

// The number of geometric samples whose sum is at most the count, which is a binomial sample. For few expected successes.
template <class T>
T count_steps(T count, T p, Generator& g) {
  const auto log_failure = static_cast<double>(std::log1p(-p));
  double steps = 0;
  for (T successes = 0;; successes += 1) {
    steps += std::ceil(std::log(u53(g)) / log_failure);
    if (steps > static_cast<double>(count)) return successes;
  }
}

// Hoermann's transformed rejection, for ten expected successes and more.
template <class T>
T draw_many(T count, T p, Generator& g) {
  const T mean = count * p;
  const double deviation = std::sqrt(mean * (1 - p)), b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * static_cast<double>(p);
  const double middle = static_cast<double>(mean) + 0.5, bound = 0.92 - 4.2 / b, odds = p / (1 - p);
  const double alpha = (2.83 + 5.1 / b) * deviation, mode = std::floor((count + 1) * p), n = count;
  for (;;) {
    const double u = u53(g) - 0.5;
    double v = u53(g);
    const double distance = 0.5 - std::fabs(u);
    const T k = static_cast<T>(std::floor((2 * a / distance + b) * u + middle));
    if (k < 0 || k > count) continue;
    if (distance >= 0.07 && v <= bound) return k;
    v = std::log(v * alpha / (a / (distance * distance) + b));
    const double above = count - k + 1, next = k + 1;
    const double height = (mode + 0.5) * std::log((mode + 1) / (odds * (n - mode + 1))) +
                          static_cast<double>(count + 1) * std::log((n - mode + 1) / above) +
                          (static_cast<double>(k) + 0.5) * std::log(odds * above / next) + stirling_error(mode) + stirling_error(n - mode) -
                          stirling_error(k) - stirling_error(count - k);
    if (v <= height) return k;
  }
}

template <class T>
T draw_binomial(T count, T p, Generator& g) {
  if (count <= 0 || p <= 0) return 0;
  if (p >= 1) return count;
  if (std::isnan(p) || !std::isfinite(count)) return std::numeric_limits<T>::quiet_NaN();
  const bool turned = p > T(0.5);  // draw the number of failures
  if (turned) p = static_cast<T>(1.0 - static_cast<double>(p));
  const T drawn = count * p >= 10 ? draw_many(count, p, g) : count_steps(count, p, g);
  return turned ? count - drawn : drawn;
}

template <class T>
struct AcceptWide : std::bool_constant<std::is_floating_point_v<T>> {};

}  // namespace

void standard_gamma(const StridedView& out, const StridedView& shape, Generator& generator) {
  dispatch_if<AcceptWide>(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    constexpr T kLeast = std::numeric_limits<T>::min();
    std::lock_guard lock(generator.mutex());
    for_each_pair(out, &shape, [&](char* to, const char* from) {
      const T drawn = static_cast<T>(draw_gamma(*reinterpret_cast<const T*>(from), generator));
      *reinterpret_cast<T*>(to) = drawn < kLeast ? kLeast : drawn;
    });
  });
}

void binomial(const StridedView& out, const StridedView& count, const StridedView& p, Generator& generator) {
  dispatch_if<AcceptWide>(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::lock_guard lock(generator.mutex());
    T* to = reinterpret_cast<T*>(out.data);
    auto *tries = reinterpret_cast<const T*>(count.data), *chance = reinterpret_cast<const T*>(p.data);
    for (int64_t place = 0, n = element_count(out); place < n; ++place) {
      int64_t rest = place, of_count = 0, of_p = 0;
      for (int d = out.ndim; d-- > 0; rest /= out.sizes[d]) {
        const int64_t i = rest % out.sizes[d];
        of_count += i * count.strides[d], of_p += i * p.strides[d];
      }
      to[place] = draw_binomial(tries[of_count], chance[of_p], generator);
    }
  });
}

void dropout_noise(const StridedView& out, double p, Generator& generator) {
  dispatch_if<AcceptFloating>(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
    double keep = 1 - p;
    T kept = convert<T>(C{1} / static_cast<C>(keep)), dropped = convert<T>(0.0f);
    std::lock_guard lock(generator.mutex());
    fill<T>(out, [&] { return u53(generator) < keep ? kept : dropped; });
  });
}

// --- randperm ---

int64_t longest_permutation(DType dtype) {
  int64_t limit = std::numeric_limits<int64_t>::max();
  dispatch_if<AcceptReal>(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) == 8) return;
    else if constexpr (kIsFloating<T>) limit = (int64_t{1} << Digits<T>::value) + 1;
    else limit = static_cast<int64_t>(std::numeric_limits<T>::max());
  });
  return limit;
}

void randperm(const StridedView& out, Generator& generator) {
  int64_t n = out.sizes[0], stride = out.strides[0];
  dispatch_if<AcceptReal>(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, bool>) {
      T* data = reinterpret_cast<T*>(out.data);
      std::lock_guard lock(generator.mutex());
      if (n < std::numeric_limits<uint32_t>::max() / 20) {
        for (int64_t i = 0; i < n; ++i) data[i * stride] = convert<T>(i);
        for (int64_t i = 0; i < n - 1; ++i) {
          int64_t far = i + generator.random() % static_cast<uint32_t>(n - i);
          std::swap(data[i * stride], data[far * stride]);
        }
        return;
      }
      for (int64_t i = 0; i < n; ++i) {  // an inside-out shuffle, with one pass over the data
        int64_t far = static_cast<int64_t>(generator.random64() % static_cast<uint64_t>(i + 1));
        data[i * stride] = convert<T>(i);
        data[i * stride] = data[far * stride];
        data[far * stride] = convert<T>(i);
      }
    }
  });
}

// --- multinomial ---

namespace {

// A row of weights, and the memory for its samples.
template <class T>
struct CategoryRow {
  const T* weights;
  int64_t stride, count;
  int64_t* out;
  int64_t out_stride;
};

// Sorts the largest ratios first. Equal ratios have the order of std::partial_sort, which PyTorch's topk uses.
template <class C>
void take_largest(std::span<std::pair<C, int64_t>> ratios, int64_t k) {
  auto above = [](const auto& a, const auto& b) { return (std::isnan(a.first) && !std::isnan(b.first)) || a.first > b.first; };
  auto middle = ratios.begin() + k;
  if (k == 1) {
    std::iter_swap(ratios.begin(), std::min_element(ratios.begin(), ratios.end(), above));  // argmax: the first of equals
  } else if (k * 64 <= static_cast<int64_t>(ratios.size())) {
    std::partial_sort(ratios.begin(), middle, ratios.end(), above);
  } else {
    std::nth_element(ratios.begin(), middle - 1, ratios.end(), above);
    std::sort(ratios.begin(), middle - 1, above);
  }
}

template <class C, class T>
void sample_row(const CategoryRow<T>& row, int64_t samples, std::span<C> sums, Generator& g) {
  C total = 0;
  for (int64_t j = 0; j < row.count; ++j) sums[j] = total = total + static_cast<C>(row.weights[j * row.stride]);
  for (C& s : sums) s /= total;
  sums.back() = 1;
  for (int64_t j = 0; j < samples; ++j) {
    double u = u53(g);
    row.out[j * row.out_stride] = std::lower_bound(sums.begin(), sums.end(), u, [](C sum, double v) { return sum < v; }) - sums.begin();
  }
}

template <class T>
WeightCheck check_row(const CategoryRow<T>& row) {
  double total = 0;
  for (int64_t j = 0; j < row.count; ++j) {
    const auto w = static_cast<double>(row.weights[j * row.stride]);
    if (!(w >= 0 && w < std::numeric_limits<double>::infinity())) return WeightCheck::Bad;
    total += w;
  }
  return total > 0 ? WeightCheck::Good : WeightCheck::AllZero;
}

// The scratch memory of a row without replacement; the noise of all rows stands before it.
int64_t noise_bytes(DType dtype, int64_t rows, int64_t count) { return round_up(rows * count * element_size(dtype), 64); }

}  // namespace

int64_t multinomial_scratch(DType dtype, int64_t rows, int64_t count, int64_t samples, bool replacement) {
  const bool wide = dtype == DType::f64;
  if (replacement && samples > 1) return count * (wide ? 8 : 4);
  const auto pair = static_cast<int64_t>(wide ? sizeof(std::pair<double, int64_t>) : sizeof(std::pair<float, int64_t>));
  return noise_bytes(dtype, rows, count) + count * pair;
}

WeightCheck check_multinomial_weights(const StridedView& p) {
  const int last = p.ndim - 1;
  WeightCheck verdict = WeightCheck::Good;
  dispatch_if<AcceptFloating>(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0, rows = last ? p.sizes[0] : 1; i < rows && verdict == WeightCheck::Good; ++i)
      verdict = check_row(
          CategoryRow<T>{reinterpret_cast<const T*>(p.data) + (last ? i * p.strides[0] : 0), p.strides[last], p.sizes[last], nullptr, 0});
  });
  return verdict;
}

void multinomial(const StridedView& out, const StridedView& p, int64_t samples, bool replacement, Generator& generator, char* scratch) {
  int last = p.ndim - 1;
  int64_t rows = p.ndim == 2 ? p.sizes[0] : 1, count = p.sizes[last];
  dispatch_if<AcceptFloating>(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
    auto row_at = [&](int64_t i) {
      return CategoryRow<T>{reinterpret_cast<const T*>(p.data) + (last ? i * p.strides[0] : 0), p.strides[last], count,
                            reinterpret_cast<int64_t*>(out.data) + (last ? i * out.strides[0] : 0), out.strides[last]};
    };
    if (replacement && samples > 1) {
      const std::span sums(reinterpret_cast<C*>(scratch), static_cast<size_t>(count));
      std::lock_guard lock(generator.mutex());
      for (int64_t i = 0; i < rows; ++i) sample_row(row_at(i), samples, sums, generator);
      return;
    }
    T* noise = reinterpret_cast<T*>(scratch);
    int64_t strides[2] = {count, 1};
    if (last && p.strides[0] < p.strides[1] && p.strides[0] != 0) strides[0] = 1, strides[1] = rows;  // the memory order of p
    exponential_({p.dtype, scratch, p.ndim, p.sizes, strides + (last ? 0 : 1)}, 1, generator);
    const std::span ratios(reinterpret_cast<std::pair<C, int64_t>*>(scratch + noise_bytes(p.dtype, rows, count)),
                           static_cast<size_t>(count));
    for (int64_t i = 0; i < rows; ++i) {
      CategoryRow<T> row = row_at(i);
      for (int64_t j = 0; j < count; ++j) {
        T q = noise[i * strides[0] + j * strides[1]];
        ratios[j] = {static_cast<C>(convert<T>(static_cast<C>(row.weights[j * row.stride]) / static_cast<C>(q))), j};
      }
      take_largest(ratios, samples);
      for (int64_t j = 0; j < samples; ++j) row.out[j * row.out_stride] = ratios[j].second;
    }
  });
}

}  // namespace monograph
