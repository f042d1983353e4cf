// Tensors from Python data and back: numbers, nested lists, buffers.
#include <complex>
#include <cstring>

#include "builtin.h"
#include "capture/capture.h"
#include "core/quantizer.h"
#include "dtypes.h"
#include "exchange.h"
#include "handover.h"
#include "ops/call_observer.h"
#include "ops/dispatch.h"
#include "reads.h"
#include "symbolic.h"
#include "tensor.h"
#include "texts.h"
#include "values.h"

namespace monograph::python {

static nb::object list_in_graph(const Tensor& t);

namespace {

nb::object number(bool v) { return nb::borrow(v ? Py_True : Py_False); }
nb::object number(std::complex<double> v) { return check(PyComplex_FromDoubles(v.real(), v.imag())); }
nb::object number(double v) { return check(PyFloat_FromDouble(v)); }

template <class T>
nb::object element(const char* at) {
  T v;
  std::memcpy(&v, at, sizeof v);
  if constexpr (std::is_same_v<T, bool>) return number(*reinterpret_cast<const unsigned char*>(at) != 0);
  else if constexpr (std::is_same_v<T, uint64_t>) return check(PyLong_FromUnsignedLongLong(v));
  else if constexpr (std::is_same_v<T, complex_half>) return number(std::complex<double>(static_cast<std::complex<float>>(v)));
  else if constexpr (std::is_integral_v<T>) return to_python(static_cast<int64_t>(v));
  else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
    return number(std::complex<double>(v));
  else if constexpr (std::is_same_v<T, double>) return number(v);
  else return number(static_cast<double>(static_cast<float>(v)));
}

void check_readable(const Tensor& t, const char* what) {
  if (CallObserver* observer = CallObserver::current()) observer->read(t);
  MONOGRAPH_CHECK(t->kind == TensorImpl::Kind::Dense, Runtime, what,
                  "() needs the values of a tensor, but this tensor is a node of a graph and has none");
  MONOGRAPH_CHECK(!t.is_meta(), NotImplemented, "Cannot copy out of meta tensor; no data!");
}

// Nested lists by recursion over the dims of one tensor. With edge >= 0 only the first and last `edge` of a longer dim.
nb::object list_of(const Tensor& t, nb::object (*read)(const char*), size_t dim, const char* at, int64_t edge) {
  if (dim == t.sizes().size()) return read(at);
  int64_t n = t.sizes()[dim], step = t.strides()[dim] * element_size(t.dtype());
  bool cut = edge >= 0 && n > 2 * edge;
  auto list = check(PyList_New(cut ? 2 * edge : n));
  Py_ssize_t k = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (cut && i == edge) i = n - edge;
    if (i >= n) break;
    PyList_SET_ITEM(list.ptr(), k++, list_of(t, read, dim + 1, at + i * step, edge).release().ptr());
  }
  return list;
}

// Data -> tensor ---------------------------------------------------------------------------------------------------------------------------

bool is_numpy_scalar(PyObject* o) {
  for (PyTypeObject* t = Py_TYPE(o); t; t = t->tp_base)
    if (std::string_view(t->tp_name) == "numpy.generic") return true;
  return false;
}

DType dtype_of_numpy_scalar(PyObject* o) {
  nb::object name = nb::handle(o).attr("dtype").attr("name");
  DType t;
  MONOGRAPH_CHECK(parse_dtype(text_of(name.ptr()), t), Type, "can't convert np scalar of type ", text_of(name.ptr()));
  return t;
}

[[noreturn]] void not_data(PyObject* o) {
  if (PyUnicode_Check(o) || PyBytes_Check(o))
    fail(ErrorKind::Type, "new(): invalid data type '", type_name(o), "'; a tensor holds numbers or bools");
  fail(ErrorKind::Runtime, "Could not infer dtype of ", type_name(o), "; a tensor holds numbers or bools");
}

bool is_sequence(PyObject* o) {
  return PyList_Check(o) || PyTuple_Check(o) || (PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o) && !is_tensor(o));
}

