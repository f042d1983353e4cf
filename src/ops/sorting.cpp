// Sorting along a dim. A NaN is greater than any number.
//
// Which of equal elements comes first shows in the indices. There it is PyTorch's order: a stable sort keeps theirs; `sort` and `topk` leave
// them where the standard algorithms named below do, which PyTorch calls with the same comparisons.
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

// How the elements of a row are put in order.
enum class Order : uint8_t { Stable, Unstable, Top, TopUnsorted };

// Puts the first `k` of [begin, end) where they belong.
template <class Element, class Before>
void order_row(Order order, Element* begin, Element* end, int64_t k, Before before) {
  constexpr int64_t kShare = 64;  // up to this part of a row, a heap of the chosen is kept
  if (order == Order::Stable) std::stable_sort(begin, end, before);
  else if (order == Order::Unstable) std::sort(begin, end, before);
  else if (k * kShare <= end - begin) std::partial_sort(begin, begin + k, end, before);
  else {
    std::nth_element(begin, begin + k - 1, end, before);
    if (order == Order::Top) std::sort(begin, begin + k - 1, before);
  }
}

// The first `k` of each row, and their places.
void sort_rows(const Operator& op, const Tensor& self, int64_t dim, int64_t k, bool descending, Order order, IValue* results) {
  auto d = static_cast<size_t>(wrap_dim(dim, self.dim()));
  Dims sizes = self.sizes();
  if (self.dim()) sizes[d] = k;
  Tensor x = contiguous(self), values = empty(sizes, self.dtype(), self.device()), indices = empty(sizes, DType::i64, self.device());
  results[0] = values, results[1] = indices;
  if (values.is_meta() || values.numel() == 0) return;
  const Around from(x.sizes(), d), to(sizes, d);
  dispatch(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
      fail(ErrorKind::Runtime, "[", op.name(), "] complex numbers have no order; sort their abs() or real part");
    } else {
      using Element = std::pair<T, int64_t>;
      std::vector<Element> row(static_cast<size_t>(from.n));
      for (int64_t o = 0; o < from.outer; ++o)
        for (int64_t i = 0; i < from.inner; ++i) {
          const T* source = x.data_as<T>() + o * from.n * from.inner + i;
          for (int64_t r = 0; r < from.n; ++r) row[static_cast<size_t>(r)] = {source[r * from.inner], r};
          Element *begin = row.data(), *end = begin + from.n;
          if (descending) order_row(order, begin, end, k, [](const Element& a, const Element& b) { return less(b.first, a.first); });
          else order_row(order, begin, end, k, [](const Element& a, const Element& b) { return less(a.first, b.first); });
          const int64_t first = o * to.n * to.inner + i;
          for (int64_t r = 0; r < to.n; ++r) {
            values.data_as<T>()[first + r * to.inner] = begin[r].first;
            indices.data_as<int64_t>()[first + r * to.inner] = begin[r].second;
          }
        }
    }
  });
}

void sort_all(const Operator& op, const Tensor& self, int64_t dim, bool descending, Order order, IValue* results) {
  int64_t n = self.dim() ? self.size(wrap_dim(dim, self.dim())) : 1;
  sort_rows(op, self, dim, n, descending, order, results);
  if (self->contiguous) return;
  for (IValue* r : {&results[0], &results[1]}) {  // in the layout of what was sorted
    Tensor like = empty_like(self, r->as_tensor().dtype());
    if (!like.is_meta()) copy_into(like, r->as_tensor());
    *r = like;
  }
}

void eval_sort(const Operator& op, const IValue* args, IValue* results) {
  constexpr int64_t kRadix = 32768;  // from here on PyTorch sorts a vector of integers by their digits, which is stable
  const Tensor& self = args[0].as_tensor();
  const DType t = self.dtype();
  const bool by_digits =
      !args[2].to_bool() && self.dim() == 1 && self.numel() >= kRadix && t != DType::b1 && !is_floating(t) && !is_complex(t);
  sort_all(op, self, args[1].to_int(), args[2].to_bool(), by_digits ? Order::Stable : Order::Unstable, results);
}

void eval_sort_stable(const Operator& op, const IValue* args, IValue* results) {
  if (args[1].is_none() || !args[1].to_bool()) {
    const IValue plain[] = {args[0], args[2], args[3]};
    return eval_sort(op, plain, results);
  }
  sort_all(op, args[0].as_tensor(), args[2].to_int(), args[3].to_bool(), Order::Stable, results);
}

void eval_topk(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& self = args[0].as_tensor();
  int64_t k = args[1].to_int(), n = self.dim() ? self.size(wrap_dim(args[2].to_int(), self.dim())) : 1;
  MONOGRAPH_CHECK(k >= 0 && k <= n, Runtime, "[", op.name(), "] selected index k out of range: k is ", k, " and the dim has ", n,
                  " elements");
  MONOGRAPH_CHECK(self.dtype() != DType::b1, Runtime, "[", op.name(), "] topk does not support bool; use x.to(torch.uint8).topk(k)");
  sort_rows(op, self, args[2].to_int(), k, args[3].to_bool(), args[4].to_bool() ? Order::Top : Order::TopUnsorted, results);
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
      .doc("The elements in order along `dim`, and where they stood. `stable=True` keeps the order of equal ones.");
  r.op("sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)")
      .infer(infer_sort)
      .eval(eval_sort_stable)
      .gradient(chosen_gradient<2>)
      .onnx(none("TopK of whole rows, whose length must be known"))
      .doc("The elements in order along `dim`, and where they stood. `stable=True` keeps the order of equal ones.");
  auto places = none("its result is an index");
  r.op("argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor")
      .infer(infer_argsort)
      .decompose([](const IValue* a) -> IValue { return "sort"_op(a[0], a[1], a[2])[1]; }, Reads::Nothing)
      .gradient(places)
      .onnx(none("TopK of whole rows, whose length must be known"))
      .doc("Where the elements in order along `dim` stand. `stable=True` keeps the order of equal ones.");
  r.op("argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor")
      .infer(infer_argsort)
      .decompose([](const IValue* a) -> IValue { return "sort"_op(a[0], a[1], a[2], a[3])[1]; }, Reads::Nothing)
      .gradient(places)
      .onnx(none("TopK of whole rows, whose length must be known"))
      .doc("Where the elements in order along `dim` stand. `stable=True` keeps the order of equal ones.");
  r.op("topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)")
      .infer(infer_topk)
      .eval(eval_topk)
      .gradient(chosen_gradient<2>)
      .onnx(none("TopK is one node with two results"))
      .doc("The `k` largest or smallest elements along `dim`, in order, and where they stand.");
}

}  // namespace monograph
