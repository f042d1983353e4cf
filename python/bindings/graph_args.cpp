// Arguments and targets of nodes between Python and the graph.
#include <nanobind/stl/string.h>

#include <algorithm>

#include "builtin.h"
#include "capture/machine/machine.h"
#include "exec/interpreter.h"
#include "graph.h"
#include "layouts.h"
#include "ops/dispatch.h"
#include "tensor.h"

namespace monograph::python {
namespace {

PyObject* g_list_type = nullptr;  // torch.fx.immutable_collections.immutable_list
PyObject* g_dict_type = nullptr;

ir::TensorRef constant_of(const Tensor& t) {
  MONOGRAPH_CHECK(t->kind == TensorImpl::Kind::Dense && !t.is_meta(), Type, "a tensor without data cannot be a constant of a graph");
  if (t->quantizer) return std::make_shared<exec::LiveTensor>("clone"_op(t));  // bytes alone have no scale
  std::vector<std::byte> bytes(t.nbytes());
  Tensor dense = t->contiguous ? t : Tensor("contiguous"_op(t));
  std::copy_n(reinterpret_cast<const std::byte*>(dense.data()), bytes.size(), bytes.data());
  return ir::make_tensor_constant(t.dtype(), t.sizes(), bytes);
}

nb::object to_python(const ir::TensorConstant& constant) {
  Tensor t = empty(constant.sizes(), constant.dtype());
  MONOGRAPH_CHECK(constant.bytes().size() == t.nbytes(), Runtime, "the tensor with hash ", constant.content_hash(),
                  " is missing: the graph was loaded without its weights");
  std::copy_n(constant.bytes().data(), constant.bytes().size(), reinterpret_cast<std::byte*>(t.data()));
  return wrap(t);
}

void add_parts(ir::Args& args, PyObject* sequence, ir::ArgKind kind, GraphObject* graph, bool foreign) {
  args.open(kind);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) add_arg(args, PySequence_Fast_GET_ITEM(sequence, i), graph, foreign);
  args.close();
}

nb::object string_attribute(PyObject* o, const char* name) {
  PyObject* found = PyObject_GetAttrString(o, name);
  if (!found || !PyUnicode_Check(found)) {
    capture::machine::forget_error();
    Py_XDECREF(found);
    return nb::none();
  }
  return nb::steal(found);
}

// A member of an Enum, Color.RED: a program finds it under the name of its class.
bool is_enum_member(PyObject* o) {
  static PyObject* const enumeration = check(PyObject_GetAttrString(check(PyImport_ImportModule("enum")).ptr(), "Enum")).release().ptr();
  const int is = PyObject_IsInstance(o, enumeration);
  check(is);
  return is == 1;
}

bool has_name(PyObject* o) {
  return !string_attribute(o, "__qualname__").is_none() || !string_attribute(o, "__name__").is_none() || is_enum_member(o);
}

// Whether its repr() makes it again: a number, text, None, or a tuple of these.
bool is_literal(PyObject* o) {
  if (o == Py_None || PyLong_Check(o) || PyFloat_CheckExact(o) || PyUnicode_CheckExact(o) || PyBytes_CheckExact(o) ||
      PyComplex_CheckExact(o))
    return !is_enum_member(o);
  if (!PyTuple_CheckExact(o)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i)
    if (!is_literal(PyTuple_GET_ITEM(o, i))) return false;
  return true;
}

bool fits_int64(PyObject* o) {
  int overflow = 0;
  check(PyLong_AsLongLongAndOverflow(o, &overflow) == -1 && PyErr_Occurred() ? -1 : 0);
  return overflow == 0;
}

// What the code of a graph writes for an object that has no name: a range, a set or a number of more than 64 bits as Python writes it, another object under
// a name of its own.
std::string constant_name(PyObject* o, size_t number) {
  bool written = Py_TYPE(o) == &PyRange_Type || PyLong_CheckExact(o);
  if (PyAnySet_Check(o)) {
    written = PyAnySet_CheckExact(o);
    for (nb::handle item : nb::borrow(o)) {
      MONOGRAPH_CHECK(!is_node(item.ptr()), Type, "the node ", node_of(item.ptr())->name(), origin(node_of(item.ptr())), " stands in a ",
                      type_name(o), ", where the graph would not see it; give it to the call in a tuple or list");
      written = written && is_literal(item.ptr());
    }
  }
  if (written)
    if (const nb::object text = check(PyObject_Repr(o));
        text_of(text.ptr()).find("::") == std::string_view::npos)  // which means an operator
      return concat("builtins.", text_of(text.ptr()));
  return concat("constants.", type_name(o), "_", number);
}

const ir::CallableRef& callable_of(PyObject* o, GraphObject* graph) {
  const size_t known = graph->callables.size();
  if (const auto found = graph->callables.find(o); found != graph->callables.end() && found->second) return found->second;
  auto callable = std::make_shared<PyCallable>(o, has_name(o) ? qualified_name(o) : constant_name(o, known));
  return graph->callables[o] = std::move(callable);
}

thread_local bool t_keeps_members = false;

// A member of an IntEnum and the like.
bool is_enum_number(PyObject* o) {
  const bool plain = PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyUnicode_CheckExact(o);
  return !plain && (PyLong_Check(o) || PyFloat_Check(o) || PyUnicode_Check(o)) && is_enum_member(o);
}

void add_object(ir::Args& args, PyObject* o, GraphObject* graph) {
  const ir::CallableRef& callable = callable_of(o, graph);
  args.global(callable->name(), callable);
}

}  // namespace

