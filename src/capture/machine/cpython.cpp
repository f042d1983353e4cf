// Functions of CPython 3.11 that it does not export, written again: frames, generators, exception groups (`except*`), signals and pending calls.
#include "capture/machine/cpython.h"

#include "capture/machine/machine.h"

namespace monograph::capture::machine {

bool is_python_class(PyTypeObject* type) {
  // All of them are freed by one function of CPython.
  static PyObject* const example = PyErr_NewException("monograph._C._Example", nullptr, nullptr);
  return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) && example && type->tp_dealloc == reinterpret_cast<PyTypeObject*>(example)->tp_dealloc;
}

bool has_finalizer(PyTypeObject* type) {
  static PyObject* const name = PyUnicode_InternFromString("__del__");
  return type->tp_finalize && is_python_class(type) && _PyType_Lookup(type, name) != nullptr;
}

}  // namespace monograph::capture::machine

#ifdef MONOGRAPH_MACHINE
#include <cstdlib>
#include <cstring>

namespace monograph::capture::machine {
namespace {

// The flag that makes loops look for work, as CPython computes it.
void compute_breaker(PyThreadState* thread) {
  auto& state = thread->interp->ceval;
  auto& runtime = thread->interp->runtime->ceval;
  const bool main = PyThread_get_thread_ident() == thread->interp->runtime->main_thread;
  const bool work = __atomic_load_n(&state.gil_drop_request._value, __ATOMIC_RELAXED) != 0 ||
                    (main && __atomic_load_n(&runtime.signals_pending._value, __ATOMIC_RELAXED) != 0) ||
                    (main && __atomic_load_n(&state.pending.calls_to_do._value, __ATOMIC_RELAXED) != 0) || state.pending.async_exc != 0;
  __atomic_store_n(&state.eval_breaker._value, work ? 1 : 0, __ATOMIC_RELAXED);
}

// The frame object keeps the values of a frame that ends.
void take_over(PyThreadState* thread, PyFrameObject* object, PythonFrame* frame) {
  const auto size = static_cast<size_t>(reinterpret_cast<char*>(&frame->localsplus[frame->stacktop]) - reinterpret_cast<char*>(frame));
  auto* own = reinterpret_cast<PythonFrame*>(object->_f_frame_data);
  std::memcpy(own, frame, size);
  object->f_frame = own;
  own->owner = FRAME_OWNED_BY_FRAME_OBJECT;
  // It may be the frame of a generator that never started: its RESUME counts as run.
  if (is_incomplete(own)) own->prev_instr = _PyCode_CODE(own->f_code) + own->f_code->_co_firsttraceable;
  if (own->previous) object->f_back = PyThreadState_GetFrame(thread);  // the frame has left the chain: its caller is the current one
  own->previous = nullptr;
  auto* tracked = reinterpret_cast<PyObject*>(object);
  if (!PyObject_GC_IsTracked(tracked)) PyObject_GC_Track(tracked);
}

PyObject* new_generator(PyTypeObject* type, PyFunctionObject* function) {
  auto* code = reinterpret_cast<PyCodeObject*>(function->func_code);
  PyGenObject* g = PyObject_GC_NewVar(PyGenObject, type, code->co_nlocalsplus + code->co_stacksize);
  if (!g) return nullptr;
  g->gi_frame_state = FRAME_CLEARED;
  g->gi_code = reinterpret_cast<PyCodeObject*>(Py_NewRef(code));
  g->gi_weakreflist = nullptr;
  g->gi_exc_state = {nullptr, nullptr};
  g->gi_name = Py_NewRef(function->func_name ? function->func_name : code->co_name);
  g->gi_qualname = Py_NewRef(function->func_qualname ? function->func_qualname : g->gi_name);
  g->gi_origin_or_finalizer = nullptr;
  g->gi_hooks_inited = g->gi_closed = g->gi_running_async = 0;
  PyObject_GC_Track(reinterpret_cast<PyObject*>(g));
  return reinterpret_cast<PyObject*>(g);
}

// Where a coroutine was made: (file, line, function) of `depth` frames.
PyObject* coroutine_origin(PythonFrame* frame, int depth) {
  Py_ssize_t count = 0;
  for (PythonFrame* f = frame; f && count < depth; f = f->previous) ++count;
  PyObject* origin = PyTuple_New(count);
  for (Py_ssize_t i = 0; origin && i < count; ++i, frame = frame->previous) {
    PyCodeObject* code = frame->f_code;
    const int line = PyCode_Addr2Line(code, last_instruction(frame) * static_cast<int>(sizeof(CodeUnit)));
    PyObject* item = Py_BuildValue("OiO", code->co_filename, line, code->co_name);
    if (!item) Py_CLEAR(origin);
    else PyTuple_SET_ITEM(origin, i, item);
  }
  return origin;
}

bool is_group(PyObject* o) { return PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(PyExc_BaseExceptionGroup)) != 0; }

// Both were made by splitting one group: they share its traceback, cause, context and notes.
bool same_origin(PyObject* a, PyObject* b) {
  const auto* x = reinterpret_cast<PyBaseExceptionObject*>(a);
  const auto* y = reinterpret_cast<PyBaseExceptionObject*>(b);
  return x->notes == y->notes && x->traceback == y->traceback && x->cause == y->cause && x->context == y->context;
}

bool collect_leaves(PyObject* e, PyObject* ids) {
  if (e == Py_None) return true;
  if (!is_group(e)) {
    PyObject* id = PyLong_FromVoidPtr(e);
    const bool added = id && PySet_Add(ids, id) == 0;
    Py_XDECREF(id);
    return added;
  }
  PyObject* parts = reinterpret_cast<PyBaseExceptionGroupObject*>(e)->excs;
  if (Py_EnterRecursiveCall(" in collect_exception_group_leaf_ids")) return false;
  bool added = true;
  for (Py_ssize_t i = 0; added && i < PyTuple_GET_SIZE(parts); ++i) added = collect_leaves(PyTuple_GET_ITEM(parts, i), ids);
  Py_LeaveRecursiveCall();
  return added;
}

// group.derive(parts), with what belongs to the exception.
PyObject* derive(PyObject* group, PyObject* parts) {
  PyObject* derived = PyObject_CallMethod(group, "derive", "(O)", parts);
  if (!derived) return nullptr;
  if (!is_group(derived)) {
    PyErr_SetString(PyExc_TypeError, "derive must return an instance of BaseExceptionGroup");
    Py_DECREF(derived);
    return nullptr;
  }
  if (PyObject* traceback = PyException_GetTraceback(group)) {
    const int status = PyException_SetTraceback(derived, traceback);
    Py_DECREF(traceback);
    if (status < 0) {
      Py_DECREF(derived);
      return nullptr;
    }
  }
  PyException_SetContext(derived, PyException_GetContext(group));
  PyException_SetCause(derived, PyException_GetCause(group));
  PyObject* notes = nullptr;
  bool good = true;
  PyObject* key = PyUnicode_InternFromString("__notes__");
  if (!key || _PyObject_LookupAttr(group, key, &notes) < 0) good = false;
  if (good && notes && PySequence_Check(notes)) {
    PyObject* copy = PySequence_List(notes);
    good = copy && PyObject_SetAttr(derived, key, copy) == 0;
    Py_XDECREF(copy);
  }
  Py_XDECREF(notes);
  Py_XDECREF(key);
  if (!good) Py_CLEAR(derived);
  return derived;
}

// The part of a group whose leaves are in `ids`; None where there is none.
PyObject* project(PyObject* e, PyObject* ids) {
  if (!is_group(e)) {
    PyObject* id = PyLong_FromVoidPtr(e);
    const int found = id ? PySet_Contains(ids, id) : -1;
    Py_XDECREF(id);
    return found < 0 ? nullptr : Py_NewRef(found ? e : Py_None);
  }
  if (Py_EnterRecursiveCall(" in exceptiongroup_split_recursive")) return nullptr;
  PyObject* parts = reinterpret_cast<PyBaseExceptionGroupObject*>(e)->excs;
  PyObject* kept = PyList_New(0);
  bool good = kept != nullptr;
  for (Py_ssize_t i = 0; good && i < PyTuple_GET_SIZE(parts); ++i) {
    PyObject* part = project(PyTuple_GET_ITEM(parts, i), ids);
    good = part && (part == Py_None || PyList_Append(kept, part) == 0);
    Py_XDECREF(part);
  }
  Py_LeaveRecursiveCall();
  PyObject* result = !good ? nullptr : PyList_GET_SIZE(kept) == 0 ? Py_NewRef(Py_None) : derive(e, kept);
  Py_XDECREF(kept);
  return result;
}

}  // namespace

