// Sorting along a dim. A NaN is greater than any number; the order of equal elements is PyTorch's (kernels/sort.h).
#include "kernels/sort.h"

#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/kernel_call.h"
#include "ops/pointwise.h"
#include "ops/registry.h"

namespace monograph {
namespace {

void check_ordered(const Operator& op, const Tensor& self) {
  MONOGRAPH_CHECK(!is_complex(self.dtype()), Runtime, "[", op.name(), "] complex numbers have no order; sort their abs() or real part");
}

// Runs a kernel that gives values and indices of `sizes`, in these strides.
void run_sort(StructuredKernel kernel, int64_t dim, std::initializer_list<IValue> args, const Tensor& values, const Tensor& indices,
              IValue* results) {
  results[0] = values, results[1] = indices;
  if (values.is_meta()) return;
  KernelCall call;
  run_kernel(kernel, call, args, {values, indices}, sort_scratch(kernel_tensor(args.begin()->as_tensor()), dim));
}

void eval_sort(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& self = args[0].as_tensor();
  check_ordered(op, self);
  const int64_t d = wrap_dim(args[1].to_int(), self.dim());
  run_sort(sort_kernel, d, {self, d, args[2]}, empty_like(self, self.dtype()), empty_like(self, DType::i64), results);
}

void eval_sort_stable(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& self = args[0].as_tensor();
  check_ordered(op, self);
  const int64_t d = wrap_dim(args[2].to_int(), self.dim());
  run_sort(sort_stable_kernel, d, {self, args[1], d, args[3]}, empty_like(self, self.dtype()), empty_like(self, DType::i64), results);
}

void eval_topk(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& self = args[0].as_tensor();
  const int64_t k = args[1].to_int(), d = wrap_dim(args[2].to_int(), self.dim());
  Dims sizes = self.sizes();
  const int64_t n = self.dim() ? std::exchange(sizes[static_cast<size_t>(d)], k) : 1;
  MONOGRAPH_CHECK(k >= 0 && k <= n, Runtime, "[", op.name(), "] selected index k out of range: k is ", k, " and the dim has ", n,
                  " elements");
  check_ordered(op, self);
  MONOGRAPH_CHECK(self.dtype() != DType::b1, Runtime, "[", op.name(), "] topk does not support bool; use x.to(torch.uint8).topk(k)");
  run_sort(topk_kernel, d, {self, k, d, args[3], args[4]}, empty(sizes, self.dtype(), self.device()),
           empty(sizes, DType::i64, self.device()), results);
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
