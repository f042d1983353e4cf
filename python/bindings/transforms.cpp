// What fx does to every node of a graph, or to every argument: here, since graphs are long.
#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "dtypes.h"
#include "graph.h"
#include "ir/text.h"
#include "module_tables.h"
#include "ops/record.h"
#include "symbolic.h"
#include "tensor.h"

namespace monograph::python {
namespace {

GraphObject* graph_object(nb::handle o) { return reinterpret_cast<GraphObject*>(o.ptr()); }

// ---- map_aggregate, map_arg, and the values of arguments ----

class Depth {  // of Python's own limit
 public:
  Depth() {
    if (Py_EnterRecursiveCall(" in the arguments of a node")) raise_set();
  }
  ~Depth() { Py_LeaveRecursiveCall(); }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
};

// `a` with leaf(x) in the place of everything inside that is not a tuple, list, dict or slice. frozen: whether lists and dicts come out immutable.
template <class Leaf>
nb::object mapped(PyObject* a, bool frozen, const Leaf& leaf) {
  auto part = [&](PyObject* p) { return mapped(p, frozen, leaf); };
  if (PyTuple_Check(a)) {
    Depth depth;
    auto parts = check(PyTuple_New(PyTuple_GET_SIZE(a)));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); ++i) PyTuple_SET_ITEM(parts.ptr(), i, part(PyTuple_GET_ITEM(a, i)).release().ptr());
    if (PyTuple_CheckExact(a) || !PyObject_HasAttrString(a, "_fields")) return parts;
    return check(PyObject_CallObject(reinterpret_cast<PyObject*>(Py_TYPE(a)), parts.ptr()));
  }
  if (PyList_Check(a)) {
    Depth depth;
    auto parts = check(PyList_New(0));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(a); ++i)
      if (PyList_Append(parts.ptr(), part(PyList_GET_ITEM(a, i)).ptr())) raise_set();
    return frozen ? immutable(parts) : parts;
  }
  if (PyDict_Check(a)) {
    Depth depth;
    auto parts = check(PyDict_New());
    if (PyDict_GET_SIZE(a)) {
      auto items = check(PyDict_Items(a));
      for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.ptr()); ++i) {
        PyObject* item = PyList_GET_ITEM(items.ptr(), i);
        if (PyDict_SetItem(parts.ptr(), PyTuple_GET_ITEM(item, 0), part(PyTuple_GET_ITEM(item, 1)).ptr())) raise_set();
      }
    }
    return frozen ? immutable(parts) : parts;
  }
  if (PySlice_Check(a)) {
    auto* s = reinterpret_cast<PySliceObject*>(a);
    return check(PySlice_New(part(s->start).ptr(), part(s->stop).ptr(), part(s->step).ptr()));
  }
  return leaf(a);
}

nb::object map_aggregate(nb::handle a, nb::handle function) {
  return mapped(a.ptr(), true, [&](PyObject* x) { return check(PyObject_CallOneArg(function.ptr(), x)); });
}

nb::object map_arg(nb::handle a, nb::handle function) {
  return mapped(a.ptr(), true, [&](PyObject* x) { return is_node(x) ? check(PyObject_CallOneArg(function.ptr(), x)) : nb::borrow(x); });
}

// _with_values(a, env, user): `a` with the values of its nodes in the dict `env`. A call may change its lists and dicts. RuntimeError, which names the
// node `user`, for a node without a value.
nb::object with_values(nb::handle a, nb::handle env, nb::handle user) {
  return mapped(a.ptr(), false, [&](PyObject* x) {
    if (!is_node(x)) return nb::borrow(x);
    if (PyObject* value = PyDict_GetItemWithError(env.ptr(), x)) return nb::borrow(value);
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_RuntimeError, "Node %S referenced nonexistent value %S! Run Graph.lint() to diagnose such issues", user.ptr(), x);
    raise_set();
  });
}

