// Symbolic traces whose branches and loops the machine keeps: proxy_forks.cpp.
#pragma once

#include <Python.h>

namespace monograph::python {

void init_proxy_forks(PyObject* module);
void init_value_regions(PyObject* module);  // value_regions.cpp

}  // namespace monograph::python
