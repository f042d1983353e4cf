// Random fills with the bits of PyTorch's CPU kernels (2.13, AVX2 build). Each consumes 32-bit words of the generator ("words") in a fixed order, so
// that a seed gives the same numbers in both. They write to a StridedView.
//
// Rules of every fill:
// - Elements are visited in memory order, not in logical order: dimensions by rising stride (normal_ on contiguous memory: see there).
// - u24 is the low 24 bits of one word times 2^-24, a float; u53 the low 53 bits of two words (first one high) times 2^-53, a double.
// - float16 and bfloat16 values are float32 values, rounded; doubles are rounded to float32 on the way.
// - A view without elements consumes no words.
// - The generator is locked during a fill.
// - The caller has checked dtypes and numbers (kernels/random_checks.h), and the elements of probabilities and weights.
#pragma once

#include <cstdint>
#include <optional>

#include "core/dtype.h"
#include "core/generator.h"
#include "kernels/call.h"

namespace monograph {

// Two loops are kept: one for the parts of complex numbers, one for a tensor without dims.
inline constexpr int kMaxRandomDims = static_cast<int>(kMaxDims) - 2;

// The memory of a tensor: `ndim` sizes and strides; strides are in elements. Only operands that are read may have strides of 0.
struct StridedView {
  DType dtype;
  char* data;
  int ndim;
  const int64_t* sizes;
  const int64_t* strides;
};

// float16, bfloat16, float32: u24; float64: u53. Then x * (to - from) + from with one rounding (fma), and a value that rounds to `to`
// becomes `from`: the range is half open in every dtype. `from` and `to` are rounded to float32 first, except for float64.
// Complex: as twice the floats. With from = -b, to = b this is the default initialization of layers (kaiming_uniform_).
void uniform_(const StridedView& out, double from, double to, Generator& generator);

// One of three algorithms, chosen by PyTorch's rules (complex: as twice the floats, with std / sqrt(2)):
// - Fewer than 16 elements, or not contiguous in logical order: per pair of values u1 and u53 u2 make radius sqrt(-2 log1p(-u2)) and angle
//   2 pi u1 in double; the cosine's value comes first, the sine's is cached in the generator for the next such draw, in whatever call.
// - float32 and float64, contiguous, 16 or more: all elements are filled with uniform values (u24, u53), then blocks of 16 are
//   transformed, the first 8 being 1 - radius uniforms, the last 8 angles; where 16 does not divide the count, the last 16 elements are
//   filled and transformed anew. float32 computes in single precision (random_math.h).
// - float16, bfloat16 likewise, but block by block: a tail takes 16 more words, and no words are spent on its first filling.
void normal_(const StridedView& out, double mean, double std, Generator& generator);

// The dtype's natural range. Integers: a word (int64: two) modulo max + 1, so never negative; bool: the lowest bit of a word;
// floating: a word (float64: two) modulo 2^digits + 1, digits being those of the significand (24, 53, 11, 8).
void random_(const StridedView& out, Generator& generator);

// Integers of [from, to): `from` + a word modulo to - from, or + two words modulo it where to - from is 2^28 or more. Floating dtypes first
// move `from` up and `to` down to values they can hold. This is randint too.
// Without `to` the range reaches to the dtype's largest value, included (floating: 2^digits); from INT64_MIN on it is all
// 64-bit values, two words each (int64, float32, float64, bfloat16 only).
void random_(const StridedView& out, int64_t from, std::optional<int64_t> to, Generator& generator);
// The integers that random_ with bounds draws: `width` integers from `low` on; a width of 0 means all 2^64.
struct IntegerRange {
  int64_t low;
  uint64_t width;
  // Why there is no range. Empty: from >= to. NoneBetween: the dtype has no number in [from, to). From, To: the dtype does not hold this bound.
  // Narrow: the range needs 64 bits, and the dtype has fewer.
  enum class Reason : uint8_t { None, Empty, NoneBetween, From, To, Narrow } reason = Reason::None;
};
IntegerRange integer_range(DType dtype, int64_t from, std::optional<int64_t> to);

// 1 where u53 < p, else 0: two words an element for every dtype but complex.
void bernoulli_(const StridedView& out, double p, Generator& generator);
// One p for each element; strides of 0 broadcast. u24 < p (one word) for p of float16, bfloat16, float32; u53 < p (two words) for float64.
void bernoulli_(const StridedView& out, const StridedView& p, Generator& generator);
// The position, in row-major order, of the first element that is not in [0, 1]; -1 if there is none.
int64_t first_outside_0_to_1(const StridedView& p);

// (-1 / lambda) * log1p(-u53), two words for every floating dtype.
void exponential_(const StridedView& out, double lambda, Generator& generator);

// Two words an element, u = u53, rounded to the dtype. geometric_: ceil(log(u) / log1p(-p)). cauchy_: median + sigma * tan(pi (u - 1/2)).
// log_normal_: the exponential of a value of normal_'s first algorithm.
void geometric_(const StridedView& out, double p, Generator& generator);
void cauchy_(const StridedView& out, double median, double sigma, Generator& generator);
void log_normal_(const StridedView& out, double mean, double std, Generator& generator);
// Poisson samples, with one rate for each element. Rate below 10: multiplies u53s until the product is less than exp(-rate). Else Hoermann's
// transformed rejection, with pairs of u53s.
void poisson(const StridedView& out, const StridedView& rate, Generator& generator);
// The position, in row-major order, of the first rate that is below 0 or NaN; -1 if there is none.
int64_t negative_rate(const StridedView& rate);

// Gamma samples of rate 1, with one shape parameter for each element, by Marsaglia and Tsang's rejection: each try takes values of normal_'s first
// algorithm and a u53; a shape below 1 takes one more u53 first. Samples are at least the dtype's smallest normal number. A shape that is not a
// positive number gives NaN. float32 and float64.
void standard_gamma(const StridedView& out, const StridedView& shape, Generator& generator);
// Binomial samples in row-major order: the number of successes in `count` trials of probability `p`. `out` is contiguous; the others have its sizes.
// If p is above 1/2, failures are drawn. Below ten expected successes: sums of geometric samples (a u53 each). Else Hoermann's transformed rejection,
// with pairs of u53s.
void binomial(const StridedView& out, const StridedView& count, const StridedView& p, Generator& generator);

// A permutation of 0 .. n-1; `out` has one dim of size n. For i = 0 .. n-2, element i swaps with element i + word mod (n - i).
// For n >= 214,748,364, an inside-out shuffle with two words an element.
void randperm(const StridedView& out, Generator& generator);
// The largest n whose permutations the dtype can hold.
int64_t longest_permutation(DType dtype);

// `samples` category numbers per row of p (one or two dims, floating), drawn by weight into `out` (int64, samples or rows x samples).
// Without replacement, and for one sample: q = exponential_(1) in p's dtype and memory order; the largest p / q in descending order.
// With: running sums of the row in p's dtype (float32 for the half ones), divided by the last; per sample the first sum >= u53.
void multinomial(const StridedView& out, const StridedView& p, int64_t samples, bool replacement, Generator& generator, char* scratch);
int64_t multinomial_scratch(DType dtype, int64_t rows, int64_t count, int64_t samples, bool replacement);
// Checks the weights of multinomial. Bad: one is below 0, infinite or NaN. AllZero: all weights of a row are zero.
enum class WeightCheck : uint8_t { Good, Bad, AllZero };
WeightCheck check_multinomial_weights(const StridedView& p);

// The factors of dropout with probability p of zero: bernoulli_(1 - p) divided by 1 - p, in the input's dtype. `out` has the
// input's memory order. Dropout with p = 0 or p = 1 draws nothing, and is not for this function.
void dropout_noise(const StridedView& out, double p, Generator& generator);

}  // namespace monograph
