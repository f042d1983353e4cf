// Args builds the flat array of items; ArgRef reads it; constant tensors are hashed by content when first asked.
#include "ir/arg.h"

#include <algorithm>
#include <charconv>

#include "core/characters.h"
#include "core/sha256.h"
#include "ir/graph.h"

namespace monograph::ir {

// --- Constant tensors.

int64_t TensorConstant::numel() const {
  int64_t n = 1;
  for (int64_t s : sizes()) n *= s;
  return n;
}

std::string tensor_content_hash(DType dtype, std::span<const int64_t> sizes, std::span<const std::byte> bytes) {
  Sha256 sha;
  std::string head(name(dtype));
  for (int64_t s : sizes) head += concat(" ", s);
  head += "\n";
  sha.update(head);
  sha.update(bytes);
  return sha.hex();
}

namespace {

class StoredTensor final : public TensorConstant {
 public:
  StoredTensor(DType dtype, std::span<const int64_t> sizes, std::span<const std::byte> bytes, std::string_view hash)
      : dtype_(dtype), sizes_(sizes.begin(), sizes.end()), bytes_(bytes.begin(), bytes.end()), hash_(hash) {}
  DType dtype() const override { return dtype_; }
  std::span<const int64_t> sizes() const override { return sizes_; }
  std::span<const std::byte> bytes() const override { return bytes_; }
  const std::string& content_hash() const override { return hash_; }

