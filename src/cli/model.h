// A file that a verb was given, and the graph in it that is meant.
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
  std::unique_ptr<ir::Unit> unit;  // a program; or
  std::optional<Safetensors> weights;  // weights; or
  std::optional<Tensor> array;  // an array; or
  std::optional<pickle::Checkpoint> checkpoint;  // an object of torch.save

  // The function that is meant; Error with the nearest name.
  ir::Graph& graph(std::string_view function = {}) const;
};

// Error (File) where the file holds nothing that Monograph reads.
Model open_model(const std::string& path);
// The tensors of a checkpoint by name, as contiguous arrays, which `held` keeps.
Safetensors weights_of(const pickle::Checkpoint& checkpoint, std::vector<Tensor>& held);
// The same where only a program will do.
Model open_program(const std::string& path);

// Whether a program is more than one graph that stands alone: it has modules, or several functions.
bool is_more_than_a_graph(const ir::Unit& unit);
// The hash of a program: that of its function, where it has one.
std::string program_hash(const ir::Unit& unit);

// The tensors of a program: attributes of its modules by path, and the constants in its graphs by hash. A shared one is listed once.
struct ProgramTensor {
  std::string name;
  ir::TensorRef tensor;
  bool constant = false;
};
// With `every_name`, a tensor that two names share comes under both.
std::vector<ProgramTensor> parameters_of(const ir::Unit& unit, bool every_name = false);

}  // namespace monograph::cli
