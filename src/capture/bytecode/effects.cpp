// Calls of C functions. What a call reads of older objects is guarded, and what it writes is logged. A call whose effects are not known ends the run before
// it happens.
#include "capture/bytecode/reads.h"

#ifdef MONOGRAPH_MACHINE
#include <algorithm>
#include <array>

#include "capture/machine/machine.h"
#include "capture/writer.h"

namespace monograph::capture::bytecode {

using machine::starts_with_package;

namespace {

std::string text_attribute(PyObject* o, const char* name) {
  const Object value = Object::taken(PyObject_GetAttrString(o, name));
  if (!value) machine::forget_error();
  return value && PyUnicode_Check(value.get()) ? utf8(value.get()) : "";
}

// The name of a function. nanobind's functions have no __name__, so they are looked up in monograph._C.
std::string name_of_function(PyObject* function) {
  static const auto* const known = [] {
    auto* names = new std::unordered_map<PyObject*, std::string>;
    PyObject* module = PyImport_AddModule("monograph._C");
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; module && PyDict_Next(PyModule_GetDict(module), &at, &key, &value);)
      if (std::string_view(Py_TYPE(value)->tp_name) == "nanobind.nb_func") names->emplace(value, utf8(key));
    return names;
  }();
  const auto found = known->find(function);
  return found == known->end() ? text_attribute(function, "__name__") : found->second;
}

template <size_t N>
bool among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// The full name of the last base class before `object`: for a random.Random, "_random.Random".
std::string base_name(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  while (type->tp_base && type->tp_base != &PyBaseObject_Type) type = type->tp_base;
  return type->tp_name;
}

bool is_container(PyObject* o) { return PyList_Check(o) || PyDict_Check(o) || PyAnySet_Check(o); }
// Whether this mode, which _grad_mode() has given, has gradients on.
bool has_gradients_on(PyObject* mode) { return PyLong_Check(mode) && (PyLong_AsLong(mode) & 1) != 0; }

// Functions of `builtins` with effects outside of the program's objects.
constexpr std::array<std::string_view, 11> kOutside = {"print",      "input",      "open", "exec",        "eval", "compile",
                                                       "breakpoint", "__import__", "help", "displayhook", "quit"};
// Modules written in C whose functions have no effects.
constexpr std::array<std::string_view, 10> kComputing = {"math",    "cmath", "_operator", "_functools", "itertools",
                                                         "_bisect", "_abc",  "_typing",   "_struct",    "_collections_abc"};
// Methods of lists, dicts and sets: those that read one element, those that only read, and those that only write.
constexpr std::array<std::string_view, 3> kReadOne = {"get", "__getitem__", "__contains__"};
constexpr std::array<std::string_view, 22> kReadOnly = {"keys",     "values",       "items",        "index",     "count",      "copy",
                                                        "union",    "intersection", "difference",   "issubset",  "isdisjoint", "issuperset",
                                                        "__iter__", "__len__",      "__eq__",       "__ne__",    "__repr__",   "__or__",
                                                        "__and__",  "__sub__",      "__reversed__", "__reduce__"};
// Those that compare or print what the container holds, and those that look at no argument but a key.
constexpr std::array<std::string_view, 14> kLooksInto = {"index",  "count",  "remove", "sort",   "__contains__", "__eq__",  "__ne__",
                                                         "__lt__", "__le__", "__gt__", "__ge__", "__repr__",     "__str__", "__format__"};
constexpr std::array<std::string_view, 7> kKeeps = {"append", "appendleft", "insert", "add", "setdefault", "get", "pop"};
constexpr std::array<std::string_view, 7> kWriteOnly = {"append", "extend", "add", "update", "clear", "__setitem__", "__init__"};
// Methods of tensors and functions of Monograph that change more than elements, or that a graph cannot record.
constexpr std::array<std::string_view, 12> kLasting = {"backward",
                                                       "retain_grad",
                                                       "manual_seed",
                                                       "seed",
                                                       "set_state",
                                                       "requires_grad_",
                                                       "set_",
                                                       "_backward",
                                                       "_retain_grad",
                                                       "_add_hook",
                                                       "_add_accumulation_hook",
                                                       "set_num_threads"};

// Methods of tensors that give Python the elements, beside item().
constexpr std::array<std::string_view, 3> kElements = {"tolist", "numpy", "__dlpack__"};

// Methods of streams that read what they hold.
constexpr std::array<std::string_view, 7> kStreamReads = {"getvalue", "getbuffer", "read", "read1", "readline", "readlines", "tell"};

// Whether it is a function of NumPy, such as numpy.sqrt or numpy.prod.
bool is_of_numpy(PyObject* function) {
  const std::string_view kind = Py_TYPE(function)->tp_name;
  return kind == "numpy.ufunc" || kind == "numpy._ArrayFunctionDispatcher";
}

// Whether it is a number or a tuple of numbers. NumPy's functions have no effects on these.
bool is_of_numbers(PyObject* o, ObjectKinds& values) {
  if (PyTuple_Check(o)) {
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(o); ++k)
      if (!is_of_numbers(PyTuple_GET_ITEM(o, k), values)) return false;
    return true;
  }
  return o == Py_None || PyLong_Check(o) || PyFloat_Check(o) || values.is_symbolic(o);
}
bool only_computes(PyObject* of_numpy, PyObject* const* args, Py_ssize_t count, ObjectKinds& values) {
  return is_of_numpy(of_numpy) && std::all_of(args, args + count, [&](PyObject* o) { return is_of_numbers(o, values); });
}

}  // namespace

