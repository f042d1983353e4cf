// What a __setstate__ of a module computes. PyTorch runs this method of the archive's code while it loads a file; here it runs at the first use of the
// module, as its other methods do, so that loading a file executes nothing. It is compiled as a method of an object that has the module's attributes.
#include <limits>
#include <set>

#include "capture/script/compiler.h"
#include "capture/script/parser.h"
#include "exec/interpreter.h"
#include "formats/torchscript/archive.h"
#include "formats/torchscript/host.h"
#include "ops/dispatch.h"

namespace monograph::torchscript {
namespace {

constexpr int64_t kStateClass = std::numeric_limits<int64_t>::max();  // the id of the class

// The type of the state, as the method's text has it: "def __setstate__(self: …,\n    state: Tuple[int, bool]) -> NoneType:"
std::string state_type(const std::string& text) {
  const size_t comma = text.find(','), colon = text.find(':', comma == std::string::npos ? comma : comma + 1),
               end = text.find(") ->", colon);
  return colon == std::string::npos || end == std::string::npos ? std::string() : text.substr(colon + 1, end - colon - 1);
}

// The names of an archive, for which the class of one module is a class of objects.
class StateHost : public ArchiveHost {
 public:
  StateHost(ScriptArchive& archive, const SourceClass& module) : ArchiveHost(archive, {}), module_(module) {}
  int64_t find_class(const std::string& name) override { return name == module_.name ? kStateClass : ArchiveHost::find_class(name); }
  capture::script::HostClass class_info(int64_t id) override {
    if (id != kStateClass) return ArchiveHost::class_info(id);
    std::string text = concat("class ", module_.name.substr(module_.name.rfind('.') + 1), ":\n");
    for (const Field& f : module_.fields)
      if (f.value.empty()) text += concat("  ", f.name, " : ", f.type, "\n");
    for (const SourceFunction& f : module_.methods)
      if (f.name != SourceClass::kCall) text += concat(f.text.starts_with(' ') ? "" : "  ", f.text, f.text.ends_with('\n') ? "" : "\n");
    capture::script::HostClass c;
    c.name = module_.name;
    c.source = capture::script::SourceText::torchscript(text, module_.file, module_.line);
    const std::shared_ptr<capture::script::Tree> tree = parse(*c.source);
    c.tree = tree, c.syntax = &tree->classes.at(0);
    return c;
  }
  std::shared_ptr<capture::script::Tree> parse(const capture::script::SourceText& source) const {
    std::shared_ptr<capture::script::Tree> tree = capture::script::parse_functions(source);
    as_python(*tree, source);
    return tree;
  }

 private:
  const SourceClass& module_;
};

}  // namespace

std::vector<std::pair<std::string, IValue>> ScriptArchive::made_by_setstate(const ModuleObject& m, const std::vector<Field>& wanted,
                                                                            bool& runs) {
  StateHost host(*this, *m.type);
  std::string types, values;
  for (const Field& f : wanted) types += concat(types.empty() ? "" : ", ", f.type), values += concat("(made).", f.name, ", ");
  const std::string text =
      concat("def run(state:", state_type(m.type->find("__setstate__")->text), ") -> Tuple[", types, "]:\n  made = ", m.type->name,
             ".__new__(", m.type->name, ")\n  _0 = (made).__setstate__(state, )\n  return (", values, ")\n");
  const auto source = capture::script::SourceText::torchscript(text, m.type->file, m.type->line);
  const std::shared_ptr<capture::script::Tree> tree = host.parse(*source);
  ir::Unit unit;
  const ir::Graph& graph = *unit.add_function(capture::script::compile_function(host, {source, tree, tree->functions.at(0), 0}));
  capture::script::add_classes(unit, host);
  std::map<const void*, IValue> live;
  const GradModeScope no_grad(false);
  const exec::Executable run = exec::plan(graph);
  runs = true;
  const std::vector<IValue> made = run({live_value(m.state, live)});
  std::vector<std::pair<std::string, IValue>> out;
  const std::vector<IValue>& items = made.size() == 1 && made[0].is_tuple() ? made[0].items() : made;
  for (size_t k = 0; k < wanted.size(); ++k) out.emplace_back(wanted[k].name, items.at(k));
  return out;
}

bool ScriptArchive::settle(int module) {
  ModuleObject& m = modules_.at(static_cast<size_t>(module));
  std::vector<Field> wanted;
  for (const Field& f : m.type ? m.type->fields : std::vector<Field>())
    if (std::ranges::find(m.unmade, f.name) != m.unmade.end() && f.type.find("__torch__.") == std::string::npos) wanted.push_back(f);
  m.unmade.clear();
  if (wanted.empty()) return false;
  std::vector<std::pair<std::string, IValue>> made;
  bool runs = false;
  try {
    made = made_by_setstate(m, wanted, runs);
  } catch (const Error& e) {  // if it calls what Monograph lacks, what it makes stays a value that was not built
    if (runs && e.kind() != ErrorKind::NotImplemented && e.kind() != ErrorKind::Attribute) throw;
    for (auto& [name, value] : m.attributes)
      if (auto* unmade = value.is_object() ? dynamic_cast<UnmadeValue*>(value.object()) : nullptr) unmade->why = e.what();
    return false;
  }
  for (auto& [name, value] : made) {
    if (name == ir::kTraining && value.is_bool()) m.training = value.to_bool();
    std::ranges::find(m.attributes, name, &std::pair<std::string, IValue>::first)->second = std::move(value);
  }
  return true;
}

bool ScriptArchive::settle() {
  bool any = false;
  for (size_t k = modules_.size(); k-- > 0;)
    if (!modules_[k].unmade.empty()) any = settle(static_cast<int>(k)) || any;
  if (!any) return false;
  for (ModuleObject& m : modules_) m.assigned.clear(), m.objects.clear();
  host_->forget_tensors();
  find_assigned();
  make_unit();
  return true;
}

void ScriptArchive::set_state(int module, const IValue& state) {
  ModuleObject& m = modules_.at(static_cast<size_t>(module));
  m.state = state, m.is_present_state = true;
}

}  // namespace monograph::torchscript
