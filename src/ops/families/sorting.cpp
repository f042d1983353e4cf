// sort, argsort and topk. A NaN counts as greater than any number. Equal elements have the same order as in PyTorch (kernels/sort.h).
#include "kernels/sort.h"

#include "ops/dispatch.h"
#include "ops/families/error_kinds.h"
#include "ops/families/ordered_rows.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

template <size_t kDim>
void sort_rule(RuleCall& c) {
  check_ordered(c);
  sorted_dim(c, kDim);
  c.like_layout(0, c.dtype(0));
  c.like_layout(0, DType::i64);
}

template <size_t kDim>
void argsort_rule(RuleCall& c) {
  check_ordered(c);
  sorted_dim(c, kDim);
  c.like_layout(0, DType::i64);
}

void topk_rule(RuleCall& c) {
  check_ordered(c);
  c.check(c.dtype(0) != DType::b1, Runtime, "topk does not support bool; use x.to(torch.uint8).topk(k)");
  const Size k = c.size(1);
  Sizes sizes = c.sizes(0);
  if (sizes.ranked()) {
    auto d = sorted_dim(c, 2);
    const Size n = sizes.empty() ? Size(1) : d ? sizes[*d] : Size();
    c.check(k >= 0 && k <= n, Runtime, "selected index k out of range: k is ", k, " and the dim has ", n, " elements");
    if (!d) sizes = Sizes(sizes.size(), Size());
    else if (!sizes.empty()) sizes.set(*d, k);
  }
  c.like(0, sizes);
  c.result(sizes, DType::i64);
}

// The gradient of each value goes to the element whose index is in the second result.
template <int DimArg>
void chosen_gradient(GradCall& c) {
  c.set(0, "gather_backward"_op(c.grad(), c.sizes(0), c.value(DimArg), c.result(1)));
}

}  // namespace

void sorting(Registry& r) {
  r.op("sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)")
      .out_named("values", {"values", "indices"})
      .rule(sort_rule<1>)
      .kernel(sort_kernel)
      .gradient(chosen_gradient<1>)
      .onnx(none("TopK of whole rows, whose length must be known"))
      .doc("The elements in ascending order along `dim`, and their indices. `stable=True` keeps the order of equal elements.")
      .samples(R"([[x, d, b] for x in layouts(3, 4) for d, b in ((0, False), (-1, True))] + [[special(d), 0, b] for d in ALL
                  for b in (False, True)]
               + [[t(f32), -1, False], [t(f32, 2, 0), 1, True], [t(f32, 300), 0, False]] + [[x, -1, b] for x in crowds()
                  for b in (False, True)]
               + [[x.t(), 0, True] for x in crowds()[:2]])");
  r.op("sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)")
      .out_named("values_stable", {"values", "indices"})
      .rule(sort_rule<2>)
      .kernel(sort_stable_kernel)
      .gradient(chosen_gradient<2>)
      .onnx(none("TopK of whole rows, whose length must be known"))
      .doc("The elements in ascending order along `dim`, and their indices. `stable=True` keeps the order of equal elements.")
      .samples(R"([[x, b, 1, b] for x in layouts(3, 4) for b in (True, False)] + [[t(i64, 40), True, 0, True]]
               + [[x, stable, -1, b] for x in crowds()[1:5] for stable in (True, False, None) for b in (False, True)])");
  auto places = none("its result is an index");
  r.op("argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor")
      .rule(argsort_rule<1>)
      .decompose([](const IValue* a) -> IValue { return "sort"_op(a[0], a[1], a[2])[1]; }, Reads::Nothing)
      .gradient(places)
      .onnx(none("TopK of whole rows, whose length must be known"))
      .doc("The indices that sort the elements along `dim`. `stable=True` keeps the order of equal elements.")
      .samples(R"([[x, d, b] for x in layouts(3, 4) for d, b in ((0, False), (-1, True))] + [[t(f32), 0, False]]
               + [[x, 1, b] for x in crowds()[1:4] for b in (False, True)])");
  r.op("argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor")
      .rule(argsort_rule<2>)
      .decompose([](const IValue* a) -> IValue { return "sort"_op(a[0], a[1], a[2], a[3])[1]; }, Reads::Nothing)
      .gradient(places)
      .onnx(none("TopK of whole rows, whose length must be known"))
      .doc("The indices that sort the elements along `dim`. `stable=True` keeps the order of equal elements.")
      .samples(R"([[x, True, 1, b] for x in layouts(3, 4) for b in (False, True)]
               + [[x, stable, 1, True] for x in crowds()[1:4] for stable in (True, False)])");
  r.op("topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)")
      .out_named("values", {"values", "indices"})
      .rule(topk_rule)
      .kernel(topk_kernel)
      .gradient(chosen_gradient<2>)
      .onnx(none("TopK is one node with two results"))
      .doc("The `k` largest or smallest elements along `dim`, in order, and their indices.")
      .samples(R"([[t(d, 3, 40), k, dim, b, True] for d in (f32, f64)
                  for k, dim, b in ((2, -1, True), (3, 0, False), (0, 1, True), (40, 1, False))]
               + [[t(f32), 1, 0, True, True], [t(f32, 3), 4, 0, True, True],
                  *[[at([1.0, nan, 3.0, 2.0]), 2, 0, b, True] for b in (True, False)],
                [t(i64, 1), 1, 0, True, True]]
               + [[x, k, 1, largest, in_order] for x in crowds() for k in (1, 7, x.shape[1])
                  for largest, in_order in ((True, True), (False, False))]
               + [[x.t(), 3, 0, True, True] for x in crowds()[:2]])");
}

}  // namespace monograph
