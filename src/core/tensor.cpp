// Sizes and strides: contiguity, overlap, views, the strides of results as PyTorch chooses them, and the factories of empty tensors.
#include "core/tensor.h"
#include "core/absent_device.h"

#include "core/quantizer.h"
#include "core/size.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace monograph {

namespace {

struct DeviceName {
  DeviceType type;
  std::string_view name;
};
constexpr DeviceName kDeviceNames[] = {{DeviceType::Cpu, "cpu"},       {DeviceType::Cuda, "cuda"},
                                       {DeviceType::Ipu, "ipu"},       {DeviceType::Xpu, "xpu"},
                                       {DeviceType::Mkldnn, "mkldnn"}, {DeviceType::OpenGl, "opengl"},
                                       {DeviceType::OpenCl, "opencl"}, {DeviceType::Ideep, "ideep"},
                                       {DeviceType::Hip, "hip"},       {DeviceType::Ve, "ve"},
                                       {DeviceType::Fpga, "fpga"},     {DeviceType::Maia, "maia"},
                                       {DeviceType::Xla, "xla"},       {DeviceType::Lazy, "lazy"},
                                       {DeviceType::Vulkan, "vulkan"}, {DeviceType::Mps, "mps"},
                                       {DeviceType::Meta, "meta"},     {DeviceType::Hpu, "hpu"},
                                       {DeviceType::Mtia, "mtia"},     {DeviceType::PrivateUse1, "privateuseone"}};

}  // namespace

std::string to_string(Device d) {
  std::string text(std::ranges::find(kDeviceNames, d.type, &DeviceName::type)->name);
  if (d.index >= 0) text += ":" + std::to_string(d.index);
  return text;
}

std::string device_types() {
  std::string text;
  for (const DeviceName& d : kDeviceNames) text += concat(text.empty() ? "" : ", ", d.name);
  return text;
}

bool parse_device(std::string_view text, Device& out) {
  size_t colon = text.find(':');
  const auto* found = std::ranges::find(kDeviceNames, text.substr(0, colon), &DeviceName::name);
  if (found == std::end(kDeviceNames)) return false;
  out.type = found->type;
  out.index = -1;
  if (colon == std::string_view::npos) return true;
  std::string_view number = text.substr(colon + 1);
  if (number.empty() || number.size() > 2 || number.find_first_not_of("0123456789") != std::string_view::npos) return false;
  out.index = static_cast<int8_t>(std::stoi(std::string(number)));
  return true;
}

void (*g_device_notice)(const char* text) = nullptr;

Device with_fallback(Device d) {
  static const bool falls_back = [] {
    const char* text = std::getenv("MONOGRAPH_DEVICE_FALLBACK");
    return text && std::string_view(text) == "cpu";
  }();
  if (!falls_back || (d.type != DeviceType::Cuda && d.type != DeviceType::Mps && d.type != DeviceType::Xpu)) return d;
  static std::atomic<bool> told = false;
  const std::string notice =
      concat("MONOGRAPH_DEVICE_FALLBACK=cpu: there is no GPU, so '", to_string(Device{d.type, -1}), "' means the CPU in this process");
  if (!told.exchange(true)) g_device_notice ? g_device_notice(notice.c_str()) : void(std::fprintf(stderr, "%s\n", notice.c_str()));
  return {};
}

void Dims::grow(size_t n) {
  const size_t capacity = std::max(n, size_t{2} * size_);
  auto* grown = new int64_t[capacity];
  std::copy(begin(), end(), grown);
  if (heap_) delete[] data_;
  data_ = grown, capacity_ = capacity, heap_ = true;
}

std::string to_string(std::span<const int64_t> dims) {
  std::string out = "[";
  for (size_t i = 0; i < dims.size(); ++i) out += (i ? ", " : "") + std::to_string(dims[i]);
  return out + "]";
}

