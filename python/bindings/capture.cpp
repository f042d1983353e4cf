// Captures called from Python: the program runs as it is, under one of the interpreters of src/capture.
#include "capture/capture.h"
#include "capture/embed.h"
#include "capture/hierarchy.h"
#include "capture/trace_text.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <unordered_map>

#include "capture/adopted.h"
#include "capture/machine/machine.h"
#include "effects.h"
#include "exchange.h"
#include "exec/interpreter.h"
#include "forks.h"
#include "graph.h"
#include "ir/builder.h"
#include "ir/unit.h"
#include "ir/walk.h"
#include "modules.h"
#include "objects.h"
#include "ops/wrapping_ints.h"
#include "passes/canonical.h"
#include "passes/cse.h"
#include "passes/differentiate.h"
#include "reads.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

// --- Trees of values: what operators take, and dicts and lists as they are.

// Trees nest no deeper than arguments of nodes do; a list may hold itself.
struct Deeper {
  Deeper() {
    MONOGRAPH_CHECK(depth < ir::kMaxArgDepth, Value, "lists, tuples and dicts nest deeper than ", ir::kMaxArgDepth, " levels here");
    ++depth;
  }
  ~Deeper() { --depth; }
  Deeper(const Deeper&) = delete;
  static inline thread_local int depth = 0;
};

}  // namespace

IValue tree_to_ivalue(PyObject* o, std::string_view what) {
  Deeper deeper;
  auto parts = [&] {
    std::vector<IValue> items;
    items.reserve(static_cast<size_t>(PySequence_Fast_GET_SIZE(o)));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) items.push_back(tree_to_ivalue(PySequence_Fast_GET_ITEM(o, i), what));
    return items;
  };
  if (PyTuple_Check(o)) return IValue::tuple(parts());
  if (PyList_Check(o)) return IValue::list(parts());
  if (PyDict_Check(o)) {
    std::vector<std::pair<IValue, IValue>> pairs;
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) pairs.emplace_back(tree_to_ivalue(key, what), tree_to_ivalue(value, what));
    return IValue::dict(std::move(pairs));
  }
  IValue v;
  if (object_to_ivalue(o, v, what)) return v;
  if (to_ivalue(o, v))
    fail(ErrorKind::Type, what,
         " of a captured function must be a tensor, number, str or None, or a tuple, list or dict of these; it holds a ", type_name(o),
         is_numpy_array(o) ? "; torch.from_numpy(x) makes a tensor" : "");
  return v;
}

nb::object tree_to_python(const IValue& v) {
  if (v.is_list()) {
    auto list = check(PyList_New(0));
    for (const IValue& item : v.items()) check(PyList_Append(list.ptr(), tree_to_python(item).ptr()));
    return list;
  }
  if (v.is_tuple()) {
    auto tuple = check(PyTuple_New(static_cast<Py_ssize_t>(v.items().size())));
    for (size_t i = 0; i < v.items().size(); ++i)
      PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), tree_to_python(v.items()[i]).release().ptr());
    return tuple;
  }
  if (v.is_dict()) {
    auto dict = check(PyDict_New());
    for (const auto& [key, value] : v.pairs()) check(PyDict_SetItem(dict.ptr(), tree_to_python(key).ptr(), tree_to_python(value).ptr()));
    return dict;
  }
  if (v.is_object())
    if (nb::object object = object_to_python(v); object.ptr()) return object;
  return to_python(v);
}

namespace {

// --- The program's modules.

using ModuleMap = std::unordered_map<PyObject*, ir::Module*>;

std::string mangled_class(PyObject* module, ir::Unit& unit) {
  // A scripted module has the class that it was made of.
  nb::object type = nb::getattr(nb::handle(module), "_scripted_class", nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(module))));
  std::string name = "__torch__." + qualified_name(type.ptr());
  if (!unit.find_class(name)) return name;
  size_t dot = name.rfind('.');
  for (int k = 0;; ++k) {
    std::string mangled = concat(name.substr(0, dot), ".___torch_mangle_", k, name.substr(dot));
    if (!unit.find_class(mangled)) return mangled;
  }
}

