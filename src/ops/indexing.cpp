// Reading and writing by index tensors.
#include <algorithm>

#include "kernels/gather_scatter.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/kernel_call.h"
#include "ops/pointwise.h"
#include "ops/registry.h"

namespace monograph {
namespace {

constexpr ir::Effects kMayRaise{0, 0, true, false, false};

// An index that the kernel found to be out of range.
[[noreturn]] void out_of_bounds(ErrorKind kind, std::string_view op, const KernelCall& call, int64_t d) {
  fail(kind, "[", op, "] index ", call.value, " is out of bounds for dimension ", d, " with size ", call.limit);
}

// The indices of gather, index_select and index_add, of which none counts from the end.
void check_index(const Tensor& index, std::string_view op) {
  MONOGRAPH_CHECK(index.dtype() == DType::i64 || index.dtype() == DType::i32, Runtime, "[", op,
                  "] Expected dtype int32/int64 for index, but got torch.", name(index.dtype()));
}

[[noreturn]] void out_of_table(std::string_view op, const KernelCall& call) {
  fail(ErrorKind::Index, "[", op, "] index out of range in self: index ", call.value, " and a table of ", call.limit, " rows");
}

void eval_embedding(const Operator& op, const IValue* args, IValue* results) {
  const Tensor &weight = args[0].as_tensor(), &indices = args[1].as_tensor();
  MONOGRAPH_CHECK(weight.dim() == 2, Runtime, "[", op.name(), "] 'weight' must be 2-D, but it has ", weight.dim(), " dims");
  MONOGRAPH_CHECK(indices.dtype() == DType::i64 || indices.dtype() == DType::i32, Runtime, "[", op.name(),
                  "] Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got ",
                  info(indices.dtype()).scalar_type, " instead");
  Dims sizes = indices.sizes();
  sizes.push_back(weight.sizes()[1]);
  Tensor out = empty(sizes, weight.dtype(), weight.device());
  results[0] = out;
  if (out.is_meta()) return;
  KernelCall call;
  if (run_kernel(embedding_kernel, call, {weight, indices}, {out}) != KernelStatus::Ok) out_of_table(op.name(), call);
}

void eval_embedding_backward(const Operator& op, const IValue* args, IValue* results) {
  MONOGRAPH_CHECK(!args[4].to_bool(), NotImplemented, "[", op.name(),
                  "] scale_grad_by_freq=True is not implemented; divide the gradient by the counts of the indices");
  const Tensor& grad = args[0].as_tensor();
  Tensor out = empty({args[2].to_int(), grad.size(-1)}, grad.dtype(), grad.device());
  results[0] = out;
  if (out.is_meta()) return;
  KernelCall call;
  if (run_kernel(embedding_dense_backward_kernel, call, {grad, args[1], args[2], args[3]}, {out}) != KernelStatus::Ok)
    out_of_table(op.name(), call);
}

void eval_index_select(const Operator& op, const IValue* args, IValue* results) {
  const Tensor &self = args[0].as_tensor(), &index = args[2].as_tensor();
  MONOGRAPH_CHECK(index.dim() <= 1, Index, "[", op.name(), "] index_select(): Index is supposed to be a vector, but it has ", index.dim(),
                  " dims");
  MONOGRAPH_CHECK(self.dim() || index.numel() == 1, Index, "[", op.name(), "] index_select(): Index to scalar can have only 1 value, got ",
                  index.numel(), " value(s)");
  check_index(index, op.name());
  const int64_t d = wrap_dim(args[1].to_int(), self.dim());
  Dims sizes = self.sizes();
  if (self.dim()) sizes[static_cast<size_t>(d)] = index.numel();
  Tensor out = empty(sizes, self.dtype(), self.device());
  results[0] = out;
  if (out.is_meta()) return;
  KernelCall call;
  if (run_kernel(index_select_kernel, call, {self, d, index}, {out}) != KernelStatus::Ok)
    out_of_bounds(ErrorKind::Runtime, op.name(), call, d);
}

void check_gather(const Operator& op, const Tensor& self, const Tensor& index, size_t d) {
  MONOGRAPH_CHECK(index.dim() == self.dim(), Runtime, "[", op.name(),
                  "] Index tensor must have the same number of dimensions as input tensor, but they have ", index.dim(), " and ",
                  self.dim());
  for (size_t k = 0; k < index.sizes().size(); ++k)
    MONOGRAPH_CHECK(k == d || index.sizes()[k] <= self.sizes()[k], Runtime, "[", op.name(), "] Size does not match at dimension ", k,
                    " expected index ", to_string(index.sizes()), " to be no larger than self ", to_string(self.sizes()),
                    " apart from dimension ", d);
}

// index_add: a slice of `source` for every index, in self's other sizes and dtype.
void check_index_add(const Operator& op, const Tensor& self, const Tensor& index, const Tensor& source, size_t d) {
  MONOGRAPH_CHECK(index.dim() <= 1, Index, "[", op.name(), "] Index is supposed to be a vector, but got size ", to_string(index.sizes()));
  MONOGRAPH_CHECK(self.dtype() == source.dtype(), Runtime, "[", op.name(), "] self (", info(self.dtype()).scalar_type, ") and source (",
                  info(source.dtype()).scalar_type, ") must have the same scalar type");
  Dims expected = self.sizes();
  if (self.dim()) expected[d] = index.numel();
  MONOGRAPH_CHECK(source.sizes() == expected && (self.dim() || index.numel() == 1), Runtime, "[", op.name(),
                  "] source tensor shape must match self tensor shape, with the number of indices (", index.numel(), ") at dim ", d,
                  ". Got self.shape = ", to_string(self.sizes()), " source.shape = ", to_string(source.sizes()));
}

void eval_index_add(const Operator& op, const IValue* args, IValue* results) {
  const Tensor &self = args[0].as_tensor(), &index = args[2].as_tensor();
  Tensor source = args[3].as_tensor();
  const int64_t d = wrap_dim(args[1].to_int(), self.dim());
  check_index_add(op, self, index, source, static_cast<size_t>(d));
  check_index(index, op.name());
  if (!(args[4].is_int() && args[4].to_int() == 1)) {
    source = "mul"_op(source, number_in(op.name(), args[4], self.dtype()));
    if (source.dtype() != self.dtype()) source = convert_tensor(source, self.dtype());  // a bool times a number
  }
  Tensor out = empty(self.sizes(), self.dtype(), self.device());
  results[0] = out;
  if (out.is_meta()) return;
  KernelCall call;
  if (run_kernel(index_add_kernel, call, {self, d, index, source}, {out}) != KernelStatus::Ok)
    out_of_bounds(ErrorKind::Runtime, op.name(), call, d);
}

void eval_gather(const Operator& op, const IValue* args, IValue* results) {
  const Tensor &self = args[0].as_tensor(), &index = args[2].as_tensor();
  const int64_t d = wrap_dim(args[1].to_int(), self.dim());
  check_gather(op, self, index, static_cast<size_t>(d));
  check_index(index, op.name());
  Tensor out = empty(index.sizes(), self.dtype(), self.device());
  results[0] = out;
  if (out.is_meta()) return;
  KernelCall call;
  if (run_kernel(gather_kernel, call, {self, d, index}, {out}) != KernelStatus::Ok) out_of_bounds(ErrorKind::Runtime, op.name(), call, d);
}

void eval_gather_backward(const Operator& op, const IValue* args, IValue* results) {
  const Tensor &grad = args[0].as_tensor(), &index = args[3].as_tensor();
  Tensor out = "empty"_op(args[1], grad.dtype());
  results[0] = out;
  const int64_t d = wrap_dim(args[2].to_int(), out.dim());
  check_index(index, op.name());
  KernelCall call;
  if (run_kernel(gather_backward_kernel, call, {grad, args[1], d, index}, {out}) != KernelStatus::Ok)
    out_of_bounds(ErrorKind::Runtime, op.name(), call, d);
}

void eval_one_hot(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& self = args[0].as_tensor();
  MONOGRAPH_CHECK(self.dtype() == DType::i64, Runtime, "[", op.name(),
                  "] one_hot is only applicable to index tensor of type LongTensor, but got ", info(self.dtype()).scalar_type);
  const Tensor classes = contiguous(self);
  const std::span at(classes.data_as<int64_t>(), static_cast<size_t>(classes.numel()));
  int64_t count = args[1].to_int();
  MONOGRAPH_CHECK(count > 0 || (count == -1 && !at.empty()), Runtime, "[", op.name(),
                  "] num_classes must be positive, or -1 where there are class values to count, but got ", count);
  const bool counted = count == -1;
  if (counted) count = *std::ranges::max_element(at) + 1;
  Dims sizes = self.sizes();
  for (int64_t value : at) {
    MONOGRAPH_CHECK(value >= 0, Runtime, "[", op.name(), "] Class values must be non-negative, but got ", value);
    MONOGRAPH_CHECK(value < count, Runtime, "[", op.name(), "] Class values must be smaller than num_classes ", count, ", but got ", value);
  }
  sizes.push_back(count);
  Tensor out = "zeros"_op(sizes, DType::i64);
  for (size_t i = 0; i < at.size(); ++i) out.data_as<int64_t>()[static_cast<int64_t>(i) * count + at[i]] = 1;
  results[0] = out;
}

Tensor nonzero_of(const Tensor& mask) {
  const int64_t count = count_true(kernel_tensor(mask));
  Tensor out = empty_strided(Dims{count, mask.dim()}, Dims{1, std::max<int64_t>(count, 1)}, DType::i64);  // dim by dim, as PyTorch has it
  KernelCall call;
  run_kernel(nonzero_kernel, call, {mask}, {out});
  return out;
}

// Masks become the index tensors of their true places. One without dims is that of a dim of size 1, which `self` gets for it.
std::vector<Tensor> expand_masks(Tensor& self, const IValue& indices, std::string_view op) {
  std::vector<Tensor> out;
  for (const IValue& v : indices.items()) {
    if (v.is_none()) {
      out.emplace_back();
      continue;
    }
    const Tensor& t = v.as_tensor();
    if (t.dtype() != DType::b1 && t.dtype() != DType::u8) {
      out.push_back(t);
      continue;
    }
    for (int64_t k = 0; k < t.dim(); ++k) {
      size_t at = out.size() + static_cast<size_t>(k);
      MONOGRAPH_CHECK(at < self.sizes().size() && t.sizes()[static_cast<size_t>(k)] == self.sizes()[at], Index, "[", op,
                      "] The shape of the mask ", to_string(t.sizes()), " at index ", k, " does not match the shape of the indexed tensor ",
                      to_string(self.sizes()), " at index ", at);
    }
    Tensor mask = t.dtype() == DType::b1 ? t : convert_tensor(t, DType::b1);
    if (t.dim() == 0) self = "unsqueeze"_op(self, static_cast<int64_t>(out.size())), mask = "unsqueeze"_op(mask, 0);
    Tensor places = nonzero_of(mask);
    for (int64_t k = 0; k < mask.dim(); ++k) out.push_back(places.as_strided(Dims{places.sizes()[0]}, Dims{1}, k * places.sizes()[0]));
  }
  MONOGRAPH_CHECK(out.size() <= self.sizes().size(), Index, "[", op, "] too many indices for tensor of dimension ", self.dim(), " (got ",
                  out.size(), ")");
  return out;
}

// self[indices] with PyTorch's rules: index tensors broadcast together; where they stand apart, their dims come first.
struct IndexPlan {
  Tensor self;  // with a dim more for a mask without any
  IValue indices;  // none is a mask
  Dims sizes;  // of the chosen elements
  int64_t count;  // of positions that the indices broadcast to
};

IndexPlan plan_index(const Tensor& self, const IValue& indices, std::string_view op) {
  IndexPlan p{self, {}, {}, 1};
  const std::vector<Tensor> index = expand_masks(p.self, indices, op);
  constexpr int64_t kMaxDims = 64;
  Dims front;
  size_t first = index.size(), last = 0, used = 0;
  std::vector<IValue> items(index.size());
  for (size_t d = 0; d < index.size(); ++d) {
    if (!index[d].defined()) continue;
    MONOGRAPH_CHECK(index[d].dtype() == DType::i64 || index[d].dtype() == DType::i32, Index, "[", op,
                    "] tensors used as indices must be long, int, byte or bool tensors, but got torch.", name(index[d].dtype()));
    front = broadcast_sizes(front, index[d].sizes(), op);
    first = std::min(first, d), last = d, ++used;
    items[d] = index[d];
  }
  MONOGRAPH_CHECK(p.self.dim() <= kMaxDims && static_cast<int64_t>(front.size()) <= kMaxDims, Runtime, "[", op, "] expected at most ",
                  kMaxDims, " dims, but the tensor has ", p.self.dim(), " and its indices ", front.size());
  p.indices = IValue::list(std::move(items));
  const size_t place = used == 0 || last - first + 1 != used ? 0 : first;
  auto rest = [&](size_t begin, size_t end) {
    for (size_t d = begin; d < end; ++d)
      if (d >= index.size() || !index[d].defined()) p.sizes.push_back(p.self.sizes()[d]);
  };
  rest(0, place);
  for (int64_t n : front) p.sizes.push_back(n), p.count *= n;
  rest(place, p.self.sizes().size());
  return p;
}

void eval_index(const Operator& op, const IValue* args, IValue* results) {
  const IndexPlan p = plan_index(args[0].as_tensor(), args[1], op.name());
  Tensor out = empty(p.sizes, p.self.dtype());
  results[0] = out;
  KernelCall call;
  if (run_kernel(index_kernel, call, {p.self, p.indices}, {out}, index_scratch(p.count)) != KernelStatus::Ok)
    out_of_bounds(ErrorKind::Index, op.name(), call, call.place);
}

// The values of an assignment broadcast to the chosen elements; leading dims of size 1 beyond theirs are dropped.
void check_values(const Tensor& values, const Dims& chosen, std::string_view op) {
  const size_t own = values.sizes().size(), extra = own > chosen.size() ? own - chosen.size() : 0;
  bool fits = std::all_of(values.sizes().begin(), values.sizes().begin() + static_cast<ptrdiff_t>(extra), [](int64_t n) { return n == 1; });
  for (size_t d = extra; d < own && fits; ++d) {
    const int64_t n = values.sizes()[d];
    fits = n == 1 || n == chosen[chosen.size() + d - own];
  }
  MONOGRAPH_CHECK(fits, Runtime, "[", op, "] shape mismatch: value tensor of shape ", to_string(values.sizes()),
                  " cannot be broadcast to indexing result of shape ", to_string(chosen));
}

// Values are of the tensor's own dtype, but for one number written through one mask, which masked_fill takes in any.
Tensor values_in_dtype(const Operator& op, const Tensor& self, const IValue* args) {
  const Tensor& values = args[2].as_tensor();
  if (values.dtype() == self.dtype()) return values;
  auto given = [](const IValue& v) { return !v.is_none(); };
  const auto index = std::ranges::find_if(args[1].items(), given);
  const bool one_mask = std::ranges::count_if(args[1].items(), given) == 1 && index->as_tensor().dtype() == DType::b1;
  MONOGRAPH_CHECK(one_mask && values.numel() == 1 && !args[3].to_bool(), Runtime, "[", op.name(),
                  "] Index put requires the source and destination dtypes match, got ", info(self.dtype()).scalar_type,
                  " for the destination and ", info(values.dtype()).scalar_type,
                  " for the source; convert it first, for example v.to(x.dtype)");
  return convert_tensor(values, self.dtype());
}

void eval_index_put(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& self = args[0].as_tensor();
  self.check_writable(op.name());
  const IndexPlan p = plan_index(self, args[1], op.name());
  Tensor values = values_in_dtype(op, self, args);
  check_values(values, p.sizes, op.name());
  if (may_overlap(values, self)) values = copy_tensor(values);
  self.bump_version();
  results[0] = self;
  KernelCall call;
  if (run_kernel(index_put_kernel, call, {p.self, p.indices, values, args[3]}, {p.self}, index_scratch(p.count)) != KernelStatus::Ok)
    out_of_bounds(ErrorKind::Index, op.name(), call, call.place);
}

// --- What is known of their results.

void infer_embedding(InferCall& c) {
  Shape s = c.sizes(1);
  if (s) s->push_back(c.sizes(0) && c.sizes(0)->size() == 2 ? (*c.sizes(0))[1] : Dim());
  c.like(0, s);
}

void infer_embedding_backward(InferCall& c) {
  const Shape& g = c.sizes(0);
  c.like(0, std::vector<Dim>{c.size(2), g && !g->empty() ? g->back() : Dim()});
}

void infer_index_select(InferCall& c) {
  Shape s = c.sizes(0);
  auto d = c.dim(1, s);
  if (s && !d) s = std::vector<Dim>(s->size());
  else if (s && !s->empty()) (*s)[*d] = c.sizes(2) ? c.sizes(2)->empty() ? Dim(SymInt(1)) : (*c.sizes(2))[0] : Dim();
  c.like(0, s);
}

void infer_first(InferCall& c) { c.like(0, c.sizes(0)); }
void infer_one_hot(InferCall& c) {
  Shape s = c.sizes(0);
  const auto classes = c.integer(1);
  if (s) s->push_back(classes && *classes > 0 ? Dim(SymInt(*classes)) : Dim());
  c.tensor(s, DType::i64);
}

void infer_gather(InferCall& c) { c.like(0, c.sizes(2)); }
void infer_gather_backward(InferCall& c) { c.like(0, c.size_list(1)); }

void infer_index(InferCall& c) {
  const Shape& self = c.sizes(0);
  const auto& items = c.arg(1).items;
  if (!self || !items) return c.like(0, {});
  Shape front = std::vector<Dim>{};
  std::vector<size_t> used;
  size_t at = 0;
  for (const Fact& f : *items) {
    if (f.is_none) {
      ++at;
      continue;
    }
    bool mask = f.tensor.dtype == DType::b1 || f.tensor.dtype == DType::u8;
    if (!f.tensor.dtype || (mask && !f.tensor.sizes)) return c.like(0, {});
    if (mask && f.tensor.sizes->empty()) {  // of a dim of its own
      if (items->size() != 1) return c.like(0, {});
      std::vector<Dim> out(*self);
      out.insert(out.begin(), Dim());
      return c.like(0, out);
    }
    size_t spans = mask ? f.tensor.sizes->size() : 1;  // a mask stands for an index of unknown length in each of its dims
    front = broadcast(front, mask ? Shape(std::vector<Dim>(1)) : f.tensor.sizes, c.op.name());
    for (size_t k = 0; k < spans; ++k) used.push_back(at++);
  }
  MONOGRAPH_CHECK(at <= self->size(), Index, "[", c.op.name(), "] too many indices for tensor of dimension ", self->size(), " (got ", at,
                  ")");
  if (!front) return c.like(0, {});
  bool apart = false;
  for (size_t k = 1; k < used.size(); ++k) apart |= used[k] != used[k - 1] + 1;
  std::vector<Dim> out;
  size_t place = apart || used.empty() ? 0 : used[0];
  for (size_t d = 0; d < self->size(); ++d)
    if (std::ranges::find(used, d) == used.end()) out.push_back((*self)[d]);
  out.insert(out.begin() + static_cast<ptrdiff_t>(place), front->begin(), front->end());
  c.like(0, out);
}

void infer_nonzero(InferCall& c) {
  Dim rank = c.sizes(0) ? Dim(SymInt(static_cast<int64_t>(c.sizes(0)->size()))) : Dim();
  c.tensor(std::vector<Dim>{Dim(), rank}, DType::i64);
}

}  // namespace

void indexing(Registry& r) {
  r.op("embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor")
      .infer(infer_embedding)
      .eval(eval_embedding)
      .function_only()
      .effects(kMayRaise)
      .gradient([](GradCall& c) { c.set(0, "embedding_dense_backward"_op(c.grad(), c.value(1), c.sizes(0)[0], c.value(2), c.value(3))); })
      .onnx("Gather(weight, indices, axis=0) if rank(weight) = 2, padding_idx ~ -1, scale_grad_by_freq ~ False, sparse ~ False")
      .doc("Rows of `weight` by index.");
  r.op("embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq) -> "
       "Tensor")
      .infer(infer_embedding_backward)
      .function_only()
      .eval(eval_embedding_backward)
      .gradient([](GradCall& c) {
        Tensor rows = "embedding"_op(c.grad(), c.value(1), c.value(3));
        const int64_t padding = c.value(3).to_int();
        if (padding >= 0) rows = "masked_fill"_op(rows, "unsqueeze"_op("eq"_op(c.value(1), padding), -1), 0.0);
        c.set(0, rows);
      })
      .onnx(none("training only"))
      .doc("The gradient of an embedding by its weight.");
  r.op("index_select(Tensor self, int dim, Tensor index) -> Tensor")
      .infer(infer_index_select)
      .eval(eval_index_select)
      .effects(kMayRaise)
      .gradient([](GradCall& c) { c.set(0, "index_add"_op("zeros"_op(c.sizes(0), c.dtype(0)), c.value(1), c.value(2), c.grad())); })
      .onnx("Gather(self, index, axis=dim) if rank(index) = 1")
      .doc("The slices at `index` along `dim`.");
  r.op("index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor")
      .infer(infer_first)
      .effects(kMayRaise)
      .eval(eval_index_add)
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, c.grad());
        if (c.needs(3)) c.set(3, "mul"_op("index_select"_op(c.grad(), c.value(1), c.value(2)), c.value(4)));
      })
      .onnx(none("ScatterElements takes an index for every element"))
      .doc("`self` with slices of `source` added at `index` along `dim`.");
  r.op("gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor")
      .infer(infer_gather)
      .eval(eval_gather)
      .effects(kMayRaise)
      .gradient([](GradCall& c) { c.set(0, "gather_backward"_op(c.grad(), c.sizes(0), c.value(1), c.value(2))); })
      .onnx("GatherElements(self, index, axis=dim) if sparse_grad ~ False")
      .doc("The elements of `self` at `index` along `dim`.");
  r.op("one_hot(Tensor self, int num_classes=-1) -> Tensor")
      .namespaced("_nn")
      .infer(infer_one_hot)
      .eval(eval_one_hot)
      .effects(kMayRaise)
      .gradient(none("class numbers are integers"))
      .onnx(none("OneHot takes its number of classes, and the two values, as tensors"))
      .doc("1 at the class of each element along a last dim of `num_classes`, 0 elsewhere; -1 counts up to the largest class.");
  r.op("gather_backward(Tensor grad, SymInt[] sizes, int dim, Tensor index) -> Tensor")
      .infer(infer_gather_backward)
      .eval(eval_gather_backward)
      .function_only()
      .gradient([](GradCall& c) { c.set(0, "gather"_op(c.grad(), c.value(2), c.value(3))); })
      .onnx(none("training only"))
      .doc("The gradient of a gather.");
  r.op("index.Tensor(Tensor self, Tensor?[] indices) -> Tensor")
      .infer(infer_index)
      .eval(eval_index)
      .method_only()
      .effects(kMayRaise)
      .gradient([](GradCall& c) { c.set(0, "index_put"_op("zeros"_op(c.sizes(0), c.dtype(0)), c.value(1), c.grad(), true)); })
      .onnx(none("indices that broadcast and None have no operator"))
      .doc("`self` indexed by tensors, which broadcast together; None leaves a dim alone.");
  r.op("index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor")
      .infer(infer_first)
      .method_only()
      .effects(kMayRaise)
      .decompose([](const IValue* a) -> IValue { return "index_put_"_op("clone"_op(a[0]), a[1], a[2], a[3]); })
      .onnx(none("indices that broadcast and None have no operator"))
      .doc("A copy of `self` with `values` written or added at the indices.");
  r.op("index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)")
      .functional("aten::index_put")
      .infer(infer_first)
      .eval(eval_index_put)
      .method_only()
      .effects(kMayRaise)
      .gradient([](GradCall& c) {
        if (c.needs(0))
          c.set(0,
                c.value(3).to_bool() ? c.grad() : Tensor("index_put"_op(c.grad(), c.value(1), "zeros"_op(c.sizes(2), c.dtype(2)), false)));
        if (!c.needs(2)) return;
        Tensor g = "index"_op(c.grad(), c.value(1));
        while (g.sizes().size() < c.sizes(2).size()) g = "unsqueeze"_op(g, 0);  // the dims that the write dropped
        c.set(2, g);
      })
      .doc("Writes or adds `values` at the indices.");
  r.op("nonzero(Tensor self) -> Tensor")
      .infer(infer_nonzero)
      .eval([](const Operator&, const IValue* a, IValue* out) {
        const Tensor& t = a[0].as_tensor();
        out[0] = nonzero_of(t.dtype() == DType::b1 ? t : convert_tensor(t, DType::b1));
      })
      .gradient(none("its result is an index"))
      .onnx("Transpose(NonZero(self), perm=[1, 0])")
      .doc("The places of elements that are not zero, one a row.");
}

}  // namespace monograph
