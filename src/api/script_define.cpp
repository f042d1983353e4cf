// Implements Module::define. DefinedHost tells the compiler what `self` has: the module's tensors, plain values and submodules, its other methods, whose graphs
// are inlined, and the other methods of the text.
#include <algorithm>
#include <functional>

#include "api/script_program.h"
#include "capture/script/compiler.h"
#include "capture/script/parser.h"
#include "exec/interpreter.h"

namespace monograph::api {

using capture::script::FunctionSyntax;
using capture::script::HostFunction;
using capture::script::HostModule;
using capture::script::HostValue;
using Kind = HostValue::Kind;

// Ids of modules and of defined methods begin at kModules and kMethods. Smaller ids are those of TextHost, for namespaces and functions.
class DefinedHost final : public capture::script::TextHost {
 public:
  DefinedHost(ScriptProgram& program, const ScriptProgram::Definition& at) : TextHost(at.source, at.tree), program_(program) {
    find_paths(*program.unit().root(), "");
  }
  bool graphs_of_root() const override { return true; }
  HostValue name(int64_t scope, const std::string& name) override {
    HostValue v = TextHost::name(scope, name);
    // The functions in the text are methods. They can be called on self only.
    if (v.kind == Kind::Function) v = {};
    return v;
  }
  int64_t id_of(const ir::Module& m) const {
    const auto& all = program_.unit().modules();
    return kModules + (std::ranges::find(all, &m, [](const auto& held) { return held.get(); }) - all.begin());
  }
  HostModule module(int64_t id) override {
    HostModule out;
    out.path = path_of(at(id)), out.type = at(id).type().name;
    return out;
  }
  HostFunction function(int64_t id) override {
    return id < kMethods ? TextHost::function(id) : methods_.at(static_cast<size_t>(id - kMethods));
  }
  const ir::Graph* graph(int64_t id) override { return graphs_.at(static_cast<size_t>(id)); }
  std::string assigned(int64_t id, const std::string& name) override {
    return monograph::concat("the methods that ", at(id).type().name, " has already do not change '", name, "', so they have its value");
  }
  HostValue attribute(int64_t id, const std::string& name) override {
    if (id < kModules) return TextHost::attribute(id, name);
    const ir::Module& m = at(id);
    HostValue v;
    if (const int k = m.type().index_of(name); k >= 0) return held(m, static_cast<size_t>(k));
    if (name == ir::kTraining) {
      v.kind = Kind::Tensor, v.text = below(m, name), v.type = ir::TypeKind::Bool;
      return v;
    }
    const ScriptProgram::Definition* definition = nullptr;
    if (const FunctionSyntax* f = program_.find_definition(m, name, &definition)) {
      v.kind = Kind::Method, v.self = id, v.id = kMethods + static_cast<int64_t>(methods_.size());
      methods_.push_back({definition->source, definition->tree, f, 0});
      return v;
    }
    const std::vector<std::string> methods = program_.methods(m);
    if (std::ranges::find(methods, name) == methods.end()) return v;
    MONOGRAPH_CHECK(
        name != "forward" || program_.called(m) == name, NotImplemented, m.type().name,
        " was loaded with hooks, which a call from a defined method does not run; load a module without hooks, or call this one in C++");
    v.kind = Kind::Graph, v.id = static_cast<int64_t>(graphs_.size());  // it reads modules by their paths from this one
    v.text = path_of(program_.graph_root(m));
    graphs_.push_back(&program_.graph_of(m, name));
    return v;
  }

 private:
  static constexpr int64_t kModules = 1 << 20, kMethods = 1 << 20;

  HostValue held(const ir::Module& m, size_t k) const {
    const ir::Attribute& a = m.type().attributes[k];
    HostValue v;
    if (m.values[k].module) {
      v.kind = Kind::Module, v.id = id_of(*m.values[k].module);
      return v;
    }
    const ir::ArgRef value = m.values[k].value[0];
    const bool tensor = exec::literal(value).is_tensor();
    if (!tensor && program_.reads_while_running(m, a.name)) {
      v.kind = Kind::State, v.text = path_of(m), v.type = a.type ? a.type : ir::type_of(value);
    } else if (!tensor) {
      v.kind = Kind::Constant, v.constant = ir::Args().add(value);
    } else {
      v.kind = Kind::Tensor, v.text = below(m, a.name), v.type = ir::TypeKind::Tensor;
    }
    return v;
  }
  const ir::Module& at(int64_t id) const { return *program_.unit().modules().at(static_cast<size_t>(id - kModules)); }
  const std::string& path_of(const ir::Module& m) const { return paths_.at(&m); }
  std::string below(const ir::Module& m, const std::string& name) const {
    return path_of(m).empty() ? name : monograph::concat(path_of(m), ".", name);
  }
  void find_paths(const ir::Module& m, const std::string& path) {
    if (!paths_.emplace(&m, path).second) return;
    for (size_t k = 0; k < m.values.size(); ++k)
      if (m.values[k].module) find_paths(*m.values[k].module, below(m, m.type().attributes[k].name));
  }

