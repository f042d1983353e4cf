// Reads and writes zip archives. The data of a stored entry is used where it lies in the mapped file.
//
// We do not use libzip: it can neither say where an entry's data begins in the file nor choose that place. zlib computes checksums and
// decompresses.
//
// The reader trusts nothing in the file. The central directory must be whole and end where the archive's last records begin. Each entry must have
// the local header that it claims, lie before the directory and overlap no other. Each name occurs once, and none is empty or leads out of the
// folder to which somebody might unpack the archive. Names are only compared, never used as paths. A size that the file states allocates nothing
// before it is checked.
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

// ArchiveWriter begins the data of each entry at a multiple of this many bytes.
inline constexpr size_t kArchiveAlignment = 64;

struct ArchiveEntry {
  std::string name;
  uint64_t header = 0;  // the byte of the file where its local header begins
  uint64_t begin = 0, stored_size = 0;  // where its data begins in the file, and how many bytes it takes there
  uint64_t size = 0;  // the size of its content, in bytes
  uint32_t crc = 0;  // the CRC-32 of its content
  uint16_t method = 0;  // 0: stored; 8: deflated; other methods cannot be read
};

class Archive {
 public:
  // Reads the directory and every local header. `bytes` must outlive the archive; `where` names the file in errors. Error (File) for a damaged
  // or encrypted archive.
  Archive(std::span<const std::byte> bytes, std::string_view where);
  Archive(Archive&&) = default;
  Archive& operator=(Archive&&) = default;

  // In the order of the directory.
  const std::vector<ArchiveEntry>& entries() const { return entries_; }
  // Null if there is no entry of this name.
  const ArchiveEntry* find(std::string_view name) const;

  struct Content {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;  // keeps inflated bytes; null if the bytes lie in the archive
  };
  // The content of an entry. A stored one is not copied; a deflated one is inflated. All inflated contents that are held at one time may take
  // three times the size of the archive plus 64 MiB. The checksum is compared if the entry is deflated, or if `check` is set, which reads every
  // byte. Error (File) if the checksum differs, the limit is exceeded or the method is unknown.
  Content read(const ArchiveEntry& entry, bool check) const;

 private:
  Content inflate_entry(const ArchiveEntry& entry) const;
  std::span<const std::byte> bytes_;
  std::string where_;
  std::vector<ArchiveEntry> entries_;
  std::unordered_map<std::string_view, size_t> index_;  // from an entry's name to its place in entries_
  std::shared_ptr<std::atomic<uint64_t>> inflated_bytes_ = std::make_shared<std::atomic<uint64_t>>(0);  // held by all Contents
};

// Whether the bytes begin as a zip archive does.
bool is_zip(std::span<const std::byte> bytes);

// Writes an archive of stored entries whose data is aligned. The bytes depend on the entries only: no times are written. Sizes, offsets and counts
// that need more than 32 bits are written as Zip64.
class ArchiveWriter {
 public:
  // Writes the file whole or not at all (AtomicFile). Error (File) if it cannot be written.
  explicit ArchiveWriter(const std::string& path) : file_(path) {}
  // Gives the bytes to `sink`, in order. After an error `sink` may have got a part of the archive.
  explicit ArchiveWriter(std::function<void(const void*, size_t)> sink) : sink_(std::move(sink)) {}

  // Adds an entry whose content is the concatenated pieces. Names are UTF-8; no two entries may have the same name.
  void add(std::string_view name, std::span<const std::span<const std::byte>> pieces);
  // Writes the directory and, for a path, makes the file appear. Nothing may be added afterwards.
  void commit();
  const std::vector<ArchiveEntry>& entries() const { return entries_; }  // those added so far

 private:
  void write(const std::string& bytes);
  void write(const void* data, size_t bytes);
  std::optional<AtomicFile> file_;  // either this one is set, or sink_
  std::function<void(const void*, size_t)> sink_;
  std::vector<ArchiveEntry> entries_;
  std::unordered_set<std::string> names_;
  uint64_t at_ = 0;  // bytes written so far
};

// The CRC-32 that zip files use. `before` is the CRC-32 of the bytes that precede these.
uint32_t crc32_of(std::span<const std::byte> bytes, uint32_t before = 0);

}  // namespace monograph
