// Modules that are classes of C++, as libtorch's users write them: what is registered, modes, conversions, training steps, files.
#include "monograph/nn_module.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "monograph/torch.h"
#include "test_files.h"

namespace {

struct Mlp : torch::nn::Module {
  Mlp(int64_t in, int64_t hidden) {
    fc1 = register_module("fc1", torch::nn::Linear(in, hidden));
    norm = register_module("norm", torch::nn::BatchNorm1d(torch::nn::BatchNorm1dOptions(hidden).momentum(0.5)));
    drop = register_module("drop", torch::nn::Dropout(0.5));
    scale = register_parameter("scale", torch::ones({hidden}));
    shift = register_buffer("shift", torch::zeros({hidden}));
  }
  torch::Tensor forward(torch::Tensor x) { return drop(norm(torch::relu(fc1->forward(x)))) * scale + shift; }
  torch::nn::Linear fc1{nullptr};
  torch::nn::BatchNorm1d norm{nullptr};
  torch::nn::Dropout drop{nullptr};
  torch::Tensor scale, shift;
};

struct Two : torch::nn::Module {
  Two() { first = register_module("first", std::make_shared<Mlp>(3, 4)), second = register_module("second", torch::nn::Linear(4, 2)); }
  torch::Tensor forward(const torch::Tensor& x) { return second(first->forward(x)); }
  std::shared_ptr<Mlp> first;
  torch::nn::Linear second{nullptr};
};

struct PairImpl : torch::nn::Module {
  explicit PairImpl(int64_t width) : fc(register_module("fc", torch::nn::Linear(width, width))) {}
  torch::Tensor forward(const torch::Tensor& x) { return fc(x); }
  torch::nn::Linear fc;
};
TORCH_MODULE(Pair);
struct Holds : torch::nn::Module {
  Pair pair = register_module("pair", Pair(3));
};

TEST(NnModule, TensorsHaveTheNamesOfTheirPlaces) {
  Two net;
  const std::vector<std::string> parameters{"first.scale",     "first.fc1.weight", "first.fc1.bias", "first.norm.weight",
                                            "first.norm.bias", "second.weight",    "second.bias"};
  EXPECT_EQ(net.named_parameters().keys(), parameters);
  const std::vector<std::string> buffers{"first.shift", "first.norm.running_mean", "first.norm.running_var",
                                         "first.norm.num_batches_tracked"};
  EXPECT_EQ(net.named_buffers().keys(), buffers);
  EXPECT_EQ(net.parameters().size(), parameters.size());
  EXPECT_TRUE(net.named_parameters(false).is_empty());
  EXPECT_TRUE(net.named_parameters().contains("second.bias"));
  EXPECT_THROW(net.named_parameters()["third.bias"], torch::Exception);
  EXPECT_EQ(Holds().named_parameters().keys(), (std::vector<std::string>{"pair.fc.weight", "pair.fc.bias"}));
  // The layer's own tensors are the registered ones.
  {
    torch::NoGradGuard no_grad;
    net.second->weight.fill_(2);
  }
  EXPECT_EQ(net.named_parameters()["second.weight"].sum().item<double>(), 16);
}

TEST(NnModule, ANameIsTakenOnce) {
  Two net;
  EXPECT_THROW(net.register_module("second", torch::nn::ReLU()), torch::Exception);
  EXPECT_THROW(net.register_parameter("a.b", torch::ones({1})), torch::Exception);
  EXPECT_THROW(net.register_buffer("", torch::ones({1})), torch::Exception);
  EXPECT_THROW(Pair(nullptr)->forward(torch::ones({3})), torch::Exception);
  EXPECT_FALSE(torch::nn::Linear(nullptr));
  EXPECT_THROW(torch::nn::Linear(nullptr)(torch::ones({3})), torch::Exception);
}

TEST(NnModule, TheModeReachesAllLayers) {
  torch::manual_seed(3);
  Two net;
  const torch::Tensor x = torch::randn({8, 3});
  EXPECT_TRUE(net.is_training());
  EXPECT_FALSE(torch::equal(net.forward(x), net.forward(x)));  // dropout
  net.eval();
  EXPECT_FALSE(net.first->is_training());
  EXPECT_TRUE(torch::equal(net.forward(x), net.forward(x)));
  const torch::Tensor seen = net.named_buffers()["first.norm.num_batches_tracked"];
  EXPECT_EQ(seen.item<int64_t>(), 2);
  net.train();
  net.forward(x);
  EXPECT_EQ(net.named_buffers()["first.norm.num_batches_tracked"].item<int64_t>(), 3);
}

TEST(NnModule, ConversionsKeepTheTensors) {
  Two net;
  net.to(torch::kFloat64);
  for (const auto& item : net.named_parameters()) EXPECT_EQ(item.value().dtype(), torch::kFloat64) << item.key();
  EXPECT_EQ(net.named_buffers()["first.norm.num_batches_tracked"].dtype(), torch::kInt64);
  EXPECT_EQ(net.first->scale.dtype(), torch::kFloat64);
  net.eval();
  EXPECT_EQ(net.forward(torch::ones({2, 3}, torch::kFloat64)).dtype(), torch::kFloat64);
}

TEST(NnModule, AStepChangesTheOutput) {
  torch::manual_seed(5);
  Two net;
  net.eval();
  const torch::Tensor x = torch::randn({4, 3});
  const torch::Tensor before = net.forward(x).detach();
  net.forward(x).pow(2).sum().backward();
  for (const auto& item : net.named_parameters()) EXPECT_TRUE(item.value().grad().defined()) << item.key();
  {
    torch::NoGradGuard no_grad;
    for (const torch::Tensor& p : net.parameters()) p.sub_(p.grad(), 0.1);
  }
  EXPECT_FALSE(torch::equal(net.forward(x), before));
  net.zero_grad(false);
  EXPECT_EQ(net.parameters()[0].grad().abs().sum().item<double>(), 0);
  net.zero_grad();
  EXPECT_FALSE(net.parameters()[0].grad().defined());
}

class NnModuleFiles : public monograph::test::FolderTest {};

TEST_F(NnModuleFiles, AFileHoldsTheTensors) {
  torch::manual_seed(7);
  auto net = std::make_shared<Two>();
  net->eval();
  const torch::Tensor x = torch::randn({4, 3});
  const std::string path = folder / "net.pt";
  torch::save(net, path);
  auto again = std::make_shared<Two>();
  again->eval();
  EXPECT_FALSE(torch::equal(again->forward(x), net->forward(x)));
  torch::load(again, path);
  EXPECT_TRUE(torch::equal(again->forward(x), net->forward(x)));
  auto other = std::make_shared<Mlp>(3, 4);
  EXPECT_THROW(torch::load(other, path), torch::Exception);  // it has no "scale"
  EXPECT_THROW(torch::load(again, path + ".none"), torch::Exception);
}

TEST(NnModule, FunctionsOfNnFunctional) {
  namespace F = torch::nn::functional;
  const torch::Tensor x = torch::randn({4, 6});
  EXPECT_TRUE(torch::equal(F::relu(x), torch::relu(x)));
  EXPECT_TRUE(torch::equal(F::log_softmax(x, 1), torch::log_softmax(x, 1)));
  EXPECT_TRUE(torch::equal(F::dropout(x, 0.5, false), x));
  EXPECT_EQ(F::max_pool2d(torch::ones({1, 1, 4, 4}), 2).sizes(), (std::vector<int64_t>{1, 1, 2, 2}));
  const torch::Tensor target = torch::tensor({1, 0, 5, 2});
  EXPECT_TRUE(torch::allclose(F::cross_entropy(x, target), F::nll_loss(F::log_softmax(x, 1), target)));
}

}  // namespace