// _values_of(node, env) -> (args, kwargs): the arguments of a node, as _with_values gives them. An Interpreter asks this for every node that it runs.
nb::object values_of(nb::handle node, nb::handle env) {
  nb::object args = node.attr("args"), kwargs = node.attr("kwargs");
  nb::object named = PyDict_GET_SIZE(kwargs.ptr()) ? with_values(kwargs, env, node) : check(PyDict_New());
  return nb::make_tuple(with_values(args, env, node), named);
}

// ---- what an Interpreter and ShapeProp ask of every node ----

// _submodule(module, "layer.0.conv"): the submodule at a path, if Module.__getattr__ itself finds it; else None, and Python looks.
nb::object submodule(nb::handle module, nb::handle path) {
  PyObject* found = module.ptr();
  if (!PyUnicode_Check(path.ptr())) return nb::none();
  const std::string_view text = text_of(path.ptr());
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find('.', start), text.size());
    auto name = check(PyUnicode_FromStringAndSize(text.data() + start, static_cast<Py_ssize_t>(end - start)));
    if (!(found = plain_submodule(found, name.ptr()))) return nb::none();
    start = end + 1;
  }
  return nb::borrow(found);
}

// _contiguous_metadata(TensorMetadata, tensor): what describes a contiguous tensor that no capture knows; None for another.
nb::object contiguous_metadata(nb::handle type, nb::handle tensor) {
  if (reinterpret_cast<PyTypeObject*>(tensor.type().ptr()) != g_tensor_type) return nb::none();
  const Tensor& t = tensor_of(tensor.ptr());
  if (t->kind != TensorImpl::Kind::Dense || is_captured(t) || !t.is_contiguous()) return nb::none();
  auto made = check(reinterpret_cast<PyTypeObject*>(type.ptr())->tp_alloc(reinterpret_cast<PyTypeObject*>(type.ptr()), 7));
  nb::object parts[] = {to_size(t.sizes()),
                        nb::borrow(object_of(t.dtype())),
                        nb::borrow(t.requires_grad() ? Py_True : Py_False),
                        to_tuple(t.strides()),
                        nb::borrow(object_of(MemoryFormat::Contiguous)),
                        nb::borrow(Py_False),
                        check(PyDict_New())};
  Py_ssize_t k = 0;
  for (nb::object& part : parts) PyTuple_SET_ITEM(made.ptr(), k++, part.release().ptr());
  return made;
}

// ---- Graph.graph_copy ----

// _copy_nodes(to, from, map): copies all nodes but the output to the insertion point. `map` knows some nodes, which are not copied, and learns the
// others.
void copy_nodes(nb::handle to, nb::handle from, nb::dict map) {
  GraphObject *target = graph_object(to), *source = graph_object(from);
  ir::Graph::NodeMap nodes;
  for (auto [old, made] : map) nodes[node_of(old.ptr())] = node_of(made.ptr());
  std::vector<ir::Node*> order;
  for (ir::Node* n : *source->graph->root())
    if (n->op() != ir::Op::Output && !nodes.contains(n)) order.push_back(n);
  target->callables.insert(source->callables.begin(), source->callables.end());
  auto learn = [&](ir::Node* old, ir::Node* made) {
    nb::object copy = wrap(made, target);
    copy_notes(old, copy);
    map[wrap(old, source)] = copy;
  };
  const size_t known = nodes.size();
  for (ir::Node* n : order) learn(n, target->graph->copy(n, nodes));
  if (nodes.size() == known + order.size()) return;
  for (auto [old, made] : nodes)  // what stands in the blocks of an If or Loop
    if (old->block() != source->graph->root()) learn(const_cast<ir::Node*>(old), made);
}

// ---- generated code ----

// The functions and constants that the code of a graph names.
class CodeNames {
 public:
  explicit CodeNames(nb::dict names) : names_(std::move(names)) {}
  bool clear() const { return clear_; }  // no two functions have one name, and no constant is too large to be written
  void see(const ir::Node& n) {
    if (n.op() == ir::Op::CallFunction) see(n.target().surface->callable.get());
    for (auto it = n.args_begin(); it != n.args_end(); ++it) see(*it);
  }

