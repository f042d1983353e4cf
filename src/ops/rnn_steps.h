// The bodies of the steps of recurrent layers (families/sequence_layers.cpp), for tools/kernelgen.
#pragma once

#include <vector>

#include "ops/kernel_families.h"

namespace monograph {

std::vector<KernelFamily::Member> rnn_step_members();

}  // namespace monograph
