// Reads and writes of names, cells, attributes, elements and defaults, instruction by instruction. Calls of C functions are in effects.cpp.
#include "capture/bytecode/reads.h"

#ifdef MONOGRAPH_MACHINE
#include <algorithm>
#include <utility>

#include "capture/machine/machine.h"
#include "capture/machine/made.h"

namespace monograph::capture::bytecode {

using machine::PythonFrame;

namespace {

// Whether the object is immutable and has no identity that matters.
bool is_constant(PyObject* o) {
  return o == Py_None || o == Py_Ellipsis || o == Py_NotImplemented || PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) ||
         PyUnicode_CheckExact(o) || PyBytes_CheckExact(o) || PyComplex_CheckExact(o) || PyCode_Check(o) || PyRange_Check(o) ||
         PySlice_Check(o);
}

// Whether hashing and comparing the key runs no code of the program.
bool is_plain_key(PyObject* key) {
  return PyUnicode_CheckExact(key) || PyLong_CheckExact(key) || key == Py_None || PyBool_Check(key) || PyFloat_CheckExact(key) ||
         PyType_Check(key) || PyFunction_Check(key) || Expected::compares_by_value(key);
}

// Whether it is the key under which Python remembers the warnings that it has shown.
bool is_of_warnings(PyObject* key) {
  return PyUnicode_CheckExact(key) && PyUnicode_CompareWithASCIIString(key, "__warningregistry__") == 0;
}

// Whether it is sys.stdout or sys.stderr.
bool is_standard_stream(PyObject* module, PyObject* name) {
  static PyObject* const sys = PyImport_AddModule("sys");
  return module == sys && (PyUnicode_CompareWithASCIIString(name, "stdout") == 0 || PyUnicode_CompareWithASCIIString(name, "stderr") == 0);
}

bool is_container(PyObject* o) { return PyList_Check(o) || PyDict_Check(o) || PyAnySet_Check(o); }

// Limits the length of a name: that of a deeply nested part grows with the depth.
std::string shortened(const std::string& name) {
  constexpr size_t kLongest = 1000;
  return name.size() > kLongest ? name.substr(0, kLongest) + "..." : name;
}

// Whether it is threading.local, or a subclass.
bool is_of_thread(PyTypeObject* type) {
  while (machine::is_python_class(type)) type = type->tp_base;
  return std::string_view(type->tp_name) == "_thread._local";
}

PyObject* interned(const char* text) { return PyUnicode_InternFromString(text); }

bool runs_python(PyTypeObject* type, const char* method) {
  PyObject* name = interned(method);
  PyObject* found = name ? _PyType_Lookup(type, name) : nullptr;
  Py_XDECREF(name);
  return found && PyFunction_Check(found);
}

}  // namespace

bool ReadSet::is_understood(PyObject* o) {
  if (is_constant(o) || Expected::compares_by_value(o) || is_container(o) || values_.is_tensor(o) || values_.is_symbolic(o)) return true;
  if (PyTuple_Check(o) || PyLong_Check(o) || PyFloat_Check(o) || PyUnicode_Check(o) || PyBytes_Check(o) || PyType_Check(o) ||
      PyModule_Check(o) || PyFunction_Check(o) || PyCFunction_Check(o) || PyExceptionInstance_Check(o) || PyIter_Check(o))
    return true;
  PyTypeObject* type = Py_TYPE(o);
  while (machine::is_python_class(type)) type = type->tp_base;
  if (type == &PyBaseObject_Type || type == &PyMethod_Type || type == &PyProperty_Type || type == &PyStaticMethod_Type ||
      type == &PyClassMethod_Type || type == &PyMethodDescr_Type || type == &PyWrapperDescr_Type || type == &PyGetSetDescr_Type ||
      type == &PyMemberDescr_Type || type == &PyCell_Type)
    return true;
  const std::string_view name = type->tp_name;
  for (const std::string_view known :
       {"monograph.", "functools.partial", "operator.", "re.", "typing.", "types.GenericAlias", "types.UnionType", "method-wrapper",
        "_thread.RLock", "_thread.lock", "functools._lru_cache_wrapper", "numpy.ufunc", "numpy._ArrayFunctionDispatcher"})
    if (name.starts_with(known)) return true;
  return false;
}

// The first object to which a proxy or view refers: its dict.
static PyObject* first_part(PyObject* o) {
  PyObject* found = nullptr;
  auto first = [](PyObject* part, void* to) {
    if (!*static_cast<PyObject**>(to)) *static_cast<PyObject**>(to) = part;
    return 0;
  };
  Py_TYPE(o)->tp_traverse(o, first, &found);
  return found ? found : o;
}

PyObject* behind_proxy(PyObject* o) { return o && Py_IS_TYPE(o, &PyDictProxy_Type) ? first_part(o) : o; }

bool ReadSet::check_contents(PyObject* o) {
  if (!o || !is_older(o) || is_understood(o)) return true;
  const bool view = PyDictViewSet_Check(o) || PyDictValues_Check(o);
  if (PyObject* dict = view ? first_part(o) : behind_proxy(o); dict != o && PyDict_Check(dict)) {
    add_older(dict, name_of(o));
    return read_all(dict, 8), true;
  }
  if (guards.add_bytes(o, name_of(o), !abort_)) return true;  // a graph of torch.compile ends before it compares much
  const std::string_view type = Py_TYPE(o)->tp_name;
  const char* why = type.starts_with("numpy.") ? "array_of_objects" : type == "collections.deque" ? "older_deque" : "older_object";
  return stop(abort_ ? "older_object" : why,
              std::string("reads an object of type ") + Py_TYPE(o)->tp_name + ", whose contents cannot be compared at the next call");
}

bool ReadSet::stop(const char* why, const std::string& what, const std::string& callee) {
  if (ending) return false;
  if (!abort_) {
    const machine::Unwatched unwatched;
    unseen.push_back({why, callee, what, values_.place()});
    return true;
  }
  kind = why, detail = what, where = values_.place(), stopped_at = points.here();
  ending = true;
  machine::MadeObjects::end_quietly();
  machine::forget_error();
  PyErr_SetString(abort_, what.c_str());
  return false;
}

// The function runs plainly. No graph may end before this either: what is handed on to the rest of the function would live longer than in the program.
bool ReadSet::stop_without_graph(const char* why, const std::string& what, const std::string& callee) {
  const bool good = stop(why, what, callee);
  stopped_at = 0;
  return good;
}

std::string ReadSet::name_of(PyObject* o) const {
  const auto found = older_.find(o);
  return found == older_.end() ? std::string("an object of type ") + Py_TYPE(o)->tp_name : found->second.name;
}

bool ReadSet::is_program(PyObject* globals) {
  auto [known, fresh] = programs_.try_emplace(globals, true);
  if (fresh) {
    PyObject* name = PyDict_Check(globals) ? PyDict_GetItemString(globals, "__name__") : nullptr;
    const std::string text = name ? utf8(name) : "";
    known->second = text != "monograph" && !text.starts_with("monograph.") && text != "weakref" && text != "_weakrefset" &&
                    text != "inspect" && text != "functools";
    if (known->second) add_older(globals, "G");
  }
  return known->second;
}

// Whether the globals are settings of Monograph, which functions of torch set and tell: reading one is a read of the program.
bool ReadSet::holds_settings(PyObject* globals) {
  auto [known, fresh] = settings_.try_emplace(globals, false);
  if (fresh) {
    PyObject* name = PyDict_Check(globals) ? PyDict_GetItemString(globals, "__name__") : nullptr;
    known->second = name && utf8(name) == "monograph._settings";
    if (known->second) add_older(globals, "the setting ");
  }
  return known->second;
}

bool ReadSet::reports(PyObject* globals) {
  if (globals == last_globals_) return last_reports_;
  last_globals_ = globals;
  return last_reports_ = names_reporting_module(globals);
}

