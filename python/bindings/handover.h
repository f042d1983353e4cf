// Calls that go to a TorchFunctionMode or to the __torch_function__ of a type, with the details of PyTorch.
#pragma once

#include "builtin.h"
#include "python.h"

namespace monograph::python {

// Members of a tensor (tensor_members.cpp): whether a mode, or the tensor's class, takes them over, and such a call.
bool hands_over(PyObject* self);
nb::object hand_over(PyObject* function, PyObject* const* args, Py_ssize_t n, PyObject* names,
                     KeywordDict keywords = KeywordDict::WhereGiven);
// The answer to a protocol of Python, such as "__len__"; not a valid object where nobody takes it over.
nb::object handed_over_protocol(PyObject* self, const char* name, PyObject* const* args, Py_ssize_t n);

// The tables of tensor.cpp, whose entries a mode or a subclass takes over; and a bound method that it takes over.
PyGetSetDef* asking_attributes(PyGetSetDef* plain);
PyMethodDef* asking_methods(PyMethodDef* plain);
PyObject* method_for_handler(PyObject* found, PyObject* self);  // takes the reference to `found`, and gives one
void init_tensor_members(PyObject* module);

// torch.ops' object of one operator: torch.ops.aten.add.Tensor.
nb::object overload_object(const Operator& op);
void init_dispatch_modes(PyObject* module);  // dispatch_modes.cpp

}  // namespace monograph::python
