// Functions written in Python that take part in __torch_function__, as operators do: torch.nn.functional's, torch.cond.
//
// Called with plain tensors, such a function runs as it is; a call with an argument whose type overrides calls (a Proxy) goes to that type, with
// the arguments as the signature names them: those without a default by position, the others by keyword, defaults filled in. A TorchFunctionMode gets every call.
#include <cstddef>

#include "builtin.h"
#include "capture/machine/machine.h"
#include "handover.h"
#include "tensor.h"

namespace monograph::python {
namespace {

PyTypeObject g_overridable_type = make_type("monograph._C._Overridable", 0);
PyObject* g_rebind = nullptr;  // rebind(function, args, kwargs) -> (args, kwargs), in Python

struct Overridable {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* function;
};
Overridable* of(PyObject* o) { return reinterpret_cast<Overridable*>(o); }

bool is_plain(PyObject* o) {
  PyTypeObject* t = Py_TYPE(o);
  return t == g_tensor_type || o == Py_None || t == &PyLong_Type || t == &PyBool_Type || t == &PyFloat_Type || t == &PyUnicode_Type;
}

// Also inside of a list or tuple: torch.cond's operands.
bool overrides(PyObject* o) {
  if (is_plain(o)) return false;
  if (PyTuple_CheckExact(o) || PyList_CheckExact(o)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      if (overrides(PySequence_Fast_GET_ITEM(o, i))) return true;
    return false;
  }
  return !PyType_Check(o) && overrides_calls(o);
}

nb::object hand_over_bound(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  auto [positional, keywords] = gather(args, n, names);
  nb::object bound = nb::handle(g_rebind)(nb::handle(of(self)->function), positional, keywords);
  auto given = nb::cast<nb::tuple>(bound[0]);
  auto named = nb::cast<nb::dict>(bound[1]);
  std::vector<PyObject*> all;
  for (nb::handle a : given) all.push_back(a.ptr());
  nb::list keys;
  for (auto [key, value] : named) keys.append(key), all.push_back(value.ptr());
  auto key_tuple = check(PyList_AsTuple(keys.ptr()));
  return hand_over(self, all.data(), static_cast<Py_ssize_t>(nb::len(given)), nb::len(keys) ? key_tuple.ptr() : nullptr,
                   KeywordDict::Always);
}

PyObject* vectorcall(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  Py_ssize_t n = PyVectorcall_NARGS(flags), all = n + (names ? PyTuple_GET_SIZE(names) : 0);
  if (in_function_mode()) return guard([&] { return hand_over_bound(self, args, n, names).release().ptr(); });
  for (Py_ssize_t i = 0; i < all; ++i)
    if (overrides(args[i])) return guard([&] { return hand_over_bound(self, args, n, names).release().ptr(); });
  return PyObject_Vectorcall(of(self)->function, args, flags, names);
}

PyObject* overridable_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* function;
  if (!PyArg_ParseTuple(args, "O", &function)) return nullptr;
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  of(self)->vectorcall = vectorcall;
  of(self)->function = Py_NewRef(function);
  return self;
}

void overridable_dealloc(PyObject* self) {
  Py_DECREF(of(self)->function);
  Py_TYPE(self)->tp_free(self);
}

// Without a text of its own, it has that of the operator of its name.
PyObject* overridable_doc(PyObject* self, void*) {
  PyObject* own = PyObject_GetAttrString(of(self)->function, "__doc__");
  if (own != Py_None) return own;
  Py_DECREF(own);
  const capture::machine::Unwatched unwatched;  // no act of a program that is captured
  return guard([&] { return nb::module_::import_("monograph._help").attr("documentation")(nb::handle(self)).release().ptr(); });
}
PyGetSetDef getset[] = {{"__doc__", overridable_doc, nullptr, nullptr, nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};  // help() asks object

// __name__, __doc__, __module__, __signature__…: the function's.
PyObject* overridable_getattr(PyObject* self, PyObject* name) {
  if (text_of(name) == "__wrapped__") return Py_NewRef(of(self)->function);
  if (text_of(name) == "__doc__") return overridable_doc(self, nullptr);
  if (text_of(name) == "__class__" || text_of(name) == "__reduce_ex__" || text_of(name) == "__reduce__")
    return PyObject_GenericGetAttr(self, name);
  return PyObject_GetAttr(of(self)->function, name);
}
int overridable_setattr(PyObject* self, PyObject* name, PyObject* value) { return PyObject_SetAttr(of(self)->function, name, value); }

// As every function of Python it becomes a method where a class holds it; so inspect and help() know it as a function.
PyObject* overridable_get(PyObject* self, PyObject* object, PyObject*) {
  return object && object != Py_None ? PyMethod_New(self, object) : Py_NewRef(self);
}

PyMethodDef methods[] = {
    {"__reduce__", [](PyObject* self, PyObject*) { return PyObject_GetAttrString(of(self)->function, "__qualname__"); }, METH_NOARGS,
     nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_overridable(PyObject* module) {
  PyTypeObject& t = g_overridable_type;
  t.tp_basicsize = sizeof(Overridable);
  t.tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
  t.tp_vectorcall_offset = offsetof(Overridable, vectorcall);
  t.tp_call = PyVectorcall_Call, t.tp_new = overridable_new, t.tp_dealloc = overridable_dealloc;
  t.tp_getattro = overridable_getattr, t.tp_setattro = overridable_setattr, t.tp_methods = methods;
  t.tp_descr_get = overridable_get, t.tp_getset = getset;
  t.tp_repr = [](PyObject* self) { return PyObject_Repr(of(self)->function); };
  add_type(module, t);
  nb::handle(module).attr("_set_rebind") = nb::cpp_function([](nb::handle rebind) { g_rebind = rebind.inc_ref().ptr(); });
}

}  // namespace monograph::python
