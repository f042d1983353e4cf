// Adds guards, checks each kind of guard, and writes the message of a failed one.
#include "capture/bytecode/guards.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>

#include "capture/machine/cpython.h"
#include "capture/machine/machine.h"

namespace monograph::capture::bytecode {

std::string utf8(PyObject* text) {
  const char* bytes = text && PyUnicode_Check(text) ? PyUnicode_AsUTF8(text) : nullptr;
  if (!bytes) machine::forget_error();
  return bytes ? bytes : "?";
}

bool say(std::string* failed, const std::string& name, PyObject* was, PyObject* now) {
  if (failed) *failed = name + " was " + shown(was) + " and is " + shown(now);
  return false;
}
bool say(std::string* failed, const std::string& name, const Expected& was, PyObject* now) {
  if (!was.is_gone()) return say(failed, name, was.value(), now);
  if (failed) *failed = name + " was an object that is gone, and is " + shown(now);
  return false;
}

namespace {

uint64_t version_of(PyObject* dict) { return reinterpret_cast<PyDictObject*>(dict)->ma_version_tag; }

// The value of a key, borrowed; null if there is none, or if comparing the key raises.
PyObject* value_of(PyObject* dict, PyObject* key) {
  PyObject* value = PyDict_GetItemWithError(dict, key);
  if (!value) machine::forget_error();
  return value;
}

bool has_valid_version(PyTypeObject* type) { return (type->tp_flags & Py_TPFLAGS_VALID_VERSION_TAG) != 0; }

}  // namespace

PyObject* Expected::without_stand_in(PyObject* value) {
  if (!value || !PyFunction_Check(value)) return value;
  PyObject* fields = reinterpret_cast<PyFunctionObject*>(value)->func_dict;
  PyObject* original = fields && PyDict_GET_SIZE(fields) ? PyDict_GetItemString(fields, "_stands_for") : nullptr;
  return original ? original : value;
}

Expected::Expected(PyObject* given) : value_(without_stand_in(given)), by_value_(compares_by_value(value_.get())) {
  PyObject* value = value_.get();
  // Only instances of Python classes and functions are referred to weakly. A class is kept alive, since messages show its name.
  if (!value || by_value_ || PyType_Check(value) || !PyType_SUPPORTS_WEAKREFS(Py_TYPE(value))) return;
  if (!PyFunction_Check(value) && !machine::is_python_class(Py_TYPE(value))) return;
  PyObject* reference = PyWeakref_NewRef(value, nullptr);
  if (!reference) {
    machine::forget_error();
    return;
  }
  value_ = Object::taken(reference), weak_ = true;
}

namespace {

// A scalar of NumPy, such as numpy.float64(2): it cannot change, and its bytes can be compared.
bool is_numpy_number(PyObject* v) {
  std::string_view name = Py_TYPE(v)->tp_name;
  if (!name.starts_with("numpy.")) return false;
  name.remove_prefix(std::string_view("numpy.").size());
  for (const std::string_view kind : {"float", "int", "uint", "bool"})
    if (name.starts_with(kind)) return true;
  return false;
}
bool same_bytes(PyObject* a, PyObject* b) {
  Py_buffer x, y;
  if (PyObject_GetBuffer(a, &x, PyBUF_SIMPLE) < 0) return machine::forget_error(), false;
  const bool known = PyObject_GetBuffer(b, &y, PyBUF_SIMPLE) == 0;
  const bool same = known && x.len == y.len && std::memcmp(x.buf, y.buf, static_cast<size_t>(x.len)) == 0;
  if (known) PyBuffer_Release(&y);
  else machine::forget_error();
  PyBuffer_Release(&x);
  return same;
}

// Whether the value is a number, a string, or a tuple of such. `parts`: how many values may still be looked at. Tuples with more values, or nested deeper,
// are compared by identity.
bool is_of_values(PyObject* v, int& parts, int depth) {
  constexpr int kDepth = 100;
  if (!v || --parts < 0 || depth > kDepth) return false;
  if (PyLong_CheckExact(v) || PyFloat_CheckExact(v) || PyUnicode_CheckExact(v) || PyBytes_CheckExact(v) || PyComplex_CheckExact(v) ||
      is_numpy_number(v))
    return true;
  if (!PyTuple_CheckExact(v)) return false;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(v); ++k) {
    PyObject* part = PyTuple_GET_ITEM(v, k);
    if (part != Py_None && !PyBool_Check(part) && !is_of_values(part, parts, depth + 1)) return false;
  }
  return true;
}

}  // namespace