bool ReadSet::names_reporting_module(PyObject* globals) {
  auto [known, fresh] = reports_.try_emplace(globals, false);
  if (fresh) {
    PyObject* name = PyDict_Check(globals) ? PyDict_GetItemString(globals, "__name__") : nullptr;
    const std::string text = name ? utf8(name) : "";
    static constexpr std::string_view kModules[] = {"warnings", "logging", "linecache", "traceback", "tokenize",
                                                    "re",       "enum",    "typing",    "codecs",    "encodings"};
    const std::string_view root = std::string_view(text).substr(0, text.find('.'));
    known->second = std::ranges::find(kModules, root) != std::end(kModules) || text.starts_with("monograph.fx.") ||
                    (of_program_alone && root == "monograph" && !holds_settings(globals));
  }
  return known->second;
}

PyObject* ReadSet::held(PyObject* container) const {
  const auto found = before_.find(container);
  return found == before_.end() ? container : found->second;
}

std::string ReadSet::attribute_name(PyObject* owner, PyObject* name) const { return name_of(owner) + "." + utf8(name); }

void ReadSet::add_argument(PyObject* container, const std::string& name) {
  arguments_.insert(container);
  older_.try_emplace(container, Older{Object(container), name});
}

void ReadSet::add_older(PyObject* o, const std::string& name) {
  // Not recursive: tuples may be nested to any depth.
  std::vector<std::pair<PyObject*, std::string>> todo{{o, name}};
  while (!todo.empty()) {
    const auto [part, part_name] = std::move(todo.back());
    todo.pop_back();
    if (!part || is_constant(part)) continue;
    if (const auto known = older_.find(part); known != older_.end()) {
      if (arguments_.contains(part) && known->second.name != shortened(part_name))
        identified_arguments_.insert(part);  // reached elsewhere, too
      continue;
    }
    older_.emplace(part, Older{Object(part), shortened(part_name)});
    if (!PyTuple_Check(part)) add_parts(part, part_name);
    else
      for (Py_ssize_t k = PyTuple_GET_SIZE(part); k-- > 0;)
        todo.emplace_back(PyTuple_GET_ITEM(part, k), shortened(part_name) + "[" + std::to_string(k) + "]");
  }
}

void ReadSet::add_parts(PyObject* o, const std::string& name) {
  if (values_.is_tensor(o)) return values_.read_tensor(o, name);
  if (Py_IS_TYPE(o, &PyMethod_Type)) {
    add_older(PyMethod_GET_FUNCTION(o), name + ".__func__");
    add_older(PyMethod_GET_SELF(o), name + ".__self__");
  } else if (PyCFunction_Check(o)) {  // a bound method: random.random, or L.append of an older list
    PyObject* self = PyCFunction_GET_SELF(o);
    if (self && !PyModule_Check(self) && !PyType_Check(self)) add_older(self, name + ".__self__");
  } else if (std::string_view(Py_TYPE(o)->tp_name) == "functools.partial") {
    for (const char* part : {"func", "args", "keywords"}) {
      const Object value = Object::taken(PyObject_GetAttrString(o, part));
      if (!value) machine::forget_error();
      else add_older(value.get(), name + "." + part);
      if (value && PyDict_Check(value.get())) read_all(value.get());
    }
  } else if (PyObject_TypeCheck(o, &PyStaticMethod_Type) || PyObject_TypeCheck(o, &PyClassMethod_Type)) {
    const Object f = Object::taken(PyObject_GetAttrString(o, "__func__"));
    if (!f) machine::forget_error();
    else add_older(f.get(), name);
  }
}

// Whether this place is an input of the graph that the run has not written yet. Then finish_previous() puts the symbol in the place of its value.
bool ReadSet::read_number(PyObject* container, PyObject* key) {
  if (!may_take_number_) return false;
  for (NumberInput& n : numbers) {
    if (!n.place.is(container, key)) continue;
    if (n.guarded || n.place.now() != n.value.get()) return false;
    number_ = &n;
    return true;
  }
  return false;
}

// The value that the program has read is compared after all.
bool ReadSet::guard_number() {
  const NumberPlace& p = std::exchange(number_, nullptr)->place;
  if (p.key) read_item(p.container.get(), p.key.get());
  else read_cell(p.container.get());
  return true;
}

PyObject* ReadSet::symbol_of(PyObject* container, PyObject* key) const {
  for (const NumberInput& n : numbers)
    if (n.used && !n.guarded && n.place.is(container, key)) return n.symbol.get();
  return nullptr;
}

void ReadSet::read_item(PyObject* dict, PyObject* key) {
  if (!is_older(dict) || (!numbers.empty() && !is_argument(dict) && read_number(dict, key))) return;
  if (is_of_warnings(key)) return;
  if (!is_plain_key(key)) return read_all(dict);
  PyObject* now = PyDict_GetItemWithError(dict, key);
  if (!now) machine::forget_error();
  PyObject* before = held(dict);
  if (before != dict) {
    PyObject* was = PyDict_GetItemWithError(before, key);
    if (!was) machine::forget_error();
    if (was != now) return;  // the run has written it
  }
  const std::string& name = older_.at(dict).name;
  if (is_argument(dict)) {  // its values are parts of the arguments
    const auto known = argument_keys_.find(dict);
    const auto is_key = [&](const Object& k) { return k.get() == key || Expected::equal(k.get(), key); };
    if (known != argument_keys_.end() && std::ranges::none_of(known->second.keys, is_key)) known->second.keys.emplace_back(key);
    return;
  }
  guards.add_item(dict, key, now, name);
  if (now && !is_constant(now)) add_older(now, item_name(name, key));
}

void ReadSet::read_all(PyObject* o, int depth) {
  constexpr int kDepth = 8;
  if (PyTuple_Check(o)) {
    for (Py_ssize_t k = 0; depth < kDepth && k < PyTuple_GET_SIZE(o); ++k) read_all(PyTuple_GET_ITEM(o, k), depth + 1);
    return;
  }
  if (!is_older(o) || !is_container(o)) return;
  const std::string name = older_.at(o).name;
  PyObject* before = held(o);
  std::vector<PyObject*> parts;
  const bool guarded = !is_argument(o);
  if (const auto known = argument_keys_.find(o); known != argument_keys_.end()) known->second.whole = true;
  if (PyList_Check(o)) {
    if (guarded) guards.add_list(o, before, name);
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(before); ++k) {
      if (guarded)
        add_older(PyList_GET_ITEM(before, k), is_constant(PyList_GET_ITEM(before, k)) ? name : name + "[" + std::to_string(k) + "]");
      parts.push_back(PyList_GET_ITEM(before, k));
    }
  } else if (PyDict_Check(o)) {
    if (guarded) guards.add_dict(o, before, name);
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(before, &at, &key, &value);) {
      if (guarded) add_older(key, "a key of " + name);
      if (guarded) add_older(value, is_constant(value) ? name : item_name(name, key));
      parts.push_back(value);
    }
  } else {
    if (guarded) guards.add_set(o, before, name);
    const Object iterator = Object::taken(PyObject_GetIter(before));
    while (iterator) {
      const Object item = Object::taken(PyIter_Next(iterator.get()));
      if (!item) break;
      add_older(item.get(), "an element of " + name);
    }
    machine::forget_error();
  }
  if (depth < kDepth)
    for (PyObject* part : parts)
      if (is_container(part) || PyTuple_Check(part)) read_all(part, depth + 1);
}

bool ReadSet::read_element(PyObject* container, PyObject* key) {
  if (PyObject* dict = behind_proxy(container); dict != container && is_older(dict)) return read_item(dict, key), true;
  if (!is_older(container)) return true;
  if (!check_contents(container)) return false;
  if (!PyDict_Check(container)) return read_all(container, 8), true;
  read_item(container, key);
  return PyDict_CheckExact(container) || write(container);  // reading a defaultdict may insert the key
}

// --- Attributes.

