// monograph._C._Reads: what a captured program read outside of its arguments. The capture machine notes it while a trace or a symbolic trace runs, and each
// call of what was captured asks whether all of it is still so.
#include "capture/bytecode/reads.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "autograd.h"
#include "capture/dependence.h"
#include "capture/machine/loop.h"
#include "capture/machine/machine.h"
#include "capture/regions.h"
#include "capture/writer.h"
#include "compile.h"
#include "dtypes.h"
#include "effects.h"
#include "graph.h"
#include "module_tables.h"
#include "older_tensors.h"
#include "ops/tensor_data.h"
#include "places.h"
#include "reads.h"
#include "same_inputs.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

using capture::bytecode::GuardSet;
using Sameness = capture::bytecode::ObjectKinds::Sameness;
using capture::bytecode::Object;

struct ReadsObject {
  PyObject_HEAD GuardSet guards;
  std::vector<GuardSet::Mode> modes;
  std::vector<UsedTensor> copied;  // tensors whose values the graph has copied, so that no later write to them may be
  std::vector<UsedTensor> used;  // by Python, or by operators that ran while the program was traced
  std::vector<Object> written;  // containers that the program itself has changed, right behind the run
  std::vector<std::string> changed;  // names of containers
  struct KeptRead {
    std::string name;
    std::optional<capture::Dependence> on;  // nothing: no value of the graph
    std::string place;  // where the program computes it
  };
  std::vector<KeptRead> kept;  // what a trace read and then set, so that its next call reads that
  std::string remembers;  // what the program read and set to a proxy, which its next call would read; "" if nothing
  std::optional<bool> grad, inference;  // whether gradients and inference_mode were on, where the program asks
  std::optional<DType> default_dtype;  // where a symbolic trace depends on it: a trace has a capture for each
  nb::object unseen;  // what no check sees: a list of (kind, callee, what, place)
  nb::object asked_of_inputs;  // a list of (attribute, what, place)
};

PyTypeObject g_reads_type = make_type("monograph._Reads", sizeof(ReadsObject));
ReadsObject& object_of(PyObject* o) { return *reinterpret_cast<ReadsObject*>(o); }

#ifdef MONOGRAPH_MACHINE
// The dict of the graph that this dict of an input's parts stands for; null if it is another dict, or a file would not know its order otherwise.
ir::Node* graph_dict(capture::Writer& writer, PyObject* dict) {
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  if (!PyDict_CheckExact(dict) || PyDict_GET_SIZE(dict) < 2 || !PyDict_Next(dict, &at, &key, &value)) return nullptr;
  const ir::Node* part = is_tensor(value) ? writer.find(tensor_of(value)) : nullptr;
  if (!part || part->target().name() != "aten::__getitem__.Dict_str") return nullptr;
  return part->input(0);
}

// A graph takes the items of a dict by their keys, so the order in which the program runs over them is guarded.
void guard_order(PyObject* dict) {
  capture::Session* s = capture::current_session();
  ir::Node* of = s && !s->symbolic && s->control_flow != capture::ControlFlow::Freeze ? graph_dict(s->writer, dict) : nullptr;
  if (!of) return;
  std::vector<ir::Node*> parts;
  for (ir::Node* user : of->users())
    if (user->target().name() == "aten::__getitem__.Dict_str" && user->block() == of->block()) parts.push_back(user);
  std::ranges::sort(parts, [](const ir::Node* a, const ir::Node* b) { return a->is_before(b); });
  std::vector<IValue> order;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value);) {
    const size_t k = order.size();
    if (k == parts.size() || !PyUnicode_Check(key) || parts[k]->arg(1).as_str() != nb::cast<std::string_view>(nb::handle(key))) return;
    order.emplace_back(nb::cast<std::string>(nb::handle(key)));
  }
  std::string shown;
  for (const IValue& text : order) shown += concat(shown.empty() ? "'" : ", '", text.to_string(), "'");
  ir::Graph& graph = s->writer.graph;
  const ir::Graph::InsertPoint point = graph.insert_point();
  graph.insert_after(parts.back());
  ir::Node* keys = graph.call("aten::keys.str", ir::Args(of));
  graph.set_type(keys, ir::Type::list(ir::TypeKind::Str));
  const IValue both[] = {s->writer.number(keys, IValue::list(order)), IValue::list(order)};
  s->writer.guard(s->writer.append(find_operator("aten::eq.str_list"), both), true, concat("list(", of->name(), ") == [", shown, "]"));
  graph.set_insert_point(point);
}

