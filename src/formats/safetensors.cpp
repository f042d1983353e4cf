// The reader takes the header from the events of a JSON parser, so it sees repeated keys and wrong types at once. Then it sorts the arrays by their
// offsets, to find gaps and overlaps.
#include "formats/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

#include "core/error.h"
#include "core/quantizer.h"
#include "formats/open.h"

namespace monograph {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian, and its data is used in place");

constexpr size_t kLengthBytes = 8, kAlignment = 64, kMaxRank = 64;
constexpr std::string_view kMetadata = "__metadata__";

struct DTypeName {
  std::string_view name;
  DType dtype;
};
constexpr DTypeName kDTypes[] = {{"U8", DType::u8},
                                 {"I8", DType::i8},
                                 {"I16", DType::i16},
                                 {"I32", DType::i32},
                                 {"I64", DType::i64},
                                 {"F16", DType::f16},
                                 {"F32", DType::f32},
                                 {"F64", DType::f64},
                                 {"C64", DType::c64},
                                 {"BOOL", DType::b1},
                                 {"BF16", DType::bf16},
                                 {"C128", DType::c128},
                                 {"U16", DType::u16},
                                 {"U32", DType::u32},
                                 {"U64", DType::u64},
                                 {"C32", DType::c32},
                                 {"F8_E4M3", DType::f8e4m3fn},
                                 {"F8_E5M2", DType::f8e5m2},
                                 {"F8_E4M3FNUZ", DType::f8e4m3fnuz},
                                 {"F8_E5M2FNUZ", DType::f8e5m2fnuz}};
static_assert(std::size(kDTypes) == kPlainDTypeCount);

std::string_view name_in_file(DType dtype) {
  check_not_quantized(dtype, "a file of safetensors");
  return std::find_if(std::begin(kDTypes), std::end(kDTypes), [&](const DTypeName& entry) { return entry.dtype == dtype; })->name;
}

// The bytes that a contiguous array takes; nullopt if a size is negative or a product of sizes does not fit in 64 bits. The sizes of an empty array
// count too, because its strides are products of them.
std::optional<int64_t> contiguous_bytes(DType dtype, const std::vector<int64_t>& shape) {
  int64_t bytes = element_size(dtype);
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0 || (size > 0 && __builtin_mul_overflow(bytes, size, &bytes))) return std::nullopt;
    empty |= size == 0;
  }
  return empty ? 0 : bytes;
}

// --- reading

struct HeaderEntry {
  std::string name;
  std::optional<DType> dtype;
  bool has_shape = false;
  std::vector<int64_t> shape;
  std::vector<int64_t> offsets;  // empty until they are read, then begin and end
};

// Gets the header's JSON event by event. It refuses the first thing that a header cannot have, so no text makes it build anything large or deep.
class SafetensorsHeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit SafetensorsHeaderReader(std::string_view where) : where_(where) {}

  std::vector<HeaderEntry> entries;
  std::map<std::string, std::string> metadata;

  bool key(string_t& text) override {
    if (level_ == 1) {
      if (!names_.insert(text).second) bad("the name ", shown(text), " comes twice");
      in_metadata_ = text == kMetadata;
      if (!in_metadata_) entries.emplace_back().name = text;
    }
    key_ = std::move(text);
    return true;
  }
  bool start_object(size_t) override {
    if (level_ > 1 || numbers_ != nullptr) return unexpected("an object");
    ++level_;
    return true;
  }
  bool end_object() override {
    --level_;
    if (level_ == 1 && !in_metadata_) {
      const HeaderEntry& entry = entries.back();
      if (!entry.dtype || !entry.has_shape || entry.offsets.empty()) bad(shown(entry.name), ": expected dtype, shape and data_offsets");
    }
    return true;
  }
  bool start_array(size_t) override {
    if (level_ != 2 || in_metadata_ || numbers_ != nullptr) return unexpected("a list");
    HeaderEntry& entry = entries.back();
    const bool shape = key_ == "shape" && !entry.has_shape, offsets = key_ == "data_offsets" && entry.offsets.empty();
    if (!shape && !offsets) return unexpected("a list");
    entry.has_shape |= shape;
    most_ = shape ? kMaxRank : 2;
    numbers_ = shape ? &entry.shape : &entry.offsets;
    return true;
  }
  bool end_array() override {
    if (key_ == "data_offsets" && numbers_->size() != 2) return unexpected("a list of one number or none");
    numbers_ = nullptr;
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (numbers_ == nullptr || value > static_cast<uint64_t>(INT64_MAX)) return unexpected("a number");
    if (numbers_->size() == most_) bad(shown(entries.back().name), ": more than ", most_, " numbers in ", key_);
    numbers_->push_back(static_cast<int64_t>(value));
    return true;
  }
  bool string(string_t& text) override {
    if (level_ == 2 && in_metadata_) {
      if (!metadata.emplace(key_, std::move(text)).second) bad("the metadata ", shown(key_), " comes twice");
      return true;
    }
    if (level_ != 2 || key_ != "dtype" || numbers_ != nullptr || entries.back().dtype) return unexpected("a text");
    for (const auto& [name, dtype] : kDTypes) {
      if (name == text) return entries.back().dtype = dtype, true;
    }
    bad(shown(entries.back().name), ": its dtype ", shown(text), " is not one that Monograph has");
  }
  bool number_integer(number_integer_t) override { return unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { return unexpected("a number that is not whole or too large"); }
  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a boolean"); }
  bool binary(binary_t&) override { return unexpected("binary data"); }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    bad("its header is not JSON at byte ", kLengthBytes + position - 1);
  }

 private:
  template <class... Parts>
  [[noreturn]] void bad(const Parts&... parts) {
    fail(ErrorKind::File, where_, ": ", parts..., "; the file is damaged or no safetensors file");
  }
  [[noreturn]] bool unexpected(std::string_view what) {
    if (level_ == 0) bad("expected an object as its header but got ", what);
    if (level_ == 1) bad(shown(key_), ": expected an object but got ", what);
    if (in_metadata_) bad("the metadata ", shown(key_), ": expected one text but got ", what);
    bad(shown(entries.back().name), ": in ", shown(key_), ", unexpected ", what);
  }

  std::string_view where_;
  int level_ = 0;  // how many objects are open: 1 in the header, 2 in an entry
  bool in_metadata_ = false;
  std::string key_;
  std::vector<int64_t>* numbers_ = nullptr;  // the list that is being read
  size_t most_ = 0;
  std::unordered_set<std::string> names_;
};

