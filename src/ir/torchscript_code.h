// How TorchScript's code is written: what .code shows, and what archives of torch.jit.save hold.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace monograph::ir {

struct TorchScriptCode {
  std::string name;  // of the function; "": that of the graph
  // The class of self, which archives state: "__torch__.Net". In .code it is left out.
  std::string self_type;
  // A program of PyTorch's must read it: what a graph may hold beyond that is an error (NotImplemented) that names the node and its place.
  bool strict = false;
  // For people to read, as PyTorch's `.code` is: values that are used once stand where they are used, and the others have the names of the user's variables.
  bool readable = false;
  // A trace has a node for each list, so that a list is never left out as the default of its argument.
  bool keeps_lists = false;
  // The name of the user's variable that holds a value, "_" for none. Null: the names of the nodes say it.
  std::function<std::string(const Node*)> variable;
  // Why PyTorch lacks an operator; null for one that it has. Null: nobody asks.
  const char* (*why_not)(const OpInfo& op) = nullptr;
  std::vector<std::string> first_lines;  // of the body
  // Gets the lines that check the dtypes and numbers of dims of the inputs, which stand before the body. Null: no such lines are made.
  std::string* input_checks = nullptr;
  // The names of classes in the code, by those of the graph; a name stands for itself where this is null.
  std::function<std::string(const std::string& name)> class_name;
  // The name of a function (int, int) -> int, which is the power of two ints; it is called where the code needs one. Null: there is none.
  std::function<std::string()> int_power;
  // Gets for each line of the text the place in the user's program that it comes from. Null: nobody asks.
  std::vector<Span>* origins = nullptr;
};

// The text of one function. `constants` gets what it calls CONSTANTS.c0, c1, … behind those that are there.
std::string to_torchscript_code(const Graph& graph, const TorchScriptCode& options, std::vector<TensorRef>& constants);
// A type as TorchScript spells it: "Optional[List[int]]".
std::string torchscript_type(Type type, const TorchScriptCode& options = {});
// Two types that the keys, or the values, of a dict have, where they have several. A dict of this language has keys of one type, and values of one type.
std::optional<std::pair<std::string, std::string>> several_types(ArgRef dict, const TorchScriptCode& options = {});
// Text, number and identifier in its spelling.
void print_torchscript_string(std::string& out, std::string_view text);
void print_torchscript_float(std::string& out, double value);
// `self.conv.weight`; getattr(self, "0") where a part is no identifier.
std::string torchscript_attribute(std::string base, std::string_view path);

}  // namespace monograph::ir