bool Expected::compares_by_value(PyObject* v) {
  int parts = 10'000;
  return is_of_values(v, parts, 0);
}

bool Expected::equal(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyFloat_CheckExact(a)) {
    const double x = PyFloat_AS_DOUBLE(a), y = PyFloat_AS_DOUBLE(b);
    return std::memcmp(&x, &y, sizeof(x)) == 0;
  }
  if (PyTuple_CheckExact(a)) {
    if (PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b)) return false;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(a); ++k)
      if (!equal(PyTuple_GET_ITEM(a, k), PyTuple_GET_ITEM(b, k))) return false;
    return true;
  }
  if (PyComplex_CheckExact(a)) {
    const Py_complex x = PyComplex_AsCComplex(a), y = PyComplex_AsCComplex(b);
    return std::memcmp(&x, &y, sizeof(x)) == 0;
  }
  if (is_numpy_number(a)) return same_bytes(a, b);
  if (!PyLong_CheckExact(a) && !PyUnicode_CheckExact(a) && !PyBytes_CheckExact(a)) return false;
  const int same = PyObject_RichCompareBool(a, b, Py_EQ);
  if (same < 0) machine::forget_error();
  return same == 1;
}

std::string shown(PyObject* v) {
  if (!v) return "missing";
  if (v == Py_None) return "None";
  constexpr size_t kLongest = 60;
  if (Expected::compares_by_value(v) || PyBool_Check(v)) {
    PyObject* begin = PyUnicode_CheckExact(v) && PyUnicode_GET_LENGTH(v) > 1000 ? PyUnicode_Substring(v, 0, 1000) : Py_NewRef(v);
    PyObject* text = begin ? PyObject_Repr(begin) : nullptr;
    std::string out = text ? utf8(text) : "?";
    machine::forget_error();
    Py_XDECREF(text);
    Py_XDECREF(begin);
    return out.size() > kLongest ? out.substr(0, kLongest) + "..." : out;
  }
  if (PyFunction_Check(v)) return "the function " + utf8(reinterpret_cast<PyFunctionObject*>(v)->func_qualname);
  if (PyType_Check(v)) return std::string("the class ") + reinterpret_cast<PyTypeObject*>(v)->tp_name;
  return std::string("another ") + Py_TYPE(v)->tp_name;
}

std::string item_name(const std::string& dict, PyObject* key) {
  if (PyUnicode_Check(key))
    for (const std::string_view table : {".__dict__", "._parameters", "._buffers", "._modules"})
      if (dict.ends_with(table)) return dict.substr(0, dict.size() - table.size()) + "." + utf8(key);
  return dict + "[" + (Expected::compares_by_value(key) ? shown(key) : "...") + "]";
}

// --- Adding guards.

GuardSet::DictGuard& GuardSet::dict_guard(PyObject* dict, const std::string& name) {
  auto [at, fresh] = dict_at_.try_emplace(dict, dicts_.size());
  if (fresh) {
    dicts_.emplace_back();
    dicts_.back().dict = Object(dict);
    dicts_.back().name = name;
  }
  return dicts_[at->second];
}

void GuardSet::add_item(PyObject* dict, PyObject* key, PyObject* value, const std::string& name) {
  DictGuard& guard = dict_guard(dict, name);
  if (guard.whole) return;
  const auto is_key = [&](const Item& item) { return item.key.get() == key || Expected::equal(item.key.get(), key); };
  const auto [at, fresh] = guard.place.try_emplace(PyObject_Hash(key), guard.items.size());
  if (!fresh && at->second < guard.items.size() && is_key(guard.items[at->second])) return;
  if (!fresh && std::ranges::any_of(guard.items, is_key)) return;
  at->second = guard.items.size();
  guard.items.push_back({Object(key), Expected(value)});
}

