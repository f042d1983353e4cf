// Captures whose branches the machine keeps: forks.cpp.
#pragma once

#include <Python.h>

#include "capture/machine/machine.h"

namespace monograph::python {

// function(*args) in the capture machine, of which the running capture keeps branches on its values. `watcher`: sees what its frames do. A new reference, or null with an exception set.
PyObject* run_keeping(PyObject* function, PyObject* args, capture::machine::Watcher* watcher = nullptr);

void init_forks(PyObject* module);

}  // namespace monograph::python
