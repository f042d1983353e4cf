// LLVM's target machines (x86-64 at a psABI level, position independent, without contraction), object files and archives.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
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

// Runs the few passes that are needed between emission and code generation; the emitter writes its loops in their final form.
void optimize(llvm::Module& module, llvm::TargetMachine& machine);

// The module as an object file, or as assembly text.
std::string emit_object(llvm::Module& module, llvm::TargetMachine& machine, bool assembly = false);

// One object file with the kernels of the requests; each must have code for the instruction set.
std::string compile_object(const std::string& name, std::span<const KernelRequest* const> requests, Isa isa);

// The object that defines `monograph_kernel_tables` (kernels/registry.h), from the kernels of each instruction set in ascending order.
struct KernelKey {
  uint64_t body_hash;
  KernelForm form;
  auto operator<=>(const KernelKey&) const = default;
};
std::string table_object(std::span<const std::pair<Isa, std::vector<KernelKey>>> tables);

// A static archive of object files, with its symbol table; members are name and contents.
void write_archive(const std::string& path, std::span<const std::pair<std::string, std::string>> members);

}  // namespace monograph
