// Allocation: blocks up to 1 KiB come from lists of this thread, larger ones from a cache by size class, very large ones in huge pages.
#include "core/storage.h"

#include <sys/mman.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "core/error.h"

namespace monograph {

[[gnu::tls_model("initial-exec")]] static thread_local constinit bool t_inference_mode = false;
bool inference_mode() { return t_inference_mode; }
void set_inference_mode(bool on) { t_inference_mode = on; }

namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kCacheFrom = size_t{64} << 10;   // smaller blocks are malloc's business
constexpr size_t kCacheLimit = size_t{256} << 20; // bytes kept at most

// Size classes: four to an octave, so that at most a quarter of a block is spare.
size_t round_up(size_t bytes) {
  if (bytes < kCacheFrom) return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  size_t step = std::bit_floor(bytes) / 4;
  return (bytes + step - 1) / step * step;
}

// Large blocks lie in huge pages where the system gives them: three tensors of 4 MiB have 3,072 small pages, more than a processor keeps
// address translations of (2,048 in Zen 3), and their elements are read once.
constexpr size_t kHugePage = size_t{2} << 20;
void* allocate_large(size_t bytes) {
  void* data = std::aligned_alloc(kHugePage, bytes);
#ifdef MADV_HUGEPAGE
  if (data) madvise(data, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
  return data;
}

struct Cache {
  std::mutex mutex;
  struct CachedMemory {
    void* data;
    size_t bytes;
  };
  std::vector<CachedMemory> blocks;  // newest last: the newest is the one still in the processor's cache
  size_t held = 0;
};
Cache& cache() {
  static auto* c = new Cache;  // outlives every static tensor
  return *c;
}

// Blocks of up to 1 KiB that this thread gave back, a list for each multiple of the alignment, linked through their first word: aligned_alloc
// costs more than a small operator's arithmetic. Plain data, so that static tensors may die after it.
#ifdef __SANITIZE_ADDRESS__
constexpr size_t kSmall = 0;  // every block is malloc's, which then sees uses after the end
#else
constexpr size_t kSmall = 1024;
#endif
constexpr uint8_t kSmallKept = 32;
struct SmallBlocks {
  void* first[1024 / kAlignment];
  uint8_t count[1024 / kAlignment];
  bool owned, closed;  // by the guard below; after its end
};
[[gnu::tls_model("initial-exec")]] thread_local constinit SmallBlocks t_small{};

struct SmallBlocksGuard {
  SmallBlocksGuard() { t_small.owned = true; }
  ~SmallBlocksGuard() {
    t_small.closed = true;
    for (void*& first : t_small.first)
      while (first) std::free(std::exchange(first, *static_cast<void**>(first)));
  }
};

void* take_small(size_t bytes) {
  const size_t k = bytes / kAlignment - 1;
  void* data = t_small.first[k];
  if (!data) return nullptr;
  t_small.first[k] = *static_cast<void**>(data);
  --t_small.count[k];
  return data;
}

bool keep_small(void* data, size_t bytes) {
  const size_t k = bytes / kAlignment - 1;
  if (t_small.closed || t_small.count[k] == kSmallKept) return false;
  if (!t_small.owned) static thread_local SmallBlocksGuard guard;
  *static_cast<void**>(data) = std::exchange(t_small.first[k], data);
  ++t_small.count[k];
  return true;
}

void* allocate(size_t bytes) {
  if (bytes <= kSmall)
    if (void* data = take_small(bytes)) return data;
  if (bytes >= kCacheFrom) {
    Cache& c = cache();
    std::lock_guard lock(c.mutex);
    for (size_t i = c.blocks.size(); i-- > 0;)
      if (c.blocks[i].bytes == bytes) {
        void* data = c.blocks[i].data;
        c.blocks.erase(c.blocks.begin() + static_cast<ptrdiff_t>(i));
        c.held -= bytes;
        return data;
      }
  }
  return bytes >= 2 * kHugePage ? allocate_large(bytes) : std::aligned_alloc(kAlignment, bytes);
}

void deallocate(void* data, size_t bytes) {
  if (bytes >= kCacheFrom && bytes <= kCacheLimit / 4) {
    Cache& c = cache();
    std::lock_guard lock(c.mutex);
    while (!c.blocks.empty() && (c.held + bytes > kCacheLimit || c.blocks.size() >= 64)) {
      std::free(c.blocks.front().data);
      c.held -= c.blocks.front().bytes;
      c.blocks.erase(c.blocks.begin());
    }
    c.blocks.push_back({data, bytes});
    c.held += bytes;
    return;
  }
  if (bytes > kSmall || !keep_small(data, bytes)) std::free(data);
}

}  // namespace

Storage::Storage(size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  MONOGRAPH_CHECK(bytes < size_t{1} << 62, Runtime, "cannot allocate ", bytes, " bytes: the size is out of range");
  capacity_ = round_up(bytes);
  data_ = static_cast<char*>(allocate(capacity_));
  MONOGRAPH_CHECK(data_, Runtime, "cannot allocate ", bytes, " bytes: the system has no more memory to give");
}

Storage::Storage(void* data, size_t bytes, void (*release)(void*), void* context, bool writable)
    : data_(static_cast<char*>(data)), bytes_(bytes), release_(release), context_(context), writable_(writable) {}

Storage::~Storage() {
  if (release_) release_(context_);
  else if (capacity_) deallocate(data_, capacity_);
}

void Storage::resize(size_t bytes) {
  MONOGRAPH_CHECK(!release_, Runtime, "cannot resize memory that belongs to another library or to a file");
  if (bytes <= capacity_) {
    bytes_ = bytes;
    return;
  }
  size_t capacity = round_up(bytes);
  void* grown = allocate(capacity);
  MONOGRAPH_CHECK(grown, Runtime, "cannot allocate ", bytes, " bytes: the system has no more memory to give");
  if (bytes_) std::memcpy(grown, data_, bytes_);
  if (capacity_) deallocate(data_, capacity_);
  data_ = static_cast<char*>(grown);
  bytes_ = bytes, capacity_ = capacity;
}

}  // namespace monograph
