// Python types over the C++ enums and structs: dtypes and memory formats are one object each, made at import; devices are compared by value; torch.Size is a
// subclass of tuple whose slices and sums are Sizes again.
#include "layouts.h"

#include "core/device_names.h"

#include <array>

#include "ops/tensor_facts.h"
#include "symbolic.h"
#include "texts.h"

namespace monograph::python {

PyTypeObject g_dtype_type = make_type("monograph.dtype", sizeof(DTypeObject));
PyTypeObject g_device_type = make_type("monograph.device", sizeof(DeviceObject));
PyTypeObject g_layout_type = make_type("monograph.layout", sizeof(LayoutObject));
PyTypeObject g_memory_format_type = make_type("monograph.memory_format", sizeof(MemoryFormatObject));
PyTypeObject g_size_type = make_type("monograph.Size", 0);

namespace {

std::array<PyObject*, kDTypeCount> g_dtypes;
std::array<PyObject*, 4> g_formats;
PyObject* g_strided = nullptr;
PyObject* g_cpu = nullptr;
constexpr const char* kFormatNames[] = {"contiguous_format", "preserve_format", "channels_last", "channels_last_3d"};

template <class Box, class Value>
PyObject* make(PyTypeObject& type, Value value) {
  auto* o = PyObject_New(Box, &type);
  if (!o) raise_set();
  o->value = value;
  return reinterpret_cast<PyObject*>(o);
}

DType value_of(PyObject* self) { return reinterpret_cast<DTypeObject*>(self)->value; }
Device& device_of(PyObject* self) { return reinterpret_cast<DeviceObject*>(self)->value; }

// dtype ------------------------------------------------------------------------------------------------------------------------------

std::string full_name(DType t) { return concat("torch.", name(t)); }

PyObject* dtype_repr(PyObject* self) {
  return guard([&] { return to_python(full_name(value_of(self))).release().ptr(); });
}

// Pickled by name, looked up in the package.
PyObject* dtype_reduce(PyObject* self, PyObject*) {
  return guard([&] { return to_python(name(value_of(self))).release().ptr(); });
}

PyObject* dtype_to_complex(PyObject* self, PyObject*) {
  return guard([&] {
    DType t = value_of(self);
    MONOGRAPH_CHECK(!is_float8(t) && !is_quantized(t), Runtime, "Unknown Complex ScalarType for ", info(t).scalar_type);
    return Py_NewRef(object_of(is_complex(t) ? t : t == DType::f16 ? DType::c32 : t == DType::f64 ? DType::c128 : DType::c64));
  });
}

PyObject* dtype_to_real(PyObject* self, PyObject*) { return Py_NewRef(object_of(real_type(value_of(self)))); }

PyMethodDef dtype_methods[] = {{"__reduce__", dtype_reduce, METH_NOARGS, nullptr},
                               {"to_complex", dtype_to_complex, METH_NOARGS, "The complex dtype whose parts have this one."},
                               {"to_real", dtype_to_real, METH_NOARGS, "The dtype of a complex number's parts."},
                               {nullptr, nullptr, 0, nullptr}};

PyGetSetDef dtype_getset[] = {
    {"is_floating_point", [](PyObject* s, void*) { return PyBool_FromLong(is_floating(value_of(s))); }, nullptr, nullptr, nullptr},
    {"is_complex", [](PyObject* s, void*) { return PyBool_FromLong(is_complex(value_of(s))); }, nullptr, nullptr, nullptr},
    {"is_signed",
     [](PyObject* s, void*) {
       return guard([&] {
         const DType t = value_of(s);
         MONOGRAPH_CHECK(!is_quantized(t), Runtime, "isSignedType not supported for quantized types: torch.", name(t),
                         " stands for numbers of both signs, whatever its integers are");
         return PyBool_FromLong(info(t).is_signed);
       });
     },
     nullptr, nullptr, nullptr},
    {"itemsize", [](PyObject* s, void*) { return PyLong_FromLongLong(element_size(value_of(s))); }, nullptr, nullptr, nullptr},
    {"_code", [](PyObject* s, void*) { return PyLong_FromLong(info(value_of(s)).code); }, nullptr, "PyTorch's ScalarType number.", nullptr},
    {"_name", [](PyObject* s, void*) { return guard([&] { return to_python(name(value_of(s))).release().ptr(); }); }, nullptr, nullptr,
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// device -----------------------------------------------------------------------------------------------------------------------------

PyObject* device_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  return guard([&]() -> PyObject* {
    PyObject *type = nullptr, *index = nullptr;
    static const char* names[] = {"type", "index", nullptr};
    if (kwargs && PyDict_GetItemString(kwargs, "device")) {  // torch.device(device="cpu")
      type = PyDict_GetItemString(kwargs, "device");
    } else if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O", const_cast<char**>(names), &type, &index)) {
      return nullptr;
    }
    Device d = to_device(type);
    const bool fell_back = d.type == DeviceType::Cpu && !(PyUnicode_Check(type) && text_of(type).starts_with("cpu")) &&
                           !(PyBytes_Check(type) && text_of_bytes(type).starts_with("cpu"));
    if (index && index != Py_None && !fell_back) {
      MONOGRAPH_CHECK(d.index < 0, Runtime, "type (string) must not include an index because index was passed explicitly: ", to_string(d));
      int64_t i = to_int64(index);
      MONOGRAPH_CHECK(i >= 0 && i < 128, Runtime, "Device index must not be negative and below 128, but got ", i);
      d.index = static_cast<int8_t>(i);
    }
    return to_python(d).release().ptr();
  });
}

PyObject* device_repr(PyObject* self) {
  return guard([&] {
    Device d = device_of(self);
    std::string type = to_string(Device{d.type, -1});
    return to_python(d.index < 0 ? concat("device(type='", type, "')") : concat("device(type='", type, "', index=", int{d.index}, ")"))
        .release()
        .ptr();
  });
}
PyObject* device_str(PyObject* self) {
  return guard([&] { return to_python(to_string(device_of(self))).release().ptr(); });
}
PyObject* device_compare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(b) != &g_device_type || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((device_of(a) == device_of(b)) == (op == Py_EQ));
}
Py_hash_t device_hash(PyObject* self) { return 1 + 256 * static_cast<Py_hash_t>(device_of(self).type) + device_of(self).index; }

PyObject* device_reduce(PyObject* self, PyObject*) {
  return guard([&] {
    auto text = to_python(to_string(device_of(self)));
    return Py_BuildValue("O(O)", &g_device_type, text.ptr());
  });
}

// The lowest is set_default_device's; each `with` puts one on top. Empty: the CPU.
std::vector<Device>& default_devices() {
  thread_local std::vector<Device> devices(1);
  return devices;
}
PyObject* device_enter(PyObject* self, PyObject*) {
  return guard([&] {
    default_devices().push_back(device_of(self));
    return Py_NewRef(self);
  });
}
PyObject* device_exit(PyObject*, PyObject*) {
  if (default_devices().size() > 1) default_devices().pop_back();
  Py_RETURN_NONE;
}

PyMethodDef device_methods[] = {{"__reduce__", device_reduce, METH_NOARGS, nullptr},
                                {"__enter__", device_enter, METH_NOARGS, "Functions make tensors on this device until the block ends."},
                                {"__exit__", device_exit, METH_VARARGS, nullptr},
                                {nullptr, nullptr, 0, nullptr}};
PyGetSetDef device_getset[] = {
    {"type", [](PyObject* s, void*) { return guard([&] { return to_python(to_string(Device{device_of(s).type, -1})).release().ptr(); }); },
     nullptr, nullptr, nullptr},
    {"index", [](PyObject* s, void*) { return device_of(s).index < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(device_of(s).index); }, nullptr,
     nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// layout and memory_format -------------------------------------------------------------------------------------------------------------

std::string_view name_of_layout(PyObject* self) { return monograph::layout_name(layout_number_of(self)); }
PyObject* layout_repr(PyObject* self) {
  return guard([&] { return to_python(std::string_view(concat("torch.", name_of_layout(self)))).release().ptr(); });
}
PyObject* layout_reduce(PyObject* self, PyObject*) {
  return guard([&] { return to_python(name_of_layout(self)).release().ptr(); });
}
PyMethodDef layout_methods[] = {{"__reduce__", layout_reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

const char* format_name(PyObject* self) { return kFormatNames[static_cast<size_t>(reinterpret_cast<MemoryFormatObject*>(self)->value)]; }
PyObject* format_repr(PyObject* self) { return PyUnicode_FromFormat("torch.%s", format_name(self)); }
PyObject* format_reduce(PyObject* self, PyObject*) { return PyUnicode_FromString(format_name(self)); }
PyMethodDef format_methods[] = {{"__reduce__", format_reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

// Size: a tuple of ints whose slices and sums are Sizes too ------------------------------------------------------------------------------

nb::object size_from_tuple(PyObject* tuple) {
  Py_ssize_t n = PyTuple_GET_SIZE(tuple);
  auto size = check(g_size_type.tp_alloc(&g_size_type, n));
  for (Py_ssize_t i = 0; i < n; ++i) PyTuple_SET_ITEM(size.ptr(), i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
  return size;
}

PyObject* size_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  return guard([&]() -> PyObject* {
    auto tuple = check(PyTuple_Type.tp_new(&PyTuple_Type, args, kwargs));
    auto ints = check(PyTuple_New(PyTuple_GET_SIZE(tuple.ptr())));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple.ptr()); ++i) {
      PyObject* item = PyTuple_GET_ITEM(tuple.ptr(), i);
      if (PyLong_Check(item) || Py_TYPE(item) == &g_symint_type) {  // a size that a capture follows stays one
        PyTuple_SET_ITEM(ints.ptr(), i, Py_NewRef(item));
        continue;
      }
      if (!PyIndex_Check(item)) {
        PyErr_Format(PyExc_TypeError, "torch.Size() takes an iterable of 'int' (item %zd is '%s')", i, type_name(item));
        return nullptr;
      }
      PyTuple_SET_ITEM(ints.ptr(), i, check(PyNumber_Index(item)).release().ptr());
    }
    return size_from_tuple(ints.ptr()).release().ptr();
  });
}

PyObject* size_repr(PyObject* self) {
  return guard([&] {
    auto list = check(PySequence_List(self));
    return PyUnicode_FromFormat("torch.Size(%R)", list.ptr());
  });
}

PyObject* size_subscript(PyObject* self, PyObject* key) {
  return guard([&]() -> PyObject* {
    auto part = check(PyTuple_Type.tp_as_mapping->mp_subscript(self, key));
    if (nb::object traced = captured_part(self, key, part.ptr())) return traced.release().ptr();
    return (PySlice_Check(key) ? size_from_tuple(part.ptr()) : part).release().ptr();
  });
}

PyObject* size_concat(PyObject* a, PyObject* b) {
  return guard([&]() -> PyObject* {
    if (!PyTuple_Check(a) || !PyTuple_Check(b)) {
      PyErr_Format(PyExc_TypeError, "can only concatenate tuple (not \"%s\") to torch.Size", type_name(b));
      return nullptr;
    }
    auto both = check(PyTuple_Type.tp_as_sequence->sq_concat(a, b));
    if (nb::object traced = captured_concat(a, b, both.ptr())) return traced.release().ptr();
    return size_from_tuple(both.ptr()).release().ptr();
  });
}
PyObject* size_add(PyObject* a, PyObject* b) {
  if (!PyTuple_Check(a) || !PyTuple_Check(b)) Py_RETURN_NOTIMPLEMENTED;
  return size_concat(a, b);
}
PyObject* size_repeat(PyObject* self, Py_ssize_t n) {
  return guard([&] { return size_from_tuple(check(PyTuple_Type.tp_as_sequence->sq_repeat(self, n)).ptr()).release().ptr(); });
}

// As a whole: a guard then says what the comparison gave, not what each pair of sizes did.
PyObject* size_compare(PyObject* a, PyObject* b, int op) {
  return guard([&]() -> PyObject* {
    if (PyTuple_Check(a) && PyTuple_Check(b))
      if (nb::object traced = captured_compare(a, b, op)) return traced.release().ptr();
    return PyTuple_Type.tp_richcompare(a, b, op);
  });
}

PyObject* size_numel(PyObject* self, PyObject*) {
  return guard([&]() -> PyObject* {
    const Py_ssize_t count = PyTuple_GET_SIZE(self);
    bool symbolic = false;  // a size that a capture follows
    for (Py_ssize_t i = 0; i < count; ++i) symbolic |= is_symbolic(PyTuple_GET_ITEM(self, i));
    if (!symbolic) return PyLong_FromLongLong(product(to_dims(self)));
    nb::object all = nb::borrow(PyTuple_GET_ITEM(self, 0));
    for (Py_ssize_t i = 1; i < count; ++i) all = check(PyNumber_Multiply(all.ptr(), PyTuple_GET_ITEM(self, i)));
    return all.release().ptr();
  });
}
PyObject* size_reduce(PyObject* self, PyObject*) {
  return guard([&] {
    auto list = check(PySequence_List(self));
    return Py_BuildValue("O(O)", &g_size_type, list.ptr());
  });
}
PyMethodDef size_methods[] = {{"numel", size_numel, METH_NOARGS, "The product of the sizes."},
                              {"__reduce__", size_reduce, METH_NOARGS, nullptr},
                              {nullptr, nullptr, 0, nullptr}};
PyMappingMethods size_mapping = {nullptr, size_subscript, nullptr};
PySequenceMethods size_sequence;
PyNumberMethods size_number;

}  // namespace

PyObject* object_of(DType t) { return g_dtypes[static_cast<size_t>(t)]; }
PyObject* object_of(MemoryFormat f) { return g_formats[static_cast<size_t>(f)]; }
PyObject* strided_layout() { return g_strided; }

nb::object to_python(Device d) {
  if (d == Device{}) return nb::borrow(g_cpu);
  return nb::steal(make<DeviceObject>(g_device_type, d));
}

nb::object to_size(std::span<const int64_t> sizes) {
  auto size = check(g_size_type.tp_alloc(&g_size_type, static_cast<Py_ssize_t>(sizes.size())));
  for (size_t i = 0; i < sizes.size(); ++i) PyTuple_SET_ITEM(size.ptr(), static_cast<Py_ssize_t>(i), to_python(sizes[i]).release().ptr());
  return size;
}

nb::object to_tuple(std::span<const int64_t> values) {
  auto tuple = check(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i)
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), to_python(values[i]).release().ptr());
  return tuple;
}

bool to_dtype(PyObject* o, DType& out) {
  if (is_dtype(o)) return out = value_of(o), true;
  if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) return out = DType::f64, true;
  if (o == reinterpret_cast<PyObject*>(&PyLong_Type)) return out = DType::i64, true;
  if (o == reinterpret_cast<PyObject*>(&PyBool_Type)) return out = DType::b1, true;
  if (o == reinterpret_cast<PyObject*>(&PyComplex_Type)) return out = DType::c128, true;
  return false;
}

Device default_device() { return default_devices().back(); }
bool has_default_device() { return default_devices().back().type != DeviceType::Cpu; }

Device to_device(PyObject* o) {
  if (Py_TYPE(o) == &g_device_type) return device_of(o);
  if (PyLong_Check(o)) return device_numbered(to_int64(o));
  if (PyBytes_Check(o)) return with_fallback(device_named(text_of_bytes(o)));
  if (!PyUnicode_Check(o)) fail(ErrorKind::Type, "device(): argument 'type' must be str, not ", type_name(o));
  return with_fallback(device_named(text_of(o)));
}

int64_t to_int64(PyObject* o) {
  auto index = check(PyNumber_Index(o));
  int overflow = 0;
  long long v = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  MONOGRAPH_CHECK(overflow == 0, Value, "Overflow when unpacking long long: the number does not fit into 64 bits");
  return v;
}

Dims to_dims(PyObject* sequence) {
  auto fast = check(PySequence_Fast(sequence, "expected a list or tuple of ints"));
  Dims dims;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.ptr()); ++i) dims.push_back(to_int64(PySequence_Fast_GET_ITEM(fast.ptr(), i)));
  return dims;
}

