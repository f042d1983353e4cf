// Views (view, transpose, select, slice, squeeze, ..) and operators that join or split tensors (cat, stack, split, chunk, unbind). A view shares the storage
// of its argument wherever PyTorch's does. Its rule states sizes, strides and offset, so it needs no kernel. The gradients of select and slice are operators
// with kernels.
#include <algorithm>
#include <cstring>

#include "kernels/elements.h"
#include "ops/dispatch.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/families/splits.h"
#include "ops/function_text.h"
#include "ops/infer.h"
#include "ops/layouts.h"
#include "ops/registry.h"
#include "ops/rule.h"
#include "ops/torchscript_names.h"

namespace monograph {

std::vector<IValue> (*run_function_text)(const std::string& text, const TextInput& input) = nullptr;

namespace {

// What the backward of a torch.autograd.Function computes, which prim::function_result has as the text of a graph.
void function_gradient(GradCall& c) {
  enum Argument : size_t { kSelf, kInputs, kSaved, kNumbers, kTargets, kBackward, kReason, kAsks, kNeeds };
  const IValue* args = c.values();
  const std::string text = args[kBackward].to_string(), reason = args[kReason].to_string();
  MONOGRAPH_CHECK(!text.empty(), NotImplemented, "[", c.op.name(), "] derivative for ", c.op.name(), " is not implemented: ",
                  !reason.empty()
                      ? reason
                      : "the graph of a symbolic trace holds the forward function of a torch.autograd.Function, and not its backward "
                        "function. Use torch.jit.trace, whose graph has it, or compute the gradient inside of the captured function");
  const std::vector<IValue>& inputs = args[kInputs].items();
  for (size_t k = 0; args[kAsks].to_bool() && k < inputs.size(); ++k) {
    const Dims needs = args[kNeeds].is_ints() ? args[kNeeds].to_ints() : Dims();
    const bool needed = std::ranges::count(needs, static_cast<int64_t>(k)) > 0;
    MONOGRAPH_CHECK(inputs[k].as_tensor()->requires_grad == needed, NotImplemented, "[", c.op.name(),
                    "] the backward of a torch.autograd.Function reads ctx.needs_input_grad. It was captured for tensors ",
                    to_string(needs), " that require grad, but now it is otherwise for tensor ", k,
                    "; capture the function for such inputs");
  }
  MONOGRAPH_ASSERT(run_function_text);
  const auto results = run_function_text(text, [&](const std::string& name) -> IValue {
    if (name == "grad") return c.grad();
    if (name == "result") return c.plain_result();
    const auto index = static_cast<size_t>(std::stoul(name.substr(name.find('_') + 1)));
    if (name.starts_with("saved")) return c.plain(kSaved).items()[index];
    const IValue& numbers = c.plain(kNumbers);
    return numbers.is_ints() ? IValue(numbers.to_ints()[index]) : numbers.items()[index];
  });
  const Dims targets = args[kTargets].is_ints() ? args[kTargets].to_ints() : Dims();
  std::vector<Tensor> gradients(inputs.size());
  for (size_t k = 0; k < results.size(); ++k) gradients[static_cast<size_t>(targets[k])] = results[k].to_tensor();
  c.set_list(kInputs, std::move(gradients));
}

// The strides that show a tensor of sizes `own` in other sizes without a copy; absent if a copy is needed. Dims that lie in memory without gaps form a group;
// the new dims must divide each group.
std::optional<Dims> view_strides(SizesRef own, SizesRef own_strides, const Dims& sizes) {
  Dims strides(sizes.size(), 1);
  const std::span<const int64_t> from = own.words(), steps = own_strides.words();
  if (std::ranges::find(from, 0) != from.end()) return contiguous_strides(sizes);
  auto d = static_cast<int64_t>(sizes.size()) - 1;
  int64_t group = 1, cut = 1;
  int64_t base = from.empty() ? 1 : steps.back();
  for (size_t k = from.size(); k-- > 0;) {
    group *= from[k];
    bool ends = k == 0 || (from[k - 1] != 1 && steps[k - 1] != group * base);
    if (!ends) continue;
    while (d >= 0 && (cut < group || sizes[static_cast<size_t>(d)] == 1)) {
      strides[static_cast<size_t>(d)] = cut * base;
      cut *= sizes[static_cast<size_t>(d--)];
    }
    if (cut != group) return {};
    if (k > 0) base = steps[k - 1], group = cut = 1;
  }
  while (d >= 0) strides[static_cast<size_t>(d--)] = cut * base;
  return strides;
}

// The sizes of a view or reshape. A -1 becomes the size that the number of elements leaves.
Sizes resolved_sizes(const RuleCall& c, Sizes wanted, SizesRef own) {
  std::optional<size_t> open;
  Size known = 1;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].is(-1)) {
      c.check(!open, Runtime, "only one dimension can be inferred: the shape may have one -1");
      open = i;
      continue;
    }
    c.check(wanted[i] >= 0, Runtime, "invalid shape dimension ", wanted[i]);
    known = known * wanted[i];
  }
  const Size numel = element_count(own);
  if (!open) {
    c.check(known == numel, Runtime, "shape '", wanted, "' is invalid for input of size ", numel);
    return wanted;
  }
  c.check(!known.is(0), Runtime, "cannot reshape tensor of 0 elements into shape ", wanted,
          " because the unspecified dimension size -1 can be any value and is ambiguous");
  const bool numbers = numel.is_int() && known.is_int();
  c.check(!numbers || mod(numel, known).is(0), Runtime, "shape '", wanted, "' is invalid for input of size ", numel);
  wanted.set(*open, floordiv(numel, known));
  return wanted;
}

// States argument 0 in other sizes: a view if the strides allow it, else a copy, or an error without `may_copy`.
void state_in_sizes(RuleCall& c, Sizes sizes, bool may_copy) {
  if (!c.eager()) return c.like(0, sizes);
  const Tensor& self = c.value(0).as_tensor();
  std::optional<Dims> strides = view_strides(self.sizes(), self.strides(), sizes.ints());
  if (!strides && may_copy) return c.like(0, sizes);
  c.check(strides.has_value(), Runtime,
          "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous "
          "subspaces). Use .reshape(...) instead.");
  c.view({std::move(sizes), SizesRef(*strides), self->offset});
}

void view_rule(RuleCall& c) {
  Sizes wanted = c.ints(1);
  state_in_sizes(c, wanted.ranked() ? resolved_sizes(c, wanted, c.sizes(0)) : wanted, false);
}
void reshape_rule(RuleCall& c) {
  Sizes wanted = c.ints(1);
  state_in_sizes(c, wanted.ranked() ? resolved_sizes(c, wanted, c.sizes(0)) : wanted, true);
}
void view_as_rule(RuleCall& c) {
  state_in_sizes(c, c.sizes(1).ranked() ? resolved_sizes(c, c.sizes(1), c.sizes(0)) : Sizes(c.sizes(1)), false);
}
void reshape_as_rule(RuleCall& c) {
  state_in_sizes(c, c.sizes(1).ranked() ? resolved_sizes(c, c.sizes(1), c.sizes(0)) : Sizes(c.sizes(1)), true);
}

// A view of all of argument 0.
void alias_rule(RuleCall& c) { c.view(c.view_of(0)); }

// The end of the elements that a geometry shows: one past the last of them, counted in elements from the start of the storage. `offset` if it shows none.
int64_t end_in_storage(const Dims& sizes, const Dims& strides, int64_t offset) {
  int64_t last = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return offset;
    int64_t step;
    MONOGRAPH_CHECK(!__builtin_mul_overflow(sizes[d] - 1, strides[d], &step) && !__builtin_add_overflow(last, step, &last), Runtime,
                    "the storage that sizes ", to_string(sizes), " and strides ", to_string(strides), " ask for is too large");
  }
  int64_t end;
  MONOGRAPH_CHECK(offset < INT64_MAX && !__builtin_add_overflow(last, offset + 1, &end), Runtime, "the storage offset ", offset,
                  " is too large");
  return end;
}

