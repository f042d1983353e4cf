// torch.utils._python_dispatch.TorchDispatchMode: gets each operator that is evaluated, as an overload of torch.ops, below autograd. The stack of modes is Python's.
#include <utility>

#include "builtin.h"
#include "handover.h"
#include "ops/evaluation_mode.h"
#include "ops/registry.h"
#include "python.h"
#include "values.h"

namespace monograph::python {
namespace {

// An argument as PyTorch passes it on: a list where the schema says list.
nb::object argument_of(const ir::Argument& a, const IValue& v) {
  const ir::Type type = a.type.is(ir::TypeKind::Optional) ? a.type.element() : a.type;
  nb::object o = to_python(v);
  return type.is(ir::TypeKind::List) && PyTuple_Check(o.ptr()) ? check(PySequence_List(o.ptr())) : o;
}

// The arguments by position and by keyword. Those that stand at their defaults are left out, of those by position only the last ones.
std::pair<nb::object, nb::dict> arguments_of(const Operator& op, const IValue* args) {
  const auto& places = op.schema().arguments();
  size_t positional = 0, given = 0;
  while (positional < places.size() && !places[positional].kwarg_only) ++positional;
  for (size_t k = 0; k < positional; ++k)
    if (!is_default(places[k], args[k])) given = k + 1;
  nb::object values = check(PyTuple_New(static_cast<Py_ssize_t>(given)));
  nb::dict keywords;
  for (size_t k = 0; k < given; ++k)
    PyTuple_SET_ITEM(values.ptr(), static_cast<Py_ssize_t>(k), argument_of(places[k], args[k]).release().ptr());
  for (size_t k = positional; k < places.size(); ++k)
    if (!is_default(places[k], args[k])) keywords[places[k].name.c_str()] = argument_of(places[k], args[k]);
  return {values, keywords};
}

IValue value_of(const Operator& op, PyObject* o) {
  IValue v;
  MONOGRAPH_CHECK(!to_ivalue(o, v), Type, "[", op.name(), "] __torch_dispatch__ returned an object of type ", type_name(o),
                  ", which no operator gives; return what func(*args, **kwargs) gives, or a tensor in its place");
  return v;
}

class PythonEvaluation final : public EvaluationMode {
 public:
  void run(const Operator& op, const IValue* args, IValue* results) override {
    nb::gil_scoped_acquire gil;
    const auto [values, keywords] = arguments_of(op, args);
    nb::object returned =
        nb::module_::import_("monograph.utils._python_dispatch").attr("_call_in_mode")(overload_object(op), nb::tuple(), values, keywords);
    const size_t n = op.schema().returns().size();
    if (n == 1) results[0] = value_of(op, returned.ptr());
    if (n < 2) return;
    nb::object parts = check(PySequence_Fast(returned.ptr(), "an operator with several results returns a tuple of them"));
    MONOGRAPH_CHECK(PySequence_Fast_GET_SIZE(parts.ptr()) == static_cast<Py_ssize_t>(n), Runtime, "[", op.name(),
                    "] __torch_dispatch__ returned ", static_cast<int64_t>(PySequence_Fast_GET_SIZE(parts.ptr())),
                    " values, the schema says ", n);
    for (size_t k = 0; k < n; ++k) results[k] = value_of(op, PySequence_Fast_GET_ITEM(parts.ptr(), static_cast<Py_ssize_t>(k)));
  }
};

}  // namespace

void init_dispatch_modes(PyObject* module) {
  // How many modes take calls now; gives the number before. The innermost one is off while it answers a call.
  nb::handle(module).attr("_set_dispatch_modes") = nb::cpp_function([](int64_t count) {
    static PythonEvaluation evaluation;
    thread_local int64_t now = 0;
    EvaluationMode::set_current(count > 0 ? &evaluation : nullptr);
    return std::exchange(now, count);
  });
}

}  // namespace monograph::python
