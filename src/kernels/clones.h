// Plain C++ loops that are compiled once for each instruction set; each call runs the version for this machine. Use it for loops that move,
// compare or add elements one by one: their bits do not depend on the width of the registers. Sums of products belong in generated kernels.
//
//   struct Negate {
//     template <class T>
//     [[gnu::always_inline]] static void run(T* to, const T* from, int64_t n) { for (int64_t i = 0; i < n; ++i) to[i] = -from[i]; }
//   };
//   run_clone<Negate>(to, from, n);
#pragma once

#include "kernels/isa.h"

#if defined(__x86_64__) && !defined(__clang__)
#define MONOGRAPH_CLONE_V3 [[gnu::target("arch=x86-64-v3"), gnu::optimize("O3")]]
#define MONOGRAPH_CLONE_V4 [[gnu::target("arch=x86-64-v4,prefer-vector-width=512"), gnu::optimize("O3")]]
#elif defined(__x86_64__)
#define MONOGRAPH_CLONE_V3 [[gnu::target("arch=x86-64-v3")]]
#define MONOGRAPH_CLONE_V4 [[gnu::target("arch=x86-64-v4")]]
#else
#define MONOGRAPH_CLONE_V3
#define MONOGRAPH_CLONE_V4
#endif

namespace monograph {

template <class Body, class... A>
void clone_plain(A... args) {
  Body::run(args...);
}
template <class Body, class... A>
MONOGRAPH_CLONE_V3 void clone_v3(A... args) {
  Body::run(args...);
}
template <class Body, class... A>
MONOGRAPH_CLONE_V4 void clone_v4(A... args) {
  Body::run(args...);
}

// Calls Body::run(args...), compiled for this machine. Everything that it calls must be always_inline.
template <class Body, class... A>
void run_clone(A... args) {
  const Isa isa = host_isa();
  if (isa == Isa::v4) clone_v4<Body>(args...);
  else if (isa == Isa::v3) clone_v3<Body>(args...);
  else clone_plain<Body>(args...);
}

}  // namespace monograph
