// Breaks in the middle of a function: how a call goes on behind the graph that ends there. docs/design/machine.md, "Breaks".
#include "compile_breaks.h"

#include <cctype>
#include <set>

#include "capture/machine/machine.h"
#include "graph.h"
#include "places.h"

namespace monograph::python::compiled {

const PyCodeObject* code_of(PyObject* f) {
  if (Py_IS_TYPE(f, &PyMethod_Type)) {
    const Object forward = Object::taken(PyObject_GetAttrString(PyMethod_GET_SELF(f), "forward"));
    capture::machine::forget_error();
    f = forward && Py_IS_TYPE(forward.get(), &PyMethod_Type) ? PyMethod_GET_FUNCTION(forward.get()) : PyMethod_GET_FUNCTION(f);
  }
  return PyFunction_Check(f) ? reinterpret_cast<PyCodeObject*>(reinterpret_cast<PyFunctionObject*>(f)->func_code) : nullptr;
}

std::string place_of(PyObject* f) {
  const PyCodeObject* code = code_of(f);
  return code ? concat(shown_text(code->co_filename), ":", code->co_firstlineno) : std::string();
}

#ifdef MONOGRAPH_MACHINE
namespace {

// monograph._C._Rest: the rest of a call behind a break, as a function of what the frames hold there.
struct RestObject {
  PyObject_HEAD std::shared_ptr<const Break> at;
};
PyTypeObject g_rest_type = make_type("monograph._C._Rest", sizeof(RestObject));
RestObject& rest_of_object(PyObject* o) { return *reinterpret_cast<RestObject*>(o); }

PyObject* call_rest(PyObject* self, PyObject* args, PyObject*) {
  const std::shared_ptr<const Break> at = rest_of_object(self).at;
  if (PyTuple_GET_SIZE(args) != static_cast<Py_ssize_t>(at->standing.value_count())) {
    PyErr_SetString(PyExc_TypeError, "the rest of a function takes what its frames hold");
    return nullptr;
  }
  return capture::machine::run_on(at->standing, &PyTuple_GET_ITEM(args, 0));
}

void dealloc_rest(PyObject* self) {
  std::destroy_at(&rest_of_object(self).at);
  Py_TYPE(self)->tp_free(self);
}

}  // namespace

bool is_rest(PyObject* function) { return Py_IS_TYPE(function, &g_rest_type); }
const Break& break_of(PyObject* rest) { return *rest_of_object(rest).at; }
bool same_place(const Break& a, const Break& b) { return a.standing == b.standing; }

Object rest_of(const std::shared_ptr<const Break>& at, Object& names) {
  Object made = Object::taken(PyType_GenericAlloc(&g_rest_type, 0));
  new (&rest_of_object(made.get()).at) std::shared_ptr<const Break>(at);
  const Object list = Object::taken(PyList_New(0));
  std::set<std::string> taken;  // two frames may have a variable of the same name
  auto add = [&](std::string name) {
    for (char& c : name)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    const std::string base = name;
    for (int k = 1; !taken.insert(name).second; ++k) name = concat(base, "_", k);
    const Object text = Object::taken(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
    if (text) PyList_Append(list.get(), text.get());
  };
  size_t slot = 0;
  for (const auto& f : at->standing.frames) {
    add(shown_text(f.code->co_name));
    for (int k = 0; k < f.slots; ++k) {
      if (!at->standing.held[slot++]) continue;
      const bool local = k < f.code->co_nlocalsplus;
      add(local ? std::string(text_of(PyTuple_GET_ITEM(f.code->co_localsplusnames, k))) : concat("value_", k - f.code->co_nlocalsplus));
    }
  }
  names = Object::taken(PyList_AsTuple(list.get()));
  return made;
}

bool run_break(const Break& at_break, PyObject* state, std::shared_ptr<const Break>& at, std::vector<Object>& values, PyObject*& result) {
  auto next = std::make_shared<Break>(at_break);
  std::vector<PyObject*> held;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(state); ++k) held.push_back(Py_NewRef(PyTuple_GET_ITEM(state, k)));
  Py_DECREF(state);
  if (!capture::machine::run_one_instruction(next->standing, held, result)) return false;
  for (PyObject* o : held) values.push_back(Object::taken(o));
  at = std::move(next);
  return true;
}

// Whether the program itself would have got this error, too: it is Python's or the program's own, or that of an operator.
static bool is_of_program(PyObject* error, PyObject* traceback, std::string_view words, std::string_view of_operator) {
  if (capture::machine::is_marked_refusal(error)) return false;
  while (traceback && reinterpret_cast<PyTracebackObject*>(traceback)->tb_next)
    traceback = reinterpret_cast<PyObject*>(reinterpret_cast<PyTracebackObject*>(traceback)->tb_next);
  const Object code =
      traceback ? Object::taken(reinterpret_cast<PyObject*>(PyFrame_GetCode(reinterpret_cast<PyTracebackObject*>(traceback)->tb_frame)))
                : Object();
  const bool planned =
      PyErr_GivenExceptionMatches(error, PyExc_NotImplementedError) && code &&
      with_caller(shown_text(reinterpret_cast<PyCodeObject*>(code.get())->co_filename)).find(" (calls ") != std::string::npos;
  const Object placed = Object::taken(PyObject_GetAttrString(error, "_has_place"));
  if (!placed) PyErr_Clear();
  return !planned && (!placed || of_operator.find(words.substr(0, words.find('\n'))) != std::string_view::npos);
}

std::string text_of_error(bool& own, std::string_view of_operator) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const Object words = Object::taken(value ? PyObject_Str(value) : nullptr);
  std::string out = value ? Py_TYPE(value)->tp_name : "?";
  if (words) out += ": " + std::string(text_of(words.get()));
  own = own && value && words && is_of_program(value, traceback, text_of(words.get()), of_operator);
  capture::machine::forget_error();
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  return out;
}

void init_breaks(PyObject*) {
  PyTypeObject& t = g_rest_type;
  t.tp_call = call_rest, t.tp_dealloc = dealloc_rest;
  if (PyType_Ready(&t) < 0) raise_set();
}
#else
bool is_rest(PyObject*) { return false; }
void init_breaks(PyObject*) {}
bool same_place(const Break&, const Break&) { return false; }
Object rest_of(const std::shared_ptr<const Break>&, Object&) { return {}; }
bool run_break(const Break&, PyObject*, std::shared_ptr<const Break>&, std::vector<Object>&, PyObject*&) { return false; }
#endif

}  // namespace monograph::python::compiled
