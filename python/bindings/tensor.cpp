// The Tensor type: lifetime and identity, attributes, and what needs no operator.
#include "tensor.h"

#include <structmember.h>

#include <cstddef>

#include "autograd.h"
#include "autograd/engine.h"
#include "builtin.h"
#include "capture/regions.h"
#include "dtypes.h"
#include "exchange.h"
#include "handover.h"
#include "ops/dispatch.h"
#include "ops/tensor_data.h"
#include "reads.h"
#include "symbolic.h"
#include "texts.h"
#include "values.h"

namespace monograph::python {

PyTypeObject g_tensor_base = make_type("monograph._C.TensorBase", sizeof(TensorObject));
PyTypeObject* g_tensor_type = nullptr;

namespace {

PyTypeObject g_meta_type = make_type("monograph._C._TensorMeta", 0);
PyTypeObject* g_parameter_type = nullptr;

// Lifetime ---------------------------------------------------------------------------------------------------------------------------

// Changes which impl the object shows, not its count.
void show(TensorObject* self, TensorImpl* impl) { new (&self->tensor) Tensor(Ref<TensorImpl>::adopt(impl)); }

// Objects of the plain type are reused: an operator's result costs no allocation by Python.
constexpr int kKept = 64;
PyObject* g_free[kKept];
int g_free_count = 0;

// The impl dies and takes its object along.
void release_object(TensorImpl* impl) {
  auto* self = static_cast<TensorObject*>(impl->python);
  // While Python ends, its last collection may still come to the object: it must not find the impl.
  if (!Py_IsInitialized()) return show(self, nullptr);
  PyGILState_STATE state = PyGILState_Ensure();
  impl->python = nullptr, impl->python_release = nullptr;
  show(self, nullptr);
  Py_DECREF(self);
  PyGILState_Release(state);
}

// Whether the object says more than its impl does, or leads to what may lead back to it.
bool has_state(TensorObject* self) {
  if (Py_TYPE(self) != g_tensor_type || self->weakrefs || (self->dict && PyDict_GET_SIZE(self->dict))) return true;
  const GradMeta* meta = find_grad_meta(self->tensor);
  return meta && meta->hooks;
}

// Calls f(place of the value) for each of the __slots__ of the object's class and of those that it is made from, until f does not return 0.
template <class F>
int each_slot(PyObject* object, F&& f) {
  for (PyTypeObject* type = Py_TYPE(object); type && type != &g_tensor_base; type = type->tp_base)
    for (PyMemberDef* m = type->tp_members; m && m->name; ++m)
      if (m->type == T_OBJECT_EX)
        if (int status = f(reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + m->offset))) return status;
  return 0;
}

int clear_slots(PyObject* object) {
  return each_slot(object, [](PyObject** place) {
    Py_CLEAR(*place);
    return 0;
  });
}

// Drops what the object holds.
void free_tensor(PyObject* object) {
  auto* self = reinterpret_cast<TensorObject*>(object);
  PyTypeObject* type = Py_TYPE(self);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  if (type != g_tensor_type) clear_slots(object);
  Py_CLEAR(self->dict);
  if (TensorImpl* impl = self->tensor.impl()) {
    show(self, nullptr);
    impl->python = nullptr;
    impl->release();
  }
  if (type == g_tensor_type && g_free_count < kKept) g_free[g_free_count++] = object;
  else type->tp_free(object);
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) Py_DECREF(type);
}

void tensor_dealloc(PyObject* object) {
  auto* self = reinterpret_cast<TensorObject*>(object);
  if (TensorImpl* impl = self->tensor.impl(); impl && impl->use_count() > 1 && has_state(self)) {
    Py_SET_REFCNT(object, 1);  // from now on the impl's
    impl->python_release = release_object;
    impl->release();
    return;
  }
  PyTypeObject* type = Py_TYPE(self);
  if (type->tp_finalize && PyObject_CallFinalizerFromDealloc(object) < 0) return;
  PyObject_GC_UnTrack(object);
  // A long chain of tensors that are attributes of each other dies one by one rather than in each other's end.
  Py_TRASHCAN_BEGIN_CONDITION(object, type != g_tensor_type || self->dict);
  free_tensor(object);
  Py_TRASHCAN_END;
}

int tensor_traverse(PyObject* object, visitproc visit, void* arg) {
  auto* self = reinterpret_cast<TensorObject*>(object);
  if (Py_TYPE(self)->tp_flags & Py_TPFLAGS_HEAPTYPE) Py_VISIT(Py_TYPE(self));
  // While C++ holds the tensor too, its attributes are reachable from there.
  if (self->tensor.defined() && self->tensor->use_count() > 1) return 0;
  const int status = each_slot(object, [&](PyObject** place) {
    Py_VISIT(*place);
    return 0;
  });
  if (status) return status;
  Py_VISIT(self->dict);
  return self->tensor.defined() ? visit_hooks(self->tensor, visit, arg) : 0;
}

