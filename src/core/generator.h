// The source of random numbers: PyTorch's CPU generator, word for word and byte for byte (mt19937 with a cache of one normal value).
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace monograph {

// A stream of 32-bit words and the second values of normal pairs that wait for the next call. The calls that look after the stream
// (manual_seed, get_state, ...) lock the generator themselves; a kernel that draws holds `mutex()` over the whole fill, so that
// concurrent fills take whole runs of the stream.
class Generator {
 public:
  static constexpr uint64_t kDefaultSeed = 67280421310721;
  static constexpr size_t kStateSize = 5056;

  explicit Generator(uint64_t seed = kDefaultSeed) { reseed(seed); }
  Generator(const Generator& other) {
    std::lock_guard lock(other.mutex_);
    copy_from(other);
  }
  Generator& operator=(const Generator& other);

  // Restarts the stream. Only the low 32 bits seed the engine; all 64 are kept for `initial_seed`. A cached normal is dropped.
  void manual_seed(uint64_t seed);
  uint64_t initial_seed() const;
  // Restarts the stream from the system's entropy (53 bits, so that the seed is exact as a double) and answers the seed.
  uint64_t seed();

  // torch.get_rng_state: 5,056 bytes. seed u64, words left until the next twist i32, seeded i32, position u64, 624 words as u64, then
  // normal_x, normal_y, normal_rho f64 (the cached double normal is normal_y), its flag i32, padding, the cached float f32, its flag.
  std::vector<uint8_t> get_state() const;
  // Takes what get_state wrote, here or in PyTorch; throws where the size or the engine's position is impossible.
  void set_state(std::span<const uint8_t> state);

  std::mutex& mutex() const { return mutex_; }

  // The members below are for kernels and need mutex() held.
  uint32_t random() {
    if (--left_ == 0) twist();
    uint32_t y = words_[next_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }
  // Two words, the first one high.
  uint64_t random64() {
    uint64_t high = random();
    return high << 32 | random();
  }
  std::optional<double> next_double_normal;
  std::optional<float> next_float_normal;  // carried in the state only: no fill draws float pairs

 private:
  static constexpr int kWords = 624, kShift = 397;

  void reseed(uint64_t seed);
  void twist();
  void copy_from(const Generator& other);  // needs other.mutex_ held

  mutable std::mutex mutex_;
  uint64_t seed_ = 0;
  int32_t left_ = 1;
  uint32_t next_ = 0;
  std::array<uint32_t, kWords> words_;
};

// The generator that every draw uses unless it is given one.
Generator& default_generator();

}  // namespace monograph
