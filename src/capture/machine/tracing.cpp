// The events of sys.settrace and sys.setprofile, as CPython's loop makes them.
#include "capture/machine/cpython.h"
#include "capture/machine/machine.h"

#ifdef MONOGRAPH_MACHINE

namespace monograph::capture::machine {
namespace {

int line_of(PythonFrame* frame, int offset) { return PyCode_Addr2Line(frame->f_code, offset * static_cast<int>(sizeof(CodeUnit))); }

// The object of the current frame, borrowed.
PyFrameObject* object_of(PyThreadState* thread, PythonFrame* frame) {
  if (!frame->frame_obj) Py_XDECREF(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(thread)));
  return frame->frame_obj;
}

// A tracer that has read frame.f_locals leaves a dict that holds the program's values beside its variables: a list that only they hold would seem to be known
// elsewhere. The dict is made anew when it is read again, unless somebody holds it, or has put other names into it.
void forget_locals_read(PythonFrame* frame) {
  PyCodeObject* code = frame->f_code;
  if (!frame->f_locals || !(code->co_flags & CO_OPTIMIZED) || Py_REFCNT(frame->f_locals) > 1 || !PyDict_CheckExact(frame->f_locals)) return;
  Py_ssize_t at = 0;
  PyObject* name = nullptr;
  while (PyDict_Next(frame->f_locals, &at, &name, nullptr)) {
    const int known = PySequence_Contains(code->co_localsplusnames, name);
    if (known < 0) PyErr_Clear();
    if (known != 1) return;
  }
  Py_CLEAR(frame->f_locals);
}

bool call_tracer(Py_tracefunc tracer, PyObject* self, PyThreadState* thread, PythonFrame* frame, int event, PyObject* arg) {
  if (thread->tracing) return true;
  PyFrameObject* object = object_of(thread, frame);
  if (!object) return false;
  const int before = thread->tracing_what;
  thread->tracing_what = event;
  PyThreadState_EnterTracing(thread);
  object->f_lineno = line_of(frame, last_instruction(frame));
  const Unwatched unwatched;  // a debugger or profiler is no part of the program
  const int status = tracer(self, object, event, arg);
  object->f_lineno = 0;
  PyThreadState_LeaveTracing(thread);
  thread->tracing_what = before;
  if (status == 0) forget_locals_read(frame);
  return status == 0;
}

// The exception that is set survives, unless the tracer raises another one.
bool call_tracer_protected(Py_tracefunc tracer, PyObject* self, PyThreadState* thread, PythonFrame* frame, int event, PyObject* arg) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (call_tracer(tracer, self, thread, frame, event, arg)) {
    PyErr_Restore(type, value, traceback);
    return true;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  return false;
}

bool tell_both(PyThreadState* thread, PythonFrame* frame, int event, PyObject* arg) {
  if (thread->c_tracefunc && !call_tracer_protected(thread->c_tracefunc, thread->c_traceobj, thread, frame, event, arg)) return false;
  if (thread->c_profilefunc && !call_tracer_protected(thread->c_profilefunc, thread->c_profileobj, thread, frame, event, arg)) return false;
  return true;
}

// Runs a call of a C function between the events of sys.setprofile.
template <class Call>
PyObject* with_profile(PyThreadState* thread, PyObject* function, Call&& make_call) {
  if (!thread->c_profilefunc) return make_call();
  const auto tell = [&](int event) {
    PythonFrame* frame = thread->cframe->current_frame;
    if (event == PyTrace_C_EXCEPTION)
      return call_tracer_protected(thread->c_profilefunc, thread->c_profileobj, thread, frame, event, function);
    return call_tracer(thread->c_profilefunc, thread->c_profileobj, thread, frame, event, function);
  };
  if (!tell(PyTrace_C_CALL)) return nullptr;
  PyObject* result = make_call();
  if (!thread->c_profilefunc) return result;
  if (!result) tell(PyTrace_C_EXCEPTION);
  else if (!tell(PyTrace_C_RETURN)) Py_CLEAR(result);
  return result;
}

bool is_c_function(PyObject* o) { return PyCFunction_CheckExact(o) || PyCMethod_CheckExact(o); }

// A method of a C type bound to its first argument: what the profiler is told.
PyObject* bound(PyObject* method, PyObject* self) {
  return Py_TYPE(method)->tp_descr_get(method, self, reinterpret_cast<PyObject*>(Py_TYPE(self)));
}

}  // namespace

