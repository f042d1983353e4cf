// Looks names up in node_names.inc, which tools/oracle/freeze_gradient_names.py derives from PyTorch. An in-place form has the name of its functional form.
#include "autograd/node_names.h"

#include <cctype>
#include <string_view>
#include <unordered_map>

namespace monograph {

const char* pytorchs_node_name(const Operator& op) {
  static const std::unordered_map<std::string_view, const char*> kNames = {
#include "autograd/node_names.inc"
  };
  const auto found = kNames.find((op.functional ? *op.functional : op).name());
  return found == kNames.end() ? nullptr : found->second;
}

std::string node_name(const Operator& op) {
  if (const char* known = pytorchs_node_name(op)) return known;
  std::string camel;
  bool upper = true;
  for (char c : op.base_name()) {
    if (c != '_') camel += upper ? static_cast<char>(std::toupper(c)) : c;
    upper = c == '_' || (c >= '0' && c <= '9');
  }
  return camel + "Backward0";
}

}  // namespace monograph
