// ZipReader parses the records of a zip archive with every bound checked; ArchiveWriter writes them, with padding before each entry's data.
#include "formats/archive.h"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "core/error.h"

namespace monograph {
namespace {

// The signature that each kind of record begins with, and the size of its fixed part in bytes.
constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kEnd64Size = 56, kLocator64Size = 20;
// A field with this value says that the true value stands in a Zip64 record.
constexpr uint32_t kInZip64 = 0xffffffff;
constexpr uint16_t kInZip64_16 = 0xffff;
// Tags of extra fields. Android's zipalign uses the second one: it holds the alignment, then padding.
constexpr uint16_t kZip64Tag = 1, kAlignmentTag = 0xd935;
constexpr uint16_t kStored = 0, kDeflated = 8;  // methods
constexpr uint16_t kEncrypted = 1, kSizesFollow = 8, kUtf8 = 1 << 11;  // flags
// Inflated contents may take kFreeInflated bytes plus kMostInflatedTimes the size of the file.
constexpr uint64_t kFreeInflated = uint64_t{64} << 20, kMostInflatedTimes = 3;

}  // namespace

bool is_zip(std::span<const std::byte> bytes) {
  return as_text(bytes).starts_with("PK\x03\x04") || as_text(bytes).starts_with("PK\x05\x06");
}

// Whether a program that unpacks the entry would write outside of its folder: "../x", "a/../../x", "/x", "C:/x". Windows' separators count.
static bool leads_outside(std::string_view name) {
  const bool drive = name.size() > 1 && name[1] == ':' && std::isalpha(static_cast<unsigned char>(name[0]));
  if (drive || name.find('\0') != std::string_view::npos || name.starts_with('/') || name.starts_with('\\')) return true;
  int depth = 0;
  while (!name.empty() && depth >= 0) {
    const size_t end = std::min(name.find_first_of("/\\"), name.size());
    const std::string_view part = name.substr(0, end);
    depth += part == ".." ? -1 : part.empty() || part == "." ? 0 : 1;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return depth < 0;
}

uint32_t crc32_of(std::span<const std::byte> bytes, uint32_t before) {
  return static_cast<uint32_t>(crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// --- reading

namespace {

// Reads little-endian fields one after another. Reading beyond the end is an error that calls the archive damaged.
class ZipReader {
 public:
  ZipReader(std::string_view where, std::span<const std::byte> bytes, uint64_t at = 0) : where_(where), bytes_(bytes), at_(at) {
    if (at > bytes.size()) bad("a record lies outside of it");
  }

  uint16_t u16() { return static_cast<uint16_t>(number(2)); }
  uint32_t u32() { return static_cast<uint32_t>(number(4)); }
  uint64_t u64() { return number(8); }
  void skip(size_t bytes) { take(bytes); }
  std::string_view text(size_t bytes) { return {reinterpret_cast<const char*>(take(bytes).data()), bytes}; }
  ZipReader part(size_t bytes) { return {where_, take(bytes)}; }
  uint64_t at() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }

  template <class... Parts>
  [[noreturn]] void bad(const Parts&... parts) const {
    fail(ErrorKind::File, where_, ": the file is truncated or damaged (", parts..., "). Copy it again, or write it again");
  }
  // For an archive that is not damaged, but uses something that this reader lacks.
  template <class... Parts>
  [[noreturn]] void cannot(const Parts&... parts) const {
    fail(ErrorKind::File, where_, ": ", parts...);
  }

 private:
  std::span<const std::byte> take(size_t bytes) {
    if (bytes > left()) bad("a record ends outside of it");
    const auto taken = bytes_.subspan(at_, bytes);
    at_ += bytes;
    return taken;
  }
  uint64_t number(size_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, take(bytes).data(), bytes);  // the hosts are little-endian, as safetensors.cpp asserts
    return value;
  }

  std::string_view where_;
  std::span<const std::byte> bytes_;
  uint64_t at_;
};

struct Directory {
  uint64_t begin = 0, size = 0, count = 0;
};

// Reads the Zip64 field among an entry's extra fields. It holds a number for each of `values` that is kInZip64, in this order.
void read_zip64_field(ZipReader extra, std::initializer_list<uint64_t*> values) {
  bool found = false;
  while (extra.left() >= 4) {
    const uint16_t tag = extra.u16();
    ZipReader field = extra.part(extra.u16());
    if (tag != kZip64Tag || found) continue;
    found = true;
    for (uint64_t* value : values)
      if (*value == kInZip64) *value = field.u64();
  }
}

// Finds where the end record begins. A comment of any content may follow it.
uint64_t find_end(std::span<const std::byte> bytes, std::string_view where) {
  if (bytes.size() >= kEndSize) {
    const uint64_t last = bytes.size() - kEndSize, first = last - std::min<uint64_t>(last, 0xffff);
    for (uint64_t at = last + 1; at-- > first;) {
      uint32_t signature = 0;
      uint16_t comment = 0;
      std::memcpy(&signature, bytes.data() + at, sizeof signature);
      std::memcpy(&comment, bytes.data() + at + kEndSize - sizeof comment, sizeof comment);
      if (signature == kEnd && comment == last - at) return at;
    }
  }
  MONOGRAPH_CHECK(
      bytes.size() < 2 || std::memcmp(bytes.data(), "PK", 2) == 0, File, where,
      ": neither a .mgraph file nor an archive of torch.jit.save, because it does not begin with 'PK'; `monograph info` says what a file "
      "holds, and `monograph convert` writes a .mgraph file");
  ZipReader(where, bytes).bad("the end of its zip archive is missing");
}

// Whether Zip64 records, the first of which begins at `begin`, stand before the end record.
bool has_locator(std::span<const std::byte> bytes, uint64_t end, uint64_t begin) {
  if (end < kLocator64Size + kEnd64Size || begin > end - kLocator64Size - kEnd64Size) return false;
  uint32_t locator = 0, record = 0;
  std::memcpy(&locator, bytes.data() + end - kLocator64Size, sizeof locator);
  std::memcpy(&record, bytes.data() + begin, sizeof record);
  return locator == kLocator64 && record == kEnd64;
}

Directory find_directory(std::span<const std::byte> bytes, std::string_view where) {
  const auto reader_at = [&](uint64_t at) { return ZipReader(where, bytes, at); };
  uint64_t end = find_end(bytes, where);
  ZipReader record = reader_at(end + 4);
  const uint16_t disk = record.u16(), directory_disk = record.u16(), here = record.u16();
  Directory d;
  d.count = record.u16(), d.size = record.u32(), d.begin = record.u32();
  bool one_disk = disk == directory_disk && (disk == 0 || disk == kInZip64_16) && here == d.count;
  // PyTorch writes Zip64 records into every archive, also where the end record alone would do.
  const bool in_zip64 = d.count == kInZip64_16 || d.size == kInZip64 || d.begin == kInZip64;
  if (in_zip64 || has_locator(bytes, end, d.begin + d.size)) {
    if (end < kLocator64Size + kEnd64Size) record.bad("its Zip64 records are missing");
    ZipReader locator = reader_at(end - kLocator64Size);
    if (locator.u32() != kLocator64) record.bad("its Zip64 locator is missing");
    one_disk &= locator.u32() == 0;
    end = locator.u64();
    one_disk &= locator.u32() <= 1;
    ZipReader long_record = reader_at(end);
    if (long_record.u32() != kEnd64) record.bad("its Zip64 end record is missing");
    long_record.skip(8 + 2 + 2);
    one_disk &= long_record.u32() == 0 && long_record.u32() == 0;
    const uint64_t long_here = long_record.u64();
    const Directory before = d;
    d.count = long_record.u64(), d.size = long_record.u64(), d.begin = long_record.u64();
    one_disk &= long_here == d.count;
    if (!in_zip64 && (d.count != before.count || d.size != before.size || d.begin != before.begin))
      record.bad("its two end records name different directories");
  }
  if (!one_disk) record.cannot("it is one part of an archive of several files; write it as one file");
  if (d.begin > end || d.size != end - d.begin) record.bad("its directory is not where its end record says");
  if (d.count > d.size / kCentralSize) record.bad("its directory is too small for ", d.count, " entries");
  return d;
}

ArchiveEntry read_central(ZipReader& directory) {
  ArchiveEntry entry;
  if (directory.u32() != kCentral) directory.bad("its directory holds something else");
  directory.skip(2 + 2);
  const uint16_t flags = directory.u16();
  entry.method = directory.u16();
  directory.skip(2 + 2);
  entry.crc = directory.u32(), entry.stored_size = directory.u32(), entry.size = directory.u32();
  const uint16_t name = directory.u16(), extra = directory.u16(), comment = directory.u16(), disk = directory.u16();
  directory.skip(2 + 4);
  entry.header = directory.u32();
  entry.name = directory.text(name);
  if (name == 0) directory.cannot("one of its entries has no name. No program that saves models writes that; get the file again");
  if (leads_outside(entry.name))
    directory.cannot("its entry ", shown(entry.name),
                     " has a name that leads out of the folder to which the archive is unpacked. No program that "
                     "saves models writes that, so the file may be an attack; get it again from those who made it");
  read_zip64_field(directory.part(extra), {&entry.size, &entry.stored_size, &entry.header});
  directory.skip(comment);
  if (disk != 0 && disk != kInZip64_16) directory.cannot("it is one part of an archive of several files; write it as one file");
  if (flags & kEncrypted) directory.cannot("its entry ", shown(entry.name), " is encrypted; write the archive without a password");
  if (entry.method == kStored && entry.size != entry.stored_size) directory.bad("its entry ", shown(entry.name), " has two sizes");
  return entry;
}

// Finds where an entry's data begins. Its local header must agree with the directory.
void read_local(ArchiveEntry& entry, ZipReader local, uint64_t end) {
  if (local.u32() != kLocal) local.bad("its entry ", shown(entry.name), " is not where the directory says");
  local.skip(2);
  const uint16_t flags = local.u16(), method = local.u16();
  local.skip(2 + 2);
  const uint32_t crc = local.u32();
  uint64_t stored_size = local.u32(), size = local.u32();
  const uint16_t name = local.u16(), extra = local.u16();
  const bool same_name = local.text(name) == entry.name;
  read_zip64_field(local.part(extra), {&size, &stored_size});
  const bool same_sizes = (flags & kSizesFollow) || (crc == entry.crc && size == entry.size && stored_size == entry.stored_size);
  if (!same_name || !same_sizes || method != entry.method)
    local.bad("its entry ", shown(entry.name), " has another name or size than the directory says");
  entry.begin = local.at();
  if (entry.begin > end || entry.stored_size > end - entry.begin) local.bad("its entry ", shown(entry.name), " ends outside of it");
}

}  // namespace

Archive::Archive(std::span<const std::byte> bytes, std::string_view where) : bytes_(bytes), where_(where) {
  const Directory d = find_directory(bytes, where_);
  ZipReader directory(where_, bytes.subspan(d.begin, d.size));
  entries_.reserve(d.count);
  for (uint64_t k = 0; k < d.count; ++k) entries_.push_back(read_central(directory));
  if (directory.left() != 0) directory.bad("its directory holds more than ", d.count, " entries");
  for (size_t k = 0; k < entries_.size(); ++k) {
    read_local(entries_[k], ZipReader(where_, bytes, entries_[k].header), d.begin);
    if (!index_.emplace(entries_[k].name, k).second) directory.bad("its entry ", shown(entries_[k].name), " comes twice");
  }
  std::vector<const ArchiveEntry*> order;
  for (const ArchiveEntry& entry : entries_) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const ArchiveEntry* a, const ArchiveEntry* b) { return a->header < b->header; });
  for (size_t k = 1; k < order.size(); ++k) {
    if (order[k]->header < order[k - 1]->begin + order[k - 1]->stored_size)
      directory.bad("its entries ", shown(order[k - 1]->name), " and ", shown(order[k]->name), " overlap");
  }
}

