// Constant padding fills the result, then copies the elements that remain, both with vectorized loops that are split over the pool. The other kinds copy each
// row of the result from a row of the tensor, the middle as a whole and the ends element by element. Where many images have short rows, a table says of
// each element of one image where it comes from, and every image is copied by that table.
#include "kernels/padding.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

#include "kernels/element_types.h"
#include "kernels/elements.h"
#include "kernels/grain.h"
#include "kernels/number.h"

namespace monograph {
namespace {

// Drops the first `cut` elements of `dim`.
void skip(KernelTensor& t, size_t dim, int64_t cut) { t.data += cut * t.strides[dim] * element_size(t.dtype); }

enum class NewPlaces : uint8_t { Mirror, Edge, OtherEnd };

// The index in a dim of size `n` that element i of the result is a copy of, with `before` new elements before it and `after` behind it.
template <NewPlaces kPlaces>
int64_t shown(int64_t i, int64_t before, int64_t after, int64_t n) {
  if constexpr (kPlaces == NewPlaces::Mirror) return n - 1 - std::abs(n - 1 - std::abs(i - before));
  if constexpr (kPlaces == NewPlaces::Edge) return std::clamp<int64_t>(i - before, 0, n - 1);
  const int64_t cut = std::min<int64_t>(before, 0),
                left = n + cut + std::min<int64_t>(after, 0);  // the elements that negative amounts leave
  const int64_t at = (i - std::max<int64_t>(before, 0)) % left;
  return (at < 0 ? at + left : at) - cut;
}

// The new elements of one dim.
struct DimEnds {
  int64_t before = 0, after = 0;
  DimEnds() = default;
  DimEnds(const KernelArg::Ints& pad, int32_t dim, int32_t d) {
    const size_t at = 2 * static_cast<size_t>(dim - 1 - d);
    if (at + 1 < pad.count) before = pad.values[at], after = pad.values[at + 1];
  }
};

// Copies n elements, which do not overlap with the result. Short rows are copied in pieces of 16 bytes, of which the last overlaps the one before: a call
// takes longer.
template <class E>
void copy_middle(E* to, const E* from, int64_t n) {
  constexpr int64_t kPiece = 16, kShort = 128;  // bytes
  const int64_t bytes = n * static_cast<int64_t>(sizeof(E));
  if (bytes < kPiece || bytes > kShort) return void(std::copy_n(from, n, to));
  char* t = reinterpret_cast<char*>(to);
  const char* f = reinterpret_cast<const char*>(from);
  for (int64_t at = 0; at < bytes - kPiece; at += kPiece) std::memcpy(t + at, f + at, kPiece);
  std::memcpy(t + bytes - kPiece, f + bytes - kPiece, kPiece);
}

// The rows of a result have one pattern: the middle is a copy of a part of the tensor's row, and each element at the ends is a copy of one element.
template <NewPlaces kPlaces>
struct RowPattern {
  int64_t count, n, before, after, begin, end;  // sizes of the rows; the middle is [begin, end)
  static constexpr int64_t kMostKept = 16;
  int64_t places[kMostKept], sources[kMostKept], kept;  // the first elements at the ends, and where they come from

