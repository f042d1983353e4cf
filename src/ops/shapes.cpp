// Views and what rearranges elements without computing: they share storage wherever PyTorch's do.
#include <algorithm>

#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/pointwise.h"
#include "ops/registry.h"

namespace monograph {
namespace {

// A view's result: shares storage, keeps the marks that views keep.
IValue view_of(const Tensor& t, const Dims& sizes, const Dims& strides, int64_t offset) { return t.as_strided(sizes, strides, offset); }

// Strides that show `t` in other sizes without a copy; false where there are none. Groups of dims that lie without gaps are cut anew.
bool view_strides(const Tensor& t, const Dims& sizes, Dims& strides) {
  strides = Dims(sizes.size(), 1);
  if (t.numel() == 0) return strides = contiguous_strides(sizes), true;
  auto d = static_cast<int64_t>(sizes.size()) - 1;
  int64_t group = 1, cut = 1;
  int64_t base = t.dim() ? t.strides().back() : 1;
  for (int64_t i = t.dim() - 1; i >= 0; --i) {
    auto k = static_cast<size_t>(i);
    group *= t.sizes()[k];
    bool ends = i == 0 || (t.sizes()[k - 1] != 1 && t.strides()[k - 1] != group * base);
    if (!ends) continue;
    while (d >= 0 && (cut < group || sizes[static_cast<size_t>(d)] == 1)) {
      strides[static_cast<size_t>(d)] = cut * base;
      cut *= sizes[static_cast<size_t>(d--)];
    }
    if (cut != group) return false;
    if (i > 0) base = t.strides()[k - 1], group = cut = 1;
  }
  while (d >= 0) strides[static_cast<size_t>(d--)] = cut * base;
  return true;
}

// The sizes with the one -1 replaced.
Dims infer_size(const Dims& wanted, int64_t numel, std::string_view op) {
  Dims sizes = wanted;
  int64_t known = 1, unknown = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      MONOGRAPH_CHECK(unknown < 0, Runtime, "[", op, "] only one dimension can be inferred");
      unknown = static_cast<int64_t>(i);
      continue;
    }
    MONOGRAPH_CHECK(sizes[i] >= 0, Runtime, "[", op, "] invalid shape dimension ", sizes[i]);
    known *= sizes[i];
  }
  if (unknown >= 0) {
    MONOGRAPH_CHECK(known != 0, Runtime, "[", op, "] cannot reshape tensor of 0 elements into shape ", to_string(wanted),
                    " because the unspecified dimension size -1 can be any value and is ambiguous");
    MONOGRAPH_CHECK(numel % known == 0, Runtime, "[", op, "] shape '", to_string(wanted), "' is invalid for input of size ", numel);
    sizes[static_cast<size_t>(unknown)] = numel / known;
    return sizes;
  }
  MONOGRAPH_CHECK(known == numel, Runtime, "[", op, "] shape '", to_string(wanted), "' is invalid for input of size ", numel);
  return sizes;
}

void eval_view(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& t = args[0].as_tensor();
  Dims sizes = infer_size(args[1].to_ints(), t.numel(), op.name()), strides;
  MONOGRAPH_CHECK(view_strides(t, sizes, strides), Runtime, "[", op.name(),
                  "] view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous "
                  "subspaces). Use "
                  ".reshape(...) instead.");
  results[0] = view_of(t, sizes, strides, t->offset);
}

IValue decompose_reshape(const IValue* args) {
  Tensor t = args[0].to_tensor();
  Dims sizes = infer_size(args[1].to_ints(), t.numel(), "aten::reshape"), strides;
  if (view_strides(t, sizes, strides)) return "view"_op(t, sizes);
  return "view"_op("clone"_op(t, MemoryFormat::Contiguous), sizes);
}

void eval_transpose(const Operator&, const IValue* args, IValue* results) {
  const Tensor& t = args[0].as_tensor();
  auto a = static_cast<size_t>(wrap_dim(args[1].to_int(), t.dim())), b = static_cast<size_t>(wrap_dim(args[2].to_int(), t.dim()));
  Dims sizes = t.sizes(), strides = t.strides();
  if (t.dim()) std::swap(sizes[a], sizes[b]), std::swap(strides[a], strides[b]);
  results[0] = view_of(t, sizes, strides, t->offset);
}

void eval_permute(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& t = args[0].as_tensor();
  const Dims& order = args[1].to_ints();
  MONOGRAPH_CHECK(order.size() == t.sizes().size(), Runtime, "[", op.name(),
                  "] permute(sparse_coo): number of dimensions in the tensor input does not match the "
                  "length of the desired ordering of dimensions i.e. input.dim() = ",
                  t.dim(), " is not equal to len(dims) = ", order.size());
  Dims sizes, strides;
  uint64_t seen = 0;
  for (int64_t d : order) {
    int64_t w = wrap_dim(d, t.dim());
    MONOGRAPH_CHECK(!(seen >> w & 1), Runtime, "[", op.name(), "] permute(): duplicate dims are not allowed.");
    seen |= uint64_t{1} << w;
    sizes.push_back(t.sizes()[static_cast<size_t>(w)]), strides.push_back(t.strides()[static_cast<size_t>(w)]);
  }
  results[0] = view_of(t, sizes, strides, t->offset);
}

