// jit.script: the compiler of src/capture/script, with names of the user's functions looked up in Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "capture/hierarchy.h"
#include "capture/modes.h"
#include "capture/script/compiler.h"
#include "capture/script/parser.h"
#include "capture/script/types.h"
#include "exchange.h"
#include "exec/freeze.h"
#include "exec/interpreter.h"
#include "formats/torchscript/dialect.h"
#include "formats/torchscript/save.h"
#include "graph.h"
#include "ir/builder.h"
#include "ir/torchscript_code.h"
#include "ir/unit.h"
#include "layouts.h"
#include "modules.h"
#include "objects.h"
#include "ops/families/programs.h"
#include "ops/objects.h"
#include "ops/pointwise.h"
#include "ops/torchscript_names.h"
#include "program_files.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

// What a graph returns.
ir::Type type_of_result(const ir::Graph& graph) {
  const ir::Args args = graph.output()->copy_args();
  if (args.size() == 1) return ir::type_of(args[0]);
  std::vector<ir::Type> types;
  for (size_t k = 0; k < args.size(); ++k) types.push_back(ir::type_of(args[k]));
  return ir::Type::tuple(types);
}

namespace script = capture::script;

// A constant of Python's; false where it is none.
bool add_constant(ir::Args& args, PyObject* o, int depth = 0) {
  if (depth > ir::kMaxArgDepth) return false;
  if (PyTuple_Check(o) || PyList_Check(o)) {
    args.open(PyTuple_Check(o) ? ir::ArgKind::Tuple : ir::ArgKind::List);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      if (!add_constant(args, PySequence_Fast_GET_ITEM(o, i), depth + 1)) return false;
    args.close();
    return true;
  }
  if (is_tensor(o) && tensor_of(o)->wrapped_number) {  // a number that a trace's text calls CONSTANTS.c0
    return exec::add_literal(args, first_number(tensor_of(o)));
  }
  if (is_tensor(o)) {
    args.add(ir::TensorRef(std::make_shared<exec::LiveTensor>(tensor_of(o))));
    return true;
  }
  if (Py_TYPE(o) == &g_layout_type && layout_number_of(o) != 0) {  // an int, as in TorchScript
    args.add(int64_t{layout_number_of(o)});
    return true;
  }
  IValue v;
  if (to_ivalue(o, v)) {
    PyErr_Clear();
    return false;
  }
  switch (v.tag()) {
    case IValue::Tag::None: args.none(); return true;
    case IValue::Tag::Bool: args.add(v.to_bool()); return true;
    case IValue::Tag::Int: args.add(v.to_int()); return true;
    case IValue::Tag::Float: args.add(v.to_double()); return true;
    case IValue::Tag::Complex: args.add(v.to_complex()); return true;
    case IValue::Tag::Str: args.add(v.to_string()); return true;
    case IValue::Tag::Dtype: args.add(v.to_dtype()); return true;
    case IValue::Tag::Device: args.add(v.to_device()); return true;
    case IValue::Tag::MemoryFormat: args.add(v.to_memory_format()); return true;
    case IValue::Tag::Layout: args.layout(); return true;
    default: return false;
  }
}

// Asks an object of jit/_compile.py.
class PythonHost : public script::Host {
 public:
  explicit PythonHost(nb::handle host) : host_(host), keeps_calls_(nb::hasattr(host, "qualified_name")) {}
  script::HostValue name(int64_t scope, const std::string& name) override { return value(host_.attr("name")(scope, name)); }
  script::HostValue attribute(int64_t id, const std::string& name) override { return value(host_.attr("attribute")(id, name)); }
  script::HostValue class_constant(const std::string& cls, const std::string& name) override {
    return value(host_.attr("class_constant")(cls, name));
  }
  script::HostValue default_of(int64_t scope, const std::string& parameter) override {
    return value(host_.attr("default_of")(scope, parameter));
  }

