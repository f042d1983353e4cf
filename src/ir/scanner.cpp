// Words, numbers and quoted texts. Errors are the reader's own.
#include "ir/scanner.h"

#include <charconv>

#include "core/error.h"

namespace monograph::ir {

void Scanner::expect(std::string_view token) {
  if (!accept(token)) error(concat("expected '", token, "'"));
}

void Scanner::expect_word(std::string_view word) {
  if (!accept_word(word)) error(concat("expected '", word, "'"));
}

std::string_view Scanner::identifier(std::string_view otherwise) {
  peek();
  if (!is_letter(here())) error(otherwise);
  return take_while(is_word);
}

int64_t Scanner::integer() {
  peek();
  int64_t v = 0;
  auto r = std::from_chars(text_.data() + at_, text_.data() + text_.size(), v);
  if (r.ec == std::errc::result_out_of_range) error("the number does not fit 64 bits");
  if (r.ec != std::errc()) error("expected a number");
  at_ = static_cast<size_t>(r.ptr - text_.data());
  return v;
}

bool Scanner::plainly_quoted(char quote, std::string& value) {
  for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
    value += text_[at_];
  }
  if (at_ >= text_.size()) return false;
  ++at_;
  return true;
}

std::string Scanner::quoted() {
  expect("\"");
  std::string out;
  for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
    if (text_[at_] == '\n') error("a text does not end on its line");
    if (text_[at_] != '\\') {
      out += text_[at_];
      continue;
    }
    if (++at_ >= text_.size()) break;
    switch (text_[at_]) {
      case 'n': out += '\n'; break;
      case 't': out += '\t'; break;
      case 'r': out += '\r'; break;
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case '/':
      case '\\':
      case '"':
      case '\'': out += text_[at_]; break;
      case 'u': unicode(out); break;
      default: error("unknown escape in a text");
    }
  }
  if (at_ >= text_.size()) error("a text does not end");
  ++at_;
  return out;
}

uint32_t Scanner::four_digits() {
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    char c = ++at_ < text_.size() ? text_[at_] : '\0';
    int d = is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (d < 0) error("expected four hexadecimal digits after \\u");
    code = code * 16 + static_cast<uint32_t>(d);
  }
  return code;
}

void Scanner::unicode(std::string& out) {
  uint32_t code = four_digits();
  if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_ + 1).starts_with("\\u")) {
    ++at_;
    uint32_t low = four_digits();
    if (low < 0xdc00 || low > 0xdfff) error("half of a surrogate pair");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6), out += static_cast<char>(0x80 | (code & 63));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12), out += static_cast<char>(0x80 | (code >> 6 & 63)),
        out += static_cast<char>(0x80 | (code & 63));
  } else {
    out += static_cast<char>(0xf0 | code >> 18), out += static_cast<char>(0x80 | (code >> 12 & 63));
    out += static_cast<char>(0x80 | (code >> 6 & 63)), out += static_cast<char>(0x80 | (code & 63));
  }
}

}  // namespace monograph::ir
