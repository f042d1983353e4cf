// 100,000 nodes and 10,000 nested blocks under a stack of 256 KB: nothing recurses over a user's graph.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <functional>

#include "ir/text.h"
#include "ir/verify.h"
#include "ir_ops.h"
#include "passes/canonical.h"
#include "passes/dce.h"

namespace monograph::ir {
namespace {

// Runs f in a thread with a small stack, and hands what it throws back.
void with_small_stack(const std::function<void()>& f) {
  struct Work {
    const std::function<void()>* f;
    std::exception_ptr error;
  } work{&f, nullptr};
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
  pthread_t thread;
  auto run = [](void* p) -> void* {
    auto* w = static_cast<Work*>(p);
    try {
      (*w->f)();
    } catch (...) {
      w->error = std::current_exception();
    }
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  if (work.error) std::rethrow_exception(work.error);
}

std::unique_ptr<Graph> flat(size_t nodes) {
  auto g = std::make_unique<Graph>();
  Node* x = g->placeholder("x", TypeKind::Tensor);
  const OpInfo* relu = test::lookup("aten::relu");
  for (size_t k = 0; k < nodes; ++k) {
    x = g->call(*relu, Args(x));
    g->set_type(x, TypeKind::Tensor);
  }
  g->set_output(Args(x));
  return g;
}

// Ifs and Loops in turn, each inside the last.
std::unique_ptr<Graph> nested(size_t depth) {
  auto g = std::make_unique<Graph>();
  Node* x = g->placeholder("x", TypeKind::Tensor);
  Node* c = g->placeholder("c", TypeKind::Bool);
  Node* n = g->placeholder("n", TypeKind::Int);
  RegionBuilder b(*g);
  auto y = b.slot("y", Args(x));
  for (size_t k = 0; k < depth; ++k) {
    if (k % 2) b.begin_if(c);
    else b.begin_loop(Args(n), Args(true), std::span(&y, 1));
    Node* r = g->call("aten::relu", Args(b.get(y)[0]));
    g->set_type(r, TypeKind::Tensor);
    b.set(y, Args(r));
  }
  for (size_t k = depth; k-- > 0;)
    if (k % 2) b.end_if();
    else b.end_loop(Args(true));
  g->set_output(b.get(y));
  return g;
}

void everything(std::unique_ptr<Graph> g) {
  verify(*g);
  infer_types(*g);
  std::string text = to_text(*g), difference;
  auto back = parse_graph(text);
  ASSERT_TRUE(identical(*g, *back, &difference)) << difference;
  auto copy = g->clone();
  ASSERT_TRUE(identical(*g, *copy, &difference)) << difference;
  EXPECT_EQ(passes::hash(*g), passes::hash(*back));
  // Python itself does not nest so deep.
  bool deep = std::any_of(g->root()->begin(), g->root()->end(), [](Node* n) { return n->block_count() > 0; });
  if (deep) EXPECT_THROW(to_python(*g), Error);
  else EXPECT_NO_THROW(to_python(*g));
  EXPECT_FALSE(to_torchscript(*g).empty());
  EXPECT_FALSE(to_tabular(*g).empty());
  EXPECT_FALSE(to_dot(*g).empty());
  ASSERT_TRUE(identical(*g, *graph_from_json(to_json(*g)), &difference)) << difference;
  // Without its use, all of it is dead.
  Node* x = g->placeholders()[0];
  g->set_output(Args(x));
  passes::eliminate_dead_code(*g);
  verify(*g);
  EXPECT_EQ(g->node_count(), g->placeholders().size() + 1);
}

TEST(Deep, HundredThousandNodes) {
  with_small_stack([] { everything(flat(100000)); });
}

TEST(Deep, TenThousandNestedBlocks) {
  with_small_stack([] { everything(nested(10000)); });
}

TEST(Deep, ErasingTheOutermostBlockErasesAll) {
  with_small_stack([] {
    auto g = nested(10000);
    Node* outer = g->output()->input(0);
    g->set_output(Args(g->placeholders()[0]));
    g->erase(outer);
    verify(*g);
    EXPECT_EQ(g->node_count(), 4u);
  });
}

}  // namespace
}  // namespace monograph::ir
