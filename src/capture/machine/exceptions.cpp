// Raising, matching and leaving exceptions, and `with`.
#include "capture/machine/registers.h"

#ifdef MONOGRAPH_MACHINE

namespace monograph::capture::machine {
namespace {

// Sets an exception that was raised before, with the traceback it has. Takes `value`.
void restore(PyObject* value) { PyErr_Restore(Py_NewRef(PyExceptionInstance_Class(value)), value, PyException_GetTraceback(value)); }

// The exception of `raise exc`: an instance, called where it is a class. Takes `exc`; null with an exception set.
PyObject* instance_to_raise(PyObject* exc) {
  if (PyExceptionInstance_Check(exc)) return exc;
  PyObject* value = nullptr;
  if (PyExceptionClass_Check(exc)) {
    value = PyObject_CallNoArgs(exc);
    if (value && !PyExceptionInstance_Check(value)) {
      PyErr_Format(PyExc_TypeError, "calling %R should have returned an instance of BaseException, not %R", exc, Py_TYPE(value));
      Py_CLEAR(value);
    }
  } else {
    PyErr_SetString(PyExc_TypeError, "exceptions must derive from BaseException");
  }
  Py_DECREF(exc);
  return value;
}

// Takes `cause`, which is no null.
bool set_cause(PyObject* value, PyObject* cause) {
  if (PyExceptionClass_Check(cause)) {
    PyObject* made = PyObject_CallNoArgs(cause);
    Py_DECREF(cause);
    if (!made) return false;
    cause = made;
  } else if (cause == Py_None) {
    Py_CLEAR(cause);
  } else if (!PyExceptionInstance_Check(cause)) {
    PyErr_SetString(PyExc_TypeError, "exception causes must derive from BaseException");
    Py_DECREF(cause);
    return false;
  }
  PyException_SetCause(value, cause);
  return true;
}

Next raise_again(Registers& r) {
  PyObject* value = _PyErr_GetTopmostException(r.thread)->exc_value;
  if (!value || value == Py_None) {
    PyErr_SetString(PyExc_RuntimeError, "No active exception to reraise");
    return Next::Error;
  }
  restore(Py_NewRef(value));
  return Next::Unwind;
}

bool can_be_caught(PyObject* type) {
  bool good = true;
  if (PyTuple_Check(type)) {
    for (Py_ssize_t i = 0; good && i < PyTuple_GET_SIZE(type); ++i) good = PyExceptionClass_Check(PyTuple_GET_ITEM(type, i));
  } else {
    good = PyExceptionClass_Check(type);
  }
  if (!good) PyErr_SetString(PyExc_TypeError, "catching classes that do not inherit from BaseException is not allowed");
  return good;
}

bool can_be_caught_with_star(PyObject* type) {
  if (!can_be_caught(type)) return false;
  int is_group = 0;
  if (PyTuple_Check(type)) {
    for (Py_ssize_t i = 0; is_group == 0 && i < PyTuple_GET_SIZE(type); ++i)
      is_group = PyObject_IsSubclass(PyTuple_GET_ITEM(type, i), PyExc_BaseExceptionGroup);
  } else {
    is_group = PyObject_IsSubclass(type, PyExc_BaseExceptionGroup);
  }
  if (is_group > 0) PyErr_SetString(PyExc_TypeError, "catching ExceptionGroup with except* is not allowed. Use except instead.");
  return is_group == 0;
}

bool is_exception_or_none(PyObject* value) { return value == Py_None || PyExceptionInstance_Check(value); }

// Splits an exception by `except* type`. Both results are new references, None where there is nothing.
bool split_by_type(PyObject* value, PyObject* type, PyObject*& match, PyObject*& rest) {
  match = rest = nullptr;
  const bool is_group = PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(PyExc_BaseExceptionGroup)) != 0;
  if (value == Py_None) {
    match = Py_NewRef(Py_None);
  } else if (PyErr_GivenExceptionMatches(value, type)) {
    if (is_group) {
      match = Py_NewRef(value);
    } else {
      PyObject* alone = PyTuple_Pack(1, value);
      match = alone ? new_exception_group(alone) : nullptr;
      Py_XDECREF(alone);
    }
  } else if (is_group) {
    PyObject* pair = PyObject_CallMethod(value, "split", "(O)", type);
    if (!pair) return false;
    if (!PyTuple_CheckExact(pair) || PyTuple_GET_SIZE(pair) < 2 || !is_exception_or_none(PyTuple_GET_ITEM(pair, 0)) ||
        !is_exception_or_none(PyTuple_GET_ITEM(pair, 1))) {
      PyErr_Format(PyExc_TypeError, "%.200s.split must return a tuple of two exceptions or None, not %R", Py_TYPE(value)->tp_name, pair);
      Py_DECREF(pair);
      return false;
    }
    match = Py_NewRef(PyTuple_GET_ITEM(pair, 0));
    rest = Py_NewRef(PyTuple_GET_ITEM(pair, 1));
    Py_DECREF(pair);
    return true;
  } else {
    match = Py_NewRef(Py_None);
  }
  if (match) rest = Py_NewRef(Py_None);
  return match != nullptr;
}

// A method of an object's type, bound; null without an exception where there is none.
PyObject* special_method(PyObject* object, const char* name) {
  PyObject* key = PyUnicode_InternFromString(name);
  if (!key) return nullptr;
  PyObject* found = _PyType_Lookup(Py_TYPE(object), key);
  Py_DECREF(key);
  if (!found) return nullptr;
  const descrgetfunc get = Py_TYPE(found)->tp_descr_get;
  return get ? get(found, object, reinterpret_cast<PyObject*>(Py_TYPE(object))) : Py_NewRef(found);
}

}  // namespace

