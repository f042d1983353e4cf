// Walks Python objects and makes IValues of them, and the other way round. The depth of lists and tuples is limited. torch.Generator is here too.
#include "values.h"

#include "builtin.h"
#include "capture/capture.h"
#include "capture/machine/machine.h"
#include "compile.h"
#include "core/generator.h"
#include "layouts.h"
#include "lists.h"
#include "not_built.h"
#include "ops/generator_value.h"
#include "symbolic.h"
#include "tensor.h"
#include "texts.h"

namespace monograph::python {

PyTypeObject g_generator_type = make_type("monograph._C.Generator", 0);

PyBox::~PyBox() {
  if (!Py_IsInitialized()) return;
  PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(object);
  PyGILState_Release(state);
}

namespace {

struct GeneratorObject {
  PyObject_HEAD GeneratorBox* box;  // counted
};

// How deep a list lies in others. One may hold itself.
class Nesting {
 public:
  Nesting() {
    MONOGRAPH_CHECK(depth_ < kDeepest, Type, "lists and tuples nest more than ", kDeepest, " levels deep, or one holds itself");
    ++depth_;
  }
  ~Nesting() { --depth_; }

 private:
  static constexpr int kDeepest = 64;
  static thread_local int depth_;
};
thread_local int Nesting::depth_ = 0;

// A list or tuple: of ints alone it is the list that shapes and dims are made of.
PyObject* sequence_to_ivalue(PyObject* o, IValue& out) {
  bool tuple = PyTuple_Check(o);
  Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  PyObject** items = PySequence_Fast_ITEMS(o);
  bool ints = n > 0;
  for (Py_ssize_t i = 0; i < n && ints; ++i) ints = PyLong_CheckExact(items[i]);
  if (ints) {
    Dims dims(static_cast<size_t>(n), 0);
    for (Py_ssize_t i = 0; i < n; ++i) {
      int overflow = 0;
      dims[static_cast<size_t>(i)] = PyLong_AsLongLongAndOverflow(items[i], &overflow);
      MONOGRAPH_CHECK(overflow == 0, Type, "Overflow when unpacking long long: item ", i, " of a list of ints does not fit into 64 bits");
    }
    return out = std::move(dims), nullptr;
  }
  if (Py_TYPE(o) == &g_size_type && whole_size(o, out)) return nullptr;
  const Nesting nesting;
  std::vector<IValue> values(static_cast<size_t>(n));
  for (Py_ssize_t i = 0; i < n; ++i)
    if (PyObject* unknown = to_ivalue(items[i], values[static_cast<size_t>(i)])) return unknown;
  out = tuple ? IValue::tuple(std::move(values)) : IValue::list(std::move(values));
  return nullptr;
}

// Of a class derived from list or tuple, which may take calls over.
bool is_own_sequence(PyObject* o) { return !PyTuple_CheckExact(o) && !PyList_CheckExact(o) && Py_TYPE(o) != &g_size_type; }

bool has_torch_function(PyObject* o) {
  PyObject* found = nullptr;
  _PyObject_LookupAttr(reinterpret_cast<PyObject*>(Py_TYPE(o)), check(PyUnicode_InternFromString("__torch_function__")).ptr(), &found);
  capture::machine::forget_error();
  Py_XDECREF(found);
  return found != nullptr;
}

// Objects of other libraries that are numbers: NumPy's scalars.
PyObject* other_to_ivalue(PyObject* o, IValue& out) {
  if (PyBytes_Check(o)) return out = text_of_bytes(o), nullptr;  // as in PyTorch, bytes may stand for a text
  if (has_torch_function(o)) return o;
  if (not_built_to_ivalue(o, out)) return nullptr;
  PyNumberMethods* number = Py_TYPE(o)->tp_as_number;
  if (PyType_Check(o) || !number || PySequence_Check(o)) return o;
  if (number->nb_index) return out = to_int64(o), nullptr;
  if (number->nb_bool && std::string_view(type_name(o)).starts_with("numpy.bool")) return out = PyObject_IsTrue(o) == 1, nullptr;
  if (!number->nb_float) return o;
  double v = PyFloat_AsDouble(o);
  if (v == -1.0 && PyErr_Occurred()) raise_set();
  return out = v, nullptr;
}

}  // namespace

PyObject* to_ivalue(PyObject* o, IValue& out) {
  PyTypeObject* type = Py_TYPE(o);
  if (type == g_tensor_type) [[likely]]
    return out = IValue(tensor_of(o)), nullptr;
  if (type == &PyLong_Type) {
    int overflow = 0;
    long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
    MONOGRAPH_CHECK(overflow == 0, Value, "Overflow when unpacking long long: the number does not fit into 64 bits; a float is larger");
    return out = static_cast<int64_t>(v), nullptr;
  }
  if (type == &PyFloat_Type) return out = PyFloat_AS_DOUBLE(o), nullptr;
  if (o == Py_None) return out = IValue(), nullptr;
  if (type == &PyBool_Type) return out = o == Py_True, nullptr;
  if (PyObject_TypeCheck(o, &g_tensor_base)) {
    if (overrides_calls(o)) return o;
    return out = IValue(tensor_of(o)), nullptr;
  }
  if (PyTuple_Check(o) || PyList_Check(o)) return is_own_sequence(o) && overrides_calls(o) ? o : sequence_to_ivalue(o, out);
  if (is_symbolic(o)) return out = python::symbolic_of(o), nullptr;
  if (DType t; to_dtype(o, t)) return out = t, nullptr;
  if (type == &g_device_type) return out = reinterpret_cast<DeviceObject*>(o)->value, nullptr;
  if (PyUnicode_Check(o)) return out = text_of(o), nullptr;
  if (type == &g_memory_format_type) return out = reinterpret_cast<MemoryFormatObject*>(o)->value, nullptr;
  if (type == &g_layout_type) return check_strided(o), out = IValue::layout(), nullptr;
  if (PyFloat_Check(o)) return out = PyFloat_AS_DOUBLE(o), nullptr;
  if (PyLong_Check(o)) return out = to_int64(o), nullptr;
  if (PyComplex_Check(o)) return out = std::complex<double>(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)), nullptr;
  if (PyObject_TypeCheck(o, &g_generator_type)) return out = IValue(Ref<ObjectBox>(reinterpret_cast<GeneratorObject*>(o)->box)), nullptr;
  if (is_carried_list(o)) return to_ivalue(items_of_carried(o).ptr(), out);
  return other_to_ivalue(o, out);
}

