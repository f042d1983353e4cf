// The native container, `.mgraph`: a program with its weights in one file. docs/formats.md describes it byte for byte.
//
// It is a zip archive, of stored entries that begin at multiples of 64 bytes:
//
//   unit.mg               the Unit's text (docs/ir.md)
//   sharing.json          which attributes share memory that the program writes; missing where none do
//   weights.safetensors   the constants of more than kInlineElements elements, each once, by content hash; missing where there are none
//
// so that weights are used in the mapped file, and `unzip` and every other reader of the two formats can take it apart.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/archive.h"
#include "ir/unit.h"

namespace monograph {

// Writes the file whole or not at all (AtomicFile); equal Units give equal files. A graph alone is saved as a Unit of one function, one of a Unit
// with its Unit. Error (Value) if the program was loaded without its weights, or if attributes share memory in a way that the file cannot express
// (formats/sharing.h).
// A source file is named from the longest of `roots` that it lies in, else by its last name alone, so that the file does not depend on where the
// program lies. Without `roots` names stay as they are.
using SourceRoots = std::optional<std::vector<std::string>>;
void save_mgraph(const ir::Unit& unit, const std::string& path, const SourceRoots& roots = {});
void save_mgraph(const ir::Graph& graph, const std::string& path, const SourceRoots& roots = {});

// The Unit is identical() to the one that was saved. Its constants lie in the mapped file, which lives as long as one of them; the pages of an
// array are read when it is first used. Equal contents are one constant, but for attributes that a function writes or hands out: those have storage of
// their own, shared by those that shared it when they were saved, and their contents are those of the moment (exec::LiveTensor). (An array that is not aligned for its dtype, which only other writers leave, is copied.)
//
// Always checked: every size, range and name, the text's checksum, that each constant is there with the dtype and sizes that the text states.
// The weights' bytes are not, since that reads all of them; with `verify` they are, checksum and content hashes both.
// Error (File) names the file and what is wrong.
std::unique_ptr<ir::Unit> load_mgraph(const std::string& path, bool verify = false);
// The same over bytes in memory, kept by `owner` or outliving the Unit; `where` names them in errors.
std::unique_ptr<ir::Unit> parse_mgraph(std::span<const std::byte> bytes, std::string_view where,
                                       std::shared_ptr<const void> owner = nullptr, bool verify = false);

// Whether an archive is one.
bool is_mgraph(const Archive& archive);

}  // namespace monograph
