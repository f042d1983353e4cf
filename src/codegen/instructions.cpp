// A switch over the body's operations. Conversions that LLVM leaves undefined, or would call a library for, are written out in integers and selects.
#include "codegen/instructions.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>

#include "core/error.h"

namespace monograph {

using llvm::Constant;
using llvm::ConstantFP;
using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;
using llvm::Intrinsic::ID;
namespace Intrinsic = llvm::Intrinsic;

unsigned width_of(Value* v) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
  return vector ? vector->getNumElements() : 1;
}

namespace {

bool is_fp(Value* v) { return v->getType()->isFPOrFPVectorTy(); }
bool is_unsigned(DType t) { return t == DType::u8 || t == DType::b1; }
Type* widen(Type* scalar, unsigned width) { return width == 1 ? scalar : llvm::FixedVectorType::get(scalar, width); }

}  // namespace

Type* Instructions::type(DType t, unsigned width) {
  switch (t) {
    case DType::b1: return widen(b.getInt1Ty(), width);
    case DType::f32: return widen(b.getFloatTy(), width);
    case DType::f64: return widen(b.getDoubleTy(), width);
    default: return memory_type(t, width);
  }
}

Type* Instructions::memory_type(DType t, unsigned width) {
  if (t == DType::f32 || t == DType::f64) return type(t, width);
  return widen(b.getIntNTy(8 * static_cast<unsigned>(element_size(t))), width);
}

Constant* Instructions::constant(DType t, uint64_t bits, unsigned width) {
  Type* scalar = type(t, 1);
  const unsigned size = scalar->getScalarSizeInBits();
  Constant* c = ConstantInt::get(b.getIntNTy(size), llvm::APInt(size, bits));
  if (scalar->isFloatTy()) c = ConstantFP::get(b.getContext(), llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits)));
  if (scalar->isDoubleTy()) c = ConstantFP::get(b.getContext(), llvm::APFloat(llvm::APFloat::IEEEdouble(), llvm::APInt(64, bits)));
  return width == 1 ? c : llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(width), c);
}

Type* Instructions::like(Value* v, Type* scalar) { return widen(scalar, width_of(v)); }
Constant* Instructions::real(Value* v, double value) { return ConstantFP::get(v->getType(), value); }

Value* Instructions::emit(const Ins& n, DType from, Value* x, Value* y, Value* z) {
  const bool fp = is_fp(x), is_unsigned_ = is_unsigned(from);
  switch (n.fn) {
    case Fn::Add: return fp ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
    case Fn::Sub: return fp ? b.CreateFSub(x, y) : b.CreateSub(x, y);
    case Fn::Mul: return fp ? b.CreateFMul(x, y) : b.CreateMul(x, y);
    case Fn::Div: return fp ? b.CreateFDiv(x, y) : is_unsigned_ ? b.CreateUDiv(x, y) : b.CreateSDiv(x, y);
    case Fn::Rem: return is_unsigned_ ? b.CreateURem(x, y) : b.CreateSRem(x, y);
    case Fn::Neg: return fp ? b.CreateFNeg(x) : b.CreateNeg(x);
    case Fn::Abs: return fp ? b.CreateUnaryIntrinsic(Intrinsic::fabs, x) : b.CreateBinaryIntrinsic(Intrinsic::abs, x, b.getFalse());
    case Fn::Sqrt: return b.CreateUnaryIntrinsic(Intrinsic::sqrt, x);
    case Fn::Fma: return fma(x, y, z);
    case Fn::Floor: return b.CreateUnaryIntrinsic(Intrinsic::floor, x);
    case Fn::Ceil: return b.CreateUnaryIntrinsic(Intrinsic::ceil, x);
    case Fn::Trunc: return b.CreateUnaryIntrinsic(Intrinsic::trunc, x);
    case Fn::Rint: return b.CreateUnaryIntrinsic(Intrinsic::roundeven, x);
    case Fn::Lt: return fp ? b.CreateFCmpOLT(x, y) : is_unsigned_ ? b.CreateICmpULT(x, y) : b.CreateICmpSLT(x, y);
    case Fn::Le: return fp ? b.CreateFCmpOLE(x, y) : is_unsigned_ ? b.CreateICmpULE(x, y) : b.CreateICmpSLE(x, y);
    case Fn::Eq: return fp ? b.CreateFCmpOEQ(x, y) : b.CreateICmpEQ(x, y);
    case Fn::And: return b.CreateAnd(x, y);
    case Fn::Or: return b.CreateOr(x, y);
    case Fn::Xor: return b.CreateXor(x, y);
    case Fn::Not: return b.CreateNot(x);
    case Fn::Shl: return b.CreateShl(x, y);
    case Fn::Shr: return b.CreateLShr(x, y);
    case Fn::Sar: return is_unsigned_ ? b.CreateLShr(x, y) : b.CreateAShr(x, y);
    case Fn::MulHi: return multiply_high(x, y);
    case Fn::Select: return b.CreateSelect(x, y, z);
    case Fn::Bits:
    case Fn::FromBits: return b.CreateBitCast(x, type(n.t, width_of(x)));
    case Fn::Convert: return convert(x, from, n.t);
    default: break;
  }
  MONOGRAPH_ASSERT(false && "an instruction that has no value of its own");
}

