// Reads that a captured program makes by C functions, caches, weak references and classes: what is asked, and how it is asked again (asked.h). Another C function
// whose reads are not known ends a graph of torch.compile before it is called (effects.cpp).
#include "capture/bytecode/reads.h"

#ifdef MONOGRAPH_MACHINE
#include <algorithm>
#include <array>
#include <utility>

#include "capture/machine/machine.h"

namespace monograph::capture::bytecode {
namespace {

// C functions that only tell a state of the process or of files. Called again with the same arguments, they tell the state of then.
struct Stated {
  std::string_view home, name, shown;
};
constexpr std::array<Stated, 24> kStated = {{
    {"sys", "getrecursionlimit", "sys"},
    {"sys", "exc_info", "sys"},
    {"sys", "getswitchinterval", "sys"},
    {"sys", "get_int_max_str_digits", "sys"},
    {"sys", "getdlopenflags", "sys"},
    {"posix", "getcwd", "os"},
    {"posix", "getcwdb", "os"},
    {"posix", "stat", "os"},
    {"posix", "lstat", "os"},
    {"posix", "access", "os"},
    {"posix", "listdir", "os"},
    {"posix", "readlink", "os"},
    {"posix", "getpid", "os"},
    {"posix", "getppid", "os"},
    {"posix", "getuid", "os"},
    {"posix", "geteuid", "os"},
    {"posix", "getgid", "os"},
    {"posix", "getegid", "os"},
    {"posix", "cpu_count", "os"},
    {"gc", "isenabled", "gc"},
    {"gc", "get_threshold", "gc"},
    {"gc", "get_debug", "gc"},
    {"_thread", "stack_size", "threading"},
    {"_tracemalloc", "is_tracing", "tracemalloc"},
}};
// Methods of the same kind, by the first base class of the object.
constexpr std::array<std::string_view, 7> kStatedMethods = {"_thread.lock.locked",    "_io._IOBase.isatty",   "_io._IOBase.fileno",
                                                            "_io._IOBase.readable",   "_io._IOBase.writable", "_io._IOBase.seekable",
                                                            "_thread.RLock._is_owned"};
// Functions of `logging` that tell a level. What they keep, to tell it faster, is no effect.
constexpr std::array<std::string_view, 3> kOfLogging = {"isEnabledFor", "getEffectiveLevel", "hasHandlers"};

bool is_print(PyObject* function) {
  static PyObject* const print = machine::builtin("print");
  return function == print;
}

std::string in_words(PyObject* const* args, Py_ssize_t count) {
  std::string words;
  for (Py_ssize_t k = 0; k < count; ++k) words += (k ? ", " : "") + shown(args[k]);
  return words;
}

}  // namespace

// Whether it is a C function whose reads are stated; then they are guarded.
bool ReadSet::ask_stated(PyObject* function, const std::string& home, const std::string& name, PyObject* const* args, Py_ssize_t count) {
  const auto row = std::ranges::find_if(kStated, [&](const Stated& s) { return s.home == home && s.name == name; });
  if (row == kStated.end() || has_keywords_) return false;
  if (name == "exc_info" && (!abort_ || Object::taken(PyErr_GetHandledException()))) return false;  // that of the program, or of the caller
  const bool plain = std::all_of(args, args + count, [&](PyObject* o) { return !values_.is_symbolic(o) && !values_.is_proxy(o); });
  if (!plain) return false;
  const machine::Unwatched unwatched;
  const Object answer = answer_of(function, args, count);
  guards.asked.add_call(function, args, count, answer.get(), std::string(row->shown) + "." + name + "(" + in_words(args, count) + ")");
  return true;
}

bool ReadSet::ask_stated_method(PyObject* self, const std::string& full_name, const std::string& name, Py_ssize_t count) {
  if (count || has_keywords_ || std::ranges::find(kStatedMethods, full_name) == kStatedMethods.end()) return false;
  const machine::Unwatched unwatched;
  const Object method = Object::taken(PyObject_GetAttrString(self, name.c_str()));
  if (!method) return machine::forget_error(), false;
  const Object answer = answer_of(method.get(), nullptr, 0);
  guards.asked.add_call(method.get(), nullptr, 0, answer.get(), name_of(self) + "." + name + "()");
  return true;
}

// What the context of decimal numbers says, where the program has such; else nothing.
static Object loaded(const char* module) {
  const Object name = Object::taken(PyUnicode_FromString(module));
  Object found = Object::taken(name ? PyImport_GetModule(name.get()) : nullptr);
  if (!found) machine::forget_error();
  return found;
}
static Object decimal_context() {
  const Object home = loaded("monograph._changes");
  Object found = Object::taken(home ? PyObject_GetAttrString(home.get(), "decimal_context") : nullptr);
  if (!found) machine::forget_error();
  return found;
}
static Object decimals(const Object& asked) { return asked && loaded("decimal") ? answer_of(asked.get(), nullptr, 0) : Object(); }

ReadSet::ReadSet(ObjectKinds& values, PyObject* abort) : values_(values), abort_(abort) {
  const machine::Unwatched unwatched;
  decimals_ = decimals(decimal_context());
}

// C code computes with decimal numbers: as the context says that was set when the run began.
void ReadSet::ask_decimals() {
  if (std::exchange(asked_decimals_, true)) return;
  const machine::Unwatched unwatched;
  const Object context = decimal_context();
  if (!decimals_) decimals_ = decimals(context);
  if (decimals_) guards.asked.add_call(context.get(), nullptr, 0, decimals_.get(), "the context of decimal numbers");
}

// A setting that C++ keeps.
void ReadSet::ask_setting(PyObject* function, const std::string& name) {
  const machine::Unwatched unwatched;
  const Object now = answer_of(function, nullptr, 0);
  guards.asked.add_call(function, nullptr, 0, now.get(), "torch." + name + "()");
}

// In a trace the code of `logging` is not looked at, so what the program asks it is asked again as a whole.
void ReadSet::ask_logging(Registers& r) {
  PyFunctionObject* f = r.frame->f_func;
  const std::string name = utf8(f->func_name);
  const bool gives_logger = name == "getLogger";
  if (!gives_logger && std::ranges::find(kOfLogging, name) == kOfLogging.end()) return;
  PyObject* home = PyDict_Check(r.frame->f_globals) ? PyDict_GetItemString(r.frame->f_globals, "__name__") : nullptr;
  if (!home || utf8(home) != "logging" || !r.frame->previous || reports(r.frame->previous->f_globals)) return;
  PyObject* const* args = r.frame->localsplus;
  const Py_ssize_t count = r.frame->f_code->co_argcount;
  if (std::any_of(args, args + count, [](PyObject* o) { return !o || PyCell_Check(o); })) return;
  const machine::Unwatched unwatched;
  const Object answer = answer_of(reinterpret_cast<PyObject*>(f), args, count);
  if (gives_logger) return add_older(answer.get(), "logging.getLogger(" + in_words(args, count) + ")");
  const Object fields = Object::taken(count ? PyObject_GenericGetDict(args[0], nullptr) : nullptr);
  machine::forget_error();
  PyObject* logger = fields ? PyDict_GetItemString(fields.get(), "name") : nullptr;
  const std::string of = logger ? "logging.getLogger(" + shown(logger) + ")" : "a logger";
  guards.asked.add_call(reinterpret_cast<PyObject*>(f), args, count, answer.get(),
                        of + "." + name + "(" + in_words(args + 1, std::max<Py_ssize_t>(count - 1, 0)) + ")");
}

// Functions that change what later random numbers are, or that draw them from what an object of Python has kept.
void ReadSet::note_random(Registers& r) {
  static constexpr std::string_view kSeeds[] = {"seed", "set_rng_state", "fork_rng"};
  PyFunctionObject* f = r.frame->f_func;
  PyObject* home = PyDict_Check(f->func_globals) ? PyDict_GetItemString(f->func_globals, "__name__") : nullptr;
  if (!home || !PyUnicode_Check(home)) return;
  if (PyUnicode_CompareWithASCIIString(home, "random") == 0) {
    PyObject* self = r.frame->f_code->co_argcount > 0 ? r.frame->localsplus[0] : nullptr;
    if (self && is_older(self) && PyUnicode_CompareWithASCIIString(f->func_name, "gauss") == 0)
      stop("call", "calls random.gauss()", "_random.Random.gauss");
  } else if (PyUnicode_CompareWithASCIIString(home, "monograph.random") == 0) {
    const std::string name = utf8(f->func_name);
    const machine::PythonFrame* caller = r.frame->previous;
    if (caller && is_program(caller->f_globals) && std::ranges::find(kSeeds, name) != std::end(kSeeds))
      stop("seed", "calls " + name + "()");
  }
}

// isinstance(o, classes) and issubclass(o, classes): a class may be registered with an abstract class later.
void ReadSet::note_related(PyObject* type, PyObject* classes, int depth) {
  constexpr int kDepth = 8;
  static PyObject* const of_abstract = PyUnicode_InternFromString("_abc_impl");
  if (depth > kDepth || !PyType_Check(type)) return;
  if (PyTuple_Check(classes)) {
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(classes); ++k) note_related(type, PyTuple_GET_ITEM(classes, k), depth + 1);
    return;
  }
  if (!PyType_Check(classes)) {
    if (std::string_view(Py_TYPE(classes)->tp_name) != "types.UnionType") return;
    const Object parts = Object::taken(PyObject_GetAttrString(classes, "__args__"));
    machine::forget_error();
    if (parts && PyTuple_Check(parts.get())) note_related(type, parts.get(), depth + 1);
    return;
  }
  auto* abstract = reinterpret_cast<PyTypeObject*>(classes);
  if (!_PyType_Lookup(abstract, of_abstract)) return;
  const machine::Unwatched unwatched;
  guards.asked.add_related(classes, type,
                           std::string("issubclass(") + reinterpret_cast<PyTypeObject*>(type)->tp_name + ", " + abstract->tp_name + ")");
}

