// Which arguments of a captured call are taken apart, and which parts of them the capture read.
#include "compile_arguments.h"

#include <algorithm>
#include <unordered_set>

#include "capture/machine/flow.h"
#include "module_tables.h"
#include "tensor.h"

#ifdef MONOGRAPH_MACHINE
namespace monograph::python::compiled {

bool has_slots(PyTypeObject* type) {
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(type->tp_mro); ++k) {
    auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, k));
    PyObject* slots = base->tp_flags & Py_TPFLAGS_HEAPTYPE ? reinterpret_cast<PyHeapTypeObject*>(base)->ht_slots : nullptr;
    if (slots && PyTuple_GET_SIZE(slots) > 0) return true;
  }
  return false;
}

bool reads_argument(PyObject* function, Py_ssize_t place, PyObject* name) {
  const bool method = PyMethod_Check(function);
  PyObject* called = method ? PyMethod_GET_FUNCTION(function) : function;
  if (!PyFunction_Check(called)) return true;
  auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(called));
  const int positional = code->co_argcount, named = positional + code->co_kwonlyargcount;
  int local = static_cast<int>(place) + (method ? 1 : 0);
  if (name) {
    for (local = code->co_posonlyargcount; local < named; ++local)
      if (PyUnicode_Compare(PyTuple_GET_ITEM(code->co_localsplusnames, local), name) == 0) break;
    if (local == named) return true;
  } else if (local >= positional) {
    return true;
  }
  constexpr char kCell = 0x40;  // CPython's CO_FAST_CELL: an inner function may read it
  if (PyBytes_AS_STRING(code->co_localspluskinds)[local] & kCell) return true;
  const capture::machine::CodeInfo* info = capture::machine::info_of(code);
  if (!info) return capture::machine::forget_error(), true;
  return capture::machine::CodeFlow(code, *info).live(0, local);
}

bool is_imported(PyObject* o) {
  PyObject* name = PyModule_Check(o) ? PyModule_GetNameObject(o) : nullptr;
  PyObject* known = name ? PyImport_GetModule(name) : nullptr;
  capture::machine::forget_error();
  Py_XDECREF(name);
  Py_XDECREF(known);
  return known == o;
}

// --- Which objects are taken apart.

namespace {

PyObject* simple_namespace() {
  PyObject* module = PyImport_ImportModule("types");
  PyObject* found = module ? PyObject_GetAttrString(module, "SimpleNamespace") : nullptr;
  Py_XDECREF(module);
  capture::machine::forget_error();
  return found;
}

// Whether a class derives from Python classes alone, none of them Monograph's.
bool is_plain_class(PyTypeObject* type) {
  if (!capture::machine::is_python_class(type)) return false;
  if (std::string_view(Py_TYPE(type)->tp_name) != "type" && std::string_view(Py_TYPE(type)->tp_name) != "ABCMeta") return false;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(type->tp_mro); ++k) {
    auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, k));
    if (base == &PyBaseObject_Type) continue;
    if (!capture::machine::is_python_class(base)) return false;
    PyObject* home = PyDict_GetItemString(base->tp_dict, "__module__");
    // Monograph's own objects, such as Modules and optimizers, are known by which they are.
    if (home && PyUnicode_Check(home) && capture::machine::starts_with_package(text_of(home))) return false;
  }
  return true;
}

// The __dict__ of a SimpleNamespace, or of an instance of such a class; null for another object.
Object fields_of_plain(PyObject* o) {
  static PyObject* const namespaces = simple_namespace();
  PyTypeObject* type = Py_TYPE(o);
  if (reinterpret_cast<PyObject*>(type) == namespaces) return Object::taken(PyObject_GenericGetDict(o, nullptr));
  if (PyType_Check(o) || has_slots(type) || !is_plain_class(type)) return {};
  Object fields = Object::taken(PyObject_GenericGetDict(o, nullptr));
  if (!fields) capture::machine::forget_error();
  return fields;
}

