// Looks names up in node_names.inc, which tools/oracle/freeze_gradient_names.py derives from PyTorch. An in-place form has the name of its functional form.
#include "autograd/node_names.h"

#include <cctype>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace monograph {
namespace {

struct KnownName {
  std::string_view op, arguments;  // as "2,2,1" (see arguments_of); empty: all others
  const char* name;
};

using KnownNames = std::unordered_map<std::string_view, std::vector<KnownName>>;

KnownNames table() {
  static constexpr KnownName kLines[] = {
#include "autograd/node_names.inc"
  };
  KnownNames by_op;
  for (const KnownName& line : kLines) by_op[line.op].push_back(line);
  return by_op;
}

// What the name may depend on, a word for each argument: the number of a tensor's dims, T or F for a bool, - for None, and . for everything else.
std::string arguments_of(std::span<const IValue> args) {
  std::string words;
  for (const IValue& v : args) {
    if (!words.empty()) words += ',';
    if (v.is_tensor()) words += std::to_string(v.as_tensor().dim());
    else words += v.is_bool() ? v.to_bool() ? "T" : "F" : v.is_none() ? "-" : ".";
  }
  return words;
}

// linear takes inputs of any number of dims.
const char* linear_name(std::span<const IValue> args) {
  const size_t dims = args[0].as_tensor().dim();
  const bool bias = args[2].is_tensor();
  if (args[1].as_tensor().dim() == 1)
    return bias ? "AddBackward0" : dims == 1 ? "DotBackward0" : dims == 2 ? "MvBackward0" : "UnsafeViewBackward0";
  if (dims == 2) return bias ? "AddmmBackward0" : "MmBackward0";
  return bias ? "ViewBackward0" : dims == 1 ? "SqueezeBackward4" : "UnsafeViewBackward0";
}

}  // namespace

const char* pytorchs_node_name(const Operator& op, std::span<const IValue> args) {
  // In-place forms that have a formula of their own.
  static constexpr std::pair<std::string_view, const char*> kInPlace[] = {{"aten::zero_", "ZeroBackward0"},
                                                                          {"aten::fill_.Scalar", "FillBackward2"},
                                                                          {"aten::fill_.Tensor", "FillBackward3"},
                                                                          {"aten::copy_", "CopyBackwards"}};
  if (op.functional || op.base_name().ends_with('_'))
    for (const auto& [in_place, name] : kInPlace)
      if (op.name() == in_place) return name;
  if (op.base_name() == "linear" && args[1].is_tensor()) return linear_name(args);
  static const KnownNames kNames = table();
  const auto found = kNames.find((op.functional ? *op.functional : op).name());
  if (found == kNames.end()) return nullptr;
  const KnownName& first = found->second.front();
  if (found->second.size() == 1 && first.arguments.empty()) return first.name;
  const std::string given = arguments_of(args);
  for (const KnownName& line : found->second)
    if (line.arguments == given) return line.name;
  return first.arguments.empty() ? first.name : nullptr;
}

std::string node_name(const Operator& op, std::span<const IValue> args) {
  if (const char* known = pytorchs_node_name(op, args)) return known;
  std::string camel;
  bool upper = true;
  for (char c : op.base_name()) {
    if (c != '_') camel += upper ? static_cast<char>(std::toupper(c)) : c;
    upper = c == '_' || (c >= '0' && c <= '9');
  }
  return camel + "Backward0";
}

}  // namespace monograph
