// One binder: a call means the same, and fails with the same words, by name in C++, as a node, as text, in canonical form and in a plan.
//
// tests/data/calls/*.txt hold the calls, as lines of a graph, each with what is expected below it; tests/python/test_bind.py runs the same calls
// through Python's entries.
#include "ir/bind.h"

#include <gtest/gtest.h>

#include <fstream>

#include "exec/interpreter.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "passes/canonical.h"

namespace monograph {
namespace {

using ir::Graph;
using ir::Node;

const bool installed = [] {
  install_operators();
  return true;
}();

struct BadCall {
  std::string call, expected;
};

std::vector<BadCall> examples(const char* file) {
  std::ifstream in(concat("tests/data/calls/", file));
  EXPECT_TRUE(in) << "run from the root of the repository";
  std::vector<BadCall> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    if (!line.starts_with("  ")) all.push_back({line, ""});
    else all.back().expected += concat(all.back().expected.empty() ? "" : "\n", line.substr(2));
  }
  return all;
}

std::unique_ptr<Graph> graph_of(const std::string& call) {
  return ir::parse_graph(
      concat("graph(%x : Float(2, 3), %y : Float(2, 3), %i : Long(2), %s : Float(), %k : Long(), %c : Bool(2, 3)):\n  %r = ", call,
             "\n  return (%r)\n"));
}
Node* call_of(const Graph& g) { return g.output()->previous(); }

IValue input(const Node& n) {
  const ir::TensorType& t = n.type().tensor();
  Dims sizes;
  for (const auto& d : *t.sizes) sizes.push_back(d->as_int());
  Tensor made = empty(sizes, *t.dtype);
  std::memset(made.data(), 0, made.nbytes());
  return made;
}
IValue value_of(ir::ArgRef a) {
  if (const Node* n = a.node()) return input(*n);
  if (!a.is(ir::ArgKind::List) && !a.is(ir::ArgKind::Tuple)) return exec::literal(a);
  std::vector<IValue> items;
  for (ir::ArgRef part : a) items.push_back(value_of(part));
  return a.is(ir::ArgKind::List) ? IValue::list(std::move(items)) : IValue::tuple(std::move(items));
}

// A node's call, by the name of its operator.
struct ByName {
  explicit ByName(const Node& n) {
    const std::string& name = n.target().name();
    python = name.starts_with("torch.");
    base = python ? name.substr(name.rfind('.') + 1) : n.info() ? n.info()->schema().name() : name;
    for (size_t k = 0; k < n.arg_count(); ++k) {
      if (k < n.positional_count()) args.push_back(value_of(n.arg(k)));
      else keywords.push_back({n.keyword(k - n.positional_count()), value_of(n.arg(k))});
    }
  }
  const Operator& bind(bool in_order) {
    return monograph::bind(find_overloads(base), args, keywords, bound, {.in_order = in_order, .python = python});
  }
  std::string base;
  std::vector<IValue> args;
  std::vector<Keyword> keywords;
  Bound bound;
  bool python;
};

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

std::string problem_of(const Graph& g) {
  for (const ir::Problem& p : ir::problems(g))
    if (p.node && p.node->op() == ir::Op::CallFunction) return p.message;
  return "no problem";
}

// The canonical form, which has no types of inputs, with those of the graph.
std::unique_ptr<Graph> typed_canonical(const Graph& g) {
  auto form = passes::canonical(g);
  const std::vector<Node*> from = g.placeholders(), to = form->placeholders();
  EXPECT_EQ(from.size(), to.size());
  for (size_t k = 0; k < to.size(); ++k) form->set_type(to[k], from[k]->type());
  return form;
}

std::string behind(const std::string& text, std::string_view prefix) {
  const size_t at = text.find(prefix);
  return at == std::string::npos ? text : text.substr(at + prefix.size());
}

TEST(Bind, FailsWithTheSameWordsEverywhere) {
  const std::vector<BadCall> bad = examples("bad.txt");
  EXPECT_GE(bad.size(), 50u);
  for (const BadCall& e : bad) {
    auto g = graph_of(e.call);
    Node* n = call_of(*g);
    const bool one_overload = n->info() != nullptr;  // the call names it, so the message is about that one alone
    ByName eager(*n);
    if (!one_overload) {
      EXPECT_EQ(error_of([&] { eager.bind(false); }), e.expected) << "by name: " << e.call;
      if (eager.keywords.empty()) EXPECT_EQ(error_of([&] { eager.bind(true); }), e.expected) << "by name, in order: " << e.call;
    }
    EXPECT_EQ(problem_of(*g), e.expected) << "as text: " << e.call;

    Graph made;
    Graph::NodeMap map;
    for (Node* p : g->placeholders()) map[p] = made.placeholder(p->name(), p->type());
    ir::Args args;
    for (size_t k = 0; k < n->arg_count(); ++k) {
      if (k >= n->positional_count()) args.name(n->keyword(k - n->positional_count()));
      args.add_mapped(n->arg(k), [&](Node* v) { return map[v]; });
    }
    made.set_output(ir::Args(one_overload ? made.call(n->info()->name(), args)
                                          : made.create(ir::Op::CallFunction, made.target(n->target().name()), args)));
    EXPECT_EQ(problem_of(made), e.expected) << "as a node: " << e.call;

    EXPECT_EQ(problem_of(*typed_canonical(*g)), e.expected) << "in canonical form: " << e.call;
    EXPECT_EQ(behind(error_of([&] { exec::plan(*g); }), "cannot run: "), e.expected) << "in a plan: " << e.call;
  }
}

std::string shown(const Operator& op, const Bound& bound) {
  std::string text = op.name() + "(";
  for (size_t i = 0; i < bound.size(); ++i) {
    const IValue& v = bound[i];
    text += i ? ", " : "";
    if (v.is_tensor() && v.as_tensor()->wrapped_number) {
      const IValue number = first_number(v.as_tensor());
      ir::Args literal;
      number.is_float() ? literal.add(number.to_double()) : literal.add(number.to_int());
      ir::print_arg(text, literal[0]);
    } else if (v.is_tensor()) {
      text += concat("Tensor", to_string(v.as_tensor().sizes()));
    } else if (v.is_list() || v.is_tuple()) {
      text += "[";
      for (size_t k = 0; k < v.items().size(); ++k) text += concat(k ? ", " : "", "Tensor", to_string(v.items()[k].as_tensor().sizes()));
      text += "]";
    } else if (v.is_ints()) {
      text += to_string(v.to_ints());
    } else {
      ir::Args literal;
      if (v.is_none()) literal.none();
      else if (v.is_bool()) literal.add(v.to_bool());
      else if (v.is_int()) literal.add(v.to_int());
      else if (v.is_float()) literal.add(v.to_double());
      else if (v.is_string()) literal.add(v.to_string());
      else if (v.tag() == IValue::Tag::Dtype) literal.add(v.to_dtype());
      else if (v.tag() == IValue::Tag::Device) literal.add(v.to_device());
      else literal.add(describe(v));
      ir::print_arg(text, literal[0]);
    }
  }
  return text + ")";
}

// The arguments as the operator sees them when a graph runs.
class CallRecorder : public DispatchMode {
 public:
  void call(const Operator& op, const IValue* args, IValue* results) override {
    if (text.empty()) text = shown(op, Bound(args, args + op.schema().arguments().size()));
    monograph::call(op, args, results);
  }
  std::string text;
};

TEST(Bind, GivesTheSameArgumentsEverywhere) {
  for (const BadCall& e : examples("good.txt")) {
    auto g = graph_of(e.call);
    Node* n = call_of(*g);
    ByName eager(*n);
    if (!n->info()) {
      const Operator& op = eager.bind(false);
      EXPECT_EQ(shown(op, eager.bound), e.expected) << "by name: " << e.call;
    }
    ir::verify(*g);
    EXPECT_EQ(n->info() ? n->info() : resolve(*n), &find_operator(e.expected.substr(0, e.expected.find('(')))) << "as a node: " << e.call;
    for (bool canonical : {false, true}) {
      std::unique_ptr<Graph> form = canonical ? passes::canonical(*g, {.functionalize = false}) : nullptr;
      std::vector<IValue> inputs;
      for (Node* p : g->placeholders()) inputs.push_back(input(*p));
      CallRecorder seen;
      DispatchModeScope scope(seen);
      const Graph& runs = canonical ? *form : *g;
      inputs.resize(runs.placeholders().size());
      exec::plan(runs)(inputs);
      EXPECT_EQ(seen.text, e.expected) << (canonical ? "in canonical form: " : "in a plan: ") << e.call;
    }
  }
}

}  // namespace
}  // namespace monograph
