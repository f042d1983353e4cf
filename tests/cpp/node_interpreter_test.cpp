// Calls of modules and of their methods in exec::NodeInterpreter: the method's graph runs, and reads the attributes of its own module.
#include "exec/node_interpreter.h"

#include <gtest/gtest.h>

#include "capture/transformer.h"
#include "ir/text.h"
#include "ir/unit.h"
#include "ops/dispatch.h"

namespace monograph {
namespace {

// A root with two children of one class. `Scale` multiplies by its own number, and has a method that calls forward twice.
struct Program {
  ir::Unit unit;
  ir::Graph* forward = nullptr;

  Program() {
    ir::Class* scale = unit.add_class("__torch__.Scale");
    scale->is_module = true, scale->methods = {"forward", "twice"};
    scale->attributes.push_back({"by", ir::Attribute::Kind::Value, ir::Type()});
    ir::Class* net = unit.add_class("__torch__.Net");
    net->is_module = true, net->methods = {"forward"};
    net->attributes.push_back({"a", ir::Attribute::Kind::Module, ir::Type()});
    net->attributes.push_back({"b", ir::Attribute::Kind::Module, ir::Type()});
    ir::Module *a = unit.add_module(scale), *b = unit.add_module(scale), *root = unit.add_module(net);
    a->values[0].value = ir::Args(int64_t{3}), b->values[0].value = ir::Args(int64_t{5});
    root->values[0].module = a, root->values[1].module = b;
    unit.set_root(root);
    add(R"(graph __torch__.Scale.forward(%self : __torch__.Scale, %x):
  %by = get_attr["by"]()
  %y = aten::mul.Scalar(%x, %by)
  return (%y)
)");
    add(R"(graph __torch__.Scale.twice(%self : __torch__.Scale, %x):
  %y = call_method["forward"](%self, %x)
  %z = call_method["forward"](%self, %y)
  return (%z)
)");
    forward = add(R"(graph __torch__.Net.forward(%self : __torch__.Net, %x):
  %a = get_attr["a"]()
  %u = call_method["twice"](%a, %x)
  %v = call_module["b"](%u)
  %w = call_method["neg"](%v)
  return (%w)
)");
  }
  ir::Graph* add(const char* text) {
    ir::Graph* graph = unit.add_function(ir::parse_graph(text));
    graph->set_unit(&unit);
    return graph;
  }
};

Tensor sample() {
  Tensor x = empty({2}, DType::f32);
  auto* values = reinterpret_cast<float*>(x.data());
  values[0] = 1, values[1] = -2;
  return x;
}

TEST(NodeInterpreter, ModulesAndTheirMethodsRun) {
  Program program;
  const IValue y = exec::NodeInterpreter(*program.forward).run({sample()});
  const auto* values = reinterpret_cast<const float*>(y.as_tensor().data());
  EXPECT_EQ(values[0], -45.0f);
  EXPECT_EQ(values[1], 90.0f);
}

std::vector<float> values_of(const IValue& y) {
  const auto* values = reinterpret_cast<const float*>(y.as_tensor().data());
  return {values, values + 2};
}

TEST(Transformer, ModulesAndTheirMethodsAreCalledByTheNewGraphToo) {
  Program program;
  const std::unique_ptr<ir::Graph> same = capture::Transformer(*program.forward).transform();
  size_t modules = 0, methods = 0;
  for (const ir::Node* n : *same->root()) modules += n->op() == ir::Op::CallModule, methods += n->op() == ir::Op::CallMethod;
  EXPECT_EQ(modules, 1u);
  EXPECT_EQ(methods, 1u);  // `neg` of a tensor became an operator
  EXPECT_EQ(values_of(exec::NodeInterpreter(*same).run({sample()})), (std::vector<float>{-45, 90}));

  struct TwiceBoth final : capture::Transformer {
    using Transformer::Transformer;
    IValue call_module(const std::string& target, std::vector<IValue> args, Keywords kwargs) override {
      IValue once = Transformer::call_module(target, args, kwargs);
      return Transformer::call_module("a", {once}, {});
    }
  };
  const std::unique_ptr<ir::Graph> more = TwiceBoth(*program.forward).transform();
  EXPECT_EQ(values_of(exec::NodeInterpreter(*more).run({sample()})), (std::vector<float>{-135, 270}));
  const std::unique_ptr<ir::Graph> method = capture::Transformer(*program.unit.find_function("__torch__.Scale.twice")).transform();
  EXPECT_EQ(method->root()->placeholder_count(), 2u);
}

TEST(Transformer, ItemsOfWhatAModuleGives) {
  Program program;
  program.add(R"(graph __torch__.Scale.pair(%self : __torch__.Scale, %x):
  %by = get_attr["by"]()
  %y = aten::mul.Scalar(%x, %by)
  %p = prim::TupleConstruct(%y, %x)
  return (%p)
)");
  ir::Graph* g = program.add(R"(graph pairs(%self : __torch__.Net, %x):
  %a = get_attr["a"]()
  %p : Tuple(Tensor, Tensor) = call_method["pair"](%a, %x)
  %y = operator.getitem(%p, 0)
  %z = aten::neg(%y)
  return (%z)
)");
  EXPECT_EQ(values_of(exec::NodeInterpreter(*g).run({sample()})), (std::vector<float>{-3, 6}));
  EXPECT_EQ(values_of(exec::NodeInterpreter(*capture::Transformer(*g).transform()).run({sample()})), (std::vector<float>{-3, 6}));
}

TEST(NodeInterpreter, WhatIsNoModuleOrHasNoMethodIsAnError) {
  Program program;
  const auto said = [&](const char* body) -> std::string {
    ir::Graph* g = program.add(concat("graph f(%x):\n", body, "  return (%y)\n").c_str());
    try {
      exec::NodeInterpreter(*g).run({sample()});
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(said("  %y = call_module[\"a.by\"](%x)\n").find("a.by is not a module"), std::string::npos);
}

TEST(NodeInterpreter, AMethodThatCallsItselfEndsWithAnError) {
  Program program;
  ir::Graph* again = program.add(R"(graph __torch__.Scale.again(%self : __torch__.Scale, %x):
  %y = call_method["again"](%self, %x)
  return (%y)
)");
  try {
    exec::NodeInterpreter(*again, program.unit.modules()[0].get()).run({sample()});
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("method calls are nested more than"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace monograph