class Kinds : public capture::bytecode::ObjectKinds {
 public:
  explicit Kinds(bool symbolic) : tensors(symbolic) {}
  Kinds(const Kinds&) = delete;
  ~Kinds() override {
    for (; !moved_.empty(); moved_.pop_back()) put_back(moved_.back());
  }
  OlderTensors tensors;
  bool gives_other_memory(PyObject* o, PyObject* value) override {
    if (!python::is_tensor(value) || tensor_of(o)->kind != TensorImpl::Kind::Dense) return false;
    const Tensor &t = tensor_of(o), &v = tensor_of(value);
    if (v->kind == TensorImpl::Kind::Dense && t->storage == v->storage && t->offset == v->offset && t.sizes() == v.sizes() &&
        t.strides() == v.strides())
      return false;
    moved_.emplace_back(t, t.as_strided(t.sizes(), t.strides(), t->offset));
    return true;
  }
  bool is_tensor(PyObject* o) override { return python::is_tensor(o); }
  PyObject* type_of_tensors() override { return reinterpret_cast<PyObject*>(g_tensor_type); }
  bool has_attributes(PyObject*) override { return false; }
  bool is_symbolic(PyObject* o) override { return python::is_symbolic(o); }
  PyObject* submodule(PyObject* module, PyObject* name) override { return plain_submodule(module, name); }
  void read_tensor(PyObject* o, const std::string& name) override { tensors.add(tensor_of(o), name); }
  void read_sizes(PyObject* o) override { tensors.use_sizes(tensor_of(o)); }
  void read_memory(PyObject* o) override {
    const capture::Session* s = capture::current_session();
    if (!s || s->symbolic || !s->writer.may_change(tensor_of(o))) tensors.use_memory(tensor_of(o));
  }
  PyObject* made_tensor(PyObject*) override { return nullptr; }
  PyObject* plain(PyObject* o) override { return Py_NewRef(o); }
  PyObject* of_same_type(PyObject*) override { return nullptr; }
  std::string place() override { return caller_place_in_words(); }
  bool is_input(PyObject* o) override {
    if (python::is_tensor(o)) {
      const capture::Session* s = capture::current_session();
      const ir::Node* node = s ? s->writer.find(tensor_of(o)) : nullptr;
      return node && node->op() == ir::Op::Placeholder;
    }
    if (!python::is_proxy(o) || is_proxy_attribute(o)) return false;
    const capture::machine::Unwatched unwatched;
    const Object node = Object::taken(PyObject_GetAttrString(o, "node"));
    const Object op = Object::taken(node ? PyObject_GetAttrString(node.get(), "op") : nullptr);
    capture::machine::forget_error();
    return op && PyUnicode_Check(op.get()) && PyUnicode_CompareWithASCIIString(op.get(), "placeholder") == 0;
  }
  bool is_computed(PyObject* o) override {
    const capture::Session* s = capture::current_session();
    const ir::Node* node = s && python::is_tensor(o) ? s->writer.find(tensor_of(o)) : nullptr;
    return node && node->op() != ir::Op::Placeholder && node->op() != ir::Op::GetAttr;
  }
  bool is_of_input(PyObject* o) override {
    const capture::Session* s = capture::current_session();
    const ir::Node* node = s && python::is_tensor(o) ? s->writer.find(tensor_of(o)) : nullptr;
    return node && input_of(node);
  }
  Sameness sameness(PyObject* a, PyObject* b) override { return python::sameness(a, b); }
  const char* who_decides(PyObject* o) override {
    if (python::is_tensor(o)) return who_decides_identity(tensor_of(o));
    if (!python::is_proxy(o) || is_proxy_attribute(o)) return "";
    const capture::machine::Unwatched unwatched;
    const Object node = Object::taken(PyObject_GetAttrString(o, "node"));
    capture::machine::forget_error();
    if (!node || !is_node(node.get())) return "";
    const ir::Op op = node_of(node.get())->op();
    if (is_of_region(node_of(node.get()))) return kWayDecides;
    // An element of what a branch or loop gives.
    const ir::Node* whole = node_of(node.get())->arg_count() ? node_of(node.get())->arg(0).node() : nullptr;
    if (whole && is_of_region(whole) && node_of(node.get())->target().name() == "operator.getitem") return kWayDecides;
    if (op != ir::Op::CallFunction && op != ir::Op::CallMethod && op != ir::Op::CallModule) return "";
    static PyObject* const asked = nb::object(nb::module_::import_("monograph.fx._writes").attr("gives_back")).release().ptr();
    const Object may = Object::taken(PyObject_CallOneArg(asked, node.get()));
    capture::machine::forget_error();
    return may.get() == Py_True ? kOperatorDecides : "";
  }
  bool requires_grad(PyObject* o) override { return python::is_tensor(o) && tensor_of(o).requires_grad(); }
  bool is_chosen(PyObject* o) override { return python::is_tensor(o) && who_decides_identity(tensor_of(o)) == kWayDecides; }
  bool is_grad_computed(PyObject* o) override {
    const capture::Session* s = capture::current_session();
    const Tensor gradient = grad_of(tensor_of(o));
    return s && gradient.defined() && s->writer.find(gradient);
  }
  bool is_parameter(PyObject* o) override { return python::is_tensor(o) && tensor_of(o)->is_parameter; }
  bool is_proxy(PyObject* o) override { return python::is_proxy(o); }
  void read_order(PyObject* dict) override { guard_order(dict); }
  std::string optional_state(PyObject* o) override {
    if (python::is_tensor(o)) return capture::may_be_none(tensor_of(o)) ? ".grad" : "";
    if (!is_proxy_attribute(o)) return {};
    const Object name = Object::taken(PyObject_GetAttrString(o, "attr"));
    capture::machine::forget_error();
    for (const char* known : {"grad", "grad_fn", "_base"})
      if (name && PyUnicode_Check(name.get()) && PyUnicode_CompareWithASCIIString(name.get(), known) == 0) return std::string(".") + known;
    return {};
  }

