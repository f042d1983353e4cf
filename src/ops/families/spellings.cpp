// Overloads in which a tensor stands for a number, a number for a tensor, or a list for its tensors. Each is made of another overload, and torch.ops and
// TorchScript alone have them: Python's functions take such values as they are.
#include "ops/dispatch.h"
#include "ops/families/creation.h"
#include "ops/families/error_kinds.h"
#include "ops/pointwise.h"
#include "ops/registry.h"
#include "ops/rule.h"
#include "ops/tensor_facts.h"

namespace monograph {
namespace {

// The number in a tensor that stands for the argument `name` of an operator.
IValue number_in_tensor(const IValue& v, const char* op, const char* name) {
  if (!v.is_tensor()) return v;
  const size_t dims = v.as_tensor().sizes().size();
  MONOGRAPH_CHECK(dims == 0, Runtime, op, " only supports 0-dimensional start and end tensors, but got ", name, " with ", dims,
                  " dimension(s).");
  return "item"_op(v);
}

IValue linspace_of_tensors(const IValue* a) {
  return "linspace"_op(number_in_tensor(a[0], "linspace", "start"), number_in_tensor(a[1], "linspace", "end"), a[2], a[3], a[4], a[5],
                       a[6]);
}
IValue logspace_of_tensors(const IValue* a) {
  return "logspace"_op(number_in_tensor(a[0], "logspace", "start"), number_in_tensor(a[1], "logspace", "end"), a[2], a[3], a[4], a[5], a[6],
                       a[7]);
}

IValue narrow_from_tensor(const IValue* a) {
  const Tensor& start = a[2].as_tensor();
  MONOGRAPH_CHECK(start.sizes().empty() && is_integral(start.dtype()), Runtime, "start must be an 0-dim integral Tensor.");
  return "narrow"_op(a[0], a[1], "item"_op(start), a[3]);
}

IValue integers_below_tensor(const IValue& self, const IValue& high, const IValue& generator, const IValue* options) {
  const Tensor& t = high.as_tensor();
  MONOGRAPH_CHECK(t.sizes().empty(), Runtime, "high must be a scalar tensor and on CPU, but it has ", t.sizes().size(), " dimension(s)");
  const IValue limit = "item"_op(t);
  if (generator.is_none()) return "randint_like"_op(self, limit, options[0], options[1], options[2], options[3], options[4]);
  return "randint_like"_op(self, limit, generator, options[0], options[1], options[2], options[3], options[4]);
}

// A batch of sequences, each filled up to the longest.
IValue pad_sequences(const IValue* a) {
  const std::vector<IValue>& sequences = a[0].items();
  const bool batch_first = a[1].to_bool(), left = a[3].to_string() == "left";
  MONOGRAPH_CHECK(!sequences.empty(), Runtime, "received an empty list of sequences");
  MONOGRAPH_CHECK(left || a[3].to_string() == "right", Runtime, "Expected padding_side to be one of left or right, but got ",
                  a[3].to_string(), ".");
  int64_t longest = 0;
  for (const IValue& s : sequences) longest = std::max(longest, s.as_tensor().sizes()[place_of_dim(s.as_tensor(), 0)]);
  std::vector<IValue> padded;
  for (const IValue& s : sequences) {
    const Tensor t = "to"_op(s, sequences[0].as_tensor().dtype());
    Dims places(2 * t.sizes().size(), 0);
    places[places.size() - (left ? 2 : 1)] = longest - t.size(0);
    padded.emplace_back("constant_pad_nd"_op(t, places, a[2]));
  }
  return "stack"_op(IValue::list(std::move(padded)), batch_first ? 0 : 1);
}

// What all of these state: Python has neither the function nor the method, and a test of its own compares it.
OpBuilder in_operators_alone(OpBuilder b, const char* no_onnx, const char* doc) {
  b.function_only().method_only();
  b.onnx(none(no_onnx)).samples(none("test_overloads_like_pytorch.py compares it")).doc(doc);
  return b;
}
constexpr const char* kOtherOverload = "decomposes to another overload";

void of_tensors(Registry& r) {
  auto op = [&](const char* schema, DecomposeFn make, const char* doc) {
    return in_operators_alone(r.op(schema).decompose(make), kOtherOverload, doc);
  };
  op("narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)", narrow_from_tensor,
     "A view of `length` places along a dim, from the place in a tensor on.");
  op(
      "remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
      [](const IValue* a) -> IValue { return "remainder"_op(wrapped_number(a[0]), a[1]); }, "Python's %: the sign of the divisor.")
      .operator_out();
  op(
      "bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor",
      [](const IValue* a) -> IValue { return "bernoulli_"_op("clone"_op(a[0]), a[1], a[2]); },
      "1 with the probability that each element of `p` states, else 0.")
      .effects(kDraws)
      .operator_out();
  op(
      "to.prim_dtype(Tensor(a) self, ScalarType? dtype=None, bool non_blocking=False, bool copy=False) -> Tensor(a|b)",
      [](const IValue* a) -> IValue { return "to"_op(a[0], IValue(), a[1], a[2], a[3]); },
      "Converted to another dtype; itself where nothing changes.")
      .may_return("self")
      .special(Special::OtherSchemaText, "a dtype is a ScalarType");
  op(
      "to.prim_other(Tensor(a) self, bool non_blocking=False, bool copy=False) -> Tensor(a|b)",
      [](const IValue* a) -> IValue { return "to"_op(a[0], IValue(), IValue(), a[1], a[2]); }, "The tensor itself, or a copy.")
      .may_return("self");
  op("pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0.0, str padding_side='right') -> Tensor", pad_sequences,
     "A batch of sequences, each filled up to the longest.");
}

// Draws and steps between numbers that tensors hold.
void of_numbers_in_tensors(Registry& r) {
  auto op = [&](std::string_view head, std::string_view options, DecomposeFn make, const char* doc) -> OpBuilder {
    OpBuilder b = in_operators_alone(r.op(concat(head, options, ") -> Tensor").c_str()).decompose(make), kOtherOverload, doc);
    return b.gradient(constant("its result does not depend on its arguments' elements"));
  };
  constexpr std::string_view kOptions = "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None";
  for (const char* ends :
       {"Tensor_Tensor(Tensor start, Tensor end", "Tensor_Scalar(Tensor start, Scalar end", "Scalar_Tensor(Scalar start, Tensor end"}) {
    op(concat("linspace.", ends, ", int steps, *, "), kOptions, linspace_of_tensors, "Numbers from one end to the other, both included.")
        .operator_out();
    op(concat("logspace.", ends, ", int steps, float base=10.0, *, "), kOptions, logspace_of_tensors, "Powers whose exponents lie evenly.")
        .operator_out();
  }
  const std::string like = concat(kOptions, ", MemoryFormat? memory_format=None");
  op(
      "randint_like.Tensor(Tensor self, Tensor high, *, ", like,
      [](const IValue* a) -> IValue { return integers_below_tensor(a[0], a[1], {}, a + 2); },
      "Integers from 0 to below `high`, like `self`.")
      .effects(kDraws)
      .operator_out();
  op(
      "randint_like.Tensor_generator(Tensor self, Tensor high, *, Generator? generator, ", like,
      [](const IValue* a) -> IValue { return integers_below_tensor(a[0], a[1], a[2], a + 3); },
      "Integers from 0 to below `high`, like `self`.")
      .effects(kDraws)
      .operator_out();
}

// Normal numbers in the sizes of a tensor: normal() of PyTorch's torch.ops, which reads no element of `self`.
void normal_numbers(Registry& r) {
  auto op = [&](const char* schema) -> OpBuilder {
    OpBuilder b = r.op(schema);
    b.effects(kDraws).gradient(constant("its result does not depend on its argument's elements"));
    return in_operators_alone(b, "RandomNormal draws other numbers", "Normal numbers of this mean and deviation, in the sizes of `self`.");
  };
  op("normal_functional(Tensor self, float mean=0.0, float std=1.0, *, Generator? generator=None) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return "normal_"_op("clone"_op(a[0]), a[1], a[2], a[3]); });
  op("normal.out(Tensor self, float mean=0.0, float std=1.0, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)")
      .functional("aten::normal_functional")
      .eval(eval_composite_form);
}

// A number that is written into a tensor.
void of_numbers(Registry& r) {
  r.op({"copy_.int(Tensor(a!) self, int other) -> Tensor(a!)", "copy_.float(Tensor(a!) self, float other) -> Tensor(a!)"})
      .rule([](RuleCall& c) { c.argument(0); })
      .decompose([](const IValue* a) -> IValue { return "fill_"_op(a[0], a[1]); }, Reads::Nothing)
      .function_only()
      .method_only()
      .gradient([](GradCall& c) { c.set(0, "zeros_like"_op(c.grad())); })
      .onnx(none("writes in place; export the functional form"))
      .samples(none("test_overloads_like_pytorch.py compares it"))
      .doc("Writes one number everywhere.");
}

// The elements beside the tensors of a list: one number for all, or a list.
IValue beside(const IValue& v, size_t k) {
  if (v.is_ints()) return v.to_ints()[k];
  return v.is_list() ? v.items().at(k) : v;
}

// Operators on lists of tensors, element by element.
template <class F>
IValue each_of(const std::vector<IValue>& tensors, F f) {
  std::vector<IValue> results;
  for (size_t k = 0; k < tensors.size(); ++k) results.emplace_back(f(tensors[k], k));
  return IValue::list(std::move(results));
}
void check_lengths(const IValue& tensors, const IValue& others) {
  const size_t n = tensors.items().size();
  MONOGRAPH_CHECK(n > 0, Runtime, "Tensor list must have at least one tensor.");
  if (!others.is_list() && !others.is_ints()) return;
  const size_t m = others.is_ints() ? others.to_ints().size() : others.items().size();
  MONOGRAPH_CHECK(n == m, Runtime, "Tensor lists must have the same number of tensors, got ", n, " and ", m);
}

void of_lists(Registry& r) {
  auto finish = [](OpBuilder b, const char* doc) { in_operators_alone(b, "decomposes to operators on its tensors", doc); };
  const DecomposeFn powers = [](const IValue* a) -> IValue {
    check_lengths(a[0], a[1]);
    return each_of(a[0].items(), [&](const IValue& x, size_t k) -> IValue { return "pow"_op(x, beside(a[1], k)); });
  };
  for (const char* schema : {"_foreach_pow.List(Tensor[] self, Tensor[] exponent) -> Tensor[]",
                             "_foreach_pow.Scalar(Tensor[] self, Scalar exponent) -> Tensor[]",
                             "_foreach_pow.ScalarList(Tensor[] self, Scalar[] exponent) -> Tensor[]"})
    finish(r.op(schema).decompose(powers).operator_out(), "Each tensor raised to its exponent.");
  finish(r.op("_foreach_pow.ScalarAndTensor(Scalar self, Tensor[] exponent) -> Tensor[]").decompose([](const IValue* a) -> IValue {
    check_lengths(a[1], {});
    return each_of(a[1].items(), [&](const IValue& x, size_t) -> IValue { return "pow"_op(a[0], x); });
  }),
         "One number raised to each exponent.");
  ir::Effects writes;
  writes.reads = writes.writes = ir::Effects::Memory;
  const EvalFn lerp = [](const Operator&, const IValue* a, IValue*) {
    check_lengths(a[0], a[1]), check_lengths(a[0], a[2]);
    for (size_t k = 0; k < a[0].items().size(); ++k) "lerp_"_op(a[0].items()[k], beside(a[1], k), beside(a[2], k));
  };
  for (const char* schema : {"_foreach_lerp_.List(Tensor(a!)[] self, Tensor[] tensors1, Tensor[] weights) -> ()",
                             "_foreach_lerp_.Scalar(Tensor(a!)[] self, Tensor[] tensors1, Scalar weight) -> ()",
                             "_foreach_lerp_.ScalarList(Tensor(a!)[] self, Tensor[] tensors1, Scalar[] weight) -> ()"})
    finish(r.op(schema).eval(lerp).effects(writes).gradient(none("call lerp_ on each tensor, or _foreach_lerp, whose results are new")),
           "lerp_ of each two tensors by the weight of all, or by its own.");
}

}  // namespace

void spellings(Registry& r) {
  of_tensors(r);
  of_numbers_in_tensors(r);
  normal_numbers(r);
  of_numbers(r);
  of_lists(r);
}

}  // namespace monograph