int tensor_clear(PyObject* object) {
  auto* self = reinterpret_cast<TensorObject*>(object);
  clear_slots(object);
  Py_CLEAR(self->dict);
  if (self->tensor.defined() && self->tensor->use_count() == 1) drop_history(self->tensor);
  return 0;
}

// Attributes make cycles possible: from here on the collector looks at the object.
int tensor_setattr(PyObject* object, PyObject* name, PyObject* value) {
  int status = PyObject_GenericSetAttr(object, name, value);
  if (status == 0 && reinterpret_cast<TensorObject*>(object)->dict) track(object);
  return status;
}

int tensor_set_dict(PyObject* object, PyObject* dict, void*) {
  if (PyObject_GenericSetDict(object, dict ? dict : check(PyDict_New()).ptr(), nullptr) < 0) return -1;
  track(object);
  return 0;
}

PyObject* tensor_get_dict(PyObject* object, void*) {
  PyObject* dict = PyObject_GenericGetDict(object, nullptr);
  if (dict) track(object);
  return dict;
}

PyObject* g_absent = nullptr;  // a function of an object or class and a name: raises where PyTorch has the name

// An attribute, once it was looked up. Of one that PyTorch's class has and ours lacks, the error says so.
PyObject* found_or_explained(PyObject* found, PyObject* object, PyObject* name) {
  if (found || !g_absent || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  if (PyUnicode_GET_LENGTH(name) == 0 || PyUnicode_READ_CHAR(name, 0) == '_') return nullptr;  // a protocol that somebody asks for
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyObject* none = PyObject_CallFunctionObjArgs(g_absent, object, name, nullptr);
  if (!none) {  // its error takes the place
    Py_XDECREF(type), Py_XDECREF(error), Py_XDECREF(trace);
    return nullptr;
  }
  Py_DECREF(none);
  PyErr_Restore(type, error, trace);
  return nullptr;
}

PyObject* tensor_getattr(PyObject* object, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(object, name);
  if (found && Py_TYPE(found) == &PyMethod_Type && hands_over(object)) [[unlikely]]
    return method_for_handler(found, object);
  return found_or_explained(found, object, name);
}
PyObject* meta_getattr(PyObject* cls, PyObject* name) { return found_or_explained(PyType_Type.tp_getattro(cls, name), cls, name); }

// An object without a tensor. Those of subclasses are known to the collector, and their __slots__ are empty.
TensorObject* allocate(PyTypeObject* type) {
  if (type != g_tensor_type) return reinterpret_cast<TensorObject*>(check(type->tp_alloc(type, 0)).release().ptr());
  PyObject* object;
  if (g_free_count > 0) {
    object = g_free[--g_free_count];
    PyObject_Init(object, type);
  } else {
    object = reinterpret_cast<PyObject*>(PyObject_GC_New(TensorObject, type));
    if (!object) raise_set();
  }
  auto* self = reinterpret_cast<TensorObject*>(object);
  self->dict = self->weakrefs = nullptr;
  return self;
}

// The metaclass: subclasses written in Python are freed by tensor_dealloc, which knows when to keep them, and what they hold is shown to the
// collector by tensor_traverse, which knows when C++ holds them too.
int meta_init(PyObject* cls, PyObject* args, PyObject* kwargs) {
  if (PyType_Type.tp_init(cls, args, kwargs) < 0) return -1;
  auto* type = reinterpret_cast<PyTypeObject*>(cls);
  type->tp_dealloc = tensor_dealloc, type->tp_traverse = tensor_traverse, type->tp_clear = tensor_clear;
  return 0;
}

// torch.Tensor(...): sizes, data, or a tensor, in the default dtype.
PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guard([&]() -> PyObject* {
    MONOGRAPH_CHECK(type != &g_tensor_base, Runtime, "Cannot directly construct TensorBase; make a torch.Tensor, or a subclass of it");
    MONOGRAPH_CHECK(!kwargs || PyDict_GET_SIZE(kwargs) == 0 || (PyDict_GET_SIZE(kwargs) == 1 && PyDict_GetItemString(kwargs, "device")),
                    Type, "Tensor() takes sizes or data; use torch.tensor for a dtype");
    PyObject* device = kwargs && PyDict_GET_SIZE(kwargs) ? PyDict_GetItemString(kwargs, "device") : nullptr;
    const Device on = device && device != Py_None ? to_device(device) : Device{};
    MONOGRAPH_CHECK(on.type == DeviceType::Cpu, Runtime, "legacy constructor expects device type: cpu but device type: ", to_string(on),
                    " was passed");
    Py_ssize_t n = PyTuple_GET_SIZE(args);
    PyObject* first = n ? PyTuple_GET_ITEM(args, 0) : nullptr;
    const bool is_number = first && PyIndex_Check(first) && !PyBool_Check(first) && !PySequence_Check(first) && !is_tensor(first);
    MONOGRAPH_CHECK(n <= 1 || is_number, Type, "new() received an invalid combination of arguments - got ", n, ", the first a ",
                    type_name(first), "; it takes sizes as ints, or one sequence, tensor or storage");
    Tensor t;
    DType dtype = default_dtype();
    note_default_dtype();
    if (n == 0) t = empty({0}, dtype);
    else if (n == 1 && Py_TYPE(first) == &g_size_type) t = empty(to_dims(first), dtype);
    else if (is_number) t = empty(to_dims(args), dtype);
    else if (is_tensor(first)) {
      Tensor source = tensor_of(first);
      t = shown_apart(source);
    } else {
      MONOGRAPH_CHECK(!PyUnicode_Check(first), Type, "new(): invalid data type 'str'; a tensor holds numbers or bools");
      MONOGRAPH_CHECK(PySequence_Check(first), Type, "new(): data must be a sequence (got ", type_name(first),
                      "); torch.tensor(x) makes a tensor of one number");
      const Tensor over = is_numpy_array(first) ? from_numpy(first) : Tensor();  // an array of this dtype shares its memory
      t = over.defined() && over.dtype() == dtype ? over : tensor_from_data(first, &dtype);
    }
    return wrap_as(type, t).release().ptr();
  });
}