Next raise_varargs(Registers& r, int arg) {
  if (arg == 0) return raise_again(r);
  PyObject* cause = arg == 2 ? r.pop() : nullptr;
  PyObject* value = instance_to_raise(r.pop());
  if (!value) {
    Py_XDECREF(cause);
    return Next::Error;
  }
  if (!cause || set_cause(value, cause)) PyErr_SetObject(PyExceptionInstance_Class(value), value);
  Py_DECREF(value);
  return Next::Error;
}

Next reraise(Registers& r, int arg) {
  if (arg) {
    PyObject* offset = r.peek(arg + 1);
    int overflow = 0;
    const long at = PyLong_Check(offset) ? PyLong_AsLongAndOverflow(offset, &overflow) : -1;
    if (at < 0 || at >= static_cast<long>(r.code->units.size())) return wrong_type(r, "the offset of an instruction"), Next::Error;
    if (!PyExceptionInstance_Check(r.peek(1))) return wrong_type(r, "an exception"), Next::Error;
    r.frame->prev_instr = _PyCode_CODE(r.frame->f_code) + at;
  }
  if (!PyExceptionInstance_Check(r.peek(1))) return wrong_type(r, "an exception"), Next::Error;
  restore(r.pop());
  return Next::Unwind;
}

Next end_async_for(Registers& r) {
  if (!PyExceptionInstance_Check(r.peek(1))) return wrong_type(r, "an exception"), Next::Error;
  PyObject* value = r.pop();
  if (!PyErr_GivenExceptionMatches(value, PyExc_StopAsyncIteration)) {
    restore(value);
    return Next::Unwind;
  }
  Py_DECREF(value);
  r.drop();
  return Next::Go;
}

bool check_exc_match(Registers& r) {
  if (!PyExceptionInstance_Check(r.peek(2))) return wrong_type(r, "an exception");
  PyObject* type = r.pop();
  const bool good = can_be_caught(type);
  if (good) {
    PyObject* value = r.peek(1);
    bool matches = PyErr_GivenExceptionMatches(value, type) != 0;
    if (matches && is_refusal(r, value, r.peek(2))) {
      matches = names_refusals(type);
      if (matches && PyObject_SetAttrString(value, "_is_refusal", Py_False) != 0) forget_error();
    }
    r.push(new_bool(matches));
  }
  Py_DECREF(type);
  return good;
}