void init_dtypes(PyObject* module) {
  g_device_notice = [](const char* text) {
    if (PyErr_WarnEx(PyExc_UserWarning, text, 1) < 0) raise_set();
  };
  g_dtype_type.tp_repr = dtype_repr, g_dtype_type.tp_methods = dtype_methods, g_dtype_type.tp_getset = dtype_getset;
  g_dtype_type.tp_doc = "The type of a tensor's elements, as torch.float32.";
  add_type(module, g_dtype_type);
  auto table = check(PyDict_New());
  for (int i = 0; i < kDTypeCount; ++i) {
    auto dtype = static_cast<DType>(i);
    g_dtypes[static_cast<size_t>(i)] = make<DTypeObject>(g_dtype_type, dtype);
    check(PyDict_SetItem(table.ptr(), to_python(name(dtype)).ptr(), g_dtypes[static_cast<size_t>(i)]));
  }
  check(PyModule_AddObjectRef(module, "_dtypes", table.ptr()));

  g_device_type.tp_new = device_new, g_device_type.tp_repr = device_repr, g_device_type.tp_str = device_str;
  g_device_type.tp_richcompare = device_compare, g_device_type.tp_hash = device_hash;
  g_device_type.tp_methods = device_methods, g_device_type.tp_getset = device_getset;
  g_device_type.tp_doc =
      "Where a tensor lies: torch.device(\"cpu\"), or torch.device(\"meta\") for tensors without elements. In a with statement, where "
      "new tensors lie.";
  add_type(module, g_device_type);
  g_cpu = make<DeviceObject>(g_device_type, Device{});
  nb::handle(module).attr("_default_device") = nb::cpp_function([] { return to_python(default_device()); });
  nb::handle(module).attr("_set_default_device") = nb::cpp_function([](nb::handle d) { default_devices().front() = to_device(d.ptr()); });

  g_layout_type.tp_repr = layout_repr, g_layout_type.tp_methods = layout_methods;
  g_layout_type.tp_doc =
      "How a tensor's elements lie in memory. All tensors of Monograph have torch.strided; the others can be compared with it.";
  add_type(module, g_layout_type);
  for (int number = 0; number < kLayoutCount; ++number) {
    auto* layout = PyObject_New(LayoutObject, &g_layout_type);
    if (!layout) raise_set();
    layout->number = number;
    const nb::object object = nb::steal(reinterpret_cast<PyObject*>(layout));
    if (number == 0) g_strided = nb::object(object).release().ptr();
    check(PyModule_AddObjectRef(module, std::string(monograph::layout_name(number)).c_str(), object.ptr()));
  }

  g_memory_format_type.tp_repr = format_repr, g_memory_format_type.tp_methods = format_methods;
  g_memory_format_type.tp_doc =
      "In which order the dims of a tensor lie in memory: torch.contiguous_format, torch.channels_last, torch.channels_last_3d, or "
      "torch.preserve_format for that of another tensor.";
  add_type(module, g_memory_format_type);
  for (size_t i = 0; i < 4; ++i) {
    g_formats[i] = make<MemoryFormatObject>(g_memory_format_type, static_cast<MemoryFormat>(i));
    check(PyModule_AddObjectRef(module, kFormatNames[i], g_formats[i]));
  }

  size_sequence = *PyTuple_Type.tp_as_sequence;
  size_sequence.sq_concat = size_concat, size_sequence.sq_repeat = size_repeat;
  size_number.nb_add = size_add;
  g_size_type.tp_base = &PyTuple_Type, g_size_type.tp_new = size_new, g_size_type.tp_repr = size_repr;
  g_size_type.tp_basicsize = PyTuple_Type.tp_basicsize, g_size_type.tp_itemsize = PyTuple_Type.tp_itemsize;
  g_size_type.tp_as_mapping = &size_mapping, g_size_type.tp_as_sequence = &size_sequence, g_size_type.tp_as_number = &size_number;
  g_size_type.tp_methods = size_methods;
  g_size_type.tp_doc = "The sizes of a tensor's dims: a tuple of ints. numel() is their product.";
  g_size_type.tp_richcompare = size_compare, g_size_type.tp_hash = PyTuple_Type.tp_hash;
  size_mapping.mp_length = PyTuple_Type.tp_as_mapping->mp_length;
  add_type(module, g_size_type);
}

}  // namespace monograph::python
