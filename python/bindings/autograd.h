// What Tensor's Python attributes and torch.autograd ask of automatic differentiation.
#pragma once

#include <memory>
#include <vector>

#include "autograd/engine.h"
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
void init_function(PyObject* module);

struct GradNodeObject {
  PyObject_HEAD GradNode* node;  // null where the node of a Function is gone, or was never made
  bool owned;  // counted; the node of a Function owns its object instead
};
PyTypeObject& grad_node_type();
// A Python object that C++ may drop on any thread.
std::shared_ptr<PyObject> shared(nb::handle object);
nb::object wrap_grad_node(const Ref<GradNode>& node);
// The hooks of torch.autograd.graph.saved_tensors_hooks.
std::shared_ptr<const SavedTensorHooks> python_hooks(nb::handle pack, nb::handle unpack, bool neutral);
nb::object to_tuple(const std::vector<Tensor>& tensors);
// Tensors and None; `what` names them in the error.
std::vector<Tensor> tensors_of(nb::handle sequence, const char* what);

}  // namespace monograph::python
