// Storage: a block of bytes that tensors view, with the counter of writes that autograd checks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/ref.h"

namespace monograph {

// Whether this thread is inside of inference_mode. Memory that is made there is of inference: its writes outside are errors, and nothing of it
// is kept for a gradient.
bool inference_mode();
void set_inference_mode(bool on);

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
  bool of_inference() const { return of_inference_; }
  // Writes that autograd counts, and all writes; the second is what derived copies (a packed weight) are checked against.
  uint32_t version() const { return version_; }
  uint32_t writes() const { return writes_; }
  void note_write(bool counts) { ++writes_, version_ += counts; }
  // The contents are those of this version again.
  void note_put_back(uint32_t version) { ++writes_, version_ = version; }
  // NumPy, DLPack or a caller of data_ptr holds the address: it may write without a notice.
  void expose() { exposed_ = true; }
  bool exposed() const { return exposed_ || release_ != nullptr; }
  // A copy in another form, kept as long as the storage; the owner checks it against writes().
  std::atomic<std::shared_ptr<void>> derived;
  // Grows or shrinks owned memory, keeping the common part (out= results, resize_).
  void resize(size_t bytes);

 private:
  char* data_ = nullptr;
  size_t bytes_ = 0, capacity_ = 0;
  void (*release_)(void*) = nullptr;
  void* context_ = nullptr;
  uint32_t version_ = 0, writes_ = 0;
  bool writable_ = true, exposed_ = false;
  const bool of_inference_ = inference_mode();
};

}  // namespace monograph
