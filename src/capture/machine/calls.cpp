// Calls, and the frames of Python functions.
#include "capture/machine/code.h"
#include "capture/machine/registers.h"

#ifdef MONOGRAPH_MACHINE
#include <algorithm>
#include <vector>

namespace monograph::capture::machine {
namespace {

PyCodeObject* code_of(PyFunctionObject* function) { return reinterpret_cast<PyCodeObject*>(function->func_code); }

// Most calls: no keywords, no *args, no **kwargs; what is missing has a default.
bool is_simple_call(PyFunctionObject* function, Py_ssize_t count, PyObject* keywords) {
  PyCodeObject* code = code_of(function);
  if (keywords || (code->co_flags & (CO_VARARGS | CO_VARKEYWORDS)) || code->co_kwonlyargcount > 0 || count > code->co_argcount)
    return false;
  const Py_ssize_t defaults = function->func_defaults ? PyTuple_GET_SIZE(function->func_defaults) : 0;
  return code->co_argcount - count <= defaults;
}

// The frame takes the references to the arguments.
PythonFrame* bind_simple(PyFunctionObject* function, PyObject* const* args, Py_ssize_t count) {
  PythonFrame* frame = new_frame(function);
  if (!frame) return nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) frame->localsplus[i] = args[i];
  const Py_ssize_t all = code_of(function)->co_argcount;
  for (Py_ssize_t i = count; i < all; ++i)
    frame->localsplus[i] = Py_NewRef(PyTuple_GET_ITEM(function->func_defaults, PyTuple_GET_SIZE(function->func_defaults) - (all - i)));
  return frame;
}

// The parameter that a keyword names, -1 for none, -2 with an exception set.
Py_ssize_t parameter_of(PyCodeObject* code, PyObject* keyword) {
  const Py_ssize_t end = code->co_argcount + code->co_kwonlyargcount;
  PyObject** names = &PyTuple_GET_ITEM(code->co_localsplusnames, 0);
  for (Py_ssize_t i = code->co_posonlyargcount; i < end; ++i)
    if (names[i] == keyword) return i;
  for (Py_ssize_t i = code->co_posonlyargcount; i < end; ++i) {
    const int equal = PyObject_RichCompareBool(keyword, names[i], Py_EQ);
    if (equal != 0) return equal < 0 ? -2 : i;
  }
  return -1;
}

bool fill_keywords(PyCodeObject* code, PyObject** locals, PyObject* rest, PyObject* const* values, PyObject* keywords) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keywords); ++i) {
    PyObject* keyword = PyTuple_GET_ITEM(keywords, i);
    if (!PyUnicode_Check(keyword)) return false;
    const Py_ssize_t parameter = parameter_of(code, keyword);
    if (parameter >= 0) {
      if (locals[parameter]) return false;
      locals[parameter] = Py_NewRef(values[i]);
    } else if (parameter == -2 || !rest || PyDict_SetItem(rest, keyword, values[i]) < 0) {
      return false;
    }
  }
  return true;
}

bool fill_defaults(PyFunctionObject* function, PyObject** locals) {
  PyCodeObject* code = code_of(function);
  const Py_ssize_t defaults = function->func_defaults ? PyTuple_GET_SIZE(function->func_defaults) : 0;
  for (Py_ssize_t i = 0; i < code->co_argcount; ++i) {
    if (locals[i]) continue;
    const Py_ssize_t at = i - (code->co_argcount - defaults);
    if (at < 0) return false;
    locals[i] = Py_NewRef(PyTuple_GET_ITEM(function->func_defaults, at));
  }
  for (Py_ssize_t i = code->co_argcount; i < code->co_argcount + code->co_kwonlyargcount; ++i) {
    if (locals[i]) continue;
    PyObject* name = PyTuple_GET_ITEM(code->co_localsplusnames, i);
    PyObject* value = function->func_kwdefaults ? PyDict_GetItemWithError(function->func_kwdefaults, name) : nullptr;
    if (!value) return false;
    locals[i] = Py_NewRef(value);
  }
  return true;
}

