// Emission: a Body and its KernelForm become one function with the interface KernelFn (kernels/body.h). The same emitter serves the eager
// kernels that are generated at build time, the JIT and ahead-of-time objects, so that they are one code.
//
// Every kernel is written for fixed virtual vectors (16 lanes of 32 bits, 8 of 64, 64 of 8); LLVM splits them per machine. The vector loop
// exists once in a kernel: operands that are not contiguous, and the elements left over at the end of a row, pass through buffers of the
// kernel's frame and then through the same loop; an operand that is broadcast along the row is a buffer that does not advance. Nothing
// outside the operands' elements is ever read.
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

// Whether the instruction set has code for the body: false only for f64 fma below v3.
bool can_emit(const Body& body, Isa isa);

// "monograph_k_<hash>_<form>_<isa>".
std::string kernel_symbol(uint64_t body_hash, KernelForm form, Isa isa);

// Adds the kernel's function, hidden and external, to the module.
llvm::Function* emit_kernel(llvm::Module& module, const KernelRequest& request, Isa isa);

}  // namespace monograph
