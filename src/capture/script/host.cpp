// The names of a text from C++: torch, math, the builtin functions and types, and the functions and classes of the text itself.
#include "capture/script/host.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "core/dtype.h"
#include "ops/registry.h"
#include "ops/tensor_facts.h"

namespace monograph::capture::script {
namespace {

// The modules that a text may name; their places here are their ids.
constexpr std::string_view kModules[] = {"torch", "math",     "torch.nn", "torch.nn.functional", "torch.special", "torch.jit", "typing",
                                         "ops",   "ops.prim", "ops.aten"};

HostValue module_of(std::string_view name) {
  HostValue v;
  const auto* at = std::ranges::find(kModules, name);
  if (at != std::end(kModules)) v.kind = HostValue::Kind::Namespace, v.id = at - std::begin(kModules);
  return v;
}
HostValue constant(const ir::Args& value) {
  HostValue v;
  v.kind = HostValue::Kind::Constant, v.constant = value;
  return v;
}
ir::Args printed_number(double value, std::string_view name) {
  return name.ends_with('j') ? ir::Args(std::complex<double>(0, value)) : ir::Args(value);
}
HostValue type_value(ir::Type type) {
  HostValue v;
  v.kind = HostValue::Kind::Type, v.type = type;
  return v;
}

}  // namespace

bool is_context(std::string_view name) {
  static constexpr std::string_view kNames[] = {"no_grad",          "enable_grad",     "inference_mode",
                                                "set_grad_enabled", "record_function", "autocast"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

bool is_builtin(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "len",    "range", "int",   "float",  "bool",    "str",      "print",   "isinstance", "min",       "max",  "abs",
      "sum",    "round", "list",  "tuple",  "dict",    "sorted",   "any",     "all",        "enumerate", "zip",  "reversed",
      "ord",    "chr",   "pow",   "divmod", "hasattr", "getattr",  "complex", "hash",       "id",        "type", "map",
      "filter", "set",   "super", "repr",   "slice",   "callable", "iter",    "next",       "hex",       "oct",  "bin"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

HostValue TextHost::name(int64_t /*scope*/, const std::string& name) {
  HostValue v;
  for (size_t k = 0; k < tree_->functions.size(); ++k)
    if (tree_->functions[k]->name == name) v.kind = HostValue::Kind::Function, v.id = static_cast<int64_t>(k);
  for (size_t k = 0; k < tree_->classes.size(); ++k)
    if (tree_->classes[k].name == name) v.kind = HostValue::Kind::Class, v.id = static_cast<int64_t>(k);
  if (v.kind != HostValue::Kind::Missing) return v;
  if (name == "F") return module_of("torch.nn.functional");
  if (name == "Tensor") return type_value(ir::TypeKind::Tensor);
  if (HostValue module = module_of(name); module.kind != HostValue::Kind::Missing) return module;
  if (is_builtin(name)) v.kind = HostValue::Kind::Builtin, v.text = name;
  if (name.ends_with("Error") || name == "Exception") v.kind = HostValue::Kind::Exception, v.text = name;
  // Printed code has these without a module.
  if (name == "inf" || name == "infj") return constant(printed_number(std::numeric_limits<double>::infinity(), name));
  if (name == "nan" || name == "nanj") return constant(printed_number(std::numeric_limits<double>::quiet_NaN(), name));
  return v;
}

HostValue TextHost::attribute(int64_t id, const std::string& name) {
  const std::string_view module = kModules[static_cast<size_t>(id)];
  if (module == "math") {
    if (name == "pi") return constant(ir::Args(std::numbers::pi));
    if (name == "e") return constant(ir::Args(std::numbers::e));
    if (name == "tau") return constant(ir::Args(2 * std::numbers::pi));
    if (name == "inf") return constant(ir::Args(std::numeric_limits<double>::infinity()));
    if (name == "nan") return constant(ir::Args(std::numeric_limits<double>::quiet_NaN()));
  }
  if (module == "torch") {
    DType dtype;
    if (parse_dtype(name, dtype)) return constant(ir::Args(dtype));
    if (name == "Tensor") return type_value(ir::TypeKind::Tensor);
    if (name == "device") return type_value(ir::TypeKind::Device);
    if (name == "contiguous_format") return constant(ir::Args(MemoryFormat::Contiguous));
    if (name == "channels_last") return constant(ir::Args(MemoryFormat::ChannelsLast));
    if (name == "preserve_format") return constant(ir::Args(MemoryFormat::Preserve));
    if (name == "strided") return constant(ir::Args().layout());
    if (const auto number = layout_number(name)) return constant(ir::Args(int64_t{*number}));
  }
  if (HostValue inner = module_of(concat(module, ".", name)); inner.kind != HostValue::Kind::Missing) return inner;
  HostValue v;
  if (module == "torch" && is_context(name)) {
    v.kind = HostValue::Kind::Context, v.text = name;
    return v;
  }
  if (module == "torch.jit" && (name == "fork" || name == "wait")) {
    v.kind = HostValue::Kind::Builtin, v.text = name;
    return v;
  }
  if (module == "torch.jit" && name == "_unwrap_optional") {
    v.kind = HostValue::Kind::Operator, v.text = "aten::_unwrap_optional";
    return v;
  }
  if (module == "torch.jit" || module == "typing" || module == "torch.nn" || module == "ops") return v;
  if (module.starts_with("ops.")) {
    v.kind = HostValue::Kind::Operator, v.text = concat(module.substr(4), "::", name);
    return v;
  }
  v.kind = HostValue::Kind::Operator, v.text = concat(module, ".", name);
  return v;
}

HostClass TextHost::class_info(int64_t id) {
  HostClass c;
  c.syntax = &tree_->classes[static_cast<size_t>(id)];
  c.source = source_, c.tree = tree_;
  c.name = concat("__torch__.", c.syntax->name);
  auto named = [](const Expr* e, std::string_view word) {
    return (e->kind == SyntaxKind::Name || e->kind == SyntaxKind::Attribute) && e->text == word;
  };
  for (const Expr* base : c.syntax->bases) {
    if (named(base, "NamedTuple")) c.kind = HostClass::Kind::NamedTuple;
    if (named(base, "Enum") || named(base, "IntEnum")) c.kind = HostClass::Kind::Enum;
  }
  for (const Expr* decorator : c.syntax->decorators)
    c.dataclass = c.dataclass || named(decorator->kind == SyntaxKind::Call ? decorator->parts[0] : decorator, "dataclass");
  return c;
}

int64_t TextHost::find_class(const std::string& name) {
  for (size_t k = 0; k < tree_->classes.size(); ++k)
    if (concat("__torch__.", tree_->classes[k].name) == name) return static_cast<int64_t>(k);
  return -1;
}

HostFunction TextHost::function(int64_t id) { return {source_, tree_, tree_->functions[static_cast<size_t>(id)], 0}; }

}  // namespace monograph::capture::script
