// What a break knows of the frames that stand there.
#pragma once

#include "capture/machine/standing.h"
#include "compile.h"

namespace monograph::python::compiled {

struct Break {
#ifdef MONOGRAPH_MACHINE
  capture::machine::Standing standing;
#endif
};

const Break& break_of(PyObject* rest);  // of rest_of()

// Takes the exception that is set, and gives its class and words. `own`: where it is true, whether the program itself would have got the exception, too.
// `of_operator`: the first error that an operator has raised.
std::string text_of_error(bool& own, std::string_view of_operator);

// Whether the exception that is set says that a backend has raised an error. That is no reason to run the function without it.
inline bool is_failure_of_backend() {
  PyObject* home = PyDict_GetItemString(PyImport_GetModuleDict(), "monograph._dynamo.exc");
  PyObject* type = home ? PyDict_GetItemString(PyModule_GetDict(home), "BackendCompilerFailed") : nullptr;
  return type && PyErr_ExceptionMatches(type);
}

}  // namespace monograph::python::compiled
