// ArchiveMaker makes all texts and pickles in its constructor, before the first byte is written. So a program that cannot be expressed leaves no file.
#include "formats/torchscript/save.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "core/error.h"
#include "exec/interpreter.h"
#include "formats/archive.h"
#include "formats/file.h"
#include "formats/torchscript/pickler.h"
#include "ir/builder.h"
#include "ir/text.h"
#include "ir/torchscript_code.h"
#include "ops/objects.h"
#include "ops/torchscript_names.h"

namespace monograph::torchscript {
namespace {

using ir::ArgKind;
using ir::ArgRef;
using ir::Attribute;
using ir::Type;
using ir::TypeKind;

constexpr std::string_view kVersion = "10";  // the version of the operators, which PyTorch reads without upgrading calls

// --- Code.

// The texts below code/, by file. A file's classes stand in the order in which they are added.
class CodeFiles {
 public:
  // The name of a class in the archive, which PyTorch's parser accepts: "__torch__.model.Net" for "model.<locals>.Net".
  std::string class_name(const std::string& name) {
    auto [found, made] = names_.try_emplace(name);
    if (!made) return found->second;
    std::string out = name.starts_with("__torch__.") ? name : "__torch__." + name;
    if (out.starts_with("__torch__.__main__.")) out.erase(10, 9);
    for (size_t at = out.find("<locals>."); at != std::string::npos; at = out.find("<locals>.")) out.erase(at, 9);
    for (char& c : out)
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.') c = '_';
    const size_t dot = out.rfind('.');
    const std::string space = out.substr(0, dot), last = out.substr(dot);
    for (int k = 0; !taken_.insert(out).second; ++k) out = concat(space, ".___torch_mangle_", k, last);
    return found->second = out;
  }
  void add(const std::string& cls, const CodeText& text) {
    std::string file = cls.substr(0, cls.rfind('.'));
    std::ranges::replace(file, '.', '/');
    texts_[concat("code/", file, ".py")].add(text);
  }
  const std::map<std::string, CodeText>& texts() const { return texts_; }

 private:
  std::map<std::string, std::string> names_;  // from a class's name in the program to its name in the archive
  std::map<std::string, CodeText> texts_;
  std::set<std::string> taken_;  // the names in the archive
};

// The power of two ints, for which TorchScript has no operator that gives an int. It is part of the archives that need it.
constexpr const char* kIntPower = "__torch__.monograph_arithmetic.int_power";
constexpr std::string_view kIntPowerCode = R"(def int_power(a: int,
    b: int) -> int:
  if torch.lt(b, 0):
    ops.prim.RaiseException("an int to the power of a negative int is a float; write float(a) ** b", "builtins.RuntimeError")
  else:
    pass
  power = 1
  base = a
  left = b
  while torch.gt(left, 0):
    odd = torch.eq(torch.remainder(left, 2), 1)
    if odd:
      factor = power
    else:
      factor = base
    product = torch.mul(factor, base)
    if torch.ne(base, 0):
      if torch.ne(torch.floordiv(product, base), factor):
        ops.prim.RaiseException("an int to the power of an int has more than 64 bits; write float(a) ** b", "builtins.RuntimeError")
      else:
        pass
    else:
      pass
    if odd:
      power = product
      left = torch.sub(left, 1)
    else:
      base = product
      left = torch.floordiv(left, 2)
  return power
)";

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

// Adds the line that declares an attribute. `has_annotations` says whether the text has a list __annotations__, for names such as "0".
void add_field(std::string& text, bool& has_annotations, const std::string& name, const std::string& type) {
  if (ir::is_identifier(name)) return void(text += concat("  ", name, " : ", type, "\n"));
  if (!std::exchange(has_annotations, true)) text += "  __annotations__ = []\n";
  text += concat("  __annotations__[\"", name, "\"] = ", type, "\n");
}

