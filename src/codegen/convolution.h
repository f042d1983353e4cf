// Emits the kernels of convolutions (kernels/convolution.h) as LLVM IR, and compiles them: into an object file at build time, or in this process.
#pragma once

#include <span>
#include <string>

#include "codegen/emit.h"
#include "kernels/convolution.h"

namespace monograph {

// One object file with the tables of all types for these instruction sets, and `monograph_convolution_tables`.
std::string convolution_object(std::span<const Isa> isas);

// The same table compiled in this process, once for each type and instruction set.
const ConvolutionKernels& jit_convolution_kernels(DType type, Isa isa);

}  // namespace monograph
