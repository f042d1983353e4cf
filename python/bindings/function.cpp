// torch.autograd.Function, saved-tensor hooks and anomaly mode: where the tape calls Python.
#include <functional>

#include <nanobind/stl/string.h>

#include "autograd.h"
#include "autograd/custom.h"
#include "capture/writer.h"
#include "compile.h"
#include "ops/dispatch.h"
#include "reads.h"
#include "tensor.h"

namespace monograph::python {
namespace {

// The base of a Function's contexts: the node that stands on the tape.
PyTypeObject g_function_base_type = make_type("monograph._C._FunctionBase", 0);

GradNodeObject& object_of_node(nb::handle context) { return *reinterpret_cast<GradNodeObject*>(context.ptr()); }

// What stays of the step of a Function's call when its results are gone and Python still holds the context, as in f(x).grad_fn: the name and the edges. The
// context owns it.
class StepWithoutResults final : public GradNode {
 public:
  StepWithoutResults(GradNode& step, void* context) : GradNode(step.sequence), name_(step.name()) {
    next = std::move(step.next), inputs = step.inputs, python = context;
  }
  std::vector<Tensor> apply(std::vector<Tensor>) override { fail(ErrorKind::Runtime, name_, ": the results of this step are gone"); }
  std::string name() const override { return name_; }

 private:
  std::string name_;
};

// The step of a Function's call. It owns the context, whose methods do the work (monograph/autograd/function.py).
class FunctionBackward final : public CustomBackward {
 public:
  FunctionBackward(nb::handle context, std::span<const Tensor> tensors) : CustomBackward(tensors), context_(context.inc_ref().ptr()) {
    python = context_;
  }
  ~FunctionBackward() override {
    if (!Py_IsInitialized()) return;
    nb::gil_scoped_acquire gil;
    GradNodeObject& object = object_of_node(context_);
    object.node = nullptr;
    if (Py_REFCNT(context_) > 1 && !next.empty()) {
      const auto rest = make_ref<StepWithoutResults>(*this, context_);
      rest->retain();
      object.node = rest.get(), object.owned = true;
    }
    Py_DECREF(context_);
  }
  std::vector<Tensor> backward(std::vector<Tensor> grads) override {
    nb::gil_scoped_acquire gil;
    return tensors_of(nb::handle(context_).attr("_run_backward")(to_tuple(grads)), "gradients");
  }
  std::string name() const override { return Py_TYPE(context_)->tp_name; }
  void* context() const override { return context_; }
  void release_saved() override {
    nb::gil_scoped_acquire gil;
    nb::handle(context_).attr("_release")();
  }

