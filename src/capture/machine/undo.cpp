// What a way of a fork writes is noted before it is written, as a copy of the whole list, dict, set or cell; attributes are the dict of their object. What
// cannot be noted, a C function that may do anything, ends the fork: the example's way goes on under a guard, the other one is given up before the call.
#include "capture/machine/forks.h"

#ifdef MONOGRAPH_MACHINE
#include <algorithm>
#include <array>
#include <string_view>

namespace monograph::capture::machine {
namespace {

std::string text(PyObject* str) {
  const char* utf8 = str && PyUnicode_Check(str) ? PyUnicode_AsUTF8(str) : nullptr;
  if (!utf8) forget_error();
  return utf8 ? utf8 : "?";
}

// The str behind an attribute, or "".
std::string text_attribute(PyObject* o, const char* name) {
  PyObject* value = PyObject_GetAttrString(o, name);
  if (!value) forget_error();
  std::string out = value && PyUnicode_Check(value) ? text(value) : "";
  Py_XDECREF(value);
  return out;
}

// Whether a class and all that it derives from are Python's, so that the machine sees what each of its methods writes.
bool has_python_methods_only(PyTypeObject* type) {
  PyObject* bases = type->tp_mro;
  for (Py_ssize_t k = 0; bases && k < PyTuple_GET_SIZE(bases); ++k) {
    auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, k));
    if (base != &PyBaseObject_Type && !is_python_class(base)) return false;
  }
  return bases != nullptr;
}

bool is_deque(PyObject* o) {
  static PyTypeObject* const type = [] {
    PyObject* module = PyImport_ImportModule("collections");
    PyObject* found = module ? PyObject_GetAttrString(module, "deque") : nullptr;
    Py_XDECREF(module);
    if (!found) PyErr_Clear();
    return reinterpret_cast<PyTypeObject*>(found);
  }();
  return Py_IS_TYPE(o, type);
}

bool is_container(PyObject* o) { return PyList_Check(o) || PyDict_Check(o) || PySet_Check(o) || PyCell_Check(o) || is_deque(o); }

template <size_t N>
bool among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// The functions of the module builtins that change something. All others may at most consume an iterator, which is looked at apart.
constexpr std::array<std::string_view, 15> kEffects = {"print",      "input",           "open",       "exec",  "eval",
                                                       "compile",    "setattr",         "delattr",    "next",  "anext",
                                                       "breakpoint", "__build_class__", "__import__", "aiter", "help"};
// Methods of Monograph's Python classes and functions that change an object or the process for good. Their writes are not noted.
constexpr std::array<std::string_view, 26> kLasting = {
    "train",      "eval",        "to",          "float",      "half",    "double",       "apply",       "load_state_dict", "zero_grad",
    "append",     "extend",      "insert",      "pop",        "update",  "clear",        "manual_seed", "backward",        "step",
    "add_module", "__setitem__", "__delitem__", "setdefault", "popitem", "share_memory", "type",        "bfloat16"};

// Methods of a tensor that change more of it than its elements.
bool changes_tensor(const std::string& name) {
  return name == "backward" || name == "retain_grad" || name.starts_with("register_") || name.starts_with("requires_grad_") ||
         name.starts_with("set_");
}

bool is_lasting(const std::string& name) {
  return among(kLasting, name) || name.starts_with("register_") || name.starts_with("requires_grad_") || name.starts_with("set_");
}

// Whether both hold the same objects under the same keys, in the same order.
bool same_dict(PyObject* a, PyObject* b) {
  if (PyDict_GET_SIZE(a) != PyDict_GET_SIZE(b)) return false;
  PyObject *key[2], *value[2];
  Py_ssize_t at[2] = {0, 0};
  while (PyDict_Next(a, &at[0], &key[0], &value[0])) {
    PyDict_Next(b, &at[1], &key[1], &value[1]);
    if (key[0] != key[1] || value[0] != value[1]) return false;
  }
  return true;
}