 private:
  void see(ir::ArgRef a) {
    if (a.is(ir::ArgKind::Global)) see(a.as_global().callable.get());
    else if (a.is(ir::ArgKind::Tensor)) clear_ = clear_ && a.as_tensor().numel() <= ir::kLargestCodeConstant;
    else if (a.size())
      for (ir::ArgRef part : a) see(part);
  }
  void see(const ir::Callable* callable) {
    auto* function = dynamic_cast<const PyCallable*>(callable);
    if (!function || !seen_.insert(function->object).second) return;
    if (is_node(function->object)) {  // of another graph: its name means nothing here
      clear_ = false;
      return;
    }
    std::string name(function->name());
    if (name.starts_with("builtins.") && !PyCallable_Check(function->object)) return;  // a range or set, which the code writes itself
    if (name.starts_with("torch.") || name.find('.') == std::string::npos) return;
    auto key = to_python(std::string_view(ir::python_function(name)));
    PyObject* known = PyDict_SetDefault(names_.ptr(), key.ptr(), function->object);
    if (!known) raise_set();
    clear_ = clear_ && known == function->object;
  }

  nb::dict names_;
  bool clear_ = true;
  std::unordered_set<const PyObject*> seen_;
};

// Whether this is the name of a function in a module that the code does not know: math.sqrt.
bool in_module(std::string_view name) {
  return name.find('.') != std::string_view::npos && name.find("::") == std::string_view::npos && !name.starts_with("torch.") &&
         !name.starts_with("builtins.");
}

// _code_names(graph, names): adds what the code names beside torch and the builtins. Answers whether the code tells all of it apart, the nodes that
// have annotations, the names of the functions that torch.fx.wrap made leaves, the nodes whose targets do not suit their ops, and the functions
// of which only a name is known, {name in the code: name}.
nb::object code_names(nb::handle graph, nb::dict names) {
  GraphObject* g = graph_object(graph);
  CodeNames found(names);
  nb::list annotated, wrapped, unsuited;
  nb::dict named;
  std::vector<ir::Block*> blocks{g->graph->root()};
  while (!blocks.empty()) {
    ir::Block* block = blocks.back();
    blocks.pop_back();
    for (ir::Node* n : *block) {
      found.see(*n);
      if (n->structure() == ir::Structure::None && !suits_op(n->op(), n->target())) unsuited.append(wrap(n, g));
      if (const std::string& name = n->target().name();
          n->op() == ir::Op::CallFunction && !n->target().surface->callable && in_module(name))
        named[to_python(std::string_view(ir::python_function(name)))] = to_python(std::string_view(name));
      auto* o = static_cast<NodeObject*>(n->object());
      PyObject* type = o && o->dict ? PyDict_GetItemString(o->dict, "_type") : nullptr;
      if (type && type != Py_None) annotated.append(wrap(n, g));
      if (n->op() == ir::Op::CallFunction && o && o->meta && PyDict_GetItemString(o->meta, "is_wrapped"))
        wrapped.append(to_python(std::string_view(ir::python_function(n->target().name()))));
      for (size_t k = 0; k < n->block_count(); ++k) blocks.push_back(n->block(k));
    }
  }
  return nb::make_tuple(found.clear(), annotated, wrapped, unsuited, named);
}

// _foreign_inputs(graph) -> [(node, argument)]: the arguments that are nodes of other graphs. node.args = ... takes them, for an edit may put things right.
void find_foreign(ir::ArgRef a, nb::handle node, nb::list found) {
  if (a.is(ir::ArgKind::Global)) {
    auto* name = dynamic_cast<const PyCallable*>(a.as_global().callable.get());
    if (name && is_node(name->object)) found.append(nb::make_tuple(node, nb::handle(name->object)));
  } else if (!a.is(ir::ArgKind::Node) && a.size()) {
    for (ir::ArgRef part : a) find_foreign(part, node, found);
  }
}