ir::Attribute attribute_of(const Tensor& t, std::string_view name, ir::Attribute::Kind kind) {
  ir::Attribute a;
  a.name = std::string(name), a.kind = kind;
  if (t.defined()) {
    std::vector<SymInt> sizes(t.sizes().begin(), t.sizes().end());
    a.type = ir::TensorType::of(t.dtype(), sizes);
  }
  return a;
}

// The instance tree below a module, one class an instance; shared modules are shared. Tensors are the live ones.
ir::Module* add_module(ir::Unit& unit, PyObject* module, ModuleMap& made) {
  struct Open {
    PyObject* object;
    ir::Module* instance;
  };
  std::vector<Open> work;
  auto open = [&](PyObject* o) {
    auto [at, fresh] = made.try_emplace(o, nullptr);
    if (!fresh) return at->second;
    ir::Class* type = unit.add_class(mangled_class(o, unit));
    type->is_module = true;
    nb::handle h(o);
    auto declare = [&](const char* table, ir::Attribute::Kind kind) {
      for (auto [name, value] : nb::borrow<nb::dict>(h.attr(table))) {
        ir::Attribute a = attribute_of(is_tensor(value.ptr()) ? tensor_of(value.ptr()) : Tensor(), text_of(name.ptr()), kind);
        a.persistent =
            kind != ir::Attribute::Kind::Buffer || (std::string_view(table) != "_script_tensors" &&
                                                    !nb::cast<bool>(h.attr("_non_persistent_buffers_set").attr("__contains__")(name)));
        if (value.is_none()) a.type = ir::TypeKind::None;
        type->attributes.push_back(std::move(a));
      }
    };
    declare("_parameters", ir::Attribute::Kind::Parameter);
    declare("_buffers", ir::Attribute::Kind::Buffer);
    if (nb::hasattr(h, "_script_tensors")) declare("_script_tensors", ir::Attribute::Kind::Value);  // an archive does not call them buffers
    declare("_modules", ir::Attribute::Kind::Module);
    // What methods of a scripted module assign: tensors of its tables lose the sizes that they have now.
    const bool scripted = nb::hasattr(h, "_scripted_class");
    if (scripted) {
      for (nb::handle value : h.attr("_values")()) {
        ir::Attribute a;
        a.name = nb::cast<std::string>(value[0]), a.type = ir::parse_type(nb::cast<std::string>(value[1]));
        type->attributes.push_back(std::move(a));
      }
      for (auto [name, text] : nb::borrow<nb::dict>(h.attr("_assigned").attr("types")))
        if (const int k = type->index_of(text_of(name.ptr())); k >= 0)
          type->attributes[static_cast<size_t>(k)].type = ir::parse_type(text_of(text.ptr()));
    }
    at->second = unit.add_module(type);
    if (scripted) at->second->object = object_of_module(h.attr("_assigned").attr("object"));
    at->second->training = nb::cast<bool>(h.attr("training"));
    work.push_back({o, at->second});
    return made[o];
  };
  ir::Module* root = open(module);
  while (!work.empty()) {
    auto [object, instance] = work.back();
    work.pop_back();
    nb::handle h(object);
    size_t k = 0;
    for (const char* table : {"_parameters", "_buffers", "_script_tensors", "_modules"})
      for (auto [name, value] : nb::borrow<nb::dict>(nb::getattr(h, table, nb::dict()))) {
        ir::Module::Value& v = instance->values[k++];
        if (value.is_none()) v.value.none();
        else if (is_tensor(value.ptr())) v.value.add(ir::TensorRef(std::make_shared<exec::LiveTensor>(tensor_of(value.ptr()))));
        else v.module = open(value.ptr());
      }
    if (nb::hasattr(h, "_scripted_class"))
      for (nb::handle value : h.attr("_values")()) {
        nb::object held = value[2];
        ir::Args& literal = instance->values[k++].value;
        if (!exec::add_literal(literal, tree_to_ivalue(held.ptr(), "an attribute")))
          literal = ir::Args();  // an object: Module::object has it
      }
  }
  return root;
}

