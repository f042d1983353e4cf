#include "kernels/registry.h"

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "kernels/isa.h"

namespace monograph {
namespace {

struct Found {
  KernelFn fn;
  int level;
};
struct Table {
  std::shared_mutex mutex;
  std::unordered_map<uint64_t, Found> kernels;
};
Table& table() {
  static auto* t = new Table;  // outlives every static kernel
  return *t;
}

uint64_t key(uint64_t body_hash, Form form) { return body_hash * 4 + static_cast<uint64_t>(form); }

}  // namespace

void register_kernels(std::span<const KernelEntry> entries, int level) {
  if (level > static_cast<int>(host_isa()) + 1) return;
  Table& t = table();
  std::unique_lock lock(t.mutex);
  for (const KernelEntry& e : entries) {
    auto [place, is_new] = t.kernels.try_emplace(key(e.body_hash, static_cast<Form>(e.form)), Found{e.fn, level});
    if (!is_new && place->second.level <= level) place->second = {e.fn, level};
  }
}

KernelFn find_kernel(uint64_t body_hash, Form form) {
  Table& t = table();
  std::shared_lock lock(t.mutex);
  auto found = t.kernels.find(key(body_hash, form));
  return found == t.kernels.end() ? nullptr : found->second.fn;
}

size_t kernel_count() {
  Table& t = table();
  std::shared_lock lock(t.mutex);
  return t.kernels.size();
}

}  // namespace monograph