bool check_eg_match(Registers& r) {
  if (!is_exception_or_none(r.peek(2))) return wrong_type(r, "an exception");
  PyObject* type = r.pop();
  PyObject* value = r.peek(1);
  PyObject *match = nullptr, *rest = nullptr;
  const bool good = can_be_caught_with_star(type) && split_by_type(value, type, match, rest);
  Py_DECREF(type);
  if (!good) return false;
  r.push(match);
  if (match == Py_None) {
    Py_DECREF(rest);
    return true;
  }
  r.peek(2) = rest;
  PyErr_SetExcInfo(nullptr, Py_NewRef(match), nullptr);
  Py_DECREF(value);
  return true;
}

bool prep_reraise_star(Registers& r) {
  if (!PyList_CheckExact(r.peek(1)) || !PyExceptionInstance_Check(r.peek(2))) return wrong_type(r, "an exception and a list");
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(r.peek(1)); ++i)
    if (!is_exception_or_none(PyList_GET_ITEM(r.peek(1), i))) return wrong_type(r, "a list of exceptions");
  PyObject* raised = r.pop();
  PyObject* original = r.pop();
  PyObject* value = exceptions_to_raise(original, raised);
  Py_DECREF(raised);
  Py_DECREF(original);
  return r.push_checked(value);
}

bool before_with(Registers& r, bool is_async) {
  PyObject* manager = r.peek(1);
  const char* protocol = is_async ? "asynchronous context manager" : "context manager";
  PyObject* enter = special_method(manager, is_async ? "__aenter__" : "__enter__");
  if (!enter) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "'%.200s' object does not support the %s protocol", Py_TYPE(manager)->tp_name, protocol);
    return false;
  }
  PyObject* exit = special_method(manager, is_async ? "__aexit__" : "__exit__");
  if (!exit) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "'%.200s' object does not support the %s protocol (missed %s method)", Py_TYPE(manager)->tp_name,
                   protocol, is_async ? "__aexit__" : "__exit__");
    Py_DECREF(enter);
    return false;
  }
  r.peek(1) = exit;
  Py_DECREF(manager);
  PyObject* result = PyObject_CallNoArgs(enter);
  Py_DECREF(enter);
  return r.push_checked(result);
}

bool with_except_start(Registers& r) {
  // Above the bound __exit__: the offset of the raising instruction, the exception handled before, and this one.
  PyObject* value = r.peek(1);
  if (!PyExceptionInstance_Check(value)) return wrong_type(r, "an exception");
  PyObject* traceback = PyException_GetTraceback(value);
  PyObject* args[] = {nullptr, PyExceptionInstance_Class(value), value, traceback ? traceback : Py_None};
  PyObject* result = PyObject_Vectorcall(r.peek(4), args + 1, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  Py_XDECREF(traceback);
  if (result && is_refusal(r, value, r.peek(2))) Py_SETREF(result, Py_NewRef(Py_False));
  return r.push_checked(result);
}

bool push_exc_info(Registers& r) {
  _PyErr_StackItem* handled = r.thread->exc_info;
  PyObject* value = r.peek(1);
  if (!PyExceptionInstance_Check(value)) return wrong_type(r, "an exception");
  r.peek(1) = handled->exc_value ? handled->exc_value : Py_NewRef(Py_None);
  r.push(Py_NewRef(value));
  handled->exc_value = value;
  return true;
}

bool pop_except(Registers& r) {
  _PyErr_StackItem* handled = r.thread->exc_info;
  PyObject* value = handled->exc_value;
  if (!is_exception_or_none(r.peek(1))) return wrong_type(r, "the exception that was handled before, or None");
  handled->exc_value = r.pop();
  // Behind `except:`, and where a `finally` returns. In front of RERAISE the exception goes on by itself.
  if (value && _Py_OPCODE(*r.next) != RERAISE && is_refusal(r, value, handled->exc_value)) {
    restore(value);
    return false;
  }
  Py_XDECREF(value);
  return true;
}

}  // namespace monograph::capture::machine
#endif