// An OrderedDict as a dict in its own order, which may not be that of its table: move_to_end() changes the one alone. A key whose hash raises, such as a size of
// the graph, leaves the order of the table.
PyObject* in_order(PyObject* ordered) {
  PyObject* made = PyDict_New();
  PyObject* keys = made ? PyODict_Type.tp_iter(ordered) : nullptr;
  bool good = keys != nullptr;
  while (good) {
    PyObject* key = PyIter_Next(keys);
    if (!key) break;
    PyObject* value = PyDict_GetItemWithError(ordered, key);
    good = value && PyDict_SetItem(made, key, value) == 0;
    Py_DECREF(key);
  }
  Py_XDECREF(keys);
  if (good && !PyErr_Occurred()) return made;
  forget_error();
  Py_XDECREF(made);
  return PyDict_Copy(ordered);
}

}  // namespace

PyObject* copy_content(PyObject* o) {
  if (PyGen_CheckExact(o)) return copy_generator_state(o);
  if (is_deque(o)) return PySequence_List(o);
  if (PyList_Check(o)) return PyList_GetSlice(o, 0, PyList_GET_SIZE(o));
  if (PyODict_Check(o)) return in_order(o);
  if (PyDict_Check(o)) return PyDict_Copy(o);
  if (PySet_Check(o)) return PySet_New(o);
  PyObject* value = PyCell_GET(o);
  return value ? PyTuple_Pack(1, value) : PyTuple_New(0);
}

bool set_content(PyObject* o, PyObject* content) {
  if (PyGen_CheckExact(o)) return set_generator_state(o, content);
  if (is_deque(o)) {
    PyObject* old = PySequence_List(o);  // what goes, goes when the deque is whole again
    PyObject* done = old ? PyObject_CallMethod(o, "clear", nullptr) : nullptr;
    Py_XDECREF(done);
    done = done ? PyObject_CallMethod(o, "extend", "O", content) : nullptr;
    Py_XDECREF(old);
    Py_XDECREF(done);
    return done != nullptr;
  }
  if (PyList_Check(o)) return PyList_SetSlice(o, 0, PyList_GET_SIZE(o), content) == 0;
  if (PyDict_Check(o)) {
    PyObject* old = copy_content(o);  // what goes, goes when the dict is whole again
    if (!old) return false;
    if (same_dict(old, content)) return Py_DECREF(old), true;
    bool good;
    if (PyODict_Check(o)) {
      PyObject* done = PyObject_CallMethod(o, "clear", nullptr);
      Py_XDECREF(done);
      done = done ? PyObject_CallMethod(o, "update", "O", content) : nullptr;
      good = done != nullptr;
      Py_XDECREF(done);
    } else {
      PyDict_Clear(o);
      good = PyDict_Update(o, content) == 0;
    }
    Py_DECREF(old);
    return good;
  }
  if (PySet_Check(o)) {
    PyObject* old = PySet_New(o);
    if (!old) return false;
    const bool good = PySet_Clear(o) == 0 && _PySet_Update(o, content) >= 0;
    Py_DECREF(old);
    return good;
  }
  PyObject* old = PyCell_GET(o);
  PyCell_SET(o, PyTuple_GET_SIZE(content) ? Py_NewRef(PyTuple_GET_ITEM(content, 0)) : nullptr);
  Py_XDECREF(old);
  return true;
}

UndoLog::~UndoLog() {
  for (const Entry& e : entries_) {
    Py_DECREF(e.object);
    Py_DECREF(e.before);
    Py_XDECREF(e.after);
  }
}

bool UndoLog::note(PyObject* container, PyObject* before) {
  if (index_.contains(container)) return true;
  before = before ? Py_NewRef(before) : copy_content(container);
  if (!before) return false;
  index_.emplace(container, entries_.size());
  entries_.push_back({Py_NewRef(container), before});
  return true;
}

bool UndoLog::undo() {
  for (Entry& e : entries_) {
    e.after = copy_content(e.object);
    if (!e.after || !set_content(e.object, e.before)) return false;
  }
  return true;
}

PyObject* UndoLog::content(PyObject* container) const {
  auto found = index_.find(container);
  return found == index_.end() ? nullptr : entries_[found->second].after;
}

// --- The policy.

