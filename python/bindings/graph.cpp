// Lifetime of graphs and nodes in Python. graph.h says how it works.
#include "graph.h"

#include <cstddef>

namespace monograph::python {

PyTypeObject g_graph_base = make_type("monograph._C.GraphBase", sizeof(GraphObject));
PyTypeObject g_node_base = make_type("monograph._C.NodeBase", sizeof(NodeObject));
PyTypeObject* g_graph_type = nullptr;
PyTypeObject* g_node_type = nullptr;

PyCallable::~PyCallable() {
  if (!Py_IsInitialized()) return;
  PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(object);
  PyGILState_Release(state);
}

bool PyCallable::equal(const Callable& other) const {
  auto* o = dynamic_cast<const PyCallable*>(&other);
  return o && o->object == object;
}

namespace {

NodeObject* node_object(PyObject* o) { return reinterpret_cast<NodeObject*>(o); }
GraphObject* graph_object(PyObject* o) { return reinterpret_cast<GraphObject*>(o); }

// Whether the object says more than its node does.
bool has_state(NodeObject* n) {
  if (!n->node || n->node->erased()) return false;
  return (n->meta && (PyDict_GET_SIZE(n->meta) || Py_REFCNT(n->meta) > 1)) || (n->dict && PyDict_GET_SIZE(n->dict)) || n->weakrefs;
}

void keep(NodeObject* n) {
  n->kept = true;
  n->kept_at = static_cast<uint32_t>(n->graph->kept.size());
  n->graph->kept.push_back(n);
}

// Takes the object from the graph; the caller has its reference now.
void unkeep(NodeObject* n) {
  auto& kept = n->graph->kept;
  kept[n->kept_at] = kept.back();
  kept[n->kept_at]->kept_at = n->kept_at;
  kept.pop_back();
  n->kept = false;
}

void drop_graph(NodeObject* n) {
  GraphObject* graph = std::exchange(n->graph, nullptr);
  if (std::exchange(n->holds_graph, false)) Py_DECREF(graph);
}

void clear_state(NodeObject* n) {
  Py_CLEAR(n->args);
  Py_CLEAR(n->kwargs);
  Py_CLEAR(n->meta);
  Py_CLEAR(n->dict);
}

void node_dealloc(PyObject* self) {
  NodeObject* n = node_object(self);
  if (n->graph && n->holds_graph && !n->kept && has_state(n)) {
    Py_SET_REFCNT(self, 1);  // the graph's from now on; it is not held back, or it would never die
    Py_CLEAR(n->args);
    Py_CLEAR(n->kwargs);
    keep(n);
    n->holds_graph = false;
    Py_DECREF(n->graph);
    return;
  }
  PyObject_GC_UnTrack(self);
  if (n->node && n->node->object() == n) n->node->set_object(nullptr);
  if (!n->node && n->graph && n->graph->root == n) n->graph->root = nullptr;
  Py_TRASHCAN_BEGIN(self, node_dealloc)  // arguments lead from node to node, as deep as the graph is long
      if (n->weakrefs) PyObject_ClearWeakRefs(self);
  clear_state(n);
  drop_graph(n);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) Py_DECREF(type);
  Py_TRASHCAN_END
}

// Called by the collector on garbage. The graph may be garbage too, which the collector finds out: it now sees the reference from the graph.
void node_finalize(PyObject* self) {
  NodeObject* n = node_object(self);
  if (!n->graph || n->kept || !n->holds_graph || !PyObject_GC_IsFinalized(self) || !has_state(n)) return;
  Py_INCREF(self);
  keep(n);
}

int node_traverse(PyObject* self, visitproc visit, void* arg) {
  NodeObject* n = node_object(self);
  if (Py_TYPE(self)->tp_flags & Py_TPFLAGS_HEAPTYPE) Py_VISIT(Py_TYPE(self));
  Py_VISIT(n->meta);
  Py_VISIT(n->dict);
  Py_VISIT(n->args);
  Py_VISIT(n->kwargs);
  if (n->holds_graph) Py_VISIT(n->graph);
  return 0;
}

int node_clear(PyObject* self) {
  clear_state(node_object(self));
  return 0;
}

// Gives up the objects that the graph owns.
void release_kept(GraphObject* g) {
  for (NodeObject* n : std::exchange(g->kept, {})) {
    n->kept = false;
    if (!n->holds_graph) {  // a weak reference may have brought it back: it is an empty shell then
      n->node->set_object(nullptr);
      n->node = nullptr, n->graph = nullptr;
    }
    Py_DECREF(n);
  }
}

int graph_traverse(PyObject* self, visitproc visit, void* arg) {
  GraphObject* g = graph_object(self);
  if (Py_TYPE(self)->tp_flags & Py_TPFLAGS_HEAPTYPE) Py_VISIT(Py_TYPE(self));
  Py_VISIT(g->dict);
  for (NodeObject* n : g->kept) Py_VISIT(n);
  // A callable that nothing but this graph names: two counts at most.
  for (const auto& [object, callable] : g->callables)
    if (callable.use_count() <= 2) Py_VISIT(object);
  return 0;
}

int graph_clear(PyObject* self) {
  GraphObject* g = graph_object(self);
  Py_CLEAR(g->dict);
  release_kept(g);
  return 0;
}

void graph_dealloc(PyObject* self) {
  GraphObject* g = graph_object(self);
  PyObject_GC_UnTrack(self);
  if (g->weakrefs) PyObject_ClearWeakRefs(self);
  if (g->graph) g->graph->set_object_hooks({});
  graph_clear(self);
  g->callables.~unordered_map();
  g->kept.~vector();
  g->graph.~shared_ptr();
  g->plan.~shared_ptr();
  std::destroy_at(&g->scope);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) Py_DECREF(type);
}