// Counts the values that an object holds.
class SmallEnough {
 public:
  bool holds(PyObject* o, int depth) {
    constexpr int kDepth = 24;
    if (--left_ < 0 || depth > kDepth) return false;
    if (PyTuple_Check(o) || PyList_CheckExact(o)) {
      if (!seen_.insert(o).second) return true;
      for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(o); ++k)
        if (!holds(PySequence_Fast_GET_ITEM(o, k), depth + 1)) return false;
      return true;
    }
    if (PyDict_CheckExact(o) || PyODict_CheckExact(o)) return holds_values_of(o, depth);
    if (PyAnySet_Check(o)) return (left_ -= static_cast<int>(std::min<Py_ssize_t>(PySet_GET_SIZE(o), 1000))) >= 0;
    const Object fields = python::is_tensor(o) ? Object() : fields_of_plain(o);
    if (fields) return holds_values_of(fields.get(), depth);
    if (const auto slots = python::is_tensor(o) ? std::nullopt : slots_of_plain(o))
      for (const Object& name : *slots)
        if (const Object value = slot_of(o, name.get()); value && !holds(value.get(), depth + 1)) return false;
    return true;
  }

 private:
  bool holds_values_of(PyObject* dict, int depth) {
    if (!seen_.insert(dict).second) return true;
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value);)
      if (!Expected::compares_by_value(key) || !holds(value, depth + 1)) return false;
    return true;
  }
  int left_ = 1000;
  std::unordered_set<PyObject*> seen_;
};

}  // namespace

bool is_taken_apart(PyObject* o) { return (fields_of_plain(o) || slots_of_plain(o) || is_set_of_values(o)) && SmallEnough().holds(o, 0); }

std::optional<std::vector<Object>> slots_of_plain(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  const bool fields = type->tp_dictoffset != 0 || (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) != 0;
  if (PyType_Check(o) || fields || !has_slots(type) || !is_plain_class(type)) return {};
  std::vector<Object> names;
  for (Py_ssize_t k = PyTuple_GET_SIZE(type->tp_mro); k-- > 0;) {
    auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, k));
    PyObject* slots = base->tp_flags & Py_TPFLAGS_HEAPTYPE ? reinterpret_cast<PyHeapTypeObject*>(base)->ht_slots : nullptr;
    for (Py_ssize_t i = 0; slots && i < PyTuple_GET_SIZE(slots); ++i) {
      PyObject* name = PyTuple_GET_ITEM(slots, i);
      PyObject* found = _PyType_Lookup(type, name);  // a property of a class below may hide it
      if (!found || !Py_IS_TYPE(found, &PyMemberDescr_Type)) return {};
      names.emplace_back(name);
    }
  }
  return names;
}

bool is_set_of_values(PyObject* o) {
  constexpr Py_ssize_t kMost = 1000;
  if ((!PySet_CheckExact(o) && !PyFrozenSet_CheckExact(o)) || PySet_GET_SIZE(o) > kMost) return false;
  return std::ranges::all_of(
      elements_of(o), [](const Object& e) { return e.get() == Py_None || PyBool_Check(e.get()) || Expected::compares_by_value(e.get()); });
}

// --- What the run has read of them.

namespace {

using Kind = ArgumentSpec::Kind;

bool is_container(const ArgumentSpec& a) {
  return a.kind == Kind::Tuple || a.kind == Kind::List || a.kind == Kind::Dict || a.kind >= Kind::Cell;
}

// The parts of a tree of arguments that stay.
class ReadParts {
 public:
  ReadParts(const CapturedEntry& entry, const std::vector<PyObject*>& containers, const ReadSet& reads, const std::vector<bool>& used)
      : all_(entry.arguments), containers_(containers), reads_(reads), tensors_needed_(used), containers_needed_(containers.size()) {
    std::vector<bool> seen(used.size());
    for (const ArgumentSpec& a : all_) {
      if (a.kind == Kind::Again) containers_needed_[a.index] = true;
      if (a.kind != Kind::Tensor) continue;
      if (seen[a.index]) tensors_needed_[a.index] = true;  // the call has it twice
      seen[a.index] = true;
    }
    for (const ResultRecipe& r : entry.recipes)
      if (r.kind == ResultRecipe::Kind::Container) containers_needed_[r.index] = true;
    tensors.resize(used.size()), containers_left.resize(containers.size());
    while (at_ < all_.size()) keep();
  }
  std::vector<ArgumentSpec> left;
  std::vector<bool> tensors, containers_left;  // which of them stay

