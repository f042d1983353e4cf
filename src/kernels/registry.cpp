// Finds kernels by hash. Each generated object has one sorted table; the tables are searched from the highest instruction set of this machine down.
#include "kernels/registry.h"

#include <algorithm>

MONOGRAPH_GENERATED_TABLE monograph::KernelTables monograph_kernel_tables;

namespace monograph {
namespace {

// Last first: later tables are for higher instruction sets.
template <class F>
void for_usable_tables(F&& f) {
  const KernelTables* all = &monograph_kernel_tables;
  if (!all) return;
  for (uint64_t i = all->count; i-- > 0;)
    if (all->tables[i].isa <= host_isa() && f(all->tables[i])) return;
}

bool before(const KernelEntry& e, std::pair<uint64_t, KernelForm> key) {
  return e.body_hash != key.first ? e.body_hash < key.first : e.form < key.second;
}

}  // namespace

KernelFn find_kernel(uint64_t body_hash, KernelForm form) {
  KernelFn found = nullptr;
  for_usable_tables([&](const KernelTable& table) {
    const KernelEntry* end = table.entries + table.count;
    const KernelEntry* e = std::lower_bound(table.entries, end, std::pair(body_hash, form), before);
    if (e != end && e->body_hash == body_hash && e->form == form) found = e->fn;
    return found != nullptr;
  });
  return found;
}

uint64_t kernel_count() {
  uint64_t count = 0;
  for_usable_tables([&](const KernelTable& table) {
    count = std::max<uint64_t>(count, table.count);  // a higher instruction set may leave some kernels to a lower one
    return false;
  });
  return count;
}

}  // namespace monograph

#ifdef MONOGRAPH_GENERATED_KERNELS
extern "C" monograph::KernelFn monograph_find_loop(uint64_t body_hash, int32_t form) {  // include/monograph/kernels.h
  return monograph::find_kernel(body_hash, static_cast<monograph::KernelForm>(form));
}
#endif
