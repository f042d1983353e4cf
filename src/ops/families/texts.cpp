// Operators on a program's strs: the methods of Python's str, comparisons, int(s), float(s), hex, ord and chr. Strs are UTF-8; positions count characters, not
// bytes. Methods that depend on upper and lower case or on kinds of characters take ASCII only.
#include <algorithm>
#include <cctype>
#include <charconv>

#include "ops/families/programs.h"
#include "ops/infer.h"
#include "ops/torchscript_names.h"

namespace monograph {
namespace {

bool is_ascii(const std::string& s) {
  return std::ranges::all_of(s, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}
// The characters of a UTF-8 text, each as a str.
std::vector<std::string> characters(const std::string& s) {
  std::vector<std::string> out;
  for (char c : s) {
    if (out.empty() || (static_cast<unsigned char>(c) & 0xc0) != 0x80) out.emplace_back();
    out.back() += c;
  }
  return out;
}
std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += part;
  return out;
}
// The str of an argument. Error (NotImplemented) if it is not ASCII.
const std::string& ascii(const Operator& op, const IValue& v) {
  MONOGRAPH_CHECK(is_ascii(v.to_string()), NotImplemented, "[", op.name(), "] a graph computes this of ASCII characters alone, not of '",
                  v.to_string(), "'");
  return v.to_string();
}
IValue list_of_texts(std::vector<std::string> parts) {
  std::vector<IValue> items;
  for (std::string& part : parts) items.emplace_back(std::move(part));
  return IValue::list(std::move(items));
}
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

template <int (*F)(int)>
void map_characters(const Operator& op, const IValue* a, IValue* out) {
  std::string s = ascii(op, a[0]);
  for (char& c : s) c = static_cast<char>(F(static_cast<unsigned char>(c)));
  out[0] = std::move(s);
}
template <int (*F)(int)>
void all_are(const Operator& op, const IValue* a, IValue* out) {
  const std::string& s = ascii(op, a[0]);
  out[0] = !s.empty() && std::ranges::all_of(s, [](char c) { return F(static_cast<unsigned char>(c)) != 0; });
}
template <bool kUpper>
void is_upper_or_lower(const Operator& op, const IValue* a, IValue* out) {
  bool letters = false, right = true;
  for (char c : ascii(op, a[0])) {
    const bool upper = std::isupper(static_cast<unsigned char>(c)), lower = std::islower(static_cast<unsigned char>(c));
    letters |= upper || lower, right &= kUpper ? !lower : !upper;
  }
  out[0] = letters && right;
}
void capitalize(const Operator& op, const IValue* a, IValue* out) {
  std::string s = ascii(op, a[0]);
  for (size_t k = 0; k < s.size(); ++k)
    s[k] = static_cast<char>(k ? std::tolower(static_cast<unsigned char>(s[k])) : std::toupper(static_cast<unsigned char>(s[k])));
  out[0] = std::move(s);
}
void title(const Operator& op, const IValue* a, IValue* out) {
  std::string s = ascii(op, a[0]);
  bool inside = false;
  for (char& c : s) {
    c = static_cast<char>(inside ? std::tolower(static_cast<unsigned char>(c)) : std::toupper(static_cast<unsigned char>(c)));
    inside = std::isalpha(static_cast<unsigned char>(c)) != 0;
  }
  out[0] = std::move(s);
}
void swapcase(const Operator& op, const IValue* a, IValue* out) {
  std::string s = ascii(op, a[0]);
  for (char& c : s)
    c = static_cast<char>(std::isupper(static_cast<unsigned char>(c)) ? std::tolower(static_cast<unsigned char>(c))
                                                                      : std::toupper(static_cast<unsigned char>(c)));
  out[0] = std::move(s);
}

template <bool kLeft, bool kRight>
void strip(const Operator& op, const IValue* a, IValue* out) {
  const std::string& s = ascii(op, a[0]);
  const std::string chars = a[1].is_none() ? " \t\n\r\f\v" : a[1].to_string();
  size_t begin = 0, end = s.size();
  while (kLeft && begin < end && chars.find(s[begin]) != std::string::npos) ++begin;
  while (kRight && end > begin && chars.find(s[end - 1]) != std::string::npos) --end;
  out[0] = s.substr(begin, end - begin);
}

std::vector<std::string> split_at_spaces(const std::string& s, int64_t most) {
  std::vector<std::string> parts;
  size_t k = 0;
  for (;;) {
    while (k < s.size() && is_space(s[k])) ++k;
    if (k >= s.size()) return parts;
    if (most >= 0 && static_cast<int64_t>(parts.size()) == most) {
      size_t end = s.size();
      while (end > k && is_space(s[end - 1])) --end;
      parts.push_back(s.substr(k, end - k));
      return parts;
    }
    const size_t begin = k;
    while (k < s.size() && !is_space(s[k])) ++k;
    parts.push_back(s.substr(begin, k - begin));
  }
}
void split(const Operator& op, const IValue* a, IValue* out) {
  const std::string& s = a[0].to_string();
  int64_t most = a[2].to_int();
  if (a[1].is_none()) return void(out[0] = list_of_texts(split_at_spaces(s, most)));
  const std::string& by = a[1].to_string();
  MONOGRAPH_CHECK(!by.empty(), Value, "[", op.name(), "] empty separator");
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t at = s.find(by); at != std::string::npos && most != 0; at = s.find(by, begin), --most)
    parts.push_back(s.substr(begin, at - begin)), begin = at + by.size();
  parts.push_back(s.substr(begin));
  out[0] = list_of_texts(std::move(parts));
}
// Without a separator it splits at single spaces. So does TorchScript, but not Python.
void split_from_right(const Operator& op, const IValue* a, IValue* out) {
  const std::string &s = a[0].to_string(), &by = a[1].to_string();
  int64_t most = a[2].to_int();
  MONOGRAPH_CHECK(!by.empty(), Value, "[", op.name(), "] empty separator");
  std::vector<std::string> parts;
  size_t end = s.size();
  for (; most != 0 && end >= by.size(); --most) {
    const size_t at = s.rfind(by, end - by.size());
    if (at == std::string::npos) break;
    parts.push_back(s.substr(at + by.size(), end - at - by.size())), end = at;
  }
  parts.push_back(s.substr(0, end));
  std::ranges::reverse(parts);
  out[0] = list_of_texts(std::move(parts));
}
void expand_tabs(const Operator& op, const IValue* a, IValue* out) {
  const int64_t size = a[1].to_int();
  std::string made;
  int64_t column = 0;
  bool behind_line = false;
  for (const std::string& c : characters(a[0].to_string())) {
    MONOGRAPH_CHECK(c != "\t" || !behind_line, NotImplemented, "[", op.name(),
                    "] a tab after a line break: Python counts columns from the beginning of the line, TorchScript from the beginning of "
                    "the text. Split the "
                    "text into lines");
    if (c != "\t") {
      made += c, ++column, behind_line |= c == "\n" || c == "\r";
      continue;
    }
    for (int64_t k = size > 0 ? size - column % size : 0; k > 0; --k) made += ' ', ++column;
  }
  out[0] = std::move(made);
}
void is_title(const Operator& op, const IValue* a, IValue* out) {
  bool inside = false, any = false, right = true;
  for (char c : ascii(op, a[0])) {
    const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0;
    if (letter) right &= (std::isupper(static_cast<unsigned char>(c)) != 0) != inside, any = true;
    inside = letter;
  }
  out[0] = any && right;
}
void is_identifier(const Operator& op, const IValue* a, IValue* out) {
  const std::string& s = ascii(op, a[0]);
  const bool right = !s.empty() && !std::isdigit(static_cast<unsigned char>(s[0])) &&
                     std::ranges::all_of(s, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
  MONOGRAPH_CHECK(
      !right || s.find('_') == std::string::npos, NotImplemented, "[", op.name(), "] whether '", s,
      "' is an identifier: for Python it is, for TorchScript nothing with a '_' is. Take the '_' away first: s.replace(\"_\", \"\")");
  out[0] = right;
}
void is_printable(const Operator& op, const IValue* a, IValue* out) {
  out[0] = std::ranges::all_of(ascii(op, a[0]), [](char c) { return std::isprint(static_cast<unsigned char>(c)) != 0; });
}
void splitlines(const Operator&, const IValue* a, IValue* out) {
  std::vector<std::string> lines;
  const std::string& s = a[0].to_string();
  for (size_t k = 0; k < s.size();) {
    const size_t end = std::min(s.find_first_of("\n\r", k), s.size());
    size_t next = std::min(end + 1, s.size());
    if (end + 1 < s.size() && s[end] == '\r' && s[end + 1] == '\n') ++next;
    lines.push_back(s.substr(k, (a[1].to_bool() ? next : end) - k));
    k = next;
  }
  out[0] = list_of_texts(std::move(lines));
}
void join_texts(const Operator&, const IValue* a, IValue* out) {
  std::string s;
  bool first = true;
  for (const IValue& item : a[1].items()) s += (first ? "" : a[0].to_string()) + item.to_string(), first = false;
  out[0] = std::move(s);
}
// The characters from `start` to `end` (arguments 2 and 3), and where they begin. As in TorchScript, an end of -1 means behind the last character, and -2
// before it.
std::pair<std::string, int64_t> part_of(const IValue* a) {
  int64_t start = a[2].to_int(), end = a[3].to_int();
  if (start == 0 && end == -1) return {a[0].to_string(), 0};
  const std::vector<std::string> all = characters(a[0].to_string());
  const auto size = static_cast<int64_t>(all.size());
  if (start < 0) start = std::max<int64_t>(0, size + start);
  end = end < 0 ? std::max<int64_t>(0, size + end + 1) : std::min(end, size);
  std::string part;
  for (int64_t k = start; k < end; ++k) part += all[static_cast<size_t>(k)];
  return {std::move(part), start};
}
// Where the str of argument 1 is found first, or last with kRight, counted in characters; -1 if it is not found.
template <bool kRight>
int64_t place_of(const IValue* a) {
  const auto [s, start] = part_of(a);
  const size_t at = kRight ? s.rfind(a[1].to_string()) : s.find(a[1].to_string());
  return at == std::string::npos ? -1 : start + static_cast<int64_t>(characters(s.substr(0, at)).size());
}
template <bool kRight>
void find(const Operator&, const IValue* a, IValue* out) {
  out[0] = place_of<kRight>(a);
}
template <bool kRight>
void index_of(const Operator& op, const IValue* a, IValue* out) {
  const int64_t at = place_of<kRight>(a);
  MONOGRAPH_CHECK(at >= 0, Value, "[", op.name(), "] substring not found");
  out[0] = at;
}
void count(const Operator&, const IValue* a, IValue* out) {
  const std::string s = part_of(a).first, &part = a[1].to_string();
  if (part.empty()) return void(out[0] = static_cast<int64_t>(characters(s).size() + 1));
  int64_t n = 0;
  for (size_t at = s.find(part); at != std::string::npos; at = s.find(part, at + part.size())) ++n;
  out[0] = n;
}
void replace(const Operator&, const IValue* a, IValue* out) {
  const std::string &s = a[0].to_string(), &old = a[1].to_string(), &by = a[2].to_string();
  int64_t most = a[3].to_int();
  std::string made;
  if (old.empty()) {
    for (const std::string& c : characters(s)) made += (most-- != 0 ? by : (most = 0, "")) + c;
    if (most != 0) made += by;
    return void(out[0] = std::move(made));
  }
  size_t begin = 0;
  for (size_t at = s.find(old); at != std::string::npos && most != 0; at = s.find(old, begin), --most)
    made += s.substr(begin, at - begin) + by, begin = at + old.size();
  out[0] = made + s.substr(begin);
}
enum class Side : uint8_t { Left, Right, Both };
template <Side kSide>
void pad_text(const Operator& op, const IValue* a, IValue* out) {
  const std::string& s = a[0].to_string();
  const std::string& fill = a[2].to_string();
  MONOGRAPH_CHECK(characters(fill).size() == 1, Type, "[", op.name(), "] The fill character must be exactly one character long");
  const int64_t width = a[1].to_int(), missing = std::max<int64_t>(0, width - static_cast<int64_t>(characters(s).size()));
  // Python's str.center puts the odd character on the left only if both the width and the missing count are odd.
  const int64_t left = kSide == Side::Left ? missing : kSide == Side::Right ? 0 : missing / 2 + (missing & width & 1);
  std::string made;
  for (int64_t k = 0; k < left; ++k) made += fill;
  made += s;
  for (int64_t k = left; k < missing; ++k) made += fill;
  out[0] = std::move(made);
}
void zfill(const Operator&, const IValue* a, IValue* out) {
  std::string s = a[0].to_string();
  const int64_t missing = std::max<int64_t>(0, a[1].to_int() - static_cast<int64_t>(characters(s).size()));
  const bool sign = !s.empty() && (s[0] == '-' || s[0] == '+');
  out[0] = s.insert(sign ? 1 : 0, std::string(static_cast<size_t>(missing), '0'));
}
template <bool kRight>
void partition(const Operator& op, const IValue* a, IValue* out) {
  const std::string &s = a[0].to_string(), &by = a[1].to_string();
  MONOGRAPH_CHECK(!by.empty(), Value, "[", op.name(), "] empty separator");
  const size_t at = kRight ? s.rfind(by) : s.find(by);
  const bool none = at == std::string::npos;
  out[0] = none ? std::string(kRight ? "" : s) : s.substr(0, at);
  out[1] = none ? std::string() : by;
  out[2] = none ? std::string(kRight ? s : "") : s.substr(at + by.size());
}
void item(const Operator& op, const IValue* a, IValue* out) {
  const std::vector<std::string> all = characters(a[0].to_string());
  const auto n = static_cast<int64_t>(all.size());
  const int64_t k = a[1].to_int();
  MONOGRAPH_CHECK(k >= -n && k < n, Index, "[", op.name(), "] string index out of range");
  out[0] = all[static_cast<size_t>(k < 0 ? k + n : k)];
}
void slice(const Operator& op, const IValue* a, IValue* out) {
  const std::vector<std::string> all = characters(a[0].to_string());
  auto bound = [&](size_t k) { return a[k].is_none() ? std::nullopt : std::optional(a[k].to_int()); };
  MONOGRAPH_CHECK(a[3].to_int() != 0, Value, "[", op.name(), "] slice step cannot be zero");
  std::vector<std::string> parts;
  for (int64_t k : slice_places(static_cast<int64_t>(all.size()), bound(1), bound(2), a[3].to_int()))
    parts.push_back(all[static_cast<size_t>(k)]);
  out[0] = joined(parts);
}
void to_int(const Operator& op, const IValue* a, IValue* out) {
  std::string_view s = a[0].to_string();
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  if (s.starts_with('+')) s.remove_prefix(1);
  int64_t i = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), i);
  MONOGRAPH_CHECK(error == std::errc() && end == s.data() + s.size(), Value, "[", op.name(),
                  "] invalid literal for int() with base 10: ", text_of_value(op, a[0], true));
  out[0] = i;
}
void to_float(const Operator& op, const IValue* a, IValue* out) {
  std::string s;
  for (char c : a[0].to_string())
    if (!is_space(c)) s += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const size_t sign = !s.empty() && (s[0] == '+' || s[0] == '-') ? 1 : 0;
  const std::string_view number = std::string_view(s).substr(sign);
  double d = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), d);
  const bool read = !number.empty() && end == number.data() + number.size() && error != std::errc::invalid_argument;
  MONOGRAPH_CHECK(read && !number.starts_with('-'), Value, "[", op.name(),
                  "] could not convert string to float: ", text_of_value(op, a[0], true));
  if (error == std::errc::result_out_of_range) d = std::strtod(std::string(number).c_str(), nullptr);
  out[0] = sign && s[0] == '-' ? -d : d;
}