Value* Instructions::convert(Value* v, DType from, DType to) {
  if (from == to) return v;
  const unsigned width = width_of(v);
  Type* target = type(to, width);
  if (from == DType::f16) return half_to_float(v);
  if (to == DType::f16) return float_to_half(v);
  if (from == DType::bf16) return b.CreateBitCast(b.CreateShl(b.CreateZExt(v, like(v, b.getInt32Ty())), 16), target);
  if (to == DType::bf16) return float_to_bfloat(v);
  if (to == DType::b1) return is_fp(v) ? b.CreateFCmpUNE(v, Constant::getNullValue(v->getType())) : b.CreateIsNotNull(v);
  if (is_fp(v)) return is_floating(to) ? b.CreateFPCast(v, target) : float_to_int(v, to);
  if (is_floating(to)) return is_unsigned(from) ? b.CreateUIToFP(v, target) : b.CreateSIToFP(v, target);
  return b.CreateIntCast(v, target, !is_unsigned(from));
}

// In range, the conversion truncates. Out of range, where LLVM's result is poison, the smallest integer is selected.
Value* Instructions::float_to_int(Value* v, DType to) {
  const int size = static_cast<int>(8 * element_size(to));
  const bool is_signed = info(to).is_signed;
  const double above = std::ldexp(1.0, is_signed ? size - 1 : size), least = is_signed ? -above : 0;
  // Values above least - 1 still truncate to the smallest integer. If least - 1 is not representable, no float lies between the two.
  const bool exact_bound = v->getType()->getScalarType()->isDoubleTy() ? size < 64 : size < 32;
  Value* enough = exact_bound ? b.CreateFCmpOGT(v, real(v, least - 1)) : b.CreateFCmpOGE(v, real(v, least));
  Value* in_range = b.CreateAnd(enough, b.CreateFCmpOLT(v, real(v, above)));
  Value* safe = b.CreateSelect(in_range, v, real(v, 0));
  Type* target = type(to, width_of(v));
  Value* result = is_signed ? b.CreateFPToSI(safe, target) : b.CreateFPToUI(safe, target);
  return is_signed ? b.CreateSelect(in_range, result, constant(to, uint64_t{1} << (size - 1), width_of(v))) : result;
}

// Uses F16C, or the integer arithmetic of core/dtype.cpp if the machine has no F16C (LLVM would call a library).
Value* Instructions::half_to_float(Value* v) {
  Type *f32 = like(v, b.getFloatTy()), *i32 = like(v, b.getInt32Ty());
  // The fence keeps LLVM from comparing the halfs themselves, for which it takes each element out of its vector.
  if (isa_ >= Isa::v3) return b.CreateArithmeticFence(b.CreateFPExt(b.CreateBitCast(v, like(v, b.getHalfTy())), f32), f32);
  Value* bits = b.CreateZExt(v, i32);
  Value* sign = b.CreateShl(b.CreateAnd(bits, 0x8000), 16);
  Value *exponent = b.CreateAnd(bits, 0x7c00), *magnitude = b.CreateShl(b.CreateAnd(bits, 0x7fff), 13);
  Value* normal = b.CreateAdd(magnitude, ConstantInt::get(i32, 112u << 23));
  Value* infinite = b.CreateOr(magnitude, ConstantInt::get(i32, 0x7f800000));
  Value* mantissa = b.CreateSIToFP(b.CreateAnd(bits, 0x3ff), f32);
  Value* subnormal = b.CreateBitCast(b.CreateFMul(mantissa, real(mantissa, 0x1p-24)), i32);
  Value* r = b.CreateSelect(b.CreateIsNull(exponent), subnormal, normal);
  r = b.CreateSelect(b.CreateICmpEQ(exponent, ConstantInt::get(i32, 0x7c00)), infinite, r);
  return b.CreateBitCast(b.CreateOr(r, sign), f32);
}

