// The shape rule of a record beside its decomposition. The rule alone states the results of a call, and the decomposition must make what the rule states: the
// same dtypes and sizes, and no error. Both are compared on PyTorch's frozen cases, with other sizes in the place of the tensors' own, 0 and 1
// among them.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <set>

#include "core/error.h"
#include "frozen_ops.h"
#include "ops/composite_types.h"
#include "ops/rule.h"

namespace monograph {
namespace {

constexpr int64_t kSizes[] = {0, 1, 3, 8};

// Every size `from` of a call's tensors, and of its other sizes if `in_numbers`, becomes `to`.
struct Change {
  int64_t from = -1;
  SymInt to = 0;
  bool in_numbers = false;
};

bool is_symint(ir::Type type) {
  if (type.is(ir::TypeKind::Optional) || type.is(ir::TypeKind::List)) return is_symint(type.element());
  return type.is(ir::TypeKind::SymInt);
}

void apply(const Change& change, bool is_size, AbstractValue& v) {
  if (v.items)
    for (AbstractValue& item : *v.items) apply(change, is_size, item);
  if (v.is_tensor() && v.tensor.sizes) {
    for (Dim& d : *v.tensor.sizes)
      if (d == SymInt(change.from)) d = change.to;
    v.type = v.tensor;
  } else if (is_size && change.in_numbers && v.integer == SymInt(change.from)) {
    v.integer = change.to, v.number.reset();
  }
}

std::vector<AbstractValue> changed(const Operator& op, const std::vector<IValue>& args, const std::vector<Change>& changes) {
  std::vector<AbstractValue> known;
  for (size_t i = 0; i < args.size(); ++i) {
    known.push_back(AbstractValue::of(args[i]));
    for (const Change& c : changes) apply(c, is_symint(op.schema().arguments()[i].type), known.back());
  }
  return known;
}

// What a rule or a decomposition says of a call: the types of its results, or an error. `silent`: the types of the arguments do not tell.
struct Answer {
  std::vector<ir::Type> types;
  std::string error;
  bool silent = false;
};

template <class F>
Answer answer(F&& f) {
  Answer a;
  try {
    a.types = f();
    a.silent = a.types.empty();
  } catch (const Error& e) {
    a.error = e.what();
  }
  return a;
}

// "" if the rule's type of a result is the decomposition's. What the decomposition does not tell, the rule need not tell. An empty list has no type.
std::string difference(ir::Type rule, ir::Type decomposition) {
  std::string both = concat(to_string(rule), " by the rule, ", to_string(decomposition), " by the decomposition");
  if (!decomposition || decomposition.is(ir::TypeKind::List)) return rule.is(ir::TypeKind::List) ? "" : both;
  if (!decomposition.is(ir::TypeKind::Tensor)) return rule == decomposition ? "" : both;
  if (!rule.is(ir::TypeKind::Tensor)) return both;
  const ir::TensorType &x = rule.tensor(), &y = decomposition.tensor();
  if (y.dtype && x.dtype != y.dtype) return both;
  if (!y.sizes) return "";
  if (!x.sizes || x.sizes->size() != y.sizes->size()) return both;
  for (size_t d = 0; d < y.sizes->size(); ++d)
    if ((*y.sizes)[d] && (*x.sizes)[d] != (*y.sizes)[d]) return both;
  return "";
}

std::string text_of(const std::vector<AbstractValue>& args) {
  std::string text;
  for (const AbstractValue& v : args)
    text += concat(text.empty() ? "" : ", ", v.is_tensor() ? to_string(v.type)
                                             : v.integer   ? to_string(*v.integer)
                                             : v.is_none   ? "None"
                                                           : "..");
  return text;
}

std::set<int64_t> sizes_among(const std::vector<IValue>& args) {
  std::set<int64_t> found;
  std::function<void(const IValue&)> visit = [&](const IValue& v) {
    if (v.is_tensor()) found.insert(v.as_tensor().sizes().begin(), v.as_tensor().sizes().end());
    if (v.is_list())
      for (const IValue& item : v.items()) visit(item);
  };
  for (const IValue& v : args) visit(v);
  return found;
}

// Whether sizes of the results depend on elements. Stand-ins have none, so the decomposition cannot run.
bool waits_for_elements(const Operator& op, const std::vector<AbstractValue>& args) {
  RuleCall call(op, args);
  op.rule(call);
  return call.waits();
}

// Operators whose results have other sizes if a tensor is empty, and why no expression of a symbol says so.
const std::map<std::string, const char*> kOtherIfEmpty = {
    {"aten::repeat_interleave.Tensor", "as in PyTorch, nothing compares output_size with the sum of no repeats, which is 0"},
    {"aten::pixel_unshuffle", "PyTorch's kernel gives an empty tensor its own sizes, and its shape function those of other tensors"},
};

class Comparison {
 public:
  void compare(const Operator& op, const std::vector<IValue>& args) {
    by_numbers(op, changed(op, args, {}));
    for (const int64_t from : sizes_among(args)) {
      for (const bool in_numbers : {false, true}) {
        for (const int64_t to : kSizes)
          if (to != from) by_numbers(op, changed(op, args, {{from, SymInt(to), in_numbers}}));
        by_symbol(op, args, from, in_numbers);
      }
    }
    ++calls_, operators_.insert(op.name());
  }
  void report() const {
    for (const auto& [op, text] : failures_) ADD_FAILURE() << op << ": " << text;
    std::cout << calls_ << " calls of " << operators_.size() << " operators, " << answers_ << " answers by both\n";
    EXPECT_GT(operators_.size(), 100u);
  }