// The arguments are (self, size, stride, storage_offset).
void as_strided_rule(RuleCall& c) {
  const Sizes sizes = c.ints(1), strides = c.ints(2);
  c.check(!sizes.ranked() || !strides.ranked() || sizes.size() == strides.size(), Runtime, "mismatch in length of strides and shape");
  for (size_t d = 0; d < sizes.size(); ++d) c.check(sizes[d] >= 0, Runtime, "sizes must not be negative, but got ", sizes);
  for (size_t d = 0; d < strides.size(); ++d)
    c.check(strides[d] >= 0, Runtime, "as_strided: Negative strides are not supported at the moment, got strides: ", strides);
  if (!c.eager()) return c.like(0, sizes);
  const Tensor& self = c.value(0).as_tensor();
  const int64_t offset = c.none(3) ? self->offset : c.size(3).as_int();
  c.check(offset >= 0, Runtime, "Tensor: invalid storage offset ", offset);
  const int64_t end = end_in_storage(sizes.ints(), strides.ints(), offset), itemsize = element_size(self.dtype());
  const bool empty = element_count(sizes).is(0);
  c.check(empty || !self->storage || end <= static_cast<int64_t>(self->storage->bytes()) / itemsize, Runtime, "setStorage: sizes ", sizes,
          ", strides ", strides, ", storage offset ", offset, ", and itemsize ", itemsize, " requiring ", end,
          " elements are out of bounds for storage of size ", self->storage ? self->storage->bytes() : 0);
  c.view({sizes, strides, offset});
}

// Adds up the gradient at each place of the storage, in a tensor of zeros, and reads from it the places that argument 0 shows.
void as_strided_gradient(GradCall& c) {
  const Tensor& self = c.values()[0].as_tensor();
  const bool dense = self->kind == TensorImpl::Kind::Dense && c.grad()->kind == TensorImpl::Kind::Dense;
  MONOGRAPH_CHECK(dense && !dispatch_state().top, NotImplemented, "[", c.op.name(),
                  "] the gradient depends on how the tensor lies in memory, which no capture knows; write a view or an index instead");
  const Dims &sizes = c.values()[1].to_ints(), &strides = c.values()[2].to_ints();
  const int64_t offset = c.values()[3].is_none() ? self->offset : c.values()[3].to_int();
  const int64_t places = std::max(end_in_storage(sizes, strides, offset), end_in_storage(self.sizes(), self.strides(), self->offset));
  const Tensor all = "arange"_op(places), zeros = "zeros"_op(Dims{places}, c.grad().dtype());
  auto shown = [&](const IValue& flat, const Dims& s, const Dims& st, int64_t at) { return Tensor("as_strided"_op(flat, s, st, at)); };
  auto flat = [](const Tensor& t) { return "reshape"_op(t, Dims{-1}); };
  Tensor sum = "index_add"_op(zeros, 0, flat(shown(all, sizes, strides, offset)), flat(c.grad()));
  // If several elements of argument 0 lie at one place, each gets an equal part of the gradient.
  const Tensor own = flat(shown(all, self.sizes(), self.strides(), self->offset));
  const DType real = real_type(c.grad().dtype());
  const Tensor count = "index_add"_op("zeros"_op(Dims{places}, real), 0, own, "ones"_op(Dims{own.numel()}, real));
  sum = "div"_op(sum, "clamp_min"_op(count, 1));
  c.set(0, shown(sum, self.sizes(), self.strides(), self->offset));
}

// The result has the sizes and the dtype of argument 0; the decomposition makes it.
void same_rule(RuleCall& c) { c.like(0, c.sizes(0)); }

void transpose_rule(RuleCall& c) {
  View v = c.view_of(0);
  if (!v.ranked()) return c.unranked(0);
  auto a = c.dim(1, v.dim()), b = c.dim(2, v.dim());
  if (!a || !b) return c.like(0, Sizes(v.dim(), Size::unknown()));
  if (v.dim()) v.swap(*a, *b);
  c.view(std::move(v));
}

void t_rule(RuleCall& c) {
  View v = c.view_of(0);
  if (!v.ranked()) return c.unranked(0);
  c.check(v.dim() <= 2, Runtime, "t() expects a tensor with <= 2 dimensions, but self is ", v.dim(), "D");
  if (v.dim() == 2) v.swap(0, 1);
  c.view(std::move(v));
}

void numpy_T_rule(RuleCall& c) {
  View v = c.view_of(0);
  if (!v.ranked()) return c.unranked(0);
  for (size_t i = 0; i < v.dim() / 2; ++i) v.swap(i, v.dim() - 1 - i);
  c.view(std::move(v));
}

void permute_rule(RuleCall& c) {
  View v = c.view_of(0), out;
  Sizes order = c.ints(1);
  if (!v.ranked() || !SizesRef(order).all_ints()) return c.unranked(0);
  c.check(order.size() == v.dim(), Runtime, "permute(): expected one entry of dims for each of the ", v.dim(),
          " dimensions of the input, but got ", order.size());
  Dims seen;
  out.offset = v.offset;
  for (size_t i = 0; i < order.size(); ++i) {
    const int64_t d = wrap_dim(order[i].as_int(), static_cast<int64_t>(v.dim()));
    c.check(std::find(seen.begin(), seen.end(), d) == seen.end(), Runtime, "permute(): duplicate dims are not allowed.");
    seen.push_back(d);
    out.push_back(v.sizes[static_cast<size_t>(d)], v.strides[static_cast<size_t>(d)]);
  }
  c.view(std::move(out));
}

// States argument 0 expanded to the sizes `wanted`; a -1 keeps the size of the dim.
void state_expanded(RuleCall& c, const Sizes& wanted) {
  View v = c.view_of(0);
  Sizes sizes = wanted;
  if (!sizes.ranked()) return c.unranked(0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    c.check(sizes[i] >= -1, Runtime, "expected sizes that are not negative, or -1, but got ", sizes);
    if (!v.ranked() && sizes[i].is(-1)) sizes.set(i, Size::unknown());
  }
  if (!v.ranked()) return c.like(0, sizes);
  c.check(sizes.size() >= v.dim(), Runtime, "expand(", sizes, "): the number of sizes provided (", sizes.size(),
          ") must be greater or equal to the number of dimensions in the tensor (", v.dim(), ")");
  const size_t lead = sizes.size() - v.dim();
  Sizes strides(sizes.size(), 0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    c.check(i >= lead || !sizes[i].is(-1), Runtime,
            "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension ", i);
    if (i < lead) continue;
    const Size own = v.sizes[i - lead];
    if (sizes[i].is(-1)) sizes.set(i, own);
    c.check(own == sizes[i] || own == 1, Runtime, "The expanded size of the tensor (", sizes[i], ") must match the existing size (", own,
            ") at non-singleton dimension ", i, ".  Target sizes: ", wanted, ".  Tensor sizes: ", v.sizes);
    if (certainly(own == sizes[i])) strides.set(i, v.strides[i - lead]);
  }
  // As in PyTorch, a new dim of one element has the stride that a contiguous tensor would have there.
  for (size_t i = lead; v.dim() > 0 && i-- > 0;)
    if (sizes[i].is(1)) strides.set(i, sizes[i + 1] * strides[i + 1]);
  c.view({std::move(sizes), std::move(strides), v.offset});
}
void expand_rule(RuleCall& c) { state_expanded(c, c.ints(1)); }
void expand_as_rule(RuleCall& c) { state_expanded(c, c.sizes(1)); }

// The check of an index into dim d of size n, for select and its gradient.
void check_index(const RuleCall& c, size_t d, Size index, Size n) {
  c.check(index >= 0 - n && index < n, ErrorKind::Index, "index ", index, " is out of bounds for dimension ", d, " with size ", n);
}

void check_has_dims(const RuleCall& c, size_t dims, std::string_view view) {
  c.check(dims > 0, ErrorKind::Index, view, "() cannot be applied to a 0-dim tensor.");
}

void select_rule(RuleCall& c) {
  View v = c.view_of(0);
  if (!v.ranked()) return c.unranked(0);
  check_has_dims(c, v.dim(), "select");
  auto d = c.dim(1, v.dim());
  if (!d) return c.like(0, Sizes(v.dim() - 1, Size::unknown()));
  const Size n = v.sizes[*d], index = c.size(2);
  check_index(c, *d, index, n);
  v.offset = v.offset + (index.is_int() && index.as_int() < 0 ? index + n : index) * v.strides[*d];
  v.erase(*d);
  c.view(std::move(v));
}

// A bound of a slice as an index from 0 to n. Unknown if its sign is not known.
Size slice_bound(const RuleCall& c, size_t i, Size n, Size otherwise) {
  if (c.none(i)) return otherwise;
  const Size v = c.size(i);
  if (certainly(v < 0)) return max(n + v, 0);
  if (certainly(v >= 0)) return min(v, n);
  return Size::unknown();
}

// Which of n elements a slice takes. Arguments `first` to `first` + 2 are its start, end and step.
struct SliceExtent {
  Size start, step, length;
  SliceExtent(const RuleCall& c, size_t first, Size n, ErrorKind kind) : start(slice_bound(c, first, n, 0)), step(c.size(first + 2)) {
    c.check(step > 0, kind, "slice step must be positive, but got ", step, "; use flip for the other direction");
    const Size room = max(slice_bound(c, first + 1, n, n) - start, 0);
    length = step.is(1) ? room : floordiv(room + step - 1, step);
  }
};