bool ReadSet::read_arguments(PyObject* const* args, Py_ssize_t count, bool keeps) {
  for (Py_ssize_t k = 0; k < count; ++k) {
    PyObject* o = args[k];
    if (o && std::string_view(Py_TYPE(o)->tp_name) == "monograph._C.Generator") return stop("lasting", "draws from a generator of its own");
    if (!o) continue;
    if (!check_contents(o)) return false;
    if (!keeps && !read_reachable(o)) return false;
    if (PyObject* contents = behind_proxy(o); keeps) {
      if (is_older(o)) add_older(contents, name_of(o));
      read_all(contents, 8);
    }
    if (is_older(o) && PyIter_Check(o) && !(Py_TYPE(o)->tp_flags & Py_TPFLAGS_HEAPTYPE))
      return stop("older_iterator", "takes values from an iterator that was made before the call");
  }
  return true;
}

bool ReadSet::read_arguments_of_method(PyObject* self, const std::string& name, PyObject* const* args, Py_ssize_t count) {
  if (among(kKeeps, name) && (is_container(self) || behind_proxy(self) != self || base_name(self) == "collections.deque")) return true;
  return read_arguments(args, count, self == reinterpret_cast<PyObject*>(&PyTuple_Type));  // tuple.__new__() of a named tuple
}

bool ReadSet::before_container_method(PyObject* self, const std::string& name, PyObject* const* args, Py_ssize_t count) {
  if (count && !PyList_Check(self)) note_identity(args[0]);
  if (!is_older(self)) return true;
  if (PyFrozenSet_Check(self)) return read_all(self, 8), true;  // whatever the method is called: it has no write
  if (among(kReadOne, name) && count >= 1 && PyDict_Check(self)) return read_item(self, args[0]), true;
  if (among(kReadOnly, name)) return read_all(self, 8), true;
  if (!among(kWriteOnly, name)) {
    if ((name == "setdefault" || name == "pop") && count >= 1 && PyDict_Check(self)) read_item(self, args[0]);
    else read_all(self, 8);
  }
  if (name == "append" || name == "extend" || !among(kWriteOnly, name)) return write(self);
  if (name == "add" && count >= 1) return write_place(self, args[0]);
  if (name == "__setitem__" && count >= 1) return write_item(self, args[0]);
  if (name == "update" && count == 1 && PyDict_Check(self) && PyDict_CheckExact(args[0])) {
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(args[0], &at, &key, &value);)
      if (!write_place(self, key)) return false;
    return write(self);
  }
  read_all(self, 8);
  return write(self);
}

