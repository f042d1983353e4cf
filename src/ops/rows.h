// Row programs: the bodies of reductions, softmax and norms are recorded once, and the generated kernels run over every row. docs/numerics.md states the order
// of each reduction.
#pragma once

#include <optional>

#include "core/size.h"
#include "ops/pointwise.h"

namespace monograph {

// The values that the body of a row program reads, and its results:
//
//   [](RowContext& c) { Num x = c.x(); Num e = exp(x - row_max(x)); c.out(e / row_sum(e)); }
class RowContext {
 public:
  RowContext(Recorder& recorder, const RowRule& rule, DType storage, DType result, unsigned present);
  Num x() const { return values_[0]; }  // the tensor that spans the rows, in its compute dtype
  Complex z() const { return {values_[0], imaginary_}; }  // ... where that is complex
  bool has(size_t k) const { return present_ >> k & 1; }
  Num tensor(size_t k) const { return values_[k]; }  // k of RowRule::tensors; only where has(k)
  Num scalar(size_t k) const { return scalars_[k]; }  // a number, in the compute dtype
  Num count() const;  // of the row's elements, in the compute dtype
  void out(Num value) { recorder_.out(value, result_, rule_.reduces); }  // the next result
  void out(Complex value) { Complex::out(recorder_, value, result_, rule_.reduces); }
  void out_row(Num value) { recorder_.out(value, result_, true); }  // a result with one value a row beside full ones
  void out_index(Num value) { recorder_.out(value, DType::i64, true); }  // a place in the row, beside a value
  DType dtype() const { return storage_; }

 private:
  Recorder& recorder_;
  const RowRule& rule_;
  DType storage_, result_;
  unsigned present_;
  std::array<Num, 3> values_{};
  Num imaginary_{};  // the imaginary part of values_[0]
  std::array<Num, 2> scalars_{};
};

Body record_rows(const RowRule& rule, DType storage, DType result, unsigned present);

// The dtype of the rows after dtype= and promotion, and of the results.
struct RowTypes {
  DType storage, result;
};
RowTypes row_types(const Operator& op, DType input, std::optional<DType> stated);
// The dtype of the results. `any` and `all` of uint8 give uint8, as in PyTorch, for which it was the bool type once.
DType row_result(const RowRule& rule, DType storage);
// The dims that a call reduces or normalizes, wrapped and in ascending order.
Dims row_dims(const Operator& op, std::span<const int64_t> sizes, const IValue* args);
// The same for an argument of `rank` dims whose sizes were checked before.
Dims row_dims(const Operator& op, size_t rank, const IValue* args);

// The types of the results on a graph.
void rows_rule(RuleCall& call);
// Error where the last sizes of a tensor are known not to be normalized_shape.
void check_normalized_shape(const Operator& op, SizesRef shape, SizesRef sizes);

void eval_rows(const Operator& op, const IValue* args, IValue* results);
void eval_rows_out(const Operator& op, const IValue* args, IValue* results);

}  // namespace monograph
