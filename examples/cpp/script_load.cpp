// Loads what torch.jit.save wrote and runs it: `script_load MODEL.pt [SIZE...]`, where the model takes one float tensor of these sizes (1 1 12 12 if none are
// given). The program is written for libtorch: with #include <torch/script.h> in place of the first line it compiles there, and prints the same.
#include <monograph/torch.h>

#include <iostream>
#include <memory>

int main(int argc, const char* argv[]) {
  if (argc < 2) {
    std::cerr << "usage: script_load MODEL.pt [SIZE...]\n";
    return 2;
  }
  torch::jit::script::Module module;
  try {
    module = torch::jit::load(argv[1]);
  } catch (const c10::Error& e) {
    std::cerr << "error loading the model: " << e.what_without_backtrace() << "\n";
    return 3;
  }
  module.eval();

  std::vector<int64_t> sizes;
  for (int k = 2; k < argc; ++k) sizes.push_back(std::stoll(argv[k]));
  if (sizes.empty()) sizes = {1, 1, 12, 12};

  torch::NoGradGuard no_grad;
  std::vector<torch::jit::IValue> inputs;
  inputs.push_back(torch::ones(sizes));
  at::Tensor output = module.forward(inputs).toTensor();
  std::cout << output.slice(/*dim=*/1, /*start=*/0, /*end=*/5) << '\n';

  int64_t parameters = 0;
  for (const auto& p : module.named_parameters()) parameters += p.value.numel();
  std::cout << parameters << " parameters, " << output.sizes() << " results, the best is " << output.argmax(1).item<int64_t>() << "\n";
  return 0;
}
