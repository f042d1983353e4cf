// Writes become values, and every program computes the same bits before and after.
#include "passes/functionalize.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "exec/interpreter.h"
#include "ir/builder.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ops/infer.h"
#include "ops/registry.h"
#include "passes/canonical.h"

namespace monograph {
namespace {

using ir::Args;
using ir::Graph;
using ir::Node;
using ir::TypeKind;

const bool installed = [] {
  install_operators();
  return true;
}();

std::unique_ptr<Graph> graph_of(std::string_view text) {
  auto g = ir::parse_graph(text);
  ir::verify(*g);
  return g;
}
size_t count(const Graph& g, std::string_view target) {
  size_t found = 0;
  for (Node* n : ir::NestedNodes(g)) found += n->target().name() == target;
  return found;
}

TEST(Functionalize, WritesBecomeValues) {
  auto g = graph_of(R"(graph(%x : Tensor, %z : Tensor):
  %y : Tensor = aten::relu(%x)
  %w : Tensor = aten::add_.Tensor(%y, %z, alpha=2)
  %u : Tensor = aten::mul.Tensor(%y, %w)
  %v : Tensor = aten::mul_.Tensor(%x, %u)
  return (%u, %x)
)");
  auto f = passes::functionalize(*g);
  ir::verify(*f.graph);
  EXPECT_EQ(f.writes, 2u);
  EXPECT_TRUE(f.left.empty());
  EXPECT_EQ(count(*f.graph, "aten::add_.Tensor") + count(*f.graph, "aten::mul_.Tensor"), 0u);
  EXPECT_EQ(count(*f.graph, "aten::copy_"), 1u) << ir::to_text(*f.graph);  // x is an input
}

TEST(Functionalize, ArmsAndLoopsHandValuesOn) {
  auto g = graph_of(R"(graph(%x : Tensor, %c : bool, %n : int):
  %y : Tensor = aten::relu(%x)
  %r : Tensor = prim::If(%c)
    block0():
      %a : Tensor = aten::add_.Tensor(%y, 1)
      -> (%x)
    block1():
      -> (%x)
  %none : NoneType = prim::Loop(%n, True)
    block0(%i : int):
      %b : Tensor = aten::mul_.Tensor(%y, 2)
      -> (True)
  %s : Tensor = aten::add.Tensor(%y, %r)
  return (%s)
)");
  auto f = passes::functionalize(*g);
  ir::verify(*f.graph);
  EXPECT_EQ(f.writes, 2u);
  EXPECT_EQ(count(*f.graph, "aten::copy_"), 0u);
  for (Node* n : ir::NestedNodes(*f.graph)) {
    if (n->is_if()) EXPECT_EQ(n->result_count(), 2u);
    if (n->is_loop()) EXPECT_EQ(n->result_count(), 1u);
  }
}

// In place or not, it is one program.
TEST(Functionalize, HashesAreThoseOfValues) {
  auto hash = [](std::string_view body) {
    return passes::hash(*graph_of(concat("graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)\n", body)));
  };
  std::string in_place = hash("  %w : Tensor = aten::add_.Tensor(%y, %x)\n  return (%y)\n");
  EXPECT_EQ(in_place, hash("  %w : Tensor = aten::add_.Tensor(%y, %x)\n  return (%w)\n"));
  EXPECT_EQ(in_place, hash("  %w : Tensor = aten::add.Tensor(%y, %x)\n  %v : Tensor = aten::type_as(%w, %y)\n  return (%v)\n"));
  EXPECT_NE(in_place, hash("  %w : Tensor = aten::add.Tensor(%y, %x)\n  %v : Tensor = aten::type_as(%w, %y)\n  return (%y)\n"));
  EXPECT_EQ(hash("  %a : Tensor = get_attr[\"a\"]()\n  %b : Tensor = get_attr[\"b\"]()\n  %v : Tensor = aten::add_.Tensor(%a, %y)\n  %w : "
                 "Tensor = aten::add_.Tensor(%b, %y)\n  return (%a)\n"),
            hash("  %b : Tensor = get_attr[\"b\"]()\n  %w : Tensor = aten::add_.Tensor(%b, %y)\n  %a : Tensor = get_attr[\"a\"]()\n  %v : "
                 "Tensor = aten::add_.Tensor(%a, %y)\n  %c : Tensor = get_attr[\"a\"]()\n  return (%c)\n"));
}

TEST(Functionalize, WhatItCannotFollowStaysAndIsSaid) {
  auto left = [](std::string_view body) {
    auto g = graph_of(concat("graph(%x : Tensor, %c : bool):\n  %y : Tensor = aten::relu(%x)\n", body, "  return (%y)\n"));
    auto f = passes::functionalize(*g);
    ir::verify(*f.graph);
    EXPECT_EQ(f.writes, 0u);
    std::string difference;
    EXPECT_TRUE(ir::identical(*g, *f.graph, &difference)) << difference << ir::to_text(*f.graph);
    return f.left.size() == 1 ? concat(f.left[0].value, ": ", f.left[0].reason) : concat(f.left.size());
  };
  EXPECT_EQ(left("  %v : Tensor = aten::t(%y)\n  %w : Tensor = aten::add_.Tensor(%v, 1)\n"),
            "y: it is shared by a view, a list, an If or a Loop");
  EXPECT_EQ(left("  %f = something(%y)\n  %w : Tensor = aten::add_.Tensor(%y, 1)\n"), "y: a call that is not known is given it");
  EXPECT_EQ(left("  %w : Tensor = aten::copy_(%y, %x)\n"), "y: a write to it has no form without effects");
}

// Random programs over small matrices: writes to inputs, to results and through views, at any depth.
class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : random_(seed) {}
  std::unique_ptr<Graph> make() {
    auto g = std::make_unique<Graph>();
    g_ = g.get();
    views_ = below(3) == 0;
    for (int k = 0; k < 3; ++k) tensors_.push_back(g->placeholder("x", TypeKind::Tensor));
    for (int k = 0; k < 2; ++k) bools_.push_back(g->placeholder("c", TypeKind::Bool));
    body(10, 2);
    Args out;
    for (int k = 0; k < 4; ++k) out.add(tensor());
    g->set_output(out);
    return g;
  }