const ArchiveEntry* Archive::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &entries_[found->second];
}

Archive::Content Archive::read(const ArchiveEntry& entry, bool check) const {
  MONOGRAPH_CHECK(entry.method == kStored || entry.method == kDeflated, File, where_, ": its entry ", shown(entry.name),
                  " is compressed by method ", entry.method, ", which cannot be read; write it stored or deflated");
  Content content = entry.method == kStored ? Content{bytes_.subspan(entry.begin, entry.size), nullptr} : inflate_entry(entry);
  const bool altered = (check || entry.method != kStored) && crc32_of(content.bytes) != entry.crc;
  MONOGRAPH_CHECK(!altered, File, where_, ": its entry ", shown(entry.name),
                  " does not match its checksum: the file was changed or damaged. Copy it again, or write it again");
  return content;
}

Archive::Content Archive::inflate_entry(const ArchiveEntry& entry) const {
  const uint64_t most = kFreeInflated + kMostInflatedTimes * bytes_.size();
  MONOGRAPH_CHECK(entry.size <= most, File, where_, ": its entry ", shown(entry.name), " would inflate to ", entry.size,
                  " bytes, above the limit of ", most, " for an archive of this size; write it stored (zip -0)");
  // The limit holds for all contents together, each as long as somebody holds it.
  if (inflated_bytes_->fetch_add(entry.size) + entry.size > most) {
    inflated_bytes_->fetch_sub(entry.size);
    fail(ErrorKind::File, where_, ": its entries would inflate to more than the limit of ", most, " bytes for an archive of this size, ",
         shown(entry.name), " among them; write them stored (zip -0)");
  }
  const auto fail_inflating = [&] {
    fail(ErrorKind::File, where_, ": its entry ", shown(entry.name), " does not inflate to its ", entry.size,
         " bytes; the archive is damaged");
  };
  struct InflatedBytes {
    InflatedBytes(std::shared_ptr<std::atomic<uint64_t>> total_bytes, uint64_t size) : total(std::move(total_bytes)), counted(size) {}
    ~InflatedBytes() { total->fetch_sub(counted); }
    InflatedBytes(const InflatedBytes&) = delete;
    InflatedBytes& operator=(const InflatedBytes&) = delete;
    std::shared_ptr<std::atomic<uint64_t>> total;
    uint64_t counted;  // bytes of `total` that this object stands for
    std::unique_ptr<std::byte[]> bytes;
  };
  auto out = std::make_shared<InflatedBytes>(inflated_bytes_, entry.size);
  // The stated size may be wrong. Too large a buffer costs nothing, because untouched pages take no memory. Its one extra byte shows data that is
  // too long.
  const size_t size = static_cast<size_t>(entry.size) + 1;
  out->bytes = std::make_unique_for_overwrite<std::byte[]>(size);
  z_stream stream{};
  MONOGRAPH_ASSERT(inflateInit2(&stream, -MAX_WBITS) == Z_OK);
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&stream, inflateEnd);
  std::span<const std::byte> in = bytes_.subspan(entry.begin, entry.stored_size);
  constexpr size_t kStep = size_t{1} << 20;
  int code = Z_OK;
  for (size_t produced = 0; code == Z_OK;) {
    if (stream.avail_in == 0 && !in.empty()) {
      const size_t step = std::min(in.size(), kStep);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
      stream.avail_in = static_cast<uInt>(step);
      in = in.subspan(step);
    }
    const size_t room = std::min(size - produced, kStep);
    stream.next_out = reinterpret_cast<Bytef*>(out->bytes.get() + produced);
    stream.avail_out = static_cast<uInt>(room);
    code = inflate(&stream, Z_NO_FLUSH);
    produced += room - stream.avail_out;
    if (produced > entry.size) fail_inflating();
    if (code == Z_STREAM_END && produced == entry.size && in.empty() && stream.avail_in == 0) {
      return {std::span<const std::byte>(out->bytes.get(), produced), out};
    }
  }
  fail_inflating();
  return {};
}