bool fill(PyFunctionObject* function, PyObject** locals, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  PyCodeObject* code = code_of(function);
  const Py_ssize_t named = code->co_argcount + code->co_kwonlyargcount;
  const Py_ssize_t taken = count < code->co_argcount ? count : code->co_argcount;
  const bool has_rest = (code->co_flags & CO_VARARGS) != 0;
  if (count > taken && !has_rest) return false;
  PyObject* rest = nullptr;
  if (code->co_flags & CO_VARKEYWORDS) {
    rest = PyDict_New();
    if (!rest) return false;
    locals[named + (has_rest ? 1 : 0)] = rest;
  }
  for (Py_ssize_t i = 0; i < taken; ++i) locals[i] = Py_NewRef(args[i]);
  if (has_rest) {
    PyObject* more = PyTuple_New(count - taken);
    if (!more) return false;
    for (Py_ssize_t i = taken; i < count; ++i) PyTuple_SET_ITEM(more, i - taken, Py_NewRef(args[i]));
    locals[named] = more;
  }
  if (keywords && !fill_keywords(code, locals, rest, args + count, keywords)) return false;
  return fill_defaults(function, locals);
}

// Puts a frame on top of the running one, which goes on behind `r.next` when it returns.
Next enter(Registers& r, PythonFrame* frame) {
  r.frame->stacktop = static_cast<int>(r.top - r.frame->localsplus);
  r.frame->prev_instr = _PyCode_CODE(r.frame->f_code) + r.offset() - 1;
  frame->previous = r.frame;
  r.c_frame->current_frame = frame;
  return Next::Enter;
}

Next call_native(Registers& r, int total, int below, PyObject* function, Py_ssize_t positional, PyObject* keywords) {
  PyObject** args = r.top - total;
  const NativeCall call(function);
  PyObject* result = r.c_frame->use_tracing
                         ? traced_vectorcall(r.thread, function, args, positional, keywords)
                         : PyObject_Vectorcall(function, args, static_cast<size_t>(positional) | PY_VECTORCALL_ARGUMENTS_OFFSET, keywords);
  for (int i = 0; !result && i < total; ++i) mark_refusal(r, {args[i]});
  Py_DECREF(function);
  r.top = args;
  for (int i = 0; i < total; ++i) Py_DECREF(args[i]);
  r.top -= below;
  r.push(result);
  if (!result) return Next::Error;
  r.next += caches::kCall;
  return Next::Go;
}

// f(*args, **kwargs) of a Python function, or of a method with its `self`; null where CPython must do it, which then may raise.
PythonFrame* bind_tuple_and_dict(PyFunctionObject* function, PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject** items = &PyTuple_GET_ITEM(args, 0);
  Py_ssize_t count = PyTuple_GET_SIZE(args);
  if (!self && (!kwargs || PyDict_GET_SIZE(kwargs) == 0)) return bind_arguments(function, items, count, nullptr);
  std::vector<PyObject*> all(items, items + count);
  if (self) all.insert(all.begin(), self), ++count;
  if (!kwargs || PyDict_GET_SIZE(kwargs) == 0) return bind_arguments(function, all.data(), count, nullptr);
  PyObject* names = PyTuple_New(PyDict_GET_SIZE(kwargs));
  if (!names) return nullptr;
  PyObject *key = nullptr, *value = nullptr;
  bool texts = true;
  Py_ssize_t at = 0;
  for (Py_ssize_t i = 0; PyDict_Next(kwargs, &at, &key, &value); ++i) {
    texts = texts && PyUnicode_Check(key);
    PyTuple_SET_ITEM(names, i, Py_NewRef(key));
    all.push_back(value);
  }
  PythonFrame* frame = texts ? bind_arguments(function, all.data(), count, names) : nullptr;
  Py_DECREF(names);
  return frame;
}

// *args of a call as a tuple; takes `args`.
PyObject* as_tuple(PyObject* function, PyObject* args) {
  if (PyTuple_CheckExact(args)) return args;
  PyObject* tuple = nullptr;
  if (Py_TYPE(args)->tp_iter || PySequence_Check(args)) {
    tuple = PySequence_Tuple(args);
  } else {
    PyErr_Clear();
    if (PyObject* name = _PyObject_FunctionStr(function)) {
      PyErr_Format(PyExc_TypeError, "%U argument after * must be an iterable, not %.200s", name, Py_TYPE(args)->tp_name);
      Py_DECREF(name);
    }
  }
  Py_DECREF(args);
  return tuple;
}

}  // namespace

PythonFrame* bind_arguments(PyFunctionObject* function, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  PythonFrame* frame = new_frame(function);
  if (!frame || fill(function, frame->localsplus, args, count, keywords)) return frame;
  pop_frame(PyThreadState_Get(), frame);
  return nullptr;
}