bool ReadSet::read_attribute(PyObject* owner, PyObject* name, bool program) {
  if (PyModule_Check(owner)) {
    PyObject* fields = PyModule_GetDict(owner);
    if (!is_older(owner)) return true;
    add_older(fields, name_of(owner) + ".__dict__");
    // The streams get no guard: a print goes to the stream that is set when it runs.
    if (PyObject* stream = PyDict_GetItemWithError(fields, name); stream && is_standard_stream(owner, name))
      return add_stream(fields, name, stream), true;
    read_item(fields, name);
    return true;
  }
  if (PyType_Check(owner)) {
    auto* type = reinterpret_cast<PyTypeObject*>(owner);
    guards.add_type_attribute(type, name);
    if (PyObject* found = _PyType_Lookup(type, name)) add_older(found, std::string(type->tp_name) + "." + utf8(name));
    if (Py_TYPE(owner)->tp_flags & Py_TPFLAGS_HEAPTYPE) guards.add_type_attribute(Py_TYPE(owner), name);
    if (program) read_class(type, name);
    return true;
  }
  if (values_.is_tensor(owner)) {
    // Of a tensor that a trace has made, the graph has these as they are at each run.
    static constexpr std::string_view kUnseen[] = {"grad", "_grad", "grad_fn", "_base", "_is_view", "_backward_hooks", "__dict__"};
    // Addresses, versions and memory it never has.
    static constexpr std::string_view kNever[] = {"_version", "data_ptr", "const_data_ptr", "storage", "untyped_storage", "_typed_storage"};
    const std::string text = utf8(name);
    const bool never = std::ranges::find(kNever, text) != std::end(kNever);
    const bool frozen = !abort_ && program && (never || is_older(owner) || values_.is_parameter(owner) || values_.is_input(owner));
    if (frozen && text == "grad" && values_.is_grad_computed(owner)) return stop("tensor_state", "reads .grad of a tensor");
    if (never || std::ranges::find(kUnseen, text) != std::end(kUnseen))
      return stop(frozen ? "frozen" : "tensor_state", "reads ." + text + " of a tensor");
    // Whether an input is a leaf is decided outside of the graph. One that does not require grad always is.
    if (text == "is_leaf" && frozen && Object::taken(PyObject_GetAttrString(owner, "_requires_grad")).get() == Py_True)
      return stop("frozen", "reads .is_leaf of a tensor that requires grad");
    if (text == "is_leaf" && program && !note_test_of_leaf(owner)) return false;
    if (program && !abort_ && is_older(owner) && !values_.is_input(owner)) read_property(owner, name);
    if (program && !abort_ && text == "__class__") note_type_of_input(owner, nullptr);
    if (!program || _PyType_Lookup(Py_TYPE(owner), name)) return true;
    if (!values_.is_input(owner) && is_older(owner)) return read_own_attribute(owner, name), true;
    if (!abort_ && values_.is_of_input(owner)) note_input(text, "asks for the attribute ." + text + " of an input");
    if (values_.has_attributes(owner)) return stop("tensor_state", "reads the attribute ." + text + " that the program gave to a tensor");
    return true;
  }
  if (!abort_ && program && values_.is_proxy(owner) && utf8(name) == "__dict__") return stop("frozen", "reads .__dict__ of a tensor");
  return read_instance(owner, name);
}

// A graph does not compute these of a tensor from outside.
void ReadSet::read_property(PyObject* tensor, PyObject* name) {
  const std::string text = utf8(name);
  if (text == "shape" || text == "ndim" || text == "size" || text == "dim" || text == "numel" || text == "nelement")
    values_.read_sizes(tensor);
  if (text == "data") values_.read_memory(tensor);
  if (text != "requires_grad" && text != "dtype") return;
  const machine::Unwatched unwatched;
  const Object now = Object::taken(PyObject_GetAttr(tensor, name));
  if (now) guards.add_attribute(tensor, name, now.get(), attribute_name(tensor, name));
  else machine::forget_error();
}

bool ReadSet::read_instance(PyObject* owner, PyObject* name, bool by_object) {
  PyTypeObject* type = Py_TYPE(owner);
  PyObject* descriptor = _PyType_Lookup(type, name);
  // Attributes of Monograph's own C++ objects, such as operators, do not change.
  if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) && std::string_view(type->tp_name).starts_with("monograph.")) return true;
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) {
    guards.add_type_attribute(type, name);
    static PyObject* const computes = interned("__getattribute__");
    guards.add_type_attribute(type, computes);
    if (!by_object && runs_python(type, "__getattribute__")) return true;  // the machine runs its frame
  }
  const bool older = is_older(owner);
  if (older && !is_argument(owner)) guards.add_type_of(owner, name_of(owner));
  if (descriptor && Py_TYPE(descriptor)->tp_descr_set) {
    if (!older || PyObject_TypeCheck(descriptor, &PyProperty_Type)) return true;  // the machine runs the frame of a property
    const std::string text = utf8(name);
    if (text == "__class__") return true;
    if (const auto known = argument_keys_.find(owner); known != argument_keys_.end() && Py_IS_TYPE(descriptor, &PyMemberDescr_Type)) {
      const auto is_name = [name](const Object& k) { return Expected::equal(k.get(), name); };
      if (std::ranges::none_of(known->second.keys, is_name)) known->second.keys.emplace_back(name);
      return true;  // what stands in its slots is a part of the arguments
    }
    const Object value = Object::taken(PyObject_GenericGetAttr(owner, name));
    if (!value) machine::forget_error();
    if (!value && !Py_IS_TYPE(descriptor, &PyMemberDescr_Type)) return true;
    if (value && text == "__dict__") return add_older(value.get(), name_of(owner) + ".__dict__"), true;
    if (Py_IS_TYPE(descriptor, &PyMemberDescr_Type) || Py_IS_TYPE(descriptor, &PyGetSetDescr_Type)) {
      guards.add_attribute(owner, name, value.get(), attribute_name(owner, name));
      if (value) add_older(value.get(), attribute_name(owner, name));
    }
    return true;
  }
  if (!older) return true;
  if (descriptor) add_older(descriptor, std::string(type->tp_name) + "." + utf8(name));
  if (is_of_thread(type)) {  // its attributes stand in no dict that is its own
    const machine::Unwatched unwatched;
    const Object value = Object::taken(descriptor && PyFunction_Check(descriptor) ? Py_NewRef(descriptor) : PyObject_GetAttr(owner, name));
    machine::forget_error();
    if (!descriptor || !PyFunction_Check(descriptor)) guards.add_attribute(owner, name, value.get(), attribute_name(owner, name));
    if (value) add_older(value.get(), attribute_name(owner, name));
    return true;
  }
  PyObject* fields =
      type->tp_dictoffset != 0 || (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) ? PyObject_GenericGetDict(owner, nullptr) : nullptr;
  if (!fields) machine::forget_error();
  if (fields) {
    add_older(fields, name_of(owner) + ".__dict__");
    if (!is_argument(fields)) guards.add_dict_of(owner, fields, name_of(owner));
    read_item(fields, name);
    PyObject* value = is_argument(fields) ? nullptr : PyDict_GetItemWithError(held(fields), name);
    if (value) add_older(value, attribute_name(owner, name));
    machine::forget_error();
    Py_DECREF(fields);
  } else if (!descriptor && std::string_view(type->tp_name).find("namedtuple") == std::string_view::npos && !PyTuple_Check(owner)) {
    // An object of a C type that computes its attributes: guards the value.
    const Object value = Object::taken(PyObject_GetAttr(owner, name));
    if (value && !Py_IS_TYPE(value.get(), &PyMethod_Type) && !PyCFunction_Check(value.get()))
      guards.add_attribute(owner, name, value.get(), attribute_name(owner, name));
    machine::forget_error();
  }
  return true;
}