void ReadSet::note_subclasses(PyObject* type) {
  if (!(reinterpret_cast<PyTypeObject*>(type)->tp_flags & Py_TPFLAGS_HEAPTYPE)) return;
  const machine::Unwatched unwatched;
  guards.asked.add_subclasses(type, std::string(reinterpret_cast<PyTypeObject*>(type)->tp_name) + ".__subclasses__()");
}

// What a class itself has, such as __name__ and __bases__.
void ReadSet::read_class(PyTypeObject* type, PyObject* name) {
  auto* object = reinterpret_cast<PyObject*>(type);
  const std::string text = utf8(name);
  if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || text == "__class__") return;
  PyObject* descriptor = _PyType_Lookup(Py_TYPE(object), name);
  if (!descriptor || (!Py_IS_TYPE(descriptor, &PyGetSetDescr_Type) && !Py_IS_TYPE(descriptor, &PyMemberDescr_Type))) return;
  if (text == "__dict__") return add_older(type->tp_dict, std::string(type->tp_name) + ".__dict__");
  const machine::Unwatched unwatched;
  const Object value = Object::taken(PyObject_GetAttr(object, name));
  if (!value) machine::forget_error();
  guards.add_attribute(object, name, value.get(), std::string(type->tp_name) + "." + text);
  if (value) add_older(value.get(), std::string(type->tp_name) + "." + text);
}