void eval_expand(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& t = args[0].as_tensor();
  Dims sizes = args[1].to_ints(), strides(sizes.size(), 0);
  MONOGRAPH_CHECK(sizes.size() >= t.sizes().size(), Runtime, "[", op.name(), "] expand(", to_string(sizes),
                  "): the number of sizes provided (", sizes.size(),
                  ") must be greater or equal to the number of dimensions in the tensor (", t.dim(), ")");
  size_t lead = sizes.size() - t.sizes().size();
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t own = i < lead ? 1 : t.sizes()[i - lead];
    if (sizes[i] == -1) {
      MONOGRAPH_CHECK(i >= lead, Runtime, "[", op.name(),
                      "] The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension ", i);
      sizes[i] = own;
    }
    MONOGRAPH_CHECK(sizes[i] >= 0, Runtime, "[", op.name(), "] expected sizes that are not negative, or -1, but got ",
                    to_string(args[1].to_ints()));
    MONOGRAPH_CHECK(own == sizes[i] || own == 1, Runtime, "[", op.name(), "] The expanded size of the tensor (", sizes[i],
                    ") must match the existing size (", own, ") at non-singleton dimension ", i, ".  Target sizes: ", to_string(sizes),
                    ".  Tensor sizes: ", to_string(t.sizes()));
    strides[i] = i >= lead && own == sizes[i] ? t.strides()[i - lead] : 0;
  }
  results[0] = view_of(t, sizes, strides, t->offset);
}

void eval_select(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& t = args[0].as_tensor();
  MONOGRAPH_CHECK(t.dim() > 0, Index, "[", op.name(), "] select() cannot be applied to a 0-dim tensor.");
  int64_t d = wrap_dim(args[1].to_int(), t.dim()), index = args[2].to_int();
  auto k = static_cast<size_t>(d);
  MONOGRAPH_CHECK(index >= -t.sizes()[k] && index < t.sizes()[k], Index, "index ", index, " is out of bounds for dimension ", d,
                  " with size ", t.sizes()[k]);
  if (index < 0) index += t.sizes()[k];
  Dims sizes = t.sizes(), strides = t.strides();
  int64_t offset = t->offset + index * strides[k];
  sizes.erase(k), strides.erase(k);
  results[0] = view_of(t, sizes, strides, offset);
}

void eval_slice(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& t = args[0].as_tensor();
  MONOGRAPH_CHECK(t.dim() > 0, Index, "[", op.name(), "] slice() cannot be applied to a 0-dim tensor.");
  auto k = static_cast<size_t>(wrap_dim(args[1].to_int(), t.dim()));
  int64_t n = t.sizes()[k], step = args[4].to_int();
  MONOGRAPH_CHECK(step > 0, Value, "[", op.name(), "] slice step must be positive, but got ", step, "; use flip for the other direction");
  int64_t start = args[2].is_none() ? 0 : args[2].to_int(), end = args[3].is_none() ? n : args[3].to_int();
  start = std::clamp<int64_t>(start < 0 ? start + n : start, 0, n);
  end = std::clamp<int64_t>(end < 0 ? end + n : end, start, n);
  Dims sizes = t.sizes(), strides = t.strides();
  int64_t offset = t->offset + start * strides[k];
  sizes[k] = (end - start + step - 1) / step;
  strides[k] *= step;
  results[0] = view_of(t, sizes, strides, offset);
}

void eval_unsqueeze(const Operator&, const IValue* args, IValue* results) {
  const Tensor& t = args[0].as_tensor();
  auto k = static_cast<size_t>(wrap_dim(args[1].to_int(), t.dim() + 1));
  Dims sizes = t.sizes(), strides = t.strides();
  strides.insert(k, k < sizes.size() ? sizes[k] * strides[k] : 1);
  sizes.insert(k, 1);
  results[0] = view_of(t, sizes, strides, t->offset);
}

// Drops the dims of size 1 that `chosen` names (all of them where it is null).
IValue squeezed(const Tensor& t, const Dims* chosen) {
  uint64_t drop = chosen ? 0 : ~uint64_t{0};
  if (chosen)
    for (int64_t d : *chosen) drop |= uint64_t{1} << wrap_dim(d, t.dim());
  Dims sizes, strides;
  for (size_t i = 0; i < t.sizes().size(); ++i)
    if (t.sizes()[i] != 1 || !(drop >> i & 1)) sizes.push_back(t.sizes()[i]), strides.push_back(t.strides()[i]);
  return view_of(t, sizes, strides, t->offset);
}

