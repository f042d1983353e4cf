// torch.autograd over src/autograd: gradients, backward passes, hooks.
#include "autograd.h"

#include <memory>

#include "autograd/engine.h"
#include "ops/dispatch.h"
#include "tensor.h"

namespace monograph::python {
namespace {

PyTypeObject g_grad_node_type = make_type("monograph.autograd.graph.Node", 0);

struct GradNodeObject {
  PyObject_HEAD GradNode* node;  // counted
};
GradNode& grad_node(PyObject* o) { return *reinterpret_cast<GradNodeObject*>(o)->node; }

nb::object wrap_grad_node(const Ref<GradNode>& node) {
  if (!node) return nb::none();
  if (node->python) return nb::borrow(static_cast<PyObject*>(node->python));
  auto o = check(g_grad_node_type.tp_alloc(&g_grad_node_type, 0));
  node->retain();
  reinterpret_cast<GradNodeObject*>(o.ptr())->node = node.get();
  node->python = o.ptr();
  return o;
}

void grad_node_dealloc(PyObject* self) {
  grad_node(self).python = nullptr;
  grad_node(self).release();
  Py_TYPE(self)->tp_free(self);
}
PyObject* grad_node_name(PyObject* self, PyObject*) {
  return guard([&] { return to_python(std::string_view(grad_node(self).name())).release().ptr(); });
}
PyObject* grad_node_repr(PyObject* self) {
  return PyUnicode_FromFormat("<%s object at %p>", grad_node(self).name().c_str(), static_cast<void*>(&grad_node(self)));
}
PyObject* grad_node_next(PyObject* self, void*) {
  return guard([&] {
    auto list = check(PyList_New(0));
    for (const GradEdge& e : grad_node(self).next) {
      auto pair = check(Py_BuildValue("(Oi)", wrap_grad_node(e.node).ptr(), static_cast<int>(e.slot)));
      check(PyList_Append(list.ptr(), pair.ptr()));
    }
    return PyList_AsTuple(list.ptr());
  });
}
PyMethodDef grad_node_methods[] = {{"name", grad_node_name, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyGetSetDef grad_node_getset[] = {{"next_functions", grad_node_next, nullptr, nullptr, nullptr},
                                  {nullptr, nullptr, nullptr, nullptr, nullptr}};

std::vector<Tensor> tensors_of(nb::handle sequence, const char* what) {
  std::vector<Tensor> tensors;
  for (nb::handle o : sequence) {
    if (o.is_none()) tensors.emplace_back();
    else if (is_tensor(o.ptr())) tensors.push_back(tensor_of(o.ptr()));
    else fail(ErrorKind::Type, what, " must be Tensors or None, but got ", type_name(o.ptr()));
  }
  return tensors;
}

// A Python callable that C++ may drop on any thread.
std::shared_ptr<PyObject> shared(nb::handle callable) {
  return {callable.inc_ref().ptr(), [](PyObject* o) {
            if (!Py_IsInitialized()) return;
            PyGILState_STATE state = PyGILState_Ensure();
            Py_DECREF(o);
            PyGILState_Release(state);
          }};
}

// A hook written in Python, which the garbage collector finds by its type.
struct PythonHook {
  std::shared_ptr<PyObject> callable;

  Tensor operator()(const Tensor& g) const {
    nb::gil_scoped_acquire gil;
    nb::object grad = g.defined() ? nb::object(wrap(g)) : nb::none();
    nb::object result = check(PyObject_CallOneArg(callable.get(), grad.ptr()));
    if (result.is_none()) return {};
    MONOGRAPH_CHECK(is_tensor(result.ptr()), Type, "a hook returns a Tensor or None, but this one returned ", type_name(result.ptr()));
    const Tensor& replaced = tensor_of(result.ptr());
    MONOGRAPH_CHECK(!g.defined() || (replaced.sizes() == g.sizes() && replaced.dtype() == g.dtype()), Runtime,
                    "hook has changed the size or dtype of the gradient: expected ", to_string(g.sizes()), " of torch.", name(g.dtype()),
                    ", but got ", to_string(replaced.sizes()), " of torch.", name(replaced.dtype()));
    return replaced;
  }
};

// Returns the function that removes the hook.
nb::object add_python_hook(nb::handle tensor, nb::handle callable) {
  HookHandle handle = add_hook(tensor_of(tensor.ptr()), PythonHook{shared(callable)});
  track(tensor.ptr());  // the hook may refer to the tensor
  return nb::cpp_function([handle] { handle.remove(); });
}

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
  Unlocked unlocked;
  backward(r, g, {retain_graph, create_graph}, in);
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

nb::object grad_fn_of(const Tensor& t) { return t.requires_grad() ? wrap_grad_node(grad_fn(t)) : nb::none(); }

int64_t output_number(const Tensor& t) {
  const GradMeta* meta = find_grad_meta(t);
  return meta ? meta->slot : 0;
}

int visit_hooks(const Tensor& t, visitproc visit, void* arg) {
  if (!find_grad_meta(t)) return 0;
  for (const auto& hook : owned_hooks(t)) {
    const auto* python = hook->target<PythonHook>();
    const long references = 2;  // the list and `hook`; more while the hook runs
    if (python && hook.use_count() == references) Py_VISIT(python->callable.get());
  }
  return 0;
}

Tensor data_of(const Tensor& t) {
  Tensor view = t.as_strided(t.sizes(), t.strides(), t->offset);
  view->own_version = make_ref<VersionCounter>();
  return view;
}

void init_autograd(PyObject* module) {
  install_autograd();
  PyTypeObject& n = g_grad_node_type;
  n.tp_basicsize = sizeof(GradNodeObject);
  n.tp_dealloc = grad_node_dealloc, n.tp_repr = grad_node_repr;
  n.tp_methods = grad_node_methods, n.tp_getset = grad_node_getset;
  check(PyType_Ready(&n));
  check(PyModule_AddObjectRef(module, "_GradNode", reinterpret_cast<PyObject*>(&n)));

  nb::handle m(module);
  m.attr("_is_grad_enabled") = nb::cpp_function([] { return dispatch_state().grad_enabled; });
  m.attr("_set_grad_enabled") = nb::cpp_function([](bool on) { dispatch_state().grad_enabled = on; });
  m.attr("_is_inference_mode") = nb::cpp_function(inference_mode);
  m.attr("_set_inference_mode") = nb::cpp_function(set_inference_mode);
  m.attr("_backward") = nb::cpp_function(run_backward);
  m.attr("_gradients") = nb::cpp_function(run_gradients);
  m.attr("_add_hook") = nb::cpp_function(add_python_hook);
  m.attr("_retain_grad") = nb::cpp_function([](nb::handle t) { retain_grad(tensor_of(t.ptr())); });
  m.attr("_detach_in_place") = nb::cpp_function([](nb::handle t) {
    MONOGRAPH_CHECK(!tensor_of(t.ptr())->base, Runtime, "Can't detach views in-place. Use detach() instead.");
    detach_in_place(tensor_of(t.ptr()));
  });
}

}  // namespace monograph::python
