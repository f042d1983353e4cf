// Reduces one long row on several threads. Each thread reduces some pieces of the row. The values of the pieces are then combined in the order in which
// one thread would combine its blocks (docs/numerics.md), so that the bits do not depend on the number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/body.h"

namespace monograph {

class RowSplit {
 public:
  // Null if the body cannot be split: it has a result with one value for each element, a reduction of a reduction, an Index or a RaiseIf, or no kernel
  // was generated for its pieces.
  static std::unique_ptr<const RowSplit> make(const Body& body, KernelForm form);

  // The same as a KernelFn called with one row. `n` is at least 2 * kInnerBlock.
  int32_t run(char* const* operands, const int64_t* inner, int64_t n) const;

 private:
  static constexpr size_t kMaxFolds = 4;
  using Values = std::array<uint64_t, kMaxFolds>;  // one value for each reduction, as bits
  struct Fold {
    Combine combine;
    DType dtype;
  };
  int32_t reduce_piece(char* const* arguments, const int64_t* inner, int64_t first, int64_t n, Values& values) const;
  // Combines the values of the pieces to that of the row. The first `full` pieces have the same length.
  uint64_t whole(size_t fold, const Values* values, int64_t full, int64_t pieces) const;

  std::vector<Fold> folds_;  // the body's reductions
  Body piece_;  // computes a value for each reduction from the body's arguments, over one piece
  KernelFn piece_kernel_ = nullptr;
  Body finish_;  // computes the body's results from the reductions' values, the uniform arguments and the count
  std::vector<size_t> uniform_;  // the positions of uniform arguments
};

}  // namespace monograph
