// Checks of the arguments of random operators: the dtype, and bounds that the dtype can hold. The messages are PyTorch's where it has one.
#include "kernels/random_checks.h"

#include "core/error.h"
#include "kernels/random.h"

namespace monograph {
namespace {

[[noreturn]] void refuse(std::string_view op, DType t) { fail(ErrorKind::Runtime, "[", op, "] not implemented for ", name(t)); }

void check_floating(std::string_view op, DType t) {
  if (!is_floating(t)) refuse(op, t);
}
void check_real(std::string_view op, DType t) {
  if (is_complex(t)) refuse(op, t);
}

}  // namespace

void check_random_dims(std::string_view op, int64_t dims) {
  MONOGRAPH_CHECK(dims <= kMaxRandomDims, Runtime, "[", op, "] expected at most ", kMaxRandomDims, " dimensions, but got ", dims);
}

void check_uniform(std::string_view op, DType dtype, double from, double to) {
  if (is_complex(dtype)) dtype = real_type(dtype);
  check_floating(op, dtype);
  const double limit = largest_finite(dtype);
  MONOGRAPH_CHECK(from >= -limit && from <= limit, Runtime, "[", op, "] from is out of bounds for ", name(dtype));
  MONOGRAPH_CHECK(to >= -limit && to <= limit, Runtime, "[", op, "] to is out of bounds for ", name(dtype));
  MONOGRAPH_CHECK(from <= to, Runtime, "[", op, "] expected from <= to, but got from=", from, " > to=", to);
  MONOGRAPH_CHECK(to - from <= limit, Runtime, "[", op, "] expected to - from to be at most the largest ", name(dtype), ", but got to=", to,
                  " and from=", from);
}

void check_normal(std::string_view op, DType dtype, double std) {
  MONOGRAPH_CHECK(std >= 0, Runtime, "[", op, "] expected std >= 0, but got ", std);
  if (!is_complex(dtype)) check_floating(op, dtype);
}

void check_random(std::string_view op, DType dtype) { check_real(op, dtype); }

void check_random(std::string_view op, DType dtype, int64_t from, std::optional<int64_t> to) {
  check_real(op, dtype);
  using Reason = IntegerRange::Reason;
  switch (integer_range(dtype, from, to).reason) {
    case Reason::None: return;
    case Reason::Empty: fail(ErrorKind::Runtime, "[", op, "] expected from < to, but got from=", from, " >= to=", *to);
    case Reason::NoneBetween:
      fail(ErrorKind::Runtime, "[", op, "] no ", name(dtype), " lies in the range from ", from, " to ", to.value_or(0));
    case Reason::From: fail(ErrorKind::Runtime, "[", op, "] from is out of bounds for ", name(dtype), ": ", from);
    case Reason::To: fail(ErrorKind::Runtime, "[", op, "] to - 1 is out of bounds for ", name(dtype), ": ", to.value_or(0) - 1);
    case Reason::Narrow:
      fail(ErrorKind::Runtime, "[", op, "] the full range of 64 bits exists for int64, float32, float64 and bfloat16, not for ",
           name(dtype));
  }
}

void check_bernoulli(std::string_view op, DType dtype, double p) {
  MONOGRAPH_CHECK(p >= 0 && p <= 1, Runtime, "[", op, "] expected p in [0, 1], but got ", p);
  check_real(op, dtype);
}
void check_bernoulli(std::string_view op, DType dtype, DType probabilities) {
  check_real(op, dtype);
  check_floating(op, probabilities);
}

void check_exponential(std::string_view op, DType dtype, double lambda) {
  MONOGRAPH_CHECK(lambda > 0, Runtime, "[", op, "] expected lambda > 0, but got ", lambda);
  check_floating(op, dtype);
}

void check_randperm(std::string_view op, DType dtype, int64_t n) {
  check_real(op, dtype);
  if (dtype == DType::b1) refuse(op, dtype);
  MONOGRAPH_CHECK(n >= 0, Runtime, "[", op, "] n must be non-negative, got ", n);
  const int64_t limit = longest_permutation(dtype);
  MONOGRAPH_CHECK(n <= limit, Runtime, "[", op, "] expected n of at most ", limit, " for ", name(dtype), ", but got ", n);
}

void check_multinomial(std::string_view op, DType weights, int64_t count, int64_t samples, bool replacement) {
  check_floating(op, weights);
  MONOGRAPH_CHECK(samples > 0, Runtime, "[", op, "] expected at least one sample, but got ", samples);
  MONOGRAPH_CHECK(replacement || samples <= count, Runtime, "[", op, "] cannot draw ", samples, " samples from ", count,
                  " categories without replacement");
}

}  // namespace monograph
