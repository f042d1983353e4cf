// Tensors, and PyTorch's operators as functions, methods and operators.
#pragma once

#include <functional>
#include <tuple>

#include "monograph/types.h"

MONOGRAPH_API_BEGIN

namespace indexing {
class TensorIndex;
}

// The elements of a strided tensor in place: a[i][j] of an accessor with two dims. It holds no reference: the tensor must outlive it.
template <class T, size_t N>
class TensorAccessor {
 public:
  TensorAccessor(T* data, const int64_t* sizes, const int64_t* strides) : data_(data), sizes_(sizes), strides_(strides) {}
  decltype(auto) operator[](int64_t k) const {
    if constexpr (N == 1) return (data_[k * strides_[0]]);
    else return TensorAccessor<T, N - 1>(data_ + k * strides_[0], sizes_ + 1, strides_ + 1);
  }
  int64_t size(size_t dim) const { return sizes_[dim]; }
  int64_t stride(size_t dim) const { return strides_[dim]; }
  T* data() const { return data_; }

 private:
  T* data_;
  const int64_t *sizes_, *strides_;
};
// An accessor that holds copies of the sizes and strides.
template <class T, size_t N>
class OwningAccessor {
 public:
  OwningAccessor(T* data, Sizes sizes, Sizes strides) : data_(data), sizes_(std::move(sizes)), strides_(std::move(strides)) {}
  decltype(auto) operator[](int64_t k) const { return TensorAccessor<T, N>(data_, sizes_.data(), strides_.data())[k]; }
  int64_t size(size_t dim) const { return sizes_[dim]; }
  int64_t stride(size_t dim) const { return strides_[dim]; }
  T* data() const { return data_; }

 private:
  T* data_;
  Sizes sizes_, strides_;
};