 private:
  size_t below(size_t n) { return random_() % n; }
  Node* tensor() { return tensors_[below(tensors_.size())]; }
  void add(const char* target, const Args& args) {
    Node* n = g_->call(target, args);
    g_->set_type(n, TypeKind::Tensor);
    tensors_.push_back(n);
  }
  void body(size_t nodes, size_t depth) {
    for (size_t k = 0; k < nodes; ++k) {
      switch (below(depth ? 10 : 8)) {
        case 0: add("aten::add.Tensor", Args(tensor(), tensor(), 1)); break;
        case 1: add("aten::tanh", Args(tensor())); break;
        case 2: add("aten::mul.Tensor", Args(tensor(), tensor())); break;
        case 3: add("aten::add_.Tensor", Args(tensor(), tensor(), 2)); break;
        case 4: add("aten::mul_.Tensor", Args(tensor(), tensor())); break;
        case 5: add("aten::tanh_", Args(tensor())); break;
        case 6: views_ ? add("aten::t", Args(tensor())) : add("aten::relu", Args(tensor())); break;
        case 7: views_&& below(3) == 0 ? add("aten::copy_", Args(tensor(), tensor())) : add("aten::neg", Args(tensor())); break;
        case 8: branch(depth); break;
        default: loop(depth);
      }
    }
  }
  void branch(size_t depth) {
    Node* n = g_->create_if(bools_[below(2)]);
    auto after = g_->insert_point();
    size_t results = below(3), visible = tensors_.size();
    for (size_t k = 0; k < 2; ++k) {
      g_->insert_at_end(n->block(k));
      body(below(5), depth - 1);
      Args end;
      for (size_t r = 0; r < results; ++r) end.add(tensor());
      g_->set_output(n->block(k), end);
      tensors_.resize(visible);
    }
    g_->set_results(n, std::vector<ir::Type>(results, TypeKind::Tensor));
    g_->set_insert_point(after);
    for (size_t r = 0; r < results; ++r) tensors_.push_back(g_->project(n, r));
  }
  void loop(size_t depth) {
    size_t carried = below(3), visible = tensors_.size();
    Args initial;
    for (size_t r = 0; r < carried; ++r) initial.add(tensor());
    Node* n = g_->create_loop(Args(static_cast<int64_t>(below(3))), Args(bools_[below(2)]), initial);
    auto after = g_->insert_point();
    g_->placeholder(n->block(0), "i", TypeKind::Int);
    for (size_t r = 0; r < carried; ++r) tensors_.push_back(g_->placeholder(n->block(0), "acc", TypeKind::Tensor));
    g_->insert_at_end(n->block(0));
    body(below(5), depth - 1);
    Args end(true);
    for (size_t r = 0; r < carried; ++r) end.add(tensor());
    g_->set_output(n->block(0), end);
    tensors_.resize(visible);
    g_->set_results(n, std::vector<ir::Type>(carried, TypeKind::Tensor));
    g_->set_insert_point(after);
    for (size_t r = 0; r < carried; ++r) tensors_.push_back(g_->project(n, r));
  }