// Attributes ---------------------------------------------------------------------------------------------------------------------------

template <class F>
PyObject* get(PyObject* self, const char* what, F&& f) {
  return guard([&]() -> PyObject* {
    if (what) check_not_symbolic(tensor_of(self), what);
    return nb::object(f(tensor_of(self))).release().ptr();
  });
}
// A getter or method that answers `expression` of the tensor t. The plain one needs the tensor's sizes, dtype or values, which a symbolic
// one has not; what is the same for every tensor of ours, or asks by itself, is ANY.
#define MONOGRAPH_GET(what, expression) \
  [](PyObject* self, void*) -> PyObject* { return get(self, what, [&](const Tensor& t) -> nb::object { return expression; }); }
#define MONOGRAPH_GET_ANY(expression) MONOGRAPH_GET(nullptr, expression)

// x.grad. As in PyTorch, one that backward() leaves empty gives a warning.
nb::object gradient(const Tensor& t) {
  const Tensor grad = grad_of(t);
  if (!grad.defined() && t.requires_grad() && !is_captured(t) && !is_leaf(t) && !retains_grad(t))
    warn(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated during "
        "autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use .retain_grad() on the "
        "non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead.");
  return wrap(grad);
}

nb::object detached_data(const Tensor& t) {
  const bool captured = has_captured_values(t) || t->kind == TensorImpl::Kind::Symbolic;
  return wrap(captured ? Tensor("detach"_op(t)) : data_of(t));
}

// requires_grad as a plain bool, with a guard where another run may differ.
bool known_requires_grad(const Tensor& t) {
  if (capture::requires_grad_in_every_run(t)) return t.requires_grad();
  const IValue asked = capture::demand(capture::asked_requires_grad(t), concat("requires_grad in ", caller_expression()));
  return !asked.is_bool() || asked.to_bool();
}

nb::object number_of_elements(const Tensor& t) { return is_captured(t) ? captured_numel(t) : to_python(t.numel()); }

nb::object rank(const Tensor& t, std::string_view what) {
  if (t->kind == TensorImpl::Kind::Symbolic) return assumed_dims(t, what);
  return is_captured(t) ? captured_rank(t) : to_python(t.dim());
}
nb::object bytes(const Tensor& t) {
  if (!is_captured(t)) return to_python(static_cast<int64_t>(t.nbytes()));
  return check(PyNumber_Multiply(captured_numel(t).ptr(), to_python(element_size(t.dtype())).ptr()));
}

nb::object boolean(bool v) { return nb::borrow(v ? Py_True : Py_False); }

nb::object matrix_transposed(const Tensor& t) {
  MONOGRAPH_CHECK(t->kind == TensorImpl::Kind::Symbolic || t.dim() >= 2, Runtime,
                  "tensor.mT is only supported on matrices or batches of matrices. Got ", t.dim(), "-D tensor.");
  return wrap("transpose"_op(t, -2, -1));
}

nb::object conjugate_transposed(const Tensor& t, bool batched) {
  if (batched) matrix_transposed(t);
  MONOGRAPH_CHECK(batched || t->kind == TensorImpl::Kind::Symbolic || t.dim() == 2 || t.dim() == 0, Runtime,
                  "tensor.H is only supported on matrices (2-D tensors). Got ", t.dim(), "-D tensor.",
                  t.dim() == 1 ? "" : " For batches of matrices, consider using tensor.mH");
  if (t->kind != TensorImpl::Kind::Symbolic && t.dim() == 0) return wrap("conj"_op(t));
  return wrap("conj"_op("transpose"_op(t, -2, -1)));
}

