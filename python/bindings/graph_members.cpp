// Attributes and methods of Graph and Node, and the list of nodes.
#include <unordered_set>

#include "graph.h"
#include "graph_types.h"
#include "ir/bind.h"
#include "ir/text.h"
#include "ops/infer.h"

namespace monograph::ir {
std::string default_name(Op op, std::string_view target);
}

namespace monograph::python {
namespace {

NodeObject* self_of(PyObject* o) { return reinterpret_cast<NodeObject*>(o); }
GraphObject* owner(PyObject* node) {
  GraphObject* g = self_of(node)->graph;
  MONOGRAPH_CHECK(g, Runtime, "the graph of this node is gone");
  return g;
}
ir::Graph& ir_graph(PyObject* node) { return *owner(node)->graph; }

template <class F>
PyObject* give(F&& f) {
  return guard([&]() -> PyObject* { return nb::object(f()).release().ptr(); });
}
#define MONOGRAPH_NODE_GET(expression) [](PyObject* s, void*) -> PyObject* { return give([&]() -> nb::object { return expression; }); }

// Node -----------------------------------------------------------------------------------------------------------------------------------

// args and kwargs as Python objects, made again only when the node has changed.
// Most nodes have none, and nobody can change it.
nb::object no_kwargs() {
  static PyObject* empty = immutable(nb::dict()).release().ptr();
  return nb::borrow(empty);
}

void refresh(PyObject* s) {
  NodeObject* n = self_of(s);
  ir::Node* node = n->node;
  if (n->args && (!node || n->version == node->version())) return;
  auto args = check(PyTuple_New(node ? static_cast<Py_ssize_t>(node->positional_count()) : 0));
  nb::dict kwargs;
  size_t k = 0, positional = node ? node->positional_count() : 0;
  if (node)
    for (auto at = node->args_begin(); at != node->args_end(); ++at, ++k) {
      nb::object value = to_python(*at, owner(s));
      if (k < positional) PyTuple_SET_ITEM(args.ptr(), static_cast<Py_ssize_t>(k), value.release().ptr());
      else kwargs[node->keyword(k - positional).c_str()] = value;
    }
  Py_XSETREF(n->args, args.release().ptr());
  Py_XSETREF(n->kwargs, (kwargs.size() ? immutable(std::move(kwargs)) : no_kwargs()).release().ptr());
  n->version = node ? node->version() : 0;
}

nb::object args_of(PyObject* s) {
  refresh(s);
  return nb::borrow(self_of(s)->args);
}
nb::object kwargs_of(PyObject* s) {
  refresh(s);
  return nb::borrow(self_of(s)->kwargs);
}

int set_args(PyObject* s, PyObject* value, void*) {
  return guard([&]() -> int {
    nb::object kwargs = kwargs_of(s);
    TypesFollow types(owner(s), node_of(s));
    const KeepsMembers keeps(node_of(s)->op(), node_of(s)->target());
    ir_graph(s).set_args(node_of(s), to_args(value, kwargs.ptr(), owner(s), true));
    types.done();
    return 0;
  });
}
int set_kwargs(PyObject* s, PyObject* value, void*) {
  return guard([&]() -> int {
    nb::object args = args_of(s);
    TypesFollow types(owner(s), node_of(s));
    const KeepsMembers keeps(node_of(s)->op(), node_of(s)->target());
    ir_graph(s).set_args(node_of(s), to_args(args.ptr(), value, owner(s), true));
    types.done();
    return 0;
  });
}

nb::object users_of(PyObject* s) {
  nb::dict users;
  if (self_of(s)->node)
    for (ir::Node* user : self_of(s)->node->users()) users[wrap(user, owner(s))] = nb::none();
  return users;
}

nb::object inputs_of(PyObject* s) {
  nb::list inputs;
  std::unordered_set<ir::Node*> seen;
  ir::Node* node = self_of(s)->node;
  for (size_t k = 0; node && k < node->input_count(); ++k)
    if (seen.insert(node->input(k)).second) inputs.append(wrap(node->input(k), owner(s)));
  return inputs;
}

// meta["nn_module_stack"], of a node that a symbolic trace made. It is worked out only when somebody asks for meta, for most nodes of most graphs are
// never asked (fx/_module_stack.py).
void add_module_stack(PyObject* s, nb::dict meta) {
  static PyObject* const calls_name = PyUnicode_InternFromString("_module_calls");
  const ir::Node* node = self_of(s)->node;
  PyObject* fields = node && self_of(s)->graph ? self_of(s)->graph->dict : nullptr;
  if (!fields || (node->op() != ir::Op::CallModule && node->scope().empty())) return;
  PyObject* calls = PyDict_GetItemWithError(fields, calls_name);
  if (!calls) return;
  nb::object stack = check(PyObject_CallOneArg(calls, s));
  if (!stack.is_none()) meta["nn_module_stack"] = stack;
}

nb::object meta_of(PyObject* s) {
  PyObject*& meta = self_of(s)->meta;
  if (meta) return nb::borrow(meta);
  nb::dict made;
  add_module_stack(s, made);
  if (!meta) meta = made.release().ptr();
  return nb::borrow(meta);
}
int set_meta(PyObject* s, PyObject* value, void*) {
  return guard([&]() -> int {
    MONOGRAPH_CHECK(value && PyDict_Check(value), Type, "node.meta is a dict");
    Py_XSETREF(self_of(s)->meta, Py_NewRef(value));
    return 0;
  });
}

int set_name(PyObject* s, PyObject* value, void*) {
  return guard([&]() -> int {
    MONOGRAPH_CHECK(value, Type, "a node's name cannot be deleted");
    MONOGRAPH_CHECK(PyUnicode_Check(value), Type, "the name of a node is a str, but got ", type_name(value));
    if (text_of(value) != node_of(s)->name()) ir_graph(s).set_name(node_of(s), text_of(value));
    return 0;
  });
}

std::string_view op_name(PyObject* s) { return self_of(s)->node ? to_string(self_of(s)->node->op()) : "root"; }

// Raises AssertionError, which torch.fx raises in these places.
[[noreturn]] void fail_assertion(const std::string& message) {
  PyErr_SetString(PyExc_AssertionError, message.c_str());
  throw nb::python_error();
}

ir::Op parse_op(PyObject* text) {
  for (ir::Op op : {ir::Op::Placeholder, ir::Op::GetAttr, ir::Op::CallFunction, ir::Op::CallModule, ir::Op::CallMethod, ir::Op::Output})
    if (to_string(op) == text_of(text)) return op;
  fail_assertion(concat("op '", text_of(text),
                        "' is not in _legal_ops: it must be placeholder, get_attr, call_function, call_module, call_method or output"));
}

// create_node takes no list in the place of the tuple, as in torch.fx; None and empty values stand for no arguments.
void check_arguments(PyObject*& positional, PyObject*& keywords) {
  const auto given = [](PyObject*& o) {
    const int truth = o ? PyObject_IsTrue(o) : 0;
    check(truth);
    if (!truth) o = nullptr;
    return o != nullptr;
  };
  if (given(positional) && !PyTuple_Check(positional))
    fail_assertion(concat("args must be a tuple, got ", type_name(positional), "; write (x,) for one argument"));
  if (given(keywords) && !PyDict_Check(keywords)) fail_assertion(concat("kwargs must be a dict, got ", type_name(keywords)));
}

int set_target(PyObject* s, PyObject* value, void*) {
  return guard([&]() -> int {
    MONOGRAPH_CHECK(value, Type, "a node's target cannot be deleted");
    ir::Node* node = node_of(s);
    TypesFollow types(owner(s), node);
    ir_graph(s).set_target(node, to_target(value, owner(s)));
    types.done();
    return 0;
  });
}

// An assignment of the op follows or precedes one of the target, so neither is checked against the other here. lint() and recompile() do that.
int set_op(PyObject* s, PyObject* value, void*) {
  return guard([&]() -> int {
    ir::Node* node = node_of(s);
    TypesFollow types(owner(s), node);
    ir_graph(s).set_target(node, parse_op(value), node->target());
    types.done();
    return 0;
  });
}

nb::object next_of(PyObject* s) {
  ir::Node* node = self_of(s)->node;
  ir::Node* next = node ? node->next() : ir_graph(s).root()->first();
  while (next && next->erased()) next = next->next();
  return wrap(next, owner(s));
}
nb::object previous_of(PyObject* s) {
  ir::Node* node = self_of(s)->node;
  ir::Node* previous = node ? node->previous() : ir_graph(s).root()->last();
  while (previous && previous->erased()) previous = previous->previous();
  return wrap(previous, owner(s));
}

nb::object span_of(PyObject* s) {
  std::string text = self_of(s)->node ? to_string(self_of(s)->node->span()) : "";
  return text.empty() ? nb::none() : to_python(std::string_view(text));
}

nb::object value_type(PyObject* s) {
  ir::Node* node = self_of(s)->node;
  const ir::Type type = node ? type_of_node(owner(s), node) : ir::Type();
  return type ? to_python(std::string_view(to_string(type))) : nb::none();
}

// What the node names its type as a Python annotation: kept as it was given.
PyObject* node_type(PyObject* s, void*) {
  PyObject* given = self_of(s)->dict ? PyDict_GetItemString(self_of(s)->dict, "_type") : nullptr;
  return Py_NewRef(given ? given : Py_None);
}
int set_node_type(PyObject* s, PyObject* value, void*) { return PyObject_SetAttrString(s, "_type", value ? value : Py_None); }

// The arguments of a call that takes exactly these, by position or by name.
template <size_t N>
std::array<PyObject*, N> arguments(const char* function, const std::array<const char*, N>& names, PyObject* const* args, Py_ssize_t n,
                                   PyObject* keywords) {
  std::array<PyObject*, N> found{};
  size_t given = static_cast<size_t>(n), total = given + (keywords ? static_cast<size_t>(PyTuple_GET_SIZE(keywords)) : 0);
  MONOGRAPH_CHECK(total == N, Type, function, "() takes ", N, N == 1 ? " argument (" : " arguments (", total, " given)");
  std::copy(args, args + given, found.begin());
  for (size_t k = given; k < total; ++k) {
    std::string_view name = text_of(PyTuple_GET_ITEM(keywords, static_cast<Py_ssize_t>(k - given)));
    auto at = static_cast<size_t>(std::ranges::find(names, name) - names.begin());
    MONOGRAPH_CHECK(at < N && !found[at], Type, function, at < N ? "() got two values for the argument '" : "() has no argument '", name,
                    "'");
    found[at] = args[k];
  }
  return found;
}

[[noreturn]] void fail_foreign(const ir::Node& moved) {
  fail_assertion(
      concat("Attempting to move Node ", moved.name(), origin(&moved), " into a different Graph. node_copy makes a copy of it there"));
}

PyObject* append(PyObject* s, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  return guard([&] {
    PyObject* other = arguments<1>("append", {"x"}, args, n, keywords)[0];
    const ir::Node* moved = node_of(other);
    if (moved->graph() != &ir_graph(s)) fail_foreign(*moved);
    if (!self_of(s)->node) {  // behind the root is the beginning
      if (ir::Node* first = ir_graph(s).root()->first(); first != node_of(other)) ir_graph(s).move_before(node_of(other), first);
    } else ir_graph(s).move_after(node_of(other), self_of(s)->node);
    return Py_NewRef(Py_None);
  });
}
PyObject* prepend(PyObject* s, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  return guard([&] {
    PyObject* other = arguments<1>("prepend", {"x"}, args, n, keywords)[0];
    const ir::Node* moved = node_of(other);
    if (moved->graph() != &ir_graph(s)) fail_foreign(*moved);
    if (!self_of(s)->node) ir_graph(s).move_to_end(node_of(other), ir_graph(s).root());
    else ir_graph(s).move_before(node_of(other), self_of(s)->node);
    return Py_NewRef(Py_None);
  });
}

PyObject* replace_all_uses(PyObject* s, PyObject* by) {
  return give([&] {
    nb::object users = users_of(s);
    ir::Node *node = node_of(s), *other = node_of(by);
    check_of_graph(other, ir_graph(s));
    std::vector<TypesFollow> types;
    if (node->type() && type_of_node(owner(s), other) != node->type())
      for (ir::Node* user : node->users()) types.emplace_back(owner(s), user);
    ir_graph(s).replace_all_uses(node, other);
    for (TypesFollow& t : types) t.done();
    return check(PySequence_List(users.ptr()));
  });
}

PyObject* replace_input_with(PyObject* s, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  return guard([&] {
    auto [old_input, new_input] = arguments<2>("replace_input_with", {"old_input", "new_input"}, args, n, keywords);
    ir::Node *node = node_of(s), *from = node_of(old_input), *to = node_of(new_input);
    check_of_graph(to, ir_graph(s));
    TypesFollow types(owner(s), node);
    for (size_t k = 0; k < node->input_count(); ++k)
      if (node->input(k) == from) ir_graph(s).replace_input(node, k, to);
    types.done();
    return Py_NewRef(Py_None);
  });
}

PyObject* is_impure(PyObject* s, PyObject*) {
  return guard([&] {
    ir::Node* node = node_of(s);
    bool held = node->op() == ir::Op::Placeholder || node->op() == ir::Op::Output;
    // A function of which not even the name is known counts as pure, as in torch.fx.
    return PyBool_FromLong(held || (node->info() ? !node->info()->effects().droppable() : impure_by_name(*node)));
  });
}

// The list of nodes -----------------------------------------------------------------------------------------------------------------------

struct ListObject {
  PyObject_HEAD GraphObject* graph;
  bool reversed;
};
struct IteratorObject {
  PyObject_HEAD GraphObject* graph;
  ir::Node* at;  // the node given last; null before the first
  bool reversed, recursive, done;
};
PyTypeObject g_list_type = make_type("monograph._C._NodeList", sizeof(ListObject));
PyTypeObject g_iterator_type = make_type("monograph._C._NodeIterator", sizeof(IteratorObject));

template <class T>
void holder_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Py_CLEAR(reinterpret_cast<T*>(self)->graph);
  PyObject_GC_Del(self);
}
template <class T>
int holder_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<T*>(self)->graph);
  return 0;
}

