// LLVM emission of the matrix kernels of kernels/matmul.h: the one emitter behind the build-time kernels, the JIT and objects ahead of time.
#pragma once

#include <span>
#include <string>

#include "kernels/matmul.h"

namespace llvm {
class Function;
class GlobalVariable;
class Module;
}  // namespace llvm

namespace monograph {

// A register block of rows x (panels * vectors) vector registers. The vector is the instruction set's: 32 bytes on x86-64-v3, 64 on v4.
struct MatmulBlock {
  DType type;   // f32 or f64
  Isa isa;      // v3 or v4
  int rows;
  int panels;
  int vectors = 2;  // of a panel
};

// Adds the kernel with this block, an external function of type MatmulKernelFn named as "monograph_matmul_f32_v3_6x1". It carries its
// instruction set in its attributes, so a module may hold kernels of several.
llvm::Function* emit_matmul_microkernel(llvm::Module& module, const MatmulBlock& block);

// Adds all kernels of a type and instruction set and their table, an external constant MatmulKernels with the name below.
llvm::GlobalVariable* emit_matmul_kernels(llvm::Module& module, DType type, Isa isa);
// "monograph_matmul_f32_v3"
std::string matmul_table_name(DType type, Isa isa);

// One object file with the tables of all types for these instruction sets, and `monograph_matmul_tables` (kernels/matmul.h).
std::string matmul_object(std::span<const Isa> isas);

// The same table compiled in this process, once for each type and instruction set. Emission works on any machine, running needs the machine.
const MatmulKernels& jit_matmul_kernels(DType type, Isa isa);

}  // namespace monograph
