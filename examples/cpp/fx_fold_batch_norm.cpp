// Folds each batch norm of an evaluated network into the convolution before it. examples/fx/fold_batch_norm.py prints the same.
#include <monograph/fx.h>

#include <cstdio>

using namespace monograph;

namespace {

struct Network {
  Tensor weight = arange(54).to(kFloat32).view({3, 2, 3, 3}) / 27 - 1, bias = arange(3).to(kFloat32);
  Tensor gamma = arange(3).to(kFloat32) + 0.5, beta = arange(3).to(kFloat32) - 1, mean = arange(3).to(kFloat32) / 2,
         var = arange(3).to(kFloat32) + 1;
  std::map<std::string, Tensor> named_parameters() const {
    return {{"weight", weight}, {"bias", bias}, {"gamma", gamma}, {"beta", beta}, {"mean", mean}, {"var", var}};
  }
  Tensor operator()(const Tensor& x) const {
    return relu(batch_norm(conv2d(x, weight, bias), gamma, beta, mean, var, false, 0.1, 1e-5, true));
  }
};

// The attribute that an argument of a node reads.
std::string path(const fx::Node& n, size_t argument) { return n.args().at(argument).to_node().target(); }

size_t fold(fx::Graph& graph) {
  size_t folded = 0;
  for (const fx::Node& norm : graph.find_nodes("call_function", "aten::batch_norm")) {
    const fx::Node conv = norm.args().at(0).to_node();
    const bool trains = norm.args().at(5).to_bool();
    if (conv.target() != "aten::conv2d" || conv.users().size() != 1 || trains) continue;
    const double eps = norm.args().at(7).to_double();
    const Tensor scale = graph.attribute(path(norm, 1)) / sqrt(graph.attribute(path(norm, 4)) + eps);
    const std::string weight = path(conv, 1), bias = path(conv, 2);
    graph.set_attribute(weight, graph.attribute(weight) * scale.view({-1, 1, 1, 1}));
    graph.set_attribute(bias, (graph.attribute(bias) - graph.attribute(path(norm, 3))) * scale + graph.attribute(path(norm, 2)));
    norm.replace_all_uses_with(conv);
    graph.erase_node(norm);
    ++folded;
  }
  graph.eliminate_dead_code();
  graph.lint();
  return folded;
}

void show(const char* title, const fx::Graph& graph) {
  std::printf("%s:", title);
  for (const fx::Node& n : graph.nodes()) std::printf(" %s", n.name().c_str());
  std::printf("\n");
}

}  // namespace

int main() {
  try {
    const Tensor x = arange(64).to(kFloat32).view({1, 2, 4, 8}) / 32;
    fx::Graph graph = fx::symbolic_trace(Network());
    const Tensor before = graph({x});
    show("before", graph);
    std::printf("%zu folded\n", fold(graph));
    show("after", graph);
    const Tensor after = graph({x});
    std::printf("largest difference below 0.0001: %s\n", (after - before).abs().max().item<double>() < 1e-4 ? "yes" : "no");
    std::printf("sum %.3f\n", before.sum().item<double>());
  } catch (const Exception& e) {
    return std::fprintf(stderr, "%s\n", e.what()), 1;
  }
}