void GuardSet::add_dict(PyObject* dict, PyObject* held, const std::string& name) {
  DictGuard& guard = dict_guard(dict, name);
  if (guard.whole) return;
  guard.whole = true;
  guard.items.clear();
  PyObject *key = nullptr, *value = nullptr;
  if (PyODict_Check(held)) {
    const Object keys = Object::taken(PySequence_List(held));
    for (Py_ssize_t k = 0; keys && k < PyList_GET_SIZE(keys.get()); ++k)
      guard.items.push_back({Object(PyList_GET_ITEM(keys.get(), k)), Expected(value_of(held, PyList_GET_ITEM(keys.get(), k)))});
    machine::forget_error();
    return;
  }
  for (Py_ssize_t at = 0; PyDict_Next(held, &at, &key, &value);) guard.items.push_back({Object(key), Expected(value)});
}

GuardSet::SequenceGuard& GuardSet::sequence_guard(PyObject* o, const std::string& name) {
  auto [at, fresh] = sequence_at_.try_emplace(o, sequences_.size());
  if (fresh) {
    sequences_.emplace_back();
    sequences_.back().object = Object(o);
    sequences_.back().name = name;
  }
  return sequences_[at->second];
}

void GuardSet::add_list(PyObject* list, PyObject* held, const std::string& name) {
  SequenceGuard& guard = sequence_guard(list, name);
  if (guard.whole) return;
  guard.whole = true;
  guard.length = PyList_GET_SIZE(held);
  for (Py_ssize_t k = 0; k < guard.length; ++k) guard.items.emplace_back(PyList_GET_ITEM(held, k));
}

void GuardSet::add_length(PyObject* list, Py_ssize_t length, const std::string& name) { sequence_guard(list, name).length = length; }

void GuardSet::add_set(PyObject* set, PyObject* held, const std::string& name) {
  SequenceGuard& guard = sequence_guard(set, name);
  if (guard.whole) return;
  guard.whole = true;
  guard.length = PySet_GET_SIZE(held);
  const Object iterator = Object::taken(PyObject_GetIter(held));
  while (iterator) {
    const Object item = Object::taken(PyIter_Next(iterator.get()));
    if (!item) break;
    guard.items.emplace_back(item.get());
  }
  machine::forget_error();
}

void GuardSet::add_cell(PyObject* cell, PyObject* value, const std::string& name) {
  if (cell_at_.try_emplace(cell, cells_.size()).second) cells_.push_back({Object(cell), Expected(value), name});
}

void GuardSet::add_type_attribute(PyTypeObject* type, PyObject* name) {
  if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) return;  // no program changes those of C
  auto* object = reinterpret_cast<PyObject*>(type);
  auto [at, fresh] = type_at_.try_emplace(object, types_.size());
  if (fresh) types_.emplace_back().type = Object(object);
  TypeGuard& guard = types_[at->second];
  for (const Item& item : guard.items)
    if (item.key.get() == name) return;
  guard.items.push_back({Object(name), Expected(_PyType_Lookup(type, name))});
}

void GuardSet::add_type_of(PyObject* object, const std::string& name) {
  if (!(Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE)) return;  // only classes of Python can be assigned to __class__
  if (class_at_.try_emplace(object, classes_.size()).second)
    classes_.push_back({Expected(object), Object(reinterpret_cast<PyObject*>(Py_TYPE(object))), name, {}});
}

void GuardSet::add_dict_of(PyObject* object, PyObject* fields, const std::string& name) {
  add_type_of(object, name);
  if (const auto at = class_at_.find(object); at != class_at_.end() && !classes_[at->second].fields)
    classes_[at->second].fields = Object(fields);
}

void GuardSet::add_function(PyFunctionObject* f, const std::string& name) {
  auto* object = reinterpret_cast<PyObject*>(f);
  if (!function_at_.try_emplace(object, functions_.size()).second) return;
  functions_.push_back(
      {Object::taken(PyWeakref_NewRef(object, nullptr)), Object(f->func_code), Object(f->func_defaults), Object(f->func_kwdefaults), name});
  if (f->func_kwdefaults) add_dict(f->func_kwdefaults, f->func_kwdefaults, name + ".__kwdefaults__");
}

bool GuardSet::add_attribute(PyObject* object, PyObject* attribute, PyObject* value, const std::string& name) {
  for (const AttributeGuard& g : attributes_)
    if (g.object.get() == object && g.attribute.get() == attribute) return true;
  attributes_.push_back({Object(object), Object(attribute), Expected(value), name});
  return true;
}