// The reads are those of Module.__getattr__: from self.__dict__ each table of the module, and whether the table has the name.
PyObject* ReadSet::attribute(PyObject* owner, PyObject* name) {
  PyObject* found = importing_ || ending ? nullptr : values_.submodule(owner, name);
  if (!found || !is_older(owner)) return Py_XNewRef(found);
  static PyObject *getattr = interned("__getattr__"), *tables[] = {interned("_parameters"), interned("_buffers"), interned("_modules")};
  guards.add_type_attribute(Py_TYPE(owner), getattr);
  const Object fields = Object::taken(PyObject_GenericGetDict(owner, nullptr));
  add_older(fields.get(), name_of(owner) + ".__dict__");
  for (PyObject* key : tables) {
    read_item(fields.get(), key);
    read_item(PyDict_GetItemWithError(fields.get(), key), name);
  }
  return Py_NewRef(found);
}

void ReadSet::read_global(Registers& r, PyObject* name) {
  PyObject* globals = r.frame->f_globals;
  read_item(globals, name);
  PyObject* found = PyDict_Check(globals) ? PyDict_GetItemWithError(globals, name) : nullptr;
  machine::forget_error();
  if (found || !PyDict_Check(r.frame->f_builtins)) return;
  add_older(r.frame->f_builtins, "builtins");
  read_item(r.frame->f_builtins, name);
}

void ReadSet::read_cell(PyObject* cell) {
  if (!cell || !PyCell_Check(cell) || !is_older(cell)) return;
  if (!numbers.empty() && !is_argument(cell) && read_number(cell, nullptr)) return;
  PyObject* value = PyCell_GET(cell);
  PyObject* before = held(cell);
  if (before != cell) {
    PyObject* was = PyTuple_GET_SIZE(before) ? PyTuple_GET_ITEM(before, 0) : nullptr;
    if (was != value) return;
  }
  const std::string& name = older_.at(cell).name;
  if (is_argument(cell)) return;  // its value is a part of the arguments
  guards.add_cell(cell, value, name);
  if (value) add_older(value, name);
}

void ReadSet::read_function(PyFunctionObject* f) {
  const std::string name = utf8(f->func_qualname);
  guards.add_function(f, name);
  if (f->func_defaults) add_older(f->func_defaults, name + ".__defaults__");
  if (PyObject* keyword_defaults = f->func_kwdefaults) {
    add_older(keyword_defaults, name + ".__kwdefaults__");
    read_all(keyword_defaults, 8);
  }
  PyObject* names = reinterpret_cast<PyCodeObject*>(f->func_code)->co_localsplusnames;
  const Py_ssize_t count = f->func_closure ? PyTuple_GET_SIZE(f->func_closure) : 0;
  for (Py_ssize_t k = 0; k < count; ++k) {
    PyObject* cell = PyTuple_GET_ITEM(f->func_closure, k);
    older_.try_emplace(cell, Older{Object(cell), utf8(PyTuple_GET_ITEM(names, PyTuple_GET_SIZE(names) - count + k))});
  }
}

// C code found the method, through a slot or super(). Guards the classes in which it was looked up.
void ReadSet::read_method(PyTypeObject* type, PyFunctionObject* f) {
  PyObject* order = type->tp_mro;
  for (Py_ssize_t k = 0; order && k < PyTuple_GET_SIZE(order); ++k) {
    auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(order, k));
    if (!(base->tp_flags & Py_TPFLAGS_HEAPTYPE) || !base->tp_dict) continue;
    PyObject* found = PyDict_GetItemWithError(base->tp_dict, f->func_name);
    machine::forget_error();
    if (found) guards.add_type_attribute(base, f->func_name);
    if (found == reinterpret_cast<PyObject*>(f)) return;
  }
}

// Adds what is known behind the run alone.
void ReadSet::finish() {
  note_filled_caches();
  if (abort_) return;
  note_context_variables();
  if (imported_) guards.take_imported();
}

std::vector<Object> moved_keys(PyObject* dict, PyObject* before) {
  std::vector<Object> moved;
  const Object now = Object::taken(machine::copy_content(dict));
  PyObject *key = nullptr, *value = nullptr, *old = nullptr;
  Py_ssize_t old_at = 0;
  bool left = true;  // whether `before` has more keys
  for (Py_ssize_t at = 0; now && PyDict_Next(now.get(), &at, &key, &value);) {
    const auto is_there = [&](PyObject* in, PyObject* k) { return PyDict_GetItemWithError(in, k) != nullptr; };
    while (moved.empty() && (left = PyDict_Next(before, &old_at, &old, &value)) && !is_there(now.get(), old)) continue;
    if (!moved.empty() || (left ? key != old && PyObject_RichCompareBool(key, old, Py_EQ) != 1 : is_there(before, key)))
      moved.emplace_back(key);
    machine::forget_error();
  }
  return moved;
}

std::vector<PyObject*> ReadSet::changed() const {
  std::vector<PyObject*> found;
  for (const auto& e : log_.entries()) {
    bool same = false;
    if (set_keys_.contains(e.object)) {  // perhaps to what it was: another call may find another value there
    } else if (PyCell_Check(e.object)) {
      same = PyCell_GET(e.object) == (PyTuple_GET_SIZE(e.before) ? PyTuple_GET_ITEM(e.before, 0) : nullptr);
    } else if (PyList_Check(e.object)) {
      const Py_ssize_t count = PyList_GET_SIZE(e.object);
      same = count == PyList_GET_SIZE(e.before);
      for (Py_ssize_t k = 0; same && k < count; ++k) same = PyList_GET_ITEM(e.object, k) == PyList_GET_ITEM(e.before, k);
    } else if (PyDict_Check(e.object)) {
      same = true;
      for (auto [all, others] : {std::pair(e.object, e.before), std::pair(e.before, e.object)}) {
        PyObject *key = nullptr, *value = nullptr;
        for (Py_ssize_t at = 0; same && PyDict_Next(all, &at, &key, &value);) {
          same = is_of_warnings(key) || PyDict_GetItemWithError(others, key) == value;
          machine::forget_error();
        }
      }
      same = same && moved_keys(e.object, e.before).empty();
    } else if (PyAnySet_Check(e.object)) {
      same = PyObject_RichCompareBool(e.object, e.before, Py_EQ) == 1;
      machine::forget_error();
    }
    if (!same) found.push_back(e.object);
  }
  return found;
}

// Whether a frame is that of a method of CarriedList (monograph/_lists.py), or is called by one.
static bool is_of_lists(const PythonFrame* frame) {
  static PyObject* const globals = [] {
    const Object module = Object::taken(PyImport_ImportModule("monograph._lists"));
    machine::forget_error();
    return module ? PyModule_GetDict(module.get()) : nullptr;
  }();
  for (const PythonFrame* f = frame; f; f = f->is_entry ? nullptr : f->previous)
    if (f->f_globals == globals) return true;
  return false;
}

bool BreakPoints::before(const machine::Registers& r, size_t guards) {
  guards_.resize(guards, count_);  // the previous instruction made the new guards
  if (!base_) {
    machine::PythonFrame* first = r.frame;
    while (!first->is_entry) first = first->previous;
    if (first->f_code != root) return false;
    base_ = r.c_frame, outermost_ = first;
  }
  if (r.c_frame != base_) return false;
  if (r.hook->forks && r.hook->forks->is_inside()) return chain_.forget(), last_frame_ = nullptr, false;
  if (is_of_lists(r.frame)) return false;  // behind the break a plain list stands in the place of a CarriedList
  if (r.frame != last_frame_) frames_stand_ = chain_.look_at(r.frame, outermost_), last_frame_ = r.frame;
  can_stand_ = frames_stand_ && !machine::handles_exception(r, handled);
  if (!can_stand_) return false;
  if (++count_ != stop_at) return false;
  std::vector<PyObject*> found;
  taken_ = take_standing(r, outermost_, standing, found, keeps_locals);
  for (PyObject* o : found) values.push_back(Object::taken(o));
  return true;
}

