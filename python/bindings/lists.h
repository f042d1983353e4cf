// Lists whose length a captured program computes: monograph/_lists.py on lists.cpp.
#pragma once

#include "python.h"

namespace monograph::python {

// Whether it is the object that stands for such a list, and its items: a value of the graph, or a plain list once its length was asked for.
bool is_carried_list(PyObject* o);
// The method of list for which a method of CarriedList stands; null for anything else.
nb::object method_of_lists(PyObject* function);
nb::object items_of_carried(PyObject* list);

void init_lists(PyObject* module);

}  // namespace monograph::python
