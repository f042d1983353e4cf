// Python's operators on tensors: the number and comparison slots, filled from the records' python_operator.
#include <array>
#include <map>

#include "builtin.h"
#include "dtypes.h"
#include "exchange.h"
#include "ops/dispatch.h"
#include "ops/registry.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

// CPython's binary operators. The slots are its language; which operator stands behind each, the records say.
struct Binary {
  const char* name;  // "add" of __add__, __radd__, __iadd__
  binaryfunc PyNumberMethods::* slot;
  binaryfunc PyNumberMethods::* inplace;
};
using N = PyNumberMethods;
constexpr Binary kBinary[] = {{"add", &N::nb_add, &N::nb_inplace_add},
                              {"sub", &N::nb_subtract, &N::nb_inplace_subtract},
                              {"mul", &N::nb_multiply, &N::nb_inplace_multiply},
                              {"truediv", &N::nb_true_divide, &N::nb_inplace_true_divide},
                              {"floordiv", &N::nb_floor_divide, &N::nb_inplace_floor_divide},
                              {"mod", &N::nb_remainder, &N::nb_inplace_remainder},
                              {"matmul", &N::nb_matrix_multiply, &N::nb_inplace_matrix_multiply},
                              {"and", &N::nb_and, &N::nb_inplace_and},
                              {"or", &N::nb_or, &N::nb_inplace_or},
                              {"xor", &N::nb_xor, &N::nb_inplace_xor},
                              {"lshift", &N::nb_lshift, &N::nb_inplace_lshift},
                              {"rshift", &N::nb_rshift, &N::nb_inplace_rshift}};
constexpr size_t kDivide = 3;  // of kBinary
constexpr size_t kPow = std::size(kBinary);  // its slot takes a third argument
constexpr const char* kCompare[] = {"__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__"};  // in the order of Py_LT...

struct Handlers {
  PyObject* forward = nullptr;    // x + y
  PyObject* reflected = nullptr;  // 1 + y, called with the tensor first
  PyObject* inplace = nullptr;    // x += y
};
std::array<Handlers, kPow + 1> g_binary;
std::array<PyObject*, 6> g_compare{};
PyObject *g_neg = nullptr, *g_abs = nullptr, *g_invert = nullptr;

// Only tensors and numbers are operands here; for everything else Python asks the other side.
bool is_operand(PyObject* o) {
  if (is_tensor(o) || PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o)) return true;
  PyNumberMethods* number = Py_TYPE(o)->tp_as_number;
  return number && (number->nb_index || number->nb_float) && !PySequence_Check(o) && !overrides_calls(o);
}

PyObject* not_implemented() { return Py_NewRef(Py_NotImplemented); }

// NumPy computes most operators of an array and a tensor itself, and leaves these to the tensor: comparisons, and array / tensor.
nb::object array_as_tensor(PyObject* o) { return is_numpy_array(o) ? wrap(from_numpy(o)) : nb::object(); }

// 2 / x is computed as PyTorch does it: with two roundings.
PyObject* reciprocal_product(PyObject* number, const Tensor& x) {
  IValue factor;
  to_ivalue(number, factor);
  return wrap("mul"_op(Tensor("reciprocal"_op(x)), factor)).release().ptr();
}

PyObject* binary(size_t k, PyObject* a, PyObject* b) {
  return guard([&]() -> PyObject* {
    const Handlers& h = g_binary[k];
    if (nb::object array = k == kDivide ? array_as_tensor(a) : nb::object(); array.is_valid()) {
      PyObject* args[] = {array.ptr(), b};
      return call_overloads(h.forward, args, 2).release().ptr();
    }
    if (!h.forward || !is_operand(a) || !is_operand(b)) return not_implemented();
    if (is_tensor(a)) {
      PyObject* args[] = {a, b};
      return call_overloads(h.forward, args, 2).release().ptr();
    }
    if (h.reflected) {
      PyObject* args[] = {b, a};
      return call_overloads(h.reflected, args, 2).release().ptr();
    }
    if (k == kDivide) return reciprocal_product(a, tensor_of(b));
    if (is_symbolic(a)) {
      nb::object number = wrap("scalar_tensor"_op(python::symbolic_of(a)));
      PyObject* args[] = {number.ptr(), b};
      return call_overloads(h.forward, args, 2).release().ptr();
    }
    nb::object number = wrap(wrapped_number(a));
    PyObject* args[] = {number.ptr(), b};
    return call_overloads(h.forward, args, 2).release().ptr();
  });
}

PyObject* inplace(size_t k, PyObject* a, PyObject* b) {
  return guard([&]() -> PyObject* {
    if (!g_binary[k].inplace || !is_operand(b)) return not_implemented();
    PyObject* args[] = {a, b};
    return call_overloads(g_binary[k].inplace, args, 2).release().ptr();
  });
}

