// The target machine, LLVM's passes, object files, and the JIT, which loads such object files. They share a file because LLVM's headers are slow to
// compile.
#include "codegen/target.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ProfileSummaryInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScopedNoAliasAA.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/TypeBasedAliasAnalysis.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "codegen/jit.h"
#include "codegen/loader.h"
#include "core/error.h"

namespace monograph {

std::unique_ptr<llvm::TargetMachine> target_machine(Isa isa) {
  static const bool initialized = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return true;
  }();
  (void)initialized;
  MONOGRAPH_ASSERT(isa != Isa::none);
  const std::string triple = "x86_64-unknown-linux-gnu";
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  MONOGRAPH_ASSERT(target != nullptr);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(triple, name(isa), "", options, llvm::Reloc::PIC_,
                                                                          llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

std::unique_ptr<llvm::Module> new_module(llvm::LLVMContext& context, const std::string& name, const llvm::TargetMachine& machine) {
  auto module = std::make_unique<llvm::Module>(name, context);
  module->setTargetTriple(machine.getTargetTriple().str());
  module->setDataLayout(machine.createDataLayout());
  return module;
}

// The analyses that the passes below use. llvm::PassBuilder would link every pass of LLVM into the library that is loaded at the first compile.
class Analyses {
 public:
  explicit Analyses(llvm::TargetMachine& machine) {
    functions.registerPass([&] { return llvm::TargetIRAnalysis(machine.getTargetIRAnalysis()); });
    functions.registerPass([] { return llvm::TargetLibraryAnalysis(); });
    functions.registerPass([] { return llvm::AssumptionAnalysis(); });
    functions.registerPass([] { return llvm::DominatorTreeAnalysis(); });
    functions.registerPass([] { return llvm::LoopAnalysis(); });
    functions.registerPass([] { return llvm::ScalarEvolutionAnalysis(); });
    functions.registerPass([] { return llvm::MemorySSAAnalysis(); });
    functions.registerPass([] { return llvm::OptimizationRemarkEmitterAnalysis(); });
    functions.registerPass([] { return llvm::BasicAA(); });
    functions.registerPass([] { return llvm::ScopedNoAliasAA(); });
    functions.registerPass([] { return llvm::TypeBasedAA(); });
    functions.registerPass([] {
      llvm::AAManager aliases;
      aliases.registerFunctionAnalysis<llvm::BasicAA>();
      aliases.registerFunctionAnalysis<llvm::ScopedNoAliasAA>();
      aliases.registerFunctionAnalysis<llvm::TypeBasedAA>();
      return aliases;
    });
    modules.registerPass([] { return llvm::ProfileSummaryAnalysis(); });
    modules.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
    functions.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
    loops.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
    modules.registerPass([&] { return llvm::FunctionAnalysisManagerModuleProxy(functions); });
    functions.registerPass([&] { return llvm::ModuleAnalysisManagerFunctionProxy(modules); });
    functions.registerPass([&] { return llvm::LoopAnalysisManagerFunctionProxy(loops); });
    loops.registerPass([&] { return llvm::FunctionAnalysisManagerLoopProxy(functions); });
  }
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::ModuleAnalysisManager modules;
};

void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  Analyses analyses(machine);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::LoopPassManager hoist;
  hoist.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(hoist), /*UseMemorySSA=*/true));
  for (llvm::Function& f : module)
    if (!f.isDeclaration()) passes.run(f, analyses.functions);
}

std::string emit_object(llvm::Module& module, llvm::TargetMachine& machine, bool assembly) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  const auto type = assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  const bool unsupported = machine.addPassesToEmitFile(passes, out, nullptr, type, /*DisableVerify=*/true);
  MONOGRAPH_ASSERT(!unsupported);
  passes.run(module);
  return std::string(bytes.data(), bytes.size());
}

std::string compile_object(const std::string& name, std::span<const KernelRequest* const> requests, Isa isa) {
  const std::unique_ptr<llvm::TargetMachine> machine = target_machine(isa);
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = new_module(context, name, *machine);
  for (const KernelRequest* request : requests) emit_kernel(*module, *request, isa);
  optimize(*module, *machine);
  return emit_object(*module, *machine);
}

