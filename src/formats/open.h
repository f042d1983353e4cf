// Programs from files of any format: the content decides which it is, never the name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ir/unit.h"

namespace monograph {

enum class FileFormat : uint8_t {
  Mgraph,           // our container (formats/mgraph.h)
  Text,             // our text form, or TorchScript's spelling of it (docs/ir.md)
  Json,             // our JSON
  Safetensors,      // weights without a program
  TorchScript,      // an archive of torch.jit.save
  TorchCheckpoint,  // an archive or pickle of torch.save
  TorchExport,      // an archive of torch.export.save
  Pickle,           // of Python, but not of torch.save
  Onnx,
  Numpy,  // .npy or .npz
  Zip,  // another archive
  Unknown,
};
std::string_view to_string(FileFormat format);  // "safetensors weights", as in "the file holds safetensors weights"

// Looks at the content only as far as needed. Error (File) where the file cannot be read.
FileFormat detect_format(const std::string& path);
FileFormat detect_format(std::span<const std::byte> bytes);

// What another reader says about a file of a format that it does not read: "the file holds a NumPy array; numpy.load reads it". "" for Unknown.
std::string another_format(FileFormat format);

// The program in a file. A single graph becomes a Unit of one function. Error (File) names the file, what is wrong with it, or, for a format
// that cannot be read, its format and what to do instead. `verify` is load_mgraph's.
std::unique_ptr<ir::Unit> open_unit(const std::string& path, bool verify = false);

// The graph to use if no name is given: the function "forward", else the method "forward" of the root, else the only function.
// With a name, the function of that name, or the method of the root. Error (Key) lists the functions that there are.
ir::Graph& main_graph(const ir::Unit& unit, std::string_view name = {});

}  // namespace monograph
