// The loops over short rows. The general path keeps the end of a row, and its blocks, in memory; for such rows this takes longer than the elements.
#include <algorithm>

#include "codegen/emitter.h"
#include "core/error.h"

namespace monograph {
namespace {

using llvm::AllocaInst;
using llvm::Type;
using llvm::Value;
using Nan = Instructions::Nan;

// Rows up to kShortRow elements may take the path of short rows, if the bodies of all phases together have at most kShortLimit instructions.
constexpr size_t kShortLimit = 64;
// Rows that fit into one vector have a path of their own, if the bodies of all phases together have at most kVectorRowLimit instructions. A body without a
// reduction takes it with at most kVectorMapLimit instructions, and for rows of up to kVectorsOfMap vectors.
constexpr size_t kVectorRowLimit = 100, kVectorMapLimit = 3;
// Each lane may hold a row of at most kTurnedRow elements, if at most kTurnedOperands operands have elements: their rows lie turned in the first cache.
constexpr int kTurnedOperands = 3;
// Fewer rows than this at the end, which do not fill the lanes, take another path.
constexpr int64_t kFewLanes = 5;

bool is_word(DType t) { return t == DType::f32 || t == DType::f64 || t == DType::i32 || t == DType::i64; }

}  // namespace

// ------------------------------------------------------------------------------------------------ short rows

// Whether the body may take the path of short rows: it only reduces, and its elements can be read by a masked load. The max and min of floats cannot: the
// general path tests for NaNs once for each block, which is faster.
bool Emitter::has_short_rows() const {
  if (!reads_words()) return false;
  size_t cost = 0;
  for (const RowPlan::Phase& p : plan_.phases) {
    if (p.reduces.empty() || p.stores_outs || p.stores_kept || p.loads_kept) return false;
    for (uint32_t id : p.reduces)
      if (orders_floats(body_.ins[id])) return false;
    cost += p.cost * (kInnerLanes / lanes_);
  }
  return !plan_.phases.empty() && cost <= kShortLimit && std::ranges::all_of(body_.outs, [](const Body::Out& o) { return o.arg.uniform; });
}

// Whether masked loads and stores are fast for this dtype: its elements have 4 or 8 bytes or, in a reduction with AVX-512, 1 or 2.
bool Emitter::has_masks(DType t) const {
  return is_word(t) || (isa_ >= Isa::v4 && form_ == KernelForm::Inner && !is_complex(t) && element_size(t) <= 2);
}

// Whether masked loads read the elements of each argument.
bool Emitter::reads_words() const {
  return form_ != KernelForm::Outer && isa_ >= Isa::v3 && !body_.raises() &&
         std::ranges::all_of(body_.args, [&](const BodyArg& a) { return a.uniform || has_masks(a.dtype); });
}

// The values of one vector of elements at `begin`. With a mask, lanes outside of it are 0.
Emitter::Values Emitter::short_chunk(int phase, Value* begin, Value* mask) {
  Values v = row_values_;
  compute(v, plan_.phases[phase].roots, lanes_, [&](uint32_t, const Ins& n) -> Value* {
    if (n.fn == Fn::Index) return indices_from(begin);
    const KernelOperand& o = operands_[body_.outs.size() + n.imm];
    Value* address = at(o.row, mul(begin, o.size));
    if (!mask) return code_.load(o.dtype, address, lanes_, false);
    Type* type = code_.memory_type(o.dtype, lanes_);
    Value* memory = b.CreateMaskedLoad(type, address, llvm::Align(1), mask, llvm::Constant::getNullValue(type));
    return o.dtype == DType::b1 ? b.CreateIsNotNull(memory) : memory;
  });
  return v;
}

// Reduces a short row, which is one block. Its accumulators stay in registers to the end.
void Emitter::fold_short_row(int phase, Value* groups_end, std::span<Value* const> masks) {
  const auto parts = static_cast<unsigned>(masks.size());
  std::vector<Fold> f = folds(phase, lanes_, parts);
  for (Fold& fold : f)
    for (AllocaInst* a : fold.lanes)
      b.CreateStore(code_.constant(fold.ins.t, identity_bits(static_cast<Combine>(fold.ins.imm), fold.ins.t), lanes_), a);
  loop(i64(0), groups_end, kInnerLanes, [&](Value* i) {
    for (unsigned u = 0; u < parts; ++u) {
      const Values v = short_chunk(phase, add(i, static_cast<int64_t>(u) * lanes_), nullptr);
      for (Fold& fold : f) fold_register(fold, u, v, Nan::Anywhere);
    }
  });
  when(b.CreateICmpSLT(groups_end, n_), [&] {
    for (unsigned u = 0; u < parts; ++u) {
      const Values v = short_chunk(phase, add(groups_end, static_cast<int64_t>(u) * lanes_), masks[u]);
      for (Fold& fold : f) {
        Value* before = b.CreateLoad(code_.type(fold.ins.t, lanes_), fold.lanes[u]);
        fold_register(fold, u, v, Nan::Anywhere);
        Value* after = b.CreateLoad(before->getType(), fold.lanes[u]);
        b.CreateStore(b.CreateSelect(masks[u], after, before), fold.lanes[u]);
      }
    }
  });
  for (Fold& fold : f) {
    std::vector<Value*> lanes;
    for (AllocaInst* a : fold.lanes) lanes.push_back(b.CreateLoad(code_.type(fold.ins.t, lanes_), a));
    row_values_[fold.id] = halve_lanes(fold, std::move(lanes), Nan::Anywhere);
  }
}

// The loop over contiguous rows of at most kShortRow elements. The general path keeps the end of a row, and its blocks, in memory; for such a row this takes
// longer than the elements themselves.
void Emitter::emit_short_rows(Value* rows) {
  Value* groups_end = b.CreateAnd(n_, i64(-kInnerLanes));
  std::vector<Value*> masks;
  for (int64_t u = 0; u < kInnerLanes; u += lanes_) masks.push_back(first_lanes(add(sub(n_, groups_end), -u)));
  loop(first_row_, rows, 1, [&](Value* r) {
    find_row(r);
    row_values_.assign(body_.ins.size(), nullptr);
    const Leaf uniform_arg = uniform_leaf();
    compute_uniforms(row_values_, 0, 1, uniform_arg);
    for (int p = 0; p < static_cast<int>(plan_.phases.size()); ++p) {
      fold_short_row(p, groups_end, masks);
      compute_uniforms(row_values_, p + 1, 1, uniform_arg);
    }
    store_uniforms();
  });
}

// ------------------------------------------------------------------------------------------------ rows of one vector

bool Emitter::has_vector_rows() const {
  if (has_short_rows()) return false;
  size_t cost = 0;
  for (const RowPlan::Phase& p : plan_.phases) cost += p.cost;
  return reads_words() && cost <= (form_ == KernelForm::Pointwise ? kVectorMapLimit : kVectorRowLimit) &&
         std::ranges::all_of(body_.outs, [&](const Body::Out& o) { return o.arg.uniform || has_masks(o.arg.dtype); });
}

// The loop over rows that fit into one vector, as of a softmax over ten classes: a row is read once, and its values stay in registers. Operands are
// contiguous along the row. Without a reduction one element may stand for the row, as in x + bias.
void Emitter::emit_vector_rows(Value* rows) {
  Value* last = first_lanes(add(b.CreateAnd(add(n_, -1), i64(lanes_ - 1)), 1));  // of the last vector
  Value* all = llvm::Constant::getAllOnesValue(last->getType());
  auto one_vector = [&] {
    loop(first_row_, rows, 1, [&](Value* r) {
      find_row(r);
      emit_vector_row(i64(0), last);
    });
  };
  auto few_vectors = [&] {
    loop(first_row_, rows, 1, [&](Value* r) {
      find_row(r);
      loop(i64(0), n_, lanes_, [&](Value* i) { emit_vector_row(i, b.CreateSelect(b.CreateICmpSLT(add(i, lanes_), n_), all, last)); });
    });
  };
  if (form_ == KernelForm::Inner) one_vector();
  else when(b.CreateICmpSLE(n_, i64(lanes_)), one_vector, few_vectors);
}

// The vector of elements from `begin` on, of which the mask tells which are there.
void Emitter::emit_vector_row(Value* begin, Value* mask) {
  const size_t outs = body_.outs.size();
  row_values_.assign(body_.ins.size(), nullptr);
  for (uint32_t id = 0; id < body_.ins.size(); ++id) {
    const Ins& n = body_.ins[id];
    if (n.fn == Fn::Index) row_values_[id] = indices_from(begin);
    if (n.fn != Fn::Arg || plan_.uniform[id]) continue;
    const KernelOperand& o = operands_[outs + n.imm];
    Type* type = code_.memory_type(o.dtype, lanes_);
    Value *address = at(o.row, mul(begin, o.inner)), *read = mask;
    if (form_ == KernelForm::Pointwise) read = b.CreateSelect(o.broadcast, first_lanes(i64(1)), mask);
    Value*& v = row_values_[id] = b.CreateMaskedLoad(type, address, llvm::Align(1), read, llvm::Constant::getNullValue(type));
    if (form_ == KernelForm::Pointwise)
      v = b.CreateSelect(o.broadcast, b.CreateVectorSplat(lanes_, b.CreateExtractElement(v, uint64_t{0})), v);
    if (o.dtype == DType::b1) v = b.CreateIsNotNull(v);
  }
  const Leaf uniform_arg = uniform_leaf();
  compute_uniforms(row_values_, 0, 1, uniform_arg);
  for (int p = 0; p < static_cast<int>(plan_.phases.size()); ++p) {
    const RowPlan::Phase& phase = plan_.phases[p];
    Values v = row_values_;
    compute(v, phase.roots, lanes_, uniform_arg);
    for (uint32_t root : phase.roots) row_values_[root] = v[root];  // what a rare branch computed is known in this phase only
    for (const Fold& fold : folds(p, lanes_, 1)) {
      const Combine c = static_cast<Combine>(fold.ins.imm);
      Value* identity = code_.constant(fold.ins.t, identity_bits(c, fold.ins.t), lanes_);
      Value* lanes = code_.combine(c, fold.ins.t, identity, operand(v, fold.ins.a, lanes_), Nan::Anywhere);
      row_values_[fold.id] = halve_lanes(fold, {b.CreateSelect(mask, lanes, identity)}, Nan::Anywhere);
    }
    if (phase.stores_outs)
      for (size_t k = 0; k < outs; ++k) {
        const Body::Out& o = body_.outs[k];
        if (o.arg.uniform) continue;
        Value* stored = operand(v, o.re, lanes_);
        if (o.arg.dtype == DType::b1) stored = b.CreateZExt(stored, code_.memory_type(DType::b1, lanes_));
        b.CreateMaskedStore(stored, at(operands_[k].row, mul(begin, operands_[k].size)), llvm::Align(1), mask);
      }
    compute_uniforms(row_values_, p + 1, 1, uniform_arg);
  }
  store_uniforms();
}

// ------------------------------------------------------------------------------------------------ turned rows

// Whether each lane may hold a row. Then a reduction needs no steps across lanes, and what is computed once for a row, such as the logarithm of a
// log_softmax, is computed for all lanes together.
bool Emitter::has_turned_rows() const {
  if (form_ != KernelForm::Inner || !reads_words() || has_short_rows()) return false;
  int elements = 0;
  auto fits = [&](DType t, bool uniform) {
    return uniform || (++elements <= kTurnedOperands && is_word(t) && element_size(t) * lanes_ == 64);
  };
  return std::ranges::all_of(body_.outs, [&](const Body::Out& o) { return fits(o.arg.dtype, o.arg.uniform); }) &&
         std::ranges::all_of(body_.args, [&](const BodyArg& a) { return fits(a.dtype, a.uniform); });
}

// How long such rows may be. A cheap body, such as that of max, is faster on rows that lie in lanes, but for very short ones.
int64_t Emitter::longest_turned_row() const {
  constexpr size_t kCheap = 8;
  size_t cost = 0;
  for (const RowPlan::Phase& p : plan_.phases) cost += p.cost;
  return (cost <= kCheap ? kTurnedRow / 4 : kTurnedRow) * lanes_ / 16;
}

// The loop over contiguous rows of at most longest_turned_row() elements. Returns the first row that is left.
Value* Emitter::emit_turned_rows(Value* rows) {
  Value* rest = b.CreateAnd(rows, i64(lanes_ - 1));
  Value* end = b.CreateSelect(b.CreateICmpSLT(rest, i64(kFewLanes)), sub(rows, rest), rows);
  turned_.clear();
  for (const KernelOperand& o : operands_)
    turned_.push_back(o.uniform ? nullptr
                                : local(llvm::FixedVectorType::get(b.getIntNTy(8 * static_cast<unsigned>(o.size)), lanes_), kTurnedRow));
  loop(i64(0), end, lanes_, [&](Value* first) { emit_turned_block(first, add(rows, -1)); });
  return end;
}

// Row r of operand k, or the last row if there are fewer: lanes without a row repeat it.
Value* Emitter::row_or_last(size_t k, Value* r, Value* last) { return row_address(k, min(r, last)); }

// A square of elements, one vector for each of its rows, as one vector for each of its columns.
std::vector<Value*> Emitter::turned(std::vector<Value*> v) {
  const auto n = static_cast<unsigned>(v.size());
  for (unsigned step = 1; step < n; step *= 2)
    for (unsigned q = 0; q < n; ++q) {
      if (q & step) continue;
      std::vector<int> low(n), high(n);
      for (unsigned c = 0; c < n; ++c) {
        low[c] = static_cast<int>(c & step ? n + c - step : c);
        high[c] = static_cast<int>(c & step ? n + c : c + step);
      }
      Value *x = v[q], *y = v[q + step];
      v[q] = b.CreateShuffleVector(x, y, low), v[q + step] = b.CreateShuffleVector(x, y, high);
    }
  return v;
}

// Copies `lanes_` rows from row `first` on between an operand and the memory in which element i of all rows is one vector.
void Emitter::turn_rows(size_t k, Value* first, Value* last, bool in) {
  const KernelOperand& o = operands_[k];
  Type *pointer = b.getPtrTy(), *word = b.getInt64Ty();
  auto build = [&](llvm::Function* fn) {
    Value *memory = fn->getArg(0), *base = fn->getArg(1), *outer = fn->getArg(2), *n = fn->getArg(5);
    std::vector<Value*> rows;
    for (unsigned q = 0; q < lanes_; ++q) rows.push_back(at(base, mul(min(add(fn->getArg(3), q), fn->getArg(4)), outer)));
    Type* type = llvm::FixedVectorType::get(b.getIntNTy(8 * static_cast<unsigned>(o.size)), lanes_);
    auto square = [&](Value* i, Value* mask) {
      Value *side = at(memory, mul(i, o.size * lanes_)), *across = mul(i, o.size);
      std::vector<Value*> v;
      for (unsigned q = 0; q < lanes_; ++q) {
        Value* from = in ? at(rows[q], across) : at(side, i64(q * o.size * lanes_));
        v.push_back(in && mask ? b.CreateMaskedLoad(type, from, llvm::Align(1), mask, llvm::Constant::getNullValue(type))
                               : static_cast<Value*>(b.CreateAlignedLoad(type, from, llvm::Align(static_cast<uint64_t>(in ? 1 : 64)))));
      }
      v = turned(std::move(v));
      for (unsigned q = 0; q < lanes_; ++q) {
        if (in) b.CreateAlignedStore(v[q], at(side, i64(q * o.size * lanes_)), llvm::Align(64));
        else if (mask) b.CreateMaskedStore(v[q], at(rows[q], across), llvm::Align(1), mask);
        else b.CreateAlignedStore(v[q], at(rows[q], across), llvm::Align(1));
      }
    };
    loop(i64(0), n, lanes_, [&](Value* i) {
      Value* left = sub(n, i);
      when(b.CreateICmpSLT(left, i64(lanes_)), [&] { square(i, first_lanes(left)); }, [&] { square(i, nullptr); });
    });
    b.CreateRetVoid();
  };
  llvm::Function* turn =
      shared(concat(in ? "turn_in_" : "turn_out_", o.size), b.getVoidTy(), {pointer, pointer, word, word, word, word}, build);
  call(turn, {turned_[k], row_address(k, i64(0)), o.outer, first, last, n_});
}

// Element i of the turned rows: computes the instructions of the phase and stores its results. Returns the values, for the phase's reductions.
Emitter::Values Emitter::turned_element(int phase, const Values& known, Value* i) {
  const size_t outs = body_.outs.size();
  const RowPlan::Phase& p = plan_.phases[phase];
  Values v = known;
  auto place = [&](size_t k) { return at(turned_[k], mul(i, operands_[k].size * lanes_)); };
  if (p.loads_kept) v[*plan_.kept] = code_.load(operands_[plan_.kept_in].dtype, place(plan_.kept_in), lanes_, false);
  compute(v, p.roots, lanes_, [&](uint32_t, const Ins& n) -> Value* {
    return n.fn == Fn::Index ? b.CreateVectorSplat(lanes_, i) : code_.load(body_.args[n.imm].dtype, place(outs + n.imm), lanes_, false);
  });
  if (p.stores_kept) code_.store(operands_[plan_.kept_in].dtype, operand(v, *plan_.kept, lanes_), nullptr, place(plan_.kept_in), lanes_);
  for (size_t k = 0; p.stores_outs && k < outs; ++k)
    if (!body_.outs[k].arg.uniform) code_.store(operands_[k].dtype, operand(v, body_.outs[k].re, lanes_), nullptr, place(k), lanes_);
  return v;
}

// One phase of the turned rows. A lane's kInnerLanes accumulators are combined in the order of a row that lies in lanes.
void Emitter::turned_phase(int phase, Values& known) {
  std::vector<Fold> f = folds(phase, lanes_, 0);
  Value* most = min(n_, i64(kInnerLanes));
  std::vector<AllocaInst*> sums;
  for (const Fold& fold : f) sums.push_back(local(code_.memory_type(fold.ins.t, lanes_), kInnerLanes));
  auto place = [&](size_t k, Value* j) { return at(sums[k], mul(j, element_size(f[k].ins.t) * lanes_)); };
  auto load = [&](size_t k, Value* j) { return code_.load(f[k].ins.t, place(k, j), lanes_, false); };
  auto combine = [&](size_t k, Value* j, Value* later) {
    Value* sum = code_.combine(static_cast<Combine>(f[k].ins.imm), f[k].ins.t, load(k, j), later, Nan::Anywhere);
    code_.store(f[k].ins.t, sum, nullptr, place(k, j), lanes_);
  };
  for (size_t k = 0; k < f.size(); ++k)
    loop(i64(0), most, 1, [&](Value* j) {
      code_.store(f[k].ins.t, code_.constant(f[k].ins.t, identity_bits(static_cast<Combine>(f[k].ins.imm), f[k].ins.t), lanes_), nullptr,
                  place(k, j), lanes_);
    });
  loop(i64(0), n_, 1, [&](Value* i) {
    const Values v = turned_element(phase, known, i);
    for (size_t k = 0; k < f.size(); ++k) combine(k, b.CreateAnd(i, i64(kInnerLanes - 1)), operand(v, f[k].ins.a, lanes_));
  });
  for (size_t k = 0; k < f.size(); ++k) {
    Value* count = most;
    for (int64_t half = kInnerLanes / 2; half > 0; half /= 2) {  // what is missing is the identity, so it is left out
      loop(i64(0), min(i64(half), add(count, -half)), 1, [&](Value* j) { combine(k, j, load(k, add(j, half))); });
      count = min(count, i64(half));
    }
    known[f[k].id] = load(k, i64(0));
  }
}

// lanes_ rows from row `first` on.
void Emitter::emit_turned_block(Value* first, Value* last) {
  const size_t outs = body_.outs.size();
  for (size_t k = outs; k < operands_.size(); ++k)
    if (!operands_[k].uniform) turn_rows(k, first, last, true);
  const Leaf uniform_arg = [&](uint32_t, const Ins& n) {
    Value* lanes = nullptr;
    for (unsigned q = 0; q < lanes_; ++q) {
      Value* x = code_.load(body_.args[n.imm].dtype, row_or_last(outs + n.imm, add(first, q), last), 1, n.b != 0);
      if (!lanes) lanes = llvm::PoisonValue::get(llvm::FixedVectorType::get(x->getType(), lanes_));
      lanes = b.CreateInsertElement(lanes, x, uint64_t{q});
    }
    return lanes;
  };
  Values v(body_.ins.size());
  compute_uniforms(v, 0, lanes_, uniform_arg);
  for (int p = 0; p < static_cast<int>(plan_.phases.size()); ++p) {
    turned_phase(p, v);
    compute_uniforms(v, p + 1, lanes_, uniform_arg);
  }
  for (size_t k = 0; k < outs; ++k) {
    const Body::Out& o = body_.outs[k];
    if (!o.arg.uniform) {
      turn_rows(k, first, last, false);
      continue;
    }
    Value *re = operand(v, o.re, lanes_), *im = is_complex(o.arg.dtype) ? operand(v, o.im, lanes_) : nullptr;
    for (unsigned q = 0; q < lanes_; ++q)
      code_.store(o.arg.dtype, b.CreateExtractElement(re, uint64_t{q}), im ? b.CreateExtractElement(im, uint64_t{q}) : nullptr,
                  row_or_last(k, add(first, q), last), 1);
  }
}

}  // namespace monograph
