// Vectors of float or double elements, of 16, 32 or 64 bytes. A processor with shorter registers takes several for one vector, with the same bits.
#pragma once

#include <cstddef>

namespace monograph {

template <class T, size_t kBytes> struct VectorTypes;
#define MONOGRAPH_VECTOR(T, bytes) \
  template <> struct VectorTypes<T, bytes> { \
    typedef T Aligned __attribute__((vector_size(bytes))); \
    typedef T Unaligned __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias)); \
  };
MONOGRAPH_VECTOR(float, 16)
MONOGRAPH_VECTOR(float, 32)
MONOGRAPH_VECTOR(float, 64)
MONOGRAPH_VECTOR(double, 16)
MONOGRAPH_VECTOR(double, 32)
MONOGRAPH_VECTOR(double, 64)
#undef MONOGRAPH_VECTOR

// A vector as a value; std::memcpy reads it from memory.
template <class T, size_t kBytes> using Vector = typename VectorTypes<T, kBytes>::Aligned;
// A vector that a pointer to elements may be cast to.
template <class T, size_t kBytes> using UnalignedVector = typename VectorTypes<T, kBytes>::Unaligned;

}  // namespace monograph