int64_t product(std::span<const int64_t> sizes) {
  int64_t n = 1;
  bool overflow = false, zero = false;
  for (int64_t s : sizes) {
    zero |= s == 0;
    overflow |= __builtin_mul_overflow(n, s, &n);
  }
  if (zero) return 0;
  MONOGRAPH_CHECK(!overflow, Runtime, "a tensor of size ", to_string(sizes), " has more elements than a 64-bit number can count");
  return n;
}

Dims contiguous_strides(std::span<const int64_t> sizes) {
  Dims strides(sizes.size(), 1);
  int64_t n = 1;
  bool overflow = false;  // of what a stride depends on, so not of the outermost size
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = n;
    overflow |= __builtin_mul_overflow(n, std::max<int64_t>(sizes[i], 1), &n) && i > 0;
  }
  // Without a size 0, product() says that there are too many elements.
  MONOGRAPH_CHECK(!overflow || std::ranges::find(sizes, 0) == sizes.end(), Runtime,
                  "Stride calculation overflowed: a stride of a tensor of size ", to_string(sizes), " does not fit in 64 bits");
  return strides;
}

Dims channels_last_strides(std::span<const int64_t> sizes) {
  MONOGRAPH_CHECK(sizes.size() == 4, Runtime, "channels_last needs a tensor of 4 dims (N, C, H, W), but this one has ", sizes.size());
  const int64_t c = sizes[1], w = sizes[3], h = sizes[2];
  return {h * w * c, 1, w * c, c};  // PyTorch's, also where a size is 0
}

int64_t wrap_dim(int64_t dim, int64_t ndim) {
  int64_t n = std::max<int64_t>(ndim, 1);
  MONOGRAPH_CHECK(dim >= -n && dim < n, Index, "Dimension out of range (expected to be in range of [", -n, ", ", n - 1, "], but got ", dim,
                  ")");
  return dim < 0 ? dim + n : dim;
}

TensorImpl::~TensorImpl() {
  if (python_release) python_release(this);
}

Sizes TensorImpl::graph_sizes() const { return SizesRef(sizes); }

void TensorImpl::refresh() {
  numel = product(sizes);
  contiguous = true;
  int64_t expected = 1;
  for (size_t i = sizes.size(); i-- > 0 && contiguous;) {
    if (sizes[i] != 1 && numel != 0) contiguous = strides[i] == expected;
    expected *= sizes[i];
  }
}

bool Tensor::is_contiguous(MemoryFormat f) const {
  if (f != MemoryFormat::ChannelsLast && f != MemoryFormat::ChannelsLast3d) return impl_->contiguous;
  if (dim() != (f == MemoryFormat::ChannelsLast ? 4 : 5)) return false;
  // The channels are innermost, then the dims from the last to dim 2, then the batch.
  int64_t expected = 1;
  for (size_t k = 0, n = sizes().size(); k < n; ++k) {
    const size_t d = k == 0 ? 1 : k == n - 1 ? 0 : n - k;
    if (sizes()[d] != 1 && strides()[d] != expected) return false;
    expected *= sizes()[d];
  }
  return true;
}

void Tensor::check_writable(std::string_view op) const {
  MONOGRAPH_CHECK(!impl_->storage || impl_->storage->writable(), Runtime, "[", op,
                  "] cannot write into a tensor whose memory is read-only (it belongs to a file or another library); write into x.clone()");
  MONOGRAPH_CHECK(
      !is_inference() || inference_mode(), Runtime, "[", op,
      "] Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to get a normal tensor before "
      "doing inplace update.");
}

void Tensor::check_no_internal_overlap(std::string_view op) const {
  MONOGRAPH_CHECK(!overlaps_itself(*this), Runtime, "[", op,
                  "] unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
                  "Please clone() the tensor before performing the operation.");
}

Tensor Tensor::as_strided(std::span<const int64_t> sizes, std::span<const int64_t> strides, int64_t offset) const {
  return as_strided(dtype(), sizes, strides, offset);
}

