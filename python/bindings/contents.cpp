// What dicts, lists, sets and deques hold now, and which of them hold something else later (python/monograph/_state.py): a module of a hundred layers
// has a thousand of them.
#include <unordered_set>
#include <vector>

#include "graph.h"
#include "python.h"

namespace monograph::python {
namespace {

PyObject* deque_type() {
  static PyObject* const type = nb::object(nb::module_::import_("collections").attr("deque")).release().ptr();
  return type;
}

enum class Kind { None, Tuple, Dict, Sequence };

Kind kind_of(PyObject* a) {
  if (PyTuple_Check(a)) return Kind::Tuple;
  if (PyDict_Check(a)) return Kind::Dict;
  if (PyList_Check(a) || PySet_Check(a)) return Kind::Sequence;
  return PyObject_TypeCheck(a, reinterpret_cast<PyTypeObject*>(deque_type())) ? Kind::Sequence : Kind::None;
}

// Pairs of a dict in its order; elements of another container.
nb::object contents_of(PyObject* a, Kind kind) {
  if (kind != Kind::Dict) return check(PySequence_List(a));
  if (!PyDict_CheckExact(a) && PyDict_GET_SIZE(a)) {
    if (PyObject* items = PyMapping_Items(a)) return nb::steal(items);
    if (!PyErr_ExceptionMatches(PyExc_RuntimeError)) raise_set();
    PyErr_Clear();  // an OrderedDict looks its keys up, which needs a symbolic size as a number
  }
  return check(PyDict_Items(a));
}

// _snapshot(roots): [(container, contents)] of all containers that are reached from these, through tuples too.
nb::object snapshot(nb::list roots) {
  std::unordered_set<PyObject*> seen;  // alive while the result holds what leads to them
  std::vector<PyObject*> waiting;
  for (nb::handle root : roots) waiting.push_back(root.ptr());
  nb::list held;
  auto visit = [&](PyObject* part) {
    if (kind_of(part) != Kind::None) waiting.push_back(part);
  };
  while (!waiting.empty()) {
    PyObject* a = waiting.back();
    waiting.pop_back();
    const Kind kind = kind_of(a);
    if (kind == Kind::None || !seen.insert(a).second) continue;
    if (kind == Kind::Tuple) {
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); ++i) visit(PyTuple_GET_ITEM(a, i));
      continue;
    }
    nb::object contents = contents_of(a, kind);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(contents.ptr()); ++i) {
      PyObject* part = PyList_GET_ITEM(contents.ptr(), i);
      if (kind == Kind::Dict) visit(PyTuple_GET_ITEM(part, 0)), visit(PyTuple_GET_ITEM(part, 1));
      else visit(part);
    }
    held.append(nb::make_tuple(nb::handle(a), contents));
  }
  return held;
}

bool holds(PyObject* a, Kind kind, PyObject* before) {
  nb::object now = contents_of(a, kind);
  const Py_ssize_t n = PyList_GET_SIZE(now.ptr());
  if (n != PyList_GET_SIZE(before)) return false;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject *x = PyList_GET_ITEM(now.ptr(), i), *y = PyList_GET_ITEM(before, i);
    if (kind != Kind::Dict ? x != y
                           : PyTuple_GET_ITEM(x, 0) != PyTuple_GET_ITEM(y, 0) || PyTuple_GET_ITEM(x, 1) != PyTuple_GET_ITEM(y, 1))
      return false;
  }
  return true;
}

// _changed(snapshot): those of its pairs whose container holds other objects now.
nb::object changed(nb::list held) {
  nb::list found;
  for (nb::handle pair : held) {
    PyObject *container = PyTuple_GET_ITEM(pair.ptr(), 0), *before = PyTuple_GET_ITEM(pair.ptr(), 1);
    if (!holds(container, kind_of(container), before)) found.append(pair);
  }
  return found;
}

}  // namespace

void init_contents(PyObject* module) {
  nb::handle m(module);
  m.attr("_snapshot") = nb::cpp_function(snapshot);
  m.attr("_changed") = nb::cpp_function(changed);
}

}  // namespace monograph::python
