// Finds a kernel that tools/kernelgen generated at build time, by the hash of its body. A program may be linked without the tables of these kernels;
// then the evaluator runs everything. So the references to the tables are weak: kernelgen itself and the tests of the lower layers have no tables. In
// the shipped libraries the references are strong (cmake/Kernels.cmake), since a weak reference does not make a linker take an object out of an
// archive.
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

// The kernel for the highest instruction set that this machine runs, or null if there is none; then use the evaluator. `body_hash` is the hash of the
// expanded body.
KernelFn find_kernel(uint64_t body_hash, KernelForm form);

// The number of generated kernels that this machine runs.
uint64_t kernel_count();

}  // namespace monograph