void eval_cat(const Operator& op, const IValue* args, IValue* results) {
  std::vector<Tensor> tensors = args[0].to_tensors();
  MONOGRAPH_CHECK(!tensors.empty(), Value, "[", op.name(), "] torch.cat(): expected a non-empty list of Tensors");
  // A 1-d tensor without elements is skipped, as it always was in PyTorch.
  auto skipped = [](const Tensor& t) { return t.dim() == 1 && t.numel() == 0; };
  DType dtype = tensors[0].dtype();
  const Tensor* first = nullptr;
  for (const Tensor& t : tensors) {
    dtype = promote_types(dtype, t.dtype());
    MONOGRAPH_CHECK(t.dim() > 0, Runtime, "[", op.name(), "] zero-dimensional tensor cannot be concatenated");
    if (!first && !skipped(t)) first = &t;
  }
  if (!first) return results[0] = empty({0}, dtype, tensors[0].device()), void();
  auto k = static_cast<size_t>(wrap_dim(args[1].to_int(), first->dim()));
  Dims sizes = first->sizes();
  sizes[k] = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    if (skipped(t)) continue;
    bool fits = t.dim() == first->dim();
    for (size_t d = 0; fits && d < sizes.size(); ++d) fits = d == k || t.sizes()[d] == sizes[d];
    MONOGRAPH_CHECK(fits, Runtime, "[", op.name(), "] Sizes of tensors must match except in dimension ", k, ". Expected size ",
                    to_string(first->sizes()), " but got size ", to_string(t.sizes()), " for tensor number ", i, " in the list.");
    sizes[k] += t.sizes()[k];
  }
  Tensor out = empty(sizes, dtype, first->device());
  int64_t at = 0;
  for (const Tensor& t : tensors) {
    if (skipped(t)) continue;
    copy_into(out.as_strided(t.sizes(), out.strides(), at * out.strides()[k]), t);
    at += t.sizes()[k];
  }
  results[0] = out;
}

// --- What is known of their results.

void infer_view(InferCall& c) {
  Shape wanted = c.size_list(1);
  if (!wanted) return c.like(0, {});
  Dim* unknown = nullptr;
  std::vector<Dim> others;
  for (Dim& d : *wanted) {
    if (d && d->is_int() && d->as_int() == -1) {
      MONOGRAPH_CHECK(!unknown, Runtime, "[", c.op.name(), "] only one dimension can be inferred");
      unknown = &d;
    } else {
      others.push_back(d);
    }
  }
  Dim numel = c.sizes(0) ? monograph::product(*c.sizes(0)) : Dim(), known = monograph::product(others);
  bool numbers = numel && known && numel->is_int() && known->is_int();
  bool fits = !numbers || (unknown ? known->as_int() && numel->as_int() % known->as_int() == 0 : known->as_int() == numel->as_int());
  MONOGRAPH_CHECK(fits, Runtime, "[", c.op.name(), "] shape is invalid for input of size ", numel->as_int());
  if (unknown) *unknown = numel && known && !(known->is_int() && known->as_int() == 0) ? Dim(floordiv(*numel, *known)) : Dim();
  c.like(0, wanted);
}

void infer_as(InferCall& c) { c.like(0, c.sizes(1)); }

void infer_same(InferCall& c) { c.like(0, c.sizes(0)); }

void infer_transpose(InferCall& c) {
  Shape s = c.sizes(0);
  auto a = c.dim(1, s), b = c.dim(2, s);
  if (!a || !b) return c.like(0, s ? Shape(std::vector<Dim>(s->size())) : s);
  if (!s->empty()) std::swap((*s)[*a], (*s)[*b]);
  c.like(0, s);
}

void infer_t(InferCall& c) {
  Shape s = c.sizes(0);
  MONOGRAPH_CHECK(!s || s->size() <= 2, Runtime, "[aten::t] t() expects a tensor with <= 2 dimensions, but self is ", s->size(), "D");
  if (s && s->size() == 2) std::swap((*s)[0], (*s)[1]);
  c.like(0, s);
}
void infer_numpy_T(InferCall& c) {
  Shape sizes = c.sizes(0);
  if (sizes) std::reverse(sizes->begin(), sizes->end());
  c.like(0, sizes);
}

void infer_permute(InferCall& c) {
  auto order = c.int_list(1);
  if (!order || !c.sizes(0)) return c.like(0, {});
  const auto& own = *c.sizes(0);
  MONOGRAPH_CHECK(order->size() == own.size(), Runtime, "[", c.op.name(), "] permute(): the tensor has ", own.size(), " dims, and ",
                  order->size(), " are given");
  std::vector<Dim> s;
  for (int64_t d : *order) s.push_back(own[static_cast<size_t>(wrap_dim(d, static_cast<int64_t>(own.size())))]);
  c.like(0, s);
}

void infer_expand(InferCall& c) {
  Shape s = c.size_list(1);
  if (!s) return c.like(0, s);
  for (Dim& d : *s) {
    MONOGRAPH_CHECK(!d || !d->is_int() || d->as_int() >= -1, Runtime, "[", c.op.name(),
                    "] expected sizes that are not negative, or -1, but got ", to_string(*d));
    if (!c.sizes(0) && d == Dim(-1)) d = {};  // the tensor's own, of which nothing is known
  }
  if (!c.sizes(0)) return c.like(0, s);
  const auto& own = *c.sizes(0);
  MONOGRAPH_CHECK(s->size() >= own.size(), Runtime, "[", c.op.name(), "] expand: the number of sizes provided (", s->size(),
                  ") must be greater or equal to the number of dimensions in the tensor (", own.size(), ")");
  size_t lead = s->size() - own.size();
  for (size_t i = 0; i < lead; ++i)
    MONOGRAPH_CHECK((*s)[i] != Dim(-1), Runtime, "[", c.op.name(),
                    "] The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension ", i);
  for (size_t i = lead; i < s->size(); ++i) {
    Dim& d = (*s)[i];
    const Dim& from = own[i - lead];
    if (d == Dim(-1)) d = from;
    else if (from && !(from->is_int() && from->as_int() == 1))
      same_dim(from->is_int() ? from : Dim(), d,
               concat("[", c.op.name(), "] The expanded size of the tensor must match the existing size at non-singleton dimension ", i));
  }
  c.like(0, s);
}