namespace {
// What an object that shows its bytes holds: the bytes, or a hash of more than 1 MiB. Nothing for another object.
struct Shown {
  std::string bytes;
  Py_ssize_t count = 0;
};
constexpr Py_ssize_t kMostBytes = 1 << 20;

std::optional<Shown> bytes_of(PyObject* o) {
  Py_buffer view;
  if (!PyObject_CheckBuffer(o)) return {};
  if (PyObject_GetBuffer(o, &view, PyBUF_FULL_RO) < 0) return machine::forget_error(), std::nullopt;
  std::optional<Shown> out;
  // Of an array of objects, the bytes are addresses, and say nothing about what the objects hold.
  if (!view.format || std::strchr(view.format, 'O') == nullptr) {
    out.emplace();
    out->count = view.len;
    const bool contiguous = PyBuffer_IsContiguous(&view, 'C') != 0;
    if (!contiguous || view.len <= kMostBytes) {
      out->bytes.resize(static_cast<size_t>(view.len));
      if (PyBuffer_ToContiguous(out->bytes.data(), &view, view.len, 'C') < 0) machine::forget_error(), out.reset();
    }
    if (out && view.len > kMostBytes) {
      const std::string_view all =
          contiguous ? std::string_view(static_cast<const char*>(view.buf), static_cast<size_t>(view.len)) : out->bytes;
      out->bytes = std::to_string(std::hash<std::string_view>()(all));
    }
  }
  PyBuffer_Release(&view);
  return out;
}
}  // namespace

bool GuardSet::add_bytes(PyObject* object, const std::string& name, bool of_any_size) {
  for (const BytesGuard& g : bytes_)
    if (g.object.get() == object) return true;
  std::optional<Shown> now = bytes_of(object);
  if (!now || (now->count > kMostBytes && !of_any_size)) return false;
  bytes_.push_back({Object(object), std::move(now->bytes), now->count, name});
  return true;
}

// --- The check.

bool GuardSet::DictGuard::same_order() const {
  const Object iterator = Object::taken(PyObject_GetIter(dict.get()));
  for (const Item& item : items) {
    const Object key = Object::taken(iterator ? PyIter_Next(iterator.get()) : nullptr);
    if (!key || !Expected::equal(key.get(), item.key.get())) return machine::forget_error(), false;
  }
  return true;
}

bool GuardSet::DictGuard::holds(std::string* failed) {
  const uint64_t now = version_of(dict.get());
  if (whole && items.size() > 1 && PyODict_Check(dict.get()) && !same_order()) {
    if (failed) *failed = "the order of " + name + " has changed";
    return false;
  }
  if (now == version) return true;
  if (whole) {
    if (PyDict_GET_SIZE(dict.get()) != static_cast<Py_ssize_t>(items.size())) {
      if (failed)
        *failed = name + " had " + std::to_string(items.size()) + " entries and has " + std::to_string(PyDict_GET_SIZE(dict.get()));
      return false;
    }
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t at = 0;
    const bool ordered = PyODict_Check(dict.get());
    for (const Item& item : items) {
      if (!ordered) PyDict_Next(dict.get(), &at, &key, &value);
      else key = item.key.get(), value = value_of(dict.get(), key);
      if (key != item.key.get() && !Expected::equal(key, item.key.get())) return say(failed, "a key of " + name, item.key.get(), key);
      if (!item.expected.matches(value)) return say(failed, item_name(name, key), item.expected, value);
    }
  } else {
    for (const Item& item : items) {
      PyObject* value = value_of(dict.get(), item.key.get());
      if (!item.expected.matches(value)) return say(failed, item_name(name, item.key.get()), item.expected, value);
    }
  }
  version = version_of(dict.get());
  return true;
}

