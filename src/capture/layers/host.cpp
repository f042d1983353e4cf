// LayerHost: converts values of the evaluator (layers, functions, classes, plain values) to the HostValues that the script compiler understands.
#include <algorithm>

#include "capture/layers/program.h"
#include "core/dtype.h"
#include "exec/interpreter.h"

namespace monograph::capture::layers {

using script::HostModule;
using script::HostValue;
using Kind = HostValue::Kind;

namespace {

HostValue named(Kind kind, std::string text) {
  HostValue v;
  v.kind = kind, v.text = std::move(text);
  return v;
}
HostValue numbered(Kind kind, int64_t id) {
  HostValue v;
  v.kind = kind, v.id = id;
  return v;
}
HostValue type_value(ir::TypeKind kind) {
  HostValue v;
  v.kind = Kind::Type, v.type = kind;
  return v;
}
bool is_any(const ClassValue& type, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return is_subclass(const_cast<ClassValue&>(type), name); });
}

}  // namespace

LayerHost::LayerHost(const IValue& root) {
  const std::function<void(const IValue&, const std::string&)> walk = [&](const IValue& at, const std::string& path) {
    const auto* layer = as<LayerValue>(at);
    if (!layer || !paths_.emplace(layer, path).second) return;
    for (const auto& [key, value] : layer->modules.pairs())
      walk(value, path.empty() ? key.to_string() : concat(path, ".", key.to_string()));
  };
  walk(root, "");
}

int64_t LayerHost::add(const IValue& v) {
  for (size_t k = 0; k < values_.size(); ++k)
    if (values_[k].object() == v.object()) return static_cast<int64_t>(k);
  values_.push_back(v);
  return static_cast<int64_t>(values_.size()) - 1;
}

// A name that the sources use but do not define, such as torch.relu or math.sqrt.
HostValue LayerHost::native(const std::string& full) {
  const size_t dot = full.rfind('.');
  const std::string space = dot == std::string::npos ? std::string() : full.substr(0, dot),
                    name = full.substr(dot == std::string::npos ? 0 : dot + 1);
  if (space == "builtins") {
    if (name.ends_with("Error") || name == "Exception") return named(Kind::Exception, name);
    return script::is_builtin(name) ? named(Kind::Builtin, name) : HostValue();
  }
  if (full == "_C._assume_dims") return named(Kind::Builtin, "nothing");
  if (full == "_C._is_autocast_enabled") return named(Kind::Builtin, "is_autocast_enabled");
  if (full == "_C.as_tensor") return named(Kind::Builtin, "as_tensor");
  if (full == "_C.tensor") return named(Kind::Operator, "torch.tensor");
  if (full == "warnings.warn") return named(Kind::Operator, "aten::warn");
  if (name == "dtype") return type_value(ir::TypeKind::DType);
  if (name == "device") return type_value(ir::TypeKind::Device);
  if (name == "Tensor" || name == "Parameter") return type_value(ir::TypeKind::Tensor);
  if (script::is_context(name)) return named(Kind::Context, name);
  if (space == "torch" || space == "torch._C._nn" || space == "math") return named(Kind::Operator, full);
  if (space == "functional") return named(Kind::Operator, concat("torch.functional.", name));
  if (space.starts_with("_C.")) return named(Kind::Operator, concat("aten::", name));
  if (space == "typing" || space.starts_with("collections")) return {};
  return numbered(Kind::Namespace, add(layers::native(full)));
}

