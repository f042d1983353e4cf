// torch.load's unpickler reads the pickles. It also accepts the names of the archive's own classes, and gives their objects as NamedObjects. The tree of
// modules is built from these.
#include "formats/torchscript/archive.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <span>

#include "capture/script/compiler.h"
#include "capture/script/parser.h"
#include "core/error.h"
#include "exec/freeze.h"
#include "exec/interpreter.h"
#include "exec/missing.h"
#include "formats/file.h"
#include "formats/mgraph.h"
#include "formats/pickle/checkpoint.h"
#include "formats/pickle/memory.h"
#include "formats/pickle/rebuild.h"
#include "formats/torchscript/debug.h"
#include "formats/torchscript/host.h"
#include "formats/torchscript/save.h"
#include "ir/text.h"
#include "ops/objects.h"
#include "ops/registry.h"

namespace monograph::torchscript {
namespace {

constexpr size_t kMaxDepth = 200, kMaxModules = 1'000'000;  // how deep modules may nest, and how many there may be
// All texts of an archive together may inflate to kFreeText bytes plus kMostTextTimes the size of the file.
constexpr uint64_t kFreeText = uint64_t{64} << 20, kMostTextTimes = 4;
constexpr size_t kLiteralBytes = 64;  // what a value of an attribute takes as a literal of a module
constexpr std::string_view kOldModel = "model.json";

// The folder of the archive's entries: the one that holds data.pkl.
std::string root_of(const Archive& archive, const std::string& where) {
  std::optional<std::string> root;
  for (const ArchiveEntry& entry : archive.entries()) {
    const size_t slash = entry.name.find('/');
    if (slash == std::string::npos) continue;
    const std::string_view inside = std::string_view(entry.name).substr(slash + 1);
    MONOGRAPH_CHECK(inside != kOldModel, NotImplemented, where,
                    ": an archive as PyTorch before 1.4 wrote it (it has model.json); load it in a PyTorch of 1.4 to 2.x with "
                    "torch.jit.load, save it with "
                    "torch.jit.save, and load that");
    if (inside == "data.pkl") root = entry.name.substr(0, slash);
  }
  MONOGRAPH_CHECK(root || !is_mgraph(archive), File, where,
                  ": this is a .mgraph file, which torch.jit.load does not read. torch.load_graph(path) gives its graph");
  MONOGRAPH_CHECK(root, File, where, ": the archive has no entry data.pkl, so torch.jit.save did not write it, or it is damaged");
  return *root;
}

// Whether a text calls an operator that writes to a list or dict, or assigns to a subscript.
bool writes_containers(const std::string& text) {
  for (const std::string& name : operators_in(text))
    if (const OverloadSet* set = Registry::global().find_overloads(name))
      for (const Operator* op : set->overloads)
        for (const ir::Argument& a : op->schema().arguments())
          if (a.writes() && (a.type.is(ir::TypeKind::List) || a.type.is(ir::TypeKind::Dict))) return true;
  return text.find("] = ") != std::string::npos;
}

// Copies the classes and modules of a Unit without its functions. The copy shares the tensors.
std::unique_ptr<ir::Unit> copy_of_modules(const ir::Unit& from) {
  auto to = std::make_unique<ir::Unit>();
  for (const auto& [module, copy] : copy_modules(from, *to))
    for (size_t k = 0; k < copy->values.size(); ++k)
      if (!copy->values[k].module && copy->values[k].value.size() == 0)
        copy->object = module->object;  // it holds attributes that ir::Args cannot express
  for (const auto& c : to->classes()) c->methods.clear();
  return to;
}

bool is_script_name(const pickle::GlobalBox& global) {
  return global.module == "torch.jit._pickle" || global.module == "__torch__" || global.module.starts_with("__torch__.") ||
         pickle::is_script_storage(global);
}

}  // namespace

ScriptArchive::~ScriptArchive() = default;

std::shared_ptr<ScriptArchive> ScriptArchive::parse(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                                    const std::string& where, const ScriptLoadOptions& options) {
  std::shared_ptr<ScriptArchive> made(new ScriptArchive());
  made->where_ = where, made->owner_ = std::move(owner), made->file_bytes_ = bytes.size();
  made->archive_ = std::make_unique<Archive>(bytes, where);
  made->root_ = root_of(*made->archive_, where);
  made->memory_ = std::make_unique<pickle::MemoryLimit>(where, bytes.size());
  made->read(made->root_, options);
  return made;
}

std::shared_ptr<ScriptArchive> ScriptArchive::open(const std::string& path, const ScriptLoadOptions& options) {
  auto file = std::make_shared<MappedFile>(path);
  const std::span<const std::byte> bytes(file->data(), file->size());
  return parse(bytes, std::move(file), path, options);
}

void ScriptArchive::read(const std::string& root, const ScriptLoadOptions& options) {
  for (const char* name : {"version", ".data/version"})
    if (const ArchiveEntry* entry = archive_->find(concat(root, "/", name)); entry && entry->size < 100 && version_.empty())
      version_ = as_text(archive_->read(*entry, true).bytes);
  while (!version_.empty() && (version_.back() == '\n' || version_.back() == ' ')) version_.pop_back();
  const auto [end, failed] = std::from_chars(version_.data(), version_.data() + version_.size(), operator_version_);
  MONOGRAPH_CHECK(failed == std::errc() && end == version_.data() + version_.size() && operator_version_ > 0, File, where_,
                  ": version: expected a number, but got ", shown(version_), "; the file is damaged");
  MONOGRAPH_CHECK(operator_version_ <= capture::script::kOperatorVersion, File, where_, ": version: its operators have version ", version_,
                  ", but Monograph knows those up to ", capture::script::kOperatorVersion,
                  ". A newer PyTorch wrote the file; save it with PyTorch 2.13");
  add_code(root);
  pickle::LoadOptions load_options;
  load_options.in_place = load_options.name_unsupported = load_options.checks_text = true;
  load_options.also_allowed = is_script_name;
  load_options.device_of = options.device_of;
  auto unpickled = [&](const char* name, const char* folder) {
    pickle::Unpickled out = pickle::unpickle_entry(*archive_, root, name, folder, *memory_, owner_, where_, load_options);
    MONOGRAPH_CHECK(out.circular.empty(), File, where_, ": ", name,
                    ": an object in it holds itself, which no program does; the file is damaged");
    return out.value;
  };
  if (archive_->find(concat(root, "/constants.pkl"))) {
    const IValue constants = unpickled("constants.pkl", "constants");
    MONOGRAPH_CHECK(constants.is_tuple() || constants.is_list(), File, where_, ": constants.pkl: expected a tuple of constants");
    constants_ = constants.items();
  }
  data_ = unpickled("data.pkl", "data");
  host_ = std::make_unique<ArchiveHost>(*this, options);
  MONOGRAPH_CHECK(
      add_module(data_, "", 0) == 0, File, where_, ": data.pkl: expected a module, but the file holds ",
      pickle::as<pickle::NamedObject>(data_) ? pickle::as<pickle::NamedObject>(data_)->callable->full() : std::string("another value"),
      ". If torch.save wrote the file, torch.load reads it");
  find_assigned();
  make_unit();
  modes_ = modes();
}

void ScriptArchive::add_code(const std::string& root) {
  const std::string folder = concat(root, "/code/");
  uint64_t left = kFreeText + kMostTextTimes * file_bytes_;
  for (const ArchiveEntry& entry : archive_->entries()) {
    if (!entry.name.starts_with(folder) || !entry.name.ends_with(".py")) continue;
    MONOGRAPH_CHECK(entry.size <= left, File, where_, ": ", shown(entry.name), ": the code would inflate to far more than the file");
    left -= entry.size;
    const Archive::Content content = archive_->read(entry, true);
    const std::string file = entry.name.substr(root.size() + 1);
    texts_.emplace_back(as_text(content.bytes));
    MONOGRAPH_CHECK(is_utf8(texts_.back()), File, where_, ": ", shown(file), ": the code is no UTF-8; the file is damaged");
    try {
      code_.add(file, texts_.back());
    } catch (const Error& error) {
      fail(ErrorKind::File, where_, ": ", error.what());
    }
  }
}

const std::vector<capture::script::SourceText::Origin>& ScriptArchive::origins(const std::string& file) {
  const auto [found, fresh] = origins_.try_emplace(file);
  const ArchiveEntry* entry = fresh ? archive_->find(concat(root_, "/", file, ".debug_pkl")) : nullptr;
  if (!entry || entry->size > kFreeText + kMostTextTimes * file_bytes_) return found->second;
  try {
    found->second = origins_in(archive_->read(*entry, true).bytes, where_);
    if (archive_->find(concat(root_, "/extra/", kCalls))) put_into_calls(extra_file(kCalls), file, found->second);
  } catch (const Error&) {  // a damaged entry is ignored, because only messages use it
  }
  return found->second;
}

int ScriptArchive::module_of(const IValue& value) const {
  if (!value.is_object()) return -1;
  const auto found = module_indices_.find(value.object());
  return found == module_indices_.end() ? -1 : found->second;
}

namespace {

// The item of the state that an expression is: 2 for "(state)[2]" and "state[2]"; nothing for another one.
std::optional<size_t> item_of_state(std::string_view value, const std::string& state) {
  const std::string in_brackets = concat("(", state, ")["), bare = concat(state, "[");
  const size_t begin = value.starts_with(in_brackets) ? in_brackets.size() : value.starts_with(bare) ? bare.size() : 0;
  if (begin == 0 || !value.ends_with(']')) return {};
  const std::string_view digits = value.substr(begin, value.size() - begin - 1);
  size_t k = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), k);
  return failed == std::errc() && end == digits.data() + digits.size() ? std::optional(k) : std::nullopt;
}

