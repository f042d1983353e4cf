// Emits one instruction of a Body as LLVM instructions, on vectors or on scalars. The results are those that docs/numerics.md defines: no fast-math flags,
// no poison, no library calls.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "kernels/body.h"
#include "kernels/isa.h"

namespace monograph {

// The number of lanes of a vector; 1 for a scalar.
unsigned width_of(llvm::Value* v);

class Instructions {
 public:
  Instructions(llvm::IRBuilder<>& builder, Isa isa) : b(builder), isa_(isa) {}

  // The type of a value: b1 is i1; f16 and bf16 are i16 with their bits. Width 1 gives a scalar.
  llvm::Type* type(DType t, unsigned width);
  // The type in memory; `t` is not complex. b1 is i8.
  llvm::Type* memory_type(DType t, unsigned width);
  llvm::Constant* constant(DType t, uint64_t bits, unsigned width);

  // Emits `ins`, which is not Arg, Const, Index, Count, Call, RaiseIf or Reduce. `from` is the dtype of operand a.
  llvm::Value* emit(const Ins& ins, DType from, llvm::Value* a, llvm::Value* other, llvm::Value* third);
  llvm::Value* convert(llvm::Value* v, DType from, DType to);
  // Nan::InLaterOnly: the caller knows that `earlier` has no NaN, which saves instructions of a max or min.
  enum class Nan : uint8_t { Anywhere, InLaterOnly };
  llvm::Value* combine(Combine c, DType t, llvm::Value* earlier, llvm::Value* later, Nan nan = Nan::Anywhere);

  // Loads and stores `width` elements at an unaligned address. load() returns their real or imaginary parts, or the values of a real dtype.
  llvm::Value* load(DType storage, llvm::Value* address, unsigned width, bool imaginary);
  void store(DType storage, llvm::Value* re, llvm::Value* im, llvm::Value* address, unsigned width);

 private:
  llvm::Type* like(llvm::Value* v, llvm::Type* scalar);  // the type with v's width and this element
  llvm::Constant* real(llvm::Value* v, double value);  // literal of v's floating type
  llvm::Value* float_to_int(llvm::Value* v, DType to);
  llvm::Value* half_to_float(llvm::Value* v);
  llvm::Value* float_to_half(llvm::Value* v);
  llvm::Value* float_to_bfloat(llvm::Value* v);
  llvm::Value* fma(llvm::Value* a, llvm::Value* x, llvm::Value* c);
  llvm::Value* multiply_high(llvm::Value* a, llvm::Value* x);

  llvm::IRBuilder<>& b;
  Isa isa_;
};

}  // namespace monograph
