// The elementary functions (exp, log, sin, pow, ..). Their bodies use only the operations of Num and never call libm, so every way of running them gives the
// same bits. The error is at most 2 ulp in float32, on all inputs, and 4 ulp in float64 (tests/cpp/elementary_test.cpp).
#pragma once

#include "ops/num.h"

namespace monograph {

// One row for each elementary function. The bodies are in exp.cpp, log.cpp and trig.cpp, the slopes in elementary.cpp.
#define MONOGRAPH_ELEMENTARY(row) \
  row(exp) row(exp2) row(expm1) row(log) row(log2) row(log10) row(log1p) row(sin) row(cos) row(tan) row(asin) row(acos) row(atan) \
      row(sinh) row(cosh) row(tanh) row(asinh) row(acosh) row(atanh) row(erf) row(erfc) row(rsqrt) row(atan2) row(pow)

enum class Elem : uint8_t {
#define MONOGRAPH_ROW(name) name,
  MONOGRAPH_ELEMENTARY(MONOGRAPH_ROW)
#undef MONOGRAPH_ROW
};

struct ElementaryDef {
  const char* name;
  int arity;  // 1 or 2
  Num (*body)(Num, Num);  // with arity 1 the second argument is unused; the dtype is f32 or f64
  Num (*slope)(int k, Num x, Num y2, Num result);  // derivative by argument k; y2 is the second argument
};

const ElementaryDef& elementary(Elem e);
inline constexpr int kElementaryCount = static_cast<int>(Elem::pow) + 1;

// Records a Call instruction. expand() replaces it by the function's own instructions.
Num call(Elem e, Num x);
Num call(Elem e, Num x, Num y);
inline Num exp(Num x) { return call(Elem::exp, x); }
inline Num exp2(Num x) { return call(Elem::exp2, x); }
inline Num expm1(Num x) { return call(Elem::expm1, x); }
inline Num log(Num x) { return call(Elem::log, x); }
inline Num log2(Num x) { return call(Elem::log2, x); }
inline Num log10(Num x) { return call(Elem::log10, x); }
inline Num log1p(Num x) { return call(Elem::log1p, x); }
inline Num sin(Num x) { return call(Elem::sin, x); }
inline Num cos(Num x) { return call(Elem::cos, x); }
inline Num tan(Num x) { return call(Elem::tan, x); }
inline Num asin(Num x) { return call(Elem::asin, x); }
inline Num acos(Num x) { return call(Elem::acos, x); }
inline Num atan(Num x) { return call(Elem::atan, x); }
inline Num sinh(Num x) { return call(Elem::sinh, x); }
inline Num cosh(Num x) { return call(Elem::cosh, x); }
inline Num tanh(Num x) { return call(Elem::tanh, x); }
inline Num asinh(Num x) { return call(Elem::asinh, x); }
inline Num acosh(Num x) { return call(Elem::acosh, x); }
inline Num atanh(Num x) { return call(Elem::atanh, x); }
inline Num erf(Num x) { return call(Elem::erf, x); }
inline Num erfc(Num x) { return call(Elem::erfc, x); }
inline Num rsqrt(Num x) { return call(Elem::rsqrt, x); }
inline Num atan2(Num y, Num x) { return call(Elem::atan2, y, x); }
inline Num pow(Num x, Num y) { return call(Elem::pow, x, y); }

// The body with every Call replaced by the elementary function's own instructions, as the emitter and the evaluator need it.
Body expand(const Body& body);

}  // namespace monograph
