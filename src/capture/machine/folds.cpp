// Generator expressions that a builtin consumes, as sum(x[i] for i in range(n)): a loop that runs in C code could not be kept. So a function is called instead
// that has the expression's loop, and does with each element what the builtin does (monograph/_folds.py).
#include "capture/machine/frame_loop.h"

#ifdef MONOGRAPH_MACHINE
#include <unordered_set>

namespace monograph::capture::machine {
namespace {

// Builtins that take all elements of an iterable.
bool consumes(PyObject* function) {
  static const std::unordered_set<PyObject*> known = [] {
    std::unordered_set<PyObject*> found{reinterpret_cast<PyObject*>(&PyList_Type), reinterpret_cast<PyObject*>(&PyTuple_Type)};
    for (const auto& [module, names] :
         {std::pair("builtins", std::vector<const char*>{"sum", "any", "all", "min", "max"}), {"math", {"prod"}}}) {
      PyObject* from = PyImport_ImportModule(module);
      for (const char* name : names)
        if (PyObject* builtin = from ? PyObject_GetAttrString(from, name) : nullptr) found.insert(builtin);
      Py_XDECREF(from);
    }
    forget_error();
    return found;
  }();
  return known.contains(function);
}

// The frame of a generator expression that `holders` alone hold and of which nothing has run, over an iterator that a fork can copy; else null.
PythonFrame* fresh_expression(Forks& forks, PyObject* value, Py_ssize_t holders) {
  auto* generator = reinterpret_cast<PyGenObject*>(value);
  if (Py_REFCNT(value) != holders || generator->gi_frame_state != FRAME_CREATED) return nullptr;
  PythonFrame* frame = frame_of(generator);
  PyCodeObject* code = frame->f_code;
  if (code->co_argcount != 1 || PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(code->co_localsplusnames, 0), ".0") != 0) return nullptr;
  PyObject* iterator = frame->localsplus[0];
  if (!iterator || Py_REFCNT(iterator) != 1) return nullptr;
  return forks.is_symbolic_iterator(iterator) || is_standard_iterator(iterator) ? frame : nullptr;
}

}  // namespace

// The code of a generator expression that is no generator any more.
bool Loop::is_folded(PyCodeObject* code) {
  return code->co_argcount > 0 && code->co_posonlyargcount == 1 && !(code->co_flags & CO_GENERATOR) &&
         PyUnicode_CompareWithASCIIString(code->co_name, "<genexpr>") == 0;
}

// The variable that holds the generator, where nothing behind the call reads it; else null.
PyObject** Loop::variable_of(PyObject* generator) {
  PyCodeObject* code = r_.frame->f_code;
  for (int k = 0; k < code->co_nlocals; ++k) {
    if (r_.frame->localsplus[k] != generator) continue;
    const CodeFlow* flow = r_.hook->forks->flow(code);
    return flow && !flow->live_behind(r_.offset(), k) ? &r_.frame->localsplus[k] : nullptr;
  }
  return nullptr;
}

bool Loop::fold(int arg) {
  const Py_ssize_t count = arg - (r_.keywords ? PyTuple_GET_SIZE(r_.keywords) : 0);
  if (!r_.hook || count < 1 || r_.peek(arg + 2) || !consumes(r_.peek(arg + 1)) || !in_program()) return true;
  Forks& forks = *r_.hook->forks;
  PyObject*& value = r_.peek(arg);
  PythonFrame* frame = nullptr;
  if (PyList_CheckExact(value) || PyTuple_CheckExact(value) || PyDict_CheckExact(value) || PyAnySet_CheckExact(value)) return true;
  PyObject** variable = PyGen_CheckExact(value) ? variable_of(value) : nullptr;
  if (PyGen_CheckExact(value) && !(frame = fresh_expression(forks, value, variable ? 2 : 1))) return true;
  PyObject* made = forks.recorder().folded(r_.peek(arg + 1), value, frame ? reinterpret_cast<PyObject*>(frame->f_func) : nullptr,
                                           frame ? frame->localsplus[0] : nullptr, count, r_.keywords);
  if (!made) return PyErr_Occurred() == nullptr;
  if (r_.hook->watcher) r_.hook->watcher->add_made_function(PyTuple_GET_ITEM(made, 0));
  if (variable) Py_CLEAR(*variable);
  Py_SETREF(r_.peek(arg + 1), Py_NewRef(PyTuple_GET_ITEM(made, 0)));
  Py_SETREF(value, Py_NewRef(PyTuple_GET_ITEM(made, 1)));
  Py_DECREF(made);
  return true;
}

}  // namespace monograph::capture::machine
#endif
