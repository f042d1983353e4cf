// What Tensor's Python attributes and torch.autograd ask of automatic differentiation.
#pragma once

#include "core/tensor.h"
#include "python.h"

namespace monograph::python {

Tensor grad_of(const Tensor& t);  // undefined where there is none
void set_grad(const Tensor& t, const Tensor& grad);
nb::object grad_fn_of(const Tensor& t);
int64_t output_number(const Tensor& t);
Tensor data_of(const Tensor& t);  // the same memory without history, whose writes are not counted
// A tp_traverse of the hooks that only t keeps alive.
int visit_hooks(const Tensor& t, visitproc visit, void* arg);
void init_autograd(PyObject* module);

}  // namespace monograph::python