constexpr size_t kMostDims = 64;

// What a nested sequence holds: its sizes along first elements, and the dtype that all its numbers promote to.
struct NestedShape {
  Dims sizes;
  bool any = false;
  DType dtype = DType::f32;
  void see(DType t) { dtype = any ? promote_types(dtype, t) : t, any = true; }
};

void measure(PyObject* o, NestedShape& shape) {
  for (nb::object at = nb::borrow(o); !is_tensor(at.ptr()) && is_sequence(at.ptr()) && !is_numpy_scalar(at.ptr());) {
    Py_ssize_t n = PySequence_Size(at.ptr());
    if (n < 0) raise_set();
    shape.sizes.push_back(n);
    MONOGRAPH_CHECK(shape.sizes.size() <= kMostDims, Value, "too many dimensions '", type_name(at.ptr()), "'");
    if (n == 0) break;
    at = check(PySequence_GetItem(at.ptr(), 0));
    MONOGRAPH_CHECK(!PyUnicode_Check(at.ptr()), Value, "too many dimensions 'str'; a tensor holds numbers or bools");
  }
}

// Calls f with each item. Reading one may run Python, which may change the sequence.
template <class F>
void for_items(PyObject* sequence, F&& f) {
  auto items = check(PySequence_Fast(sequence, "expected a sequence"));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.ptr()); ++i) f(nb::borrow(PySequence_Fast_GET_ITEM(items.ptr(), i)).ptr());
}

bool is_symbolic_number(PyObject* o) { return is_symbolic(o) && !PySequence_Check(o); }
[[noreturn]] void unknown_dtype(const ir::Node& node) {
  refuse_captured(ErrorKind::Type,
                  concat("tensor(): the dtype of %", node.name(),
                         " is not known while the function is captured; write torch.tensor(..., dtype=...), or trace with an example"));
}
DType dtype_of_tensor(const Tensor& t) {
  if (t->kind == TensorImpl::Kind::Symbolic) {
    const ir::Node* running = capture::running_node(t);
    MONOGRAPH_CHECK(running, Runtime, "tensor(): a tensor of another capture, or of one that has ended, has no value here");
    const ir::Node& node = *running;
    if (!node.type().is(ir::TypeKind::Tensor) || !node.type().tensor().dtype) unknown_dtype(node);
  }
  return t.dtype();
}
DType dtype_of_symbolic(PyObject* o) {
  const SymbolicValue* symbolic = symbolic_value(symbolic_of(o));
  const IValue& plain = symbolic_of(o);
  if (!symbolic) return plain.is_bool() ? DType::b1 : plain.is_int() ? DType::i64 : default_dtype();
  const SymbolicValue& v = *symbolic;
  const ir::Type type = v.node->type();
  if (v.hint.is_bool() || type.is(ir::TypeKind::Bool)) return DType::b1;
  if (v.hint.is_int() || type.is(ir::TypeKind::Int) || type.is(ir::TypeKind::SymInt)) return DType::i64;
  if (v.hint.is_float() || type.is(ir::TypeKind::Float)) return is_numpy_number(o) ? DType::f64 : default_dtype();
  unknown_dtype(*v.node);
}

// `depth` dims are left: where a sequence stands deeper than the first one did, filling raises.
void see_dtype(PyObject* o, NestedShape& shape, size_t depth) {
  if (is_symbolic_number(o)) shape.see(dtype_of_symbolic(o));
  else if (PyFloat_CheckExact(o)) shape.see(default_dtype());
  else if (PyBool_Check(o)) shape.see(DType::b1);
  else if (PyLong_CheckExact(o)) shape.see(DType::i64);
  else if (is_tensor(o)) shape.see(dtype_of_tensor(tensor_of(o)));
  else if (is_numpy_scalar(o)) shape.see(dtype_of_numpy_scalar(o));
  else if (PyFloat_Check(o)) shape.see(default_dtype());
  else if (PyLong_Check(o)) shape.see(DType::i64);
  else if (PyComplex_Check(o)) shape.see(default_dtype() == DType::f64 ? DType::c128 : DType::c64);
  else if (is_sequence(o)) {
    if (depth) for_items(o, [&](PyObject* item) { see_dtype(item, shape, depth - 1); });
  } else if (PyIndex_Check(o)) shape.see(DType::i64);
  else not_data(o);
}