bool GuardSet::SequenceGuard::holds(std::string* failed) const {
  PyObject* o = object.get();
  if (Py_SIZE(o) != length && PyList_Check(o)) {
    if (failed) *failed = "len(" + name + ") was " + std::to_string(length) + " and is " + std::to_string(Py_SIZE(o));
    return false;
  }
  if (PyList_Check(o)) {
    for (size_t k = 0; k < items.size(); ++k) {
      PyObject* now = PyList_GET_ITEM(o, static_cast<Py_ssize_t>(k));
      if (!items[k].matches(now)) return say(failed, name + "[" + std::to_string(k) + "]", items[k], now);
    }
    return true;
  }
  if (PySet_GET_SIZE(o) != length) {
    if (failed) *failed = "len(" + name + ") was " + std::to_string(length) + " and is " + std::to_string(PySet_GET_SIZE(o));
    return false;
  }
  for (const Expected& item : items) {
    const int found = item.is_gone() ? 0 : PySet_Contains(o, item.value());
    if (found < 0) machine::forget_error();
    if (found != 1) return say(failed, "an element of " + name, item, nullptr);
  }
  return true;
}

bool GuardSet::TypeGuard::holds(std::string* failed) {
  auto* t = reinterpret_cast<PyTypeObject*>(type.get());
  if (version != 0 && has_valid_version(t) && t->tp_version_tag == version) return true;
  for (const Item& item : items) {
    PyObject* now = _PyType_Lookup(t, item.key.get());
    if (!item.expected.matches(now)) return say(failed, std::string(t->tp_name) + "." + utf8(item.key.get()), item.expected, now);
  }
  version = has_valid_version(t) ? t->tp_version_tag : 0;
  return true;
}

bool GuardSet::check(std::string* failed) {
  for (const ClassGuard& g : classes_) {
    PyObject* object = g.object.value();
    if (object != Py_None && reinterpret_cast<PyObject*>(Py_TYPE(object)) != g.type.get())
      return say(failed, "the class of " + g.name, g.type.get(), reinterpret_cast<PyObject*>(Py_TYPE(object)));
    PyObject** fields = g.fields && object != Py_None ? _PyObject_GetDictPtr(object) : nullptr;
    if (fields && *fields != g.fields.get()) {
      if (failed) *failed = g.name + ".__dict__ is another dict";
      return false;
    }
  }
  for (DictGuard& g : dicts_)
    if (!g.holds(failed)) return false;
  for (TypeGuard& g : types_)
    if (!g.holds(failed)) return false;
  for (const CellGuard& g : cells_)
    if (PyObject* now = PyCell_GET(g.cell.get()); !g.expected.matches(now)) return say(failed, g.name, g.expected, now);
  for (const FunctionGuard& g : functions_) {
    PyObject* function = PyWeakref_GetObject(g.function.get());
    if (function == Py_None) continue;
    const auto* f = reinterpret_cast<PyFunctionObject*>(function);
    if (f->func_code != g.code.get()) return say(failed, g.name + ".__code__", g.code.get(), f->func_code);
    if (f->func_defaults != g.defaults.get()) return say(failed, g.name + ".__defaults__", g.defaults.get(), f->func_defaults);
    if (f->func_kwdefaults != g.keyword_defaults.get())
      return say(failed, g.name + ".__kwdefaults__", g.keyword_defaults.get(), f->func_kwdefaults);
  }
  for (const SequenceGuard& g : sequences_)
    if (!g.holds(failed)) return false;
  for (const AttributeGuard& g : attributes_) {
    const Object now = Object::taken(PyObject_GetAttr(g.object.get(), g.attribute.get()));
    if (!now) machine::forget_error();
    if (!g.expected.matches(now.get())) return say(failed, g.name, g.expected, now.get());
  }
  for (const BytesGuard& g : bytes_)
    if (const std::optional<Shown> now = bytes_of(g.object.get()); !now || now->count != g.count || now->bytes != g.bytes) {
      if (failed) *failed = "what " + g.name + " holds has changed";
      return false;
    }
  return asked.check(failed);
}

size_t GuardSet::size() const {
  size_t count =
      cells_.size() + classes_.size() + functions_.size() + sequences_.size() + attributes_.size() + bytes_.size() + asked.size();
  for (const DictGuard& g : dicts_) count += g.whole ? 1 : g.items.size();
  for (const TypeGuard& g : types_) count += g.items.size();
  return count;
}