// An erased node's object is no longer the graph's business.
void node_erased(ir::Node* node) {
  auto* n = static_cast<NodeObject*>(node->object());
  if (!n || !n->kept) return;
  unkeep(n);
  if (!n->holds_graph) n->holds_graph = true, Py_INCREF(n->graph);
  Py_DECREF(n);
}

GraphObject* make_graph(PyTypeObject* type, std::shared_ptr<ir::Graph> graph) {
  auto object = check(type->tp_alloc(type, 0));
  GraphObject* g = graph_object(object.ptr());
  new (&g->graph) std::shared_ptr<ir::Graph>(std::move(graph));
  new (&g->kept) std::vector<NodeObject*>;
  new (&g->scope) std::string;
  new (&g->plan) std::shared_ptr<const exec::Executable>;
  new (&g->callables) std::unordered_map<PyObject*, ir::CallableRef>;
  g->graph->set_object_hooks({node_erased, nullptr});
  return graph_object(object.release().ptr());
}

PyObject* graph_new(PyTypeObject* type, PyObject*, PyObject*) {
  return guard([&] { return reinterpret_cast<PyObject*>(make_graph(type, std::make_shared<ir::Graph>())); });
}

PyObject* no_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "nodes are made by their graph: graph.call_function(...), graph.placeholder(...), ...");
  return nullptr;
}

NodeObject* make_node(GraphObject* graph, ir::Node* node) {
  auto* n = PyObject_GC_New(NodeObject, g_node_type);
  if (!n) raise_set();
  n->node = node, n->graph = graph;
  n->meta = n->dict = n->args = n->kwargs = n->weakrefs = nullptr;
  n->version = n->kept_at = 0;
  n->holds_graph = true, n->kept = false;
  Py_INCREF(graph);
  PyObject_GC_Track(n);
  return n;
}

}  // namespace

nb::object wrap(ir::Node* node, GraphObject* graph) {
  if (!node) {
    if (graph->root) return nb::borrow(reinterpret_cast<PyObject*>(graph->root));
    graph->root = make_node(graph, nullptr);
    return nb::steal(reinterpret_cast<PyObject*>(graph->root));
  }
  auto* n = static_cast<NodeObject*>(node->object());
  if (!n) {
    n = make_node(graph, node);
    node->set_object(n);
    return nb::steal(reinterpret_cast<PyObject*>(n));
  }
  if (!n->kept || n->holds_graph) return nb::borrow(reinterpret_cast<PyObject*>(n));
  unkeep(n);
  n->holds_graph = true;
  Py_INCREF(graph);
  return nb::steal(reinterpret_cast<PyObject*>(n));
}

nb::object wrap(std::shared_ptr<ir::Graph> graph) {
  if (!g_graph_type) nb::module_::import_("monograph.fx");  // at its first use: it sets the type
  return nb::steal(reinterpret_cast<PyObject*>(make_graph(g_graph_type, std::move(graph))));
}

ir::Node* node_of(PyObject* o) {
  MONOGRAPH_CHECK(is_node(o), Type, "expected a Node, but got ", type_name(o));
  ir::Node* node = node_object(o)->node;
  MONOGRAPH_CHECK(node, Runtime, "this is the root, which marks the ends of the list of nodes; it is not a node of the graph");
  return node;
}

void init_graph(PyObject* module) {
  PyTypeObject& g = g_graph_base;
  g.tp_flags |= Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  g.tp_new = graph_new, g.tp_dealloc = graph_dealloc, g.tp_traverse = graph_traverse, g.tp_clear = graph_clear, g.tp_free = PyObject_GC_Del;
  g.tp_dictoffset = offsetof(GraphObject, dict), g.tp_weaklistoffset = offsetof(GraphObject, weakrefs);
  g.tp_methods = g_graph_methods, g.tp_getset = g_graph_getset;
  add_type(module, g);

  PyTypeObject& n = g_node_base;
  n.tp_flags |= Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  n.tp_new = no_new, n.tp_dealloc = node_dealloc, n.tp_traverse = node_traverse, n.tp_clear = node_clear, n.tp_free = PyObject_GC_Del;
  n.tp_finalize = node_finalize;
  n.tp_dictoffset = offsetof(NodeObject, dict), n.tp_weaklistoffset = offsetof(NodeObject, weakrefs);
  n.tp_richcompare = compare_nodes, n.tp_hash = [](PyObject* o) { return _Py_HashPointer(o); };
  n.tp_methods = g_node_methods, n.tp_getset = g_node_getset;
  add_type(module, n);

  nb::handle m(module);
  m.attr("_set_graph_types") = nb::cpp_function([](nb::handle graph, nb::handle node) {
    g_graph_type = reinterpret_cast<PyTypeObject*>(graph.inc_ref().ptr());
    g_node_type = reinterpret_cast<PyTypeObject*>(node.inc_ref().ptr());
    // The classes written in Python are freed, visited and cleared as their bases: the rules above hold for them.
    for (PyTypeObject* type : {g_graph_type, g_node_type}) {
      type->tp_dealloc = type->tp_base->tp_dealloc, type->tp_traverse = type->tp_base->tp_traverse,
      type->tp_clear = type->tp_base->tp_clear;
      type->tp_finalize = type->tp_base->tp_finalize;
    }
  });
  init_graph_args(module);
  init_transforms(module);
  init_rewriter(module);
  init_contents(module);
  init_script_graph(module);
  init_graph_members(module);
}

}  // namespace monograph::python
