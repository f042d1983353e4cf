// Shapes, floating-point operations and bytes of each call, after ShapeProp ran the graph on an example. examples/fx/cost.py prints the same.
#include <monograph/fx.h>

#include <cstdio>

using namespace monograph;

namespace {

int64_t count(const fx::Node& n) {
  int64_t elements = 1;
  for (int64_t size : n.tensor_meta()->shape) elements *= size;
  return elements;
}

// A product counts as two operations for each element and term, anything else as one for each element.
int64_t flops(const fx::Node& n) {
  if (n.target() == "aten::conv2d") {
    const std::vector<int64_t>& weight = n.args().at(1).to_node().tensor_meta()->shape;
    return 2 * count(n) * weight[1] * weight[2] * weight[3];
  }
  if (n.target() == "aten::linear") return 2 * count(n) * n.args().at(1).to_node().tensor_meta()->shape[1];
  return n.target() == "aten::flatten.using_ints" ? 0 : count(n);
}

int64_t bytes(const fx::Node& n) {  // read and written, of float32
  int64_t elements = count(n);
  for (const fx::Node& input : n.all_input_nodes()) elements += count(input);
  return 4 * elements;
}

}  // namespace

int main() {
  try {
    fx::Graph graph = fx::symbolic_trace([](Tensor x, Tensor kernel, Tensor weight, Tensor bias) {
      return softmax(linear(relu(conv2d(x, kernel)).flatten(1), weight, bias), 1);
    });
    fx::ShapeProp(graph).propagate({ones({2, 3, 8, 8}), ones({4, 3, 3, 3}), ones({10, 144}), zeros({10})});
    int64_t all_flops = 0, all_bytes = 0;
    for (const fx::Node& n : graph.nodes()) {
      if (n.op() != "call_function") continue;
      std::string shape;
      for (int64_t size : n.tensor_meta()->shape) shape += (shape.empty() ? "" : ", ") + std::to_string(size);
      std::printf("%-8s [%-12s] %8lld FLOPs %7lld bytes\n", n.name().c_str(), shape.c_str(), static_cast<long long>(flops(n)),
                  static_cast<long long>(bytes(n)));
      all_flops += flops(n), all_bytes += bytes(n);
    }
    std::printf("in all %lld FLOPs, %lld bytes\n", static_cast<long long>(all_flops), static_cast<long long>(all_bytes));
  } catch (const Exception& e) {
    return std::fprintf(stderr, "%s\n", e.what()), 1;
  }
}
