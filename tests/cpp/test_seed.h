// The seed of random tests. Every test of random graphs or programs begins with base_seed() and prints the seed of what fails.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace monograph::test {

/// MONOGRAPH_SEED where it is set, which repeats a run; else a fresh seed.
inline uint64_t base_seed() {
  if (const char* given = std::getenv("MONOGRAPH_SEED")) return std::strtoull(given, nullptr, 10);
  return std::random_device()();
}

}  // namespace monograph::test
