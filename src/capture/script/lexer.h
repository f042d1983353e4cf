// Python's tokens with their places. Indentation becomes Indent and Dedent tokens.
#pragma once

#include "capture/script/source.h"

namespace monograph::capture::script {

enum class TokenKind : uint8_t { Name, Number, String, FormatString, Operator, Newline, Indent, Dedent, TypeComment, End };

struct Token {
  TokenKind kind = TokenKind::End;
  TextRange range;
  std::string
      text;  // of a Name, Number, Operator: as written; of a String: its value; of a FormatString: its body, unread; of a TypeComment: the type
  uint32_t body = 0;  // of a FormatString: where its body begins
  bool raw = false;  // of a FormatString: backslashes are themselves
};

// Blocks nest at most this deep: deeper than statements, of which a text of an archive has each elif as a block.
inline constexpr size_t kMaxIndentation = 1200;

// The tokens of a whole text, whose first statement may be indented, as a method's source is.
std::vector<Token> tokens_of(const SourceText& source);
// The tokens of one expression inside of the text, in which lines do not count.
std::vector<Token> expression_tokens(const SourceText& source, TextRange range);
// The value of a string's body: escapes are replaced. `place` is what errors show.
std::string unescaped(const SourceText& source, TextRange place, std::string_view body);

}  // namespace monograph::capture::script
