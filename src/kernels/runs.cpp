// One pass counts the runs, and a second one, from the last element to the first, writes them. Neither has a branch on the elements: each element is written
// to the place of its run, where the run's first element is the last one to be written.
#include "kernels/runs.h"

#include <complex>

#include "kernels/element_types.h"

namespace monograph {
namespace {

// Whether two elements differ, as `ne` says.
template <class T>
bool differ(const T& a, const T& b) {
  if constexpr (is_half<T>) return static_cast<float>(a) != static_cast<float>(b);
  else return a != b;
}

template <class T>
int64_t runs_of(const T* row, int64_t n) {
  int64_t count = n > 0;
  for (int64_t k = 1; k < n; ++k) count += static_cast<int64_t>(differ(row[k], row[k - 1]));
  return count;
}

// `number` and `length` are null if nobody asks for them.
template <class T>
void write_runs(const T* row, int64_t n, int64_t count, T* first, int64_t* number, int64_t* length) {
  int64_t run = count - 1;
  for (int64_t k = n; k-- > 0;) {
    first[run] = row[k];
    if (number) number[k] = run;
    if (length) length[run] = k;  // where the run begins
    run -= static_cast<int64_t>(k > 0 && differ(row[k], row[k - 1]));
  }
  for (run = 0; length && run < count; ++run) length[run] = (run + 1 < count ? length[run + 1] : n) - length[run];
}

}  // namespace

int64_t count_runs(const KernelCall& call) {
  const KernelTensor& self = call.args[0].tensor;
  int64_t count = 0;
  dispatch(self.dtype, [&](auto zero) { count = runs_of(self.as<const decltype(zero)>(), self.numel()); });
  return count;
}

KernelStatus unique_consecutive_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &first = call.results[0], &number = call.results[1], &length = call.results[2];
  auto places = [](const KernelTensor& t) { return t.has_elements() ? t.as<int64_t>() : nullptr; };
  dispatch(self.dtype, [&](auto zero) {
    using T = decltype(zero);
    write_runs(self.as<const T>(), self.numel(), first.sizes[0], first.as<T>(), places(number), places(length));
  });
  return KernelStatus::Ok;
}

}  // namespace monograph