bool ReadSet::before_method(PyObject* self, const std::string& name, PyObject* const* args, Py_ssize_t count, bool program) {
  if (among(kLooksInto, name) && !read_reachable(self)) return false;
  if (is_container(self)) return before_container_method(self, name, args, count);
  if (PyObject* dict = behind_proxy(self); dict != self && PyDict_Check(dict)) {
    if (is_older(self)) add_older(dict, name_of(self));
    return before_container_method(dict, name, args, count);
  }
  if (!check_contents(self)) return false;
  if (values_.is_tensor(self)) {
    if (abort_ && name == "data_ptr") return stop("tensor_state", "reads .data_ptr of a tensor");
    const bool in_graph = name == "tolist" && values_.lists_in_graph(self);
    if (abort_ && among(kElements, name) && values_.is_of_graph(self) && !in_graph)
      return stop("elements", "calls " + name + "() of a tensor");
    const bool lasting = among(kLasting, name) || name.starts_with("register_");
    const bool lost =
        !abort_ && name == "requires_grad_" && (is_older(self) || (program && values_.is_parameter(self))) && !values_.is_input(self);
    return !lasting || stop(lost ? "lost_state" : "lasting", "calls " + name + "() of a tensor");
  }
  if (PyType_Check(self) && (name == "now" || name == "utcnow" || name == "today") &&
      std::string_view(reinterpret_cast<PyTypeObject*>(self)->tp_name).starts_with("datetime.")) {
    const std::string callee = std::string(reinterpret_cast<PyTypeObject*>(self)->tp_name) + "." + name;
    return stop("call", "calls " + callee + "()", callee);
  }
  if (program && PyType_Check(self) && name == "__subclasses__") note_subclasses(self);
  if (PyUnicode_Check(self) || PyTuple_Check(self) || PyLong_Check(self) || PyFloat_Check(self) || PyBytes_Check(self) ||
      PyType_Check(self) || PyFunction_Check(self) || values_.is_symbolic(self) || PyRange_Check(self) || PySlice_Check(self) ||
      PyDictViewSet_Check(self) || PyDictValues_Check(self))
    return true;
  if (name == "__setattr__" || name == "__delattr__") return count < 1 || write_attribute(self, args[0], true);
  if (name == "__getattribute__") return count < 1 || read_instance(self, args[0], true);
  if (name == "__reduce_ex__" || name == "__reduce__" || name == "__dir__")
    return stop("call", "calls " + name + "() of an object of type " + Py_TYPE(self)->tp_name);
  const std::string home = text_attribute(reinterpret_cast<PyObject*>(Py_TYPE(self)), "__module__");
  if (program && name == "initial_seed" && is_older(self) && starts_with_package(home)) {
    const machine::Unwatched unwatched;
    const Object method = Object::taken(PyObject_GetAttrString(self, "initial_seed"));
    const Object seed = Object::taken(method ? PyObject_CallNoArgs(method.get()) : nullptr);
    if (!seed) machine::forget_error();
    else guards.asked.add_call(method.get(), nullptr, 0, seed.get(), name_of(self) + ".initial_seed()");
  }
  if (!program || starts_with_package(home) || home == "re" || home == "types" || home == "functools") {
    return name == "manual_seed" || name == "seed" || name == "set_state" ? stop("lasting", "calls " + name + "()") : true;
  }
  if (Py_TYPE(self)->tp_flags & Py_TPFLAGS_HEAPTYPE &&
      (name.starts_with("__init") || name == "__new__" || name == "__eq__" || name == "__ne__" || name == "__hash__" ||
       name == "__repr__" || name == "__str__" || name == "__format__" || name == "__class_getitem__"))
    return true;
  if (only_computes(self, args, count, values_)) return true;
  // random.Random() begins at a number of the system's.
  if (!abort_ && name == "seed" && base_name(self) == "_random.Random" && (!count || args[0] == Py_None))
    return stop("call", "makes a random.Random without a seed", "_random.Random.seed");
  if (!abort_ && PyContextVar_CheckExact(self)) return before_context_variable(self, name);
  if (!is_older(self) && (home != "_io" || (!abort_ && among(kStreamReads, name))) && home != "_thread" &&
      (!abort_ || (home != "random" && home != "_random")))
    return true;  // the run has made this object
  const std::string callee = base_name(self) + "." + name;
  return ask_stated_method(self, callee, name, count) ||
         stop("call", "calls " + std::string(Py_TYPE(self)->tp_name) + "." + name + "()", callee);
}

