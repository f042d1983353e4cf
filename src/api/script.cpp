// Implements monograph/script.h: functions, modules, and loading and saving them. A module is a pair of a ScriptProgram and one of its ir::Modules.
#include <fstream>
#include <iostream>
#include <iterator>
#include <ostream>

#include "api/script_program.h"
#include "capture/script/compiler.h"
#include "capture/script/parser.h"
#include "exec/freeze.h"
#include "formats/file.h"
#include "formats/mgraph.h"
#include "formats/open.h"
#include "formats/torchscript/dialect.h"
#include "formats/torchscript/save.h"
#include "ir/torchscript_code.h"
#include "ir/words.h"
#include "ops/objects.h"
#include "ops/pointwise.h"
#include "ops/tensor_data.h"
#include "ops/wrapping_ints.h"

MONOGRAPH_API_BEGIN

namespace jit {

using CoreValue = monograph::IValue;

struct Function::Access {
  std::shared_ptr<ScriptProgram> program;
  ir::Module* module;
  std::string name;
  bool is_method = true;
  static const Access& of(const Function& f) {
    if (!f.impl_) throw ValueError("this jit::Function was not assigned yet");
    return *static_cast<const Access*>(f.impl_.get());
  }
  static Function wrap(std::shared_ptr<ScriptProgram> program, ir::Module* module, std::string name, bool is_method = true) {
    Function out;
    out.impl_ = std::make_shared<Access>(Access{std::move(program), module, std::move(name), is_method});
    return out;
  }
};

// --- Functions.

namespace {

// Puts the arguments in the order of the function's inputs, up to the last one that is given. The graph has the defaults of those after it.
std::vector<CoreValue> in_order(const std::string& function, const std::vector<std::string>& names, const std::vector<IValue>& inputs,
                                const Kwargs& kwargs) {
  std::vector<CoreValue> values = IValue::Access::of(inputs);
  if (kwargs.empty()) return values;
  std::vector<bool> given(std::max(names.size(), values.size()));
  std::fill_n(given.begin(), values.size(), true);
  for (const auto& [key, v] : kwargs) {
    const auto at = static_cast<size_t>(std::ranges::find(names, key) - names.begin());
    if (at == names.size() || given[at]) {
      std::string all;
      for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
      throw TypeError(monograph::concat(function, "() got an unexpected or repeated argument '", key, "'; it takes ", all));
    }
    if (at >= values.size()) values.resize(at + 1);
    values[at] = IValue::Access::of(v), given[at] = true;
  }
  for (size_t k = 0; k < values.size(); ++k)
    if (!given[k])
      throw TypeError(
          monograph::concat(function, "() is called without the argument '", names[k], "', which comes before one that is given by name"));
  return values;
}

}  // namespace

IValue Function::operator()(std::vector<IValue> inputs, const Kwargs& kwargs) const {
  const Access& f = Access::of(*this);
  return translated([&] {
    const std::shared_ptr<const ScriptProgram::Plan> plan = f.program->plan(*f.module, f.name);
    const WrappingInts wrapping(true);
    std::vector<CoreValue> results = plan->run(in_order(f.name, plan->inputs, inputs, kwargs));
    return IValue::Access::wrap(results.size() == 1 ? std::move(results[0]) : CoreValue::tuple(std::move(results)));
  });
}
const std::string& Function::name() const { return Access::of(*this).name; }
size_t Function::num_inputs() const {
  const Access& f = Access::of(*this);
  return translated([&] { return f.program->graph(*f.module, f.name).placeholders().size() + (f.is_method ? 1 : 0); });
}
FunctionSchema Function::getSchema() const {
  const Access& f = Access::of(*this);
  return translated([&] {
    const ir::Graph& g = f.program->graph(*f.module, f.name);
    std::vector<Argument> arguments, returns;
    std::string text;
    const auto add = [&](std::vector<Argument>& list, const std::string& name, const ir::Type& given, std::optional<IValue> fallback) {
      const ir::Type type = given ? given : ir::Type(ir::TypeKind::Any);
      text += monograph::concat(list.empty() ? "" : ", ", ir::to_string(type), name.empty() ? "" : " ", name);
      if (fallback) text += fallback->isString() ? "=\"" + fallback->toStringRef() + "\"" : "=" + fallback->str();
      list.emplace_back(name, jit::detail::type_of_text(ir::torchscript_type(type)), std::move(fallback));
    };
    if (f.is_method) {
      const std::string& cls = f.module->type().name;
      arguments.emplace_back("self", jit::detail::type_of_text(cls));
      text = cls + " self";
    }
    for (const ir::Node* p : g.placeholders()) {
      std::optional<IValue> fallback;
      if (p->arg_count()) fallback = IValue::Access::wrap(exec::literal(p->arg(0)));
      add(arguments, std::string(p->target().name()), p->type(), std::move(fallback));
    }
    const std::string head = monograph::concat(f.name, "(", text, ") -> ");
    text.clear();
    const ir::Node* end = g.root()->output();
    for (size_t k = 0; end && k < end->arg_count(); ++k) add(returns, "", ir::type_of(end->arg(k)), {});
    const std::string tail = returns.size() == 1 ? text : "(" + text + ")";
    return FunctionSchema(f.name, std::move(arguments), std::move(returns), head + tail);
  });
}
Graph Function::graph() const {
  const Access& f = Access::of(*this);
  return translated([&] {
    ir::Graph& g = f.program->graph(*f.module, f.name);
    return Graph(api::Graph::Access::wrap(std::shared_ptr<ir::Unit>(f.program, &f.program->unit()), &g));
  });
}
Module Method::owner() const {
  const Access& f = Access::of(*this);
  return Module::Access::wrap(f.program, f.module);
}

// --- Modules made in C++.

Module::Module(const std::string& class_name) {
  auto unit = std::make_unique<ir::Unit>();
  ir::Class* type = unit->add_class(class_name.starts_with("__torch__") ? class_name : "__torch__." + class_name);
  type->is_module = true;
  unit->set_root(unit->add_module(type));
  std::shared_ptr<ScriptProgram> program = unit_program(std::move(unit), true);
  module_ = program->unit().root();
  program_ = std::move(program);
}

void Module::add_attribute(const std::string& name, int kind, const std::string& type, const IValue& value) const {
  translated([&] {
    const CoreValue held = IValue::Access::of(value);
    ir::Attribute attribute;
    attribute.name = name, attribute.kind = static_cast<ir::Attribute::Kind>(kind);
    ir::Args literal;
    MONOGRAPH_CHECK(exec::add_literal(literal, held), Type, "the attribute '", name, "' cannot be ", ir::with_article(describe(held)));
    attribute.type = type.empty() ? held.is_tensor() ? ir::Type(ir::TypeKind::Tensor) : ir::type_of(literal[0]) : ir::parse_type(type);
    MONOGRAPH_CHECK(is_value_of(held, attribute.type), Type, "the attribute '", name, "' must be ", ir::in_words(attribute.type),
                    ", but got ", ir::with_article(describe(held)));
    if (attribute.kind == ir::Attribute::Kind::Parameter) held.as_tensor().impl()->is_parameter = true;
    Access::program(*this).changing([&] { Access::program(*this).add_attribute(Access::of(*this), std::move(attribute), held); });
  });
}
void Module::register_parameter(const std::string& name, const Tensor& value, bool is_buffer) const {
  add_attribute(name, static_cast<int>(is_buffer ? ir::Attribute::Kind::Buffer : ir::Attribute::Kind::Parameter), "Tensor", value);
}
void Module::register_attribute(const std::string& name, const IValue& value, const std::string& type) const {
  add_attribute(name, static_cast<int>(ir::Attribute::Kind::Value), type, value);
}
void Module::register_module(const std::string& name, const Module& module) const {
  translated([&] {
    const std::shared_ptr<ScriptProgram> other = Access::shared(module);
    MONOGRAPH_CHECK(&Access::of(module) == other->unit().root(), NotImplemented, "register_module: '", name,
                    "' is a part of a module; register the whole module");
    Access::program(*this).changing([&] { Access::program(*this).add_module(Access::of(*this), name, other); });
  });
}
void Module::define(const std::string& source) const {
  translated([&] { Access::program(*this).changing([&] { Access::program(*this).define(Access::of(*this), source); }); });
}

// --- Methods of a module.

IValue Module::forward(std::vector<IValue> inputs, const Kwargs& kwargs) const {
  return Function::Access::wrap(Access::shared(*this), &Access::of(*this), "forward")(std::move(inputs), kwargs);
}
IValue Module::operator()(std::vector<IValue> inputs) const {
  const std::string name = Access::program(*this).called(Access::of(*this));
  return Function::Access::wrap(Access::shared(*this), &Access::of(*this), name)(std::move(inputs), {});
}
std::optional<Method> Module::find_method(const std::string& name) const {
  const std::vector<std::string> names = Access::program(*this).all_methods(Access::of(*this));
  if (std::ranges::find(names, name) == names.end()) return {};
  return Method(Function::Access::wrap(Access::shared(*this), &Access::of(*this), name));
}
Method Module::get_method(const std::string& name) const {
  std::optional<Method> found = find_method(name);
  if (found) return *found;
  std::string names;
  for (const std::string& other : Access::program(*this).all_methods(Access::of(*this))) names += (names.empty() ? "" : ", ") + other;
  throw AttributeError(
      monograph::concat("Method '", name, "' is not defined. ", type_name(), names.empty() ? " has no methods" : " has " + names));
}
std::vector<Method> Module::get_methods() const {
  std::vector<Method> out;
  for (const std::string& name : Access::program(*this).all_methods(Access::of(*this)))
    out.push_back(Method(Function::Access::wrap(Access::shared(*this), &Access::of(*this), name)));
  return out;
}

// --- The contents of a module.

namespace {

using Kind = ir::Attribute::Kind;

// The present value of attribute k. Graphs that assign attributes store them in the module's object.
CoreValue value_at(const ir::Module& m, size_t k) {
  if (InstanceBox* object = instance_of(m.object))
    if (CoreValue* held = object->find(m.type().attributes[k].name)) return *held;
  return m.values[k].value.size() == 1 ? exec::literal(m.values[k].value[0]) : CoreValue();
}

// Calls f(path, module) for a module and, with `recurse`, for all modules in it. A module with two paths is visited twice.
template <class F>
void each_module(const std::string& path, ir::Module& m, bool recurse, F&& f) {
  f(path, m);
  for (size_t k = 0; recurse && k < m.values.size(); ++k)
    if (m.values[k].module && m.values[k].module->type().is_module)  // not an object of a script class
      each_module(path.empty() ? m.type().attributes[k].name : path + "." + m.type().attributes[k].name, *m.values[k].module, true, f);
}
// Calls f(path, module, number) for each attribute, in the order of the class; with `recurse` those of a module follow this module.
template <class F>
void each_attribute(const std::string& prefix, ir::Module& m, bool recurse, F&& f) {
  for (size_t k = 0; k < m.values.size(); ++k) {
    const std::string path = prefix + m.type().attributes[k].name;
    f(path, m, k);
    if (ir::Module* inner = m.values[k].module; recurse && inner && inner->type().is_module) each_attribute(path + ".", *inner, true, f);
  }
}
// Calls f(path, kind, value) for each of them that is not a module.
template <class F>
void each_value(ir::Module& root, bool recurse, F&& f) {
  each_attribute("", root, recurse, [&](const std::string& path, ir::Module& m, size_t k) {
    if (!m.values[k].module) f(path, m.type().attributes[k].kind, value_at(m, k));
  });
}
std::vector<Named<Tensor>> tensors(ir::Module& root, bool recurse, Kind wanted) {
  std::vector<Named<Tensor>> out;
  each_value(root, recurse, [&](const std::string& path, Kind kind, const CoreValue& v) {
    if (kind == wanted && v.is_tensor()) out.push_back({path, Tensor::Access::wrap(v.as_tensor())});
  });
  return out;
}
template <class T>
std::vector<T> without_names(const std::vector<Named<T>>& list) {
  std::vector<T> out;
  for (const Named<T>& one : list) out.push_back(one.value);
  return out;
}

// The index of an attribute that is not a module. AttributeError if there is none of this name, or if it is a module.
size_t index_of(const ir::Module& m, const std::string& name) {
  const int k = m.type().index_of(name);
  if (k >= 0 && !m.values[static_cast<size_t>(k)].module) return static_cast<size_t>(k);
  if (k >= 0)
    throw AttributeError(monograph::concat("'", name, "' of ", m.type().name, " is a module; submodule(\"", name, "\") gives it"));
  std::string names;
  for (const ir::Attribute& a : m.type().attributes) names += (names.empty() ? "" : ", ") + a.name;
  throw AttributeError(monograph::concat(m.type().name, " has no attribute '", name, "'", names.empty() ? "" : "; it has " + names));
}

}  // namespace

std::vector<Named<Tensor>> Module::named_parameters(bool recurse) const { return tensors(Access::of(*this), recurse, Kind::Parameter); }
std::vector<Tensor> Module::parameters(bool recurse) const { return without_names(named_parameters(recurse)); }
std::vector<Named<Tensor>> Module::named_buffers(bool recurse) const { return tensors(Access::of(*this), recurse, Kind::Buffer); }
std::vector<Tensor> Module::buffers(bool recurse) const { return without_names(named_buffers(recurse)); }
std::vector<Named<Module>> Module::named_modules() const {
  std::vector<Named<Module>> out;
  each_module("", Access::of(*this), true,
              [&](const std::string& path, ir::Module& m) { out.push_back({path, Access::wrap(Access::shared(*this), &m)}); });
  return out;
}
std::vector<Module> Module::modules() const { return without_names(named_modules()); }
std::vector<Named<Module>> Module::named_children() const {
  std::vector<Named<Module>> out;
  const ir::Module& m = Access::of(*this);
  for (size_t k = 0; k < m.values.size(); ++k)
    if (m.values[k].module) out.push_back({m.type().attributes[k].name, Access::wrap(Access::shared(*this), m.values[k].module)});
  return out;
}
std::vector<Module> Module::children() const { return without_names(named_children()); }
std::vector<Named<IValue>> Module::named_attributes(bool recurse) const {
  std::vector<Named<IValue>> out;
  each_attribute("", Access::of(*this), recurse, [&](const std::string& path, ir::Module& m, size_t k) {
    out.push_back({path, Access::wrap(Access::shared(*this), &m).attr(m.type().attributes[k].name)});
  });
  return out;
}

bool Module::hasattr(const std::string& name) const { return name == ir::kTraining || Access::of(*this).type().index_of(name) >= 0; }
IValue Module::attr(const std::string& name) const {
  const ir::Module& m = Access::of(*this);
  if (name == ir::kTraining) return m.training;
  const int k = m.type().index_of(name);
  if (k >= 0 && m.values[static_cast<size_t>(k)].module)
    return IValue::Access::wrap(CoreValue(Ref<ObjectBox>(new ScriptModuleBox(submodule(name)))));
  return IValue::Access::wrap(value_at(m, index_of(m, name)));
}
Module Module::submodule(const std::string& name) const {
  const ir::Module& m = Access::of(*this);
  const int k = m.type().index_of(name);
  if (k >= 0 && m.values[static_cast<size_t>(k)].module)
    return Access::wrap(Access::shared(*this), m.values[static_cast<size_t>(k)].module);
  std::string names;
  for (const Named<Module>& child : named_children()) names += (names.empty() ? "" : ", ") + child.name;
  throw AttributeError(monograph::concat(m.type().name, " has no submodule '", name, "'", names.empty() ? "" : "; it has " + names));
}
void Module::setattr(const std::string& name, const IValue& v) const {
  ir::Module& m = Access::of(*this);
  if (name == ir::kTraining) {
    const bool on = v.toBool();
    return translated([&] {
      Access::program(*this).changing([&] {
        Access::program(*this).forget_defined("the mode");
        Access::program(*this).set_training(m, on);
      });
    });
  }
  const ir::Attribute& a = m.type().attributes[index_of(m, name)];
  ir::Type type = a.type;
  if (!type) type = ir::TypeKind::Any;
  translated([&] {
    CoreValue converted = IValue::Access::of(v);
    ir::Argument place;
    place.name = name, place.type = type;
    const bool plain = type.is(ir::TypeKind::Tensor) || type.is(ir::TypeKind::Int) || type.is(ir::TypeKind::Float) ||
                       type.is(ir::TypeKind::Bool) || type.is(ir::TypeKind::Str);
    const bool before_tensor = value_at(m, index_of(m, name)).is_tensor();
    const bool fits = plain                        ? convertible(IValue::Access::of(v), place, converted)
                      : type.is(ir::TypeKind::Any) ? before_tensor == v.isTensor()
                                                   : is_value_of(converted, type);
    MONOGRAPH_CHECK(fits, Type, m.type().name, ".", name, " must be ", ir::in_words(type), ", but got ",
                    ir::with_article(describe(IValue::Access::of(v))));
    if (converted.is_tensor() && a.kind == Kind::Parameter) converted.as_tensor().impl()->is_parameter = true;
    Access::program(*this).changing([&] {
      Access::program(*this).forget_defined("an attribute");
      Access::program(*this).set_value(m, name, converted);
    });
  });
}

bool Module::is_training() const { return Access::of(*this).training; }
void Module::train(bool on) const {
  translated([&] {
    Access::program(*this).changing([&] {
      Access::program(*this).forget_defined("the mode");
      each_module("", Access::of(*this), true, [&](const std::string&, ir::Module& m) { Access::program(*this).set_training(m, on); });
    });
  });
}

namespace {

void convert(ScriptProgram& program, ir::Module& root, std::optional<Device> device, std::optional<Dtype> dtype) {
  if (dtype && !is_floating(inner(*dtype)) && !monograph::is_complex(inner(*dtype)))
    throw TypeError(monograph::concat("jit::Module::to only accepts floating point or complex dtypes, but got desired dtype=torch.",
                                      name(inner(*dtype))));
  translated([&] {
    program.changing([&] {
      each_value(root, true, [&](const std::string&, Kind kind, const CoreValue& v) {
        if (!v.is_tensor() || kind == Kind::Value) return;
        const monograph::Tensor& t = v.as_tensor();
        const bool converts = dtype && (is_floating(t.dtype()) || monograph::is_complex(t.dtype()));
        if (!device && !converts) return;
        NoGradGuard no_grad;
        const Tensor shown = Tensor::Access::wrap(t);
        const Tensor made = shown.to(device.value_or(shown.device()), converts ? *dtype : shown.dtype());
        set_data(t, unwrap(made));
      });
    });
  });
}

}  // namespace

void Module::to(Dtype dtype, bool) const { convert(Access::program(*this), Access::of(*this), {}, dtype); }
void Module::to(Device device, bool) const { convert(Access::program(*this), Access::of(*this), device, {}); }
void Module::to(Device device, Dtype dtype, bool) const { convert(Access::program(*this), Access::of(*this), device, dtype); }

Module Module::clone() const {
  return translated([&] {
    std::shared_ptr<ScriptProgram> copy;
    Access::program(*this).changing([&] {
      copy = Access::program(*this).copied();
      Access::program(*this).define_again(*copy);
    });
    const auto& from = Access::program(*this).unit().modules();
    const auto at = std::ranges::find(from, &Access::of(*this), [](const auto& m) { return m.get(); });
    ir::Module* module = copy->unit().modules()[static_cast<size_t>(at - from.begin())].get();
    return Access::wrap(std::move(copy), module);
  });
}

std::string Module::type_name() const { return Access::of(*this).type().name; }
bool Module::operator==(const Module& other) const { return module_ == other.module_; }

// --- Files.

namespace {

// Saves a module. `write_code` writes an archive with the code that it was loaded with, and returns false if the program has no such code or was edited.
// Then `write_graphs` writes the graphs of the program.
template <class WriteCode, class WriteGraphs>
void write(const Module& module, const ExtraFilesMap& extra_files, WriteCode&& write_code, WriteGraphs&& write_graphs) {
  translated([&] {
    ScriptProgram& program = Module::Access::program(module);
    MONOGRAPH_CHECK(&Module::Access::of(module) == program.unit().root(), NotImplemented, "save writes a whole program, and ",
                    module.type_name(), " is a part of one; save the module that it belongs to");
    torchscript::ScriptSaveOptions options;
    options.extra_files.assign(extra_files.begin(), extra_files.end());
    std::ranges::sort(options.extra_files);
    bool done = false;
    std::pair<std::unique_ptr<ir::Unit>, bool> graphs;
    program.changing([&] {
      exec::note_objects(program.unit());
      done = write_code(program, options.extra_files);
      if (done) return;
      graphs = program.for_file();
      program.add_defined(*graphs.first);
    });
    if (done) return;
    options.one_mode = graphs.second;
    write_graphs(*graphs.first, options);
  });
}

torchscript::ScriptLoadOptions load_options(std::optional<Device> device) {
  if (device && device->is_cuda()) throw RuntimeError("jit::load: the device is cuda, but there is no GPU here; load onto torch::kCPU");
  torchscript::ScriptLoadOptions options;
  if (device) options.device_of = [d = inner(*device)](const std::string&) { return d; };
  options.notice = [](const std::string& message) { std::cerr << "monograph: " << message << "\n"; };
  return options;
}

Module module_of(const std::shared_ptr<const void>& owner, std::span<const std::byte> bytes, const std::string& where,
                 std::optional<Device> device, ExtraFilesMap* extra_files) {
  const torchscript::ScriptLoadOptions options = load_options(device);
  if (detect_format(bytes) == FileFormat::Mgraph) {
    std::shared_ptr<ScriptProgram> program = unit_program(parse_mgraph(bytes, where, owner));
    ir::Module* root = program->unit().root();
    return Module::Access::wrap(std::move(program), root);
  }
  const auto open = [owner, bytes, where, options] {
    std::shared_ptr<torchscript::ScriptArchive> read = torchscript::ScriptArchive::parse(bytes, owner, where, options);
    read->settle();
    return read;
  };
  std::shared_ptr<torchscript::ScriptArchive> archive = open();
  if (extra_files)
    for (const std::string& name : archive->extra_files())
      if (const auto wanted = extra_files->find(name); wanted != extra_files->end()) wanted->second = archive->extra_file(name);
  std::shared_ptr<ScriptProgram> program = archive_program(std::move(archive), open);
  ir::Module* root = program->unit().root();
  return Module::Access::wrap(std::move(program), root);
}

Module load_from(const std::string& path, std::optional<Device> device, ExtraFilesMap* extra_files) {
  return translated([&] {
    auto file = std::make_shared<MappedFile>(path);
    const std::span<const std::byte> bytes(file->data(), file->size());
    return module_of(file, bytes, path, device, extra_files);
  });
}
Module load_from(std::istream& in, std::optional<Device> device, ExtraFilesMap* extra_files) {
  return translated([&] {
    const std::string content(std::istreambuf_iterator<char>(in), {});
    auto copy = std::make_shared<std::vector<std::byte>>(content.size());
    std::copy_n(reinterpret_cast<const std::byte*>(content.data()), content.size(), copy->data());
    const std::span<const std::byte> bytes(*copy);
    MONOGRAPH_CHECK(detect_format(bytes) != FileFormat::Mgraph, NotImplemented,
                    "jit::load reads a .mgraph file only from a path, not from a stream; pass the path");
    return module_of(copy, bytes, "the stream", device, extra_files);
  });
}

}  // namespace

void Module::save(const std::string& path, const ExtraFilesMap& extra_files) const {
  write(
      *this, extra_files,
      [&](ScriptProgram& program, const ScriptProgram::ExtraFiles& extra) {
        if (!program.keeps_code()) return false;
        ArchiveWriter archive(path);
        return program.write_with_code(archive, torchscript::root_folder(path), extra);
      },
      [&](const ir::Unit& unit, const auto& options) { torchscript::save_archive(unit, path, options); });
}
void Module::save(std::ostream& out, const ExtraFilesMap& extra_files) const {
  const auto put = [&](const void* data, size_t bytes) { out.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes)); };
  write(
      *this, extra_files,
      [&](ScriptProgram& program, const ScriptProgram::ExtraFiles& extra) {
        if (!program.keeps_code()) return false;
        ArchiveWriter archive(put);
        return program.write_with_code(archive, "archive", extra);
      },
      [&](const ir::Unit& unit, const auto& options) { torchscript::save_archive(unit, put, "archive", options); });
  if (!out.good()) throw OSError("save: cannot write to the stream");
}
void save(const api::Graph& graph, const std::string& path) {
  translated([&] {
    const ir::Graph& g = api::Graph::Access::typed(graph);
    const ir::Unit* unit = g.unit();
    ir::Unit alone;
    if (!unit || unit->find_function(g.name()) != &g) {
      MONOGRAPH_CHECK(!unit || !unit->root(), NotImplemented,
                      "jit::save: this graph is a copy, and no method of its program; save the module that it belongs to");
      alone.add_function(g.clone());
      unit = &alone;
    }
    exec::note_objects(*unit);
    torchscript::save_archive(*unit, path);
  });
}
Module load(const std::string& path, std::optional<Device> device) { return load_from(path, device, nullptr); }
Module load(std::istream& in, std::optional<Device> device) { return load_from(in, device, nullptr); }
Module load(const std::string& path, std::optional<Device> device, ExtraFilesMap& extra_files) {
  return load_from(path, device, &extra_files);
}
Module load(std::istream& in, std::optional<Device> device, ExtraFilesMap& extra_files) { return load_from(in, device, &extra_files); }