KeepsMembers::KeepsMembers(ir::Op op, const ir::Target& target) : before_(t_keeps_members) {
  const std::string_view name = target.name();
  const bool library = target.op || name.starts_with("torch.") || name.starts_with("operator.") || name.find('.') == std::string_view::npos;
  t_keeps_members = op != ir::Op::CallMethod && (op != ir::Op::CallFunction || !library);
}
KeepsMembers::~KeepsMembers() { t_keeps_members = before_; }

std::string origin(const ir::Node* node) {
  const std::string place = to_string(node->span());
  return place.empty() ? place : concat(" (made at ", place, ")");
}

void check_of_graph(const ir::Node* node, const ir::Graph& graph) {
  MONOGRAPH_CHECK(node->graph() == &graph, Runtime, "node ", node->name(), origin(node),
                  " belongs to another graph; copy it with node_copy first");
}

// The name under which a program finds the object: torch for what is the package's.
std::string qualified_name(PyObject* o) {
  if (nb::object member = string_attribute(o, "name"); !member.is_none() && is_enum_member(o))
    return concat(qualified_name(reinterpret_cast<PyObject*>(Py_TYPE(o))), ".", text_of(member.ptr()));
  nb::object name = string_attribute(o, "__qualname__"), module = string_attribute(o, "__module__");
  if (name.is_none()) name = string_attribute(o, "__name__");
  std::string text(name.is_none() ? std::string_view(type_name(o)) : text_of(name.ptr()));
  if (module.is_none()) return text;
  std::string where(text_of(module.ptr()));
  if (where == "builtins") return text;
  if (where == "_operator") where = "operator";
  if (where.starts_with("monograph._ops.")) where.replace(0, std::string_view("monograph._ops").size(), "torch.ops");
  if (where == "monograph" || where.starts_with("monograph.")) where.replace(0, std::string_view("monograph").size(), "torch");
  return where + "." + text;
}

