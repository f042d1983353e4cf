// Errors on their way to Python: which exception, and the user's line.
#include "python.h"

#include <frameobject.h>
#include <nanobind/stl/string.h>
#include <opcode.h>

#include <cstring>
#include <new>
#include <unordered_set>
#include <utility>
#include <vector>

#include "capture/machine/machine.h"
#include "capture_refusal.h"
#include "core/absent_device.h"
#include "exec/wrong_input.h"
#include "ops/families/programs.h"
#include "places.h"
#include "program_files.h"

namespace monograph::python {
namespace {

PyObject* g_internal_error = nullptr;
PyObject* g_linear_algebra_error = nullptr;
PyObject* g_absent_device = nullptr;  // both a NotImplementedError and an AssertionError
PyObject* g_script_error = nullptr;  // torch.jit.Error
PyObject* g_wrong_input = nullptr;  // both a TypeError and a RuntimeError
PyObject* g_package = nullptr;  // the package's folder, with a separator
std::string* const g_python_folder = new std::string;  // that of Python's own library
std::unordered_set<const std::string*> g_program_files;  // interned names; only threads that hold the GIL read and change it

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
    case ErrorKind::Overflow: return PyExc_OverflowError;
    case ErrorKind::LinearAlgebra: return g_linear_algebra_error ? g_linear_algebra_error : PyExc_RuntimeError;
  }
  return PyExc_RuntimeError;
}

// A class that is both `type` and `other`. It has the name of `type`, so that tracebacks show that, and is pickled as `type`.
nb::object class_of_both(PyObject* type, PyObject* other) {
  nb::object reduce = nb::cpp_function(
      [](nb::handle self) { return nb::make_tuple(nb::handle(Py_TYPE(self.ptr())).attr("__bases__")[0], self.attr("args")); },
      nb::is_method());
  nb::dict members;
  for (const char* name : {"__module__", "__qualname__", "__doc__"}) members[name] = nb::handle(type).attr(name);
  members["__reduce__"] = reduce;
  return nb::handle(reinterpret_cast<PyObject*>(&PyType_Type))(nb::handle(type).attr("__name__"),
                                                               nb::make_tuple(nb::handle(type), nb::handle(other)), members);
}

// The class of what a program raises: both `type` and torch.jit.Error.
PyObject* raised_class(PyObject* type) {
  static PyObject* known = PyDict_New();
  check(known ? 0 : -1);
  if (PyObject* found = PyDict_GetItemWithError(known, type)) return found;
  const nb::object made = class_of_both(type, g_script_error);
  check(PyDict_SetItem(known, type, made.ptr()));
  return PyDict_GetItemWithError(known, type);
}

// The class of Python's own that a program names by no kind of ours, such as OverflowError; null for RuntimeError and for classes that take more than a text.
PyObject* builtin_exception(const std::string& name) {
  PyObject* found = name == "RuntimeError" ? nullptr : PyDict_GetItemString(PyModule_GetDict(PyImport_AddModule("builtins")), name.c_str());
  if (!found || !PyExceptionClass_Check(found) ||
      !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(found), reinterpret_cast<PyTypeObject*>(PyExc_Exception)))
    return nullptr;
  const bool takes_more =
      PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(found), reinterpret_cast<PyTypeObject*>(PyExc_UnicodeError)) != 0 ||
      name.ends_with("ExceptionGroup");
  return takes_more ? nullptr : found;
}