nb::object make_list(GraphObject* graph, bool reversed) {
  auto* list = PyObject_GC_New(ListObject, &g_list_type);
  if (!list) raise_set();
  list->graph = reinterpret_cast<GraphObject*>(Py_NewRef(graph)), list->reversed = reversed;
  PyObject_GC_Track(list);
  return nb::steal(reinterpret_cast<PyObject*>(list));
}

nb::object iterate(GraphObject* graph, bool reversed, bool recursive) {
  auto* it = PyObject_GC_New(IteratorObject, &g_iterator_type);
  if (!it) raise_set();
  it->graph = reinterpret_cast<GraphObject*>(Py_NewRef(graph)), it->at = nullptr;
  it->reversed = reversed, it->recursive = recursive, it->done = false;
  PyObject_GC_Track(it);
  return nb::steal(reinterpret_cast<PyObject*>(it));
}

PyObject* iterator_next(PyObject* self) {
  auto* it = reinterpret_cast<IteratorObject*>(self);
  if (it->done) return nullptr;
  ir::Block* root = it->graph->graph->root();
  ir::Node* next;
  if (it->recursive) {
    next = it->at ? *++ir::NestedNodes::Iterator(it->at, root) : *ir::NestedNodes(root).begin();
  } else {
    // Nodes that were erased meanwhile, the last one given included, lead on to where the list goes on.
    next = it->at ? (it->reversed ? it->at->previous() : it->at->next()) : it->reversed ? root->last() : root->first();
    while (next && next->erased()) next = it->reversed ? next->previous() : next->next();
  }
  it->at = next;
  if (!next) it->done = true;
  return next ? give([&] { return wrap(next, it->graph); }) : nullptr;
}