// What a __setstate__ does with its state.
struct StateLines {
  // What the lines give attributes and variables that are items of the state: {"self.scale", 2} for "self.scale = (state)[2]", and for "x = (state)[2]" and
  // "self.scale = x". Lines at the depth of the method's body alone, which always run.
  std::map<std::string, size_t, std::less<>> items;
  bool only_items = true;  // it does nothing else, such as a write to what it has taken out
};
StateLines read_lines(const std::string& text, const std::string& state) {
  StateLines out;
  bool body = false;
  for (size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size()) + 1) {
    std::string_view line = std::string_view(text).substr(at, std::min(text.find('\n', at), text.size()) - at);
    if (!body) {
      body = line.ends_with("-> NoneType:");
      continue;
    }
    const size_t depth = line.find_first_not_of(' ');
    if (depth == line.npos || line.substr(depth) == "return None") continue;
    const size_t equals = line.find(" = ");
    if (depth != 4 || equals == std::string_view::npos) {
      out.only_items = false;
      continue;
    }
    const std::string_view target = line.substr(4, equals - 4), value = line.substr(equals + 3);
    const auto known = out.items.find(value);
    const std::optional<size_t> item = known != out.items.end() ? std::optional(known->second) : item_of_state(value, state);
    if (item) out.items.insert_or_assign(std::string(target), *item);
    else out.items.erase(std::string(target)), out.only_items = false;
  }
  return out;
}

