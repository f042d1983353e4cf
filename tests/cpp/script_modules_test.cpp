// Modules in a script through the interface of the host alone: a host made by hand, without Python.
#include <gtest/gtest.h>

#include <memory>

#include "capture/script/compiler.h"
#include "capture/script/parser.h"
#include "exec/interpreter.h"
#include "ir/unit.h"
#include "ir/verify.h"

namespace monograph::capture::script {
namespace {

// A root with a parameter "scale", a number "times", a method "twice" and two blocks, each with a parameter "weight" and a forward.
constexpr const char* kText =
    "def forward(self, x):\n"
    "  for k, block in enumerate(self.blocks):\n"
    "    x = block(x) + k\n"
    "  return self.twice(x) * self.scale\n"
    "def twice(self, x):\n"
    "  return x * self.times\n"
    "def block_forward(self, x):\n"
    "  return x + self.weight\n";

class BlocksHost : public TextHost {
 public:
  enum Id : int64_t { Root = 100, Blocks, First, Second };

  BlocksHost(std::shared_ptr<const SourceText> source, std::shared_ptr<const Tree> tree) : TextHost(source, tree) {}

  HostValue attribute(int64_t id, const std::string& name) override {
    HostValue v;
    if (id < Root) return TextHost::attribute(id, name);
    if (id == Root && name == "scale") v.kind = HostValue::Kind::Tensor, v.text = "scale";
    if (id == Root && name == "times") v.kind = HostValue::Kind::Constant, v.constant = ir::Args(2);
    if (id == Root && name == "twice") v = method(1, id);
    if (id == Root && name == "blocks") v = module_value(Blocks);
    if ((id == First || id == Second) && name == "weight") v.kind = HostValue::Kind::Tensor, v.text = module(id).path + ".weight";
    if ((id == First || id == Second) && name == "forward") v = method(2, id);
    return v;
  }
  HostModule module(int64_t id) override {
    HostModule m;
    m.type = id == Root ? "Net" : id == Blocks ? "ModuleList" : "Block";
    m.path = id == Root ? "" : id == Blocks ? "blocks" : id == First ? "blocks.0" : "blocks.1";
    if (id == Blocks)
      m.kind = HostModule::Items::List, m.items.emplace_back("0", module_value(First)), m.items.emplace_back("1", module_value(Second));
    return m;
  }

 private:
  static HostValue method(int64_t function, int64_t self) {
    HostValue v;
    v.kind = HostValue::Kind::Method, v.id = function, v.self = self;
    return v;
  }
  static HostValue module_value(int64_t id) {
    HostValue v;
    v.kind = HostValue::Kind::Module, v.id = id;
    return v;
  }
};

ir::Module* module_with(ir::Unit& unit, const char* type, const char* parameter, float value) {
  Tensor t = empty({1});
  t.data_as<float>()[0] = value;
  ir::Class* c = unit.add_class(type);
  c->is_module = true;
  ir::Attribute a;
  a.name = parameter, a.kind = ir::Attribute::Kind::Parameter;
  c->attributes.push_back(a);
  ir::Module* m = unit.add_module(c);
  m->values[0].value.add(ir::TensorRef(std::make_shared<exec::LiveTensor>(t)));
  return m;
}

std::unique_ptr<ir::Graph> compiled(const char* text, std::vector<ModuleCall>* calls = nullptr) {
  auto source = std::make_shared<const SourceText>(std::string(text), "net.py");
  std::shared_ptr<const Tree> tree = parse_functions(*source);
  BlocksHost host(source, tree);
  return compile_method(host, {source, tree, tree->functions[0], 0}, BlocksHost::Root, calls);
}

TEST(ScriptModules, AreCompiledInPlaceWithPathsFromTheRoot) {
  std::vector<ModuleCall> calls;
  ir::Unit unit;
  ir::Graph* graph = unit.add_function(compiled(kText, &calls));
  ir::verify(*graph);
  EXPECT_EQ(graph->placeholders().size(), 1u);
  std::vector<std::string> paths;
  for (ir::Node* n : ir::NestedNodes(*graph))
    if (n->op() == ir::Op::GetAttr) paths.push_back(n->target().name());
  EXPECT_EQ(paths, (std::vector<std::string>{"blocks.0.weight", "blocks.1.weight", "scale"}));
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[1].path, "blocks.1");

  ir::Module* root = module_with(unit, "Net", "scale", 10);
  ir::Class* list = unit.add_class("List");
  auto child = [](const char* name) {
    ir::Attribute a;
    a.name = name, a.kind = ir::Attribute::Kind::Module;
    return a;
  };
  list->attributes = {child("0"), child("1")};
  ir::Module* blocks = unit.add_module(list);
  blocks->values[0].module = module_with(unit, "Block0", "weight", 1);
  blocks->values[1].module = module_with(unit, "Block1", "weight", 3);
  const_cast<ir::Class&>(root->type()).attributes.push_back(child("blocks"));
  root->values.emplace_back().module = blocks;
  unit.set_root(root);
  Tensor x = empty({1});
  x.data_as<float>()[0] = 5;
  EXPECT_EQ(exec::plan(*graph)({x})[0].to_tensor().data_as<float>()[0], (5 + 1 + 0 + 3 + 1) * 2 * 10);
}

std::string refusal(const char* text) {
  try {
    compiled(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(ScriptModules, WhatTheyDoNotHaveIsNamedWithItsLine) {
  const std::string missing = refusal("def forward(self, x):\n  return x + self.offset\n");
  EXPECT_NE(missing.find("Net has no attribute 'offset'"), std::string::npos) << missing;
  EXPECT_NE(missing.find("line 2"), std::string::npos) << missing;
  EXPECT_NE(refusal("def forward(self, x):\n  return self\n").find("cannot be a value in a graph"), std::string::npos);
  EXPECT_NE(refusal("def forward(self, x):\n  return self.blocks[2](x)\n").find("out of range"), std::string::npos);
  EXPECT_NE(refusal("def forward(self, x):\n  self.times = 3\n  return x\n").find("times"), std::string::npos);
}

}  // namespace
}  // namespace monograph::capture::script