// An attribute that the program has given to a tensor from outside, or has not.
void ReadSet::read_own_attribute(PyObject* tensor, PyObject* name) {
  const Object fields = Object::taken(PyObject_GenericGetDict(tensor, nullptr));
  if (!fields) return machine::forget_error();
  add_older(fields.get(), name_of(tensor) + ".__dict__");
  read_item(fields.get(), name);
}

// --- Inputs of a trace, which are plain tensors while it runs.

void ReadSet::note_type_of_input(PyObject* o, PyObject* classes) {
  if (abort_ || !o || !values_.is_tensor(o) || !values_.is_of_input(o)) return;
  if (classes && PyTuple_Check(classes)) {
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(classes); ++k) note_type_of_input(o, PyTuple_GET_ITEM(classes, k));
    return;
  }
  // The answer is the same for all tensors if the class is that of tensors, or none of tensors.
  if (classes && (!PyType_Check(classes) || classes == values_.type_of_tensors() ||
                  !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(classes), reinterpret_cast<PyTypeObject*>(values_.type_of_tensors()))))
    return;
  note_input("", "asks for the type of an input");
}

void ReadSet::note_input(const std::string& attribute, const std::string& what) {
  if (std::ranges::any_of(asked_of_inputs, [&](const AskedOfInputs& a) { return a.attribute == attribute; })) return;
  const machine::Unwatched unwatched;
  asked_of_inputs.push_back({attribute, what, values_.place()});
}

// --- Standard streams. A print goes to the stream that is set when it runs; any other use of one that the program has read is guarded.

void ReadSet::add_stream(PyObject* fields, PyObject* name, PyObject* stream) {
  add_older(stream, "sys." + utf8(name));
  if (std::ranges::none_of(streams_, [stream](const Stream& s) { return s.stream.get() == stream; }))
    streams_.push_back({Object(fields), Object(name), Object(stream)});
}