void slice_rule(RuleCall& c) {
  View v = c.view_of(0);
  if (!v.ranked()) return c.unranked(0);
  check_has_dims(c, v.dim(), "slice");
  auto d = c.dim(1, v.dim());
  if (!d) return c.like(0, Sizes(v.dim(), Size::unknown()));
  const SliceExtent slice(c, 2, v.sizes[*d], ErrorKind::Value);
  v.offset = v.offset + slice.start * v.strides[*d];
  v.sizes.set(*d, slice.length);
  v.strides.set(*d, v.strides[*d] * slice.step);
  c.view(std::move(v));
}

template <bool kCopy>
void narrow_rule(RuleCall& c) {
  View v = c.view_of(0);
  if (!v.ranked()) return c.unranked(0);
  c.check(v.dim() > 0, Runtime, "narrow() cannot be applied to a 0-dim tensor.");
  auto d = c.dim(1, v.dim());
  if (!d) return c.like(0, Sizes(v.dim(), Size::unknown()));
  const Size n = v.sizes[*d], length = c.size(3);
  Size start = c.size(2);
  c.check(length >= 0, Runtime, "narrow(): length must be non-negative.");
  c.check(start >= 0 - n && start <= n, ErrorKind::Index, "start (", start, ") is out of range [", 0 - n, ", ", n, "]");
  if (certainly(start < 0)) start = start + n;
  c.check(start <= n - length, Runtime, "start (", start, ") + length (", length, ") exceeds dimension size (", n, ").");
  v.offset = v.offset + start * v.strides[*d];
  v.sizes.set(*d, length);
  if (kCopy) c.like(0, v.sizes);
  else c.view(std::move(v));
}

IValue decompose_narrow(const IValue* a) {
  Size start = as_size(a[2]);
  if (certainly(start < 0)) start = start + size_of(a[0].as_tensor(), a[1].to_int());
  return "slice"_op(a[0], a[1], start, start + as_size(a[3]), 1);
}

void unsqueeze_rule(RuleCall& c) {
  View v = c.view_of(0);
  if (!v.ranked()) return c.unranked(0);
  auto d = c.dim(1, v.dim() + 1);
  if (!d) return c.like(0, Sizes(v.dim() + 1, Size::unknown()));
  v.insert(*d, 1, *d < v.dim() ? v.sizes[*d] * v.strides[*d] : 1);
  c.view(std::move(v));
}

// States argument 0 without those of the chosen dims whose size is 1. If a chosen size may be 1 or not, the rank is unknown.
template <class Chosen>
void state_squeezed(RuleCall& c, Chosen chosen) {
  View v = c.view_of(0), out;
  out.offset = v.offset;
  for (size_t i = 0; i < v.dim(); ++i) {
    const Truth one = v.sizes[i] == 1;
    const bool asked = chosen(static_cast<int64_t>(i));
    if (asked && !certainly(one) && !never(one)) return c.unranked(0);
    if (!asked || never(one)) out.push_back(v.sizes[i], v.strides[i]);
  }
  c.view(std::move(out));
}

void squeeze_rule(RuleCall& c) {
  return c.sizes(0).ranked() ? state_squeezed(c, [](int64_t) { return true; }) : c.unranked(0);
}
void squeeze_dim_rule(RuleCall& c) {
  if (!c.sizes(0).ranked()) return c.unranked(0);
  auto d = c.dim(1, c.sizes(0).size());
  return d ? state_squeezed(c, [&](int64_t i) { return i == static_cast<int64_t>(*d); }) : c.unranked(0);
}

void squeeze_dims_rule(RuleCall& c) {
  const Sizes dims = c.ints(1);
  if (!c.sizes(0).ranked() || !SizesRef(dims).all_ints()) return c.unranked(0);
  Dims chosen;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t d = wrap_dim(dims[i].as_int(), static_cast<int64_t>(c.sizes(0).size()));
    c.check(std::find(chosen.begin(), chosen.end(), d) == chosen.end(), Runtime, "dim ", dims[i],
            " appears multiple times in the list of dims");
    chosen.push_back(d);
  }
  state_squeezed(c, [&](int64_t i) { return std::find(chosen.begin(), chosen.end(), i) != chosen.end(); });
}

void flatten_rule(RuleCall& c) {
  SizesRef own = c.sizes(0);
  if (!own.ranked()) return c.unranked(0);
  auto from = c.dim(1, own.size()), to = c.dim(2, own.size());
  if (own.empty()) return state_in_sizes(c, {1}, true);
  if (!from || !to) return c.unranked(0);
  c.check(*from <= *to, Runtime, "flatten() has invalid args: start_dim cannot come after end_dim");
  Sizes out(own.first(*from));
  out.push_back(element_count(own.from(*from).first(*to - *from + 1)));
  for (size_t i = *to + 1; i < own.size(); ++i) out.push_back(own[i]);
  state_in_sizes(c, out, true);
}

// The dtype that a list of tensors promotes to. If the dtypes differ, the rule asks for the tensors in this dtype.
std::optional<DType> common_dtype(RuleCall& c) {
  std::optional<DType> common;
  bool differ = false;
  for (size_t k = 0; k < *c.count(0); ++k) {
    auto t = c.item_dtype(0, k);
    if (!t) return {};
    differ |= common && *common != *t;
    common = common ? promote_types(*common, *t) : t;
  }
  if (differ) c.convert(0, *common);
  return common;
}

// As in PyTorch, cat skips a 1-d tensor without elements, whatever sizes the others have.
bool is_skipped(SizesRef s) { return s.ranked() && s.size() == 1 && s[0].is(0); }

// The sizes and dtype that all tensors of argument 0 have, for a list of unknown length in a graph.
std::pair<Sizes, std::optional<DType>> element_of_list(RuleCall& c) {
  const ir::Type list = c.known(0).type;
  if (!list.is(ir::TypeKind::List) || !list.element().is(ir::TypeKind::Tensor)) return {Sizes::unranked(), {}};
  const ir::TensorType& each = list.element().tensor();
  if (!each.sizes) return {Sizes::unranked(), each.dtype};
  Sizes sizes;
  for (const auto& size : *each.sizes) sizes.push_back(size ? Size(*size) : Size::unknown());
  return {sizes, each.dtype};
}

// As in PyTorch, tensors whose channels are all innermost are joined in that order. `added`: the dim that stack() gives each of them first.
void join_formats(RuleCall& c, const Sizes& out, std::optional<size_t> added = {}) {
  if (!c.eager()) return;
  const auto format = [&](const IValue& v) {
    const Tensor& t = v.as_tensor();
    if (!added) return suggested_format(t);
    Dims sizes = t.sizes(), strides = t.strides();
    const int64_t step = *added < sizes.size() ? sizes[*added] * strides[*added] : 1;
    sizes.insert(*added, 1), strides.insert(*added, step);
    return format_of(sizes, strides);
  };
  const std::vector<IValue>& tensors = c.value(0).items();
  const MemoryFormat common = format(tensors[0]);
  if (common == MemoryFormat::Contiguous || !std::ranges::all_of(tensors, [&](const IValue& t) { return format(t) == common; })) return;
  if (SizesRef(out).all_ints()) c.lay_out(SizesRef(strides_of_format(out.ints(), common)));
}

void cat_rule(RuleCall& c) {
  if (!c.count(0)) {
    auto [out, dtype] = element_of_list(c);
    if (!out.ranked() || out.empty()) return c.result({}, dtype);
    if (const auto d = c.dim(1, out.size())) out.set(*d, Size::unknown());
    else out = Sizes(out.size(), Size::unknown());
    return c.result(out, dtype);
  }
  c.check(*c.count(0) > 0, ErrorKind::Value, "torch.cat(): expected a non-empty list of Tensors");
  const std::optional<DType> dtype = common_dtype(c);
  Sizes out = Sizes::unranked();
  std::optional<size_t> d;
  bool known = true;
  Size total = 0;
  for (size_t k = 0; k < *c.count(0); ++k) {
    SizesRef s = c.item_sizes(0, k);
    known &= s.ranked();
    if (!s.ranked() || is_skipped(s)) continue;
    c.check(!s.empty(), Runtime, "zero-dimensional tensor cannot be concatenated");
    if (!out.ranked()) out = s, d = c.dim(1, s.size());
    c.check(s.size() == out.size(), Runtime, "Tensors must have same number of dimensions: got ", out.size(), " and ", s.size());
    for (size_t i = 0; i < s.size(); ++i)
      if (d != i)
        out.set(i, c.same(out[i], s[i], Runtime, "Sizes of tensors must match except in dimension ", d.value_or(0), ". Expected size ",
                          out[i], " but got size ", s[i], " for tensor number ", k, " in the list."));
    if (d) total = total + s[*d];
  }
  if (!known) return c.result({}, dtype);
  if (!out.ranked()) return c.result(Sizes{0}, dtype);
  if (d) out.set(*d, total);
  else out = Sizes(out.size(), Size::unknown());
  c.result(out, dtype);
  join_formats(c, out);
}

