// The check of a call against what a capture holds for, and the results of its graph as the program's objects.
#include <algorithm>
#include <bit>

#include "autograd/autocast.h"
#include "autograd/engine.h"
#include "capture/machine/machine.h"
#include "compile.h"
#include "core/generator.h"
#include "core/storage.h"
#include "dtypes.h"
#include "graph.h"
#include "ops/dispatch.h"
#include "values.h"

namespace monograph::python::compiled {

using capture::bytecode::shown;

Modes Modes::now() {
  const DispatchState& state = dispatch_state();
  uint64_t other = 0;
  if (state.autocast) {
    const auto& cast = autocast_state();
    other = static_cast<uint64_t>(cast.dtype) << 1 | static_cast<uint64_t>(cast.cache_enabled);
  }
  return {state.grad_enabled, state.autocast, inference_mode(), default_dtype(), default_device(), other};
}

// --- Tensors.

static bool has_attributes(PyObject* tensor) {
  PyObject* fields = reinterpret_cast<TensorObject*>(tensor)->dict;
  return fields && PyDict_GET_SIZE(fields) > 0;
}

TensorSpec::TensorSpec(PyObject* o, bool static_sizes) {
  const Tensor& t = tensor_of(o);
  type_ = Py_TYPE(o), dtype_ = t.dtype(), device_ = t.device(), dims_ = t.sizes().size();
  requires_grad_ = t.requires_grad(), leaf_ = is_leaf(t), contiguous_ = t->contiguous, inference_ = t.is_inference();
  attributes_ = has_attributes(o);
  parameter_ = t->is_parameter, live_ = t->kind == TensorImpl::Kind::Dense;
  if (static_sizes || !contiguous_) sizes_ = t.sizes();
  if (!contiguous_) strides_ = t.strides();
}

bool TensorSpec::matches(PyObject* o) const {
  if (Py_TYPE(o) != type_ || has_attributes(o) != attributes_) return false;
  const Tensor& t = tensor_of(o);
  const TensorImpl& impl = *t.impl();
  if (impl.dtype != dtype_ || impl.sizes.size() != dims_ || impl.contiguous != contiguous_ || impl.is_parameter != parameter_ ||
      impl.device != device_ || (impl.kind == TensorImpl::Kind::Dense) != live_)
    return false;
  if (t.requires_grad() != requires_grad_ || (requires_grad_ && is_leaf(t) != leaf_) || t.is_inference() != inference_) return false;
  return (!sizes_ || impl.sizes == *sizes_) && (!strides_ || impl.strides == *strides_);
}

std::string TensorSpec::difference(PyObject* o) const {
  if (Py_TYPE(o) != type_) return concat("was a ", type_->tp_name, " and is ", shown(o));
  const Tensor& t = tensor_of(o);
  if (t.dtype() != dtype_) return concat("had the dtype ", name(dtype_), " and has ", name(t.dtype()));
  if (t.sizes().size() != dims_) return concat("had ", dims_, " dims and has ", t.sizes().size());
  if (t.requires_grad() != requires_grad_) return concat("had requires_grad=", requires_grad_ ? "True" : "False");
  if (sizes_ && t.sizes() != *sizes_) return concat("had the sizes ", to_string(*sizes_), " and has ", to_string(t.sizes()));
  return "has another layout, device or kind";
}

// --- Arguments.

static bool is_number(PyObject* o) { return PyLong_CheckExact(o) || PyFloat_CheckExact(o); }

// The number that has another value, or the first one in a tuple; "" where something else differs.
static std::string changed_number(PyObject* was, PyObject* is, const std::string& name) {
  if (is_number(was) && is_number(is)) return name;
  if (!PyTuple_CheckExact(was) || !PyTuple_CheckExact(is) || PyTuple_GET_SIZE(was) != PyTuple_GET_SIZE(is)) return {};
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(was); ++k)
    if (PyObject* x = PyTuple_GET_ITEM(was, k), *y = PyTuple_GET_ITEM(is, k); x != y && !Expected::equal(x, y))
      return changed_number(x, y, concat(name, "[", k, "]"));
  return {};
}