bool trace_call(PyThreadState* thread, PythonFrame* frame) { return tell_both(thread, frame, PyTrace_CALL, Py_None); }

bool trace_return(PyThreadState* thread, PythonFrame* frame, PyObject* result) { return tell_both(thread, frame, PyTrace_RETURN, result); }

void trace_exception(PyThreadState* thread, PythonFrame* frame) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (!value) value = Py_NewRef(Py_None);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyObject* arg = PyTuple_Pack(3, type, value, traceback ? traceback : Py_None);
  if (arg && !call_tracer(thread->c_tracefunc, thread->c_traceobj, thread, frame, PyTrace_EXCEPTION, arg)) {
    Py_DECREF(arg);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return;
  }
  Py_XDECREF(arg);
  PyErr_Restore(type, value, traceback);
}

bool trace_line(PyThreadState* thread, PythonFrame* frame, int previous) {
  const int now = last_instruction(frame);
  const int last_line = previous <= frame->f_code->_co_firsttraceable ? -1 : line_of(frame, previous);
  const int line = line_of(frame, now);
  PyFrameObject* object = object_of(thread, frame);
  if (!object) return false;
  bool good = true;
  if (line != -1 && object->f_trace_lines) {
    // A jump back is a new line too, but not the one of the loop of `yield from`.
    const bool back = now < previous && _Py_OPCODE(*frame->prev_instr) != SEND;
    if (line != last_line || back) good = call_tracer(thread->c_tracefunc, thread->c_traceobj, thread, frame, PyTrace_LINE, Py_None);
  }
  if (good && object->f_trace_opcodes) good = call_tracer(thread->c_tracefunc, thread->c_traceobj, thread, frame, PyTrace_OPCODE, Py_None);
  return good;
}

PyObject* traced_vectorcall(PyThreadState* thread, PyObject* function, PyObject** args, Py_ssize_t count, PyObject* names) {
  if (is_c_function(function))
    return with_profile(thread, function, [&] { return PyObject_Vectorcall(function, args, static_cast<size_t>(count), names); });
  if (Py_IS_TYPE(function, &PyMethodDescr_Type) && count > 0) {
    PyObject* method = bound(function, args[0]);
    if (!method) return nullptr;
    PyObject* result =
        with_profile(thread, method, [&] { return PyObject_Vectorcall(method, args + 1, static_cast<size_t>(count - 1), names); });
    Py_DECREF(method);
    return result;
  }
  return PyObject_Vectorcall(function, args, static_cast<size_t>(count) | PY_VECTORCALL_ARGUMENTS_OFFSET, names);
}

PyObject* traced_call(PyThreadState* thread, PyObject* function, PyObject* args, PyObject* kwargs) {
  if (is_c_function(function)) return with_profile(thread, function, [&] { return PyObject_Call(function, args, kwargs); });
  const Py_ssize_t count = PyTuple_GET_SIZE(args);
  if (Py_IS_TYPE(function, &PyMethodDescr_Type) && count > 0) {
    PyObject* method = bound(function, PyTuple_GET_ITEM(args, 0));
    if (!method) return nullptr;
    PyObject** rest = &PyTuple_GET_ITEM(args, 0) + 1;
    PyObject* result =
        with_profile(thread, method, [&] { return PyObject_VectorcallDict(method, rest, static_cast<size_t>(count - 1), kwargs); });
    Py_DECREF(method);
    return result;
  }
  return PyObject_Call(function, args, kwargs);
}

}  // namespace monograph::capture::machine
#endif