// Whether no method can write to a value of this type.
bool is_fixed(std::string_view type) {
  return type == "int" || type == "float" || type == "bool" || type == "str" || type == "complex" || type == "Device";
}

size_t count_of(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

void ScriptArchive::read_state(ModuleObject& m, const IValue& state) {
  m.state = state;
  const std::string& text = m.type->find("__setstate__")->text;
  // The second parameter: "def __setstate__(self: …,\n    state: Tuple[int, bool]) -> NoneType:"
  const size_t comma = std::min(text.find(','), text.size()), name = text.find_first_not_of(" \n", std::min(comma + 1, text.size()));
  const std::string parameter = name == std::string::npos ? "" : text.substr(name, text.find(':', name) - name);
  const auto [items, only_items] = read_lines(text, parameter);
  for (const Field& f : m.type->fields) {
    if (!f.value.empty()) continue;
    if (f.type == "NoneType") {
      m.attributes.emplace_back(f.name, IValue());
      continue;
    }
    size_t assigned = 0;  // by any method: a value that another one may change after it was taken is not known
    for (const SourceFunction& method : m.type->methods) assigned += count_of(method.text, concat(".", f.name, " = "));
    if (assigned == 0 && f.type.starts_with("Optional[")) {
      m.attributes.emplace_back(f.name, IValue());
      continue;
    }
    const auto item = items.find(concat("self.", f.name));
    if (assigned == 1 && item != items.end() && state.is_tuple() && item->second < state.items().size()) {
      const IValue& value = state.items()[item->second];
      if (f.name == ir::kTraining && value.is_bool()) m.training = value.to_bool();
      m.attributes.emplace_back(f.name, value);
      if (!only_items && !is_fixed(f.type)) m.unmade.push_back(f.name);  // the item for now: another line may write to it
      continue;
    }
    Ref<UnmadeValue> unmade(new UnmadeValue());
    const size_t dot = f.type.starts_with("__torch__.") ? f.type.rfind('.') : std::string::npos;
    unmade->callable = make_ref<pickle::GlobalBox>();
    unmade->callable->module = dot == std::string::npos ? "builtins" : f.type.substr(0, dot);
    unmade->callable->name = f.type.substr(dot + 1);
    unmade->args = IValue::tuple({}), unmade->states = {state};
    m.unmade.push_back(f.name);
    m.attributes.emplace_back(f.name, IValue(Ref<ObjectBox>(unmade.get())));
  }
}

// Adds the module that a value is, and the modules in it. Returns its index; -1 if the value is not a module.
int ScriptArchive::add_module(const IValue& value, const std::string& path, size_t depth) {
  auto* object = pickle::as<pickle::NamedObject>(value);
  if (!object) return -1;
  const std::string name = object->callable->full();
  const SourceClass* type = code_.find_class(name);
  const bool unknown = !type && object->is_new && name.starts_with("__torch__.") && !name.starts_with("__torch__.torch.classes.");
  if (type ? type->kind != SourceClass::Kind::Module : !unknown) return -1;
  if (const auto known = module_indices_.find(object); known != module_indices_.end()) return known->second;
  MONOGRAPH_CHECK(depth < kMaxDepth && modules_.size() < kMaxModules, File, where_, ": data.pkl: modules nest deeper than ", kMaxDepth,
                  ", or they are more than ", kMaxModules);
  const int index = static_cast<int>(modules_.size());
  module_indices_.emplace(object, index);
  ModuleObject m;
  m.path = path, m.type = type, m.type_name = name;
  for (const IValue& state : object->states) {
    const auto* items = pickle::dict_items(state);
    if (!items && type && type->find("__setstate__")) {
      read_state(m, state);
      continue;
    }
    MONOGRAPH_CHECK(items, File, where_, ": data.pkl: the state of ", shown(name), " is not a dict of attributes");
    for (const auto& [key, attribute] : *items) {
      MONOGRAPH_CHECK(key.is_string(), File, where_, ": data.pkl: an attribute of ", shown(name), " has a name that is not a str");
      if (key.to_string() == "training" && attribute.is_bool()) m.training = attribute.to_bool();
      m.attributes.emplace_back(key.to_string(), attribute);
    }
  }
  const auto attributes = m.attributes;
  modules_.push_back(std::move(m));
  for (const auto& [key, attribute] : attributes) add_module(attribute, path.empty() ? key : concat(path, ".", key), depth + 1);
  return index;
}

const IValue& untagged(const IValue& v) {
  if (auto* object = pickle::as<pickle::NamedObject>(v);
      object && object->callable->module == "torch.jit._pickle" && object->args.is_tuple() && !object->args.items().empty())
    return object->args.items()[0];
  return v;
}

// The value with untagged() of each list and dict in it, too. Objects of classes stay as they are.
IValue without_tags(const IValue& given, std::map<const void*, IValue>& made, size_t depth = 0) {
  const IValue& v = untagged(given);
  if (depth > kMaxDepth || !(v.is_list() || v.is_tuple() || v.is_dict()) || pickle::small_leaf_size(v) > 0) return v;
  const void* same = pickle::identity(v);
  // None stands for a value that lies in itself.
  if (const auto [known, fresh] = made.emplace(same, IValue()); !fresh) return known->second;
  bool changed = false;  // a value without tags stays itself
  const auto without = [&](const IValue& part) {
    IValue plain = without_tags(part, made, depth + 1);
    changed |= !plain.is(part);
    return plain;
  };
  IValue out;
  if (v.is_dict()) {
    std::vector<std::pair<IValue, IValue>> pairs;
    for (const auto& [key, value] : v.pairs()) pairs.emplace_back(key, without(value));
    if (changed) out = IValue::dict(std::move(pairs));
  } else {
    std::vector<IValue> items;
    for (const IValue& item : v.items()) items.push_back(without(item));
    if (changed) out = v.is_list() ? IValue::list(std::move(items)) : IValue::tuple(std::move(items));
  }
  if (!changed) out = v;
  return made[same] = std::move(out);
}

// How many values there are if each list, tuple and dict is counted where it is used. A small file can use one list in another twice, that one twice again,
// and so on, so that a literal of it would fill the memory. At most `most` + 1.
size_t count_of_values(const IValue& given, size_t most, std::map<const void*, size_t>& counts, size_t depth = 0) {
  const IValue& v = untagged(given);
  if (v.is_ints()) return std::min(v.to_ints().size(), most) + 1;
  if (depth > kMaxDepth || !(v.is_list() || v.is_tuple() || v.is_dict())) return 1;
  if (const size_t leaf = pickle::small_leaf_size(v); leaf > 0 && leaf <= most) return leaf;
  const void* same = pickle::identity(v);
  if (const auto [known, fresh] = counts.emplace(same, 1); !fresh) return known->second;
  size_t count = 1;
  const auto add = [&](const IValue& item) {
    if (count <= most) count = std::min(count + count_of_values(item, most, counts, depth + 1), most + 1);
  };
  if (v.is_dict())
    for (const auto& [key, value] : v.pairs()) add(key), add(value);
  else
    for (const IValue& item : v.items()) add(item);
  return counts[same] = count;
}

// Adds each name in a text that stands between a dot and `ending`: "calls" for `self.calls = ` and the ending " = ".
void add_names(std::set<std::string, std::less<>>& names, std::string_view text, std::string_view ending) {
  for (size_t at = text.find(ending); at != std::string_view::npos; at = text.find(ending, at + 1)) {
    size_t begin = at;
    while (begin > 0 && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) || text[begin - 1] == '_')) --begin;
    if (begin > 0 && begin < at && text[begin - 1] == '.') names.emplace(text.substr(begin, at - begin));
  }
}

