// Emits one kernel as an LLVM function: the loops of a KernelForm over vectors of elements, with the instructions of a Body inside. codegen/instructions.h
// emits the instructions; codegen/row_plan.h divides a row program into phases, one loop over the row for each.
#include "codegen/emit.h"

#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <span>
#include <utility>

#include "codegen/emitter.h"
#include "core/error.h"

namespace monograph {
namespace {

using llvm::AllocaInst;
using llvm::BasicBlock;
using llvm::Type;
using llvm::Value;
using Ids = std::vector<uint32_t>;
using Nan = Instructions::Nan;

constexpr int64_t kMaxBlocks = 52;  // a row of 2^63 elements has no more unmerged blocks
// Reductions keep their lanes in registers if the unrolled loop has at most this many instructions. Behind a longer loop, keeping them in memory costs no
// time.
constexpr size_t kUnrollLimit = 240;
// A max or min is computed a second time where a NaN occurred, if its body has at most this many instructions: a conversion or two.
constexpr size_t kTwiceLimit = 4;
// In KernelForm::Outer, bodies up to this many instructions process a whole cache line of rows at once.
constexpr size_t kWideColumns = 160;

// How far ahead a loop over a row prefetches its operands: about as many bytes as can be read within the latency of the memory. The processor's own
// prefetching stops at the end of each 4 KiB page, and behind a long body few loads are in flight. Each cache line is requested `times` times: a processor
// with many misses drops requests, and another request costs less than a miss. On a processor with AVX2 this saves an eighth of the time of `mul` on a
// million floats. Processors with AVX-512 keep more requests: one request a page ahead is a sixth faster there than three half a page ahead.
struct Prefetch {
  int64_t ahead;  // in bytes
  int times;
};
Prefetch prefetch_of(Isa isa) { return isa >= Isa::v4 ? Prefetch{4096, 1} : Prefetch{2048, 3}; }
constexpr int64_t kLine = 64;  // bytes of a cache line

}  // namespace

// ------------------------------------------------------------------------------------------------ control flow

AllocaInst* Emitter::local(Type* type, int64_t count) {
  llvm::IRBuilder<>::InsertPointGuard guard(b);
  b.SetInsertPoint(entry_, entry_->getFirstInsertionPt());
  AllocaInst* a = b.CreateAlloca(type, count == 1 ? nullptr : i64(count));
  if (count != 1 || type->isVectorTy()) a->setAlignment(llvm::Align(64));
  return a;
}

void Emitter::loop(Value* begin, Value* end, int64_t step, const std::function<void(Value*)>& body) {
  BasicBlock *head = block(), *inner = block(), *after = block(), *before = b.GetInsertBlock();
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode* i = b.CreatePHI(b.getInt64Ty(), 2);
  i->addIncoming(begin, before);
  b.CreateCondBr(b.CreateICmpSLT(i, end), inner, after);
  b.SetInsertPoint(inner);
  body(i);
  i->addIncoming(add(i, step), b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(after);
}

void Emitter::loop_while(const std::function<Value*()>& condition, const std::function<void()>& body) {
  BasicBlock *head = block(), *inner = block(), *after = block();
  b.CreateBr(head);
  b.SetInsertPoint(head);
  b.CreateCondBr(condition(), inner, after);
  b.SetInsertPoint(inner);
  body();
  b.CreateBr(head);
  b.SetInsertPoint(after);
}

void Emitter::when(Value* condition, const std::function<void()>& then, const std::function<void()>& otherwise) {
  BasicBlock *yes = block(), *no = otherwise ? block() : nullptr, *after = block();
  b.CreateCondBr(condition, yes, no ? no : after);
  b.SetInsertPoint(yes);
  then();
  b.CreateBr(after);
  if (no) {
    b.SetInsertPoint(no);
    otherwise();
    b.CreateBr(after);
  }
  b.SetInsertPoint(after);
}

llvm::Function* Emitter::shared(const std::string& name, Type* result, llvm::ArrayRef<Type*> arguments,
                                const std::function<void(llvm::Function*)>& build) {
  if (llvm::Function* known = module_.getFunction(name)) return known;
  llvm::IRBuilder<>::InsertPointGuard guard(b);
  llvm::Function* const caller = std::exchange(fn_, new_function(name, result, arguments));
  BasicBlock* const caller_entry = std::exchange(entry_, BasicBlock::Create(b.getContext(), "entry", fn_));
  fn_->setLinkage(llvm::Function::InternalLinkage);
  fn_->setCallingConv(llvm::CallingConv::Fast);
  fn_->addFnAttr(llvm::Attribute::NoInline);
  b.SetInsertPoint(entry_);
  build(fn_);
  entry_ = caller_entry;
  return std::exchange(fn_, caller);
}

Value* Emitter::call(llvm::Function* callee, llvm::ArrayRef<Value*> arguments) {
  llvm::CallInst* result = b.CreateCall(callee, arguments);
  result->setCallingConv(callee->getCallingConv());
  return result;
}

// A function with the attributes of every function here: LLVM folds nothing that depends on the caller's MXCSR (rounding, flushing of denormals), and uses
// no reciprocal estimates and no library calls.
llvm::Function* Emitter::new_function(const std::string& name, Type* result, llvm::ArrayRef<Type*> arguments) {
  llvm::Function* f =
      llvm::Function::Create(llvm::FunctionType::get(result, arguments, false), llvm::Function::ExternalLinkage, name, module_);
  f->setDoesNotThrow();
  f->addFnAttr("denormal-fp-math", "dynamic,dynamic");
  f->addFnAttr("reciprocal-estimates", "none");
  f->addFnAttr("no-builtins");
  f->addFnAttr("prefer-vector-width", isa_ == Isa::v4 ? "512" : "256");
  return f;
}

// ------------------------------------------------------------------------------------------------ values

Value* Emitter::operand(const Values& v, uint32_t id, unsigned width) {
  const Ins& n = body_.ins[id];
  if (n.fn == Fn::Const) return code_.constant(n.t, n.imm, width);
  MONOGRAPH_ASSERT(v[id] != nullptr);
  return width > 1 && !v[id]->getType()->isVectorTy() ? b.CreateVectorSplat(width, v[id]) : v[id];
}

void Emitter::note_raise(Value* condition) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(condition->getType());
  Value* word = vector ? b.CreateBitCast(condition, b.getIntNTy(vector->getNumElements())) : condition;
  b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt64Ty(), raised_), b.CreateZExt(word, b.getInt64Ty())), raised_);
}

