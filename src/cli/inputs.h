// Inputs of a program from the command line:
//
//   --input x.npy                        a NumPy file
//   --input mask=text:1,1,0              numbers: int64, or float32 where one has a point; ";" ends a row; ":float64" behind states the dtype
//   --input random:2x3x8:float32         normal numbers; of integers 0 to 9, or "random:1x128:int64:30000" for 0 to 29999
//   --input random                       shape and dtype from the program, sizes from --dim
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/model.h"
#include "cli/verb.h"
#include "core/generator.h"
#include "core/ivalue.h"

namespace monograph::cli {

using DimValues = std::map<std::string, int64_t>;

// --dim NAME=N, repeated. UsageError where it reads otherwise.
DimValues parse_dims(const std::vector<std::string>& words);

struct InputSpec {
  enum class Kind : uint8_t { File, Random, Text };
  std::string name;  // "" where it goes by order
  Kind kind = Kind::File;
  std::string word;  // as written, for messages
  std::string text;  // the file's path, or the numbers
  std::optional<std::vector<int64_t>> shape;  // of Random
  std::optional<DType> dtype;
  int64_t below = 10;  // of random integers
};
InputSpec parse_input(const std::string& word);

struct InputOptions {
  std::vector<std::string> inputs, dims;
  uint64_t seed = 0;
  void add_to(CLI::App& app);
};

// Which input each placeholder of a graph gets, ready to be made again and again.
class Binding {
 public:
  // Error that names the input, what was expected, what came, and the way out. With `fill`, inputs that nobody gave are random.
  Binding(const ir::Graph& graph, const InputOptions& options, bool fill = false);

  // A value for each placeholder; random ones are new with every call.
  std::vector<IValue> make();
  // In words, one a placeholder: "x: float32[2, 3], random".
  std::vector<std::string> describe() const;

 private:
  struct Slot {
    std::string name;
    ir::Type type;
    std::optional<InputSpec> spec;
    IValue value;  // of what is not random, and of defaults
    Dims shape;  // of what is random
    DType dtype = DType::f32;
  };
  void assign(const std::vector<InputSpec>& specs, bool fill);
  void prepare(Slot& slot);
  void check(const Slot& slot);
  [[noreturn]] void wrong(const Slot& slot, std::string_view expected, std::string_view came, std::string_view way_out) const;
  IValue random(const Slot& slot);

  const ir::Graph& graph_;
  DimValues dims_;
  std::map<std::string, std::string> set_by_;  // where a size comes from: "dimension 0 of input 'x'"
  std::vector<Slot> slots_;
  std::vector<size_t> missing_;
  Generator generator_;
};

// "float32[2, 3]", "int 3", "a tuple of 2".
std::string shape_text(const IValue& value);
std::string shape_text(DType dtype, std::span<const int64_t> sizes);

// The tensors and numbers in a result, with their paths in it ("[0]", "['mask']").
struct NamedValue {
  std::string path;
  IValue value;
};
std::vector<NamedValue> leaves(const std::vector<IValue>& results);
// A number or bool as a tensor of no dims.
Tensor as_tensor(const IValue& value);

}  // namespace monograph::cli
