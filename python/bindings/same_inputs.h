// Whether two values of a captured program are one object, where that depends on what a call of the graph passes: same_inputs.cpp.
#pragma once

#include "capture/bytecode/reads.h"
#include "python.h"

namespace monograph::python {

// The placeholder of which the node takes a part, or which it is; null if it is computed.
const ir::Node* input_of(const ir::Node* node);

// What `a is b` of a program that is traced depends on. Both are tensors, or both are proxies or tensors.
capture::bytecode::ObjectKinds::Sameness sameness(PyObject* a, PyObject* b);
// `a is b` of two tensors as a value of the graph, where sameness() is Inputs; null without an exception where the program alone decides.
PyObject* compare_inputs(PyObject* a, PyObject* b, bool negated);

void init_same_inputs(nb::handle m);

}  // namespace monograph::python
