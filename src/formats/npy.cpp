// NpyHeaderReader scans the header, the text of a Python dict with three keys, character by character. The elements are used in place if their byte
// order and alignment allow it, else copied.
#include "formats/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

#include "formats/file.h"
#include "ops/dispatch.h"

namespace monograph {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxDims = 64;  // NumPy's limit

struct Header {
  DType dtype = DType::f32;
  bool swapped = false, fortran = false;
  std::vector<int64_t> shape;
  size_t data_begin = 0;
};

struct TypeCode {
  std::string_view code;
  DType dtype;
};
constexpr TypeCode kCodes[] = {{"b1", DType::b1},  {"u1", DType::u8},  {"i1", DType::i8},  {"i2", DType::i16},  {"i4", DType::i32},
                               {"i8", DType::i64}, {"u2", DType::u16}, {"u4", DType::u32}, {"u8", DType::u64},  {"f2", DType::f16},
                               {"f4", DType::f32}, {"f8", DType::f64}, {"c8", DType::c64}, {"c16", DType::c128}};

// Reads {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }: NumPy writes no other form for plain arrays.
class NpyHeaderReader {
 public:
  NpyHeaderReader(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  Header run() {
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !descr) descr = true, read_dtype();
      else if (key == "fortran_order" && !order) order = true, header_.fortran = boolean();
      else if (key == "shape" && !shape) shape = true, read_shape();
      else wrong(concat("an unknown or repeated key ", shown(key)));
      if (!take(',') && !peek('}')) wrong("no ',' or '}' after a value");
    }
    space();
    if (at_ != text_.size()) wrong("more text after its end");
    if (!descr || !order || !shape) wrong("not all of 'descr', 'fortran_order' and 'shape'");
    return std::move(header_);
  }

 private:
  [[noreturn]] void wrong(std::string_view what) const { fail(ErrorKind::File, where_, ": its .npy header has ", what); }
  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool peek(char c) {
    space();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool take(char c) {
    if (!peek(c)) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) wrong(concat("no '", c, "' where one belongs"));
  }
  std::string_view string() {
    const char quote = peek('"') ? '"' : '\'';
    expect(quote);
    const size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) wrong("a string without an end");
    const std::string_view s = text_.substr(at_, end - at_);
    at_ = end + 1;
    return s;
  }
  bool boolean() {
    space();
    for (bool value : {true, false})
      if (const std::string_view word = value ? "True" : "False"; text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    wrong("a fortran_order that is neither True nor False");
  }
  void read_dtype() {
    if (peek('['))
      fail(ErrorKind::File, where_, ": holds records (a structured dtype); save its fields one by one: np.save(path, x['field'])");
    const std::string_view descr = string();
    const char order = descr.empty() ? ' ' : descr[0];
    const std::string_view code = std::string_view("<>=|").find(order) == std::string_view::npos ? descr : descr.substr(1);
    for (const TypeCode& c : kCodes)
      if (c.code == code) {
        header_.dtype = c.dtype, header_.swapped = order == '>' && element_size(real_type(c.dtype)) > 1;
        return;
      }
    if (code.starts_with("O"))
      fail(ErrorKind::File, where_, ": holds Python objects, which are never read; save numbers: np.save(path, x.astype(np.float32))");
    fail(ErrorKind::File, where_, ": its dtype ", shown(descr), " has no tensor dtype; convert it first: np.save(path, x.astype(np.",
         code.starts_with("u") ? "int64" : "float32", "))");
  }
  void read_shape() {
    expect('(');
    while (!take(')')) {
      space();
      int64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0) wrong("a shape with an entry that is not a size");
      if (header_.shape.size() == kMaxDims) wrong(concat("a shape of more than ", kMaxDims, " dims"));
      header_.shape.push_back(size);
      at_ = static_cast<size_t>(end - text_.data());
      if (!take(',') && !peek(')')) wrong("a shape without an end");
    }
  }

  std::string_view text_, where_;
  size_t at_ = 0;
  Header header_;
};

Header read_header(const std::byte* data, size_t size, std::string_view where) {
  MONOGRAPH_CHECK(is_npy(data, size), File, where, ": not a .npy file: it does not begin with \\x93NUMPY");
  MONOGRAPH_CHECK(size >= 10, File, where, ": is cut off in its first bytes");
  const int version = std::to_integer<int>(data[6]);
  MONOGRAPH_CHECK(version >= 1 && version <= 3, File, where, ": is of .npy version ", version, "; known are 1 to 3");
  const size_t width = version == 1 ? 2 : 4, begin = 8 + width;
  MONOGRAPH_CHECK(size >= begin, File, where, ": is cut off in its first bytes");
  size_t length = 0;
  for (size_t k = width; k-- > 0;) length = length << 8 | std::to_integer<size_t>(data[8 + k]);
  MONOGRAPH_CHECK(length <= kMaxNpyHeader, File, where, ": its .npy header claims ", length, " bytes; at most ", kMaxNpyHeader,
                  " are read");
  MONOGRAPH_CHECK(length <= size - begin, File, where, ": is cut off in its header: ", length, " bytes are announced, ", size - begin,
                  " are there");
  Header header = NpyHeaderReader({reinterpret_cast<const char*>(data) + begin, length}, where).run();
  header.data_begin = begin + length;
  return header;
}