void ReadSet::recorded() {
  if (abort_) return pending_.reset();
  if (!unseen.empty() && (std::string_view(unseen.back().kind) == "print" || unseen.back().callee == "_warnings.warn")) unseen.pop_back();
}

bool ReadSet::not_recorded() {
  const std::optional<Unseen> seen = std::exchange(pending_, std::nullopt);
  return !seen || stop(seen->kind, seen->what, seen->callee);
}

// If the recorder may make a node of the effect, recorded() or not_recorded() is called later. Else the run stops.
bool ReadSet::stop_unless_recorded(const char* why, const std::string& what, const std::string& callee) {
  if (!abort_ || !records_effects) return stop(why, what, callee);
  pending_ = Unseen{why, callee, what, {}};
  return true;
}

// A trace does not record what `logging` writes, so it is listed in `unseen`.
void ReadSet::note_logging(Registers& r) {
  const auto is_of_logging = [](const PythonFrame* f) {
    PyObject* name = PyDict_Check(f->f_globals) ? PyDict_GetItemString(f->f_globals, "__name__") : nullptr;
    return name && PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "logging") == 0;
  };
  if (PyUnicode_CompareWithASCIIString(r.frame->f_func->func_name, "_log") != 0 || !is_of_logging(r.frame)) return;
  PythonFrame* caller = r.frame->previous;
  while (caller && is_of_logging(caller)) caller = caller->previous;
  if (!caller) return;
  const int line = PyCode_Addr2Line(caller->f_code, machine::last_instruction(caller) * static_cast<int>(sizeof(machine::CodeUnit)));
  unseen.push_back({"logging", "", "writes by logging", utf8(caller->f_code->co_filename) + ":" + std::to_string(line)});
}

bool ReadSet::at_start(Registers& r) {
  previous_ = nullptr, cached_call_ = nullptr;
  points.frame_changes();
  if (!outermost_) outermost_ = r.frame;
  PyFunctionObject* f = r.frame->f_func;
  auto* object = reinterpret_cast<PyObject*>(f);
  if (!abort_ && f && !importing_) note_logging(r), ask_logging(r), note_random(r);
  if (!abort_ && (importing_ || reports(r.frame->f_globals))) return true;
  is_program(r.frame->f_globals);
  if (f && f->func_dict && PyDict_GetItemString(f->func_dict, "_torchdynamo_disable"))
    return stop("disabled", "calls " + utf8(f->func_qualname) + ", which is marked with torch.compiler.disable");
  if (!f || new_functions_.contains(object)) return true;
  if (!is_older(object)) {
    // C code called it through a slot of a class: guards the class.
    add_older(object, utf8(f->func_qualname));
    PyObject* self = r.frame->f_code->co_argcount > 0 ? r.frame->localsplus[0] : nullptr;
    if (self && !PyCell_Check(self)) read_method(PyType_Check(self) ? reinterpret_cast<PyTypeObject*>(self) : Py_TYPE(self), f);
  }
  read_function(f);
  return true;
}

bool ReadSet::read_iterated(PyObject* o) {
  if (PyObject* dict = behind_proxy(o); dict != o && is_older(dict)) return read_all(dict, 8), true;
  if (!is_older(o)) return true;
  if (!check_contents(o)) return false;
  if (is_container(o)) return read_all(o, 8), true;
  if (PyIter_Check(o)) return stop("older_iterator", "takes values from an iterator that was made before the call");
  return true;
}

// `case Point(0, y=1)` reads the attributes named in the pattern and in __match_args__ of the class.
bool ReadSet::read_matched(Registers& r, int count) {
  PyObject *subject = r.peek(3), *type = r.peek(2), *names = r.peek(1);
  const bool program = is_program(r.frame->f_globals);
  if (program) note_related(reinterpret_cast<PyObject*>(Py_TYPE(subject)), type);
  if (count > 0 && PyType_Check(type)) {
    const Object key = Object::taken(interned("__match_args__"));
    guards.add_type_attribute(reinterpret_cast<PyTypeObject*>(type), key.get());
    PyObject* by_place = _PyType_Lookup(reinterpret_cast<PyTypeObject*>(type), key.get());
    for (Py_ssize_t k = 0; by_place && PyTuple_Check(by_place) && k < std::min<Py_ssize_t>(count, PyTuple_GET_SIZE(by_place)); ++k)
      if (!read_attribute(subject, PyTuple_GET_ITEM(by_place, k), program)) return false;
  }
  for (Py_ssize_t k = 0; PyTuple_Check(names) && k < PyTuple_GET_SIZE(names); ++k)
    if (!read_attribute(subject, PyTuple_GET_ITEM(names, k), program)) return false;
  return check_contents(subject);
}

// `with` calls __enter__ and __exit__. The machine runs their frames if they are Python code.
bool ReadSet::read_with(PyObject* manager, bool program) {
  const Object home = Object::taken(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(manager)), "__module__"));
  if (!home) machine::forget_error();
  suppresses |= program && (!home || !PyUnicode_Check(home.get()) || !utf8(home.get()).starts_with("monograph"));
  if (!machine::is_python_class(Py_TYPE(manager)) && !runs_python(Py_TYPE(manager), "__enter__") &&
      !before_method(manager, "__enter__", nullptr, 0, program))
    return false;
  if (Py_TYPE(manager)->tp_flags & Py_TPFLAGS_HEAPTYPE)
    for (const char* method : {"__enter__", "__exit__"}) guards.add_type_attribute(Py_TYPE(manager), Object::taken(interned(method)).get());
  return true;
}

bool ReadSet::read_values(Registers& r, int count) {
  for (int k = 1; k <= count; ++k) {
    PyObject* o = r.peek(k);
    if (!check_contents(o) || !read_reachable(o)) return false;
  }
  return true;
}

// --- Writes.

bool ReadSet::write(PyObject* container) {
  if (!is_older(container)) return true;
  read_whole_.clear();
  if (before_.contains(container)) return true;
  if (const auto known = argument_keys_.find(container); known != argument_keys_.end()) known->second.whole = true;
  if (!log_.note(container)) return false;
  before_.emplace(container, log_.entries().back().before);
  // A number that is an input of the graph stands in the container as its symbol from here on, for joins, which look at what is there. A way of a branch has
  // noted the container already, so there the number is guarded instead.
  for (NumberInput& n : numbers) {
    if (n.place.container.get() != container || n.place.now() != n.value.get()) continue;
    if (inside_) {
      n.guarded = true;
      n.place.key ? read_item(container, n.place.key.get()) : read_cell(container);
      continue;
    }
    n.used = true;
    if (n.place.key ? PyDict_SetItem(container, n.place.key.get(), n.symbol.get()) : PyCell_Set(container, n.symbol.get())) return false;
  }
  return true;
}

// Sets or deletes one entry, or a cell (`key` is null). In a way of a branch or in a loop the old value may be a result of it, so it is guarded. The calls of a
// trace that writes run the program, but the graph of a symbolic trace may leave out what the program writes.
bool ReadSet::write_place(PyObject* container, PyObject* key) {
  if (!write(container)) return false;
  if (!is_older(container) || is_argument(container)) return true;
  if (PySet_Check(container) ? inside_ : PyList_Check(container) && (inside_ || !PyLong_CheckExact(key)))
    return read_all(container, 8), true;
  if (inside_ && (abort_ || no_example_)) key ? read_item(container, key) : read_cell(container);
  if (inside_ && abort_) return true;
  SetKeys& set = set_keys_[container];
  if (set.known.insert(key).second) set.keys.emplace_back(key);
  return true;
}

const std::vector<Object>& ReadSet::set_keys(PyObject* container) const {
  static const std::vector<Object> none;
  const auto found = set_keys_.find(container);
  return found == set_keys_.end() ? none : found->second.keys;
}

