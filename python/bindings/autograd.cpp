// torch.autograd over src/autograd: gradients, backward passes, hooks.
#include "autograd.h"

#include <nanobind/stl/function.h>

#include <functional>
#include <memory>
#include <unordered_map>

#include "autograd/call_node.h"
#include "autograd/custom.h"
#include "capture/regions.h"
#include "capture/writer.h"
#include "ops/dispatch.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

PyTypeObject g_grad_node_type = make_type("monograph.autograd.graph.Node", 0);

GradNode& grad_node(PyObject* o) {
  GradNode* node = reinterpret_cast<GradNodeObject*>(o)->node;
  MONOGRAPH_CHECK(node, Runtime,
                  "this context of a torch.autograd.Function is not on the tape: no result of the function requires grad, or all are gone");
  return *node;
}

}  // namespace

PyTypeObject& grad_node_type() { return g_grad_node_type; }

std::shared_ptr<PyObject> shared(nb::handle object) {
  return {object.inc_ref().ptr(), [](PyObject* o) {
            if (!Py_IsInitialized()) return;
            PyGILState_STATE state = PyGILState_Ensure();
            Py_DECREF(o);
            PyGILState_Release(state);
          }};
}

nb::object to_tuple(const std::vector<Tensor>& tensors) {
  nb::object tuple = check(PyTuple_New(static_cast<Py_ssize_t>(tensors.size())));
  for (size_t i = 0; i < tensors.size(); ++i) PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), wrap(tensors[i]).release().ptr());
  return tuple;
}

namespace {

nb::object removable(const std::function<void()>& remove) {
  return nb::module_::import_("monograph.autograd").attr("HandleOfHook")(nb::cpp_function(remove));
}

// A hook written in Python, which the garbage collector finds by its type.
struct PythonHook {
  std::shared_ptr<PyObject> callable;

  // Of a tensor.
  Tensor operator()(const Tensor& g) const {
    nb::gil_scoped_acquire gil;
    nb::object grad = wrap(g), result = check(PyObject_CallOneArg(callable.get(), grad.ptr()));
    return result.is_none() ? Tensor() : replacement(g, result);
  }
  // Before a node.
  void operator()(std::vector<Tensor>& gradients) const {
    nb::gil_scoped_acquire gil;
    nb::object given = to_tuple(gradients);
    replace(gradients, check(PyObject_CallOneArg(callable.get(), given.ptr())));
  }
  // After a node.
  void operator()(std::vector<Tensor>& made, const std::vector<Tensor>& gradients) const {
    nb::gil_scoped_acquire gil;
    nb::object inputs = to_tuple(made), outputs = to_tuple(gradients);
    replace(made, check(PyObject_CallFunctionObjArgs(callable.get(), inputs.ptr(), outputs.ptr(), nullptr)));
  }

