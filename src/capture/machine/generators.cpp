// Generators, coroutines and asynchronous iteration.
#include "capture/machine/forks.h"
#include "capture/machine/registers.h"

#ifdef MONOGRAPH_MACHINE
#include <utility>
#include <vector>

namespace monograph::capture::machine {
namespace {

// What CPython makes of a StopIteration that leaves a generator.
void convert_stop_iteration(PyGenObject* generator) {
  auto* object = reinterpret_cast<PyObject*>(generator);
  const char* message = nullptr;
  if (PyErr_ExceptionMatches(PyExc_StopIteration))
    message = PyCoro_CheckExact(object) ? "coroutine raised StopIteration" : "generator raised StopIteration";
  if (message) _PyErr_FormatFromCause(PyExc_RuntimeError, "%s", message);
}

// The result of one step as PyIter_Send gives it, under a debugger: with the events that its methods make.
PySendResult send_traced(Registers& r, PyObject* receiver, PyObject* value, PyObject** result) {
  *result = value == Py_None && PyIter_Check(receiver) ? Py_TYPE(receiver)->tp_iternext(receiver)
                                                       : PyObject_CallMethod(receiver, "send", "(O)", value);
  if (*result) return PYGEN_NEXT;
  if (r.thread->c_tracefunc && PyErr_ExceptionMatches(PyExc_StopIteration)) trace_exception(r.thread, r.frame);
  return _PyGen_FetchStopIterationValue(result) == 0 ? PYGEN_RETURN : PYGEN_ERROR;
}

}  // namespace

void raise_as_generator() {
  if (PyErr_ExceptionMatches(PyExc_StopIteration)) _PyErr_FormatFromCause(PyExc_RuntimeError, "%s", "generator raised StopIteration");
}

bool get_aiter(Registers& r) {
  PyObject* object = r.pop();
  PyTypeObject* type = Py_TYPE(object);
  const unaryfunc get = type->tp_as_async ? type->tp_as_async->am_aiter : nullptr;
  if (!get) {
    PyErr_Format(PyExc_TypeError, "'async for' requires an object with __aiter__ method, got %.100s", type->tp_name);
    Py_DECREF(object);
    return false;
  }
  PyObject* iterator = get(object);
  Py_DECREF(object);
  if (!iterator) return false;
  PyTypeObject* own = Py_TYPE(iterator);
  if (!own->tp_as_async || !own->tp_as_async->am_anext) {
    PyErr_Format(PyExc_TypeError, "'async for' received an object from __aiter__ that does not implement __anext__: %.100s", own->tp_name);
    Py_DECREF(iterator);
    return false;
  }
  r.push(iterator);
  return true;
}

bool get_anext(Registers& r) {
  PyObject* iterator = r.peek(1);
  PyTypeObject* type = Py_TYPE(iterator);
  const unaryfunc get = type->tp_as_async ? type->tp_as_async->am_anext : nullptr;
  if (PyAsyncGen_CheckExact(iterator)) return r.push_checked(get(iterator));
  if (!get) {
    PyErr_Format(PyExc_TypeError, "'async for' requires an iterator with __anext__ method, got %.100s", type->tp_name);
    return false;
  }
  PyObject* next = get(iterator);
  if (!next) return false;
  PyObject* awaitable = awaitable_iterator(next);
  if (!awaitable)
    _PyErr_FormatFromCause(PyExc_TypeError, "'async for' received an invalid object from __anext__: %.100s", Py_TYPE(next)->tp_name);
  Py_DECREF(next);
  return r.push_checked(awaitable);
}

bool get_awaitable(Registers& r, int arg) {
  PyObject* object = r.pop();
  PyTypeObject* type = Py_TYPE(object);
  PyObject* iterator = awaitable_iterator(object);
  if (!iterator && (arg == 1 || arg == 2) && (!type->tp_as_async || !type->tp_as_async->am_await))
    PyErr_Format(PyExc_TypeError, "'async with' received an object from %s that does not implement __await__: %.100s",
                 arg == 1 ? "__aenter__" : "__aexit__", type->tp_name);
  Py_DECREF(object);
  if (iterator && PyCoro_CheckExact(iterator) && awaits(iterator)) {
    Py_CLEAR(iterator);
    PyErr_SetString(PyExc_RuntimeError, "coroutine is being awaited already");
  }
  return r.push_checked(iterator);
}

bool get_yield_from_iter(Registers& r) {
  PyObject* iterable = r.peek(1);
  if (PyCoro_CheckExact(iterable)) {
    if (r.frame->f_code->co_flags & (CO_COROUTINE | CO_ITERABLE_COROUTINE)) return true;
    r.drop();
    PyErr_SetString(PyExc_TypeError, "cannot 'yield from' a coroutine object in a non-coroutine generator");
    return false;
  }
  if (PyGen_CheckExact(iterable)) return true;
  PyObject* iterator = PyObject_GetIter(iterable);
  r.pop();
  Py_DECREF(iterable);
  return r.push_checked(iterator);
}

bool async_gen_wrap(Registers& r) {
  PyObject* wrapped = wrap_async_value(r.peek(1));
  return wrapped && r.set_top(wrapped);
}

bool enter_if_possible(Registers& r, PyObject* generator, PyObject* value) {
  if (r.c_frame->use_tracing || r.calls_natively) return false;  // a debugger is told of StopIteration, which only CPython's own way makes
  auto* g = reinterpret_cast<PyGenObject*>(generator);
  if (g->gi_frame_state >= FRAME_EXECUTING || (g->gi_frame_state == FRAME_CREATED && value != Py_None)) return false;
  PythonFrame* frame = frame_of(g);
  frame->localsplus[frame->stacktop++] = value;
  frame->previous = r.frame;
  frame->is_entry = false;
  r.frame->stacktop = static_cast<int>(r.top - r.frame->localsplus);
  enter_generator(r.thread, g);
  r.c_frame->current_frame = frame;
  return true;
}

void finish_generator(Registers& r, PythonFrame* frame, bool raised) {
  PyGenObject* generator = generator_of(frame);
  generator->gi_frame_state = FRAME_COMPLETED;
  leave_generator(r.thread, generator);
  frame->previous = nullptr;
  if (raised) convert_stop_iteration(generator);
  Py_CLEAR(generator->gi_exc_state.exc_value);
  generator->gi_frame_state = FRAME_CLEARED;
  clear_frame(r.thread, frame);
}

Next send(Registers& r, int arg) {
  PyObject* receiver = r.peek(2);
  const PyAsyncMethods* async = Py_TYPE(receiver)->tp_as_async;
  if (!PyIter_Check(receiver) && !(async && async->am_send)) return wrong_type(r, "an iterator"), Next::Error;
  PyObject* value = r.pop();
  if ((PyGen_CheckExact(receiver) || PyCoro_CheckExact(receiver)) && enter_if_possible(r, receiver, value)) return Next::Enter;
  PyObject* result = nullptr;
  const PySendResult status = r.thread->c_tracefunc ? send_traced(r, receiver, value, &result) : PyIter_Send(receiver, value, &result);
  Py_DECREF(value);
  if (status == PYGEN_ERROR) return Next::Error;
  if (status == PYGEN_RETURN) {
    r.peek(1) = result;
    Py_DECREF(receiver);
    r.next += arg;
  } else {
    r.push(result);
  }
  return Next::Go;
}

Next for_iter(Registers& r, int arg) {
  PyObject* iterator = r.peek(1);
  if (PyGen_CheckExact(iterator)) {
    if (enter_if_possible(r, iterator, Py_None)) {
      Py_INCREF(Py_None);
      return Next::Enter;
    }
  }
  const iternextfunc step = Py_TYPE(iterator)->tp_iternext;
  if (!step) return wrong_type(r, "an iterator"), Next::Error;
  if (PyObject* next = step(iterator)) {
    r.push(next);
    return Next::Go;
  }
  if (PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_StopIteration)) return Next::Error;
    if (r.thread->c_tracefunc) trace_exception(r.thread, r.frame);
    PyErr_Clear();
  }
  r.drop();
  r.next += arg;
  return Next::Go;
}

