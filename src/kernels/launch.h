// Launching kernels: from strided, broadcast operands of any number of dims to the two-dimensional loops that a KernelFn runs.
// Dims are merged where the strides allow, the innermost loop runs along the results' memory, and large work is split over the pool
// at fixed borders. Nothing is allocated for tensors of up to six dims.
#pragma once

#include <atomic>
#include <span>

#include "core/tensor.h"
#include "kernels/body.h"
#include "kernels/row_split.h"

namespace monograph {

// A body with the code that runs it: generated where the build or the JIT has some, else the evaluator.
struct Kernel {
  const Body* body = nullptr;  // expanded; outlives the kernel
  KernelForm form = KernelForm::Pointwise;
  KernelFn fn = nullptr;
  int64_t grain = 32768;  // elements that one thread does at least: below it waking another costs more than it saves
  const RowSplit* split = nullptr;  // of a reduction whose one long row threads can share
  int32_t operator()(char* const* operands, const int64_t* inner, int64_t n, const int64_t* outer, int64_t rows) const;
};

// A kernel made at its first use and kept as long as the process.
class LazyKernel {
 public:
  LazyKernel() = default;
  LazyKernel(const LazyKernel&) {}  // a copy makes its own
  // `body` gives the expanded body.
  template <class F>
  const Kernel& get(KernelForm form, F&& body) const {
    const Kernel* known = made_.load(std::memory_order_acquire);
    return known ? *known : make(body(), form);
  }

 private:
  const Kernel& make(Body body, KernelForm form) const;
  mutable std::atomic<const Kernel*> made_{nullptr};
};

struct Operand {
  char* data = nullptr;
  Dims strides;  // bytes, one a dim of the iteration space; 0 where broadcast
};

// Runs a pointwise kernel over `sizes`; operands are the results, then the arguments. Nonzero if a RaiseIf was true.
int32_t launch_pointwise(const Kernel& kernel, std::span<Operand> operands, std::span<const int64_t> sizes);

// Runs a pointwise kernel over operands that lie as one row of n elements each: the results, then the arguments.
int32_t launch_flat(const Kernel& kernel, char* const* pointers, const int64_t* steps, size_t count, int64_t n);

// Runs a row program over every row of `sizes` without `row_dims`; the row's elements are those of `row_dims` in row-major logical order,
// and must lie at one stride in every operand (`rows_are_strided` tells; else make the operand contiguous first).
// Uniform results have stride 0 along the row dims.
int32_t launch_rows(const Kernel& kernel, std::span<Operand> operands, std::span<const int64_t> sizes, std::span<const int64_t> row_dims);
bool rows_are_strided(const Operand& operand, std::span<const int64_t> sizes, std::span<const int64_t> row_dims);

// The bytes from a strided tensor's element to the next along each dim of a broadcast shape of `ndim` dims.
Operand broadcast_operand(const Tensor& t, std::span<const int64_t> sizes);

}  // namespace monograph