// --- writing

namespace {

class LittleEndianBytes {
 public:
  LittleEndianBytes& u16(uint64_t value) { return number(value, 2); }
  LittleEndianBytes& u32(uint64_t value) { return number(value, 4); }
  LittleEndianBytes& u64(uint64_t value) { return number(value, 8); }
  LittleEndianBytes& text(std::string_view value) { return bytes += value, *this; }
  std::string bytes;

 private:
  LittleEndianBytes& number(uint64_t value, size_t size) { return bytes.append(reinterpret_cast<const char*>(&value), size), *this; }
};

bool needs_zip64(uint64_t value) { return value >= kInZip64; }

// Writes the fields that the local header and the directory share: version, flags, method, a fixed day (1980-01-01), checksum and sizes.
void write_common_fields(LittleEndianBytes& out, const ArchiveEntry& entry, bool zip64) {
  out.u16(zip64 ? 45 : 20).u16(kUtf8).u16(kStored).u16(0).u16(0x21).u32(entry.crc);
  out.u32(zip64 ? kInZip64 : entry.size).u32(zip64 ? kInZip64 : entry.size).u16(entry.name.size());
}

}  // namespace

void ArchiveWriter::write(const std::string& bytes) {
  write(bytes.data(), bytes.size());
  at_ += bytes.size();
}

