// Reads the entry NAME.py.debug_pkl of an archive. It says from which lines of the user's program the parts of the text NAME.py come:
//
//   ("FORMAT_WITH_STRING_TABLE", (string, ...), ((position, ((pieces, file, first line), begin, end), tag), ...))
//
// An item holds for the text NAME.py from `position` on, up to the next item's. `pieces` are indices of the strings that make up the user's text, and
// `file` is the index of its file's name. `begin` and `end` are positions in the user's text.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "capture/script/source.h"

namespace monograph::torchscript {

// The items, sorted by position. Empty if the bytes are damaged, because only messages use them.
std::vector<capture::script::SourceText::Origin> origins_in(std::span<const std::byte> bytes, const std::string& where);

}  // namespace monograph::torchscript
