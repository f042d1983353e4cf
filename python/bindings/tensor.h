// torch.Tensor: one Python object a tensor.
//
// The object owns a count of its TensorImpl, and the impl knows its object, so that a tensor that travels through C++ (a module's parameter,
// a gradient) comes back as the same object. Where Python drops the last reference but C++ still holds the tensor, an object with a state of its
// own (attributes, a subclass) stays: the impl then owns the object, until it is wrapped again or dies.
#pragma once

#include "core/tensor.h"
#include "python.h"

namespace monograph::python {

struct TensorObject {
  PyObject_HEAD union {
    Tensor tensor;  // its count is this object's, except while the impl owns the object; retained and released by hand
  };
  PyObject* dict;  // attributes that the program sets; made when asked for
  PyObject* weakrefs;
};

extern PyTypeObject g_tensor_base;  // monograph._C.TensorBase
extern PyTypeObject* g_tensor_type;  // monograph.Tensor, the Python class over it

inline bool is_tensor(PyObject* o) { return Py_TYPE(o) == g_tensor_type || PyObject_TypeCheck(o, &g_tensor_base); }
// Of an object that is one.
inline const Tensor& tensor_of(PyObject* o) { return reinterpret_cast<TensorObject*>(o)->tensor; }
inline TensorImpl* impl_of(PyObject* o) { return tensor_of(o).impl(); }

// The tensor's object, made where it has none. None for an undefined tensor.
nb::object wrap(const Tensor& t);
// A new object of `type`, a subclass of TensorBase, for a tensor that has none yet.
nb::object wrap_as(PyTypeObject* type, const Tensor& t);

// From here on the garbage collector looks at the tensor: it has something that may lead back to it.
void track(PyObject* tensor);

// Members of TensorBase, by file.
extern PyMethodDef g_tensor_methods[], g_tensor_data_methods[];
extern PyGetSetDef g_tensor_getset[];
PyObject* tensor_subscript(PyObject* self, PyObject* index);  // indexing.cpp
int tensor_assign_subscript(PyObject* self, PyObject* index, PyObject* value);
void init_tensor_data(PyObject* module);  // tensor_data.cpp

// The value of a tensor with one element, as a Python number (item()).
nb::object item(const Tensor& t);
// Nested lists of the elements, all of them, or the first and last `edge` along dims longer than twice that.
nb::object to_list(const Tensor& t, int64_t edge = -1);
// A tensor of nested sequences, numbers, NumPy arrays or tensors; always a copy.
Tensor tensor_from_data(PyObject* data, const DType* dtype);

}  // namespace monograph::python