 private:
  std::string name() const {
    nb::object n = nb::getattr(nb::handle(callable.get()), "__name__", nb::none());
    return PyUnicode_Check(n.ptr()) ? std::string(text_of(n.ptr())) : "<unknown>";
  }
  // What takes the place of a gradient.
  Tensor replacement(const Tensor& g, const nb::object& result) const {
    if (result.is_none()) return {};
    MONOGRAPH_CHECK(g.defined(), Runtime, "can't replace a None gradient with a non-None value");
    MONOGRAPH_CHECK(is_tensor(result.ptr()), Type, "expected Variable, but hook returned '", type_name(result.ptr()), "'");
    Tensor replaced = tensor_of(result.ptr());
    MONOGRAPH_CHECK(replaced.dtype() == g.dtype(), Runtime, "hook '", name(), "' has changed the type of value (was torch.",
                    info(g.dtype()).scalar_type, "Tensor got torch.", info(replaced.dtype()).scalar_type, "Tensor)");
    MONOGRAPH_CHECK(replaced.sizes() == g.sizes(), Runtime, "hook '", name(), "' has changed the size of value (was ", to_string(g.sizes()),
                    " got ", to_string(replaced.sizes()), ")");
    return replaced;
  }
  void replace(std::vector<Tensor>& gradients, const nb::object& result) const {
    if (result.is_none()) return;
    MONOGRAPH_CHECK(PyTuple_Check(result.ptr()), Type, "expected tuple, but hook returned '", type_name(result.ptr()), "'");
    const auto n = static_cast<size_t>(PyTuple_GET_SIZE(result.ptr()));
    MONOGRAPH_CHECK(n == gradients.size(), Runtime, "hook '", name(), "' has returned an incorrect number of values (got ", n,
                    ", but expected ", gradients.size(), ")");
    for (size_t i = 0; i < n; ++i)
      gradients[i] = replacement(gradients[i], nb::borrow(PyTuple_GET_ITEM(result.ptr(), static_cast<Py_ssize_t>(i))));
  }
};

// A hook after accumulation, which returns nothing, or the parameter itself (lambda p: p.add_(...)).
struct PythonAccumulationHook {
  std::shared_ptr<PyObject> callable;
  void operator()(const Tensor& leaf) const {
    nb::gil_scoped_acquire gil;
    nb::object parameter = wrap(leaf), result = check(PyObject_CallOneArg(callable.get(), parameter.ptr()));
    MONOGRAPH_CHECK(result.is_none() || is_tensor(result.ptr()), Type, "expected Variable, but hook returned '", type_name(result.ptr()),
                    "'");
    MONOGRAPH_CHECK(result.is_none() || result.is(parameter), Runtime, "Tensor post accumulate grad hooks should return None.");
  }
};

int visit_owned(const OwnedHooks& owned, visitproc visit, void* arg) {
  auto visit_each = [&]<class Kept>(const auto& hooks, const Kept*) {
    for (const auto& hook : hooks) {
      const auto* python = hook->template target<Kept>();
      const long references = 2;  // the list and `hook`; more while the hook runs
      if (python && hook.use_count() == references) Py_VISIT(python->callable.get());
    }
    return 0;
  };
  const PythonHook* kind = nullptr;
  const PythonAccumulationHook* after = nullptr;
  for (int status : {visit_each(owned.tensors, kind), visit_each(owned.before, kind), visit_each(owned.after, kind),
                     visit_each(owned.accumulation, after)})
    if (status) return status;
  for (void* context : owned.contexts) Py_VISIT(static_cast<PyObject*>(context));
  return 0;
}

// Returns the function that removes the hook.
nb::object add_python_hook(nb::handle tensor, nb::handle callable) {
  HookHandle handle = add_hook(tensor_of(tensor.ptr()), PythonHook{shared(callable)});
  track(tensor.ptr());  // the hook may refer to the tensor
  return nb::cpp_function([handle] { handle.remove(); });
}
nb::object add_python_accumulation_hook(nb::handle tensor, nb::handle callable) {
  HookHandle handle = add_accumulation_hook(tensor_of(tensor.ptr()), PythonAccumulationHook{shared(callable)});
  track(tensor.ptr());
  return nb::cpp_function([handle] { handle.remove(); });
}

// The class of nodes of one name, as programs that draw the tape ask for it: type(y.grad_fn).__name__.
nb::object node_class(const std::string& name) {
  static auto* classes = new std::unordered_map<std::string, nb::object>;  // with the interpreter's lock held
  const std::string last = name.substr(name.rfind(':') + 1);
  nb::object& known = (*classes)[last];
  if (!known.is_valid())
    known = check(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){s(),ss}", last.c_str(), &g_grad_node_type,
                                        "__slots__", "__module__", "builtins"));
  return known;
}

}  // namespace

nb::object wrap_grad_node(const Ref<GradNode>& node) {
  if (!node) return nb::none();
  if (node->python) return nb::borrow(static_cast<PyObject*>(node->python));
  nb::object type = node_class(node->name());
  auto o = check(PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(type.ptr()), 0));
  node->retain();
  reinterpret_cast<GradNodeObject*>(o.ptr())->node = node.get();
  reinterpret_cast<GradNodeObject*>(o.ptr())->owned = true;
  node->python = o.ptr();
  return o;
}

