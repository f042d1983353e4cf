// A text and a place in it: characters, words, numbers and quoted texts, for the readers of graphs, schemas and types. Each of them keeps its
// grammar, and says in error() where the text is wrong.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/characters.h"

namespace monograph::ir {

class Scanner {
 public:
  Scanner(const Scanner&) = delete;
  Scanner& operator=(const Scanner&) = delete;

 protected:
  explicit Scanner(std::string_view text, size_t place = 0) : text_(text), at_(place) {}
  virtual ~Scanner() = default;
  [[noreturn]] virtual void error(std::string_view what) = 0;
  // Goes behind the comment that begins here; false where the language has none.
  virtual bool comment() { return false; }

  // The next character that is neither a space nor in a comment; NUL at the end.
  char peek() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
      if (!space && (c != '#' || !comment())) return c;
      if (at_ >= text_.size()) break;
    }
    return '\0';
  }
  // The character right here, or so far ahead; NUL behind the end.
  char here(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  std::string_view rest() const { return text_.substr(std::min(at_, text_.size())); }
  std::string_view since(size_t start) const { return text_.substr(start, at_ - start); }

  // Goes behind a token, if it is what comes next.
  bool accept(std::string_view token) {
    peek();
    if (!rest().starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token);
  // Likewise a whole word.
  bool accept_word(std::string_view word) {
    peek();
    if (!rest().starts_with(word) || is_word(here(word.size()))) return false;
    at_ += word.size();
    return true;
  }
  void expect_word(std::string_view word);

  // The characters from here on that are wanted; it goes behind them.
  template <class F>
  std::string_view take_while(F&& wanted) {
    const size_t start = at_;
    while (at_ < text_.size() && wanted(text_[at_])) ++at_;
    return since(start);
  }
  // A letter, and letters and digits behind it.
  std::string_view identifier(std::string_view otherwise = "expected a name");
  int64_t integer();
  // A quoted text of one line, with JSON's escapes and \'.
  std::string quoted();
  // The rest of a text behind this quote, up to the next one. What follows a backslash means itself. False where it does not end.
  bool plainly_quoted(char quote, std::string& value);

  const std::string_view text_;
  size_t at_;

 private:
  uint32_t four_digits();
  void unicode(std::string& out);
};

}  // namespace monograph::ir