// Parameters and buffers by tensor, under the first path that leads to each.
using Paths = std::unordered_map<const TensorImpl*, std::string>;
Paths attribute_paths(nb::handle module) {
  Paths paths;
  // Of a GraphModule: buffers that were plain attributes of the module that was traced, so constants.
  nb::object constants = nb::getattr(module, "_constant_paths", nb::make_tuple());
  for (const char* which : {"named_parameters", "named_buffers"})
    for (nb::handle pair : nb::iter(module.attr(which)())) {
      auto path = nb::cast<std::string>(pair[0]);
      // torch.fx's name for a tensor that belongs to no module: a constant.
      if (!path.starts_with("_tensor_constant") && PySequence_Contains(constants.ptr(), nb::object(pair[0]).ptr()) == 0)
        paths.try_emplace(impl_of(nb::object(pair[1]).ptr()), path);
    }
  return paths;
}

// --- Captures.

thread_local PyObject* t_hook = nullptr;
thread_local bool t_hook_gives_submodules = false;
thread_local const ir::Node* t_node = nullptr;  // of the graph that is being lowered

capture::Session& session(const char* what) {
  capture::Session* s = capture::current_session();
  MONOGRAPH_CHECK(s, Runtime, what, " outside of a capture");
  return *s;
}

capture::ControlFlow control_flow_of(std::string_view word) {
  if (word == "guard") return capture::ControlFlow::Guard;
  if (word == "error") return capture::ControlFlow::Error;
  if (word == "freeze") return capture::ControlFlow::Freeze;
  if (word == "keep") return capture::ControlFlow::Keep;
  fail(ErrorKind::Value, "control_flow must be \"keep\", \"guard\", \"error\" or \"freeze\", but got \"", word, "\"");
}

// A capture begins in the mode of its caller. If it fails in a no_grad() of the program, gradients are as they were.
struct GradModeOfBefore {
  bool was = dispatch_state().grad_enabled, of_program = capture::grad_mode_of_program();
  int exceptions = std::uncaught_exceptions();
  GradModeOfBefore() { capture::set_grad_mode_of_program(false); }
  GradModeOfBefore(const GradModeOfBefore&) = delete;
  ~GradModeOfBefore() {
    if (std::uncaught_exceptions() > exceptions) dispatch_state().grad_enabled = was;
    capture::set_grad_mode_of_program(of_program);
  }
};

// _set_scopes(graph, [(id, scope)]): the nodes from each id on, up to the next one, get the scope.
void set_scopes(nb::handle graph, nb::list scopes) {
  ir::Graph& g = graph_of(graph.ptr());
  std::vector<std::pair<uint32_t, std::string>> begins;
  for (nb::handle entry : scopes) begins.emplace_back(nb::cast<uint32_t>(entry[0]), nb::cast<std::string>(entry[1]));
  for (ir::Node* n : ir::NestedNodes(g)) {
    const auto next = std::ranges::upper_bound(begins, n->id(), {}, &std::pair<uint32_t, std::string>::first);
    if (next != begins.begin()) g.set_scope(n, std::prev(next)->second);
  }
}

// _type_by_examples(graph, inputs): the inputs of the graph get the types of these tensors, with sizes that are numbers, and the other nodes what follows.
void type_by_examples(nb::handle graph, nb::list inputs) {
  ir::Graph& g = graph_of(graph.ptr());
  const std::vector<ir::Node*> placeholders = g.placeholders();
  for (size_t k = 0; k < placeholders.size() && k < inputs.size(); ++k) {
    const nb::handle input = inputs[k];
    if (!is_tensor(input.ptr()) || !placeholders[k]->type().is(ir::TypeKind::Tensor)) continue;
    const Tensor& t = tensor_of(input.ptr());
    ir::TensorType type = placeholders[k]->type().tensor();
    type.sizes.emplace(t.sizes().begin(), t.sizes().end());
    g.set_type(placeholders[k], type);
  }
  ir::infer_types(g);
}

constexpr const char* kTraceNotes = "monograph.trace_notes";

