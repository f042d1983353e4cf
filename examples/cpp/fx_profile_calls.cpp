// An interpreter that measures each call. It prints how often each operator ran, and with --times for how long: the times differ from run to run.
// examples/fx/profile_calls.py prints the same.
#include <monograph/fx.h>

#include <chrono>
#include <cstdio>
#include <cstring>

using namespace monograph;

namespace {

struct Line {
  int calls = 0;
  double milliseconds = 0;
};

class Profiler : public fx::Interpreter {
 public:
  using Interpreter::Interpreter;
  std::map<std::string, Line> lines;  // by operator

  fx::Argument run_node(const fx::Node& n) override {
    const auto begin = std::chrono::steady_clock::now();
    fx::Argument value = Interpreter::run_node(n);
    if (n.op() != "call_function") return value;
    std::string name = n.target().substr(n.target().find("::") + 2);
    Line& line = lines[name.substr(0, name.find('.'))];
    ++line.calls;
    line.milliseconds += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return value;
  }
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const bool times = argc > 1 && std::strcmp(argv[1], "--times") == 0;
    fx::Graph graph = fx::symbolic_trace([](Tensor x, Tensor w) {
      Tensor h = x;
      for (int layer = 0; layer < 3; ++layer) h = relu(h.mm(w)) + x;
      return softmax(h, 1);
    });
    Profiler profiler(graph);
    for (int run = 0; run < 5; ++run) profiler.run({ones({8, 8}), ones({8, 8}) / 8});
    for (const auto& [name, line] : profiler.lines) {
      std::printf("%-8s %3d calls", name.c_str(), line.calls);
      if (times) std::printf(" %8.3f ms", line.milliseconds);
      std::printf("\n");
    }
  } catch (const Exception& e) {
    return std::fprintf(stderr, "%s\n", e.what()), 1;
  }
}