void raise_keywords_error(PyObject* function, PyObject* keywords) {
  if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Clear();
    if (PyObject* name = _PyObject_FunctionStr(function)) {
      PyErr_Format(PyExc_TypeError, "%U argument after ** must be a mapping, not %.200s", name, Py_TYPE(keywords)->tp_name);
      Py_DECREF(name);
    }
    return;
  }
  if (!PyErr_ExceptionMatches(PyExc_KeyError)) return;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (!value || !PyTuple_Check(value) || PyTuple_GET_SIZE(value) != 1) {
    PyErr_Restore(type, value, traceback);
    return;
  }
  if (PyObject* name = _PyObject_FunctionStr(function)) {
    PyErr_Format(PyExc_TypeError, "%U got multiple values for keyword argument '%S'", name, PyTuple_GET_ITEM(value, 0));
    Py_DECREF(name);
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
}

void precall(Registers& r, int arg) {
  PyObject* function = r.peek(arg + 1);
  if (!r.peek(arg + 2) && Py_IS_TYPE(function, &PyMethod_Type)) {
    r.peek(arg + 1) = Py_NewRef(PyMethod_GET_SELF(function));
    r.peek(arg + 2) = Py_NewRef(PyMethod_GET_FUNCTION(function));
    Py_DECREF(function);
  }
  r.next += caches::kPrecall;
}

// The __call__ of an object's class, if that is a Python function which the loop may enter; else null.
static PyFunctionObject* python_call_of(const Registers& r, PyObject* object) {
  if (!r.hook || !r.hook->watcher || !r.hook->watcher->enters_objects || r.calls_natively) return nullptr;
  PyTypeObject* type = Py_TYPE(object);
  if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || (type->tp_flags & Py_TPFLAGS_HAVE_VECTORCALL) || PyType_Check(object)) return nullptr;
  static PyObject* const name = PyUnicode_InternFromString("__call__");
  PyObject* found = name ? _PyType_Lookup(type, name) : nullptr;
  return found && Py_IS_TYPE(found, &PyFunction_Type) ? reinterpret_cast<PyFunctionObject*>(found) : nullptr;
}

// A frame for object(*args) by the __call__ of its class; null where CPython must make the call.
static PythonFrame* bind_object(PyFunctionObject* function, PyObject* object, PyObject* const* args, Py_ssize_t positional,
                                PyObject* keywords) {
  std::vector<PyObject*> all{object};
  all.insert(all.end(), args, args + positional + (keywords ? PyTuple_GET_SIZE(keywords) : 0));
  return bind_arguments(function, all.data(), positional + 1, keywords);
}

Next call(Registers& r, int arg) {
  const bool is_method = r.peek(arg + 2) != nullptr;
  const int total = arg + (is_method ? 1 : 0), below = is_method ? 1 : 2;
  PyObject* function = r.peek(total + 1);
  PyObject* keywords = r.keywords;
  r.keywords = nullptr;
  const Py_ssize_t positional = total - (keywords ? PyTuple_GET_SIZE(keywords) : 0);
  if (positional < (is_method ? 1 : 0)) return wrong_type(r, "a value for each keyword"), Next::Error;
  if (PyFunctionObject* method = python_call_of(r, function)) {
    PythonFrame* frame = bind_object(method, function, r.top - total, positional, keywords);
    if (!frame) return PyErr_Occurred() ? Next::Error : call_native(r, total, below, function, positional, keywords);
    for (int i = 0; i < total; ++i) r.drop();
    r.top -= below;
    Py_DECREF(function);
    r.next += caches::kCall;
    return enter(r, frame);
  }
  if (!Py_IS_TYPE(function, &PyFunction_Type) || r.calls_natively || runs_natively(code_of(reinterpret_cast<PyFunctionObject*>(function))))
    return call_native(r, total, below, function, positional, keywords);
  auto* python = reinterpret_cast<PyFunctionObject*>(function);
  PyObject** args = r.top - total;
  PythonFrame* frame;
  if (is_simple_call(python, positional, keywords)) {
    frame = bind_simple(python, args, positional);
  } else {
    frame = bind_arguments(python, args, positional, keywords);
    if (frame)
      for (int i = 0; i < total; ++i) Py_DECREF(args[i]);
  }
  if (!frame) return PyErr_Occurred() ? Next::Error : call_native(r, total, below, function, positional, keywords);
  r.top = args - below;
  Py_DECREF(function);
  r.next += caches::kCall;
  return enter(r, frame);
}

