// Zip archives whose entries are used where they lie in a mapped file.
//
// It is written here because libzip can neither say where an entry's data begins in the file nor choose that place. zlib computes checksums and
// decompresses.
//
// Reading trusts nothing. The central directory must be whole and end where the archive's last records begin; each entry must have the local
// header that it claims, lie before the directory and overlap no other; names come once, and are only compared, never used as paths. Nothing is
// allocated by a size that the file merely states.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formats/file.h"

namespace monograph {

// Data of entries begins at multiples of this.
inline constexpr size_t kArchiveAlignment = 64;

struct ArchiveEntry {
  std::string name;
  uint64_t header = 0;  // where its local header begins
  uint64_t begin = 0, stored_size = 0;  // its bytes in the file
  uint64_t size = 0;  // of its content
  uint32_t crc = 0;  // of its content
  uint16_t method = 0;  // 0: the content as it is; 8: deflated; others cannot be read
};

class Archive {
 public:
  // `bytes` must outlive the archive; `where` names it in errors, which are of ErrorKind::File.
  Archive(std::span<const std::byte> bytes, std::string_view where);
  Archive(Archive&&) = default;
  Archive& operator=(Archive&&) = default;

  const std::vector<ArchiveEntry>& entries() const { return entries_; }
  const ArchiveEntry* find(std::string_view name) const;

  struct Content {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;  // of inflated bytes; null where they lie in the archive
  };
  // The content of an entry, in place where it is stored. The inflated ones that are held at
  // one time may have three times the size of the archive and 64 MiB, no more.
  // Its checksum is compared where it is inflated, and where `check` asks for it: that reads every byte.
  Content read(const ArchiveEntry& entry, bool check) const;

 private:
  Content inflated(const ArchiveEntry& entry) const;
  std::span<const std::byte> bytes_;
  std::string where_;
  std::vector<ArchiveEntry> entries_;  // in the order of the directory
  std::unordered_map<std::string_view, size_t> index_;
  std::shared_ptr<std::atomic<uint64_t>> inflated_ = std::make_shared<std::atomic<uint64_t>>(0);  // bytes that are held
};

// Writes an archive of stored entries, aligned, whole or not at all (AtomicFile). Its bytes depend on the entries only: there are no times in it.
// Sizes, places and counts that need it are written as Zip64.
class ArchiveWriter {
 public:
  explicit ArchiveWriter(const std::string& path) : file_(path) {}
  // Gives the bytes to `sink`, in order: whether they appear as a whole is up to it.
  explicit ArchiveWriter(std::function<void(const void*, size_t)> sink) : sink_(std::move(sink)) {}

  // The content is the pieces one behind another. Names are UTF-8, and each comes once.
  void add(std::string_view name, std::span<const std::span<const std::byte>> pieces);
  void commit();
  const std::vector<ArchiveEntry>& entries() const { return entries_; }  // so far

 private:
  void write(const std::string& bytes);
  void write(const void* data, size_t bytes);
  std::optional<AtomicFile> file_;  // or
  std::function<void(const void*, size_t)> sink_;
  std::vector<ArchiveEntry> entries_;
  std::unordered_set<std::string> names_;
  uint64_t at_ = 0;
};

// The CRC-32 of zip files.
uint32_t crc32_of(std::span<const std::byte> bytes, uint32_t before = 0);

}  // namespace monograph
