// Reads the inputs of a program from the command line:
//
//   --input x.npy                        a NumPy file
//   --input mask=text:1,1,0              numbers: int64, or float32 if one has a point; ";" ends a row; ":float64" at the end sets the dtype
//   --input random:2x3x8:float32         normally distributed numbers; integers are 0 to 9, or 0 to 29999 with "random:1x128:int64:30000"
//   --input random                       random, with the shape and dtype that the program expects; --dim sets its sizes
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

// Parses the values of --dim, each NAME=N. UsageError for any other form, and for a name that is given twice.
DimValues parse_dims(const std::vector<std::string>& words);
// The names of the symbolic sizes in the types of the graph's inputs.
std::vector<std::string> size_names(const ir::Graph& graph);
// UsageError for a size in `dims` that is none of these.
void check_dims(const ir::Graph& graph, const DimValues& dims);

struct InputSpec {
  enum class Kind : uint8_t { File, Random, Text };
  std::string name;  // "" if the input is found by its position
  Kind kind = Kind::File;
  std::string word;  // the whole value of --input, for messages
  std::string text;  // the file's path, or the numbers
  std::optional<std::vector<int64_t>> shape;  // only for Random
  std::optional<DType> dtype;
  int64_t below = 10;  // random integers are below this
};
// UsageError if the value of --input has none of the forms above.
InputSpec parse_input(const std::string& word);

struct InputOptions {
  std::vector<std::string> inputs, dims;
  uint64_t seed = 0;
  void add_to(CLI::App& app);
};

// The inputs of a graph. make() can be called again and again.
class Binding {
 public:
  // Reads and checks the inputs. The error names the input, what was expected, what came, and the way out. With `fill`, missing inputs are random.
  Binding(const ir::Graph& graph, const InputOptions& options, bool fill = false);

  // Returns a value for each placeholder. Random values are drawn anew; tensors are copied, because graphs may write to their inputs.
  std::vector<IValue> make();
  // Describes each input: "x: float32[2, 3], random".
  std::vector<std::string> describe() const;

 private:
  struct Slot {
    std::string name;
    ir::Type type;
    std::optional<InputSpec> spec;
    IValue value;  // the value, or the default; unset if it is random
    Dims shape;  // of a tensor, also a random one
    DType dtype = DType::f32;
  };
  void assign(const std::vector<InputSpec>& specs, bool fill);
  void prepare(Slot& slot);
  void check(const Slot& slot);
  [[noreturn]] void wrong(const Slot& slot, std::string_view expected, std::string_view came, std::string_view way_out) const;
  IValue random(const Slot& slot);

  const ir::Graph& graph_;
  DimValues dims_;
  std::map<std::string, std::string> set_by_;  // where the value of a symbolic size comes from: "dimension 0 of input 'x'"
  std::vector<Slot> slots_;  // one for each placeholder
  std::vector<size_t> missing_;  // the slots without an input
  Generator generator_;
};

// "float32[2, 3]", "int 3", "a tuple of 2".
std::string shape_text(const IValue& value);
std::string shape_text(DType dtype, std::span<const int64_t> sizes);

// The tensors, numbers and other single values in a result, with their paths: "output[0]", "output['mask']".
struct NamedValue {
  std::string path;
  IValue value;
};
std::vector<NamedValue> leaves(const std::vector<IValue>& results);
// A number or bool becomes a tensor without dims. Error (Type) for a value that is neither.
Tensor as_tensor(const IValue& value);

}  // namespace monograph::cli
