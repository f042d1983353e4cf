// The JIT compiles kernels in this process, with the same emitter as the eager kernels.
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
  // Compiles the requests as one module and returns their functions, in order; null if no code can be emitted for a body (can_emit). A kernel that was
  // compiled before is not compiled again.
  std::vector<KernelFn> compile(std::span<const KernelRequest> requests);
  KernelFn compile(const Body& expanded, KernelForm form);
  // Loads an object file made by codegen/target.h and returns the address of `symbol`, which is valid as long as the Jit.
  void* load(const std::string& object, const std::string& symbol);

 private:
  struct State;
  Isa isa_;
  std::unique_ptr<State> state_;
};

}  // namespace monograph
