// The kernels that tools/kernelgen generated at build time, found by the key of their body.
#pragma once

#include <cstdint>

#include "kernels/body.h"
#include "kernels/isa.h"

namespace monograph {

struct KernelEntry {
  uint64_t body_hash;
  Form form;
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
KernelFn find_kernel(uint64_t body_hash, Form form);

// The number of generated kernels that this machine runs.
uint64_t kernel_count();

}  // namespace monograph

// Made by kernelgen, in an object that programs are linked with by its name; a program without it runs everything in the evaluator.
extern "C" [[gnu::weak]] const monograph::KernelTables monograph_kernel_tables;
