// A training loop with autograd and SGD by hand: a network of two layers tells three arms of a spiral apart. The last line is its accuracy.
#include <monograph/monograph.h>

#include <cmath>
#include <iostream>

using namespace monograph;

namespace {

constexpr int64_t kArms = 3, kPerArm = 100, kHidden = 64;

// The points of the arms, and which arm each lies on.
struct Spiral {
  Tensor points, arms;
};
Spiral spiral() {
  std::vector<float> points;
  std::vector<int64_t> arms;
  Tensor noise = randn({kArms, kPerArm}, Generator(1)) * 0.1;
  for (int64_t arm = 0; arm < kArms; ++arm)
    for (int64_t k = 0; k < kPerArm; ++k) {
      const double radius = static_cast<double>(k) / kPerArm;
      const double angle = 4.0 * radius + 2.1 * static_cast<double>(arm) + noise[arm][k].item<double>();
      points.push_back(static_cast<float>(radius * std::sin(angle)));
      points.push_back(static_cast<float>(radius * std::cos(angle)));
      arms.push_back(arm);
    }
  return {tensor(points, {kArms * kPerArm, 2}), tensor(arms)};
}

// A layer of weights, as torch.nn.Linear makes one.
struct Linear {
  Tensor weight, bias;
  Linear(int64_t in, int64_t out, Generator& generator) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(in));
    weight = empty({out, in}).uniform_(-bound, bound, generator).requires_grad_();
    bias = empty({out}).uniform_(-bound, bound, generator).requires_grad_();
  }
  Tensor operator()(const Tensor& x) const { return linear(x, weight, bias); }
};

struct Network {
  Linear first, second;
  Tensor operator()(const Tensor& x) const { return second(relu(first(x))); }
  std::vector<Tensor> parameters() const { return {first.weight, first.bias, second.weight, second.bias}; }
};

// w = w - rate * (momentum * velocity + gradient)
class Sgd {
 public:
  Sgd(std::vector<Tensor> parameters, double rate, double momentum) : parameters_(std::move(parameters)), rate_(rate), momentum_(momentum) {
    for (const Tensor& p : parameters_) velocities_.push_back(zeros_like(p));
  }
  void step() {
    NoGradGuard no_grad;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      velocities_[i].mul_(momentum_).add_(parameters_[i].grad());
      parameters_[i].sub_(velocities_[i], rate_);
      parameters_[i].set_grad({});
    }
  }

 private:
  std::vector<Tensor> parameters_, velocities_;
  double rate_, momentum_;
};

double accuracy(const Network& network, const Spiral& data) {
  NoGradGuard no_grad;
  return (network(data.points).argmax(1) == data.arms).to(kFloat32).mean().item<double>();
}

}  // namespace

int main() {
  try {
    Spiral data = spiral();
    Generator generator(0);
    Linear first(2, kHidden, generator), second(kHidden, kArms, generator);
    Network network{first, second};
    Sgd sgd(network.parameters(), 0.5, 0.9);
    for (int epoch = 0; epoch < 300; ++epoch) {
      Tensor loss = cross_entropy_loss(network(data.points), data.arms);
      loss.backward();
      sgd.step();
      if (epoch % 100 == 0) std::cout << "epoch " << epoch << ": loss " << loss.item<float>() << "\n";
    }
    std::cout << "accuracy " << accuracy(network, data) << "\n";
    return accuracy(network, data) > 0.95 ? 0 : 1;
  } catch (const Exception& e) {
    return std::cerr << e.what() << "\n", 1;
  }
}