NamedArray checked_array(HeaderEntry& entry, const unsigned char* data, int64_t data_bytes, std::string_view where) {
  const int64_t begin = entry.offsets[0], end = entry.offsets[1];
  const std::string name = shown(entry.name);
  MONOGRAPH_CHECK(begin <= end && end <= data_bytes, File, where, ": ", name, ": its data_offsets ", begin, " to ", end,
                  " do not lie in the file's ", data_bytes,
                  " bytes of data; the file is truncated or damaged. Copy it again, or write it again");
  const std::optional<int64_t> bytes = contiguous_bytes(*entry.dtype, entry.shape);
  MONOGRAPH_CHECK(bytes == end - begin, File, where, ": ", name, ": its shape and dtype do not fit its ", end - begin,
                  " bytes of data; the file is damaged");
  if (*entry.dtype == DType::b1) {
    const bool valid = std::all_of(data + begin, data + end, [](unsigned char value) { return value <= 1; });
    MONOGRAPH_CHECK(valid, File, where, ": ", name, ": a boolean in it is neither 0 nor 1; the file is damaged");
  }
  return {std::move(entry.name), *entry.dtype, std::move(entry.shape), data + begin, static_cast<size_t>(end - begin)};
}

}  // namespace

const NamedArray* Safetensors::find(std::string_view name) const {
  const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const NamedArray& array) { return array.name == name; });
  return found == arrays.end() ? nullptr : &*found;
}

Safetensors parse_safetensors(const void* bytes, size_t size, std::string_view where) {
  MONOGRAPH_CHECK(size >= kLengthBytes, File, where, ": ", size,
                  " bytes are too few for a safetensors file; it is truncated or another format");
  uint64_t length = 0;
  std::memcpy(&length, bytes, kLengthBytes);
  if (length > kMaxSafetensorsHeader) {
    const std::string other = another_format(detect_format(std::span(static_cast<const std::byte*>(bytes), size)));
    MONOGRAPH_CHECK(other.empty(), File, where, ": ", other, ". It is not a safetensors file");
  }
  MONOGRAPH_CHECK(length <= kMaxSafetensorsHeader, File, where,
                  ": not a safetensors file, or a damaged one: its first 8 bytes say that the header has ", length, " bytes, and at most ",
                  kMaxSafetensorsHeader, " are allowed");
  MONOGRAPH_CHECK(length <= size - kLengthBytes, File, where, ": its header should have ", length, " bytes but ", size - kLengthBytes,
                  " are left; the file is truncated or another format");
  const auto* text = static_cast<const char*>(bytes) + kLengthBytes;
  MONOGRAPH_CHECK(length > 0 && text[0] == '{', File, where, ": its header does not begin with '{'; the file is damaged or another format");
  SafetensorsHeaderReader reader(where);
  nlohmann::json::sax_parse(text, text + length, &reader);

  const auto* data = reinterpret_cast<const unsigned char*>(text + length);
  const auto data_bytes = static_cast<int64_t>(size - kLengthBytes - length);
  std::sort(reader.entries.begin(), reader.entries.end(), [](const HeaderEntry& a, const HeaderEntry& b) { return a.offsets < b.offsets; });
  Safetensors out;
  out.metadata = std::move(reader.metadata);
  out.arrays.reserve(reader.entries.size());
  int64_t covered = 0;
  for (HeaderEntry& entry : reader.entries) {
    const int64_t begin = entry.offsets[0];
    MONOGRAPH_CHECK(begin >= covered, File, where, ": ", shown(entry.name), ": its data overlaps another array's; the file is damaged");
    MONOGRAPH_CHECK(begin == covered, File, where, ": bytes ", covered, " to ", begin,
                    " of its data belong to no array; the file is damaged");
    covered = entry.offsets[1];
    out.arrays.push_back(checked_array(entry, data, data_bytes, where));
  }
  MONOGRAPH_CHECK(covered == data_bytes, File, where, ": bytes ", covered, " to ", data_bytes,
                  " of its data belong to no array; the file is damaged");
  return out;
}

