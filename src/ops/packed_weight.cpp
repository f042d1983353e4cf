// The copy of a weight is valid until something writes to its storage; Storage::writes() counts that.
#include "ops/packed_weight.h"

namespace monograph {
namespace {

constexpr int64_t kMatrix = 0;  // stands for `groups` in a weight of linear()

struct KeptWeight {
  uint32_t writes;
  int64_t offset;
  Dims sizes, strides;
  DType dtype;
  int64_t groups;
  PackedMatrix matrix{};  // this and `ordered` are empty after the first call
  OrderedWeight ordered{};
  Tensor memory{};  // holds the ordered weight
  bool of(const Tensor& w, int64_t its_groups) const {
    return writes == w->storage->writes() && offset == w->offset && dtype == w.dtype() && groups == its_groups && sizes == w.sizes() &&
           strides == w.strides();
  }
};

bool may_keep(const Tensor& w, int64_t dim) { return is_floating(w.dtype()) && w.dim() == dim && w->storage && !w->storage->exposed(); }

// The copy that is kept with the storage of w. The second call with the same contents fills it with `make`.
template <class Make>
std::shared_ptr<const KeptWeight> kept_weight(const Tensor& w, int64_t groups, Make&& make) {
  auto known = std::static_pointer_cast<KeptWeight>(w->storage->derived.load());
  const bool same = known && known->of(w, groups);
  if (same && (known->matrix || known->ordered.data)) return known;
  auto fresh = std::make_shared<KeptWeight>(KeptWeight{w->storage->writes(), w->offset, w.sizes(), w.strides(), w.dtype(), groups});
  if (same) make(*fresh);
  w->storage->derived.store(fresh);
  return fresh;
}

}  // namespace

std::shared_ptr<const PackedMatrix> packed_weight(const Tensor& w) {
  if (!may_keep(w, 2)) return nullptr;
  const auto kept = kept_weight(w, kMatrix, [&](KeptWeight& to) {
    to.matrix = PackedMatrix::pack(w.dtype(), w.data(), w.sizes()[1], w.sizes()[0], w.strides()[1], w.strides()[0]);
  });
  return kept->matrix ? std::shared_ptr<const PackedMatrix>(kept, &kept->matrix) : nullptr;
}

std::shared_ptr<const OrderedWeight> ordered_weight(const Tensor& w, Convolution c) {
  const int64_t bytes = may_keep(w, 4) ? ordered_weight_bytes(c) : 0;
  if (bytes == 0) return nullptr;
  const auto kept = kept_weight(w, c.groups, [&](KeptWeight& to) {
    c.weight = w.data();
    const auto& s = w.strides();
    const int64_t strides[] = {c.outputs * s[0], s[0], s[1], s[2], s[3]};
    std::copy_n(strides, 5, c.weight_strides);
    to.memory = empty({bytes / 8}, DType::i64);
    to.ordered = order_weight(c, to.memory.data());
  });
  return kept->ordered.data ? std::shared_ptr<const OrderedWeight>(kept, &kept->ordered) : nullptr;
}

}  // namespace monograph
