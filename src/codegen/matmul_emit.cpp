// Emits the kernels of matrix products (kernels/matmul.h) and the loops that transpose panels. A kernel has one loop over k with a block of accumulators in
// registers; each iteration loads a vector of one operand and broadcasts elements of the other.
#include "codegen/matmul.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Target/TargetMachine.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "codegen/jit.h"
#include "codegen/target.h"
#include "core/error.h"

namespace monograph {

namespace {

// The number of columns of a panel.
int64_t matmul_panel(DType type, Isa isa) { return (isa == Isa::v4 ? 64 : 32) / element_size(type) * MatmulBlock{}.vectors; }

using llvm::Value;

constexpr unsigned kUnroll = 4;  // links of the chain in one iteration of the loop

void set_target(llvm::Function& f, Isa code) {
  f.addFnAttr("target-cpu", llvm::StringRef(name(code).data(), name(code).size()));
  if (code == Isa::v4) {  // LLVM's tuning for v4 would split vectors of 64 bytes
    f.addFnAttr("prefer-vector-width", "512");
    f.addFnAttr("min-legal-vector-width", "512");
  }
  f.addFnAttr("denormal-fp-math", "dynamic,dynamic");
  f.addFnAttr(llvm::Attribute::NoUnwind);
  f.setVisibility(llvm::GlobalValue::HiddenVisibility);
}

// Emits one kernel. The accumulator of row r and vector v is acc[r * vectors + v].
class ProductEmitter {
 public:
  ProductEmitter(llvm::Module& module, const MatmulBlock& block)
      : module_(module),
        block_(block),
        b_(module.getContext()),
        element_(block.type == DType::f64 ? b_.getDoubleTy() : b_.getFloatTy()),
        bytes_(static_cast<unsigned>(element_size(block.type))),
        lanes_((block.isa == Isa::v4 ? 64 : 32) / bytes_),
        vectors_(static_cast<unsigned>(block.panels * block.vectors)),
        vector_(llvm::FixedVectorType::get(element_, lanes_)) {}

  llvm::Function* emit() {
    declare();
    auto* entry = append("entry");
    b_.SetInsertPoint(entry);
    prefetch_c();
    Accumulators acc = initial();
    a_step_ = Step(*this, a_row_), b_step_ = Step(*this, block_.panels == 1 ? b_row_ : b_panel_);
    auto* unrolled = b_.getInt64(kUnroll);
    Value* turns = b_.CreateUDiv(k_, unrolled);
    Position at;
    for (int r = 0; r < block_.rows; r += 4) at.push_back(offset(a_argument_, times(a_row_, r)));
    for (int panel = 0; panel < block_.panels; panel += 4) at.push_back(offset(b_argument_, times(b_panel_, panel)));
    at = loop("unrolled", turns, kUnroll, at, acc);
    at = loop("rest", b_.CreateURem(k_, unrolled), 1, at, acc);
    add_bias(acc);
    store(acc);
    b_.CreateRetVoid();
    if (llvm::verifyFunction(*function_, &llvm::errs())) throw InternalError("the matrix kernel does not verify");
    return function_;
  }

 private:
  using Accumulators = std::vector<Value*>;
  using Position = std::vector<Value*>;  // the addresses of the next link: in each fourth row of a, then in each fourth panel of b

  // A distance in memory and three times that distance, each in a register: an instruction can address base + {0, 1, 2, 3} * distance. So twelve rows need
  // three base registers and two registers for distances, not twelve registers.
  struct Step {
    Value* multiple[4] = {};
    Step() = default;
    Step(ProductEmitter& e, Value* distance) : multiple{nullptr, distance, e.times(distance, 2), e.opaque(e.times(distance, 3))} {}
  };
  Value* step(Value* base, const Step& s, unsigned count) { return count ? offset(base, s.multiple[count]) : base; }
  // Hides from LLVM how the value is computed. Else LLVM would give each row its own pointer, run out of registers, and load the elements of all rows
  // for several links at once, to keep them on the stack.
  Value* opaque(Value* v) {
    auto* type = llvm::FunctionType::get(v->getType(), {v->getType()}, false);
    return b_.CreateCall(type, llvm::InlineAsm::get(type, "", "=r,0", false), {v});
  }