void stack_rule(RuleCall& c) {
  if (!c.count(0)) {
    auto [out, dtype] = element_of_list(c);
    const auto d = out.ranked() ? c.dim(1, out.size() + 1) : std::nullopt;
    if (!d) return c.result({}, dtype);
    out.insert(*d, Size::unknown());
    return c.result(out, dtype);
  }
  c.check(*c.count(0) > 0, Runtime, "stack expects a non-empty TensorList");
  const std::optional<DType> dtype = common_dtype(c);
  Sizes out = Sizes::unranked();
  for (size_t k = 0; k < *c.count(0); ++k) {
    SizesRef s = c.item_sizes(0, k);
    if (!s.ranked()) return c.result({}, dtype);
    if (!out.ranked()) out = s;
    c.check(s.size() == out.size(), Runtime, "stack expects each tensor to be equal size, but got ", out, " at entry 0 and ", s,
            " at entry ", k);
    for (size_t i = 0; i < s.size(); ++i)
      out.set(i, c.same(out[i], s[i], Runtime, "stack expects each tensor to be equal size, but got ", out, " at entry 0 and ", s,
                        " at entry ", k));
  }
  auto d = c.dim(1, out.size() + 1);
  if (!d) return c.result({}, dtype);
  out.insert(*d, static_cast<int64_t>(*c.count(0)));
  c.result(out, dtype);
  join_formats(c, out, *d);
}

IValue decompose_reshape(const IValue* args) {
  static const Operator& reshape = find_operator("aten::reshape");
  RuleCall rule(reshape, args);
  reshape_rule(rule);
  const RuleCall::Result& r = rule.results()[0];
  if (r.kind == RuleCall::Result::Kind::View) return "view"_op(args[0], args[1]);
  return "view"_op("clone"_op(args[0], MemoryFormat::Contiguous), args[1]);
}

constexpr const char* kOtherGradient = "expected a gradient of the size that the view had, ";

// Checks the sizes of the gradient of a view. The view had `length` elements along dim d of a tensor of these sizes; without `length` it lacked the dim.
void check_part_gradient(RuleCall& c, const Sizes& sizes, size_t d, std::optional<Size> length) {
  Sizes part = sizes;
  if (length) part.set(d, *length);
  else part.erase(d);
  SizesRef grad = c.sizes(0);
  Truth same = !grad.ranked() ? Truth::unknown() : Truth(grad.size() == part.size());
  for (size_t k = 0; certainly(same) && k < part.size(); ++k)
    c.check(grad[k] == part[k], Runtime, kOtherGradient, part, ", but got ", grad);
  c.check(same, Runtime, kOtherGradient, part, ", but got ", grad);
}

void select_gradient_rule(RuleCall& c) {
  Sizes sizes = c.ints(1);
  auto d = sizes.ranked() ? c.dim(2, sizes.size()) : std::nullopt;
  if (d) {
    check_has_dims(c, sizes.size(), "select");
    check_index(c, *d, c.size(3), sizes[*d]);
    check_part_gradient(c, sizes, *d, std::nullopt);
  }
  c.like(0, sizes);
}

void slice_gradient_rule(RuleCall& c) {
  Sizes sizes = c.ints(1);
  auto d = sizes.ranked() ? c.dim(2, sizes.size()) : std::nullopt;
  if (d) {
    check_has_dims(c, sizes.size(), "slice");
    check_part_gradient(c, sizes, *d, SliceExtent(c, 3, sizes[*d], Runtime).length);
  }
  c.like(0, sizes);
}

// The part of a result that a gradient is written to, without its dims of size 1.
struct ResultPart {
  int64_t sizes[kMaxDims], to[kMaxDims], step[kMaxDims];
  int32_t dim = 0;
  // `stride` is the stride of the part along dim d of the result. If `dropped`, the gradient does not have this dim.
  ResultPart(const KernelTensor& out, const KernelTensor& grad, int64_t stride, int64_t d, bool dropped) {
    for (int32_t i = 0, k = 0; i < out.dim; ++i) {
      if (dropped && i == d) continue;
      const int32_t own = k++;
      if (grad.sizes[own] == 1) continue;
      sizes[dim] = grad.sizes[own], to[dim] = i == d ? stride : out.strides[i], step[dim++] = grad.strides[own];
    }
  }
  KernelTensor of(const KernelTensor& out, int64_t offset) const {
    return {out.data + offset * element_size(out.dtype), sizes, to, dim, out.dtype};
  }
  KernelTensor from(const KernelTensor& grad) const { return {grad.data, sizes, step, dim, grad.dtype}; }
};

KernelStatus select_backward_kernel(KernelCall& call) {
  const KernelTensor &grad = call.args[0].tensor, &out = call.results[0];
  const auto d = call.args[2].integer;
  int64_t index = call.args[3].integer;
  if (index < 0) index += out.sizes[d];
  const ResultPart part(out, grad, out.strides[d], d, true);
  std::memset(out.data, 0, static_cast<size_t>(out.numel() * element_size(out.dtype)));
  copy_elements(part.of(out, index * out.strides[d]), part.from(grad));
  return KernelStatus::Ok;
}

KernelStatus slice_backward_kernel(KernelCall& call) {
  const KernelTensor &grad = call.args[0].tensor, &out = call.results[0];
  const auto d = call.args[2].integer;
  const int64_t n = out.sizes[d];
  int64_t start = call.args[3].none() ? 0 : call.args[3].integer;
  start = std::clamp<int64_t>(start < 0 ? start + n : start, 0, n);
  const ResultPart part(out, grad, out.strides[d] * call.args[5].integer, d, false);
  std::memset(out.data, 0, static_cast<size_t>(out.numel() * element_size(out.dtype)));
  copy_elements(part.of(out, start * out.strides[d]), part.from(grad));
  return KernelStatus::Ok;
}

bool is_contiguous(const KernelTensor& t) {
  int64_t n = 1;
  for (int32_t d = t.dim; d-- > 0; n *= t.sizes[d])
    if (t.sizes[d] != 1 && t.strides[d] != n) return false;
  return true;
}

// Joins a few contiguous tensors row by row if the rows are many and short; returns false if it did not. Writing one tensor after the other would go through
// the memory of the result once for each tensor.
bool cat_rows(const KernelTensor& out, const KernelArg::Tensors& tensors, size_t d) {
  constexpr size_t kMostTensors = 16;
  constexpr int64_t kLongRow = 256, kFewRows = 64;  // bytes; rows
  if (tensors.count < 2 || tensors.count > kMostTensors || !is_contiguous(out)) return false;
  int64_t rows = 1, inner = element_size(out.dtype);
  for (size_t k = 0; k < static_cast<size_t>(out.dim); ++k)
    if (k != d) (k < d ? rows : inner) *= out.sizes[k];
  if (rows < kFewRows || out.sizes[d] * inner > kLongRow) return false;
  RowPart parts[kMostTensors];
  for (size_t k = 0; k < tensors.count; ++k) {
    const KernelTensor& t = tensors.values[k];
    if (t.dim != out.dim || t.sizes[d] == 0 || !is_contiguous(t)) return false;
    parts[k] = {t.data, t.sizes[d] * inner};
  }
  join_rows(out.data, parts, tensors.count, rows);
  return true;
}

// Writes the tensors one after another along the dim.
KernelStatus cat_kernel(KernelCall& call) {
  const KernelTensor& out = call.results[0];
  if (cat_rows(out, call.args[0].tensors, static_cast<size_t>(call.args[1].integer))) return KernelStatus::Ok;
  KernelTensor part = out;
  const auto d = static_cast<size_t>(call.args[1].integer);
  for (size_t k = 0; k < call.args[0].tensors.count; ++k) {
    const KernelTensor& t = call.args[0].tensors.values[k];
    if (t.dim == 1 && t.sizes[0] == 0) continue;
    part.sizes = t.sizes;
    copy_elements(part, t);
    part.data += t.sizes[d] * out.strides[d] * element_size(out.dtype);
  }
  return KernelStatus::Ok;
}