nb::object to_python(const IValue& v) {
  switch (v.tag()) {
    case IValue::Tag::None: return nb::none();
    case IValue::Tag::Bool: return nb::borrow(v.to_bool() ? Py_True : Py_False);
    case IValue::Tag::Int: return to_python(v.to_int());
    case IValue::Tag::Float: return check(PyFloat_FromDouble(v.to_double()));
    case IValue::Tag::Dtype: return nb::borrow(object_of(v.to_dtype()));
    case IValue::Tag::Device: return to_python(v.to_device());
    case IValue::Tag::MemoryFormat: return nb::borrow(object_of(v.to_memory_format()));
    case IValue::Tag::Layout: return nb::borrow(strided_layout());
    case IValue::Tag::Tensor: return wrap(v.as_tensor());
    case IValue::Tag::Complex: return check(PyComplex_FromDoubles(v.to_complex().real(), v.to_complex().imag()));
    case IValue::Tag::Str: return to_python(std::string_view(v.to_string()));
    case IValue::Tag::Ints: {
      auto list = check(PyList_New(0));
      for (int64_t i : v.to_ints()) check(PyList_Append(list.ptr(), to_python(i).ptr()));
      return list;
    }
    case IValue::Tag::List:
    case IValue::Tag::Tuple: {
      auto items = check(PyTuple_New(static_cast<Py_ssize_t>(v.items().size())));
      Py_ssize_t i = 0;
      for (const IValue& item : v.items()) PyTuple_SET_ITEM(items.ptr(), i++, to_python(item).release().ptr());
      return items;  // PyTorch's operators answer tuples where their schemas say lists of tensors
    }
    case IValue::Tag::Dict: {
      auto dict = check(PyDict_New());
      for (const auto& [key, value] : v.pairs()) check(PyDict_SetItem(dict.ptr(), to_python(key).ptr(), to_python(value).ptr()));
      return dict;
    }
    case IValue::Tag::Object:
      if (auto* box = dynamic_cast<PyBox*>(v.object())) return nb::borrow(box->object);
      if (auto* box = dynamic_cast<GeneratorBox*>(v.object())) {
        auto object = check(g_generator_type.tp_alloc(&g_generator_type, 0));
        box->retain();
        reinterpret_cast<GeneratorObject*>(object.ptr())->box = box;
        return object;
      }
      if (symbolic_value(v)) return wrap_symbolic(v);
      if (nb::object made = not_built_to_python(v); made.is_valid()) return made;
      throw InternalError("an object without a Python form reached Python");
  }
  return nb::none();
}

