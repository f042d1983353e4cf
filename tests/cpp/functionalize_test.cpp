// Writes become values, and every program computes the same bits before and after.
#include "passes/functionalize.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <random>

#include "autograd/engine.h"
#include "exec/interpreter.h"
#include "ir/builder.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/registry.h"
#include "passes/canonical.h"
#include "passes/dce.h"
#include "test_seed.h"

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

// Sizes and elements, whatever the strides; every NaN is one.
std::string bits_of(const Tensor& t) {
  Tensor dense = "contiguous"_op(t);
  std::string bits = to_string(t.sizes());
  for (int64_t i = 0; i < dense.numel(); ++i) {
    float v = dense.data_as<float>()[i];
    if (v != v) v = std::numeric_limits<float>::quiet_NaN();
    bits.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  return bits;
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
    if (n->structure() != ir::Structure::None) EXPECT_EQ(n->result_count(), n->is_if() ? 2u : 1u);
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
  EXPECT_EQ(left("  %r : Tensor = prim::If(%c)\n    block0():\n      -> (%y)\n    block1():\n      -> (%x)\n"
                 "  %w : Tensor = aten::add_.Tensor(%r, 1)\n"),
            "x: it belongs to several values");
  EXPECT_EQ(left("  %r : Tensor = prim::If(%c)\n    block0():\n      -> (%y)\n    block1():\n      -> (%y)\n"
                 "  %w : Tensor = aten::add_.Tensor(%r, 1)\n"),
            "y: it goes through an If or a Loop");
  EXPECT_EQ(left("  %f = something(%y)\n  %w : Tensor = aten::add_.Tensor(%y, 1)\n"), "y: a call that is not known is given it");
  EXPECT_EQ(left("  %w : Tensor = aten::uniform_(%y)\n"), "y: a write to it has no form without effects");
  // What may be a copy, as the layout has it.
  EXPECT_EQ(left("  %v : Tensor = aten::reshape(%y, [4])\n  %w : Tensor = aten::add_.Tensor(%v, 1)\n"),
            "y: what may be a copy of it is written");
  EXPECT_EQ(left("  %v : Tensor = aten::reshape(%y, [4])\n  %w : Tensor = aten::add_.Tensor(%y, 1)\n  %u : Tensor = aten::neg(%v)\n"),
            "y: what may be a copy of it is used after a write");
  EXPECT_EQ(left("  %v : Tensor = aten::reshape(%y, [4])\n  %l : NoneType = prim::Loop(3, True)\n    block0(%i : int):\n"
                 "      %u : Tensor = aten::neg(%v)\n      %w : Tensor = aten::add_.Tensor(%y, 1)\n      -> (True)\n"),
            "y: what may be a copy of it is used after a write");
}

// A write through views is put back, view by view, and every view is taken again where it is used.
TEST(Functionalize, WritesThroughViewsArePutBack) {
  auto g = graph_of(R"(graph(%x : Tensor, %z : Tensor):
  %y : Tensor = aten::relu(%x)
  %row : Tensor = aten::select.int(%y, 0, 1)
  %cut : Tensor = aten::slice.Tensor(%row, 0, 1, 3)
  %other : Tensor = aten::t(%y)
  %w : Tensor = aten::add_.Tensor(%cut, %z)
  %u : Tensor = aten::mul_.Tensor(%other, %other)
  %s : Tensor = aten::neg(%y)
  return (%row, %other, %s, %w)
)");
  auto f = passes::functionalize(*g);
  ir::verify(*f.graph);
  EXPECT_EQ(f.writes, 2u);
  EXPECT_TRUE(f.left.empty());
  passes::eliminate_dead_code(*f.graph);
  EXPECT_EQ(ir::to_text(*f.graph), R"(graph(%x : Tensor,
      %z : Tensor):
  %y : Tensor = aten::relu(%x)
  %row : Tensor = aten::select.int(%y, 0, 1)
  %cut : Tensor = aten::slice.Tensor(%row, 0, 1, 3)
  %w = aten::add.Tensor(%cut, %z, 1)
  %w_1 : Tensor = aten::type_as(%w, %cut)
  %slice_scatter : Tensor = aten::slice_scatter(%row, %w_1, 0, 1, 3, 1)
  %select_scatter : Tensor = aten::select_scatter(%y, %slice_scatter, 0, 1)
  %other_1 : Tensor = aten::t(%select_scatter)
  %u = aten::mul.Tensor(%other_1, %other_1)
  %u_1 : Tensor = aten::type_as(%u, %other_1)
  %t : Tensor = aten::t(%u_1)
  %s : Tensor = aten::neg(%t)
  %row_1 : Tensor = aten::select.int(%t, 0, 1)
  %cut_1 : Tensor = aten::slice.Tensor(%row_1, 0, 1, 3, 1)
  return (%row_1, %u_1, %s, %cut_1)
)");
}

