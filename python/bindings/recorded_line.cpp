// Recordings of lines: which values and which state of a layer they hold for, and how they run.
#include "recorded_line.h"

#include <algorithm>
#include <cstring>

#include "graph.h"
#include "ir/graph.h"
#include "module_tables.h"
#include "ops/dispatch.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {

namespace {
// A number that is another one after each change of the type, of its bases too; 0 where the type has none.
unsigned version_of_type(PyTypeObject* type) {
  if (PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG)) return type->tp_version_tag;
  static PyObject* name = PyUnicode_InternFromString("forward");
  (void)_PyType_Lookup(type, name);  // gives it one
  return PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG) ? type->tp_version_tag : 0;
}

// Whether a list holds what a tuple does; lists inside are tuples there.
bool has_items(PyObject* list, PyObject* expected) {
  if (!PyList_CheckExact(list) || PyList_GET_SIZE(list) != PyTuple_GET_SIZE(expected)) return false;
  for (Py_ssize_t k = 0; k < PyList_GET_SIZE(list); ++k) {
    PyObject *item = PyList_GET_ITEM(list, k), *wanted = PyTuple_GET_ITEM(expected, k);
    if (item != wanted && !(PyTuple_CheckExact(wanted) && has_items(item, wanted))) return false;
  }
  return true;
}
}  // namespace

uint64_t version_of_library(PyObject* functional) {
  const uint64_t functions = DictVersion::version_of(functional), methods = version_of_type(g_tensor_type);
  return functions && methods ? functions << 24 ^ methods : 0;
}

// --- Layers.

LayerState::LayerState(nb::handle written) {
  for (nb::handle w : written) {
    Part& part = parts_.emplace_back();
    part.module = nb::handle(w[0]).ptr(), part.type_version = version_of_type(Py_TYPE(part.module));
    for (nb::handle f : w[1]) {
      StateField& field = part.fields.emplace_back();
      field.name = nb::handle(f[0]).ptr(), field.value = nb::handle(f[2]).ptr();
      const std::string_view kind = text_of(nb::object(f[1]).ptr());
      field.kind = kind == "none in it" ? Kind::Empty
                   : kind == "items"    ? Kind::Items
                   : kind == "tensors"  ? Kind::Tensors
                   : kind == "list"     ? Kind::List
                                        : Kind::Same;
      PyObject *name, *value;
      if (field.kind == Kind::Items || field.kind == Kind::Tensors)
        for (Py_ssize_t at = 0; PyDict_Next(field.value, &at, &name, &value);)
          field.items.emplace_back(name, field.kind == Kind::Items || value == Py_None ? value : nullptr);
    }
  }
}

// Whether nothing was assigned since it was found to be this state.
bool LayerState::is_unchanged(const Part& part, PyObject* fields) {
  if (!part.seen.is(fields)) return false;
  for (const StateField& f : part.fields) {
    if (f.kind == Kind::Same) continue;
    if (f.kind == Kind::List ? !has_items(PyDict_GetItem(fields, f.name), f.value) : !f.seen.is(f.value)) return false;
  }
  return true;
}

bool LayerState::holds(const Part& part, PyObject* fields) {
  part.tensors.clear();
  if (static_cast<size_t>(PyDict_GET_SIZE(fields)) != part.fields.size()) return false;
  for (const StateField& f : part.fields) {
    PyObject* now = PyDict_GetItem(fields, f.name);
    if (f.kind == Kind::List ? !now || !has_items(now, f.value) : now != f.value) return false;
    if (f.kind == Kind::Same || f.kind == Kind::List) continue;
    if (static_cast<size_t>(PyDict_GET_SIZE(f.value)) != f.items.size()) return false;
    for (const auto& [name, expected] : f.items) {
      PyObject* found = PyDict_GetItem(f.value, name);
      if (!found || (expected && found != expected)) return false;
      if (expected) continue;
      if (!is_tensor(found)) return false;
      part.tensors.push_back(found);
    }
    f.seen = DictVersion(f.value);
  }
  part.seen = DictVersion(fields);
  return true;
}

bool LayerState::holds(PyObject* layer, std::vector<Tensor>& tensors) const {
  const size_t before = tensors.size();
  bool good = !parts_.empty() && parts_[0].module == layer;
  for (const Part& part : parts_) {
    if (!good) break;
    PyObject* fields = fields_of(part.module);
    good = part.type_version && version_of_type(Py_TYPE(part.module)) == part.type_version && fields &&
           (is_unchanged(part, fields) || holds(part, fields));
    for (size_t k = 0; good && k < part.tensors.size(); ++k)
      if (good = tensor_of(part.tensors[k]).defined(); good) tensors.push_back(tensor_of(part.tensors[k]));
  }
  if (!good) tensors.resize(before);
  return good;
}

// --- Recordings.

