// The bodies of a recurrent layer's steps, which its kernels run over blocks of the gates.
#pragma once

#include <vector>

#include "ops/kernel_families.h"

namespace monograph {

std::vector<KernelFamily::Member> rnn_step_members();

}  // namespace monograph