Value* Instructions::float_to_half(Value* v) {
  Type *i32 = like(v, b.getInt32Ty()), *i16 = like(v, b.getInt16Ty());
  if (isa_ >= Isa::v3) return b.CreateBitCast(b.CreateFPTrunc(v, like(v, b.getHalfTy())), i16);
  auto word = [&](uint32_t x) { return ConstantInt::get(i32, x); };
  Value* bits = b.CreateBitCast(v, i32);
  Value *sign = b.CreateAnd(b.CreateLShr(bits, 16), 0x8000), *magnitude = b.CreateAnd(bits, 0x7fffffff);
  Value* rebased = b.CreateSub(magnitude, word(0x38000000));
  Value* odd = b.CreateAnd(b.CreateLShr(rebased, 13), 1);
  Value* normal = b.CreateLShr(b.CreateAdd(b.CreateAdd(rebased, word(0xfff)), odd), 13);
  // Below 2^-14: the mantissa shifted to its place, rounded by what is shifted out; the shift is kept below the width.
  Value* shift = b.CreateBinaryIntrinsic(Intrinsic::umin, b.CreateSub(word(126), b.CreateLShr(magnitude, 23)), word(31));
  Value* mantissa = b.CreateOr(b.CreateAnd(bits, 0x7fffff), word(0x800000));
  Value *kept = b.CreateLShr(mantissa, shift), *halfway = b.CreateShl(word(1), b.CreateSub(shift, word(1)));
  Value* rest = b.CreateAnd(mantissa, b.CreateSub(b.CreateShl(word(1), shift), word(1)));
  Value* tie_up = b.CreateAnd(b.CreateICmpEQ(rest, halfway), b.CreateIsNotNull(b.CreateAnd(kept, 1)));
  Value* up = b.CreateOr(b.CreateICmpUGT(rest, halfway), tie_up);
  Value* subnormal = b.CreateAdd(kept, b.CreateZExt(up, i32));
  Value* r = b.CreateSelect(b.CreateICmpULT(magnitude, word(0x38800000)), subnormal, normal);
  r = b.CreateSelect(b.CreateICmpUGE(magnitude, word(0x47800000)), word(0x7c00), r);
  r = b.CreateSelect(b.CreateICmpUGT(magnitude, word(0x7f800000)), word(0x7e00), r);
  return b.CreateTrunc(b.CreateOr(r, sign), i16);
}

// Uses integer arithmetic, since the instruction for it flushes subnormals to zero.
Value* Instructions::float_to_bfloat(Value* v) {
  Type* i32 = like(v, b.getInt32Ty());
  Value* bits = b.CreateBitCast(v, i32);
  Value* high = b.CreateLShr(bits, 16);
  Value* rounded = b.CreateLShr(b.CreateAdd(b.CreateAdd(bits, ConstantInt::get(i32, 0x7fff)), b.CreateAnd(high, 1)), 16);
  Value* r = b.CreateSelect(b.CreateFCmpUNO(v, v), b.CreateOr(high, 0x40), rounded);
  return b.CreateTrunc(r, like(v, b.getInt16Ty()));
}