namespace {

using Tag = IValue::Tag;

// What a recording asks of one value. Of a tensor all but its sizes and contents; of others the value itself.
struct ExpectedValue {
  IValue value;  // no tensor; of a list or tuple how many items follow
  Tag tag = Tag::None;
  DType dtype = DType::f32;
  Device device;
  bool contiguous = false;
  Dims sizes;
};

bool is_plain(const Tensor& t) { return t.defined() && t->kind == TensorImpl::Kind::Dense; }

// Calls f(value, count of items) of a value and of everything inside; false for what no recording knows.
template <class F>
bool walk(const IValue& v, const F& f) {
  if (v.is_list() || v.is_tuple()) {
    if (!f(v, v.items().size())) return false;
    return std::ranges::all_of(v.items(), [&](const IValue& item) { return walk(item, f); });
  }
  return !v.is_object() && !v.is_dict() && (!v.is_tensor() || is_plain(v.as_tensor())) && f(v, size_t{0});
}

bool equal_floats(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

bool fits(const ExpectedValue& e, const IValue& v, size_t count, bool exact) {
  if (e.tag != v.tag()) return false;
  if (v.is_tensor()) {
    const Tensor& t = v.as_tensor();
    return e.dtype == t.dtype() && e.device == t.device() && e.contiguous == t.is_contiguous() &&
           e.sizes.size() == static_cast<size_t>(t.dim()) && (!exact || std::ranges::equal(e.sizes, t.sizes()));
  }
  if (v.is_list() || v.is_tuple()) return static_cast<size_t>(e.value.to_int()) == count;
  if (v.is_float()) return equal_floats(e.value.to_double(), v.to_double());
  if (v.is_complex())
    return equal_floats(e.value.to_complex().real(), v.to_complex().real()) &&
           equal_floats(e.value.to_complex().imag(), v.to_complex().imag());
  if (v.is_ints()) return std::ranges::equal(e.value.to_ints(), v.to_ints());
  if (v.is_string()) return e.value.to_string() == v.to_string();
  return e.value.is(v);
}

ExpectedValue expected_of(const IValue& v, size_t count) {
  ExpectedValue e;
  e.tag = v.tag();
  if (v.is_tensor()) {
    const Tensor& t = v.as_tensor();
    e.dtype = t.dtype(), e.device = t.device(), e.contiguous = t.is_contiguous(), e.sizes = Dims(t.sizes());
  } else if (v.is_list() || v.is_tuple()) {
    e.value = static_cast<int64_t>(count);
  } else {
    e.value = v;
  }
  return e;
}

// How the results of a recording make the value of the line.
struct Form {
  int64_t result = -1;
  bool tuple = false;
  std::vector<Form> parts;

  static Form of(nb::handle written) {  // a number, None, or a tuple of such
    Form form;
    if (PyTuple_Check(written.ptr())) {
      form.tuple = true;
      for (nb::handle part : nb::borrow<nb::tuple>(written)) form.parts.push_back(of(part));
    } else if (!written.is_none()) {
      form.result = nb::cast<int64_t>(written);
    }
    return form;
  }
  IValue made(std::vector<IValue>& results) const {
    if (!tuple) return result < 0 ? IValue() : results.at(static_cast<size_t>(result));
    std::vector<IValue> items;
    for (const Form& part : parts) items.push_back(part.made(results));
    return IValue::tuple(std::move(items));
  }
};

constexpr int kMostFailures = 8;  // after which Python runs the line

}  // namespace

struct RecordedLine::Recording {
  std::vector<ExpectedValue> values, tensors;
  const LayerState* state;
  uint64_t library;
  bool grad_enabled;
  DType default_dtype;
  bool writes = false;  // memory or a random stream: then it holds for these sizes only, and cannot be tried
  exec::Executable graph;
  Form form;
  mutable std::atomic<int> failures = 0;