std::vector<std::string> GuardSet::list() const {
  std::vector<std::string> lines;
  for (const DictGuard& g : dicts_) {
    if (g.whole) lines.push_back(g.name + " has the same " + std::to_string(g.items.size()) + " entries");
    else
      for (const Item& item : g.items) lines.push_back(item_name(g.name, item.key.get()) + " is " + shown(item.expected.value()));
  }
  for (const TypeGuard& g : types_)
    for (const Item& item : g.items)
      lines.push_back(std::string(reinterpret_cast<PyTypeObject*>(g.type.get())->tp_name) + "." + utf8(item.key.get()) + " is " +
                      shown(item.expected.value()));
  for (const CellGuard& g : cells_) lines.push_back(g.name + " is " + shown(g.expected.value()));
  for (const ClassGuard& g : classes_) lines.push_back("the class of " + g.name + " is " + shown(g.type.get()));
  for (const FunctionGuard& g : functions_) lines.push_back(g.name + " has the same code and defaults");
  for (const SequenceGuard& g : sequences_)
    lines.push_back(
        g.name + (g.whole ? " has the same " + std::to_string(g.length) + " elements" : " has " + std::to_string(g.length) + " elements"));
  for (const AttributeGuard& g : attributes_) lines.push_back(g.name + " is " + shown(g.expected.value()));
  for (const BytesGuard& g : bytes_) lines.push_back(g.name + " holds the same " + std::to_string(g.count) + " bytes");
  asked.list(lines);
  return lines;
}

namespace {
// Whether a class is Monograph's own. Its attributes, such as the numbers of dims that a layer takes, are no choice of the program.
bool is_of_library(PyObject* type) {
  PyObject* module = PyDict_GetItemString(reinterpret_cast<PyTypeObject*>(type)->tp_dict, "__module__");
  return module && PyUnicode_Check(module) && utf8(module).starts_with("monograph.");
}
}  // namespace

std::vector<std::string> GuardSet::values() const {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& name, const Expected& e) {
    PyObject* value = e.value();
    if (value && (PyBool_Check(value) || Expected::compares_by_value(value))) lines.push_back(name + " is " + shown(value));
  };
  for (const DictGuard& g : dicts_)
    for (const Item& item : g.items) add(item_name(g.name, item.key.get()), item.expected);
  for (const TypeGuard& g : types_) {
    if (is_of_library(g.type.get())) continue;
    for (const Item& item : g.items)
      add(std::string(reinterpret_cast<PyTypeObject*>(g.type.get())->tp_name) + "." + utf8(item.key.get()), item.expected);
  }
  for (const CellGuard& g : cells_) add(g.name, g.expected);
  for (const SequenceGuard& g : sequences_)
    for (size_t k = 0; k < g.items.size(); ++k) add(g.name + "[" + std::to_string(k) + "]", g.items[k]);
  for (const AttributeGuard& g : attributes_) add(g.name, g.expected);
  asked.list_values(lines);
  std::ranges::sort(lines);
  lines.erase(std::ranges::unique(lines).begin(), lines.end());
  return lines;
}

void GuardSet::each(const std::function<void(const char* kind, PyObject* owner, PyObject* key)>& f) const {
  for (const DictGuard& g : dicts_) {
    for (const Item& item : g.items) f("entry", g.dict.get(), item.key.get());
    if (g.whole) f("dict", g.dict.get(), nullptr);
  }
  for (const TypeGuard& g : types_)
    for (const Item& item : g.items) f("type", g.type.get(), item.key.get());
  for (const SequenceGuard& g : sequences_) f(PyList_Check(g.object.get()) ? "list" : "set", g.object.get(), nullptr);
  for (const CellGuard& g : cells_) f("cell", g.cell.get(), nullptr);
  for (const FunctionGuard& g : functions_) f("function", PyWeakref_GetObject(g.function.get()), nullptr);
  for (const AttributeGuard& g : attributes_) f("attribute", g.object.get(), g.attribute.get());
}

bool GuardSet::Mode::now() const { return PyDict_GetItemString(fields.get(), "training") == Py_True; }

static bool is_number(PyObject* o) { return o && (PyLong_CheckExact(o) || PyFloat_CheckExact(o)); }

PyObject* NumberPlace::now() const {
  PyObject* value = key ? value_of(container.get(), key.get()) : PyCell_GET(container.get());
  int overflow = 0;
  if (value && PyLong_CheckExact(value)) PyLong_AsLongLongAndOverflow(value, &overflow);
  return is_number(value) && !overflow ? value : nullptr;
}