// A select whose first value is rarely taken: the instructions that compute it run only if some lane takes it.
Value* Emitter::rare_select(Values& v, const std::vector<bool>& needed, const RareContexts& rare, uint32_t id, unsigned width,
                            const Leaf& leaf) {
  const Ins& n = body_.ins[id];
  Value *condition = operand(v, n.a, width), *usual = operand(v, n.c, width);
  Value* word = width > 1 ? b.CreateBitCast(condition, b.getIntNTy(width)) : condition;
  BasicBlock *before = b.GetInsertBlock(), *rare_block = block(), *after = block();
  b.CreateCondBr(b.CreateIsNotNull(word), rare_block, after);
  b.SetInsertPoint(rare_block);
  compute_context(v, needed, rare, id, width, leaf);
  Value* mixed = b.CreateSelect(condition, operand(v, n.b, width), usual);
  BasicBlock* rare_end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  llvm::PHINode* result = b.CreatePHI(usual->getType(), 2);
  result->addIncoming(usual, before);
  result->addIncoming(mixed, rare_end);
  return result;
}

Value* Emitter::compute_one(Values& v, const std::vector<bool>& needed, const RareContexts& rare, uint32_t id, unsigned width,
                            const Leaf& leaf) {
  const Ins& n = body_.ins[id];
  if (n.fn == Fn::Arg || n.fn == Fn::Index) return leaf(id, n);
  if (n.fn == Fn::Count) return n_;
  if (n.fn == Fn::RaiseIf) {
    note_raise(operand(v, n.a, width));
    return operand(v, n.b, width);
  }
  if (rare.guards[id]) return rare_select(v, needed, rare, id, width, leaf);
  const int count = operand_count(n);
  Value* x = operand(v, n.a, width);
  return code_.emit(n, body_.ins[n.a].t, x, count > 1 ? operand(v, n.b, width) : nullptr, count > 2 ? operand(v, n.c, width) : nullptr);
}

void Emitter::compute_context(Values& v, const std::vector<bool>& needed, const RareContexts& rare, uint32_t context, unsigned width,
                              const Leaf& leaf) {
  for (uint32_t i = 0; i < body_.ins.size(); ++i)
    if (needed[i] && !v[i] && body_.ins[i].fn != Fn::Const && rare.context[i] == context)
      v[i] = compute_one(v, needed, rare, i, width, leaf);
}

// Computes the instructions that the roots depend on and that v does not hold yet.
void Emitter::compute(Values& v, const Ids& roots, unsigned width, const Leaf& leaf) {
  std::vector<bool> known(v.size());
  for (size_t i = 0; i < v.size(); ++i) known[i] = v[i] != nullptr;
  const std::vector<bool> needed = backward_slice(body_, roots, known);
  compute_context(v, needed, rare_contexts(body_, roots, needed), kNoContext, width, leaf);
}

void Emitter::compute_uniforms(Values& v, int level, unsigned width, const Leaf& uniform_arg) {
  compute(v, plan_.uniforms_at(body_, level), width, uniform_arg);
}

// ------------------------------------------------------------------------------------------------ reductions

std::vector<Emitter::Fold> Emitter::folds(int phase, unsigned width, unsigned registers) {
  std::vector<Fold> result;
  for (uint32_t id : plan_.phases[phase].reduces) {
    Fold f{id, body_.ins[id], {}};
    for (unsigned u = 0; u < registers; ++u) f.lanes.push_back(local(code_.type(f.ins.t, width)));
    // A bool takes a byte in memory.
    Type* scalar = code_.memory_type(f.ins.t, 1);
    if (form_ != KernelForm::Outer) f.memory = local(scalar, kInnerLanes);
    f.stack = local(scalar, kMaxBlocks * (form_ == KernelForm::Outer ? registers * width : 1));
    f.top = local(b.getInt64Ty());
    result.push_back(f);
  }
  return result;
}

void Emitter::fold_register(const Fold& f, unsigned register_index, const Values& v, Nan nan) {
  AllocaInst* sum = f.lanes[register_index];
  Value* value = operand(v, f.ins.a, lanes_);
  b.CreateStore(code_.combine(static_cast<Combine>(f.ins.imm), f.ins.t, b.CreateLoad(value->getType(), sum), value, nan), sum);
}

// Adds a chunk to the accumulators in memory from lane `first` on. Lanes outside of the mask keep their value; a null mask means all lanes.
void Emitter::fold_memory(const Fold& f, Value* first, const Values& v, Value* mask) {
  Value* address = at(f.memory, mul(first, element_size(f.ins.t)));
  Value* sum = code_.load(f.ins.t, address, lanes_, false);
  Value* next = code_.combine(static_cast<Combine>(f.ins.imm), f.ins.t, sum, operand(v, f.ins.a, lanes_));
  code_.store(f.ins.t, mask ? b.CreateSelect(mask, next, sum) : next, nullptr, address, lanes_);
}

// Adds the result of a block to the stack. Blocks merge in pairs, as a binary counter carries: block k merges with as many older results as k has trailing
// ones. The stack has entries of `entry` bytes; returns the number of entries.
Value* Emitter::push_block(const Fold& f, Value* stack, Value* entry, Value* block_index, Value* value) {
  const Combine c = static_cast<Combine>(f.ins.imm);
  const DType t = f.ins.t;
  const unsigned width = width_of(value);
  Type *type = value->getType(), *word = b.getInt64Ty();
  const std::string name = concat("push_", static_cast<int>(c), "_", monograph::name(t), "_", width);
  return call(shared(name, word, {b.getPtrTy(), word, word, type},
                     [&](llvm::Function* fn) {
                       AllocaInst *merged = local(type), *digits = local(word), *top = local(word);
                       b.CreateStore(fn->getArg(3), merged);
                       b.CreateStore(fn->getArg(2), digits);
                       b.CreateStore(b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, fn->getArg(2)), top);
                       auto slot = [&](Value* index) { return at(fn->getArg(0), mul(index, fn->getArg(1))); };
                       loop_while([&] { return b.CreateTrunc(b.CreateLoad(word, digits), b.getInt1Ty()); },
                                  [&] {
                                    Value* below = add(b.CreateLoad(word, top), -1);
                                    b.CreateStore(below, top);
                                    Value* older = code_.load(t, slot(below), width, false);
                                    b.CreateStore(code_.combine(c, t, older, b.CreateLoad(type, merged)), merged);
                                    b.CreateStore(b.CreateLShr(b.CreateLoad(word, digits), 1), digits);
                                  });
                       Value* index = b.CreateLoad(word, top);
                       code_.store(t, b.CreateLoad(type, merged), nullptr, slot(index), width);
                       b.CreateRet(add(index, 1));
                     }),
              {stack, entry, block_index, value});
}