void infer_select(InferCall& c) {
  Shape s = c.sizes(0);
  if (!s) return c.like(0, {});
  MONOGRAPH_CHECK(!s->empty(), Index, "[", c.op.name(), "] select() cannot be applied to a 0-dim tensor.");
  auto d = c.dim(1, s);
  if (!d) return c.like(0, std::vector<Dim>(s->size() - 1));
  auto index = c.integer(2);
  const Dim& n = (*s)[*d];
  MONOGRAPH_CHECK(!index || !n || !n->is_int() || (*index >= -n->as_int() && *index < n->as_int()), Index, "index ", *index,
                  " is out of bounds for dimension ", *d, " with size ", n->as_int());
  s->erase(s->begin() + static_cast<ptrdiff_t>(*d));
  c.like(0, s);
}

// The length of self[start:end:step] along a dim of size n.
Dim slice_length(const Dim& n, const InferCall& c, size_t at) {
  if (!n) return {};
  auto step = c.size(at + 2);
  if (!step) return {};
  MONOGRAPH_CHECK(!step->is_int() || step->as_int() > 0, Value, "[", c.op.name(), "] slice step must be positive, but got ",
                  to_string(*step), "; use flip for the other direction");
  auto bound = [&](size_t i, SymInt otherwise) -> Dim {
    if (c.none(i)) return otherwise;
    Dim v = c.size(i);
    if (!v) return {};
    Bounds b = v->bounds();
    if (b.upper < 0) return max(*n + *v, SymInt(0));
    if (b.lower >= 0) return min(*v, *n);
    return {};
  };
  Dim start = bound(at, 0), end = bound(at + 1, *n);
  if (!start || !end) return {};
  SymInt length = max(*end - *start, SymInt(0));
  return *step == SymInt(1) ? length : floordiv(length + *step - SymInt(1), *step);
}

void infer_slice(InferCall& c) {
  Shape s = c.sizes(0);
  auto d = c.dim(1, s);
  if (!s) return c.like(0, {});
  MONOGRAPH_CHECK(!s->empty(), Index, "[", c.op.name(), "] slice() cannot be applied to a 0-dim tensor.");
  if (!d) return c.like(0, std::vector<Dim>(s->size()));
  (*s)[*d] = slice_length((*s)[*d], c, 2);
  c.like(0, s);
}

void infer_narrow(InferCall& c) {
  Shape s = c.sizes(0);
  auto d = c.dim(1, s);
  if (!s) return c.like(0, {});
  if (!d) return c.like(0, std::vector<Dim>(s->size()));
  (*s)[*d] = c.size(3);
  c.like(0, s);
}

void infer_unsqueeze(InferCall& c) {
  Shape s = c.sizes(0);
  auto d = c.integer(1);
  if (!s || !d) return c.like(0, s ? Shape(std::vector<Dim>(s->size() + 1)) : s);
  s->insert(s->begin() + wrap_dim(*d, static_cast<int64_t>(s->size()) + 1), SymInt(1));
  c.like(0, s);
}

// Dims of size 1 go; one that may be 1 leaves the rank unknown.
void infer_squeeze(InferCall& c) {
  const Shape& s = c.sizes(0);
  bool all = c.count() == 1;
  auto chosen = all ? std::nullopt : c.dim(1, s);
  if (!s || (!all && !chosen)) return c.like(0, {});
  std::vector<Dim> out;
  for (size_t i = 0; i < s->size(); ++i) {
    const Dim& d = (*s)[i];
    bool asked = all || i == *chosen;
    if (asked && (!d || (!d->is_int() && d->bounds().lower <= 1 && d->bounds().upper >= 1))) return c.like(0, {});
    if (!asked || !(d->is_int() && d->as_int() == 1)) out.push_back(d);
  }
  c.like(0, out);
}

void infer_flatten(InferCall& c) {
  const Shape& s = c.sizes(0);
  if (!s) return c.like(0, {});
  if (s->empty()) return c.like(0, std::vector<Dim>{SymInt(1)});
  auto from = c.dim(1, s), to = c.dim(2, s);
  if (!from || !to) return c.like(0, {});
  MONOGRAPH_CHECK(*from <= *to, Runtime, "[aten::flatten] flatten() has invalid args: start_dim cannot come after end_dim");
  auto at = [&](size_t i) { return s->begin() + static_cast<ptrdiff_t>(i); };
  std::vector<Dim> out(at(0), at(*from));
  out.push_back(monograph::product(std::span(*s).subspan(*from, *to - *from + 1)));
  out.insert(out.end(), at(*to + 1), s->end());
  c.like(0, out);
}

