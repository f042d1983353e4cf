// One recorded instruction as LLVM instructions, over a vector of lanes or one scalar. What docs/numerics.md says of single operations is
// made true here: no fast-math flags, no poison, no library call.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "kernels/body.h"
#include "kernels/isa.h"

namespace monograph {

// The lanes of a vector; of a scalar 1.
unsigned width_of(llvm::Value* v);

class Instructions {
 public:
  Instructions(llvm::IRBuilder<>& builder, Isa isa) : b(builder), isa_(isa) {}

  // The type that computes: b1 is i1; f16 and bf16 are the i16 of their bits. Width 1 is a scalar.
  llvm::Type* type(DType t, unsigned width);
  // The type in memory, of real dtypes: b1 is i8.
  llvm::Type* memory_type(DType t, unsigned width);
  llvm::Constant* constant(DType t, uint64_t bits, unsigned width);

  // Everything but Arg, Const, Index, Count, Call, RaiseIf and Reduce. `from` is the dtype of a's instruction.
  llvm::Value* emit(const Ins& ins, DType from, llvm::Value* a, llvm::Value* other, llvm::Value* third);
  llvm::Value* convert(llvm::Value* v, DType from, DType to);
  // Nan::InLaterOnly promises that no lane of `earlier` is one, which shortens the chain of a max or min.
  enum class Nan : uint8_t { Anywhere, InLaterOnly };
  llvm::Value* combine(Combine c, DType t, llvm::Value* earlier, llvm::Value* later, Nan nan = Nan::Anywhere);

  // Real and imaginary part (or the value alone) of `width` elements at an address without alignment.
  llvm::Value* load(DType storage, llvm::Value* address, unsigned width, bool imaginary);
  void store(DType storage, llvm::Value* re, llvm::Value* im, llvm::Value* address, unsigned width);

 private:
  llvm::Type* like(llvm::Value* v, llvm::Type* scalar);  // the type with v's width and this element
  llvm::Constant* real(llvm::Value* v, double value);    // literal of v's floating type
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