// The call of an inverse or scattering form gives the base back, and stands for what the view's record says.
TEST(Functionalize, EveryViewSaysHowItIsPutBack) {
  const std::map<std::string, std::string> arguments = {
      {"aten::view", "[9]"},       {"aten::view_as", "%flat"},    {"aten::transpose.int", "0, -1"},     {"aten::permute", "[-1, 0]"},
      {"aten::narrow", "1, 1, 2"}, {"aten::select.int", "-1, 2"}, {"aten::slice.Tensor", "0, 0, 3, 2"}, {"aten::unsqueeze", "-1"},
      {"aten::squeeze.dim", "0"},  {"aten::squeeze.dims", "[0]"}, {"prim::function_result", "[%x]"}};
  size_t views = 0;
  for (const auto& op : Registry::global().all()) {
    if (!op->inverse && !op->scatter) continue;
    ++views;
    EXPECT_FALSE(op->inverse && op->scatter) << op->name();
    EXPECT_TRUE(op->schema().is_pure() && op->schema().may_alias(0, 0)) << op->name();
    auto more = arguments.find(op->original_name());
    std::string call = concat(op->name(), "(%y", more == arguments.end() ? "" : ", ", more == arguments.end() ? "" : more->second, ")");
    auto g = graph_of(concat("graph(%x : Tensor, %flat : Tensor):\n  %y : Tensor = aten::neg(%x)\n  %v : Tensor = ", call,
                             "\n  %w : Tensor = aten::mul_.Tensor(%v, 3)\n  %u : Tensor = aten::t(%y)\n  return (%y, %v, %w, %u)\n"));
    auto f = passes::functionalize(*g);
    EXPECT_EQ(f.writes, 1u) << ir::to_text(*g);
    Tensor x = "reshape"_op("arange"_op(9.0), Dims{3, 3}), flat = "arange"_op(9.0);
    auto before = exec::plan(*g)({x, flat}), after = exec::plan(*f.graph)({x, flat});
    for (size_t k = 0; k < before.size(); ++k)
      EXPECT_EQ(bits_of(before[k].to_tensor()), bits_of(after[k].to_tensor())) << ir::to_text(*g) << ir::to_text(*f.graph);
  }
  EXPECT_GT(views, 10u);
}

// The gradient of a scattering form is that of the write that it stands for: none where src stands, src's where it does.
TEST(Functionalize, ScatteringFormsHaveGradients) {
  install_autograd();
  Tensor x = "reshape"_op("arange"_op(9.0), Dims{3, 3}), src = "arange"_op(3.0),
         weights = "reshape"_op("arange"_op(10.0, 19.0), Dims{3, 3});
  set_requires_grad(x, true), set_requires_grad(src, true);
  Tensor sum = "sum"_op("mul"_op("select_scatter"_op(x, src, 1, 2), weights));
  std::vector<Tensor> inputs{x, src}, grads = gradients({&sum, 1}, {}, inputs, {}, false);
  Tensor want = "clone"_op(weights);
  "zero_"_op("select"_op(want, 1, 2));
  EXPECT_EQ(bits_of(grads[0]), bits_of(want));
  EXPECT_EQ(bits_of(grads[1]), bits_of("select"_op(weights, 1, 2)));
}

