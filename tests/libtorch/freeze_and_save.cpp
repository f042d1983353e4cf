// Preparing a module for a product: eval, freeze, save, load from files and from memory.
#include <torch/script.h>
#include <torch/torch.h>

#include <fstream>
#include <iostream>
#include <sstream>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  torch::jit::script::ExtraFilesMap extra{{"labels.txt", ""}, {"nothing.txt", "as it was"}};
  torch::jit::Module module = torch::jit::load(argv[1], c10::kCPU, extra);
  module.eval();
  auto x = torch::linspace(-1, 1, 144).view({1, 1, 12, 12});
  c10::InferenceMode guard;
  at::Tensor expected = module.forward({x}).toTensor();
  std::cout << extra["nothing.txt"] << "\n";

  torch::jit::Module frozen = torch::jit::freeze(module);
  std::cout << torch::allclose(frozen.forward({x}).toTensor(), expected, 1e-4, 1e-5) << " " << frozen.parameters().size() << "\n";
  auto fast = torch::jit::optimize_for_inference(module);
  std::cout << torch::allclose(fast.forward({x}).toTensor(), expected, 1e-4, 1e-5) << "\n";
  auto kept = torch::jit::freeze(module, std::vector<std::string>{"training"}, /*optimize_numerics=*/true);
  std::cout << kept.hasattr("training") << "\n";

  std::stringstream stream(std::ios_base::binary | std::ios_base::in | std::ios_base::out);
  torch::jit::ExtraFilesMap files;
  files["labels.txt"] = "zero,one,two";
  module.save(stream, files);
  stream.seekg(0);
  torch::jit::ExtraFilesMap read{{"labels.txt", ""}};
  auto again = torch::jit::load(stream, torch::kCPU, read);
  std::cout << read["labels.txt"] << " " << torch::equal(again.forward({x}).toTensor(), expected) << "\n";

  const std::string path = argc > 2 ? argv[2] : "freeze_and_save.pt";
  frozen.save(path);
  std::ifstream file(path, std::ios::binary);
  std::cout << file.good() << " ";
  auto third = torch::jit::load(file);
  std::cout << torch::allclose(third.forward({x}).toTensor(), expected, 1e-4, 1e-5) << "\n";
  try {
    std::istringstream broken("PK this is no archive");
    torch::jit::load(broken);
  } catch (const c10::Error& e) {
    std::cout << "no archive\n";
  }
  try {
    module.forward({torch::ones({2, 3})});
  } catch (const std::exception& e) {
    std::cout << "wrong input\n";
  }
  try {
    module.get_method("backward_pass");
  } catch (const c10::Error& e) {
    std::cout << "no such method\n";
  }
  try {
    module.attr("nothing");
  } catch (const std::exception& e) {
    std::cout << "no such attribute\n";
  }
  for (const auto& method : module.get_methods()) std::cout << method.name() << ";";
  std::cout << "\n";
}
