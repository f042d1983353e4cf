// Zip archives put together byte by byte, with every lie that a test wants told.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace monograph::test {

struct ZipEntry {
  std::string name, content;
  bool deflate = false;
  // What is stated instead of the truth.
  std::optional<std::string> local_name = {};
  std::optional<uint64_t> size = {}, stored_size = {}, crc = {}, header = {}, local_size = {};
  uint16_t method = 0xffff, flags = 0, disk = 0;
  bool zip64 = false;  // sizes and place in a Zip64 field
  std::string extra = {}, comment = {};
};

struct ZipEnd {
  std::optional<uint64_t> count = {}, size = {}, begin = {};
  uint16_t disk = 0;
  bool zip64 = false;
  std::string comment = {};
};

inline std::string deflated(std::string_view content) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data())), stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data()), stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

class ZipBytes {
 public:
  explicit ZipBytes(const std::vector<ZipEntry>& entries, const ZipEnd& end = {}) {
    std::string central;
    for (const ZipEntry& entry : entries) add(entry, central);
    finish(central, entries.size(), end);
  }
  std::string bytes;

 private:
  static std::string field(uint64_t value, size_t size) { return {reinterpret_cast<const char*>(&value), size}; }
  static std::string fields(std::initializer_list<std::pair<uint64_t, size_t>> list) {
    std::string out;
    for (const auto& [value, size] : list) out += field(value, size);
    return out;
  }
  void add(const ZipEntry& e, std::string& central) {
    const uint64_t header = e.header.value_or(bytes.size()), elsewhere = 0xffffffff;
    const std::string packed = e.deflate ? deflated(e.content) : e.content, local_name = e.local_name.value_or(e.name);
    const uint64_t size = e.size.value_or(e.content.size()), stored = e.stored_size.value_or(packed.size());
    const uint64_t local_size = e.local_size.value_or(size), method = e.method != 0xffff ? e.method : e.deflate ? 8 : 0;
    const uint64_t crc = e.crc.value_or(crc32(0, reinterpret_cast<const Bytef*>(e.content.data()), static_cast<uInt>(e.content.size())));
    std::string extra = e.extra, local_extra = e.extra;
    if (e.zip64) {
      extra += fields({{1, 2}, {24, 2}, {size, 8}, {stored, 8}, {header, 8}});
      local_extra += fields({{1, 2}, {16, 2}, {local_size, 8}, {stored, 8}});
    }
    const auto shown = [&](uint64_t value) { return e.zip64 ? elsewhere : value; };
    bytes += fields({{0x04034b50, 4}, {20, 2}, {e.flags, 2}, {method, 2}, {0, 4}, {crc, 4}, {shown(stored), 4}, {shown(local_size), 4}});
    bytes += fields({{local_name.size(), 2}, {local_extra.size(), 2}}) + local_name + local_extra + packed;
    central +=
        fields({{0x02014b50, 4}, {20, 2}, {20, 2}, {e.flags, 2}, {method, 2}, {0, 4}, {crc, 4}, {shown(stored), 4}, {shown(size), 4}});
    central += fields({{e.name.size(), 2}, {extra.size(), 2}, {e.comment.size(), 2}, {e.disk, 2}, {0, 2}, {0, 4}, {shown(header), 4}});
    central += e.name + extra + e.comment;
  }
  void finish(const std::string& central, size_t entries, const ZipEnd& e) {
    const uint64_t begin = e.begin.value_or(bytes.size()), size = e.size.value_or(central.size()), count = e.count.value_or(entries);
    bytes += central;
    const uint64_t at = bytes.size();
    if (e.zip64) {
      bytes += fields({{0x06064b50, 4}, {44, 8}, {45, 2}, {45, 2}, {0, 4}, {0, 4}, {count, 8}, {count, 8}, {size, 8}, {begin, 8}});
      bytes += fields({{0x07064b50, 4}, {0, 4}, {at, 8}, {1, 4}});
    }
    const uint64_t most16 = e.zip64 ? 0xffff : count, most32 = 0xffffffff;
    bytes += fields({{0x06054b50, 4}, {e.disk, 2}, {e.disk, 2}, {most16, 2}, {most16, 2}, {e.zip64 ? most32 : size, 4}});
    bytes += fields({{e.zip64 ? most32 : begin, 4}, {e.comment.size(), 2}}) + e.comment;
  }
};

inline std::string zip_bytes(const std::vector<ZipEntry>& entries, const ZipEnd& end = {}) { return ZipBytes(entries, end).bytes; }

}  // namespace monograph::test
