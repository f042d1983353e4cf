// The emitter: makes one LLVM function with the interface KernelFn (kernels/body.h) from a Body and its KernelForm. The eager kernels that are generated
// at build time, the JIT and ahead-of-time objects all use it.
//
// Every kernel has vectors of a fixed size (16 lanes of 32 bits, 8 of 64, 64 of 8); LLVM splits them for the machine. A kernel contains the vector loop
// once. Operands that are not contiguous, and the last elements of a row, are copied to buffers on the stack, which the same loop reads. An operand
// that is broadcast along the row is a buffer that does not advance. A kernel reads nothing but the operands' elements.
#pragma once

#include <string>

#include "kernels/body.h"
#include "kernels/isa.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace monograph {

struct KernelRequest {
  Body body;  // expanded: no Call
  KernelForm form = KernelForm::Pointwise;
};

// Whether code can be emitted for the body. It is false only for bodies with an f64 fma if `isa` is below v3.
bool can_emit(const Body& body, Isa isa);

// "monograph_k_<hash>_<form>_<isa>".
std::string kernel_symbol(uint64_t body_hash, KernelForm form, Isa isa);

// Adds the kernel's function, hidden and external, to the module.
llvm::Function* emit_kernel(llvm::Module& module, const KernelRequest& request, Isa isa);

}  // namespace monograph
