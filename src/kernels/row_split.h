// One long row of a reduction, shared by threads: each reduces pieces of it, and the pieces' values combine as the blocks of the whole row would
// (docs/numerics.md), so that the bits do not depend on the number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/body.h"

namespace monograph {

class RowSplit {
 public:
  // Null where the body cannot be split: results of a whole row's length, a reduction of a reduction, an element's index, an error, or a piece for which no
  // kernel was generated.
  static std::unique_ptr<const RowSplit> make(const Body& body, KernelForm form);

  // As KernelFn with one row. `n` is at least 2 * kInnerBlock.
  int32_t run(char* const* operands, const int64_t* inner, int64_t n) const;

 private:
  static constexpr size_t kMaxFolds = 4;
  using Values = std::array<uint64_t, kMaxFolds>;  // the bits of a value for each fold
  struct Fold {
    Combine combine;
    DType dtype;
  };
  int32_t reduce_piece(char* const* arguments, const int64_t* inner, int64_t first, int64_t n, Values& values) const;
  // The value of the row from those of its pieces, of which the first `full` have the same length.
  uint64_t whole(size_t fold, const Values* values, int64_t full, int64_t pieces) const;

  std::vector<Fold> folds_;  // the body's reductions
  Body piece_;  // the body's arguments -> a value for each fold
  KernelFn piece_kernel_ = nullptr;
  Body finish_;  // the folds' values, the uniform arguments, the count -> the body's results
  std::vector<size_t> uniform_;  // the positions of uniform arguments
};

}  // namespace monograph
