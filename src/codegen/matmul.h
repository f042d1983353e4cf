// Emits the kernels of matrix products (kernels/matmul.h) as LLVM IR, for the build and for the JIT.
#pragma once

#include <span>
#include <string>

#include "codegen/emit.h"
#include "kernels/matmul.h"

namespace llvm {
class Function;
class GlobalVariable;
class Module;
}  // namespace llvm

namespace monograph {

// A register block of rows x (panels * vectors) vector registers. The vector is the instruction set's: 32 bytes on x86-64-v3, 64 on v4.
struct MatmulBlock {
  DType type;  // f32 or f64
  Isa isa;  // v3 or v4
  int rows;
  int panels;
  int vectors = 2;  // the vectors in a row of a panel
  Isa code = isa;  // the instructions to use; with v3, LLVM splits v4's vectors in two
};

// Adds the kernel with this block, an external function of type MatmulKernelFn named as "monograph_matmul_f32_v3_6x1". It carries its
// instruction set in its attributes, so a module may hold kernels of several.
llvm::Function* emit_matmul_microkernel(llvm::Module& module, const MatmulBlock& block);

// Adds all kernels of a type and instruction set and their table, an external constant MatmulKernels with the name below.
llvm::GlobalVariable* emit_matmul_kernels(llvm::Module& module, DType type, Isa isa, Isa code);
// "monograph_matmul_f32_v3"
std::string matmul_table_name(DType type, Isa isa);

// One object file with the tables of all types for these instruction sets, and `monograph_matmul_tables` (kernels/matmul.h).
std::string matmul_object(std::span<const Isa> isas);

// The same table compiled in this process, once for each type and instruction set. It can be compiled on any machine, but only runs on one with the
// instructions of `code`. So v4's blocks can be tried with v3's instructions.
const MatmulKernels& jit_matmul_kernels(DType type, Isa isa, Isa code);
inline const MatmulKernels& jit_matmul_kernels(DType type, Isa isa) { return jit_matmul_kernels(type, isa, isa); }

}  // namespace monograph
