// Names are looked up in the registry. The set of a single overload is made at its first use and kept.
#include "ops/overloads.h"

#include <memory>
#include <mutex>
#include <unordered_map>

#include "ops/registry.h"

namespace monograph {

const OverloadSet& single_overload(const Operator& op) {
  static std::mutex mutex;
  static auto* sets = new std::unordered_map<const Operator*, std::unique_ptr<OverloadSet>>;  // never freed, like the operators
  const std::lock_guard lock(mutex);
  std::unique_ptr<OverloadSet>& set = (*sets)[&op];
  if (!set) set = std::make_unique<OverloadSet>(OverloadSet{op.schema().name(), {&op}});
  return *set;
}

const OverloadSet* find_in_torch_ops(std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return nullptr;
  std::string full = concat(name.substr(0, dot), "::", name.substr(dot + 1));
  const size_t overload = full.find('.');
  if (overload == std::string::npos) return Registry::global().find_overloads(full);
  if (full.ends_with(".default")) full.resize(overload);
  const Operator* op = Registry::global().find(full);
  return op ? &single_overload(*op) : nullptr;
}

}  // namespace monograph
