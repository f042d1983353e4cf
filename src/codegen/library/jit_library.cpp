// lib/libmonograph_jit.so holds LLVM and the emitter. A process loads it at its first compile (exec/compiler.cpp), not at its start. One function is
// called through its interface; the process and the library come from one build.
#include "codegen/jit.h"

// The kernel of an expanded body for this machine, or null if no code can be emitted for it. It is kept until the process ends.
extern "C" [[gnu::visibility("default")]] monograph::KernelFn monograph_jit_compile(const monograph::Body* body,
                                                                                    monograph::KernelForm form) {
  try {
    static auto* jit = new monograph::Jit;
    return jit->compile(*body, form);
  } catch (...) {
    return nullptr;
  }
}
