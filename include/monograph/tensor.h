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
// An accessor with the sizes and strides that it goes by.
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

// A handle; copies share the tensor. In a symbolic capture it is a node of the graph: it has no sizes and no data, and asking for them is
// an error. In a trace the sizes that are asked for are guards of the graph, which every run checks, and asking for data is an error.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) = default;
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & = default;
  // x[0] = y writes the elements of y into that part of x; a name takes another tensor.
  Tensor& operator=(const Tensor& source) &&;
  Tensor& operator=(const Scalar& value) &&;
  bool defined() const { return impl_ != nullptr; }
  bool is_symbolic() const;
  Sizes sizes() const;
  Sizes strides() const;
  int64_t size(Int dim) const;
  int64_t stride(Int dim) const;
  int64_t dim() const;
  int64_t numel() const;
  Dtype dtype() const;
  Device device() const;
  Options options() const { return Options(dtype()).device(device()); }  // what makes another tensor like this one: zeros({2}, x.options())
  bool is_contiguous() const;
  bool is_same(const Tensor& other) const;  // the same tensor, not equal elements

  // The elements in row-major order, as doubles; real dtypes.
  std::vector<double> values() const;
  // The memory of a contiguous tensor whose elements are Ts. The second counts as a write, which autograd checks.
  template <class T>
  const T* data() const {
    return static_cast<const T*>(bytes(dtype_of<T>(), false));
  }
  template <class T>
  T* mutable_data() const {
    return static_cast<T*>(bytes(dtype_of<T>(), true));
  }
  // libtorch's names of dtype() and mutable_data().
  Dtype scalar_type() const { return dtype(); }
  template <class T>
  T* data_ptr() const {
    return mutable_data<T>();
  }
  // x.accessor<float, 2>()[i][j]; it may write, which autograd counts. RuntimeError for another number of dims, TypeError for another dtype.
  template <class T, size_t N>
  OwningAccessor<T, N> accessor() const {
    check_dims(N);
    return {static_cast<T*>(bytes(dtype_of<T>(), true, false)), sizes(), strides()};
  }
  // The only element.
  Scalar item() const;
  template <class T>
  T item() const {
    return item().template to<T>();
  }
  // The part with this index of the first dim, as Python's x[2].
  Tensor operator[](Int index) const;
  // Python's x[...], its items in braces (monograph/indexing.h): x.index({Slice(1, 3), None, "...", mask}). index_put_ is x[...] = value.
  Tensor index(std::initializer_list<indexing::TensorIndex> items) const;
  Tensor index(const std::vector<indexing::TensorIndex>& items) const;
  Tensor index_put_(std::initializer_list<indexing::TensorIndex> items, const Tensor& value) const;
  Tensor index_put_(std::initializer_list<indexing::TensorIndex> items, const Scalar& value) const;
  Tensor index_put_(const std::vector<indexing::TensorIndex>& items, const Tensor& value) const;
  Tensor index_put_(const std::vector<indexing::TensorIndex>& items, const Scalar& value) const;

  // Shows the elements of another tensor from here on, as Python's x.data = y: whoever holds this tensor sees them.
  void set_data(const Tensor& source) const;
  Tensor to(Device device, Flag non_blocking = false, Flag copy = false) const;
  Tensor cpu() const { return to(kCPU); }
  size_t nbytes() const;
  size_t element_size() const;
  bool is_cuda() const { return device().is_cuda(); }
  bool is_cpu() const { return device().is_cpu(); }
  bool is_floating_point() const;
  bool is_complex() const;

  bool requires_grad() const;
  const Tensor& requires_grad_(bool on = true) const;
  bool is_leaf() const;
  Tensor grad() const;  // undefined where there is none yet
  void set_grad(const Tensor& grad) const;  // undefined: none
  void retain_grad() const;
  // Adds the gradient of this tensor by each leaf that it depends on to the leaf's grad(). `gradient` may be left out for one element.
  void backward(const Tensor& gradient = {}, bool retain_graph = false, bool create_graph = false) const;

#include "monograph/generated/methods.inc"

  struct Access;  // the library's
 private:
  void* bytes(Dtype elements, bool write, bool contiguous = true) const;
  void check_dims(size_t expected) const;
  std::shared_ptr<void> impl_;
};

