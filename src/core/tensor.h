// Tensor: a strided view of a Storage. A handle of one word; copies share the tensor. Views share the storage.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/error.h"
#include "core/storage.h"

namespace monograph {

// Tensors live on Cpu and Meta. The others can be named, as in PyTorch; nothing runs there (docs/scope.md).
enum class DeviceType : uint8_t {
  Cpu,
  Meta,
  Cuda,
  Ipu,
  Xpu,
  Mkldnn,
  OpenGl,
  OpenCl,
  Ideep,
  Hip,
  Ve,
  Fpga,
  Maia,
  Xla,
  Lazy,
  Vulkan,
  Mps,
  Hpu,
  Mtia,
  PrivateUse1,
};
struct Device {
  DeviceType type = DeviceType::Cpu;
  int8_t index = -1;  // -1: none given
  bool operator==(const Device&) const = default;
};
std::string to_string(Device d);
bool parse_device(std::string_view text, Device& out);
// Whether tensors can be on it.
inline bool holds_tensors(Device d) { return d.type == DeviceType::Cpu || d.type == DeviceType::Meta; }
// The words that name a type of device, in PyTorch's order, with commas.
std::string device_types();
// The device that a program means by what it names. With MONOGRAPH_DEVICE_FALLBACK=cpu in the environment, a GPU (cuda, mps, xpu) is the CPU from the start, so
// that x.device is what was asked for; a notice says so once.
Device with_fallback(Device d);
extern void (*g_device_notice)(const char* text);  // who shows it; null: the standard error

// torch.memory_format, in PyTorch's order.
enum class MemoryFormat : uint8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };

// Sizes or strides: up to six inline, so that making a tensor costs no further allocation. Copies of those move all six words at once.
class Dims {
 public:
  Dims() = default;
  Dims(std::span<const int64_t> v) { assign(v); }
  Dims(std::initializer_list<int64_t> v) { assign({v.begin(), v.size()}); }
  Dims(size_t n, int64_t value) {
    resize(n);
    for (size_t i = 0; i < n; ++i) (*this)[i] = value;
  }
  Dims(const Dims& o) {
    if (o.heap_) assign(o);
    else copy_inline(o);
  }
  Dims(Dims&& o) noexcept { steal(o); }
  Dims& operator=(const Dims& o) {
    if (this == &o) return *this;
    if (heap_ || o.heap_) assign(o);
    else copy_inline(o);
    return *this;
  }
  Dims& operator=(Dims&& o) noexcept {
    if (this == &o) return *this;
    if (heap_) delete[] data_;
    steal(o);
    return *this;
  }
  Dims& operator=(std::span<const int64_t> v) {  // of somebody else's numbers
    assign(v);
    return *this;
  }
  ~Dims() {
    if (heap_) delete[] data_;
  }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t* data() { return heap_ ? data_ : inline_; }
  const int64_t* data() const { return heap_ ? data_ : inline_; }
  int64_t& operator[](size_t i) { return data()[i]; }
  int64_t operator[](size_t i) const { return data()[i]; }
  int64_t* begin() { return data(); }
  int64_t* end() { return data() + size_; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + size_; }
  int64_t back() const { return data()[size_ - 1]; }
  operator std::span<const int64_t>() const { return {data(), size_}; }
  void push_back(int64_t v) {
    resize(size_ + 1);
    data()[size_ - 1] = v;
  }
  void resize(size_t n) {  // new places are undefined
    if (n > (heap_ ? capacity_ : kInline)) grow(n);
    size_ = static_cast<uint32_t>(n);
  }
  void erase(size_t i) {
    for (size_t k = i; k + 1 < size_; ++k) (*this)[k] = (*this)[k + 1];
    --size_;
  }
  void insert(size_t i, int64_t v) {
    resize(size_ + 1);
    for (size_t k = size_ - 1; k > i; --k) (*this)[k] = (*this)[k - 1];
    (*this)[i] = v;
  }
  bool operator==(const Dims& o) const { return size_ == o.size_ && std::equal(begin(), end(), o.begin()); }

