// Sorting along a dim. Every sort is stable, and a NaN is greater than any number.
#include <algorithm>
#include <complex>
#include <numeric>

#include "ops/around.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/pointwise.h"
#include "ops/registry.h"

namespace monograph {
namespace {

template <class T>
bool less(T a, T b) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) return less(static_cast<float>(a), static_cast<float>(b));
  else if constexpr (std::is_floating_point_v<T>) return a < b || (b != b && a == a);
  else return a < b;
}

// The first `k` of each row in order, and their places.
void sort_rows(const Operator& op, const Tensor& self, int64_t dim, int64_t k, bool descending, IValue* results) {
  auto d = static_cast<size_t>(wrap_dim(dim, self.dim()));
  Dims sizes = self.sizes();
  if (self.dim()) sizes[d] = k;
  Tensor x = contiguous(self), values = empty(sizes, self.dtype(), self.device()), indices = empty(sizes, DType::i64, self.device());
  results[0] = values, results[1] = indices;
  if (values.is_meta() || values.numel() == 0) return;
  const Around from(x.sizes(), d), to(sizes, d);
  std::vector<int64_t> order(static_cast<size_t>(from.n));
  dispatch(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
      fail(ErrorKind::Runtime, "[", op.name(), "] complex numbers have no order; sort their abs() or real part");
    } else {
      for (int64_t o = 0; o < from.outer; ++o)
        for (int64_t i = 0; i < from.inner; ++i) {
          const T* row = x.data_as<T>() + o * from.n * from.inner + i;
          auto before = [&](int64_t a, int64_t b) {
            T u = row[a * from.inner], v = row[b * from.inner];
            if (descending) std::swap(u, v);
            return less(u, v) || (!less(v, u) && a < b);
          };
          std::iota(order.begin(), order.end(), 0);
          if (k < from.n) std::partial_sort(order.begin(), order.begin() + k, order.end(), before);
          else std::sort(order.begin(), order.end(), before);
          const int64_t first = o * to.n * to.inner + i;
          for (int64_t r = 0; r < to.n; ++r) {
            const int64_t at = order[static_cast<size_t>(r)];
            values.data_as<T>()[first + r * to.inner] = row[at * from.inner];
            indices.data_as<int64_t>()[first + r * to.inner] = at;
          }
        }
    }
  });
}

void eval_sort(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& self = args[0].as_tensor();
  int64_t n = self.dim() ? self.size(wrap_dim(args[1].to_int(), self.dim())) : 1;
  sort_rows(op, self, args[1].to_int(), n, args[2].to_bool(), results);
  if (self->contiguous) return;
  for (IValue* r : {&results[0], &results[1]}) {  // in the layout of what was sorted
    Tensor like = empty_like(self, r->as_tensor().dtype());
    if (!like.is_meta()) copy_into(like, r->as_tensor());
    *r = like;
  }
}

void eval_topk(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& self = args[0].as_tensor();
  int64_t k = args[1].to_int(), n = self.dim() ? self.size(wrap_dim(args[2].to_int(), self.dim())) : 1;
  MONOGRAPH_CHECK(k >= 0 && k <= n, Runtime, "[", op.name(), "] selected index k out of range: k is ", k, " and the dim has ", n,
                  " elements");
  sort_rows(op, self, args[2].to_int(), k, args[3].to_bool(), results);
}

// Each gradient goes to the element that stands there.
template <int DimArg>
void chosen_gradient(GradCall& c) {
  c.set(0, "gather_backward"_op(c.grad(), c.sizes(0), c.value(DimArg), c.result(1)));
}

void infer_sort(InferCall& c) {
  c.like(0, c.sizes(0));
  c.tensor(c.sizes(0), DType::i64);
}

void infer_argsort(InferCall& c) { c.tensor(c.sizes(0), DType::i64); }

void infer_topk(InferCall& c) {
  Shape s = c.sizes(0);
  auto d = c.dim(2, s);
  if (s && !d) s = std::vector<ir::TensorType::Dim>(s->size());
  else if (s && !s->empty()) (*s)[*d] = c.size(1);
  c.like(0, s);
  c.tensor(s, DType::i64);
}

}  // namespace

void sorting(Registry& r) {
  r.op("sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)")
      .infer(infer_sort)
      .eval(eval_sort)
      .gradient(chosen_gradient<1>)
      .onnx(none("TopK of whole rows, whose length must be known"))
      .doc("The elements in order along `dim`, and where they stood; equal ones keep theirs.");
  r.op("sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)")
      .infer(infer_sort)
      .decompose([](const IValue* a) -> IValue { return "sort"_op(a[0], a[2], a[3]); }, Reads::Nothing)
      .onnx(none("TopK of whole rows, whose length must be known"))
      .doc("The elements in order along `dim`, and where they stood; equal ones keep theirs.");
  auto places = none("its result is an index");
  r.op("argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor")
      .infer(infer_argsort)
      .decompose([](const IValue* a) -> IValue { return "sort"_op(a[0], a[1], a[2])[1]; }, Reads::Nothing)
      .gradient(places)
      .onnx(none("TopK of whole rows, whose length must be known"))
      .doc("Where the elements in order along `dim` stand.");
  r.op("argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor")
      .infer(infer_argsort)
      .decompose([](const IValue* a) -> IValue { return "sort"_op(a[0], a[2], a[3])[1]; }, Reads::Nothing)
      .gradient(places)
      .onnx(none("TopK of whole rows, whose length must be known"))
      .doc("Where the elements in order along `dim` stand.");
  r.op("topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)")
      .infer(infer_topk)
      .eval(eval_topk)
      .gradient(chosen_gradient<2>)
      .onnx(none("TopK is one node with two results"))
      .doc("The `k` largest or smallest elements along `dim`, in order, and where they stand.");
}

}  // namespace monograph
