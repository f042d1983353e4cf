// Python's operators on tensors: the number and comparison slots.
#include <array>

#include "builtin.h"
#include "dtypes.h"
#include "exchange.h"
#include "graph.h"
#include "handover.h"
#include "number_slots.h"
#include "ops/dispatch.h"
#include "ops/registry.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

constexpr size_t slots_of(std::string_view name) {
  for (size_t k = 0; k < kNumberSlotCount; ++k)
    if (kNumberSlots[k].name == name) return k;
  return kNumberSlotCount;
}
constexpr size_t kDivide = slots_of("truediv");
constexpr size_t kPow = kNumberSlotCount;

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

enum class TensorSide : uint8_t { Left, Right, InPlace };  // where the tensor stands: x + y, y + x, x += y

// The method of Tensor that __torch_function__ gets, as in PyTorch: add for +, __and__ for &, __rsub__ with the tensor on the right, add_ in place. PyTorch names
// the operators on bits, // and ** after Python, but for bits with the tensor on the right.
std::string method_for(const ir::PythonOperator& o, TensorSide side) {
  const bool of_python = o.name == "floordiv" || o.name == "pow" || o.tensors.starts_with("bitwise_");
  if (side == TensorSide::InPlace) return of_python && o.name != "floordiv" ? concat("__i", o.stem(), "__") : concat(o.tensors, "_");
  const bool either_way = o.form == ir::OperatorForm::Comparison || o.reflected == o.tensors;
  if (side == TensorSide::Right && either_way) return concat(o.tensors);
  if (side == TensorSide::Right) return concat("__r", o.stem(), "__");
  return of_python ? concat("__", o.stem(), "__") : concat(o.tensors);
}

nb::object tensor_method(const std::string& name) { return nb::borrow(reinterpret_cast<PyObject*>(g_tensor_type)).attr(name.c_str()); }

bool is_overriding_tensor(PyObject* o) { return Py_TYPE(o) != g_tensor_type && is_tensor(o) && overrides_calls(o); }

// The answer of a mode, or of a subclass of Tensor with its own __torch_function__, among the operands: both get the method of Tensor, as in PyTorch. Not a valid
// object where neither is there. `other` is null for an operator of one operand; find() gives the operator.
template <class Find>
nb::object ask_handler(const Find& find, TensorSide side, PyObject* tensor, PyObject* other) {
  if (!in_function_mode() && !is_overriding_tensor(tensor) && !(other && is_overriding_tensor(other))) [[likely]]
    return {};
  const ir::PythonOperator& o = find();
  const nb::object method = tensor_method(o.name == "eq" ? "__eq__" : method_for(o, side));  // an operand that is no tensor gets eq
  // PyTorch wraps these in Python.
  const bool wrapped = o.name == "floordiv" || o.name == "pow" || (side == TensorSide::Right && method_for(o, side).starts_with("__r"));
  PyObject* args[] = {tensor, other};
  return hand_over(method.ptr(), args, other ? 2 : 1, nullptr, wrapped ? KeywordDict::Always : KeywordDict::WhereGiven);
}

// The result that __torch_function__ of an operand gives which is no tensor and no Proxy (those record calls by their own methods). NotImplemented where the operand has
// none, or it raises a TypeError, or nobody answers: then Python asks the methods of that operand.
PyObject* ask_other_operand(const ir::PythonOperator& o, TensorSide side, PyObject* tensor, PyObject* other) {
  if (!is_tensor(tensor) || !overrides_calls(other) || is_proxy(other)) return not_implemented();
  const nb::object method = tensor_method(method_for(o, side));
  PyObject* args[] = {tensor, other};
  try {
    return call_torch_function(method.ptr(), args, 2, nullptr).release().ptr();
  } catch (const nb::python_error& e) {
    if (!e.matches(PyExc_TypeError)) throw;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::Type) throw;
  }
  return not_implemented();
}
const ir::PythonOperator& operator_of_slot(size_t k) { return *ir::find_python_operator(k == kPow ? "pow" : kNumberSlots[k].name).row; }

// NumPy computes most operators of an array and a tensor itself, and leaves these to the tensor: comparisons, and array / tensor.
nb::object array_as_tensor(PyObject* o) { return is_numpy_array(o) ? wrap(from_numpy(o)) : nb::object(); }

// 2 / x is computed as PyTorch does it: with two roundings.
PyObject* reciprocal_product(PyObject* number, const Tensor& x) {
  IValue factor;
  int overflow = 0;
  if (PyLong_CheckExact(number)) PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow) {  // up to 2^64 - 1 it is a Scalar in PyTorch, and the quotient is a floating-point number
    if (PyLong_AsUnsignedLongLong(number); PyErr_Occurred()) raise_set();
    factor = PyLong_AsDouble(number);
  } else {
    to_ivalue(number, factor);
  }
  return wrap("mul"_op(Tensor("reciprocal"_op(x)), factor)).release().ptr();
}

