// x[...] and x[...] = v. Every step is an operator (select, slice, unsqueeze, index), so that gradients and captures see them.
#include "ops/indexing.h"
#include "builtin.h"
#include "capture/writer.h"
#include "dtypes.h"
#include "exchange.h"
#include "handover.h"
#include "ops/dispatch.h"
#include "ops/pointwise.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

bool is_int(PyObject* o) {
  return !PyBool_Check(o) && (PyLong_Check(o) || is_symbolic(o) || (PyIndex_Check(o) && !is_tensor(o) && !is_numpy_array(o)));
}

// An int, which stays symbolic in a capture. Far ends are cut off, as Python's own slices do it.
IValue integer(PyObject* o, IValue missing = {}) {
  if (o == Py_None) return missing;
  if (is_symbolic(o)) return python::symbolic_of(o);
  if (is_tensor(o) && has_captured_values(tensor_of(o))) {
    nb::object item = captured_item(tensor_of(o));
    return is_symbolic(item.ptr()) ? python::symbolic_of(item.ptr()) : IValue(to_int64(item.ptr()));
  }
  auto index = check(PyNumber_Index(o));
  int overflow = 0;
  long long v = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  return overflow ? (overflow > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min()) : int64_t{v};
}

IndexItem part_of(PyObject* o) {
  using Kind = IndexItem::Kind;
  if (is_tensor(o)) {
    Tensor t = tensor_of(o);
    bool known = t->kind == TensorImpl::Kind::Dense && t.dim() == 0 && is_integral(t.dtype()) && !is_bool_index(t);
    if (known && !dispatch_state().top) return {Kind::Int, integer(o), {}, {}, {}};  // as the int that it holds
    return {Kind::Tensor, {}, {}, {}, t};
  }
  if (o == Py_None) return {Kind::None, {}, {}, {}, {}};
  if (o == Py_Ellipsis) return {Kind::Ellipsis, {}, {}, {}, {}};
  if (PyBool_Check(o)) return {Kind::Bool, o == Py_True, {}, {}, {}};
  if (PySlice_Check(o)) {
    auto* slice = reinterpret_cast<PySliceObject*>(o);
    IndexItem p{Kind::Slice, integer(slice->start), integer(slice->stop), integer(slice->step, int64_t{1}), {}};
    MONOGRAPH_CHECK(!p.step.is_int() || p.step.to_int() > 0, Value, "step must be greater than zero, but got ", p.step.to_int(),
                    "; x.flip(dim) reverses a dimension");
    return p;
  }
  if (is_int(o)) return {Kind::Int, is_symbolic(o) ? integer(o) : IValue(to_int64(o)), {}, {}, {}};
  MONOGRAPH_CHECK(!PyUnicode_Check(o) && !PyBytes_Check(o), Type, "a tensor cannot be indexed by '", type_name(o),
                  "'; use integers, slices, None, ... or tensors of integers or bools");
  if (PySequence_Check(o) || is_numpy_array(o)) {
    const DType none = DType::i64;  // of a list without elements
    const bool empty_list = PyList_Check(o) && PyList_GET_SIZE(o) == 0;
    Tensor t = tensor_from_data(o, empty_list ? &none : nullptr);
    if (!is_integral(t.dtype()) || is_bool_index(t)) return {Kind::Tensor, {}, {}, {}, t};
    if (t.dim() == 0) return {Kind::Int, first_number(t), {}, {}, {}};  // an array without dims is the int that it holds
    return {Kind::Tensor, {}, {}, {}, convert_tensor(t, DType::i64)};   // NumPy indexes by integers of any width
  }
  fail(ErrorKind::Index, "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got ",
       type_name(o), ")");
}

// A short list with a list, a slice or the like inside stands for a tuple, as in NumPy of old.
bool is_tuple_of_parts(PyObject* index) {
  if (PyTuple_Check(index)) return true;
  constexpr Py_ssize_t kShort = 32;
  if (!PyList_Check(index) || PyList_GET_SIZE(index) >= kShort) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(index); ++i) {
    PyObject* part = PyList_GET_ITEM(index, i);
    if (is_tensor(part) || PySequence_Check(part) || PySlice_Check(part) || part == Py_Ellipsis || part == Py_None) return true;
  }
  return false;
}

void note_whole_slice(const Tensor& t, int64_t dim) {
  if (capture::Session* s = capture::current_session(); s && !s->symbolic) s->writer.note_whole_slice(t, dim);
}

