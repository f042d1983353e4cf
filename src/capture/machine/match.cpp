// The patterns of `match` that need more than a test.
#include "capture/machine/registers.h"

#ifdef MONOGRAPH_MACHINE

namespace monograph::capture::machine {
namespace {

// Adds a key or name to those of the pattern; false with an exception set, also for one that is there already.
bool add_once(PyObject* seen, PyObject* key, PyObject* error, const char* format, PyTypeObject* type) {
  const int known = PySet_Contains(seen, key);
  if (known == 0) return PySet_Add(seen, key) == 0;
  if (known > 0) {
    if (type) PyErr_Format(error, format, type->tp_name, key);
    else PyErr_Format(error, format, key);
  }
  return false;
}

// An attribute of a subject, a new reference; null without an exception where it has none.
PyObject* attribute(PyObject* subject, PyObject* type, PyObject* name, PyObject* seen) {
  if (!add_once(seen, name, PyExc_TypeError, "%s() got multiple sub-patterns for attribute %R", reinterpret_cast<PyTypeObject*>(type)))
    return nullptr;
  PyObject* value = PyObject_GetAttr(subject, name);
  if (!value && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
  return value;
}

bool append_attribute(PyObject* attributes, PyObject* subject, PyObject* type, PyObject* name, PyObject* seen) {
  PyObject* value = attribute(subject, type, name, seen);
  const bool good = value && PyList_Append(attributes, value) == 0;
  Py_XDECREF(value);
  return good;
}

// The attributes that positional patterns stand for; `itself` where the one pattern is for the subject. A new reference.
PyObject* positional_names(PyObject* type, Py_ssize_t count, bool& itself) {
  auto* t = reinterpret_cast<PyTypeObject*>(type);
  itself = false;
  PyObject* names = PyObject_GetAttrString(type, "__match_args__");
  if (names && !PyTuple_CheckExact(names)) {
    PyErr_Format(PyExc_TypeError, "%s.__match_args__ must be a tuple (got %s)", t->tp_name, Py_TYPE(names)->tp_name);
    Py_CLEAR(names);
  } else if (!names && PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Clear();
    names = PyTuple_New(0);
    itself = PyType_HasFeature(t, _Py_TPFLAGS_MATCH_SELF) != 0;
  }
  if (!names) return nullptr;
  const Py_ssize_t allowed = itself ? 1 : PyTuple_GET_SIZE(names);
  if (allowed < count) {
    PyErr_Format(PyExc_TypeError, "%s() accepts %d positional sub-pattern%s (%d given)", t->tp_name, static_cast<int>(allowed),
                 allowed == 1 ? "" : "s", static_cast<int>(count));
    Py_CLEAR(names);
  }
  return names;
}

bool append_positional(PyObject* attributes, PyObject* subject, PyObject* type, Py_ssize_t count, PyObject* seen) {
  bool itself = false;
  PyObject* names = positional_names(type, count, itself);
  if (!names) return false;
  bool good = true;
  if (itself) good = PyList_Append(attributes, subject) == 0;
  for (Py_ssize_t i = 0; good && !itself && i < count; ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    good = PyUnicode_CheckExact(name);
    if (good) good = append_attribute(attributes, subject, type, name, seen);
    else PyErr_Format(PyExc_TypeError, "__match_args__ elements must be strings (got %s)", Py_TYPE(name)->tp_name);
  }
  Py_DECREF(names);
  return good;
}

// The attributes as a tuple; null where the subject does not match, with an exception set or not.
PyObject* class_attributes(PyObject* subject, PyObject* type, Py_ssize_t count, PyObject* keywords) {
  if (!PyType_Check(type)) {
    PyErr_SetString(PyExc_TypeError, "called match pattern must be a type");
    return nullptr;
  }
  if (PyObject_IsInstance(subject, type) <= 0) return nullptr;
  PyObject* seen = PySet_New(nullptr);
  PyObject* attributes = PyList_New(0);
  bool good = seen && attributes && (count == 0 || append_positional(attributes, subject, type, count, seen));
  for (Py_ssize_t i = 0; good && i < PyTuple_GET_SIZE(keywords); ++i)
    good = append_attribute(attributes, subject, type, PyTuple_GET_ITEM(keywords, i), seen);
  PyObject* result = good ? PyList_AsTuple(attributes) : nullptr;
  Py_XDECREF(attributes);
  Py_XDECREF(seen);
  return result;
}

// The value of one key; None's place is taken by `missing`.
PyObject* value_of(PyObject* get, bool unbound, PyObject* map, PyObject* key, PyObject* missing) {
  PyObject* args[] = {map, key, missing};
  return unbound ? PyObject_Vectorcall(get, args, 3, nullptr) : PyObject_Vectorcall(get, args + 1, 2, nullptr);
}

PyObject* values_of_keys(PyObject* map, PyObject* keys) {
  const Py_ssize_t count = PyTuple_GET_SIZE(keys);
  if (count == 0) return PyTuple_New(0);
  PyObject* name = PyUnicode_InternFromString("get");
  if (!name) return nullptr;
  PyObject* get = nullptr;
  const bool unbound = _PyObject_GetMethod(map, name, &get) != 0;
  Py_DECREF(name);
  if (!get) return nullptr;
  PyObject* seen = PySet_New(nullptr);
  PyObject* missing = PyObject_CallNoArgs(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
  PyObject* values = PyTuple_New(count);
  bool good = seen && missing && values;
  for (Py_ssize_t i = 0; good && values != Py_None && i < count; ++i) {
    PyObject* key = PyTuple_GET_ITEM(keys, i);
    good = add_once(seen, key, PyExc_ValueError, "mapping pattern checks duplicate key (%R)", nullptr);
    PyObject* value = good ? value_of(get, unbound, map, key, missing) : nullptr;
    good = value != nullptr;
    if (value == missing) {
      Py_DECREF(value);
      Py_SETREF(values, Py_NewRef(Py_None));
    } else if (good) {
      PyTuple_SET_ITEM(values, i, value);
    }
  }
  Py_DECREF(get);
  Py_XDECREF(seen);
  Py_XDECREF(missing);
  if (!good) Py_CLEAR(values);
  return values;
}

}  // namespace

bool match_class(Registers& r, int arg) {
  if (!PyTuple_CheckExact(r.peek(1))) return wrong_type(r, "a tuple of names");
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(r.peek(1)); ++i)
    if (!PyUnicode_Check(PyTuple_GET_ITEM(r.peek(1), i))) return wrong_type(r, "a tuple of names");
  PyObject* keywords = r.pop();
  PyObject* type = r.pop();
  PyObject* subject = r.peek(1);
  PyObject* attributes = class_attributes(subject, type, arg, keywords);
  Py_DECREF(keywords);
  Py_DECREF(type);
  if (!attributes) {
    if (PyErr_Occurred()) return false;
    attributes = Py_NewRef(Py_None);
  }
  return r.set_top(attributes);
}

bool match_keys(Registers& r) {
  if (!PyTuple_CheckExact(r.peek(1))) return wrong_type(r, "a tuple of keys");
  if ((Py_TYPE(r.peek(2))->tp_flags & Py_TPFLAGS_MAPPING) == 0) return wrong_type(r, "a mapping");
  return r.push_checked(values_of_keys(r.peek(2), r.peek(1)));
}

}  // namespace monograph::capture::machine
#endif