class ArchiveMaker {
 public:
  ArchiveMaker(const ir::Unit& unit, const ScriptSaveOptions& options) : unit_(unit), options_(options) {
    exec::note_objects(unit, true);
    check_other_mode();
    code_.class_name = [this](const std::string& name) { return files_.class_name(name); };
    code_.strict = true;
    code_.int_power = [this] {
      if (!std::exchange(has_int_power_, true)) files_.add(kIntPower, written(kIntPowerCode));
      return std::string(kIntPower);
    };
    code_.why_not = [](const ir::OpInfo& op) {
      return op.name().starts_with("monograph::") ? "it is an operator of Monograph's own" : why_no_torchscript(op.name());
    };
    root_class_ = files_.class_name(unit.root() ? unit.root()->type().name : "__torch__.PlaceholderModule");
    add_user_classes();
    add_modules();
    make_pickles();
  }

  void write(ArchiveWriter& archive, const std::string& root) const {
    ArchiveParts parts;
    parts.data = data_, parts.data_storages = &data_storages_;
    parts.constants = constants_pickle_, parts.constant_storages = &constant_storages_;
    for (const auto& [file, code] : files_.texts()) {
      parts.code.emplace_back(file, code.text);
      if (std::string entry = debug_entry(code, options_.file_texts); !entry.empty())
        parts.code.emplace_back(file + ".debug_pkl", std::move(entry));
    }
    parts.extra_files = options_.extra_files, parts.version = kVersion;
    if (std::string lines = relied_on(); !lines.empty()) parts.extra_files.emplace_back(kReliedOn, std::move(lines));
    if (std::string calls = calls_entry(files_.texts()); !calls.empty()) parts.extra_files.emplace_back(kCalls, std::move(calls));
    parts.write(archive, root);
  }

 private:
  std::string relied_on() const {
    std::string text;
    for (const auto& graph : unit_.functions())
      for (std::string line : graph->relied_on()) {
        std::ranges::replace(line, '\n', ' ');
        text += concat(method_name(*graph).empty() ? last_part(graph->name()) : method_name(*graph), ": ", line, "\n");
      }
    return text;
  }
  std::string type(Type t) const { return ir::torchscript_type(t, code_); }

  // Refuses a program of the other mode whose modules or tensors are not the same.
  void check_other_mode() const {
    if (!options_.other_mode) return;
    const auto refuse = [] { fail(ErrorKind::NotImplemented, "the program has other modules, or other tensors, in its other mode"); };
    const auto &modules = unit_.modules(), &others = options_.other_mode->modules();
    if (!unit_.root() || modules.size() != others.size() || unit_.functions().size() != options_.other_mode->functions().size()) refuse();
    for (size_t k = 0; k < modules.size(); ++k) {
      const ir::Module &m = *modules[k], &other = *others[k];
      if (m.type().name != other.type().name || m.training == other.training || m.values.size() != other.values.size()) refuse();
      for (size_t i = 0; i < m.values.size(); ++i) {
        const ir::Args &value = m.values[i].value, &value_of_other = other.values[i].value;
        if (m.type().attributes[i].name != other.type().attributes[i].name || value.size() != value_of_other.size()) refuse();
        if (value.size() != 1 || !value[0].is(ArgKind::Tensor)) continue;
        if (!value_of_other[0].is(ArgKind::Tensor) || exec::tensor_of(value[0].as_tensor().shared_from_this()).impl() !=
                                                          exec::tensor_of(value_of_other[0].as_tensor().shared_from_this()).impl())
          refuse();
      }
    }
  }

