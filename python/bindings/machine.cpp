// _machine_run: Python code in the capture machine. Private: for tests, and for the captures to come.
#include "machine.h"

#include <string>

#include "capture/machine/machine.h"
#include "effects.h"
#include "forks.h"
#include "graph.h"
#include "proxy_forks.h"
#include "python.h"
#include "symbolic.h"

namespace monograph::python {
namespace {

using capture::machine::Jump;
using capture::machine::JumpHook;

// Asks a Python function at each jump: on_jump(code, offset, opcode, value) -> None, or the bool that the condition counts as.
class PythonJumpHook : public JumpHook {
 public:
  explicit PythonJumpHook(nb::handle function) : function_(function) {}
  Answer at_jump(const Jump& jump) override {
    if (asking_) return Answer::Ask;  // the function's own jumps
    asking_ = true;
    PyObject* answer = PyObject_CallFunction(function_.ptr(), "OiiO", jump.code, jump.offset, jump.opcode, jump.value);
    asking_ = false;
    if (!answer) return Answer::Error;
    const Answer result = answer == Py_True ? Answer::True : answer == Py_False ? Answer::False : Answer::Ask;
    Py_DECREF(answer);
    return result;
  }

 private:
  nb::handle function_;
  bool asking_ = false;
};

}  // namespace

void init_machine(PyObject* module) {
  nb::handle m(module);
  init_forks(module);
  init_effects(module);
  init_proxy_forks(module);
  init_value_regions(module);
  m.attr("_machine_run") = nb::cpp_function(
      [](nb::handle function, nb::tuple args, nb::handle kwargs, nb::handle on_jump) {
        MONOGRAPH_CHECK(kwargs.is_none() || PyDict_Check(kwargs.ptr()), Type, "_machine_run expects a dict of keyword arguments, but got ",
                        type_name(kwargs.ptr()));
        PythonJumpHook hook(on_jump);
        return check(capture::machine::run(function.ptr(), args.ptr(), kwargs.is_none() ? nullptr : kwargs.ptr(),
                                           on_jump.is_none() ? nullptr : &hook));
      },
      nb::arg("function"), nb::arg("args"), nb::arg("kwargs") = nb::none(), nb::arg("on_jump") = nb::none());
  m.attr("_machine_check") = nb::cpp_function([](nb::handle code) {
    if (!capture::machine::check_code(code.ptr())) raise_set();
  });
  // _natively(function): a decorator of functions that are no part of any program.
  m.attr("_natively") = nb::cpp_function([](nb::object function) {
    if (!capture::machine::run_natively(nb::object(function.attr("__code__")).ptr())) raise_set();
    return function;
  });
  // The function in C that the program in the machine calls just now; None where it runs its own code, or does not run in the machine.
  m.attr("_native_callee") = nb::cpp_function([] {
    PyObject* callee = capture::machine::native_callee();
    return callee ? nb::borrow(callee) : nb::object(nb::none());
  });
  capture::machine::set_stand_in([](PyObject* o) { return is_symbolic(o) || Py_TYPE(o) == &g_symtext_type || is_proxy(o); });
  m.attr("_machine_frame_count") = nb::cpp_function([] { return capture::machine::frame_count(); });
  m.attr("_machine_supported") = nb::cpp_function([] { return capture::machine::supported(); });
}

}  // namespace monograph::python