  // (kind, mangled name, source, values, whether it is a dataclass), where source is None or (text, file, first line, name), and of a NamedTuple the
  // type in place of the source.
  script::HostClass class_info(int64_t id) override {
    auto found = classes_.find(id);
    if (found != classes_.end()) return found->second;
    nb::tuple told = nb::cast<nb::tuple>(host_.attr("class_info")(id));
    script::HostClass c;
    const auto kind = nb::cast<std::string>(told[0]);
    c.kind = kind == "enum"          ? script::HostClass::Kind::Enum
             : kind == "named_tuple" ? script::HostClass::Kind::NamedTuple
                                     : script::HostClass::Kind::Object;
    c.name = nb::cast<std::string>(told[1]), c.scope = id, c.dataclass = nb::object(told[4]).ptr() == Py_True;
    nb::object source = told[2], values = told[3];
    if (nb::isinstance<nb::str>(source)) {
      c.type = ir::parse_type(nb::cast<std::string>(source));
    } else if (!source.is_none()) {
      nb::tuple text = nb::cast<nb::tuple>(source);
      c.source = std::make_shared<const script::SourceText>(nb::cast<std::string>(text[0]), nb::cast<std::string>(text[1]),
                                                            nb::cast<uint32_t>(text[2]));
      note_program_file(intern_file(nb::cast<std::string>(text[1])));
      c.tree = script::parse_functions(*c.source);
      MONOGRAPH_CHECK(!c.tree->classes.empty(), Runtime, "the source text of the class ", c.name, " has no class");
      c.syntax = &c.tree->classes[0];
    }
    for (nb::handle item : values) {
      nb::tuple pair = nb::cast<nb::tuple>(item);
      nb::object held = pair[1];
      c.values.emplace_back(nb::cast<std::string>(pair[0]), value(held));
    }
    return classes_.emplace(id, std::move(c)).first->second;
  }
  int64_t find_class(const std::string& name) override { return nb::cast<int64_t>(host_.attr("find_class")(name)); }
  bool is_pytorchs(const std::string& name) override { return nb::cast<bool>(host_.attr("is_pytorchs")(name)); }

  // Tells Python what the compiler knows of the classes that the program uses.
  void tell_classes() {
    for (const auto& [name, type, attributes] : script::compiled_classes(*this)) {
      nb::list told;
      for (const auto& [attribute, held] : attributes) told.append(nb::make_tuple(attribute, to_string(held)));
      host_.attr("class_compiled")(name, told);
    }
  }

  // (text, file, first line, name)
  script::HostFunction function(int64_t id) override {
    auto found = functions_.find(id);
    if (found != functions_.end()) return found->second;
    nb::tuple told = nb::cast<nb::tuple>(host_.attr("function")(id));
    auto source = std::make_shared<const script::SourceText>(nb::cast<std::string>(told[0]), nb::cast<std::string>(told[1]),
                                                             nb::cast<uint32_t>(told[2]));
    note_program_file(intern_file(nb::cast<std::string>(told[1])));
    std::shared_ptr<const script::Tree> tree = script::parse_functions(*source);
    const auto name = nb::cast<std::string>(told[3]);
    const script::FunctionSyntax* chosen = nullptr;
    for (const script::FunctionSyntax* f : tree->functions)
      if (f->name == name) chosen = f;
    MONOGRAPH_CHECK(chosen, Runtime, "the source text of '", name, "' has no function of this name");
    return functions_
        .emplace(id,
                 script::HostFunction{source, tree, chosen, id, nb::cast<bool>(told[4]), nb::cast<bool>(told[5]), nb::cast<bool>(told[6])})
        .first->second;
  }

