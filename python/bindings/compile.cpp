// monograph._C.Compiled: a function that is captured when it is called, with its cache of captures.
#include "compile.h"

#include <structmember.h>

#include "capture/bytecode/reads.h"
#include "capture/machine/machine.h"

namespace monograph::python {
namespace {

using compiled::CapturedEntry;
using compiled::CompileOptions;
using compiled::NumberPlace;

enum class Stance : uint8_t { Default, ForceEager, EagerOnRecompile, FailOnRecompile, EagerThenCompile };
Stance g_stance = Stance::Default;

struct CompiledObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* function;
  PyObject* dict;
  PyObject* weakrefs;
  PyObject* events;  // a list of tuples: what happened at calls that were captured
  CompileOptions options;
  std::vector<std::shared_ptr<CapturedEntry>> entries;
  // What runs behind breaks, each a compiled function of its own: calls of the same place share it.
  std::vector<std::pair<std::shared_ptr<const compiled::Break>, compiled::Object>> rests;
  // Under "eager_then_compile": the first call has run as Python runs it, with these numbers as arguments.
  bool was_called = false;
  std::vector<std::pair<std::string, compiled::Object>> first_numbers;
  bool full = false, told = false, disabled = false;
};

PyTypeObject g_compiled_type = make_type("monograph.Compiled", 0);
CompiledObject& object_of(PyObject* o) { return *reinterpret_cast<CompiledObject*>(o); }

PyObject* call_function(CompiledObject& c, PyObject* const* args, size_t count, PyObject* names) {
  return PyObject_Vectorcall(c.function, args, count, names);
}

void note(CompiledObject& c, const char* what, const std::string& text) {
  PyObject* event = Py_BuildValue("(ss)", what, text.c_str());
  if (event) PyList_Append(c.events, event), Py_DECREF(event);
  else capture::machine::forget_error();
}

// What one compiled function gives for a call: its result, or what the frames hold at `broken`.
struct CallPiece {
  PyObject* result = nullptr;
  std::shared_ptr<const compiled::Break> broken;
  compiled::FreshObjects fresh;  // made before the call; behind it, what has been made for the frames
};

// The places of numbers that are not what the captures expect: the next capture takes them as inputs.
void note_changed_places(CompiledObject& c) {
  constexpr size_t kMost = 64;
  std::vector<NumberPlace>& known = *c.options.changing_places;
  for (const auto& entry : c.entries)
    for (NumberPlace& p : entry->guards.changed_numbers()) {
      const bool is_known = std::ranges::any_of(known, [&](const NumberPlace& k) { return k.is(p.container.get(), p.key.get()); });
      if (!is_known && known.size() < kMost) known.push_back(std::move(p));
    }
}

// False with an exception set, where this setting of torch._dynamo.config forbids another capture.
bool may_recompile(const char* setting, const std::string& failed) {
  PyObject* home = PyDict_GetItemString(PyImport_GetModuleDict(), "monograph._dynamo.config");
  PyObject* value = home ? PyDict_GetItemString(PyModule_GetDict(home), setting) : nullptr;
  if (!value || PyObject_IsTrue(value) != 1) return !PyErr_Occurred();
  Py_XDECREF(PyObject_CallMethod(home, "_refuse", "ss", setting, failed.c_str()));
  return false;
}

// Says once that the function has all the captures that it may have. False with an exception set, where it may not run plainly: under fullgraph=True.
bool tell_full(CompiledObject& c, const std::string& failed) {
  if (std::exchange(c.told, true) && !c.options.report) return true;
  const compiled::Object home = compiled::Object::taken(PyImport_ImportModule("monograph._dynamo.config"));
  const compiled::Object done = compiled::Object::taken(home ? PyObject_CallMethod(home.get(), "_tell_full", "OnsO", c.function,
                                                                                   static_cast<Py_ssize_t>(c.options.limit), failed.c_str(),
                                                                                   c.options.report ? Py_True : Py_False)
                                                             : nullptr);
  return static_cast<bool>(done);
}

// For torch._dynamo.utils.counters.
void count_break(const CapturedEntry& entry) {
  using compiled::Object;
  const Object home = Object::taken(PyImport_ImportModule("monograph._dynamo._counters"));
  const Object done = Object::taken(home ? PyObject_CallMethod(home.get(), "count_break", "ssO", entry.kind.c_str(), entry.detail.c_str(),
                                                               entry.runs() ? Py_False : Py_True)
                                         : nullptr);
  if (!done) capture::machine::forget_error();
}

// The first call of a function under "eager_then_compile". The second one takes numbers that differ from those of the first for inputs.
bool is_first_call(CompiledObject& c, PyObject* const* args, Py_ssize_t positional, PyObject* names) {
  std::vector<std::pair<std::string, compiled::Object>> numbers;
  PyObject* by_place = c.options.names.get();
  for (Py_ssize_t k = 0; k < positional + (names ? PyTuple_GET_SIZE(names) : 0); ++k) {
    if (!PyLong_CheckExact(args[k]) && !PyFloat_CheckExact(args[k])) continue;
    PyObject* name = k >= positional                  ? PyTuple_GET_ITEM(names, k - positional)
                     : k < PyTuple_GET_SIZE(by_place) ? PyTuple_GET_ITEM(by_place, k)
                                                      : nullptr;
    numbers.emplace_back(name ? std::string(text_of(name)) : concat("arg_", k), compiled::Object(args[k]));
  }
  if (!std::exchange(c.was_called, true)) return c.first_numbers = std::move(numbers), true;
  for (const auto& [name, value] : std::exchange(c.first_numbers, {}))
    for (const auto& [other, now] : numbers)
      if (name == other && !c.options.static_sizes && !compiled::Expected::equal(value.get(), now.get()))
        c.options.changing_numbers->insert(name);
  return false;
}

bool holds_tensors(PyObject* o, int depth) {
  constexpr int kDepth = 8;
  if (is_tensor(o)) return true;
  if (depth > kDepth) return false;
  if (PyTuple_Check(o) || PyList_Check(o)) {
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(o); ++k)
      if (holds_tensors(PySequence_Fast_GET_ITEM(o, k), depth + 1)) return true;
  } else if (PyDict_Check(o)) {
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);)
      if (holds_tensors(value, depth + 1)) return true;
  }
  return false;
}

