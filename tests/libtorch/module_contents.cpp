// A program that looks through a module and changes it.
#include <torch/script.h>
#include <torch/torch.h>

#include <iostream>
#include <string>
#include <vector>

int main() {
  torch::manual_seed(1);
  torch::jit::script::Module encoder("Encoder");
  encoder.register_parameter("weight", torch::ones({2, 2}), false);
  encoder.register_buffer("running", torch::zeros({2}));
  encoder.define("def forward(self, x):\n  return torch.mm(x, self.weight) + self.running\n");
  torch::jit::Module net("Net");
  net.register_module("encoder", encoder);
  net.register_parameter("bias", torch::full({2}, 0.5), false);
  net.register_attribute("calls", c10::IntType::get(), 3);
  net.register_attribute("name", c10::StringType::get(), "net");
  net.register_attribute("factors", c10::ListType::ofFloats(), std::vector<double>{1.0, 2.0});
  net.define(R"(
def forward(self, x, scale: float = 1.0):
  return self.encoder.forward(x) * scale + self.bias
def count(self) -> int:
  self.calls = self.calls + 1
  return self.calls
)");

  for (const auto& p : net.named_parameters()) std::cout << p.name << " " << p.value.sizes() << " " << p.value.requires_grad() << "\n";
  for (const auto& p : net.named_parameters(/*recurse=*/false)) std::cout << "own " << p.name << "\n";
  for (const torch::jit::NameTensor& b : net.named_buffers())
    std::cout << "buffer " << b.name << " " << torch::toString(b.value.scalar_type()) << "\n";
  for (const auto& a : net.named_attributes(false)) std::cout << "attribute " << a.name << " " << a.value.tagKind() << "\n";
  for (const auto& c : net.named_children()) std::cout << "child " << c.name << "\n";
  for (const auto& m : net.named_modules()) std::cout << "module '" << m.name << "'\n";
  for (const auto& m : net.get_methods()) std::cout << "method " << m.name() << "\n";
  int64_t total = 0;
  for (const at::Tensor& p : net.parameters()) total += p.numel();
  std::cout << total << " " << net.parameters().size() << " " << net.buffers().size() << " " << net.children().size() << "\n";
  for (const auto& p : net.parameters()) p.requires_grad_(false);

  std::cout << net.attr("calls").toInt() << " " << net.attr("name").toStringRef() << " " << net.attr("factors").toDoubleVector().size()
            << " " << net.hasattr("calls") << net.hasattr("other") << " " << net.attr("other", 9).toInt() << "\n";
  net.setattr("calls", 10);
  net.setattr("bias", torch::zeros({2}));
  std::cout << net.run_method("count").toInt() << " " << net.attr("calls").toInt() << "\n";
  torch::jit::Module inner = net.attr("encoder").toModule();
  inner.attr("running").toTensor().add_(1);
  std::cout << net.forward({torch::ones({1, 2})}).toTensor() << "\n";
  std::cout << net.get_method("forward")({torch::ones({1, 2}), 2.0}).toTensor() << "\n";
  std::cout << net.get_method("forward")({torch::ones({1, 2})}, {{"scale", 3.0}}).toTensor() << "\n";

  torch::jit::Module copy = net.clone(), deep = net.deepcopy();
  {
    torch::NoGradGuard no_grad;
    for (const auto& p : copy.named_parameters())
      if (p.name == "encoder.weight") p.value.fill_(0);
  }
  std::cout << (copy.forward({torch::ones({1, 2})}).toTensor() == net.forward({torch::ones({1, 2})}).toTensor()).all().item<bool>() << "\n";
  net.to(torch::kDouble);
  std::cout << torch::toString(net.forward({torch::ones({1, 2}, torch::kDouble)}).toTensor().scalar_type()) << " "
            << torch::toString((*deep.parameters().begin()).scalar_type()) << "\n";
  net.to(torch::kCPU, torch::kFloat);
  net.to(torch::Device("cpu"), torch::kFloat32, false);
  copy.to(torch::kHalf);
  std::cout << torch::toString((*copy.parameters().begin()).scalar_type()) << "\n";
  net.eval();
  net.train();

  if (auto method = net.find_method("count")) std::cout << method->name() << " " << (*method)({}).toInt() << "\n";
  std::cout << net.find_method("nothing").has_value() << "\n";
  const torch::jit::Method method = net.get_method("forward");
  std::cout << method.num_inputs() << " " << method.function().getSchema().arguments().size() << " "
            << method.function().getSchema().arguments()[2].name() << "\n";
  std::cout << net.type()->name()->name() << "\n";
  at::Tensor buffer;
  for (const auto& item : net.named_buffers(true))
    if (item.name.find("running") != std::string::npos) buffer = item.value;
  std::cout << buffer.defined() << torch::Tensor().defined() << "\n";
  for (const auto& name : {"forward", "count"})
    if (!net.find_method(name)) return 1;
}
