// The tables of an nn.Module, as C++ reads them: its parameters, buffers and submodules stand in three dicts, in which Module.__getattr__ looks.
#pragma once

#include <vector>

#include "python.h"

namespace monograph::python {

// The dict of an object's fields; null where it has none.
PyObject* fields_of(PyObject* object);

// What Module.__getattr__ finds along the path ("layer", "weight") from a module; borrowed. Null if it finds nothing, or if something else answers at a step:
// a field, an attribute of the class, another __getattr__ than the module's.
PyObject* plain_attribute(const std::vector<PyObject*>& path, PyObject* module);

// The submodule that Module.__getattr__ itself finds under a name; borrowed. Null for everything else, also where the capture of this thread wants to be asked.
PyObject* plain_submodule(PyObject* module, PyObject* name);

// Tells C++ which function Module.__getattr__ is. nn/__init__.py calls it when the package is imported.
void set_module_getattr(PyObject* method);

}  // namespace monograph::python