// z.real = x and z.imag = x.
template <bool kReal>
int set_part(PyObject* self, PyObject* value, void*) {
  return guard([&]() -> int {
    IValue number;
    if (value && is_tensor(value)) number = tensor_of(value);
    MONOGRAPH_CHECK(number.is_tensor() || (value && !to_ivalue(value, number)), Type, "expected a tensor or a number, but got ",
                    value ? type_name(value) : "nothing");
    const Tensor& t = tensor_of(self);
    "copy_"_op(kReal ? Tensor("real"_op(t)) : Tensor("imag"_op(t)), number);
    return 0;
  });
}

int set_requires_grad(PyObject* self, PyObject* value, void*) {
  return guard([&]() -> int {
    MONOGRAPH_CHECK(value && PyBool_Check(value), Runtime, "requires_grad must be a bool");
    monograph::set_requires_grad(tensor_of(self), value == Py_True);
    return 0;
  });
}

int set_grad(PyObject* self, PyObject* value, void*) {
  return guard([&]() -> int {
    if (!value || value == Py_None) return python::set_grad(tensor_of(self), {}), 0;
    MONOGRAPH_CHECK(is_tensor(value), Type, "assigned grad expected to be a Tensor or None but got grad of type ", type_name(value));
    MONOGRAPH_CHECK(value != self, Runtime, "can't assign Variable as its own grad");
    python::set_grad(tensor_of(self), tensor_of(value));
    return 0;
  });
}

// x.data = y: the tensor shows other memory from here on, its identity stays.
int set_data(PyObject* self, PyObject* value, void*) {
  return guard([&]() -> int {
    MONOGRAPH_CHECK(value && is_tensor(value), Type, "Variable data has to be a tensor, but got ", value ? type_name(value) : "nothing");
    if (is_captured(tensor_of(self)) && is_own_data(tensor_of(self), tensor_of(value))) return 0;  // x.data += 1 has written in place
    MONOGRAPH_CHECK(!is_captured(tensor_of(self)) && !is_captured(tensor_of(value)), Runtime,
                    "`.data = ` of a tensor is not recorded by a capture; compute a new tensor, or write into this one with copy_()");
    monograph::set_data(tensor_of(self), tensor_of(value));
    return 0;
  });
}

// Methods --------------------------------------------------------------------------------------------------------------------------------

// The one optional argument, `dim`, of size() and stride(); null where it is left out or None.
PyObject* dim_argument(const char* method, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  if (n > 1) fail(ErrorKind::Type, method, "() takes from 0 to 1 positional arguments but ", n, " were given");
  for (Py_ssize_t i = 0; i < named; ++i) {
    const std::string name = nb::cast<std::string>(nb::handle(PyTuple_GET_ITEM(names, i)));
    if (name != "dim") fail(ErrorKind::Type, method, "() got an unexpected keyword argument '", name, "'");
    if (n == 1) fail(ErrorKind::Type, method, "() got multiple values for argument 'dim'");
  }
  PyObject* dim = n + named == 1 ? args[0] : nullptr;
  if (!dim || dim == Py_None) return nullptr;
  if (PyBool_Check(dim) || PyFloat_Check(dim) || PyUnicode_Check(dim) || PyTuple_Check(dim) || PyList_Check(dim))
    fail(ErrorKind::Type, method, "(): argument 'dim' ", n ? "(position 1) " : "", "must be int, not ", type_name(dim));
  return dim;
}

PyObject* tensor_size(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  return guard([&]() -> PyObject* {
    PyObject* dim = dim_argument("size", args, n, names);
    const Tensor& t = tensor_of(self);
    if (is_captured(t)) return (!dim ? captured_sizes(t) : captured_size(t, dim)).release().ptr();
    if (!dim) return to_size(t.sizes()).release().ptr();
    const int64_t d = to_int64(dim);
    check_dim("aten::size.int", d, t);
    return PyLong_FromLongLong(t.size(d));
  });
}

PyObject* tensor_stride(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  return guard([&]() -> PyObject* {
    PyObject* dim = dim_argument("stride", args, n, names);
    const Tensor& t = tensor_of(self);
    check_not_symbolic(t, "the stride");
    if (is_captured(t)) return (dim ? captured_stride(t, demand_int(dim)) : captured_strides(t)).release().ptr();
    if (!dim) return to_tuple(t.strides()).release().ptr();
    const int64_t d = to_int64(dim);
    check_dim("aten::stride.int", d, t);
    return PyLong_FromLongLong(t.stride(d));
  });
}

PyObject* tensor_is_contiguous(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  return guard([&]() -> PyObject* {
    MONOGRAPH_CHECK(n + (names ? PyTuple_GET_SIZE(names) : 0) <= 1, Type, "is_contiguous() takes at most 1 argument");
    MemoryFormat format = MemoryFormat::Contiguous;
    if (n == 1 || names) {
      MONOGRAPH_CHECK(Py_TYPE(args[0]) == &g_memory_format_type, Type,
                      "is_contiguous(): argument 'memory_format' must be torch.memory_format, not ", type_name(args[0]));
      format = reinterpret_cast<MemoryFormatObject*>(args[0])->value;
    }
    const Tensor& t = tensor_of(self);
    check_not_symbolic(t, "is_contiguous()");
    if (is_captured(t)) return captured_is_contiguous(t, format).release().ptr();
    return PyBool_FromLong(t.is_contiguous(format));
  });
}

