// CPUID, lowered by MONOGRAPH_MAX_ISA.
#include "kernels/isa.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace monograph {
namespace {

constexpr std::string_view kNames[] = {"none", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

// The compiler's builtins use CPUID, and XGETBV to check that the system saves the wide registers.
Isa machine_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt")) return Isa::none;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("f16c") ||
      !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("lzcnt"))
    return Isa::v2;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512cd") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
    return Isa::v3;
  return Isa::v4;
#else
  return Isa::none;
#endif
}

}  // namespace

std::string_view name(Isa isa) { return kNames[static_cast<size_t>(isa)]; }

bool parse_isa(std::string_view text, Isa& out) {
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (text == kNames[i] || (i != 0 && text.size() == 2 && kNames[i].ends_with(text))) return out = static_cast<Isa>(i), true;
  return false;
}

Isa host_isa() {
  static constinit std::atomic<int> known{-1};  // threads that initialize it at once compute the same value
  const int found = known.load(std::memory_order_relaxed);
  if (found >= 0) [[likely]]
    return static_cast<Isa>(found);
  Isa limit = Isa::v4;
  if (const char* text = std::getenv("MONOGRAPH_MAX_ISA")) parse_isa(text, limit);
  const Isa isa = std::min(limit, machine_isa());
  known.store(static_cast<int>(isa), std::memory_order_relaxed);
  return isa;
}

}  // namespace monograph
