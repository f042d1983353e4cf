// One thread computes a bag: it adds the bag's rows for one block of columns at a time, whose sums stay in the first-level cache.
#include "kernels/embedding_bag.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "core/threads/pool.h"
#include "kernels/element_types.h"
#include "kernels/grain.h"
#include "kernels/number.h"
#include "kernels/row_sum.h"

namespace monograph {
namespace {

constexpr int64_t kEmbeddingBagCost = 2;  // instructions for an element that is read
constexpr int64_t kBagColumns = 256;  // columns of a block

// Reads the integers of an argument of int32 or int64.
struct Indices {
  const KernelTensor& tensor;
  int64_t operator[](int64_t i) const { return tensor.dtype == DType::i32 ? tensor.as<int32_t>()[i] : tensor.as<int64_t>()[i]; }
};

// One overload has no padding_idx.
bool has_padding(const KernelCall& call) { return call.arg_count > 8 && !call.args[8].none(); }

struct BagCall {
  Indices indices, offsets;
  const KernelTensor &weight, *samples;
  int64_t rows, columns, count, bags, mode, padding;
  explicit BagCall(const KernelCall& call)
      : indices{call.args[1].tensor},
        offsets{call.args[2].tensor},
        weight(call.args[0].tensor),
        samples(call.args[6].none() ? nullptr : &call.args[6].tensor),
        rows(weight.sizes[0]),
        columns(weight.sizes[1]),
        count(indices.tensor.numel()),
        bags(offsets.tensor.numel() - (call.args[7].boolean ? 1 : 0)),
        mode(call.args[4].integer),
        padding(has_padding(call) ? call.args[8].integer : -1) {
    if (padding < 0 && has_padding(call)) padding += rows;
  }
  int64_t begin(int64_t bag) const { return offsets[bag]; }
  int64_t end(int64_t bag) const { return std::max(begin(bag), bag + 1 < offsets.tensor.numel() ? offsets[bag + 1] : count); }
};

template <class T>
void add_bag(const BagCall& c, int64_t bag, int64_t counted, int64_t column, int64_t columns, T* out) {
  using W = OpMathType<T>;
  W sums[kBagColumns];
  std::fill(sums, sums + columns, W(0));
  for (int64_t i = c.begin(bag); i < c.end(bag); ++i) {
    if (c.indices[i] == c.padding) continue;
    const T* row = c.weight.as<T>() + c.indices[i] * c.columns + column;
    const W factor = c.samples ? static_cast<W>(c.samples->as<T>()[i]) : W(1);
    if (c.samples)
      for (int64_t k = 0; k < columns; ++k) sums[k] += static_cast<W>(row[k]) * factor;
    else
      for (int64_t k = 0; k < columns; ++k) sums[k] += static_cast<W>(row[k]);
  }
  const W divisor = c.mode == kBagMean ? static_cast<W>(std::max<int64_t>(counted, 1)) : W(1);
  for (int64_t k = 0; k < columns; ++k) out[k] = T(c.mode == kBagMean ? sums[k] / divisor : sums[k]);
}

template <class T>
void take_largest(const BagCall& c, int64_t bag, T* out, int64_t* chosen) {
  using W = OpMathType<T>;
  std::fill(out, out + c.columns, T(W(0)));
  std::fill(chosen, chosen + c.columns, int64_t{-1});
  for (int64_t i = c.begin(bag); i < c.end(bag); ++i) {
    const int64_t at = c.indices[i];
    if (at == c.padding) continue;
    const T* row = c.weight.as<T>() + at * c.columns;
    for (int64_t k = 0; k < c.columns; ++k)
      if (chosen[k] < 0 || static_cast<W>(row[k]) > static_cast<W>(out[k])) out[k] = row[k], chosen[k] = at;
  }
}

template <class T>
void fill_bags(const KernelCall& call, const BagCall& c) {
  auto* bag_of = call.results[1].as<int64_t>();
  auto* sizes = call.results[2].as<int64_t>();
  const int64_t each = c.columns * std::max<int64_t>(1, c.count / std::max<int64_t>(1, c.bags));
  parallel_for(0, c.bags, grain(kEmbeddingBagCost, each), [&](int64_t begin, int64_t end) {
    for (int64_t bag = begin; bag < end; ++bag) {
      T* out = call.results[0].as<T>() + bag * c.columns;
      int64_t counted = 0;
      for (int64_t i = c.begin(bag); i < c.end(bag); ++i) bag_of[i] = bag, counted += c.indices[i] != c.padding;
      sizes[bag] = counted;
      if (c.mode == kBagMax) take_largest(c, bag, out, call.results[3].as<int64_t>() + bag * c.columns);
      else
        for (int64_t k = 0; k < c.columns; k += kBagColumns) add_bag(c, bag, counted, k, std::min(kBagColumns, c.columns - k), out + k);
    }
  });
}

// The norm of a row of n elements, with the bits of linalg_vector_norm; p is 1 or 2.
template <class T>
T norm_of_row(const T* row, int64_t n, double p) {
  if (p == 1) return row_sum<T>(n, [&](int64_t i) { return std::fabs(row[i]); });
  return std::sqrt(row_sum<T>(n, [&](int64_t i) { return row[i] * row[i]; }));
}

template <class T>
KernelStatus renorm_rows(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &indices = call.args[1].tensor;
  const T most = static_cast<T>(real_of(call.args[2]));
  const int64_t rows = self.sizes[0], n = self.sizes[1];
  T* out = call.results[0].as<T>();
  char* done = call.scratch;
  std::memcpy(out, self.data, static_cast<size_t>(rows * n) * sizeof(T));
  std::memset(done, 0, static_cast<size_t>(rows));
  for (int64_t k = 0, count = indices.numel(); k < count; ++k) {
    const int64_t row = indices.as<const int64_t>()[k];
    if (row < 0 || row >= rows) return call.fail(row, rows, k);
    if (done[row]) continue;
    done[row] = 1;
    T* to = out + row * n;
    const T norm = norm_of_row(to, n, real_of(call.args[3]));
    if (!(norm > most)) continue;
    const T factor = most / (norm + static_cast<T>(1e-7));
    for (int64_t i = 0; i < n; ++i) to[i] *= factor;
  }
  return KernelStatus::Ok;
}

}  // namespace

KernelStatus embedding_renorm_kernel(KernelCall& call) {
  return call.results[0].dtype == DType::f32 ? renorm_rows<float>(call) : renorm_rows<double>(call);
}

KernelStatus embedding_bag_kernel(KernelCall& call) {
  const BagCall c(call);
  for (int64_t i = 0; i < c.count; ++i)
    if (const int64_t at = c.indices[i]; at < 0 || at >= c.rows) return call.fail(at, c.rows, i);
  const int64_t offsets = c.offsets.tensor.numel();
  if (offsets > 0 && c.offsets[0] != 0) return call.fail(c.offsets[0], 0, 0, KernelStatus::BadSecond);
  for (int64_t i = 0; i < offsets; ++i)
    if (c.offsets[i] < 0 || c.offsets[i] > c.count) return call.fail(c.offsets[i], c.count, i, KernelStatus::BadThird);
  std::fill_n(call.results[1].as<int64_t>(), c.count, int64_t{0});
  switch (c.weight.dtype) {
    case DType::f16: fill_bags<half>(call, c); break;
    case DType::bf16: fill_bags<bfloat16>(call, c); break;
    case DType::f32: fill_bags<float>(call, c); break;
    default: fill_bags<double>(call, c);
  }
  return KernelStatus::Ok;
}

}  // namespace monograph