#include "monograph/generated/functions.inc"

// Writes the elements and, below them, dtype and sizes, as libtorch does.
std::ostream& operator<<(std::ostream& out, const Tensor& t);

// The dtype of floating numbers where nothing else decides.
Dtype default_dtype();
void set_default_dtype(Dtype dtype);

// A tensor from values. Values in braces are Python's numbers: ints make int64, floating ones the default dtype. A vector keeps the dtype of
// its elements. Options say otherwise.
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
// A tensor over memory of the caller, contiguous or with these strides, which `release` (if any) gives back when the last tensor over it is gone: it is called
// with `context`, and `deleter` with `data`.
Tensor from_blob(void* data, const Ints& sizes, Dtype dtype, void (*release)(void* context) = nullptr, void* context = nullptr);
Tensor from_blob(void* data, const Ints& sizes, const Options& options = {});
Tensor from_blob(void* data, const Ints& sizes, const Ints& strides, const Options& options = {});
Tensor from_blob(void* data, const Ints& sizes, const std::function<void(void* data)>& deleter, const Options& options = {});
Tensor from_blob(void* data, const Ints& sizes, const Ints& strides, const std::function<void(void* data)>& deleter,
                 const Options& options = {});

// What operators take and give where they are called by name.
using Value = std::variant<std::monostate, bool, int, int64_t, double, std::complex<double>, const char*, std::string, Tensor,
                           std::vector<int64_t>, std::vector<Tensor>, Dtype, Device, MemoryFormat, Generator>;
struct Results {  // nearly always one tensor, which it turns into
  std::vector<Tensor> all;
  operator Tensor() const { return all.at(0); }
  const Tensor& operator[](size_t k) const { return all.at(k); }
};
// The operator of this name, also one of your own ("mine::scale"); the arguments choose the overload. Arguments stand in the
// schema's order, those too that Python takes by keyword only.
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
#undef MONOGRAPH_BINARY
inline Tensor operator+(const Scalar& a, const Tensor& b) { return add(b, a); }
inline Tensor operator*(const Scalar& a, const Tensor& b) { return mul(b, a); }
inline Tensor operator-(const Scalar& a, const Tensor& b) { return rsub(b, a); }
inline Tensor operator/(const Scalar& a, const Tensor& b) { return mul(reciprocal(b), a); }
inline Tensor operator-(const Tensor& a) { return neg(a); }
inline Tensor operator~(const Tensor& a) { return bitwise_not(a); }
// In place, as Python's x += y.
#define MONOGRAPH_IN_PLACE(symbol, op) \
  inline Tensor& operator symbol(Tensor & a, const Tensor & b) { return a.op(b), a; } \
  inline Tensor& operator symbol(Tensor & a, const Scalar & b) { return a.op(b), a; }
MONOGRAPH_IN_PLACE(+=, add_)
MONOGRAPH_IN_PLACE(-=, sub_)
MONOGRAPH_IN_PLACE(*=, mul_)
MONOGRAPH_IN_PLACE(/=, div_)
#undef MONOGRAPH_IN_PLACE

// No gradients are recorded in this thread while one of these lives.
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
// Gradients are recorded, or not, in this thread while one of these lives.
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
// Python's torch.inference_mode while one of these lives: no gradients, and what is made here takes no part in gradients later.
class InferenceMode {
 public:
  explicit InferenceMode(bool on = true);
  ~InferenceMode();
  InferenceMode(const InferenceMode&) = delete;
  static bool is_enabled();

 private:
  bool inference_, grad_;
};

// How many threads one operator may use, and how many it uses.
void set_num_threads(int count);
int get_num_threads();

namespace autograd {
// The gradients of `inputs`; undefined where no output depends on one, which is an error unless allow_unused.
std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& grad_outputs = {}, bool retain_graph = false, bool create_graph = false,
                         bool allow_unused = false);
}  // namespace autograd

// The number of generated kernels that this processor can run, and whether there are generated matrix products. An executable that was linked
// without them gives the same results, many times slower.
uint64_t generated_kernels();
bool products_are_generated();
// Why captured graphs cannot be compiled in this process; "" where they can.
std::string why_no_compiler();

MONOGRAPH_API_END