// _capture(function, inputs, names, how, control_flow, module, reads) -> (graph, result, methods): runs function(*inputs); an input that is None is an unknown
// tensor. `methods`, of the trace of a module: its forward, in which calls of submodules are calls. `module` or None: whose parameters and buffers are attributes of the graph. `reads`: None, or what gets the reads of the program.
nb::object run_capture(nb::handle function, nb::handle inputs, std::vector<std::string> names, std::string_view how,
                       std::string_view control_flow, nb::handle module, nb::handle reads) {
  MONOGRAPH_CHECK(reads.is_none() || !capture::current_session(), Runtime,
                  "Tracing can't be nested: a function is traced while another capture runs. Trace it before, outside of the captured "
                  "function, and call ",
                  "there what that gives; or call the function itself, which the capture around it records");
  const GradModeOfBefore grad_mode;
  auto unit = std::make_shared<ir::Unit>();
  capture::CaptureOptions options;
  options.how = how == "trace" ? capture::How::Trace : capture::How::Symbolic;
  options.control_flow = control_flow_of(control_flow);
  options.takes_numbers = how == "trace";
  options.compares_inputs = true;
  options.input_names = std::move(names);
  options.unit = unit.get();
  options.location = [] { return t_node ? t_node->span() : caller_span(); };
  if (how == "trace") {
    options.variable = [](const Tensor& t) {
      const std::string name = capture::machine::running_local([&](PyObject* o) { return is_tensor(o) && tensor_of(o).is_same(t); });
      return name == "self" ? std::string() : name;
    };
    options.number_variable = [](const ir::Node* node) {
      return capture::machine::running_local([&](PyObject* o) {
        IValue v;
        if (Py_TYPE(o) != &g_symint_type || to_ivalue(o, v)) return PyErr_Clear(), false;
        const SymbolicValue* number = symbolic_value(v);
        return number && number->node == node;
      });
    };
    options.is_symbol = capture::machine::runs_binary_operator;
  }
  options.scope = [] { return t_node ? std::string_view(t_node->scope()) : std::string_view(); };
  Paths paths;
  if (!module.is_none()) {
    ModuleMap made;
    unit->set_root(add_module(*unit, module.ptr(), made));
    paths = attribute_paths(module);
  }
  options.attribute = [&](const Tensor& t) {
    auto found = paths.find(t.impl());
    return found == paths.end() ? std::string() : found->second;
  };
  capture::AdoptedParameters adopted;
  options.adopt = [&](const Tensor& t) { return adopted.path_of(t, unit->root()); };
  std::vector<Tensor> copied;
  options.frozen = [&](const Tensor& t) {
    if (!t->wrapped_number && t->python) copied.push_back(t);
  };
  ReadingRun reading(reads);
  std::vector<IValue> examples;
  for (nb::handle input : inputs) examples.push_back(tree_to_ivalue(input.ptr(), "an input"));
  nb::object result;
  capture::Captured captured = capture::capture(
      [&](std::vector<IValue> arguments) {
        auto tuple = check(PyTuple_New(static_cast<Py_ssize_t>(arguments.size())));
        for (size_t i = 0; i < arguments.size(); ++i)
          PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), tree_to_python(arguments[i]).release().ptr());
        // With "guard" too: branches are guards then, and texts of the graph need none.
        const bool keeps =
            capture::machine::supported() && (options.control_flow == capture::ControlFlow::Keep ||
                                              (options.control_flow == capture::ControlFlow::Guard && options.how == capture::How::Trace));
        if (keeps) result = check(run_keeping(function.ptr(), tuple.ptr(), reading.watcher()));
        else if (reading.watcher()) result = check(capture::machine::run_watched(function.ptr(), tuple.ptr(), nullptr, *reading.watcher()));
        else result = check(PyObject_Call(function.ptr(), tuple.ptr(), nullptr));
        reading.finish();
        return tree_to_ivalue(result.ptr(), "the result");
      },
      std::move(examples), options);
  drop_unread_texts(*captured.graph);
  reading.set_copied(copied);
  adopted.install(*unit);
  ir::Graph* graph = unit->add_function(std::move(captured.graph));
  if (options.how == capture::How::Symbolic) return nb::make_tuple(wrap(std::shared_ptr<ir::Graph>(unit, graph)), nb::none(), nb::none());
  graph->set_dialect(ir::Dialect::TorchScript);
  // The methods live in a Unit of their own: what is saved and run is the flat graph.
  nb::object methods = nb::none();
  if (!module.is_none()) {
    auto program = std::make_shared<ir::Unit>();
    ModuleMap made;
    program->set_root(add_module(*program, module.ptr(), made));
    adopted.install(*program);
    methods = wrap(std::shared_ptr<ir::Graph>(program, capture::outline_modules(*graph, captured.notes.calls, *program)));
  }
  nb::object flat = wrap(std::shared_ptr<ir::Graph>(unit, graph));
  flat.attr("_notes") = nb::capsule(new capture::TraceNotes(std::move(captured.notes)), kTraceNotes,
                                    [](void* notes) noexcept { delete static_cast<capture::TraceNotes*>(notes); });
  return nb::make_tuple(flat, result, methods);
}