PyObject* list_iter(PyObject* self) {
  return give([&] { return iterate(reinterpret_cast<ListObject*>(self)->graph, reinterpret_cast<ListObject*>(self)->reversed, false); });
}
PyObject* list_reversed(PyObject* self, PyObject*) {
  return give([&] { return make_list(reinterpret_cast<ListObject*>(self)->graph, !reinterpret_cast<ListObject*>(self)->reversed); });
}
Py_ssize_t list_length(PyObject* self) {
  Py_ssize_t n = 0;
  for (ir::Node* node : *reinterpret_cast<ListObject*>(self)->graph->graph->root()) (void)node, ++n;
  return n;
}
PyObject* list_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  int recursive = 0;
  static const char* names[] = {"recursive", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|p", const_cast<char**>(names), &recursive)) return nullptr;
  // graph.nodes() is TorchScript's: without inputs and return, and with the literals (fx/script_view.py).
  if (!kwargs && PyTuple_GET_SIZE(args) == 0)
    return give([&] {
      return nb::object(
          nb::borrow(reinterpret_cast<PyObject*>(reinterpret_cast<ListObject*>(self)->graph)).attr("block")().attr("nodes")());
    });
  return give(
      [&] { return iterate(reinterpret_cast<ListObject*>(self)->graph, reinterpret_cast<ListObject*>(self)->reversed, recursive); });
}
PySequenceMethods list_sequence;
PyMethodDef list_methods[] = {{"__reversed__", list_reversed, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

// Graph -----------------------------------------------------------------------------------------------------------------------------------

GraphObject* graph(PyObject* o) { return reinterpret_cast<GraphObject*>(o); }

// create_node(op, target, args=None, kwargs=None, name=None, type_expr=None)
PyObject* create_node(PyObject* self, PyObject* args, PyObject* kwargs) {
  return give([&]() -> nb::object {
    PyObject *op_text, *target, *positional = nullptr, *keywords = nullptr, *name = nullptr, *type = nullptr;
    static const char* names[] = {"op", "target", "args", "kwargs", "name", "type_expr", nullptr};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "UO|OOOO", const_cast<char**>(names), &op_text, &target, &positional, &keywords, &name,
                                     &type))
      raise_set();
    GraphObject* g = graph(self);
    ir::Op op = parse_op(op_text);
    g->graph->set_location(caller_span(), g->scope);
    check_arguments(positional, keywords);
    const bool named = name && name != Py_None;
    MONOGRAPH_CHECK(!named || PyUnicode_Check(name), Type, "the name of a node is a str, but got ", type_name(name));
    std::string called(named ? text_of(name) : std::string_view());
    if (named && called.empty()) called = "_unnamed";  // as in torch.fx
    // torch.fx names inputs as it names methods: *args is _args, and myInput is my_input. Other captures keep the name of the argument.
    if (called.empty() && op == ir::Op::Placeholder && PyUnicode_Check(target))
      called = ir::default_name(ir::Op::CallMethod, text_of(target));
    const ir::Target to = to_target(op, target, g);
    const KeepsMembers keeps(op, to);
    ir::Node* node = g->graph->create(op, to, to_args(positional, keywords, g, true), called);
    ir::choose_overload(node);
    nb::object object = wrap(node, g);
    if (type && type != Py_None) object.attr("type") = nb::handle(type);
    return object;
  });
}

