// torch.embedding_bag, which reduces bags of rows of a weight table; torch.renorm and embedding_renorm_, which limit the norm of slices or rows.
// embedding_bag has a kernel (kernels/embedding_bag.h), the others are made of public operators.
#include "kernels/embedding_bag.h"
#include "ops/contiguous.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/pointwise.h"
#include "ops/rule.h"

namespace monograph {
namespace {

void bag_rule(RuleCall& c) {
  SizesRef weight = c.sizes(0), indices = c.sizes(1), offsets = c.sizes(2);
  const auto t = c.dtype(0);
  c.check(!weight.ranked() || weight.size() == 2, Runtime, "weight has to be a 2D Tensor, but got Tensor of dimension ", weight.size());
  c.check(!indices.ranked() || indices.size() == 1, Runtime, "input has to be a 1D Tensor, but got Tensor of dimension ", indices.size());
  c.check(!offsets.ranked() || offsets.size() == 1, Runtime, "offsets has to be a 1D Tensor, but got Tensor of dimension ", offsets.size());
  c.check(!t || is_floating(*t), Runtime, "expected a weight of a floating dtype, but got ", scalar_type(t));
  for (size_t i : {size_t{1}, size_t{2}})
    c.check(is_index(c.dtype(i)), Runtime, "Expected tensor for argument #", i, i == 1 ? " 'indices'" : " 'offsets'",
            " to have one of the following scalar types: Long, Int; but got ", scalar_type(c.dtype(i)), " instead");
  const auto mode = c.integer(4);
  c.check(!mode || (*mode >= kBagSum && *mode <= kBagMax), Runtime, "expected mode 0 (sum), 1 (mean) or 2 (max), but got ",
          mode.value_or(0));
  if (c.is_tensor(6)) {  // in a graph it may be None when it runs
    c.check(!mode || *mode == kBagSum, Runtime, "embedding_bag: per_sample_weights only supported with mode='sum'");
    c.check(!t || !c.dtype(6) || *t == *c.dtype(6), Runtime, "expected per_sample_weights of the weight's dtype, ", scalar_type(t),
            ", but got ", scalar_type(c.dtype(6)));
    SizesRef samples = c.sizes(6);
    c.check(!samples.ranked() || (samples.size() == 1 && (!indices.ranked() || samples[0] == indices[0])), Runtime,
            "expected per_sample_weights of the size of the indices, ", indices, ", but got ", samples);
  }
  const auto last = c.truth(7);
  Size bags = offsets.ranked() ? offsets[0] : Size();
  c.check(!last || !*last || bags >= 1, Runtime, "include_last_offset: number of offsets should be at least 1");
  bags = !last ? Size() : *last ? bags - 1 : bags;
  const Size columns = weight.ranked() ? weight[1] : Size();
  c.like(0, Sizes{bags, columns});
  c.result(indices.ranked() ? SizesRef(indices) : SizesRef(Sizes{Size()}), DType::i64);
  c.result(Sizes{bags}, DType::i64);
  c.result(!mode ? SizesRef() : *mode == kBagMax ? SizesRef(Sizes{bags, columns}) : SizesRef(Sizes{0}), DType::i64);
}

// A mask of the indices that count: all but those equal to padding_idx. Undefined if there is no padding_idx.
Tensor counted_rows(const GradCall& c, size_t padding) {
  const IValue& p = c.values()[padding];
  if (p.is_none()) return {};
  int64_t row = p.to_int();
  if (row < 0) row += c.values()[0].as_tensor().size(0);
  return "ne"_op(c.value(1), row);
}

// The gradient of each index's row: that of its bag, times its per_sample_weight (sum) or divided by the bag's size (mean).
Tensor row_gradients(GradCall& c, const Tensor& counted) {
  const Tensor bag = c.result(1);
  Tensor rows = "index_select"_op(c.grad(), 0, bag);
  auto times = [&](const Tensor& factor) { rows = "mul"_op(rows, "unsqueeze"_op(factor, -1)); };
  if (c.value(4).to_int() == kBagMean) {
    const Tensor size = "index_select"_op("clamp_min"_op(c.result(2), 1), 0, bag);
    rows = "div"_op(rows, "unsqueeze"_op("to"_op(size, rows.dtype()), -1));
  }
  if (!c.value(6).is_none()) times(c.arg(6));
  MONOGRAPH_CHECK(!c.value(3).to_bool(), NotImplemented, "[", c.op.name(),
                  "] scale_grad_by_freq=True has no gradient here; divide the gradient by the counts of the indices");
  if (counted.defined()) times("to"_op(counted, rows.dtype()));
  return rows;
}

void bag_gradient(GradCall& c) {
  if (!c.grad().defined()) return;
  const size_t padding = c.op.schema().arguments().size() > 8 ? 8 : SIZE_MAX;
  const Tensor counted = padding == SIZE_MAX ? Tensor() : counted_rows(c, padding);
  if (c.needs(0)) {
    const Tensor zeros = "zeros"_op(c.sizes(0), c.dtype(0));
    if (c.value(4).to_int() == kBagMax) {
      const Tensor row = c.result(3), there = "to"_op("ge"_op(row, 0), c.grad().dtype());
      c.set(0, "scatter_add"_op(zeros, 0, "clamp_min"_op(row, 0), "mul"_op(c.grad(), there)));
    } else {
      c.set(0, "index_add"_op(zeros, 0, c.value(1), row_gradients(c, counted)));
    }
  }
  if (c.value(6).is_none() || !c.needs(6)) return;
  Tensor products = "mul"_op("index_select"_op(c.grad(), 0, c.result(1)), "index_select"_op(c.value(0), 0, c.value(1)));
  products = "sum"_op(products, Dims{1}, false);
  c.set(6, counted.defined() ? Tensor("mul"_op(products, "to"_op(counted, products.dtype()))) : products);
}

// Slices along a dim, scaled down to a norm of at most `maxnorm`. The factor is maxnorm / (norm + 1e-7), as in PyTorch.
IValue renormed(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const int64_t dim = wrap_dim(a[2].to_int(), x.dim());
  const double most = a[3].to_double();
  Dims others;
  for (int64_t d = 0; d < x.dim(); ++d)
    if (d != dim) others.push_back(d);
  const Tensor norm = "linalg_vector_norm"_op(x, a[1], others, true);
  const Tensor factor = "where"_op("gt"_op(norm, most), "div"_op("full_like"_op(norm, most), "add"_op(norm, 1e-7)), 1.0);
  return "contiguous"_op("mul"_op(x, "to"_op(factor, x.dtype())));
}

void renorm_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  const auto p = c.real(1), most = c.real(3);
  const auto t = c.dtype(0);
  c.check(!x.ranked() || x.size() > 1, Runtime, "renorm: input needs at least 2 dimensions, got ", x.size(), " dimensions");
  const auto complex = [&](size_t i) { return c.eager() && c.value(i).is_complex(); };
  c.check(!complex(1), Runtime, "renorm: p must be real-valued");
  c.check(!complex(3), Runtime, "renorm: maxnorm must be real-valued");
  c.check(!p || *p > 0, Runtime, "renorm: non-positive norm not supported");
  c.check(!most || *most >= 0, Runtime, "renorm: expected maxnorm to be >= 0 but got ", most.value_or(0));
  c.check(!t || is_floating(*t) || is_complex(*t), Runtime, "renorm: expected a floating dtype, but got ", scalar_type(t));
  if (x.ranked()) c.dim(2, x.size());
  c.like(0, x);
}

void check_renorm(const RuleCall& c) {
  SizesRef weight = c.sizes(0);
  c.check(!weight.ranked() || weight.size() == 2, Runtime, "expected a weight of 2 dims, but got ", weight);
  c.check(is_index(c.dtype(1)), Runtime, "expected indices of dtype Long or Int, but got ", scalar_type(c.dtype(1)));
  c.check(!weight.ranked() || !c.sizes(1).ranked() || !certainly(element_count(c.sizes(1)) != 0) || weight[0] != 0, ErrorKind::Index,
          "index out of range: the weight has no rows");
}
void renorm_rows_rule(RuleCall& c) {
  check_renorm(c);
  c.argument(0);
}

// The kernel scales each row once, however often its index occurs.
void embedding_renorm_rule(RuleCall& c) {
  SizesRef weight = c.sizes(0);
  check_renorm(c);
  c.like(0, weight);
  const auto most = c.real(2), p = c.real(3);
  const bool fits = all_contiguous_floats(c, {0}) && all_in_memory(c, {1}) && (p == 1 || p == 2) && most >= 0;
  if (!fits) return c.leave_to_decomposition();
  c.convert(1, DType::i64), c.contiguous(1);
  c.scratch(weight[0]);
}

}  // namespace