// --- The state of a generator as a tuple: where it stands, its function, and what its frame holds. Empty of one that has ended.

namespace {

constexpr Py_ssize_t kBeforeSlots = 3;

// What stands for a slot that is not set.
PyObject* unset() {
  static PyObject* const object = PyObject_CallNoArgs(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
  return object;
}

bool has_ended(const PyGenObject* g) { return g->gi_frame_state >= FRAME_COMPLETED; }

// Iterators on its stack, as of a `for`, become copies, which stand where these stand.
PyObject* copy_of_slot(const PythonFrame* frame, int k) {
  PyObject* value = frame->localsplus[k];
  const bool moves = k >= frame->f_code->co_nlocalsplus && value && PyIter_Check(value) && !PyGen_CheckExact(value);
  return value ? moves ? copy_iterator(value) : Py_NewRef(value) : Py_NewRef(unset());
}

}  // namespace

bool has_generator_state(PyObject* o) {
  if (!PyGen_CheckExact(o)) return false;
  auto* g = reinterpret_cast<PyGenObject*>(o);
  if (has_ended(g)) return true;
  if (g->gi_frame_state == FRAME_EXECUTING || g->gi_exc_state.exc_value) return false;
  const PythonFrame* frame = frame_of(g);
  if (frame->f_locals || (frame->frame_obj && Py_REFCNT(frame->frame_obj) > 1)) return false;  // somebody else looks at the frame
  if (frame->f_func->func_code != reinterpret_cast<PyObject*>(frame->f_code)) return false;  // its function has other code by now
  for (int k = 0; k < frame->stacktop; ++k) {
    PyObject* copy = copy_of_slot(frame, k);
    if (!copy) return PyErr_Clear(), false;
    Py_DECREF(copy);
  }
  return true;
}

PyObject* copy_generator_state(PyObject* generator) {
  auto* g = reinterpret_cast<PyGenObject*>(generator);
  if (has_ended(g)) return PyTuple_New(0);
  PythonFrame* frame = frame_of(g);
  PyObject* state = PyTuple_New(kBeforeSlots + frame->stacktop);
  if (!state) return nullptr;
  PyTuple_SET_ITEM(state, 0, PyLong_FromLong(last_instruction(frame)));
  PyTuple_SET_ITEM(state, 1, PyLong_FromLong(g->gi_frame_state));
  PyTuple_SET_ITEM(state, 2, Py_NewRef(reinterpret_cast<PyObject*>(frame->f_func)));
  for (int k = 0; k < frame->stacktop; ++k) {
    PyObject* value = copy_of_slot(frame, k);
    if (!value) return Py_DECREF(state), nullptr;
    PyTuple_SET_ITEM(state, kBeforeSlots + k, value);
  }
  return state;
}

bool set_generator_state(PyObject* generator, PyObject* state) {
  auto* g = reinterpret_cast<PyGenObject*>(generator);
  PythonFrame* frame = frame_of(g);
  const bool ended = has_ended(g);
  if (!PyTuple_GET_SIZE(state)) {
    if (ended) return true;
    g->gi_frame_state = FRAME_CLEARED;
    clear_frame(PyThreadState_Get(), frame);
    return true;
  }
  std::vector<PyObject*> old;  // what goes, goes when the frame is whole again
  if (!ended) old.assign(frame->localsplus, frame->localsplus + frame->stacktop);
  else {
    auto* function = reinterpret_cast<PyFunctionObject*>(Py_NewRef(PyTuple_GET_ITEM(state, 2)));
    _PyFrame_InitializeSpecials(frame, function, nullptr, reinterpret_cast<PyCodeObject*>(function->func_code)->co_nlocalsplus);
    frame->previous = nullptr, frame->is_entry = true, frame->owner = FRAME_OWNED_BY_GENERATOR;
  }
  frame->stacktop = static_cast<int>(PyTuple_GET_SIZE(state) - kBeforeSlots);
  for (int k = 0; k < frame->stacktop; ++k) {
    PyObject* value = PyTuple_GET_ITEM(state, kBeforeSlots + k);
    frame->localsplus[k] = value == unset() ? nullptr : Py_NewRef(value);
  }
  frame->prev_instr = _PyCode_CODE(frame->f_code) + PyLong_AsLong(PyTuple_GET_ITEM(state, 0));
  g->gi_frame_state = static_cast<int8_t>(PyLong_AsLong(PyTuple_GET_ITEM(state, 1)));
  for (PyObject* value : old) Py_XDECREF(value);
  return true;
}

}  // namespace monograph::capture::machine
#endif
