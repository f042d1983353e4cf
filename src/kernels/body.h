// A recorded body: the straight-line list of operations that defines a pointwise operator, a reduction, a softmax or a norm.
//
// It is the one definition that every interpretation reads: the LLVM emitter (eager kernels at build time, the JIT, objects ahead of
// time), the evaluator (constant folding, oracle, machines without a generated kernel), the derivative, C text. docs/numerics.md
// states what its operations mean bit for bit.
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
  Div,   // integers wrap; integer Div truncates, and its divisor is never 0 nor -1 with the least dividend: bodies select before
  Rem,       // integer remainder with C's sign, under the same promise
  Neg,
  Abs,  // floats: the sign bit only, NaN included
  Sqrt,      // IEEE
  Fma,       // a * b + c, rounded once
  Floor,
  Ceil,
  Trunc,
  Rint,  // floats to integral floats; Rint to nearest even
  Lt,
  Le,
  Eq,           // -> b1; false with a NaN; operands of one dtype
  And,
  Or,
  Xor,
  Not,    // integers bit by bit, b1 as logic
  Shl,
  Shr,
  Sar,        // integers; counts below the width only: bodies select before. Sar of u8 is Shr
  MulHi,     // the high half of the full signed product of two i32 or i64
  Select,    // a ? b : c, with a of b1; imm = 1 marks a rare b (where_rare): same value, emission may test "any lane"
  Bits,      // float -> the integer of its width, same bits
  FromBits,  // the other way
  Convert,  // to dtype t by the rules of docs/numerics.md: float -> int in range truncates, else the least integer; NaN too; int -> int wraps; x -> b1 is x != 0
  Call,  // elementary function imm (ops/elementary/elementary.h); expanded away before emission and evaluation
  RaiseIf,  // value b, after noting that the operator raises if any lane of a (b1) is true
  Reduce,  // over the row, with Combine imm: one value a row, in the order of docs/numerics.md
};

// Max and Min: a NaN wins; bool and/or are Min and Max over b1. With a the earlier operand and b the later one, and in this order, since it
// decides between zeros:  max: a != a ? a : b < a ? a : b    min: a != a ? a : a < b ? a : b
enum class Combine : uint8_t { Sum, Prod, Max, Min };

struct Ins {
  Fn fn;
  DType t;  // the result's dtype: a real one; f16 and bf16 exist only between Arg, Convert and output
  uint32_t a = 0, b = 0, c = 0;  // operands: indices of earlier instructions
  uint64_t imm = 0;
  bool operator==(const Ins&) const = default;
};

// How many of a, b, c are instructions. A Call of one argument has b = a.
int operand_count(const Ins& ins);

// An argument or result of a body, as it lies in memory.
struct BodyArg {
  DType dtype;
  bool uniform = false;  // one value a row: it is read once a row (arguments), or written once a row (results)
};

struct Body {
  std::vector<Ins> ins;  // operands come before their users; equal instructions are one
  std::vector<BodyArg> args;  // what Arg refers to
  struct Out {
    BodyArg arg;
    uint32_t re = 0, im = 0;  // the instruction whose value is stored; im for complex results
  };
  std::vector<Out> outs;
  uint32_t copy = 0;  // which copy of the families it belongs to (cmake/Copies.cmake): a part of its key
  bool raises() const;
};

// Whether each instruction has one value a row: Const, Count, uniform Arg, Reduce, and whatever is made of these alone.
std::vector<bool> uniform_instructions(const Body& body);

// One line an instruction, as in the head of this file.
std::string to_string(const Body& body);

// A stable 64-bit key of the body's contents; two bodies with equal keys are the same kernel.
uint64_t hash(const Body& body);

// The identity of a combination in dtype t, as literal bits.
uint64_t identity_bits(Combine c, DType t);

// About how much arithmetic a body does for one element of a row, in instructions; at least 1.
int64_t cost_per_element(const Body& body);

// Sizes that the order of a reduction depends on (docs/numerics.md).
inline constexpr int64_t kInnerBlock = 8192;  // elements of a block, inner form
inline constexpr int64_t kInnerLanes = 64;  // lanes of a block, inner form
inline constexpr int64_t kOuterBlock = 256;  // elements of a block, outer form

// The form of a row program: which elements are neighbours in memory decides nothing, the operator's dims do.
enum class KernelForm : uint8_t {
  Pointwise,
  Inner,  // the innermost logical dim is reduced: 64 lanes along the row
  Outer,  // otherwise: each column sequentially
};

// The interface of every kernel, generated or evaluated. Operands are the results, then the arguments. Row r, element i of operand k lies
// at operands[k] + r * outer[k] + i * inner[k] bytes; a uniform operand ignores i. Results may alias an argument exactly, or not at all.
// Returns nonzero if a RaiseIf was true; the results are then unspecified.
// Inner strides of 0 (broadcast) and the element's size (contiguous) are the fast cases; every other stride is right too.
// In KernelForm::Outer it is rows that should be contiguous (outer[k] equal to the element's size).
inline constexpr size_t kMaxOperands = 16;
using KernelFn = int32_t (*)(char* const* operands, const int64_t* inner, int64_t n, const int64_t* outer, int64_t rows);

}  // namespace monograph