  // Adds the texts of the NamedTuples, Enums and script classes that the graphs use.
  void add_user_classes() {
    std::map<std::string, Type> found;
    Members members;
    std::vector<const ir::Graph*> graphs;
    for (const auto& g : unit_.functions()) graphs.push_back(g.get());
    for (const ScriptSaveOptions::Part& part : options_.parts) graphs.push_back(part.graph);
    for (const ir::Graph* g : graphs)
      for (const ir::Node* n : ir::NestedNodes(*g)) {
        find_classes(n->type(), found);
        if (n->target().name() == "prim::isinstance" && n->arg_count() == 2 && n->arg(1).is(ArgKind::Str))
          find_classes(ir::parse_type(n->arg(1).as_str()), found);
        if (n->target().name() == "prim::EnumMember" && n->arg_count() > 2)
          members[n->type().name()].emplace(n->arg(1).as_str(), literal(n->arg(2)));
      }
    if (options_.members)
      for (const auto& [name, t] : found)
        if (t.is(TypeKind::Enum))
          for (const auto& [member, value] : options_.members(name)) members[name].emplace(member, literal(value[0]));
    std::set<std::string> done;
    for (const auto& [name, t] : found) add_user_class(name, t, members, done);
  }
  using Members = std::map<std::string, std::map<std::string, std::string>>;
  static std::string literal(ArgRef a) {
    std::string text;
    if (a.is(ArgKind::Str)) ir::print_torchscript_string(text, a.as_str());
    else if (a.is(ArgKind::Float)) ir::print_torchscript_float(text, a.as_float());
    else ir::print_arg(text, a);
    return text;
  }
  bool is_module_class(const std::string& name) const {
    const ir::Class* c = unit_.find_class(name);
    return name == ir::kModuleObject || (c && c->is_module);
  }
  void find_classes(Type t, std::map<std::string, Type>& found) const {
    if (!t) return;
    const bool named = t.is(TypeKind::NamedTuple) || t.is(TypeKind::Enum) || (t.is(TypeKind::Class) && !is_module_class(t.name()));
    if (named) {
      const auto [known, made] = found.emplace(t.name(), t);
      MONOGRAPH_CHECK(known->second == t, NotImplemented, "PyTorch cannot express the NamedTuple ", t.name(),
                      ": its fields have one type each there, and the program returns it as ", to_string(known->second), " and as ",
                      to_string(t));
      if (!made) return;
    }
    for (Type part : t.elements()) find_classes(part, found);
  }
  void add_user_class(const std::string& name, Type t, const Members& members, std::set<std::string>& done) {
    if (!done.insert(name).second) return;
    const std::string cls = files_.class_name(name);
    std::string text = concat("class ", last_part(cls));
    std::map<std::string, Type> inner;  // the classes of its attributes, which must be defined before it
    if (t.is(TypeKind::NamedTuple)) {
      text += "(NamedTuple):\n";
      for (size_t k = 0; k < t.elements().size(); ++k)
        text += concat("  ", t.fields()[k], " : ", type(t.elements()[k]), "\n"), find_classes(t.elements()[k], inner);
    } else if (t.is(TypeKind::Enum)) {
      text += "(Enum):\n";
      const auto known = members.find(name);
      MONOGRAPH_CHECK(known != members.end(), NotImplemented, "PyTorch cannot express the Enum ", name,
                      ": the program names none of its members, which an archive must list");
      for (const auto& [member, value] : known->second) text += concat("  ", member, " = ", value, "\n");
    } else {
      const ir::Class* c = unit_.find_class(name);
      MONOGRAPH_CHECK(c, NotImplemented, "PyTorch cannot express the class ", name, ": its attributes are not known");
      text += ":\n";
      for (const Attribute& a : c->attributes) text += concat("  ", a.name, " : ", type(a.type), "\n"), find_classes(a.type, inner);
      if (c->attributes.empty()) text += "  __annotations__ = []\n";  // PyTorch reads no class without a body
    }
    for (const auto& [other, of] : inner) add_user_class(other, of, members, done);
    files_.add(cls, written(text));
  }

  std::vector<const ir::Graph*> methods() const {
    std::vector<const ir::Graph*> out;
    for (const auto& g : unit_.functions())
      if (!method_name(*g).empty()) out.push_back(g.get());
    return out;
  }
  // The name of the root's method that the function becomes; "" if it becomes none.
  std::string method_name(const ir::Graph& g) const {
    if (g.name().find('.') == std::string::npos) return unit_.root() && !g.name().empty() ? g.name() : "forward";
    const std::string prefix = unit_.root() ? unit_.root()->type().name + "." : "";
    return !prefix.empty() && g.name().starts_with(prefix) ? g.name().substr(prefix.size()) : "";
  }

  // Lines that come from no line of the user's program.
  static CodeText written(std::string_view lines) {
    CodeText text;
    text.add(lines);
    return text;
  }

