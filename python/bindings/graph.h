// Graphs and nodes: one Python object a node for as long as either lives.
//
// A node's object holds its graph, and the graph's C++ node knows its object without holding it. An object that carries something of its own (meta,
// attributes) must not be lost while the graph lives: when Python drops its last reference, the graph takes the object over, and gives it back when
// it is asked for. The collector sees all of it: a cycle through meta is garbage once nothing outside reaches it. When the collector is about to
// clear an object that is garbage but whose graph may not be, the object's finalizer hands it to the graph first.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "exec/interpreter.h"
#include "ir/graph.h"
#include "python.h"

namespace monograph::python {

struct NodeObject;

// A Python callable or other object as a target or argument.
struct PyCallable final : ir::Callable {
  PyCallable(PyObject* o, std::string name) : object(Py_NewRef(o)), name_(std::move(name)) {}
  ~PyCallable() override;
  std::string_view name() const override { return name_; }
  bool equal(const Callable& other) const override;
  size_t hash() const override { return std::hash<const void*>()(object); }
  PyObject* object;

 private:
  std::string name_;
};

struct GraphObject {
  PyObject_HEAD std::shared_ptr<ir::Graph> graph;
  std::vector<NodeObject*> kept;  // node objects that the graph owns
  std::unordered_map<PyObject*, ir::CallableRef> callables;  // Python objects that its nodes name
  std::string scope;  // of the nodes made next: the path of the module whose code runs
  std::shared_ptr<const exec::Executable> plan;  // of this version of the graph
  uint64_t plan_version;
  bool wraps_ints;  // a program of torch.jit.script: ops/wrapping_ints.h
  NodeObject* root;  // the object of the ends of the list, where there is one; borrowed
  PyObject* dict;
  PyObject* weakrefs;
};

struct NodeObject {
  PyObject_HEAD ir::Node* node;  // null: the root, which stands at both ends of the list
  GraphObject* graph;  // counted where `holds_graph`
  PyObject *meta, *dict, *args, *kwargs, *weakrefs;
  uint32_t version;  // of the node when args and kwargs were made
  uint32_t kept_at;  // place among the graph's kept objects
  bool holds_graph, kept;
};

extern PyTypeObject g_graph_base, g_node_base;
extern PyTypeObject *g_graph_type, *g_node_type;  // monograph.fx.Graph and Node

nb::object wrap(ir::Node* node, GraphObject* graph);
nb::object wrap(std::shared_ptr<ir::Graph> graph);
inline bool is_node(PyObject* o) { return PyObject_TypeCheck(o, &g_node_base); }
inline ir::Graph& graph_of(PyObject* o) { return *reinterpret_cast<GraphObject*>(o)->graph; }
// The node behind an object; Error for the root.
ir::Node* node_of(PyObject* o);
std::string origin(const ir::Node* node);  // " (made at file:line)", or nothing where that is not known
void check_of_graph(const ir::Node* node, const ir::Graph& graph);  // raises for a node of another graph

// Arguments (graph_args.cpp).
// While an object of this class exists, add_arg keeps a member of an IntEnum as it is, for calls of the program's own functions and modules. Operators get its number.
class KeepsMembers {
 public:
  KeepsMembers(ir::Op op, const ir::Target& target);
  ~KeepsMembers();
  KeepsMembers(const KeepsMembers&) = delete;

 private:
  bool before_;
};
// Raises for a node of another graph, but where `foreign`: then it is kept as a name, which lint finds and no run takes (foreign_inputs in transforms.cpp).
void add_arg(ir::Args& args, PyObject* value, GraphObject* graph, bool foreign = false);
ir::Args to_args(PyObject* positional, PyObject* keywords, GraphObject* graph, bool foreign = false);  // a tuple, and a dict or null
nb::object to_python(ir::ArgRef arg, GraphObject* graph);
nb::object immutable(nb::object list_or_dict);  // as torch.fx has it in node.args
ir::Target to_target(ir::Op op, PyObject* target, GraphObject* graph);  // raises for a target that does not suit the op
ir::Target to_target(PyObject* target, GraphObject* graph);
// Whether a node of this op can have the target: a function for call_function, a text for the others. node.op = ... and node.target = ... do not ask.
bool suits_op(ir::Op op, const ir::Target& target);
nb::object target_of(const ir::Node& node);
std::string qualified_name(PyObject* callable);
void init_graph_args(PyObject* module);
extern PyMethodDef g_node_methods[], g_graph_methods[];
extern PyGetSetDef g_node_getset[], g_graph_getset[];
bool hook_gives_submodules();  // whether that capture leaves the submodules that a program reads as they are; true without one
bool has_capture_hook();  // whether this thread captures modules, with proxies or as a trace (capture.cpp)
PyObject* run_plan(const exec::Executable& plan, PyObject* args);  // on a tuple of inputs, without the GIL
PyObject* run_graph(PyObject* graph, PyObject* args);  // a graph of operators on these inputs, without the GIL (capture.cpp)
PyObject* compare_nodes(PyObject* a, PyObject* b, int op);  // by identity, or by place in the list
void init_graph_members(PyObject* module);
void init_regions(PyObject* module);  // regions.cpp
void init_graph_copies(PyObject* module);  // graph_copies.cpp
void init_transforms(PyObject* module);  // transforms.cpp
void init_rewriter(PyObject* module);  // rewriter.cpp
void copy_notes(const ir::Node* from, nb::handle to);  // the meta and the annotation of a node, to another one (transforms.cpp)
bool is_proxy(PyObject* o);  // an object of monograph.fx.Proxy (transforms.cpp)
bool is_proxy_attribute(PyObject* o);  // proxy.name, an object of monograph.fx.proxy.Attribute (transforms.cpp)
void init_contents(PyObject* module);  // contents.cpp
void init_script_graph(PyObject* module);  // script_graph.cpp

}  // namespace monograph::python
