// One pass over the text. Lines and indentation count outside of brackets only. A number, string, name or operator is the longest text that can be one.
#include "capture/script/lexer.h"

#include <cctype>

namespace monograph::capture::script {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (static_cast<unsigned char>(c) & 0x80); }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

constexpr std::string_view kOperators[] = {"**=", "//=", ">>=", "<<=", "...", "!=", "->", ":=", "**", "//", "<<", ">>",
                                           "<=",  ">=",  "==",  "+=",  "-=",  "*=", "/=", "%=", "@=", "&=", "|=", "^=",
                                           "+",   "-",   "*",   "/",   "%",   "@",  "&",  "|",  "^",  "~",  "<",  ">",
                                           "=",   "(",   ")",   "[",   "]",   "{",  "}",  ",",  ":",  ".",  ";"};

void put_utf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6), out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12), out += static_cast<char>(0x80 | (c >> 6 & 0x3f)), out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | c >> 18), out += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f)), out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

class Lexer {
 public:
  Lexer(const SourceText& source, TextRange range, bool one_expression)
      : source_(source),
        text_(source.text()),
        at_(range.begin),
        end_(range.end),
        depth_(one_expression ? 1 : 0),
        expression_(one_expression) {}

  std::vector<Token> run() {
    if (!expression_) indentation();
    while (at_ < end_) next();
    if (!expression_) {
      if (!out_.empty() && out_.back().kind != TokenKind::Newline) add(TokenKind::Newline, {at_, at_});
      for (; indents_.size() > 1; indents_.pop_back()) add(TokenKind::Dedent, {at_, at_});
    }
    add(TokenKind::End, {end_, end_});
    return std::move(out_);
  }

 private:
  char peek(uint32_t ahead = 0) const { return at_ + ahead < end_ ? text_[at_ + ahead] : '\0'; }
  Token& add(TokenKind kind, TextRange range, std::string text = {}) { return out_.emplace_back(Token{kind, range, std::move(text)}); }
  [[noreturn]] void wrong(TextRange range, std::string message) const { raise_at(source_, range, std::move(message)); }

