// Two kinds of ScriptProgram: ArchiveProgram compiles the methods of an archive when they are first called, and UnitProgram has the finished graphs of a Unit.
// (layers.cpp has a third.)
#include "api/script_program.h"

#include "formats/open.h"
#include "ops/objects.h"
#include "ops/pointwise.h"
#include "ops/tensor_data.h"

namespace monograph::api {

namespace {

std::vector<std::string> input_names(const ir::Graph& g) {
  std::vector<std::string> names;
  for (const ir::Node* p : g.placeholders()) names.push_back(p->target().name());
  return names;
}

class ArchiveProgram final : public ScriptProgram {
 public:
  using Again = std::function<std::shared_ptr<torchscript::ScriptArchive>()>;
  ArchiveProgram(std::shared_ptr<torchscript::ScriptArchive> archive, Again again)
      : archive_(std::move(archive)), again_(std::move(again)) {
    for (size_t k = 0; k < archive_->modules().size(); ++k) places_[archive_->modules()[k].made] = static_cast<int>(k);
  }
  ir::Unit& unit() override { return archive_->unit(); }
  std::vector<std::string> methods(const ir::Module& module) override {
    std::vector<std::string> names;
    if (const auto* type = archive_->modules()[place(module)].type)
      for (const auto& f : type->methods)
        if (f.name != torchscript::SourceClass::kCall) names.push_back(f.name);
    return names;
  }
  std::string called(const ir::Module& module) override {
    const auto* type = archive_->modules()[place(module)].type;
    return std::string(type ? type->called() : "forward");
  }
  ir::Graph& graph_of(const ir::Module& module, const std::string& name) override {
    ir::Graph& g = archive_->method(static_cast<int>(place(module)), name);
    made_.try_emplace(&g, Made{&module, name, g.version()});
    return g;
  }
  void set_training(ir::Module& module, bool on) override {
    if (module.training == on) return;
    for (const auto& [graph, made] : edited())
      fail(ErrorKind::Runtime, "the graph of ", made.name, " was edited for ", module.training ? "training" : "evaluation",
           "; another mode has another graph. Set the mode first, and then edit the graph");
    archive_->set_training(static_cast<int>(place(module)), on);
  }
  void set_value(ir::Module& module, const std::string& name, const monograph::IValue& value) override {
    archive_->set_attribute(static_cast<int>(place(module)), name, value);
  }
  bool reads_while_running(const ir::Module& module, const std::string& attribute) override {
    return archive_->modules()[place(module)].assigned.contains(attribute);
  }
  std::shared_ptr<ScriptProgram> copied() override {
    std::shared_ptr<torchscript::ScriptArchive> other = again_();
    exec::note_objects(unit());
    TensorCopies copies;
    for (size_t k = 0; k < archive_->modules().size(); ++k) {
      const ir::Module &from = *archive_->modules()[k].made, &to = *other->modules()[k].made;
      other->set_training(static_cast<int>(k), from.training);
      for (size_t a = 0; a < from.values.size(); ++a) {
        if (from.values[a].module || from.values[a].value.size() != 1) continue;
        const monograph::IValue now = exec::literal(from.values[a].value[0]);
        const monograph::IValue held = exec::literal(to.values[a].value[0]);
        if (now.is_tensor() && held.is_tensor()) {  // keep the copy's tensor object, because its graphs refer to it
          const monograph::Tensor made = copies.of(now.as_tensor());
          held.as_tensor()->requires_grad = false;
          set_data(held.as_tensor(), made);
          held.as_tensor()->requires_grad = now.as_tensor()->requires_grad;
        } else if (!now.is_tensor() && !held.is_tensor() && !now.is(held)) {
          other->set_attribute(static_cast<int>(k), from.type().attributes[a].name, now);
        }
      }
    }
    return archive_program(std::move(other), again_);
  }
  std::pair<std::unique_ptr<ir::Unit>, bool> for_file() override {
    std::map<std::string, const ir::Graph*> graphs;
    for (const auto& [graph, made] : edited()) {
      MONOGRAPH_CHECK(made.module == unit().root(), NotImplemented, "save: the graph of ", made.name,
                      " of a submodule was edited, but the methods of the whole module contain a copy of it. Edit those");
      graphs.emplace(made.name, graph);
    }
    return archive_->program(graphs);
  }
  bool keeps_code() override { return edited().empty() && !has_definitions(); }
  bool write_with_code(ArchiveWriter& archive, std::string_view root, const ExtraFiles& extra_files) override {
    archive_->write(archive, root, extra_files);
    return true;
  }