// Raises; the exception says by `_has_place` that its message names a place of the program, by `_has_recorded_place` that it names the line where a node
// was recorded, by `_is_refusal` that a capture refuses what it cannot record, and by `_raised` what the program raised: (name of the class, words).
void set_located(PyObject* type, const Error& error, bool has_recorded_place) noexcept {
  const auto* raised = dynamic_cast<const RaisedException*>(&error);
  const char* words = error.what();
  if (g_absent_device && dynamic_cast<const AbsentDevice*>(&error)) type = g_absent_device;
  const auto* wrong = dynamic_cast<const exec::WrongInput*>(&error);
  if (wrong) type = g_wrong_input;
  if (PyObject* own = raised && error.kind() == ErrorKind::Runtime ? builtin_exception(raised->exception) : nullptr) {
    type = own;
    words += raised->exception.size() + (raised->text.empty() ? 0 : 2);  // "AssertionError: ..."
  }
  if (raised) {
    try {
      type = raised_class(type);
    } catch (nb::python_error& e) {
      return e.restore();
    }
  }
  PyObject* made = PyObject_CallFunction(type, "s", words);
  bool good = made && PyObject_SetAttrString(made, "_has_place", Py_True) == 0;
  if (dynamic_cast<const CaptureRefusal*>(&error)) good = good && PyObject_SetAttrString(made, "_is_refusal", Py_True) == 0;
  good = good && (!has_recorded_place || PyObject_SetAttrString(made, "_has_recorded_place", Py_True) == 0);
  if (wrong && good) {
    PyObject* place = PyLong_FromLong(wrong->place());
    good = place && PyObject_SetAttrString(made, "_place", place) == 0;
    Py_XDECREF(place);
  }
  if (raised && good) {
    PyObject* parts = Py_BuildValue("(ss)", raised->exception.c_str(), raised->text.c_str());
    good = parts && PyObject_SetAttrString(made, "_raised", parts) == 0;
    Py_XDECREF(parts);
  }
  if (good) PyErr_SetObject(type, made);
  Py_XDECREF(made);
}

// Where the innermost frame is that is neither the package's nor of Python's own library. If there is none, the innermost one of Python's library.
struct PlaceInCode {
  nb::object code;
  int line = 0, instruction = 0;
  std::string library;  // "file:line" of Python's library, whose frame is further inside; "" for none
};

// Whether a file is one of Python's own library. Installed packages lie in folders below it, and are none.
bool is_of_python(std::string_view file) {
  if (file.starts_with("<frozen ")) return true;
  return !g_python_folder->empty() && file.starts_with(*g_python_folder) && file.find("-packages/") == std::string_view::npos;
}

}  // namespace

std::string with_caller(std::string place) {
  const bool ours = g_package && std::string_view(place).starts_with(text_of(g_package));
  return ours ? concat(to_string(caller_span()), " (calls ", place, ")") : place;
}

namespace {

PlaceInCode caller_place() {
  PlaceInCode library;
  auto frame = nb::steal(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  while (frame.is_valid()) {
    auto* f = reinterpret_cast<PyFrameObject*>(frame.ptr());
    auto code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(f)));
    PyObject* file = reinterpret_cast<PyCodeObject*>(code.ptr())->co_filename;
    bool ours = g_package && PyUnicode_Tailmatch(file, g_package, 0, PY_SSIZE_T_MAX, -1) == 1;
    if (!ours) {
      PlaceInCode place{std::move(code), PyFrame_GetLineNumber(f), PyFrame_GetLasti(f), library.library};
      const std::string name = shown_text(file);
      if (!is_of_python(name)) return place;
      if (!library.code.is_valid()) library = std::move(place), library.library = concat(name, ":", library.line);
    }
    frame = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetBack(f)));
  }
  library.library.clear();
  return library;
}

// -1 where there is none.
int instruction_of(PyCodeObject* code, int instruction) {
  nb::object bytes = nb::steal(PyCode_GetCode(code));
  if (!bytes.is_valid() || instruction < 0 || instruction >= PyBytes_GET_SIZE(bytes.ptr())) return PyErr_Clear(), -1;
  return static_cast<unsigned char>(PyBytes_AS_STRING(bytes.ptr())[instruction]);
}

// Python's positions tell which part of a line an instruction stands for. `a, b = x` and `for a in x` are shown whole: there the part is `a, b`
// or `x` alone, which is not what is counted.
bool asks_for_part(PyCodeObject* code, int instruction) {
  const int op = instruction_of(code, instruction);
  return op >= 0 && op != UNPACK_SEQUENCE && op != UNPACK_EX && op != GET_ITER && op != FOR_ITER;
}

std::string line_of(PyObject* file, int line) {
  nb::object text = nb::module_::import_("linecache").attr("getline")(nb::handle(file), line);
  return std::string(text_of(text.ptr()));
}

std::string stripped(const std::string& s) {
  const size_t begin = s.find_first_not_of(" \t\r\n"), end = s.find_last_not_of(" \t\r\n");
  return begin == std::string::npos ? std::string() : s.substr(begin, end - begin + 1);
}