namespace {

// The type of a value that was not built.
ir::Type foreign_type(const IValue& v) {
  const auto* object = pickle::as<pickle::NamedObject>(v);
  if (!object) return ir::TypeKind::Any;
  return object->callable->module.starts_with("torch._") ? ir::Type(ir::TypeKind::Tensor)
                                                         : ir::Type::named(ir::TypeKind::Class, object->callable->full());
}

// Whether values of the type have NamedTuples in them. In the pickle they are plain tuples, and a constant of a graph would be one.
bool holds_named_tuple(const ir::Type& type) {
  if (type.is(ir::TypeKind::NamedTuple)) return true;
  const bool has_parts =
      type.is(ir::TypeKind::List) || type.is(ir::TypeKind::Dict) || type.is(ir::TypeKind::Optional) || type.is(ir::TypeKind::Tuple);
  return has_parts && std::ranges::any_of(type.elements(), holds_named_tuple);
}

}  // namespace

// Finds the attributes that code may change, so that graphs read their current values. It goes by names alone: an attribute whose name some method
// assigns, and a list or dict whose name is read in a method that writes to lists or dicts. An attribute of another class that has the same name is taken
// too, which is slower but correct.
void ScriptArchive::find_assigned() {
  std::set<std::string, std::less<>> assigned, changed;
  for (const auto& [name, c] : code_.classes())
    for (const SourceFunction& method : c.methods) {
      add_names(assigned, method.text, " = ");
      if (writes_containers(method.text)) add_names(changed, method.text, "\n");
    }
  std::map<const void*, IValue> live;
  // Of the constants of the code, those that no graph can hold are attributes of the root.
  for (size_t k = 0; k < constants_.size(); ++k) {
    std::set<const void*> seen;
    if (!holds_objects(constants_[k], seen)) continue;
    const std::string name = concat(kConstants, "c", k);
    modules_[0].objects.emplace(name, live_value(constants_[k], live));
    modules_[0].assigned.emplace(name, foreign_type(constants_[k]));
  }
  for (ModuleObject& m : modules_)
    for (const Field& f : m.type ? m.type->fields : std::vector<Field>()) {
      const bool container = f.type.starts_with("List[") || f.type.starts_with("Dict[");
      const auto value = std::ranges::find(m.attributes, f.name, &std::pair<std::string, IValue>::first);
      if (value == m.attributes.end() || module_of(value->second) >= 0) continue;
      std::set<const void*> seen;
      const bool objects = holds_objects(value->second, seen);
      const bool changes = assigned.contains(f.name) || (container && changed.contains(f.name));
      if (f.name == ir::kTraining || !(objects || changes || f.type.find("__torch__.") != std::string::npos)) continue;
      const ir::Type type = host_->type_of(f.type);
      if (!type || !(objects || changes || holds_named_tuple(type))) continue;
      if (objects) try {
          m.objects.emplace(f.name, live_value(value->second, live));
        } catch (const Error&) {  // compiling a method that reads it will raise the error
          continue;
        }
      m.assigned.emplace(f.name, type);
    }
}