bool Forks::belongs_to_program(PyObject* globals) {
  auto [known, fresh] = programs_.try_emplace(globals, true);
  if (fresh) {
    PyObject* name = PyDict_Check(globals) ? PyDict_GetItemString(globals, "__name__") : nullptr;
    // torch._check() and its relatives are branches of the program, which their module says.
    known->second = !(name && starts_with_package(text(name))) || PyDict_GetItemString(globals, "_branches_are_the_programs");
    Py_INCREF(globals);  // no other one gets its address
  }
  return known->second;
}

void Forks::fail(std::string_view why) {
  if (arms_.back()->failure.empty()) arms_.back()->failure = why;
}

bool Forks::irreversible(const std::string& what) {
  for (auto arm = arms_.rbegin(); arm != arms_.rend(); ++arm) {
    if ((*arm)->failure.empty()) (*arm)->failure = what;
    if (!is_trial(**arm)) continue;
    if ((*arm)->made_second) (*arm)->made_second->silence();
    aborting_ = true;
    PyErr_SetString(abort_, what.c_str());
    return false;
  }
  return true;
}

std::string Forks::raised_text() const {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyObject* words = value ? PyObject_Str(value) : nullptr;
  std::string out = std::string("it raises ") + (value ? Py_TYPE(value)->tp_name : "?") + ": " + text(words).substr(0, 200);
  if (value && value == caught_) out += ", which the `try` around " + caught_at_ + " could catch";
  Py_XDECREF(words);
  PyErr_Restore(type, value, traceback);
  return out;
}

bool Forks::take_abort() { return std::exchange(aborting_, false); }

bool Forks::count_round() {
  constexpr int kRounds = 20'000;
  for (auto arm = arms_.rbegin(); arm != arms_.rend(); ++arm)
    if (is_trial(**arm)) return ++(*arm)->rounds < kRounds || irreversible("it runs a loop that does not end for the example");
  return true;
}

bool is_carried_list(PyObject* o) { return std::string_view(Py_TYPE(o)->tp_name) == "CarriedList"; }
PyObject* dict_of_carried(PyObject* list) { return PyObject_GenericGetDict(list, nullptr); }

// Who asks such a list for its length makes it a plain one.
bool Forks::note_carried(PyObject* list) {
  PyObject* fields = dict_of_carried(list);
  PyObject* items = fields ? PyDict_GetItemString(fields, "_carried_items") : nullptr;
  const bool good = fields && log().note(fields) && (!items || !PyList_Check(items) || log().note(items));
  Py_XDECREF(fields);
  return good;
}

bool Forks::before_read(PyObject* container) {
  if (is_carried_list(container)) return note_carried(container);
  // A defaultdict makes what it lacks.
  return !PyDict_Check(container) || PyDict_CheckExact(container) || log().note(container);
}

bool Forks::before_write(PyObject* container, PyObject*) {
  if (is_container(container)) return log().note(container);
  if (is_carried_list(container)) return note_carried(container);
  if (recorder_.is_tensor(container) || has_python_methods_only(Py_TYPE(container))) return true;  // its own code writes
  return irreversible("it writes to an object of type " + std::string(Py_TYPE(container)->tp_name));
}

// "from 1 to 2": what an attribute that no log can hold is changed to.
static std::string change_of(PyObject* owner, PyObject* name, PyObject* value) {
  const auto shown = [](PyObject* o) {
    PyObject* plain = o && (PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) || PyUnicode_CheckExact(o) || o == Py_None)
                          ? PyObject_Repr(o)
                          : nullptr;
    std::string out = plain ? text(plain).substr(0, 60) : o ? std::string("a value of type ") + Py_TYPE(o)->tp_name : "nothing";
    Py_XDECREF(plain);
    return out;
  };
  PyObject* before = PyObject_GenericGetAttr(owner, name);
  if (!before) forget_error();
  std::string out = " from " + shown(before) + (value ? " to " + shown(value) : "");
  Py_XDECREF(before);
  return out;
}

