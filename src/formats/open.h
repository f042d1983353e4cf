// Opens a program from a file of any format. The content decides the format, never the file's name.
#pragma once

#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  Pickle,           // a Python pickle that torch.save did not write
  Onnx,
  Numpy,  // .npy or .npz
  Zip,  // any other zip archive
  Unknown,
};
std::string_view to_string(FileFormat format);  // "safetensors weights", as in "the file holds safetensors weights"

// A function of a file that does not compile: what people can read of it.
struct RefusedFunction {
  std::string name, text;  // its text in the file
  std::string where;  // the text's place in the file: "code/__torch__/net.py, line 12"
  std::exception_ptr error;  // why it does not compile
  std::string why() const;
};

// Reads only as much of the content as it needs. Error (File) if the file cannot be opened.
FileFormat detect_format(const std::string& path);
FileFormat detect_format(std::span<const std::byte> bytes);

// The words for a reader that does not read this format: "the file holds a NumPy array; numpy.load reads it". "" for Unknown.
std::string another_format(FileFormat format);

// Reads the program in a file. A single graph becomes a Unit of one function. Error (File) names the file and what is wrong with it; for a format
// that holds no program it names the format and says what to do instead. `verify` has the meaning that it has for load_mgraph. A TorchScript archive whose
// forward does not compile is an error, except where the caller takes such functions.
std::unique_ptr<ir::Unit> open_unit(const std::string& path, bool verify = false, std::vector<RefusedFunction>* refused = nullptr);

// Finds the function `name`, or the method `name` of the root. Without a name: the function "forward", else the root's method "forward", else the
// only function. Error (Value) lists the functions that there are.
ir::Graph& main_graph(const ir::Unit& unit, std::string_view name = {});

}  // namespace monograph
