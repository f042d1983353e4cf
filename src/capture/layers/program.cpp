// Builds the Unit of a tree of layers, and compiles methods when they are first asked for: one graph for each combination of modes and attribute values.
#include "capture/layers/program.h"

#include <algorithm>

#include "capture/script/compiler.h"
#include "exec/interpreter.h"

namespace monograph::capture::layers {

LayerProgram::LayerProgram(IValue root) : root_(std::move(root)) { unit_ = made_unit(&places_); }

bool LayerProgram::has_forward(const LayerValue& layer) { return find_member(resolution_order(*layer.type), "forward") != nullptr; }

namespace {

ir::Type type_of_value(const IValue& v) {
  ir::Args args;
  return exec::add_literal(args, v) ? ir::type_of(args[0]) : ir::Type();
}

}  // namespace

// An ir::Class has a fixed list of attributes. Two layers of one Python class with different attributes get two ir::Classes.
std::unique_ptr<ir::Unit> LayerProgram::made_unit(std::map<const ir::Module*, LayerValue*>* places) const {
  auto unit = std::make_unique<ir::Unit>();
  std::map<std::string, const ir::Class*> classes;
  std::map<const LayerValue*, ir::Module*> made;
  const std::function<ir::Module*(LayerValue&)> add = [&](LayerValue& layer) {
    if (const auto known = made.find(&layer); known != made.end()) return known->second;
    std::vector<ir::Attribute> attributes;
    std::vector<ir::Module::Value> values;
    const auto put = [&](const std::string& name, ir::Attribute::Kind kind, const IValue& v) {
      ir::Module::Value held;
      if (auto* inner = as<LayerValue>(v)) held.module = add(*inner);
      else if (!exec::add_literal(held.value, v)) return;
      ir::Attribute a;
      a.name = name, a.kind = kind;
      if (kind == ir::Attribute::Kind::Parameter || kind == ir::Attribute::Kind::Buffer) a.type = ir::TypeKind::Tensor;
      else if (kind == ir::Attribute::Kind::Value) a.type = type_of_value(v);
      attributes.push_back(std::move(a)), values.push_back(std::move(held));
    };
    using Kind = ir::Attribute::Kind;
    for (const auto& [key, value] : layer.parameters.pairs()) put(key.to_string(), value.is_none() ? Kind::Value : Kind::Parameter, value);
    for (const auto& [key, value] : layer.buffers.pairs()) put(key.to_string(), value.is_none() ? Kind::Value : Kind::Buffer, value);
    for (const auto& [key, value] : layer.attributes.pairs()) put(key.to_string(), Kind::Value, value);
    for (const auto& [key, value] : layer.modules.pairs()) put(key.to_string(), value.is_none() ? Kind::Value : Kind::Module, value);
    std::string signature = concat("__torch__.", layer.type->full_name());
    for (const ir::Attribute& a : attributes) signature += concat("\n", a.name, static_cast<int>(a.kind));
    const ir::Class*& type = classes[signature];
    if (!type) {
      std::string name = concat("__torch__.", layer.type->full_name());
      for (int k = 0; unit->find_class(name); ++k) name = concat("__torch__.", layer.type->full_name(), "_", k);
      ir::Class* c = unit->add_class(name);
      c->is_module = true, c->attributes = std::move(attributes);
      type = c;
    }
    ir::Module* m = unit->add_module(type);
    m->training = layer.training, m->values = std::move(values);
    made.emplace(&layer, m);
    if (places) places->emplace(m, &layer);
    return m;
  };
  unit->set_root(add(*as<LayerValue>(root_)));
  return unit;
}

std::unique_ptr<ir::Graph> LayerProgram::compiled(LayerHost& host, LayerValue& layer, const std::string& name) const {
  const auto lock = Evaluator::global().lock();
  const int64_t self = host.add(IValue(Ref<ObjectBox>(&layer)));
  const script::HostValue method = host.attribute(self, name);
  MONOGRAPH_CHECK(method.kind == script::HostValue::Kind::Method, Attribute, layer.type->name, " has no method '", name, "'");
  std::unique_ptr<ir::Graph> graph = script::compile_method(host, host.function(method.id), self);
  graph->set_dialect(ir::Dialect::TorchScript);
  return graph;
}

ir::Graph& LayerProgram::method(const ir::Module& module, const std::string& name) {
  const IValue self{Ref<ObjectBox>(places_.at(&module))};
  std::string full = concat(name, " of ", reinterpret_cast<uintptr_t>(&module), " ", changes_, " ");
  for (const auto& m : unit_->modules()) full += m->training ? '1' : '0';
  if (ir::Graph* known = unit_->find_function(full)) return *known;
  LayerHost host(root_);
  std::unique_ptr<ir::Graph> graph = compiled(host, *as<LayerValue>(self), name);
  graph->set_name(full);
  return *unit_->add_function(std::move(graph));
}

void LayerProgram::set_training(ir::Module& module, bool on) { module.training = places_.at(&module)->training = on; }

void LayerProgram::set_attribute(ir::Module& module, const std::string& name, const IValue& value) {
  LayerValue& layer = *places_.at(&module);
  for (IValue* table : {&layer.parameters, &layer.buffers, &layer.attributes})
    if (IValue* known = find_key(*table, name)) *known = value;
  ir::Args held;
  exec::add_literal(held, value);
  module.values[static_cast<size_t>(module.type().index_of(name))].value = std::move(held);
  ++changes_;
}

std::pair<std::unique_ptr<ir::Unit>, bool> LayerProgram::for_file() const {
  LayerValue& root = *as<LayerValue>(root_);
  for (const bool modes_run : {true, false}) {
    std::unique_ptr<ir::Unit> unit = made_unit(nullptr);
    LayerHost host(root_);
    host.modes_run = modes_run;
    try {
      std::unique_ptr<ir::Graph> graph = compiled(host, root, "forward");
      graph->set_name("forward");
      unit->add_function(std::move(graph));
      script::add_classes(*unit, host);
      return {std::move(unit), !modes_run};
    } catch (const Error&) {
      if (!modes_run) throw;
    }
  }
  return {};
}

}  // namespace monograph::capture::layers