void add_arg(ir::Args& args, PyObject* o, GraphObject* graph, bool foreign) {
  if (is_node(o)) {
    ir::Node* node = node_of(o);
    if (foreign && node->graph() != graph->graph.get()) {
      ir::CallableRef& callable = graph->callables[o];
      callable = std::make_shared<PyCallable>(o, node->name());
      args.global(callable->name(), callable);
      return;
    }
    check_of_graph(node, *graph->graph);
    args.add(node);
    return;
  }
  DType dtype;
  if (o == Py_None) args.none();
  else if (PyBool_Check(o)) args.add(o == Py_True);
  else if (t_keeps_members && is_enum_number(o)) add_object(args, o, graph);
  else if (PyLong_Check(o) && fits_int64(o)) args.add(to_int64(o));
  else if (PyFloat_Check(o)) args.add(PyFloat_AS_DOUBLE(o));
  else if (PyUnicode_Check(o)) args.add(text_of(o));
  else if (PyTuple_Check(o)) add_parts(args, o, ir::ArgKind::Tuple, graph, foreign);
  else if (PyList_Check(o)) add_parts(args, o, ir::ArgKind::List, graph, foreign);
  else if (PyDict_Check(o)) {
    args.open(ir::ArgKind::Dict);
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) {
      MONOGRAPH_CHECK(!is_node(key), Runtime, "Node arguments cannot be keys of dicts");
      add_arg(args, key, graph), add_arg(args, value, graph, foreign);
    }
    args.close();
  } else if (PySlice_Check(o)) {
    auto* s = reinterpret_cast<PySliceObject*>(o);
    args.open(ir::ArgKind::Slice);
    for (PyObject* part : {s->start, s->stop, s->step}) add_arg(args, part, graph, foreign);
    args.close();
  } else if (o == Py_Ellipsis) args.ellipsis();
  else if (PyComplex_Check(o)) args.add(std::complex<double>(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)));
  else if (is_dtype(o) && to_dtype(o, dtype)) args.add(dtype);
  else if (Py_TYPE(o) == &g_device_type) args.add(to_device(o));
  else if (Py_TYPE(o) == &g_memory_format_type) args.add(reinterpret_cast<MemoryFormatObject*>(o)->value);
  else if (Py_TYPE(o) == &g_layout_type) check_strided(o), args.layout();
  else if (is_tensor(o)) args.add(constant_of(tensor_of(o)));
  else {
    MONOGRAPH_CHECK(has_name(o) || std::string_view(type_name(o)) != "numpy.ndarray", Type,
                    "an argument of a node is a node, a tensor, a number, a str, a dtype, a function, a slice or None, or a ",
                    "tuple, list or dict of these, but got numpy.ndarray; torch.from_numpy(x) makes a tensor");
    add_object(args, o, graph);
  }
}

nb::object immutable(nb::object parts) {
  PyObject* type = PyList_Check(parts.ptr()) ? g_list_type : g_dict_type;
  return type ? check(PyObject_CallOneArg(type, parts.ptr())) : parts;
}

ir::Args to_args(PyObject* positional, PyObject* keywords, GraphObject* graph, bool foreign) {
  ir::Args args;
  if (positional && positional != Py_None) {
    MONOGRAPH_CHECK(PyTuple_Check(positional) || PyList_Check(positional), Type, "args must be a tuple, but got ", type_name(positional),
                    "; write (x,) for one argument");
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(positional); ++i)
      add_arg(args, PySequence_Fast_GET_ITEM(positional, i), graph, foreign);
  }
  if (keywords && keywords != Py_None) {
    MONOGRAPH_CHECK(PyDict_Check(keywords), Type, "kwargs must be a dict, but got ", type_name(keywords));
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(keywords, &at, &key, &value);) {
      MONOGRAPH_CHECK(PyUnicode_Check(key), Type, "the keys of kwargs are str, but got ", type_name(key));
      args.name(text_of(key));
      add_arg(args, value, graph, foreign);
    }
  }
  return args;
}

