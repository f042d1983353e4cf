// The table is written by one thread while the registry is filled, and only read after that.
#include "ops/torchscript_names.h"

#include <unordered_map>

namespace monograph {
namespace {
std::unordered_map<std::string, const char*>& reasons() {
  static std::unordered_map<std::string, const char*> known;
  return known;
}
}  // namespace

void no_torchscript(std::string_view name, const char* reason) { reasons().insert_or_assign(std::string(name), reason); }

const char* why_no_torchscript(const std::string& name) {
  const auto found = reasons().find(name);
  return found == reasons().end() ? nullptr : found->second;
}

}  // namespace monograph