  // Splits a method's code after the lines of its signature.
  static std::pair<CodeText, CodeText> signature_and_body(const CodeText& code) {
    size_t at = 0;
    std::ptrdiff_t lines = 0;
    for (size_t end = 0; (end = code.text.find('\n', at)) != std::string::npos; at = end + 1) {
      ++lines;
      if (end > at && code.text[end - 1] == ':')
        return {{code.text.substr(0, end + 1), {code.origins.begin(), code.origins.begin() + lines}},
                {code.text.substr(end + 1), {code.origins.begin() + lines, code.origins.end()}}};
    }
    return {code, {}};
  }

  // The code of a function, and where its lines come from.
  CodeText code_of(const ir::Graph& g, ir::TorchScriptCode options) {
    CodeText code;
    options.origins = &code.origins;
    code.text = ir::to_torchscript_code(g, options, constants_);
    return code;
  }

  // Replaces each word `from` in the text by `to`.
  static std::string with_word(const std::string& text, std::string_view from, std::string_view to) {
    const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    std::string out;
    for (size_t at = 0; at < text.size();) {
      size_t end = at;
      while (end < text.size() && in_word(text[end])) ++end;
      if (end == at) out += text[at++];
      else out += text.substr(at, end - at) == from ? std::string(to) : text.substr(at, end - at), at = end;
    }
    return out;
  }

  // `code` is the graph's code, compiled in the mode `training`. If the code in the other mode differs, the result has both, and `if self.training:` chooses.
  CodeText code_in_both_modes(const ir::Graph& g, const CodeText& code, const ir::TorchScriptCode& options, bool training) {
    const ir::Graph* other = options_.other_mode->find_function(g.name());
    const auto refuse = [&](const char* why) {
      fail(ErrorKind::NotImplemented, "the method ", g.name(), " has no form for both modes: ", why);
    };
    if (!other) refuse("it is called in one of them only");
    const CodeText code_of_other = code_of(*other, options);
    const auto [signature, body] = signature_and_body(code);
    const CodeText body_of_other = signature_and_body(code_of_other).second;
    const std::vector<ir::Node*> inputs = g.placeholders(), inputs_of_other = other->placeholders();
    if (inputs.size() != inputs_of_other.size()) refuse("it takes other inputs in the other one");
    std::string names;
    CodeText same = code_of_other;  // the other code, with the inputs' names of `code`
    for (size_t k = 0; k < inputs.size(); ++k) {
      const std::string_view name = inputs[k]->name(), name_of_other = inputs_of_other[k]->name();
      if (name == name_of_other) continue;
      for (const ir::Node* n : inputs)
        if (n->name() == name_of_other) refuse("its inputs have other names in the other one");
      names += concat("  ", name_of_other, " = ", name, "\n");
      same.text = with_word(same.text, name_of_other, name);
    }
    if (same.text == code.text) return code;
    if (signature_and_body(same).first.text != signature.text) refuse("it takes or returns another type in the other one");
    CodeText second = written(names);
    second.add(body_of_other);
    CodeText both = signature;
    both.add("  if self.training:\n");
    both.add(indented(training ? body : second));
    both.add("  else:\n");
    both.add(indented(training ? second : body));
    return both;
  }

  // Adds the lines at the beginning of forward that check the keys of dict inputs.
  void add_lines_of_keys(std::vector<std::string>& lines) const {
    for (const auto& [input, keys] : options_.keys) {
      std::string list, order;
      for (const std::string& key : keys) {
        list += list.empty() ? "" : ", ", order += order.empty() ? "" : ", ";
        ir::print_torchscript_string(list, key);
        order += key;
      }
      std::string message;
      ir::print_torchscript_string(message, concat("the trace holds for a dict ", input, " with the keys in this order: ", order));
      lines.insert(lines.end(), {concat("if torch.ne(torch.keys(", input, "), [", list, "]):"),
                                 concat("  ops.prim.RaiseException(", message, ", \"builtins.ValueError\")"), "else:", "  pass"});
    }
  }

  bool has_methods(const ir::Module& m) const {
    const std::string prefix = m.type().name + ".";
    return std::ranges::any_of(unit_.functions(), [&](const auto& f) { return f->name().starts_with(prefix); });
  }

