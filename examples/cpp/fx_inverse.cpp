// Writes the inverse of a function: reads its calls from the last to the first, and makes the inverse of each. examples/fx/inverse.py prints the same.
#include <monograph/fx.h>

#include <cstdio>
#include <utility>

using namespace monograph;

namespace {

const std::map<std::string, std::string> kInverses = {{"add", "sub"}, {"sub", "add"}, {"mul", "div"}, {"div", "mul"},
                                                      {"exp", "log"}, {"log", "exp"}, {"neg", "neg"}};

std::string operator_name(const fx::Node& n) {
  const std::string name = n.target().substr(n.target().find("::") + 2);
  return name.substr(0, name.find('.'));
}

// A chain of calls, each of the value before it and of numbers.
fx::Graph invert(const fx::Graph& graph) {
  fx::Graph inverse;
  fx::Node value = inverse.placeholder("y");
  for (fx::Node n = graph.output_node().args().at(0).to_node(); n.op() != "placeholder"; n = n.args().at(0).to_node()) {
    auto found = kInverses.find(operator_name(n));
    if (found == kInverses.end()) throw NotImplementedError(operator_name(n) + " has no inverse");
    fx::Arguments args = n.args();
    args[0] = value;
    value = inverse.call_function("aten::" + found->second, args);
  }
  inverse.output(value);
  inverse.lint();
  return inverse;
}

void show(const char* title, const fx::Graph& graph) {
  std::printf("%s:", title);
  for (const fx::Node& n : graph.nodes())
    if (n.op() == "call_function") std::printf(" %s", operator_name(n).c_str());
  std::printf("\n");
}

}  // namespace

int main() {
  try {
    fx::Graph graph = fx::symbolic_trace([](Tensor x) { return -(exp(x * 2 + 1) - 3) / 4; });
    fx::Graph inverse = invert(graph);
    show("function", graph);
    show("inverse", inverse);
    const Tensor x = tensor({0.5, -1., 0.25});
    const char* gap = "";
    for (double v : inverse({graph({x})}).values()) std::printf("%s%.4f", std::exchange(gap, " "), v);
    std::printf("\n");
    try {
      invert(fx::symbolic_trace([](Tensor v) { return relu(v); }));
    } catch (const NotImplementedError& e) {
      std::printf("%s\n", e.what());
    }
  } catch (const Exception& e) {
    return std::fprintf(stderr, "%s\n", e.what()), 1;
  }
}