  RowPattern(int64_t row, int64_t from, const DimEnds& ends) : count(row), n(from), before(ends.before), after(ends.after) {
    begin = std::clamp<int64_t>(before, 0, count), end = std::clamp<int64_t>(before + n, begin, count);
    kept = std::min(kMostKept, begin + count - end);
    for (int64_t k = 0; k < kept; ++k) places[k] = place(k), sources[k] = source(places[k]);
  }
  int64_t place(int64_t k) const { return k < begin ? k : end + k - begin; }  // of element k at the ends
  int64_t source(int64_t i) const { return shown<kPlaces>(i, before, after, n); }
  template <class E>
  void fill(E* to, int64_t to_step, const E* from, int64_t from_step) const {
    for (int64_t k = 0; k < kept; ++k) to[places[k] * to_step] = from[sources[k] * from_step];
    for (int64_t k = kept; k < begin + count - end; ++k) to[place(k) * to_step] = from[source(place(k)) * from_step];
    if (to_step == 1 && from_step == 1) return copy_middle(to + begin, from + begin - before, end - begin);
    for (int64_t i = begin; i < end; ++i) to[i * to_step] = from[(i - before) * from_step];
  }
};

// Iterates over the rows of the result in row-major order, with their offsets in both tensors.
template <NewPlaces kPlaces>
class RowWalk {
 public:
  RowWalk(const KernelTensor& out, const KernelTensor& self, const KernelArg::Ints& pad, int64_t row) : out_(out), self_(self) {
    for (int32_t d = rows(); d-- > 0;) {
      const auto k = static_cast<size_t>(d);
      at_[k] = row % out.sizes[d], row /= out.sizes[d], ends_[k] = DimEnds(pad, out.dim, d);
    }
    place(0);
  }
  int64_t to() const { return to_[static_cast<size_t>(rows())]; }
  int64_t from() const { return from_[static_cast<size_t>(rows())]; }
  // Calls f(offset in the result, offset in the tensor) for `count` rows, from this one on.
  template <class F>
  void each(int64_t count, F&& f) {
    if (rows() == 0) {
      if (count > 0) f(to(), from());
      return;
    }
    const auto k = static_cast<size_t>(rows() - 1);
    const DimEnds ends = ends_[k];
    const int64_t to_step = out_.strides[k], from_step = self_.strides[k], n = self_.sizes[k];
    while (count > 0) {
      const int64_t first = at_[k], here = std::min(count, out_.sizes[k] - first);
      for (int64_t i = first; i < first + here; ++i)
        f(to_[k] + i * to_step, from_[k] + shown<kPlaces>(i, ends.before, ends.after, n) * from_step);
      at_[k] += here - 1, count -= here;
      next();
    }
  }
  void next() {
    int32_t d = rows();
    while (d-- > 0 && ++at_[static_cast<size_t>(d)] == out_.sizes[d]) at_[static_cast<size_t>(d)] = 0;
    place(std::max(d, 0));
  }

 private:
  int32_t rows() const { return out_.dim - 1; }
  // Recomputes the offsets of the dims from `first` on.
  void place(int32_t first) {
    for (int32_t d = first; d < rows(); ++d) {
      const auto k = static_cast<size_t>(d);
      const DimEnds& ends = ends_[k];
      const int64_t i = ends.before || ends.after ? shown<kPlaces>(at_[k], ends.before, ends.after, self_.sizes[d]) : at_[k];
      to_[k + 1] = to_[k] + at_[k] * out_.strides[d], from_[k + 1] = from_[k] + i * self_.strides[d];
    }
  }

  const KernelTensor &out_, &self_;
  std::array<DimEnds, kMaxDims> ends_;
  std::array<int64_t, kMaxDims> at_{};
  std::array<int64_t, kMaxDims + 1> to_{}, from_{};  // the sum of the offsets of the dims before each
};

// Computes rows [begin, end) of the result.
template <NewPlaces kPlaces, class E>
void pad_rows(const KernelTensor& out, const KernelTensor& self, const KernelArg::Ints& pad, int64_t begin, int64_t end) {
  const int32_t last = out.dim - 1;
  const RowPattern<kPlaces> pattern(out.sizes[last], self.sizes[last], DimEnds(pad, out.dim, last));
  RowWalk<kPlaces> walk(out, self, pad, begin);
  const int64_t to_step = out.strides[last], from_step = self.strides[last];
  walk.each(end - begin, [&](int64_t to, int64_t from) { pattern.fill(out.as<E>() + to, to_step, self.as<const E>() + from, from_step); });
}

// For each element of one image of the result, the last dims, which grow: the offset of the element in an image of the tensor that it is a copy of.
class ImageTable {
 public:
  static constexpr int64_t kMostElements = 2048, kMostColumns = 32;  // longer rows are copied faster as a whole

  template <NewPlaces kPlaces>
  void fill(const KernelTensor& out, const KernelTensor& self, const KernelArg::Ints& pad, int64_t elements) {
    const int32_t last = out.dim - 1;
    const int64_t n = out.sizes[last];
    const DimEnds ends(pad, out.dim, last);
    RowWalk<kPlaces> walk(out, self, pad, 0);
    for (int64_t begin = 0; begin < elements; begin += n, walk.next())
      for (int64_t i = 0; i < n; ++i)
        from_[static_cast<size_t>(begin + i)] =
            static_cast<int32_t>(walk.from() + shown<kPlaces>(i, ends.before, ends.after, self.sizes[last]) * self.strides[last]);
    elements_ = elements;
  }

  template <class E>
  void copy(E* to, const E* image) const {
    for (int64_t i = 0; i < elements_; ++i) to[i] = image[from_[static_cast<size_t>(i)]];
  }

