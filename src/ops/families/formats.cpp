// Python's format() of numbers and strs, for programs. It parses [[fill]align][sign][#][0][width][grouping][.precision][type], writes the digits, then adds
// sign, grouping and fill.
#include <cmath>
#include <cstdio>

#include "ir/arg.h"
#include "ir/text.h"
#include "ops/dispatch.h"
#include "ops/families/programs.h"
#include "ops/program_values.h"

namespace monograph {
namespace {

struct FormatSpec {
  std::string fill = " ";
  char align = 0, sign = '-', grouping = 0, type = 0;
  bool alternate = false, zero = false;
  size_t width = 0;
  int precision = -1;
};

size_t character_size(unsigned char first) { return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4; }
size_t length(const std::string& s) {
  size_t n = 0;
  for (size_t k = 0; k < s.size(); k += character_size(static_cast<unsigned char>(s[k]))) ++n;
  return n;
}
bool is_align(char c) { return c == '<' || c == '>' || c == '^' || c == '='; }

FormatSpec read(const Operator& op, const std::string& spec) {
  FormatSpec f;
  size_t at = 0;
  const size_t first = spec.empty() ? 0 : character_size(static_cast<unsigned char>(spec[0]));
  if (first && spec.size() > first && is_align(spec[first])) f.fill = spec.substr(0, first), f.align = spec[first], at = first + 1;
  else if (!spec.empty() && is_align(spec[0])) f.align = spec[at++];
  auto here = [&] { return at < spec.size() ? spec[at] : '\0'; };
  auto number = [&] {
    size_t n = 0;
    for (; here() >= '0' && here() <= '9'; ++at) {
      n = n * 10 + static_cast<size_t>(here() - '0');
      MONOGRAPH_CHECK(n <= 1 << 20, Value, "[", op.name(), "] the format '", spec, "' is too wide");
    }
    return n;
  };
  if (here() == '+' || here() == '-' || here() == ' ') f.sign = spec[at++];
  if (here() == '#') f.alternate = true, ++at;
  if (here() == '0') f.zero = true, ++at;
  f.width = number();
  if (here() == ',' || here() == '_') f.grouping = spec[at++];
  if (here() == '.') {
    ++at;
    MONOGRAPH_CHECK(here() >= '0' && here() <= '9', Value, "[", op.name(), "] FormatSpec specifier missing precision");
    f.precision = static_cast<int>(number());
  }
  if (at < spec.size()) f.type = spec[at++];
  MONOGRAPH_CHECK(at == spec.size(), Value, "[", op.name(), "] Invalid format specifier '", spec, "'");
  return f;
}

std::string digits_of(uint64_t n, unsigned base, bool upper) {
  std::string out;
  do {
    const auto digit = static_cast<char>(n % base);
    out.insert(out.begin(), static_cast<char>(digit < 10 ? '0' + digit : (upper ? 'A' : 'a') + digit - 10));
    n /= base;
  } while (n);
  return out;
}

// The prefix (0x, 0b, ...) and the digits of an int, without its sign.
std::pair<std::string, std::string> whole_text(const Operator& op, const FormatSpec& f, int64_t n) {
  const uint64_t size = n < 0 ? -static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
  MONOGRAPH_CHECK(f.precision < 0, Value, "[", op.name(), "] Precision not allowed in integer format specifier");
  switch (f.type) {
    case 0:
    case 'd':
    case 'n': return {"", digits_of(size, 10, false)};
    case 'b': return {f.alternate ? "0b" : "", digits_of(size, 2, false)};
    case 'o': return {f.alternate ? "0o" : "", digits_of(size, 8, false)};
    case 'x': return {f.alternate ? "0x" : "", digits_of(size, 16, false)};
    case 'X': return {f.alternate ? "0X" : "", digits_of(size, 16, true)};
    default: fail(ErrorKind::Value, "[", op.name(), "] Unknown format code '", std::string(1, f.type), "' for object of type 'int'");
  }
}

std::string real_text(const Operator& op, const FormatSpec& f, double x) {
  const double size = std::fabs(x);
  const bool upper = f.type == 'F' || f.type == 'E' || f.type == 'G';
  if (std::isnan(x)) return upper ? "NAN" : f.type == '%' ? "nan%" : "nan";
  if (std::isinf(x)) return upper ? "INF" : f.type == '%' ? "inf%" : "inf";
  MONOGRAPH_CHECK(f.precision <= 1000 && !f.alternate, NotImplemented, "[", op.name(),
                  "] this format of a float is not supported in a graph");
  char pattern[] = "%.*f";
  std::string text(1400, '\0');
  auto print = [&](char type, double value, int precision) {
    pattern[3] = type;
    const int n = std::snprintf(text.data(), text.size(), pattern, precision, value);
    return text.substr(0, static_cast<size_t>(n));
  };
  switch (f.type) {
    case 0: {
      MONOGRAPH_CHECK(f.precision < 0, NotImplemented, "[", op.name(),
                      "] a precision without a type is not supported in a graph; write 'g' or 'f'");
      std::string shown;
      ir::print_python_float(shown, size);
      return shown;
    }
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G': return print(f.type, size, f.precision < 0 ? 6 : f.precision);
    case '%': return print('f', size * 100, f.precision < 0 ? 6 : f.precision) + "%";
    default: fail(ErrorKind::Value, "[", op.name(), "] Unknown format code '", std::string(1, f.type), "' for object of type 'float'");
  }
}

void group(std::string& digits, char mark, size_t every) {
  size_t end = digits.find_first_not_of("0123456789abcdefABCDEF");
  if (end == std::string::npos) end = digits.size();
  for (size_t at = end; at > every; at -= every) digits.insert(at - every, 1, mark);
}

std::string padded(const FormatSpec& f, char natural, const std::string& head, const std::string& body) {
  const size_t n = length(head) + length(body), missing = f.width > n ? f.width - n : 0;
  const char align = f.align ? f.align : f.zero ? '=' : natural;
  const std::string& fill = !f.align && f.zero ? std::string("0") : f.fill;
  auto times = [&](size_t count) {
    std::string out;
    for (size_t k = 0; k < count; ++k) out += fill;
    return out;
  };
  switch (align) {
    case '<': return head + body + times(missing);
    case '^': return times(missing / 2) + head + body + times(missing - missing / 2);
    case '=': return head + times(missing) + body;
    default: return times(missing) + head + body;
  }
}

}  // namespace

std::string formatted_value(const Operator& op, const IValue& v, const std::string& spec) {
  if (v.is_tensor() && v.as_tensor().dim() == 0) {
    static const Operator& item = find_operator("aten::item");
    IValue element;
    call(item, &v, &element);
    return formatted_value(op, element, spec);
  }
  MONOGRAPH_CHECK(!v.is_tensor() || spec.empty(), Type, "[", op.name(), "] unsupported format string passed to Tensor.__format__");
  if (spec.empty()) return text_of_value(op, v, false);
  const FormatSpec f = read(op, spec);
  if (v.is_string()) {
    MONOGRAPH_CHECK((f.type == 0 || f.type == 's') && f.sign == '-' && !f.grouping && f.align != '=', Value, "[", op.name(),
                    "] the format '", spec, "' is not one of a str");
    std::string s = v.to_string();
    if (f.precision >= 0) {
      size_t at = 0;
      for (int k = 0; k < f.precision && at < s.size(); ++k) at += character_size(static_cast<unsigned char>(s[at]));
      s.resize(std::min(at, s.size()));
    }
    FormatSpec left = f;
    if (f.zero && !f.align) left.align = '<', left.fill = "0";
    return padded(left, '<', "", s);
  }
  MONOGRAPH_CHECK(v.is_int() || v.is_float() || v.is_bool(), Type, "[", op.name(), "] a ", describe(v), " has no formats in a graph");
  const bool whole = !v.is_float() && std::string_view("eEfFgG%").find(f.type) == std::string_view::npos;
  const bool negative = whole || !v.is_float() ? v.to_int() < 0 : std::signbit(v.to_double()) && !std::isnan(v.to_double());
  std::string head = negative ? "-" : f.sign == '-' ? "" : std::string(1, f.sign), body;
  if (f.type == 'c') {
    MONOGRAPH_CHECK(whole && v.to_int() >= 0 && v.to_int() < 128, NotImplemented, "[", op.name(),
                    "] 'c' is supported for ASCII alone in a graph");
    return padded(f, '<', "", std::string(1, static_cast<char>(v.to_int())));
  }
  if (whole) {
    auto [prefix, digits] = whole_text(op, f, v.to_int());
    head += prefix, body = digits;
  } else {
    body = real_text(op, f, v.to_double());
  }
  if (f.grouping) {
    MONOGRAPH_CHECK(!f.zero, NotImplemented, "[", op.name(), "] zeros and groups of digits in one format are not supported in a graph");
    const bool binary = f.type == 'x' || f.type == 'X' || f.type == 'o' || f.type == 'b';
    group(body, f.grouping, binary ? 4 : 3);
  }
  return padded(f, '>', head, body);
}

}  // namespace monograph
