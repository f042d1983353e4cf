// The list of the kernels that tools/kernelgen generates, by family of operators.
#pragma once

#include <string>
#include <vector>

#include "kernels/body.h"

namespace monograph {

// The bodies of one family, expanded, each in its form.
struct KernelFamily {
  std::string name;
  struct Member {
    std::string name;  // "silu/float32"
    Body body;
    KernelForm form;
  };
  std::vector<Member> members;
};
std::vector<KernelFamily> kernel_families();

}  // namespace monograph
