// What the machine takes from CPython's internals. No other file includes its internal headers.
//
// They are needed for the struct of a frame, for the flag that signals set, and for the hook through which C code enters the machine. Functions that
// CPython does not export are written again in cpython.cpp.
#pragma once

#define PY_SSIZE_T_CLEAN
#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#endif
#include <Python.h>

#include <string_view>

namespace monograph::capture::machine {

// Whether a class statement made the class, so that the code of its methods is Python's. What it derives from may be C's.
bool is_python_class(PyTypeObject* type);
// Whether a module of this name is Monograph's own.
inline bool starts_with_package(std::string_view name) { return name == "monograph" || name.starts_with("monograph."); }
// Whether such a class has a __del__.
bool has_finalizer(PyTypeObject* type);

}  // namespace monograph::capture::machine

#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000
#define MONOGRAPH_MACHINE 1
// C's atomics are no C++: the compiler's own ones serve instead.
#undef HAVE_STD_ATOMIC
#undef _PyGC_FINALIZED  // pycore_gc.h defines it again
#include <frameobject.h>
#include <internal/pycore_ceval.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#include <opcode.h>

#include <cstdint>

namespace monograph::capture::machine {

using PythonFrame = _PyInterpreterFrame;
using CodeUnit = _Py_CODEUNIT;

inline bool breaker_set(PyThreadState* thread) {
  return __atomic_load_n(&thread->interp->ceval.eval_breaker._value, __ATOMIC_RELAXED) != 0;
}
// Signals, pending calls, other threads that wait for the GIL, and exceptions that other threads set in this one.
int handle_pending(PyThreadState* thread);

// One Python call more; false with RecursionError set. Each is undone by leave_call(), also where it failed.
inline bool enter_call(PyThreadState* thread) {
  if (!_Py_EnterRecursiveCallTstate(thread, "")) return true;
  --thread->recursion_remaining;
  return false;
}
inline void leave_call(PyThreadState* thread) { ++thread->recursion_remaining; }

// The frame has not reached its first RESUME: it is in no traceback.
inline bool is_incomplete(PythonFrame* frame) { return _PyFrame_IsIncomplete(frame); }
inline PyGenObject* generator_of(PythonFrame* frame) { return _PyFrame_GetGenerator(frame); }
inline PythonFrame* frame_of(PyGenObject* generator) { return reinterpret_cast<PythonFrame*>(generator->gi_iframe); }
inline int last_instruction(PythonFrame* frame) { return _PyInterpreterFrame_LASTI(frame); }
inline PyObject** stack_base(PythonFrame* frame) { return _PyFrame_Stackbase(frame); }

// A frame of a function whose locals are unset; null with MemoryError set. The frame takes a new reference to the function.
PythonFrame* new_frame(PyFunctionObject* function);
// Its memory, no more. It is no memory of Python's, so tracemalloc does not see it, as it does not see CPython's frames.
void free_frame(PythonFrame* frame);
// Gives up what a frame holds. If somebody still has its frame object, that takes the values over. The frame is no longer in the chain.
void clear_frame(PyThreadState* thread, PythonFrame* frame);
// clear_frame(), and the memory of a frame of new_frame().
void pop_frame(PyThreadState* thread, PythonFrame* frame);
// The generator, coroutine or asynchronous generator of a frame at RETURN_GENERATOR. It takes the frame's values; the frame's memory stays.
PyObject* make_generator(PyThreadState* thread, PythonFrame* frame);

// How a frame that runs a generator is put onto the thread's stack of handled exceptions, and taken from it.
void enter_generator(PyThreadState* thread, PyGenObject* generator);
void leave_generator(PyThreadState* thread, PyGenObject* generator);

// `await o`: its iterator, a new reference.
PyObject* awaitable_iterator(PyObject* o);
// Whether a coroutine that is not running awaits something.
bool awaits(PyObject* coroutine);
PyObject* wrap_async_value(PyObject* value);
// What an `except*` statement raises in the end: those of `raised` that were not handled. A new reference.
PyObject* exceptions_to_raise(PyObject* original, PyObject* raised);
PyObject* new_exception_group(PyObject* exceptions);

// What the module `builtins` has under this name, borrowed. PyEval_GetBuiltins() gives those of the running frame, and the __new__ of a namedtuple has none.
PyObject* builtin(const char* name);
// Whether `import` means CPython's own function.
inline bool is_own_import(PyThreadState* thread, PyObject* function) { return function == thread->interp->import_func; }

// Events of sys.settrace and sys.setprofile. They return false with an exception set.
bool trace_call(PyThreadState* thread, PythonFrame* frame);
bool trace_return(PyThreadState* thread, PythonFrame* frame, PyObject* result);
void trace_exception(PyThreadState* thread, PythonFrame* frame);
// The line and opcode events before the instruction at frame->prev_instr; `previous` ran before it.
bool trace_line(PyThreadState* thread, PythonFrame* frame, int previous);
// A call of a C function under sys.setprofile.
PyObject* traced_vectorcall(PyThreadState* thread, PyObject* function, PyObject** args, Py_ssize_t count, PyObject* names);
PyObject* traced_call(PyThreadState* thread, PyObject* function, PyObject* args, PyObject* kwargs);

}  // namespace monograph::capture::machine
#endif
