// Merges and sorts the dims into loops. The kernel runs the two innermost loops. The others are counted here, and the thread pool shares their iterations.
#include "kernels/launch.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <utility>

#include "core/threads/pool.h"
#include "kernels/evaluator.h"
#include "kernels/grain.h"
#include "kernels/registry.h"
#include "kernels/round.h"

namespace monograph {
namespace {

// The iteration space: dims of size 1 are dropped, the rest sorted from the innermost loop out, and neighbours merged.
struct Loops {
  Dims sizes;
  std::array<Dims, kMaxOperands> strides;  // for each operand, in the order of sizes
  size_t operands = 0;

  void push(int64_t size, std::span<Operand> from, size_t dim) {
    sizes.push_back(size);
    for (size_t k = 0; k < operands; ++k) strides[k].push_back(from[k].strides[dim]);
  }
  // Whether loops i and j can be merged: in every operand, a step of loop i is the whole range of loop j.
  bool continues(size_t i, size_t j) const {
    for (size_t k = 0; k < operands; ++k)
      if (strides[k][i] != strides[k][j] * sizes[j]) return false;
    return true;
  }
  // Exchanges the two innermost loops if the inner one writes so few bytes that the kernel's work for a row takes longer than that for its elements.
  void lengthen() {
    constexpr int64_t kShort = 16, kLong = 64;  // bytes of the first operand, a result; rows
    if (sizes.size() < 2 || sizes[1] < kLong || strides[0][0] == 0 || sizes[0] * std::abs(strides[0][0]) > kShort) return;
    std::swap(sizes[0], sizes[1]);
    for (size_t k = 0; k < operands; ++k) std::swap(strides[k][0], strides[k][1]);
  }
  void merge() {
    size_t kept = 0;
    for (size_t i = 1; i < sizes.size(); ++i) {
      if (continues(i, kept)) {
        sizes[kept] *= sizes[i];
        continue;
      }
      ++kept;
      sizes[kept] = sizes[i];
      for (size_t k = 0; k < operands; ++k) strides[k][kept] = strides[k][i];
    }
    if (!sizes.empty()) {
      sizes.resize(kept + 1);
      for (size_t k = 0; k < operands; ++k) strides[k].resize(kept + 1);
    }
  }
};

// The order of loops: the smallest strides are innermost. The first operand (a result) decides; if its strides are equal or one is 0, the next operand does.
bool inside(const std::span<Operand> operands, size_t a, size_t b) {
  for (const Operand& o : operands) {
    int64_t sa = std::abs(o.strides[a]), sb = std::abs(o.strides[b]);
    if (sa && sb && sa != sb) return sa < sb;
  }
  return a > b;
}

Loops make_loops(std::span<Operand> operands, std::span<const int64_t> sizes, uint64_t skip) {
  Loops loops;
  loops.operands = operands.size();
  Dims order;
  for (size_t d = sizes.size(); d-- > 0;)
    if (sizes[d] != 1 && !(skip >> d & 1)) {
      size_t place = order.size();
      while (place > 0 && inside(operands, d, static_cast<size_t>(order[place - 1]))) --place;
      order.insert(place, static_cast<int64_t>(d));
    }
  for (int64_t d : order) loops.push(sizes[static_cast<size_t>(d)], operands, static_cast<size_t>(d));
  loops.merge();
  return loops;
}

using Pointers = std::array<char*, kMaxOperands>;
using Steps = std::array<int64_t, kMaxOperands>;

int64_t plane_count(const Loops& loops, size_t first_outer) {
  int64_t count = 1;
  for (size_t d = first_outer; d < loops.sizes.size(); ++d) count *= loops.sizes[d];
  return count;
}

// Calls f(pointers) for planes [begin, end): positions of the loops outside of the two innermost, from `first_outer` on.
template <class F>
void for_planes(const Loops& loops, std::span<Operand> operands, size_t first_outer, int64_t begin, int64_t end, F&& f) {
  Pointers pointers{};
  for (size_t k = 0; k < operands.size(); ++k) pointers[k] = operands[k].data;
  Dims index(loops.sizes.size(), 0);
  int64_t rest = begin;
  for (size_t d = first_outer; d < loops.sizes.size(); rest /= loops.sizes[d], ++d) {
    index[d] = rest % loops.sizes[d];
    for (size_t k = 0; k < operands.size(); ++k) pointers[k] += loops.strides[k][d] * index[d];
  }
  for (int64_t plane = begin;;) {
    f(pointers);
    if (++plane == end) return;
    for (size_t d = first_outer; d < loops.sizes.size(); ++d) {
      ++index[d];
      for (size_t k = 0; k < operands.size(); ++k) pointers[k] += loops.strides[k][d];
      if (index[d] < loops.sizes[d]) break;
      for (size_t k = 0; k < operands.size(); ++k) pointers[k] -= loops.strides[k][d] * loops.sizes[d];
      index[d] = 0;
    }
  }
}

// Runs a few long rows; all threads share each of them.
int32_t run_split(const Kernel& kernel, const Pointers& pointers, size_t count, const Steps& inner, int64_t n, const Steps& outer,
                  int64_t rows) {
  int32_t raised = 0;
  Pointers row = pointers;
  for (int64_t r = 0; r < rows; ++r) {
    raised |= kernel.split->run(row.data(), inner.data(), n);
    for (size_t k = 0; k < count; ++k) row[k] += outer[k];
  }
  return raised;
}

// What a row of n elements counts as, in elements. A reduction along memory joins its lanes once a row, which takes as long as these elements.
int64_t weight_of_row(const Kernel& kernel, int64_t n) {
  constexpr int64_t kRowWeight = 16;
  return std::max<int64_t>(n, 1) + (kernel.form == KernelForm::Inner ? kRowWeight : 0);
}

// The least number of rows that a thread takes, in whole steps. If another dim than the innermost is reduced, neighbouring rows are the lanes of a vector:
// fewer than these would be computed one by one.
int64_t grain_of_rows(const Kernel& kernel, int64_t weight, int64_t rows) {
  const int64_t grain = std::max<int64_t>(1, kernel.grain / weight);
  if (kernel.form != KernelForm::Outer) return grain;
  constexpr int64_t kLine = 16;  // float32 elements of a cache line
  return round_up(grain, rows >= 4 * kInnerLanes ? kInnerLanes : kLine);
}

// Runs one plane, split over the pool: along the rows if there are enough, else along a row (pointwise only).
int32_t run_plane(const Kernel& kernel, const Pointers& pointers, size_t count, const Steps& inner, int64_t n, const Steps& outer,
                  int64_t rows, bool may_split_row) {
  const int64_t grain_elements = kernel.grain, weight = weight_of_row(kernel, n);
  if (weight * rows < 2 * grain_elements || num_threads() == 1) return kernel(pointers.data(), inner.data(), n, outer.data(), rows);
  if (rows < num_threads() && kernel.split && n >= 2 * kInnerBlock) return run_split(kernel, pointers, count, inner, n, outer, rows);
  std::atomic<int32_t> raised{0};
  bool by_row = rows > 1 || !may_split_row;
  int64_t total = by_row ? rows : n, grain = by_row ? grain_of_rows(kernel, weight, rows) : grain_elements;
  parallel_for(0, total, grain, [&](int64_t begin, int64_t end) {
    Pointers mine = pointers;
    for (size_t k = 0; k < count; ++k) mine[k] += begin * (by_row ? outer[k] : inner[k]);
    int32_t r = by_row ? kernel(mine.data(), inner.data(), n, outer.data(), end - begin)
                       : kernel(mine.data(), inner.data(), end - begin, outer.data(), rows);
    if (r) raised.store(r, std::memory_order_relaxed);
  });
  return raised.load();
}

// Runs all planes. Threads share the planes if there are many or they are small; they share each plane if there are few large ones.
int32_t run_planes(const Kernel& kernel, const Loops& loops, std::span<Operand> operands, size_t first_outer, const Steps& inner, int64_t n,
                   const Steps& outer, int64_t rows, bool may_split_row) {
  constexpr int64_t kManyPerThread = 4;
  const int64_t planes = plane_count(loops, first_outer), each = std::max<int64_t>(1, weight_of_row(kernel, n) * rows);
  const bool many = each < 2 * kernel.grain || planes >= kManyPerThread * num_threads();
  int32_t raised = 0;
  if (planes == 1 || !many || planes * each < 2 * kernel.grain || num_threads() == 1) {
    for_planes(loops, operands, first_outer, 0, planes,
               [&](const Pointers& p) { raised |= run_plane(kernel, p, operands.size(), inner, n, outer, rows, may_split_row); });
    return raised;
  }
  std::atomic<int32_t> any{0};
  parallel_for(0, planes, std::max<int64_t>(1, kernel.grain / each), [&](int64_t begin, int64_t end) {
    for_planes(loops, operands, first_outer, begin, end, [&](const Pointers& p) {
      if (int32_t r = kernel(p.data(), inner.data(), n, outer.data(), rows)) any.store(r, std::memory_order_relaxed);
    });
  });
  return any.load();
}

}  // namespace

int32_t Kernel::operator()(char* const* operands, const int64_t* inner, int64_t n, const int64_t* outer, int64_t rows) const {
  return fn ? fn(operands, inner, n, outer, rows) : evaluate(*body, form, operands, inner, n, outer, rows);
}

const Kernel& LazyKernel::make(Body body, KernelForm form) const {
  auto kept = std::make_unique<Body>(std::move(body));
  auto kernel = std::make_unique<Kernel>(Kernel{kept.get(), form, find_kernel(hash(*kept), form)});
  kernel->grain = least_elements(cost_per_element(*kept));
  auto split = RowSplit::make(*kept, form);
  kernel->split = split.get();
  const Kernel* known = nullptr;
  if (!made_.compare_exchange_strong(known, kernel.get(), std::memory_order_acq_rel))
    return *known;  // another thread has made the kernel in the meantime
  kept.release(), split.release();
  return *kernel.release();
}

int32_t launch_pointwise(const Kernel& kernel, std::span<Operand> operands, std::span<const int64_t> sizes) {
  if (std::ranges::count(sizes, 0)) return 0;
  Loops loops = make_loops(operands, sizes, 0);
  loops.lengthen();
  size_t ndim = loops.sizes.size();
  int64_t n = ndim > 0 ? loops.sizes[0] : 1, rows = ndim > 1 ? loops.sizes[1] : 1;
  Steps inner{}, outer{};
  for (size_t k = 0; k < operands.size(); ++k) {
    inner[k] = ndim > 0 ? loops.strides[k][0] : 0;
    outer[k] = ndim > 1 ? loops.strides[k][1] : 0;
  }
  return run_planes(kernel, loops, operands, 2, inner, n, outer, rows, true);
}

int32_t launch_flat(const Kernel& kernel, char* const* pointers, const int64_t* steps, size_t count, int64_t n) {
  const Steps outer{};
  if (n < 2 * kernel.grain) return kernel(pointers, steps, n, outer.data(), 1);
  Pointers p{};
  Steps inner{};
  std::copy_n(pointers, count, p.begin());
  std::copy_n(steps, count, inner.begin());
  return run_plane(kernel, p, count, inner, n, outer, 1, true);
}

bool rows_are_strided(const Operand& operand, std::span<const int64_t> sizes, std::span<const int64_t> row_dims) {
  int64_t expected = 0;
  bool first = true;
  for (size_t i = row_dims.size(); i-- > 0;) {
    auto d = static_cast<size_t>(row_dims[i]);
    if (sizes[d] == 1) continue;
    if (!first && operand.strides[d] != expected) return false;
    expected = operand.strides[d] * sizes[d];
    first = false;
  }
  return true;
}

int32_t launch_rows(const Kernel& kernel, std::span<Operand> operands, std::span<const int64_t> sizes, std::span<const int64_t> row_dims) {
  uint64_t skip = 0;
  int64_t n = 1;
  Steps inner{}, outer{};
  for (size_t i = row_dims.size(); i-- > 0;) {
    auto d = static_cast<size_t>(row_dims[i]);
    skip |= uint64_t{1} << d;
    if (n == 1)  // the stride of the innermost row dim with more than one element
      for (size_t k = 0; k < operands.size(); ++k) inner[k] = sizes[d] == 1 ? 0 : operands[k].strides[d];
    n *= sizes[d];
  }
  for (size_t d = 0; d < sizes.size(); ++d)
    if (!(skip >> d & 1) && sizes[d] == 0) return 0;
  Loops loops = make_loops(operands, sizes, skip);
  int64_t rows = loops.sizes.empty() ? 1 : loops.sizes[0];
  for (size_t k = 0; k < operands.size(); ++k) outer[k] = loops.sizes.empty() ? 0 : loops.strides[k][0];
  return run_planes(kernel, loops, operands, 1, inner, n, outer, rows, false);
}

Operand broadcast_operand(const Tensor& t, std::span<const int64_t> sizes) {
  Operand o;
  o.data = t.data();
  o.strides = Dims(sizes.size(), 0);
  int64_t size = element_size(t.dtype());
  size_t lead = sizes.size() - t.sizes().size();
  for (size_t d = 0; d < t.sizes().size(); ++d) o.strides[lead + d] = t.sizes()[d] == 1 ? 0 : t.strides()[d] * size;
  return o;
}

}  // namespace monograph