  void declare() {
    auto* i64 = b_.getInt64Ty();
    auto* ptr = b_.getPtrTy();
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), {i64, ptr, i64, ptr, i64, i64, i64, ptr, i64, i64, i64, ptr}, false);
    function_ = llvm::Function::Create(
        type, llvm::Function::ExternalLinkage,
        matmul_table_name(block_.type, block_.isa) + "_" + std::to_string(block_.rows) + "x" + std::to_string(block_.panels), module_);
    set_target(*function_, block_.code);
    auto argument = function_->arg_begin();
    for (Value** v :
         {&k_, &a_argument_, &a_row_, &b_argument_, &b_row_, &b_panel_, &b_ahead_, &c_argument_, &c_row_, &n_, &accumulate_, &bias_})
      *v = &*argument++;
  }

  llvm::BasicBlock* append(const char* name) { return llvm::BasicBlock::Create(module_.getContext(), name, function_); }
  Value* offset(Value* base, Value* bytes) { return b_.CreateGEP(b_.getInt8Ty(), base, bytes); }
  Value* times(Value* stride, unsigned factor) { return b_.CreateMul(stride, b_.getInt64(factor)); }
  llvm::Align align() const { return llvm::Align(bytes_); }

  // The address of vector v in row r of c, where the panels are contiguous.
  Value* c_at(unsigned r, unsigned v) { return offset(offset(c_argument_, times(c_row_, r)), b_.getInt64(v * lanes_ * bytes_)); }

