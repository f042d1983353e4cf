// lib/libmonograph_jit.so: LLVM and the emitter as a part of its own, so that a process pays for them at its first compile, not at its start.
// exec/compiler.cpp loads it. One function crosses the border; both sides are of one build.
#include "codegen/jit.h"

// The kernel of an expanded body for this machine; null where there is no code for it. It lives as long as the process.
extern "C" [[gnu::visibility("default")]] monograph::KernelFn monograph_jit_compile(const monograph::Body* body, monograph::Form form) {
  try {
    static auto* jit = new monograph::Jit;
    return jit->compile(*body, form);
  } catch (...) {
    return nullptr;
  }
}