// A tensor. Copies of this object are the same tensor; clone() copies the elements. A default-constructed one is undefined: every call except defined() raises.
//
// While a function is captured with How::Symbolic, a tensor is a node of the graph. It has no sizes and no elements: sizes() and item() raise RuntimeError. With
// How::Trace, a size or item() that you ask for becomes a guard of the graph, which every run checks; values() and data<T>() raise RuntimeError.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) = default;
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & = default;
  // x[0] = y writes the elements of y, which are broadcast, into this part of x. (For a variable, x = y makes x the same tensor as y.)
  Tensor& operator=(const Tensor& source) &&;
  Tensor& operator=(const Scalar& value) &&;
  bool defined() const { return impl_ != nullptr; }
  bool is_symbolic() const;  // a node of a graph that is being captured
  Sizes sizes() const;
  Sizes strides() const;  // in elements
  int64_t size(Int dim) const;  // a negative dim counts from the end; IndexError out of range
  int64_t stride(Int dim) const;
  int64_t dim() const;  // the number of dims
  int64_t numel() const;  // the number of elements
  Dtype dtype() const;
  Device device() const;
  Options options() const {
    return Options(dtype()).device(device());
  }  // to make a tensor with the same dtype and device: zeros({2}, x.options())
  bool is_contiguous() const;
  bool is_same(const Tensor& other) const;  // the same tensor, not equal elements

  // A copy of the elements in row-major order, as doubles. TypeError for a complex dtype.
  std::vector<double> values() const;
  // The memory of a contiguous tensor with the dtype of T. TypeError for another dtype, RuntimeError if it is not contiguous: call contiguous() first.
  // mutable_data counts as a write, which autograd checks.
  template <class T>
  const T* data() const {
    return static_cast<const T*>(bytes(dtype_of<T>(), false));
  }
  template <class T>
  T* mutable_data() const {
    return static_cast<T*>(bytes(dtype_of<T>(), true));
  }
  // libtorch's names of dim(), element_size(), dtype() and mutable_data().
  int64_t ndimension() const { return dim(); }
  size_t itemsize() const { return element_size(); }
  Dtype scalar_type() const { return dtype(); }
  template <class T>
  T* data_ptr() const {
    return mutable_data<T>();
  }
  template <class T>
  T* mutable_data_ptr() const {
    return mutable_data<T>();
  }
  void* data_ptr() const { return bytes(dtype(), true); }
  void* mutable_data_ptr() const { return data_ptr(); }
  const void* const_data_ptr() const { return bytes(dtype(), false); }
  template <class T>
  const T* const_data_ptr() const {
    return data<T>();
  }
  // x.accessor<float, 2>()[i][j]: the elements of a tensor with any strides, to read and write. It counts as a write. RuntimeError for another number of dims,
  // TypeError for another dtype. Indices are not checked.
  template <class T, size_t N>
  OwningAccessor<T, N> accessor() const {
    check_dims(N);
    return {static_cast<T*>(bytes(dtype_of<T>(), true, false)), sizes(), strides()};
  }
  // The only element; RuntimeError if there are none or several. item<float>() converts it as static_cast does.
  Scalar item() const;
  template <class T>
  T item() const {
    return item().template to<T>();
  }
  // x[2] is the part with this index of the first dim: a view without that dim. IndexError out of range.
  Tensor operator[](Int index) const;
  // Python's x[...], its items in braces (monograph/indexing.h): x.index({Slice(1, 3), None, "...", mask}). index_put_ is x[...] = value.
  Tensor index(std::initializer_list<indexing::TensorIndex> items) const;
  Tensor index(const std::vector<indexing::TensorIndex>& items) const;
  Tensor index_put_(std::initializer_list<indexing::TensorIndex> items, const Tensor& value) const;
  Tensor index_put_(std::initializer_list<indexing::TensorIndex> items, const Scalar& value) const;
  Tensor index_put_(const std::vector<indexing::TensorIndex>& items, const Tensor& value) const;
  Tensor index_put_(const std::vector<indexing::TensorIndex>& items, const Scalar& value) const;

  // Python's x.data = y: this tensor gets the memory, sizes and dtype of `source`. Every copy of this object sees them.
  void set_data(const Tensor& source) const;
  Tensor to(Device device, Flag non_blocking = false, Flag copy = false) const;
  Tensor to(const char* device, Flag non_blocking = false, Flag copy = false) const { return to(Device(device), non_blocking, copy); }
  Tensor to(const std::string& device, Flag non_blocking = false, Flag copy = false) const {
    return to(Device(device), non_blocking, copy);
  }
  Tensor toType(Dtype dtype) const { return to(dtype); }  // libtorch's name
  Tensor cpu() const { return to(kCPU); }
  Tensor cuda() const { return to(kCUDA); }
  size_t nbytes() const;
  size_t element_size() const;
  bool is_cuda() const { return device().is_cuda(); }
  bool is_cpu() const { return device().is_cpu(); }
  bool is_meta() const { return device().is_meta(); }
  // Kinds of tensors that libtorch has and Monograph lacks.
  bool is_sparse() const { return false; }
  bool is_quantized() const { return false; }
  bool is_mkldnn() const { return false; }
  int64_t get_device() const { return device().index(); }  // -1 on the CPU
  int64_t storage_offset() const;  // in elements
  bool is_floating_point() const;
  bool is_complex() const;

  bool requires_grad() const;
  const Tensor& requires_grad_(bool on = true) const;
  const Tensor& set_requires_grad(bool on) const { return requires_grad_(on); }  // libtorch's name
  bool is_leaf() const;
  Tensor grad() const;  // undefined before the first backward()
  void set_grad(const Tensor& grad) const;  // of the same sizes, else RuntimeError; an undefined one removes it
  class Grad;
  Grad mutable_grad() const;  // libtorch's name of both: x.mutable_grad().zero_(), x.mutable_grad() = Tensor()
  void retain_grad() const;
  // Computes the gradient of this tensor by each leaf that it depends on, and adds it to grad() of the leaf. `gradient` has the sizes of this tensor; you may
  // leave it out if this tensor has one element, else RuntimeError.
  void backward(const Tensor& gradient = {}, std::optional<bool> retain_graph = {}, bool create_graph = false) const;
  std::string toString() const;  // "CPUFloatType"
  void print() const;  // writes it and the sizes to the standard error stream, as libtorch does

#include "monograph/generated/methods.inc"

  struct Access;  // the library's
 private:
  void* bytes(Dtype elements, bool write, bool contiguous = true) const;
  void check_dims(size_t expected) const;
  std::shared_ptr<void> impl_;
};

// A gradient that can be replaced: assignment is set_grad().
class Tensor::Grad : public Tensor {
 public:
  explicit Grad(const Tensor& of) : Tensor(of.grad()), of_(of) {}
  Grad(const Grad&) = default;
  Grad& operator=(const Tensor& grad) {
    of_.set_grad(grad);
    return *this;
  }
  Grad& operator=(const Grad& grad) {
    *this = static_cast<const Tensor&>(grad);
    return *this;
  }

 private:
  Tensor of_;
};
inline Tensor::Grad Tensor::mutable_grad() const { return Grad(*this); }

#include "monograph/generated/functions.inc"

// Writes the elements and, below them, dtype and sizes, as libtorch does.
std::ostream& operator<<(std::ostream& out, const Tensor& t);

// The dtype of factory functions and of floating numbers in braces, if you pass none: float32 at first. TypeError for a dtype that is not floating.
Dtype default_dtype();
void set_default_dtype(Dtype dtype);

