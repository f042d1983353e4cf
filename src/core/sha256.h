// SHA-256 (FIPS 180-4): the hash of graphs and of tensor contents.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace monograph {

class Sha256 {
 public:
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text) { update(std::as_bytes(std::span(text))); }
  // The digest of all that was given; the object is used up.
  std::array<uint8_t, 32> finish();
  // The digest as 64 lower-case hexadecimal digits.
  std::string hex();

 private:
  void block(const uint8_t* data);
  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> buffer_;
  uint64_t size_ = 0;  // bytes so far
};

}  // namespace monograph