nb::object version_of(const Tensor& t) {
  MONOGRAPH_CHECK(!t.is_inference(), Runtime, "Inference tensors do not track version counter.");
  return to_python(int64_t{t.version()});
}

// Whether it is a condition that a capture follows, of which the example's truth is known.
bool is_captured_bool(PyObject* o) {
  const SymbolicValue* condition = is_symbolic(o) ? symbolic_value(symbolic_of(o)) : nullptr;
  return condition && condition->hint.is_bool();
}

PyObject* tensor_requires_grad_(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  return guard([&]() -> PyObject* {
    const Py_ssize_t given = n + (names ? PyTuple_GET_SIZE(names) : 0);
    MONOGRAPH_CHECK(given <= 1, Type, "requires_grad_() takes 1 argument, but got ", given);
    MONOGRAPH_CHECK(!names || text_of(PyTuple_GET_ITEM(names, 0)) == "requires_grad", Type,
                    "requires_grad_() got an unexpected keyword argument '", text_of(PyTuple_GET_ITEM(names, 0)), "'");
    MONOGRAPH_CHECK(given == 0 || PyBool_Check(args[0]) || is_captured_bool(args[0]), Type,
                    "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not ", type_name(args[0]));
    const int flag = given == 0 ? 1 : PyObject_IsTrue(args[0]);  // a condition of a capture is asked for, under a guard
    if (flag < 0) return nullptr;
    monograph::set_requires_grad(tensor_of(self), flag != 0);
    return Py_NewRef(self);
  });
}

// _make_subclass(cls, data, require_grad=False, is_parameter=False): a tensor of its own over the same memory, as an object of cls.
PyObject* make_subclass(PyObject*, PyObject* args, PyObject* kwargs) {
  return guard([&]() -> PyObject* {
    PyObject *cls, *data;
    int requires_grad = 0, is_parameter = 0;
    static const char* names[] = {"cls", "data", "require_grad", "is_parameter", nullptr};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O|pp", const_cast<char**>(names), &PyType_Type, &cls, &data, &requires_grad,
                                     &is_parameter))
      return nullptr;
    MONOGRAPH_CHECK(is_tensor(data), Type, "Parameter and _make_subclass take a Tensor, but got ", type_name(data),
                    "; make one with torch.tensor(...)");
    MONOGRAPH_CHECK(PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls), &g_tensor_base), Type,
                    "_make_subclass expects a subclass of Tensor");
    check_not_symbolic(tensor_of(data), "another Python type");
    Tensor t = shown_apart(tensor_of(data));
    t->is_parameter = is_parameter;
    if (requires_grad) monograph::set_requires_grad(t, true);
    return wrap_as(reinterpret_cast<PyTypeObject*>(cls), t).release().ptr();
  });
}

// as_subclass(cls): a view of the tensor, with its history, as an object of cls.
PyObject* as_subclass(PyObject* self, PyObject* cls) {
  return guard([&]() -> PyObject* {
    MONOGRAPH_CHECK(PyType_Check(cls) && PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls), &g_tensor_base), Type,
                    "cls must be a type derived from Tensor, but got ", type_name(cls));
    Tensor view = "alias"_op(tensor_of(self));
    return wrap_as(reinterpret_cast<PyTypeObject*>(cls), view).release().ptr();
  });
}

#define MONOGRAPH_METHOD(what, expression) \
  [](PyObject* self, PyObject*) -> PyObject* { return get(self, what, [&](const Tensor& t) -> nb::object { return expression; }); }

template <class F>
PyCFunction fast(F* f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}

Py_ssize_t tensor_length(PyObject* self) {
  return guard([&]() -> Py_ssize_t {
    if (nb::object answer = handed_over_protocol(self, "__len__", &self, 1); answer.is_valid())
      return PyNumber_AsSsize_t(answer.ptr(), PyExc_OverflowError);
    const Tensor& t = tensor_of(self);
    if (is_captured(t)) return demand_int(captured_size(t, to_python(int64_t{0}).ptr()).ptr());
    MONOGRAPH_CHECK(t.dim(), Type, "len() of a 0-d tensor");
    return t.sizes()[0];
  });
}

// Identity, as PyTorch hashes.
Py_hash_t tensor_hash(PyObject* self) { return static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(self) >> 4); }

PyMappingMethods tensor_mapping = {tensor_length, tensor_subscript, tensor_assign_subscript};

}  // namespace

void track(PyObject* tensor) {
  if (!PyObject_GC_IsTracked(tensor)) PyObject_GC_Track(tensor);
}

