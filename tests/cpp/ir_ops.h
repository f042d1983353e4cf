// A few operators for the tests of the IR, in a registry of their own.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "ir/builder.h"
#include "ir/graph.h"
#include "ir/op.h"

namespace monograph::ir::test {

// Its results have the type of its first argument where the schema says Tensor.
class FakeOp : public OpInfo {
 public:
  using OpInfo::OpInfo;
  Type infer(const Node& node) const override {
    Type t = OpInfo::infer(node);
    if (!t.is(TypeKind::Tensor) || node.arg_count() == 0) return t;
    Type first = type_of(node.arg(0));
    return first.is(TypeKind::Tensor) ? first : t;
  }
};

inline const OpInfo* lookup(std::string_view name) {
  static const auto* ops = [] {
    auto* table = new std::map<std::string, std::unique_ptr<OpInfo>, std::less<>>;
    auto add = [&](std::string_view schema, Effects effects = Effects::none()) {
      FunctionSchema parsed = FunctionSchema::parse(schema);
      if (schema.find("Tensor other") != std::string_view::npos) parsed.take_numbers(NumbersAsTensors::All);
      auto op = std::make_unique<FakeOp>(std::move(parsed), effects);
      std::string name = op->name();
      (*table)[name] = std::move(op);
    };
    Effects random;
    random.reads = random.writes = Effects::Random;
    Effects console;
    console.writes = Effects::Console;
    Effects raises;
    raises.may_raise = true;
    Effects asserts;
    asserts.may_raise = asserts.raises = true;
    add("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
    add("aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
    add("aten::mul.Tensor(Tensor self, Tensor other) -> Tensor");
    add("aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)");
    add("aten::relu(Tensor self) -> Tensor");
    add("aten::tanh(Tensor self) -> Tensor");
    add("aten::neg(Tensor self) -> Tensor");
    add("aten::rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
        random);
    add("aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor");
    add("aten::cat(Tensor[] tensors, int dim=0) -> Tensor");
    add("aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)");
    add("aten::Bool.Tensor(Tensor a) -> bool");
    add("aten::item(Tensor self) -> Scalar", raises);
    add("aten::gather(Tensor self, int dim, Tensor index) -> Tensor", raises);
    add("aten::add.int(int a, int b) -> int");
    add("aten::lt.int(int a, int b) -> bool");
    add("aten::_assert(bool condition, str message) -> ()", asserts);
    add("prim::Print(...) -> ()", console);
    add("prim::Constant(...) -> t");
    return table;
  }();
  auto found = ops->find(name);
  return found == ops->end() ? nullptr : found->second.get();
}

// Sets the registry for the life of a test program.
struct UseTestOps {
  UseTestOps() { set_operator_lookup({&lookup, nullptr}); }
};
inline const UseTestOps use_test_ops;

}  // namespace monograph::ir::test
