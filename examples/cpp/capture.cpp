// A function over Tensors becomes a graph: printed, saved, loaded, run. `capture FILE.mgraph [symbolic]`; the last line is the graph's hash.
#include <monograph/monograph.h>

#include <iostream>

using namespace monograph;

int main(int argc, char** argv) {
  if (argc < 2) return std::cerr << "usage: capture FILE.mgraph [symbolic]\n", 2;
  try {
    auto f = [](Tensor x, Tensor y) {
      Tensor h = softmax(silu(x) * 2 + y, 1);
      // A branch on a value, which the graph keeps.
      return cond((h * y).sum() > 10, [](const auto& v) { return std::vector{v[0]}; }, [](const auto& v) { return std::vector{v[0] + 10}; },
                  {h})[0];
    };
    Tensor x = tensor({{1., 2., 3.}, {4., 5., 6.}}), y = full({2, 3}, 0.5);
    Graph graph = capture(f, {x, y}, argc > 2 ? How::Symbolic : How::Trace);
    std::cout << graph.str();
    graph.save(argv[1]);
    for (double v : load_graph(argv[1])({x, y}).values()) std::cout << v << " ";
    std::cout << "\n";
    // A symbolic tensor has no sizes: asking is an error that says so.
    try {
      capture([](Tensor t) { return t.sizes().empty() ? t : -t; }, {x}, How::Symbolic);
    } catch (const RuntimeError& e) {
      std::cout << "refused: " << e.what() << "\n";
    }
    std::cout << graph.hash() << "\n";
  } catch (const std::exception& e) {
    return std::cerr << e.what() << "\n", 1;
  }
}