// Of several tensors of one list: the common sizes, with `along` collecting what stands at dim d.
struct Together {
  Shape sizes;
  std::optional<DType> dtype;
};
Together together(InferCall& c, bool concatenate) {
  const auto& items = c.arg(0).items;
  if (!items) return {};
  MONOGRAPH_CHECK(!items->empty(), Runtime, "[", c.op.name(), "] expected a non-empty list of Tensors");
  Together r;
  bool first = true, typed = true, known = true;
  std::vector<Dim> sizes;
  Dim total = SymInt(0);
  for (const Fact& f : *items) {
    if (!f.tensor.dtype) typed = false;
    else r.dtype = r.dtype ? promote_types(*r.dtype, *f.tensor.dtype) : f.tensor.dtype;
    const Shape& s = f.tensor.sizes;
    bool skipped = concatenate && s && s->size() == 1 && (*s)[0] && (*s)[0]->is_int() && (*s)[0]->as_int() == 0;
    if (skipped) continue;
    if (!s) {
      known = false;
      continue;
    }
    auto d = concatenate ? c.dim(1, s) : std::nullopt;
    if (first) sizes = *s;
    MONOGRAPH_CHECK(sizes.size() == s->size(), Runtime, "[", c.op.name(), "] Tensors must have same number of dimensions: got ",
                    sizes.size(), " and ", s->size());
    for (size_t i = 0; i < sizes.size(); ++i)
      if (d != i)
        sizes[i] =
            same_dim(sizes[i], (*s)[i], concat("[", c.op.name(), "] Sizes of tensors must match except in dimension ", d.value_or(0)));
    if (d) total = total && (*s)[*d] ? Dim(*total + *(*s)[*d]) : Dim();
    first = false;
  }
  if (!typed) r.dtype.reset();
  if (!known) return r;
  if (first) return sizes = {SymInt(0)}, r.sizes = sizes, r;
  if (concatenate) {
    auto d = c.dim(1, sizes);
    if (d) sizes[*d] = total;
    else sizes.assign(sizes.size(), {});
  }
  r.sizes = sizes;
  return r;
}

void infer_cat(InferCall& c) {
  Together r = together(c, true);
  c.tensor(r.sizes, r.dtype);
}

void infer_stack(InferCall& c) {
  Together r = together(c, false);
  auto d = c.integer(1);
  if (r.sizes && d)
    r.sizes->insert(r.sizes->begin() + wrap_dim(*d, static_cast<int64_t>(r.sizes->size()) + 1),
                    SymInt(static_cast<int64_t>(c.arg(0).items->size())));
  else r.sizes.reset();
  c.tensor(r.sizes, r.dtype);
}

// A list of tensors like self, whose size along argument `dim_at` is `length`.
void pieces(InferCall& c, size_t dim_at, const Dim& length, const Dim& count) {
  c.length(count);
  ir::TensorType t = c.arg(0).tensor;
  t.strides.reset(), t.requires_grad.reset();
  auto d = c.dim(dim_at, t.sizes);
  if (t.sizes && d && !t.sizes->empty()) (*t.sizes)[*d] = length;
  else t.sizes.reset();
  c.result(ir::Type::list(t));
}

void infer_split(InferCall& c) {
  auto d = c.dim(2, c.sizes(0));
  Dim n = d && !c.sizes(0)->empty() ? (*c.sizes(0))[*d] : Dim(), step = c.size(1);
  bool even = n && step && (*n == *step || (step->is_int() && step->as_int() > 0 && mod(*n, *step) == SymInt(0)));
  pieces(c, 2, even ? step : Dim(), !even ? Dim() : *n == *step ? Dim(1) : Dim(floordiv(*n, *step)));
}

void infer_split_sizes(InferCall& c) {
  Shape sizes = c.size_list(1);
  Dim length = sizes && !sizes->empty() ? (*sizes)[0] : Dim();
  if (sizes)
    for (const Dim& s : *sizes)
      if (s != length) length.reset();
  pieces(c, 2, length, sizes ? Dim(SymInt(static_cast<int64_t>(sizes->size()))) : Dim());
}

void infer_chunk(InferCall& c) {
  auto d = c.dim(2, c.sizes(0));
  Dim n = d && !c.sizes(0)->empty() ? (*c.sizes(0))[*d] : Dim(), chunks = c.size(1);
  bool even = n && chunks && chunks->is_int() && chunks->as_int() > 0 && mod(*n, *chunks) == SymInt(0);
  pieces(c, 2, even ? Dim(floordiv(*n, *chunks)) : Dim(), even && n->is_int() && n->as_int() > 0 ? chunks : Dim());
}

void infer_unbind(InferCall& c) {
  ir::TensorType t = c.arg(0).tensor;
  t.strides.reset(), t.requires_grad.reset();
  auto d = c.dim(1, t.sizes);
  if (t.sizes && d && !t.sizes->empty()) {
    c.length((*t.sizes)[*d]);
    t.sizes->erase(t.sizes->begin() + static_cast<ptrdiff_t>(*d));
  } else {
    t.sizes.reset();
  }
  c.result(ir::Type::list(t));
}

void infer_slice_gradient(InferCall& c) { c.like(0, c.size_list(1)); }

Dims row_of(int64_t d) { return Dims{d}; }