 private:
  struct Made {
    const ir::Module* module;
    std::string name;
    uint64_t version;
  };
  // The graphs that were edited, among those for the present modes.
  std::vector<std::pair<const ir::Graph*, Made>> edited() {
    std::vector<std::pair<const ir::Graph*, Made>> out;
    for (const auto& [graph, made] : made_)
      if (graph->version() != made.version && &archive_->method(static_cast<int>(place(*made.module)), made.name) == graph)
        out.emplace_back(graph, made);
    return out;
  }
  size_t place(const ir::Module& module) const { return static_cast<size_t>(places_.at(&module)); }
  std::shared_ptr<torchscript::ScriptArchive> archive_;
  Again again_;
  std::map<const ir::Module*, int> places_;
  std::map<const ir::Graph*, Made> made_;
};

// Copies a Unit with its modules, functions and tensors.
std::unique_ptr<ir::Unit> copy_of(const ir::Unit& from) {
  auto to = std::make_unique<ir::Unit>();
  TensorCopies copies;
  for (const auto& [module, copy] : copy_modules(from, *to))
    for (ir::Module::Value& v : copy->values) {
      if (v.module || v.value.size() != 1) continue;
      const monograph::IValue held = exec::literal(v.value[0]);
      v.value = {};
      exec::add_literal(v.value, held.is_tensor() ? monograph::IValue(copies.of(held.as_tensor())) : held);
    }
  for (const auto& f : from.functions()) to->add_function(f->clone());
  return to;
}

class UnitProgram final : public ScriptProgram {
 public:
  UnitProgram(std::unique_ptr<ir::Unit> unit, bool made_here) : unit_(std::move(unit)), made_here_(made_here) {
    if (!unit_->root()) {
      ir::Class* type = unit_->add_class("__torch__.Module");
      type->is_module = true;
      unit_->set_root(unit_->add_module(type));
    }
    // Replaces each constant by a live tensor, so that all graphs share one tensor for an attribute.
    for (const auto& m : unit_->modules())
      for (ir::Module::Value& v : m->values) {
        if (v.module || v.value.size() != 1) continue;
        const monograph::IValue held = exec::literal(v.value[0]);
        if (!held.is_tensor()) continue;
        v.value = {};
        exec::add_literal(v.value, held);
      }
  }
  ir::Unit& unit() override { return *unit_; }
  std::vector<std::string> methods(const ir::Module& module) override {
    std::vector<std::string> names;
    if (&module == unit_->root())
      for (const auto& f : unit_->functions()) names.push_back(f->name());
    if (const auto part = parts_.find(&module); part != parts_.end()) return part->second.program->all_methods(*part->second.module);
    return names;
  }
  ir::Graph& graph_of(const ir::Module& module, const std::string& name) override {
    if (const auto part = parts_.find(&module); part != parts_.end()) return part->second.program->graph(*part->second.module, name);
    ir::Graph* found = &module == unit_->root() ? unit_->find_function(name) : nullptr;
    if (found) return *found;
    std::string names;
    for (const std::string& other : methods(module)) names += monograph::concat(names.empty() ? "" : ", ", other);
    fail(ErrorKind::Attribute, module.type().name, " has no method ", shown(name),
         names.empty() ? "" : monograph::concat("; it has ", names));
  }
  void set_training(ir::Module& module, bool on) override {
    if (const auto part = parts_.find(&module); part != parts_.end()) {
      ScriptProgram& program = *part->second.program;
      program.changing([&] {
        program.forget_defined("the mode");
        program.set_training(*part->second.module, on);
      });
    }
    if (made_here()) return void(module.training = on);
    MONOGRAPH_CHECK(on == module.training, Runtime, module.type().name, " was saved or frozen for one mode, ",
                    module.training ? "training" : "evaluation", "; change the mode of the module that it was made from");
  }
  void set_value(ir::Module& module, const std::string& name, const monograph::IValue& value) override {
    ir::Args held;
    exec::add_literal(held, value);
    module.values[static_cast<size_t>(module.type().index_of(name))].value = std::move(held);
    if (InstanceBox* object = instance_of(module.object))
      if (monograph::IValue* v = object->find(name)) *v = value;
    if (const auto part = parts_.find(&module); part != parts_.end()) part->second.program->set_value(*part->second.module, name, value);
  }
  bool made_here() override { return made_here_; }
  const ir::Module& graph_root(const ir::Module& module) override {
    const auto part = parts_.find(&module);
    return part == parts_.end() ? *unit_->root() : *part->second.root;
  }
  void add_module(ir::Module& module, const std::string& name, const std::shared_ptr<ScriptProgram>& other) override {
    MONOGRAPH_CHECK(other.get() != this, Runtime, "register_module: a module cannot be a part of itself");
    const bool defined = other->made_here() && static_cast<const UnitProgram&>(*other).parts_.empty();
    for (const auto& m : other->unit().modules())
      for (size_t k = 0; k < m->values.size(); ++k)
        MONOGRAPH_CHECK(defined || m->values[k].module || !other->reads_while_running(*m, m->type().attributes[k].name), NotImplemented,
                        "register_module: ", m->type().name, " assigns its attribute '", m->type().attributes[k].name,
                        "' when it runs; register a module that assigns tensors alone");
    exec::note_objects(other->unit());
    const std::map<const ir::Module*, ir::Module*> made = add_modules_of(other->unit());
    ir::Attribute attribute;
    attribute.name = name, attribute.kind = ir::Attribute::Kind::Module;
    ir::Module::Value held;
    held.module = made.at(other->unit().root());
    add(module, std::move(attribute), std::move(held));
    if (defined) return take_definitions(*other, made);
    for (const auto& [theirs, ours] : made)
      parts_.emplace(ours, Part{other, const_cast<ir::Module*>(theirs), made.at(other->unit().root())});
  }
  bool reads_while_running(const ir::Module& module, const std::string& attribute) override {
    const int k = module.type().index_of(attribute);
    return k < 0 || !module.type().attributes[static_cast<size_t>(k)].type.is(ir::TypeKind::Tensor);
  }
  void add_attribute(ir::Module& module, ir::Attribute attribute, const monograph::IValue& value) override {
    ir::Module::Value held;
    MONOGRAPH_CHECK(exec::add_literal(held.value, value), Type, "an attribute cannot be a ", describe(value));
    const std::string name = attribute.name;
    add(module, std::move(attribute), std::move(held));
    if (InstanceBox* object = instance_of(module.object)) object->attributes.emplace_back(name, value);
  }
  std::shared_ptr<ScriptProgram> copied() override {
    MONOGRAPH_CHECK(parts_.empty(), NotImplemented, "clone: ", unit_->root()->type().name,
                    " has loaded modules that register_module gave it; save it and load the file");
    exec::note_objects(*unit_);
    return std::make_shared<UnitProgram>(copy_of(*unit_), made_here_);
  }
  std::pair<std::unique_ptr<ir::Unit>, bool> for_file() override {
    exec::note_objects(*unit_);
    return {copy_of(*unit_), true};
  }

