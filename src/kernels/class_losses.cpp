// Each kernel writes the loss of every row into the result, or into scratch memory, and then reduces them.
#include "kernels/class_losses.h"

#include <algorithm>

#include "kernels/element_types.h"
#include "kernels/grain.h"
#include "kernels/number.h"
#include "kernels/row_sum.h"

namespace monograph {
namespace {

enum Reduction : int64_t { kNone, kMean, kSum };

template <class T>
OpMathType<T> wide(T x) {
  return static_cast<OpMathType<T>>(x);
}

template <class F>
auto of_floating(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f64: return f(double());
    case DType::f16: return f(half());
    case DType::bf16: return f(bfloat16());
    default: return f(float());
  }
}

template <class T>
OpMathType<T> total(const T* x, int64_t n) {
  return row_sum<OpMathType<T>>(n, [&](int64_t i) { return wide(x[i]); });
}

// Reduces the losses to their mean or sum.
template <class T>
void reduce(const KernelTensor& out, const T* losses, int64_t n, int64_t reduction) {
  const OpMathType<T> sum = total(losses, n);
  *out.as<T>() = static_cast<T>(reduction == kMean ? sum / static_cast<OpMathType<T>>(n) : sum);
}

// ---- nll_loss ----

// The position of the scores of each target. A target's index is its batch index and the indices of the dims after the class dim.
struct Scores {
  const KernelTensor& x;
  int32_t dim;  // the class dim
  int64_t classes, inner = 1;
  explicit Scores(const KernelTensor& self) : x(self), dim(self.dim == 1 ? 0 : 1), classes(self.sizes[dim]) {
    for (int32_t d = dim + 1; d < x.dim; ++d) inner *= x.sizes[d];
  }
  int64_t offset(int64_t place) const {
    int64_t at = dim == 1 ? place / inner * x.strides[0] : 0;
    for (int32_t d = x.dim; --d > dim; place /= x.sizes[d]) at += place % x.sizes[d] * x.strides[d];
    return at;
  }
};

// The position of the first target that is neither a class nor ignored; -1 if there is none.
template <class I>
int64_t outside(const I* target, int64_t n, int64_t classes, int64_t ignored) {
  for (int64_t i = 0; i < n; ++i)
    if (const auto at = static_cast<int64_t>(target[i]); at != ignored && (at < 0 || at >= classes)) return i;
  return -1;
}

template <class T, class I>
KernelStatus negative_likelihood(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &target = call.args[1].tensor, &out = call.results[0];
  const KernelTensor* weight = call.args[2].none() ? nullptr : &call.args[2].tensor;
  const int64_t reduction = call.args[3].integer, ignored = call.args[4].integer, n = target.numel();
  const I* index = target.as<const I>();
  const Scores scores(self);
  if (const int64_t bad = outside(index, n, scores.classes, ignored); bad >= 0)
    return call.fail(static_cast<int64_t>(index[bad]), scores.classes, bad);
  auto factor = [&](int64_t i) { return weight ? weight->as<const T>()[static_cast<int64_t>(index[i]) * weight->strides[0]] : T(1); };
  T* losses = reduction == kNone ? out.as<T>() : reinterpret_cast<T*>(call.scratch);
  auto part = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto at = static_cast<int64_t>(index[i]);
      if (at == ignored) losses[i] = T(0);
      else
        losses[i] = static_cast<T>(
            -wide(static_cast<T>(wide(self.as<const T>()[scores.offset(i) + at * self.strides[scores.dim]]) * wide(factor(i)))));
    }
  };
  constexpr int64_t kCost = 8;
  share_steps(kCost, n, 1, part);
  if (reduction == kNone) return KernelStatus::Ok;
  const auto sum = static_cast<T>(total(losses, n));
  if (reduction == kSum) return *out.as<T>() = sum, KernelStatus::Ok;
  const auto weights = static_cast<T>(
      row_sum<OpMathType<T>>(n, [&](int64_t i) { return static_cast<int64_t>(index[i]) == ignored ? OpMathType<T>(0) : wide(factor(i)); }));
  *out.as<T>() = static_cast<T>(wide(sum) / wide(weights));
  return KernelStatus::Ok;
}

// ---- margins ----

// Makes the scores of a row contiguous.
template <class T>
const T* gathered(const KernelTensor& x, int64_t row, int64_t classes, T* room) {
  const int64_t step = x.dim > 0 ? x.strides[x.dim - 1] : 1;
  const T* from = x.as<const T>() + (x.dim == 2 ? row * x.strides[0] : 0);
  if (step == 1) return from;
  for (int64_t j = 0; j < classes; ++j) room[j] = from[j * step];
  return room;
}

// max(0, margin - chosen + other).
template <class T>
T missing(T margin_and_chosen, T other) {
  const auto sum = wide(static_cast<T>(wide(margin_and_chosen) + wide(other)));
  return static_cast<T>(sum < 0 ? OpMathType<T>(0) : sum);  // a NaN stays NaN
}