bool ScriptArchive::is_foreign(const IValue& v) const {
  const auto* object = pickle::as<pickle::NamedObject>(v);
  return object && object->callable->module != "torch.jit._pickle" && !code_.find_class(object->callable->full()) && module_of(v) < 0;
}

bool ScriptArchive::holds_objects(const IValue& given, std::set<const void*>& seen, size_t depth) const {
  const IValue& v = untagged(given);
  if (depth > kMaxDepth || module_of(v) >= 0 || (pickle::is_container(v) && !seen.insert(pickle::identity(v)).second)) return false;
  const auto any = [&](const std::vector<IValue>& items) {
    return std::ranges::any_of(items, [&](const IValue& item) { return holds_objects(item, seen, depth + 1); });
  };
  if (v.is_list() || v.is_tuple()) return any(v.items());
  if (v.is_dict()) return std::ranges::any_of(v.pairs(), [&](const auto& pair) { return holds_objects(pair.second, seen, depth + 1); });
  if (is_foreign(v)) return true;
  const auto* object = pickle::as<pickle::NamedObject>(v);
  const SourceClass* c = object ? code_.find_class(object->callable->full()) : nullptr;
  if (!c) return false;
  if (c->kind == SourceClass::Kind::NamedTuple) return object->args.is_tuple() && any(object->args.items());
  // An object with a __setstate__ is none of these: the method would have to run while the archive is loaded.
  return c->kind == SourceClass::Kind::Object && object->is_new && !c->find("__setstate__") &&
         std::ranges::all_of(object->states, [](const IValue& state) { return pickle::dict_items(state) != nullptr; });
}

IValue ScriptArchive::live_value(const IValue& given, std::map<const void*, IValue>& made, size_t depth) const {
  const IValue& v = untagged(given);
  MONOGRAPH_CHECK(depth <= kMaxDepth, File, where_, ": data.pkl: objects nest deeper than ", kMaxDepth);
  const void* same = pickle::is_container(v) ? pickle::identity(v) : nullptr;
  if (const auto known = made.find(same); same && known != made.end()) return known->second;
  const auto keep = [&](IValue value) { return same ? made.emplace(same, std::move(value)).first->second : value; };
  const auto all = [&](const std::vector<IValue>& items) {
    std::vector<IValue> out;
    for (const IValue& item : items) out.push_back(live_value(item, made, depth + 1));
    return out;
  };
  if (v.is_ints()) {  // as a list of values, because a program may append to it
    std::vector<IValue> items(v.to_ints().begin(), v.to_ints().end());
    return keep(IValue::list(std::move(items)));
  }
  if (v.is_list()) return keep(IValue::list(all(v.items())));
  if (v.is_tuple()) return keep(IValue::tuple(all(v.items())));
  if (v.is_dict()) {
    std::vector<std::pair<IValue, IValue>> pairs;
    for (const auto& [key, held] : v.pairs()) pairs.emplace_back(key, live_value(held, made, depth + 1));
    return keep(IValue::dict(std::move(pairs)));
  }
  const auto* object = pickle::as<pickle::NamedObject>(v);
  if (!object || is_foreign(v)) return v;
  const std::string name = object->callable->full();
  const SourceClass* c = code_.find_class(name);
  if (c && c->kind == SourceClass::Kind::NamedTuple && object->args.is_tuple()) return IValue::tuple(all(object->args.items()));
  if (c && c->kind == SourceClass::Kind::Enum && object->args.is_tuple() && object->args.items().size() == 1) {
    const IValue& value = object->args.items()[0];
    if (std::string member = member_of(name, value); !member.empty())
      return IValue(Ref<ObjectBox>(new EnumBox(ir::intern(name), std::move(member), value)));
  }
  std::set<const void*> seen;
  MONOGRAPH_CHECK(c && c->kind == SourceClass::Kind::Object && holds_objects(v, seen), File, where_, ": data.pkl: a value of the class ",
                  shown(name), " is in the place of an object");
  Ref<InstanceBox> box(new InstanceBox(ir::intern(name)));
  const IValue whole(Ref<ObjectBox>(box.get()));
  if (same) made.emplace(same, whole);
  for (const IValue& state : object->states)
    for (const auto& [key, held] : *pickle::dict_items(state)) {
      MONOGRAPH_CHECK(key.is_string(), File, where_, ": data.pkl: an attribute of ", shown(name), " has a name that is not a str");
      box->attributes.emplace_back(key.to_string(), live_value(held, made, depth + 1));
    }
  return whole;
}