void views(Registry& r) {
  r.op("view(Tensor(a) self, SymInt[] size) -> Tensor(a)")
      .inverse("reshape_as(src, self)")
      .eval(eval_view)
      .infer(infer_view)
      .method_only()
      .gradient([](GradCall& c) { c.set(0, "reshape"_op(c.grad(), c.sizes(0))); })
      .onnx("Reshape(self, size, allowzero=1) if dense(self)")
      .doc("The same elements in another size, without a copy.");
  r.op("reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)")
      .decompose(decompose_reshape, Reads::Strides)
      .infer(infer_view)
      .onnx("Reshape(self, shape, allowzero=1)")
      .doc("The same elements in another size; a view where it can be.");
  r.op("view_as(Tensor(a) self, Tensor other) -> Tensor(a)")
      .inverse("reshape_as(src, self)")
      .infer(infer_as)
      .method_only()
      .decompose([](const IValue* a) -> IValue { return "view"_op(a[0], a[1].as_tensor().sizes()); })
      .onnx(none("decomposes to view"))
      .doc("The same elements in the size of another tensor, without a copy.");
  r.op("reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)")
      .infer(infer_as)
      .method_only()
      .decompose([](const IValue* a) -> IValue { return "reshape"_op(a[0], a[1].as_tensor().sizes()); })
      .onnx(none("decomposes to reshape"))
      .doc("The same elements in the size of another tensor; a view where it can be.");
  r.op({"transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)"})
      .inverse("transpose.int(src, dim0, dim1)")
      .eval(eval_transpose)
      .infer(infer_transpose)
      .gradient([](GradCall& c) { c.set(0, "transpose"_op(c.grad(), c.value(1), c.value(2))); })
      .onnx("Transpose(self, perm=swapped(self, dim0, dim1))")
      .doc("A view with two dims swapped.");
  r.op("t(Tensor(a) self) -> Tensor(a)")
      .inverse("t(src)")
      .infer(infer_t)
      .decompose([](const IValue* a) -> IValue {
        MONOGRAPH_CHECK(a[0].to_tensor().dim() <= 2, Runtime, "[aten::t] t() expects a tensor with <= 2 dimensions, but self is ",
                        a[0].to_tensor().dim(), "D");
        return a[0].to_tensor().dim() < 2 ? "view"_op(a[0], a[0].to_tensor().sizes()) : "transpose"_op(a[0], 0, 1);
      })
      .onnx("out: Transpose(self, perm=[1, 0]) if rank(self) = 2")
      .doc("A view of a matrix with its dims swapped.");
  r.op("numpy_T(Tensor(a) self) -> Tensor(a)")
      .inverse("numpy_T(src)")
      .infer(infer_numpy_T)
      .method_only()
      .decompose([](const IValue* a) -> IValue {
        Tensor t = a[0].to_tensor();
        if (t.dim() < 2) return "view"_op(t, t.sizes());
        if (t.dim() == 2) return "transpose"_op(t, 0, 1);
        Dims order;
        for (int64_t d = t.dim() - 1; d >= 0; --d) order.push_back(d);
        return "permute"_op(t, order);
      })
      .onnx(none("decomposes to permute"))
      .doc("A view with the dims in reverse: x.T.");
  r.op("permute(Tensor(a) self, int[] dims) -> Tensor(a)")
      .inverse("permute(src, inverse(dims))")
      .eval(eval_permute)
      .infer(infer_permute)
      .gradient([](GradCall& c) {
        const Dims& order = c.value(1).to_ints();
        Dims inverse(order.size(), 0);
        for (size_t i = 0; i < order.size(); ++i)
          inverse[static_cast<size_t>(wrap_dim(order[i], static_cast<int64_t>(order.size())))] = static_cast<int64_t>(i);
        c.set(0, "permute"_op(c.grad(), inverse));
      })
      .onnx("Transpose(self, perm=dims)")
      .doc("A view with the dims in another order.");
  r.op("expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)")
      .eval(eval_expand)
      .infer(infer_expand)
      .method_only()
      .gradient([](GradCall& c) { c.set(0, c.grad()); })  // summed to the argument's size by the engine
      .onnx("Expand(self, ones(size)) if implicit ~ False")
      .doc("A view in which dims of size 1 are repeated without a copy.");
  r.op("narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)")
      .scatter(false)
      .infer(infer_narrow)
      .decompose([](const IValue* a) -> IValue {
        const Tensor& t = a[0].as_tensor();
        MONOGRAPH_CHECK(t.dim() > 0, Runtime, "[aten::narrow] narrow() cannot be applied to a 0-dim tensor.");
        int64_t size = t.size(a[1].to_int()), start = a[2].to_int(), length = a[3].to_int();
        MONOGRAPH_CHECK(length >= 0, Runtime, "[aten::narrow] narrow(): length must be non-negative.");
        MONOGRAPH_CHECK(start >= -size && start <= size, Index, "[aten::narrow] start (", start, ") is out of range [", -size, ", ", size,
                        "]");
        if (start < 0) start += size;
        MONOGRAPH_CHECK(start <= size - length, Runtime, "[aten::narrow] start (", start, ") + length (", length,
                        ") exceeds dimension size (", size, ").");
        return "slice"_op(t, a[1], start, start + length, 1);
      })
      .onnx(none("decomposes to slice"))
      .doc("A view of `length` places from `start` on along a dim.");
  r.op({"select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)"})
      .scatter()
      .eval(eval_select)
      .infer(infer_select)
      .gradient([](GradCall& c) { c.set(0, "select_backward"_op(c.grad(), c.sizes(0), c.value(1), c.value(2))); })
      .onnx("Gather(self, index, axis=dim)")
      .doc("The slice at `index` along `dim`, without that dim.");
  r.op({"slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)"})
      .scatter()
      .eval(eval_slice)
      .infer(infer_slice)
      .method_only()
      .gradient([](GradCall& c) { c.set(0, "slice_backward"_op(c.grad(), c.sizes(0), c.value(1), c.value(2), c.value(3), c.value(4))); })
      .onnx(
          "Slice(self, [0], [9223372036854775807], [dim], [step]) | Slice(self, [0], [end], [dim], [step]) | Slice(self, [start], "
          "[9223372036854775807], [dim], [step]) | Slice(self, [start], [end], [dim], [step])")
      .doc("A view of every `step`-th slice from `start` to `end`.");
  r.op("unsqueeze(Tensor(a) self, int dim) -> Tensor(a)")
      .inverse("squeeze.dim(src, dim)")
      .eval(eval_unsqueeze)
      .infer(infer_unsqueeze)
      .gradient([](GradCall& c) { c.set(0, "reshape"_op(c.grad(), c.sizes(0))); })
      .onnx("Unsqueeze(self, [dim])")
      .doc("A view with a dim of size 1 inserted.");
  r.op({"squeeze(Tensor(a) self) -> Tensor(a)"})
      .inverse("reshape_as(src, self)")
      .infer(infer_squeeze)
      .eval([](const Operator&, const IValue* a, IValue* out) { out[0] = squeezed(a[0].as_tensor(), nullptr); })
      .gradient([](GradCall& c) { c.set(0, "reshape"_op(c.grad(), c.sizes(0))); })
      .onnx("Squeeze(self)")
      .doc("A view without the dims of size 1.");
  r.op({"squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)"})
      .inverse("reshape_as(src, self)")
      .infer(infer_squeeze)
      .eval([](const Operator&, const IValue* a, IValue* out) {
        Dims d = row_of(a[1].to_int());
        out[0] = squeezed(a[0].as_tensor(), &d);
      })
      .gradient([](GradCall& c) { c.set(0, "reshape"_op(c.grad(), c.sizes(0))); })
      .onnx("Squeeze(self, [dim]) if one(self, dim)")
      .doc("A view without `dim`, where its size is 1.");
  r.op("detach(Tensor(a) self) -> Tensor(a)")
      .infer(infer_same)
      .eval([](const Operator&, const IValue* a, IValue* out) {
        out[0] = view_of(a[0].as_tensor(), a[0].as_tensor().sizes(), a[0].as_tensor().strides(), a[0].as_tensor()->offset);
      })
      .gradient(constant("it is there to stop gradients"))
      .onnx("out: Identity(self)")
      .doc("The same tensor, outside of gradients.");
  r.op({"alias(Tensor(a) self) -> Tensor(a)"})
      .inverse("src")
      .infer(infer_same)
      .eval([](const Operator&, const IValue* a, IValue* out) {
        out[0] = view_of(a[0].as_tensor(), a[0].as_tensor().sizes(), a[0].as_tensor().strides(), a[0].as_tensor()->offset);
      })
      .gradient([](GradCall& c) { c.set(0, c.grad()); })
      .onnx("Identity(self)")
      .doc("A view of all of it.");
  r.op({"flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)"})
      .infer(infer_flatten)
      .decompose([](const IValue* a) -> IValue {
        Tensor t = a[0].to_tensor();
        if (t.dim() == 0) return "reshape"_op(t, Dims{1});
        auto s = static_cast<size_t>(wrap_dim(a[1].to_int(), t.dim())), e = static_cast<size_t>(wrap_dim(a[2].to_int(), t.dim()));
        MONOGRAPH_CHECK(s <= e, Runtime, "[aten::flatten] flatten() has invalid args: start_dim cannot come after end_dim");
        Dims sizes;
        for (size_t i = 0; i < t.sizes().size(); ++i)
          if (i > s && i <= e) sizes[sizes.size() - 1] *= t.sizes()[i];
          else sizes.push_back(t.sizes()[i]);
        return "reshape"_op(t, sizes);
      })
      .onnx("out: Flatten(self, axis=1) if start_dim = 1")
      .doc("Dims `start_dim` to `end_dim` made one.");
}

