// The table of the elementary functions and their slopes, and expand(), which replaces calls in a body by the instructions of the functions.
#include "ops/elementary/elementary.h"

#include <numbers>

#include "core/error.h"
#include "ops/elementary/detail.h"

namespace monograph {
namespace {

// The derivative of each function: with respect to argument k, where x and y are the arguments and z is the result.
#define MONOGRAPH_SLOPE(name) \
  Num name##_slope([[maybe_unused]] int k, [[maybe_unused]] Num x, [[maybe_unused]] Num y, [[maybe_unused]] Num z)

constexpr double kTwoOverSqrtPi = 0x1.20dd750429b6dp+0;

MONOGRAPH_SLOPE(exp) { return z; }
MONOGRAPH_SLOPE(exp2) { return z * std::numbers::ln2; }
MONOGRAPH_SLOPE(expm1) { return z + 1.0; }
MONOGRAPH_SLOPE(log) { return 1.0 / x; }
MONOGRAPH_SLOPE(log2) { return 1.0 / (x * std::numbers::ln2); }
MONOGRAPH_SLOPE(log10) { return 1.0 / (x * std::numbers::ln10); }
MONOGRAPH_SLOPE(log1p) { return 1.0 / (x + 1.0); }
MONOGRAPH_SLOPE(sin) { return cos(x); }
MONOGRAPH_SLOPE(cos) { return -sin(x); }
MONOGRAPH_SLOPE(tan) { return z * z + 1.0; }
MONOGRAPH_SLOPE(asin) { return 1.0 / sqrt(1.0 - x * x); }
MONOGRAPH_SLOPE(acos) { return -1.0 / sqrt(1.0 - x * x); }
MONOGRAPH_SLOPE(atan) { return 1.0 / (x * x + 1.0); }
MONOGRAPH_SLOPE(sinh) { return cosh(x); }
MONOGRAPH_SLOPE(cosh) { return sinh(x); }
MONOGRAPH_SLOPE(tanh) { return 1.0 - z * z; }
MONOGRAPH_SLOPE(asinh) { return 1.0 / sqrt(x * x + 1.0); }
MONOGRAPH_SLOPE(acosh) {
  if (Recorder::current().for_complex) return 1.0 / (sqrt(x - 1.0) * sqrt(x + 1.0));  // a single root would have another branch cut
  return 1.0 / sqrt(x * x - 1.0);
}
MONOGRAPH_SLOPE(atanh) { return 1.0 / (1.0 - x * x); }
MONOGRAPH_SLOPE(erf) { return exp(-(x * x)) * kTwoOverSqrtPi; }
MONOGRAPH_SLOPE(erfc) { return exp(-(x * x)) * -kTwoOverSqrtPi; }
MONOGRAPH_SLOPE(rsqrt) { return z * z * z * -0.5; }

// At the origin the slopes are 0, as in PyTorch. Here x is the first argument, which atan2 calls y.
MONOGRAPH_SLOPE(atan2) {
  Num inverse = 1.0 / (x * x + y * y);
  inverse = where(inverse == detail::infinity(x.t), lit(x.t, 0), inverse);
  return k == 0 ? y * inverse : -x * inverse;
}

// As in PyTorch, the derivative with respect to the base is 0 if the exponent is 0, and that with respect to the exponent is 0 if the base is 0 and the
// exponent is not negative.
MONOGRAPH_SLOPE(pow) {
  if (k == 0) return where(y == 0.0, lit(x.t, 0), y * pow(x, y - 1.0));
  return where((x == 0.0) & (y >= 0.0), lit(x.t, 0), z * log(x));
}
#undef MONOGRAPH_SLOPE

constexpr int arity_of(Elem e) { return e == Elem::atan2 || e == Elem::pow ? 2 : 1; }

constexpr ElementaryDef kElementary[] = {
#define MONOGRAPH_ROW(name) {#name, arity_of(Elem::name), detail::name##_body, name##_slope},
    MONOGRAPH_ELEMENTARY(MONOGRAPH_ROW)
#undef MONOGRAPH_ROW
};

// The instructions of an elementary function in dtype t: arguments, then the body.
Body record(const ElementaryDef& def, DType t) {
  Recorder recorder;
  Num x = recorder.arg(t);
  Num y = def.arity == 2 ? recorder.arg(t) : x;
  recorder.out(def.body(x, y), t);
  return recorder.finish();
}

Ins with_operands(Ins in, const std::vector<uint32_t>& place) {
  uint32_t* operands[] = {&in.a, &in.b, &in.c};
  for (int k = 0; k < operand_count(in); ++k) *operands[k] = place[*operands[k]];
  return in;
}

}  // namespace

const ElementaryDef& elementary(Elem e) { return kElementary[static_cast<int>(e)]; }

Num call(Elem e, Num x) { return call(e, x, x); }

Num call(Elem e, Num x, Num y) {
  MONOGRAPH_ASSERT((x.t == DType::f32 || x.t == DType::f64) && x.t == y.t);
  return Recorder::current().put({Fn::Call, x.t, x.id, y.id, 0, static_cast<uint64_t>(e)});
}

Body expand(const Body& body) {
  Recorder merged;  // records equal instructions once
  uint32_t count = 0;
  auto put = [&](const Ins& in) {
    const uint32_t id = merged.put(in).id;
    count = std::max(count, id + 1);
    return id;
  };
  std::vector<uint32_t> place;
  for (const Ins& in : body.ins) {
    if (in.fn != Fn::Call) {
      place.push_back(put(with_operands(in, place)));
      continue;
    }
    const Body callee = record(elementary(static_cast<Elem>(in.imm)), in.t);
    std::vector<uint32_t> inner;
    for (const Ins& n : callee.ins) {
      if (n.fn == Fn::Arg) inner.push_back(place[n.imm == 0 ? in.a : in.b]);
      else inner.push_back(put(with_operands(n, inner)));
    }
    place.push_back(inner[callee.outs[0].re]);
  }
  Body result;
  result.args = body.args;
  result.outs = body.outs;
  result.copy = body.copy;
  for (Body::Out& out : result.outs) {
    out.re = place[out.re];
    if (is_complex(out.arg.dtype)) out.im = place[out.im];
  }
  for (uint32_t i = 0; i < count; ++i) result.ins.push_back(merged.at({i, DType::f32}));
  return result;
}

}  // namespace monograph
