// The text that is compiled, and errors that show its lines.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace monograph::capture::script {

// A part of a text, in bytes.
struct TextRange {
  uint32_t begin = 0, end = 0;
};

class SourceText {
 public:
  // `first_line` is the number of the text's first line in its file.
  SourceText(std::string text, std::string_view file, uint32_t first_line = 1);
  // What somebody's program was before it became this text: from the place `at` on, up to the next one, the text comes from `span`, if that is known.
  struct Origin {
    uint32_t at;
    Span span;
  };
  void set_origins(std::vector<Origin> origins) { origins_ = std::move(origins); }
  // A text in TorchScript's words: in one that PyTorch prints, an octal escape such as \303 is a byte of UTF-8. In Python it is a character.
  static std::shared_ptr<SourceText> torchscript(std::string text, std::string_view file, uint32_t first_line = 1);
  bool octal_bytes() const { return octal_bytes_; }

  const std::string& text() const { return text_; }
  std::string_view at(TextRange r) const { return std::string_view(text_).substr(r.begin, r.end - r.begin); }
  // Lines of the file, columns in bytes; where the origin is known, those of the origin.
  Span span(TextRange r) const;
  // The place and the line, with the range marked, and the origin's place behind it:
  //
  //   File "model.py", line 3
  //     y = x.foo()
  //         ~~~~~~~ <--- HERE
  std::string highlight(TextRange r) const;

 private:
  size_t line_index(uint32_t offset) const;
  Span origin(uint32_t offset) const;
  std::string text_;
  const std::string* file_;
  uint32_t first_line_;
  std::vector<uint32_t> lines_;  // where each begins
  std::vector<Origin> origins_;  // in order
  bool octal_bytes_ = false;
};

// An error that shows the line of the text that it is about.
class SourceError : public Error {
 public:
  using Error::Error;
  // The error, with one more note, which shows a line too.
  SourceError(const Error& error, std::string_view text) : Error(error) { note(text); }
};

// SourceError with the message above the marked line.
[[noreturn]] void raise_at(const SourceText& source, TextRange range, std::string message, ErrorKind kind = ErrorKind::Runtime);

}  // namespace monograph::capture::script