Safetensors load_safetensors(const std::string& path) {
  auto file = std::make_shared<MappedFile>(path);
  Safetensors out = parse_safetensors(file->data(), file->size(), path);
  out.file = std::move(file);
  return out;
}

// --- writing

namespace {

std::string quoted(std::string_view text, std::string_view path) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    fail(ErrorKind::Value, path, ": cannot save a name or text that is not UTF-8");
  }
}

// First the arrays whose size is a multiple of 64 bytes, so that each begins at one; then larger elements before smaller ones, so that each array is
// aligned for its dtype; then by name.
std::vector<const NamedArray*> order_of_data(std::span<const NamedArray> arrays) {
  std::vector<const NamedArray*> order;
  for (const NamedArray& array : arrays) order.push_back(&array);
  std::sort(order.begin(), order.end(), [](const NamedArray* a, const NamedArray* b) {
    const auto rank = [](const NamedArray* array) { return std::pair(array->nbytes % kAlignment != 0, -element_size(array->dtype)); };
    return rank(a) != rank(b) ? rank(a) < rank(b) : a->name < b->name;
  });
  return order;
}

std::string header_of(const std::string& path, const std::vector<const NamedArray*>& order,
                      const std::map<std::string, std::string>& metadata) {
  std::string out = "{";
  if (!metadata.empty()) {
    out += concat("\"", kMetadata, "\":{");
    const char* comma = "";
    for (const auto& [name, text] : metadata) out += concat(comma, quoted(name, path), ":", quoted(text, path)), comma = ",";
    out += "}";
  }
  std::unordered_set<std::string_view> names;
  size_t begin = 0;
  for (const NamedArray* array : order) {
    MONOGRAPH_CHECK(array->name != kMetadata && names.insert(array->name).second, Value, path, ": cannot save two arrays named ",
                    shown(array->name), ", or one named ", kMetadata, ": rename it");
    const std::optional<int64_t> bytes = contiguous_bytes(array->dtype, array->shape);
    MONOGRAPH_ASSERT(bytes && static_cast<size_t>(*bytes) == array->nbytes && array->shape.size() <= kMaxRank);
    out += concat(out.size() > 1 ? "," : "", quoted(array->name, path), ":{\"dtype\":\"", name_in_file(array->dtype), "\",\"shape\":[");
    for (size_t i = 0; i < array->shape.size(); ++i) out += concat(i == 0 ? "" : ",", array->shape[i]);
    out += concat("],\"data_offsets\":[", begin, ",", begin + array->nbytes, "]}");
    begin += array->nbytes;
  }
  out += "}";
  out.append((kAlignment - (kLengthBytes + out.size()) % kAlignment) % kAlignment, ' ');
  MONOGRAPH_CHECK(out.size() <= kMaxSafetensorsHeader, Value, path, ": cannot save: the names and shapes need a header of ", out.size(),
                  " bytes, above the format's limit of ", kMaxSafetensorsHeader);
  return out;
}

}  // namespace

SafetensorsPieces safetensors_pieces(std::span<const NamedArray> arrays, const std::map<std::string, std::string>& metadata,
                                     const std::string& path) {
  const std::vector<const NamedArray*> order = order_of_data(arrays);
  const std::string header = header_of(path, order, metadata);
  const uint64_t length = header.size();
  SafetensorsPieces out;
  out.header = std::string(reinterpret_cast<const char*>(&length), kLengthBytes) + header;
  out.pieces.reserve(order.size() + 1);
  out.pieces.push_back(std::as_bytes(std::span(out.header)));
  for (const NamedArray* array : order) out.pieces.emplace_back(static_cast<const std::byte*>(array->data), array->nbytes);
  return out;
}

void save_safetensors(const std::string& path, std::span<const NamedArray> arrays, const std::map<std::string, std::string>& metadata) {
  const SafetensorsPieces all = safetensors_pieces(arrays, metadata, path);
  AtomicFile file(path);
  for (std::span<const std::byte> piece : all.pieces) file.write(piece.data(), piece.size());
  file.commit();
}

}  // namespace monograph
