// torch.dtype, torch.device, torch.layout, torch.memory_format and torch.Size as Python sees them.
#pragma once

#include "core/tensor.h"
#include "python.h"

namespace monograph::python {

struct DTypeObject {
  PyObject_HEAD DType value;
};
struct DeviceObject {
  PyObject_HEAD Device value;
};
struct MemoryFormatObject {
  PyObject_HEAD MemoryFormat value;
};
extern PyTypeObject g_dtype_type, g_device_type, g_layout_type, g_memory_format_type, g_size_type;

// The one object of each dtype and memory format; borrowed.
PyObject* object_of(DType t);
PyObject* object_of(MemoryFormat f);
PyObject* strided_layout();
nb::object to_python(Device d);
// torch.Size.
nb::object to_size(std::span<const int64_t> sizes);
nb::object to_tuple(std::span<const int64_t> values);

inline bool is_dtype(PyObject* o) { return Py_TYPE(o) == &g_dtype_type; }
// A dtype, also as Python's own float, int, bool and complex; false for other objects.
bool to_dtype(PyObject* o, DType& out);
// A device object or its text or an index; TypeError otherwise.
Device to_device(PyObject* o);

// Where functions make tensors whose call names no device: what set_default_device says, and `with torch.device(...)` inside it. Of this thread.
Device default_device();
bool has_default_device();  // another than the CPU

// Python's numbers with PyTorch's sentences.
int64_t to_int64(PyObject* o);
Dims to_dims(PyObject* sequence);  // of a list or tuple of ints

}  // namespace monograph::python
