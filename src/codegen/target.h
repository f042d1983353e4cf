// The machines that code is generated for: x86-64 at a psABI level, position independent, without contraction.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/emit.h"

namespace llvm {
class LLVMContext;
class TargetMachine;
}  // namespace llvm

namespace monograph {

std::unique_ptr<llvm::TargetMachine> target_machine(Isa isa);

// An empty module for the machine.
std::unique_ptr<llvm::Module> new_module(llvm::LLVMContext& context, const std::string& name, const llvm::TargetMachine& machine);

// The passes between emission and code generation, few: the emitter's loops are already what they should be.
void optimize(llvm::Module& module, llvm::TargetMachine& machine);

// The module as an object file, or as assembly text.
std::string emit_object(llvm::Module& module, llvm::TargetMachine& machine, bool assembly = false);

}  // namespace monograph