  void prefetch_c() {
    for (int r = 0; r < block_.rows; ++r) prefetch(c_at(r, 0), 1);
  }
  void prefetch(Value* address, int write) {
    b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()}, {address, b_.getInt32(write), b_.getInt32(3), b_.getInt32(1)});
  }

  // A mask of the lanes of vector v that are below column n.
  Value* mask(unsigned v) {
    std::vector<llvm::Constant*> index;
    auto* lane_type = b_.getIntNTy(8 * bytes_);
    for (unsigned l = 0; l < lanes_; ++l) index.push_back(llvm::ConstantInt::get(lane_type, v * lanes_ + l));
    return b_.CreateICmpSLT(llvm::ConstantVector::get(index), b_.CreateVectorSplat(lanes_, b_.CreateTrunc(n_, lane_type)));
  }

  // Calls access(vector, mask or null) twice: with the builder in a block for full width and in one for partial width. Both continue at the same block.
  template <class Full, class Partial>
  void by_width(Full full, Partial partial) {
    auto *wide = append("full"), *part = append("partial"), *join = append("join");
    b_.CreateCondBr(b_.CreateICmpSGE(n_, b_.getInt64(vectors_ * lanes_)), wide, part);
    b_.SetInsertPoint(wide), full(), b_.CreateBr(join);
    b_.SetInsertPoint(part), partial(), b_.CreateBr(join);
    b_.SetInsertPoint(join);
  }

  // The initial accumulators: zeros, or the elements of c.
  Accumulators initial() {
    const size_t count = static_cast<size_t>(block_.rows) * vectors_;
    Accumulators zero(count, llvm::Constant::getNullValue(vector_)), full(count), part(count), result(count);
    auto *from = b_.GetInsertBlock(), *resume = append("resume"), *begin = append("begin");
    llvm::BasicBlock *full_end = nullptr, *part_end = nullptr;
    b_.CreateCondBr(b_.CreateICmpNE(accumulate_, b_.getInt64(0)), resume, begin);
    b_.SetInsertPoint(resume);
    by_width(
        [&] {
          for (size_t i = 0; i < count; ++i) full[i] = b_.CreateAlignedLoad(vector_, c_at(i / vectors_, i % vectors_), align());
          full_end = b_.GetInsertBlock();
        },
        [&] {
          for (size_t i = 0; i < count; ++i)
            part[i] = b_.CreateMaskedLoad(vector_, c_at(i / vectors_, i % vectors_), align(), mask(i % vectors_), zero[i]);
          part_end = b_.GetInsertBlock();
        });
    Accumulators loaded(count);
    for (size_t i = 0; i < count; ++i) {
      auto* phi = b_.CreatePHI(vector_, 2);
      phi->addIncoming(full[i], full_end), phi->addIncoming(part[i], part_end);
      loaded[i] = phi;
    }
    auto* resumed = b_.GetInsertBlock();
    b_.CreateBr(begin);
    b_.SetInsertPoint(begin);
    for (size_t i = 0; i < count; ++i) {
      auto* phi = b_.CreatePHI(vector_, 2);
      phi->addIncoming(zero[i], from), phi->addIncoming(loaded[i], resumed);
      result[i] = phi;
    }
    return result;
  }

  // Adds bias[0:n] to each row, if there is a bias.
  void add_bias(Accumulators& acc) {
    auto *from = b_.GetInsertBlock(), *with = append("with_bias"), *without = append("without_bias");
    b_.CreateCondBr(b_.CreateIsNull(bias_), without, with);
    b_.SetInsertPoint(with);
    std::vector<Value*> bias;
    for (unsigned v = 0; v < vectors_; ++v)
      bias.push_back(b_.CreateMaskedLoad(vector_, offset(bias_, b_.getInt64(v * lanes_ * bytes_)), align(), mask(v),
                                         llvm::Constant::getNullValue(vector_)));
    Accumulators sums;
    for (size_t i = 0; i < acc.size(); ++i) sums.push_back(b_.CreateFAdd(acc[i], bias[i % vectors_]));
    b_.CreateBr(without);
    b_.SetInsertPoint(without);
    for (size_t i = 0; i < acc.size(); ++i) {
      auto* phi = b_.CreatePHI(vector_, 2);
      phi->addIncoming(acc[i], from), phi->addIncoming(sums[i], with);
      acc[i] = phi;
    }
  }

  void store(const Accumulators& acc) {
    by_width(
        [&] {
          for (size_t i = 0; i < acc.size(); ++i) b_.CreateAlignedStore(acc[i], c_at(i / vectors_, i % vectors_), align());
        },
        [&] {
          for (size_t i = 0; i < acc.size(); ++i)
            b_.CreateMaskedStore(acc[i], c_at(i / vectors_, i % vectors_), align(), mask(i % vectors_));
        });
  }

  // A loop of `turns` iterations with `links` links each, from `at` on; it updates acc.
  Position loop(const char* name, Value* turns, unsigned links, const Position& at, Accumulators& acc) {
    auto *before = b_.GetInsertBlock(), *body = append(name), *after = append("after");
    b_.CreateCondBr(b_.CreateICmpEQ(turns, b_.getInt64(0)), after, body);
    b_.SetInsertPoint(body);
    auto carried = [&](Value* from) {
      auto* phi = b_.CreatePHI(from->getType(), 2);
      phi->addIncoming(from, before);
      return phi;
    };
    auto* turn = carried(turns);
    std::vector<llvm::PHINode*> places, sums;
    for (Value* v : at) places.push_back(carried(v));
    for (Value* v : acc) sums.push_back(carried(v));
    Position next;
    for (llvm::PHINode* place : places) next.push_back(opaque(place));
    Accumulators inside(sums.begin(), sums.end());
    for (unsigned l = 0; l < links; ++l) link(next, l, inside);
    for (size_t i = 0; i < next.size(); ++i)
      next[i] = offset(next[i], i < a_bases() ? b_.getInt64(links * bytes_) : block_.panels == 1 ? times(b_row_, links) : b_row_);
    Value* left = b_.CreateSub(turn, b_.getInt64(1));
    b_.CreateCondBr(b_.CreateICmpEQ(left, b_.getInt64(0)), after, body);
    turn->addIncoming(left, body);
    for (size_t i = 0; i < places.size(); ++i) places[i]->addIncoming(next[i], body);
    for (size_t i = 0; i < sums.size(); ++i) sums[i]->addIncoming(inside[i], body);
    b_.SetInsertPoint(after);
    auto merge = [&](Value* skipped, Value* done) -> Value* {
      auto* phi = b_.CreatePHI(skipped->getType(), 2);
      phi->addIncoming(skipped, before), phi->addIncoming(done, body);
      return phi;
    };
    for (size_t i = 0; i < acc.size(); ++i) acc[i] = merge(acc[i], inside[i]);
    for (size_t i = 0; i < next.size(); ++i) next[i] = merge(at[i], next[i]);
    return next;
  }

  size_t a_bases() const { return static_cast<size_t>(block_.rows + 3) / 4; }

  // Link l of an iteration: acc[r, v] = fma(a[r, l], b[l, v], acc[r, v]). Of a's elements and b's vectors, the fewer are kept in registers.
  void link(Position& at, unsigned l, Accumulators& acc) {
    if (block_.panels > 1 && l > 0)
      for (size_t base = a_bases(); base < at.size(); ++base) at[base] = offset(at[base], b_row_);
    const unsigned rows = static_cast<unsigned>(block_.rows);
    const bool by_rows = vectors_ <= rows;
    std::vector<Value*> held;
    for (unsigned i = 0; i < std::min(rows, vectors_); ++i) held.push_back(by_rows ? b_vector(at, l, i) : a_element(at, l, i));
    for (unsigned i = 0; i < std::max(rows, vectors_); ++i) {
      Value* one = by_rows ? a_element(at, l, i) : b_vector(at, l, i);
      for (unsigned h = 0; h < held.size(); ++h) {
        Value*& sum = by_rows ? acc[i * vectors_ + h] : acc[h * vectors_ + i];
        sum = b_.CreateIntrinsic(llvm::Intrinsic::fma, {vector_}, {by_rows ? one : held[h], by_rows ? held[h] : one, sum});
      }
    }
  }

  Value* a_element(const Position& at, unsigned l, unsigned r) {
    Value* from = offset(step(at[r / 4], a_step_, r % 4), b_.getInt64(l * bytes_));
    return b_.CreateVectorSplat(lanes_, b_.CreateAlignedLoad(element_, from, align()));
  }

  // With several panels, the addresses have moved on to row l. With one they have not, since its four rows are at multiples of one distance.
  Value* b_vector(const Position& at, unsigned l, unsigned v) {
    const unsigned per_panel = static_cast<unsigned>(block_.vectors), panel = v / per_panel, inside = v % per_panel * lanes_ * bytes_;
    Value* from = step(at[a_bases() + panel / 4], b_step_, block_.panels == 1 ? l : panel % 4);
    from = offset(from, b_.getInt64(inside));
    if (inside % 64 == 0) prefetch(offset(from, b_ahead_), 0);
    return b_.CreateAlignedLoad(vector_, from, align());
  }

  llvm::Module& module_;
  MatmulBlock block_;
  llvm::IRBuilder<> b_;
  llvm::Type* element_;
  unsigned bytes_, lanes_, vectors_;
  llvm::FixedVectorType* vector_;
  llvm::Function* function_ = nullptr;
  Step a_step_, b_step_;  // the distance between rows of a; the distance between rows of b, or between panels
  Value *k_, *a_argument_, *a_row_, *b_argument_, *b_row_, *b_panel_, *b_ahead_, *c_argument_, *c_row_, *n_, *accumulate_, *bias_;
};

