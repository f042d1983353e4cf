// Chunks that a thread keeps for its next graph.
#include "ir/arena.h"

#include <algorithm>
#include <utility>

namespace monograph::ir {
namespace {

// With AddressSanitizer nothing is kept, or it could not find a use of a freed graph.
#ifdef __SANITIZE_ADDRESS__
constexpr size_t kSpares = 0;
#else
constexpr size_t kSpares = 16;  // 512 KB a thread
#endif

struct Spares {
  ~Spares() { ended = true; }
  std::vector<Arena::Chunk> chunks;
  static thread_local bool ended;  // a graph may be freed after the thread's other objects, and still reads this
};
thread_local bool Spares::ended = false;
thread_local Spares t_spares;

}  // namespace

Arena::~Arena() {
  if (Spares::ended) return;
  for (Chunk& c : chunks_)
    if (c.size == kChunk && t_spares.chunks.size() < kSpares) t_spares.chunks.push_back(std::move(c));
}

void Arena::grow(size_t least) {
  const size_t next = chunks_.empty() ? kFirstChunk : std::min(chunks_.back().size * 2, kChunk);
  size_ = std::max(next, least), used_ = 0;
  if (size_ == kChunk && !Spares::ended && !t_spares.chunks.empty()) {
    chunks_.push_back(std::move(t_spares.chunks.back()));
    t_spares.chunks.pop_back();
    return;
  }
  chunks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size_), size_});
}

}  // namespace monograph::ir