void ArchiveWriter::write(const void* data, size_t bytes) {
  if (file_) file_->write(data, bytes);
  else sink_(data, bytes);
}

void ArchiveWriter::add(std::string_view name, std::span<const std::span<const std::byte>> pieces) {
  MONOGRAPH_CHECK(!name.empty() && !name.ends_with('/'), Value, "an entry of an archive needs a name, but got ", shown(name),
                  "; give each extra file a name");
  MONOGRAPH_CHECK(!leads_outside(name), Value, "the name of the entry ", shown(name),
                  " leads out of the folder to which the archive is unpacked; give it a name without '..'");
  MONOGRAPH_ASSERT(names_.emplace(name).second && name.size() < 0x8000);
  ArchiveEntry entry;
  entry.name = name;
  entry.header = at_;
  for (std::span<const std::byte> piece : pieces) {
    entry.crc = crc32_of(piece, entry.crc);
    entry.size += piece.size();
  }
  LittleEndianBytes extra, local;
  const bool zip64 = needs_zip64(entry.size);
  if (zip64) extra.u16(kZip64Tag).u16(16).u64(entry.size).u64(entry.size);
  const uint64_t begin = at_ + kLocalSize + name.size() + extra.bytes.size() + 6;
  const uint64_t padding = (kArchiveAlignment - begin % kArchiveAlignment) % kArchiveAlignment;
  extra.u16(kAlignmentTag).u16(2 + padding).u16(kArchiveAlignment).text(std::string(padding, '\0'));
  local.u32(kLocal);
  write_common_fields(local, entry, zip64);
  local.u16(extra.bytes.size()).text(name).text(extra.bytes);
  write(local.bytes);
  entry.begin = at_;
  for (std::span<const std::byte> piece : pieces) write(piece.data(), piece.size());
  at_ += entry.size;
  entries_.push_back(std::move(entry));
}

