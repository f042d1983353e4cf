// Reads and writes safetensors files: an eight-byte length, a JSON header of names, dtypes, shapes and byte ranges, then the data.
//
// The reader trusts nothing in the file. Every size and offset is checked against the size of the file before it is used. As the format demands, the
// byte ranges must cover the data exactly once, without overlaps or gaps. The data stays in the mapped file.
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

// A contiguous (row-major) array with a name. It does not own its data.
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
  std::shared_ptr<MappedFile> file;  // keeps the data; null after parse_safetensors

  // Null if there is no array of this name.
  const NamedArray* find(std::string_view name) const;
};

// The longest header in bytes that is read or written. The format's own library has the same limit.
inline constexpr size_t kMaxSafetensorsHeader = 100'000'000;

// Maps the file and reads its header. Another writer may leave an array's data unaligned for its dtype; our own files are aligned. Error (File) names
// the file, the array and what is wrong.
Safetensors load_safetensors(const std::string& path);
// The same for bytes in memory, which must outlive the result; `where` names them in errors.
Safetensors parse_safetensors(const void* data, size_t size, std::string_view where);

// Writes the file whole or not at all (AtomicFile). The bytes depend on the contents only, not on the order of `arrays`. The data begins at a
// multiple of 64 bytes, and so does every array whose size is a multiple of 64. Every array is aligned for its dtype. (The format allows no padding
// between arrays, so not every array can begin at a multiple of 64.) complex128 is written as C128, which other readers may not know. Error (Value)
// if two arrays have the same name or a name is not UTF-8; Error (File) if the file cannot be written.
void save_safetensors(const std::string& path, std::span<const NamedArray> arrays, const std::map<std::string, std::string>& metadata = {});

// The same bytes in pieces, for a writer that embeds them in another file: first the length and header, then the data of each array, which is not
// copied. If the first piece begins at a multiple of 64 bytes, the data is aligned as above. `path` names the file in errors.
struct SafetensorsPieces {
  std::string header;
  std::vector<std::span<const std::byte>> pieces;  // the first is the header
};
SafetensorsPieces safetensors_pieces(std::span<const NamedArray> arrays, const std::map<std::string, std::string>& metadata,
                                     const std::string& path);

}  // namespace monograph