PyObject* erase_node(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  return guard([&]() -> PyObject* {
    PyObject* o = arguments<1>("erase_node", {"to_erase"}, args, n, keywords)[0];
    ir::Node* node = node_of(o);
    MONOGRAPH_CHECK(node->graph() == &graph_of(self), Runtime, "Attempting to remove ", node->name(), origin(node),
                    " from wrong graph! node.graph is its own");
    if (node->erased()) return Py_NewRef(Py_None);
    if (node->has_uses()) {
      nb::object users = users_of(o);
      PyErr_Format(PyExc_RuntimeError,
                   "Tried to erase Node %s but it still had %zd users in the graph: %R! replace_all_uses_with gives them another node%s",
                   node->name().c_str(), PyDict_GET_SIZE(users.ptr()), users.ptr(), origin(node).c_str());
      return nullptr;
    }
    graph_of(self).erase(node);
    return Py_NewRef(Py_None);
  });
}

// Where nodes are put: before a node, or at the end (None). The setters answer nothing.
PyObject* insert_point(PyObject* self, PyObject*) {
  return give([&]() -> nb::object {
    ir::Node* before = graph_of(self).insert_point().before;
    return before ? wrap(before, graph(self)) : nb::none();
  });
}
PyObject* insert_before(PyObject* self, PyObject* o) {
  return guard([&] {
    if (o == Py_None || !self_of(o)->node) graph_of(self).insert_at_end(graph_of(self).root());
    else graph_of(self).insert_before(node_of(o));
    return Py_NewRef(Py_None);
  });
}
PyObject* insert_after(PyObject* self, PyObject* o) {
  return guard([&] {
    if (o != Py_None && self_of(o)->node) graph_of(self).insert_after(node_of(o));
    else if (ir::Node* first = graph_of(self).root()->first()) graph_of(self).insert_before(first);
    return Py_NewRef(Py_None);
  });
}