bool CapturedEntry::matches_one(size_t& at, PyObject* o, CallInputs& call, std::string* failed) const {
  const ArgumentSpec& a = arguments[at++];
  auto no = [&](std::string_view what) {
    if (failed) *failed = concat(a.name, " ", what);
    return false;
  };
  switch (a.kind) {
    case ArgumentSpec::Kind::Unread: return true;
    case ArgumentSpec::Kind::Int: {
      int overflow = 0;
      if (PyLong_CheckExact(o)) PyLong_AsLongLongAndOverflow(o, &overflow);
      if (!PyLong_CheckExact(o) || overflow) return no("was an int of 64 bits");
      call.numbers.push_back(o);
      return true;
    }
    case ArgumentSpec::Kind::Float:
      if (!PyFloat_CheckExact(o)) return no("was a float");
      call.numbers.push_back(o);
      return true;
    case ArgumentSpec::Kind::Value:
    case ArgumentSpec::Kind::Same:
      if (a.is_same_object ? a.expected.value() == o : a.expected.matches(o)) return true;
      if (failed && a.expected.value()) call.changed_number = changed_number(a.expected.value(), o, a.name);
      return failed ? no(concat("was ", shown(a.expected.value()), " and is ", shown(o))) : false;
    case ArgumentSpec::Kind::Tensor: {
      if (a.index < call.tensors.size()) return call.tensors[a.index] == o || no("was a tensor that the call has twice");
      if (!is_tensor(o) || !inputs[a.index].matches(o)) {
        if (failed) *failed = concat(a.name, " ", is_tensor(o) ? inputs[a.index].difference(o) : concat("was a tensor and is ", shown(o)));
        return false;
      }
      for (PyObject* other : call.tensors)
        if (other == o) return no("was another tensor than the others");
      call.tensors.push_back(o);
      return true;
    }
    default: break;
  }
  if (a.kind == ArgumentSpec::Kind::Again) return call.containers[a.index] == o || no("was a list or dict that the call has twice");
  if (a.is_same_object && !a.expected.matches(o)) return no("is another object, and the function asks which it is");
  if (!writes.empty() && guards.reads(o)) return no("is an object that the function also reaches elsewhere");
  if (a.kind == ArgumentSpec::Kind::Fields) return matches_fields(a, at, o, call, failed);
  if (a.kind >= ArgumentSpec::Kind::Cell) return matches_object(a, at, o, call, failed);
  if (reinterpret_cast<PyObject*>(Py_TYPE(o)) != a.type.get()) return no(failed ? concat("is ", shown(o)) : std::string());
  if (a.kind != ArgumentSpec::Kind::Tuple && std::ranges::find(call.containers, o) != call.containers.end())
    return no("was another list or dict than the others");
  call.containers.push_back(o);
  if (a.kind == ArgumentSpec::Kind::Dict) {
    if (PyDict_GET_SIZE(o) != a.size) return no("has other keys");
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    for (const Object& expected : a.keys) {
      PyDict_Next(o, &position, &key, &value);
      if (key != expected.get() && !Expected::equal(key, expected.get())) return no("has other keys");
      if (!matches_one(at, value, call, failed)) return false;
    }
    return true;
  }
  const bool tuple = a.kind == ArgumentSpec::Kind::Tuple;
  if ((tuple ? PyTuple_GET_SIZE(o) : PyList_GET_SIZE(o)) != a.size) return no("has another length");
  for (Py_ssize_t k = 0; k < a.size; ++k)
    if (!matches_one(at, tuple ? PyTuple_GET_ITEM(o, k) : PyList_GET_ITEM(o, k), call, failed)) return false;
  return true;
}

bool is_bound_builtin(PyObject* o) {
  return PyCFunction_CheckExact(o) && PyCFunction_GET_SELF(o) && !PyModule_Check(PyCFunction_GET_SELF(o)) &&
         !PyType_Check(PyCFunction_GET_SELF(o));
}

// The attributes of an object that the program has read, there and not there.
bool CapturedEntry::matches_fields(const ArgumentSpec& a, size_t& at, PyObject* o, CallInputs& call, std::string* failed) const {
  auto no = [&](PyObject* key, std::string_view what) {
    if (failed) *failed = concat(capture::bytecode::item_name(a.name, key), " ", what);
    return false;
  };
  if (!PyDict_CheckExact(o)) return no(Py_None, "is no dict");
  if (std::ranges::find(call.containers, o) != call.containers.end()) return no(Py_None, "is the dict of another argument");
  call.containers.push_back(o);
  const Object held(o);
  for (const Object& key : a.keys) {
    PyObject* value = PyDict_GetItemWithError(o, key.get());
    if (!value) return capture::machine::forget_error(), no(key.get(), "is missing");
    if (!matches_one(at, value, call, failed)) return false;
  }
  for (const Object& key : a.absent) {
    if (PyDict_GetItemWithError(o, key.get())) return no(key.get(), "was missing");
    capture::machine::forget_error();
  }
  return true;
}

