// Entry and exit of the machine: a run sets CPython's frame hook and calls the function. Every frame that the call starts in this thread then runs in the
// machine's loop.
#include "capture/machine/machine.h"

#include "capture/machine/code.h"
#include "capture/machine/forks.h"
#include "capture/machine/loop.h"
#include "capture/machine/made.h"

namespace monograph::capture::machine {

#ifdef MONOGRAPH_MACHINE
namespace {

thread_local int t_runs = 0;  // run() calls of this thread that have not returned
thread_local JumpHook* t_hook = nullptr;
thread_local JumpHook* t_run_hook = nullptr;  // of the innermost run()

// Of the process, under the GIL: how many threads are inside of run(), and who ran frames before the first of them.
int g_threads = 0;
_PyFrameEvalFunction g_before = nullptr;

// CPython calls this for each frame that C code starts or resumes.
PyObject* evaluate_frame(PyThreadState* thread, PythonFrame* frame, int throwing) {
  // What runs while a watcher ends the run, a finalizer or the callback of a weak reference, is no part of it.
  JumpHook* hook = nullptr;
  return runs_here(hook) && !runs_natively(frame->f_code) ? evaluate(thread, frame, throwing != 0, hook)
                                                          : g_before(thread, frame, throwing);
}

// The frames of this thread run in the machine as long as one lives.
class Run {
 public:
  explicit Run(JumpHook* hook) : hook_(t_hook), run_hook_(t_run_hook) {
    t_hook = t_run_hook = hook;
    if (t_runs++ > 0 || g_threads++ > 0) return;
    PyInterpreterState* interpreter = PyInterpreterState_Get();
    g_before = _PyInterpreterState_GetEvalFrameFunc(interpreter);
    _PyInterpreterState_SetEvalFrameFunc(interpreter, evaluate_frame);
  }
  ~Run() {
    t_hook = hook_, t_run_hook = run_hook_;
    if (--t_runs > 0 || --g_threads > 0) return;
    // Somebody may have set another one meanwhile: then it stays.
    PyInterpreterState* interpreter = PyInterpreterState_Get();
    if (_PyInterpreterState_GetEvalFrameFunc(interpreter) == evaluate_frame) _PyInterpreterState_SetEvalFrameFunc(interpreter, g_before);
  }
  Run(const Run&) = delete;

 private:
  JumpHook *hook_, *run_hook_;
};

}  // namespace

bool runs_here(JumpHook*& hook) {
  hook = t_hook;
  return t_runs > 0 && !(t_hook && t_hook->watcher && t_hook->watcher->ending);
}

Unwatched::Unwatched() : hook_(std::exchange(t_hook, nullptr)) {}
Unwatched::~Unwatched() { t_hook = hook_; }
Watched::Watched() : hook_(std::exchange(t_hook, t_run_hook)) {}
Watched::~Watched() { t_hook = hook_; }

bool supported() { return true; }

PyObject* run(PyObject* function, PyObject* args, PyObject* kwargs, JumpHook* hook) {
  const Run running(hook);
  return PyObject_Call(function, args, kwargs);
}

namespace {

class ForkingHook : public JumpHook {
 public:
  explicit ForkingHook(Forks* engine) { forks = engine; }
  Answer at_jump(const Jump& jump) override {
    switch (jump.opcode) {
      case FOR_ITER:
      case POP_JUMP_FORWARD_IF_NONE:
      case POP_JUMP_FORWARD_IF_NOT_NONE:
      case POP_JUMP_BACKWARD_IF_NONE:
      case POP_JUMP_BACKWARD_IF_NOT_NONE: return Answer::Ask;
      default:
        if (jump.value == Py_True || jump.value == Py_False) return Answer::Ask;
        if (!forks->belongs_to_program(jump.globals)) return is_check_of_elements(jump) ? Answer::Fork : Answer::Ask;
        switch (forks->asked(jump.value)) {
          case 0: return Answer::False;
          case 1: return Answer::True;
          case 2: return Answer::Fork;
          default: return Answer::Error;
        }
    }
  }