// In place, through views, by an index assignment or by functions: one program.
TEST(Functionalize, HashesOfViewsAreThoseOfValues) {
  auto hash = [](std::string_view body) {
    return passes::hash(*graph_of(concat("graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)\n", body)));
  };
  std::string in_place = hash("  %v : Tensor = aten::select.int(%y, 0, 0)\n  %w : Tensor = aten::mul_.Tensor(%v, 2)\n  return (%y, %v)\n");
  EXPECT_EQ(in_place,
            hash("  %u : Tensor = aten::select.int(%y, 0, 0)\n  %v : Tensor = aten::mul.Tensor(%u, 2)\n"
                 "  %w : Tensor = aten::type_as(%v, %u)\n  %z : Tensor = aten::select_scatter(%y, %w, 0, 0)\n  return (%z, %w)\n"));
  EXPECT_NE(in_place, hash("  %v : Tensor = aten::select.int(%y, 0, 1)\n  %w : Tensor = aten::mul_.Tensor(%v, 2)\n  return (%y, %v)\n"));
  EXPECT_EQ(hash("  %v : Tensor = aten::t(%y)\n  %w : Tensor = aten::mul_.Tensor(%v, 2)\n  return (%y)\n"),
            hash("  %v : Tensor = aten::t(%y)\n  %u : Tensor = aten::mul.Tensor(%v, 2)\n  %w : Tensor = aten::type_as(%u, %v)\n"
                 "  %z : Tensor = aten::t(%w)\n  return (%z)\n"));
  // An input: its last value is written once, at the end, however it came about.
  EXPECT_EQ(hash("  %v : Tensor = aten::select.int(%x, 0, 0)\n  %w : Tensor = aten::zero_(%v)\n  return (%y)\n"),
            hash("  %v : Tensor = aten::select.int(%x, 0, 0)\n  %w : Tensor = aten::zeros_like(%v)\n"
                 "  %z : Tensor = aten::select_scatter(%x, %w, 0, 0)\n  %c : Tensor = aten::copy_(%x, %z)\n  return (%y)\n"));
}

// Inputs that are exchanged: what is written back does not read what was written back before.
TEST(Functionalize, WritesBackReadNoneOfEachOther) {
  auto g = graph_of(R"(graph(%x : Tensor, %y : Tensor):
  %z : Tensor = aten::clone(%y)
  %a : Tensor = aten::copy_(%y, %x)
  %b : Tensor = aten::copy_(%x, %z)
  return (%a)
)");
  auto f = passes::functionalize(*g);
  EXPECT_TRUE(f.left.empty());
  Tensor x = "arange"_op(3.0), y = "arange"_op(3.0, 6.0);
  std::string of_x = bits_of(x), of_y = bits_of(y);
  exec::plan (*f.graph)({x, y});
  EXPECT_EQ(bits_of(x), of_y);
  EXPECT_EQ(bits_of(y), of_x);
}