// Of Python code that only helps. A Ctrl-C that came meanwhile comes once more, at the next instruction.
void forget(nb::python_error& e) {
  e.restore();
  capture::machine::forget_error();
}

// The text from column `begin` of line `first` to column `end` of line `last`, on one line. Columns count bytes.
std::string part_of_source(PyObject* file, int first, int begin, int last, int end) {
  std::string part;
  for (int n = first; n <= last; ++n) {
    std::string line = line_of(file, n);
    const size_t from = n == first ? static_cast<size_t>(begin) : 0, to = n == last ? static_cast<size_t>(end) : line.size();
    if (from > to || to > line.size()) return {};  // the file is not the one that was compiled
    line = stripped(line.substr(from, to - from));
    if (!part.empty() && !line.empty()) part += ' ';
    part += line;
  }
  return part;
}

}  // namespace

void note_program_file(const std::string* file) {
  static const std::string* last = nullptr;
  if (std::exchange(last, file) != file) g_program_files.insert(file);
}
bool is_program_file(const std::string& file) { return g_program_files.contains(intern_file(file)); }

namespace {

Span span_of(const PlaceInCode& place) {
  Span span;
  if (!place.code.is_valid()) return span;
  const auto* code = reinterpret_cast<PyCodeObject*>(place.code.ptr());
  span.file = intern_file(shown_text(code->co_filename));
  note_program_file(span.file);
  span.line = static_cast<uint32_t>(place.line > 0 ? place.line : code->co_firstlineno);  // some instructions have no line
  return span;
}

}  // namespace

Span caller_span() { return span_of(caller_place()); }

std::string caller_place_in_words() {
  const PlaceInCode place = caller_place();
  const std::string words = to_string(span_of(place));
  return place.library.empty() ? words : concat(words, " (through ", place.library, ")");
}

namespace {

std::string expression_at(const PlaceInCode& place) {
  auto* code = reinterpret_cast<PyCodeObject*>(place.code.ptr());
  int first = 0, begin = 0, last = 0, end = 0;
  try {
    if (asks_for_part(code, place.instruction) && PyCode_Addr2Location(code, place.instruction, &first, &begin, &last, &end) != 0 &&
        first > 0 && begin >= 0 && last >= first && end >= 0)
      if (std::string part = part_of_source(code->co_filename, first, begin, last, end); !part.empty()) return part;
    return stripped(line_of(code->co_filename, place.line));
  } catch (nb::python_error& e) {  // no source: a text given to exec(), a file that is gone
    forget(e);
    return {};
  }
}

// The innermost Python code, where that is a layer or a function of monograph.nn.
PlaceInCode place_in_layers() {
  auto frame = nb::steal(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  if (!frame.is_valid() || !g_package) return {};
  auto* f = reinterpret_cast<PyFrameObject*>(frame.ptr());
  auto code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(f)));
  const std::string file = shown_text(reinterpret_cast<PyCodeObject*>(code.ptr())->co_filename), package(text_of(g_package));
  if (!file.starts_with(package) || file.substr(package.size()).find("nn/") > 1) return {};
  return {std::move(code), PyFrame_GetLineNumber(f), PyFrame_GetLasti(f), {}};
}

}  // namespace

// `x.shape[0] > 2`; for a condition of a layer `input.dim() == 3 in self.lstm(x)`.
std::string caller_expression() {
  const capture::machine::Unwatched unwatched;  // it opens the file
  const PlaceInCode place = caller_place(), inside = place_in_layers();
  if (!place.code.is_valid()) return {};
  std::string text = expression_at(place);
  if (std::string condition = inside.code.is_valid() ? expression_at(inside) : ""; !condition.empty() && !text.empty())
    text = concat(condition, " in ", text);
  return text;
}

bool caller_calls() {
  const PlaceInCode place = caller_place();
  if (!place.code.is_valid() || place_in_layers().code.is_valid()) return false;
  const int op = instruction_of(reinterpret_cast<PyCodeObject*>(place.code.ptr()), place.instruction);
#ifdef CALL
  if (op == CALL) return true;
#endif
#ifdef PRECALL
  if (op == PRECALL) return true;
#endif
#ifdef CALL_KW
  if (op == CALL_KW) return true;
#endif
#ifdef CALL_METHOD
  if (op == CALL_METHOD || op == CALL_FUNCTION || op == CALL_FUNCTION_KW) return true;
#endif
  return op == CALL_FUNCTION_EX;
}