// Combines the entries that are left on the stack, the newest first. Without a block the result is the identity.
Value* Emitter::drain(const Fold& f, Value* stack, Value* entry, Value* count, unsigned width) {
  const Combine c = static_cast<Combine>(f.ins.imm);
  const DType t = f.ins.t;
  Type *type = code_.type(t, width), *word = b.getInt64Ty();
  const std::string name = concat("drain_", static_cast<int>(c), "_", monograph::name(t), "_", width);
  return call(shared(name, type, {b.getPtrTy(), word, word},
                     [&](llvm::Function* fn) {
                       AllocaInst *result = local(type), *top = local(word);
                       b.CreateStore(code_.constant(t, identity_bits(c, t), width), result);
                       b.CreateStore(fn->getArg(2), top);
                       auto pop = [&] {
                         Value* below = add(b.CreateLoad(word, top), -1);
                         b.CreateStore(below, top);
                         return code_.load(t, at(fn->getArg(0), mul(below, fn->getArg(1))), width, false);
                       };
                       auto more = [&] { return b.CreateICmpSGT(b.CreateLoad(word, top), i64(0)); };
                       when(more(), [&] {
                         b.CreateStore(pop(), result);
                         loop_while(more, [&] {
                           Value* older = pop();
                           b.CreateStore(code_.combine(c, t, older, b.CreateLoad(type, result)), result);
                         });
                       });
                       b.CreateRet(b.CreateLoad(type, result));
                     }),
              {stack, entry, count});
}

// Whether this is a max or min of floats, which is faster where no NaN occurs.
bool Emitter::orders_floats(const Ins& reduce) {
  const Combine c = static_cast<Combine>(reduce.imm);
  return (c == Combine::Max || c == Combine::Min) && is_floating(reduce.t);
}

// The lanes in which any of the vectors has a NaN. One comparison tests two vectors.
Value* Emitter::nan_lanes(std::span<Value* const> v) {
  Value* lanes = nullptr;
  for (size_t k = 0; k < v.size(); k += 2) {
    Value* pair = b.CreateFCmpUNO(v[k], v[std::min(k + 1, v.size() - 1)]);
    lanes = lanes ? b.CreateOr(lanes, pair) : pair;
  }
  return lanes;
}

Value* Emitter::halve_lanes(const Fold& f, std::vector<Value*> v, Nan nan) {
  const Combine c = static_cast<Combine>(f.ins.imm);
  for (size_t half = v.size() / 2; half > 0; half /= 2)
    for (size_t k = 0; k < half; ++k) v[k] = code_.combine(c, f.ins.t, v[k], v[k + half], nan);
  Value* r = v[0];
  for (unsigned half = llvm::cast<llvm::FixedVectorType>(r->getType())->getNumElements() / 2; half > 0; half /= 2) {
    std::vector<int> low(half), high(half);
    for (unsigned k = 0; k < half; ++k) low[k] = static_cast<int>(k), high[k] = static_cast<int>(k + half);
    r = code_.combine(c, f.ins.t, b.CreateShuffleVector(r, low), b.CreateShuffleVector(r, high), nan);
  }
  return b.CreateExtractElement(r, uint64_t{0});
}

// The result of a block whose lanes are in memory: their number is halved until one is left.
Value* Emitter::halve(const Fold& f) {
  const Combine c = static_cast<Combine>(f.ins.imm);
  const DType t = f.ins.t;
  const unsigned width = std::min<unsigned>(64 / static_cast<unsigned>(element_size(t)), kInnerLanes);
  const std::string name = concat("halve_", static_cast<int>(c), "_", monograph::name(t));
  return call(shared(name, code_.type(t, 1), {b.getPtrTy()},
                     [&](llvm::Function* fn) {
                       std::vector<Value*> v;
                       for (unsigned j = 0; j < kInnerLanes; j += width)
                         v.push_back(code_.load(t, at(fn->getArg(0), i64(j * element_size(t))), width, false));
                       if (!orders_floats(f.ins)) return void(b.CreateRet(halve_lanes(f, v, Nan::Anywhere)));
                       AllocaInst* result = local(code_.type(t, 1));
                       when(
                           b.CreateOrReduce(nan_lanes(v)), [&] { b.CreateStore(halve_lanes(f, v, Nan::Anywhere), result); },
                           [&] { b.CreateStore(halve_lanes(f, v, Nan::InLaterOnly), result); });
                       b.CreateRet(b.CreateLoad(code_.type(t, 1), result));
                     }),
              {f.memory});
}

// ------------------------------------------------------------------------------------------------ rows

// Copies `count` elements of a strided operand into its buffer. The last vector is filled with repetitions of the last element, so that every lane holds a
// real element. Contiguous elements move in vectors.
void Emitter::stage(const KernelOperand& o, Value* source, Value* stride, Value* count) {
  Type *word = b.getIntNTy(8 * static_cast<unsigned>(o.size)), *i64_type = b.getInt64Ty(), *pointer = b.getPtrTy();
  const llvm::Align unaligned(1);
  call(shared(concat("stage_", o.size, "_", lanes_), b.getVoidTy(), {pointer, pointer, i64_type, i64_type},
              [&](llvm::Function* fn) {
                Value *to = fn->getArg(0), *from = fn->getArg(1), *step = fn->getArg(2), *n = fn->getArg(3), *last = add(n, -1);
                auto copy = [&](Value* begin) {
                  Value* padded = b.CreateAnd(add(n, lanes_ - 1), i64(-static_cast<int64_t>(lanes_)));
                  loop(begin, padded, 1, [&](Value* j) {
                    Value* v = b.CreateAlignedLoad(word, at(from, mul(min(j, last), step)), unaligned);
                    b.CreateAlignedStore(v, at(to, mul(j, o.size)), unaligned);
                  });
                };
                auto copy_vectors = [&] {
                  Value* whole = copy_whole_vectors(to, from, n, o.size);
                  when(b.CreateICmpSLT(whole, n), [&] {
                    if (o.size == 1) return copy(whole);
                    const MaskedWords words = masked_words(sub(n, whole), o.size);
                    Value* repeated = b.CreateAlignedLoad(word, at(from, mul(last, o.size)), unaligned);
                    if (o.size == 2) repeated = b.CreateMul(b.CreateZExt(repeated, b.getInt32Ty()), b.getInt32(0x10001));  // twice
                    Value* fill = b.CreateVectorSplat(words.type->getElementCount(), repeated);
                    Value* v = b.CreateMaskedLoad(words.type, at(from, mul(whole, o.size)), unaligned, words.mask, fill);
                    b.CreateAlignedStore(v, at(to, mul(whole, o.size)), unaligned);
                  });
                };
                if (o.size > 8) copy(i64(0));
                else when(b.CreateICmpEQ(step, i64(o.size)), copy_vectors, [&] { copy(i64(0)); });
                b.CreateRetVoid();
              }),
       {o.buffer, source, stride, count});
}