int handle_pending(PyThreadState* thread) {
  auto& state = thread->interp->ceval;
  const bool signals = __atomic_load_n(&thread->interp->runtime->ceval.signals_pending._value, __ATOMIC_RELAXED) != 0;
  const bool calls = __atomic_load_n(&state.pending.calls_to_do._value, __ATOMIC_RELAXED) != 0;
  if ((signals || calls) && Py_MakePendingCalls() != 0) return -1;
  if (__atomic_load_n(&state.gil_drop_request._value, __ATOMIC_RELAXED) != 0) PyEval_RestoreThread(PyEval_SaveThread());
  if (PyObject* exception = thread->async_exc) {
    thread->async_exc = nullptr;
    state.pending.async_exc = 0;
    compute_breaker(thread);
    PyErr_SetNone(exception);
    Py_DECREF(exception);
    return -1;
  }
  return 0;
}

PythonFrame* new_frame(PyFunctionObject* function) {
  auto* code = reinterpret_cast<PyCodeObject*>(function->func_code);
  const size_t slots = static_cast<size_t>(code->co_nlocalsplus) + static_cast<size_t>(code->co_stacksize);
  auto* frame = static_cast<PythonFrame*>(std::malloc(sizeof(PythonFrame) + slots * sizeof(PyObject*)));
  if (!frame) {
    PyErr_NoMemory();
    return nullptr;
  }
  PyObject* locals = code->co_flags & CO_OPTIMIZED ? nullptr : function->func_globals;
  Py_INCREF(function);
  _PyFrame_InitializeSpecials(frame, function, locals, code->co_nlocalsplus);
  for (int i = 0; i < code->co_nlocalsplus; ++i) frame->localsplus[i] = nullptr;
  return frame;
}