// A tensor with a copy of these values. As in Python, ints in braces give int64, and floating numbers the default dtype. A vector gives the dtype of its elements.
// Options choose another dtype. ValueError if the rows have different lengths, or the number of values does not fit the sizes.
//   tensor({1, 2, 3})   tensor({{1.0, 2.0}, {3.0, 4.0}})   tensor({1.0, 2.0, 3.0, 4.0}, {2, 2})   tensor(true)
Tensor tensor_of(const void* elements, Dtype dtype, size_t count, const Ints& sizes, const Options& options);
Tensor tensor(const Scalar& value, const Options& options = {});
template <class T>
Tensor tensor(const std::vector<T>& values, const Ints& sizes, const Options& options = {}) {
  return tensor_of(values.data(), dtype_of<T>(), values.size(), sizes, options);
}
template <class T>
Tensor tensor(const std::vector<T>& values, const Options& options = {}) {
  return tensor(values, Ints{static_cast<int64_t>(values.size())}, options);
}
template <class T>
Options options_of_numbers(const Options& given) {
  if (given.dtype()) return given;
  if constexpr (Integral<T>) return given.dtype(kInt64);
  else if constexpr (std::floating_point<T>) return given.dtype(default_dtype());
  else if constexpr (std::same_as<T, bool>) return given;
  else return given.dtype(default_dtype() == kFloat64 ? kComplex128 : kComplex64);
}
template <class T>
Tensor tensor(std::initializer_list<T> values, const Ints& sizes, const Options& options = {}) {
  return tensor_of(values.begin(), dtype_of<T>(), values.size(), sizes, options_of_numbers<T>(options));
}
template <class T>
Tensor tensor(std::initializer_list<T> values, const Options& options = {}) {
  return tensor(values, Ints{static_cast<int64_t>(values.size())}, options);
}
template <class T>
Tensor tensor(std::initializer_list<std::initializer_list<T>> rows, const Options& options = {}) {
  const size_t columns = rows.size() ? rows.begin()->size() : 0;
  std::vector<std::conditional_t<std::same_as<T, bool>, uint8_t, T>> values;  // a vector<bool> has no array of its elements
  for (const auto& row : rows) {
    if (row.size() != columns)
      throw ValueError("tensor: expected rows of " + std::to_string(columns) + " values, but got one of " + std::to_string(row.size()));
    values.insert(values.end(), row.begin(), row.end());
  }
  return tensor_of(values.data(), dtype_of<T>(), values.size(), Ints{static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)},
                   options_of_numbers<T>(options));
}
// A tensor over memory that you own, without a copy: contiguous, or with these strides in elements. The memory must stay until the last tensor over it is gone.
// Then `release` is called with `context`, or `deleter` with `data`.
Tensor from_blob(void* data, const Ints& sizes, Dtype dtype, void (*release)(void* context) = nullptr, void* context = nullptr);
Tensor from_blob(void* data, const Ints& sizes, const Options& options = {});
Tensor from_blob(void* data, const Ints& sizes, const Ints& strides, const Options& options = {});
Tensor from_blob(void* data, const Ints& sizes, const std::function<void(void* data)>& deleter, const Options& options = {});
Tensor from_blob(void* data, const Ints& sizes, const Ints& strides, const std::function<void(void* data)>& deleter,
                 const Options& options = {});

// An argument of call(): any value that a schema allows.
using Value = std::variant<std::monostate, bool, int, int64_t, double, std::complex<double>, const char*, std::string, Tensor,
                           std::vector<int64_t>, std::vector<Tensor>, Dtype, Device, MemoryFormat, Generator>;
struct Results {  // the results of an operator; converts to a Tensor, the first result
  std::vector<Tensor> all;
  operator Tensor() const { return all.at(0); }
  const Tensor& operator[](size_t k) const { return all.at(k); }
};
// Calls the operator of this name, which may be your own ("mine::scale"). The arguments choose the overload. They stand in the order of the schema, including
// those that Python takes by keyword only. AttributeError for an unknown name, TypeError for arguments that no overload takes.
Results call(std::string_view op, std::vector<Value> args);
// "softmax"_op(x, 1)
struct NamedOp {
  std::string_view name;
  template <class... A>
  Results operator()(A&&... args) const {
    return call(name, {Value(std::forward<A>(args))...});
  }
};
inline NamedOp operator""_op(const char* name, size_t length) { return {std::string_view(name, length)}; }

#define MONOGRAPH_BINARY(symbol, op) \
  inline Tensor operator symbol(const Tensor& a, const Tensor& b) { return op(a, b); } \
  inline Tensor operator symbol(const Tensor& a, const Scalar& b) { return op(a, b); }