// The number of bytes that the shape and dtype ask for. Error (File) unless exactly these bytes follow the header.
size_t checked_size(const Header& header, size_t size, std::string_view where) {
  bool empty = std::find(header.shape.begin(), header.shape.end(), 0) != header.shape.end();
  int64_t bytes = element_size(header.dtype);
  bool huge = false;
  for (int64_t n : header.shape)
    huge = huge || (n > 0 && __builtin_mul_overflow(bytes, n, &bytes));  // also for an empty array: strides are products of sizes
  MONOGRAPH_CHECK(!huge, File, where, ": its shape ", to_string(header.shape), " asks for more bytes than there can be");
  if (empty) bytes = 0;
  const size_t there = size - header.data_begin;
  MONOGRAPH_CHECK(there == static_cast<size_t>(bytes), File, where, ": ", name(header.dtype), to_string(header.shape), " asks for ", bytes,
                  " bytes of data, but ", there, " are there", there < static_cast<size_t>(bytes) ? ": the file is cut off" : "");
  return static_cast<size_t>(bytes);
}

void check_bools(const Header& header, const std::byte* data, size_t bytes, std::string_view where) {
  if (header.dtype != DType::b1) return;
  const std::byte* wrong = std::find_if(data, data + bytes, [](std::byte b) { return std::to_integer<int>(b) > 1; });
  MONOGRAPH_CHECK(wrong == data + bytes, File, where, ": element ", static_cast<int64_t>(wrong - data), " is ",
                  std::to_integer<int>(*wrong), ", and a bool is 0 or 1");
}

Dims strides_of(const Header& header) {
  if (!header.fortran) return contiguous_strides(header.shape);
  Dims strides(header.shape.size(), 1);
  for (size_t d = 1; d < header.shape.size(); ++d) strides[d] = strides[d - 1] * std::max<int64_t>(header.shape[d - 1], 1);
  return strides;
}

Tensor copied(const Header& header, const std::byte* data, size_t bytes) {
  Tensor t = empty_strided(header.shape, strides_of(header), header.dtype);
  if (bytes) std::memcpy(t.data(), data, bytes);
  if (header.swapped) {
    const size_t size = static_cast<size_t>(element_size(real_type(header.dtype)));
    for (size_t at = 0; at < bytes; at += size) std::reverse(t.data() + at, t.data() + at + size);
  }
  return t;
}

std::string_view code_of(DType dtype) {
  for (const TypeCode& c : kCodes)
    if (c.dtype == dtype) return c.code;
  fail(ErrorKind::Type, "[save_npy] NumPy has no ", name(dtype), "; convert the tensor to float32 first");
}

}  // namespace

bool is_npy(const void* data, size_t size) { return size >= kMagic.size() && std::memcmp(data, kMagic.data(), kMagic.size()) == 0; }

Tensor parse_npy(const void* data, size_t size, std::string_view where) {
  const auto* bytes = static_cast<const std::byte*>(data);
  const Header header = read_header(bytes, size, where);
  const size_t length = checked_size(header, size, where);
  check_bools(header, bytes + header.data_begin, length, where);
  return copied(header, bytes + header.data_begin, length);
}

Tensor load_npy(const std::string& path) {
  auto file = std::make_shared<MappedFile>(path);
  const Header header = read_header(file->data(), file->size(), path);
  const size_t length = checked_size(header, file->size(), path);
  std::byte* data = file->data() + header.data_begin;
  check_bools(header, data, length, path);
  const bool aligned = reinterpret_cast<uintptr_t>(data) % static_cast<size_t>(element_size(real_type(header.dtype))) == 0;
  if (header.swapped || !aligned || length == 0) return copied(header, data, length);
  auto* keep = new std::shared_ptr<MappedFile>(std::move(file));
  return from_blob(
      data, header.shape, strides_of(header), header.dtype, [](void* p) { delete static_cast<std::shared_ptr<MappedFile>*>(p); }, keep);
}

void save_npy(const std::string& path, const Tensor& tensor) {
  const std::string_view code = code_of(tensor.dtype());
  MONOGRAPH_CHECK(!tensor.is_meta(), Type, "[save_npy] a tensor on the meta device has no elements to save");
  GradModeScope no_grad(false);
  const Tensor dense = "contiguous"_op(tensor);
  std::string shape;
  for (int64_t n : dense.sizes()) shape += concat(n, ", ");
  if (dense.dim() > 1) shape.resize(shape.size() - 2);  // (3,) but (2, 3)
  if (dense.dim() == 1) shape.resize(shape.size() - 1);
  std::string header = concat("{'descr': '", element_size(real_type(dense.dtype())) == 1 ? '|' : '<', code,
                              "', 'fortran_order': False, 'shape': (", shape, "), }");
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');  // the data begins at a multiple of 64
  header += '\n';
  MONOGRAPH_CHECK(header.size() <= 65535, Value, "[save_npy] a shape of ", dense.dim(), " dims does not fit the header");
  std::string begin(kMagic);
  begin += {1, 0, static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  AtomicFile file(path);
  file.write(begin.data(), begin.size());
  file.write(header.data(), header.size());
  if (dense.nbytes()) file.write(dense.data(), dense.nbytes());
  file.commit();
}

}  // namespace monograph
