// A list of tensors has one type in a graph: a size that differs between them is unknown there.
#include "ops/families/splits.h"
#include "ops/families/error_kinds.h"

#include <utility>

namespace monograph {
namespace {

// States a list of `count` tensors like argument 0, whose size along dim d is `each`.
void state_pieces(RuleCall& c, std::optional<size_t> d, Size each, Size count) {
  Sizes sizes = c.sizes(0);
  if (!d || sizes.empty()) sizes = Sizes::unranked();
  else sizes.set(*d, each);
  c.check(!count.is_int() || count <= INT32_MAX, Runtime, "there is no list of ", count, " tensors");
  c.list(sizes, count);
}

// The dim along which argument 0 is split, named by argument `dim_at`, and its size.
std::pair<std::optional<size_t>, Size> split_dim(RuleCall& c, size_t dim_at, const char* name) {
  SizesRef own = c.sizes(0);
  if (!own.ranked()) return {};
  c.check(!own.empty(), Runtime, name, " expects at least a 1-dimensional tensor");
  auto d = c.dim(dim_at, own.size());
  return {d, d ? own[*d] : Size::unknown()};
}

}  // namespace

void split_rule(RuleCall& c) {
  auto [d, n] = split_dim(c, 2, "split");
  const Size step = c.size(1);
  c.check(step > 0 || (step == 0 && n == 0), Runtime, "split expects split_size be positive, but got ", step);
  Size each, count;
  if (n.is(0) || certainly(n == step)) {  // a dim of size 0 is one empty piece
    count = 1;
  } else if (step.is_int()) {
    const bool even = mod(n, step).is(0);
    if (even && certainly(n > 0)) each = step;
    count = max(even ? floordiv(n, step) : floordiv(n - 1, step) + 1, 1);
  }
  state_pieces(c, d, count.is(1) ? n : each, count);
}

void split_with_sizes_rule(RuleCall& c) {
  auto [d, n] = split_dim(c, 2, "split_with_sizes");
  const Sizes sizes = c.ints(1);
  if (!sizes.ranked()) return state_pieces(c, d, {}, {});
  Size each = sizes.empty() ? Size() : sizes[0], total = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    c.check(sizes[i] >= 0, Runtime, "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=", sizes);
    if (!sizes[i].same(sizes[0])) each = {};
    total = total + sizes[i];
  }
  c.check(total == n, Runtime, "split_with_sizes expects split_sizes to sum exactly to ", n, " (input tensor's size at dimension ",
          d.value_or(0), "), but got split_sizes=", sizes);
  state_pieces(c, d, each, static_cast<int64_t>(sizes.size()));
}

void chunk_rule(RuleCall& c) {
  auto [d, n] = split_dim(c, 2, "chunk");
  const Size chunks = c.size(1);
  c.check(chunks > 0, Runtime, "chunk expects `chunks` to be greater than 0, got: ", chunks);
  Size each, count;
  if (chunks.is_int() && mod(n, chunks).is(0)) {
    each = floordiv(n, chunks), count = chunks;
  } else if (chunks.is_int()) {
    const Size step = max(floordiv(n + chunks - 1, chunks), 1);
    count = max(floordiv(n + step - 1, step), chunks * max(1 - n, 0));  // a dim of size 0 has all the pieces that are asked for
  }
  state_pieces(c, d, count.is(1) ? n : each, count);
}

void unbind_rule(RuleCall& c) {
  auto [d, n] = split_dim(c, 1, "unbind");
  Sizes sizes = c.sizes(0);
  if (d) sizes.erase(*d);
  c.list(d ? sizes : Sizes::unranked(), n);
}

IValue gradients_of_list(const GradCall& c) {
  std::vector<IValue> grads;
  for (size_t i = 0; c.grad(i).defined(); ++i) grads.push_back(c.grad(i));
  return IValue::list(std::move(grads));
}

}  // namespace monograph
