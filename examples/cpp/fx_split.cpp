// Splits a graph into parts that run one after another, as a pipeline over several machines needs them. examples/fx/split.py prints the same.
#include <monograph/fx.h>

#include <cstdio>
#include <functional>
#include <utility>

using namespace monograph;

namespace {

// A part: its graph, and the nodes of the whole that it takes and gives.
struct Part {
  fx::Graph graph;
  std::vector<fx::Node> takes, gives;
};

// The parts of a graph without branches and loops. `part_of` says for each call in which part it is; no part uses what a later one gives.
std::vector<Part> split(const fx::Graph& graph, const std::function<size_t(const fx::Node&)>& part_of) {
  std::map<fx::Node, size_t> parts;
  size_t count = 0;
  for (const fx::Node& n : graph.nodes())
    if (n.op() == "call_function") count = std::max(count, (parts[n] = part_of(n)) + 1);
  std::vector<Part> out(count);
  std::vector<std::map<fx::Node, fx::Node>> here(count);  // what stands for a node of the whole
  for (const auto& [n, p] : parts) {
    Part& part = out[p];
    // A node of an earlier part, or an input of the whole, is an input of this part.
    for (const fx::Node& used : n.all_input_nodes()) {
      if (here[p].contains(used)) continue;
      here[p][used] = part.graph.placeholder(used.name());
      part.takes.push_back(used);
    }
    fx::Arguments args = n.args();
    for (fx::Argument& a : args)
      if (a.is_node()) a = here[p].at(a.to_node());
    here[p][n] = part.graph.call_function(n.target(), args, n.kwargs());
    bool leaves = false;
    for (const fx::Node& user : n.users()) leaves |= user.op() == "output" || parts.at(user) != p;
    if (leaves) part.gives.push_back(n);
  }
  for (size_t p = 0; p < count; ++p) {
    std::vector<fx::Argument> results;
    for (const fx::Node& n : out[p].gives) results.emplace_back(here[p].at(n));
    out[p].graph.output(fx::Argument::tuple(results));
    out[p].graph.lint();
  }
  return out;
}

std::string names(const std::vector<fx::Node>& nodes) {
  std::string out;
  for (const fx::Node& n : nodes) out += " " + n.name();
  return out;
}

}  // namespace

int main() {
  try {
    const auto f = [](Tensor x0, Tensor x1) {
      Tensor a = relu(x0 + x1), b = tanh(a * 2);
      return sigmoid(b + a) - x1;
    };
    fx::Graph graph = fx::symbolic_trace(f);
    // Two calls a part, in order.
    size_t seen = 0;
    std::vector<Part> parts = split(graph, [&](const fx::Node&) { return seen++ / 2; });
    const Tensor x = tensor({0.5, -1., 0.25}), y = tensor({1., 0.5, -2.});
    std::map<fx::Node, Tensor> values{{graph.nodes().at(0), x}, {graph.nodes().at(1), y}};
    Tensor last;
    for (size_t p = 0; p < parts.size(); ++p) {
      std::vector<Tensor> inputs;
      for (const fx::Node& n : parts[p].takes) inputs.push_back(values.at(n));
      std::vector<Tensor> results = parts[p].graph.run(inputs);
      for (size_t k = 0; k < results.size(); ++k) values[parts[p].gives[k]] = last = results[k];
      std::vector<fx::Node> calls = parts[p].graph.find_nodes("call_function");
      std::printf("part %zu takes%s, calls%s, gives%s\n", p, names(parts[p].takes).c_str(), names(calls).c_str(),
                  names(parts[p].gives).c_str());
    }
    const char* gap = "";
    for (double v : last.values()) std::printf("%s%.4f", std::exchange(gap, " "), v);
    std::printf("\nequal to the whole: %s\n", last.values() == f(x, y).values() ? "yes" : "no");
  } catch (const Exception& e) {
    return std::fprintf(stderr, "%s\n", e.what()), 1;
  }
}