// Copies `count` elements of a result from its buffer to memory with this stride.
void Emitter::unstage(const KernelOperand& o, Value* target, Value* stride, Value* count) {
  Type *word = b.getIntNTy(8 * static_cast<unsigned>(o.size)), *i64_type = b.getInt64Ty(), *pointer = b.getPtrTy();
  const llvm::Align unaligned(1);
  call(shared(concat("unstage_", o.size, "_", lanes_), b.getVoidTy(), {pointer, pointer, i64_type, i64_type},
              [&](llvm::Function* fn) {
                Value *from = fn->getArg(0), *to = fn->getArg(1), *step = fn->getArg(2), *n = fn->getArg(3);
                auto copy = [&](Value* begin) {
                  loop(begin, n, 1, [&](Value* j) {
                    Value* v = b.CreateAlignedLoad(word, at(from, mul(j, o.size)), unaligned);
                    b.CreateAlignedStore(v, at(to, mul(j, step)), unaligned);
                  });
                };
                auto copy_vectors = [&] {
                  Value* whole = copy_whole_vectors(to, from, n, o.size);
                  if (o.size == 1) return copy(whole);
                  when(b.CreateICmpSLT(whole, n), [&] {
                    const MaskedWords words = masked_words(sub(n, whole), o.size);
                    Value* v = b.CreateAlignedLoad(words.type, at(from, mul(whole, o.size)), unaligned);
                    b.CreateMaskedStore(v, at(to, mul(whole, o.size)), unaligned, words.mask);
                    if (o.size == 2) copy(b.CreateAnd(n, i64(-2)));  // an odd one at the end
                  });
                };
                if (o.size > 8) copy(i64(0));
                else when(b.CreateICmpEQ(step, i64(o.size)), copy_vectors, [&] { copy(i64(0)); });
                b.CreateRetVoid();
              }),
       {o.buffer, target, stride, count});
}

// Copies the vectors that `n` contiguous elements fill. Returns how many elements these are.
Value* Emitter::copy_whole_vectors(Value* to, Value* from, Value* n, int64_t size) {
  Type* vector = llvm::FixedVectorType::get(b.getIntNTy(8 * static_cast<unsigned>(size)), lanes_);
  const llvm::Align unaligned(1);
  Value* whole = b.CreateAnd(n, i64(-static_cast<int64_t>(lanes_)));
  loop(i64(0), whole, lanes_, [&](Value* j) {
    b.CreateAlignedStore(b.CreateAlignedLoad(vector, at(from, mul(j, size)), unaligned), at(to, mul(j, size)), unaligned);
  });
  return whole;
}

// The first n elements of a vector as words that AVX2 can mask. Elements of two bytes go by pairs; an odd one at the end is left out.
Emitter::MaskedWords Emitter::masked_words(Value* n, int64_t size) {
  const unsigned count = size == 2 ? lanes_ / 2 : lanes_;
  auto* type = llvm::FixedVectorType::get(b.getIntNTy(8 * static_cast<unsigned>(std::max<int64_t>(size, 4))), count);
  Value* words = size == 2 ? b.CreateLShr(n, i64(1)) : n;
  return {type, first_lanes(words, count)};
}

// A mask of `count` lanes, of which those below n are set.
Value* Emitter::first_lanes(Value* n, unsigned count) {
  return b.CreateICmpSLT(b.CreateStepVector(llvm::FixedVectorType::get(b.getInt64Ty(), count)), b.CreateVectorSplat(count, n));
}

// The addresses at which the vector loop finds `count` elements from `begin` on: in the operand itself where it is contiguous, else in its buffer. Where
// `direct_allowed` (i1) is false, every operand comes through its buffer.
Emitter::Addresses Emitter::stage_strip(int phase, Value* begin, Value* count, Value* direct_allowed) {
  Addresses address(operands_.size());
  for (size_t k = 0; k < operands_.size(); ++k) {
    const KernelOperand& o = operands_[k];
    if (!reads(phase, k) && !writes(phase, k)) continue;
    Value* direct = b.CreateAnd(o.direct, direct_allowed);
    if (reads(phase, k)) {
      when(b.CreateNot(b.CreateOr(o.broadcast, direct)), [&] { stage(o, at(o.row, mul(begin, o.inner)), o.inner, count); });
    }
    address[k] = b.CreateSelect(direct, at(o.row, mul(begin, o.size)), o.buffer);
  }
  return address;
}

// The addresses of the elements i places further on. A broadcast operand keeps its address.
Emitter::Addresses Emitter::advance(const Addresses& base, Value* i) {
  Addresses address(base.size());
  for (size_t k = 0; k < base.size(); ++k)
    if (base[k]) address[k] = at(base[k], mul(i, b.CreateSelect(operands_[k].broadcast, i64(0), i64(operands_[k].size))));
  return address;
}

void Emitter::unstage_strip(int phase, Value* begin, Value* count, Value* direct_allowed) {
  for (size_t k = 0; k < operands_.size(); ++k) {
    const KernelOperand& o = operands_[k];
    if (!writes(phase, k)) continue;
    when(b.CreateNot(b.CreateAnd(o.direct, direct_allowed)), [&] { unstage(o, at(o.row, mul(begin, o.inner)), o.inner, count); });
  }
}

