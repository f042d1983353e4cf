// Replaces an operator in an archive of torch.jit.save, If and Loop bodies included: `script_edit MODEL.pt EDITED.pt`. examples/script/demo.py does the same in
// Python.
#include <monograph/script.h>

#include <iostream>

using namespace monograph;

int main(int argc, char** argv) {
  if (argc < 3) return std::cerr << "usage: script_edit MODEL.pt EDITED.pt\n", 2;
  try {
    const jit::Module module = jit::load(argv[1]);
    module.eval();
    const jit::Graph graph = module.get_method("forward").graph();
    int replaced = 0;
    for (const jit::Node& relu : graph.findAllNodes("aten::relu")) {
      const jit::Node gelu = graph.create("aten::gelu", {relu.input(0)});
      gelu.insertBefore(relu);
      relu.output().replaceAllUsesWith(gelu.output());
      relu.destroy();
      ++replaced;
    }
    graph.lint();
    module.save(argv[2]);
    const jit::Graph saved = jit::load(argv[2]).get_method("forward").graph();
    std::cout << replaced << " calls of relu were replaced; the file has " << saved.findAllNodes("aten::gelu").size() << " of gelu and "
              << saved.findAllNodes("aten::relu").size() << " of relu\n";
    return replaced > 0 && saved.findAllNodes("aten::relu").empty() ? 0 : 1;
  } catch (const Exception& e) {
    return std::cerr << e.what() << "\n", 1;
  }
}