void free_frame(PythonFrame* frame) { std::free(frame); }

void clear_frame(PyThreadState* thread, PythonFrame* frame) {
  if (PyFrameObject* object = frame->frame_obj) {
    frame->frame_obj = nullptr;
    if (Py_REFCNT(object) > 1) {
      take_over(thread, object, frame);
      Py_DECREF(object);
      return;
    }
    Py_DECREF(object);
  }
  for (int i = 0; i < frame->stacktop; ++i) Py_XDECREF(frame->localsplus[i]);
  Py_XDECREF(frame->frame_obj);
  Py_XDECREF(frame->f_locals);
  Py_DECREF(frame->f_func);
  Py_DECREF(frame->f_code);
}

void pop_frame(PyThreadState* thread, PythonFrame* frame) {
  // What runs while values are dropped counts one level deeper, as in CPython.
  --thread->recursion_remaining;
  clear_frame(thread, frame);
  ++thread->recursion_remaining;
  free_frame(frame);
}

PyObject* make_generator(PyThreadState* thread, PythonFrame* frame) {
  PyFunctionObject* function = frame->f_func;
  const int kind = frame->f_code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR);
  PyTypeObject* type = kind == CO_GENERATOR ? &PyGen_Type : kind == CO_ASYNC_GENERATOR ? &PyAsyncGen_Type : &PyCoro_Type;
  PyObject* made = new_generator(type, function);
  if (!made) return nullptr;
  auto* generator = reinterpret_cast<PyGenObject*>(made);
  if (type == &PyCoro_Type && thread->coroutine_origin_tracking_depth > 0) {
    PyObject* origin = coroutine_origin(frame->previous, thread->coroutine_origin_tracking_depth);
    reinterpret_cast<PyCoroObject*>(made)->cr_origin_or_finalizer = origin;
    if (!origin) {
      Py_DECREF(made);
      return nullptr;
    }
  }
  PythonFrame* own = frame_of(generator);
  std::memcpy(own, frame,
              static_cast<size_t>(reinterpret_cast<char*>(&frame->localsplus[frame->stacktop]) - reinterpret_cast<char*>(frame)));
  own->previous = nullptr;
  own->owner = FRAME_OWNED_BY_GENERATOR;
  generator->gi_frame_state = FRAME_CREATED;
  return made;
}

