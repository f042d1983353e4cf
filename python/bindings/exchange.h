// Memory shared with NumPy and other libraries, without copies. The side that borrows keeps the owner alive.
#pragma once

#include "core/tensor.h"
#include "python.h"

namespace monograph::python {

bool is_numpy_array(PyObject* o);  // false, without importing it, where NumPy is not loaded
Tensor from_numpy(PyObject* array);
nb::object to_numpy(const Tensor& t, bool force);
nb::object to_dlpack(const Tensor& t);
Tensor from_dlpack(PyObject* source);
void init_exchange(PyObject* module);

}  // namespace monograph::python