  // The lines at the beginning of a root's method that check the modes of the modules for which the root chooses (ScriptSaveOptions::modes).
  std::vector<std::string> lines_of_one_mode() const {
    std::vector<std::string> lines;
    for (const std::string& path : options_.modes) {
      const ir::Module* m = path.empty() ? nullptr : module_at(path);
      if (!m || has_methods(*m)) continue;
      std::string place = "self";
      for (size_t at = 0; at <= path.size();) {
        const size_t end = std::min(path.find('.', at), path.size());
        const std::string part = path.substr(at, end - at);
        place = ir::is_identifier(part) ? concat(place, ".", part) : concat("getattr(", place, ", \"", part, "\")");
        at = end + 1;
      }
      lines.insert(lines.end(), {concat("if torch.ne(", place, ".training, self.training):"),
                                 concat("  ops.prim.RaiseException(\"the trace was saved for ", path,
                                        " in the mode of the whole module, and that is in another one\", \"builtins.RuntimeError\")"),
                                 "else:", "  pass"});
    }
    return lines;
  }

  // With two more spaces before each line.
  static CodeText indented(const CodeText& code) {
    CodeText out;
    out.origins = code.origins;
    for (size_t at = 0; at < code.text.size();) {
      const size_t end = std::min(code.text.find('\n', at), code.text.size() - 1) + 1;
      out.text += "  " + code.text.substr(at, end - at);
      at = end;
    }
    return out;
  }

  // The text of one method of a class, indented.
  CodeText method_text(const ir::Graph& g, const std::string& cls, const std::string& name, bool training) {
    ir::TorchScriptCode options = code_;
    options.self_type = cls, options.name = name;
    if (options_.one_mode && unit_.root())
      options.first_lines = {concat("if torch.ne(self.training, ", training ? "True" : "False", "):"),
                             concat("  ops.prim.RaiseException(\"the graph was compiled for ", training ? "training" : "evaluation",
                                    ", and runs in no other mode\", \"builtins.RuntimeError\")"),
                             "else:", "  pass"};
    if (options_.other_mode && cls == root_class_) options.first_lines = lines_of_one_mode();
    if (cls == root_class_ && name == "forward") add_lines_of_keys(options.first_lines);
    std::string checks;
    if (cls == root_class_) options.input_checks = &checks;
    CodeText code = code_of(g, options);
    options.input_checks = nullptr;
    if (options_.other_mode) code = code_in_both_modes(g, code, options, training);
    if (!checks.empty()) {
      auto [signature, body] = signature_and_body(code);
      signature.add(checks), signature.add(body);
      code = std::move(signature);
    }
    return indented(code);
  }

  // The methods of a module below the root: those in options_.parts, and the functions that are named after the module's class, as a trace has them.
  CodeText part_methods(const ir::Module& m, const std::string& cls) {
    CodeText text;
    for (const ScriptSaveOptions::Part& part : options_.parts)
      if (!part.path.empty() && module_at(part.path) == &m)
        text.add(part.name == "__getstate__" || part.name == "__setstate__" ? state_method(part, cls)
                                                                            : method_text(*part.graph, cls, part.name, m.training));
    const std::string prefix = m.type().name + ".";
    for (const auto& g : unit_.functions())
      if (g->name().starts_with(prefix) && g->name().find('.', prefix.size()) == std::string::npos)
        text.add(method_text(*g, cls, g->name().substr(prefix.size()), m.training));
    return text;
  }
  const ir::Module* module_at(const std::string& path) const {
    const ir::Module::Value* found = unit_.root() ? unit_.root()->value_at(path) : nullptr;
    return found ? found->module : nullptr;
  }

  CodeText methods_text() {
    CodeText text;
    MONOGRAPH_CHECK(unit_.root() || methods().size() < 2, NotImplemented,
                    "an archive holds modules; this program has several functions and no module");
    for (const ir::Graph* g : methods()) text.add(method_text(*g, root_class_, method_name(*g), !unit_.root() || unit_.root()->training));
    for (const ScriptSaveOptions::Part& part : options_.parts)
      if (part.path.empty()) text.add(state_method(part, root_class_));
    return text;
  }
  // A __getstate__ or __setstate__, which runs in every mode.
  CodeText state_method(const ScriptSaveOptions::Part& part, const std::string& cls) {
    ir::TorchScriptCode options = code_;
    options.self_type = cls, options.name = part.name;
    return indented(code_of(*part.graph, options));
  }