 private:
  static constexpr size_t kInline = 6;
  void assign(std::span<const int64_t> v) {
    resize(v.size());
    for (size_t i = 0; i < v.size(); ++i) data()[i] = v[i];
  }
  void copy_inline(const Dims& o) {
    std::memcpy(inline_, o.inline_, sizeof(inline_));
    size_ = o.size_;
  }
  void steal(Dims& o) {
    std::memcpy(inline_, o.inline_, sizeof(inline_));  // the pointer and capacity too, where they stand there
    size_ = o.size_, heap_ = o.heap_;
    o.size_ = 0, o.heap_ = false;
  }
  void grow(size_t n);
  union {
    int64_t inline_[kInline] = {};
    struct {
      int64_t* data_;
      size_t capacity_;
    };
  };
  uint32_t size_ = 0;
  bool heap_ = false;
};

std::string to_string(std::span<const int64_t> dims);  // "[2, 3]"
int64_t product(std::span<const int64_t> sizes);  // Error if it overflows
Dims contiguous_strides(std::span<const int64_t> sizes);
Dims channels_last_strides(std::span<const int64_t> sizes);  // of a 4-d tensor
// A dim of -ndim..ndim-1 as 0..ndim-1; Error (IndexError) in PyTorch's words otherwise. A 0-d tensor has the dims -1 and 0.
int64_t wrap_dim(int64_t dim, int64_t ndim);

class Sizes;
class Tensor;

// What autograd hangs on a tensor; src/autograd defines it, core only keeps it.
struct AutogradMeta {
  virtual ~AutogradMeta() = default;
};

// The writes through `.data` and its views, which its source does not count.
struct VersionCounter : RefCounted {
  uint32_t value = 0;
};

class TensorImpl : public RefCounted {
 public:
  // What stands behind the handle. Only Dense has memory; Symbolic is a graph's node seen as a tensor (src/capture).
  enum class Kind : uint8_t { Dense, Symbolic };

  TensorImpl() = default;
  ~TensorImpl() override;

  Ref<Storage> storage;  // null on the meta device
  Dims sizes, strides;  // elements
  int64_t offset = 0;  // elements
  int64_t numel = 1;
  DType dtype = DType::f32;
  Device device;
  Kind kind = Kind::Dense;
  bool contiguous = true;
  bool requires_grad = false;  // a leaf's own mark; results of recorded operators carry it too
  bool wrapped_number = false;  // made of a Python number: it weighs less in promotion
  bool is_parameter = false;  // torch.nn.Parameter
  bool viewed_without_grad = false;  // a view made under no_grad, or a view of one
  std::unique_ptr<AutogradMeta> autograd;
  Ref<VersionCounter> own_version;  // of `.data`; null: the storage's counts
  Ref<TensorImpl> base;  // of a view that a program made: the tensor whose storage it shows
  void* python = nullptr;  // the one Python object of this tensor, borrowed; cleared by it
  void (*python_release)(TensorImpl*) = nullptr;
  Ref<RefCounted> quantizer;  // of a tensor of a quantized dtype: its Quantizer (core/quantizer.h), which never changes

  // Of a Symbolic one: its sizes in its graph.
  virtual Sizes graph_sizes() const;