bool Forks::before_attribute(PyObject* owner, PyObject* name, PyObject* value) {
  PyTypeObject* type = Py_TYPE(owner);
  std::string words = "it sets the attribute " + text(name) + " of an object of type " + type->tp_name;
  if (recorder_.is_tensor(owner) || !(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || PyType_Check(owner) || PyModule_Check(owner))
    return irreversible(words);
  PyObject* descriptor = _PyType_Lookup(type, name);
  if (descriptor && Py_TYPE(descriptor)->tp_descr_set) {
    // A property's code runs in the machine; a slot is C's.
    if (Py_IS_TYPE(descriptor, &PyMemberDescr_Type)) words += ", which has __slots__," + change_of(owner, name, value);
    return PyObject_TypeCheck(descriptor, &PyProperty_Type) != 0 || irreversible(words);
  }
  PyObject* fields = PyObject_GenericGetDict(owner, nullptr);
  if (!fields) {
    PyErr_Clear();
    return irreversible(words);
  }
  bool good = log().note(fields);
  for (const char* table : {"_parameters", "_buffers", "_modules"}) {  // where an nn.Module keeps some of its attributes
    PyObject* part = PyDict_GetItemString(fields, table);
    if (good && part && PyDict_Check(part)) good = log().note(part);
  }
  Py_DECREF(fields);
  return good;
}

bool Forks::before_in_place(PyObject* left) {
  if (is_container(left)) return log().note(left);
  if (is_carried_list(left)) return note_carried(left);
  if (PyLong_Check(left) || PyFloat_Check(left) || PyUnicode_Check(left) || PyTuple_Check(left) || recorder_.is_leaf(left)) return true;
  if (has_python_methods_only(Py_TYPE(left))) return true;
  return irreversible("it changes an object of type " + std::string(Py_TYPE(left)->tp_name) + " in place");
}

bool Forks::before_iteration(PyObject* iterator) {
  if (is_carried_list(iterator)) return note_carried(iterator);
  if (PyGen_CheckExact(iterator)) return before_generator(iterator);
  for (const auto& arm : arms_)
    if (std::ranges::find(arm->fixed_iterators, iterator) != arm->fixed_iterators.end())
      return irreversible("it takes values from an iterator of type " + std::string(Py_TYPE(iterator)->tp_name) +
                          ", which cannot be copied");
  return true;
}

// One that the way has made goes with it. Another one is put back to where it stands.
bool Forks::before_generator(PyObject* generator) {
  if (is_made_here(generator)) return true;
  if (has_generator_state(generator)) return log().note(generator);
  return irreversible("it runs a generator on that was made before, and that cannot be put back");
}

bool Forks::before_shared_iterator(PyObject* iterator) {
  // A generator expression that the arms made themselves is held by its variable too; what it takes is not known from here.
  return irreversible("it takes values from an iterator of type " + std::string(Py_TYPE(iterator)->tp_name) +
                      " that something else holds too");
}

static bool is_end_seen(PyObject* o, int depth) {
  constexpr int kDepth = 3;
  PyTypeObject* type = Py_TYPE(o);
  if (has_finalizer(type) || is_end_of_generator_seen(o)) return true;
  if (type->tp_weaklistoffset > 0 && *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(o) + type->tp_weaklistoffset)) return true;
  if (depth == kDepth) return false;
  const auto held_here = [&](PyObject* part) { return part && Py_REFCNT(part) == 1 && is_end_seen(part, depth + 1); };
  if (PyTuple_Check(o) || PyList_Check(o)) {
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(o); ++k)
      if (held_here(PySequence_Fast_GET_ITEM(o, k))) return true;
  } else if (PyGen_CheckExact(o) || PyCoro_CheckExact(o)) {
    for (PyObject* part : held_by_generator(o))
      if (held_here(part)) return true;
  } else if (PyDict_Check(o)) {
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);)
      if (held_here(value)) return true;
  } else if (is_python_class(type) && !PyType_Check(o)) {
    PyObject* fields = PyObject_GenericGetDict(o, nullptr);
    if (!fields) return PyErr_Clear(), false;
    const bool seen = is_end_seen(fields, depth + 1);
    Py_DECREF(fields);
    return seen;
  }
  return false;
}

bool ends_seen(PyObject* o, Py_ssize_t others) {
  if (PyUnicode_CheckExact(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) || o == Py_None || !is_end_seen(o, 0)) return false;
  Py_ssize_t held = others;
  for (const FrameSlots* slots : FrameSlots::all()) held += std::ranges::count(slots->values, o);
  return Py_REFCNT(o) <= held;
}