// What a context variable holds in the context of now; null if nothing. A default does not count.
static Object held_by_variable(PyObject* variable) {
  const Object context = Object::taken(PyContext_CopyCurrent());
  Object value = Object::taken(context ? PyObject_GetItem(context.get(), variable) : nullptr);
  if (!value) machine::forget_error();
  return value;
}

// A trace may set a context variable and read what it has set. It may not read what its caller has set.
bool ReadSet::before_context_variable(PyObject* variable, const std::string& name) {
  const auto known = set_variables_.find(variable);
  if (name == "set") {
    const machine::Unwatched unwatched;
    if (known == set_variables_.end())
      set_variables_.emplace(variable, SetVariable{Object(variable), held_by_variable(variable), values_.place()});
    return true;
  }
  if (name != "get" || (known != set_variables_.end() && held_by_variable(variable).get() != known->second.before.get())) return true;
  return stop("call", "calls ContextVar.get()", "_contextvars.ContextVar.get");
}

void ReadSet::note_context_variables() {
  for (const auto& [variable, set] : set_variables_)
    if (held_by_variable(variable).get() != set.before.get())
      unseen.push_back({"left_set", "_contextvars.ContextVar.set", "sets a context variable and leaves it set", set.place});
}

bool ReadSet::before_builtin(const std::string& name, PyObject* const* args, Py_ssize_t count, bool program) {
  if (name == "print") {
    for (Py_ssize_t k = 0; k < count; ++k)
      if (!read_reachable(args[k])) return false;
    return stop_unless_recorded("print", "calls print()");
  }
  if (among(kOutside, name)) return stop("call", "calls " + name + "()");
  if ((name == "id" || name == "hash") && count && program) {
    note_identity(args[0]);
    if (!abort_ && values_.is_input(args[0])) stop("address", "asks for " + name + "() of an input");
  }
  if (name == "isinstance" || name == "issubclass" || name == "id" || name == "callable" || name == "super") {
    if (count && is_older(args[0]) && !is_argument(args[0])) guards.add_type_of(args[0], name_of(args[0]));
    if (count == 2 && program && name.starts_with("is")) {
      note_related(name == "issubclass" ? args[0] : reinterpret_cast<PyObject*>(Py_TYPE(args[0])), args[1]);
      if (name == "isinstance") note_type_of_input(args[0], args[1]);
    }
    return true;
  }
  if ((name == "getattr" || name == "hasattr") && count >= 2 && PyUnicode_CheckExact(args[1]))
    return read_attribute(args[0], args[1], program);
  if ((name == "setattr" || name == "delattr") && count >= 2 && PyUnicode_CheckExact(args[1])) return write_attribute(args[0], args[1]);
  if ((name == "vars" || name == "dir") && count >= 1 && is_older(args[0])) {
    const Object found = Object::taken(PyObject_GetAttrString(args[0], "__dict__"));
    if (!found) return machine::forget_error(), stop("call", "calls " + name + "()");
    PyObject* fields = behind_proxy(found.get());
    add_older(fields, name_of(args[0]) + ".__dict__");
    read_all(fields, 8);
    return name == "vars" || stop("call", "calls dir()");
  }
  return read_arguments(args, count, name == "len" || name == "iter" || name == "next");
}