void lists(Registry& r) {
  r.op({"cat(Tensor[] tensors, int dim=0) -> Tensor"})
      .eval(eval_cat)
      .infer(infer_cat)
      .gradient([](GradCall& c) {
        std::vector<Tensor> grads;
        int64_t at = 0;
        for (const Tensor& t : c.values()[0].to_tensors()) {
          if (t.dim() == 1 && t.numel() == 0) {  // beside tensors of any rank it counts as nothing
            grads.push_back("zeros"_op(t.sizes(), c.grad().dtype()));
            continue;
          }
          int64_t n = t.size(wrap_dim(c.value(1).to_int(), c.grad().dim()));
          grads.push_back("slice"_op(c.grad(), c.value(1), at, at + n));
          at += n;
        }
        c.set_list(0, std::move(grads));
      })
      .onnx("Concat(*tensors, axis=dim)")
      .doc("The tensors one after another along `dim`.");
  r.op({"stack(Tensor[] tensors, int dim=0) -> Tensor"})
      .infer(infer_stack)
      .decompose([](const IValue* a) -> IValue {
        std::vector<IValue> parts;
        for (const Tensor& t : a[0].to_tensors()) parts.push_back("unsqueeze"_op(t, a[1]));
        MONOGRAPH_CHECK(!parts.empty(), Runtime, "[aten::stack] stack expects a non-empty TensorList");
        return "cat"_op(IValue::list(parts), a[1]);
      })
      .onnx("ConcatFromSequence(SequenceConstruct(*tensors), axis=dim, new_axis=1)")
      .doc("The tensors one after another along a new dim.");
  r.op({"split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]"})
      .infer(infer_split)
      .decompose([](const IValue* a) -> IValue {
        Tensor t = a[0].to_tensor();
        int64_t n = t.size(a[2].to_int()), step = a[1].to_int();
        MONOGRAPH_CHECK(step > 0 || (step == 0 && n == 0), Runtime, "[aten::split] split expects split_size be positive, but got ", step);
        std::vector<IValue> parts;
        for (int64_t at = 0; at < std::max<int64_t>(n, 1); at += std::max<int64_t>(step, 1))
          parts.push_back("slice"_op(t, a[2], at, std::min(at + step, n)));
        return IValue::list(std::move(parts));
      })
      .onnx("SplitToSequence(self, split_size, axis=dim)")
      .doc("Views of `split_size` slices each along `dim`; the last may be smaller.");
  r.op({"split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]"})
      .infer(infer_split_sizes)
      .decompose([](const IValue* a) -> IValue {
        Tensor t = a[0].to_tensor();
        int64_t at = 0;
        std::vector<IValue> parts;
        for (int64_t n : a[1].to_ints()) {
          MONOGRAPH_CHECK(n >= 0, Runtime,
                          "[aten::split_with_sizes] expects split_sizes have only non-negative entries, but got split_sizes=",
                          to_string(a[1].to_ints()));
          parts.push_back("slice"_op(t, a[2], at, at + n)), at += n;
        }
        MONOGRAPH_CHECK(at == t.size(a[2].to_int()), Runtime, "[aten::split_with_sizes] expects split_sizes to sum exactly to ",
                        t.size(a[2].to_int()), " (input tensor's size at dimension ", a[2].to_int(),
                        "), but got split_sizes=", to_string(a[1].to_ints()));
        return IValue::list(std::move(parts));
      })
      .onnx("SplitToSequence(self, split_sizes, axis=dim)")
      .doc("Views of the given sizes along `dim`.");
  r.op({"chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]"})
      .infer(infer_chunk)
      .decompose([](const IValue* a) -> IValue {
        int64_t n = a[0].to_tensor().size(a[2].to_int()), chunks = a[1].to_int();
        MONOGRAPH_CHECK(chunks > 0, Runtime, "[aten::chunk] chunk expects `chunks` to be greater than 0, got: ", chunks);
        if (n == 0) return "split_with_sizes"_op(a[0], Dims(static_cast<size_t>(chunks), 0), a[2]);
        return "split"_op(a[0], (n + chunks - 1) / chunks, a[2]);
      })
      .onnx(none("its number of pieces depends on the size"))
      .doc("At most `chunks` views of equal size along `dim`.");
  r.op({"unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]"})
      .infer(infer_unbind)
      .decompose([](const IValue* a) -> IValue {
        std::vector<IValue> parts;
        for (int64_t i = 0, n = a[0].to_tensor().size(a[1].to_int()); i < n; ++i) parts.push_back("select"_op(a[0], a[1], i));
        return IValue::list(std::move(parts));
      })
      .onnx("SplitToSequence(self, axis=dim, keepdims=0)")
      .doc("The slices along `dim`, without it.");
}

}  // namespace