std::string GuardSet::missing(PyObject* dict, PyObject* key) const {
  for (const DictGuard& g : dicts_) {
    if (g.dict.get() != dict) continue;
    const auto item = std::ranges::find_if(g.items, [key](const Item& i) { return Expected::equal(i.key.get(), key); });
    if (item == g.items.end() ? g.whole : !item->expected.is_gone() && !item->expected.value()) return item_name(g.name, key);
  }
  return {};
}

bool GuardSet::reads_item(PyObject* dict, PyObject* key) const {
  return std::ranges::any_of(dicts_, [&](const DictGuard& g) {
    return g.dict.get() == dict && std::ranges::any_of(g.items, [&](const Item& i) { return Expected::equal(i.key.get(), key); });
  });
}

void GuardSet::each_changed(const std::function<void(const std::string&, PyObject*)>& f) const {
  for (const DictGuard& g : dicts_) {
    for (const Item& item : g.items)
      if (PyObject* now = value_of(g.dict.get(), item.key.get()); !item.expected.matches(now)) f(item_name(g.name, item.key.get()), now);
    if (g.whole && PyDict_GET_SIZE(g.dict.get()) != static_cast<Py_ssize_t>(g.items.size())) f(g.name, g.dict.get());
  }
  for (const SequenceGuard& g : sequences_)
    if (!g.holds(nullptr)) f(g.name, g.object.get());
  for (const CellGuard& g : cells_)
    if (PyObject* now = PyCell_GET(g.cell.get()); !g.expected.matches(now)) f(g.name, now);
}

std::vector<NumberPlace> GuardSet::changed_numbers() const {
  std::vector<NumberPlace> changed;
  const auto add = [&](NumberPlace place, const Expected& expected) {
    if (is_number(expected.value()) && place.now() && !expected.matches(place.now())) changed.push_back(std::move(place));
  };
  for (const DictGuard& g : dicts_)
    for (const Item& item : g.items)
      if (!g.whole && PyDict_CheckExact(g.dict.get())) add({g.dict, item.key, item_name(g.name, item.key.get())}, item.expected);
  for (const CellGuard& g : cells_) add({g.cell, {}, g.name}, g.expected);
  return changed;
}

std::vector<GuardSet::Mode> GuardSet::take_modes() {
  std::vector<Mode> modes;
  for (DictGuard& g : dicts_) {
    if (!g.name.ends_with(".__dict__")) continue;
    const auto at = std::ranges::find_if(g.items, [](const Item& item) {
      return PyUnicode_Check(item.key.get()) && PyUnicode_CompareWithASCIIString(item.key.get(), "training") == 0 &&
             item.expected.value() && PyBool_Check(item.expected.value());
    });
    if (at == g.items.end()) continue;
    modes.push_back({g.dict, at->expected.value() == Py_True, item_name(g.name, at->key.get())});
    g.items.erase(at);
  }
  return modes;
}

void GuardSet::follow(const std::unordered_map<PyObject*, PyObject*>& copies) {
  const auto copy_of = [&](PyObject* o) {
    const auto found = copies.find(o);
    return found == copies.end() ? nullptr : found->second;
  };
  std::vector<DictGuard> both;
  for (DictGuard& g : dicts_) {
    PyObject* copy = copy_of(g.dict.get());
    if (!copy) continue;
    DictGuard of_copy = g;
    of_copy.dict = Object(copy), of_copy.version = 0;
    bool table = true;  // a table of a module, which only the copy is guarded for
    for (Item& item : of_copy.items) {
      PyObject* part = copy_of(item.expected.value());
      table = table && !g.name.ends_with(".__dict__");
      if (part) item.expected = Expected(part);
    }
    if (!table) {
      std::erase_if(g.items, [&](const Item& item) { return copy_of(item.expected.value()) != nullptr; });
      g.version = 0;
      both.push_back(std::move(of_copy));
    } else {
      g = std::move(of_copy);
    }
  }
  std::ranges::move(both, std::back_inserter(dicts_));
  std::erase_if(classes_, [&](const ClassGuard& g) { return copy_of(g.object.value()) != nullptr; });
}

void GuardSet::forget(const std::unordered_set<PyObject*>& dicts) {
  std::vector<DictGuard> kept;
  for (DictGuard& g : dicts_)
    if (!dicts.contains(g.dict.get())) kept.push_back(std::move(g));
  std::swap(dicts_, kept);  // destroyed last: destructors may run code of the program
  dict_at_.clear();
}