// Writes each tensor to its place of the new dim.
KernelStatus stack_kernel(KernelCall& call) {
  const KernelTensor& out = call.results[0];
  const KernelArg::Tensors& tensors = call.args[0].tensors;
  const int64_t d = call.args[1].integer;
  constexpr size_t kMostTensors = 16;
  if (tensors.count <= kMostTensors && d > 0) {
    int64_t sizes[kMaxDims], strides[kMostTensors][kMaxDims];
    KernelTensor columns[kMostTensors];
    for (int32_t i = 0; i < out.dim; ++i) sizes[i] = i == d ? 1 : out.sizes[i];
    for (size_t k = 0; k < tensors.count; ++k) {
      const KernelTensor& t = tensors.values[k];
      for (int32_t i = 0; i < out.dim; ++i) strides[k][i] = i == d ? 1 : t.strides[i - (i > d)];
      columns[k] = {t.data, sizes, strides[k], out.dim, t.dtype};
    }
    if (cat_rows(out, {columns, tensors.count}, static_cast<size_t>(d))) return KernelStatus::Ok;
  }
  int64_t strides[kMaxDims];
  for (int32_t i = 0; i + 1 < out.dim; ++i) strides[i] = out.strides[i + (i >= d)];
  for (size_t k = 0; k < tensors.count; ++k) {
    const KernelTensor& t = tensors.values[k];
    char* to = out.data + static_cast<int64_t>(k) * out.strides[d] * element_size(out.dtype);
    copy_elements({to, t.sizes, strides, t.dim, out.dtype}, t);
  }
  return KernelStatus::Ok;
}

void sum_to_size_rule(RuleCall& c) {
  const Sizes &own = c.sizes(0), size = c.ints(1);
  if (own.ranked() && size.ranked()) {
    const size_t lead = own.size() - size.size();
    bool fits = size.size() <= own.size();
    for (size_t d = 0; fits && d < size.size(); ++d) fits = !never(size[d] == 1 || size[d] == own[lead + d]);
    c.check(fits, Runtime, "size {", size, "} is not expandable to size {", own, "}.");
  }
  const std::optional<DType> dtype = c.dtype(0);
  if (!dtype || is_floating(*dtype) || is_complex(*dtype)) return c.like(0, size);
  // A sum of integers is int64, also the sum of one element into a tensor of no dims. If no dim is summed, the tensor keeps its dtype.
  if (size.ranked() && size.empty()) return c.result(size, DType::i64);
  bool same = own.ranked() && size.ranked() && own.size() == size.size(), known = own.ranked() && size.ranked();
  for (size_t d = 0; same && d < size.size(); ++d) {
    known &= certainly(own[d] == size[d]) || never(own[d] == size[d]);
    same = !never(own[d] == size[d]);
  }
  c.result(size, !same ? DType::i64 : known ? dtype : std::nullopt);
}

IValue decompose_sum_to_size(const IValue* a) {
  const Tensor self = a[0].to_tensor();
  const Dims &own = self.sizes(), &size = a[1].to_ints();
  if (size.empty() && is_integral(self.dtype(), true)) return "sum"_op(self);
  if (own == size) return "alias"_op(a[0]);
  const size_t lead = own.size() - size.size();
  Dims summed;
  for (size_t d = 0; d < own.size(); ++d)
    if (d < lead || (size[d - lead] == 1 && own[d] != 1)) summed.push_back(static_cast<int64_t>(d));
  const Tensor sum = summed.empty() ? self : Tensor("sum"_op(self, summed, true));
  return "reshape"_op(sum, size);
}

// What a transpose is as a permute, of a matrix.
IValue dims_in_reverse(const IValue* a) {
  Dims dims;
  for (int64_t d = static_cast<int64_t>(a[0].as_tensor().dim()); d-- > 0;) dims.push_back(d);
  return dims;
}