// Whether a call has a tensor, is one of a module, or names this library. PyTorch captures no others.
bool holds_tensors(const CompiledObject& c, PyObject* const* args, Py_ssize_t positional, PyObject* names) {
  if (!PyFunction_Check(c.function)) return true;
  PyObject *globals = PyFunction_GET_GLOBALS(c.function), *read = compiled::code_of(c.function)->co_names;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(read); ++k) {
    PyObject* found = PyDict_GetItemWithError(globals, PyTuple_GET_ITEM(read, k));
    const char* home = found && PyModule_Check(found) ? PyModule_GetName(found) : nullptr;
    capture::machine::forget_error();
    if (home && std::string_view(home).starts_with("monograph")) return true;
  }
  for (Py_ssize_t k = 0; k < positional + (names ? PyTuple_GET_SIZE(names) : 0); ++k)
    if (holds_tensors(args[k], 0)) return true;
  return false;
}

void raise_recompile(const CompiledObject& c, const std::string& failed) {
  const PyCodeObject* code = compiled::code_of(c.function);
  std::string words = "Detected recompile when torch.compile stance is 'fail_on_recompile'.";
  if (code)
    words += concat(" filename: '", shown_text(code->co_filename), "', function name: '", shown_text(code->co_name),
                    "', line number: ", code->co_firstlineno);
  if (!failed.empty()) words += concat("\n    triggered by the following guard failure(s):\n    - ", failed);
  PyErr_SetString(PyExc_RuntimeError, words.c_str());
}

