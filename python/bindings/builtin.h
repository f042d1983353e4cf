// Operators as Python calls them: one object an overload set, made from the registry. No operator is named here.
#pragma once

#include "ops/record.h"
#include "python.h"

namespace monograph::python {

struct Builtin;

// The functions (torch.add), and the descriptors that bind as methods (Tensor.add).
extern PyTypeObject g_builtin_type, g_builtin_method_type;
// What torch.ops gives: an operator with all its overloads, and one overload. Both are builtins.
extern PyTypeObject g_packet_type, g_overload_type;

// Calls an overload set as Python would, with `n` positional arguments and the keywords of `names` behind them.
nb::object call_overloads(PyObject* builtin, PyObject* const* args, Py_ssize_t n, PyObject* names = nullptr);
// The one function object of an overload set.
nb::object builtin_of(const OverloadSet& overloads);

// The arguments of a vectorcall as Python functions take them: `n` positional ones, then those of `names`.
struct Arguments {
  nb::object positional;  // a tuple
  nb::dict keywords;
};
Arguments gather(PyObject* const* args, Py_ssize_t n, PyObject* names);

// Whether calls with this argument go to its type's __torch_function__.
bool overrides_calls(PyObject* o);
// Hands a call over to the first of the arguments' types that answers; unwinds with TypeError where none does.
nb::object call_torch_function(PyObject* function, PyObject* const* args, Py_ssize_t n, PyObject* names);

// Before Tensor's type is ready: the slots of Python's operators (operators.cpp); after: the methods.
void add_operator_slots(PyTypeObject& tensor);
void add_operator_methods(PyTypeObject& tensor);
void init_operators(PyObject* module);  // the table of Python's operators

}  // namespace monograph::python