 private:
  DType dtype_;
  std::vector<int64_t> sizes_;
  std::vector<std::byte> bytes_;
  std::string hash_;
};

}  // namespace

TensorRef make_tensor_constant(DType dtype, std::span<const int64_t> sizes, std::span<const std::byte> bytes) {
  auto result = std::make_shared<StoredTensor>(dtype, sizes, bytes, tensor_content_hash(dtype, sizes, bytes));
  MONOGRAPH_CHECK(static_cast<int64_t>(bytes.size()) == result->numel() * element_size(dtype), Value, "a constant of ", result->numel(),
                  " elements of ", name(dtype), " needs ", result->numel() * element_size(dtype), " bytes, not ", bytes.size());
  return result;
}

TensorRef missing_tensor_constant(DType dtype, std::span<const int64_t> sizes, std::string_view content_hash) {
  return std::make_shared<StoredTensor>(dtype, sizes, std::span<const std::byte>(), content_hash);
}

bool same_contents(const TensorConstant& a, const TensorConstant& b) { return &a == &b || a.content_hash() == b.content_hash(); }

// --- ArgRef.

std::complex<double> ArgRef::as_complex() const {
  expect(ArgKind::Complex);
  return {item_[1].f, item_[2].f};
}
Device ArgRef::as_device() const {
  int64_t i = expect(ArgKind::Device).i;
  return {static_cast<DeviceType>(i >> 8), static_cast<int8_t>(i & 255)};
}
SymInt ArgRef::as_symint() const {
  if (is(ArgKind::Int)) return item_->i;
  return SymInt::from_bits(expect(ArgKind::SymInt).i);
}
Node* ArgRef::as_node() const {
  uint32_t hole = expect(ArgKind::Node).hole;
  return *reinterpret_cast<Node* const*>(reinterpret_cast<const char*>(nodes_) + stride_ * hole);
}
ArgRef ArgRef::operator[](size_t k) const {
  MONOGRAPH_ASSERT(k < size());
  Iterator it = begin();
  while (k--) ++it;
  return *it;
}

// --- Args.

void Args::leaf(ArgItem item) {
  items_.push_back(item);
  if (open_.empty()) {
    MONOGRAPH_CHECK(names_.empty() || named_, Value, "a positional argument follows a keyword");
    named_ = false;
    ++count_;
  } else {
    ++items_[open_.back()].i;
  }
}
Args& Args::literal(ArgKind kind, int64_t value) {
  ArgItem item;
  item.kind = kind;
  item.i = value;
  leaf(item);
  return *this;
}
Args& Args::text(ArgKind kind, std::string_view value) {
  strings_.push_back(std::make_shared<const std::string>(value));
  ArgItem item;
  item.kind = kind;
  item.s = strings_.back().get();
  leaf(item);
  return *this;
}
Args& Args::add(Node* node) {
  MONOGRAPH_CHECK(node, Value, "the argument is not a node");
  ArgItem item;
  item.kind = ArgKind::Node;
  item.hole = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back(node);
  leaf(item);
  return *this;
}
Args& Args::add(double value) {
  ArgItem item;
  item.kind = ArgKind::Float;
  item.f = value;
  leaf(item);
  return *this;
}
Args& Args::add(std::complex<double> value) { return open(ArgKind::Complex).add(value.real()).add(value.imag()).close(); }
Args& Args::add(Device value) {
  return literal(ArgKind::Device, static_cast<int64_t>(value.type) << 8 | static_cast<uint8_t>(value.index));
}
Args& Args::add(TensorRef value) {
  MONOGRAPH_CHECK(value, Value, "the argument is not a tensor");
  ArgItem item;
  item.kind = ArgKind::Tensor;
  item.tensor = value.get();
  tensors_.push_back(std::move(value));
  leaf(item);
  return *this;
}
Args& Args::global(std::string_view name, CallableRef callable) {
  globals_.push_back(std::make_shared<const Global>(Global{std::string(name), std::move(callable)}));
  ArgItem item;
  item.kind = ArgKind::Global;
  item.global = globals_.back().get();
  leaf(item);
  return *this;
}

Args& Args::add_mapped(ArgRef value, const std::function<Node*(Node*)>& map) {
  switch (value.kind()) {
    case ArgKind::Node: return add(map(value.as_node()));
    case ArgKind::Str: return add(value.as_str());
    case ArgKind::Global: return global(value.as_global().name, value.as_global().callable);
    case ArgKind::Tensor: {
      ArgItem item = *value.item();
      tensors_.push_back(item.tensor->shared_from_this());
      leaf(item);
      return *this;
    }
    default:
      if (!has_parts(value.kind())) {
        leaf(*value.item());
        return *this;
      }
      open(value.kind());
      for (ArgRef part : value) add_mapped(part, map);
      return close();
  }
}

Args& Args::add(const Args& value) {
  MONOGRAPH_CHECK(value.size() == 1, Value, "expected one argument, not ", value.size());
  return add(value[0]);
}

Args& Args::open(ArgKind kind) {
  MONOGRAPH_ASSERT(has_parts(kind));
  MONOGRAPH_CHECK(open_.size() < kMaxArgDepth, Value, "an argument nests deeper than ", kMaxArgDepth, " lists, tuples or dicts");
  ArgItem item;
  item.kind = kind;
  item.i = 0;
  leaf(item);
  open_.push_back(static_cast<uint32_t>(items_.size() - 1));
  return *this;
}
Args& Args::close() {
  MONOGRAPH_ASSERT(!open_.empty());
  ArgItem& item = items_[open_.back()];
  item.extent = static_cast<uint32_t>(items_.size() - open_.back());
  open_.pop_back();
  bool whole = item.kind == ArgKind::Complex ? item.i == 2
               : item.kind == ArgKind::Slice ? item.i == 3
                                             : item.kind != ArgKind::Dict || item.i % 2 == 0;
  MONOGRAPH_CHECK(whole, Value, "a complex number takes two parts, a slice three, a dict pairs");
  return *this;
}
Args& Args::name(std::string_view keyword) {
  MONOGRAPH_ASSERT(open_.empty() && !named_);
  MONOGRAPH_CHECK(std::find(names_.begin(), names_.end(), keyword) == names_.end(), Value, "the keyword ", keyword, " is given twice");
  names_.emplace_back(keyword);
  named_ = true;
  return *this;
}

ArgRef Args::operator[](size_t k) const {
  MONOGRAPH_ASSERT(k < count_);
  const ArgItem* at = items_.data();
  while (k--) at += at->extent;
  return {at, nodes_.data(), sizeof(Node*)};
}
ArgRef Args::operator[](std::string_view keyword) const {
  for (size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == keyword) return (*this)[positional() + i];
  fail(ErrorKind::Key, "there is no argument named ", keyword);
}

// --- Printing.

bool is_identifier(std::string_view text) {
  return !text.empty() && !is_digit(text[0]) && std::ranges::all_of(text, [](char c) { return is_word(c); });
}

bool is_dotted_name(std::string_view text) {
  for (;;) {
    size_t dot = text.find_first_of(".:");
    if (!is_identifier(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    if (text[dot] == ':' && (dot + 1 >= text.size() || text[++dot] != ':')) return false;
    text.remove_prefix(dot + 1);
  }
}

std::string_view to_string(MemoryFormat format) {
  constexpr std::string_view kNames[] = {"torch.contiguous_format", "torch.preserve_format", "torch.channels_last",
                                         "torch.channels_last_3d"};
  return kNames[static_cast<size_t>(format)];
}

void print_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          out += "\\u00";
          out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
          out += "0123456789abcdef"[c & 15];
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void print_global(std::string& out, std::string_view name) {
  if (is_dotted_name(name)) out += name;
  else print_quoted(out, name);
}

namespace {

template <class T, class Bits>
void print_real(std::string& out, T value, Bits quiet) {
  char text[40];
  if (value != value) {
    Bits bits = std::bit_cast<Bits>(value);
    out += "nan";
    if (bits != quiet) {
      auto end = std::to_chars(text, text + sizeof text, bits, 16).ptr;
      out.append("(0x").append(text, end).append(")");
    }
    return;
  }
  auto end = std::to_chars(text, text + sizeof text, value).ptr;
  std::string_view digits(text, static_cast<size_t>(end - text));
  out += digits;
  if (digits.find_first_of(".en") == std::string_view::npos) out += ".0";  // inf has its n
}

template <class T, class Bits>
bool read_real(std::string_view text, T& out, Bits quiet) {
  if (text == "nan") return out = std::bit_cast<T>(quiet), true;
  const char* end = text.data() + text.size();
  if (text.starts_with("nan(0x") && text.ends_with(")")) {
    Bits bits;
    auto r = std::from_chars(text.data() + 6, end - 1, bits, 16);
    if (r.ec != std::errc() || r.ptr != end - 1) return false;
    out = std::bit_cast<T>(bits);
    return out != out;
  }
  if (text == "inf" || text == "-inf")
    return out = text[0] == '-' ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity(), true;
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return false;
  auto r = std::from_chars(text.data(), end, out);
  return r.ec == std::errc() && r.ptr == end;
}

constexpr uint64_t kQuiet64 = 0x7ff8000000000000u;
constexpr uint32_t kQuiet32 = 0x7fc00000u;

constexpr uint16_t kNoBits = 0xffff;  // the NaNs of 8-bit floats are all written with their bits

template <class T>
inline constexpr bool is_float8_type = false;
template <DType kType>
inline constexpr bool is_float8_type<float8<kType>> = true;

void print_half(std::string& out, uint16_t bits, float value, uint16_t quiet) {
  if (value == value) return print_real(out, value, kQuiet32);
  out += "nan";
  if (bits == quiet) return;
  char text[8];
  out.append("(0x").append(text, std::to_chars(text, text + 8, bits, 16).ptr).append(")");
}

}  // namespace

void print_float(std::string& out, double value) { print_real(out, value, kQuiet64); }
bool read_float(std::string_view text, double& out) { return read_real(text, out, kQuiet64); }
bool read_float(std::string_view text, float& out) { return read_real(text, out, kQuiet32); }

void print_element(std::string& out, DType dtype, const std::byte* at) {
  dispatch_any(dtype, [&](auto zero) {
    using T = decltype(zero);
    T value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::is_same_v<T, bool>) {
      out += value ? "True" : "False";
    } else if constexpr (std::is_integral_v<T>) {
      out += std::to_string(value);
    } else if constexpr (std::is_same_v<T, half>) {
      print_half(out, value.bits, value, 0x7e00);
    } else if constexpr (std::is_same_v<T, bfloat16>) {
      print_half(out, value.bits, value, 0x7fc0);
    } else if constexpr (is_float8_type<T>) {
      print_half(out, value.bits, value, kNoBits);
    } else if constexpr (std::is_same_v<T, float>) {
      print_real(out, value, kQuiet32);
    } else if constexpr (std::is_same_v<T, double>) {
      print_real(out, value, kQuiet64);
    } else {
      out += "complex(";
      print_element(out, real_type(dtype), at);
      out += ", ";
      print_element(out, real_type(dtype), at + sizeof value / 2);
      out += ")";
    }
  });
}

bool read_element(std::string_view text, DType dtype, std::byte* at) {
  const char* end = text.data() + text.size();
  return dispatch_any(dtype, [&](auto zero) -> bool {
    using T = decltype(zero);
    T value{};
    if constexpr (std::is_same_v<T, bool>) {
      if (text != "True" && text != "False") return false;
      value = text == "True";
    } else if constexpr (std::is_integral_v<T>) {
      auto r = std::from_chars(text.data(), end, value);
      if (r.ec != std::errc() || r.ptr != end) return false;
    } else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16> || is_float8_type<T>) {
      if (text.starts_with("nan(0x") && text.ends_with(")")) {
        auto r = std::from_chars(text.data() + 6, end - 1, value.bits, 16);
        if (r.ec != std::errc() || r.ptr != end - 1 || static_cast<float>(value) == static_cast<float>(value)) return false;
      } else {
        float f;
        if (!read_float(text, f)) return false;
        value = f == f || is_float8_type<T> ? T(f) : T{};
        if constexpr (!is_float8_type<T>)
          if (f != f) value.bits = std::is_same_v<T, half> ? 0x7e00 : 0x7fc0;
      }
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!read_float(text, value)) return false;
    } else {
      return false;
    }
    std::memcpy(at, &value, sizeof value);
    return true;
  });
}

