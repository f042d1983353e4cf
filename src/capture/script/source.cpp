// Finds the line of an offset by a search in the starts of lines, and marks a part of a line as PyTorch's errors do.
#include "capture/script/source.h"

#include <algorithm>

namespace monograph::capture::script {

SourceText::SourceText(std::string text, std::string_view file, uint32_t first_line)
    : text_(std::move(text)), file_(intern_file(file)), first_line_(first_line), lines_{0} {
  MONOGRAPH_CHECK(text_.size() < UINT32_MAX / 2, Value, "the source text is longer than 2 GB");
  for (size_t k = 0; k < text_.size(); ++k)
    if (text_[k] == '\n') lines_.push_back(static_cast<uint32_t>(k + 1));
}

std::shared_ptr<SourceText> SourceText::torchscript(std::string text, std::string_view file, uint32_t first_line) {
  auto source = std::make_shared<SourceText>(std::move(text), file, first_line);
  source->octal_bytes_ = true;
  return source;
}

size_t SourceText::line_index(uint32_t offset) const {
  return static_cast<size_t>(std::upper_bound(lines_.begin(), lines_.end(), offset) - lines_.begin()) - 1;
}

Span SourceText::origin(uint32_t offset) const {
  const auto next = std::ranges::upper_bound(origins_, offset, {}, &Origin::at);
  return next == origins_.begin() ? Span() : std::prev(next)->span;
}

Span SourceText::span(TextRange r) const {
  if (const Span known = origin(r.begin); known.known()) return known;
  const size_t first = line_index(r.begin), last = line_index(r.end);
  Span s;
  s.file = file_;
  s.line = first_line_ + static_cast<uint32_t>(first), s.column = r.begin - lines_[first];
  s.end_line = first_line_ + static_cast<uint32_t>(last), s.end_column = r.end - lines_[last];
  return s;
}

std::string SourceText::highlight(TextRange r) const {
  const size_t index = line_index(r.begin);
  const uint32_t begin = lines_[index];
  const size_t end = std::min(text_.find('\n', begin), text_.size());
  std::string_view line = std::string_view(text_).substr(begin, end - begin);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  constexpr size_t kShown = 160, kBefore = 80;
  auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  const size_t stop = std::min<size_t>(std::max(r.end, r.begin + 1) - begin, std::max<size_t>(line.size(), r.begin - begin + 1));
  // Of a long line the part around the mark.
  size_t first = 0;
  if (stop > kShown && r.begin - begin > kBefore) {
    first = std::min(r.begin - begin - kBefore, line.size());
    while (first < line.size() && !starts_character(line[first])) ++first;
  }
  size_t last = std::min(first + kShown, line.size());
  while (last < line.size() && !starts_character(line[last])) ++last;
  const std::string_view left = first ? "    ... " : "";
  std::string shown = concat(left, line.substr(first, last - first), last < line.size() ? " ..." : "");
  std::ranges::replace(shown, '\0', '?');  // which would end the message
  std::string mark(left.size(), ' ');
  for (size_t k = first; k < stop && k < first + kShown; ++k)
    if (k >= line.size() || starts_character(line[k]))
      mark += k < r.begin - begin ? (k < line.size() && line[k] == '\t' ? '\t' : ' ') : '~';
  const Span from = origin(r.begin);
  return concat("  File \"", *file_, "\", line ", first_line_ + index, "\n", shown, "\n", mark, " <--- HERE",
                from.known() ? concat("\nwhich comes from ", to_string(from)) : "");
}

void raise_at(const SourceText& source, TextRange range, std::string message, ErrorKind kind) {
  throw SourceError(kind, concat(message, ":\n", source.highlight(range)));
}

}  // namespace monograph::capture::script
