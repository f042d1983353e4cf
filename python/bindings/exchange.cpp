// Buffers, NumPy arrays and DLPack capsules as tensors, and tensors as these. A storage over foreign memory holds the object that owns it; an array over a
// tensor's memory holds an object of the type _Memory, which owns the storage.
#include "exchange.h"

#include <memory>

#include "core/quantizer.h"
#include "dtypes.h"
#include "ops/dispatch.h"
#include "symbolic.h"
#include "tensor.h"

namespace monograph::python {
namespace {

// Tensor memory as a Python buffer: what NumPy's arrays over tensors keep alive.
struct MemoryObject {
  PyObject_HEAD Storage* storage;
};
PyTypeObject g_memory_type = make_type("monograph._C._Memory", sizeof(MemoryObject));

int memory_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  Storage* s = reinterpret_cast<MemoryObject*>(self)->storage;
  s->expose();
  return PyBuffer_FillInfo(view, self, s->data(), static_cast<Py_ssize_t>(s->bytes()), !s->writable(), flags);
}
PyBufferProcs memory_buffer = {memory_get_buffer, nullptr};

void memory_dealloc(PyObject* self) {
  reinterpret_cast<MemoryObject*>(self)->storage->release();
  Py_TYPE(self)->tp_free(self);
}

nb::object memory_of(const Tensor& t) {
  auto o = check(g_memory_type.tp_alloc(&g_memory_type, 0));
  t->storage->retain();
  reinterpret_cast<MemoryObject*>(o.ptr())->storage = t->storage.get();
  return o;
}

// A Py_buffer behind a tensor's storage.
void release_buffer(void* context) {
  if (!Py_IsInitialized()) return;
  PyGILState_STATE state = PyGILState_Ensure();
  auto* view = static_cast<Py_buffer*>(context);
  PyBuffer_Release(view);
  delete view;
  PyGILState_Release(state);
}

// The dtype of a buffer's format; false where Monograph has none.
bool dtype_of_format(const char* format, Py_ssize_t size, DType& out) {
  std::string_view f = format ? format : "B";
  if (!f.empty() && (f[0] == '@' || f[0] == '=' || f[0] == '<')) f.remove_prefix(1);
  if (f == "?") return out = DType::b1, true;
  if (f == "e") return out = DType::f16, true;
  if (f == "f") return out = DType::f32, true;
  if (f == "d") return out = DType::f64, true;
  if (f == "Zf") return out = DType::c64, true;
  if (f == "Zd") return out = DType::c128, true;
  if (f == "B") return out = DType::u8, true;
  if (f == "H") return out = DType::u16, true;
  if (f == "I" || f == "L" || f == "Q") return out = size == 4 ? DType::u32 : DType::u64, true;
  if (f != "b" && f != "h" && f != "i" && f != "l" && f != "q") return false;
  return out = size == 1 ? DType::i8 : size == 2 ? DType::i16 : size == 4 ? DType::i32 : DType::i64, true;
}

const char* numpy_name(DType t) {
  const bool known = t != DType::bf16 && t != DType::c32 && !is_float8(t) && !is_quantized(t);
  MONOGRAPH_CHECK(known, Type, "Got unsupported ScalarType ", info(t).scalar_type);
  return name(t).data();
}

// DLPack's C structures (version 0 of its ABI, which every producer and consumer speaks).
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  struct {
    int32_t type, id;
  } device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor tensor;
  void* context;
  void (*deleter)(DLManagedTensor*);
};
enum DLCode : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6 };

DLDataType dl_type(DType t) {
  const DTypeInfo& i = info(t);
  uint8_t code = t == DType::b1     ? kBool
                 : t == DType::bf16 ? kBfloat
                 : i.complex        ? kComplex
                 : i.floating       ? kFloat
                 : i.is_signed      ? kInt
                                    : kUInt;
  return {code, static_cast<uint8_t>(i.size * 8), 1};
}

// A tensor lent through DLPack.
struct Lent {
  Tensor tensor;
  Dims sizes, strides;
  DLManagedTensor managed;
};

void release_managed(void* context) {
  auto* managed = static_cast<DLManagedTensor*>(context);
  if (!managed->deleter) return;
  PyGILState_STATE state = PyGILState_Ensure();  // it may belong to a Python object
  managed->deleter(managed);
  PyGILState_Release(state);
}

