// How much memory reading a file may take. A small file can describe many values: each byte `]` of a pickle is an empty list, which takes 80 bytes.
//
// The limit is 4 times the file plus 64 MiB. Beyond it a pickle may take up to 20 times the bytes that were read of it. The pickles of torch.save need
// that: a million tuples (word, id) are 31 MB in the file and 220 MiB of Python objects in PyTorch. A pickle whose values take more than 20 times their
// bytes is stopped at the first limit. What is counted: the values that the reader builds, with what malloc adds to each; its stack and memo; copies of
// storages; inflated entries; and, for lists, dicts, sets and objects, the size of Python's object where that is larger. The objects of Python take the
// places of the values one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/tensor.h"

namespace monograph::pickle {

// The environment variable that replaces both limits by a number of bytes.
inline constexpr const char* kMemoryVariable = "MONOGRAPH_LOAD_MEMORY";

// What malloc takes for so many bytes.
constexpr size_t heap_bytes(size_t bytes) { return std::max<size_t>(32, (bytes + 8 + 15) & ~size_t{15}); }

class MemoryLimit {
 public:
  // Error (Value) if the environment variable is set and no number.
  MemoryLimit(std::string where, size_t file_bytes);

  // Counts bytes that are about to be allocated for a value, when `read` bytes of the pickle have been read. Throws UnpicklingError beyond the limit.
  void add(size_t bytes, size_t read) {
    used_ += bytes;
    if (used_ > least_) [[unlikely]]
      check(read);
  }
  void remove(size_t bytes) { used_ -= bytes; }
  // Counts bytes that are copied or inflated. They do not belong to a pickle's values.
  void add_copied(size_t bytes) { copied_ += bytes, add(bytes, 0); }
  // How many bytes may still be added.
  size_t left(size_t read) const { return most(read) > used_ ? most(read) - used_ : 0; }
  void set_where(std::string where) { where_ = std::move(where); }  // names the file and its member in the error

 private:
  size_t most(size_t read) const;
  void check(size_t read) const;

  std::string where_;
  size_t file_bytes_, least_;
  bool chosen_ = false;  // by the environment variable
  size_t used_ = 0, copied_ = 0;
};

// What a tensor takes beside its storage, with Python's object.
inline constexpr size_t kTensorBytes = heap_bytes(sizeof(TensorImpl)) + 96;

}  // namespace monograph::pickle
