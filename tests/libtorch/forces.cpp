// A potential of a physics program: forces are gradients of the energy that a module gives.
#include <torch/script.h>
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <vector>

int main() {
  torch::set_default_dtype(caffe2::TypeMeta::fromScalarType(torch::kFloat64));
  torch::jit::Module model("Potential");
  model.register_parameter("depth", torch::tensor(2.0), false);
  model.register_attribute("cutoff", c10::FloatType::get(), 3.5);
  model.define(R"(
def get_cutoff(self) -> float:
  return self.cutoff
def forward(self, data: Dict[str, Tensor]) -> Dict[str, Tensor]:
  pos = data["pos"]
  d = (pos.unsqueeze(0) - pos.unsqueeze(1)).pow(2).sum(-1) + torch.eye(pos.size(0), dtype=pos.dtype)
  return {"total_energy": (self.depth * torch.exp(-d)).sum(), "species": data["species"] + 1}
)");
  std::vector<torch::jit::IValue> stack;
  const double cutoff = model.get_method("get_cutoff")(stack).toDouble();
  int nlocal = 4;
  torch::Tensor pos_tensor = torch::zeros({nlocal, 3});
  torch::Tensor tag2type_tensor = torch::zeros({nlocal}, torch::TensorOptions().dtype(torch::kInt64));
  auto pos = pos_tensor.accessor<double, 2>();
  auto tag2type = tag2type_tensor.accessor<int64_t, 1>();
  long edges[2 * 6];
  int edge_counter = 0;
  for (int i = 0; i < nlocal; i++) {
    tag2type[i] = i % 2;
    for (int j = 0; j < 3; j++) pos[i][j] = std::sin(i * 3.0 + j);
    for (int j = 0; j < i; j++) {
      edges[2 * edge_counter] = i;
      edges[2 * edge_counter + 1] = j;
      edge_counter++;
    }
  }
  torch::Tensor edges_tensor = torch::zeros({2, edge_counter}, torch::TensorOptions().dtype(torch::kInt64));
  auto new_edges = edges_tensor.accessor<int64_t, 2>();
  for (int i = 0; i < edge_counter; i++) {
    new_edges[0][i] = edges[2 * i];
    new_edges[1][i] = edges[2 * i + 1];
  }
  pos_tensor.requires_grad_(true);
  torch::Device device = torch::kCPU;
  c10::Dict<std::string, torch::Tensor> input;
  input.insert("pos", pos_tensor.to(device));
  input.insert("edge_index", edges_tensor.to(device));
  input.insert("species", tag2type_tensor.to(device));
  std::vector<torch::IValue> input_vector(1, input);
  auto output = model.forward(input_vector).toGenericDict();
  torch::Tensor energy = output.at("total_energy").toTensor().cpu();
  energy.backward();
  torch::Tensor forces = -pos_tensor.grad();
  std::cout << "cutoff " << cutoff << "\n" << forces << "\n" << (energy.item<double>() > 0) << "\n";

  auto loss = (pos_tensor * pos_tensor).sum();
  auto grads = torch::autograd::grad({loss}, {pos_tensor}, {}, /*retain_graph=*/c10::nullopt, /*create_graph=*/true);
  auto second = torch::autograd::grad({grads[0].sum()}, {pos_tensor});
  std::cout << second[0][0] << "\n";

  std::vector<double> arg_vals{0.5, -1.5, 2.0};
  int num_args = 3;
  torch::Tensor args = torch::from_blob(arg_vals.data(), num_args, torch::TensorOptions().dtype(torch::kFloat64).requires_grad(true));
  auto outputs = torch::stack({args.pow(2).sum(), args.prod()});
  for (int i = 0; i < 2; i++) {
    if (i > 0) args.mutable_grad().zero_();
    outputs[i].backward({}, /*retain_graph=*/true, false);
    for (int j = 0; j < num_args; j++) std::cout << args.grad()[j].item<double>() << " ";
  }
  std::cout << "\n";
  torch::Tensor single_input = torch::tensor(std::vector<float>(4, 1.0f)).view({1, 4});
  std::cout << torch::toString(single_input.scalar_type()) << " " << torch::toString(torch::zeros({2}).scalar_type()) << "\n";
  {
    torch::AutoGradMode enable(false);
    std::cout << (pos_tensor * 2).requires_grad() << torch::GradMode::is_enabled() << "\n";
  }
  auto kept = pos_tensor.detach().clone();
  kept.set_requires_grad(true);
  kept.sum().backward();
  std::cout << kept.is_leaf() << kept.grad().defined() << " " << kept.grad().norm().item<double>() << "\n";
  kept.mutable_grad() = torch::Tensor();
  std::cout << kept.grad().defined() << "\n";
}