namespace {

Generator& generator_of(PyObject* self) { return reinterpret_cast<GeneratorObject*>(self)->box->generator; }

PyObject* generator_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guard([&]() -> PyObject* {
    PyObject* device = nullptr;
    static const char* names[] = {"device", nullptr};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", const_cast<char**>(names), &device)) return nullptr;
    if (device && device != Py_None)
      MONOGRAPH_CHECK(to_device(device).type == DeviceType::Cpu, Runtime, "Generator() expected device='cpu', but got '",
                      to_string(to_device(device)), "': Monograph draws random numbers on the CPU");
    auto object = check(type->tp_alloc(type, 0));
    auto* box = new GeneratorBox(Generator::kDefaultSeed);
    box->retain();
    reinterpret_cast<GeneratorObject*>(object.ptr())->box = box;
    return object.release().ptr();
  });
}

void generator_dealloc(PyObject* self) {
  if (auto* box = reinterpret_cast<GeneratorObject*>(self)->box) box->release();
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) Py_DECREF(type);
}

// Seeds wrap as PyTorch's do: negative ones count from 2^64.
uint64_t seed_from(PyObject* o) {
  auto index = check(PyNumber_Index(o));
  uint64_t seed = PyLong_AsUnsignedLongLongMask(index.ptr());
  if (PyErr_Occurred()) raise_set();
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow) {
    unsigned long long v = PyLong_AsUnsignedLongLong(index.ptr());
    if (v == static_cast<unsigned long long>(-1) && PyErr_Occurred()) {
      PyErr_Clear();
      fail(ErrorKind::Runtime, "Overflow when unpacking unsigned long long");
    }
  }
  return seed;
}

// Whether a trace or a symbolic capture runs that has to hold what happens to the default generator. torch.compile ends its graph there.
capture::Session* session_of_stream(PyObject* generator) {
  return &generator_of(generator) == &default_generator() && !compiled::is_compiling() ? capture::current_session() : nullptr;
}

bool draws(const ir::Graph& graph) {
  for (const ir::Node* n : ir::NestedNodes(graph))
    if (n->info() && (n->info()->effects().writes & ir::Effects::Random)) return true;
  return false;
}

PyObject* generator_manual_seed(PyObject* self, PyObject* seed) {
  return guard([&] {
    const uint64_t number = seed_from(seed);
    if (capture::Session* session = session_of_stream(self)) {
      if (session->symbolic)
        refuse_captured(ErrorKind::Runtime,
                        "manual_seed() in a function that is traced symbolically: the graph cannot record it. Call it before the function");
      IValue given[] = {static_cast<int64_t>(number)}, none;
      call(find_operator("aten::manual_seed"), given, &none);
    }
    generator_of(self).manual_seed(number);
    return Py_NewRef(self);
  });
}
PyObject* generator_initial_seed(PyObject* self, PyObject*) {
  return guard([&] { return PyLong_FromUnsignedLongLong(generator_of(self).initial_seed()); });
}
PyObject* generator_seed(PyObject* self, PyObject*) {
  return guard([&] { return PyLong_FromUnsignedLongLong(generator_of(self).seed()); });
}
PyObject* generator_get_state(PyObject* self, PyObject*) {
  return guard([&] {
    std::vector<uint8_t> state = generator_of(self).get_state();
    Tensor t = empty({static_cast<int64_t>(state.size())}, DType::u8);
    std::copy(state.begin(), state.end(), t.data_as<uint8_t>());
    return wrap(t).release().ptr();
  });
}
PyObject* generator_set_state(PyObject* self, PyObject* state) {
  return guard([&] {
    MONOGRAPH_CHECK(is_tensor(state) && impl_of(state)->dtype == DType::u8 && impl_of(state)->contiguous, Type,
                    "RNG state must be a torch.ByteTensor");
    Tensor t = tensor_of(state);
    if (const capture::Session* session = session_of_stream(self)) {  // what has drawn nothing may put the state back
      const std::vector<uint8_t> now = generator_of(self).get_state();
      const bool same = static_cast<size_t>(t.numel()) == now.size() && std::equal(now.begin(), now.end(), t.data_as<uint8_t>());
      if (!same || draws(session->writer.graph))
        refuse_captured(ErrorKind::Runtime,
                        "the state of the default random generator is set in a function that is captured, and a graph cannot set it. Use "
                        "torch.manual_seed(), which a trace records, or set the state outside of the function");
    }
    generator_of(self).set_state({t.data_as<uint8_t>(), static_cast<size_t>(t.numel())});
    return Py_NewRef(self);
  });
}