// What the slots hold besides are copies for the other way. The example's way goes on without it, and the others need no copy then.
bool Forks::before_release(PyObject* value) {
  if (recorder_.is_tensor(value) || !ends_seen(value, 1)) return true;
  if (!irreversible("it lets go of an object of type " + std::string(Py_TYPE(value)->tp_name) + " whose end the program sees"))
    return false;
  for (FrameSlots* slots : FrameSlots::all())
    for (PyObject*& copy : slots->values)
      if (copy == value) Py_SETREF(copy, Py_NewRef(Py_None));
  return true;
}

// super().__init__(...) where C code has it: as the slot of the class with the object in front.
bool Forks::before_bound_slot(PyObject* slot, const std::string& name, PyObject* const* args, Py_ssize_t count) {
  PyObject* self = PyObject_GetAttrString(slot, "__self__");
  PyObject* owner = self ? PyObject_GetAttrString(slot, "__objclass__") : nullptr;
  PyObject* of_class =
      owner && PyType_Check(owner) ? PyDict_GetItemString(reinterpret_cast<PyTypeObject*>(owner)->tp_dict, name.c_str()) : nullptr;
  forget_error();
  bool good = true;
  if (of_class && Py_IS_TYPE(of_class, &PyWrapperDescr_Type)) {
    std::vector<PyObject*> all{self};
    all.insert(all.end(), args, args + count);
    good = before_call(of_class, all.data(), count + 1);
  } else {
    good = irreversible("it calls an object of type method-wrapper");
  }
  Py_XDECREF(self);
  Py_XDECREF(owner);
  return good;
}