// _code_of_trace(graph, name, module, path) -> (text, tensors): `.code` of what _capture gave, and what it calls CONSTANTS.c0, c1, … `path`: of the submodule
// whose method is meant, or "".
nb::object code_of_trace(nb::handle graph, const std::string& name, bool module, const std::string& path) {
  nb::object notes = graph.attr("_notes");
  std::vector<ir::TensorRef> constants;
  const auto* known = static_cast<const capture::TraceNotes*>(PyCapsule_GetPointer(notes.ptr(), kTraceNotes));
  if (!known) throw nb::python_error();
  const std::string text = capture::code_of_trace(graph_of(graph.ptr()), *known, name, module, constants, path);
  nb::list tensors;
  for (const ir::TensorRef& t : constants) tensors.append(to_python(exec::literal(ir::Args(t)[0])));
  return nb::make_tuple(text, tensors);
}

// _method_of_trace(methods, path): the graph of a submodule's forward, among the methods that _capture gave; None where the trace does not call it.
nb::object method_of_trace(nb::handle methods, const std::string& path) {
  ir::Graph& root = graph_of(methods.ptr());
  const ir::Module::Value* found = root.unit()->root()->value_at(path);
  ir::Graph* method = found && found->module ? root.unit()->find_function(concat(found->module->type().name, ".forward")) : nullptr;
  return method ? wrap(std::shared_ptr<ir::Graph>(reinterpret_cast<GraphObject*>(methods.ptr())->graph, method)) : nb::none();
}

nb::object guards_of(nb::handle graph) {
  nb::list list;
  for (const ir::Guard& g : graph_of(graph.ptr()).guards()) {
    std::string expected;
    if (g.expected.size()) ir::print_arg(expected, g.expected[0]);
    list.append(nb::make_tuple(g.expression, expected, g.span.line ? concat(*g.span.file, ":", g.span.line) : std::string()));
  }
  return list;
}

// Of each guard: the node, or the text of the symbolic size, the value that it must have, and how the user wrote it.
nb::object guard_values_of(nb::handle graph) {
  nb::list list;
  for (const ir::Guard& g : graph_of(graph.ptr()).guards()) {
    auto* owner = reinterpret_cast<GraphObject*>(graph.ptr());
    nb::object value = g.value ? wrap(g.value, owner) : nb::object(nb::str(to_string(g.size).c_str()));
    list.append(nb::make_tuple(value, to_python(g.expected[0], owner), g.expression));
  }
  return list;
}

}  // namespace

bool has_capture_hook() { return t_hook != nullptr; }
bool hook_gives_submodules() { return !t_hook || t_hook_gives_submodules; }

IValue (*object_of_module)(nb::handle object) = nullptr;
nb::object (*wrap_module_object)(IValue object) = nullptr;

std::shared_ptr<ir::Unit> unit_of_module(nb::handle module) {
  auto unit = std::make_shared<ir::Unit>();
  ModuleMap made;
  unit->set_root(add_module(*unit, module.ptr(), made));
  return unit;
}

