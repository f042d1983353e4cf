// What monograph._C tells profilers.
#pragma once

#include "python.h"

namespace monograph::python {

void init_profiler(PyObject* module);

}  // namespace monograph::python