namespace {

void grad_node_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (auto* object = reinterpret_cast<GradNodeObject*>(self); object->node && object->owned) {
    object->node->python = nullptr;
    object->node->release();
  }
  Py_TYPE(self)->tp_free(self);
}
int grad_node_traverse(PyObject* self, visitproc visit, void* arg) {
  auto* object = reinterpret_cast<GradNodeObject*>(self);
  GradNode* node = object->node;
  if (!node || !object->owned || node->use_count() != 1) return 0;
  if (const NodeHooks* hooks = node->find_hooks(); hooks && hooks->metadata) Py_VISIT(static_cast<PyObject*>(hooks->metadata.get()));
  return visit_owned(owned_hooks(*node), visit, arg);
}
int grad_node_clear(PyObject* self) {
  GradNode* node = reinterpret_cast<GradNodeObject*>(self)->node;
  if (!node || node->use_count() != 1 || !node->find_hooks()) return 0;
  NodeHooks dropped;
  std::swap(dropped, node->hooks());
  return 0;
}
PyObject* grad_node_name(PyObject* self, PyObject*) {
  return guard([&] { return to_python(std::string_view(grad_node(self).name())).release().ptr(); });
}
PyObject* grad_node_repr(PyObject* self) {
  return PyUnicode_FromFormat("<%s object at %p>", Py_TYPE(self)->tp_name, static_cast<void*>(self));
}
PyObject* grad_node_next(PyObject* self, void*) {
  return guard([&] {
    auto list = check(PyList_New(0));
    for (const GradEdge& e : grad_node(self).shown_next()) {
      auto pair = check(Py_BuildValue("(Oi)", wrap_grad_node(e.node).ptr(), static_cast<int>(e.slot)));
      check(PyList_Append(list.ptr(), pair.ptr()));
    }
    return PyList_AsTuple(list.ptr());
  });
}
PyObject* grad_node_metadata(PyObject* self, void*) {
  return guard([&] {
    std::shared_ptr<void>& metadata = grad_node(self).hooks().metadata;
    if (!metadata) metadata = shared(check(PyDict_New()));
    return new_ref(static_cast<PyObject*>(metadata.get())).release().ptr();
  });
}
PyObject* grad_node_variable(PyObject* self, void*) {
  return guard([&] {
    const Tensor* leaf = leaf_of(grad_node(self));
    if (leaf) return wrap(*leaf).release().ptr();
    PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute 'variable'", Py_TYPE(self)->tp_name);
    raise_set();
  });
}
// Ints without their signs, as PyTorch shows those of many nodes.
nb::object saved_int(int64_t v, const SavedFact& fact) {
  return fact.without_sign ? check(PyLong_FromUnsignedLongLong(static_cast<uint64_t>(v))) : to_python(v);
}
nb::object saved_object(const IValue& v, const SavedFact& fact) {
  if (v.is_int()) return saved_int(v.to_int(), fact);
  if (!v.is_ints() && !v.is_list()) return to_python(v);
  const size_t count = v.is_ints() ? v.to_ints().size() : v.items().size();
  nb::object tuple = check(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (size_t i = 0; i < count; ++i)
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i),
                     (v.is_ints() ? saved_int(v.to_ints()[i], fact) : saved_object(v.items()[i], fact)).release().ptr());
  return tuple;
}

constexpr std::string_view kSaved = "_saved_", kRawSaved = "_raw_saved_";
const SavedFact* find_saved(GradNode& node, std::string_view name) {
  for (const SavedFact* fact : node.shown_saved())
    if (fact->name == name) return fact;
  return nullptr;
}
// grad_fn._saved_self and the like, and every other attribute.
PyObject* grad_node_attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  const std::string_view text = text_of(name);
  const bool raw = text.starts_with(kRawSaved);
  GradNode* node = reinterpret_cast<GradNodeObject*>(self)->node;
  if (!node || (!raw && !text.starts_with(kSaved))) return nullptr;
  const nb::python_error missing;
  return guard([&] {
    const SavedFact* fact = find_saved(*node, text.substr(raw ? kRawSaved.size() : kSaved.size()));
    if (!fact || (raw && fact->kind == SavedFact::Kind::Value)) throw missing;
    if (!raw) return saved_object(node->saved_value(*fact), *fact).release().ptr();
    return nb::module_::import_("monograph.autograd.graph").attr("SavedTensor")(nb::handle(self), std::string(fact->name)).release().ptr();
  });
}
PyObject* grad_node_dir(PyObject* self, PyObject*) {
  return guard([&] {
    nb::object names = check(PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyBaseObject_Type), "__dir__", "O", self));
    GradNode* node = reinterpret_cast<GradNodeObject*>(self)->node;
    for (const SavedFact* fact : node ? node->shown_saved() : std::vector<const SavedFact*>())
      for (std::string_view prefix : {kSaved, kRawSaved})
        if (prefix == kSaved || fact->kind != SavedFact::Kind::Value)
          check(PyList_Append(names.ptr(), to_python(std::string_view(concat(prefix, fact->name))).ptr()));
    return names.release().ptr();
  });
}
// SavedTensor.register_hooks.
void register_saved_hooks(nb::handle node, const std::string& name, nb::handle pack, nb::handle unpack) {
  GradNode& n = grad_node(node.ptr());
  if (const SavedFact* fact = find_saved(n, name)) n.pack_value(*fact, python_hooks(pack, unpack, false));
}

