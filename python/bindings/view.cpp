// The page of monograph.view.
#include "passes/view.h"

#include "graph.h"
#include "passes/graph_changes.h"
#include "python.h"

namespace monograph::python {
namespace {

// A copy with the types that an edit left out; null where they cannot be inferred: such a graph is shown as it stands.
std::unique_ptr<ir::Graph> typed(const ir::Graph& graph) {
  std::unique_ptr<ir::Graph> copy = graph.clone();
  try {
    ir::infer_types(*copy);
  } catch (const Error&) {
    return nullptr;
  }
  return copy;
}

// None, or (graph, title, modules, types): modules are (class, arguments, elements, bytes) by path, types are texts by the name of a node.
passes::ViewedGraph viewed(PyObject* side, std::unique_ptr<ir::Graph>& copy) {
  if (side == Py_None) return {};
  PyObject *graph = nullptr, *title = nullptr, *modules = nullptr, *types = nullptr;
  if (!PyArg_ParseTuple(side, "O!UO!O!", &g_graph_base, &graph, &title, &PyDict_Type, &modules, &PyDict_Type, &types)) raise_set();
  copy = typed(graph_of(graph));
  passes::ViewedGraph view = passes::viewed(copy ? *copy : graph_of(graph), text_of(title));
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(modules, &at, &key, &value);) {
    passes::ViewedModule& m = view.modules[std::string(text_of(key))];
    PyObject *class_name = nullptr, *arguments = nullptr;
    long long parameters = 0, bytes = 0;
    if (!PyArg_ParseTuple(value, "UULL", &class_name, &arguments, &parameters, &bytes)) raise_set();
    m = {std::string(text_of(class_name)), std::string(text_of(arguments)), parameters, bytes};
  }
  for (Py_ssize_t at = 0; PyDict_Next(types, &at, &key, &value);) view.types.emplace(text_of(key), text_of(value));
  return view;
}

// _view_page(title, before, after).
PyObject* view_page(PyObject*, PyObject* args) {
  return guard([&]() -> PyObject* {
    PyObject *title = nullptr, *before = nullptr, *after = nullptr;
    if (!PyArg_ParseTuple(args, "UOO", &title, &before, &after)) raise_set();
    std::unique_ptr<ir::Graph> first, second;  // outlive what is shown of them
    const passes::ViewedFunction functions[] = {{viewed(before, first), viewed(after, second)}};
    return to_python(std::string_view(passes::view_page(text_of(title), functions))).release().ptr();
  });
}

// _paired_nodes(before, after): a list of (node before, node after).
PyObject* paired_nodes(PyObject*, PyObject* args) {
  return guard([&]() -> PyObject* {
    PyObject *before = nullptr, *after = nullptr;
    if (!PyArg_ParseTuple(args, "O!O!", &g_graph_base, &before, &g_graph_base, &after)) raise_set();
    nb::list pairs;
    for (const passes::ChangedNode& c : passes::graph_changes(graph_of(before), graph_of(after)))
      if (c.before && c.after)
        pairs.append(nb::make_tuple(wrap(const_cast<ir::Node*>(c.before), reinterpret_cast<GraphObject*>(before)),
                                    wrap(const_cast<ir::Node*>(c.after), reinterpret_cast<GraphObject*>(after))));
    return pairs.release().ptr();
  });
}

PyMethodDef kFunctions[] = {{"_view_page", view_page, METH_VARARGS, nullptr}, {"_paired_nodes", paired_nodes, METH_VARARGS, nullptr}, {}};

}  // namespace

void init_view(PyObject* module) { check(PyModule_AddFunctions(module, kFunctions)); }

}  // namespace monograph::python
