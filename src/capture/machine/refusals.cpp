// What a capture refuses is not the program's to catch: an exception that the program itself would not have got is marked, and passes its handlers.
#include <algorithm>
#include <span>
#include <string_view>

#include "capture/machine/registers.h"

#ifdef MONOGRAPH_MACHINE

namespace monograph::capture::machine {
namespace {

constexpr char kRefusal[] = "_is_refusal";
bool (*g_stands_in)(PyObject*) = nullptr;
thread_local PyObject* t_callee = nullptr;

// An exception, or a class of exceptions, that a capture raises where it cannot record something.
bool is_marked(PyObject* object) {
  PyObject* mark = PyObject_GetAttrString(object, kRefusal);
  if (!mark) forget_error();
  Py_XDECREF(mark);
  return mark == Py_True;
}

// Whether the object, or a part of it, stands for a value of the graph.
bool holds_stand_in(PyObject* o, int depth = 0) {
  constexpr int kDepth = 3;
  constexpr Py_ssize_t kParts = 1'000;
  if (!o) return false;
  if (g_stands_in(o)) return true;
  if (PySlice_Check(o)) {
    const auto* slice = reinterpret_cast<PySliceObject*>(o);
    return g_stands_in(slice->start) || g_stands_in(slice->stop) || g_stands_in(slice->step);
  }
  if (depth == kDepth) return false;
  const auto holds = [&](PyObject* part) { return holds_stand_in(part, depth + 1); };
  if (PyTuple_Check(o)) return std::any_of(&PyTuple_GET_ITEM(o, 0), &PyTuple_GET_ITEM(o, 0) + std::min(PyTuple_GET_SIZE(o), kParts), holds);
  if (PyList_Check(o)) {
    PyObject** items = reinterpret_cast<PyListObject*>(o)->ob_item;
    return std::any_of(items, items + std::min(PyList_GET_SIZE(o), kParts), holds);
  }
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  for (Py_ssize_t k = 0; PyDict_Check(o) && k < kParts && PyDict_Next(o, &at, &key, &value); ++k)
    if (holds(value)) return true;
  return false;
}

}  // namespace

void set_stand_in(bool (*stands_in)(PyObject*)) { g_stands_in = stands_in; }

PyObject* native_callee() { return t_callee; }
NativeCall::NativeCall(PyObject* callee) : before_(t_callee) { t_callee = callee; }
NativeCall::~NativeCall() { t_callee = before_; }

// Python code that the call runs in its turn knows itself what it raises: its frames are in the traceback.
void mark_refusal(const Registers& r, std::initializer_list<PyObject*> operands) {
  if (!r.hook || !g_stands_in || !PyErr_ExceptionMatches(PyExc_TypeError)) return;
  if (std::none_of(operands.begin(), operands.end(), [](PyObject* o) { return holds_stand_in(o); })) return;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (!traceback && value && !PyObject_HasAttrString(value, kRefusal) && PyObject_SetAttrString(value, kRefusal, Py_True) != 0)
    forget_error();
  PyErr_Restore(type, value, traceback);
}

bool is_marked_refusal(PyObject* exception) {
  constexpr int kDepth = 8;
  PyObject* at = Py_NewRef(exception);
  bool found = false;
  for (int k = 0; at && !found && k < kDepth; ++k) {
    found = is_marked(at);
    PyObject* context = PyExceptionInstance_Check(at) ? PyException_GetContext(at) : nullptr;
    Py_DECREF(at);
    at = context;
  }
  Py_XDECREF(at);
  return found;
}

// Whether a capture has raised this, or what it was raised behind, because it cannot record something. The program itself would not have got it. What was
// handled before the program's `try` began (`before`, or None) is no part of that: it is the context of every exception of the program.
bool is_refusal(const Registers& r, PyObject* value, PyObject* before) {
  constexpr int kDepth = 8;
  if (!r.hook || !PyExceptionInstance_Check(value)) return false;
  PyObject* module = PyDict_Check(r.frame->f_globals) ? PyDict_GetItemString(r.frame->f_globals, "__name__") : nullptr;
  const char* name = module && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : nullptr;
  const std::string_view of = name ? name : "";
  if (starts_with_package(of)) return false;  // these know what they catch
  PyObject* at = Py_NewRef(value);
  bool found = false;
  for (int k = 0; at && at != before && !found && k < kDepth; ++k) {
    found = is_marked(at);
    PyObject* context = PyException_GetContext(at);
    Py_DECREF(at);
    at = context;
  }
  Py_XDECREF(at);
  return found;
}

// `except TraceError` is ready for it.
bool names_refusals(PyObject* type) {
  if (!PyTuple_Check(type)) return is_marked(type);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type); ++i)
    if (is_marked(PyTuple_GET_ITEM(type, i))) return true;
  return false;
}

}  // namespace monograph::capture::machine
#endif
