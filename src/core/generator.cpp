// The Mersenne Twister and the layout of PyTorch's state, byte for byte.
#include "core/generator.h"

#include <cstring>
#include <random>

#include "core/error.h"

namespace monograph {
namespace {

// The state as PyTorch lays it out in memory on a 64-bit machine.
struct GeneratorState {
  uint64_t seed;
  int32_t left, seeded;
  uint64_t next;
  uint64_t words[624];
  double normal_x, normal_y, normal_rho;
  int32_t normal_is_valid, unused;
  float float_normal;
  uint8_t float_normal_is_valid;
};
static_assert(sizeof(GeneratorState) == Generator::kStateSize);

}  // namespace

Generator& Generator::operator=(const Generator& other) {
  if (this == &other) return *this;
  std::scoped_lock lock(mutex_, other.mutex_);
  copy_from(other);
  return *this;
}

void Generator::copy_from(const Generator& other) {
  seed_ = other.seed_, left_ = other.left_, next_ = other.next_, words_ = other.words_;
  next_double_normal = other.next_double_normal, next_float_normal = other.next_float_normal;
}

void Generator::reseed(uint64_t seed) {
  seed_ = seed, left_ = 1, next_ = 0;
  words_[0] = static_cast<uint32_t>(seed);
  for (uint32_t i = 1; i < kWords; ++i) words_[i] = 1812433253u * (words_[i - 1] ^ (words_[i - 1] >> 30)) + i;
  next_double_normal.reset();
  next_float_normal.reset();
}

// Makes the next 624 words from the last ones (Matsumoto and Nishimura 1998).
void Generator::twist() {
  auto mix = [this](int i, int next, int far) {
    uint32_t y = (words_[i] & 0x80000000u) | (words_[next] & 0x7fffffffu);
    words_[i] = words_[far] ^ (y >> 1) ^ (-(words_[next] & 1u) & 0x9908b0dfu);
  };
  int i = 0;
  for (; i < kWords - kShift; ++i) mix(i, i + 1, i + kShift);
  for (; i < kWords - 1; ++i) mix(i, i + 1, i + kShift - kWords);
  mix(kWords - 1, 0, kShift - 1);
  left_ = kWords, next_ = 0;
}

void Generator::manual_seed(uint64_t seed) {
  std::lock_guard lock(mutex_);
  reseed(seed);
}

uint64_t Generator::initial_seed() const {
  std::lock_guard lock(mutex_);
  return seed_;
}

uint64_t Generator::seed() {
  std::random_device entropy;
  uint64_t high = entropy(), seed = (high << 32 | entropy()) & ((uint64_t{1} << 53) - 1);
  manual_seed(seed);
  return seed;
}

std::vector<uint8_t> Generator::get_state() const {
  GeneratorState state;
  std::memset(&state, 0, sizeof state);  // the padding too, so that equal states are equal bytes
  {
    std::lock_guard lock(mutex_);
    state.seed = seed_, state.left = left_, state.seeded = 1, state.next = next_;
    for (int i = 0; i < kWords; ++i) state.words[i] = words_[i];
    state.normal_y = next_double_normal.value_or(0), state.normal_is_valid = next_double_normal.has_value();
    state.float_normal = next_float_normal.value_or(0), state.float_normal_is_valid = next_float_normal.has_value();
  }
  std::vector<uint8_t> bytes(sizeof state);
  std::memcpy(bytes.data(), &state, sizeof state);
  return bytes;
}

void Generator::set_state(std::span<const uint8_t> bytes) {
  MONOGRAPH_CHECK(bytes.size() == sizeof(GeneratorState), Runtime, "[set_rng_state] expected a state of ", sizeof(GeneratorState),
                  " bytes, but got ", bytes.size());
  GeneratorState state;
  std::memcpy(&state, bytes.data(), sizeof state);
  bool valid = state.seeded && state.left > 0 && state.left <= kWords && state.next <= kWords &&
               (state.left == 1 || state.next + state.left <= kWords + 1);  // otherwise a draw would run past the words
  MONOGRAPH_CHECK(valid, Runtime, "[set_rng_state] expected the state of an mt19937 engine, but its position is out of range");
  std::lock_guard lock(mutex_);
  seed_ = state.seed, left_ = state.left, next_ = static_cast<uint32_t>(state.next);
  for (int i = 0; i < kWords; ++i) words_[i] = static_cast<uint32_t>(state.words[i]);
  next_double_normal = state.normal_is_valid ? std::optional(state.normal_y) : std::nullopt;
  next_float_normal = state.float_normal_is_valid ? std::optional(state.float_normal) : std::nullopt;
}

Generator& default_generator() {
  static Generator generator;
  return generator;
}

}  // namespace monograph
