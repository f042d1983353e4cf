// A network as a C++ class, run and saved. (Its training is in examples/cpp/mnist.cpp.)
#include <torch/torch.h>

#include <iostream>
#include <vector>

struct BlockImpl : torch::nn::Module {
  BlockImpl(int64_t in, int64_t out, int64_t stride = 1)
      : conv(torch::nn::Conv2dOptions(in, out, 3).stride(stride).padding(1).bias(false)), norm(out) {
    register_module("conv", conv);
    register_module("norm", norm);
    if (in != out) {
      shortcut = torch::nn::Sequential(torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 1).stride(stride)), torch::nn::BatchNorm2d(out));
      register_module("shortcut", shortcut);
    }
  }
  torch::Tensor forward(torch::Tensor x) {
    auto y = torch::relu(norm(conv(x)));
    if (!shortcut.is_empty()) x = shortcut->forward(x);
    return y + x;
  }
  torch::nn::Conv2d conv;
  torch::nn::BatchNorm2d norm;
  torch::nn::Sequential shortcut{nullptr};
};
TORCH_MODULE(Block);

class Net : public torch::nn::Module {
 public:
  explicit Net(int64_t classes) {
    first = register_module("first", Block(1, 4));
    second = register_module("second", Block(4, 8, 2));
    drop = register_module("drop", torch::nn::Dropout(torch::nn::DropoutOptions(0.5)));
    head = register_module("head", torch::nn::Linear(torch::nn::LinearOptions(8, classes).bias(true)));
    scale = register_parameter("scale", torch::ones({1}));
    seen = register_buffer("seen", torch::zeros({1}, torch::kLong));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    auto y = second->forward(first->forward(x));
    y = torch::nn::functional::adaptive_avg_pool2d(y, torch::nn::functional::AdaptiveAvgPool2dFuncOptions(1));
    y = drop(torch::flatten(y, 1));
    return torch::log_softmax(head(y) * scale, /*dim=*/1);
  }

 private:
  Block first{nullptr}, second{nullptr};
  torch::nn::Dropout drop{nullptr};
  torch::nn::Linear head{nullptr};
  torch::Tensor scale, seen;
};

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  torch::manual_seed(0);
  auto net = std::make_shared<Net>(5);
  net->to(torch::kCPU);
  for (const auto& pair : net->named_parameters()) std::cout << pair.key() << " " << pair.value().sizes() << "\n";
  for (const auto& pair : net->named_buffers()) std::cout << pair.key() << "\n";
  net->eval();
  torch::NoGradGuard no_grad;
  auto x = torch::ones({2, 1, 8, 8});
  auto y = net->forward(x);
  std::cout << y.sizes() << " " << torch::allclose(y.exp().sum(1), torch::ones({2})) << "\n";
  torch::save(net, folder + "/network_class.pt");
  auto other = std::make_shared<Net>(5);
  torch::load(other, folder + "/network_class.pt");
  other->eval();
  std::cout << torch::equal(other->forward(x), y) << " " << net->parameters().size() << net->is_training() << "\n";
  net->train();
  net->zero_grad();
  {
    torch::AutoGradMode on(true);
    auto loss = torch::nn::functional::nll_loss(net->forward(x), torch::tensor({1, 2}));
    loss.backward();
  }
  int with_grad = 0;
  for (auto& p : net->parameters()) with_grad += p.grad().defined();
  std::cout << with_grad << "\n";

  torch::nn::Sequential mlp(torch::nn::Linear(4, 8), torch::nn::ReLU(), torch::nn::Linear(8, 2));
  std::cout << mlp->forward(torch::ones({3, 4})).sizes() << " " << mlp->size() << "\n";
  for (auto& p : mlp->parameters()) p.fill_(0.5);
  std::cout << mlp->forward(torch::ones({1, 4})) << "\n";
  torch::nn::LSTM lstm(torch::nn::LSTMOptions(3, 5).num_layers(2).batch_first(true));
  auto out = lstm->forward(torch::ones({2, 4, 3}));
  std::cout << std::get<0>(out).sizes() << std::get<0>(std::get<1>(out)).sizes() << "\n";
  torch::nn::Embedding table(10, 3);
  std::cout << table(torch::tensor({1, 2, 3})).sizes() << table->weight.sizes() << "\n";
  torch::nn::init::xavier_uniform_(table->weight);
  torch::nn::init::constant_(table->weight, 0.25);
  std::cout << table->weight.sum().item<float>() << "\n";
}
