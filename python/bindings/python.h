// What every file of the bindings needs: CPython, counted references, and the way errors cross the border.
//
// Hot types (Tensor, Builtin, Node) are plain CPython types: a call costs what CPython itself costs. nanobind serves references (nb::object),
// the module, and functions that are not called in loops.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace monograph::python {

namespace nb = nanobind;

// A Python exception is set: unwinds to the nearest guard().
[[noreturn]] inline void raise_set() { throw nb::python_error(); }
// bool(o), or what it raised.
inline bool truth(PyObject* o) {
  const int is = PyObject_IsTrue(o);
  if (is < 0) raise_set();
  return is != 0;
}
// Sets the Python exception that belongs to the C++ one being handled, with the line of the user's program where it knows none.
void set_error() noexcept;
// The user's line: the innermost Python frame outside the package.
Span caller_span();
// The part of that line which runs now, as `x.sum() > 0` of `if x.sum() > 0:`; the line where Python does not tell the part.
std::string caller_expression();
// Whether that is a call, within which the value was asked for.
bool caller_calls();

// Takes a new reference, or unwinds where Python gave none.
inline nb::object check(PyObject* fresh) {
  if (!fresh) raise_set();
  return nb::steal(fresh);
}
inline void check(int status) {
  if (status < 0) raise_set();
}

// Runs f, whose result is a new reference or a status; an exception becomes Python's.
template <class F>
auto guard(F&& f) noexcept -> decltype(f()) {
  using R = decltype(f());
  try {
    return f();
  } catch (...) {
    set_error();
    if constexpr (std::is_pointer_v<R>) return nullptr;
    else return static_cast<R>(-1);
  }
}

inline std::string_view text_of(PyObject* str) {
  Py_ssize_t n = 0;
  const char* s = PyUnicode_AsUTF8AndSize(str, &n);
  if (!s) raise_set();
  return {s, static_cast<size_t>(n)};
}
// The text of a str for a message. The name of a file may hold bytes that are no UTF-8: they are shown by their numbers.
inline std::string shown_text(PyObject* str) {
  if (const char* s = PyUnicode_AsUTF8(str)) return s;
  PyErr_Clear();
  nb::object bytes = check(PyUnicode_AsEncodedString(str, "utf-8", "backslashreplace"));
  return {PyBytes_AS_STRING(bytes.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}
inline nb::object to_python(std::string_view text) {
  return check(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}
inline nb::object to_python(int64_t v) { return check(PyLong_FromLongLong(v)); }
inline nb::object new_ref(PyObject* o) { return nb::borrow(o); }

// The word of PyTorch's messages for an object's type.
inline const char* type_name(PyObject* o) { return Py_TYPE(o)->tp_name; }

// Adds a type to a module under its last name.
void add_type(PyObject* module, PyTypeObject& type);
// A plain type whose members are filled in by its file.
PyTypeObject make_type(const char* name, Py_ssize_t size);

void init_errors(PyObject* module);
void init_dtypes(PyObject* module);
void init_tensor(PyObject* module);
void init_builtins(PyObject* module);
void init_graph(PyObject* module);
void init_capture(PyObject* module);
void init_script(PyObject* module);  // script.cpp
void init_script_archive(PyObject* module);  // script_archive.cpp
void init_program(PyObject* module);
void init_call_plan(PyObject* module);
void init_overridable(PyObject* module);
void init_library(PyObject* module);
void init_formats(PyObject* module);
void init_view(PyObject* module);
void init_switches(PyObject* module);
void init_autocast(PyObject* module);

}  // namespace monograph::python