// Instances of one class may have different attributes in the file. Each set of attributes becomes a class of the Unit.
void ScriptArchive::make_unit() {
  unit_ = std::make_unique<ir::Unit>();
  std::unordered_map<std::string, const ir::Class*> classes;
  std::map<const void*, IValue> plain_values;
  std::map<const void*, size_t> counts;
  const ArchiveEntry* data = archive_->find(concat(root_, "/data.pkl"));
  const size_t most = 1'000'000 + (data ? 4 * static_cast<size_t>(data->size) : 0);
  for (ModuleObject& m : modules_) {
    std::vector<ir::Attribute> attributes;
    for (const auto& [key, value] : m.attributes) {
      MONOGRAPH_CHECK(count_of_values(value, most, counts) <= most, File, where_, ": data.pkl: the attribute ", shown(key), " of ",
                      m.type_name, " has more than ", most, " values, because lists in it are used many times");
      memory_->add(kLiteralBytes * count_of_values(value, most, counts), data ? static_cast<size_t>(data->size) : 0);
      ir::Args plain;
      const bool is_plain = module_of(value) < 0 && !value.is_tensor() && key != "training" && key != "_is_full_backward_hook" &&
                            exec::add_literal(plain, without_tags(value, plain_values));
      const bool objects = m.objects.contains(key);
      if (module_of(value) < 0 && !value.is_tensor() && !is_plain && !objects) continue;
      ir::Attribute a;
      a.name = key;
      if (const auto found = m.assigned.find(key); found != m.assigned.end()) a.type = found->second;
      if (is_plain || objects) {
        if (m.type && !a.type)
          for (const Field& f : m.type->fields)
            if (f.name == key) a.type = host_->type_of(f.type);
      } else if (module_of(value) >= 0) {
        a.kind = ir::Attribute::Kind::Module;
      } else {
        const auto in = [&](const std::vector<std::string>* names) { return names && std::ranges::find(*names, key) != names->end(); };
        a.kind = in(m.type ? &m.type->parameters : nullptr) ? ir::Attribute::Kind::Parameter
                 : in(m.type ? &m.type->buffers : nullptr)  ? ir::Attribute::Kind::Buffer
                                                            : ir::Attribute::Kind::Value;
        if (!a.type) a.type = ir::TypeKind::Tensor;
        if (a.kind == ir::Attribute::Kind::Parameter) value.as_tensor().impl()->is_parameter = true;
      }
      attributes.push_back(std::move(a));
    }
    for (const auto& [name, value] : m.objects)
      if (name.starts_with(kConstants)) attributes.push_back({.name = name, .type = m.assigned.at(name)});
    std::string signature = m.type_name;
    for (const ir::Attribute& a : attributes) signature += concat("\n", a.name, static_cast<int>(a.kind));
    const ir::Class*& type = classes[signature];
    if (!type) {
      std::string name = m.type_name;
      for (int k = 0; unit_->find_class(name); ++k) name = concat(m.type_name, "_", k);
      ir::Class* made = unit_->add_class(name);
      made->is_module = true, made->attributes = attributes;
      type = made;
    }
    m.made = unit_->add_module(type);
    m.made->training = m.training;
  }
  for (ModuleObject& m : modules_) {
    for (const auto& [key, value] : m.attributes) {
      const int k = m.made->type().index_of(key);
      if (k < 0 || m.objects.contains(key)) continue;
      ir::Module::Value& held = m.made->values[static_cast<size_t>(k)];
      if (const int inner = module_of(value); inner >= 0) held.module = modules_[static_cast<size_t>(inner)].made;
      else exec::add_literal(held.value, without_tags(value, plain_values));
    }
    if (m.objects.empty()) continue;
    InstanceBox* box = instance_of(exec::object_of(*m.made));
    for (const auto& [key, value] : m.objects) box->attributes.emplace_back(key, value);
  }
  unit_->set_root(modules_[0].made);
}

namespace {

// The type with what is known of a tensor in it.
ir::Type with_check(ir::Type type, std::span<const size_t> parts, const InputCheck& check) {
  if (parts.empty()) {
    if (!type.is(ir::TypeKind::Tensor)) return type;
    ir::TensorType known;
    known.dtype = check.dtype;
    if (check.dims) known.sizes.emplace(*check.dims);
    return known;
  }
  if (!type.is(ir::TypeKind::Tuple) || parts[0] >= type.elements().size()) return type;
  std::vector<ir::Type> elements(type.elements().begin(), type.elements().end());
  elements[parts[0]] = with_check(elements[parts[0]], parts.subspan(1), check);
  return ir::Type::tuple(elements);
}

}  // namespace