  // Adds the texts of the modules' classes. Inner modules come first. PyTorch reads classes in any order; this one is for human readers.
  void add_modules() {
    const CodeText root_methods = methods_text();
    if (!unit_.root()) {
      files_.add(root_class_, written(concat("class ", last_part(root_class_), "(Module):\n  __parameters__ = []\n  __buffers__ = []\n")));
      return files_.add(root_class_, root_methods);
    }
    std::set<const ir::Class*> done;
    for (auto it = unit_.modules().rbegin(); it != unit_.modules().rend(); ++it) {
      const ir::Class& c = (*it)->type();
      if (!c.is_module || !done.insert(&c).second) continue;
      const std::string cls = files_.class_name(c.name);
      files_.add(cls, written(module_text(**it)));
      files_.add(cls, it->get() == unit_.root() ? root_methods : part_methods(**it, cls));
    }
  }

  Type attribute_type(const ir::Module& m, size_t k) const {
    const Attribute& a = m.type().attributes[k];
    const ir::Args& v = m.values[k].value;
    if (v.size() == 1 && v[0].is(ArgKind::None) && (!a.type || a.type.is(TypeKind::Tensor))) return TypeKind::None;
    if (!a.type && v.size() == 1) return ir::type_of(v[0]);
    return a.type;
  }

  static void add_names(std::string& text, std::string_view list, const std::vector<std::string>& names) {
    if (names.empty()) return;
    text += concat("  ", list, " = [");
    for (const std::string& name : names) text += concat("\"", name, "\", ");
    text += "]\n";
  }

  std::string module_text(const ir::Module& m) {
    const ir::Class& c = m.type();
    const auto names = [&](Attribute::Kind kind) {
      std::string out = "[";
      for (size_t k = 0; k < c.attributes.size(); ++k)
        if (c.attributes[k].kind == kind && !attribute_type(m, k).is(TypeKind::None)) out += concat("\"", c.attributes[k].name, "\", ");
      return out + "]";
    };
    std::string text =
        concat("class ", last_part(files_.class_name(c.name)), "(Module):\n  __parameters__ = ", names(Attribute::Kind::Parameter),
               "\n  __buffers__ = ", names(Attribute::Kind::Buffer), "\n");
    for (const ScriptSaveOptions::Hooks& hooks : options_.hooks)
      if (hooks.path.empty() ? &m == unit_.root() : module_at(hooks.path) == &m)
        add_names(text, "__forward_pre_hooks__", hooks.before), add_names(text, "__forward_hooks__", hooks.behind);
    bool has_annotations = false;
    for (size_t k = 0; k < c.attributes.size(); ++k) {
      const ir::Module* inner = m.values[k].module;
      add_field(text, has_annotations, c.attributes[k].name, inner ? files_.class_name(inner->type().name) : type(attribute_type(m, k)));
    }
    if (c.index_of("training") < 0) text += "  training : bool\n";
    text += "  _is_full_backward_hook : Optional[bool]\n";
    return text;
  }

  void make_pickles() {
    Pickler data(data_storages_);
    if (unit_.root()) pickle_module(data, *unit_.root());
    else data.begin_object(root_class_), data.end_object();
    data_ = data.finish();
    Pickler constants(constant_storages_);
    constants.mark();
    for (const ir::TensorRef& t : constants_) constants.tensor(exec::tensor_of(t), "a constant of the graph");
    constants.end_tuple();
    constants_pickle_ = constants.finish();
  }

  ObjectClasses object_classes() {
    return {[this](const std::string& cls) { return files_.class_name(cls); },
            [this](const std::string& cls) {
              const ir::Class* c = unit_.find_class(cls);
              MONOGRAPH_CHECK(c, NotImplemented, "PyTorch cannot express the class ", cls, ": its attributes are not known");
              std::vector<std::pair<std::string, Type>> out;
              for (const Attribute& a : c->attributes) out.emplace_back(a.name, a.type);
              return out;
            }};
  }

