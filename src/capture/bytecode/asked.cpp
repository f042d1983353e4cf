// Asks again what a captured program has asked C functions, caches, weak references and classes.
#include "capture/bytecode/asked.h"

#include <algorithm>
#include <string_view>

#include "capture/machine/machine.h"

namespace monograph::capture::bytecode {
namespace {

// The class of the exception that is set, which is cleared.
Object class_of_error() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  return Object::taken(type);
}

Object call_method(PyObject* o, const char* name) {
  Object result = Object::taken(PyObject_CallMethod(o, name, nullptr));
  if (!result) machine::forget_error();
  return result;
}

// A function of the module _abc.
PyObject* of_abc(const char* name) {
  PyObject* module = PyImport_ImportModule("_abc");
  PyObject* found = module ? PyObject_GetAttrString(module, name) : nullptr;
  Py_XDECREF(module);
  machine::forget_error();
  return found;
}

// How many classes have been registered in the process.
Object registrations() {
  static PyObject* const ask = of_abc("get_cache_token");
  Object count = Object::taken(ask ? PyObject_CallNoArgs(ask) : nullptr);
  if (!count) machine::forget_error();
  return count;
}

// 1 or 0; -1 where the class cannot say, without an exception.
int is_related(PyObject* abstract, PyObject* type) {
  static PyObject* const ask = of_abc("_abc_subclasscheck");
  const Object answer = Object::taken(ask ? PyObject_CallFunctionObjArgs(ask, abstract, type, nullptr) : nullptr);
  if (!answer) machine::forget_error();
  return answer ? PyObject_IsTrue(answer.get()) : -1;
}

// How long a name with arguments may become.
std::string named(std::string name) {
  constexpr size_t kLongest = 200;
  return name.size() > kLongest ? name.substr(0, kLongest) + "..." : name;
}

// An entry of a cache with a bound, as CPython keeps it. The table holds it; the links to its neighbours are borrowed.
struct CachedEntry {
  PyObject_HEAD CachedEntry *previous, *next;
  Py_hash_t hash;
  PyObject *key, *result;
};

bool same_key(PyObject* a, PyObject* b) { return a == b || Expected::equal(a, b); }

}  // namespace

Object answer_of(PyObject* function, PyObject* const* args, Py_ssize_t count) {
  constexpr Py_ssize_t kTimeOfLastRead = 7;
  Object given = Object::taken(PyObject_Vectorcall(function, args, static_cast<size_t>(count), nullptr));
  if (!given) return class_of_error();
  PyObject* o = given.get();
  if (!PyList_CheckExact(o) && (!PyTuple_Check(o) || PyTuple_CheckExact(o))) return given;
  Object plain = Object::taken(PySequence_Tuple(o));
  if (plain && std::string_view(Py_TYPE(o)->tp_name) == "os.stat_result" && PyTuple_GET_SIZE(plain.get()) > kTimeOfLastRead)
    PyTuple_SetItem(plain.get(), kTimeOfLastRead, Py_NewRef(Py_None));
  if (!plain) machine::forget_error();
  return plain;
}

CacheContents CacheContents::of(PyObject* function) {
  CacheContents found;
  std::vector<PyObject*> parts;
  auto add = [](PyObject* part, void* to) {
    static_cast<std::vector<PyObject*>*>(to)->push_back(part);
    return 0;
  };
  Py_TYPE(function)->tp_traverse(function, add, &parts);
  // Behind the class stand the key, the result and the class of each entry of a bounded cache, and then the table. A key is never a dict.
  size_t k = 1;
  for (; k + 2 < parts.size() && !PyDict_CheckExact(parts[k]); k += 3) found.entries.emplace_back(parts[k], parts[k + 1]);
  if (k >= parts.size() || !PyDict_CheckExact(parts[k])) return {};
  found.table = parts[k], found.bounded = !found.entries.empty();
  if (found.bounded && static_cast<size_t>(PyDict_GET_SIZE(found.table)) != found.entries.size()) return {};
  return found;
}

PyObject* CacheContents::result(PyObject* key) const {
  if (bounded) {
    const auto entry = std::ranges::find_if(entries, [key](const auto& e) { return same_key(e.first, key); });
    return entry == entries.end() ? nullptr : entry->second;
  }
  if (table && Expected::compares_by_value(key)) {
    PyObject* found = PyDict_GetItemWithError(table, key);
    if (!found) machine::forget_error();
    return found;
  }
  PyObject *other = nullptr, *value = nullptr;  // hashing the key may run code of the program
  for (Py_ssize_t at = 0; table && PyDict_Next(table, &at, &other, &value);)
    if (same_key(other, key)) return value;
  return nullptr;
}

