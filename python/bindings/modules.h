// The modules of a Python program as the instance tree of a Unit.
#pragma once

#include <memory>

#include "core/ivalue.h"
#include "ir/unit.h"
#include "python.h"

namespace monograph::python {

// A Unit whose root is the module, with the live tensors of the tree.
std::shared_ptr<ir::Unit> unit_of_module(nb::handle module);

// A _ModuleObject over an object that graphs read and write.
extern nb::object (*wrap_module_object)(IValue object);
// The object behind a _ModuleObject: what graphs of the module read and write.
extern IValue (*object_of_module)(nb::handle object);

}  // namespace monograph::python
