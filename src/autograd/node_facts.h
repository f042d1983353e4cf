// What PyTorch's nodes of the tape keep: grad_fn.next_functions in its order, and grad_fn._saved_self.
#pragma once

#include <string_view>
#include <vector>

namespace monograph {

// A value that a node of PyTorch saves.
struct SavedFact {
  enum class Kind : uint8_t {
    Argument,  // a tensor among the arguments, or a list of tensors
    Result,  // a tensor among the results
    Value,  // anything else
  };
  std::string_view name;
  Kind kind = Kind::Value;
  size_t result = 0;  // which result
  std::vector<size_t> edges{};  // an argument: saved only where one of these edges leads somewhere; empty: always
  bool differentiable = true;  // a result: it has the node as its history
  bool without_sign = false;  // PyTorch shows ints of it as unsigned ones: a dim of -1 is 18446744073709551615
};

struct NodeFacts {
  std::vector<std::string_view> edges;  // the arguments to which the edges lead, in order
  std::vector<SavedFact> saved;  // in the order in which tensors are saved
};

// The facts of a node by its name; null where node_facts.inc does not have it.
const NodeFacts* node_facts(std::string_view name);

}  // namespace monograph
