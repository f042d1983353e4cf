// Kernels compiled in this process, where the part that holds LLVM is installed.
#pragma once

#include <string>

#include "kernels/body.h"

namespace monograph::exec {

// The kernel of an expanded body; null where there is none: then the body's operators run one by one. The first call loads
// libmonograph_jit.so from the folder of this code, its lib/ or the lib/ beside it, else from where the system's loader finds it: a program
// that is linked with an installed copy has that folder as its rpath. Any thread may call it.
KernelFn compile_kernel(const Body& expanded, KernelForm form);
// Why there is no compiler; "" where there is one.
const std::string& why_no_compiler();

}  // namespace monograph::exec
