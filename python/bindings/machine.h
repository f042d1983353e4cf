// The capture machine in Python: machine.cpp.
#pragma once

#include <Python.h>

namespace monograph::python {

void init_machine(PyObject* module);

}  // namespace monograph::python
