// Random operators: rand, randn, randint, randperm and their NAME_like forms, uniform_, normal_, bernoulli, multinomial, dropout, and draws from gamma,
// Dirichlet and binomial distributions. A seed gives the same numbers as in PyTorch. kernels/random.h states how each kernel reads the generator's stream.
#include "ops/generator_value.h"

#include <limits>

#include "kernels/draws.h"
#include "kernels/random.h"
#include "kernels/random_checks.h"
#include "ops/dispatch.h"
#include "ops/families/composite.h"
#include "ops/families/creation.h"
#include "ops/families/wide_floats.h"
#include "ops/torchscript_names.h"

namespace monograph {

namespace {

// --- Rules. They describe the results and check the numbers of a call. A number that a graph computes is unknown and is not checked.

// The dtype of a factory without dtype=: int64 for randint and randperm, else the default dtype.
DType drawn_dtype(const Operator& op) {
  return op.base_name().starts_with("randint") || op.schema().index_of("size") < 0 ? DType::i64 : default_dtype();
}

// Checks the known numbers of a call, and the dtype t of its result.
using DrawCheck = void (*)(const RuleCall& c, DType t);

void check_drawn(const RuleCall& c, DrawCheck check) {
  const RuleCall::Result& r = c.results()[0];
  if (r.sizes.ranked()) check_random_dims(c.op.name(), static_cast<int64_t>(r.sizes.size()));
  if (r.dtype) check(c, *r.dtype);
  if (int at = c.op.schema().index_of("generator"); c.eager() && at >= 0) generator_of(c.value(static_cast<size_t>(at)));
}

void unit_uniform(const RuleCall& c, DType t) { check_uniform(c.op.name(), t, 0, 1); }
void unit_normal(const RuleCall& c, DType t) { check_normal(c.op.name(), t, 1); }
void any_integers(const RuleCall& c, DType t) { check_random(c.op.name(), t); }
template <size_t kLow>  // the position of `low`; `high`, the next argument, may be None
void integers(const RuleCall& c, DType t) {
  auto low = c.integer(kLow), high = c.none(kLow + 1) ? std::nullopt : c.integer(kLow + 1);
  if (low && (high || c.none(kLow + 1))) check_random(c.op.name(), t, *low, high);
}
template <size_t kHigh>
void integers_below(const RuleCall& c, DType t) {
  if (auto high = c.integer(kHigh)) check_random(c.op.name(), t, 0, high);
}
void permutation(const RuleCall& c, DType t) {
  if (auto n = c.integer(0)) check_randperm(c.op.name(), t, *n);
}
void uniform(const RuleCall& c, DType t) {
  if (auto from = c.real(1), to = c.real(2); from && to) check_uniform(c.op.name(), t, *from, *to);
}
void normal(const RuleCall& c, DType t) {
  if (auto std = c.real(2)) check_normal(c.op.name(), t, *std);
}
void exponential(const RuleCall& c, DType t) {
  if (auto lambda = c.real(1)) check_exponential(c.op.name(), t, *lambda);
}
void geometric(const RuleCall& c, DType t) {
  auto p = c.real(1);
  c.check(!p || (*p > 0 && *p < 1), ErrorKind::Runtime, "geometric_ expects p to be in (0, 1), but got p=", p.value_or(0));
  check_random(c.op.name(), t);
  c.check_dtype(t, [](DType given) { return given != DType::b1; }, "geometric_");
}
void cauchy(const RuleCall& c, DType t) {
  auto sigma = c.real(2);
  c.check(is_floating(t), ErrorKind::Runtime,
          "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you specified ",
          scalar_type(t));
  c.check(!sigma || *sigma > 0, ErrorKind::Runtime, "cauchy_ expects sigma > 0.0, but found sigma=", sigma.value_or(0));
}
void log_normal(const RuleCall& c, DType t) {
  auto std = c.real(2);
  c.check_dtype(t, is_floating, "log_normal");
  c.check(!std || *std > 0, ErrorKind::Runtime, "log_normal_ expects std > 0.0, but found std=", std.value_or(0));
}
void bernoulli(const RuleCall& c, DType t) {
  if (auto p = c.real(1)) check_bernoulli(c.op.name(), t, *p);
}

// A factory of random numbers. Its sizes are in `size`, except for randperm, which has n.
template <DrawCheck kCheck>
void source_rule(RuleCall& c) {
  const int size = c.op.schema().index_of("size");
  c.made(size < 0 ? Sizes{c.size(0)} : c.ints(static_cast<size_t>(size)), drawn_dtype(c.op));
  check_drawn(c, kCheck);
}
template <DrawCheck kCheck>
void like_source_rule(RuleCall& c) {
  like_rule(c);
  check_drawn(c, kCheck);
}
template <DrawCheck kCheck>
void written_rule(RuleCall& c) {
  c.argument(0);
  check_drawn(c, kCheck);
}
void bernoulli_rule(RuleCall& c) {
  c.like(0, c.sizes(0));
  check_drawn(c, [](const RuleCall& of, DType t) { check_bernoulli(of.op.name(), t, t); });
}
void bernoulli_of_rule(RuleCall& c) {
  c.like(0, c.sizes(0));
  check_drawn(c, bernoulli);
}
void bernoulli_like_rule(RuleCall& c) {
  check_dropped(c.dtype(0));
  bernoulli_of_rule(c);
  if (!c.eager()) return;
  const Tensor& self = c.value(0).as_tensor();
  c.lay_out(SizesRef(self->contiguous ? self.strides() : result_strides(self.sizes(), std::span(&self.strides(), 1))));
}
void multinomial_rule(RuleCall& c) {
  Sizes s = c.sizes(0);
  c.check(!s.ranked() || s.size() == 1 || s.size() == 2, ErrorKind::Runtime, "prob_dist must be 1 or 2 dim, but it has ", s.size());
  const Size count = s.ranked() ? s.back() : Size();
  if (s.ranked()) s.set(s.size() - 1, c.size(1));
  auto t = c.dtype(0);
  const auto samples = c.integer(1), categories = count.number();
  const auto replacement = c.truth(2);
  if (t && samples && categories && replacement) check_multinomial(c.op.name(), *t, *categories, *samples, *replacement);
  c.result(s, DType::i64);
  if (!c.eager()) return;
  generator_of(c.value(3));
  c.scratch(multinomial_scratch(*t, s.size() == 2 ? s[0].as_int() : 1, *categories, *samples, *replacement));
}

void check_deviation(const RuleCall& c, size_t i) {
  auto std = c.real(i);
  c.check(!std || *std >= 0, ErrorKind::Runtime, "normal expects std >= 0.0, but found std ", std.value_or(0));
}

// normal(mean, std), where kMean and kStd are the positions of their tensors. If only one of the two is a tensor, both are its position.
template <size_t kMean, size_t kStd>
void normal_rule(RuleCall& c) {
  const bool both = kMean != kStd;
  if (!both && kMean == 0) check_deviation(c, 1);
  if (kStd == 1 && c.eager() && !c.meta()) {
    const Tensor& std = c.value(1).as_tensor();
    c.check(!is_complex(std.dtype()), ErrorKind::Runtime, "normal expects standard deviation to be non-complex");
    const GradModeScope off(false);
    c.check(std.numel() == 0 || "Bool"_op("all"_op("ge"_op(std, 0))).to_bool(), ErrorKind::Runtime,
            "normal expects all elements of std >= 0.0");
  }
  c.check_dtype(c.dtype(kMean), is_floating, "normal");
  c.like(kMean, both ? broadcast(c.sizes(0), c.sizes(1), c.op.name()) : Sizes(c.sizes(kMean)));
}

// Random numbers with mean 0 and standard deviation 1, with the dtype and device of `like`.
Tensor unit_normals(const Sizes& sizes, const IValue& like, const IValue& generator) {
  const Tensor& t = like.as_tensor();
  return "normal_"_op("empty"_op(sizes, t.dtype(), nullptr, t.device(), nullptr), 0.0, 1.0, generator);
}
// A detached argument: no gradient flows through a draw.
IValue constant_of(const IValue& t) { return "detach"_op(t); }
IValue drawn_around(const Sizes& sizes, const IValue& like, const IValue& mean, const IValue& std, const IValue& generator) {
  const DType dtype = like.as_tensor().dtype();  // the other tensor may be of another
  return "to"_op("add"_op("to"_op("mul"_op(unit_normals(sizes, like, generator), std), dtype), mean), dtype);
}

// --- Draws from the gamma and Dirichlet distributions, which have gradients by the distribution's parameters, and from the binomial one.

void standard_gamma_rule(RuleCall& c) {
  check_wide_floats(c, {}, "gamma_cpu");
  c.like(0, c.sizes(0));
  if (c.eager()) generator_of(c.value(1));
}
void binomial_rule(RuleCall& c) {
  c.check(!c.dtype(0) || is_floating(*c.dtype(0)), ErrorKind::Value,
          "binomial only supports floating-point dtypes for count, got: ", scalar_type(c.dtype(0)));
  check_wide_floats(c, {1}, "binomial_cpu");
  c.like(0, broadcast(c.sizes(0), c.sizes(1), c.op.name()));
  if (c.eager()) generator_of(c.value(2));
}
// Draws gamma numbers with the concentrations as shapes, and divides them by their sum. They are drawn in float64, so that fewer of them underflow to 0.
IValue sample_dirichlet(const IValue* a) {
  const DType t = a[0].as_tensor().dtype();
  MONOGRAPH_CHECK(t == DType::f32 || t == DType::f64, NotImplemented, "\"dirichlet\" not implemented for '", scalar_type(t),
                  "'; convert it first, for example x.to(torch.float32)");
  const Tensor gammas = "_standard_gamma"_op("to"_op(constant_of(a[0]), DType::f64), a[1]);
  const Tensor shares = "to"_op("div"_op(gammas, "sum"_op(gammas, Dims{-1}, true)), t);
  const bool wide = t == DType::f64;
  return "clamp"_op(shares, wide ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min(),
                    wide ? 1 - 0x1p-53 : 1 - 0x1p-24);
}

void gamma_draws(Registry& r) {
  const None drawn = none("tests/python/test_distributions.py has PyTorch's draws");
  const char* no_form = "ONNX has no such draws";
  r.op("_standard_gamma(Tensor self, Generator? generator=None) -> Tensor")
      .rule(standard_gamma_rule)
      .effects(kDraws)
      .function_only()
      .gradient([](GradCall& c) { c.set(0, "mul"_op(c.grad(), "_standard_gamma_grad"_op(c.value(0), c.result()))); })
      .onnx(none(no_form))
      .kernel(standard_gamma_kernel)
      .doc(R"(Gamma numbers of rate 1, each of the shape that it states. Their gradient says how a draw grows with its shape.

self: The shapes, above 0.

>>> torch._standard_gamma(torch.tensor([0.5, 3.0])).shape)")
      .samples(drawn);
  r.op("_sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor")
      .effects(kDraws)
      .function_only()
      .decompose(sample_dirichlet, Reads::Symbols)
      .gradient([](GradCall& c) {
        const Tensor x = c.result(), shapes = c.arg(0), grad = c.grad();
        const Tensor slope = "_dirichlet_grad"_op(x, shapes, "expand_as"_op("sum"_op(shapes, Dims{-1}, true), shapes));
        c.set(0, "mul"_op(slope, "sub"_op(grad, "sum"_op("mul"_op(x, grad), Dims{-1}, true))));
      })
      .onnx(none(no_form))
      .doc(R"(Draws of Dirichlet's distribution: positive numbers that sum to 1 along the last dim.

self: The concentrations, above 0.

>>> torch._sample_dirichlet(torch.tensor([0.5, 3.0])).sum())")
      .samples(drawn);
  r.op("binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor")
      .rule(binomial_rule)
      .effects(kDraws)
      .function_only()
      .gradient(none("PyTorch has none: a count does not grow smoothly"))
      .onnx(none(no_form))
      .kernel(binomial_kernel)
      .doc(R"(How many of `count` tries succeed, each with the probability `prob`.

count: How many tries there are, as floating-point numbers.
prob: The probability that one succeeds. It broadcasts with `count`.

>>> torch.binomial(torch.tensor([10.0, 20.0]), torch.tensor([0.0, 1.0])))")
      .samples(drawn);
}

}  // namespace

void check_dropped(std::optional<DType> t) {
  MONOGRAPH_CHECK(!t || is_floating(*t) || is_complex(*t), Runtime, "result type Float can't be cast to the desired output type ",
                  info(*t).scalar_type, ": dropout scales what it keeps; convert the input first, for example x.to(torch.float32)");
}

void draws(Registry& r) {
  const None drawn = none("random_test has PyTorch's draws");
  auto no_gradient = constant("its result does not depend on its arguments' elements");
  // Adds each factory twice: without and with a generator argument.
  auto source = [&](const char* name, const char* overload, const char* args, RuleFn rule, StructuredKernel kernel, const char* onnx,
                    const char* doc) {
    auto add = [&](bool with_generator) {
      std::string suffix = concat(overload, with_generator ? *overload ? "_generator" : "generator" : "");
      std::string_view keywords = kFactoryArguments;
      std::string tail =
          with_generator ? concat(", *, Generator? generator", keywords.substr(std::string_view(", *").size())) : std::string(keywords);
      return r.op(concat(name, suffix.empty() ? "" : ".", suffix, args, tail).c_str())
          .rule(rule)
          .kernel(kernel)
          .function_only()
          .effects(kDraws)
          .gradient(no_gradient)
          .out_named((suffix.empty() ? std::string("out") : suffix + "_out").c_str())
          .doc(doc)
          .samples(drawn);
    };
    onnx ? add(false).onnx(onnx) : add(false).onnx(none("ONNX draws floats only"));
    add(true).onnx(none("a Generator has no counterpart"));
  };
  source("rand", "", "(SymInt[] size", source_rule<unit_uniform>, unit_uniform_kernel, "RandomUniform(shape=size)",
         "Uniform numbers in [0, 1).");
  source("randn", "", "(SymInt[] size", source_rule<unit_normal>, unit_normal_kernel, "RandomNormal(shape=size)",
         "Normal numbers of mean 0 and deviation 1.");
  source("randint", "low", "(SymInt low, SymInt high, SymInt[] size", source_rule<integers<0>>, integers_between_kernel, nullptr,
         "Integers from `low` to below `high`.");
  source("randint", "", "(SymInt high, SymInt[] size", source_rule<integers_below<0>>, integers_below_kernel, nullptr,
         "Integers from 0 to below `high`.");
  source("randperm", "", "(SymInt n", source_rule<permutation>, permutation_kernel, nullptr, "The numbers below `n` in random order.");
  auto like = [&](const char* head, RuleFn rule, StructuredKernel kernel, const char* doc) {
    add_like(r, head)
        .operator_out()
        .rule(rule)
        .kernel(kernel)
        .effects(kDraws)
        .onnx(none("draws like a tensor have no operator for all three distributions"))
        .doc(doc)
        .samples(drawn);
  };
  auto like_generator = [&](std::string_view head, RuleFn rule, StructuredKernel kernel, const char* doc) {
    const std::string_view options = kFactoryOptions.substr(std::string_view(", *").size());
    r.op(concat(head, ", *, Generator? generator", options, ", MemoryFormat? memory_format=None) -> Tensor").c_str())
        .operator_out()
        .rule(rule)
        .kernel(kernel)
        .function_only()
        .effects(kDraws)
        .gradient(no_gradient)
        .onnx(none("a Generator has no counterpart"))
        .doc(doc)
        .samples(drawn);
  };
  like_generator("rand_like.generator(Tensor self", like_source_rule<unit_uniform>, unit_uniform_kernel,
                 "Uniform numbers in [0, 1), like `self`.");
  like_generator("randn_like.generator(Tensor self", like_source_rule<unit_normal>, unit_normal_kernel, "Normal numbers like `self`.");
  like_generator("randint_like.generator(Tensor self, SymInt high", like_source_rule<integers_below<1>>, integers_below_like_kernel,
                 "Integers from 0 to below `high`, like `self`.");
  like_generator("randint_like.low_generator_dtype(Tensor self, SymInt low, SymInt high", like_source_rule<integers<1>>,
                 integers_like_kernel, "Integers from `low` to below `high`, like `self`.");
  like("rand_like(Tensor self", like_source_rule<unit_uniform>, unit_uniform_kernel, "Uniform numbers in [0, 1), like `self`.");
  like("randn_like(Tensor self", like_source_rule<unit_normal>, unit_normal_kernel, "Normal numbers like `self`.");
  like("randint_like(Tensor self, SymInt high", like_source_rule<integers_below<1>>, integers_below_like_kernel,
       "Integers from 0 to below `high`, like `self`.");
  like("randint_like.low_dtype(Tensor self, SymInt low, SymInt high", like_source_rule<integers<1>>, integers_like_kernel,
       "Integers from `low` to below `high`, like `self`.");

  auto inplace = [&](const char* schema, RuleFn rule, StructuredKernel kernel, const char* doc) {
    r.op(schema)
        .rule(rule)
        .kernel(kernel)
        .method_only()
        .effects(kDraws)
        .gradient([](GradCall& c) { c.set(0, "zeros_like"_op(c.grad())); })
        .onnx(none("writes in place; export the functional form"))
        .doc(doc)
        .samples(drawn);
  };
  inplace("uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None) -> Tensor(a!)", written_rule<uniform>,
          uniform_kernel, "Uniform numbers in [from, to).");
  inplace("normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor(a!)", written_rule<normal>,
          normal_kernel, "Normal numbers of this mean and deviation.");
  inplace("exponential_(Tensor(a!) self, float lambd=1, *, Generator? generator=None) -> Tensor(a!)", written_rule<exponential>,
          exponential_kernel, "Exponential numbers of this rate.");
  inplace("geometric_(Tensor(a!) self, float p, *, Generator? generator=None) -> Tensor(a!)", written_rule<geometric>, geometric_kernel,
          "How many tries, each of which succeeds with probability p, the first success takes.");
  inplace("cauchy_(Tensor(a!) self, float median=0, float sigma=1, *, Generator? generator=None) -> Tensor(a!)", written_rule<cauchy>,
          cauchy_kernel, R"(Numbers of Cauchy's distribution.

median: The middle of the distribution.
sigma: The half width at half of the height, above 0.)");
  inplace("log_normal_(Tensor(a!) self, float mean=1, float std=2, *, Generator? generator=None) -> Tensor(a!)", written_rule<log_normal>,
          log_normal_kernel, "Exponentials of normal numbers of this mean and deviation.");
  inplace("random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)", written_rule<any_integers>, any_integers_kernel,
          "Integers over the dtype's whole range of exact ones.");
  inplace("random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)", written_rule<integers<1>>,
          integers_like_kernel, "Integers from `from` to below `to`.");
  inplace("random_.to(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor(a!)", written_rule<integers_below<1>>,
          integers_below_like_kernel, "Integers from 0 to below `to`.");
  inplace("bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)", written_rule<bernoulli>,
          bernoulli_kernel, "1 with probability p, else 0.");
  // The probabilities are drawn as `bernoulli` draws them, in the order of the elements of self.
  r.op("bernoulli_.Tensor(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor(a!)")
      .rule([](RuleCall& c) {
        c.check_dtype(c.dtype(1), is_floating, "bernoulli_tensor_cpu_p_");
        if (c.eager()) generator_of(c.value(2));
        c.argument(0);
      })
      .decompose(
          [](const IValue* a) -> IValue { return "copy_"_op(a[0], "bernoulli"_op("expand"_op(a[1], sizes_of(a[0].to_tensor())), a[2])); },
          Reads::Symbols)
      .method_only()
      .effects(kDraws)
      .gradient([](GradCall& c) {
        for (size_t i = 0; i < 2; ++i)
          if (c.needs(i)) c.set(i, "zeros"_op(c.sizes(i), c.dtype(i)));
      })
      .onnx(none("writes in place; export the functional form"))
      .doc("1 with the probability that each element of `p` states, else 0.")
      .samples(drawn);
  // A draw does not follow its probability or mean. PyTorch's gradient says so with zeros.
  const GradFn zeros = [](GradCall& c) {
    for (size_t i = 0; i < 2; ++i)
      if (c.plain(i).is_tensor() && c.needs(i)) c.set(i, "zeros"_op(c.sizes(i), c.dtype(i)));
  };
  r.op("bernoulli(Tensor self, *, Generator? generator=None) -> Tensor")
      .rule(bernoulli_rule)
      .out()
      .effects(kDraws)
      .gradient(zeros)
      .onnx("Bernoulli(self) if generator ~ None")
      .kernel(bernoulli_by_element_kernel)
      .bad_data(ErrorKind::Runtime, "expected p in [0, 1], but element {place} is not")
      .doc("1 with the probability that each element states, else 0.")
      .samples(drawn);
  r.op("poisson(Tensor self, Generator? generator=None) -> Tensor")
      .rule([](RuleCall& c) {
        c.check_dtype(c.dtype(0), is_floating, "poisson_cpu");
        c.like(0, c.sizes(0));
        if (c.eager()) generator_of(c.value(1));
      })
      .effects(kDraws)
      .function_only()
      .gradient([](GradCall& c) { c.set(0, "zeros_like"_op(c.grad())); })
      .onnx(none("ONNX has no such draws"))
      .kernel(poisson_kernel)
      .bad_data(ErrorKind::Runtime, "invalid Poisson rate, expected rate to be non-negative, but element {place} is not")
      .doc("Counts of events, each element of the rate that it states.")
      .samples(drawn);
  gamma_draws(r);
  r.op("bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor")
      .rule(bernoulli_of_rule)
      .effects(kDraws)
      .gradient(zeros)
      .onnx(none("Bernoulli takes a probability for each element"))
      .kernel(bernoulli_kernel)
      .doc("1 with probability p, else 0, in the tensor's size.")
      .samples(drawn);
  r.op({"prim::bernoulli_like(Tensor self, float p, *, Generator? generator=None) -> Tensor"})
      .rule(bernoulli_like_rule)
      .effects(kDraws)
      .gradient(constant("its result is a draw"))
      .onnx(none("Bernoulli takes a probability for each element"))
      .kernel(bernoulli_kernel)
      .doc("1 with probability p, else 0, in the tensor's size and layout: the draws of dropout, which go in the order of the memory.")
      .samples(none("PyTorch has it within dropout alone; tests/python/test_nn.py"));
  no_torchscript("prim::bernoulli_like", "PyTorch has no operator of this name");
  auto normal_draws = [&](const char* schema, const char* out, RuleFn rule, DecomposeFn make) {
    r.op(schema)
        .rule(rule)
        .effects(kDraws)
        .gradient(zeros)
        .onnx(none("RandomNormal takes one mean and one deviation"))
        .decompose(make, Reads::Symbols)
        .out_named(out)
        .doc("Normal numbers, each of its own mean and deviation.")
        .samples(drawn);
  };
  normal_draws("normal.Tensor_float(Tensor mean, float std=1., *, Generator? generator=None) -> Tensor", "Tensor_float_out",
               normal_rule<0, 0>,
               [](const IValue* a) -> IValue { return drawn_around(sizes_of(a[0].as_tensor()), a[0], constant_of(a[0]), a[1], a[2]); });
  normal_draws("normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor", "float_Tensor_out", normal_rule<1, 1>,
               [](const IValue* a) -> IValue { return drawn_around(sizes_of(a[1].as_tensor()), a[1], a[0], constant_of(a[1]), a[2]); });
  normal_draws("normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor", "Tensor_Tensor_out",
               normal_rule<0, 1>, [](const IValue* a) -> IValue {
                 const Sizes sizes = broadcast_in_example(sizes_of(a[0].as_tensor()), sizes_of(a[1].as_tensor()), "normal");
                 return drawn_around(sizes, a[0], constant_of(a[0]), constant_of(a[1]), a[2]);
               });
  r.op("normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, ScalarType? dtype=None, Layout? "
       "layout=None, "
       "Device? device=None, bool? pin_memory=None) -> Tensor")
      .rule([](RuleCall& c) {
        check_deviation(c, 1);
        c.made(c.ints(2), default_dtype());
        check_drawn(c, unit_normal);
      })
      .function_only()
      .effects(kDraws)
      .gradient(no_gradient)
      .onnx(none("RandomNormal draws other numbers"))
      .decompose(
          [](const IValue* a) -> IValue {
            return "normal_"_op("empty"_op(a[2], a[4].is_none() ? IValue(default_dtype()) : a[4], a[5], a[6], a[7]), a[0], a[1], a[3]);
          },
          Reads::Nothing)
      .kernel(made_normal_kernel)
      .out_named("float_float_out")
      .doc("Normal numbers of this mean and deviation.")
      .samples(drawn);
  r.op("multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor")
      .rule(multinomial_rule)
      .out()
      .effects(kDraws)
      .gradient(none("its result is an index"))
      .onnx(none("its draws are of another type and order"))
      .kernel(multinomial_kernel)
      .bad_data(ErrorKind::Runtime, "expected finite weights of at least 0, but some are not",
                "expected rows of weights with a sum above 0, but all of one row are 0")
      .doc("Indices drawn with the probabilities of each row.")
      .samples(drawn);
  r.op("dropout(Tensor input, float p, bool train) -> Tensor")
      .may_return("input")
      .rule(like_rule)
      .function_only()
      .effects(kDraws)
      .onnx("out: Identity(input) if train = False, p ~ 0.5")
      .decompose(
          [](const IValue* a) -> IValue {
            double p = a[1].to_double();
            MONOGRAPH_CHECK(p >= 0 && p <= 1, Value, "dropout probability has to be between 0 and 1, but got ", p);
            if (!a[2].to_bool() || p == 0 || a[0].to_tensor().numel() == 0) return a[0];
            if (p == 1) return "mul"_op(a[0], "zeros_like"_op(a[0]));
            return "mul"_op(a[0], "div"_op("prim::bernoulli_like"_op(a[0], 1 - p), 1 - p));
          },
          Reads::Nothing)
      .doc("In training, zero with probability p and scaled by 1 / (1 - p) otherwise; else the input.")
      .samples(drawn);
  r.op("dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)")
      .functional("aten::dropout")
      .function_only()
      .effects(kDraws)
      .decompose([](const IValue* a) -> IValue { return "copy_"_op(a[0], "dropout"_op(a[0], a[1], a[2])); }, Reads::Nothing)
      .doc("dropout, written into `self`.")
      .samples(drawn);
}

}  // namespace monograph
