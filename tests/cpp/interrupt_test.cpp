// Ctrl-C while a pass works on a large graph: the pass ends, what it has begun is dropped, and the graph is as it was.
#include "core/interrupt.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "exec/interpreter.h"
#include "ir/text.h"
#include "ir_ops.h"
#include "passes/canonical.h"
#include "passes/cse.h"
#include "passes/dce.h"
#include "passes/dependences.h"

namespace monograph {
namespace {

struct Interrupted {};

void interrupt(AtInterrupt may) {
  EXPECT_EQ(may, AtInterrupt::OnlyLook);
  throw Interrupted();
}

std::unique_ptr<ir::Graph> long_graph(int nodes) {
  std::string text = "graph(%x : Tensor):\n  %v0 : Tensor = aten::relu(%x)\n";
  for (int k = 1; k < nodes; ++k) text += concat("  %v", k, " : Tensor = aten::relu(%v", k - 1, ")\n");
  return ir::parse_graph(text + concat("  return (%v", nodes - 1, ")\n"));
}

// The clock is asked every 64 nodes, and it asks the check every 50 ms: so often the work is done again until it is asked.
template <class Work>
bool is_interrupted(const Work& work) {
  constexpr int kMost = 100'000;
  set_interrupt_check(interrupt);
  bool ended = false;
  for (int k = 0; k < kMost && !ended; ++k) try {
      work();
    } catch (const Interrupted&) {
      ended = true;
    }
  set_interrupt_check(nullptr);
  return ended;
}

TEST(Interrupt, EndsAPassOverALargeGraph) {
  const auto g = long_graph(5000);
  const std::string text = ir::to_text(*g), hash = passes::hash(*g);
  EXPECT_TRUE(is_interrupted([&] { passes::hash(*g); }));
  EXPECT_TRUE(is_interrupted([&] { passes::canonical(*g); }));
  EXPECT_TRUE(is_interrupted([&] { g->clone(); }));
  EXPECT_TRUE(is_interrupted([&] { ir::to_text(*g); }));
  EXPECT_TRUE(is_interrupted([&] { passes::Dependences dependences(*g); }));
  EXPECT_TRUE(is_interrupted([&] { passes::eliminate_dead_code(*g); }));
  EXPECT_TRUE(is_interrupted([&] { passes::eliminate_common_subexpressions(*g); }));
  EXPECT_TRUE(is_interrupted([&] { exec::plan(*g); }));
  EXPECT_EQ(ir::to_text(*g), text);
  EXPECT_EQ(passes::hash(*g), hash);
}

}  // namespace
}  // namespace monograph
