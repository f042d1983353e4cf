// Num: a handle that records. An operator's body is an ordinary function over Nums, called once per compute dtype:
//
//   Num silu(Num x) { return x / (1.0 + exp(-x)); }
//
// The call records the straight-line Body of kernels/body.h. A body may branch on `x.t` if dtypes need different formulas.
#pragma once

#include <cstdint>

#include "kernels/body.h"

namespace monograph {

struct Num {
  uint32_t id;
  DType t;
};

// The body under construction on this thread. Nums are meaningful only inside the Recorder that was alive when they were made.
class Recorder {
 public:
  explicit Recorder(uint32_t copy = 0);  // Body::copy
  // Whether the instructions will be read as those of complex numbers (autograd/body.h). Then a formula that is right only for positive numbers must not be
  // used.
  bool for_complex = false;
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  Num arg(DType storage, bool uniform = false);  // the next argument, as a value of its compute dtype (f16, bf16: converted to f32)
  void out(Num value, DType storage, bool uniform = false);  // the next result, converted to its storage dtype
  Body finish();  // removes what no result needs
  DType stored(Num argument) const;  // the dtype of an argument in memory; for any other value, its own dtype
  static Recorder& current();
  Num put(Ins ins);  // an equal instruction is recorded once; constants are not folded
  const Ins& at(Num n) const { return body_.ins[n.id]; }

 private:
  friend struct Complex;
  Body body_;
  struct Table;
  Table* table_;
  Recorder* outer_;
};

// The dtype that a body computes in: f32 for f16 and bf16, else itself.
inline DType compute_type(DType t) { return t == DType::f16 || t == DType::bf16 ? DType::f32 : t; }
// Literal bits of v in dtype t (integers wrap, b1 is v != 0).
uint64_t literal_bits(DType t, double v);
uint64_t literal_bits(DType t, int64_t v);

Num lit(DType t, double v);
Num lit_int(DType t, int64_t v);
Num lit_bits(DType t, uint64_t bits);

// Arithmetic. Both operands have the same dtype; a double becomes a literal of the other operand's dtype.
Num operator+(Num a, Num b);
Num operator-(Num a, Num b);
Num operator*(Num a, Num b);
Num operator/(Num a, Num b);
Num operator%(Num a, Num b);  // integers, C's sign
Num operator-(Num a);
Num operator<(Num a, Num b);
Num operator<=(Num a, Num b);
Num operator==(Num a, Num b);
inline Num operator>(Num a, Num b) { return b < a; }
inline Num operator>=(Num a, Num b) { return b <= a; }
Num operator!=(Num a, Num b);  // true with a NaN
Num operator&(Num a, Num b);
Num operator|(Num a, Num b);
Num operator^(Num a, Num b);
Num operator~(Num a);  // b1: not
Num operator<<(Num a, Num b);
Num shr(Num a, Num b);  // fills with zeros
Num sar(Num a, Num b);  // fills with the sign
#define MONOGRAPH_MIXED(op) \
  inline Num operator op(Num a, double b) { return a op lit(a.t, b); } \
  inline Num operator op(double a, Num b) { return lit(b.t, a) op b; }
MONOGRAPH_MIXED(+)
MONOGRAPH_MIXED(-)
MONOGRAPH_MIXED(*)
MONOGRAPH_MIXED(/)
MONOGRAPH_MIXED(<)
MONOGRAPH_MIXED(<=)
MONOGRAPH_MIXED(==)
MONOGRAPH_MIXED(>)
MONOGRAPH_MIXED(>=)
MONOGRAPH_MIXED(!=)
#undef MONOGRAPH_MIXED

Num where(Num condition, Num a, Num b);
inline Num where(Num condition, Num a, double b) { return where(condition, a, lit(a.t, b)); }
inline Num where(Num condition, double a, Num b) { return where(condition, lit(b.t, a), b); }
Num where_rare(Num condition, Num a, Num b);  // the same value as where(); a hint that the condition is rarely true
Num fma(Num a, Num b, Num c);  // compilers never make one from a product and a sum
Num sqrt(Num x);  // IEEE
Num abs(Num x);
Num floor(Num x);
Num ceil(Num x);
Num trunc(Num x);
Num rint(Num x);
Num mul_hi(Num a, Num b);
Num bits(Num x);  // float -> integer of its width
Num from_bits(Num x, DType t);  // integer -> float of its width
Num convert(Num x, DType t);
Num is_nan(Num x);  // false for integers
Num raise_if(Num condition, Num value);

// Row programs.
Num reduce(Combine c, Num x);
inline Num row_sum(Num x) { return reduce(Combine::Sum, x); }
inline Num row_max(Num x) { return reduce(Combine::Max, x); }
inline Num row_min(Num x) { return reduce(Combine::Min, x); }
Num row_index();
Num row_count();

// PyTorch's maximum and minimum: a NaN wins.
Num maximum(Num a, Num b);
Num minimum(Num a, Num b);

}  // namespace monograph
