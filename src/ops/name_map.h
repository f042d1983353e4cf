// Tables that only grow. Any thread may read them without a lock, because an entry never moves, is never removed, and is complete before it can be found. Only
// one thread may write at a time.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace monograph {

// A map from names to pointers, which are never null.
template <class T>
class NameMap {
 public:
  NameMap() = default;
  NameMap(const NameMap&) = delete;
  ~NameMap() {
    for (auto& bucket : buckets_)
      for (Entry* e = bucket.load(); e;) delete std::exchange(e, e->next);
  }

  T* find(std::string_view name) const {
    const Entry* e = entry(name);
    return e ? e->value.load(std::memory_order_acquire) : nullptr;
  }
  // Adds the name, or replaces its value.
  void put(std::string_view name, T* value) {
    if (Entry* e = entry(name)) return e->value.store(value, std::memory_order_release);
    auto& bucket = buckets_[place(name)];
    bucket.store(new Entry{std::string(name), value, bucket.load(std::memory_order_relaxed)}, std::memory_order_release);
  }

 private:
  struct Entry {
    std::string name;
    std::atomic<T*> value;
    Entry* next;
  };
  static constexpr size_t kBuckets = 2048;  // about one for each operator
  static size_t place(std::string_view name) { return std::hash<std::string_view>()(name) % kBuckets; }
  Entry* entry(std::string_view name) const {
    Entry* e = buckets_[place(name)].load(std::memory_order_acquire);
    while (e && e->name != name) e = e->next;
    return e;
  }
  std::array<std::atomic<Entry*>, kBuckets> buckets_{};
};

// A list of pointers.
template <class T>
class GrowingList {
 public:
  GrowingList() = default;
  GrowingList(const GrowingList&) = delete;
  ~GrowingList() {
    for (auto& chunk : chunks_) delete chunk.load();
  }

  // The elements that the list had when view() was called.
  class Snapshot {
   public:
    class Iterator {
     public:
      Iterator(const GrowingList* list, size_t at) : list_(list), at_(at) {}
      T* operator*() const { return list_->at(at_); }
      Iterator& operator++() {
        ++at_;
        return *this;
      }
      bool operator==(const Iterator&) const = default;

     private:
      const GrowingList* list_;
      size_t at_;
    };
    explicit Snapshot(const GrowingList& list) : list_(&list), size_(list.size_.load(std::memory_order_acquire)) {}
    size_t size() const { return size_; }
    T* operator[](size_t i) const { return list_->at(i); }
    Iterator begin() const { return {list_, 0}; }
    Iterator end() const { return {list_, size_}; }

   private:
    const GrowingList* list_;
    size_t size_;
  };
  Snapshot view() const { return Snapshot(*this); }

  void push_back(T* value) {
    const size_t n = size_.load(std::memory_order_relaxed), chunk = n / kChunk;
    MONOGRAPH_ASSERT(chunk < kChunks);
    if (n % kChunk == 0) chunks_[chunk].store(new Chunk{}, std::memory_order_relaxed);
    (*chunks_[chunk].load(std::memory_order_relaxed))[n % kChunk] = value;
    size_.store(n + 1, std::memory_order_release);  // publishes the chunk too
  }

 private:
  static constexpr size_t kChunk = 1024, kChunks = 1024;
  using Chunk = std::array<T*, kChunk>;
  T* at(size_t i) const { return (*chunks_[i / kChunk].load(std::memory_order_relaxed))[i % kChunk]; }
  std::array<std::atomic<Chunk*>, kChunks> chunks_{};
  std::atomic<size_t> size_{0};
};

}  // namespace monograph