 private:
  void fail(const Operator& op, const std::vector<AbstractValue>& args, const std::string& text) {
    failures_.emplace(op.name(), concat("(", text_of(args), "): ", text));
  }
  void by_numbers(const Operator& op, const std::vector<AbstractValue>& args) {
    const Answer rule = answer([&] { return rule_types(op, op.rule, args); });
    if (!rule.error.empty()) return;  // a decomposition checks nothing: it is run only on calls that the rule takes
    if (rule.types.size() != op.schema().returns().size()) return fail(op, args, "the rule does not state each result");
    if (waits_for_elements(op, args)) return;
    const Answer made = answer([&] { return composite_types(op, args); });
    if (!made.error.empty()) return fail(op, args, "only the decomposition raises an error: " + made.error);
    if (made.silent) return;
    ++answers_;
    for (size_t k = 0; k < rule.types.size(); ++k)
      if (std::string s = difference(rule.types[k], made.types[k]); !s.empty()) return fail(op, args, s);
  }
  // The rule for a symbol gives expressions, whose values at a number are what the rule gives for that number.
  void by_symbol(const Operator& op, const std::vector<IValue>& args, int64_t from, bool in_numbers) {
    Symbol symbol;
    symbol.name = "n";
    const auto symbolic = changed(op, args, {{from, SymInt::symbol(symbol), in_numbers}});
    const Answer general = answer([&] { return rule_types(op, op.rule, symbolic); });
    for (const int64_t to : {from, kSizes[0], kSizes[1], kSizes[2], kSizes[3]}) {
      if (to == 0 && kOtherIfEmpty.contains(op.original_name())) continue;
      const auto numbers = changed(op, args, {{from, SymInt(to), in_numbers}});
      const Answer there = answer([&] { return rule_types(op, op.rule, numbers); });
      if (!there.error.empty()) continue;
      if (!general.error.empty()) return fail(op, symbolic, "an error, but there is none for a number: " + general.error);
      for (size_t k = 0; k < there.types.size(); ++k)
        if (!holds(general.types[k], there.types[k], to))
          return fail(op, symbolic, concat(to_string(general.types[k]), ", which for ", to, " is not ", to_string(there.types[k])));
    }
  }
  static bool holds(ir::Type general, ir::Type there, int64_t n) {
    if (general.is(ir::TypeKind::List) && there.is(ir::TypeKind::List)) return holds(general.element(), there.element(), n);
    if (!general.is(ir::TypeKind::Tensor) || !there.is(ir::TypeKind::Tensor)) return general == there;
    const ir::TensorType &x = general.tensor(), &y = there.tensor();
    if (x.dtype && x.dtype != y.dtype) return false;
    if (!x.sizes) return true;
    if (!y.sizes || x.sizes->size() != y.sizes->size()) return false;
    for (size_t d = 0; d < x.sizes->size(); ++d)
      if (const Dim& a = (*x.sizes)[d]; a && a->evaluate([&](const Symbol&) { return n; }) != (*y.sizes)[d]) return false;
    return true;
  }
  std::map<std::string, std::string> failures_;
  std::set<std::string> operators_;
  size_t calls_ = 0, answers_ = 0;
};

TEST(ShapeRules, StateWhatTheDecompositionsMake) {
  install_operators();
  Comparison comparison;
  frozen::for_each_case([&](const Operator& op, const std::vector<IValue>& args, const frozen::Json&) {
    if (op.rule && op.decompose && !op.functional) comparison.compare(op, args);
  });
  comparison.report();
}

// On the meta device the rule gives tensors, and so does the decomposition: their lists have the same tensors.
TEST(ShapeRules, GiveTheTensorsOfTheDecompositionsOnMeta) {
  install_operators();
  std::map<std::string, std::string> failures;
  size_t calls = 0;
  frozen::for_each_case([&](const Operator& op, const std::vector<IValue>& args, const frozen::Json&) {
    if (!op.rule || !op.decompose || op.functional) return;
    std::set<int64_t> sizes = sizes_among(args);
    for (const int64_t from : sizes) {
      for (const int64_t to : {from, kSizes[0], kSizes[1], kSizes[3]}) {
        std::function<IValue(const IValue&)> on_meta = [&](const IValue& v) -> IValue {
          if (v.is_list()) {
            std::vector<IValue> items;
            for (const IValue& item : v.items()) items.push_back(on_meta(item));
            return IValue::list(std::move(items));
          }
          if (!v.is_tensor()) return v;
          Dims own = v.as_tensor().sizes();
          std::ranges::replace(own, from, to);
          return empty(own, v.as_tensor().dtype(), Device{DeviceType::Meta});
        };
        std::vector<IValue> values;
        for (const IValue& v : args) values.push_back(on_meta(v));
        IValue made[8], given[8];
        try {
          RuleCall call(op, values.data());
          op.rule(call);
          if (call.waits()) continue;  // the decomposition reads elements
          run_decomposition(op, values.data(), made);  // it checks the call by the rule first
        } catch (const Error&) {
          continue;  // the call is wrong, or the decomposition reads elements
        }
        try {
          run(op, values.data(), given);
        } catch (const Error& e) {
          failures[op.name()] = e.what();
          continue;
        }
        ++calls;
        for (size_t k = 0; k < op.schema().returns().size(); ++k) {
          auto tensors = [](const IValue& v) {
            return v.is_tensor() ? std::vector<Tensor>{v.to_tensor()} : v.is_list() ? v.to_tensors() : std::vector<Tensor>();
          };
          const std::vector<Tensor> x = tensors(given[k]), y = tensors(made[k]);
          bool same = x.size() == y.size();
          for (size_t i = 0; same && i < x.size(); ++i) same = x[i].dtype() == y[i].dtype() && x[i].sizes() == y[i].sizes();
          if (!same) failures[op.name()] = concat("result ", k, " is another one where size ", from, " is ", to);
        }
      }
    }
  });
  for (const auto& [op, message] : failures) ADD_FAILURE() << op << ": " << message;
  std::cout << calls << " calls\n";
}

// A list's length and the sizes of its tensors, where a graph knows them.
TEST(ShapeRules, ListsOfNumbersHaveTheirLength) {
  install_operators();
  auto length = [](const char* op, std::vector<IValue> args) {
    const Operator& found = find_operator(op);
    std::vector<AbstractValue> known;
    for (const IValue& v : args) known.push_back(AbstractValue::of(v));
    Size count;
    const auto types = rule_types(found, found.rule, known, &count);
    return concat(to_string(types[0]), " x ", to_string(count));
  };
  auto x = [](int64_t n) { return IValue(empty({2, n}, DType::f32)); };
  for (const char* op : {"aten::split.Tensor", "aten::unsafe_split.Tensor", "aten::split_copy.Tensor"}) {
    EXPECT_EQ(length(op, {x(6), 3, 1}), "Float(2, 3, device=cpu)[] x 2") << op;
    EXPECT_EQ(length(op, {x(7), 3, 1}), "Float(2, *, device=cpu)[] x 3") << op;
    EXPECT_EQ(length(op, {x(2), 3, 1}), "Float(2, 2, device=cpu)[] x 1") << op;
    EXPECT_EQ(length(op, {x(0), 3, 1}), "Float(2, 0, device=cpu)[] x 1") << op;
    EXPECT_EQ(length(op, {x(0), 0, 1}), "Float(2, 0, device=cpu)[] x 1") << op;
  }
  for (const char* op : {"aten::chunk", "aten::unsafe_chunk"}) {
    EXPECT_EQ(length(op, {x(6), 3, 1}), "Float(2, 2, device=cpu)[] x 3") << op;
    EXPECT_EQ(length(op, {x(5), 4, 1}), "Float(2, *, device=cpu)[] x 3") << op;
    EXPECT_EQ(length(op, {x(0), 4, 1}), "Float(2, 0, device=cpu)[] x 4") << op;
    EXPECT_EQ(length(op, {x(1), 4, 1}), "Float(2, 1, device=cpu)[] x 1") << op;
  }
}

}  // namespace
}  // namespace monograph
