// Copies between tensors of the same dtype, conversions between dtypes (each pair has a generated kernel), and the resizing of out= tensors.
#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/elements.h"
#include "kernels/storage_only.h"
#include "ops/kernel_call.h"
#include "ops/pointwise.h"

namespace monograph {
namespace {

Body conversion_body(DType from, DType to) {
  Recorder recorder;
  if (is_complex(from)) {
    Complex z = Complex::arg(recorder, from, false);
    if (is_complex(to)) Complex::out(recorder, z, to);
    else if (to == DType::b1) recorder.out(z != Complex{lit(z.re.t, 0.0), lit(z.re.t, 0.0)}, to);
    else recorder.out(z.re, to);
  } else {
    recorder.out(recorder.arg(from), to);
  }
  return expand(recorder.finish());
}

constexpr size_t kOneThread = size_t{64} << 10;  // so many bytes are copied with one memmove, by one thread

const Kernel& conversion_kernel(DType from, DType to) {
  static std::array<LazyKernel, size_t{kComputedDTypeCount} * kComputedDTypeCount> kernels;
  const LazyKernel& slot = kernels[static_cast<size_t>(from) * kComputedDTypeCount + static_cast<size_t>(to)];
  return slot.get(KernelForm::Pointwise, [&] { return conversion_body(from, to); });
}

}  // namespace

std::vector<KernelFamily::Member> conversion_members() {
  std::vector<KernelFamily::Member> members;
  for (int i = 0; i < kComputedDTypeCount; ++i)
    for (int j = 0; j < kComputedDTypeCount; ++j) {
      auto from = static_cast<DType>(i), to = static_cast<DType>(j);
      if (from == to) continue;
      members.push_back({concat(name(from), "_to_", name(to)), conversion_body(from, to), KernelForm::Pointwise});
    }
  return members;
}

namespace {

// `src` has the sizes of `dst`, by strides of 0 where it is broadcast. Both are of dtypes that operators compute in.
void convert_computed(const KernelTensor& dst, const KernelTensor& src) {
  std::array<Operand, 2> operands;
  for (size_t k = 0; k < 2; ++k) {
    const KernelTensor& t = k ? src : dst;
    operands[k].data = t.data;
    for (int32_t d = 0; d < t.dim; ++d) operands[k].strides.push_back(t.strides[d] * element_size(t.dtype));
  }
  launch_pointwise(conversion_kernel(src.dtype, dst.dtype), operands, {dst.sizes, static_cast<size_t>(dst.dim)});
}

constexpr int64_t kChunk = 256;  // elements that are converted at a time through a storage-only dtype

// n elements, `to_step` and `from_step` apart. One of the dtypes at least is for storage only.
void convert_run(const KernelTensor& dst, char* to, int64_t to_step, const KernelTensor& src, char* from, int64_t from_step, int64_t n) {
  alignas(64) std::array<char, kChunk * 8> read, written;  // a passing dtype has at most 8 bytes
  constexpr int64_t one = 1;
  const auto [read_as, written_as] = passing_dtypes(src.dtype, dst.dtype);
  const int64_t to_bytes = to_step * element_size(dst.dtype), from_bytes = from_step * element_size(src.dtype);
  for (int64_t at = 0; at < n; at += kChunk) {
    const int64_t count = std::min(kChunk, n - at);
    KernelTensor source{from + at * from_bytes, &count, &from_step, 1, src.dtype},
        target{to + at * to_bytes, &count, &to_step, 1, dst.dtype};
    if (read_as != src.dtype) {
      widen_elements(src.dtype, read_as, source.data, from_bytes, count, read.data());
      source = {read.data(), &count, &one, 1, read_as};
    }
    if (written_as != dst.dtype) target = {written.data(), &count, &one, 1, written_as};
    source.dtype == target.dtype ? copy_elements(target, source) : convert_computed(target, source);
    if (written_as != dst.dtype) narrow_elements(dst.dtype, written_as, written.data(), to + at * to_bytes, to_bytes, count);
  }
}

// The same as convert_computed where one of the dtypes at least is for storage only: rows one after another.
void convert_elements(const KernelTensor& dst, const KernelTensor& src) {
  if (!is_storage_only(dst.dtype) && !is_storage_only(src.dtype)) return convert_computed(dst, src);
  const int32_t last = dst.dim - 1;
  const int64_t n = dst.dim ? dst.sizes[last] : 1, rows = n ? dst.numel() / n : 0;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t to = 0, from = 0, rest = row;
    for (int32_t d = last; d-- > 0; rest /= dst.sizes[d])
      to += rest % dst.sizes[d] * dst.strides[d], from += rest % dst.sizes[d] * src.strides[d];
    convert_run(dst, dst.data + to * element_size(dst.dtype), dst.dim ? dst.strides[last] : 1, src,
                src.data + from * element_size(src.dtype), dst.dim ? src.strides[last] : 1, n);
  }
}

}  // namespace

