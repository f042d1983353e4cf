// Divides a block of scratch memory into arrays.
//
//   Workspace workspace(call.scratch);
//   float* a = workspace.take<float>(n);
//
// A shape rule runs the same code without memory to count the bytes: Workspace workspace; ...; workspace.bytes().
#pragma once

#include <cstdint>

#include "kernels/round.h"

namespace monograph {

class Workspace {
 public:
  // `memory` is at an address divisible by 64, or null.
  explicit Workspace(char* memory = nullptr) : memory_(memory) {}
  // An array of `count` elements at an address divisible by 64; null without memory.
  template <class T>
  T* take(int64_t count) {
    const int64_t at = bytes_;
    bytes_ += round_up(count * static_cast<int64_t>(sizeof(T)), 64);
    return memory_ ? reinterpret_cast<T*>(memory_ + at) : nullptr;
  }
  // The bytes taken so far.
  int64_t bytes() const { return bytes_; }

 private:
  char* memory_;
  int64_t bytes_ = 0;
};

}  // namespace monograph
