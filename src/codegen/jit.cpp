#include "codegen/jit.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <map>
#include <mutex>

#include "codegen/target.h"
#include "core/error.h"

namespace monograph {
namespace {

// An LLVM failure here is ours: modules hold nothing of the user's.
template <class T>
T expect(llvm::Expected<T> value) {
  if (!value) throw InternalError("[jit] " + llvm::toString(value.takeError()));
  return static_cast<T&&>(*value);
}

void expect(llvm::Error error) {
  if (error) throw InternalError("[jit] " + llvm::toString(std::move(error)));
}

}  // namespace

struct Jit::State {
  std::mutex mutex;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::map<std::string, KernelFn> known;
  size_t modules = 0;

  llvm::orc::JITDylib& add(const std::string& object) {
    llvm::orc::JITDylib& library = expect(jit->createJITDylib("kernels" + std::to_string(modules++)));
    expect(jit->addObjectFile(library, llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object.data(), object.size()))));
    return library;
  }
};

Jit::Jit(Isa isa) : isa_(isa), state_(new State) {
  if (isa == Isa::none) return;
  state_->machine = target_machine(isa);
  state_->jit = expect(llvm::orc::LLJITBuilder()
                           .setJITTargetMachineBuilder(llvm::orc::JITTargetMachineBuilder(state_->machine->getTargetTriple()))
                           .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                           .setLinkProcessSymbolsByDefault(false)
                           .create());
}

Jit::~Jit() = default;

std::vector<KernelFn> Jit::compile(std::span<const KernelRequest> requests) {
  std::vector<KernelFn> result(requests.size(), nullptr);
  if (isa_ == Isa::none) return result;
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  std::vector<std::string> symbols(requests.size());
  std::vector<std::string> fresh;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = new_module(context, "kernels", *s.machine);
  for (size_t i = 0; i < requests.size(); ++i) {
    if (!can_emit(requests[i].body, isa_)) continue;
    symbols[i] = kernel_symbol(hash(requests[i].body), requests[i].form, isa_);
    if (!s.known.try_emplace(symbols[i], nullptr).second) continue;
    emit_kernel(*module, requests[i], isa_)->setVisibility(llvm::GlobalValue::DefaultVisibility);
    fresh.push_back(symbols[i]);
  }
  if (!fresh.empty()) {
    optimize(*module, *s.machine);
    const std::string object = emit_object(*module, *s.machine);
    llvm::orc::JITDylib& library = s.add(object);
    for (const std::string& symbol : fresh) s.known[symbol] = expect(s.jit->lookup(library, symbol)).toPtr<KernelFn>();
  }
  for (size_t i = 0; i < requests.size(); ++i)
    if (!symbols[i].empty()) result[i] = s.known[symbols[i]];
  return result;
}

void* Jit::load(const std::string& object, const std::string& symbol) {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  return expect(s.jit->lookup(s.add(object), symbol)).toPtr<void*>();
}

KernelFn Jit::compile(const Body& expanded, Form form) {
  const KernelRequest request{expanded, form};
  return compile(std::span(&request, 1))[0];
}

}  // namespace monograph
