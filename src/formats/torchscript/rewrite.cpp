// Writes an archive that was read. Its code is copied, with all classes and methods. Its pickles are written from the values that were read, with the
// present modes of the modules and the present values of the attributes that methods assign.
#include <algorithm>

#include "exec/interpreter.h"
#include "formats/file.h"
#include "formats/torchscript/archive.h"
#include "formats/torchscript/host.h"
#include "formats/torchscript/save.h"
#include "ir/text.h"
#include "ops/objects.h"

namespace monograph::torchscript {
namespace {

std::string text_of(const IValue& v) {
  ir::Args args;
  exec::add_literal(args, v);
  std::string text;
  ir::print_arg(text, args[0]);
  return text;
}

// A module with a __getstate__ is written with the state that the file has. What its methods have assigned since is not in it.
void check_unchanged(const ModuleObject& m) {
  for (const auto& [name, value] : m.attributes) {
    const int k = m.assigned.contains(name) ? m.made->type().index_of(name) : -1;
    if (k < 0) continue;
    const InstanceBox* object = instance_of(m.made->object);
    const IValue* now = object ? const_cast<InstanceBox*>(object)->find(name) : nullptr;
    MONOGRAPH_CHECK(!now || now->is(value) || (!value.is_object() && text_of(*now) == text_of(untagged(value))), NotImplemented,
                    "the attribute ", name, " of ", m.type_name,
                    " was assigned, and Monograph does not run the __getstate__ that says how an archive holds it");
  }
}

}  // namespace

void ScriptArchive::write(ArchiveWriter& to, std::string_view root,
                          const std::vector<std::pair<std::string, std::string>>& extra_files) const {
  exec::note_objects(*unit_, true);
  const ObjectClasses classes{[](const std::string& cls) { return cls; },
                              [this](const std::string& cls) {
                                std::vector<std::pair<std::string, ir::Type>> out;
                                if (const SourceClass* c = code_.find_class(cls))
                                  for (const Field& f : c->fields)
                                    if (!f.type.empty()) out.emplace_back(f.name, host_->type_of(f.type));
                                return out;
                              }};
  StorageTable data_storages, constant_storages;
  Pickler data(data_storages);
  std::unordered_map<int, size_t> numbers;  // from a module's index to its number in the pickle
  Pickler::Written module = [&](const IValue& v) {
    const int index = module_of(v);
    if (index < 0) {
      // A member of an Enum is a call of its class. PyTorch writes the value itself where other calls have a tuple of arguments.
      const auto* object = pickle::as<pickle::NamedObject>(v);
      const SourceClass* c = object ? code_.find_class(object->callable->full()) : nullptr;
      if (!c || c->kind != SourceClass::Kind::Enum || !object->args.is_tuple() || object->args.items().size() != 1) return false;
      data.global(object->callable->module, object->callable->name);
      data.value(object->args.items()[0], c->name, module);
      return data.call(), true;
    }
    if (const auto known = numbers.find(index); known != numbers.end()) return data.again(known->second), true;
    const ModuleObject& m = modules_[static_cast<size_t>(index)];
    if (!m.state.is_none()) {
      if (!m.is_present_state) check_unchanged(m);
      data.object_with_state(m.type_name, m.state, concat("the state of ", m.type_name), module);
      numbers.emplace(index, data.remember());
      return true;
    }
    data.begin_object(m.type_name);
    for (const auto& [name, value] : m.attributes) {
      const std::string what = concat("the attribute ", name, " of ", m.type_name);
      data.text(name);
      const auto assigned = m.assigned.find(name);
      const int k = m.made->type().index_of(name);
      if (name == ir::kTraining && value.is_bool()) data.boolean(m.training);
      else if (assigned != m.assigned.end() && k >= 0 && m.made->values[static_cast<size_t>(k)].value.size() == 1)
        data.value(m.made->values[static_cast<size_t>(k)].value[0], assigned->second, what);
      else if (InstanceBox* object = assigned == m.assigned.end() ? nullptr : instance_of(m.made->object); object && object->find(name))
        data.value(*object->find(name), assigned->second, what, classes);
      else data.value(value, what, module);
    }
    data.end_object();
    numbers.emplace(index, data.remember());
    return true;
  };
  data.value(data_, "the root", module);
  Pickler constants(constant_storages);
  constants.mark();
  for (const IValue& v : constants_) constants.value(v, "a constant of the code", [](const IValue&) { return false; });
  constants.end_tuple();
  ArchiveParts parts;
  parts.data = data.finish(), parts.data_storages = &data_storages;
  parts.constants = constants.finish(), parts.constant_storages = &constant_storages;
  const std::string folder = concat(root_, "/code/");
  for (const ArchiveEntry& entry : archive_->entries())
    if (entry.name.starts_with(folder) && !entry.name.ends_with('/')) {
      const Archive::Content content = archive_->read(entry, true);
      parts.code.emplace_back(entry.name.substr(root_.size() + 1), std::string(as_text(content.bytes)));
    }
  parts.extra_files = extra_files, parts.version = version_;
  for (const std::string_view own : {kReliedOn, kCalls})
    if (archive_->find(concat(root_, "/extra/", own))) parts.extra_files.emplace_back(own, extra_file(own));
  parts.write(to, root);
}

}  // namespace monograph::torchscript