nb::list foreign_inputs(nb::handle graph) {
  GraphObject* g = graph_object(graph);
  nb::list found;
  if (std::ranges::none_of(g->callables, [](const auto& known) { return is_node(known.first); })) return found;
  for (ir::Node* n : ir::NestedNodes(g->graph->root())) {
    nb::object node = wrap(n, g);
    for (auto it = n->args_begin(); it != n->args_end(); ++it) find_foreign(*it, node, found);
  }
  return found;
}

// ---- what proxies are given ----

PyObject* g_proxy_type = nullptr;  // monograph.fx.Proxy; the node of one stands in its attribute _node
PyObject* g_attribute_type = nullptr;  // monograph.fx.proxy.Attribute: proxy.name

bool is_plain(PyObject* a) {
  DType dtype;
  return a == Py_None || a == Py_Ellipsis || PyBool_Check(a) || PyLong_CheckExact(a) || PyFloat_CheckExact(a) || PyUnicode_CheckExact(a) ||
         is_node(a) || PyComplex_CheckExact(a) || (is_dtype(a) && to_dtype(a, dtype)) || Py_TYPE(a) == &g_device_type ||
         Py_TYPE(a) == &g_memory_format_type || Py_TYPE(a) == &g_layout_type;
}

// What stands in a node for `a`. The tracer answers for what only it knows.
nb::object node_argument(PyObject* tracer, PyObject* a, bool has_blocks) {
  static PyObject* const node_name = PyUnicode_InternFromString("_node");
  static PyObject* const create_arg = PyUnicode_InternFromString("create_arg");
  if (is_plain(a)) return nb::borrow(a);
  if (reinterpret_cast<PyObject*>(Py_TYPE(a)) == g_proxy_type && !has_blocks) return check(PyObject_GetAttr(a, node_name));
  if (PyTuple_CheckExact(a)) {
    Depth depth;
    auto parts = check(PyTuple_New(PyTuple_GET_SIZE(a)));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); ++i)
      PyTuple_SET_ITEM(parts.ptr(), i, node_argument(tracer, PyTuple_GET_ITEM(a, i), has_blocks).release().ptr());
    return parts;
  }
  if (PyList_CheckExact(a)) {
    Depth depth;
    auto parts = check(PyList_New(0));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(a); ++i)
      if (PyList_Append(parts.ptr(), node_argument(tracer, PyList_GET_ITEM(a, i), has_blocks).ptr())) raise_set();
    return parts;
  }
  if (PyDict_CheckExact(a) && PyDict_GET_SIZE(a) == 0) return check(PyDict_New());
  return check(PyObject_CallMethodOneArg(tracer, create_arg, a));
}

// The overload of tensors that takes the numbers of the node's too, so that PyTorch calls it: for aten::add.Scalar, aten::add.Tensor. "" if there is none.
std::string_view overload_of_tensors(const ir::Node& node) {
  const auto* op = dynamic_cast<const Operator*>(node.info());
  const size_t dot = op ? op->name().find('.') : std::string_view::npos;
  if (dot == std::string_view::npos || op->schema().arguments().size() < 2) return {};
  const auto& arguments = op->schema().arguments();
  if (arguments[1].type.is(ir::TypeKind::Tensor)) return {};
  for (const Operator* other : find_overloads(op->name().substr(0, dot)).overloads) {
    const auto& wanted = other->schema().arguments();
    const auto same_name = [](const ir::Argument& a, const ir::Argument& b) { return a.name == b.name; };
    if (std::ranges::equal(arguments, wanted, same_name) && wanted[1].type.is(ir::TypeKind::Tensor) && other->schema().takes_number_at(1))
      return other->name();
  }
  return {};
}