nb::object output_of(PyObject* self) {
  ir::Node* output = graph_of(self).output();
  return output ? wrap(output, graph(self)) : nb::none();
}

PyObject* to_text(PyObject* self, PyObject* format) {
  return give([&] {
    std::string_view f = text_of(format);
    const ir::Graph& g = graph_of(self);
    if (f != "fx" && f != "python" && f != "tabular" && f != "code") infer_missing_types(graph(self));
    std::string text = f == "fx"            ? to_fx_string(g)
                       : f == "python"      ? to_python(g)
                       : f == "tabular"     ? to_tabular(g)
                       : f == "torchscript" ? to_torchscript(g)
                       : f == "code"        ? to_torchscript_code(g)
                       : f == "dot"         ? to_dot(g)
                       : f == "json"        ? to_json(g)
                                            : ir::to_text(g);
    return to_python(std::string_view(text));
  });
}

}  // namespace

PyObject* compare_nodes(PyObject* a, PyObject* b, int op) {
  if (op == Py_EQ || op == Py_NE || !is_node(b)) {
    if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
    return PyBool_FromLong((a == b) == (op == Py_EQ));
  }
  // The order of the list.
  return guard([&] {
    ir::Node *x = node_of(a), *y = node_of(b);
    bool less = x->is_before(y), greater = y->is_before(x);
    return PyBool_FromLong(op == Py_LT ? less : op == Py_GT ? greater : op == Py_LE ? !greater : !less);
  });
}

