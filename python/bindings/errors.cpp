// Errors on their way to Python: which exception, and the user's line.
#include "python.h"

#include <frameobject.h>

#include <cstring>
#include <new>
#include <vector>

namespace monograph::python {
namespace {

PyObject* g_internal_error = nullptr;
PyObject* g_package = nullptr;  // the package's folder, with a separator

PyObject* exception_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Runtime: return PyExc_RuntimeError;
    case ErrorKind::Value: return PyExc_ValueError;
    case ErrorKind::Type: return PyExc_TypeError;
    case ErrorKind::Index: return PyExc_IndexError;
    case ErrorKind::Key: return PyExc_KeyError;
    case ErrorKind::NotImplemented: return PyExc_NotImplementedError;
    case ErrorKind::Attribute: return PyExc_AttributeError;
    case ErrorKind::File: return PyExc_OSError;
  }
  return PyExc_RuntimeError;
}

// Raises; the exception says by `_has_place` that its message names a place of the program.
void set_located(PyObject* type, const char* message) noexcept {
  PyObject* made = PyObject_CallFunction(type, "s", message);
  if (made && PyObject_SetAttrString(made, "_has_place", Py_True) == 0) PyErr_SetObject(type, made);
  Py_XDECREF(made);
}

}  // namespace

Span caller_span() {
  Span span;
  auto frame = nb::steal(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  while (frame.is_valid()) {
    auto* f = reinterpret_cast<PyFrameObject*>(frame.ptr());
    auto code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(f)));
    PyObject* file = reinterpret_cast<PyCodeObject*>(code.ptr())->co_filename;
    bool ours = g_package && PyUnicode_Tailmatch(file, g_package, 0, PY_SSIZE_T_MAX, -1) == 1;
    if (!ours) {
      span.file = intern_file(text_of(file));
      span.line = static_cast<uint32_t>(PyFrame_GetLineNumber(f));
      return span;
    }
    frame = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetBack(f)));
  }
  return span;
}

void set_error() noexcept {
  try {
    throw;
  } catch (nb::python_error& e) {
    e.restore();
  } catch (Error& e) {
    try {
      if (e.kind() != ErrorKind::Attribute) e.locate(caller_span());
    } catch (...) {
      PyErr_Clear();  // the message stands without the line
    }
    set_located(exception_of(e.kind()), e.what());
  } catch (InternalError& e) {
    PyErr_Format(g_internal_error ? g_internal_error : PyExc_RuntimeError, "a broken promise inside Monograph, please report it: %s",
                 e.what());
  } catch (std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (nb::builtin_exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

PyTypeObject make_type(const char* name, Py_ssize_t size) {
  PyTypeObject type{};
  type.ob_base.ob_base.ob_refcnt = 1;
  type.tp_name = name;
  type.tp_basicsize = size;
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  return type;
}

void add_type(PyObject* module, PyTypeObject& type) {
  check(PyType_Ready(&type));
  const char* dot = std::strrchr(type.tp_name, '.');
  check(PyModule_AddObjectRef(module, dot ? dot + 1 : type.tp_name, reinterpret_cast<PyObject*>(&type)));
}

void init_errors(PyObject* module) {
  g_internal_error = PyErr_NewExceptionWithDoc(
      "monograph._C.InternalError", "A broken promise of Monograph's own code, never the user's fault.", PyExc_RuntimeError, nullptr);
  check(g_internal_error ? 0 : -1);
  check(PyModule_AddObjectRef(module, "InternalError", g_internal_error));
  // The functions that nanobind defines answer our errors as the others do.
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const Error&) {
      set_error();
    } catch (const InternalError&) {
      set_error();
    }
  });
  // The name nearest to a word, or "".
  nb::handle(module).attr("_nearest") = nb::cpp_function([](nb::handle word, nb::handle names) {
    std::vector<std::string_view> candidates;
    for (nb::handle name : names) candidates.push_back(text_of(name.ptr()));
    return to_python(std::string_view(nearest(text_of(word.ptr()), candidates.data(), candidates.size())));
  });
  nb::handle(module).attr("_set_package_folder") = nb::cpp_function([](nb::str folder) { g_package = folder.release().ptr(); });
}

}  // namespace monograph::python
