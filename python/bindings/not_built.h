// Objects and tensors of archives that Monograph does not build, in Python.
#pragma once

#include "core/ivalue.h"
#include "python.h"

namespace monograph::python {

// A value of an archive that was not built; a null object for another. The other way: false for another.
nb::object not_built_to_python(const IValue& v);
bool not_built_to_ivalue(PyObject* o, IValue& out);
void init_not_built(PyObject* module);

}  // namespace monograph::python
