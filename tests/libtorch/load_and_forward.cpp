// The first program of everybody: load an archive, run it, print the best classes.
#include <torch/script.h>
#include <torch/torch.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

int main(int argc, const char* argv[]) {
  if (argc != 2) {
    std::cerr << "usage: load_and_forward MODEL.pt\n";
    return -1;
  }
  torch::jit::script::Module module;
  try {
    module = torch::jit::load(argv[1]);
  } catch (const c10::Error& e) {
    std::cerr << "error loading the model\n";
    return -1;
  }
  std::cout << "ok\n";
  module.to(at::kCPU);
  module.eval();

  torch::Device device(torch::kCPU);
  if (torch::cuda::is_available()) device = torch::Device(torch::kCUDA, 0);
  std::cout << "device " << device << ", " << (device.is_cuda() ? "GPU" : "CPU") << "\n";
  module.to(device);

  std::vector<torch::jit::IValue> inputs;
  inputs.push_back(torch::ones({1, 1, 12, 12}).to(device));
  at::Tensor output = module.forward(inputs).toTensor();
  std::cout << output.slice(/*dim=*/1, /*start=*/0, /*end=*/5) << '\n';

  torch::Tensor probabilities = torch::softmax(output, /*dim=*/1);
  std::tuple<torch::Tensor, torch::Tensor> result = probabilities.topk(3, /*dim=*/1, /*largest=*/true, /*sorted=*/true);
  torch::Tensor values = std::get<0>(result).to(torch::kCPU), indices = std::get<1>(result).to(torch::kCPU);
  for (int i = 0; i < indices.size(1); i++)
    std::cout << "class " << indices[0][i].item<int>() << (values[0][i].item<float>() > 0.05f ? " likely" : " unlikely") << "\n";
  auto [best, where] = torch::max(output, 1, /*keepdim=*/false);
  std::cout << where.item().toInt() << " " << (best.item<double>() == output.max().item().toDouble()) << "\n";

  auto shared = std::make_shared<torch::jit::script::Module>(torch::jit::load(argv[1], torch::kCPU));
  shared->eval();
  std::cout << torch::allclose(shared->forward({torch::ones({1, 1, 12, 12})}).toTensor(), output) << "\n";
  at::Tensor again = (*shared)({torch::ones({1, 1, 12, 12})}).toTensor();
  std::cout << again.sizes() << " " << torch::toString(again.scalar_type()) << " " << again.dim() << " " << again.numel() << "\n";
  try {
    torch::jit::load("no_such_file.pt");
    std::cout << "loaded?\n";
  } catch (const c10::Error& e) {
    std::cout << "no file: " << (std::string(e.what()).empty() ? "no message" : "message") << "\n";
  }
  return 0;
}