bool ReadSet::before_c_function(PyObject* function, PyObject* const* args, Py_ssize_t count, bool program) {
  const std::string name = name_of_function(function), home = text_attribute(function, "__module__");
  PyObject* self = PyCFunction_Check(function) ? PyCFunction_GET_SELF(function) : nullptr;
  if (self && !PyModule_Check(self))
    return before_method(self, name, args, count, program) && read_arguments_of_method(self, name, args, count);
  if (home == "builtins") return before_builtin(name, args, count, program);
  const bool bound_here = home.empty() && std::string_view(Py_TYPE(function)->tp_name) == "nanobind.nb_func";  // of monograph._C
  if (bound_here || starts_with_package(home)) {
    if (!abort_ && (name == "_gradients" || name == "_backward")) asks_grad_mode = asks_grad_mode || !grad_mode_of_program();
    if (!abort_ && name == "_enable_grad") asks_grad_mode = true;
    if (!abort_ && (name == "_enable_grad" || name == "_disable_grad"))
      stop("grad_mode", std::string("switches gradients ") + (name == "_enable_grad" ? "on" : "off") + " and leaves them so");
    // A graph does not call them, and the program's backward pass does.
    if (name == "_push_saved_hooks")
      return stop_without_graph(abort_ ? "lasting" : "lost_hooks", "uses saved_tensors_hooks()",
                                "torch.autograd.graph.saved_tensors_hooks");
    if (name == "_set_default_dtype") return stop(abort_ ? "mode" : "default_dtype", "sets the default dtype");
    if (among(kLasting, name) || name.starts_with("register_") || (name.starts_with("set_") && program))
      return stop("lasting", "calls " + name + "()");
    if (name.starts_with("get_") && program && count == 0) ask_setting(function, name);
    if (!began_with_grad && (name == "_enable_grad" || (name == "_restore_grad_mode" && count == 1 && has_gradients_on(args[0]))))
      return stop("mode", "switches gradients on, which were off where the graph begins");
    return read_arguments(args, count);
  }
  if (home == "_operator" && name.starts_with("i") && name != "is_" && name != "is_not" && name != "index" && name != "invert" &&
      name != "inv" && name != "indexOf")
    return count < 1 || (write_in_place(args[0]) && read_arguments(args + 1, count - 1));
  if (home == "_collections" && name == "_count_elements")  // collections.Counter
    return count < 1 || (write_in_place(args[0]) && read_arguments(args + 1, count - 1));
  if (home == "_operator" && (name == "setitem" || name == "delitem"))
    return count < 2 || (write_item(args[0], args[1]) && read_index(args[0], args[1], count > 2 ? args[2] : nullptr));
  if (home == "_operator" && name == "getitem" && count == 2)
    return read_element(args[0], args[1]) && read_index(args[0], args[1], nullptr);
  if (among(kComputing, home)) return read_arguments(args, count);
  if (!program) return read_arguments(args, count);
  if (ask_stated(function, home, name, args, count)) return true;
  const std::string callee = home.empty() ? name : home + "." + name;
  if (abort_ && home == "_weakref" && count && !is_older(args[0]))
    return stop_without_graph("call", "makes a weak reference to a new object", callee);
  if (callee == "_warnings.warn") return stop_unless_recorded("call", "calls _warnings.warn()", callee) && read_arguments(args, count);
  return stop("call", "calls " + callee + "()", callee) && read_arguments(args, count);
}

// Types whose objects hold what they are given, and look at it when they are used.
static bool only_keeps(PyTypeObject* made) {
  if (machine::is_python_class(made)) return (made->tp_flags & (Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_DICT_SUBCLASS)) == 0;
  return made == &PyList_Type || made == &PyTuple_Type || made == &PySet_Type || made == &PyFrozenSet_Type || made == &PyEnum_Type ||
         made == &PyReversed_Type || made == &PyZip_Type || made == &PyType_Type;
}

std::unordered_set<PyObject*>& disallowed_in_graph() {
  static std::unordered_set<PyObject*> functions;
  return functions;
}