// Emulates an f32 fma: the product in f64 is exact; its sum is rounded to odd in f64, so that rounding it to f32 is one rounding.
Value* Instructions::fma(Value* a, Value* x, Value* c) {
  if (isa_ >= Isa::v3) return b.CreateIntrinsic(Intrinsic::fma, {a->getType()}, {a, x, c});
  MONOGRAPH_ASSERT(a->getType()->getScalarType()->isFloatTy());
  Type *f64 = like(a, b.getDoubleTy()), *i64 = like(a, b.getInt64Ty());
  Value *product = b.CreateFMul(b.CreateFPExt(a, f64), b.CreateFPExt(x, f64)), *addend = b.CreateFPExt(c, f64);
  Value* sum = b.CreateFAdd(product, addend);
  Value* part = b.CreateFSub(sum, product);
  Value* error = b.CreateFAdd(b.CreateFSub(product, b.CreateFSub(sum, part)), b.CreateFSub(addend, part));
  Value *bits = b.CreateBitCast(sum, i64), *error_bits = b.CreateBitCast(error, i64);
  Value* inexact = b.CreateFCmpONE(error, real(error, 0));
  Value* even = b.CreateIsNull(b.CreateAnd(bits, 1));
  Value* outward = b.CreateICmpSGE(b.CreateXor(bits, error_bits), Constant::getNullValue(i64));
  Value* step = b.CreateSelect(outward, ConstantInt::get(i64, 1), Constant::getAllOnesValue(i64));
  Value* odd = b.CreateSelect(b.CreateAnd(inexact, even), b.CreateAdd(bits, step), bits);
  return b.CreateFPTrunc(b.CreateBitCast(odd, f64), a->getType());
}

Value* Instructions::multiply_high(Value* a, Value* x) {
  const unsigned size = a->getType()->getScalarSizeInBits();
  Type* wide = like(a, b.getIntNTy(2 * size));
  return b.CreateTrunc(b.CreateAShr(b.CreateMul(b.CreateSExt(a, wide), b.CreateSExt(x, wide)), size), a->getType());
}

Value* Instructions::combine(Combine c, DType t, Value* earlier, Value* later, Nan nan) {
  const bool fp = is_fp(earlier);
  if (c == Combine::Sum) return fp ? b.CreateFAdd(earlier, later) : b.CreateAdd(earlier, later);
  if (c == Combine::Prod) return fp ? b.CreateFMul(earlier, later) : b.CreateMul(earlier, later);
  if (t == DType::b1) return c == Combine::Max ? b.CreateOr(earlier, later) : b.CreateAnd(earlier, later);
  // The pattern that x86 selects as one max or min instruction: it returns the second operand for ties and NaNs; a NaN in the first operand is blended in.
  const bool max = c == Combine::Max;
  Value* better = fp               ? max ? b.CreateFCmpOGT(earlier, later) : b.CreateFCmpOLT(earlier, later)
                                : is_unsigned(t) ? max ? b.CreateICmpUGT(earlier, later) : b.CreateICmpULT(earlier, later)
                                : max ? b.CreateICmpSGT(earlier, later)
                                   : b.CreateICmpSLT(earlier, later);
  Value* r = b.CreateSelect(better, earlier, later);
  return fp && nan == Nan::Anywhere ? b.CreateSelect(b.CreateFCmpUNO(earlier, earlier), earlier, r) : r;
}

Value* Instructions::load(DType storage, Value* address, unsigned width, bool imaginary) {
  const llvm::Align unaligned(1);
  if (!is_complex(storage)) {
    Value* v = b.CreateAlignedLoad(memory_type(storage, width), address, unaligned);
    return storage == DType::b1 ? b.CreateIsNotNull(v) : v;
  }
  const DType part = real_type(storage);
  Value* both = b.CreateAlignedLoad(memory_type(part, 2 * width), address, unaligned);
  if (width == 1) return b.CreateExtractElement(both, uint64_t{imaginary});
  std::vector<int> lanes(width);
  for (unsigned i = 0; i < width; ++i) lanes[i] = static_cast<int>(2 * i + imaginary);
  return b.CreateShuffleVector(both, lanes);
}

void Instructions::store(DType storage, Value* re, Value* im, Value* address, unsigned width) {
  const llvm::Align unaligned(1);
  if (storage == DType::b1) re = b.CreateZExt(re, memory_type(storage, width));
  if (!is_complex(storage)) {
    b.CreateAlignedStore(re, address, unaligned);
    return;
  }
  std::vector<int> lanes(2 * width);
  for (unsigned i = 0; i < width; ++i) lanes[2 * i] = static_cast<int>(i), lanes[2 * i + 1] = static_cast<int>(width + i);
  if (width == 1) {
    const int64_t size = element_size(real_type(storage));
    b.CreateAlignedStore(re, address, unaligned);
    b.CreateAlignedStore(im, b.CreateConstGEP1_64(b.getInt8Ty(), address, size), unaligned);
    return;
  }
  b.CreateAlignedStore(b.CreateShuffleVector(re, im, lanes), address, unaligned);
}

}  // namespace monograph
