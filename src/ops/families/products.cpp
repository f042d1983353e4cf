// Matrix products: mm, mv, bmm, matmul, linear, addmm. Rules come first, then kernels and decompositions, then the records. Each output element is one chain
// of fma instructions over k, in ascending order (docs/numerics.md).
#include "ops/families/products.h"
#include "kernels/byte_products.h"
#include "kernels/elements.h"
#include "kernels/matmul.h"
#include "ops/dispatch.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/packed_weight.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "ops/registry.h"
#include "ops/rows.h"
#include "ops/rule.h"

namespace monograph {
namespace {

// --- Rules.

// Size d of argument i; unknown if the rank of the argument is unknown.
Size at(const RuleCall& c, size_t i, size_t d) { return c.sizes(i).ranked() ? c.sizes(i)[d] : Size(); }

}  // namespace

std::optional<DType> product_dtype(const RuleCall& c, size_t a, size_t b) {
  auto x = c.dtype(a), y = c.dtype(b);
  if (x && y && *x != *y) [[unlikely]] {
    const auto &one = c.op.schema().arguments()[a].name, &other = c.op.schema().arguments()[b].name;
    c.fail(Runtime, "expected ", one, " and ", other, " to have the same dtype, but got ", name(*x), " and ", name(*y),
           "; convert one of them, for example ", one, ".to(", other, ".dtype)");
  }
  const auto t = x ? x : y;
  if (t == DType::b1) [[unlikely]]
    c.check_dtype(t, [](DType) { return false; }, c.op.base_name());
  return t;
}

Sizes vector_product_sizes(const RuleCall& c, size_t matrix, size_t vector) {
  SizesRef x = c.sizes(matrix), y = c.sizes(vector);
  c.check((!x.ranked() || x.size() == 2) && (!y.ranked() || y.size() == 1), Runtime, "vector + matrix @ vector expected, got 1, ", x.size(),
          ", ", y.size());
  c.check(x[1] == y[0], Runtime, "size mismatch, got mat (", x[0], "x", x[1], "), vec (", y[0], ")");
  return {x[0]};
}

void check_addend(const RuleCall& c, size_t i, std::optional<DType> dtype) {
  const auto t = c.dtype(i);
  if (t && dtype && *t != *dtype) [[unlikely]]
    c.fail(Runtime, "expected ", c.op.schema().arguments()[i].name, " to have the dtype of the product, ", name(*dtype), ", but got ",
           name(*t));
}

void check_expands(const RuleCall& c, SizesRef product) {
  SizesRef self = c.sizes(0);
  if (std::ranges::equal(self.words(), product.words())) return;
  const size_t lead = product.size() - self.size();
  c.check(self.size() <= product.size(), Runtime, "expected a first argument that expands to ", product, ", but got size ", self);
  for (size_t d = 0; d < self.size(); ++d)
    c.check(self[d] == 1 || self[d] == product[lead + d], Runtime, "expected a first argument that expands to ", product, ", but got size ",
            self);
}

namespace {

// The sizes of a product of two matrices, arguments a and b.
Sizes product_sizes(const RuleCall& c, size_t a, size_t b) {
  SizesRef x = c.sizes(a), y = c.sizes(b);
  c.check((!x.ranked() || x.size() == 2) && (!y.ranked() || y.size() == 2), Runtime, "expected two matrices, but got tensors of ", x.size(),
          " and ", y.size(), " dims; matmul takes other numbers of dims");
  c.check(at(c, a, 1) == at(c, b, 0), Runtime, "mat1 and mat2 shapes cannot be multiplied (", at(c, a, 0), "x", at(c, a, 1), " and ",
          at(c, b, 0), "x", at(c, b, 1), ")");
  return {at(c, a, 0), at(c, b, 1)};
}

void mm_rule(RuleCall& c) { c.result(product_sizes(c, 0, 1), product_dtype(c, 0, 1)); }

void mv_rule(RuleCall& c) { c.result(vector_product_sizes(c, 0, 1), product_dtype(c, 0, 1)); }

void int_mm_rule(RuleCall& c) {
  const auto t = c.dtype(0), u = c.dtype(1);
  c.check(!t || *t == DType::i8 || *t == DType::u8, Runtime, "Expected self dtype to be int8 or uint8 but got ", scalar_type(t));
  c.check(!u || *u == DType::i8, Runtime, "Expected mat2 dtype to be of type int8 but got ", scalar_type(u));
  c.result(product_sizes(c, 0, 1), DType::i32);
  const SizesRef a = c.sizes(0), b = c.sizes(1);
  if (a.ranked() && b.ranked() && a[0].is_int() && a[1].is_int() && b[1].is_int())
    c.scratch(byte_product_scratch(a[0].as_int(), a[1].as_int(), b[1].as_int()));
}

void addmm_rule(RuleCall& c) {
  auto dtype = product_dtype(c, 1, 2);
  check_addend(c, 0, c.dtype(2));
  const Sizes product = product_sizes(c, 1, 2);
  check_expands(c, product);
  c.result(product, dtype);
}

void bmm_rule(RuleCall& c) {
  SizesRef x = c.sizes(0), y = c.sizes(1);
  const bool ranks = (!x.ranked() || x.size() == 3) && (!y.ranked() || y.size() == 3);
  c.check(ranks && at(c, 0, 0) == at(c, 1, 0) && at(c, 0, 2) == at(c, 1, 1), Runtime, "expected sizes [b, n, m] and [b, m, p], but got ", x,
          " and ", y);
  const Size batch = at(c, 0, 0).is_int() ? at(c, 0, 0) : at(c, 1, 0).known() ? at(c, 1, 0) : at(c, 0, 0);
  c.result(Sizes{batch, at(c, 0, 1), at(c, 1, 2)}, product_dtype(c, 0, 1));
}

void matmul_rule(RuleCall& c) {
  auto dtype = product_dtype(c, 0, 1);
  if (!c.sizes(0).ranked() || !c.sizes(1).ranked()) return c.result({}, dtype);
  Sizes a = c.sizes(0), b = c.sizes(1);
  c.check(!a.empty() && !b.empty(), Runtime, "both arguments to matmul need to be at least 1D, but they are ", a.size(), "D and ", b.size(),
          "D");
  const bool row = a.size() == 1, column = b.size() == 1;
  c.check(!row || !column || a[0] == b[0], Runtime, "inconsistent tensor size, expected vectors of one size, but got ", a[0], " and ", b[0],
          " elements");
  if (row) a.insert(0, 1);
  if (column) b.push_back(1);
  c.check(a.back() == b[b.size() - 2], Runtime, "mat1 and mat2 shapes cannot be multiplied (", c.sizes(0), " and ", c.sizes(1), ")");
  Sizes out = broadcast(SizesRef(a).first(a.size() - 2), SizesRef(b).first(b.size() - 2), "aten::matmul");
  if (!row) out.push_back(a[a.size() - 2]);
  if (!column) out.push_back(b.back());
  c.result(out, dtype);
}

// linear with a vector as weight is x @ weight, without the last dim of x. As in PyTorch, a bias is allowed only if it has no dims and x does not have 2.
void linear_by_vector_rule(RuleCall& c, std::optional<DType> dtype) {
  SizesRef x = c.sizes(0), w = c.sizes(1);
  if (!x.ranked()) return c.result(Sizes::unranked(), dtype);
  c.check(!x.empty() && x.back() == w[0], Runtime, "size mismatch, got input of size ", x, " and weight of size ", w,
          "; the last dim of both must be equal");
  const bool bias = !c.none(2);
  c.check(!bias || !c.sizes(2).ranked() || (c.sizes(2).empty() && x.size() != 2), Runtime,
          "mat2 must be a matrix, got 1-D tensor: beside a ", "bias of size ", c.sizes(2), " the weight needs 2 dims, but it has size ", w);
  Sizes out(x.first(x.size() - 1));
  c.contiguous(0);
  c.result(out, dtype);
}

void linear_rule(RuleCall& c) {
  auto dtype = product_dtype(c, 0, 1);
  if (!c.none(2)) check_addend(c, 2, c.dtype(1));
  SizesRef x = c.sizes(0), w = c.sizes(1);
  if (w.ranked() && w.size() == 1) return linear_by_vector_rule(c, dtype);
  const Size in = x.ranked() && !x.empty() ? x.back() : Size();
  const bool ranks = (!x.ranked() || !x.empty()) && (!w.ranked() || w.size() == 2);
  c.check(ranks && in == (w.ranked() && w.size() == 2 ? w[1] : Size()), Runtime,
          "mat1 and mat2 shapes cannot be multiplied: input of size ", x, " and weight of size ", w,
          "; the last dim of both must be equal");
  if (!x.ranked()) return c.result({}, dtype);
  Sizes out = x;
  out.set(out.size() - 1, w.ranked() ? w[0] : Size());
  if (!c.none(2) && !(c.sizes(2).size() == 1 && c.sizes(2)[0].same(out.back()))) {
    const Sizes sum = broadcast(out, c.sizes(2), c.op.name());
    c.check(!sum.ranked() || sum.size() == out.size(), Runtime, "expected a bias that expands to ", out, ", but got size ", c.sizes(2));
    for (size_t d = 0; d < sum.size(); ++d)
      c.check(sum[d] == out[d], Runtime, "expected a bias that expands to ", out, ", but got size ", c.sizes(2));
  }
  c.contiguous(0);
  c.result(out, dtype);
}

// out[i] = a[i] @ b[i] for tensors of 3 dims, or out = a @ b for tensors of 2. Any strides will do.
void batched_product(const KernelTensor& a, const KernelTensor& b, const KernelTensor& out, const PackedMatrix* packed = nullptr,
                     const void* bias = nullptr) {
  if (out.numel() == 0) return;
  const int32_t lead = out.dim - 2;
  Matmul product;
  product.type = a.dtype;
  product.m = a.sizes[lead], product.k = a.sizes[lead + 1], product.n = b.sizes[lead + 1];
  product.a = a.data, product.a_row = a.strides[lead], product.a_col = a.strides[lead + 1];
  product.b = b.data, product.b_row = b.strides[lead], product.b_col = b.strides[lead + 1];
  product.c = out.data, product.c_row = out.strides[lead], product.c_col = out.strides[lead + 1];
  auto step = [&](const KernelTensor& t) { return lead == 0 || t.sizes[0] == 1 ? 0 : t.strides[0]; };
  MatmulBatch batch{lead ? out.sizes[0] : 1, step(a), step(b), step(out)};
  product.batch = {&batch, 1};
  product.packed = packed;
  if (packed) batch.b = 0;
  product.bias = bias;
  matmul(product);
}

KernelStatus product_kernel(KernelCall& call) {
  batched_product(call.args[0].tensor, call.args[1].tensor, call.results[0]);
  return KernelStatus::Ok;
}

// The result has the dtype of the vectors. For integers `sum` must be told so, because it would return int64.
Tensor dot(const Tensor& a, const Tensor& b) {
  const bool plain =
      !dispatch_state().top && a->kind == TensorImpl::Kind::Dense && b->kind == TensorImpl::Kind::Dense && a.sizes() == b.sizes();
  if (plain && a.dtype() == b.dtype() && (a.dtype() == DType::f32 || a.dtype() == DType::f64)) return "monograph::sum_of_products"_op(a, b);
  Tensor products = "mul"_op(a, b);
  return is_integral(a.dtype()) ? "sum"_op(products, a.dtype()) : "sum"_op(products);
}

// matmul by PyTorch's rules for vectors and broadcast batches, in terms of dot, mv, mm and bmm. These give its gradient, and captures record them.
IValue decompose_matmul(const IValue* args) {
  Tensor a = args[0].to_tensor(), b = args[1].to_tensor();
  if (a.dim() == 1 && b.dim() == 1) return dot(a, b);
  if (a.dim() == 1) return "squeeze"_op("matmul"_op("unsqueeze"_op(a, 0), b), -2);
  if (a.dim() == 2 && b.dim() == 1) return "mv"_op(a, b);
  if (b.dim() == 1) return "squeeze"_op("matmul"_op(a, "unsqueeze"_op(b, 1)), -1);
  if (a.dim() == 2 && b.dim() == 2) return "mm"_op(a, b);
  const Sizes sa = sizes_of(a), sb = sizes_of(b);
  const Size m = sa[sa.size() - 2], k = sa.back(), n = sb.back();
  const SizesRef lead = SizesRef(sa).first(sa.size() - 2);
  if (b.dim() == 2)  // all rows of all batches are one matrix
    return "view"_op("mm"_op("reshape"_op(a, Sizes{k.is(0) ? element_count(SizesRef(sa).first(sa.size() - 1)) : Size(-1), k}), b),
                     appended(SizesRef(sa).first(sa.size() - 1), {n}));
  const SizesRef other = SizesRef(sb).first(sb.size() - 2);
  const Sizes batch = broadcast_in_example(lead, other, "aten::matmul");
  Tensor ea = "reshape"_op("expand"_op(a, appended(batch, {m, k})), Sizes{element_count(batch), m, k});
  Tensor eb = "reshape"_op("expand"_op(b, appended(batch, {k, n})), Sizes{element_count(batch), k, n});
  return "view"_op("bmm"_op(ea, eb), appended(batch, {m, n}));
}

// beta * self + alpha * (mat1 @ mat2), in the dtype of the arguments.
IValue added_product(const IValue* a) {
  Tensor product = "mm"_op(a[1], a[2]);
  IValue beta = number_in("aten::addmm", a[3], product.dtype()), alpha = number_in("aten::addmm", a[4], product.dtype());
  if (!(alpha.is_int() && alpha.to_int() == 1)) product = "mul"_op(product, alpha);
  if (beta.to_complex() == 0.0) return product;
  if (beta.is_int() && beta.to_int() == 1) return "add"_op(product, a[0]);
  return "add"_op(product, "mul"_op(a[0], beta));
}

std::shared_ptr<const void> prepare_linear(const IValue* args) { return packed_weight(args[1].as_tensor()); }

// x @ weight.T + bias. All rows of x together are one matrix.
KernelStatus linear_kernel(KernelCall& call) {
  const KernelTensor &x = call.args[0].tensor, &w = call.args[1].tensor, &out = call.results[0];
  const bool vector = w.dim == 1;  // then it counts as a matrix of one row
  const int64_t k = w.sizes[w.dim - 1], n = vector ? 1 : w.sizes[0], m = out.numel() / n;
  const int64_t row_sizes[] = {m, k}, rows[] = {k, 1}, column_sizes[] = {k, n},
                columns[] = {w.strides[w.dim - 1], vector ? k : w.strides[0]};
  const int64_t out_sizes[] = {m, n}, out_rows[] = {n, 1};
  // The product adds a contiguous bias itself. In 16-bit dtypes the product must be rounded before the bias is added, so that is a second step.
  const KernelArg& bias = call.args[2];
  const bool within = !bias.none() && (w.dtype == DType::f32 || w.dtype == DType::f64) && bias.tensor.dim == 1 &&
                      bias.tensor.sizes[0] == n && bias.tensor.strides[0] == 1;
  const KernelTensor matrix{out.data, out_sizes, out_rows, 2, out.dtype};
  batched_product({x.data, row_sizes, rows, 2, x.dtype}, {w.data, column_sizes, columns, 2, w.dtype}, matrix,
                  static_cast<const PackedMatrix*>(call.prepared), within ? bias.tensor.data : nullptr);
  if (!bias.none() && !within) add_elements(vector ? matrix : out, bias.tensor);
  return KernelStatus::Ok;
}

}  // namespace

// A matrix times a vector, computed as a product with a matrix of one column.
KernelStatus vector_product_kernel(KernelCall& call) {
  const KernelTensor &a = call.args[0].tensor, &b = call.args[1].tensor, &out = call.results[0];
  if (out.numel() == 0) return KernelStatus::Ok;
  Matmul product;
  product.type = a.dtype;
  product.m = a.sizes[0], product.k = a.sizes[1], product.n = 1;
  product.a = a.data, product.a_row = a.strides[0], product.a_col = a.strides[1];
  product.b = b.data, product.b_row = b.strides[0], product.b_col = 1;
  product.c = out.data, product.c_row = out.strides[0], product.c_col = 1;
  matmul(product);
  return KernelStatus::Ok;
}

KernelStatus addmv_kernel(KernelCall& call) {
  KernelCall product = call;
  ++product.args, --product.arg_count;
  vector_product_kernel(product);
  add_elements(call.results[0], call.args[0].tensor);
  return KernelStatus::Ok;
}

void products(Registry& r) {
  r.op("mm(Tensor self, Tensor mat2) -> Tensor")
      .out()
      .contracts(0)
      .rule(mm_rule)
      .kernel(product_kernel)
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "mm"_op(c.grad(), "t"_op(c.arg(1))));
        if (c.needs(1)) c.set(1, "mm"_op("t"_op(c.arg(0)), c.grad()));
      })
      .onnx("out: MatMul(self, mat2)")
      .autocast(Autocast::LowerPrecision)
      .doc("The product of two matrices.")
      .samples(R"([[t(d, 3, 4), t(d, 4, 2)] for d in ALL] + [[t(f32, 4, 3).t(), t(f32, 2, 4).t()], [t(f32, 2, 0), t(f32, 0, 3)],
                [t(f32, 2, 3), t(f32, 2, 3)], [t(f32, 2), t(f32, 2)], [t(f32, 2, 2), t(i64, 2, 2)], [t(f32, 0, 3), t(f32, 3, 2)]])");
  r.op("_sparse_mm(Tensor sparse, Tensor dense) -> Tensor")
      .rule(mm_rule)
      .decompose([](const IValue* a) -> IValue { return "mm"_op(a[0], a[1]); }, Reads::Nothing)
      .function_only()
      .namespaced("_sparse")
      .contracts(0)
      .onnx(none("decomposes to mm"))
      .doc("The product of two matrices. In PyTorch the first one may be sparse; here all tensors are dense.")
      .samples(
          "[[t(d, 3, 4), t(d, 4, 2)] for d in (f32, f64)] + [[t(f32, 4, 3).t(), t(f32, 2, 4).t()], [t(f32, 2, 3), t(f32, 2, 3)], [t(f32, "
          "2), t(f32, 2)]]");
  // `dot` calls it outside of captures: one pass, with the same bits as mul and sum.
  r.rows({"monograph::sum_of_products(Tensor self, Tensor other) -> Tensor"},
         {.body = [](RowContext& c) { c.out(row_sum(c.has(1) ? c.x() * c.tensor(1) : c.x())); },
          .rows = RowRule::Rows::All,
          .reduces = true,
          .result = RowRule::Result::Float,
          .tensors = {0, 1, -1},
          .dtypes = set_of({DType::f32, DType::f64})})
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "mul"_op(c.grad(), c.value(1)));
        if (c.needs(1)) c.set(1, "mul"_op(c.grad(), c.value(0)));
      })
      .decompose([](const IValue* a) -> IValue { return "sum"_op("mul"_op(a[0], a[1])); }, Reads::Nothing)
      .onnx(none("decomposes to mul and sum"))
      .doc("The sum of the products of two vectors.")
      .samples(none("PyTorch has no such operator; dot's samples run it"));
  r.op("_int_mm(Tensor self, Tensor mat2) -> Tensor")
      .rule(int_mm_rule)
      .kernel(byte_product_kernel)
      .decompose([](const IValue* a) -> IValue { return "mm"_op("to"_op(a[0], DType::i32), "to"_op(a[1], DType::i32)); }, Reads::Nothing)
      .out()
      .function_only()
      .gradient(none("integers have no gradient"))
      .onnx("MatMulInteger(self, mat2)")
      .doc("The product of a matrix of int8 or uint8 and one of int8, summed as int32.")
      .samples(
          "[[t(a, 3, 4, low=0), t(b, 4, 2, low=0)] for a, b in ((i8, i8), (u8, i8))] + [[t(i8, 4, 3).t(), t(i8, 2, 4).t()], [t(i8, 0, 3), "
          "t(i8, 3, 2)], "
          "[t(i8, 2, 3), t(i8, 2, 3)], [t(i8, 3), t(i8, 3, 2)], [t(i32, 2, 3), t(i8, 3, 2)]]");
  r.op("mv(Tensor self, Tensor vec) -> Tensor")
      .contracts(0)
      .rule(mv_rule)
      .kernel(vector_product_kernel)
      .decompose([](const IValue* a) -> IValue { return "squeeze"_op("mm"_op(a[0], "unsqueeze"_op(a[1], 1)), 1); }, Reads::Nothing)
      .out()
      .onnx(none("decomposes to matrix products"))
      .autocast(Autocast::AsGiven)
      .doc(R"(The product of a matrix and a vector.

>>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
>>> torch.mv(x, torch.tensor([1.0, -1.0])))")
      .samples(
          "[[t(d, 2, 3), t(d, 3)] for d in (f32, f64, bf16, i64)] + [[t(f32, 3, 2).t(), t(f32, 3)], [t(f32, 2, 3), t(f32, 2)], [t(f32, 3), "
          "t(f32, 3)], [t(f32, 2, 3), t(f64, 3)], [t(f32, 2, 0), t(f32, 0)]]");
  r.op("bmm(Tensor self, Tensor mat2) -> Tensor")
      .out()
      .contracts(0)
      .rule(bmm_rule)
      .kernel(product_kernel)
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "bmm"_op(c.grad(), "transpose"_op(c.arg(1), 1, 2)));
        if (c.needs(1)) c.set(1, "bmm"_op("transpose"_op(c.arg(0), 1, 2), c.grad()));
      })
      .onnx("out: MatMul(self, mat2)")
      .autocast(Autocast::LowerPrecision)
      .doc("The products of two batches of matrices.")
      .samples(R"([[t(d, 2, 3, 4), t(d, 2, 4, 2)] for d in (f32, f64, bf16, i64)] + [[t(f32, 2, 4, 3).transpose(1, 2), t(f32, 2, 4, 2)],
                [t(f32, 2, 3, 4), t(f32, 3, 4, 2)], [t(f32, 0, 3, 4), t(f32, 0, 4, 2)]])");
  r.op("matmul(Tensor self, Tensor other) -> Tensor")
      .out()
      .alias({"linalg_matmul"})
      .contracts(0)
      .rule(matmul_rule)
      .decompose(decompose_matmul, Reads::Symbols)
      .onnx("MatMul(self, other)")
      .autocast(Autocast::LowerPrecision)
      .doc("The matrix product. Leading dims broadcast. A vector on the left counts as a row, one on the right as a column.")
      .samples(
          R"([[t(f32, *a), t(f32, *b)] for a, b in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2)), ((4, 2, 3), (3, 2)),
                  ((2, 3), (4, 3, 2)), ((4, 1, 2, 3), (5, 3, 2)), ((4, 2, 3), (3,)), ((3,), (4, 3, 2)), ((2, 3), (2, 3)), ((), (2,)),
                  ((0, 2, 3), (3, 2)), ((2, 0), (0, 2)))]
               + [[t(d, 3), t(d, 3)] for d in (u8, i64, b1, f16, c64)] + [[t(f32, 3), v]
                  for v in (t(f64, 3), t(i64, 3), t(f32, 4), t(f32, 1))]
               + [[t(f32, 1), t(f32, 3)], [t(f32, 0), t(f32, 0)]])");
  r.op("linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor")
      .out()
      .contracts(0)
      .rule(linear_rule)
      .kernel(linear_kernel)
      .prepare(prepare_linear)
      .namespaced("_nn")
      .gradient([](GradCall& c) {
        const bool vector = c.dim(1) == 1;  // then it counts as a matrix of one row
        Tensor g = vector ? Tensor("unsqueeze"_op(c.grad(), -1)) : c.grad();
        const auto rows_of = [](const SizesRef& t, const Size& columns) {  // -1 stands for the number of rows, except beside 0 columns
          return Sizes{columns.is(0) ? element_count(t.first(t.size() - 1)) : Size(-1), columns};
        };
        Tensor g2 = "reshape"_op(g, rows_of(sizes_of(g), vector ? Size(1) : c.sizes(1)[0]));
        if (c.needs(0)) c.set(0, "matmul"_op(g, vector ? "unsqueeze"_op(c.value(1), 0) : c.value(1)));
        if (c.needs(1)) {
          Tensor rows = "mm"_op("t"_op(g2), "reshape"_op(c.value(0), rows_of(c.sizes(0), c.sizes(1).back())));
          c.set(1, vector ? Tensor("squeeze"_op(rows, 0)) : rows);
        }
        if (c.needs(2)) c.set(2, "sum"_op(g2, Dims{0}, false));
      })
      .decompose(
          [](const IValue* a) -> IValue {
            const Tensor x = a[0].to_tensor(), w = a[1].to_tensor();
            const bool vectors = x.dim() == 1 && w.dim() == 1;  // the kernel sums in the order of a matrix product, not of `dot`
            Tensor product =
                vectors ? Tensor("squeeze"_op("mm"_op("unsqueeze"_op(x, 0), "unsqueeze"_op(w, 1)))) : "matmul"_op(x, "t"_op(w));
            return a[2].is_none() ? product : Tensor("add"_op(product, a[2]));
          },
          Reads::Nothing)
      .onnx(
          "Add(MatMul(input, Transpose(weight, perm=[1, 0])), bias) if given(bias), rank(weight) = 2 | MatMul(input, Transpose(weight, "
          "perm=[1, 0])) if rank(weight) = 2")
      .autocast(Autocast::LowerPrecision)
      .doc("input @ weight.T + bias.\n\nweight: The matrix, of shape (output features, input features).")
      .samples(R"([[t(d, 2, 3), t(d, 4, 3), b and t(d, 4)] for d in (*FLOATS, i64) for b in (True, None)] + [[t(f32, 3), t(f32, 4, 3)],
                [t(f32, 2, 5, 3), t(f32, 4, 3), t(f32, 4)], [t(f32, 2, 3), t(f32, 4, 2)], [t(f32, 0, 3), t(f32, 4, 3), t(f32, 4)],
                [t(f32, 3, 2).t(), t(f32, 4, 3), t(f32, 4)]] + [[t(f32, 2, 3), t(f32, 4, 3), v]
                  for v in (t(f64, 4), t(i64, 4), t(f32, 1), t(f32, 3))]
               + [[t(f16, 2, 3), t(f16, 4, 3), t(f32, 4)], [t(i64, 2, 3), t(i64, 4, 3), t(f32, 4)]]
               + [[t(f32, *x), t(f32, *w), b] for x in ((3,), (2, 3), (2, 5, 3), (0, 3)) for w in ((3,), (4,)) for b in (None, t(f32), t(f32, 1))])");
  r.op("addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor")
      .inplace()
      .out()
      .contracts(1)
      .rule(addmm_rule)
      .decompose([](const IValue* a) { return rounded_once(a, added_product); }, Reads::Nothing)
      .onnx("Gemm(mat1, mat2, self) | Gemm(mat1, mat2, self, alpha=alpha, beta=beta)")
      .autocast(Autocast::LowerPrecision)
      .doc("beta * self + alpha * (mat1 @ mat2).")
      .samples(R"([[t(f32, 2), t(f32, 3, 4), t(f32, 4, 2), b, a] for b, a in ((1, 1), (0, 1), (2, 3), (0.5, 1))]
               + [[t(f32, 3, 2), t(f32, 3, 4), t(f32, 4, 2), 1, 1], [t(f64, 2), t(f64, 3, 4), t(f64, 4, 2), 1, 1]]
               + [[t(i64, 2, 2), t(i64, 2, 2), t(i64, 2, 2), b, a] for b, a in ((1, 0.5), (0.5, 1), (3.7, 2.0), (2, 3), (1, 1j))]
               + [[v, t(f32, 2, 2), t(f32, 2, 2), b, 1] for v in (t(f64, 2, 2), t(i64, 2, 2), t(f32, 3, 2), t(f32, 1, 2, 2), t(f32, 1),
                  t(f32)) for b in (1, 0)]
               + [[t(f32, 3, 4)[:2, :2], t(f32, 3, 4)[:2, :2], t(f32, 3, 4)[1:, 1:3], 1, 1j]])");
}

}  // namespace monograph