  std::mt19937_64 random_;
  Graph* g_ = nullptr;
  bool views_ = false;
  std::vector<Node*> tensors_, bools_;
};

// The bits of all results, and of the inputs as they are left.
std::string run(const Graph& g, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<IValue> inputs;
  std::vector<Tensor> tensors;
  for (int k = 0; k < 3; ++k) {
    Tensor t = empty({2, 2});
    for (int i = 0; i < 4; ++i) t.data_as<float>()[i] = static_cast<float>(random() % 2000) / 1000.0f - 1.0f;
    tensors.push_back(t);
    inputs.emplace_back(t);
  }
  for (int k = 0; k < 2; ++k) inputs.emplace_back(random() % 2 == 1);
  std::vector<IValue> results = exec::plan(g)(std::move(inputs));
  for (const IValue& r : results) tensors.push_back(r.to_tensor());
  std::string bits;
  for (const Tensor& t : tensors)
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 2; ++j) {
        float v = t.data_as<float>()[i * t.strides()[0] + j * t.strides()[1]];
        if (v != v) v = std::numeric_limits<float>::quiet_NaN();
        bits.append(reinterpret_cast<const char*>(&v), sizeof v);
      }
  return bits;
}

TEST(Functionalize, RandomProgramsComputeTheSameBits) {
  const char* given = std::getenv("MONOGRAPH_SEED");
  const char* rounds = std::getenv("MONOGRAPH_ROUNDS");
  uint64_t base = given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  size_t writes = 0, left = 0;
  for (uint64_t k = 0; k < (rounds ? std::strtoull(rounds, nullptr, 10) : 400); ++k) {
    uint64_t seed = base + k;
    SCOPED_TRACE(concat("MONOGRAPH_SEED=", seed));
    auto g = RandomProgram(seed).make();
    ASSERT_NO_THROW(ir::verify(*g)) << ir::to_text(*g);
    auto f = passes::functionalize(*g);
    ASSERT_NO_THROW(ir::verify(*f.graph)) << ir::to_text(*g) << ir::to_text(*f.graph);
    writes += f.writes, left += f.left.size();
    auto c = passes::canonical(*g);
    for (uint64_t i = 0; i < 3; ++i) {
      std::string bits = run(*g, seed + i);
      ASSERT_EQ(bits, run(*f.graph, seed + i)) << ir::to_text(*g) << ir::to_text(*f.graph);
      ASSERT_EQ(bits, run(*c, seed + i)) << "the canonical form computes something else\n" << ir::to_text(*g) << ir::to_text(*c);
    }
  }
  EXPECT_GT(writes, 0u);
  EXPECT_GT(left, 0u);
}

}  // namespace
}  // namespace monograph
