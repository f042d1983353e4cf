// Copies the rows of one matrix and the columns of the other into contiguous int16 vectors, since processors multiply and add pairs of int16 at once.
#include "kernels/byte_products.h"

#include <algorithm>

#include "kernels/clones.h"
#include "kernels/grain.h"

namespace monograph {
namespace {

constexpr int kRows = 2, kColumns = 4;  // the block of products that are summed together, so that each vector read is used several times

struct WidenBytes {
  template <class T>
  [[gnu::always_inline]] static void run(int16_t* to, const T* from, int64_t step, int64_t n, int64_t depth) {
    if (step == 1)
      for (int64_t i = 0; i < n; ++i) to[i] = from[i];
    else
      for (int64_t i = 0; i < n; ++i) to[i] = from[i * step];
    std::fill(to + n, to + depth, int16_t{0});
  }
};

struct SumBytes {
  [[gnu::always_inline]] static void block(const int16_t* const* a, const int16_t* const* b, int64_t depth, int32_t* sums) {
    const int16_t *a0 = a[0], *a1 = a[1], *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
    int32_t s00 = 0, s01 = 0, s02 = 0, s03 = 0, s10 = 0, s11 = 0, s12 = 0, s13 = 0;
    for (int64_t p = 0; p < depth; ++p) {
      s00 += a0[p] * b0[p], s01 += a0[p] * b1[p], s02 += a0[p] * b2[p], s03 += a0[p] * b3[p];
      s10 += a1[p] * b0[p], s11 += a1[p] * b1[p], s12 += a1[p] * b2[p], s13 += a1[p] * b3[p];
    }
    const int32_t all[] = {s00, s01, s02, s03, s10, s11, s12, s13};
    std::copy_n(all, kRows * kColumns, sums);
  }

  // Computes `rows` rows of the result. In incomplete blocks the last row or column is computed several times.
  [[gnu::always_inline]] static void run(const int16_t* a, int64_t rows, const int16_t* b, int64_t columns, int64_t depth, int32_t* out,
                                         int64_t row_step, int64_t column_step) {
    for (int64_t j = 0; j < columns; j += kColumns) {
      const int16_t* right[kColumns];
      for (int c = 0; c < kColumns; ++c) right[c] = b + std::min(j + c, columns - 1) * depth;
      for (int64_t i = 0; i < rows; i += kRows) {
        const int16_t* left[kRows];
        int32_t sums[kRows * kColumns];
        for (int r = 0; r < kRows; ++r) left[r] = a + std::min(i + r, rows - 1) * depth;
        block(left, right, depth, sums);
        for (int r = 0; r < kRows && i + r < rows; ++r)
          for (int c = 0; c < kColumns && j + c < columns; ++c) out[(i + r) * row_step + (j + c) * column_step] = sums[r * kColumns + c];
      }
    }
  }
};

// Copies each of `count` vectors of n bytes, one after the other.
void widen(const KernelTensor& x, int64_t count, int64_t vector_step, int64_t n, int64_t step, int16_t* to) {
  const int64_t depth = byte_product_depth(n);
  auto each = [&](const auto* from) {
    share_steps(1, count, depth, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) run_clone<WidenBytes>(to + i * depth, from + i * vector_step, step, n, depth);
    });
  };
  if (x.dtype == DType::u8) each(x.as<const uint8_t>());
  else each(x.as<const int8_t>());
}

}  // namespace

KernelStatus byte_product_kernel(KernelCall& call) {
  const KernelTensor &a = call.args[0].tensor, &b = call.args[1].tensor, &out = call.results[0];
  const int64_t m = a.sizes[0], k = a.sizes[1], n = b.sizes[1], depth = byte_product_depth(k);
  if (m == 0 || n == 0) return KernelStatus::Ok;
  int16_t *rows = reinterpret_cast<int16_t*>(call.scratch), *columns = rows + m * depth;
  widen(a, m, a.strides[0], k, a.strides[1], rows);
  widen(b, n, b.strides[1], k, b.strides[0], columns);
  constexpr int64_t kBand = 64;  // rows of the result that are computed in one pass over the columns
  const int64_t bands = (m + kBand - 1) / kBand;
  share_steps(1, bands, kBand * n * std::max<int64_t>(1, depth / 16), [&](int64_t begin, int64_t end) {
    for (int64_t band = begin; band < end; ++band) {
      const int64_t first = band * kBand;
      run_clone<SumBytes>(static_cast<const int16_t*>(rows + first * depth), std::min(kBand, m - first),
                          static_cast<const int16_t*>(columns), n, depth, out.as<int32_t>() + first * out.strides[0], out.strides[0],
                          out.strides[1]);
    }
  });
  return KernelStatus::Ok;
}

}  // namespace monograph
