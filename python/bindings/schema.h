// Schemas and types as Python objects.
#pragma once

#include "ir/schema.h"
#include "python.h"

namespace monograph::python {

nb::object to_python(const ir::FunctionSchema& schema);  // a FunctionSchema of its own
nb::object to_python(ir::Type type);                     // a Type; None where it is unknown
void init_schema(PyObject* module);

}  // namespace monograph::python
