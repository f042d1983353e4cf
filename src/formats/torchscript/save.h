// Writes archives that torch.jit.load reads, PyTorch's and ours. archive.h describes their entries.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/archive.h"
#include "formats/torchscript/debug.h"
#include "formats/torchscript/pickler.h"
#include "ir/unit.h"

namespace monograph::torchscript {

// The file below extra/ with the facts on which a capture relied (ir::Graph::relied_on), one in a line: "forward: the global SCALE is 2.0".
inline constexpr std::string_view kReliedOn = "relied_on.txt";

// The file below extra/ with the calls that stand in place (calls_entry).
inline constexpr std::string_view kCalls = "calls.txt";

// The contents of an archive. write() adds them to `archive` below the folder `root`, and commits it.
struct ArchiveParts {
  std::string data, constants;  // the pickles
  const StorageTable *data_storages = nullptr, *constant_storages = nullptr;
  std::vector<std::pair<std::string, std::string>> code;  // name and content, below the folder of the archive
  std::vector<std::pair<std::string, std::string>> extra_files;  // name and content, below extra/
  std::string version;  // the version of the operators in the code
  void write(ArchiveWriter& archive, std::string_view root) const;
};
// The name of the top folder in an archive at `path`: the file's name without its extension.
std::string root_folder(const std::string& path);

// Gives each call that a user added with a function's name, such as "torch.relu", or as a method of a tensor, the operator that this name means.
void resolve_operators(ir::Graph& graph);

struct ScriptSaveOptions {
  std::vector<std::pair<std::string, std::string>> extra_files;  // name and content, below extra/
  // The graphs are right only for the modes that the modules are in. The archive's methods raise an error in another mode.
  bool one_mode = false;
  // The same program, with the same modules and tensors, compiled with each module in its other mode; or null. The archive's methods choose between the two
  // by `self.training`.
  const ir::Unit* other_mode = nullptr;
  // The paths of modules whose mode the program reads. The root's method chooses the mode for those that have no method of their own, so it raises an error
  // if such a module is not in the root's mode.
  std::vector<std::string> modes;
  // The inputs of forward that are dicts, and the keys that each must have, in this order.
  std::vector<std::pair<std::string, std::vector<std::string>>> keys;
  // Methods of modules below the root, which calls in the graphs name, and a __getstate__ and __setstate__ of the root. Paths in such a graph begin at its module.
  struct Part {
    std::string path, name;  // of the module; of the method
    const ir::Graph* graph;
  };
  std::vector<Part> parts;
  // The methods of a module that a call of it runs before and behind forward.
  struct Hooks {
    std::string path;  // of the module
    std::vector<std::string> before, behind;
  };
  std::vector<Hooks> hooks;
  // What the archive has in the place of the attributes of a module: the value that its __getstate__ gave. Both methods are among the parts.
  struct State {
    std::string path;  // of the module
    IValue value;
    ir::Type type;
  };
  std::vector<State> states;
  // Returns the members of an Enum by its name in the program. Null: only the members that the program names are saved.
  std::function<std::vector<std::pair<std::string, ir::Args>>(const std::string& name)> members;
  FileTexts file_texts;  // null: no text is to be had
};

// Saves a program. Its functions without a dot in their names, such as "forward", become methods of the root module. A program without modules becomes the
// forward of an empty module. A storage that several tensors share is written once.
//
// The file is written whole or not at all (AtomicFile). Error (NotImplemented) names the node, its line in the user's program and why PyTorch cannot express
// it. Error (File) if the file cannot be written.
void save_archive(const ir::Unit& unit, const std::string& path, const ScriptSaveOptions& options = {});
// The same, but gives the bytes to `write` in order. `root` is the name of the top folder in the archive.
void save_archive(const ir::Unit& unit, const std::function<void(const void*, size_t)>& write, std::string_view root,
                  const ScriptSaveOptions& options = {});

}  // namespace monograph::torchscript