nb::object from_buffer(nb::handle buffer, nb::handle dtype, int64_t count, int64_t offset, bool requires_grad) {
  DType t;
  MONOGRAPH_CHECK(to_dtype(dtype.ptr(), t), Type, "frombuffer(): argument 'dtype' must be torch.dtype, not ", type_name(dtype.ptr()));
  check_not_quantized(t, "frombuffer()");
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(buffer.ptr(), view.get(), PyBUF_WRITABLE) < 0) {
    PyErr_Clear();
    check(PyObject_GetBuffer(buffer.ptr(), view.get(), PyBUF_SIMPLE));
  }
  int64_t size = element_size(t), bytes = view->len;
  struct Release {
    Py_buffer* v;
    ~Release() {
      if (v) PyBuffer_Release(v);
    }
  } release{view.get()};
  MONOGRAPH_CHECK(bytes > 0 && count != 0, Value, "both buffer length (", bytes, ") and count (", count, ") must not be 0");
  MONOGRAPH_CHECK(offset >= 0 && offset < bytes, Value, "offset (", offset,
                  " bytes) must be non-negative and no greater than buffer length (", bytes, " bytes) minus 1");
  MONOGRAPH_CHECK(count > 0 || (bytes - offset) % size == 0, Value, "buffer length (", bytes - offset, " bytes) after offset (", offset,
                  " bytes) must be a multiple of element size (", size, ")");
  int64_t n = count > 0 ? count : (bytes - offset) / size;
  MONOGRAPH_CHECK(n <= (bytes - offset) / size, Value, "requested buffer length (", n, " * ", size, " bytes) after offset (", offset,
                  " bytes) must not be greater than actual buffer length (", bytes, " bytes)");
  bool writable = !view->readonly;
  auto* data = static_cast<char*>(view->buf) + offset;
  release.v = nullptr;
  Tensor tensor = from_blob(data, Dims{n}, Dims{1}, t, release_buffer, view.release(), writable);
  nb::object object = wrap(tensor);
  if (requires_grad) object.attr("requires_grad") = true;
  return object;
}

}  // namespace

bool is_numpy_array(PyObject* o) {
  if (PyLong_Check(o) || PyFloat_Check(o) || PyList_Check(o) || PyTuple_Check(o)) return false;
  for (PyTypeObject* t = Py_TYPE(o); t; t = t->tp_base)
    if (std::string_view(t->tp_name) == "numpy.ndarray") return true;
  return false;
}

Tensor from_numpy(PyObject* array) {
  MONOGRAPH_CHECK(is_numpy_array(array), Type, "expected np.ndarray (got ", type_name(array),
                  "); torch.tensor makes a tensor of a list or a number");
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(array, view.get(), PyBUF_RECORDS) < 0) {
    PyErr_Clear();
    if (PyObject_GetBuffer(array, view.get(), PyBUF_RECORDS_RO) < 0) {
      PyErr_Clear();  // dtypes without a buffer form
      fail(ErrorKind::Type, "can't convert np.ndarray of type ", text_of(check(PyObject_Str(nb::handle(array).attr("dtype").ptr())).ptr()),
           ". The only supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, "
           "uint16, uint8, and bool. "
           "Convert it first, for example array.astype(np.float32)");
    }
  }
  std::unique_ptr<Py_buffer, void (*)(Py_buffer*)> owned(view.release(), [](Py_buffer* v) {
    PyBuffer_Release(v);
    delete v;
  });
  DType dtype;
  std::string_view format = owned->format ? owned->format : "B";
  MONOGRAPH_CHECK(!format.starts_with('>') && !format.starts_with('!'), Value,
                  "given numpy array has byte order different from the native byte order. Conversion between byte orders is currently not "
                  "supported. Convert it first: array.astype(array.dtype.newbyteorder('='))");
  MONOGRAPH_CHECK(
      dtype_of_format(owned->format, owned->itemsize, dtype), Type, "can't convert np.ndarray of type ",
      text_of(check(PyObject_Str(nb::handle(array).attr("dtype").ptr())).ptr()),
      ". The only supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, "
      "uint16, uint8, and bool. Convert it first, for example array.astype(np.float32)");
  Dims sizes, strides;
  for (int i = 0; i < owned->ndim; ++i) {
    Py_ssize_t stride = owned->strides[i];
    MONOGRAPH_CHECK(stride >= 0 || owned->shape[i] <= 1, Value,
                    "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently "
                    "supported. (You can probably work around this by making a copy of your array  with array.copy().) ");
    MONOGRAPH_CHECK(stride % owned->itemsize == 0, Value,
                    "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the memory.");
    sizes.push_back(owned->shape[i]), strides.push_back(stride / owned->itemsize);
  }
  bool writable = !owned->readonly;
  void* data = owned->buf;
  return from_blob(data, sizes, strides, dtype, release_buffer, owned.release(), writable);
}