  void refresh();  // numel and contiguous from sizes and strides
};

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(Ref<TensorImpl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return static_cast<bool>(impl_); }
  TensorImpl* impl() const { return impl_.get(); }
  const Ref<TensorImpl>& ref() const { return impl_; }
  TensorImpl* operator->() const { return impl_.get(); }

  DType dtype() const { return impl_->dtype; }
  Device device() const { return impl_->device; }
  bool is_meta() const { return impl_->device.type == DeviceType::Meta; }
  int64_t dim() const { return static_cast<int64_t>(impl_->sizes.size()); }
  int64_t numel() const { return impl_->numel; }
  const Dims& sizes() const { return impl_->sizes; }
  const Dims& strides() const { return impl_->strides; }
  int64_t size(int64_t d) const { return impl_->sizes[static_cast<size_t>(wrap_dim(d, dim()))]; }
  int64_t stride(int64_t d) const { return impl_->strides[static_cast<size_t>(wrap_dim(d, dim()))]; }
  bool is_contiguous(MemoryFormat f = MemoryFormat::Contiguous) const;
  bool requires_grad() const { return impl_->requires_grad || (impl_->base && impl_->base->requires_grad); }
  bool is_inference() const { return impl_->storage ? impl_->storage->of_inference() : false; }  // made in inference_mode, or a view of one
  size_t nbytes() const { return static_cast<size_t>(numel() * element_size(dtype())); }

  // The first element. Reading is free; `mutable_data` counts a write and refuses read-only memory.
  char* data() const { return impl_->storage ? impl_->storage->data() + impl_->offset * element_size(impl_->dtype) : nullptr; }
  template <class T>
  T* data_as() const {
    return reinterpret_cast<T*>(data());
  }
  void check_writable(std::string_view op) const;
  // Of a write that gives each element a value of its own: Error (Runtime) where two of them are one place (an expanded dim).
  void check_no_internal_overlap(std::string_view op) const;
  void bump_version() const {
    if (impl_->own_version) ++impl_->own_version->value;
    if (impl_->storage) impl_->storage->note_write(!impl_->own_version);
  }
  uint32_t version() const { return impl_->own_version ? impl_->own_version->value : impl_->storage ? impl_->storage->version() : 0; }

  // A view of the same storage; the caller answers for its bounds.
  Tensor as_strided(std::span<const int64_t> sizes, std::span<const int64_t> strides, int64_t offset) const;
  // The same, with the memory as elements of another dtype; strides and offset count those.
  Tensor as_strided(DType dtype, std::span<const int64_t> sizes, std::span<const int64_t> strides, int64_t offset) const;
  bool is_same(const Tensor& o) const { return impl_ == o.impl_; }

 private:
  Ref<TensorImpl> impl_;
};

// Uninitialised tensors.
Tensor empty(std::span<const int64_t> sizes, DType dtype = DType::f32, Device device = {});
inline Tensor empty(std::initializer_list<int64_t> sizes, DType dtype = DType::f32, Device device = {}) {
  return empty(std::span<const int64_t>(sizes.begin(), sizes.size()), dtype, device);
}
Tensor empty_strided(std::span<const int64_t> sizes, std::span<const int64_t> strides, DType dtype, Device device = {});
// Strides of a dense tensor whose dims lie in memory in the order of the operands' dims, as PyTorch's TensorIterator lays out its results.
// An operand is its strides along `sizes`, 0 where it repeats; where they disagree, the first that tells two dims apart decides.
Dims result_strides(std::span<const int64_t> sizes, std::span<const Dims> operands);
// The strides of `t` along sizes that it broadcasts to.
Dims broadcast_strides(const Tensor& t, std::span<const int64_t> sizes);
// The storage order of `like`, as PyTorch's preserve_format keeps it: without its gaps and repetitions.
Tensor empty_like(const Tensor& like, DType dtype);
// A tensor over memory that outlives it or is released by `release(context)`.
Tensor from_blob(void* data, std::span<const int64_t> sizes, std::span<const int64_t> strides, DType dtype, void (*release)(void*),
                 void* context, bool writable = true);

// Whether two tensors may touch the same bytes.
bool may_overlap(const Tensor& a, const Tensor& b);
// Whether some element is reachable by two indices (an expanded dim).
bool overlaps_itself(const Tensor& t);

// The dtype of floating results where nothing else decides (torch.get_default_dtype), per process.
DType default_dtype();
// The dtype of a complex Python number: the complex dtype of the default dtype.
inline DType default_complex_dtype() { return complex_type(default_dtype()); }
void set_default_dtype(DType t);

}  // namespace monograph
