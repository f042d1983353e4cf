// Functions, classes and modules are kept in the order in which they were added, and found by name.
#include "ir/unit.h"

namespace monograph::ir {

std::string_view to_string(Attribute::Kind kind) {
  constexpr std::string_view kNames[] = {"parameter", "buffer", "value", "module"};
  return kNames[static_cast<size_t>(kind)];
}

int Class::index_of(std::string_view attribute) const {
  for (size_t i = 0; i < attributes.size(); ++i)
    if (attributes[i].name == attribute) return static_cast<int>(i);
  return -1;
}

const Module* Module::find(std::string_view path, int& attribute) const {
  const Module* m = this;
  for (;;) {
    size_t dot = path.find('.');
    int k = m->type().index_of(path.substr(0, dot));
    if (k < 0) return nullptr;
    if (dot == std::string_view::npos) return attribute = k, m;
    m = m->values[static_cast<size_t>(k)].module;
    if (!m) return nullptr;
    path.remove_prefix(dot + 1);
  }
}

const Module::Value* Module::value_at(std::string_view path) const {
  int at = -1;
  const Module* m = find(path, at);
  return m ? &m->values[static_cast<size_t>(at)] : nullptr;
}

const Module* Module::holder(std::string_view path, std::string_view name) const {
  if (path == name) return type().index_of(name) < 0 ? this : nullptr;
  if (path.size() <= name.size() || !path.ends_with(name) || path[path.size() - name.size() - 1] != '.') return nullptr;
  const Value* value = value_at(path.substr(0, path.size() - name.size() - 1));
  const Module* m = value ? value->module : nullptr;
  return m && m->type().index_of(name) < 0 ? m : nullptr;
}

Graph* Unit::add_function(std::string_view name) { return add_function(std::make_unique<Graph>(name, this)); }
Graph* Unit::add_function(std::unique_ptr<Graph> graph) {
  MONOGRAPH_CHECK(!function_index_.contains(graph->name()), Value, "the function ", graph->name(), " is defined twice");
  graph->set_unit(this);
  function_index_[graph->name()] = graph.get();
  functions_.push_back(std::move(graph));
  return functions_.back().get();
}
Graph* Unit::find_function(std::string_view name) const {
  auto found = function_index_.find(std::string(name));
  return found == function_index_.end() ? nullptr : found->second;
}

Class* Unit::add_class(std::string_view name) {
  Class* made = try_add_class(std::string(name));
  MONOGRAPH_CHECK(made, Value, "the class ", name, " is defined twice");
  return made;
}
Class* Unit::try_add_class(std::string name) {
  auto [at, fresh] = class_index_.try_emplace(std::move(name), nullptr);
  if (!fresh) return nullptr;
  at->second = classes_.emplace_back(std::make_unique<Class>()).get();
  at->second->name = at->first;
  return at->second;
}
Class* Unit::find_class(std::string_view name) const {
  auto found = class_index_.find(std::string(name));
  return found == class_index_.end() ? nullptr : found->second;
}

Module* Unit::add_module(const Class* type) {
  modules_.push_back(std::unique_ptr<Module>(new Module(type)));
  if (!root_) root_ = modules_.back().get();
  return modules_.back().get();
}

std::unordered_map<const Module*, Module*> copy_modules(const Unit& from, Unit& to) {
  for (const auto& c : from.classes()) *to.add_class(c->name) = *c;
  std::unordered_map<const Module*, Module*> copies;
  for (const auto& m : from.modules()) {
    Module* copy = copies[m.get()] = to.add_module(to.find_class(m->type().name));
    copy->training = m->training;
  }
  for (const auto& m : from.modules())
    for (size_t k = 0; k < m->values.size(); ++k)
      copies[m.get()]->values[k] = {m->values[k].module ? copies[m->values[k].module] : nullptr, m->values[k].value};
  if (from.root()) to.set_root(copies[from.root()]);
  return copies;
}

}  // namespace monograph::ir