  script::HostModule module(int64_t id) override {
    nb::tuple told = nb::cast<nb::tuple>(host_.attr("module")(id));
    script::HostModule m;
    m.path = nb::cast<std::string>(told[0]), m.type = nb::cast<std::string>(told[1]);
    const auto kind = nb::cast<std::string>(told[2]);
    using Items = script::HostModule::Items;
    m.kind = kind == "list" ? Items::List : kind == "dict" ? Items::Dict : Items::None;
    for (nb::handle item : told[3]) m.items.emplace_back(nb::cast<std::string>(item[0]), value(item[1]));
    for (nb::handle hook : told[4]) m.pre_hooks.push_back(nb::cast<int64_t>(hook));
    for (nb::handle hook : told[5]) m.hooks.push_back(nb::cast<int64_t>(hook));
    return m;
  }
  const ir::Graph* graph(int64_t id) override { return &graph_of(nb::object(host_.attr("graph")(id)).ptr()); }
  std::optional<script::MethodSignature> signature(int64_t id) override {
    if (!nb::hasattr(host_, "compiled")) return {};
    nb::object graph = host_.attr("compiled")(id);
    if (graph.is_none()) return {};
    script::MethodSignature s = script::signature_of(graph_of(graph.ptr()));
    return s.returns ? std::optional(std::move(s)) : std::nullopt;
  }
  bool keeps_calls() const override { return keeps_calls_; }
  std::string qualified_name(int64_t id) override { return nb::cast<std::string>(host_.attr("qualified_name")(id)); }
  std::string assigned(int64_t id, const std::string& name) override { return nb::cast<std::string>(host_.attr("assigned")(id, name)); }
  script::HostValue listing(int64_t id, const std::string& method) override { return value(host_.attr("listing")(id, method)); }
  script::HostValue super_of(int64_t id, int64_t scope) override { return value(host_.attr("super_of")(id, scope)); }
  bool is_instance(int64_t id, int64_t scope, const std::string& type) override {
    return nb::cast<bool>(host_.attr("is_instance")(id, scope, type));
  }

 private:
  static script::HostValue value(nb::object told) {
    using Kind = script::HostValue::Kind;
    static const std::map<std::string, Kind, std::less<>> kKinds = {
        {"missing", Kind::Missing},     {"constant", Kind::Constant}, {"operator", Kind::Operator},   {"function", Kind::Function},
        {"namespace", Kind::Namespace}, {"type", Kind::Type},         {"builtin", Kind::Builtin},     {"exception", Kind::Exception},
        {"refused", Kind::Refused},     {"module", Kind::Module},     {"tensor", Kind::Tensor},       {"method", Kind::Method},
        {"property", Kind::Property},   {"sequence", Kind::Sequence}, {"dict", Kind::Container},      {"state", Kind::State},
        {"graph", Kind::Graph},         {"class", Kind::Class},       {"interface", Kind::Interface}, {"context", Kind::Context},
        {"member", Kind::Member}};
    nb::object what = told[1];
    script::HostValue v;
    v.kind = kKinds.at(nb::cast<std::string>(told[0]));
    if (v.kind == Kind::Constant) {
      if (!add_constant(v.constant, what.ptr())) {
        v.kind = Kind::Refused;
        v.text = concat("a ", type_name(what.ptr()), " cannot be a constant of a script; pass it as an argument");
      }
    } else if (v.kind == Kind::Namespace && nb::isinstance<nb::tuple>(what)) {  // a class of modules: (id, why it is no value itself)
      v.id = nb::cast<int64_t>(what[0]), v.text = nb::cast<std::string>(what[1]);
    } else if (v.kind == Kind::Function || v.kind == Kind::Namespace || v.kind == Kind::Module || v.kind == Kind::Class) {
      v.id = nb::cast<int64_t>(what);
    } else if (v.kind == Kind::Graph) {
      v.id = nb::cast<int64_t>(what[0]), v.text = nb::cast<std::string>(what[1]);
    } else if (v.kind == Kind::Member) {
      v.id = nb::cast<int64_t>(what[0]), v.text = nb::cast<std::string>(what[1]);
    } else if (v.kind == Kind::Method || v.kind == Kind::Property) {
      v.id = nb::cast<int64_t>(what[0]), v.self = nb::cast<int64_t>(what[1]);
    } else if (v.kind == Kind::Tensor || v.kind == Kind::State) {
      v.text = nb::cast<std::string>(what[0]);
      if (nb::isinstance<nb::str>(what[1])) v.type = ir::parse_type(nb::cast<std::string>(what[1]));
    } else if (v.kind == Kind::Interface) {
      v.text = nb::cast<std::string>(what[0]);
      for (nb::handle method : what[1]) v.parts.emplace_back().text = nb::cast<std::string>(method);
    } else if (v.kind == Kind::Sequence) {
      for (nb::handle part : what) v.parts.push_back(value(nb::borrow(part)));
    } else if (v.kind == Kind::Container) {
      for (nb::handle pair : what) v.parts.push_back(value(pair[0])), v.parts.push_back(value(pair[1]));
    } else if (v.kind == Kind::Type) {
      v.type = ir::parse_type(nb::cast<std::string>(what));
    } else if (v.kind != Kind::Missing) {
      v.text = nb::cast<std::string>(what);
    }
    return v;
  }

