// Operators that Python programs define (monograph.library): records whose rules are Python functions.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "autograd/engine.h"
#include "capture/machine/machine.h"
#include "core/tensor.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/registry.h"
#include "ops/rule.h"
#include "ops/value_kind.h"
#include "python.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

// A record's functions; they live as long as the process, like the record. Touched with the interpreter's lock held.
struct Rules {
  nb::object eval, fake, backward, setup_context;
  bool new_results = false;  // no result may share its memory with an argument or another result, as custom_op promises
};
std::unordered_map<const Operator*, Rules>& rules() {
  static auto* all = new std::unordered_map<const Operator*, Rules>;
  return *all;
}

// Positional arguments and keywords as the schema has them.
nb::object call_with(const Operator& op, const nb::object& f, const std::vector<nb::object>& args) {
  const auto& places = op.schema().arguments();
  size_t positional = 0;
  while (positional < places.size() && !places[positional].kwarg_only) ++positional;
  nb::object values = check(PyTuple_New(static_cast<Py_ssize_t>(positional))), keywords = check(PyDict_New());
  for (size_t k = 0; k < places.size(); ++k)
    if (k < positional) PyTuple_SET_ITEM(values.ptr(), static_cast<Py_ssize_t>(k), nb::object(args[k]).release().ptr());
    else check(PyDict_SetItemString(keywords.ptr(), places[k].name.c_str(), args[k].ptr()));
  return check(PyObject_Call(f.ptr(), values.ptr(), keywords.ptr()));
}

std::vector<nb::object> objects(const IValue* values, size_t n) {
  std::vector<nb::object> out;
  for (size_t k = 0; k < n; ++k) out.push_back(to_python(values[k]));
  return out;
}

IValue value_of(const Operator& op, PyObject* o) {
  IValue v;
  MONOGRAPH_CHECK(to_ivalue(o, v) == nullptr, Type, "[", op.name(), "] the function returns an object of type ", type_name(o),
                  ", which no operator gives");
  return v;
}

// The parts of what a function of an operator with `n` results returned.
std::vector<nb::object> results_of(const Operator& op, const nb::object& returned, size_t n) {
  if (n == 1) return {returned};
  if (n == 0) return {};
  nb::object parts = check(PySequence_Fast(returned.ptr(), "an operator with several results returns a tuple of them"));
  MONOGRAPH_CHECK(PySequence_Fast_GET_SIZE(parts.ptr()) == static_cast<Py_ssize_t>(n), Runtime, "[", op.name(), "] the function returns ",
                  static_cast<int64_t>(PySequence_Fast_GET_SIZE(parts.ptr())), " values, the schema says ", n);
  std::vector<nb::object> out;
  for (size_t k = 0; k < n; ++k) out.push_back(new_ref(PySequence_Fast_GET_ITEM(parts.ptr(), static_cast<Py_ssize_t>(k))));
  return out;
}

// The tensors of a value, those in its lists included.
template <class F>
void each_tensor(const IValue& v, const F& f) {
  if (v.is_tensor() && v.as_tensor().defined()) return f(v.as_tensor());
  if (!v.is_list() && !v.is_tuple()) return;
  for (const IValue& part : v.items()) each_tensor(part, f);
}

// Captures and gradients rely on what the schema says about memory.
void check_new_results(const Operator& op, const IValue* args, const IValue* results, size_t n) {
  std::vector<const void*> memories;
  for (size_t i = 0; i < op.schema().arguments().size(); ++i)
    each_tensor(args[i], [&](const Tensor& t) { memories.push_back(t->storage.get()); });
  auto is_written = [&](size_t k) {
    for (size_t i = 0; i < op.schema().arguments().size(); ++i)
      if (op.schema().returns_argument(k, i)) return true;
    return false;
  };
  for (size_t k = 0; k < n; ++k)
    each_tensor(is_written(k) ? IValue() : results[k], [&](const Tensor& t) {
      const void* memory = t->storage.get();
      MONOGRAPH_CHECK(
          !memory || std::ranges::find(memories, memory) == memories.end(), Runtime, "[", op.name(),
          "] the function returned a tensor that shares its memory with an argument or with another result. Return a copy: x.clone()");
      memories.push_back(memory);
    });
}

