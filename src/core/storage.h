// Storage: a block of bytes that tensors view, with the counter of writes that autograd checks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/ref.h"

namespace monograph {

class Storage : public RefCounted {
 public:
  // Owned memory, 64-byte aligned, contents undefined. Large blocks come from a bounded cache, since a fresh one costs a page fault
  // for every 4 KiB.
  explicit Storage(size_t bytes);
  // Memory of somebody else (NumPy, DLPack, a mapped file): `release(context)` runs when the last view is gone. `writable` false makes
  // every write through it an error.
  Storage(void* data, size_t bytes, void (*release)(void*), void* context, bool writable = true);
  ~Storage() override;

  char* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  bool writable() const { return writable_; }
  uint32_t version() const { return version_; }
  void bump() { ++version_; }
  // Grows or shrinks owned memory, keeping the common part (out= results, resize_).
  void resize(size_t bytes);

 private:
  char* data_ = nullptr;
  size_t bytes_ = 0, capacity_ = 0;
  void (*release_)(void*) = nullptr;
  void* context_ = nullptr;
  uint32_t version_ = 0;
  bool writable_ = true;
};

// Bytes kept for reuse at present, and a way to give them back to the system.
size_t cached_bytes();
void empty_cache();

}  // namespace monograph
