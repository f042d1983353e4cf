// The JIT: kernels compiled in the process for the machine it runs on, by the emitter that makes the eager kernels.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/emit.h"

namespace monograph {

// Safe to use from any thread; the functions live as long as the Jit. The code calls nothing outside itself.
class Jit {
 public:
  explicit Jit(Isa isa = host_isa());  // `isa` must be one that the machine runs
  ~Jit();
  Jit(const Jit&) = delete;
  Jit& operator=(const Jit&) = delete;

  Isa isa() const { return isa_; }
  // One function a request, in order, compiled as one module; null where the instruction set has no code for the body. A kernel that the
  // Jit has already is not compiled again.
  std::vector<KernelFn> compile(std::span<const KernelRequest> requests);
  KernelFn compile(const Body& expanded, KernelForm form);
  // The address of `symbol` in an object file made by codegen/target.h, which is loaded; it lives as long as the Jit.
  void* load(const std::string& object, const std::string& symbol);

 private:
  struct State;
  Isa isa_;
  std::unique_ptr<State> state_;
};

}  // namespace monograph