// Random programs: writes to inputs, to results and through chains of views, at any depth.
class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : random_(seed) {}
  std::unique_ptr<Graph> make() {
    auto g = std::make_unique<Graph>();
    g_ = g.get();
    for (int k = 0; k < 3; ++k) values_.push_back({g->placeholder("x", TypeKind::Tensor), {3, 3}});
    for (int k = 0; k < 2; ++k) bools_.push_back(g->placeholder("c", TypeKind::Bool));
    body(14, 2);
    Args out;
    for (int k = 0; k < 4; ++k) out.add(any().node);
    g->set_output(out);
    return g;
  }

 private:
  using Sizes = std::vector<int64_t>;
  struct Value {
    Node* node;
    Sizes sizes;
  };
  size_t below(size_t n) { return random_() % n; }
  int64_t integer(int64_t n) { return static_cast<int64_t>(below(static_cast<size_t>(n))); }
  const Value& any() { return values_[below(values_.size())]; }
  Node* like(const Sizes& sizes) {
    std::vector<Node*> fit;
    for (const Value& v : values_)
      if (v.sizes == sizes) fit.push_back(v.node);
    return fit[below(fit.size())];
  }
  Node* add(const char* target, const Args& args, const Sizes& sizes, TypeKind kind = TypeKind::Tensor) {
    Node* n = g_->call(target, args);
    g_->set_type(n, kind);
    if (kind == TypeKind::Tensor) values_.push_back({n, sizes});
    return n;
  }
  void body(size_t nodes, size_t depth) {
    for (size_t k = 0; k < nodes; ++k) {
      size_t kind = below(depth ? 12 : 10);
      if (kind < 3) compute();
      else if (kind < 6) write();
      else if (kind < 10) view();
      else if (kind == 10) branch(depth);
      else loop(depth);
    }
  }
  void compute() {
    Value v = any();
    switch (below(4)) {
      case 0: add("aten::add.Tensor", Args(v.node, like(v.sizes), 1), v.sizes); break;
      case 1: add("aten::tanh", Args(v.node), v.sizes); break;
      case 2: add("aten::mul.Tensor", Args(v.node, like(v.sizes)), v.sizes); break;
      default: add("aten::neg", Args(v.node), v.sizes);
    }
  }
  void write() {
    Value v = any();
    switch (below(7)) {
      case 0: add("aten::add_.Tensor", Args(v.node, like(v.sizes), 2), v.sizes); break;
      case 1: add("aten::mul_.Tensor", Args(v.node, like(v.sizes)), v.sizes); break;
      case 2: add("aten::tanh_", Args(v.node), v.sizes); break;
      case 3: add("aten::copy_", Args(v.node, like(v.sizes)), v.sizes); break;
      case 4: add("aten::fill_.Scalar", Args(v.node, 0.5), v.sizes); break;
      case 5: add("aten::zero_", Args(v.node), v.sizes); break;
      default: add("aten::add_.Tensor", Args(v.node, 0.25), v.sizes);
    }
  }
  void view() {
    Value v = any();
    Sizes s = v.sizes;
    auto rank = static_cast<int64_t>(s.size());
    if (rank == 0 || (rank < 4 && below(8) == 0)) {
      int64_t d = integer(rank + 1);
      s.insert(s.begin() + d, 1);
      return void(add("aten::unsqueeze", Args(v.node, below(2) ? d : d - rank - 1), s));
    }
    int64_t d = integer(rank), e = integer(rank);
    auto at = static_cast<size_t>(d);
    switch (below(12)) {
      case 0:
      case 1:
        if (s[at] == 0) return;
        s.erase(s.begin() + d);
        return void(add("aten::select.int", Args(v.node, d, integer(v.sizes[at])), s));
      case 2:
      case 3: {
        int64_t start = integer(3), end = start + integer(3), step = 1 + integer(2);
        s[at] = (std::max<int64_t>(std::min(end, s[at]) - std::min(start, s[at]), 0) + step - 1) / step;
        return void(add("aten::slice.Tensor", Args(v.node, d, start, end, step), s));
      }
      case 4: std::swap(s[at], s[static_cast<size_t>(e)]); return void(add("aten::transpose.int", Args(v.node, d, e), s));
      case 5:
        if (rank != 2) return;
        return void(add("aten::t", Args(v.node), {s[1], s[0]}));
      case 6: {
        Args order;
        order.add(v.node), order.open(ir::ArgKind::List);
        Sizes turned;
        for (int64_t k = 0; k < rank; ++k) order.add((k + d) % rank), turned.push_back(s[static_cast<size_t>((k + d) % rank)]);
        return void(add("aten::permute", order.close(), turned));
      }
      case 7:
        if (s[at] == 1) s.erase(s.begin() + d);
        return void(add("aten::squeeze.dim", Args(v.node, d), s));
      case 8: return void(add("aten::view", flat(v), {count(s)}));
      case 9: return void(add("aten::reshape", flat(v), {count(s)}));
      case 10: return void(add(below(2) ? "aten::contiguous" : "aten::detach", Args(v.node), s));
      default: {
        Node* list = add("aten::split_with_sizes", parts(v, d), {}, TypeKind::Any);
        g_->set_type(list, ir::Type::list(TypeKind::Tensor));
        s[at] = s[at] - s[at] / 2;
        return void(add("aten::__getitem__.t", Args(list, 1), s));
      }
    }
  }
  static int64_t count(const Sizes& sizes) {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    return n;
  }
  static Args flat(const Value& v) {
    Args args(v.node);
    return args.open(ir::ArgKind::List).add(count(v.sizes)).close();
  }
  static Args parts(const Value& v, int64_t d) {
    int64_t n = v.sizes[static_cast<size_t>(d)];
    Args args(v.node);
    return args.open(ir::ArgKind::List).add(n / 2).add(n - n / 2).close().add(d);
  }
  void branch(size_t depth) {
    Node* n = g_->create_if(bools_[below(2)]);
    auto after = g_->insert_point();
    size_t visible = values_.size();
    std::vector<Sizes> results(below(3));
    for (Sizes& s : results) s = any().sizes;
    for (size_t k = 0; k < 2; ++k) {
      g_->insert_at_end(n->block(k));
      body(below(5), depth - 1);
      Args end;
      for (const Sizes& s : results) end.add(like(s));
      g_->set_output(n->block(k), end);
      values_.resize(visible);
    }
    g_->set_results(n, std::vector<ir::Type>(results.size(), TypeKind::Tensor));
    g_->set_insert_point(after);
    for (size_t r = 0; r < results.size(); ++r) values_.push_back({g_->project(n, r), results[r]});
  }
  void loop(size_t depth) {
    size_t visible = values_.size();
    std::vector<Value> carried;
    Args initial;
    for (size_t r = below(3); r-- > 0;) carried.push_back(any()), initial.add(carried.back().node);
    Node* n = g_->create_loop(Args(integer(3)), Args(bools_[below(2)]), initial);
    auto after = g_->insert_point();
    g_->placeholder(n->block(0), "i", TypeKind::Int);
    for (const Value& v : carried) values_.push_back({g_->placeholder(n->block(0), "acc", TypeKind::Tensor), v.sizes});
    g_->insert_at_end(n->block(0));
    body(below(5), depth - 1);
    Args end(true);
    for (const Value& v : carried) end.add(like(v.sizes));
    g_->set_output(n->block(0), end);
    values_.resize(visible);
    g_->set_results(n, std::vector<ir::Type>(carried.size(), TypeKind::Tensor));
    g_->set_insert_point(after);
    for (size_t r = 0; r < carried.size(); ++r) values_.push_back({g_->project(n, r), carried[r].sizes});
  }

  std::mt19937_64 random_;
  Graph* g_ = nullptr;
  std::vector<Value> values_;
  std::vector<Node*> bools_;
};