// Bytes that are equal for two calls of one target with equal arguments. None if Python must compare: an object of Python is among the arguments. Targets and skeletons
// are interned in their graph, so pointers compare them.
nb::object call_key(nb::handle node) {
  const ir::Node* n = node_of(node.ptr());
  const ir::Skeleton& skeleton = n->skeleton();
  for (uint32_t k = 0; k < skeleton.items; ++k)
    if (skeleton.item[k].kind == ir::ArgKind::Global) return nb::none();
  std::vector<const void*> parts{n->target().surface, &skeleton};
  for (size_t k = 0; k < n->input_count(); ++k) parts.push_back(n->input(k));
  std::string key(1, static_cast<char>(n->op()));
  key.append(reinterpret_cast<const char*>(parts.data()), parts.size() * sizeof(void*));
  return check(PyBytes_FromStringAndSize(key.data(), static_cast<Py_ssize_t>(key.size())));
}

}  // namespace

bool is_proxy(PyObject* o) { return g_proxy_type && PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(g_proxy_type)); }
bool is_proxy_attribute(PyObject* o) {
  return g_attribute_type && PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(g_attribute_type));
}

void copy_notes(const ir::Node* from, nb::handle to) {
  auto* o = static_cast<NodeObject*>(from->object());
  if (!o) return;
  if (o->meta && PyDict_GET_SIZE(o->meta)) to.attr("meta") = check(PyDict_Copy(o->meta));
  PyObject* type = o->dict ? PyDict_GetItemString(o->dict, "_type") : nullptr;
  if (type && type != Py_None) to.attr("type") = nb::handle(type);
}

void init_transforms(PyObject* module) {
  nb::handle m(module);
  m.attr("_map_aggregate") = nb::cpp_function(map_aggregate, nb::arg().none(), nb::arg());
  m.attr("_map_arg") = nb::cpp_function(map_arg, nb::arg().none(), nb::arg());
  m.attr("_with_values") = nb::cpp_function(with_values, nb::arg().none(), nb::arg(), nb::arg());
  m.attr("_values_of") = nb::cpp_function(values_of);
  m.attr("_submodule") = nb::cpp_function(submodule);
  m.attr("_contiguous_metadata") = nb::cpp_function(contiguous_metadata);
  m.attr("_copy_nodes") = nb::cpp_function(copy_nodes);
  m.attr("_code_names") = nb::cpp_function(code_names);
  // _copy_type(to, from): gives a node the type that another one has, inferred or declared.
  m.attr("_copy_type") = nb::cpp_function([](nb::handle to, nb::handle from) {
    ir::Node *made = node_of(to.ptr()), *known = node_of(from.ptr());
    made->graph()->set_type(made, known->type(), known->type_declared());
  });
  // _copy_overload(to, from): gives a node the overload that another node's target was resolved to.
  m.attr("_copy_overload") = nb::cpp_function([](nb::handle to, nb::handle from) {
    ir::Node* made = node_of(to.ptr());
    const ir::Target& known = node_of(from.ptr())->target();
    if (known.overload && (!known.op || known.op->results() <= 1))
      made->graph()->set_target(made, made->graph()->resolved(known.name(), *known.overload));
  });
  // _overload(node) -> str: the full name of the overload that its target was resolved to, or "".
  m.attr("_overload") = nb::cpp_function([](nb::handle node) {
    const ir::Target& target = node_of(node.ptr())->target();
    return to_python(std::string_view(target.overload ? *target.overload : std::string()));
  });
  m.attr("_overload_of_tensors") = nb::cpp_function([](nb::handle node) { return to_python(overload_of_tensors(*node_of(node.ptr()))); });
  m.attr("_foreign_inputs") = nb::cpp_function(foreign_inputs);
  m.attr("_call_key") = nb::cpp_function(call_key);
  m.attr("_set_proxy_types") = nb::cpp_function(
      [](nb::handle proxy, nb::handle attribute) { g_proxy_type = proxy.inc_ref().ptr(), g_attribute_type = attribute.inc_ref().ptr(); });
  m.attr("_node_argument") =
      nb::cpp_function([](nb::handle tracer, nb::handle a, bool has_blocks) { return node_argument(tracer.ptr(), a.ptr(), has_blocks); },
                       nb::arg(), nb::arg().none(), nb::arg());
}

}  // namespace monograph::python