  void next() {
    const char c = peek();
    if (c == '\n') return newline();
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f') return void(++at_);
    if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) return void(at_ += peek(1) == '\n' ? 2 : 3);
    if (c == '#') return comment();
    if (string()) return;
    if (is_name_start(c)) return name();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    for (std::string_view op : kOperators)
      if (text_.substr(at_, end_ - at_).starts_with(op)) return operation(op);
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(c);
    const std::string shown = code < 0x20 || code == 0x7f ? concat("the character \\x", kDigits[code >> 4], kDigits[code & 15])
                                                           : concat("'", std::string_view(&c, 1), "'");
    wrong({at_, at_ + 1}, concat(shown, " is not part of Python's syntax"));
  }

  void operation(std::string_view op) {
    if (op == "(" || op == "[" || op == "{") ++depth_;
    if ((op == ")" || op == "]" || op == "}") && depth_-- == 0) wrong({at_, at_ + 1}, concat("'", op, "' closes no bracket"));
    add(TokenKind::Operator, {at_, at_ + static_cast<uint32_t>(op.size())}, std::string(op));
    at_ += static_cast<uint32_t>(op.size());
  }
  void name() {
    const uint32_t begin = at_;
    while (is_name_part(peek())) ++at_;
    add(TokenKind::Name, {begin, at_}, std::string(text_.substr(begin, at_ - begin)));
  }
  void number() {
    const uint32_t begin = at_;
    if (peek() == '0' && std::string_view("xXoObB").find(peek(1)) != std::string_view::npos && peek(1)) {
      at_ += 2;
      while (std::isxdigit(static_cast<unsigned char>(peek())) || peek() == '_') ++at_;
    } else {
      while (is_digit(peek()) || peek() == '_') ++at_;
      if (peek() == '.') ++at_;
      while (is_digit(peek()) || peek() == '_') ++at_;
      if ((peek() == 'e' || peek() == 'E') && (is_digit(peek(1)) || ((peek(1) == '+' || peek(1) == '-') && is_digit(peek(2))))) {
        at_ += 2;
        while (is_digit(peek()) || peek() == '_') ++at_;
      }
      if (peek() == 'j' || peek() == 'J') ++at_;
    }
    if (is_name_part(peek())) wrong({begin, at_ + 1}, "a number ends in a letter");
    std::string digits;
    for (char c : text_.substr(begin, at_ - begin))
      if (c != '_') digits += c;
    add(TokenKind::Number, {begin, at_}, std::move(digits));
  }

  // A string with its prefix, if one begins here.
  bool string() {
    uint32_t k = 0;
    bool raw = false, bytes = false, format = false;
    for (; k < 2 && std::isalpha(static_cast<unsigned char>(peek(k))); ++k) {
      const char p = static_cast<char>(std::tolower(static_cast<unsigned char>(peek(k))));
      if (p != 'r' && p != 'b' && p != 'f' && p != 'u') return false;
      raw |= p == 'r', bytes |= p == 'b', format |= p == 'f';
    }
    const char quote = peek(k);
    if (quote != '\'' && quote != '"') return false;
    const uint32_t begin = at_;
    at_ += k;
    const uint32_t width = peek(1) == quote && peek(2) == quote ? 3 : 1;
    at_ += width;
    const uint32_t body = at_;
    for (;; ++at_) {
      if (at_ >= end_ || (width == 1 && peek() == '\n')) wrong({begin, begin + k + width}, "the string has no end");
      if (peek() == '\\') {
        ++at_;
        continue;
      }
      if (peek() == quote && (width == 1 || (peek(1) == quote && peek(2) == quote))) break;
    }
    const uint32_t stop = at_;
    at_ += width;
    if (bytes) wrong({begin, at_}, "bytes are not supported in a script; use a str");
    const std::string_view inside = text_.substr(body, stop - body);
    Token& token = add(format ? TokenKind::FormatString : TokenKind::String, {begin, at_});
    token.text = format || raw ? std::string(inside) : unescaped(source_, {begin, at_}, inside);
    token.body = body, token.raw = raw;
    return true;
  }

  void comment() {
    const uint32_t begin = at_;
    while (at_ < end_ && peek() != '\n') ++at_;
    if (expression_) return;
    std::string_view words = text_.substr(begin + 1, at_ - begin - 1);
    while (words.starts_with(' ')) words.remove_prefix(1);
    if (!words.starts_with("type:")) return;
    uint32_t from = at_ - static_cast<uint32_t>(words.size()) + 5;
    while (from < at_ && text_[from] == ' ') ++from;
    if (text_.substr(from, at_ - from).starts_with("ignore")) return;
    // As far as a comment inside of the comment.
    const size_t more = text_.substr(from, at_ - from).find('#');
    const uint32_t to = more == std::string_view::npos ? at_ : from + static_cast<uint32_t>(more);
    add(TokenKind::TypeComment, {from, to}, std::string(text_.substr(from, to - from)));
  }

  void newline() {
    const uint32_t here = at_++;
    if (depth_) return;
    const bool has_words = !out_.empty() && out_.back().kind != TokenKind::Newline && out_.back().kind != TokenKind::Indent &&
                           out_.back().kind != TokenKind::Dedent;
    if (has_words) add(TokenKind::Newline, {here, here});
    indentation();
  }
  // At the beginning of a line: the next line with words decides.
  void indentation() {
    uint32_t width = 0, begin = at_;
    for (;; ++at_) {
      if (peek() == ' ') ++width;
      else if (peek() == '\t') width = width / 8 * 8 + 8;
      else if (peek() == '\f') width = 0;
      else break;
    }
    if (at_ >= end_ || peek() == '\n' || peek() == '\r') return;
    if (peek() == '#') {  // a comment has no indentation, but may say a type
      comment();
      return;
    }
    if (indents_.empty()) return void(indents_.push_back(width));
    if (width > indents_.back()) {
      indents_.push_back(width);
      if (indents_.size() > kMaxIndentation) wrong({begin, at_}, concat("blocks nest deeper than ", kMaxIndentation, " levels"));
      add(TokenKind::Indent, {begin, at_});
    }
    while (width < indents_.back() && indents_.size() > 1) {
      indents_.pop_back();
      add(TokenKind::Dedent, {at_, at_});
    }
    if (width != indents_.back()) wrong({begin, at_ + 1}, "the indentation is that of no line before");
  }

  const SourceText& source_;
  std::string_view text_;
  uint32_t at_, end_;
  size_t depth_;  // of open brackets: lines go on in them
  bool expression_;
  std::vector<uint32_t> indents_;
  std::vector<Token> out_;
};

}  // namespace

std::vector<Token> tokens_of(const SourceText& source) {
  return Lexer(source, {0, static_cast<uint32_t>(source.text().size())}, false).run();
}
std::vector<Token> expression_tokens(const SourceText& source, TextRange range) { return Lexer(source, range, true).run(); }

std::string unescaped(const SourceText& source, TextRange place, std::string_view body) {
  std::string out;
  for (size_t k = 0; k < body.size(); ++k) {
    if (body[k] != '\\' || k + 1 >= body.size()) {
      out += body[k];
      continue;
    }
    auto number = [&](size_t first, size_t most, int base) {
      uint32_t value = 0;
      size_t n = 0;
      for (; n < most && first + n < body.size(); ++n) {
        const auto c = static_cast<unsigned char>(body[first + n]);
        const int digit = std::isdigit(c) ? c - '0' : std::isxdigit(c) ? std::tolower(c) - 'a' + 10 : base;
        if (digit >= base) break;
        value = value * static_cast<uint32_t>(base) + static_cast<uint32_t>(digit);
      }
      if (base == 16 && n < most) raise_at(source, place, "the string has an escape with too few digits");
      if (value > 0x10ffff) raise_at(source, place, "the string has an escape of no character");
      if (base == 8 && source.octal_bytes()) out += static_cast<char>(value);
      else put_utf8(out, value);
      return n;
    };
    switch (const char c = body[++k]) {
      case '\n': break;
      case '\\':
      case '\'':
      case '"': out += c; break;
      case 'a': out += '\a'; break;
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      case 'v': out += '\v'; break;
      case 'x': k += number(k + 1, 2, 16); break;
      case 'u': k += number(k + 1, 4, 16); break;
      case 'U': k += number(k + 1, 8, 16); break;
      case 'N': raise_at(source, place, "\\N{...} in a string is not supported; use \\u and the character's number"); break;
      default:
        if (c >= '0' && c <= '7') k += number(k, 3, 8) - 1;
        else out += '\\', out += c;
    }
  }
  return out;
}

}  // namespace monograph::capture::script