// The bits of all results, and of the inputs as they are left; nothing where an operator refuses (a view of what is not contiguous).
std::optional<std::string> run(const Graph& g, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<IValue> inputs;
  std::vector<Tensor> tensors;
  for (int k = 0; k < 3; ++k) {
    Tensor t = empty({3, 3});
    for (int i = 0; i < 9; ++i) t.data_as<float>()[i] = static_cast<float>(random() % 2000) / 1000.0f - 1.0f;
    if (random() % 4 == 0) t = "t"_op(t);
    tensors.push_back(t);
    inputs.emplace_back(t);
  }
  for (int k = 0; k < 2; ++k) inputs.emplace_back(random() % 2 == 1);
  std::vector<IValue> results;
  try {
    results = exec::plan(g)(std::move(inputs));
  } catch (const Error&) {
    return std::nullopt;
  }
  for (const IValue& r : results) tensors.push_back(r.to_tensor());
  std::string bits;
  for (const Tensor& t : tensors) bits += bits_of(t) + ";";
  return bits;
}

TEST(Functionalize, RandomProgramsComputeTheSameBits) {
  const char* rounds = std::getenv("MONOGRAPH_ROUNDS");
  uint64_t base = test::base_seed();
  std::cout << "MONOGRAPH_SEED=" << base << "\n";
  size_t writes = 0, left = 0, whole = 0, runs = 0;
  for (uint64_t k = 0; k < (rounds ? std::strtoull(rounds, nullptr, 10) : 400); ++k) {
    uint64_t seed = base + k;
    SCOPED_TRACE(concat("MONOGRAPH_SEED=", seed));
    auto g = RandomProgram(seed).make();
    ASSERT_NO_THROW(ir::verify(*g)) << ir::to_text(*g);
    auto f = passes::functionalize(*g);
    ASSERT_NO_THROW(ir::verify(*f.graph)) << ir::to_text(*g) << ir::to_text(*f.graph);
    writes += f.writes, left += f.left.size(), whole += f.writes && f.left.empty();
    auto c = passes::canonical(*g);
    ASSERT_NO_THROW(ir::verify(*c)) << ir::to_text(*g) << ir::to_text(*c);
    ASSERT_EQ(ir::to_text(*passes::canonical(*c)), ir::to_text(*c)) << "the canonical form of the canonical form is another\n"
                                                                    << ir::to_text(*g);
    for (uint64_t i = 0; i < 3; ++i) {
      std::optional<std::string> bits = run(*g, seed + i);
      if (!bits) continue;
      ++runs;
      ASSERT_EQ(bits, run(*f.graph, seed + i)) << ir::to_text(*g) << ir::to_text(*f.graph);
      ASSERT_EQ(bits, run(*c, seed + i)) << "the canonical form computes something else\n" << ir::to_text(*g) << ir::to_text(*c);
    }
  }
  std::cout << writes << " writes became values, " << left << " memories were left; " << whole << " programs have no write left; " << runs
            << " runs were compared\n";
  EXPECT_GT(writes, 0u);
  EXPECT_GT(left, 0u);
  EXPECT_GT(whole, 0u);
  EXPECT_GT(runs, 0u);
}

}  // namespace
}  // namespace monograph