enum class TextOrder : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };
template <TextOrder kOrder>
void compare(const Operator&, const IValue* a, IValue* out) {
  const int c = a[0].to_string().compare(a[1].to_string());
  out[0] = kOrder == TextOrder::Eq   ? c == 0
           : kOrder == TextOrder::Ne ? c != 0
           : kOrder == TextOrder::Lt ? c < 0
           : kOrder == TextOrder::Le ? c <= 0
           : kOrder == TextOrder::Gt ? c > 0
                                     : c >= 0;
}
template <int kBase>
void format_in_base(const Operator&, const IValue* a, IValue* out) {
  const int64_t i = a[0].to_int();
  uint64_t rest = i < 0 ? -static_cast<uint64_t>(i) : static_cast<uint64_t>(i);
  std::string digits;
  do digits += "0123456789abcdef"[rest % kBase], rest /= kBase;
  while (rest);
  digits += kBase == 16 ? "x0" : kBase == 8 ? "o0" : "b0";
  if (i < 0) digits += '-';
  std::ranges::reverse(digits);
  out[0] = std::move(digits);
}

void queries(const ProgramOp& op) {
  op({"eq.str(str a, str b) -> bool"}, compare<TextOrder::Eq>).effects({}).doc("Whether two strs are equal.");
  op({"ne.str(str a, str b) -> bool"}, compare<TextOrder::Ne>).effects({}).doc("Whether two strs differ.");
  op({"lt.str(str a, str b) -> bool"}, compare<TextOrder::Lt>).effects({}).doc("Whether the first str comes first.");
  op({"le.str(str a, str b) -> bool"}, compare<TextOrder::Le>).effects({}).doc("Whether the second str does not come first.");
  op({"gt.str(str a, str b) -> bool"}, compare<TextOrder::Gt>).effects({}).doc("Whether the second str comes first.");
  op({"ge.str(str a, str b) -> bool"}, compare<TextOrder::Ge>).effects({}).doc("Whether the first str does not come first.");
  op({"__contains__.text(str self, str part) -> bool"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].to_string().find(a[1].to_string()) != std::string::npos; })
      .effects({})
      .doc("Whether a str has another one in it.");
  op({"startswith(str self, str substr, int start=0, int end=-1) -> bool"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = part_of(a).first.starts_with(a[1].to_string()); })
      .effects({})
      .doc("Whether a str begins with another one.");
  op({"endswith(str self, str substr, int start=0, int end=-1) -> bool"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = part_of(a).first.ends_with(a[1].to_string()); })
      .effects({})
      .doc("Whether a str ends with another one.");
  op({"isupper(str self) -> bool"}, is_upper_or_lower<true>).effects(raising({})).doc("Python's str.isupper.");
  op({"islower(str self) -> bool"}, is_upper_or_lower<false>).effects(raising({})).doc("Python's str.islower.");
  op({"isdigit(str self) -> bool", "isdecimal(str self) -> bool", "isnumeric(str self) -> bool"}, all_are<std::isdigit>)
      .effects(raising({}))
      .doc("Whether all characters are digits.");
  op({"isalpha(str self) -> bool"}, all_are<std::isalpha>).effects(raising({})).doc("Python's str.isalpha.");
  op({"isalnum(str self) -> bool"}, all_are<std::isalnum>).effects(raising({})).doc("Python's str.isalnum.");
  op({"isspace(str self) -> bool"}, all_are<std::isspace>).effects(raising({})).doc("Python's str.isspace.");
  op({"istitle(str self) -> bool"}, is_title).effects(raising({})).doc("Python's str.istitle.");
  op({"isidentifier(str self) -> bool"}, is_identifier).effects(raising({})).doc("Python's str.isidentifier.");
  op({"isprintable(str self) -> bool"}, is_printable).effects(raising({})).doc("Python's str.isprintable.");
  op({"find(str self, str substr, int start=0, int end=-1) -> int"}, find<false>)
      .effects({})
      .doc("Where a str has another one first, or -1.");
  op({"rfind(str self, str substr, int start=0, int end=-1) -> int"}, find<true>)
      .effects({})
      .doc("Where a str has another one last, or -1.");
  op({"index.str(str self, str substr, int start=0, int end=-1) -> int"}, index_of<false>)
      .effects(raising({}))
      .doc("Where a str has another one first.");
  op({"rindex(str self, str substr, int start=0, int end=-1) -> int"}, index_of<true>)
      .effects(raising({}))
      .doc("Where a str has another one last.");
  op({"count.str(str self, str substr, int start=0, int end=-1) -> int"}, count).effects({}).doc("How often a str has another one.");
  op({"len.str(str s) -> int"},
     [](const Operator&, const IValue* a, IValue* out) { out[0] = static_cast<int64_t>(characters(a[0].to_string()).size()); })
      .effects({})
      .doc("The number of characters of a str.");
}