Object slot_of(PyObject* o, PyObject* name) {
  PyObject* descriptor = _PyType_Lookup(Py_TYPE(o), name);
  if (!descriptor || !Py_IS_TYPE(descriptor, &PyMemberDescr_Type)) return {};
  Object value = Object::taken(Py_TYPE(descriptor)->tp_descr_get(descriptor, o, reinterpret_cast<PyObject*>(Py_TYPE(o))));
  if (!value) PyErr_Clear();
  return value;
}

std::vector<Object> elements_of(PyObject* set) {
  std::vector<Object> elements;
  const Object iterator = Object::taken(PyObject_GetIter(set));
  for (Object item; iterator && (item = Object::taken(PyIter_Next(iterator.get())));) elements.push_back(item);
  PyErr_Clear();
  return elements;
}

// What the call itself has made, an object of the caller, and an iterator.
bool CapturedEntry::matches_object(const ArgumentSpec& a, size_t& at, PyObject* o, CallInputs& call, std::string* failed) const {
  using Kind = ArgumentSpec::Kind;
  auto no = [&] {
    if (failed) *failed = concat(a.name, " is ", shown(o));
    return false;
  };
  auto part = [&](PyObject* value) { return matches_one(at, value ? value : Py_None, call, failed); };
  PyObject* const kind =
      a.kind == Kind::Function ? PyFunction_Check(o) ? PyFunction_GET_CODE(o) : nullptr : reinterpret_cast<PyObject*>(Py_TYPE(o));
  if (kind != a.type.get() || std::ranges::find(call.containers, o) != call.containers.end()) return no();
  const bool builtin = is_bound_builtin(o);
  const bool of_caller = a.kind == Kind::Object || a.kind == Kind::Slots || a.kind == Kind::Set;
  if (a.kind != Kind::Iterator && !of_caller && !builtin && !(call.fresh && call.fresh->contains(o))) return no();
  call.containers.push_back(o);
  switch (a.kind) {
    case Kind::Cell: {
      PyObject* value = PyCell_GET(o);
      return (value != nullptr) == (a.size == 1) ? !value || part(value) : no();
    }
    case Kind::Method:
      if (builtin)
        return reinterpret_cast<PyCFunctionObject*>(o)->m_ml == reinterpret_cast<PyCFunctionObject*>(a.expected.value())->m_ml
                   ? part(PyCFunction_GET_SELF(o))
                   : no();
      return part(PyMethod_GET_FUNCTION(o)) && part(PyMethod_GET_SELF(o));
    case Kind::Function: {
      PyObject* cells = PyFunction_GET_CLOSURE(o);
      if ((cells ? PyTuple_GET_SIZE(cells) : 0) != a.size || !a.expected.matches(PyFunction_GET_GLOBALS(o))) return no();
      for (Py_ssize_t k = 0; k < a.size; ++k)
        if (!part(PyTuple_GET_ITEM(cells, k))) return false;
      return part(PyFunction_GET_DEFAULTS(o)) && part(PyFunction_GET_KW_DEFAULTS(o));
    }
    case Kind::Instance:
    case Kind::Object: {
      const Object fields = Object::taken(PyObject_GenericGetDict(o, nullptr));
      return fields ? part(fields.get()) : (capture::machine::forget_error(), no());
    }
    case Kind::Slots:
      for (const Object& key : a.keys) {
        const Object value = slot_of(o, key.get());
        if (!value || !part(value.get())) return value ? false : no();
      }
      return std::ranges::none_of(a.absent, [o](const Object& key) { return static_cast<bool>(slot_of(o, key.get())); }) || no();
    case Kind::Set: {
      const std::vector<Object> elements = elements_of(o);
      const auto same = [](const Object& x, const Object& y) { return Expected::equal(x.get(), y.get()); };
      return std::ranges::equal(elements, a.keys, same) || no();
    }
    default: return true;
  }
}

