// Files as the formats need them: mapped for reading, replaced as a whole for writing.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace monograph {

// A regular file in memory, paged in as it is touched. The bytes may be written to: writes stay in this mapping and never reach the file.
// Valid after the file is renamed, replaced or removed, until the object ends.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  std::string path_;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

// A file that appears whole or not at all: bytes go to a new file in the same folder, which `commit` flushes to the disk and renames to `path`.
// Without commit (an exception, a kill) whatever was at `path` is as it was. A symbolic link at `path` stays one; its target is replaced.
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

// A name out of a file, quoted, as messages have it: it may be long, and hold anything.
std::string shown(std::string_view name);

}  // namespace monograph