  nb::handle host_;
  bool keeps_calls_;
  std::map<int64_t, script::HostFunction> functions_;
  std::map<int64_t, script::HostClass> classes_;
};

// The names of a text: first its own and those of every text, and then what Python knows by them, whose ids begin at kPython.
class PythonTextHost final : public PythonHost {
 public:
  PythonTextHost(nb::handle host, std::shared_ptr<const script::SourceText> source, std::shared_ptr<const script::Tree> tree)
      : PythonHost(host), text_(std::move(source), std::move(tree)) {}
  script::HostValue name(int64_t scope, const std::string& name) override {
    if (scope >= kPython) return shifted(PythonHost::name(scope - kPython, name));
    script::HostValue v = text_.name(scope, name);
    return v.kind == script::HostValue::Kind::Missing ? shifted(PythonHost::name(-1, name)) : v;
  }
  script::HostValue attribute(int64_t id, const std::string& name) override {
    return id >= kPython ? shifted(PythonHost::attribute(id - kPython, name)) : text_.attribute(id, name);
  }
  script::HostValue default_of(int64_t scope, const std::string& parameter) override {
    return scope >= kPython ? shifted(PythonHost::default_of(scope - kPython, parameter)) : script::HostValue();
  }
  script::HostClass class_info(int64_t id) override {
    if (id < kPython) return text_.class_info(id);
    script::HostClass c = PythonHost::class_info(id - kPython);
    c.scope += kPython;
    for (auto& [name, value] : c.values) value = shifted(std::move(value));
    return c;
  }
  int64_t find_class(const std::string& name) override {
    if (const int64_t id = text_.find_class(name); id >= 0) return id;
    const int64_t id = PythonHost::find_class(name);
    return id < 0 ? id : id + kPython;
  }
  script::HostFunction function(int64_t id) override {
    if (id < kPython) return text_.function(id);
    script::HostFunction f = PythonHost::function(id - kPython);
    f.scope += kPython;
    return f;
  }
  const ir::Graph* graph(int64_t id) override { return PythonHost::graph(id - kPython); }
  bool may_be_printed(int64_t scope) const override { return scope < kPython; }

 private:
  static constexpr int64_t kPython = int64_t{1} << 20;

  static script::HostValue shifted(script::HostValue v) {
    using Kind = script::HostValue::Kind;
    if (v.kind == Kind::Function || v.kind == Kind::Namespace || v.kind == Kind::Class || v.kind == Kind::Graph || v.kind == Kind::Member)
      v.id += kPython;
    for (script::HostValue& part : v.parts) part = shifted(std::move(part));
    return v;
  }

  script::TextHost text_;
};

