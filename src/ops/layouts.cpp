#include "ops/layouts.h"

#include <algorithm>

#include "ops/dispatch.h"
#include "ops/rule.h"

namespace monograph {

namespace {

// Of a format with the channels innermost: the k-th of n dims from the innermost. The channels, the last dim, ..., dim 2, the batch.
size_t channels_last_dim(size_t k, size_t n) { return k == 0 ? 1 : k == n - 1 ? 0 : n - k; }

thread_local bool keeps = false;  // whether the rule that runs has kept a format

}  // namespace

Dims strides_of_format(std::span<const int64_t> sizes, MemoryFormat format) {
  if (format == MemoryFormat::Contiguous) return contiguous_strides(sizes);
  if (format == MemoryFormat::ChannelsLast) return channels_last_strides(sizes);
  MONOGRAPH_CHECK(sizes.size() == 5, Runtime, "channels_last_3d needs a tensor of 5 dims (N, C, D, H, W), but this one has ", sizes.size());
  Dims strides(5, 1);
  int64_t step = 1;
  for (size_t k = 0; k < 5; ++k) {
    const size_t d = channels_last_dim(k, 5);
    strides[d] = step, step *= sizes[d];
  }
  return strides;
}

MemoryFormat format_of(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  const size_t n = sizes.size();
  if ((n != 4 && n != 5) || strides[1] == 0) return MemoryFormat::Contiguous;
  int64_t least = 0;
  for (size_t k = 0; k < n; ++k) {
    const size_t d = channels_last_dim(k, n);
    if (sizes[d] == 0 || strides[d] < least) return MemoryFormat::Contiguous;
    if (d == 0 && least == strides[1]) return MemoryFormat::Contiguous;  // all dims but the batch have one element
    least = strides[d] * sizes[d];
  }
  return n == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
}

MemoryFormat suggested_format(const Tensor& t) { return format_of(t.sizes(), t.strides()); }

MemoryFormat format_of_any(std::initializer_list<const IValue*> arguments, size_t batched) {
  for (const IValue* v : arguments) {
    if (!v->is_tensor() || v->as_tensor()->kind == TensorImpl::Kind::Symbolic) continue;
    const Tensor& t = v->as_tensor();
    MemoryFormat f = MemoryFormat::Contiguous;
    if (t.sizes().size() + 1 != batched) {
      f = suggested_format(t);
    } else {
      Dims sizes{1}, strides{t.sizes()[0] * t.strides()[0]};
      for (size_t d = 0; d < t.sizes().size(); ++d) sizes.push_back(t.sizes()[d]), strides.push_back(t.strides()[d]);
      f = format_of(sizes, strides);
    }
    if (f != MemoryFormat::Contiguous) return f;
  }
  return MemoryFormat::Contiguous;
}

void keep_channels_last(RuleCall& c, std::initializer_list<size_t> arguments, size_t batched) {
  if (!c.eager()) return;
  MemoryFormat format = MemoryFormat::Contiguous;
  for (const size_t i : arguments)
    if (format == MemoryFormat::Contiguous) format = format_of_any({&c.value(i)}, batched);
  if (format == MemoryFormat::Contiguous) return;
  const Sizes& stated = c.results().back().sizes;
  const size_t dims = format == MemoryFormat::ChannelsLast ? 4 : 5;
  if (!SizesRef(stated).all_ints() || (stated.size() != dims && stated.size() + 1 != batched)) return;
  keeps = true;
  const Dims& sizes = stated.ints();
  if (sizes.size() == dims) return c.lay_out(SizesRef(strides_of_format(sizes, format)));
  Dims whole{1}, strides;
  for (const int64_t n : sizes) whole.push_back(n);
  const Dims all = strides_of_format(whole, format);
  for (size_t d = 1; d < all.size(); ++d) strides.push_back(all[d]);
  c.lay_out(SizesRef(strides));
}

Tensor in_format(const Tensor& t, MemoryFormat format) {
  if (t->kind == TensorImpl::Kind::Symbolic || suggested_format(t) == format) return t;
  if (format != MemoryFormat::Contiguous && t.dim() != (format == MemoryFormat::ChannelsLast ? 4 : 5)) return t;
  const Tensor out = "contiguous"_op(t, format);  // t itself where only strides of dims with one element differ
  return format == MemoryFormat::Contiguous || suggested_format(out) == format ? out : Tensor("clone"_op(out, format));
}

namespace {

bool has_channels_last(const Operator& op, const IValue* args) {
  const std::span given(args, op.schema().arguments().size());
  return op.rule && std::ranges::any_of(given, [](const IValue& v) { return format_of_any({&v}) != MemoryFormat::Contiguous; });
}

// The format that a rule states for a result.
MemoryFormat stated_format(const RuleCall::Result& r) {
  if (r.kind != RuleCall::Result::Kind::Tensor || !r.laid_out || !SizesRef(r.strides).all_ints() || !SizesRef(r.sizes).all_ints())
    return MemoryFormat::Contiguous;
  const MemoryFormat f = format_of(r.sizes.ints(), r.strides.ints());
  const bool exact = f != MemoryFormat::Contiguous && strides_of_format(r.sizes.ints(), f) == r.strides.ints();
  return exact ? f : MemoryFormat::Contiguous;
}

}  // namespace

MemoryFormat kept_format(const Operator& op, const IValue* args) {
  if (!has_channels_last(op, args)) return MemoryFormat::Contiguous;
  RuleCall rule(op, args);
  keeps = false;
  op.rule(rule);
  return keeps ? stated_format(rule.results()[0]) : MemoryFormat::Contiguous;
}

void keep_layouts(const Operator& op, const IValue* args, IValue* results) {
  if (!has_channels_last(op, args)) return;
  RuleCall rule(op, args);
  op.rule(rule);
  for (size_t k = 0; k < rule.results().size(); ++k) {
    const MemoryFormat f = stated_format(rule.results()[k]);
    if (f == MemoryFormat::Contiguous || !results[k].is_tensor()) continue;
    const Tensor t = results[k].as_tensor();
    const auto is_argument = [&](const IValue& v) { return v.is_tensor() && v.as_tensor().is_same(t); };
    const bool given = std::any_of(args, args + op.schema().arguments().size(), is_argument);
    if (t->kind == TensorImpl::Kind::Symbolic || given || t.sizes() != rule.results()[k].sizes.ints()) continue;
    if (t.strides() != rule.results()[k].strides.ints()) results[k] = "clone"_op(t, f);
  }
}

}  // namespace monograph
