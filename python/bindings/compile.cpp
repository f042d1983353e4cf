// monograph._C.Compiled: a function that is captured when it is called, with its cache of captures.
#include "compile.h"

#include <structmember.h>

#include "capture/machine/machine.h"

namespace monograph::python {
namespace {

using compiled::CapturedEntry;
using compiled::CompileOptions;

enum class Stance : uint8_t { Default, ForceEager, EagerOnRecompile, FailOnRecompile };
Stance g_stance = Stance::Default;

struct CompiledObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* function;
  PyObject* dict;
  PyObject* weakrefs;
  PyObject* events;  // a list of tuples: what happened at calls that were captured
  CompileOptions options;
  std::vector<std::shared_ptr<CapturedEntry>> entries;
  bool full = false, disabled = false;
};

PyTypeObject g_compiled_type = make_type("monograph.Compiled", 0);
CompiledObject& object_of(PyObject* o) { return *reinterpret_cast<CompiledObject*>(o); }

PyObject* call_function(CompiledObject& c, PyObject* const* args, size_t count, PyObject* names) {
  return PyObject_Vectorcall(c.function, args, count, names);
}

void note(CompiledObject& c, const char* what, const std::string& text) {
  PyObject* event = Py_BuildValue("(ss)", what, text.c_str());
  if (event) PyList_Append(c.events, event), Py_DECREF(event);
  else PyErr_Clear();
}

// No capture holds for the call.
PyObject* miss(PyObject* self, PyObject* const* args, size_t count, PyObject* names, const compiled::OutermostCall& outermost) {
  CompiledObject& c = object_of(self);
  const auto positional = static_cast<Py_ssize_t>(PyVectorcall_NARGS(count));
  std::string failed;
  if (!c.entries.empty()) {
    CapturedEntry::CallInputs call;
    const std::shared_ptr<CapturedEntry> first = c.entries.front();
    if (guard([&] { return static_cast<int>(first->matches(args, positional, names, call, &failed)); }) < 0) PyErr_Clear();
    if (failed.empty()) failed = "a guard on a value of the graph";
    if (g_stance == Stance::EagerOnRecompile) return call_function(c, args, count, names);
    if (g_stance == Stance::FailOnRecompile) {
      PyErr_Format(PyExc_RuntimeError, "Detected recompile when torch.compile stance is 'fail_on_recompile'. Failed reason: %s",
                   failed.c_str());
      return nullptr;
    }
  }
  if (c.entries.size() >= c.options.limit) {
    if (!c.full) note(c, "full", failed);
    c.full = true;
    return call_function(c, args, count, names);
  }
  std::unique_ptr<CapturedEntry> entry;
  PyObject* result = compiled::capture_call(c.function, args, positional, names, c.options, entry);
  if (!entry) return result;
  if (entry->kind.empty()) outermost.was_captured();
  note(c, entry->kind.empty() ? "capture" : "break",
       entry->kind.empty() ? failed : concat(entry->kind, "|", entry->detail, "|", entry->where));
  c.entries.insert(c.entries.begin(), std::move(entry));
  return result;
}

PyObject* call(PyObject* self, PyObject* const* args, size_t count, PyObject* names) {
  CompiledObject& c = object_of(self);
  if (c.disabled || g_stance == Stance::ForceEager || compiled::is_capturing()) return call_function(c, args, count, names);
  const auto positional = static_cast<Py_ssize_t>(PyVectorcall_NARGS(count));
  const compiled::OutermostCall outermost(c.options.outermost);
  for (size_t k = 0; k < c.entries.size(); ++k) {
    CapturedEntry::CallInputs found;
    const std::shared_ptr<CapturedEntry> kept = c.entries[k];  // another thread may forget it meanwhile
    CapturedEntry& entry = *kept;
    int holds = guard([&] { return static_cast<int>(entry.matches(args, positional, names, found, nullptr)); });
    if (holds < 0) return nullptr;
    if (!holds) continue;
    if (k > 0 && k < c.entries.size()) std::swap(c.entries[0], c.entries[k]);
    if (!entry.kind.empty()) return ++entry.calls, call_function(c, args, count, names);
    bool missed = false;
    PyObject* result = entry.execute(found, missed);
    if (missed) continue;
    outermost.ran_as_graph();
    return result;
  }
  return miss(self, args, count, names, outermost);
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
  return 0;
}

int clear(PyObject* self) {
  CompiledObject& c = object_of(self);
  auto entries = std::move(c.entries);
  c.entries.clear();
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
  Py_TYPE(self)->tp_free(self);
}

// The thing behind the name: as functools.wraps does it, without a copy.
PyObject* get_attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  PyErr_Clear();
  return PyObject_GetAttr(object_of(self).function, name);
}