PyObject* binary(size_t k, PyObject* a, PyObject* b) {
  return guard([&]() -> PyObject* {
    const Handlers& h = g_binary[k];
    if (nb::object array = k == kDivide ? array_as_tensor(a) : nb::object(); array.is_valid()) {
      PyObject* args[] = {array.ptr(), b};
      return call_overloads(h.forward, args, 2).release().ptr();
    }
    if (!h.forward) return not_implemented();
    if (!is_operand(b)) return ask_other_operand(operator_of_slot(k), TensorSide::Left, a, b);
    if (!is_operand(a)) return ask_other_operand(operator_of_slot(k), TensorSide::Right, b, a);
    const bool first = is_tensor(a);
    const auto find = [k]() -> const ir::PythonOperator& { return operator_of_slot(k); };
    if (nb::object answer = ask_handler(find, first ? TensorSide::Left : TensorSide::Right, first ? a : b, first ? b : a);
        answer.is_valid())
      return answer.release().ptr();
    if (first) {
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
    PyObject* args[] = {a, b};
    return call_overloads(h.forward, args, 2).release().ptr();
  });
}

// tensor += other, where the tensor knows no answer: the other's __radd__, or the TypeError. Python would do so itself, but for subclasses it takes this slot for the one
// that joins sequences too, and a NotImplemented from that one becomes the result.
PyObject* add_by_other_operand(PyObject* tensor, PyObject* other) {
  const PyNumberMethods* methods = Py_TYPE(other)->tp_as_number;
  if (methods && methods->nb_add) {
    PyObject* result = methods->nb_add(tensor, other);
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
  }
  PyErr_Format(PyExc_TypeError, "unsupported operand type(s) for +=: '%.100s' and '%.100s'", Py_TYPE(tensor)->tp_name,
               Py_TYPE(other)->tp_name);
  return nullptr;
}

PyObject* inplace(size_t k, PyObject* a, PyObject* b) {
  return guard([&]() -> PyObject* {
    if (!g_binary[k].inplace) return not_implemented();
    if (!is_operand(b)) {
      PyObject* asked = ask_other_operand(operator_of_slot(k), TensorSide::InPlace, a, b);
      return asked == Py_NotImplemented && k < kPow && kNumberSlots[k].inplace == &N::nb_inplace_add ? add_by_other_operand(a, b) : asked;
    }
    const auto find = [k]() -> const ir::PythonOperator& { return operator_of_slot(k); };
    if (nb::object answer = ask_handler(find, TensorSide::InPlace, a, b); answer.is_valid()) return answer.release().ptr();
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

PyObject* unary(PyObject* handler, std::string_view name, PyObject* a) {
  return guard([&] {
    const auto find = [name]() -> const ir::PythonOperator& { return *ir::find_python_operator(name).row; };
    nb::object answer = ask_handler(find, TensorSide::Left, a, nullptr);
    return (answer.is_valid() ? answer : call_overloads(handler, &a, 1)).release().ptr();
  });
}

// As an operator of Python; torch.bitwise_not says it in its own words.
PyObject* inverted(PyObject* a) {
  return guard([&]() -> PyObject* {
    const Tensor& t = tensor_of(a);
    MONOGRAPH_CHECK(t->kind == TensorImpl::Kind::Symbolic || is_integral(t.dtype(), true), Type,
                    "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
    return unary(g_invert, "invert", a);
  });
}

PyObject* compare(PyObject* a, PyObject* b, int op) {
  return guard([&]() -> PyObject* {
    PyObject* handler = g_compare[static_cast<size_t>(op)];
    nb::object array = array_as_tensor(b);
    if (!handler) return not_implemented();
    if (!array.is_valid() && !is_operand(b))
      return ask_other_operand(*ir::find_python_operator(kComparisons[static_cast<size_t>(op)]).row, TensorSide::Left, a, b);
    PyObject* args[] = {a, array.is_valid() ? array.ptr() : b};
    const auto find = [op]() -> const ir::PythonOperator& { return *ir::find_python_operator(kComparisons[static_cast<size_t>(op)]).row; };
    if (nb::object answer = ask_handler(find, TensorSide::Left, args[0], args[1]); answer.is_valid()) return answer.release().ptr();
    return call_overloads(handler, args, 2).release().ptr();
  });
}

int tensor_bool(PyObject* self) {
  return guard([&]() -> int {
    if (nb::object answer = handed_over_protocol(self, "__bool__", &self, 1); answer.is_valid()) return PyObject_IsTrue(answer.ptr());
    TensorImpl* t = impl_of(self);
    if (has_captured_values(tensor_of(self))) return captured_truth(tensor_of(self));
    MONOGRAPH_CHECK(t->numel != 0, Runtime, "Boolean value of Tensor with no values is ambiguous");
    MONOGRAPH_CHECK(t->numel == 1, Runtime, "Boolean value of Tensor with more than one value is ambiguous; use any() or all()");
    return PyObject_IsTrue(item(tensor_of(self)).ptr());
  });
}
// The only element, for int() and float(). As in PyTorch, several elements are a ValueError here and a RuntimeError of item(), and an imaginary part other than
// 0 is a RuntimeError.
nb::object real_element(PyObject* self, const char* type) {
  const Tensor& t = tensor_of(self);
  MONOGRAPH_CHECK(has_captured_values(t) || t.numel() == 1, Value,
                  "only one element tensors can be converted to Python scalars, but this one has ", t.numel(),
                  "; take one element first, for example x[0]");
  nb::object value = item(t);
  if (!PyComplex_Check(value.ptr())) return value;
  MONOGRAPH_CHECK(PyComplex_ImagAsDouble(value.ptr()) == 0, Runtime, "value cannot be converted to type ", type,
                  " without overflow: it is a complex number; take x.real first");
  return nb::steal(PyFloat_FromDouble(PyComplex_RealAsDouble(value.ptr())));
}

PyObject* tensor_int(PyObject* self) {
  return guard([&] {
    nb::object answer = handed_over_protocol(self, "__int__", &self, 1);
    return answer.is_valid() ? answer.release().ptr() : PyNumber_Long(real_element(self, "int64_t").ptr());
  });
}
PyObject* tensor_float(PyObject* self) {
  return guard([&] {
    nb::object answer = handed_over_protocol(self, "__float__", &self, 1);
    return answer.is_valid() ? answer.release().ptr() : PyNumber_Float(real_element(self, "double").ptr());
  });
}
PyObject* tensor_index(PyObject* self) {
  return guard([&] {
    if (nb::object answer = handed_over_protocol(self, "__index__", &self, 1); answer.is_valid()) return answer.release().ptr();
    TensorImpl* t = impl_of(self);
    if (has_captured_values(tensor_of(self))) return PyNumber_Index(captured_item(tensor_of(self)).ptr());
    MONOGRAPH_CHECK(t->numel == 1 && is_integral(t->dtype, true), Type,
                    "only integer tensors of a single element can be converted to an index, but this one has dtype torch.", name(t->dtype),
                    " and size ", to_string(tensor_of(self).sizes()));
    return PyNumber_Long(item(tensor_of(self)).ptr());
  });
}

PyNumberMethods g_number;

template <size_t... K>
void set_slots(std::index_sequence<K...>) {
  ((g_binary[K].forward ? void(g_number.*kNumberSlots[K].slot = binary_slot<K>) : void()), ...);
  ((g_binary[K].inplace ? void(g_number.*kNumberSlots[K].inplace = inplace_slot<K>) : void()), ...);
}

PyObject* handler(std::string_view op) {
  const OverloadSet* set = op.empty() ? nullptr : Registry::global().find_overloads(concat("aten::", op));
  return set ? builtin_of(*set).release().ptr() : nullptr;
}
PyObject* handler_of(std::string_view name) { return handler(ir::find_python_operator(name).row->tensors); }

// Each operator's name, symbol and form, in-place ones among them.
nb::list python_operators() {
  constexpr std::string_view kForms[] = {"unary", "binary", "comparison", "getitem", "setitem"};
  nb::list all;
  auto add = [&](const std::string& name, const std::string& symbol, std::string_view form) {
    all.append(nb::make_tuple(nb::str(name.c_str()), nb::str(symbol.c_str()), nb::str(form.data(), form.size())));
  };
  for (const ir::PythonOperator& o : ir::kPythonOperators) {
    add(concat(o.name), concat(o.symbol), kForms[static_cast<size_t>(o.form)]);
    if (o.form == ir::OperatorForm::Binary) add(concat("i", o.stem()), concat(o.symbol, "="), "inplace");
  }
  return all;
}

}  // namespace

void add_operator_slots(PyTypeObject& tensor) {
  for (size_t k = 0; k <= kPow; ++k) {
    const ir::PythonOperator& o = operator_of_slot(k);
    g_binary[k] = {handler(o.tensors), handler(o.reflected), handler(concat(o.tensors, "_"))};
  }
  for (size_t k = 0; k < std::size(kComparisons); ++k) g_compare[k] = handler_of(kComparisons[k]);
  g_neg = handler_of("neg"), g_abs = handler_of("abs"), g_invert = handler_of("invert");

  set_slots(std::make_index_sequence<kPow>());
  g_number.nb_power = pow_slot, g_number.nb_inplace_power = inplace_pow_slot;
  g_number.nb_bool = tensor_bool, g_number.nb_int = tensor_int, g_number.nb_float = tensor_float, g_number.nb_index = tensor_index;
  g_number.nb_positive = [](PyObject* a) { return Py_NewRef(a); };
  if (g_neg) g_number.nb_negative = [](PyObject* a) { return unary(g_neg, "neg", a); };
  if (g_abs) g_number.nb_absolute = [](PyObject* a) { return unary(g_abs, "abs", a); };
  if (g_invert) g_number.nb_invert = inverted;
  tensor.tp_as_number = &g_number;
  tensor.tp_richcompare = compare;
}

void init_operators(PyObject* module) { nb::handle(module).attr("_python_operators") = nb::cpp_function(python_operators); }

}  // namespace monograph::python