Tensor Tensor::as_strided(DType dtype, std::span<const int64_t> sizes, std::span<const int64_t> strides, int64_t offset) const {
  auto view = make_ref<TensorImpl>();
  view->storage = impl_->storage;
  view->sizes = sizes, view->strides = strides;
  view->offset = impl_->storage && !impl_->storage->data() ? 0 : offset;  // in memory of no bytes there is one place
  view->dtype = dtype, view->device = impl_->device;
  view->own_version = impl_->own_version;
  if (impl_->quantizer || is_quantized(dtype)) [[unlikely]] {
    check_view_of_quantized(*this, dtype == impl_->dtype, sizes, strides);
    view->quantizer = impl_->quantizer;
  }
  view->refresh();
  return Tensor(std::move(view));
}

// From the first element to behind the last.
static size_t bytes_of(const TensorImpl& t) {
  int64_t last = t.numel, bytes = 0;
  bool overflow = false;
  if (t.numel && !t.contiguous) {
    last = 1;
    for (size_t i = 0; i < t.sizes.size(); ++i) {
      int64_t extent = 0;
      overflow |= __builtin_mul_overflow(t.sizes[i] - 1, t.strides[i], &extent) || __builtin_add_overflow(last, extent, &last);
    }
  }
  overflow |= __builtin_mul_overflow(last, element_size(t.dtype), &bytes);
  MONOGRAPH_CHECK(!overflow, Runtime, "Storage size calculation overflowed with sizes=", to_string(t.sizes), " of torch.", name(t.dtype));
  return static_cast<size_t>(bytes);
}

Tensor empty_strided(std::span<const int64_t> sizes, std::span<const int64_t> strides, DType dtype, Device device) {
  for (int64_t s : sizes) MONOGRAPH_CHECK(s >= 0, Runtime, "Trying to create tensor with negative dimension ", s, ": ", to_string(sizes));
  if (!holds_tensors(device))
    throw AbsentDevice(concat(
        "Monograph runs on the CPU: a tensor cannot be put on '", to_string(device),
        "'. Use device='cpu' (or 'meta' for shapes alone)"
        "\nTo run a program that was written for a GPU as it is, on the CPU, set the environment variable MONOGRAPH_DEVICE_FALLBACK=cpu"));
  auto impl = make_ref<TensorImpl>();
  impl->sizes = sizes, impl->strides = strides;
  impl->dtype = dtype, impl->device = device;
  impl->refresh();
  if (device.type == DeviceType::Cpu) {
    impl->storage = make_ref<Storage>(bytes_of(*impl));
  }
  return Tensor(std::move(impl));
}

Tensor empty(std::span<const int64_t> sizes, DType dtype, Device device) {
  return empty_strided(sizes, contiguous_strides(sizes), dtype, device);
}