PyGetSetDef g_node_getset[] = {
    {"op", MONOGRAPH_NODE_GET(to_python(op_name(s))), set_op, nullptr, nullptr},
    {"target", MONOGRAPH_NODE_GET(self_of(s)->node ? target_of(*self_of(s)->node) : to_python(std::string_view())), set_target, nullptr,
     nullptr},
    {"name", MONOGRAPH_NODE_GET(to_python(self_of(s)->node ? std::string_view(self_of(s)->node->name()) : std::string_view())), set_name,
     nullptr, nullptr},
    {"args", MONOGRAPH_NODE_GET(args_of(s)), set_args, nullptr, nullptr},
    {"kwargs", MONOGRAPH_NODE_GET(kwargs_of(s)), set_kwargs, nullptr, nullptr},
    {"users", MONOGRAPH_NODE_GET(users_of(s)), nullptr, "The nodes that use this one, in the order of their first use.", nullptr},
    {"all_input_nodes", MONOGRAPH_NODE_GET(inputs_of(s)), nullptr, "The nodes among the arguments, each once.", nullptr},
    {"meta", MONOGRAPH_NODE_GET(meta_of(s)), set_meta, "A dict for what passes note down; it stays with the graph.", nullptr},
    {"type", node_type, set_node_type, nullptr, nullptr},
    {"value_type", MONOGRAPH_NODE_GET(value_type(s)), nullptr, "The inferred or declared type as text; None where nothing is known.",
     nullptr},
    {"graph", MONOGRAPH_NODE_GET(nb::borrow(reinterpret_cast<PyObject*>(owner(s)))), nullptr, nullptr, nullptr},
    {"next", MONOGRAPH_NODE_GET(next_of(s)), nullptr, nullptr, nullptr},
    {"prev", MONOGRAPH_NODE_GET(previous_of(s)), nullptr, nullptr, nullptr},
    {"_next", MONOGRAPH_NODE_GET(next_of(s)), nullptr, nullptr, nullptr},  // which packages read
    {"_prev", MONOGRAPH_NODE_GET(previous_of(s)), nullptr, nullptr, nullptr},
    {"_erased", MONOGRAPH_NODE_GET(nb::borrow(self_of(s)->node&& self_of(s)->node->erased() ? Py_True : Py_False)), nullptr, nullptr,
     nullptr},
    {"span", MONOGRAPH_NODE_GET(span_of(s)), nullptr, "The line of your code that it comes from: \"model.py:12\".", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyCFunction by_keywords(PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef g_node_methods[] = {{"append", by_keywords(append), METH_FASTCALL | METH_KEYWORDS, "Moves a node to the place after this one."},
                                {"prepend", by_keywords(prepend), METH_FASTCALL | METH_KEYWORDS, "Moves a node before this one."},
                                {"_replace_all_uses", replace_all_uses, METH_O, nullptr},
                                {"replace_input_with", by_keywords(replace_input_with), METH_FASTCALL | METH_KEYWORDS, nullptr},
                                {"is_impure", is_impure, METH_NOARGS, "Whether it must stay though nobody uses it."},
                                {nullptr, nullptr, 0, nullptr}};

PyGetSetDef g_graph_getset[] = {
    {"nodes", [](PyObject* s, void*) { return give([&] { return make_list(graph(s), false); }); }, nullptr,
     "The nodes in order; may also be called.", nullptr},
    {"_root", [](PyObject* s, void*) { return give([&] { return wrap(static_cast<ir::Node*>(nullptr), graph(s)); }); }, nullptr, nullptr,
     nullptr},
    {"_len", [](PyObject* s, void*) { return PyLong_FromSize_t(graph_of(s).node_count()); }, nullptr, nullptr, nullptr},
    {"_output", [](PyObject* s, void*) { return give([&] { return output_of(s); }); }, nullptr, nullptr, nullptr},
    {"_is_operator_level", [](PyObject* s, void*) { return PyBool_FromLong(graph_of(s).level() != ir::Level::Module); }, nullptr,
     "Whether every node is an operator of the registry, so that the graph runs by itself.", nullptr},
    {"dialect", [](PyObject* s, void*) { return give([&] { return to_python(std::string_view(to_string(graph_of(s).dialect()))); }); },
     [](PyObject* s, PyObject* v, void*) {
       return guard([&] {
         MONOGRAPH_CHECK(v && PyUnicode_Check(v) && (text_of(v) == "fx" || text_of(v) == "torchscript"), Value,
                         "graph.dialect must be \"fx\" or \"torchscript\", but got ", text_of(nb::repr(nb::handle(v ? v : Py_None)).ptr()));
         graph_of(s).set_dialect(text_of(v) == "fx" ? ir::Dialect::Fx : ir::Dialect::TorchScript);
         return 0;
       });
     },
     "How str(graph) prints: fx or torchscript.", nullptr},
    {"_version", [](PyObject* s, void*) { return PyLong_FromUnsignedLongLong(graph_of(s).version()); }, nullptr, "Changes with every edit.",
     nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef g_graph_methods[] = {
    {"create_node", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(create_node)), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"erase_node", by_keywords(erase_node), METH_FASTCALL | METH_KEYWORDS,
     "Takes a node without users out of the graph; it stays readable."},
    {"_run", run_graph, METH_VARARGS, "Runs a graph of operators."},
    {"_insert_point", insert_point, METH_NOARGS, nullptr},
    {"_insert_before", insert_before, METH_O, nullptr},
    {"_insert_after", insert_after, METH_O, nullptr},
    {"_to_text", to_text, METH_O, "The graph as text: native, fx, python, tabular, torchscript, code, dot or json."},
    {nullptr, nullptr, 0, nullptr}};

// _python_code(graph, annotations): the code of forward; annotations are texts by the names of nodes.
nb::object python_code(nb::handle graph, nb::dict annotations) {
  ir::PythonCode options;
  if (nb::len(annotations))
    options.annotation = [&](const ir::Node* n) -> std::string {
      PyObject* text = PyDict_GetItem(annotations.ptr(), to_python(std::string_view(n->name())).ptr());
      return text ? std::string(text_of(text)) : "";
    };
  const std::string code = to_python(graph_of(graph.ptr()), options);
  return to_python(std::string_view(code));
}

void init_graph_members(PyObject* module) {
  nb::handle(module).attr("_python_code") = nb::cpp_function(python_code);
  nb::handle(module).attr("_largest_constant") = nb::int_(ir::kLargestCodeConstant);
  g_list_type.tp_flags |= Py_TPFLAGS_HAVE_GC, g_iterator_type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  g_list_type.tp_dealloc = holder_dealloc<ListObject>, g_list_type.tp_traverse = holder_traverse<ListObject>;
  g_list_type.tp_iter = list_iter, g_list_type.tp_call = list_call, g_list_type.tp_methods = list_methods;
  list_sequence.sq_length = list_length;
  g_list_type.tp_as_sequence = &list_sequence;
  g_iterator_type.tp_dealloc = holder_dealloc<IteratorObject>, g_iterator_type.tp_traverse = holder_traverse<IteratorObject>;
  g_iterator_type.tp_iter = PyObject_SelfIter, g_iterator_type.tp_iternext = iterator_next;
  add_type(module, g_list_type);
  add_type(module, g_iterator_type);
}

}  // namespace monograph::python