 private:
  // A library's check of what elements decide, such as the size of a mask that the program has computed: where it fails, it raises. In the graph it is a check, too.
  bool is_check_of_elements(const Jump& jump) {
    const bool symbolic = !PyLong_Check(jump.value) && !PyFloat_Check(jump.value) && forks->recorder().is_leaf(jump.value);
    if (!symbolic || !forks->recorder().has_example()) return false;
    const CodeFlow* flow = forks->flow(jump.code);
    return flow && flow->one_way_raises(jump.offset + 1) && forks->recorder().asks_elements(jump.value);
  }
};

}  // namespace

PyObject* run_with_forks(PyObject* function, PyObject* args, ForkRecorder& recorder, Watcher* watcher) {
  static PyObject* const abort = PyErr_NewException("monograph._C._WayGivenUp", PyExc_BaseException, nullptr);
  if (!abort) return nullptr;
  Forks forks(recorder, abort);
  ForkingHook hook(&forks);
  hook.watcher = watcher;
  const PausedCollector pause;
  return run(function, args, nullptr, &hook);
}

PyObject* run_watched(PyObject* function, PyObject* args, PyObject* kwargs, Watcher& watcher) {
  struct Asking : JumpHook {
    Answer at_jump(const Jump&) override { return Answer::Ask; }
  } asking;
  JumpHook* hook = t_hook ? t_hook : &asking;
  Watcher* const outer = std::exchange(hook->watcher, &watcher);
  PyObject* result = run(function, args, kwargs, hook);
  hook->watcher = outer;
  return result;
}

void place_recursion(const std::string& place) {
  if (!PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_RecursionError)) return;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  auto* args =
      value && PyErr_GivenExceptionMatches(value, PyExc_RecursionError) ? reinterpret_cast<PyBaseExceptionObject*>(value)->args : nullptr;
  PyObject* text = args && PyTuple_GET_SIZE(args) == 1 ? PyTuple_GET_ITEM(args, 0) : nullptr;
  if (text && PyUnicode_Check(text) && PyUnicode_FindChar(text, '\n', 0, PyUnicode_GET_LENGTH(text), 1) == -1) {
    PyObject* placed = Py_BuildValue("(N)", PyUnicode_FromFormat("%U\n  at %s", text, place.c_str()));
    if (placed) Py_SETREF(reinterpret_cast<PyBaseExceptionObject*>(value)->args, placed);
    else PyErr_Clear();
  }
  PyErr_Restore(type, value, traceback);
}

PyObject* bytecode_error() {
  // Whoever asks may have an exception under way, and Python makes no class then.
  static PyObject* const type = [] {
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    PyObject* made = PyErr_NewException("monograph._C.BytecodeError", PyExc_SystemError, nullptr);
    if (!made) PyErr_Clear();
    PyErr_Restore(kind, value, trace);
    return made ? made : PyExc_SystemError;
  }();
  return type;
}

bool check_code(PyObject* code) {
  if (PyCode_Check(code)) return info_of(reinterpret_cast<PyCodeObject*>(code)) != nullptr;
  PyErr_Format(PyExc_TypeError, "expected a code object, but got %.100s", Py_TYPE(code)->tp_name);
  return false;
}

#else
namespace {

bool raise_unsupported() {
  PyErr_Format(PyExc_RuntimeError, "The capture machine runs the code of Python 3.11, but this is Python %d.%d.", PY_MAJOR_VERSION,
               PY_MINOR_VERSION);
  return false;
}

}  // namespace

Unwatched::Unwatched() : hook_(nullptr) {}
Unwatched::~Unwatched() = default;
Watched::Watched() : hook_(nullptr) {}
Watched::~Watched() = default;

bool supported() { return false; }
PyObject* bytecode_error() { return PyExc_SystemError; }
void place_recursion(const std::string&) {}
bool check_code(PyObject*) { return raise_unsupported(); }
bool run_natively(PyObject*) { return true; }

PyObject* run(PyObject*, PyObject*, PyObject*, JumpHook*) {
  raise_unsupported();
  return nullptr;
}

PyObject* run_with_forks(PyObject*, PyObject*, ForkRecorder&, Watcher*) {
  raise_unsupported();
  return nullptr;
}

PyObject* run_watched(PyObject*, PyObject*, PyObject*, Watcher&) {
  raise_unsupported();
  return nullptr;
}

int64_t frame_count() { return 0; }
void set_stand_in(bool (*)(PyObject*)) {}
PyObject* native_callee() { return nullptr; }

#endif

}  // namespace monograph::capture::machine
