// torch.save and torch.load, as functions of the extension.
#pragma once

#include "python.h"

namespace monograph::python {

void init_checkpoints(PyObject* module);

}  // namespace monograph::python
