// What a TorchFunctionMode, and a subclass of Tensor with its own __torch_function__, gets of a tensor besides operators: attributes, the methods that are
// written in C++ or in tensor.py, and Python's protocols. As in PyTorch, x.shape is a call of Tensor.shape.__get__, x.grad = y one of Tensor.grad.__set__,
// and len(x) one of Tensor.__len__.
//
// tensor.cpp and tensor_data.cpp list the plain functions. The type gets tables in which each entry asks first who takes the call.
#include <algorithm>
#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "builtin.h"
#include "handover.h"
#include "tensor.h"

namespace monograph::python {
namespace {

// nelement() is numel() under another name, and ndimension() is dim(): PyTorch hands over numel and dim.
const char* handed_name(const char* name) {
  const std::string_view text = name;
  return text == "nelement" ? "numel" : text == "ndimension" ? "dim" : name;
}

nb::object member(const char* name) { return nb::borrow(reinterpret_cast<PyObject*>(g_tensor_type)).attr(name); }

// Whether PyTorch hands this name over. Names with one underscore are Monograph's own, such as "_edges", except for two.
bool is_pytorchs(std::string_view name) {
  return !name.starts_with('_') || (name.starts_with("__") && name != "__dict__") || name == "_base" || name == "_version";
}

// Attributes ---------------------------------------------------------------------------------------------------------------------------

PyObject* get_attribute(PyObject* self, void* closure) {
  const auto& plain = *static_cast<const PyGetSetDef*>(closure);
  if (!hands_over(self)) [[likely]]
    return plain.get(self, plain.closure);
  return guard([&] { return hand_over(nb::object(member(plain.name).attr("__get__")).ptr(), &self, 1, nullptr).release().ptr(); });
}

int set_attribute(PyObject* self, PyObject* value, void* closure) {
  const auto& plain = *static_cast<const PyGetSetDef*>(closure);
  if (!hands_over(self)) [[likely]]
    return plain.set(self, value, plain.closure);
  return guard([&]() -> int {
    PyObject* args[] = {self, value};
    hand_over(nb::object(member(plain.name).attr(value ? "__set__" : "__delete__")).ptr(), args, value ? 2 : 1, nullptr);
    return 0;
  });
}

int set_plain_attribute(PyObject* self, PyObject* value, void* closure) {
  const auto& plain = *static_cast<const PyGetSetDef*>(closure);
  return plain.set(self, value, plain.closure);
}

// Methods ------------------------------------------------------------------------------------------------------------------------------

constexpr size_t kMostMethods = 40;
std::array<PyMethodDef, kMostMethods> g_plain_methods;  // as the tables of the other files have them
size_t g_plain_count = 0;

template <class F>
F plain_method(size_t k) {
  return reinterpret_cast<F>(reinterpret_cast<void (*)()>(g_plain_methods[k].ml_meth));
}

PyObject* handed_method(size_t k, PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  return guard([&] {
    std::vector<PyObject*> all{self};
    all.insert(all.end(), args, args + n + (names ? PyTuple_GET_SIZE(names) : 0));
    return hand_over(member(handed_name(g_plain_methods[k].ml_name)).ptr(), all.data(), n + 1, names).release().ptr();
  });
}

// The functions of method k, one for each way in which Python calls a method of C.
template <size_t K>
struct Method {
  static PyObject* one_or_none(PyObject* self, PyObject* argument) {
    if (!hands_over(self)) [[likely]]
      return plain_method<PyCFunction>(K)(self, argument);
    return handed_method(K, self, &argument, argument ? 1 : 0, nullptr);
  }
  static PyObject* fast(PyObject* self, PyObject* const* args, Py_ssize_t n) {
    using Plain = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);
    if (!hands_over(self)) [[likely]]
      return plain_method<Plain>(K)(self, args, n);
    return handed_method(K, self, args, n, nullptr);
  }
  static PyObject* fast_with_keywords(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
    using Plain = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
    if (!hands_over(self)) [[likely]]
      return plain_method<Plain>(K)(self, args, n, names);
    return handed_method(K, self, args, n, names);
  }
  // Null for another way, or for a function without a self: it stays as it is.
  static PyCFunction of(int flags) {
    if (flags == METH_NOARGS || flags == METH_O) return one_or_none;
    if (flags == METH_FASTCALL) return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(fast));
    if (flags == (METH_FASTCALL | METH_KEYWORDS)) return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(fast_with_keywords));
    return nullptr;
  }
};

template <size_t... K>
PyCFunction asking_function(size_t k, int flags, std::index_sequence<K...>) {
  static constexpr PyCFunction (*kFunctions[])(int) = {Method<K>::of...};
  return kFunctions[k](flags);
}

// A method of tensor.py, bound to the handler: `function` with the tensor first.
nb::object bound_to_handler(PyObject* function, PyObject* self) {
  return nb::module_::import_("functools")
      .attr("partial")(nb::module_::import_("monograph._C").attr("_hand_over_as_given"), nb::handle(function), nb::handle(self));
}

