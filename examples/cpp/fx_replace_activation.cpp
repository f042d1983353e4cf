// Replaces the activations of a network: first each node by itself, then by a pattern. examples/fx/replace_activation.py prints the same.
#include <monograph/fx.h>

#include <cstdio>

using namespace monograph;

namespace {

struct Network {
  Tensor weight_0 = arange(12).to(kFloat32).view({4, 3}) / 10 - 0.5, bias_0 = arange(4).to(kFloat32) / 4;
  Tensor weight_1 = arange(8).to(kFloat32).view({2, 4}) / 8 - 0.25, bias_1 = zeros({2});
  std::map<std::string, Tensor> named_parameters() const {
    return {{"weight_0", weight_0}, {"bias_0", bias_0}, {"weight_1", weight_1}, {"bias_1", bias_1}};
  }
  Tensor operator()(const Tensor& x) const { return relu(linear(relu(linear(x, weight_0, bias_0)), weight_1, bias_1)); }
};

// "add" of aten::add.Tensor
std::string operator_name(const fx::Node& n) {
  const std::string name = n.target().substr(n.target().find("::") + 2);
  return name.substr(0, name.find('.'));
}

void show(const char* title, const fx::Graph& graph, const Tensor& x) {
  std::printf("%s:", title);
  for (const fx::Node& n : graph.nodes())
    if (n.op() == "call_function") std::printf(" %s", operator_name(n).c_str());
  std::printf("\n ");
  for (double v : graph({x}).values()) std::printf(" %.4f", v);
  std::printf("\n");
}

}  // namespace

int main() {
  try {
    const Tensor x = tensor({{1., 2., 3.}, {-1., 0.5, 0.25}});
    fx::Graph graph = fx::symbolic_trace(Network());
    show("relu", graph, x);

    for (const fx::Node& n : graph.nodes())
      if (n.target() == "aten::relu") n.set_target("aten::gelu");
    graph.lint();
    show("gelu", graph, x);

    const auto places = fx::replace_pattern(graph, [](Tensor v) { return gelu(v); }, [](Tensor v) { return v * sigmoid(v * 1.702); });
    graph.lint();
    std::printf("%zu places\n", places.size());
    show("quick gelu", graph, x);
  } catch (const Exception& e) {
    return std::fprintf(stderr, "%s\n", e.what()), 1;
  }
}
