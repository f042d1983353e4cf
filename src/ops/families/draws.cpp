// Random numbers and what is drawn with them. kernels/random.h states how each stream is consumed.
#include "ops/generator_value.h"

#include "kernels/random.h"
#include "ops/dispatch.h"
#include "ops/families/creation.h"
#include "ops/pointwise.h"

namespace monograph {

Generator& generator_of(const IValue& v) {
  if (v.is_none()) return default_generator();
  auto* box = dynamic_cast<GeneratorBox*>(v.object());
  MONOGRAPH_CHECK(box, Type, "expected a torch.Generator, but got another object");
  return box->generator;
}

namespace {

constexpr ir::Effects kDraws{ir::Effects::Random, ir::Effects::Random, false, false, false};

StridedView view_of(const Tensor& t) { return {t.dtype(), t.data(), static_cast<int>(t.dim()), t.sizes().data(), t.strides().data()}; }

// --- What is known of their results.

// Of a factory of integers, which randint and randperm are, int64.
DType drawn_dtype(const Operator& op) {
  return op.base_name().starts_with("randint") || op.schema().index_of("size") < 0 ? DType::i64 : default_dtype();
}

// randperm's n is the one size that is no list.
void source_rule(RuleCall& c) {
  const int size = c.op.schema().index_of("size");
  c.made(size < 0 ? Sizes{c.size(0)} : c.ints(static_cast<size_t>(size)), drawn_dtype(c.op));
}
void multinomial_rule(RuleCall& c) {
  Sizes s = c.sizes(0);
  c.check(!s.ranked() || s.size() == 1 || s.size() == 2, ErrorKind::Runtime, "prob_dist must be 1 or 2 dim, but it has ", s.size());
  if (s.ranked()) s.set(s.size() - 1, c.size(1));
  c.result(s, DType::i64);
}
void written_rule(RuleCall& c) { c.argument(0); }

// kDraw(view, args, generator) below is what a draw writes into a tensor, from the call's arguments.

Generator& generator_argument(const Operator& op, const IValue* args) {
  int at = op.schema().index_of("generator");
  return at < 0 ? default_generator() : generator_of(args[at]);
}

template <auto kDraw>
void eval_source(const Operator& op, const IValue* args, IValue* out) {
  int size = op.schema().index_of("size");
  FactoryOptions o = factory_options(args, static_cast<size_t>(op.schema().index_of("dtype")), drawn_dtype(op));
  Tensor t = empty(size < 0 ? Dims{args[0].to_int()} : args[size].to_ints(), o.dtype, o.device);
  if (!t.is_meta()) kDraw(view_of(t), args, generator_argument(op, args));
  out[0] = t;
}

template <auto kDraw>
void eval_like(const Operator& op, const IValue* args, IValue* out) {
  const Tensor& self = args[0].as_tensor();
  const auto at = static_cast<size_t>(op.schema().index_of("dtype"));
  Tensor t = empty_in_format(self, factory_options(args, at, self.dtype(), self.device()), args[at + 4]);
  if (!t.is_meta()) kDraw(view_of(t), args, default_generator());
  out[0] = t;
}

// An in-place draw: checks, draws, counts the write.
template <auto kDraw>
void eval_inplace(const Operator& op, const IValue* args, IValue* out) {
  const Tensor& t = args[0].as_tensor();
  t.check_writable(op.name());
  t.check_no_internal_overlap(op.name());
  if (!t.is_meta()) kDraw(view_of(t), args, generator_argument(op, args));
  t.bump_version();
  out[0] = args[0];
}

void draw_uniform(StridedView v, const IValue*, Generator& g) { uniform_(v, 0, 1, g); }
void draw_normal(StridedView v, const IValue*, Generator& g) { normal_(v, 0, 1, g); }
template <size_t kLow>  // the place of `low`
void draw_between(StridedView v, const IValue* args, Generator& g) {
  random_(v, args[kLow].to_int(), args[kLow + 1].to_int(), g);
}

}  // namespace

void draws(Registry& r) {
  const None drawn = none("random_test has PyTorch's draws");
  auto no_gradient = constant("its result does not depend on its arguments' elements");
  // With the default generator, and with one that the call names.
  auto source = [&](const char* name, const char* overload, const char* args, EvalFn eval, const char* onnx, const char* doc) {
    auto add = [&](bool with_generator) {
      std::string suffix = concat(overload, with_generator ? *overload ? "_generator" : "generator" : "");
      std::string_view keywords = kFactoryArguments;
      std::string tail =
          with_generator ? concat(", *, Generator? generator", keywords.substr(std::string_view(", *").size())) : std::string(keywords);
      return r.op(concat(name, suffix.empty() ? "" : ".", suffix, args, tail).c_str())
          .eval(eval)
          .rule(source_rule)
          .function_only()
          .effects(kDraws)
          .gradient(no_gradient)
          .doc(doc)
          .samples(drawn);
    };
    onnx ? add(false).onnx(onnx) : add(false).onnx(none("ONNX draws floats only"));
    add(true).onnx(none("a Generator has no counterpart"));
  };
  source("rand", "", "(SymInt[] size", eval_source<draw_uniform>, "RandomUniform(shape=size)", "Uniform numbers in [0, 1).");
  source("randn", "", "(SymInt[] size", eval_source<draw_normal>, "RandomNormal(shape=size)", "Normal numbers of mean 0 and deviation 1.");
  source("randint", "low", "(SymInt low, SymInt high, SymInt[] size", eval_source<draw_between<0>>, nullptr,
         "Integers from `low` to below `high`.");
  source("randint", "", "(SymInt high, SymInt[] size",
         eval_source<[](StridedView v, const IValue* a, Generator& g) { random_(v, 0, a[0].to_int(), g); }>, nullptr,
         "Integers from 0 to below `high`.");
  source("randperm", "", "(SymInt n", eval_source<[](StridedView v, const IValue*, Generator& g) { randperm(v, g); }>, nullptr,
         "The numbers below `n` in random order.");
  auto like = [&](const char* head, const char* doc, EvalFn eval) {
    add_like(r, head)
        .eval(eval)
        .effects(kDraws)
        .onnx(none("draws like a tensor have no operator for all three distributions"))
        .doc(doc)
        .samples(drawn);
  };
  like("rand_like(Tensor self", "Uniform numbers in [0, 1), like `self`.", eval_like<draw_uniform>);
  like("randn_like(Tensor self", "Normal numbers like `self`.", eval_like<draw_normal>);
  like("randint_like.low_dtype(Tensor self, SymInt low, SymInt high", "Integers from `low` to below `high`, like `self`.",
       eval_like<draw_between<1>>);

  auto inplace = [&](const char* schema, EvalFn eval, const char* doc) {
    r.op(schema)
        .eval(eval)
        .rule(written_rule)
        .method_only()
        .effects(kDraws)
        .gradient([](GradCall& c) { c.set(0, "zeros_like"_op(c.grad())); })
        .onnx(none("writes in place; export the functional form"))
        .doc(doc)
        .samples(drawn);
  };
  inplace("uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None) -> Tensor(a!)",
          eval_inplace<[](StridedView v, const IValue* a, Generator& g) { uniform_(v, a[1].to_double(), a[2].to_double(), g); }>,
          "Uniform numbers in [from, to).");
  inplace("normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor(a!)",
          eval_inplace<[](StridedView v, const IValue* a, Generator& g) { normal_(v, a[1].to_double(), a[2].to_double(), g); }>,
          "Normal numbers of this mean and deviation.");
  inplace("exponential_(Tensor(a!) self, float lambd=1, *, Generator? generator=None) -> Tensor(a!)",
          eval_inplace<[](StridedView v, const IValue* a, Generator& g) { exponential_(v, a[1].to_double(), g); }>,
          "Exponential numbers of this rate.");
  inplace("random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)",
          eval_inplace<[](StridedView v, const IValue*, Generator& g) { random_(v, g); }>,
          "Integers over the dtype's whole range of exact ones.");
  inplace("random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)",
          eval_inplace<[](StridedView v, const IValue* a, Generator& g) {
            random_(v, a[1].to_int(), a[2].is_none() ? std::nullopt : std::optional(a[2].to_int()), g);
          }>,
          "Integers from `from` to below `to`.");
  inplace("bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)",
          eval_inplace<[](StridedView v, const IValue* a, Generator& g) { bernoulli_(v, a[1].to_double(), g); }>,
          "1 with probability p, else 0.");
  r.op("bernoulli(Tensor self, *, Generator? generator=None) -> Tensor")
      .rule(like_rule)
      .effects(kDraws)
      .gradient(constant("its result is a draw"))
      .onnx("Bernoulli(self) if generator ~ None")
      .eval([](const Operator&, const IValue* a, IValue* out) {
        Tensor t = empty(a[0].as_tensor().sizes(), a[0].as_tensor().dtype(), a[0].as_tensor().device());
        if (!t.is_meta()) bernoulli_(view_of(t), view_of(a[0].as_tensor()), generator_of(a[1]));
        out[0] = t;
      })
      .doc("1 with the probability that each element states, else 0.")
      .samples(drawn);
  r.op("bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor")
      .rule(like_rule)
      .effects(kDraws)
      .gradient(constant("its result is a draw"))
      .onnx(none("Bernoulli takes a probability for each element"))
      .eval([](const Operator&, const IValue* a, IValue* out) {
        Tensor t = empty(a[0].as_tensor().sizes(), a[0].as_tensor().dtype(), a[0].as_tensor().device());
        if (!t.is_meta()) bernoulli_(view_of(t), a[1].to_double(), generator_of(a[2]));
        out[0] = t;
      })
      .doc("1 with probability p, else 0, in the tensor's size.")
      .samples(drawn);
  r.op("multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor")
      .rule(multinomial_rule)
      .effects(kDraws)
      .gradient(none("its result is an index"))
      .onnx(none("its draws are of another type and order"))
      .eval([](const Operator& op, const IValue* a, IValue* out) {
        const Tensor& p = a[0].as_tensor();
        Dims sizes = p.sizes();
        sizes[sizes.size() - 1] = a[1].to_int();
        Tensor t = empty(sizes, DType::i64);
        multinomial(view_of(t), view_of(p), a[1].to_int(), a[2].to_bool(), generator_of(a[3]));
        out[0] = t;
      })
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
            return "mul"_op(a[0], "div"_op("bernoulli"_op(a[0], 1 - p), 1 - p));
          },
          Reads::Nothing)
      .doc("In training, zero with probability p and scaled by 1 / (1 - p) otherwise; else the input.")
      .samples(drawn);
  r.op("dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)")
      .functional("aten::dropout")
      .function_only()
      .effects(kDraws)
      .eval(eval_composite_form)
      .doc("dropout, written into `self`.")
      .samples(drawn);
}

}  // namespace monograph