 private:
  static void put_back(const std::pair<Tensor, Tensor>& moved) noexcept {
    try {
      set_data(moved.first, moved.second);
    } catch (const Error&) {  // the program has made it a tensor of another kind, which stays
    }
  }
  std::vector<std::pair<Tensor, Tensor>> moved_;  // tensors that a refused program has given other memory, and what they showed before
};

class Observer : public capture::bytecode::ReadSet {
 public:
  explicit Observer(capture::bytecode::ObjectKinds& kinds) : ReadSet(kinds, nullptr) {}
  bool at_start(capture::machine::Registers& r) override { return !active || ReadSet::at_start(r); }
  bool before(capture::machine::Registers& r, int opcode, int arg) override { return !active || ReadSet::before(r, opcode, arg); }
  PyObject* attribute(PyObject* owner, PyObject* name) override { return active ? ReadSet::attribute(owner, name) : nullptr; }
  void begin(PyObject* root) {
    PyObject* self = Py_IS_TYPE(root, &PyMethod_Type) ? PyMethod_GET_SELF(root) : nullptr;
    if (self) add_older(self, "self");
    add_older(root, PyFunction_Check(root) ? "f" : self ? "forward" : "self");
    began_with_grad = dispatch_state().grad_enabled, began_in_inference = inference_mode();
    default_dtype = monograph::default_dtype();
    active = true;
  }
  // Puts back what has become a proxy, or holds one, in an older list, dict, set or cell: a proxy is of no use behind the trace. Whether there was any.
  bool take_proxies_out() {
    bool found = false;
    for (const auto& entry : written()) found = take_proxies_out(entry.object, entry.before) || found;
    return found;
  }
  // The lists, dicts and sets that are defaults of a function are read where a call leaves them out.
  void read_defaults(PyObject* root) {
    Object method(root);
    if (!PyFunction_Check(root) && !Py_IS_TYPE(root, &PyMethod_Type)) method = Object::taken(PyObject_GetAttrString(root, "forward"));
    capture::machine::forget_error();
    PyObject* f = method && Py_IS_TYPE(method.get(), &PyMethod_Type) ? PyMethod_GET_FUNCTION(method.get()) : method.get();
    if (!f || !PyFunction_Check(f)) return;
    auto read = [&](PyObject* value) {
      if (!PyList_Check(value) && !PyDict_Check(value) && !PyAnySet_Check(value)) return;
      add_older(value, "a default of the function");
      read_all(value);
    };
    PyObject* defaults = PyFunction_GET_DEFAULTS(f);
    for (Py_ssize_t k = 0; defaults && k < PyTuple_GET_SIZE(defaults); ++k) read(PyTuple_GET_ITEM(defaults, k));
    PyObject *key = nullptr, *value = nullptr;
    if (PyObject* keywords = PyFunction_GET_KW_DEFAULTS(f))
      for (Py_ssize_t at = 0; PyDict_Next(keywords, &at, &key, &value);) read(value);
  }
  bool began_in_inference = false, asks_inference = false, asks_default_dtype = false;
  DType default_dtype = DType::f32;  // where it began
  bool active = false;  // the program's own code runs