bool ReadSet::write_item(PyObject* container, PyObject* key) {
  if (is_container(container)) return write_place(container, key);
  if (!is_older(container) || values_.is_tensor(container) || runs_python(Py_TYPE(container), "__setitem__") ||
      runs_python(Py_TYPE(container), "__delitem__"))
    return true;
  return stop("older_object", std::string("changes an object of type ") + Py_TYPE(container)->tp_name);
}

bool ReadSet::write_in_place(PyObject* left) {
  if (!is_older(left) || values_.is_tensor(left) || PyTuple_Check(left)) return true;
  if (is_container(left)) {
    read_all(left, 8);
    return write(left);
  }
  if (machine::is_python_class(Py_TYPE(left)) && is_understood(left)) return true;  // the machine runs the frames of its methods
  return stop("older_object", std::string("changes an object of type ") + Py_TYPE(left)->tp_name + " in place");
}

// Whether `x.grad = None` takes away the gradient that the run itself has made, where there was none before. Then the state is that of before, as after a run of
// the graph.
bool ReadSet::takes_back_gradient(PyObject* tensor, const std::string& attribute, PyObject* value) {
  if (attribute != "grad" || value != Py_None || !values_.is_tensor(tensor)) return false;
  const machine::Unwatched unwatched;
  const Object now = Object::taken(PyObject_GetAttrString(tensor, "grad"));
  if (!now) return machine::forget_error(), false;
  return values_.is_computed(now.get());
}

bool ReadSet::write_attribute(PyObject* owner, PyObject* name, bool by_object, PyObject* value) {
  const std::string text = utf8(name);
  const bool tensor = values_.is_tensor(owner);
  if (!abort_ && (text == "grad" || text == "requires_grad") && !takes_back_gradient(owner, text, value) &&
      (values_.is_proxy(owner) || values_.is_input(owner) || (tensor && is_older(owner))))
    return stop("lost_state", "sets ." + text + " of a tensor");
  if (!abort_ && text == "data" && tensor && value && is_older(owner) && values_.gives_other_memory(owner, value))
    return stop("lost_state", "sets .data of a tensor");
  if (tensor) return stop("tensor_state", "sets the attribute ." + text + " of a tensor");
  if (PyModule_Check(owner)) {
    if (!is_older(owner)) return true;
    add_older(PyModule_GetDict(owner), name_of(owner) + ".__dict__");
    return write_place(PyModule_GetDict(owner), name);
  }
  if (!is_older(owner)) return true;
  if (is_of_thread(Py_TYPE(owner))) return stop("older_object", "sets the attribute ." + text + " of a threading.local");
  if (PyType_Check(owner)) return stop("class_attribute", "sets the attribute ." + text + " of a class");
  PyTypeObject* type = Py_TYPE(owner);
  if (!by_object && runs_python(type, "__setattr__")) {
    guards.add_type_attribute(type, Object::taken(interned("__setattr__")).get());
    return true;
  }
  PyObject* descriptor = _PyType_Lookup(type, name);
  if (descriptor && Py_TYPE(descriptor)->tp_descr_set) {
    if (PyObject_TypeCheck(descriptor, &PyProperty_Type) || runs_python(Py_TYPE(descriptor), "__set__")) return true;
    return stop("older_object", "sets the attribute ." + text + " of an object of type " + type->tp_name);
  }
  const Object fields = Object::taken(PyObject_GenericGetDict(owner, nullptr));
  if (!fields)
    return machine::forget_error(), stop("older_object", "sets the attribute ." + text + " of an object of type " + type->tp_name);
  add_older(fields.get(), name_of(owner) + ".__dict__");
  return write_place(fields.get(), name);
}

// --- Instructions.

// Looks at the value that the previous instruction made: a new function, a cached result, or a tensor made by C code.
bool ReadSet::finish_previous(Registers& r) {
  if (previous_ != r.frame) {
    previous_ = nullptr;
    return !number_ || guard_number();
  }
  previous_ = nullptr;
  PyObject*& top = r.peek(1);
  if (number_) {
    if (top != number_->value.get()) return guard_number();
    number_->used = true;
    Py_SETREF(top, Py_NewRef(std::exchange(number_, nullptr)->symbol.get()));
    return true;
  }
  if (!top) return true;
  if (previous_opcode_ == MAKE_FUNCTION) return new_functions_.insert(top), true;
  if (PyObject* cached = std::exchange(cached_call_, nullptr)) return note_cached_result(cached, top), true;
  if (Py_REFCNT(top) != 1 || !values_.is_tensor(top)) return true;
  if (PyObject* copy = values_.made_tensor(top)) Py_SETREF(top, copy);
  return !PyErr_Occurred();
}

// Sets `tries` if an exception of the instruction could be caught by `except`, and `finishes` if it would pass through `finally`. `with` does not count.
void ReadSet::note_try(const Registers& r) {
  const auto* handler = r.code->handler_at(r.offset() - 1);
  if (!handler) return;
  const machine::CodeUnit* at = r.code->units.data() + handler->target;
  const machine::CodeUnit* end = r.code->units.data() + r.code->units.size();
  if (_Py_OPCODE(at[0]) != PUSH_EXC_INFO || _Py_OPCODE(at[1]) == WITH_EXCEPT_START) return;
  finishes = true;
  if (_Py_OPCODE(at[1]) == POP_TOP) tries = true;  // a bare `except:`
  for (; at < end && _Py_OPCODE(*at) != RERAISE; ++at)
    tries = tries || _Py_OPCODE(*at) == CHECK_EXC_MATCH || _Py_OPCODE(*at) == CHECK_EG_MATCH;
}

bool ReadSet::make_plain(PyObject*& place) {
  if (!place) return true;
  bool symbolic = values_.is_symbolic(place);
  if (!symbolic && PyTuple_Check(place))
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(place); ++k) symbolic = symbolic || values_.is_symbolic(PyTuple_GET_ITEM(place, k));
  if (!symbolic) return true;
  PyObject* value = values_.plain(place);
  if (!value) return false;
  Py_SETREF(place, value);
  return true;
}

static bool is_isinstance(PyObject* function) {
  static PyObject* const isinstance = machine::builtin("isinstance");
  return function == isinstance;
}

// The program makes a string of a value. If the graph has no strings, numbers that it computes become the example's; a tensor ends the run.
bool ReadSet::make_plain_in_text(PyObject*& place) {
  if (records_effects) return true;
  if (place && values_.is_tensor(place)) return stop("data", "makes a text of the elements of a tensor");
  return make_plain(place);
}

bool ReadSet::make_plain_for(Registers& r, int opcode, int arg) {
  switch (opcode) {
    case FORMAT_VALUE: return make_plain_in_text(r.peek(arg & 4 ? 2 : 1));
    case BINARY_OP:
      return (arg != NB_REMAINDER && arg != NB_INPLACE_REMAINDER) || !PyUnicode_Check(r.peek(2)) || make_plain_in_text(r.peek(1));
    case BINARY_SUBSCR:
    case STORE_SUBSCR:
    case DELETE_SUBSCR: return !PyDict_Check(r.peek(2)) || make_plain(r.peek(1));
    case CONTAINS_OP: return !(PyDict_Check(r.peek(1)) || PyAnySet_Check(r.peek(1))) || make_plain(r.peek(2));
    case MAP_ADD: return make_plain(r.peek(2));
    case SET_ADD: return make_plain(r.peek(1));
    case BUILD_SET:
      for (int k = 1; k <= arg; ++k)
        if (!make_plain(r.peek(k))) return false;
      return true;
    case BUILD_MAP:
      for (int k = 1; k <= arg; ++k)
        if (!make_plain(r.peek(2 * k))) return false;
      return true;
    case CALL: {
      const int total = arg + (r.peek(arg + 2) ? 1 : 0);
      PyObject* function = r.peek(total + 1);
      PyObject* self = PyCFunction_Check(function)                          ? PyCFunction_GET_SELF(function)
                       : Py_IS_TYPE(function, &PyMethodDescr_Type) && total ? *(r.top - total)
                                                                            : nullptr;
      // type() and isinstance() read only the type of a number.
      if (total >= 1 && (function == reinterpret_cast<PyObject*>(&PyType_Type) || is_isinstance(function))) {
        PyObject*& value = *(r.top - total);
        if (values_.is_symbolic(value))
          if (PyObject* same_type = values_.of_same_type(value)) Py_SETREF(value, same_type);
        return !PyErr_Occurred();
      }
      bool plain = self && (PyDict_Check(self) || PyAnySet_Check(self));
      bool text = function == reinterpret_cast<PyObject*>(&PyUnicode_Type) || (self && PyUnicode_Check(self));
      if (!plain && self && PyModule_Check(self)) {
        const std::string name = reinterpret_cast<PyCFunctionObject*>(function)->m_ml->ml_name;
        plain = name == "hash" || name == "ascii" || (name == "print" && !records_effects);  // a recorded print ends the graph by itself
        text = name == "repr" || name == "format";
      }
      for (int k = 1; k <= total && (plain || text); ++k)
        if (!(text ? make_plain_in_text(r.peek(k)) : make_plain(r.peek(k)))) return false;
      return true;
    }
    default: return true;
  }
}

