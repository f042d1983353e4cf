// set_execution("graph"): the outermost call of each module runs as a graph. `Module._compiled_call_impl` is a descriptor then, so modules that nobody compiled
// find the captures of their calls where compiled ones do; without it, a call costs nothing more.
#include <atomic>

#include "compile.h"

namespace monograph::python {

namespace compiled {
namespace {

thread_local int t_outermost = 0;
std::atomic<uint64_t> g_calls{0}, g_graphs{0}, g_captures{0};

}  // namespace

OutermostCall::OutermostCall(bool counted) : counted_(counted) {
  if (!counted_) return;
  ++t_outermost;
  g_calls.fetch_add(1, std::memory_order_relaxed);
}

OutermostCall::~OutermostCall() {
  if (counted_) --t_outermost;
}

void OutermostCall::ran_as_graph() const {
  if (counted_) g_graphs.fetch_add(1, std::memory_order_relaxed);
}

void OutermostCall::was_captured() const {
  if (counted_) g_captures.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace compiled

namespace {

struct GraphCallsObject {
  PyObject_HEAD PyObject* of_module;  // of_module(module) -> what captures its calls, or None
};

PyTypeObject g_graph_calls_type = make_type("monograph.GraphCalls", sizeof(GraphCallsObject));

PyObject* of_module(PyObject* self, PyObject* module, PyObject*) {
  if (!module || module == Py_None) return Py_NewRef(self);
  if (compiled::t_outermost > 0 || compiled::is_capturing()) return Py_NewRef(Py_None);
  return PyObject_CallOneArg(reinterpret_cast<GraphCallsObject*>(self)->of_module, module);
}

void dealloc(PyObject* self) {
  Py_CLEAR(reinterpret_cast<GraphCallsObject*>(self)->of_module);
  Py_TYPE(self)->tp_free(self);
}

}  // namespace

void init_execution(PyObject* module) {
  g_graph_calls_type.tp_descr_get = of_module;
  g_graph_calls_type.tp_dealloc = dealloc;
  add_type(module, g_graph_calls_type);
  nb::handle m(module);
  m.attr("_graph_calls") = nb::cpp_function([](nb::handle function) {
    nb::object made = check(PyType_GenericAlloc(&g_graph_calls_type, 0));
    reinterpret_cast<GraphCallsObject*>(made.ptr())->of_module = function.inc_ref().ptr();
    return made;
  });
  m.attr("_execution_counts") =
      nb::cpp_function([] { return nb::make_tuple(compiled::g_calls.load(), compiled::g_captures.load(), compiled::g_graphs.load()); });
  m.attr("_reset_execution_counts") = nb::cpp_function([] { compiled::g_calls = 0, compiled::g_captures = 0, compiled::g_graphs = 0; });
}

}  // namespace monograph::python