nb::object to_python(ir::ArgRef a, GraphObject* graph) {
  auto parts = [&] {
    auto list = check(PyList_New(0));
    for (ir::ArgRef part : a) check(PyList_Append(list.ptr(), to_python(part, graph).ptr()));
    return list;
  };
  switch (a.kind()) {
    case ir::ArgKind::None: return nb::none();
    case ir::ArgKind::Ellipsis: return nb::borrow(Py_Ellipsis);
    case ir::ArgKind::Bool: return nb::borrow(a.as_bool() ? Py_True : Py_False);
    case ir::ArgKind::Int: return to_python(a.as_int());
    case ir::ArgKind::Float: return check(PyFloat_FromDouble(a.as_float()));
    case ir::ArgKind::Str: return to_python(std::string_view(a.as_str()));
    case ir::ArgKind::DType: return nb::borrow(object_of(a.as_dtype()));
    case ir::ArgKind::Device: return to_python(a.as_device());
    case ir::ArgKind::Layout: return nb::borrow(strided_layout());
    case ir::ArgKind::MemoryFormat: return nb::borrow(object_of(a.as_memory_format()));
    case ir::ArgKind::SymInt: return to_python(std::string_view(to_string(a.as_symint())));
    case ir::ArgKind::Tensor: return to_python(a.as_tensor());
    case ir::ArgKind::Global:
      if (auto* c = dynamic_cast<const PyCallable*>(a.as_global().callable.get())) return nb::borrow(c->object);
      return to_python(std::string_view(a.as_global().name));
    case ir::ArgKind::Node: return wrap(a.as_node(), graph);
    case ir::ArgKind::Complex: return check(PyComplex_FromDoubles(a.as_complex().real(), a.as_complex().imag()));
    case ir::ArgKind::Slice: {
      auto list = parts();
      return check(PySlice_New(PyList_GET_ITEM(list.ptr(), 0), PyList_GET_ITEM(list.ptr(), 1), PyList_GET_ITEM(list.ptr(), 2)));
    }
    case ir::ArgKind::Tuple: return check(PyList_AsTuple(parts().ptr()));
    case ir::ArgKind::List: return immutable(parts());
    case ir::ArgKind::Dict: {
      auto list = parts();
      nb::dict dict;
      for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.ptr()); i += 2)
        dict[nb::handle(PyList_GET_ITEM(list.ptr(), i))] = nb::handle(PyList_GET_ITEM(list.ptr(), i + 1));
      return immutable(dict);
    }
  }
  return nb::none();
}

// Whether a name can stand for a function: torch.relu, or module:function. A method has one word.
// Scripts read attributes by the builtin getattr, the one function of one word.
static bool is_qualified(std::string_view name) { return name.find_first_of(".:") != std::string_view::npos || name == "getattr"; }

bool suits_op(ir::Op op, const ir::Target& target) {
  const bool callable = target.surface->callable != nullptr;
  return op == ir::Op::CallFunction ? callable || target.op || is_qualified(target.name()) : !callable;
}

ir::Target to_target(ir::Op op, PyObject* target, GraphObject* graph) {
  if (PyUnicode_Check(target)) {
    const std::string_view name = text_of(target);
    MONOGRAPH_CHECK(op != ir::Op::CallFunction || is_qualified(name), Value,
                    "the target of a call_function node must be callable, but got the str '", name,
                    "'; write the function itself, as torch.", name, ", or use call_method");
  } else {
    MONOGRAPH_CHECK(op == ir::Op::CallFunction, Value, "the target of a ", to_string(op), " node is a str, but got ", type_name(target));
    MONOGRAPH_CHECK(PyCallable_Check(target), Value, "the target of a call_function node must be callable, but got ", type_name(target));
  }
  return to_target(target, graph);
}

ir::Target to_target(PyObject* target, GraphObject* graph) {
  if (PyUnicode_Check(target)) return graph->graph->target(text_of(target));
  MONOGRAPH_CHECK(PyCallable_Check(target), Value, "the target of a node is a str or callable, but got ", type_name(target));
  const ir::CallableRef& callable = callable_of(target, graph);
  // builtins.getattr, builtins.slice: as torch.fx names them. A class of the user's has a module before its name.
  const bool builtin = callable->name().find('.') == std::string_view::npos && (PyCFunction_Check(target) || PyType_Check(target));
  return graph->graph->target(builtin ? concat("builtins.", callable->name()) : std::string(callable->name()), callable);
}

nb::object target_of(const ir::Node& node) {
  const ir::Global& surface = *node.target().surface;
  if (auto* c = dynamic_cast<const PyCallable*>(surface.callable.get())) return nb::borrow(c->object);
  return to_python(std::string_view(surface.name));
}

void init_graph_args(PyObject* module) {
  nb::handle(module).attr("_set_immutable_types") =
      nb::cpp_function([](nb::handle list, nb::handle dict) { g_list_type = list.inc_ref().ptr(), g_dict_type = dict.inc_ref().ptr(); });
  nb::handle(module).attr("_qualified_name") = nb::cpp_function([](nb::handle o) { return qualified_name(o.ptr()); });
}

}  // namespace monograph::python