// Sorted by stride, each stride is the product of the smaller dims.
static bool is_dense(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  Dims order(sizes.size(), 0);
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::sort(order, {}, [&](int64_t d) { return strides[static_cast<size_t>(d)]; });
  int64_t expected = 1;
  for (int64_t at : order) {
    const auto d = static_cast<size_t>(at);
    if (sizes[d] == 1) continue;
    if (strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

// Whether dim a lies outside of dim b: 1; inside: -1; 0 where no operand tells.
static int compare_dims(std::span<const int64_t> sizes, std::span<const Dims> operands, size_t a, size_t b) {
  for (const Dims& strides : operands) {
    if (strides[a] == 0 || strides[b] == 0) continue;
    if (strides[a] != strides[b]) return strides[a] < strides[b] ? -1 : 1;
    if (sizes[a] > sizes[b]) return 1;
  }
  return 0;
}

Dims result_strides(std::span<const int64_t> sizes, std::span<const Dims> operands) {
  auto same = [&](const Dims& strides) { return strides == operands[0]; };
  if (!operands.empty() && std::ranges::all_of(operands, same) && is_dense(sizes, operands[0])) return operands[0];
  // Insertion sort of the dims from the innermost: a dim moves outwards past what it is known to lie outside of, over what it cannot be compared to.
  const size_t n = sizes.size();
  Dims order(n, 0);
  for (size_t i = 0; i < n; ++i) order[i] = static_cast<int64_t>(n - 1 - i);
  for (size_t i = 1; i < n; ++i)
    for (size_t k = i, moving = i; k-- > 0;) {
      const int c = compare_dims(sizes, operands, static_cast<size_t>(order[k]), static_cast<size_t>(order[moving]));
      if (c < 0) break;
      if (c > 0) std::swap(order[k], order[moving]), moving = k;
    }
  Dims out(n, 1);
  int64_t step = 1;
  for (int64_t d : order) {
    out[static_cast<size_t>(d)] = step;
    step *= std::max<int64_t>(sizes[static_cast<size_t>(d)], 1);
  }
  return out;
}

Dims broadcast_strides(const Tensor& t, std::span<const int64_t> sizes) {
  Dims out(sizes.size(), 0);
  const size_t lead = sizes.size() - t.sizes().size();
  for (size_t d = 0; d < t.sizes().size(); ++d) out[lead + d] = t.sizes()[d] == 1 && sizes[lead + d] != 1 ? 0 : t.strides()[d];
  return out;
}

Tensor empty_like(const Tensor& like, DType dtype) {
  if (like->contiguous) return empty_strided(like.sizes(), like.strides(), dtype, like.device());
  return empty_strided(like.sizes(), result_strides(like.sizes(), std::span(&like.strides(), 1)), dtype, like.device());
}

Tensor from_blob(void* data, std::span<const int64_t> sizes, std::span<const int64_t> strides, DType dtype, void (*release)(void*),
                 void* context, bool writable) {
  auto impl = make_ref<TensorImpl>();
  impl->sizes = sizes, impl->strides = strides;
  impl->dtype = dtype;
  impl->refresh();
  int64_t last = impl->numel ? 1 : 0;
  for (size_t i = 0; i < sizes.size() && impl->numel; ++i) last += (sizes[i] - 1) * strides[i];
  auto bytes = static_cast<size_t>(last) * static_cast<size_t>(element_size(dtype));
  impl->storage = make_ref<Storage>(data, bytes, release ? release : [](void*) {}, context, writable);
  return Tensor(std::move(impl));
}

namespace {

// The bytes [first, last) that a tensor may touch; empty for a tensor without elements.
std::pair<const char*, const char*> extent(const Tensor& t) {
  if (t.numel() == 0 || !t->storage) return {nullptr, nullptr};
  int64_t low = 0, high = 0;
  for (size_t i = 0; i < t.sizes().size(); ++i) {
    int64_t reach = (t.sizes()[i] - 1) * t.strides()[i];
    (reach < 0 ? low : high) += reach;
  }
  int64_t size = element_size(t.dtype());
  return {t.data() + low * size, t.data() + (high + 1) * size};
}

std::atomic<DType> g_default_dtype{DType::f32};

}  // namespace

bool may_overlap(const Tensor& a, const Tensor& b) {
  if (!a->storage || !b->storage) return false;
  auto [a0, a1] = extent(a);
  auto [b0, b1] = extent(b);
  return a0 < b1 && b0 < a1;
}

bool overlaps_itself(const Tensor& t) {
  for (size_t i = 0; i < t.sizes().size(); ++i)
    if (t.sizes()[i] > 1 && t.strides()[i] == 0) return true;
  return false;
}

DType default_dtype() { return g_default_dtype; }
void set_default_dtype(DType t) {
  MONOGRAPH_CHECK(is_floating(t), Type, "only floating-point types are supported as the default type, but got torch.", name(t));
  g_default_dtype = t;
}

}  // namespace monograph