bool CapturedEntry::matches_arguments(PyObject* const* args, Py_ssize_t count, CallInputs& call, std::string* failed) const {
  size_t at = 0;
  for (Py_ssize_t k = 0; k < count; ++k)
    if (!matches_one(at, args[k], call, failed)) return false;
  return at == arguments.size();
}

// What the graph takes: tensors, then numbers.
static std::vector<IValue> inputs_of(const CapturedEntry::CallInputs& call) {
  std::vector<IValue> given;
  given.reserve(call.tensors.size() + call.numbers.size());
  for (PyObject* t : call.tensors) given.emplace_back(tensor_of(t));
  for (PyObject* n : call.numbers)
    if (PyFloat_CheckExact(n)) given.emplace_back(PyFloat_AS_DOUBLE(n));
    else given.emplace_back(static_cast<int64_t>(PyLong_AsLongLong(n)));
  return given;
}

bool CapturedEntry::matches_numbers(CallInputs& call, std::string* failed) const {
  for (const NumberRead& n : numbers) {
    PyObject* now = n.place.now();
    if (!now || Py_TYPE(now) != n.type) {
      if (failed) *failed = concat(n.place.name, " was of type ", n.type->tp_name);
      return false;
    }
    call.held.emplace_back(now);
    call.numbers.push_back(now);
  }
  return true;
}

bool CapturedEntry::matches_sizes(const CallInputs& call, std::string* failed) {
  if (!size_check) return true;
  std::vector<int64_t> sizes;
  for (PyObject* t : call.tensors) sizes.insert(sizes.end(), tensor_of(t).sizes().begin(), tensor_of(t).sizes().end());
  for (PyObject* n : call.numbers)
    sizes.push_back(PyFloat_CheckExact(n) ? std::bit_cast<int64_t>(PyFloat_AS_DOUBLE(n)) : PyLong_AsLongLong(n));
  if (std::ranges::find(passed_sizes_, sizes) != passed_sizes_.end()) return true;
  std::vector<IValue> found;
  try {
    found = (*size_check)(inputs_of(call));
  } catch (const Error& error) {  // a number that only a branch computes which this call may not take
    if (failed) *failed = error.what();
    return false;
  }
  const std::vector<IValue>& values = found[0].items();
  for (size_t k = 0; k < size_expected.size(); ++k) {
    const IValue &x = values[k], &y = size_expected[k];
    const bool same = x.is_float() || y.is_float() ? x.to_double() == y.to_double() : x.to_int() == y.to_int();
    if (same) continue;
    if (failed) *failed = concat("`", size_words[k], "` has another value");
    return false;
  }
  constexpr size_t kRemembered = 64;
  if (passed_sizes_.size() < kRemembered) passed_sizes_.push_back(std::move(sizes));
  return true;
}

bool CapturedEntry::matches(PyObject* const* args, Py_ssize_t count, PyObject* names, CallInputs& call, std::string* failed) {
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0, expected = keywords ? PyTuple_GET_SIZE(keywords.get()) : 0;
  if (count != positional || named != expected) {
    if (failed) *failed = concat("the call had ", positional + expected, " arguments and has ", count + named);
    return false;
  }
  for (Py_ssize_t k = 0; k < named; ++k)
    if (PyTuple_GET_ITEM(names, k) != PyTuple_GET_ITEM(keywords.get(), k) &&
        !Expected::equal(PyTuple_GET_ITEM(names, k), PyTuple_GET_ITEM(keywords.get(), k))) {
      if (failed) *failed = "the call has other keyword arguments";
      return false;
    }
  if (!matches_arguments(args, count + named, call, failed)) return false;
  if (!(Modes::now() == modes)) {
    if (failed) *failed = "grad mode, autocast, inference_mode or the default dtype was another";
    return false;
  }
  for (const auto& [k, tensor] : same)
    if (call.tensors[k] != tensor.get()) {
      if (failed) *failed = "an input was a tensor that the function also reads elsewhere";
      return false;
    }
  if (!guards.check(failed) || !matches_numbers(call, failed)) return false;
  for (const ReadTensor& t : tensors)
    if (!t.spec.matches(t.tensor.get())) {
      if (failed) *failed = concat(t.name, " ", t.spec.difference(t.tensor.get()));
      return false;
    }
  return matches_sizes(call, failed);
}

// --- Results.