// No capture holds for the call.
void miss(PyObject* self, PyObject* const* args, size_t count, PyObject* names, const compiled::OutermostCall& outermost,
          CallPiece& piece) {
  CompiledObject& c = object_of(self);
  const auto positional = static_cast<Py_ssize_t>(PyVectorcall_NARGS(count));
  std::string failed;
  if (!c.entries.empty()) {
    CapturedEntry::CallInputs call;
    call.fresh = &piece.fresh;
    const std::shared_ptr<CapturedEntry> first = c.entries.front();
    if (guard([&] { return static_cast<int>(first->matches(args, positional, names, call, &failed)); }) < 0)
      capture::machine::forget_error();
    if (failed.empty()) failed = "a guard on a value of the graph";
    if (!call.changed_number.empty() && !c.options.static_sizes) {
      c.options.changing_numbers->insert(call.changed_number);
      if (call.changed_number.ends_with(']'))  // of a list, or of a dict
        c.options.changing_numbers->insert(concat(call.changed_number.substr(0, call.changed_number.rfind('[')), "[*]"));
    }
    if (!c.options.static_sizes) note_changed_places(c);
    if (!may_recompile("error_on_recompile", failed)) return;
  }
  if (g_stance == Stance::EagerOnRecompile || (g_stance == Stance::EagerThenCompile && is_first_call(c, args, positional, names)))
    return void(piece.result = call_function(c, args, count, names));
  if (g_stance == Stance::FailOnRecompile && holds_tensors(c, args, positional, names)) return raise_recompile(c, failed);
  if (c.entries.size() >= c.options.limit) {
    if (!may_recompile("fail_on_recompile_limit_hit", failed)) return;
    if (!std::exchange(c.full, true)) note(c, "full", failed);
    if (!tell_full(c, failed)) return;
    piece.result = call_function(c, args, count, names);
    return;
  }
  std::unique_ptr<CapturedEntry> entry;
  piece.result = compiled::capture_call(c.function, args, positional, names, c.options, entry, piece.fresh);
  if (!entry) return;
  piece.broken = entry->broken;
  if (entry->kind.empty()) outermost.was_captured();
  note(c, entry->runs() ? "capture" : "break", entry->runs() ? failed : concat(entry->kind, "|", entry->detail, "|", entry->where));
  if (!entry->kind.empty()) count_break(*entry);
  c.entries.insert(c.entries.begin(), std::move(entry));
}

void run_piece(PyObject* self, PyObject* const* args, size_t count, PyObject* names, const compiled::OutermostCall& outermost,
               CallPiece& piece) {
  CompiledObject& c = object_of(self);
  const auto positional = static_cast<Py_ssize_t>(PyVectorcall_NARGS(count));
  piece.broken = nullptr;
  for (size_t k = 0; k < c.entries.size(); ++k) {
    CapturedEntry::CallInputs found;
    found.fresh = &piece.fresh;
    const std::shared_ptr<CapturedEntry> kept = c.entries[k];  // another thread may forget it meanwhile
    CapturedEntry& entry = *kept;
    int holds = guard([&] { return static_cast<int>(entry.matches(args, positional, names, found, nullptr)); });
    if (holds < 0) return;
    if (!holds) continue;
    if (k > 0 && k < c.entries.size()) std::swap(c.entries[0], c.entries[k]);
    if (!entry.runs()) return ++entry.calls, void(piece.result = call_function(c, args, count, names));
    bool missed = false;
    compiled::FreshObjects fresh;
    piece.result = entry.execute(found, missed, fresh);
    if (missed) continue;
    piece.fresh = std::move(fresh);
    piece.broken = entry.broken;
    if (!entry.broken) outermost.ran_as_graph();  // in several pieces it is no graph
    return;
  }
  miss(self, args, count, names, outermost, piece);
}

// The compiled function of the rest of the call behind a break; null with an exception set.
PyObject* rest_at(PyObject* self, const std::shared_ptr<const compiled::Break>& at);

PyObject* call(PyObject* self, PyObject* const* args, size_t count, PyObject* names) {
  CompiledObject& c = object_of(self);
  if (c.disabled || g_stance == Stance::ForceEager || compiled::is_capturing()) return call_function(c, args, count, names);
  const compiled::OutermostCall outermost(c.options.outermost);
  CallPiece piece;
  run_piece(self, args, count, names, outermost, piece);
  while (piece.result && piece.broken) {
    std::shared_ptr<const compiled::Break> at;
    std::vector<compiled::Object> values;
    PyObject* result = nullptr;
    if (!compiled::run_break(*piece.broken, piece.result, at, values, result)) return result;
    const auto rest = compiled::Object::taken(rest_at(self, at));
    if (!rest) return nullptr;
    std::vector<PyObject*> given;
    for (const compiled::Object& value : values) given.push_back(value.get());
    piece.result = nullptr;
    run_piece(rest.get(), given.data(), given.size(), nullptr, compiled::OutermostCall(false), piece);
  }
  return piece.result;
}

