// Types and symbolic sizes in graphs, and which overload a node means.
#include <gtest/gtest.h>

#include <random>

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

// What integers are worth as sizes, however many of them lie behind one another, and after edits.
class SizeValues : public Inferred {
 protected:
  Node* call(const char* op, const Args& args) {
    Node* n = g.call(find_operator(op), args);
    g.set_type(n, n->info()->infer(*n));
    return n;
  }
  static ir::TensorType floats(const std::vector<SymInt>& sizes) { return ir::TensorType::of(DType::f32, sizes); }
  std::string value(Node* n) {
    const Args args(n);
    const Dim d = AbstractValue::of(args[0]).integer;
    return d ? to_string(*d) : "unknown";
  }
  Node* x = tensor("x", DType::f32, {symbol("s0"), 6});
  Node* size = call("aten::sym_size.int", Args(x, 0));
};

TEST_F(SizeValues, OfAChainOfAnyLength) {
  Node* n = size;
  for (int k = 0; k < 20000; ++k) n = call("aten::add.int", Args(n, 1));
  EXPECT_EQ(value(n), "s0 + 20000");
  EXPECT_EQ(of("aten::slice.Tensor", Args(x, 0, n, nullptr)), "Float(0, 6)");
  Node* back = n;
  for (int k = 0; k < 20000; ++k) back = call("aten::sub.int", Args(back, 1));
  EXPECT_EQ(of("aten::zeros", Args(ir::list(back, 3), nullptr, nullptr, nullptr, nullptr)), "Float(s0, 3, device=cpu)");
  // Read for the first time at its end: no recursion.
  Node* later = size;
  for (int k = 0; k < 20000; ++k) {
    later = g.call(find_operator("aten::add.int"), Args(later, 1));
    g.set_type(later, TypeKind::Int);
  }
  EXPECT_EQ(value(later), "s0 + 20000");
}

TEST_F(SizeValues, DiamondsAreComputedOnce) {
  Node* n = size;
  for (int k = 0; k < 200; ++k) n = call("prim::max.int", Args(n, n));
  EXPECT_EQ(value(n), "s0");
}

TEST_F(SizeValues, ChangeWithWhatTheyAreComputedFrom) {
  Node* twice = call("aten::mul.int", Args(size, 2));
  Node* more = call("aten::add.int", Args(twice, 1));
  Node* sizes = call("aten::size", Args(x));
  Node* part = call("aten::slice.t", Args(sizes, 0, 1));
  Node* element = call("aten::__getitem__.t", Args(part, 0));
  EXPECT_EQ(value(more), "2*s0 + 1");
  EXPECT_EQ(value(element), "s0");
  g.set_args(twice, Args(size, 3));  // an argument in the middle of the chain
  EXPECT_EQ(value(more), "3*s0 + 1");
  g.set_target(twice, g.resolved(find_operator("aten::add.int")));  // an operator
  EXPECT_EQ(value(more), "s0 + 4");
  g.set_args(size, Args(x, 1));  // the number of the dim
  EXPECT_EQ(value(more), "10");
  g.set_args(size, Args(x, 0));
  g.set_type(x, floats({symbol("s1"), 6}));  // the type of the tensor
  EXPECT_EQ(value(more), "s1 + 4");
  EXPECT_EQ(value(element), "s1");
  Node* y = tensor("y", DType::f32, {5, 7});
  g.replace_all_uses(x, y);  // the tensor itself
  EXPECT_EQ(value(more), "9");
  EXPECT_EQ(value(element), "5");
  g.replace_input(sizes, 0, x);
  EXPECT_EQ(value(element), "s1");
  g.set_type(y, Type(TypeKind::Tensor));  // what was known is not any more, and is again
  EXPECT_EQ(value(more), "unknown");
  g.set_type(y, floats({2, 7}));
  EXPECT_EQ(value(more), "6");
  Node* number = g.placeholder("number", Type(TypeKind::Int));  // an int that nothing is known of, in the place of one that is
  g.replace_all_uses(twice, number);
  EXPECT_EQ(value(more), "unknown");
  g.replace_input(more, 0, size);
  EXPECT_EQ(value(more), "3");
}

TEST_F(SizeValues, FollowTheTypeOfAResultAmongSeveral) {
  Node* unbind = g.call(find_operator("aten::max.dim"), Args(x, 1, false));
  g.set_type(unbind, unbind->info()->infer(*unbind));
  Node* first = g.project(unbind, 0);
  Node* n = call("aten::sym_size.int", Args(first, 0));
  EXPECT_EQ(value(n), "s0");
  g.set_type(x, floats({8, 6}));
  g.set_type(unbind, unbind->info()->infer(*unbind));
  EXPECT_EQ(value(n), "8");
  g.set_type(first, floats({symbol("s2")}));
  EXPECT_EQ(value(n), "s2");
}

TEST_F(SizeValues, ACircleOfAnEditIsNotKnownAndEndsWithIt) {
  Node* a = call("aten::add.int", Args(size, 1));
  Node* b = call("aten::add.int", Args(a, 1));
  EXPECT_EQ(value(b), "s0 + 2");
  g.replace_input(a, 0, b);
  EXPECT_EQ(value(a), "unknown");
  EXPECT_EQ(value(b), "unknown");
  g.replace_input(a, 0, size);
  EXPECT_EQ(value(b), "s0 + 2");
  EXPECT_EQ(value(a), "s0 + 1");
}

// Random edits: what is kept is what a copy of the graph, which keeps nothing yet, computes anew.
TEST_F(SizeValues, AreThoseOfAFreshCopyAfterRandomEdits) {
  std::mt19937 random(12);
  auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  std::vector<Node*> tensors = {x, tensor("y", DType::f32, {3, symbol("s1")})}, ints = {size};
  for (int k = 0; k < 40; ++k) {
    if (below(4) == 0) ints.push_back(call("aten::sym_size.int", Args(tensors[below(2)], static_cast<int64_t>(below(2)))));
    else ints.push_back(call(below(2) ? "aten::add.int" : "prim::max.int", Args(ints[below(ints.size())], ints[below(ints.size())])));
  }
  for (int step = 0; step < 400; ++step) {
    const size_t k = below(ints.size());
    Node* n = ints[k];
    switch (below(4)) {
      case 0: g.set_type(tensors[below(2)], floats({symbol(below(2) ? "s3" : "s4"), static_cast<int64_t>(below(5))})); break;
      case 1:
        if (n->input(0)->type().is(TypeKind::Tensor)) g.replace_input(n, 0, tensors[below(2)]);
        else g.replace_input(n, below(2), ints[below(k)]);
        break;
      case 2:
        if (n->input_count() == 2) g.set_target(n, g.resolved(find_operator(below(2) ? "aten::add.int" : "prim::min.int")));
        break;
      default: (void)value(n);
    }
    if (step % 20) continue;
    const auto fresh = g.clone();
    std::vector<Node*> copies;
    for (Node* c : ir::NestedNodes(*fresh)) copies.push_back(c);
    size_t at = 0;
    for (Node* original : ir::NestedNodes(g)) {
      EXPECT_EQ(value(original), value(copies[at])) << original->name() << " after step " << step;
      ++at;
    }
  }
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