std::vector<PyObject*> CacheContents::keys_of(PyObject* result) const {
  std::vector<PyObject*> keys;
  if (bounded) {
    if (entries.back().second == result) keys.push_back(entries.back().first);
  } else if (table) {
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(table, &at, &key, &value);)
      if (value == result) keys.push_back(key);
  }
  return keys;
}

void CacheContents::drop(PyObject* key) const {
  PyObject* held = table ? PyDict_GetItemWithError(table, key) : nullptr;
  if (held && bounded) {
    auto* entry = reinterpret_cast<CachedEntry*>(held);
    entry->previous->next = entry->next, entry->next->previous = entry->previous;
  }
  if (!held || PyDict_DelItem(table, key) != 0) machine::forget_error();
}

// --- Adding.

void AskedReads::add_call(PyObject* function, PyObject* const* args, Py_ssize_t count, PyObject* answer, const std::string& name) {
  const auto is_known = [&](const AskedCall& c) {
    return c.function.get() == function && static_cast<Py_ssize_t>(c.args.size()) == count &&
           std::equal(c.args.begin(), c.args.end(), args, [](const Object& a, PyObject* b) { return same_key(a.get(), b); });
  };
  if (std::ranges::any_of(calls_, is_known)) return;
  AskedCall call{Object(function), {}, Expected(answer), named(name)};
  for (Py_ssize_t k = 0; k < count; ++k) call.args.emplace_back(args[k]);
  calls_.push_back(std::move(call));
}

void AskedReads::add_living(PyObject* reference, const std::string& name) {
  if (std::ranges::none_of(living_, [&](const Living& l) { return l.reference.get() == reference; }))
    living_.push_back({Object(reference), name});
}

void AskedReads::add_related(PyObject* abstract, PyObject* type, const std::string& name) {
  if (std::ranges::any_of(related_, [&](const Related& r) { return r.abstract.get() == abstract && r.type.get() == type; })) return;
  const Object before = registrations();
  const int answer = is_related(abstract, type);
  if (answer < 0) return;
  if (!registrations_) registrations_ = before;
  related_.push_back({Object(abstract), Object(type), answer == 1, name});
}

void AskedReads::add_subclasses(PyObject* type, const std::string& name) {
  if (std::ranges::any_of(subclasses_, [&](const Subclasses& s) { return s.type.get() == type; })) return;
  const Object now = call_method(type, "__subclasses__");
  Subclasses made{Object(type), {}, name};
  for (Py_ssize_t k = 0; now && PyList_Check(now.get()) && k < PyList_GET_SIZE(now.get()); ++k) {
    made.references.push_back(Object::taken(PyWeakref_NewRef(PyList_GET_ITEM(now.get(), k), nullptr)));
    if (!made.references.back()) machine::forget_error();
  }
  subclasses_.push_back(std::move(made));
}

void AskedReads::add_cached(PyObject* function, PyObject* key, PyObject* result, bool may_go, const std::string& name) {
  auto cache = std::ranges::find_if(caches_, [&](const Cache& c) { return c.function.get() == function; });
  if (cache == caches_.end()) {
    caches_.push_back({Object(function), Object(CacheContents::of(function).table), 0, {}, named(name)});
    cache = caches_.end() - 1;
  }
  if (std::ranges::any_of(cache->results, [key](const Cached& c) { return same_key(c.key.get(), key); })) return;
  cache->results.push_back({Object(key), Expected(result), may_go});
  cache->version = 0;
}

// --- Asking.

bool AskedReads::AskedCall::holds(std::string* failed) const {
  std::vector<PyObject*> given;
  for (const Object& a : args) given.push_back(a.get());
  const Object now = answer_of(function.get(), given.data(), static_cast<Py_ssize_t>(given.size()));
  return expected.matches(now.get()) || say(failed, name, expected, now.get());
}

