// The native container, `.mgraph`: a program with its weights in one file. docs/formats.md describes it byte for byte.
//
// It is a zip archive. Its entries are stored and begin at multiples of 64 bytes:
//
//   unit.mg               the Unit's text (docs/ir.md)
//   sharing.json          which attributes share memory that the program writes; missing if none do
//   weights.safetensors   the constants of more than kInlineElements elements, each once, named by content hash; missing if there are none
//
// So weights are used where they lie in the mapped file, and `unzip` and any reader of safetensors can read the parts.
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

// The folders from which the names of source files are written. With roots {"/home/me"}, /home/me/model.py is saved as "model.py"; a file in none of
// them is saved by its last name alone. So the saved bytes do not depend on where the program lies. nullopt: names stay as they are.
using SourceRoots = std::optional<std::vector<std::string>>;

// Writes the file whole or not at all (AtomicFile). Equal Units give equal files. A graph that belongs to a Unit is saved with its Unit; a graph
// alone is saved as a Unit of one function. Error (Value) if the program was loaded without its weights, or if attributes share memory in a way that
// the file cannot express (formats/sharing.h). Error of ir::verify's kind if the program is not valid. Error (File) if the file cannot be written.
void save_mgraph(const ir::Unit& unit, const std::string& path, const SourceRoots& roots = {});
void save_mgraph(const ir::Graph& graph, const std::string& path, const SourceRoots& roots = {});

// Loads a Unit that is identical() to the one that was saved.
//
// Its constants lie in the mapped file, which lives as long as one of them. The pages of an array are read when it is first used. Constants of equal
// contents are one constant. Attributes that a function writes or returns have their own storage (exec::LiveTensor), which they share with the
// attributes that shared it when they were saved. An array that is not aligned for its dtype is copied; only other writers leave such arrays.
//
// Every size, range and name is checked, the checksum of the text, and that each constant has the dtype and sizes that the text states. The bytes of
// the weights are checked only with `verify`, which reads all of them: their checksum and their content hashes.
// Error (File) names the file and what is wrong.
std::unique_ptr<ir::Unit> load_mgraph(const std::string& path, bool verify = false);
// The same for bytes in memory, which `owner` keeps or which outlive the Unit; `where` names them in errors.
std::unique_ptr<ir::Unit> parse_mgraph(std::span<const std::byte> bytes, std::string_view where,
                                       std::shared_ptr<const void> owner = nullptr, bool verify = false);

// Whether the archive is a .mgraph file: it has the entry unit.mg.
bool is_mgraph(const Archive& archive);

}  // namespace monograph