 private:
  PyObject* context_;
};

FunctionBackward& node_of(nb::handle context) { return static_cast<FunctionBackward&>(*object_of_node(context).node); }

PyObject* function_base_new(PyTypeObject* type, PyObject*, PyObject*) { return PyType_GenericAlloc(type, 0); }

// Until `end_function` the context owns the node too.
void begin_function(nb::handle context, nb::handle tensors) {
  const auto node = make_ref<FunctionBackward>(context, tensors_of(tensors, "inputs"));
  node->retain();
  object_of_node(context).node = node.get();
}
void end_function(nb::handle context) {
  if (GradNode* node = object_of_node(context).node) node->release();
}

}  // namespace

std::shared_ptr<const SavedTensorHooks> python_hooks(nb::handle pack, nb::handle unpack, bool neutral) {
  auto hooks = std::make_shared<SavedTensorHooks>();
  hooks->neutral = neutral;
  hooks->pack = [pack = shared(pack)](const Tensor& t) -> std::shared_ptr<void> {
    nb::gil_scoped_acquire gil;
    GradModeScope off(false);
    const uint32_t version = t.version();
    const nb::object given = wrap(t);
    track(given.ptr());  // what the hook returns may refer to the tensor, whose history keeps it
    nb::object kept = check(PyObject_CallOneArg(pack.get(), given.ptr()));
    MONOGRAPH_CHECK(
        t.version() == version, Runtime,
        "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be modified by "
        "in-place operations as this can lead to unexpected side-effects. Write into a clone()");
    return shared(kept);
  };
  hooks->unpack = [unpack = shared(unpack)](const std::shared_ptr<void>& kept) {
    nb::gil_scoped_acquire gil;
    nb::object t = check(PyObject_CallOneArg(unpack.get(), static_cast<PyObject*>(kept.get())));
    MONOGRAPH_CHECK(is_tensor(t.ptr()), Type, "Output of saved tensor unpack_hook expected to be a Tensor but got result of type ",
                    type_name(t.ptr()));
    return tensor_of(t.ptr());
  };
  return hooks;
}

namespace {

void push_saved_hooks(nb::handle pack, nb::handle unpack) { saved_tensor_hooks().push_back(python_hooks(pack, unpack, false)); }
// Of hooks that give back the same values: a capture may leave them out.
void push_neutral_hooks(nb::handle pack, nb::handle unpack) { saved_tensor_hooks().push_back(python_hooks(pack, unpack, true)); }

// The exception that backward has raised, as the reason why a capture has no gradient.
[[noreturn]] void refuse_backward() {
  nb::python_error error;
  const nb::object text = check(PyObject_Str(error.value().ptr()));
  fail(ErrorKind::NotImplemented, Py_TYPE(error.value().ptr())->tp_name, ": ", nb::cast<std::string>(text));
}

// Tells the capture that runs of a result. `backward` takes its gradient and gives a list of tensors and None; `needs` gives a list of indices, or None. Returns why
// there is no gradient of the result.
std::string function_result(nb::handle result, nb::handle inputs, nb::handle others, uint64_t begin, nb::handle backward, nb::handle needs,
                            const std::string& reason) {
  if (!function_result_hook) return {};
  const std::vector<Tensor> given = tensors_of(inputs, "inputs"), results = tensors_of(others, "others");
  const Tensor t = tensor_of(result.ptr());
  FunctionResult f{t, given, results, begin, {}, {}, reason};
  if (!backward.is_none())
    f.backward = [&](const Tensor& gradient) {
      std::vector<Tensor> out;
      const nb::object made = nb::steal(PyObject_CallOneArg(backward.ptr(), wrap(gradient).ptr()));
      if (!made.is_valid() && (compiled::is_compiling() || !PyErr_ExceptionMatches(PyExc_Exception))) nb::raise_python_error();
      if (!made.is_valid()) refuse_backward();
      for (nb::handle item : made) out.push_back(item.is_none() ? Tensor() : tensor_of(item.ptr()));
      return out;
    };
  if (!needs.is_none())
    f.needs = [&]() -> std::optional<std::vector<int64_t>> {
      const nb::object made = check(PyObject_CallNoArgs(needs.ptr()));
      if (made.is_none()) return {};
      std::vector<int64_t> out;
      for (nb::handle item : made) out.push_back(nb::cast<int64_t>(item));
      return out;
    };
  const WritesSince writes;
  std::string refusal = function_result_hook(f);
  const std::string written = writes.found();
  if (written.empty()) return refusal;
  MONOGRAPH_CHECK(
      compiled::is_compiling(), NotImplemented, "the backward of a torch.autograd.Function writes to ", written,
      ", and a graph cannot repeat this when a gradient is computed. Capture the function with on_change=\"ignore\", which leaves "
      "such writes out, or write in forward");
  return concat("backward writes to ", written);
}

// The dict of a node.
nb::object metadata_of(GradNode& node) {
  std::shared_ptr<void>& metadata = node.hooks().metadata;
  if (!metadata) metadata = shared(check(PyDict_New()));
  return nb::borrow(static_cast<PyObject*>(metadata.get()));
}
nb::object anomalies() { return nb::module_::import_("monograph.autograd.anomaly_mode"); }

void node_created(GradNode& node, const GradNode* by) {
  nb::gil_scoped_acquire gil;
  nb::object parent = by ? wrap_grad_node(Ref<GradNode>(const_cast<GradNode*>(by))) : nb::none();  // counted by its object
  anomalies().attr("_created")(metadata_of(node), parent);
}
// An exception is on its way: what this says comes before it.
void node_failed(GradNode& node) {
  nb::gil_scoped_acquire gil;
  try {
    anomalies().attr("_failed")(to_python(std::string_view(node.name())), metadata_of(node));
  } catch (nb::python_error& e) {
    e.discard_as_unraisable("detect_anomaly");
  }
}

}  // namespace

void init_function(PyObject* module) {
  PyTypeObject& t = g_function_base_type;
  t.tp_base = &grad_node_type();
  t.tp_basicsize = sizeof(GradNodeObject);
  t.tp_flags |= Py_TPFLAGS_BASETYPE;
  t.tp_new = function_base_new;
  add_type(module, t);
  anomaly_mode().created = node_created, anomaly_mode().failed = node_failed;

  nb::handle m(module);
  m.attr("_begin_function") = nb::cpp_function(begin_function);
  m.attr("_end_function") = nb::cpp_function(end_function);
  m.attr("_function_result") = nb::cpp_function(function_result, nb::arg("result"), nb::arg("inputs"), nb::arg("others"), nb::arg("begin"),
                                                nb::arg("backward").none(), nb::arg("needs").none(), nb::arg("reason"));
  m.attr("_node_count") = nb::cpp_function([] {
    capture::Session* s = capture::current_session();
    return s ? s->writer.graph.id_limit() : 0;
  });
  m.attr("_stands_for") = nb::cpp_function([](nb::handle t, nb::handle part) {
    capture::Writer& w = capture::current_session()->writer;
    ir::Node* node = w.find(tensor_of(part.ptr()));
    if (tensor_of(t.ptr())->kind == TensorImpl::Kind::Symbolic)
      static_cast<capture::SymbolicTensor*>(tensor_of(t.ptr()).impl())->node = node;
    else if (node) w.name(tensor_of(t.ptr()), node);
  });
  m.attr("_add_result") = nb::cpp_function([](nb::handle context, nb::handle t) { node_of(context).add_result(tensor_of(t.ptr())); });
  m.attr("_skip_result") = nb::cpp_function([](nb::handle context) { node_of(context).skip_result(); });
  m.attr("_is_view") = nb::cpp_function([](nb::handle t) { return bool(tensor_of(t.ptr())->base); });
  // A result may be an attribute of the context, which its node owns: the garbage collector has to see both.
  m.attr("_set_result") = nb::cpp_function([](nb::handle context, nb::handle t) {
    node_of(context).set_result(tensor_of(t.ptr()));
    track(t.ptr());
  });
  m.attr("_set_written") = nb::cpp_function([](nb::handle context, nb::handle t, size_t input) {
    node_of(context).set_written(tensor_of(t.ptr()), input);
    track(t.ptr());
  });
  m.attr("_set_materialize") = nb::cpp_function([](nb::handle context, bool on) { node_of(context).materialize = on; });
  m.attr("_linked") = nb::cpp_function(
      [](nb::handle context, nb::handle saved, uint32_t slot) { return wrap(node_of(context).linked(tensor_of(saved.ptr()), slot)); });
  m.attr("_without_history") = nb::cpp_function([](nb::handle t) { return wrap(alias_without_history(tensor_of(t.ptr()))); });
  m.attr("_keeping_history") = nb::cpp_function([](nb::handle t, nb::object unpack) -> nb::object {
    return nb::cpp_function([edge = gradient_edge(tensor_of(t.ptr())), unpack = std::move(unpack)] {
      nb::object found = unpack();
      const Tensor made = alias_without_history(tensor_of(found.ptr()));
      set_edge(made, edge);
      return wrap(made);
    });
  });
  m.attr("_push_saved_hooks") = nb::cpp_function(push_saved_hooks);
  m.attr("_push_neutral_hooks") = nb::cpp_function(push_neutral_hooks);
  m.attr("_pop_saved_hooks") = nb::cpp_function([] { saved_tensor_hooks().pop_back(); });
  // What the hook gives for a tensor, and the function that makes a tensor of it. Both are Python's, so that its garbage collector sees what they keep.
  m.attr("_pack") = nb::cpp_function([](nb::handle t) -> nb::object {
    const auto hooks = saved_tensor_hooks().back();
    const auto kept = hooks->pack(tensor_of(t.ptr()));
    const nb::object unpack = nb::cpp_function([hooks](nb::handle given) { return wrap(hooks->unpack(shared(given))); });
    return nb::make_tuple(nb::borrow(static_cast<PyObject*>(kept.get())), unpack);
  });
  m.attr("_has_saved_hooks") = nb::cpp_function([] { return !saved_tensor_hooks().empty(); });
  m.attr("_pass_id") = nb::cpp_function(backward_pass);
  m.attr("_will_run") = nb::cpp_function([](nb::handle node) {
    const GradNode* n = object_of_node(node).node;
    return n && backward_will_run(*n);
  });
  m.attr("_count_write") = nb::cpp_function([](nb::handle t) { tensor_of(t.ptr()).bump_version(); });
  m.attr("_set_anomaly") =
      nb::cpp_function([](bool enabled, bool check_nan) { anomaly_mode().enabled = enabled, anomaly_mode().check_nan = check_nan; });
  m.attr("_is_anomaly_enabled") = nb::cpp_function([] { return anomaly_mode().enabled.load(); });
  m.attr("_is_anomaly_check_nan") = nb::cpp_function([] { return anomaly_mode().check_nan.load(); });
}

}  // namespace monograph::python
