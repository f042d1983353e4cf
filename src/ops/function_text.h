// What the gradient of prim::function_result needs: the backward of a torch.autograd.Function is an argument of its node, as the text of a graph.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/ivalue.h"

namespace monograph {

// Runs the graph of a text, which has no attributes. `input` gives the value of an input by its name. Set by src/exec.
using TextInput = std::function<IValue(const std::string& name)>;
extern std::vector<IValue> (*run_function_text)(const std::string& text, const TextInput& input);

// The sum of the versions of the tensors in a list: another one after a write to one of them.
uint32_t list_version(const IValue& list);

}  // namespace monograph