std::string table_object(std::span<const std::pair<Isa, std::vector<KernelKey>>> tables) {
  const std::unique_ptr<llvm::TargetMachine> machine = target_machine(Isa::v2);
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = new_module(context, "kernel_tables", *machine);
  llvm::Type *byte = llvm::Type::getInt8Ty(context), *word = llvm::Type::getInt64Ty(context), *pointer = llvm::PointerType::get(context, 0);
  auto constant = [](llvm::Type* type, uint64_t v) -> llvm::Constant* { return llvm::ConstantInt::get(type, v); };
  auto global = [&](llvm::Constant* value, const char* symbol, llvm::GlobalValue::LinkageTypes linkage) {
    return new llvm::GlobalVariable(*module, value->getType(), /*isConstant=*/true, linkage, value, symbol);
  };
  auto array = [&](llvm::StructType* type, const std::vector<llvm::Constant*>& values) {
    return global(llvm::ConstantArray::get(llvm::ArrayType::get(type, values.size()), values), "", llvm::GlobalValue::PrivateLinkage);
  };
  // The fields have the order of KernelEntry, KernelTable and KernelTables.
  llvm::StructType* entry_type = llvm::StructType::get(word, byte, pointer);
  llvm::StructType* table_type = llvm::StructType::get(byte, word, pointer);
  llvm::StructType* tables_type = llvm::StructType::get(word, pointer);
  auto* kernel = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {pointer, pointer, word, pointer, word}, false);
  std::vector<llvm::Constant*> rows;
  for (const auto& [isa, keys] : tables) {
    std::vector<llvm::Constant*> entries;
    for (const KernelKey& key : keys) {
      auto* fn = llvm::Function::Create(kernel, llvm::Function::ExternalLinkage, kernel_symbol(key.body_hash, key.form, isa), *module);
      fn->setVisibility(llvm::GlobalValue::HiddenVisibility);
      entries.push_back(
          llvm::ConstantStruct::get(entry_type, {constant(word, key.body_hash), constant(byte, static_cast<uint64_t>(key.form)), fn}));
    }
    rows.push_back(llvm::ConstantStruct::get(
        table_type, {constant(byte, static_cast<uint64_t>(isa)), constant(word, keys.size()), array(entry_type, entries)}));
  }
  llvm::Constant* all = llvm::ConstantStruct::get(tables_type, {constant(word, rows.size()), array(table_type, rows)});
  global(all, "monograph_kernel_tables", llvm::GlobalValue::ExternalLinkage)->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return emit_object(*module, *machine);
}

void write_archive(const std::string& path, std::span<const std::pair<std::string, std::string>> members) {
  std::vector<llvm::NewArchiveMember> entries;
  for (const auto& [name, contents] : members)
    entries.emplace_back(llvm::MemoryBufferRef(llvm::StringRef(contents.data(), contents.size()), name));
  llvm::Error error = llvm::writeArchive(path, entries, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
                                         /*Deterministic=*/true, /*Thin=*/false);
  if (error) fail(ErrorKind::File, "[kernelgen] cannot write ", path, ": ", llvm::toString(std::move(error)));
}

// ------------------------------------------------------------------------------------------------ the JIT

struct Jit::State {
  std::mutex mutex;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::map<std::string, KernelFn> known;
  std::deque<LoadedObject> objects;
};

Jit::Jit(Isa isa) : isa_(isa), state_(new State) {
  if (isa != Isa::none) state_->machine = target_machine(isa);
}

Jit::~Jit() = default;

std::vector<KernelFn> Jit::compile(std::span<const KernelRequest> requests) {
  std::vector<KernelFn> result(requests.size(), nullptr);
  if (isa_ == Isa::none) return result;
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  std::vector<std::string> symbols(requests.size());
  std::set<std::string> fresh;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = new_module(context, "kernels", *s.machine);
  for (size_t i = 0; i < requests.size(); ++i) {
    if (!can_emit(requests[i].body, isa_)) continue;
    symbols[i] = kernel_symbol(hash(requests[i].body), requests[i].form, isa_);
    if (s.known.contains(symbols[i]) || !fresh.insert(symbols[i]).second) continue;
    emit_kernel(*module, requests[i], isa_);
  }
  if (!fresh.empty()) {
    optimize(*module, *s.machine);
    const LoadedObject& loaded = s.objects.emplace_back(emit_object(*module, *s.machine));
    for (const std::string& symbol : fresh) s.known[symbol] = reinterpret_cast<KernelFn>(loaded.symbol(symbol));
  }
  for (size_t i = 0; i < requests.size(); ++i)
    if (!symbols[i].empty()) result[i] = s.known[symbols[i]];
  return result;
}

void* Jit::load(const std::string& object, const std::string& symbol) {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  return s.objects.emplace_back(object).symbol(symbol);
}

KernelFn Jit::compile(const Body& expanded, KernelForm form) {
  const KernelRequest request{expanded, form};
  return compile(std::span(&request, 1))[0];
}

}  // namespace monograph