void copy_into(const Tensor& dst, const Tensor& src) {
  if (dst.is_meta() || src.is_meta() || dst.numel() == 0) return;
  const bool same_dtype = dst.dtype() == src.dtype(), overlap = may_overlap(dst, src);
  if (same_dtype && dst.is_contiguous() && src.is_contiguous() && dst.sizes() == src.sizes() && (overlap || dst.nbytes() <= kOneThread)) {
    std::memmove(dst.data(), src.data(), dst.nbytes());
    return;
  }
  const Dims& sizes = dst.sizes();
  if (overlap && same_dtype && dst.data() == src.data() && dst.strides() == broadcast_strides(src, sizes)) return;
  const Tensor from = overlap ? copy_tensor(src) : src;
  if (same_dtype || is_storage_only(dst.dtype()) || is_storage_only(src.dtype())) {
    const Dims strides = broadcast_strides(from, sizes);
    KernelTensor source = kernel_tensor(from);
    source.strides = strides.data(), source.sizes = sizes.data(), source.dim = static_cast<int32_t>(sizes.size());
    return same_dtype ? copy_elements(kernel_tensor(dst), source) : convert_elements(kernel_tensor(dst), source);
  }
  std::array<Operand, 2> operands = {broadcast_operand(dst, sizes), broadcast_operand(from, sizes)};
  launch_pointwise(conversion_kernel(src.dtype(), dst.dtype()), operands, sizes);
}

KernelStatus convert_kernel(KernelCall& call) {
  const KernelTensor &dst = call.results[0], &src = call.args[0].tensor;
  src.dtype == dst.dtype ? copy_elements(dst, src) : convert_elements(dst, src);
  return KernelStatus::Ok;
}

KernelStatus copy_kernel(KernelCall& call) {
  const KernelTensor &dst = call.results[0], &src = call.args[1].tensor;
  if (dst.numel() == 0) return KernelStatus::Ok;
  std::array<int64_t, kMaxDims> sizes, to, from;  // without the dims of size 1
  int32_t dim = 0;
  const int32_t lead = dst.dim - src.dim;
  for (int32_t d = 0; d < dst.dim; ++d) {
    if (dst.sizes[d] == 1) continue;
    const auto k = static_cast<size_t>(dim++);
    sizes[k] = dst.sizes[d], to[k] = dst.strides[d];
    from[k] = d < lead || src.sizes[d - lead] == 1 ? 0 : src.strides[d - lead];
  }
  const KernelTensor into{dst.data, sizes.data(), to.data(), dim, dst.dtype}, spread{src.data, sizes.data(), from.data(), dim, src.dtype};
  src.dtype == dst.dtype ? copy_elements(into, spread) : convert_elements(into, spread);
  return KernelStatus::Ok;
}

Tensor copy_tensor(const Tensor& src) {
  Tensor out = empty(src.sizes(), src.dtype(), src.device());
  copy_into(out, src);
  return out;
}

Tensor convert_tensor(const Tensor& src, DType dtype) {
  Tensor out = empty_like(src, dtype);
  copy_into(out, src);
  return out;
}

Tensor contiguous(const Tensor& src) { return src.is_contiguous() ? src : copy_tensor(src); }

void resize_output(const Operator& op, const IValue* args, std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  resize_output(op, args, op.schema().arguments().size() - 1, sizes, strides);
}

void resize_output(const Operator& op, const IValue* args, size_t place, std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  const Tensor& out = args[place].as_tensor();
  TensorImpl& impl = *out.impl();
  if (std::ranges::equal(impl.sizes, sizes)) return;
  auto is_out = [&](const IValue& v) { return v.is_tensor() && v.as_tensor().is_same(out); };
  for (const IValue& v : std::span(args, place))
    MONOGRAPH_CHECK(!is_out(v) && !(v.is_list() && std::ranges::any_of(v.items(), is_out)), Runtime, "[", op.name(), "] output with shape ",
                    to_string(impl.sizes), " doesn't match the broadcast shape ", to_string(sizes),
                    ": the out= tensor is read too, and cannot be resized");
  int64_t elements = product(sizes) == 0 ? 0 : impl.offset + 1;  // strides may leave gaps
  for (size_t d = 0; elements && d < sizes.size(); ++d) elements += (sizes[d] - 1) * strides[d];
  const auto bytes = static_cast<size_t>(elements) * static_cast<size_t>(element_size(impl.dtype));
  if (impl.storage && impl.storage->bytes() < bytes) impl.storage->resize(bytes);  // its bytes stay, for other tensors that share it
  impl.sizes = sizes, impl.strides = strides;
  impl.refresh();
}

}  // namespace monograph