void bags(Registry& r) {
  const char* words[] = {
      "index {value} is out of range: the table has {limit} rows",
      "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got {value}",
      "offsets have to lie between 0 and the number of indices, {limit}, but got {value}"};
  auto bag = [&](const char* schema) {
    r.op(schema)
        .rule(bag_rule)
        .kernel(embedding_bag_kernel)
        .contiguous_args()
        .bad_data(ErrorKind::Runtime, words[0], words[1], words[2])
        .function_only()
        .gradient(bag_gradient)
        .onnx(none("ONNX has no operator for bags of rows"))
        .doc(
            R"(The sum, mean or largest elements of rows of `weight`, bag by bag. The first result is the bags, of shape (bags, features). The others are what the gradient reads.

weight: The table, of shape (rows, features).
indices: The rows of all bags, one bag after the other.
offsets: Where each bag begins in `indices`. The first is 0.
mode: 0 the sum of a bag's rows, 1 their mean, 2 their largest elements.
per_sample_weights: A factor for the row of each index, for the sum. None: 1.
include_last_offset: Whether `offsets` has one more number, the end of the last bag.
padding_idx: Indices of this row count in no bag. None: every index counts.

>>> weight = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
>>> torch.embedding_bag(weight, torch.tensor([0, 2, 1]), torch.tensor([0, 2]))[0])")
        .samples(none("what PyTorch returns beside the bags depends on its way to compute them; test_nn_rows.py compares the bags"));
  };
  bag("embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? "
      "per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)");
  bag("embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? "
      "per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)");
  r.op("renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor")
      .rule(renorm_rule)
      .decompose(renormed, Reads::Nothing)
      .inplace()
      .out()
      .onnx(none("decomposes to a norm and a product"))
      .doc(R"(The slices along `dim`. One whose norm of order `p` is above `maxnorm` is scaled down to it.

maxnorm: The largest norm that a slice keeps.

>>> x = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
>>> torch.renorm(x, 2, 0, 1))")
      .samples(
          "[[t(d, 3, 4), p, n, 2.5] for d in (f32, f64, f16) for p in (1, 2, 3.5, inf) for n in (0, -1)] + [[t(f32, 4, 3).t(), 2, 0, 1.0], "
          "[t(f32, 2, 3, 4), 2, 1, 3], [t(f32, 3), 2, 0, 1.0], [t(f32, 3, 4), 0, 0, 1.0], [t(f32, 3, 4), 2, 0, -1.0], [t(i64, 3, 4), 2, 0, "
          "1.0], [t(c64, 2, 3), 2, 0, 1.0]]");
  r.op("embedding_renorm(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor")
      .rule(embedding_renorm_rule)
      .kernel(embedding_renorm_kernel)
      .bad_data(ErrorKind::Index, "index {value} is out of bounds for dimension 0 with size {limit}")
      .namespaced("_nn")
      .decompose(
          [](const IValue* a) -> IValue {
            const Tensor flat = "reshape"_op(a[1], Dims{-1});
            const Tensor weight = a[0].to_tensor(), rows = "index_select"_op(weight, 0, flat);
            return "index_copy"_op(weight, 0, "to"_op(flat, DType::i64), "renorm"_op(rows, a[3], 0, a[2]));
          },
          Reads::Nothing)
      .gradient(none("it limits the rows of a table before they are looked up, under no_grad"))
      .onnx(none("training only"))
      .doc("A copy of `self` whose rows at `indices` are scaled down to a norm of at most `max_norm`.")
      .samples(
          "[[t(f32, 5, 3), index(5, 2, 2), m, p] for m in (1.0, 3.0) for p in (1.0, 2.0)] + [[t(f64, 5, 3), at([0, 0, 4]), 0.5, 2.0]]");
  r.op("embedding_renorm_(Tensor(a!) self, Tensor indices, float max_norm, float norm_type) -> Tensor(a!)")
      .functional("aten::embedding_renorm")
      .rule(renorm_rows_rule)
      .function_only()
      .decompose([](const IValue* a) -> IValue { return "copy_"_op(a[0], "embedding_renorm"_op(a[0], a[1], a[2], a[3])); }, Reads::Nothing)
      .doc("Scales the rows of `self` at `indices` down to a norm of at most `max_norm`.");
}

}  // namespace monograph