void GuardSet::forget_entries(PyObject* dict, const std::function<bool(PyObject*, PyObject*)>& is_gone) {
  const auto known = std::ranges::find_if(dicts_, [dict](const DictGuard& g) { return g.dict.get() == dict; });
  if (known == dicts_.end()) return;
  if (known->whole) return forget({dict});
  std::vector<Item> kept;
  for (Item& item : known->items)
    if (item.expected.is_gone() || !is_gone(item.key.get(), item.expected.value())) kept.push_back(std::move(item));
  std::swap(known->items, kept);
  known->version = 0;
}

void GuardSet::forget_structure(const std::string& root, const std::vector<std::string>& tables) {
  const auto within = [&](const std::string& name) { return name == root || name.starts_with(root + "."); };
  std::unordered_set<PyObject*> found;
  for (const DictGuard& g : dicts_)
    if (within(g.name) && std::ranges::any_of(tables, [&](const std::string& t) { return g.name.ends_with(t); }))
      found.insert(g.dict.get());
  forget(found);
  std::erase_if(classes_, [&](const ClassGuard& g) { return within(g.name); });
}

void GuardSet::forget_changes(const std::unordered_set<PyObject*>& containers) {
  std::unordered_set<PyObject*> whole;
  for (DictGuard& g : dicts_) {
    if (!containers.contains(g.dict.get())) continue;
    if (g.whole && !g.holds(nullptr)) whole.insert(g.dict.get());
    else std::erase_if(g.items, [&](const Item& item) { return !item.expected.matches(value_of(g.dict.get(), item.key.get())); });
  }
  forget(whole);
  std::erase_if(sequences_, [&](const SequenceGuard& g) { return containers.contains(g.object.get()) && !g.holds(nullptr); });
  sequence_at_.clear();
  std::erase_if(cells_, [](const CellGuard& g) { return !g.expected.matches(PyCell_GET(g.cell.get())); });
  cell_at_.clear();
}

void GuardSet::take_imported() {
  for (DictGuard& g : dicts_) {
    if (!PyDict_GetItemString(g.dict.get(), "__spec__")) continue;  // not the dict of a module
    for (Item& item : g.items)
      if (!item.expected.value()) item.expected = Expected(value_of(g.dict.get(), item.key.get()));
  }
}

void GuardSet::forgive(const std::function<bool(PyObject*)>& passing) {
  for (DictGuard& g : dicts_)
    for (Item& item : g.items)
      if (item.expected.value() && passing(item.expected.value())) item.expected = Expected(value_of(g.dict.get(), item.key.get()));
}

int GuardSet::traverse(visitproc visit, void* arg) const {
  auto all = [&](const std::vector<Item>& items) -> int {
    for (const Item& item : items) {
      Py_VISIT(item.key.get());
      Py_VISIT(item.expected.owned());
    }
    return 0;
  };
  for (const DictGuard& g : dicts_) {
    Py_VISIT(g.dict.get());
    if (const int stop = all(g.items)) return stop;
  }
  for (const TypeGuard& g : types_) {
    Py_VISIT(g.type.get());
    if (const int stop = all(g.items)) return stop;
  }
  for (const SequenceGuard& g : sequences_) {
    Py_VISIT(g.object.get());
    for (const Expected& e : g.items) Py_VISIT(e.owned());
  }
  for (const CellGuard& g : cells_) {
    Py_VISIT(g.cell.get());
    Py_VISIT(g.expected.owned());
  }
  for (const ClassGuard& g : classes_) {
    Py_VISIT(g.fields.get());
    Py_VISIT(g.object.owned());
    Py_VISIT(g.type.get());
  }
  for (const FunctionGuard& g : functions_) {
    Py_VISIT(g.function.get());
    Py_VISIT(g.code.get());
    Py_VISIT(g.defaults.get());
    Py_VISIT(g.keyword_defaults.get());
  }
  for (const AttributeGuard& g : attributes_) {
    Py_VISIT(g.object.get());
    Py_VISIT(g.attribute.get());
    Py_VISIT(g.expected.owned());
  }
  for (const BytesGuard& g : bytes_) Py_VISIT(g.object.get());
  return asked.traverse(visit, arg);
}

}  // namespace monograph::capture::bytecode