template <size_t K>
PyObject* binary_slot(PyObject* a, PyObject* b) {
  return binary(K, a, b);
}
template <size_t K>
PyObject* inplace_slot(PyObject* a, PyObject* b) {
  return inplace(K, a, b);
}
PyObject* pow_slot(PyObject* a, PyObject* b, PyObject* modulus) { return modulus == Py_None ? binary(kPow, a, b) : not_implemented(); }
PyObject* inplace_pow_slot(PyObject* a, PyObject* b, PyObject*) { return inplace(kPow, a, b); }

PyObject* unary(PyObject* handler, PyObject* a) {
  return guard([&] { return call_overloads(handler, &a, 1).release().ptr(); });
}

PyObject* compare(PyObject* a, PyObject* b, int op) {
  return guard([&]() -> PyObject* {
    PyObject* handler = g_compare[static_cast<size_t>(op)];
    nb::object array = array_as_tensor(b);
    if (!handler || !(array.is_valid() || is_operand(b))) return not_implemented();
    PyObject* args[] = {a, array.is_valid() ? array.ptr() : b};
    return call_overloads(handler, args, 2).release().ptr();
  });
}

int tensor_bool(PyObject* self) {
  return guard([&]() -> int {
    TensorImpl* t = impl_of(self);
    if (is_captured(tensor_of(self))) return captured_truth(tensor_of(self));
    MONOGRAPH_CHECK(t->numel != 0, Runtime, "Boolean value of Tensor with no values is ambiguous");
    MONOGRAPH_CHECK(t->numel == 1, Runtime, "Boolean value of Tensor with more than one value is ambiguous");
    return PyObject_IsTrue(item(tensor_of(self)).ptr());
  });
}
PyObject* tensor_int(PyObject* self) {
  return guard([&] { return PyNumber_Long(item(tensor_of(self)).ptr()); });
}
PyObject* tensor_float(PyObject* self) {
  return guard([&] { return PyNumber_Float(item(tensor_of(self)).ptr()); });
}
PyObject* tensor_index(PyObject* self) {
  return guard([&] {
    TensorImpl* t = impl_of(self);
    if (is_captured(tensor_of(self))) return PyNumber_Index(captured_item(tensor_of(self)).ptr());
    MONOGRAPH_CHECK(t->numel == 1 && is_integral(t->dtype, true), Type,
                    "only integer tensors of a single element can be converted to an index");
    return PyNumber_Long(item(tensor_of(self)).ptr());
  });
}

PyNumberMethods g_number;

template <size_t... K>
void set_slots(std::index_sequence<K...>) {
  ((g_number.*kBinary[K].slot = binary_slot<K>, g_number.*kBinary[K].inplace = inplace_slot<K>), ...);
}

}  // namespace

void add_operator_slots(PyTypeObject& tensor) {
  std::map<std::string, const OverloadSet*> by_name;  // "__add__"
  const Registry& registry = Registry::global();
  for (const auto& op : registry.all()) {
    const OverloadSet* set = registry.find_overloads(op->schema().name());
    if (op->python_operator) by_name.emplace(op->python_operator, set);
    if (op->python_reflected) by_name.emplace(op->python_reflected, set);
  }
  auto handler = [&](const std::string& name) -> PyObject* {
    auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : builtin_of(*found->second).release().ptr();
  };
  for (size_t k = 0; k <= kPow; ++k) {
    std::string name = k == kPow ? "pow" : kBinary[k].name;
    g_binary[k] = {handler("__" + name + "__"), handler("__r" + name + "__"), nullptr};
    if (auto found = by_name.find("__" + name + "__"); found != by_name.end())
      if (const OverloadSet* set = registry.find_overloads(found->second->name + "_"))
        g_binary[k].inplace = builtin_of(*set).release().ptr();
  }
  for (size_t k = 0; k < 6; ++k) g_compare[k] = handler(kCompare[k]);
  g_neg = handler("__neg__"), g_abs = handler("__abs__"), g_invert = handler("__invert__");

  set_slots(std::make_index_sequence<kPow>());
  g_number.nb_power = pow_slot, g_number.nb_inplace_power = inplace_pow_slot;
  g_number.nb_bool = tensor_bool, g_number.nb_int = tensor_int, g_number.nb_float = tensor_float, g_number.nb_index = tensor_index;
  g_number.nb_positive = [](PyObject* a) { return Py_NewRef(a); };
  if (g_neg) g_number.nb_negative = [](PyObject* a) { return unary(g_neg, a); };
  if (g_abs) g_number.nb_absolute = [](PyObject* a) { return unary(g_abs, a); };
  if (g_invert) g_number.nb_invert = [](PyObject* a) { return unary(g_invert, a); };
  tensor.tp_as_number = &g_number;
  tensor.tp_richcompare = compare;
}

}  // namespace monograph::python
