// The captures: one function by script text, by trace and by symbolic tensors is one graph; branches kept, guarded or refused.
#include "capture/capture.h"

#include <gtest/gtest.h>

#include <map>

#include "capture/script/compiler.h"
#include "exec/interpreter.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/canonical.h"
#include "test_errors.h"

namespace monograph::capture {
namespace {

using Floats = std::vector<float>;
using test::error_of;

Tensor of(std::initializer_list<float> values) {
  Tensor t = empty({static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.data_as<float>());
  return t;
}
Tensor matrix(int64_t rows, int64_t columns, float first = 1) {
  Tensor t = empty({rows, columns});
  for (int64_t k = 0; k < t.numel(); ++k) t.data_as<float>()[k] = first + static_cast<float>(k) / 4;
  return t;
}
Floats values(const IValue& v) {
  Tensor t = "contiguous"_op(v);
  return {t.data_as<float>(), t.data_as<float>() + t.numel()};
}
CaptureOptions by(How how) {
  CaptureOptions o;
  o.how = how;
  return o;
}

// --- Proof (c).

constexpr const char* kText = R"(
def forward(x, y):
    a = torch.add(x, y, alpha=2)
    b = torch.relu(a) * 3 - x / 4.5
    c = b.softmax(1)
    d = torch.sum(-c, 0, True)
    e = torch.matmul(c, x.transpose(0, 1))
    return torch.tanh(d), torch.gelu(e, approximate='tanh')
)";

// The same with what is written as in the text in C++; the first keeps to it, others change one thing each.
struct Edit {
  int64_t alpha = 2, softmax_dim = 1, sum_dim = 0, t0 = 0, t1 = 1;
  IValue factor = 3, divisor = 4.5;
  bool keepdim = true, swap = false, swap_sub = false, no_neg = false, no_relu = false, use_y = false, extra = false, one_result = false,
       reverse = false;
  const char *approximate = "tanh", *last = "tanh";
};
IValue program(const Edit& e, const Tensor& x, const Tensor& y) {
  static const OverloadSet& add = find_overloads("add");
  IValue a;
  {
    Bound bound;
    IValue args[] = {e.swap ? y : x, e.swap ? x : y};
    Keyword alpha[] = {{"alpha", e.alpha}};
    const Operator& op = monograph::bind(add, args, alpha, bound);
    call(op, bound.data(), &a);
  }
  Tensor r = e.no_relu ? a.to_tensor() : Tensor("relu"_op(a));
  Tensor product = "mul"_op(r, e.factor), quotient = "div"_op(e.use_y ? y : x, e.divisor);
  Tensor b = e.swap_sub ? "sub"_op(quotient, product) : "sub"_op(product, quotient);
  Tensor c = "softmax"_op(b, e.softmax_dim);
  Tensor d = "sum"_op(e.no_neg ? c : Tensor("neg"_op(c)), Dims{e.sum_dim}, e.keepdim);
  Tensor m = "matmul"_op(c, "transpose"_op(x, e.t0, e.t1));
  Tensor first = std::string(e.last) == "tanh" ? "tanh"_op(d) : "sigmoid"_op(d);
  Bound bound;
  IValue arg = m, second;
  Keyword approximate[] = {{"approximate", e.approximate}};
  const Operator& gelu = monograph::bind(find_overloads("gelu"), std::span(&arg, 1), approximate, bound);
  call(gelu, bound.data(), &second);
  if (e.extra) first = "neg"_op(first);
  if (e.one_result) return first;
  std::vector<IValue> both{first, second};
  if (e.reverse) std::swap(both[0], both[1]);
  return IValue::tuple(std::move(both));
}

Captured captured(const Edit& e, How how) {
  Tensor x = matrix(3, 3), y = matrix(3, 3, -2);
  return capture([&](Tensor a, Tensor b) { return program(e, a, b); }, by(how), x, y);
}

TEST(Proof, OneFunctionByTextTraceAndSymbolicTensorsIsOneGraph) {
  auto script = script::compile_text(kText, "model.py");
  Captured trace = captured({}, How::Trace), symbolic = captured({}, How::Symbolic);
  ir::verify(*script), ir::verify(*trace.graph), ir::verify(*symbolic.graph);
  std::string difference;
  EXPECT_TRUE(passes::equal(*script, *trace.graph, &difference))
      << difference << ir::to_text(*passes::canonical(*script)) << ir::to_text(*passes::canonical(*trace.graph));
  EXPECT_TRUE(passes::equal(*trace.graph, *symbolic.graph, &difference)) << difference;
  EXPECT_EQ(passes::hash(*script), passes::hash(*trace.graph));
  EXPECT_EQ(passes::hash(*trace.graph), passes::hash(*symbolic.graph));
  // And each gives what the program gives.
  Tensor x = matrix(3, 3, 0.5), y = matrix(3, 3, -1);
  IValue expected = program({}, x, y);
  for (const ir::Graph* g : {script.get(), trace.graph.get(), symbolic.graph.get()}) {
    IValue out = exec::plan(*g)({x, y})[0];
    for (size_t k = 0; k < 2; ++k) EXPECT_EQ(values(out.items()[k]), values(expected.items()[k]));
  }
}

TEST(Proof, TwentySingleEditsAreUnequal) {
  std::vector<Edit> edits(20);
  edits[0].alpha = 3;
  edits[1].alpha = 1;
  edits[2].softmax_dim = 0;
  edits[3].sum_dim = 1;
  edits[4].t1 = 0;
  edits[5].t0 = 1;
  edits[6].factor = 2;
  edits[7].factor = 3.0;
  edits[8].divisor = 4.25;
  edits[9].divisor = 4;
  edits[10].keepdim = false;
  edits[11].swap = true;
  edits[12].swap_sub = true;
  edits[13].no_neg = true;
  edits[14].no_relu = true;
  edits[15].use_y = true;
  edits[16].extra = true;
  edits[17].one_result = true;
  edits[18].reverse = true;
  edits[19].approximate = "none";
  edits.emplace_back().last = "sigmoid";
  std::map<std::string, size_t> seen{{passes::hash(*script::compile_text(kText)), 99}};
  for (size_t k = 0; k < edits.size(); ++k) {
    std::string trace = passes::hash(*captured(edits[k], How::Trace).graph),
                symbolic = passes::hash(*captured(edits[k], How::Symbolic).graph);
    EXPECT_EQ(trace, symbolic) << k;
    auto [at, is_new] = seen.try_emplace(trace, k);
    EXPECT_TRUE(is_new) << "edit " << k << " has the hash of " << at->second;
  }
}

// --- The parts.

TEST(Script, ErrorsNameTheColumn) {
  EXPECT_SAYS(error_of([] { script::compile_text("def f(x):\n  return torch.rleu(x)\n", "m.py"); }), "\"m.py\", line 2");
  EXPECT_SAYS(error_of([] { script::compile_text("def f(x):\n  return y\n", "m.py"); }), "'y' is not");
  EXPECT_SAYS(error_of([] { script::compile_text("def f(x)\n  return x\n", "m.py"); }), "expected ':'");
}

TEST(Trace, ConstantsAreCopiedAndAttributesNamed) {
  Tensor c = of({1, 2}), w = of({3, 4});
  CaptureOptions o = by(How::Trace);
  o.attribute = [&](const Tensor& t) { return t.is_same(w) ? std::string("fc.weight") : std::string(); };
  Captured t = capture([&](Tensor x) -> Tensor { return "mul"_op("add"_op(x, c), w); }, o, of({0, 0}));
  c.data_as<float>()[0] = 100;
  std::string text = ir::to_text(*t.graph);
  EXPECT_SAYS(text, "fc.weight");
  EXPECT_EQ(text.find("100"), std::string::npos) << text;
}

TEST(Trace, WritesToOutsideTensorsAreErrors) {
  Tensor c = of({1, 2});
  EXPECT_SAYS(error_of([&] { capture([&](Tensor x) -> Tensor { return "add_"_op(c, x); }, by(How::Trace), of({0, 0})); }), "from outside");
  EXPECT_EQ(values(c), (Floats{1, 2}));  // refused before it ran
}

TEST(Capture, WritesInPlaceAndThroughViews) {
  auto f = [](Tensor x) -> Tensor {
    Tensor y = "mul"_op(x, 2);
    Tensor row = "select"_op(y, 0, 1);
    "add_"_op(row, 10);
    return "sum"_op(y, Dims{0});
  };
  Captured trace = capture(f, by(How::Trace), matrix(2, 2)), symbolic = capture(f, by(How::Symbolic), matrix(2, 2));
  std::string difference;
  EXPECT_TRUE(passes::equal(*trace.graph, *symbolic.graph, &difference))
      << difference << ir::to_text(*trace.graph) << ir::to_text(*symbolic.graph);
  Tensor x = matrix(3, 2, 5);
  Floats expected = values(f(x));
  EXPECT_EQ(values(exec::plan(*trace.graph)({x})[0]), expected);
  EXPECT_EQ(values(exec::plan(*symbolic.graph)({x})[0]), expected);
}

TEST(Capture, SizesStaySymbolic) {
  auto f = [](Tensor x) -> Tensor {
    IValue n = "sym_size"_op(x, 0), twice = "mul"_op(n, 2);
    return "mul"_op("view"_op(x, IValue::list({1, twice, -1})), n);
  };
  Captured trace = capture(f, by(How::Trace), matrix(2, 4)), symbolic = capture(f, by(How::Symbolic), matrix(2, 4));
  EXPECT_TRUE(trace.graph->guards().empty());
  EXPECT_EQ(passes::hash(*trace.graph), passes::hash(*symbolic.graph)) << ir::to_text(*trace.graph) << ir::to_text(*symbolic.graph);
  Tensor out = exec::plan(*trace.graph)({matrix(3, 6)})[0].to_tensor();
  EXPECT_EQ(out.sizes(), (Dims{1, 6, 3}));
  EXPECT_EQ(out.data_as<float>()[1], 3 * 1.25f);
}

TEST(Capture, ListsOfTensors) {
  auto f = [](Tensor x) -> Tensor {
    IValue parts = "chunk"_op(x, 2, 1);
    return "sub"_op(element(parts, 1), element(parts, 0));
  };
  Captured trace = capture(f, by(How::Trace), matrix(2, 4)), symbolic = capture(f, by(How::Symbolic), matrix(2, 4));
  EXPECT_EQ(passes::hash(*trace.graph), passes::hash(*symbolic.graph)) << ir::to_text(*trace.graph) << ir::to_text(*symbolic.graph);
  EXPECT_EQ(values(exec::plan(*symbolic.graph)({matrix(1, 2)})[0]), (Floats{0.25}));
}

TEST(Trace, AnArgumentReturnedAsItIsIsAValueOfItsOwn) {
  auto f = [](Tensor x) -> Tensor { return "mul"_op("contiguous"_op(x), x); };
  Captured trace = capture(f, by(How::Trace), matrix(2, 2)), symbolic = capture(f, by(How::Symbolic), matrix(2, 2));
  EXPECT_EQ(passes::hash(*trace.graph), passes::hash(*symbolic.graph)) << ir::to_text(*trace.graph);
}

Tensor tour(const Tensor& x) {
  if (truth("gt"_op("sum"_op(x), 10), "torch.sum(x) > 10")) return "mul"_op(x, 1);
  return "add"_op(x, 10);
}

TEST(Trace, AValueThatIsAskedForIsAGuard) {
  CaptureOptions o = by(How::Trace);
  o.location = [] {
    Span s;
    s.file = intern_file("tour.py"), s.line = 7;
    return s;
  };
  Captured t = capture(tour, o, of({20}));
  ASSERT_EQ(t.graph->guards().size(), 1u);
  ir::verify(*t.graph);
  exec::Executable run = exec::plan(*t.graph);
  EXPECT_EQ(values(run({of({30})})[0]), (Floats{30}));
  std::string e = error_of([&] { run({of({1})}); });
  EXPECT_SAYS(e, "torch.sum(x) > 10");
  EXPECT_SAYS(e, "tour.py:7");
  o.control_flow = ControlFlow::Error;
  EXPECT_SAYS(error_of([&] { capture(tour, o, of({20})); }), "a branch with cond");
  o.control_flow = ControlFlow::Freeze;
  EXPECT_TRUE(capture(tour, o, of({20})).graph->guards().empty());
}

TEST(Symbolic, AValueThatIsAskedForIsAnErrorWithTheWayOut) {
  std::string e = error_of([] { capture(tour, by(How::Symbolic), of({20})); });
  EXPECT_SAYS(e, "aten::Bool.Tensor");
  EXPECT_SAYS(e, "while_loop");
}

TEST(Symbolic, TensorsHaveNoValueOutsideOfTheirCapture) {
  Tensor kept;
  capture([&](Tensor x) -> Tensor { return kept = x; }, by(How::Symbolic), of({1}));
  EXPECT_SAYS(error_of([&] { "neg"_op(kept); }), "outside of its capture");
}

IValue branches(const Tensor& x) {
  std::vector<Tensor> out = cond(
      "gt"_op("sum"_op(x), 10), [](const std::vector<Tensor>& v) { return std::vector<Tensor>{v[0], "neg"_op(v[0])}; },
      [](const std::vector<Tensor>& v) { return std::vector<Tensor>{"add"_op(v[0], 10), v[0]}; }, {x});
  return IValue::tuple({"mul"_op(out[0], out[1]), "relu"_op(x)});
}

TEST(Capture, CondKeepsBothBranches) {
  Captured taken = capture(branches, by(How::Trace), of({20})), other = capture(branches, by(How::Trace), of({1})),
           symbolic = capture(branches, by(How::Symbolic), of({1}));
  std::string hash = passes::hash(*symbolic.graph);
  for (const Captured* c : {&taken, &other, &symbolic}) {
    ir::verify(*c->graph);
    EXPECT_EQ(passes::hash(*c->graph), hash) << ir::to_text(*c->graph);
    EXPECT_TRUE(c->graph->guards().empty());
    exec::Executable run = exec::plan(*c->graph);
    for (float v : {20.0f, 1.0f}) {
      IValue expected = branches(of({v})), out = run({of({v})})[0];
      for (size_t k = 0; k < 2; ++k) EXPECT_EQ(values(out.items()[k]), values(expected.items()[k]));
    }
  }
  EXPECT_EQ(values(taken.result.items()[0]), (Floats{-400}));
  EXPECT_EQ(values(other.result.items()[0]), (Floats{11}));
}

Tensor collatz(const Tensor& n) {
  Tensor steps = "mul"_op(n, 0);
  return while_loop([](const std::vector<Tensor>& v) -> Tensor { return "gt"_op(v[0], 1); },
                    [](const std::vector<Tensor>& v) {
                      Tensor half = "floor"_op("div"_op(v[0], 2)), odd = "sub"_op(v[0], "mul"_op(half, 2));
                      std::vector<Tensor> next = cond(
                          "gt"_op(odd, 0), [](const std::vector<Tensor>& w) { return std::vector<Tensor>{"add"_op("mul"_op(w[0], 3), 1)}; },
                          [](const std::vector<Tensor>& w) { return std::vector<Tensor>{w[1]}; }, {v[0], half});
                      return std::vector<Tensor>{next[0], "add"_op(v[1], 1)};
                    },
                    {n, steps})[1];
}
Tensor scalar(float v) {
  Tensor t = empty({});
  *t.data_as<float>() = v;
  return t;
}

TEST(Capture, WhileLoopChecksTheCountOfResultsInEagerModeToo) {
  const auto condition = [](const std::vector<Tensor>& v) -> Tensor { return "lt"_op(v.at(0), 3); };
  EXPECT_SAYS(error_of([&] { while_loop(condition, [](const std::vector<Tensor>&) { return std::vector<Tensor>(); }, {scalar(1)}); }),
              "the body takes 1 tensors and returns 0");
}

TEST(Capture, WhileLoopWithCondInside) {
  EXPECT_EQ(values(collatz(scalar(6))), (Floats{8}));
  Captured trace = capture(collatz, by(How::Trace), scalar(6)), symbolic = capture(collatz, by(How::Symbolic), scalar(6));
  EXPECT_EQ(passes::hash(*trace.graph), passes::hash(*symbolic.graph)) << ir::to_text(*trace.graph) << ir::to_text(*symbolic.graph);
  EXPECT_EQ(values(trace.result), (Floats{8}));
  for (const Captured* c : {&trace, &symbolic}) {
    ir::verify(*c->graph);
    exec::Executable run = exec::plan(*c->graph);
    EXPECT_EQ(values(run({scalar(6)})[0]), (Floats{8}));
    EXPECT_EQ(values(run({scalar(27)})[0]), (Floats{111}));
    EXPECT_EQ(values(run({scalar(1)})[0]), (Floats{0}));
  }
}

TEST(Capture, ATensorOfAnArmCannotLeaveItUnseen) {
  Tensor leaked;
  auto f = [&](Tensor x) -> Tensor {
    cond(
        "gt"_op("sum"_op(x), 10), [&](const std::vector<Tensor>& v) { return std::vector<Tensor>{leaked = "neg"_op(v[0])}; },
        [](const std::vector<Tensor>& v) { return v; }, {x});
    return "add"_op(leaked, 1);
  };
  EXPECT_SAYS(error_of([&] { capture(f, by(How::Symbolic), of({20})); }), "return it from there");
  EXPECT_SAYS(error_of([&] { capture(f, by(How::Trace), of({20})); }), "return it from there");
}

TEST(Capture, TextReadsBackAndRuns) {
  Captured c = capture(collatz, by(How::Trace), scalar(6));
  auto again = ir::parse_graph(ir::to_text(*c.graph));
  std::string difference;
  EXPECT_TRUE(ir::identical(*c.graph, *again, &difference)) << difference;
  EXPECT_EQ(values(exec::plan(*again)({scalar(27)})[0]), (Floats{111}));
}

}  // namespace
}  // namespace monograph::capture