namespace {

PyObject* make_instance(PyTypeObject* type) {
  const Object none = Object::taken(PyTuple_New(0));
  // What a __new__ in Python has done stands in the attributes.
  const bool of_dict = PyType_IsSubtype(type, &PyDict_Type) != 0;
  return (of_dict ? type->tp_new : PyBaseObject_Type.tp_new)(type, none.get(), nullptr);
}

PyObject* make_sequence(PyObject* type, const std::vector<PyObject*>& parts) {
  const auto count = static_cast<Py_ssize_t>(parts.size());
  PyObject* made = PyTuple_New(count);
  for (Py_ssize_t k = 0; made && k < count; ++k) PyTuple_SET_ITEM(made, k, Py_NewRef(parts[static_cast<size_t>(k)]));
  if (type == reinterpret_cast<PyObject*>(&PyTuple_Type) || !made) return made;
  PyObject* maker = PyObject_GetAttrString(type, "_make");  // of a namedtuple
  if (!maker) capture::machine::forget_error(), maker = Py_NewRef(type);
  PyObject* result = PyObject_CallOneArg(maker, made);
  Py_DECREF(maker);
  Py_DECREF(made);
  return result;
}

// A function like `pattern`, with other cells and defaults.
PyObject* make_function(PyObject* pattern, const std::vector<PyObject*>& parts) {
  PyObject* made = PyFunction_NewWithQualName(PyFunction_GET_CODE(pattern), PyFunction_GET_GLOBALS(pattern),
                                              reinterpret_cast<PyFunctionObject*>(pattern)->func_qualname);
  if (!made) return nullptr;
  const auto cells = static_cast<Py_ssize_t>(parts.size()) - 2;
  bool good = true;
  if (cells > 0) {
    const Object closure = Object::taken(PyTuple_New(cells));
    for (Py_ssize_t k = 0; closure && k < cells; ++k) PyTuple_SET_ITEM(closure.get(), k, Py_NewRef(parts[static_cast<size_t>(k)]));
    good = closure && PyFunction_SetClosure(made, closure.get()) == 0;
  }
  good = good && PyFunction_SetDefaults(made, parts[parts.size() - 2]) == 0 && PyFunction_SetKwDefaults(made, parts.back()) == 0;
  if (PyObject* annotations = reinterpret_cast<PyFunctionObject*>(pattern)->func_annotations)
    Py_XSETREF(reinterpret_cast<PyFunctionObject*>(made)->func_annotations, Py_NewRef(annotations));
  if (!good) Py_CLEAR(made);
  return made;
}

PyObject* make_iterator(const ResultRecipe& r, const std::vector<PyObject*>& parts) {
  const Object args = Object::taken(PyTuple_New(static_cast<Py_ssize_t>(parts.size())));
  for (size_t k = 0; args && k < parts.size(); ++k) PyTuple_SET_ITEM(args.get(), static_cast<Py_ssize_t>(k), Py_NewRef(parts[k]));
  PyObject* made = args ? PyObject_CallObject(r.value.get(), args.get()) : nullptr;
  if (!made || !r.state) return made;
  const Object done = Object::taken(PyObject_CallMethod(made, "__setstate__", "O", r.state.get()));
  if (!done) Py_CLEAR(made);
  return made;
}

PyObject* make(const ResultRecipe& r, PyObject* const* results, const CapturedEntry::CallInputs& call, const std::vector<Object>& made) {
  auto part = [&](size_t k) { return made[r.parts[k]].get(); };
  switch (r.kind) {
    case ResultRecipe::Kind::Result: return Py_NewRef(results[r.index]);
    case ResultRecipe::Kind::Constant: return Py_NewRef(r.value.get());
    case ResultRecipe::Kind::Container: return Py_NewRef(call.containers[r.index]);
    case ResultRecipe::Kind::List: {
      PyObject* list = PyList_New(static_cast<Py_ssize_t>(r.parts.size()));
      for (size_t k = 0; list && k < r.parts.size(); ++k) PyList_SET_ITEM(list, static_cast<Py_ssize_t>(k), Py_NewRef(part(k)));
      return list;
    }
    case ResultRecipe::Kind::Tuple: {
      std::vector<PyObject*> parts;
      for (size_t k = 0; k < r.parts.size(); ++k) parts.push_back(part(k));
      return make_sequence(r.value.get(), parts);
    }
    case ResultRecipe::Kind::Set: {
      PyObject* set = PySet_New(nullptr);
      for (size_t k = 0; set && k < r.parts.size(); ++k) PySet_Add(set, part(k));
      return set;
    }
    case ResultRecipe::Kind::Dict: {
      PyObject* dict = PyDict_New();
      for (size_t k = 0; dict && k < r.parts.size(); ++k) PyDict_SetItem(dict, r.keys[k].get(), part(k));
      return dict;
    }
    case ResultRecipe::Kind::Cell: return PyCell_New(r.parts.empty() ? nullptr : part(0));
    case ResultRecipe::Kind::Method:
      if (!r.value) return PyMethod_New(part(0), part(1));
      return PyCFunction_NewEx(reinterpret_cast<PyCFunctionObject*>(r.value.get())->m_ml, part(0), nullptr);
    case ResultRecipe::Kind::Function:
    case ResultRecipe::Kind::Iterator: {
      std::vector<PyObject*> parts;
      for (size_t k = 0; k < r.parts.size(); ++k) parts.push_back(part(k));
      return r.kind == ResultRecipe::Kind::Function ? make_function(r.value.get(), parts) : make_iterator(r, parts);
    }
    case ResultRecipe::Kind::Instance:
    case ResultRecipe::Kind::Mapping: {
      PyObject* object = make_instance(reinterpret_cast<PyTypeObject*>(r.value.get()));
      if (!object) return nullptr;
      for (size_t k = 0; k < r.keys.size(); ++k)
        if (PyODict_Check(object)) PyODict_SetItem(object, r.keys[k].get(), part(k + 1));
        else PyDict_SetItem(object, r.keys[k].get(), part(k + 1));
      if (PyDict_Check(part(0)) && PyObject_GenericSetDict(object, part(0), nullptr) != 0)
        capture::machine::forget_error();  // an object without attributes
      return object;
    }
  }
  return nullptr;
}

bool apply(const Write& w, PyObject* target, const std::vector<Object>& made) {
  auto value = [&](size_t k) { return made[w.values[k]].get(); };
  switch (w.kind) {
    case Write::Kind::SetItem:
      return (PyODict_Check(target) ? PyODict_SetItem(target, w.key.get(), value(0)) : PyDict_SetItem(target, w.key.get(), value(0))) == 0;
    case Write::Kind::DeleteItem:
      if ((PyODict_Check(target) ? PyODict_DelItem(target, w.key.get()) : PyDict_DelItem(target, w.key.get())) != 0)
        capture::machine::forget_error();
      return true;
    case Write::Kind::SetElement: return PyList_SetItem(target, w.index, Py_NewRef(value(0))) == 0;
    case Write::Kind::Extend:
      for (size_t k = 0; k < w.values.size(); ++k)
        if (PyList_Append(target, value(k)) != 0) return false;
      return true;
    case Write::Kind::Replace: {
      if (PyList_SetSlice(target, 0, PyList_GET_SIZE(target), nullptr) != 0) return false;
      for (size_t k = 0; k < w.values.size(); ++k)
        if (PyList_Append(target, value(k)) != 0) return false;
      return true;
    }
    case Write::Kind::Add: return PySet_Add(target, value(0)) == 0;
    case Write::Kind::Discard: return PySet_Discard(target, w.key.get()) >= 0;
    case Write::Kind::SetCell: return PyCell_Set(target, w.values.empty() ? nullptr : value(0)) == 0;
  }
  return false;
}

}  // namespace