 private:
  static bool holds_proxy(PyObject* o, int depth = 0) {
    constexpr int kDepth = 8;
    if (!o || depth > kDepth) return false;
    if (is_proxy(o)) return true;
    if (PyTuple_Check(o) || PyList_Check(o)) {
      for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(o); ++k)
        if (holds_proxy(PySequence_Fast_GET_ITEM(o, k), depth + 1)) return true;
    } else if (PyDict_Check(o)) {
      PyObject *key = nullptr, *value = nullptr;
      for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);)
        if (holds_proxy(key, depth + 1) || holds_proxy(value, depth + 1)) return true;
    } else if (PyAnySet_Check(o)) {
      const Object iterator = Object::taken(PyObject_GetIter(o));
      for (Object item; iterator && (item = Object::taken(PyIter_Next(iterator.get())));)
        if (holds_proxy(item.get(), depth + 1)) return true;
      capture::machine::forget_error();
    }
    return false;
  }
  static bool take_proxies_out(PyObject* container, PyObject* before) {
    if (PyCell_Check(container)) {
      if (!holds_proxy(PyCell_GET(container))) return false;
      PyCell_Set(container, PyTuple_GET_SIZE(before) ? PyTuple_GET_ITEM(before, 0) : nullptr);
      return true;
    }
    if (!PyDict_Check(container)) return holds_proxy(container) && capture::machine::set_content(container, before);
    std::vector<Object> keys;
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(container, &at, &key, &value);)
      if (holds_proxy(key) || holds_proxy(value)) keys.emplace_back(key);
    for (const Object& name : keys) {
      PyObject* was = PyDict_GetItemWithError(before, name.get());
      if (was) PyDict_SetItem(container, name.get(), was);
      else PyDict_DelItem(container, name.get());
      capture::machine::forget_error();
    }
    return !keys.empty();
  }
};

thread_local Observer* t_observer = nullptr;

// A guard of the graph, so that a file holds for the mode too.
void guard_mode(std::string_view op, bool now, std::string_view question) {
  capture::Session* s = capture::current_session();
  if (s && !s->symbolic && s->control_flow != capture::ControlFlow::Freeze)
    s->writer.guard(s->writer.append(find_operator(op), nullptr), now, question);
}
#endif

}  // namespace

#ifdef MONOGRAPH_MACHINE
struct ReadingRun::State {
  explicit State(bool symbolic) : symbolic(symbolic), kinds(symbolic) {}
  const bool symbolic;
  Kinds kinds;
  Observer observer{kinds};
  Observer* before = std::exchange(t_observer, &observer);
  Writers writers;
  bool finished = false;
};

ReadingRun::ReadingRun(nb::handle reads, bool symbolic) : reads_(reads) {
  if (!reads.is_none() && capture::machine::supported()) state_ = std::make_unique<State>(symbolic);
}
ReadingRun::~ReadingRun() {
  if (!state_) return;
  t_observer = state_->before;
  if (state_->finished) return;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  state_->observer.take_proxies_out();  // of a run that has failed
  PyErr_Restore(type, value, traceback);
}
void ReadingRun::begin(nb::handle root) {
  if (!state_) return;
  // Layers are nodes, and the structure of a module is that of the capture.
  state_->observer.of_program_alone = !PyFunction_Check(root.ptr()) && !Py_IS_TYPE(root.ptr(), &PyMethod_Type);
  state_->observer.begin(root.ptr());
  state_->observer.read_defaults(root.ptr());
}
capture::machine::Watcher* ReadingRun::watcher() { return state_ ? &state_->observer : nullptr; }

// What a value depends on that the program has computed, and where it did; of a list, tuple or dict, the most.
static void find_dependence(PyObject* o, ReadsObject::KeptRead& kept, int depth = 0) {
  constexpr int kDepth = 8;
  const capture::Session* s = capture::current_session();
  if (!o || !s || depth > kDepth) return;
  if (PyTuple_Check(o) || PyList_Check(o)) {
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(o); ++k) find_dependence(PySequence_Fast_GET_ITEM(o, k), kept, depth + 1);
    return;
  }
  if (PyDict_Check(o)) {
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) find_dependence(value, kept, depth + 1);
    return;
  }
  const ir::Node* node = is_tensor(o) ? s->writer.find(tensor_of(o)) : nullptr;
  bool size = false;
  if (is_symbolic(o)) {
    const SymbolicValue* number = symbolic_value(symbolic_of(o));
    node = number ? number->node : nullptr;
    size = !node;
  }
  if (!node && !size) return;
  const capture::Dependence on = node ? capture::dependence_of(node) : capture::Dependence::Sizes;
  if (kept.on && on <= *kept.on) return;
  kept.on = on;
  kept.place = node && node->span().line ? concat(*node->span().file, ":", node->span().line) : std::string();
}

