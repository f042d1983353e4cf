// The files that the formats read and write: MappedFile maps one for reading, AtomicFile writes one whole or not at all.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace monograph {

// A regular file mapped into memory. Pages are read when they are first used. The bytes may be written to: writes stay in this mapping and never
// reach the file. The mapping stays valid if the file is renamed, replaced or removed. Truncating the file in place makes later reads crash.
class MappedFile {
 public:
  // Error (File) if the path cannot be opened or is not a regular file.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  std::byte* data() const { return data_; }  // null for an empty file
  size_t size() const { return size_; }

 private:
  std::string path_;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

// A file that appears whole or not at all. Bytes go to a new file in the same folder; `commit` flushes it to the disk and renames it to `path`.
// Without commit (an exception, a kill) the old file at `path` stays as it was. A symbolic link at `path` stays one; its target is replaced.
// All errors are of ErrorKind::File.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, size_t bytes);
  void commit();

 private:
  [[noreturn]] void fail_with_errno(const char* doing) const;

  std::string path_, temporary_;
  int descriptor_ = -1;
};

// A name that was read from a file, quoted for a message. It is cut after 80 bytes; bytes that are not UTF-8 are written as \xNN, control
// characters as '?'.
std::string shown(std::string_view name);

bool is_utf8(std::string_view text);

// The bytes as text. Nothing is copied.
inline std::string_view as_text(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace monograph
