// Operators, formatting and tests.
#include "capture/machine/registers.h"

#ifdef MONOGRAPH_MACHINE

namespace monograph::capture::machine {
namespace {

PyObject* power(PyObject* a, PyObject* b) { return PyNumber_Power(a, b, Py_None); }
PyObject* power_in_place(PyObject* a, PyObject* b) { return PyNumber_InPlacePower(a, b, Py_None); }

// By the argument of BINARY_OP: opcode.h, NB_ADD and so on.
constexpr binaryfunc kBinary[] = {
    PyNumber_Add,
    PyNumber_And,
    PyNumber_FloorDivide,
    PyNumber_Lshift,
    PyNumber_MatrixMultiply,
    PyNumber_Multiply,
    PyNumber_Remainder,
    PyNumber_Or,
    power,
    PyNumber_Rshift,
    PyNumber_Subtract,
    PyNumber_TrueDivide,
    PyNumber_Xor,
    PyNumber_InPlaceAdd,
    PyNumber_InPlaceAnd,
    PyNumber_InPlaceFloorDivide,
    PyNumber_InPlaceLshift,
    PyNumber_InPlaceMatrixMultiply,
    PyNumber_InPlaceMultiply,
    PyNumber_InPlaceRemainder,
    PyNumber_InPlaceOr,
    power_in_place,
    PyNumber_InPlaceRshift,
    PyNumber_InPlaceSubtract,
    PyNumber_InPlaceTrueDivide,
    PyNumber_InPlaceXor,
};
static_assert(NB_INPLACE_XOR + 1 == sizeof(kBinary) / sizeof(kBinary[0]) && NB_POWER == 8 && NB_INPLACE_POWER == 21);

// `s = s + t` of texts, where the variable holds s: the text grows in place, else a loop of them would take quadratic time.
bool appends_to_local(Registers& r, int arg, PyObject**& local) {
  if ((arg != NB_ADD && arg != NB_INPLACE_ADD) || !PyUnicode_CheckExact(r.peek(2)) || !PyUnicode_CheckExact(r.peek(1))) return false;
  const CodeUnit following = r.next[caches::kBinaryOp];
  if (_Py_OPCODE(following) != STORE_FAST) return false;
  local = &r.frame->localsplus[_Py_OPARG(following)];
  return *local == r.peek(2);
}

}  // namespace

bool binary_op(Registers& r, int arg) {
  PyObject** local = nullptr;
  if (!r.c_frame->use_tracing && appends_to_local(r, arg, local)) {
    PyObject* right = r.pop();
    Py_DECREF(r.pop());
    PyUnicode_Append(local, right);
    Py_DECREF(right);
    r.next += caches::kBinaryOp + 1;  // the STORE_FAST is done
    return *local != nullptr;
  }
  PyObject* right = r.pop();
  PyObject* left = r.peek(1);
  PyObject* result = kBinary[arg](left, right);
  if (!result) mark_refusal(r, {left, right});
  Py_DECREF(left);
  Py_DECREF(right);
  r.peek(1) = result;
  r.next += caches::kBinaryOp;
  return result != nullptr;
}

bool contains_op(Registers& r, int arg) {
  PyObject* container = r.pop();
  PyObject* item = r.pop();
  const int found = PySequence_Contains(container, item);
  if (found < 0) mark_refusal(r, {item});
  Py_DECREF(item);
  Py_DECREF(container);
  if (found < 0) return false;
  r.push(new_bool((found ^ arg) != 0));
  return true;
}

bool format_value(Registers& r, int arg) {
  constexpr int kConversion = 3, kSpec = 4;
  if ((arg & kSpec) && !PyUnicode_Check(r.peek(1))) return wrong_type(r, "a text that says the format");
  PyObject* spec = arg & kSpec ? r.pop() : nullptr;
  PyObject* value = r.pop();
  if (const int conversion = arg & kConversion) {
    PyObject* text = conversion == 1 ? PyObject_Str(value) : conversion == 2 ? PyObject_Repr(value) : PyObject_ASCII(value);
    Py_DECREF(value);
    if (!text) {
      Py_XDECREF(spec);
      return false;
    }
    value = text;
  }
  if (!spec && PyUnicode_CheckExact(value)) {
    r.push(value);
    return true;
  }
  PyObject* text = PyObject_Format(value, spec);
  Py_DECREF(value);
  Py_XDECREF(spec);
  return r.push_checked(text);
}

}  // namespace monograph::capture::machine
#endif