// One vector of elements: loads operands, computes the instructions of the phase and stores its results. Returns the values, for the phase's reductions.
Emitter::Values Emitter::chunk(int phase, const Addresses& address, Value* index) {
  Values v = row_values_;
  const RowPlan::Phase& p = plan_.phases[phase];
  const size_t outs = body_.outs.size();
  if (p.loads_kept) v[*plan_.kept] = code_.load(body_.outs[plan_.kept_in].arg.dtype, address[plan_.kept_in], lanes_, false);
  compute(v, p.roots, lanes_, [&](uint32_t, const Ins& n) -> Value* {
    if (n.fn == Fn::Arg) return code_.load(body_.args[n.imm].dtype, address[outs + n.imm], lanes_, n.b != 0);
    Value* lane = b.CreateStepVector(llvm::FixedVectorType::get(b.getInt64Ty(), lanes_));
    Value* i = b.CreateAdd(b.CreateVectorSplat(lanes_, index), lane);
    // A tail is filled with repetitions of the last element, so its index is repeated too.
    return body_.raises() ? b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, i, b.CreateVectorSplat(lanes_, add(n_, -1))) : i;
  });
  if (p.stores_kept)
    code_.store(body_.outs[plan_.kept_in].arg.dtype, operand(v, *plan_.kept, lanes_), nullptr, address[plan_.kept_in], lanes_);
  if (p.stores_outs)
    for (size_t k = 0; k < outs; ++k) {
      const Body::Out& o = body_.outs[k];
      if (o.arg.uniform) continue;
      Value* im = is_complex(o.arg.dtype) ? operand(v, o.im, lanes_) : nullptr;
      code_.store(o.arg.dtype, operand(v, o.re, lanes_), im, address[k], lanes_);
    }
  return v;
}

// Prefetches what a later iteration reads. An address past the end of an operand is harmless.
void Emitter::prefetch(int phase, const Addresses& address) {
  const auto [bytes, times] = prefetch_of(isa_);
  for (size_t k = 0; k < operands_.size(); ++k) {
    if (!reads(phase, k)) continue;
    for (int64_t line = 0; line < lanes_ * operands_[k].size; line += kLine) {
      Value* ahead = at(address[k], i64(bytes + line));
      for (int repeat = 0; repeat < times; ++repeat)
        b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::prefetch, {ahead, b.getInt32(0), b.getInt32(3), b.getInt32(1)});
    }
  }
}

// A phase without a reduction. The same vector loop runs over strips of the row (or over all of it), and then over the rest of fewer than lanes_ elements.
void Emitter::map_phase(int phase) {
  AllocaInst* done = local(b.getInt64Ty());
  b.CreateStore(i64(0), done);
  loop_while([&] { return b.CreateICmpSLT(b.CreateLoad(b.getInt64Ty(), done), n_); },
             [&] {
               Value* begin = b.CreateLoad(b.getInt64Ty(), done);
               Value* left = sub(n_, begin);
               Value* full = b.CreateAnd(left, i64(-static_cast<int64_t>(lanes_)));
               Value* is_full = b.CreateICmpNE(full, i64(0));
               Value* count = b.CreateSelect(is_full, min(full, strip_), left);
               const Addresses base = stage_strip(phase, begin, count, is_full);
               loop(i64(0), count, lanes_, [&](Value* i) {
                 const Addresses address = advance(base, i);
                 prefetch(phase, address);
                 chunk(phase, address, add(begin, i));
               });
               unstage_strip(phase, begin, count, is_full);
               b.CreateStore(add(begin, count), done);
             });
}

// Reduces one block: whole groups of kInnerLanes elements, then the rest under a mask.
void Emitter::fold_block(int phase, std::vector<Fold>& f, Value* begin, Value* end) {
  Value* groups_end = add(begin, b.CreateAnd(sub(end, begin), i64(-kInnerLanes)));
  const RowPlan::Phase& p = plan_.phases[phase];
  if (f.size() == 1 && orders_floats(f[0].ins) && p.cost <= kTwiceLimit && !p.stores_kept && !p.stores_outs) {
    AllocaInst* nans = local(llvm::FixedVectorType::get(b.getInt1Ty(), lanes_));
    b.CreateStore(llvm::Constant::getNullValue(nans->getAllocatedType()), nans);
    fold_groups(phase, f, begin, groups_end, nans);
    when(b.CreateOrReduce(b.CreateLoad(nans->getAllocatedType(), nans)), [&] { fold_groups(phase, f, begin, groups_end, nullptr); });
  } else {
    fold_groups(phase, f, begin, groups_end, nullptr);
  }
  when(b.CreateICmpSLT(groups_end, end), [&] { fold_tail(phase, f, groups_end, sub(end, groups_end)); });
}

// Reduces whole groups of kInnerLanes elements, with accumulators in registers, or in memory behind a long body. With `nans`, a max or min runs without handling
// NaNs and notes in `nans` the lanes in which some occurred; where any is set, the caller runs it again without `nans`.
void Emitter::fold_groups(int phase, std::vector<Fold>& f, Value* begin, Value* groups_end, AllocaInst* nans) {
  const unsigned parts = kInnerLanes / lanes_;
  const bool in_registers = plan_.phases[phase].cost * parts <= kUnrollLimit;
  for (Fold& fold : f) {
    const Combine c = static_cast<Combine>(fold.ins.imm);
    for (unsigned u = 0; u < parts; ++u) {
      Value* identity = code_.constant(fold.ins.t, identity_bits(c, fold.ins.t), lanes_);
      if (in_registers) b.CreateStore(identity, fold.lanes[u]);
      else code_.store(fold.ins.t, identity, nullptr, at(fold.memory, i64(u * lanes_ * element_size(fold.ins.t))), lanes_);
    }
  }
  AllocaInst* done = local(b.getInt64Ty());
  b.CreateStore(begin, done);
  loop_while([&] { return b.CreateICmpSLT(b.CreateLoad(b.getInt64Ty(), done), groups_end); },
             [&] {
               Value* first = b.CreateLoad(b.getInt64Ty(), done);
               Value* count = min(sub(groups_end, first), strip_);
               const Addresses base = stage_strip(phase, first, count, b.getTrue());
               if (in_registers) {
                 loop(i64(0), count, kInnerLanes, [&](Value* i) {
                   std::vector<Value*> values;
                   for (unsigned u = 0; u < parts; ++u) {
                     Value* j = add(i, static_cast<int64_t>(u) * lanes_);
                     const Values v = chunk(phase, advance(base, j), add(first, j));
                     for (Fold& fold : f) fold_register(fold, u, v, nans ? Nan::InLaterOnly : Nan::Anywhere);
                     if (nans) values.push_back(operand(v, f[0].ins.a, lanes_));
                   }
                   if (nans) b.CreateStore(b.CreateOr(b.CreateLoad(nans->getAllocatedType(), nans), nan_lanes(values)), nans);
                 });
               } else {
                 loop(i64(0), count, lanes_, [&](Value* i) {
                   const Values v = chunk(phase, advance(base, i), add(first, i));
                   Value* lane = b.CreateAnd(i, i64(kInnerLanes - 1));
                   for (Fold& fold : f) fold_memory(fold, lane, v, nullptr);
                 });
               }
               unstage_strip(phase, first, count, b.getTrue());
               b.CreateStore(add(first, count), done);
             });
  if (in_registers)
    for (Fold& fold : f)
      for (unsigned u = 0; u < parts; ++u)
        code_.store(fold.ins.t, b.CreateLoad(code_.type(fold.ins.t, lanes_), fold.lanes[u]), nullptr,
                    at(fold.memory, i64(u * lanes_ * element_size(fold.ins.t))), lanes_);
}

