// What dicts, lists, sets and deques hold now, and which of them hold something else later (python/monograph/_state.py): a module of a hundred layers
// has a thousand of them.
#include <algorithm>
#include <bit>
#include <utility>
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
  if (a == Py_None || PyUnicode_CheckExact(a) || PyBool_Check(a)) return Kind::None;  // most are
  if (PyTuple_Check(a)) return Kind::Tuple;
  if (PyDict_Check(a)) return Kind::Dict;
  if (PyList_Check(a) || PySet_Check(a)) return Kind::Sequence;
  if (PyLong_CheckExact(a) || PyFloat_CheckExact(a)) return Kind::None;
  return PyObject_TypeCheck(a, reinterpret_cast<PyTypeObject*>(deque_type())) ? Kind::Sequence : Kind::None;
}

Py_ssize_t size_of(PyObject* a, Kind kind) {
  if (kind == Kind::Dict) return PyDict_GET_SIZE(a);
  const Py_ssize_t n = PyObject_Size(a);
  if (n < 0) raise_set();
  return n;
}

// Adds what a container holds: of a dict its keys and values in its order, of another one its elements. The references are counted.
void add_contents(std::vector<PyObject*>& parts, PyObject* a, Kind kind) {
  if (size_of(a, kind) == 0) return;
  if (PyDict_CheckExact(a)) {
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(a, &at, &key, &value);) parts.push_back(Py_NewRef(key)), parts.push_back(Py_NewRef(value));
    return;
  }
  nb::object all = nb::steal(kind == Kind::Dict ? PyMapping_Items(a) : PySequence_List(a));
  if (!all.is_valid()) {
    if (kind != Kind::Dict || !PyErr_ExceptionMatches(PyExc_RuntimeError)) raise_set();
    PyErr_Clear();  // an OrderedDict looks its keys up, which needs a symbolic size as a number
    all = check(PyDict_Items(a));
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(all.ptr()); ++i) {
    PyObject* part = PyList_GET_ITEM(all.ptr(), i);
    if (kind != Kind::Dict) parts.push_back(Py_NewRef(part));
    else parts.push_back(Py_NewRef(PyTuple_GET_ITEM(part, 0))), parts.push_back(Py_NewRef(PyTuple_GET_ITEM(part, 1)));
  }
}

// The objects that were met. A table without a node for each of them: a thousand are met in each trace.
class Met {
 public:
  explicit Met(size_t expected) : table_(std::bit_ceil(2 * expected + 2)) {}
  bool insert(PyObject* o) {
    if (2 * ++count_ > table_.size()) grow();
    PyObject*& place = place_of(o);
    return std::exchange(place, o) == nullptr;
  }

 private:
  PyObject*& place_of(PyObject* o) {
    constexpr int kAlignedBits = 4;
    size_t at = reinterpret_cast<size_t>(o) >> kAlignedBits;
    at ^= at >> std::bit_width(table_.size());
    while (true) {
      PyObject*& place = table_[at & (table_.size() - 1)];
      if (!place || place == o) return place;
      ++at;
    }
  }
  void grow() {
    std::vector<PyObject*> before(2 * table_.size());
    before.swap(table_);
    for (PyObject* o : before)
      if (o) place_of(o) = o;
  }

  std::vector<PyObject*> table_;
  size_t count_ = 0;
};

// The containers that are reached from some, through tuples too, each with what it held then. No object of Python is made for what they hold, since the
// garbage collector would look at thousands of them.
class Snapshot {
 public:
  explicit Snapshot(nb::handle roots) {
    std::vector<PyObject*> waiting;
    auto visit = [&](PyObject* part) {
      if (kind_of(part) != Kind::None) waiting.push_back(part);
    };
    for (nb::handle root : nb::list(roots)) visit(root.ptr());
    constexpr size_t kContainersOfModule = 16;  // its tables of hooks, mostly
    constexpr size_t kFilledOfModule = 4;
    Met met(waiting.size() * kFilledOfModule);
    constexpr size_t kPartsOfModule = 48;
    held_.reserve(waiting.size() * kContainersOfModule), parts_.reserve(waiting.size() * kPartsOfModule);
    while (!waiting.empty()) {
      PyObject* a = waiting.back();
      waiting.pop_back();
      const Kind kind = kind_of(a);
      if (kind != Kind::Tuple && size_of(a, kind) == 0) {  // most tables of a module's hooks; one that is met again does no harm
        held_.push_back({nb::borrow(a), parts_.size(), parts_.size()});
        continue;
      }
      if (!met.insert(a)) continue;
      if (kind == Kind::Tuple) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); ++i) visit(PyTuple_GET_ITEM(a, i));
        continue;
      }
      const size_t begin = parts_.size();
      held_.push_back({nb::borrow(a), begin, begin});
      add_contents(parts_, a, kind);
      held_.back().end = parts_.size();
      for (size_t i = begin; i < parts_.size(); ++i) visit(parts_[i]);
    }
  }
  ~Snapshot() { release(parts_); }
  Snapshot(const Snapshot&) = delete;

  // [(container, contents)] of all, or of those that hold other objects now. The contents of a dict are pairs.
  nb::list pairs(bool changed_only) const {
    nb::list found;
    for (const Held& held : held_)
      if (!changed_only || !is_same(held)) found.append(nb::make_tuple(held.container, contents(held)));
    return found;
  }

 private:
  struct Held {
    nb::object container;
    size_t begin, end;  // in parts_
  };

  static void release(std::vector<PyObject*>& parts) {
    for (PyObject* part : parts) Py_DECREF(part);
  }
  bool is_same(const Held& held) const {
    const Kind kind = kind_of(held.container.ptr());
    if (held.begin == held.end || size_of(held.container.ptr(), kind) == 0)
      return held.begin == held.end && size_of(held.container.ptr(), kind) == 0;
    std::vector<PyObject*> now;
    add_contents(now, held.container.ptr(), kind);
    const bool same = std::equal(now.begin(), now.end(), parts_.begin() + static_cast<ptrdiff_t>(held.begin),
                                 parts_.begin() + static_cast<ptrdiff_t>(held.end));
    release(now);
    return same;
  }
  nb::list contents(const Held& held) const {
    nb::list all;
    const bool dict = kind_of(held.container.ptr()) == Kind::Dict;
    for (size_t i = held.begin; i < held.end; i += dict ? 2 : 1) {
      if (dict) all.append(nb::make_tuple(nb::handle(parts_[i]), nb::handle(parts_[i + 1])));
      else all.append(nb::handle(parts_[i]));
    }
    return all;
  }

  std::vector<Held> held_;
  std::vector<PyObject*> parts_;
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