void ReadSet::use_stream(PyObject* o) {
  const auto known = std::ranges::find_if(streams_, [o](const Stream& s) { return s.stream.get() == o; });
  if (!o || known == streams_.end()) return;
  const Stream used = std::move(*known);
  streams_.erase(known);
  read_item(used.fields.get(), used.name.get());
}

void ReadSet::note_streams(Registers& r, int opcode, int arg) {
  constexpr int kOperands = 3;  // an instruction takes as many at most, if it does not say how many
  switch (opcode) {
    case LOAD_FAST:
    case STORE_FAST:
    case LOAD_CONST:
    case LOAD_GLOBAL:
    case KW_NAMES:
    case PRECALL:
    case PUSH_NULL:
    case COPY:
    case SWAP:
    case NOP:
    case RESUME:
    case POP_TOP: return;
    case CALL: {
      const int total = arg + (r.peek(arg + 2) ? 1 : 0);
      PyObject* function = r.peek(total + 1);
      if (is_print(function) || PyFunction_Check(function)) return;  // the instructions of a function of Python are seen
      for (int k = total; k > 0; --k) use_stream(r.peek(k));
      return;
    }
    case CALL_FUNCTION_EX: {
      PyObject *args = r.peek(arg & 1 ? 2 : 1), *keywords = arg & 1 ? r.peek(1) : nullptr, *function = r.peek(arg & 1 ? 3 : 2);
      if (is_print(function) || PyFunction_Check(function)) return;
      for (Py_ssize_t k = 0; PyTuple_Check(args) && k < PyTuple_GET_SIZE(args); ++k) use_stream(PyTuple_GET_ITEM(args, k));
      PyObject *key = nullptr, *value = nullptr;
      if (keywords && PyDict_Check(keywords))
        for (Py_ssize_t at = 0; PyDict_Next(keywords, &at, &key, &value);) use_stream(value);
      return;
    }
    default:
      for (int k = 1; k <= kOperands; ++k) use_stream(r.peek(k));
  }
}

// --- Caches of functools.lru_cache.

// Before the call of a function with a cache. A result that the cache has already may be of an earlier time.
void ReadSet::before_cached_call(PyObject* function) {
  const auto known = std::ranges::find_if(caches_, [function](const Cache& c) { return c.function.get() == function; });
  if (known == caches_.end()) {
    PyObject* table = CacheContents::of(function).table;
    caches_.push_back({Object(function), Object::taken(table ? PyDict_Keys(table) : nullptr), {}});
    Cache& cache = caches_.back();
    for (Py_ssize_t k = 0; cache.keys && k < PyList_GET_SIZE(cache.keys.get()); ++k)
      cache.before.insert(PyList_GET_ITEM(cache.keys.get(), k));
  }
  cached_call_ = function;
}

// The cache had this result.
void ReadSet::note_cached_result(PyObject* function, PyObject* result) {
  const machine::Unwatched unwatched;
  const auto cache = std::ranges::find_if(caches_, [function](const Cache& c) { return c.function.get() == function; });
  if (cache != caches_.end())
    for (PyObject* key : CacheContents::of(function).keys_of(result))
      if (cache->before.contains(key)) guards.asked.add_cached(function, key, result, false, name_of(function));
  add_older(result, "a cached result");
}

std::vector<Object> ReadSet::filled_keys(const Cache& cache, const CacheContents& contents) const {
  std::vector<Object> fresh;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; contents.table && PyDict_Next(contents.table, &at, &key, &value);)
    if (!cache.before.contains(key)) fresh.emplace_back(key);
  return fresh;
}

// What the run itself has put into caches. The next call finds it there, and does not run the function: a graph that did is for no other call. A trace has recorded
// what the function computes, which holds where the cache has dropped it too.
void ReadSet::note_filled_caches() {
  const machine::Unwatched unwatched;
  for (const Cache& cache : caches_) {
    PyObject* function = cache.function.get();
    const CacheContents contents = CacheContents::of(function);
    for (const Object& key : filled_keys(cache, contents))
      if (abort_) guards.asked.add_filled(name_of(function));
      else guards.asked.add_cached(function, key.get(), contents.result(key.get()), true, name_of(function));
  }
}

// A run that is given up has filled no cache: the function runs again.
void ReadSet::empty_filled_caches() {
  for (const Cache& cache : caches_) {
    const CacheContents contents = CacheContents::of(cache.function.get());
    for (const Object& key : filled_keys(cache, contents)) contents.drop(key.get());
  }
}

}  // namespace monograph::capture::bytecode
#endif