// Reduces the fewer than kInnerLanes elements at the end of a row. Whole chunks are read where they are; the last one goes through the buffers, and its lanes
// without an element keep their value.
void Emitter::fold_tail(int phase, std::vector<Fold>& f, Value* begin, Value* count) {
  for (size_t k = 0; k < operands_.size(); ++k) {
    const KernelOperand& o = operands_[k];
    if (!reads(phase, k)) continue;
    when(b.CreateNot(b.CreateOr(o.broadcast, o.direct)), [&] { stage(o, at(o.row, mul(begin, o.inner)), o.inner, count); });
  }
  loop(i64(0), count, lanes_, [&](Value* i) {
    Value *left = sub(count, i), *is_partial = b.CreateICmpSLT(left, i64(lanes_));
    Addresses address(operands_.size());
    for (size_t k = 0; k < operands_.size(); ++k) {
      const KernelOperand& o = operands_[k];
      if (!reads(phase, k) && !writes(phase, k)) continue;
      Value* element = at(o.row, mul(add(begin, i), o.size));
      Value* partial_direct = b.CreateAnd(o.direct, is_partial);
      if (reads(phase, k)) when(partial_direct, [&] { stage(o, element, i64(o.size), left); });
      Value* buffered = at(o.buffer, mul(i, b.CreateSelect(b.CreateOr(o.broadcast, o.direct), i64(0), i64(o.size))));
      address[k] = b.CreateSelect(b.CreateAnd(o.direct, b.CreateNot(is_partial)), element, buffered);
    }
    const Values v = chunk(phase, address, add(begin, i));
    for (Fold& fold : f) fold_memory(fold, i, v, first_lanes(left));
    for (size_t k = 0; k < operands_.size(); ++k) {
      const KernelOperand& o = operands_[k];
      if (!writes(phase, k)) continue;
      when(b.CreateAnd(o.direct, is_partial), [&] { unstage(o, at(o.row, mul(add(begin, i), o.size)), i64(o.size), left); });
    }
  });
  for (size_t k = 0; k < operands_.size(); ++k) {
    const KernelOperand& o = operands_[k];
    if (!writes(phase, k)) continue;
    when(b.CreateNot(o.direct), [&] { unstage(o, at(o.row, mul(begin, o.inner)), o.inner, count); });
  }
}

void Emitter::fold_phase(int phase) {
  std::vector<Fold> f = folds(phase, lanes_, kInnerLanes / lanes_);
  for (Fold& fold : f) b.CreateStore(i64(0), fold.top);
  loop(i64(0), n_, kInnerBlock, [&](Value* begin) {
    fold_block(phase, f, begin, min(n_, add(begin, kInnerBlock)));
    Value* index = b.CreateLShr(begin, llvm::countr_zero(static_cast<uint64_t>(kInnerBlock)));
    for (Fold& fold : f) b.CreateStore(push_block(fold, fold.stack, i64(element_size(fold.ins.t)), index, halve(fold)), fold.top);
  });
  for (Fold& fold : f)
    row_values_[fold.id] = drain(fold, fold.stack, i64(element_size(fold.ins.t)), b.CreateLoad(b.getInt64Ty(), fold.top), 1);
}

Value* Emitter::row_address(size_t k, Value* r) {
  return at(b.CreateLoad(b.getPtrTy(), b.CreateConstGEP1_64(b.getPtrTy(), fn_->getArg(0), k)), mul(r, operands_[k].outer));
}

// Sets the address of row r in each operand.
void Emitter::find_row(Value* r) {
  for (size_t k = 0; k < operands_.size(); ++k) operands_[k].row = row_address(k, r);
}

void Emitter::load_row(Value* r) {
  find_row(r);
  Value* has_elements = b.CreateICmpSGT(n_, i64(0));
  for (KernelOperand& o : operands_)
    if (!o.uniform && !o.is_out) when(b.CreateAnd(o.broadcast, has_elements), [&] { stage(o, o.row, i64(0), i64(lanes_)); });
}

// Loads an argument that is one number for the row.
Emitter::Leaf Emitter::uniform_leaf() {
  return [this](uint32_t, const Ins& n) -> Value* {
    return code_.load(body_.args[n.imm].dtype, operands_[body_.outs.size() + n.imm].row, 1, n.b != 0);
  };
}

// The indices of a vector of elements.
Value* Emitter::indices_from(Value* begin) {
  return b.CreateAdd(b.CreateVectorSplat(lanes_, begin), b.CreateStepVector(llvm::FixedVectorType::get(b.getInt64Ty(), lanes_)));
}

void Emitter::emit_row() {
  row_values_.assign(body_.ins.size(), nullptr);
  const Leaf uniform_arg = uniform_leaf();
  compute_uniforms(row_values_, 0, 1, uniform_arg);
  for (int p = 0; p < static_cast<int>(plan_.phases.size()); ++p) {
    if (plan_.phases[p].reduces.empty()) map_phase(p);
    else fold_phase(p);
    compute_uniforms(row_values_, p + 1, 1, uniform_arg);
  }
  store_uniforms();
}

