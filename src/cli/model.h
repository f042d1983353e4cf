// Opens the file that a verb gets on the command line, and finds the graph in it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/open.h"
#include "formats/pickle/checkpoint.h"
#include "formats/safetensors.h"

namespace monograph::cli {

struct Model {
  std::string path;
  FileFormat format = FileFormat::Unknown;
  uint64_t bytes = 0;
  // One of these is set:
  std::unique_ptr<ir::Unit> unit;  // a program
  std::optional<Safetensors> weights;
  std::optional<Tensor> array;
  std::optional<pickle::Checkpoint> checkpoint;  // an object that torch.save wrote
  std::vector<RefusedFunction> refused;  // beside `unit`: what does not compile, of a file that was opened to be read

  // The function of this name, or the one to use by default (main_graph). Error (Value) suggests the nearest name.
  ir::Graph& graph(std::string_view function = {}) const;
};

// Opens any file that Monograph reads. Error (File) for any other.
Model open_model(const std::string& path, bool to_read = false);
// Opens a program. Error (File) for any other file. With `to_read`, an archive whose forward does not compile is none.
Model open_program(const std::string& path, bool to_read = false);
// The tensors of a checkpoint by name, as contiguous arrays, which `held` keeps.
Safetensors weights_of(const pickle::Checkpoint& checkpoint, std::vector<Tensor>& held);

// Whether a program has modules, classes or several functions.
bool is_more_than_a_graph(const ir::Unit& unit);
// The hash of the only function, or else of the whole program.
std::string program_hash(const ir::Unit& unit);

// Whether a program runs backward passes of its own. It then runs with gradients on, as in Python; others need none.
bool computes_gradients(const ir::Unit& unit);

// A tensor of a program: an attribute of a module by its path, or a constant of a graph.
struct ProgramTensor {
  std::string name;
  ir::TensorRef tensor;
  bool constant = false;
};
// What a program has that cannot run here: a call that no operator takes, or a function of the file that does not compile. `why` is one line.
struct CannotRun {
  std::string function, what, at, why;
};
std::vector<CannotRun> refusals_of(const Model& model);
// The attributes that hold objects and tensors that Monograph does not build, by path: "a quantized tensor", the class of an object.
std::vector<std::pair<std::string, std::string>> foreign_values_of(const ir::Unit& unit);
// All tensors of a program. A tensor with two names is listed once, or under both names with `every_name`.
std::vector<ProgramTensor> parameters_of(const ir::Unit& unit, bool every_name = false);

}  // namespace monograph::cli