// Whether an object, or one within lists and tuples, is such a one. A list may hold itself.
template <class Is>
bool any_within(PyObject* o, const Is& is, size_t depth = kMostDims) {
  if (!PyList_Check(o) && !PyTuple_Check(o)) return is(o);
  for (Py_ssize_t i = 0; depth && i < PySequence_Fast_GET_SIZE(o); ++i)
    if (any_within(PySequence_Fast_GET_ITEM(o, i), is, depth - 1)) return true;
  return false;
}

// Numbers that a graph computes, among those of Python: the tensor is made when the graph runs.
bool holds_symbolic(PyObject* o) { return any_within(o, is_symbolic_number); }

Tensor tensor_of_numbers(PyObject* o, DType dtype) {
  if (is_symbolic_number(o)) return "scalar_tensor"_op(symbolic_of(o), dtype);
  if (!holds_symbolic(o)) return tensor_from_data(o, &dtype);
  std::vector<IValue> parts;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) parts.emplace_back(tensor_of_numbers(PySequence_Fast_GET_ITEM(o, i), dtype));
  return "stack"_op(IValue::list(std::move(parts)));
}

// A number as uint64. A negative one wraps around, as in the other unsigned dtypes.
uint64_t unsigned_number(PyObject* o) {
  constexpr double kEnd = 0x1p64;
  if (PyFloat_Check(o)) {
    const double v = PyFloat_AS_DOUBLE(o);
    MONOGRAPH_CHECK(v >= 0 && v < kEnd, Runtime, "value cannot be converted to type uint64_t without overflow, but it is ", v);
    return static_cast<uint64_t>(v);
  }
  const nb::object number = is_tensor(o) ? check(PyNumber_Long(o)) : check(PyNumber_Index(o));
  if (_PyLong_Sign(number.ptr()) < 0) return static_cast<uint64_t>(to_int64(number.ptr()));
  const unsigned long long v = PyLong_AsUnsignedLongLong(number.ptr());
  if (v == static_cast<unsigned long long>(-1) && PyErr_Occurred()) {
    PyErr_Clear();
    fail(ErrorKind::Runtime, "Overflow when unpacking unsigned long long: the number does not fit into 64 bits");
  }
  return v;
}