PyObject* run_graph(PyObject* self, PyObject* args) {
  return guard([&] {
    auto* g = reinterpret_cast<GraphObject*>(self);
    if (capture::is_embedded(*g->graph)) {
      std::vector<IValue> inputs;
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) inputs.push_back(tree_to_ivalue(PyTuple_GET_ITEM(args, i), "an input"));
      std::vector<IValue> results = capture::embed(*g->graph, inputs);
      if (results.size() == 1) return tree_to_python(results[0]).release().ptr();
      return tree_to_python(IValue::tuple(std::move(results))).release().ptr();
    }
    if (!g->plan || g->plan_version != g->graph->version()) {
      g->plan = std::make_shared<const exec::Executable>(exec::plan(*g->graph));
      g->plan_version = g->graph->version();
    }
    std::shared_ptr<const exec::Executable> plan = g->plan;
    const WrappingInts wrapping(g->wraps_ints);
    return run_plan(*plan, args);
  });
}

PyObject* run_plan(const exec::Executable& plan, PyObject* args) {
  std::vector<IValue> inputs, results;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) inputs.push_back(tree_to_ivalue(PyTuple_GET_ITEM(args, i), "an input"));
  if (dispatch_state().top) {
    results = plan(std::move(inputs));
  } else {
    PyThreadState* state = PyEval_SaveThread();
    try {
      results = plan(std::move(inputs));
    } catch (...) {
      PyEval_RestoreThread(state);
      throw;
    }
    PyEval_RestoreThread(state);
  }
  if (results.size() == 1) return tree_to_python(results[0]).release().ptr();
  return tree_to_python(IValue::tuple(std::move(results))).release().ptr();
}

namespace {

// --- Control flow that every capture keeps.

std::vector<Tensor> tensors_of(PyObject* o, const char* what) {
  if (is_tensor(o)) return {tensor_of(o)};
  MONOGRAPH_CHECK(PyTuple_Check(o) || PyList_Check(o), Type, what, " must be a Tensor, or a tuple or list of Tensors, but is ",
                  type_name(o));
  std::vector<Tensor> out;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(o, i);
    MONOGRAPH_CHECK(is_tensor(item), Type, what, " must be made of Tensors, but holds a ", type_name(item));
    out.push_back(tensor_of(item));
  }
  return out;
}

nb::object tuple_of(const std::vector<Tensor>& tensors) {
  auto tuple = check(PyTuple_New(static_cast<Py_ssize_t>(tensors.size())));
  for (size_t i = 0; i < tensors.size(); ++i) PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), wrap(tensors[i]).release().ptr());
  return tuple;
}

capture::Branch branch_of(nb::handle function, const char* what) {
  return [function, what](const std::vector<Tensor>& operands) {
    return tensors_of(check(PyObject_Call(function.ptr(), tuple_of(operands).ptr(), nullptr)).ptr(), what);
  };
}

nb::object run_cond(nb::handle predicate, nb::handle then, nb::handle otherwise, nb::handle operands) {
  MONOGRAPH_CHECK(is_tensor(predicate.ptr()), Type, "cond: the predicate must be a bool or a Tensor of one element, but got ",
                  type_name(predicate.ptr()));
  return tuple_of(capture::cond(tensor_of(predicate.ptr()), branch_of(then, "the result of true_fn"),
                                branch_of(otherwise, "the result of false_fn"), tensors_of(operands.ptr(), "operands")));
}

nb::object run_while_loop(nb::handle condition, nb::handle body, nb::handle carried) {
  return tuple_of(capture::while_loop(
      [&](const std::vector<Tensor>& values) {
        nb::object c = check(PyObject_Call(condition.ptr(), tuple_of(values).ptr(), nullptr));
        MONOGRAPH_CHECK(is_tensor(c.ptr()), Type,
                        "while_loop: cond_fn must return a Tensor of one element while it is captured, but returned ", type_name(c.ptr()));
        return tensor_of(c.ptr());
      },
      branch_of(body, "the result of body_fn"), tensors_of(carried.ptr(), "carried_inputs")));
}