 private:
  std::array<int32_t, kMostElements> from_{};
  int64_t elements_ = 0;
};

// The images of a tensor: their number, and the step from one to the next. Images whose steps differ have no step: nullopt.
struct Images {
  int64_t count = 1, step = 0;
};
std::optional<Images> images_of(const KernelTensor& t, int32_t dims) {
  Images all;
  for (int32_t d = dims; d-- > 0;) {
    if (t.sizes[d] == 1) continue;
    if (all.count == 1) all.step = t.strides[d];
    else if (t.strides[d] != all.count * all.step) return std::nullopt;
    all.count *= t.sizes[d];
  }
  return all;
}

// Copies image by image if there are many with short rows, both tensors have one step between images, and the result's are contiguous.
template <NewPlaces kPlaces, class E>
bool pad_images(const KernelTensor& out, const KernelTensor& self, const KernelArg::Ints& pad) {
  const int32_t outer = out.dim - static_cast<int32_t>(pad.count / 2);
  int64_t elements = 1, reach = 0;
  for (int32_t d = out.dim; d-- > outer; elements *= out.sizes[d]) {
    if (out.sizes[d] > 1 && out.strides[d] != elements) return false;
    reach += (self.sizes[d] - 1) * std::abs(self.strides[d]);
  }
  const std::optional<Images> to = images_of(out, outer), from = images_of(self, outer);
  constexpr int64_t kFewImages = 4;  // the table would be used too rarely
  if (!to || !from || to->count < kFewImages || elements > ImageTable::kMostElements || out.sizes[out.dim - 1] > ImageTable::kMostColumns ||
      reach > std::numeric_limits<int32_t>::max())
    return false;
  ImageTable table;
  table.fill<kPlaces>(out, self, pad, elements);
  share_steps(1, to->count, elements, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) table.copy(out.as<E>() + i * to->step, self.as<const E>() + i * from->step);
  });
  return true;
}

template <NewPlaces kPlaces>
KernelStatus pad_by(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const KernelArg::Ints& pad = call.args[1].ints;
  const int64_t n = out.sizes[out.dim - 1], rows = n > 0 ? out.numel() / n : 0;
  dispatch_unsigned(element_size(out.dtype), [&](auto element) {
    using E = decltype(element);
    if (rows > 0 && pad_images<kPlaces, E>(out, self, pad)) return;
    auto part = [&](int64_t begin, int64_t end) { pad_rows<kPlaces, E>(out, self, pad, begin, end); };
    constexpr int64_t kCost = 8, kRowCost = 16;  // computing the offset of a row takes as long as this many elements
    share_steps(kCost, rows, n + kRowCost, part);
  });
  return KernelStatus::Ok;
}

}  // namespace

KernelStatus reflection_pad_kernel(KernelCall& call) { return pad_by<NewPlaces::Mirror>(call); }
KernelStatus replication_pad_kernel(KernelCall& call) { return pad_by<NewPlaces::Edge>(call); }
KernelStatus circular_pad_kernel(KernelCall& call) { return pad_by<NewPlaces::OtherEnd>(call); }

KernelStatus constant_pad_kernel(KernelCall& call) {
  const KernelTensor &self = call.args[0].tensor, &out = call.results[0];
  const KernelArg::Ints& pad = call.args[1].ints;
  KernelTensor from = self, to = out;
  std::array<int64_t, kMaxDims> sizes{};
  bool grows = false, any = true;
  for (size_t d = 0; d < static_cast<size_t>(self.dim); ++d) {
    const size_t behind = static_cast<size_t>(self.dim) - 1 - d;
    const int64_t before = 2 * behind + 1 < pad.count ? pad.values[2 * behind] : 0;
    const int64_t after = 2 * behind + 1 < pad.count ? pad.values[2 * behind + 1] : 0;
    grows |= before > 0 || after > 0;
    sizes[d] = self.sizes[d] + std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0);
    any &= sizes[d] > 0;
    skip(before < 0 ? from : to, d, before < 0 ? -before : before);
  }
  if (grows)
    dispatch(out.dtype, [&](auto zero) {
      const auto value = number_as<decltype(zero)>(call.args[2]);
      fill_elements(out, &value);
    });
  from.sizes = to.sizes = sizes.data();
  if (any) copy_elements(to, from);
  return KernelStatus::Ok;
}

}  // namespace monograph
