// The network of PyTorch's C++ tutorial for handwritten digits, as libtorch's users write one: a class with layers that are registered, and a forward. It learns
// to tell three kinds of drawn digits apart, is saved, and is loaded into a second network. Only the include differs from libtorch.
#include <monograph/torch.h>

#include <cstdio>
#include <iostream>
#include <string>

namespace {

struct Net : torch::nn::Module {
  Net() : conv1(torch::nn::Conv2dOptions(1, 10, /*kernel_size=*/5)), conv2(torch::nn::Conv2dOptions(10, 20, /*kernel_size=*/5)) {
    register_module("conv1", conv1);
    register_module("conv2", conv2);
    register_module("conv2_drop", conv2_drop);
    fc1 = register_module("fc1", torch::nn::Linear(320, 50));
    fc2 = register_module("fc2", torch::nn::Linear(50, 10));
  }

  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(torch::max_pool2d(conv1->forward(x), 2));
    x = torch::relu(torch::max_pool2d(conv2_drop->forward(conv2->forward(x)), 2));
    x = x.view({-1, 320});
    x = torch::relu(fc1->forward(x));
    x = torch::nn::functional::dropout(x, 0.25, is_training());
    return torch::log_softmax(fc2->forward(x), 1);
  }

  torch::nn::Conv2d conv1, conv2;
  torch::nn::Dropout2d conv2_drop;
  torch::nn::Linear fc1{nullptr}, fc2{nullptr};
};

// Pictures of 28 by 28: a bar upright (1), a bar across (0), or both (4), at a random place, with noise.
struct Batch {
  torch::Tensor data, target;
};
Batch draw(int64_t count) {
  torch::Tensor data = torch::rand({count, 1, 28, 28}) * 0.3;
  torch::Tensor kinds = torch::randint(3, {count}, torch::kLong);
  torch::Tensor places = torch::randint(6, 22, {count, 2}, torch::kLong);
  torch::Tensor target = torch::zeros({count}, torch::kLong);
  for (int64_t k = 0; k < count; ++k) {
    const int64_t kind = kinds[k].item<int64_t>(), row = places[k][0].item<int64_t>(), column = places[k][1].item<int64_t>();
    if (kind != 0) data[k][0].select(1, column).fill_(1);
    if (kind != 1) data[k][0].select(0, row).fill_(1);
    target[k].fill_(kind == 0 ? 0 : kind == 1 ? 1 : 4);
  }
  return {(data - 0.2) / 0.3, target};
}

double accuracy(const std::shared_ptr<Net>& net, const Batch& batch) {
  torch::NoGradGuard no_grad;
  net->eval();
  const torch::Tensor guessed = net->forward(batch.data).argmax(1);
  net->train();
  return guessed.eq(batch.target).sum().item<double>() / static_cast<double>(batch.target.size(0));
}

}  // namespace

int main() {
  try {
    torch::manual_seed(1);
    auto net = std::make_shared<Net>();
    net->to(torch::kCPU);
    net->train();
    for (const auto& pair : net->named_parameters()) std::cout << pair.key() << " " << pair.value().sizes() << "\n";

    std::vector<torch::Tensor> steps;
    for (const torch::Tensor& p : net->parameters()) steps.push_back(torch::zeros_like(p));
    for (int step = 0; step < 200; ++step) {
      const Batch batch = draw(32);
      net->zero_grad();
      torch::Tensor loss = torch::nll_loss(net->forward(batch.data), batch.target);
      loss.backward();
      torch::NoGradGuard no_grad;  // SGD with momentum
      const std::vector<torch::Tensor> parameters = net->parameters();
      for (size_t k = 0; k < parameters.size(); ++k) {
        steps[k].mul_(0.9).add_(parameters[k].grad());
        parameters[k].sub_(steps[k], 0.01);
      }
      if (step % 50 == 0) std::cout << "step " << step << ": loss " << loss.item<float>() << "\n";
    }

    const Batch test = draw(100);
    const double right = accuracy(net, test);
    const std::string file = "mnist_net.pt";
    torch::save(net, file);
    auto again = std::make_shared<Net>();
    torch::load(again, file);
    std::remove(file.c_str());
    std::cout << "right: " << right << ", of the network that was loaded: " << accuracy(again, test) << "\n";
    return right > 0.9 && accuracy(again, test) == right ? 0 : 1;
  } catch (const c10::Error& e) {
    return std::cerr << e.what() << "\n", 1;
  }
}