bool ReadSet::call_instruction(Registers& r, int opcode, int arg, bool program) {
  PyObject* function = nullptr;
  bool good = true;
  cached_call_ = nullptr;
  has_keywords_ = opcode == CALL ? r.keywords != nullptr : (arg & 1) != 0;
  if (program) note_try(r);
  if (opcode == CALL) {
    const int total = arg + (r.peek(arg + 2) ? 1 : 0);
    function = r.peek(total + 1);
    if (!argument_objects_.empty()) identify_given(function, r.top - total, total);
    good = before_call(function, r.top - total, total, program);
  } else {
    PyObject* args = r.peek(arg & 1 ? 2 : 1);
    PyObject* keywords = arg & 1 ? r.peek(1) : nullptr;
    function = r.peek(arg & 1 ? 3 : 2);
    if (!read_iterated(args)) return false;
    if (keywords) read_all(keywords, 8);
    // Of an iterator, what it gives is known when it gives it.
    const bool known = PyTuple_CheckExact(args) || PyList_CheckExact(args) || PyDict_CheckExact(args) || PyAnySet_CheckExact(args) ||
                       PyDictViewSet_Check(args) || PyDictValues_Check(args);
    const Object all = Object::taken(known ? PySequence_Tuple(args) : nullptr);
    if (!all) machine::forget_error();
    std::vector<PyObject*> given;
    if (all) given.assign(&PyTuple_GET_ITEM(all.get(), 0), &PyTuple_GET_ITEM(all.get(), 0) + PyTuple_GET_SIZE(all.get()));
    PyObject *key = nullptr, *value = nullptr;
    if (keywords && PyDict_Check(keywords))
      for (Py_ssize_t at = 0; PyDict_Next(keywords, &at, &key, &value);) given.push_back(value);
    if (!argument_objects_.empty()) identify_given(function, given.data(), static_cast<Py_ssize_t>(given.size()));
    good = before_call(function, given.data(), static_cast<Py_ssize_t>(given.size()), program);
  }
  if (good && !PyFunction_Check(function)) previous_ = r.frame, previous_opcode_ = CALL;
  return good;
}

bool ReadSet::before(Registers& r, int opcode, int arg) {
  if (numbers.empty()) return before_instruction(r, opcode, arg);
  may_take_number_ = false;
  if (previous_ && !ending && !importing_ && !finish_previous(r)) return false;
  may_take_number_ = opcode == LOAD_ATTR || opcode == LOAD_GLOBAL || opcode == LOAD_DEREF || opcode == BINARY_SUBSCR;
  const bool good = before_instruction(r, opcode, arg);
  may_take_number_ = false;
  if (number_) previous_ = r.frame, previous_opcode_ = opcode;
  return good;
}

// `x.grad is None`: a symbolic trace would take the proxy of x.grad for what it stands for.
bool ReadSet::note_test_of_none(PyObject* value) {
  if (abort_ || value == Py_None) return true;
  const machine::Unwatched unwatched;
  if (const std::string state = values_.optional_state(value); !state.empty())
    unseen.push_back({"frozen", "", "asks whether " + state + " of a tensor is None", values_.place()});
  return true;
}

// `case (a, b)` and `case {"a": a}` ask for the type of the subject, and a proxy has that of neither.
bool ReadSet::note_match(PyObject* subject) {
  if (abort_ || !values_.is_proxy(subject)) return true;
  const machine::Unwatched unwatched;
  unseen.push_back({"matched", "", "matches a value with a pattern that asks for its type", values_.place()});
  return true;
}

// Looks for a dict over whose items the next instruction runs, in their order.
void ReadSet::note_order(Registers& r, int opcode, int arg) {
  static constexpr std::string_view kMethods[] = {"keys", "values", "items", "popitem"};
  static constexpr std::string_view kCalls[] = {"list", "tuple", "enumerate", "zip", "map", "reversed", "iter"};
  auto read = [&](PyObject* o) {
    if (PyDict_CheckExact(o) && is_program(r.frame->f_globals)) values_.read_order(o);
  };
  switch (opcode) {
    case GET_ITER:
    case UNPACK_SEQUENCE:
    case UNPACK_EX:
    case LIST_EXTEND: return read(r.peek(1));
    case LOAD_METHOD:
      if (PyDict_CheckExact(r.peek(1)) && std::ranges::find(kMethods, utf8(r.name(arg))) != std::end(kMethods)) read(r.peek(1));
      return;
    case CALL: {
      PyObject* f = r.peek(arg + 2) ? r.peek(arg + 2) : r.peek(arg + 1);
      const char* name = PyType_Check(f)        ? reinterpret_cast<PyTypeObject*>(f)->tp_name
                         : PyCFunction_Check(f) ? reinterpret_cast<PyCFunctionObject*>(f)->m_ml->ml_name
                                                : "";
      if (std::ranges::find(kCalls, std::string_view(name)) == std::end(kCalls)) return;
      for (int k = 1; k <= arg; ++k) read(r.peek(k));
      return;
    }
    default: return;
  }
}

// The full name of what `from ..name import x` imports, in a module of these globals.
static std::string full_name(PyObject* globals, const std::string& name, long level) {
  PyObject* package = PyDict_Check(globals) ? PyDict_GetItemString(globals, "__package__") : nullptr;
  if (level <= 0 || !package || !PyUnicode_Check(package)) return name;
  std::string home = utf8(package);
  for (; level > 1; --level) home = home.substr(0, std::min(home.rfind('.'), home.size()));
  return name.empty() ? home : home + "." + name;
}

// Inputs that become keys of a dict or elements of a set, which tell tensors apart by their identity.
void ReadSet::note_hashed(Registers& r, int opcode, int arg) {
  if (!is_program(r.frame->f_globals)) return;
  switch (opcode) {
    case BUILD_SET:
      for (int k = arg; k > 0; --k) note_identity(r.peek(k));
      return;
    case BUILD_MAP:
      for (int k = arg; k > 0; --k) note_identity(r.peek(2 * k));
      return;
    case SET_ADD: return note_identity(r.peek(1), r.peek(arg + 1));
    case MAP_ADD: return note_identity(r.peek(2), r.peek(arg + 2));
    case BINARY_SUBSCR:
    case STORE_SUBSCR:
      if (PyDict_Check(r.peek(2))) note_identity(r.peek(1), r.peek(2));
      return;
    case CONTAINS_OP:
      if (PyDict_Check(r.peek(1)) || PyAnySet_Check(r.peek(1))) note_identity(r.peek(2), r.peek(1));
      else if (abort_) note_asked_tensor(r.peek(2), r.peek(1));
      return;
    case IS_OP:
      for (int k = 1; abort_ && r.peek(1) != r.peek(2) && k <= 2; ++k) note_asked_tensor(r.peek(k), nullptr);
      return;
    default: return;
  }
}

