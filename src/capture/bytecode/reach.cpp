// What native code reads of containers. A C function, an operator of Monograph or an instruction that compares, searches or formats may look at all that it can
// reach from its arguments, and no instruction of the program shows it. So all of it is read: whatever older object stands in a container of Python's own, older
// or new, to any depth. What is known to look at less says so where it is called (effects.cpp).
#include "capture/bytecode/reads.h"

#ifdef MONOGRAPH_MACHINE
#include <algorithm>
#include <array>

#include "capture/machine/code.h"
#include "capture/machine/machine.h"

namespace monograph::capture::bytecode {

using machine::PythonFrame;

namespace {

// Of a module that is loaded: an import could wait for another thread.
PyTypeObject* type_from(const char* module, const char* name) {
  const Object found = Object::taken(PyObject_GetAttrString(PyImport_AddModule(module), name));
  if (!found) machine::forget_error();
  return reinterpret_cast<PyTypeObject*>(found.get());  // the module keeps it
}

bool is_namespace(PyObject* o) {
  static PyTypeObject* const type = type_from("types", "SimpleNamespace");
  return Py_IS_TYPE(o, type);
}

// An object of C code that holds others and looks at them when it is used: a view, an iterator, a queue, functools.partial, operator.itemgetter, a bound method.
bool holds_natively(PyObject* o) {
  static const std::array<PyTypeObject*, 6> kTypes = {type_from("collections", "deque"),     type_from("functools", "partial"),
                                                      type_from("operator", "itemgetter"),   type_from("operator", "attrgetter"),
                                                      type_from("operator", "methodcaller"), type_from("types", "MethodWrapperType")};
  PyTypeObject* type = Py_TYPE(o);
  for (const PyTypeObject* known : kTypes)
    if (type == known) return true;
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) return false;
  return PyDictItems_Check(o) || PyDictValues_Check(o) || PyCFunction_Check(o) || (PyIter_Check(o) && !PyGen_Check(o));
}

bool is_decimal(PyObject* o) { return std::string_view(Py_TYPE(o)->tp_name) == "decimal.Decimal"; }

// Whether native code may look for something in it.
bool may_hold(PyObject* o) {
  constexpr unsigned long kContainers = Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_TUPLE_SUBCLASS | Py_TPFLAGS_DICT_SUBCLASS;
  constexpr unsigned long kPlain =
      Py_TPFLAGS_LONG_SUBCLASS | Py_TPFLAGS_UNICODE_SUBCLASS | Py_TPFLAGS_BYTES_SUBCLASS | Py_TPFLAGS_TYPE_SUBCLASS;
  const unsigned long flags = Py_TYPE(o)->tp_flags;
  if (flags & kContainers) return true;
  if (flags & kPlain) return false;
  if (PyObject_CheckBuffer(o) || is_decimal(o)) return true;
  if (!(flags & Py_TPFLAGS_HAVE_GC) || PyFunction_Check(o) || PyModule_Check(o)) return false;
  return PyAnySet_Check(o) || PySlice_Check(o) || behind_proxy(o) != o || is_namespace(o) || holds_natively(o);
}

using ReachedParts = std::vector<PyObject*>;

void add_part(PyObject* part, ReachedParts& to) {
  if (part && may_hold(part)) to.push_back(part);
}

// The elements of a list or tuple and the values of a dict. Keys, and elements of sets, have hashes, so that they do not change.
void add_elements(PyObject* o, ReachedParts& to) {
  if (PyList_Check(o) || PyTuple_Check(o)) {
    for (Py_ssize_t k = PySequence_Fast_GET_SIZE(o); k-- > 0;) add_part(PySequence_Fast_GET_ITEM(o, k), to);
  } else if (PyDict_Check(o)) {
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) add_part(value, to);
  }
}

// The machine runs the function of such a partial object, and sees what it reads of its arguments.
bool is_partial_of_python(PyObject* o) {
  static PyTypeObject* const partial = type_from("functools", "partial");
  if (!Py_IS_TYPE(o, partial)) return false;
  const Object function = Object::taken(PyObject_GetAttrString(o, "func"));
  if (!function) machine::forget_error();
  return function && (PyFunction_Check(function.get()) || PyMethod_Check(function.get()));
}

// What an object of C code refers to.
ReachedParts parts_of(PyObject* o) {
  ReachedParts found;
  if (PySlice_Check(o)) {
    const auto* slice = reinterpret_cast<PySliceObject*>(o);
    for (PyObject* part : {slice->start, slice->stop, slice->step}) add_part(part, found);
  } else if (PyCFunction_Check(o)) {
    add_part(PyCFunction_GET_SELF(o), found);
  } else if (traverseproc traverse = Py_TYPE(o)->tp_traverse) {
    traverse(
        o,
        [](PyObject* part, void* to) {
          add_part(part, *static_cast<ReachedParts*>(to));
          return 0;
        },
        &found);
  }
  return found;
}

// Whether the instruction hands values on to native code that may look into them: no loop over a generator, and no attribute that a property has given.
bool looks_at_values(int opcode) {
  switch (opcode) {
    case CALL:
    case CALL_FUNCTION_EX:
    case CONTAINS_OP:
    case COMPARE_OP:
    case BINARY_OP:
    case BINARY_SUBSCR:
    case STORE_SUBSCR:
    case FORMAT_VALUE: return true;
    default: return false;
  }
}

}  // namespace

