// Reads the tensors in files of torch.save.
#pragma once

#include <map>
#include <string>

#include "monograph/tensor.h"

MONOGRAPH_API_BEGIN

// Returns the tensors in a file that PyTorch's or Monograph's torch.save wrote: a state dict, or any object that contains tensors. A tensor's name is the keys
// of the dicts that lead to it, joined by dots: "0.weight", "optimizer.state.0.exp_avg". An item of a list is named by its index. All tensors are on the CPU.
// Tensors that shared memory share it again. Loading executes nothing in the file. Objects of other classes are not built, but the tensors in their states are
// returned.
//
// OSError if the file is missing, damaged or no checkpoint, or if two tensors have the same name.
std::map<std::string, Tensor> load_tensors(const std::string& path);

MONOGRAPH_API_END