// Whether a mode takes a call with these arguments over, or the class of a tensor among them.
bool any_hands_over(PyObject* args) {
  if (in_function_mode()) return true;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i)
    if (is_tensor(PyTuple_GET_ITEM(args, i)) && hands_over(PyTuple_GET_ITEM(args, i))) return true;
  return false;
}

}  // namespace

bool hands_over(PyObject* self) { return in_function_mode() || (Py_TYPE(self) != g_tensor_type && overrides_calls(self)); }

nb::object hand_over(PyObject* function, PyObject* const* args, Py_ssize_t n, PyObject* names, KeywordDict keywords) {
  return in_function_mode() ? call_function_mode(function, args, n, names, keywords)
                            : call_torch_function(function, args, n, names, keywords);
}

nb::object handed_over_protocol(PyObject* self, const char* name, PyObject* const* args, Py_ssize_t n) {
  if (!hands_over(self)) [[likely]]
    return {};
  const bool in_python = std::string_view(name) == "__len__";  // in PyTorch
  return hand_over(member(name).ptr(), args, n, nullptr, in_python ? KeywordDict::Always : KeywordDict::WhereGiven);
}

PyObject* method_for_handler(PyObject* found, PyObject* self) {
  if (!PyMethod_Check(found) || !PyFunction_Check(PyMethod_GET_FUNCTION(found)) || PyMethod_GET_SELF(found) != self) return found;
  PyObject* function = PyMethod_GET_FUNCTION(found);
  PyObject* module = PyFunction_GetModule(function);
  if (!module || !PyUnicode_Check(module) || text_of(module) != "monograph._tensor" ||
      !is_pytorchs(text_of(reinterpret_cast<PyFunctionObject*>(function)->func_name)))
    return found;
  if (const int asks = PyObject_HasAttrString(function, "_asks_itself"); asks) return found;
  PyObject* bound = guard([&] { return bound_to_handler(function, self).release().ptr(); });
  Py_DECREF(found);
  return bound;
}

PyGetSetDef* asking_attributes(PyGetSetDef* plain) {
  static std::deque<std::vector<PyGetSetDef>> tables;  // for as long as the types live
  std::vector<PyGetSetDef>& table = tables.emplace_back();
  for (; plain->name; ++plain) {
    table.push_back(*plain);
    if (!is_pytorchs(plain->name)) continue;
    table.back().get = get_attribute, table.back().closure = plain;
    const std::string_view name = plain->name;
    if (plain->set && name != "real" && name != "imag") table.back().set = set_attribute;
    else if (plain->set) table.back().set = set_plain_attribute;  // as in PyTorch
  }
  table.push_back({nullptr, nullptr, nullptr, nullptr, nullptr});
  return table.data();
}

PyMethodDef* asking_methods(PyMethodDef* plain) {
  static std::deque<std::vector<PyMethodDef>> tables;
  std::vector<PyMethodDef>& table = tables.emplace_back();
  for (; plain->ml_name; ++plain) {
    table.push_back(*plain);
    const size_t k = g_plain_count;
    MONOGRAPH_ASSERT(k < kMostMethods);
    const PyCFunction asking =
        is_pytorchs(plain->ml_name) ? asking_function(k, plain->ml_flags, std::make_index_sequence<kMostMethods>()) : nullptr;
    if (!asking) continue;
    g_plain_methods[g_plain_count++] = *plain;
    table.back().ml_meth = asking;
  }
  table.push_back({nullptr, nullptr, 0, nullptr});
  return table.data();
}

void init_tensor_members(PyObject* module) {
  nb::handle m(module);
  m.attr("_hands_over") = nb::cpp_function([](nb::handle self) { return hands_over(self.ptr()); });
  m.attr("_any_hands_over") = nb::cpp_function([](nb::args args) { return any_hands_over(args.ptr()); });
  // A call with its arguments as they are; the function itself where nobody takes it over. PyTorch has some functions in Python, and gives a dict of keywords there.
  const auto call = [](nb::handle function, const nb::args& args, const nb::kwargs& keywords, bool keywords_always) -> nb::object {
    if (!any_hands_over(args.ptr())) return check(PyObject_Call(function.ptr(), args.ptr(), keywords.ptr()));
    std::vector<PyObject*> all;
    for (nb::handle a : args) all.push_back(a.ptr());
    nb::list names;
    for (auto [key, value] : keywords) names.append(key), all.push_back(value.ptr());
    const nb::object name_tuple = check(PyList_AsTuple(names.ptr()));
    return hand_over(function.ptr(), all.data(), PyTuple_GET_SIZE(args.ptr()), nb::len(names) ? name_tuple.ptr() : nullptr,
                     keywords_always ? KeywordDict::Always : KeywordDict::WhereGiven);
  };
  m.attr("_hand_over") =
      nb::cpp_function([call](nb::handle f, nb::args args, nb::kwargs keywords) { return call(f, args, keywords, true); });
  m.attr("_hand_over_as_given") =
      nb::cpp_function([call](nb::handle f, nb::args args, nb::kwargs keywords) { return call(f, args, keywords, false); });
}

}  // namespace monograph::python