void ArchiveWriter::commit() {
  constexpr uint64_t kRegularFile = 0100644;
  const uint64_t directory = at_;
  for (const ArchiveEntry& entry : entries_) {
    LittleEndianBytes extra, central;
    const bool zip64 = needs_zip64(entry.size), zip64_header = needs_zip64(entry.header);
    if (zip64 || zip64_header) extra.u16(kZip64Tag).u16((zip64 ? 16 : 0) + (zip64_header ? 8 : 0));
    if (zip64) extra.u64(entry.size).u64(entry.size);
    if (zip64_header) extra.u64(entry.header);
    central.u32(kCentral).u16(3 << 8 | 45);  // made on Unix, by version 4.5 of the format
    write_common_fields(central, entry, zip64);
    central.u16(extra.bytes.size()).u16(0).u16(0).u16(0).u32(kRegularFile << 16).u32(zip64_header ? kInZip64 : entry.header);
    write(central.text(entry.name).text(extra.bytes).bytes);
  }
  const uint64_t end = at_, size = end - directory, count = entries_.size();
  LittleEndianBytes last;
  if (needs_zip64(directory) || needs_zip64(size) || count >= kInZip64_16) {
    last.u32(kEnd64).u64(kEnd64Size - 12).u16(3 << 8 | 45).u16(45).u32(0).u32(0).u64(count).u64(count).u64(size).u64(directory);
    last.u32(kLocator64).u32(0).u64(end).u32(1);
  }
  const uint64_t short_count = std::min<uint64_t>(count, kInZip64_16);
  last.u32(kEnd).u16(0).u16(0).u16(short_count).u16(short_count);
  last.u32(std::min<uint64_t>(size, kInZip64)).u32(std::min<uint64_t>(directory, kInZip64)).u16(0);
  write(last.bytes);
  if (file_) file_->commit();
}

}  // namespace monograph