// For a line of the code of a GraphModule: the user's line that its node was recorded at. Empty for any other line.
std::string origin_of_generated(const Span& span) {
  if (!span.known() || !span.file->starts_with("<eval_with_key>")) return {};
  nb::object text =
      nb::module_::import_("monograph.fx.graph_module").attr("_recorded_at")(to_python(std::string_view(*span.file)), span.line);
  return std::string(text_of(text.ptr()));
}

// MemoryError with the user's line; without a text where there is no memory for one either.
static void raise_no_memory() noexcept {
  try {
    PyErr_Format(PyExc_MemoryError, "there is no memory left\n  at %s", caller_place_in_words().c_str());
  } catch (...) {
    PyErr_NoMemory();
  }
}

void set_error() noexcept {
  try {
    throw;
  } catch (nb::python_error& e) {
    e.restore();
  } catch (Error& e) {
    bool has_recorded_place = false;
    try {
      if (e.kind() != ErrorKind::Attribute) {
        const Span span = caller_span();
        e.locate(span);
        if (std::string origin = origin_of_generated(span); !origin.empty()) e.note("recorded at " + origin), has_recorded_place = true;
      }
    } catch (nb::python_error& raised) {
      forget(raised);  // the message stands without the line
    } catch (...) {
      capture::machine::forget_error();
    }
    set_located(exception_of(e.kind()), e, has_recorded_place);
  } catch (InternalError& e) {
    PyErr_Format(g_internal_error ? g_internal_error : PyExc_RuntimeError, "a bug in Monograph, please report it: %s", e.what());
  } catch (std::bad_alloc&) {
    raise_no_memory();
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
  g_internal_error = PyErr_NewExceptionWithDoc("monograph._C.InternalError", "A bug in Monograph. It is never the user's fault.",
                                               PyExc_RuntimeError, nullptr);
  check(g_internal_error ? 0 : -1);
  check(PyModule_AddObjectRef(module, "InternalError", g_internal_error));
  g_linear_algebra_error = PyErr_NewExceptionWithDoc(
      "monograph._C._LinAlgError", "A matrix that a function of torch.linalg cannot take: singular, or not positive-definite.",
      PyExc_RuntimeError, nullptr);
  check(g_linear_algebra_error ? 0 : -1);
  const nb::object both = check(PyTuple_Pack(2, PyExc_NotImplementedError, PyExc_AssertionError));
  g_absent_device = PyErr_NewExceptionWithDoc("monograph._C.AbsentDeviceError",
                                              "A tensor was to be put on a device that Monograph does not have.", both.ptr(), nullptr);
  check(g_absent_device ? 0 : -1);
  check(PyModule_AddObjectRef(module, "AbsentDeviceError", g_absent_device));
  check(PyModule_AddObjectRef(module, "_LinAlgError", g_linear_algebra_error));
  g_script_error = PyErr_NewExceptionWithDoc("monograph.jit.Error",
                                             "What a scripted program raises: its class is that of the program and this one.\n\n"
                                             "    >>> @torch.jit.script\n"
                                             "    ... def positive(n: int):\n"
                                             "    ...     if n < 1:\n"
                                             "    ...         raise ValueError(\"too small\")\n"
                                             "    ...     return n\n"
                                             "    >>> try:\n"
                                             "    ...     positive(0)\n"
                                             "    ... except torch.jit.Error as error:\n"
                                             "    ...     print(isinstance(error, ValueError))\n"
                                             "    True",
                                             nullptr, nullptr);
  check(g_script_error ? 0 : -1);
  check(PyModule_AddObjectRef(module, "_ScriptError", g_script_error));
  g_wrong_input = class_of_both(PyExc_TypeError, PyExc_RuntimeError).release().ptr();
  check(PyModule_AddObjectRef(module, "_WrongInput", g_wrong_input));
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
  nb::handle(module).attr("_set_package_folder") = nb::cpp_function([](nb::str folder) {
    g_package = folder.release().ptr();
    const auto os = nb::cast<std::string>(nb::module_::import_("os").attr("__file__"));
    *g_python_folder = os.substr(0, os.rfind('/') + 1);
  });
}

}  // namespace monograph::python