bool ReadSet::read_reachable(PyObject* from) {
  if (!from || !may_hold(from)) return true;
  ReachedParts todo{from};
  std::unordered_set<PyObject*> seen;
  while (!todo.empty()) {
    PyObject* o = todo.back();
    todo.pop_back();
    if (values_.is_tensor(o) || values_.is_symbolic(o) || read_whole_.contains(o) || !seen.insert(o).second) continue;
    if (!check_contents(o)) return false;
    if (is_decimal(o)) {
      ask_decimals();
      continue;
    }
    if (is_older(o) && (PyList_Check(o) || PyTuple_Check(o) || PyDict_Check(o) || PyAnySet_Check(o))) {
      read_all(o, 8);
      read_whole_.insert(o);
      if (held(o) != o) add_elements(held(o), todo);
    }
    if (PyList_Check(o) || PyTuple_Check(o) || PyDict_Check(o)) {
      add_elements(o, todo);
      continue;
    }
    if (PyAnySet_Check(o) || (is_older(o) && PyIter_Check(o)) || is_partial_of_python(o)) continue;
    ReachedParts parts;
    if (is_namespace(o)) {
      const Object fields = Object::taken(PyObject_GenericGetDict(o, nullptr));
      if (!fields) machine::forget_error();
      add_part(fields.get(), parts);  // the object keeps it
    } else if (PyObject* dict = behind_proxy(o); dict != o) {
      parts.push_back(dict);
    } else {
      parts = parts_of(o);
    }
    for (PyObject* part : parts) {
      if (is_older(o)) add_older(part, name_of(o));
      todo.push_back(part);
    }
  }
  return true;
}

// Native code called the function, and gets this value of it: of a key for sorted(), or of a generator for any().
bool ReadSet::read_given_back(Registers& r) {
  PythonFrame* caller = r.frame->previous;
  if (!r.frame->is_entry || !caller || r.frame == outermost_ || !may_hold(r.peek(1))) return true;
  const machine::CodeInfo* info = machine::info_of(caller->f_code);
  if (!info) return machine::forget_error(), true;
  const int at = machine::last_instruction(caller);
  const bool looked_at =
      at >= 0 && at < static_cast<int>(info->units.size()) && looks_at_values(_Py_OPCODE(info->units[static_cast<size_t>(at)]));
  return !looked_at || read_reachable(r.peek(1));
}

// The key of an element, and what is put there. A dict and a list look at no more than the key, and what a class of the program does is seen.
bool ReadSet::read_index(PyObject* container, PyObject* key, PyObject* value) {
  if (PyDict_Check(container)) return true;
  if (!read_reachable(key)) return false;
  if (!value || (PyList_Check(container) && !PySlice_Check(key))) return true;
  static PyObject* const set_item = PyUnicode_InternFromString("__setitem__");
  PyObject* setter = values_.is_tensor(container) || values_.is_proxy(container) ? nullptr : _PyType_Lookup(Py_TYPE(container), set_item);
  return (setter && PyFunction_Check(setter)) || read_reachable(value);
}

// Lists, tuples, dicts and sets make a new one of what they hold, and look no further. Others look at what they are given.
bool ReadSet::read_operands(PyObject* left, PyObject* right, bool reads_left) {
  const auto joins = [](PyObject* o) { return PyList_Check(o) || PyTuple_Check(o) || PyDict_Check(o) || PyAnySet_Check(o); };
  const bool shallow = joins(left) ? joins(right) || PyLong_Check(right) : PyLong_Check(left) && joins(right);
  for (PyObject* o : {left, right}) {
    if (o == left && !reads_left) continue;
    if (!check_contents(o)) return false;
    if (!shallow && !read_reachable(o)) return false;
    if (shallow) read_all(o, 8);
  }
  return true;
}

// What the program hands to a function of Monograph whose own reads are not watched.
bool ReadSet::read_given_to_library(PyObject* function, PyObject* const* args, Py_ssize_t count) {
  PyObject* globals = reinterpret_cast<PyFunctionObject*>(function)->func_globals;
  if (abort_ || !names_reporting_module(globals) || is_program(globals)) return true;
  return std::all_of(args, args + count, [this](PyObject* o) { return read_reachable(o); });
}

// What an object or module holds under the name; null for what code computes.
static Object stored_attribute(PyObject* owner, PyObject* name) {
  PyObject* slot = _PyType_Lookup(Py_TYPE(owner), name);
  if (slot && Py_IS_TYPE(slot, &PyMemberDescr_Type)) {
    Object value = Object::taken(PyObject_GenericGetAttr(owner, name));
    if (!value) PyErr_Clear();
    return value;
  }
  const Object fields = PyModule_Check(owner) ? Object(PyModule_GetDict(owner)) : Object::taken(PyObject_GenericGetDict(owner, nullptr));
  const Object found(fields ? PyDict_GetItemWithError(fields.get(), name) : nullptr);
  machine::forget_error();
  return found;
}

// operator.attrgetter("a.b") reads attributes that no instruction names.
bool ReadSet::read_named_attributes(PyObject* getter, PyObject* owner, bool program) {
  const Object made = Object::taken(PyObject_CallMethod(getter, "__reduce__", nullptr));
  PyObject* names = made && PyTuple_Check(made.get()) && PyTuple_GET_SIZE(made.get()) == 2 ? PyTuple_GET_ITEM(made.get(), 1) : nullptr;
  if (!names || !PyTuple_Check(names)) return machine::forget_error(), true;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); ++k) {
    const Object path = Object::taken(PyUnicode_Split(PyTuple_GET_ITEM(names, k), Object::taken(PyUnicode_FromString(".")).get(), -1));
    if (!path) return machine::forget_error(), true;
    Object at(owner);
    for (Py_ssize_t i = 0; at && i < PyList_GET_SIZE(path.get()); ++i) {
      PyObject* name = PyList_GET_ITEM(path.get(), i);
      if (!read_attribute(at.get(), name, program)) return false;
      at = stored_attribute(at.get(), name);
    }
  }
  return true;
}

}  // namespace monograph::capture::bytecode
#endif
