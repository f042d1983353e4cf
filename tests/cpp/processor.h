// What an emulated processor gets wrong, found by trying. bochs 2.7, which `./dev test --emulate` runs on, rounds the ties of vcvtps2ph away
// from zero, and its kshiftlw and kshiftrw by 15 give nothing, by which LLVM gathers comparisons of float16 on x86-64-v4 (conversions to
// integers compare too). Code that depends on these cannot be judged there; a real processor does both right, and everything is.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdio>

#include "kernels/body.h"
#include "kernels/isa.h"

namespace monograph::test {

[[gnu::target("f16c")]] inline bool rounds_ties_to_even() {
  volatile float tie = 1 + 0x1p-11f;  // between 1 and the next float16
  return _cvtss_sh(tie, 0) == 0x3c00;
}

inline bool does_halves_right() {
  static const bool right = [] {
    if (host_isa() < Isa::v3 || rounds_ties_to_even()) return true;
    std::printf("left out: kernels that round to float16 or compare it; this processor, an emulated one, does neither right\n");
    return false;
  }();
  return right;
}

// Whether this processor runs the body's code for `isa` as a real one would. Below x86-64-v3 float16 is done with integers.
inline bool can_judge(const Body& body, Isa isa) {
  if (isa < Isa::v3 || does_halves_right()) return true;
  const bool reads = std::any_of(body.args.begin(), body.args.end(), [](const BodyArg& a) { return a.dtype == DType::f16; });
  return std::none_of(body.ins.begin(), body.ins.end(), [&](const Ins& i) {
    return (i.fn == Fn::Convert && i.t == DType::f16) || (reads && (i.t == DType::b1 || (i.fn == Fn::Convert && !is_floating(i.t))));
  });
}

}  // namespace monograph::test
