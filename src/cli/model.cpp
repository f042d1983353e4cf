// The content of the file decides its format (formats/open.h): a program, weights, an array or a checkpoint.
#include "cli/model.h"

#include <algorithm>
#include <set>

#include "cli/verb.h"
#include "exec/missing.h"
#include "formats/npy.h"
#include "ops/dispatch.h"
#include "ops/objects.h"
#include "passes/canonical.h"

namespace monograph::cli {

namespace {

bool is_archive(const std::string& path) {
  const MappedFile file(path);
  return is_zip(std::span<const std::byte>(file.data(), file.size()));
}

// Objects of unknown classes are read as NamedObjects. Tensors lie in the mapped file.
pickle::Checkpoint open_checkpoint(const std::string& path) {
  pickle::LoadOptions options;
  options.in_place = true;
  options.encoding = "latin1";
  options.name_all = true;
  return pickle::load_checkpoint(path, options);
}

}  // namespace

ir::Graph& Model::graph(std::string_view function) const {
  if (function.empty()) return main_graph(*unit);
  try {
    return main_graph(*unit, function);
  } catch (Error& e) {
    std::vector<std::string> names;
    for (const auto& f : unit->functions()) names.push_back(f->name());
    fail(ErrorKind::Value, path, ": ", e.what(), did_you_mean(function, names));
  }
}

Model open_model(const std::string& path, bool to_read) {
  Model m;
  m.path = path;
  m.bytes = MappedFile(path).size();
  m.format = detect_format(path);
  if (m.format == FileFormat::Safetensors) m.weights = load_safetensors(path);
  else if (m.format == FileFormat::Numpy && is_archive(path))
    fail(ErrorKind::File, path, ": the file is an .npz archive of NumPy arrays; only .npy files are read: unpack it (unzip ", path,
         "), and give the .npy file that is meant");
  else if (m.format == FileFormat::Numpy) m.array = load_npy(path);
  else if (m.format == FileFormat::TorchCheckpoint) m.checkpoint = open_checkpoint(path);
  else m.unit = open_unit(path, false, to_read ? &m.refused : nullptr);
  return m;
}

Safetensors weights_of(const pickle::Checkpoint& checkpoint, std::vector<Tensor>& held) {
  Safetensors out;
  for (const pickle::NamedTensor& t : pickle::named_tensors(checkpoint.content.value)) {
    if (t.tensor.is_meta()) continue;
    held.push_back("contiguous"_op(t.tensor));
    const Tensor& dense = held.back();
    out.arrays.push_back({t.name, dense.dtype(), {dense.sizes().begin(), dense.sizes().end()}, dense.data(), dense.nbytes()});
  }
  return out;
}

Model open_program(const std::string& path, bool to_read) {
  Model m;
  m.path = path;
  m.bytes = MappedFile(path).size();
  m.format = detect_format(path);
  m.unit = open_unit(path, false, to_read ? &m.refused : nullptr);
  return m;
}

bool is_more_than_a_graph(const ir::Unit& unit) {
  return unit.functions().size() != 1 || !unit.modules().empty() || !unit.classes().empty();
}

bool computes_gradients(const ir::Unit& unit) {
  return std::ranges::any_of(unit.functions(), [](const auto& function) {
    for (const ir::Node* n : ir::NestedNodes(*function))
      if (n->info() && (n->info()->name() == "aten::grad" || n->info()->name().starts_with("aten::backward"))) return true;
    return false;
  });
}

std::string program_hash(const ir::Unit& unit) {
  return unit.functions().size() == 1 ? passes::hash(*unit.functions()[0]) : passes::hash(unit);
}

namespace {

// Calls `f` with each module that the root holds, once, and with the path of its attributes: "encoder.".
template <class F>
void visit_modules(const ir::Unit& unit, const F& f) {
  std::set<const ir::Module*> seen;
  // Modules may share submodules and nest deeply, so the walk keeps a list of those to visit and does not recurse.
  std::vector<std::pair<const ir::Module*, std::string>> todo;
  if (unit.root()) todo.push_back({unit.root(), ""});
  while (!todo.empty()) {
    const auto [module, prefix] = std::move(todo.back());
    todo.pop_back();
    if (!seen.insert(module).second) continue;
    f(*module, prefix);
    std::vector<std::pair<const ir::Module*, std::string>> inner;
    for (size_t k = 0; k < module->values.size(); ++k)
      if (const ir::Module* held = module->values[k].module) inner.push_back({held, prefix + module->type().attributes[k].name + "."});
    todo.insert(todo.end(), inner.rbegin(), inner.rend());
  }
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::vector<CannotRun> refusals_of(const Model& model) {
  std::vector<CannotRun> all;
  for (const auto& graph : model.unit->functions())
    for (const ir::Node* n : ir::NestedNodes(*graph))
      if (exec::is_missing(*n)) all.push_back({graph->name(), n->target().name(), to_string(n->span()), first_line(exec::why_missing(*n))});
  for (const RefusedFunction& f : model.refused) all.push_back({f.name, f.name, f.where, f.why()});
  return all;
}

std::vector<std::pair<std::string, std::string>> foreign_values_of(const ir::Unit& unit) {
  std::vector<std::pair<std::string, std::string>> all;
  visit_modules(unit, [&](const ir::Module& module, const std::string& prefix) {
    if (const InstanceBox* object = instance_of(module.object))
      for (const auto& [name, value] : object->attributes)
        if (value.is_object() && pickle::as<pickle::NamedObject>(value)) all.emplace_back(prefix + name, value.object()->kind_name());
  });
  return all;
}

std::vector<ProgramTensor> parameters_of(const ir::Unit& unit, bool every_name) {
  std::vector<ProgramTensor> all;
  std::set<const void*> seen;
  visit_modules(unit, [&](const ir::Module& module, const std::string& prefix) {
    for (size_t k = 0; k < module.values.size(); ++k) {
      const ir::Args& value = module.values[k].value;
      if (value.size() == 1 && value[0].is(ir::ArgKind::Tensor) && (seen.insert(&value[0].as_tensor()).second || every_name))
        all.push_back({prefix + module.type().attributes[k].name, value[0].as_tensor().shared_from_this()});
    }
  });
  for (const auto& graph : unit.functions())
    for (ir::Node* n : ir::NestedNodes(*graph))
      for (size_t k = 0; k < n->skeleton().items; ++k)
        if (const ir::ArgItem& item = n->skeleton().item[k]; item.kind == ir::ArgKind::Tensor && seen.insert(item.tensor).second)
          all.push_back({concat("constant of %", n->name()), item.tensor->shared_from_this(), true});
  return all;
}

}  // namespace monograph::cli
