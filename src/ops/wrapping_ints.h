// What becomes of an int that does not fit into the 64 bits in which graphs compute ints. Programs are Python's, whose ints have no end, so a graph raises an
// error. A program of torch.jit.script goes on with the lowest 64 bits, as in PyTorch.
#pragma once

#include <utility>

namespace monograph {

class WrappingInts {
 public:
  explicit WrappingInts(bool on) : before_(std::exchange(on_, on)) {}
  ~WrappingInts() { on_ = before_; }
  WrappingInts(const WrappingInts&) = delete;
  WrappingInts& operator=(const WrappingInts&) = delete;
  static bool on() { return on_; }  // on this thread

 private:
  static inline thread_local constinit bool on_ = false;
  bool before_;
};

}  // namespace monograph
