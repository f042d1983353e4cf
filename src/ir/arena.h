// A bump allocator: memory that is given back all at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace monograph::ir {

class Arena {
 public:
  void* allocate(size_t bytes, size_t alignment) {
    size_t at = (used_ + alignment - 1) & ~(alignment - 1);
    if (at + bytes > size_) [[unlikely]] {
      grow(bytes + alignment);
      at = 0;
    }
    used_ = at + bytes;
    return chunks_.back().get() + at;
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

 private:
  void grow(size_t least) {
    // At most 32 KB: malloc keeps such chunks for the next graph, and returns larger ones to the system.
    size_t next = chunks_.empty() ? 4096 : std::min(size_ * 2, size_t{1} << 15);
    size_ = next > least ? next : least;
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size_));
    used_ = 0;
  }
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  size_t used_ = 0, size_ = 0;
};

}  // namespace monograph::ir
