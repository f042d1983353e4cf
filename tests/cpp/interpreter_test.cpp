// The interpreter: structure, lifetimes, errors, depth, threads.
#include "exec/interpreter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "ir/builder.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/registry.h"
#include "ops/wrapping_ints.h"

namespace monograph {
namespace {

using ir::Args;
using ir::Graph;
using ir::Node;

const bool installed = [] {
  install_operators();
  return true;
}();

Tensor of(std::initializer_list<float> values) {
  Tensor t = empty({static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.data_as<float>());
  return t;
}
Tensor number(float v) {
  Tensor t = empty({});
  *t.data_as<float>() = v;
  return t;
}
std::vector<float> values(const IValue& v) {
  Tensor t = v.to_tensor();
  return {t.data_as<float>(), t.data_as<float>() + t.numel()};
}
using Floats = std::vector<float>;

std::unique_ptr<Graph> graph_of(const char* text) {
  auto g = ir::parse_graph(text);
  ir::verify(*g);
  return g;
}
std::string error_of(const exec::Executable& run, std::vector<IValue> inputs) {
  try {
    run(std::move(inputs));
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Interpreter, RunsStraightCode) {
  auto g = graph_of(R"(graph(%x : Tensor, %y : Tensor):
  %a : Tensor = aten::add.Tensor(%x, %y, alpha=2)
  %b : Tensor = aten::relu(%a)
  return (%b, %a)
)");
  auto out = exec::plan(*g)({of({1, -5}), of({1, 2})});
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(values(out[0]), (Floats{3, 0}));
  EXPECT_EQ(values(out[1]), (Floats{3, -1}));
}

// (y if s > 0 else z, z if s > 0 else x)
std::unique_ptr<Graph> two_results() {
  auto g = std::make_unique<Graph>();
  Node *x = g->placeholder("x", ir::TypeKind::Tensor), *s = g->placeholder("s", ir::TypeKind::Tensor);
  Node* c = g->call("aten::Bool.Tensor", Args(g->call("aten::gt.Scalar", Args(s, 0))));
  Node* z = g->call("aten::neg", Args(x));
  ir::RegionBuilder b(*g);
  auto first = b.slot("first"), second = b.slot("second");
  b.begin_if(c);
  b.set(first, Args(g->call("aten::mul.Scalar", Args(x, 3))));
  b.set(second, Args(z));
  b.begin_else();
  b.set(first, Args(z));
  b.set(second, Args(x));
  b.end_if();
  g->set_output(Args(b.node(first), b.node(second)));
  ir::infer_types(*g);
  ir::verify(*g);
  return g;
}

TEST(Interpreter, IfWithSeveralResults) {
  exec::Executable run = exec::plan(*two_results());
  auto yes = run({of({1, 2}), number(1)}), no = run({of({1, 2}), number(-1)});
  EXPECT_EQ(values(yes[0]), (Floats{3, 6}));
  EXPECT_EQ(values(yes[1]), (Floats{-1, -2}));
  EXPECT_EQ(values(no[0]), (Floats{-1, -2}));
  EXPECT_EQ(values(no[1]), (Floats{1, 2}));
}

TEST(Interpreter, LoopSwapsItsCarriedValues) {
  Graph g;
  Node *n = g.placeholder("n", ir::TypeKind::Int), *x = g.placeholder("x", ir::TypeKind::Tensor),
       *y = g.placeholder("y", ir::TypeKind::Tensor);
  ir::RegionBuilder b(g);
  ir::RegionBuilder::Slot slots[] = {b.slot("a", Args(x)), b.slot("b", Args(y)), b.slot("sum", Args(0))};
  Node* i = b.begin_loop(Args(n), Args(true), slots);
  Node *a = b.node(slots[0]), *c = b.node(slots[1]);
  b.set(slots[0], Args(c));
  b.set(slots[1], Args(g.call("aten::add.Tensor", Args(a, c))));
  b.set(slots[2], Args(g.call("aten::add.int", Args(b.node(slots[2]), i))));
  b.end_loop(Args(true));
  g.set_output(Args(b.node(slots[0]), b.node(slots[1]), b.node(slots[2])));
  ir::infer_types(g);
  ir::verify(g);
  exec::Executable run = exec::plan(g);
  auto none = run({0, number(1), number(1)}), six = run({6, number(1), number(1)});
  EXPECT_EQ(values(none[1]), (Floats{1}));
  EXPECT_EQ(values(six[0]), (Floats{13}));
  EXPECT_EQ(values(six[1]), (Floats{21}));
  EXPECT_EQ(six[2].to_int(), 15);
}

TEST(Interpreter, LoopEndsByItsCondition) {
  Graph g;
  Node* x = g.placeholder("x", ir::TypeKind::Tensor);
  ir::RegionBuilder b(g);
  ir::RegionBuilder::Slot slot[] = {b.slot("v", Args(x))};
  auto below = [&](Node* v) { return g.call("aten::Bool.Tensor", Args(g.call("aten::lt.Scalar", Args(v, 100)))); };
  b.begin_loop(Args(std::numeric_limits<int64_t>::max()), Args(below(x)), slot);
  Node* twice = g.call("aten::mul.Scalar", Args(b.node(slot[0]), 2));
  b.set(slot[0], Args(twice));
  b.end_loop(Args(below(twice)));
  g.set_output(Args(b.node(slot[0])));
  exec::Executable run = exec::plan(g);
  EXPECT_EQ(values(run({number(3)})[0]), (Floats{192}));
  EXPECT_EQ(values(run({number(500)})[0]), (Floats{500}));
}

// Counts the values that are alive whenever one of its calls runs.
struct Watcher {
  static inline std::vector<Tensor> watched;
  static inline std::vector<int> alive;
};
void register_watch() {
  static const bool once = [] {
    Registry::global().op("test::watch(Tensor self) -> Tensor").eval([](const Operator&, const IValue* a, IValue* out) {
      int n = 0;
      for (const Tensor& t : Watcher::watched) n += t.ref()->use_count() > 1;
      Watcher::alive.push_back(n);
      Tensor fresh = empty(a[0].as_tensor().sizes());
      std::copy_n(a[0].as_tensor().data_as<float>(), fresh.numel(), fresh.data_as<float>());
      Watcher::watched.push_back(fresh);
      out[0] = fresh;
    });
    return true;
  }();
  (void)once;
  Watcher::watched.clear(), Watcher::alive.clear();
}

TEST(Interpreter, FreesValuesAfterTheirLastUse) {
  register_watch();
  Graph g;
  Node* v = g.placeholder("x", ir::TypeKind::Tensor);
  for (int k = 0; k < 5; ++k) v = g.call("test::watch", Args(v));
  g.set_output(Args(v));
  exec::Executable run = exec::plan(g);
  Tensor x = number(1);
  std::vector<IValue> inputs{x};
  run(std::move(inputs));
  // Its argument alone is alive while one runs.
  EXPECT_EQ(Watcher::alive, (std::vector<int>{0, 1, 1, 1, 1}));
  EXPECT_EQ(x.ref()->use_count(), 1u);
}

TEST(Interpreter, FreesInTheArmThatDoesNotUseAValue) {
  register_watch();
  Graph g;
  Node *x = g.placeholder("x", ir::TypeKind::Tensor), *c = g.placeholder("c", ir::TypeKind::Bool);
  Node* big = g.call("test::watch", Args(x));
  ir::RegionBuilder b(g);
  auto y = b.slot("y", Args(x));
  b.begin_if(c);
  b.set(y, Args(g.call("test::watch", Args(g.call("test::watch", Args(big))))));
  b.begin_else();
  b.set(y, Args(g.call("test::watch", Args(x))));
  b.end_if();
  g.set_output(Args(b.node(y)));
  exec::Executable run = exec::plan(g);
  run({number(1), true});
  EXPECT_EQ(Watcher::alive, (std::vector<int>{0, 1, 1}));  // big while its user runs, then that one's result
  Watcher::alive.clear(), Watcher::watched.clear();
  run({number(1), false});
  EXPECT_EQ(Watcher::alive, (std::vector<int>{0, 0}));  // the else arm begins by freeing big
}

TEST(Interpreter, KeepsWhatALoopUsesFromOutsideAndFreesWhatItCarries) {
  register_watch();
  Graph g;
  Node *x = g.placeholder("x", ir::TypeKind::Tensor), *n = g.placeholder("n", ir::TypeKind::Int);
  Node* outside = g.call("test::watch", Args(x));
  ir::RegionBuilder b(g);
  ir::RegionBuilder::Slot slot[] = {b.slot("v", Args(x))};
  b.begin_loop(Args(n), Args(true), slot);
  Node* sum = g.call("aten::add.Tensor", Args(b.node(slot[0]), outside));
  b.set(slot[0], Args(g.call("test::watch", Args(sum))));
  b.end_loop(Args(true));
  Node* after = g.call("test::watch", Args(b.node(slot[0])));
  g.set_output(Args(after));
  auto out = exec::plan(g)({number(1), 4});
  EXPECT_EQ(values(out[0]), (Floats{5}));
  // In the loop only `outside`: the carried value went into the sum. Behind it the last carried value only.
  EXPECT_EQ(Watcher::alive, (std::vector<int>{0, 1, 1, 1, 1, 1}));
}

TEST(Interpreter, ErrorsNameThePlace) {
  Graph g;
  Node *x = g.placeholder("x", ir::TypeKind::Tensor), *y = g.placeholder("y", ir::TypeKind::Tensor);
  Span span;
  span.file = intern_file("model.py"), span.line = 12;
  g.set_location(span);
  g.set_output(Args(g.call("aten::add.Tensor", Args(x, y))));
  exec::Executable run = exec::plan(g);
  std::string e = error_of(run, {of({1, 2}), of({1, 2, 3})});
  EXPECT_NE(e.find("at model.py:12"), std::string::npos) << e;
  EXPECT_NE(error_of(run, {of({1})}).find("missing the input 'y'"), std::string::npos);
  EXPECT_NE(error_of(run, {of({1}), of({1}), of({1})}).find("takes 2 inputs, but got 3"), std::string::npos);
  EXPECT_NE(error_of(run, {of({1}), "text"}).find("Input 'y' must be a tensor, but got a str"), std::string::npos);
}

TEST(Interpreter, UnknownOperatorsFailInThePlanByName) {
  Graph g;
  Node* x = g.placeholder("x");
  g.set_output(Args(g.call("aten::rleu", Args(x))));
  try {
    exec::plan(g);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean aten::relu"), std::string::npos) << e.what();
  }
}

TEST(Interpreter, GuardsAreChecked) {
  Graph g;
  Node* x = g.placeholder("x", ir::TypeKind::Tensor);
  Node* c = g.call("aten::Bool.Tensor", Args(g.call("aten::gt.Scalar", Args(g.call("aten::sum", Args(x)), 10))));
  g.set_output(Args(g.call("aten::neg", Args(x))));
  ir::Guard guard;
  guard.value = c, guard.expected = Args(true), guard.expression = "x.sum() > 10";
  guard.span.file = intern_file("model.py"), guard.span.line = 3;
  g.add_guard(guard);
  exec::Executable run = exec::plan(g);
  EXPECT_EQ(values(run({of({20})})[0]), (Floats{-20}));
  std::string e = error_of(run, {of({2})});
  EXPECT_NE(e.find("x.sum() > 10"), std::string::npos) << e;
  EXPECT_NE(e.find("model.py:3"), std::string::npos) << e;
}

TEST(Interpreter, GuardsOfSizesAreCheckedFirst) {
  Symbol s;
  s.name = "s0";
  SymInt sizes[] = {SymInt::symbol(s)};
  Graph g;
  Node* x = g.placeholder("x", ir::TensorType::of(DType::f32, sizes));
  g.set_output(Args(g.call("aten::neg", Args(x))));
  ir::Guard guard;
  guard.size = mod(sizes[0], 2), guard.expected = Args(0), guard.expression = "len(x) % 2";
  g.add_guard(guard);
  exec::Executable run = exec::plan(g);
  EXPECT_EQ(values(run({of({1, 2})})[0]), (Floats{-1, -2}));
  EXPECT_NE(error_of(run, {of({1})}).find("len(x) % 2"), std::string::npos);
}

TEST(Interpreter, ListsTuplesAndSizes) {
  Graph g;
  Node* x = g.placeholder("x", ir::TypeKind::Tensor);
  Node* n = g.call("aten::sym_size.int", Args(x, 0));
  Node* half = g.call("aten::floordiv.int", Args(n, 2));
  Node* view = g.call("aten::view", Args(x, ir::list(2, half)));
  Node* parts = g.call("aten::split.Tensor", Args(view, 1));
  Node* unpacked = g.call("prim::ListUnpack", Args(parts));
  ir::Type two[] = {ir::TypeKind::Tensor, ir::TypeKind::Tensor};
  g.set_results(unpacked, two);
  Node* cat = g.call("aten::cat", Args(ir::list(g.project(unpacked, 1), g.project(unpacked, 0))));
  g.set_output(Args(ir::tuple(cat, half, ir::list(1, 2), "text")));
  auto out = exec::plan(g)({of({1, 2, 3, 4, 5, 6})});
  ASSERT_TRUE(out[0].is_tuple());
  EXPECT_EQ(values(out[0].items()[0]), (Floats{4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(out[0].items()[1].to_int(), 3);
  EXPECT_EQ(out[0].items()[2].to_ints(), (Dims{1, 2}));
  EXPECT_EQ(out[0].items()[3].to_string(), "text");
}

TEST(Scalars, MeanWhatPythonAndTorchScriptMean) {
  auto run = [](const char* name, IValue a, IValue b) {
    IValue args[] = {std::move(a), std::move(b)}, out;
    call(find_operator(name), args, &out);
    return out;
  };
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(run("aten::floordiv.int", -7, 2).to_int(), -4);
  EXPECT_EQ(run("aten::floordiv.int", 7, -2).to_int(), -4);
  EXPECT_EQ(run("aten::floordiv.int", 6, -2).to_int(), -3);
  EXPECT_THROW(run("aten::floordiv.int", kLeast, -1), Error);  // a program of Python, whose ints have no end
  EXPECT_THROW(run("aten::add.int", std::numeric_limits<int64_t>::max(), 1), Error);
  EXPECT_EQ(run("aten::remainder.int", -7, 2).to_int(), 1);
  EXPECT_EQ(run("aten::remainder.int", 7, -2).to_int(), -1);
  EXPECT_EQ(run("aten::remainder.int", kLeast, -1).to_int(), 0);
  EXPECT_EQ(run("aten::remainder.float", -7.5, 2.0).to_double(), 0.5);
  {
    const WrappingInts on(true);  // a script
    EXPECT_EQ(run("aten::floordiv.int", kLeast, -1).to_int(), kLeast);
    EXPECT_EQ(run("aten::add.int", std::numeric_limits<int64_t>::max(), 1).to_int(), kLeast);
  }
  EXPECT_EQ(run("aten::mul.int_float", 3, 0.5).to_double(), 1.5);
  EXPECT_EQ(run("aten::div.int", 1, 2).to_double(), 0.5);
  EXPECT_TRUE(run("aten::lt.int", 1, 2).to_bool());
  EXPECT_FALSE(run("aten::lt.float", std::nan(""), 2.0).to_bool());
  EXPECT_TRUE(run("aten::ne.float", std::nan(""), std::nan("")).to_bool());
  EXPECT_EQ(run("prim::max.int", 3, 5).to_int(), 5);
  EXPECT_EQ(run("aten::__and__.int", -2, 7).to_int(), 6);
  EXPECT_EQ(run("aten::__xor__.int", 5, -1).to_int(), -6);
  EXPECT_TRUE(run("aten::__xor__.bool", true, false).to_bool());
  EXPECT_FALSE(run("aten::__and__.bool", true, false).to_bool());
  EXPECT_EQ(run("aten::__lshift__.int", -1, 63).to_int(), kLeast);
  EXPECT_EQ(run("aten::__lshift__.int", 0, 1000).to_int(), 0);
  EXPECT_THROW(run("aten::__lshift__.int", 1, 63), Error);
  EXPECT_THROW(run("aten::__lshift__.int", 1, 64), Error);
  EXPECT_THROW(run("aten::__lshift__.int", 1, -1), Error);
  EXPECT_EQ(run("aten::__rshift__.int", -5, 1).to_int(), -3);
  EXPECT_EQ(run("aten::__rshift__.int", -5, 64).to_int(), -1);
  EXPECT_EQ(run("prim::abs.int", -5, {}).to_int(), 5);
  EXPECT_FALSE(std::signbit(run("prim::abs.float", -0.0, {}).to_double()));
  EXPECT_EQ(run("aten::round.float", 2.5, {}).to_double(), 2);
  EXPECT_EQ(run("aten::Int.float", -2.5, {}).to_int(), -2);
  EXPECT_THROW(run("aten::Int.float", 1e19, {}), Error);
  EXPECT_THROW(run("aten::Int.float", std::nan(""), {}), Error);
  EXPECT_THROW(run("aten::floordiv.int", 1, 0), Error);
  EXPECT_THROW(run("aten::remainder.float", 1.0, 0.0), Error);
  auto of_tensor = [&](const char* name, const Tensor& t) { return run(name, t, {}); };
  EXPECT_EQ(of_tensor("aten::item", number(2.5)).to_double(), 2.5);
  EXPECT_EQ(of_tensor("aten::Int.Tensor", number(-2.5)).to_int(), -2);
  EXPECT_TRUE(of_tensor("aten::Bool.Tensor", number(std::nanf(""))).to_bool());
  EXPECT_FALSE(of_tensor("aten::Bool.Tensor", number(-0.0f)).to_bool());
  EXPECT_THROW(of_tensor("aten::item", of({1, 2})), Error);
  EXPECT_THROW(of_tensor("aten::Bool.Tensor", of({1, 2})), Error);
}

TEST(Interpreter, AttributesAreTheModulesOwnTensors) {
  ir::Unit unit;
  ir::Class* linear = unit.add_class("Linear");
  linear->is_module = true, linear->attributes = {{"count", ir::Attribute::Kind::Buffer, ir::TypeKind::Tensor, true}};
  ir::Class* model = unit.add_class("Model");
  model->is_module = true, model->attributes = {{"fc", ir::Attribute::Kind::Module, {}, true}};
  ir::Module *fc = unit.add_module(linear), *root = unit.add_module(model);
  root->values[0].module = fc;
  Tensor count = number(0);
  fc->values[0].value = Args(ir::TensorRef(std::make_shared<exec::LiveTensor>(count)));
  unit.set_root(root);
  Graph* g = unit.add_function("forward");
  Node* x = g->placeholder("x", ir::TypeKind::Tensor);
  Node* a = g->create(ir::Op::GetAttr, g->target("fc.count"), {});
  g->call("aten::add_.Scalar", Args(a, 1));
  g->set_output(Args(g->call("aten::add.Tensor", Args(x, a))));
  exec::Executable run = exec::plan(*g);
  run({number(10)});
  EXPECT_EQ(values(run({number(10)})[0]), (Floats{12}));
  EXPECT_EQ(*count.data_as<float>(), 2);
}

TEST(Interpreter, ConstantsOfTheProgramCannotBeWritten) {
  Graph g;
  float one = 1;
  g.set_output(Args(g.call("aten::add_.Scalar", Args(ir::make_tensor_constant(DType::f32, {}, std::as_bytes(std::span(&one, 1))), 1))));
  exec::Executable run = exec::plan(g);
  EXPECT_NE(error_of(run, {}), "no error");
}

TEST(Interpreter, FunctionsCallEachOtherWithoutRecursion) {
  // down(x, n) = x if n <= 0 else down(x + 1, n - 1), 20,000 deep.
  ir::Unit unit;
  Graph* g = unit.add_function("down");
  Node *x = g->placeholder("x", ir::TypeKind::Int), *n = g->placeholder("n", ir::TypeKind::Int);
  ir::RegionBuilder b(*g);
  auto y = b.slot("y", Args(x));
  b.begin_if(g->call("aten::gt.int", Args(n, 0)));
  b.set(y, Args(g->call("down", Args(g->call("aten::add.int", Args(x, 1)), g->call("aten::sub.int", Args(n, 1))))));
  b.end_if();
  g->set_output(Args(b.node(y)));
  EXPECT_EQ(exec::plan(*g)({5, 20000})[0].to_int(), 20005);
}

TEST(Interpreter, TenThousandNestedBlocks) {
  constexpr int kDepth = 10000;
  Graph g;
  Node *x = g.placeholder("x", ir::TypeKind::Int), *c = g.placeholder("c", ir::TypeKind::Bool);
  ir::RegionBuilder b(g);
  auto y = b.slot("y", Args(x));
  ir::RegionBuilder::Slot slot[] = {y};
  for (int k = 0; k < kDepth; ++k) {
    if (k % 2) b.begin_loop(Args(1), Args(c), slot);
    else b.begin_if(c);
    b.set(y, Args(g.call("aten::add.int", Args(b.node(y), 1))));
  }
  for (int k = kDepth; k-- > 0;) k % 2 ? b.end_loop(Args(c)) : b.end_if();
  g.set_output(Args(b.node(y)));
  exec::Executable run = exec::plan(g);
  EXPECT_EQ(run({0, true})[0].to_int(), kDepth);
  EXPECT_EQ(run({7, false})[0].to_int(), 7);
}

TEST(Interpreter, EightThreadsOnOneExecutable) {
  exec::Executable run = exec::plan(*two_results());
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 200; ++k) {
        auto v = static_cast<float>(t * 1000 + k);
        bool up = k % 2;
        auto out = run({of({v, 1}), number(up ? 1.0f : -1.0f)});
        wrong += values(out[0]) != (up ? Floats{3 * v, 3} : Floats{-v, -1});
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace monograph
