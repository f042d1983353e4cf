// Types and symbolic sizes in graphs, and which overload a node means.
#include <gtest/gtest.h>

#include "ir/builder.h"
#include "ir/graph.h"
#include "ir/text.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/registry.h"

namespace monograph {
namespace {

using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;

struct Install {
  Install() { install_operators(); }
} const install;

SymInt symbol(const char* name, int64_t lower = 2) {
  Symbol s;
  s.name = name, s.lower = lower;
  return SymInt::symbol(s);
}

class Inferred : public testing::Test {
 protected:
  ir::Graph g;
  Node* tensor(const char* name, DType dtype, std::vector<SymInt> sizes) { return g.placeholder(name, ir::TensorType::of(dtype, sizes)); }
  // The type of a call, resolved from its surface name.
  std::string of(const char* target, const Args& args, ir::Op op = ir::Op::CallFunction) {
    Node* n = g.create(op, g.target(target), args);
    const ir::OpInfo* info = n->info() ? n->info() : resolve(*n);
    if (!info) return "unresolved";
    last = info->name();
    return to_string(info->infer(*n));
  }
  std::string last;
};

TEST_F(Inferred, PointwisePromotesAndBroadcastsSymbols) {
  SymInt s = symbol("s0");
  Node *x = tensor("x", DType::f32, {s, 1, 3}), *y = tensor("y", DType::i64, {4, 1}), *z = tensor("z", DType::b1, {s, 1, 1});
  EXPECT_EQ(of("torch.add", Args(x, y)), "Float(s0, 4, 3)");
  EXPECT_EQ(last, "aten::add.Tensor");
  EXPECT_EQ(of("operator.add", Args(x, 10)), "Float(s0, 1, 3)");
  EXPECT_EQ(last, "aten::add.Scalar");
  EXPECT_EQ(of("operator.mul", Args(y, 2.5)), "Float(4, 1)");
  EXPECT_EQ(of("operator.sub", Args(1, x)), "Float(s0, 1, 3)");
  EXPECT_EQ(last, "aten::rsub.Scalar");
  EXPECT_EQ(of("torch.eq", Args(x, y)), "Bool(s0, 4, 3)");
  EXPECT_EQ(of("torch.where", Args(z, x, y)), "Float(s0, 4, 3)");
  EXPECT_EQ(of("relu_", Args(x), ir::Op::CallMethod), "Float(s0, 1, 3)");
  EXPECT_EQ(of("torch.nn.functional.silu", Args(x)), "Float(s0, 1, 3)");
  EXPECT_THROW(of("torch.add", Args(y, tensor("w", DType::f32, {5, 2}))), Error);
}

TEST_F(Inferred, EqualUnknownDimsJoin) {
  SymInt a = symbol("a", 0), b = symbol("b", 0);
  Node *x = tensor("x", DType::f32, {a}), *y = tensor("y", DType::f32, {a}), *z = tensor("z", DType::f32, {b});
  EXPECT_EQ(of("torch.add", Args(x, y)), "Float(a)");
  EXPECT_EQ(of("torch.add", Args(x, z)), "Float(*)");
}

TEST_F(Inferred, RowsReduce) {
  SymInt s = symbol("s0");
  Node* x = tensor("x", DType::f32, {s, 3, 4});
  Node* i = tensor("i", DType::b1, {s, 3});
  EXPECT_EQ(of("torch.sum", Args(x)), "Float()");
  EXPECT_EQ(of("torch.sum", Args(i)), "Long()");
  EXPECT_EQ(of("torch.sum", Args(x, 1)), "Float(s0, 4)");
  EXPECT_EQ(of("mean", Args(x, ir::tuple(-1, 0)).kw("keepdim", true), ir::Op::CallMethod), "Float(1, 3, 1)");
  EXPECT_EQ(of("torch.softmax", Args(x, -1)), "Float(s0, 3, 4)");
  EXPECT_EQ(of("torch.argmax", Args(x, 0)), "Long(3, 4)");
}

TEST_F(Inferred, ViewsKeepSymbols) {
  SymInt s = symbol("s0");
  Node* x = tensor("x", DType::f32, {s, 3, 4});
  EXPECT_EQ(of("view", Args(x, -1, 12), ir::Op::CallMethod), "Float(s0, 12)");
  EXPECT_EQ(of("view", Args(x, ir::list(-1, 6)), ir::Op::CallMethod), "Float(2*s0, 6)");
  EXPECT_EQ(of("torch.transpose", Args(x, 0, -1)), "Float(4, 3, s0)");
  EXPECT_EQ(of("permute", Args(x, 2, 0, 1), ir::Op::CallMethod), "Float(4, s0, 3)");
  EXPECT_EQ(of("torch.unsqueeze", Args(x, -1)), "Float(s0, 3, 4, 1)");
  EXPECT_EQ(of("torch.flatten", Args(x, 1)), "Float(s0, 12)");
  EXPECT_EQ(of("aten::slice.Tensor", Args(x, 0, 1, nullptr)), "Float(s0 - 1, 3, 4)");
  EXPECT_EQ(of("aten::select.int", Args(x, 1, 0)), "Float(s0, 4)");
  EXPECT_EQ(of("torch.cat", Args(ir::list(x, x), 1)), "Float(s0, 6, 4)");
  EXPECT_EQ(of("torch.stack", Args(ir::list(x, x))), "Float(2, s0, 3, 4)");
  EXPECT_EQ(of("torch.chunk", Args(x, 2, -1)), "Float(s0, 3, 2)[]");
  EXPECT_EQ(of("torch.reshape", Args(x, ir::tuple(3, -1))), "Float(3, 4*s0)");
  EXPECT_THROW(of("view", Args(tensor("y", DType::f32, {5}), 2, -1), ir::Op::CallMethod), Error);
}

TEST_F(Inferred, ExpandTakesTheTensorsOwnSizes) {
  Node* x = tensor("x", DType::f32, {symbol("s0"), 1});
  Node* unknown = g.placeholder("unknown", Type(TypeKind::Tensor));
  EXPECT_EQ(of("expand", Args(x, ir::list(3, -1, 4)), ir::Op::CallMethod), "Float(3, s0, 4)");
  EXPECT_EQ(of("expand", Args(unknown, ir::list(3, -1)), ir::Op::CallMethod), "Tensor(3, *)");
  EXPECT_EQ(of("expand", Args(unknown, -1, -1, 2), ir::Op::CallMethod), "Tensor(*, *, 2)");
  EXPECT_THROW(of("expand", Args(x, ir::list(-1, -1, 4)), ir::Op::CallMethod), Error);  // a leading dim has no size of its own
  EXPECT_THROW(of("expand", Args(unknown, ir::list(3, -2)), ir::Op::CallMethod), Error);
}

TEST_F(Inferred, NumbersThatNoSizeCanBe) {
  Node* x = tensor("x", DType::i64, {symbol("s0")});
  for (int64_t n : {INT64_MIN, INT64_MIN + 1, -(int64_t{1} << 62) - 1, -(int64_t{1} << 62), INT64_MAX}) {
    SCOPED_TRACE(n);
    EXPECT_EQ(of("operator.add", Args(x, n)), "Long(s0)");
    EXPECT_EQ(of("torch.full", Args(ir::list(2, 3), n)), "Long(2, 3, device=cpu)");
    EXPECT_EQ(of("aten::slice.Tensor", Args(x, 0, n, nullptr)).substr(0, 5), "Long(");
    // Arithmetic that no size can follow is a number that is not known ahead.
    Node* size = g.call(find_operator("aten::sym_size.int"), Args(x, 0));
    Node* far = g.call(find_operator("aten::mul.int"), Args(size, n));
    Node* further = g.call(find_operator("aten::mul.int"), Args(far, n));
    EXPECT_EQ(of("aten::slice.Tensor", Args(x, 0, further, nullptr)), "Long(*)");
    EXPECT_EQ(to_string(AbstractValue::of(IValue(n)).type), "int");
  }
  EXPECT_EQ(of("aten::slice.Tensor", Args(x, 0, 1, INT64_MAX)), "Long(s0 - 1)");  // x[1:sys.maxsize]
  EXPECT_EQ(of("aten::slice.Tensor", Args(x, 0, INT64_MAX, nullptr)), "Long(0)");
}

TEST(InferTypes, NamesTheNodeThatCannotBeRight) {
  auto g = ir::parse_graph("graph(%x : Float(2, 3)):\n  %y = aten::softmax.int(%x, 5) # model.py:7:0\n  return (%y)");
  try {
    infer_types(*g);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(
        e.what(),
        "Dimension out of range (expected to be in range of [-2, 1], but got 5)\n  in aten::softmax.int\n  of %y\n  at model.py:7");
  }
}

}  // namespace
}  // namespace monograph