void ReadingRun::finish() {
  if (!state_) return;
  ReadsObject& r = object_of(reads_.ptr());
  Observer& o = state_->observer;
  o.active = false;
  o.finish();
  if (auto read = state_->writers.read_by(o)) o.unseen.push_back({"frozen", "", read->first, read->second});
  r.changed.clear(), r.written.clear();
  r.guards = std::move(o.guards);
  r.modes = r.guards.take_modes();
  r.grad = o.asks_grad_mode ? std::optional(o.began_with_grad) : std::nullopt;
  r.inference = o.asks_inference ? std::optional(o.began_in_inference) : std::nullopt;
  const bool asks_dtype = state_->symbolic && (o.asks_default_dtype || state_->kinds.tensors.has_computed());
  r.default_dtype = asks_dtype ? std::optional(o.default_dtype) : std::nullopt;
  for (PyObject* container : o.changed()) r.changed.push_back(o.name_of(container)), r.written.emplace_back(container);
  nb::list unseen;
  for (const auto& [kind, callee, what, place] : o.unseen)
    unseen.append(nb::make_tuple(to_python(std::string_view(kind)), to_python(std::string_view(callee)), to_python(std::string_view(what)),
                                 to_python(std::string_view(place))));
  r.unseen = std::move(unseen);
  nb::list asked;
  for (const auto& [attribute, what, place] : o.asked_of_inputs)
    asked.append(
        nb::make_tuple(to_python(std::string_view(attribute)), to_python(std::string_view(what)), to_python(std::string_view(place))));
  r.asked_of_inputs = std::move(asked);
  r.used = state_->kinds.tensors.used();
  r.kept.clear();
  if (const capture::Session* s = capture::current_session(); s && !s->symbolic)
    r.guards.each_changed([&](const std::string& name, PyObject* now) {
      ReadsObject::KeptRead kept{name, std::nullopt, {}};
      find_dependence(now, kept);
      r.kept.push_back(std::move(kept));
    });
  std::string failed;
  r.remembers.clear();
  // A list that the program only writes keeps its proxies, as in torch.fx.
  if (!r.guards.check(&failed) && o.take_proxies_out()) {
    if (constexpr std::string_view kProxy = "another Proxy"; failed.ends_with(kProxy))
      failed.replace(failed.size() - kProxy.size(), kProxy.size(), "a traced value");
    r.remembers = failed;
  }
  state_->finished = true;
}
// What a container holds, compared by identity.
static std::vector<Object> contents_of(PyObject* o) {
  std::vector<Object> out;
  auto add = [&](PyObject* item) { out.emplace_back(item); };
  if (PyList_Check(o)) {
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(o); ++k) add(PyList_GET_ITEM(o, k));
  } else if (PyDict_Check(o)) {
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) add(key), add(value);
  } else if (PyAnySet_Check(o)) {
    out.resize(static_cast<size_t>(PySet_GET_SIZE(o)));
  } else if (PyCell_Check(o) && PyCell_GET(o)) {
    add(PyCell_GET(o));
  }
  return out;
}

struct WritesSince::State {
  capture::bytecode::ReadSet* reads;
  std::vector<std::vector<Object>> before;  // of what has been written to already
};

WritesSince::WritesSince() {
  capture::machine::JumpHook* hook = nullptr;
  if (!capture::machine::runs_here(hook) || !hook) return;
  auto* reads = dynamic_cast<capture::bytecode::ReadSet*>(hook->watcher);
  if (!reads) return;
  state_ = std::make_unique<State>(State{reads, {}});
  for (const auto& entry : reads->written()) state_->before.push_back(contents_of(entry.object));
}
WritesSince::~WritesSince() = default;

std::string WritesSince::found() const {
  if (!state_) return {};
  const auto& written = state_->reads->written();
  auto same = [](const Object& a, const Object& b) { return a.get() == b.get(); };
  for (size_t k = 0; k < written.size(); ++k) {
    const bool known = k < state_->before.size();
    if (known && std::ranges::equal(state_->before[k], contents_of(written[k].object), same)) continue;
    const std::string name = state_->reads->name_of(written[k].object);
    return name.empty() ? "an object outside of it" : name;
  }
  return {};
}
#else
struct WritesSince::State {};
WritesSince::WritesSince() = default;
WritesSince::~WritesSince() = default;
std::string WritesSince::found() const { return {}; }
struct ReadingRun::State {};
ReadingRun::ReadingRun(nb::handle reads, bool) : reads_(reads) {}
ReadingRun::~ReadingRun() = default;
void ReadingRun::begin(nb::handle) {}
capture::machine::Watcher* ReadingRun::watcher() { return nullptr; }
void ReadingRun::finish() {}
#endif

void note_default_dtype() {
#ifdef MONOGRAPH_MACHINE
  if (t_observer && t_observer->active) t_observer->asks_default_dtype = true;
#endif
}

void ReadingRun::set_copied(const std::vector<Tensor>& tensors) {
  if (reads_.is_none()) return;
  ReadsObject& r = object_of(reads_.ptr());
  r.copied.clear();
  for (const Tensor& t : tensors)
    if (t->storage) r.copied.emplace_back(t, state_ ? state_->kinds.tensors.name_of(t) : "a tensor", UsedTensor::Reliance::Values, false);
}

