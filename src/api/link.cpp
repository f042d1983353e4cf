// Every program that uses the API gets the generated kernels. The layers below refer to the kernels' tables weakly, because their tests run without
// them; a linker takes nothing out of an archive for a weak reference. The references in this file are strong, and every call of the API needs start().
#include "api/access.h"
#include "autograd/engine.h"

namespace monograph {
struct KernelTables;
struct MatmulTables;
}  // namespace monograph
extern "C" const monograph::KernelTables monograph_kernel_tables;
extern "C" const monograph::MatmulTables monograph_matmul_tables;

namespace monograph::api {
namespace {

[[gnu::used]] const void* const kLinked[] = {&monograph_kernel_tables, &monograph_matmul_tables};

}  // namespace

void start() {
  static const bool ready = [] {
    capture::use_operators();
    install_autograd();
    return true;
  }();
  (void)ready;
}

}  // namespace monograph::api
