// The class that emits one kernel. emit.cpp has the loops over rows of any length, and emit_few.cpp those over short rows.
#pragma once

#include <llvm/IR/Module.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "codegen/emit.h"
#include "codegen/instructions.h"
#include "codegen/row_plan.h"

namespace monograph {

constexpr int64_t kStrip = 256;  // elements of an operand that are staged at once; a multiple of kInnerLanes
// Rows up to kShortRow elements may take the path of short rows.
constexpr int64_t kShortRow = 1024;
constexpr int64_t kVectorsOfMap = 4;  // rows of a body without a reduction that take the path of rows of one vector: up to so many vectors
constexpr int64_t kTurnedRow = 128;  // rows of which each may be one lane: up to so many elements

// One operand of the kernel. Results come first, then arguments, as in KernelFn.
struct KernelOperand {
  DType dtype;
  bool uniform = false, is_out = false;
  int64_t size = 0;
  llvm::Value *inner = nullptr, *outer = nullptr;  // strides in bytes
  llvm::Value *direct = nullptr,
              *broadcast = nullptr;  // i1 each: whether it is contiguous along the row; whether one element stands for the whole row
  llvm::Value* buffer = nullptr;  // kStrip elements
  llvm::Value* row = nullptr;  // the address of the row
};

class Emitter {
 public:
  Emitter(llvm::Module& module, const KernelRequest& request, Isa isa)
      : module_(module),
        body_(request.body),
        form_(request.form),
        isa_(isa),
        b(module.getContext()),
        code_(b, isa),
        plan_(plan_rows(body_)) {}

  llvm::Function* run();

 private:
  using Values = std::vector<llvm::Value*>;  // for each instruction of the body; null if it is not computed yet
  using Leaf = std::function<llvm::Value*(uint32_t id, const Ins& ins)>;  // returns the value of an Arg or Index instruction

