// LLVM emission of the matrix kernels of kernels/matmul.h: the one emitter behind the build-time kernels, the JIT and objects ahead of time.
#pragma once

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
  int level;    // 3 or 4
  int rows;
  int panels;
  int vectors = 2;  // of a panel
};

// Adds the kernel with this block, an external function of type MatmulKernelFn named as "monograph_matmul_f32_v3_6x1". It carries its
// instruction set in its attributes, so a module may hold kernels of several.
llvm::Function* emit_matmul_microkernel(llvm::Module& module, const MatmulBlock& block);

// Adds all kernels of a type and level and their table, an external constant MatmulKernels with the name below.
llvm::GlobalVariable* emit_matmul_kernels(llvm::Module& module, DType type, int level);
// "monograph_matmul_f32_v3"
std::string matmul_table_name(DType type, int level);

// The same table compiled in this process, once for each type and level. Emission works on any machine, running needs the level.
const MatmulKernels& jit_matmul_kernels(DType type, int level);

}  // namespace monograph