bool Forks::before_call(PyObject* function, PyObject* const* args, Py_ssize_t count) {
  PyTypeObject* type = Py_TYPE(function);
  // An iterator that somebody else holds too would stand elsewhere afterwards. The stack holds one reference.
  auto consumes = [&] {
    for (Py_ssize_t k = 0; k < count; ++k)
      if (PyIter_Check(args[k]) && Py_REFCNT(args[k]) > 1) return true;
    return false;
  };
  for (Py_ssize_t k = 0; k < count; ++k)
    if (is_carried_list(args[k]) && !note_carried(args[k])) return false;
  if (type == &PyMethod_Type) {
    PyObject* self = PyMethod_GET_SELF(function);
    if (is_carried_list(self)) return note_carried(self);
    if (recorder_.is_leaf(self)) {  // x.double() makes a tensor; a module's double() changes it
      const std::string name = text_attribute(function, "__name__");
      return !changes_tensor(name) || irreversible("it calls " + name);
    }
    return before_call(PyMethod_GET_FUNCTION(function), args, count);
  }
  if (type == &PyFunction_Type) {
    if (count > 0 && is_carried_list(args[0]) && starts_with_package(text_attribute(function, "__module__"))) return true;
    auto* python = reinterpret_cast<PyFunctionObject*>(function);
    if (belongs_to_program(python->func_globals)) return true;
    const std::string name = text(python->func_name);
    if (count > 0 && recorder_.is_leaf(args[0]) && !changes_tensor(name)) return true;
    return !is_lasting(name) || irreversible("it calls " + name);
  }
  if (PyType_Check(function)) {
    auto* made = reinterpret_cast<PyTypeObject*>(function);
    if (has_finalizer(made)) return irreversible("it makes an object of type " + std::string(made->tp_name) + ", which has a __del__");
    if (made->tp_flags & Py_TPFLAGS_HEAPTYPE) return true;  // its Python code runs in the machine
    const std::string home = text_attribute(function, "__module__");
    if (home == "builtins" || home == "collections" || home == "itertools" || home == "functools" || starts_with_package(home))
      return !consumes() || irreversible("it takes values from an iterator that was made before");
    return irreversible("it calls " + std::string(reinterpret_cast<PyTypeObject*>(function)->tp_name));
  }
  const std::string name = text_attribute(function, "__name__"), home = text_attribute(function, "__module__");
  if (PyCFunction_Check(function)) {
    PyObject* self = PyCFunction_GET_SELF(function);
    if (self && is_container(self)) return log().note(self);
    PyObject* runs_on = name == "next" && home == "builtins" && count > 0 ? args[0] : self;
    if (runs_on && PyGen_CheckExact(runs_on)) return before_generator(runs_on);
    if (self && is_made_here(self)) return true;
    if (self && recorder_.is_leaf(self)) return !changes_tensor(name) || irreversible("it calls " + name);
    if (starts_with_package(home)) return !is_lasting(name) || irreversible("it calls " + name);
    if (self && (PyUnicode_Check(self) || PyTuple_Check(self) || PyLong_Check(self) || PyFloat_Check(self) || PyBytes_Check(self)))
      return true;
    // tuple.__new__, which a namedtuple calls, is as tuple itself.
    if (self && PyType_Check(self) && name == "__new__") return before_call(self, args, count);
    const bool pure = home == "math" || home == "_abc" || (home == "sys" && name == "exc_info") ||
                      (home == "_functools" && name == "reduce") || (home == "builtins" && !among(kEffects, name)) ||
                      (home == "_operator" && !name.starts_with("i") && name != "setitem" && name != "delitem");
    if (pure) return !consumes() || irreversible("it takes values from an iterator that was made before");
    return irreversible("it calls " + (home.empty() ? name : home + "." + name));
  }
  if (type == &PyMethodDescr_Type || type == &PyClassMethodDescr_Type || type == &PyWrapperDescr_Type) {
    PyTypeObject* owner = reinterpret_cast<PyDescrObject*>(function)->d_type;
    if (count > 0 && is_container(args[0])) return log().note(args[0]);
    if (count > 0 && PyGen_CheckExact(args[0])) return before_generator(args[0]);  // its own code runs in the machine
    if (count > 0 && is_made_here(args[0])) return true;  // a generator or an exception
    if (count > 0 && recorder_.is_leaf(args[0])) return !changes_tensor(name) || irreversible("it calls " + name);
    if (owner == &PyUnicode_Type || owner == &PyTuple_Type || owner == &PyLong_Type || owner == &PyFloat_Type || owner == &PyBytes_Type)
      return true;
    if (owner == &PyBaseObject_Type && count > 1 && (name == "__setattr__" || name == "__delattr__"))
      return before_attribute(args[0], args[1]);  // as frozen dataclasses do
    if (owner == &PyBaseObject_Type || owner == &PyType_Type)
      return name != "__setattr__" && name != "__delattr__" ? true : irreversible("it calls " + name);
    if (starts_with_package(text_attribute(reinterpret_cast<PyObject*>(owner), "__module__"))) return true;
    return irreversible("it calls " + std::string(owner->tp_name) + "." + name);
  }
  if (is_python_class(type)) return true;  // __call__, in the machine
  const std::string_view kind = type->tp_name;
  if (kind == "nanobind.nb_func") {  // one of monograph._C: torch.as_tensor() and its like
    PyObject* bound = PyImport_AddModule("monograph._C");
    PyObject* sets = bound ? PyDict_GetItemString(PyModule_GetDict(bound), "set_num_threads") : nullptr;
    return function != sets || irreversible("it calls set_num_threads");
  }
  if (kind == "method-wrapper") return before_bound_slot(function, name, args, count);
  if (kind == "operator.itemgetter" || kind == "operator.attrgetter") return true;
  if (kind == "functools.partial") {
    PyObject* called = PyObject_GetAttrString(function, "func");
    const bool good = called && before_call(called, args, count);
    Py_XDECREF(called);
    return good;
  }
  if (starts_with_package(text_attribute(reinterpret_cast<PyObject*>(type), "__module__")) || starts_with_package(type->tp_name))
    return true;
  return irreversible("it calls an object of type " + std::string(type->tp_name));
}

// --- Iterators.

namespace {

bool is_plain_iterator(PyObject* o) {
  static PyTypeObject* const reversed_list = [] {
    PyObject* list = PyList_New(0);
    PyObject* iterator = list ? PyObject_CallMethod(list, "__reversed__", nullptr) : nullptr;
    Py_XDECREF(list);
    PyTypeObject* type = iterator ? Py_TYPE(iterator) : nullptr;
    Py_XDECREF(iterator);
    return type;
  }();
  const PyTypeObject* type = Py_TYPE(o);
  return type == &PyListIter_Type || type == &PyTupleIter_Type || type == &PyRangeIter_Type || type == reversed_list;
}
bool is_nested_iterator(PyObject* o) { return Py_IS_TYPE(o, &PyEnum_Type) || Py_IS_TYPE(o, &PyZip_Type); }

}  // namespace