void eval_python(const Operator& op, const IValue* args, IValue* results) {
  nb::gil_scoped_acquire gil;
  const capture::machine::Unwatched unwatched;  // a graph calls the operator, so what that reads and writes is no part of a capture
  nb::object f = rules()[&op].eval;
  MONOGRAPH_CHECK(f.is_valid(), NotImplemented, "Could not run '", op.name(), "': no function was registered for it; register one with ",
                  "torch.library.impl(\"", op.name(), "\", \"CPU\")");
  nb::object returned = call_with(op, f, objects(args, op.schema().arguments().size()));
  size_t n = op.results();
  std::vector<nb::object> parts = results_of(op, returned, n);
  for (size_t k = 0; k < n; ++k) {
    // What is written is the result, whatever the function returns.
    results[k] = parts[k].is_none() ? IValue() : value_of(op, parts[k].ptr());
    const ir::Type type = op.schema().returns()[k].type;
    MONOGRAPH_CHECK(results[k].is_none() || is_of_type(results[k], type), Type, "[", op.name(), "] the function returned ",
                    kind_in_words(results[k]), ", but the schema says ", to_string(type), ": ", to_string(op.schema()));
    for (size_t i = 0; i < op.schema().arguments().size(); ++i)
      if (op.schema().returns_argument(k, i)) results[k] = args[i];
  }
  if (rules()[&op].new_results) check_new_results(op, args, results, n);
}

// Results as the fake function gives them for tensors of these sizes without elements; where some size is no number, the rule says nothing. A call
// with elements has its results from the operator's function.
void python_rule(RuleCall& call) {
  if (call.eager() && !call.meta()) return;
  nb::gil_scoped_acquire gil;
  nb::object f = rules()[&call.op].fake;
  if (!f.is_valid() || call.op.results() > RuleCall::kMaxResults) return;
  std::vector<nb::object> args;
  for (size_t k = 0; k < call.op.schema().arguments().size(); ++k) {
    const AbstractValue given = call.known(k);
    if (given.is_none) args.push_back(nb::none());
    else if (given.is_tensor()) {
      if (!given.tensor.dtype || !given.tensor.sizes) return;
      Dims sizes;
      for (const Dim& d : *given.tensor.sizes) {
        if (!d || !d->is_int()) return;
        sizes.push_back(d->as_int());
      }
      args.push_back(wrap(empty(sizes, *given.tensor.dtype, Device{DeviceType::Meta})));
    } else if (given.integer && given.integer->is_int()) args.push_back(to_python(given.integer->as_int()));
    else if (given.number) args.push_back(check(PyFloat_FromDouble(*given.number)));
    else return;
  }
  nb::object returned = call_with(call.op, f, args);
  std::vector<IValue> results;
  for (const nb::object& part : results_of(call.op, returned, call.op.results())) {
    results.push_back(value_of(call.op, part.ptr()));
    if (!results.back().is_tensor()) return;
  }
  for (const IValue& v : results) call.result(SizesRef(v.as_tensor().sizes()), v.as_tensor().dtype());
}

// A gradient has its argument's size, or a size that sums to it.
void check_gradient(const GradCall& call, size_t k, const IValue& argument, const Tensor& gradient) {
  if (!argument.is_tensor() || is_captured(argument.as_tensor()) || is_captured(gradient)) return;
  const auto& expected = argument.as_tensor().sizes();
  const auto& given = gradient.sizes();
  bool sums = given.size() >= expected.size();
  for (size_t d = 1; sums && d <= expected.size(); ++d)
    sums = expected[expected.size() - d] == given[given.size() - d] || expected[expected.size() - d] == 1;
  MONOGRAPH_CHECK(sums, Runtime, "[", call.op.name(), "] the backward function returned a gradient of size ", to_string(given), " for ",
                  call.op.schema().arguments()[k].name, ", which has size ", to_string(expected));
}