bool ReadSet::before_call(PyObject* function, PyObject* const* args, Py_ssize_t count, bool program) {
  PyTypeObject* type = Py_TYPE(function);
  if (abort_ && !disallowed_in_graph().empty() && disallowed_in_graph().contains(function))
    return stop("disabled", "calls " + text_attribute(function, "__name__") + ", which is marked with torch._dynamo.disallow_in_graph");
  if (type == &PyFunction_Type) return !program || read_given_to_library(function, args, count);  // others' frames are seen
  if (type == &PyMethod_Type) {
    PyObject* f = PyMethod_GET_FUNCTION(function);
    if (PyFunction_Check(f)) return !program || read_given_to_library(f, args, count);
    std::vector<PyObject*> all{PyMethod_GET_SELF(function)};
    all.insert(all.end(), args, args + count);
    return before_call(f, all.data(), count + 1, program);
  }
  if (PyType_Check(function)) {
    const std::string home = text_attribute(function, "__module__");
    auto* made = reinterpret_cast<PyTypeObject*>(function);
    if (abort_ && machine::has_finalizer(made) && !starts_with_package(home))
      return stop_without_graph("call", std::string("makes an object of type ") + made->tp_name + ", which has a __del__", made->tp_name);
    const bool weak = PyType_IsSubtype(made, &_PyWeakref_RefType) != 0;
    if (abort_ && count && !is_older(args[0]) && (weak ? program || made != &_PyWeakref_RefType : program && home == "weakref"))
      return stop_without_graph("call", "makes a weak reference to a new object", made->tp_name);
    if (program && made == &PyType_Type && count == 1) note_type_of_input(args[0], nullptr);
    if (machine::is_python_class(made)) return read_arguments(args, count, only_keeps(made));
    if (home == "builtins" || home == "collections" || home == "itertools" || home == "functools" || home == "operator" ||
        home == "types" || home == "typing" || starts_with_package(home) || !program)
      return read_arguments(args, count, only_keeps(made));
    return stop("call", std::string("calls ") + reinterpret_cast<PyTypeObject*>(function)->tp_name + "()") && read_arguments(args, count);
  }
  if (PyCFunction_Check(function)) return before_c_function(function, args, count, program);
  if (type == &PyMethodDescr_Type || type == &PyClassMethodDescr_Type || type == &PyWrapperDescr_Type) {
    if (count == 0) return true;
    const std::string name = text_attribute(function, "__name__");
    return before_method(args[0], name, args + 1, count - 1, program) && read_arguments_of_method(args[0], name, args + 1, count - 1);
  }
  if (std::string_view(type->tp_name) == "method-wrapper") {
    const Object self = Object::taken(PyObject_GetAttrString(function, "__self__"));
    if (!self) return machine::forget_error(), true;
    return before_method(self.get(), text_attribute(function, "__name__"), args, count, program) && read_arguments(args, count);
  }
  if (!abort_ && PyWeakref_CheckRef(function)) {  // torch.compile cannot check that the object still lives
    PyObject* held = PyWeakref_GET_OBJECT(function);
    if (held == Py_None) return true;  // it stays so
    add_older(held, name_of(function) + "()");
    guards.add_type_of(held, name_of(held));
    guards.asked.add_living(function, name_of(function) + "()");
    return true;
  }
  const std::string_view kind = type->tp_name;
  if (program && kind == "functools._lru_cache_wrapper") {
    before_cached_call(function);
    return read_arguments(args, count);
  }
  if (kind == "nanobind.nb_func") return before_c_function(function, args, count, program);
  if (kind == "operator.attrgetter") return count < 1 || read_named_attributes(function, args[0], program);
  if (!read_reachable(function)) return false;
  if (kind == "functools.partial" && is_older(function))
    for (const char* part : {"func", "args", "keywords"}) {  // __setstate__ sets them
      const Object key = Object::taken(PyUnicode_InternFromString(part)), value = Object::taken(PyObject_GetAttrString(function, part));
      if (!value) machine::forget_error();
      guards.add_attribute(function, key.get(), value.get(), name_of(function) + "." + part);
    }
  if (kind == "functools.partial" || kind.starts_with("operator.") || kind.starts_with("typing.")) return read_arguments(args, count);
  if (!program || machine::is_python_class(type) || starts_with_package(kind)) return read_arguments(args, count);
  if (starts_with_package(text_attribute(reinterpret_cast<PyObject*>(type), "__module__"))) return read_arguments(args, count);
  if (only_computes(function, args, count, values_)) return true;
  if (kind.find("cython_function") != std::string_view::npos) {
    if (!abort_ && count > 0 && Py_TYPE(args[0])->tp_flags & Py_TPFLAGS_HAVE_GC && !is_older(args[0]))
      return true;  // the argument was made by the run
    const std::string callee = text_attribute(function, "__module__") + "." + text_attribute(function, "__qualname__");
    return stop("call", "calls " + callee + "()", callee);
  }
  return stop("call", "calls an object of type " + std::string(kind)) && read_arguments(args, count);
}

}  // namespace monograph::capture::bytecode
#endif
