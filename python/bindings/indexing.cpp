// x[...] and x[...] = v. Every step is an operator (select, slice, unsqueeze, index), so that gradients and captures see them.
#include "builtin.h"
#include "dtypes.h"
#include "exchange.h"
#include "ops/dispatch.h"
#include "ops/pointwise.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

bool is_bool_index(const Tensor& t) { return t.dtype() == DType::b1 || t.dtype() == DType::u8; }

// One item of an index. Dims behind an Ellipsis are counted from the end, so that a program is one graph whatever is known of the rank.
struct IndexItem {
  enum class Kind : uint8_t { Int, Slice, None, Ellipsis, Bool, Tensor } kind = Kind::None;
  IValue start, stop, step;  // start: the Int or the Bool
  Tensor tensor;
};

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

struct Indexed {
  Tensor view;                  // after the steps that are views
  std::vector<IValue> indices;  // of what is left, by dim; None leaves a dim alone
  bool advanced = false;
};

// The number of dims of the tensor that a part takes up.
int64_t consumed(const IndexItem& p) {
  switch (p.kind) {
    case IndexItem::Kind::Tensor: return is_bool_index(p.tensor) && p.tensor->kind == TensorImpl::Kind::Dense ? p.tensor.dim() : 1;
    case IndexItem::Kind::Int:
    case IndexItem::Kind::Slice: return 1;
    default: return 0;
  }
}

class Indexing {
 public:
  Indexing(const Tensor& self, const std::vector<IndexItem>& parts) : self_(self), result_{self, {}, false} {
    const std::optional<int64_t> rank = known_rank(self);
    ranked_ = rank.has_value();
    for (const IndexItem& p : parts) {
      // A mask takes up as many dims as it has.
      ranked_ &= p.kind != IndexItem::Kind::Tensor || p.tensor->kind == TensorImpl::Kind::Dense || self->kind == TensorImpl::Kind::Dense;
      if (p.kind == IndexItem::Kind::Tensor && is_bool_index(p.tensor) && p.tensor->kind == TensorImpl::Kind::Dense) check_rank(p.tensor);
      left_ += consumed(p);
    }
    if (ranked_ && *rank == 0 && parts.size() == 1 && parts[0].kind == IndexItem::Kind::Int)
      fail(ErrorKind::Index,
           "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a "
           "number");
    MONOGRAPH_CHECK(!ranked_ || left_ <= *rank, Index, "too many indices for tensor of dimension ", rank.value_or(0), ": got ", left_);
    skipped_ = rank.value_or(0) - left_;
    for (const IndexItem& p : parts) take(p);
  }
  Indexed result() { return std::move(result_); }

 private:
  // Where the next dim is: from the front, or behind an Ellipsis from the end.
  int64_t here() const { return from_end_ ? -left_ : dim_; }
  int64_t here_new() const { return from_end_ ? -left_ - 1 : dim_; }