// Writes the loss of each row, and reduces the losses.
template <class T, class F>
void losses_of_rows(KernelCall& call, int64_t rows, int64_t classes, int64_t reduction, F&& loss) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  T *room = reinterpret_cast<T*>(call.scratch), *losses = reduction == kNone ? out.as<T>() : room + classes;
  for (int64_t row = 0; row < rows; ++row)
    losses[row] = static_cast<T>(wide(loss(row, gathered(self, row, classes, room))) / static_cast<OpMathType<T>>(classes));
  if (reduction != kNone) reduce(out, losses, rows, reduction);
}

int64_t class_count(const KernelTensor& x) { return x.dim == 0 ? 1 : x.sizes[x.dim - 1]; }
int64_t row_count(const KernelTensor& x) { return x.dim == 2 ? x.sizes[0] : 1; }

// The position of the first label that is not in [least, classes); -1 if there is none.
int64_t no_class(const KernelTensor& target, int64_t least, int64_t classes) {
  for (int64_t i = 0; i < target.numel(); ++i)
    if (const int64_t at = target.as<const int64_t>()[i]; at < least || at >= classes) return i;
  return -1;
}

template <class T>
void multi_margin(KernelCall& call, int64_t rows, int64_t classes) {
  const int64_t* target = call.args[1].tensor.as<const int64_t>();
  const bool squared = number_as<double>(call.args[2]) == 2;
  const OpMathType<T> margin = wide(number_as<T>(call.args[3]));
  const KernelTensor* weight = call.args[4].none() ? nullptr : &call.args[4].tensor;
  const int64_t weight_step = weight && weight->dim > 0 ? weight->strides[0] : 0;
  losses_of_rows<T>(call, rows, classes, call.args[5].integer, [&](int64_t row, const T* x) {
    const T chosen = static_cast<T>(margin - wide(x[target[row]]));
    return static_cast<T>(row_sum<OpMathType<T>>(classes, [&](int64_t j) {
      if (j == target[row]) return OpMathType<T>(0);
      T apart = missing(chosen, x[j]);
      if (squared) apart = static_cast<T>(wide(apart) * wide(apart));
      return wide(weight ? static_cast<T>(wide(apart) * wide(weight->as<const T>()[target[row] * weight_step])) : apart);
    }));
  });
}

// The labels of a row end at the first -1. Each label is compared with every class that is not a label of the row.
template <class T>
void multilabel_margin(KernelCall& call, int64_t rows, int64_t classes) {
  const KernelTensor& target = call.args[1].tensor;
  auto* marks = reinterpret_cast<uint8_t*>(call.scratch) + (rows + classes) * static_cast<int64_t>(sizeof(T));
  losses_of_rows<T>(call, rows, classes, call.args[2].integer, [&](int64_t row, const T* x) {
    const int64_t* labels = target.as<const int64_t>() + row * classes;
    int64_t count = 0;
    std::fill_n(marks, classes, uint8_t(0));
    for (; count < classes && labels[count] >= 0; ++count) marks[labels[count]] = 1;
    // All terms after the last label are zero, and so are the last blocks of the sum, so they can be left out.
    int64_t label = 0, j = 0;
    T chosen{};
    return static_cast<T>(row_sum<OpMathType<T>>(count * classes, [&](int64_t) {
      if (j == 0) chosen = static_cast<T>(OpMathType<T>(1) - wide(x[labels[label]]));
      const OpMathType<T> apart = marks[j] ? OpMathType<T>(0) : wide(missing(chosen, x[j]));
      if (++j == classes) j = 0, ++label;
      return apart;
    }));
  });
}

}  // namespace

KernelStatus nll_loss_kernel(KernelCall& call) {
  return of_floating(call.results[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    return call.args[1].tensor.dtype == DType::u8 ? negative_likelihood<T, uint8_t>(call) : negative_likelihood<T, int64_t>(call);
  });
}

KernelStatus multi_margin_loss_kernel(KernelCall& call) {
  const KernelTensor &x = call.args[0].tensor, &target = call.args[1].tensor;
  if (const int64_t bad = no_class(target, 0, class_count(x)); bad >= 0)
    return call.fail(target.as<const int64_t>()[bad], class_count(x), bad);
  of_floating(x.dtype, [&](auto zero) { multi_margin<decltype(zero)>(call, row_count(x), class_count(x)); });
  return KernelStatus::Ok;
}

KernelStatus multilabel_margin_loss_kernel(KernelCall& call) {
  const KernelTensor &x = call.args[0].tensor, &target = call.args[1].tensor;
  if (const int64_t bad = no_class(target, -1, class_count(x)); bad >= 0)
    return call.fail(target.as<const int64_t>()[bad], class_count(x), bad);
  of_floating(x.dtype, [&](auto zero) { multilabel_margin<decltype(zero)>(call, row_count(x), class_count(x)); });
  return KernelStatus::Ok;
}

int64_t class_loss_scratch(DType dtype, int64_t rows, int64_t classes) { return (rows + classes) * element_size(dtype) + classes; }

}  // namespace monograph
