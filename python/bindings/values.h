// Python objects as IValues and back.
#pragma once

#include "core/ivalue.h"
#include "python.h"

namespace monograph::python {

// A Python object inside an IValue: what an operator passes through without looking.
struct [[gnu::visibility("hidden")]] PyBox : ObjectBox {
  explicit PyBox(PyObject* o) : object(Py_NewRef(o)) {}
  ~PyBox() override;
  std::string kind_name() const override { return type_name(object); }
  PyObject* object;
};

// The value of an argument. Null where some operator may take it; otherwise the object (a part of it) that none takes, borrowed: the caller
// looks there for __torch_function__.
PyObject* to_ivalue(PyObject* o, IValue& out);
nb::object to_python(const IValue& v);

extern PyTypeObject g_generator_type;
void init_values(PyObject* module);

}  // namespace monograph::python
