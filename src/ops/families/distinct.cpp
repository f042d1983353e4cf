// One or two passes over the elements. Their order is that of the decompositions, so that the results have the same bits.
#include "ops/families/distinct.h"

#include <algorithm>
#include <vector>

#include "kernels/element_types.h"
#include "ops/dispatch.h"

namespace monograph {
namespace {

template <class T>
const T* elements(const Tensor& t) {
  return reinterpret_cast<const T*>(t.data());
}
int64_t* indices(const Tensor& t) { return reinterpret_cast<int64_t*>(t.data()); }

// Whether two elements differ, as `ne` says.
template <class T>
bool differ(const T& a, const T& b) {
  if constexpr (is_half<T>) return static_cast<float>(a) != static_cast<float>(b);
  else return a != b;
}

}  // namespace

IValue distinct_elements(const Tensor& x, const Tensor& row, const Tensor* order, bool inverse, bool counts) {
  const int64_t n = row.numel();
  const Tensor places = inverse ? empty(x.sizes(), DType::i64) : empty({0}, DType::i64);
  Tensor values, lengths = empty({0}, DType::i64);
  dispatch(row.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = elements<T>(row);
    const int64_t* at = order ? indices(*order) : nullptr;
    int64_t* place = indices(places);
    std::vector<int64_t> starts_of(static_cast<size_t>(n) + 1);
    int64_t* starts = starts_of.data();
    int64_t runs = 0;
    for (int64_t i = 0; i < n; ++i) {  // without a branch on the elements: a start that does not count is written over
      starts[runs] = i;
      runs += static_cast<int64_t>(differ(from[i], from[std::max<int64_t>(i, 1) - 1])) | static_cast<int64_t>(i == 0);
      if (inverse) place[at ? at[i] : i] = runs - 1;
    }
    starts[runs] = n;
    values = empty({runs}, row.dtype());
    T* to = reinterpret_cast<T*>(values.data());
    for (int64_t k = 0; k < runs; ++k) to[k] = from[starts[k]];
    if (!counts) return;
    lengths = empty({runs}, DType::i64);
    int64_t* length = indices(lengths);
    for (int64_t k = 0; k < runs; ++k) length[k] = starts[k + 1] - starts[k];
  });
  return IValue::tuple({values, places, lengths});
}

}  // namespace monograph