Next call_function_ex(Registers& r, int arg) {
  PyObject* kwargs = arg & 1 ? r.pop() : nullptr;
  if (kwargs && !PyDict_CheckExact(kwargs)) {
    PyObject* dict = PyDict_New();
    if (dict && _PyDict_MergeEx(dict, kwargs, 2) < 0) {
      Py_CLEAR(dict);
      raise_keywords_error(r.peek(2), kwargs);
    }
    Py_DECREF(kwargs);
    if (!dict) return Next::Error;
    kwargs = dict;
  }
  PyObject* args = r.pop();
  PyObject* function = r.peek(1);
  args = as_tuple(function, args);
  if (!args) {
    Py_XDECREF(kwargs);
    return Next::Error;
  }
  PythonFrame* frame = nullptr;
  PyObject* result = nullptr;
  PyObject* self = Py_IS_TYPE(function, &PyMethod_Type) ? PyMethod_GET_SELF(function) : nullptr;
  PyObject* called = self ? PyMethod_GET_FUNCTION(function) : function;
  if (PyFunctionObject* method = python_call_of(r, function)) self = function, called = reinterpret_cast<PyObject*>(method);
  auto* python = Py_IS_TYPE(called, &PyFunction_Type) ? reinterpret_cast<PyFunctionObject*>(called) : nullptr;
  if (python && !r.calls_natively && !runs_natively(code_of(python))) frame = bind_tuple_and_dict(python, self, args, kwargs);
  if (!frame && !PyErr_Occurred()) {
    const NativeCall call(function);
    result = r.c_frame->use_tracing ? traced_call(r.thread, function, args, kwargs) : PyObject_Call(function, args, kwargs);
    if (!result) mark_refusal(r, {args, kwargs});
  }
  Py_DECREF(function);
  Py_DECREF(args);
  Py_XDECREF(kwargs);
  --r.top;  // the null below the function is where the result goes
  if (frame) {
    --r.top;
    return enter(r, frame);
  }
  r.peek(1) = result;
  return result ? Next::Go : Next::Error;
}

static bool is_closure_of(PyFunctionObject* function, PyObject* cells) {
  if (!PyTuple_CheckExact(cells) || PyTuple_GET_SIZE(cells) != code_of(function)->co_nfreevars) return false;
  return std::all_of(&PyTuple_GET_ITEM(cells, 0), &PyTuple_GET_ITEM(cells, 0) + PyTuple_GET_SIZE(cells),
                     [](PyObject* cell) { return PyCell_Check(cell) != 0; });
}

bool make_function(Registers& r, int arg) {
  if (!PyCode_Check(r.peek(1))) return wrong_type(r, "a code object");
  PyObject* code = r.pop();
  auto* function = reinterpret_cast<PyFunctionObject*>(PyFunction_New(code, r.frame->f_globals));
  Py_DECREF(code);
  if (!function) return false;
  int at = 1;
  bool good = true;
  if (arg & 8) good = is_closure_of(reinterpret_cast<PyFunctionObject*>(function), r.peek(at)), ++at;
  if (arg & 4) good = good && PyTuple_CheckExact(r.peek(at)), ++at;
  if (arg & 2) good = good && PyDict_CheckExact(r.peek(at)), ++at;
  if (arg & 1) good = good && PyTuple_CheckExact(r.peek(at));
  if (!good) {
    Py_DECREF(function);
    return wrong_type(r, "tuples and a dict of defaults, annotations and cells");
  }
  if (arg & 8) function->func_closure = r.pop();
  if (arg & 4) function->func_annotations = r.pop();
  if (arg & 2) function->func_kwdefaults = r.pop();
  if (arg & 1) function->func_defaults = r.pop();
  r.push(reinterpret_cast<PyObject*>(function));
  return true;
}

bool print_expression(Registers& r) {
  PyObject* value = r.pop();
  PyObject* hook = PySys_GetObject("displayhook");
  PyObject* result = nullptr;
  if (hook) result = PyObject_CallOneArg(hook, value);
  else PyErr_SetString(PyExc_RuntimeError, "lost sys.displayhook");
  Py_DECREF(value);
  Py_XDECREF(result);
  return result != nullptr;
}

}  // namespace monograph::capture::machine
#endif
