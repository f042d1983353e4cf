// The call of a structured kernel, such as a convolution, a gather or a sort. It is plain data, filled by dispatch, a plan or ahead-of-time code.
//
//   KernelStatus gather(KernelCall& call) {
//     const KernelTensor &self = call.args[0].tensor, &index = call.args[2].tensor, &out = call.results[0];
//     ...
//     if (i < -n || i >= n) return call.fail(i, n);
//     return KernelStatus::Ok;
//   }
//
// A kernel allocates nothing, throws nothing and checks no shapes: the operator's shape rule has done so before. Results have the sizes and the
// dtype that the rule gave. A kernel may use the thread pool (core/threads/pool.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"

namespace monograph {

// The most dims of size 2 or more that a tensor with elements can have: 2^64 elements do not fit in memory.
inline constexpr size_t kMaxDims = 64;

// A tensor. Strides are in elements. The caller owns sizes and strides; they outlive the call.
struct KernelTensor {
  char* data;  // the first element
  const int64_t* sizes;
  const int64_t* strides;
  int32_t dim;
  DType dtype;
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
  int64_t numel() const {
    int64_t n = 1;
    for (int32_t d = 0; d < dim; ++d) n *= sizes[d];
    return n;
  }
  bool has_elements() const {
    for (int32_t d = 0; d < dim; ++d)
      if (sizes[d] == 0) return false;
    return true;
  }
};

// One argument of a call. Arguments stand in the order of the operator's schema.
struct KernelArg {
  enum class Kind : uint8_t { None, Bool, Int, Float, Complex, Ints, Str, Tensor, Tensors, Other };
  struct Ints {
    const int64_t* values;
    size_t count;
  };
  struct Text {
    const char* characters;
    size_t count;
  };
  struct Tensors {
    const KernelTensor* values;  // data is null where the list holds None
    size_t count;
  };
  Kind kind = Kind::None;
  union {
    bool boolean;
    int64_t integer;
    double number;
    double parts[2];  // a complex number: real part, imaginary part
    Ints ints;
    Text text;
    KernelTensor tensor;
    Tensors tensors;
    void* other;  // a Generator
  };
  KernelArg() : integer(0) {}
  bool none() const { return kind == Kind::None; }
};

// What a kernel returns. Every status but Ok is about the elements of an argument: an index out of range, a probability below 0. The operator's
// record has a message for each status; `value`, `limit` and `place` of the call are inserted into it.
enum class KernelStatus : int32_t { Ok = 0, BadValue = 1, BadSecond = 2, BadThird = 3 };

struct KernelCall {
  const KernelArg* args = nullptr;
  const KernelTensor* results = nullptr;
  size_t arg_count = 0, result_count = 0;
  char* scratch = nullptr;  // the bytes that the rule asked for, at an address divisible by 64; undefined at first
  // Set by fail().
  int64_t value = 0;  // the bad element
  int64_t limit = 0;  // the bound that it breaks, for example the size of the dim that it indexes
  int64_t place = -1;  // its position in row-major order
  int64_t scratch_bytes = 0;
  // The number of threads that the scratch memory was sized for; 0: that of the pool. The pool's number may have changed since.
  int32_t threads = 0;
  const void* prepared = nullptr;  // the result of the record's prepare(), for example a weight in the kernel's order; or null

  KernelStatus fail(int64_t bad, int64_t bound, int64_t at = -1, KernelStatus status = KernelStatus::BadValue) {
    value = bad, limit = bound, place = at;
    return status;
  }
};

using StructuredKernel = KernelStatus (*)(KernelCall& call);

// MONOGRAPH_KERNEL(gather); declares KernelStatus gather_kernel(KernelCall& call). Its symbol is monograph_gather_kernel, its name in C
// (include/monograph/kernels.h).
#define MONOGRAPH_KERNEL(name) KernelStatus name##_kernel(KernelCall& call) __asm__("monograph_" #name "_kernel")

}  // namespace monograph