void transformations(const ProgramOp& op) {
  op({"add.str(str a, str b) -> str"}, [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].to_string() + a[1].to_string(); })
      .effects({})
      .doc("Two strs, one after the other.");
  op({"mul.str(str a, int n) -> str"},
     [](const Operator&, const IValue* a, IValue* out) {
       std::string s;
       for (int64_t k = 0; k < a[1].to_int(); ++k) s += a[0].to_string();
       out[0] = std::move(s);
     })
      .effects({})
      .doc("A str, n times.");
  no_torchscript("aten::mul.str", "TorchScript multiplies no str");
  op({"upper(str self) -> str"}, map_characters<std::toupper>).effects(raising({})).doc("Python's str.upper.");
  op({"lower(str self) -> str"}, map_characters<std::tolower>).effects(raising({})).doc("Python's str.lower.");
  op({"capitalize(str self) -> str"}, capitalize).effects(raising({})).doc("Python's str.capitalize.");
  op({"title(str self) -> str"}, title).effects(raising({})).doc("Python's str.title.");
  op({"swapcase(str self) -> str"}, swapcase).effects(raising({})).doc("Python's str.swapcase.");
  op({"strip(str self, str? chars=None) -> str"}, strip<true, true>).effects(raising({})).doc("Python's str.strip.");
  op({"lstrip(str self, str? chars=None) -> str"}, strip<true, false>).effects(raising({})).doc("Python's str.lstrip.");
  op({"rstrip(str self, str? chars=None) -> str"}, strip<false, true>).effects(raising({})).doc("Python's str.rstrip.");
  op({"split.str(str self, str? separator=None, int max=-1) -> str[]"}, split).effects(raising({})).doc("Python's str.split.");
  op({"rsplit(str self, str separator=\" \", int max=-1) -> str[]"}, split_from_right)
      .effects(raising({}))
      .doc("Python's str.rsplit, for a separator.");
  op({"expandtabs(str self, int tabsize=8) -> str"}, expand_tabs).effects(raising({})).doc("Python's str.expandtabs of one line.");
  op({"splitlines(str self, bool keepends=False) -> str[]"}, splitlines).effects({}).doc("Python's str.splitlines.");
  op({"join(str self, str[] values) -> str"}, join_texts).effects({}).doc("Python's str.join.");
  op({"replace(str self, str old, str new, int max=-1) -> str"}, replace).effects({}).doc("Python's str.replace.");
  op({"center(str self, int width, str fillchar=\" \") -> str"}, pad_text<Side::Both>).effects(raising({})).doc("Python's str.center.");
  op({"ljust(str self, int width, str fillchar=\" \") -> str"}, pad_text<Side::Right>).effects(raising({})).doc("Python's str.ljust.");
  op({"rjust(str self, int width, str fillchar=\" \") -> str"}, pad_text<Side::Left>).effects(raising({})).doc("Python's str.rjust.");
  op({"zfill(str self, int width) -> str"}, zfill).effects({}).doc("Python's str.zfill.");
  op({"partition(str self, str separator) -> (str, str, str)"}, partition<false>).effects(raising({})).doc("Python's str.partition.");
  op({"rpartition(str self, str separator) -> (str, str, str)"}, partition<true>).effects(raising({})).doc("Python's str.rpartition.");
  op({"__getitem__.str(str s, int index) -> str"}, item).effects(raising({})).doc("A character of a str.");
  op({"slice.str(str string, int? start=None, int? end=None, int step=1) -> str"}, slice).effects(raising({})).doc("A part of a str.");
  op({"str(t elem) -> str"}, [](const Operator& self, const IValue* a, IValue* out) { out[0] = text_of_value(self, a[0], false); })
      .effects(raising({}))
      .doc("Python's str of a value.");
  op({"Int.str(str a) -> int"}, to_int).effects(raising({})).doc("The int that a str writes.");
  op({"Float.str(str a) -> float"}, to_float).effects(raising({})).doc("The float that a str writes.");
  op({"hex.int(int i) -> str"}, format_in_base<16>).effects({}).doc("Python's hex.");
  op({"oct.int(int i) -> str"}, format_in_base<8>).effects({}).doc("Python's oct.");
  op({"bin.int(int i) -> str"}, format_in_base<2>).effects({}).doc("Python's bin.");
  op({"ord(str string) -> int"},
     [](const Operator& self, const IValue* a, IValue* out) {
       const std::string& s = ascii(self, a[0]);
       MONOGRAPH_CHECK(s.size() == 1, Type, "[", self.name(), "] ord() expected a character, but string of length ", s.size(), " found");
       out[0] = static_cast<int64_t>(s[0]);
     })
      .effects(raising({}))
      .doc("The number of a character.");
  op({"chr(int i) -> str"},
     [](const Operator& self, const IValue* a, IValue* out) {
       const int64_t i = a[0].to_int();
       MONOGRAPH_CHECK(i >= 0 && i < 128, NotImplemented, "[", self.name(), "] a graph computes chr() of 0 to 127 alone, not of ", i);
       out[0] = std::string(1, static_cast<char>(i));
     })
      .effects(raising({}))
      .doc("The character of a number.");
}

}  // namespace

void texts(Registry& r) {
  const ProgramOp op(r);
  queries(op);
  transformations(op);
}

}  // namespace monograph