void views(Registry& r) {
  r.op("view(Tensor(a) self, SymInt[] size) -> Tensor(a)")
      .inverse("reshape_as(src, self)")
      .rule(view_rule)
      .method_only()
      .gradient([](GradCall& c) { c.set(0, "reshape"_op(c.grad(), c.sizes(0))); })
      .onnx("Reshape(self, size, allowzero=1) if dense(self)")
      .doc("The same elements in another size, without a copy.")
      .samples(R"([[x, n] for x in layouts(2, 3, 4) for n in ([6, 4], [-1], [2, -1, 2])] + [[t(f32, 0, 3), [0, 3]], [t(f32, 0, 3), [-1, 0]],
                [t(f32, 4, 6)[:, ::2], [2, 2, 3]], [t(f32), [1, 1]], [t(f32, 2), [3]]])")
      .special(Special::LayoutMatters, "a view of these strides is there or not");
  r.op("view_copy(Tensor self, SymInt[] size) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return "clone"_op("reshape"_op(a[0], a[1]), MemoryFormat::Contiguous); }, Reads::Nothing)
      .function_only()
      .out()
      .onnx(none("decomposes to reshape"))
      .doc("A copy of the same elements in another size.")
      .samples(
          "[[v, sizes] for v in layouts(3, 4) for sizes in ([12], [2, 6], [-1, 2])] + [[t(f32, 3, 4), [5, 2]], [t(f32), [1, 1]], [t(f32, "
          "0, 3), [3, 0]]]");
  r.op("reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)")
      .decompose(decompose_reshape, Reads::Strides)
      .rule(reshape_rule)
      .onnx("Reshape(self, shape, allowzero=1)")
      .doc("The same elements in another size; a view where it can be.")
      .samples(R"([[v, sizes] for v in layouts(3, 4) for sizes in ([12], [2, 6], [-1, 2], [4, 3], [3, 4, 1])]
               + [[t(f32, 3, 4), sizes] for sizes in ([5, 2], [-1, -1], [-1, 5], [3, -4], [])] + [[t(f32), [1, 1]], [t(f32, 0, 3), [3, 0]],
                [t(f32, 0, 3), [-1, 0]], [t(f32, 1), []]])")
      .special(Special::ReadsBackOtherwise, "of something dense, as view");
  r.op("view_as(Tensor(a) self, Tensor other) -> Tensor(a)")
      .inverse("reshape_as(src, self)")
      .rule(view_as_rule)
      .method_only()
      .decompose([](const IValue* a) -> IValue { return "view"_op(a[0], sizes_of(a[1].as_tensor())); }, Reads::Symbols)
      .onnx(none("decomposes to view"))
      .doc("The same elements in the size of another tensor, without a copy.")
      .samples("[[t(f32, 3, 4), t(f32, 2, 6)], [t(f32, 3, 4).t(), t(f32, 12)], [t(f32, 3), t(f32, 2)]]")
      .special(Special::LayoutMatters, "a view of these strides is there or not");
  r.op("reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)")
      .rule(reshape_as_rule)
      .method_only()
      .decompose([](const IValue* a) -> IValue { return "reshape"_op(a[0], sizes_of(a[1].as_tensor())); }, Reads::Symbols)
      .onnx(none("decomposes to reshape"))
      .doc("The same elements in the size of another tensor; a view where it can be.")
      .samples("[[v, t(f32, 2, 6)] for v in layouts(3, 4)] + [[t(f32, 3), t(i64, 3, 1)], [t(f32, 3), t(f32, 2)]]");
  r.op({"transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)"})
      .inverse("transpose.int(src, dim0, dim1)")
      .inplace_view()
      .alias({"swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)", "swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
              "swapaxes_(Tensor(a!) self, int axis0, int axis1) -> Tensor(a!)",
              "swapdims_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)"})
      .rule(transpose_rule)
      .keeps("dims", dims_in_reverse)
      .gradient([](GradCall& c) { c.set(0, "transpose"_op(c.grad(), c.value(1), c.value(2))); })
      .onnx("Transpose(self, perm=swapped(self, dim0, dim1))")
      .doc("A view with two dims swapped.")
      .samples("int", "[[x, a, b] for x in layouts(2, 3, 4) for a, b in ((0, 1), (-1, 0))] + [[t(f32), 0, -1], [t(f32, 2), 0, 1]]")
      .special(Special::ReadsBackOtherwise, "dims are counted from the start")
      .copies();
  r.op("t(Tensor(a) self) -> Tensor(a)")
      .inplace_view()
      .keeps("dims", dims_in_reverse)
      .inverse("t(src)")
      .rule(t_rule)
      .decompose(
          [](const IValue* a) -> IValue {
            return a[0].to_tensor().dim() < 2 ? "view"_op(a[0], sizes_of(a[0].as_tensor())) : "transpose"_op(a[0], 0, 1);
          },
          Reads::Symbols)
      .onnx("out: Transpose(self, perm=[1, 0]) if rank(self) = 2")
      .doc("A view of a matrix with its dims swapped.")
      .samples("", "[[t(f32, 2, 3)], [t(f32, 3)], [t(f32)], [t(f32, 1, 1, 1)]]");
  r.op("t_copy(Tensor self) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return "clone"_op("t"_op(a[0]), MemoryFormat::Contiguous); }, Reads::Symbols)
      .function_only()
      .out()
      .onnx(none("decomposes to transpose"))
      .doc("A copy of a matrix with its dims swapped.")
      .samples("[[v] for v in layouts(2, 3)] + [[t(f32, 3)], [t(f32)], [t(i64, 2, 2)], [t(f32, 1, 1, 1)]]");
  r.op("numpy_T(Tensor(a) self) -> Tensor(a)")
      .inverse("numpy_T(src)")
      .keeps("dims", dims_in_reverse)
      .rule(numpy_T_rule)
      .attribute("T")
      .method_only()
      .decompose(
          [](const IValue* a) -> IValue {
            Tensor t = a[0].to_tensor();
            if (t.dim() < 2) return "view"_op(t, sizes_of(t));
            if (t.dim() == 2) return "transpose"_op(t, 0, 1);
            Dims order;
            for (int64_t d = t.dim() - 1; d >= 0; --d) order.push_back(d);
            return "permute"_op(t, order);
          },
          Reads::Symbols)
      .onnx(none("decomposes to permute"))
      .doc("A view with the dims in reverse: x.T.")
      .samples("", "[[v] for v in layouts(3, 4)] + [[t(f32, 3)], [t(f32)], [t(f32, 2, 3, 4)]]");
  r.op("permute(Tensor(a) self, int[] dims) -> Tensor(a)")
      .inverse("permute(src, inverse(dims))")
      .rule(permute_rule)
      .gradient([](GradCall& c) {
        const Dims& order = c.value(1).to_ints();
        Dims inverse(order.size(), 0);
        for (size_t i = 0; i < order.size(); ++i)
          inverse[static_cast<size_t>(wrap_dim(order[i], static_cast<int64_t>(order.size())))] = static_cast<int64_t>(i);
        c.set(0, "permute"_op(c.grad(), inverse));
      })
      .onnx("Transpose(self, perm=dims)")
      .doc("A view with the dims in another order.")
      .samples("", "[[x, [2, 0, 1]] for x in layouts(2, 3, 4)] + [[t(f32, 2, 3), [0, 0]], [t(f32, 2, 3), [0]], [t(f32), []]]")
      .special(Special::ReadsBackOtherwise, "of two dims, as transpose")
      .copies();
  r.op("expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)")
      .rule(expand_rule)
      .method_only()
      .gradient([](GradCall& c) { c.set(0, c.grad()); })  // the engine sums it to the argument's sizes
      .onnx("Expand(self, ones(size)) if implicit ~ False")
      .doc("A view in which dims of size 1 are repeated without a copy.")
      .samples(R"([[x, n, False] for x, n in ((t(f32, 2, 1), [2, 3]), (t(f32, 3), [2, -1]), (t(f32), [2, 2]), (t(f32, 2), [3]),
                  (t(f32, 1), [0]), (t(f32, 3), [-1, 3]))]
               + [[t(f32, 3), [-5, 3], False], [t(f32, 1, 3), [-2, 3], False], [t(f32, 1, 3), [0, 3], False],
                  [t(f32, 1, 3), [-1, -1], False]])")
      .special(Special::ReadsBackOtherwise, "without -1")
      .copies();
  r.op("sum_to_size(Tensor self, SymInt[] size) -> Tensor")
      .rule(sum_to_size_rule)
      .method_only()
      .may_return("self")
      .decompose(decompose_sum_to_size)
      .gradient([](GradCall& c) { c.set(0, "expand"_op(c.grad(), c.sizes(0))); })
      .onnx(none("which dims it sums depends on the sizes"))
      .doc(R"(The sum that reduces a tensor to this size: it sums over the dims along which `expand` would repeat elements.

>>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
>>> x.sum_to_size(1, 2))")
      .samples(R"([[v, sizes] for v in layouts(3, 4) for sizes in ([3, 4], [1, 4], [4], [3, 1], [1], [])] + [[t(i64, 2, 3), [3]],
                  [t(f32, 2, 3, 4), [3, 1]], [t(f32, 3), [2]], [t(f32, 3), [2, 3]], [t(f32, 0, 3), [1, 3]]])");
  r.op("expand_as(Tensor(a) self, Tensor other) -> Tensor(a)")
      .rule(expand_as_rule)
      .method_only()
      .decompose([](const IValue* a) -> IValue { return "expand"_op(a[0], sizes_of(a[1].as_tensor())); }, Reads::Symbols)
      .onnx(none("decomposes to expand"))
      .doc("A view in which dims of size 1 are repeated to the size of another tensor.")
      .samples(
          R"([[t(f32, 3, 1), t(f32, 2, 3, 4)], [t(f32), t(f32, 2)], [t(f32, 2), t(f32, 2)], [t(f32, 2), t(f32, 3)], [t(f32, 2, 2), t(f32, 2)],
                   [t(f32, 1), t(f32, 0)]])");
  r.op("as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)")
      .inplace_view()
      .rule(as_strided_rule)
      .gradient(as_strided_gradient)
      .onnx(none("ONNX has no strides"))
      .doc("A view of the storage of `self`: element (i, j, …) lies `storage_offset` + i * stride[0] + j * stride[1] + … from its start.")
      .samples(
          R"([[t(f32, 12), *g] for g in (([3, 4], [4, 1], None), ([4, 3], [1, 4], 0), ([2, 2], [3, 3], 2), ([3, 3], [1, 1], 1), ([2, 3], [0, 2], None),
                                            ([], [], 5), ([0], [1], None), ([2, 7], [6, 1], None), ([2], [1, 1], None), ([-2], [1], None),
                                            ([2], [-1], None), ([2], [1], -1))]
                + [[v, [2, 2], [1, 2], n] for v in (t(f32, 3, 4).t(), t(f32, 6)[1::2], t(f32, 2, 3)[1:], t(f32, 3, 1).expand(3, 2), t(f64, 2, 4), t(i64, 8))
                   for n in (None, 1)])")
      .special(Special::LayoutMatters, "it asks for places of the storage")
      .copies();
  r.op("narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)")
      .scatter(none("PyTorch has no narrow_scatter: functionalize_test compares the writes that it stands for"))
      .rule(narrow_rule<false>)
      .decompose(decompose_narrow, Reads::Symbols)
      .onnx(none("decomposes to slice"))
      .doc("A view of `length` places from `start` on along a dim.")
      .samples(R"([[v, d, a, n] for v in layouts(3, 4) for d, a, n in ((0, 1, 2), (-1, -2, 1), (1, 4, 0), (0, 0, 3))]
               + [[t(f32, 3, 4), d, a, n] for d, a, n in ((0, 2, 2), (2, 0, 1), (0, -4, 1), (0, 0, -1))])");
  r.op("narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor")
      .rule(narrow_rule<true>)
      .decompose([](const IValue* a) -> IValue { return "clone"_op(decompose_narrow(a), MemoryFormat::Contiguous); }, Reads::Symbols)
      .out()
      .onnx(none("decomposes to slice"))
      .doc("A copy of `length` places from `start` on along a dim.")
      .samples("[[v, d, a, n] for v in layouts(3, 4) for d, a, n in ((0, 1, 2), (-1, -2, 1), (1, 4, 0))] + [[t(f32, 3, 4), 0, 2, 2]]");
  r.op({"select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)"})
      .scatter(R"([[v, t(f32, 3), d, i] for v in layouts(3, 3) for d, i in ((0, 1), (-1, -3))]
               + [[t(f32, 3, 2), t(f32, 2), 0, 3], [t(f32, 3, 2), t(f32, 3), 0, 1], [t(f32, 3), t(f32), 0, -1]])")
      .rule(select_rule)
      .gradient([](GradCall& c) { c.set(0, "select_backward"_op(c.grad(), c.sizes(0), c.value(1), c.value(2))); })
      .onnx("Gather(self, index, axis=dim)")
      .doc("The slice at `index` along `dim`, without that dim.")
      .samples("[[x, d, i] for x in layouts(2, 3) for d, i in ((0, 1), (-1, -3))] + [[t(f32, 2), 0, 2], [t(f32), 0, 0]]")
      .copies();
  r.op({"slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)"})
      .scatter(R"([[v, t(f32, 2, 3), 0, a, b, 1] for v in layouts(3, 3) for a, b in ((1, 3), (None, -1), (-2, 9))]
               + [[t(f32, 3, 5), t(f32, 3, 2), 1, 0, 4, 2], [t(f32, 3, 5), t(f32, 3, 3), 1, 0, 4, 2], [t(f32, 3), t(f32, 0), 0, 2, 1, 1]])")
      .rule(slice_rule)
      .method_only()
      .gradient([](GradCall& c) { c.set(0, "slice_backward"_op(c.grad(), c.sizes(0), c.value(1), c.value(2), c.value(3), c.value(4))); })
      .onnx(
          "Slice(self, [0], [9223372036854775807], [dim], [step]) | Slice(self, [0], [end], [dim], [step]) | Slice(self, [start], "
          "[9223372036854775807], [dim], [step]) | Slice(self, [start], [end], [dim], [step])")
      .doc("A view of every `step`-th slice from `start` to `end`.")
      .samples(R"([[x, d, a, b, st] for x in layouts(5, 6) for d, a, b,
                  st in ((0, 1, 4, 1), (1, None, None, 2), (-1, -3, 100, 1), (0, 4, 1, 1))]
               + [[t(f32, 3), 0, 0, 2, 0], [t(f32), 0, 0, 1, 1]])")
      .copies();
  r.op("unsqueeze(Tensor(a) self, int dim) -> Tensor(a)")
      .inplace_view()
      .inverse("squeeze.dim(src, dim)")
      .rule(unsqueeze_rule)
      .gradient([](GradCall& c) { c.set(0, "reshape"_op(c.grad(), c.sizes(0))); })
      .onnx("Unsqueeze(self, [dim])")
      .doc("A view with a dim of size 1 inserted.")
      .samples("[[x, d] for x in layouts(2, 3) for d in (0, -1, 2)] + [[t(f32), 0], [t(f32, 2), 3]]")
      .copies();
  r.op({"squeeze(Tensor(a) self) -> Tensor(a)"})
      .inplace_view()
      .inverse("reshape_as(src, self)")
      .rule(squeeze_rule)
      .gradient([](GradCall& c) { c.set(0, "reshape"_op(c.grad(), c.sizes(0))); })
      .onnx("Squeeze(self)")
      .doc("A view without the dims of size 1.")
      .samples("[[t(f32, 1, 2, 1)], [t(f32, 2)], [t(f32)]]")
      .copies();
  r.op({"squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)"})
      .inplace_view()
      .inverse("reshape_as(src, self)")
      .rule(squeeze_dim_rule)
      .gradient([](GradCall& c) { c.set(0, "reshape"_op(c.grad(), c.sizes(0))); })
      .onnx("Squeeze(self, [dim]) if one(self, dim)")
      .doc("A view without `dim`, where its size is 1.")
      .samples("[[t(f32, 1, 2, 1), 0], [t(f32, 1, 2, 1), -1], [t(f32, 2), 0], [t(f32), 0], [t(f32, 2), 2]]")
      .copies();
  r.op({"squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)"})
      .inplace_view()
      .inverse("reshape_as(src, self)")
      .rule(squeeze_dims_rule)
      .gradient([](GradCall& c) { c.set(0, "reshape"_op(c.grad(), c.sizes(0))); })
      .onnx(none("Squeeze of the dims whose size is 1, which must be known"))
      .doc("A view without those of the dims whose size is 1.")
      .samples(R"([[v, d] for v in (t(f32, 1, 2, 1, 3), t(f32, 3, 1, 2, 1).transpose(0, 3)) for d in ([0, 2], [-1], [1, 3], [])]
               + [[t(f32), [0]], [t(f32), []], [t(f32, 1, 1), [0, 0]], [t(f32, 1, 1), [2]], [t(i64, 1, 1), [0, -1]]])")
      .copies();
  r.op("detach(Tensor(a) self) -> Tensor(a)")
      .rule(alias_rule)
      .gradient(constant("it is there to stop gradients"))
      .onnx("out: Identity(self)")
      .attribute("data")
      .doc("The same tensor, outside of gradients.")
      .samples("[[v] for v in layouts(2, 3)] + [[t(i64)]]")
      .copies();
  r.op({"prim::function_result(Tensor(a) self, Tensor[] inputs, Tensor[] saved=[], Scalar[] numbers=[], int[] targets=[], str backward='', "
        "str reason='', bool asks=False, int[] needs=[]) -> Tensor(a)"})
      .inverse("src")
      .rule(alias_rule)
      .gradient(function_gradient)
      .onnx("out: Identity(self)")
      .doc(
          "`self`, a result of a torch.autograd.Function of `inputs`. `backward` is the text of a graph that computes its gradients: its "
          "inputs are "
          "the gradient of the result (`grad`), the result (`result`), and the elements of `saved` and `numbers` (`saved_0`, `number_0`). "
          "It gives "
          "the gradients of those inputs whose indices `targets` has. An empty text means that there is no gradient, and `reason` says "
          "why. Where "
          "`asks` is true, it holds if exactly the inputs with the indices `needs` require grad.")
      .samples(none("PyTorch has no such operator; tests/python/test_captured_functions.py"));
  no_torchscript("prim::function_result", "PyTorch has no operator of this name");
  r.op({"prim::with_grad(Tensor(a) self) -> Tensor(a)"})
      .inverse("src")
      .rule(same_rule)
      .decompose(
          [](const IValue* a) -> IValue {
            if (a[0].as_tensor().requires_grad()) return "alias"_op(a[0]);
            Tensor t = "detach"_op(a[0]);
            t->requires_grad = true;
            return t;
          },
          Reads::Strides)
      .onnx("out: Identity(self)")
      .doc("The same tensor, as requires_grad_() leaves it: where nothing before it requires grad, gradients end here.")
      .samples(none("PyTorch has no such operator"));
  no_torchscript("aten::narrow_scatter", "PyTorch has no operator of this name");
  no_torchscript("aten::linalg_diagonal_scatter", "PyTorch has no operator of this name");
  no_torchscript("prim::with_grad", "PyTorch has no operator of this name");
  r.op({"alias(Tensor(a) self) -> Tensor(a)"})
      .inverse("src")
      .rule(alias_rule)
      .gradient([](GradCall& c) { c.set(0, c.grad()); })
      .onnx("Identity(self)")
      .doc("A view of all of it.")
      .samples("[[v] for v in layouts(2, 3)] + [[t(i64)]]")
      .copies();
  r.op({"flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)"})
      .may_return("self")
      .rule(flatten_rule)
      .decompose(
          [](const IValue* a) -> IValue {
            Tensor t = a[0].to_tensor();
            if (t.dim() == 0) return "reshape"_op(t, Dims{1});
            auto s = static_cast<size_t>(wrap_dim(a[1].to_int(), t.dim())), e = static_cast<size_t>(wrap_dim(a[2].to_int(), t.dim()));
            const Sizes own = sizes_of(t);
            Sizes sizes;
            for (size_t i = 0; i < own.size(); ++i)
              if (i > s && i <= e) sizes.set(sizes.size() - 1, sizes.back() * own[i]);
              else sizes.push_back(own[i]);
            return "reshape"_op(t, sizes);
          },
          Reads::Symbols)
      .onnx("out: Flatten(self, axis=1) if start_dim = 1")
      .doc("Dims `start_dim` to `end_dim` made one.")
      .samples(
          "[[x, a, b] for x in layouts(2, 3, 4) for a, b in ((0, -1), (1, 2), (0, 0), (2, 1))] + [[t(f32), a, b] for a, b in ((0, -1), (1, "
          "-1), (0, -2), (-1, 0))]");
}