// The attributes of one module that methods assign, as jit/_attributes.py gives and takes them.
class ModuleAttributes {
 public:
  explicit ModuleAttributes(const std::string& of) : box_(new InstanceBox(ir::intern(of))), object_(Ref<ObjectBox>(box_)) {}
  explicit ModuleAttributes(IValue object) : box_(instance_of(object)), object_(std::move(object)) { MONOGRAPH_ASSERT(box_); }
  const IValue& object() const { return object_; }

  void set(const std::string& name, const std::string& type_name, nb::handle value) {
    const ir::Type type = ir::parse_type(type_name);
    IValue v = tree_to_ivalue(value.ptr(), concat("the attribute ", name));
    if (v.is_int() && type.is(ir::TypeKind::Float)) v = static_cast<double>(v.to_int());
    MONOGRAPH_CHECK(is_value_of(v, type), Type, "the attribute '", name, "' has the type ", type_name, ", but it was given a ",
                    describe(v));
    if (IValue* known = box_->find(name)) *known = std::move(v);
    else box_->attributes.emplace_back(name, std::move(v));
  }
  nb::object get(const std::string& name) const {
    const IValue* found = box_->find(name);
    return found ? tree_to_python(*found) : nb::none();
  }

 private:
  InstanceBox* box_;
  IValue object_;
};

// Errors of the compiler show the user's line already; the line of the call adds nothing.
template <class F>
auto compiled(F&& f) {
  try {
    return f();
  } catch (const script::SourceError& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
    throw nb::python_error();
  }
}

nb::object wrap_script(std::shared_ptr<ir::Graph> graph) {
  nb::object made = wrap(std::move(graph));
  reinterpret_cast<GraphObject*>(made.ptr())->wraps_ints = true;
  return made;
}

}  // namespace