// Emits a MatmulTransposeFn. It transposes squares of one vector by one vector in registers: two stages within 16 bytes, then two across them.
class TransposeEmitter {
 public:
  TransposeEmitter(llvm::Module& module, DType type, Isa isa, Isa code)
      : module_(module),
        b_(module.getContext()),
        bytes_(static_cast<int>(element_size(type))),
        lanes_((isa == Isa::v4 ? 64 : 32) / bytes_),
        columns_(static_cast<int>(matmul_panel(type, isa))),
        vector_(llvm::FixedVectorType::get(type == DType::f64 ? b_.getDoubleTy() : b_.getFloatTy(), static_cast<unsigned>(lanes_))) {
    auto* ptr = b_.getPtrTy();
    auto* i64 = b_.getInt64Ty();
    function_ = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), {i64, ptr, i64, ptr}, false),
                                       llvm::Function::ExternalLinkage, matmul_table_name(type, isa) + "_transpose", module);
    set_target(*function_, code);
  }

  // Rows of the panel in one iteration: those of a whole cache line of the source, so that no line is read twice.
  int depth() const { return 64 / bytes_; }

  llvm::Function* emit() {
    auto& context = module_.getContext();
    Value *k = function_->getArg(0), *from = function_->getArg(1), *from_row = function_->getArg(2), *to = function_->getArg(3);
    auto *entry = llvm::BasicBlock::Create(context, "entry", function_), *body = llvm::BasicBlock::Create(context, "body", function_),
         *end = llvm::BasicBlock::Create(context, "end", function_);
    b_.SetInsertPoint(entry);
    b_.CreateCondBr(b_.CreateICmpSGT(k, b_.getInt64(0)), body, end);
    b_.SetInsertPoint(body);
    auto *p = b_.CreatePHI(b_.getInt64Ty(), 2), *source = b_.CreatePHI(b_.getPtrTy(), 2), *target = b_.CreatePHI(b_.getPtrTy(), 2);
    for (int column = 0; column < columns_; column += lanes_)
      for (int row = 0; row < depth(); row += lanes_) {
        std::vector<Value*> square;
        for (int i = 0; i < lanes_; ++i) {
          Value* at = offset(source, b_.CreateMul(from_row, b_.getInt64(static_cast<unsigned>(column + i))));
          square.push_back(b_.CreateAlignedLoad(vector_, offset(at, b_.getInt64(static_cast<unsigned>(row * bytes_))), align()));
        }
        square = transposed(square);
        for (int i = 0; i < lanes_; ++i)
          b_.CreateAlignedStore(square[i], offset(target, b_.getInt64(static_cast<unsigned>(((row + i) * columns_ + column) * bytes_))),
                                align());
      }
    auto move = [&](llvm::PHINode* phi, Value* first, Value* next) { phi->addIncoming(first, entry), phi->addIncoming(next, body); };
    Value* done = b_.CreateAdd(p, b_.getInt64(static_cast<unsigned>(depth())));
    move(p, b_.getInt64(0), done), move(source, from, offset(source, b_.getInt64(64)));
    move(target, to, offset(target, b_.getInt64(static_cast<unsigned>(64 * columns_))));
    b_.CreateCondBr(b_.CreateICmpSLT(done, k), body, end);
    b_.SetInsertPoint(end);
    b_.CreateRetVoid();
    return function_;
  }

 private:
  Value* offset(Value* base, Value* bytes) { return b_.CreateGEP(b_.getInt8Ty(), base, bytes); }
  llvm::Align align() const { return llvm::Align(static_cast<unsigned>(bytes_)); }

  // A shuffle: parts of `unit` elements within each `width` elements, numbered through x, then y.
  Value* pick(Value* x, Value* y, int unit, int width, const std::vector<int>& parts) {
    std::vector<int> mask;
    for (int group = 0; group < lanes_; group += width)
      for (int part : parts)
        for (int e = 0; e < unit; ++e)
          mask.push_back(part * unit < width ? group + part * unit + e : lanes_ + group + part * unit - width + e);
    return b_.CreateShuffleVector(x, y, mask);
  }

  // Combines pairs of vectors that are `apart`: the even parts of both and the odd ones, or the lower and the upper ones.
  std::vector<Value*> transposed(std::vector<Value*> rows) {
    const int lane = 16 / bytes_, count = lanes_ / lane;  // lane: the elements of 16 bytes; count: the number of these in a vector
    // Within each `lane` rows, and within each 16 bytes of them: at[group][c] holds column c of every 16 bytes.
    for (int unit = 1; unit < lane; unit *= 2) {
      std::vector<Value*> next(rows.size());
      for (int i = 0; i < lanes_; ++i) {
        if (i & unit) continue;
        std::vector<int> low, high;
        for (int part = 0; part < lane / unit / 2; ++part)
          low.insert(low.end(), {2 * part, lane / unit + 2 * part}), high.insert(high.end(), {2 * part + 1, lane / unit + 2 * part + 1});
        next[i] = pick(rows[i], rows[i + unit], unit, lane, low), next[i + unit] = pick(rows[i], rows[i + unit], unit, lane, high);
      }
      rows = next;
    }
    // The same again, with 16 bytes in place of an element.
    for (int unit = 1; unit < count; unit *= 2) {
      std::vector<Value*> next(rows.size());
      for (int i = 0; i < lanes_; ++i) {
        if (i / lane & unit) continue;
        std::vector<int> low, high;
        for (int part = 0; part < count / unit / 2; ++part)
          low.insert(low.end(), {2 * part, count / unit + 2 * part}), high.insert(high.end(), {2 * part + 1, count / unit + 2 * part + 1});
        const int j = i + unit * lane;
        next[i] = pick(rows[i], rows[j], unit * lane, lanes_, low), next[j] = pick(rows[i], rows[j], unit * lane, lanes_, high);
      }
      rows = next;
    }
    return rows;
  }

  llvm::Module& module_;
  llvm::IRBuilder<> b_;
  int bytes_, lanes_, columns_;
  llvm::FixedVectorType* vector_;
  llvm::Function* function_;
};

