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

Py_ssize_t size_of(PyObject* a, Kind kind) {
  if (kind == Kind::Dict) return PyDict_GET_SIZE(a);
  const Py_ssize_t n = PyObject_Size(a);
  if (n < 0) raise_set();
  return n;
}

// Pairs of a dict in its order; elements of another container.
nb::object contents_of(PyObject* a, Kind kind) {
  static PyObject* const none = PyList_New(0);  // nobody changes it
  if (size_of(a, kind) == 0) return nb::borrow(none);
  if (kind != Kind::Dict) return check(PySequence_List(a));
  if (!PyDict_CheckExact(a) && PyDict_GET_SIZE(a)) {
    if (PyObject* items = PyMapping_Items(a)) return nb::steal(items);
    if (!PyErr_ExceptionMatches(PyExc_RuntimeError)) raise_set();
    PyErr_Clear();  // an OrderedDict looks its keys up, which needs a symbolic size as a number
  }
  return check(PyDict_Items(a));
}

bool holds(PyObject* a, Kind kind, PyObject* before) {
  const Py_ssize_t n = PyList_GET_SIZE(before);
  if (n != size_of(a, kind)) return false;
  if (n == 0) return true;
  if (PyDict_CheckExact(a)) {
    PyObject *key, *value;
    for (Py_ssize_t at = 0, i = 0; PyDict_Next(a, &at, &key, &value); ++i) {
      PyObject* pair = PyList_GET_ITEM(before, i);
      if (key != PyTuple_GET_ITEM(pair, 0) || value != PyTuple_GET_ITEM(pair, 1)) return false;
    }
    return true;
  }
  nb::object now = contents_of(a, kind);
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject *x = PyList_GET_ITEM(now.ptr(), i), *y = PyList_GET_ITEM(before, i);
    if (kind != Kind::Dict ? x != y : PyTuple_GET_ITEM(x, 0) != PyTuple_GET_ITEM(y, 0) || PyTuple_GET_ITEM(x, 1) != PyTuple_GET_ITEM(y, 1))
      return false;
  }
  return true;
}

// The containers that are reached from some, through tuples too, each with what it held then.
class Snapshot {
 public:
  explicit Snapshot(nb::handle roots) {
    std::unordered_set<PyObject*> seen;
    std::vector<PyObject*> waiting;
    auto visit = [&](PyObject* part) {
      if (kind_of(part) != Kind::None) waiting.push_back(part);
    };
    for (nb::handle root : nb::list(roots)) visit(root.ptr());
    while (!waiting.empty()) {
      PyObject* a = waiting.back();
      waiting.pop_back();
      const Kind kind = kind_of(a);
      if (!seen.insert(a).second) continue;
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
      held_.emplace_back(nb::borrow(a), std::move(contents));
    }
  }
  // [(container, contents)] of all, or of those that hold other objects now.
  nb::list pairs(bool changed_only) const {
    nb::list found;
    for (const auto& [container, before] : held_)
      if (!changed_only || !holds(container.ptr(), kind_of(container.ptr()), before.ptr())) found.append(nb::make_tuple(container, before));
    return found;
  }

 private:
  std::vector<std::pair<nb::object, nb::object>> held_;
};

}  // namespace

void init_contents(PyObject* module) {
  nb::handle m(module);
  nb::class_<Snapshot>(m, "_Snapshot")
      .def(nb::init<nb::handle>())
      .def("pairs", [](const Snapshot& s) { return s.pairs(false); })
      .def("changed", [](const Snapshot& s) { return s.pairs(true); });
}

}  // namespace monograph::python