void lists(Registry& r) {
  r.op({"cat(Tensor[] tensors, int dim=0) -> Tensor"})
      .out()
      .out_dtype(OutDType::Safe)
      .alias({"concat", "concatenate"})
      .rule(cat_rule)
      .kernel(cat_kernel)
      .storage_only(StorageOnly::AsBits)
      .gradient([](GradCall& c) {
        std::vector<Tensor> grads;
        Size at = 0;
        for (const Tensor& t : c.values()[0].to_tensors()) {
          if (t.dim() == 1 && c.grad().dim() != 1) {  // an empty 1-d tensor, which cat skipped
            grads.push_back("zeros"_op(Dims{0}, c.grad().dtype()));
            continue;
          }
          const Size n = size_of(t, wrap_dim(c.value(1).to_int(), c.grad().dim()));
          grads.push_back("slice"_op(c.grad(), c.value(1), at, at + n));
          at = at + n;
        }
        c.set_list(0, std::move(grads));
      })
      .onnx("Concat(*tensors, axis=dim)")
      .autocast(Autocast::Widest)
      .doc("The tensors one after another along `dim`.")
      .samples(R"([[[t(f32, 2, 3), t(f32, 1, 3)], 0], [[t(f32, 2, 3), t(f32, 2, 1)], -1], [[t(f32, 2), t(i64, 3)], 0],
                  [[t(f32, 0), t(f32, 2, 2)], 0],
                [[t(f32, 2, 3).t(), t(f32, 3, 1)], 1], [[t(f32, 2), t(f32, 2, 2)], 0], [[t(f32, 2, 3), t(f32, 2, 4)], 0],
                  [[t(b1, 2), t(u8, 2)], 0],
                [[t(f32)], 0]])");
  r.op({"stack(Tensor[] tensors, int dim=0) -> Tensor"})
      .out()
      .out_dtype(OutDType::Safe)
      .rule(stack_rule)
      .kernel(stack_kernel)
      .storage_only(StorageOnly::AsBits)
      .gradient([](GradCall& c) {
        const size_t count = c.values()[0].to_tensors().size();
        std::vector<Tensor> grads;
        for (size_t k = 0; k < count; ++k) grads.push_back("select"_op(c.grad(), c.value(1), static_cast<int64_t>(k)));
        c.set_list(0, std::move(grads));
      })
      .decompose(
          [](const IValue* a) -> IValue {
            std::vector<IValue> parts;
            for (const Tensor& t : a[0].to_tensors()) parts.push_back("unsqueeze"_op(t, a[1]));
            return "cat"_op(IValue::list(parts), a[1]);
          },
          Reads::Nothing)
      .onnx("ConcatFromSequence(SequenceConstruct(*tensors), axis=dim, new_axis=1)")
      .autocast(Autocast::Widest)
      .doc("The tensors one after another along a new dim.")
      .samples("[[[t(f32, 2, 3), t(f32, 2, 3)], d] for d in (0, 1, -1)] + [[[t(f32), t(f32)], 0], [[t(f32, 2), t(f32, 3)], 0]]");
  r.op({"split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]"})
      .rule(split_rule)
      .decompose(
          [](const IValue* a) -> IValue {
            Tensor t = a[0].to_tensor();
            const Size n = size_of(t, a[2].to_int()), step = as_size(a[1]);
            const int64_t count = n.is(0) || step.is(0) ? 1 : fixed_length(t, floordiv(n - 1, step) + 1);
            std::vector<IValue> parts;
            for (int64_t k = 0; k < count; ++k) parts.push_back("slice"_op(t, a[2], step * k, k + 1 < count ? step * (k + 1) : n));
            return IValue::list(std::move(parts));
          },
          Reads::Symbols)
      .gradient([](GradCall& c) { c.set(0, "cat"_op(gradients_of_list(c), c.value(2))); })
      .onnx("SplitToSequence(self, split_size, axis=dim)")
      .doc("Views of `split_size` slices each along `dim`; the last may be smaller.")
      .samples(
          R"([[t(f32, 5, 2), 2, 0], [t(f32, 2, 6), 3, -1], [t(f32, 4), 10, 0], [t(f32, 0, 2), 1, 0], [t(f32, 3), 0, 0], [t(f32, 0), -1, 0],
                [t(f32, 5), -1, 0]])");
  r.op("split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]")
      .spelled({"split(Tensor(a -> *) self, int[] split_sizes, int dim=0) -> Tensor(a)[]"})
      .rule(split_with_sizes_rule)
      .decompose([](const IValue* a) -> IValue { return "split_with_sizes"_op(a[0], a[1], a[2]); }, Reads::Nothing)
      .onnx(none("decomposes to split_with_sizes"))
      .doc("split_with_sizes.")
      .samples("[[t(f32, 5, 2), [2, 3]], [t(f32, 2, 4), [1, 0, 3], 1], [t(f32, 3), [1, 1]]]");
  r.op({"split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]"})
      .rule(split_with_sizes_rule)
      .decompose(
          [](const IValue* a) -> IValue {
            Tensor t = a[0].to_tensor();
            const Sizes sizes = sizes_in(a[1]);
            Size at = 0;
            std::vector<IValue> parts;
            for (size_t k = 0; k < sizes.size(); ++k) parts.push_back("slice"_op(t, a[2], at, at + sizes[k])), at = at + sizes[k];
            return IValue::list(std::move(parts));
          },
          Reads::Symbols)
      .gradient([](GradCall& c) { c.set(0, "cat"_op(gradients_of_list(c), c.value(2))); })
      .onnx("SplitToSequence(self, split_sizes, axis=dim)")
      .doc("Views of the given sizes along `dim`.")
      .samples(R"([[t(f32, 5, 2), [2, 3], 0], [t(f32, 2, 4), [1, 0, 3], 1], [t(f32, 3), [1, 1], 0]] + [[t(f32, 5), n, 0]
                  for n in ([6, -1], [5, 0], [5])])");
  r.op({"chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]"})
      .rule(chunk_rule)
      .decompose(
          [](const IValue* a) -> IValue {
            const Size n = size_of(a[0].as_tensor(), a[2].to_int());
            const int64_t chunks = a[1].to_int();
            if (n.is(0)) return "split_with_sizes"_op(a[0], Dims(static_cast<size_t>(chunks), 0), a[2]);
            return "split"_op(a[0], floordiv(n + chunks - 1, chunks), a[2]);
          },
          Reads::Symbols)
      .onnx(none("its number of pieces depends on the size"))
      .doc("At most `chunks` views of equal size along `dim`.")
      .samples("[[t(f32, 6), 3, 0], [t(f32, 5), 3, 0], [t(f32, 2, 4), 3, -1], [t(f32, 2), 4, 0], [t(f32, 2), 0, 0], [t(f32, 0, 2), 3, 0]]");
  r.op({"unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]"})
      .rule(unbind_rule)
      .decompose(
          [](const IValue* a) -> IValue {
            std::vector<IValue> parts;
            const Tensor& t = a[0].as_tensor();
            const int64_t count = fixed_length(t, size_of(t, a[1].to_int()));
            for (int64_t k = 0; k < count; ++k) parts.push_back("select"_op(t, a[1], k));
            return IValue::list(std::move(parts));
          },
          Reads::Symbols)
      .gradient([](GradCall& c) { c.set(0, "stack"_op(gradients_of_list(c), c.value(1))); })
      .onnx("SplitToSequence(self, axis=dim, keepdims=0)")
      .doc("The slices along `dim`, without it.")
      .samples("[[t(f32, 3, 2), 0], [t(f32, 3, 2), -1], [t(f32, 0, 2), 0]]");
  r.op("unbind_copy.int(Tensor self, int dim=0) -> Tensor[]")
      .rule(unbind_rule)
      .decompose(
          [](const IValue* a) -> IValue {
            std::vector<IValue> copies;
            const std::vector<IValue> parts = "unbind"_op(a[0], a[1]).items();
            for (const IValue& part : parts) copies.push_back("clone"_op(part, MemoryFormat::Contiguous));
            return IValue::list(std::move(copies));
          },
          Reads::Symbols)
      .function_only()
      .onnx(none("decomposes to unbind"))
      .doc("Copies of the slices along `dim`, without it.")
      .samples("[[v, d] for v in layouts(3, 2) for d in (0, -1)] + [[t(f32, 0, 2), 0], [t(f32), 0], [t(f32, 2), 1]]");
}

}  // namespace

