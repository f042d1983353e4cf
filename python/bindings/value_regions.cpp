// Branches and loops of torch.fx's graphs while these become graphs in operators: python/monograph/fx/_lowering.py records their blocks.
#include "capture/value_regions.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "lists.h"
#include "ops/dispatch.h"
#include "proxy_forks.h"
#include "same_inputs.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

// The capture that runs, if it is symbolic.
capture::Session* symbolic_session() {
  capture::Session* s = capture::current_session();
  return s && s->symbolic ? s : nullptr;
}

nb::object python_of(const IValue& v) { return v.is_tensor() ? wrap(v.as_tensor()) : to_python(v); }

std::vector<IValue> values_in(nb::handle tuple) {
  std::vector<IValue> values;
  for (nb::handle item : tuple)
    MONOGRAPH_CHECK(!to_ivalue(item.ptr(), values.emplace_back()), NotImplemented,
                    "a graph in operators keeps tensors and numbers over a branch or loop, but not a ", type_name(item.ptr()));
  return values;
}

nb::object tuple_of(const std::vector<IValue>& values) {
  nb::object tuple = check(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t k = 0; k < values.size(); ++k)
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(k), python_of(values[k]).release().ptr());
  return tuple;
}

// _branch_of_values(condition, then, otherwise) -> the values behind the branch; None if the condition is a plain value. Both functions give tuples.
nb::object branch_of_values(nb::handle condition, nb::handle then, nb::handle otherwise) {
  capture::Session* s = symbolic_session();
  const IValue truth = s ? truth_in_graph(condition.ptr()) : IValue();
  if (truth.is_none()) return nb::none();
  auto way = [](nb::handle function) { return [function] { return values_in(function()); }; };
  return tuple_of(capture::branch_of_values(*s, truth, way(then), way(otherwise)));
}

// _loop_of_values(count, condition, initial, body) -> the values behind the loop; None outside of a symbolic capture. body(k, values) gives the condition of
// the next round and the new values.
nb::object loop_of_values(nb::handle count, nb::handle condition, nb::handle initial, nb::handle body) {
  capture::Session* s = symbolic_session();
  if (!s) return nb::none();
  auto truth = [](nb::handle o) {
    IValue known = truth_in_graph(o.ptr());
    return known.is_none() ? IValue(python::truth(o.ptr())) : known;
  };
  IValue limit;
  MONOGRAPH_CHECK(!to_ivalue(count.ptr(), limit), NotImplemented, "a loop of a graph counts to an int, but got a ", type_name(count.ptr()));
  if (limit.is_tensor()) limit = run_one("aten::Int.Tensor", limit);
  return tuple_of(
      capture::loop_of_values(*s, limit, truth(condition), values_in(initial), [&](const IValue& index, const std::vector<IValue>& values) {
        nb::object end = body(to_python(index), tuple_of(values));
        return capture::RoundOfValues{truth(end[0]), values_in(end[1])};
      }));
}

}  // namespace

IValue truth_in_graph(PyObject* o) {
  if (is_tensor(o)) {
    const Tensor& t = tensor_of(o);
    const bool may_be_one = t->kind == TensorImpl::Kind::Symbolic || t.numel() == 1;
    return may_be_one && has_captured_values(t) ? run_one("aten::Bool.Tensor", t) : IValue();
  }
  if (is_carried_list(o)) {
    IValue items;
    to_ivalue(o, items);
    if (!symbolic_value(items)) return {};
    const IValue compared[] = {run_one("aten::len.t", items), int64_t{0}};
    IValue some;
    monograph::call(find_operator("aten::gt.int"), compared, &some);
    return some;
  }
  if (!is_symbolic(o)) return {};
  const IValue& v = symbolic_of(o);
  const SymbolicValue* symbolic = symbolic_value(v);
  if (!symbolic && !symbolic_size(v)) return {};
  if (!symbolic) return run_one("aten::Bool.int", v);
  const ir::Type type = symbolic->node ? symbolic->node->type() : ir::Type();
  if (type.is(ir::TypeKind::Bool) || symbolic->hint.is_bool()) return v;
  if (type.is(ir::TypeKind::Float) || symbolic->hint.is_float()) return run_one("aten::Bool.float", v);
  if (!type.is(ir::TypeKind::Int) && !type.is(ir::TypeKind::SymInt) && !symbolic->hint.is_int()) return {};
  return run_one("aten::Bool.int", v);
}

namespace {

// int(value) or float(value), of what a graph computes; None of another value.
nb::object number_of(nb::handle value, bool is_float) {
  if (!capture::current_session()) return nb::none();
  if (is_tensor(value.ptr())) return to_python(run_one(is_float ? "aten::Float.Tensor" : "aten::Int.Tensor", tensor_of(value.ptr())));
  if (!is_symbolic(value.ptr())) return nb::none();
  const IValue& v = symbolic_of(value.ptr());
  const SymbolicValue* symbolic = symbolic_value(v);
  const ir::Type type = symbolic && symbolic->node ? symbolic->node->type() : ir::Type(ir::TypeKind::Int);
  const char* from = type.is(ir::TypeKind::Bool)                                   ? "bool"
                     : type.is(ir::TypeKind::Int) || type.is(ir::TypeKind::SymInt) ? "int"
                     : type.is(ir::TypeKind::Float)                                ? "float"
                                                                                   : "Scalar";
  if (from == std::string_view(is_float ? "float" : "int")) return nb::borrow(value);
  return to_python(run_one(concat(is_float ? "aten::Float." : "aten::Int.", from), v));
}

nb::object of_two(const char* name, nb::handle a, nb::handle b) {
  IValue given[2], out;
  to_ivalue(a.ptr(), given[0]), to_ivalue(b.ptr(), given[1]);
  call(find_operator(name), given, &out);
  return to_python(out);
}

}  // namespace

void init_value_regions(PyObject* module) {
  nb::handle m(module);
  init_same_inputs(m);
  // Whether a symbolic capture runs, which then raises here when its graph runs.
  m.attr("_record_raise") = nb::cpp_function([](nb::handle message, const std::string& kind) {
    capture::Session* s = symbolic_session();
    if (!s) return false;
    IValue given[] = {std::string(), kind};
    if (is_symbolic(message.ptr())) to_ivalue(message.ptr(), given[0]);
    else given[0] = std::string(text_of(check(PyObject_Str(message.ptr())).ptr()));
    s->writer.append(find_operator("prim::RaiseException"), given);
    return true;
  });
  m.attr("_number_of_dims") = nb::cpp_function([](nb::handle t) { return to_python(run_one("aten::dim", tensor_of(t.ptr()))); });
  m.attr("_number_of") = nb::cpp_function(number_of);
  m.attr("_larger") = nb::cpp_function([](nb::handle a, nb::handle b) { return of_two("prim::max.int", a, b); });
  m.attr("_both") = nb::cpp_function([](nb::handle a, nb::handle b) { return of_two("aten::__and__.bool", a, b); });
  m.attr("_branch_of_values") = nb::cpp_function(branch_of_values);
  m.attr("_loop_of_values") = nb::cpp_function(loop_of_values);
  // _truth_of(value, negated): bool(value) or `not value` of what a graph computes, recorded; None of another value.
  m.attr("_truth_of") = nb::cpp_function([](nb::handle value, bool negated) -> nb::object {
    const IValue truth = capture::current_session() ? truth_in_graph(value.ptr()) : IValue();
    if (truth.is_none()) return nb::none();
    return to_python(negated ? run_one("aten::__not__", truth) : truth);
  });
}

}  // namespace monograph::python