  // --- control flow
  llvm::Value* i64(int64_t v) { return b.getInt64(static_cast<uint64_t>(v)); }
  llvm::Value* min(llvm::Value* x, llvm::Value* y) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); }
  llvm::Value* at(llvm::Value* address, llvm::Value* bytes) { return b.CreateGEP(b.getInt8Ty(), address, bytes); }
  llvm::Value* add(llvm::Value* x, llvm::Value* y) { return b.CreateNSWAdd(x, y); }
  llvm::Value* add(llvm::Value* x, int64_t y) { return b.CreateNSWAdd(x, i64(y)); }
  llvm::Value* sub(llvm::Value* x, llvm::Value* y) { return b.CreateNSWSub(x, y); }
  llvm::Value* mul(llvm::Value* x, int64_t y) { return b.CreateNSWMul(x, i64(y)); }
  llvm::Value* mul(llvm::Value* x, llvm::Value* y) { return b.CreateNSWMul(x, y); }
  llvm::AllocaInst* local(llvm::Type* type, int64_t count = 1);
  // A function that all kernels of the module share. It is built at first use, and never inlined: it is called outside of the vector loops.
  llvm::Function* shared(const std::string& name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> arguments,
                         const std::function<void(llvm::Function*)>& build);
  llvm::Function* new_function(const std::string& name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> arguments);
  llvm::Value* call(llvm::Function* callee, llvm::ArrayRef<llvm::Value*> arguments);
  llvm::BasicBlock* block() { return llvm::BasicBlock::Create(b.getContext(), "", fn_); }
  void loop(llvm::Value* begin, llvm::Value* end, int64_t step, const std::function<void(llvm::Value*)>& body);
  void loop_while(const std::function<llvm::Value*()>& condition, const std::function<void()>& body);
  void when(llvm::Value* condition, const std::function<void()>& then, const std::function<void()>& otherwise = {});

  // --- values
  llvm::Value* operand(const Values& v, uint32_t id, unsigned width);
  void compute(Values& v, const std::vector<uint32_t>& roots, unsigned width, const Leaf& leaf);
  void compute_context(Values& v, const std::vector<bool>& needed, const RareContexts& rare, uint32_t context, unsigned width,
                       const Leaf& leaf);
  llvm::Value* compute_one(Values& v, const std::vector<bool>& needed, const RareContexts& rare, uint32_t id, unsigned width,
                           const Leaf& leaf);
  llvm::Value* rare_select(Values& v, const std::vector<bool>& needed, const RareContexts& rare, uint32_t id, unsigned width,
                           const Leaf& leaf);
  void note_raise(llvm::Value* condition);
  void compute_uniforms(Values& v, int level, unsigned width, const Leaf& uniform_arg);

  // --- reductions
  struct Fold {  // one Reduce instruction of a phase
    uint32_t id;
    Ins ins;
    std::vector<llvm::AllocaInst*> lanes;  // the accumulators, where they are kept in registers, and in KernelForm::Outer
    llvm::AllocaInst* memory = nullptr;  // the kInnerLanes accumulators of a block, where they are kept in memory
    llvm::AllocaInst *stack = nullptr, *top = nullptr;  // the results of blocks that are not merged yet (push_block)
  };
  std::vector<Fold> folds(int phase, unsigned width, unsigned registers);
  llvm::Value* push_block(const Fold& f, llvm::Value* stack, llvm::Value* entry, llvm::Value* block_index, llvm::Value* value);
  llvm::Value* drain(const Fold& f, llvm::Value* stack, llvm::Value* entry, llvm::Value* count, unsigned width);
  static bool orders_floats(const Ins& reduce);
  llvm::Value* nan_lanes(std::span<llvm::Value* const> v);
  llvm::Value* halve_lanes(const Fold& f, std::vector<llvm::Value*> v, Instructions::Nan nan);
  llvm::Value* halve(const Fold& f);
  void fold_register(const Fold& f, unsigned register_index, const Values& v, Instructions::Nan nan);
  void fold_memory(const Fold& f, llvm::Value* first, const Values& v, llvm::Value* mask);

  // --- rows: Pointwise and Inner
  using Addresses = std::vector<llvm::Value*>;  // for each operand
  void emit_row();
  void store_uniforms();
  Leaf uniform_leaf();
  llvm::Value* indices_from(llvm::Value* begin);
  bool has_masks(DType t) const;
  bool reads_words() const;
  bool has_short_rows() const;
  void emit_short_rows(llvm::Value* rows);
  bool has_vector_rows() const;
  void emit_vector_rows(llvm::Value* rows);
  void emit_vector_row(llvm::Value* begin, llvm::Value* mask);
  void fold_short_row(int phase, llvm::Value* groups_end, std::span<llvm::Value* const> masks);
  Values short_chunk(int phase, llvm::Value* begin, llvm::Value* mask);
  bool has_turned_rows() const;
  int64_t longest_turned_row() const;
  llvm::Value* emit_turned_rows(llvm::Value* rows);
  void emit_turned_block(llvm::Value* first, llvm::Value* last);
  void turned_phase(int phase, Values& known);
  Values turned_element(int phase, const Values& known, llvm::Value* i);
  void turn_rows(size_t k, llvm::Value* first, llvm::Value* last, bool in);
  std::vector<llvm::Value*> turned(std::vector<llvm::Value*> v);
  llvm::Value* row_or_last(size_t k, llvm::Value* r, llvm::Value* last);
  llvm::Value* row_address(size_t k, llvm::Value* r);
  void find_row(llvm::Value* r);
  void load_row(llvm::Value* r);
  llvm::Value* first_lanes(llvm::Value* n, unsigned count);
  llvm::Value* first_lanes(llvm::Value* n) { return first_lanes(n, lanes_); }
  struct MaskedWords {
    llvm::FixedVectorType* type;
    llvm::Value* mask;
  };
  MaskedWords masked_words(llvm::Value* n, int64_t size);
  llvm::Value* copy_whole_vectors(llvm::Value* to, llvm::Value* from, llvm::Value* n, int64_t size);
  void stage(const KernelOperand& o, llvm::Value* source, llvm::Value* stride, llvm::Value* count);
  void unstage(const KernelOperand& o, llvm::Value* target, llvm::Value* stride, llvm::Value* count);
  bool reads(int phase, size_t k) const { return plan_.phases[phase].reads[k]; }
  bool writes(int phase, size_t k) const { return plan_.phases[phase].writes[k]; }
  Addresses stage_strip(int phase, llvm::Value* begin, llvm::Value* count, llvm::Value* direct_allowed);
  Addresses advance(const Addresses& base, llvm::Value* i);
  void prefetch(int phase, const Addresses& address);
  void unstage_strip(int phase, llvm::Value* begin, llvm::Value* count, llvm::Value* direct_allowed);
  Values chunk(int phase, const Addresses& at, llvm::Value* index);
  void map_phase(int phase);
  void fold_phase(int phase);
  void fold_block(int phase, std::vector<Fold>& f, llvm::Value* begin, llvm::Value* end);
  void fold_groups(int phase, std::vector<Fold>& f, llvm::Value* begin, llvm::Value* groups_end, llvm::AllocaInst* nans);
  void fold_tail(int phase, std::vector<Fold>& f, llvm::Value* begin, llvm::Value* count);

  // --- columns: Outer
  void emit_columns(llvm::Value* rows);
  void emit_column_chunk(unsigned parts);
  llvm::Value* column(const KernelOperand& o, unsigned part, llvm::Value* i);
  llvm::Value* load_column(const KernelOperand& o, unsigned part, llvm::Value* i, bool imaginary);
  void store_column(const KernelOperand& o, unsigned part, llvm::Value* i, llvm::Value* re, llvm::Value* im);

  llvm::Module& module_;
  const Body& body_;
  KernelForm form_;
  Isa isa_;
  llvm::IRBuilder<> b;
  Instructions code_;
  RowPlan plan_;
  llvm::Function* fn_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  std::vector<KernelOperand> operands_;
  unsigned lanes_ = 16;
  llvm::Value *n_ = nullptr, *strip_ = nullptr;
  llvm::AllocaInst* raised_ = nullptr;
  llvm::Value* first_row_ = nullptr;  // rows before it are done
  std::vector<llvm::AllocaInst*>
      turned_;  // for each operand with elements: kTurnedRow vectors, of which vector i has element i of lanes_ rows
  Values row_values_;  // the uniform values of this row, as scalars
  struct {
    llvm::Value* row;  // the first row of the chunk
    llvm::Value* count;  // the number of rows, at most lanes_; null in the loop over whole cache lines, where every lane has a row
    llvm::Value* direct;  // i1: whether the elements of the lanes are contiguous; null if they always are
  } columns_{};
};

}  // namespace monograph