 private:
  // The end of the part that begins at `at`, and whether it can go.
  size_t end_of(size_t at, bool& free) const {
    const ArgumentSpec& a = all_[at++];
    if (a.kind == Kind::Tensor) free &= !tensors_needed_[a.index];
    if (a.kind == Kind::Int || a.kind == Kind::Float) free = false;
    if (is_container(a)) free &= !containers_needed_[a.index] && !reads_.is_identified(containers_[a.index]);
    const Py_ssize_t parts = a.kind == Kind::Object ? 1 : is_container(a) ? a.size : 0;
    for (Py_ssize_t k = 0; k < parts; ++k) at = end_of(at, free);
    return at;
  }
  void keep() {
    const ArgumentSpec& a = all_[at_++];
    const size_t place = left.size();
    left.push_back(a);
    if (a.kind == Kind::Tensor) tensors[a.index] = true;
    if (!is_container(a)) return;
    PyObject* o = containers_[a.index];
    containers_left[a.index] = true;
    if ((a.kind != Kind::Dict && a.kind != Kind::Slots) || !reads_.has_read_keys(o) || reads_.read_keys(o).whole) {
      const Py_ssize_t parts = a.kind == Kind::Object ? 1 : a.size;
      for (Py_ssize_t k = 0; k < parts; ++k) keep();
      return;
    }
    std::vector<Object> keys, absent;
    for (const Object& key : a.keys) {
      bool free = std::ranges::none_of(reads_.read_keys(o).keys, [&](const Object& k) { return Expected::equal(k.get(), key.get()); });
      const size_t end = end_of(at_, free);
      if (free) at_ = end;
      else keys.push_back(key), keep();
    }
    for (const Object& key : reads_.read_keys(o).keys)
      if (std::ranges::none_of(a.keys, [&](const Object& k) { return Expected::equal(k.get(), key.get()); })) absent.push_back(key);
    ArgumentSpec& kept = left[place];
    if (a.kind == Kind::Dict) kept.kind = Kind::Fields;
    kept.keys = std::move(keys), kept.absent = std::move(absent), kept.size = static_cast<Py_ssize_t>(kept.keys.size());
  }

  const std::vector<ArgumentSpec>& all_;
  const std::vector<PyObject*>& containers_;
  const ReadSet& reads_;
  std::vector<bool> tensors_needed_, containers_needed_;
  size_t at_ = 0;
};

// For each place the one that it has when those that do not stay are gone.
std::vector<size_t> places_of(const std::vector<bool>& stays) {
  std::vector<size_t> out;
  size_t next = 0;
  for (const bool stay : stays) out.push_back(next), next += stay ? 1 : 0;
  return out;
}

}  // namespace

std::vector<size_t> drop_unread(CapturedEntry& entry, std::vector<PyObject*>& containers, const ReadSet& reads,
                                const std::vector<bool>& used) {
  const auto is_object = [](const ArgumentSpec& a) { return a.kind == Kind::Object || a.kind == Kind::Slots; };
  const auto is_known = [&](const ArgumentSpec& a) { return a.kind < Kind::Cell || a.kind == Kind::Set || is_object(a); };
  if (std::ranges::none_of(entry.arguments, is_object) || !std::ranges::all_of(entry.arguments, is_known)) return {};
  ReadParts parts(entry, containers, reads, used);
  const std::vector<size_t> tensors = places_of(parts.tensors), places = places_of(parts.containers_left);
  for (ArgumentSpec& a : parts.left)
    if (a.kind == Kind::Tensor) a.index = tensors[a.index];
    else if (a.kind == Kind::Again || is_container(a)) a.index = places[a.index];
  for (ResultRecipe& r : entry.recipes)
    if (r.kind == ResultRecipe::Kind::Container) r.index = places[r.index];
  entry.arguments = std::move(parts.left);
  std::vector<size_t> gone;
  for (size_t k = used.size(); k-- > 0;)
    if (!parts.tensors[k]) gone.push_back(k), entry.inputs.erase(entry.inputs.begin() + static_cast<std::ptrdiff_t>(k));
  for (size_t k = containers.size(); k-- > 0;)
    if (!parts.containers_left[k]) containers.erase(containers.begin() + static_cast<std::ptrdiff_t>(k));
  entry.containers = containers.size();
  return gone;
}

void keep_identities(CapturedEntry& entry, const std::vector<PyObject*>& containers, const ReadSet& reads, bool objects_alone) {
  for (ArgumentSpec& a : entry.arguments) {
    const bool known = a.kind == Kind::Object || a.kind == Kind::Slots ||
                       (!objects_alone && (a.kind == Kind::List || a.kind == Kind::Tuple || a.kind == Kind::Dict || a.kind == Kind::Set));
    if (a.kind == Kind::Value && reads.is_identified(a.expected.value())) a.is_same_object = true;
    const bool fields = a.kind == Kind::Dict && reads.has_read_keys(containers[a.index]);
    if (!known || !reads.is_identified(containers[a.index]) || fields) continue;
    a.expected = Expected(containers[a.index]), a.is_same_object = true;
  }
}

}  // namespace monograph::python::compiled
#endif
