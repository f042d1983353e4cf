// The modules of a Python program as the instance tree of a Unit.
#pragma once

#include <memory>

#include "ir/unit.h"
#include "python.h"

namespace monograph::python {

// A Unit whose root is the module, with the live tensors of the tree.
std::shared_ptr<ir::Unit> unit_of_module(nb::handle module);

}  // namespace monograph::python
