// sin, cos, tan and the inverse functions. Arguments are reduced by multiples of pi/2: as by Cody and Waite with pi/2 in three parts, and huge ones as by Payne
// and Hanek (Radian Reduction for Trigonometric Functions, 1983) with integers. tools/elementary/minimax.py computes the polynomials.
#include <vector>

#include "ops/elementary/detail.h"

namespace monograph::detail {
namespace {

// x = q pi/2 + r + low. |r| is at most a little more than pi/4, and low is smaller than the last bit of r. Only the low two bits of the integer q matter.
struct Quadrant {
  Num r, low, q;
};

// An angle, counted in units of 2^-62 quadrants.
struct Turns {
  Num rest, q;  // q 2^62 + rest, |rest| <= 2^61
};

// words[index ... index + count - 1] for an index that is known only at run time and is below 2^index_bits. It is computed by a network of selects.
std::vector<Num> pick(std::span<const uint64_t> words, Num index, int index_bits, int count) {
  std::vector<Num> v;
  for (uint64_t w : words) v.push_back(lit_int(DType::i64, static_cast<int64_t>(w)));
  for (int bit = index_bits; bit-- > 0;) {
    Num set = (index & (int64_t{1} << bit)) != lit_int(index.t, 0);
    const size_t needed = count + (size_t{1} << bit) - 1;
    for (size_t i = 0; i < needed && i + (1 << bit) < v.size(); ++i) v[i] = where(set, v[i + (1 << bit)], v[i]);
  }
  v.erase(v.begin() + count, v.end());
  return v;
}

// The 64 bits from bit `shift` (0 ... 63) of the 128 bits high:low.
Num funnel(Num high, Num low, Num shift) { return (high << shift) | shr(shift_right(low, 1), lit_int(DType::i64, 63) - shift); }

Num convert_i64(Num x) { return convert(x, DType::f64); }

Turns split_turns(Num p) {
  Num q = sar(p + (int64_t{1} << 61), lit_int(DType::i64, 62));
  return {p - (q << 62), q};
}

// For |x| = m 2^e: multiplies m by the bits of 2/pi from weight 2^(1-e) on, modulo 4. r is float64.
Quadrant reduce_huge_f32(Num x) {
  Num wide = convert(bits(abs(x)), DType::i64);
  Num exponent = shift_right(wide, 23);
  Num m = (wide & 0x7fffff) + (int64_t{1} << 23);
  Num position = exponent - int64_t{150 - 14};
  Num word = shift_right(position, 5);
  Num shift = position & 31;
  // kTwoOverPiF32 holds 64 bits from every 32nd bit on, so word k + 2 follows word k.
  std::vector<Num> w = pick(tables::kTwoOverPiF32, word, 2, 3);
  Num low = shift_right(w[2] << shift, 32);
  auto [rest, q] = split_turns(m * funnel(w[0], w[2], shift) + shift_right(m * low, 32));
  return {convert_i64(rest) * (tables::kPiHalfF64[0] * 0x1p-62), lit(DType::f64, 0), q};
}

// The upper 64 bits of the product of m >= 0 and an unsigned w.
Num unsigned_high(Num m, Num w) { return mul_hi(m, w) + (m & sar(w, lit_int(DType::i64, 63))); }

Quadrant reduce_huge_f64(Num x) {
  Num b = bits(abs(x));
  Num exponent = shift_right(b, 52);
  Num m = (b & ((int64_t{1} << 52) - 1)) + (int64_t{1} << 52);
  Num position = exponent - int64_t{1075 - 30};
  Num shift = position & 63;
  std::vector<Num> w = pick(tables::kTwoOverPiF64, shift_right(position, 6), 4, 4);
  Num w0 = funnel(w[0], w[1], shift), w1 = funnel(w[1], w[2], shift), w2 = funnel(w[2], w[3], shift);
  // The upper 128 of the lower 192 bits of m (w0:w1:w2).
  Num product = m * w1;
  Num low = product + unsigned_high(m, w2);
  Num flip = lit_int(DType::i64, INT64_MIN);
  Num carry = convert((low ^ flip) < (product ^ flip), DType::i64);
  auto [rest, q] = split_turns(m * w0 + unsigned_high(m, w1) + carry);
  Num high = convert_i64(rest) * 0x1p-62;
  Num quarters = fma(convert_i64(shift_right(low, 1)), 0x1p-125, high);
  Num r = quarters * tables::kPiHalfF64[0];
  return {r, fma(quarters, tables::kPiHalfF64[1], fma(quarters, tables::kPiHalfF64[0], -r)), q};
}

// For |x| up to kModerateF32 or kModerateF64. There n (pi/2)_hi is exact to the last bit of x, so the first step has no error.
Quadrant reduce_moderate(Num x, bool with_low) {
  const double magic = format(x.t).magic;
  const ConstantSpan pi_half = choose(x, tables::kPiHalfF32, tables::kPiHalfF64);
  Num shifted = fma(x, 0x1.45f306dc9c883p-1, magic);
  Num n = shifted - magic;
  Num exact = fma(n, -pi_half[0], x);
  if (!with_low) return {fma(n, -pi_half[2], fma(n, -pi_half[1], exact)), lit(x.t, 0), bits(shifted)};
  // exact - n pi_half[1] as the sum of two floats (by Knuth's method, because either may be the larger), then the third part of pi/2
  Num p = n * pi_half[1];
  Num r = exact - p;
  Num taken = r - exact;
  Num low = (exact - (r - taken)) - (p + taken) - fma(n, pi_half[1], -p);
  return {r, fma(n, -pi_half[2], low), bits(shifted)};
}

constexpr double kModerateF32 = 0x1p14, kModerateF64 = 0x1p30;

// finish(the reduced x). The reduction is computed in `type`, which may be float64 for a float32 x. `finish` is recorded twice, once behind each way of
// reduction, so that no instruction of the rare way is outside of its branch.
template <class Finish>
Num reduce_and(Num x, DType type, bool with_low, Finish finish) {
  Num wide = convert(x, type);
  Num a = abs(wide);
  Num huge = a > (type == DType::f32 ? kModerateF32 : kModerateF64);
  Quadrant near = reduce_moderate(wide, with_low);
  Quadrant far = is_f32(x) ? reduce_huge_f32(x) : reduce_huge_f64(x);
  Num negative = x < 0.0;
  Num far_r = where(a < infinity(type), convert(where(negative, -far.r, far.r), type), nan(type));
  Num far_low = with_low ? where(negative, -far.low, far.low) : near.low;
  Num far_q = convert(where(negative, -far.q, far.q), near.q.t);
  return where_rare(huge, finish(Quadrant{far_r, far_low, far_q}), finish(near));
}

Num sin_of_reduced(Num r, Num u, ConstantSpan table) { return fma(r * u, polynomial(u, table), r); }
Num cos_of_reduced(Num u, ConstantSpan table) { return fma(u * u, polynomial(u, table), fma(u, -0.5, 1.0)); }

// sin(x + turns pi/2).
Num sine(Num x, int64_t turns) {
  return reduce_and(x, x.t, false, [&](Quadrant quadrant) {
    auto [r, low, q] = quadrant;
    if (turns != 0) q = q + turns;
    Num u = r * r;
    Num s = sin_of_reduced(r, u, choose(x, tables::kSinF32, tables::kSinF64));
    Num c = cos_of_reduced(u, choose(x, tables::kCosF32, tables::kCosF64));
    const int width = static_cast<int>(element_size(x.t)) * 8;
    Num odd = (q & 1) != lit_int(q.t, 0);
    Num sign = (q & 2) << (width - 2);
    return from_bits(bits(where(odd, c, s)) ^ sign, x.t);
  });
}

}  // namespace

Num sin_body(Num x, Num) { return where(x == 0.0, x, sine(x, 0)); }
Num cos_body(Num x, Num) { return sine(x, 1); }

// The quotient of sin and cos. float32 is computed in float64, because two more roundings would exceed the bound of its error. For the same reason float64 uses
// the low part of the reduced argument too.
Num tan_body(Num x, Num) {
  const bool f32 = is_f32(x);
  Num y = reduce_and(x, DType::f64, !f32, [&](Quadrant quadrant) {
    auto [r, low, q] = quadrant;
    Num u = r * r;
    Num s, c;
    if (f32) {
      s = sin_of_reduced(r, u, tables::kSinHalf);
      c = cos_of_reduced(u, tables::kCosHalf);
    } else {
      Num half = u * 0.5;
      Num first = 1.0 - half;
      s = r + fma(r * u, polynomial(u, tables::kSinF64), low * first);
      c = first + ((1.0 - first - half) + fma(u * u, polynomial(u, tables::kCosF64), -(r * low)));
    }
    Num odd = (q & 1) != lit_int(q.t, 0);
    return where(odd, -c, s) / where(odd, s, c);
  });
  return where(x == 0.0, x, convert(y, x.t));
}

// Up to 9/16 a polynomial is used; above, asin a = pi/2 - 2 asin(sqrt((1 - a) / 2)), where what is subtracted is below 1.
static constexpr double kAsinSplit = 0.5625;

struct AsinParts {
  Num big, z, tail;  // asin z = z + tail
};

static AsinParts asin_parts(Num a) {
  Num big = a > kAsinSplit;
  Num u = where(big, fma(a, -0.5, 0.5), a * a);
  Num z = where(big, sqrt(u), a);
  return {big, z, z * u * polynomial(u, choose(a, tables::kAsinF32, tables::kAsinF64))};
}

Num asin_body(Num x, Num) {
  const ConstantSpan pi_half = choose(x, tables::kPiHalfF32, tables::kPiHalfF64);
  auto [big, z, tail] = asin_parts(abs(x));
  Num small = z + tail;
  Num large = pi_half[0] - (fma(tail, 2.0, -pi_half[1]) + (z + z));
  return with_sign_of(where(big, large, small), x);
}

Num acos_body(Num x, Num) {
  const ConstantSpan pi_half = choose(x, tables::kPiHalfF32, tables::kPiHalfF64);
  auto [big, z, tail] = asin_parts(abs(x));
  Num negative = x < 0.0;
  Num twice = (z + tail) * 2.0;
  Num far = where(negative, 2 * pi_half[0] - (twice - 2 * pi_half[1]), twice);
  Num tail_of_x = where(negative, -tail, tail);
  Num near = pi_half[0] - (x + (tail_of_x - pi_half[1]));
  return where(big, far, near);
}

// atan(n / d) = turns pi/2 + t + tail with |t| <= tan(pi/8), for n / d >= 0. n, d and their sum must be finite, and not both may be 0. A caller may change
// `turns` to add an angle: multiples of pi/4 up to pi are exact in both parts of pi/2.
struct AtanParts {
  Num turns, t, tail;
};

static AtanParts atan_of_quotient(Num n, Num d, ConstantSpan table) {
  const double tan_eighth = 0.41421356237309503, tan_three_eighths = 2.414213562373095;
  Num steep = n > d * tan_three_eighths;
  Num middle = n > d * tan_eighth;
  Num t = where(steep, -d, where(middle, n - d, n)) / where(steep, n, where(middle, n + d, d));
  Num u = t * t;
  Num turns = where(steep, lit(n.t, 1), where(middle, lit(n.t, 0.5), lit(n.t, 0)));
  return {turns, t, t * u * polynomial(u, table)};
}

static Num add_turns(const AtanParts& parts) {
  return parts.turns * tables::kPiHalfF64[0] + (fma(parts.turns, tables::kPiHalfF64[1], parts.tail) + parts.t);
}

// atan in float32. One polynomial is used up to 1, because the rounding of a second reduction would exceed the bound of the error.
static Num atan_f32(Num x) {
  Num a = abs(x);
  Num steep = a > 1.0;
  Num t = where(steep, 1.0 / a, a);
  Num u = t * t;
  Num tail = t * u * polynomial(u, tables::kAtanF32);
  Num y = where(steep, tables::kPiHalfF32[0] - (t + (tail - tables::kPiHalfF32[1])), t + tail);
  return with_sign_of(y, x);
}

Num atan_body(Num x, Num) {
  if (is_f32(x)) return atan_f32(x);
  Num a = abs(x);
  return with_sign_of(add_turns(atan_of_quotient(at_most(a, 0x1p100), lit(x.t, 1), tables::kAtanF64)), x);
}

// float32 is computed in float64, where no quotient or sum leaves the range. float64 operands are scaled so that they stay in it.
Num atan2_body(Num y, Num x) {
  const bool f32 = is_f32(y);
  Num n = abs(convert(y, DType::f64)), d = abs(convert(x, DType::f64));
  Num inf = infinity(DType::f64);
  // If an operand is infinite, it counts as 1 and a finite one as 0.
  Num any_inf = (n == inf) | (d == inf);
  Num zero = lit(DType::f64, 0), one = lit(DType::f64, 1);
  Num n1 = where(any_inf, where(n == inf, one, zero), n);
  Num d1 = where(any_inf, where(d == inf, one, zero), d);
  d1 = where((n1 == 0.0) & (d1 == 0.0), one, d1);
  if (!f32) {
    Num larger = where(n1 < d1, d1, n1);
    Num factor = where(larger > 0x1p900, lit(DType::f64, 0x1p-100), where(larger < 0x1p-900, lit(DType::f64, 0x1p100), one));
    n1 = n1 * factor;
    d1 = d1 * factor;
  }
  auto [turns, t, tail] = atan_of_quotient(n1, d1, f32 ? ConstantSpan(tables::kAtanHalf) : ConstantSpan(tables::kAtanF64));
  Num left = sign_bit(x) != lit_int(format(x.t).integer, 0);
  Num r = add_turns({where(left, 2.0 - turns, turns), where(left, -t, t), where(left, -tail, tail)});
  Num result = with_sign_of(convert(r, y.t), y);
  return where(is_nan(x) | is_nan(y), x + y, result);
}

}  // namespace monograph::detail
