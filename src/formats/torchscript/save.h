// Writing archives that torch.jit.load reads, PyTorch's and ours (archive.h describes them).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/archive.h"
#include "formats/torchscript/pickler.h"
#include "ir/unit.h"

namespace monograph::torchscript {

// The file below extra/ that has what the program relied on (ir::Graph::relied_on), a line each: "forward: the global SCALE is 2.0".
inline constexpr std::string_view kReliedOn = "relied_on.txt";

// What an archive is made of.
struct ArchiveParts {
  std::string data, constants;  // the pickles
  const StorageTable *data_storages = nullptr, *constant_storages = nullptr;
  std::vector<std::pair<std::string, std::string>> code;  // name and content, below the folder of the archive
  std::vector<std::pair<std::string, std::string>> extra_files;  // name and content, below extra/
  std::string version;  // of the operators in the code
  void write(ArchiveWriter& archive, std::string_view root) const;
};
// The folder in a file of this name.
std::string root_folder(const std::string& path);

// Nodes that somebody made by hand get the operators that they mean.
void resolve_operators(ir::Graph& graph);

struct ScriptSaveOptions {
  std::vector<std::pair<std::string, std::string>> extra_files;  // name and content, below extra/
  // The graphs hold for the mode that the modules are in, and for no other: the archive's methods raise in another one.
  bool one_mode = false;
  // The same program with each module in its other mode, or null: the archive's methods choose by `self.training`. The modules, and what they hold, are the same.
  const ir::Unit* other_mode = nullptr;
  // Paths of modules whose mode the program reads. Those that have no method of their own must be in the mode of the root, which chooses for them.
  std::vector<std::string> modes;
  // Inputs of forward that are dicts, and the keys that each must have, in this order.
  std::vector<std::pair<std::string, std::vector<std::string>>> keys;
  // Methods of the modules below the root, whose paths begin at that module. Calls in the graphs name them.
  struct Part {
    std::string path, name;
    const ir::Graph* graph;
  };
  std::vector<Part> parts;
  // The members of an Enum, by its name in the program; null: those that the program names.
  std::function<std::vector<std::pair<std::string, ir::Args>>(const std::string& name)> members;
};

// The modules of a program with its functions as methods of the root: "forward" and others without a dot in their names. A program without modules
// becomes the forward of an empty one. Storages that tensors share are written once, with the views that they are.
//
// The file appears whole or not at all: an old one of this name stays as it was where an error is raised. Error (NotImplemented) names the node, its place in
// the user's program and why PyTorch cannot express it.
void save_archive(const ir::Unit& unit, const std::string& path, const ScriptSaveOptions& options = {});
// The same to somebody else's file. `root` is the name of the folder in it.
void save_archive(const ir::Unit& unit, const std::function<void(const void*, size_t)>& write, std::string_view root,
                  const ScriptSaveOptions& options = {});

}  // namespace monograph::torchscript