// --- freeze and compile.

Module freeze(const Module& module, const std::vector<std::string>& preserved, bool) {
  return translated([&] {
    MONOGRAPH_CHECK(!module.is_training(), Runtime,
                    "Freezing module in training mode is not yet supported. Call eval() of the module before freezing.");
    ir::Module& from = Module::Access::of(module);
    ScriptProgram& program = Module::Access::program(module);
    auto unit = std::make_unique<ir::Unit>();
    ir::Class* type = unit->add_class(from.type().name);
    type->is_module = true;
    std::vector<std::string> methods{"forward"};
    std::vector<ir::Args> values;
    for (const std::string& name : preserved) {
      if (name == ir::kTraining) continue;  // each module has its mode
      if (module.find_method(name)) {
        methods.push_back(name);
        continue;
      }
      const size_t k = index_of(from, name);
      const CoreValue v = value_at(from, k);
      type->attributes.push_back(from.type().attributes[k]);
      exec::add_literal(values.emplace_back(), v.is_tensor() ? CoreValue(copy_tensor(v.as_tensor())) : v);
    }
    ir::Module* root = unit->add_module(type);
    root->training = false;
    for (size_t k = 0; k < values.size(); ++k) root->values[k].value = values[k];
    unit->set_root(root);
    const auto graph_of = [&](const std::string& name) -> ir::Graph& {
      return program.graph(from, name == "forward" ? program.called(from) : name);
    };
    // What methods assign stays an attribute: the module is a copy, of which a change of the other one changes nothing.
    if (std::ranges::any_of(methods, [&](const std::string& name) { return exec::assigns_attributes(graph_of(name), program.unit()); }))
      return module.clone();
    for (const std::string& name : methods) {
      ir::Graph& graph = graph_of(name);
      std::unique_ptr<ir::Graph> frozen = exec::frozen(graph, program.unit());
      frozen->set_name(name);
      unit->add_function(std::move(frozen));
    }
    std::shared_ptr<ScriptProgram> made = unit_program(std::move(unit));
    return Module::Access::wrap(std::move(made), root);
  });
}
Module optimize_for_inference(Module& module, const std::vector<std::string>& other_methods) { return freeze(module, other_methods); }

