// lib/libmonograph_jit.so holds LLVM and the emitter. A process loads it at its first compile (exec/compiler.cpp), not at its start. One function is
// called across the border; both sides come from one build.
#include "codegen/jit.h"

// The kernel of an expanded body for this machine; null where there is no code for it. It lives as long as the process.
extern "C" [[gnu::visibility("default")]] monograph::KernelFn monograph_jit_compile(const monograph::Body* body,
                                                                                    monograph::KernelForm form) {
  try {
    static auto* jit = new monograph::Jit;
    return jit->compile(*body, form);
  } catch (...) {
    return nullptr;
  }
}
