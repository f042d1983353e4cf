// The safetensors format: an eight-byte length, a JSON header of names, dtypes, shapes and byte ranges, then the data.
//
// Reading trusts nothing: every size and offset is checked against the file before it is used or allocated for, and the ranges must cover the
// data once, as the format asks (no overlap, no hole). Data stays in the mapped file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "formats/file.h"

namespace monograph {

// A dense, row-major array that somebody else owns.
struct NamedArray {
  std::string name;
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  const void* data = nullptr;
  size_t nbytes = 0;
};

struct Safetensors {
  std::vector<NamedArray> arrays;  // in the order of their data
  std::map<std::string, std::string> metadata;  // the header's __metadata__
  std::shared_ptr<MappedFile> file;  // keeps the data; null after parse

  const NamedArray* find(std::string_view name) const;
};

// Longer headers are refused, as by the format's own library.
inline constexpr size_t kMaxSafetensorsHeader = 100'000'000;

// Maps `path` and reads its header. An array's data begins where the file's writer put it: it may be unaligned for its dtype (files of ours are
// aligned). Errors are of ErrorKind::File and name the file, the array and what is wrong.
Safetensors load_safetensors(const std::string& path);
// The same over bytes in memory, which must outlive the result; `where` names them in errors.
Safetensors parse_safetensors(const void* data, size_t size, std::string_view where);

// Writes the file whole or not at all (AtomicFile). The bytes depend on the contents only, not on the order of `arrays`. The data begins at a
// multiple of 64 bytes; so does every array whose size is a multiple of 64, and every array is aligned for its dtype. (More cannot be had: the
// format has no room for padding between arrays.) complex128 is written as C128, which other readers may not know.
void save_safetensors(const std::string& path, std::span<const NamedArray> arrays, const std::map<std::string, std::string>& metadata = {});

// The same bytes in pieces, for a file that holds them among others: the length and header first, then the data of each array, which stays where
// it is. Behind an aligned beginning the data is aligned as above. `path` names the file in errors.
struct SafetensorsPieces {
  std::string header;
  std::vector<std::span<const std::byte>> pieces;  // the first is the header
};
SafetensorsPieces safetensors_pieces(std::span<const NamedArray> arrays, const std::map<std::string, std::string>& metadata,
                                     const std::string& path);

}  // namespace monograph
