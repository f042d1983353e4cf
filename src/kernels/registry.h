// The kernels that tools/kernelgen generated at build time, found by the key of their body. Their tables are objects that a program is linked
// with or not: without them it runs everything in the evaluator. So the references to them are weak, as kernelgen itself and the tests of the
// lower layers need it. In the libraries that are shipped they are strong (cmake/Kernels.cmake), since a linker takes nothing out of an archive
// for a weak reference.
#pragma once

#include <cstdint>

#include "kernels/body.h"
#include "kernels/isa.h"

#ifdef MONOGRAPH_GENERATED_KERNELS
#define MONOGRAPH_GENERATED_TABLE extern "C" const
#else
#define MONOGRAPH_GENERATED_TABLE extern "C" [[gnu::weak]] const
#endif

namespace monograph {

struct KernelEntry {
  uint64_t body_hash;
  KernelForm form;
  KernelFn fn;
};

// The kernels of one instruction set, sorted by hash, then form.
struct KernelTable {
  Isa isa;
  uint64_t count;
  const KernelEntry* entries;
};

// All tables of a build, in ascending order of instruction sets.
struct KernelTables {
  uint64_t count;
  const KernelTable* tables;
};

// The kernel for the best instruction set that this machine runs, or null: then the evaluator serves. `body_hash` is that of the expanded body.
KernelFn find_kernel(uint64_t body_hash, KernelForm form);

// The number of generated kernels that this machine runs.
uint64_t kernel_count();

}  // namespace monograph