// 6 rows of two vectors are 12 accumulators of v3's 16 registers; 12 are 24 of v4's 32.
int most_rows(Isa isa) { return isa == Isa::v4 ? 12 : 6; }

// Whether there is a kernel with this block: for one panel always; for several if the accumulators leave enough registers for the rest of a link.
bool has_block(Isa isa, int rows, int panels) {
  if (panels == 1) return rows <= most_rows(isa);
  const int vectors = panels * MatmulBlock{}.vectors, registers = isa == Isa::v4 ? 32 : 16;
  return (panels <= 4 || panels % 2 == 0) && rows * vectors + std::min(rows, vectors) + 1 <= registers;
}

}  // namespace

std::string matmul_table_name(DType type, Isa isa) {
  return concat("monograph_matmul_", type == DType::f64 ? "f64" : "f32", "_v", static_cast<int>(isa) + 1);
}

llvm::Function* emit_matmul_microkernel(llvm::Module& module, const MatmulBlock& block) { return ProductEmitter(module, block).emit(); }

llvm::GlobalVariable* emit_matmul_kernels(llvm::Module& module, DType type, Isa isa, Isa code) {
  MONOGRAPH_ASSERT(isa == Isa::v3 || isa == Isa::v4);
  auto& context = module.getContext();
  auto* i32 = llvm::Type::getInt32Ty(context);
  auto* ptr = llvm::PointerType::getUnqual(context);
  // The fields have the order of MatmulKernels.
  auto number = [&](auto v) { return llvm::ConstantInt::get(i32, static_cast<uint64_t>(v)); };
  auto array = [](llvm::Type* t, const std::vector<llvm::Constant*>& v) {
    return llvm::ConstantArray::get(llvm::ArrayType::get(t, v.size()), v);
  };
  std::vector<llvm::Constant*> blocks;
  for (int rows = 1; rows <= kMaxMatmulRows; ++rows) {
    std::vector<llvm::Constant*> of_rows(kMaxMatmulPanels, llvm::ConstantPointerNull::get(ptr));
    for (int panels = 1; panels <= kMaxMatmulPanels; ++panels)
      if (has_block(isa, rows, panels)) of_rows[panels - 1] = emit_matmul_microkernel(module, {type, isa, rows, panels, 2, code});
    blocks.push_back(array(ptr, of_rows));
  }
  TransposeEmitter transpose(module, type, isa, code);
  auto* value = llvm::ConstantStruct::getAnon({number(type), number(isa), number(most_rows(isa)), number(matmul_panel(type, isa)),
                                               array(blocks[0]->getType(), blocks), transpose.emit(),
                                               llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), transpose.depth())});
  auto* table =
      new llvm::GlobalVariable(module, value->getType(), true, llvm::GlobalValue::ExternalLinkage, value, matmul_table_name(type, isa));
  table->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return table;
}