template <class T>
void store(char* at, PyObject* o) {
  T v;
  if constexpr (std::is_same_v<T, uint64_t>) {
    v = unsigned_number(o);
  } else if constexpr (std::is_same_v<T, bool>) {
    int truth = PyObject_IsTrue(o);
    check(truth);
    v = truth == 1;
  } else if constexpr (std::is_integral_v<T>) {
    constexpr double kEnd = 0x1p63, kStart = std::is_signed_v<T> ? -kEnd : 0;  // no float wraps around
    if (PyFloat_Check(o) && !(PyFloat_AS_DOUBLE(o) >= kStart && PyFloat_AS_DOUBLE(o) < kEnd))
      fail(ErrorKind::Runtime, "value cannot be converted to type ", std::is_signed_v<T> ? "int64" : "uint8",
           " without overflow, but it is ", PyFloat_AS_DOUBLE(o));
    int64_t wide = PyFloat_Check(o) ? static_cast<int64_t>(PyFloat_AS_DOUBLE(o))
                   : is_tensor(o)   ? to_int64(check(PyNumber_Long(o)).ptr())
                                    : to_int64(o);
    int64_t most = std::is_signed_v<T> ? std::numeric_limits<T>::max() : static_cast<int64_t>(std::numeric_limits<T>::max());
    int64_t least = std::is_signed_v<T> ? std::numeric_limits<T>::min() : -most;  // negative numbers wrap in unsigned ones
    MONOGRAPH_CHECK(wide <= most && wide >= least, Runtime, "value cannot be converted to type ", std::is_signed_v<T> ? "int" : "uint",
                    sizeof(T) * 8, "_t without overflow, but it is ", wide, "; choose a wider dtype");
    v = static_cast<T>(wide);
  } else if constexpr (std::is_same_v<T, complex_half>) {
    Py_complex c = PyComplex_AsCComplex(o);
    if (c.real == -1.0 && PyErr_Occurred()) raise_set();
    v = T(std::complex<float>(static_cast<float>(c.real), static_cast<float>(c.imag)));
  } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    Py_complex c = PyComplex_AsCComplex(o);
    if (c.real == -1.0 && PyErr_Occurred()) raise_set();
    v = T(static_cast<typename T::value_type>(c.real), static_cast<typename T::value_type>(c.imag));
  } else {
    double wide = PyFloat_AsDouble(o);
    if (wide == -1.0 && PyErr_Occurred()) raise_set();
    if constexpr (std::is_same_v<T, double>) v = wide;
    else v = T(static_cast<float>(wide));
  }
  std::memcpy(at, &v, sizeof v);
}

void fill_from(PyObject* o, const Tensor& t, void (*write)(char*, PyObject*), size_t dim, char*& at) {
  if (dim == t.sizes().size()) {
    MONOGRAPH_CHECK(!is_sequence(o) || is_numpy_scalar(o), Type,
                    "only one element tensors can be converted to Python scalars, but found a sequence at dim ", dim);
    MONOGRAPH_CHECK(!is_tensor(o) || is_captured(tensor_of(o)) || impl_of(o)->numel == 1, Value,
                    "only one element tensors can be converted to Python scalars, but found one of size ", to_string(tensor_of(o).sizes()),
                    "; torch.stack makes one tensor of a list of tensors");
    write(at, o);
    at += element_size(t.dtype());
    return;
  }
  MONOGRAPH_CHECK(is_sequence(o), Type, "not a sequence: found ", type_name(o), " where a sequence of ", t.sizes()[dim],
                  " was expected (at dim ", dim, ")");
  const int64_t wanted = t.sizes()[dim];
  auto check_length = [&](int64_t n, bool fits) {
    MONOGRAPH_CHECK(fits, Value, "expected sequence of length ", wanted, " at dim ", dim, " (got ", n, "); all rows must be equally long");
  };
  const Py_ssize_t length = PySequence_Size(o);
  if (length < 0) raise_set();
  check_length(length, length == wanted);
  int64_t n = 0;
  for_items(o, [&](PyObject* item) {
    check_length(n + 1, n < wanted);
    fill_from(item, t, write, dim + 1, at);
    ++n;
  });
  check_length(n, n == wanted);
}

Tensor converted_copy(const Tensor& t, const DType* dtype) {
  GradModeScope no_grad(false);
  Tensor copy = dtype ? "to"_op(t, *dtype, false, true) : "clone"_op(t);
  return copy->kind == TensorImpl::Kind::Symbolic ? Tensor("detach"_op(copy)) : copy;  // symbolic capture has no mode of gradients
}

// Methods ------------------------------------------------------------------------------------------------------------------------------------

