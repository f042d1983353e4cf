// A bump allocator: memory that is given back all at once. A thread keeps some of it for its next graph.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace monograph::ir {

class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(size_t bytes, size_t alignment) {
    size_t at = (used_ + alignment - 1) & ~(alignment - 1);
    if (at + bytes > size_) [[unlikely]] {
      grow(bytes + alignment);
      at = 0;
    }
    used_ = at + bytes;
    return chunks_.back().memory.get() + at;
  }
  // Objects are never destroyed, so they own nothing outside the arena.
  template <class T>
  T* make() {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T();
  }
  template <class T>
  T* array(size_t n) {
    static_assert(std::is_trivially_destructible_v<T>);
    T* p = static_cast<T*>(allocate(n * sizeof(T), alignof(T)));
    for (size_t i = 0; i < n; ++i) new (p + i) T();
    return p;
  }

  struct Chunk {
    std::unique_ptr<std::byte[]> memory;
    size_t size;
  };

 private:
  static constexpr size_t kFirstChunk = 4096, kChunk = size_t{1} << 15;  // larger ones would go back to the system with each graph
  void grow(size_t least);
  std::vector<Chunk> chunks_;
  size_t used_ = 0, size_ = 0;
};

}  // namespace monograph::ir