bool is_standard_iterator(PyObject* o) { return is_plain_iterator(o) || is_nested_iterator(o); }

// Our own iterators over what the graph counts copy and compare themselves (monograph/_loops.py).
static bool is_own_iterator(PyObject* o) { return std::string_view(Py_TYPE(o)->tp_name) == "SymbolicIterator"; }

PyObject* copy_iterator(PyObject* o) {
  if (is_own_iterator(o)) return PyObject_CallMethod(o, "at_same_place", nullptr);
  if (!is_plain_iterator(o) && !is_nested_iterator(o)) return nullptr;
  PyObject* state = PyObject_CallMethod(o, "__reduce__", nullptr);
  if (!state || !PyTuple_Check(state) || PyTuple_GET_SIZE(state) < 2) {
    forget_error();
    Py_XDECREF(state);
    return nullptr;
  }
  PyObject* made = PyTuple_GET_ITEM(state, 0);
  PyObject* args = PySequence_List(PyTuple_GET_ITEM(state, 1));
  bool good = args != nullptr;
  if (good && is_nested_iterator(o)) {
    for (Py_ssize_t k = 0; good && k < PyList_GET_SIZE(args); ++k) {
      PyObject* part = PyList_GET_ITEM(args, k);
      if (!PyIter_Check(part)) continue;
      PyObject* copy = copy_iterator(part);
      good = copy != nullptr;
      if (good) PyList_SetItem(args, k, copy);
    }
  }
  PyObject* tuple = good ? PyList_AsTuple(args) : nullptr;
  PyObject* copy = tuple ? PyObject_CallObject(made, tuple) : nullptr;
  if (copy && PyTuple_GET_SIZE(state) > 2 && PyTuple_GET_ITEM(state, 2) != Py_None) {
    PyObject* done = PyObject_CallMethod(copy, "__setstate__", "O", PyTuple_GET_ITEM(state, 2));
    if (!done) Py_CLEAR(copy);
    Py_XDECREF(done);
  }
  Py_XDECREF(tuple);
  Py_XDECREF(args);
  Py_DECREF(state);
  if (!copy) forget_error();
  return copy;
}

int same_place(PyObject* a, PyObject* b) {
  if (Py_TYPE(a) == Py_TYPE(b) && is_own_iterator(a)) return PyObject_RichCompareBool(a, b, Py_EQ);
  if (Py_TYPE(a) != Py_TYPE(b) || (!is_plain_iterator(a) && !is_nested_iterator(a))) return 0;
  PyObject* states[2] = {PyObject_CallMethod(a, "__reduce__", nullptr), PyObject_CallMethod(b, "__reduce__", nullptr)};
  int same = states[0] && states[1] ? PyTuple_GET_SIZE(states[0]) == PyTuple_GET_SIZE(states[1]) : -1;
  if (same == 1) {
    PyObject *x = PyTuple_GET_ITEM(states[0], 1), *y = PyTuple_GET_ITEM(states[1], 1);
    same = PyTuple_GET_SIZE(x) == PyTuple_GET_SIZE(y);
    for (Py_ssize_t k = 0; same == 1 && k < PyTuple_GET_SIZE(x); ++k) {
      PyObject *p = PyTuple_GET_ITEM(x, k), *q = PyTuple_GET_ITEM(y, k);
      if (p == q) continue;
      if (PyIter_Check(p)) same = same_place(p, q);
      else
        same = PyLong_Check(p) || PyRange_Check(p) || (PyTuple_Check(p) && PyTuple_GET_SIZE(p) == 0) ? PyObject_RichCompareBool(p, q, Py_EQ)
                                                                                                     : 0;
    }
    if (same == 1 && PyTuple_GET_SIZE(states[0]) > 2)
      same = PyObject_RichCompareBool(PyTuple_GET_ITEM(states[0], 2), PyTuple_GET_ITEM(states[1], 2), Py_EQ);
  }
  Py_XDECREF(states[0]);
  Py_XDECREF(states[1]);
  return same;
}

}  // namespace monograph::capture::machine
#endif