void shapes(Registry& r) {
  views(r);
  lists(r);
  // The gradients of select and slice: the incoming gradient, written into zeros.
  r.op("select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor")
      .rule(select_gradient_rule)
      .function_only()
      .kernel(select_backward_kernel)
      .gradient([](GradCall& c) { c.set(0, "select"_op(c.grad(), c.value(2), c.value(3))); })
      .onnx(none("training only"))
      .doc("Zeros with the gradient at one index.")
      .samples(
          "[[t(f32, 3), [2, 3], 0, 1], [t(f32, 2), [2, 3], -1, -1], [t(f32, 4), [2, 3], 0, 1], [t(f32, 3), [2, 3], 0, 2], [t(f32), [], 0, "
          "0]]");
  r.op("slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt? start, SymInt? end, SymInt step) -> Tensor")
      .rule(slice_gradient_rule)
      .function_only()
      .kernel(slice_backward_kernel)
      .gradient([](GradCall& c) { c.set(0, "slice"_op(c.grad(), c.value(2), c.value(3), c.value(4), c.value(5))); })
      .onnx(none("training only"))
      .doc("Zeros with the gradient in one slice.")
      .samples(R"([[t(f32, 2, 2), [2, 4], 1, 0, 4, 2], [t(f32, 1, 3), [4, 3], 0, -1, 4, 1], [t(f32, 2, 3), [4, 3], 0, -1, 4, 1],
                [t(f32, 2, 2), [2, 4], 1, 0, 4, -2]])")
      .special(Special::OtherSchemaText, "the bounds may be None");
}

}  // namespace monograph