 private:
  // What stands for a module of another program.
  struct Part {
    std::shared_ptr<ScriptProgram> program;
    ir::Module* module;  // of that program
    const ir::Module* root;  // what stands for that program's root
  };
  void add(ir::Module& module, ir::Attribute attribute, ir::Module::Value held) {
    const auto sharing = std::ranges::count_if(unit_->modules(), [&](const auto& m) { return &m->type() == &module.type(); });
    MONOGRAPH_CHECK(sharing == 1, Runtime, module.type().name, " is the class of ", sharing, " modules, so one of them gets no attribute");
    MONOGRAPH_CHECK(module.type().index_of(attribute.name) < 0, Runtime, "attribute '", attribute.name, "' already exists");
    const auto type = std::ranges::find(unit_->classes(), &module.type(), [](const auto& c) { return c.get(); });
    (*type)->attributes.push_back(std::move(attribute));
    module.values.push_back(std::move(held));
  }
  // Modules for those of another Unit, with classes of their own: the first gets a number behind its name where another one has it.
  std::map<const ir::Module*, ir::Module*> add_modules_of(const ir::Unit& from) {
    std::map<const ir::Class*, ir::Class*> classes;
    for (const auto& c : from.classes()) {
      if (!c->is_module && unit_->find_class(c->name)) continue;
      std::string name = c->name;
      for (int k = 0; unit_->find_class(name); ++k) name = monograph::concat(c->name, "_", k);
      ir::Class* copy = classes[c.get()] = unit_->add_class(name);
      copy->is_module = c->is_module, copy->attributes = c->attributes;
    }
    std::map<const ir::Module*, ir::Module*> made;
    for (const auto& m : from.modules()) {
      made[m.get()] = unit_->add_module(classes.at(&m->type()));
      made[m.get()]->training = m->training;
    }
    for (const auto& m : from.modules())
      for (size_t k = 0; k < m->values.size(); ++k) {
        ir::Module::Value& v = made[m.get()]->values[k];
        if (m->values[k].module) v.module = made[m->values[k].module];
        else if (m->values[k].value.size() == 1) exec::add_literal(v.value, exec::literal(m->values[k].value[0]));
      }
    return made;
  }

