// Weights in files of PyTorch.
#pragma once

#include <map>
#include <string>

#include "monograph/tensor.h"

MONOGRAPH_API_BEGIN

// The tensors of a file that torch.save wrote, PyTorch's or Monograph's: a state dict, or any object that holds tensors. Their names are the keys of the
// dicts around them, joined by dots: "0.weight", "optimizer.state.0.exp_avg". Items of lists are named by their place. All tensors are on the CPU, and share
// memory where they did. Nothing in the file is executed; classes that it names are left out, and the tensors in their states are found.
//
// OSError where the file is no checkpoint, is damaged, or gives two tensors one name.
std::map<std::string, Tensor> load_tensors(const std::string& path);

MONOGRAPH_API_END