  void pickle_module(Pickler& out, const ir::Module& m) {
    if (const auto known = numbers_.find(&m); known != numbers_.end()) return out.again(known->second);
    const ir::Class& c = m.type();
    for (const ScriptSaveOptions::State& state : options_.states)
      if (state.path.empty() ? &m == unit_.root() : module_at(state.path) == &m) {
        out.begin_object_with_state(files_.class_name(c.name));
        out.value(state.value, state.type, concat("the state of ", c.name), object_classes());
        out.end_object_with_state();
        numbers_.emplace(&m, out.remember());
        return;
      }
    out.begin_object(files_.class_name(c.name));
    for (size_t k = 0; k < c.attributes.size(); ++k) {
      out.text(c.attributes[k].name);
      const std::string what = concat("the attribute ", c.attributes[k].name, " of ", c.name);
      if (m.values[k].module) pickle_module(out, *m.values[k].module);
      else if (m.values[k].value.size() == 1) out.value(m.values[k].value[0], attribute_type(m, k), what);
      else if (InstanceBox* object = instance_of(m.object); object && object->find(c.attributes[k].name))
        out.value(*object->find(c.attributes[k].name), attribute_type(m, k), what, object_classes());
      else out.none();
    }
    if (c.index_of("training") < 0) out.text("training"), out.boolean(m.training);
    out.text("_is_full_backward_hook"), out.none();
    out.end_object();
    numbers_.emplace(&m, out.remember());
  }

  const ir::Unit& unit_;
  const ScriptSaveOptions& options_;
  ir::TorchScriptCode code_;
  CodeFiles files_;
  std::string root_class_;
  std::vector<ir::TensorRef> constants_;
  bool has_int_power_ = false;
  StorageTable data_storages_, constant_storages_;
  std::string data_, constants_pickle_;
  std::unordered_map<const ir::Module*, size_t> numbers_;  // in data.pkl
};

}  // namespace

void ArchiveParts::write(ArchiveWriter& archive, std::string_view root) const {
  const auto add = [&](const std::string& name, std::string_view content) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(content));
    archive.add(concat(root, "/", name), {&bytes, 1});
  };
  const auto add_storages = [&](std::string_view folder, const StorageTable& table) {
    size_t k = 0;
    for (const StorageTable::Record& r : table.records()) {
      const std::span<const std::byte> bytes(r.storage ? reinterpret_cast<const std::byte*>(r.storage->data()) : nullptr, r.bytes);
      archive.add(concat(root, "/", folder, "/", k++), {&bytes, 1});
    }
  };
  add("data.pkl", data);
  add_storages("data", *data_storages);
  for (const auto& [file, text] : code) add(file, text);
  for (const auto& [name, content] : extra_files) add(concat("extra/", name), content);
  add("constants.pkl", constants);
  add_storages("constants", *constant_storages);
  add("version", version + "\n");
  add("byteorder", "little");
  archive.commit();
}

void resolve_operators(ir::Graph& graph) {
  for (ir::Node* n : ir::NestedNodes(graph)) {
    const bool method = n->op() == ir::Op::CallMethod && n->arg_count() && ir::type_of(n->arg(0)).is(ir::TypeKind::Tensor);
    if ((n->op() != ir::Op::CallFunction && !method) || n->info() || n->is_projection()) continue;
    const ir::OpInfo* op = ir::operator_lookup().resolve(*n);
    if (!op || (method && op->results() > 1)) continue;
    const std::string& name = n->target().name();
    graph.set_target(n, ir::Op::CallFunction, graph.resolved(method ? concat("torch.Tensor.", name) : name, op->name()));
  }
}

std::string root_folder(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1), root = name.substr(0, name.rfind('.'));
  return root.empty() ? "archive" : root;
}

void save_archive(const ir::Unit& unit, const std::string& path, const ScriptSaveOptions& options) {
  const ArchiveMaker made(unit, options);
  ArchiveWriter archive(path);
  made.write(archive, root_folder(path));
}

void save_archive(const ir::Unit& unit, const std::function<void(const void*, size_t)>& write, std::string_view root,
                  const ScriptSaveOptions& options) {
  const ArchiveMaker made(unit, options);
  ArchiveWriter archive(write);
  made.write(archive, std::string(root));
}

}  // namespace monograph::torchscript