CompilationUnit::CompilationUnit(const std::string& text) {
  translated([&] {
    namespace script = capture::script;
    std::shared_ptr<const script::SourceText> source = script::SourceText::torchscript(text, "<string>");
    std::unique_ptr<script::Tree> parsed = script::parse_functions(*source);
    torchscript::printed_to_python(*parsed, *source);
    const std::shared_ptr<const script::Tree> tree = std::move(parsed);
    script::TextHost host(source, tree);
    auto unit = std::make_unique<ir::Unit>();
    std::vector<std::string> names;
    for (const script::FunctionSyntax* f : tree->functions) {
      std::unique_ptr<ir::Graph> graph = script::compile_function(host, {source, tree, f, 0});
      graph->set_name(f->name);
      graph->set_dialect(ir::Dialect::TorchScript);
      unit->add_function(std::move(graph));
      names.push_back(f->name);
    }
    script::add_classes(*unit, host);
    const std::shared_ptr<ScriptProgram> program = unit_program(std::move(unit));
    for (const std::string& name : names) functions_.push_back(Function::Access::wrap(program, program->unit().root(), name, false));
  });
}
Function* CompilationUnit::find_function(const std::string& name) const {
  for (Function& f : functions_)
    if (f.name() == name) return &f;
  return nullptr;
}
Function& CompilationUnit::get_function(const std::string& name) const {
  if (Function* found = find_function(name)) return *found;
  std::string names;
  for (const Function& f : functions_) names += (names.empty() ? "" : ", ") + f.name();
  throw AttributeError(monograph::concat("the text defines no function '", name, "'", names.empty() ? "" : "; it defines " + names));
}
std::vector<Function*> CompilationUnit::get_functions() const {
  std::vector<Function*> out;
  for (Function& f : functions_) out.push_back(&f);
  return out;
}

}  // namespace jit

MONOGRAPH_API_END