  void take(const IndexItem& p) {
    Tensor& view = result_.view;
    switch (p.kind) {
      case IndexItem::Kind::None:
        view = "unsqueeze"_op(view, here_new());
        ++dim_;
        return;
      case IndexItem::Kind::Ellipsis:
        MONOGRAPH_CHECK(!from_end_ || left_ == 0 || (ranked_ && skipped_ == 0), Index,
                        "an index can only have a single ellipsis ('...'); behind a second one no dims are left");
        from_end_ = true;
        dim_ += skipped_;
        return;
      case IndexItem::Kind::Int:
        view = "select"_op(view, here(), p.start);
        --left_;
        return;
      case IndexItem::Kind::Slice:
        if (!p.start.is_none() || !p.stop.is_none() || !p.step.is_int() || p.step.to_int() != 1)
          view = "slice"_op(view, here(), p.start, p.stop, p.step);
        ++dim_, --left_;
        return;
      case IndexItem::Kind::Bool: {
        Tensor flag = empty({1}, DType::b1);
        *flag.data_as<bool>() = p.start.to_bool();
        view = "unsqueeze"_op(view, here_new());
        return set_index(flag, 1);
      }
      case IndexItem::Kind::Tensor: {
        int64_t dims = consumed(p);
        left_ -= dims;
        if (dims) return set_index(p.tensor, dims);
        view = "unsqueeze"_op(view, here_new());  // a truth value: a dim of size 1 that it keeps or empties
        return set_index("unsqueeze"_op(p.tensor, 0), 1);
      }
    }
  }
  void set_index(const Tensor& index, int64_t dims) {
    MONOGRAPH_CHECK(ranked_ || !from_end_, NotImplemented, "an index tensor behind an Ellipsis needs the number of dims, which symbolic ",
                    "capture does not know; write the dims out, or trace with an example");
    if (from_end_) check_rank(self_);
    while (static_cast<int64_t>(result_.indices.size()) < dim_) result_.indices.emplace_back();
    if (self_.is_meta() && !index.is_meta() && index->kind == TensorImpl::Kind::Dense) add_to_meta(index);
    else result_.indices.emplace_back(index);
    result_.advanced = true;
    dim_ += dims;
  }
  // A tensor without elements takes the index's sizes; a mask tells by its elements how many places it takes.
  void add_to_meta(const Tensor& index) {
    const Device meta{DeviceType::Meta};
    if (!is_bool_index(index)) return void(result_.indices.emplace_back("to"_op(index, meta)));
    const Tensor places = "nonzero"_op(index);
    for (int64_t d = 0; d < index.dim(); ++d) result_.indices.emplace_back("to"_op("select"_op(places, 1, d), meta));
  }

  const Tensor& self_;
  Indexed result_;
  bool ranked_ = false, from_end_ = false;
  int64_t left_ = 0;  // dims that the parts to come take up
  int64_t dim_ = 0, skipped_ = 0;
};

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

Indexed apply(const Tensor& self, PyObject* index) {
  std::vector<IndexItem> parts;
  if (is_tuple_of_parts(index)) {
    nb::object all = check(PySequence_Tuple(index));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all.ptr()); ++i) parts.push_back(part_of(PyTuple_GET_ITEM(all.ptr(), i)));
  } else {
    parts.push_back(part_of(index));
  }
  return Indexing(self, parts).result();
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

// A list or array on the right of an assignment. One number is rounded as it is written, a sequence of floats is no value of integers. A list has no dtype
// of its own: it is made in that of the elements, where an error says which number does not fit.
Tensor sequence_for(PyObject* value, DType dtype) {
  Tensor t = tensor_from_data(value, nullptr);
  MONOGRAPH_CHECK(is_numpy_array(value) || !is_integral(dtype) || is_integral(t.dtype()) || t.dtype() == DType::b1 || t.numel() == 0, Type,
                  "'", is_complex(t.dtype()) ? "complex" : "float", "' object cannot be interpreted as an integer: a sequence of torch.",
                  name(t.dtype()), " was assigned to elements of torch.", name(dtype), "; write torch.tensor(values).to(x.dtype)");
  return is_numpy_array(value) || t.dtype() == dtype ? t : tensor_from_data(value, &dtype);
}

// The value with leading dims of size 1 that the place lacks taken away.
Tensor fitted(Tensor value, int64_t dim) {
  while (value->kind == TensorImpl::Kind::Dense && value.dim() > dim && value.sizes()[0] == 1) value = "squeeze"_op(value, 0);
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
    else if (to_ivalue(value, v) || !(v.is_number() || symbolic_value(v))) v = sequence_for(value, r.view.dtype());
    if (!r.advanced) {
      bool ranked = r.view->kind == TensorImpl::Kind::Dense;
      if (v.is_tensor()) "copy_"_op(r.view, ranked ? fitted(v.as_tensor(), r.view.dim()) : v.as_tensor());
      else "fill_"_op(r.view, v);
      return 0;
    }
    DType dtype = r.view.dtype();
    Tensor values = v.is_tensor() ? v.as_tensor() : tensor_from_data(value, &dtype);
    "index_put_"_op(r.view, IValue::list(std::move(r.indices)), values);
    return 0;
  });
}

}  // namespace monograph::python
