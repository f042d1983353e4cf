// Reads and writes the entry NAME.py.debug_pkl of an archive. It says from which lines of the user's program the parts of the text NAME.py come:
//
//   ("FORMAT_WITH_STRING_TABLE", (string, ...), ((position, ((pieces, file, first line), begin, end), tag), ...))
//
// An item holds for the text NAME.py from `position` on, up to the next item's. `pieces` are indices of the strings that make up the user's text, and
// `file` is the index of its file's name. `begin` and `end` are positions in the user's text.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capture/script/source.h"

namespace monograph::torchscript {

// The items, sorted by position. Empty if the bytes are damaged, because only messages use them.
std::vector<capture::script::SourceText::Origin> origins_in(std::span<const std::byte> bytes, const std::string& where);

// A text of code/, and the place in the user's program from which each of its lines comes.
struct CodeText {
  std::string text;
  std::vector<Span> origins;
  // Adds lines. Those of a plain text come from no line of the user's program.
  void add(const CodeText& lines);
  void add(std::string_view lines);
};

// The text of a file of the user's program; "" if it is not to be had.
using FileTexts = std::function<std::string(const std::string& file)>;

// The calls in which the places lie (core/calls.h), a file of the archive's own, which PyTorch passes over: there an entry of the format above has no place
// for them. A line for each call, and one for each code file with the positions from which its text lies in other calls:
//
//   call 2 in 1 at 11 15 11 27 <tab> model.py <tab> helper <tab> Sub.forward
//   code/__torch__.py 120:2 260:0
//
// "" if no line of the code lies in a call.
std::string calls_entry(const std::map<std::string, CodeText>& code);
// Puts the places of one code file into their calls. What is damaged is passed over.
void put_into_calls(std::string_view entry, const std::string& file, std::vector<capture::script::SourceText::Origin>& origins);

// The entry's bytes. They hold the lines of the user's program that the code names, and a few lines around them. Where the text of a file is not to be
// had, they hold its name and the number of the line. "" if no line of the code comes from a known place.
std::string debug_entry(const CodeText& code, const FileTexts& file_texts);

}  // namespace monograph::torchscript