  ScriptProgram& program_;
  std::map<const ir::Module*, std::string> paths_;
  std::vector<HostFunction> methods_;
  std::vector<const ir::Graph*> graphs_;
};

void ScriptProgram::add_attribute(ir::Module& module, ir::Attribute attribute, const monograph::IValue&) {
  fail(ErrorKind::Runtime, "the attribute '", attribute.name, "' cannot be added: ", module.type().name,
       " has the attributes that its program gave it; make a jit::Module(\"Name\") of your own");
}

void ScriptProgram::add_module(ir::Module& module, const std::string& name, const std::shared_ptr<ScriptProgram>&) {
  fail(ErrorKind::Runtime, "the module '", name, "' cannot be added: ", module.type().name,
       " has the attributes that its program gave it; make a jit::Module(\"Name\") of your own");
}

void ScriptProgram::take_definitions(const ScriptProgram& other, const std::map<const ir::Module*, ir::Module*>& modules) {
  for (const Definition& d : other.definitions_) {
    Definition copy = d;
    copy.module = modules.at(d.module), copy.taken = true;
    definitions_.push_back(std::move(copy));
  }
}

const FunctionSyntax* ScriptProgram::find_definition(const ir::Module& module, std::string_view name, const Definition** at) const {
  for (const Definition& d : definitions_) {
    if (d.module != &module) continue;
    for (const FunctionSyntax* f : d.tree->functions) {
      if (f->name != name) continue;
      if (at) *at = &d;
      return f;
    }
  }
  return nullptr;
}

std::vector<std::string> ScriptProgram::all_methods(const ir::Module& module) {
  std::vector<std::string> names = methods(module);
  for (const Definition& d : definitions_)
    if (d.module == &module)
      for (const FunctionSyntax* f : d.tree->functions) names.push_back(f->name);
  return names;
}

std::unique_ptr<ir::Graph> ScriptProgram::compile_defined(const Definition& at, const FunctionSyntax& function) {
  DefinedHost host(*this, at);
  MONOGRAPH_CHECK(!function.parameters.empty(), Runtime, "define: the method ", function.name,
                  "() takes no self; write it as its first parameter");
  std::unique_ptr<ir::Graph> graph = capture::script::compile_method(host, {at.source, at.tree, &function, 0}, host.id_of(*at.module));
  graph->set_name(host.module(host.id_of(*at.module)).path.empty()
                      ? function.name
                      : monograph::concat(host.module(host.id_of(*at.module)).path, ".", function.name));
  graph->set_dialect(ir::Dialect::TorchScript);
  graph->set_unit(&unit());
  return graph;
}

ir::Graph& ScriptProgram::any_graph(const ir::Module& module, const std::string& name) {
  const Definition* at = nullptr;
  const FunctionSyntax* function = find_definition(module, name, &at);
  if (!function) return graph_of(module, name);
  DefinedGraph& made = defined_[{&module, name}];
  if (!made.graph) {
    made.graph = compile_defined(*at, *function);
    made.version = made.graph->version();
  }
  return *made.graph;
}

void ScriptProgram::define(ir::Module& module, const std::string& text) {
  Definition d{&module, text, false, capture::script::SourceText::torchscript(text, "<string>"), nullptr};
  d.tree = capture::script::parse_functions(*d.source);
  MONOGRAPH_CHECK(!d.tree->functions.empty(), Runtime, "define: the text has no method; it begins with `def forward(self, x):`");
  const std::vector<std::string> known = all_methods(module);
  for (const FunctionSyntax* f : d.tree->functions)
    MONOGRAPH_CHECK(std::ranges::find(known, f->name) == known.end(), Runtime, "method '", f->name,
                    "' already defined: ", module.type().name, " has one of this name");
  definitions_.push_back(std::move(d));
  try {
    for (const FunctionSyntax* f : definitions_.back().tree->functions) any_graph(module, f->name);
  } catch (...) {
    for (const FunctionSyntax* f : definitions_.back().tree->functions) defined_.erase({&module, f->name});
    definitions_.pop_back();
    throw;
  }
}

void ScriptProgram::forget_defined(std::string_view change) {
  for (const auto& [key, made] : defined_)
    MONOGRAPH_CHECK(!made.graph || made.graph->version() == made.version, Runtime, change, " cannot change: the graph of ", key.second,
                    " was edited. Change it first, and then edit the graph");
  for (auto& [key, made] : defined_)
    if (made.graph) retired_.push_back(std::move(made.graph));
  defined_.clear();
}

void ScriptProgram::define_again(ScriptProgram& copy) const {
  const auto& modules = const_cast<ScriptProgram*>(this)->unit().modules();
  for (const Definition& d : definitions_) {
    const auto at = std::ranges::find(modules, d.module, [](const auto& m) { return m.get(); }) - modules.begin();
    copy.define(*copy.unit().modules()[static_cast<size_t>(at)], d.text);
    copy.definitions_.back().taken = d.taken;
  }
}

void ScriptProgram::add_defined(ir::Unit& written) {
  for (const Definition& d : definitions_) {
    if (d.taken) continue;  // what the methods of the root call stands in them
    MONOGRAPH_CHECK(d.module == unit().root(), NotImplemented, "save: define() added methods to ", d.module->type().name,
                    ", a submodule of the module that is saved; define them on the saved module instead");
    for (const FunctionSyntax* f : d.tree->functions) {
      std::unique_ptr<ir::Graph> graph = any_graph(*d.module, f->name).clone();
      graph->set_unit(&written);
      written.add_function(std::move(graph));
    }
  }
}

}  // namespace monograph::api