void enter_generator(PyThreadState* thread, PyGenObject* generator) {
  generator->gi_exc_state.previous_item = thread->exc_info;
  thread->exc_info = &generator->gi_exc_state;
  generator->gi_frame_state = FRAME_EXECUTING;
}

void leave_generator(PyThreadState* thread, PyGenObject* generator) {
  thread->exc_info = generator->gi_exc_state.previous_item;
  generator->gi_exc_state.previous_item = nullptr;
}

PyObject* awaitable_iterator(PyObject* o) {
  const auto is_coroutine = [](PyObject* x) {
    return PyCoro_CheckExact(x) ||
           (PyGen_CheckExact(x) && (reinterpret_cast<PyGenObject*>(x)->gi_code->co_flags & CO_ITERABLE_COROUTINE) != 0);
  };
  if (is_coroutine(o)) return Py_NewRef(o);
  PyTypeObject* type = Py_TYPE(o);
  if (!type->tp_as_async || !type->tp_as_async->am_await) {
    PyErr_Format(PyExc_TypeError, "object %.100s can't be used in 'await' expression", type->tp_name);
    return nullptr;
  }
  PyObject* iterator = type->tp_as_async->am_await(o);
  if (!iterator) return nullptr;
  if (is_coroutine(iterator)) PyErr_SetString(PyExc_TypeError, "__await__() returned a coroutine");
  else if (PyIter_Check(iterator)) return iterator;
  else PyErr_Format(PyExc_TypeError, "__await__() returned non-iterator of type '%.100s'", Py_TYPE(iterator)->tp_name);
  Py_DECREF(iterator);
  return nullptr;
}

bool awaits(PyObject* coroutine) {
  auto* generator = reinterpret_cast<PyGenObject*>(coroutine);
  if (generator->gi_frame_state >= FRAME_CLEARED || generator->gi_frame_state == FRAME_CREATED) return false;
  PythonFrame* frame = frame_of(generator);
  // A coroutine waits at the RESUME behind a YIELD_VALUE: its argument tells `yield` (1) from `yield from` (2) and `await` (3).
  const CodeUnit next = frame->prev_instr[1];
  const int opcode = _Py_OPCODE(next);
  return (opcode == RESUME || opcode == RESUME_QUICK) && _Py_OPARG(next) >= 2;
}

PyObject* wrap_async_value(PyObject* value) {
  struct Wrapped {  // _PyAsyncGenWrappedValue
    PyObject_HEAD PyObject* value;
  };
  Wrapped* w = PyObject_GC_New(Wrapped, &_PyAsyncGenWrappedValue_Type);
  if (!w) return nullptr;
  w->value = Py_NewRef(value);
  PyObject_GC_Track(reinterpret_cast<PyObject*>(w));
  return reinterpret_cast<PyObject*>(w);
}