nb::object entries_of(nb::handle o) {
  nb::list list;
  for (const auto& e : object_of(o.ptr()).entries) {
    nb::dict d;
    d["guards"] = nb::list();
    for (const std::string& line : e->guards.list()) d["guards"].attr("append")(to_python(std::string_view(line)));
    d["count"] = nb::int_(e->guards.size() + e->tensors.size());
    d["graph"] = e->graph ? nb::borrow(e->graph.get()) : nb::none();
    d["calls"] = nb::int_(e->calls);
    d["kind"] = to_python(std::string_view(e->kind)), d["detail"] = to_python(std::string_view(e->detail)),
    d["where"] = to_python(std::string_view(e->where));
    list.append(d);
  }
  return list;
}

// What the captures of a compiled function read, as (kind, owner, key): see GuardSet::each.
nb::object reads_of(nb::handle o) {
  nb::list list;
  for (const auto& e : object_of(o.ptr()).entries)
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
  nb::handle m(module);
  // _compiled(function, backend, report, names, flat, static_sizes, limit, outermost)
  m.attr("_compiled") = nb::cpp_function(
      [](nb::handle function, nb::handle backend, nb::handle report, nb::tuple names, bool flat, bool static_sizes, size_t limit,
         bool outermost) {
        nb::object made = check(PyType_GenericAlloc(&g_compiled_type, 0));
        CompiledObject& c = object_of(made.ptr());
        new (&c.options) CompileOptions();
        new (&c.entries) std::vector<std::shared_ptr<CapturedEntry>>();
        c.vectorcall = call;
        c.function = function.inc_ref().ptr();
        c.events = check(PyList_New(0)).release().ptr();
        c.options.backend = compiled::Object(backend.ptr());
        if (!report.is_none()) c.options.report = compiled::Object(report.ptr());
        c.options.names = compiled::Object(names.ptr()), c.options.flat = flat, c.options.static_sizes = static_sizes,
        c.options.limit = limit, c.options.outermost = outermost;
        return made;
      },
      nb::arg("function"), nb::arg("backend"), nb::arg("report").none(), nb::arg("names"), nb::arg("flat"), nb::arg("static_sizes"),
      nb::arg("limit"), nb::arg("outermost") = false);
  m.attr("_compiled_entries") = nb::cpp_function(entries_of);
  m.attr("_set_tables_of_all") = nb::cpp_function([](nb::tuple dicts) { compiled::set_tables_of_all(dicts.ptr()); });
  m.attr("_compiled_reads") = nb::cpp_function(reads_of);
  m.attr("_compiled_reset") = nb::cpp_function([](nb::handle o) {
    CompiledObject& c = object_of(o.ptr());
    auto entries = std::move(c.entries);
    c.entries.clear();
    c.full = false;
    PyList_SetSlice(c.events, 0, PyList_GET_SIZE(c.events), nullptr);
  });
  m.attr("_compiled_limit") = nb::cpp_function([](nb::handle o, size_t limit) { object_of(o.ptr()).options.limit = limit; });
  m.attr("_is_compiled") = nb::cpp_function([](nb::handle o) { return Py_TYPE(o.ptr()) == &g_compiled_type; });
  m.attr("_set_stance") =
      nb::cpp_function([](int stance) { return static_cast<int>(std::exchange(g_stance, static_cast<Stance>(stance))); });
  m.attr("_is_compiling") = nb::cpp_function([] { return compiled::is_compiling(); });
}

}  // namespace monograph::python