// A tensor without data where result `slot` of a node is.
Tensor result_like(const GradNode& node, uint32_t slot) {
  if (const Tensor* leaf = leaf_of(node)) return without_data(*leaf);
  if (const auto* call = dynamic_cast<const OperatorBackward*>(&node)) return call->result_like(slot);
  const auto* function = dynamic_cast<const CustomBackward*>(&node);
  return function ? function->result_like(slot) : Tensor();
}
PyObject* grad_node_input_metadata(PyObject* self, void*) {
  return guard([&] {
    const GradNode& node = grad_node(self);
    nb::object make = nb::module_::import_("monograph.autograd.graph").attr("InputMetadata"), list = check(PyList_New(0));
    for (uint32_t slot = 0; slot < node.inputs; ++slot) {
      const Tensor t = result_like(node, slot);
      const nb::object given = t.defined() ? wrap(t) : nb::none();
      check(PyList_Append(list.ptr(), (t.defined() ? make(given.attr("shape"), given.attr("dtype")) : nb::none()).ptr()));
    }
    return list.release().ptr();
  });
}
PyObject* grad_node_requires_grad(PyObject*, void*) { Py_RETURN_TRUE; }
// grad_fn(*grads): the step alone, without hooks.
PyObject* grad_node_call(PyObject* self, PyObject* args, PyObject* keywords) {
  return guard([&] {
    MONOGRAPH_CHECK(!keywords || PyDict_GET_SIZE(keywords) == 0, Type, "keyword arguments are not supported");
    GradNode& node = grad_node(self);
    const std::string reason = node.why_no_hooks();
    MONOGRAPH_CHECK(reason.empty(), NotImplemented, node.name(), ": ", reason);
    std::vector<Tensor> grads = tensors_of(args, "gradients");
    MONOGRAPH_CHECK(grads.size() == node.inputs, Runtime, node.name(), " takes ", node.inputs, " gradients, but got ", grads.size());
    std::vector<Tensor> made = node.apply(std::move(grads));
    made.resize(node.next.size());
    made = node.as_shown(std::move(made));
    return made.size() == 1 ? wrap(made[0]).release().ptr() : to_tuple(made).release().ptr();
  });
}