// How many dims of a tensor an index tensor takes up: a mask as many as it has, another one one dim. Where a symbolic trace does not know whether it is a mask, it
// takes up one dim, and the graph checks that.
IValue dims_taken(const Tensor& t) {
  capture::Session* s = capture::current_session();
  const ir::Node* node = t->kind == TensorImpl::Kind::Symbolic ? capture::running_node(t) : nullptr;
  if (!s || !node) return 1;
  const std::optional<DType> dtype = node->type().is(ir::TypeKind::Tensor) ? node->type().tensor().dtype : std::nullopt;
  if (dtype && *dtype != DType::b1 && *dtype != DType::u8) return 1;
  if (const auto rank = python::known_rank(t); rank && (dtype || *rank == 1)) return *rank;
  IValue rank = run_one("aten::dim", t);
  if (dtype) return rank;
  const auto append = [&](std::string_view name, const IValue& a, const IValue& b = {}) {
    const IValue args[] = {a, b};
    return s->writer.number(s->writer.append(find_operator(name), args), {});
  };
  const IValue of = run_one("prim::dtype", t);
  const auto is_of = [&](DType mask) { return append("aten::eq.dtype", of, IValue(mask)); };
  const IValue plain = append("aten::__not__", append("aten::__or__.bool", is_of(DType::b1), is_of(DType::u8)));
  const IValue holds = append("aten::__or__.bool", plain, append("aten::eq.int", rank, IValue(1)));
  s->writer.guard(symbolic_value(holds)->node, true, concat("%", node->name(), " is an index of one dim, and no mask of several"));
  return 1;
}

Indexed apply(const Tensor& self, PyObject* index) {
  std::vector<IndexItem> parts;
  if (is_tuple_of_parts(index)) {
    nb::object all = check(PySequence_Tuple(index));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all.ptr()); ++i) parts.push_back(part_of(PyTuple_GET_ITEM(all.ptr(), i)));
  } else {
    parts.push_back(part_of(index));
  }
  return index_views(self, parts, {known_rank, check_rank, note_whole_slice, dims_taken});
}

nb::object handed_over(const char* method, PyObject* const* args, Py_ssize_t n) {
  nb::object function = nb::borrow(reinterpret_cast<PyObject*>(g_tensor_type)).attr(method);
  return hand_over(function.ptr(), args, n, nullptr);
}

bool any_override(PyObject* o) {
  if (PyTuple_Check(o)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i)
      if (any_override(PyTuple_GET_ITEM(o, i))) return true;
    return false;
  }
  if (PySlice_Check(o)) {
    auto* s = reinterpret_cast<PySliceObject*>(o);
    return any_override(s->start) || any_override(s->stop) || any_override(s->step);
  }
  return !PyLong_CheckExact(o) && o != Py_None && o != Py_Ellipsis && overrides_calls(o);
}

// A list or array on the right of an assignment. One number is rounded as it is written, a sequence of floats is no value of integers. A list has no dtype
// of its own: it is made in that of the elements, where an error says which number does not fit.
Tensor sequence_for(PyObject* value, DType dtype) {
  Tensor t = tensor_from_data(value, nullptr);
  MONOGRAPH_CHECK(is_numpy_array(value) || !is_integral(dtype) || is_integral(t.dtype()) || t.dtype() == DType::b1 || t.numel() == 0, Type,
                  "'", is_complex(t.dtype()) ? "complex" : "float", "' object cannot be interpreted as an integer: a sequence of torch.",
                  name(t.dtype()), " was assigned to elements of torch.", name(dtype), "; write torch.tensor(values).to(x.dtype)");
  return is_numpy_array(value) || t.dtype() == dtype ? t : tensor_from_data(value, &dtype);
}

// A number on the right of an assignment, as a tensor of the dtype of the elements. Without an example, the graph asks for that dtype when it runs.
Tensor number_for(const Tensor& elements, PyObject* value, const IValue& number) {
  const DType dtype = elements.dtype();
  if (elements->kind != TensorImpl::Kind::Symbolic || !(number.is_bool() || number.is_int() || number.is_float())) {
    MONOGRAPH_CHECK(!number.is_complex() || is_complex(dtype) || dtype == DType::b1, Runtime,
                    "setting elements to a number: a complex number cannot be converted to type ", name(dtype), " without overflow");
    return tensor_from_data(value, &dtype);
  }
  const char* of = number.is_bool() ? "aten::tensor.bool" : number.is_int() ? "aten::tensor.int" : "aten::tensor.float";
  const IValue args[] = {number, run_one("prim::dtype", elements), run_one("prim::device", elements), false};
  IValue made;
  call(find_operator(of), args, &made);
  return made.to_tensor();
}

}  // namespace

PyObject* tensor_subscript(PyObject* self, PyObject* index) {
  return guard([&]() -> PyObject* {
    if (hands_over(self) || any_override(index)) {
      PyObject* args[] = {self, index};
      return handed_over("__getitem__", args, 2).release().ptr();
    }
    const Tensor t = tensor_of(self);
    return wrap(elements_at(t, apply(t, index))).release().ptr();
  });
}

int tensor_assign_subscript(PyObject* self, PyObject* index, PyObject* value) {
  return guard([&]() -> int {
    MONOGRAPH_CHECK(value, Type, "Tensor does not support deleting items");
    if (hands_over(self) || any_override(index) || overrides_calls(value)) {
      PyObject* args[] = {self, index, value};
      handed_over("__setitem__", args, 3);
      return 0;
    }
    Indexed r = apply(tensor_of(self), index);
    IValue v;
    if (is_tensor(value)) v = tensor_of(value);
    else if (to_ivalue(value, v) || !(v.is_number() || symbolic_value(v))) v = sequence_for(value, r.view.dtype());
    if (r.advanced && !v.is_tensor()) v = number_for(r.view, value, v);
    write_elements(r, v);
    return 0;
  });
}

}  // namespace monograph::python