PyObject* tensor_item(PyObject* self, PyObject*) {
  return guard([&] { return item(tensor_of(self)).release().ptr(); });
}
PyObject* tensor_tolist(PyObject* self, PyObject*) {
  return guard([&] {
    if (lists_in_graph(tensor_of(self))) return list_in_graph(tensor_of(self)).release().ptr();
    check_not_captured(tensor_of(self), "tolist");
    return to_list(tensor_of(self)).release().ptr();
  });
}
PyObject* tensor_edges(PyObject* self, PyObject* edge) {
  return guard([&] { return to_list(tensor_of(self), to_int64(edge)).release().ptr(); });
}
PyObject* tensor_numpy(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  return guard([&] {
    const Py_ssize_t count = names ? PyTuple_GET_SIZE(names) : 0;
    MONOGRAPH_CHECK(n == 0, Type, "numpy() takes 0 positional arguments but ", n, n == 1 ? " was" : " were",
                    " given; write numpy(force=True)");
    for (Py_ssize_t k = 0; k < count; ++k) {
      const std::string_view given = text_of(PyTuple_GET_ITEM(names, k));
      MONOGRAPH_CHECK(given == "force", Type, "numpy() got an unexpected keyword argument '", given, "'; it takes force alone");
    }
    MONOGRAPH_CHECK(count == 0 || PyBool_Check(args[0]), Type, "numpy(): argument 'force' must be bool, not ", type_name(args[0]));
    const bool force = count > 0 && args[0] == Py_True;
    return to_numpy(tensor_of(self), force).release().ptr();
  });
}
PyObject* tensor_dlpack(PyObject* self, PyObject*, PyObject*) {
  return guard([&] { return to_dlpack(tensor_of(self)).release().ptr(); });
}
PyObject* tensor_dlpack_device(PyObject* self, PyObject*) {
  return guard([&] {
    MONOGRAPH_CHECK(!tensor_of(self).is_meta(), Value, "Unknown device type meta for Dlpack: a meta tensor has no elements to share");
    constexpr int kCpu = 1;  // of DLPack
    return Py_BuildValue("(Ni)", nb::module_::import_("monograph.utils.dlpack").attr("DLDeviceType")(kCpu).release().ptr(), 0);
  });
}

PyObject *g_tensor = nullptr, *g_as_tensor = nullptr;  // the functions themselves, as those see them who take their calls

// Whether this is, or a list of Python numbers has in it, an object that takes calls of functions for itself: a proxy.
bool holds_override(PyObject* o) {
  const bool list = PyList_CheckExact(o) || PyTuple_CheckExact(o);
  if (list && !records_factories()) return false;  // a long list is not searched in vain
  return any_within(
      o, [](PyObject* item) { return !PyFloat_CheckExact(item) && !PyLong_CheckExact(item) && !is_tensor(item) && overrides_calls(item); });
}

nb::object handed_over(PyObject* function, nb::handle data, nb::handle dtype, nb::handle device, bool requires_grad = false) {
  std::vector<PyObject*> args{data.ptr()};
  nb::list names;
  auto name = [&](const char* keyword, PyObject* value) { names.append(keyword), args.push_back(value); };
  if (!dtype.is_none()) name("dtype", dtype.ptr());
  if (!device.is_none()) name("device", device.ptr());
  if (requires_grad) name("requires_grad", Py_True);
  nb::object keywords = nb::tuple(names);
  return hand_over(function, args.data(), 1, args.size() > 1 ? keywords.ptr() : nullptr);
}

// On the device that the call names, or on the default one where that is not the CPU.
Tensor on_device(const Tensor& t, nb::handle named) {
  if (named.is_none() && !has_default_device()) return t;
  const Device device = named.is_none() ? default_device() : to_device(named.ptr());
  return device == t.device() ? t : Tensor("to"_op(t, device, t.dtype()));
}

// What PyTorch says of a tensor as the data of a new one. `frames`: how far up the user's call stands.
void warn_of_copy(const char* function, int frames) {
  warn(concat("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
              "sourceTensor.detach().clone().requires_grad_(True), rather than ",
              function, "(sourceTensor)."),
       frames);
}

// tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False)
nb::object make_tensor(nb::handle data, nb::handle dtype, nb::handle device, bool requires_grad, bool by_method = false) {
  if (in_function_mode() || holds_override(data.ptr())) return handed_over(g_tensor, data, dtype, device, requires_grad);
  if (is_tensor(data.ptr())) by_method ? warn_of_copy("tensor.new_tensor", 2) : warn_of_copy("torch.tensor", 1);
  DType wanted;
  bool given = !dtype.is_none();
  MONOGRAPH_CHECK(!given || to_dtype(dtype.ptr(), wanted), Type, "tensor(): argument 'dtype' must be torch.dtype, not ",
                  type_name(dtype.ptr()));
  Tensor t = tensor_from_data(data.ptr(), given ? &wanted : nullptr);
  t = on_device(t, device);
  nb::object object = wrap(t);
  if (requires_grad) object.attr("requires_grad") = true;
  return object;
}

// as_tensor: the tensor itself, or the memory of a NumPy array, where nothing has to change.
nb::object as_tensor(nb::handle data, nb::handle dtype, nb::handle device) {
  if (in_function_mode() || holds_override(data.ptr())) return handed_over(g_as_tensor, data, dtype, device);
  DType wanted;
  bool given = !dtype.is_none() && to_dtype(dtype.ptr(), wanted);
  Tensor t;
  if (is_tensor(data.ptr())) t = tensor_of(data.ptr());
  else if (is_numpy_array(data.ptr())) t = from_numpy(data.ptr());
  else return make_tensor(data, dtype, device, false);
  if (given && wanted != t.dtype()) t = "to"_op(t, wanted);
  return wrap(on_device(t, device));
}

// A copy for copy.deepcopy: tensors of one storage share its one copy, which the memo keeps under the storage's address.
nb::object deepcopied(nb::handle tensor, nb::dict memo) {
  const Tensor& t = tensor_of(tensor.ptr());
  if (has_captured_values(t)) return wrap("clone"_op(t));
  if (!t->storage) return wrap(empty_strided(t.sizes(), t.strides(), t.dtype(), t.device()));
  nb::object key = nb::int_(reinterpret_cast<uintptr_t>(t->storage.get()));
  if (!memo.contains(key)) {
    Tensor bytes = empty({static_cast<int64_t>(t->storage->bytes())}, DType::u8);
    std::memcpy(bytes.data(), t->storage->data(), t->storage->bytes());
    memo[key] = nb::make_tuple(wrap(bytes), tensor);  // the source too: its address stays its own for as long as the memo lives
  }
  Tensor copy = t.as_strided(t.sizes(), t.strides(), t->offset);
  copy->storage = tensor_of(nb::object(memo[key][0]).ptr())->storage;
  copy->own_version = {};
  return wrap(copy);
}

// The bytes of the whole storage, for pickle.
nb::object storage_bytes(nb::handle tensor) {
  const Tensor& t = tensor_of(tensor.ptr());
  check_not_captured(t, "pickle");
  check_readable(t, "pickle");
  check_not_quantized(t.dtype(), "a pickle of Monograph");
  if (!t->storage) return nb::bytes("", 0);
  return nb::bytes(t->storage->data(), t->storage->bytes());
}

}  // namespace

nb::object item(const Tensor& t) {
  if (has_captured_values(t)) return captured_item(t);
  check_readable(t, "item");
  if (is_quantized(t.dtype())) return item("dequantize"_op(t));
  MONOGRAPH_CHECK(t.numel() == 1, Runtime, "a Tensor with ", t.numel(),
                  " elements cannot be converted to Scalar; take one element first, for example x[0]");
  return dispatch_any(t.dtype(), [&](auto zero) { return element<decltype(zero)>(t.data()); });
}

bool lists_in_graph(const Tensor& t) {
  constexpr int64_t kMost = 16;  // numbers: each is a node
  const capture::Session* s = capture::current_session();
  return s && !s->symbolic && !s->writer.types_only && t->kind == TensorImpl::Kind::Dense && has_captured_values(t) &&
         !is_complex(t.dtype()) && !is_quantized(t.dtype()) && t.numel() <= kMost;
}