namespace {

PyObject* changed_mode(const char* question, bool was) {
  return PyUnicode_FromFormat("%s was %s and is %s", question, was ? "True" : "False", was ? "False" : "True");
}

// None: all is as it was read. A tuple of bools: but for these modes. A str: what has changed.
PyObject* check_reads(PyObject* self, PyObject*) {
  ReadsObject& r = object_of(self);
  std::string failed;
  for (auto* tensors : {&r.copied, &r.used})
    for (UsedTensor& t : *tensors)
      if (!t.holds(&failed)) return PyUnicode_FromStringAndSize(failed.data(), static_cast<Py_ssize_t>(failed.size()));
  if (!r.guards.check(&failed)) return PyUnicode_FromStringAndSize(failed.data(), static_cast<Py_ssize_t>(failed.size()));
  if (r.grad && *r.grad != dispatch_state().grad_enabled) return changed_mode("torch.is_grad_enabled()", *r.grad);
  if (r.inference && *r.inference != inference_mode()) return changed_mode("torch.is_inference_mode_enabled()", *r.inference);
  if (r.default_dtype && *r.default_dtype != default_dtype())
    return PyUnicode_FromFormat("torch.get_default_dtype() was torch.%s and is torch.%s", std::string(name(*r.default_dtype)).c_str(),
                                std::string(name(default_dtype())).c_str());
  bool same = true;
  for (const GuardSet::Mode& m : r.modes) same = same && m.now() == m.training;
  if (same) Py_RETURN_NONE;
  PyObject* modes = PyTuple_New(static_cast<Py_ssize_t>(r.modes.size()));
  for (size_t k = 0; modes && k < r.modes.size(); ++k)
    PyTuple_SET_ITEM(modes, static_cast<Py_ssize_t>(k), PyBool_FromLong(r.modes[k].now()));
  return modes;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  ReadsObject& r = object_of(self);
  for (const GuardSet::Mode& m : r.modes) Py_VISIT(m.fields.get());
  for (const Object& container : r.written) Py_VISIT(container.get());
  return r.guards.traverse(visit, arg);
}

int clear(PyObject* self) {
  ReadsObject& r = object_of(self);
  GuardSet guards = std::move(r.guards);
  const std::vector<GuardSet::Mode> modes = std::move(r.modes);
  const std::vector<Object> written = std::move(r.written);
  r.guards = {}, r.modes = {}, r.copied = {}, r.used = {}, r.written = {};
  return 0;
}

void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  clear(self);
  ReadsObject& r = object_of(self);
  std::destroy_at(&r.guards), std::destroy_at(&r.modes), std::destroy_at(&r.copied), std::destroy_at(&r.used), std::destroy_at(&r.written),
      std::destroy_at(&r.changed), std::destroy_at(&r.kept), std::destroy_at(&r.remembers), std::destroy_at(&r.unseen),
      std::destroy_at(&r.asked_of_inputs);
  Py_TYPE(self)->tp_free(self);
}

nb::list texts(const std::vector<std::string>& lines) {
  nb::list list;
  for (const std::string& line : lines) list.append(to_python(std::string_view(line)));
  return list;
}

PyMethodDef methods[] = {{"check", check_reads, METH_NOARGS, nullptr}, {}};

}  // namespace

