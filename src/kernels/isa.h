// The instruction sets that kernels are generated for, by the levels of the x86-64 psABI.
#pragma once

#include <cstdint>
#include <string_view>

namespace monograph {

enum class Isa : uint8_t {
  none,  // no generated kernels: the evaluator
  v2,    // SSE4.2; fma of f32 is emulated exactly, bodies with an f64 fma have no kernel
  v3,    // AVX2, FMA, F16C
  v4,    // AVX-512 F, BW, CD, DQ, VL
};

std::string_view name(Isa isa);                // "x86-64-v3"
bool parse_isa(std::string_view text, Isa& out);  // "v3", "x86-64-v3", "none"

// The highest level that this machine supports (CPUID), limited by the environment variable MONOGRAPH_MAX_ISA. It is determined once.
Isa host_isa();

}  // namespace monograph
