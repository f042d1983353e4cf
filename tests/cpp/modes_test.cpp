// A graph in a file that reads the mode of its modules: Graph::train and Graph::eval choose.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/generator.h"  // the library's own, beside that of the public API
#include "formats/mgraph.h"
#include "ir/text.h"
#include "monograph/monograph.h"

using namespace monograph;

namespace {

// x + 1 in training, and x in evaluation.
std::string saved(const char* name, const char* condition) {
  const std::string text = concat(R"(monograph 1
symbol s0
graph forward[level=operator](%x : Float(s0)):
  %training : bool = )",
                                  condition, R"(
  %y : Tensor = prim::If(%training)
    block0():
      %more : Tensor = aten::add.Scalar(%x, 1)
      -> (%more)
    block1():
      -> (%x)
  return (%y)
class __torch__.Net(Module):
  module "drop"
class __torch__.Drop(Module):
module m0 : __torch__.Net[training=False]:
  "drop" = m1
module m1 : __torch__.Drop[training=False]:
root m0
)");
  const std::string path = std::filesystem::temp_directory_path() / name;
  save_mgraph(*ir::parse_unit(text), path);
  return path;
}

TEST(Modes, ALoadedGraphChangesItsModeBackAndForth) {
  const std::string path = saved("modes_test.mgraph", R"(get_attr["drop.training"]())");
  const api::Graph graph = api::load_graph(path);
  const api::Tensor x = api::tensor({1., 2.});
  EXPECT_EQ(graph({x}).values(), (std::vector<double>{1, 2}));
  graph.train();
  EXPECT_EQ(graph({x}).values(), (std::vector<double>{2, 3}));
  graph.eval();
  EXPECT_EQ(graph({x}).values(), (std::vector<double>{1, 2}));
  std::filesystem::remove(path);
}

TEST(Modes, AGraphThatReadsNoneSaysSo) {
  const std::string path = saved("no_modes_test.mgraph", "prim::Constant(True)");
  const api::Graph graph = api::load_graph(path);
  try {
    graph.eval();
    FAIL() << "eval() of a graph without modes";
  } catch (const api::RuntimeError& e) {
    EXPECT_NE(std::string(e.what()).find("reads the mode of no module"), std::string::npos) << e.what();
  }
  std::filesystem::remove(path);
}

}  // namespace