PyObject* CapturedEntry::finish(PyObject* const* results, size_t, const CallInputs& call, FreshObjects* fresh) const {
  if (plain) return Py_NewRef(results[recipes[result].index]);
  std::vector<Object> made;
  made.reserve(recipes.size());
  for (const ResultRecipe& r : recipes) {
    made.push_back(Object::taken(make(r, results, call, made)));
    if (!made.back()) return nullptr;
    const bool handed_on = fresh && r.kind == ResultRecipe::Kind::Container && call.fresh && call.fresh->contains(made.back().get());
    if (fresh && (handed_on || r.kind >= ResultRecipe::Kind::Instance)) fresh->emplace(made.back().get(), made.back());
  }
  for (const Write& w : writes)
    if (!apply(w, made[w.target].get(), made)) return nullptr;
  if (grad_after != modes.grad) dispatch_state().grad_enabled = grad_after;
  return Py_NewRef(made[result].get());
}

bool CapturedEntry::original_raises(const CallInputs& call) const {
  if (!original) return true;
  try {
    (*original)(inputs_of(call));
    return false;
  } catch (...) {
    return true;
  }
}

PyObject* CapturedEntry::execute(const CallInputs& call, bool& missed, FreshObjects& fresh) {
  ++calls;
  FreshObjects* const made = broken ? &fresh : nullptr;
  if (callable) {
    std::vector<PyObject*> all = call.tensors;
    all.insert(all.end(), call.numbers.begin(), call.numbers.end());
    const std::vector<uint8_t> stream = may_catch && may_miss && random ? default_generator().get_state() : std::vector<uint8_t>();
    const Object results = Object::taken(PyObject_Vectorcall(callable.get(), all.data(), all.size(), nullptr));
    if (!results) {
      // The function itself may catch what the graph raises, where its own code runs. It does not catch what the backend's code raises.
      if (may_catch && may_miss && PyErr_ExceptionMatches(PyExc_Exception)) {
        if (!stream.empty()) default_generator().set_state(stream);
        missed = original_raises(call);
        if (!stream.empty()) default_generator().set_state(stream);
        if (missed) PyErr_Clear();
      }
      if (!missed) restore_raise(raises);
      return nullptr;
    }
    if (!PyTuple_Check(results.get()) && !PyList_Check(results.get())) {
      if (!is_tensor(results.get())) {
        PyErr_Format(PyExc_TypeError,
                     "what a backend of torch.compile gives must return a tuple of the graph's results, but it returned %.100s",
                     Py_TYPE(results.get())->tp_name);
        return nullptr;
      }
      PyObject* one = results.get();
      return finish(&one, 1, call, made);
    }
    return finish(PySequence_Fast_ITEMS(results.get()), static_cast<size_t>(PySequence_Fast_GET_SIZE(results.get())), call, made);
  }
  PyObject* result = guard([&]() -> PyObject* {
    std::vector<IValue> given = inputs_of(call), results;
    std::vector<uint8_t> stream;
    if (may_miss && random) stream = default_generator().get_state();
    PyThreadState* state = PyEval_SaveThread();
    try {
      results = (*run)(std::move(given));
    } catch (...) {
      PyEval_RestoreThread(state);
      if (may_miss && random) default_generator().set_state(stream);
      if (may_miss) return missed = true, nullptr;  // nothing has changed: the function itself runs, or raises
      throw;
    }
    PyEval_RestoreThread(state);
    std::vector<Object> objects;
    std::vector<PyObject*> borrowed;
    for (const IValue& v : results[0].items()) {
      objects.push_back(Object::taken((v.is_tensor() ? wrap(v.as_tensor()) : python::to_python(v)).release().ptr()));
      borrowed.push_back(objects.back().get());
    }
    return finish(borrowed.data(), borrowed.size(), call, made);
  });
  if (!result && !missed) restore_raise(raises);
  return result;
}

int CapturedEntry::traverse(visitproc visit, void* arg) const {
  for (const ArgumentSpec& a : arguments) {
    Py_VISIT(a.type.get());
    Py_VISIT(a.expected.value());
    for (const Object& key : a.keys) Py_VISIT(key.get());
    for (const Object& key : a.absent) Py_VISIT(key.get());
  }
  if (const int stop = guards.traverse(visit, arg)) return stop;
  for (const ReadTensor& t : tensors) Py_VISIT(t.tensor.get());
  for (const auto& [k, tensor] : same) Py_VISIT(tensor.get());
  for (const Object& o : kept) Py_VISIT(o.get());
  for (const NumberRead& n : numbers) Py_VISIT(n.place.container.get());
  Py_VISIT(keywords.get());
  Py_VISIT(callable.get());
  Py_VISIT(graph.get());
  for (const KeptRaise& k : raises) Py_VISIT(k.type.ptr());
  for (const ResultRecipe& r : recipes) {
    Py_VISIT(r.value.get());
    Py_VISIT(r.state.get());
    for (const Object& key : r.keys) Py_VISIT(key.get());
  }
  for (const Write& w : writes) Py_VISIT(w.key.get());
  return 0;
}

}  // namespace monograph::python::compiled