std::unique_ptr<ir::Graph> ScriptArchive::compiled(int module, std::string_view name) const {
  const capture::script::HostFunction f = host_->method(module, name);
  std::unique_ptr<ir::Graph> graph = capture::script::compile_method(*host_, f, module);
  for (const InputCheck& check : host_->checks_of(f))
    for (ir::Node* p : graph->placeholders())
      if (p->target().name() == check.input) graph->set_type(p, with_check(p->type(), check.parts, check), p->type_declared());
  return graph;
}

// How many calls of a graph no operator takes.
static size_t missing_calls(const ir::Graph& graph) {
  size_t count = 0;
  for (const ir::Node* n : ir::NestedNodes(graph)) count += exec::is_missing(*n);
  return count;
}

ir::Graph& ScriptArchive::method(int module, std::string_view name, std::string_view as) {
  const std::string& path = modules_.at(static_cast<size_t>(module)).path;
  std::string full = concat(path, path.empty() ? "" : ".", as.empty() ? name : as);
  if (const std::string now = modes(); now != modes_) full += concat("[modes ", now, "]");
  if (changes_) full += concat("[", changes_, "]");
  if (ir::Graph* known = unit_->find_function(full)) {
    if (!has_gained(*known)) return *known;
    ++changes_;
    return method(module, name, as);
  }
  std::unique_ptr<ir::Graph> graph = compiled(module, name);
  graph->set_name(full);
  graph->set_dialect(ir::Dialect::TorchScript);
  ir::Graph& added = *unit_->add_function(std::move(graph));
  if (const size_t missing = missing_calls(added)) missing_.emplace(&added, missing);
  return added;
}

bool ScriptArchive::has_gained(const ir::Graph& graph) const {
  const auto lacked = missing_.find(&graph);
  return lacked != missing_.end() && missing_calls(graph) < lacked->second;
}

bool ScriptArchive::reads_mode(const std::string& method) const {
  host_->read_modes_at_run_time = true;
  try {
    const std::unique_ptr<ir::Graph> graph = compiled(0, method);
    host_->read_modes_at_run_time = false;
    return exec::reads_mode(*graph, *unit_);
  } catch (const Error&) {
    host_->read_modes_at_run_time = false;
    return true;
  }
}

std::pair<std::unique_ptr<ir::Unit>, bool> ScriptArchive::program(const std::map<std::string, const ir::Graph*>& edited) const {
  const SourceClass* root = modules_[0].type;
  MONOGRAPH_CHECK(root, File, where_, ": the archive's code does not define the class of its module, ", modules_[0].type_name);
  exec::note_objects(*unit_, true);
  MONOGRAPH_CHECK(!root->find(SourceClass::kCall), NotImplemented, where_, ": the module has hooks (",
                  root->hooks.empty() ? root->pre_hooks[0] : root->hooks[0],
                  "), and a graph that was edited cannot be saved beside them; edit the graph that load_graph gives, and save that");
  const bool one_mode = std::ranges::any_of(edited, [&](const auto& e) { return reads_mode(e.first); });
  for (const bool at_run_time : {true, false}) {
    if (at_run_time && one_mode) continue;
    auto unit = copy_of_modules(*unit_);
    try {
      for (const SourceFunction& f : root->methods) {
        if (f.name.starts_with("__")) continue;
        const auto given = edited.find(f.name);
        host_->read_modes_at_run_time = at_run_time;
        std::unique_ptr<ir::Graph> graph = given != edited.end() ? given->second->clone() : compiled(0, f.name);
        host_->read_modes_at_run_time = false;
        if (given != edited.end()) resolve_operators(*graph);
        graph->set_name(f.name);
        unit->add_function(std::move(graph));
      }
    } catch (const Error&) {
      host_->read_modes_at_run_time = false;
      if (at_run_time) continue;
      throw;
    }
    MONOGRAPH_CHECK(!unit->functions().empty(), NotImplemented, where_, ": the module has no method that can be saved");
    capture::script::add_classes(*unit, *host_);
    return {std::move(unit), !at_run_time};
  }
  return {};
}

std::string ScriptArchive::modes() const {
  std::string out;
  for (const ModuleObject& m : modules_) out += m.training ? 't' : 'e';
  return out;
}

void ScriptArchive::set_training(int module, bool training) {
  ModuleObject& m = modules_.at(static_cast<size_t>(module));
  m.training = m.made->training = training;
}