void check_hookable(PyObject* self) {
  const std::string reason = grad_node(self).why_no_hooks();
  MONOGRAPH_CHECK(reason.empty(), NotImplemented, grad_node(self).name(), ": ", reason);
}
// Both give the handle that removes the hook.
template <class List>
PyObject* add_node_hook(const std::shared_ptr<List>& hooks, PyObject* callable) {
  const HookHandle handle{hooks, hooks->add(PythonHook{shared(callable)})};
  return removable([handle] { handle.remove(); }).release().ptr();
}
PyObject* grad_node_register_hook(PyObject* self, PyObject* callable) {
  return guard([&] { return check_hookable(self), add_node_hook(grad_node(self).hooks().after, callable); });
}
PyObject* grad_node_register_prehook(PyObject* self, PyObject* callable) {
  return guard([&] {
    const auto* step = dynamic_cast<const OperatorBackward*>(&grad_node(self));
    if (step && step->is_shown_only) check_hookable(self);
    return add_node_hook(grad_node(self).hooks().before, callable);
  });
}
PyObject* grad_node_sequence(PyObject* self, PyObject*) {
  return guard([&] { return PyLong_FromUnsignedLongLong(grad_node(self).sequence); });
}
PyMethodDef grad_node_methods[] = {
    {"name", grad_node_name, METH_NOARGS, "The name of this node, as 'MulBackward0'."},
    {"register_hook", grad_node_register_hook, METH_O,
     "Calls hook(grad_inputs, grad_outputs) after the step of this node. Both are tuples; None stands for no gradient. grad_inputs are "
     "the\n"
     "gradients that flow on, one for each of next_functions. If the hook returns a tuple, it takes the place of grad_inputs."},
    {"register_prehook", grad_node_register_prehook, METH_O,
     "Calls hook(grad_outputs) before the step of this node, with a tuple of the gradients of its results. If the hook returns a tuple, "
     "it\n"
     "takes their place."},
    {"_sequence_nr", grad_node_sequence, METH_NOARGS, nullptr},
    {"__dir__", grad_node_dir, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef grad_node_getset[] = {
    {"next_functions", grad_node_next, nullptr,
     "Where gradients flow on: for each tensor among the arguments, the node that made it, and which of that node's results it is.",
     nullptr},
    {"metadata", grad_node_metadata, nullptr, "A dict for what a program wants to keep on this node.", nullptr},
    {"_input_metadata", grad_node_input_metadata, nullptr, nullptr, nullptr},
    {"requires_grad", grad_node_requires_grad, nullptr, nullptr, nullptr},
    {"variable", grad_node_variable, nullptr, "Of an AccumulateGrad node: the leaf whose .grad it adds to.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

std::vector<Tensor> tensors_of(nb::handle sequence, const char* what) {
  std::vector<Tensor> tensors;
  for (nb::handle o : sequence) {
    if (o.is_none()) tensors.emplace_back();
    else if (is_tensor(o.ptr())) tensors.push_back(tensor_of(o.ptr()));
    else fail(ErrorKind::Type, what, " must be Tensors or None, but got ", type_name(o.ptr()));
  }
  return tensors;
}

namespace {

// Gives the interpreter's lock to others, but where a capture records the pass: it asks Python where the program is.
class Unlocked {
 public:
  Unlocked() : state_(dispatch_state().top ? nullptr : PyEval_SaveThread()) {}
  ~Unlocked() {
    if (state_) PyEval_RestoreThread(state_);
  }
  Unlocked(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

void run_backward(nb::handle roots, nb::handle grads, bool retain_graph, bool create_graph, nb::handle inputs) {
  std::vector<Tensor> r = tensors_of(roots, "roots"), g = tensors_of(grads, "gradients"), in = tensors_of(inputs, "inputs");
  const std::vector<Tensor> leaves = capture::leaves_without_gradient_elsewhere(r);
  {
    Unlocked unlocked;
    backward(r, g, {retain_graph, create_graph}, in);
  }
  capture::note_gradients_that_may_be_none(leaves);
}

nb::object run_gradients(nb::handle roots, nb::handle grads, nb::handle inputs, bool retain_graph, bool create_graph, bool allow_unused) {
  std::vector<Tensor> r = tensors_of(roots, "outputs"), g = tensors_of(grads, "gradients"), in = tensors_of(inputs, "inputs"), out;
  {
    Unlocked unlocked;
    out = gradients(r, g, in, {retain_graph, create_graph}, allow_unused);
  }
  nb::list list;
  for (const Tensor& t : out) list.append(wrap(t));
  return nb::tuple(list);
}

}  // namespace

Tensor grad_of(const Tensor& t) {
  const GradMeta* meta = find_grad_meta(t);
  if (!meta) return {};
  return meta->retained && meta->retained->defined() ? *meta->retained : meta->grad;
}

void set_grad(const Tensor& t, const Tensor& grad) {
  if (grad.defined()) {
    MONOGRAPH_CHECK(grad.dtype() == t.dtype(), Runtime, "assigned grad has data of a different type: torch.", name(grad.dtype()),
                    " for a tensor of torch.", name(t.dtype()));
    MONOGRAPH_CHECK(grad.sizes() == t.sizes(), Runtime, "assigned grad has data of a different size: ", to_string(grad.sizes()),
                    " for a tensor of size ", to_string(t.sizes()));
  } else if (!find_grad_meta(t)) {
    return;
  }
  GradMeta& meta = grad_meta(t);
  if (meta.retained) *meta.retained = {};
  meta.grad = grad;
}

nb::object grad_fn_of(const Tensor& t) {
  if (!t.requires_grad()) return nb::none();
  if (t->python) track(static_cast<PyObject*>(t->python));  // the program may hang a hook on the node that refers to the tensor
  return wrap_grad_node(grad_fn(t));
}

int64_t output_number(const Tensor& t) {
  const GradMeta* meta = find_grad_meta(t);
  return meta ? meta->slot : 0;
}

int visit_hooks(const Tensor& t, visitproc visit, void* arg) { return find_grad_meta(t) ? visit_owned(owned_hooks(t), visit, arg) : 0; }

Tensor data_of(const Tensor& t) {
  Tensor view = t.as_strided(t.sizes(), t.strides(), t->offset);
  view->own_version = make_ref<VersionCounter>();
  return view;
}

static void switch_gradients(bool on, bool by_program) {
  dispatch_state().grad_enabled = on;
  capture::set_grad_mode_of_program(by_program);
}

void init_autograd(PyObject* module) {
  install_autograd();
  PyTypeObject& n = g_grad_node_type;
  n.tp_basicsize = sizeof(GradNodeObject);
  n.tp_flags |= Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  n.tp_traverse = grad_node_traverse, n.tp_clear = grad_node_clear, n.tp_free = PyObject_GC_Del;
  n.tp_dealloc = grad_node_dealloc, n.tp_repr = grad_node_repr;
  n.tp_getattro = grad_node_attribute, n.tp_call = grad_node_call, n.tp_methods = grad_node_methods, n.tp_getset = grad_node_getset;
  check(PyType_Ready(&n));
  check(PyModule_AddObjectRef(module, "_GradNode", reinterpret_cast<PyObject*>(&n)));

  init_function(module);

  nb::handle m(module);
  m.attr("_is_grad_enabled") = nb::cpp_function([] { return dispatch_state().grad_enabled; });
  m.attr("_set_grad_enabled") = nb::cpp_function([](bool on) { dispatch_state().grad_enabled = on; });
  // The program switches gradients on or off, and later back to what _grad_mode() gave before.
  m.attr("_enable_grad") = nb::cpp_function([] { switch_gradients(true, true); });
  m.attr("_disable_grad") = nb::cpp_function([] { switch_gradients(false, true); });
  m.attr("_grad_mode") = nb::cpp_function([] { return dispatch_state().grad_enabled | capture::grad_mode_of_program() << 1; });
  m.attr("_restore_grad_mode") = nb::cpp_function([](int mode) { switch_gradients((mode & 1) != 0, (mode & 2) != 0); });
  m.attr("_is_inference_mode") = nb::cpp_function(inference_mode);
  m.attr("_set_inference_mode") = nb::cpp_function(set_inference_mode);
  m.attr("_backward") = nb::cpp_function(run_backward);
  // A tensor without data, of the sizes and dtype of t, to which gradients flow from where they flow to t now.
  m.attr("_at_edge_of") = nb::cpp_function([](nb::handle t) {
    const GradEdge edge = gradient_edge(tensor_of(t.ptr()));
    const Tensor at = without_data(tensor_of(t.ptr()));
    set_history(at, edge.node, edge.slot);
    return wrap(at);
  });
  m.attr("_at_edge") = nb::cpp_function([](nb::handle node, uint32_t slot) -> nb::object {
    GradNode& n = grad_node(node.ptr());
    if (const Tensor* leaf = leaf_of(n)) return wrap(*leaf);
    const Tensor at = result_like(n, slot);
    if (!at.defined()) return nb::none();
    set_history(at, Ref<GradNode>(&n), slot);
    return wrap(at);
  });
  m.attr("_gradients") = nb::cpp_function(run_gradients);
  m.attr("_check_which_are_none") = nb::cpp_function([](nb::handle roots, nb::handle inputs) {
    if (capture::current_session()) capture::check_which_are_none(tensors_of(roots, "outputs"), tensors_of(inputs, "inputs"));
  });
  m.attr("_register_saved_hooks") = nb::cpp_function(register_saved_hooks);
  m.attr("_add_hook") = nb::cpp_function(add_python_hook);
  m.attr("_add_accumulation_hook") = nb::cpp_function(add_python_accumulation_hook);
  m.attr("_retain_grad") = nb::cpp_function([](nb::handle t) { retain_grad(tensor_of(t.ptr())); });
  m.attr("_retains_grad") = nb::cpp_function([](nb::handle t) { return retains_grad(tensor_of(t.ptr())); });
  m.attr("_detach_in_place") = nb::cpp_function([](nb::handle t) {
    MONOGRAPH_CHECK(!tensor_of(t.ptr())->base, Runtime, "Can't detach views in-place. Use detach() instead.");
    detach_in_place(tensor_of(t.ptr()));
  });
}

}  // namespace monograph::python