HostValue LayerHost::host_value(const IValue& v) {
  if (auto* n = as<NativeValue>(v)) return native(n->name);
  if (as<SourceFile>(v)) return numbered(Kind::Namespace, add(v));
  if (as<LayerValue>(v) || as<SuperValue>(v)) return numbered(Kind::Module, add(v));
  if (as<FunctionValue>(v)) return numbered(Kind::Function, add(v));
  if (auto* b = as<BoundValue>(v)) {
    HostValue method = numbered(Kind::Method, add(b->function));
    method.self = add(b->self);
    return method;
  }
  if (auto* c = as<ClassValue>(v)) {
    if (c->named_tuple) return numbered(Kind::Class, add(v));
    return named(Kind::Refused, concat("the class ", c->name, " is not supported in a script"));
  }
  if (v.is_dict()) {
    HostValue dict;
    dict.kind = Kind::Container;
    for (const auto& [key, value] : v.pairs()) dict.parts.push_back(host_value(key)), dict.parts.push_back(host_value(value));
    return dict;
  }
  HostValue constant;
  constant.kind = Kind::Constant;
  if (!exec::add_literal(constant.constant, v)) return named(Kind::Refused, concat("a ", describe(v), " is no constant of a script"));
  return constant;
}

HostValue LayerHost::name(int64_t scope, const std::string& name) {
  const IValue& at = values_.at(static_cast<size_t>(scope));
  if (auto* f = as<FunctionValue>(at)) return host_value(Evaluator::global().look_up(f->enclosing, *f->file, name));
  auto* c = as<ClassValue>(at);
  return c ? host_value(Evaluator::global().look_up(c->file->names, *c->file, name)) : HostValue();
}

HostValue LayerHost::attribute(int64_t id, const std::string& name) {
  const IValue at = values_.at(static_cast<size_t>(id));
  if (auto* layer = as<LayerValue>(at)) {
    if (std::optional<HostValue> v = instance_value(*layer, name)) return *v;
    return of_class(at, resolution_order(*layer->type), name);
  }
  if (auto* s = as<SuperValue>(at)) {
    if (std::optional<HostValue> v = instance_value(*s->self, name)) return *v;
    std::vector<ClassValue*> order = resolution_order(*s->self->type);
    order.erase(order.begin(), std::ranges::find(order, s->method_class) + 1);
    return of_class(IValue(Ref<ObjectBox>(s->self)), order, name);
  }
  return host_value(Evaluator::global().attribute(at, name));
}

// An attribute stored in the instance: a tensor, a module, its mode, or another value.
std::optional<HostValue> LayerHost::instance_value(LayerValue& layer, const std::string& name) {
  const std::string& path = paths_.at(&layer);
  const auto tensor = [&](const IValue& v) {
    if (v.is_none()) return host_value(v);
    HostValue out = named(Kind::Tensor, path.empty() ? name : concat(path, ".", name));
    out.type = ir::TypeKind::Tensor;
    return out;
  };
  if (const IValue* v = find_key(layer.parameters, name)) return tensor(*v);
  if (const IValue* v = find_key(layer.buffers, name)) return tensor(*v);
  if (const IValue* v = find_key(layer.modules, name)) return host_value(*v);
  if (name == ir::kTraining) {
    if (!modes_run) return host_value(layer.training);
    HostValue out = named(Kind::Tensor, path.empty() ? name : concat(path, ".", name));
    out.type = ir::TypeKind::Bool;
    return out;
  }
  if (const IValue* v = find_key(layer.attributes, name)) return v->is_tensor() ? tensor(*v) : host_value(*v);
  return {};
}

HostValue LayerHost::of_class(const IValue& self, const std::vector<ClassValue*>& order, const std::string& name) {
  const IValue* found = find_member(order, name);
  if (!found) return {};
  auto* f = as<FunctionValue>(*found);
  if (!f || f->kind == FunctionValue::Kind::Static) return host_value(*found);
  HostValue v = numbered(f->kind == FunctionValue::Kind::Property ? Kind::Property : Kind::Method, add(*found));
  v.self = add(self);
  return v;
}

script::HostFunction LayerHost::function(int64_t id) {
  const auto* f = as<FunctionValue>(values_.at(static_cast<size_t>(id)));
  script::HostFunction out;
  out.source = f->file->text, out.tree = f->file->tree, out.function = f->syntax, out.scope = id, out.library = true;
  return out;
}