std::shared_ptr<ir::Graph> within_unit(PyObject* graph, std::unique_ptr<ir::Graph> fresh) {
  // The copy keeps the Unit alive whose modules it names.
  auto keep = reinterpret_cast<GraphObject*>(graph)->graph;
  ir::Graph* raw = fresh.release();
  return std::shared_ptr<ir::Graph>(raw, [keep](ir::Graph* g) { delete g; });
}

}  // namespace

void init_capture(PyObject* module) {
  nb::handle m(module);
  m.attr("_code_of_trace") = nb::cpp_function(code_of_trace, nb::arg("graph"), nb::arg("name"), nb::arg("module"), nb::arg("path") = "");
  m.attr("_method_of_trace") = nb::cpp_function(method_of_trace);
  m.attr("_capture") = nb::cpp_function(run_capture, nb::arg("function"), nb::arg("inputs"), nb::arg("names"), nb::arg("how"),
                                        nb::arg("control_flow"), nb::arg("module").none(), nb::arg("reads").none() = nb::none());
  // The graphs of a graph's Unit by name: the methods of the modules of a trace.
  m.attr("_functions_of") = nb::cpp_function([](nb::handle graph) {
    nb::dict functions;
    auto keep = reinterpret_cast<GraphObject*>(graph.ptr())->graph;
    if (keep->unit())
      for (const auto& f : keep->unit()->functions())
        functions[f->name().c_str()] = f.get() == keep.get() ? nb::borrow(graph) : wrap(std::shared_ptr<ir::Graph>(keep, f.get()));
    return functions;
  });
  m.attr("_guards") = nb::cpp_function(guards_of);
  m.attr("_relied_on") = nb::cpp_function([](nb::handle graph) {
    nb::list lines;
    for (const std::string& line : graph_of(graph.ptr()).relied_on()) lines.append(to_python(std::string_view(line)));
    return lines;
  });
  m.attr("_set_relied_on") = nb::cpp_function([](nb::handle graph, nb::list lines) {
    std::vector<std::string> texts;
    for (nb::handle line : lines) texts.push_back(nb::cast<std::string>(line));
    graph_of(graph.ptr()).set_relied_on(std::move(texts));
  });
  m.attr("_guard_values") = nb::cpp_function(guard_values_of);
  // Where the running capture stands: its number, and the id of the next node.
  m.attr("_capture_position") = nb::cpp_function([] {
    const capture::Session* s = capture::current_session();
    return s ? nb::make_tuple(s->writer.id, s->writer.graph.id_limit()) : nb::make_tuple(0, 0);
  });
  m.attr("_set_scopes") = nb::cpp_function(set_scopes);
  m.attr("_type_by_examples") = nb::cpp_function(type_by_examples);
  m.attr("_begin_module") = nb::cpp_function([](std::string_view path) { session("_begin_module").writer.begin_module(path); });
  m.attr("_end_module") = nb::cpp_function([] { session("_end_module").writer.end_module(); });
  // torch.tensor(...) of numbers: a constant that the program makes, whatever flags it gives it.
  m.attr("_note_made") = nb::cpp_function([](nb::handle tensor) {
    // None where the capture is paused: a loop's body runs for the example's values.
    if (capture::Session* s = capture::current_session()) s->writer.note_made(tensor_of(tensor.ptr()));
  });
  // While layers of the library are lowered, sizes that they compare agree, and dims are as many as they assume; returns what was set before.
  m.attr("_set_sizes_agree") = nb::cpp_function([](bool agree) {
    capture::Session* s = capture::current_session();
    return s && s->symbolic && std::exchange(s->sizes_agree, agree);
  });
  m.attr("_assume_dims") = nb::cpp_function([](nb::handle tensor, int64_t dims) {
    if (is_tensor(tensor.ptr())) assume_dims(tensor_of(tensor.ptr()), dims);  // not a proxy
  });
  m.attr("_assume_rows") = nb::cpp_function([](nb::handle tensor, int64_t rows) { assume_rows(tensor_of(tensor.ptr()), rows); });
  m.attr("_assume_length") = nb::cpp_function([](nb::handle list, int64_t length) { return assume_length(list, length); });
  m.attr("_is_capturing") = nb::cpp_function([] { return capture::current_session() != nullptr; });
  // What nn.Module tells of itself while this thread captures: hook.call(module, args, kwargs), which calls module._call_impl, and
  // hook.read(module, name, value). Where hook.gives_submodules is true, read() may be left out for submodules. Returns the one before.
  m.attr("_set_capture_hook") = nb::cpp_function(
      [](nb::handle hook) {
        nb::object before = t_hook ? nb::steal(t_hook) : nb::none();
        t_hook = hook.is_none() ? nullptr : hook.inc_ref().ptr();
        t_hook_gives_submodules = t_hook && nb::cast<bool>(hook.attr("gives_submodules"));
        // hook.make(function, args, kwargs), where it has one: calls of functions that make tensors of nothing.
        set_factory_hook(t_hook && nb::hasattr(hook, "make") ? nb::object(hook.attr("make")).release().ptr() : nullptr);
        return before;
      },
      nb::arg().none());
  static PyMethodDef capture_hook = {"_capture_hook", [](PyObject*, PyObject*) { return Py_NewRef(t_hook ? t_hook : Py_None); },
                                     METH_NOARGS, nullptr};
  m.attr("_capture_hook") = check(PyCFunction_New(&capture_hook, nullptr));
  // Lowering: operators recorded from here on come from this node's line.
  m.attr("_locate") = nb::cpp_function([](nb::handle node) { t_node = node.is_none() ? nullptr : node_of(node.ptr()); }, nb::arg().none());
  m.attr("_copy_place") = nb::cpp_function([](nb::handle to, nb::handle from) {
    ir::Node *t = node_of(to.ptr()), *f = node_of(from.ptr());
    t->graph()->set_span(t, f->span()), t->graph()->set_scope(t, f->scope());
  });
  m.attr("_set_scope") =
      nb::cpp_function([](nb::handle graph, std::string scope) { reinterpret_cast<GraphObject*>(graph.ptr())->scope = std::move(scope); });
  // Runs a function as if nothing were captured: what is printed or looked at is no part of the program.
  m.attr("_unseen") = nb::cpp_function([](nb::handle function, nb::args args) {
    capture::Pause pause;
    return nb::object(function(*args));
  });
  m.attr("_truth") = nb::cpp_function([](nb::handle tensor) { return captured_truth(tensor_of(tensor.ptr())); });

  init_regions(module);
  init_graph_copies(module);
  m.attr("_cond") = nb::cpp_function(run_cond);
  m.attr("_while_loop") = nb::cpp_function(run_while_loop);
  m.attr("_canonical") = nb::cpp_function([](nb::handle g) {
    std::unique_ptr<ir::Graph> found = passes::canonical(graph_of(g.ptr()));
    found->set_level(graph_of(g.ptr()).level());  // which is no part of the form; so it runs by itself where the graph does
    return wrap(within_unit(g.ptr(), std::move(found)));
  });
  m.attr("_jit_pass_cse") = nb::cpp_function([](nb::handle g) { return passes::eliminate_common_subexpressions(graph_of(g.ptr())) > 0; });
  // (forward, backward, number of results, names of the gradients)
  m.attr("_differentiate") = nb::cpp_function([](nb::handle g) {
    passes::Differentiated d = passes::differentiate(graph_of(g.ptr()));
    nb::object forward = wrap(within_unit(g.ptr(), std::move(d.forward))), backward = wrap(within_unit(g.ptr(), std::move(d.backward)));
    nb::list names;
    for (const std::string& name : d.gradients) names.append(name.c_str());
    return nb::make_tuple(forward, backward, d.results, nb::tuple(names));
  });
  m.attr("_hash") = nb::cpp_function([](nb::handle g) { return passes::hash(graph_of(g.ptr())); });
  m.attr("_difference") = nb::cpp_function([](nb::handle a, nb::handle b) {
    std::string difference;
    return passes::equal(graph_of(a.ptr()), graph_of(b.ptr()), &difference) ? std::string() : difference;
  });
}

}  // namespace monograph::python