bool AskedReads::Subclasses::holds() const {
  const Object now = call_method(type.get(), "__subclasses__");
  if (!now || !PyList_Check(now.get()) || PyList_GET_SIZE(now.get()) != static_cast<Py_ssize_t>(references.size())) return false;
  for (size_t k = 0; k < references.size(); ++k)
    if (!references[k] || PyWeakref_GetObject(references[k].get()) != PyList_GET_ITEM(now.get(), static_cast<Py_ssize_t>(k))) return false;
  return true;
}

bool AskedReads::Cache::holds(std::string* failed) {
  const uint64_t now = table ? reinterpret_cast<PyDictObject*>(table.get())->ma_version_tag : 0;
  if (now && now == version) return true;
  const CacheContents contents = CacheContents::of(function.get());
  for (const Cached& c : results) {
    PyObject* found = contents.result(c.key.get());
    if (found ? c.result.matches(found) : c.may_go) continue;
    return say(failed, "the cached result of " + name, c.result, found);
  }
  version = now;
  return true;
}

bool AskedReads::check_related(std::string* failed) {
  if (related_.empty()) return true;
  const Object now = registrations();
  if (now && registrations_ && Expected::equal(now.get(), registrations_.get())) return true;
  for (const Related& r : related_)
    if (is_related(r.abstract.get(), r.type.get()) != static_cast<int>(r.answer))
      return say(failed, r.name, r.answer ? Py_True : Py_False, r.answer ? Py_False : Py_True);
  registrations_ = now;
  return true;
}

bool AskedReads::check(std::string* failed) {
  if (!filled_.empty()) {
    if (failed) *failed = "the captured call ran " + filled_ + ", which has a cache, and other calls find the result there";
    return false;
  }
  for (const Living& l : living_)
    if (PyWeakref_GetObject(l.reference.get()) == Py_None) {
      if (failed) *failed = l.name + " was an object that is gone, and is None";
      return false;
    }
  for (Cache& c : caches_)
    if (!c.holds(failed)) return false;
  for (const Subclasses& s : subclasses_)
    if (!s.holds()) {
      if (failed) *failed = s.name + " gives other classes";
      return false;
    }
  if (!check_related(failed)) return false;
  for (const AskedCall& c : calls_)
    if (!c.holds(failed)) return false;
  return true;
}

// --- In words.

size_t AskedReads::size() const {
  size_t count = calls_.size() + living_.size() + related_.size() + subclasses_.size();
  for (const Cache& c : caches_) count += c.results.size();
  return count;
}

void AskedReads::list(std::vector<std::string>& lines) const {
  for (const AskedCall& c : calls_) lines.push_back(c.name + " is " + shown(c.expected.value()));
  for (const Living& l : living_) lines.push_back(l.name + " lives");
  for (const Related& r : related_) lines.push_back(r.name + " is " + (r.answer ? "True" : "False"));
  for (const Subclasses& s : subclasses_) lines.push_back(s.name + " gives the same " + std::to_string(s.references.size()) + " classes");
  for (const Cache& c : caches_)
    for (const Cached& r : c.results) lines.push_back("the cached result of " + c.name + " is " + shown(r.result.value()));
  if (!filled_.empty()) lines.push_back(filled_ + " has no cached result");
}

void AskedReads::list_values(std::vector<std::string>& lines) const {
  for (const AskedCall& c : calls_) {
    PyObject* answer = c.expected.value();
    const bool of_library = c.name.starts_with("torch.");  // a setting of this library is the reader's own
    if (answer && !of_library && (PyBool_Check(answer) || Expected::compares_by_value(answer)))
      lines.push_back(c.name + " is " + shown(answer));
  }
}

int AskedReads::traverse(visitproc visit, void* arg) const {
  for (const AskedCall& c : calls_) {
    Py_VISIT(c.function.get());
    Py_VISIT(c.expected.owned());
    for (const Object& a : c.args) Py_VISIT(a.get());
  }
  for (const Living& l : living_) Py_VISIT(l.reference.get());
  for (const Related& r : related_) {
    Py_VISIT(r.abstract.get());
    Py_VISIT(r.type.get());
  }
  for (const Subclasses& s : subclasses_) {
    Py_VISIT(s.type.get());
    for (const Object& reference : s.references) Py_VISIT(reference.get());
  }
  for (const Cache& c : caches_) {
    Py_VISIT(c.function.get());
    Py_VISIT(c.table.get());
    for (const Cached& r : c.results) {
      Py_VISIT(r.key.get());
      Py_VISIT(r.result.owned());
    }
  }
  return 0;
}

}  // namespace monograph::capture::bytecode