// An import is a read of sys.modules.
bool ReadSet::read_import(Registers& r, PyObject* given) {
  const long level = PyLong_Check(r.peek(2)) ? PyLong_AsLong(r.peek(2)) : 0;
  const std::string name = full_name(r.frame->f_globals, utf8(given), level);
  const bool program = is_program(r.frame->f_globals);
  const Object key = Object::taken(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* loaded = key ? PyDict_GetItemWithError(modules, key.get()) : nullptr;
  machine::forget_error();
  if (!loaded) {
    if (!abort_) importing_ = r.frame, imported_ = true;
    return !program || stop("import", "imports " + name + " for the first time");
  }
  if (program) {
    add_older(modules, "sys.modules");
    read_item(modules, key.get());
  }
  add_older(loaded, name);
  if (const size_t dot = name.find('.'); dot != std::string::npos)
    if (PyObject* root = PyImport_AddModule(name.substr(0, dot).c_str())) add_older(root, name.substr(0, dot));
  return true;
}

// A graph takes its inputs for different tensors, so a program that asks for the identities of two of them may get another answer from it.
void ReadSet::note_identity(PyObject* o, PyObject* held_by) {
  if (abort_) return note_asked_tensor(o, held_by);
  if (!o || !values_.is_input(o) || identified_ == o) return;
  if (!std::exchange(identified_, o)) return;
  const machine::Unwatched unwatched;
  unseen.push_back({"same_input", "", "asks whether two inputs are the same tensor", values_.place()});
}

bool ReadSet::before_instruction(Registers& r, int opcode, int arg) {
  if (ending) {  // C code has swallowed the exception: raise it again
    if (!PyErr_Occurred()) PyErr_SetString(abort_, detail.c_str());
    return false;
  }
  if (importing_ == r.frame) importing_ = nullptr;
  if (importing_) return true;  // the code of a module that is being imported is not part of the run
  if (previous_ && !finish_previous(r)) return false;
  if (points.active && points.before(r, values_.guard_count())) {
    if (PyErr_Occurred()) return false;
    ending = true;
    PyErr_SetString(abort_, "the graph ends here");
    return false;
  }
  if (!abort_ && reports(r.frame->f_globals)) return true;
  if (!abort_) note_order(r, opcode, arg);
  if (!note_chosen_keys(r, opcode, arg)) return false;
  note_hashed(r, opcode, arg);
  if (opcode == IS_OP || !arguments_.empty()) identify_operands(r, opcode, arg);
  if (!streams_.empty()) note_streams(r, opcode, arg);
  inside_ = r.hook->forks && r.hook->forks->is_inside();
  no_example_ = inside_ && !r.hook->forks->has_example();
  if (abort_ && !make_plain_for(r, opcode, arg)) return false;
  switch (opcode) {
    case LOAD_GLOBAL:
      if (is_program(r.frame->f_globals) || holds_settings(r.frame->f_globals)) read_global(r, r.name(arg >> 1));
      return true;
    case LOAD_NAME:
      if (is_program(r.frame->f_globals)) read_global(r, r.name(arg));
      return true;
    case LOAD_DEREF:
    case LOAD_CLASSDEREF: read_cell(r.frame->localsplus[arg]); return true;
    case LOAD_ATTR:
    case LOAD_METHOD: return read_attribute(r.peek(1), r.name(arg), is_program(r.frame->f_globals));
    case BINARY_SUBSCR:
      if (is_program(r.frame->f_globals)) note_try(r);
      return read_element(r.peek(2), r.peek(1)) && read_index(r.peek(2), r.peek(1), nullptr);
    case CONTAINS_OP: return read_element(r.peek(1), r.peek(2)) && (PyDict_Check(r.peek(1)) || read_values(r, 2));
    case COMPARE_OP:
      if (is_program(r.frame->f_globals)) note_try(r);
      return read_values(r, 2);
    case POP_JUMP_FORWARD_IF_NONE:
    case POP_JUMP_FORWARD_IF_NOT_NONE:
    case POP_JUMP_BACKWARD_IF_NONE:
    case POP_JUMP_BACKWARD_IF_NOT_NONE: return note_test_of_none(r.peek(1));
    case IS_OP:
      if (r.peek(1) == Py_None || r.peek(2) == Py_None) return note_test_of_none(r.peek(r.peek(1) == Py_None ? 2 : 1));
      if (!abort_ && r.peek(1) != r.peek(2) && is_program(r.frame->f_globals)) note_same_inputs(r);
      return note_test_of_joined(r);
    case BINARY_OP:
      if (is_program(r.frame->f_globals)) note_try(r);
      return (arg < NB_INPLACE_ADD || write_in_place(r.peek(2))) && read_operands(r.peek(2), r.peek(1), arg < NB_INPLACE_ADD);
    case UNARY_NOT:
    case POP_JUMP_FORWARD_IF_FALSE:
    case POP_JUMP_FORWARD_IF_TRUE:
    case POP_JUMP_BACKWARD_IF_FALSE:
    case POP_JUMP_BACKWARD_IF_TRUE:
    case JUMP_IF_FALSE_OR_POP:
    case JUMP_IF_TRUE_OR_POP:
      if (is_older(r.peek(1)) && is_container(r.peek(1))) read_all(r.peek(1), 8);
      return check_contents(r.peek(1));
    case FORMAT_VALUE:
    case GET_LEN:
    case MATCH_KEYS: return read_values(r, opcode == MATCH_KEYS ? 2 : 1);
    case MATCH_SEQUENCE:
    case MATCH_MAPPING: return note_match(r.peek(1));
    case MATCH_CLASS: return read_matched(r, arg);
    case GET_ITER:
    case FOR_ITER:
    case UNPACK_SEQUENCE:
    case UNPACK_EX:
    case GET_YIELD_FROM_ITER: return read_iterated(r.peek(1));
    // After a graph break, the container may have been made before this run.
    case LIST_EXTEND:
    case SET_UPDATE:
    case DICT_UPDATE:
    case DICT_MERGE: return read_iterated(r.peek(1)) && write(r.peek(arg + 1));
    case LIST_APPEND:
    case SET_ADD: return write(r.peek(arg + 1));
    case MAP_ADD: return write(r.peek(arg + 2));
    case STORE_ATTR: return write_attribute(r.peek(1), r.name(arg), false, r.peek(2));
    case DELETE_ATTR: return write_attribute(r.peek(1), r.name(arg));
    case STORE_SUBSCR:
    case DELETE_SUBSCR:
      if (is_program(r.frame->f_globals)) note_try(r);
      return write_item(r.peek(2), r.peek(1)) && read_index(r.peek(2), r.peek(1), opcode == STORE_SUBSCR ? r.peek(3) : nullptr);
    case RETURN_VALUE:
    case YIELD_VALUE: return read_given_back(r);
    case STORE_GLOBAL:
    case DELETE_GLOBAL: return !is_program(r.frame->f_globals) || write_place(r.frame->f_globals, r.name(arg));
    case STORE_DEREF:
    case DELETE_DEREF:
      return !r.frame->localsplus[arg] || !PyCell_Check(r.frame->localsplus[arg]) || write_place(r.frame->localsplus[arg], nullptr);
    case IMPORT_NAME: return read_import(r, r.name(arg));
    case IMPORT_FROM: return read_attribute(r.peek(1), r.name(arg), is_program(r.frame->f_globals));
    case BEFORE_WITH: return read_with(r.peek(1), is_program(r.frame->f_globals));
    case MAKE_FUNCTION: previous_ = r.frame, previous_opcode_ = opcode; return true;
    case CALL:
    case CALL_FUNCTION_EX: return call_instruction(r, opcode, arg, is_program(r.frame->f_globals));
    default: return true;
  }
}

}  // namespace monograph::capture::bytecode
#endif
