// Texts and effects of a captured program. A text that holds what the graph computes (an f-string, str(), "..." % n) is a value of the graph, and print(),
// warnings.warn() and a logger's methods are nodes. The recorder makes both. C code that would read such a text gets the example's, guarded.
#include "capture/machine/frame_loop.h"

#ifdef MONOGRAPH_MACHINE
#include <vector>

namespace monograph::capture::machine {

bool Loop::format(int arg) {
  constexpr int kConversion = 3, kSpec = 4;
  constexpr char kConversions[] = {0, 's', 'r', 'a'};
  PyObject* spec = arg & kSpec ? r_.peek(1) : nullptr;
  PyObject* value = r_.peek(spec ? 2 : 1);
  if (!has_texts() || PyUnicode_CheckExact(value) || !r_.hook->forks->recorder().is_shown(value)) {
    if (spec && !make_plain(r_.peek(1))) return false;
    return format_value(r_, arg);
  }
  PyObject* text = r_.hook->forks->recorder().format(value, kConversions[arg & kConversion], spec);
  if (!text) return !PyErr_Occurred() && (!spec || make_plain(r_.peek(1))) && format_value(r_, arg);
  if (spec) r_.drop();
  return r_.set_top(text);
}

bool Loop::put_together(int arg) {
  if (has_texts()) {
    ForkRecorder& recorder = r_.hook->forks->recorder();
    bool any = false;
    for (int k = 1; k <= arg && !any; ++k) any = !PyUnicode_CheckExact(r_.peek(k)) && recorder.is_shown(r_.peek(k));
    PyObject* text = any ? recorder.put_together(r_.top - arg, static_cast<size_t>(arg)) : nullptr;
    if (PyErr_Occurred()) return false;
    if (text) {
      for (int k = 0; k < arg; ++k) r_.drop();
      r_.push(text);
      return true;
    }
    for (int k = 1; any && k <= arg; ++k)
      if (!make_plain(r_.peek(k))) return false;
  }
  return build_string(r_, arg);
}

bool Loop::remainder(int arg) {
  PyObject *left = r_.peek(2), *right = r_.peek(1);
  if (has_texts() && PyUnicode_CheckExact(left) && r_.hook->forks->recorder().is_shown(right)) {
    PyObject* text = r_.hook->forks->recorder().percent(left, right);
    if (PyErr_Occurred()) return false;
    if (text) {
      r_.drop();
      r_.next += caches::kBinaryOp;
      return r_.set_top(text);
    }
  }
  return binary_op(r_, arg);
}

// C code reads no text of the graph. Lists, tuples and exceptions only hold it.
bool Loop::give_plain_texts(PyObject* function, PyObject** args, Py_ssize_t count) {
  ForkRecorder& recorder = r_.hook->forks->recorder();
  bool any = false;
  for (Py_ssize_t k = 0; k < count && !any; ++k) any = recorder.is_text(args[k]);
  if (!any || PyFunction_Check(function) || PyMethod_Check(function) || PyExceptionClass_Check(function) ||
      is_python_class(Py_TYPE(function)))
    return true;
  if (PyType_Check(function) && (reinterpret_cast<PyTypeObject*>(function)->tp_flags & Py_TPFLAGS_HEAPTYPE)) return true;
  if (function == reinterpret_cast<PyObject*>(&PyType_Type) || r_.hook->forks->takes(function)) return true;
  const bool of_list = (Py_IS_TYPE(function, &PyMethodDescr_Type) && reinterpret_cast<PyDescrObject*>(function)->d_type == &PyList_Type) ||
                       (PyCFunction_Check(function) && PyCFunction_GET_SELF(function) && PyList_Check(PyCFunction_GET_SELF(function)));
  for (Py_ssize_t k = 0; k < count && !of_list; ++k)
    if (!make_plain(args[k])) return false;
  return true;
}

// A bound method of a str, as the function of the class that takes the str first; a borrowed reference, or null for another function.
static PyObject* method_of_text(PyObject* function) {
  if (!PyCFunction_Check(function) || !PyCFunction_GET_SELF(function) || !PyUnicode_CheckExact(PyCFunction_GET_SELF(function)))
    return nullptr;
  PyObject* name = PyUnicode_InternFromString(reinterpret_cast<PyCFunctionObject*>(function)->m_ml->ml_name);
  PyObject* found = name ? _PyType_Lookup(&PyUnicode_Type, name) : nullptr;
  Py_XDECREF(name);
  return found;
}

// A call of a function that says something: `value` is null where it is left to Python. False with an exception set.
bool Loop::say(PyObject* function, PyObject* const* args, Py_ssize_t count, PyObject* keywords, PyObject*& value) {
  Forks& forks = *r_.hook->forks;
  Watcher* watcher = r_.hook->watcher;
  value = forks.recorder().say(function, args, static_cast<size_t>(count), keywords);
  const bool effect = forks.recorder().is_effect(function);
  if (value || PyErr_Occurred()) {  // a warning may be an error
    if (effect && watcher && forks.recorder().records_effects()) watcher->recorded();
    return value != nullptr;
  }
  if (effect && watcher && !watcher->not_recorded()) return false;
  if (!watched()) return true;
  return effect ? forks.refuse_effect(function, args, count) : forks.before_call(function, args, count);
}

bool Loop::says(int arg) {
  if (!has_texts()) return false;
  const int total = arg + (r_.peek(arg + 2) ? 1 : 0);
  PyObject* function = r_.peek(total + 1);
  PyObject** args = r_.top - total;
  PyObject* const unbound = method_of_text(function);
  if (r_.hook->forks->says(unbound ? unbound : function) && in_program()) {
    std::vector<PyObject*> all(args, args + total);
    if (unbound) all.insert(all.begin(), PyCFunction_GET_SELF(function));
    PyObject* value = nullptr;
    if (!say(unbound ? unbound : function, all.data(), static_cast<Py_ssize_t>(all.size()), r_.keywords, value)) return true;
    if (value) {
      r_.keywords = nullptr;
      for (int k = 0; k < arg + 2; ++k) Py_XDECREF(r_.pop());
      r_.push(value);
      r_.next += caches::kCall;
      return true;
    }
  }
  return !give_plain_texts(function, args, total);
}

bool Loop::record_effect_of_call(int arg) {
  if (!has_texts()) return false;
  PyObject* function = r_.peek(arg & 1 ? 3 : 2);
  PyObject* args = r_.peek(arg & 1 ? 2 : 1);
  PyObject* keywords = arg & 1 ? r_.peek(1) : nullptr;
  PyObject* const unbound = method_of_text(function);
  if (!r_.hook->forks->says(unbound ? unbound : function) || !in_program() || !(PyTuple_CheckExact(args) || PyList_CheckExact(args)) ||
      (keywords && !PyDict_CheckExact(keywords)))
    return false;
  std::vector<PyObject*> all;
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(args); ++k) all.push_back(PySequence_Fast_GET_ITEM(args, k));
  if (unbound) all.insert(all.begin(), PyCFunction_GET_SELF(function));
  PyObject* names = keywords && PyDict_GET_SIZE(keywords) ? PySequence_Tuple(keywords) : nullptr;
  for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); ++k)
    all.push_back(PyDict_GetItemWithError(keywords, PyTuple_GET_ITEM(names, k)));
  PyObject* value = nullptr;
  const bool good = !PyErr_Occurred() && say(unbound ? unbound : function, all.data(), static_cast<Py_ssize_t>(all.size()), names, value);
  Py_XDECREF(names);
  if (!good || !value) return !good;
  for (int k = 0; k < (arg & 1 ? 4 : 3); ++k) Py_XDECREF(r_.pop());
  r_.push(value);
  return true;
}

}  // namespace monograph::capture::machine
#endif