// backward(ctx, *grads) with the context that setup_context(ctx, inputs, output) fills; _run_backward in library.py makes it.
void gradient_python(GradCall& call) {
  nb::gil_scoped_acquire gil;
  const Rules& r = rules()[&call.op];
  size_t n = call.op.schema().arguments().size(), results = call.op.results();
  std::vector<IValue> values, outputs;
  std::vector<nb::object> needs, grads;
  for (size_t k = 0; k < n; ++k) values.push_back(call.plain(k)), needs.push_back(nb::bool_(call.needs(k)));
  nb::object inputs = check(PyTuple_New(static_cast<Py_ssize_t>(n))), output = nb::none(),
             wanted = check(PyTuple_New(static_cast<Py_ssize_t>(n))), incoming = check(PyTuple_New(static_cast<Py_ssize_t>(results)));
  for (size_t k = 0; k < n; ++k) {
    PyTuple_SET_ITEM(inputs.ptr(), static_cast<Py_ssize_t>(k), to_python(values[k]).release().ptr());
    PyTuple_SET_ITEM(wanted.ptr(), static_cast<Py_ssize_t>(k), needs[k].release().ptr());
  }
  const bool list = gives_list(call.op);
  for (size_t k = 0; k < results && !list; ++k) {
    Tensor g = call.grad(k);
    if (!g.defined()) g = "zeros_like"_op(call.plain_result(k));
    PyTuple_SET_ITEM(incoming.ptr(), static_cast<Py_ssize_t>(k), wrap(g).release().ptr());
    outputs.push_back(call.plain_result(k));
  }
  if (list) {
    std::vector<IValue> of_elements, elements;
    for (size_t k = 0; call.grad(k).defined(); ++k) of_elements.push_back(call.grad(k)), elements.push_back(call.plain_result(k));
    PyTuple_SET_ITEM(incoming.ptr(), 0, to_python(IValue::list(std::move(of_elements))).release().ptr());
    outputs.push_back(IValue::list(std::move(elements)));
  }
  if (results == 1) output = to_python(outputs[0]);
  else output = to_python(IValue::tuple(outputs));
  nb::object run = nb::module_::import_("monograph.library").attr("_run_backward");
  nb::object setup = r.setup_context.is_valid() ? r.setup_context : nb::none();
  nb::object made = run(call.op.name(), r.backward, setup, inputs, output, wanted, incoming);
  std::vector<nb::object> parts = results_of(call.op, n == 1 ? nb::object(made[nb::int_(0)]) : made, n);
  for (size_t k = 0; k < n; ++k)
    if (!parts[k].is_none() && call.needs(k)) {
      const IValue gradient = value_of(call.op, parts[k].ptr());
      MONOGRAPH_CHECK(gradient.is_tensor(), Type, "[", call.op.name(), "] the backward function returned ", kind_in_words(gradient),
                      " as the gradient of ", call.op.schema().arguments()[k].name, "; expected a Tensor or None");
      check_gradient(call, k, values[k], gradient.as_tensor());
      call.set(k, gradient.to_tensor());
    }
}

const Operator& named(const std::string& name) { return find_operator(name); }

// An operator that this module defined; of others the rules are not Python's to change.
Operator& own(const std::string& name) {
  const Operator& op = named(name);
  MONOGRAPH_CHECK(rules().contains(&op), Runtime, "the operator ", op.name(),
                  " was not defined by torch.library; its rules cannot be replaced");
  return const_cast<Operator&>(op);  // only rules that were blank until now are set, with the lock held
}

std::string define(const std::string& schema) {
  const Operator& op =
      Registry::global().op(schema.c_str()).eval(eval_python).rule(python_rule).onnx(none("defined by your code")).record();
  rules()[&op];
  return op.name();
}

}  // namespace

bool is_written_in_python(const ir::OpInfo* info) {
  const auto* op = dynamic_cast<const Operator*>(info);
  return op && rules().contains(op);
}

void init_library(PyObject* module) {
  nb::module_ m = nb::borrow<nb::module_>(module);
  auto set = [&](const char* name, auto f) { m.def(name, f, nb::arg("name"), nb::arg("function").none()); };
  m.def("_library_define", define, nb::arg("schema"));
  set("_library_impl", [](const std::string& name, nb::object f) { rules()[&own(name)].eval = std::move(f); });
  set("_library_fake", [](const std::string& name, nb::object f) { rules()[&own(name)].fake = std::move(f); });
  m.def(
      "_library_autograd",
      [](const std::string& name, nb::object backward, nb::object setup_context) {
        Operator& op = own(name);
        Rules& r = rules()[&op];
        r.backward = std::move(backward);
        r.setup_context = setup_context.is_none() ? nb::object() : std::move(setup_context);
        op.gradient = gradient_python;
      },
      nb::arg("name"), nb::arg("backward"), nb::arg("setup_context").none());
  m.def("_library_new_results", [](const std::string& name) { rules()[&own(name)].new_results = true; }, nb::arg("name"));
  m.def("_library_has", [](const std::string& name) { return Registry::global().find(name) != nullptr; }, nb::arg("name"));
  m.def("_library_implemented", [](const std::string& name) { return rules()[&own(name)].eval.is_valid(); }, nb::arg("name"));
}

}  // namespace monograph::python