HostModule LayerHost::module(int64_t id) {
  HostModule out;
  const IValue at = values_.at(static_cast<size_t>(id));
  auto* layer = as<LayerValue>(at);
  if (!layer) {
    out.type = concat("super() of ", as<SuperValue>(at)->self->type->name);
    return out;
  }
  out.path = paths_.at(layer), out.type = layer->type->name;
  if (is_any(*layer->type, {"ModuleList", "Sequential", "ParameterList"})) out.kind = HostModule::Items::List;
  if (is_any(*layer->type, {"ModuleDict", "ParameterDict"})) out.kind = HostModule::Items::Dict;
  if (out.kind != HostModule::Items::None)
    for (const IValue* table : {&layer->parameters, &layer->modules})
      for (const auto& [key, value] : table->pairs()) out.items.emplace_back(key.to_string(), *instance_value(*layer, key.to_string()));
  return out;
}

HostValue LayerHost::listing(int64_t id, const std::string& method) {
  auto* layer = as<LayerValue>(values_.at(static_cast<size_t>(id)));
  HostValue out;
  if (!layer || !is_any(*layer->type, {"ModuleDict", "ParameterDict"}) || (method != "keys" && method != "values" && method != "items"))
    return out;
  out.kind = Kind::Sequence;
  for (auto& [key, value] : module(id).items) {
    HostValue pair;
    pair.kind = Kind::Sequence, pair.parts = {host_value(IValue(key)), value};
    out.parts.push_back(method == "keys" ? host_value(IValue(key)) : method == "values" ? value : pair);
  }
  return out;
}

HostValue LayerHost::super_of(int64_t id, int64_t scope) {
  const auto* f = as<FunctionValue>(values_.at(static_cast<size_t>(scope)));
  auto* made = new SuperValue();
  const IValue keep = boxed(made);
  made->self = Ref<LayerValue>(as<LayerValue>(values_.at(static_cast<size_t>(id)))), made->method_class = f->owner;
  if (!made->self || !made->method_class) return named(Kind::Refused, "super() is allowed only in a method of a class");
  return host_value(keep);
}

bool LayerHost::is_instance(int64_t id, int64_t scope, const std::string& type) {
  const auto* f = as<FunctionValue>(values_.at(static_cast<size_t>(scope)));
  Evaluator& evaluator = Evaluator::global();
  IValue at;
  for (size_t begin = 0; begin <= type.size();) {
    const size_t end = std::min(type.find('.', begin), type.size());
    const std::string part = type.substr(begin, end - begin);
    at = begin == 0 ? evaluator.look_up(f->enclosing, *f->file, part) : evaluator.attribute(at, part);
    begin = end + 1;
  }
  return evaluator.is_instance(values_.at(static_cast<size_t>(id)), at);
}

script::HostClass LayerHost::class_info(int64_t id) {
  auto* c = as<ClassValue>(values_.at(static_cast<size_t>(id)));
  script::HostClass out;
  out.kind = script::HostClass::Kind::NamedTuple, out.name = concat("__torch__.", c->full_name());
  // The fields are those of the last class in the order that declares any: the NamedTuple itself, and not a class derived from it.
  for (ClassValue* at : resolution_order(*c))
    if (!at->syntax->fields.empty()) c = at;
  out.source = c->file->text, out.tree = c->file->tree, out.syntax = c->syntax, out.scope = add(IValue(Ref<ObjectBox>(c)));
  return out;
}

int64_t LayerHost::find_class(const std::string& name) {
  for (size_t k = 0; k < values_.size(); ++k)
    if (auto* c = as<ClassValue>(values_[k]); c && concat("__torch__.", c->full_name()) == name) return static_cast<int64_t>(k);
  return -1;
}

HostValue LayerHost::default_of(int64_t scope, const std::string& parameter) {
  const auto* f = as<FunctionValue>(values_.at(static_cast<size_t>(scope)));
  if (!f) return {};
  const auto found = f->defaults.find(parameter);
  return found == f->defaults.end() ? HostValue() : host_value(found->second);
}

}  // namespace monograph::capture::layers