void init_reads(PyObject* module) {
  PyTypeObject& t = g_reads_type;
  t.tp_flags |= Py_TPFLAGS_HAVE_GC;
  t.tp_traverse = traverse, t.tp_clear = clear, t.tp_dealloc = dealloc, t.tp_free = PyObject_GC_Del;
  t.tp_methods = methods;
  add_type(module, t);
  nb::handle m(module);
  m.attr("_reads") = nb::cpp_function([] {
    nb::object made = check(PyType_GenericAlloc(&g_reads_type, 0));
    ReadsObject& r = object_of(made.ptr());
    new (&r.guards) GuardSet();
    new (&r.modes) std::vector<GuardSet::Mode>();
    new (&r.copied) std::vector<UsedTensor>();
    new (&r.used) std::vector<UsedTensor>();
    new (&r.written) std::vector<Object>();
    new (&r.changed) std::vector<std::string>();
    new (&r.kept) std::vector<ReadsObject::KeptRead>();
    new (&r.remembers) std::string();
    new (&r.grad) std::optional<bool>();
    new (&r.inference) std::optional<bool>();
    new (&r.default_dtype) std::optional<DType>();
    new (&r.unseen) nb::object(nb::list());
    new (&r.asked_of_inputs) nb::object(nb::list());
    return made;
  });
  // torch.is_grad_enabled() and torch.is_inference_mode_enabled(), asked by the program. Where the answer is the caller's mode, the capture holds for that.
  m.attr("_asks_grad_enabled") = nb::cpp_function([] {
    const DispatchState& state = dispatch_state();
#ifdef MONOGRAPH_MACHINE
    if (t_observer && t_observer->active && !capture::grad_mode_of_program()) {
      t_observer->asks_grad_mode = true;
      guard_mode("aten::is_grad_enabled", state.grad_enabled, "torch.is_grad_enabled()");
    }
#endif
    return state.grad_enabled;
  });
  m.attr("_asks_inference_mode") = nb::cpp_function([] {
#ifdef MONOGRAPH_MACHINE
    if (t_observer && t_observer->active && t_observer->began_in_inference == inference_mode()) {
      t_observer->asks_inference = true;
      guard_mode("prim::is_inference_mode_enabled", inference_mode(), "torch.is_inference_mode_enabled()");
    }
#endif
    return inference_mode();
  });
  // torch.get_default_dtype(), asked by the program.
  m.attr("_asks_default_dtype") = nb::cpp_function([] {
    note_default_dtype();
    return nb::borrow(object_of(default_dtype()));
  });
  // Adds a guard that a bool which the graph computes has this value; `question` is how the user wrote it.
  m.attr("_guard_bool") = nb::cpp_function([](nb::handle now, bool traced, const std::string& question) {
    IValue value;
    to_ivalue(now.ptr(), value);
    const SymbolicValue* number = symbolic_value(value);
    capture::Session* s = capture::current_session();
    if (number && number->node && s) s->writer.guard(number->node, traced, question);
  });
  // _reads_begin(root), _reads_end(): between them runs the program, as a call of `root`.
  m.attr("_reads_begin") = nb::cpp_function([](nb::handle root) {
#ifdef MONOGRAPH_MACHINE
    if (!t_observer) return;
    t_observer->begin(root.ptr());
    PyObject* tables = compiled::tables_of_all();
    for (Py_ssize_t k = 0; tables && k < PyTuple_GET_SIZE(tables); ++k)
      t_observer->guards.add_dict(PyTuple_GET_ITEM(tables, k), PyTuple_GET_ITEM(tables, k), "the hooks of all modules");
#endif
  });
  m.attr("_reads_end") = nb::cpp_function([] {
#ifdef MONOGRAPH_MACHINE
    if (t_observer) t_observer->active = false;
#endif
  });
  // The places that the program itself has changed, and what no check sees.
  m.attr("_reads_changed") = nb::cpp_function([](nb::handle o) { return texts(object_of(o.ptr()).changed); });
  // The lists, dicts, sets and cells that the program itself has changed.
  m.attr("_reads_written") = nb::cpp_function([](nb::handle o) {
    nb::list list;
    for (const Object& container : object_of(o.ptr()).written) list.append(nb::handle(container.get()));
    return list;
  });
  // What a trace read and then set: (name, "values", "sizes" or "nothing" of the inputs on which the new value depends, or "" if the graph does not compute it, and
  // where the program computes it).
  m.attr("_reads_kept") = nb::cpp_function([](nb::handle o) {
    constexpr std::array<std::string_view, 3> kWords = {"nothing", "sizes", "values"};
    nb::list list;
    for (const ReadsObject::KeptRead& kept : object_of(o.ptr()).kept)
      list.append(nb::make_tuple(to_python(std::string_view(kept.name)),
                                 to_python(kept.on ? kWords[static_cast<size_t>(*kept.on)] : std::string_view()),
                                 to_python(std::string_view(kept.place))));
    return list;
  });
  // What the program itself has written is not asked. To be called before anybody puts it back.
  m.attr("_reads_forgive_writes") = nb::cpp_function([](nb::handle o) {
    ReadsObject& r = object_of(o.ptr());
    std::unordered_set<PyObject*> written;
    for (const Object& container : r.written) written.insert(container.get());
    r.guards.forget_changes(written);
    r.changed.clear(), r.written.clear();
  });
  // The name of this entry of a dict, if the program has looked for it and not found it; else "".
  m.attr("_reads_missing") = nb::cpp_function(
      [](nb::handle o, nb::dict dict, nb::handle key) { return object_of(o.ptr()).guards.missing(dict.ptr(), key.ptr()); });
  m.attr("_reads_remembers") = nb::cpp_function([](nb::handle o) { return object_of(o.ptr()).remembers; });
  m.attr("_reads_unseen") = nb::cpp_function([](nb::handle o) { return object_of(o.ptr()).unseen; });
  // What the program asked about its inputs that another input may answer otherwise: (attribute, or "" for the type; in words; where).
  m.attr("_reads_of_inputs") = nb::cpp_function([](nb::handle o) { return object_of(o.ptr()).asked_of_inputs; });
  // Whether gradients were on, where the program's result depends on it; else None.
  m.attr("_reads_asked_grad") = nb::cpp_function([](nb::handle o) -> nb::object {
    const std::optional<bool> grad = object_of(o.ptr()).grad;
    return grad ? nb::object(nb::bool_(*grad)) : nb::none();
  });
  // The numbers and texts that were read, a line each.
  m.attr("_reads_values") = nb::cpp_function([](nb::handle o) { return texts(object_of(o.ptr()).guards.values()); });
  // The modes that were read: (name, training).
  m.attr("_reads_modes") = nb::cpp_function([](nb::handle o) {
    nb::list list;
    for (const GuardSet::Mode& mode : object_of(o.ptr()).modes)
      list.append(nb::make_tuple(to_python(std::string_view(mode.name)), mode.training));
    return list;
  });
  // Pairs of an object and its copy, in the place of which the copy is read: see GuardSet::follow.
  // `fields`: more of them, of which the modes alone count.
  m.attr("_reads_follow") = nb::cpp_function([](nb::handle o, nb::list pairs, nb::list fields) {
    std::unordered_map<PyObject*, PyObject*> copies;
    for (nb::handle pair : pairs) copies[nb::object(pair[0]).ptr()] = nb::object(pair[1]).ptr();
    ReadsObject& r = object_of(o.ptr());
    r.guards.follow(copies);
    for (nb::handle pair : fields) copies[nb::object(pair[0]).ptr()] = nb::object(pair[1]).ptr();
    for (GuardSet::Mode& mode : r.modes)
      if (const auto at = copies.find(mode.fields.get()); at != copies.end()) mode.fields = Object(at->second);
  });
  // In the place of all modes that were read: that of one module, by its __dict__.
  m.attr("_reads_one_mode") = nb::cpp_function([](nb::handle o, nb::handle fields, bool training) {
    ReadsObject& r = object_of(o.ptr());
    if (r.modes.empty()) return;
    r.modes.resize(1);
    r.modes[0].fields = Object(fields.ptr()), r.modes[0].training = training;
  });
  // Guards of what a script takes for a constant: an entry of a dict, a cell, a list, a function's code and defaults, an attribute of a class.
  m.attr("_reads_add") = nb::cpp_function(
      [](nb::handle o, std::string_view kind, nb::handle owner, nb::handle key, const std::string& name) {
        GuardSet& guards = object_of(o.ptr()).guards;
        PyObject* of = owner.ptr();
        if (kind == "entry") guards.add_item(of, key.ptr(), PyDict_GetItemWithError(of, key.ptr()), name);
        else if (kind == "cell") guards.add_cell(of, PyCell_GET(of), name);
        else if (kind == "dict") guards.add_dict(of, of, name);
        else if (kind == "list") guards.add_list(of, of, name);
        else if (kind == "function") guards.add_function(reinterpret_cast<PyFunctionObject*>(of), name);
        else if (kind == "attribute") {
          if (nb::object now = nb::getattr(owner, key, nb::handle()); now.is_valid()) guards.add_attribute(of, key.ptr(), now.ptr(), name);
        } else if (kind == "class") guards.add_type_attribute(reinterpret_cast<PyTypeObject*>(of), key.ptr());
      },
      nb::arg("reads"), nb::arg("kind"), nb::arg("owner"), nb::arg("key").none(), nb::arg("name"));
  // See GuardSet::forget_structure.
  m.attr("_reads_forget_structure") = nb::cpp_function([](nb::handle o, const std::string& root, const std::vector<std::string>& tables) {
    object_of(o.ptr()).guards.forget_structure(root, tables);
  });
  // Nothing of these dicts is asked any more.
  m.attr("_reads_forget") = nb::cpp_function([](nb::handle o, nb::list dicts) {
    std::unordered_set<PyObject*> gone;
    for (nb::handle d : dicts) gone.insert(d.ptr());
    object_of(o.ptr()).guards.forget(gone);
  });
  // Reads of the names in sys.modules that begin so, or that the run itself has imported, are dropped.
  m.attr("_reads_forget_modules") = nb::cpp_function([](nb::handle o, const std::string& package) {
    PyObject* modules = PyImport_GetModuleDict();
    object_of(o.ptr()).guards.forget_entries(modules, [&](PyObject* key, PyObject* expected) {
      const std::string name = capture::bytecode::utf8(key);
      if (name == package || name.starts_with(package + ".")) return true;
      PyObject* now = PyDict_GetItemWithError(modules, key);
      capture::machine::forget_error();
      return !expected && now;
    });
  });
  // What was read while these stood in its place is what stands there now.
  m.attr("_reads_forgive") = nb::cpp_function([](nb::handle o, nb::list passing) {
    std::unordered_set<PyObject*> known;
    for (nb::handle p : passing) known.insert(p.ptr());
    object_of(o.ptr()).guards.forgive([&](PyObject* expected) { return known.contains(expected); });
  });
}

}  // namespace monograph::python
