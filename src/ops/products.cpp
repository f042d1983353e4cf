// Matrix products and what is made of them. Each output accumulates k in ascending order with one fma chain (docs/numerics.md).
#include "kernels/matmul.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "ops/registry.h"

namespace monograph {
namespace {

void check_dtypes(const Operator& op, const Tensor& a, const Tensor& b) {
  MONOGRAPH_CHECK(a.dtype() == b.dtype(), Runtime, "[", op.name(),
                  "] expected m1 and m2 to have the same dtype, but got: ", info(a.dtype()).scalar_type,
                  " != ", info(b.dtype()).scalar_type, "; convert one of them, for example b.to(a.dtype)");
  MONOGRAPH_CHECK(a.dtype() != DType::b1, NotImplemented, "[", op.name(), "] \"", op.base_name(), "\" not implemented for '",
                  info(a.dtype()).scalar_type, "'; convert the arguments first, for example x.to(torch.float32)");
}

// out[b] = a[b] @ b[b] for tensors of 3 dims with one batch size; strides are free.
void batched_product(const Tensor& a, const Tensor& b, const Tensor& out, const PackedMatrix* packed = nullptr,
                     const void* bias = nullptr) {
  if (out.is_meta() || out.numel() == 0) return;
  Matmul product;
  product.type = a.dtype();
  product.m = a.sizes()[1], product.k = a.sizes()[2], product.n = b.sizes()[2];
  product.a = a.data(), product.a_row = a.strides()[1], product.a_col = a.strides()[2];
  product.b = b.data(), product.b_row = b.strides()[1], product.b_col = b.strides()[2];
  product.c = out.data(), product.c_row = out.strides()[1], product.c_col = out.strides()[2];
  auto step = [](const Tensor& t) { return t.sizes()[0] == 1 ? 0 : t.strides()[0]; };
  MatmulBatch batch{out.sizes()[0], step(a), step(b), step(out)};
  product.batch = {&batch, 1};
  product.packed = packed;
  if (packed) batch.b = 0;
  product.bias = bias;
  matmul(product);
}

Tensor as_batch(const Tensor& t) {
  Dims sizes{1, t.sizes()[0], t.sizes()[1]}, strides{0, t.strides()[0], t.strides()[1]};
  return t.as_strided(sizes, strides, t->offset);
}

void eval_mm(const Operator& op, const IValue* args, IValue* results) {
  const Tensor &a = args[0].as_tensor(), &b = args[1].as_tensor();
  MONOGRAPH_CHECK(a.dim() == 2 && b.dim() == 2, Runtime, "[", op.name(), "] expected two matrices, but got tensors of ", a.dim(), " and ",
                  b.dim(), " dims; matmul takes others");
  MONOGRAPH_CHECK(a.sizes()[1] == b.sizes()[0], Runtime, "[", op.name(), "] mat1 and mat2 shapes cannot be multiplied (", a.sizes()[0], "x",
                  a.sizes()[1], " and ", b.sizes()[0], "x", b.sizes()[1], ")");
  check_dtypes(op, a, b);
  Tensor out = empty({a.sizes()[0], b.sizes()[1]}, a.dtype(), a.device());
  batched_product(as_batch(a), as_batch(b), as_batch(out));
  results[0] = out;
}

void eval_bmm(const Operator& op, const IValue* args, IValue* results) {
  const Tensor &a = args[0].as_tensor(), &b = args[1].as_tensor();
  MONOGRAPH_CHECK(a.dim() == 3 && b.dim() == 3 && a.sizes()[0] == b.sizes()[0] && a.sizes()[2] == b.sizes()[1], Runtime, "[", op.name(),
                  "] expected batches of matrices that can be multiplied, but got sizes ", to_string(a.sizes()), " and ",
                  to_string(b.sizes()));
  check_dtypes(op, a, b);
  Tensor out = empty({a.sizes()[0], a.sizes()[1], b.sizes()[2]}, a.dtype(), a.device());
  batched_product(a, b, out);
  results[0] = out;
}

Dims concat_dims(std::span<const int64_t> a, std::initializer_list<int64_t> b) {
  Dims out(a);
  for (int64_t v : b) out.push_back(v);
  return out;
}

// In the dtype of the vectors, which for integers is not that of their sum.
Tensor dot(const Tensor& a, const Tensor& b) {
  MONOGRAPH_CHECK(a.dtype() == b.dtype(), Runtime, "[aten::matmul] expected both vectors to have the same dtype, but got ",
                  info(a.dtype()).scalar_type, " and ", info(b.dtype()).scalar_type);
  MONOGRAPH_CHECK(a.dtype() != DType::b1, NotImplemented,
                  "[aten::matmul] not implemented for 'Bool'; convert the arguments first, for example x.to(torch.float32)");
  MONOGRAPH_CHECK(a.sizes() == b.sizes(), Runtime, "[aten::matmul] inconsistent tensor size, expected vectors of one size, but got ",
                  a.size(0), " and ", b.size(0), " elements");
  Tensor products = "mul"_op(a, b);
  return is_integral(a.dtype()) ? "sum"_op(products, a.dtype()) : "sum"_op(products);
}

// matmul by PyTorch's rules for 1-d operands and broadcast batches, in terms of mm and bmm, so that gradients and captures follow.
IValue decompose_matmul(const IValue* args) {
  Tensor a = args[0].to_tensor(), b = args[1].to_tensor();
  MONOGRAPH_CHECK(a.dim() && b.dim(), Runtime, "[aten::matmul] both arguments to matmul need to be at least 1D, but they are ", a.dim(),
                  "D and ", b.dim(), "D");
  if (a.dim() == 1 && b.dim() == 1) return dot(a, b);
  if (a.dim() == 1) return "squeeze"_op("matmul"_op("unsqueeze"_op(a, 0), b), -2);
  if (b.dim() == 1) return "squeeze"_op("matmul"_op(a, "unsqueeze"_op(b, 1)), -1);
  if (a.dim() == 2 && b.dim() == 2) return "mm"_op(a, b);
  std::span<const int64_t> sa = a.sizes(), sb = b.sizes();
  int64_t m = a.size(-2), k = a.size(-1), n = b.size(-1);
  MONOGRAPH_CHECK(k == b.size(-2), Runtime, "[aten::matmul] mat1 and mat2 shapes cannot be multiplied (", to_string(sa), " and ",
                  to_string(sb), ")");
  if (b.dim() == 2) {  // one product of all rows
    Dims batch(sa.first(sa.size() - 1));
    return "view"_op("mm"_op("reshape"_op(a, Dims{-1, k}), b), concat_dims(batch, {n}));
  }
  Dims batch = broadcast_sizes(sa.first(sa.size() - 2), sb.first(sb.size() - 2), "aten::matmul");
  Tensor ea = "reshape"_op("expand"_op(a, concat_dims(batch, {m, k})), Dims{product(batch), m, k});
  Tensor eb = "reshape"_op("expand"_op(b, concat_dims(batch, {k, n})), Dims{product(batch), k, n});
  return "view"_op("bmm"_op(ea, eb), concat_dims(batch, {m, n}));
}

// A weight in the kernels' order, kept with its storage. It is packed at the second product with the same contents: in training they
// change with every step. Memory that others may write to unseen is never kept in another form.
struct PackedWeight {
  uint32_t writes;
  int64_t offset;
  Dims sizes, strides;
  DType dtype;
  PackedMatrix matrix;  // empty after the first product
  bool of(const Tensor& w) const {
    return writes == w->storage->writes() && offset == w->offset && dtype == w.dtype() && sizes == w.sizes() && strides == w.strides();
  }
};

std::shared_ptr<PackedWeight> packed_weight(const Tensor& w) {
  if (!w->storage || w->storage->exposed()) return nullptr;
  auto known = std::static_pointer_cast<PackedWeight>(w->storage->derived.load());
  if (known && known->of(w) && known->matrix) return known;
  auto fresh = std::make_shared<PackedWeight>(PackedWeight{w->storage->writes(), w->offset, w.sizes(), w.strides(), w.dtype(), {}});
  if (known && known->of(w))
    fresh->matrix = PackedMatrix::pack(w.dtype(), w.data(), w.sizes()[1], w.sizes()[0], w.strides()[1], w.strides()[0]);
  w->storage->derived.store(fresh);
  return fresh->matrix ? fresh : nullptr;
}

// What is added to a product has its dtype.
void check_addend(const Operator& op, const Tensor& t, const Tensor& factor) {
  MONOGRAPH_CHECK(t.dtype() == factor.dtype(), Runtime, "[", op.name(),
                  "] expected what is added to the product to have its dtype, but got ", info(t.dtype()).scalar_type, " and ",
                  info(factor.dtype()).scalar_type);
}

void check_addmm(const Operator& op, const IValue* a) {
  const Tensor &self = a[0].as_tensor(), &x = a[1].as_tensor(), &y = a[2].as_tensor();
  check_addend(op, self, y);
  if (x.dim() != 2 || y.dim() != 2) return;  // the product says so
  const Dims product{x.sizes()[0], y.sizes()[1]};
  MONOGRAPH_CHECK(self.dim() <= 2 && broadcast_sizes(product, self.sizes(), op.name()) == product, Runtime, "[", op.name(),
                  "] expected a first argument that expands to ", to_string(product), ", but got size ", to_string(self.sizes()));
}

// x @ weight.T + bias.
void eval_linear(const Operator& op, const IValue* args, IValue* results) {
  const Tensor &x = args[0].as_tensor(), &w = args[1].as_tensor();
  MONOGRAPH_CHECK(w.dim() == 2 && x.dim() >= 1 && x.size(-1) == w.sizes()[1], Runtime, "[", op.name(),
                  "] mat1 and mat2 shapes cannot be multiplied: input of size ", to_string(x.sizes()), " and weight of size ",
                  to_string(w.sizes()), "; the last dim of both must be equal");
  check_dtypes(op, x, w);
  if (!args[2].is_none()) check_addend(op, args[2].as_tensor(), w);
  Dims sizes = x.sizes();
  int64_t k = sizes.back(), n = w.sizes()[0];
  sizes[sizes.size() - 1] = n;
  Tensor out = empty(sizes, x.dtype(), x.device());
  int64_t m = k == 0 ? product(x.sizes().size() > 1 ? std::span<const int64_t>(sizes).first(sizes.size() - 1) : std::span<const int64_t>())
                     : x.numel() / std::max<int64_t>(k, 1);
  Tensor rows = contiguous(x).as_strided(Dims{1, m, k}, Dims{m * k, k, 1}, 0);
  if (x.is_contiguous()) rows = x.as_strided(Dims{1, m, k}, Dims{m * k, k, 1}, x->offset);
  Tensor columns = w.as_strided(Dims{1, k, n}, Dims{0, w.strides()[1], w.strides()[0]}, w->offset);
  std::shared_ptr<PackedWeight> packed = is_floating(w.dtype()) ? packed_weight(w) : nullptr;
  // The kernels add a bias that lies side by side. Elements of 16 bits are rounded between product and sum, so these are added after it.
  const void* added = nullptr;
  if (!args[2].is_none() && (w.dtype() == DType::f32 || w.dtype() == DType::f64)) {
    const Tensor& bias = args[2].as_tensor();
    if (bias.dim() == 1 && bias.sizes()[0] == n && bias.is_contiguous()) added = bias.data();
  }
  batched_product(rows, columns, out.as_strided(Dims{1, m, n}, Dims{m * n, n, 1}, 0), packed ? &packed->matrix : nullptr, added);
  if (!args[2].is_none() && !added) {
    static const Operator& add = find_operator("aten::add_.Tensor");
    IValue add_args[] = {out, args[2], 1};
    run(add, add_args, results);
  }
  results[0] = out;
}

// --- What is known of their results.

// Two sizes that are multiplied away.
void check_inner(const InferCall& c, const Dim& a, const Dim& b) {
  same_dim(a, b,
           concat("[", c.op.name(), "] mat1 and mat2 shapes cannot be multiplied: the inner sizes are ", a ? to_string(*a) : "*", " and ",
                  b ? to_string(*b) : "*"));
}
void check_rank(const InferCall& c, const Shape& s, size_t rank) {
  MONOGRAPH_CHECK(!s || s->size() == rank, Runtime, "[", c.op.name(), "] expected tensors of ", rank, " dims, but one has ", s->size());
}

void infer_mm_of(InferCall& c, size_t a, size_t b) {
  const Shape &x = c.sizes(a), &y = c.sizes(b);
  check_rank(c, x, 2), check_rank(c, y, 2);
  if (x && y) check_inner(c, (*x)[1], (*y)[0]);
  c.tensor(std::vector<Dim>{x ? (*x)[0] : Dim(), y ? (*y)[1] : Dim()}, c.dtype(a) ? c.dtype(a) : c.dtype(b));
}
void infer_mm(InferCall& c) { infer_mm_of(c, 0, 1); }
void infer_addmm(InferCall& c) { infer_mm_of(c, 1, 2); }

void infer_bmm(InferCall& c) {
  const Shape &x = c.sizes(0), &y = c.sizes(1);
  check_rank(c, x, 3), check_rank(c, y, 3);
  if (x && y) check_inner(c, (*x)[2], (*y)[1]);
  Dim batch = same_dim(x ? (*x)[0] : Dim(), y ? (*y)[0] : Dim(), "[aten::bmm] the batches differ in size");
  c.tensor(std::vector<Dim>{batch, x ? (*x)[1] : Dim(), y ? (*y)[2] : Dim()}, c.dtype(0) ? c.dtype(0) : c.dtype(1));
}

void infer_matmul(InferCall& c) {
  auto dtype = c.dtype(0) ? c.dtype(0) : c.dtype(1);
  if (!c.sizes(0) || !c.sizes(1)) return c.tensor({}, dtype);
  std::vector<Dim> a = *c.sizes(0), b = *c.sizes(1);
  MONOGRAPH_CHECK(!a.empty() && !b.empty(), Runtime, "[aten::matmul] both arguments to matmul need to be at least 1D, but they are ",
                  a.size(), "D and ", b.size(), "D");
  bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), SymInt(1));
  if (column) b.push_back(SymInt(1));
  check_inner(c, a.back(), b[b.size() - 2]);
  Shape out = broadcast(std::vector<Dim>(a.begin(), a.end() - 2), std::vector<Dim>(b.begin(), b.end() - 2), c.op.name());
  if (!row) out->push_back(a[a.size() - 2]);
  if (!column) out->push_back(b.back());
  c.tensor(out, dtype);
}