nb::object to_numpy(const Tensor& t, bool force) {
  MONOGRAPH_CHECK(!t.requires_grad() || force || !dispatch_state().grad_enabled, Runtime,
                  "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
  MONOGRAPH_CHECK(t->kind == TensorImpl::Kind::Dense && !t.is_meta(), Type, "can't convert a tensor without data (", to_string(t.device()),
                  ") to numpy");
  check_not_captured(t, "numpy");
  const char* dtype = numpy_name(t.dtype());
  nb::object numpy = nb::module_::import_("numpy");
  Dims strides = t.strides();
  for (int64_t& s : strides) s *= element_size(t.dtype());
  if (t.numel() == 0) return numpy.attr("empty")(to_tuple(t.sizes()), dtype);
  return numpy.attr("ndarray")(to_tuple(t.sizes()), dtype, memory_of(t), t->offset * element_size(t.dtype()), to_tuple(strides));
}

nb::object to_dlpack(const Tensor& t) {
  MONOGRAPH_CHECK(!t.requires_grad(), Type, "Can't export tensors that require gradient, use tensor.detach()");
  MONOGRAPH_CHECK(t->kind == TensorImpl::Kind::Dense && !t.is_meta(), Type, "Can't export a tensor without data");
  check_not_captured(t, "__dlpack__");
  check_not_quantized(t.dtype(), "DLPack");
  auto* lent = new Lent{t, t.sizes(), t.strides(), {}};
  if (t->storage) t->storage->expose();
  lent->managed.tensor = {t.data(), {1, 0}, static_cast<int32_t>(t.dim()), dl_type(t.dtype()), lent->sizes.data(), lent->strides.data(), 0};
  lent->managed.context = lent;
  lent->managed.deleter = [](DLManagedTensor* m) { delete static_cast<Lent*>(m->context); };
  PyObject* capsule = PyCapsule_New(&lent->managed, "dltensor", [](PyObject* c) {
    if (!PyCapsule_IsValid(c, "dltensor")) return;  // somebody took it
    auto* m = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(c, "dltensor"));
    m->deleter(m);
  });
  if (!capsule) delete lent;
  return check(capsule);
}

Tensor from_dlpack(PyObject* source) {
  nb::object capsule = PyCapsule_CheckExact(source) ? nb::borrow(source) : nb::object(nb::handle(source).attr("__dlpack__")());
  MONOGRAPH_CHECK(PyCapsule_IsValid(capsule.ptr(), "dltensor"), Value,
                  "from_dlpack expects an unused 'dltensor' capsule; a capsule can be consumed only once");
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  const DLTensor& d = managed->tensor;
  MONOGRAPH_CHECK(d.device.type == 1, Runtime, "from_dlpack: the tensor lies on another device than the CPU");
  DType dtype;
  bool found = false;
  for (int i = 0; i < kDTypeCount && !found; ++i) {
    DLDataType t = dl_type(dtype = static_cast<DType>(i));
    found = t.code == d.dtype.code && t.bits == d.dtype.bits && d.dtype.lanes == 1;
  }
  MONOGRAPH_CHECK(found, Runtime, "from_dlpack: unsupported element type (code ", int{d.dtype.code}, ", ", int{d.dtype.bits}, " bits)");
  Dims sizes(std::span<const int64_t>(d.shape, static_cast<size_t>(d.ndim)));
  Dims strides = d.strides ? Dims(std::span<const int64_t>(d.strides, static_cast<size_t>(d.ndim))) : contiguous_strides(sizes);
  Tensor t = from_blob(static_cast<char*>(d.data) + d.byte_offset, sizes, strides, dtype, release_managed, managed);
  check(PyCapsule_SetName(capsule.ptr(), "used_dltensor"));
  return t;
}

void init_exchange(PyObject* module) {
  g_memory_type.tp_as_buffer = &memory_buffer, g_memory_type.tp_dealloc = memory_dealloc;
  add_type(module, g_memory_type);
  nb::handle m(module);
  using namespace nb::literals;
  m.attr("from_numpy") =
      nb::cpp_function([](nb::handle array) { return wrap(from_numpy(array.ptr())); }, "ndarray"_a.none(), nb::name("from_numpy"));
  m.attr("from_dlpack") =
      nb::cpp_function([](nb::handle source) { return wrap(from_dlpack(source.ptr())); }, "ext_tensor"_a, nb::name("from_dlpack"));
  m.attr("to_dlpack") = nb::cpp_function([](nb::handle t) { return to_dlpack(tensor_of(t.ptr())); }, "tensor"_a, nb::name("to_dlpack"));
  m.attr("frombuffer") = nb::cpp_function(from_buffer, "buffer"_a.none(), nb::kw_only(), "dtype"_a, "count"_a = -1, "offset"_a = 0,
                                          "requires_grad"_a = false, nb::name("frombuffer"));
}

}  // namespace monograph::python