void print_tensor(std::string& out, const TensorConstant& t) {
  out += "tensor(";
  out += info(t.dtype()).scalar_type;
  out += "(";
  for (size_t i = 0; i < t.sizes().size(); ++i) out += concat(i ? ", " : "", t.sizes()[i]);
  out += "), ";
  int64_t n = t.numel();
  if (n <= kInlineElements && (n == 0 || !t.bytes().empty())) {
    out += "[";
    for (int64_t i = 0; i < n; ++i) {
      if (i) out += ", ";
      print_element(out, t.dtype(), t.bytes().data() + i * element_size(t.dtype()));
    }
    out += "]";
  } else {
    print_quoted(out, t.content_hash());
  }
  out += ")";
}

void print_arg(std::string& out, ArgRef arg) {
  auto parts = [&](std::string_view open, std::string_view close) {
    out += open;
    bool first = true;
    for (ArgRef part : arg) {
      if (!first) out += ", ";
      first = false;
      print_arg(out, part);
    }
    out += close;
  };
  switch (arg.kind()) {
    case ArgKind::None: out += "None"; return;
    case ArgKind::Ellipsis: out += "..."; return;
    case ArgKind::Bool: out += arg.as_bool() ? "True" : "False"; return;
    case ArgKind::Int: out += std::to_string(arg.as_int()); return;
    case ArgKind::Float: print_float(out, arg.as_float()); return;
    case ArgKind::Str: print_quoted(out, arg.as_str()); return;
    case ArgKind::DType: out += "torch.", out += name(arg.as_dtype()); return;
    case ArgKind::Device: out += "device(\"" + to_string(arg.as_device()) + "\")"; return;
    case ArgKind::Layout: out += "torch.strided"; return;
    case ArgKind::MemoryFormat: out += to_string(arg.as_memory_format()); return;
    case ArgKind::SymInt: out += "sym(" + to_string(arg.as_symint()) + ")"; return;
    case ArgKind::Tensor: return print_tensor(out, arg.as_tensor());
    case ArgKind::Global: out += "@"; return print_global(out, arg.as_global().name);
    case ArgKind::Node: out += "%", out += arg.as_node()->name(); return;
    case ArgKind::Complex: return parts("complex(", ")");
    case ArgKind::Slice: return parts("slice(", ")");
    case ArgKind::List: return parts("[", "]");
    case ArgKind::Tuple: return parts("(", arg.size() == 1 ? ",)" : ")");
    case ArgKind::Dict: {
      out += "{";
      bool key = true, first = true;
      for (ArgRef part : arg) {
        if (key && !first) out += ", ";
        print_arg(out, part);
        if (key) out += ": ";
        key = !key, first = false;
      }
      out += "}";
      return;
    }
  }
}

}  // namespace monograph::ir