PyObject* descriptor_get(PyObject* self, PyObject* object, PyObject*) {
  return !object || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  CompiledObject& c = object_of(self);
  Py_VISIT(c.function);
  Py_VISIT(c.dict);
  Py_VISIT(c.events);
  Py_VISIT(c.options.backend.get());
  Py_VISIT(c.options.report.get());
  for (const auto& e : c.entries)
    if (const int stop = e->traverse(visit, arg)) return stop;
  for (const auto& [at, rest] : c.rests) Py_VISIT(rest.get());
  return 0;
}

int clear(PyObject* self) {
  CompiledObject& c = object_of(self);
  auto entries = std::move(c.entries);
  c.entries.clear();
  auto rests = std::move(c.rests);
  c.rests.clear();
  c.options.backend = {}, c.options.report = {};
  Py_CLEAR(c.function);
  Py_CLEAR(c.dict);
  Py_CLEAR(c.events);
  return 0;
}

void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (object_of(self).weakrefs) PyObject_ClearWeakRefs(self);
  clear(self);
  std::destroy_at(&object_of(self).options);
  std::destroy_at(&object_of(self).entries);
  std::destroy_at(&object_of(self).rests);
  std::destroy_at(&object_of(self).first_numbers);
  Py_TYPE(self)->tp_free(self);
}

// The thing behind the name: as functools.wraps does it, without a copy.
PyObject* get_attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  capture::machine::forget_error();
  if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "_torchdynamo_orig_callable") == 0)
    return Py_NewRef(object_of(self).function);
  return PyObject_GetAttr(object_of(self).function, name);
}

