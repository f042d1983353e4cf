// Floats are compared in blocks, without branches within a block. In the other dtypes equal numbers have equal bytes, so memcmp is enough.
#include "kernels/equality.h"

#include <algorithm>
#include <cstring>

#include "kernels/clones.h"

namespace monograph {
namespace {

constexpr int64_t kBlock = 2048;  // elements of a block; the comparison ends after the first block with a difference

struct EqualFloats {
  template <class T>
  [[gnu::always_inline]] static void run(const T* a, const T* b, int64_t n, bool* equal) {
    for (int64_t at = 0; at < n; at += kBlock) {
      const int64_t here = std::min(kBlock, n - at);
      int different = 0;
      for (int64_t i = at; i < at + here; ++i) different |= a[i] == b[i] ? 0 : 1;
      if (different) return;
    }
    *equal = true;
  }
};

template <class T>
bool equal_floats(const void* a, const void* b, int64_t n) {
  bool equal = false;
  run_clone<EqualFloats>(static_cast<const T*>(a), static_cast<const T*>(b), n, &equal);
  return equal;
}

}  // namespace

bool compares_elements(DType type) { return type != DType::f16 && type != DType::bf16; }

static bool equal_elements(DType type, const void* a, const void* b, int64_t n) {
  switch (type) {
    case DType::f32: return equal_floats<float>(a, b, n);
    case DType::c64: return equal_floats<float>(a, b, 2 * n);
    case DType::f64: return equal_floats<double>(a, b, n);
    case DType::c128: return equal_floats<double>(a, b, 2 * n);
    default: return std::memcmp(a, b, static_cast<size_t>(n) * element_size(type)) == 0;
  }
}

KernelStatus equal_kernel(KernelCall& call) {
  const KernelTensor &a = call.args[0].tensor, &b = call.args[1].tensor;
  *call.results[0].as<bool>() = equal_elements(a.dtype, a.data, b.data, a.numel());
  return KernelStatus::Ok;
}

}  // namespace monograph