void ScriptArchive::set_attribute(int module, std::string_view name, const IValue& value) {
  ModuleObject& m = modules_.at(static_cast<size_t>(module));
  const auto held = std::ranges::find(m.attributes, name, &std::pair<std::string, IValue>::first);
  MONOGRAPH_CHECK(held != m.attributes.end(), Attribute, m.type_name, " has no attribute ", shown(name));
  std::string type;
  for (const Field& f : m.type ? m.type->fields : std::vector<Field>())
    if (f.name == name) type = f.type;
  const ir::Type wanted = host_->type_of(type);
  ir::Args plain;
  MONOGRAPH_CHECK(wanted && exec::add_literal(plain, value), Type, "the attribute ", shown(name), " of ", m.type_name,
                  " cannot be assigned a ", describe(value), "; its type is ", type);
  IValue given = value;
  if (wanted.is(ir::TypeKind::Float) && value.is_int()) given = static_cast<double>(value.to_int());
  MONOGRAPH_CHECK(is_value_of(given, wanted), Type, "the attribute ", shown(name), " of ", m.type_name, " has the type ", type,
                  ", but it was given a ", describe(value));
  // The file may hold a list or dict as a call that also names its type (untagged()). The new value is written in the same call.
  auto* tagged = pickle::as<pickle::NamedObject>(held->second);
  const bool wrapped = &untagged(held->second) != &held->second;
  if (wrapped) {
    std::vector<IValue> args = tagged->args.items();
    args[0] = given;
    Ref<pickle::NamedObject> made(new pickle::NamedObject());
    made->callable = tagged->callable, made->is_new = tagged->is_new;
    made->args = IValue::tuple(std::move(args));
    held->second = IValue(Ref<ObjectBox>(made.get()));
  } else {
    held->second = given;
  }
  if (const int k = m.made->type().index_of(name); k >= 0) {
    plain = ir::Args();
    exec::add_literal(plain, given);
    m.made->values[static_cast<size_t>(k)].value = plain;
  }
  host_->forget_tensors();
  if (InstanceBox* object = instance_of(m.made->object))
    if (IValue* now = object->find(std::string(name))) *now = given;
  ++changes_;
}

std::vector<std::string> ScriptArchive::extra_files() const {
  std::vector<std::string> names;
  const std::string folder = concat(root_, "/extra/");
  for (const ArchiveEntry& entry : archive_->entries())
    if (entry.name.starts_with(folder) && entry.name.size() > folder.size()) names.push_back(entry.name.substr(folder.size()));
  return names;
}

std::string ScriptArchive::extra_file(std::string_view name) const {
  const ArchiveEntry* entry = archive_->find(concat(root_, "/extra/", name));
  MONOGRAPH_CHECK(entry, Key, where_, ": the archive has no extra file ", shown(name));
  const Archive::Content content = archive_->read(*entry, true);
  return std::string(as_text(content.bytes));
}

void ScriptArchive::read_relied_on() {
  if (!archive_->find(concat(root_, "/extra/", kReliedOn))) return;
  const std::string text = extra_file(kReliedOn);
  std::map<std::string, std::vector<std::string>, std::less<>> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    if (const size_t colon = line.find(": "); colon != std::string_view::npos)
      lines[std::string(line.substr(0, colon))].emplace_back(line.substr(colon + 2));
    at = end + 1;
  }
  for (const auto& graph : unit_->functions())
    if (const auto found = lines.find(graph->name().substr(graph->name().rfind('.') + 1)); found != lines.end())
      graph->set_relied_on(std::move(found->second));
}

std::vector<std::pair<std::string, IValue>> ScriptArchive::members(std::string_view cls) const {
  std::vector<std::pair<std::string, IValue>> out;
  const SourceClass* c = code_.find_class(cls);
  if (!c || c->kind != SourceClass::Kind::Enum) return out;
  for (const Field& f : c->fields) {
    const capture::script::SourceText text(f.value, c->file);
    capture::script::Tree tree;
    const capture::script::Expr* e = capture::script::parse_expression(text, {0, static_cast<uint32_t>(f.value.size())}, tree);
    if (e->kind == capture::script::SyntaxKind::String) out.emplace_back(f.name, e->text);
    else if (f.value.find_first_of(".en") != std::string::npos) out.emplace_back(f.name, std::strtod(f.value.c_str(), nullptr));
    else out.emplace_back(f.name, static_cast<int64_t>(std::strtoll(f.value.c_str(), nullptr, 10)));
  }
  return out;
}

std::string ScriptArchive::member_of(std::string_view cls, const IValue& value) const {
  for (const auto& [name, known] : members(cls)) {
    if (known.tag() != value.tag()) continue;
    if (known.is_string() ? known.to_string() == value.to_string()
        : known.is_int()  ? known.to_int() == value.to_int()
                          : known.to_double() == value.to_double())
      return name;
  }
  return {};
}

std::vector<std::string> ScriptArchive::operators() const {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const std::string& text : texts_)
    for (std::string& name : operators_in(text))
      if (seen.insert(name).second) out.push_back(std::move(name));
  return out;
}

std::unique_ptr<ir::Unit> open_program(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& where,
                                       std::vector<RefusedFunction>& refused, bool to_run) {
  std::shared_ptr<ScriptArchive> archive = ScriptArchive::parse(bytes, std::move(owner), where);
  if (to_run) archive->settle();
  const SourceClass* root = archive->modules()[0].type;
  MONOGRAPH_CHECK(root, File, where, ": the archive's code does not define the class of its module, ", archive->modules()[0].type_name);
  const auto compile = [&](const SourceFunction& f, std::string_view method) {
    try {
      archive->method(0, method, f.name);
    } catch (const Error&) {
      refused.push_back({f.name, f.text, concat(f.file, ", line ", f.line), std::current_exception()});
    }
  };
  if (const SourceFunction* forward = root->find("forward")) compile(*forward, root->called());
  for (const SourceFunction& f : root->methods)
    if (f.name != "forward" && !f.name.starts_with("__")) compile(f, f.name);
  archive->read_relied_on();
  return archive->take_unit();
}

}  // namespace monograph::torchscript