nb::object wrap_as(PyTypeObject* type, const Tensor& t) {
  TensorImpl* impl = t.impl();
  MONOGRAPH_ASSERT(impl && !impl->python);
  TensorObject* self = allocate(type);
  impl->retain();
  show(self, impl);
  impl->python = self;
  return nb::steal(reinterpret_cast<PyObject*>(self));
}

nb::object wrap(const Tensor& t) {
  TensorImpl* impl = t.impl();
  if (!impl) return nb::none();
  if (!impl->python) return wrap_as(impl->is_parameter && g_parameter_type ? g_parameter_type : g_tensor_type, t);
  auto* object = static_cast<PyObject*>(impl->python);
  if (!impl->python_release) return nb::borrow(object);
  impl->python_release = nullptr;  // the object owns the impl again
  impl->retain();
  return nb::steal(object);
}

PyGetSetDef g_tensor_getset[] = {
    {"dtype", MONOGRAPH_GET_ANY(nb::borrow(object_of(dtype_of(t, "dtype")))), nullptr, "The dtype of the elements, such as torch.float32.",
     nullptr},
    {"shape", MONOGRAPH_GET_ANY(is_captured(t) ? captured_sizes(t) : to_size(t.sizes())), nullptr, "The sizes of all dims, as size().",
     nullptr},
    {"ndim", MONOGRAPH_GET_ANY(rank(t, "ndim")), nullptr, "The number of dims, as dim().", nullptr},
    {"device", MONOGRAPH_GET_ANY(to_python(t.device())), nullptr,
     "Where the elements lie: torch.device('cpu'), or 'meta' for a tensor that has sizes but no elements.", nullptr},
    {"layout", MONOGRAPH_GET_ANY(nb::borrow(strided_layout())), nullptr, "How the elements lie: torch.strided.", nullptr},
    {"itemsize", MONOGRAPH_GET("itemsize", to_python(element_size(t.dtype()))), nullptr, "The bytes of one element.", nullptr},
    {"nbytes", MONOGRAPH_GET("nbytes", bytes(t)), nullptr, "The bytes of all elements: numel() * itemsize.", nullptr},
    {"_version", MONOGRAPH_GET("_version", version_of(t)), nullptr, "How often the memory was written.", nullptr},
    {"requires_grad", MONOGRAPH_GET_ANY(is_captured(t) ? captured_requires_grad(t) : boolean(t.requires_grad())), set_requires_grad,
     "Whether operators on this tensor are recorded, so that backward() computes its gradient.", nullptr},
    {"_requires_grad", MONOGRAPH_GET_ANY(boolean(t.requires_grad())), nullptr,
     "requires_grad, which no capture sees that it was asked for.", nullptr},
    {"grad", MONOGRAPH_GET_ANY(gradient(t)), set_grad,
     "The gradient that backward() computed; None before. Each further backward() adds to it.", nullptr},
    {"grad_fn", MONOGRAPH_GET_ANY(is_captured(t) && !known_requires_grad(t) ? nb::none() : grad_fn_of(t)), nullptr,
     "The operator that made this tensor, as backward() will go through it; None if it does not require grad, or is a leaf.", nullptr},
    {"_base", MONOGRAPH_GET_ANY(t->base ? wrap(Tensor(t->base)) : nb::none()), nullptr,
     "The tensor of which this one is a view; None where it is none.", nullptr},
    {"is_leaf", MONOGRAPH_GET_ANY(boolean((is_captured(t) && !known_requires_grad(t)) || is_leaf(t))), nullptr,
     "Whether no recorded operator made it. backward() writes the grad of leaves.", nullptr},
    {"_is_leaf", MONOGRAPH_GET_ANY(boolean(is_leaf(t))), nullptr, "is_leaf, which no capture sees that it was asked for.", nullptr},
    {"output_nr", MONOGRAPH_GET_ANY(to_python(output_number(t))), nullptr, "Which of the results of its grad_fn this tensor is.", nullptr},
    {"data", MONOGRAPH_GET_ANY(detached_data(t)), set_data,
     "The same memory as a tensor that does not require grad. Writes to it are not seen by backward(); write detach() instead.", nullptr},
    {"T", MONOGRAPH_GET_ANY(wrap("numpy_T"_op(t))), nullptr, "The dims in reverse.", nullptr},
    {"mT", MONOGRAPH_GET_ANY(matrix_transposed(t)), nullptr, "The last two dims exchanged.", nullptr},
    {"H", MONOGRAPH_GET_ANY(conjugate_transposed(t, false)), nullptr, "A matrix with its dims exchanged, conjugated.", nullptr},
    {"mH", MONOGRAPH_GET_ANY(conjugate_transposed(t, true)), nullptr, "The last two dims exchanged, conjugated.", nullptr},
    {"real", MONOGRAPH_GET_ANY(wrap("real"_op(t))), set_part<true>, "A view of the real parts.", nullptr},
    {"imag", MONOGRAPH_GET_ANY(wrap("imag"_op(t))), set_part<false>, "A view of the imaginary parts.", nullptr},
    {"is_cpu", MONOGRAPH_GET_ANY(boolean(t.device().type == DeviceType::Cpu)), nullptr, "Whether it lies on the CPU.", nullptr},
    {"is_meta", MONOGRAPH_GET_ANY(boolean(t.is_meta())), nullptr, "Whether it has sizes, but no elements.", nullptr},
    {"is_cuda", MONOGRAPH_GET_ANY(boolean(false)), nullptr, "False: there are no such tensors here.", nullptr},
    {"is_xpu", MONOGRAPH_GET_ANY(boolean(false)), nullptr, "False: there are no such tensors here.", nullptr},
    {"is_ipu", MONOGRAPH_GET_ANY(boolean(false)), nullptr, "False: there are no such tensors here.", nullptr},
    {"is_mps", MONOGRAPH_GET_ANY(boolean(false)), nullptr, "False: there are no such tensors here.", nullptr},
    {"is_mkldnn", MONOGRAPH_GET_ANY(boolean(false)), nullptr, "False: there are no such tensors here.", nullptr},
    {"is_xla", MONOGRAPH_GET_ANY(boolean(false)), nullptr, "False: there are no such tensors here.", nullptr},
    {"is_mtia", MONOGRAPH_GET_ANY(boolean(false)), nullptr, "False: there are no such tensors here.", nullptr},
    {"is_sparse", MONOGRAPH_GET_ANY(boolean(false)), nullptr, "False: there are no such tensors here.", nullptr},
    {"is_sparse_csr", MONOGRAPH_GET_ANY(boolean(false)), nullptr, "False: there are no such tensors here.", nullptr},
    {"is_quantized", MONOGRAPH_GET_ANY(boolean(is_quantized(t.dtype()))), nullptr,
     "Whether its dtype is a quantized one, such as torch.quint8.", nullptr},
    {"is_nested", MONOGRAPH_GET_ANY(boolean(false)), nullptr, "False: there are no such tensors here.", nullptr},
    {"_is_symbolic", MONOGRAPH_GET_ANY(to_python(std::string_view(symbolic_name(t)))), nullptr,
     "The name of the node that a symbolic tensor stands for; \"\" for others.", nullptr},
    {"_is_parameter", MONOGRAPH_GET_ANY(boolean(t->is_parameter)), nullptr, nullptr, nullptr},
    {"__dict__", tensor_get_dict, tensor_set_dict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// The address, which from now on others may write through.
static const void* exposed_data(const Tensor& t) {
  if (!t.numel() || !t->storage || !t->storage->bytes()) return nullptr;
  t->storage->expose();
  return t.data();
}

PyMethodDef g_tensor_methods[] = {
    {"size", fast(tensor_size), METH_FASTCALL | METH_KEYWORDS, "All sizes, or that of one dim."},
    {"stride", fast(tensor_stride), METH_FASTCALL | METH_KEYWORDS, "All strides in elements, or that of one dim."},
    {"dim", MONOGRAPH_METHOD(nullptr, rank(t, "dim")), METH_NOARGS, "The number of dims."},
    {"ndimension", MONOGRAPH_METHOD(nullptr, rank(t, "ndimension")), METH_NOARGS, "The number of dims, as dim()."},
    {"numel", MONOGRAPH_METHOD(nullptr, number_of_elements(t)), METH_NOARGS, "The number of elements."},
    {"nelement", MONOGRAPH_METHOD(nullptr, number_of_elements(t)), METH_NOARGS, "The number of elements, as numel()."},
    {"storage_offset",
     MONOGRAPH_METHOD("storage_offset", is_captured(t) ? captured_number("aten::storage_offset", t) : to_python(t->offset)), METH_NOARGS,
     "The place of the first element in the memory that the tensor shows, in elements."},
    {"element_size", MONOGRAPH_METHOD(nullptr, to_python(element_size(dtype_of(t, "element_size")))), METH_NOARGS,
     "The bytes of one element."},
    {"data_ptr", MONOGRAPH_METHOD("data_ptr", to_python(static_cast<int64_t>(reinterpret_cast<uintptr_t>(exposed_data(t))))), METH_NOARGS,
     "The address of the first element."},
    {"is_contiguous", fast(tensor_is_contiguous), METH_FASTCALL | METH_KEYWORDS,
     "Whether the elements lie in memory in the order of their indices, without gaps; or in that of `memory_format`."},
    {"is_floating_point", MONOGRAPH_METHOD(nullptr, boolean(is_floating(dtype_of(t, "is_floating_point")))), METH_NOARGS,
     "Whether the dtype is a floating one."},
    {"is_complex", MONOGRAPH_METHOD(nullptr, boolean(is_complex(dtype_of(t, "is_complex")))), METH_NOARGS,
     "Whether the dtype is a complex one."},
    {"is_inference", MONOGRAPH_METHOD("is_inference", boolean(t.is_inference())), METH_NOARGS,
     "Whether it was made in inference_mode, or shows memory that was."},
    {"is_signed", MONOGRAPH_METHOD(nullptr, boolean(info(dtype_of(t, "is_signed")).is_signed)), METH_NOARGS,
     "Whether the dtype has negative numbers."},
    {"get_device", MONOGRAPH_METHOD("get_device", to_python(int64_t{-1})), METH_NOARGS, "The number of the GPU; -1 on the CPU."},
    {"requires_grad_", fast(tensor_requires_grad_), METH_FASTCALL | METH_KEYWORDS,
     "Sets requires_grad, to True if nothing is given, and returns the tensor."},
    {"as_subclass", as_subclass, METH_O, "A view of this tensor as an object of a subclass."},
    {"_make_subclass", fast(make_subclass), METH_VARARGS | METH_KEYWORDS | METH_STATIC, nullptr},
    {nullptr, nullptr, 0, nullptr}};

void init_tensor(PyObject* module) {
  g_meta_type.tp_base = &PyType_Type;
  g_meta_type.tp_basicsize = PyType_Type.tp_basicsize, g_meta_type.tp_itemsize = PyType_Type.tp_itemsize;
  g_meta_type.tp_flags |= Py_TPFLAGS_BASETYPE;
  g_meta_type.tp_init = meta_init, g_meta_type.tp_getattro = meta_getattr;
  add_type(module, g_meta_type);

  PyTypeObject& t = g_tensor_base;
  t.ob_base.ob_base.ob_type = &g_meta_type;
  t.tp_flags |= Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  t.tp_dealloc = tensor_dealloc, t.tp_traverse = tensor_traverse, t.tp_clear = tensor_clear, t.tp_free = PyObject_GC_Del;
  t.tp_dictoffset = offsetof(TensorObject, dict), t.tp_weaklistoffset = offsetof(TensorObject, weakrefs);
  t.tp_setattro = tensor_setattr, t.tp_getattro = tensor_getattr;
  t.tp_new = tensor_new, t.tp_hash = tensor_hash;
  t.tp_as_mapping = &tensor_mapping;
  t.tp_getset = asking_attributes(g_tensor_getset), t.tp_methods = asking_methods(g_tensor_methods);
  init_tensor_data(module);
  init_tensor_members(module);
  add_operator_slots(t);
  add_type(module, t);
  for (PyMethodDef* m = asking_methods(g_tensor_data_methods); m->ml_name; ++m)
    check(PyDict_SetItemString(t.tp_dict, m->ml_name, check(PyDescr_NewMethod(&t, m)).ptr()));
  add_operator_methods(t);

  nb::handle m(module);
  m.attr("_set_tensor_type") =
      nb::cpp_function([](nb::handle type) { g_tensor_type = reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr()); });
  m.attr("_set_absent") = nb::cpp_function([](nb::handle function) { g_absent = function.inc_ref().ptr(); });
  // What two objects show changes hands: torch.utils.swap_tensors.
  m.attr("_swap_tensors") = nb::cpp_function([](nb::handle a, nb::handle b) {
    auto *x = reinterpret_cast<TensorObject*>(a.ptr()), *y = reinterpret_cast<TensorObject*>(b.ptr());
    for (const TensorObject* t : {x, y})
      MONOGRAPH_CHECK(t->tensor->use_count() == 1, Runtime, "swap_tensors: expected a tensor that nothing but its variable holds, but ",
                      t->tensor->use_count() - 1,
                      " others hold this one, such as operators that were recorded for its gradient; swap it before "
                      "it is used, or after the backward pass");
    TensorImpl *of_x = x->tensor.impl(), *of_y = y->tensor.impl();
    show(x, of_y), show(y, of_x);
    of_x->python = y, of_y->python = x;
  });
  // Also of a class that Python may not write to.
  m.attr("_set_type_attribute") = nb::cpp_function([](nb::handle type, nb::handle name, nb::handle value) {
    auto* t = reinterpret_cast<PyTypeObject*>(type.ptr());
    if (t->tp_flags & Py_TPFLAGS_HEAPTYPE) return check(PyObject_SetAttr(type.ptr(), name.ptr(), value.ptr()));
    check(PyDict_SetItem(t->tp_dict, name.ptr(), value.ptr()));
    PyType_Modified(t);
  });
  m.attr("_set_parameter_type") =
      nb::cpp_function([](nb::handle type) { g_parameter_type = reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr()); });
  m.attr("_get_default_dtype") = nb::cpp_function([] { return nb::borrow(object_of(default_dtype())); });
  m.attr("_set_default_dtype") = nb::cpp_function([](nb::handle t) {
    DType dtype;
    MONOGRAPH_CHECK(to_dtype(t.ptr(), dtype), Type,
                    "invalid dtype object: only floating-point types are supported as the default type, but got ", type_name(t.ptr()),
                    "; write the dtype itself, for example torch.float32");
    set_default_dtype(dtype);
  });
}

}  // namespace monograph::python
