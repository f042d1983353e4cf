// x[...] and x[...] = v. Every step is an operator (select, slice, unsqueeze, index), so that gradients and captures see them.
#include "builtin.h"
#include "dtypes.h"
#include "exchange.h"
#include "ops/dispatch.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

bool is_bool_index(const Tensor& t) { return t.dtype() == DType::b1 || t.dtype() == DType::u8; }

// An index object with everything that is neither an int, a slice, None, an Ellipsis nor a bool made a tensor.
struct Part {
  PyObject* object;  // borrowed; null where `tensor` holds the index
  Tensor tensor;
};

bool is_int(PyObject* o) { return !PyBool_Check(o) && (PyLong_Check(o) || (PyIndex_Check(o) && !is_tensor(o) && !is_numpy_array(o))); }

Part part_of(PyObject* o) {
  if (is_tensor(o)) {
    Tensor t = tensor_of(o);
    if (t.dim() == 0 && is_integral(t.dtype()) && t->kind == TensorImpl::Kind::Dense && !dispatch_state().top)
      return {o, {}};  // as the int that it holds
    return {nullptr, t};
  }
  if (o == Py_None || o == Py_Ellipsis || PyBool_Check(o) || PySlice_Check(o) || is_int(o)) return {o, {}};
  if (PySequence_Check(o) || is_numpy_array(o)) return {nullptr, tensor_from_data(o, nullptr)};
  fail(ErrorKind::Index, "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got ",
       type_name(o), ")");
}

struct Indexed {
  Tensor view;                  // after the steps that are views
  std::vector<IValue> indices;  // of what is left, by dim; None leaves a dim alone
  bool advanced = false;
};

IValue slice_end(PyObject* o) {
  if (o == Py_None) return {};
  // Far ends are cut off, as Python's own slices do it.
  auto index = check(PyNumber_Index(o));
  int overflow = 0;
  long long v = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  return overflow ? (overflow > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min()) : int64_t{v};
}

Tensor take_slice(const Tensor& t, int64_t dim, PyObject* o) {
  auto* slice = reinterpret_cast<PySliceObject*>(o);
  IValue step = slice->step == Py_None ? IValue(int64_t{1}) : slice_end(slice->step);
  MONOGRAPH_CHECK(step.to_int() > 0, Value, "step must be greater than zero");
  if (slice->start == Py_None && slice->stop == Py_None && step.to_int() == 1) return t;
  return "slice"_op(t, dim, slice_end(slice->start), slice_end(slice->stop), step);
}

// The number of dims of the tensor that a part takes up.
int64_t consumed(const Part& p) {
  if (!p.object) return is_bool_index(p.tensor) ? p.tensor.dim() : 1;
  return p.object == Py_None || p.object == Py_Ellipsis || PyBool_Check(p.object) ? 0 : 1;
}

void set_index(Indexed& r, int64_t dim, const Tensor& index) {
  while (static_cast<int64_t>(r.indices.size()) < dim) r.indices.emplace_back();
  r.indices.emplace_back(index);
  r.advanced = true;
}

Indexed apply(const Tensor& self, PyObject* index) {
  std::vector<Part> parts;
  if (PyTuple_Check(index))
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(index); ++i) parts.push_back(part_of(PyTuple_GET_ITEM(index, i)));
  else parts.push_back(part_of(index));

  int64_t specified = 0;
  for (const Part& p : parts) specified += consumed(p);
  if (self.dim() == 0 && parts.size() == 1 && parts[0].object && is_int(parts[0].object))
    fail(ErrorKind::Index,
         "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a "
         "number");
  MONOGRAPH_CHECK(specified <= self.dim(), Index, "too many indices for tensor of dimension ", self.dim());

  Indexed r{self, {}, false};
  int64_t dim = 0;
  for (const Part& p : parts) {
    PyObject* o = p.object;
    if (!o) {
      set_index(r, dim, p.tensor);
      dim += is_bool_index(p.tensor) ? p.tensor.dim() : 1;
      if (is_bool_index(p.tensor) && p.tensor.dim() == 0) {  // a truth value: a dim of size 1 that it keeps or empties
        r.view = "unsqueeze"_op(r.view, dim);
        Tensor one = "unsqueeze"_op(p.tensor, 0);
        r.indices.back() = one;
        ++dim;
      }
    } else if (o == Py_None) {
      r.view = "unsqueeze"_op(r.view, dim++);
    } else if (o == Py_Ellipsis) {
      dim += self.dim() - specified;
    } else if (PyBool_Check(o)) {
      r.view = "unsqueeze"_op(r.view, dim);
      Tensor flag = empty({1}, DType::b1);
      *flag.data_as<bool>() = o == Py_True;
      set_index(r, dim++, flag);
    } else if (PySlice_Check(o)) {
      r.view = take_slice(r.view, dim++, o);
    } else {
      r.view = "select"_op(r.view, dim, to_int64(o));
    }
  }
  return r;
}

nb::object handed_over(PyObject* self, const char* method, PyObject* const* args, Py_ssize_t n) {
  nb::object function = nb::borrow(reinterpret_cast<PyObject*>(g_tensor_type)).attr(method);
  return call_torch_function(function.ptr(), args, n, nullptr);
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

// The value with leading dims of size 1 that the place lacks taken away.
Tensor fitted(Tensor value, int64_t dim) {
  while (value.dim() > dim && value.sizes()[0] == 1) value = "squeeze"_op(value, 0);
  return value;
}

}  // namespace

PyObject* tensor_subscript(PyObject* self, PyObject* index) {
  return guard([&]() -> PyObject* {
    if (any_override(index) || (Py_TYPE(self) != g_tensor_type && overrides_calls(self))) {
      PyObject* args[] = {self, index};
      return handed_over(self, "__getitem__", args, 2).release().ptr();
    }
    Tensor t = tensor_of(self);
    Indexed r = apply(t, index);
    if (r.advanced) return wrap("index"_op(r.view, IValue::list(std::move(r.indices)))).release().ptr();
    if (r.view.is_same(t)) r.view = "alias"_op(t);  // x[...] is a view, never x
    return wrap(r.view).release().ptr();
  });
}

int tensor_assign_subscript(PyObject* self, PyObject* index, PyObject* value) {
  return guard([&]() -> int {
    MONOGRAPH_CHECK(value, Type, "Tensor does not support deleting items");
    if (any_override(index) || overrides_calls(value) || (Py_TYPE(self) != g_tensor_type && overrides_calls(self))) {
      PyObject* args[] = {self, index, value};
      handed_over(self, "__setitem__", args, 3);
      return 0;
    }
    Indexed r = apply(tensor_of(self), index);
    IValue v;
    if (is_tensor(value)) v = tensor_of(value);
    else if (to_ivalue(value, v) || !v.is_number()) v = tensor_from_data(value, nullptr);
    if (!r.advanced) {
      if (v.is_tensor()) "copy_"_op(r.view, fitted(v.as_tensor(), r.view.dim()));
      else "fill_"_op(r.view, v);
      return 0;
    }
    DType dtype = r.view.dtype();
    Tensor values = v.is_tensor() ? v.as_tensor() : tensor_from_data(value, &dtype);
    MONOGRAPH_CHECK(values.dtype() == dtype || values.dim() == 0, Index, "Index put requires the source and destination dtypes match, got ",
                    info(dtype).scalar_type, " for the destination and ", info(values.dtype()).scalar_type, " for the source.");
    if (values.dtype() != dtype) values = "to"_op(values, dtype);
    "index_put_"_op(r.view, IValue::list(std::move(r.indices)), values);
    return 0;
  });
}

}  // namespace monograph::python
