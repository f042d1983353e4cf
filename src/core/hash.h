// Hashes within a process, of interned types and sizes. What outlives it has a hash of its own (kernels/body.cpp, core/sha256.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace monograph {

inline uint64_t hash_combine(uint64_t h, uint64_t v) { return (h ^ (v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2))) * 0xff51afd7ed558ccdu; }

inline uint64_t hash_text(std::string_view text) {
  uint64_t h = 0xcbf29ce484222325u;
  for (unsigned char c : text) h = (h ^ c) * 0x100000001b3u;
  return h;
}

}  // namespace monograph