void shapes(Registry& r) {
  views(r);
  lists(r);
  // Gradients of slices: the incoming one written into zeros.
  r.op("select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor")
      .infer(infer_slice_gradient)
      .function_only()
      .eval([](const Operator&, const IValue* a, IValue* out) {
        Tensor zeros = "zeros"_op(a[1], a[0].as_tensor().dtype());
        copy_into("select"_op(zeros, a[2], a[3]), a[0].as_tensor());
        out[0] = zeros;
      })
      .gradient([](GradCall& c) { c.set(0, "select"_op(c.grad(), c.value(2), c.value(3))); })
      .onnx(none("training only"))
      .doc("Zeros with the gradient at one index.");
  r.op("slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt? start, SymInt? end, SymInt step) -> Tensor")
      .infer(infer_slice_gradient)
      .function_only()
      .eval([](const Operator&, const IValue* a, IValue* out) {
        Tensor zeros = "zeros"_op(a[1], a[0].as_tensor().dtype());
        copy_into("slice"_op(zeros, a[2], a[3], a[4], a[5]), a[0].as_tensor());
        out[0] = zeros;
      })
      .gradient([](GradCall& c) { c.set(0, "slice"_op(c.grad(), c.value(2), c.value(3), c.value(4), c.value(5))); })
      .onnx(none("training only"))
      .doc("Zeros with the gradient in one slice.");
}

}  // namespace monograph