// tolist() of a few elements: numbers of the graph. How many there are is guarded.
static nb::object list_in_graph(const Tensor& t) {
  if (t.dim() == 0) return item(t);
  capture::Writer& writer = capture::current_session()->writer;
  const Sizes sizes = writer.sizes(t);
  writer.specialize(sizes[0]);
  nb::list found;
  for (int64_t k = 0; k < t.sizes()[0]; ++k) found.append(list_in_graph("select"_op(t, int64_t{0}, k)));
  return found;
}

nb::object to_list(const Tensor& t, int64_t edge) {
  check_readable(t, "tolist");
  check_not_quantized(t.dtype(), "tolist()");
  return dispatch_any(t.dtype(), [&](auto zero) { return list_of(t, element<decltype(zero)>, 0, t.data(), edge); });
}

Tensor tensor_from_data(PyObject* data, const DType* dtype) {
  if (dtype) check_not_quantized(*dtype, "torch.tensor()");
  if (is_tensor(data)) return converted_copy(tensor_of(data), dtype);
  if (is_numpy_array(data)) return converted_copy(from_numpy(data), dtype);
  NestedShape shape;
  const bool captured = capture::current_session() && holds_symbolic(data);
  if (!captured) measure(data, shape);
  if (!dtype || *dtype == DType::b1) {  // every object has a truth
    see_dtype(data, shape, captured ? kMostDims : shape.sizes.size());
    if (!shape.any) shape.dtype = default_dtype();
    if (is_floating(shape.dtype) || is_complex(shape.dtype)) note_default_dtype();
  }
  if (captured) return tensor_of_numbers(data, dtype ? *dtype : shape.dtype);
  Tensor t = empty(shape.sizes, dtype ? *dtype : shape.dtype);
  char* at = t.data();
  dispatch_any(t.dtype(), [&](auto zero) { fill_from(data, t, store<decltype(zero)>, 0, at); });
  return t;
}

PyMethodDef g_tensor_data_methods[] = {
    {"item", tensor_item, METH_NOARGS, "The value of a tensor with one element, as a Python number."},
    {"tolist", tensor_tolist, METH_NOARGS, "The elements as nested lists; of a 0-d tensor the number."},
    {"_edges", tensor_edges, METH_O, "tolist() with only the first and last n of dims longer than 2n."},
    {"numpy", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(tensor_numpy)), METH_FASTCALL | METH_KEYWORDS,
     "The same memory as a NumPy array."},
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(tensor_dlpack)), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack_device__", tensor_dlpack_device, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

void init_tensor_data(PyObject* module) {
  init_exchange(module);
  nb::handle m(module);
  using namespace nb::literals;
  nb::handle package = check(PyModule_New("monograph")).release();  // where programs find it; the function asks it for its name
  m.attr("tensor") = nb::cpp_function([](nb::handle data, nb::handle dtype, nb::handle device, bool requires_grad,
                                         bool) { return make_tensor(data, dtype, device, requires_grad); },
                                      nb::scope(package), nb::name("tensor"), "data"_a.none(), nb::kw_only(), "dtype"_a = nb::none(),
                                      "device"_a = nb::none(), "requires_grad"_a = false, "pin_memory"_a = false);
  g_tensor = m.attr("tensor").ptr();  // the module keeps it
  m.attr("_new_tensor") = nb::cpp_function([](nb::handle data, nb::handle dtype, nb::handle device,
                                              bool requires_grad) { return make_tensor(data, dtype, device, requires_grad, true); },
                                           "data"_a.none(), "dtype"_a.none(), "device"_a.none(), "requires_grad"_a);
  m.attr("_deepcopied") = nb::cpp_function(deepcopied);
  m.attr("_storage_bytes") = nb::cpp_function(storage_bytes);
  m.attr("as_tensor") = nb::cpp_function(as_tensor, nb::scope(package), nb::name("as_tensor"), "data"_a.none(), "dtype"_a = nb::none(),
                                         "device"_a = nb::none());
  g_as_tensor = m.attr("as_tensor").ptr();
}

}  // namespace monograph::python
