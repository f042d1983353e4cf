// Compiles a loop for several instruction sets; each call runs the version for this machine.
//
//   [[gnu::always_inline]] inline void scale_loop(float* x, int64_t n) { ... }
//   MONOGRAPH_VARIANTS(scale, scale_loop, (float* x, int64_t n), (x, n))
//
// defines `scale(x, n)`. The loop is plain C++; the variants differ only in the instructions that the compiler may use. Every variant gives the same
// bits, since the compiler contracts and reorders nothing (docs/numerics.md). A loop must not contain a lambda: it would be compiled for the baseline.
#pragma once

#include "kernels/isa.h"

#if defined(__x86_64__)
#define MONOGRAPH_TARGET_V3 [[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt,f16c")]]
#define MONOGRAPH_TARGET_V4 [[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]]
#else
#define MONOGRAPH_TARGET_V3
#define MONOGRAPH_TARGET_V4
#endif

#define MONOGRAPH_UNWRAP(...) __VA_ARGS__

// `before` is put before the function in parentheses: (template <class T>), or () for none.
#define MONOGRAPH_TEMPLATE_VARIANTS(before, function, loop, parameters, arguments) \
  MONOGRAPH_UNWRAP before MONOGRAPH_TARGET_V4 void function##_v4 parameters { loop arguments; } \
  MONOGRAPH_UNWRAP before MONOGRAPH_TARGET_V3 void function##_v3 parameters { loop arguments; } \
  MONOGRAPH_UNWRAP before inline void function parameters { \
    const Isa isa = host_isa(); \
    if (isa >= Isa::v4) return function##_v4 arguments; \
    if (isa >= Isa::v3) return function##_v3 arguments; \
    loop arguments; \
  }
#define MONOGRAPH_VARIANTS(function, loop, parameters, arguments) MONOGRAPH_TEMPLATE_VARIANTS((), function, loop, parameters, arguments)