void init_script(PyObject* module) {
  nb::module_ m = nb::borrow<nb::module_>(module);
  // _script(host, id) -> Graph: the function that the host knows by this number.
  m.attr("_script") = nb::cpp_function([](nb::handle host, int64_t id) {
    PythonHost python(host);
    auto unit = std::make_shared<ir::Unit>();
    ir::Graph* graph = compiled([&] { return unit->add_function(script::compile_function(python, python.function(id))); });
    graph->set_dialect(ir::Dialect::TorchScript);
    compiled([&] { return script::add_classes(*unit, python), 0; });
    python.tell_classes();
    return wrap_script({unit, graph});
  });
  // _script_method(host, id of the method, id of self, module) -> (graph, methods): the graph that runs, and the one in which calls of submodules are calls.
  m.attr("_script_method") = nb::cpp_function([](nb::handle host, int64_t id, int64_t self, nb::handle module) {
    PythonHost python(host);
    std::vector<capture::ModuleCall> calls;
    std::unique_ptr<ir::Graph> made = compiled([&] { return script::compile_method(python, python.function(id), self, &calls); });
    // Now it is known which attributes the program assigns.
    auto unit = unit_of_module(module), methods = unit_of_module(module);
    ir::Graph* graph = unit->add_function(std::move(made));
    graph->set_dialect(ir::Dialect::TorchScript);
    ir::Graph* outlined = capture::outline_modules(*graph, calls, *methods, {.shares = true});
    compiled([&] { return script::add_classes(*unit, python), script::add_classes(*methods, python), 0; });
    python.tell_classes();
    return nb::make_tuple(wrap_script({unit, graph}), wrap_script({methods, outlined}));
  });
  nb::class_<ModuleAttributes>(m, "_ModuleObject")
      .def(nb::init<const std::string&>())
      .def("set", &ModuleAttributes::set, nb::arg("name"), nb::arg("type"), nb::arg("value").none())
      .def("get", &ModuleAttributes::get);
  wrap_module_object = [](IValue object) { return nb::cast(ModuleAttributes(std::move(object))); };
  object_of_module = [](nb::handle object) { return nb::cast<const ModuleAttributes&>(object).object(); };
  // _script_printed(host, id of the method, id of self, module) -> Graph: of a host that keeps calls.
  m.attr("_script_printed") = nb::cpp_function([](nb::handle host, int64_t id, int64_t self, nb::handle module) {
    PythonHost python(host);
    std::unique_ptr<ir::Graph> made = compiled([&] { return script::compile_method(python, python.function(id), self); });
    auto unit = unit_of_module(module);
    return wrap(std::shared_ptr<ir::Graph>(unit, unit->add_function(std::move(made))));
  });
  // _script_program(host, [(id of a method, id of self)], module) -> Graph: the first method, in a program that has all of them.
  m.attr("_script_program") = nb::cpp_function([](nb::handle host, nb::list wanted, nb::handle module) {
    PythonHost python(host);
    std::vector<std::unique_ptr<ir::Graph>> made;
    for (nb::handle pair : wanted)
      made.push_back(compiled(
          [&] { return script::compile_method(python, python.function(nb::cast<int64_t>(pair[0])), nb::cast<int64_t>(pair[1])); }));
    MONOGRAPH_CHECK(!made.empty(), Value, "a program has a method");
    auto unit = unit_of_module(module);
    ir::Graph* first = nullptr;
    for (auto& graph : made) {
      graph->set_dialect(ir::Dialect::TorchScript);
      ir::Graph* added = unit->add_function(std::move(graph));
      if (!first) first = added;
    }
    compiled([&] { return script::add_classes(*unit, python), 0; });
    python.tell_classes();
    return wrap_script({unit, first});
  });
  m.attr("_resolve_operators") = nb::cpp_function([](nb::handle graph) { torchscript::resolve_operators(graph_of(graph.ptr())); });
  // _graphs_as_program([(name, graph)], module) -> Graph: copies of the graphs as methods of the module, the first of them.
  m.attr("_graphs_as_program") = nb::cpp_function([](nb::list graphs, nb::handle module) {
    auto unit = unit_of_module(module);
    ir::Graph* first = nullptr;
    for (nb::handle pair : graphs) {
      const nb::tuple named = nb::cast<nb::tuple>(pair);
      const ir::Graph& from = graph_of(nb::handle(named[1]).ptr());
      if (from.unit())
        for (const auto& c : from.unit()->classes())
          if (!c->is_module && !unit->find_class(c->name)) unit->add_class(c->name)->attributes = c->attributes;
      std::unique_ptr<ir::Graph> copy = from.clone();
      copy->set_name(nb::cast<std::string>(named[0]));
      ir::Graph* added = unit->add_function(std::move(copy));
      torchscript::resolve_operators(*added);
      if (!first) first = added;
    }
    return wrap(std::shared_ptr<ir::Graph>(unit, first));
  });
  // _freeze(graph) -> Graph: with copies of what it reads in its modules.
  m.attr("_freeze") = nb::cpp_function([](nb::handle graph) {
    const ir::Graph& from = graph_of(graph.ptr());
    const ir::Unit none;
    auto unit = std::make_shared<ir::Unit>();
    ir::Graph* g = unit->add_function(exec::frozen(from, from.unit() ? *from.unit() : none));
    return wrap(std::shared_ptr<ir::Graph>(unit, g));
  });
  // _join_modes(graph, the graph of the other mode, paths) -> Graph or None: one graph that reads the modes of the modules at these paths when it runs.
  m.attr("_join_modes") = nb::cpp_function([](nb::handle graph, nb::handle other, const std::vector<std::string>& paths) -> nb::object {
    const std::shared_ptr<ir::Graph> now = reinterpret_cast<GraphObject*>(graph.ptr())->graph;
    std::unique_ptr<ir::Graph> joined = capture::joined_modes(*now, graph_of(other.ptr()), paths);
    if (!joined) return nb::none();
    return wrap(std::shared_ptr<ir::Graph>(joined.release(), [now](ir::Graph* g) { delete g; }));
  });
  // _set_mode(graph, training) -> bool: whether the graph reads a mode.
  m.attr("_set_mode") = nb::cpp_function([](nb::handle graph, bool training) { return exec::set_mode(graph_of(graph.ptr()), training); });
  // _save_script(graph, path or write, [(name, content)], one mode, parts): the program that the graph belongs to, as an archive of TorchScript.
  // parts: [(path, name, graph)], methods of the modules below. hooks: [(path, names, names)], the methods that a call of a module runs before and behind forward.
  // other_mode: None, or the graph of the same program in the other mode; modes: the paths of modules whose mode it reads; keys: dicts among the inputs, with the keys that
  // each must have. states: [(path, value, graph)], what the __getstate__ of a module gave, and its graph.
  m.attr("_save_script") = nb::cpp_function(
      [](nb::handle graph, nb::object to, nb::list extra_files, bool one_mode, nb::list parts, nb::object other_mode, nb::list modes,
         nb::list keys, nb::list hooks, nb::list states) {
        torchscript::resolve_operators(graph_of(graph.ptr()));  // what a rewrite added
        for (nb::handle part : parts) torchscript::resolve_operators(graph_of(nb::object(part[2]).ptr()));
        const ir::Graph& g = graph_of(graph.ptr());
        torchscript::ScriptSaveOptions options;
        options.one_mode = one_mode;
        options.other_mode = other_mode.is_none() ? nullptr : graph_of(other_mode.ptr()).unit();
        for (nb::handle pair : extra_files) {
          const auto content = nb::cast<nb::bytes>(pair[1]);
          options.extra_files.emplace_back(nb::cast<std::string>(pair[0]), std::string(content.c_str(), content.size()));
        }
        for (nb::handle path : modes) options.modes.push_back(nb::cast<std::string>(path));
        for (nb::handle pair : keys) options.keys.emplace_back(nb::cast<std::string>(pair[0]), nb::cast<std::vector<std::string>>(pair[1]));
        for (nb::handle part : parts)
          options.parts.push_back({nb::cast<std::string>(part[0]), nb::cast<std::string>(part[1]), &graph_of(nb::object(part[2]).ptr())});
        for (nb::handle of : hooks)
          options.hooks.push_back(
              {nb::cast<std::string>(of[0]), nb::cast<std::vector<std::string>>(of[1]), nb::cast<std::vector<std::string>>(of[2])});
        for (nb::handle state : states) {
          const ir::Graph& getter = graph_of(nb::object(state[2]).ptr());
          const auto path = nb::cast<std::string>(state[0]);
          options.states.push_back(
              {path, tree_to_ivalue(nb::object(state[1]).ptr(), concat("the state of ", path)), type_of_result(getter)});
        }
        options.members = [](const std::string& name) {
          std::vector<std::pair<std::string, ir::Args>> members;
          nb::object cls = nb::module_::import_("monograph.jit._classes").attr("by_name")(name);
          if (cls.is_none()) return members;
          for (nb::handle member : nb::iter(cls)) {
            ir::Args value;
            nb::object held = member.attr("value");
            MONOGRAPH_CHECK(add_constant(value, held.ptr()), NotImplemented, "PyTorch cannot express the Enum ", name, ": a value is a ",
                            type_name(held.ptr()));
            members.emplace_back(nb::cast<std::string>(member.attr("name")), std::move(value));
          }
          return members;
        };
        options.file_texts = [](const std::string& file) -> std::string {
          if (!is_program_file(file)) return {};
          nb::object lines = nb::module_::import_("linecache").attr("getlines")(file);
          return nb::cast<std::string>(nb::str("").attr("join")(lines));
        };
        ir::Unit alone;
        const ir::Unit* unit = g.unit();
        if (!unit || unit->find_function(g.name()) != &g) {
          MONOGRAPH_CHECK(
              !unit || !unit->root(), NotImplemented,
              "this graph is a copy, and no method of its program; save the module that it belongs to, or Graph.save() it as .mgraph");
          alone.add_function(g.clone());
          unit = &alone;
        }
        if (!nb::isinstance<nb::str>(to)) {
          const auto write = [&](const void* data, size_t bytes) { to(nb::bytes(static_cast<const char*>(data), bytes)); };
          torchscript::save_archive(*unit, write, "archive", options);
          return;
        }
        torchscript::save_archive(*unit, nb::cast<std::string>(to), options);
      },
      nb::arg("graph"), nb::arg("to"), nb::arg("extra_files"), nb::arg("one_mode"), nb::arg("parts"), nb::arg("other_mode").none(),
      nb::arg("modes"), nb::arg("keys"), nb::arg("hooks"), nb::arg("states"));
  // _script_class(host, id): compiles the class that the host knows by this number, for its errors.
  m.attr("_script_class") = nb::cpp_function([](nb::handle host, int64_t id) {
    PythonHost python(host);
    compiled([&] { return script::compile_class(python, id), 0; });
    python.tell_classes();
  });
  // The functions of a text with their names. `python` is asked for the names that neither the text nor the library defines, in the scope -1.
  m.attr("_script_text") = nb::cpp_function([](const std::string& text, nb::handle python) {
    std::shared_ptr<const script::SourceText> source = script::SourceText::torchscript(text, "<string>");
    std::unique_ptr<script::Tree> parsed = compiled([&] { return script::parse_functions(*source); });
    torchscript::printed_to_python(*parsed, *source);
    const std::shared_ptr<const script::Tree> tree = std::move(parsed);
    PythonTextHost host(python, source, tree);
    nb::list made;
    for (const script::FunctionSyntax* f : tree->functions) {
      auto unit = std::make_shared<ir::Unit>();
      ir::Graph* graph = compiled([&] { return unit->add_function(script::compile_function(host, {source, tree, f, 0})); });
      graph->set_dialect(ir::Dialect::TorchScript);
      made.append(nb::make_tuple(f->name, wrap_script({unit, graph})));
    }
    return made;
  });
  // _code_with_constants(graph) -> (text, tensors): `.code`, and what it calls CONSTANTS.c0, c1, …
  m.attr("_code_with_constants") = nb::cpp_function([](nb::handle graph) {
    std::vector<ir::TensorRef> constants;
    ir::TorchScriptCode options;
    options.readable = true;
    const std::string text = ir::to_torchscript_code(graph_of(graph.ptr()), options, constants);
    nb::list tensors;
    for (const ir::TensorRef& t : constants) tensors.append(to_python(exec::literal(ir::Args(t)[0])));
    return nb::make_tuple(text, tensors);
  });
  // The types of what a graph takes, as texts; "" where one is not known.
  m.attr("_input_types") = nb::cpp_function([](nb::handle graph) {
    nb::list types;
    for (const ir::Node* n : graph_of(graph.ptr()).placeholders()) types.append(n->type() ? to_string(n->type()) : std::string());
    return types;
  });
  // The type of what a graph returns, without sizes and dtypes, as text; "" where it is not known.
  m.attr("_output_type") = nb::cpp_function([](nb::handle graph) {
    const ir::Node* end = graph_of(graph.ptr()).output();
    return end && end->arg_count() ? to_string(script::widened(ir::type_of(end->arg(0)))) : std::string();
  });
  m.attr("_has_operator") = nb::cpp_function([](const std::string& name) { return Registry::global().find_overloads(name) != nullptr; });
  // The names of the records that archives for PyTorch may call.
  m.attr("_torchscript_names") = nb::cpp_function([] {
    nb::list names;
    for (const auto& op : Registry::global().all())
      if (op->copy == 0 && !why_no_torchscript(op->name())) names.append(op->name());
    return names;
  });
  tensor_text = [](const Tensor& t) {
    nb::gil_scoped_acquire gil;
    return nb::cast<std::string>(nb::str(to_python(IValue(t))));
  };
}

}  // namespace monograph::python