// All captures: of the function, and of what runs behind breaks.
std::vector<std::shared_ptr<CapturedEntry>> all_entries(const CompiledObject& c) {
  std::vector<std::shared_ptr<CapturedEntry>> all = c.entries;
  for (const auto& [at, rest] : c.rests) {
    const auto& more = object_of(rest.get()).entries;
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

nb::object entries_of(nb::handle o) {
  nb::list list;
  for (const auto& e : all_entries(object_of(o.ptr()))) {
    nb::dict d;
    d["guards"] = nb::list();
    for (const std::string& line : e->guards.list()) d["guards"].attr("append")(to_python(std::string_view(line)));
    d["count"] = nb::int_(e->guards.size() + e->tensors.size());
    d["graph"] = e->graph ? nb::borrow(e->graph.get()) : nb::none();
    d["calls"] = nb::int_(e->calls);
    d["kind"] = to_python(std::string_view(e->kind)), d["detail"] = to_python(std::string_view(e->detail)),
    d["where"] = to_python(std::string_view(e->where));
    d["runs"] = nb::bool_(e->runs());
    list.append(d);
  }
  return list;
}

PyObject* new_compiled(PyObject* function, CompileOptions options) {
  PyObject* made = PyType_GenericAlloc(&g_compiled_type, 0);
  if (!made) return nullptr;
  CompiledObject& c = object_of(made);
  new (&c.options) CompileOptions(std::move(options));
  new (&c.entries) std::vector<std::shared_ptr<CapturedEntry>>();
  new (&c.rests) decltype(c.rests)();
  new (&c.first_numbers) decltype(c.first_numbers)();
  c.vectorcall = call;
  c.function = Py_NewRef(function);
  c.events = PyList_New(0);
  if (!c.events) Py_CLEAR(made);
  return made;
}

PyObject* rest_at(PyObject* self, const std::shared_ptr<const compiled::Break>& at) {
  CompiledObject& c = object_of(self);
  for (const auto& [place, rest] : c.rests)
    if (compiled::same_place(*place, *at)) return Py_NewRef(rest.get());
  CompileOptions options = c.options;
  options.outermost = false;
  options.changing_numbers = std::make_shared<std::set<std::string>>();
  const compiled::Object function = compiled::rest_of(at, options.names);
  PyObject* made = function ? new_compiled(function.get(), std::move(options)) : nullptr;
  if (!made) return nullptr;
  Py_XSETREF(object_of(made).events, Py_NewRef(c.events));  // what happens there is told of the function
  c.rests.emplace_back(at, compiled::Object(made));
  return made;
}

// What the captures of a compiled function read, as (kind, owner, key): see GuardSet::each.
nb::object reads_of(nb::handle o) {
  nb::list list;
  for (const auto& e : all_entries(object_of(o.ptr())))
    e->guards.each([&](const char* kind, PyObject* owner, PyObject* key) {
      list.append(nb::make_tuple(kind, nb::handle(owner), key ? nb::borrow(key) : nb::none()));
    });
  return list;
}

PyMemberDef members[] = {{"_function", T_OBJECT, offsetof(CompiledObject, function), READONLY, nullptr},
                         {"_events", T_OBJECT, offsetof(CompiledObject, events), READONLY, nullptr},
                         {"__dictoffset__", T_PYSSIZET, offsetof(CompiledObject, dict), READONLY, nullptr},
                         {"__weaklistoffset__", T_PYSSIZET, offsetof(CompiledObject, weakrefs), READONLY, nullptr},
                         {}};
PyGetSetDef getset[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};

}  // namespace

void init_compile(PyObject* module) {
  PyTypeObject& t = g_compiled_type;
  t.tp_basicsize = sizeof(CompiledObject);
  t.tp_flags |= Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL;
  t.tp_vectorcall_offset = offsetof(CompiledObject, vectorcall);
  t.tp_call = PyVectorcall_Call;
  t.tp_dictoffset = offsetof(CompiledObject, dict);
  t.tp_weaklistoffset = offsetof(CompiledObject, weakrefs);
  t.tp_traverse = traverse, t.tp_clear = clear, t.tp_dealloc = dealloc, t.tp_free = PyObject_GC_Del;
  t.tp_descr_get = descriptor_get, t.tp_getattro = get_attribute;
  t.tp_members = members, t.tp_getset = getset;
  add_type(module, t);
  compiled::init_breaks(module);
  nb::handle m(module);
  // _compiled(function, backend, report, names, flat, static_sizes, limit, outermost)
  m.attr("_compiled") = nb::cpp_function(
      [](nb::handle function, nb::handle backend, nb::handle report, nb::tuple names, bool flat, bool static_sizes, size_t limit,
         bool outermost) {
        CompileOptions options;
        options.backend = compiled::Object(backend.ptr());
        if (!report.is_none()) options.report = compiled::Object(report.ptr());
        options.names = compiled::Object(names.ptr()), options.flat = flat, options.static_sizes = static_sizes;
        options.limit = limit, options.outermost = outermost;
        nb::object made = check(new_compiled(function.ptr(), std::move(options)));
        return made;
      },
      nb::arg("function"), nb::arg("backend"), nb::arg("report").none(), nb::arg("names"), nb::arg("flat"), nb::arg("static_sizes"),
      nb::arg("limit"), nb::arg("outermost") = false);
  m.attr("_compiled_entries") = nb::cpp_function(entries_of);
  // Whether graphs may have this function, which is written in C.
  m.attr("_allow_in_graph") = nb::cpp_function([](nb::handle function, bool allowed) {
#ifdef MONOGRAPH_MACHINE
    auto& disallowed = capture::bytecode::disallowed_in_graph();
    if (allowed ? disallowed.erase(function.ptr()) > 0 : disallowed.insert(function.ptr()).second)
      allowed ? Py_DECREF(function.ptr()) : Py_INCREF(function.ptr());
#endif
  });
  m.attr("_set_tables_of_all") = nb::cpp_function([](nb::tuple dicts) { compiled::set_tables_of_all(dicts.ptr()); });
  m.attr("_compiled_reads") = nb::cpp_function(reads_of);
  m.attr("_compiled_reset") = nb::cpp_function([](nb::handle o) {
    CompiledObject& c = object_of(o.ptr());
    auto entries = std::move(c.entries);
    c.entries.clear();
    auto rests = std::move(c.rests);
    c.rests.clear();
    c.full = c.told = false;
    PyList_SetSlice(c.events, 0, PyList_GET_SIZE(c.events), nullptr);
  });
  m.attr("_compiled_limit") = nb::cpp_function([](nb::handle o, size_t limit) {
    object_of(o.ptr()).options.limit = limit;
    for (const auto& [at, rest] : object_of(o.ptr()).rests) object_of(rest.get()).options.limit = limit;
  });
  m.attr("_is_compiled") = nb::cpp_function([](nb::handle o) { return Py_TYPE(o.ptr()) == &g_compiled_type; });
  m.attr("_set_stance") =
      nb::cpp_function([](int stance) { return static_cast<int>(std::exchange(g_stance, static_cast<Stance>(stance))); });
  m.attr("_is_compiling") = nb::cpp_function([] { return compiled::is_compiling(); });
}

}  // namespace monograph::python