void Emitter::store_uniforms() {
  for (size_t k = 0; k < body_.outs.size(); ++k) {
    const Body::Out& o = body_.outs[k];
    if (!o.arg.uniform) continue;
    Value* im = is_complex(o.arg.dtype) ? operand(row_values_, o.im, 1) : nullptr;
    code_.store(o.arg.dtype, operand(row_values_, o.re, 1), im, operands_[k].row, 1);
  }
}

// ------------------------------------------------------------------------------------------------ columns

// The address of element i of the rows in vector `part` of the chunk.
Value* Emitter::column(const KernelOperand& o, unsigned part, Value* i) {
  Value* row = add(columns_.row, static_cast<int64_t>(part) * lanes_);
  return at(at(o.row, mul(row, o.outer)), o.uniform ? i64(0) : mul(i, o.inner));
}

Value* Emitter::load_column(const KernelOperand& o, unsigned part, Value* i, bool imaginary) {
  Value* address = column(o, part, i);
  if (!columns_.direct) return code_.load(o.dtype, address, lanes_, imaginary);
  when(b.CreateNot(columns_.direct), [&] { stage(o, address, o.outer, columns_.count); });
  return code_.load(o.dtype, b.CreateSelect(columns_.direct, address, o.buffer), lanes_, imaginary);
}

void Emitter::store_column(const KernelOperand& o, unsigned part, Value* i, Value* re, Value* im) {
  Value* address = column(o, part, i);
  if (!columns_.direct) return code_.store(o.dtype, re, im, address, lanes_);
  code_.store(o.dtype, re, im, b.CreateSelect(columns_.direct, address, o.buffer), lanes_);
  when(b.CreateNot(columns_.direct), [&] { unstage(o, address, o.outer, columns_.count); });
}

// Computes `parts` vectors of neighbouring rows at once: each row is one lane.
void Emitter::emit_column_chunk(unsigned parts) {
  const size_t outs = body_.outs.size();
  std::vector<Values> values(parts, Values(body_.ins.size()));
  auto uniforms = [&](int level) {
    for (unsigned u = 0; u < parts; ++u)
      compute_uniforms(values[u], level, lanes_,
                       [&](uint32_t, const Ins& n) { return load_column(operands_[outs + n.imm], u, nullptr, n.b != 0); });
  };
  auto element = [&](int phase, unsigned u, Value* i) {
    const RowPlan::Phase& p = plan_.phases[phase];
    Values v = values[u];
    if (p.loads_kept) v[*plan_.kept] = load_column(operands_[plan_.kept_in], u, i, false);
    compute(v, p.roots, lanes_, [&](uint32_t, const Ins& n) -> Value* {
      return n.fn == Fn::Index ? b.CreateVectorSplat(lanes_, i) : load_column(operands_[outs + n.imm], u, i, n.b != 0);
    });
    if (p.stores_kept) store_column(operands_[plan_.kept_in], u, i, operand(v, *plan_.kept, lanes_), nullptr);
    for (size_t k = 0; p.stores_outs && k < outs; ++k) {
      const Body::Out& o = body_.outs[k];
      if (!o.arg.uniform)
        store_column(operands_[k], u, i, operand(v, o.re, lanes_), is_complex(o.arg.dtype) ? operand(v, o.im, lanes_) : nullptr);
    }
    return v;
  };
  uniforms(0);
  for (int p = 0; p < static_cast<int>(plan_.phases.size()); ++p) {
    if (plan_.phases[p].reduces.empty()) {
      loop(i64(0), n_, 1, [&](Value* i) {
        for (unsigned u = 0; u < parts; ++u) element(p, u, i);
      });
    } else {
      std::vector<Fold> f = folds(p, lanes_, parts);
      for (Fold& fold : f) b.CreateStore(i64(0), fold.top);
      loop(i64(0), n_, kOuterBlock, [&](Value* begin) {
        for (Fold& fold : f)
          for (AllocaInst* a : fold.lanes)
            b.CreateStore(code_.constant(fold.ins.t, identity_bits(static_cast<Combine>(fold.ins.imm), fold.ins.t), lanes_), a);
        loop(begin, min(n_, add(begin, kOuterBlock)), 1, [&](Value* i) {
          for (unsigned u = 0; u < parts; ++u) {
            const Values v = element(p, u, i);
            for (Fold& fold : f) fold_register(fold, u, v, Nan::Anywhere);
          }
        });
        Value* index = b.CreateLShr(begin, llvm::countr_zero(static_cast<uint64_t>(kOuterBlock)));
        for (Fold& fold : f)
          for (unsigned u = 0; u < parts; ++u) {
            Value* lanes = b.CreateLoad(code_.type(fold.ins.t, lanes_), fold.lanes[u]);
            const int64_t bytes = lanes_ * element_size(fold.ins.t);
            b.CreateStore(push_block(fold, at(fold.stack, i64(u * bytes)), i64(parts * bytes), index, lanes), fold.top);
          }
      });
      for (Fold& fold : f)
        for (unsigned u = 0; u < parts; ++u) {
          const int64_t bytes = lanes_ * element_size(fold.ins.t);
          Value* count = b.CreateLoad(b.getInt64Ty(), fold.top);
          values[u][fold.id] = drain(fold, at(fold.stack, i64(u * bytes)), i64(parts * bytes), count, lanes_);
        }
    }
    uniforms(p + 1);
  }
  for (unsigned u = 0; u < parts; ++u)
    for (size_t k = 0; k < outs; ++k) {
      const Body::Out& o = body_.outs[k];
      if (o.arg.uniform)
        store_column(operands_[k], u, nullptr, operand(values[u], o.re, lanes_),
                     is_complex(o.arg.dtype) ? operand(values[u], o.im, lanes_) : nullptr);
    }
}

