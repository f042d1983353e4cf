// monograph.Program: what Graph.build() makes. Immutable; any number of threads may call one.
#include <pthread.h>

#include <atomic>
#include <memory>

#include "core/background.h"
#include "core/interrupt.h"
#include "exec/interpreter.h"
#include "graph.h"

namespace monograph::python {
namespace {

// Python runs its handlers of signals in its main thread alone, which is the only one after a fork.
std::atomic<unsigned long> g_main_thread = 0;
void note_main_thread() {
  const nb::object ident = nb::module_::import_("threading").attr("main_thread")().attr("ident");
  g_main_thread = nb::cast<unsigned long>(ident);
  pthread_atfork(nullptr, nullptr, [] { g_main_thread = PyThread_get_thread_ident(); });
}

// Ctrl-C while a graph's loop runs, or a pass: Python's handlers run, and what they raise ends it. A thread that has no GIL does not wait for it; one that has it
// lets others run if it may, as CPython does between instructions. A pass may hold a lock that the GIL's owner waits for, so it never waits for the GIL.
void check_interrupts(AtInterrupt may) {
  if (!Py_IsInitialized()) return;
  const bool held = PyGILState_Check() != 0;
  if (may == AtInterrupt::OnlyLook && !held) return;
  if (may == AtInterrupt::LetOthersRun && held) {
    const nb::gil_scoped_release others;
  }
  if (PyThread_get_thread_ident() != g_main_thread) return;
  const nb::gil_scoped_acquire gil;
  check(PyErr_CheckSignals());
}

PyTypeObject g_program_type = make_type("monograph.Program", 0);

struct ProgramObject {
  PyObject_HEAD std::shared_ptr<const exec::Executable> run;
};
const exec::Executable& program_of(PyObject* o) { return *reinterpret_cast<ProgramObject*>(o)->run; }

void program_dealloc(PyObject* self) {
  std::destroy_at(&reinterpret_cast<ProgramObject*>(self)->run);
  Py_TYPE(self)->tp_free(self);
}

PyObject* program_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guard([&] {
    MONOGRAPH_CHECK(!kwargs || PyDict_GET_SIZE(kwargs) == 0, Type, "a Program takes its inputs by position, as its graph has them");
    return run_plan(program_of(self), args);
  });
}

// {"kernels": fused kernels, "fused": operators in them, "calls": operators called one by one, "why": why a group found no compiler}
PyObject* program_report(PyObject* self, PyObject*) {
  return guard([&] {
    exec::Executable::Report r = program_of(self).report();
    nb::dict d;
    d["kernels"] = nb::int_(r.kernels), d["fused"] = nb::int_(r.fused), d["calls"] = nb::int_(r.calls);
    d["why"] = to_python(r.why);
    return d.release().ptr();
  });
}

PyObject* program_repr(PyObject* self) {
  return guard([&] {
    exec::Executable::Report r = program_of(self).report();
    return to_python(concat("<Program: ", r.fused, " operators in ", r.kernels, " kernels, ", r.calls, " called>")).release().ptr();
  });
}

PyObject* program_str(PyObject* self) {
  return guard([&] { return to_python(program_of(self).to_string()).release().ptr(); });
}

PyMethodDef program_methods[] = {{"report", program_report, METH_NOARGS,
                                  "How many compiled kernels it runs, the operators in them, and the operators called one by one."},
                                 {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_program(PyObject* module) {
  note_main_thread();
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    const nb::gil_scoped_release others;
    wait_for_background();
  }));
  set_interrupt_check(check_interrupts);
  PyTypeObject& p = g_program_type;
  p.tp_basicsize = sizeof(ProgramObject);
  p.tp_dealloc = program_dealloc, p.tp_call = program_call, p.tp_repr = program_repr, p.tp_str = program_str;
  p.tp_methods = program_methods;
  add_type(module, p);
  nb::handle(module).attr("_build") = nb::cpp_function([](nb::handle graph) {
    auto run = std::make_shared<const exec::Executable>(exec::build(graph_of(graph.ptr())));
    nb::object made = check(g_program_type.tp_alloc(&g_program_type, 0));
    new (&reinterpret_cast<ProgramObject*>(made.ptr())->run) std::shared_ptr<const exec::Executable>(std::move(run));
    return made;
  });
}

}  // namespace monograph::python
