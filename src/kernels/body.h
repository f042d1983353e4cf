// A recorded body: the straight-line list of operations that defines a pointwise operator, a reduction, a softmax or a norm.
//
// It is the only definition. These read it: the LLVM emitter (eager kernels at build time, the JIT, ahead-of-time objects), the evaluator
// (constant folding, the tests' reference, machines without a generated kernel), the derivative, and the writer of C text.
// docs/numerics.md defines every operation bit for bit.
//
//   silu over float32:            row softmax over float32:
//     0  arg 0        f32           0  arg 0            f32
//     1  neg 0        f32           1  reduce max 0     f32   one value a row
//     2  call exp 1   f32           2  sub 0 1          f32
//     3  const 1      f32           3  call exp 2       f32
//     4  add 3 2      f32           4  reduce sum 3     f32   one value a row
//     5  div 0 4      f32           5  div 3 4          f32
//     out 5                         out 5
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/dtype.h"

namespace monograph {

enum class Fn : uint8_t {
  Arg,       // argument imm; of a complex argument the real (b = 0) or imaginary (b = 1) part
  Const,     // literal with bits imm in dtype t
  Index,     // i64: the element's index in its row
  Count,     // i64: the number of elements of a row
  Add,
  Sub,
  Mul,
  Div,  // integers wrap. Integer Div truncates. Bodies use Select so that its divisor is never 0, and never -1 with the smallest dividend
  Rem,  // integer remainder with the dividend's sign, as in C; the same divisors are excluded
  Neg,
  Abs,  // floats: clears the sign bit, also of a NaN
  Sqrt,  // IEEE
  Fma,  // a * b + c, rounded once
  Floor,
  Ceil,
  Trunc,
  Rint,  // these four round a float to an integral float; Rint rounds to the nearest, ties to even
  Lt,
  Le,
  Eq,  // -> b1; false with a NaN; operands of one dtype
  And,
  Or,
  Xor,
  Not,  // bitwise on integers, logical on b1
  Shl,
  Shr,
  Sar,  // integers. Bodies use Select so that the shift count is below the width. Sar of u8 is Shr
  MulHi,  // the high half of the full signed product of two i32 or i64
  Select,  // a ? b : c, with a of b1; imm = 1 marks a rare b (where_rare): same value, emission may test "any lane"
  Bits,  // float -> the integer of the same width with the same bits
  FromBits,  // integer -> the float of the same width with the same bits
  Convert,  // to dtype t by the rules of docs/numerics.md. float -> int truncates; out of range and NaN give the smallest integer. int -> int wraps. x -> b1 is x != 0
  Call,  // elementary function imm (ops/elementary/elementary.h); it is expanded before emission and evaluation
  RaiseIf,  // its value is b; the operator raises an error if a (b1) is true for any element
  Reduce,  // reduces the row with Combine imm to one value, in the order of docs/numerics.md
};

// Max and Min: a NaN wins. A logical "and" over b1 is Min, a logical "or" is Max. `a` is the earlier operand and `b` the later one; the order
// decides between +0 and -0:  max: a != a ? a : b < a ? a : b    min: a != a ? a : a < b ? a : b
enum class Combine : uint8_t { Sum, Prod, Max, Min };

struct Ins {
  Fn fn;
  DType
      t;  // the result's dtype, never a complex one. f16 and bf16 values are only read (Arg), converted and stored; nothing else uses them
  uint32_t a = 0, b = 0, c = 0;  // operands: indices of earlier instructions
  uint64_t imm = 0;  // an immediate operand; its meaning depends on fn
  bool operator==(const Ins&) const = default;
};

// The number of operands among a, b, c that are instructions. A Call with one argument has b = a.
int operand_count(const Ins& ins);

// An argument or result of a body, in memory.
struct BodyArg {
  DType dtype;
  bool uniform = false;  // one value for each row: it is read (an argument) or written (a result) once for each row
};

struct Body {
  std::vector<Ins> ins;  // operands come before their users; equal instructions are one
  std::vector<BodyArg> args;  // what Arg refers to
  struct Out {
    BodyArg arg;
    uint32_t re = 0, im = 0;  // the instruction whose value is stored; im is used by complex results only
  };
  std::vector<Out> outs;
  uint32_t copy = 0;  // the number of the copy of the operator families (cmake/Copies.cmake); it is a part of the hash
  bool raises() const;  // whether it contains a RaiseIf
};

// For each instruction, whether it has one value for each row: Const, Count, a uniform Arg, Reduce, and instructions whose operands all have.
std::vector<bool> uniform_instructions(const Body& body);

// One line for each instruction, as in the comment at the top of this file.
std::string to_string(const Body& body);

// A 64-bit hash of the body's contents, the same in every process. Bodies with equal hashes share a kernel.
uint64_t hash(const Body& body);

// The bits of the identity element of a Combine in dtype t: 0 for Sum, 1 for Prod.
uint64_t identity_bits(Combine c, DType t);

// An estimate of the instructions that a body runs for one element of a row; at least 1.
int64_t cost_per_element(const Body& body);

// The order of a reduction depends on these sizes (docs/numerics.md).
inline constexpr int64_t kInnerBlock = 8192;  // elements of a block, inner form
inline constexpr int64_t kInnerLanes = 64;  // lanes of a block, inner form
inline constexpr int64_t kOuterBlock = 256;  // elements of a block, outer form

// The form of a row program. The operator's dims decide it, never the strides, so that the layout in memory does not change the bits.
enum class KernelForm : uint8_t {
  Pointwise,
  Inner,  // the innermost logical dim is reduced, with 64 partial results (lanes) along the row
  Outer,  // another dim is reduced: each row one element after the other
};

// The interface of every kernel, generated or evaluated. Operands are the results, then the arguments. Row r, element i of operand k lies
// at operands[k] + r * outer[k] + i * inner[k] bytes; a uniform operand ignores i. A result either is an argument, with the same strides, or
// shares no memory with any. Returns nonzero if a RaiseIf was true; the results are then unspecified.
// Every stride is correct. Inner strides of 0 (broadcast) and of the element's size (contiguous) are fast.
// In KernelForm::Outer a stride outer[k] of the element's size is fast.
inline constexpr size_t kMaxOperands = 16;
using KernelFn = int32_t (*)(char* const* operands, const int64_t* inner, int64_t n, const int64_t* outer, int64_t rows);

}  // namespace monograph
