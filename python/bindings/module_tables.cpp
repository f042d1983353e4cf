// Looks in the three tables of a module as Module.__getattr__ does, without running it.
#include "module_tables.h"

#include "capture/machine/machine.h"
#include "graph.h"

namespace monograph::python {
namespace {
PyObject* g_module_getattr = nullptr;

PyObject* text(const char* name) { return PyUnicode_InternFromString(name); }
}  // namespace

void set_module_getattr(PyObject* method) { g_module_getattr = Py_NewRef(method); }

PyObject* fields_of(PyObject* object) {
  PyObject** fields = _PyObject_GetDictPtr(object);
  if (fields && *fields) return *fields;
  // A class whose objects keep their fields elsewhere until somebody asks for the dict.
  nb::object dict = nb::steal(PyObject_GenericGetDict(object, nullptr));
  if (!dict.is_valid()) return capture::machine::forget_error(), nullptr;
  fields = _PyObject_GetDictPtr(object);
  return fields ? *fields : nullptr;
}

PyObject* plain_attribute(const std::vector<PyObject*>& path, PyObject* module) {
  static PyObject *modules = text("_modules"), *parameters = text("_parameters"), *buffers = text("_buffers"),
                  *getattr = text("__getattr__");
  PyObject* expected = _PyType_Lookup(Py_TYPE(module), getattr);
  for (PyObject* name : path) {
    if (_PyType_Lookup(Py_TYPE(module), name) || _PyType_Lookup(Py_TYPE(module), getattr) != expected) return nullptr;
    PyObject* fields = fields_of(module);
    if (!fields || PyDict_Contains(fields, name)) return nullptr;
    PyObject* found = nullptr;
    for (PyObject* table : {parameters, buffers, modules}) {
      PyObject* values = PyDict_GetItem(fields, table);
      if (!values || !PyDict_Check(values)) return nullptr;
      if ((found = PyDict_GetItem(values, name))) break;
    }
    if (!found) return nullptr;
    module = found;
  }
  return module;
}

PyObject* plain_submodule(PyObject* module, PyObject* name) {
  static PyObject *modules = text("_modules"), *getattr = text("__getattr__"), *getattribute = text("__getattribute__");
  PyTypeObject* type = Py_TYPE(module);
  if (!g_module_getattr || _PyType_Lookup(type, getattr) != g_module_getattr || !hook_gives_submodules() ||
      _PyType_Lookup(type, getattribute) != _PyType_Lookup(&PyBaseObject_Type, getattribute))
    return nullptr;
  PyObject* found = plain_attribute({name}, module);
  if (!found) return nullptr;
  PyObject* table = PyDict_GetItem(fields_of(module), modules);
  return PyDict_GetItem(table, name) == found ? found : nullptr;
}

}  // namespace monograph::python