PyObject* new_exception_group(PyObject* exceptions) { return PyObject_CallFunction(PyExc_BaseExceptionGroup, "sO", "", exceptions); }

PyObject* exceptions_to_raise(PyObject* original, PyObject* raised) {
  const Py_ssize_t count = PyList_GET_SIZE(raised);
  if (count == 0) return Py_NewRef(Py_None);
  // A plain exception was wrapped into a group: one clause at most ran.
  if (!is_group(original)) return Py_NewRef(PyList_GET_ITEM(raised, 0));
  PyObject* fresh = PyList_New(0);  // raised in the clauses; the others were not handled
  PyObject* ids = PySet_New(nullptr);
  bool good = fresh && ids;
  for (Py_ssize_t i = 0; good && i < count; ++i) {
    PyObject* e = PyList_GET_ITEM(raised, i);
    if (e == Py_None) continue;
    good = same_origin(e, original) ? collect_leaves(e, ids) : PyList_Append(fresh, e) == 0;
  }
  PyObject* rest = good ? project(original, ids) : nullptr;
  PyObject* result = nullptr;
  if (rest && PyList_GET_SIZE(fresh) == 0) {
    result = Py_NewRef(rest);
  } else if (rest && (rest == Py_None || PyList_Append(fresh, rest) == 0)) {
    result = PyList_GET_SIZE(fresh) > 1 ? new_exception_group(fresh) : Py_NewRef(PyList_GET_ITEM(fresh, 0));
  }
  Py_XDECREF(rest);
  Py_XDECREF(fresh);
  Py_XDECREF(ids);
  return result;
}

PyObject* builtin(const char* name) { return PyDict_GetItemString(PyModule_GetDict(PyImport_AddModule("builtins")), name); }

std::string running_local(const std::function<bool(PyObject*)>& accepts) {
  const PythonFrame* frame = PyThreadState_Get()->cframe->current_frame;
  if (!frame || _PyFrame_IsIncomplete(const_cast<PythonFrame*>(frame))) return {};
  const PyCodeObject* code = frame->f_code;
  for (int k = 0; k < code->co_nlocalsplus; ++k) {
    PyObject* value = frame->localsplus[k];
    const char kind = PyBytes_AS_STRING(code->co_localspluskinds)[k];
    if (value && (kind & (CO_FAST_CELL | CO_FAST_FREE)) && PyCell_Check(value)) value = PyCell_GET(value);
    if (!value || !accepts(value)) continue;
    const char* name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(code->co_localsplusnames, k));
    if (!name) PyErr_Clear();
    return name ? name : "";
  }
  return {};
}

bool runs_binary_operator() {
  const PythonFrame* frame = PyThreadState_Get()->cframe->current_frame;
  if (!frame || _PyFrame_IsIncomplete(const_cast<PythonFrame*>(frame))) return false;
  const CodeUnit* at = frame->prev_instr;  // it may stand at the instruction's cache
  while (at > _PyCode_CODE(frame->f_code) && _Py_OPCODE(*at) == CACHE) --at;
  const int opcode = _Py_OPCODE(*at);
  return opcode == BINARY_OP || opcode == BINARY_OP_ADAPTIVE;
}

}  // namespace monograph::capture::machine
#else
namespace monograph::capture::machine {

std::string running_local(const std::function<bool(PyObject*)>& accepts) {
  PyObject *locals = PyEval_GetLocals(), *name = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; locals && PyDict_Check(locals) && PyDict_Next(locals, &at, &name, &value);)
    if (PyUnicode_Check(name) && accepts(value)) return PyUnicode_AsUTF8(name) ? PyUnicode_AsUTF8(name) : "";
  PyErr_Clear();
  return {};
}
bool runs_binary_operator() { return false; }

}  // namespace monograph::capture::machine
#endif