MONOGRAPH_BINARY(+, add)
MONOGRAPH_BINARY(-, sub)
MONOGRAPH_BINARY(*, mul)
MONOGRAPH_BINARY(/, div)
MONOGRAPH_BINARY(<, lt)
MONOGRAPH_BINARY(<=, le)
MONOGRAPH_BINARY(>, gt)
MONOGRAPH_BINARY(>=, ge)
MONOGRAPH_BINARY(==, eq)
MONOGRAPH_BINARY(!=, ne)
MONOGRAPH_BINARY(&, bitwise_and)
MONOGRAPH_BINARY(|, bitwise_or)
MONOGRAPH_BINARY(^, bitwise_xor)
MONOGRAPH_BINARY(%, remainder)
#undef MONOGRAPH_BINARY
inline Tensor operator+(const Scalar& a, const Tensor& b) { return add(b, a); }
inline Tensor operator*(const Scalar& a, const Tensor& b) { return mul(b, a); }
inline Tensor operator-(const Scalar& a, const Tensor& b) { return rsub(b, a); }
inline Tensor operator/(const Scalar& a, const Tensor& b) { return mul(reciprocal(b), a); }
inline Tensor operator-(const Tensor& a) { return neg(a); }
inline Tensor operator~(const Tensor& a) { return bitwise_not(a); }
inline Tensor operator!(const Tensor& a) { return logical_not(a); }
// In place, as Python's x += y. The left side may be a view: x[0] += y, x.select(1, 0) *= 2.
#define MONOGRAPH_IN_PLACE(symbol, op) \
  inline Tensor& operator symbol(Tensor & a, const Tensor & b) { return a.op(b), a; } \
  inline Tensor& operator symbol(Tensor & a, const Scalar & b) { return a.op(b), a; } \
  inline Tensor operator symbol(Tensor&& a, const Tensor& b) { return a.op(b), a; } \
  inline Tensor operator symbol(Tensor&& a, const Scalar& b) { return a.op(b), a; }
MONOGRAPH_IN_PLACE(+=, add_)
MONOGRAPH_IN_PLACE(-=, sub_)
MONOGRAPH_IN_PLACE(*=, mul_)
MONOGRAPH_IN_PLACE(/=, div_)
MONOGRAPH_IN_PLACE(&=, bitwise_and_)
MONOGRAPH_IN_PLACE(|=, bitwise_or_)
MONOGRAPH_IN_PLACE(^=, bitwise_xor_)
#undef MONOGRAPH_IN_PLACE

// While an object of this class exists, this thread records no gradients.
class NoGradGuard {
 public:
  NoGradGuard();
  ~NoGradGuard();
  NoGradGuard(const NoGradGuard&) = delete;

 private:
  bool saved_;
};
bool is_grad_enabled();
void set_grad_enabled(bool on);  // in this thread
// While an object of this class exists, this thread records gradients (true) or not (false).
class AutoGradMode {
 public:
  explicit AutoGradMode(bool on) : saved_(is_grad_enabled()) { set_grad_enabled(on); }
  ~AutoGradMode() { set_grad_enabled(saved_); }
  AutoGradMode(const AutoGradMode&) = delete;

 private:
  bool saved_;
};
struct GradMode {
  static bool is_enabled() { return is_grad_enabled(); }
  static void set_enabled(bool on) { set_grad_enabled(on); }
};
// Python's torch.inference_mode, while an object of this class exists: no gradients are recorded, and tensors made meanwhile cannot take part in gradients later.
class InferenceMode {
 public:
  explicit InferenceMode(bool on = true);
  ~InferenceMode();
  InferenceMode(const InferenceMode&) = delete;
  static bool is_enabled();

 private:
  bool inference_, grad_;
};

// How many threads one operator may use, in the whole process: 1 to 1024, else RuntimeError.
void set_num_threads(int count);
int get_num_threads();

namespace autograd {
// The gradient of the sum of `outputs` by each of `inputs`, with its sizes. `grad_outputs` weighs the outputs, one tensor for each; it may be left out if each
// output has one element. Without retain_graph, the graph is kept if create_graph is true. RuntimeError if no output depends on an input; with allow_unused that
// gradient is undefined instead.
std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& grad_outputs = {}, std::optional<bool> retain_graph = {}, bool create_graph = false,
                         bool allow_unused = false);
}  // namespace autograd

// The number of generated kernels that this processor can run, and whether matrix products use them. With 0 and false the results are the same, but many times
// slower.
uint64_t generated_kernels();
bool products_are_generated();
// The reason why captured graphs cannot be compiled in this process (libmonograph_jit.so was not found, for example); "" if they can.
std::string why_no_compiler();

MONOGRAPH_API_END
