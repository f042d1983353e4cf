// Names, attributes, cells and imports.
#include "capture/machine/registers.h"

#include <optional>
#include <string_view>

#ifdef MONOGRAPH_MACHINE

namespace monograph::capture::machine {
namespace {

constexpr const char* kNoName = "name '%.200s' is not defined";
constexpr const char* kNoLocal = "cannot access local variable '%s' where it is not associated with a value";
constexpr const char* kNoFree = "cannot access free variable '%s' where it is not associated with a value in enclosing scope";

PyObject* interned(const char* text) { return PyUnicode_InternFromString(text); }

// With the attribute `name` of a NameError, from which Python's suggestions are made.
void raise_name_error(PyObject* type, const char* format, PyObject* name) {
  const char* text = name ? PyUnicode_AsUTF8(name) : nullptr;
  if (!text) return;
  PyErr_Format(type, format, text);
  if (type != PyExc_NameError) return;
  PyObject *exception, *value, *traceback;
  PyErr_Fetch(&exception, &value, &traceback);
  PyErr_NormalizeException(&exception, &value, &traceback);
  if (PyErr_GivenExceptionMatches(value, PyExc_NameError) && !reinterpret_cast<PyNameErrorObject*>(value)->name)
    PyObject_SetAttrString(value, "name", name);
  PyErr_Restore(exception, value, traceback);
}

// The value of a name in a mapping, a new reference; null without an exception where there is none.
PyObject* look_up(PyObject* mapping, PyObject* name) {
  if (PyDict_CheckExact(mapping)) return Py_XNewRef(PyDict_GetItemWithError(mapping, name));
  PyObject* value = PyObject_GetItem(mapping, name);
  if (!value && PyErr_ExceptionMatches(PyExc_KeyError)) PyErr_Clear();
  return value;
}

PyObject* look_up_builtin(PythonFrame* frame, PyObject* name) {
  PyObject* value = look_up(frame->f_builtins, name);
  if (!value && !PyErr_Occurred()) raise_name_error(PyExc_NameError, kNoName, name);
  return value;
}

bool has_locals(Registers& r) { return r.frame->f_locals || wrong_type(r, "the names of a class or of a module"); }

int store(PyObject* mapping, PyObject* name, PyObject* value) {
  return PyDict_CheckExact(mapping) ? PyDict_SetItem(mapping, name, value) : PyObject_SetItem(mapping, name, value);
}

void raise_cannot_import(PyObject* module, PyObject* name, PyObject* package) {
  PyObject* path = PyModule_GetFilenameObject(module);
  PyObject* shown = package ? Py_NewRef(package) : PyUnicode_FromString("<unknown module name>");
  PyObject* message = nullptr;
  if (!path || !PyUnicode_Check(path)) {
    PyErr_Clear();
    message = PyUnicode_FromFormat("cannot import name %R from %R (unknown location)", name, shown);
    Py_CLEAR(path);
  } else {
    PyObject* spec = PyObject_GetAttrString(module, "__spec__");
    message =
        _PyModuleSpec_IsInitializing(spec)
            ? PyUnicode_FromFormat("cannot import name %R from partially initialized module %R (most likely due to a circular import) (%S)",
                                   name, shown, path)
            : PyUnicode_FromFormat("cannot import name %R from %R (%S)", name, shown, path);
    Py_XDECREF(spec);
  }
  PyErr_SetImportError(message, package, path);
  Py_XDECREF(message);
  Py_XDECREF(shown);
  Py_XDECREF(path);
}

PyObject* find_in_module(PyObject* module, PyObject* name) {
  PyObject* value = nullptr;
  if (_PyObject_LookupAttr(module, name, &value) != 0) return value;
  // A circular import: the submodule is there, but not yet an attribute of its package.
  PyObject* package = PyObject_GetAttrString(module, "__name__");
  if (!package || !PyUnicode_Check(package)) {
    Py_CLEAR(package);
    raise_cannot_import(module, name, nullptr);
    return nullptr;
  }
  PyObject* full = PyUnicode_FromFormat("%U.%U", package, name);
  if (full) {
    value = PyImport_GetModule(full);
    Py_DECREF(full);
    if (!value && !PyErr_Occurred()) raise_cannot_import(module, name, package);
  }
  Py_DECREF(package);
  return value;
}

// The names that `from module import *` binds; `public_only` where it has no __all__.
PyObject* names_to_import(PyObject* module, bool& public_only) {
  PyObject* all = nullptr;
  public_only = false;
  PyObject* key = interned("__all__");
  if (!key) return nullptr;
  const int status = _PyObject_LookupAttr(module, key, &all);
  Py_DECREF(key);
  if (status != 0) return all;
  public_only = true;
  PyObject* dict = nullptr;
  key = interned("__dict__");
  if (!key) return nullptr;
  if (_PyObject_LookupAttr(module, key, &dict) == 0)
    PyErr_SetString(PyExc_ImportError, "from-import-* object has no __dict__ and no __all__");
  Py_DECREF(key);
  if (!dict) return nullptr;
  all = PyMapping_Keys(dict);
  Py_DECREF(dict);
  return all;
}

void raise_name_is_no_text(PyObject* module, PyObject* name, bool public_only) {
  PyObject* owner = PyObject_GetAttrString(module, "__name__");
  if (!owner) return;
  if (!PyUnicode_Check(owner)) PyErr_Format(PyExc_TypeError, "module __name__ must be a string, not %.100s", Py_TYPE(owner)->tp_name);
  else
    PyErr_Format(PyExc_TypeError, "%s in %U.%s must be str, not %.100s", public_only ? "Key" : "Item", owner,
                 public_only ? "__dict__" : "__all__", Py_TYPE(name)->tp_name);
  Py_DECREF(owner);
}

bool import_one(PyObject* module, PyObject* locals, PyObject* name, bool public_only) {
  if (!PyUnicode_Check(name)) {
    raise_name_is_no_text(module, name, public_only);
    return false;
  }
  if (public_only) {
    if (PyUnicode_READY(name) < 0) return false;
    if (PyUnicode_GET_LENGTH(name) > 0 && PyUnicode_READ_CHAR(name, 0) == '_') return true;
  }
  PyObject* value = PyObject_GetAttr(module, name);
  const bool good = value && store(locals, name, value) == 0;
  Py_XDECREF(value);
  return good;
}

bool import_all(PyObject* module, PyObject* locals) {
  bool public_only = false;
  PyObject* all = names_to_import(module, public_only);
  if (!all) return false;
  bool good = true;
  for (Py_ssize_t i = 0; good; ++i) {
    PyObject* name = PySequence_GetItem(all, i);
    if (!name) {
      good = PyErr_ExceptionMatches(PyExc_IndexError) != 0;
      if (good) PyErr_Clear();
      break;
    }
    good = import_one(module, locals, name, public_only);
    Py_DECREF(name);
  }
  Py_DECREF(all);
  return good;
}

}  // namespace

bool wrong_type(Registers& r, const char* expected) {
  const CodeUnit unit = _PyCode_CODE(r.frame->f_code)[r.offset() - 1];
  PyCodeObject* code = r.frame->f_code;
  const int offset = 2 * (r.offset() - 1), line = PyCode_Addr2Line(code, offset);
  PyErr_Format(bytecode_error(), "opcode %d at offset %d of %U (%U:%d) expects %s", static_cast<int>(_Py_OPCODE(unit)), offset,
               code->co_qualname, code->co_filename, line > 0 ? line : code->co_firstlineno, expected);
  return false;
}

void raise_unbound_local(Registers& r, int index) {
  raise_name_error(PyExc_UnboundLocalError, kNoLocal, PyTuple_GetItem(r.frame->f_code->co_localsplusnames, index));
}

void raise_unbound_cell(Registers& r, int index) {
  if (PyErr_Occurred()) return;
  PyCodeObject* code = r.frame->f_code;
  PyObject* name = PyTuple_GET_ITEM(code->co_localsplusnames, index);
  if (index < code->co_nplaincellvars + code->co_nlocals) raise_name_error(PyExc_UnboundLocalError, kNoLocal, name);
  else raise_name_error(PyExc_NameError, kNoFree, name);
}

bool load_name(Registers& r, int arg) {
  PyObject* name = r.name(arg);
  if (!has_locals(r)) return false;
  PyObject* value = look_up(r.frame->f_locals, name);
  if (!value && !PyErr_Occurred()) value = Py_XNewRef(PyDict_GetItemWithError(r.frame->f_globals, name));
  if (!value && !PyErr_Occurred()) value = look_up_builtin(r.frame, name);
  return r.push_checked(value);
}

bool store_name(Registers& r, int arg) {
  PyObject* name = r.name(arg);
  PyObject* value = r.pop();
  const bool good = has_locals(r) && store(r.frame->f_locals, name, value) == 0;
  Py_DECREF(value);
  return good;
}

bool delete_name(Registers& r, int arg) {
  PyObject* name = r.name(arg);
  if (!has_locals(r)) return false;
  if (PyObject_DelItem(r.frame->f_locals, name) == 0) return true;
  raise_name_error(PyExc_NameError, kNoName, name);
  return false;
}

bool load_global(Registers& r, int arg) {
  PyObject* name = r.name(arg >> 1);
  PythonFrame* frame = r.frame;
  PyObject* value;
  if (PyDict_CheckExact(frame->f_globals) && PyDict_CheckExact(frame->f_builtins)) {
    value = PyDict_GetItemWithError(frame->f_globals, name);
    if (!value && !PyErr_Occurred()) value = PyDict_GetItemWithError(frame->f_builtins, name);
    if (!value && !PyErr_Occurred()) raise_name_error(PyExc_NameError, kNoName, name);
    Py_XINCREF(value);
  } else {
    value = PyObject_GetItem(frame->f_globals, name);
    if (!value && PyErr_ExceptionMatches(PyExc_KeyError)) {
      PyErr_Clear();
      value = PyObject_GetItem(frame->f_builtins, name);
      if (!value && PyErr_ExceptionMatches(PyExc_KeyError)) raise_name_error(PyExc_NameError, kNoName, name);
    }
  }
  if (!value) return false;
  if (arg & 1) r.push(nullptr);
  r.push(value);
  r.next += caches::kLoadGlobal;
  return true;
}

bool delete_global(Registers& r, int arg) {
  if (PyDict_DelItem(r.frame->f_globals, r.name(arg)) == 0) return true;
  if (PyErr_ExceptionMatches(PyExc_KeyError)) raise_name_error(PyExc_NameError, kNoName, r.name(arg));
  return false;
}

bool load_classderef(Registers& r, int arg) {
  if (!r.frame->f_locals) return wrong_type(r, "the names of a class");
  PyObject* cell = r.frame->localsplus[arg];
  if (!cell || !PyCell_Check(cell)) return wrong_type(r, "a cell");
  PyObject* value = look_up(r.frame->f_locals, PyTuple_GET_ITEM(r.frame->f_code->co_localsplusnames, arg));
  if (!value && PyErr_Occurred()) return false;
  if (!value) value = Py_XNewRef(PyCell_GET(cell));
  if (!value) raise_unbound_cell(r, arg);
  return r.push_checked(value);
}

bool load_method(Registers& r, int arg) {
  PyObject* object = r.peek(1);
  PyObject* method = found_by_watcher(r, object, r.name(arg));
  const bool unbound = !method && _PyObject_GetMethod(object, r.name(arg), &method) != 0;
  if (!method) return false;
  if (unbound) {
    r.peek(1) = method;
    r.push(object);
  } else {
    r.peek(1) = nullptr;
    Py_DECREF(object);
    r.push(method);
  }
  r.next += caches::kLoadMethod;
  return true;
}

bool load_build_class(Registers& r) {
  PyObject* name = interned("__build_class__");
  if (!name) return false;
  PyObject* value = look_up(r.frame->f_builtins, name);
  Py_DECREF(name);
  if (!value && !PyErr_Occurred()) PyErr_SetString(PyExc_NameError, "__build_class__ not found");
  return r.push_checked(value);
}

bool setup_annotations(Registers& r) {
  PyObject* locals = r.frame->f_locals;
  if (!has_locals(r)) return false;
  PyObject* name = interned("__annotations__");
  if (!name) return false;
  PyObject* annotations = look_up(locals, name);
  bool good = annotations || !PyErr_Occurred();
  if (good && !annotations) {
    annotations = PyDict_New();
    good = annotations && store(locals, name, annotations) == 0;
  }
  Py_XDECREF(annotations);
  Py_DECREF(name);
  return good;
}

// Whether an import is of Monograph's own modules, which it loads at their first use: no act of the program.
static bool imports_monograph(PythonFrame* frame, PyObject* name, int level) {
  PyObject* of = level == 0 ? name : PyDict_GetItemString(frame->f_globals, "__name__");
  const char* text = of && PyUnicode_Check(of) ? PyUnicode_AsUTF8(of) : nullptr;
  if (!text) return PyErr_Clear(), false;
  const std::string_view first = std::string_view(text).substr(0, std::string_view(text).find('.'));
  if (first == "monograph") return true;
  PyObject* modules = PyImport_GetModuleDict();
  return first == "torch" && PyDict_GetItemString(modules, "torch") == PyDict_GetItemString(modules, "monograph");
}

bool import_name(Registers& r, int arg) {
  if (!PyLong_Check(r.peek(2))) return wrong_type(r, "the level of an import");
  PyObject* name = r.name(arg);
  PyObject* from_list = r.pop();
  PyObject* level = r.peek(1);
  PyObject* key = interned("__import__");
  PyObject* function = key ? PyDict_GetItemWithError(r.frame->f_builtins, key) : nullptr;
  PyObject* module = nullptr;
  PyObject* locals = r.frame->f_locals ? r.frame->f_locals : Py_None;
  if (!function) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ImportError, "__import__ not found");
  } else if (is_own_import(r.thread, function)) {
    const int number = _PyLong_AsInt(level);
    std::optional<Unwatched> unwatched;
    if (imports_monograph(r.frame, name, number)) unwatched.emplace();
    if (number != -1 || !PyErr_Occurred()) module = PyImport_ImportModuleLevelObject(name, r.frame->f_globals, locals, from_list, number);
  } else {
    Py_INCREF(function);
    PyObject* args[] = {name, r.frame->f_globals, locals, from_list, level};
    module = PyObject_Vectorcall(function, args, 5, nullptr);
    Py_DECREF(function);
  }
  Py_XDECREF(key);
  Py_DECREF(level);
  Py_DECREF(from_list);
  r.peek(1) = module;
  return module != nullptr;
}

bool import_from(Registers& r, int arg) { return r.push_checked(find_in_module(r.peek(1), r.name(arg))); }

bool import_star(Registers& r) {
  PyObject* module = r.pop();
  PyFrameObject* object = PyThreadState_GetFrame(r.thread);
  bool good = object && PyFrame_FastToLocalsWithError(object) == 0;
  if (good && !r.frame->f_locals) {
    PyErr_SetString(PyExc_SystemError, "no locals found during 'import *'");
    good = false;
  } else if (good) {
    good = import_all(module, r.frame->f_locals);
    PyFrame_LocalsToFast(object, 0);
  }
  Py_XDECREF(object);
  Py_DECREF(module);
  return good;
}

}  // namespace monograph::capture::machine
#endif