  bool fits(const std::vector<IValue>& given, const LineContext& context) const {
    const DispatchState& d = dispatch_state();
    if (context.library != library || context.state != state || d.grad_enabled != grad_enabled ||
        default_dtype != monograph::default_dtype())
      return false;
    if (failures.load(std::memory_order_relaxed) >= kMostFailures) return false;
    size_t k = 0;
    const auto next = [&](const IValue& v, size_t count) { return k < values.size() && python::fits(values[k++], v, count, writes); };
    if (!std::ranges::all_of(given, [&](const IValue& v) { return walk(v, next); }) || k != values.size()) return false;
    if (!state) return true;
    for (size_t t = 0; t < tensors.size(); ++t)
      if (!is_plain(context.tensors[t]) || !python::fits(tensors[t], context.tensors[t], 0, writes)) return false;
    return true;
  }
};

RecordedLine::~RecordedLine() {
  for (auto& r : recordings_) delete r.load();
  for (auto& s : states_) delete s.load();
}

PyObject* RecordedLine::layer_of(PyObject* root) const {
  bool known = way_.size() == layer_.size() && way_modules_[0] == root;
  for (size_t k = 0; known && k < way_.size(); ++k) {
    PyObject* fields = fields_of(way_modules_[k]);
    known = fields && version_of_type(Py_TYPE(way_modules_[k])) == way_types_[k] && way_[k].first.is(fields);
    static PyObject* modules = PyUnicode_InternFromString("_modules");
    known = known && way_[k].second.is(PyDict_GetItem(fields, modules));
  }
  if (known) return way_modules_.back();
  way_.clear(), way_types_.clear(), way_modules_ = {root};
  for (PyObject* name : layer_) {
    PyObject *module = way_modules_.back(), *found = plain_attribute({name}, module);
    if (!found) return way_.clear(), nullptr;
    PyObject* fields = fields_of(module);
    way_.emplace_back(fields, PyDict_GetItemString(fields, "_modules"));
    way_types_.push_back(version_of_type(Py_TYPE(module)));
    way_modules_.push_back(found);
  }
  return way_modules_.back();
}

const LayerState* RecordedLine::state_now(PyObject* root, std::vector<Tensor>& tensors) const {
  if (!states_[0].load(std::memory_order_acquire)) return nullptr;
  PyObject* layer = layer_of(root);
  for (const auto& known : states_) {
    const LayerState* state = layer ? known.load(std::memory_order_acquire) : nullptr;
    if (!state) break;
    if (state->holds(layer, tensors)) return state;
  }
  return nullptr;
}

bool RecordedLine::run(const std::vector<IValue>& values, const LineContext& context, IValue& result) const {
  if (!context.library || dispatch_state().autocast) return false;
  for (const auto& known : recordings_) {
    const Recording* r = known.load(std::memory_order_acquire);
    if (!r) return false;
    if (!r->fits(values, context)) continue;
    std::vector<IValue> inputs;
    const auto add = [&](const IValue& v, size_t) {
      if (v.is_tensor()) inputs.push_back(v);
      return true;
    };
    for (const IValue& v : values) walk(v, add);
    if (r->state)
      for (const Tensor& t : context.tensors) inputs.emplace_back(t);
    try {
      std::vector<IValue> results = r->graph(std::move(inputs));
      if (results.size() == 1 && results[0].is_tuple()) results = std::vector<IValue>(results[0].items());
      result = r->form.made(results);
      r->failures.store(0, std::memory_order_relaxed);
      return true;
    } catch (...) {
      if (r->writes) throw;
      r->failures.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
  }
  return false;
}

void RecordedLine::missed(const std::vector<nb::object>& given, const std::vector<IValue>& values, const LineContext& context) {
  const auto free = std::ranges::find_if(recordings_, [](const auto& r) { return r.load() == nullptr; });
  if (free == recordings_.end() || attempts_ >= kAttempts || ++misses_ < 2 || !context.library || dispatch_state().autocast) return;
  std::vector<ExpectedValue> expected;
  const auto note = [&](const IValue& v, size_t count) {
    expected.push_back(expected_of(v, count));
    return true;
  };
  if (!std::ranges::all_of(values, [&](const IValue& v) { return walk(v, note); })) return;
  ++attempts_;
  nb::object arguments = check(PyTuple_New(static_cast<Py_ssize_t>(given.size())));
  for (size_t k = 0; k < given.size(); ++k) PyTuple_SET_ITEM(arguments.ptr(), static_cast<Py_ssize_t>(k), Py_NewRef(given[k].ptr()));
  const nb::object made = check(PyObject_CallOneArg(record_, arguments.ptr()));
  if (made.is_none()) return;
  const ir::Graph& graph = graph_of(nb::object(made[0]).ptr());
  bool writes = false;
  for (const ir::Effects& e : ir::all_effects(graph)) {
    if (e.user_code) return;
    writes |= e.writes != 0;
  }
  const LayerState* state = nullptr;
  std::vector<ExpectedValue> tensors;
  if (!layer_.empty()) {
    const auto place = std::ranges::find_if(states_, [](const auto& s) { return s.load() == nullptr; });
    if (!context.state && place == states_.end()) return;
    nb::object written = made[2];
    auto fresh = std::make_unique<LayerState>(written);
    std::vector<Tensor> now;
    if (!fresh->holds(nb::object(written[0][0]).ptr(), now)) return;
    for (const Tensor& t : now) tensors.push_back(expected_of(t, 0));
    if (context.state) {
      state = context.state;  // the same state, and other values
    } else {
      held_.push_back(std::move(written));
      state = fresh.get();
      place->store(fresh.release(), std::memory_order_release);
    }
  }
  free->store(new Recording{std::move(expected), std::move(tensors), state, context.library, dispatch_state().grad_enabled, default_dtype(),
                            writes, exec::plan(graph), Form::of(nb::object(made[1]))},
              std::memory_order_release);
}

}  // namespace monograph::python