std::string matmul_object(std::span<const Isa> isas) {
  const std::unique_ptr<llvm::TargetMachine> machine = target_machine(Isa::v2);
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = new_module(context, "matmul", *machine);
  auto* ptr = llvm::PointerType::getUnqual(context);
  std::vector<llvm::Constant*> tables;
  for (DType type : {DType::f32, DType::f64})
    for (Isa isa : isas)
      if (isa >= Isa::v3) tables.push_back(emit_matmul_kernels(*module, type, isa, isa));
  auto* list = llvm::ConstantArray::get(llvm::ArrayType::get(ptr, tables.size()), tables);
  auto* pointers = new llvm::GlobalVariable(*module, list->getType(), true, llvm::GlobalValue::PrivateLinkage, list, "");
  auto* all = llvm::ConstantStruct::getAnon({llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), tables.size()), pointers});
  (new llvm::GlobalVariable(*module, all->getType(), true, llvm::GlobalValue::ExternalLinkage, all, "monograph_matmul_tables"))
      ->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return emit_object(*module, *machine);
}

const MatmulKernels& jit_matmul_kernels(DType type, Isa isa, Isa code) {
  static std::mutex mutex;
  static std::map<std::tuple<DType, Isa, Isa>, const MatmulKernels*> known;
  static Jit* jit = new Jit(Isa::v2);  // never deleted, since the tables are kept until the process ends
  const std::lock_guard lock(mutex);
  const MatmulKernels*& found = known[{type, isa, code}];
  if (!found) {
    const std::unique_ptr<llvm::TargetMachine> machine = target_machine(Isa::v2);
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = new_module(context, "matmul", *machine);
    emit_matmul_kernels(*module, type, isa, code);
    found = static_cast<const MatmulKernels*>(jit->load(emit_object(*module, *machine), matmul_table_name(type, isa)));
  }
  return *found;
}

}  // namespace monograph