void Emitter::emit_columns(Value* rows) {
  Value* contiguous = b.getTrue();
  for (KernelOperand& o : operands_) {
    contiguous = b.CreateAnd(contiguous, b.CreateICmpEQ(o.outer, i64(o.size)));
    o.row = b.CreateLoad(b.getPtrTy(), b.CreateConstGEP1_64(b.getPtrTy(), fn_->getArg(0), static_cast<size_t>(&o - operands_.data())));
  }
  AllocaInst* done = local(b.getInt64Ty());
  b.CreateStore(i64(0), done);
  auto first = [&] { return b.CreateLoad(b.getInt64Ty(), done); };
  size_t cost = 0;
  for (const RowPlan::Phase& p : plan_.phases) cost = std::max(cost, p.cost);
  const unsigned parts = static_cast<unsigned>(kInnerLanes) / lanes_;
  if (parts > 1 && cost * parts <= kWideColumns) {
    const int64_t step = kInnerLanes;
    loop_while([&] { return b.CreateAnd(contiguous, b.CreateICmpSLE(add(first(), step), rows)); },
               [&] {
                 columns_ = {first(), nullptr, nullptr};
                 emit_column_chunk(parts);
                 b.CreateStore(add(columns_.row, step), done);
               });
  }
  loop_while([&] { return b.CreateICmpSLT(first(), rows); },
             [&] {
               Value *row = first(), *count = min(sub(rows, row), i64(lanes_));
               columns_ = {row, count, b.CreateAnd(contiguous, b.CreateICmpEQ(count, i64(lanes_)))};
               emit_column_chunk(1);
               b.CreateStore(add(row, count), done);
             });
}

// ------------------------------------------------------------------------------------------------ the function

llvm::Function* Emitter::run() {
  llvm::LLVMContext& context = module_.getContext();
  Type *pointer = b.getPtrTy(), *i64_type = b.getInt64Ty();
  fn_ = new_function(kernel_symbol(hash(body_), form_, isa_), b.getInt32Ty(), {pointer, pointer, i64_type, pointer, i64_type});
  fn_->setVisibility(llvm::GlobalValue::HiddenVisibility);
  entry_ = BasicBlock::Create(context, "entry", fn_);
  b.SetInsertPoint(entry_);
  raised_ = local(i64_type);
  b.CreateStore(i64(0), raised_);
  Value *inner = fn_->getArg(1), *outer = fn_->getArg(3), *rows = fn_->getArg(4);
  n_ = fn_->getArg(2);

  int64_t widest = 1;
  auto widen = [&](DType t) { widest = std::max(widest, element_size(real_type(t))); };
  for (const Ins& n : body_.ins)
    if (n.fn != Fn::Const && n.fn != Fn::Count) widen(n.t);
  for (const Body::Out& o : body_.outs) widen(o.arg.dtype), operands_.push_back({o.arg.dtype, o.arg.uniform, true});
  for (const BodyArg& a : body_.args) operands_.push_back({a.dtype, a.uniform, false});
  lanes_ = static_cast<unsigned>(64 / widest);

  Value *unstaged = b.getTrue(), *all_contiguous = b.getTrue();
  for (size_t k = 0; k < operands_.size(); ++k) {
    KernelOperand& o = operands_[k];
    o.size = element_size(o.dtype);
    o.inner = b.CreateLoad(i64_type, b.CreateConstGEP1_64(i64_type, inner, k));
    o.outer = b.CreateLoad(i64_type, b.CreateConstGEP1_64(i64_type, outer, k));
    if (o.uniform && form_ != KernelForm::Outer) continue;
    o.buffer = local(llvm::ArrayType::get(b.getIntNTy(8 * static_cast<unsigned>(o.size)), form_ == KernelForm::Outer ? lanes_ : kStrip));
    llvm::cast<AllocaInst>(o.buffer)->setAlignment(llvm::Align(64));
    if (form_ == KernelForm::Outer) continue;
    o.direct = b.CreateICmpEQ(o.inner, i64(o.size));
    o.broadcast = o.is_out ? b.getFalse() : b.CreateICmpEQ(o.inner, i64(0));
    unstaged = b.CreateAnd(unstaged, b.CreateOr(o.direct, o.broadcast));
    all_contiguous = b.CreateAnd(all_contiguous, o.direct);
  }
  if (form_ == KernelForm::Outer) {
    emit_columns(rows);
  } else {
    strip_ = b.CreateSelect(unstaged, i64(int64_t{1} << 62), i64(kStrip));
    first_row_ = i64(0);
    if (has_turned_rows()) {
      AllocaInst* done = local(i64_type);
      b.CreateStore(i64(0), done);
      when(b.CreateAnd(all_contiguous, b.CreateICmpULT(add(n_, -1), i64(longest_turned_row()))),
           [&] { b.CreateStore(emit_turned_rows(rows), done); });
      first_row_ = b.CreateLoad(i64_type, done);
    }
    const auto any_rows = [&] {
      loop(first_row_, rows, 1, [&](Value* r) {
        load_row(r);
        emit_row();
      });
    };
    const auto longer_rows = [&] {
      if (has_short_rows())
        when(b.CreateAnd(all_contiguous, b.CreateICmpSLE(n_, i64(kShortRow))), [&] { emit_short_rows(rows); }, any_rows);
      else any_rows();
    };
    Value* readable = form_ == KernelForm::Pointwise ? unstaged : all_contiguous;
    const int64_t most = form_ == KernelForm::Pointwise ? kVectorsOfMap * lanes_ : lanes_;
    if (has_vector_rows())
      when(b.CreateAnd(readable, b.CreateICmpULT(add(n_, -1), i64(most))), [&] { emit_vector_rows(rows); }, longer_rows);
    else longer_rows();
  }
  b.CreateRet(b.CreateZExt(b.CreateIsNotNull(b.CreateLoad(i64_type, raised_)), b.getInt32Ty()));
  return fn_;
}

bool can_emit(const Body& body, Isa isa) {
  if (isa == Isa::none) return false;
  return isa >= Isa::v3 ||
         std::none_of(body.ins.begin(), body.ins.end(), [](const Ins& n) { return n.fn == Fn::Fma && n.t == DType::f64; });
}

std::string kernel_symbol(uint64_t body_hash, KernelForm form, Isa isa) {
  char text[64];
  std::snprintf(text, sizeof text, "monograph_k_%016llx_%c_v%d", static_cast<unsigned long long>(body_hash), "pio"[static_cast<int>(form)],
                static_cast<int>(isa) + 1);
  return text;
}

llvm::Function* emit_kernel(llvm::Module& module, const KernelRequest& request, Isa isa) {
  MONOGRAPH_ASSERT(can_emit(request.body, isa));
  llvm::Function* fn = Emitter(module, request, isa).run();
  MONOGRAPH_ASSERT(!llvm::verifyFunction(*fn, &llvm::errs()));
  return fn;
}

}  // namespace monograph
