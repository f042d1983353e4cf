// Objects of scripts in Python and back.
#pragma once

#include "core/ivalue.h"
#include "python.h"

namespace monograph::python {

// Lists, tuples and dicts of values, and what is in them (capture.cpp). Error (Type) that says `what` holds something else.
IValue tree_to_ivalue(PyObject* o, std::string_view what);
nb::object tree_to_python(const IValue& v);

// An instance of a class, or a member of an Enum, that some script uses; false for other objects.
bool object_to_ivalue(PyObject* o, IValue& out, std::string_view what);
// A new Python object with the same attributes, or the member; null for other values.
nb::object object_to_python(const IValue& v);
void init_objects(PyObject* module);

}  // namespace monograph::python
