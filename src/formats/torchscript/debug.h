// NAME.py.debug_pkl: which lines of the user's program the parts of a text come from.
//
//   ("FORMAT_WITH_STRING_TABLE", (strings ...), ((place, ((texts, file, first line), begin, end), tag), ...))
//
// `place` is one of the text, from which the entry holds. `texts` are places in the table of strings, the lines of the user's text; `file` is the place of its
// name; `begin` and `end` are places in the user's text.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "capture/script/source.h"

namespace monograph::torchscript {

// What the bytes say, in the order of the places; nothing where they are damaged: they are for messages alone.
std::vector<capture::script::SourceText::Origin> origins_in(std::span<const std::byte> bytes, const std::string& where);

}  // namespace monograph::torchscript