// A generator that goes on from the same place.
PyObject* generator_clone_state(PyObject* self, PyObject*) {
  return guard([&] {
    auto made = check(PyObject_CallNoArgs(reinterpret_cast<PyObject*>(Py_TYPE(self))));
    generator_of(made.ptr()) = generator_of(self);
    return made.release().ptr();
  });
}
// Pickled and copied as a new generator with its state, in PyTorch's form: the device; then the seed, the offset that only a GPU has, and the state.
PyObject* generator_reduce(PyObject* self, PyObject*) {
  return guard([&] {
    auto state = check(generator_get_state(self, nullptr)), device = to_python(Device{});
    return Py_BuildValue("(O(O)(KOO))", Py_TYPE(self), device.ptr(), static_cast<unsigned long long>(generator_of(self).initial_seed()),
                         Py_None, state.ptr());
  });
}
PyObject* generator_restore(PyObject* self, PyObject* kept) {
  return guard([&]() -> PyObject* {
    PyObject* state = kept;  // files of earlier versions hold nothing else
    if (PyTuple_Check(kept)) {
      MONOGRAPH_CHECK(PyTuple_GET_SIZE(kept) == 3 && PyTuple_GET_ITEM(kept, 1) == Py_None, Type,
                      "the state of a pickled Generator is (seed, None, the state as a torch.ByteTensor)");
      generator_of(self).manual_seed(seed_from(PyTuple_GET_ITEM(kept, 0)));
      state = PyTuple_GET_ITEM(kept, 2);
    }
    return generator_set_state(self, state);
  });
}

PyMethodDef generator_methods[] = {{"clone_state", generator_clone_state, METH_NOARGS, "A generator that goes on from the same place."},
                                   {"__reduce__", generator_reduce, METH_NOARGS, nullptr},
                                   {"__setstate__", generator_restore, METH_O, nullptr},
                                   {"manual_seed", generator_manual_seed, METH_O, "Restarts the stream from a seed."},
                                   {"initial_seed", generator_initial_seed, METH_NOARGS, nullptr},
                                   {"seed", generator_seed, METH_NOARGS, "Restarts the stream from the system's entropy."},
                                   {"get_state", generator_get_state, METH_NOARGS, nullptr},
                                   {"set_state", generator_set_state, METH_O, nullptr},
                                   {nullptr, nullptr, 0, nullptr}};
PyGetSetDef generator_getset[] = {
    {"device", [](PyObject*, void*) { return guard([&] { return to_python(Device{}).release().ptr(); }); }, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

void init_values(PyObject* module) {
  g_generator_type.tp_basicsize = sizeof(GeneratorObject);
  g_generator_type.tp_flags |= Py_TPFLAGS_BASETYPE;
  g_generator_type.tp_new = generator_new, g_generator_type.tp_dealloc = generator_dealloc;
  g_generator_type.tp_methods = generator_methods, g_generator_type.tp_getset = generator_getset;
  g_generator_type.tp_doc =
      "A stream of random numbers: torch.Generator().manual_seed(0). Functions that draw take it as generator=, and use "
      "torch.default_generator without it.";
  add_type(module, g_generator_type);
  auto box = make_ref<GeneratorBox>(default_generator());
  check(PyModule_AddObjectRef(module, "default_generator", to_python(IValue(Ref<ObjectBox>(box))).ptr()));
}

}  // namespace monograph::python
