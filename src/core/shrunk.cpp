#include "core/shrunk.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#include "core/error.h"

namespace monograph {

std::atomic<bool> any_shrunk = false;

// The pages that lie whole between the two places.
static void give_back(char* from, const char* to) {
  constexpr uintptr_t kPage = 4096;
  const uintptr_t first = (reinterpret_cast<uintptr_t>(from) + kPage - 1) / kPage * kPage,
                  end = reinterpret_cast<uintptr_t>(to) / kPage * kPage;
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

void resize_by_program(Storage& storage, size_t bytes) {
  const size_t before = storage.bytes();
  if (bytes == before) return;
  MONOGRAPH_CHECK(!storage.exposed(), Runtime,
                  "Trying to resize storage that is not resizable: another library, or a caller of data_ptr(), holds its address; clone() "
                  "the tensor first");
  storage.resize(bytes);
  storage.note_write(false);
  if (bytes > before) return;
  any_shrunk.store(true, std::memory_order_relaxed);
  give_back(storage.data() + bytes, storage.data() + before);
}

bool holds_elements(const Tensor& t) {
  if (!t->storage || t.numel() == 0) return true;
  int64_t last = t->offset;
  for (size_t d = 0; d < t.sizes().size(); ++d) last += std::max<int64_t>(0, (t.sizes()[d] - 1) * t.strides()[d]);
  return static_cast<size_t>((last + 1) * element_size(t.dtype())) <= t->storage->bytes();
}

}  // namespace monograph