  std::unique_ptr<ir::Unit> unit_;
  bool made_here_;
  std::map<const ir::Module*, Part> parts_;
};

}  // namespace

ir::Graph& ScriptProgram::graph(const ir::Module& module, const std::string& name) {
  const std::unique_lock lock(mutex_);
  return any_graph(module, name);
}

std::shared_ptr<const ScriptProgram::Plan> ScriptProgram::plan(const ir::Module& module, const std::string& name) {
  const std::pair key(&module, name);
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = plans_.find(key); found != plans_.end() && found->second->graph->version() == found->second->version)
      return found->second;
  }
  const std::unique_lock lock(mutex_);
  std::shared_ptr<const Plan>& plan = plans_[key];
  if (plan && plan->graph->version() == plan->version) return plan;
  ir::Graph& g = any_graph(module, name);
  const uint64_t version = g.version();
  plan = std::make_shared<const Plan>(Plan{&g, version, exec::plan(g), input_names(g)});
  return plan;
}

monograph::Tensor TensorCopies::of(const monograph::Tensor& t) {
  monograph::Tensor& made = tensors_[t.impl()];
  if (made.defined()) return made;
  Ref<TensorImpl> impl(new TensorImpl());
  impl->sizes = t->sizes, impl->strides = t->strides, impl->offset = t->offset, impl->dtype = t.dtype(), impl->device = t.device();
  impl->is_parameter = t->is_parameter, impl->requires_grad = t->requires_grad;
  impl->refresh();
  if (t->storage) {
    Ref<Storage>& storage = storages_[t->storage.get()];
    if (!storage) {
      storage = Ref<Storage>(new Storage(t->storage->bytes()));
      std::copy_n(t->storage->data(), t->storage->bytes(), storage->data());
    }
    impl->storage = storage;
  }
  return made = monograph::Tensor(impl);
}

std::shared_ptr<ScriptProgram> archive_program(std::shared_ptr<torchscript::ScriptArchive> archive,
                                               std::function<std::shared_ptr<torchscript::ScriptArchive>()> again) {
  return std::make_shared<ArchiveProgram>(std::move(archive), std::move(again));
}
std::shared_ptr<ScriptProgram> unit_program(std::unique_ptr<ir::Unit> unit, bool made_here) {
  return std::make_shared<UnitProgram>(std::move(unit), made_here);
}

}  // namespace monograph::api
