// Building and unpacking of containers.
#include "capture/machine/registers.h"

#ifdef MONOGRAPH_MACHINE

namespace monograph::capture::machine {
namespace {

void drop_many(Registers& r, int count) {
  while (count-- > 0) r.drop();
}

// Takes `count` values of an iterator to below `end`, the first one last. Returns how many there were.
int take(PyObject* iterator, int count, PyObject** end) {
  int taken = 0;
  for (; taken < count; ++taken) {
    PyObject* item = PyIter_Next(iterator);
    if (!item) break;
    *--end = item;
  }
  return taken;
}

// The values behind the starred target come off the end of the list of the rest.
bool split_rest(PyObject* iterator, int before, int after, PyObject** end) {
  PyObject* rest = PySequence_List(iterator);
  if (!rest) return false;
  const Py_ssize_t size = PyList_GET_SIZE(rest);
  if (size < after) {
    PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected at least %d, got %zd)", before + after, before + size);
    Py_DECREF(rest);
    return false;
  }
  *--end = rest;
  for (int j = after; j > 0; --j) *--end = PyList_GET_ITEM(rest, size - j);
  Py_SET_SIZE(rest, size - after);
  return true;
}

bool unpack(PyObject* sequence, int before, int after, PyObject** end) {
  PyObject* iterator = PyObject_GetIter(sequence);
  if (!iterator) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) && !Py_TYPE(sequence)->tp_iter && !PySequence_Check(sequence))
      PyErr_Format(PyExc_TypeError, "cannot unpack non-iterable %.200s object", Py_TYPE(sequence)->tp_name);
    return false;
  }
  const int taken = take(iterator, before, end);
  bool good = taken == before;
  if (!good && !PyErr_Occurred()) {
    if (after < 0) PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected %d, got %d)", before, taken);
    else PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected at least %d, got %d)", before + after, taken);
  } else if (good && after < 0) {
    if (PyObject* more = PyIter_Next(iterator)) {
      Py_DECREF(more);
      PyErr_Format(PyExc_ValueError, "too many values to unpack (expected %d)", before);
      good = false;
    } else {
      good = !PyErr_Occurred();
    }
  } else if (good) {
    good = split_rest(iterator, before, after, end - before);
  }
  if (!good)
    for (int i = taken; i > 0; --i) Py_DECREF(end[-i]);
  Py_DECREF(iterator);
  return good;
}

// A tuple or list of the right size: no iterator is needed.
bool unpack_items(Registers& r, PyObject* sequence, PyObject** items, int count) {
  for (int i = count; i-- > 0;) r.push(Py_NewRef(items[i]));
  Py_DECREF(sequence);
  return true;
}

}  // namespace

bool unpack_sequence(Registers& r, int before, int after) {
  PyObject* sequence = r.pop();
  if (after < 0 && PyTuple_CheckExact(sequence) && PyTuple_GET_SIZE(sequence) == before)
    return unpack_items(r, sequence, &PyTuple_GET_ITEM(sequence, 0), before);
  if (after < 0 && PyList_CheckExact(sequence) && PyList_GET_SIZE(sequence) == before)
    return unpack_items(r, sequence, reinterpret_cast<PyListObject*>(sequence)->ob_item, before);
  const int total = before + (after < 0 ? 0 : after + 1);
  const bool good = unpack(sequence, before, after, r.top + total);
  if (good) r.top += total;
  Py_DECREF(sequence);
  return good;
}

bool list_extend(Registers& r, int arg) {
  if (!PyList_CheckExact(r.peek(arg + 1))) return wrong_type(r, "a list");
  PyObject* iterable = r.pop();
  PyObject* none = _PyList_Extend(reinterpret_cast<PyListObject*>(r.peek(arg)), iterable);
  if (!none && PyErr_ExceptionMatches(PyExc_TypeError) && !Py_TYPE(iterable)->tp_iter && !PySequence_Check(iterable)) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "Value after * must be an iterable, not %.200s", Py_TYPE(iterable)->tp_name);
  }
  Py_XDECREF(none);
  Py_DECREF(iterable);
  return none != nullptr;
}

bool build_string(Registers& r, int arg) {
  for (int i = 1; i <= arg; ++i)
    if (!PyUnicode_Check(r.peek(i))) return wrong_type(r, "texts");
  PyObject* separator = PyUnicode_FromStringAndSize(nullptr, 0);
  PyObject* text = separator ? _PyUnicode_JoinArray(separator, r.top - arg, arg) : nullptr;
  Py_XDECREF(separator);
  if (!text) return false;
  drop_many(r, arg);
  r.push(text);
  return true;
}

bool build_set(Registers& r, int arg) {
  PyObject* set = PySet_New(nullptr);
  if (!set) return false;
  int status = 0;
  for (int i = arg; i > 0; --i) {
    PyObject* item = r.peek(i);
    if (status == 0) status = PySet_Add(set, item);
    Py_DECREF(item);
  }
  r.top -= arg;
  if (status != 0) {
    Py_DECREF(set);
    return false;
  }
  r.push(set);
  return true;
}

bool build_map(Registers& r, int arg) {
  PyObject* map = PyDict_New();
  if (!map) return false;
  for (int i = arg; i > 0; --i)
    if (PyDict_SetItem(map, r.peek(2 * i), r.peek(2 * i - 1)) < 0) {
      Py_DECREF(map);
      return false;
    }
  drop_many(r, 2 * arg);
  r.push(map);
  return true;
}

bool build_const_key_map(Registers& r, int arg) {
  PyObject* keys = r.peek(1);
  if (!PyTuple_CheckExact(keys) || PyTuple_GET_SIZE(keys) != arg) return wrong_type(r, "a tuple with a key for each value");
  PyObject* map = PyDict_New();
  if (!map) return false;
  for (int i = 0; i < arg; ++i)
    if (PyDict_SetItem(map, PyTuple_GET_ITEM(keys, i), r.peek(arg + 1 - i)) < 0) {
      Py_DECREF(map);
      return false;
    }
  drop_many(r, arg + 1);
  r.push(map);
  return true;
}

bool build_slice(Registers& r, int arg) {
  PyObject* step = arg == 3 ? r.pop() : nullptr;
  PyObject* stop = r.pop();
  PyObject* start = r.peek(1);
  PyObject* slice = PySlice_New(start, stop, step);
  Py_DECREF(start);
  Py_DECREF(stop);
  Py_XDECREF(step);
  r.peek(1) = slice;
  return slice != nullptr;
}

bool dict_update(Registers& r, int arg) {
  if (!PyDict_Check(r.peek(arg + 1))) return wrong_type(r, "a dict");
  PyObject* update = r.pop();
  const bool good = PyDict_Update(r.peek(arg), update) == 0;
  if (!good && PyErr_ExceptionMatches(PyExc_AttributeError))
    PyErr_Format(PyExc_TypeError, "'%.200s' object is not a mapping", Py_TYPE(update)->tp_name);
  Py_DECREF(update);
  return good;
}

bool dict_merge(Registers& r, int arg) {
  if (!PyDict_Check(r.peek(arg + 1))) return wrong_type(r, "a dict");
  PyObject* update = r.pop();
  const bool good = _PyDict_MergeEx(r.peek(arg), update, 2) == 0;
  if (!good) raise_keywords_error(r.peek(2 + arg), update);
  Py_DECREF(update);
  return good;
}

}  // namespace monograph::capture::machine
#endif