void infer_linear(InferCall& c) {
  Shape s = c.sizes(0);
  const Shape& w = c.sizes(1);
  check_rank(c, w, 2);
  if (s) {
    MONOGRAPH_CHECK(!s->empty(), Runtime, "[aten::linear] the input needs at least one dim");
    if (w) check_inner(c, s->back(), (*w)[1]);
    s->back() = w ? (*w)[0] : Dim();
  }
  c.tensor(s, c.dtype(0) ? c.dtype(0) : c.dtype(1));
}

}  // namespace

void products(Registry& r) {
  r.op("mm(Tensor self, Tensor mat2) -> Tensor")
      .contracts(0)
      .infer(infer_mm)
      .eval(eval_mm)
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "mm"_op(c.grad(), "t"_op(c.arg(1))));
        if (c.needs(1)) c.set(1, "mm"_op("t"_op(c.arg(0)), c.grad()));
      })
      .onnx("out: MatMul(self, mat2)")
      .doc("The product of two matrices.");
  r.op("bmm(Tensor self, Tensor mat2) -> Tensor")
      .contracts(0)
      .infer(infer_bmm)
      .eval(eval_bmm)
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "bmm"_op(c.grad(), "transpose"_op(c.arg(1), 1, 2)));
        if (c.needs(1)) c.set(1, "bmm"_op("transpose"_op(c.arg(0), 1, 2), c.grad()));
      })
      .onnx("out: MatMul(self, mat2)")
      .doc("The products of two batches of matrices.");
  r.op("matmul(Tensor self, Tensor other) -> Tensor")
      .contracts(0)
      .infer(infer_matmul)
      .decompose(decompose_matmul)
      .onnx("MatMul(self, other)")
      .doc("The matrix product, broadcast over leading dims; vectors stand for a row or a column.");
  r.op("linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor")
      .contracts(0)
      .infer(infer_linear)
      .eval(eval_linear)
      .namespaced("_nn")
      .gradient([](GradCall& c) {
        Tensor g = c.grad(), g2 = "reshape"_op(g, Dims{-1, c.sizes(1)[0]});
        if (c.needs(0)) c.set(0, "matmul"_op(g, c.value(1)));
        if (c.needs(1)) c.set(1, "mm"_op("t"_op(g2), "reshape"_op(c.value(0), Dims{-1, c.sizes(1)[1]})));
        if (c.needs(2)) c.set(2, "sum"_op(g2, Dims{0}, false));
      })
      .decompose(
          [](const IValue* a) -> IValue {
            Tensor product = "matmul"_op(a[0], "t"_op(a[1]));
            return a[2].is_none() ? product : Tensor("add"_op(product, a[2]));
          },
          Reads::Nothing)
      .onnx("Add(MatMul(input, Transpose(weight, perm=[1, 0])), bias) if given(bias) | MatMul(input, Transpose(weight, perm=[1, 0]))")
      .doc("input @ weight.T + bias.");
  r.op("addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor")
      .contracts(1)
      .infer(infer_addmm)
      .decompose(
          [](const IValue* a) -> IValue {
            Tensor product = "mm"_op(a[1], a[2]);
            IValue beta = number_in("aten::addmm", a[3], product.dtype()), alpha = number_in("aten::addmm", a[4], product.dtype());
            if (!(alpha.is_int() && alpha.to_int() == 1)) product = "mul"_op(product, alpha);
            if (beta.to_complex() == 0.0) return product;
            if (beta.is_int() && beta.to_int() == 1) return "add"_op(product, a[0]);
            return "add"_op(product, "mul"_op(a[0], beta));
          },
          Reads::Nothing)
      .check(check_addmm)
      .onnx("Gemm(mat1, mat2, self) | Gemm(mat1, mat2, self, alpha=alpha, beta=beta)")
      .doc("beta * self + alpha * (mat1 @ mat2).");
}

}  // namespace monograph
